/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples one machine repeatedly. The machine may end, restart, or stop answering. */
#include "fleet/probe.h"

#include <stdlib.h>
#include <string.h>

void sample_free(struct sample *s)
{
    free(s->name);
    free(s->cpu);
    free(s->counts);
    free(s->guest);
    *s = (struct sample){0};
}

/*
 * Removes observers that an earlier connection may have left in the machine. Errors are ignored,
 * since the observers may be gone already.
 */
static void remove_left(struct probe *p)
{
    struct qmp *q = p->s.q;
    int stop_fd = q->stop_fd;
    int patience = q->patience;
    struct error ignored = {0};

    if (p->left.n > 0) {
        observers_remove(&p->left, q, &ignored);
        q->stop_fd = stop_fd;
        q->patience = patience;
    }
}

static int add_observers(struct probe *p, struct error *t)
{
    const struct events *events = p->plan->events;

    for (size_t i = 0; i < events->n; i++) {
        if (observers_add(&p->observers, p->s.q, events->event[i].text, MACHINE_UNGATED, t)) {
            return -1;
        }
    }
    return 0;
}

/* Only Arm CPUs have a blackout meter. */
static bool has_meter(const struct probe *p)
{
    return p->plan->meter && !pmus_of_x86(&p->s.pmus);
}

/* Switches the meter on, unless it is on already: another program may have switched it on. */
static int start_meter(struct probe *p, struct error *t)
{
    if (!has_meter(p) || p->s.pmus.pmu[0].meter) {
        return 0;
    }
    p->meter_on = true;
    return machine_meter(p->s.q, true, t);
}

/* Arm machines have a PMU with KVM, too, but QEMU executes nothing there that it could count. */
static int check_emulated(struct probe *p, struct error *t)
{
    const char *accelerator;

    if (machine_accelerator(p->s.q, &accelerator, t)) {
        return -1;
    }
    return strcmp(accelerator, "kvm") == 0
               ? error_set(t, ERROR_NO_VPMU,
                           "the machine runs with KVM, where QEMU counts no events: use vpmu-stats "
                           "exits or record")
               : 0;
}

static int begin(struct probe *p, struct error *t)
{
    if (session_connect(&p->s, p->plan->options, p->target, p->plan->stop_fd, t) ||
        check_emulated(p, t)) {
        return -1;
    }
    p->guest = calloc(p->s.pmus.n, sizeof(*p->guest));
    if (!p->guest) {
        return error_memory(t);
    }
    remove_left(p);
    return add_observers(p, t) || start_meter(p, t) ? -1 : 0;
}

static int allocate(struct sample *s, const struct session *from, size_t events)
{
    size_t vcpus = from->pmus.n;

    s->name = strdup(from->name);
    s->cpu = calloc(vcpus, sizeof(*s->cpu));
    s->counts = calloc(vcpus, (events ? events : 1) * sizeof(*s->counts));
    s->guest = calloc(vcpus, sizeof(*s->guest));
    if (!s->name || !s->cpu || !s->counts || !s->guest) {
        return -1;
    }
    s->vcpus = vcpus;
    for (size_t i = 0; i < vcpus; i++) {
        s->cpu[i] = from->pmus.pmu[i].cpu;
    }
    snprintf(s->version, sizeof(s->version), "%s", from->pmus.pmu[0].version);
    format_tame(s->version);
    return 0;
}

/* Covers only the vCPUs that existed when the probe connected. */
static void look_at_guest(struct probe *p, const struct pmus *now)
{
    for (size_t i = 0; i < p->s.pmus.n; i++) {
        for (size_t k = 0; k < now->n; k++) {
            if (now->pmu[k].cpu == p->s.pmus.pmu[i].cpu) {
                guest_look(&p->guest[i], &now->pmu[k]);
            }
        }
    }
}

static int take_guest(struct probe *p, struct sample *s, struct error *t)
{
    struct pmus now;

    if (machine_pmus(p->s.q, &now, t)) {
        return -1;
    }
    look_at_guest(p, &now);
    pmus_free(&now);
    memcpy(s->guest, p->guest, s->vcpus * sizeof(*s->guest));
    return 0;
}

static int take(struct probe *p, struct sample *s, struct error *t)
{
    if (allocate(s, &p->s, p->plan->events->n)) {
        return error_memory(t);
    }
    if (observers_read(&p->observers, p->s.q, &p->s.pmus, s->counts, t)) {
        return -1;
    }
    s->when = qmp_now();
    if (p->plan->guest && take_guest(p, s, t)) {
        return -1;
    }
    s->metered = has_meter(p);
    return s->metered ? blackout_read(&s->blackout, false, p->s.q, &p->s.pmus, t) : 0;
}

int probe_look(struct probe *p, struct sample *s, struct error *t)
{
    int64_t began = qmp_now();

    *s = (struct sample){.first = !p->s.q};
    if ((s->first && begin(p, t)) || take(p, s, t)) {
        sample_free(s);
        probe_close(p);
        /* A new machine at the same address has none of our observers. */
        if (t->code == ERROR_ENDED) {
            p->left.n = 0;
            p->meter_on = false;
        }
        return -1;
    }
    s->seconds = (double)(qmp_now() - began) / 1e9;
    return 0;
}

/* Remembers in p->left and p->meter_on what could not be removed. */
static void switch_off(struct probe *p)
{
    struct observers all = p->observers;
    struct error t = {0};

    if (observers_remove(&p->observers, p->s.q, &t)) {
        p->left = all;
    }
    if (p->meter_on && machine_meter(p->s.q, false, &t) == 0) {
        p->meter_on = false;
    }
}

void probe_close(struct probe *p)
{
    struct error none = {0};

    if (p->s.q) {
        switch_off(p);
    }
    session_close(&p->s, &none);
    p->s = (struct session){0};
    free(p->guest);
    p->guest = NULL;
    p->observers.n = 0;
}
