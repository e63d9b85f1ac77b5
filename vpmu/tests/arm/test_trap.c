/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Trapped accesses: from syndromes to registers, and the effect on general-purpose registers. */
#include "vpmu/arm/trap.h"

#include <string.h>

#include "fixture.h"

#define EC(class) ((uint64_t)(class) << 26)
#define IL BIT(25)
#define CV BIT(24)
#define COND(cond) ((uint64_t)(cond) << 20)
#define AL (CV | COND(0xe))
#define READ 1ull
/* MRS or MSR; MRC or MCR; MRRC or MCRR. Arm ARM D24.2.40. */
#define ISS64(op0, op1, crn, crm, op2, rt)                                                         \
    (EC(0x18) | IL | (op0) << 20 | (op2) << 17 | (op1) << 14 | (crn) << 10 | (rt) << 5 | (crm) << 1)
#define ISS32(op1, crn, crm, op2, rt)                                                              \
    (EC(0x03) | IL | (op2) << 17 | (op1) << 14 | (crn) << 10 | (rt) << 5 | (crm) << 1)
#define ISS32_WIDE(op1, crm, rt, rt2)                                                              \
    (EC(0x04) | IL | (op1) << 16 | (rt2) << 10 | (rt) << 5 | (crm) << 1)

#define SPSR_Z BIT(30)
#define SPSR_T BIT(5)
/* IT[7:0]. */
#define SPSR_IT(it) ((uint64_t)((it) >> 2) << 10 | (uint64_t)((it)&3) << 25)

/*
 * The syndrome of an access to the register with encoding @enc, as made by VPMU_ENC64() and its
 * AArch32 forms.
 */
static uint64_t syndrome_of(uint16_t enc, bool aarch32)
{
    uint64_t op0 = enc >> 14;
    uint64_t op1 = enc >> 11 & 7;
    uint64_t crn = enc >> 7 & 15;
    uint64_t crm = enc >> 3 & 15;
    uint64_t op2 = enc & 7;

    if (!aarch32) {
        return ISS64(op0, op1, crn, crm, op2, 0ull);
    }
    return AL | (op0 == 2 ? ISS32_WIDE(op1, crm, 0ull, 0ull) : ISS32(op1, crn, crm, op2, 0ull));
}

static int decode(uint64_t esr, struct vpmu_trap *trap)
{
    memset(trap, 0xa5, sizeof(*trap));
    return vpmu_arm_trap_decode(esr, 0, trap);
}

/* Every encoding in both execution states gives the register of vpmu_arm_reg_find(), or none. */
START_TEST(every_encoding)
{
    unsigned found[2] = {0, 0};

    for (unsigned enc = 0; enc <= UINT16_MAX; enc++) {
        for (unsigned aarch32 = 0; aarch32 < 2; aarch32++) {
            unsigned op0 = enc >> 14;
            int reg = vpmu_arm_reg_find((uint16_t)enc, aarch32);
            struct vpmu_trap trap;

            if (aarch32 && (op0 == 0 || op0 == 3 || (op0 == 2 && enc & 0x787))) {
                continue; /* not an AArch32 encoding */
            }
            expect("found", reg >= 0, decode(syndrome_of((uint16_t)enc, aarch32), &trap) == 0);
            if (reg >= 0) {
                expect("register", (uint64_t)reg, trap.reg);
                expect("aarch32", aarch32, trap.aarch32);
                found[aarch32]++;
            }
        }
    }
    /*
     * AArch64 lacks PMCCNTR's wide form, PMCEID2 and PMCEID3; AArch32 lacks PMUACR, PMICNTR,
     * PMICFILTR and PMZR.
     */
    expect("AArch64 registers", VPMU_REG_COUNT - 3, found[0]);
    expect("AArch32 registers", VPMU_REG_COUNT - 4, found[1]);
}
END_TEST

/* Syndromes written down by hand. */
START_TEST(taken_apart)
{
    static const struct {
        const char *insn;
        uint64_t esr;
        struct vpmu_trap want;
    } rows[] = {
        {"mrs x0, pmccntr_el0", 0x6230e41b, {.reg = VPMU_PMCCNTR}},
        {"msr pmccntr_el0, x3", 0x6230e47a, {.reg = VPMU_PMCCNTR, .rt = 3, .write = true}},
        {"msr pmcr_el0, xzr", 0x6230e7f8, {.reg = VPMU_PMCR, .rt = 31, .write = true}},
        {"mrs x30, pmintenset_el1", 0x623227dd, {.reg = VPMU_PMINTENSET, .rt = 30}},
        {"mrs x1, pmevtyper30_el0", 0x623cf83f, {.reg = PMEVTYPER(30), .rt = 1}},
        {"mrc p15, 0, r2, c9, c12, 0", 0x0fe02459, {VPMU_PMCR, 2, .aarch32 = true}},
        {"mcr p15, 0, r14, c14, c8, 0",
         0x0fe039d0,
         {PMEVCNTR(0), 14, .aarch32 = true, .write = true}},
        {"mrrc p15, 0, r4, r5, c9",
         0x13e01493,
         {VPMU_PMCCNTR_WIDE, 4, 5, .aarch32 = true, .pair = true}},
        {"mcrr p15, 0, r5, r4, c9",
         0x13e010b2,
         {VPMU_PMCCNTR_WIDE, 5, 4, .aarch32 = true, .pair = true, .write = true}},
        {"ISS2 is of no account", 0xffffff006230e41b, {.reg = VPMU_PMCCNTR}},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_trap got;

        expect_in(rows[i].insn, "found", 0, (uint64_t)-decode(rows[i].esr, &got));
        expect_in(rows[i].insn, "register", rows[i].want.reg, got.reg);
        expect_in(rows[i].insn, "Rt", rows[i].want.rt, got.rt);
        expect_in(rows[i].insn, "Rt2", rows[i].want.rt2, got.rt2);
        expect_in(rows[i].insn, "AArch32", rows[i].want.aarch32, got.aarch32);
        expect_in(rows[i].insn, "write", rows[i].want.write, got.write);
        expect_in(rows[i].insn, "pair", rows[i].want.pair, got.pair);
        expect_in(rows[i].insn, "skipped", rows[i].want.skipped, got.skipped);
    }
}
END_TEST

START_TEST(not_ours)
{
    static const struct {
        const char *why;
        uint64_t esr;
    } rows[] = {
        {"no syndrome", 0},
        {"all ones", UINT64_MAX},
        {"HVC", EC(0x16) | IL},
        {"a data abort with PMCR_EL0's ISS", EC(0x24) | (ISS64(3, 3, 9, 12, 0, 0) & ~EC(0x18))},
        {"coprocessor 14", EC(0x05) | (ISS32(0, 9, 12, 0, 0) & ~EC(0x03))},
        {"MRRC of coprocessor 14", EC(0x0c) | (ISS32_WIDE(0, 9, 0, 1) & ~EC(0x04))},
        {"CNTPCT_EL0", ISS64(3, 3, 14, 0, 1, 0) | READ},
        {"MRRC of CNTPCT", ISS32_WIDE(0, 14, 0, 1) | READ},
        {"MRRC with opc1 8: no bit of it gets into the kind", ISS32_WIDE(8, 9, 0, 1) | READ},
        {"where PMEVCNTR31 would be", ISS64(3, 3, 14, 11, 7, 0) | READ},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint64_t x[VPMU_TRAP_XREGS] = {0};
        enum vpmu_access access;
        struct vpmu_trap trap;
        struct machine m;

        machine_start_as(&m, VPMU_V3P9, 31, VPMU_HAS_EL2);
        expect_in(rows[i].why, "decode", VPMU_ERR_REG, (uint64_t)-decode(rows[i].esr, &trap));
        expect_in(rows[i].why, "left alone", 0xa5, trap.reg);
        expect_in(rows[i].why, "trap", VPMU_ERR_REG,
                  (uint64_t)-machine_trap(&m, &at_el1, rows[i].esr, 0, x, &access));
        expect_in(rows[i].why, "access", VPMU_ACCESS_OK, access);
    }
}
END_TEST

/* Each condition against each of the 16 states of the flags: Arm ARM C1.2.4, written out. */
START_TEST(conditions)
{
    /* Bit NZCV of a row. */
    static const struct {
        const char *cond;
        uint16_t holds;
    } rows[] = {
        {"eq", 0xf0f0}, {"ne", 0x0f0f}, {"cs", 0xcccc}, {"cc", 0x3333},
        {"mi", 0xff00}, {"pl", 0x00ff}, {"vs", 0xaaaa}, {"vc", 0x5555},
        {"hi", 0x0c0c}, {"ls", 0xf3f3}, {"ge", 0xaa55}, {"lt", 0x55aa},
        {"gt", 0x0a05}, {"le", 0xf5fa}, {"al", 0xffff}, {"1111", 0xffff},
    };

    for (unsigned cond = 0; cond < 16; cond++) {
        for (unsigned flags = 0; flags < 16; flags++) {
            uint64_t iss = ISS32(0, 9, 12, 0, 0) | READ;
            uint64_t spsr = (uint64_t)flags << 28;
            uint64_t it = SPSR_T | SPSR_IT(cond << 4 | 8);
            bool skipped = !(rows[cond].holds >> flags & 1);
            struct vpmu_trap trap;

            vpmu_arm_trap_decode(iss | CV | COND(cond), spsr, &trap);
            expect_in(rows[cond].cond, "skipped by the syndrome", skipped, trap.skipped);
            vpmu_arm_trap_decode(iss, spsr | it, &trap);
            expect_in(rows[cond].cond, "skipped by the IT state", skipped, trap.skipped);
            vpmu_arm_trap_decode(iss, spsr | (it & ~SPSR_T), &trap);
            expect_in(rows[cond].cond, "skipped, in A32", 0, trap.skipped);
            vpmu_arm_trap_decode(ISS64(3, 3, 9, 12, 0, 0), spsr | it, &trap);
            expect_in(rows[cond].cond, "skipped, in A64", 0, trap.skipped);
        }
    }
}
END_TEST

#define X(n) (0x1000100010001000ull * ((n) + 1))

static void fill(uint64_t x[VPMU_TRAP_XREGS])
{
    for (unsigned n = 0; n < VPMU_TRAP_XREGS; n++) {
        x[n] = X(n);
    }
}

/* PMCCNTR is 0x123456789abcdef0. What is written is read back through other functions. */
#define CYCLES_BEFORE 0x123456789abcdef0ull
#define MCRR (AL | ISS32_WIDE(0, 9, 3ull, 4ull))
#define MCR (AL | ISS32(0, 9, 13, 0, 3))
#define MSR ISS64(3, 3, 9, 13, 0, 3)

static void start(struct machine *m, uint64_t x[VPMU_TRAP_XREGS])
{
    machine_start_as(m, VPMU_V3P5, 4, VPMU_HAS_EL2 | VPMU_HAS_EL3);
    set(m, VPMU_PMCCNTR, CYCLES_BEFORE);
    fill(x);
}

START_TEST(values)
{
    static const struct {
        const char *insn;
        uint64_t esr;
        uint64_t cycles; /* PMCCNTR_EL0 after it */
        unsigned rt;
        uint64_t x_rt;
        unsigned rt2;
        uint64_t x_rt2;
    } rows[] = {
        {"mrs x3", MSR | READ, CYCLES_BEFORE, 3, CYCLES_BEFORE, 4, X(4)},
        {"mrs xzr", ISS64(3, 3, 9, 13, 0, 31) | READ, CYCLES_BEFORE, 30, X(30), 0, X(0)},
        {"msr x3", MSR, X(3), 3, X(3), 4, X(4)},
        {"msr xzr", ISS64(3, 3, 9, 13, 0, 31), 0, 30, X(30), 0, X(0)},
        {"mrc r3", MCR | READ, CYCLES_BEFORE, 3, 0x9abcdef0, 4, X(4)},
        {"mcr r3", MCR, 0x1234567840004000, 3, X(3), 4, X(4)},
        {"mrrc r3, r4", MCRR | READ, CYCLES_BEFORE, 3, 0x9abcdef0, 4, 0x12345678},
        {"mcrr r3, r4", MCRR, 0x5000500040004000, 3, X(3), 4, X(4)},
        {"mcreq r3, not equal", (MCR & ~AL) | CV, CYCLES_BEFORE, 3, X(3), 4, X(4)},
        {"mrceq r3, not equal", (MCR & ~AL) | CV | READ, CYCLES_BEFORE, 3, X(3), 4, X(4)},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint64_t x[VPMU_TRAP_XREGS];
        enum vpmu_access access;
        struct machine m;

        start(&m, x);
        expect_in(rows[i].insn, "trap", 0,
                  (uint64_t)machine_trap(&m, &at_el1, rows[i].esr, 0, x, &access));
        expect_in(rows[i].insn, "access", VPMU_ACCESS_OK, access);
        expect_in(rows[i].insn, "PMCCNTR_EL0", rows[i].cycles, get(&m, VPMU_PMCCNTR));
        expect_in(rows[i].insn, "Rt", rows[i].x_rt, x[rows[i].rt]);
        expect_in(rows[i].insn, "Rt2", rows[i].x_rt2, x[rows[i].rt2]);
        x[rows[i].rt] = X(rows[i].rt);
        x[rows[i].rt2] = X(rows[i].rt2);
        for (unsigned n = 0; n < VPMU_TRAP_XREGS; n++) {
            expect_in(rows[i].insn, "the other registers", X(n), x[n]);
        }
    }
}
END_TEST

/* An access that vpmu_arm_reg_access() refuses changes nothing. */
START_TEST(refusals)
{
    static const struct vpmu_pe el0_nobody_else = {.el = 0};
    static const struct {
        const char *why;
        uint64_t esr;
        const struct vpmu_pe *pe;
        uint64_t mdcr_el2;
        uint64_t mdcr_el3;
        enum vpmu_access want;
    } rows[] = {
        {"PMEVCNTR4 of 4", ISS64(3, 3, 14, 8, 4, 3), &at_el1, 4, 0, VPMU_ACCESS_UNDEFINED},
        {"a read of PMSWINC", ISS64(3, 3, 9, 12, 4, 3) | READ, &at_el1, 4, 0,
         VPMU_ACCESS_UNDEFINED},
        {"PMUSERENR is 0", MSR, &el0_nobody_else, 4, 0, VPMU_ACCESS_TRAP_EL1},
        {"TPM", MSR, &at_el1, 4 | VPMU_MDCR_EL2_TPM, 0, VPMU_ACCESS_TRAP_EL2},
        {"HPMN", ISS64(3, 3, 14, 8, 2, 3), &at_el1, 2, 0, VPMU_ACCESS_TRAP_EL2},
        {"EL3's TPM", MSR, &at_el1, 4, VPMU_MDCR_EL3_TPM, VPMU_ACCESS_TRAP_EL3},
        {"EL3's TPM, a read", MSR | READ, &at_el1, 4, VPMU_MDCR_EL3_TPM, VPMU_ACCESS_TRAP_EL3},
        {"from AArch32, whatever pe says", MCRR, &at_el1, 4, VPMU_MDCR_EL3_TPM,
         VPMU_ACCESS_TRAP_EL3},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint64_t x[VPMU_TRAP_XREGS];
        enum vpmu_access access;
        struct machine m;

        start(&m, x);
        machine_control(&m, rows[i].mdcr_el2, rows[i].mdcr_el3);
        expect_in(rows[i].why, "trap", 0,
                  (uint64_t)machine_trap(&m, rows[i].pe, rows[i].esr, 0, x, &access));
        expect_in(rows[i].why, "access", rows[i].want, access);
        expect_in(rows[i].why, "PMCCNTR_EL0", CYCLES_BEFORE, get(&m, VPMU_PMCCNTR));
        expect_in(rows[i].why, "Rt", X(3), x[3]);
    }
}
END_TEST

Suite *trap_suite(void)
{
    const TTest *const tests[] = {every_encoding, taken_apart, not_ours,
                                  conditions,     values,      refusals};

    return suite_of("trap", tests, COUNT_OF(tests));
}
