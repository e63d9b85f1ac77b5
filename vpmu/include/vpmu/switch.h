/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_SWITCH_H
#define VPMU_SWITCH_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/attr.h"
#include "vpmu/errors.h"
#include "vpmu/fields.h"
#include "vpmu/sysreg.h"

/*
 * The switch between a host and its guests on one CPU, for hypervisors at EL2.
 *
 * The host counts with some of the CPU's counters. Which of them count the host alone, and which
 * the guest alone, cannot be told by exception levels; vpmu_guest_enter() and vpmu_guest_exit() do
 * it on an nVHE host, vpmu_guest_load() and vpmu_guest_put() on a VHE host.
 *
 * Order: load, then enter and exit any number of times, then put.
 *
 * A guest without counters of its own is not to touch the PMU: the hypervisor traps it, by
 * MDCR_EL2.TPM and TPMCR. The switch sees to it that accesses from EL0, too, get as far as EL2.
 *
 * A guest may have counters of its own: the event counters below MDCR_EL2.HPMN, and the cycle
 * counter. The host has the other event counters, so their values stay in the CPU while the guest
 * is loaded. As for the rest:
 *
 * - When no such guest is loaded, MDCR_EL2.HPMN is the number of event counters.
 * - PMCR_EL0 is the guest's: on an nVHE host from enter to exit, on a VHE host from load to put.
 *   Host counters go on as they did, by MDCR_EL2.HPME, HLP, HPMFZO and HPMFZS; a VHE host that
 *   starts and stops all its counters at once writes HPME then, not PMCR_EL0.E, and put makes E of
 *   it.
 * - Of MDCR_EL2, the fields of VPMU_SWITCH_MDCR_EL2 are the switch's as long; the others stay the
 *   hypervisor's: it sets those before vpmu_guest_enter(), and on a VHE host leaves these alone.
 * - The cycle counter obeys PMCR_EL0, so the host cannot have it even where the guest does not: it
 *   counts CPU_CYCLES in an event counter. The same goes for PMICNTR_EL0 (FEAT_PMUv3_ICNTR), which
 *   is never lent. HPMN keeps no guest from either, but traps do.
 * - Own counters never count EL2, by MDCR_EL2.HPMD and HCCD, and the host's never stop on the way;
 *   an ISB on either side sees to it where counters are lent, and only there. Before PMUv3p5 there
 * is no HCCD: a guest that sets PMCCFILTR_EL0.NSH counts cycles of EL2, too. Before PMUv3p1 there
 * is no HPMD.
 * - The CPU has one overflow interrupt. What the guest is owed is in vpmu_guest.ovs and .inten
 *   after vpmu_guest_exit() on an nVHE host, and in the registers on a VHE host.
 */

/* Fields of MDCR_EL2 that the switch writes while a guest with counters of its own has the CPU. */
#define VPMU_SWITCH_MDCR_EL2                                                                       \
    (VPMU_MDCR_EL2_HPMN | VPMU_MDCR_EL2_HPME | VPMU_MDCR_EL2_HPMD | VPMU_MDCR_EL2_HCCD |           \
     VPMU_MDCR_EL2_HLP | VPMU_MDCR_EL2_HPMFZO | VPMU_MDCR_EL2_HPMFZS)

/* PMUSERENR_EL0 for a guest that is trapped: what EL1 does not take, EL2 gets. */
#define VPMU_SWITCH_USERENR_TRAPPED                                                                \
    (VPMU_USERENR_EN | VPMU_USERENR_SW | VPMU_USERENR_CR | VPMU_USERENR_ER)

/**
 * struct vpmu_guest - the PMU state of one vCPU that has counters of its own, or none
 * @counters: event counters lent to it, 0 to 31: PMEVCNTR0 and following (MDCR_EL2.HPMN).
 * @cycles: the cycle counter is lent to it, too; takes @counters of 1 or more, since HPMN cannot
 *     keep a guest with no event counter from the host's.
 * @value: PMEVCNTR<n>_EL0; [31] is PMCCNTR_EL0.
 * @type: PMEVTYPER<n>_EL0; [31] is PMCCFILTR_EL0.
 * Others: the guest's registers while it does not have the CPU; zero is their reset state.
 *
 * Bits of counters that are not lent are ignored; so are PMCR_EL0's P and C. @counters and @cycles
 * stay as they are while the guest is loaded.
 */
struct vpmu_guest {
    uint8_t counters;
    bool cycles;
    uint64_t pmcr;    /* E D X DP LC LP FZO FZS */
    uint64_t cnten;   /* PMCNTENSET */
    uint64_t inten;   /* PMINTENSET */
    uint64_t ovs;     /* PMOVSSET */
    uint64_t selr;    /* PMSELR */
    uint64_t userenr; /* PMUSERENR */
    uint64_t value[32];
    uint64_t type[32];
};

_Static_assert(sizeof(struct vpmu_guest) == 71 * sizeof(uint64_t), "no holes to save");

enum vpmu_switch_state {
    VPMU_SWITCH_OUT,    /* no guest is loaded */
    VPMU_SWITCH_LOADED, /* one is, and the host runs */
    VPMU_SWITCH_IN,     /* the guest runs */
};

/* vpmu_switch.turn; 0 if no guest is loaded. One test says whether it may be done, and what it is.
 */
enum vpmu_turn_ {
    VPMU_ENTER_MASKS_ = 1 << 0,
    VPMU_EXIT_MASKS_ = 1 << 1,
    VPMU_ENTER_IDLE_ =
        1 << 2, /* nothing is switched, or on a VHE host, which has done it by load */
    VPMU_EXIT_IDLE_ = 1 << 3,
    VPMU_ENTER_LENT_ = 1 << 4, /* on an nVHE host, the guest has counters of its own */
    VPMU_EXIT_LENT_ = 1 << 5,
};

/**
 * struct vpmu_switch - the switch of one CPU
 * @host: counters that count the host alone, as bits of PMCNTENSET_EL0.
 * @guest: counters that count guests alone.
 * @loaded: the guest that is loaded, or NULL.
 * @mode: VPMU_HOST_VHE or VPMU_HOST_NVHE.
 * @counters: event counters that the CPU has, 0 to 31.
 * Others: private.
 *
 * Written by the functions below alone, which must not interrupt one another.
 */
struct vpmu_switch {
    uint64_t host;
    uint64_t guest;
    uint32_t turn;  /* what may be called now, and what there is to do then */
    uint32_t after; /* the turn after that: enter and exit exchange the two */
    struct vpmu_guest *loaded;
    uint64_t lent; /* counters that the host is without */
    uint8_t mode;
    uint8_t counters;
    /* The host's while the guest has these. */
    uint64_t selr;
    uint64_t userenr;
    uint64_t pmcr;
    uint64_t mdcr;
};

/**
 * vpmu_switch_init() - a switch with nothing to switch
 * @s: memory for it, of any content.
 * @mode: VPMU_HOST_VHE or VPMU_HOST_NVHE.
 * @counters: event counters that the CPU has, as EL2 sees them in PMCR_EL0.N.
 * @why: if not NULL and the call is refused, is set to a sentence that says why.
 *
 * Context: any; touches no register.
 * Return: 0, or -VPMU_ERR_SWITCH with @s as before.
 */
int vpmu_switch_init(struct vpmu_switch *s, enum vpmu_host_mode mode, unsigned counters,
                     const char **why);

/**
 * vpmu_switch_set() - which counters are to be switched
 * @s: the switch of this CPU.
 * @host: counters of events with vpmu_plan.host, as bits of PMCNTENSET_EL0.
 * @guest: counters of events with vpmu_plan.guest.
 * @why: as for vpmu_switch_init().
 *
 * The host calls it when it starts or stops an event: after it has set the counter's filter and
 * enabled it, unless the plan defers that, or before it disables it. Not between enter and exit. On
 * a VHE host with a guest loaded the filters of all these counters are changed at once: call it
 * also, with the same masks, when one's PMEVTYPER<n>_EL0 was written anew.
 *
 * Context: EL2, no interrupts.
 * Return: 0, or -VPMU_ERR_SWITCH with everything as before: a counter that does not exist, is in
 * both masks or is lent to the guest that is loaded; or the guest runs.
 */
int vpmu_switch_set(struct vpmu_switch *s, uint64_t host, uint64_t guest, const char **why);

/**
 * vpmu_guest_load() - a vCPU is to run on this CPU from now on
 * @s: the switch of this CPU.
 * @g: its PMU; must stay where it is until vpmu_guest_put().
 *
 * VHE: moves EL0 from the filters of the host's counters to those of the guest's, and gives its
 * own counters to the guest. nVHE: puts the values and types of these in place. Both: gives
 * PMUSERENR_EL0 and PMSELR_EL0 to a guest that has no counters of its own.
 *
 * Context: EL2, no interrupts. No EL0 of the host's runs until vpmu_guest_put(); its kernel may.
 * Return: 0, or -VPMU_ERR_SWITCH with everything as before: no guest, one is loaded already, or
 * counters are lent that are not there, that the host's masks have or that the host has enabled.
 */
int vpmu_guest_load(struct vpmu_switch *s, struct vpmu_guest *g);

/**
 * vpmu_guest_enter() - the guest runs next
 * @s: the switch of this CPU.
 *
 * nVHE: gives its own counters to the guest, with PMUSERENR_EL0 and PMSELR_EL0; then starts the
 * guest's counters and stops the host's. VHE: only checks the order of calls; neither it nor
 * vpmu_guest_exit() need be called.
 *
 * Context: EL2, no interrupts, as late as can be before the ERET: on an nVHE host what is executed
 * after it is counted for nobody.
 * Return: 0, or -VPMU_ERR_SWITCH with everything as before: no guest is loaded, or it runs already.
 */
static inline int vpmu_guest_enter(struct vpmu_switch *s);

/**
 * vpmu_guest_exit() - the guest has just stopped running
 * @s: the switch of this CPU.
 *
 * nVHE: starts the host's counters and stops the guest's; then takes the rest back.
 *
 * Context: as of vpmu_guest_enter(), as early as can be after the exception.
 * Return: 0, or -VPMU_ERR_SWITCH with everything as before: the guest was not running.
 */
static inline int vpmu_guest_exit(struct vpmu_switch *s);

/**
 * vpmu_guest_put() - undo vpmu_guest_load()
 * @s: the switch of this CPU.
 *
 * Own counters are disabled, their values and types in vpmu_guest.
 *
 * Context: as of vpmu_guest_load().
 * Return: 0, or -VPMU_ERR_SWITCH with everything as before: none is loaded, or it runs.
 */
int vpmu_guest_put(struct vpmu_switch *s);

/* Where the switch stands. */
static inline enum vpmu_switch_state vpmu_switch_state(const struct vpmu_switch *s)
{
    if (!s->turn) {
        return VPMU_SWITCH_OUT;
    }
    return s->turn & (VPMU_ENTER_MASKS_ | VPMU_ENTER_IDLE_ | VPMU_ENTER_LENT_) ? VPMU_SWITCH_LOADED
                                                                               : VPMU_SWITCH_IN;
}

/* The rest of enter and exit for a guest with counters of its own on an nVHE host. */
int vpmu_guest_enter_lent_(struct vpmu_switch *s);
int vpmu_guest_exit_lent_(struct vpmu_switch *s);

/*
 * A mask of 0 writes nothing: no test for it, as at least one is not. Guests' counters do not count
 * EL2, so the host's are the last to stop and the first to start.
 */
static inline void vpmu_count_guest_(uint64_t host, uint64_t guest)
{
    vpmu_msr_pmcntenset_el0(guest);
    vpmu_msr_pmcntenclr_el0(host);
}

static inline void vpmu_count_host_(uint64_t host, uint64_t guest)
{
    vpmu_msr_pmcntenset_el0(host);
    vpmu_msr_pmcntenclr_el0(guest);
}

static inline int vpmu_guest_enter(struct vpmu_switch *s)
{
    uint32_t turn = s->turn, after = s->after;
    uint64_t host = s->host, guest = s->guest;

    if (turn & VPMU_ENTER_MASKS_) {
        s->turn = after;
        s->after = turn;
        vpmu_count_guest_(host, guest);
        return 0;
    }
    if (turn & VPMU_ENTER_IDLE_) {
        s->turn = after;
        s->after = turn;
        return 0;
    }
    return turn & VPMU_ENTER_LENT_ ? vpmu_guest_enter_lent_(s) : -VPMU_ERR_SWITCH;
}

static inline int vpmu_guest_exit(struct vpmu_switch *s)
{
    uint32_t turn = s->turn, after = s->after;
    uint64_t host = s->host, guest = s->guest;

    if (turn & VPMU_EXIT_MASKS_) {
        vpmu_count_host_(host, guest);
        s->turn = after;
        s->after = turn;
        return 0;
    }
    if (turn & VPMU_EXIT_IDLE_) {
        s->turn = after;
        s->after = turn;
        return 0;
    }
    if (turn & VPMU_EXIT_LENT_) {
        vpmu_count_host_(host, guest);
        return vpmu_guest_exit_lent_(s);
    }
    return -VPMU_ERR_SWITCH;
}

#endif
