/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_MODEL_INTERNAL_H
#define VPMU_MODEL_INTERNAL_H

#include "assoc.h"
#include "vpmu/model.h"

#define VPMU_PAGE_SHIFT_ 12

/* The address bit that selects one of the two current address spaces. */
#define VPMU_HALF_BIT_ 55

/* A page has as many parts as a mask has bits. */
#define VPMU_PART_SIZE_ (VPMU_PAGE_SIZE / 64)

/* The caches and TLBs of a model. */
enum vpmu_assoc_index_ {
    VPMU_L1I_,
    VPMU_L1D_,
    VPMU_L2_,
    VPMU_LLC_,
    VPMU_L1I_TLB_,
    VPMU_L1D_TLB_, /* follows VPMU_L1I_TLB_ */
    VPMU_L2_TLB_,
    VPMU_ASSOC_COUNT_,
};

#define VPMU_TAGE_TABLES_ 4
#define VPMU_TAGE_ENTRIES_ 1024u

struct vpmu_tage_entry_ {
    uint16_t tag;   /* 0 if the entry is unused */
    int8_t counter; /* -4 to 3; predicts taken from 0 up */
    uint8_t useful; /* 0 to 3 */
};

struct vpmu_tage_ {
    struct vpmu_tage_entry_ tables[VPMU_TAGE_TABLES_][VPMU_TAGE_ENTRIES_];
    uint32_t age;     /* branches since usefulness was last halved */
    uint8_t distrust; /* 0 to 15; from 8 up, new entries do not override other predictions */
};

/* The predictor of an address space, with the parts that only the library uses. */
struct vpmu_predictor_ {
    struct vpmu_predictor front;
    uint64_t owner; /* (space << 1 | half) + 1; 0: none yet */
    uint64_t left;  /* the value of model.spaces_left when the space was last current */
    struct vpmu_tage_ tage;
};

static inline struct vpmu_predictor_ *vpmu_predictor_whole_(struct vpmu_predictor *front)
{
    return (struct vpmu_predictor_ *)front;
}

_Static_assert(sizeof(struct vpmu_predictor_) <= 40 << 10, "a predictor is small");

struct vpmu_model {
    struct vpmu_model_head head;
    struct vpmu_table totals;
    uint32_t space[2];   /* for addresses with bit 55 clear, and set */
    unsigned line_shift; /* binary logarithm of the line size */
    struct vpmu_model_config config;
    bool usual;                 /* see model_cache.c */
    struct vpmu_shared *shared; /* NULL if the last-level cache is private */
    void *cpu;                  /* for vpmu_shared_ops.context */
    struct vpmu_assoc_ assoc[VPMU_ASSOC_COUNT_];
    struct vpmu_hint_ hints[2][VPMU_HINTS_]; /* of the L1 TLBs: instructions, data */
    uint64_t spaces_left;                    /* how often the current predictor has changed */
    struct vpmu_predictor_ predictors[VPMU_BRANCH_SPACES];
};

_Static_assert(offsetof(struct vpmu_model, head.filter) == 0, "generated code finds the filter");

/* The totals of a context. */
static inline uint64_t *vpmu_row_(const struct vpmu_model *m, unsigned ctx)
{
    return m->totals.n + (size_t)ctx * m->totals.row;
}

/* Tallies a stall of some cycles. @source is VPMU_SRC_STALL_FRONTEND or _BACKEND. */
static inline void vpmu_stall_(const struct vpmu_model *m, uint64_t *row, enum vpmu_source source,
                               unsigned cycles)
{
    if (m->config.cycles == VPMU_CYCLES_MODEL) {
        uint64_t slots = (uint64_t)cycles * m->config.width;

        row[source] += cycles;
        row[source == VPMU_SRC_STALL_FRONTEND ? VPMU_SRC_STALL_SLOT_FRONTEND
                                              : VPMU_SRC_STALL_SLOT_BACKEND] += slots;
        row[VPMU_SRC_CPU_CYCLES] += slots;
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

/* The address of the first byte that an entry covers. */
static inline uint64_t vpmu_tag_addr_(uint64_t tag)
{
    return tag & ~(uint64_t)VPMU_TAG_BITS_;
}

/* A cache line, as it is searched in all caches. */
static inline struct vpmu_key_ vpmu_line_(const struct vpmu_model *m, uint64_t addr, uint32_t space)
{
    return vpmu_key_(addr, m->line_shift, space);
}

/* A page, as it is searched in all TLBs. */
static inline struct vpmu_key_ vpmu_translation_(uint64_t addr, uint32_t space)
{
    return vpmu_key_(addr, VPMU_PAGE_SHIFT_, space);
}

/*
 * model_assoc.c: removes an entry that is in use. The next new entry of the set replaces no other.
 */
void vpmu_assoc_remove_(struct vpmu_assoc_ *a, void *set, unsigned way);

/*
 * model_assoc.c: the way of the entry with a number below @ways in a set; it may be unused.
 * Removing it may move entries with higher numbers.
 */
unsigned vpmu_assoc_way_(const struct vpmu_assoc_ *a, void *set, unsigned number);

/* model_assoc.c: removes all entries. */
void vpmu_assoc_clear_(struct vpmu_assoc_ *a);

/* model_cache.c: finds out whether the usual path may be used. */
void vpmu_cache_init_(struct vpmu_model *m);

/* model_filter.c: empties the line filter, so that no access hits. */
void vpmu_filter_init_(struct vpmu_model *m);

/* model_filter.c: empties one array of the line filter. */
void vpmu_filter_clear_(uint64_t *slots, unsigned shift);

/* model_filter.c: removes all lines whose addresses have this value of bit 55. */
void vpmu_filter_clear_half_(struct vpmu_model *m, unsigned half);

/* model_filter.c: the page of @addr has left an L1 TLB, in any address space. */
void vpmu_filter_drop_page_(struct vpmu_model *m, enum vpmu_assoc_index_ tlb, uint64_t addr,
                            struct vpmu_page_ *page);

/*
 * model_tlb.c: looks up a page in an L1 TLB whose hint is wrong; if the page is missing, replaces
 * another. Sets @page. Returns enum vpmu_missed.
 */
unsigned vpmu_tlb_search_(struct vpmu_model *m, uint64_t *row, enum vpmu_assoc_index_ tlb,
                          uint64_t addr, struct vpmu_page_ **page);

/*
 * model_outer.c: reads a line that neither an L1 cache nor the L2 cache has from the last-level
 * cache or memory. @write: a store caused the miss. Returns enum vpmu_missed.
 */
unsigned vpmu_outer_miss_(struct vpmu_model *m, uint64_t *row, uint64_t addr, uint32_t space,
                          bool write);

/* model_outer.c: writes a dirty line that leaves the L2 cache to the last level or memory. */
void vpmu_llc_write_(struct vpmu_model *m, uint64_t *row, uint64_t addr, uint32_t space);

/* model_outer.c: writes a dirty line that leaves the L1 data cache to the L2 cache. */
void vpmu_outer_write_(struct vpmu_model *m, uint64_t *row, uint64_t addr, uint32_t space);

/*
 * model_outer.c: a store needs a line that the CPU has already. With a shared last-level cache, all
 * other CPUs lose it. Returns VPMU_PEER_INVALIDATED if one had it.
 */
unsigned vpmu_outer_own_(const struct vpmu_model *m, struct vpmu_key_ line);

/* The same as vpmu_outer_miss_(), if the L2 cache may have the line. */
static inline unsigned vpmu_outer_read_(struct vpmu_model *m, uint64_t *row, struct vpmu_key_ line,
                                        bool write)
{
    if (m->config.l2.size) {
        row[VPMU_SRC_L2D_CACHE_RD + write]++;
        if (vpmu_assoc_use_(&m->assoc[VPMU_L2_], line)) {
            return VPMU_MISSED_L1 | (write ? vpmu_outer_own_(m, line) : 0);
        }
    }
    return VPMU_MISSED_L1 | vpmu_outer_miss_(m, row, vpmu_tag_addr_(line.tag), line.space, write);
}

/* Tallies the stall of an access that missed an L1 cache. */
static inline void vpmu_stall_missed_(const struct vpmu_model *m, uint64_t *row,
                                      enum vpmu_source source, unsigned missed)
{
    if (m->config.cycles == VPMU_CYCLES_MODEL) {
        vpmu_stall_(m, row, source,
                    missed & VPMU_FROM_MEMORY ? m->config.penalty_memory
                    : missed & VPMU_MISSED_L2 ? m->config.penalty_llc
                                              : m->config.penalty_l2);
    }
}

/* model_branch.c: resets all predictors. */
void vpmu_predictors_init_(struct vpmu_model *m);

/* model_branch.c: the current address space of one half has changed. */
void vpmu_predictors_move_(struct vpmu_model *m, unsigned half);

/* Sets of 4 ways take one line of the host's cache, and sets of 8 ways two. */
#define VPMU_SET_ALIGN_ 32u

/* The geometry of a cache or TLB; 0 sets if it does not exist. */
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

/* model_size.c: the geometries of a model, in the order of enum vpmu_assoc_index_. */
void vpmu_find_geometries_(const struct vpmu_model_config *config,
                           struct vpmu_geometry_ geometry[VPMU_ASSOC_COUNT_]);

/* model_size.c: the size of a set in bytes. */
uint64_t vpmu_set_size_(const struct vpmu_geometry_ *g);

/* model_size.c: the geometry of the last-level cache if it is shared; otherwise 0 sets. */
struct vpmu_geometry_ vpmu_shared_geometry_(const struct vpmu_model_config *config);

/* model_size.c: the size of a shared last-level cache in bytes. */
uint64_t vpmu_llc_size_(const struct vpmu_model_config *config);

/* model_size.c: gives @a its memory, which begins at @mem. Returns the end of that memory. */
unsigned char *vpmu_place_(struct vpmu_assoc_ *a, const struct vpmu_geometry_ *g,
                           unsigned char *mem);

/* model_size.c: vpmu_model_size() without a limit. All else has been checked. */
uint64_t vpmu_model_size_(const struct vpmu_model_config *config);

#endif
