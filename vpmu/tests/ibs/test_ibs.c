/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * AMD's instruction-based sampling: CPUID, registers, intervals, and what the registers hold of a
 * sample. Bits are those of Linux's arch/x86/include/asm/amd-ibs.h and asm/perf_event.h.
 */
#include <string.h>

#include "chooser.h"
#include "fixture.h"
#include "vpmu/x86/ibs.h"

#define BIT(n) (1ull << (n))

enum {
    FETCH_CTL = 0xc0011030,
    FETCH_LINEAR,
    FETCH_PHYSICAL,
    OP_CTL,
    OP_RIP,
    OP_DATA,
    OP_DATA2,
    OP_DATA3,
    DC_LINEAR,
    DC_PHYSICAL,
    IBS_CTL,
    BRANCH_TARGET,
    FETCH_EXT,
    OP_DATA4,
};

#define FETCH_EN BIT(48)
#define FETCH_VAL BIT(49)
#define RAND_EN BIT(57)
#define FETCH_L3_ONLY BIT(59)
#define OP_L3_ONLY BIT(16)
#define OP_EN BIT(17)
#define OP_VAL BIT(18)
#define CNT_CTL BIT(19)
#define LATENCY_EN BIT(63)

static void start(struct vpmu_ibs *s, unsigned family)
{
    memset(s, 0xa5, sizeof(*s));
    vpmu_ibs_init(s, family);
}

static uint64_t rd(const struct vpmu_ibs *s, uint32_t msr)
{
    uint64_t val;

    expect("RDMSR", VPMU_X86_OK, (uint64_t)vpmu_ibs_rdmsr(s, msr, &val));
    return val;
}

static void wr(struct vpmu_ibs *s, uint32_t msr, uint64_t val)
{
    expect("WRMSR", VPMU_X86_OK, (uint64_t)vpmu_ibs_wrmsr(s, msr, val));
}

/* Linux prints these values on such processors: "perf: AMD IBS detected (0x...)". */
START_TEST(caps)
{
    static const struct {
        unsigned family;
        uint32_t caps;
    } rows[] = {
        {VPMU_X86_GENERIC, 0},    {VPMU_X86_SKYLAKE, 0},      {VPMU_X86_ZEN1, 0x3ff},
        {VPMU_X86_ZEN2, 0x3ff},   {VPMU_X86_ZEN3, 0x3ff},     {VPMU_X86_ZEN4, 0xbff},
        {VPMU_X86_ZEN5, 0x81bff}, {VPMU_X86_FAMILY_COUNT, 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        expect("EAX", rows[i].caps, vpmu_ibs_caps(rows[i].family));
    }
}
END_TEST

/* APM: the bits that software can set in each register, and of the others those that must be 0. */
START_TEST(registers)
{
    static const struct {
        uint32_t msr;
        uint64_t zen1, zen3, zen4, zen5, ignored;
    } rows[] = {
        {FETCH_CTL, 0x02ffffffffffffff, 0x02ffffffffffffff, 0x3affffffffffffff, 0x3fffffffffffffff,
         UINT64_MAX},
        {FETCH_LINEAR, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0},
        {FETCH_PHYSICAL, 0xfffffffffffff, 0xfffffffffffff, 0xfffffffffffff, 0xfffffffffffff, 0},
        {OP_CTL, 0x07ffffff07feffff, 0x07ffffff07feffff, 0x07ffffff07ffffff, 0xffffffff07ffffff, 0},
        {OP_RIP, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0},
        {OP_DATA, 0x1fcffffffff, 0x1fcffffffff, 0x1fcffffffff, 0x1fcffffffff, 0},
        {OP_DATA2, 0x37, 0x17, 0xf7, 0xf7, UINT64_MAX},
        {OP_DATA3, 0xffffffffffffe1ff, 0xffffffffffffe1ff, 0xffffffffffffe1ff, 0xfffffffffff7e1bf,
         0},
        {DC_LINEAR, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0},
        {DC_PHYSICAL, 0xfffffffffffff, 0xfffffffffffff, 0xfffffffffffff, 0xfffffffffffff, 0},
        {BRANCH_TARGET, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX, 0},
    };
    static const uint8_t families[] = {VPMU_X86_ZEN1, VPMU_X86_ZEN3, VPMU_X86_ZEN4, VPMU_X86_ZEN5};

    for (size_t f = 0; f < COUNT_OF(families); f++) {
        for (size_t i = 0; i < COUNT_OF(rows); i++) {
            const uint64_t want[] = {rows[i].zen1, rows[i].zen3, rows[i].zen4, rows[i].zen5};
            struct vpmu_ibs s;

            start(&s, families[f]);
            expect("after reset", 0, rd(&s, rows[i].msr));
            wr(&s, rows[i].msr, want[f] | rows[i].ignored);
            expect("all bits", want[f], rd(&s, rows[i].msr));
            for (unsigned bit = 0; bit < 64; bit++) {
                bool is_zero = !((want[f] | rows[i].ignored) & BIT(bit));

                expect("must be 0", is_zero ? VPMU_X86_GP : VPMU_X86_OK,
                       (uint64_t)vpmu_ibs_wrmsr(&s, rows[i].msr, BIT(bit)));
            }
            vpmu_ibs_reset(&s);
            expect("after another reset", 0, rd(&s, rows[i].msr));
        }
    }
}
END_TEST

START_TEST(read_only)
{
    static const struct {
        uint32_t msr;
        enum vpmu_x86_access read, write;
        uint64_t val;
    } rows[] = {
        {IBS_CTL, VPMU_X86_OK, VPMU_X86_GP, 0x100},
        {FETCH_EXT, VPMU_X86_OK, VPMU_X86_OK, 0},
        {OP_DATA4, VPMU_X86_UNKNOWN, VPMU_X86_UNKNOWN, 0},
        {FETCH_CTL - 1, VPMU_X86_UNKNOWN, VPMU_X86_UNKNOWN, 0},
        {0, VPMU_X86_UNKNOWN, VPMU_X86_UNKNOWN, 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_ibs s;
        uint64_t val = 1;

        start(&s, VPMU_X86_ZEN4);
        expect("write", rows[i].write, (uint64_t)vpmu_ibs_wrmsr(&s, rows[i].msr, 0x103));
        expect("read", rows[i].read, (uint64_t)vpmu_ibs_rdmsr(&s, rows[i].msr, &val));
        expect("value", rows[i].val, val);
    }
}
END_TEST

/* How many events of what until a sample. */
START_TEST(intervals)
{
    static const struct {
        const char *why;
        enum vpmu_ibs_unit unit;
        uint64_t val;
        enum vpmu_ibs_counted counted;
        uint64_t left;
        bool tags;
    } rows[] = {
        {"disabled", VPMU_IBS_OP, CNT_CTL | 0x10, VPMU_IBS_NOTHING, 0, false},
        {"the op after the ops", VPMU_IBS_OP, OP_EN | CNT_CTL | 0x10, VPMU_IBS_OPS, 256, false},
        {"the op after the cycles", VPMU_IBS_OP, OP_EN | 0x10, VPMU_IBS_CYCLES, 256, false},
        {"IbsOpMaxCnt[26:20]", VPMU_IBS_OP, OP_EN | BIT(20) | 1, VPMU_IBS_CYCLES, 0x100010, false},
        {"IbsOpCurCnt", VPMU_IBS_OP, OP_EN | CNT_CTL | 0x10 | BIT(32) * 0x20, VPMU_IBS_OPS, 224,
         false},
        {"IbsOpCurCnt at the maximum", VPMU_IBS_OP, OP_EN | 0x10 | BIT(32) * 0x100,
         VPMU_IBS_NOTHING, 0, true},
        {"IbsOpCurCnt above it", VPMU_IBS_OP, OP_EN | CNT_CTL | 0x10 | BIT(32) * 0x1000,
         VPMU_IBS_NOTHING, 0, true},
        {"a valid sample stops", VPMU_IBS_OP, OP_EN | OP_VAL | 0x10, VPMU_IBS_NOTHING, 0, false},
        {"no maximum", VPMU_IBS_OP, OP_EN, VPMU_IBS_NOTHING, 0, false},
        {"disabled", VPMU_IBS_FETCH, 0x10, VPMU_IBS_NOTHING, 0, false},
        {"the fetch after", VPMU_IBS_FETCH, FETCH_EN | 0x10, VPMU_IBS_FETCHES, 257, false},
        {"IbsFetchCnt", VPMU_IBS_FETCH, FETCH_EN | 0x10 | 0x20000, VPMU_IBS_FETCHES, 225, false},
        {"IbsFetchCnt above", VPMU_IBS_FETCH, FETCH_EN | 0x10 | BIT(31), VPMU_IBS_FETCHES, 1,
         false},
        {"a valid sample stops", VPMU_IBS_FETCH, FETCH_EN | FETCH_VAL | 0x10, VPMU_IBS_NOTHING, 0,
         false},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_ibs s;

        start(&s, VPMU_X86_ZEN4);
        wr(&s, rows[i].unit == VPMU_IBS_OP ? OP_CTL : FETCH_CTL, rows[i].val);
        expect_in(rows[i].why, "counts", rows[i].counted,
                  (uint64_t)vpmu_ibs_counts(&s, rows[i].unit));
        expect_in(rows[i].why, "left", rows[i].left, vpmu_ibs_left(&s, rows[i].unit));
        expect_in(rows[i].why, "tags", rows[i].tags, vpmu_ibs_tags(&s));
    }
}
END_TEST

/* A whole interval: the count can be read, the sample stops it, and a write starts it again. */
START_TEST(sequence)
{
    struct vpmu_ibs_op op = {.rip = 0xffffffff81000123};
    struct vpmu_ibs s;
    uint64_t count;

    start(&s, VPMU_X86_ZEN1);
    wr(&s, OP_CTL, OP_EN | CNT_CTL | 9);
    vpmu_ibs_advance(&s, VPMU_IBS_OP, 100);
    expect("the count", OP_EN | CNT_CTL | 9 | BIT(32) * 100, rd(&s, OP_CTL));
    vpmu_ibs_advance(&s, VPMU_IBS_OP, 1000);
    expect("the count is not above", OP_EN | CNT_CTL | 9 | BIT(32) * 144, rd(&s, OP_CTL));
    expect("tags", true, vpmu_ibs_tags(&s));
    expect("interrupt", true, vpmu_ibs_op_sampled(&s, &op));
    count = rd(&s, OP_CTL) >> 32;
    expect("valid", OP_EN | OP_VAL | CNT_CTL | 9, rd(&s, OP_CTL) & UINT32_MAX);
    expect("RIP", op.rip, rd(&s, OP_RIP));
    expect("no more", false, vpmu_ibs_tags(&s));
    vpmu_ibs_advance(&s, VPMU_IBS_OP, 5);
    expect("stopped", count, rd(&s, OP_CTL) >> 32);
    wr(&s, OP_CTL, OP_EN | CNT_CTL | 10);
    expect("again", 160, vpmu_ibs_left(&s, VPMU_IBS_OP));
    expect("the old sample is still there", op.rip, rd(&s, OP_RIP));
}
END_TEST

#define SIZE 8
#define ACCESS(where, tlb, pages)                                                                  \
    {                                                                                              \
        .address = 0x7fff00001000, .physical = 0x123451000, .size = SIZE, .page = (pages),         \
        .level = VPMU_DATA_##where, .translated = VPMU_TLB_##tlb, .physical_valid = true           \
    }
#define LOAD(where, tlb, pages) .accesses = {.load = ACCESS(where, tlb, pages)}
#define STORE(where, tlb, pages) .accesses = {.store = ACCESS(where, tlb, pages)}
/* The linear and the physical address are valid, and the width is 8 bytes. */
#define VALID (BIT(17) | BIT(18) | BIT(22) * 4)
#define TAG_TO_RET(cycles) (BIT(16) * (cycles))

/* IbsOpData, IbsOpData2 of Zen 2 and of Zen 4, and IbsOpData3. Latencies: docs/memory-samples.md.
 */
static const struct {
    const char *what;
    struct vpmu_ibs_op op;
    uint64_t data, data2, data2_zen4, data3;
} samples[] = {
    {"neither", {0}, TAG_TO_RET(1), 0, 0, 0},
    {"load, L1", {LOAD(L1, L1, 0)}, TAG_TO_RET(5), 0, 0, BIT(0) | VALID},
    {"load, L2", {LOAD(L2, L1, 0)}, TAG_TO_RET(13), 0, 0, BIT(0) | BIT(7) | VALID | BIT(32) * 12},
    {"load, L3",
     {LOAD(LLC, L1, 0)},
     TAG_TO_RET(41),
     0x22,
     0x21,
     BIT(0) | BIT(7) | BIT(20) | VALID | BIT(32) * 40},
    {"load, L3, others have it",
     {LOAD(SHARED, L1, 0)},
     TAG_TO_RET(41),
     0x22,
     0x21,
     BIT(0) | BIT(7) | BIT(20) | VALID | BIT(32) * 40},
    {"load, another CPU modified it",
     {LOAD(PEER, L1, 0)},
     TAG_TO_RET(61),
     2,
     1,
     BIT(0) | BIT(7) | BIT(20) | VALID | BIT(32) * 60},
    {"load, memory",
     {LOAD(DRAM, WALK, 1)},
     TAG_TO_RET(181),
     3,
     3,
     BIT(0) | BIT(2) | BIT(3) | BIT(7) | BIT(20) | VALID | BIT(32) * 150 | BIT(48) * 30},
    {"load, device",
     {LOAD(UNCACHED, UNKNOWN, 0)},
     TAG_TO_RET(151),
     7,
     7,
     BIT(0) | BIT(7) | BIT(14) | BIT(20) | VALID | BIT(32) * 150},
    {"store, L1", {STORE(L1, L2, 0)}, TAG_TO_RET(9), 0, 0, BIT(1) | BIT(2) | VALID | BIT(48) * 4},
    {"store, memory: no latency",
     {STORE(DRAM, L1, 0)},
     TAG_TO_RET(151),
     0,
     0,
     BIT(1) | BIT(7) | BIT(20) | VALID},
    {"2 MiB, first TLB", {LOAD(L1, L1, 1)}, TAG_TO_RET(5), 0, 0, BIT(0) | BIT(4) | VALID},
    {"1 GiB, first TLB", {LOAD(L1, L1, 2)}, TAG_TO_RET(5), 0, 0, BIT(0) | BIT(5) | VALID},
    {"2 MiB, second TLB",
     {LOAD(L1, L2, 1)},
     TAG_TO_RET(9),
     0,
     0,
     BIT(0) | BIT(2) | BIT(6) | VALID | BIT(48) * 4},
    {"1 GiB, second TLB",
     {LOAD(L1, L2, 2)},
     TAG_TO_RET(9),
     0,
     0,
     BIT(0) | BIT(2) | BIT(19) | VALID | BIT(48) * 4},
    {"both: the load",
     {.accesses = {ACCESS(L2, L1, 0), ACCESS(DRAM, L1, 0), true}},
     TAG_TO_RET(13),
     0,
     0,
     BIT(0) | BIT(1) | BIT(7) | BIT(15) | VALID | BIT(32) * 12},
    {"not taken", {.branch = VPMU_IBS_IS_BRANCH}, TAG_TO_RET(1) | BIT(37), 0, 0, 0},
    {"return, mispredicted", {.branch = 0xf}, TAG_TO_RET(16) | BIT(34) * 0xf, 0, 0, 0},
    {"the address is not exact", {.rip_invalid = true}, TAG_TO_RET(1) | BIT(38), 0, 0, 0},
};

START_TEST(ops)
{
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        bool accesses = samples[i].data3;

        for (unsigned family = VPMU_X86_ZEN2; family <= VPMU_X86_ZEN4; family++) {
            /* Linux: Zen 3 has no CacheHitSt. */
            uint64_t old = family == VPMU_X86_ZEN3 ? samples[i].data2 & ~BIT(5) : samples[i].data2;
            struct vpmu_ibs s;

            start(&s, family);
            expect_in(samples[i].what, "interrupt", true, vpmu_ibs_op_sampled(&s, &samples[i].op));
            expect_in(samples[i].what, "IbsOpData", samples[i].data, rd(&s, OP_DATA));
            expect_in(samples[i].what, "IbsOpData2",
                      family == VPMU_X86_ZEN4 ? samples[i].data2_zen4 : old, rd(&s, OP_DATA2));
            expect_in(samples[i].what, "IbsOpData3", samples[i].data3, rd(&s, OP_DATA3));
            expect_in(samples[i].what, "linear", accesses ? 0x7fff00001000 : 0, rd(&s, DC_LINEAR));
            expect_in(samples[i].what, "physical", accesses ? 0x123451000 : 0, rd(&s, DC_PHYSICAL));
        }
    }
}
END_TEST

/* On Zen 5, IbsOpData3 has the size of the page, wherever its translation was (Linux 6.15). */
START_TEST(page_sizes)
{
    static const struct {
        struct vpmu_ibs_op op;
        uint64_t bits;
    } rows[] = {
        {{LOAD(L1, L1, 0)}, 0},
        {{LOAD(L1, L1, 1)}, BIT(4)},
        {{LOAD(L1, L1, 2)}, BIT(5)},
        {{LOAD(L1, L2, 0)}, BIT(2)},
        {{STORE(L1, L2, 1)}, BIT(2) | BIT(4)},
        {{LOAD(L1, L2, 2)}, BIT(2) | BIT(5)},
        {{LOAD(L1, WALK, 0)}, BIT(2) | BIT(3)},
        {{STORE(L1, WALK, 1)}, BIT(2) | BIT(3) | BIT(4)},
        {{LOAD(L1, WALK, 2)}, BIT(2) | BIT(3) | BIT(5)},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_ibs s;

        start(&s, VPMU_X86_ZEN5);
        vpmu_ibs_op_sampled(&s, &rows[i].op);
        expect("bits", rows[i].bits, rd(&s, OP_DATA3) & 0x8007c);
    }
}
END_TEST

/* IbsOpMemWidth and IbsDcMisAcc; PPR of family 17h: it crosses a boundary of 256 bits. */
START_TEST(widths)
{
    static const struct {
        uint16_t size;
        uint16_t offset;
        uint64_t width, misaligned, misaligned_zen2;
    } rows[] = {
        {0, 0, 0, 0, 0},   {1, 63, 1, 0, 0},  {2, 62, 2, 0, 0},  {2, 63, 2, 1, 1},
        {4, 61, 3, 1, 1},  {8, 56, 4, 0, 0},  {16, 48, 5, 0, 0}, {32, 33, 6, 1, 1},
        {64, 0, 7, 0, 1},  {64, 1, 7, 1, 1},  {10, 54, 0, 0, 0}, {10, 55, 0, 1, 1},
        {512, 0, 0, 1, 1}, {1, 31, 1, 0, 0},  {2, 31, 2, 0, 1},  {4, 28, 3, 0, 0},
        {8, 30, 4, 0, 1},  {32, 32, 6, 0, 0}, {32, 16, 6, 0, 1},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_ibs_op op = {.accesses = {.load = ACCESS(L1, L1, 0)}};
        struct vpmu_ibs s;

        op.accesses.load.size = rows[i].size;
        op.accesses.load.address += rows[i].offset;
        for (unsigned family = VPMU_X86_ZEN1; family <= VPMU_X86_ZEN5; family++) {
            start(&s, family);
            vpmu_ibs_op_sampled(&s, &op);
            expect("width", rows[i].width, rd(&s, OP_DATA3) >> 22 & 0xf);
            expect("misaligned",
                   family <= VPMU_X86_ZEN2 ? rows[i].misaligned_zen2 : rows[i].misaligned,
                   rd(&s, OP_DATA3) >> 8 & 1);
        }
    }
}
END_TEST

/* APM: of a branch that is not taken, the address that follows it. */
START_TEST(targets)
{
    struct vpmu_ibs_op op = {.target = 0x401000};
    struct vpmu_ibs s;

    start(&s, VPMU_X86_ZEN2);
    vpmu_ibs_op_sampled(&s, &op);
    expect("no branch", 0, rd(&s, BRANCH_TARGET));
    op.branch = VPMU_IBS_IS_BRANCH;
    vpmu_ibs_op_sampled(&s, &op);
    expect("not taken", 0x401000, rd(&s, BRANCH_TARGET));
    op.branch |= VPMU_IBS_IS_TAKEN;
    vpmu_ibs_op_sampled(&s, &op);
    expect("taken", 0x401000, rd(&s, BRANCH_TARGET));
}
END_TEST

/*
 * Which samples the filters of Zen 4 and Zen 5 keep. After one that is dropped, the count starts
 * again, from a random number of seven bits (APM 13.3.5).
 */
START_TEST(filters)
{
    static const struct {
        uint64_t ctl;
        uint8_t level;
        bool kept;
    } rows[] = {
        {OP_L3_ONLY, VPMU_DATA_L1, false},   {OP_L3_ONLY, VPMU_DATA_LLC, false},
        {OP_L3_ONLY, VPMU_DATA_PEER, false}, {OP_L3_ONLY, VPMU_DATA_UNKNOWN, false},
        {OP_L3_ONLY, VPMU_DATA_DRAM, true},  {LATENCY_EN, VPMU_DATA_UNKNOWN, false},
        {LATENCY_EN, VPMU_DATA_L1, false},   {LATENCY_EN, VPMU_DATA_PEER, false},
        {LATENCY_EN, VPMU_DATA_DRAM, true},  {LATENCY_EN | BIT(59), VPMU_DATA_DRAM, false},
        {BIT(59), VPMU_DATA_L1, true},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_ibs_op op = {.accesses = {.load = {.level = rows[i].level}}};
        struct vpmu_ibs s;

        start(&s, VPMU_X86_ZEN5);
        wr(&s, OP_CTL, rows[i].ctl | OP_EN | 9);
        vpmu_ibs_advance(&s, VPMU_IBS_OP, 144);
        expect("kept", rows[i].kept, vpmu_ibs_op_sampled(&s, &op));
        expect("valid", rows[i].kept, !!(rd(&s, OP_CTL) & OP_VAL));
        if (rows[i].kept) {
            expect("left", 0, vpmu_ibs_left(&s, VPMU_IBS_OP));
        } else {
            ck_assert_uint_ge(vpmu_ibs_left(&s, VPMU_IBS_OP), 144 - 127);
            ck_assert_uint_lt(vpmu_ibs_left(&s, VPMU_IBS_OP), 144);
        }
    }
}
END_TEST

#define FETCHED(where, tlb, pages)                                                                 \
    {                                                                                              \
        .address = 0x401fc0, .physical = 0x5fc0, .page = (pages), .level = VPMU_DATA_##where,      \
        .translated = VPMU_TLB_##tlb, .physical_valid = true                                       \
    }

/* The page sizes of Zen 3 are those of erratum 1347: 4 KiB, 16 KiB, 2 MiB, 1 GiB. */
START_TEST(fetches)
{
    static const struct {
        const char *what;
        struct vpmu_x86_data_access fetch;
        uint64_t bits, page, page_zen3, zen4, ext;
    } rows[] = {
        {"L1", FETCHED(L1, L1, 0), BIT(32) * 4, 0, 0, BIT(60), 0},
        {"L2, 2 MiB", FETCHED(L2, L2, 1), BIT(32) * 16 | BIT(51) | BIT(55), 1, 2, BIT(60), 4},
        {"L3, 1 GiB", FETCHED(LLC, L1, 2), BIT(32) * 40 | BIT(51) | BIT(58), 2, 3, BIT(60), 0},
        {"memory", FETCHED(DRAM, WALK, 0), BIT(32) * 180 | BIT(51) | BIT(55) | BIT(56) | BIT(58), 0,
         0, BIT(60) | BIT(61), 30},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (unsigned family = VPMU_X86_ZEN2; family <= VPMU_X86_ZEN4; family++) {
            uint64_t page = family == VPMU_X86_ZEN3 ? rows[i].page_zen3 : rows[i].page;
            uint64_t bits = rows[i].bits | (family == VPMU_X86_ZEN4 ? rows[i].zen4 : 0) | BIT(50) |
                            BIT(52) | BIT(53) * page | FETCH_EN | FETCH_VAL | 0x100010;
            struct vpmu_ibs s;

            start(&s, family);
            wr(&s, FETCH_CTL, FETCH_EN | 0x10);
            vpmu_ibs_advance(&s, VPMU_IBS_FETCH, 256);
            expect_in(rows[i].what, "kept", true, vpmu_ibs_fetch_sampled(&s, &rows[i].fetch));
            expect_in(rows[i].what, "IbsFetchCtl", bits, rd(&s, FETCH_CTL));
            expect_in(rows[i].what, "linear", 0x401fc0, rd(&s, FETCH_LINEAR));
            expect_in(rows[i].what, "physical", 0x5fc0, rd(&s, FETCH_PHYSICAL));
            expect_in(rows[i].what, "refill", rows[i].ext, rd(&s, FETCH_EXT));
            wr(&s, FETCH_CTL, 0x20);
            expect_in(rows[i].what, "after a write", 0x20, rd(&s, FETCH_CTL));
        }
    }
}
END_TEST

/* APM: IbsPhyAddrValid and IbsDcPhyAddrValid; without the first, IbsL1TlbPgSz is not valid. */
START_TEST(no_physical_address)
{
    struct vpmu_x86_data_access fetch = FETCHED(L1, L1, 1);
    struct vpmu_ibs_op op = {LOAD(L1, L1, 0)};
    struct vpmu_ibs s;

    fetch.physical_valid = false;
    op.accesses.load.physical_valid = false;
    start(&s, VPMU_X86_ZEN4);
    vpmu_ibs_fetch_sampled(&s, &fetch);
    vpmu_ibs_op_sampled(&s, &op);
    expect("IbsFetchCtl", 0, rd(&s, FETCH_CTL) & (BIT(52) | BIT(53) | BIT(54)));
    expect("IbsOpData3", BIT(17), rd(&s, OP_DATA3) & (BIT(17) | BIT(18)));
}
END_TEST

START_TEST(fetch_filter)
{
    struct vpmu_x86_data_access fetch = FETCHED(LLC, L1, 0);
    struct vpmu_ibs s;

    start(&s, VPMU_X86_ZEN4);
    wr(&s, FETCH_CTL, FETCH_EN | FETCH_L3_ONLY | 0x10);
    vpmu_ibs_advance(&s, VPMU_IBS_FETCH, 256);
    expect("dropped", false, vpmu_ibs_fetch_sampled(&s, &fetch));
    expect("again", 257, vpmu_ibs_left(&s, VPMU_IBS_FETCH));
    fetch.level = VPMU_DATA_DRAM;
    expect("kept", true, vpmu_ibs_fetch_sampled(&s, &fetch));
}
END_TEST

/* APM 13.3.3: an op that aborts is no sample, and the count starts again, below 128. */
START_TEST(aborted)
{
    struct vpmu_ibs s;

    start(&s, VPMU_X86_ZEN1);
    wr(&s, OP_CTL, OP_EN | CNT_CTL | 9);
    vpmu_ibs_advance(&s, VPMU_IBS_OP, 144);
    expect("tagged", 1, vpmu_ibs_tags(&s));
    vpmu_ibs_op_aborted(&s);
    expect("not valid", OP_EN | CNT_CTL | 9, rd(&s, OP_CTL) & UINT32_MAX);
    expect("counts again", VPMU_IBS_OPS, (uint64_t)vpmu_ibs_counts(&s, VPMU_IBS_OP));
    ck_assert_uint_lt(rd(&s, OP_CTL) >> 32, 128);
    expect("left", 144 - (rd(&s, OP_CTL) >> 32), vpmu_ibs_left(&s, VPMU_IBS_OP));
}
END_TEST

/*
 * APM 13.3.5 and Linux, commit ba5d35b442c6: after a dropped sample, a count of ops or cycles
 * begins at a random number of 1 to 127; one of fetches at 1 to 15, if IbsRandEn is set.
 */
START_TEST(random_after_filters)
{
    static const unsigned most[VPMU_IBS_UNITS] = {[VPMU_IBS_FETCH] = 15, [VPMU_IBS_OP] = 127};
    const struct vpmu_x86_data_access fetch = FETCHED(L1, L1, 0);
    const struct vpmu_ibs_op op = {.rip = 0};
    unsigned seen[VPMU_IBS_UNITS][257] = {{0}};
    struct vpmu_ibs s;

    start(&s, VPMU_X86_ZEN4);
    wr(&s, FETCH_CTL, FETCH_EN | RAND_EN | FETCH_L3_ONLY | 0x10);
    wr(&s, OP_CTL, OP_EN | OP_L3_ONLY | 0x10);
    for (unsigned i = 0; i < 127000; i++) {
        expect("op", false, vpmu_ibs_op_sampled(&s, &op));
        seen[VPMU_IBS_OP][256 - vpmu_ibs_left(&s, VPMU_IBS_OP)]++;
        expect("fetch", false, vpmu_ibs_fetch_sampled(&s, &fetch));
        seen[VPMU_IBS_FETCH][257 - vpmu_ibs_left(&s, VPMU_IBS_FETCH)]++;
    }
    for (unsigned unit = 0; unit < VPMU_IBS_UNITS; unit++) {
        unsigned each = 127000 / most[unit];

        expect("0", 0, seen[unit][0]);
        for (unsigned i = 1; i <= most[unit]; i++) {
            ck_assert_uint_gt(seen[unit][i], each * 8 / 10);
            ck_assert_uint_lt(seen[unit][i], each * 12 / 10);
        }
    }
}
END_TEST

/* IbsRandEn makes the lowest four bits of the count random, and all values come about as often. */
START_TEST(random_intervals)
{
    unsigned seen[16] = {0};
    struct vpmu_ibs s;

    start(&s, VPMU_X86_ZEN1);
    for (unsigned i = 0; i < 16000; i++) {
        uint64_t left;

        wr(&s, FETCH_CTL, FETCH_EN | RAND_EN | 0x10);
        left = vpmu_ibs_left(&s, VPMU_IBS_FETCH);
        ck_assert_uint_gt(left, 241);
        ck_assert_uint_le(left, 257);
        seen[257 - left]++;
    }
    for (unsigned i = 0; i < 16; i++) {
        ck_assert_uint_gt(seen[i], 800);
        ck_assert_uint_lt(seen[i], 1200);
    }
    wr(&s, FETCH_CTL, FETCH_EN | 0x10);
    expect("without IbsRandEn", 257, vpmu_ibs_left(&s, VPMU_IBS_FETCH));
}
END_TEST

/* The units as vpmu-stats shows them. */
START_TEST(seen_from_outside)
{
    const struct vpmu_ibs_op op = {.rip = 0};
    struct vpmu_ibs_view view;
    struct vpmu_ibs s;

    start(&s, VPMU_X86_ZEN1);
    expect("fetch, after reset", false, vpmu_ibs_view(&s, VPMU_IBS_FETCH, &view));
    expect("op, after reset", false, vpmu_ibs_view(&s, VPMU_IBS_OP, &view));
    wr(&s, FETCH_CTL, 0x20010);
    expect("fetch", true, vpmu_ibs_view(&s, VPMU_IBS_FETCH, &view));
    expect("fetches", VPMU_IBS_FETCHES, view.counted);
    expect("interval", 0x100, view.interval);
    expect("count", 0x20, view.count);
    expect("disabled", false, view.enabled || view.counting || view.valid);
    wr(&s, OP_CTL, OP_EN | CNT_CTL | 9);
    vpmu_ibs_advance(&s, VPMU_IBS_OP, 7);
    expect("op", true, vpmu_ibs_view(&s, VPMU_IBS_OP, &view));
    expect("ops", VPMU_IBS_OPS, view.counted);
    expect("interval", 144, view.interval);
    expect("count", 7, view.count);
    expect("control", OP_EN | CNT_CTL | 9 | BIT(32) * 7, view.control);
    expect("counts", true, view.enabled && view.counting && !view.valid);
    vpmu_ibs_op_sampled(&s, &op);
    vpmu_ibs_view(&s, VPMU_IBS_OP, &view);
    expect("has a sample", true, view.enabled && !view.counting && view.valid);
    wr(&s, OP_CTL, OP_EN | 9);
    vpmu_ibs_view(&s, VPMU_IBS_OP, &view);
    expect("cycles", VPMU_IBS_CYCLES, view.counted);
}
END_TEST

/* PPR: after a sample, the counter of ops is preloaded with a random number of 1 to 127. */
START_TEST(random_ops)
{
    const struct vpmu_ibs_op op = {.rip = 0};
    unsigned seen[128] = {0};
    struct vpmu_ibs s;

    start(&s, VPMU_X86_ZEN3);
    wr(&s, OP_CTL, OP_EN | CNT_CTL | 0x100);
    for (unsigned i = 0; i < 127000; i++) {
        uint64_t count;

        vpmu_ibs_op_sampled(&s, &op);
        count = rd(&s, OP_CTL) >> 32;
        ck_assert_uint_lt(count, 128);
        seen[count]++;
        /* As Linux does: valid is cleared, and the random bits are written back. */
        wr(&s, OP_CTL, (count << 32) | OP_EN | CNT_CTL | 0x100);
        expect("left", 4096 - count, vpmu_ibs_left(&s, VPMU_IBS_OP));
    }
    expect("0", 0, seen[0]);
    for (unsigned i = 1; i < 128; i++) {
        ck_assert_uint_gt(seen[i], 800);
        ck_assert_uint_lt(seen[i], 1200);
    }
}
END_TEST

/* PPR: after an interval in cycles, a 1-of-4 round-robin counter determines the op. */
START_TEST(turns)
{
    const struct vpmu_ibs_op op = {.rip = 0};
    struct vpmu_ibs s;

    start(&s, VPMU_X86_ZEN3);
    for (unsigned i = 0; i < 9; i++) {
        wr(&s, OP_CTL, OP_EN | 9);
        expect("before", 0, vpmu_ibs_tags(&s));
        vpmu_ibs_advance(&s, VPMU_IBS_OP, 144);
        expect("which op", 1 + i % 4, vpmu_ibs_tags(&s));
        vpmu_ibs_op_sampled(&s, &op);
        /* PPR: IbsOpCurCnt[6:0] is random in both modes. */
        ck_assert_uint_ge(rd(&s, OP_CTL) >> 32, 1);
        ck_assert_uint_le(rd(&s, OP_CTL) >> 32, 127);
    }
}
END_TEST

Suite *ibs_suite(void)
{
    const TTest *const tests[] = {caps,
                                  registers,
                                  read_only,
                                  intervals,
                                  sequence,
                                  ops,
                                  widths,
                                  targets,
                                  filters,
                                  fetches,
                                  no_physical_address,
                                  fetch_filter,
                                  aborted,
                                  page_sizes,
                                  random_after_filters,
                                  random_intervals,
                                  random_ops,
                                  turns,
                                  seen_from_outside};

    return suite_of("ibs", tests, COUNT_OF(tests));
}
