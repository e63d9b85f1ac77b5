/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_SCENE_H
#define VPMU_TESTS_SCENE_H

#include "watched.h"

/* What happens, in the order in which it does. */
enum op {
    NO_MORE,
    DO_MOVE,
    DO_RUN,
    DO_WRITE,
    DO_CONTROL,
};

struct deed {
    enum op op;
    uint64_t a;
    uint64_t b;
};

/* A reason as good as any. */
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

#define MAX_DEEDS 40
#define ALL_COUNTERS 8

/**
 * struct scene - what happens, and what the meter is to find
 * @times: how often it happens.
 */
struct scene {
    const char *name;
    unsigned times;
    struct deed deeds[MAX_DEEDS];
    struct want_spans wants[MAX_SPANS];
};

#define ENTRY VPMU_SPAN_ENTRY
#define EXIT VPMU_SPAN_EXIT
#define INSIDE VPMU_SPAN_INSIDE
#define ABORTED VPMU_SPAN_ABORTED
#define LEAK_HOST VPMU_SPAN_LEAK_HOST
#define LEAK_GUEST VPMU_SPAN_LEAK_GUEST

void act_all(struct watched *s, const struct deed deeds[]);

/*
 * The host has been at @rest; its kernel at @kernel has set the types of all counters, with
 * INST_RETIRED, and PMCR.E, and switched none on. The meter runs.
 */
void begin(struct watched *s, enum place rest, enum place kernel,
           const uint64_t types[ALL_COUNTERS]);

/* Each scene on a machine of its own. */
void play(const struct scene *scenes, size_t count, enum place rest, enum place kernel,
          const uint64_t types[ALL_COUNTERS]);

/*
 * Counters of an nVHE host, as perf sets their filters: H0, H1 count the host with its EL2; HX the
 * host without; G guests. GX is what a careless hypervisor might do for a guest. ALL counts all.
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
