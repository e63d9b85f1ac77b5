/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Counters that a guest owns: they are switched with it, and neither side changes the other's. */
#include <stdio.h>
#include <string.h>

#include "fake_pe.h"
#include "vpmu/arm/switch.h"

#define COUNTERS 6
#define PREVIOUS_MDCR (VPMU_MDCR_EL2_TPM | BIT(9))

static const enum vpmu_host_mode modes[] = {VPMU_HOST_VHE, VPMU_HOST_NVHE};

static struct vpmu_switch sw;

static void ok(const char *what, int err)
{
    expect(what, 0, (uint64_t)-err);
}

/* A host that counts everything in counter 5 and has other registers set as well. */
static void start(enum vpmu_host_mode mode)
{
    pe_start(COUNTERS);
    ok("init", vpmu_arm_switch_init(&sw, mode, COUNTERS, NULL));
    machine_control(&pe, PREVIOUS_MDCR | COUNTERS, 0);
    set(&pe, VPMU_PMCR, VPMU_PMCR_E | VPMU_PMCR_D);
    set(&pe, VPMU_PMSELR, 5);
    set(&pe, VPMU_PMUSERENR, 2);
    set(&pe, PMEVTYPER(5), INST_EVERYWHERE);
    set(&pe, PMEVCNTR(5), 1000);
    set(&pe, VPMU_PMCNTENSET, BIT(5));
    set(&pe, VPMU_PMINTENSET, BIT(4) | BIT(5));
    set(&pe, VPMU_PMOVSSET, BIT(3));
    pe_log();
}

static struct vpmu_guest guest_of(unsigned counters, bool cycles)
{
    return (struct vpmu_guest){.counters = (uint8_t)counters, .cycles = cycles};
}

static void run_in(struct vpmu_guest *g)
{
    ok("load", vpmu_arm_guest_load(&sw, g));
    ok("enter", vpmu_arm_guest_enter(&sw));
}

static void back_out(void)
{
    ok("exit", vpmu_arm_guest_exit(&sw));
    ok("put", vpmu_arm_guest_put(&sw));
}

START_TEST(load_refused)
{
    static const struct {
        const char *name;
        unsigned counters;
        bool cycles;
        uint64_t host;
        uint64_t guest;
        uint64_t enabled;
    } rows[] = {
        {"more than there are", COUNTERS + 1, true, 0, 0, 0},
        {"far more", 255, false, 0, 0, 0},
        {"cycles alone", 0, true, 0, 0, 0},
        {"one is the host's", 3, true, BIT(2), 0, 0},
        {"one counts guests for the host", 3, true, 0, BIT(0), 0},
        {"the host counts its cycles", 1, true, CYCLES, 0, 0},
        {"the host counts guests' cycles", 1, true, 0, CYCLES, 0},
        {"the host's cycles would obey the guest's PMCR", 1, false, CYCLES, 0, 0},
        {"the host has one enabled", 3, false, 0, 0, BIT(1)},
        {"the host has cycles enabled", 3, true, 0, 0, CYCLES},
        {"the host has cycles enabled, not lent", 3, false, 0, 0, CYCLES},
    };

    for (size_t i = 0; i < 2 * COUNT_OF(rows); i++) {
        size_t row = i / 2;
        struct vpmu_guest g = guest_of(rows[row].counters, rows[row].cycles);
        struct pe_registers was;

        start(modes[i % 2]);
        set(&pe, VPMU_PMCNTENSET, rows[row].enabled);
        ok("set", vpmu_arm_switch_set(&sw, rows[row].host, rows[row].guest, NULL));
        was = pe_registers();
        expect_in(rows[row].name, "error", VPMU_ERR_SWITCH,
                  (uint64_t)-vpmu_arm_guest_load(&sw, &g));
        expect_in(rows[row].name, "state", VPMU_SWITCH_OUT, vpmu_arm_switch_state(&sw));
        ck_assert_ptr_null(sw.loaded);
        pe_expect_same(rows[row].name, &was, 0);
        pe_expect_log(rows[row].name, NULL, 0);
    }
}
END_TEST

START_TEST(load_refused_nobody)
{
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        start(modes[i]);
        expect("error", VPMU_ERR_SWITCH, (uint64_t)-vpmu_arm_guest_load(&sw, NULL));
        expect("state", VPMU_SWITCH_OUT, vpmu_arm_switch_state(&sw));
        pe_expect_log("load", NULL, 0);
    }
}
END_TEST

/* Masks and enables that do not overlap the lent counters are accepted. */
START_TEST(load_allowed)
{
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        struct vpmu_guest some = guest_of(3, true);
        struct vpmu_guest all = guest_of(COUNTERS, true);
        struct vpmu_guest none = guest_of(0, false);

        start(modes[i]);
        ok("set", vpmu_arm_switch_set(&sw, BIT(5) | BIT(3), BIT(4), NULL));
        run_in(&some);
        expect("HPMN", 3, pe.controls.mdcr_el2 & VPMU_MDCR_EL2_HPMN);
        back_out();
        ok("set", vpmu_arm_switch_set(&sw, CYCLES, BIT(0), NULL));
        run_in(&none);
        expect("HPMN", COUNTERS, pe.controls.mdcr_el2 & VPMU_MDCR_EL2_HPMN);
        back_out();
        ok("set", vpmu_arm_switch_set(&sw, 0, 0, NULL));
        set(&pe, VPMU_PMCNTENCLR, ALL_ONES);
        run_in(&all);
        expect("HPMN", COUNTERS, pe.controls.mdcr_el2 & VPMU_MDCR_EL2_HPMN);
        back_out();
    }
}
END_TEST

/*
 * A guest with its own register values, whose saved state also has bits of counters that it does
 * not own.
 */
static struct vpmu_guest own_guest(void)
{
    return (struct vpmu_guest){
        .counters = 2,
        .cycles = true,
        .pmcr = ALL_ONES,
        .cnten = ALL_ONES,
        .inten = ALL_ONES & ~BIT(0),
        .ovs = ALL_ONES & ~BIT(1),
        .selr = 1,
        .userenr = 9,
        .value = {[0] = 100, [1] = 101, [2] = 102, [31] = 131},
        .type = {[0] = 0x08, [1] = 0x11, [2] = 0x09, [31] = VPMU_TYPER_P},
    };
}

#define OWN (BIT(0) | BIT(1) | CYCLES)
#define PMCR_SAVED                                                                                 \
    (VPMU_PMCR_E | VPMU_PMCR_D | VPMU_PMCR_X | VPMU_PMCR_DP | VPMU_PMCR_LC | VPMU_PMCR_LP |        \
     VPMU_PMCR_FZO | VPMU_PMCR_FZS)
#define LENT_MDCR (PREVIOUS_MDCR | VPMU_MDCR_EL2_HPMD | VPMU_MDCR_EL2_HCCD | VPMU_MDCR_EL2_HPME | 2)

#define HOST_PMCR (VPMU_PMCR_E | VPMU_PMCR_D)

#define WRITES_OF_VALUES                                                                           \
    {VPMU_PMINTENCLR, OWN}, {VPMU_PMOVSCLR, OWN}, {PMEVTYPER(0), 0x08}, {PMEVCNTR(0), 100},        \
        {PMEVTYPER(1), 0x11}, {PMEVCNTR(1), 101}, {VPMU_PMCCFILTR, VPMU_TYPER_P},                  \
    {                                                                                              \
        VPMU_PMCCNTR, 131                                                                          \
    }

/* What the switch of an nVHE host writes, with one host counter and one guest counter. */
START_TEST(nvhe_order)
{
    static const struct pe_write at_load[] = {WRITES_OF_VALUES};
    static const struct pe_write at_enter[] = {
        {PE_MDCR_EL2, LENT_MDCR},
        {PE_ISB, 0},
        {VPMU_PMCR, PMCR_SAVED},
        {VPMU_PMSELR, 1},
        {VPMU_PMUSERENR, 9},
        {VPMU_PMOVSSET, OWN & ~BIT(1)},
        {VPMU_PMINTENSET, OWN & ~BIT(0)},
        {VPMU_PMCNTENSET, OWN},
        {VPMU_PMCNTENSET, BIT(4)},
        {VPMU_PMCNTENCLR, BIT(5)},
    };
    static const struct pe_write at_exit[] = {
        {VPMU_PMCNTENSET, BIT(5)},
        {VPMU_PMCNTENCLR, BIT(4)},
        {VPMU_PMCNTENCLR, OWN},
        {VPMU_PMINTENCLR, OWN},
        {VPMU_PMOVSCLR, OWN},
        {VPMU_PMCR, HOST_PMCR},
        {PE_ISB, 0},
        {PE_MDCR_EL2, PREVIOUS_MDCR | COUNTERS},
        {VPMU_PMSELR, 5},
        {VPMU_PMUSERENR, 2},
    };
    struct vpmu_guest g = own_guest();

    start(VPMU_HOST_NVHE);
    ok("set", vpmu_arm_switch_set(&sw, BIT(5), BIT(4), NULL));
    ok("load", vpmu_arm_guest_load(&sw, &g));
    pe_expect_log("load", at_load, COUNT_OF(at_load));
    for (unsigned i = 0; i < 2; i++) {
        pe_log();
        ok("enter", vpmu_arm_guest_enter(&sw));
        pe_expect_log("enter", at_enter, COUNT_OF(at_enter));
        pe_log();
        ok("exit", vpmu_arm_guest_exit(&sw));
        pe_expect_log("exit", at_exit, COUNT_OF(at_exit));
        g.pmcr = ALL_ONES;
    }
    pe_log();
    ok("put", vpmu_arm_guest_put(&sw));
    pe_expect_log("put", NULL, 0);
}
END_TEST

/*
 * HPMD takes effect before the guest's own counters are enabled, and stays in effect until they are
 * disabled.
 */
START_TEST(vhe_order)
{
    static const struct pe_write at_load[] = {
        WRITES_OF_VALUES,
        {PE_MDCR_EL2, LENT_MDCR},
        {PE_ISB, 0},
        {VPMU_PMCR, PMCR_SAVED},
        {VPMU_PMSELR, 1},
        {VPMU_PMUSERENR, 9},
        {VPMU_PMOVSSET, OWN & ~BIT(1)},
        {VPMU_PMINTENSET, OWN & ~BIT(0)},
        {VPMU_PMCNTENSET, OWN},
        {PMEVTYPER(5), INST_EVERYWHERE | VPMU_TYPER_U},
    };
    static const struct pe_write at_put[] = {
        {PMEVTYPER(5), INST_EVERYWHERE},
        {VPMU_PMCNTENCLR, OWN},
        {VPMU_PMINTENCLR, OWN},
        {VPMU_PMOVSCLR, OWN},
        {VPMU_PMCR, HOST_PMCR},
        {PE_ISB, 0},
        {PE_MDCR_EL2, PREVIOUS_MDCR | COUNTERS},
        {VPMU_PMSELR, 5},
        {VPMU_PMUSERENR, 2},
    };
    struct vpmu_guest g = own_guest();

    start(VPMU_HOST_VHE);
    ok("set", vpmu_arm_switch_set(&sw, BIT(5), 0, NULL));
    ok("load", vpmu_arm_guest_load(&sw, &g));
    pe_expect_log("load", at_load, COUNT_OF(at_load));
    pe_log();
    ok("enter", vpmu_arm_guest_enter(&sw));
    ok("exit", vpmu_arm_guest_exit(&sw));
    pe_expect_log("enter and exit", NULL, 0);
    ok("put", vpmu_arm_guest_put(&sw));
    pe_expect_log("put", at_put, COUNT_OF(at_put));
}
END_TEST

/* Afterwards, the guest's struct contains exactly the guest's state. */
START_TEST(saved)
{
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        struct vpmu_guest g = own_guest();

        start(modes[i]);
        run_in(&g);
        back_out();
        expect("pmcr", PMCR_SAVED & ~VPMU_PMCR_X, g.pmcr); /* this PE has no PMCR.X */
        expect("cnten", OWN, g.cnten);
        expect("inten", OWN & ~BIT(0), g.inten);
        expect("ovs", OWN & ~BIT(1), g.ovs);
        expect("selr", 1, g.selr);
        expect("userenr", 9, g.userenr);
        for (unsigned n = 0; n < 32; n++) {
            expect("value", own_guest().value[n], g.value[n]);
            expect("type", own_guest().type[n], g.type[n]);
        }
    }
}
END_TEST

/* What a guest can access at EL1. */
struct view {
    uint64_t reg[VPMU_REG_COUNT];
};

static bool is_own(const struct vpmu_guest *g, unsigned reg)
{
    static const uint8_t shared[] = {VPMU_PMCR,     VPMU_PMCNTENSET, VPMU_PMINTENSET,
                                     VPMU_PMOVSSET, VPMU_PMSELR,     VPMU_PMUSERENR};

    if (reg == VPMU_PMCCNTR || reg == VPMU_PMCCFILTR) {
        return g->cycles;
    }
    if (reg >= VPMU_PMEVCNTR0) {
        return (reg - VPMU_PMEVCNTR0) % VPMU_MAX_EVENT_COUNTERS < g->counters;
    }
    return memchr(shared, (int)reg, sizeof(shared)) != NULL;
}

static struct view view_of(const struct vpmu_guest *g)
{
    struct view view;

    for (unsigned reg = 0; reg < VPMU_REG_COUNT; reg++) {
        view.reg[reg] = is_own(g, reg) ? reg_get(&pe, reg, &at_el1) : 0;
    }
    return view;
}

static void expect_view(const char *what, const struct view *want, const struct vpmu_guest *g)
{
    struct view now = view_of(g);

    for (unsigned reg = 0; reg < VPMU_REG_COUNT; reg++) {
        char name[16];

        snprintf(name, sizeof(name), "register %u", reg);
        expect_in(what, name, want->reg[reg], now.reg[reg]);
    }
}

/* A guest gives all its registers other values. */
static void guest_writes(const struct vpmu_guest *g, uint64_t seed)
{
    uint64_t counters = (BIT(g->counters) - 1) | (g->cycles ? CYCLES : 0);

    reg_set(&pe, VPMU_PMCR, &at_el1, seed & 1 ? VPMU_PMCR_E | VPMU_PMCR_LC : VPMU_PMCR_DP);
    for (unsigned n = 0; n < g->counters; n++) {
        reg_set(&pe, PMEVCNTR(n), &at_el1, 1000 * seed + n);
        reg_set(&pe, PMEVTYPER(n), &at_el1, INST_EVERYWHERE | (seed + n) << 8);
    }
    if (g->cycles) {
        reg_set(&pe, VPMU_PMCCNTR, &at_el1, 1000 * seed + 31);
        reg_set(&pe, VPMU_PMCCFILTR, &at_el1, seed % 2 ? VPMU_TYPER_U : VPMU_TYPER_P);
    }
    reg_set(&pe, VPMU_PMCNTENCLR, &at_el1, counters);
    reg_set(&pe, VPMU_PMCNTENSET, &at_el1, counters & (seed | CYCLES));
    reg_set(&pe, VPMU_PMINTENCLR, &at_el1, counters);
    reg_set(&pe, VPMU_PMINTENSET, &at_el1, counters & ~seed);
    reg_set(&pe, VPMU_PMOVSCLR, &at_el1, counters);
    reg_set(&pe, VPMU_PMOVSSET, &at_el1, counters & (seed >> 1 | CYCLES));
    reg_set(&pe, VPMU_PMSELR, &at_el1, seed % 4);
    reg_set(&pe, VPMU_PMUSERENR, &at_el1, seed % 16);
}

/* Runs a guest once: it finds its previous values at two entries, and then sets new ones. */
static void guest_turn(struct vpmu_guest *g, struct view *left, uint64_t seed)
{
    struct pe_registers host = pe_registers();
    uint64_t lent = g->counters ? (BIT(g->counters) - 1) | CYCLES : 0;

    ok("load", vpmu_arm_guest_load(&sw, g));
    if (sw.mode == VPMU_HOST_NVHE && lent) {
        pe_expect_same("host with a guest loaded", &host, lent);
    }
    for (unsigned i = 0; i < 2; i++) {
        ok("enter", vpmu_arm_guest_enter(&sw));
        if (g->counters) {
            expect("PMCR.N", g->counters, reg_get(&pe, VPMU_PMCR, &at_el1) >> 11 & 0x1f);
            expect_view("guest", left, g);
            guest_writes(g, seed + i);
        }
        *left = view_of(g);
        ok("exit", vpmu_arm_guest_exit(&sw));
        if (sw.mode == VPMU_HOST_NVHE && lent) {
            pe_expect_same("host between entries", &host, lent);
        }
    }
    ok("put", vpmu_arm_guest_put(&sw));
    pe_expect_same("host", &host, lent);
}

/* Two guests with counters of their own and one without run alternately on one CPU. */
START_TEST(guests_alternate)
{
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        struct vpmu_guest guests[] = {guest_of(3, true), guest_of(2, false), guest_of(0, false)};
        struct view left[COUNT_OF(guests)] = {0};

        start(modes[i]);
        /* All registers are zero after reset, PMCR_EL0.N apart. */
        for (size_t g = 0; g < COUNT_OF(guests); g++) {
            left[g].reg[VPMU_PMCR] = (uint64_t)guests[g].counters << VPMU_PMCR_N_SHIFT;
        }
        for (uint64_t turn = 0; turn < 12; turn++) {
            guest_turn(&guests[turn % 3], &left[turn % 3], 5 * turn + 1);
        }
    }
}
END_TEST

/* Instructions and cycles for each place, chosen so that a sum shows which places were counted. */
enum {
    HOST_BEFORE = 1,
    HOST_LOADED = 10,
    HV_IN = 100,
    GUEST_KERNEL = 1000,
    GUEST_USER = 10000,
    HV_OUT = 100000,
    HOST_AFTER = 1000000,
    ALL = 1111111,
    IN_GUEST = GUEST_KERNEL + GUEST_USER,
};

/*
 * HV_IN and HV_OUT are the blackout: what EL2 executes between enter and the guest, and between the
 * guest and exit.
 */
static void run_all(enum vpmu_host_mode mode, struct vpmu_guest *g)
{
    unsigned kernel = mode == VPMU_HOST_VHE ? NS_EL2 : NS_EL1;

    pe_run(kernel, HOST_BEFORE);
    ok("load", vpmu_arm_guest_load(&sw, g));
    pe_run(kernel, HOST_LOADED);
    ok("enter", vpmu_arm_guest_enter(&sw));
    pe_run(NS_EL2, HV_IN);
    pe_run(NS_EL1, GUEST_KERNEL);
    pe_run(NS_EL0, GUEST_USER);
    pe_run(NS_EL2, HV_OUT);
    ok("exit", vpmu_arm_guest_exit(&sw));
    pe_run(kernel, HOST_AFTER);
    ok("put", vpmu_arm_guest_put(&sw));
}

/*
 * Counter 3 counts only the host, 4 only the guest, 5 both, all at every level that perf can count.
 */
static void start_host_events(enum vpmu_host_mode mode)
{
    static const struct vpmu_attr host_only = {.exclude_guest = true};
    static const struct vpmu_attr guest_only = {.exclude_host = true};
    struct vpmu_plan plan;

    ok("plan", vpmu_arm_attr_plan(mode, &host_only, &plan, NULL));
    set(&pe, PMEVTYPER(3), plan.filter | VPMU_EVENT_INST_RETIRED);
    ok("plan", vpmu_arm_attr_plan(mode, &guest_only, &plan, NULL));
    set(&pe, PMEVTYPER(4), plan.filter | VPMU_EVENT_INST_RETIRED);
    set(&pe, PMEVCNTR(5), 0);
    set(&pe, VPMU_PMCNTENSET, BIT(3) | (plan.deferred ? 0 : BIT(4)));
    ok("set", vpmu_arm_switch_set(&sw, BIT(3), BIT(4), NULL));
}

/*
 * The guest's own counters count only the guest, even if they include EL2, and nothing if its
 * PMCR.E is 0. The host's counters count regardless of the guest's PMCR.E.
 */
START_TEST(neither_counts_for_the_other)
{
    for (unsigned i = 0; i < 4; i++) {
        enum vpmu_host_mode mode = modes[i % 2];
        bool on = i & 2;
        struct vpmu_guest g = guest_of(2, true);

        g.pmcr = on ? VPMU_PMCR_E : 0;
        g.cnten = OWN;
        g.type[0] = INST_EVERYWHERE;
        g.type[1] = INST_EVERYWHERE;
        g.type[31] = EVERYWHERE;
        start(mode);
        start_host_events(mode);
        run_all(mode, &g);
        expect("own 0", on ? IN_GUEST : 0, g.value[0]);
        expect("own 1", on ? IN_GUEST : 0, g.value[1]);
        expect("own cycles", on ? IN_GUEST : 0, g.value[31]);
        expect("host",
               mode == VPMU_HOST_VHE ? ALL - IN_GUEST : HOST_BEFORE + HOST_LOADED + HOST_AFTER,
               get(&pe, PMEVCNTR(3)));
        expect("guest", IN_GUEST, get(&pe, PMEVCNTR(4)));
        expect("both", ALL, get(&pe, PMEVCNTR(5)));
    }
}
END_TEST

/* If the host's PMU is off, it stays off after a guest ran. */
START_TEST(host_stays_off)
{
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        struct vpmu_guest g = guest_of(2, true);

        g.pmcr = VPMU_PMCR_E;
        start(modes[i]);
        set(&pe, PMEVCNTR(5), 0);
        set(&pe, VPMU_PMCR, 0);
        run_all(modes[i], &g);
        expect("host's counter", 0, get(&pe, PMEVCNTR(5)));
        expect("host's PMCR.E", 0, get(&pe, VPMU_PMCR) & VPMU_PMCR_E);
    }
}
END_TEST

/*
 * While counters are lent, MDCR_EL2 has the settings for the host's counters that PMCR_EL0 has
 * otherwise.
 */
START_TEST(second_range)
{
    static const struct {
        const char *name;
        uint64_t pmcr;
        uint64_t mdcr;
    } rows[] = {
        {"none", 0, 0},
        {"E", VPMU_PMCR_E, VPMU_MDCR_EL2_HPME},
        {"LP", VPMU_PMCR_LP, VPMU_MDCR_EL2_HLP},
        {"FZO", VPMU_PMCR_FZO, VPMU_MDCR_EL2_HPMFZO},
        {"FZS", VPMU_PMCR_FZS, VPMU_MDCR_EL2_HPMFZS},
        {"D, DP and LC are of the cycle counter", VPMU_PMCR_D | VPMU_PMCR_DP | VPMU_PMCR_LC, 0},
    };
    /* These fields belong to the switch, so their previous values have no effect. */
    static const uint64_t left_over = VPMU_SWITCH_MDCR_EL2 & ~VPMU_MDCR_EL2_HPMN;

    for (size_t i = 0; i < 4 * COUNT_OF(rows); i++) {
        size_t row = i / 4;
        bool cycles = i & 2;
        struct vpmu_guest g = guest_of(3, cycles);
        uint64_t hccd = cycles ? VPMU_MDCR_EL2_HCCD : 0;
        struct pe_registers was;

        start(modes[i % 2]);
        machine_control(&pe, PREVIOUS_MDCR | left_over | COUNTERS, 0);
        set(&pe, VPMU_PMCR, rows[row].pmcr | VPMU_PMCR_E);
        set(&pe, VPMU_PMCR, rows[row].pmcr);
        was = pe_registers();
        ok("load", vpmu_arm_guest_load(&sw, &g));
        ok("enter", vpmu_arm_guest_enter(&sw));
        expect_in(rows[row].name, "MDCR_EL2",
                  PREVIOUS_MDCR | VPMU_MDCR_EL2_HPMD | hccd | rows[row].mdcr | 3,
                  pe.controls.mdcr_el2);
        back_out();
        expect_in(rows[row].name, "MDCR_EL2 after", was.mdcr, pe.controls.mdcr_el2);
    }
}
END_TEST

/* The hypervisor changes its own fields of MDCR_EL2 while the guest has the CPU. */
START_TEST(mdcr_of_the_hypervisor)
{
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        struct vpmu_guest g = guest_of(2, true);

        start(modes[i]);
        run_in(&g);
        machine_control(&pe, (pe.controls.mdcr_el2 & ~VPMU_MDCR_EL2_TPM) | VPMU_MDCR_EL2_TPMCR, 0);
        back_out();
        expect("MDCR_EL2", (PREVIOUS_MDCR & ~VPMU_MDCR_EL2_TPM) | VPMU_MDCR_EL2_TPMCR | COUNTERS,
               pe.controls.mdcr_el2);
    }
}
END_TEST

/* A VHE host stops and starts its counters by HPME while the guest is loaded. */
START_TEST(hpme_is_the_hosts)
{
    for (unsigned last = 0; last < 2; last++) {
        struct vpmu_guest g = guest_of(2, true);

        start(VPMU_HOST_VHE);
        set(&pe, VPMU_PMCR, VPMU_PMCR_E * (1 - last));
        ok("load", vpmu_arm_guest_load(&sw, &g));
        machine_control(&pe, pe.controls.mdcr_el2 ^ VPMU_MDCR_EL2_HPME, 0);
        ok("put", vpmu_arm_guest_put(&sw));
        expect("PMCR.E", last, get(&pe, VPMU_PMCR) & VPMU_PMCR_E);
    }
}
END_TEST

/*
 * If nothing is lent, MDCR_EL2 and PMCR_EL0 are not changed, and the guest's values of them are
 * ignored.
 */
START_TEST(nothing_lent)
{
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        static const struct pe_write want[] = {{VPMU_PMSELR, 0}, {VPMU_PMUSERENR, 0xf}};
        struct vpmu_guest g = own_guest();
        struct vpmu_guest was;

        g.counters = 0;
        g.cycles = false;
        memcpy(&was, &g, sizeof(g));
        start(modes[i]);
        run_in(&g);
        pe_expect_log("load and enter", want, COUNT_OF(want));
        back_out();
        ck_assert_mem_eq(&was, &g, sizeof(g));
    }
}
END_TEST

/* Flags and interrupt enables that the host left set on lent counters. */
START_TEST(left_by_the_host)
{
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        struct vpmu_guest g = guest_of(2, true);

        start(modes[i]);
        set(&pe, VPMU_PMOVSSET, OWN);
        set(&pe, VPMU_PMINTENSET, OWN);
        run_in(&g);
        expect("flags", BIT(3), get(&pe, VPMU_PMOVSSET));
        expect("interrupts", BIT(4) | BIT(5), get(&pe, VPMU_PMINTENSET));
        back_out();
        expect("guest's flags", 0, g.ovs);
        expect("guest's interrupts", 0, g.inten);
    }
}
END_TEST

/*
 * A counter of the guest overflows. The interrupt line is high while the guest runs, but not after
 * an exit of an nVHE host, which could otherwise clear the flag.
 */
START_TEST(overflow)
{
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        struct vpmu_guest g = guest_of(2, true);

        g.pmcr = VPMU_PMCR_E | VPMU_PMCR_LP;
        g.cnten = BIT(0);
        g.inten = BIT(0);
        g.type[0] = INST_EVERYWHERE;
        g.value[0] = ALL_ONES - 9;
        start(modes[i]);
        run_in(&g);
        pe_run(NS_EL1, 10);
        expect("line", true, pe.irq);
        ok("exit", vpmu_arm_guest_exit(&sw));
        expect("line at exit", modes[i] == VPMU_HOST_VHE, pe.irq);
        if (modes[i] == VPMU_HOST_NVHE) {
            expect("owed", BIT(0), g.ovs & g.inten);
            set(&pe, VPMU_PMOVSCLR, ALL_ONES);
        }
        ok("enter", vpmu_arm_guest_enter(&sw));
        expect("line again", true, pe.irq);
        back_out();
        expect("line after put", false, pe.irq);
        expect("flag", BIT(0), g.ovs);
    }
}
END_TEST

/* A guest with all 31 event counters. */
START_TEST(all_counters)
{
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        struct vpmu_guest g = guest_of(VPMU_MAX_EVENT_COUNTERS, true);

        for (unsigned n = 0; n < 32; n++) {
            g.value[n] = 100 + n;
            g.type[n] = n == 31 ? VPMU_TYPER_U : n;
        }
        pe_start(VPMU_MAX_EVENT_COUNTERS);
        ok("init", vpmu_arm_switch_init(&sw, modes[i], VPMU_MAX_EVENT_COUNTERS, NULL));
        run_in(&g);
        for (unsigned n = 0; n < VPMU_MAX_EVENT_COUNTERS; n++) {
            expect("type", n, get(&pe, PMEVTYPER(n)));
            set(&pe, PMEVCNTR(n), 200 + n);
        }
        set(&pe, VPMU_PMCCNTR, 231);
        back_out();
        for (unsigned n = 0; n < 32; n++) {
            expect("value", 200 + n, g.value[n]);
        }
    }
}
END_TEST

/* A guest that can write the cycle counter without owning it does not change it for the host. */
START_TEST(cycles_not_lent)
{
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        struct vpmu_guest g = guest_of(2, false);
        struct pe_registers was;

        g.cnten = ALL_ONES;
        g.inten = ALL_ONES;
        g.value[31] = 5;
        start(modes[i]);
        set(&pe, VPMU_PMCCNTR, 77);
        was = pe_registers();
        run_in(&g);
        expect("enabled", BIT(0) | BIT(1) | BIT(5), get(&pe, VPMU_PMCNTENSET));
        expect("PMCCNTR", 77, get(&pe, VPMU_PMCCNTR));
        reg_set(&pe, VPMU_PMCNTENSET, &at_el1, CYCLES);
        reg_set(&pe, VPMU_PMINTENSET, &at_el1, CYCLES);
        reg_set(&pe, VPMU_PMOVSSET, &at_el1, CYCLES);
        back_out();
        pe_expect_same("host", &was, BIT(0) | BIT(1));
        expect("cnten", BIT(0) | BIT(1), g.cnten);
        expect("value", 5, g.value[31]);
    }
}
END_TEST

Suite *switch_lend_suite(void)
{
    const TTest *const tests[] = {
        load_refused,
        load_refused_nobody,
        load_allowed,
        nvhe_order,
        vhe_order,
        saved,
        guests_alternate,
        neither_counts_for_the_other,
        host_stays_off,
        second_range,
        mdcr_of_the_hypervisor,
        hpme_is_the_hosts,
        nothing_lent,
        left_by_the_host,
        overflow,
        all_counters,
        cycles_not_lent,
    };

    return suite_of("switch_lend", tests, COUNT_OF(tests));
}
