/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/timeline.h"

#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/fxt-machine.h"

/**
 * struct cpu - a vCPU, who runs on it and since when
 * @who: number of a text; 0 before the first sample.
 */
struct cpu {
    uint32_t number;
    uint32_t who;
    uint64_t since;
    uint64_t last;
};

/** struct counter - an event on a vCPU, and the time of its last sample */
struct counter {
    uint64_t key;
    uint64_t last;
};

/* Longer texts of the file are cut. */
#define MAX_NAME 255u

static int compare_cpus(const void *a, const void *b)
{
    uint32_t left = ((const struct cpu *)a)->number;
    uint32_t right = ((const struct cpu *)b)->number;

    return left < right ? -1 : left > right;
}

static int compare_counters(const void *a, const void *b)
{
    uint64_t left = ((const struct counter *)a)->key;
    uint64_t right = ((const struct counter *)b)->key;

    return left < right ? -1 : left > right;
}

/*
 * Finds an entry equal to @wanted, which has @size bytes, or adds a copy of it. NULL if there is no
 * memory.
 */
static void *find(void **tree, const void *wanted, size_t size,
                  int (*compare)(const void *, const void *), bool *is_new)
{
    void **found = tfind(wanted, tree, compare);
    void *copy;

    *is_new = !found;
    if (found) {
        return *found;
    }
    copy = malloc(size);
    if (copy) {
        memcpy(copy, wanted, size);
        found = tsearch(copy, tree, compare);
    }
    if (!found) {
        free(copy);
    }
    return found ? copy : NULL;
}

/*
 * Who runs
 */

static void end_slice(struct timeline *l, const struct cpu *cpu)
{
    const struct fxt_place place =
        fxt_machine_place(cpu->number, cpu->since, "cpu:ran", string_table_get(l->texts, cpu->who));

    fxt_event(&l->fxt, FXT_COMPLETE, &place, NULL, 0, cpu->last);
}

/* Makes one text of the host or guest that ran and of the thread. */
static int find_who(struct sample_input *g, const struct input_sample *s, const char **world,
                    uint32_t *who, struct error *t)
{
    char text[2 * (MAX_NAME + 1)];
    uint32_t number;

    if (sample_input_cgroup(g, s, &number, t)) {
        return -1;
    }
    *world = string_table_get(&g->profile->texts, number);
    snprintf(text, sizeof(text), "%s %s", *world, string_table_get(&g->profile->texts, s->comm));
    return string_table_number(&g->profile->texts, text, who, t);
}

/* Ends the slice at the first sample of another thread. */
static int follow(struct timeline *l, const struct perfsample *s, uint32_t who, struct error *t)
{
    const struct cpu new = {.number = s->cpu, .who = who, .since = s->time, .last = s->time};
    bool is_new;
    struct cpu *cpu = find(&l->cpus, &new, sizeof(new), compare_cpus, &is_new);

    if (!cpu) {
        return error_memory(t);
    }
    if (is_new) {
        fxt_machine_name(&l->fxt, s->cpu);
    }
    if (s->time > cpu->last) {
        cpu->last = s->time;
    }
    if (cpu->who != who) {
        end_slice(l, cpu);
        cpu->who = who;
        cpu->since = cpu->last;
    }
    return 0;
}

/*
 * What a sample stands for
 */

static void put_sample(struct timeline *l, const struct sample_input *g,
                       const struct input_sample *s, const char *world)
{
    struct input_place at = sample_input_place(g, s, s->mode, s->s->ip);
    char buf[PLACE_NAME];
    const char *name = place_name(&at, 0, buf);
    const struct fxt_place place =
        fxt_machine_place(s->s->cpu, s->s->time, "cpu:sample", g->profile->event[s->event].name);
    const struct fxt_argument argument[] = {
        {.name = "value", .number = s->s->period},
        {.name = "pc", .number = s->s->ip},
        {.name = "function", .text = name ? name : ""},
        {.name = "comm", .text = string_table_get(&g->profile->texts, s->comm)},
        {.name = "world", .text = world},
    };

    fxt_event(&l->fxt, FXT_INSTANT, &place, argument, sizeof(argument) / sizeof(argument[0]), 0);
}

/*
 * Writes the rate from the sample before to this one. The start of the first interval is unknown.
 */
static int put_rate(struct timeline *l, const struct sample_input *g, const struct input_sample *s,
                    struct error *t)
{
    const struct counter new = {.key = (uint64_t)s->event << 32 | s->s->cpu, .last = s->s->time};
    struct fxt_argument rate = {.name = "rate", .is_real = true};
    bool is_new;
    struct counter *c = find(&l->counters, &new, sizeof(new), compare_counters, &is_new);

    if (!c) {
        return error_memory(t);
    }
    if (!is_new && s->s->time > c->last) {
        rate.real = (double)s->s->period * FXT_MACHINE_PER_SECOND / (double)(s->s->time - c->last);
        fxt_machine_counter(&l->fxt, s->s->cpu, c->last, g->profile->event[s->event].name, &rate,
                            1);
        c->last = s->s->time;
    }
    return 0;
}

/* Names of events of vpmu-stats record whose samples have a duration. */
static bool is_span(const char *event)
{
    return strncmp(event, "blackout-", 9) == 0 || strncmp(event, "leak-", 5) == 0;
}

static void put_span(struct timeline *l, const char *event, const struct perfsample *s)
{
    const struct fxt_place place = fxt_machine_place(
        s->cpu, s->weight < s->time ? s->time - s->weight : 0, "cpu:blackout", event);
    const struct fxt_argument instructions = {.name = "instructions", .number = s->period};

    fxt_event(&l->fxt, FXT_COMPLETE, &place, &instructions, 1, s->time);
}

void timeline_begin(struct timeline *l)
{
    fxt_machine_begin(&l->fxt);
}

int timeline_sample(struct sample_input *g, const struct input_sample *s, struct error *t)
{
    struct timeline *l = g->sink;
    const char *world;
    uint32_t who;

    if (s->s->time == UINT64_MAX || s->s->cpu == UINT32_MAX) {
        return error_set(
            t, ERROR_USAGE,
            "samples of '%s' have no time or CPU: use perf record --timestamp --sample-cpu",
            g->profile->event[s->event].name);
    }
    if (find_who(g, s, &world, &who, t) || follow(l, s->s, who, t) || put_rate(l, g, s, t)) {
        return -1;
    }
    put_sample(l, g, s, world);
    if (is_span(g->profile->event[s->event].name)) {
        put_span(l, g->profile->event[s->event].name, s->s);
    }
    return 0;
}

static void end_cpu(const void *node, VISIT visit, void *opaque)
{
    const struct cpu *const *cpu = node;

    if (visit == postorder || visit == leaf) {
        end_slice(opaque, *cpu);
    }
}

int timeline_end(struct timeline *l, struct error *t)
{
    twalk_r(l->cpus, end_cpu, l);
    if (l->fxt.error.code != ERROR_NONE) {
        *t = l->fxt.error;
        return -1;
    }
    return 0;
}

void timeline_free(struct timeline *l)
{
    tdestroy(l->cpus, free);
    tdestroy(l->counters, free);
    fxt_free(&l->fxt);
}
