/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ARM_SWITCH_H
#define VPMU_ARM_SWITCH_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/arm/attr.h"
#include "vpmu/decls.h"
#include "vpmu/errors.h"
#include "vpmu/arm/fields.h"
#include "vpmu/arm/sysreg.h"

VPMU_DECLS_BEGIN

/*
 * The switch between a host and its guests on one CPU, for hypervisors at EL2.
 *
 * The host uses some of the CPU's counters. Some of them count the host only, others the guest
 * only, and exception levels cannot distinguish the two. On an nVHE host, vpmu_arm_guest_enter()
 * and vpmu_arm_guest_exit() switch these counters. On a VHE host, vpmu_arm_guest_load() and
 * vpmu_arm_guest_put() do.
 *
 * Order of calls: load, then enter and exit any number of times, then put.
 *
 * A guest without counters of its own must not access the PMU. The hypervisor traps its accesses
 * with MDCR_EL2.TPM and TPMCR. The switch sets up that accesses from EL0 also reach EL2.
 *
 * A guest can have counters of its own: the event counters below MDCR_EL2.HPMN, and the cycle
 * counter. The host has the other event counters, so their values stay in the CPU while the guest
 * is loaded. The other state is shared as follows:
 *
 * - While no such guest is loaded, MDCR_EL2.HPMN is the number of event counters.
 * - PMCR_EL0 belongs to the guest: on an nVHE host from enter to exit, on a VHE host from load to
 *   put. Host counters continue unchanged, by MDCR_EL2.HPME, HLP, HPMFZO and HPMFZS. A VHE host
 *   that starts or stops all its counters at once writes HPME meanwhile, not PMCR_EL0.E; put copies
 *   HPME to E.
 * - The fields VPMU_SWITCH_MDCR_EL2 of MDCR_EL2 belong to the switch for the same time. The other
 *   fields belong to the hypervisor, which sets them before vpmu_arm_guest_enter(). A hypervisor on
 *   a VHE host must not change the switch's fields.
 * - The cycle counter obeys PMCR_EL0, so the host cannot use it even if the guest does not: it
 *   counts CPU_CYCLES in an event counter instead. The same applies to PMICNTR_EL0
 *   (FEAT_PMUv3_ICNTR), which is never lent. HPMN does not keep a guest from either counter; traps
 *   do.
 * - The guest's own counters never count EL2, by MDCR_EL2.HPMD and HCCD, and the host's counters
 *   never stop in between. This needs an ISB at entry and at exit, which is executed only if
 *   counters are lent. Before PMUv3p5 there is no HCCD, so a guest that sets PMCCFILTR_EL0.NSH also
 *   counts cycles of EL2. Before PMUv3p1 there is no HPMD.
 * - The CPU has one overflow interrupt. Which interrupts are pending for the guest is in
 *   vpmu_guest.ovs and .inten after vpmu_arm_guest_exit() on an nVHE host, and in the registers on
 *   a VHE host.
 */

/* Fields of MDCR_EL2 that the switch writes while a guest with counters of its own has the CPU. */
#define VPMU_SWITCH_MDCR_EL2                                                                       \
    (VPMU_MDCR_EL2_HPMN | VPMU_MDCR_EL2_HPME | VPMU_MDCR_EL2_HPMD | VPMU_MDCR_EL2_HCCD |           \
     VPMU_MDCR_EL2_HLP | VPMU_MDCR_EL2_HPMFZO | VPMU_MDCR_EL2_HPMFZS)

/*
 * PMUSERENR_EL0 for a guest whose accesses are trapped: EL1 does not take those of EL0, so EL2
 * does.
 */
#define VPMU_SWITCH_USERENR_TRAPPED                                                                \
    (VPMU_USERENR_EN | VPMU_USERENR_SW | VPMU_USERENR_CR | VPMU_USERENR_ER)

/**
 * struct vpmu_guest - the PMU state of one vCPU, with or without counters of its own
 * @counters: the number of event counters lent to it, 0 to 31: PMEVCNTR0 up (MDCR_EL2.HPMN).
 * @cycles: the cycle counter is lent to it as well. Needs @counters of 1 or more, because HPMN
 *     cannot keep a guest without event counters from the host's.
 * @pmcr: PMCR_EL0. P and C are ignored.
 * @cnten: PMCNTENSET_EL0.
 * @inten: PMINTENSET_EL1.
 * @ovs: PMOVSSET_EL0.
 * @selr: PMSELR_EL0.
 * @userenr: PMUSERENR_EL0.
 * @value: PMEVCNTR<n>_EL0; [31] is PMCCNTR_EL0.
 * @type: PMEVTYPER<n>_EL0; [31] is PMCCFILTR_EL0.
 *
 * The fields from @pmcr on are the guest's registers while it does not have the CPU. Zero is their
 * reset state. Bits of counters that are not lent are ignored. @counters and @cycles must not
 * change while the guest is loaded.
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

VPMU_STATIC_ASSERT(sizeof(struct vpmu_guest) == 71 * sizeof(uint64_t), "no holes to save");

enum vpmu_switch_state {
    VPMU_SWITCH_OUT,    /* no guest is loaded */
    VPMU_SWITCH_LOADED, /* a guest is loaded, and the host runs */
    VPMU_SWITCH_IN,     /* the guest runs */
};

/*
 * Private: vpmu_switch.next, 0 if no guest is loaded. One test tells whether a call is in order and
 * what it must do.
 */
enum vpmu_call_ {
    VPMU_ENTER_MASKS_ = 1 << 0,
    VPMU_EXIT_MASKS_ = 1 << 1,
    /* nothing to switch; always so on a VHE host, where load has switched */
    VPMU_ENTER_IDLE_ = 1 << 2,
    VPMU_EXIT_IDLE_ = 1 << 3,
    VPMU_ENTER_LENT_ = 1 << 4, /* nVHE: the guest has counters of its own */
    VPMU_EXIT_LENT_ = 1 << 5,
};

/**
 * struct vpmu_switch - the switch of one CPU
 * @host: counters that count the host only, as bits of PMCNTENSET_EL0.
 * @guest: counters that count guests only.
 * @loaded: the guest that is loaded, or NULL.
 * @mode: VPMU_HOST_VHE or VPMU_HOST_NVHE.
 * @counters: the number of event counters of the CPU, 0 to 31.
 *
 * All other fields are private. Only the functions below write the struct. They must not interrupt
 * one another.
 */
struct vpmu_switch {
    uint64_t host;
    uint64_t guest;
    uint32_t next;  /* enum vpmu_call_ of the next call */
    uint32_t after; /* of the call after it; enter and exit swap the two */
    struct vpmu_guest *loaded;
    uint64_t lent; /* counters that the host cannot use while the guest is loaded */
    uint8_t mode;
    uint8_t counters;
    /* The host's registers, saved while the guest has them. */
    uint64_t selr;
    uint64_t userenr;
    uint64_t pmcr;
    uint64_t mdcr;
};

/**
 * vpmu_arm_switch_init() - make a switch without counters to switch
 * @s: memory for it, of any content.
 * @mode: VPMU_HOST_VHE or VPMU_HOST_NVHE.
 * @counters: the number of event counters of the CPU, 0 to 31, as PMCR_EL0.N reads at EL2.
 * @why: is set to the reason if the call is refused; may be NULL.
 *
 * Context: any; accesses no register.
 * Return: 0, or -VPMU_ERR_SWITCH with @s unchanged.
 */
int vpmu_arm_switch_init(struct vpmu_switch *s, enum vpmu_host_mode mode, unsigned counters,
                         const char **why);

/**
 * vpmu_arm_switch_set() - set which counters are switched
 * @s: the switch of this CPU.
 * @host: counters of events with vpmu_plan.host, as bits of PMCNTENSET_EL0.
 * @guest: counters of events with vpmu_plan.guest.
 * @why: is set to the reason if the call is refused; may be NULL.
 *
 * The host calls it when it starts an event, after it has set the counter's filter and enabled the
 * counter, unless the plan defers that; and when it stops an event, before it disables the counter.
 * It must not call it between enter and exit. On a VHE host with a guest loaded, the call changes
 * the filters of all these counters at once. Call it there again, with the same masks, if a
 * counter's PMEVTYPER<n>_EL0 was written.
 *
 * Context: EL2, interrupts masked.
 * Return: 0, or -VPMU_ERR_SWITCH with everything unchanged: a counter does not exist, is in both
 * masks or is lent to the guest that is loaded; or the guest runs.
 */
int vpmu_arm_switch_set(struct vpmu_switch *s, uint64_t host, uint64_t guest, const char **why);

/**
 * vpmu_arm_guest_load() - a vCPU will run on this CPU from now on
 * @s: the switch of this CPU.
 * @g: the vCPU's PMU. It must stay at its address until vpmu_arm_guest_put().
 *
 * VHE: moves EL0 from the filters of the host's counters to those of the guest's, and gives the
 * guest its own counters. nVHE: writes values and types of the guest's own counters. Both: if the
 * guest has no counters of its own, gives it PMUSERENR_EL0 and PMSELR_EL0.
 *
 * Context: EL2, interrupts masked. EL0 of the host must not run until vpmu_arm_guest_put(); its
 * kernel may.
 * Return: 0, or -VPMU_ERR_SWITCH with everything unchanged: @g is NULL, a guest is
 * loaded already, or counters are lent that do not exist, that are in the host's masks or that the
 * host has enabled.
 */
int vpmu_arm_guest_load(struct vpmu_switch *s, struct vpmu_guest *g);

/**
 * vpmu_arm_guest_enter() - the guest runs next
 * @s: the switch of this CPU.
 *
 * nVHE: gives the guest its own counters with PMUSERENR_EL0 and PMSELR_EL0, then starts the guest's
 * counters and stops the host's. VHE: only checks the order of calls; calling it and
 * vpmu_arm_guest_exit() is optional.
 *
 * Context: EL2, interrupts masked, as late as possible before the ERET. On an nVHE host,
 * instructions executed after it are counted for neither side.
 * Return: 0, or -VPMU_ERR_SWITCH with everything unchanged: no guest is loaded, or it runs already.
 */
static inline int vpmu_arm_guest_enter(struct vpmu_switch *s);

/**
 * vpmu_arm_guest_exit() - the guest has just stopped running
 * @s: the switch of this CPU.
 *
 * nVHE: starts the host's counters and stops the guest's, then takes back the rest.
 *
 * Context: as for vpmu_arm_guest_enter(), as early as possible after the exception.
 * Return: 0, or -VPMU_ERR_SWITCH with everything unchanged: the guest was not running.
 */
static inline int vpmu_arm_guest_exit(struct vpmu_switch *s);

/**
 * vpmu_arm_guest_put() - undo vpmu_arm_guest_load()
 * @s: the switch of this CPU.
 *
 * The guest's own counters are disabled; their values and types are saved in struct vpmu_guest.
 *
 * Context: as for vpmu_arm_guest_load().
 * Return: 0, or -VPMU_ERR_SWITCH with everything unchanged: no guest is loaded, or it runs.
 */
int vpmu_arm_guest_put(struct vpmu_switch *s);

/**
 * vpmu_arm_switch_state() - the state of the switch
 * @s: the switch.
 *
 * Return: VPMU_SWITCH_OUT, VPMU_SWITCH_LOADED or VPMU_SWITCH_IN.
 */
static inline enum vpmu_switch_state vpmu_arm_switch_state(const struct vpmu_switch *s)
{
    if (!s->next) {
        return VPMU_SWITCH_OUT;
    }
    return s->next & (VPMU_ENTER_MASKS_ | VPMU_ENTER_IDLE_ | VPMU_ENTER_LENT_) ? VPMU_SWITCH_LOADED
                                                                               : VPMU_SWITCH_IN;
}

/* Private: enter and exit for a guest with counters of its own on an nVHE host. */
int vpmu_arm_guest_enter_lent_(struct vpmu_switch *s);
int vpmu_arm_guest_exit_lent_(struct vpmu_switch *s);

/*
 * Private: switch counting to the guest, and back. Writing a mask of 0 has no effect; it is not
 * tested, because at least one mask is not 0. The guest's counters do not count EL2, so the host's
 * counters are stopped last and started first.
 */
static inline void vpmu_arm_count_guest_(uint64_t host, uint64_t guest)
{
    vpmu_msr_pmcntenset_el0(guest);
    vpmu_msr_pmcntenclr_el0(host);
}

static inline void vpmu_arm_count_host_(uint64_t host, uint64_t guest)
{
    vpmu_msr_pmcntenset_el0(host);
    vpmu_msr_pmcntenclr_el0(guest);
}

static inline int vpmu_arm_guest_enter(struct vpmu_switch *s)
{
    uint32_t next = s->next, after = s->after;
    uint64_t host = s->host, guest = s->guest;

    if (next & VPMU_ENTER_MASKS_) {
        s->next = after;
        s->after = next;
        vpmu_arm_count_guest_(host, guest);
        return 0;
    }
    if (next & VPMU_ENTER_IDLE_) {
        s->next = after;
        s->after = next;
        return 0;
    }
    return next & VPMU_ENTER_LENT_ ? vpmu_arm_guest_enter_lent_(s) : -VPMU_ERR_SWITCH;
}

static inline int vpmu_arm_guest_exit(struct vpmu_switch *s)
{
    uint32_t next = s->next, after = s->after;
    uint64_t host = s->host, guest = s->guest;

    if (next & VPMU_EXIT_MASKS_) {
        vpmu_arm_count_host_(host, guest);
        s->next = after;
        s->after = next;
        return 0;
    }
    if (next & VPMU_EXIT_IDLE_) {
        s->next = after;
        s->after = next;
        return 0;
    }
    if (next & VPMU_EXIT_LENT_) {
        vpmu_arm_count_host_(host, guest);
        return vpmu_arm_guest_exit_lent_(s);
    }
    return -VPMU_ERR_SWITCH;
}

VPMU_DECLS_END

#endif
