/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU of an x86 CPU, by the vpmu library
 *
 * The library holds the architectural state and decides what is counted where.
 * This file connects it to the machine: the context of the CPU, halting, the
 * local APIC, creation and reset.  saved.c has the state in a stream.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "hw/i386/apic.h"
#include "system/reset.h"
#include "system/runstate.h"
#include "system/tcg.h"
#include "system/vpmu_compat.h"
#include "system/vpmu_cpu.h"
#include "system/vpmu_model.h"
#include "system/vpmu_record.h"
#include "system/vpmu_shared_cache.h"
#include "compat.h"
#include "parts.h"

#define COUNTERS 4
#define FIXED 3
/*
 * perf stat -d -d and the lockup detector need this many.  Real CPUs with
 * PerfMonV2 have 6.
 */
#define MAX_COUNTERS 15
/* perf stat and the lockup detector need 7 on Zen 1; a real one has 6. */
#define ZEN1_COUNTERS 8
#define WIDTH 48
/* KVM offers this version too; later ones need a debug store. */
#define VERSION 2
/* Up to version 4, Linux enables load latencies as format 3 has it. */
#define VERSION_ADAPTIVE 5

#define PERFMON_V2_LEAF 0x80000022

QEMU_BUILD_BUG_ON(sizeof(struct vpmu_x86_totals) !=
                  sizeof_field(CPUX86State, pmu.totals));
QEMU_BUILD_BUG_ON(sizeof_field(struct vpmu_x86_totals, n[0]) !=
                  sizeof_field(CPUX86State, pmu.totals[0]));
#define EQUALS(name, of_library, number) \
    QEMU_BUILD_BUG_ON((int)VPMU_X86_##of_library != (number));
X86_PMU_NUMBERS(EQUALS)

/*
 * How an x86 CPU acts on what is due
 */

static bool vpmu_is_intel(X86CPU *cpu)
{
    return cpu->vpmu->pmu.config.vendor == VPMU_X86_INTEL;
}

static void acts_interrupt(CPUState *cs)
{
    X86CPU *cpu = X86_CPU(cs);

    x86_parts_interrupting(cpu);
    if (cpu->apic_state) {
        BQL_LOCK_GUARD();
        apic_deliver_pmi(cpu->apic_state, vpmu_is_intel(cpu));
    }
}

/* Returns the flags of blocks in a context. */
static uint64_t vpmu_flags(X86CPU *cpu, unsigned int ctx)
{
    const struct vpmu_x86 *pmu = &cpu->vpmu->pmu;
    vpmu_sources armed =
        (vpmu_x86_armed(pmu, ctx) & ~pmu->config.timed) |
        x86_parts_sources(cpu, ctx);
    uint64_t flags = armed ? HF_PMU_TALLY_MASK : 0;
    bool steps = pmu->count.paced & pmu->count.in_ctx[ctx];

    if ((armed & PIPELINE) && x86_vpmu_models_cycles(cpu)) {
        armed |= VPMU_X86_MODELLED | MISSES;
    }
    if ((vpmu_x86_pebs_with_data(pmu) & pmu->count.in_ctx[ctx]) ||
        extract32(cpu->vpmu->accesses, ctx, 1)) {
        armed |= VPMU_X86_MODELLED;
    }
    if (armed & (ACCESSES | VPMU_X86_MODIFYING | VPMU_X86_MODELLED)) {
        flags = HF_PMU_MEMORY_MASK |
                (armed & VPMU_X86_MODELLED ? HF_PMU_MODELS_MASK : 0) |
                (extract32(cpu->vpmu->accesses, ctx, 1) ||
                 (vpmu_x86_pebs_armed(pmu) & pmu->count.in_ctx[ctx])
                 ? X86_PMU_DESCRIBED_MASK : 0);
    }
    return flags |
           (armed & BRANCHES ? HF_PMU_EVENTS_MASK : 0) |
           (armed & VPMU_X86_OUTCOMES ? X86_PMU_OUTCOMES_MASK : 0) |
           (armed & MISSES ? HF_PMU_PREDICT_MASK : 0) |
           (armed & PIPELINE ? X86_PMU_CYCLES_MASK : 0) |
           (armed & VPMU_X86_DETAIL ? X86_PMU_DETAIL_MASK : 0) |
           (steps ? X86_PMU_STEP_MASK : 0);
}

/* Flags that outlast their counters; cycles of issue slots are cheap. */
static uint64_t vpmu_lasting(X86CPU *cpu)
{
    return HF_PMU_EVENTS_MASK |
           (x86_vpmu_models_cycles(cpu) ? 0 : X86_PMU_CYCLES_MASK);
}

/* Updates the flags of all contexts; returns whether any block tallies. */
static bool vpmu_update_flags(X86CPU *cpu)
{
    CPUX86PMUState *s = &cpu->env.pmu;
    VPMUTallied tallied = { };
    uint64_t all = 0;
    bool fed = false;

    for (unsigned int ctx = 0; ctx < VPMU_X86_CTX_COUNT; ctx++) {
        s->flags_in[ctx] = vpmu_flags(cpu, ctx);
        all |= s->flags_in[ctx];
        fed |= x86_pmu_feeds_models(s->flags_in[ctx]);
        tallied.contexts |= (s->flags_in[ctx] != 0) << ctx;
    }
    x86_vpmu_model_feed(cpu, fed);
    all &= vpmu_lasting(cpu);
    /* Flags of the two halves have different bit numbers. */
    tallied.events = all | all >> X86_PMU_FLAGS_SHIFT;
    tallied = vpmu_recent_tally(&cpu->vpmu->recent, tallied);
    all = tallied.events | (uint64_t)tallied.events << X86_PMU_FLAGS_SHIFT;
    all &= vpmu_lasting(cpu);
    for (uint32_t left = tallied.contexts; left; left &= left - 1) {
        s->flags_in[ctz32(left)] |= all;
        if (!x86_pmu_tallies(s->flags_in[ctz32(left)])) {
            s->flags_in[ctz32(left)] |= HF_PMU_TALLY_MASK;
        }
    }
    for (unsigned int ctx = 0; ctx < VPMU_X86_CTX_COUNT; ctx++) {
        s->flags_in[ctx] |= x86_parts_flags(cpu, ctx);
        cpu->vpmu->predicted |= !!(s->flags_in[ctx] & HF_PMU_PREDICT_MASK);
    }
    return tallied.contexts;
}

/* Returns whether a timed count depends on the context. */
static bool vpmu_clocks_follow(const struct vpmu_count *count)
{
    uint64_t differ = 0;

    for (unsigned int ctx = 0; ctx < VPMU_X86_CTX_COUNT; ctx++) {
        differ |= (count->in_ctx[ctx] ^ count->in_ctx[0]) & count->clocked;
        differ |= (count->wanted[ctx] ^ count->wanted[0]) & count->timed;
    }
    return differ;
}

void x86_vpmu_set_flags(X86CPU *cpu)
{
    CPUX86PMUState *s = &cpu->env.pmu;

    s->flags = s->flags_in[cpu->vpmu->pmu.count.ctx] |
               (cpu->vpmu->sampling ? X86_PMU_SAMPLED_MASK : 0);
}

static void acts_arm(CPUState *cs)
{
    X86CPU *cpu = X86_CPU(cs);
    CPUX86PMUState *s = &cpu->env.pmu;
    const struct vpmu_count *count = &cpu->vpmu->pmu.count;
    bool tallies = vpmu_update_flags(cpu);

    s->clocks_follow = vpmu_clocks_follow(count);
    s->branches = x86_lbr_enabled(cpu) || cpu->vpmu->branches;
    s->follows = tallies || s->clocks_follow || s->branches ||
                 vpmu_x86_follows_svme(&cpu->vpmu->pmu);
    x86_vpmu_set_flags(cpu);
}

static struct vpmu_count *acts_count(CPUState *cs)
{
    return &X86_CPU(cs)->vpmu->pmu.count;
}

static VPMULimits *acts_limits(CPUState *cs)
{
    return &X86_CPU(cs)->vpmu->limits;
}

const VPMUActs x86_vpmu_acts = {
    .count = acts_count,
    .limits = acts_limits,
    .interrupt = acts_interrupt,
    .arm = acts_arm,
};

void x86_vpmu_rearm(X86CPU *cpu)
{
    pmu_service(CPU(cpu), VPMU_DUE_REARM);
}

/* Recently counted events are no longer tallied. */
static void vpmu_forgotten(CPUState *cs)
{
    X86CPU *cpu = X86_CPU(cs);

    x86_vpmu_here(cpu);
    x86_vpmu_rearm(cpu);
}

/*
 * The state of the CPU that the PMU depends on
 */

static int set_controls(X86CPU *cpu, bool halted)
{
    struct vpmu_now now = x86_vpmu_now(cpu);
    struct vpmu_x86_controls controls = {
        .debugctl = x86_lbr_debugctl(cpu),
        .svme = cpu->env.efer & MSR_EFER_SVME,
        .halted = halted,
    };

    return vpmu_x86_set_controls(&cpu->vpmu->pmu, &controls, &now);
}

void x86_vpmu_set_controls(X86CPU *cpu, bool halted)
{
    pmu_service(CPU(cpu), set_controls(cpu, halted));
}

/* Tells the library the context.  Returns what is due. */
static int set_context(X86CPU *cpu)
{
    CPUX86State *env = &cpu->env;
    struct vpmu_x86 *pmu = &cpu->vpmu->pmu;
    unsigned int ctx = x86_pmu_context(env->hflags);
    struct vpmu_now now;
    const struct vpmu_now *time;

    if (ctx == pmu->count.ctx) {
        return 0;
    }
    time = x86_vpmu_now_if(cpu, vpmu_x86_leaving_needs_time(pmu, ctx), &now);
    if (pmu->count.sampling) {
        /* A sample is taken where the library still has the old context. */
        pmu_service(CPU(cpu), vpmu_x86_sample(pmu, time));
    }
    return vpmu_x86_set_context(pmu, ctx, time);
}

/* The same for all parts, and for the controls. */
static int follow(X86CPU *cpu)
{
    CPUX86State *env = &cpu->env;
    const struct vpmu_x86 *pmu = &cpu->vpmu->pmu;
    int due = set_context(cpu);

    x86_parts_arrived(cpu);
    if (pmu->controls.svme != !!(env->efer & MSR_EFER_SVME)) {
        due |= set_controls(cpu, pmu->controls.halted);
    }
    env->pmu.place = env->hflags;
    x86_vpmu_set_flags(cpu);
    return due;
}

struct vpmu_x86 *x86_vpmu_here(X86CPU *cpu)
{
    pmu_service(CPU(cpu), follow(cpu));
    return &cpu->vpmu->pmu;
}

/* Returns what is due. */
static int set_halted(X86CPU *cpu, bool halted)
{
    X86VPMU *vpmu = cpu->vpmu;
    int due = follow(cpu);

    for (unsigned int i = 0; i < VPMU_CLOCK_COUNT; i++) {
        uint64_t now = x86_vpmu_clock_now(cpu, i);

        if (vpmu->pmu.controls.halted) {
            vpmu->halted_for[i] += now - vpmu->halted_at[i];
        }
        vpmu->halted_at[i] = now;
    }
    return due | set_controls(cpu, halted);
}

void x86_vpmu_set_halted(X86CPU *cpu, bool halted)
{
    pmu_service(CPU(cpu), set_halted(cpu, halted));
}

void x86_vpmu_arrive(X86CPU *cpu)
{
    set_halted(cpu, CPU(cpu)->halted);
}

void x86_vpmu_exec_enter(X86CPU *cpu)
{
    CPUX86State *env = &cpu->env;

    if (cpu->vpmu && cpu->vpmu->pmu.controls.halted) {
        x86_vpmu_set_halted(cpu, false);
    }
    if (cpu->vpmu && cpu->vpmu->pmu.regs.due) {
        /* Another thread settled when the machine was stopped. */
        x86_vpmu_record(cpu, env->segs[R_CS].base + env->eip);
    }
    if (cpu->vpmu) {
        x86_vpmu_settle_at_limit(cpu);
    }
}

void x86_vpmu_exec_exit(X86CPU *cpu)
{
    const struct vpmu_count *count = cpu->vpmu ? &cpu->vpmu->pmu.count : NULL;

    if (!count) {
        return;
    }
    /* A saved state would not contain the instruction that was noted. */
    x86_vpmu_settle_at_limit(cpu);
    if (CPU(cpu)->halted && (count->counting || count->observes_time)) {
        x86_vpmu_set_halted(cpu, true);
    }
}

/* Overflows that are due must happen before the first device is saved. */
static void vpmu_vm_state_changed(void *opaque, bool running, RunState state)
{
    X86CPU *cpu = opaque;

    if (!running && cpu->vpmu->pmu.count.counting) {
        struct vpmu_x86 *pmu = x86_vpmu_here(cpu);
        struct vpmu_now now = x86_vpmu_now(cpu);

        pmu_service(CPU(cpu), VPMU_DUE_REARM | vpmu_x86_settle(pmu, &now));
    }
}

/*
 * Creation and reset
 */

static bool vpmu_vendor(CPUX86State *env, uint8_t *vendor)
{
    *vendor = IS_INTEL_CPU(env) ? VPMU_X86_INTEL : VPMU_X86_AMD;
    return IS_INTEL_CPU(env) || IS_AMD_CPU(env);
}

static unsigned int vpmu_family(CPUX86State *env)
{
    unsigned int family = extract32(env->cpuid_version, 8, 4);

    return family < 15 ? family : 15 + extract32(env->cpuid_version, 20, 8);
}

static unsigned int vpmu_model(CPUX86State *env)
{
    return extract32(env->cpuid_version, 4, 4) |
           extract32(env->cpuid_version, 16, 4) << 4;
}

/*
 * PerfMonV2 needs the core counters and its CPUID leaf.  If the user has not
 * set xlevel, CPUID is extended up to that leaf.
 */
static uint8_t vpmu_amd_version(CPUX86State *env)
{
    bool core = env->features[FEAT_8000_0001_ECX] & CPUID_EXT3_PERFCORE;
    bool v2 = core && (env->features[FEAT_8000_0022_EAX] &
                       CPUID_8000_0022_EAX_PERFMON_V2);

    if (v2 && env->cpuid_xlevel == env->cpuid_min_xlevel) {
        env->cpuid_xlevel = MAX(env->cpuid_xlevel, PERFMON_V2_LEAF);
    }
    if (v2 && env->cpuid_xlevel >= PERFMON_V2_LEAF) {
        return VPMU_X86_AMD_V2;
    }
    return core ? VPMU_X86_AMD_CORE : VPMU_X86_AMD_K7;
}

/*
 * All Zen CPUs have the core counters, though not all of QEMU's models say so.
 * More than 6 counters need PerfMonV2, also on Zen 1.
 */
static void vpmu_add_amd_features(X86CPU *cpu, unsigned int family)
{
    CPUX86State *env = &cpu->env;
    uint8_t counters = x86_pmu_config(cpu)->counters;
    uint64_t core = counters && counters < 6 ? 0 : CPUID_EXT3_PERFCORE;
    uint64_t v2 = counters > 6 || (!counters && family == VPMU_X86_ZEN1) ||
                  x86_pmu_config(cpu)->lbr ? CPUID_8000_0022_EAX_PERFMON_V2 : 0;

    if (family < VPMU_X86_ZEN1 && counters < 6) {
        return;
    }
    env->features[FEAT_8000_0001_ECX] |=
        core & ~env->user_features[FEAT_8000_0001_ECX];
    env->features[FEAT_8000_0022_EAX] |=
        v2 & ~env->user_features[FEAT_8000_0022_EAX];
}

/* Makes CPUID agree with the PMU.  @version is 0 if it is not AMD's. */
static void vpmu_set_amd_features(CPUX86State *env, unsigned int version)
{
    uint64_t v2 = CPUID_8000_0022_EAX_PERFMON_V2;
    uint64_t said = env->user_features[FEAT_8000_0022_EAX];

    if (version < VPMU_X86_AMD_CORE) {
        env->features[FEAT_8000_0001_ECX] &= ~CPUID_EXT3_PERFCORE;
    }
    if (version < VPMU_X86_AMD_V2) {
        if (env->features[FEAT_8000_0022_EAX] & said & v2) {
            warn_report_once("the CPU has no perfmon-v2: it needs a PMU of "
                             "AMD's, perfctr-core, and an xlevel of 0x%x",
                             PERFMON_V2_LEAF);
        }
        env->features[FEAT_8000_0022_EAX] &= ~v2;
    }
}

/* The default number of slots of a cycle, which perf's metrics assume. */
static uint8_t vpmu_width(unsigned int family)
{
    switch (family) {
    case VPMU_X86_SANDYBRIDGE ... VPMU_X86_CASCADELAKE:
    case VPMU_X86_TREMONT:
        return 4;
    case VPMU_X86_ICELAKEX:
        return 5;
    case VPMU_X86_SAPPHIRERAPIDS:
    case VPMU_X86_GRANITERAPIDS:
    case VPMU_X86_SIERRAFOREST:
    case VPMU_X86_ZEN4:
        return 6;
    case VPMU_X86_ZEN5:
        return 8;
    default:
        return 1;
    }
}

/* CPUs that have PERF_METRICS and a fixed counter of slots. */
static bool vpmu_has_metrics(const struct vpmu_x86_config *config)
{
    return config->family >= VPMU_X86_ICELAKEX &&
           config->family <= VPMU_X86_GRANITERAPIDS;
}

/* The default number of general counters. */
static uint8_t vpmu_counters(X86CPU *cpu, const struct vpmu_x86_config *config)
{
    if (config->vendor == VPMU_X86_INTEL) {
        return vpmu_has_metrics(config) ? 8 : COUNTERS;
    }
    if (config->version == VPMU_X86_AMD_V2 && x86_cpu_is_max(cpu)) {
        return MAX_COUNTERS;
    }
    if (config->version == VPMU_X86_AMD_V2 &&
        config->family == VPMU_X86_ZEN1) {
        return ZEN1_COUNTERS;
    }
    return config->version > VPMU_X86_AMD_K7 ? 6 : COUNTERS;
}

/* Decides whether cycles are tallied or timed. */
static void vpmu_config_cycles(struct vpmu_x86_config *config,
                               X86PMUConfig *wanted)
{
    if (!wanted->width_set) {
        wanted->model.width = vpmu_width(config->family);
    }
    config->detector = true;
    config->tsc_hz = x86_vpmu_tsc_hz();
    if (config->vendor == VPMU_X86_INTEL) {
        /* A write of 32 bits cannot hold the detector's period. */
        config->features |= VPMU_X86_HAS_PDCM | VPMU_X86_HAS_FULL_WIDTH;
    }
    if (wanted->model.cycles == VPMU_CYCLES_CLOCK) {
        config->timed = CYCLES | REF_CYCLES;
        config->cycle_units = 1;
    } else {
        config->sources |= VPMU_X86_STALLS;
        config->timed = REF_CYCLES;
        config->cycle_units = wanted->model.width;
        if (vpmu_has_metrics(config)) {
            config->features |= VPMU_X86_HAS_METRICS;
            config->fixed = FIXED + 1;
        }
    }
}

/* Returns the ratio of the TSC and the bus or crystal clock. */
static uint16_t vpmu_bus_ratio(unsigned int family)
{
    uint64_t hz = family >= VPMU_X86_SKYLAKEX ? 25000000 :
                  family == VPMU_X86_SKYLAKE ? 24000000 :
                  family >= VPMU_X86_SANDYBRIDGE ? 100000000 : 133333333;

    return MAX(1, (x86_vpmu_tsc_hz() + hz / 2) / hz);
}

static struct vpmu_x86_config vpmu_config(X86CPU *cpu, uint8_t vendor)
{
    CPUX86State *env = &cpu->env;
    X86PMUConfig *wanted = x86_pmu_config(cpu);
    bool svm = env->features[FEAT_8000_0001_ECX] & CPUID_EXT3_SVM;
    struct vpmu_x86_config config = {
        .vendor = vendor,
        .version = VERSION,
        .fixed = FIXED,
        .width = WIDTH,
        .sources = wanted->model.llc_shared ? SOURCES
                                            : SOURCES & ~VPMU_X86_SNOOPED,
        .family = vpmu_x86_family(vendor, vpmu_family(env), vpmu_model(env),
                                  extract32(env->cpuid_version, 0, 4)),
    };

    if (vendor == VPMU_X86_AMD) {
        vpmu_add_amd_features(cpu, config.family);
        config.version = vpmu_amd_version(env);
        config.fixed = 0;
        config.features = svm ? VPMU_X86_HAS_SVM : 0;
    } else {
        config.pebs = vpmu_x86_pebs_format(config.family);
        config.features = config.pebs ? VPMU_X86_HAS_PDCM : 0;
        config.version = config.pebs < VPMU_X86_PEBS_BASELINE
            ? VERSION : VERSION_ADAPTIVE;
    }
    config.la57 = env->features[FEAT_7_0_ECX] & CPUID_7_0_ECX_LA57;
    config.bus_ratio = vpmu_bus_ratio(config.family);
    config.counters = wanted->counters ?: vpmu_counters(cpu, &config);
    vpmu_config_cycles(&config, wanted);
    x86_lbr_config_pmu(cpu, &config);
    return config;
}

void x86_vpmu_start_cold(X86CPU *cpu)
{
    x86_vpmu_model_forget(cpu);
    x86_vpmu_rearm(cpu);
}

/* RESET; INIT does not change the PMU. */
static void vpmu_system_reset(void *opaque)
{
    X86CPU *cpu = opaque;
    struct vpmu_now now;

    vpmu_saved_drop(&cpu->vpmu->saved);
    x86_vpmu_set_halted(cpu, false);
    x86_parts_reset(cpu);
    x86_vpmu_set_controls(cpu, false);
    now = x86_vpmu_now(cpu);
    pmu_service(CPU(cpu), vpmu_x86_reset(&cpu->vpmu->pmu, &now));
    x86_vpmu_stop_free_running(cpu);
    x86_vpmu_start_cold(cpu);
    if (cpu->env.pmu.model) {
        /* The CPU is reset after this, and CR3 with it. */
        vpmu_model_set_space(cpu->env.pmu.model, 0, 0);
    }
}

/* Returns why the models cannot have the given properties, or NULL. */
static const char *vpmu_model_fault(X86CPU *cpu)
{
    const struct vpmu_model_config *model = &x86_pmu_config(cpu)->model;
    const char *why = NULL;

    if (model->branch != VPMU_BRANCH_GSHARE &&
        model->branch != VPMU_BRANCH_BIMODAL) {
        return "'pmu-branch' can be gshare or bimodal on x86";
    }
    if (model->l1d.line != 1 << X86_PMU_LINE_SHIFT) {
        return "lines of its caches have 64 bytes";
    }
    vpmu_model_check(model, &why);
    return why;
}

/* Announces what the PMU has in the CPU's features. */
static void vpmu_set_features(CPUX86State *env,
                              const struct vpmu_x86_config *config)
{
    vpmu_set_amd_features(env, config->vendor == VPMU_X86_AMD
                               ? config->version : 0);
    if (config->features & VPMU_X86_HAS_PDCM) {
        env->features[FEAT_1_ECX] |= CPUID_EXT_PDCM;
    }
    if (config->pebs) {
        env->features[FEAT_1_EDX] |= CPUID_DTS;
        env->features[FEAT_1_ECX] |= CPUID_EXT_DTES64;
    }
}

/* Sets what generated code reads, before any counter is programmed. */
static void vpmu_init_generated_code(X86CPU *cpu,
                                     const struct vpmu_x86_config *config)
{
    CPUX86PMUState *pmu = &cpu->env.pmu;
    const struct vpmu_model_config *model = &x86_pmu_config(cpu)->model;

    pmu->bimodal = model->branch == VPMU_BRANCH_BIMODAL;
    pmu->width = config->cycle_units;
    pmu->miss_slots = x86_vpmu_models_cycles(cpu)
        ? model->penalty_branch * config->cycle_units : 0;
    for (unsigned int ctx = 0; ctx < X86_PMU_CONTEXTS; ctx++) {
        pmu->room[ctx].limit = UINT64_MAX;
        pmu->room[ctx].cycles_limit = UINT64_MAX;
    }
    pmu->predictor = &cpu->vpmu->predictor;
}

/* Connects the PMU with the rest of the machine. */
static void vpmu_connect(X86CPU *cpu)
{
    vpmu_limits_init(&cpu->vpmu->limits, &x86_vpmu_limit_ops, CPU(cpu),
                     &cpu->vpmu->pmu.count);
    vpmu_recent_tally_init(&cpu->vpmu->recent, CPU(cpu), vpmu_forgotten);
    cpu->vpmu->vm_state =
        qemu_add_vm_change_state_handler(vpmu_vm_state_changed, cpu);
    qemu_register_reset(vpmu_system_reset, cpu);
    x86_vpmu_saved_init(cpu);
    vpmu_stats_init();
}

bool x86_vpmu_realize(X86CPU *cpu, Error **errp)
{
    CPUX86State *env = &cpu->env;
    struct vpmu_x86_config config;
    const char *why = "it is neither Intel's nor AMD's";
    uint8_t vendor;
    bool known = vpmu_vendor(env, &vendor);

    if (!tcg_enabled()) {
        return true;
    }
    /* "max" enables the PMU itself, whatever its vendor is. */
    if (!cpu->pmu_said || (x86_cpu_is_max(cpu) && !known)) {
        cpu->enable_pmu = known;
    }
    if (!cpu->enable_pmu && x86_pmu_config(cpu)->by) {
        error_setg(errp, "'%s' needs a PMU: set 'pmu=on'",
                   x86_pmu_config(cpu)->by);
        return false;
    }
    if (!cpu->enable_pmu) {
        vpmu_set_amd_features(env, 0);
        return true;
    }
    if (vpmu_model_fault(cpu)) {
        error_setg(errp, "invalid configuration of the PMU's models, last set "
                   "by '%s': %s", x86_pmu_config(cpu)->by,
                   vpmu_model_fault(cpu));
        return false;
    }
    cpu->vpmu = g_new0(X86VPMU, 1);
    if (known) {
        struct vpmu_now now = x86_vpmu_now(cpu);

        config = vpmu_config(cpu, vendor);
        why = NULL;
        vpmu_x86_init(&cpu->vpmu->pmu, &config,
                      (struct vpmu_x86_totals *)env->pmu.totals, &now, &why);
    }
    if (why) {
        error_setg(errp, "this CPU cannot have a PMU: %s; 'pmu=off' would be "
                   "right", why);
        g_free(cpu->vpmu);
        cpu->vpmu = NULL;
        return false;
    }
    if (!x86_parts_realize(cpu, errp) ||
        !vpmu_shared_cache_reserve(&x86_pmu_config(cpu)->model, errp)) {
        x86_parts_finalize(cpu);
        g_clear_pointer(&cpu->vpmu, g_free);
        return false;
    }
    vpmu_set_features(env, &config);
    vpmu_init_generated_code(cpu, &config);
    vpmu_connect(cpu);
    return true;
}

void x86_vpmu_unrealize(X86CPU *cpu)
{
    if (cpu->vpmu) {
        vpmu_record_unplug(CPU(cpu));
        qemu_unregister_reset(vpmu_system_reset, cpu);
        qemu_del_vm_change_state_handler(cpu->vpmu->vm_state);
        timer_free(cpu->vpmu->limits.timer);
        vpmu_recent_tally_free(&cpu->vpmu->recent);
        g_slist_free_full(cpu->vpmu->observers,
                          (GDestroyNotify)vpmu_observer_free);
        vpmu_saved_drop(&cpu->vpmu->saved);
        g_free(cpu->vpmu->snapshot);
        x86_vpmu_model_forget(cpu);
        vpmu_shared_cache_release(&x86_pmu_config(cpu)->model);
        x86_parts_finalize(cpu);
        g_free(cpu->vpmu);
        cpu->vpmu = NULL;
    }
}
