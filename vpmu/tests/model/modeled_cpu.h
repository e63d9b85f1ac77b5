/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_MODELED_CPU_H
#define VPMU_TESTS_MODELED_CPU_H

#include "fixture.h"
#include "vpmu/model.h"

/* A modelled CPU and its totals. */
struct modeled {
    struct vpmu_model *model;
    struct vpmu_model_config config;
    struct vpmu_model_head *head; /* the head of model */
    struct vpmu_arm_totals totals;
    unsigned page;
};

/* Everything happens in this context. Nothing may be tallied in others. */
#define MODELED_CTX NS_EL1

/*
 * Tiny caches and TLBs, which a few accesses fill. Lines have 64 bytes. L1I: 2 sets of 1 way; L1D:
 * 2 sets of 2 ways; L2: 4 sets of 2 ways; last level: 8 sets of 2 ways. L1 TLBs: 2 entries, fully
 * associative; L2 TLB: 2 sets of 2 ways. Penalties are different primes and are not tallied.
 */
struct vpmu_model_config config_tiny(void);

/*
 * Makes the model with all totals 0. Only one model can exist at a time, because the memory is
 * static.
 */
void modeled_start(struct modeled *m, const struct vpmu_model_config *config);

/* One step of a trace. */
enum action {
    END_OF_TRACE,
    LOAD,
    STORE,
    FETCH,
    PAGES, /* size: binary logarithm of the size of the pages of what follows; at first 12 */
    FLUSH,
    FLUSH_PAGE, /* addr */
    SPACE,      /* addr: the low one, size: the high one */
    MAINTAIN,   /* size: enum vpmu_maintenance */
    EMPTY,      /* size: 1: all caches, 0: L1I */
};

struct step {
    enum action action;
    uint64_t addr;
    unsigned size;
};

/*
 * Events that are sums of sources, which traces name like sources. The sources of TLBs are in no
 * trace. Accesses of a level that does not exist are not compared.
 */
enum summed {
    L2_READS = VPMU_SRC_COUNT,
    L2_WRITES,
    LL_READS,
    LL_WRITES,
    DTLB_REFILLS,
    DTLB_WALKS,
    ITLB_REFILLS,
    ITLB_WALKS,
    SUMMED_END,
};

/* How many events of a source a trace causes. The totals of all other sources must be 0. */
struct want {
    unsigned n;
    unsigned source;
};

#define MAX_STEPS 12
#define MAX_WANTS 28

struct trace {
    const char *name;
    struct step steps[MAX_STEPS];
    struct want wants[MAX_WANTS];
};

void modeled_step(struct modeled *m, const struct step *step);

/*
 * Fails the test unless exactly these events have been tallied. @row names the row in the message.
 */
void expect_totals(const char *row, const struct modeled *m, const struct want wants[MAX_WANTS]);

/* Runs each trace on a new model. */
void run_traces(const struct vpmu_model_config *config, const struct trace *traces, size_t count);

#endif
