/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_STEPS_H
#define VPMU_TESTS_STEPS_H

#include "vpmu/arm/state.h"
#include "watched_machine.h"

/*
 * Tests as lists of steps. A scenario starts a machine and executes its steps. Each row of a
 * scenario starts a machine of its own, which executes the steps of the scenario, those of the row
 * and those in @then.
 */

enum step_op {
    STEP_NONE, /* the end of the list */
    STEP_REPEAT,
    STEP_AGAIN,
    STEP_CALL,
    STEP_ANOTHER,
    STEP_WRITE,
    STEP_CONTROL,
    STEP_COUNTER,
    STEP_ENABLE,
    STEP_RUN,
    STEP_EXECUTE,
    STEP_INSN,
    STEP_HAPPEN,
    STEP_TAKE_BACK,
    STEP_TAKE_BACK_IN,
    STEP_IN,
    STEP_GO,
    STEP_LEAVE,
    STEP_SETTLE,
    STEP_STEP,
    STEP_SAMPLE,
    STEP_RESET,
    STEP_CLEAR_CALLS,
    STEP_OBSERVE,
    STEP_FOLLOW,
    STEP_REMOVE,
    STEP_DETACH,
    /* The following check a number. */
    STEP_CHECKS,
    STEP_COUNTS = STEP_CHECKS,
    STEP_READS,
    STEP_LINE,
    STEP_EDGES,
    STEP_LEVEL,
    STEP_SETTLES,
    STEP_ROOM,
    STEP_ARMED,
    STEP_TOTAL,
    STEP_DIFFERS,
    STEP_HERE,
    STEP_REARMS,
    STEP_CLOCKS,
    STEP_OVERFLOWS,
    STEP_INTERRUPTS,
    STEP_SAVES,
    STEP_LOADS,
    STEP_OBSERVED,
    STEP_SEEN,
    STEP_SAMPLES,
    STEP_PERIODS,
    STEP_LAST,
    STEP_OTHERS,
    STEP_CONTEXT,
    STEP_REMOVES,
    STEP_DEADLINE,
    STEP_TIMES,
};

/**
 * struct step - an action or a check
 * @what: names the check in its message; the text of an observer.
 * @at: a register, a counter, a source, a context, a place or an observer.
 * @value: what is written, how often it happens, a period, or the expected number.
 * @each: the expected number is @value times the number of the repetition.
 * @call: what STEP_CALL calls.
 */
struct step {
    enum step_op op;
    bool each;
    const char *what;
    union {
        void (*call)(struct watched *s);
        struct {
            uint64_t at;
            vpmu_sources sources;
            uint64_t type;
            uint64_t gate;
            uint64_t value;
        };
        struct {
            uint64_t loads;
            uint64_t stores;
            uint64_t frontend;
            uint64_t backend;
        };
    };
};

/* clang-format off */
#define AS(...) {__VA_ARGS__}

/* Executes the steps from here to AGAIN @n times. A list has one of them at a time. */
#define REPEAT(n) AS(.op = STEP_REPEAT, .value = n)
#define AGAIN AS(.op = STEP_AGAIN)
/* Does what has no step of its own. */
#define CALL(function) AS(.op = STEP_CALL, .call = function)
/* Continues on another machine with the same setup. */
#define ANOTHER AS(.op = STEP_ANOTHER)

/* Writes a register: at EL2, or where the PE of a machine with a watch is. */
#define WRITE(reg, val) AS(.op = STEP_WRITE, .at = reg, .value = val)
#define PMCR(val) WRITE(VPMU_PMCR, val)
#define TYPE(idx, val) WRITE(VPMU_PMEVTYPER0 + (idx), val)
#define SET(mask) WRITE(VPMU_PMCNTENSET, mask)
#define CLR(mask) WRITE(VPMU_PMCNTENCLR, mask)
#define INTERRUPT(mask) WRITE(VPMU_PMINTENSET, mask)
#define CLEAR(mask) WRITE(VPMU_PMOVSCLR, mask)
/* MDCR_EL2 */
#define CONTROL(val) AS(.op = STEP_CONTROL, .value = val)
/* counter_start(), pmcr_enable() */
#define COUNTER(idx, ty, val) AS(.op = STEP_COUNTER, .at = idx, .type = ty, .value = val)
#define ENABLE AS(.op = STEP_ENABLE)

/* Instructions; in a machine with a watch, time passes, too. EXECUTE respects the headroom. */
#define RUN(n) AS(.op = STEP_RUN, .value = n)
#define EXECUTE(n) AS(.op = STEP_EXECUTE, .value = n)
/* Other events. @source is the end of a name of enum vpmu_source. */
#define HAPPEN(source, n) AS(.op = STEP_HAPPEN, .at = VPMU_SRC_##source, .value = n)
#define PASS(n) HAPPEN(CPU_CYCLES, n)
#define TICK(n) HAPPEN(CNT_CYCLES, n)
/* Subtracts events that were tallied: in the PE's context, or in another. */
#define TAKE_BACK(source, n) AS(.op = STEP_TAKE_BACK, .at = VPMU_SRC_##source, .value = n)
#define TAKE_BACK_IN(ctx, source, n) \
    AS(.op = STEP_TAKE_BACK_IN, .at = ctx, .sources = VPMU_SRC_##source, .value = n)
/* An instruction, its loads and stores, and the cycles for which it stalls; see insn_execute(). */
#define INSN(ld, st, front, back) \
    AS(.op = STEP_INSN, .loads = ld, .stores = st, .frontend = front, .backend = back)
#define NOP INSN(0, 0, 0, 0)

/* The PE moves to a context, or to a place; LEAVE does not call vpmu_arm_sample() before. */
#define IN(ctx) AS(.op = STEP_IN, .at = ctx)
#define GO(place) AS(.op = STEP_GO, .at = place)
#define LEAVE(place) AS(.op = STEP_LEAVE, .at = place)
#define SETTLE AS(.op = STEP_SETTLE)
/* vpmu_arm_step() */
#define SETTLE_INSN AS(.op = STEP_STEP)
#define SAMPLE AS(.op = STEP_SAMPLE)
#define RESET AS(.op = STEP_RESET)
/* Forgets the reads of the clocks, and how often VPMU_DUE_REARM was due. */
#define CLEAR_CALLS AS(.op = STEP_CLEAR_CALLS)

/* Adds an observer: with a gate, with a period and no gate, or with neither. */
#define OBSERVE_GATED(o, text, g, p) \
    AS(.op = STEP_OBSERVE, .what = text, .at = o, .gate = g, .value = p)
#define OBSERVE(o, text) OBSERVE_GATED(o, text, VPMU_UNGATED, 0)
#define PERIOD(o, text, p) OBSERVE_GATED(o, text, VPMU_UNGATED, p)
/* OTHERS is the value of observer @o when @leader has sampled. */
#define FOLLOW(leader, o) AS(.op = STEP_FOLLOW, .at = leader, .value = o)
/* Removes one; removes all. */
#define REMOVE(o) AS(.op = STEP_REMOVE, .at = o)
#define DETACH AS(.op = STEP_DETACH)

#define CHECK(name, text, want, ...) AS(.op = STEP_##name, .what = text, .value = want, __VA_ARGS__)
/* The same, in the n-th repetition n times @want. */
#define CHECK_EACH(name, text, o, want) CHECK(name, text, want, .at = o, .each = true)
/* The value of a counter, of any register, of PMOVSSET. */
#define COUNTS(what, idx, want) CHECK(COUNTS, what, want, .at = idx)
#define READS(what, reg, want) CHECK(READS, what, want, .at = reg)
#define FLAGS(what, want) READS(what, VPMU_PMOVSSET, want)
/* The level of the interrupt line, how often it changed, vpmu_arm_irq_level(). */
#define LINE(text, want) AS(.op = STEP_LINE, .what = text, .value = want)
#define EDGES(text, want) AS(.op = STEP_EDGES, .what = text, .value = want)
#define LEVEL(text, want) AS(.op = STEP_LEVEL, .what = text, .value = want)
/* Whether vpmu_arm_settle() finds an overflow. */
#define SETTLES(text, want) AS(.op = STEP_SETTLES, .what = text, .value = want)
#define ROOM(what, srcs, ctx, want) CHECK(ROOM, what, want, .at = ctx, .sources = srcs)
#define ARMED(what, ctx, want) CHECK(ARMED, what, want, .at = ctx)
/* The total of a source in a context. */
#define TOTAL(what, ctx, source, want) \
    CHECK(TOTAL, what, want, .at = ctx, .sources = VPMU_SRC_##source)
/* vpmu_arm_time_differs() between a context and the PE's; the PE's context. */
#define DIFFERS(what, ctx, want) CHECK(DIFFERS, what, want, .at = ctx)
#define HERE(text, want) AS(.op = STEP_HERE, .what = text, .value = want)
#define REARMS(text, want) AS(.op = STEP_REARMS, .what = text, .value = want)
#define CLOCKS(text, want) AS(.op = STEP_CLOCKS, .what = text, .value = want)
#define OVERFLOWS(what, idx, want) CHECK(OVERFLOWS, what, want, .at = idx)
#define INTERRUPTS(what, idx, want) CHECK(INTERRUPTS, what, want, .at = idx)
/* The result of saving the state, and of loading what was saved. */
#define SAVE_STATE(text) AS(.op = STEP_SAVES, .what = text)
#define LOAD_STATE(text) AS(.op = STEP_LOADS, .what = text)
/* What an observer has counted; what it counts while 10 instructions are executed. */
#define OBSERVED(text, o, want) AS(.op = STEP_OBSERVED, .what = text, .at = o, .value = want)
#define SEEN(text, o, want) AS(.op = STEP_SEEN, .what = text, .at = o, .value = want)
/* Its samples and periods; its value and the context at the last sample. */
#define SAMPLES(text, o, want) AS(.op = STEP_SAMPLES, .what = text, .at = o, .value = want)
#define PERIODS(text, o, want) AS(.op = STEP_PERIODS, .what = text, .at = o, .value = want)
#define LAST(text, o, want) AS(.op = STEP_LAST, .what = text, .at = o, .value = want)
#define CONTEXT(text, o, want) AS(.op = STEP_CONTEXT, .what = text, .at = o, .value = want)
/* What vpmu_arm_observer_remove() returns; vpmu_arm_deadline() with equal rates; vpmu_arm_watch_times() */
#define REMOVES(text, o, want) AS(.op = STEP_REMOVES, .what = text, .at = o, .value = want)
#define DEADLINE(text, want) AS(.op = STEP_DEADLINE, .what = text, .value = want)
#define TIMES(text, want) AS(.op = STEP_TIMES, .what = text, .value = want)

/* The setup of a scenario or a row: config_of(), config_full(), config_units(), config_watched(). */
#define PMU(ver, n, feat) AS(.version = VPMU_##ver, .counters = n, .features = feat, .given = true)
#define FULL AS(.full = true, .given = true)
/* PMUv3p5 without some sources; where those of @mask have no clock. */
#define WITHOUT(n, mask) AS(.version = VPMU_V3P5, .counters = n, .without = mask, .given = true)
#define TALLIED(n, mask) AS(.version = VPMU_V3P5, .counters = n, .tallied = mask, .given = true)
#define UNITS(ver, n, u) AS(.version = VPMU_##ver, .counters = n, .units = u, .given = true)
#define WATCHED(where) AS(.watched = true, .place = where, .given = true)
#define WATCHED_UNITS(where, u) AS(.watched = true, .place = where, .units = u, .given = true)
/* The setup of tests of thresholds: 6 counters, 12 bits, edges and links. */
#define PACED(u) AS(.version = VPMU_V3P8, .counters = 6, .units = u, .paced = true, .given = true)

/* A scenario and a row of steps. ROW_OF has a setup of its own. */
#define CASE(called, machine, ...) AS(.name = called, .setup = machine, .steps = {__VA_ARGS__})
#define ROW(called, ...) AS(.name = called, .steps = {__VA_ARGS__})
#define ROW_OF(called, machine, ...) AS(.name = called, .setup = machine, .steps = {__VA_ARGS__})
/* clang-format on */

#define E VPMU_PMCR_E
#define INST VPMU_EVENT_INST_RETIRED
#define CPU VPMU_EVENT_CPU_CYCLES
#define CHAIN VPMU_EVENT_CHAIN
#define SW_INCR VPMU_EVENT_SW_INCR
#define P VPMU_TYPER_P
#define U VPMU_TYPER_U

#define MAX_STEPS 40
#define MAX_ROW_STEPS 12
#define MAX_OBSERVERS 4

struct setup {
    enum vpmu_version version;
    unsigned counters;
    unsigned features;
    vpmu_sources without;
    vpmu_sources tallied;
    bool full;
    unsigned units; /* in a cycle; 0: cycles are timed */
    bool paced;
    bool watched;
    enum place place;
    bool given;
};

struct row {
    const char *name; /* NULL ends a list of rows */
    struct step steps[MAX_ROW_STEPS];
    struct setup setup; /* if given, instead of that of the scenario */
};

struct scenario {
    const char *name;
    struct setup setup;
    struct step steps[MAX_STEPS];
    const struct row *rows;
    struct step then[MAX_ROW_STEPS];
};

/* An observer and what it reported. */
struct sampler {
    struct vpmu_observer o; /* must be the first */
    uint64_t samples;
    uint64_t periods;
    uint64_t value;  /* the value at the last sample */
    uint64_t ctx;    /* the PE's context then */
    uint64_t others; /* the values of the other observers of its group then */
    const struct sampler *follower;
};

/* A machine.sample of observers that are in a struct sampler. */
void sampler_take(struct machine *m, const struct vpmu_sample *sample);

/* Adds an observer with a period and no gate. Fails the test if it is refused. */
void sampler_add(struct watched *s, struct sampler *sampler, const char *text, uint64_t period);

/* Executes instructions like a machine that respects the headroom. */
void execute(struct watched *s, uint64_t n);

/*
 * An instruction that takes a unit, its loads and stores, and the cycles for which it stalls. Then
 * it is settled.
 */
void insn_execute(struct machine *m, unsigned loads, unsigned stores, unsigned frontend,
                  unsigned backend);

/* Starts a machine of tests of thresholds. */
void paced_start(struct machine *m, unsigned units);

/* A suite of tests and scenarios. Each of them is a case of its own. */
Suite *scenario_suite(const char *name, const struct scenario *scenarios, size_t scenario_count,
                      const TTest *const tests[], size_t test_count);

#endif
