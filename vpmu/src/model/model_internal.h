/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_MODEL_INTERNAL_H
#define VPMU_MODEL_INTERNAL_H

#include "pages.h"
#include "sets.h"
#include "vpmu/model.h"

/* The address bit that selects one of the two current address spaces. */
#define VPMU_HALF_BIT_ 55

/* A page has as many parts as a mask has bits. */
#define VPMU_PART_SIZE_ (VPMU_PAGE_SIZE / 64)

/* The caches of a model, and its L2 TLB. */
enum vpmu_sets_index_ {
    VPMU_L1I_,
    VPMU_L1D_,
    VPMU_L2_,
    VPMU_LLC_,
    VPMU_L2_TLB_, /* its tags are ids * 2 */
    VPMU_SETS_COUNT_,
};

/*
 * A page of an L1 TLB, and which of its lines may be in the line filter. A bit stands for
 * VPMU_PART_SIZE_ bytes of the smallest page, in which lines begin. In a larger page, it stands for
 * these bytes of all its smallest pages.
 */
struct vpmu_page_ {
    uint64_t reads; /* lines in filter.load or filter.fetch */
    uint64_t writes;
    uint64_t hints; /* of a larger page: a bit for each group of hints in which one may have it */
    uint32_t id;    /* 0 if the entry is unused */
};

/* An L1 TLB. In each set, the way @next is replaced next, in turn. */
struct vpmu_tlb_ {
    struct vpmu_page_ *pages;
    uint16_t *next;
    uint16_t set_mask;
    uint16_t ways;
};

/* A power of two. A mask has a bit for each group of hints. */
#define VPMU_HINTS_ 256u
#define VPMU_HINT_GROUP_ (VPMU_HINTS_ / 64)

/*
 * A page of an L1 TLB that is found without a search. The lowest bits of the number of its smallest
 * page select the hint.
 */
struct vpmu_hint_ {
    uint64_t tag; /* the number of the smallest page + 1; 0 if there is no page */
    struct vpmu_page_ *page;
    uint32_t space;
    uint32_t id; /* of the smallest page, for lines */
};

/* A line, as it is searched in all caches. */
struct vpmu_line_ {
    uint64_t addr; /* of its first byte */
    uint32_t tag;  /* clean */
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

/*
 * The caches for which an access has code of its own, by the ways of L1D and of L2. They have lines
 * of 64 bytes and FIFO in L1D, are private, and nothing stalls.
 */
enum vpmu_usual_ {
    VPMU_UNUSUAL_,
    VPMU_USUAL_2_16_,
    VPMU_USUAL_4_8_,
    VPMU_USUAL_4_16_,
    VPMU_USUAL_8_8_,
    VPMU_USUAL_8_16_,
    VPMU_USUAL_12_16_,
};

#define VPMU_USUAL_LINE_SHIFT_ 6u

/*
 * The numbers of a model's caches that its accesses compute with. For usual caches they are
 * constants: with numbers from memory, a third of an access's instructions would load and test
 * them.
 */
struct vpmu_shape_ {
    unsigned line_shift;
    uint16_t l1d_ways; /* 0: the caches are unusual */
    uint16_t l2_ways;
};

struct vpmu_model {
    struct vpmu_model_head head;
    struct vpmu_table totals;
    uint32_t space[2];   /* for addresses with bit 55 clear, and set */
    unsigned line_shift; /* binary logarithm of the line size */
    enum vpmu_usual_ usual;
    struct vpmu_model_config config;
    struct vpmu_shared *shared; /* NULL if the last-level cache is private */
    void *cpu;                  /* for vpmu_shared_ops.context */
    struct vpmu_pages_ pages;
    struct vpmu_sets_ sets[VPMU_SETS_COUNT_];
    struct vpmu_tlb_ tlb[VPMU_SIDES_];
    struct vpmu_hint_ hints[VPMU_SIDES_][VPMU_HINTS_];
    uint64_t page_shifts; /* a bit for each size of pages that may be in a TLB */
    unsigned largest_shift;
    uint64_t spaces_left; /* how often the current predictor has changed */
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

/*
 * A tag is the id of a page, the line's place in the page in units of the smallest line, and
 * whether the line is dirty.
 */
#define VPMU_PLACE_SHIFT_ 3 /* from an offset in a page to the bits of the place in a tag */
#define VPMU_ID_SHIFT_ 9
#define VPMU_PLACE_ ((1u << VPMU_ID_SHIFT_) - 2)

static inline bool vpmu_is_usual_(struct vpmu_shape_ shape)
{
    return shape.l1d_ways != 0;
}

/* The shape of any caches. */
static inline struct vpmu_shape_ vpmu_shape_(const struct vpmu_model *m)
{
    return (struct vpmu_shape_){m->line_shift, 0, 0};
}

/* The sets of a cache, with the ways of a shape; 0: those of the cache. */
static VPMU_INLINE_ struct vpmu_sets_ vpmu_shaped_(const struct vpmu_sets_ *s, uint16_t ways)
{
    struct vpmu_sets_ shaped = *s;

    if (ways) {
        shaped.ways = ways;
        shaped.stride = vpmu_stride_(ways);
    }
    return shaped;
}

/* The line of @addr, which is of the page with this id. */
static inline struct vpmu_line_ vpmu_line_(unsigned line_shift, uint64_t addr, uint32_t id)
{
    uint64_t line = addr >> line_shift << line_shift;

    return (struct vpmu_line_){line, id << VPMU_ID_SHIFT_ |
                                         (uint32_t)line % VPMU_PAGE_SIZE >> VPMU_PLACE_SHIFT_};
}

/* The line with a tag of a private cache. */
static inline struct vpmu_line_ vpmu_line_of_(const struct vpmu_model *m, uint32_t tag)
{
    uint64_t page = m->pages.known[tag >> VPMU_ID_SHIFT_].number;

    return (struct vpmu_line_){page << VPMU_PAGE_SHIFT | (tag & VPMU_PLACE_) << VPMU_PLACE_SHIFT_,
                               tag & ~VPMU_TAG_DIRTY_};
}

/* The set of a cache that may have a line. */
static inline uint32_t *vpmu_set_of_(const struct vpmu_model *m, const struct vpmu_sets_ *c,
                                     struct vpmu_line_ line)
{
    return vpmu_set_(c, line.addr >> m->line_shift);
}

/*
 * The number of a page has its address / its size in the low bits, and above them the binary
 * logarithm of its size / VPMU_PAGE_SIZE. So the number of the smallest page that has an address
 * differs from those of all larger ones, each has an id of its own, and the lowest bits select a
 * set.
 */
#define VPMU_NUMBER_BITS_ (64u - VPMU_PAGE_SHIFT)

static inline uint64_t vpmu_page_number_(uint64_t addr, unsigned shift)
{
    return (uint64_t)(shift - VPMU_PAGE_SHIFT) << VPMU_NUMBER_BITS_ | addr >> shift;
}

static inline unsigned vpmu_page_shift_(const struct vpmu_model *m, uint32_t id)
{
    return (unsigned)(m->pages.known[id].number >> VPMU_NUMBER_BITS_) + VPMU_PAGE_SHIFT;
}

/* The address of the first byte of a page that has an id. */
static inline uint64_t vpmu_page_addr_(const struct vpmu_model *m, uint32_t id)
{
    uint64_t number = m->pages.known[id].number;

    return number << VPMU_PAGE_SHIFT << (number >> VPMU_NUMBER_BITS_);
}

/* model_filter.c: empties the line filter, so that no access hits. */
void vpmu_filter_init_(struct vpmu_model *m);

/* model_filter.c: empties one array of the line filter. */
void vpmu_filter_clear_(uint64_t *slots, unsigned shift);

/* model_filter.c: removes all lines whose addresses have this value of bit 55. */
void vpmu_filter_clear_half_(struct vpmu_model *m, unsigned half);

/*
 * model_filter.c: the same as vpmu_filter_drop_page_() of filter.h, for pages and lines of any
 * size.
 */
void vpmu_filter_drop_any_page_(struct vpmu_model *m, enum vpmu_side_ side,
                                struct vpmu_page_ *page);

/* The hint of an address, which may be that of another page. */
static inline struct vpmu_hint_ *vpmu_hint_(struct vpmu_model *m, enum vpmu_side_ side,
                                            uint64_t addr)
{
    return &m->hints[side][(addr >> VPMU_PAGE_SHIFT) % VPMU_HINTS_];
}

/*
 * model_tlb.c: looks up a page in an L1 TLB whose hint is wrong, and corrects the hint; if the page
 * is missing, replaces another. @shift: of the page's size. @write: for a store. Returns enum
 * vpmu_missed.
 */
unsigned vpmu_tlb_search_(struct vpmu_model *m, uint64_t *row, enum vpmu_side_ side, uint64_t addr,
                          unsigned shift, bool write);

/* model_tlb.c: removes all pages from all TLBs. The line filter has none of them. */
void vpmu_tlb_clear_(struct vpmu_model *m);

/* model_page.c: forgets where pages are in the L1 TLBs. */
void vpmu_tlb_clear_hints_(struct vpmu_model *m);

/*
 * model_outer.c: reads a line that the L2 cache does not have from the last-level cache or memory.
 * @write: a store caused the miss. Returns enum vpmu_missed.
 */
unsigned vpmu_llc_read_(struct vpmu_model *m, uint64_t *row, struct vpmu_line_ line, bool write);

/* model_outer.c: a dirty line with a tag leaves the L2 cache. */
void vpmu_l2_write_back_(struct vpmu_model *m, uint64_t *row, uint32_t tag);

/* model_outer.c: writes a dirty line that leaves the L2 cache to the last level or memory. */
void vpmu_llc_write_(struct vpmu_model *m, uint64_t *row, struct vpmu_line_ line);

/* model_outer.c: writes a dirty line that leaves the L1 data cache to the L2 cache. */
void vpmu_outer_write_(struct vpmu_model *m, uint64_t *row, struct vpmu_line_ line);

/*
 * model_outer.c: a store needs a line that the CPU has already. With a shared last-level cache, all
 * other CPUs lose it. Returns VPMU_PEER_INVALIDATED if one had it.
 */
unsigned vpmu_outer_own_(const struct vpmu_model *m, struct vpmu_line_ line);

/* Brings a line into the L2 cache. A dirty one that it replaces is written back. */
static VPMU_INLINE_ void vpmu_l2_refill_(struct vpmu_model *m, uint64_t *row,
                                         const struct vpmu_sets_ *l2, uint32_t *set, uint32_t tag)
{
    uint32_t victim = vpmu_sets_insert_(l2, set, tag);

    if (victim & VPMU_TAG_DIRTY_) {
        vpmu_l2_write_back_(m, row, victim);
    }
}

/*
 * Reads a line that an L1 cache does not have from the levels behind it. @write: a store caused the
 * miss. Returns enum vpmu_missed.
 */
static VPMU_INLINE_ unsigned vpmu_outer_read_(struct vpmu_model *m, uint64_t *row,
                                              struct vpmu_line_ line, bool write,
                                              struct vpmu_shape_ shape)
{
    const struct vpmu_sets_ l2 = vpmu_shaped_(&m->sets[VPMU_L2_], shape.l2_ways);
    unsigned missed = VPMU_MISSED_L1;

    if (vpmu_is_usual_(shape) || l2.tags) {
        uint32_t *set = vpmu_set_(&l2, line.addr >> shape.line_shift);
        unsigned found = vpmu_sets_find_(&l2, set, line.tag);

        if (found) {
            vpmu_sets_move_(&l2, set, found - 1, set[found - 1]);
            return missed | (write && !vpmu_is_usual_(shape) ? vpmu_outer_own_(m, line) : 0);
        }
        vpmu_l2_refill_(m, row, &l2, set, line.tag);
        row[VPMU_SRC_L2D_CACHE_REFILL_RD + write]++;
        missed |= VPMU_MISSED_L2;
    }
    return missed | vpmu_llc_read_(m, row, line, write);
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

/* model_page.c: the id of a page with a number, a new one if it has none. */
uint32_t vpmu_page_id_(struct vpmu_model *m, uint64_t number, uint32_t space);

static inline uint64_t vpmu_align_up_(uint64_t n)
{
    return (n + VPMU_MODEL_ALIGN - 1) & ~(uint64_t)(VPMU_MODEL_ALIGN - 1);
}

/* model_size.c: vpmu_model_size() without a limit. All else has been checked. */
uint64_t vpmu_model_size_(const struct vpmu_model_config *config);

/* model_size.c: the size of a shared last-level cache in bytes, with the ids of its pages. */
uint64_t vpmu_llc_size_(const struct vpmu_model_config *config);

/* model_size.c: gives a model its memory, and a shared last-level cache. */
void vpmu_model_place_(struct vpmu_model *m);
void vpmu_llc_place_(struct vpmu_sets_ *llc, struct vpmu_pages_ *pages,
                     const struct vpmu_model_config *config, unsigned char *mem);

#endif
