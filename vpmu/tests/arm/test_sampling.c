/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Observers with a period: when they take samples, and that nothing is lost between samples. */
#include "steps.h"

#define NO_LIMIT ALL_ONES
/* The guest's counter 0 is 100 instructions before its overflow, which interrupts. */
#define GUEST_IN_100 COUNTER(0, INST, UINT32_MAX - 99), INTERRUPT(BIT(0)), PMCR(E)

/* The instructions at which one observer of instructions samples. */
static const struct row every_period[] = {
    ROW("every instruction", PERIOD(0, "instructions", 1), EXECUTE(1000),
        SAMPLES("samples", 0, 1000), LAST("the last one's value", 0, 1000),
        PERIODS("periods", 0, 1000)),
    ROW("every second", PERIOD(0, "instructions", 2), EXECUTE(1001), SAMPLES("samples", 0, 500),
        LAST("the last one's value", 0, 1000), PERIODS("periods", 0, 500)),
    ROW("one before it is due", PERIOD(0, "instructions", 1000), EXECUTE(999),
        SAMPLES("samples", 0, 0), LAST("the last one's value", 0, 0), PERIODS("periods", 0, 0)),
    ROW("when it is due", PERIOD(0, "instructions", 1000), EXECUTE(1000), SAMPLES("samples", 0, 1),
        LAST("the last one's value", 0, 1000), PERIODS("periods", 0, 1)),
    ROW("a prime", PERIOD(0, "instructions", 997), EXECUTE(997 * 50 + 996),
        SAMPLES("samples", 0, 50), LAST("the last one's value", 0, 997 * 50),
        PERIODS("periods", 0, 50)),
    ROW("the longest", PERIOD(0, "instructions", VPMU_PERIOD_MAX), EXECUTE(1000),
        SAMPLES("samples", 0, 0), LAST("the last one's value", 0, 0), PERIODS("periods", 0, 0)),
    {0},
};

/* Sets the next period from a list that ends with 0; then the last period is kept. */
struct changing {
    struct sampler sampler; /* must be the first */
    const uint64_t *next;
    uint64_t weight;
};

static void take_and_change(struct machine *m, const struct vpmu_sample *sample)
{
    struct vpmu_observer *o = sample->observer;
    struct changing *c = (struct changing *)o;

    sampler_take(m, sample);
    c->weight += sample->periods * o->period;
    expect("at the end of a period", c->sampler.value, c->weight);
    if (*c->next) {
        machine_service(m, vpmu_observer_set_period(&m->v.count, o, *c->next++));
    }
}

/* The owner may choose another period after each sample. */
START_TEST(changing_periods)
{
    static const uint64_t periods[] = {1, 7, 3, 1, 1, 20, 5, 0};
    const struct vpmu_arm_config config = config_watched();
    struct changing c = {.next = periods + 1};
    struct watched s;

    watched_start(&s, &config, N_EL1);
    sampler_add(&s, &c.sampler, "instructions", periods[0]);
    s.m.sample = take_and_change;
    execute(&s, 1 + 7 + 3 + 1 + 1 + 20 + 5 * 4 + 4);
    expect("samples", 10, c.sampler.samples);
    expect("weight", 53, c.weight);
    expect("headroom", 1, vpmu_arm_headroom(&s.m.v, INST_SRC, NS_EL1));
    execute(&s, 1);
    expect("samples", 11, c.sampler.samples);
    expect("value", 58, machine_observer_remove(&s.m, &c.sampler.o));
}
END_TEST

static void take_and_halve(struct machine *m, const struct vpmu_sample *sample)
{
    struct vpmu_observer *o = sample->observer;
    struct changing *c = (struct changing *)o;

    sampler_take(m, sample);
    c->weight += sample->periods * o->period;
    machine_service(m, vpmu_observer_set_period(&m->v.count, o, (o->period + 1) / 2));
}

/* If the next period is shorter, events that have happened already are not lost. */
START_TEST(shorter_than_what_has_passed)
{
    const struct vpmu_arm_config config = config_watched();
    struct changing c = {.weight = 0};
    struct watched s;

    watched_start(&s, &config, N_EL1);
    sampler_add(&s, &c.sampler, "instructions", 100);
    s.m.sample = take_and_halve;
    /* A period of 100; the rest contains periods of 50, 25 and 13, and 6 events remain. */
    run(&s, 194);
    machine_settle(&s.m);
    expect("weight", 188, c.weight);
    expect("samples", 4, c.sampler.samples);
    expect("period", 7, c.sampler.o.period);
    expect("headroom", 1, vpmu_arm_headroom(&s.m.v, INST_SRC, NS_EL1));
}
END_TEST

/* Several periods and contexts at once, while a counter of the guest interrupts. */
START_TEST(several_observers)
{
    static const struct {
        const char *text;
        uint64_t period;
        uint64_t counted; /* the count of each round of 1000 at EL1, 300 at EL0 and 60 in a guest's
                             kernel */
    } rows[] = {
        {"instructions", 7, 1360},  {"instructions:u", 11, 300},  {"instructions:k", 13, 1060},
        {"instructions:G", 17, 60}, {"instructions:H", 19, 1300}, {"instructions:kH", 1000, 1000},
        {"instructions:h", 3, 0},
    };
    const struct vpmu_arm_config config = config_watched();
    struct sampler sampler[COUNT_OF(rows)];
    struct watched s;

    watched_start(&s, &config, N_EL1);
    counter_start(&s.m, 0, VPMU_EVENT_INST_RETIRED, UINT32_MAX - 99);
    put(&s, VPMU_PMINTENSET, BIT(0));
    put(&s, VPMU_PMCR, VPMU_PMCR_E);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        sampler_add(&s, &sampler[i], rows[i].text, rows[i].period);
    }
    for (uint64_t round = 1; round <= 20; round++) {
        execute(&s, 1000);
        go(&s, N_EL0);
        execute(&s, 300);
        go(&s, G_EL1);
        execute(&s, 60);
        go(&s, N_EL1);
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            expect_in(rows[i].text, "periods", round * rows[i].counted / rows[i].period,
                      sampler[i].periods);
            expect_in(rows[i].text, "samples", sampler[i].periods, sampler[i].samples);
            expect_in(rows[i].text, "at the last one", sampler[i].periods * rows[i].period,
                      sampler[i].value);
        }
    }
    expect("the guest's interrupt", 1, s.m.irq);
    expect("the guest's counter", BIT(32) + 20 * 1360 - 100, value_of(&s, 0));
}
END_TEST

/*
 * One event determines when to sample, and another is read then. Both values are as of that
 * instruction.
 */
static const struct row leader_and_follower[] = {
    ROW("the follower is first", OBSERVE(1, "branches"), PERIOD(0, "instructions", 100)),
    ROW("the leader is first", PERIOD(0, "instructions", 100), OBSERVE(1, "branches")),
    {0},
};

/*
 * Samples wait until they are fetched, and a write to a register finds them. What is not fetched
 * when the observer is removed is dropped.
 */
START_TEST(fetched_late)
{
    const struct vpmu_arm_config config = config_watched();
    struct vpmu_sample sample;
    struct vpmu_observer o;
    struct watched s;
    uint64_t count;

    watched_start(&s, &config, N_EL1);
    ck_assert(vpmu_arm_observer_parse(&s.m.v.config, "instructions", &o, NULL) == 0);
    o.period = 10;
    machine_observer_add(&s.m, &o);
    run(&s, 10);
    expect("a write finds it", VPMU_DUE_SAMPLES | VPMU_DUE_REARM,
           (uint64_t)vpmu_arm_reg_write(&s.m.v, VPMU_PMCNTENSET, &at_el1, 0, &s.m.clock));
    run(&s, 25);
    vpmu_arm_watch_moved(&s.m.v, NS_EL0, VPMU_WORLD_NVHE, 0, &s.m.clock);
    expect("there is one", true, vpmu_sample_next(&s.m.v.count, &sample));
    ck_assert(sample.observer == &o);
    expect("of all periods", 3, sample.periods);
    expect("the last ended here", NS_EL1, sample.ctx);
    expect("there is no other", false, vpmu_sample_next(&s.m.v.count, &sample));
    run(&s, 5);
    expect("another", VPMU_DUE_SAMPLES | VPMU_DUE_REARM,
           (uint64_t)vpmu_arm_sample(&s.m.v, &s.m.clock));
    expect("removed", VPMU_DUE_REARM,
           (uint64_t)vpmu_arm_observer_remove(&s.m.v, &o, &s.m.clock, &count));
    expect("count", 40, count);
    expect("dropped", false, vpmu_sample_next(&s.m.v.count, &sample));
    expect("twice", VPMU_ERR_WATCH,
           (uint64_t)-vpmu_arm_observer_remove(&s.m.v, &o, &s.m.clock, &count));
    expect("no count", 0, count);
}
END_TEST

/* A period that is refused changes nothing. */
START_TEST(refused_periods)
{
    static const uint64_t periods[] = {0, VPMU_PERIOD_MAX + 1, UINT64_MAX};
    const struct vpmu_arm_config config = config_watched();
    struct vpmu_observer o, counts;
    struct watched s;

    watched_start(&s, &config, N_EL1);
    ck_assert(vpmu_arm_observer_parse(&s.m.v.config, "instructions", &o, NULL) == 0);
    counts = o;
    o.period = 10;
    machine_observer_add(&s.m, &o);
    machine_observer_add(&s.m, &counts);
    for (size_t i = 0; i < COUNT_OF(periods); i++) {
        expect("refused", VPMU_ERR_EVENT,
               (uint64_t)-vpmu_observer_set_period(&s.m.v.count, &o, periods[i]));
    }
    expect("takes no samples", VPMU_ERR_EVENT,
           (uint64_t)-vpmu_observer_set_period(&s.m.v.count, &counts, 10));
    expect("headroom", 10, vpmu_arm_headroom(&s.m.v, INST_SRC, NS_EL1));
    expect("the longest", VPMU_DUE_REARM,
           (uint64_t)vpmu_observer_set_period(&s.m.v.count, &o, VPMU_PERIOD_MAX));
}
END_TEST

START_TEST(refused)
{
    const struct vpmu_arm_config config = config_watched();
    struct vpmu_observer o;
    struct watched s;

    watched_start(&s, &config, N_EL1);
    ck_assert(vpmu_arm_observer_parse(&s.m.v.config, "instructions", &o, NULL) == 0);
    o.period = VPMU_PERIOD_MAX + 1;
    expect("too long", (uint64_t)-VPMU_ERR_EVENT, (uint64_t)machine_observer_add(&s.m, &o));
    expect_sources("nothing has changed", 0, vpmu_arm_armed(&s.m.v, NS_EL1));
    o.period = 0;
    expect("without a period", 0, (uint64_t)machine_observer_add(&s.m, &o));
}
END_TEST

static const struct scenario scenarios[] = {
    {.name = "every_period", .setup = WATCHED(N_EL1), .rows = every_period},
    {.name = "leader_and_follower",
     .setup = WATCHED(N_EL1),
     .rows = leader_and_follower,
     .then = {FOLLOW(0, 1), REPEAT(10), HAPPEN(BR_IMMED, 7), EXECUTE(100),
              CHECK_EACH(OTHERS, "branches", 0, 7), AGAIN,
              SAMPLES("without a period there are no samples", 1, 0)}},
    /* A sample that is due belongs to the context that is left, whatever the observer counts. */
    CASE("left_context", WATCHED(N_EL1), PERIOD(0, "instructions", 10), RUN(10), LEAVE(N_EL0),
         SAMPLES("samples", 0, 1), CONTEXT("context", 0, NS_EL1)),
    /* No period is lost if a machine stops late or an event counts for many. */
    CASE("several_periods", WATCHED(N_EL1), PERIOD(0, "instructions", 10), RUN(35),
         ROOM("due", INST_SRC, NS_EL1, 0), SETTLES("no counter at its end", 0),
         SAMPLES("samples", 0, 1), PERIODS("periods", 0, 3),
         ROOM("to the next", INST_SRC, NS_EL1, 5)),
    /* A counter and a period end at the same instruction. Neither affects the other. */
    CASE("with_the_guests_overflow", WATCHED(N_EL1), GUEST_IN_100, PERIOD(0, "instructions", 50),
         ROOM("the observer's", INST_SRC, NS_EL1, 50), RUN(50), SETTLES("a period", 0),
         ROOM("both", INST_SRC, NS_EL1, 50), RUN(49), ROOM("one more", INST_SRC, NS_EL1, 1), RUN(1),
         SETTLES("the counter", 1), LINE("the interrupt", 1), SAMPLES("samples", 0, 2),
         LAST("the value at the second", 0, 100)),
    /*
     * The sample can be delivered before an exception is taken, while the overflow belongs to the
     * exception.
     */
    CASE("before_the_guests_overflow", WATCHED(N_EL1), GUEST_IN_100, SAMPLE,
         PERIOD(0, "instructions", 100), RUN(100), SAMPLE, SAMPLES("samples", 0, 1),
         LINE("no interrupt yet", 0), SETTLES("the counter", 1), SAMPLES("samples", 0, 1),
         LINE("the interrupt", 1)),
    /* For an event with several sources, each of them uses up the headroom. */
    CASE("sum_of_sources", WATCHED(N_EL1), PERIOD(0, "branches", 10), HAPPEN(BR_IMMED, 4),
         HAPPEN(BR_RETURN, 5), ROOM("immediate", SRC(BR_IMMED), NS_EL1, 1),
         ROOM("return", SRC(BR_RETURN), NS_EL1, 1),
         ROOM("loads", SRC(LD_RETIRED), NS_EL1, NO_LIMIT), HAPPEN(BR_INDIRECT, 1), SETTLE,
         SAMPLES("samples", 0, 1)),
    /* The headroom depends on who runs and on the context. */
    CASE("headroom_by_place", WATCHED(N_EL1), PERIOD(0, "instructions:uH", 10),
         PERIOD(1, "instructions:kG", 20), ROOM("the host's kernel", INST_SRC, NS_EL1, NO_LIMIT),
         ROOM("below it", INST_SRC, NS_EL0, 10), GO(G_EL1),
         ROOM("a guest's kernel", INST_SRC, NS_EL1, 20),
         ROOM("below that", INST_SRC, NS_EL0, NO_LIMIT), RUN(15), GO(N_EL2),
         ROOM("EL2", INST_SRC, NS_EL2, NO_LIMIT), GO(G_EL1),
         ROOM("the guest again", INST_SRC, NS_EL1, 5), REMOVE(1),
         ROOM("nobody", INST_SRC, NS_EL1, NO_LIMIT)),
    /* Modelled cycles are tallied in units. A long stall is one sample of many periods. */
    CASE("modelled_cycles", WATCHED_UNITS(N_EL1, 4), PERIOD(0, "cycles", 10),
         ROOM("in units", CPU_SRC, NS_EL1, 40), PASS(39), SETTLE, SAMPLES("9.75 cycles", 0, 0),
         PASS(1), SETTLE, SAMPLES("10 cycles", 0, 1), PASS(4 * 255), SETTLE,
         SAMPLES("a stall", 0, 2), PERIODS("periods", 0, 26),
         ROOM("to the next", CPU_SRC, NS_EL1, 20)),
    /*
     * For clocks, the observer determines the deadline, and a period that ended in a context is
     * sampled there.
     */
    CASE("timed", WATCHED(N_EL0), PERIOD(0, "cycles:u", 1000),
         DEADLINE("deadline", CLOCK_START + 1000), PASS(400), GO(N_EL1),
         DEADLINE("no deadline", ALL_ONES), PASS(5000), GO(N_EL0),
         DEADLINE("moved on", CLOCK_START + 6000), PASS(600), SETTLE, SAMPLES("samples", 0, 1),
         PASS(1001), GO(N_EL1), SAMPLES("of the context that was left", 0, 2),
         CONTEXT("where", 0, NS_EL0), LAST("value", 0, 2001)),
    /* After blocks that were left midway, samples continue where counting does. */
    CASE("subtracted", WATCHED(N_EL1), PERIOD(0, "instructions", 100), RUN(98),
         TAKE_BACK(INST_RETIRED, 8), ROOM("no trace", INST_SRC, NS_EL1, 10), RUN(12), SETTLE,
         SAMPLES("samples", 0, 1), TAKE_BACK(INST_RETIRED, 5),
         ROOM("what is owed comes first", INST_SRC, NS_EL1, 98 + 5), EXECUTE(103),
         SAMPLES("samples", 0, 2), LAST("value", 0, 200)),
    /* A closed gate suppresses samples as well as counts. The machine gets a rearm when it opens.
     */
    CASE("gated", WATCHED(N_EL1), OBSERVE_GATED(0, "instructions", 0, 10), PMCR(E),
         ROOM("closed", INST_SRC, NS_EL1, NO_LIMIT), CLEAR_CALLS, SET(BIT(0)),
         REARMS("for the register and the gate", 1), ROOM("open", INST_SRC, NS_EL1, 10),
         EXECUTE(25), CLR(BIT(0)), EXECUTE(25), SAMPLES("samples", 0, 2), PERIODS("periods", 0, 2),
         OBSERVED("value", 0, 25)),
    /* A period that has ended is reported before the observer is removed. */
    CASE("removed_when_due", WATCHED(N_EL1), PERIOD(0, "instructions", 100), RUN(100),
         SAMPLES("not yet", 0, 0), REMOVES("counted", 0, 100), SAMPLES("samples", 0, 1),
         REMOVES("of one that is not there", 0, 0), RUN(1000), SETTLE, SAMPLES("no more", 0, 1)),
    /* If a period is of time, the deadline depends on who runs. */
    CASE("deadlines", WATCHED(N_EL1), PERIOD(0, "instructions", 10), TIMES("instructions", 0),
         PERIOD(1, "cycles", 10), TIMES("cycles of a clock", 1), REMOVE(1),
         TIMES("without them", 0), REMOVE(0)),
    /* After a sample, the machine gets a rearm for the new headroom, and nothing else. */
    CASE("rearmed", WATCHED(N_EL1), OBSERVE(0, "instructions"), CLEAR_CALLS, RUN(1000), SETTLE,
         WRITE(VPMU_PMSELR, 3), ROOM("headroom", INST_SRC, NS_EL1, NO_LIMIT),
         PERIOD(1, "instructions", 10), CLEAR_CALLS, RUN(9), SETTLE, REARMS("before it is over", 0),
         RUN(1), SETTLE, REARMS("when it is", 1), REMOVE(1)),
};

Suite *sampling_suite(void)
{
    const TTest *const tests[] = {changing_periods,  shorter_than_what_has_passed,
                                  several_observers, fetched_late,
                                  refused_periods,   refused};

    return scenario_suite("sampling", scenarios, COUNT_OF(scenarios), tests, COUNT_OF(tests));
}
