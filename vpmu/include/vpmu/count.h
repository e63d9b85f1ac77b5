/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_COUNT_H
#define VPMU_COUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/decls.h"
#include "vpmu/sources.h"

VPMU_DECLS_BEGIN

/*
 * The counting core, which is the same for all architectures: totals, contexts, counters, chains
 * and thresholds. It knows no register. The architecture's code says what each counter counts, and
 * handles the counters that overflowed.
 */

/* The highest number of contexts that any architecture has. */
#define VPMU_CTX_LIMIT 10u

/* The number of enum vpmu_world: who runs in a context, where the context does not imply it. */
#define VPMU_WORLD_COUNT 3u

/* The highest number of counters, and how many of them, from 0 up, can have a threshold. */
#define VPMU_COUNTER_COUNT 33u
#define VPMU_PACE_COUNT 31u

/* The sources that may be timed: VPMU_SRC_CPU_CYCLES and the source after it. */
#define VPMU_CLOCK_COUNT 2u

/**
 * struct vpmu_table - what the machine has tallied: a row for each context
 * @n: the totals. Architectures have a type for them: struct vpmu_arm_totals, struct
 * vpmu_x86_totals.
 * @contexts: the number of contexts.
 * @sources: the number of sources.
 * @row: the number of totals from one context to the next, at least @sources.
 *
 * All sources of a context are adjacent, so code that tallies several of them touches few cache
 * lines.
 *
 * The machine owns the totals and adds to them without calling the library. Totals may wrap.
 * Between two calls of the library, no total increases by 2^63 or more.
 *
 * The machine may subtract what it has added, for example when it tallies a block of instructions
 * as a whole and leaves the block midway. If no counter was read or settled in between, the
 * correction is invisible. Otherwise counters and observers that include the surplus do not go
 * back, because software may have read them. Each stands still until as many new events have
 * happened, also if it counts a different event by then, so nothing is counted twice. A counter
 * drops its surplus when its value or its event is written, when the PMU is reset and when a state
 * is loaded. The consequences of the surplus remain: an overflow, or a count of a chained counter.
 *
 * The library writes only the totals of timed sources (vpmu_config.timed), which it updates from
 * struct vpmu_now.
 */
struct vpmu_table {
    uint64_t *n;
    uint8_t contexts;
    uint8_t sources;
    uint8_t row;
};

/**
 * struct vpmu_now - what the machine's clocks show
 * @ticks: by how much VPMU_SRC_CPU_CYCLES and the source after it have advanced since a fixed
 *     moment. Monotone. Those that are not in vpmu_config.timed are ignored.
 * @ns: nanoseconds since a fixed moment. Monotone. Only the blackout meter reads it.
 *
 * Each call that needs the time takes a pointer to it. NULL means that no time has passed since the
 * last call. It is right where the predicate that the function names says that the time is not
 * needed, so that the machine need not read its clocks. Time that is not reported passes in the
 * context of the next call that reports it.
 */
struct vpmu_now {
    uint64_t ticks[VPMU_CLOCK_COUNT];
    uint64_t ns;
};

/**
 * enum vpmu_due - what the machine must do after a call
 * @VPMU_DUE_SAMPLES: fetch the samples of observers: vpmu_sample_next(). They belong to the place
 *     where the PE is, so they come first.
 * @VPMU_DUE_SPANS: fetch the spans of the blackout meter: vpmu_span_next().
 * @VPMU_DUE_IRQ: drive the interrupt. Arm: the level of the line is now vpmu_arm_irq_level(). x86:
 *     deliver a performance monitoring interrupt (PMI), which is an edge.
 * @VPMU_DUE_REARM: what must be tallied, or how much headroom there is, may have changed: call
 *     vpmu_arm_armed() and vpmu_arm_headroom() again.
 * @VPMU_DUE_OVERFLOW: nothing; it tells that a counter overflowed.
 *
 * A call that changes a PMU returns a mask of these, or a negative error. The machine acts on it
 * before the PE continues. It may do so at the end of several calls, with the union of the masks.
 */
enum vpmu_due {
    VPMU_DUE_SAMPLES = 1 << 0,
    VPMU_DUE_SPANS = 1 << 1,
    VPMU_DUE_IRQ = 1 << 2,
    VPMU_DUE_REARM = 1 << 3,
    VPMU_DUE_OVERFLOW = 1 << 4,
};

/* Value of vpmu_observer.gate: the observer always counts. */
#define VPMU_UNGATED 255u

/* The longest period. */
#define VPMU_PERIOD_MAX (UINT64_MAX >> 4)

/**
 * struct vpmu_observer - a counter of the machine's owner, invisible to software in the machine
 * @sources: what it counts: a mask of VPMU_SRC_BIT().
 * @ctx_mask: the contexts in which it counts, for each enum vpmu_world. Where contexts imply who
 *     runs, as on x86, only the first element is used.
 * @gate: the observer counts only while the host's kernel has this counter of the PMU enabled,
 *     whether or not a hypervisor's switch has stopped it; or VPMU_UNGATED. x86 has no gates.
 * @period: the number of events per sample, 1 to VPMU_PERIOD_MAX; 0: no samples. After the
 *     observer has been added, vpmu_observer_set_period() changes it.
 *
 * All other fields are private. The caller owns the memory.
 *
 * An observer with a period limits vpmu_arm_headroom() and vpmu_arm_deadline() as an interrupting
 * counter does. vpmu_arm_settle() or any other call that finds that the period has ended returns
 * VPMU_DUE_SAMPLES, and the machine fetches the samples before the PE continues. So the machine has
 * executed the instruction that ended the period, and the program counter holds the next one. The
 * count is always the sum of the periods that ended plus a remainder less than @period.
 */
struct vpmu_observer {
    vpmu_sources sources;
    uint16_t ctx_mask[VPMU_WORLD_COUNT];
    uint8_t gate;
    uint64_t period;
    uint16_t mask;     /* the contexts in which it counts now */
    uint8_t ended_ctx; /* the context in which the last period ended */
    uint64_t value;
    uint64_t base;
    uint64_t left;  /* the rest of the period, in units of the totals */
    uint64_t ended; /* periods that have ended without their sample having been fetched */
    struct vpmu_observer *next;
};

/**
 * struct vpmu_sample - a sample of an observer
 * @observer: whose it is.
 * @periods: the number of periods that have ended: 1 if the machine respects vpmu_arm_headroom(),
 *     unless the last instruction counts for more.
 * @ctx: the context in which the last of them ended. The PE may have left it in the same call.
 */
struct vpmu_sample {
    struct vpmu_observer *observer;
    uint64_t periods;
    uint8_t ctx;
};

/* Event modifiers, as bits. */
enum vpmu_modifier {
    VPMU_MODIFIER_U = 1u << 0,
    VPMU_MODIFIER_K = 1u << 1,
    VPMU_MODIFIER_H = 1u << 2,
    VPMU_MODIFIER_GUEST = 1u << 3, /* G */
    VPMU_MODIFIER_HOST = 1u << 4,  /* H */
};

/*
 * One counter. This struct and all below are private; they are here so that the caller can own the
 * memory.
 */
struct vpmu_counter {
    vpmu_sources sources; /* what it counts: a mask of VPMU_SRC_BIT() */
    uint64_t value;       /* the counter's value as of the last settling */
    uint64_t base;        /* the sum of the totals of sources and ctx_mask that value includes */
    uint64_t elsewhere;   /* the part of base outside paced_ctx; used while the counter is paced */
    uint16_t ctx_mask;    /* contexts in which it counts, all conditions considered */
    uint16_t remainder;   /* part of a cycle, or of PMCR.D's 64, not yet counted */
    uint16_t unit;        /* by how much the sum increases per count */
    uint8_t width;        /* the number of bits of value, 1 to 64 */
    uint8_t end;          /* it overflows by a carry out of this many bits, 1 to width */
};

/*
 * Conditions on the number of events in one cycle, encoded as in Arm's PMEVTYPER.TC. Registers of
 * other architectures are translated to them.
 */
enum vpmu_condition {
    VPMU_TC_NE,
    VPMU_TC_COUNT = 1 << 0, /* flag: count 1 if the condition is true, otherwise all events */
    VPMU_TC_EQ = 1 << 1,
    VPMU_TC_GE = 2 << 1,
    VPMU_TC_LT = 3 << 1,
};

/* How a counter turns the events of one cycle into counts. */
struct vpmu_function {
    uint16_t th; /* the threshold */
    uint8_t tc;  /* enum vpmu_condition */
    uint8_t tlc; /* how a linked counter uses the counter below it */
    bool te;     /* count edges of the condition */
    bool on;     /* the function is used; otherwise all events are counted */
};

/* The current cycle of a paced counter, which is evaluated cycle by cycle. */
struct vpmu_pace {
    uint64_t value; /* events of the cycle so far: VB in the Arm ARM */
    uint64_t link;  /* odd counters: what the counter below counted, V[n-1] */
    struct vpmu_function function;
    uint8_t lasting; /* its lasting sources, cycles and stalls: bits in the order of passed[] */
    bool met;        /* the condition was true in the previous cycle: CP */
    bool quiet;      /* a cycle without events counts nothing, except an edge */
    bool on;         /* the counter is paced in all its contexts */
};

/* What is known about the paced counters of the current context, for vpmu_count_step_(). */
enum vpmu_cycle_ {
    VPMU_CYCLE_UNKNOWN_,
    VPMU_CYCLE_ENDED_,  /* a cycle has ended, and no event of the next one has happened */
    VPMU_CYCLE_REPEATS_ /* also, all that a cycle without events does is to count @repeating */
};

/* The number of lasting sources: cycles and stalls. All cycles can be derived from them. */
#define VPMU_LASTING_COUNT 5u

struct vpmu_arch;

/* The counting state of one PE. */
struct vpmu_count {
    const struct vpmu_arch *arch; /* what the architecture adds */
    struct vpmu_table totals;
    vpmu_sources sources; /* this and the next two are as in vpmu_config */
    vpmu_sources timed;
    uint8_t cycle_units;
    uint8_t ctx;       /* the context in which the PE runs */
    uint8_t paced_ctx; /* the context whose cycles are evaluated, or VPMU_CTX_LIMIT */
    uint8_t cycle;     /* enum vpmu_cycle_ */
    uint64_t clock[VPMU_CLOCK_COUNT];    /* vpmu_now.ticks when the totals were updated last */
    uint64_t counting;                   /* counters whose ctx_mask is not 0 */
    uint64_t in_ctx[VPMU_CTX_LIMIT];     /* counters that count in each context */
    uint64_t clocked;                    /* counters that count a timed source */
    uint64_t chained;                    /* counters whose overflows the next counter counts */
    uint64_t urgent;                     /* counters that must be settled when they overflow */
    uint64_t paced;                      /* counters that are evaluated cycle by cycle */
    uint64_t repeating;                  /* those that count 1 if @cycle repeats */
    vpmu_sources metered;                /* sources that the blackout meter needs everywhere */
    vpmu_sources wanted[VPMU_CTX_LIMIT]; /* sources that observers and the meter need */
    bool sampling;                       /* an observer has a period */
    bool observes_time;                  /* an observer counts a timed source */
    bool watches_time;                   /* that, or the blackout meter runs */
    struct vpmu_observer *observers;     /* linked by next */
    uint64_t passed[VPMU_LASTING_COUNT]; /* totals in paced_ctx whose cycles are evaluated */
    uint64_t insns;                      /* the total of INST_RETIRED at that point */
    struct vpmu_counter counter[VPMU_COUNTER_COUNT];
    struct vpmu_pace pace[VPMU_PACE_COUNT];
    uint64_t overflows[VPMU_COUNTER_COUNT]; /* since vpmu_arm_init() */
};

/* Private: tells whether a counter of a timed source counts in only one of two contexts. */
static inline bool vpmu_count_time_differs_(const struct vpmu_count *c, unsigned a, unsigned b)
{
    return (c->in_ctx[a] ^ c->in_ctx[b]) & c->clocked;
}

/* Private: tells whether settling needs the time. */
static inline bool vpmu_count_needs_time_(const struct vpmu_count *c)
{
    return (c->counting & c->clocked) || (c->sampling && c->observes_time);
}

/* Private: tells whether a change of context needs the time. */
static inline bool vpmu_count_leaving_needs_time_(const struct vpmu_count *c, unsigned ctx)
{
    if (vpmu_count_time_differs_(c, c->ctx, ctx) || c->paced) {
        return (c->counting & c->clocked) || c->watches_time;
    }
    return c->watches_time;
}

/**
 * vpmu_sample_next() - fetch the next sample that is due
 * @c: the PMU's member count, of any architecture.
 * @sample: is set to the sample, unless there is none.
 *
 * Call it after VPMU_DUE_SAMPLES until it returns false. Before the next sample is fetched, the
 * caller may read observers, and set another period of this one: vpmu_observer_set_period().
 *
 * Return: true if there is a sample.
 */
bool vpmu_sample_next(struct vpmu_count *c, struct vpmu_sample *sample);

/**
 * vpmu_observer_set_period() - change the period of an observer that has been added with a period
 * @c: the PMU's member count, of any architecture.
 * @o: the observer.
 * @period: 1 to VPMU_PERIOD_MAX. What has passed of the old period is part of the new one. If that
 *     is more than the new period, it ends at once.
 *
 * Return: a mask of enum vpmu_due; -VPMU_ERR_EVENT with nothing changed if @period is 0 or too
 * long, or @o has no period.
 */
int vpmu_observer_set_period(struct vpmu_count *c, struct vpmu_observer *o, uint64_t period);

/* Private: the slow path of vpmu_change_context_(). */
int vpmu_switch_context_(struct vpmu_count *c, unsigned ctx, const struct vpmu_now *now);

/*
 * Private: the PE now runs in another context. Counters must be settled before if time that passed
 * counts in only one of the two, or if cycles are told apart. Nothing else needs it: totals have a
 * context of their own.
 */
static inline int vpmu_change_context_(struct vpmu_count *c, unsigned ctx,
                                       const struct vpmu_now *now)
{
    if (vpmu_count_time_differs_(c, c->ctx, ctx) || c->paced) {
        return vpmu_switch_context_(c, ctx, now);
    }
    c->ctx = (uint8_t)ctx;
    return 0;
}

VPMU_DECLS_END

#endif
