/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_EXITS_H
#define VPMU_STATS_EXITS_H

#include "machine/histogram.h"
#include "kvm_glue/meter.h"
#include "machine/machine.h"

/**
 * struct reason - the exits of one reason
 * @exits: the number of exits.
 * @measured: the number of exits whose cycles are known in all places.
 * @kernel_measured: the number of exits whose KVM_GLUE_KERNEL_CYCLES are known.
 * @vmm_measured: the number of exits whose KVM_GLUE_VMM_CYCLES are known.
 * @part: sums of cycles and nanoseconds, by enum kvm_glue_part.
 */
struct reason {
    uint64_t exits;
    uint64_t measured;
    uint64_t kernel_measured;
    uint64_t vmm_measured;
    uint64_t part[KVM_GLUE_PARTS];
};

/**
 * struct exits - a reading of the exit meter of a machine that runs with KVM
 * @scaled: how many exits have scaled cycles.
 * @all: the exits of all reasons.
 * @reason: the exits of each reason, by row.
 * @blackout: how many exits lost how many cycles.
 */
struct exits {
    uint64_t scaled;
    struct reason all;
    struct reason reason[KVM_GLUE_REASONS];
    struct histogram blackout;
};

/**
 * exits_read() - read the exit meter, which must be on
 * @e: is filled in with the sums over all vCPUs. With @per_vcpu it is an array with an element for
 *     each of @pmus.
 * @per_vcpu: read each vCPU separately.
 * @q: the monitor of the machine.
 * @pmus: the PMUs of the machine.
 *
 * Return: 0; or -1: ERROR_TALK if another client has switched the meter off, or a vCPU was removed.
 */
int exits_read(struct exits *e, bool per_vcpu, struct qmp *q, const struct pmus *pmus,
               struct error *t);

/**
 * exits_subtract() - subtract an earlier reading
 *
 * A figure that has fallen becomes 0: all do if another client has restarted the meter, and the
 * blackout can fall a little at any time.
 */
void exits_subtract(struct exits *e, const struct exits *before);

#endif
