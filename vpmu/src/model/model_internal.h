/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_MODEL_INTERNAL_H
#define VPMU_MODEL_INTERNAL_H

#include "assoc.h"
#include "vpmu/model.h"

#define VPMU_PAGE_SHIFT_ 12

/* The bit of an address that says which of the two current address spaces it is in. */
#define VPMU_HALF_BIT_ 55

/* Of a page there are as many as a mask has bits. */
#define VPMU_PART_SIZE_ (VPMU_PAGE_SIZE / 64)

/* All of a model's storage. */
enum vpmu_assoc_index_ {
    VPMU_L1I_,
    VPMU_L1D_,
    VPMU_L2_,
    VPMU_LLC_,
    VPMU_L1I_TLB_,
    VPMU_L1D_TLB_,
    VPMU_L2_TLB_,
    VPMU_ASSOC_COUNT_,
};

#define VPMU_TAGE_TABLES_ 4
#define VPMU_TAGE_ENTRIES_ 1024u

struct vpmu_tage_entry_ {
    uint16_t tag;   /* 0 if there is nothing here */
    int8_t counter; /* -4 to 3; taken from 0 on */
    uint8_t useful; /* 0 to 3 */
};

struct vpmu_tage_ {
    struct vpmu_tage_entry_ tables[VPMU_TAGE_TABLES_][VPMU_TAGE_ENTRIES_];
    uint32_t age;     /* branches since usefulness was last halved */
    uint8_t distrust; /* 0 to 15; from 8 on new entries do not overrule others */
};

/* The predictor of an address space, and what only the library looks at. */
struct vpmu_predictor_ {
    struct vpmu_predictor front;
    uint64_t owner; /* the space, low and high ones told apart; 0: none yet */
    uint64_t left;  /* model.spaces_left when it was a current one last */
    struct vpmu_tage_ tage;
};

static inline struct vpmu_predictor_ *vpmu_predictor_whole_(struct vpmu_predictor *front)
{
    return (struct vpmu_predictor_ *)front;
}

_Static_assert(sizeof(struct vpmu_predictor_) <= 40 << 10, "a predictor is small");

struct vpmu_model {
    struct vpmu_model_head head;
    struct vpmu_totals *totals;
    uint32_t space[2];   /* of addresses with bit 55 clear, set */
    unsigned line_shift; /* binary logarithm of the line size */
    struct vpmu_model_config config;
    struct vpmu_assoc_ assoc[VPMU_ASSOC_COUNT_];
    uint64_t spaces_left; /* how often a predictor has been left for another space */
    struct vpmu_predictor_ predictors[VPMU_BRANCH_SPACES];
};

_Static_assert(offsetof(struct vpmu_model, head.filter) == 0, "generated code finds the filter");

static inline void vpmu_tally_(struct vpmu_model *m, enum vpmu_source source, unsigned ctx,
                               uint64_t n)
{
    m->totals->n[ctx][source] += n;
}

/* The CPU issues nothing for some cycles. @source: VPMU_SRC_STALL_FRONTEND or _BACKEND. */
static inline void vpmu_stall_(struct vpmu_model *m, enum vpmu_source source, unsigned ctx,
                               unsigned cycles)
{
    if (m->config.cycles == VPMU_CYCLES_MODEL) {
        uint64_t slots = (uint64_t)cycles * m->config.width;

        vpmu_tally_(m, source, ctx, cycles);
        vpmu_tally_(m, VPMU_SRC_STALL_SLOT, ctx, slots);
        vpmu_tally_(m, VPMU_SRC_CPU_CYCLES, ctx, slots);
    }
}

static inline unsigned vpmu_half_(uint64_t addr)
{
    return (unsigned)(addr >> VPMU_HALF_BIT_ & 1);
}

static inline uint32_t vpmu_space_(const struct vpmu_model *m, uint64_t addr)
{
    return m->space[vpmu_half_(addr)];
}

/* The address of the first byte of what an entry covers. */
static inline uint64_t vpmu_entry_addr_(const struct vpmu_entry_ *e)
{
    return e->tag - 1;
}

static inline bool vpmu_entry_used_(const struct vpmu_entry_ *e)
{
    return e->tag != 0;
}

/* model_assoc.c: the entry that covers an address, without using it; NULL if there is none. */
struct vpmu_entry_ *vpmu_assoc_find_(const struct vpmu_assoc_ *a, uint64_t addr, uint32_t space);

/* model_assoc.c: of an L1 TLB, the page of an entry that is used. */
struct vpmu_page_ *vpmu_assoc_page_(const struct vpmu_assoc_ *a, const struct vpmu_entry_ *e);

/* model_assoc.c: removes an entry that is used. The next new one of its set replaces none. */
void vpmu_assoc_remove_(struct vpmu_assoc_ *a, const struct vpmu_entry_ *e);

/*
 * model_assoc.c: an entry, used or not, by its set and a number below the ways. If it is removed
 * those with higher numbers may move.
 */
struct vpmu_entry_ *vpmu_assoc_entry_(const struct vpmu_assoc_ *a, uint64_t set, unsigned number);

/* model_assoc.c: removes all entries. */
void vpmu_assoc_clear_(struct vpmu_assoc_ *a);

/* model_filter.c: the line filter as it is at first: no access hits. */
void vpmu_filter_init_(struct vpmu_model *m);

/* model_filter.c: no access to addresses with this bit 55 hits from now on. */
void vpmu_filter_clear_half_(struct vpmu_model *m, unsigned half);

/* model_filter.c: the page of @addr has left an L1 TLB, in whatever address space. */
void vpmu_filter_drop_page_(struct vpmu_model *m, enum vpmu_assoc_index_ tlb, uint64_t addr,
                            struct vpmu_page_ *page);

/*
 * model_tlb.c: an L1 TLB did not have what translates an address; it has come in the place of
 * @victim.
 */
void vpmu_tlb_missed_(struct vpmu_model *m, enum vpmu_assoc_index_ tlb, unsigned ctx, uint64_t addr,
                      struct vpmu_page_ *page, const struct vpmu_entry_ *victim);

/*
 * model_outer.c: reads a line that an L1 cache misses, from the L2 cache and what is behind it.
 * @write: for a store. Returns the penalty in cycles.
 */
unsigned vpmu_outer_read_(struct vpmu_model *m, unsigned ctx, uint64_t addr, bool write);

/* model_outer.c: takes over a dirty line that leaves the L1 data cache. */
void vpmu_outer_write_(struct vpmu_model *m, unsigned ctx, const struct vpmu_entry_ *line);

/* model_branch.c: the predictors as they are at first. */
void vpmu_predictors_init_(struct vpmu_model *m);

/* model_branch.c: the space of one half has become another one. */
void vpmu_predictors_move_(struct vpmu_model *m, unsigned half);

/* What a cache or TLB is made of; no sets if there is none. */
struct vpmu_geometry_ {
    uint32_t sets;
    uint16_t ways;
    uint8_t shift;
    bool is_l1_tlb;
};

static inline uint64_t vpmu_align_up_(uint64_t n)
{
    return (n + VPMU_MODEL_ALIGN - 1) & ~(uint64_t)(VPMU_MODEL_ALIGN - 1);
}

/* model_size.c: those of a model, in the order of enum vpmu_assoc_index_. */
void vpmu_find_geometries_(const struct vpmu_model_config *config,
                           struct vpmu_geometry_ geometry[VPMU_ASSOC_COUNT_]);

/* model_size.c: bytes of one set. */
uint64_t vpmu_set_size_(const struct vpmu_geometry_ *g);

/* model_size.c: what vpmu_model_size() would be without a limit; the rest has been checked. */
uint64_t vpmu_model_size_(const struct vpmu_model_config *config);

#endif
