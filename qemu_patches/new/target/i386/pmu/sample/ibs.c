/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instruction-based sampling of an AMD CPU, by the vpmu library
 *
 * The counters of IBS are observers that the guest programs: one of cycles or
 * instructions, and one of fetches.  When the count of ops has ended, a third
 * observer ends its period with the next instruction.  Until then, limit.c
 * notes each instruction and executes it alone, as for PEBS, and model.c
 * reports its accesses.  What the instruction adds to the totals tells which
 * branch it is.
 *
 * While a unit is enabled, blocks feed the models of caches and TLBs; for ops
 * also that of branch prediction.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "hw/i386/apic.h"
#include "target/i386/pmu/compat.h"
#include "target/i386/pmu/parts.h"
#include "tcg/tcg-cpu.h"
#include "tcg/vpmu-tlb.h"
#include "qapi/qapi-types-vpmu.h"
#include "vpmu/x86/ibs.h"

#define IBS_LEAF 0x8000001b
#define ALL_CONTEXTS MAKE_64BIT_MASK(0, VPMU_X86_CTX_COUNT)

struct X86IBS {
    struct vpmu_ibs ibs;
    /* Those with a period are counting. */
    struct vpmu_observer counter[VPMU_IBS_UNITS];
    struct vpmu_observer tag;
    /* How much of the counters' counts the registers include. */
    uint64_t seen[VPMU_IBS_UNITS];
    /* The totals before the instruction that was noted. */
    uint64_t before[X86_PMU_SOURCES];
    /* The last fetch that a helper has seen. */
    struct vpmu_x86_data_access fetch;
    /* Samples that were kept; the registers and these in a snapshot. */
    uint64_t samples[VPMU_IBS_UNITS];
    struct vpmu_ibs seen_ibs;
    uint64_t seen_samples[VPMU_IBS_UNITS];
};

/*
 * Counters
 */

static void ibs_start(X86CPU *cpu, struct vpmu_observer *o,
                      vpmu_sources sources, uint64_t period)
{
    struct vpmu_now now = x86_vpmu_now(cpu);

    *o = (struct vpmu_observer) {
        .sources = sources,
        .ctx_mask = { ALL_CONTEXTS },
        .gate = VPMU_UNGATED,
        .period = period,
    };
    pmu_service(CPU(cpu), vpmu_x86_observer_add(&cpu->vpmu->pmu, o, &now));
}

static void ibs_stop(X86CPU *cpu, struct vpmu_observer *o)
{
    struct vpmu_now now;
    uint64_t count;

    if (o->period) {
        now = x86_vpmu_now(cpu);
        pmu_service(CPU(cpu), vpmu_x86_observer_remove(&cpu->vpmu->pmu, o, &now,
                                                       &count));
        o->period = 0;
    }
}

/* Brings the counts in the registers up to date. */
static void ibs_settle(X86CPU *cpu)
{
    struct X86IBS *own = cpu->vpmu->ibs;
    struct vpmu_now now = x86_vpmu_now(cpu);

    for (unsigned int unit = 0; unit < VPMU_IBS_UNITS; unit++) {
        struct vpmu_observer *o = &own->counter[unit];

        if (o->period) {
            uint64_t count = vpmu_x86_observer_read(&cpu->vpmu->pmu, o, &now);

            vpmu_ibs_advance(&own->ibs, unit, count - own->seen[unit]);
            own->seen[unit] = count;
        }
    }
}

/*
 * The control register or the count of @unit has changed.  The other unit may
 * have reached its end at the same instruction and goes on undisturbed.
 */
static void ibs_arm(X86CPU *cpu, enum vpmu_ibs_unit unit)
{
    static const vpmu_sources sources[] = {
        [VPMU_IBS_CYCLES] = CYCLES,
        [VPMU_IBS_OPS] = INSNS,
        [VPMU_IBS_FETCHES] = VPMU_SRC_BIT(VPMU_X86_SRC_L1I),
    };
    struct X86IBS *own = cpu->vpmu->ibs;
    enum vpmu_ibs_counted counted = vpmu_ibs_counts(&own->ibs, unit);

    ibs_stop(cpu, &own->counter[unit]);
    own->seen[unit] = 0;
    if (counted != VPMU_IBS_NOTHING) {
        ibs_start(cpu, &own->counter[unit], sources[counted],
                  vpmu_ibs_left(&own->ibs, unit));
    }
    if (unit == VPMU_IBS_OP) {
        ibs_stop(cpu, &own->tag);
        if (x86_ibs_tags(cpu)) {
            ibs_start(cpu, &own->tag, INSNS, vpmu_ibs_tags(&own->ibs));
        }
    }
    x86_vpmu_rearm(cpu);
}

static void ibs_arm_both(X86CPU *cpu)
{
    ibs_arm(cpu, VPMU_IBS_FETCH);
    ibs_arm(cpu, VPMU_IBS_OP);
}

static void ibs_interrupt(X86CPU *cpu)
{
    if (cpu->apic_state) {
        BQL_LOCK_GUARD();
        apic_deliver_extended(cpu->apic_state, VPMU_IBS_LVT);
    }
}

static vpmu_sources ibs_sources(X86CPU *cpu, unsigned int ctx)
{
    const struct X86IBS *own = cpu->vpmu->ibs;

    if (!own) {
        return 0;
    }
    if (vpmu_ibs_enabled(&own->ibs, VPMU_IBS_OP)) {
        return INSNS | BRANCHES | MISSES | VPMU_X86_MODELLED;
    }
    return vpmu_ibs_enabled(&own->ibs, VPMU_IBS_FETCH)
           ? INSNS | VPMU_X86_MODELLED : 0;
}

static uint64_t ibs_flags(X86CPU *cpu, unsigned int ctx)
{
    return x86_ibs_tags(cpu) ? X86_PMU_DESCRIBED_MASK : 0;
}

/*
 * Samples
 */

bool x86_ibs_tags(X86CPU *cpu)
{
    return cpu->vpmu->ibs && vpmu_ibs_tags(&cpu->vpmu->ibs->ibs);
}

static void ibs_noted(X86CPU *cpu)
{
    if (x86_ibs_tags(cpu)) {
        memcpy(cpu->vpmu->ibs->before,
               cpu->env.pmu.totals[cpu->vpmu->noted_ctx],
               sizeof(cpu->vpmu->ibs->before));
    }
}

/* Adds the physical address and the size of the page. */
static void ibs_translate(CPUX86State *env, MMUAccessType type, int midx,
                          struct vpmu_x86_data_access *access)
{
    CPUTLBEntryFull *full = vpmu_tlb_entry(env_cpu(env), access->address, type,
                                           midx);
    void *host;

    if (!full &&
        probe_access_full_mmu(env, access->address, 0, type, midx, &host,
                              &full) & TLB_INVALID_MASK) {
        return;
    }
    access->physical = full->phys_addr |
                       (access->address & ~TARGET_PAGE_MASK);
    access->page = full->lg_page_size >= 30 ? VPMU_X86_PAGE_1G :
                   full->lg_page_size >= 21 ? VPMU_X86_PAGE_2M
                                            : VPMU_X86_PAGE_4K;
    access->physical_valid = true;
}

void x86_ibs_access(CPUX86State *env, uint32_t desc,
                    struct vpmu_x86_data_access *access)
{
    if (x86_ibs_tags(env_archcpu(env))) {
        access->size = FIELD_EX32(desc, X86PMUDATA, LAST) + 1;
        ibs_translate(env, MMU_DATA_LOAD, FIELD_EX32(desc, X86PMUDATA, MIDX),
                      access);
    }
}

void x86_ibs_fetched(CPUX86State *env,
                     const struct vpmu_x86_data_access *fetch)
{
    struct X86IBS *own = env_archcpu(env)->vpmu->ibs;

    if (own && vpmu_ibs_enabled(&own->ibs, VPMU_IBS_FETCH)) {
        own->fetch = *fetch;
        ibs_translate(env, MMU_INST_FETCH,
                      x86_mmu_index_pl(env, env->hflags & HF_CPL_MASK),
                      &own->fetch);
    }
}

/* Has the noted instruction added to one of @sources? */
static bool ibs_added(X86CPU *cpu, vpmu_sources sources)
{
    const uint64_t *now = cpu->env.pmu.totals[cpu->vpmu->noted_ctx];

    for (unsigned int i = 0; i < X86_PMU_SOURCES; i++) {
        if ((sources & VPMU_SRC_BIT(i)) &&
            now[i] != cpu->vpmu->ibs->before[i]) {
            return true;
        }
    }
    return false;
}

static uint8_t ibs_branch(X86CPU *cpu)
{
    bool conditional = ibs_added(cpu, VPMU_SRC_BIT(VPMU_X86_SRC_BR_COND));
    vpmu_sources taken = conditional ? VPMU_SRC_BIT(VPMU_X86_SRC_BR_TAKEN)
                                     : VPMU_X86_BRANCHES;

    if (!ibs_added(cpu, VPMU_X86_BRANCHES)) {
        return 0;
    }
    return VPMU_IBS_IS_BRANCH |
           (ibs_added(cpu, VPMU_SRC_BIT(VPMU_X86_SRC_BR_RETURN))
            ? VPMU_IBS_IS_RETURN : 0) |
           (ibs_added(cpu, taken) ? VPMU_IBS_IS_TAKEN : 0) |
           (ibs_added(cpu, VPMU_SRC_BIT(VPMU_X86_SRC_BR_MISS))
            ? VPMU_IBS_IS_MISPREDICTED : 0);
}

/* The tagged instruction has been executed. */
static bool ibs_op_sampled(X86CPU *cpu)
{
    CPUX86State *env = &cpu->env;
    struct vpmu_ibs_op op = {
        .rip = x86_pmu_ip(env),
        .rip_invalid = !x86_vpmu_is_noted(env),
        .target = x86_pmu_ip(env),
    };

    if (!op.rip_invalid) {
        op.rip = cpu->vpmu->noted;
        op.branch = ibs_branch(cpu);
        op.accesses = x86_vpmu_sampled(env)->first;
        op.accesses.locked = x86_vpmu_sampled(env)->all.locked;
    }
    return vpmu_ibs_op_sampled(&cpu->vpmu->ibs->ibs, &op);
}

/* The present instruction has raised a fault.  Was it tagged? */
void x86_ibs_faulted(X86CPU *cpu)
{
    struct X86IBS *own = cpu->vpmu->ibs;
    struct vpmu_now now;

    if (x86_ibs_tags(cpu)) {
        now = x86_vpmu_now(cpu);
        if (vpmu_x86_observer_read(&cpu->vpmu->pmu, &own->tag, &now) + 1 ==
            own->tag.period) {
            ibs_settle(cpu);
            vpmu_ibs_op_aborted(&own->ibs);
            ibs_arm(cpu, VPMU_IBS_OP);
        }
    }
}

bool x86_ibs_sampled(CPUState *cs, const struct vpmu_sample *sample)
{
    X86CPU *cpu = X86_CPU(cs);
    struct X86IBS *own = cpu->vpmu->ibs;
    const struct vpmu_observer *o = sample->observer;
    enum vpmu_ibs_unit unit;
    bool interrupts = false;

    if (!own || (o != &own->tag && (o < own->counter ||
                                    o >= own->counter + VPMU_IBS_UNITS))) {
        return false;
    }
    ibs_settle(cpu);
    unit = o == &own->counter[VPMU_IBS_FETCH] ? VPMU_IBS_FETCH : VPMU_IBS_OP;
    if (o == &own->tag) {
        interrupts = ibs_op_sampled(cpu);
    } else if (unit == VPMU_IBS_FETCH) {
        interrupts = vpmu_ibs_fetch_sampled(&own->ibs, &own->fetch);
    }
    own->samples[unit] += interrupts;
    ibs_arm(cpu, unit);
    if (interrupts) {
        ibs_interrupt(cpu);
    }
    return true;
}

/*
 * The view from outside
 */

void x86_ibs_snapshot(X86CPU *cpu)
{
    struct X86IBS *own = cpu->vpmu->ibs;

    if (own) {
        ibs_settle(cpu);
        own->seen_ibs = own->ibs;
        memcpy(own->seen_samples, own->samples, sizeof(own->samples));
    }
}

VPMUCounter *x86_ibs_describe(X86CPU *cpu, unsigned int i)
{
    static const char *const names[] = {
        [VPMU_IBS_CYCLES] = "ibs_op, cycles",
        [VPMU_IBS_OPS] = "ibs_op, ops",
        [VPMU_IBS_FETCHES] = "ibs_fetch",
    };
    const struct X86IBS *own = cpu->vpmu->ibs;
    struct vpmu_ibs_view view;
    VPMUCounter *counter;

    if (!own || !vpmu_ibs_view(&own->seen_ibs, i, &view)) {
        return NULL;
    }
    counter = g_new0(VPMUCounter, 1);
    *counter = (VPMUCounter) {
        .index = X86_IBS_COUNTERS + i,
        .name = g_strdup_printf("%s, interval %" PRIu64, names[view.counted],
                                view.interval),
        .type = view.control,
        .value = view.count,
        .enabled = view.enabled,
        .counting = view.counting,
        .overflow = view.valid,
        .interrupt = true,
        .has_overflows = true,
        .overflows = own->seen_samples[i],
    };
    return counter;
}

/*
 * Registers
 */

enum vpmu_x86_access x86_ibs_rdmsr(X86CPU *cpu, uint32_t msr, uint64_t *val)
{
    if (!cpu->vpmu->ibs) {
        return VPMU_X86_UNKNOWN;
    }
    if (msr - VPMU_IBS_FIRST_MSR < VPMU_IBS_REGS) {
        ibs_settle(cpu);
    }
    return vpmu_ibs_rdmsr(&cpu->vpmu->ibs->ibs, msr, val);
}

enum vpmu_x86_access x86_ibs_wrmsr(X86CPU *cpu, uint32_t msr, uint64_t val)
{
    enum vpmu_x86_access result = VPMU_X86_UNKNOWN;
    uint32_t reg = msr - VPMU_IBS_FIRST_MSR;

    if (cpu->vpmu->ibs && reg < VPMU_IBS_REGS) {
        ibs_settle(cpu);
        result = vpmu_ibs_wrmsr(&cpu->vpmu->ibs->ibs, msr, val);
        if (reg == VPMU_IBS_FETCH_CTL) {
            ibs_arm(cpu, VPMU_IBS_FETCH);
        } else if (reg == VPMU_IBS_OP_CTL) {
            ibs_arm(cpu, VPMU_IBS_OP);
        }
    }
    return result;
}

void x86_ibs_cpuid(X86CPU *cpu, uint32_t index, struct vpmu_x86_cpuid *leaf)
{
    if (cpu->vpmu->ibs && index == IBS_LEAF) {
        leaf->eax = vpmu_ibs_caps(cpu->vpmu->pmu.config.family);
    }
}

/*
 * Creation and migration
 */

static bool ibs_wanted(X86CPU *cpu)
{
    return cpu->env.features[FEAT_8000_0001_ECX] & CPUID_EXT3_IBS;
}

bool x86_ibs_refuse(X86CPU *cpu, Error **errp)
{
    if (ibs_wanted(cpu)) {
        error_setg(errp, "'ibs' needs a PMU of AMD's: set 'pmu=on'");
        return false;
    }
    return true;
}

/* If the user has not set xlevel, CPUID is extended up to the leaf of IBS. */
static const char *ibs_fault(X86CPU *cpu)
{
    CPUX86State *env = &cpu->env;

    if (!vpmu_ibs_caps(cpu->vpmu->pmu.config.family)) {
        return "only EPYC, EPYC-Rome, EPYC-Milan, EPYC-Genoa and EPYC-Turin "
               "have it";
    }
    env->features[FEAT_8000_0001_ECX] |=
        CPUID_EXT3_EXTAPIC & ~env->user_features[FEAT_8000_0001_ECX];
    if (!(env->features[FEAT_8000_0001_ECX] & CPUID_EXT3_EXTAPIC)) {
        return "it needs 'extapic'";
    }
    if (env->cpuid_xlevel == env->cpuid_min_xlevel) {
        env->cpuid_xlevel = MAX(env->cpuid_xlevel, IBS_LEAF);
    }
    return env->cpuid_xlevel < IBS_LEAF ? "it needs an xlevel of 0x8000001b"
                                        : NULL;
}

static bool ibs_realize(X86CPU *cpu, Error **errp)
{
    const char *why;

    if (!ibs_wanted(cpu)) {
        return true;
    }
    why = ibs_fault(cpu);
    if (why) {
        error_setg(errp, "this CPU cannot have instruction-based sampling "
                   "('ibs'): %s", why);
        return false;
    }
    cpu->vpmu->ibs = g_new0(X86IBS, 1);
    vpmu_ibs_init(&cpu->vpmu->ibs->ibs, cpu->vpmu->pmu.config.family);
    return true;
}

static void ibs_finalize(X86CPU *cpu)
{
    g_clear_pointer(&cpu->vpmu->ibs, g_free);
}

static void ibs_reset(X86CPU *cpu)
{
    if (cpu->vpmu->ibs) {
        memset(cpu->vpmu->ibs->samples, 0, sizeof(cpu->vpmu->ibs->samples));
        vpmu_ibs_reset(&cpu->vpmu->ibs->ibs);
        ibs_arm_both(cpu);
    }
}

void x86_ibs_save(X86CPU *cpu, uint8_t *buf)
{
    ibs_settle(cpu);
    vpmu_ibs_save(&cpu->vpmu->ibs->ibs, buf, VPMU_IBS_STATE_SIZE);
}

bool x86_ibs_load(X86CPU *cpu, const uint8_t *buf)
{
    const char *why;

    if (vpmu_ibs_load(&cpu->vpmu->ibs->ibs, buf, VPMU_IBS_STATE_SIZE, &why)) {
        error_report("PMU of CPU %d: %s", CPU(cpu)->cpu_index, why);
        return false;
    }
    return true;
}

void x86_ibs_loaded(X86CPU *cpu)
{
    if (cpu->vpmu->ibs) {
        ibs_arm_both(cpu);
    }
}

const X86Part x86_ibs_part = {
    .realize = ibs_realize,
    .finalize = ibs_finalize,
    .reset = ibs_reset,
    .noted = ibs_noted,
    .sources = ibs_sources,
    .flags = ibs_flags,
};
