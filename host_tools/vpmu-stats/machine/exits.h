/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_EXITS_H
#define VPMU_STATS_EXITS_H

#include "machine/histogram.h"
#include "kvm_glue/meter.h"
#include "machine/machine.h"

/**
 * struct reason - exits of one reason
 * @exits: how many there were.
 * @part: sums of cycles and nanoseconds, enum kvm_glue_part.
 */
struct reason {
    uint64_t exits;
    uint64_t part[KVM_GLUE_PARTS];
};

/**
 * struct exits - what the meter of a machine that runs with KVM says
 * @measured, @scaled: of how many the cycles are known, and of how many of these they are scaled.
 * @all: what all reasons come to.
 * @reason: by row, KVM_GLUE_REASONS.
 * @blackout: cycles that an exit lost.
 */
struct exits {
    uint64_t measured;
    uint64_t scaled;
    struct reason all;
    struct reason reason[KVM_GLUE_REASONS];
    struct histogram blackout;
};

/**
 * exits_read() - asks a machine whose meter is on
 * @e: one, of all vCPUs together; or with @per_vcpu one for each of @pmus.
 */
int exits_read(struct exits *e, bool per_vcpu, struct qmp *q, const struct pmus *pmus,
               struct error *t);

/** exits_subtract() - what has come since @before */
void exits_subtract(struct exits *e, const struct exits *before);

#endif
