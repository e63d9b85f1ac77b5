/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_HOST_RUN_H
#define VPMU_TESTS_HOST_RUN_H

#include "chooser.h"
#include "watched_machine.h"

/*
 * A record of what a host, its hypervisor and its guests have executed, kept without the library:
 * who runs, which perf events are on, and what the switch has done to them. What each counter, each
 * observer and the meter must have found is computed from it.
 */

#define EVENTS 6
#define UNGATED_OBSERVERS 9

/* HCR_EL2 (Arm ARM D24.2). */
#define HCR_VM BIT(0)
#define HCR_TGE BIT(27)
#define HCR_E2H BIT(34)

/* A kind of host, and the value of HCR_EL2 while the host runs. */
struct mode {
    bool vhe;
    uint64_t hcr;
    /* EL0 of the host runs while a guest is loaded, which is an error on a VHE host. */
    bool careless_host;
};

/* A perf event, and the counter with the same number. */
struct event {
    /* exclude_user, exclude_kernel, exclude_hv, exclude_host, exclude_guest */
    bool u, k, hv, xh, xg;
    bool nsh;   /* nVHE: it counts guests, but the hypervisor does not exclude EL2 */
    bool on;    /* perf has started it */
    bool hw;    /* PMCNTENSET */
    bool moved; /* VHE: load has moved EL0 in its filter */
    struct vpmu_observer o;
    uint64_t start; /* the counter's first value */
    /* Instructions since then. */
    uint64_t counted;
    uint64_t seen;
    uint64_t firmware; /* of these at EL3 */
    uint64_t windows;  /* what the meter had found in windows at the start */
};

struct host_run {
    struct watched s;
    struct chooser c;
    const struct mode *mode;
    bool e; /* PMCR.E */
    uint64_t vmid;
    bool switching; /* HCR_EL2 has the guest's value while EL2 still runs */
    struct event ev[EVENTS];
    struct vpmu_observer o[UNGATED_OBSERVERS];
    /* Instructions that an observer counts, in windows, in leaks. */
    uint64_t ran[UNGATED_OBSERVERS];
    uint64_t sampled[UNGATED_OBSERVERS]; /* the weights of their samples */
    uint64_t stopped;
    uint64_t leak;
    uint64_t windows[VPMU_SPAN_COUNT];
};

/* Starts with the PE at @place, with a meter and observers. Nothing has run. */
void host_run_begin(struct host_run *t, const struct mode *mode, enum place place, uint64_t seed);

bool one_in(struct host_run *t, uint64_t n);

/*
 * Moves the PE to another place and checks everything. The reason matters only if a guest stops
 * running.
 */
void move_because(struct host_run *t, enum place place, unsigned reason);
void move(struct host_run *t, enum place place);

/* Executes instructions at the current place, possibly with some at EL3 in between. */
void stay(struct host_run *t);

/* The same, and then writes a register. The caller must record the effect of the write. */
void write_reg(struct host_run *t, unsigned reg, uint64_t val);

/* Fails the test if anything differs from the record. Call it only after moves and writes. */
void check(struct host_run *t);

/*
 * Tells whether an event's filter includes a place of the host. perf has set the filter, and load
 * may have moved EL0.
 */
bool lets_in(const struct event *e, enum place place, bool moved);

/* What the meter has found in windows, or in leaks, including open spans. */
uint64_t metered(const struct host_run *t, bool leaks, unsigned unit);

#endif
