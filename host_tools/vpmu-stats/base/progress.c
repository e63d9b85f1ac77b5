/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread prints the line, because a step can be one call that takes long. */
#include "base/progress.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/format.h"

/* The time before the line appears, and between two updates. */
#define FIRST_MS 1000
#define NEXT_MS 200

/* Longer lines might wrap, and a wrapped line cannot be removed. */
#define MAX_WHAT 60

static void show(const struct progress *p)
{
    unsigned percent = atomic_load(&p->percent);
    char what[MAX_WHAT + 1];

    snprintf(what, sizeof(what), "%s", p->what);
    format_tame(what);
    if (percent) {
        fprintf(stderr, "\r[ %s: %u%% ]\033[K", what, percent);
    } else {
        fprintf(stderr, "\r[ %s ]\033[K", what);
    }
    fflush(stderr);
}

static struct timespec later(unsigned ms)
{
    struct timespec at;

    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += ms / 1000;
    at.tv_nsec += (long)(ms % 1000) * 1000000;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
}

static void *run(void *opaque)
{
    struct progress *p = opaque;
    struct timespec at = later(FIRST_MS);
    bool shown = false;

    pthread_mutex_lock(&p->lock);
    while (!p->ends) {
        if (pthread_cond_timedwait(&p->change, &p->lock, &at) && !p->ends) {
            show(p);
            shown = true;
            at = later(NEXT_MS);
        }
    }
    pthread_mutex_unlock(&p->lock);
    if (shown) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    return NULL;
}

void progress_start(struct progress *p, const char *what)
{
    pthread_condattr_t monotonic;

    *p = (struct progress){.what = what};
    if (!isatty(STDERR_FILENO)) {
        return;
    }
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&p->lock, NULL);
    pthread_cond_init(&p->change, &monotonic);
    pthread_condattr_destroy(&monotonic);
    p->runs = pthread_create(&p->thread, NULL, run, p) == 0;
}

void progress_at(struct progress *p, uint64_t done, uint64_t all)
{
    if (p && all) {
        atomic_store(&p->percent, (unsigned)(100.0 * (double)done / (double)all));
    }
}

void progress_stop(struct progress *p)
{
    if (!p->runs) {
        return;
    }
    pthread_mutex_lock(&p->lock);
    p->ends = true;
    pthread_cond_signal(&p->change);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    pthread_cond_destroy(&p->change);
    pthread_mutex_destroy(&p->lock);
    p->runs = false;
}
