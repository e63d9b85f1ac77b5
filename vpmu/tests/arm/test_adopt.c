/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The registers of another implementation's PMU are accepted or refused. */
#include "vpmu/arm/adopt.h"

#include "fixture.h"
#include "vpmu/arm/state.h"

#define PMCR_OF(n) ((uint64_t)(n) << VPMU_PMCR_N_SHIFT | 0x41ull << 24 | 0x5aull << 16)
#define STOCK_P5_0 0x20001ull    /* SW_INCR, CPU_CYCLES */
#define STOCK_P5_1 0x10000018ull /* STALL_FRONTEND, STALL_BACKEND, STALL */

static const struct vpmu_register stock[] = {
    {VPMU_PMCR, PMCR_OF(4) | VPMU_PMCR_E | VPMU_PMCR_LC},
    {VPMU_PMCEID0, STOCK_P5_0},
    {VPMU_PMCEID1, STOCK_P5_1},
    {VPMU_PMCNTENSET, CYCLES | BIT(1)},
    {VPMU_PMINTENSET, BIT(1)},
    {VPMU_PMOVSCLR, BIT(2)},
    {VPMU_PMUSERENR, ALL_ONES},
    {VPMU_PMSELR, 3},
    {VPMU_PMCCNTR, 1000},
    {VPMU_PMCCFILTR, VPMU_TYPER_U},
    {PMEVCNTR(1), 77},
    {PMEVTYPER(1), VPMU_TYPER_P | VPMU_EVENT_CPU_CYCLES},
};

/* Counters continue from their values. A missing register has its reset value. */
START_TEST(taken_over)
{
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 4, VPMU_HAS_EL2);
    counter_start(&m, 3, INST_EVERYWHERE, 5);
    ck_assert_int_eq(machine_adopt(&m, stock, COUNT_OF(stock), NULL), 0);
    expect("PMEVCNTR3", 0, get(&m, PMEVCNTR(3)));
    expect("PMCNTENSET", CYCLES | BIT(1), get(&m, VPMU_PMCNTENSET));
    expect("PMINTENSET", BIT(1), get(&m, VPMU_PMINTENSET));
    expect("PMOVSSET", BIT(2), get(&m, VPMU_PMOVSSET));
    expect("PMUSERENR without reserved bits", 0xf, m.v.regs.userenr);
    expect("PMSELR", 3, get(&m, VPMU_PMSELR));
    expect("PMEVTYPER1", VPMU_TYPER_P | VPMU_EVENT_CPU_CYCLES, get(&m, PMEVTYPER(1)));
    machine_cycles(&m, 10);
    expect("PMCCNTR at EL1", 1010, get(&m, VPMU_PMCCNTR));
    expect("PMEVCNTR1 at EL1", 77, get(&m, PMEVCNTR(1)));
}
END_TEST

/* PMCEID stays the same through a reset and in a saved state. */
START_TEST(announced)
{
    struct machine m, other;
    uint8_t state[VPMU_STATE_SIZE];

    machine_start_as(&m, VPMU_V3P5, 4, VPMU_HAS_EL2);
    ck_assert_int_eq(machine_adopt(&m, stock, COUNT_OF(stock), NULL), 0);
    machine_reset(&m);
    expect("PMCEID0", STOCK_P5_0, get(&m, VPMU_PMCEID0));
    expect("PMCEID1", STOCK_P5_1, get(&m, VPMU_PMCEID1));
    ck_assert_int_eq(machine_state_save(&m, state, sizeof(state)), 0);
    machine_start_as(&other, VPMU_V3P5, 4, VPMU_HAS_EL2);
    ck_assert_int_eq(machine_state_load(&other, state, sizeof(state), NULL), 0);
    expect("PMCEID0", STOCK_P5_0, get(&other, VPMU_PMCEID0));
}
END_TEST

/* A PMU with more counters can take over one with fewer: what software has read stays true. */
START_TEST(fewer_counters)
{
    const struct vpmu_pe pe = {.el = 1};
    struct machine m, other;
    uint8_t state[VPMU_STATE_SIZE], larger[VPMU_STATE_SIZE];

    machine_start_as(&m, VPMU_V3P5, 8, VPMU_HAS_EL2);
    counter_start(&m, 7, INST_EVERYWHERE, 5);
    expect("too many", (uint64_t)-VPMU_ERR_CONFIG, (uint64_t)machine_set_counters(&m, 32));
    expect("nothing happened", 5, get(&m, PMEVCNTR(7)));
    expect("refused as it is", (uint64_t)-VPMU_ERR_STATE,
           (uint64_t)machine_adopt(&m, stock, COUNT_OF(stock), NULL));
    expect("4 of 8", 0, (uint64_t)machine_set_counters(&m, 4));
    expect("taken over", 0, (uint64_t)machine_adopt(&m, stock, COUNT_OF(stock), NULL));
    machine_reset(&m);
    expect("PMCR.N", 4, get(&m, VPMU_PMCR) >> VPMU_PMCR_N_SHIFT & 0x1f);
    expect("PMEVCNTR4", VPMU_ACCESS_UNDEFINED,
           (uint64_t)vpmu_arm_reg_access(&m.v, PMEVCNTR(4), &pe, false));
    expect_sources("armed", 0, vpmu_arm_armed(&m.v, vpmu_arm_ctx(1, VPMU_NONSECURE)));
    ck_assert_int_eq(machine_state_save(&m, state, sizeof(state)), 0);
    expect("saved", 4, (uint64_t)vpmu_arm_state_counters(state, sizeof(state)));
    machine_start_as(&other, VPMU_V3P5, 8, VPMU_HAS_EL2);
    ck_assert_int_eq(machine_state_save(&other, larger, sizeof(larger)), 0);
    expect("of a larger one", 8, (uint64_t)vpmu_arm_state_counters(larger, sizeof(larger)));
    expect("other", 0, (uint64_t)machine_set_counters(&other, 4));
    expect("loaded", 0, (uint64_t)machine_state_load(&other, state, sizeof(state), NULL));
    state[9] ^= 1;
    expect("damaged", (uint64_t)-VPMU_ERR_STATE,
           (uint64_t)vpmu_arm_state_counters(state, sizeof(state)));
    expect("truncated", (uint64_t)-VPMU_ERR_STATE, (uint64_t)vpmu_arm_state_counters(state, 8));
}
END_TEST

/* A stock QEMU has no slots, and software has read that. A reset does not change it. */
START_TEST(without_slots)
{
    struct vpmu_register regs[COUNT_OF(stock) + 1];
    struct vpmu_arm_config config;
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 4, VPMU_HAS_EL2);
    config = m.v.config;
    config.slots = 5;
    machine_start(&m, &config);
    expect("PMMIR", 5, get(&m, VPMU_PMMIR));
    memcpy(regs, stock, sizeof(stock));
    regs[COUNT_OF(stock)] = (struct vpmu_register){VPMU_PMMIR, 0};
    expect("taken over", 0, (uint64_t)machine_adopt(&m, regs, COUNT_OF(regs), NULL));
    expect("PMMIR taken over", 0, get(&m, VPMU_PMMIR));
    machine_reset(&m);
    expect("PMMIR after a reset", 0, get(&m, VPMU_PMMIR));
}
END_TEST

START_TEST(refused)
{
    static const struct {
        const char *name;
        struct vpmu_register reg;
    } rows[] = {
        {"counters", {VPMU_PMCR, PMCR_OF(6)}},
        {"implementer", {VPMU_PMCR, PMCR_OF(4) ^ 1ull << 24}},
        {"slots", {VPMU_PMMIR, 4}},
        {"no such counter", {PMEVCNTR(4), 1}},
        {"no such filter", {PMEVTYPER(4), 1}},
        {"no such register", {VPMU_REG_COUNT, 1}},
        {"an event that is not counted", {VPMU_PMCEID0, STOCK_P5_0 | BIT(0x1f)}},
        {"less than is demanded", {VPMU_PMCEID1, 0}},
    };
    struct machine m;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *why = NULL;

        machine_start_as(&m, VPMU_V3P5, 4, VPMU_HAS_EL2);
        counter_start(&m, 3, INST_EVERYWHERE, 5);
        expect_in(rows[i].name, "result", (uint64_t)-VPMU_ERR_STATE,
                  (uint64_t)machine_adopt(&m, &rows[i].reg, 1, &why));
        ck_assert_msg(why != NULL, "%s: no reason", rows[i].name);
        expect_in(rows[i].name, "PMEVCNTR3", 5, get(&m, PMEVCNTR(3)));
    }
}
END_TEST

Suite *adopt_suite(void)
{
    const TTest *const tests[] = {taken_over, announced, fewer_counters, without_slots, refused};

    return suite_of("adopt", tests, COUNT_OF(tests));
}
