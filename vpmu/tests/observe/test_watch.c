/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The watch: who runs, who writes the PMU's registers, and from when on this is known. */
#include <string.h>

#include "vpmu/arm/state.h"
#include "watched_machine.h"

/* HCR_EL2, as a hypervisor sets it (Arm ARM D24.2). */
#define HCR_VM BIT(0)
#define HCR_RW BIT(31)
#define HCR_TGE BIT(27)
#define HCR_E2H BIT(34)
#define VMID(n) ((uint64_t)(n) << 48)
#define CNP 1ull
#define BADDR 0x40000000ull

#define NVHE VPMU_WORLD_NVHE
#define VHE VPMU_WORLD_VHE
#define GUEST VPMU_WORLD_GUEST

START_TEST(who_runs)
{
    static const struct {
        const char *name;
        unsigned el;
        uint64_t hcr;
        uint64_t vttbr;
        bool vhe; /* the host that ran last */
        enum vpmu_world want;
    } rows[] = {
        {"EL2 is not enabled: EL0", 0, 0, 0, false, NVHE},
        {"EL2 is not enabled: EL1", 1, 0, VMID(1), false, NVHE},
        {"nVHE host: EL0", 0, HCR_RW, 0, false, NVHE},
        {"nVHE host: EL1", 1, HCR_RW, 0, false, NVHE},
        {"nVHE host: EL1, the last VMID left", 1, HCR_RW, VMID(7), false, NVHE},
        {"nVHE host: EL2", 2, HCR_RW, 0, false, NVHE},
        {"nVHE host: EL2, entering", 2, HCR_RW | HCR_VM, VMID(7), false, NVHE},
        {"EL2 with an EL0 of its own: EL0", 0, HCR_RW | HCR_TGE, 0, false, NVHE},
        {"EL2 with an EL0 of its own: EL2", 2, HCR_RW | HCR_TGE, 0, false, NVHE},
        {"nVHE host: EL2, after a VHE host", 2, HCR_RW, 0, true, NVHE},
        {"guest of nVHE: EL0", 0, HCR_RW | HCR_VM, VMID(1), false, GUEST},
        {"guest of nVHE: EL1", 1, HCR_RW | HCR_VM, VMID(1), false, GUEST},
        {"guest of nVHE: VMID 255", 1, HCR_VM, VMID(255), false, GUEST},
        {"guest of nVHE: VMID 256", 1, HCR_VM, VMID(256), false, GUEST},
        {"guest of nVHE: VMID 65535", 1, HCR_VM, VMID(65535), false, GUEST},
        {"protected host: EL0", 0, HCR_RW | HCR_VM, BADDR | CNP, false, NVHE},
        {"protected host: EL1", 1, HCR_RW | HCR_VM, BADDR | CNP, false, NVHE},
        {"protected host: EL2", 2, HCR_RW | HCR_VM, BADDR | CNP, false, NVHE},
        {"protected guest: EL1", 1, HCR_RW | HCR_VM, BADDR | CNP | VMID(2), false, GUEST},
        {"VHE host: EL0", 0, HCR_RW | HCR_E2H | HCR_TGE, 0, true, VHE},
        {"VHE host: EL0, a guest loaded", 0, HCR_E2H | HCR_TGE, VMID(3), true, VHE},
        {"VHE host: EL2", 2, HCR_RW | HCR_E2H | HCR_TGE, 0, true, VHE},
        {"VHE host: EL2, at first", 2, HCR_RW | HCR_E2H | HCR_TGE, 0, false, VHE},
        {"VHE host: EL2, entering", 2, HCR_E2H | HCR_VM, VMID(3), true, VHE},
        {"guest of VHE: EL0", 0, HCR_RW | HCR_E2H | HCR_VM, VMID(3), true, GUEST},
        {"guest of VHE: EL1", 1, HCR_RW | HCR_E2H | HCR_VM, VMID(3), true, GUEST},
        {"hVHE host: EL0", 0, HCR_RW | HCR_E2H, 0, false, NVHE},
        {"hVHE host: EL1", 1, HCR_RW | HCR_E2H, 0, false, NVHE},
        {"hVHE host: EL2", 2, HCR_RW | HCR_E2H, 0, false, NVHE},
        {"hVHE host: EL2, entering", 2, HCR_E2H | HCR_VM, VMID(3), false, NVHE},
        {"protected hVHE host: EL1", 1, HCR_E2H | HCR_VM, BADDR, false, NVHE},
        {"guest of hVHE: EL1", 1, HCR_RW | HCR_E2H | HCR_VM, VMID(3), false, GUEST},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_watch w = {.vhe = rows[i].vhe, .world = GUEST};

        expect_in(rows[i].name, "world", rows[i].want,
                  vpmu_arm_watch_world(&w, rows[i].el, rows[i].hcr, rows[i].vttbr));
    }
    for (enum vpmu_world world = 0; world < VPMU_WORLD_COUNT; world++) {
        struct vpmu_watch w = {.world = (uint8_t)world};

        expect("EL3: whoever was interrupted", world,
               vpmu_arm_watch_world(&w, 3, HCR_RW | HCR_E2H | HCR_TGE | HCR_VM, VMID(1)));
    }
}
END_TEST

/* While a guest is entered and left, TGE is 0. The watch keeps whose EL2 it is. */
START_TEST(whose_el2)
{
    static const struct {
        const char *name;
        enum place host;
        enum place through[3];
        enum vpmu_world want;
    } rows[] = {
        {"VHE, at once", V_EL2, {V_EL2, V_EL2, V_EL2}, VHE},
        {"VHE, from EL0", V_EL0, {V_EL0, V_EL0, V_EL0}, VHE},
        {"VHE, after a guest", V_EL2, {V_EL2, G_EL1, G_EL0}, VHE},
        {"VHE, after firmware", V_EL2, {FIRMWARE, FIRMWARE, FIRMWARE}, VHE},
        {"VHE, after a guest and firmware", V_EL2, {G_EL1, FIRMWARE, G_EL1}, VHE},
        {"nVHE, at once", N_EL1, {N_EL2, N_EL2, N_EL2}, NVHE},
        {"nVHE, after a guest", N_EL1, {N_EL2, G_EL1, FIRMWARE}, NVHE},
        {"nVHE, after VHE", V_EL2, {V_EL2, N_EL1, N_EL1}, NVHE},
        {"VHE, after nVHE", N_EL1, {N_EL2, V_EL2, G_EL1}, VHE},
    };
    const struct vpmu_arm_config config = config_watched();

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct watched s;

        watched_start(&s, &config, rows[i].host);
        for (size_t j = 0; j < COUNT_OF(rows[i].through); j++) {
            go(&s, rows[i].through[j]);
        }
        expect_in(rows[i].name, "world", rows[i].want,
                  vpmu_arm_watch_world(&s.w, 2, HCR_RW | HCR_E2H | HCR_VM, VMID(1)));
    }
}
END_TEST

/*
 * Secure state has its own EL2 or none. Software that runs there is not the host of the waiting
 * guest.
 */
START_TEST(whose_el2_after_secure_state)
{
    struct vpmu_arm_config config = config_of(VPMU_V3P7, 8, ALL_LEVELS);
    struct watched s;

    watched_start(&s, &config, V_EL2);
    go(&s, FIRMWARE);
    machine_watch_moved(&s.m, S_EL1, NVHE, 0);
    machine_watch_moved(&s.m, S_EL2, NVHE, 0);
    go(&s, FIRMWARE);
    expect("world", VHE, vpmu_arm_watch_world(&s.w, 2, HCR_RW | HCR_E2H | HCR_VM, VMID(1)));
}
END_TEST

/*
 * Who writes a register. A write of PMCNTENSET for counter 0 opens an observer's gate if the host's
 * kernel made it. A write of PMCNTENCLR closes it if the kernel or a guest made it.
 */
START_TEST(who_writes)
{
    static const struct {
        const char *name;
        enum place rest;
        enum place writer;
        bool opens;
        bool closes;
    } rows[] = {
        {"nVHE kernel", N_EL1, N_EL1, true, true},
        {"nVHE EL0, which the kernel let in", N_EL1, N_EL0, true, true},
        {"nVHE EL2", N_EL1, N_EL2, false, false},
        {"guest of nVHE", N_EL1, G_EL1, false, true},
        {"guest's EL0", N_EL1, G_EL0, false, true},
        {"VHE kernel", V_EL0, V_EL2, true, true},
        {"VHE EL0", V_EL0, V_EL0, true, true},
        {"guest of VHE", V_EL0, G_EL1, false, true},
    };
    const struct vpmu_arm_config config = config_watched();

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_observer o;
        struct watched s;

        watched_start(&s, &config, rows[i].rest);
        observe(&s, &o, "instructions", 0);
        put(&s, VPMU_PMCR, VPMU_PMCR_E);
        go(&s, rows[i].writer);
        put(&s, VPMU_PMCNTENSET, BIT(0));
        expect_in(rows[i].name, "opens", rows[i].opens, seen_of(&s, &o, 1));
        go(&s, rows[i].rest);
        put(&s, VPMU_PMCNTENSET, BIT(0));
        go(&s, rows[i].writer);
        expect_in(rows[i].name, "open", 1, seen_of(&s, &o, 1));
        put(&s, VPMU_PMCNTENCLR, BIT(0));
        expect_in(rows[i].name, "closes", !rows[i].closes, seen_of(&s, &o, 1));
    }
}
END_TEST

/* PMCR.E belongs to the host if its kernel wrote it. A guest's PMCR.E does not. */
START_TEST(who_writes_pmcr)
{
    static const struct {
        const char *name;
        enum place rest;
        enum place writer;
        bool closes;
    } rows[] = {
        {"nVHE kernel", N_EL1, N_EL1, true},    {"nVHE EL2", N_EL1, N_EL2, false},
        {"guest of nVHE", N_EL1, G_EL1, false}, {"VHE kernel", V_EL0, V_EL2, true},
        {"guest of VHE", V_EL0, G_EL1, false},
    };
    const struct vpmu_arm_config config = config_watched();

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_observer o;
        struct watched s;

        watched_start(&s, &config, rows[i].rest);
        observe(&s, &o, "instructions", 0);
        put(&s, VPMU_PMCNTENSET, BIT(0));
        put(&s, VPMU_PMCR, VPMU_PMCR_E);
        go(&s, rows[i].writer);
        put(&s, VPMU_PMCR, VPMU_PMCR_P);
        expect_in(rows[i].name, "open", !rows[i].closes, seen_of(&s, &o, 1));
    }
}
END_TEST

/*
 * On a VHE host, the switch changes the filter of a counter that is enabled, through any of its
 * registers. EL0 is blacked out then. The kernel sets the filter while the counter is disabled.
 */
START_TEST(who_writes_filters)
{
    static const struct {
        const char *name;
        unsigned idx;
        unsigned reg;
        uint64_t selr;
    } rows[] = {
        {"PMEVTYPER3", 3, PMEVTYPER(3), 0},
        {"PMXEVTYPER", 3, VPMU_PMXEVTYPER, 3},
        {"PMCCFILTR", VPMU_CYCLE_COUNTER, VPMU_PMCCFILTR, 0},
        {"PMXEVTYPER of the cycle counter", VPMU_CYCLE_COUNTER, VPMU_PMXEVTYPER, 31},
        {"PMICFILTR", VPMU_INST_COUNTER, VPMU_PMICFILTR, 0},
    };
    const struct vpmu_arm_config config =
        config_of(VPMU_V3P9, 8, VPMU_HAS_EL2 | VPMU_HAS_EL3 | VPMU_HAS_ICNTR);

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const uint64_t host = VPMU_TYPER_NSH | VPMU_TYPER_P;
        struct watched s;

        watched_start(&s, &config, V_EL0);
        machine_control(&s.m, config.counters, VPMU_MDCR_EL3_ENPM2);
        machine_blackout_start(&s.m, &s.b);
        go(&s, V_EL2);
        put(&s, VPMU_PMCR, VPMU_PMCR_E);
        put(&s, VPMU_PMSELR, rows[i].selr);
        for (unsigned round = 1; round <= 2; round++) {
            put(&s, rows[i].reg, host);
            put(&s, VPMU_PMCNTENSET, BIT(rows[i].idx));
            put(&s, VPMU_PMSELR, rows[i].selr);
            put(&s, rows[i].reg, host | VPMU_TYPER_U);
            go(&s, V_EL0);
            run(&s, 7);
            go(&s, V_EL2);
            put(&s, rows[i].reg, host);
            go(&s, V_EL0);
            run(&s, 7);
            go(&s, V_EL2);
            put(&s, VPMU_PMCNTENCLR, BIT(rows[i].idx));
            put(&s, rows[i].reg, host | VPMU_TYPER_U);
            put(&s, VPMU_PMCNTENSET, BIT(rows[i].idx));
            go(&s, V_EL0);
            run(&s, 7);
            go(&s, V_EL2);
            put(&s, VPMU_PMCNTENCLR, BIT(rows[i].idx));
            expect_spans(rows[i].name, &s,
                         (struct want_spans[]){{VPMU_SPAN_ABORTED, round, round * 7}, {0}});
        }
    }
}
END_TEST

/*
 * A guest that has 2 counters by MDCR_EL2.HPMN writes all bits. The host's counters are not
 * affected, and nor is the fixed counter if traps protect it.
 */
START_TEST(guest_writes_all_bits)
{
    static const struct vpmu_pe guest = {
        .el = 1, .el2_enabled = true, .f0_read_trapped = true, .f0_write_trapped = true};
    static const uint8_t gates[] = {0, 2, 7, VPMU_INST_COUNTER};
    const struct vpmu_arm_config config =
        config_of(VPMU_V3P9, 8, VPMU_HAS_EL2 | VPMU_HAS_EL3 | VPMU_HAS_ICNTR);
    struct vpmu_observer o[COUNT_OF(gates)];
    struct watched s;

    watched_start(&s, &config, N_EL1);
    machine_control(&s.m, config.counters | VPMU_MDCR_EL2_HPME, VPMU_MDCR_EL3_ENPM2);
    for (size_t i = 0; i < COUNT_OF(gates); i++) {
        observe(&s, &o[i], "instructions", gates[i]);
    }
    put(&s, VPMU_PMCNTENSET, BIT(0) | BIT(2) | BIT(7) | INSTS);
    put(&s, VPMU_PMCR, VPMU_PMCR_E);
    go(&s, N_EL2);
    put(&s, VPMU_PMCNTENCLR, BIT(0) | BIT(2) | INSTS);
    machine_control(&s.m, 2 | VPMU_MDCR_EL2_HPME, VPMU_MDCR_EL3_ENPM2);
    go(&s, G_EL1);
    for (unsigned i = 0; i < 2; i++) {
        reg_set(&s.m, i ? VPMU_PMCNTENSET : VPMU_PMCNTENCLR, &guest, ALL_ONES);
        expect("the guest's own", 0, seen_of(&s, &o[0], 1));
        expect("stopped by the switch", 1, seen_of(&s, &o[1], 1));
        expect("left on", 1, seen_of(&s, &o[2], 1));
        expect("the fixed counter", 1, seen_of(&s, &o[3], 1));
    }
}
END_TEST

/* If a hypervisor reserves counters for itself by HPMN, its host cannot use them. */
START_TEST(host_writes_all_bits)
{
    const struct vpmu_arm_config config = config_watched();
    struct vpmu_observer o;
    struct watched s;

    watched_start(&s, &config, N_EL1);
    machine_control(&s.m, 6 | VPMU_MDCR_EL2_HPME, 0);
    go(&s, N_EL2);
    put(&s, PMEVTYPER(7), VPMU_EVENT_INST_RETIRED);
    put(&s, VPMU_PMCNTENSET, BIT(7));
    go(&s, N_EL1);
    observe(&s, &o, "instructions", 7);
    put(&s, VPMU_PMCNTENSET, ALL_ONES);
    expect("PMCNTENSET", 0, seen_of(&s, &o, 1));
    put(&s, VPMU_PMCNTENCLR, ALL_ONES);
    expect("PMCNTENCLR", 0, seen_of(&s, &o, 1));
    expect("the hypervisor's goes on", 2, value_of(&s, 7));
}
END_TEST

/* The host's MDCR_EL2 is the value with which it runs again. HPME enables its counters there. */
START_TEST(host_controls)
{
    const struct vpmu_arm_config config = config_watched();
    struct vpmu_observer o;
    struct watched s;

    watched_start(&s, &config, N_EL1);
    observe(&s, &o, "instructions", 7);
    put(&s, VPMU_PMCNTENSET, BIT(7));
    put(&s, VPMU_PMCR, VPMU_PMCR_E);
    expect("PMCR.E", 1, seen_of(&s, &o, 1));
    go(&s, N_EL2);
    machine_control(&s.m, 4, 0);
    expect("EL2 stops it by HPMN without HPME", 1, seen_of(&s, &o, 1));
    go(&s, G_EL1);
    s.m.controls.halted = true;
    machine_set_controls(&s.m, &s.m.controls);
    expect("Debug state stops all", 0, seen_of(&s, &o, 1));
    s.m.controls.halted = false;
    machine_set_controls(&s.m, &s.m.controls);
    expect("Debug state in a guest is left: MDCR_EL2 is as yet not the host's", 1,
           seen_of(&s, &o, 1));
    go(&s, N_EL2);
    go(&s, N_EL1);
    expect("the host has come back to it", 0, seen_of(&s, &o, 1));
    go(&s, N_EL2);
    machine_control(&s.m, 4 | VPMU_MDCR_EL2_HPME, 0);
    expect("HPME, set at EL2", 0, seen_of(&s, &o, 1));
    go(&s, N_EL1);
    expect("HPME, at EL1", 1, seen_of(&s, &o, 1));
}
END_TEST

/* A VHE host's kernel writes MDCR_EL2 itself. */
START_TEST(vhe_host_controls)
{
    const struct vpmu_arm_config config = config_watched();
    struct vpmu_observer o;
    struct watched s;

    watched_start(&s, &config, V_EL0);
    observe(&s, &o, "instructions", 7);
    go(&s, V_EL2);
    put(&s, VPMU_PMCNTENSET, BIT(7));
    put(&s, VPMU_PMCR, VPMU_PMCR_E);
    machine_control(&s.m, 4, 0);
    expect("HPMN", 0, seen_of(&s, &o, 1));
    machine_control(&s.m, 4 | VPMU_MDCR_EL2_HPME, 0);
    expect("HPME", 1, seen_of(&s, &o, 1));
    put(&s, VPMU_PMCR, 0);
    expect("not PMCR.E", 1, seen_of(&s, &o, 1));
}
END_TEST

/* From when on the host's setting is known if everything was set up before the watch began. */
START_TEST(host_known)
{
    static const struct {
        const char *name;
        enum place at;
        bool host_known;
    } rows[] = {
        {"nVHE EL0", N_EL0, true},   {"nVHE EL1", N_EL1, true}, {"nVHE EL2", N_EL2, false},
        {"VHE EL0", V_EL0, true},    {"VHE EL2", V_EL2, false}, {"guest EL0", G_EL0, false},
        {"guest EL1", G_EL1, false},
    };
    const struct vpmu_arm_config config = config_watched();

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        static const enum place elsewhere[] = {G_EL1, N_EL2, V_EL2, FIRMWARE};

        for (size_t j = 0; j <= COUNT_OF(elsewhere); j++) {
            bool moves = j < COUNT_OF(elsewhere);
            struct vpmu_observer o;
            struct watched s;

            watched_start(&s, &config, moves ? elsewhere[j] : rows[i].at);
            machine_watch_detach(&s.m);
            put(&s, VPMU_PMCR, VPMU_PMCR_E);
            put(&s, VPMU_PMCNTENSET, BIT(0));
            vpmu_arm_watch_attach(&s.m.v, &s.w, (enum vpmu_world)s.w.world);
            observe(&s, &o, "instructions", 0);
            if (moves) {
                expect_in(rows[i].name, "before", 0, seen_of(&s, &o, 1));
                go(&s, rows[i].at);
            }
            expect_in(rows[i].name, "open", rows[i].host_known, seen_of(&s, &o, 1));
        }
    }
}
END_TEST

/*
 * If the kernel of a VHE host has no counter enabled, the switch has changed none, whether a guest
 * is loaded or not.
 */
START_TEST(host_known_with_nothing_on)
{
    static const struct {
        const char *name;
        enum place at;
        bool host_known;
    } rows[] = {{"VHE", V_EL2, true}, {"nVHE", N_EL2, false}, {"guest", G_EL1, false}};
    const struct vpmu_arm_config config = config_watched();

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_observer o;
        struct watched s;

        watched_start(&s, &config, rows[i].at);
        observe(&s, &o, "instructions", 0);
        put(&s, VPMU_PMCR, VPMU_PMCR_E);
        put(&s, VPMU_PMCNTENSET, BIT(0));
        expect_in(rows[i].name, "open", rows[i].host_known, seen_of(&s, &o, 1));
    }
}
END_TEST

/* After a reset or a loaded state, the host's setting is unknown until the host is at rest. */
static void check_restart(bool load)
{
    const struct vpmu_arm_config config = config_watched();
    uint8_t saved[VPMU_STATE_SIZE];
    struct vpmu_observer gated;
    struct vpmu_observer always;
    struct watched s;

    watched_start(&s, &config, N_EL1);
    machine_blackout_start(&s.m, &s.b);
    observe(&s, &gated, "instructions", 0);
    observe(&s, &always, "instructions", VPMU_UNGATED);
    put(&s, PMEVTYPER(0), INST_EVERYWHERE);
    put(&s, PMEVTYPER(1), INST_EVERYWHERE);
    put(&s, VPMU_PMCR, VPMU_PMCR_E);
    put(&s, VPMU_PMCNTENSET, BIT(0));
    run(&s, 10);
    ck_assert(machine_state_save(&s.m, saved, sizeof(saved)) == 0);
    go(&s, N_EL2);
    put(&s, VPMU_PMCNTENCLR, BIT(0));
    put(&s, VPMU_PMCNTENSET, BIT(1));
    run(&s, 10);
    if (load) {
        ck_assert(machine_state_load(&s.m, saved, sizeof(saved), NULL) == 0);
    } else {
        machine_reset(&s.m);
    }
    run(&s, 10);
    expect("gated: until then", 20, machine_observer_read(&s.m, &gated));
    expect("ungated: goes on", 30, machine_observer_read(&s.m, &always));
    go(&s, N_EL1);
    run(&s, 10);
    expect("gated: at rest again", load ? 30 : 20, machine_observer_read(&s.m, &gated));
    expect("ungated: all", 40, machine_observer_read(&s.m, &always));
    expect_spans("what was open is dropped", &s, (struct want_spans[]){{0}});
    expect("armed", INST_SRC, vpmu_arm_armed(&s.m.v, NS_EL2) & INST_SRC);
}

START_TEST(reset)
{
    check_restart(false);
}
END_TEST

START_TEST(state_load)
{
    check_restart(true);
}
END_TEST

/*
 * vpmu_arm_watch_moved() replaces vpmu_arm_set_context(), so a counter of time must be settled at
 * each change, even without observers.
 */
START_TEST(moves_credit_time)
{
    const struct vpmu_arm_config config = config_watched();
    struct watched s;

    watched_start(&s, &config, N_EL1);
    put(&s, VPMU_PMCCFILTR, VPMU_TYPER_U);
    put(&s, VPMU_PMCNTENSET, CYCLES);
    put(&s, VPMU_PMCR, VPMU_PMCR_E);
    machine_cycles(&s.m, 5);
    go(&s, N_EL0);
    machine_cycles(&s.m, 1000);
    go(&s, N_EL1);
    machine_cycles(&s.m, 5);
    expect("PMCCNTR", 10, value_of(&s, VPMU_CYCLE_COUNTER));
}
END_TEST

/* A PMU without a watch, or after the watch was detached, works as before. */
START_TEST(detached)
{
    const struct vpmu_arm_config config = config_watched();
    struct vpmu_observer o;
    struct watched s;

    watched_start(&s, &config, N_EL1);
    observe(&s, &o, "cycles", 0);
    machine_blackout_start(&s.m, &s.b);
    machine_watch_detach(&s.m);
    memset(&s.w, 0x5a, sizeof(s.w));
    memset(&o, 0x5a, sizeof(o));
    put(&s, VPMU_PMCNTENSET, CYCLES);
    put(&s, VPMU_PMCR, VPMU_PMCR_E);
    machine_control(&s.m, 4, 0);
    machine_enter(&s.m, NS_EL0);
    machine_cycles(&s.m, 7);
    expect("PMCCNTR", 7, value_of(&s, VPMU_CYCLE_COUNTER));
    machine_reset(&s.m);
    expect_sources("armed", 0, vpmu_arm_armed(&s.m.v, NS_EL0));
}
END_TEST

/* Without a watch, observers and the meter are refused. */
START_TEST(no_watch)
{
    struct vpmu_observer o = {.sources = INST_SRC, .gate = VPMU_UNGATED};
    struct vpmu_blackout b;
    struct machine m;

    machine_start_as(&m, VPMU_V3P5, 1, VPMU_HAS_EL2);
    counter_start(&m, 0, INST_EVERYWHERE, 0);
    pmcr_enable(&m);
    expect("meter", VPMU_ERR_WATCH, (uint64_t)-machine_blackout_start(&m, &b));
    machine_blackout_stop(&m);
    expect("observer", VPMU_ERR_WATCH, (uint64_t)-machine_observer_add(&m, &o));
    machine_observer_remove(&m, &o);
    machine_instructions(&m, 3);
    machine_watch_moved(&m, NS_EL2, VPMU_WORLD_NVHE, VPMU_EXIT_IRQ);
    machine_instructions(&m, 4);
    expect("moved all the same", NS_EL2, m.v.count.ctx);
    expect("counted", 7, get(&m, PMEVCNTR(0)));
    machine_watch_detach(&m);
}
END_TEST

/*
 * An observer cannot be added twice, because the list would become circular. The gate of a counter
 * that does not exist is closed.
 */
START_TEST(impossible_observers)
{
    const struct vpmu_arm_config config = config_watched();
    struct vpmu_observer o;
    struct vpmu_observer nowhere = {.sources = ALL_ONES,
                                    .ctx_mask = {UINT16_MAX, UINT16_MAX, UINT16_MAX},
                                    .gate = VPMU_UNGATED};
    struct vpmu_observer gated = {
        .sources = INST_SRC, .ctx_mask = {UINT16_MAX, UINT16_MAX, UINT16_MAX}, .gate = 254};
    struct watched s;

    watched_start(&s, &config, N_EL1);
    observe(&s, &o, "instructions", VPMU_UNGATED);
    run(&s, 5);
    expect("twice", VPMU_ERR_WATCH, (uint64_t)-machine_observer_add(&s.m, &o));
    expect("gated", 0, (uint64_t)-machine_observer_add(&s.m, &gated));
    expect("nowhere", 0, (uint64_t)-machine_observer_add(&s.m, &nowhere));
    run(&s, 7);
    expect("as before", 12, machine_observer_read(&s.m, &o));
    expect("no such counter", 0, machine_observer_read(&s.m, &gated));
    expect("all that there is, 7 instructions and 21 cycles of both kinds", 7 + 21,
           machine_observer_read(&s.m, &nowhere));
    expect_sources("armed", 0, vpmu_arm_armed(&s.m.v, NS_EL1) & ~config.sources);
}
END_TEST

/* An exit reason that does not exist counts as unknown. */
START_TEST(impossible_reason)
{
    const struct vpmu_arm_config config = config_watched();
    struct watched s;

    watched_start(&s, &config, N_EL1);
    expect("start", 0, (uint64_t)-machine_blackout_start(&s.m, &s.b));
    go(&s, G_EL1);
    go_because(&s, N_EL2, VPMU_EXIT_REASONS);
    go(&s, G_EL1);
    go_because(&s, N_EL2, UINT32_MAX);
    expect("unknown", 2, s.b.exits[0]);
}
END_TEST

Suite *watch_suite(void)
{
    const TTest *const tests[] = {
        who_runs,
        whose_el2,
        whose_el2_after_secure_state,
        who_writes,
        who_writes_pmcr,
        who_writes_filters,
        guest_writes_all_bits,
        host_writes_all_bits,
        host_controls,
        vhe_host_controls,
        host_known,
        host_known_with_nothing_on,
        reset,
        state_load,
        moves_credit_time,
        detached,
        no_watch,
        impossible_observers,
        impossible_reason,
    };

    return suite_of("watch", tests, COUNT_OF(tests));
}
