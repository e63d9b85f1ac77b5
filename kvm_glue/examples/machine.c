/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of every VMM: a VM, its memory and vCPU, registers and KVM_RUN. */
#define _GNU_SOURCE
#include "machine.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

extern const char guest_begin[], guest_end[];

#define MEMORY 0x40000000u /* where the guest's memory is */
#define DEVICE 0x10000000u /* where nothing is */
#define EL1H_MASKED 0x3c5u /* PSTATE: EL1h, DAIF set */

bool complain(const char *what)
{
    fprintf(stderr, "vmm: %s: %s\n", what, strerror(errno));
    return false;
}

bool machine_create(struct machine *m)
{
    void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct kvm_userspace_memory_region region = {
        .guest_phys_addr = MEMORY, .memory_size = 4096, .userspace_addr = (uintptr_t)memory};
    int size;

    if (memory == MAP_FAILED) {
        return complain("mmap");
    }
    memcpy(memory, guest_begin, (size_t)(guest_end - guest_begin));
    m->kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
    m->vm = m->kvm >= 0 ? ioctl(m->kvm, KVM_CREATE_VM, 0) : -1;
    if (m->vm < 0 || ioctl(m->vm, KVM_SET_USER_MEMORY_REGION, &region) != 0) {
        return complain("/dev/kvm");
    }
    m->vcpu = ioctl(m->vm, KVM_CREATE_VCPU, 0);
    size = ioctl(m->kvm, KVM_GET_VCPU_MMAP_SIZE, 0);
    if (m->vcpu < 0 || size <= 0 || ioctl(m->vm, KVM_ARM_PREFERRED_TARGET, &m->init) != 0) {
        return complain("KVM_CREATE_VCPU");
    }
    m->run = mmap(NULL, (size_t)size, PROT_READ | PROT_WRITE, MAP_SHARED, m->vcpu, 0);
    return m->run != MAP_FAILED || complain("mmap");
}

struct registers machine_start(uint64_t rounds)
{
    return (struct registers){
        .x = {[19] = rounds, [20] = DEVICE, [22] = rounds}, .pc = MEMORY, .pstate = EL1H_MASKED};
}

/* @field: the offset of a core register in struct kvm_regs. */
static bool access_core(const struct machine *m, unsigned long call, size_t field, uint64_t *value)
{
    struct kvm_one_reg reg = {.id = KVM_REG_ARM64 | KVM_REG_SIZE_U64 | KVM_REG_ARM_CORE |
                                    field / sizeof(uint32_t),
                              .addr = (uintptr_t)value};

    return ioctl(m->vcpu, call, &reg) == 0 || complain("KVM_GET_ONE_REG or KVM_SET_ONE_REG");
}

static bool access_all(const struct machine *m, unsigned long call, struct registers *r)
{
    bool done = access_core(m, call, offsetof(struct kvm_regs, regs.pc), &r->pc) &&
                access_core(m, call, offsetof(struct kvm_regs, regs.pstate), &r->pstate);

    for (size_t n = 0; done && n < sizeof(r->x) / sizeof(r->x[0]); n++) {
        done = access_core(m, call, offsetof(struct kvm_regs, regs.regs) + n * 8, &r->x[n]);
    }
    return done;
}

bool machine_get(const struct machine *m, struct registers *r)
{
    return access_all(m, KVM_GET_ONE_REG, r);
}

bool machine_set(const struct machine *m, struct registers *r)
{
    return access_all(m, KVM_SET_ONE_REG, r);
}

/*
 * Runs the guest until it stores to DEVICE + @until. Keeps what it stores below that in @stored.
 * Returns false if it does anything else.
 */
static bool run_until(const struct machine *m, uint64_t until, uint64_t *stored)
{
    for (;;) {
        int ret = ioctl(m->vcpu, KVM_RUN, 0);
        uint64_t at = m->run->mmio.phys_addr - DEVICE;

        if (ret != 0 && errno == EINTR) {
            continue;
        }
        if (ret != 0) {
            return complain("KVM_RUN");
        }
        if (m->run->exit_reason != KVM_EXIT_MMIO || at % 8 || at > until) {
            fprintf(stderr, "vmm: unexpected exit for reason %u\n", m->run->exit_reason);
            return false;
        }
        if (at >= 8) {
            memcpy(&stored[at / 8 - 1], m->run->mmio.data, 8);
        }
        if (at == until) {
            return true;
        }
    }
}

bool machine_run(const struct machine *m)
{
    if (!run_until(m, 0, NULL)) {
        return false;
    }
    /* KVM completes the store at the next KVM_RUN, which then returns at once. */
    m->run->immediate_exit = 1;
    return (ioctl(m->vcpu, KVM_RUN, 0) != 0 && errno == EINTR) || complain("KVM_RUN");
}

bool machine_finish(const struct machine *m, uint64_t *values, unsigned count)
{
    return run_until(m, 8 * count, values);
}
