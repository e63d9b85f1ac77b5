/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the name that a thread had at a time. The records of one CPU can follow samples of another
 * CPU that need them, so all names are read before the first lookup.
 */
#include "profile/threads.h"

#include <stdbool.h>
#include <stdlib.h>

/* @order: the position in the file. Of two changes at the same time, the later one counts. */
struct thread_change {
    uint64_t time;
    size_t order;
    uint32_t tid;
    uint32_t parent;
    uint32_t name;
    bool is_fork;
};

static int add(struct threads *threads, const struct thread_change *new, struct error *t)
{
    if (threads->n == threads->room) {
        size_t room = threads->room ? threads->room * 2 : 64;
        struct thread_change *change = reallocarray(threads->change, room, sizeof(*change));

        if (!change) {
            return error_memory(t);
        }
        threads->change = change;
        threads->room = room;
    }
    threads->change[threads->n] = *new;
    threads->change[threads->n].order = threads->n;
    threads->n++;
    return 0;
}

int threads_name(struct threads *threads, uint32_t tid, uint64_t time, uint32_t name,
                 struct error *t)
{
    return add(threads, &(struct thread_change){.tid = tid, .time = time, .name = name}, t);
}

int threads_fork(struct threads *threads, uint32_t tid, uint64_t time, uint32_t parent,
                 struct error *t)
{
    return add(
        threads,
        &(struct thread_change){
            .tid = tid, .time = time, .parent = parent, .name = THREADS_NO_NAME, .is_fork = true},
        t);
}

static int compare_when(const struct thread_change *a, const struct thread_change *b)
{
    if (a->time != b->time) {
        return a->time < b->time ? -1 : 1;
    }
    return a->order < b->order ? -1 : a->order > b->order;
}

static int compare(const void *a, const void *b)
{
    const struct thread_change *left = a;
    const struct thread_change *right = b;

    if (left->tid != right->tid) {
        return left->tid < right->tid ? -1 : 1;
    }
    return compare_when(left, right);
}

static int compare_pointers(const void *a, const void *b)
{
    return compare_when(*(const struct thread_change *const *)a,
                        *(const struct thread_change *const *)b);
}

/* Returns the last change of a thread that is not after @when; NULL if there is none. */
static const struct thread_change *find(const struct threads *threads,
                                        const struct thread_change *when)
{
    size_t low = 0;
    size_t high = threads->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare(&threads->change[middle], when) <= 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low > 0 && threads->change[low - 1].tid == when->tid ? &threads->change[low - 1] : NULL;
}

/* In the order of time, so that the name of the parent is known. */
static void name_forked(const struct threads *threads, struct thread_change *c)
{
    struct thread_change when = {.tid = c->parent, .time = c->time, .order = c->order};
    const struct thread_change *from = find(threads, &when);

    c->name = from ? from->name : THREADS_NO_NAME;
}

int threads_settle(struct threads *threads, struct error *t)
{
    struct thread_change **sorted = reallocarray(NULL, threads->n, sizeof(*sorted));

    if (!sorted && threads->n) {
        return error_memory(t);
    }
    if (threads->n) {
        qsort(threads->change, threads->n, sizeof(*threads->change), compare);
    }
    for (size_t i = 0; i < threads->n; i++) {
        sorted[i] = &threads->change[i];
    }
    if (threads->n) {
        qsort(sorted, threads->n, sizeof(*sorted), compare_pointers);
    }
    for (size_t i = 0; i < threads->n; i++) {
        if (sorted[i]->is_fork) {
            name_forked(threads, sorted[i]);
        }
    }
    free(sorted);
    return 0;
}

uint32_t threads_find(const struct threads *threads, uint32_t tid, uint64_t time)
{
    const struct thread_change *c =
        find(threads, &(struct thread_change){.tid = tid, .time = time, .order = SIZE_MAX});

    return c ? c->name : THREADS_NO_NAME;
}

void threads_free(struct threads *threads)
{
    free(threads->change);
    *threads = (struct threads){0};
}
