/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * A 32-bit EL1 changes to User mode in every possible way. EL2 traps its instructions in the middle
 * of a block.
 */
#include "registers/pmu.h"
#include "runtime/gic.h"
#include "runtime/mmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"
#include "tests/aarch32/modes32_code.h"

#define RUNS 100u

/* SCTLR of AArch32: translation off, CP15 barriers enabled as usual. */
#define SCTLR_AARCH32 UINT64_C(0x30c50838)

#define HCR_EL2_TID0 BIT(15)
#define HCR_EL2_TIDCP BIT(20)
#define CPTR_EL2_TFP BIT(10)
#define MDCR_EL2_TDA BIT(9)
#define EC_CP14_32 0x05u
#define EC_VMRS 0x08u
#define EC_SMC32 0x13u
#define EC_BKPT32 0x38u
#define EVENT_LD_RETIRED UINT64_C(0x06)
#define FPEXC_EN BIT(30)
#define CPACR_CP10_CP11 (UINT64_C(0xf) << 20)

extern const uint32_t modes32_blob[];

static uint32_t buffer[8];

static uint32_t address_of(unsigned function)
{
    return (uint32_t)(uintptr_t)modes32_blob + modes32_blob[function];
}

static uint64_t call(unsigned function, uint32_t r0)
{
    const uint32_t regs[4] = {r0, (uint32_t)(uintptr_t)buffer, 0, 0};

    return call_aarch32(EL1, address_of(function), regs);
}

static bool enter_aarch32(void)
{
    if (!has_aarch32(EL1)) {
        skip_test("EL1 is AArch64 only");
        return false;
    }
    write_sysreg(sctlr_el1, SCTLR_AARCH32);
    write_sysreg(hcr_el2, HCR_EL2_IMO);
    write_sysreg(vbar_el1, address_of(VECTORS32));
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    isb();
    return true;
}

/*
 * To User mode
 */

static const struct way {
    const char *name;
    /* The number of instructions before the loop, including those that prepare the change. */
    unsigned function, loop, before;
} ways[] = {
    {"MSR, immediate", USER_BY_MSR, USER_LOOP, 3},
    {"MSR", USER_BY_MSR_REG, USER_LOOP, 4},
    {"MSR, T32", USER_BY_MSR_T32, USER_LOOP_T32, 4},
    {"CPS", USER_BY_CPS, USER_LOOP, 3},
    {"CPS, T32", USER_BY_CPS_T32, USER_LOOP_T32, 3},
    {"MOVS PC", USER_BY_MOVS, USER_LOOP, 6},
    {"RFE", USER_BY_RFE, USER_LOOP, 7},
};

#define WAYS (sizeof(ways) / sizeof(ways[0]))

/*
 * The first read is not counted. The change is at EL1; the branch, the loop and the second read are
 * at EL0.
 */
static void test_filters(void)
{
    static const struct {
        uint64_t filter;
        unsigned change, per_iteration, rest;
    } cases[] = {
        {0, 1, 2, 2},
        {PMEVTYPER_P, 0, 2, 2},
        {PMEVTYPER_U, 1, 0, 0},
        {PMEVTYPER_P | PMEVTYPER_U, 0, 0, 0},
    };

    for (unsigned w = 0; w < WAYS && enter_aarch32(); w++) {
        for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
            pmu_count(0, EVENT_INST_RETIRED | cases[i].filter);
            for (unsigned n = 1; n <= RUNS; n++) {
                expect_eq(ways[w].name, i,
                          cases[i].change + cases[i].per_iteration * n + cases[i].rest,
                          call(ways[w].function, n));
            }
        }
    }
}

/* Where the interrupt was taken, and the loop's counter there. */
static struct {
    unsigned count;
    uint64_t elr, r0;
} taken;

static bool note_interrupt(struct frame *frame, unsigned el)
{
    unsigned intid = gic_acknowledge();

    (void)el;
    if (intid != INTID_PMU) {
        return false;
    }
    if (taken.count++ == 0) {
        taken.elr = frame->elr;
        taken.r0 = frame->x[0];
    }
    write_sysreg(pmovsclr_el0, pmu_mask());
    isb();
    gic_end(intid);
    return true;
}

#define ITERATIONS 100000u

/* Overflows at the k-th instruction of the loop, or for k of 0 at the change that leads to it. */
static void check_overflow(const struct way *way, unsigned k)
{
    unsigned size = modes32_blob[way->loop] & 1 ? 2 : 4;

    taken.count = 0;
    write_pmevtyper(0, EVENT_INST_RETIRED);
    write_pmevcntr(0, BIT(32) - way->before - k);
    write_sysreg(pmovsclr_el0, pmu_mask());
    write_sysreg(pmintenset_el1, BIT(0));
    write_sysreg(pmcntenset_el0, BIT(0));
    write_sysreg(pmcr_el0, read_sysreg(pmcr_el0) | PMCR_E);
    isb();
    call(way->function, ITERATIONS);
    write_sysreg(pmcntenclr_el0, BIT(0));
    isb();
    expect_eq(way->name, k, 1, taken.count);
    expect_eq(way->name, k, (address_of(way->loop) & ~1u) + size * (k % 2), taken.elr);
    expect_eq(way->name, k, ITERATIONS - k / 2 - k % 2, taken.r0);
}

static void check_overflows(void)
{
    static const unsigned places[] = {0, 1, 2, 999, 1000, 4097, 100000, 199997};

    for (unsigned w = 0; w < WAYS; w++) {
        for (unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
            check_overflow(&ways[w], places[i]);
        }
    }
}

/* When the last change to EL0 is made, more has been counted at EL0 than EL1 may count. */
static void test_overflow_busy_el0(void)
{
    const uint32_t regs[4] = {1000000, 0, 0, 0};

    if (!enter_aarch32()) {
        return;
    }
    gic_enable(INTID_PMU);
    this_cpu()->on_irq = note_interrupt;
    pmu_count(0, EVENT_INST_RETIRED);
    call_aarch32(EL0, address_of(COUNTDOWN32), regs);
    check_overflows();
}

/* The same with EL0 and EL1 exchanged. */
static void test_overflow_busy_el1(void)
{
    if (!enter_aarch32()) {
        return;
    }
    gic_enable(INTID_PMU);
    this_cpu()->on_irq = note_interrupt;
    pmu_count(0, EVENT_INST_RETIRED);
    call(COUNTDOWN32, 10000000);
    check_overflows();
}

/*
 * Traps in the middle of a block
 */

static struct {
    unsigned count, class;
    uint64_t overflows;
} trapped;

static bool skip_trapped(struct frame *frame, unsigned el)
{
    if (el != EL2) {
        return false;
    }
    trapped.count++;
    trapped.class = ESR_EC(frame->esr);
    trapped.overflows = read_sysreg(pmovsset_el0);
    frame->elr += 4;
    return true;
}

/*
 * What traps the instruction: bits of EL2 registers. If nothing traps it, the class does not
 * matter.
 */
static const struct trap_case {
    const char *name;
    unsigned function;
    uint64_t hcr, hstr, cptr, mdcr;
    unsigned traps, class;
} trap_cases[] = {
    {"HSTR, MRC", TRAP_MRC, 0, BIT(13), 0, 0, 1, EC_CP15_32},
    {"HSTR, MCR", TRAP_MCR, 0, BIT(13), 0, 0, 1, EC_CP15_32},
    {"HSTR, MRRC", TRAP_MRRC, 0, BIT(2), 0, 0, 1, EC_CP15_64},
    {"HSTR, MRC in T32", TRAP_MRC_T32, 0, BIT(13), 0, 0, 1, EC_CP15_32},
    {"HSTR, MRCEQ", TRAP_MRC_EQ, 0, BIT(13), 0, 0, 1, EC_CP15_32},
    {"HSTR, MRCNE", TRAP_MRC_NE, 0, BIT(13), 0, 0, 0, 0},
    {"HSTR of another", TRAP_MRC, 0, BIT(5), 0, 0, 0, 0},
    {"TIDCP", TRAP_IMPDEF, HCR_EL2_TIDCP, 0, 0, 0, 1, EC_CP15_32},
    {"HSTR, implementation defined", TRAP_IMPDEF, 0, BIT(9), 0, 0, 1, EC_CP15_32},
    {"TID3", TRAP_ID, HCR_EL2_TID3, 0, 0, 0, 1, EC_CP15_32},
    {"TFP", TRAP_FP, 0, 0, CPTR_EL2_TFP, 0, 1, EC_FP_ACCESS},
    {"TID3, VMRS", TRAP_FP_ID, HCR_EL2_TID3, 0, 0, 0, 1, EC_VMRS},
    {"TWI", TRAP_WFI, HCR_EL2_TWI, 0, 0, 0, 1, EC_WFX},
    {"TSC", TRAP_SMC, HCR_EL2_TSC, 0, 0, 0, 1, EC_SMC32},
    {"TWI, CPU_SUSPEND", TRAP_SUSPEND, HCR_EL2_TWI, 0, 0, 0, 1, EC_WFX},
    {"TDE", TRAP_BKPT, 0, 0, 0, MDCR_EL2_TDE, 1, EC_BKPT32},
    {"TDA", TRAP_DEBUG, 0, 0, 0, MDCR_EL2_TDA, 1, EC_CP14_32},
};

#define TRAP_CASES (sizeof(trap_cases) / sizeof(trap_cases[0]))

static void prepare_trap(const struct trap_case *c)
{
    trapped.count = 0;
    /* Floating point is enabled, except for EL2. */
    write_sysreg(cpacr_el1, CPACR_CP10_CP11);
    write_sysreg(fpexc32_el2, FPEXC_EN);
    write_sysreg(hcr_el2, HCR_EL2_IMO | c->hcr);
    write_sysreg(hstr_el2, c->hstr);
    write_sysreg(cptr_el2, read_sysreg(cptr_el2) | c->cptr);
    write_sysreg(mdcr_el2, MDCR_EL2_HPMN(pmu_counters()) | c->mdcr);
    isb();
}

static void forget_trap(void)
{
    write_sysreg(hcr_el2, HCR_EL2_IMO);
    write_sysreg(hstr_el2, 0);
    write_sysreg(cptr_el2, read_sysreg(cptr_el2) & ~CPTR_EL2_TFP);
    write_sysreg(mdcr_el2, MDCR_EL2_HPMN(pmu_counters()));
    isb();
}

static void check_trap(const struct trap_case *c)
{
    unsigned executed = 2 + TRAP_TAIL + !c->traps;
    uint64_t count;

    pmu_count(1, EVENT_LD_RETIRED);
    prepare_trap(c);
    count = call(c->function, 0);
    forget_trap();
    expect_eq(c->name, 0, executed + 1, count);
    expect_eq(c->name, 1, TRAP_TAIL / 2, read_pmevcntr(1));
    expect_eq(c->name, 2, c->traps, trapped.count);
    if (c->traps) {
        expect_eq(c->name, 3, c->class, trapped.class);
    }
}

static void test_traps(void)
{
    if (!enter_aarch32()) {
        return;
    }
    this_cpu()->on_sync = skip_trapped;
    pmu_count(0, EVENT_INST_RETIRED);
    for (unsigned i = 0; i < TRAP_CASES; i++) {
        for (unsigned n = 0; n < RUNS; n++) {
            check_trap(&trap_cases[i]);
        }
    }
}

/*
 * The first read and two more instructions come before it, and in some functions what prepares it.
 */
static uint64_t place_of_trap(unsigned function)
{
    return function == TRAP_MRC_EQ ? 5 : function == TRAP_SUSPEND ? 8 : 4;
}

/* An instruction that traps does not overflow a counter; the one after it does. */
static void test_traps_at_overflow(void)
{
    if (!enter_aarch32()) {
        return;
    }
    this_cpu()->on_sync = skip_trapped;
    for (unsigned i = 0; i < TRAP_CASES; i++) {
        const struct trap_case *c = &trap_cases[i];

        if (!c->traps) {
            continue;
        }
        prepare_trap(c);
        write_sysreg(pmintenset_el1, BIT(0));
        write_sysreg(pmovsclr_el0, pmu_mask());
        pmu_count(0, EVENT_INST_RETIRED);
        write_pmevcntr(0, BIT(32) - place_of_trap(c->function));
        isb();
        call(c->function, 0);
        write_sysreg(pmintenclr_el1, BIT(0));
        forget_trap();
        expect_eq(c->name, 0, 1, trapped.count);
        expect_eq(c->name, 1, 0, trapped.overflows);
        expect_eq(c->name, 2, BIT(0), read_sysreg(pmovsset_el0));
    }
}

#define MODES_TEST(name, run, n) TEST(name, run, .home = HOME_EL2, .counters = (n))

const struct test test_table[] = {
    MODES_TEST("modes32.traps", test_traps, 2),
    MODES_TEST("modes32.traps-at-overflow", test_traps_at_overflow, 1),
    MODES_TEST("modes32.filters", test_filters, 1),
    MODES_TEST("modes32.overflow-busy-el1", test_overflow_busy_el1, 1),
    MODES_TEST("modes32.overflow-busy-el0", test_overflow_busy_el0, 1),
    {0},
};
