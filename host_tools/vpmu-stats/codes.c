/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code of processes. As names of threads do, what one CPU tells of can come behind another's
 * samples. */
#include "codes.h"

#include <stdbool.h>
#include <stdlib.h>

/* Nobody has so much; a file that was made to take long has an end as well. */
#define MAX_LOOKS 4096

/* @order: of two at the same time, the one that came later counts. */
struct code_change {
    struct code code;
    size_t order;
    bool is_fork;
    uint32_t parent;
};

static int add(struct codes *codes, const struct code_change *new, struct trouble *t)
{
    if (codes->n == codes->room) {
        size_t room = codes->room ? codes->room * 2 : 64;
        struct code_change *change = reallocarray(codes->change, room, sizeof(*change));

        if (!change) {
            return trouble_memory(t);
        }
        codes->change = change;
        codes->room = room;
    }
    codes->change[codes->n] = *new;
    codes->change[codes->n].order = codes->n;
    codes->n++;
    return 0;
}

int codes_add(struct codes *codes, const struct code *code, struct trouble *t)
{
    return add(codes, &(struct code_change){.code = *code}, t);
}

int codes_fork(struct codes *codes, uint32_t pid, uint64_t time, uint32_t parent, struct trouble *t)
{
    return add(codes,
               &(struct code_change){
                   .code = {.pid = pid, .time = time}, .is_fork = true, .parent = parent},
               t);
}

static int compare(const void *a, const void *b)
{
    const struct code_change *left = a;
    const struct code_change *right = b;

    if (left->code.pid != right->code.pid) {
        return left->code.pid < right->code.pid ? -1 : 1;
    }
    if (left->code.time != right->code.time) {
        return left->code.time < right->code.time ? -1 : 1;
    }
    return left->order < right->order ? -1 : left->order > right->order;
}

void codes_settle(struct codes *codes)
{
    if (codes->n) {
        qsort(codes->change, codes->n, sizeof(*codes->change), compare);
    }
}

/* How many changes there are up to this one. */
static size_t count_until(const struct codes *codes, const struct code_change *when)
{
    size_t low = 0;
    size_t high = codes->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare(&codes->change[middle], when) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const struct code *codes_find(const struct codes *codes, uint32_t pid, uint64_t time,
                              uint64_t address)
{
    struct code_change when = {.code = {.pid = pid, .time = time}, .order = SIZE_MAX};
    size_t n = count_until(codes, &when);

    for (unsigned looks = 0; n > 0 && looks < MAX_LOOKS; looks++) {
        const struct code_change *c = &codes->change[n - 1];

        if (c->code.pid != when.code.pid) {
            return NULL;
        }
        if (c->is_fork) {
            when = (struct code_change){.code = {.pid = c->parent, .time = c->code.time},
                                        .order = c->order};
            n = count_until(codes, &when);
        } else if (address - c->code.start < c->code.length) {
            return &c->code;
        } else {
            n--;
        }
    }
    return NULL;
}

void codes_free(struct codes *codes)
{
    free(codes->change);
    *codes = (struct codes){0};
}
