/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The filter contains accesses for which the model need not be called. random_models tests that
 * omitting them changes no total. Here it is tested when the filter contains a line.
 */
#include <string.h>

#include "modeled_cpu.h"

#define SHIFT 6
#define LINE(n) (0x1000ull + (n)*64u)
#define SLOTS VPMU_FILTER_SLOTS
/* The first line above the lower half of the address space. */
#define UPPER 0x80000000000000ull

static bool load_hits(const struct modeled *m, uint64_t addr, unsigned size)
{
    return vpmu_filter_hit(m->head->filter.load, SHIFT, addr, size);
}

static bool store_hits(const struct modeled *m, uint64_t addr, unsigned size)
{
    return vpmu_filter_hit(m->head->filter.store, SHIFT, addr, size);
}

static bool fetch_hits(const struct modeled *m, uint64_t addr)
{
    return vpmu_filter_hit(m->head->filter.fetch, SHIFT, addr, 1);
}

/*
 * An empty slot holds no line that belongs to it: neither at the start nor at the end of the
 * address space, nor around bit 55, nor one that an access in the slot can reach.
 */
START_TEST(empty)
{
    static const uint64_t bases[] = {0, 0 - SLOTS * 64ull, UPPER, UPPER - SLOTS * 64, 1ull << 63};
    struct vpmu_model_config config = config_tiny();
    struct modeled m;

    modeled_start(&m, &config);
    /* Memory that is 0 would have line 0 in each slot. */
    memset((void *)m.model, 0, vpmu_model_size(&config));
    vpmu_model_init(m.model, &config, vpmu_arm_table(&m.totals));
    for (size_t i = 0; i < COUNT_OF(bases); i++) {
        for (uint64_t line = 0; line < SLOTS; line++) {
            uint64_t addr = bases[i] + line * 64;

            ck_assert_msg(!load_hits(&m, addr, 1) && !load_hits(&m, addr + 63, 64) &&
                              !load_hits(&m, addr, 4096) && !store_hits(&m, addr, 8) &&
                              !fetch_hits(&m, addr),
                          "expected no hit at %#llx got one", (unsigned long long)addr);
        }
    }
}
END_TEST

START_TEST(what_hits)
{
    static const uint64_t lines[] = {0, LINE(3), UPPER, 0 - 64ull};
    struct vpmu_model_config config = vpmu_model_default;

    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        uint64_t line = lines[i];
        struct modeled m;

        modeled_start(&m, &config);
        vpmu_model_data(m.model, MODELED_CTX, line + 8, 8, false, VPMU_PAGE_SHIFT);
        expect("a load, after a load", true, load_hits(&m, line, 64));
        expect("its last byte", true, load_hits(&m, line + 63, 1));
        expect("beyond its last byte", false, load_hits(&m, line + 63, 2));
        expect("from before its first byte", false, load_hits(&m, line - 1, 2));
        expect("another line of the slot", false, load_hits(&m, line + SLOTS * 64, 8));
        expect("a store makes it dirty", false, store_hits(&m, line, 8));
        vpmu_model_data(m.model, MODELED_CTX, line, 8, true, VPMU_PAGE_SHIFT);
        expect("a store to a dirty line", true, store_hits(&m, line, 64));
        expect("a fetch", false, fetch_hits(&m, line));
        vpmu_model_fetch(m.model, MODELED_CTX, line + 4, VPMU_PAGE_SHIFT);
        expect("a fetch, after a fetch", true, fetch_hits(&m, line + 60));
        expect("fetch_line", line, m.head->fetch_line);
    }
}
END_TEST

/* Whether line 0 is in the filter for a load, for a store and for a fetch after these steps. */
static const struct {
    const char *name;
    struct step steps[MAX_STEPS];
    bool load;
    bool store;
    bool fetch;
} what_leaves_rows[] = {
    {"all of it", {{STORE, LINE(0), 8}, {FETCH, LINE(0), 0}}, true, true, true},
    {"a load of a dirty line", {{STORE, LINE(0), 8}, {LOAD, LINE(0), 8}}, true, true, false},
    {"an access that spans lines", {{STORE, LINE(0) - 1, 8}}, true, true, false},
    {"another way of the set", {{STORE, LINE(0), 8}, {LOAD, LINE(2), 8}}, true, true, false},
    {"replaced in L1D",
     {{STORE, LINE(0), 8}, {FETCH, LINE(0), 0}, {LOAD, LINE(2), 8}, {LOAD, LINE(4), 8}},
     false,
     false,
     true},
    {"and clean when it comes back",
     {{STORE, LINE(0), 8}, {LOAD, LINE(2), 8}, {LOAD, LINE(4), 8}, {LOAD, LINE(0), 8}},
     true,
     false,
     false},
    {"replaced in L1I",
     {{STORE, LINE(0), 8}, {FETCH, LINE(0), 0}, {FETCH, LINE(2), 0}},
     true,
     true,
     false},
    /* Lines of set 1 in other pages. */
    {"its page replaced in the L1 data TLB",
     {{STORE, LINE(0), 8}, {FETCH, LINE(0), 0}, {LOAD, 0x2040, 8}, {LOAD, 0x3040, 8}},
     false,
     false,
     true},
    {"its page replaced in the L1 instruction TLB",
     {{STORE, LINE(0), 8}, {FETCH, LINE(0), 0}, {FETCH, 0x2040, 8}, {FETCH, 0x3040, 8}},
     true,
     true,
     false},
    {"a flush", {{STORE, LINE(0), 8}, {FETCH, LINE(0), 0}, {FLUSH, 0, 0}}, false, false, false},
    {"a flush of its page",
     {{STORE, LINE(0), 8}, {FETCH, LINE(0), 0}, {FLUSH_PAGE, 0x1fff, 0}},
     false,
     false,
     false},
    {"a flush of another page",
     {{STORE, LINE(0), 8}, {FETCH, LINE(0), 0}, {FLUSH_PAGE, 0x2000, 0}},
     true,
     true,
     true},
    {"the lower space",
     {{STORE, LINE(0), 8}, {FETCH, LINE(0), 0}, {SPACE, 1, 0}},
     false,
     false,
     false},
    {"the upper space",
     {{STORE, LINE(0), 8}, {FETCH, LINE(0), 0}, {SPACE, 0, 1}},
     true,
     true,
     true},
    {"no new space",
     {{SPACE, 5, 6}, {STORE, LINE(0), 8}, {FETCH, LINE(0), 0}, {SPACE, 5, 6}},
     true,
     true,
     true},
    {"a line of the slot, of the upper space",
     {{STORE, LINE(0) | UPPER, 8}, {STORE, LINE(0), 8}, {SPACE, 0, 1}},
     true,
     true,
     false},
};

START_TEST(what_leaves)
{
    struct vpmu_model_config config = config_tiny();

    for (size_t i = 0; i < COUNT_OF(what_leaves_rows); i++) {
        struct modeled m;

        modeled_start(&m, &config);
        for (size_t step = 0; step < MAX_STEPS; step++) {
            modeled_step(&m, &what_leaves_rows[i].steps[step]);
        }
        expect_in(what_leaves_rows[i].name, "load", what_leaves_rows[i].load,
                  load_hits(&m, LINE(0), 8));
        expect_in(what_leaves_rows[i].name, "store", what_leaves_rows[i].store,
                  store_hits(&m, LINE(0), 8));
        expect_in(what_leaves_rows[i].name, "fetch", what_leaves_rows[i].fetch,
                  fetch_hits(&m, LINE(0)));
    }
}
END_TEST

/* A change of the upper space removes the upper lines and no others. */
START_TEST(upper_space)
{
    struct vpmu_model_config config = vpmu_model_default;
    struct modeled m;

    modeled_start(&m, &config);
    vpmu_model_data(m.model, MODELED_CTX, LINE(0), 8, true, VPMU_PAGE_SHIFT);
    vpmu_model_data(m.model, MODELED_CTX, LINE(1) | UPPER, 8, true, VPMU_PAGE_SHIFT);
    vpmu_model_set_space(m.model, 0, 1);
    expect("a lower line", true, store_hits(&m, LINE(0), 8));
    expect("an upper line", false, store_hits(&m, LINE(1) | UPPER, 8));
}
END_TEST

/* The hits of all lines of a page, for loads, stores and fetches. */
static unsigned count_hits(const struct modeled *m, uint64_t page, unsigned shift)
{
    unsigned hits = 0;

    for (uint64_t addr = page; addr < page + VPMU_PAGE_SIZE; addr += 1ull << shift) {
        hits += vpmu_filter_hit(m->head->filter.load, shift, addr, 1);
        hits += vpmu_filter_hit(m->head->filter.store, shift, addr, 1);
        hits += vpmu_filter_hit(m->head->filter.fetch, shift, addr, 1);
    }
    return hits;
}

static void touch_page(struct modeled *m, uint64_t page, unsigned shift)
{
    for (uint64_t addr = page; addr < page + VPMU_PAGE_SIZE; addr += 1ull << shift) {
        vpmu_model_data(m->model, MODELED_CTX, addr, 1, true, VPMU_PAGE_SHIFT);
        vpmu_model_fetch(m->model, MODELED_CTX, addr, VPMU_PAGE_SHIFT);
    }
}

/* All lines of a page are removed, for any line size, and none of its neighbours. */
START_TEST(whole_pages)
{
    static const uint64_t pages[] = {0x1000, 0x2000, UPPER | 0x3000};

    for (unsigned shift = 4; shift <= 8; shift++) {
        struct vpmu_model_config config = vpmu_model_default;
        unsigned all = 3 * (VPMU_PAGE_SIZE >> shift);
        struct modeled m;

        config.l1i.line = (uint16_t)(1u << shift);
        config.l1d.line = (uint16_t)(1u << shift);
        config.l2.size = 0;
        config.llc.size = 0;
        modeled_start(&m, &config);
        for (size_t i = 0; i < COUNT_OF(pages); i++) {
            touch_page(&m, pages[i], shift);
        }
        for (size_t i = 0; i < COUNT_OF(pages); i++) {
            expect("all of a page", all, count_hits(&m, pages[i], shift));
        }
        vpmu_model_flush_page(m.model, 0x2345);
        expect("before the page", all, count_hits(&m, 0x1000, shift));
        expect("in the page", 0, count_hits(&m, 0x2000, shift));
        expect("behind the page", all, count_hits(&m, UPPER | 0x3000, shift));
        touch_page(&m, 0x2000, shift);
        vpmu_model_set_space(m.model, 1, 0);
        expect("in the space that went", 0, count_hits(&m, 0x1000, shift));
        expect("there too", 0, count_hits(&m, 0x2000, shift));
        expect("in the other half", all, count_hits(&m, UPPER | 0x3000, shift));
        vpmu_model_set_space(m.model, 0, 0);
        touch_page(&m, 0x1000, shift);
        expect("when it is back", all, count_hits(&m, 0x1000, shift));
        vpmu_model_flush_tlb(m.model);
        expect("after a flush", 0, count_hits(&m, 0x1000, shift));
        expect("in both halves", 0, count_hits(&m, UPPER | 0x3000, shift));
    }
}
END_TEST

/* The last byte is in a line that is in the filter and has the slot of the first byte. */
START_TEST(long_access)
{
    struct vpmu_model_config config = vpmu_model_default;
    struct modeled m;

    modeled_start(&m, &config);
    vpmu_model_data(m.model, MODELED_CTX, LINE(SLOTS), 8, false, VPMU_PAGE_SHIFT);
    vpmu_model_data(m.model, MODELED_CTX, LINE(0), SLOTS * 64 + 8, false, VPMU_PAGE_SHIFT);
    expect("lines beyond the first", SLOTS, m.totals.n[MODELED_CTX][VPMU_SRC_L1D_CACHE_RD]);
}
END_TEST

/* With LRU, only the line that its set used last is in the filter: any other hit moves its line. */
START_TEST(lru_has_last)
{
    struct vpmu_model_config config = config_tiny();
    struct modeled m;

    config.l1_policy = VPMU_POLICY_LRU;
    config.l1i.ways = 2;
    config.l1i.size *= 2;
    modeled_start(&m, &config);
    vpmu_model_data(m.model, MODELED_CTX, LINE(0), 8, true, VPMU_PAGE_SHIFT);
    vpmu_model_fetch(m.model, MODELED_CTX, LINE(0), VPMU_PAGE_SHIFT);
    expect("load", true, load_hits(&m, LINE(0), 8));
    expect("store", true, store_hits(&m, LINE(0), 8));
    expect("fetch", true, fetch_hits(&m, LINE(0)));
    vpmu_model_data(m.model, MODELED_CTX, LINE(1), 8, false, VPMU_PAGE_SHIFT);
    expect("after another set", true, load_hits(&m, LINE(0), 8));
    vpmu_model_data(m.model, MODELED_CTX, LINE(2), 8, false, VPMU_PAGE_SHIFT);
    vpmu_model_fetch(m.model, MODELED_CTX, LINE(2), VPMU_PAGE_SHIFT);
    expect("the last one, load", true, load_hits(&m, LINE(2), 8));
    expect("the last one, fetch", true, fetch_hits(&m, LINE(2)));
    expect("the one before, load", false, load_hits(&m, LINE(0), 8));
    expect("the one before, store", false, store_hits(&m, LINE(0), 8));
    expect("the one before, fetch", false, fetch_hits(&m, LINE(0)));
    vpmu_model_data(m.model, MODELED_CTX, LINE(0), 8, false, VPMU_PAGE_SHIFT);
    expect("again, load", true, load_hits(&m, LINE(0), 8));
    expect("again, store", true, store_hits(&m, LINE(0), 8));
    expect("again, the other", false, load_hits(&m, LINE(2), 8));
}
END_TEST

/* The line of the last fetch, with which the next instruction is compared. */
START_TEST(fetch_line)
{
    static const struct {
        const char *name;
        struct step steps[MAX_STEPS];
        uint64_t line;
    } rows[] = {
        {"none yet", {{LOAD, LINE(0), 8}}, VPMU_NO_LINE},
        {"its first byte", {{FETCH, LINE(3) + 60, 0}}, LINE(3)},
        {"the latest", {{FETCH, LINE(3), 0}, {FETCH, LINE(0), 0}}, LINE(0)},
        {"a flush", {{FETCH, LINE(3), 0}, {FLUSH, 0, 0}}, VPMU_NO_LINE},
        {"a flush of its page", {{FETCH, LINE(3), 0}, {FLUSH_PAGE, 0x1000, 0}}, VPMU_NO_LINE},
        {"a flush of another page", {{FETCH, LINE(3), 0}, {FLUSH_PAGE, 0x2000, 0}}, LINE(3)},
        {"another lower space", {{FETCH, LINE(3), 0}, {SPACE, 1, 0}}, VPMU_NO_LINE},
        {"another upper space", {{FETCH, LINE(3), 0}, {SPACE, 0, 1}}, VPMU_NO_LINE},
        {"the same spaces", {{FETCH, LINE(3), 0}, {SPACE, 0, 0}}, LINE(3)},
    };
    struct vpmu_model_config config = config_tiny();

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct modeled m;

        modeled_start(&m, &config);
        for (size_t step = 0; step < MAX_STEPS; step++) {
            modeled_step(&m, &rows[i].steps[step]);
        }
        expect_in(rows[i].name, "fetch_line", rows[i].line, m.head->fetch_line);
    }
}
END_TEST

Suite *model_filter_suite(void)
{
    const TTest *const tests[] = {empty,       what_hits,   what_leaves,  upper_space,
                                  whole_pages, long_access, lru_has_last, fetch_line};

    return suite_of("model_filter", tests, COUNT_OF(tests));
}
