/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * Instructions that access memory at several addresses or in large amounts, at EL0, as the models
 * see them: SVE gathers and scatters of 128-bit vectors, FEAT_MOPS, A32 structures and register
 * lists. An instruction is one load or store, however much it accesses. L1D accesses are those of
 * its elements or lines.
 */
#include "registers/pmu.h"
#include "runtime/mmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"
#include "tests/events/events.h"
#include "tests/levels/faults.h"
#include "tests/models/models.h"
#include "tests/aarch32/vectors32_code.h"

#define PAGE UINT64_C(4096)
#define REGION (16 * PAGE)

/* Arm ARM D14.12. */
enum {
    L1D_CACHE_REFILL = 0x03,
    L1D_TLB_REFILL = 0x05,
    LD_RETIRED = 0x06,
    ST_RETIRED = 0x07,
    UNALIGNED_LDST_RETIRED = 0x0f,
    MEM_ACCESS = 0x13,
    L1D_CACHE_RD = 0x40,
    L1D_CACHE_WR = 0x41,
};

static const uint16_t events[] = {LD_RETIRED,
                                  ST_RETIRED,
                                  MEM_ACCESS,
                                  L1D_CACHE_RD,
                                  L1D_CACHE_WR,
                                  L1D_CACHE_REFILL,
                                  L1D_TLB_REFILL,
                                  UNALIGNED_LDST_RETIRED,
                                  0};

/* The counts that are expected since counters were last taken. Accesses are loads and stores. */
struct counts {
    uint16_t loads, stores, reads, writes, lines, pages, unaligned;
};

static void expect_counts(const char *where, uint64_t which, const struct counts *want)
{
    const uint64_t wanted[] = {want->loads, want->stores,   (uint64_t)want->loads + want->stores,
                               want->reads, want->writes,   want->lines,
                               want->pages, want->unaligned};

    for (unsigned i = 0; events[i]; i++) {
        expect_eq(where, which << 16 | events[i], wanted[i], model_take(events[i]));
    }
}

/*
 * A function of vectors_asm.S: at which offset of an unused region it accesses memory, and how far.
 */
struct row {
    const char *name;
    level_fn code;
    uint64_t offset, distance;
    struct counts want;
};

uint64_t gather_d(uint64_t arg);
uint64_t gather_s(uint64_t arg);
uint64_t gather_down(uint64_t arg);
uint64_t gather_scaled(uint64_t arg);
uint64_t gather_vector(uint64_t arg);
uint64_t gather_one(uint64_t arg);
uint64_t gather_none(uint64_t arg);
uint64_t gather_first_fault(uint64_t arg);
uint64_t scatter_d(uint64_t arg);
uint64_t scatter_scaled(uint64_t arg);
uint64_t scatter_vector(uint64_t arg);
uint64_t set_memory(uint64_t arg);
uint64_t copy_forward(uint64_t arg);
uint64_t copy_any(uint64_t arg);

/* Each active element is an access. An element in two lines is two accesses. */
static const struct row sve_rows[] = {
    {"one line", gather_d, 0, 8, {1, 0, 2, 0, 1, 1, 0}},
    {"two lines", gather_d, 0, 64, {1, 0, 2, 0, 2, 1, 0}},
    {"two pages", gather_d, 128, PAGE, {1, 0, 2, 0, 2, 2, 0}},
    {"each across lines", gather_d, 60, 64, {1, 0, 4, 0, 3, 1, 0}},
    {"one across pages", gather_d, PAGE - 4, 264, {1, 0, 3, 0, 3, 2, 0}},
    {"words", gather_s, 0, 64, {1, 0, 4, 0, 4, 1, 0}},
    {"words of four pages", gather_s, 0, PAGE, {1, 0, 4, 0, 4, 4, 0}},
    {"bytes, downwards", gather_down, PAGE, 64, {1, 0, 4, 0, 4, 2, 0}},
    {"scaled", gather_scaled, 0, 192, {1, 0, 2, 0, 2, 1, 0}},
    {"of a vector", gather_vector, 56, 64, {1, 0, 2, 0, 2, 1, 0}},
    {"one element", gather_one, 0, 64, {1, 0, 1, 0, 1, 1, 0}},
    {"none", gather_none, 0, 64, {1, 0, 0, 0, 0, 0, 0}},
    {"first fault", gather_first_fault, 0, PAGE, {1, 0, 2, 0, 2, 2, 0}},
    {"scatter", scatter_d, 0, 64, {0, 1, 0, 2, 2, 1, 0}},
    {"scatter across pages", scatter_d, PAGE - 4, PAGE, {0, 1, 0, 4, 4, 3, 0}},
    {"scatter, scaled", scatter_scaled, 0, 128, {0, 1, 0, 4, 4, 1, 0}},
    {"scatter of a vector", scatter_vector, 0, 32, {0, 1, 0, 2, 1, 1, 0}},
    {0},
};

/*
 * Each line is one access for all three instructions together. Each instruction is a store, or both
 * a load and a store.
 */
static const struct row mops_rows[] = {
    {"set nothing", set_memory, 0, 0, {0, 3, 0, 0, 0, 0, 0}},
    {"set in a line", set_memory, 20, 30, {0, 3, 0, 1, 1, 1, 0}},
    {"set a line", set_memory, 64, 64, {0, 3, 0, 1, 1, 1, 0}},
    {"set two halves", set_memory, 32, 64, {0, 3, 0, 2, 2, 1, 0}},
    {"set in a page", set_memory, 0, 1000, {0, 3, 0, 16, 16, 1, 0}},
    /* From 100 to 10099: lines 1 to 157 of pages 0 to 2. */
    {"set three pages", set_memory, 100, 10000, {0, 3, 0, 157, 157, 3, 0}},
    {"copy nothing", copy_forward, 0, 0, {3, 3, 0, 0, 0, 0, 0}},
    /* From 33: lines 0 to 47 (3032). The source is at 10 after 8 pages: lines 0 to 47 (3009). */
    {"copy in a page", copy_forward, 33, 3000, {3, 3, 48, 48, 96, 2, 0}},
    /* From 100 to 9999, lines 1 to 156; from 10 to 9909, 0 to 154. */
    {"copy three pages", copy_forward, 100, 9900, {3, 3, 155, 156, 311, 6, 0}},
    {"copy, any order", copy_any, 100, 9900, {3, 3, 155, 156, 311, 6, 0}},
    {0},
};

static void run_row(const struct row *row, uint64_t source)
{
    uint64_t region = model_fresh(REGION);

    model_flush();
    model_run(row->code, region + row->offset, row->distance, region + source);
}

static void check_rows(const struct row *rows)
{
    model_count(events);
    enable_features();
    for (; rows->name; rows++) {
        run_row(rows, 8 * PAGE + 10);
        expect_counts(rows->name, 0, &rows->want);
    }
}

static void test_sve(void)
{
    if (!has_feature(NEEDS_SVE)) {
        skip_test("no SVE");
        return;
    }
    check_rows(sve_rows);
}

static void test_mops(void)
{
    if (!has_feature(NEEDS_MOPS)) {
        skip_test("no FEAT_MOPS");
        return;
    }
    check_rows(mops_rows);
}

/*
 * Source and destination overlap, so the copy goes backwards: from 0 to 8999, lines 0 to 140, to
 * 100 to 9099, lines 1 to 142. Each line of 0 to 142 is refilled once: 143 lines, 3 pages.
 */
static void test_mops_backwards(void)
{
    static const struct row row = {"backwards", copy_any, 100, 9000, {3, 3, 141, 142, 143, 3, 0}};

    if (!has_feature(NEEDS_MOPS)) {
        skip_test("no FEAT_MOPS");
        return;
    }
    model_count(events);
    enable_features();
    run_row(&row, 0);
    expect_counts(row.name, 0, &row.want);
}

/*
 * A page of the playground that is not mapped until it is accessed, and its neighbours, which are.
 */
#define PAGE_TRIED 3u

struct resumed_arg {
    uint64_t to, from, size, mask;
    uint64_t *descriptor;
    uint64_t value;
};

uint64_t resumed_set(uint64_t arg);
uint64_t resumed_copy(uint64_t arg);
uint64_t resumed_copy_back(uint64_t arg);

/*
 * An instruction that faults in its middle and continues there counts once. So does each line,
 * including the line in which it continues. To and from are offsets from the page before.
 */
static const struct {
    const char *name;
    level_fn code;
    unsigned to, from, size;
    struct counts want;
} resumed_rows[] = {
    /* To 100 to 9999, lines 1 to 156. */
    {"set", resumed_set, 100, 0, 9900, {.stores = 3, .writes = 156}},
    /* From 12298 to 22197, lines 192 to 346. */
    {"copy to", resumed_copy, 100, 3 * 4096 + 10, 9900, {3, 3, 155, 156, 0, 0, 0}},
    /* The opposite direction: from 100 to 9999, to 12298 to 22197. */
    {"copy from", resumed_copy, 3 * 4096 + 10, 100, 9900, {3, 3, 156, 155, 0, 0, 0}},
    /* From 10 to 8009, lines 0 to 125; to 110 to 8109, lines 1 to 126. */
    {"copy backwards", resumed_copy_back, 110, 10, 8000, {3, 3, 126, 126, 0, 0, 0}},
};

static void run_resumed(unsigned row)
{
    uint64_t base = page_address(PAGE_TRIED - 1);
    struct resumed_arg arg = {
        .to = base + resumed_rows[row].to,
        .from = base + resumed_rows[row].from,
        .size = resumed_rows[row].size,
        .mask = BIT(sizeof(events) / sizeof(events[0]) - 1) - 1,
        .descriptor = page_descriptor(PAGE_TRIED),
        .value = page_descriptor_value(PAGE_TRIED, PAGE_DATA),
    };

    for (unsigned page = PAGE_TRIED - 1; page < PAGE_TRIED + 6; page++) {
        page_map(page, page == PAGE_TRIED ? PAGE_UNMAPPED : PAGE_DATA);
    }
    use_fast_handler(&fast_map);
    call_at(EL0, resumed_rows[row].code, (uintptr_t)&arg);
}

static void test_mops_resumed(void)
{
    if (!has_feature(NEEDS_MOPS)) {
        skip_test("no FEAT_MOPS");
        return;
    }
    model_count(events);
    enable_features();
    for (unsigned i = 0; i < sizeof(resumed_rows) / sizeof(resumed_rows[0]); i++) {
        const struct counts *want = &resumed_rows[i].want;

        run_resumed(i);
        expect_eq(resumed_rows[i].name, LD_RETIRED, want->loads, model_take(LD_RETIRED));
        expect_eq(resumed_rows[i].name, ST_RETIRED, want->stores, model_take(ST_RETIRED));
        expect_eq(resumed_rows[i].name, L1D_CACHE_RD, want->reads, model_take(L1D_CACHE_RD));
        expect_eq(resumed_rows[i].name, L1D_CACHE_WR, want->writes, model_take(L1D_CACHE_WR));
    }
}

extern const uint32_t vectors32_blob[];

/* An A32 instruction accesses its elements or registers together: each line is one access. */
static const struct {
    const char *name;
    unsigned function, offset;
    struct counts want;
} rows32[] = {
    {"vld1.8, 4 registers", V32_VLD1_FOUR, 0, {1, 0, 1, 0, 1, 1, 0}},
    {"vld1.8, across lines", V32_VLD1_FOUR, 48, {1, 0, 2, 0, 2, 1, 0}},
    {"vld1.8, across pages", V32_VLD1_FOUR, PAGE - 8, {1, 0, 2, 0, 2, 2, 0}},
    {"vld1.8, bytes need no alignment", V32_VLD1_FOUR, 1, {1, 0, 1, 0, 1, 1, 0}},
    {"vld1.16, aligned", V32_VLD1_HALVES, 2, {1, 0, 1, 0, 1, 1, 0}},
    {"vld1.16, not aligned", V32_VLD1_HALVES, 3, {1, 0, 1, 0, 1, 1, 1}},
    {"vld4.16, across lines", V32_VLD4, 40, {1, 0, 2, 0, 2, 1, 0}},
    {"vst2.32", V32_VST2, 32, {0, 1, 0, 1, 1, 1, 0}},
    {"vst2.32, across lines", V32_VST2, 60, {0, 1, 0, 2, 2, 1, 0}},
    {"vst1.64, across lines", V32_VST1_TWO, 56, {0, 1, 0, 2, 2, 1, 0}},
    {"vld1.8, a lane", V32_VLD1_LANE, 63, {1, 0, 1, 0, 1, 1, 0}},
    {"vld4.8, a lane of each", V32_VLD4_LANE, 62, {1, 0, 2, 0, 2, 1, 0}},
    {"vst3.16, a lane of each", V32_VST3_LANE, 60, {0, 1, 0, 2, 2, 1, 0}},
    {"vst3.16, not aligned", V32_VST3_LANE, 1, {0, 1, 0, 1, 1, 1, 1}},
    {"vld2.16, to all lanes", V32_VLD2_ALL, 62, {1, 0, 2, 0, 2, 1, 0}},
    {"vldm of 16 d", V32_VLDM_D, 0, {1, 0, 2, 0, 2, 1, 0}},
    {"vldm of 16 d, three lines", V32_VLDM_D, 32, {1, 0, 3, 0, 3, 1, 0}},
    {"vldm of 16 s", V32_VLDM_S, 32, {1, 0, 2, 0, 2, 1, 0}},
    {"vstm of 4 d", V32_VSTM_D, PAGE - 16, {0, 1, 0, 2, 2, 2, 0}},
    {"vstmdb of 8 s", V32_VSTMDB_S, 80, {0, 1, 0, 2, 2, 1, 0}},
    {"vldr", V32_VLDR, 8, {1, 0, 1, 0, 1, 1, 0}},
};

static void test_a32(void)
{
    if (!has_aarch32(EL0)) {
        skip_test("no AArch32");
        return;
    }
    model_count(events);
    enable_features();
    for (unsigned i = 0; i < sizeof(rows32) / sizeof(rows32[0]); i++) {
        const uint32_t regs[4] = {(uint32_t)model_fresh(REGION) + rows32[i].offset,
                                  (uint32_t)(BIT(sizeof(events) / sizeof(events[0]) - 1) - 1)};

        model_flush();
        call_aarch32(EL0, (uint32_t)(uintptr_t)vectors32_blob + vectors32_blob[rows32[i].function],
                     regs);
        expect_counts(rows32[i].name, i, &rows32[i].want);
    }
}

#define VECTOR_TEST(name, run) TEST(name, run, .home = HOME_EL1 | HOME_EL2, .counters = 8)

const struct test test_table[] = {
    VECTOR_TEST("vectors.sve", test_sve),
    VECTOR_TEST("vectors.mops", test_mops),
    VECTOR_TEST("vectors.mops-backwards", test_mops_backwards),
    VECTOR_TEST("vectors.mops-resumed", test_mops_resumed),
    VECTOR_TEST("vectors.a32", test_a32),
    {0},
};
