/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_HOST_CASES_H
#define VPMU_TESTS_HOST_CASES_H

#include "watched_machine.h"

/* The kinds of step. */
enum op {
    NO_MORE,
    DO_MOVE,
    DO_RUN,
    DO_WRITE,
    DO_CONTROL,
};

struct host_step {
    enum op op;
    uint64_t a;
    uint64_t b;
};

/* Any exit reason. */
#define SOME VPMU_EXIT_IRQ

#define GO(place)                                                                                  \
    {                                                                                              \
        DO_MOVE, place, SOME                                                                       \
    }
#define RUN(n)                                                                                     \
    {                                                                                              \
        DO_RUN, n, 0                                                                               \
    }
#define SET(mask)                                                                                  \
    {                                                                                              \
        DO_WRITE, VPMU_PMCNTENSET, mask                                                            \
    }
#define CLR(mask)                                                                                  \
    {                                                                                              \
        DO_WRITE, VPMU_PMCNTENCLR, mask                                                            \
    }
#define TYPE(idx, type)                                                                            \
    {                                                                                              \
        DO_WRITE, VPMU_PMEVTYPER0 + (idx), type                                                    \
    }
#define PMCR(val)                                                                                  \
    {                                                                                              \
        DO_WRITE, VPMU_PMCR, val                                                                   \
    }
#define MDCR_EL2(val)                                                                              \
    {                                                                                              \
        DO_CONTROL, val, 0                                                                         \
    }

#define P VPMU_TYPER_P
#define U VPMU_TYPER_U
#define NSH VPMU_TYPER_NSH
#define INST VPMU_EVENT_INST_RETIRED
#define E VPMU_PMCR_E

#define MAX_STEPS 40
#define ALL_COUNTERS 8

/**
 * struct host_case - steps, and what the meter must find
 * @times: how often the steps are repeated.
 */
struct host_case {
    const char *name;
    unsigned times;
    struct host_step steps[MAX_STEPS];
    struct want_spans wants[MAX_SPANS];
};

#define ENTRY VPMU_SPAN_ENTRY
#define EXIT VPMU_SPAN_EXIT
#define INSIDE VPMU_SPAN_INSIDE
#define ABORTED VPMU_SPAN_ABORTED
#define LEAK_HOST VPMU_SPAN_LEAK_HOST
#define LEAK_GUEST VPMU_SPAN_LEAK_GUEST

void act_all(struct watched *s, const struct host_step steps[]);

/*
 * Starts the machine. The host has been at @rest. Its kernel at @kernel has set the types of all
 * counters, with INST_RETIRED, and PMCR.E, and has enabled no counter. The meter runs.
 */
void begin(struct watched *s, enum place rest, enum place kernel,
           const uint64_t types[ALL_COUNTERS]);

/* Runs each case on a new machine. */
void run_cases(const struct host_case *cases, size_t count, enum place rest, enum place kernel,
               const uint64_t types[ALL_COUNTERS]);

/*
 * The counters of an nVHE host, with the filters that perf sets: H0 and H1 count the host with its
 * EL2; HX counts the host without EL2; G counts guests. GX is a guest counter of a hypervisor that
 * does not exclude EL2. ALL counts everything.
 */
#define H0 BIT(0)
#define H1 BIT(1)
#define HX BIT(2)
#define G BIT(3)
#define GX BIT(4)
#define ALL BIT(5)
#define OWN 6

extern const uint64_t nvhe_types[ALL_COUNTERS];

#endif
