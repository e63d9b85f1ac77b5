/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Tracks who runs and who counts. The watch keeps a copy of the PMU's registers with only the
 * changes that the host's kernel makes. Where the actual registers differ from it, a hypervisor's
 * switch has changed them.
 */
#include "vpmu/arm/watch.h"

#include "watch_internal.h"

#define HCR_EL2_VM (1ull << 0)
#define HCR_EL2_TGE (1ull << 27)
#define HCR_EL2_E2H (1ull << 34)
#define VTTBR_EL2_VMID_SHIFT 48

static bool is_in(unsigned contexts, unsigned ctx)
{
    return contexts >> ctx & 1;
}

enum vpmu_world vpmu_arm_watch_world(const struct vpmu_watch *w, unsigned el, uint64_t hcr_el2,
                                     uint64_t vttbr_el2)
{
    bool vhe = hcr_el2 & HCR_EL2_E2H;

    if (el == 3) {
        return (enum vpmu_world)w->world;
    }
    if (vhe && (hcr_el2 & HCR_EL2_TGE)) {
        return VPMU_WORLD_VHE;
    }
    if (el == 2) {
        /* While a host enters a guest, TGE is 0 on a VHE host too. */
        return vhe && w->vhe ? VPMU_WORLD_VHE : VPMU_WORLD_NVHE;
    }
    if ((hcr_el2 & HCR_EL2_VM) && vttbr_el2 >> VTTBR_EL2_VMID_SHIFT) {
        return VPMU_WORLD_GUEST;
    }
    return VPMU_WORLD_NVHE;
}

/* Compares the actual registers with the host's to find what the switch has stopped and started. */
static void compare(struct vpmu_arm *v)
{
    struct vpmu_watch *w = v->watch;
    struct vpmu_setup_ setup = vpmu_host_(v);
    unsigned idx;

    w->stopped = 0;
    w->started = 0;
    w->remaining = 0;
    w->host.ovs = v->regs.ovs;
    VPMU_FOR_EACH_BIT (idx, v->regs.cnten | w->host.cnten) {
        uint16_t host = vpmu_ctx_mask_(&setup, idx);
        uint16_t now = v->count.counter[idx].ctx_mask;

        if (host & ~now) {
            w->stopped |= (uint16_t)(host & ~now);
            w->remaining |= now;
        } else if (now & ~host) {
            w->started |= now;
        }
    }
}

/*
 * Called when the host runs: takes the controls that EL2 set up as the host's. If the host's
 * registers are not known yet, takes them as well.
 */
static void learn_host(struct vpmu_arm *v)
{
    struct vpmu_watch *w = v->watch;

    w->host_controls = v->controls;
    if (!w->host_known) {
        w->host = v->regs;
        w->host_known = true;
    }
}

/*
 * Tells whether the PMU is as the host's kernel set it up. It is while that kernel runs, but a VHE
 * host may have loaded a guest unless its EL0 runs. The switch has changed the filters of enabled
 * counters then.
 */
static bool is_host_at_rest(const struct vpmu_arm *v)
{
    unsigned ctx = v->count.ctx;

    if (v->watch->world == VPMU_WORLD_VHE) {
        return is_in(VPMU_CTXS_AT(0), ctx) || !v->regs.cnten;
    }
    return v->watch->world == VPMU_WORLD_NVHE && is_in(VPMU_CTXS_AT(0) | VPMU_CTXS_AT(1), ctx);
}

/* Tells whether the host runs with registers or controls that the watch has not read yet. */
static bool is_news(const struct vpmu_arm *v)
{
    const struct vpmu_watch *w = v->watch;

    return is_host_at_rest(v) &&
           (!w->host_known || w->host_controls.mdcr_el2 != v->controls.mdcr_el2);
}

static void look(struct vpmu_arm *v)
{
    if (is_news(v)) {
        learn_host(v);
    }
    if (v->watch->host_known) {
        compare(v);
    }
}

static void elapse(struct vpmu_arm *v, const struct vpmu_now *now)
{
    if (vpmu_wants_time_(v)) {
        vpmu_clocks_settle_(&v->count, now);
    }
    if (v->watch->blackout) {
        vpmu_blackout_elapse_(v, now);
    }
}

/* If observers may count in other contexts now, the machine must ask for headroom again. */
static int see(struct vpmu_arm *v, unsigned reason, const struct vpmu_now *now)
{
    int due;

    look(v);
    due = vpmu_observers_settle_(v) | (v->count.sampling ? VPMU_DUE_REARM : 0);
    if (v->watch->blackout && v->watch->host_known) {
        due |= vpmu_blackout_see_(v, reason, now);
    }
    return due;
}

int vpmu_arm_watch_moved(struct vpmu_arm *v, unsigned ctx, enum vpmu_world world, unsigned reason,
                         const struct vpmu_now *now)
{
    struct vpmu_watch *w = v->watch;
    bool left_guest = w && w->world == VPMU_WORLD_GUEST && world != VPMU_WORLD_GUEST;
    bool other = w && world != w->world;
    int due;

    if (!w) {
        return vpmu_arm_set_context(v, ctx, now);
    }
    reason = reason < VPMU_EXIT_REASONS ? reason : 0;
    elapse(v, now);
    if (w->blackout && left_guest) {
        w->blackout->exits[reason]++;
    }
    due = vpmu_leave_context_(&v->count, now);
    due |= vpmu_arm_set_context(v, ctx, now);
    w->world = (uint8_t)world;
    if (world != VPMU_WORLD_GUEST && is_in(VPMU_CTXS_OF(VPMU_NONSECURE), ctx)) {
        w->vhe = world == VPMU_WORLD_VHE;
    }
    if (other || is_news(v)) {
        due |= see(v, left_guest ? reason : VPMU_EXIT_REASONS, now);
    } else if (w->blackout && w->host_known) {
        due |= vpmu_blackout_see_(v, VPMU_EXIT_REASONS, now);
    }
    return due;
}

/* Who has written a register of the PMU. */
enum writer {
    BY_HOST,
    BY_SWITCH,
    BY_GUEST,
};

static enum writer writer_of(const struct vpmu_watch *w, const struct vpmu_pe *pe)
{
    if (w->world == VPMU_WORLD_GUEST) {
        return BY_GUEST;
    }
    return pe->el == 2 && w->world == VPMU_WORLD_NVHE ? BY_SWITCH : BY_HOST;
}

/*
 * The counters that the PE can enable or disable. HPMN and traps protect the others from its
 * writes.
 */
static uint64_t in_reach(const struct vpmu_arm *v, const struct vpmu_pe *pe)
{
    struct vpmu_setup_ setup = vpmu_setup_of_(v);

    return vpmu_below_(vpmu_accessible_(&setup, pe)) | VPMU_BIT(VPMU_CYCLE_COUNTER) |
           (pe->f0_write_trapped ? 0 : VPMU_BIT(VPMU_INST_COUNTER));
}

/* Counters that a guest enables count as disabled for the host. */
static void take_enables(struct vpmu_arm *v, enum writer writer, uint64_t touched)
{
    uint64_t *cnten = &v->watch->host.cnten;

    *cnten = (*cnten & ~touched) | (writer == BY_HOST ? v->regs.cnten & touched : 0);
}

/* On a VHE host, a write to the filter of an enabled counter is made by the switch. */
static void take_type(struct vpmu_arm *v, enum writer writer, unsigned idx)
{
    bool switched =
        writer == BY_HOST && v->watch->world == VPMU_WORLD_VHE && (v->regs.cnten & VPMU_BIT(idx));

    if (!switched) {
        v->watch->host.type[idx] = v->regs.type[idx];
    }
}

static void take_over(struct vpmu_arm *v, const struct vpmu_pe *pe, unsigned reg, uint64_t val)
{
    enum writer writer = writer_of(v->watch, pe);

    if (writer == BY_SWITCH) {
        return;
    }
    if (reg == VPMU_PMCNTENSET || reg == VPMU_PMCNTENCLR) {
        take_enables(v, writer, val & in_reach(v, pe));
    } else if (reg == VPMU_PMCCFILTR) {
        take_type(v, writer, VPMU_CYCLE_COUNTER);
    } else if (reg == VPMU_PMICFILTR) {
        take_type(v, writer, VPMU_INST_COUNTER);
    } else if (reg >= VPMU_PMEVTYPER0 && reg < VPMU_REG_COUNT) {
        take_type(v, writer, reg - VPMU_PMEVTYPER0);
    } else if (reg == VPMU_PMCR && writer == BY_HOST) {
        v->watch->host.pmcr = v->regs.pmcr;
    }
}

int vpmu_watch_written_(struct vpmu_arm *v, const struct vpmu_pe *pe, unsigned reg, uint64_t val,
                        const struct vpmu_now *now)
{
    elapse(v, now);
    take_over(v, pe, vpmu_selected_(&v->regs, reg), val);
    return see(v, VPMU_EXIT_REASONS, now);
}

int vpmu_watch_controls_(struct vpmu_arm *v, const struct vpmu_now *now)
{
    struct vpmu_arm_controls *host = &v->watch->host_controls;
    uint64_t mdcr_el2 = host->mdcr_el2;

    elapse(v, now);
    *host = v->controls;
    if (v->watch->world != VPMU_WORLD_VHE) {
        /* The switch writes MDCR_EL2 at EL2, now or before it enters the guest. */
        host->mdcr_el2 = mdcr_el2;
    }
    return see(v, VPMU_EXIT_REASONS, now);
}

int vpmu_watch_restart_(struct vpmu_arm *v, const struct vpmu_now *now)
{
    struct vpmu_watch *w = v->watch;

    w->host_known = false;
    w->stopped = 0;
    w->started = 0;
    w->remaining = 0;
    if (w->blackout) {
        vpmu_blackout_forget_(w->blackout);
    }
    return see(v, VPMU_EXIT_REASONS, now);
}

void vpmu_arm_watch_attach(struct vpmu_arm *v, struct vpmu_watch *w, enum vpmu_world world)
{
    *w = (struct vpmu_watch){
        .world = (uint8_t)world,
        .vhe = world == VPMU_WORLD_VHE,
        .host_controls = v->controls,
    };
    v->watch = w;
    look(v);
}

/* The meter needs instructions and cycles in all contexts. */
static int meter(struct vpmu_arm *v, bool on)
{
    v->count.metered =
        on ? VPMU_SRC_BIT(VPMU_SRC_INST_RETIRED) | VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES) : 0;
    return vpmu_observers_want_(&v->count);
}

int vpmu_arm_watch_detach(struct vpmu_arm *v)
{
    v->watch = NULL;
    v->count.observers = NULL;
    return meter(v, false);
}

int vpmu_arm_blackout_start(struct vpmu_arm *v, struct vpmu_blackout *b, const struct vpmu_now *now)
{
    int due;

    if (!v->watch) {
        return -VPMU_ERR_WATCH;
    }
    vpmu_clocks_settle_(&v->count, now);
    vpmu_blackout_clear_(b);
    v->watch->blackout = b;
    due = vpmu_watch_restart_(v, now);
    return due | meter(v, true);
}

int vpmu_arm_blackout_stop(struct vpmu_arm *v)
{
    if (!v->watch) {
        return 0;
    }
    v->watch->blackout = NULL;
    return meter(v, false);
}
