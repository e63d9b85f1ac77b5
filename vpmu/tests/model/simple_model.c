/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Caches, TLBs and stalls, implemented in the simplest way. */
#include "simple_model.h"

#include <stdlib.h>
#include <string.h>

/* One clock for all CPUs, because they may share a cache. */
static uint64_t now;

static void store_init(struct simple_store *store, uint64_t items, uint64_t ways, bool lru)
{
    memset(store, 0, sizeof(*store));
    if (items == 0) {
        return;
    }
    if (items > SIMPLE_MAX_ITEMS) {
        abort();
    }
    store->exists = true;
    store->lru = lru;
    store->ways = ways;
    store->sets = items / ways;
}

static uint64_t lines_of(const struct vpmu_cache_config *cache)
{
    return cache->size == 0 ? 0 : cache->size / cache->line;
}

void simple_init(struct simple *s, const struct vpmu_model_config *config)
{
    bool lru = config->l1_policy == VPMU_POLICY_LRU;

    s->config = *config;
    memset(&s->totals, 0, sizeof(s->totals));
    memset(s->levels, 0, sizeof(s->levels));
    s->group = NULL;
    s->ctx = 0;
    s->peers = 0;
    s->page_size = NULL;
    s->largest_page = UINT64_MAX;
    s->low = 0;
    s->high = 0;
    s->fetched = false;
    store_init(&s->l1i, lines_of(&config->l1i), config->l1i.ways, lru);
    store_init(&s->l1d, lines_of(&config->l1d), config->l1d.ways, lru);
    store_init(&s->l2, lines_of(&config->l2), config->l2.ways, true);
    store_init(&s->llc, lines_of(&config->llc), config->llc.ways, true);
    store_init(&s->l1i_tlb, config->l1i_tlb.entries, config->l1i_tlb.ways, false);
    store_init(&s->l1d_tlb, config->l1d_tlb.entries, config->l1d_tlb.ways, false);
    store_init(&s->l2_tlb, config->l2_tlb.entries, config->l2_tlb.ways, true);
    memset(s->branch_spaces, 0, sizeof(s->branch_spaces));
}

void simple_group_init(struct simple_group *g, const struct vpmu_model_config *config)
{
    g->count = 0;
    store_init(&g->llc, lines_of(&config->llc), config->llc.ways, true);
}

void simple_join(struct simple_group *g, struct simple *s)
{
    g->cpus[g->count++] = s;
    s->group = g;
}

static uint32_t space_of(const struct simple *s, uint64_t addr)
{
    return addr & (1ull << 55) ? s->high : s->low;
}

static uint64_t line_of(const struct simple *s, uint64_t addr)
{
    return addr / s->config.l1d.line;
}

/* Finds an entry of a page of so many bytes; NULL if it is missing, or if there is no such cache.
 */
static struct simple_item *peek_sized(struct simple_store *store, uint64_t number, uint32_t space,
                                      uint64_t bytes)
{
    uint64_t first;

    if (!store->sets) {
        return NULL;
    }
    first = number % store->sets * store->ways;
    for (uint64_t i = first; i < first + store->ways; i++) {
        struct simple_item *item = &store->items[i];

        if (item->present && item->number == number && item->space == space &&
            item->bytes == bytes) {
            return item;
        }
    }
    return NULL;
}

static struct simple_item *peek(struct simple_store *store, uint64_t number, uint32_t space)
{
    return peek_sized(store, number, space, 0);
}

/* The same, and marks it as used. */
static struct simple_item *find_sized(struct simple_store *store, uint64_t number, uint32_t space,
                                      uint64_t bytes)
{
    struct simple_item *item = peek_sized(store, number, space, bytes);

    if (item) {
        item->used = ++now;
    }
    return item;
}

static struct simple_item *find(struct simple_store *store, uint64_t number, uint32_t space)
{
    return find_sized(store, number, space, 0);
}

static struct simple_item *oldest(struct simple_store *store, uint64_t number)
{
    uint64_t first = number % store->sets * store->ways;
    struct simple_item *found = &store->items[first];

    for (uint64_t i = first; i < first + store->ways; i++) {
        struct simple_item *item = &store->items[i];

        if (!item->present) {
            return item;
        }
        if (store->lru ? item->used < found->used : item->came < found->came) {
            found = item;
        }
    }
    return found;
}

/* Adds an entry. Returns the entry that it replaced, which is not present if there was none. */
static struct simple_item put_sized(struct simple_store *store, uint64_t number, uint32_t space,
                                    bool dirty, uint64_t bytes)
{
    struct simple_item *item = oldest(store, number);
    struct simple_item left = *item;

    item->present = true;
    item->dirty = dirty;
    item->number = number;
    item->space = space;
    item->bytes = bytes;
    item->came = ++now;
    item->used = now;
    return left;
}

static struct simple_item put(struct simple_store *store, uint64_t number, uint32_t space,
                              bool dirty)
{
    return put_sized(store, number, space, dirty, 0);
}

static void count(struct simple *s, unsigned ctx, enum vpmu_source source)
{
    s->totals.n[ctx][source]++;
}

static struct simple_store *llc_of(struct simple *s)
{
    return s->group ? &s->group->llc : &s->llc;
}

bool simple_levels_add_up(const struct simple *s, unsigned ctx)
{
    const uint64_t *n = s->totals.n[ctx];
    const uint64_t *levels = s->levels[ctx];

    return (!s->l2.exists || (levels[SIMPLE_L2_READ] ==
                                  n[VPMU_SRC_L1D_CACHE_REFILL_RD] + n[VPMU_SRC_L1I_CACHE_REFILL] &&
                              levels[SIMPLE_L2_WRITE] == n[VPMU_SRC_L1D_CACHE_REFILL_WR] +
                                                             n[VPMU_SRC_L1D_CACHE_WB_VICTIM] +
                                                             n[VPMU_SRC_L1D_CACHE_WB_CLEAN])) &&
           (!llc_of((struct simple *)s)->exists ||
            (levels[SIMPLE_LL_READ] == n[VPMU_SRC_L2D_CACHE_REFILL_RD] &&
             levels[SIMPLE_LL_WRITE] == n[VPMU_SRC_L2D_CACHE_REFILL_WR] +
                                            n[VPMU_SRC_L2D_CACHE_WB_VICTIM] +
                                            n[VPMU_SRC_L2D_CACHE_WB_CLEAN]));
}

static void stall(struct simple *s, unsigned ctx, enum vpmu_source source, unsigned cycles)
{
    if (s->config.cycles != VPMU_CYCLES_MODEL) {
        return;
    }
    s->totals.n[ctx][source] += cycles;
    s->totals.n[ctx][VPMU_SRC_CPU_CYCLES] += (uint64_t)cycles * s->config.width;
    s->totals.n[ctx][source == VPMU_SRC_STALL_BACKEND ? VPMU_SRC_STALL_SLOT_BACKEND
                                                      : VPMU_SRC_STALL_SLOT_FRONTEND] +=
        (uint64_t)cycles * s->config.width;
}

static unsigned state_of(const struct simple_item *item)
{
    return !item ? 0 : item->dirty ? VPMU_PEER_HAS | VPMU_PEER_MODIFIED : VPMU_PEER_HAS;
}

/* Only items are changed that peek() returns, so the store is constant here. */
static unsigned state_in(const struct simple_store *store, uint64_t line, uint32_t space)
{
    return state_of(peek((struct simple_store *)store, line, space));
}

unsigned simple_line_state(const struct simple *s, uint64_t line, uint32_t space)
{
    return state_in(&s->l1d, line, space) | state_in(&s->l2, line, space);
}

static unsigned states_of_others(const struct simple *s, uint64_t line, uint32_t space)
{
    unsigned states = 0;

    for (unsigned i = 0; s->group && i < s->group->count; i++) {
        if (s->group->cpus[i] != s) {
            states |= simple_line_state(s->group->cpus[i], line, space);
        }
    }
    return states;
}

/* Sets a line of another CPU to Invalid. */
static void lose(struct simple *s, struct simple_store *store, enum vpmu_source source,
                 uint64_t line, uint32_t space)
{
    struct simple_item *item = peek(store, line, space);

    if (item) {
        item->present = false;
        count(s, s->ctx, source);
    }
}

/* Sets a line of another CPU to Shared. */
static void share(struct simple_store *store, uint64_t line, uint32_t space)
{
    struct simple_item *item = peek(store, line, space);

    if (item) {
        item->dirty = false;
    }
}

static void change_others(struct simple *s, uint64_t line, uint32_t space, bool write)
{
    for (unsigned i = 0; s->group && i < s->group->count; i++) {
        struct simple *other = s->group->cpus[i];

        if (other != s && write) {
            lose(other, &other->l1d, VPMU_SRC_L1D_CACHE_INVAL, line, space);
            lose(other, &other->l2, VPMU_SRC_L2D_CACHE_INVAL, line, space);
        } else if (other != s) {
            share(&other->l1d, line, space);
            share(&other->l2, line, space);
        }
    }
}

/* A store hits a line in L1D or L2 that is not Modified there. */
static void invalidate_others(struct simple *s, uint64_t line, uint32_t space)
{
    if (states_of_others(s, line, space)) {
        s->peers |= VPMU_PEER_INVALIDATED;
    }
    change_others(s, line, space, true);
}

static void put_in_llc(struct simple *s, unsigned ctx, uint64_t line, uint32_t space, bool dirty)
{
    struct simple_item left = put(llc_of(s), line, space, dirty);

    if (left.present && left.dirty) {
        count(s, ctx, VPMU_SRC_BUS_ACCESS_WR);
    }
}

static void write_to_llc(struct simple *s, unsigned ctx, uint64_t line, uint32_t space)
{
    if (llc_of(s)->exists) {
        struct simple_item *item = find(llc_of(s), line, space);

        s->levels[ctx][SIMPLE_LL_WRITE]++;
        if (item) {
            item->dirty = true;
        } else {
            put_in_llc(s, ctx, line, space, true);
        }
    } else {
        count(s, ctx, VPMU_SRC_BUS_ACCESS_WR);
    }
}

static void put_in_l2(struct simple *s, unsigned ctx, uint64_t line, uint32_t space, bool dirty)
{
    struct simple_item left = put(&s->l2, line, space, dirty);

    if (left.present && left.dirty) {
        count(s, ctx, VPMU_SRC_L2D_CACHE_WB_VICTIM);
        write_to_llc(s, ctx, left.number, left.space);
    }
}

static void write_to_l2(struct simple *s, unsigned ctx, uint64_t line, uint32_t space)
{
    if (s->l2.exists) {
        struct simple_item *item = find(&s->l2, line, space);

        s->levels[ctx][SIMPLE_L2_WRITE]++;
        if (item) {
            item->dirty = true;
        } else {
            put_in_l2(s, ctx, line, space, true);
        }
    } else {
        count(s, ctx, VPMU_SRC_BUS_ACCESS_WR);
    }
}

static unsigned read_from_memory(struct simple *s, unsigned ctx)
{
    count(s, ctx, VPMU_SRC_BUS_ACCESS_RD);
    return s->config.penalty_memory;
}

/* Reads a line that is in a state in another CPU. Returns the penalty. */
static unsigned read_from_peer(struct simple *s, unsigned ctx, uint64_t line, uint32_t space,
                               bool write, unsigned state)
{
    struct simple_item *item = find(llc_of(s), line, space);
    bool dirty = !write && (state & VPMU_PEER_MODIFIED);

    if (item) {
        item->dirty = item->dirty || dirty;
    } else {
        s->peers |= state & VPMU_PEER_MODIFIED ? 0 : VPMU_PEER_FORWARDED;
        put_in_llc(s, ctx, line, space, dirty);
    }
    return s->config.penalty_llc;
}

/* Reads a line from the last-level cache or memory. Returns the penalty. */
static unsigned read_from_llc(struct simple *s, unsigned ctx, uint64_t line, uint32_t space,
                              bool write)
{
    if (!llc_of(s)->exists) {
        return read_from_memory(s, ctx);
    }
    s->levels[ctx][write ? SIMPLE_LL_WRITE : SIMPLE_LL_READ]++;
    if (s->group) {
        unsigned states = states_of_others(s, line, space);

        s->peers |= states;
        change_others(s, line, space, write);
        if (states) {
            return read_from_peer(s, ctx, line, space, write, states);
        }
    }
    if (find(llc_of(s), line, space)) {
        return s->config.penalty_llc;
    }
    count(s, ctx, write ? VPMU_SRC_LL_CACHE_MISS_WR : VPMU_SRC_LL_CACHE_MISS_RD);
    put_in_llc(s, ctx, line, space, false);
    return read_from_memory(s, ctx);
}

static unsigned read_from_l2(struct simple *s, unsigned ctx, uint64_t line, uint32_t space,
                             bool write)
{
    if (!s->l2.exists) {
        return read_from_memory(s, ctx);
    }
    s->levels[ctx][write ? SIMPLE_L2_WRITE : SIMPLE_L2_READ]++;
    if (find(&s->l2, line, space)) {
        if (write) {
            invalidate_others(s, line, space);
        }
        return s->config.penalty_l2;
    }
    count(s, ctx, write ? VPMU_SRC_L2D_CACHE_REFILL_WR : VPMU_SRC_L2D_CACHE_REFILL_RD);
    put_in_l2(s, ctx, line, space, false);
    return read_from_llc(s, ctx, line, space, write);
}

static void translate(struct simple *s, unsigned ctx, uint64_t addr, bool fetch, bool write)
{
    struct simple_store *l1 = fetch ? &s->l1i_tlb : &s->l1d_tlb;
    enum vpmu_source stalled = fetch ? VPMU_SRC_STALL_FRONTEND : VPMU_SRC_STALL_BACKEND;
    uint64_t bytes = s->page_size ? s->page_size(addr) : 4096;
    uint64_t page;
    uint32_t space = space_of(s, addr);

    if (bytes > s->largest_page) {
        bytes = s->largest_page;
    }
    page = addr / bytes;
    if (find_sized(l1, page, space, bytes)) {
        return;
    }
    put_sized(l1, page, space, false, bytes);
    if (find_sized(&s->l2_tlb, page, space, bytes)) {
        count(s, ctx,
              fetch   ? VPMU_SRC_ITLB_L2_HIT
              : write ? VPMU_SRC_DTLB_L2_HIT_WR
                      : VPMU_SRC_DTLB_L2_HIT_RD);
        stall(s, ctx, stalled, s->config.penalty_tlb2);
        return;
    }
    put_sized(&s->l2_tlb, page, space, false, bytes);
    count(s, ctx,
          fetch   ? VPMU_SRC_ITLB_WALK
          : write ? VPMU_SRC_DTLB_WALK_WR
                  : VPMU_SRC_DTLB_WALK_RD);
    stall(s, ctx, stalled, s->config.penalty_walk);
}

static void data_line(struct simple *s, unsigned ctx, uint64_t addr, bool write)
{
    uint64_t line = line_of(s, addr);
    uint32_t space = space_of(s, addr);
    struct simple_item *item = find(&s->l1d, line, space);
    struct simple_item left;

    count(s, ctx, write ? VPMU_SRC_L1D_CACHE_WR : VPMU_SRC_L1D_CACHE_RD);
    if (item) {
        if (write && !(simple_line_state(s, line, space) & VPMU_PEER_MODIFIED)) {
            invalidate_others(s, line, space);
        }
        item->dirty = item->dirty || write;
        return;
    }
    count(s, ctx, write ? VPMU_SRC_L1D_CACHE_REFILL_WR : VPMU_SRC_L1D_CACHE_REFILL_RD);
    left = put(&s->l1d, line, space, write);
    if (left.present && left.dirty) {
        count(s, ctx, VPMU_SRC_L1D_CACHE_WB_VICTIM);
        write_to_l2(s, ctx, left.number, left.space);
    }
    stall(s, ctx, VPMU_SRC_STALL_BACKEND, read_from_l2(s, ctx, line, space, write));
}

void simple_data(struct simple *s, unsigned ctx, uint64_t addr, unsigned size, bool write)
{
    s->peers = 0;
    /* Goes byte by byte. A byte in another page or line than the previous one causes a lookup. */
    for (uint64_t i = 0; i < (size == 0 ? 1 : size); i++) {
        if (i == 0 || (addr + i) % 4096 == 0) {
            translate(s, ctx, addr + i, false, write);
        }
        if (i == 0 || (addr + i) % s->config.l1d.line == 0) {
            data_line(s, ctx, addr + i, write);
        }
    }
}

void simple_instruction(struct simple *s, unsigned ctx, uint64_t addr)
{
    uint64_t line = line_of(s, addr);
    uint32_t space = space_of(s, addr);

    s->peers = 0;
    if (s->fetched && s->fetched_line == line) {
        return;
    }
    s->fetched = true;
    s->fetched_line = line;
    count(s, ctx, VPMU_SRC_L1I_CACHE);
    translate(s, ctx, addr, true, false);
    if (!find(&s->l1i, line, space)) {
        count(s, ctx, VPMU_SRC_L1I_CACHE_REFILL);
        put(&s->l1i, line, space, false);
        stall(s, ctx, VPMU_SRC_STALL_FRONTEND, read_from_l2(s, ctx, line, space, false));
    }
}

static bool is_of(const struct simple *s, const struct simple_branch_space *b, uint64_t pc)
{
    bool high = pc >> 55 & 1;

    return b->present && b->high == high && b->space == space_of(s, pc);
}

static bool is_current(const struct simple *s, const struct simple_branch_space *b)
{
    return b->present && b->space == (b->high ? s->high : s->low);
}

static struct simple_branches *branches_at(struct simple *s, uint64_t pc)
{
    struct simple_branch_space *found = NULL;

    for (int i = 0; i < 4; i++) {
        if (is_of(s, &s->branch_spaces[i], pc)) {
            found = &s->branch_spaces[i];
        }
    }
    if (found == NULL) {
        for (int i = 0; i < 4; i++) {
            struct simple_branch_space *b = &s->branch_spaces[i];

            if (!is_current(s, b) && (found == NULL || b->left < found->left)) {
                found = b;
            }
        }
        found->left = 0;
        simple_branches_init(&found->branches);
        found->present = true;
        found->high = pc >> 55 & 1;
        found->space = space_of(s, pc);
    }
    return &found->branches;
}

bool simple_return(const struct simple *s, uint64_t pc, uint64_t *target)
{
    for (int i = 0; i < 4; i++) {
        const struct simple_branches *b = &s->branch_spaces[i].branches;

        if (is_of(s, &s->branch_spaces[i], pc) && b->returns_count > 0) {
            *target = b->returns[b->returns_count - 1];
            return true;
        }
    }
    return false;
}

bool simple_branch(struct simple *s, unsigned ctx, uint64_t pc, uint64_t target, uint64_t next,
                   enum vpmu_branch_kind kind, bool taken)
{
    bool conditional = kind == VPMU_BRANCH_CONDITIONAL;

    if (conditional && s->config.branch == VPMU_BRANCH_STATIC) {
        if ((target <= pc) == taken) {
            return false;
        }
    } else if (kind == VPMU_BRANCH_DIRECT || (!taken && !conditional) ||
               !simple_mispredicts(branches_at(s, pc), s->config.branch, pc, target, next, kind,
                                   taken)) {
        return false;
    }
    count(s, ctx, VPMU_SRC_BR_MIS_PRED);
    for (unsigned left = s->config.penalty_branch; left > 0; left--) {
        stall(s, ctx,
              left > s->config.branch_backend ? VPMU_SRC_STALL_FRONTEND : VPMU_SRC_STALL_BACKEND,
              1);
    }
    return true;
}

static void empty(struct simple_store *store)
{
    memset(store->items, 0, sizeof(store->items));
}

void simple_flush_tlb(struct simple *s)
{
    empty(&s->l1i_tlb);
    empty(&s->l1d_tlb);
    empty(&s->l2_tlb);
    s->fetched = false;
}

void simple_flush_page(struct simple *s, uint64_t addr)
{
    const struct vpmu_flush what = {
        .first = addr,
        .last = addr,
        .space = {s->low, s->high},
        .mask = {UINT32_MAX, UINT32_MAX},
    };

    simple_flush(s, &what);
}

static void leave_branches(struct simple *s, bool high)
{
    for (int i = 0; i < 4; i++) {
        struct simple_branch_space *b = &s->branch_spaces[i];

        if (b->high == high && is_current(s, b)) {
            b->left = ++now;
        }
    }
}

/*
 * Is this page flushed? One byte of its range is enough, and a flush is of whole pages of 4096
 * bytes.
 */
static bool is_in(const struct vpmu_flush *what, const struct simple_item *page)
{
    uint64_t start = page->number * page->bytes;
    uint64_t end = start + (page->bytes - 1);
    bool high = start >> 55 & 1;

    return end >= what->first && start <= (what->last | 4095) &&
           (page->space & what->mask[high]) == (what->space[high] & what->mask[high]);
}

/* Does the L1 instruction TLB still have a page with the line of the last fetch? */
static bool has_fetched_page(const struct simple *s)
{
    uint64_t fetched = s->fetched_line * s->config.l1d.line;

    for (uint64_t n = 0; n < s->l1i_tlb.sets * s->l1i_tlb.ways; n++) {
        const struct simple_item *item = &s->l1i_tlb.items[n];

        if (item->present && item->number == fetched / item->bytes &&
            item->space == space_of(s, fetched)) {
            return true;
        }
    }
    return false;
}

void simple_flush(struct simple *s, const struct vpmu_flush *what)
{
    struct simple_store *const tlbs[] = {&s->l1i_tlb, &s->l1d_tlb, &s->l2_tlb};

    for (int i = 0; i < 3; i++) {
        for (uint64_t n = 0; n < tlbs[i]->sets * tlbs[i]->ways; n++) {
            struct simple_item *item = &tlbs[i]->items[n];

            if (item->present && is_in(what, item)) {
                item->present = false;
            }
        }
    }
    s->fetched = s->fetched && has_fetched_page(s);
}

void simple_set_space(struct simple *s, uint32_t low, uint32_t high)
{
    if (s->low != low) {
        leave_branches(s, false);
    }
    if (s->high != high) {
        leave_branches(s, true);
    }
    if (s->low != low || s->high != high) {
        s->fetched = false;
    }
    s->low = low;
    s->high = high;
}
