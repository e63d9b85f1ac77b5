/* SPDX-License-Identifier: GPL-2.0-or-later */

/* Exceptions that EL2 takes from EL1 and EL0, register traps, and a host that runs at EL2. */
#include "registers/pmu.h"
#include "runtime/mmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"
#include "tests/levels/faults.h"
#include "tests/counters/loops.h"

#define RUNS 1000u
#define PAGE 3u
#define A64_SMC_0 0xd4000003u

/* What EL2 does with an exception of its guest. EL2's own instructions are not counted. */
static unsigned taken;

static bool leave_as_it_is(struct frame *frame, unsigned el)
{
    (void)frame;
    if (el == EL2) {
        taken++;
    }
    return el == EL2;
}

static bool skip_instruction(struct frame *frame, unsigned el)
{
    if (el != EL2) {
        return false;
    }
    taken++;
    frame->elr += 4;
    return true;
}

/* The count of the guest when its instruction was trapped. */
static uint64_t at_trap;

static bool stop_at_trap(struct frame *frame, unsigned el)
{
    at_trap = read_pmevcntr(0);
    return skip_instruction(frame, el);
}

static bool map_and_retry(struct frame *frame, unsigned el)
{
    (void)frame;
    if (el != EL2) {
        return false;
    }
    taken++;
    stage2_map_playground();
    return true;
}

/* The calls that end a level are handled before the hook. */
static void check(const char *where, enum level level, level_fn body, exception_hook hook,
                  uint64_t instructions, unsigned exceptions)
{
    struct fault_arg arg = {.address = page_address(PAGE)};

    taken = 0;
    this_cpu()->on_sync = hook;
    expect_eq(where, level, instructions + 1, call_at(level, body, (uintptr_t)&arg));
    expect_eq("exceptions", level, exceptions, taken);
}

static void count_guest(void)
{
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    pmu_count(0, EVENT_INST_RETIRED);
}

static void test_hvc(void)
{
    count_guest();
    for (unsigned i = 0; i < RUNS; i++) {
        check("HVC", EL1, body_hvc, leave_as_it_is, 5, 1);
    }
}

/* The machine's firmware answers an SMC. The SMC is executed; no register shows who answered. */
static void test_smc(void)
{
    count_guest();
    for (unsigned i = 0; i < RUNS; i++) {
        check("SMC", EL1, body_smc, leave_as_it_is, 6, 0);
    }
}

/* HCR_EL2.TSC traps it instead, so it is not executed. */
static void test_smc_trapped(void)
{
    count_guest();
    write_sysreg(hcr_el2, HCR_EL2_RW | HCR_EL2_TSC);
    for (unsigned i = 0; i < RUNS; i++) {
        check("SMC", EL1, body_smc, skip_instruction, 5, 1);
    }
}

static void test_wfi_trapped(void)
{
    count_guest();
    write_sysreg(hcr_el2, HCR_EL2_RW | HCR_EL2_TWI);
    for (unsigned i = 0; i < RUNS; i++) {
        check("WFI", EL1, body_wfi, skip_instruction, 4, 1);
        check("WFI", EL0, body_wfi, skip_instruction, 4, 1);
    }
}

/* Nothing but the call is skipped. */
static bool skip_smc(struct frame *frame, unsigned el)
{
    expect_eq("what traps", 0, A64_SMC_0, *(const uint32_t *)frame->elr);
    return skip_instruction(frame, el);
}

/* The firmware answers CPU_SUSPEND with a WFI, which EL2 traps. The call has then not been made. */
static void test_suspend_trapped(void)
{
    count_guest();
    write_sysreg(hcr_el2, HCR_EL2_RW | HCR_EL2_TWI);
    for (unsigned i = 0; i < RUNS; i++) {
        check("SMC", EL1, body_suspend, skip_smc, 5, 1);
    }
}

/* A trapped instruction does not make a counter overflow; the one after it does. */
static uint64_t overflows_at_trap;

static bool skip_and_look(struct frame *frame, unsigned el)
{
    overflows_at_trap = read_sysreg(pmovsset_el0);
    return skip_instruction(frame, el);
}

static void check_trap_at_overflow(const char *where, level_fn body, uint64_t before)
{
    struct fault_arg arg = {.address = page_address(PAGE)};

    this_cpu()->on_sync = skip_and_look;
    for (unsigned i = 0; i < RUNS; i++) {
        pmu_count(0, EVENT_INST_RETIRED);
        write_pmevcntr(0, BIT(32) - before - 1);
        write_sysreg(pmovsclr_el0, BIT(0));
        write_sysreg(pmintenset_el1, BIT(0));
        isb();
        overflows_at_trap = BIT(1);
        call_at(EL1, body, (uintptr_t)&arg);
        expect_eq(where, i, 0, overflows_at_trap);
        expect_eq(where, i, BIT(0), read_sysreg(pmovsset_el0));
    }
}

/* The number of instructions that EL1 executes, starting with the call, before one that traps. */
static uint64_t executed_before(level_fn body)
{
    struct fault_arg arg = {.address = page_address(PAGE)};

    this_cpu()->on_sync = stop_at_trap;
    pmu_count(0, EVENT_INST_RETIRED);
    call_at(EL1, body, (uintptr_t)&arg);
    return at_trap;
}

static void test_traps_at_overflow(void)
{
    static const struct {
        const char *name;
        level_fn body;
    } cases[] = {{"WFI", body_wfi}, {"CPU_SUSPEND", body_suspend}, {"MRS", body_mrs_id}};

    write_sysreg(hcr_el2, HCR_EL2_RW | HCR_EL2_TWI | HCR_EL2_TID3);
    for (unsigned i = 0; i < 3; i++) {
        check_trap_at_overflow(cases[i].name, cases[i].body, executed_before(cases[i].body));
    }
}

/* MDCR_EL2.TPMCR traps PMCR and not the counters. */
static void test_pmcr_trapped(void)
{
    count_guest();
    write_sysreg(mdcr_el2, MDCR_EL2_HPMN(pmu_counters()) | MDCR_EL2_TPMCR);
    for (unsigned i = 0; i < RUNS; i++) {
        check("MRS", EL1, body_mrs_pmcr, skip_instruction, 4, 1);
        check("MSR", EL1, body_msr_pmcr, skip_instruction, 4, 1);
        check("MRS", EL0, body_mrs_pmcr, skip_instruction, 4, 1);
    }
}

static void test_id_trapped(void)
{
    count_guest();
    write_sysreg(hcr_el2, HCR_EL2_RW | HCR_EL2_TID3);
    for (unsigned i = 0; i < RUNS; i++) {
        check("MRS", EL1, body_mrs_id, skip_instruction, 4, 1);
    }
}

/* FEAT_FGT traps the call itself, so it has not been made. */
static void test_svc_trapped(void)
{
    if (FIELD(read_sysreg(id_aa64mmfr0_el1), 56, 4) == 0) {
        skip_test("no FEAT_FGT");
        return;
    }
    count_guest();
    write_sysreg(HFGITR_EL2, HFGITR_EL2_SVC_EL0 | HFGITR_EL2_SVC_EL1);
    isb();
    for (unsigned i = 0; i < RUNS; i++) {
        check("SVC", EL1, body_svc, skip_instruction, 4, 1);
        check("SVC", EL0, body_svc, skip_instruction, 4, 1);
    }
    write_sysreg(HFGITR_EL2, 0);
}

static void test_zero_trapped(void)
{
    page_map(PAGE, PAGE_DATA);
    count_guest();
    write_sysreg(hcr_el2, HCR_EL2_RW | HCR_EL2_TDZ);
    for (unsigned i = 0; i < RUNS; i++) {
        check("DC ZVA", EL1, body_zero, skip_instruction, 4, 1);
        check("DC ZVA", EL0, body_zero, skip_instruction, 4, 1);
    }
}

/* A stage 2 fault in the middle of a block. EL2 maps the page. */
static void test_stage2(void)
{
    page_map(PAGE, PAGE_DATA);
    count_guest();
    for (unsigned i = 0; i < RUNS; i++) {
        stage2_enable();
        check("LDR", EL1, body_load, map_and_retry, 5, 1);
        stage2_enable();
        check("STR", EL0, body_store, map_and_retry, 5, 1);
    }
}

/* MDCR_EL2.TPM traps every PMU register below EL2. */
#define DEFINE_READ(name)                                                                          \
    static uint64_t get_##name(uint64_t arg)                                                       \
    {                                                                                              \
        (void)arg;                                                                                 \
        return read_sysreg(name);                                                                  \
    }

DEFINE_READ(pmcr_el0)
DEFINE_READ(pmcntenset_el0)
DEFINE_READ(pmcntenclr_el0)
DEFINE_READ(pmovsclr_el0)
DEFINE_READ(pmovsset_el0)
DEFINE_READ(pmselr_el0)
DEFINE_READ(pmccntr_el0)
DEFINE_READ(pmccfiltr_el0)
DEFINE_READ(pmxevtyper_el0)
DEFINE_READ(pmxevcntr_el0)
DEFINE_READ(pmceid0_el0)
DEFINE_READ(pmceid1_el0)
DEFINE_READ(pmuserenr_el0)
DEFINE_READ(pmintenset_el1)
DEFINE_READ(pmintenclr_el1)
DEFINE_READ(pmevcntr0_el0)
DEFINE_READ(pmevtyper0_el0)

static const struct {
    const char *name;
    level_fn read;
    uint64_t iss;
    bool at_el0;
} registers[] = {
    {"PMCR", get_pmcr_el0, ISS_SYSREG(3, 3, 9, 12, 0, 1), true},
    {"PMCNTENSET", get_pmcntenset_el0, ISS_SYSREG(3, 3, 9, 12, 1, 1), true},
    {"PMCNTENCLR", get_pmcntenclr_el0, ISS_SYSREG(3, 3, 9, 12, 2, 1), true},
    {"PMOVSCLR", get_pmovsclr_el0, ISS_SYSREG(3, 3, 9, 12, 3, 1), true},
    {"PMSELR", get_pmselr_el0, ISS_SYSREG(3, 3, 9, 12, 5, 1), true},
    {"PMCEID0", get_pmceid0_el0, ISS_SYSREG(3, 3, 9, 12, 6, 1), true},
    {"PMCEID1", get_pmceid1_el0, ISS_SYSREG(3, 3, 9, 12, 7, 1), true},
    {"PMCCNTR", get_pmccntr_el0, ISS_SYSREG(3, 3, 9, 13, 0, 1), true},
    {"PMXEVTYPER", get_pmxevtyper_el0, ISS_SYSREG(3, 3, 9, 13, 1, 1), true},
    {"PMXEVCNTR", get_pmxevcntr_el0, ISS_SYSREG(3, 3, 9, 13, 2, 1), true},
    {"PMUSERENR", get_pmuserenr_el0, ISS_SYSREG(3, 3, 9, 14, 0, 1), true},
    {"PMOVSSET", get_pmovsset_el0, ISS_SYSREG(3, 3, 9, 14, 3, 1), true},
    {"PMEVCNTR0", get_pmevcntr0_el0, ISS_SYSREG(3, 3, 14, 8, 0, 1), true},
    {"PMEVTYPER0", get_pmevtyper0_el0, ISS_SYSREG(3, 3, 14, 12, 0, 1), true},
    {"PMCCFILTR", get_pmccfiltr_el0, ISS_SYSREG(3, 3, 14, 15, 7, 1), true},
    {"PMINTENSET", get_pmintenset_el1, ISS_SYSREG(3, 0, 9, 14, 1, 1), false},
    {"PMINTENCLR", get_pmintenclr_el1, ISS_SYSREG(3, 0, 9, 14, 2, 1), false},
};

static void expect_trap(const char *name, enum level from, enum level to, level_fn fn, uint64_t iss)
{
    struct trap trap = run_expecting_exception(from, fn, 0);

    expect_eq(name, from, 1, trap.count);
    expect_eq(name, from, to, trap.el);
    expect_eq(name, from, EC_SYSREG, ESR_EC(trap.esr));
    expect_eq(name, from, iss, ESR_ISS(trap.esr) & ~ISS_SYSREG_RT_MASK);
}

static void test_tpm(void)
{
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    write_sysreg(mdcr_el2, MDCR_EL2_HPMN(pmu_counters()) | MDCR_EL2_TPM);
    isb();
    for (unsigned i = 0; i < sizeof(registers) / sizeof(registers[0]); i++) {
        expect_trap(registers[i].name, EL1, EL2, registers[i].read, registers[i].iss);
        if (registers[i].at_el0) {
            expect_trap(registers[i].name, EL0, EL2, registers[i].read, registers[i].iss);
        }
        expect_eq(registers[i].name, EL2, 0,
                  run_expecting_exception(EL2, registers[i].read, 0).count);
    }
    /* An access that PMUSERENR denies goes to EL1 all the same. */
    write_sysreg(pmuserenr_el0, 0);
    expect_trap("PMUSERENR first", EL0, EL1, get_pmcr_el0, registers[0].iss);
}

/* A host at EL2 (HCR_EL2.E2H and TGE): its user space is EL0 without an EL1. */
static void enter_host(void)
{
    if (FIELD(read_sysreg(id_aa64mmfr1_el1), 8, 4) == 0) {
        skip_test("no FEAT_VHE");
        return;
    }
    write_sysreg(hcr_el2, HCR_EL2_RW | HCR_EL2_E2H | HCR_EL2_TGE);
    isb();
}

static void expect_host_loop(const char *where, enum level level, uint64_t filter, bool counted)
{
    struct loop_runs runs = {.loop = &loops[0], .iterations = 10, .runs = RUNS, .tag = filter};

    runs.expected = counted ? loop_count(&loops[0], runs.iterations) : 0;
    pmu_count(0, EVENT_INST_RETIRED | filter);
    expect_loop_runs(where, level, &runs);
}

static void test_host_filters(void)
{
    enter_host();
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    expect_host_loop("EL0", EL0, 0, true);
    expect_host_loop("EL0", EL0, PMEVTYPER_P, true);
    expect_host_loop("EL0", EL0, PMEVTYPER_U, false);
    expect_host_loop("EL0", EL0, PMEVTYPER_NSH | PMEVTYPER_U, false);
    expect_host_loop("EL2", EL2, 0, false);
    expect_host_loop("EL2", EL2, PMEVTYPER_NSH, true);
    expect_host_loop("EL2", EL2, PMEVTYPER_NSH | PMEVTYPER_P | PMEVTYPER_U, true);
}

/* HPMD stops the first range at EL2, but not in the host's user space. */
static void test_host_hpmd(void)
{
    enter_host();
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    write_sysreg(mdcr_el2, MDCR_EL2_HPMN(pmu_counters()) | MDCR_EL2_HPMD);
    isb();
    expect_host_loop("EL0", EL0, PMEVTYPER_NSH, true);
    expect_host_loop("EL2", EL2, PMEVTYPER_NSH, false);
}

/* PMUSERENR denies the access of the host's user space at EL2, not at EL1. */
static void test_host_userenr(void)
{
    enter_host();
    expect_trap("PMCR", EL0, EL2, get_pmcr_el0, registers[0].iss);
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    expect_eq("allowed", 0, 0, run_expecting_exception(EL0, get_pmcr_el0, 0).count);
}

#define EL2_TEST(name, run) TEST(name, run, .home = HOME_EL2, .counters = 1)

const struct test test_table[] = {
    EL2_TEST("el2.hvc", test_hvc),
    EL2_TEST("el2.smc", test_smc),
    EL2_TEST("el2.smc-trapped", test_smc_trapped),
    EL2_TEST("el2.wfi-trapped", test_wfi_trapped),
    EL2_TEST("el2.suspend-trapped", test_suspend_trapped),
    EL2_TEST("el2.traps-at-overflow", test_traps_at_overflow),
    EL2_TEST("el2.pmcr-trapped", test_pmcr_trapped),
    EL2_TEST("el2.id-trapped", test_id_trapped),
    EL2_TEST("el2.svc-trapped", test_svc_trapped),
    EL2_TEST("el2.zero-trapped", test_zero_trapped),
    EL2_TEST("el2.stage2", test_stage2),
    EL2_TEST("el2.tpm", test_tpm),
    EL2_TEST("el2.host-filters", test_host_filters),
    TEST("el2.host-hpmd", test_host_hpmd, .home = HOME_EL2, .counters = 1, .version = PMUVER_V3P1),
    EL2_TEST("el2.host-userenr", test_host_userenr),
    {0},
};
