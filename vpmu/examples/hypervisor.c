/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * A small hypervisor with a host's kernel at EL1 (nVHE) and one guest that samples. The guest runs
 * twice: first every access to its PMU is trapped and emulated, then counters of the CPU are lent
 * to it. docs/porting.md explains it. Prints each count beside the known one; exit status 1 if they
 * differ. fake_el2.c is the CPU.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fake_el2.h"
#include "guest.h"
#include "known.h"
#include "vpmu/arm/switch.h"
#include "vpmu/arm/trap.h"

#define BIT(n) (1ull << (n))
#define COUNTERS 8u
#define LENT 2u /* counters 0 and 1 are lent to the guest in the second run */
#define HOST_COUNTER 7u
#define HOST_INSTS_PER_EXIT 7u

/* Counters 2 to 5 fill the totals of the emulated PMU. Each counts one source in one context. */
#define FIRST_BACKING 2u
static const struct backing {
    uint16_t event;
    uint8_t el;
    enum vpmu_source source;
} backings[] = {
    {VPMU_EVENT_INST_RETIRED, 0, VPMU_SRC_INST_RETIRED},
    {VPMU_EVENT_INST_RETIRED, 1, VPMU_SRC_INST_RETIRED},
    {VPMU_EVENT_CPU_CYCLES, 0, VPMU_SRC_CPU_CYCLES},
    {VPMU_EVENT_CPU_CYCLES, 1, VPMU_SRC_CPU_CYCLES},
};
#define BACKINGS (sizeof(backings) / sizeof(backings[0]))
#define BACKING_MASK (((BIT(BACKINGS)) - 1) << FIRST_BACKING)

static struct vpmu_switch cpu;
static struct vcpu {
    bool lends;
    struct vpmu_arm pmu; /* emulated */
    struct vpmu_arm_totals totals;
    uint64_t begun[BACKINGS]; /* values of counters 2 to 5 at the entry */
    struct vpmu_guest own;    /* registers of the guest while it is not loaded */
    unsigned exits;
} vcpu;

static unsigned context(unsigned el)
{
    return vpmu_arm_ctx(el, VPMU_NONSECURE);
}

static void must(const char *what, int err)
{
    if (err) {
        fprintf(stderr, "%s: error %d\n", what, -err);
        exit(EXIT_FAILURE);
    }
}

/*
 * What is due after a call needs no action here: enter() reads the level of the interrupt line and
 * the headroom each time.
 */

/* Adds what counters 2 to 5 have counted since the entry to the totals of the emulated PMU. */
static void take_counts(struct vcpu *v)
{
    for (unsigned i = 0; i < BACKINGS; i++) {
        uint64_t now = vpmu_mrs_pmevcntr(FIRST_BACKING + i);

        v->totals.n[context(backings[i].el)][backings[i].source] += now - v->begun[i];
    }
    vpmu_msr_pmovsclr_el0(BACKING_MASK);
    vpmu_arm_settle(&v->pmu, NULL);
}

/*
 * Makes counters 2 to 5 overflow, and interrupt, before a counter of the guest can. EL2 does not
 * see the guest change between EL0 and EL1. Each level gets half of the headroom, so that both
 * together cannot exceed it.
 */
static void set_limits(struct vcpu *v)
{
    for (unsigned i = 0; i < BACKINGS; i++) {
        uint64_t source = VPMU_SRC_BIT(backings[i].source);
        uint64_t room = vpmu_arm_headroom(&v->pmu, source, context(backings[i].el));

        v->begun[i] = 0 - (room / 2 + room % 2);
        vpmu_msr_pmevcntr(FIRST_BACKING + i, v->begun[i]);
    }
}

static void enter(struct vcpu *v)
{
    if (v->lends) {
        el2_inject(v->own.ovs & v->own.inten);
    } else {
        set_limits(v);
        el2_inject(vpmu_arm_irq_level(&v->pmu));
    }
    must("enter", vpmu_arm_guest_enter(&cpu));
}

static void leave(struct vcpu *v, unsigned el)
{
    must("exit", vpmu_arm_guest_exit(&cpu));
    v->exits++;
    if (!v->lends) {
        vpmu_arm_set_context(&v->pmu, context(el), NULL);
        take_counts(v);
    }
    host_run(HOST_INSTS_PER_EXIT); /* the host's kernel runs at each exit */
}

/*
 * A trapped access of the guest. This guest accesses only what exists and is permitted. A real
 * hypervisor injects the exception that vpmu_arm_trap() reports.
 */
void el2_sync(unsigned el, uint64_t esr, uint64_t x[31])
{
    struct vpmu_pe pe = {.el = (uint8_t)el};

    enum vpmu_access access;
    int due;

    leave(&vcpu, el);
    due = vpmu_arm_trap(&vcpu.pmu, &pe, esr, 0, x, NULL, &access);
    must("register", due < 0 ? due : 0);
    must("access", -(int)access);
    enter(&vcpu);
}

void el2_irq(unsigned el)
{
    leave(&vcpu, el);
    enter(&vcpu);
}

static void start_event(unsigned n, uint16_t event, const struct vpmu_attr *attr)
{
    struct vpmu_plan plan;

    must("attribute", vpmu_arm_attr_plan(VPMU_HOST_NVHE, attr, &plan, NULL));
    vpmu_msr_pmevtyper(n, plan.filter | event);
    if (!plan.deferred) {
        vpmu_msr_pmcntenset_el0(BIT(n));
    }
}

static void start_host(void)
{
    static const struct vpmu_attr host = {.exclude_guest = true, .exclude_hv = true};

    fake_start();
    vpmu_msr_pmcr_el0(VPMU_PMCR_E | VPMU_PMCR_LP);
    start_event(HOST_COUNTER, VPMU_EVENT_INST_RETIRED, &host);
    for (unsigned i = 0; i < BACKINGS; i++) {
        struct vpmu_attr attr = {
            .exclude_host = true,
            .exclude_user = backings[i].el != 0,
            .exclude_kernel = backings[i].el != 1,
        };

        start_event(FIRST_BACKING + i, backings[i].event, &attr);
    }
    vpmu_msr_pmintenset_el1(BACKING_MASK);
    must("switch", vpmu_arm_switch_init(&cpu, VPMU_HOST_NVHE, COUNTERS, NULL));
}

static void start_vcpu(struct vcpu *v, bool lends)
{
    static const struct vpmu_arm_config config = {
        .version = VPMU_V3P5,
        .counters = LENT,
        .features = VPMU_HAS_NO_AARCH32,
        .sources = VPMU_SRC_BIT(VPMU_SRC_INST_RETIRED) | VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES),
        .cycle_units = 1,
    };
    uint64_t traps = lends ? 0 : VPMU_MDCR_EL2_TPM | VPMU_MDCR_EL2_TPMCR;

    *v = (struct vcpu){.lends = lends};
    v->own.counters = lends ? LENT : 0;
    v->own.cycles = lends;
    must("PMU", vpmu_arm_init(&v->pmu, &config, &v->totals, NULL, NULL));
    vpmu_msr_mdcr_el2(vpmu_mrs_mdcr_el2() | traps);
    must("masks", vpmu_arm_switch_set(&cpu, BIT(HOST_COUNTER), lends ? 0 : BACKING_MASK, NULL));
}

static unsigned play(bool lends)
{
    unsigned wrong = 0;

    printf("-- %s\n", lends ? "counters lent to the guest" : "every access trapped");
    start_host();
    start_vcpu(&vcpu, lends);
    host_run(1000);
    must("load", vpmu_arm_guest_load(&cpu, &vcpu.own));
    enter(&vcpu);
    wrong += guest_main();
    leave(&vcpu, 1);
    must("put", vpmu_arm_guest_put(&cpu));
    host_run(500);
    wrong += differs("the host's instructions", 1500 + vcpu.exits * HOST_INSTS_PER_EXIT,
                     vpmu_mrs_pmevcntr(HOST_COUNTER));
    printf("   %u exits\n", vcpu.exits);
    return wrong;
}

int main(void)
{
    return play(false) + play(true) ? EXIT_FAILURE : EXIT_SUCCESS;
}
