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

static void free_target(struct target *target)
{
    free(target->name);
    free(target->uri);
    free(target->uuid);
}

static bool copy_text(char **to, const char *text)
{
    *to = text ? strdup(text) : NULL;
    return !text || *to;
}

static int copy_target(struct target *to, const struct target *from)
{
    *to = (struct target){.named = from->named};
    return copy_text(&to->name, from->name) && copy_text(&to->uri, from->uri) &&
                   copy_text(&to->uuid, from->uuid)
               ? 0
               : -1;
}

static void free_worker(struct worker *w)
{
    sample_free(&w->sample);
    free_target(&w->target);
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
    if (copy_target(&w->target, target) || start_thread(w)) {
        free_worker(w);
        return NULL;
    }
    return w;
}

int fleet_open(struct fleet *f, const struct plan *plan, struct error *t)
{
    *f = (struct fleet){.plan = *plan};
    f->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (f->done_fd < 0) {
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
    free_target(&m->target);
    free(m->name);
    free(m->own);
    free(m);
}

static struct member *new_member(struct fleet *f, const struct target *target)
{
    struct member *m = calloc(1, sizeof(*m));

    if (!m) {
        return NULL;
    }
    if (copy_target(&m->target, target) == 0) {
        name_member(f, m, target->name);
        m->worker = m->name ? new_worker(f, target) : NULL;
    }
    if (!m->worker) {
        free_member(m);
        return NULL;
    }
    /* A new machine is assumed to be up, so that only a failure is reported. */
    m->reported_up = true;
    m->waited = true;
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
    struct error line;

    if (m->hidden || m->up == m->reported_up || !may_tell(m)) {
        return;
    }
    error_set(&line, ERROR_TALK, "%s: %s", m->name, m->up ? "is up again" : m->why.text);
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

/* Called with the lock held. */
static void dismiss_worker(struct fleet *f, struct worker *w)
{
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

static bool has_member(const struct fleet *f, const struct target *target)
{
    for (size_t i = 0; i < f->n; i++) {
        if (target_same(&f->member[i]->target, target)) {
            return true;
        }
    }
    return false;
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

        if (has_member(f, &targets->target[i])) {
            continue;
        }
        m = new_member(f, &targets->target[i]);
        if (!m) {
            return error_set(t, ERROR_TALK, "no memory or no thread for %s",
                             targets->target[i].name);
        }
        f->member[f->n++] = m;
    }
    return 0;
}

/* Looks for the machine that the user named as argument @i. */
static void find_named(struct fleet *f, size_t i, struct options *o, struct error *t)
{
    struct targets targets = {.n = 0};

    o->n = 1;
    o->arguments[0] = f->plan.options->arguments[i];
    if (options_targets(o, f->plan.stop_fd, &targets, t) == 0) {
        const struct target *target = &targets.target[0];

        f->found[i] = targets_add(&f->named, target->name, target->uri, target->uuid, true, t) == 0;
    }
    targets_free(&targets);
}

/*
 * Looks for each named machine until it is found. After that it stays a member, whether it runs or
 * not.
 */
static void find_all_named(struct fleet *f, struct options *o, struct error *t)
{
    size_t n = f->plan.options->n;

    for (size_t i = 0; i < n && t->code != ERROR_STOPPED; i++) {
        if (!f->found[i]) {
            find_named(f, i, o, t);
        }
    }
    if (t->code != ERROR_STOPPED) {
        follow(f, &f->named, t);
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
    if (known) {
        follow(f, &targets, t);
    }
    targets_free(&targets);
}

static int find_machines(struct fleet *f, struct error *t)
{
    struct options options = *f->plan.options;
    struct error finding = {0};

    options.patience = (options.patience + 1) / 2;
    if (options.n > 0) {
        find_all_named(f, &options, &finding);
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
        take_result(f, f->member[i]);
    }
}

static void ask_all(struct fleet *f)
{
    pthread_mutex_lock(&f->lock);
    for (size_t i = 0; i < f->n; i++) {
        f->member[i]->worker->asked = true;
    }
    pthread_cond_broadcast(&f->work);
    pthread_mutex_unlock(&f->lock);
}

static bool is_pending(struct fleet *f)
{
    bool pending = false;

    pthread_mutex_lock(&f->lock);
    for (size_t i = 0; i < f->n; i++) {
        pending |= f->member[i]->waited && f->member[i]->worker->asked;
    }
    pthread_mutex_unlock(&f->lock);
    return pending;
}

/* Waits until a worker signals. Returns false if time is up or the user stops the program. */
static bool wait_ring(struct fleet *f, int stop_fd, int64_t until)
{
    struct pollfd fds[] = {{.fd = f->done_fd, .events = POLLIN}, {.fd = stop_fd, .events = POLLIN}};
    int64_t left = until - qmp_now();
    uint64_t rings;

    if (left <= 0 || (poll(fds, 2, (int)(left / 1000000 + 1)) < 0 && errno != EINTR)) {
        return false;
    }
    (void)!read(f->done_fd, &rings, sizeof(rings));
    return !fds[1].revents;
}

/* Marks the machines that have not answered in time as down. */
static void give_up(struct fleet *f)
{
    for (size_t i = 0; i < f->n; i++) {
        struct member *m = f->member[i];
        bool asked;

        pthread_mutex_lock(&f->lock);
        asked = m->worker->asked;
        pthread_mutex_unlock(&f->lock);
        if (m->waited && asked) {
            struct error t;

            error_set(&t, ERROR_TALK, "no response within %d ms", f->plan.options->patience);
            go_down(f, m, &t);
        }
        m->waited = m->up;
    }
}

static bool is_stopped(const struct fleet *f)
{
    struct pollfd fd = {.fd = f->plan.stop_fd, .events = POLLIN};

    return poll(&fd, 1, 0) > 0;
}

int fleet_look(struct fleet *f, struct error *t)
{
    int64_t until = qmp_after(f->plan.options->patience);

    reap(f);
    take_results(f);
    if (find_machines(f, t)) {
        return -1;
    }
    for (size_t i = 0; i < f->n; i++) {
        f->member[i]->waited |= f->member[i]->up;
    }
    ask_all(f);
    while (is_pending(f) && wait_ring(f, f->plan.stop_fd, until)) {
    }
    if (is_stopped(f)) {
        return error_set(t, ERROR_STOPPED, "stopped");
    }
    take_results(f);
    give_up(f);
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
    do {
        reap(f);
    } while (f->leaving && wait_ring(f, -1, until));
    targets_free(&f->named);
    if (f->leaving) {
        return false;
    }
    pthread_cond_destroy(&f->work);
    pthread_mutex_destroy(&f->lock);
    close(f->done_fd);
    return true;
}
