/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Counters of lockup detectors (NMI watchdogs)
 *
 * A lockup detector programs cycles as a clock: it computes from the rate of the TSC after how many
 * cycles it wants an NMI, and never uses what it counted. Linux asks for 1 to 60 s, Xen for 10 ms
 * when it tests the NMI and for 1/4 to 1 s later. Such a counter follows the TSC.
 *
 * perf can program the same registers with the same period, but only by `perf record -c N`: a
 * frequency leads to shorter periods, and a counter that is only read has half of all its values
 * before it.
 */
#include "x86_internal.h"

/* The least time to the end, as parts of a second, and the most, in seconds. */
#define PARTS 2
#define PARTS_NEGATIVE 200
#define SECONDS 100

bool vpmu_x86_is_detector_(const struct vpmu_x86_setup_ *s, unsigned idx)
{
    const uint64_t everywhere = VPMU_X86_SEL_USR | VPMU_X86_SEL_OS | VPMU_X86_SEL_INT;
    const uint64_t fixed = VPMU_X86_FIXED_USR | VPMU_X86_FIXED_OS | VPMU_X86_FIXED_PMI;
    uint64_t select = idx < VPMU_X86_FIXED ? s->regs->select[idx] : 0;

    if (!(s->regs->slow & VPMU_BIT(idx)) ||
        (vpmu_x86_recording_(s->config, s->regs->pebs) & VPMU_BIT(idx))) {
        return false;
    }
    if (idx >= VPMU_X86_FIXED) {
        return (vpmu_x86_fixed_field_(s->regs, idx) & fixed) == fixed;
    }
    return (select & everywhere) == everywhere &&
           !(select & (VPMU_X86_SEL_EDGE | VPMU_X86_SEL_CMASK | VPMU_X86_SEL_GUEST));
}

/* Linux stops a counter in the middle of its period, and goes on with it or with another one. */
static bool goes_on(const struct vpmu_x86 *v, uint64_t val)
{
    unsigned idx;

    VPMU_FOR_EACH_BIT (idx, v->regs.slow) {
        if (v->count.counter[idx].value == val) {
            return true;
        }
    }
    return false;
}

bool vpmu_x86_is_slow_(const struct vpmu_x86 *v, uint64_t val)
{
    uint64_t kept = vpmu_x86_value_kept_(&v->config);
    uint64_t left = (~val & kept) + 1;
    uint64_t hz = v->config.tsc_hz;
    bool negative = (val | kept) == UINT64_MAX;

    return v->config.detector && left <= SECONDS * hz &&
           (left >= hz / (negative ? PARTS_NEGATIVE : PARTS) || goes_on(v, val & kept));
}
