/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_INTERNAL_H
#define VPMU_INTERNAL_H

#include "vpmu/pmu.h"
#include "vpmu/regs.h"

#define VPMU_BIT(n) (1ull << (n))
#define VPMU_LOW32 0xffffffffull

/* Cycles to a count of PMCCNTR while PMCR.D is in effect. */
#define VPMU_DIVIDER 64
/* vpmu_config.cycle_units. */
#define VPMU_MAX_CYCLE_UNITS 8

/* Whatever is kept in fewer bits than an unsigned or a mask of 64 has. */
_Static_assert(VPMU_CTX_COUNT <= 8 * sizeof(((struct vpmu_counter *)0)->ctx_mask), "contexts");
_Static_assert(VPMU_DIVIDER *VPMU_MAX_CYCLE_UNITS <= UINT16_MAX, "vpmu_counter.remainder");
_Static_assert(VPMU_COUNTER_COUNT <= 64, "counters fit in a mask");

/* Sources that say where cycles end. */
#define VPMU_PACERS                                                                                \
    (VPMU_SRC_BIT(VPMU_SRC_INST_RETIRED) | VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES) |                     \
     VPMU_SRC_BIT(VPMU_SRC_STALL_FRONTEND) | VPMU_SRC_BIT(VPMU_SRC_STALL_BACKEND) |                \
     VPMU_SRC_BIT(VPMU_SRC_STALL_SLOT))

/* For every set bit of mask, lowest first. */
#define VPMU_FOR_EACH_BIT(bit, mask)                                                               \
    for (uint64_t left_ = (mask); left_ != 0 && ((bit) = vpmu_lowest_bit_(left_), true);           \
         left_ &= left_ - 1)

static inline unsigned vpmu_lowest_bit_(uint64_t mask)
{
    return (unsigned)__builtin_ctzll(mask);
}

static inline bool vpmu_has_(const struct vpmu *v, unsigned features)
{
    return (v->config.features & features) == features;
}

/*
 * A mark is how far a sum of totals has been taken over. The sum may be behind it: machines take
 * back what did not happen after all (struct vpmu_totals), and a snapshot knows less than what was
 * settled. Then as much is owed, and what happens next makes up for it. All that is computed from
 * totals goes by these three.
 */

/* How far a sum has come since its mark. */
static inline uint64_t vpmu_since_(uint64_t total, uint64_t mark)
{
    return (int64_t)(total - mark) > 0 ? total - mark : 0;
}

/* The same, and takes it over. */
static inline uint64_t vpmu_take_(uint64_t *mark, uint64_t total)
{
    uint64_t delta = vpmu_since_(total, *mark);

    *mark += delta;
    return delta;
}

/* The mark, taken over just now, is of another sum from now on. What is owed stays so. */
static inline void vpmu_move_mark_(uint64_t *mark, uint64_t from, uint64_t to)
{
    *mark += to - from;
}

/* A mask of the event counters below n. */
static inline uint64_t vpmu_below_(unsigned n)
{
    return VPMU_BIT(n) - 1;
}

/* MDCR_EL2.HPMN as it takes effect (EffectiveHPMN). */
static inline unsigned vpmu_hpmn_(const struct vpmu *v)
{
    unsigned n = v->config.counters;
    unsigned hpmn = (unsigned)(v->controls.mdcr_el2 & VPMU_MDCR_EL2_HPMN);

    return vpmu_has_(v, VPMU_HAS_EL2) && hpmn < n ? hpmn : n;
}

/* The counters that MDCR_EL2.HPMN reserves for EL2 (the second range). */
static inline uint64_t vpmu_second_range_(const struct vpmu *v)
{
    return vpmu_below_(v->config.counters) & ~vpmu_below_(vpmu_hpmn_(v));
}

/* All counters that this PMU has. */
static inline uint64_t vpmu_implemented_(const struct vpmu *v)
{
    return vpmu_below_(v->config.counters) | VPMU_BIT(VPMU_CYCLE_COUNTER) |
           (vpmu_has_(v, VPMU_HAS_ICNTR) ? VPMU_BIT(VPMU_INST_COUNTER) : 0);
}

/* events.c: has the architecture this event in that version? Numbers were reserved before. */
bool vpmu_event_exists_(const struct vpmu_event *event, unsigned version);

/* Does this machine count an event? Those without a source are the library's own. */
static inline bool vpmu_counts_(const struct vpmu *v, const struct vpmu_event *event)
{
    return !(event->sources & ~v->config.sources) && vpmu_event_exists_(event, v->config.version);
}

/* The event that a counter is set to; meaningful for event counters. */
static inline uint16_t vpmu_event_of_(const struct vpmu *v, unsigned idx)
{
    return (uint16_t)(v->counter[idx].type & VPMU_TYPER_EVENT);
}

/* filter.c: the contexts in which a counter counts, all controls and filters taken together. */
uint16_t vpmu_ctx_mask_(const struct vpmu *v, unsigned idx);

/* filter.c: is freeze-on-overflow, or on SPE's stop, set for a counter's range? */
bool vpmu_freezes_(const struct vpmu *v, bool second_range);

/* filter.c: has software switched this counter on? */
bool vpmu_enabled_(const struct vpmu *v, unsigned idx);

/*
 * threshold.c: is a counter of this PMEVTYPER evaluated cycle by cycle? @above is the PMEVTYPER of
 * the next counter, which may be linked to it; 0 if there is none.
 */
bool vpmu_paces_(const struct vpmu_config *config, unsigned idx, uint64_t type, uint64_t above);

/* threshold.c: finds out anew how an event counter is evaluated; its sources have been set. */
void vpmu_pace_plan_(struct vpmu *v, unsigned idx);

/* threshold.c: the cycle that goes on has nothing in it yet, and none came before. */
void vpmu_pace_restart_(struct vpmu *v, unsigned idx);

/* threshold.c: evaluates the cycles that have passed in the context that the PE is in. */
void vpmu_pace_(struct vpmu *v);

/* In place of a context: nowhere are cycles told apart. */
#define VPMU_NOWHERE VPMU_CTX_COUNT

/* threshold.c: the context where the cycles pass that are told apart, or VPMU_NOWHERE. */
unsigned vpmu_paced_in_(const struct vpmu *v);

/* threshold.c: from now on cycles pass in this context, where some are told apart; not in @from. */
void vpmu_pace_begin_(struct vpmu *v, unsigned from);

/* overflow.c: does this counter overflow at 64 bits? */
bool vpmu_is_long_(const struct vpmu *v, unsigned idx);

/* overflow.c: the totals that a counter counts moved by @delta: counts. */
void vpmu_counter_settle_(struct vpmu *v, unsigned idx, uint64_t delta);

/* overflow.c: adds to a counter; sets its overflow flag and feeds its chain. */
void vpmu_counter_add_(struct vpmu *v, unsigned idx, uint64_t delta);

/* overflow.c: computes the interrupt line and tells the machine if it moved. */
void vpmu_update_irq_(struct vpmu *v);

/*
 * counters.c: every change of state is vpmu_begin_(), the change, vpmu_end_().
 *
 * vpmu_begin_() settles all counters under the old state; vpmu_end_() finds out anew what the
 * counters in @changed count, or all of them where a freeze may have begun or ended, then tells
 * the machine.
 */
void vpmu_begin_(struct vpmu *v);
void vpmu_end_(struct vpmu *v, uint64_t changed);

/* counters.c: from now on time is credited. */
void vpmu_start_clocks_(struct vpmu *v);

/* counters.c: credits the time that passed to the context that the PE is in. */
void vpmu_clocks_settle_(struct vpmu *v);

/* counters.c: how far the sum of the totals that a counter counts has moved since the last time. */
uint64_t vpmu_take_delta_(const struct vpmu *v, struct vpmu_counter *c);

/* counters.c: the sum of the totals that a counter counts. */
uint64_t vpmu_total_(const struct vpmu *v, const struct vpmu_counter *c);

/* counters.c: gives a counter another value; between vpmu_begin_() and vpmu_end_(). */
void vpmu_counter_set_(struct vpmu *v, unsigned idx, uint64_t value);

/* counters.c: forgets the part of a count that a counter has, and what it owes. */
void vpmu_counter_restart_(struct vpmu *v, unsigned idx);

/* counters.c: all counters are 0 and count nothing; between vpmu_begin_() and vpmu_end_(). */
void vpmu_counters_clear_(struct vpmu *v);

/* pmu.c: the same for all registers, counters among them. */
void vpmu_registers_clear_(struct vpmu *v);

/* bank.c: PMCEID0, or with @first of 32 PMCEID1; and PMMIR. */
uint64_t vpmu_pmceid_(const struct vpmu *v, unsigned first);
uint64_t vpmu_pmmir_(const struct vpmu *v);

/* fields.c: the bits that a register keeps. */
uint64_t vpmu_pmcr_kept_(const struct vpmu *v);
uint64_t vpmu_pmcr_fixed_(const struct vpmu *v);
uint64_t vpmu_threshold_kept_(const struct vpmu_config *config, unsigned idx);
uint64_t vpmu_typer_kept_(const struct vpmu *v, unsigned idx);
uint64_t vpmu_userenr_kept_(const struct vpmu *v);
uint64_t vpmu_counter_kept_(const struct vpmu *v, unsigned idx);

/*
 * watch.c: where a watch is attached, a register was written, the controls changed, or all state
 * was replaced (reset or load).
 */
void vpmu_watch_written_(struct vpmu *v, const struct vpmu_pe *pe, unsigned reg, uint64_t val);
void vpmu_watch_controls_(struct vpmu *v);
void vpmu_watch_restart_(struct vpmu *v);

/* access.c: how many event counters the PE can see. */
unsigned vpmu_accessible_(const struct vpmu *v, const struct vpmu_pe *pe);

/* access.c: the register that PMXEVCNTR or PMXEVTYPER stands for; any other stands for itself. */
unsigned vpmu_selected_(const struct vpmu *v, unsigned reg);

/* access.c: does PMUSERENR.UEN govern this access? */
bool vpmu_uen_(const struct vpmu *v, const struct vpmu_pe *pe);

#endif
