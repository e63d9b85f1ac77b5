/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A worker and the main thread share only the fields that struct worker marks as shared. */
#include "fleet/crew.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/**
 * struct worker - a thread that samples one machine
 * @plan, @target, @probe: used by the worker only.
 * @asked: a sample is requested or is being taken. This field and those below are shared and
 *     protected by crew.lock.
 * @leave: the worker must end, because nobody asks for the machine any more.
 * @ended: the worker no longer uses the crew.
 * @fresh: @err, @sample and @t hold a result that the main thread has not taken yet.
 */
struct worker {
    struct crew *crew;
    struct plan plan;
    struct options options;
    struct target target;
    struct probe probe;
    pthread_t thread;
    struct worker *next;
    bool asked;
    bool leave;
    bool ended;
    bool fresh;
    int err;
    struct sample sample;
    struct error t;
};

static void ring(struct crew *c)
{
    uint64_t one = 1;

    /* This fails only if the eventfd is already signalled. */
    (void)!write(c->done_fd, &one, sizeof(one));
}

/* Takes a sample. Called with the lock held; releases it while the machine answers. */
static void look_once(struct crew *c, struct worker *w)
{
    struct sample sample;
    struct error t = {0};
    int err;

    pthread_mutex_unlock(&c->lock);
    err = probe_look(&w->probe, &sample, &t);
    pthread_mutex_lock(&c->lock);
    sample_free(&w->sample);
    w->err = err;
    w->sample = sample;
    w->t = t;
    w->fresh = true;
    w->asked = false;
    ring(c);
}

static void *work(void *opaque)
{
    struct worker *w = opaque;
    struct crew *c = w->crew;

    pthread_mutex_lock(&c->lock);
    while (!w->leave) {
        if (w->asked) {
            look_once(c, w);
        } else {
            pthread_cond_wait(&c->work, &c->lock);
        }
    }
    pthread_mutex_unlock(&c->lock);
    probe_close(&w->probe);
    pthread_mutex_lock(&c->lock);
    w->ended = true;
    ring(c);
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

static void free_worker(struct worker *w)
{
    sample_free(&w->sample);
    target_free(&w->target);
    free(w);
}

/* Starts the worker's thread with all signals blocked, so that the main thread receives them. */
static int start_thread(struct worker *w)
{
    sigset_t all;
    sigset_t old;
    int err;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    err = pthread_create(&w->thread, NULL, work, w);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return err;
}

int crew_open(struct crew *c, struct error *t)
{
    *c = (struct crew){.done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    if (c->done_fd < 0) {
        return error_set(t, ERROR_TALK, "cannot make an eventfd: %s", strerror(errno));
    }
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->work, NULL);
    return 0;
}

struct worker *crew_hire(struct crew *c, const struct plan *plan, const struct target *target)
{
    struct worker *w = calloc(1, sizeof(*w));
    struct error t = {0};

    if (!w) {
        return NULL;
    }
    w->crew = c;
    w->options = *plan->options;
    /* The other half of the time is for finding machines. */
    w->options.patience = (w->options.patience + 1) / 2;
    w->options.in_background = true;
    w->plan = *plan;
    w->plan.options = &w->options;
    w->probe.plan = &w->plan;
    w->probe.target = &w->target;
    w->target.named = target->named;
    if (target_set(&w->target, target->name, target->uri, target->uuid, &t) || start_thread(w)) {
        free_worker(w);
        return NULL;
    }
    return w;
}

void crew_ask(struct crew *c, struct worker *w)
{
    pthread_mutex_lock(&c->lock);
    w->asked = true;
    pthread_cond_broadcast(&c->work);
    pthread_mutex_unlock(&c->lock);
}

bool crew_asked(struct crew *c, const struct worker *w)
{
    bool asked;

    if (!w) {
        return false;
    }
    pthread_mutex_lock(&c->lock);
    asked = w->asked;
    pthread_mutex_unlock(&c->lock);
    return asked;
}

bool crew_take(struct crew *c, struct worker *w, struct sample *sample, int *err, struct error *t)
{
    bool fresh;

    pthread_mutex_lock(&c->lock);
    fresh = w->fresh;
    if (fresh) {
        *err = w->err;
        *t = w->t;
        *sample = w->sample;
        w->sample = (struct sample){0};
        w->fresh = false;
    }
    pthread_mutex_unlock(&c->lock);
    return fresh;
}

void crew_dismiss(struct crew *c, struct worker *w)
{
    if (!w) {
        return;
    }
    pthread_mutex_lock(&c->lock);
    w->leave = true;
    w->next = c->leaving;
    c->leaving = w;
    pthread_cond_broadcast(&c->work);
    pthread_mutex_unlock(&c->lock);
}

void crew_reap(struct crew *c)
{
    struct worker **at = &c->leaving;

    while (*at) {
        struct worker *w = *at;
        bool ended;

        pthread_mutex_lock(&c->lock);
        ended = w->ended;
        pthread_mutex_unlock(&c->lock);
        if (ended) {
            pthread_join(w->thread, NULL);
            *at = w->next;
            free_worker(w);
        } else {
            at = &w->next;
        }
    }
}

bool crew_wait(const struct crew *c, int stop_fd, int64_t until)
{
    struct pollfd fds[] = {{.fd = c->done_fd, .events = POLLIN}, {.fd = stop_fd, .events = POLLIN}};
    int64_t left = until - qmp_now();

    poll(fds, 2, left > 0 ? (int)(left / 1000000 + 1) : 0);
    return !fds[1].revents;
}

void crew_unring(struct crew *c)
{
    uint64_t rings;

    (void)!read(c->done_fd, &rings, sizeof(rings));
}

bool crew_close(struct crew *c, int64_t until)
{
    for (crew_reap(c); c->leaving && qmp_now() < until; crew_reap(c)) {
        crew_wait(c, -1, until);
        crew_unring(c);
    }
    if (c->leaving) {
        return false;
    }
    pthread_cond_destroy(&c->work);
    pthread_mutex_destroy(&c->lock);
    close(c->done_fd);
    return true;
}
