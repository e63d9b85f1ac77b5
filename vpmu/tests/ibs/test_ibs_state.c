/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Saved states of IBS: their layout, loading them, and every kind of damage. */
#include <string.h>

#include "chooser.h"
#include "fixture.h"
#include "saved.h"
#include "vpmu/x86/ibs.h"

/* The layout that the library's ibs_state.c describes. */
#define AT_CAPS 8
#define AT_RANDOM 12
#define AT_COUNT(n) (16 + 4 * (n))
#define AT_REG(n) (24 + 8 * (n))
#define AT_TURN 128
#define AT_CRC 132

#define ROUNDS 4000

struct saved {
    uint8_t bytes[VPMU_IBS_STATE_SIZE];
};

/* Values of the registers in their order; IBS_CTL is read-only, and the last is set by a sample. */
static const uint64_t values[VPMU_IBS_REGS] = {
    0x0a00000000000123,
    0xffff800000001000,
    0x12345678,
    0x00000000000a0456,
    0xffffffff81000000,
    0x1f400050004,
    0x23,
    0xffffffff00000083,
    0x1234,
    0x5678,
    0x100,
    0x401000,
    30,
};

static void fill(struct vpmu_ibs *s)
{
    const struct vpmu_x86_data_access fetch = {.level = VPMU_DATA_L1, .translated = VPMU_TLB_WALK};
    const struct vpmu_ibs_op op = {.rip = 0};

    vpmu_ibs_init(s, VPMU_X86_ZEN4);
    vpmu_ibs_wrmsr(s, VPMU_IBS_FIRST_MSR, 1ull << 48 | 1ull << 57);
    vpmu_ibs_fetch_sampled(s, &fetch);
    vpmu_ibs_op_sampled(s, &op);
    for (unsigned i = 0; i < VPMU_IBS_REGS; i++) {
        vpmu_ibs_wrmsr(s, VPMU_IBS_FIRST_MSR + i, values[i]);
    }
    vpmu_ibs_advance(s, VPMU_IBS_OP, 0x77);
}

SAVED_CALLS(ibs)

static void fill_any(void *of)
{
    fill(of);
}

static struct vpmu_ibs any;
static const struct saved_part part = {VPMU_IBS_STATE_SIZE, &any, fill_any, ibs_save, ibs_load};

START_TEST(layout)
{
    struct saved want = {{0}};

    memcpy(want.bytes, "vIBS", 4);
    state_put(want.bytes, 4, 2, 1);
    state_put(want.bytes, 6, 2, VPMU_IBS_STATE_SIZE);
    state_put(want.bytes, AT_CAPS, 4, 0xbff);
    /*
     * Both writes of IbsFetchCtl with IbsRandEn, and the sample of an op between them, take seven
     * steps of the 16-bit register with the taps of B400H, from ACE1H on. The lowest four bits
     * become those of the count.
     */
    state_put(want.bytes, AT_RANDOM, 4, 0x11db);
    state_put(want.bytes, AT_COUNT(VPMU_IBS_FETCH), 4, 0xb);
    state_put(want.bytes, AT_TURN, 4, 1);
    state_put(want.bytes, AT_COUNT(VPMU_IBS_OP), 4, 0x77);
    for (unsigned i = 0; i < VPMU_IBS_REGS; i++) {
        state_put(want.bytes, AT_REG(i), 8, values[i]);
    }
    saved_layout(&part, want.bytes);
}
END_TEST

START_TEST(faults)
{
    static const char register_bits[] =
        "the saved IBS state sets register bits that this IBS does not have";
    static const char value[] = "the saved IBS state has a value where none can be";
    static const struct saved_fault rows[] = {
        {0, 'V', "this is not a saved IBS state: it does not begin with vIBS"},
        {4, 2, "the saved IBS state is of another version; this library reads version 1"},
        {6, 0, "the saved IBS state has the wrong size for its version"},
        {AT_CAPS + 1, 3, "the saved IBS state is of another generation of processors"},
        {AT_RANDOM + 2, 1, value},
        {AT_COUNT(VPMU_IBS_FETCH) + 2, 0x10, value},
        {AT_COUNT(VPMU_IBS_OP) + 3, 8, value},
        {AT_REG(VPMU_IBS_FETCH_CTL) + 7, 0x40, register_bits},
        {AT_REG(VPMU_IBS_FETCH_CTL) + 2, 1, register_bits},
        {AT_REG(VPMU_IBS_OP_CTL) + 7, 0x80, register_bits},
        {AT_REG(VPMU_IBS_OP_DATA3) + 1, 2, register_bits},
        {AT_REG(VPMU_IBS_CTL), 1, register_bits},
        {AT_REG(VPMU_IBS_CTL) + 1, 0, register_bits},
        {AT_REG(VPMU_IBS_FETCH_EXT) + 2, 1, register_bits},
        {AT_TURN, 4, value},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        saved_fault(&part, &rows[i]);
    }
}
END_TEST

START_TEST(other_faults)
{
    struct saved state;
    struct vpmu_ibs s;
    const char *why = NULL;

    fill(&s);
    vpmu_ibs_save(&s, &state, sizeof(state));
    expect("short", (uint64_t)-VPMU_ERR_STATE,
           (uint64_t)vpmu_ibs_load(&s, &state, sizeof(state) - 1, &why));
    ck_assert_str_eq(why, "the saved IBS state is truncated");
    state_put(state.bytes, AT_RANDOM, 4, 0);
    expect("damaged", (uint64_t)-VPMU_ERR_STATE,
           (uint64_t)vpmu_ibs_load(&s, &state, sizeof(state), &why));
    ck_assert_str_eq(why, "the saved IBS state is damaged: its checksum does not match");
    state_seal(state.bytes, sizeof(state));
    expect("a generator that stays 0", (uint64_t)-VPMU_ERR_STATE,
           (uint64_t)vpmu_ibs_load(&s, &state, sizeof(state), &why));
    ck_assert_str_eq(why, "the saved IBS state has a value where none can be");
}
END_TEST

/* A state that loads is saved to the same bytes, whatever they are. */
START_TEST(hostile_states)
{
    struct chooser c = {.state = 58};
    unsigned loaded = 0;

    for (unsigned round = 0; round < ROUNDS; round++) {
        struct saved state, again;
        struct vpmu_ibs s;

        fill(&s);
        vpmu_ibs_save(&s, &state, sizeof(state));
        for (uint64_t edits = choose_below(&c, 3); edits > 0; edits--) {
            state.bytes[choose_below(&c, AT_CRC)] = (uint8_t)choose_bits(&c);
        }
        state_seal(state.bytes, sizeof(state));
        if (vpmu_ibs_load(&s, &state, sizeof(state), NULL) == 0) {
            loaded++;
            vpmu_ibs_save(&s, &again, sizeof(again));
            ck_assert_mem_eq(&again, &state, sizeof(state));
            (void)vpmu_ibs_left(&s, VPMU_IBS_OP);
            (void)vpmu_ibs_left(&s, VPMU_IBS_FETCH);
        }
    }
    ck_assert_uint_gt(loaded, ROUNDS / 4);
    ck_assert_uint_lt(loaded, ROUNDS);
}
END_TEST

Suite *ibs_state_suite(void)
{
    const TTest *const tests[] = {layout, faults, other_faults, hostile_states};

    return suite_of("ibs_state", tests, COUNT_OF(tests));
}
