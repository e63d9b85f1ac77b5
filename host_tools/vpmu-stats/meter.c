/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine's meter, on for as long as a command runs. */
#include "meter.h"

#include "machine.h"
#include "options.h"

enum {
    KEY_DURATION = 0x200,
};

static const struct argp_option table[] = {
    {"duration", KEY_DURATION, "MS", 0, "End after MS milliseconds", 1},
    {"interval-print", 'I', "MS", 0, "Print what came every MS milliseconds", 1},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct meter_options *o = state->input;

    switch (key) {
    case KEY_DURATION:
        o->duration = options_ms(state, arg, 10);
        return 0;
    case 'I':
        o->interval = options_ms(state, arg, 10);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

const struct argp meter_argp = {table, parse, 0, 0, 0, 0, 0};

int meter_begin(struct meter *m, const struct meter_options *o, struct session *s,
                struct trouble *t)
{
    *m = (struct meter){.o = o, .s = s, .was_on = s->pmus.pmu[0].meter};
    if (!m->was_on) {
        m->maybe_on = true;
        if (machine_meter(s->q, true, t)) {
            return -1;
        }
    }
    m->began = qmp_now();
    m->printed = m->began;
    return 0;
}

/* When the next report is due; far away if only Ctrl-C ends it. */
static int64_t next_time(const struct meter *m)
{
    int64_t end = m->o->duration ? m->began + (int64_t)m->o->duration * 1000000 : INT64_MAX;
    int64_t next = m->o->interval ? m->printed + (int64_t)m->o->interval * 1000000 : INT64_MAX;

    return next < end ? next : end;
}

static bool is_over(const struct meter *m)
{
    return m->o->duration && qmp_now() >= m->began + (int64_t)m->o->duration * 1000000;
}

int meter_run(struct meter *m, int (*report)(void *opaque, struct trouble *t), void *opaque,
              struct trouble *t)
{
    do {
        if (qmp_wait(m->s->q, next_time(m), t) || report(opaque, t)) {
            break;
        }
    } while (!is_over(m));
    if (t->code == TROUBLE_STOPPED) {
        qmp_hurry(m->s->q);
        *t = (struct trouble){0};
        report(opaque, t);
    }
    return t->code == TROUBLE_NONE ? 0 : -1;
}

void meter_end(struct meter *m, struct trouble *t)
{
    struct trouble removing = {0};

    if (!m->maybe_on) {
        return;
    }
    qmp_hurry(m->s->q);
    if (machine_meter(m->s->q, false, &removing) && t->code == TROUBLE_NONE) {
        *t = removing;
    }
}
