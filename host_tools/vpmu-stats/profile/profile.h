/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PROFILE_H
#define VPMU_STATS_PROFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "profile/string-table.h"

/**
 * struct profile_entry - the sum of all samples with the same key
 * @event: index of the event.
 * @total: in a row with children, the period that includes them. Otherwise not used.
 * @mark: for the caller; 0 at first.
 * @key: @n numbers of texts. The caller decides what they mean.
 */
struct profile_entry {
    uint64_t samples;
    uint64_t period;
    uint64_t total;
    uint64_t mark;
    unsigned event;
    uint32_t n;
    uint32_t key[];
};

/**
 * struct profile_event - an event, and the sums of all its samples
 * @branches: perf_event_attr.branch_sample_type
 * @each: the samples stand for all events, not for a part of them.
 * @lines: each sample is a line of the source, and its period is the count of that line.
 */
struct profile_event {
    const char *name;
    uint64_t branches;
    bool each;
    bool lines;
    uint64_t samples;
    uint64_t period;
    uint64_t lost;
};

/**
 * struct profile - samples, summed up by key; all 0 at first
 * @texts: the texts of keys.
 * @event: @events events, set by profile_events(). Their names are in @texts.
 * @entry: @n entries. Until they are sorted, they have the order in which their keys first
 *     occurred.
 * @lost: lost samples of an unknown event.
 *
 * The other fields are private.
 */
struct profile {
    struct string_table texts;
    struct profile_event *event;
    size_t events;
    struct profile_entry **entry;
    size_t n;
    size_t room;
    uint64_t lost;
    void *tree;
    struct profile_entry *spare;
    uint32_t spare_room;
};

/** profile_events() - allocate events, whose names are NULL. Return: 0 or -1. */
int profile_events(struct profile *p, size_t events, struct error *t);

/**
 * profile_add() - add a sample
 * @key: @n numbers of texts in p->texts.
 *
 * Return: 0, or -1 with an error.
 */
int profile_add(struct profile *p, unsigned event, uint64_t period, const uint32_t *key, uint32_t n,
                struct error *t);

/** profile_entry() - get the entry with a key, and add it if it is new. NULL with an error. */
struct profile_entry *profile_entry(struct profile *p, unsigned event, const uint32_t *key,
                                    uint32_t n, struct error *t);

/** profile_text() - get part @i of an entry's key as text */
const char *profile_text(const struct profile *p, const struct profile_entry *e, uint32_t i);

/** profile_compare_keys() - compare the texts of two keys, part by part. Return: <0, 0 or >0. */
int profile_compare_keys(const struct profile *p, const struct profile_entry *a,
                         const struct profile_entry *b);

/** profile_sort_by_period() - sort by event, then by falling period, then by key */
void profile_sort_by_period(struct profile *p);

/** profile_sort_by_total() - sort by event, then by falling total, then by period and key */
void profile_sort_by_total(struct profile *p);

/** profile_sort_by_key() - sort by event, then by key */
void profile_sort_by_key(struct profile *p);

/** profile_free_entries() - free only the entries; the rest of @p belongs to another profile */
void profile_free_entries(struct profile *p);

void profile_free(struct profile *p);

#endif
