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
 * struct plan - what is to be known of machines
 * @options: patience, and which machines.
 * @events: what is observed.
 * @meter: the blackout meter is read, and switched on where it is off.
 * @guest: so is what the guest does with its counters.
 * @stop_fd: what becomes readable when the user wants to end.
 */
struct plan {
    const struct options *options;
    const struct events *events;
    bool meter;
    bool guest;
    int stop_fd;
};

/**
 * struct sample - what a machine said when it was asked
 * @when: as qmp_now() has it; 0 if it never was.
 * @seconds: how long that took.
 * @first: observers were added for this sample, so that counts are those since then.
 * @name: what a person calls the machine.
 * @version: of its PMU, such as "p5".
 * @vcpus: how many; @cpu has their numbers.
 * @counts: for each vCPU, one for each event.
 * @guest: for each vCPU; of no use without plan.guest.
 * @blackout: all vCPUs together; of no use without plan.meter.
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

/** sample_free() - afterwards there is none */
void sample_free(struct sample *s);

/**
 * struct probe - one machine that is looked at again and again
 * @plan, @target: set by the caller; they are needed until probe_close().
 *
 * The rest is private, 0 in the beginning.
 */
struct probe {
    const struct plan *plan;
    const struct target *target;
    struct session s;
    struct observers observers;
    struct observers left; /* perhaps still there when the connection was lost */
    bool meter_on;         /* by this probe */
    struct guest_use *guest;
};

/**
 * probe_look() - asks a machine; connects, adds observers and switches the meter on if need be
 * @s: is filled in, if all is well.
 *
 * Return: 0, or -1 with an error, after which nothing is connected any more, and what was switched
 * on is off as far as the machine still answers. The next call tries again.
 */
int probe_look(struct probe *p, struct sample *s, struct error *t);

/** probe_close() - switches off what was switched on, and ends the connection if there is one */
void probe_close(struct probe *p);

#endif
