/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_HTML_H
#define VPMU_STATS_HTML_H

#include <stdio.h>

#include "profile/stacks.h"

/**
 * struct html_tick - when and where a sample was taken, and how many events it stands for
 * @comm: the number of a text.
 */
struct html_tick {
    uint64_t time;
    uint64_t events;
    uint32_t cpu;
    uint32_t comm;
};

/**
 * struct html - collects the samples of one event for a page; all 0 at first
 * @event: its name; NULL for the first event.
 * @stacks: how call chains are shown.
 *
 * The other fields are private.
 */
struct html {
    const char *event;
    struct stacks_options stacks;
    struct profile code;
    struct html_tick *tick;
    size_t n;
    size_t room;
};

/**
 * html_sample() - a sample_input_each: add a sample
 *
 * g->sink is the struct html, g->opaque its stacks. Call chains are summed up in g->profile.
 */
int html_sample(struct sample_input *g, const struct input_sample *s, struct error *t);

/**
 * html_write() - write a page that needs no other file: a flame graph, a table of functions, a
 * timeline of vCPUs, and the instructions of the functions with the most samples
 * @p: g->profile. It is sorted by this function.
 * @event: index of the event.
 *
 * Return: 0, or -1 with an error.
 */
int html_write(struct html *h, struct profile *p, unsigned event, FILE *file, struct error *t);

void html_free(struct html *h);

#endif
