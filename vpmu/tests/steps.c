/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vpmu/arm/deadline.h"

#define MAX_SCENARIOS 256

/* What the steps of a scenario act on. */
struct stage {
    struct watched s; /* must be the first; without a watch only s.m is used */
    const struct setup *setup;
    const char *row;
    unsigned again; /* the first step that is repeated */
    uint64_t times; /* how often it still is */
    uint64_t round; /* how often it was, and now is */
    struct sampler samplers[MAX_OBSERVERS];
    uint8_t state[VPMU_STATE_SIZE];
};

void sampler_take(struct machine *m, const struct vpmu_sample *sample)
{
    struct sampler *sampler = (struct sampler *)sample->observer;

    sampler->samples++;
    sampler->periods += sample->periods;
    sampler->value = machine_observer_read(m, sample->observer);
    sampler->ctx = sample->ctx;
    if (sampler->follower) {
        sampler->others = machine_observer_read(m, &sampler->follower->o);
    }
}

void sampler_add(struct watched *s, struct sampler *sampler, const char *text, uint64_t period)
{
    memset(sampler, 0, sizeof(*sampler));
    ck_assert(vpmu_arm_observer_parse(&s->m.v.config, text, &sampler->o, NULL) == 0);
    sampler->o.period = period;
    s->m.sample = sampler_take;
    ck_assert(machine_observer_add(&s->m, &sampler->o) == 0);
}

void execute(struct watched *s, uint64_t n)
{
    while (n) {
        uint64_t room = vpmu_arm_headroom(&s->m.v, INST_SRC, s->m.v.count.ctx);
        uint64_t step = room < n ? room : n;

        ck_assert_msg(room > 0, "expected some headroom after vpmu_arm_settle() got none");
        run(s, step);
        n -= step;
        if (step == room) {
            machine_settle(&s->m);
        }
    }
}

void insn_execute(struct machine *m, unsigned loads, unsigned stores, unsigned frontend,
                  unsigned backend)
{
    unsigned width = m->v.config.cycle_units;

    machine_events(m, VPMU_SRC_INST_RETIRED, 1);
    machine_events(m, VPMU_SRC_LD_RETIRED, loads);
    machine_events(m, VPMU_SRC_ST_RETIRED, stores);
    machine_events(m, VPMU_SRC_CPU_CYCLES, 1 + (frontend + backend) * width);
    machine_events(m, VPMU_SRC_STALL_FRONTEND, frontend);
    machine_events(m, VPMU_SRC_STALL_BACKEND, backend);
    machine_events(m, VPMU_SRC_STALL_SLOT_FRONTEND, frontend * width);
    machine_events(m, VPMU_SRC_STALL_SLOT_BACKEND, backend * width);
    machine_settle(m);
}

void paced_start(struct machine *m, unsigned units)
{
    struct vpmu_arm_config config = config_units(VPMU_V3P8, 6, units);

    config.threshold_width = 12;
    config.features = VPMU_HAS_EL2 | VPMU_HAS_EDGE | VPMU_HAS_TH2;
    machine_start(m, &config);
    pmcr_enable(m);
}

static struct vpmu_arm_config config_for(const struct setup *setup)
{
    struct vpmu_arm_config config = config_of(setup->version, setup->counters, setup->features);

    config.sources &= ~setup->without;
    config.timed &= ~(setup->without | setup->tallied);
    return setup->watched ? config_watched()
           : setup->full  ? config_full()
           : setup->units ? config_units(setup->version, setup->counters, setup->units)
                          : config;
}

static void start(struct stage *st, const struct setup *setup)
{
    struct vpmu_arm_config config = config_for(setup);

    st->setup = setup;
    if (setup->paced) {
        paced_start(&st->s.m, setup->units);
    } else if (setup->watched) {
        if (setup->units) {
            config.timed = CNT_SRC;
            config.cycle_units = (uint8_t)setup->units;
        }
        watched_start(&st->s, &config, setup->place);
    } else {
        machine_start(&st->s.m, &config);
    }
}

static void add_observer(struct stage *st, const struct step *step)
{
    struct sampler *sampler = &st->samplers[step->at];

    if (step->value) {
        sampler_add(&st->s, sampler, step->what, step->value);
        if (step->gate != VPMU_UNGATED) {
            machine_observer_remove(&st->s.m, &sampler->o);
            sampler->o.gate = (uint8_t)step->gate;
            ck_assert(machine_observer_add(&st->s.m, &sampler->o) == 0);
        }
    } else {
        memset(sampler, 0, sizeof(*sampler));
        observe(&st->s, &sampler->o, step->what, (uint8_t)step->gate);
    }
}

static void act_on_watch(struct stage *st, const struct step *step)
{
    struct machine *m = &st->s.m;

    switch (step->op) {
    case STEP_EXECUTE:
        execute(&st->s, step->value);
        break;
    case STEP_GO:
        go(&st->s, (enum place)step->at);
        break;
    case STEP_LEAVE:
        leave(&st->s, (enum place)step->at);
        break;
    case STEP_SAMPLE:
        machine_sample(m);
        break;
    case STEP_OBSERVE:
        add_observer(st, step);
        break;
    case STEP_FOLLOW:
        st->samplers[step->at].follower = &st->samplers[step->value];
        break;
    case STEP_REMOVE:
        machine_observer_remove(m, &st->samplers[step->at].o);
        break;
    case STEP_DETACH:
        machine_watch_detach(m);
        break;
    default:
        ck_abort_msg("expected a step got %d", (int)step->op);
    }
}

static void act_on_registers(struct stage *st, const struct step *step)
{
    struct machine *m = &st->s.m;

    switch (step->op) {
    case STEP_WRITE:
        if (st->setup->watched) {
            put(&st->s, (unsigned)step->at, step->value);
        } else {
            set(m, (unsigned)step->at, step->value);
        }
        break;
    case STEP_CONTROL:
        machine_control(m, step->value, 0);
        break;
    case STEP_COUNTER:
        counter_start(m, (unsigned)step->at, step->type, step->value);
        break;
    case STEP_ENABLE:
        pmcr_enable(m);
        break;
    case STEP_RESET:
        machine_reset(m);
        break;
    default:
        act_on_watch(st, step);
    }
}

static void act(struct stage *st, const struct step *step)
{
    struct machine *m = &st->s.m;

    switch (step->op) {
    case STEP_CALL:
        step->call(&st->s);
        break;
    case STEP_ANOTHER:
        start(st, st->setup);
        break;
    case STEP_RUN:
        if (st->setup->watched) {
            run(&st->s, step->value);
        } else {
            machine_instructions(m, step->value);
        }
        break;
    case STEP_INSN:
        insn_execute(m, (unsigned)step->loads, (unsigned)step->stores, (unsigned)step->frontend,
                     (unsigned)step->backend);
        break;
    case STEP_HAPPEN:
        machine_events(m, (unsigned)step->at, step->value);
        break;
    case STEP_TAKE_BACK:
        machine_take_back(m, (unsigned)step->at, step->value);
        break;
    case STEP_TAKE_BACK_IN:
        m->totals.n[step->at][step->sources] -= step->value;
        break;
    case STEP_IN:
        machine_enter(m, (unsigned)step->at);
        break;
    case STEP_SETTLE:
        machine_settle(m);
        break;
    case STEP_STEP:
        machine_step(m);
        break;
    case STEP_CLEAR_CALLS:
        m->rearms = 0;
        m->clock_reads = 0;
        break;
    default:
        act_on_registers(st, step);
    }
}

static uint64_t observed(struct stage *st, const struct step *step)
{
    static const struct vpmu_rate rate[VPMU_CLOCK_COUNT] = {{1, 1}, {1, 1}};
    struct vpmu_arm *v = &st->s.m.v;
    struct sampler *sampler = &st->samplers[step->at];

    switch (step->op) {
    case STEP_OBSERVED:
        return machine_observer_read(&st->s.m, &sampler->o);
    case STEP_SEEN:
        return seen_of(&st->s, &sampler->o, 10);
    case STEP_SAMPLES:
        return sampler->samples;
    case STEP_PERIODS:
        return sampler->periods;
    case STEP_LAST:
        return sampler->value;
    case STEP_OTHERS:
        return sampler->others;
    case STEP_CONTEXT:
        return sampler->ctx;
    case STEP_REMOVES:
        return machine_observer_remove(&st->s.m, &sampler->o);
    case STEP_DEADLINE:
        return vpmu_arm_deadline(v, rate);
    case STEP_TIMES:
        return vpmu_arm_watch_times(v);
    default:
        ck_abort_msg("expected a check got %d", (int)step->op);
    }
}

static uint64_t counter_value(struct machine *m, unsigned idx)
{
    return get(m, idx == VPMU_CYCLE_COUNTER  ? VPMU_PMCCNTR
                  : idx == VPMU_INST_COUNTER ? VPMU_PMICNTR
                                             : (unsigned)PMEVCNTR(idx));
}

static uint64_t called(struct stage *st, const struct step *step)
{
    struct machine *m = &st->s.m;

    switch (step->op) {
    case STEP_LINE:
        return m->irq;
    case STEP_EDGES:
        return m->irq_edges;
    case STEP_LEVEL:
        return vpmu_arm_irq_level(&m->v);
    case STEP_REARMS:
        return m->rearms;
    case STEP_CLOCKS:
        return m->clock_reads;
    case STEP_OVERFLOWS:
        return m->v.count.overflows[step->at];
    case STEP_INTERRUPTS:
        return m->v.interrupts[step->at];
    case STEP_SAVES:
        return (uint64_t)machine_state_save(m, st->state, sizeof(st->state));
    case STEP_LOADS:
        return (uint64_t)machine_state_load(m, st->state, sizeof(st->state), NULL);
    default:
        return observed(st, step);
    }
}

static uint64_t checked(struct stage *st, const struct step *step)
{
    struct machine *m = &st->s.m;

    switch (step->op) {
    case STEP_COUNTS:
        return counter_value(m, (unsigned)step->at);
    case STEP_READS:
        return get(m, (unsigned)step->at);
    case STEP_SETTLES:
        return machine_settle(m);
    case STEP_ROOM:
        return vpmu_arm_headroom(&m->v, step->sources, (unsigned)step->at);
    case STEP_ARMED:
        expect_sources(step->what, step->value, vpmu_arm_armed(&m->v, (unsigned)step->at));
        return step->value;
    case STEP_TOTAL:
        return m->totals.n[step->at][step->sources] - TOTALS_START;
    case STEP_DIFFERS:
        return vpmu_arm_time_differs(&m->v, m->v.count.ctx, (unsigned)step->at);
    case STEP_HERE:
        return m->v.count.ctx;
    default:
        return called(st, step);
    }
}

static void play(struct stage *st, const struct step steps[], unsigned limit)
{
    for (unsigned i = 0; i < limit && steps[i].op != STEP_NONE; i++) {
        const struct step *step = &steps[i];
        uint64_t want = step->value * (step->each ? st->round : 1);

        if (step->op == STEP_REPEAT) {
            st->again = i;
            st->times = step->value - 1;
            st->round = 1;
        } else if (step->op == STEP_AGAIN) {
            i = st->times > 0 ? st->again : i;
            st->times -= st->times > 0;
            st->round++;
        } else if (step->op < STEP_CHECKS) {
            act(st, step);
        } else if (st->row) {
            expect_in(st->row, step->what, want, checked(st, step));
        } else {
            expect(step->what, want, checked(st, step));
        }
    }
}

static void play_scenario(const struct scenario *scenario, const struct row *row)
{
    struct stage st = {.row = row ? row->name : NULL};

    start(&st, row && row->setup.given ? &row->setup : &scenario->setup);
    play(&st, scenario->steps, MAX_STEPS);
    if (row) {
        play(&st, row->steps, MAX_ROW_STEPS);
    }
    play(&st, scenario->then, MAX_ROW_STEPS);
}

/* A loop test of libcheck gets a number only. */
static const struct scenario *registered[MAX_SCENARIOS];

START_TEST(scenario_passes)
{
    const struct scenario *scenario = registered[_i];
    const struct row *row = scenario->rows;

    if (!row) {
        play_scenario(scenario, NULL);
    }
    for (; row && row->name; row++) {
        play_scenario(scenario, row);
    }
}
END_TEST

Suite *scenario_suite(const char *name, const struct scenario *scenarios, size_t scenario_count,
                      const TTest *const tests[], size_t test_count)
{
    static unsigned used;
    Suite *suite = suite_of(name, tests, test_count);

    for (size_t i = 0; i < scenario_count; i++) {
        if (used == MAX_SCENARIOS) {
            fprintf(stderr, "steps.c: MAX_SCENARIOS is too small\n");
            abort();
        }
        registered[used] = &scenarios[i];
        suite_add(suite, name, scenarios[i].name, scenario_passes, (int)used++);
    }
    return suite;
}
