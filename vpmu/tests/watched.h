/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_WATCHED_H
#define VPMU_TESTS_WATCHED_H

#include "fixture.h"
#include "vpmu/arm/watch.h"

/* Where the PE of a machine with a hypervisor runs: an nVHE host, a VHE host, or a guest. */
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

/* What passes with each instruction. */
#define CYCLES_EACH 3
#define NANOSECONDS_EACH 10

/* A machine with a watch and, perhaps, a meter. */
struct watched {
    struct machine m;
    uint64_t ns;
    enum place place;
    struct vpmu_watch w;
    struct vpmu_blackout b;
};

/* PMUv3p7 with EL2 and EL3, no Secure EL2, 8 counters; CPU_CYCLES is timed. */
struct vpmu_config config_watched(void);

/* Makes the machine and attaches the watch; the meter is off, PMCR.E 0. */
void watched_start(struct watched *s, const struct vpmu_config *config, enum place place);

/* The PE is somewhere else from now on; if a guest stops running for that, this is the reason. */
void go(struct watched *s, enum place place);
void go_because(struct watched *s, enum place place, unsigned reason);

/* @n instructions run, and time passes. */
void run(struct watched *s, uint64_t n);

/* The PE writes a register, from where it is; the write itself takes no instruction. */
void put(struct watched *s, unsigned reg, uint64_t val);

/* A counter's value, read from where every counter can be seen, which disturbs nothing. */
uint64_t value_of(struct watched *s, unsigned idx);

/* What an observer counts while @n instructions run. */
uint64_t seen_of(struct watched *s, const struct vpmu_observer *o, uint64_t n);

/* An observer of @text, added; the test fails if the text is refused. */
void observe(struct watched *s, struct vpmu_observer *o, const char *text, uint8_t gate);

/* Spans of a kind, and how many instructions they had in all. */
struct want_spans {
    enum vpmu_span kind;
    uint64_t windows;
    uint64_t instructions;
};

#define MAX_SPANS VPMU_SPAN_COUNT

/* The meter has found these, up to the first with no windows, and nothing else. */
void expect_spans(const char *row, const struct watched *s, const struct want_spans wants[]);

#endif
