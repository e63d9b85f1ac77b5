/* SPDX-License-Identifier: GPL-2.0-or-later */

/* What the switch costs at EL2, in instructions. */
#include "hypervisor/info.h"
#include "hypervisor/tests.h"
#include "registers/pmu.h"
#include "runtime/console.h"
#include "runtime/pmu_setup.h"

/*
 * These are not inlined, so that all have the same glue around them with every compiler. A
 * hypervisor has the switch's address at hand where it enters a guest.
 */
#define NOINLINE __attribute__((noinline, noclone))

static NOINLINE int call_nothing(struct vpmu_switch *s)
{
    __asm__ volatile("" ::"r"(s));
    return 0;
}

static NOINLINE int call_load(struct vpmu_switch *s)
{
    return vpmu_arm_guest_load(s, &world.guest[0].pmu);
}

static NOINLINE int call_enter(struct vpmu_switch *s)
{
    return vpmu_arm_guest_enter(s);
}

static NOINLINE int call_exit(struct vpmu_switch *s)
{
    return vpmu_arm_guest_exit(s);
}

static NOINLINE int call_put(struct vpmu_switch *s)
{
    return vpmu_arm_guest_put(s);
}

enum call {
    LOAD,
    ENTER,
    EXIT,
    PUT,
    CALLS
};

static const struct {
    const char *name;
    int (*fn)(struct vpmu_switch *s);
} calls[CALLS] = {
    [LOAD] = {"load", call_load},
    [ENTER] = {"enter", call_enter},
    [EXIT] = {"exit", call_exit},
    [PUT] = {"put", call_put},
};

/*
 * What is switched: a counter for the host and one for guests, or none. What a guest is lent:
 * nothing, two event counters and cycles, or all event counters but one and cycles.
 */
static const struct cost_case {
    const char *name;
    bool masks;
    unsigned lent;
} cases[] = {
    {"idle", false, 0},      {"masks", true, 0},       {"own2", false, 2},
    {"own2-masks", true, 2}, {"own-most", false, ~0u},
};

/* The last counter, which counts EL2 alone. */
static NOINLINE uint64_t cost_of(int (*fn)(struct vpmu_switch *s))
{
    unsigned n = pmu_counters() - 1;
    uint64_t start = read_pmevcntr(n);
    int result = fn(&world.pmu);
    uint64_t end = read_pmevcntr(n);

    world.errors += result != 0;
    return end - start;
}

static void lend(unsigned lent)
{
    struct vpmu_guest *g = &world.guest[0].pmu;
    unsigned most = pmu_counters() - 1;

    *g = (struct vpmu_guest){.counters = (uint8_t)(lent < most ? lent : most), .cycles = lent != 0};
}

/* Runs at EL2. The counter of the host is on while the host runs. */
static void measure(const struct cost_case *c, uint64_t cost[CALLS])
{
    unsigned n = pmu_counters();
    uint64_t host = c->masks ? BIT(n - 2) : 0, guest = c->masks ? BIT(n - 3) : 0;
    uint64_t glue = cost_of(call_nothing);

    lend(c->lent);
    write_sysreg(pmcntenset_el0, host);
    vpmu_arm_switch_set(&world.pmu, host, guest, NULL);
    for (unsigned call = 0; call < CALLS; call++) {
        cost[call] = cost_of(calls[call].fn) - glue;
    }
    vpmu_arm_switch_set(&world.pmu, 0, 0, NULL);
    write_sysreg(pmcntenclr_el0, host | guest);
}

/*
 * Upper limits. The short paths check whether they may run, exchange two words of state, load two
 * masks and write them: 4 to 7 instructions more than an empty function, and a few more with
 * another compiler. Lending counters takes some 20 more register accesses, each with a load or a
 * store and a mask. Values and types of counters are moved one by one, by a jump to the instruction
 * with the number: 16 for each. A VHE host's filters are read and written, which takes two such
 * jumps.
 */
static uint64_t bound(unsigned call, const struct cost_case *c)
{
    bool shortest = call == ENTER || call == EXIT;
    uint64_t moved = c->lent ? world.guest[0].pmu.counters + 1u : 0;
    uint64_t filters = c->masks && is_vhe() ? 2 : 0;
    uint64_t own = c->lent ? 80 : 0;

    if (shortest) {
        return 12 + (is_vhe() ? 0 : own);
    }
    return 64 + (is_vhe() ? own : 0) + 40 * (moved + filters);
}

static void print_cost(unsigned call, const struct cost_case *c, uint64_t cost)
{
    console_puts("INFO switch.");
    console_puts(is_vhe() ? "vhe." : "nvhe.");
    console_puts(calls[call].name);
    console_puts(".");
    console_puts(c->name);
    console_puts(" ");
    info_number(cost);
    console_puts("\n");
}

static void check_cost(enum vpmu_host_mode mode)
{
    world_start(mode);
    pmu_count(pmu_counters() - 1, EVENT_INST_RETIRED | PMEVTYPER_P | PMEVTYPER_U | PMEVTYPER_NSH);
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint64_t first[CALLS], cost[CALLS];

        measure(&cases[i], first);
        measure(&cases[i], cost);
        for (unsigned call = 0; call < CALLS; call++) {
            print_cost(call, &cases[i], cost[call]);
            expect_eq(calls[call].name, i, first[call], cost[call]);
            expect_range(calls[call].name, i, 1, bound(call, &cases[i]), cost[call]);
        }
    }
    expect_eq("errors", 0, 0, world.errors);
}

DEFINE_TESTS(test_cost, check_cost)
