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
        expect("vpmu_ctx()", rows[i].ctx, vpmu_ctx(rows[i].el, rows[i].security));
    }
    expect("contexts", 10, VPMU_CTX_COUNT);
}
END_TEST

START_TEST(fits_in_a_page)
{
    ck_assert_msg(sizeof(struct vpmu) <= 4096, "expected at most 4096 bytes got %zu",
                  sizeof(struct vpmu));
}
END_TEST

START_TEST(init_refuses)
{
    struct vpmu_config config = config_of(VPMU_V3, 32, 0);
    struct machine m;
    const char *why = NULL;

    memset(&m, 0, sizeof(m));
    expect("error", VPMU_ERR_CONFIG,
           (uint64_t)-vpmu_init(&m.v, &config, &m.totals, &machine_ops, &m, &why));
    ck_assert_msg(why != NULL, "expected a reason got none");
    expect("without a place for the reason", VPMU_ERR_CONFIG,
           (uint64_t)-vpmu_init(&m.v, &config, &m.totals, &machine_ops, &m, NULL));
    expect("the clock was not asked", 0, m.clock_calls);
}
END_TEST

/* The previous content of the memory has no effect. Only the clocks are read. */
START_TEST(init_of_any_memory)
{
    struct vpmu_config config = config_of(VPMU_V3P5, 6, 0);
    struct machine m;

    memset(&m, 0, sizeof(m));
    memset(&m.v, 0xa5, sizeof(m.v));
    expect("init", 0, (uint64_t)vpmu_init(&m.v, &config, &m.totals, &machine_ops, &m, NULL));
    expect("vpmu_ops.clock of each timed source", 2, m.clock_calls);
    expect("vpmu_ops.irq", 0, m.irq_edges);
    expect("vpmu_ops.rearm", 0, m.rearms);
    expect("line", 0, vpmu_irq_level(&m.v));
    expect("context", NS_EL1, m.v.count.ctx);
    expect("PMCNTENSET", 0, get(&m, VPMU_PMCNTENSET));
    expect("PMEVTYPER5", 0, get(&m, PMEVTYPER(5)));
    expect("PMCCNTR", 0, get(&m, VPMU_PMCCNTR));
}
END_TEST

/* The clock of a source that is not timed is never read. */
START_TEST(no_clock)
{
    struct vpmu_config config = config_of(VPMU_V3P5, 2, 0);
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
    vpmu_settle(&m.v);
    expect("CPU_CYCLES at EL0", 4, get(&m, PMEVCNTR(0)));
    expect("CNT_CYCLES", 3, get(&m, PMEVCNTR(1)));
    expect("PMCCNTR", 14, get(&m, VPMU_PMCCNTR));
    vpmu_reset(&m.v);
    expect("vpmu_ops.clock", 0, m.clock_calls);
}
END_TEST

/* The configuration is copied. */
START_TEST(config_is_copied)
{
    struct vpmu_config config = config_of(VPMU_V3P5, 6, 0);
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
    struct vpmu_config config = config_full();
    struct machine m;

    machine_start(&m, &config);
    check_reset_values(&m, "at first");
    for (size_t i = 0; i < COUNT_OF(reset_rows); i++) {
        /* Refused where a register is read-only. */
        vpmu_reg_write(&m.v, reset_rows[i].reg, &at_el3, ALL_ONES);
    }
    reg_set(&m, VPMU_PMINTENSET, &at_el3, ALL_ONES);
    reg_set(&m, VPMU_PMOVSSET, &at_el3, ALL_ONES);
    reg_set(&m, VPMU_PMCNTENSET, &at_el3, ALL_ONES);
    reg_set(&m, VPMU_PMCR, &at_el3, VPMU_PMCR_E);
    set(&m, VPMU_PMCCFILTR, 0);
    expect_sources("both sources are counted", INST_SRC | CPU_SRC, vpmu_armed(&m.v, NS_EL1));
    machine_instructions(&m, 5);
    machine_cycles(&m, 5);
    vpmu_reset(&m.v);
    check_reset_values(&m, "after a reset");
    expect("the line fell", 0, m.irq);
    expect("it was up", 2, m.irq_edges);
    expect_sources("nothing is armed", 0, vpmu_armed(&m.v, NS_EL1));
    m.clock_calls = 0;
    vpmu_settle(&m.v);
    expect("nothing needs the time", 0, m.clock_calls);
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
    vpmu_reset(&m.v);
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
    vpmu_reset(&m.v);
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
 * is what software wrote; with 0, EL2 has all counters. vpmu_controls_reset() gives the reset state
 * in both cases.
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
        struct vpmu_controls controls = {0};
        struct machine m;

        machine_start_as(&m, VPMU_V3P5, 6, rows[i].features);
        if (rows[i].reset) {
            controls.halted = true;
            vpmu_controls_reset(&controls, &m.v.config);
        }
        vpmu_set_controls(&m.v, &controls);
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

/* A machine without something that the library needs. */
START_TEST(init_needs_a_machine)
{
    struct vpmu_config config = config_of(VPMU_V3P5, 6, 0);
    struct vpmu_ops ops[3] = {machine_ops, machine_ops, machine_ops};
    struct machine m;
    const char *why = NULL;

    memset(&m, 0, sizeof(m));
    ops[0].clock = NULL;
    ops[1].irq = NULL;
    ops[2].rearm = NULL;
    for (unsigned i = 0; i < COUNT_OF(ops); i++) {
        why = NULL;
        expect("ops", VPMU_ERR_CONFIG,
               (uint64_t)-vpmu_init(&m.v, &config, &m.totals, &ops[i], &m, &why));
        ck_assert_ptr_nonnull(why);
    }
    expect("no ops", VPMU_ERR_CONFIG,
           (uint64_t)-vpmu_init(&m.v, &config, &m.totals, NULL, &m, NULL));
    expect("no totals", VPMU_ERR_CONFIG,
           (uint64_t)-vpmu_init(&m.v, &config, NULL, &machine_ops, &m, NULL));
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
    vpmu_set_controls(&m.v, &m.controls);
    machine_instructions(&m, 1);
    machine_cycles(&m, 1);
    expect("instructions", 10, get(&m, PMEVCNTR(0)));
    expect("cycles", 100, get(&m, VPMU_PMCCNTR));
    m.controls.halted = false;
    vpmu_set_controls(&m.v, &m.controls);
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
    struct vpmu_config big_config = config_full();
    struct vpmu_config little_config = config_of(VPMU_V3, 2, 0);
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
           vpmu_reg_access(&little.v, VPMU_PMMIR, &at_el1, false));

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
           vpmu_reg_access(&big.v, PMEVCNTR(7), &at_el0, false));
    expect("EL0 may read little's", VPMU_ACCESS_TRAP_EL1,
           vpmu_reg_access(&little.v, PMEVCNTR(0), &at_el0, false));
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
        init_needs_a_machine,
    };

    return suite_of("pmu", tests, COUNT_OF(tests));
}
