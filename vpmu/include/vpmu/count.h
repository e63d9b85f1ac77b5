/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_COUNT_H
#define VPMU_COUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/sources.h"

/*
 * What counts, whatever the architecture: totals, contexts, counters, chains, thresholds. It knows
 * no register. The architecture's side says what each counter is to do, and takes over which of
 * them passed their ends.
 */

/* Contexts that there can be. An architecture has names for those that it has. */
#define VPMU_CTX_COUNT 10u

/* Who may run in a context, where that does not say it. */
#define VPMU_WORLD_COUNT 3u

/* Counters that there can be, and those of them, the lowest, that can have a threshold. */
#define VPMU_COUNTER_COUNT 33u
#define VPMU_PACE_COUNT 31u

/* Sources that may be timed: VPMU_SRC_CPU_CYCLES and the one after it. */
#define VPMU_CLOCK_COUNT 2u

/**
 * struct vpmu_totals - what the machine has tallied, for each context and source
 *
 * What counts at one place lies together: code that tallies several sources touches few lines.
 *
 * The machine owns it and adds to it without telling the library. Totals may wrap. Between two
 * calls of the library none moves by 2^63 or more.
 *
 * The machine may take back what it has added: it tallies a block of instructions as a whole, say,
 * and leaves it midway. If no call has settled that meanwhile it leaves no trace. Otherwise
 * counters and observers that have it do not go back, since somebody may have read them: each
 * stands still until as much has happened as was taken back, whatever it is to count then, and so
 * counts nothing twice. A counter owes nothing any more when its value or its event is written, the
 * PMU is reset or a state loaded. What has followed from it stays: an overflow, or a chained count.
 *
 * The library writes only the totals of timed sources (vpmu_config.timed), which it brings up to
 * date from vpmu_ops.clock.
 */
struct vpmu_totals {
    uint64_t n[VPMU_CTX_COUNT][VPMU_SRC_COUNT];
};

/**
 * struct vpmu_ops - what the library asks of the machine; every pointer must be set
 * @clock: how far a timed source went since some fixed moment. Monotone.
 * @irq: the level of the overflow interrupt line changed to @level.
 * @rearm: what is to be counted, or how far it may go, may have changed: ask vpmu_armed() and
 *     vpmu_headroom() again. Called at the end of any call that may change them.
 *
 * Called from within the library's functions, on the caller's thread; they must not call functions
 * that change the PMU.
 */
struct vpmu_ops {
    uint64_t (*clock)(void *opaque, enum vpmu_source source);
    void (*irq)(void *opaque, bool level);
    void (*rearm)(void *opaque);
};

/* In place of a counter's number: an observer counts always. */
#define VPMU_UNGATED 255u

/* The longest period. */
#define VPMU_PERIOD_MAX (UINT64_MAX >> 4)

/**
 * struct vpmu_observer - a counter of the machine's owner, that software in it cannot see
 * @sources: what it counts: a mask of VPMU_SRC_BIT().
 * @ctx_mask: in which contexts, for each enum vpmu_world; where contexts say who runs, as on x86,
 *     only the first is looked at.
 * @gate: it counts only while the host's kernel has this counter of the PMU switched on, whether or
 *     not a hypervisor's switch holds it stopped; or VPMU_UNGATED. On x86 there are no gates.
 * @period: a sample is due each time it has counted so many, 1 to VPMU_PERIOD_MAX; 0: never.
 * @sample: takes the samples, if there is a period. So many @periods have passed: 1 where the
 *     machine keeps to vpmu_headroom(), unless what it executed last counts for more. Called with
 *     vpmu.opaque, like vpmu_ops and under the same rules; vpmu_observer_read() is allowed, and so
 *     is another @period for the next sample.
 *
 * The rest is private. The caller owns the memory.
 *
 * An observer with a period has a share in vpmu_headroom() and vpmu_deadline(), as a counter has
 * that interrupts. Its samples come out of vpmu_settle(), or whatever else finds the period over,
 * before the PE goes on: so the machine is behind the instruction that ended the period, and the
 * program counter has the next one. What it has counted is always what the periods that were told
 * of come to, and a remainder less than @period.
 */
struct vpmu_observer {
    uint64_t sources;
    uint16_t ctx_mask[VPMU_WORLD_COUNT];
    uint8_t gate;
    uint64_t period;
    void (*sample)(void *opaque, struct vpmu_observer *o, uint64_t periods);
    uint16_t mask; /* in which contexts it counts now */
    uint64_t value;
    uint64_t base;
    uint64_t left; /* of the period, in what totals count */
    struct vpmu_observer *next;
};

/* Modifiers of an event, as bits. */
enum vpmu_modifier {
    VPMU_MODIFIER_U = 1u << 0,
    VPMU_MODIFIER_K = 1u << 1,
    VPMU_MODIFIER_H = 1u << 2,
    VPMU_MODIFIER_GUEST = 1u << 3, /* G */
    VPMU_MODIFIER_HOST = 1u << 4,  /* H */
};

/* One counter. Private to the library, like all below; here so that the caller owns the memory. */
struct vpmu_counter {
    uint64_t value;     /* as of the last settling */
    uint64_t base;      /* the sum of the totals of sources and ctx_mask that value includes */
    uint64_t elsewhere; /* that of them but the present context's, where cycles are told apart */
    uint64_t sources;   /* what it counts: a mask of VPMU_SRC_BIT() */
    uint16_t ctx_mask;  /* contexts in which it counts, all conditions taken together */
    uint16_t remainder; /* of a cycle, or of PMCR.D's 64: not yet counted */
    uint16_t unit;      /* how far the sum moves for each count */
    uint8_t width;      /* bits that value has, 1 to 64 */
    uint8_t end;        /* a carry out of so many bits passes its end; 1 to width */
};

/*
 * Conditions on the events of one cycle, by a threshold. Encoded as Arm's PMEVTYPER has them; other
 * architectures' registers say less, in other words.
 */
enum vpmu_condition {
    VPMU_TC_NE,
    VPMU_TC_COUNT = 1 << 0, /* ORed: where it holds 1 is counted, otherwise all */
    VPMU_TC_EQ = 1 << 1,
    VPMU_TC_GE = 2 << 1,
    VPMU_TC_LT = 3 << 1,
};

/* How a counter turns the events of one cycle into counts. */
struct vpmu_function {
    uint16_t th; /* the threshold */
    uint8_t tc;  /* enum vpmu_condition */
    uint8_t tlc; /* what a linked counter adds of the one below */
    bool te;     /* it counts edges */
    bool on;     /* there is a function; otherwise all is counted */
};

/* The present cycle of a counter that is paced: evaluated cycle by cycle. */
struct vpmu_pace {
    uint64_t value;   /* events so far: VB of the Arm ARM */
    uint64_t link;    /* of an odd counter: what the one below counted, V[n-1] */
    uint64_t lasting; /* those of its sources that last: cycles and stalls */
    struct vpmu_function function;
    bool met;   /* its condition was true in the cycle before: CP */
    bool quiet; /* nothing is counted for a cycle without an event, unless an edge is */
    bool on;    /* the counter is paced, wherever it counts */
};

/* Sources that last; all cycles follow from them. */
#define VPMU_LASTING_COUNT 4u

/* All that counts on one PE. */
struct vpmu_count {
    struct vpmu_totals *totals;
    const struct vpmu_ops *ops;
    void *opaque;
    uint64_t sources; /* as vpmu_config has it, and the next two */
    uint64_t timed;
    uint8_t cycle_units;
    uint8_t ctx;                         /* where the PE runs now */
    uint8_t paced_ctx;                   /* where cycles are told apart, or VPMU_CTX_COUNT */
    uint64_t clock[VPMU_CLOCK_COUNT];    /* vpmu_ops.clock when totals were brought up to date */
    uint64_t counting;                   /* counters with a ctx_mask that is not empty */
    uint64_t in_ctx[VPMU_CTX_COUNT];     /* counters that count in each context */
    uint64_t clocked;                    /* counters that count a timed source */
    uint64_t chained;                    /* those whose overflows the next one counts */
    uint64_t urgent;                     /* those to be settled as soon as they pass their ends */
    uint64_t paced;                      /* those that are evaluated cycle by cycle */
    uint64_t wanted[VPMU_CTX_COUNT];     /* sources that observers and the meter want tallied */
    bool sampling;                       /* an observer has a period */
    bool observes_time;                  /* one counts a timed source */
    struct vpmu_observer *observers;     /* a list */
    uint64_t passed[VPMU_LASTING_COUNT]; /* totals in paced_ctx up to which cycles are evaluated */
    uint64_t insns;                      /* the total of INST_RETIRED at that moment */
    struct vpmu_counter counter[VPMU_COUNTER_COUNT];
    struct vpmu_pace pace[VPMU_PACE_COUNT];
    uint64_t overflows[VPMU_COUNTER_COUNT]; /* how often each passed its end, since vpmu_init() */
};

#endif
