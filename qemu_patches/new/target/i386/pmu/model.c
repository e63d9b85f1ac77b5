/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Models of an x86 CPU's caches, TLBs and branch prediction
 *
 * The models belong to the vpmu library.  They are created when a counter first
 * counts a modelled event.  Generated code feeds them in the contexts in which
 * modelled events are counted.
 */

#include "qemu/osdep.h"
#include "qemu/memalign.h"
#include "exec/page-protection.h"
#include "cpu.h"
#include "compat.h"
#include "private.h"
#include "tcg/helper-tcg.h"
#include "tcg/vpmu-model.h"
#include "tcg/vpmu-predictor.h"
#include "tcg/vpmu-tlb.h"
#include "vpmu/model.h"

VPMU_MODEL_CHECK_LAYOUT();
VPMU_PREDICTOR_CHECK_LAYOUT();

/* One line moves a counter by at most this, not counting stalls. */
#define MOST_PER_LINE 16

/* Addresses up to this one are in the space of CR3. */
#define LAST_LOW (BIT_ULL(55) - 1)

/*
 * Low addresses are in the address space of CR3.  The high half is the kernel's
 * and is the same in all spaces.
 */
static void vpmu_set_space(CPUX86State *env)
{
    vpmu_model_set_space(env->pmu.model, env->cr[3] >> 12,
                         !!(env->hflags & HF_GUEST_MASK));
}

/* A stall stalls all slots of its cycles. */
static unsigned int vpmu_most_per_line(const struct vpmu_model_config *config)
{
    unsigned int stall = config->penalty_l2 + config->penalty_llc +
                         config->penalty_memory + config->penalty_tlb2 +
                         config->penalty_walk;

    return MOST_PER_LINE + (config->cycles == VPMU_CYCLES_MODEL
                            ? stall * config->width : 0);
}

void x86_vpmu_model_feed(X86CPU *cpu, bool fed)
{
    CPUX86State *env = &cpu->env;
    X86VPMU *vpmu = cpu->vpmu;

    if (fed && !env->pmu.model) {
        const struct vpmu_model_config *config = &x86_pmu_config(cpu)->model;
        void *mem = qemu_memalign(VPMU_MODEL_ALIGN, vpmu_model_size(config));

        env->pmu.model = vpmu_model_init(mem, config, vpmu_x86_table(
                                             (struct vpmu_x86_totals *)
                                             env->pmu.totals));
        env->pmu.most_per_line = vpmu_most_per_line(config);
        vpmu->stale = true;
    }
    vpmu->fed = fed;
    if (fed && vpmu->stale) {
        vpmu_model_flush_tlb(env->pmu.model);
        vpmu_set_space(env);
        vpmu->stale = false;
    }
}

void x86_vpmu_model_forget(X86CPU *cpu)
{
    qemu_vfree(cpu->env.pmu.model);
    cpu->env.pmu.model = NULL;
}

/*
 * Called from generated code
 */

/*
 * Returns false if an access to the page of @addr will fault or is an access to
 * a device, which is in no cache.  A store is probed as a load: probing a store
 * would invalidate the blocks of code in that page, including the present one,
 * which would then not notice that it modifies itself.
 */
static bool vpmu_is_cached(CPUX86State *env, uint64_t addr, uint32_t desc)
{
    int midx = FIELD_EX32(desc, X86PMUDATA, MIDX);
    CPUTLBEntryFull *full = vpmu_tlb_entry(env_cpu(env), addr, MMU_DATA_LOAD,
                                           midx);
    void *host;

    if (unlikely(!full) &&
        probe_access_full_mmu(env, addr, 0, MMU_DATA_LOAD, midx, &host,
                              &full) & (TLB_INVALID_MASK | TLB_MMIO)) {
        return false;
    }
    return !FIELD_EX32(desc, X86PMUDATA, WRITE) || (full->prot & PAGE_WRITE) ||
           x86_cpu_tlb_fill(env_cpu(env), addr, 0, MMU_DATA_STORE, midx, true,
                            0);
}

/*
 * Totals before an access.  x86 has events for loads, stores and fetches alone.
 * Write-backs are neither refills nor misses, so those are of the access.
 */
typedef struct VPMUSeen {
    uint64_t more;
    uint64_t tlb_misses;
    uint64_t walks;
    uint64_t stalls;
    uint64_t l1;
    uint64_t l2;
    uint64_t last;
    uint64_t last_level;
} VPMUSeen;

static VPMUSeen vpmu_look(CPUX86State *env, unsigned int ctx, bool write)
{
    const uint64_t *totals = env->pmu.totals[ctx];

    return (VPMUSeen) {
        .more = totals[write ? X86_PMU_L1D_WR : X86_PMU_L1D_RD],
        .tlb_misses = totals[VPMU_X86_SRC_DTLB_MISS],
        .walks = totals[VPMU_X86_SRC_DTLB_WALK],
        .stalls = totals[X86_PMU_SLOT_BACKEND],
        .l1 = totals[write ? VPMU_X86_SRC_L1D_MISS_WR
                           : VPMU_X86_SRC_L1D_MISS_RD],
        .l2 = totals[write ? VPMU_X86_SRC_L2_MISS_WR : VPMU_X86_SRC_L2_MISS_RD],
        .last = totals[write ? VPMU_X86_SRC_LL_MISS_WR
                             : VPMU_X86_SRC_LL_MISS_RD],
        .last_level = totals[VPMU_X86_SRC_LL_RD],
    };
}

/* Adds further lines of an instruction, which may have had some before. */
static void vpmu_remember_more(CPUX86State *env, uint32_t desc, uint64_t more)
{
    uint32_t place = FIELD_EX32(desc, X86PMUDATA, PLACE);
    unsigned int ctx = FIELD_EX32(desc, X86PMUDATA, CTX);
    uint64_t insns = env->pmu.totals[ctx][X86_PMU_INSNS];

    if (env->pmu.more_place != place || env->pmu.more_insns != insns) {
        env->pmu.more_place = place;
        env->pmu.more_insns = insns;
        env->pmu.more_read = 0;
        env->pmu.more_written = 0;
    }
    if (FIELD_EX32(desc, X86PMUDATA, WRITE)) {
        env->pmu.more_written += more;
    } else {
        env->pmu.more_read += more;
    }
}

/* An access has looked up the levels of the cache. */
static void vpmu_tally_levels(CPUX86State *env, uint64_t *totals, bool write,
                              const VPMUSeen *before, const VPMUSeen *now)
{
    const struct vpmu_model_config *config =
        &x86_pmu_config(env_archcpu(env))->model;
    uint64_t l1 = now->l1 - before->l1;
    uint64_t l2 = now->l2 - before->l2;
    uint64_t last = now->last - before->last;
    uint64_t l2_hits = config->l2.size ? l1 - l2 : 0;
    uint64_t last_hits = config->llc.size ? l2 - last : 0;

    if (write) {
        totals[VPMU_X86_SRC_L2_STORE_HIT] += l2_hits;
        totals[VPMU_X86_SRC_LL_STORE_HIT] += last_hits;
        return;
    }
    totals[VPMU_X86_SRC_LL_LOAD] += now->last_level - before->last_level;
    totals[VPMU_X86_SRC_LL_LOAD_MISS] += last;
    totals[VPMU_X86_SRC_L1D_RD_LESS] -= l1;
    totals[VPMU_X86_SRC_L2_LOAD_HIT] += l2_hits;
    totals[VPMU_X86_SRC_LL_LOAD_HIT] += last_hits;
}

/* An access has looked up the TLBs. */
static void vpmu_tally_tlbs(uint64_t *totals, bool write,
                            const VPMUSeen *before, const VPMUSeen *now)
{
    uint64_t misses = now->tlb_misses - before->tlb_misses;
    uint64_t walks = now->walks - before->walks;

    totals[write ? VPMU_X86_SRC_DTLB_WALK_WR
                 : VPMU_X86_SRC_DTLB_WALK_RD] += walks;
    totals[write ? VPMU_X86_SRC_DTLB_L2_HIT_WR
                 : VPMU_X86_SRC_DTLB_L2_HIT_RD] += misses - walks;
}

/* Returns where an access found its data; @now is after it. */
static uint8_t vpmu_level(X86CPU *cpu, const VPMUSeen *before,
                          const VPMUSeen *now)
{
    const struct vpmu_model_config *config = &x86_pmu_config(cpu)->model;

    if (now->last != before->last) {
        return VPMU_DATA_DRAM;
    }
    if (now->l2 != before->l2) {
        return config->llc.size ? VPMU_DATA_LLC : VPMU_DATA_DRAM;
    }
    if (now->l1 != before->l1) {
        return config->l2.size ? VPMU_DATA_L2 : VPMU_DATA_DRAM;
    }
    return VPMU_DATA_L1;
}

static uint8_t vpmu_translated(const VPMUSeen *before, const VPMUSeen *now)
{
    return now->walks != before->walks ? VPMU_TLB_WALK :
           now->tlb_misses != before->tlb_misses ? VPMU_TLB_L2 : VPMU_TLB_L1;
}

static unsigned int vpmu_latency(const struct vpmu_x86_data_access *access)
{
    return vpmu_access_latency(access->level, access->translated);
}

/* Keeps the slowest accesses of the instruction that is sampled. */
static void vpmu_sample(X86CPU *cpu, const struct vpmu_x86_data_access *access,
                        bool write)
{
    struct vpmu_x86_data_accesses *sampled = &cpu->vpmu->sampled;
    struct vpmu_x86_data_access *slowest = write ? &sampled->store
                                                 : &sampled->load;

    if (slowest->level == VPMU_DATA_UNKNOWN ||
        vpmu_latency(access) > vpmu_latency(slowest)) {
        *slowest = *access;
    }
}

/* Reports an access to PEBS, if its records or its threshold need it. */
static void vpmu_report(CPUX86State *env, uint64_t addr, uint32_t desc,
                        const VPMUSeen *before, const VPMUSeen *now)
{
    X86CPU *cpu = env_archcpu(env);
    struct vpmu_x86 *pmu = &cpu->vpmu->pmu;
    unsigned int ctx = FIELD_EX32(desc, X86PMUDATA, CTX);
    bool write = FIELD_EX32(desc, X86PMUDATA, WRITE);
    struct vpmu_x86_data_access access;

    if (!cpu->vpmu->sampling && (write || !pmu->regs.load_latency)) {
        return;
    }
    access = (struct vpmu_x86_data_access) {
        .address = addr,
        .level = vpmu_level(cpu, before, now),
        .translated = vpmu_translated(before, now),
    };
    env->pmu.totals[ctx][VPMU_X86_SRC_LOAD_LATENCY] +=
        !write && vpmu_x86_load_counts(pmu, &access);
    if (cpu->vpmu->sampling) {
        vpmu_sample(cpu, &access, write);
    }
}

/* The access is to a device, or will fault. */
static void vpmu_sample_uncached(CPUX86State *env, uint64_t addr,
                                 uint32_t desc)
{
    X86CPU *cpu = env_archcpu(env);
    struct vpmu_x86_data_access access = {
        .address = addr,
        .level = VPMU_DATA_UNCACHED,
    };

    if (cpu->vpmu->sampling) {
        vpmu_sample(cpu, &access, FIELD_EX32(desc, X86PMUDATA, WRITE));
    }
}

static void vpmu_feed(CPUX86State *env, uint64_t addr, uint32_t desc)
{
    unsigned int ctx = FIELD_EX32(desc, X86PMUDATA, CTX);
    uint64_t *totals = env->pmu.totals[ctx];
    unsigned int size = FIELD_EX32(desc, X86PMUDATA, LAST) + 1;
    bool write = FIELD_EX32(desc, X86PMUDATA, WRITE);
    VPMUSeen before = vpmu_look(env, ctx, write);
    VPMUSeen now;

    vpmu_model_data(env->pmu.model, ctx, addr, size, write);
    now = vpmu_look(env, ctx, write);
    totals[VPMU_X86_SRC_SLOT_MEMORY] += now.stalls - before.stalls;
    vpmu_tally_tlbs(totals, write, &before, &now);
    vpmu_tally_levels(env, totals, write, &before, &now);
    vpmu_report(env, addr, desc, &before, &now);
    if (now.more != before.more) {
        vpmu_remember_more(env, desc, now.more - before.more);
    }
}

void x86_vpmu_data(CPUX86State *env, uint64_t addr, uint32_t desc,
                   uintptr_t ra)
{
    unsigned int last = FIELD_EX32(desc, X86PMUDATA, LAST);

    if (FIELD_EX32(desc, X86PMUDATA, LOCKED)) {
        env_archcpu(env)->vpmu->sampled.locked = true;
        return;
    }
    if (((addr ^ (addr + last)) & TARGET_PAGE_MASK) &&
        !vpmu_is_cached(env, addr + last, desc)) {
        vpmu_sample_uncached(env, addr, desc);
        return;
    }
    if (vpmu_is_cached(env, addr, desc)) {
        vpmu_feed(env, addr, desc);
        x86_vpmu_spend(env_archcpu(env),
                       ((last >> X86_PMU_LINE_SHIFT) + 2) *
                       env->pmu.most_per_line, ra);
    } else {
        vpmu_sample_uncached(env, addr, desc);
    }
}

void x86_vpmu_fetch(CPUX86State *env, uint64_t pc, unsigned int ctx,
                    uintptr_t ra)
{
    uint64_t *totals = env->pmu.totals[ctx];
    uint64_t refills = totals[VPMU_X86_SRC_ITLB_MISS];
    uint64_t walks = totals[VPMU_X86_SRC_ITLB_WALK];
    uint64_t slots = totals[VPMU_X86_SRC_SLOT_FRONTEND];
    uint64_t l1 = totals[VPMU_X86_SRC_L1I_MISS];
    uint64_t l2 = totals[VPMU_X86_SRC_L2_MISS_RD];

    vpmu_model_fetch(env->pmu.model, ctx, pc);
    l1 = totals[VPMU_X86_SRC_L1I_MISS] - l1;
    l2 = totals[VPMU_X86_SRC_L2_MISS_RD] - l2;
    totals[VPMU_X86_SRC_L2_FETCH_MISS] += l2;
    if (x86_pmu_config(env_archcpu(env))->model.l2.size) {
        totals[VPMU_X86_SRC_L2_FETCH_HIT] += l1 - l2;
    }
    refills = totals[VPMU_X86_SRC_ITLB_MISS] - refills;
    walks = totals[VPMU_X86_SRC_ITLB_WALK] - walks;
    totals[VPMU_X86_SRC_ITLB_L2_HIT] += refills - walks;
    totals[VPMU_X86_SRC_SLOT_FETCH] +=
        totals[VPMU_X86_SRC_SLOT_FRONTEND] - slots;
    x86_vpmu_spend_fetch(env_archcpu(env), pc, ra);
}

void x86_vpmu_redirected(CPUX86State *env, uint64_t from, uint64_t to)
{
    vpmu_predictor_indirect(env->pmu.predictor, from << X86_PMU_PREDICT_SHIFT,
                            to);
}

/*
 * Changes of address translation.  While the models are not fed, they miss
 * these, and are flushed as a whole when they are fed again.
 */

void x86_vpmu_new_space(CPUX86State *env)
{
    X86VPMU *vpmu = env_archcpu(env)->vpmu;
    const struct vpmu_flush low = { .last = LAST_LOW };

    if (!vpmu->fed) {
        vpmu->stale = true;
        return;
    }
    vpmu_model_flush(env->pmu.model, &low);
    vpmu_set_space(env);
}

void x86_vpmu_flush_page(CPUX86State *env, uint64_t page)
{
    X86VPMU *vpmu = env_archcpu(env)->vpmu;

    if (vpmu->fed) {
        vpmu_model_flush_page(env->pmu.model, page);
    } else {
        vpmu->stale = true;
    }
}

void x86_vpmu_flush_tlb(CPUX86State *env)
{
    X86VPMU *vpmu = env_archcpu(env)->vpmu;

    if (vpmu->fed) {
        vpmu_model_flush_tlb(env->pmu.model);
    } else {
        vpmu->stale = true;
    }
}
