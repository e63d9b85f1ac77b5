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
#include "system/vpmu_shared_cache.h"
#include "cpu.h"
#include "target/i386/pmu/compat.h"
#include "target/i386/pmu/private.h"
#include "tcg/helper-tcg.h"
#include "tcg/tcg-cpu.h"
#include "tcg/vpmu-model.h"
#include "tcg/vpmu-predictor.h"
#include "tcg/vpmu-profile.h"
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
 * and is the same in all spaces.  With nested paging, a TLB entry has the
 * smaller page of the guest's and the host's, but QEMU's has the larger one.
 */
static void set_space(CPUX86State *env)
{
    bool guest = env->hflags & HF_GUEST_MASK;

    vpmu_model_set_space(env->pmu.model, env->cr[3] >> 12, guest);
    vpmu_model_set_largest_page(env->pmu.model, guest ? VPMU_PAGE_SHIFT
                                                      : VPMU_PAGE_MAX_SHIFT);
}

/* A stall stalls all slots of its cycles. */
static unsigned int most_per_line(const struct vpmu_model_config *config)
{
    unsigned int stall = config->penalty_l2 + config->penalty_llc +
                         config->penalty_memory + config->penalty_tlb2 +
                         config->penalty_walk;

    return MOST_PER_LINE + (config->cycles == VPMU_CYCLES_MODEL
                            ? stall * config->width : 0);
}

/* Another CPU's thread may ask; this CPU counts in one context or another. */
static unsigned int model_context(void *cpu)
{
    return qatomic_read(&((X86CPU *)cpu)->vpmu->pmu.count.ctx);
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
        if (config->llc_shared) {
            vpmu_shared_cache_join(env->pmu.model, cpu, model_context);
        }
        env->pmu.most_per_line = most_per_line(config);
        vpmu->stale = true;
    }
    vpmu->fed = fed;
    if (fed && vpmu->stale) {
        vpmu_model_flush_tlb(env->pmu.model);
        set_space(env);
        vpmu->stale = false;
    }
}

void x86_vpmu_model_forget(X86CPU *cpu)
{
    if (cpu->env.pmu.model) {
        vpmu_shared_leave(cpu->env.pmu.model);
        qemu_vfree(cpu->env.pmu.model);
        cpu->env.pmu.model = NULL;
    }
    cpu->vpmu->predictor = (struct vpmu_predictor) { };
    cpu->vpmu->predicted = false;
}

void x86_vpmu_start_cold(X86CPU *cpu)
{
    x86_vpmu_model_forget(cpu);
    x86_vpmu_rearm(cpu);
}

/*
 * Called from generated code
 */

/*
 * Returns the binary logarithm of the size of the page of @addr; 0 if an access
 * to it will fault or is an access to a device, which is in no cache.  A store
 * is probed as a load: probing a store would invalidate the blocks of code in
 * that page, including the present one, which would then not notice that it
 * modifies itself.
 */
static inline QEMU_ALWAYS_INLINE unsigned int
cached_page(CPUX86State *env, uint64_t addr, uint32_t desc)
{
    int midx = FIELD_EX32(desc, X86PMUDATA, MIDX);
    CPUTLBEntryFull *full = vpmu_tlb_entry(env_cpu(env), addr, MMU_DATA_LOAD,
                                           midx);
    unsigned int page;
    void *host;

    if (unlikely(!full) &&
        probe_access_full_mmu(env, addr, 0, MMU_DATA_LOAD, midx, &host,
                              &full) & (TLB_INVALID_MASK | TLB_MMIO)) {
        return 0;
    }
    page = full->lg_page_size;
    return !FIELD_EX32(desc, X86PMUDATA, WRITE) || (full->prot & PAGE_WRITE) ||
           x86_cpu_tlb_fill(env_cpu(env), addr, 0, MMU_DATA_STORE, midx, true,
                            0) ? page : 0;
}

/* Adds further lines of an instruction, which may have had some before. */
static void remember_more(CPUX86State *env, uint32_t desc, uint64_t more)
{
    uint32_t place = FIELD_EX32(desc, X86PMUDATA, PLACE);
    unsigned int ctx = FIELD_EX32(desc, X86PMUDATA, CTX);
    uint64_t insns = env->pmu.totals[ctx][X86_PMU_INSNS];

    if (env->pmu.more_place != place || env->pmu.more_insns != insns) {
        env->pmu.more_place = place;
        env->pmu.more_insns = insns;
        env->pmu.more_read = 0;
        env->pmu.more_written = 0;
        env->pmu.more_split = 0;
    }
    if (FIELD_EX32(desc, X86PMUDATA, WRITE)) {
        env->pmu.more_written += more;
    } else {
        env->pmu.more_read += more;
    }
}

/* The same of an access's first and last page, which may be one. */
typedef struct X86Pages {
    unsigned int first;
    unsigned int last;
} X86Pages;

/*
 * Returns 0 for the last page if an access to one of them will fault, or is
 * not cached.  The probe for a store sets the dirty bit of a page, so the
 * first page comes first: if it faults, the store changes nothing.
 */
static inline QEMU_ALWAYS_INLINE X86Pages
cached_pages(CPUX86State *env, uint64_t addr, uint64_t end, uint32_t desc)
{
    unsigned int first = cached_page(env, addr, desc);
    bool same = likely(!((addr ^ end) & TARGET_PAGE_MASK));

    return (X86Pages) {
        .first = first,
        .last = same ? first : first ? cached_page(env, end, desc) : 0,
    };
}

/* A load has hit the last level: what did other CPUs have of the line? */
static void tally_snoop(uint64_t *totals, unsigned int missed)
{
    totals[missed & VPMU_PEER_MODIFIED ? VPMU_X86_SRC_LL_LOAD_MODIFIED :
           missed & VPMU_PEER_FORWARDED ? VPMU_X86_SRC_LL_LOAD_FORWARDED :
           missed & VPMU_PEER_HAS ? VPMU_X86_SRC_LL_LOAD_SHARED
                                  : VPMU_X86_SRC_LL_LOAD_ALONE]++;
}

/*
 * Tallies what an access to a line missed.  x86 has events for loads, stores
 * and fetches alone.
 */
static void tally_load_missed(uint64_t *totals, unsigned int missed)
{
    bool memory = missed & VPMU_FROM_MEMORY;
    bool last_hit = !memory && (missed & VPMU_MISSED_L2);
    bool last_miss = missed & VPMU_MISSED_LLC;

    totals[VPMU_X86_SRC_L1D_RD_LESS]--;
    totals[VPMU_X86_SRC_L2_LOAD_HIT] += !memory && !last_hit;
    totals[VPMU_X86_SRC_LL_LOAD_HIT] += last_hit;
    totals[VPMU_X86_SRC_LL_LOAD] += last_hit || last_miss;
    totals[VPMU_X86_SRC_LL_LOAD_MISS] += last_miss;
    if (last_hit) {
        tally_snoop(totals, missed);
    }
}

static void tally_store_missed(uint64_t *totals, unsigned int missed)
{
    bool memory = missed & VPMU_FROM_MEMORY;
    bool last_hit = !memory && (missed & VPMU_MISSED_L2);

    if (missed & VPMU_MISSED_L1) {
        totals[VPMU_X86_SRC_L2_STORE_HIT] += !memory && !last_hit;
        totals[VPMU_X86_SRC_LL_STORE_HIT] += last_hit;
    }
    totals[VPMU_X86_SRC_RFO] +=
        (missed & (VPMU_MISSED_L2 | VPMU_PEER_INVALIDATED)) != 0;
}

static inline QEMU_ALWAYS_INLINE void
tally_missed(uint64_t *totals, bool write, unsigned int missed)
{
    if (write) {
        tally_store_missed(totals, missed);
    } else if (missed & VPMU_MISSED_L1) {
        if (likely(!(missed & (VPMU_MISSED_L2 | VPMU_FROM_MEMORY)))) {
            totals[VPMU_X86_SRC_L1D_RD_LESS]--;
            totals[VPMU_X86_SRC_L2_LOAD_HIT]++;
        } else {
            tally_load_missed(totals, missed);
        }
    }
}

/* Returns where an access found its data. */
static uint8_t data_level(unsigned int missed)
{
    return missed & VPMU_FROM_MEMORY ? VPMU_DATA_DRAM :
           missed & VPMU_PEER_MODIFIED ? VPMU_DATA_PEER :
           missed & VPMU_PEER_HAS ? VPMU_DATA_SHARED :
           missed & VPMU_MISSED_L2 ? VPMU_DATA_LLC :
           missed & VPMU_MISSED_L1 ? VPMU_DATA_L2 : VPMU_DATA_L1;
}

static uint8_t translation_level(unsigned int missed)
{
    return missed & VPMU_MISSED_L2_TLB ? VPMU_TLB_WALK :
           missed & VPMU_MISSED_TLB ? VPMU_TLB_L2 : VPMU_TLB_L1;
}

static unsigned int access_latency(const struct vpmu_x86_data_access *access)
{
    return vpmu_access_latency(access->level, access->translated);
}

/* Keeps the slowest accesses of an instruction. */
static void keep_access(struct vpmu_x86_data_accesses *sampled,
                        const struct vpmu_x86_data_access *access, bool write)
{
    struct vpmu_x86_data_access *slowest = write ? &sampled->store
                                                 : &sampled->load;

    if (slowest->level == VPMU_DATA_UNKNOWN ||
        access_latency(access) > access_latency(slowest)) {
        *slowest = *access;
    }
}

/* Returns the accesses of the noted instruction so far. */
static X86Accesses *sampled_accesses(X86CPU *cpu)
{
    X86VPMU *vpmu = cpu->vpmu;

    if (vpmu->noted_element != cpu->env.pmu.elements) {
        vpmu->noted_element = cpu->env.pmu.elements;
        vpmu->sampled = (X86Accesses) { };
    }
    return &vpmu->sampled;
}

/* The instruction is not noted, but may have to be executed again alone. */
static X86Accesses *pending_accesses(X86CPU *cpu, uint32_t desc)
{
    unsigned int ctx = FIELD_EX32(desc, X86PMUDATA, CTX);
    uint32_t place = FIELD_EX32(desc, X86PMUDATA, PLACE);
    uint64_t insns = cpu->env.pmu.totals[ctx][X86_PMU_INSNS];
    X86VPMU *vpmu = cpu->vpmu;

    if (vpmu->pending_place != place || vpmu->pending_insns != insns ||
        vpmu->pending_element != cpu->env.pmu.elements) {
        vpmu->pending_place = place;
        vpmu->pending_insns = insns;
        vpmu->pending_element = cpu->env.pmu.elements;
        vpmu->pending = (X86Accesses) { };
    }
    return &vpmu->pending;
}

static struct vpmu_x86_data_access access_to(uint64_t addr,
                                             unsigned int missed)
{
    return (struct vpmu_x86_data_access) {
        .address = addr,
        .level = data_level(missed),
        .translated = translation_level(missed),
    };
}

/*
 * Reports an access to PEBS, if its records or its threshold need it, to IBS,
 * and to a recording that describes accesses.  The line in which it begins has
 * missed @first.
 */
static void report_access(CPUX86State *env, uint64_t addr, uint32_t desc,
                          unsigned int first, unsigned int missed)
{
    X86CPU *cpu = env_archcpu(env);
    struct vpmu_x86 *pmu = &cpu->vpmu->pmu;
    unsigned int ctx = FIELD_EX32(desc, X86PMUDATA, CTX);
    bool write = FIELD_EX32(desc, X86PMUDATA, WRITE);
    struct vpmu_x86_data_access access, begins;
    X86Accesses *kept;

    if (!(env->pmu.flags_in[ctx] & X86_PMU_DESCRIBED_MASK) &&
        (write || !pmu->regs.load_latency)) {
        return;
    }
    access = access_to(addr, missed);
    begins = access_to(addr, first);
    x86_ibs_access(env, desc, &begins);
    env->pmu.totals[ctx][VPMU_X86_SRC_LOAD_LATENCY] +=
        !write && vpmu_x86_load_counts(pmu, &access);
    kept = cpu->vpmu->sampling ? sampled_accesses(cpu)
                               : pending_accesses(cpu, desc);
    keep_access(&kept->all, &access, write);
    keep_access(&kept->first, &begins, write);
}

/* Will an access to the page of @addr, which is not cached, fault? */
static bool access_faults(CPUX86State *env, uint64_t addr, uint32_t desc)
{
    int midx = FIELD_EX32(desc, X86PMUDATA, MIDX);
    CPUTLBEntryFull *full;
    void *host;

    if (probe_access_full_mmu(env, addr, 0, MMU_DATA_LOAD, midx, &host,
                              &full) & TLB_INVALID_MASK) {
        return true;
    }
    return FIELD_EX32(desc, X86PMUDATA, WRITE) && !(full->prot & PAGE_WRITE) &&
           !x86_cpu_tlb_fill(env_cpu(env), addr, 0, MMU_DATA_STORE, midx, true,
                             0);
}

/* The access is to a device, or will fault and is not made. */
static void sample_uncached(CPUX86State *env, uint64_t addr,
                            uint32_t desc)
{
    X86CPU *cpu = env_archcpu(env);
    uint64_t end = addr + FIELD_EX32(desc, X86PMUDATA, LAST);
    struct vpmu_x86_data_access access = {
        .address = addr,
        .level = VPMU_DATA_UNCACHED,
    };

    if (cpu->vpmu->sampling && !access_faults(env, addr, desc) &&
        !access_faults(env, end, desc)) {
        X86Accesses *kept = sampled_accesses(cpu);
        bool write = FIELD_EX32(desc, X86PMUDATA, WRITE);

        x86_ibs_access(env, desc, &access);
        keep_access(&kept->all, &access, write);
        keep_access(&kept->first, &access, write);
    }
}

/* The instruction is a load or store that is split; it is counted once. */
static void tally_split(CPUX86State *env, uint64_t *totals, bool write,
                        bool page)
{
    unsigned int split = write + 2 * page;

    totals[VPMU_X86_SRC_SPLIT_LOAD + split] +=
        !extract32(env->pmu.more_split, split, 1);
    env->pmu.more_split |= 1 << split;
}

/*
 * Tallies an access that continues in @more lines, in another page or not.  An
 * operand that lies in more than two lines is accessed in parts that are
 * aligned.
 */
static void tally_continued(CPUX86State *env, uint32_t desc, unsigned int more,
                            bool page)
{
    uint64_t *totals = env->pmu.totals[FIELD_EX32(desc, X86PMUDATA, CTX)];
    bool write = FIELD_EX32(desc, X86PMUDATA, WRITE);

    totals[write ? X86_PMU_L1D_WR : X86_PMU_L1D_RD] += more;
    remember_more(env, desc, more);
    if (more == 1) {
        tally_split(env, totals, write, false);
        if (page) {
            tally_split(env, totals, write, true);
        }
    }
}

/* Accesses the further lines of an access; returns what they missed. */
static unsigned int feed_more(CPUX86State *env, uint64_t addr,
                              uint32_t desc, unsigned int more,
                              X86Pages pages)
{
    unsigned int ctx = FIELD_EX32(desc, X86PMUDATA, CTX);
    bool write = FIELD_EX32(desc, X86PMUDATA, WRITE);
    uint64_t *totals = env->pmu.totals[ctx];
    unsigned int missed = 0;

    for (unsigned int i = 1; i <= more; i++) {
        uint64_t at = addr + (i << X86_PMU_LINE_SHIFT);
        bool first = !((at ^ addr) & TARGET_PAGE_MASK);
        unsigned int line =
            vpmu_model_line(env->pmu.model, ctx, at, write,
                            first ? pages.first : pages.last);

        tally_missed(totals, write, line);
        missed |= line;
    }
    return missed;
}

static const VPMUCostSource access_costs[] = {
    { VPMU_COST_READ, X86_PMU_L1D_RD },
    { VPMU_COST_WRITE, X86_PMU_L1D_WR },
    { VPMU_COST_READ_MISS, VPMU_X86_SRC_L1D_MISS_RD },
    { VPMU_COST_WRITE_MISS, VPMU_X86_SRC_L1D_MISS_WR },
    { VPMU_COST_READ_LAST_MISS, VPMU_X86_SRC_LL_MISS_RD },
    { VPMU_COST_WRITE_LAST_MISS, VPMU_X86_SRC_LL_MISS_WR },
};

static const VPMUCostSource fetch_costs[] = {
    { VPMU_COST_FETCH_MISS, VPMU_X86_SRC_L1I_MISS },
    { VPMU_COST_FETCH_LAST_MISS, VPMU_X86_SRC_LL_MISS_RD },
};

static void feed_access(CPUX86State *env, uint64_t addr, uint32_t desc,
                        X86Pages pages)
{
    uint64_t before[ARRAY_SIZE(access_costs)];
    unsigned int ctx = FIELD_EX32(desc, X86PMUDATA, CTX);
    unsigned int last = FIELD_EX32(desc, X86PMUDATA, LAST);
    bool write = FIELD_EX32(desc, X86PMUDATA, WRITE);
    uint64_t *totals = env->pmu.totals[ctx];
    uint64_t stalls = totals[X86_PMU_SLOT_BACKEND];
    unsigned int more = (addr % (1 << X86_PMU_LINE_SHIFT) + last) >>
                        X86_PMU_LINE_SHIFT;
    unsigned int first, missed;

    vpmu_cost_begin(env->pmu.profile, access_costs, ARRAY_SIZE(before), totals,
                    before);
    first = vpmu_model_line(env->pmu.model, ctx, addr, write, pages.first);
    missed = first;
    tally_missed(totals, write, missed);
    if (unlikely(more)) {
        tally_continued(env, desc, more,
                        (addr ^ (addr + last)) & TARGET_PAGE_MASK);
        missed |= feed_more(env, addr, desc, more, pages);
    } else if (FIELD_EX32(desc, X86PMUDATA, HALF) &&
               addr % (1 << X86_PMU_LINE_SHIFT) == 0) {
        tally_continued(env, desc, 1, !(addr & ~TARGET_PAGE_MASK));
    }
    totals[VPMU_X86_SRC_SLOT_MEMORY] += totals[X86_PMU_SLOT_BACKEND] - stalls;
    vpmu_cost_end(env->pmu.profile, ctx, access_costs, ARRAY_SIZE(before),
                  totals, before);
    report_access(env, addr, desc, first, missed);
}

/* The same for any access. */
static __attribute__((noinline)) void
feed_any(CPUX86State *env, uint64_t addr, uint32_t desc, uintptr_t ra)
{
    unsigned int last = FIELD_EX32(desc, X86PMUDATA, LAST);
    int64_t *budget = &env->pmu.room[FIELD_EX32(desc, X86PMUDATA, CTX)].budget;
    X86Pages pages;

    if (FIELD_EX32(desc, X86PMUDATA, LOCKED)) {
        env_archcpu(env)->vpmu->sampled.all.locked = true;
        return;
    }
    pages = cached_pages(env, addr, addr + last, desc);
    if (pages.last) {
        feed_access(env, addr, desc, pages);
        *budget -= ((last >> X86_PMU_LINE_SHIFT) + 2) * env->pmu.most_per_line;
        if (unlikely(*budget <= 0)) {
            x86_vpmu_spend(env_archcpu(env), 0, ra);
        }
    } else {
        sample_uncached(env, addr, desc);
    }
}

/*
 * Is it enough to feed the model with an access, and to tally what it missed?
 * Then it is in one line, nothing wants its description, and nothing stalls.
 */
static inline QEMU_ALWAYS_INLINE bool is_plain(CPUX86State *env, uint64_t addr,
                                               uint32_t desc)
{
    const unsigned int line = 1 << X86_PMU_LINE_SHIFT;
    unsigned int ctx = FIELD_EX32(desc, X86PMUDATA, CTX);

    return !(desc & (R_X86PMUDATA_LOCKED_MASK | R_X86PMUDATA_HALF_MASK)) &&
           addr % line + FIELD_EX32(desc, X86PMUDATA, LAST) < line &&
           !env->pmu.profile &&
           !(env->pmu.flags_in[ctx] & X86_PMU_DESCRIBED_MASK) &&
           !env_archcpu(env)->vpmu->pmu.regs.load_latency &&
           env->pmu.most_per_line == MOST_PER_LINE;
}

void x86_vpmu_data(CPUX86State *env, uint64_t addr, uint32_t desc,
                   uintptr_t ra)
{
    unsigned int ctx = FIELD_EX32(desc, X86PMUDATA, CTX);
    bool write = FIELD_EX32(desc, X86PMUDATA, WRITE);
    int64_t *budget = &env->pmu.room[ctx].budget;
    unsigned int page;

    if (unlikely(!is_plain(env, addr, desc))) {
        feed_any(env, addr, desc, ra);
        return;
    }
    page = cached_page(env, addr, desc);
    if (unlikely(!page)) {
        sample_uncached(env, addr, desc);
        return;
    }
    tally_missed(env->pmu.totals[ctx], write,
                 vpmu_model_line(env->pmu.model, ctx, addr, write, page));
    *budget -= 2 * MOST_PER_LINE;
    if (unlikely(*budget <= 0)) {
        x86_vpmu_spend(env_archcpu(env), 0, ra);
    }
}

void x86_vpmu_maintain(CPUX86State *env, uint64_t addr, uint32_t desc,
                       uintptr_t ra)
{
    unsigned int ctx = FIELD_EX32(desc, X86PMUMAINTAIN, CTX);
    struct vpmu_model *model = env->pmu.model;
    int64_t *budget = &env->pmu.room[ctx].budget;

    switch (FIELD_EX32(desc, X86PMUMAINTAIN, WHAT)) {
    case X86_PMU_CLEAN:
        vpmu_model_maintain(model, ctx, addr, VPMU_MAINTAIN_CLEAN);
        break;
    case X86_PMU_FLUSH:
        vpmu_model_maintain(model, ctx, addr, VPMU_MAINTAIN_FLUSH);
        vpmu_model_maintain(model, ctx, addr, VPMU_MAINTAIN_FETCH);
        break;
    default:
        vpmu_model_empty(model, true);
        break;
    }
    *budget -= env->pmu.most_per_line;
    if (unlikely(*budget <= 0)) {
        x86_vpmu_spend(env_archcpu(env), 0, ra);
    }
}

static void report_fetch(CPUX86State *env, uint64_t pc, unsigned int missed)
{
    struct vpmu_x86_data_access fetch = {
        .address = pc,
        .level = data_level(missed),
        .translated = translation_level(missed),
    };

    x86_ibs_fetched(env, &fetch);
}

void x86_vpmu_fetch(CPUX86State *env, uint64_t pc, unsigned int ctx,
                    uintptr_t ra)
{
    uint64_t *totals = env->pmu.totals[ctx];
    uint64_t slots = totals[VPMU_X86_SRC_SLOT_FRONTEND];
    uint64_t before[ARRAY_SIZE(fetch_costs)];
    int midx = x86_mmu_index_pl(env, env->hflags & HF_CPL_MASK);
    unsigned int missed;

    vpmu_cost_begin(env->pmu.profile, fetch_costs, ARRAY_SIZE(before), totals,
                    before);
    missed = vpmu_model_fetch(env->pmu.model, ctx, pc,
                              vpmu_fetched_page(env, pc, midx));
    vpmu_cost_end(env->pmu.profile, ctx, fetch_costs, ARRAY_SIZE(before),
                  totals, before);
    if (missed & VPMU_MISSED_L1) {
        bool l2_miss = missed & VPMU_MISSED_L2;

        totals[VPMU_X86_SRC_L2_FETCH_MISS] += l2_miss;
        totals[VPMU_X86_SRC_L2_FETCH_HIT] += !l2_miss &&
                                             !(missed & VPMU_FROM_MEMORY);
    }
    totals[VPMU_X86_SRC_SLOT_FETCH] +=
        totals[VPMU_X86_SRC_SLOT_FRONTEND] - slots;
    if (unlikely(env_archcpu(env)->vpmu->ibs)) {
        report_fetch(env, pc, missed);
    }
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
    set_space(env);
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
