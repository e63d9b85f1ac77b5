/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Observers with a period: when they take samples, and that nothing is lost between samples. */
#include <string.h>

#include "vpmu/arm/deadline.h"
#include "vpmu/frequency.h"
#include "watched_machine.h"

#define MOST 8

/* An observer and its owner's data. */
struct sampler {
    struct vpmu_observer o; /* must be the first */
    uint64_t samples;
    uint64_t periods;
    uint64_t value;  /* the value at the last sample */
    uint64_t ctx;    /* the PE's context then */
    uint64_t others; /* the values of the other observers of its group then */
    const struct sampler *follower;
};

/* vpmu.opaque is the machine, which is the first member of the struct. */
static void take(void *opaque, struct vpmu_observer *o, uint64_t periods)
{
    struct watched *s = opaque;
    struct sampler *sampler = (struct sampler *)o;

    sampler->samples++;
    sampler->periods += periods;
    sampler->value = vpmu_observer_read(&s->m.v, o);
    sampler->ctx = s->m.v.count.ctx;
    if (sampler->follower) {
        sampler->others = vpmu_observer_read(&s->m.v, &sampler->follower->o);
    }
}

static void sample_by(struct watched *s, struct sampler *sampler, const char *text, uint64_t period,
                      void (*taker)(void *opaque, struct vpmu_observer *o, uint64_t periods))
{
    memset(sampler, 0, sizeof(*sampler));
    ck_assert(vpmu_observer_parse(&s->m.v.config, text, &sampler->o, NULL) == 0);
    sampler->o.period = period;
    sampler->o.sample = taker;
    ck_assert(vpmu_observer_add(&s->m.v, &sampler->o) == 0);
}

static void sample(struct watched *s, struct sampler *sampler, const char *text, uint64_t period)
{
    sample_by(s, sampler, text, period, take);
}

/* Executes instructions like a machine that respects the headroom. */
static void execute(struct watched *s, uint64_t n)
{
    while (n) {
        uint64_t room = vpmu_headroom(&s->m.v, INST_SRC, s->m.v.count.ctx);
        uint64_t step = room < n ? room : n;

        ck_assert_msg(room > 0, "expected some headroom after vpmu_settle() got none");
        run(s, step);
        n -= step;
        if (step == room) {
            vpmu_settle(&s->m.v);
        }
    }
}

/*
 * Checks an identity: the count is the sum of the reported periods and less than one more period.
 */
static void expect_sum(const char *row, struct watched *s, const struct sampler *sampler)
{
    uint64_t value = vpmu_observer_read(&s->m.v, &sampler->o);

    expect_in(row, "periods", value / sampler->o.period, sampler->periods);
}

/* The instructions at which one observer of instructions samples. */
START_TEST(every_period)
{
    static const struct {
        const char *row;
        uint64_t period;
        uint64_t executed;
        uint64_t samples;
    } rows[] = {
        {"every instruction", 1, 1000, 1000},   {"every second", 2, 1001, 500},
        {"one before it is due", 1000, 999, 0}, {"when it is due", 1000, 1000, 1},
        {"a prime", 997, 997 * 50 + 996, 50},   {"the longest", VPMU_PERIOD_MAX, 1000, 0},
    };
    const struct vpmu_config config = config_watched();

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct watched s;
        struct sampler sampler;

        watched_start(&s, &config, N_EL1);
        sample(&s, &sampler, "instructions", rows[i].period);
        execute(&s, rows[i].executed);
        expect_in(rows[i].row, "samples", rows[i].samples, sampler.samples);
        expect_in(rows[i].row, "the last one's value", rows[i].samples * rows[i].period,
                  sampler.value);
        expect_sum(rows[i].row, &s, &sampler);
    }
}
END_TEST

/* No period is lost if a machine stops late or an event counts for many. */
START_TEST(several_periods)
{
    const struct vpmu_config config = config_watched();
    struct watched s;
    struct sampler sampler;

    watched_start(&s, &config, N_EL1);
    sample(&s, &sampler, "instructions", 10);
    run(&s, 35);
    expect("due", 0, vpmu_headroom(&s.m.v, INST_SRC, NS_EL1));
    ck_assert_msg(!vpmu_settle(&s.m.v), "expected no counter at its end got one");
    expect("samples", 1, sampler.samples);
    expect("periods", 3, sampler.periods);
    expect("to the next", 5, vpmu_headroom(&s.m.v, INST_SRC, NS_EL1));
}
END_TEST

/* Sets the next period from a list that ends with 0; then the last period is kept. */
struct changing {
    struct sampler sampler; /* must be the first */
    const uint64_t *next;
    uint64_t weight;
};

static void take_and_change(void *opaque, struct vpmu_observer *o, uint64_t periods)
{
    struct changing *c = (struct changing *)o;

    take(opaque, o, periods);
    c->weight += periods * o->period;
    expect("at the end of a period", c->sampler.value, c->weight);
    if (*c->next) {
        o->period = *c->next++;
    }
}

/* The owner may choose another period after each sample. */
START_TEST(changing_periods)
{
    static const uint64_t periods[] = {1, 7, 3, 1, 1, 20, 5, 0};
    const struct vpmu_config config = config_watched();
    struct changing c = {.next = periods + 1};
    struct watched s;

    watched_start(&s, &config, N_EL1);
    sample_by(&s, &c.sampler, "instructions", periods[0], take_and_change);
    execute(&s, 1 + 7 + 3 + 1 + 1 + 20 + 5 * 4 + 4);
    expect("samples", 10, c.sampler.samples);
    expect("weight", 53, c.weight);
    expect("headroom", 1, vpmu_headroom(&s.m.v, INST_SRC, NS_EL1));
    execute(&s, 1);
    expect("samples", 11, c.sampler.samples);
    expect("value", 58, vpmu_observer_remove(&s.m.v, &c.sampler.o));
}
END_TEST

static void take_and_halve(void *opaque, struct vpmu_observer *o, uint64_t periods)
{
    struct changing *c = (struct changing *)o;

    take(opaque, o, periods);
    c->weight += periods * o->period;
    o->period = (o->period + 1) / 2;
}

/* If the next period is shorter, events that have happened already are not lost. */
START_TEST(shorter_than_what_has_passed)
{
    const struct vpmu_config config = config_watched();
    struct changing c = {.weight = 0};
    struct watched s;

    watched_start(&s, &config, N_EL1);
    sample_by(&s, &c.sampler, "instructions", 100, take_and_halve);
    /* A period of 100; the rest contains periods of 50, 25 and 13, and 6 events remain. */
    run(&s, 194);
    vpmu_settle(&s.m.v);
    expect("weight", 188, c.weight);
    expect("samples", 4, c.sampler.samples);
    expect("period", 7, c.sampler.o.period);
    expect("headroom", 1, vpmu_headroom(&s.m.v, INST_SRC, NS_EL1));
}
END_TEST

/* An event with a constant rate soon has the requested sample frequency. */
START_TEST(frequencies)
{
    static const struct {
        const char *row;
        uint32_t hz;
        uint64_t per_us; /* events per microsecond */
        uint64_t want;   /* the period */
    } rows[] = {
        {"as perf does", 4000, 1000, 250000},
        {"seldom", 1, 1000, 1000000000},
        {"often", VPMU_FREQUENCY_MAX, 1000, 1000},
        {"an event that is rarer", 100000, 0, 1},
        {"cycles of a fast machine", 1000, 1000000, 1000000000},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_frequency f = {.hz = rows[i].hz};
        uint64_t period = 1;
        uint64_t ns = 0;

        for (unsigned n = 0; n < 300; n++) {
            /* An event that is rarer than once per microsecond happens once per millisecond. */
            uint64_t took =
                rows[i].per_us ? (period * 1000 + rows[i].per_us - 1) / rows[i].per_us : 1000000;

            ns += took;
            period = vpmu_frequency_next(&f, period, period, ns);
            ck_assert_msg(period >= 1, "%s: the period became 0", rows[i].row);
        }
        ck_assert_msg(period >= rows[i].want - rows[i].want / 50 &&
                          period <= rows[i].want + rows[i].want / 50,
                      "%s: expected about %llu got %llu", rows[i].row,
                      (unsigned long long)rows[i].want, (unsigned long long)period);
    }
}
END_TEST

/* Nanoseconds that the next @count events take: a program's two phases take turns. */
static uint64_t time_of(uint64_t *done, uint64_t count, const uint64_t length[2],
                        const uint64_t ns[2])
{
    uint64_t took = 0;

    while (count) {
        uint64_t at = *done % (length[0] + length[1]);
        unsigned phase = at >= length[0];
        uint64_t left = length[0] + (phase ? length[1] : 0) - at;
        uint64_t step = left < count ? left : count;

        took += step * ns[phase];
        *done += step;
        count -= step;
    }
    return took;
}

/* A program whose rate changes gets as many samples as one whose rate does not. */
START_TEST(frequencies_of_uneven_work)
{
    static const struct {
        const char *row;
        uint32_t hz;
        uint64_t length[2]; /* events of a phase */
        uint64_t ns[2];     /* nanoseconds for each of them */
    } rows[] = {
        {"even", 4000, {1000000, 1000000}, {10, 10}},
        {"phases as long as a period", 4000, {100000, 2500}, {1, 100}},
        {"phases of a few periods", 4000, {1000000, 20000}, {1, 100}},
        {"a rate that differs more", 4000, {300000, 3000}, {1, 300}},
        {"a short slow phase", 10000, {20000, 300}, {1, 70}},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_frequency f = {.hz = rows[i].hz};
        uint64_t done = 0;
        uint64_t now = 0;
        uint64_t period = 1;
        uint64_t samples = 0;

        while (now < 4000000000) {
            now += time_of(&done, period, rows[i].length, rows[i].ns);
            period = vpmu_frequency_next(&f, period, period, now);
            samples++;
        }
        ck_assert_msg(samples > rows[i].hz * 4 * 96 / 100 && samples < rows[i].hz * 4 * 104 / 100,
                      "%s: expected about %u samples got %llu", rows[i].row, rows[i].hz * 4,
                      (unsigned long long)samples);
    }
}
END_TEST

/* The period is valid for any arguments. */
START_TEST(frequencies_at_their_ends)
{
    static const struct {
        const char *row;
        uint32_t hz;
        uint64_t period;
        uint64_t count;
        uint64_t now;
        uint64_t want;
    } rows[] = {
        {"the clock stands still", 4000, 1000, 1000, 1000, 8000},
        {"the clock goes back", 4000, 8, 0, 0, 4},
        {"idle for a second", 4000, 1000, 1000, 1000001000, 500},
        {"idle, and no shorter", 4000, 1, 1, 1000001000, 1},
        {"late, but not for so low a rate", 2, 1000, 1000, 1000001000, 500},
        {"all at once", 1, VPMU_PERIOD_MAX, VPMU_PERIOD_MAX, 1001, VPMU_PERIOD_MAX},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_frequency f = {.hz = rows[i].hz, .last = 1000};

        expect_in(rows[i].row, "period", rows[i].want,
                  vpmu_frequency_next(&f, rows[i].period, rows[i].count, rows[i].now));
        expect_in(rows[i].row, "last", rows[i].now, f.last);
    }
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
    const struct vpmu_config config = config_watched();
    struct sampler sampler[COUNT_OF(rows)];
    struct watched s;

    watched_start(&s, &config, N_EL1);
    counter_start(&s.m, 0, VPMU_EVENT_INST_RETIRED, UINT32_MAX - 99);
    put(&s, VPMU_PMINTENSET, BIT(0));
    put(&s, VPMU_PMCR, VPMU_PMCR_E);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        sample(&s, &sampler[i], rows[i].text, rows[i].period);
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

/* A counter and a period end at the same instruction. Neither affects the other. */
START_TEST(with_the_guests_overflow)
{
    const struct vpmu_config config = config_watched();
    struct sampler sampler;
    struct watched s;

    watched_start(&s, &config, N_EL1);
    counter_start(&s.m, 0, VPMU_EVENT_INST_RETIRED, UINT32_MAX - 99);
    put(&s, VPMU_PMINTENSET, BIT(0));
    put(&s, VPMU_PMCR, VPMU_PMCR_E);
    sample(&s, &sampler, "instructions", 50);
    expect("the observer's", 50, vpmu_headroom(&s.m.v, INST_SRC, NS_EL1));
    run(&s, 50);
    ck_assert(!vpmu_settle(&s.m.v));
    expect("both", 50, vpmu_headroom(&s.m.v, INST_SRC, NS_EL1));
    run(&s, 49);
    expect("one more", 1, vpmu_headroom(&s.m.v, INST_SRC, NS_EL1));
    run(&s, 1);
    ck_assert(vpmu_settle(&s.m.v));
    expect("the interrupt", 1, s.m.irq);
    expect("samples", 2, sampler.samples);
    expect("the value at the second", 100, sampler.value);
}
END_TEST

/*
 * The sample can be delivered before an exception is taken, while the overflow belongs to the
 * exception.
 */
START_TEST(before_the_guests_overflow)
{
    const struct vpmu_config config = config_watched();
    struct sampler sampler;
    struct watched s;

    watched_start(&s, &config, N_EL1);
    counter_start(&s.m, 0, VPMU_EVENT_INST_RETIRED, UINT32_MAX - 99);
    put(&s, VPMU_PMINTENSET, BIT(0));
    put(&s, VPMU_PMCR, VPMU_PMCR_E);
    vpmu_sample(&s.m.v);
    sample(&s, &sampler, "instructions", 100);
    run(&s, 100);
    vpmu_sample(&s.m.v);
    expect("samples", 1, sampler.samples);
    expect("no interrupt yet", 0, s.m.irq);
    ck_assert(vpmu_settle(&s.m.v));
    expect("samples", 1, sampler.samples);
    expect("the interrupt", 1, s.m.irq);
}
END_TEST

/*
 * One event determines when to sample, and another is read then. Both values are as of that
 * instruction.
 */
START_TEST(leader_and_follower)
{
    const struct vpmu_config config = config_watched();
    struct sampler leader;
    struct sampler follower;
    struct watched s;

    for (unsigned first = 0; first < 2; first++) {
        watched_start(&s, &config, N_EL1);
        if (first) {
            sample(&s, &follower, "branches", 0);
        }
        sample(&s, &leader, "instructions", 100);
        if (!first) {
            sample(&s, &follower, "branches", 0);
        }
        leader.follower = &follower;
        for (unsigned i = 1; i <= 10; i++) {
            machine_events(&s.m, VPMU_SRC_BR_IMMED, 7);
            execute(&s, 100);
            expect("branches", 7 * i, leader.others);
        }
        expect("without a period there are no samples", 0, follower.samples);
    }
}
END_TEST

/* For an event with several sources, each of them uses up the headroom. */
START_TEST(sum_of_sources)
{
    const struct vpmu_config config = config_watched();
    struct sampler sampler;
    struct watched s;

    watched_start(&s, &config, N_EL1);
    sample(&s, &sampler, "branches", 10);
    machine_events(&s.m, VPMU_SRC_BR_IMMED, 4);
    machine_events(&s.m, VPMU_SRC_BR_RETURN, 5);
    expect("immediate", 1, vpmu_headroom(&s.m.v, SRC(BR_IMMED), NS_EL1));
    expect("return", 1, vpmu_headroom(&s.m.v, SRC(BR_RETURN), NS_EL1));
    expect("loads", ALL_ONES, vpmu_headroom(&s.m.v, SRC(LD_RETIRED), NS_EL1));
    machine_events(&s.m, VPMU_SRC_BR_INDIRECT, 1);
    vpmu_settle(&s.m.v);
    expect("samples", 1, sampler.samples);
}
END_TEST

/* The headroom depends on who runs and on the context. */
START_TEST(headroom_by_place)
{
    const struct vpmu_config config = config_watched();
    struct sampler user;
    struct sampler guest;
    struct watched s;

    watched_start(&s, &config, N_EL1);
    sample(&s, &user, "instructions:uH", 10);
    sample(&s, &guest, "instructions:kG", 20);
    expect("the host's kernel", ALL_ONES, vpmu_headroom(&s.m.v, INST_SRC, NS_EL1));
    expect("below it", 10, vpmu_headroom(&s.m.v, INST_SRC, NS_EL0));
    go(&s, G_EL1);
    expect("a guest's kernel", 20, vpmu_headroom(&s.m.v, INST_SRC, NS_EL1));
    expect("below that", ALL_ONES, vpmu_headroom(&s.m.v, INST_SRC, NS_EL0));
    run(&s, 15);
    go(&s, N_EL2);
    expect("EL2", ALL_ONES, vpmu_headroom(&s.m.v, INST_SRC, NS_EL2));
    go(&s, G_EL1);
    expect("the guest again", 5, vpmu_headroom(&s.m.v, INST_SRC, NS_EL1));
    vpmu_observer_remove(&s.m.v, &guest.o);
    expect("nobody", ALL_ONES, vpmu_headroom(&s.m.v, INST_SRC, NS_EL1));
}
END_TEST

/* Modelled cycles are tallied in units. A long stall is one sample of many periods. */
START_TEST(modelled_cycles)
{
    struct vpmu_config config = config_watched();
    struct sampler sampler;
    struct watched s;

    config.timed = CNT_SRC;
    config.cycle_units = 4;
    watched_start(&s, &config, N_EL1);
    sample(&s, &sampler, "cycles", 10);
    expect("in units", 40, vpmu_headroom(&s.m.v, CPU_SRC, NS_EL1));
    machine_cycles(&s.m, 39);
    vpmu_settle(&s.m.v);
    expect("9.75 cycles", 0, sampler.samples);
    machine_cycles(&s.m, 1);
    vpmu_settle(&s.m.v);
    expect("10 cycles", 1, sampler.samples);
    machine_cycles(&s.m, 4 * 255);
    vpmu_settle(&s.m.v);
    expect("a stall", 2, sampler.samples);
    expect("periods", 26, sampler.periods);
    expect("to the next", 20, vpmu_headroom(&s.m.v, CPU_SRC, NS_EL1));
}
END_TEST

/*
 * For clocks, the observer determines the deadline, and a period that ended in a context is sampled
 * there.
 */
START_TEST(timed)
{
    static const struct vpmu_rate rate[VPMU_CLOCK_COUNT] = {{1, 1}, {1, 1}};
    const struct vpmu_config config = config_watched();
    struct sampler sampler;
    struct watched s;

    watched_start(&s, &config, N_EL0);
    sample(&s, &sampler, "cycles:u", 1000);
    expect("deadline", CLOCK_START + 1000, vpmu_deadline(&s.m.v, rate));
    machine_cycles(&s.m, 400);
    go(&s, N_EL1);
    expect("no deadline", ALL_ONES, vpmu_deadline(&s.m.v, rate));
    machine_cycles(&s.m, 5000);
    go(&s, N_EL0);
    expect("moved on", CLOCK_START + 6000, vpmu_deadline(&s.m.v, rate));
    machine_cycles(&s.m, 600);
    vpmu_settle(&s.m.v);
    expect("samples", 1, sampler.samples);
    machine_cycles(&s.m, 1001);
    go(&s, N_EL1);
    expect("of the context that was left", 2, sampler.samples);
    expect("where", NS_EL0, sampler.ctx);
    expect("value", 2001, sampler.value);
}
END_TEST

/* After blocks that were left midway, samples continue where counting does. */
START_TEST(subtracted)
{
    const struct vpmu_config config = config_watched();
    struct sampler sampler;
    struct watched s;

    watched_start(&s, &config, N_EL1);
    sample(&s, &sampler, "instructions", 100);
    run(&s, 98);
    machine_take_back(&s.m, VPMU_SRC_INST_RETIRED, 8);
    expect("no trace", 10, vpmu_headroom(&s.m.v, INST_SRC, NS_EL1));
    run(&s, 12);
    vpmu_settle(&s.m.v);
    expect("samples", 1, sampler.samples);
    machine_take_back(&s.m, VPMU_SRC_INST_RETIRED, 5);
    expect("what is owed comes first", 98 + 5, vpmu_headroom(&s.m.v, INST_SRC, NS_EL1));
    execute(&s, 103);
    expect("samples", 2, sampler.samples);
    expect("value", 200, sampler.value);
}
END_TEST

/* A closed gate suppresses samples as well as counts. The machine gets a rearm when it opens. */
START_TEST(gated)
{
    const struct vpmu_config config = config_watched();
    struct sampler sampler = {.o.gate = 0};
    struct watched s;

    watched_start(&s, &config, N_EL1);
    ck_assert(vpmu_observer_parse(&s.m.v.config, "instructions", &sampler.o, NULL) == 0);
    sampler.o.gate = 0;
    sampler.o.period = 10;
    sampler.o.sample = take;
    ck_assert(vpmu_observer_add(&s.m.v, &sampler.o) == 0);
    put(&s, VPMU_PMCR, VPMU_PMCR_E);
    expect("closed", ALL_ONES, vpmu_headroom(&s.m.v, INST_SRC, NS_EL1));
    s.m.rearms = 0;
    put(&s, VPMU_PMCNTENSET, BIT(0));
    ck_assert_msg(s.m.rearms > 1, "expected vpmu_ops.rearm after the gate opened got none");
    expect("open", 10, vpmu_headroom(&s.m.v, INST_SRC, NS_EL1));
    execute(&s, 25);
    put(&s, VPMU_PMCNTENCLR, BIT(0));
    execute(&s, 25);
    expect("samples", 2, sampler.samples);
    expect_sum("gated", &s, &sampler);
}
END_TEST

/* A period that has ended is reported before the observer is removed. */
START_TEST(removed_when_due)
{
    const struct vpmu_config config = config_watched();
    struct sampler sampler;
    struct watched s;

    watched_start(&s, &config, N_EL1);
    sample(&s, &sampler, "instructions", 100);
    run(&s, 100);
    expect("not yet", 0, sampler.samples);
    expect("counted", 100, vpmu_observer_remove(&s.m.v, &sampler.o));
    expect("samples", 1, sampler.samples);
    expect("of one that is not there", 0, vpmu_observer_remove(&s.m.v, &sampler.o));
    run(&s, 1000);
    vpmu_settle(&s.m.v);
    expect("no more", 1, sampler.samples);
}
END_TEST

START_TEST(refused)
{
    const struct vpmu_config config = config_watched();
    struct vpmu_observer o;
    struct watched s;

    watched_start(&s, &config, N_EL1);
    ck_assert(vpmu_observer_parse(&s.m.v.config, "instructions", &o, NULL) == 0);
    o.period = VPMU_PERIOD_MAX + 1;
    o.sample = take;
    expect("too long", (uint64_t)-VPMU_ERR_EVENT, (uint64_t)vpmu_observer_add(&s.m.v, &o));
    o.period = 1;
    o.sample = NULL;
    expect("to nobody", (uint64_t)-VPMU_ERR_EVENT, (uint64_t)vpmu_observer_add(&s.m.v, &o));
    expect("nothing has changed", 0, vpmu_armed(&s.m.v, NS_EL1));
    o.period = 0;
    expect("without a period", 0, (uint64_t)vpmu_observer_add(&s.m.v, &o));
}
END_TEST

/* A sample that is due belongs to the context that is left, whatever the observer counts. */
START_TEST(left_context)
{
    struct vpmu_config config = config_watched();
    struct sampler insns;
    struct watched s;

    watched_start(&s, &config, N_EL1);
    sample(&s, &insns, "instructions", 10);
    run(&s, 10);
    vpmu_watch_moved(&s.m.v, NS_EL0, VPMU_WORLD_NVHE, 0);
    expect("samples", 1, insns.samples);
    expect("context", NS_EL1, insns.ctx);
}
END_TEST

/* If a period is of time, the deadline depends on who runs. */
START_TEST(deadlines)
{
    struct vpmu_config config = config_watched();
    struct sampler insns, cycles;
    struct watched s;

    config.timed = VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES);
    watched_start(&s, &config, N_EL1);
    sample(&s, &insns, "instructions", 10);
    expect("instructions", 0, vpmu_watch_times(&s.m.v));
    sample(&s, &cycles, "cycles", 10);
    expect("cycles of a clock", 1, vpmu_watch_times(&s.m.v));
    vpmu_observer_remove(&s.m.v, &cycles.o);
    expect("without them", 0, vpmu_watch_times(&s.m.v));
    vpmu_observer_remove(&s.m.v, &insns.o);
}
END_TEST

/* After a sample, the machine gets a rearm for the new headroom, and nothing else. */
START_TEST(rearmed)
{
    const struct vpmu_config config = config_watched();
    struct sampler none;
    struct sampler sampler;
    struct watched s;

    watched_start(&s, &config, N_EL1);
    sample(&s, &none, "instructions", 0);
    s.m.rearms = 0;
    run(&s, 1000);
    vpmu_settle(&s.m.v);
    put(&s, VPMU_PMSELR, 3);
    expect("headroom", ALL_ONES, vpmu_headroom(&s.m.v, INST_SRC, NS_EL1));
    sample(&s, &sampler, "instructions", 10);
    s.m.rearms = 0;
    run(&s, 9);
    vpmu_settle(&s.m.v);
    expect("before it is over", 0, s.m.rearms);
    run(&s, 1);
    vpmu_settle(&s.m.v);
    expect("when it is", 1, s.m.rearms);
    vpmu_observer_remove(&s.m.v, &sampler.o);
}
END_TEST

Suite *sampling_suite(void)
{
    const TTest *const tests[] = {
        every_period,
        several_periods,
        changing_periods,
        shorter_than_what_has_passed,
        frequencies,
        frequencies_of_uneven_work,
        frequencies_at_their_ends,
        several_observers,
        with_the_guests_overflow,
        before_the_guests_overflow,
        leader_and_follower,
        sum_of_sources,
        headroom_by_place,
        modelled_cycles,
        timed,
        subtracted,
        gated,
        removed_when_due,
        refused,
        deadlines,
        left_context,
        rearmed,
    };

    return suite_of("sampling", tests, COUNT_OF(tests));
}
