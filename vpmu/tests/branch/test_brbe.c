/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* BRBE: tables of its rules. test_brbe_random.c compares everything with a second implementation.
 */
#include "fixture.h"
#include "vpmu/arm/brbe.h"

#define ALL_FILTERS 0x7e0000ull
#define SBRBE(n) ((uint64_t)(n) << VPMU_MDCR_EL3_SBRBE_SHIFT)

static const struct vpmu_brbe_config full = {VPMU_BRBE_V1P1, 64, true, true};
static const struct vpmu_brbe_config small = {VPMU_BRBE_V1, 8, false, false};

static struct vpmu_brbe_pe at(unsigned el)
{
    return (struct vpmu_brbe_pe){.el = (uint8_t)el, .mdcr_el3 = SBRBE(3), .el2_enabled = true};
}

static void write(struct vpmu_brbe *b, unsigned reg, uint64_t val)
{
    expect("write", 0, (uint64_t)vpmu_brbe_write(b, reg, val));
}

static uint64_t read(const struct vpmu_brbe *b, unsigned reg)
{
    uint64_t val = 99;

    expect("read", 0, (uint64_t)vpmu_brbe_read(b, reg, &val));
    return val;
}

static void start(struct vpmu_brbe *b, const struct vpmu_brbe_config *config, unsigned el)
{
    struct vpmu_brbe_pe pe = at(el);

    expect("init", 0, (uint64_t)vpmu_brbe_init(b, config, NULL));
    vpmu_brbe_move(b, &pe);
}

/* Records at EL0 and EL1, without cycles. */
static void start_recording(struct vpmu_brbe *b, uint64_t cr_el1, uint64_t fcr)
{
    start(b, &full, 1);
    write(b, VPMU_BRBCR_EL1, cr_el1);
    write(b, VPMU_BRBFCR, fcr);
}

START_TEST(configurations)
{
    static const struct {
        struct vpmu_brbe_config config;
        const char *why;
    } rows[] = {
        {{0, 64, true, true}, "BRBE has version 1 (FEAT_BRBE) or 2 (FEAT_BRBEv1p1)"},
        {{3, 64, true, true}, "BRBE has version 1 (FEAT_BRBE) or 2 (FEAT_BRBEv1p1)"},
        {{1, 0, true, true}, "BRBE has 8, 16, 32 or 64 records"},
        {{1, 48, true, true}, "BRBE has 8, 16, 32 or 64 records"},
        {{2, 128, true, true}, "BRBE has 8, 16, 32 or 64 records"},
    };
    struct vpmu_brbe b = {.ts = 5};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *why = NULL;

        expect("error", (uint64_t)-VPMU_ERR_CONFIG,
               (uint64_t)vpmu_brbe_init(&b, &rows[i].config, &why));
        ck_assert_str_eq(why, rows[i].why);
        expect("unchanged", 5, b.ts);
    }
    start(&b, &small, 1);
    expect("BRBIDR0_EL1", 0x5008, read(&b, VPMU_BRBIDR0));
}
END_TEST

/* op0 op1 CRn CRm op2, as arch/arm64/tools/sysreg of Linux has them. */
START_TEST(encodings)
{
    static const struct {
        unsigned reg;
        uint16_t enc;
        const char *name;
    } rows[] = {
        {VPMU_BRBCR_EL1, VPMU_ENC64(2, 1, 9, 0, 0), "BRBCR_EL1"},
        {VPMU_BRBCR_EL2, VPMU_ENC64(2, 4, 9, 0, 0), "BRBCR_EL2"},
        {VPMU_BRBCR_EL12, VPMU_ENC64(2, 5, 9, 0, 0), "BRBCR_EL12"},
        {VPMU_BRBFCR, VPMU_ENC64(2, 1, 9, 0, 1), "BRBFCR_EL1"},
        {VPMU_BRBTS, VPMU_ENC64(2, 1, 9, 0, 2), "BRBTS_EL1"},
        {VPMU_BRBINFINJ, VPMU_ENC64(2, 1, 9, 1, 0), "BRBINFINJ_EL1"},
        {VPMU_BRBSRCINJ, VPMU_ENC64(2, 1, 9, 1, 1), "BRBSRCINJ_EL1"},
        {VPMU_BRBTGTINJ, VPMU_ENC64(2, 1, 9, 1, 2), "BRBTGTINJ_EL1"},
        {VPMU_BRBIDR0, VPMU_ENC64(2, 1, 9, 2, 0), "BRBIDR0_EL1"},
        {VPMU_BRB_IALL, VPMU_ENC64(1, 1, 7, 2, 4), "BRB_IALL"},
        {VPMU_BRB_INJ, VPMU_ENC64(1, 1, 7, 2, 5), "BRB_INJ"},
        {VPMU_BRBINF0, VPMU_ENC64(2, 1, 8, 0, 0), "BRBINF<n>_EL1"},
        {VPMU_BRBINF0 + 31, VPMU_ENC64(2, 1, 8, 15, 4), "BRBINF<n>_EL1"},
        {VPMU_BRBSRC0 + 15, VPMU_ENC64(2, 1, 8, 15, 1), "BRBSRC<n>_EL1"},
        {VPMU_BRBSRC0 + 16, VPMU_ENC64(2, 1, 8, 0, 5), "BRBSRC<n>_EL1"},
        {VPMU_BRBTGT0 + 1, VPMU_ENC64(2, 1, 8, 1, 2), "BRBTGT<n>_EL1"},
        {VPMU_BRBTGT0 + 31, VPMU_ENC64(2, 1, 8, 15, 6), "BRBTGT<n>_EL1"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        expect_in(rows[i].name, "encoding", rows[i].enc, vpmu_brbe_reg_encoding(rows[i].reg));
        ck_assert_str_eq(vpmu_brbe_reg_info(rows[i].reg)->name, rows[i].name);
    }
    ck_assert_ptr_null(vpmu_brbe_reg_info(VPMU_BRBE_REG_COUNT));
}
END_TEST

START_TEST(refused_accesses)
{
    struct vpmu_brbe b;
    uint64_t val = 7;

    start(&b, &full, 1);
    expect("no register", (uint64_t)-VPMU_ERR_REG,
           (uint64_t)vpmu_brbe_read(&b, VPMU_BRBE_REG_COUNT, &val));
    expect("value", 0, val);
    expect("IALL is read", (uint64_t)-VPMU_ERR_REG,
           (uint64_t)vpmu_brbe_read(&b, VPMU_BRB_IALL, &val));
    expect("BRBIDR0 is written", (uint64_t)-VPMU_ERR_REG,
           (uint64_t)vpmu_brbe_write(&b, VPMU_BRBIDR0, 1));
    expect("a record is written", (uint64_t)-VPMU_ERR_REG,
           (uint64_t)vpmu_brbe_write(&b, VPMU_BRBINF0, 1));
    expect("no register is written", (uint64_t)-VPMU_ERR_REG,
           (uint64_t)vpmu_brbe_write(&b, VPMU_BRBE_REG_COUNT, 1));
    expect("access to no register", VPMU_ACCESS_UNDEFINED,
           vpmu_brbe_access(&b, VPMU_BRBE_REG_COUNT, false));
}
END_TEST

/* The INF of a branch that is taken now. */
static uint64_t inf_after_branch(struct vpmu_brbe *b, uint64_t now)
{
    vpmu_brbe_branch(b, VPMU_BRTYPE_DIRECT, false, 4, 8, now);
    return read(b, VPMU_BRBINF0);
}

/* Every encoded cycle count, at the limits of exponents. */
START_TEST(cycle_counts)
{
    static const struct {
        uint64_t cycles;
        uint64_t cc;
    } rows[] = {
        {0, 0x0000},       {255, 0x00ff},        {256, 0x0100},     {511, 0x01ff},
        {512, 0x0200},     {513, 0x0200},        {1023, 0x02ff},    {1024, 0x0300},
        {524287, 0x0bff},  {524288, 0x0c00},     {1048575, 0x0cff}, {1048576, 0x3fff},
        {1 << 30, 0x3fff}, {1ull << 40, 0x3fff},
    };
    struct vpmu_brbe b;
    uint64_t now = 1000;

    start_recording(&b, VPMU_BRBCR_EXBRE | VPMU_BRBCR_CC, ALL_FILTERS);
    expect("cycles without BRBCR_EL2.CC", false, vpmu_brbe_counts_cycles(&b));
    write(&b, VPMU_BRBCR_EL2, VPMU_BRBCR_CC);
    expect("cycles", true, vpmu_brbe_counts_cycles(&b));
    expect("first", VPMU_BRBINF_CCU | 1 << VPMU_BRBINF_EL_SHIFT | 3, inf_after_branch(&b, now));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        now += rows[i].cycles;
        expect("CC", rows[i].cc << VPMU_BRBINF_CC_SHIFT | 1 << VPMU_BRBINF_EL_SHIFT | 3,
               inf_after_branch(&b, now));
    }
}
END_TEST

/* The first record after CC was 0 has no cycles, also if nothing was recorded meanwhile. */
START_TEST(cycles_after_cc_was_0)
{
    static const unsigned regs[] = {VPMU_BRBCR_EL1, VPMU_BRBCR_EL2};
    struct vpmu_brbe b;

    start_recording(&b, VPMU_BRBCR_EXBRE | VPMU_BRBCR_CC, ALL_FILTERS);
    write(&b, VPMU_BRBCR_EL2, VPMU_BRBCR_CC);
    for (size_t i = 0; i < COUNT_OF(regs); i++) {
        uint64_t cr = b.cr[i];

        inf_after_branch(&b, 100);
        expect("before", 0, inf_after_branch(&b, 100) & VPMU_BRBINF_CCU);
        write(&b, regs[i], cr & ~VPMU_BRBCR_CC);
        write(&b, regs[i], cr);
        expect("first", VPMU_BRBINF_CCU, inf_after_branch(&b, 150) & VPMU_BRBINF_CCU);
        expect("second", 0, inf_after_branch(&b, 200) & VPMU_BRBINF_CCU);
    }
}
END_TEST

START_TEST(exception_types)
{
    static const struct {
        unsigned ec;
        unsigned iss;
        unsigned source;
        unsigned target;
        bool tge;
        unsigned type;
        const char *why;
    } rows[] = {
        {0x00, 0, 0, 1, false, VPMU_BRTYPE_TRAP, "undefined"},
        {0x15, 0, 0, 1, false, VPMU_BRTYPE_SYSTEM_CALL, "SVC"},
        {0x15, 0, 0, 2, true, VPMU_BRTYPE_SYSTEM_CALL, "SVC of a host's program"},
        {0x15, 0, 2, 2, false, VPMU_BRTYPE_SYSTEM_CALL, "SVC at EL2"},
        {0x15, 0, 0, 2, false, VPMU_BRTYPE_TRAP, "SVC that EL2 traps"},
        {0x15, 0, 1, 2, true, VPMU_BRTYPE_TRAP, "SVC at EL1 that EL2 traps"},
        {0x11, 0, 0, 2, false, VPMU_BRTYPE_TRAP, "SVC in AArch32 that EL2 traps"},
        {0x16, 0, 1, 2, false, VPMU_BRTYPE_SYSTEM_CALL, "HVC"},
        {0x17, 0, 1, 3, false, VPMU_BRTYPE_SYSTEM_CALL, "SMC"},
        {0x17, 0, 1, 2, false, VPMU_BRTYPE_TRAP, "SMC that EL2 traps"},
        {0x13, 0, 1, 2, false, VPMU_BRTYPE_TRAP, "SMC in AArch32 that EL2 traps"},
        {0x18, 0, 1, 2, false, VPMU_BRTYPE_TRAP, "system register"},
        {0x0d, 0, 0, 1, false, VPMU_BRTYPE_INSN_FAULT, "BTI"},
        {0x1c, 0, 0, 1, false, VPMU_BRTYPE_DATA_FAULT, "PAC"},
        {0x1e, 1 << 20, 0, 3, false, VPMU_BRTYPE_INSN_FAULT, "granule protection, fetch"},
        {0x1e, 0, 0, 3, false, VPMU_BRTYPE_DATA_FAULT, "granule protection"},
        {0x20, 0, 0, 1, false, VPMU_BRTYPE_INSN_FAULT, "instruction abort"},
        {0x22, 0, 0, 1, false, VPMU_BRTYPE_ALIGNMENT, "PC"},
        {0x25, 0, 1, 1, false, VPMU_BRTYPE_DATA_FAULT, "data abort"},
        {0x26, 0, 0, 1, false, VPMU_BRTYPE_ALIGNMENT, "SP"},
        {0x2d, 0, 0, 1, false, VPMU_BRTYPE_DATA_FAULT, "GCS, data"},
        {0x2d, 1 << 20, 0, 1, false, VPMU_BRTYPE_INSN_FAULT, "GCS, exception lock"},
        {0x2d, 2 << 20, 0, 1, false, VPMU_BRTYPE_TRAP, "GCS, trap"},
        {0x2f, 0, 0, 1, false, VPMU_BRTYPE_SERROR, "SError"},
        {0x30, 0, 0, 1, false, VPMU_BRTYPE_INSN_DEBUG, "breakpoint"},
        {0x32, 0, 0, 1, false, VPMU_BRTYPE_INSN_DEBUG, "step"},
        {0x34, 0, 0, 1, false, VPMU_BRTYPE_DATA_DEBUG, "watchpoint"},
        {0x3c, 0, 0, 1, false, VPMU_BRTYPE_INSN_DEBUG, "BRK"},
        {0x3f, 0, 0, 1, false, VPMU_BRTYPE_TRAP, "unknown class"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        expect_in(rows[i].why, "type", rows[i].type,
                  vpmu_brbe_exception_type((uint64_t)rows[i].ec << 26 | rows[i].iss, rows[i].source,
                                           rows[i].target, rows[i].tge));
    }
}
END_TEST

/* What a user-only filter records of a system call: each side of EL1 is 0. */
START_TEST(halves_of_a_system_call)
{
    struct vpmu_brbe_pe kernel = at(1);
    struct vpmu_brbe_pe user = at(0);
    struct vpmu_brbe b;

    start_recording(&b, VPMU_BRBCR_E0BRE | VPMU_BRBCR_EXCEPTION | VPMU_BRBCR_ERTN, ALL_FILTERS);
    expect("return", true, vpmu_brbe_return(&b, &user, 0x1000, 0x2000, VPMU_BRANCH_NO_TIME));
    expect("call", true,
           vpmu_brbe_exception(&b, &kernel, VPMU_BRTYPE_SYSTEM_CALL, 0x2004, 0x3400,
                               VPMU_BRANCH_NO_TIME));
    expect("a branch of the kernel", false,
           vpmu_brbe_branch(&b, VPMU_BRTYPE_DIRECT, false, 0x3400, 0x3500, 0));
    expect("INF of the call", VPMU_BRBINF_CCU | 0x2200 | 2, read(&b, VPMU_BRBINF0));
    expect("SRC of the call", 0x2004, read(&b, VPMU_BRBSRC0));
    expect("TGT of the call", 0, read(&b, VPMU_BRBTGT0));
    expect("INF of the return", VPMU_BRBINF_CCU | 0x0700 | 1, read(&b, VPMU_BRBINF0 + 1));
    expect("SRC of the return", 0, read(&b, VPMU_BRBSRC0 + 1));
    expect("TGT of the return", 0x2000, read(&b, VPMU_BRBTGT0 + 1));
    expect("no third", 0, read(&b, VPMU_BRBINF0 + 2));
}
END_TEST

/* HPMN is 2: counters 0 and 1 are EL1's. */
START_TEST(freezes)
{
    static const struct {
        uint64_t el1;
        uint64_t el2;
        uint64_t ovs;
        bool frozen;
        const char *why;
    } rows[] = {
        {VPMU_BRBCR_FZP, 0, BIT(1), true, "a counter of EL1"},
        {0, VPMU_BRBCR_FZP, BIT(1), false, "a counter of EL1 without its FZP"},
        {0, VPMU_BRBCR_FZP, BIT(2), true, "a counter of EL2"},
        {VPMU_BRBCR_FZP, 0, BIT(2), false, "a counter of EL2 without its FZP"},
        {VPMU_BRBCR_FZP, VPMU_BRBCR_FZP, CYCLES, false, "the cycle counter"},
        {VPMU_BRBCR_FZP, 0, INSTS, true, "the instruction counter"},
        {0, VPMU_BRBCR_FZP, INSTS, false, "the instruction counter belongs to EL1"},
        {VPMU_BRBCR_FZP, VPMU_BRBCR_FZP, 0, false, "no overflow"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_brbe b;

        start_recording(&b, VPMU_BRBCR_EXBRE | rows[i].el1, ALL_FILTERS);
        write(&b, VPMU_BRBCR_EL2, rows[i].el2);
        expect_in(rows[i].why, "freeze", rows[i].frozen, vpmu_brbe_overflow(&b, rows[i].ovs, 2));
        expect_in(rows[i].why, "freezers", rows[i].frozen ? rows[i].ovs : 0,
                  rows[i].ovs & vpmu_brbe_freezers(&b, 2));
        vpmu_brbe_freeze(&b, 77);
        expect("BRBTS_EL1", 77, read(&b, VPMU_BRBTS));
        expect("BRBFCR_EL1", ALL_FILTERS | VPMU_BRBFCR_PAUSED, read(&b, VPMU_BRBFCR));
        expect("recorded", 0, vpmu_brbe_recorded(&b));
        expect("enabled", false, vpmu_brbe_enabled(&b));
        expect("another freeze", false, vpmu_brbe_overflow(&b, ALL_ONES, 2));
        expect("freezers", 0, vpmu_brbe_freezers(&b, 2));
    }
}
END_TEST

/* Flags that are set while EL2, where nothing is recorded, executes freeze on the way back. */
START_TEST(freezers_at_other_levels)
{
    struct vpmu_brbe_pe el2 = {.el = 2, .mdcr_el3 = VPMU_MDCR_EL3_SBRBE, .el2_enabled = true};
    struct vpmu_brbe b;

    start_recording(&b, VPMU_BRBCR_EXBRE | VPMU_BRBCR_FZP, ALL_FILTERS);
    expect("levels", BIT(1), vpmu_brbe_levels(&b));
    vpmu_brbe_move(&b, &el2);
    expect("levels", BIT(1), vpmu_brbe_levels(&b));
    expect("recorded", 0, vpmu_brbe_recorded(&b));
    expect("freeze", false, vpmu_brbe_overflow(&b, BIT(1), 2));
    expect("freezers", 3 | INSTS, vpmu_brbe_freezers(&b, 2));
    vpmu_brbe_freeze(&b, 0);
    expect("levels while frozen", 0, vpmu_brbe_levels(&b));
}
END_TEST

START_TEST(predicts)
{
    struct vpmu_brbe b;

    start(&b, &full, 1);
    write(&b, VPMU_BRBCR_EL1, VPMU_BRBCR_MPRED);
    expect("BRBCR_EL1 alone", false, vpmu_brbe_predicts(&b));
    write(&b, VPMU_BRBCR_EL2, VPMU_BRBCR_MPRED);
    expect("both", true, vpmu_brbe_predicts(&b));
}
END_TEST

START_TEST(clocks)
{
    static const struct {
        uint64_t el1;
        uint64_t el2;
        unsigned clock;
    } rows[] = {
        {0, 0, VPMU_BRBE_VIRTUAL},  {1, 0, VPMU_BRBE_VIRTUAL}, {2, 0, VPMU_BRBE_GUEST_PHYSICAL},
        {3, 0, VPMU_BRBE_PHYSICAL}, {3, 1, VPMU_BRBE_VIRTUAL}, {1, 2, VPMU_BRBE_GUEST_PHYSICAL},
        {1, 3, VPMU_BRBE_PHYSICAL},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_brbe b;

        start(&b, &full, 1);
        write(&b, VPMU_BRBCR_EL1, rows[i].el1 << VPMU_BRBCR_TS_SHIFT);
        write(&b, VPMU_BRBCR_EL2, rows[i].el2 << VPMU_BRBCR_TS_SHIFT);
        expect("clock", rows[i].clock, vpmu_brbe_clock(&b));
    }
}
END_TEST

/* BRB INJ, and the second bank of 64 records. */
START_TEST(injected_records)
{
    struct vpmu_brbe b;

    start(&b, &full, 2);
    for (unsigned i = 0; i < 40; i++) {
        write(&b, VPMU_BRBINFINJ, (uint64_t)i << VPMU_BRBINF_CC_SHIFT | 0x800 | 0xc0 | 3);
        write(&b, VPMU_BRBSRCINJ, 0x1000 + i);
        write(&b, VPMU_BRBTGTINJ, 0x2000 + i);
        write(&b, VPMU_BRB_INJ, 0);
    }
    write(&b, VPMU_BRBFCR, 1 << VPMU_BRBFCR_BANK_SHIFT);
    expect("INF 32", 7ull << VPMU_BRBINF_CC_SHIFT | 0x800 | 0xc0 | 3, read(&b, VPMU_BRBINF0));
    expect("SRC 39", 0x1000, read(&b, VPMU_BRBSRC0 + 7));
    expect("TGT 40", 0, read(&b, VPMU_BRBTGT0 + 8));
    write(&b, VPMU_BRBFCR, 2ull << VPMU_BRBFCR_BANK_SHIFT);
    expect("INF of no bank", 0, read(&b, VPMU_BRBINF0));
    write(&b, VPMU_BRB_IALL, 0);
    write(&b, VPMU_BRBFCR, 0);
    expect("INF 0", 0, read(&b, VPMU_BRBINF0));
    expect("SRC 31", 0, read(&b, VPMU_BRBSRC0 + 31));
}
END_TEST

Suite *brbe_suite(void)
{
    const TTest *const tests[] = {
        configurations,
        encodings,
        refused_accesses,
        cycle_counts,
        cycles_after_cc_was_0,
        exception_types,
        freezes,
        freezers_at_other_levels,
        predicts,
        clocks,
        halves_of_a_system_call,
        injected_records,
    };

    return suite_of("brbe", tests, COUNT_OF(tests));
}
