/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Saved BRBE states: their layout, loading them, and every kind of damage. */
#include <string.h>

#include "chooser.h"
#include "fixture.h"
#include "saved.h"
#include "vpmu/arm/brbe.h"

/* The layout that the library's brbe_state.c describes. */
#define AT_TIMED 12
#define AT_LAST 72
#define AT_RECORD(n) (88 + 24 * (n))
#define AT_CRC 1624

#define ROUNDS 4000

static const struct vpmu_brbe_config config = {VPMU_BRBE_V1P1, 16, true, true};
static const struct vpmu_brbe_config without_el2 = {VPMU_BRBE_V1, 16, false, true};

struct saved {
    uint8_t bytes[VPMU_BRBE_STATE_SIZE];
};

/* A buffer at EL1 with each register set and two records: a conditional branch, and an SVC. */
static void fill(struct vpmu_brbe *b)
{
    struct vpmu_brbe_pe user = {.el = 0, .mdcr_el3 = VPMU_MDCR_EL3_SBRBE};
    struct vpmu_brbe_pe kernel = {.el = 1, .mdcr_el3 = VPMU_MDCR_EL3_SBRBE};

    vpmu_brbe_init(b, &config, NULL);
    vpmu_brbe_move(b, &user);
    vpmu_brbe_write(b, VPMU_BRBCR_EL1, 0x00c0013b);
    vpmu_brbe_write(b, VPMU_BRBCR_EL2, 0x18);
    vpmu_brbe_write(b, VPMU_BRBTS, 0x1122334455667788);
    vpmu_brbe_write(b, VPMU_BRBINFINJ, 0x00004abc00003fe3);
    vpmu_brbe_write(b, VPMU_BRBSRCINJ, 0xaaaa);
    vpmu_brbe_write(b, VPMU_BRBTGTINJ, 0xbbbb);
    vpmu_brbe_write(b, VPMU_BRBFCR, 0x10400000);
    vpmu_brbe_branch(b, VPMU_BRTYPE_CONDITIONAL, true, 0x1004, 0x1010, 600);
    vpmu_brbe_exception(b, &kernel, VPMU_BRTYPE_SYSTEM_CALL, 0x1014, 0x8400, 603);
}

SAVED_CALLS(brbe)

static void fill_any(void *of)
{
    fill(of);
}

static struct vpmu_brbe any;
static const struct saved_part part = {VPMU_BRBE_STATE_SIZE, &any, fill_any, brbe_save, brbe_load};

START_TEST(layout)
{
    struct saved want = {{0}};

    memcpy(want.bytes, "vBRB", 4);
    state_put(want.bytes, 4, 2, 1);
    state_put(want.bytes, 6, 2, VPMU_BRBE_STATE_SIZE);
    state_put(want.bytes, 8, 5, 0x0101011002);
    state_put(want.bytes, 16, 8, 0x00c0013b);
    state_put(want.bytes, 24, 8, 0x18);
    state_put(want.bytes, 32, 8, 0x10400000);
    state_put(want.bytes, 40, 8, 0x1122334455667788);
    state_put(want.bytes, 48, 8, 0x00004abc00003fe3);
    state_put(want.bytes, 56, 8, 0xaaaa);
    state_put(want.bytes, 64, 8, 0xbbbb);
    state_put(want.bytes, 72, 8, 603);
    state_put(want.bytes, AT_RECORD(0), 8, 0x1014);
    state_put(want.bytes, AT_RECORD(0) + 8, 8, 0x8400);
    state_put(want.bytes, AT_RECORD(0) + 16, 8, 0x0007012200000003);
    state_put(want.bytes, AT_RECORD(1), 8, 0x1004);
    state_put(want.bytes, AT_RECORD(1) + 8, 8, 0x1010);
    state_put(want.bytes, AT_RECORD(1) + 16, 8, 0x000b000800000000);
    saved_layout(&part, want.bytes);
}
END_TEST

START_TEST(faults)
{
    static const char register_bits[] =
        "the saved BRBE state sets register bits that this BRBE does not have";
    static const char value[] = "the saved BRBE state has a value where none can be";
    static const char record[] = "the saved BRBE state has a branch record that cannot exist";
    static const char other[] = "the saved BRBE state is of a BRBE with another version, other "
                                "records or other exception levels";
    static const struct saved_fault rows[] = {
        {0, 'V', "this is not a saved BRBE state: it does not begin with vBRB"},
        {4, 2, "the saved BRBE state is of another version; this library reads version 1"},
        {6, 0, "the saved BRBE state has the wrong size for its version"},
        {8, 1, other},
        {9, 64, other},
        {10, 0, other},
        {11, 0, other},
        {10, 3, value},
        {11, 5, value},
        {12, 2, value},
        {12, 0, value}, /* a time that is not known */
        {15, 1, value},
        {87, 1, value},
        {16, 4, register_bits},
        {25, 2, register_bits},
        {32, 0x40, register_bits},
        {48, 4, register_bits},
        {AT_RECORD(0) + 20, 0x40, record},
        {AT_RECORD(1) + 22, 1, record},
        {AT_RECORD(5), 1, record},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        saved_fault(&part, &rows[i]);
    }
}
END_TEST

START_TEST(other_faults)
{
    struct saved s;
    struct vpmu_brbe b;
    const char *why = NULL;

    fill(&b);
    vpmu_brbe_save(&b, &s, sizeof(s));
    expect("truncated", (uint64_t)-VPMU_ERR_STATE,
           (uint64_t)vpmu_brbe_load(&b, &s, sizeof(s) - 1, &why));
    ck_assert_str_eq(why, "the saved BRBE state is truncated");
    s.bytes[20] ^= 1;
    expect("damaged", (uint64_t)-VPMU_ERR_STATE, (uint64_t)vpmu_brbe_load(&b, &s, sizeof(s), &why));
    ck_assert_str_eq(why, "the saved BRBE state is damaged: its checksum does not match");
    vpmu_brbe_init(&b, &without_el2, NULL);
    vpmu_brbe_save(&b, &s, sizeof(s));
    s.bytes[24] = 8;
    state_seal(s.bytes, sizeof(s));
    expect("BRBCR_EL2 without EL2", (uint64_t)-VPMU_ERR_STATE,
           (uint64_t)vpmu_brbe_load(&b, &s, sizeof(s), NULL));
    s.bytes[24] = 0;
    state_put(s.bytes, AT_RECORD(16), 8, 1);
    state_put(s.bytes, AT_RECORD(16) + 22, 1, VPMU_BRANCH_HAS_FROM);
    state_seal(s.bytes, sizeof(s));
    expect("a record too many", (uint64_t)-VPMU_ERR_STATE,
           (uint64_t)vpmu_brbe_load(&b, &s, sizeof(s), NULL));
}
END_TEST

/*
 * A state that loads is saved to the same bytes, whatever they are. Only the time of the newest
 * record is lost where nothing is recorded.
 */
START_TEST(hostile_states)
{
    struct chooser c = {.state = 36};
    unsigned loaded = 0;

    for (unsigned round = 0; round < ROUNDS; round++) {
        struct saved s;
        struct saved again;
        struct vpmu_brbe b;

        fill(&b);
        vpmu_brbe_save(&b, &s, sizeof(s));
        for (uint64_t edits = choose_below(&c, 3); edits > 0; edits--) {
            s.bytes[choose_below(&c, choose_one_in(&c, 2) ? AT_RECORD(2) : AT_CRC)] =
                (uint8_t)choose_bits(&c);
        }
        state_seal(s.bytes, sizeof(s));
        if (vpmu_brbe_load(&b, &s, sizeof(s), NULL) == 0) {
            loaded++;
            vpmu_brbe_save(&b, &again, sizeof(again));
            if (!again.bytes[AT_TIMED]) {
                state_put(s.bytes, AT_TIMED, 1, 0);
                state_put(s.bytes, AT_LAST, 8, 0);
                state_seal(s.bytes, sizeof(s));
            }
            ck_assert_mem_eq(&again, &s, sizeof(s));
        }
    }
    ck_assert_uint_gt(loaded, ROUNDS / 4);
    ck_assert_uint_lt(loaded, ROUNDS);
}
END_TEST

Suite *brbe_state_suite(void)
{
    const TTest *const tests[] = {layout, faults, other_faults, hostile_states};

    return suite_of("brbe_state", tests, COUNT_OF(tests));
}
