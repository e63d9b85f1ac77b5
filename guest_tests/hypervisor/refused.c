/* SPDX-License-Identifier: GPL-2.0-or-later */

/* Calls out of order and invalid arguments give an error and change nothing. */
#include "hypervisor/owner.h"
#include "hypervisor/tests.h"
#include "registers/pmu.h"
#include "runtime/pmu_setup.h"

#define NO_SUCH_MODE ((enum vpmu_host_mode)3)

/* The counters of the masks. A guest that is lent both of the first two takes one of them. */
#define ONE UINT64_C(2)
#define OTHER UINT64_C(4)

/* Everything that a call could have changed, as words. */
#define REGISTERS 9u

struct snapshot {
    uint64_t reg[REGISTERS];
    uint64_t type[PMU_MAX_COUNTERS], value[PMU_MAX_COUNTERS];
    struct vpmu_switch pmu;
    struct vpmu_guest guest[GUESTS];
};

#define WORDS (sizeof(struct snapshot) / sizeof(uint64_t))

static struct snapshot before, after;

/* A guest that cannot be loaded, and what must not change. */
static struct vpmu_guest bad_guest;
static struct vpmu_plan plan;
static const char *why;

static void take(struct snapshot *s)
{
    const uint64_t regs[REGISTERS] = {
        read_sysreg(pmcr_el0),      read_sysreg(pmcntenset_el0), read_sysreg(pmintenset_el1),
        read_sysreg(pmovsset_el0),  read_sysreg(pmselr_el0),     read_sysreg(pmuserenr_el0),
        read_sysreg(pmccfiltr_el0), read_sysreg(pmccntr_el0),    read_sysreg(mdcr_el2),
    };

    __builtin_memset(s, 0, sizeof(*s));
    __builtin_memcpy(s->reg, regs, sizeof(regs));
    for (unsigned n = 0; n < pmu_counters(); n++) {
        s->type[n] = read_pmevtyper(n);
        s->value[n] = read_pmevcntr(n);
    }
    __builtin_memcpy(&s->pmu, &world.pmu, sizeof(s->pmu));
    for (unsigned guest = 0; guest < GUESTS; guest++) {
        __builtin_memcpy(&s->guest[guest], &world.guest[guest].pmu, sizeof(s->guest[guest]));
    }
}

static int set_host(uint64_t mask)
{
    return vpmu_arm_switch_set(&world.pmu, mask, 0, &why);
}

static int set_guest(uint64_t mask)
{
    return vpmu_arm_switch_set(&world.pmu, 0, mask, &why);
}

static int set_both(uint64_t mask)
{
    return vpmu_arm_switch_set(&world.pmu, mask, mask | ONE, &why);
}

static int set_absent(uint64_t host)
{
    uint64_t absent = pmu_counters() < PMU_MAX_COUNTERS ? BIT(pmu_counters()) : BIT(32);

    return host ? set_host(absent) : set_guest(absent);
}

static int load(uint64_t counters)
{
    bad_guest = (struct vpmu_guest){.counters = (uint8_t)counters};
    return vpmu_arm_guest_load(&world.pmu, &bad_guest);
}

static int load_too_many(uint64_t more)
{
    return load(pmu_counters() + more);
}

static int load_only_cycles(uint64_t unused)
{
    (void)unused;
    bad_guest = (struct vpmu_guest){.cycles = true};
    return vpmu_arm_guest_load(&world.pmu, &bad_guest);
}

/* The host counts with a counter that it has not announced. */
static int load_enabled(uint64_t counter)
{
    int result;

    write_sysreg(pmcntenset_el0, BIT(counter));
    result = load(1);
    write_sysreg(pmcntenclr_el0, BIT(counter));
    return result;
}

static int load_nothing(uint64_t unused)
{
    (void)unused;
    return vpmu_arm_guest_load(&world.pmu, NULL);
}

static int enter(uint64_t unused)
{
    (void)unused;
    return vpmu_arm_guest_enter(&world.pmu);
}

static int leave(uint64_t unused)
{
    (void)unused;
    return vpmu_arm_guest_exit(&world.pmu);
}

static int put(uint64_t unused)
{
    (void)unused;
    return vpmu_arm_guest_put(&world.pmu);
}

static int init(uint64_t mode)
{
    return vpmu_arm_switch_init(&world.pmu, (enum vpmu_host_mode)mode, pmu_counters(), &why);
}

static int init_counters(uint64_t counters)
{
    return vpmu_arm_switch_init(&world.pmu, world.mode, (unsigned)counters, &why);
}

#define OUT (1u << VPMU_SWITCH_OUT)
#define LOADED (1u << VPMU_SWITCH_LOADED)
#define IN (1u << VPMU_SWITCH_IN)
#define ANY (OUT | LOADED | IN)

/* What makes the call wrong besides the state: masks that are not empty, lent counters. */
#define MASKS 1u
#define LENT 2u

/* What is refused, in which states. says_why means that there is an error text. */
static const struct {
    const char *name;
    unsigned states;
    int (*call)(uint64_t arg);
    uint64_t arg;
    bool says_why;
    unsigned needs;
} cases[] = {
    {"init for a guest", ANY, init, VPMU_HOST_GUEST, true, 0},
    {"init for no mode", ANY, init, NO_SUCH_MODE, true, 0},
    {"init with 32 counters", ANY, init_counters, 32, true, 0},
    {"set: host mask beyond counters", ANY, set_absent, true, true, 0},
    {"set: guest mask beyond counters", ANY, set_absent, false, true, 0},
    {"set: in both masks", ANY, set_both, OTHER, true, 0},
    {"set: lent, host", LOADED | IN, set_host, BIT(0), true, LENT},
    {"set: lent, guest", LOADED | IN, set_guest, BIT(0), true, LENT},
    {"set: lent cycles", LOADED | IN, set_host, BIT(CYCLE_COUNTER), true, LENT},
    {"set while the guest runs", IN, set_host, ONE, true, 0},
    {"load of none", ANY, load_nothing, 0, false, 0},
    {"load when loaded", LOADED | IN, load, 0, false, 0},
    {"load: too many counters", ANY, load_too_many, 1, false, 0},
    {"load: 255 counters", ANY, load, 255, false, 0},
    {"load: cycles alone", ANY, load_only_cycles, 0, false, 0},
    {"load: in a mask", OUT, load, 2, false, MASKS},
    {"load: enabled", ANY, load_enabled, 0, false, 0},
    {"load: cycles enabled", ANY, load_enabled, CYCLE_COUNTER, false, 0},
    {"enter", OUT | IN, enter, 0, false, 0},
    {"exit", OUT | LOADED, leave, 0, false, 0},
    {"put", OUT | IN, put, 0, false, 0},
};

static void check_case(unsigned i, unsigned state)
{
    const uint64_t *a = (const uint64_t *)&before, *b = (const uint64_t *)&after;
    int result;

    why = NULL;
    take(&before);
    result = cases[i].call(cases[i].arg);
    take(&after);
    expect_eq(cases[i].name, 1000 + state, (uint64_t)-VPMU_ERR_SWITCH, (uint64_t)result);
    expect_eq(cases[i].name, 2000 + state, cases[i].says_why, why != NULL);
    for (unsigned word = 0; word < WORDS; word++) {
        expect_eq(cases[i].name, word, a[word], b[word]);
    }
}

static void check_state(unsigned state, unsigned have)
{
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if ((cases[i].states & state) && !(cases[i].needs & ~have)) {
            check_case(i, state);
        }
    }
}

/* Everything has some value before the calls, and nothing counts. */
static void fill_registers(void)
{
    struct owner filler = {.end = pmu_counters(), .cycles = true, .user_runs = true, .seed = 77};

    owner_init(&filler);
    owner_write(&filler);
    write_sysreg(pmcntenclr_el0, pmu_mask());
    isb();
}

static void check_states(uint64_t host, uint64_t guest, bool lend)
{
    struct vpmu_guest *g = &world.guest[0].pmu;
    unsigned have = (host | guest ? MASKS : 0) | (lend ? LENT : 0);

    *g = (struct vpmu_guest){.counters = lend, .cycles = lend, .selr = 1};
    fill_registers();
    expect_eq("set", 0, 0, (uint64_t)vpmu_arm_switch_set(&world.pmu, host, guest, NULL));
    check_state(OUT, have);
    expect_eq("load", 0, 0, (uint64_t)vpmu_arm_guest_load(&world.pmu, g));
    check_state(LOADED, have);
    expect_eq("enter", 0, 0, (uint64_t)vpmu_arm_guest_enter(&world.pmu));
    check_state(IN, have);
    expect_eq("exit", 0, 0, (uint64_t)vpmu_arm_guest_exit(&world.pmu));
    check_state(LOADED, have);
    write_sysreg(pmcntenclr_el0, host);
    expect_eq("put", 0, 0, (uint64_t)vpmu_arm_guest_put(&world.pmu));
    check_state(OUT, have);
    /* What was lent belongs to the host again. */
    expect_eq("set", 1, 0, (uint64_t)set_host(BIT(0)));
    expect_eq("set", 2, 0, (uint64_t)set_host(0));
}

static void check_switch(enum vpmu_host_mode mode)
{
    world_start(mode);
    for (unsigned lend = 0; lend < 2; lend++) {
        check_states(ONE, OTHER, lend);
        check_states(OTHER, ONE, lend);
        check_states(0, 0, lend);
    }
}

static void check_attr(enum vpmu_host_mode mode)
{
    const struct vpmu_plan untouched = {.filter = 0x5a, .host = true, .guest = true};
    const struct vpmu_attr idle = {.exclude_idle = true}, none = {0};
    const struct {
        enum vpmu_host_mode mode;
        const struct vpmu_attr *attr;
    } bad[] = {{mode, &idle}, {VPMU_HOST_GUEST, &idle}, {NO_SUCH_MODE, &none}};

    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        plan = untouched;
        why = NULL;
        expect_eq("vpmu_arm_attr_plan", i, (uint64_t)-VPMU_ERR_ATTR,
                  (uint64_t)vpmu_arm_attr_plan(bad[i].mode, bad[i].attr, &plan, &why));
        expect_eq("why", i, true, why != NULL);
        expect_eq("filter", i, untouched.filter, plan.filter);
        expect_eq("flags", i, 6, plan.host * 4u + plan.guest * 2u + plan.deferred);
    }
}

DEFINE_TESTS(test_refused, check_switch)
DEFINE_TESTS(test_refused_attr, check_attr)
