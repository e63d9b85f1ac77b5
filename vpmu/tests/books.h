/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_BOOKS_H
#define VPMU_TESTS_BOOKS_H

#include "chooser.h"
#include "watched.h"

/*
 * Books of what a host, its hypervisor and its guests have executed, kept without the library: who
 * runs, which events perf has on, what the switch has done to them. From these follows what each
 * counter, each observer and the meter must have found.
 */

#define EVENTS 6
#define UNGATED_OBSERVERS 9

/* HCR_EL2 (Arm ARM D24.2). */
#define HCR_VM BIT(0)
#define HCR_TGE BIT(27)
#define HCR_E2H BIT(34)

/* A host, and how its hypervisor sets HCR_EL2 while the host runs. */
struct mode {
    bool vhe;
    uint64_t hcr;
    /* EL0 of the host runs while a guest is loaded, as on no VHE host that is right. */
    bool careless_host;
};

/* An event of perf's, and the counter of the same number. */
struct event {
    /* exclude_user, exclude_kernel, exclude_hv, exclude_host, exclude_guest */
    bool u, k, hv, xh, xg;
    bool nsh;   /* nVHE: it counts guests, but another hypervisor forgot to keep EL2 out */
    bool on;    /* perf has started it */
    bool hw;    /* PMCNTENSET */
    bool moved; /* VHE: load has moved EL0 in its filter */
    struct vpmu_observer o;
    uint64_t start; /* the counter's first value */
    /* Instructions since then. */
    uint64_t counted;
    uint64_t seen;
    uint64_t firmware; /* of those seen, at EL3 */
    uint64_t windows;  /* all that the meter had in windows at the start */
};

struct story {
    struct watched s;
    struct chooser c;
    const struct mode *mode;
    bool e; /* PMCR.E */
    uint64_t vmid;
    bool switching; /* EL2 has HCR_EL2 as it is for the guest */
    struct event ev[EVENTS];
    struct vpmu_observer o[UNGATED_OBSERVERS];
    /* Instructions: those that an observer sees, in windows, in leaks. */
    uint64_t ran[UNGATED_OBSERVERS];
    uint64_t sampled[UNGATED_OBSERVERS]; /* what their samples stand for */
    uint64_t dark;
    uint64_t leak;
    uint64_t windows[VPMU_SPAN_COUNT];
};

/* The PE is at @place, with a meter and observers, and has not run yet. */
void story_begin(struct story *t, const struct mode *mode, enum place place, uint64_t seed);

bool one_in(struct story *t, uint64_t n);

/* The PE goes somewhere else, and all is checked. The reason is of account if a guest stops. */
void move_because(struct story *t, enum place place, unsigned reason);
void move(struct story *t, enum place place);

/* The PE executes something where it is; perhaps EL3 does in between. */
void stay(struct story *t);

/* The same, then the PE writes a register. It is for the caller to book what that does. */
void write_reg(struct story *t, unsigned reg, uint64_t val);

/* Fails the test if anything is not as the books have it; after moves and writes only. */
void check(struct story *t);

/* Does an event's filter, as perf set it and perhaps load moved it, let a place of the host in? */
bool lets_in(const struct event *e, enum place place, bool moved);

/* All that the meter has found in windows, or in leaks, the open ones among them. */
uint64_t metered(const struct story *t, bool leaks, unsigned unit);

#endif
