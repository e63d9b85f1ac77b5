/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU of an Arm CPU, by the vpmu library
 *
 * The library has the architectural state and decides what counts in which
 * context.  This file connects it to the machine: system registers, the
 * exception level and the interrupt line.  tally.c and limit.c contain what is
 * counted and how far the CPU may execute, migration/ the state in a stream.
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qemu/cutils.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "cpregs.h"
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
#define SDER_SUNIDEN 2
#define DEBUG_V8P2 8

#define CPU_CYCLES VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES)
#define CNT_CYCLES VPMU_SRC_BIT(VPMU_SRC_CNT_CYCLES)

/*
 * How an Arm CPU acts on what is due
 */

void arm_vpmu_update_irq(ARMCPU *cpu)
{
    BQL_LOCK_GUARD();
    gicv5_update_ppi_state(&cpu->env, GICV5_PPI_PMUIRQ, cpu->vpmu->pmu.irq);
    qemu_set_irq(cpu->pmu_interrupt, cpu->vpmu->pmu.irq);
}

static struct vpmu_count *acts_count(CPUState *cs)
{
    return &ARM_CPU(cs)->vpmu->pmu.count;
}

static VPMULimits *acts_limits(CPUState *cs)
{
    return &ARM_CPU(cs)->vpmu->limits;
}

static void acts_interrupt(CPUState *cs)
{
    arm_vpmu_update_irq(ARM_CPU(cs));
}

static void acts_arm(CPUState *cs)
{
    arm_vpmu_arm(ARM_CPU(cs));
}

const VPMUActs arm_vpmu_acts = {
    .count = acts_count,
    .limits = acts_limits,
    .interrupt = acts_interrupt,
    .arm = acts_arm,
    .spans = arm_vpmu_record_spans,
};

/*
 * The state of the CPU that the PMU depends on
 */

static bool vpmu_secure_el0_allowed(CPUARMState *env)
{
    return arm_feature(env, ARM_FEATURE_EL3) && !arm_el_is_aa64(env, 1) &&
           (env->cp15.sder & SDER_SUNIDEN);
}

/*
 * QEMU has no authentication interface, which means that Secure non-invasive
 * debug is enabled.  From FEAT_Debugv8p2 on it has no effect on counting.
 */
static bool vpmu_secure_allowed(ARMCPU *cpu)
{
    unsigned int debug = arm_feature(&cpu->env, ARM_FEATURE_AARCH64)
        ? FIELD_EX64_IDREG(&cpu->isar, ID_AA64DFR0, DEBUGVER)
        : FIELD_EX32_IDREG(&cpu->isar, ID_DFR0, COPDBG);

    return arm_feature(&cpu->env, ARM_FEATURE_EL3) && debug < DEBUG_V8P2;
}

static int set_controls(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;
    struct vpmu_now now = arm_vpmu_now(cpu);
    struct vpmu_controls controls = {
        .mdcr_el2 = env->cp15.mdcr_el2,
        .mdcr_el3 = env->cp15.mdcr_el3,
        .secure_el0_allowed = vpmu_secure_el0_allowed(env),
        .secure_allowed = vpmu_secure_allowed(cpu),
    };

    arm_parts_controls(cpu, &controls);
    return vpmu_set_controls(&cpu->vpmu->pmu, &controls, &now);
}

void arm_vpmu_update_controls(ARMCPU *cpu)
{
    pmu_service(CPU(cpu), set_controls(cpu));
}

/* Tells the library the context.  Returns what is due. */
static int set_context(ARMCPU *cpu, const struct vpmu_now *now)
{
    CPUARMState *env = &cpu->env;
    struct vpmu *pmu = &cpu->vpmu->pmu;
    int due = unlikely(pmu->watch)
              ? arm_vpmu_watch_moved(cpu, now)
              : vpmu_set_context(pmu, arm_pmu_context(env), now);

    if (unlikely(pmu->controls.secure_el0_allowed !=
                 vpmu_secure_el0_allowed(env))) {
        due |= set_controls(cpu);
    }
    return due;
}

void arm_vpmu_arrive(ARMCPU *cpu, const struct vpmu_now *now)
{
    set_context(cpu, now);
    set_controls(cpu);
}

struct vpmu *arm_vpmu_here(CPUARMState *env)
{
    ARMCPU *cpu = env_archcpu(env);
    struct vpmu *pmu = &cpu->vpmu->pmu;
    struct vpmu_now now;
    bool timed = vpmu_leaving_needs_time(pmu, arm_pmu_context(env));

    pmu_service(CPU(cpu), set_context(cpu, arm_vpmu_now_if(cpu, timed, &now)));
    return pmu;
}

/*
 * Is an exception being taken?  No time has passed then since
 * arm_vpmu_comes_first(), which has decided that no overflow comes before it.
 */
static bool is_time_decided(ARMCPU *cpu)
{
    const struct vpmu *pmu = &cpu->vpmu->pmu;
    uint32_t exception = CPU(cpu)->exception_index;

    return exception < EXCP_INTERRUPT && pmu->count.counting &&
           arm_vpmu_counts_time(pmu);
}

/* The same as arm_vpmu_here(), at a change of exception level. */
static void enter_context(ARMCPU *cpu, bool decided)
{
    struct vpmu *pmu = &cpu->vpmu->pmu;
    struct vpmu_now now;
    bool timed = vpmu_leaving_needs_time(pmu, arm_pmu_context(&cpu->env));
    const struct vpmu_now *time = arm_vpmu_now_if(cpu, timed, &now);

    if (timed && decided) {
        memcpy(now.ticks, pmu->count.clock, sizeof(now.ticks));
    }
    pmu_service(CPU(cpu), set_context(cpu, time));
}

void arm_vpmu_moved(CPUARMState *env)
{
    ARMCPU *cpu = env_archcpu(env);
    struct vpmu *pmu;
    unsigned int from;
    bool decided;

    if (!cpu->vpmu) {
        return;
    }
    pmu = &cpu->vpmu->pmu;
    from = pmu->count.ctx;
    if (!pmu->count.counting && !pmu->watch && !env->pmu.brbe_enabled &&
        !env->pmu.spe_enabled) {
        return;
    }
    decided = is_time_decided(cpu);
    vpmu_limits_settle_if_due(&cpu->vpmu->limits, arm_vpmu_due(env, from),
                              !decided &&
                              vpmu_limits_time_due(&cpu->vpmu->limits));
    arm_parts_leaving(cpu);
    arm_vpmu_leave_limit(cpu, from);
    enter_context(cpu, decided);
    arm_parts_arrived(cpu);
    arm_vpmu_enter_limit(cpu);
    if (vpmu_time_differs(pmu, from, pmu->count.ctx) ||
        vpmu_watch_times(pmu)) {
        vpmu_limits_update_timer(&cpu->vpmu->limits);
    }
    if (env->pmu.model) {
        arm_vpmu_model_moved(env);
    }
}

static void vpmu_el_changed(ARMCPU *cpu, void *opaque)
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
static void vpmu_vm_state_changed(void *opaque, bool running, RunState state)
{
    ARMCPU *cpu = opaque;

    if (!running) {
        arm_parts_leaving(cpu);
    }
    if (!running && cpu->vpmu->pmu.count.counting) {
        struct vpmu *pmu = arm_vpmu_here(&cpu->env);
        struct vpmu_now now = arm_vpmu_now(cpu);

        pmu_service(CPU(cpu), VPMU_DUE_REARM | vpmu_settle(pmu, &now));
    }
}

/*
 * System registers
 */

/*
 * ARM_CP_ALIAS registers have no reset value: ours has the register's number.
 */
static unsigned int vpmu_reg_of(const ARMCPRegInfo *ri)
{
    return ri->resetvalue;
}

static struct vpmu_pe vpmu_pe_now(CPUARMState *env)
{
    return (struct vpmu_pe) {
        .el = arm_current_el(env),
        .aarch32 = !is_a64(env),
        .el1_aarch32 = !arm_el_is_aa64(env, 1),
        .el2_enabled = arm_is_el2_enabled(env),
        .tge = arm_hcr_el2_eff(env) & HCR_TGE,
    };
}

static CPAccessResult vpmu_access(CPUARMState *env, const ARMCPRegInfo *ri,
                                  bool isread)
{
    static const CPAccessResult results[] = {
        [VPMU_ACCESS_OK] = CP_ACCESS_OK,
        [VPMU_ACCESS_UNDEFINED] = CP_ACCESS_UNDEFINED,
        [VPMU_ACCESS_TRAP_EL1] = CP_ACCESS_TRAP_EL1,
        [VPMU_ACCESS_TRAP_EL2] = CP_ACCESS_TRAP_EL2,
        [VPMU_ACCESS_TRAP_EL3] = CP_ACCESS_TRAP_EL3,
    };
    struct vpmu_pe pe = vpmu_pe_now(env);

    /* This must not change anything: accesses are checked without the BQL. */
    return results[vpmu_reg_access(&env_archcpu(env)->vpmu->pmu,
                                   vpmu_reg_of(ri), &pe, !isread)];
}

/*
 * Tells the library the context.  An access to any register of the PMU performs
 * overflows that are due, also if the library need not settle for it.
 */
static int begin_access(ARMCPU *cpu, const struct vpmu_now *now)
{
    struct vpmu *pmu = &cpu->vpmu->pmu;
    int due = set_context(cpu, now);

    if (arm_vpmu_due(&cpu->env, pmu->count.ctx) ||
        vpmu_limits_time_due_at(&cpu->vpmu->limits, now->ns)) {
        arm_parts_leaving(cpu);
        due |= vpmu_settle(pmu, now) | VPMU_DUE_REARM;
    }
    return due;
}

static uint64_t vpmu_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    ARMCPU *cpu = env_archcpu(env);
    struct vpmu_pe pe = vpmu_pe_now(env);
    struct vpmu_now now = arm_vpmu_now(cpu);
    int due = begin_access(cpu, &now);
    uint64_t val;

    due |= vpmu_reg_read(&cpu->vpmu->pmu, vpmu_reg_of(ri), &pe, &val, &now);
    pmu_service(CPU(cpu), due | PMU_IN_INSN);
    return val;
}

static void vpmu_write(CPUARMState *env, const ARMCPRegInfo *ri,
                       uint64_t val)
{
    ARMCPU *cpu = env_archcpu(env);
    struct vpmu_pe pe = vpmu_pe_now(env);
    struct vpmu_now now = arm_vpmu_now(cpu);
    int due = begin_access(cpu, &now);

    due |= vpmu_reg_write(&cpu->vpmu->pmu, vpmu_reg_of(ri), &pe, val, &now);
    pmu_service(CPU(cpu), due | PMU_IN_INSN);
}

/* gdb sees what the highest exception level sees, at any time. */
static uint64_t vpmu_raw_read(CPUARMState *env, const ARMCPRegInfo *ri)
{
    struct vpmu_pe pe = {
        .el = 3,
        .aarch32 = ri->state == ARM_CP_STATE_AA32,
    };
    struct vpmu *pmu = arm_vpmu_here(env);
    struct vpmu_now now;
    const struct vpmu_now *time =
        arm_vpmu_now_if(env_archcpu(env), vpmu_needs_time(pmu), &now);
    uint64_t val = 0;

    pmu_service(env_cpu(env),
                vpmu_reg_read(pmu, vpmu_reg_of(ri), &pe, &val, time));
    return val;
}

/* Nothing calls this: migration does not use these, and gdb cannot write. */
static void vpmu_raw_write(CPUARMState *env, const ARMCPRegInfo *ri,
                           uint64_t val)
{
}

static const FGTBit vpmu_fgt[VPMU_REG_COUNT] = {
    [VPMU_PMCR] = FGT_PMCR_EL0,
    [VPMU_PMCNTENSET] = FGT_PMCNTEN,
    [VPMU_PMCNTENCLR] = FGT_PMCNTEN,
    [VPMU_PMOVSCLR] = FGT_PMOVS,
    [VPMU_PMOVSSET] = FGT_PMOVS,
    [VPMU_PMSWINC] = FGT_PMSWINC_EL0,
    [VPMU_PMSELR] = FGT_PMSELR_EL0,
    [VPMU_PMXEVTYPER] = FGT_PMEVTYPERN_EL0,
    [VPMU_PMXEVCNTR] = FGT_PMEVCNTRN_EL0,
    [VPMU_PMCCNTR] = FGT_PMCCNTR_EL0,
    [VPMU_PMCCNTR_WIDE] = FGT_PMCCNTR_EL0,
    [VPMU_PMCCFILTR] = FGT_PMCCFILTR_EL0,
    [VPMU_PMCEID0 ... VPMU_PMCEID3] = FGT_PMCEIDN_EL0,
    [VPMU_PMUSERENR] = FGT_PMUSERENR_EL0,
    [VPMU_PMINTENSET] = FGT_PMINTEN,
    [VPMU_PMINTENCLR] = FGT_PMINTEN,
    [VPMU_PMMIR] = FGT_PMMIR_EL1,
    [VPMU_PMEVCNTR0 ... VPMU_PMEVTYPER0 - 1] = FGT_PMEVCNTRN_EL0,
    [VPMU_PMEVTYPER0 ... VPMU_REG_COUNT - 1] = FGT_PMEVTYPERN_EL0,
};

static int vpmu_cp_access(const struct vpmu_reg_info *info)
{
    int rights = info->el0 == VPMU_EL0_NEVER ? PL1_RW : PL0_RW;

    if (info->el0 == VPMU_EL0_RO) {
        return PL0_R | PL1_RW;
    }
    if (info->dir == VPMU_RO) {
        return rights & (PL0_R | PL1_R);
    }
    return info->dir == VPMU_WO ? rights & (PL0_W | PL1_W) : rights;
}

/* Inserts the number: "PMEVCNTR<n>_EL0" and 3 give "PMEVCNTR3_EL0". */
static char *vpmu_reg_name(const char *name, unsigned int n)
{
    const char *hole = strstr(name, "<n>");

    if (!hole) {
        return g_strdup(name);
    }
    return g_strdup_printf("%.*s%u%s", (int)(hole - name), name, n, hole + 3);
}

static void vpmu_define_reg(ARMCPU *cpu, unsigned int reg, bool aarch32)
{
    const struct vpmu_reg_info *info = vpmu_reg_info(reg);
    unsigned int first = reg >= VPMU_PMEVTYPER0 ? VPMU_PMEVTYPER0 :
                         reg >= VPMU_PMEVCNTR0 ? VPMU_PMEVCNTR0 : reg;
    uint16_t enc = (aarch32 ? info->enc32 : info->enc64) + (reg - first);
    g_autofree char *name = vpmu_reg_name(aarch32 ? info->name32 : info->name64,
                                          reg - first);
    ARMCPRegInfo ri = {
        .name = name,
        .state = aarch32 ? ARM_CP_STATE_AA32 : ARM_CP_STATE_AA64,
        .opc1 = extract32(enc, 11, 3),
        .crn = extract32(enc, 7, 4),
        .crm = extract32(enc, 3, 4),
        .opc2 = extract32(enc, 0, 3),
        /* The PMU's state migrates as a whole, not by these registers. */
        .type = ARM_CP_IO | ARM_CP_ALIAS,
        .access = vpmu_cp_access(info),
        .accessfn = vpmu_access,
        .fgt = vpmu_fgt[reg],
        .readfn = info->dir == VPMU_WO ? NULL : vpmu_read,
        .writefn = info->dir == VPMU_RO ? NULL : vpmu_write,
        .raw_readfn = vpmu_raw_read,
        .raw_writefn = vpmu_raw_write,
        .resetvalue = reg,
    };

    if (info->dir == VPMU_WO) {
        ri.type |= ARM_CP_NO_RAW;
        ri.raw_readfn = NULL;
        ri.raw_writefn = NULL;
    }
    if (!aarch32) {
        ri.opc0 = extract32(enc, 14, 2);
    } else {
        ri.cp = 15;
        if (reg == VPMU_PMCCNTR_WIDE) {
            ri.type |= ARM_CP_64BIT;
        } else if (reg == VPMU_PMCCNTR) {
            /* gdb gets the 64-bit view of PMCCNTR only. */
            ri.type |= ARM_CP_NO_GDB;
        }
    }
    define_one_arm_cp_reg(cpu, &ri);
}

/* Does the AArch32 view have only half of the register's bits? */
static bool vpmu_is_half(const ARMCPRegInfo *ri)
{
    unsigned int reg = vpmu_reg_of(ri);

    return ri->state == ARM_CP_STATE_AA32 &&
           (reg == VPMU_PMMIR || (reg >= VPMU_PMCEID0 && reg <= VPMU_PMCEID3));
}

int arm_vpmu_reg_of_id(ARMCPU *cpu, uint64_t kvm_id)
{
    const ARMCPRegInfo *ri = get_arm_cp_reginfo(cpu->cp_regs,
                                                kvm_to_cpreg_id(kvm_id));

    if (!cpu->vpmu || !ri || ri->raw_writefn != vpmu_raw_write) {
        return -1;
    }
    return vpmu_is_half(ri) ? VPMU_REG_COUNT : vpmu_reg_of(ri);
}

void arm_vpmu_define_regs(ARMCPU *cpu)
{
    if (!cpu->vpmu) {
        return;
    }
    for (unsigned int reg = 0; reg < VPMU_REG_COUNT; reg++) {
        if (vpmu_reg_exists(&cpu->vpmu->pmu, reg, false)) {
            vpmu_define_reg(cpu, reg, false);
        }
        if (vpmu_reg_exists(&cpu->vpmu->pmu, reg, true)) {
            vpmu_define_reg(cpu, reg, true);
        }
    }
    arm_parts_define_regs(cpu);
}

/*
 * Creation and reset
 */

static unsigned int vpmu_version(ARMCPU *cpu)
{
    bool aarch64 = arm_feature(&cpu->env, ARM_FEATURE_AARCH64);
    unsigned int version = aarch64
        ? FIELD_EX64_IDREG(&cpu->isar, ID_AA64DFR0, PMUVER)
        : FIELD_EX32_IDREG(&cpu->isar, ID_DFR0, PERFMON);

    /* ID_DFR0.PerfMon is 3 for PMUv3.  1 and 2, before Armv8, are subsets. */
    return version <= 3 ? VPMU_V3 : version;
}

static uint16_t vpmu_features(ARMCPU *cpu)
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
            vpmu_version(cpu) >= VPMU_V3P7 ? VPMU_HAS_SPE : 0) |
           (aarch64 ? 0 : VPMU_HAS_NO_AARCH64) |
           (aarch64 && !cpu_isar_feature(aa64_aa32, cpu)
            ? VPMU_HAS_NO_AARCH32 : 0);
}

/* Returns the sources that the CPU counts, which depend on its models. */
static vpmu_sources vpmu_all_sources(ARMCPU *cpu, unsigned int version)
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
static bool vpmu_check_thresholds(ARMCPU *cpu, unsigned int version,
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
static unsigned int vpmu_branch_backend(unsigned int core)
{
    return core == VPMU_CORE_NEOVERSE_N2 ? 3 : 0;
}

bool arm_vpmu_available(void)
{
    return true;
}

static struct vpmu_config vpmu_wanted(ARMCPU *cpu, unsigned int version)
{
    const uint64_t pmcr = cpu->isar.reset_pmcr_el0;
    const bool has_imp = version < VPMU_V3P7;
    const struct vpmu_model_config *model = cpu->pmu_config.model;
    const bool clock = model->cycles == VPMU_CYCLES_CLOCK;
    const bool slots = !clock && version >= VPMU_V3P4;

    return (struct vpmu_config) {
        .version = version,
        .counters = pmu_num_counters(&cpu->env),
        .features = vpmu_features(cpu),
        .sources = vpmu_all_sources(cpu, version),
        .timed = CNT_CYCLES | (clock ? CPU_CYCLES : 0),
        .cycle_units = clock ? 1 : model->width,
        .threshold_width = cpu->pmu_config.threshold_width,
        .slots = slots ? model->width : 0,
        .core = vpmu_core_find(cpu->midr),
        .samples = cpu->pmu_config.spe,
        .imp = has_imp ? extract64(pmcr, VPMU_PMCR_IMP_SHIFT, 8) : 0,
        .idcode = has_imp ? extract64(pmcr, VPMU_PMCR_IDCODE_SHIFT, 8) : 0,
    };
}

/*
 * After a reset of the machine, the models are as at the start.  PSCI's CPU_ON
 * resets a CPU, too, but not its caches.
 */
static void vpmu_system_reset(void *opaque)
{
    ARMCPU *cpu = opaque;

    arm_vpmu_model_forget(cpu);
    arm_vpmu_here(&cpu->env);
    arm_vpmu_rearm(cpu);
}

bool arm_vpmu_realize(ARMCPU *cpu, Error **errp)
{
    const unsigned int version = vpmu_version(cpu);
    const struct vpmu_config config = vpmu_wanted(cpu, version);
    struct vpmu_model_config *model = cpu->pmu_config.model;
    const struct vpmu_now now = arm_vpmu_now(cpu);
    const char *why;

    model->branch_backend = vpmu_branch_backend(config.core);
    if (vpmu_model_check(model, &why)) {
        error_setg(errp, "invalid configuration of the PMU's models, last set "
                   "by '%s': %s", cpu->pmu_config.by, why);
        return false;
    }
    if (!vpmu_check_thresholds(cpu, version, errp)) {
        return false;
    }
    cpu->vpmu = g_new0(ARMVPMU, 1);
    qemu_spin_init(&cpu->vpmu->inbox.lock);
    if (vpmu_init(&cpu->vpmu->pmu, &config,
                  (struct vpmu_totals *)cpu->env.pmu.totals, &now, &why)) {
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
        qemu_add_vm_change_state_handler(vpmu_vm_state_changed, cpu);
    qemu_register_reset(vpmu_system_reset, cpu);
    arm_register_el_change_hook(cpu, vpmu_el_changed, NULL);
    arm_vpmu_saved_init(cpu);
    vpmu_stats_init();
    arm_vpmu_check_interrupts();
    return true;
}

void arm_vpmu_finalize(ARMCPU *cpu)
{
    if (cpu->vpmu) {
        qemu_unregister_reset(vpmu_system_reset, cpu);
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
static void vpmu_reset_hpmn(ARMCPU *cpu)
{
    if (arm_feature(&cpu->env, ARM_FEATURE_EL2)) {
        cpu->env.cp15.mdcr_el2 = deposit64(cpu->env.cp15.mdcr_el2, 0, 5,
                                           pmu_num_counters(&cpu->env));
    }
}

void arm_vpmu_reset(ARMCPU *cpu)
{
    if (cpu->vpmu) {
        struct vpmu *pmu = arm_vpmu_here(&cpu->env);
        struct vpmu_now now = arm_vpmu_now(cpu);

        pmu_service(CPU(cpu), vpmu_reset(pmu, &now));
        vpmu_reset_hpmn(cpu);
        arm_vpmu_update_controls(cpu);
        arm_parts_reset(cpu);
    }
}
