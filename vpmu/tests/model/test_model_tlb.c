/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* TLBs. */
#include "modeled_cpu.h"

#define PAGE(n) ((n)*0x1000ull)

static uint64_t sum_of(const struct modeled *m, vpmu_sources sources)
{
    uint64_t sum = 0;

    while (sources) {
        sum += m->totals.n[MODELED_CTX][vpmu_source_take(&sources)];
    }
    return sum;
}

static void expect_tlb(const char *row, const struct modeled *m, const uint64_t want[4])
{
    static const struct {
        const char *name;
        vpmu_sources sources;
    } sums[] = {
        {"L1D_TLB_REFILL", VPMU_SRCS_DTLB_RD | VPMU_SRCS_DTLB_WR},
        {"L1I_TLB_REFILL", VPMU_SRCS_ITLB},
        {"DTLB_WALK", VPMU_SRCS_DTLB_WALK},
        {"ITLB_WALK", VPMU_SRC_BIT(VPMU_SRC_ITLB_WALK)},
    };

    for (size_t i = 0; i < COUNT_OF(sums); i++) {
        expect_in(row, sums[i].name, want[i], sum_of(m, sums[i].sources));
    }
}

/* Each refill of the data TLB is one of four: by a load or a store, which hits the L2 TLB or not.
 */
START_TEST(by_cause)
{
    static const struct {
        const char *name;
        struct step steps[MAX_STEPS];
        uint64_t want[4]; /* VPMU_SRC_DTLB_L2_HIT_RD, _WR, VPMU_SRC_DTLB_WALK_RD, _WR */
    } rows[] = {
        {"a load", {{LOAD, PAGE(1), 8}}, {0, 0, 1, 0}},
        {"a store", {{STORE, PAGE(1), 8}}, {0, 0, 0, 1}},
        {"a load after a fetch", {{FETCH, PAGE(1), 0}, {LOAD, PAGE(1), 8}}, {1, 0, 0, 0}},
        {"a store after a fetch", {{FETCH, PAGE(1), 0}, {STORE, PAGE(1), 8}}, {0, 1, 0, 0}},
        {"a store to two pages", {{LOAD, PAGE(1), 8}, {STORE, PAGE(2) - 4, 8}}, {0, 0, 1, 1}},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct vpmu_model_config config = config_tiny();
        struct modeled m;

        modeled_start(&m, &config);
        for (size_t step = 0; step < MAX_STEPS; step++) {
            modeled_step(&m, &rows[i].steps[step]);
        }
        for (unsigned n = 0; n < 4; n++) {
            expect_in(rows[i].name, vpmu_arm_source_name(VPMU_SRC_DTLB_L2_HIT_RD + n),
                      rows[i].want[n], m.totals.n[MODELED_CTX][VPMU_SRC_DTLB_L2_HIT_RD + n]);
        }
    }
}
END_TEST

/* L1 TLBs have 2 entries. In the L2 TLB, pages 1, 3 and 5 are in a set of 2 ways, 2 in the other.
 */
static const struct {
    const char *name;
    struct step steps[MAX_STEPS];
    uint64_t want[4]; /* as in expect_tlb() */
} refills_rows[] = {
    {"a page twice", {{LOAD, PAGE(1), 8}, {STORE, PAGE(1) + 0xfff, 1}}, {1, 0, 1, 0}},
    {"the page before", {{LOAD, PAGE(1), 8}, {LOAD, PAGE(1) - 1, 1}}, {2, 0, 2, 0}},
    {"a fetch", {{FETCH, PAGE(1), 0}, {FETCH, PAGE(1) + 0x40, 0}}, {0, 1, 0, 1}},
    {"a fetch after a load finds the L2 TLB filled",
     {{LOAD, PAGE(1), 8}, {FETCH, PAGE(1), 0}},
     {1, 1, 1, 0}},
    {"both pages of an access that spans two",
     {{LOAD, PAGE(2) - 4, 8}, {LOAD, PAGE(1), 1}, {LOAD, PAGE(2), 1}},
     {2, 0, 2, 0}},
    {"page 2 replaces 1, which came first",
     {{LOAD, PAGE(1), 8},
      {LOAD, PAGE(3), 8},
      {LOAD, PAGE(1), 8},
      {LOAD, PAGE(2), 8},
      {LOAD, PAGE(1), 8}},
     {4, 0, 3, 0}},
    /* Page 1 is used again in the L2 TLB, so 5 replaces 3 there; 2 then evicts 1 from L1. */
    {"the L2 TLB replaces what was used longest ago",
     {{LOAD, PAGE(1), 8},
      {LOAD, PAGE(3), 8},
      {LOAD, PAGE(2), 8},
      {LOAD, PAGE(1), 8},
      {LOAD, PAGE(5), 8},
      {LOAD, PAGE(2), 8},
      {LOAD, PAGE(1), 8}},
     {7, 0, 4, 0}},
    {"after a flush all are walked for again",
     {{LOAD, PAGE(1), 8},
      {FETCH, PAGE(1), 0},
      {FLUSH, 0, 0},
      {LOAD, PAGE(1), 8},
      {FETCH, PAGE(1), 0},
      {FETCH, PAGE(2), 0}},
     {2, 3, 2, 1}},
    {"only the page that is flushed",
     {{LOAD, PAGE(1), 8},
      {LOAD, PAGE(3), 8},
      {FLUSH_PAGE, PAGE(1) + 0xfff, 0},
      {LOAD, PAGE(3), 8},
      {LOAD, PAGE(1), 8}},
     {3, 0, 3, 0}},
    {"it leaves all three TLBs",
     {{LOAD, PAGE(1), 8},
      {FETCH, PAGE(1), 0},
      {FLUSH_PAGE, PAGE(1), 0},
      {LOAD, PAGE(1), 8},
      {FETCH, PAGE(1), 0}},
     {2, 2, 2, 0}},
    /* 2 takes the place of 3, 4 then that of 1, which came first. */
    {"a page takes the place of one that was flushed",
     {{LOAD, PAGE(1), 8},
      {LOAD, PAGE(3), 8},
      {FLUSH_PAGE, PAGE(3), 0},
      {LOAD, PAGE(2), 8},
      {LOAD, PAGE(1), 8},
      {LOAD, PAGE(4), 8},
      {LOAD, PAGE(2), 8},
      {LOAD, PAGE(1), 8}},
     {5, 0, 4, 0}},
    /* 5 replaces 3, so 1, which 2 replaces in L1, is still there. */
    {"in the L2 TLB too",
     {{LOAD, PAGE(1), 8},
      {LOAD, PAGE(3), 8},
      {FLUSH_PAGE, PAGE(3), 0},
      {LOAD, PAGE(5), 8},
      {LOAD, PAGE(2), 8},
      {LOAD, PAGE(1), 8}},
     {5, 0, 4, 0}},
    {"a flush of a page that is not there",
     {{LOAD, PAGE(1), 8}, {FLUSH_PAGE, PAGE(2), 0}, {LOAD, PAGE(1), 8}},
     {1, 0, 1, 0}},
    {"a flush in another space",
     {{LOAD, PAGE(1), 8},
      {SPACE, 1, 0},
      {FLUSH_PAGE, PAGE(1), 0},
      {SPACE, 0, 0},
      {LOAD, PAGE(1), 8}},
     {1, 0, 1, 0}},
    {"a flush while the upper half is in another space",
     {{LOAD, PAGE(1), 8}, {SPACE, 0, 1}, {FLUSH_PAGE, PAGE(1), 0}, {LOAD, PAGE(1), 8}},
     {2, 0, 2, 0}},
    {"another space, and back",
     {{LOAD, PAGE(1), 8}, {SPACE, 1, 0}, {LOAD, PAGE(1), 8}, {SPACE, 0, 0}, {LOAD, PAGE(1), 8}},
     {2, 0, 2, 0}},
};

#define LARGE(n) ((n)*0x200000ull)
#define MIB_2 21

/* The same with pages of 2 MiB: three of them with an even number do not fit into a set of L2. */
static const struct {
    const char *name;
    struct step steps[MAX_STEPS];
    uint64_t want[4]; /* as in expect_tlb() */
} large_rows[] = {
    {"the whole page is one entry",
     {{PAGES, 0, MIB_2},
      {LOAD, PAGE(1), 8},
      {LOAD, PAGE(3), 8},
      {LOAD, PAGE(5), 8},
      {STORE, LARGE(1) - 8, 8}},
     {1, 0, 1, 0}},
    {"the page before",
     {{PAGES, 0, MIB_2}, {LOAD, LARGE(1), 8}, {LOAD, PAGE(511), 8}},
     {2, 0, 2, 0}},
    {"both pages of an access that spans two",
     {{PAGES, 0, MIB_2}, {LOAD, LARGE(1) - 4, 8}, {LOAD, PAGE(0), 8}, {LOAD, LARGE(2) - 8, 8}},
     {2, 0, 2, 0}},
    {"a fetch after a load finds the L2 TLB filled",
     {{PAGES, 0, MIB_2}, {LOAD, PAGE(1), 8}, {FETCH, PAGE(9), 0}},
     {1, 1, 1, 0}},
    {"its number selects the set of L2",
     {{PAGES, 0, MIB_2},
      {LOAD, LARGE(0), 8},
      {LOAD, LARGE(1), 8},
      {LOAD, LARGE(2), 8},
      {LOAD, LARGE(0), 8}},
     {4, 0, 3, 0}},
    {"three even ones do not fit into a set",
     {{PAGES, 0, MIB_2},
      {LOAD, LARGE(0), 8},
      {LOAD, LARGE(2), 8},
      {LOAD, LARGE(4), 8},
      {LOAD, LARGE(0), 8}},
     {4, 0, 4, 0}},
    /* The line stays in the cache, and could still be in the line filter. */
    {"its lines leave with it",
     {{PAGES, 0, MIB_2},
      {LOAD, LARGE(0), 8},
      {LOAD, LARGE(1) + 64, 8},
      {LOAD, LARGE(2) + 64, 8},
      {LOAD, LARGE(0), 8}},
     {4, 0, 3, 0}},
    {"a flush of any address in it",
     {{PAGES, 0, MIB_2},
      {LOAD, PAGE(1), 8},
      {FETCH, PAGE(2), 0},
      {FLUSH_PAGE, PAGE(300), 0},
      {LOAD, PAGE(1), 8},
      {FETCH, PAGE(2), 0}},
     {2, 2, 2, 0}},
    {"a flush of the address behind it",
     {{PAGES, 0, MIB_2}, {LOAD, PAGE(1), 8}, {FLUSH_PAGE, LARGE(1), 0}, {LOAD, PAGE(2), 8}},
     {1, 0, 1, 0}},
    {"a flush of an address with two entries removes both",
     {{LOAD, PAGE(1), 8},
      {PAGES, 0, MIB_2},
      {FETCH, PAGE(2), 0},
      {FLUSH_PAGE, PAGE(1), 0},
      {FETCH, PAGE(2), 0},
      {PAGES, 0, 12},
      {LOAD, PAGE(1), 8}},
     {2, 2, 2, 2}},
    {"in another space",
     {{PAGES, 0, MIB_2}, {LOAD, 0, 8}, {SPACE, 1, 0}, {LOAD, 0, 8}},
     {2, 0, 2, 0}},
    {"a page of 1 GiB",
     {{PAGES, 0, 30}, {LOAD, 0, 8}, {LOAD, LARGE(511), 8}, {LOAD, LARGE(512), 8}},
     {2, 0, 2, 0}},
    {"no page is smaller than 4 KiB",
     {{PAGES, 0, 0}, {LOAD, PAGE(1), 8}, {LOAD, PAGE(2) - 8, 8}, {LOAD, PAGE(2), 8}},
     {2, 0, 2, 0}},
    {"none is larger than 256 TiB",
     {{PAGES, 0, 255}, {LOAD, 0, 8}, {LOAD, (1ull << 48) - 8, 8}, {LOAD, 1ull << 48, 8}},
     {2, 0, 2, 0}},
};

START_TEST(large_pages)
{
    struct vpmu_model_config config = config_tiny();

    for (size_t i = 0; i < COUNT_OF(large_rows); i++) {
        struct modeled m;

        modeled_start(&m, &config);
        for (size_t step = 0; step < MAX_STEPS; step++) {
            modeled_step(&m, &large_rows[i].steps[step]);
        }
        expect_tlb(large_rows[i].name, &m, large_rows[i].want);
    }
}
END_TEST

/*
 * A large page stays in the TLB while ids of its parts are used again for other parts. The first
 * part, whose line has left all caches, must then not be taken for one of these.
 */
START_TEST(many_parts)
{
    const struct vpmu_model_config config = config_tiny();

    for (uint64_t parts = 1; parts < 256; parts++) {
        struct modeled m;

        modeled_start(&m, &config);
        for (uint64_t part = 0; part < parts; part++) {
            vpmu_model_data(m.model, MODELED_CTX, PAGE(part), 8, false, MIB_2);
        }
        vpmu_model_data(m.model, MODELED_CTX, PAGE(0), 8, false, MIB_2);
        expect("DTLB_WALK", 1, sum_of(&m, VPMU_SRCS_DTLB_WALK));
        expect("L1D_CACHE_REFILL_RD", parts > 2 ? parts + 1 : parts,
               m.totals.n[MODELED_CTX][VPMU_SRC_L1D_CACHE_REFILL_RD]);
    }
}
END_TEST

START_TEST(refills)
{
    struct vpmu_model_config config = config_tiny();

    for (size_t i = 0; i < COUNT_OF(refills_rows); i++) {
        struct modeled m;

        modeled_start(&m, &config);
        for (size_t step = 0; step < MAX_STEPS; step++) {
            modeled_step(&m, &refills_rows[i].steps[step]);
        }
        expect_tlb(refills_rows[i].name, &m, refills_rows[i].want);
    }
}
END_TEST

/* Many more pages than the model has ids for. Only what is cached keeps its id. */
START_TEST(many_pages)
{
    const struct vpmu_model_config config = config_tiny();
    const uint64_t pages = 10000;
    struct modeled m;

    modeled_start(&m, &config);
    for (uint64_t page = 1; page <= pages; page++) {
        vpmu_model_data(m.model, MODELED_CTX, PAGE(page), 8, false, VPMU_PAGE_SHIFT);
        vpmu_model_data(m.model, MODELED_CTX, PAGE(1) + 64, 8, false, VPMU_PAGE_SHIFT);
        vpmu_model_data(m.model, MODELED_CTX, PAGE(page), 8, false, VPMU_PAGE_SHIFT);
    }
    expect("DTLB_WALK", pages, sum_of(&m, VPMU_SRCS_DTLB_WALK));
    expect("L1D_CACHE_REFILL_RD", pages + 1, m.totals.n[MODELED_CTX][VPMU_SRC_L1D_CACHE_REFILL_RD]);
}
END_TEST

/*
 * Page 1 of space 0x10005, page 2 of 0x10006 and page 3 of the high space 0x1fffc are in the L1
 * data TLB and the L2 TLB. The numbers are the walks that loads from them cause after each flush.
 */
#define HIGH_PAGE(n) (PAGE(n) | 0xff80000000000000ull)
#define ALL_BITS UINT32_MAX

static const struct {
    const char *name;
    struct vpmu_flush flush;
    uint64_t walks;
} flush_rows[] = {
    {"all of any space", {0, UINT64_MAX, {0, 0}, {0, 0}}, 3},
    {"low ones of any space", {0, (1ull << 55) - 1, {0, 0}, {0, 0}}, 2},
    {"high ones of any space", {1ull << 55, UINT64_MAX, {0, 0}, {0, 0}}, 1},
    {"one low space", {0, UINT64_MAX, {0x10006, 0}, {ALL_BITS, ALL_BITS}}, 1},
    {"a low space and the high one", {0, UINT64_MAX, {0x10006, 0x1fffc}, {ALL_BITS, ALL_BITS}}, 2},
    {"a low space and any high one", {0, UINT64_MAX, {0x10006, 0}, {ALL_BITS, 0}}, 2},
    {"spaces that begin so", {0, UINT64_MAX, {0x10000, 0x10000}, {0xffff0000, 0xffff0000}}, 3},
    {"spaces that begin otherwise", {0, UINT64_MAX, {0x20000, 0}, {0xffff0000, 0xffff0000}}, 0},
    {"a page of its space", {PAGE(1) + 5, PAGE(1) + 5, {0x10005, 0}, {ALL_BITS, 0}}, 1},
    {"a page of another space", {PAGE(1), PAGE(1), {0x10006, 0}, {ALL_BITS, 0}}, 0},
    {"a page of any space", {PAGE(2), PAGE(2), {0, 0}, {0, 0}}, 1},
    {"a high page", {HIGH_PAGE(3), HIGH_PAGE(3), {0x10005, 0x1fffc}, {ALL_BITS, ALL_BITS}}, 1},
    {"the same page, low", {PAGE(3), PAGE(3), {0x10005, 0x1fffc}, {ALL_BITS, ALL_BITS}}, 0},
    {"a byte of each of two pages", {PAGE(2) - 1, PAGE(2), {0, 0}, {0, 0}}, 2},
    {"pages behind", {PAGE(4), PAGE(9), {0, 0}, {0, 0}}, 0},
    {"the pages before", {0, PAGE(1) - 1, {0, 0}, {0, 0}}, 0},
};

static void load_three(struct modeled *m)
{
    vpmu_model_set_space(m->model, 0x10005, 0x1fffc);
    vpmu_model_data(m->model, MODELED_CTX, PAGE(1), 8, false, VPMU_PAGE_SHIFT);
    vpmu_model_data(m->model, MODELED_CTX, HIGH_PAGE(3), 8, false, VPMU_PAGE_SHIFT);
    vpmu_model_set_space(m->model, 0x10006, 0x1fffc);
    vpmu_model_data(m->model, MODELED_CTX, PAGE(2), 8, false, VPMU_PAGE_SHIFT);
}

START_TEST(flushes)
{
    struct vpmu_model_config config = config_tiny();

    config.l1d_tlb = (struct vpmu_tlb_config){.entries = 4, .ways = 4};
    for (size_t i = 0; i < COUNT_OF(flush_rows); i++) {
        struct modeled m;

        modeled_start(&m, &config);
        load_three(&m);
        vpmu_model_flush(m.model, &flush_rows[i].flush);
        load_three(&m);
        expect_in(flush_rows[i].name, "DTLB_WALK", 3 + flush_rows[i].walks,
                  sum_of(&m, VPMU_SRCS_DTLB_WALK));
        expect_in(flush_rows[i].name, "L1D_TLB_REFILL", 3 + flush_rows[i].walks,
                  sum_of(&m, VPMU_SRCS_DTLB_RD | VPMU_SRCS_DTLB_WR));
    }
}
END_TEST

/* The last fetch is reset if its page is flushed in its space. */
START_TEST(flush_forgets_fetch)
{
    struct vpmu_model_config config = config_tiny();
    struct vpmu_flush flush = {PAGE(1), PAGE(2), {8, 0}, {ALL_BITS, 0}};
    struct modeled m;

    modeled_start(&m, &config);
    vpmu_model_set_space(m.model, 7, 0);
    vpmu_model_fetch(m.model, MODELED_CTX, PAGE(1) + 0x80, VPMU_PAGE_SHIFT);
    vpmu_model_flush(m.model, &flush);
    expect("of another space", PAGE(1) + 0x80, m.head->fetch_line);
    flush.space[0] = 7;
    vpmu_model_flush(m.model, &flush);
    expect("of its space", VPMU_NO_LINE, m.head->fetch_line);
}
END_TEST

START_TEST(flush_keeps_caches)
{
    struct vpmu_model_config config = config_tiny();
    struct modeled m;

    modeled_start(&m, &config);
    vpmu_model_data(m.model, MODELED_CTX, PAGE(1), 8, false, VPMU_PAGE_SHIFT);
    vpmu_model_fetch(m.model, MODELED_CTX, PAGE(1), VPMU_PAGE_SHIFT);
    vpmu_model_flush_tlb(m.model);
    vpmu_model_data(m.model, MODELED_CTX, PAGE(1), 8, false, VPMU_PAGE_SHIFT);
    vpmu_model_fetch(m.model, MODELED_CTX, PAGE(1), VPMU_PAGE_SHIFT);
    expect("L1D_CACHE_REFILL_RD", 1, m.totals.n[MODELED_CTX][VPMU_SRC_L1D_CACHE_REFILL_RD]);
    expect("L1I_CACHE_REFILL", 1, m.totals.n[MODELED_CTX][VPMU_SRC_L1I_CACHE_REFILL]);
}
END_TEST

static uint64_t walks_of(struct modeled *m, unsigned first, unsigned end)
{
    uint64_t before = sum_of(m, VPMU_SRCS_DTLB_WALK);

    for (unsigned page = first; page < end; page++) {
        vpmu_model_data(m->model, MODELED_CTX, PAGE(page), 8, false, VPMU_PAGE_SHIFT);
    }
    return sum_of(m, VPMU_SRCS_DTLB_WALK) - before;
}

/* A page takes the place of one that was flushed, and no other page of the set is replaced. */
static void check_flush_of_one(const struct vpmu_model_config *config, unsigned ways)
{
    struct modeled m;

    modeled_start(&m, config);
    walks_of(&m, 0, ways);
    walks_of(&m, 0, 1);
    vpmu_model_flush_page(m.model, PAGE(0));
    expect_in("in the place of a flushed page", "walks", 1, walks_of(&m, ways, ways + 1));
    expect_in("all others", "walks", 0, walks_of(&m, 1, ways));
}

/*
 * One set of any size, whose pages are used repeatedly in the same order, so only the first round
 * walks. One more page replaces the first, which then replaces the second.
 */
START_TEST(many_ways)
{
    static const uint16_t ways[] = {3, 7, 8, 9, 16, 63, 127, 128, 129, 203, 255, 256};

    for (size_t i = 0; i < COUNT_OF(ways); i++) {
        struct vpmu_model_config config = config_tiny();
        struct modeled m;

        config.l2_tlb = (struct vpmu_tlb_config){.entries = ways[i], .ways = ways[i]};
        modeled_start(&m, &config);
        expect_in("at first", "walks", ways[i], walks_of(&m, 0, ways[i]));
        for (unsigned round = 0; round < 300; round++) {
            expect_in("again", "walks", 0, walks_of(&m, 0, ways[i]));
        }
        expect_in("another", "walks", 1, walks_of(&m, ways[i], ways[i] + 1u));
        expect_in("what was used after the first", "walks", 0, walks_of(&m, 1, ways[i]));
        expect_in("the first", "walks", 1, walks_of(&m, 0, 1));
        expect_in("what that replaced", "walks", 1, walks_of(&m, ways[i], ways[i] + 1u));
        check_flush_of_one(&config, ways[i]);
    }
}
END_TEST

Suite *model_tlb_suite(void)
{
    const TTest *const tests[] = {by_cause,          refills,   large_pages, many_parts,
                                  many_pages,        many_ways, flushes,     flush_forgets_fetch,
                                  flush_keeps_caches};

    return suite_of("model_tlb", tests, COUNT_OF(tests));
}
