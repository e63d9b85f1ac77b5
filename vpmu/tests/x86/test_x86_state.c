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
#define AT_SOURCES 8
#define AT_TIMED 24
#define AT_VERSION 41
#define AT_FORMAT 47
#define AT_CONFIG_END 50
#define AT_SELECT 56
#define AT_FIXED 176
#define AT_ENABLED 184
#define AT_OVERFLOWED 192
#define AT_FLAGS 200
#define AT_PEBS 208
#define AT_DS_AREA 216
#define AT_DUE 224
#define AT_SLOW 232
#define AT_LOAD_LATENCY 240
#define AT_DATA_CFG 248
#define AT_VALUE 256
#define AT_SLOTS (AT_VALUE + 8 * 19)
#define AT_METRIC (AT_VALUE + 8 * 20)
#define AT_REMAINDER 456
#define AT_CYCLE 496
#define AT_MET 616
#define AT_ZERO 618
#define AT_CRC 620

#define REF_SRC VPMU_SRC_BIT(VPMU_X86_SRC_REF_CYCLES)

static const struct vpmu_x86_config configs[] = {
    CONFIG(VPMU_X86_INTEL, 4, 4, 3, 40, VPMU_X86_HAS_PDCM, 1, VPMU_X86_SRC_ALL, 0, 0,
           VPMU_X86_GENERIC),
    CONFIG(VPMU_X86_INTEL, 1, 2, 0, 40, 0, 1, VPMU_X86_SRC_ALL & ~VPMU_X86_FP, 0, 0,
           VPMU_X86_GENERIC),
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
    {"wrong size", 0, 6, 1},
    {NULL, 0, AT_SOURCES, 1},
    {"more kinds of events", 1, AT_SOURCES + 15, 0x02},
    {"cycles of another clock", 0, AT_TIMED + 2, 2},
    {"cycles of another clock", 0, AT_TIMED + 15, 0x80},
    {"another version, other counters", 0, AT_VERSION, 1},
    {"a value where none can be", 0, AT_CONFIG_END, 1},
    {"a value where none can be", 0, AT_SELECT - 1, 0x80},
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
    {NULL, 2, AT_FLAGS + 7, 0x08},
    {"register bits", 2, AT_FLAGS + 7, 0x04},
    {"register bits", 0, AT_DS_AREA, 1},
    {NULL, 3, AT_PEBS, 3},
    {"register bits", 3, AT_PEBS, 4},
    {NULL, 3, AT_DS_AREA, 0xff},
    {"register bits", 3, AT_DS_AREA + 7, 1},
    {NULL, 3, AT_DUE, 3},
    {"register bits", 0, AT_DUE, 1},
    {"register bits", 0, AT_SLOW, 1},
    {NULL, 3, AT_FLAGS + 7, 0x40},
    {"another version, other counters", 3, AT_FORMAT, 1},
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
    {NULL, 4, AT_LOAD_LATENCY, 0xff},
    {"register bits", 4, AT_LOAD_LATENCY + 2, 1},
    {NULL, 3, AT_LOAD_LATENCY, 30},
    {NULL, 3, AT_LOAD_LATENCY + 1, 0xff},
    {"register bits", 3, AT_LOAD_LATENCY + 2, 1},
    {"register bits", 0, AT_LOAD_LATENCY, 30},
    {"register bits", 3, AT_DATA_CFG, 1},
    {"a value where none can be", 0, AT_ZERO, 1},
    {"a value where none can be", 0, AT_ZERO + 1, 0x80},
    {NULL, 4, AT_DATA_CFG, 0xf},
    {"register bits", 4, AT_DATA_CFG, 0x10},
    {NULL, 4, AT_DATA_CFG + 3, 0xff},
    {"register bits", 4, AT_DATA_CFG + 4, 1},
    {"another version, other counters", 4, AT_FORMAT, 7},
};

/* A state may have fewer sources than the PMU that has loaded it and is saved. */
static bool is_same(const uint8_t *loaded, const uint8_t *saved)
{
    return memcmp(loaded + AT_TIMED, saved + AT_TIMED, AT_CRC - AT_TIMED) == 0;
}

START_TEST(changed_fields)
{
    for (size_t i = 0; i < COUNT_OF(changes); i++) {
        uint8_t bytes[VPMU_X86_STATE_SIZE], after[VPMU_X86_STATE_SIZE];
        const char *why = "accepted";
        struct pc pc;
        int err;

        start_pc(&pc, &configs[changes[i].config]);
        pc_service(&pc, vpmu_x86_state_save(&pc.v, bytes, sizeof(bytes), &pc.clock));
        bytes[changes[i].at] ^= changes[i].bits;
        state_seal(bytes, sizeof(bytes));
        err = pc_service(&pc, vpmu_x86_state_load(&pc.v, bytes, sizeof(bytes), &pc.clock, &why));
        expect_in(why, "error", changes[i].why ? VPMU_ERR_STATE : 0, (uint64_t)-err);
        ck_assert_msg(strstr(why, changes[i].why ? changes[i].why : "accepted") != NULL,
                      "row %zu: expected %s got %s", i, changes[i].why, why);
        if (!changes[i].why) {
            pc_service(&pc, vpmu_x86_state_save(&pc.v, after, sizeof(after), &pc.clock));
            ck_assert_msg(is_same(bytes, after), "row %zu: another state", i);
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
        uint8_t bytes[VPMU_X86_STATE_SIZE], before[VPMU_X86_STATE_SIZE];
        uint8_t after[VPMU_X86_STATE_SIZE];
        const char *why = NULL;
        struct pc pc;

        start_pc(&pc, &configs[choose_below(&c, COUNT_OF(configs))]);
        pc_service(&pc, vpmu_x86_state_save(&pc.v, before, sizeof(before), &pc.clock));
        memcpy(bytes, before, sizeof(bytes));
        for (uint64_t n = choose_below(&c, 4); n > 0; n--) {
            bytes[choose_below(&c, AT_CRC)] ^= (uint8_t)BIT(choose_below(&c, 8));
        }
        state_seal(bytes, sizeof(bytes));
        if (pc_service(&pc, vpmu_x86_state_load(&pc.v, bytes, sizeof(bytes), &pc.clock, &why))) {
            ck_assert_msg(why != NULL, "expected a reason got none");
            memcpy(bytes, before, sizeof(bytes));
        }
        pc_service(&pc, vpmu_x86_state_save(&pc.v, after, sizeof(after), &pc.clock));
        ck_assert_msg(is_same(bytes, after), "run %u: another state", run);
    }
}
END_TEST

/*
 * A state that an earlier version of the library saved can be loaded, and is saved to the same
 * bytes, except that there may be more sources now.
 */
START_TEST(golden)
{
    static const uint8_t with_pebs[VPMU_X86_STATE_SIZE] = {
#include "x86_state_pebs.inc"
    };
    static const uint8_t with_metrics[VPMU_X86_STATE_SIZE] = {
#include "x86_state_metrics.inc"
    };
    static const struct {
        const uint8_t *earlier;
        struct vpmu_x86_config config;
    } rows[] = {
        {with_pebs, CONFIG(VPMU_X86_INTEL, 4, 8, 3, 48, VPMU_X86_HAS_PDCM, 4, VPMU_X86_SRC_ALL,
                           REF_SRC, 3, VPMU_X86_SKYLAKEX)},
        {with_metrics, CONFIG(VPMU_X86_INTEL, 5, 8, 4, 48, VPMU_X86_HAS_PDCM | VPMU_X86_HAS_METRICS,
                              6, VPMU_X86_SRC_ALL, REF_SRC, 4, VPMU_X86_SAPPHIRERAPIDS)},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_x86_config config = rows[i].config;
        const uint8_t *earlier = rows[i].earlier;
        uint8_t now[VPMU_X86_STATE_SIZE];
        struct pc pc;

        config.detector = true;
        config.tsc_hz = 1000000000;
        start_pc(&pc, &config);
        expect("load", 0,
               (uint64_t)-pc_service(
                   &pc, vpmu_x86_state_load(&pc.v, earlier, sizeof(now), &pc.clock, NULL)));
        expect("save", 0,
               (uint64_t)-pc_service(&pc, vpmu_x86_state_save(&pc.v, now, sizeof(now), &pc.clock)));
        for (unsigned at = AT_TIMED; at < AT_CRC; at++) {
            expect("byte", (uint64_t)at << 8 | earlier[at], (uint64_t)at << 8 | now[at]);
        }
    }
}
END_TEST

Suite *x86_state_suite(void)
{
    const TTest *const tests[] = {
        changed_fields,
        damaged,
        changed_bits,
        golden,
    };

    return suite_of("x86_state", tests, COUNT_OF(tests));
}
