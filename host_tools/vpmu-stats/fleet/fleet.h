/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_FLEET_H
#define VPMU_STATS_FLEET_H

#include "fleet/crew.h"
#include "fleet/probe.h"
#include "kvm_glue/design.h"

/**
 * struct member - a machine of a fleet and the result of its last sample
 * @target: how to reach the machine.
 * @name: a unique name in valid UTF-8 without control characters. It is the machine's own name, or
 *     the target's name if the machine's name is unknown or already in use.
 * @up: the machine answered.
 * @hidden: do not show this machine: it has no emulated PMU, and the user did not name it.
 * @why: why the machine is not up.
 * @now: the last sample. It is kept when the machine goes down.
 * @before: the sample before @now. It is empty if the machine's counts restarted in between.
 *
 * The other fields are private.
 */
struct member {
    struct target target;
    char *name;
    bool up;
    bool hidden;
    struct error why;
    struct sample now;
    struct sample before;
    char *own; /* the name that the machine reports */
    struct worker *worker;
    bool waited;
    bool reported_up;
    unsigned told;
    int64_t reported_at;
};

/**
 * struct fleet - a changing set of machines that are sampled together
 * @plan: what to measure.
 * @n: number of members.
 * @member: the machines, in no particular order.
 * @first: the first error of any machine, or of finding machines.
 * @design: how the KVM of this host gives counters to guests; KVM_GLUE_DESIGN_EVENTS until it is
 * set.
 * @finding: why the list of machines could not be read. The known machines are then kept.
 *
 * The other fields are private.
 */
struct fleet {
    struct plan plan;
    size_t n;
    struct member *member[TARGETS_MAX];
    struct error first;
    struct error finding;
    enum kvm_glue_design design;
    bool reported_finding;
    struct targets named;
    int64_t until;
    struct crew crew;
};

/**
 * fleet_open() - initialize a fleet without machines
 * @plan: is copied; what it points to must stay valid.
 *
 * Return: 0, or -1 with an error. After success, call fleet_close().
 */
int fleet_open(struct fleet *f, const struct plan *plan, struct error *t);

/**
 * fleet_begin() - update the list of machines and begin to take a sample of all of them in parallel
 *
 * Call fleet_is_done() at once, whenever fleet_fd() is readable, and at the time fleet_until(),
 * until it returns true. That takes at most plan.options->patience. A machine that is new or that
 * was up counts as down if it does not answer in that time. A machine that was down is sampled too,
 * but nothing waits for it. A machine that was named and has not been found is down.
 *
 * Return: 0, even if there are no machines or some are down; or -1 with ERROR_STOPPED.
 */
int fleet_begin(struct fleet *f, struct error *t);

int fleet_fd(const struct fleet *f);
int64_t fleet_until(const struct fleet *f);
bool fleet_is_done(struct fleet *f);

/** fleet_look() - do what fleet_begin() begins. Return: 0, or -1 with ERROR_STOPPED. */
int fleet_look(struct fleet *f, struct error *t);

/**
 * fleet_tell() - print changes of state on standard error
 *
 * It prints one line for each machine that went down or came up again, and one if the list of
 * machines can no longer be read. After ten lines about one machine, it prints at most one
 * per minute.
 */
void fleet_tell(struct fleet *f);

/**
 * fleet_close() - remove the observers and switch off the meters that this fleet added
 *
 * It waits up to three seconds for machines that do not answer.
 *
 * Return: true, or false if a machine did not answer. Threads may then still use @f and what its
 * plan points to, so neither may be freed.
 */
bool fleet_close(struct fleet *f);

#endif
