/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vmm save FILE|load FILE
 *
 * A virtual machine monitor on /dev/kvm that uses kvm_glue for the PMU of its guest: four event
 * counters, and a filter that denies one event. "save" runs the guest of guest.S to its middle and
 * saves it. "load" continues it in another process to its end, and compares what the guest read
 * from its counters with what it executed. It needs an arm64 host with Linux 6.7 or later. On
 * Linux 7.3 it uses KVM_ARM_VCPU_PMU_V3_STRICT.
 *
 * pmu_setup(), save() and load() contain the calls of kvm_glue. Everything else is what each VMM
 * has.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kvm_glue/host_pmu.h"
#include "kvm_glue/setup.h"
#include "kvm_glue/state.h"

extern const char guest_begin[], guest_end[];

#define MEMORY 0x40000000u /* where the guest's memory is */
#define DEVICE 0x10000000u /* where nothing is */
#define COUNTERS 4
#define ROUNDS 1000u
#define BR_RETIRED 0x21u
#define EL1H_MASKED 0x3c5u /* PSTATE: EL1h, DAIF set */
#define X_REGISTERS 31

/* The values of the guest's counters at its end; see guest.S. */
static const uint64_t expected[COUNTERS] = {4 * ROUNDS + 1, 0, 0, 2 * ROUNDS};

/* A guest, as "save" writes it. Its memory does not change. */
struct saved {
    struct kvm_glue_state pmu;
    uint64_t x[X_REGISTERS], pc, pstate;
};

struct vmm {
    int kvm, vm, vcpu;
    struct kvm_run *run;
};

static bool complain(const char *what)
{
    fprintf(stderr, "vmm: %s: %s\n", what, strerror(errno));
    return false;
}

static bool explain(int ret, const struct kvm_glue_error *err)
{
    if (ret < 0) {
        fprintf(stderr, "vmm: %s\n", err->text);
    }
    return ret >= 0;
}

static bool make_machine(struct vmm *v)
{
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct kvm_userspace_memory_region region = {
        .guest_phys_addr = MEMORY, .memory_size = 4096, .userspace_addr = (uintptr_t)memory};
    struct kvm_vcpu_init init;
    int size;

    if (memory == MAP_FAILED) {
        return complain("mmap");
    }
    memcpy(memory, guest_begin, (size_t)(guest_end - guest_begin));
    v->kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
    v->vm = v->kvm >= 0 ? ioctl(v->kvm, KVM_CREATE_VM, 0) : -1;
    if (v->vm < 0 || ioctl(v->vm, KVM_SET_USER_MEMORY_REGION, &region) != 0) {
        return complain("/dev/kvm");
    }
    v->vcpu = ioctl(v->vm, KVM_CREATE_VCPU, 0);
    size = ioctl(v->kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
    if (v->vcpu < 0 || size <= 0 || ioctl(v->vm, KVM_ARM_PREFERRED_TARGET, &init) != 0) {
        return complain("KVM_CREATE_VCPU");
    }
    init.features[0] |= kvm_glue_vcpu_features(&kvm_glue_os_linux, v->kvm);
    v->run = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, v->vcpu, 0);
    if (v->run == MAP_FAILED || ioctl(v->vcpu, KVM_ARM_VCPU_INIT, &init) != 0) {
        return complain("KVM_ARM_VCPU_INIT");
    }
    return true;
}

/* The PMU of the CPUs on which this process may run, or a negative errno. */
static int choose_host_pmu(struct kvm_glue_error *err)
{
    static struct kvm_glue_host_pmus pmus;
    struct kvm_glue_cpus cpus = {{0}};
    cpu_set_t own;
    int ret = kvm_glue_host_pmus_find(&kvm_glue_os_linux, &pmus, err);

    if (ret < 0) {
        return ret;
    }
    CPU_ZERO(&own);
    sched_getaffinity(0, sizeof(own), &own);
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        cpus.bits[cpu / 64] |= (uint64_t)(CPU_ISSET(cpu, &own) != 0) << cpu % 64;
    }
    return kvm_glue_host_pmu_choose(&pmus, &cpus, err);
}

/* Without an interrupt controller in the kernel there is no overflow interrupt. */
static bool pmu_setup(const struct vmm *v)
{
    struct kvm_glue_filter filter = {0};
    struct kvm_glue_error err = {0};
    struct kvm_glue_setup setup = {
        .counters = COUNTERS, .filter = &filter, .irq = KVM_GLUE_DEFAULT};
    int ret = kvm_glue_filter_add(&filter, KVM_GLUE_DENY, BR_RETIRED, BR_RETIRED, &err);

    setup.host_pmu = choose_host_pmu(&err);
    if (ret == 0) {
        ret = setup.host_pmu;
    }
    if (ret >= 0) {
        ret = kvm_glue_setup_vm(&kvm_glue_os_linux, v->vcpu, &setup, &err);
    }
    if (ret >= 0) {
        ret = kvm_glue_setup_vcpu(&kvm_glue_os_linux, v->vcpu, &setup, &err);
    }
    return explain(ret, &err);
}

/* Calls KVM_GET_ONE_REG or KVM_SET_ONE_REG for a core register at this offset in kvm_regs. */
static bool access_core(const struct vmm *v, unsigned long call, size_t field, uint64_t *value)
{
    struct kvm_one_reg reg = {.id = KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE |
                                    field / sizeof(uint32_t),
                              .addr = (uintptr_t)value};

    return ioctl(v->vcpu, call, &reg) == 0 || complain("KVM_GET_ONE_REG or KVM_SET_ONE_REG");
}

static bool access_all(const struct vmm *v, unsigned long call, struct saved *s)
{
    bool done = access_core(v, call, offsetof(struct kvm_regs, regs.pc), &s->pc) &&
                access_core(v, call, offsetof(struct kvm_regs, regs.pstate), &s->pstate);

    for (size_t n = 0; done && n < X_REGISTERS; n++) {
        done = access_core(v, call, offsetof(struct kvm_regs, regs.regs) + n * 8, &s->x[n]);
    }
    return done;
}

/*
 * Runs the guest until it stores to DEVICE + @until. Keeps what it stores below that in @stored.
 * Returns false if it does anything else.
 */
static bool run_guest(const struct vmm *v, uint64_t until, uint64_t stored[COUNTERS])
{
    for (;;) {
        int ret = ioctl(v->vcpu, KVM_RUN, 0);
        uint64_t at = v->run->mmio.phys_addr - DEVICE;

        if (ret != 0 && errno == EINTR) {
            continue;
        }
        if (ret != 0) {
            return complain("KVM_RUN");
        }
        if (v->run->exit_reason != KVM_EXIT_MMIO || at % 8 || at > until) {
            fprintf(stderr, "vmm: unexpected exit for reason %u\n", v->run->exit_reason);
            return false;
        }
        if (at >= 8) {
            memcpy(&stored[at / 8 - 1], v->run->mmio.data, 8);
        }
        if (at == until) {
            return true;
        }
    }
}

static bool save(const struct vmm *v, FILE *file)
{
    struct saved s = {
        .x = {[19] = ROUNDS, [20] = DEVICE, [22] = ROUNDS}, .pc = MEMORY, .pstate = EL1H_MASKED};
    struct kvm_glue_error err;

    if (!access_all(v, KVM_SET_ONE_REG, &s) || !run_guest(v, 0, NULL)) {
        return false;
    }
    /* KVM completes the store at the next KVM_RUN, which then returns at once. */
    v->run->immediate_exit = 1;
    if (ioctl(v->vcpu, KVM_RUN, 0) == 0 || errno != EINTR) {
        return complain("KVM_RUN");
    }
    if (!access_all(v, KVM_GET_ONE_REG, &s) ||
        !explain(kvm_glue_state_save(&kvm_glue_os_linux, v->vcpu, &s.pmu, &err), &err)) {
        return false;
    }
    printf("saved %u counters, PMMIR_EL1 %#llx\n", s.pmu.counters, (unsigned long long)s.pmu.pmmir);
    return fwrite(&s, sizeof(s), 1, file) == 1 || complain("fwrite");
}

static bool load(const struct vmm *v, FILE *file)
{
    uint64_t stored[COUNTERS] = {0};
    struct kvm_glue_error err;
    bool good = true;
    struct saved s;

    if (fread(&s, sizeof(s), 1, file) != 1) {
        fprintf(stderr, "vmm: the file is too short for a saved guest\n");
        return false;
    }
    if (!access_all(v, KVM_SET_ONE_REG, &s) ||
        !explain(kvm_glue_state_restore(&kvm_glue_os_linux, v->vcpu, &s.pmu, 0, NULL, &err),
                 &err) ||
        !run_guest(v, 8 * COUNTERS, stored)) {
        return false;
    }
    for (unsigned n = 0; n < COUNTERS; n++) {
        printf("counter %u: %llu, expected %llu\n", n, (unsigned long long)stored[n],
               (unsigned long long)expected[n]);
        good = good && stored[n] == expected[n];
    }
    return good;
}

int main(int argc, char **argv)
{
    bool loads = argc == 3 && strcmp(argv[1], "load") == 0;
    struct vmm v = {0};
    FILE *file;
    bool good;

    if (argc != 3 || (!loads && strcmp(argv[1], "save") != 0)) {
        fprintf(stderr, "usage: vmm save FILE|load FILE\n");
        return 2;
    }
    file = fopen(argv[2], loads ? "rb" : "wb");
    if (!file) {
        complain(argv[2]);
        return 1;
    }
    good = make_machine(&v) && pmu_setup(&v) && (loads ? load : save)(&v, file);
    if (fclose(file) != 0) {
        good = complain(argv[2]);
    }
    return good ? 0 : 1;
}
