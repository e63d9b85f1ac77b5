/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/observers.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PREFIX "observer/"

int observers_add(struct observers *o, struct qmp *q, const char *event, int gate, struct error *t)
{
    char *name;

    if (o->n == OBSERVERS_MAX) {
        return error_set(t, ERROR_USAGE, "at most %u events can be counted at a time",
                         OBSERVERS_MAX);
    }
    name = o->names[o->n];
    snprintf(name, OBSERVERS_NAME_SIZE, PREFIX "vpmu-stats.%ld.%zu", (long)getpid(), o->n);
    /* From now on the observer may exist, even if no response arrives. */
    o->n++;
    return machine_observe(q, event, name + strlen(PREFIX), gate, t);
}

int observers_remove(struct observers *o, struct qmp *q, struct error *t)
{
    int err = 0;

    qmp_hurry(q);
    while (o->n > 0) {
        struct error now = {0};

        o->n--;
        if (machine_unobserve(q, o->names[o->n] + strlen(PREFIX), &now) && !err) {
            *t = now;
            err = -1;
        }
        if (now.code == ERROR_ENDED) {
            o->n = 0;
        }
        /* A machine that hangs gets the other commands when it goes on. */
        if (now.code == ERROR_TALK) {
            q->patience = 1;
        }
    }
    return err;
}

struct reading {
    size_t n;
    size_t seen;
    uint64_t *values;
};

static int take_value(void *opaque, size_t cpu, size_t name, struct response stat)
{
    struct reading *r = opaque;

    r->seen++;
    return response_u64(stat, "value", UINT64_MAX, &r->values[cpu * r->n + name]);
}

int observers_read(const struct observers *o, struct qmp *q, const struct pmus *pmus,
                   uint64_t *values, struct error *t)
{
    struct reading r = {.n = o->n, .values = values};
    const char *names[OBSERVERS_MAX];

    for (size_t i = 0; i < o->n; i++) {
        names[i] = o->names[i];
    }
    if (machine_stats(q, pmus, names, o->n, take_value, &r, t)) {
        return -1;
    }
    if (r.seen != o->n * pmus->n) {
        return error_set(t, ERROR_TALK,
                         "query-stats: %zu values instead of %zu; another client "
                         "removed observers or vCPUs",
                         r.seen, o->n * pmus->n);
    }
    return 0;
}
