/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HYPERVISOR_WORLD_H
#define HYPERVISOR_WORLD_H

#include <stddef.h>

#include "hypervisor/layout.h"
#include "runtime/level.h"
#include "vpmu/arm/switch.h"

/*
 * A host of either mode and its guests, on one CPU. The host's kernel runs at EL1 (nVHE) or EL2
 * (VHE); host_call() starts it. It uses at_hyp() for what only a hypervisor may do, which is an HVC
 * or a plain call. The comments below say where each function may be called.
 */

/* The places where instructions are spent. world.loops has the iterations of each. */
enum place {
    HOST_USER,
    HOST_KERNEL,
    HYP_BEFORE,   /* EL2, before vpmu_arm_guest_enter() */
    HYP_AFTER,    /* EL2, after vpmu_arm_guest_exit() */
    WINDOW_ENTRY, /* EL2, from vpmu_arm_guest_enter() to the ERET */
    WINDOW_EXIT,  /* EL2, from the exception to vpmu_arm_guest_exit() */
    GUEST_KERNEL,
    GUEST_USER,
    PLACES
};

/* The last step before a guest's registers are loaded, and the first after they are saved. */
typedef int (*step_fn)(void);

/* The EL1 registers of each guest, and of an nVHE host. */
struct el1 {
    uint64_t sp_el0, sp_el1, vbar, elr, spsr;
};

struct guest_job;

/* How a guest exits. */
struct exit_kind {
    void (*code)(void); /* in guest.S */
    unsigned ec;        /* ESR_EL2.EC */
    unsigned executed;  /* the instruction counts: the exception returns to the next one */
};

struct vcpu {
    uint64_t x0_x18[19];
    uint64_t x30;
    uint64_t x19_x29[11];
    step_fn last, first;
    uint64_t pc, pstate;
    uint64_t esr;
    uint64_t vttbr;
    struct el1 el1;
    const struct exit_kind *exit;
    struct vpmu_guest pmu;
    struct guest_job *job; /* for job_begin() */
    /* What it has executed of its own counting loop: see guest_account(). */
    bool counting;
    uint64_t executed_el1, executed_el0;
};

_Static_assert(offsetof(struct vcpu, x0_x18) == VCPU_X0, "world.S");
_Static_assert(offsetof(struct vcpu, x0_x18[18]) == VCPU_X18, "world.S");
_Static_assert(offsetof(struct vcpu, x30) == VCPU_X18 + 8, "world.S");
_Static_assert(offsetof(struct vcpu, x19_x29) == VCPU_X19, "world.S");
_Static_assert(offsetof(struct vcpu, x19_x29[10]) == VCPU_X29, "world.S");
_Static_assert(offsetof(struct vcpu, last) == VCPU_LAST, "world.S");
_Static_assert(offsetof(struct vcpu, first) == VCPU_FIRST, "world.S");

#define GUESTS 2u

extern struct world {
    enum vpmu_host_mode mode;
    struct vpmu_switch pmu;
    uint64_t loops[PLACES];
    unsigned errors; /* calls that were refused, exits of another kind, filters not restored */
    struct el1 host;
    struct vcpu guest[GUESTS];
} world;

static inline bool is_vhe(void)
{
    return world.mode == VPMU_HOST_VHE;
}

/* Two instructions for each iteration; 1 or more. */
static inline void spend(uint64_t iterations)
{
    __asm__ volatile("1: subs %0, %0, #1\n\tb.ne 1b" : "+r"(iterations) : : "cc");
}

static inline void spend_at(enum place place)
{
    spend(world.loops[place]);
}

/* From a test: makes this CPU a host of that mode. levels_reset() ends it. */
void world_start(enum vpmu_host_mode mode);

/* From a test: runs fn as the host's kernel. */
uint64_t host_call(level_fn fn, uint64_t arg);

/* In the host's kernel: runs fn at EL2. world.errors counts results that are not 0. */
uint64_t at_hyp(level_fn fn, uint64_t arg);

/* In the host's kernel: runs EL0, which spends and returns. In world.S. */
void host_user(uint64_t iterations);

/* For at_hyp(); arg is a struct vcpu. The result is not zero if the library refused. */
uint64_t guest_load(uint64_t vcpu);
uint64_t guest_put(uint64_t vcpu);
/* Runs until the guest exits. The struct says what it did. */
uint64_t guest_run(uint64_t vcpu);

/* Steps that spend nothing, and steps that spend world.loops[WINDOW_*]. */
int last_step(void);
int first_step(void);
int last_step_spending(void);
int first_step_spending(void);

/* In world.S. */
uint64_t hyp_call(level_fn fn, uint64_t arg);
int world_enter(struct vcpu *v);

#endif
