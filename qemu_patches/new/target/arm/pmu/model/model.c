/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models of an Arm CPU's caches, TLBs, branch prediction and pipeline
 *
 * The models are those of the vpmu library.  They are allocated when the PMU
 * first counts an event of a model.  Generated code feeds them, in the contexts
 * where the PMU counts such events.
 */

#include "qemu/osdep.h"
#include "qemu/memalign.h"
#include "cpu.h"
#include "internals.h"
#include "system/vpmu_model.h"
#include "system/vpmu_shared_cache.h"
#include "tcg/vpmu-predictor.h"
#include "tcg/vpmu-profile.h"
#include "target/arm/pmu/compat.h"
#include "target/arm/pmu/private.h"

VPMU_MODEL_CHECK_LAYOUT();
VPMU_PREDICTOR_CHECK_LAYOUT();
QEMU_BUILD_BUG_ON(offsetof(struct vpmu_model_head, predictor) !=
                  ARM_PMU_MODEL_PREDICTOR);

/* Returns the most that an access to one line can add to a counter. */
static uint32_t most_per_line(const struct vpmu_model_config *config)
{
    unsigned int stall = config->penalty_l2 + config->penalty_llc +
                         config->penalty_memory + config->penalty_tlb2 +
                         config->penalty_walk + config->penalty_branch;

    return ARM_PMU_MOST_PER_LINE + (config->cycles == VPMU_CYCLES_MODEL
                            ? stall * config->width : 0);
}

/* Another CPU's thread may ask; this CPU counts in one context or another. */
static unsigned int model_context(void *cpu)
{
    return qatomic_read(&((ARMCPU *)cpu)->vpmu->pmu.count.ctx);
}

static struct vpmu_model *new_model(ARMCPU *cpu)
{
    const struct vpmu_model_config *config = cpu->pmu_config.model;
    void *mem = qemu_memalign(VPMU_MODEL_ALIGN, vpmu_model_size(config));
    struct vpmu_model *model =
        vpmu_model_init(mem, config, vpmu_arm_table((struct vpmu_arm_totals *)
                                                    cpu->env.pmu.totals));

    if (config->llc_shared) {
        vpmu_shared_cache_join(model, cpu, model_context);
    }
    return model;
}

void arm_vpmu_model_start(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;

    if (!env->pmu.model) {
        qatomic_set(&env->pmu.model, new_model(cpu));
        env->pmu.most_per_line = most_per_line(cpu->pmu_config.model);
        qatomic_set(&arm_vpmu_has_models, true);
    }
    arm_vpmu_model_moved(env);
}

void arm_vpmu_model_forget(ARMCPU *cpu)
{
    struct vpmu_model *model = cpu->env.pmu.model;

    if (model) {
        vpmu_shared_leave(model);
        qatomic_set(&cpu->env.pmu.model, NULL);
        qemu_vfree(model);
    }
}

void arm_vpmu_model_free(ARMCPU *cpu)
{
    arm_vpmu_model_forget(cpu);
    g_free(cpu->pmu_config.model);
    cpu->pmu_config.model = NULL;
}

#ifdef CONFIG_TCG

#include "tcg/vpmu-tlb.h"

/*
 * Accesses of generated code
 */

/*
 * May inner caches hold this page?  Attributes are in the format of MAIR.  QEMU
 * knows none of AArch32's short descriptors, so all RAM behind these counts as
 * cacheable.
 */
static bool is_cacheable(CPUARMState *env, const CPUTLBEntryFull *full,
                         int mmu_idx)
{
    uint8_t attrs = full->extra.arm.pte_attrs;
    ARMMMUIdx idx = core_to_arm_mmu_idx(env, mmu_idx);
    uint64_t sctlr = regime_sctlr(env, idx);

    if (!(sctlr & SCTLR_C)) {
        return false;
    }
    return ((attrs & 0xf0) && (attrs & 0x0f) != 4) ||
           (!attrs && (sctlr & SCTLR_M) && !regime_using_lpae_format(env, idx));
}

/* Removes an address tag.  Bit 55 is never a part of it. */
static uint64_t untagged(uint64_t addr)
{
    return sextract64(addr, 0, 56);
}

/*
 * Returns the TLB entry of an access to the page of @addr; NULL if the access
 * is going to fault.
 */
static CPUTLBEntryFull *probe_page(CPUARMState *env, uint64_t addr,
                                   uint32_t desc, int *flags)
{
    MMUAccessType type = FIELD_EX32(desc, PMUDATA, WRITE)
                         ? MMU_DATA_STORE : MMU_DATA_LOAD;
    int midx = FIELD_EX32(desc, PMUDATA, MIDX);
    CPUTLBEntryFull *full = vpmu_tlb_entry(env_cpu(env), addr, type, midx);
    void *host;

    if (likely(full)) {
        *flags = 0;
        return full;
    }
    *flags = probe_access_full_mmu(env, addr, 0, type, midx, &host, &full);
    return *flags & TLB_INVALID_MASK ? NULL : full;
}

/* Results of the models that are also tallied by what caused them. */
typedef struct VPMUResults {
    uint64_t l1d_refill;
    uint64_t from_memory;
} VPMUResults;

static VPMUResults model_results(const uint64_t *row)
{
    return (VPMUResults) {
        .l1d_refill = row[VPMU_SRC_L1D_CACHE_REFILL_RD] +
                      row[VPMU_SRC_L1D_CACHE_REFILL_WR],
        .from_memory = row[VPMU_SRC_BUS_ACCESS_RD],
    };
}

/* Tallies what an access has added to @before. */
static void tally_by_cause(uint64_t *row, VPMUResults before)
{
    VPMUResults now = model_results(row);
    uint64_t outer = now.from_memory - before.from_memory;

    row[VPMU_SRC_L1D_CACHE_REFILL_OUTER] += outer;
    row[VPMU_SRC_L1D_CACHE_REFILL_INNER] +=
        now.l1d_refill - before.l1d_refill - outer;
}

static bool tallies_by_cause(CPUARMState *env, unsigned int ctx)
{
    return env->pmu.events[ctx] & ARM_PMU_IN_DETAIL;
}

/* Remembers for samples that other CPUs had the data: no total tells. */
static void note_peers(CPUARMState *env, unsigned int missed)
{
    if (unlikely(missed & VPMU_PEER_HAS)) {
        env_archcpu(env)->vpmu->peers |= missed;
    }
}

/* Feeds the model with an access to two pages of different sizes. */
static unsigned int feed_two_pages(CPUARMState *env, unsigned int ctx,
                                   uint64_t addr, uint64_t size, bool write,
                                   ARMVPMUPages pages)
{
    uint64_t first = -(addr | TARGET_PAGE_MASK);
    unsigned int missed = vpmu_model_data(env->pmu.model, ctx, untagged(addr),
                                          first, write, pages.first);

    env->pmu.totals[ctx][write ? ARM_PMU_L1D_WR : ARM_PMU_L1D_RD]++;
    return missed | vpmu_model_data(env->pmu.model, ctx,
                                    untagged(addr + first), size - first,
                                    write, pages.last);
}

static const VPMUCostSource access_costs[] = {
    { VPMU_COST_READ, ARM_PMU_L1D_RD },
    { VPMU_COST_WRITE, ARM_PMU_L1D_WR },
    { VPMU_COST_READ_MISS, VPMU_SRC_L1D_CACHE_REFILL_RD },
    { VPMU_COST_WRITE_MISS, VPMU_SRC_L1D_CACHE_REFILL_WR },
    { VPMU_COST_READ_LAST_MISS, VPMU_SRC_LL_CACHE_MISS_RD },
    { VPMU_COST_WRITE_LAST_MISS, VPMU_SRC_LL_CACHE_MISS_WR },
};

static const VPMUCostSource fetch_costs[] = {
    { VPMU_COST_FETCH_MISS, VPMU_SRC_L1I_CACHE_REFILL },
    { VPMU_COST_FETCH_LAST_MISS, VPMU_SRC_LL_CACHE_MISS_RD },
};

static void feed_access(CPUARMState *env, unsigned int ctx, uint64_t addr,
                        uint64_t size, bool write, ARMVPMUPages pages)
{
    uint64_t *row = env->pmu.totals[ctx];
    bool by_cause = unlikely(tallies_by_cause(env, ctx));
    VPMUResults before = by_cause ? model_results(row) : (VPMUResults) { };
    unsigned int missed =
        unlikely(pages.first != pages.last)
        ? feed_two_pages(env, ctx, addr, size, write, pages)
        : vpmu_model_data(env->pmu.model, ctx, untagged(addr), size, write,
                          pages.first);

    if (by_cause) {
        tally_by_cause(row, before);
    }
    note_peers(env, missed);
    arm_vpmu_spend(env, ((size >> env->pmu.line_shift) + 2) *
                        env->pmu.most_per_line);
}

/* Takes back the tally of an access that does not go to the caches. */
static void take_back_access(CPUARMState *env, uint32_t desc)
{
    unsigned int ctx = FIELD_EX32(desc, PMUDATA, CTX);
    unsigned int tallied = FIELD_EX32(desc, PMUDATA, TALLIED);

    env->pmu.totals[ctx][ARM_PMU_L1D_RD] -= extract32(tallied, 0, 1);
    env->pmu.totals[ctx][ARM_PMU_L1D_WR] -= extract32(tallied, 1, 1);
    if (tallied) {
        env->pmu.excepted = tallied;
        env->pmu.excepted_place = FIELD_EX32(desc, PMUDATA, PLACE);
        env->pmu.excepted_insns = env->pmu.totals[ctx][ARM_PMU_INSNS];
    }
}

static void feed_data(CPUARMState *env, uint64_t addr, uint32_t desc)
{
    unsigned int ctx = FIELD_EX32(desc, PMUDATA, CTX);
    unsigned int size = FIELD_EX32(desc, PMUDATA, LAST) + 1;
    uint64_t last = addr + size - 1;
    ARMVPMUPages pages;
    CPUTLBEntryFull *full;
    int flags;

    if ((addr ^ last) & TARGET_PAGE_MASK) {
        full = probe_page(env, last, desc, &flags);
        if (!full) {
            return;
        }
        pages.last = full->lg_page_size;
        full = probe_page(env, addr, desc, &flags);
    } else {
        full = probe_page(env, addr, desc, &flags);
        pages.last = full ? full->lg_page_size : 0;
    }
    if (!full || ((flags & TLB_MMIO) && !env_cpu(env)->neg.can_do_io)) {
        /* The instruction is going to fault, or to be restarted. */
        return;
    }
    if ((flags & TLB_MMIO) ||
        !is_cacheable(env, full, FIELD_EX32(desc, PMUDATA, MIDX))) {
        take_back_access(env, desc);
        return;
    }
    pages.first = full->lg_page_size;
    feed_access(env, ctx, addr, size, FIELD_EX32(desc, PMUDATA, WRITE), pages);
}

/* The same for any access. */
static __attribute__((noinline)) void
feed_any(CPUARMState *env, uint64_t addr, uint32_t desc)
{
    unsigned int ctx = FIELD_EX32(desc, PMUDATA, CTX);
    const uint64_t *row = env->pmu.totals[ctx];
    uint64_t before[ARRAY_SIZE(access_costs)];

    vpmu_cost_begin(env->pmu.profile, access_costs, ARRAY_SIZE(before), row,
                    before);
    feed_data(env, addr, desc);
    vpmu_cost_end(env->pmu.profile, ctx, access_costs, ARRAY_SIZE(before),
                  row, before);
}

/*
 * Returns the TLB entry of an access if it is enough to feed the model with
 * its line: it is in one, and nothing wants its cause or its costs.  Otherwise
 * returns NULL.
 */
static inline QEMU_ALWAYS_INLINE const CPUTLBEntryFull *
plain_access(CPUARMState *env, uint64_t addr, uint32_t desc)
{
    uint64_t last = addr + FIELD_EX32(desc, PMUDATA, LAST);
    int midx = FIELD_EX32(desc, PMUDATA, MIDX);
    const CPUTLBEntryFull *full;

    if ((addr ^ last) >> env->pmu.line_shift || env->pmu.profile ||
        tallies_by_cause(env, FIELD_EX32(desc, PMUDATA, CTX))) {
        return NULL;
    }
    full = vpmu_tlb_entry(env_cpu(env), addr,
                          FIELD_EX32(desc, PMUDATA, WRITE)
                          ? MMU_DATA_STORE : MMU_DATA_LOAD, midx);
    return full && is_cacheable(env, full, midx) ? full : NULL;
}

void arm_vpmu_data(CPUARMState *env, uint64_t addr, uint32_t desc)
{
    const CPUTLBEntryFull *full = plain_access(env, addr, desc);
    unsigned int size = FIELD_EX32(desc, PMUDATA, LAST) + 1;

    if (unlikely(!full)) {
        feed_any(env, addr, desc);
        return;
    }
    /* Generated code has looked at the line filter. */
    note_peers(env, vpmu_model_line(env->pmu.model,
                                    FIELD_EX32(desc, PMUDATA, CTX),
                                    untagged(addr),
                                    FIELD_EX32(desc, PMUDATA, WRITE),
                                    full->lg_page_size));
    arm_vpmu_spend(env, ((size >> env->pmu.line_shift) + 2) *
                        env->pmu.most_per_line);
}

bool arm_vpmu_look_up(CPUARMState *env, uint64_t addr, uint32_t desc,
                      ARMVPMUAccess *access)
{
    int flags;
    CPUTLBEntryFull *full = probe_page(env, addr, desc, &flags);

    if (!full) {
        return false;
    }
    *access = (ARMVPMUAccess) {
        .physical = full->phys_addr | (addr & ~TARGET_PAGE_MASK),
        .space = full->attrs.space,
        .lg_page_size = full->lg_page_size,
        .cacheable = !(flags & TLB_MMIO) &&
                     is_cacheable(env, full,
                                  FIELD_EX32(desc, PMUDATA, MIDX)),
    };
    return true;
}

void arm_vpmu_feed(CPUARMState *env, uint64_t addr, uint64_t size, bool write,
                   ARMVPMUPages pages)
{
    unsigned int ctx = arm_pmu_context(env);
    uint64_t *row = env->pmu.totals[ctx];
    uint64_t before[ARRAY_SIZE(access_costs)];

    vpmu_cost_begin(env->pmu.profile, access_costs, ARRAY_SIZE(before), row,
                    before);
    row[write ? ARM_PMU_L1D_WR : ARM_PMU_L1D_RD]++;
    feed_access(env, ctx, addr, size, write, pages);
    vpmu_cost_end(env->pmu.profile, ctx, access_costs, ARRAY_SIZE(before),
                  row, before);
}

static void feed_fetch(CPUARMState *env, uint64_t pc, unsigned int ctx)
{
    const uint64_t *row = env->pmu.totals[ctx];
    uint64_t before[ARRAY_SIZE(fetch_costs)];

    vpmu_cost_begin(env->pmu.profile, fetch_costs, ARRAY_SIZE(before), row,
                    before);
    vpmu_model_fetch(env->pmu.model, ctx, pc,
                     vpmu_fetched_page(env, pc, arm_env_mmu_index(env)));
    vpmu_cost_end(env->pmu.profile, ctx, fetch_costs, ARRAY_SIZE(before),
                  row, before);
}

void arm_vpmu_fetch(CPUARMState *env, uint64_t pc, unsigned int ctx)
{
    feed_fetch(env, pc, ctx);
    arm_vpmu_spend(env, env->pmu.most_per_line);
}

bool arm_vpmu_fetch_first(CPUARMState *env, uint64_t pc, unsigned int ctx)
{
    feed_fetch(env, pc, ctx);
    return arm_vpmu_overflows(env);
}

void arm_vpmu_branch(CPUARMState *env, uint64_t pc, uint64_t target,
                     uint32_t desc)
{
    if (vpmu_model_branch(env->pmu.model, FIELD_EX32(desc, PMUBRANCH, CTX), pc,
                          target, pc + FIELD_EX32(desc, PMUBRANCH, SIZE),
                          FIELD_EX32(desc, PMUBRANCH, KIND),
                          FIELD_EX32(desc, PMUBRANCH, TAKEN))) {
        arm_vpmu_spend(env, env->pmu.most_per_line);
    }
}

QEMU_BUILD_BUG_ON((int)ARM_PMU_CLEAN_L1 != VPMU_MAINTAIN_CLEAN_L1 ||
                  (int)ARM_PMU_CLEAN != VPMU_MAINTAIN_CLEAN ||
                  (int)ARM_PMU_FLUSH != VPMU_MAINTAIN_FLUSH ||
                  (int)ARM_PMU_DISCARD != VPMU_MAINTAIN_DISCARD ||
                  (int)ARM_PMU_INVALIDATE_FETCH != VPMU_MAINTAIN_FETCH);

void arm_vpmu_maintain(CPUARMState *env, uint64_t addr, uint32_t desc)
{
    unsigned int what = FIELD_EX32(desc, PMUMAINTAIN, WHAT);

    if (what == ARM_PMU_DISCARD && arm_current_el(env) < 2 &&
        (arm_hcr_el2_eff(env) & HCR_VM)) {
        /* Arm ARM, HCR_EL2.VM: DC IVAC of a guest writes the line. */
        what = ARM_PMU_FLUSH;
    }
    if (what == ARM_PMU_EMPTY || what == ARM_PMU_EMPTY_FETCH) {
        vpmu_model_empty(env->pmu.model, what == ARM_PMU_EMPTY);
    } else {
        vpmu_model_maintain(env->pmu.model, FIELD_EX32(desc, PMUMAINTAIN, CTX),
                            untagged(addr), what);
    }
    arm_vpmu_spend(env, env->pmu.most_per_line);
}

bool arm_vpmu_tage(void *predictor, uint64_t number, bool taken)
{
    return vpmu_predictor_tage(predictor, number, taken) != taken;
}

void arm_vpmu_mispredicted(CPUARMState *env, unsigned int ctx)
{
    vpmu_model_mispredicted(env->pmu.model, ctx);
    arm_vpmu_spend(env, env->pmu.most_per_line);
}

#endif /* CONFIG_TCG */
