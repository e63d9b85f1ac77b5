/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_SIMPLE_MODEL_H
#define VPMU_TESTS_SIMPLE_MODEL_H

#include "vpmu/arm/contexts.h"
#include "vpmu/model.h"

/*
 * A second implementation of vpmu/model.h, in the simplest way, which is slow. It shares only the
 * header with the library.
 */

/* An entry of a cache or TLB. */
struct simple_item {
    bool present;
    bool dirty;
    uint64_t number; /* of the line or page */
    uint32_t space;
    uint64_t bytes; /* of the page; 0 for a line */
    uint64_t came;  /* the time of its allocation */
    uint64_t used;  /* the time of its last use */
};

#define SIMPLE_MAX_ITEMS 32768

struct simple_store {
    bool exists;
    bool lru;
    uint64_t sets;
    uint64_t ways;
    struct simple_item items[SIMPLE_MAX_ITEMS]; /* set by set */
};

#define SIMPLE_TABLES 4
#define SIMPLE_HISTORY 64

struct simple_tagged {
    bool present;
    unsigned tag;
    int counter;
    int useful;
};

struct simple_jump {
    bool present;
    uint64_t pc;
    uint64_t target;
};

struct simple_branches {
    bool history[SIMPLE_HISTORY]; /* the latest outcome first */
    int counters[8192];
    struct simple_tagged tagged[SIMPLE_TABLES][1024];
    unsigned long branches;
    int distrust;
    struct simple_jump jumps[512];
    uint64_t returns[16]; /* the latest address last */
    unsigned returns_count;
};

/* The predictor of one address space. */
struct simple_branch_space {
    bool present;
    bool high;
    uint32_t space;
    uint64_t left; /* when the space was last current */
    struct simple_branches branches;
};

struct simple;

#define SIMPLE_MAX_CPUS 8

/* CPUs that share a last-level cache. */
struct simple_group {
    unsigned count;
    struct simple *cpus[SIMPLE_MAX_CPUS];
    struct simple_store llc;
};

/* Accesses of the levels behind L1, which the library has as sums only. */
enum simple_level {
    SIMPLE_L2_READ,
    SIMPLE_L2_WRITE,
    SIMPLE_LL_READ,
    SIMPLE_LL_WRITE,
    SIMPLE_LEVELS,
};

struct simple {
    struct vpmu_model_config config;
    struct vpmu_arm_totals totals;
    uint64_t levels[VPMU_CTX_COUNT][SIMPLE_LEVELS];
    uint64_t (*page_size)(uint64_t addr); /* in bytes; NULL: 4096 for all */
    uint64_t largest_page;
    struct simple_group *group; /* NULL if the last-level cache is private */
    unsigned ctx;               /* the context that tallies the lines that the CPU loses */
    unsigned peers;             /* VPMU_PEER_ bits of enum vpmu_missed, of the last access */
    uint32_t low;
    uint32_t high;
    bool fetched;
    uint64_t fetched_line;
    struct simple_store l1i, l1d, l2, llc, l1i_tlb, l1d_tlb, l2_tlb;
    struct simple_branch_space branch_spaces[4];
};

void simple_init(struct simple *s, const struct vpmu_model_config *config);
/* Makes the last-level cache of a group, without CPUs, and adds a CPU, which has been initialized.
 */
void simple_group_init(struct simple_group *g, const struct vpmu_model_config *config);
void simple_join(struct simple_group *g, struct simple *s);

/* Tells whether the sums of a context are its accesses of the levels that exist. */
bool simple_levels_add_up(const struct simple *s, unsigned ctx);

/* Returns whether a CPU has a line: 0, VPMU_PEER_HAS, and VPMU_PEER_MODIFIED too. */
unsigned simple_line_state(const struct simple *s, uint64_t line, uint32_t space);

void simple_flush_tlb(struct simple *s);
void simple_flush_page(struct simple *s, uint64_t addr);
void simple_flush(struct simple *s, const struct vpmu_flush *what);
void simple_set_space(struct simple *s, uint32_t low, uint32_t high);

/* Does an access, and tallies the access itself too. */
void simple_data(struct simple *s, unsigned ctx, uint64_t addr, unsigned size, bool write);

/* An instruction at @addr is executed, in the same line as the previous one or in another. */
void simple_instruction(struct simple *s, unsigned ctx, uint64_t addr);

bool simple_branch(struct simple *s, unsigned ctx, uint64_t pc, uint64_t target, uint64_t next,
                   enum vpmu_branch_kind kind, bool taken);

/* The predicted target of a return at @pc, if there is one. */
bool simple_return(const struct simple *s, uint64_t pc, uint64_t *target);

/* simple_branches.c */
void simple_branches_init(struct simple_branches *b);
bool simple_mispredicts(struct simple_branches *b, unsigned model, uint64_t pc, uint64_t target,
                        uint64_t next, enum vpmu_branch_kind kind, bool taken);

#endif
