/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_PC_H
#define VPMU_TESTS_PC_H

#include "fixture.h"
#include "silent.h"
#include "vpmu/x86/pmu.h"

/* An x86 CPU whose clocks stand still. It counts the interrupts and rearms of its PMU. */
struct pc {
    struct vpmu_x86 v;
    struct vpmu_x86_totals totals;
    unsigned pmis;
    unsigned rearms;
};

static inline void count_pmi(void *opaque, bool level)
{
    ((struct pc *)opaque)->pmis += level;
}

static inline void count_rearm(void *opaque)
{
    ((struct pc *)opaque)->rearms++;
}

static inline void start_pc(struct pc *pc, const struct vpmu_x86_config *config)
{
    static const struct vpmu_ops ops = {no_clock, count_pmi, count_rearm};
    const char *why = "";

    *pc = (struct pc){.pmis = 0};
    ck_assert_msg(!vpmu_x86_init(&pc->v, config, &pc->totals, &ops, pc, &why), "%s", why);
}

#endif
