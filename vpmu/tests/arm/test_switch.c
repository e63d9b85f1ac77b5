/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* What the switch does, when and in which order, and what it refuses. */
#include <stdio.h>
#include <string.h>

#include "fake_pe.h"
#include "vpmu/arm/switch.h"

#define COUNTERS 6
#define HOST_COUNTERS (BIT(4) | CYCLES)
#define GUEST_COUNTERS BIT(5)
/* EN, SW, CR and ER. */
#define TRAPPED 0xf

#define HOST_SELR 4
#define HOST_USERENR 2

static const enum vpmu_host_mode modes[] = {VPMU_HOST_VHE, VPMU_HOST_NVHE};

static struct vpmu_switch sw;
static struct vpmu_guest vcpu;

/* Starts a host that uses its PMU, and a guest without counters of its own that is not loaded. */
static void start(enum vpmu_host_mode mode)
{
    pe_start(COUNTERS);
    expect("init", 0, (uint64_t)-vpmu_arm_switch_init(&sw, mode, COUNTERS, NULL));
    memset(&vcpu, 0, sizeof(vcpu));
    set(&pe, VPMU_PMCR, VPMU_PMCR_E);
    set(&pe, VPMU_PMSELR, HOST_SELR);
    set(&pe, VPMU_PMUSERENR, HOST_USERENR);
}

static void switch_set(uint64_t host, uint64_t guest)
{
    const char *why = "untouched";

    expect("set", 0, (uint64_t)-vpmu_arm_switch_set(&sw, host, guest, &why));
    ck_assert_str_eq(why, "untouched");
}

static void load(void)
{
    expect("load", 0, (uint64_t)-vpmu_arm_guest_load(&sw, &vcpu));
    expect("loaded", true, sw.loaded == &vcpu);
}

static void enter(void)
{
    expect("enter", 0, (uint64_t)-vpmu_arm_guest_enter(&sw));
}

static void leave(void)
{
    expect("exit", 0, (uint64_t)-vpmu_arm_guest_exit(&sw));
}

static void put(void)
{
    expect("put", 0, (uint64_t)-vpmu_arm_guest_put(&sw));
    expect("loaded", true, sw.loaded == NULL);
}

START_TEST(init)
{
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        for (unsigned counters = 0; counters <= VPMU_MAX_EVENT_COUNTERS; counters++) {
            pe_start(COUNTERS);
            memset(&sw, 0xff, sizeof(sw));
            expect("error", 0, (uint64_t)-vpmu_arm_switch_init(&sw, modes[i], counters, NULL));
            expect("mode", modes[i], sw.mode);
            expect("counters", counters, sw.counters);
            expect("state", VPMU_SWITCH_OUT, vpmu_arm_switch_state(&sw));
            expect("masks", 0, sw.host | sw.guest);
            ck_assert_ptr_null(sw.loaded);
            pe_expect_log("init", NULL, 0);
        }
    }
}
END_TEST

static void check_init_refused(enum vpmu_host_mode mode, unsigned counters, const char *reason)
{
    struct vpmu_switch was;
    const char *why = "no reason";

    memset(&sw, 0x5a, sizeof(sw));
    memcpy(&was, &sw, sizeof(was));
    expect_in(reason, "error", VPMU_ERR_SWITCH,
              (uint64_t)-vpmu_arm_switch_init(&sw, mode, counters, &why));
    ck_assert_msg(strstr(why, reason) != NULL, "expected a reason with '%s' got '%s'", reason, why);
    expect_in(reason, "without a place for the reason", VPMU_ERR_SWITCH,
              (uint64_t)-vpmu_arm_switch_init(&sw, mode, counters, NULL));
    ck_assert_mem_eq(&was, &sw, sizeof(was));
}

START_TEST(init_refused)
{
    check_init_refused(VPMU_HOST_GUEST, COUNTERS, "VHE or an nVHE host");
    check_init_refused((enum vpmu_host_mode)(VPMU_HOST_GUEST + 1), COUNTERS, "VHE or an nVHE host");
    check_init_refused(VPMU_HOST_VHE, 32, "0 to 31");
    check_init_refused(VPMU_HOST_NVHE, 256, "0 to 31");
}
END_TEST

static int do_load(void)
{
    return vpmu_arm_guest_load(&sw, &vcpu);
}

static int do_enter(void)
{
    return vpmu_arm_guest_enter(&sw);
}

static int do_exit(void)
{
    return vpmu_arm_guest_exit(&sw);
}

static int do_put(void)
{
    return vpmu_arm_guest_put(&sw);
}

static int do_set(void)
{
    return vpmu_arm_switch_set(&sw, BIT(3), BIT(4), NULL);
}

/* The state after each call from OUT, LOADED and IN. */
#define STATE_COUNT (VPMU_SWITCH_IN + 1)
#define REFUSED STATE_COUNT

static const struct {
    const char *name;
    int (*call)(void);
    uint8_t next[STATE_COUNT];
} turns[] = {
    {"load", do_load, {VPMU_SWITCH_LOADED, REFUSED, REFUSED}},
    {"enter", do_enter, {REFUSED, VPMU_SWITCH_IN, REFUSED}},
    {"exit", do_exit, {REFUSED, REFUSED, VPMU_SWITCH_LOADED}},
    {"put", do_put, {REFUSED, VPMU_SWITCH_OUT, REFUSED}},
    {"set", do_set, {VPMU_SWITCH_OUT, VPMU_SWITCH_LOADED, REFUSED}},
};

/* Sets a value in every register. */
static void start_in(enum vpmu_host_mode mode, unsigned own, unsigned state)
{
    start(mode);
    vcpu = (struct vpmu_guest){.counters = (uint8_t)own,
                               .cycles = own != 0,
                               .pmcr = VPMU_PMCR_E | VPMU_PMCR_LC,
                               .cnten = BIT(0),
                               .inten = BIT(1),
                               .ovs = BIT(1),
                               .selr = 1,
                               .userenr = 1,
                               .value = {7, 8},
                               .type = {9, 10}};
    set(&pe, VPMU_PMCNTENSET, BIT(5));
    switch_set(BIT(5), BIT(4));
    if (state != VPMU_SWITCH_OUT) {
        load();
    }
    if (state == VPMU_SWITCH_IN) {
        enter();
    }
    expect("state", state, vpmu_arm_switch_state(&sw));
}

static void check_turn(enum vpmu_host_mode mode, unsigned own, unsigned state, size_t turn)
{
    struct pe_registers registers;
    struct vpmu_switch sw_was;
    struct vpmu_guest vcpu_was;
    int err;

    start_in(mode, own, state);
    registers = pe_registers();
    memcpy(&sw_was, &sw, sizeof(sw));
    memcpy(&vcpu_was, &vcpu, sizeof(vcpu));
    pe_log();
    err = turns[turn].call();
    if (turns[turn].next[state] != REFUSED) {
        expect_in(turns[turn].name, "error", 0, (uint64_t)-err);
        expect_in(turns[turn].name, "state", turns[turn].next[state], vpmu_arm_switch_state(&sw));
        return;
    }
    expect_in(turns[turn].name, "error", VPMU_ERR_SWITCH, (uint64_t)-err);
    pe_expect_same(turns[turn].name, &registers, 0);
    pe_expect_log(turns[turn].name, NULL, 0);
    ck_assert_mem_eq(&sw_was, &sw, sizeof(sw));
    ck_assert_mem_eq(&vcpu_was, &vcpu, sizeof(vcpu));
}

/* Each call from each state, for a guest without counters of its own and one with two. */
START_TEST(turns_in_order)
{
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        for (unsigned own = 0; own <= 2; own += 2) {
            for (unsigned state = 0; state < STATE_COUNT; state++) {
                for (size_t turn = 0; turn < COUNT_OF(turns); turn++) {
                    check_turn(modes[i], own, state, turn);
                }
            }
        }
    }
}
END_TEST

/* Masks that are refused, while a guest with counters 0 and 1 and the cycle counter is loaded. */
START_TEST(set_refused)
{
    static const struct {
        unsigned state;
        uint64_t host;
        uint64_t guest;
        const char *reason;
    } rows[] = {
        {VPMU_SWITCH_OUT, BIT(COUNTERS), 0, "no such counter"},
        {VPMU_SWITCH_OUT, 0, BIT(30), "no such counter"},
        {VPMU_SWITCH_OUT, INSTS, 0, "no such counter"},
        {VPMU_SWITCH_OUT, 0, BIT(63), "no such counter"},
        {VPMU_SWITCH_OUT, BIT(2), BIT(2) | BIT(3), "not both"},
        {VPMU_SWITCH_OUT, CYCLES, CYCLES, "not both"},
        {VPMU_SWITCH_LOADED, BIT(0), 0, "lent"},
        {VPMU_SWITCH_LOADED, 0, BIT(1), "lent"},
        {VPMU_SWITCH_LOADED, CYCLES, 0, "lent"},
        {VPMU_SWITCH_LOADED, 0, CYCLES, "lent"},
        {VPMU_SWITCH_IN, BIT(5), BIT(4), "the guest runs"},
        {VPMU_SWITCH_IN, 0, 0, "the guest runs"},
    };

    for (size_t i = 0; i < 2 * COUNT_OF(rows); i++) {
        size_t row = i / 2;
        const char *why = "no reason";
        struct pe_registers was;

        start_in(modes[i % 2], 2, rows[row].state);
        was = pe_registers();
        expect_in(rows[row].reason, "error", VPMU_ERR_SWITCH,
                  (uint64_t)-vpmu_arm_switch_set(&sw, rows[row].host, rows[row].guest, &why));
        ck_assert_msg(strstr(why, rows[row].reason) != NULL, "expected '%s' got '%s'",
                      rows[row].reason, why);
        expect_in(rows[row].reason, "host", BIT(5), sw.host);
        expect_in(rows[row].reason, "guest", BIT(4), sw.guest);
        pe_expect_same(rows[row].reason, &was, 0);
    }
}
END_TEST

/* After a guest with lent counters is put, these counters can be switched. */
START_TEST(set_after_put)
{
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        start_in(modes[i], 2, VPMU_SWITCH_LOADED);
        put();
        switch_set(BIT(0) | CYCLES, BIT(1));
        expect("host", BIT(0) | CYCLES, sw.host);
        expect("guest", BIT(1), sw.guest);
    }
}
END_TEST

/*
 * Everything that entry and exit of an nVHE host write, in order: nothing, or both masks. The
 * host's counters are stopped last and started first.
 */
START_TEST(nvhe_order)
{
    static const struct pe_write at_load[] = {{VPMU_PMSELR, 0}, {VPMU_PMUSERENR, TRAPPED}};
    static const struct pe_write at_put[] = {{VPMU_PMSELR, HOST_SELR},
                                             {VPMU_PMUSERENR, HOST_USERENR}};
    static const struct {
        const char *name;
        uint64_t host;
        uint64_t guest;
    } rows[] = {
        {"idle", 0, 0},
        {"host", HOST_COUNTERS, 0},
        {"guest", 0, GUEST_COUNTERS},
        {"both", HOST_COUNTERS, GUEST_COUNTERS},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct pe_write in[] = {{VPMU_PMCNTENSET, rows[i].guest},
                                      {VPMU_PMCNTENCLR, rows[i].host}};
        const struct pe_write out[] = {{VPMU_PMCNTENSET, rows[i].host},
                                       {VPMU_PMCNTENCLR, rows[i].guest}};
        size_t writes = rows[i].host | rows[i].guest ? 2 : 0;

        start(VPMU_HOST_NVHE);
        switch_set(rows[i].host, rows[i].guest);
        load();
        pe_expect_log(rows[i].name, at_load, COUNT_OF(at_load));
        pe_log();
        for (unsigned again = 0; again < 2; again++) {
            enter();
            pe_expect_log(rows[i].name, in, writes);
            pe_log();
            leave();
            pe_expect_log(rows[i].name, out, writes);
            pe_log();
        }
        put();
        pe_expect_log(rows[i].name, at_put, COUNT_OF(at_put));
    }
}
END_TEST

/* Counters that are in no mask are not changed: 0 is enabled, 1 is not. */
START_TEST(nvhe_enables)
{
    static const uint64_t always = BIT(0);

    start(VPMU_HOST_NVHE);
    set(&pe, VPMU_PMCNTENSET, always | HOST_COUNTERS);
    switch_set(HOST_COUNTERS, GUEST_COUNTERS);
    load();
    expect("loaded", always | HOST_COUNTERS, get(&pe, VPMU_PMCNTENSET));
    for (unsigned i = 0; i < 2; i++) {
        enter();
        expect("in", always | GUEST_COUNTERS, get(&pe, VPMU_PMCNTENSET));
        leave();
        expect("out", always | HOST_COUNTERS, get(&pe, VPMU_PMCNTENSET));
    }
}
END_TEST

/*
 * EL0 of the host does not run while a guest is loaded, so these registers are exchanged only at
 * load and put.
 */
START_TEST(nvhe_access)
{
    start(VPMU_HOST_NVHE);
    for (unsigned i = 0; i < 2; i++) {
        set(&pe, VPMU_PMSELR, i + 1);
        set(&pe, VPMU_PMUSERENR, 8 - i);
        load();
        enter();
        expect("PMSELR in", 0, get(&pe, VPMU_PMSELR));
        expect("PMUSERENR in", TRAPPED, get(&pe, VPMU_PMUSERENR));
        leave();
        put();
        expect("PMSELR out", i + 1, get(&pe, VPMU_PMSELR));
        expect("PMUSERENR out", 8 - i, get(&pe, VPMU_PMUSERENR));
    }
}
END_TEST

START_TEST(nvhe_set_while_loaded)
{
    start(VPMU_HOST_NVHE);
    load();
    pe_log();
    switch_set(HOST_COUNTERS, GUEST_COUNTERS);
    pe_expect_log("set", NULL, 0);
    enter();
    expect("in", GUEST_COUNTERS, get(&pe, VPMU_PMCNTENSET));
    leave();
    expect("out", HOST_COUNTERS, get(&pe, VPMU_PMCNTENSET));
    switch_set(0, 0);
    pe_log();
    enter();
    leave();
    pe_expect_log("nothing any more", NULL, 0);
}
END_TEST

/* The filters of a VHE host: host counters count its EL0 and EL2, guest counters EL1. */
#define VHE_HOST_FILTER (VPMU_TYPER_P | VPMU_TYPER_NSH)
#define VHE_GUEST_FILTER VPMU_TYPER_U

static void set_filters(void)
{
    set(&pe, PMEVTYPER(3), VPMU_EVENT_INST_RETIRED);
    set(&pe, PMEVTYPER(4), VHE_HOST_FILTER | VPMU_EVENT_INST_RETIRED);
    set(&pe, VPMU_PMCCFILTR, VHE_HOST_FILTER);
    set(&pe, PMEVTYPER(5), VHE_GUEST_FILTER | VPMU_EVENT_INST_RETIRED);
}

/* @in: EL0 belongs to the guest. */
static void expect_filters(const char *when, bool in)
{
    uint64_t host = VHE_HOST_FILTER | (in ? VPMU_TYPER_U : 0);
    uint64_t guest = in ? 0 : VPMU_TYPER_U;

    expect_in(when, "neither", VPMU_EVENT_INST_RETIRED, get(&pe, PMEVTYPER(3)));
    expect_in(when, "host", host | VPMU_EVENT_INST_RETIRED, get(&pe, PMEVTYPER(4)));
    expect_in(when, "host's cycles", host, get(&pe, VPMU_PMCCFILTR));
    expect_in(when, "guest", guest | VPMU_EVENT_INST_RETIRED, get(&pe, PMEVTYPER(5)));
}

START_TEST(vhe_filters)
{
    start(VPMU_HOST_VHE);
    set_filters();
    set(&pe, VPMU_PMCNTENSET, BIT(3) | HOST_COUNTERS | GUEST_COUNTERS);
    switch_set(HOST_COUNTERS, GUEST_COUNTERS);
    for (unsigned i = 0; i < 2; i++) {
        struct pe_registers was = pe_registers();

        expect_filters("out", false);
        load();
        expect_filters("loaded", true);
        expect("PMSELR in", 0, get(&pe, VPMU_PMSELR));
        expect("PMUSERENR in", TRAPPED, get(&pe, VPMU_PMUSERENR));
        expect("enabled", BIT(3) | HOST_COUNTERS | GUEST_COUNTERS, get(&pe, VPMU_PMCNTENSET));
        put();
        pe_expect_same("put", &was, 0);
    }
}
END_TEST

START_TEST(vhe_enter_writes_nothing)
{
    start(VPMU_HOST_VHE);
    set_filters();
    switch_set(HOST_COUNTERS, GUEST_COUNTERS);
    load();
    pe_log();
    for (unsigned i = 0; i < 2; i++) {
        enter();
        expect("state", VPMU_SWITCH_IN, vpmu_arm_switch_state(&sw));
        leave();
        expect("state", VPMU_SWITCH_LOADED, vpmu_arm_switch_state(&sw));
    }
    pe_expect_log("enter and exit", NULL, 0);
}
END_TEST

/*
 * Counters that leave a mask get their filters back. The filters of those that stay are written
 * again.
 */
START_TEST(vhe_set_while_loaded)
{
    static const struct pe_write one_less[] = {
        {PMEVTYPER(4), VHE_HOST_FILTER | VPMU_EVENT_INST_RETIRED},
        {PMEVTYPER(5), VPMU_EVENT_INST_RETIRED},
        {VPMU_PMCCFILTR, VHE_HOST_FILTER | VPMU_TYPER_U},
    };
    static const struct pe_write none[] = {
        {VPMU_PMCCFILTR, VHE_HOST_FILTER},
        {PMEVTYPER(5), VHE_GUEST_FILTER | VPMU_EVENT_INST_RETIRED},
    };
    static const struct pe_write back[] = {{VPMU_PMSELR, HOST_SELR},
                                           {VPMU_PMUSERENR, HOST_USERENR}};

    start(VPMU_HOST_VHE);
    set_filters();
    load();
    expect_filters("nothing switched", false);
    switch_set(HOST_COUNTERS, GUEST_COUNTERS);
    expect_filters("all", true);

    /* perf starts the same events again, which writes their filters. */
    set_filters();
    switch_set(HOST_COUNTERS, GUEST_COUNTERS);
    expect_filters("again", true);

    pe_log();
    switch_set(CYCLES, GUEST_COUNTERS);
    pe_expect_log("one less", one_less, COUNT_OF(one_less));
    expect("4 was the host's", VHE_HOST_FILTER | VPMU_EVENT_INST_RETIRED, get(&pe, PMEVTYPER(4)));
    expect("31 still is", VHE_HOST_FILTER | VPMU_TYPER_U, get(&pe, VPMU_PMCCFILTR));
    expect("5 still is the guest's", VPMU_EVENT_INST_RETIRED, get(&pe, PMEVTYPER(5)));
    pe_log();
    switch_set(0, 0);
    pe_expect_log("none", none, COUNT_OF(none));
    expect_filters("nothing switched again", false);
    pe_log();
    put();
    pe_expect_log("put", back, COUNT_OF(back));
}
END_TEST

/* Counters 4 and 5 change sides in one call, after their filters were written. */
START_TEST(vhe_change_sides)
{
    start(VPMU_HOST_VHE);
    set(&pe, PMEVTYPER(4), VHE_HOST_FILTER);
    set(&pe, PMEVTYPER(5), VHE_GUEST_FILTER);
    switch_set(BIT(4), BIT(5));
    load();
    set(&pe, PMEVTYPER(4), VHE_GUEST_FILTER);
    set(&pe, PMEVTYPER(5), VHE_HOST_FILTER);
    switch_set(BIT(5), BIT(4));
    expect("4 is the guest's", 0, get(&pe, PMEVTYPER(4)));
    expect("5 is the host's", VHE_HOST_FILTER | VPMU_TYPER_U, get(&pe, PMEVTYPER(5)));
    put();
    expect("4 after put", VHE_GUEST_FILTER, get(&pe, PMEVTYPER(4)));
    expect("5 after put", VHE_HOST_FILTER, get(&pe, PMEVTYPER(5)));
}
END_TEST

/* If no guest is loaded, the filters are those of the plan. */
START_TEST(set_while_out)
{
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        start(modes[i]);
        switch_set(HOST_COUNTERS, GUEST_COUNTERS);
        switch_set(GUEST_COUNTERS, HOST_COUNTERS);
        switch_set(0, 0);
        pe_expect_log("set", NULL, 0);
    }
}
END_TEST

/*
 * The places where code runs. Their numbers of instructions and cycles differ, so a sum shows which
 * were counted.
 */
#define HOST_USER 1u
#define HOST_KERNEL 10u
#define HOST_LOADED 100u
#define HOST_HV 1000u
#define GUEST_USER 10000u
#define GUEST_KERNEL 100000u
#define HOST_AFTER 1000000u
#define HOST_USER_AFTER 10000000u

static void run_host_and_guest(enum vpmu_host_mode mode)
{
    unsigned kernel = mode == VPMU_HOST_VHE ? NS_EL2 : NS_EL1;

    pe_run(NS_EL0, HOST_USER);
    pe_run(kernel, HOST_KERNEL);
    load();
    pe_run(kernel, HOST_LOADED);
    pe_run(NS_EL2, HOST_HV);
    enter();
    pe_run(NS_EL0, GUEST_USER);
    pe_run(NS_EL1, GUEST_KERNEL);
    leave();
    pe_run(kernel, HOST_AFTER);
    put();
    pe_run(NS_EL0, HOST_USER_AFTER);
}

/* The place in terms of perf_event_attr. The kernel of a VHE host is its hypervisor. */
static unsigned expected_count(enum vpmu_host_mode mode, const struct vpmu_attr *attr)
{
    bool user = !attr->exclude_user;
    bool kernel = !attr->exclude_kernel;
    bool hv = mode == VPMU_HOST_VHE ? kernel : !attr->exclude_hv;
    unsigned host = (user ? HOST_USER + HOST_USER_AFTER : 0) +
                    (kernel ? HOST_KERNEL + HOST_LOADED + HOST_AFTER : 0) + (hv ? HOST_HV : 0);
    unsigned guest = (user ? GUEST_USER : 0) + (kernel ? GUEST_KERNEL : 0);

    return (attr->exclude_host ? 0 : host) + (attr->exclude_guest ? 0 : guest);
}

/*
 * perf starts an event of each kind according to its plan, on counter 2 and on the cycle counter.
 */
static void start_event(enum vpmu_host_mode mode, const struct vpmu_attr *attr)
{
    uint64_t counters = BIT(2) | CYCLES;
    struct vpmu_plan plan;

    expect("plan", 0, (uint64_t)-vpmu_arm_attr_plan(mode, attr, &plan, NULL));
    set(&pe, PMEVTYPER(2), plan.filter | VPMU_EVENT_INST_RETIRED);
    set(&pe, VPMU_PMCCFILTR, plan.filter);
    set(&pe, VPMU_PMCNTENSET, plan.deferred ? 0 : counters);
    switch_set(plan.host ? counters : 0, plan.guest ? counters : 0);
}

/* With every plan, an event counts exactly what its attribute says. */
START_TEST(counts_as_asked)
{
    for (unsigned i = 0; i < 2 * 32; i++) {
        enum vpmu_host_mode mode = modes[i % 2];
        struct vpmu_attr attr = {.exclude_user = i & BIT(1),
                                 .exclude_kernel = i & BIT(2),
                                 .exclude_hv = i & BIT(3),
                                 .exclude_host = i & BIT(4),
                                 .exclude_guest = i & BIT(5)};
        char name[32];

        snprintf(name, sizeof(name), "attribute %#x", i);
        start(mode);
        start_event(mode, &attr);
        run_host_and_guest(mode);
        expect_in(name, "instructions", expected_count(mode, &attr), get(&pe, PMEVCNTR(2)));
        expect_in(name, "cycles", expected_count(mode, &attr), get(&pe, VPMU_PMCCNTR));
    }
}
END_TEST

Suite *switch_suite(void)
{
    const TTest *const tests[] = {
        init,
        init_refused,
        turns_in_order,
        set_refused,
        set_after_put,
        set_while_out,
        nvhe_order,
        nvhe_enables,
        nvhe_access,
        nvhe_set_while_loaded,
        vhe_filters,
        vhe_enter_writes_nothing,
        vhe_set_while_loaded,
        vhe_change_sides,
        counts_as_asked,
    };

    return suite_of("switch", tests, COUNT_OF(tests));
}
