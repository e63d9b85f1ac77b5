/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Initialisation, reset and controls of a PMU. */
#include <string.h>

#include "fixture.h"

/* The numbers of contexts are part of the interface, because totals are indexed by them. */
START_TEST(context_numbers)
{
    static const struct {
        unsigned el;
        enum vpmu_security security;
        unsigned ctx;
    } rows[] = {
        {0, VPMU_SECURE, S_EL0},     {1, VPMU_SECURE, S_EL1},      {2, VPMU_SECURE, S_EL2},
        {0, VPMU_NONSECURE, NS_EL0}, {1, VPMU_NONSECURE, NS_EL1},  {2, VPMU_NONSECURE, NS_EL2},
        {0, VPMU_REALM, RL_EL0},     {1, VPMU_REALM, RL_EL1},      {2, VPMU_REALM, RL_EL2},
        {3, VPMU_SECURE, CTX_EL3},   {3, VPMU_NONSECURE, CTX_EL3}, {3, VPMU_REALM, CTX_EL3},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        expect("vpmu_arm_ctx()", rows[i].ctx, vpmu_arm_ctx(rows[i].el, rows[i].security));
    }
    expect("contexts", 10, VPMU_CTX_COUNT);
}
END_TEST

START_TEST(fits_in_a_page)
{
    ck_assert_msg(sizeof(struct vpmu_arm) <= 4096, "expected at most 4096 bytes got %zu",
                  sizeof(struct vpmu_arm));
}
END_TEST

START_TEST(init_refuses)
{
    struct vpmu_arm_config config = config_of(VPMU_V3, 32, 0);
    struct machine m;
    const char *why = NULL;

    memset(&m, 0, sizeof(m));
    expect("error", VPMU_ERR_CONFIG,
           (uint64_t)-vpmu_arm_init(&m.v, &config, &m.totals, NULL, &why));
    ck_assert_msg(why != NULL, "expected a reason got none");
    expect("without a place for the reason", VPMU_ERR_CONFIG,
           (uint64_t)-vpmu_arm_init(&m.v, &config, &m.totals, NULL, NULL));
}
END_TEST

/* The previous content of the memory has no effect. */
START_TEST(init_of_any_memory)
{
    struct vpmu_arm_config config = config_of(VPMU_V3P5, 6, 0);
    struct machine m;

    memset(&m, 0, sizeof(m));
    memset(&m.v, 0xa5, sizeof(m.v));
    expect("init", 0, (uint64_t)vpmu_arm_init(&m.v, &config, &m.totals, NULL, NULL));
    expect("line", 0, vpmu_arm_irq_level(&m.v));
    expect("context", NS_EL1, m.v.count.ctx);
    expect("PMCNTENSET", 0, get(&m, VPMU_PMCNTENSET));
    expect("PMEVTYPER5", 0, get(&m, PMEVTYPER(5)));
    expect("PMCCNTR", 0, get(&m, VPMU_PMCCNTR));
}
END_TEST

/* What the clock of a source that is not timed shows is ignored. */
START_TEST(no_clock)
{
    struct vpmu_arm_config config = config_of(VPMU_V3P5, 2, 0);
    struct machine m;

    config.timed = 0;
    machine_start(&m, &config);
    counter_start(&m, 0, VPMU_EVENT_CPU_CYCLES | VPMU_TYPER_P, 0);
    counter_start(&m, 1, EVENT_CNT_CYCLES, 0);
    counter_start(&m, VPMU_CYCLE_COUNTER, 0, 0);
    pmcr_enable(&m);
    machine_cycles(&m, 10);
    machine_events(&m, VPMU_SRC_CNT_CYCLES, 3);
    machine_enter(&m, NS_EL0);
    machine_cycles(&m, 4);
    machine_settle(&m);
    expect("CPU_CYCLES at EL0", 4, get(&m, PMEVCNTR(0)));
    expect("CNT_CYCLES", 3, get(&m, PMEVCNTR(1)));
    expect("PMCCNTR", 14, get(&m, VPMU_PMCCNTR));
    m.clock.ticks[0] += 1000;
    m.clock.ticks[1] += 1000;
    machine_step(&m);
    set(&m, VPMU_PMSWINC, 0);
    expect("CPU_CYCLES at EL0 again", 4, get(&m, PMEVCNTR(0)));
    expect("CNT_CYCLES again", 3, get(&m, PMEVCNTR(1)));
}
END_TEST

/* What is due after calls: nothing more than what they changed. */
START_TEST(what_is_due)
{
    const int overflow = VPMU_DUE_OVERFLOW | VPMU_DUE_REARM;
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 2, VPMU_HAS_EL2);
    counter_start(&m, 0, INST_EVERYWHERE, ALL_ONES);
    pmcr_enable(&m);
    expect("settled: nothing", 0, (uint64_t)vpmu_arm_settle(&m.v, NULL));
    expect("PMSELR: nothing", 0, (uint64_t)vpmu_arm_reg_write(&m.v, VPMU_PMSELR, &at_el2, 1, NULL));
    expect("PMEVTYPER1", VPMU_DUE_REARM,
           (uint64_t)vpmu_arm_reg_write(&m.v, PMEVTYPER(1), &at_el2, 8, NULL));
    machine_instructions(&m, 1);
    expect("an overflow", (uint64_t)overflow, (uint64_t)vpmu_arm_settle(&m.v, NULL));
    expect("PMINTENSET", VPMU_DUE_IRQ | VPMU_DUE_REARM,
           (uint64_t)vpmu_arm_reg_write(&m.v, VPMU_PMINTENSET, &at_el2, 1, NULL));
    expect("PMOVSCLR", VPMU_DUE_IRQ | VPMU_DUE_REARM,
           (uint64_t)vpmu_arm_reg_write(&m.v, VPMU_PMOVSCLR, &at_el2, 1, NULL));
    set(&m, PMEVCNTR(0), ALL_ONES);
    machine_instructions(&m, 1);
    expect("PMEVTYPER1 and an overflow: the line rises", VPMU_DUE_IRQ | VPMU_DUE_REARM,
           (uint64_t)vpmu_arm_reg_write(&m.v, PMEVTYPER(1), &at_el2, 8, NULL));
    expect("level", true, vpmu_arm_irq_level(&m.v));
    expect("context: nothing", 0, (uint64_t)vpmu_arm_set_context(&m.v, NS_EL0, NULL));
    expect("reset: the line falls", VPMU_DUE_IRQ | VPMU_DUE_REARM,
           (uint64_t)vpmu_arm_reset(&m.v, NULL));
}
END_TEST

/* Time that is not reported passes in the context of the next call that reports it. */
START_TEST(time_reported_late)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 1, VPMU_HAS_EL2);
    expect("nothing counts", false, vpmu_arm_needs_time(&m.v));
    counter_start(&m, 0, VPMU_EVENT_CPU_CYCLES | VPMU_TYPER_P, 0);
    pmcr_enable(&m);
    expect("settling needs it", true, vpmu_arm_needs_time(&m.v));
    expect("so does a change to EL0", true, vpmu_arm_leaving_needs_time(&m.v, NS_EL0));
    expect("but not one to EL2", false, vpmu_arm_leaving_needs_time(&m.v, NS_EL2));
    machine_cycles(&m, 30);
    vpmu_arm_set_context(&m.v, NS_EL0, NULL);
    machine_settle(&m);
    expect("all of it at EL0", 30, m.v.count.counter[0].value);
    machine_cycles(&m, 7);
    vpmu_arm_pass_time(&m.v, &m.clock);
    machine_cycles(&m, 100);
    vpmu_arm_set_context(&m.v, NS_EL1, NULL);
    machine_settle(&m);
    expect("up to the decision", 37, m.v.count.counter[0].value);
}
END_TEST

/* The configuration is copied. */
START_TEST(config_is_copied)
{
    struct vpmu_arm_config config = config_of(VPMU_V3P5, 6, 0);
    struct machine m;

    machine_start(&m, &config);
    config.counters = 1;
    expect("PMCR.N", 6, get(&m, VPMU_PMCR) >> VPMU_PMCR_N_SHIFT & VPMU_PMCR_N_MASK);
}
END_TEST

/* The reset values of registers, with N = 31, HPMN = 31 and every feature. */
static const struct {
    const char *name;
    unsigned reg;
    uint64_t val;
} reset_rows[] = {
    {"PMCR: N", VPMU_PMCR, 0xf800},
    {"PMCNTENSET", VPMU_PMCNTENSET, 0},
    {"PMCNTENCLR", VPMU_PMCNTENCLR, 0},
    {"PMINTENSET", VPMU_PMINTENSET, 0},
    {"PMINTENCLR", VPMU_PMINTENCLR, 0},
    {"PMOVSSET", VPMU_PMOVSSET, 0},
    {"PMOVSCLR", VPMU_PMOVSCLR, 0},
    {"PMSELR", VPMU_PMSELR, 0},
    {"PMCCNTR", VPMU_PMCCNTR, 0},
    {"PMCCFILTR", VPMU_PMCCFILTR, 0},
    {"PMUSERENR", VPMU_PMUSERENR, 0},
    {"PMUACR", VPMU_PMUACR, 0},
    {"PMICNTR", VPMU_PMICNTR, 0},
    /* evtCount is INST_RETIRED and read-only (Arm ARM D24.5 PMICFILTR_EL0). */
    {"PMICFILTR", VPMU_PMICFILTR, 8},
    {"PMEVCNTR0", PMEVCNTR(0), 0},
    {"PMEVTYPER0", PMEVTYPER(0), 0},
    {"PMEVCNTR30", PMEVCNTR(30), 0},
    {"PMEVTYPER30", PMEVTYPER(30), 0},
    {"PMCEID0", VPMU_PMCEID0, 0xa507bffffff},
    {"PMCEID1", VPMU_PMCEID1, 0x77fefeae7f},
    {"PMMIR: SLOTS", VPMU_PMMIR, 6},
};

static void check_reset_values(struct machine *m, const char *when)
{
    for (size_t i = 0; i < COUNT_OF(reset_rows); i++) {
        expect_in(when, reset_rows[i].name, reset_rows[i].val,
                  reg_get(m, reset_rows[i].reg, &at_el3));
    }
}

START_TEST(reset)
{
    struct vpmu_arm_config config = config_full();
    struct machine m;

    machine_start(&m, &config);
    check_reset_values(&m, "at first");
    for (size_t i = 0; i < COUNT_OF(reset_rows); i++) {
        /* Refused where a register is read-only. */
        machine_reg_write(&m, reset_rows[i].reg, &at_el3, ALL_ONES);
    }
    reg_set(&m, VPMU_PMINTENSET, &at_el3, ALL_ONES);
    reg_set(&m, VPMU_PMOVSSET, &at_el3, ALL_ONES);
    reg_set(&m, VPMU_PMCNTENSET, &at_el3, ALL_ONES);
    reg_set(&m, VPMU_PMCR, &at_el3, VPMU_PMCR_E);
    set(&m, VPMU_PMCCFILTR, 0);
    expect_sources("both sources are counted", INST_SRC | CPU_SRC, vpmu_arm_armed(&m.v, NS_EL1));
    machine_instructions(&m, 5);
    machine_cycles(&m, 5);
    machine_reset(&m);
    check_reset_values(&m, "after a reset");
    expect("the line fell", 0, m.irq);
    expect("it was up", 2, m.irq_edges);
    expect_sources("nothing is armed", 0, vpmu_arm_armed(&m.v, NS_EL1));
    m.clock_reads = 0;
    machine_settle(&m);
    expect("nothing needs the time", 0, m.clock_reads);
    machine_instructions(&m, 5);
    machine_cycles(&m, 5);
    check_reset_values(&m, "later");
}
END_TEST

/* If nothing can be AArch32, PMCR.LC is 1 from the start and after each reset. */
START_TEST(reset_without_aarch32)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 0, VPMU_HAS_NO_AARCH32);
    expect("PMCR", 0x415a0000 | VPMU_PMCR_LC, get(&m, VPMU_PMCR));
    set(&m, VPMU_PMCR, VPMU_PMCR_E);
    machine_reset(&m);
    expect("PMCR after a reset", 0x415a0000 | VPMU_PMCR_LC, get(&m, VPMU_PMCR));
}
END_TEST

/* Controls and context belong to the PE, so a reset of the PMU does not change them. */
START_TEST(reset_leaves_the_pe)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 4, VPMU_HAS_EL2);
    machine_control(&m, 2 | VPMU_MDCR_EL2_HPME, 0);
    machine_enter(&m, NS_EL0);
    machine_reset(&m);
    expect("EL1 sees HPMN counters", 2,
           reg_get(&m, VPMU_PMCR, &at_el1) >> VPMU_PMCR_N_SHIFT & VPMU_PMCR_N_MASK);
    counter_start(&m, 3, VPMU_EVENT_INST_RETIRED | VPMU_TYPER_P, 0);
    machine_instructions(&m, 9);
    expect("counts at EL0, enabled by HPME", 9, get(&m, PMEVCNTR(3)));
}
END_TEST

/* HPMN is N from the start: EL1 has all counters. */
START_TEST(all_counters_at_first)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 6, VPMU_HAS_EL2);
    expect("PMCR.N at EL1", 6,
           reg_get(&m, VPMU_PMCR, &at_el1) >> VPMU_PMCR_N_SHIFT & VPMU_PMCR_N_MASK);
}
END_TEST

/*
 * Controls of zero. Without EL2, MDCR_EL2 is ignored, so this is their reset state. With EL2, HPMN
 * is what software wrote; with 0, EL2 has all counters. vpmu_arm_controls_reset() gives the reset
 * state in both cases.
 */
START_TEST(controls_of_zero)
{
    static const struct {
        const char *name;
        unsigned features;
        bool reset;
        uint64_t n;
        uint64_t counted;
    } rows[] = {
        {"no EL2, zero", 0, false, 6, 5},
        {"no EL2, reset", 0, true, 6, 5},
        {"EL3 alone, zero", VPMU_HAS_EL3, false, 6, 5},
        {"EL2, zero", VPMU_HAS_EL2, false, 0, 0},
        {"EL2, reset", VPMU_HAS_EL2, true, 6, 5},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_arm_controls controls = {0};
        struct machine m;

        machine_start_as(&m, VPMU_V3P5, 6, rows[i].features);
        if (rows[i].reset) {
            controls.halted = true;
            vpmu_arm_controls_reset(&controls, &m.v.config);
        }
        machine_set_controls(&m, &controls);
        counter_start(&m, 5, VPMU_EVENT_INST_RETIRED, 0);
        pmcr_enable(&m);
        machine_instructions(&m, 5);
        expect_in(rows[i].name, "counted", rows[i].counted, get(&m, PMEVCNTR(5)));
        expect_in(rows[i].name, "PMCR.N at EL1", rows[i].n,
                  reg_get(&m, VPMU_PMCR, rows[i].features & VPMU_HAS_EL2 ? &at_el1 : &at_el3) >>
                          VPMU_PMCR_N_SHIFT &
                      VPMU_PMCR_N_MASK);
    }
}
END_TEST

START_TEST(init_needs_totals)
{
    struct vpmu_arm_config config = config_of(VPMU_V3P5, 6, 0);
    struct machine m;
    const char *why = NULL;

    memset(&m, 0, sizeof(m));
    expect("no totals", VPMU_ERR_CONFIG, (uint64_t)-vpmu_arm_init(&m.v, &config, NULL, NULL, &why));
    ck_assert_ptr_nonnull(why);
    expect("no reason wanted", VPMU_ERR_CONFIG,
           (uint64_t)-vpmu_arm_init(&m.v, &config, NULL, NULL, NULL));
}
END_TEST

/*
 * What happens before a change of controls is counted under the old ones, what happens after it
 * under the new ones.
 */
START_TEST(controls_settle)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 1, VPMU_HAS_EL2);
    counter_start(&m, 0, VPMU_EVENT_INST_RETIRED, 0);
    counter_start(&m, VPMU_CYCLE_COUNTER, EVERYWHERE, 0);
    pmcr_enable(&m);
    machine_instructions(&m, 10);
    machine_cycles(&m, 100);
    m.controls.halted = true;
    machine_set_controls(&m, &m.controls);
    machine_instructions(&m, 1);
    machine_cycles(&m, 1);
    expect("instructions", 10, get(&m, PMEVCNTR(0)));
    expect("cycles", 100, get(&m, VPMU_PMCCNTR));
    m.controls.halted = false;
    machine_set_controls(&m, &m.controls);
    machine_instructions(&m, 4);
    machine_cycles(&m, 40);
    expect("instructions again", 14, get(&m, PMEVCNTR(0)));
    expect("cycles again", 140, get(&m, VPMU_PMCCNTR));
}
END_TEST

/*
 * A machine with different cores: each has what the other lacks, and a task that moves between them
 * is counted on each by that core's setting.
 */
START_TEST(unlike_cores)
{
    const uint64_t l1d_refill = 0x03;
    struct vpmu_arm_config big_config = config_full();
    struct vpmu_arm_config little_config = config_of(VPMU_V3, 2, 0);
    struct machine big, little;

    little_config.sources = INST_SRC | CPU_SRC;
    little_config.timed = CPU_SRC;
    machine_start(&big, &big_config);
    machine_start(&little, &little_config);
    expect("big PMCR.N", 31, get(&big, VPMU_PMCR) >> VPMU_PMCR_N_SHIFT & VPMU_PMCR_N_MASK);
    expect("little PMCR.N", 2,
           reg_get(&little, VPMU_PMCR, &at_el1) >> VPMU_PMCR_N_SHIFT & VPMU_PMCR_N_MASK);
    expect("big has L1D_CACHE_REFILL", 1, get(&big, VPMU_PMCEID0) >> l1d_refill & 1);
    expect("little has it", 0, reg_get(&little, VPMU_PMCEID0, &at_el1) >> l1d_refill & 1);
    expect("big PMMIR.SLOTS", 6, get(&big, VPMU_PMMIR));
    expect("little PMMIR", VPMU_ACCESS_UNDEFINED,
           vpmu_arm_reg_access(&little.v, VPMU_PMMIR, &at_el1, false));

    /* The task's event is on counter 7 here and on counter 0 there, where it is 32 bits wide. */
    counter_start(&big, 7, INST_EVERYWHERE, UINT32_MAX - 1);
    reg_set(&little, PMEVTYPER(0), &at_el1, VPMU_EVENT_INST_RETIRED);
    reg_set(&little, PMEVCNTR(0), &at_el1, UINT32_MAX - 1);
    reg_set(&little, VPMU_PMCNTENSET, &at_el1, BIT(0));
    set(&big, VPMU_PMCR, VPMU_PMCR_E | VPMU_PMCR_LP);
    reg_set(&little, VPMU_PMCR, &at_el1, VPMU_PMCR_E);
    reg_set(&big, VPMU_PMUSERENR, &at_el1, VPMU_USERENR_ER);
    machine_instructions(&big, 10);
    machine_instructions(&little, 4);
    machine_instructions(&big, 20);
    expect("big", UINT32_MAX + 29ull, reg_get(&big, PMEVCNTR(7), &at_el0));
    expect("little", 2, reg_get(&little, PMEVCNTR(0), &at_el1));
    expect("little overflow", BIT(0), reg_get(&little, VPMU_PMOVSSET, &at_el1));
    expect("big overflow", 0, get(&big, VPMU_PMOVSSET));
    expect("EL0 may read big's", VPMU_ACCESS_OK,
           vpmu_arm_reg_access(&big.v, PMEVCNTR(7), &at_el0, false));
    expect("EL0 may read little's", VPMU_ACCESS_TRAP_EL1,
           vpmu_arm_reg_access(&little.v, PMEVCNTR(0), &at_el0, false));
}
END_TEST

/* A change of HPMN or HPME can move the interrupt line. */
START_TEST(controls_move_the_line)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 4, VPMU_HAS_EL2);
    pmcr_enable(&m);
    set(&m, VPMU_PMINTENSET, BIT(3));
    set(&m, VPMU_PMOVSSET, BIT(3));
    expect("first range, E", 1, m.irq);
    machine_control(&m, 2, 0);
    expect("second range, HPME = 0", 0, m.irq);
    machine_control(&m, 2 | VPMU_MDCR_EL2_HPME, 0);
    expect("second range, HPME = 1", 1, m.irq);
}
END_TEST

Suite *pmu_suite(void)
{
    const TTest *const tests[] = {
        context_numbers,
        fits_in_a_page,
        init_refuses,
        init_of_any_memory,
        no_clock,
        config_is_copied,
        reset,
        reset_without_aarch32,
        reset_leaves_the_pe,
        all_counters_at_first,
        controls_settle,
        unlike_cores,
        controls_move_the_line,
        controls_of_zero,
        init_needs_totals,
        what_is_due,
        time_reported_late,
    };

    return suite_of("pmu", tests, COUNT_OF(tests));
}
