/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "scene.h"

const uint64_t nvhe_types[ALL_COUNTERS] = {NSH, NSH, 0, 0, NSH, NSH, 0, 0};

static void act(struct watched *s, const struct deed *deed)
{
    switch (deed->op) {
    case DO_MOVE:
        go_because(s, (enum place)deed->a, (unsigned)deed->b);
        break;
    case DO_RUN:
        run(s, deed->a);
        break;
    case DO_WRITE:
        put(s, (unsigned)deed->a, deed->b);
        break;
    default:
        machine_control(&s->m, deed->a, 0);
        break;
    }
}

void act_all(struct watched *s, const struct deed deeds[])
{
    for (unsigned i = 0; i < MAX_DEEDS && deeds[i].op != NO_MORE; i++) {
        act(s, &deeds[i]);
    }
}

void begin(struct watched *s, enum place rest, enum place kernel,
           const uint64_t types[ALL_COUNTERS])
{
    const struct vpmu_config config = config_watched();

    watched_start(s, &config, rest);
    vpmu_blackout_start(&s->m.v, &s->b);
    go(s, kernel);
    for (unsigned idx = 0; idx < ALL_COUNTERS; idx++) {
        put(s, PMEVTYPER(idx), types[idx] | INST);
    }
    put(s, VPMU_PMCR, E);
}

void play(const struct scene *scenes, size_t count, enum place rest, enum place kernel,
          const uint64_t types[ALL_COUNTERS])
{
    for (size_t i = 0; i < count; i++) {
        struct watched s;

        begin(&s, rest, kernel, types);
        for (unsigned time = 0; time < scenes[i].times; time++) {
            act_all(&s, scenes[i].deeds);
        }
        expect_spans(scenes[i].name, &s, scenes[i].wants);
    }
}
