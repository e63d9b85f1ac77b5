/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * Every event that instructions cause, for every kind of instruction, is counted exactly: many
 * events at once, each alone, at every level, with every filter.
 */
#include "tests/events/events.h"

#include "registers/pmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"
#include "tests/levels/filter_rule.h"

#define ITERATIONS_TOGETHER 1000u
#define ITERATIONS_ALONE 100u

/*
 * The place of a failure is printed in hexadecimal: the level from bit 16 on, and the event. Bit 20
 * makes the number large enough for that.
 */
static uint64_t place(enum level level, const struct event *event)
{
    return BIT(20) | (uint64_t)level << 16 | event->number;
}

/**
 * struct pass - one run of a case
 * @first: index of the first event in instruction_events.
 * @count: the number of events, each in a counter from @counter on.
 */
struct pass {
    enum level level;
    uint64_t filter;
    unsigned iterations;
    unsigned first, count, counter;
};

static const struct event *pass_event(const struct pass *pass, unsigned i)
{
    return &instruction_events[(pass->first + i) % instruction_events_count];
}

static void run_pass(const struct event_case *c, const struct pass *pass)
{
    enum security security = pass->level == EL3 ? SECURE : NON_SECURE;
    bool counts = filter_counts(pass->filter, pass->level, security);
    struct event_arg arg = {
        .buffer = event_buffer,
        .iterations = pass->iterations,
        .mask = ((UINT64_C(1) << pass->count) - 1) << pass->counter,
    };

    for (unsigned i = 0; i < pass->count; i++) {
        write_pmevtyper(pass->counter + i, pass_event(pass, i)->number | pass->filter);
        write_pmevcntr(pass->counter + i, 0);
    }
    call_at(pass->level, (level_fn)(uintptr_t)c->code, (uintptr_t)&arg);
    for (unsigned i = 0; i < pass->count; i++) {
        const struct event *event = pass_event(pass, i);
        uint64_t expected;

        if (event_exists(event->number) &&
            event_count(c, event, pass->level, pass->iterations, &expected)) {
            expect_eq(c->name, place(pass->level, event), counts ? expected : 0,
                      read_pmevcntr(pass->counter + i));
        }
    }
}

/* Counts as many events at once as there are counters, until all events have been counted. */
static void run_together(const struct event_case *c, enum level level)
{
    unsigned counters = pmu_counters();

    for (unsigned first = 0; first < instruction_events_count; first += counters) {
        const struct pass pass = {level, filter_everywhere(), ITERATIONS_TOGETHER, first, counters,
                                  0};

        run_pass(c, &pass);
    }
}

static void run_alone(const struct event_case *c, enum level level)
{
    for (unsigned first = 0; first < instruction_events_count; first++) {
        const struct pass pass = {level, filter_everywhere(),   ITERATIONS_ALONE, first,
                                  1,     first % pmu_counters()};

        run_pass(c, &pass);
    }
}

/* Uses other events for each filter than for the one before. */
static void run_filtered(const struct event_case *c, enum level level)
{
    static const uint64_t filters[] = {
        0,
        PMEVTYPER_P,
        PMEVTYPER_U,
        PMEVTYPER_P | PMEVTYPER_U,
        PMEVTYPER_P | PMEVTYPER_U | PMEVTYPER_NSH,
        PMEVTYPER_NSK,
        PMEVTYPER_NSU,
        PMEVTYPER_M | PMEVTYPER_P | PMEVTYPER_NSK,
    };

    for (unsigned i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
        const struct pass pass = {level, filters[i], ITERATIONS_ALONE, i * 5, pmu_counters(), 0};

        run_pass(c, &pass);
    }
}

static void check_cases(const struct event_case *c)
{
    enable_features();
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    write_sysreg(pmcr_el0, PMCR_E);
    for (; c->name; c++) {
        for (unsigned level = EL0; level <= home; level++) {
            if (c->levels >> level & 1 && has_el((enum level)level) && has_feature(c->needs)) {
                run_together(c, (enum level)level);
                run_alone(c, (enum level)level);
                run_filtered(c, (enum level)level);
            }
        }
    }
}

/* There is one function for each table of cases. */
#define TABLE(id)                                                                                  \
    static void test_##id(void)                                                                    \
    {                                                                                              \
        check_cases(id##_cases);                                                                   \
    }

TABLE(load)
TABLE(store)
TABLE(atomic)
TABLE(vector_memory)
TABLE(unaligned)
TABLE(branch)
TABLE(integer)
TABLE(vector)
TABLE(system)

#define COUNTS(name, run) TEST(name, run, .counters = 1)

const struct test test_table[] = {
    COUNTS("events.loads", test_load),
    COUNTS("events.stores", test_store),
    COUNTS("events.atomics", test_atomic),
    COUNTS("events.vector-loads-stores", test_vector_memory),
    COUNTS("events.unaligned", test_unaligned),
    COUNTS("events.branches", test_branch),
    COUNTS("events.integer", test_integer),
    COUNTS("events.vector", test_vector),
    COUNTS("events.system", test_system),
    {0},
};
