/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU of an Arm CPU, by the vpmu library
 *
 * The library has the architectural state and decides what counts in which
 * context.  This file creates and resets it, and follows the exception level,
 * MDCR_EL2 and MDCR_EL3.  regs.c has the registers, tally.c and limit.c what is
 * counted and how far the CPU may execute, migration/ the state in a stream.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "cpu-features.h"
#include "internals.h"
#include "system/reset.h"
#include "system/tcg.h"
#include "compat.h"
#include "parts.h"
#include "tally.h"
#include "system/vpmu_cpu.h"
#include "system/vpmu_model.h"
#include "system/vpmu_shared_cache.h"
#include "vpmu/arm/brbe.h"
#include "vpmu/arm/regs.h"
#include "vpmu/arm/spe.h"

/* The bits that the library uses of registers that do not belong to the PMU. */
#define MDCR_EL2_PMU_BITS                                               \
    (VPMU_MDCR_EL2_HPMN | VPMU_MDCR_EL2_TPMCR | VPMU_MDCR_EL2_TPM |     \
     VPMU_MDCR_EL2_HPME | VPMU_MDCR_EL2_HPMD | VPMU_MDCR_EL2_HCCD |     \
     VPMU_MDCR_EL2_HLP | VPMU_MDCR_EL2_HPMFZO | VPMU_MDCR_EL2_HPMFZS)
#define MDCR_EL3_PMU_BITS                                               \
    (VPMU_MDCR_EL3_TPM | VPMU_MDCR_EL3_ENPM2 | VPMU_MDCR_EL3_SPME |     \
     VPMU_MDCR_EL3_SCCD | VPMU_MDCR_EL3_MCCD | VPMU_MDCR_EL3_MPMX)
#define SBRBE_NON_SECURE (1ull << VPMU_MDCR_EL3_SBRBE_SHIFT)

#define CPU_CYCLES VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES)
#define CNT_CYCLES VPMU_SRC_BIT(VPMU_SRC_CNT_CYCLES)

static void el_changed(ARMCPU *cpu, void *opaque)
{
    arm_parts_el_changed(cpu);
    arm_vpmu_moved(&cpu->env);
}

void arm_vpmu_mdcr_el2_changed(CPUARMState *env, uint64_t old)
{
    ARMCPU *cpu = env_archcpu(env);

    if (cpu->vpmu && ((old ^ env->cp15.mdcr_el2) & MDCR_EL2_PMU_BITS)) {
        arm_vpmu_here(env);
        arm_vpmu_update_controls(cpu);
    }
    if (cpu->vpmu) {
        arm_parts_controlled(cpu);
    }
}

void arm_vpmu_mdcr_el3_changed(CPUARMState *env, uint64_t old)
{
    ARMCPU *cpu = env_archcpu(env);

    if (cpu->vpmu && ((old ^ env->cp15.mdcr_el3) & MDCR_EL3_PMU_BITS)) {
        arm_vpmu_here(env);
        arm_vpmu_update_controls(cpu);
    }
    if (cpu->vpmu) {
        arm_parts_controlled(cpu);
    }
}

/*
 * Linux's booting.rst requires EnPM2 and SBRBE.  NSPB makes the buffer of SPE
 * that of Non-secure state, and EnPMSN lets Linux access PMSNEVFR_EL1.
 */
void arm_vpmu_emulate_firmware(CPUARMState *env)
{
    ARMCPU *cpu = env_archcpu(env);
    uint64_t old = env->cp15.mdcr_el3;

    if (!cpu->vpmu) {
        return;
    }
    if (cpu->vpmu->pmu.config.version >= VPMU_V3P9) {
        env->cp15.mdcr_el3 |= VPMU_MDCR_EL3_ENPM2;
    }
    if (cpu->vpmu->brbe) {
        env->cp15.mdcr_el3 |= SBRBE_NON_SECURE;
    }
    if (cpu->vpmu->spe) {
        env->cp15.mdcr_el3 |= VPMU_MDCR_EL3_NSPB_OPEN | VPMU_MDCR_EL3_NSPB_NS |
                              VPMU_MDCR_EL3_ENPMSN;
    }
    arm_vpmu_mdcr_el3_changed(env, old);
}

/*
 * Overflows that are due must be performed before the first device is saved,
 * because they may change the interrupt controller and the CPU.
 */
static void vm_state_changed(void *opaque, bool running, RunState state)
{
    ARMCPU *cpu = opaque;

    if (!running) {
        arm_parts_leaving(cpu);
    }
    if (!running && cpu->vpmu->pmu.count.counting) {
        struct vpmu_arm *pmu = arm_vpmu_here(&cpu->env);
        struct vpmu_now now = arm_vpmu_now(cpu);

        pmu_service(CPU(cpu), VPMU_DUE_REARM | vpmu_arm_settle(pmu, &now));
    }
}

/*
 * Creation and reset
 */

static unsigned int pmu_version(ARMCPU *cpu)
{
    bool aarch64 = arm_feature(&cpu->env, ARM_FEATURE_AARCH64);
    unsigned int version = aarch64
        ? FIELD_EX64_IDREG(&cpu->isar, ID_AA64DFR0, PMUVER)
        : FIELD_EX32_IDREG(&cpu->isar, ID_DFR0, PERFMON);

    /* ID_DFR0.PerfMon is 3 for PMUv3.  1 and 2, before Armv8, are subsets. */
    return version <= 3 ? VPMU_V3 : version;
}

static uint16_t pmu_features(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;
    bool aarch64 = arm_feature(env, ARM_FEATURE_AARCH64);
    bool el2 = arm_feature(env, ARM_FEATURE_EL2);
    bool el3 = arm_feature(env, ARM_FEATURE_EL3);
    bool both = aarch64 && el2 && el3;

    return (el2 ? VPMU_HAS_EL2 : 0) |
           (el3 ? VPMU_HAS_EL3 : 0) |
           (both && cpu_isar_feature(aa64_sel2, cpu)
            ? VPMU_HAS_SECURE_EL2 : 0) |
           (both && cpu_isar_feature(aa64_rme, cpu) ? VPMU_HAS_REALM : 0) |
           (aarch64 && FIELD_EX64_IDREG(&cpu->isar, ID_AA64DFR1, PMICNTR)
            ? VPMU_HAS_ICNTR : 0) |
           (cpu->pmu_config.edge ? VPMU_HAS_EDGE : 0) |
           (cpu->pmu_config.th2 ? VPMU_HAS_TH2 : 0) |
           (cpu->pmu_config.spe >= VPMU_SPE_V1P2 &&
            pmu_version(cpu) >= VPMU_V3P7 ? VPMU_HAS_SPE : 0) |
           (aarch64 ? 0 : VPMU_HAS_NO_AARCH64) |
           (aarch64 && !cpu_isar_feature(aa64_aa32, cpu)
            ? VPMU_HAS_NO_AARCH32 : 0);
}

/* Returns the sources that the CPU counts, which depend on its models. */
static vpmu_sources all_sources(ARMCPU *cpu, unsigned int version)
{
    const struct vpmu_model_config *model = cpu->pmu_config.model;
    const bool stalls = model->cycles == VPMU_CYCLES_MODEL;
    vpmu_sources sources = VPMU_SRC_ALL;

    if (!tcg_enabled()) {
        return CPU_CYCLES | CNT_CYCLES;
    }
    if (!stalls && version < VPMU_V3P1) {
        /* PMUv3p1 requires these events; without a pipeline they count 0. */
        sources &= ~(VPMU_SRC_BIT(VPMU_SRC_STALL_FRONTEND) |
                     VPMU_SRC_BIT(VPMU_SRC_STALL_BACKEND));
    }
    if (model->cycles == VPMU_CYCLES_CLOCK || version < VPMU_V3P4) {
        sources &= ~VPMU_SRCS_SLOTS;
    }
    if (!cpu_isar_feature(aa64_mte, cpu) || !cpu->tag_memory) {
        sources &= ~(VPMU_SRC_BIT(VPMU_SRC_MEM_ACCESS_CHECKED_RD) |
                     VPMU_SRC_BIT(VPMU_SRC_MEM_ACCESS_CHECKED_WR));
    }
    if (!model->l2.size) {
        sources &= ~VPMU_SRCS_L2D;
    }
    if (!model->llc.size) {
        sources &= ~VPMU_SRCS_LL;
    }
    if (!model->llc_shared) {
        sources &= ~VPMU_SRCS_INVAL;
    }
    return sources;
}

/* The library checks the same, but does not know the names of properties. */
static bool check_thresholds(ARMCPU *cpu, unsigned int version,
                             Error **errp)
{
    if (cpu->pmu_config.threshold_width && version < VPMU_V3P8) {
        error_setg(errp, "'pmu-threshold-width' needs 'pmu-version=p8' or p9");
    } else if (cpu->pmu_config.threshold_width &&
               cpu->pmu_config.model->cycles != VPMU_CYCLES_MODEL) {
        error_setg(errp, "'pmu-threshold-width' needs 'pmu-cycles=model': "
                   "what happens in one cycle is known only then");
    } else if (cpu->pmu_config.edge && !cpu->pmu_config.threshold_width) {
        error_setg(errp, "'pmu-edge=on' needs 'pmu-threshold-width' of 1 to "
                   "12");
    } else if (cpu->pmu_config.th2 && !cpu->pmu_config.edge) {
        error_setg(errp, "'pmu-th2=on' needs 'pmu-edge=on'");
    } else {
        return true;
    }
    return false;
}

/*
 * perf takes the slots in which a misprediction is recovered from out of those
 * of stalls.  Its metrics of this core do so in the backend for 3 cycles.
 */
static unsigned int branch_backend(unsigned int core)
{
    return core == VPMU_CORE_NEOVERSE_N2 ? 3 : 0;
}

static struct vpmu_arm_config wanted_config(ARMCPU *cpu, unsigned int version)
{
    const uint64_t pmcr = cpu->isar.reset_pmcr_el0;
    const bool has_imp = version < VPMU_V3P7;
    const struct vpmu_model_config *model = cpu->pmu_config.model;
    const bool clock = model->cycles == VPMU_CYCLES_CLOCK;
    const bool slots = !clock && version >= VPMU_V3P4;

    return (struct vpmu_arm_config) {
        .version = version,
        .counters = pmu_num_counters(&cpu->env),
        .features = pmu_features(cpu),
        .sources = all_sources(cpu, version),
        .timed = CNT_CYCLES | (clock ? CPU_CYCLES : 0),
        .cycle_units = clock ? 1 : model->width,
        .threshold_width = cpu->pmu_config.threshold_width,
        .slots = slots ? model->width : 0,
        .core = vpmu_arm_core_find(cpu->midr),
        .samples = cpu->pmu_config.spe,
        .imp = has_imp ? extract64(pmcr, VPMU_PMCR_IMP_SHIFT, 8) : 0,
        .idcode = has_imp ? extract64(pmcr, VPMU_PMCR_IDCODE_SHIFT, 8) : 0,
    };
}

/*
 * After a reset of the machine, the models are as at the start.  PSCI's CPU_ON
 * resets a CPU, too, but not its caches.
 */
static void system_reset(void *opaque)
{
    ARMCPU *cpu = opaque;

    arm_vpmu_model_forget(cpu);
    arm_vpmu_here(&cpu->env);
    arm_vpmu_rearm(cpu);
}

static const ARMPart *const parts[] = {
    &arm_brbe_part, &arm_spe_part, &arm_branches_part, &arm_accesses_part,
    &arm_calls_part, NULL
};

/* Checks the models, and lets the guest read about their caches if it shall. */
static bool realize_models(ARMCPU *cpu, Error **errp)
{
    const char *why = NULL;

    vpmu_model_check(cpu->pmu_config.model, &why);
    if (!why && cpu->pmu_config.cache_told) {
        why = arm_vpmu_describe_caches(cpu);
    }
    if (why) {
        error_setg(errp, "invalid configuration of the PMU's models, last set "
                   "by '%s': %s", cpu->pmu_config.by, why);
    }
    return !why;
}

bool arm_vpmu_realize(ARMCPU *cpu, Error **errp)
{
    const unsigned int version = pmu_version(cpu);
    const struct vpmu_arm_config config = wanted_config(cpu, version);
    struct vpmu_model_config *model = cpu->pmu_config.model;
    const struct vpmu_now now = arm_vpmu_now(cpu);
    const char *why;

    model->branch_backend = branch_backend(config.core);
    if (!realize_models(cpu, errp) || !check_thresholds(cpu, version, errp)) {
        return false;
    }
    cpu->vpmu = g_new0(ARMVPMU, 1);
    cpu->vpmu->parts = parts;
    qemu_spin_init(&cpu->vpmu->inbox.lock);
    if (vpmu_arm_init(&cpu->vpmu->pmu, &config,
                      (struct vpmu_arm_totals *)cpu->env.pmu.totals, &now,
                      &why)) {
        error_setg(errp, "this CPU cannot have such a PMU: %s", why);
        g_free(cpu->vpmu);
        cpu->vpmu = NULL;
        return false;
    }
    /* Nothing may fail after SPE, which has a line that the CPU keeps. */
    if (!vpmu_shared_cache_reserve(model, errp)) {
        g_clear_pointer(&cpu->vpmu, g_free);
        return false;
    }
    if (!arm_parts_realize(cpu, errp)) {
        vpmu_shared_cache_release(model);
        g_clear_pointer(&cpu->vpmu, g_free);
        return false;
    }
    cpu->vpmu->counters = config.counters;
    vpmu_limits_init(&cpu->vpmu->limits, &arm_vpmu_limit_ops, CPU(cpu),
                     &cpu->vpmu->pmu.count);
    cpu->env.pmu.limit = UINT64_MAX;
    cpu->env.pmu.cycles_limit = UINT64_MAX;
    cpu->env.pmu.budget = UINT64_MAX;
    cpu->env.pmu.line_shift = ctz32(model->l1d.line);
    cpu->env.pmu.width = model->width;
    cpu->env.pmu.predictor = model->branch;
    vpmu_recent_tally_init(&cpu->vpmu->recent, CPU(cpu), arm_vpmu_forgotten);
    cpu->vpmu->vm_state =
        qemu_add_vm_change_state_handler(vm_state_changed, cpu);
    qemu_register_reset(system_reset, cpu);
    arm_register_el_change_hook(cpu, el_changed, NULL);
    arm_vpmu_saved_init(cpu);
    vpmu_stats_init();
    arm_vpmu_check_interrupts();
    return true;
}

void arm_vpmu_finalize(ARMCPU *cpu)
{
    if (cpu->vpmu) {
        qemu_unregister_reset(system_reset, cpu);
        qemu_del_vm_change_state_handler(cpu->vpmu->vm_state);
        timer_free(cpu->vpmu->limits.timer);
        vpmu_recent_tally_free(&cpu->vpmu->recent);
        arm_vpmu_watch_finalize(cpu);
        arm_vpmu_model_forget(cpu);
        vpmu_shared_cache_release(cpu->pmu_config.model);
        vpmu_saved_drop(&cpu->vpmu->saved);
        g_free(cpu->vpmu->stock);
        arm_parts_finalize(cpu);
        g_free(cpu->vpmu);
        cpu->vpmu = NULL;
    }
    arm_vpmu_model_free(cpu);
}

/* MDCR_EL2.HPMN resets to PMCR.N, which may have come with a stream. */
static void reset_hpmn(ARMCPU *cpu)
{
    if (arm_feature(&cpu->env, ARM_FEATURE_EL2)) {
        cpu->env.cp15.mdcr_el2 = deposit64(cpu->env.cp15.mdcr_el2, 0, 5,
                                           pmu_num_counters(&cpu->env));
    }
}

void arm_vpmu_reset(ARMCPU *cpu)
{
    if (cpu->vpmu) {
        struct vpmu_arm *pmu = arm_vpmu_here(&cpu->env);
        struct vpmu_now now = arm_vpmu_now(cpu);

        pmu_service(CPU(cpu), vpmu_arm_reset(pmu, &now));
        reset_hpmn(cpu);
        arm_vpmu_update_controls(cpu);
        arm_parts_reset(cpu);
    }
}
