/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * A machine that is migrated while its PMU counts, from a QEMU whose PMU has cycles and software
 * increments only. Afterwards no register has changed, and counters continue. It prints READY and
 * is to be migrated then. The list of runs says how many seconds it runs on: seconds=. With slower=
 * there may be fewer cycles than nanoseconds, but their number never decreases.
 */
#include "registers/pmu.h"
#include "runtime/bootargs.h"
#include "runtime/console.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"

#define REGS 16

static void read_regs(uint64_t *regs)
{
    regs[0] = read_sysreg(pmcr_el0);
    regs[1] = read_sysreg(pmceid0_el0);
    regs[2] = read_sysreg(pmceid1_el0);
    regs[3] = read_sysreg(pmcntenset_el0);
    regs[4] = read_sysreg(pmintenset_el1);
    regs[5] = read_sysreg(pmovsset_el0);
    regs[6] = read_sysreg(pmuserenr_el0);
    regs[7] = read_sysreg(pmselr_el0);
    regs[8] = read_sysreg(pmccfiltr_el0);
    regs[9] = read_pmevtyper(0);
    regs[10] = read_pmevtyper(1);
    regs[11] = read_pmevtyper(2);
    regs[12] = read_pmevcntr(1) & 0xffffffff;
    regs[13] = read_pmevcntr(2) & 0xffffffff;
    regs[14] = pmu_version() >= PMUVER_V3P4 ? read_sysreg(PMMIR_EL1) : 0;
    regs[15] = read_sysreg(id_aa64dfr0_el1);
}

static void set_up(void)
{
    write_sysreg(pmccfiltr_el0, UINT64_C(0));
    pmu_count(0, EVENT_CPU_CYCLES);
    pmu_count(1, EVENT_SW_INCR);
    pmu_count(2, EVENT_SW_INCR | PMEVTYPER_P);
    write_pmevcntr(1, 0x12345678);
    write_pmevcntr(2, 0x87654321);
    write_sysreg(pmswinc_el0, BIT(1));
    write_sysreg(pmovsset_el0, BIT(2));
    write_sysreg(pmuserenr_el0, PMUSERENR_EN | PMUSERENR_SW);
    write_sysreg(pmintenset_el1, BIT(1));
    write_sysreg(pmcr_el0, PMCR_E | PMCR_LC);
    write_sysreg(pmccntr_el0, UINT64_C(0));
    write_sysreg(pmcntenset_el0, BIT(CYCLE_COUNTER));
    write_sysreg(pmselr_el0, UINT64_C(5));
    isb();
}

/* Nanoseconds; a cycle is one nanosecond. */
static uint64_t now(void)
{
    isb();
    return read_sysreg(cntvct_el0) * (UINT64_C(1000000000) / read_sysreg(cntfrq_el0));
}

static void expect_same_regs(const uint64_t *before, uint64_t index)
{
    uint64_t regs[REGS];

    read_regs(regs);
    for (unsigned i = 0; i < REGS; i++) {
        expect_eq("register", i * UINT64_C(1000000) + index, before[i], regs[i]);
    }
}

static void test_migrated(void)
{
    uint64_t before[REGS], seconds = 1, slower = 0, early, late, begin;
    uint64_t seen = 0, tick = UINT64_C(1000000000) / read_sysreg(cntfrq_el0);

    bootarg("seconds", &seconds);
    bootarg("slower", &slower);
    early = now();
    set_up();
    late = now();
    read_regs(before);
    expect_eq("increments", 1, 0x12345679, before[12]);
    console_puts("READY\n");
    begin = now();
    for (uint64_t i = 0; now() - begin < seconds * UINT64_C(1000000000); i++) {
        uint64_t low = now(), cycles = read_sysreg(pmccntr_el0), high = now();

        expect_range("cycles", i, slower ? seen : low - late - tick, high + tick - early, cycles);
        seen = cycles;
        if (i % 64 == 0) {
            expect_same_regs(before, i);
        }
    }
    write_sysreg(pmswinc_el0, BIT(1));
    isb();
    expect_eq("increments", 2, 0x1234567a, read_pmevcntr(1) & 0xffffffff);
}

const struct test test_table[] = {
    TEST("stock.migrated", test_migrated, .home = HOME_EL1, .counters = 3),
    {0},
};
