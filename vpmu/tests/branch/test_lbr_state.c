/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Saved LBR states: their layout, loading them, and every kind of damage. */
#include <string.h>

#include "chooser.h"
#include "fixture.h"
#include "saved.h"
#include "vpmu/x86/lbr.h"

/* The layout that the library's lbr_state.c describes. */
#define AT_DEBUGCTL 24
#define AT_SELECT 32
#define AT_EXTN 40
#define AT_LAST 48
#define AT_DEPTH 56
#define AT_TOS 57
#define AT_FROZEN 58
#define AT_TIMED 59
#define AT_RECORD(n) (64 + 24 * (n))
#define AT_CRC 1600

#define ROUNDS 800

#define STACK_STATUS (VPMU_LBR_CALL_STACK | VPMU_LBR_STATUS)

static const struct vpmu_lbr_config legacy = {VPMU_LBR_LEGACY, 5, 32,    0, 48,
                                              STACK_STATUS,    0, 0x5000};
static const struct vpmu_lbr_config early = {VPMU_LBR_LEGACY, 3, 16, 0, 48, 0, 0, 0};
static const struct vpmu_lbr_config flags2 = {VPMU_LBR_LEGACY, 4, 16, 0, 48, 0, 0, 0};
static const struct vpmu_lbr_config arch = {VPMU_LBR_ARCH,   0x3f, 32, 0x0a, 57,
                                            VPMU_LBR_STATUS, 0,    0};
static const struct vpmu_lbr_config amd = {VPMU_LBR_AMD, 0x3f, 16, 0, 57, VPMU_LBR_STATUS, 0, 0};

struct saved {
    uint8_t bytes[VPMU_LBR_STATE_SIZE];
};

/* Records at CPL 0 with all registers set and two records: a conditional branch, and an IRQ. */
static void fill(struct vpmu_lbr *l, const struct vpmu_lbr_config *config)
{
    vpmu_lbr_init(l, config, NULL);
    if (config->kind == VPMU_LBR_LEGACY) {
        vpmu_lbr_wrmsr(l, 0x1d9, config->debugctl | 0x801);
        vpmu_lbr_wrmsr(l, 0x1c8, 0x80);
    } else if (config->kind == VPMU_LBR_ARCH) {
        vpmu_lbr_wrmsr(l, 0x1d9, 0x800);
        vpmu_lbr_wrmsr(l, 0x14ce, 0x7f0007);
        vpmu_lbr_wrmsr(l, 0x14cf, 16);
    } else {
        vpmu_lbr_wrmsr(l, 0x1d9, 0x800);
        vpmu_lbr_wrmsr(l, 0xc000010e, 0x80);
        vpmu_lbr_wrmsr(l, 0xc000010f, 0x40);
    }
    vpmu_lbr_move(l, 3);
    vpmu_lbr_branch(l, VPMU_BRTYPE_CONDITIONAL, true, 0x1004, 0x1010, 600);
    vpmu_lbr_far(l, 0, VPMU_BRTYPE_IRQ, 0x1014, 0xffff800000008400, 603);
}

SAVED_CALLS(lbr)

static struct vpmu_lbr any;

#define PART(config)                                                                               \
    static void fill_##config(void *of)                                                            \
    {                                                                                              \
        fill(of, &config);                                                                         \
    }                                                                                              \
    static const struct saved_part config##_part = {VPMU_LBR_STATE_SIZE, &any, fill_##config,      \
                                                    lbr_save, lbr_load}

PART(legacy);
PART(early);
PART(flags2);
PART(arch);
PART(amd);

START_TEST(layout)
{
    struct saved want = {{0}};

    memcpy(want.bytes, "vLBR", 4);
    state_put(want.bytes, 4, 2, 1);
    state_put(want.bytes, 6, 2, VPMU_LBR_STATE_SIZE);
    state_put(want.bytes, 8, 8, 0x0000033000200500);
    state_put(want.bytes, 16, 8, 0x5000);
    state_put(want.bytes, AT_DEBUGCTL, 8, 0x5801);
    state_put(want.bytes, AT_SELECT, 8, 0x80);
    state_put(want.bytes, AT_LAST, 8, 603);
    state_put(want.bytes, AT_DEPTH, 4, 0x01000220);
    state_put(want.bytes, AT_RECORD(0), 8, 0x1014);
    state_put(want.bytes, AT_RECORD(0) + 8, 8, 0xffff800000008400);
    state_put(want.bytes, AT_RECORD(0) + 16, 8, 0x0007002e00000003);
    state_put(want.bytes, AT_RECORD(1), 8, 0x1004);
    state_put(want.bytes, AT_RECORD(1) + 8, 8, 0x1010);
    state_put(want.bytes, AT_RECORD(1) + 16, 8, 0x000b030800000000);
    saved_layout(&legacy_part, want.bytes);
}
END_TEST

static const char other[] = "the saved LBR state is of records with another configuration";
static const char register_bits[] =
    "the saved LBR state sets register bits that this LBR does not have";
static const char depth[] = "the saved LBR state has a depth that this LBR does not have";
static const char value[] = "the saved LBR state has a value where none can be";
static const char record[] = "the saved LBR state has a branch record that cannot exist";

static const struct {
    const struct saved_part *part;
    struct saved_fault fault;
} fault_rows[] = {
    {&legacy_part, {0, 'V', "this is not a saved LBR state: it does not begin with vLBR"}},
    {&legacy_part,
     {4, 2, "the saved LBR state is of another version; this library reads version 1"}},
    {&legacy_part, {6, 0, "the saved LBR state has the wrong size for its version"}},
    {&legacy_part, {8, 1, other}},
    {&legacy_part, {9, 4, other}},
    {&legacy_part, {10, 16, other}},
    {&legacy_part, {11, 1, other}},
    {&legacy_part, {12, 57, other}},
    {&legacy_part, {13, 0, other}},
    {&legacy_part, {15, 1, other}},
    {&legacy_part, {17, 0, other}},
    {&legacy_part, {AT_DEBUGCTL, 3, register_bits}},
    {&legacy_part, {AT_SELECT + 1, 4, register_bits}},
    {&early_part, {AT_SELECT + 1, 2, register_bits}},
    {&legacy_part, {AT_EXTN, 0x40, register_bits}},
    {&arch_part, {AT_DEBUGCTL, 1, register_bits}},
    {&arch_part, {AT_SELECT, 0xf, register_bits}},
    {&amd_part, {AT_EXTN, 0x41, register_bits}},
    {&legacy_part, {AT_DEPTH, 16, depth}},
    {&arch_part, {AT_DEPTH, 24, depth}},
    {&arch_part, {AT_DEPTH, 0, depth}},
    {&amd_part, {AT_DEPTH, 0, depth}},
    {&legacy_part, {AT_TOS, 32, value}},
    {&arch_part, {AT_TOS, 1, value}},
    {&amd_part, {AT_TOS, 1, value}},
    {&legacy_part, {AT_FROZEN, 2, value}},
    {&early_part, {AT_FROZEN, 1, value}},
    {&legacy_part, {AT_FROZEN, 1, value}}, /* a time that cannot be known */
    {&legacy_part, {AT_DEBUGCTL, 0, value}},
    {&legacy_part, {AT_TIMED, 2, value}},
    {&legacy_part, {AT_TIMED, 0, value}},
    {&amd_part, {AT_TIMED, 1, value}},
    {&legacy_part, {AT_TIMED + 1, 1, value}},
    {&legacy_part, {AT_RECORD(0) + 7, 1, record}},     /* FROM is not canonical */
    {&legacy_part, {AT_RECORD(0) + 15, 0x7f, record}}, /* TO */
    {&arch_part, {AT_RECORD(0) + 7, 1, record}},
    {&amd_part, {AT_RECORD(0) + 15, 2, record}},
    {&legacy_part, {AT_RECORD(0) + 20, 0x40, record}}, /* type */
    {&legacy_part, {AT_RECORD(0) + 21, 4, record}},    /* level */
    {&legacy_part, {AT_RECORD(0) + 22, 1, record}},    /* half of a branch */
    {&legacy_part, {AT_RECORD(1) + 22, 0x1b, record}}, /* flag */
    {&legacy_part, {AT_RECORD(0) + 23, 4, record}},    /* tag */
    {&arch_part, {AT_RECORD(0) + 23, 0x40, record}},
    {&amd_part, {AT_RECORD(0) + 23, 4, record}},
    {&early_part, {AT_RECORD(0) + 23, 1, record}},
    {&flags2_part, {AT_RECORD(0) + 23, 2, record}},
    {&flags2_part, {AT_RECORD(0) + 23, 3, record}},  /* a program's address has no signs */
    {&early_part, {AT_RECORD(0) + 22, 7, record}},   /* cycles */
    {&legacy_part, {AT_RECORD(31) + 23, 1, record}}, /* an empty record with a tag */
    {&legacy_part, {AT_RECORD(5), 1, record}},
};

START_TEST(faults)
{
    for (size_t i = 0; i < COUNT_OF(fault_rows); i++) {
        saved_fault(fault_rows[i].part, &fault_rows[i].fault);
    }
}
END_TEST

START_TEST(other_faults)
{
    struct saved s;
    struct vpmu_lbr l;
    const char *why = NULL;

    fill(&l, &legacy);
    vpmu_lbr_save(&l, &s, sizeof(s));
    expect("truncated", (uint64_t)-VPMU_ERR_STATE,
           (uint64_t)vpmu_lbr_load(&l, &s, sizeof(s) - 1, &why));
    ck_assert_str_eq(why, "the saved LBR state is truncated");
    s.bytes[AT_SELECT] ^= 1;
    expect("damaged", (uint64_t)-VPMU_ERR_STATE, (uint64_t)vpmu_lbr_load(&l, &s, sizeof(s), &why));
    ck_assert_str_eq(why, "the saved LBR state is damaged: its checksum does not match");
    fill(&l, &arch);
    vpmu_lbr_save(&l, &s, sizeof(s));
    state_put(s.bytes, AT_RECORD(16), 8, 1);
    state_put(s.bytes, AT_RECORD(16) + 22, 1, VPMU_BRANCH_HAS_FROM | VPMU_BRANCH_HAS_TO);
    state_seal(s.bytes, sizeof(s));
    expect("a record beyond IA32_LBR_DEPTH", (uint64_t)-VPMU_ERR_STATE,
           (uint64_t)vpmu_lbr_load(&l, &s, sizeof(s), NULL));
    fill(&l, &flags2);
    vpmu_lbr_wrmsr(&l, 0x680, 0xffff800000001000);
    vpmu_lbr_save(&l, &s, sizeof(s));
    expect("signs that software wrote", 0, (uint64_t)vpmu_lbr_load(&l, &s, sizeof(s), NULL));
}
END_TEST

/* Records whose registers software has set to 0, as Linux does at task switches, are empty. */
START_TEST(zeroed_records)
{
    static const uint8_t empty[24 * VPMU_BRANCH_RECORDS];
    struct saved s;
    struct vpmu_lbr l;

    fill(&l, &legacy);
    for (uint32_t n = 0; n < 32; n++) {
        vpmu_lbr_wrmsr(&l, 0x680 + n, 0);
        vpmu_lbr_wrmsr(&l, 0x6c0 + n, 0);
        vpmu_lbr_wrmsr(&l, 0xdc0 + n, 0);
    }
    vpmu_lbr_save(&l, &s, sizeof(s));
    ck_assert_mem_eq(&s.bytes[AT_RECORD(0)], empty, sizeof(empty));
}
END_TEST

/* What can be read, whatever was loaded. */
static void read_all(const struct vpmu_lbr *l)
{
    static const uint32_t firsts[] = {0x1c8,  0x680,  0x6c0,      0xdc0,      0x1200,    0x14ce,
                                      0x1500, 0x1600, 0xc000010e, 0xc0010300, 0xc0010340};

    for (size_t i = 0; i < COUNT_OF(firsts); i++) {
        for (uint32_t n = 0; n < 64; n += 9) {
            uint64_t val;

            vpmu_lbr_rdmsr(l, firsts[i] + n, &val);
        }
    }
}

/* A state that loads is saved to the same bytes, whatever they are. */
static void attack(const struct vpmu_lbr_config *config)
{
    struct chooser c = {.state = 36};
    unsigned loaded = 0;

    for (unsigned round = 0; round < ROUNDS; round++) {
        struct saved s;
        struct saved again;
        struct vpmu_lbr l;

        fill(&l, config);
        vpmu_lbr_save(&l, &s, sizeof(s));
        for (uint64_t edits = choose_below(&c, 3); edits > 0; edits--) {
            s.bytes[choose_below(&c, choose_one_in(&c, 2) ? AT_RECORD(2) : AT_CRC)] =
                (uint8_t)choose_bits(&c);
        }
        state_seal(s.bytes, sizeof(s));
        if (vpmu_lbr_load(&l, &s, sizeof(s), NULL) == 0) {
            loaded++;
            vpmu_lbr_save(&l, &again, sizeof(again));
            ck_assert_mem_eq(&again, &s, sizeof(s));
            read_all(&l);
            vpmu_lbr_branch(&l, VPMU_BRTYPE_RETURN, true, 4, 8, 1000);
        }
    }
    ck_assert_uint_gt(loaded, ROUNDS / 4);
    ck_assert_uint_lt(loaded, ROUNDS);
}

START_TEST(hostile_states)
{
    attack(&legacy);
    attack(&flags2);
    attack(&arch);
    attack(&amd);
}
END_TEST

Suite *lbr_state_suite(void)
{
    const TTest *const tests[] = {layout, faults, other_faults, zeroed_records, hostile_states};

    return suite_of("lbr_state", tests, COUNT_OF(tests));
}
