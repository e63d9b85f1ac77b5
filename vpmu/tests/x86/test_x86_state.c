/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Saved states of the x86 PMU that are damaged or inconsistent. test_x86_random.c tests valid ones.
 */
#include <string.h>

#include "chooser.h"
#include "fixture.h"
#include "naive_x86.h"
#include "pc.h"
#include "vpmu/x86/state.h"

/* The positions of fields in a state. The layout is part of the interface. */
#define AT_SOURCES 15
#define AT_SELECT 34
#define AT_FIXED 154
#define AT_ENABLED 162
#define AT_OVERFLOWED 170
#define AT_FLAGS 178
#define AT_PEBS 186
#define AT_DS_AREA 194
#define AT_DUE 202
#define AT_SLOW 210
#define AT_VALUE 214
#define AT_REMAINDER 366
#define AT_CYCLE 404
#define AT_MET 524
#define AT_LOAD_LATENCY 526
#define AT_SLOTS 526
#define AT_METRIC 534
#define AT_BASELINE_LATENCY 574
#define AT_DATA_CFG 582

#define CYCLES_SRC VPMU_SRC_BIT(VPMU_X86_SRC_CYCLES)
#define REF_SRC VPMU_SRC_BIT(VPMU_X86_SRC_REF_CYCLES)

static const struct vpmu_x86_config configs[] = {
    CONFIG(VPMU_X86_INTEL, 4, 4, 3, 40, VPMU_X86_HAS_PDCM, 1, VPMU_X86_SRC_ALL, 0, 0,
           VPMU_X86_GENERIC),
    CONFIG(VPMU_X86_INTEL, 1, 2, 0, 40, 0, 1, VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_GENERIC),
    CONFIG(VPMU_X86_AMD, VPMU_X86_AMD_V2, 6, 0, 48, VPMU_X86_HAS_SVM, 4, VPMU_X86_SRC_ALL, 0, 0,
           VPMU_X86_GENERIC),
    CONFIG(VPMU_X86_INTEL, 2, 2, 3, 48, VPMU_X86_HAS_PDCM, 1, VPMU_X86_SRC_ALL, 0, 2,
           VPMU_X86_GENERIC),
    CONFIG(VPMU_X86_INTEL, 5, 2, 3, 48, VPMU_X86_HAS_PDCM, 1, VPMU_X86_SRC_ALL, 0, 4,
           VPMU_X86_ICELAKEX),
    CONFIG(VPMU_X86_INTEL, 5, 2, 4, 48, VPMU_X86_HAS_PDCM | VPMU_X86_HAS_METRICS, 1,
           VPMU_X86_SRC_ALL, 0, 4, VPMU_X86_ICELAKEX),
};

/* One field of a state is changed, and the checksum is corrected. */
static const struct {
    const char *why; /* the reason; NULL if it is accepted */
    unsigned config;
    unsigned at;
    uint8_t bits;
} changes[] = {
    {"does not begin with vX86", 0, 0, 1},
    {"another version", 0, 4, 8},
    {"wrong size", 0, 4, 1},
    {"wrong size", 0, 6, 1},
    {"another version, other counters", 0, 9, 1},
    {NULL, 0, AT_SELECT + 2, 0xff},
    {"bits of PERFEVTSEL", 0, AT_SELECT + 4, 1},
    {"bits of PERFEVTSEL", 0, AT_SELECT + 8 * 4, 1},
    {NULL, 0, AT_FIXED, 0xff},
    {"register bits", 0, AT_FIXED + 1, 0x10},
    {"register bits", 0, AT_ENABLED, 0x10},
    {"register bits", 1, AT_ENABLED, 1},
    {NULL, 0, AT_OVERFLOWED + 2, 7},
    {"register bits", 0, AT_OVERFLOWED + 2, 8},
    {NULL, 0, AT_FLAGS + 7, 0x7c},
    {"register bits", 0, AT_FLAGS + 7, 0x80},
    {"register bits", 1, AT_FLAGS + 7, 0x08},
    {"register bits", 2, AT_FLAGS + 7, 0x08},
    {"register bits", 0, AT_DS_AREA, 1},
    {NULL, 3, AT_PEBS, 3},
    {"register bits", 3, AT_PEBS, 4},
    {NULL, 3, AT_DS_AREA, 0xff},
    {"register bits", 3, AT_DS_AREA + 7, 1},
    {NULL, 3, AT_DUE, 3},
    {"register bits", 0, AT_DUE, 1},
    {"register bits", 0, AT_SLOW, 1},
    {NULL, 3, AT_FLAGS + 7, 0x40},
    {"another version, other counters", 3, 31, 1},
    {NULL, 0, AT_VALUE + 4, 0xff},
    {"a value where none can be", 0, AT_VALUE + 5, 1},
    {"a value where none can be", 0, AT_VALUE + 8 * 4, 1},
    {"a value where none can be", 0, AT_REMAINDER, 1},
    {"a value where none can be", 0, AT_CYCLE, 1},
    {"a value where none can be", 0, AT_MET, 1},
    {"a value where none can be", 0, AT_MET + 1, 0x80},
    {NULL, 4, AT_SELECT + 4, 4},
    {"bits of PERFEVTSEL", 4, AT_SELECT + 4, 8},
    {NULL, 4, AT_FIXED + 4, 0x11},
    {"register bits", 4, AT_FIXED + 4, 2},
    {"register bits", 4, AT_FIXED + 5, 0x10},
    {NULL, 5, AT_FIXED + 5, 0x10},
    {NULL, 4, AT_PEBS, 3},
    {"register bits", 4, AT_PEBS, 4},
    {NULL, 4, AT_PEBS + 4, 7},
    {"register bits", 4, AT_PEBS + 4, 8},
    {NULL, 5, AT_PEBS + 4, 8},
    {NULL, 4, AT_DUE, 3},
    {"register bits", 4, AT_DUE, 4},
    {NULL, 4, AT_DUE + 2, 7},
    {"register bits", 4, AT_DUE + 2, 8},
    {"register bits", 4, AT_DUE + 4, 1},
    {"a value where none can be", 4, AT_SLOTS, 1},
    {NULL, 5, AT_SLOTS, 1},
    {"a value where none can be", 4, AT_METRIC, 1},
    {"a value where none can be", 4, AT_METRIC + 4 * 8, 1},
    {NULL, 5, AT_METRIC + 7, 0xf},
    {"a value where none can be", 5, AT_METRIC + 7, 0x10},
    {NULL, 4, AT_BASELINE_LATENCY, 0xff},
    {"register bits", 4, AT_BASELINE_LATENCY + 2, 1},
    {NULL, 4, AT_DATA_CFG, 0xf},
    {"register bits", 4, AT_DATA_CFG, 0x10},
    {NULL, 4, AT_DATA_CFG + 3, 0xff},
    {"register bits", 4, AT_DATA_CFG + 4, 1},
    {"another version, other counters", 4, 31, 7},
};

START_TEST(changed_fields)
{
    for (size_t i = 0; i < COUNT_OF(changes); i++) {
        uint8_t bytes[VPMU_X86_STATE_SIZE_MAX], after[VPMU_X86_STATE_SIZE_MAX];
        const char *why = "accepted";
        size_t size;
        struct pc pc;
        int err;

        start_pc(&pc, &configs[changes[i].config]);
        pc_service(&pc, vpmu_x86_state_save(&pc.v, bytes, sizeof(bytes), &pc.clock));
        size = vpmu_x86_state_saved_size(bytes);
        bytes[changes[i].at] ^= changes[i].bits;
        state_seal(bytes, size);
        err = pc_service(&pc, vpmu_x86_state_load(&pc.v, bytes, size, &pc.clock, &why));
        expect_in(why, "error", changes[i].why ? VPMU_ERR_STATE : 0, (uint64_t)-err);
        ck_assert_msg(strstr(why, changes[i].why ? changes[i].why : "accepted") != NULL,
                      "row %zu: expected %s got %s", i, changes[i].why, why);
        if (!changes[i].why) {
            pc_service(&pc, vpmu_x86_state_save(&pc.v, after, sizeof(after), &pc.clock));
            expect("the same state", 0, (uint64_t)memcmp(bytes, after, size));
        }
    }
}
END_TEST

/* A threshold of load latencies makes a longer state; 0 does not. */
START_TEST(load_latency)
{
    static const struct {
        const char *why; /* the reason; NULL if it is accepted */
        unsigned config;
        uint64_t threshold;
    } rows[] = {
        {NULL, 3, 30},
        {NULL, 3, 0xffff},
        {"a value where none can be", 3, 0},
        {"register bits", 3, 0x10000},
        {"other counters or other features", 0, 30},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint8_t bytes[VPMU_X86_STATE_SIZE_LOAD_LATENCY], after[VPMU_X86_STATE_SIZE_LOAD_LATENCY];
        const char *why = "accepted";
        struct pc pc;

        start_pc(&pc, &configs[3]);
        expect("size", sizeof(bytes), vpmu_x86_state_size(&configs[3]));
        pc_service(&pc, vpmu_x86_state_save(&pc.v, bytes, sizeof(bytes), &pc.clock));
        expect("without one", VPMU_X86_STATE_SIZE, vpmu_x86_state_saved_size(bytes));
        expect("WRMSR", VPMU_X86_OK, pc_access(&pc, vpmu_x86_wrmsr(&pc.v, 0x3f6, 1, &pc.clock)));
        expect("no space", VPMU_ERR_SPACE,
               (uint64_t)-pc_service(
                   &pc, vpmu_x86_state_save(&pc.v, bytes, VPMU_X86_STATE_SIZE, &pc.clock)));
        pc_service(&pc, vpmu_x86_state_save(&pc.v, bytes, sizeof(bytes), &pc.clock));
        expect("with one", sizeof(bytes), vpmu_x86_state_saved_size(bytes));
        for (unsigned at = 0; at < 8; at++) {
            bytes[AT_LOAD_LATENCY + at] = (uint8_t)(rows[i].threshold >> 8 * at);
        }
        state_seal(bytes, sizeof(bytes));
        start_pc(&pc, &configs[rows[i].config]);
        pc_service(&pc, vpmu_x86_state_load(&pc.v, bytes, sizeof(bytes), &pc.clock, &why));
        ck_assert_msg(strstr(why, rows[i].why ? rows[i].why : "accepted") != NULL,
                      "row %zu: expected %s got %s", i, rows[i].why, why);
        expect("threshold", rows[i].why ? 0 : rows[i].threshold, pc.v.regs.load_latency);
        if (!rows[i].why) {
            pc_service(&pc, vpmu_x86_state_save(&pc.v, after, sizeof(after), &pc.clock));
            expect("the same state", 0, (uint64_t)memcmp(bytes, after, sizeof(after)));
        }
    }
}
END_TEST

START_TEST(damaged)
{
    uint8_t bytes[VPMU_X86_STATE_SIZE + 1] = {0};
    struct pc pc;

    start_pc(&pc, &configs[0]);
    expect("save, no space", VPMU_ERR_SPACE,
           (uint64_t)-pc_service(
               &pc, vpmu_x86_state_save(&pc.v, bytes, VPMU_X86_STATE_SIZE - 1, &pc.clock)));
    pc_service(&pc, vpmu_x86_state_save(&pc.v, bytes, sizeof(bytes), &pc.clock));
    for (size_t len = 0; len <= sizeof(bytes); len++) {
        expect("a length", len == VPMU_X86_STATE_SIZE ? 0 : VPMU_ERR_STATE,
               (uint64_t)-pc_service(&pc, vpmu_x86_state_load(&pc.v, bytes, len, &pc.clock, NULL)));
    }
    for (size_t bit = 0; bit < 8 * VPMU_X86_STATE_SIZE; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        expect("a bit", VPMU_ERR_STATE,
               (uint64_t)-pc_service(
                   &pc, vpmu_x86_state_load(&pc.v, bytes, VPMU_X86_STATE_SIZE, &pc.clock, NULL)));
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}
END_TEST

/*
 * Bits of a state are changed, and the checksum is corrected. An accepted state must be saved to
 * the same bytes.
 */
START_TEST(changed_bits)
{
    struct chooser c = {.state = 5};

    for (unsigned run = 0; run < 3000; run++) {
        uint8_t bytes[VPMU_X86_STATE_SIZE_MAX], before[VPMU_X86_STATE_SIZE_MAX];
        uint8_t after[VPMU_X86_STATE_SIZE_MAX];
        const char *why = NULL;
        size_t size;
        struct pc pc;

        start_pc(&pc, &configs[choose_below(&c, COUNT_OF(configs))]);
        pc_service(&pc, vpmu_x86_state_save(&pc.v, before, sizeof(before), &pc.clock));
        size = vpmu_x86_state_saved_size(before);
        memcpy(bytes, before, size);
        for (uint64_t n = choose_below(&c, 4); n > 0; n--) {
            bytes[choose_below(&c, size - 4)] ^= (uint8_t)BIT(choose_below(&c, 8));
        }
        state_seal(bytes, size);
        if (pc_service(&pc, vpmu_x86_state_load(&pc.v, bytes, size, &pc.clock, &why))) {
            ck_assert_msg(why != NULL, "expected a reason got none");
            memcpy(bytes, before, size);
        }
        pc_service(&pc, vpmu_x86_state_save(&pc.v, after, sizeof(after), &pc.clock));
        ck_assert_msg(memcmp(bytes, after, size) == 0, "run %u: another state", run);
    }
}
END_TEST

/* A state of version 2 is loaded by a machine with the same counters and the clock's cycles. */
START_TEST(version_2)
{
    static const uint8_t earlier[VPMU_X86_STATE_SIZE_2] = {
#include "x86_state_2.inc"
    };
    static const struct {
        const char *why; /* the reason; NULL if it is accepted */
        uint8_t counters;
        uint64_t timed;
        uint64_t missing;
    } rows[] = {
        {NULL, 4, CYCLES_SRC | REF_SRC, 0},
        {"other counters", 8, CYCLES_SRC | REF_SRC, 0},
        {"from another origin", 4, REF_SRC, 0},
        {"other features", 4, CYCLES_SRC | REF_SRC, VPMU_SRC_BIT(VPMU_X86_SRC_LL_LOAD)},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_x86_config config =
            CONFIG(VPMU_X86_INTEL, 2, rows[i].counters, 3, 48, VPMU_X86_HAS_PDCM, 1,
                   VPMU_X86_SRC_ALL & ~rows[i].missing, rows[i].timed, 3, VPMU_X86_SKYLAKEX);
        const char *why = "accepted";
        struct pc pc;

        start_pc(&pc, &config);
        pc_service(&pc, vpmu_x86_state_load(&pc.v, earlier, sizeof(earlier), &pc.clock, &why));
        ck_assert_msg(strstr(why, rows[i].why ? rows[i].why : "accepted") != NULL,
                      "row %zu: expected %s got %s", i, rows[i].why, why);
        for (unsigned idx = 0; idx < 3; idx++) {
            static const uint64_t values[] = {1000, 100, 5000};

            expect("value", rows[i].why ? 0 : values[idx], pc.v.count.counter[idx].value);
        }
        expect("counter 1", rows[i].why ? 0 : 0x5300c4, pc.v.regs.select[1]);
    }
}
END_TEST

/*
 * A PMU with PEBS of format 4 loads a state from before it had PEBS, also from an earlier version
 * of Intel's performance monitoring.
 */
START_TEST(before_pebs_4)
{
    static const struct {
        const char *why; /* the reason; NULL if it is accepted */
        unsigned now;    /* the configuration that loads */
        uint8_t version; /* what was saved */
        uint8_t pebs;
        uint8_t fixed;
        uint64_t select;
    } rows[] = {
        {NULL, 4, 5, 0, 3, 0x5300c0},
        {NULL, 4, 2, 0, 3, 0x5300c0},
        {NULL, 4, 4, 0, 3, 0x5300c0},
        {"bits of PERFEVTSEL", 4, 4, 0, 3, 0x7300c0}, /* AnyThread */
        {NULL, 5, 2, 0, 3, 0x5300c0},
        {NULL, 5, 2, 0, 4, 0x5300c0}, /* with PERF_METRICS */
        {NULL, 4, 5, 4, 3, 0x4005300c0},
        {"other features", 4, 5, 3, 3, 0x5300c0},
        {"other counters", 4, 5, 0, 2, 0x5300c0},
        {"other counters", 4, 2, 0, 4, 0x5300c0},
        {"another version", 3, 5, 0, 3, 0x5300c0},
        {"another version", 3, 5, 4, 3, 0x5300c0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_x86_config config = configs[rows[i].fixed == 4 ? 5 : 4];
        uint8_t bytes[VPMU_X86_STATE_SIZE_MAX];
        const char *why = "accepted";
        uint64_t val;
        struct pc pc;

        config.version = rows[i].version;
        config.pebs = rows[i].pebs;
        config.fixed = rows[i].fixed;
        start_pc(&pc, &config);
        pc_access(&pc, vpmu_x86_wrmsr(&pc.v, 0xc1, 1234, &pc.clock));
        expect("WRMSR", VPMU_X86_OK,
               pc_access(&pc, vpmu_x86_wrmsr(&pc.v, 0x186, rows[i].select, &pc.clock)));
        pc_service(&pc, vpmu_x86_state_save(&pc.v, bytes, sizeof(bytes), &pc.clock));
        start_pc(&pc, &configs[rows[i].now]);
        pc_access(&pc, vpmu_x86_wrmsr(&pc.v, 0x3f1, 3, &pc.clock));
        pc_access(&pc, vpmu_x86_wrmsr(&pc.v, 0x3f2, 3, &pc.clock));
        pc_service(&pc, vpmu_x86_state_load(&pc.v, bytes, vpmu_x86_state_saved_size(bytes),
                                            &pc.clock, &why));
        ck_assert_msg(strstr(why, rows[i].why ? rows[i].why : "accepted") != NULL,
                      "row %zu: expected %s got %s", i, rows[i].why, why);
        pc_access(&pc, vpmu_x86_rdmsr(&pc.v, 0xc1, &val, &pc.clock));
        expect("value", rows[i].why ? 0 : 1234, val);
        expect("PEBS", rows[i].why ? 3 : 0, pc.v.regs.pebs);
        expect("groups", rows[i].why && rows[i].now != 3 ? 3 : 0, pc.v.regs.data_cfg);
        expect("PERFEVTSEL", rows[i].why ? 0 : rows[i].select, pc.v.regs.select[0]);
    }
}
END_TEST

/* Versions of states that a configuration does not write, with a size and a checksum that fit. */
START_TEST(wrong_versions)
{
    static const struct {
        const char *why;
        unsigned config;
        uint8_t version;
        uint16_t size;
        uint8_t pebs; /* in the state's configuration */
    } rows[] = {
        {"a value where none can be", 3, 6, VPMU_X86_STATE_SIZE_BASELINE, 2},
        {"other counters", 3, 6, VPMU_X86_STATE_SIZE_BASELINE, 4},
        {"other counters", 4, 3, VPMU_X86_STATE_SIZE, 4},
        {"other counters", 5, 4, VPMU_X86_STATE_SIZE_METRICS, 4},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint8_t bytes[VPMU_X86_STATE_SIZE_MAX] = {0};
        const char *why = "accepted";
        struct pc pc;

        start_pc(&pc, &configs[rows[i].config]);
        pc_service(&pc, vpmu_x86_state_save(&pc.v, bytes, sizeof(bytes), &pc.clock));
        memset(bytes + AT_SLOTS, 0, sizeof(bytes) - AT_SLOTS);
        bytes[4] = rows[i].version;
        bytes[6] = (uint8_t)rows[i].size;
        bytes[7] = (uint8_t)(rows[i].size >> 8);
        bytes[31] = rows[i].pebs;
        state_seal(bytes, rows[i].size);
        pc_service(&pc, vpmu_x86_state_load(&pc.v, bytes, rows[i].size, &pc.clock, &why));
        ck_assert_msg(strstr(why, rows[i].why) != NULL, "row %zu: expected %s got %s", i,
                      rows[i].why, why);
    }
}
END_TEST

/*
 * A state that an earlier version of the library saved can be loaded, and is saved to the same
 * bytes.
 */
START_TEST(golden)
{
    static const uint8_t version_3[VPMU_X86_STATE_SIZE] = {
#include "x86_state_3.inc"
    };
    static const uint8_t version_6[VPMU_X86_STATE_SIZE_BASELINE] = {
#include "x86_state_6.inc"
    };
    static const struct {
        const uint8_t *earlier;
        size_t size;
        struct vpmu_x86_config config;
    } rows[] = {
        {version_3, sizeof(version_3),
         CONFIG(VPMU_X86_INTEL, 4, 8, 3, 48, VPMU_X86_HAS_PDCM, 4, VPMU_X86_SRC_ALL, REF_SRC, 3,
                VPMU_X86_SKYLAKEX)},
        {version_6, sizeof(version_6),
         CONFIG(VPMU_X86_INTEL, 5, 8, 4, 48, VPMU_X86_HAS_PDCM | VPMU_X86_HAS_METRICS, 6,
                VPMU_X86_SRC_ALL, REF_SRC, 4, VPMU_X86_SAPPHIRERAPIDS)},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_x86_config config = rows[i].config;
        const uint8_t *earlier = rows[i].earlier;
        uint8_t now[VPMU_X86_STATE_SIZE_MAX];
        struct pc pc;

        config.detector = true;
        start_pc(&pc, &config);
        expect("load", 0,
               (uint64_t)-pc_service(
                   &pc, vpmu_x86_state_load(&pc.v, earlier, rows[i].size, &pc.clock, NULL)));
        expect("save", 0,
               (uint64_t)-pc_service(&pc, vpmu_x86_state_save(&pc.v, now, sizeof(now), &pc.clock)));
        for (unsigned at = 0; at < rows[i].size; at++) {
            expect("byte", (uint64_t)at << 8 | earlier[at], (uint64_t)at << 8 | now[at]);
        }
    }
}
END_TEST

/* The numbers of sources in saved states, which stay what they were first. */
START_TEST(source_numbers)
{
    static const struct {
        enum vpmu_x86_source source;
        unsigned saved;
    } rows[] = {
        {VPMU_X86_SRC_LOAD, 1},          {VPMU_X86_SRC_STORE, 2},
        {VPMU_X86_SRC_BR_COND, 6},       {VPMU_X86_SRC_BR_RETURN, 7},
        {VPMU_X86_SRC_BR_INDIRECT, 8},   {VPMU_X86_SRC_BR_FAR, 14},
        {VPMU_X86_SRC_BR_DIRECT, 15},    {VPMU_X86_SRC_DTLB_WALK_RD, 17},
        {VPMU_X86_SRC_DTLB_WALK_WR, 18}, {VPMU_X86_SRC_ITLB_L2_HIT, 19},
        {VPMU_X86_SRC_LL_LOAD, 20},      {VPMU_X86_SRC_LL_LOAD_MISS, 21},
        {VPMU_X86_SRC_REF_CYCLES, 31},   {VPMU_X86_SRC_L1I, 32},
        {VPMU_X86_SRC_LL_MISS_WR, 47},   {VPMU_X86_SRC_BR_MISS, 54},
        {VPMU_X86_SRC_BR_CALL, 3},       {VPMU_X86_SRC_BR_TAKEN, 22},
        {VPMU_X86_SRC_L2_LOAD_HIT, 29},  {VPMU_X86_SRC_LL_LOAD_HIT, 58},
        {VPMU_X86_SRC_SLOT_BACKEND, 57}, {VPMU_X86_SRC_RECOVERY, 59},
    };
    uint8_t all[VPMU_X86_STATE_SIZE], less[VPMU_X86_STATE_SIZE];
    struct pc pc;

    start_pc(&pc, &configs[1]);
    pc_service(&pc, vpmu_x86_state_save(&pc.v, all, sizeof(all), &pc.clock));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_x86_config config = configs[1];
        uint64_t changed = 0;

        config.sources &= ~VPMU_SRC_BIT(rows[i].source);
        start_pc(&pc, &config);
        pc_service(&pc, vpmu_x86_state_save(&pc.v, less, sizeof(less), &pc.clock));
        for (unsigned at = 0; at < 8; at++) {
            changed |= (uint64_t)(all[AT_SOURCES + at] ^ less[AT_SOURCES + at]) << 8 * at;
        }
        expect_in(vpmu_x86_source_name(rows[i].source), "saved", BIT(rows[i].saved), changed);
    }
}
END_TEST

Suite *x86_state_suite(void)
{
    const TTest *const tests[] = {
        changed_fields, load_latency, damaged,       changed_bits,   source_numbers,
        version_2,      golden,       before_pebs_4, wrong_versions,
    };

    return suite_of("x86_state", tests, COUNT_OF(tests));
}
