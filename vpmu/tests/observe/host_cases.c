/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "host_cases.h"

const uint64_t nvhe_types[ALL_COUNTERS] = {NSH, NSH, 0, 0, NSH, NSH, 0, 0};

static void act(struct watched *s, const struct host_step *step)
{
    switch (step->op) {
    case DO_MOVE:
        go_because(s, (enum place)step->a, (unsigned)step->b);
        break;
    case DO_RUN:
        run(s, step->a);
        break;
    case DO_WRITE:
        put(s, (unsigned)step->a, step->b);
        break;
    default:
        machine_control(&s->m, step->a, 0);
        break;
    }
}

void act_all(struct watched *s, const struct host_step steps[])
{
    for (unsigned i = 0; i < MAX_STEPS && steps[i].op != NO_MORE; i++) {
        act(s, &steps[i]);
    }
}

void begin(struct watched *s, enum place rest, enum place kernel,
           const uint64_t types[ALL_COUNTERS])
{
    const struct vpmu_arm_config config = config_watched();

    watched_start(s, &config, rest);
    machine_blackout_start(&s->m, &s->b);
    go(s, kernel);
    for (unsigned idx = 0; idx < ALL_COUNTERS; idx++) {
        put(s, PMEVTYPER(idx), types[idx] | INST);
    }
    put(s, VPMU_PMCR, E);
}

void run_cases(const struct host_case *cases, size_t count, enum place rest, enum place kernel,
               const uint64_t types[ALL_COUNTERS])
{
    for (size_t i = 0; i < count; i++) {
        struct watched s;

        begin(&s, rest, kernel, types);
        for (unsigned time = 0; time < cases[i].times; time++) {
            act_all(&s, cases[i].steps);
        }
        expect_spans(cases[i].name, &s, cases[i].wants);
    }
}
