/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples all machines at once. Each has a worker, so that a slow machine does not delay others. */
#include "fleet/fleet.h"

#include <stdlib.h>
#include <string.h>

/* How long to wait at the end for machines to answer. */
#define END_MS 3000
/* After this many lines about a machine, print at most one line per minute about it. */
#define TELL_FREELY 10u
#define TELL_AGAIN_MS 60000

int fleet_open(struct fleet *f, const struct plan *plan, struct error *t)
{
    *f = (struct fleet){.plan = *plan};
    if (options_named(plan->options, &f->named, t) || crew_open(&f->crew, t)) {
        targets_free(&f->named);
        return -1;
    }
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
        m->worker = m->name && !target->missing ? crew_hire(&f->crew, &f->plan, target) : NULL;
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
    crew_dismiss(&f->crew, m->worker);
    free_member(m);
    f->n--;
    memmove(&f->member[i], &f->member[i + 1], (f->n - i) * sizeof(f->member[0]));
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

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/*
 * Returns how a machine is to be called that reports the name @own. A machine without a name of its
 * own reports the file name of its socket. If the user named several sockets with this file name,
 * none of them has it, so that their names do not depend on which of them runs first.
 */
static const char *wanted_name(const struct fleet *f, const struct member *m, const char *own)
{
    if (!m->target.named || m->target.uri || strcmp(own, file_name(m->target.name)) != 0) {
        return own;
    }
    for (size_t i = 0; i < f->named.n; i++) {
        const char *name = f->named.target[i].name;

        if (strcmp(name, m->target.name) != 0 && strcmp(file_name(name), own) == 0) {
            return m->target.name;
        }
    }
    return own;
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
        name_member(f, m, wanted_name(f, m, own));
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
    struct sample sample = {0};
    struct error t = {0};
    int err;

    if (!crew_take(&f->crew, m->worker, &sample, &err, &t)) {
        return;
    }
    if (err == 0) {
        accept_sample(f, m, &sample);
    } else if (t.code != ERROR_STOPPED) {
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

/* Tests whether the look still waits for a machine. */
static bool is_awaited(struct fleet *f, const struct member *m)
{
    return m->waited && crew_asked(&f->crew, m->worker);
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
    crew_reap(&f->crew);
    take_results(f);
    if (find_machines(f, t)) {
        return -1;
    }
    for (size_t i = 0; i < f->n; i++) {
        struct member *m = f->member[i];

        m->waited |= m->up;
        if (m->worker) {
            crew_ask(&f->crew, m->worker);
        }
    }
    return 0;
}

int fleet_fd(const struct fleet *f)
{
    return f->crew.done_fd;
}

int64_t fleet_until(const struct fleet *f)
{
    return f->until;
}

bool fleet_is_done(struct fleet *f)
{
    crew_unring(&f->crew);
    if (is_pending(f) && qmp_now() < f->until) {
        return false;
    }
    take_results(f);
    give_up(f);
    return true;
}

int fleet_look(struct fleet *f, struct error *t)
{
    if (fleet_begin(f, t)) {
        return -1;
    }
    while (!fleet_is_done(f)) {
        if (!crew_wait(&f->crew, f->plan.stop_fd, f->until)) {
            return error_set(t, ERROR_STOPPED, "stopped");
        }
    }
    return 0;
}

/* Threads that do not end in time run until the process ends. */
bool fleet_close(struct fleet *f)
{
    for (size_t i = 0; i < f->n; i++) {
        crew_dismiss(&f->crew, f->member[i]->worker);
        free_member(f->member[i]);
    }
    f->n = 0;
    targets_free(&f->named);
    return crew_close(&f->crew, qmp_after(END_MS));
}
