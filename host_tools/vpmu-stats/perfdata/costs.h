/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_COSTS_H
#define VPMU_STATS_COSTS_H

#include <stdbool.h>
#include <stddef.h>

/* The most costs. */
#define COSTS_MAX 14u

/**
 * costs_names() - the names of what exact profiles count beside instructions, in valgrind's order
 * @caches: with accesses to memory, and misses of fetches, reads and writes.
 * @branches: with branches and mispredictions.
 * @names: receives up to COSTS_MAX names. Events have these with modifiers, such as "Bc:u".
 *
 * Return: their number.
 */
size_t costs_names(bool caches, bool branches, const char *names[COSTS_MAX]);

/** costs_name() - the name without modifiers, if an event is a cost; otherwise NULL */
const char *costs_name(const char *event);

/* The names of events that calls cost begin with this. */
#define COSTS_CALLED "called-"

/** costs_called() - the name of what calls cost of an event, if it is a cost; otherwise NULL */
const char *costs_called(const char *event);

/**
 * costs_of_called() - what calls cost of which event
 *
 * Return: the name of the event without modifiers; NULL if @event is not one of calls.
 */
const char *costs_of_called(const char *event);

/** costs_is_instructions() - is this the event of instructions, with modifiers or without? */
bool costs_is_instructions(const char *event);

/** costs_parse_choice() - "yes" or "no", or NULL for yes. Return: false if @text is another. */
bool costs_parse_choice(const char *text, bool *choice);

#endif
