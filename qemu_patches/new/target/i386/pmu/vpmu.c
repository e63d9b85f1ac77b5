/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU of an x86 CPU, by the vpmu library: creation and reset, and what
 * happens when the CPU starts and stops to execute
 *
 * The library holds the architectural state and decides what is counted where.
 * context.c tells it the state of the CPU, target.c acts on what is due, and
 * saved.c has the state in a stream.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/cutils.h"
#include "qemu/error-report.h"
#include "cpu.h"
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

/* Recently counted events are no longer tallied. */
static void forgotten(CPUState *cs)
{
    X86CPU *cpu = X86_CPU(cs);

    x86_vpmu_here(cpu);
    x86_vpmu_rearm(cpu);
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
static void vm_state_changed(void *opaque, bool running, RunState state)
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

static bool get_vendor(CPUX86State *env, uint8_t *vendor)
{
    *vendor = IS_INTEL_CPU(env) ? VPMU_X86_INTEL : VPMU_X86_AMD;
    return IS_INTEL_CPU(env) || IS_AMD_CPU(env);
}

static unsigned int family_of(CPUX86State *env)
{
    unsigned int family = extract32(env->cpuid_version, 8, 4);

    return family < 15 ? family : 15 + extract32(env->cpuid_version, 20, 8);
}

static unsigned int model_of(CPUX86State *env)
{
    return extract32(env->cpuid_version, 4, 4) |
           extract32(env->cpuid_version, 16, 4) << 4;
}

/*
 * PerfMonV2 needs the core counters and its CPUID leaf.  If the user has not
 * set xlevel, CPUID is extended up to that leaf.
 */
static uint8_t amd_version(CPUX86State *env)
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
static void add_amd_features(X86CPU *cpu, unsigned int family)
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
static void set_amd_features(CPUX86State *env, unsigned int version)
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
static uint8_t pmu_width(unsigned int family)
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
static bool has_metrics(const struct vpmu_x86_config *config)
{
    return config->family >= VPMU_X86_ICELAKEX &&
           config->family <= VPMU_X86_GRANITERAPIDS;
}

/* The default number of general counters. */
static uint8_t counters_of(X86CPU *cpu, const struct vpmu_x86_config *config)
{
    if (config->vendor == VPMU_X86_INTEL) {
        return has_metrics(config) ? 8 : COUNTERS;
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

/* Tells whether the user has set pdcm=off: no IA32_PERF_CAPABILITIES. */
static bool lacks_pdcm(X86CPU *cpu)
{
    const CPUX86State *env = &cpu->env;

    return env->user_features[FEAT_1_ECX] & CPUID_EXT_PDCM &
           ~env->features[FEAT_1_ECX] & ~cpu->filtered_features[FEAT_1_ECX];
}

/* Decides whether cycles are tallied or timed. */
static void config_cycles(struct vpmu_x86_config *config,
                          X86PMUConfig *wanted)
{
    if (!wanted->width_set) {
        wanted->model.width = pmu_width(config->family);
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
        if (has_metrics(config)) {
            config->features |= VPMU_X86_HAS_METRICS;
            config->fixed = FIXED + 1;
        }
    }
}

/* Returns the ratio of the TSC and the bus or crystal clock. */
static uint16_t bus_ratio(unsigned int family)
{
    uint64_t hz = family >= VPMU_X86_SKYLAKEX ? 25000000 :
                  family == VPMU_X86_SKYLAKE ? 24000000 :
                  family >= VPMU_X86_SANDYBRIDGE ? 100000000 : 133333333;

    return MAX(1, (x86_vpmu_tsc_hz() + hz / 2) / hz);
}

static struct vpmu_x86_config config_of(X86CPU *cpu, uint8_t vendor)
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
        .family = vpmu_x86_family(vendor, family_of(env), model_of(env),
                                  extract32(env->cpuid_version, 0, 4)),
    };

    if (vendor == VPMU_X86_AMD) {
        add_amd_features(cpu, config.family);
        config.version = amd_version(env);
        config.fixed = 0;
        config.features = svm ? VPMU_X86_HAS_SVM : 0;
    } else {
        config.pebs = vpmu_x86_pebs_format(config.family);
        config.features = config.pebs ? VPMU_X86_HAS_PDCM : 0;
        config.version = config.pebs < VPMU_X86_PEBS_BASELINE
            ? VERSION : VERSION_ADAPTIVE;
    }
    config.la57 = env->features[FEAT_7_0_ECX] & CPUID_7_0_ECX_LA57;
    config.bus_ratio = bus_ratio(config.family);
    config.counters = wanted->counters ?: counters_of(cpu, &config);
    config_cycles(&config, wanted);
    x86_lbr_config_pmu(cpu, &config);
    return config;
}

/* RESET; INIT does not change the PMU. */
static void system_reset(void *opaque)
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

/* Announces what the PMU has in the CPU's features. */
static void set_features(CPUX86State *env,
                         const struct vpmu_x86_config *config)
{
    set_amd_features(env, config->vendor == VPMU_X86_AMD
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
static void init_generated_code(X86CPU *cpu,
                                const struct vpmu_x86_config *config)
{
    CPUX86PMUState *pmu = &cpu->env.pmu;
    const struct vpmu_model_config *model = &x86_pmu_config(cpu)->model;

    pmu->bimodal = model->branch == VPMU_BRANCH_BIMODAL;
    pmu->width = config->cycle_units;
    pmu->miss_cycles = x86_vpmu_models_cycles(cpu) ? model->penalty_branch : 0;
    pmu->miss_slots = pmu->miss_cycles * config->cycle_units;
    for (unsigned int ctx = 0; ctx < X86_PMU_CONTEXTS; ctx++) {
        pmu->room[ctx].limit = UINT64_MAX;
        pmu->room[ctx].cycles_limit = UINT64_MAX;
    }
    pmu->predictor = &cpu->vpmu->predictor;
}

/* Connects the PMU with the rest of the machine. */
static void connect_pmu(X86CPU *cpu)
{
    vpmu_limits_init(&cpu->vpmu->limits, &x86_vpmu_limit_ops, CPU(cpu),
                     &cpu->vpmu->pmu.count);
    vpmu_recent_tally_init(&cpu->vpmu->recent, CPU(cpu), forgotten);
    cpu->vpmu->vm_state =
        qemu_add_vm_change_state_handler(vm_state_changed, cpu);
    qemu_register_reset(system_reset, cpu);
    x86_vpmu_saved_init(cpu);
    vpmu_stats_init();
}

static const X86Part *const parts[] = {
    &x86_lbr_part, &x86_ibs_part, &x86_branches_part, &x86_calls_part, NULL
};

bool x86_vpmu_realize(X86CPU *cpu, Error **errp)
{
    CPUX86State *env = &cpu->env;
    struct vpmu_x86_config config;
    const char *why = "it is neither Intel's nor AMD's";
    uint8_t vendor;
    bool known = get_vendor(env, &vendor);

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
        set_amd_features(env, 0);
        return x86_ibs_refuse(cpu, errp);
    }
    cpu->vpmu = g_new0(X86VPMU, 1);
    cpu->vpmu->parts = parts;
    if (known) {
        struct vpmu_now now = x86_vpmu_now(cpu);

        config = config_of(cpu, vendor);
        why = NULL;
        vpmu_x86_init(&cpu->vpmu->pmu, &config,
                      (struct vpmu_x86_totals *)env->pmu.totals, &now, &why);
    }
    if (!why && (config.features & VPMU_X86_HAS_PDCM) && lacks_pdcm(cpu)) {
        why = "it has IA32_PERF_CAPABILITIES, which 'pdcm=off' removes";
    }
    if (why) {
        error_setg(errp, "this CPU cannot have a PMU: %s; 'pmu=off' would be "
                   "right", why);
        g_free(cpu->vpmu);
        cpu->vpmu = NULL;
        return false;
    }
    if (!x86_parts_realize(cpu, errp)) {
        x86_parts_finalize(cpu);
        g_clear_pointer(&cpu->vpmu, g_free);
        return false;
    }
    set_features(env, &config);
    init_generated_code(cpu, &config);
    connect_pmu(cpu);
    return true;
}

void x86_vpmu_unrealize(X86CPU *cpu)
{
    if (cpu->vpmu) {
        vpmu_record_unplug(CPU(cpu));
        qemu_unregister_reset(system_reset, cpu);
        qemu_del_vm_change_state_handler(cpu->vpmu->vm_state);
        timer_free(cpu->vpmu->limits.timer);
        vpmu_recent_tally_free(&cpu->vpmu->recent);
        g_slist_free_full(cpu->vpmu->observers,
                          (GDestroyNotify)vpmu_observer_free);
        vpmu_saved_drop(&cpu->vpmu->saved);
        g_free(cpu->vpmu->snapshot);
        x86_vpmu_model_forget(cpu);
        if (cpu->vpmu->reserved) {
            vpmu_shared_cache_release(&x86_pmu_config(cpu)->model);
        }
        x86_parts_finalize(cpu);
        g_free(cpu->vpmu);
        cpu->vpmu = NULL;
    }
}
