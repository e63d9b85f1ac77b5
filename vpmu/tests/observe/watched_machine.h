/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_WATCHED_MACHINE_H
#define VPMU_TESTS_WATCHED_MACHINE_H

#include "fixture.h"
#include "vpmu/arm/watch.h"

/* Where a PE runs: in an nVHE host, in a VHE host, or in a guest. */
enum place {
    N_EL0,
    N_EL1,
    N_EL2,
    V_EL0,
    V_EL2,
    G_EL0,
    G_EL1,
    FIRMWARE, /* EL3, called from wherever the PE was */
};

/* The time that each instruction takes. */
#define CYCLES_EACH 3
#define NANOSECONDS_EACH 10

/* A machine with a watch and optionally a meter. */
struct watched {
    struct machine m;
    enum place place;
    struct vpmu_watch w;
    struct vpmu_blackout b;
};

/* PMUv3p7 with EL2 and EL3, no Secure EL2, 8 counters; CPU_CYCLES is timed. */
struct vpmu_arm_config config_watched(void);

/* Makes the machine and attaches the watch; the meter is off, PMCR.E 0. */
void watched_start(struct watched *s, const struct vpmu_arm_config *config, enum place place);

/* Moves the PE to another place. @reason is the exit reason if a guest stops running. */
void go(struct watched *s, enum place place);
void go_because(struct watched *s, enum place place, unsigned reason);
/* The same for a machine that does not call vpmu_arm_sample() before. */
void leave(struct watched *s, enum place place);

/* Runs @n instructions, and lets time pass. */
void run(struct watched *s, uint64_t n);

/* Writes a register from the PE's current place. The write itself takes no instruction. */
void put(struct watched *s, unsigned reg, uint64_t val);

/* A counter's value, read at a place that can access every counter. The read has no side effect. */
uint64_t value_of(struct watched *s, unsigned idx);

/* Runs @n instructions. Returns what an observer counts meanwhile. */
uint64_t seen_of(struct watched *s, const struct vpmu_observer *o, uint64_t n);

/* Adds an observer for @text. Fails the test if the text is refused. */
void observe(struct watched *s, struct vpmu_observer *o, const char *text, uint8_t gate);

/* The number of spans of a kind and their instructions. */
struct want_spans {
    enum vpmu_span kind;
    uint64_t windows;
    uint64_t instructions;
};

#define MAX_SPANS VPMU_SPAN_COUNT

/*
 * Fails the test unless the meter has found exactly these spans. The list ends at the first entry
 * without windows.
 */
void expect_spans(const char *row, const struct watched *s, const struct want_spans wants[]);

#endif
