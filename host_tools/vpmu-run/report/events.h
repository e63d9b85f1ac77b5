/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_EVENTS_H
#define VPMU_RUN_EVENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "failure.h"

#define EVENTS_MAX 64u
#define EVENT_NAME_SIZE 96

/* General counters of the machine's CPU: more hardware events would have to share them. */
#define EVENTS_HARDWARE_MAX 15u

/**
 * struct event - what is to be counted
 * @name: as the user wrote it.
 * @key, @text: of the job, see protocol.h.
 * @machine: e_machine of the machines that have it; EM_NONE: all.
 * @hardware: it needs one of the PMU's counters.
 * @user: it counts in programs only.
 */
struct event {
    char name[EVENT_NAME_SIZE];
    const char *key;
    char text[EVENT_NAME_SIZE + 32];
    unsigned machine;
    bool hardware, user;
};

struct events {
    struct event event[EVENTS_MAX];
    size_t n;
};

/** events_default() - what is counted without -e */
extern const char events_default[];

/**
 * events_add() - adds a list as perf stat -e has it
 * Names are perf's: hardware, cache and software events, rNNN, PMU/TERM,.../, and SUBSYSTEM:NAME
 * for tracepoints. Modifiers follow a colon. {A,B} is a group. An event that is there already is
 * not added again.
 *
 * Return: 0, or -1 with FAILURE_USAGE.
 */
int events_add(struct events *e, const char *list, struct failure *f);

/** events_check() - has a machine for programs with this e_machine the PMUs of all events? */
int events_check(const struct events *e, unsigned machine, struct failure *f);

#endif
