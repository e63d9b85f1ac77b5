/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PROBE_H
#define VPMU_STATS_PROBE_H

#include "machine/blackout.h"
#include "machine/events.h"
#include "base/format.h"
#include "machine/guest.h"
#include "machine/observers.h"
#include "session/session.h"
#include "qmp/target.h"

/**
 * struct plan - what to measure
 * @options: the machines, and how long to wait for an answer.
 * @events: the events to observe.
 * @meter: read the blackout meter, and switch it on where it is off.
 * @guest: read what the guest does with its counters.
 * @stop_fd: becomes readable when the user stops the program.
 */
struct plan {
    const struct options *options;
    const struct events *events;
    bool meter;
    bool guest;
    int stop_fd;
};

/**
 * struct sample - what a machine reported
 * @when: time of the sample, from qmp_now(); 0 if there is no sample.
 * @seconds: how long the sample took.
 * @first: the observers were added for this sample, so counts start from there.
 * @name: the machine's name for display.
 * @version: version of its PMU, such as "p5".
 * @vcpus: number of vCPUs.
 * @cpu: their numbers.
 * @counts: one count for each event, for each vCPU in turn.
 * @guest: one for each vCPU; valid only with plan.guest.
 * @metered: @blackout is valid.
 * @blackout: the sum over all vCPUs.
 */
struct sample {
    int64_t when;
    double seconds;
    bool first;
    char *name;
    char version[FORMAT_SIZE];
    size_t vcpus;
    unsigned *cpu;
    uint64_t *counts;
    struct guest_use *guest;
    bool metered;
    struct blackout blackout;
};

/** sample_free() - free a sample and reset it to "no sample" */
void sample_free(struct sample *s);

/**
 * struct probe - takes samples of one machine
 * @plan, @target: set by the caller; they must stay valid until probe_close().
 *
 * The other fields are private and must be 0 before the first use.
 */
struct probe {
    const struct plan *plan;
    const struct target *target;
    struct session s;
    struct observers observers;
    struct observers left; /* perhaps left in the machine when the connection was lost */
    bool meter_on;         /* switched on by this probe */
    struct guest_use *guest;
};

/**
 * probe_look() - take a sample of a machine
 * @s: receives the sample. On failure it is empty.
 *
 * If necessary, it first connects, adds the observers and switches the meter on.
 *
 * Return: 0, or -1 with an error. After an error the connection is closed, and everything that the
 * probe switched on is off, if the machine still answers. The next call connects again.
 */
int probe_look(struct probe *p, struct sample *s, struct error *t);

/** probe_close() - undo what the probe switched on, and disconnect if it is connected */
void probe_close(struct probe *p);

#endif
