/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Saved SPE states: their layout, loading them, and every kind of damage. */
#include <string.h>

#include "chooser.h"
#include "fixture.h"
#include "saved.h"
#include "vpmu/arm/spe.h"

/* The layout that the library's spe_state.c describes. */
#define AT_RANDOM 12
#define AT_REG(n) (16 + 8 * (n))
#define AT_ZERO 104
#define AT_CRC 116

#define ROUNDS 4000

static const struct vpmu_spe_config config = {3, true, true, false, true, true, true, true};
static const struct vpmu_spe_config without_el2 = {3, false, true, false, true, true, true, true};
static const struct vpmu_spe_config v1p1 = {.version = 2, .has_el2 = true};

struct saved {
    uint8_t bytes[VPMU_SPE_STATE_SIZE];
};

/* An SPE with each register set, whose generator has been used. */
static const struct {
    unsigned reg;
    uint64_t val;
} values[] = {
    {VPMU_PMSCR_EL1, 0xfb},
    {VPMU_PMSCR_EL2, 0x38},
    {VPMU_PMSNEVFR, 0x40},
    {VPMU_PMSICR, 0x77},
    {VPMU_PMSIRR, 0x12301},
    {VPMU_PMSFCR, 0x7000f},
    {VPMU_PMSEVFR, 0x8a},
    {VPMU_PMSLATFR, 30},
    {VPMU_PMBLIMITR, 0xffff800010002025},
    {VPMU_PMBPTR, 0xffff800010000040},
    {VPMU_PMBSR, 0x90020007},
};

static void fill(struct vpmu_spe *s)
{
    vpmu_spe_init(s, &config, NULL);
    vpmu_spe_write(s, VPMU_PMSIRR, 0x101);
    vpmu_spe_advance(s, 1);
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        vpmu_spe_write(s, values[i].reg, values[i].val);
    }
}

SAVED_CALLS(spe)

static void fill_any(void *of)
{
    fill(of);
}

static struct vpmu_spe any;
static const struct saved_part part = {VPMU_SPE_STATE_SIZE, &any, fill_any, spe_save, spe_load};

START_TEST(layout)
{
    struct saved want = {{0}};

    memcpy(want.bytes, "vSPE", 4);
    state_put(want.bytes, 4, 2, 1);
    state_put(want.bytes, 6, 2, VPMU_SPE_STATE_SIZE);
    state_put(want.bytes, 8, 2, 0x7b03);
    state_put(want.bytes, AT_RANDOM, 4, 0xba8c2664);
    for (unsigned i = 0; i < COUNT_OF(values); i++) {
        state_put(want.bytes, AT_REG(i), 8, values[i].val);
    }
    saved_layout(&part, want.bytes);
}
END_TEST

START_TEST(faults)
{
    static const char register_bits[] =
        "the saved SPE state sets register bits that this SPE does not have";
    static const char value[] = "the saved SPE state has a value where none can be";
    static const char other[] =
        "the saved SPE state is of an SPE with another version or other features";
    static const struct saved_fault rows[] = {
        {0, 'V', "this is not a saved SPE state: it does not begin with vSPE"},
        {4, 2, "the saved SPE state is of another version; this library reads version 1"},
        {6, 0, "the saved SPE state has the wrong size for its version"},
        {8, 2, other},
        {9, 0x7a, other},
        {9, 0x3b, other},
        {9, 0xfb, other},
        {10, 1, value},
        {11, 1, value},
        {AT_ZERO, 1, value},
        {AT_ZERO + 11, 1, value},
        {AT_REG(0), 4, register_bits},
        {AT_REG(3) + 4, 1, register_bits},
        {AT_REG(5), 0x10, register_bits},
        {AT_REG(6), 1, register_bits},
        {AT_REG(8), 8, register_bits},
        {AT_REG(9), 0x20, register_bits},
        {AT_REG(10) + 7, 1, register_bits},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        saved_fault(&part, &rows[i]);
    }
}
END_TEST

START_TEST(other_faults)
{
    struct saved state;
    struct vpmu_spe s;
    const char *why = NULL;

    fill(&s);
    vpmu_spe_save(&s, &state, sizeof(state));
    expect("short", (uint64_t)-VPMU_ERR_STATE,
           (uint64_t)vpmu_spe_load(&s, &state, sizeof(state) - 1, &why));
    ck_assert_str_eq(why, "the saved SPE state is truncated");
    state_put(state.bytes, AT_RANDOM, 4, 0);
    expect("damaged", (uint64_t)-VPMU_ERR_STATE,
           (uint64_t)vpmu_spe_load(&s, &state, sizeof(state), &why));
    ck_assert_str_eq(why, "the saved SPE state is damaged: its checksum does not match");
    state_seal(state.bytes, sizeof(state));
    expect("a generator that stays 0", (uint64_t)-VPMU_ERR_STATE,
           (uint64_t)vpmu_spe_load(&s, &state, sizeof(state), &why));
    ck_assert_str_eq(why, "the saved SPE state has a value where none can be");
    vpmu_spe_init(&s, &without_el2, NULL);
    vpmu_spe_save(&s, &state, sizeof(state));
    state_put(state.bytes, AT_REG(1), 1, 0x38);
    state_seal(state.bytes, sizeof(state));
    expect("PMSCR_EL2 without EL2", (uint64_t)-VPMU_ERR_STATE,
           (uint64_t)vpmu_spe_load(&s, &state, sizeof(state), NULL));
    vpmu_spe_init(&s, &v1p1, NULL);
    vpmu_spe_save(&s, &state, sizeof(state));
    state_put(state.bytes, AT_REG(2), 1, 1);
    state_seal(state.bytes, sizeof(state));
    expect("PMSNEVFR_EL1 without FEAT_SPEv1p2", (uint64_t)-VPMU_ERR_STATE,
           (uint64_t)vpmu_spe_load(&s, &state, sizeof(state), NULL));
}
END_TEST

/* A state that loads is saved to the same bytes, whatever they are. */
START_TEST(hostile_states)
{
    struct chooser c = {.state = 36};
    unsigned loaded = 0;

    for (unsigned round = 0; round < ROUNDS; round++) {
        struct saved state;
        struct saved again;
        struct vpmu_spe s;

        fill(&s);
        vpmu_spe_save(&s, &state, sizeof(state));
        for (uint64_t edits = choose_below(&c, 3); edits > 0; edits--) {
            state.bytes[choose_below(&c, AT_CRC)] = (uint8_t)choose_bits(&c);
        }
        state_seal(state.bytes, sizeof(state));
        if (vpmu_spe_load(&s, &state, sizeof(state), NULL) == 0) {
            loaded++;
            vpmu_spe_save(&s, &again, sizeof(again));
            ck_assert_mem_eq(&again, &state, sizeof(state));
        }
    }
    ck_assert_uint_gt(loaded, ROUNDS / 4);
    ck_assert_uint_lt(loaded, ROUNDS);
}
END_TEST

Suite *spe_state_suite(void)
{
    const TTest *const tests[] = {layout, faults, other_faults, hostile_states};

    return suite_of("spe_state", tests, COUNT_OF(tests));
}
