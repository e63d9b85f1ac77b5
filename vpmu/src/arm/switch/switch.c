/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The switch: load and put, and lending counters to a guest. The short paths of
 * vpmu_arm_guest_enter() and vpmu_arm_guest_exit() are in the header.
 */
#include "vpmu/arm/switch.h"

#include <stddef.h>

#include "../../bits.h"
#include "../../refuse.h"

/* The PMCR bits that are saved. P and C are commands, so they are not. */
#define PMCR_KEPT                                                                                  \
    (VPMU_PMCR_E | VPMU_PMCR_D | VPMU_PMCR_X | VPMU_PMCR_DP | VPMU_PMCR_LC | VPMU_PMCR_LP |        \
     VPMU_PMCR_FZO | VPMU_PMCR_FZS)

#define CYCLE_BIT VPMU_BIT(VPMU_CYCLE_COUNTER)

int vpmu_arm_switch_init(struct vpmu_switch *s, enum vpmu_host_mode mode, unsigned counters,
                         const char **why)
{
    if (mode != VPMU_HOST_VHE && mode != VPMU_HOST_NVHE) {
        return vpmu_refuse_("only a VHE or an nVHE host has guests to switch to", VPMU_ERR_SWITCH,
                            why);
    }
    if (counters > VPMU_MAX_EVENT_COUNTERS) {
        return vpmu_refuse_("too many event counters; there can be 0 to 31", VPMU_ERR_SWITCH, why);
    }
    *s = (struct vpmu_switch){.mode = (uint8_t)mode, .counters = (uint8_t)counters};
    return 0;
}

static uint64_t read_type(unsigned idx)
{
    return idx == VPMU_CYCLE_COUNTER ? vpmu_mrs_pmccfiltr_el0() : vpmu_mrs_pmevtyper(idx);
}

static void write_type(unsigned idx, uint64_t type)
{
    if (idx == VPMU_CYCLE_COUNTER) {
        vpmu_msr_pmccfiltr_el0(type);
    } else {
        vpmu_msr_pmevtyper(idx, type);
    }
}

static uint64_t read_value(unsigned idx)
{
    return idx == VPMU_CYCLE_COUNTER ? vpmu_mrs_pmccntr_el0() : vpmu_mrs_pmevcntr(idx);
}

static void write_value(unsigned idx, uint64_t value)
{
    if (idx == VPMU_CYCLE_COUNTER) {
        vpmu_msr_pmccntr_el0(value);
    } else {
        vpmu_msr_pmevcntr(idx, value);
    }
}

/*
 * On a VHE host, EL0 belongs to the host before load, and to the guest from load to put. A plan for
 * a VHE host never has exclude_user together with a mask bit, so a counter that loses EL0 on one
 * side had it on the other.
 */
static void include_user(uint64_t counters)
{
    unsigned idx;

    VPMU_FOR_EACH_BIT (idx, counters) {
        write_type(idx, read_type(idx) & ~VPMU_TYPER_U);
    }
}

static void exclude_user(uint64_t counters)
{
    unsigned idx;

    VPMU_FOR_EACH_BIT (idx, counters) {
        write_type(idx, read_type(idx) | VPMU_TYPER_U);
    }
}

/* Sets what the next enter and exit must do. */
static void set_calls(struct vpmu_switch *s)
{
    bool nvhe = s->mode == VPMU_HOST_NVHE;

    if (nvhe && s->lent) {
        s->next = VPMU_ENTER_LENT_;
        s->after = VPMU_EXIT_LENT_;
    } else if (nvhe && (s->host | s->guest)) {
        s->next = VPMU_ENTER_MASKS_;
        s->after = VPMU_EXIT_MASKS_;
    } else {
        s->next = VPMU_ENTER_IDLE_;
        s->after = VPMU_EXIT_IDLE_;
    }
}

static void swap_calls(struct vpmu_switch *s)
{
    uint32_t next = s->next;

    s->next = s->after;
    s->after = next;
}

static const char *find_fault(const struct vpmu_switch *s, uint64_t host, uint64_t guest)
{
    uint64_t existing = vpmu_below_(s->counters) | CYCLE_BIT;

    if (vpmu_arm_switch_state(s) == VPMU_SWITCH_IN) {
        return "the guest runs; change the counters that are switched after it has stopped";
    }
    if ((host | guest) & ~existing) {
        return "no such counter on this CPU";
    }
    if (host & guest) {
        return "a counter counts the host alone or guests alone, not both";
    }
    if ((host | guest) & s->lent) {
        return "the counter is lent to the guest that is loaded";
    }
    return NULL;
}

int vpmu_arm_switch_set(struct vpmu_switch *s, uint64_t host, uint64_t guest, const char **why)
{
    const char *fault = find_fault(s, host, guest);

    if (fault) {
        return vpmu_refuse_(fault, VPMU_ERR_SWITCH, why);
    }
    if (s->mode == VPMU_HOST_VHE && s->loaded) {
        include_user(s->host & ~host);
        exclude_user(s->guest & ~guest);
        include_user(guest);
        exclude_user(host);
    }
    s->host = host;
    s->guest = guest;
    if (s->loaded) {
        set_calls(s);
    }
    return 0;
}

/* The counters that a guest owns, and the counters that the host cannot use meanwhile. */
static uint64_t own_by(const struct vpmu_guest *g)
{
    return vpmu_below_(g->counters) | (g->cycles ? CYCLE_BIT : 0);
}

static uint64_t lent_to(const struct vpmu_guest *g)
{
    return g->counters ? vpmu_below_(g->counters) | CYCLE_BIT : 0;
}

/*
 * MDCR_EL2 while counters are lent. Its fields have the effect on the host's counters that PMCR_EL0
 * had before.
 */
static uint64_t partition(uint64_t mdcr, uint64_t pmcr, const struct vpmu_guest *g)
{
    mdcr &= ~VPMU_SWITCH_MDCR_EL2;
    mdcr |= g->counters | VPMU_MDCR_EL2_HPMD | (g->cycles ? VPMU_MDCR_EL2_HCCD : 0);
    mdcr |= pmcr & VPMU_PMCR_E ? VPMU_MDCR_EL2_HPME : 0;
    mdcr |= pmcr & VPMU_PMCR_LP ? VPMU_MDCR_EL2_HLP : 0;
    mdcr |= pmcr & VPMU_PMCR_FZO ? VPMU_MDCR_EL2_HPMFZO : 0;
    mdcr |= pmcr & VPMU_PMCR_FZS ? VPMU_MDCR_EL2_HPMFZS : 0;
    return mdcr;
}

static void save_access(struct vpmu_switch *s)
{
    s->selr = vpmu_mrs_pmselr_el0();
    s->userenr = vpmu_mrs_pmuserenr_el0();
}

static void set_access(uint64_t selr, uint64_t userenr)
{
    vpmu_msr_pmselr_el0(selr);
    vpmu_msr_pmuserenr_el0(userenr);
}

/*
 * Here MDCR_EL2 is written before PMCR_EL0, and in take_controls() after it, so that the host's
 * counters never stop. Both are written before the guest's counters are enabled and after they are
 * disabled, so that these never count EL2. Without context synchronisation, the writes may take
 * effect in any order.
 */
static void lend_controls(struct vpmu_switch *s, const struct vpmu_guest *g)
{
    save_access(s);
    s->pmcr = vpmu_mrs_pmcr_el0();
    s->mdcr = vpmu_mrs_mdcr_el2();
    vpmu_msr_mdcr_el2(partition(s->mdcr, s->pmcr, g));
    vpmu_isb();
    vpmu_msr_pmcr_el0(g->pmcr & PMCR_KEPT);
    set_access(g->selr, g->userenr);
}

static void take_controls(const struct vpmu_switch *s, struct vpmu_guest *g)
{
    uint64_t mdcr = vpmu_mrs_mdcr_el2();
    uint64_t pmcr = s->pmcr & PMCR_KEPT & ~VPMU_PMCR_E;

    g->pmcr = vpmu_mrs_pmcr_el0() & PMCR_KEPT;
    g->selr = vpmu_mrs_pmselr_el0();
    g->userenr = vpmu_mrs_pmuserenr_el0();
    vpmu_msr_pmcr_el0(pmcr | (mdcr & VPMU_MDCR_EL2_HPME ? VPMU_PMCR_E : 0));
    vpmu_isb();
    vpmu_msr_mdcr_el2((mdcr & ~VPMU_SWITCH_MDCR_EL2) | (s->mdcr & VPMU_SWITCH_MDCR_EL2));
    set_access(s->selr, s->userenr);
}

/*
 * Sets overflow flags first, then interrupt enables, then counter enables, because counting may set
 * flags. take_counters() uses the reverse order.
 */
static void lend_counters(const struct vpmu_guest *g)
{
    uint64_t own = own_by(g);

    vpmu_msr_pmovsset_el0(g->ovs & own);
    vpmu_msr_pmintenset_el1(g->inten & own);
    vpmu_msr_pmcntenset_el0(g->cnten & own);
}

static void take_counters(const struct vpmu_switch *s, struct vpmu_guest *g)
{
    uint64_t own = own_by(g);

    g->cnten = vpmu_mrs_pmcntenset_el0() & own;
    vpmu_msr_pmcntenclr_el0(s->lent);
    g->inten = vpmu_mrs_pmintenset_el1() & own;
    vpmu_msr_pmintenclr_el1(s->lent);
    g->ovs = vpmu_mrs_pmovsset_el0() & own;
    vpmu_msr_pmovsclr_el0(s->lent);
}

int vpmu_arm_guest_enter_lent_(struct vpmu_switch *s)
{
    swap_calls(s);
    lend_controls(s, s->loaded);
    lend_counters(s->loaded);
    vpmu_arm_count_guest_(s->host, s->guest);
    return 0;
}

int vpmu_arm_guest_exit_lent_(struct vpmu_switch *s)
{
    swap_calls(s);
    take_counters(s, s->loaded);
    take_controls(s, s->loaded);
    return 0;
}

/* Clears the flags and interrupt enables that the host left, because they are not the guest's. */
static void restore_values(const struct vpmu_switch *s, const struct vpmu_guest *g)
{
    unsigned idx;

    vpmu_msr_pmintenclr_el1(s->lent);
    vpmu_msr_pmovsclr_el0(s->lent);
    VPMU_FOR_EACH_BIT (idx, own_by(g)) {
        write_type(idx, g->type[idx]);
        write_value(idx, g->value[idx]);
    }
}

static void save_values(struct vpmu_guest *g)
{
    unsigned idx;

    VPMU_FOR_EACH_BIT (idx, own_by(g)) {
        g->type[idx] = read_type(idx);
        g->value[idx] = read_value(idx);
    }
}

static void load_vhe(struct vpmu_switch *s, const struct vpmu_guest *g)
{
    if (s->lent) {
        lend_controls(s, g);
        lend_counters(g);
    }
    include_user(s->guest);
    exclude_user(s->host);
}

static void put_vhe(const struct vpmu_switch *s, struct vpmu_guest *g)
{
    exclude_user(s->guest);
    include_user(s->host);
    if (s->lent) {
        take_counters(s, g);
        take_controls(s, g);
    }
}

static bool can_lend(const struct vpmu_switch *s, const struct vpmu_guest *g)
{
    if (g->counters > s->counters || (g->cycles && !g->counters)) {
        return false;
    }
    return !g->counters || !((s->host | s->guest | vpmu_mrs_pmcntenset_el0()) & lent_to(g));
}

int vpmu_arm_guest_load(struct vpmu_switch *s, struct vpmu_guest *g)
{
    if (!g || s->loaded || !can_lend(s, g)) {
        return -VPMU_ERR_SWITCH;
    }
    s->lent = lent_to(g);
    if (s->lent) {
        restore_values(s, g);
    } else {
        save_access(s);
        set_access(0, VPMU_SWITCH_USERENR_TRAPPED);
    }
    if (s->mode == VPMU_HOST_VHE) {
        load_vhe(s, g);
    }
    s->loaded = g;
    set_calls(s);
    return 0;
}

int vpmu_arm_guest_put(struct vpmu_switch *s)
{
    if (vpmu_arm_switch_state(s) != VPMU_SWITCH_LOADED) {
        return -VPMU_ERR_SWITCH;
    }
    if (s->mode == VPMU_HOST_VHE) {
        put_vhe(s, s->loaded);
    }
    if (s->lent) {
        save_values(s->loaded);
    } else {
        set_access(s->selr, s->userenr);
    }
    s->loaded = NULL;
    s->lent = 0;
    s->next = 0;
    return 0;
}
