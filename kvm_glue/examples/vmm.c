/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vmm save FILE|load FILE
 *
 * A virtual machine monitor on /dev/kvm that uses kvm_glue for the PMU of its guest: four event
 * counters, and a filter that denies one event. "save" runs the guest of guest.S to its middle and
 * saves it. "load" continues it in another process to its end, and compares what the guest read
 * from its counters with what it executed. It needs an arm64 host with Linux 6.7 or later. On
 * Linux 7.3 it uses KVM_ARM_VCPU_PMU_V3_STRICT. machine.c has what is the same without kvm_glue.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "kvm_glue/host_pmu.h"
#include "kvm_glue/setup.h"
#include "kvm_glue/state.h"
#include "machine.h"

#define COUNTERS 4
#define ROUNDS 1000u
#define BR_RETIRED 0x21u

static const struct kvm_glue_os *const os = &kvm_glue_os_linux;

/* The values of the guest's counters at its end; see guest.S. */
static const uint64_t expected[COUNTERS] = {4 * ROUNDS + 1, 0, 0, 2 * ROUNDS};

/* A guest, as "save" writes it. Its memory does not change. */
struct saved {
    struct kvm_glue_state pmu;
    struct registers registers;
};

static bool explain(int ret, const struct kvm_glue_error *err)
{
    if (ret < 0) {
        fprintf(stderr, "vmm: %s\n", err->text);
    }
    return ret >= 0;
}

/* The PMU of the CPUs on which this process may run, or a negative errno. */
static int choose_host_pmu(struct kvm_glue_error *err)
{
    static struct kvm_glue_host_pmus pmus;
    struct kvm_glue_cpus cpus = {{0}};
    cpu_set_t own;
    int ret = kvm_glue_host_pmus_find(os, &pmus, err);

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
static bool create(struct machine *m)
{
    struct kvm_glue_filter filter = {0};
    struct kvm_glue_error err = {0};
    struct kvm_glue_setup setup = {
        .counters = COUNTERS, .filter = &filter, .irq = KVM_GLUE_DEFAULT};

    if (!machine_create(m)) {
        return false;
    }
    m->init.features[0] |= kvm_glue_vcpu_features(os, m->kvm);
    setup.host_pmu = choose_host_pmu(&err);
    return explain(setup.host_pmu, &err) &&
           explain(kvm_glue_filter_add(&filter, KVM_GLUE_DENY, BR_RETIRED, BR_RETIRED, &err),
                   &err) &&
           explain(kvm_glue_vcpu_init(os, m->vcpu, &m->init, &err), &err) &&
           explain(kvm_glue_setup_vm(os, m->vcpu, &setup, &err), &err) &&
           explain(kvm_glue_setup_vcpu(os, m->vcpu, &setup, &err), &err);
}

static bool save(const struct machine *m, FILE *file)
{
    struct saved s = {.registers = machine_start(ROUNDS)};
    struct kvm_glue_error err;

    if (!machine_set(m, &s.registers) || !machine_run(m) || !machine_get(m, &s.registers) ||
        !explain(kvm_glue_state_save(os, m->vcpu, &s.pmu, &err), &err)) {
        return false;
    }
    printf("saved %u counters, PMMIR_EL1 %#llx\n", s.pmu.counters, (unsigned long long)s.pmu.pmmir);
    return fwrite(&s, sizeof(s), 1, file) == 1 || complain("fwrite");
}

static bool load(const struct machine *m, FILE *file)
{
    uint64_t values[COUNTERS] = {0};
    struct kvm_glue_error err;
    bool good = true;
    struct saved s;

    if (fread(&s, sizeof(s), 1, file) != 1) {
        fprintf(stderr, "vmm: the file is too short for a saved guest\n");
        return false;
    }
    if (!machine_set(m, &s.registers) ||
        !explain(kvm_glue_state_restore(os, m->vcpu, &s.pmu, 0, NULL, &err), &err) ||
        !machine_finish(m, values, COUNTERS)) {
        return false;
    }
    for (unsigned n = 0; n < COUNTERS; n++) {
        printf("counter %u: %llu, expected %llu\n", n, (unsigned long long)values[n],
               (unsigned long long)expected[n]);
        good = good && values[n] == expected[n];
    }
    return good;
}

int main(int argc, char **argv)
{
    bool loads = argc == 3 && strcmp(argv[1], "load") == 0;
    struct machine m = {0};
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
    good = create(&m) && (loads ? load : save)(&m, file);
    if (fclose(file) != 0) {
        good = complain(argv[2]);
    }
    return good ? 0 : 1;
}
