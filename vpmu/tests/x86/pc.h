/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_PC_H
#define VPMU_TESTS_PC_H

#include "fixture.h"
#include "vpmu/x86/msr.h"
#include "vpmu/x86/pmu.h"

/*
 * An x86 CPU. It counts what was due after calls of its PMU: PMIs, rearms, and the periods of
 * observers.
 */
struct pc {
    struct vpmu_x86 v;
    struct vpmu_x86_totals totals;
    struct vpmu_now clock;
    unsigned pmis;
    unsigned rearms;
    uint64_t periods;
};

static inline void start_pc(struct pc *pc, const struct vpmu_x86_config *config)
{
    const char *why = "";

    *pc = (struct pc){.pmis = 0};
    ck_assert_msg(!vpmu_x86_init(&pc->v, config, &pc->totals, &pc->clock, &why), "%s", why);
}

/* Acts on what is due after a call of the library. Returns @due, or 0 if it is no error. */
static inline int pc_service(struct pc *pc, int due)
{
    struct vpmu_sample sample;

    if (due < 0) {
        return due;
    }
    while ((due & VPMU_DUE_SAMPLES) && vpmu_sample_next(&pc->v.count, &sample)) {
        pc->periods += sample.periods;
    }
    pc->pmis += due & VPMU_DUE_IRQ ? 1 : 0;
    pc->rearms += due & VPMU_DUE_REARM ? 1 : 0;
    return 0;
}

/* The result of an access that returns what is due, or an enum vpmu_x86_access, negated. */
static inline unsigned pc_access(struct pc *pc, int due)
{
    return (unsigned)-pc_service(pc, due);
}

static inline void wr(struct pc *pc, uint32_t msr, uint64_t val)
{
    expect("WRMSR", VPMU_X86_OK, pc_access(pc, vpmu_x86_wrmsr(&pc->v, msr, val, &pc->clock)));
}

static inline uint64_t rd(struct pc *pc, uint32_t msr)
{
    uint64_t val;

    expect("RDMSR", VPMU_X86_OK, pc_access(pc, vpmu_x86_rdmsr(&pc->v, msr, &val, &pc->clock)));
    return val;
}

static inline void go(struct pc *pc, enum vpmu_x86_source source, uint64_t n)
{
    pc->totals.n[pc->v.count.ctx][source] += n;
    pc_service(pc, vpmu_x86_settle(&pc->v, &pc->clock));
}

/* Executes an instruction, which takes a cycle. */
static inline void execute(struct pc *pc)
{
    pc->totals.n[pc->v.count.ctx][VPMU_X86_SRC_INST]++;
    pc->totals.n[pc->v.count.ctx][VPMU_X86_SRC_CYCLES]++;
    pc_service(pc, vpmu_x86_step(&pc->v, &pc->clock));
}

#endif
