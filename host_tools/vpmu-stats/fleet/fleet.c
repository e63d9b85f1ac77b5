/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples all machines at once. Each machine has a worker thread, so that a slow machine does not
 * delay the others. A worker and the main thread share only the fields that struct worker marks as
 * shared.
 */
#include "fleet/fleet.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* How long to wait at the end for machines to answer. */
#define END_MS 3000
/* After this many lines about a machine, print at most one line per minute about it. */
#define TELL_FREELY 10u
#define TELL_AGAIN_MS 60000

/**
 * struct worker - a thread that samples one machine
 * @plan, @target, @probe: used by the worker only.
 * @asked: a sample is requested or is being taken. This field and those below are shared and
 *     protected by fleet.lock.
 * @leave: the worker must end, because the machine is no longer in the fleet.
 * @ended: the worker no longer uses the fleet.
 * @fresh: @err, @sample and @t hold a result that the main thread has not taken yet.
 */
struct worker {
    struct fleet *f;
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

static void ring(struct fleet *f)
{
    uint64_t one = 1;

    /* This fails only if the eventfd is already signalled. */
    (void)!write(f->done_fd, &one, sizeof(one));
}

/* Takes a sample. Called with the lock held; releases it while the machine answers. */
static void look_once(struct fleet *f, struct worker *w)
{
    struct sample sample;
    struct error t = {0};
    int err;

    pthread_mutex_unlock(&f->lock);
    err = probe_look(&w->probe, &sample, &t);
    pthread_mutex_lock(&f->lock);
    sample_free(&w->sample);
    w->err = err;
    w->sample = sample;
    w->t = t;
    w->fresh = true;
    w->asked = false;
    ring(f);
}

static void *work(void *opaque)
{
    struct worker *w = opaque;
    struct fleet *f = w->f;

    pthread_mutex_lock(&f->lock);
    while (!w->leave) {
        if (w->asked) {
            look_once(f, w);
        } else {
            pthread_cond_wait(&f->work, &f->lock);
        }
    }
    pthread_mutex_unlock(&f->lock);
    probe_close(&w->probe);
    pthread_mutex_lock(&f->lock);
    w->ended = true;
    ring(f);
    pthread_mutex_unlock(&f->lock);
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

static struct worker *new_worker(struct fleet *f, const struct target *target)
{
    struct worker *w = calloc(1, sizeof(*w));
    struct error t = {0};

    if (!w) {
        return NULL;
    }
    w->f = f;
    w->options = *f->plan.options;
    /* The other half of the time is for finding machines. */
    w->options.patience = (w->options.patience + 1) / 2;
    w->options.in_background = true;
    w->plan = f->plan;
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

int fleet_open(struct fleet *f, const struct plan *plan, struct error *t)
{
    *f = (struct fleet){.plan = *plan};
    if (options_named(plan->options, &f->named, t)) {
        targets_free(&f->named);
        return -1;
    }
    f->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (f->done_fd < 0) {
        targets_free(&f->named);
        return error_set(t, ERROR_TALK, "cannot make an eventfd: %s", strerror(errno));
    }
    pthread_mutex_init(&f->lock, NULL);
    pthread_cond_init(&f->work, NULL);
    return 0;
}

static bool is_taken(const struct fleet *f, const struct member *m, const char *name)
{
    for (size_t i = 0; i < f->n; i++) {
        if (f->member[i] != m && f->member[i]->name && strcmp(f->member[i]->name, name) == 0) {
            return true;
        }
    }
    return false;
}

/*
 * Gives the member the first unused name of these: @wanted, the target's name, and the target's
 * name with "#2", "#3" and so on.
 */
static void name_member(struct fleet *f, struct member *m, const char *wanted)
{
    char *name = strdup(wanted);

    for (unsigned i = 1; name; i++) {
        format_tame(name);
        if (!is_taken(f, m, name)) {
            free(m->name);
            m->name = name;
            return;
        }
        free(name);
        if (asprintf(&name, i > 1 ? "%s#%u" : "%s", m->target.name, i) < 0) {
            return;
        }
    }
}

static void free_member(struct member *m)
{
    sample_free(&m->now);
    sample_free(&m->before);
    target_free(&m->target);
    free(m->name);
    free(m->own);
    free(m);
}

/* Makes a member, with a worker unless the machine is missing. */
static struct member *new_member(struct fleet *f, const struct target *target, struct error *t)
{
    struct member *m = calloc(1, sizeof(*m));

    if (!m) {
        error_memory(t);
        return NULL;
    }
    m->target = (struct target){.named = target->named, .missing = target->missing};
    if (target_set(&m->target, target->name, target->uri, target->uuid, t) == 0) {
        name_member(f, m, target->name);
        m->worker = m->name && !target->missing ? new_worker(f, target) : NULL;
    }
    if (!m->name || (!m->worker && !target->missing)) {
        error_set(t, ERROR_TALK, "%s: no memory or no thread", target->name);
        free_member(m);
        return NULL;
    }
    /* A new machine is assumed to be up, so that only a failure is reported. */
    m->reported_up = true;
    m->waited = m->worker;
    return m;
}

static void note(struct fleet *f, const struct error *t)
{
    if (f->first.code == ERROR_NONE && t->code != ERROR_STOPPED) {
        f->first = *t;
    }
}

static bool may_tell(struct member *m)
{
    int64_t now = qmp_now();

    if (m->told >= TELL_FREELY && now < m->reported_at + (int64_t)TELL_AGAIN_MS * 1000000) {
        return false;
    }
    m->told++;
    m->reported_at = now;
    return true;
}

static void tell_member(struct member *m)
{
    struct error line = m->why;

    if (m->hidden || m->up == m->reported_up || !may_tell(m)) {
        return;
    }
    if (m->up) {
        error_set(&line, ERROR_TALK, "is up again");
    }
    error_about(&line, m->name);
    error_print(&line);
    m->reported_up = m->up;
}

void fleet_tell(struct fleet *f)
{
    if (!f->reported_finding) {
        error_print(&f->finding);
        f->reported_finding = true;
    }
    for (size_t i = 0; i < f->n; i++) {
        tell_member(f->member[i]);
    }
}

static void go_down(struct fleet *f, struct member *m, const struct error *t)
{
    m->up = false;
    m->why = *t;
    m->hidden = !m->target.named && t->code == ERROR_NO_VPMU;
    if (!m->hidden) {
        note(f, t);
    }
}

/* Called with the lock held. @w may be NULL. */
static void dismiss_worker(struct fleet *f, struct worker *w)
{
    if (!w) {
        return;
    }
    w->leave = true;
    w->next = f->leaving;
    f->leaving = w;
    pthread_cond_broadcast(&f->work);
}

/* Removes a member whose socket or domain no longer exists. If it was up, reports that it ended. */
static void remove_member(struct fleet *f, size_t i)
{
    struct member *m = f->member[i];
    struct error t = {0};

    if (m->up) {
        error_set(&t, ERROR_ENDED, "the machine ended");
        go_down(f, m, &t);
        tell_member(m);
    }
    pthread_mutex_lock(&f->lock);
    dismiss_worker(f, m->worker);
    pthread_mutex_unlock(&f->lock);
    free_member(m);
    f->n--;
    memmove(&f->member[i], &f->member[i + 1], (f->n - i) * sizeof(f->member[0]));
}

/* Joins and frees the workers that have ended. */
static void reap(struct fleet *f)
{
    struct worker **at = &f->leaving;

    while (*at) {
        struct worker *w = *at;
        bool ended;

        pthread_mutex_lock(&f->lock);
        ended = w->ended;
        pthread_mutex_unlock(&f->lock);
        if (ended) {
            pthread_join(w->thread, NULL);
            *at = w->next;
            free_worker(w);
        } else {
            at = &w->next;
        }
    }
}

static bool is_listed(const struct targets *targets, const struct member *m)
{
    for (size_t i = 0; i < targets->n; i++) {
        if (target_same(&targets->target[i], &m->target)) {
            return true;
        }
    }
    return false;
}

static struct member *find_member(const struct fleet *f, const struct target *target)
{
    for (size_t i = 0; i < f->n; i++) {
        if (target_same(&f->member[i]->target, target)) {
            return f->member[i];
        }
    }
    return NULL;
}

/* Removes the members that are not listed in @targets, and adds a member for each new target. */
static int follow(struct fleet *f, const struct targets *targets, struct error *t)
{
    for (size_t i = f->n; i-- > 0;) {
        if (!is_listed(targets, f->member[i])) {
            remove_member(f, i);
        }
    }
    for (size_t i = 0; i < targets->n && f->n < TARGETS_MAX; i++) {
        struct member *m;

        if (find_member(f, &targets->target[i])) {
            continue;
        }
        m = new_member(f, &targets->target[i], t);
        if (!m) {
            return -1;
        }
        f->member[f->n++] = m;
    }
    return 0;
}

/*
 * Looks for each named machine until it is found. It is a member from the beginning, and stays one,
 * whether it runs or not.
 */
static void find_named(struct fleet *f, const struct options *o, struct error *t)
{
    struct error why[OPTIONS_MAX_ARGUMENTS];

    options_find(o, f->plan.stop_fd, &f->named, why);
    if (follow(f, &f->named, t)) {
        return;
    }
    for (size_t i = 0; i < f->named.n; i++) {
        if (why[i].code == ERROR_STOPPED) {
            *t = why[i];
        } else if (f->named.target[i].missing) {
            go_down(f, find_member(f, &f->named.target[i]), &why[i]);
        }
    }
}

/* Finds all machines that run now. Finding none is not an error. */
static void find_running(struct fleet *f, const struct options *o, struct error *t)
{
    struct targets targets = {.n = 0};
    bool known = options_targets(o, f->plan.stop_fd, &targets, t) == 0;

    if (t->code == ERROR_NO_MACHINE) {
        *t = (struct error){0};
        known = true;
    }
    if (known && follow(f, &targets, t) == 0) {
        targets_check(&targets, t);
    }
    targets_free(&targets);
}

static int find_machines(struct fleet *f, struct error *t)
{
    struct options options = *f->plan.options;
    struct error finding = {0};

    options.patience = (options.patience + 1) / 2;
    if (options.n > 0) {
        find_named(f, &options, &finding);
    } else {
        find_running(f, &options, &finding);
    }
    if (finding.code == ERROR_STOPPED) {
        *t = finding;
        return -1;
    }
    f->reported_finding = f->reported_finding && finding.code == f->finding.code;
    f->finding = finding;
    note(f, &finding);
    return 0;
}

/*
 * Renames a member only if the name that the machine reports has changed. A member that got a
 * substitute name keeps it, even if its own name becomes unused.
 */
static void rename_member(struct fleet *f, struct member *m)
{
    char *own;

    if (m->own && strcmp(m->own, m->now.name) == 0) {
        return;
    }
    own = strdup(m->now.name);
    if (own) {
        free(m->own);
        m->own = own;
        name_member(f, m, own);
    }
}

static void accept_sample(struct fleet *f, struct member *m, struct sample *s)
{
    sample_free(&m->before);
    if (s->first || s->vcpus != m->now.vcpus) {
        sample_free(&m->now);
    }
    m->before = m->now;
    m->now = *s;
    *s = (struct sample){0};
    m->up = true;
    m->hidden = false;
    rename_member(f, m);
}

/* Takes the result of the worker's last sample, if there is a new one. */
static void take_result(struct fleet *f, struct member *m)
{
    struct worker *w = m->worker;
    struct sample sample = {0};
    struct error t = {0};
    bool fresh;
    int err;

    pthread_mutex_lock(&f->lock);
    fresh = w->fresh;
    err = w->err;
    if (fresh) {
        sample = w->sample;
        t = w->t;
        w->sample = (struct sample){0};
        w->fresh = false;
    }
    pthread_mutex_unlock(&f->lock);
    if (fresh && err == 0) {
        accept_sample(f, m, &sample);
    } else if (fresh && t.code != ERROR_STOPPED) {
        go_down(f, m, &t);
    }
}

static void take_results(struct fleet *f)
{
    for (size_t i = 0; i < f->n; i++) {
        if (f->member[i]->worker) {
            take_result(f, f->member[i]);
        }
    }
}

static void ask_all(struct fleet *f)
{
    pthread_mutex_lock(&f->lock);
    for (size_t i = 0; i < f->n; i++) {
        if (f->member[i]->worker) {
            f->member[i]->worker->asked = true;
        }
    }
    pthread_cond_broadcast(&f->work);
    pthread_mutex_unlock(&f->lock);
}

/* Tests whether the look still waits for a machine. */
static bool is_awaited(struct fleet *f, const struct member *m)
{
    bool asked;

    if (!m->waited || !m->worker) {
        return false;
    }
    pthread_mutex_lock(&f->lock);
    asked = m->worker->asked;
    pthread_mutex_unlock(&f->lock);
    return asked;
}

static bool is_pending(struct fleet *f)
{
    for (size_t i = 0; i < f->n; i++) {
        if (is_awaited(f, f->member[i])) {
            return true;
        }
    }
    return false;
}

/* Marks the machines that have not answered in time as down. */
static void give_up(struct fleet *f)
{
    for (size_t i = 0; i < f->n; i++) {
        struct member *m = f->member[i];

        if (is_awaited(f, m)) {
            struct error t;

            error_set(&t, ERROR_TALK, "no response within %d ms", f->plan.options->patience);
            go_down(f, m, &t);
        }
        m->waited = m->up;
    }
}

int fleet_begin(struct fleet *f, struct error *t)
{
    f->until = qmp_after(f->plan.options->patience);
    reap(f);
    take_results(f);
    if (find_machines(f, t)) {
        return -1;
    }
    for (size_t i = 0; i < f->n; i++) {
        f->member[i]->waited |= f->member[i]->up;
    }
    ask_all(f);
    return 0;
}

int fleet_fd(const struct fleet *f)
{
    return f->done_fd;
}

int64_t fleet_until(const struct fleet *f)
{
    return f->until;
}

bool fleet_is_done(struct fleet *f)
{
    uint64_t rings;

    (void)!read(f->done_fd, &rings, sizeof(rings));
    if (is_pending(f) && qmp_now() < f->until) {
        return false;
    }
    take_results(f);
    give_up(f);
    return true;
}

/* Waits until a worker signals or the time @until. Returns false if the user stops the program. */
static bool wait_ring(const struct fleet *f, int stop_fd, int64_t until)
{
    struct pollfd fds[] = {{.fd = f->done_fd, .events = POLLIN}, {.fd = stop_fd, .events = POLLIN}};
    int64_t left = until - qmp_now();

    poll(fds, 2, left > 0 ? (int)(left / 1000000 + 1) : 0);
    return !fds[1].revents;
}

int fleet_look(struct fleet *f, struct error *t)
{
    if (fleet_begin(f, t)) {
        return -1;
    }
    while (!fleet_is_done(f)) {
        if (!wait_ring(f, f->plan.stop_fd, f->until)) {
            return error_set(t, ERROR_STOPPED, "stopped");
        }
    }
    return 0;
}

/* Threads that do not end in time run until the process ends. */
bool fleet_close(struct fleet *f)
{
    int64_t until = qmp_after(END_MS);

    pthread_mutex_lock(&f->lock);
    for (size_t i = 0; i < f->n; i++) {
        dismiss_worker(f, f->member[i]->worker);
    }
    pthread_mutex_unlock(&f->lock);
    while (f->n > 0) {
        free_member(f->member[--f->n]);
    }
    for (reap(f); f->leaving && qmp_now() < until; reap(f)) {
        uint64_t rings;

        wait_ring(f, -1, until);
        (void)!read(f->done_fd, &rings, sizeof(rings));
    }
    targets_free(&f->named);
    if (f->leaving) {
        return false;
    }
    pthread_cond_destroy(&f->work);
    pthread_mutex_destroy(&f->lock);
    close(f->done_fd);
    return true;
}
