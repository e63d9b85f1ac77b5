/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far counts may change, and lists of events: --max-growth [EVENT=]PERCENT[:FLOOR]. */
#ifndef VPMU_STATS_LIMIT_H
#define VPMU_STATS_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIMITS_MAX 64u

/**
 * struct limit - how far a count may change
 * @event: @length bytes of the event's name; 0 bytes: all events that have no limit of their own.
 * @percent: of the count before. Not negative.
 * @floor: a change of at most so many events is permitted, whatever its percentage is.
 */
struct limit {
    const char *event;
    size_t length;
    double percent;
    uint64_t floor;
};

struct limits {
    struct limit limit[LIMITS_MAX];
    size_t n;
};

/**
 * limits_add() - reads [EVENT=]PERCENT[%][:FLOOR]; the last "=" separates
 * Return: false if @text is something else, or if there are too many limits.
 */
bool limits_add(struct limits *l, const char *text);

/** limits_find() - the limit of an event: the last one with its name, or without a name; or NULL */
const struct limit *limits_find(const struct limits *l, const char *event);

/** limit_exceeded() - is a change of @change events beyond the limit? @base: the count before. */
bool limit_exceeded(const struct limit *l, uint64_t base, uint64_t change);

/**
 * event_length() - the length of the first name in a list that commas separate
 * A comma between the slashes of cpu/event=0x11,umask=1/ does not separate.
 */
size_t event_length(const char *list);

#endif
