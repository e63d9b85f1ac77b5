/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_THREADS_H
#define VPMU_STATS_THREADS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* Instead of the number of a name: the thread has the name of its parent, or none is known. */
#define THREADS_NO_NAME UINT32_MAX

/**
 * struct threads - which thread had which name at which time; all 0 at first
 *
 * All fields are private. The caller chooses the numbers of names.
 */
struct threads {
    struct thread_change *change;
    size_t n;
    size_t room;
};

/** threads_name() - add a name, valid from @time on */
int threads_name(struct threads *threads, uint32_t tid, uint64_t time, uint32_t name,
                 struct error *t);

/** threads_fork() - add a fork: from @time on, a thread has the name that @parent has then */
int threads_fork(struct threads *threads, uint32_t tid, uint64_t time, uint32_t parent,
                 struct error *t);

/** threads_settle() - finish adding, in any order. threads_find() can be called afterwards. */
int threads_settle(struct threads *threads, struct error *t);

/** threads_find() - get the name that a thread had at a time, or THREADS_NO_NAME */
uint32_t threads_find(const struct threads *threads, uint32_t tid, uint64_t time);

void threads_free(struct threads *threads);

#endif
