/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_THREADS_H
#define VPMU_STATS_THREADS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* In place of the number of a name: that of another thread, or none is known. */
#define THREADS_NO_NAME UINT32_MAX

/**
 * struct threads - which thread had which name from when on; 0 at first
 *
 * Private. Names are numbers of the caller's.
 */
struct threads {
    struct thread_change *change;
    size_t n;
    size_t room;
};

/** threads_name() - from @time on it has this name */
int threads_name(struct threads *threads, uint32_t tid, uint64_t time, uint32_t name,
                 struct error *t);

/** threads_fork() - from @time on it has that of @parent as of then */
int threads_fork(struct threads *threads, uint32_t tid, uint64_t time, uint32_t parent,
                 struct error *t);

/** threads_settle() - no more is added; whatever the order was, names can be found now */
int threads_settle(struct threads *threads, struct error *t);

/** threads_find() - the name that a thread had then, or THREADS_NO_NAME */
uint32_t threads_find(const struct threads *threads, uint32_t tid, uint64_t time);

void threads_free(struct threads *threads);

#endif
