/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * PMU registers are restored as they were left: the host's, and those of guests that have some and
 * run in turns. Guests without counters cannot access any.
 */
#include "hypervisor/owner.h"
#include "hypervisor/tests.h"
#include "registers/pmu.h"
#include "runtime/pmu_setup.h"

#define ROUNDS 60u
#define RUNS 3u

static struct owner guests[GUESTS];
static struct owner host;

/* At the guest's EL1. Registers are checked in every run, and written anew in every second one. */
static void guest_registers(void *arg)
{
    struct owner *o = arg;

    o->end = PMCR_N(read_sysreg(pmcr_el0));
    owner_init(o);
    for (;;) {
        owner_write(o);
        guest_leave();
        owner_check(o);
        guest_leave();
        owner_check(o);
    }
}

static void expect_good(const char *who, const struct owner *o)
{
    expect_eq(o->bad ? o->bad : who, o->bad_index, o->expected, o->got);
}

static void expect_guest(unsigned guest)
{
    const struct owner *o = &guests[guest];

    expect_eq("PMCR.N", guest, world.guest[guest].pmu.counters, o->end);
    expect_eq("rounds", guest, ROUNDS * RUNS / GUESTS / 2, o->round);
    expect_good("guest", o);
}

static uint64_t read_mdcr(uint64_t arg)
{
    uint64_t *mdcr = (uint64_t *)arg;

    *mdcr = read_sysreg(mdcr_el2);
    return 0;
}

/* The overflow flags and interrupts that the host has left do not reach the guest. */
static void litter(uint64_t lent)
{
    write_sysreg(pmovsset_el0, lent);
    write_sysreg(pmintenset_el1, lent);
    isb();
}

static uint64_t lent_to(const struct vcpu *v)
{
    uint64_t counters = BIT(v->pmu.counters) - 1;

    return counters ? counters | BIT(CYCLE_COUNTER) : 0;
}

/* Nothing of the guest remains either; its overflow would interrupt the host. */
static void check_host(uint64_t lent, uint64_t mdcr_before)
{
    uint64_t mdcr, left;

    left = read_sysreg(pmcntenset_el0) | read_sysreg(pmintenset_el1) | read_sysreg(pmovsset_el0);
    owner_compare(&host, "left by the guest", 0, 0, left & lent);
    owner_check(&host);
    at_hyp(read_mdcr, (uintptr_t)&mdcr);
    owner_compare(&host, "MDCR_EL2", 0, mdcr_before, mdcr);
}

/*
 * At EL1 of an nVHE host everything is as before between two runs, too. PMSELR and PMUSERENR,
 * however, stay with a guest without counters until it is put.
 */
static void load_and_run(struct vcpu *v, uint64_t mdcr)
{
    uint64_t lent = lent_to(v);

    litter(lent);
    at_hyp(guest_load, (uintptr_t)v);
    host.access_lent = lent == 0;
    for (unsigned run = 0; run < RUNS; run++) {
        at_hyp(guest_run, (uintptr_t)v);
        if (!is_vhe()) {
            check_host(lent, mdcr);
        }
    }
    at_hyp(guest_put, (uintptr_t)v);
    host.access_lent = false;
    check_host(lent, mdcr);
}

/* In the host's kernel. */
static uint64_t run_rounds(uint64_t arg)
{
    uint64_t mdcr;

    (void)arg;
    at_hyp(read_mdcr, (uintptr_t)&mdcr);
    owner_init(&host);
    for (unsigned round = 0; round < ROUNDS; round++) {
        owner_write(&host);
        load_and_run(&world.guest[round % GUESTS], mdcr);
    }
    return 0;
}

static void lend(unsigned guest, unsigned counters, bool cycles)
{
    struct vcpu *v = &world.guest[guest];

    v->pmu.counters = (uint8_t)counters;
    v->pmu.cycles = cycles;
    guests[guest] = (struct owner){.cycles = cycles, .seed = guest + 1};
    guest_start(v, guest_registers, &guests[guest]);
}

/* @host_has: event counters that the host keeps. */
static void check_own(enum vpmu_host_mode mode, unsigned host_has)
{
    unsigned most = pmu_counters() - host_has;

    world_start(mode);
    lend(0, most, true);
    lend(1, most - 1, false);
    host = (struct owner){.first = most, .end = pmu_counters()};
    host_call(run_rounds, 0);
    for (unsigned guest = 0; guest < GUESTS; guest++) {
        expect_guest(guest);
    }
    expect_good("host", &host);
    expect_eq("errors", 0, 0, world.errors);
}

/* What a guest without counters tries. Each access exits to EL2, from EL1 or from EL0. */
static void check_trapped(enum vpmu_host_mode mode)
{
    world_start(mode);
    for (unsigned guest = 0; guest < GUESTS; guest++) {
        guest_start(&world.guest[guest], guest_touch, NULL);
        world.guest[guest].exit = &guest_exits[EXIT_SYSREG];
    }
    host = (struct owner){
        .end = pmu_counters(), .cycles = true, .user_runs = true, .any_selection = true};
    host_call(run_rounds, 0);
    for (unsigned guest = 0; guest < GUESTS; guest++) {
        expect_eq("went to EL0", guest, 0, world.guest[guest].pstate & 0xf);
    }
    expect_good("host", &host);
    expect_eq("errors", 0, 0, world.errors);
}

DEFINE_TESTS(test_registers, check_own, pmu_counters() - 2)
DEFINE_TESTS(test_registers_most, check_own, 1)
DEFINE_TESTS(test_trapped, check_trapped)
