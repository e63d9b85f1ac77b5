/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System registers of an Arm CPU's PMU, from the library's table
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "cpregs.h"
#include "cpu-features.h"
#include "internals.h"
#include "compat.h"
#include "parts.h"
#include "tally.h"
#include "vpmu/arm/regs.h"

/*
 * ARM_CP_ALIAS registers have no reset value: ours has the register's number.
 */
static unsigned int reg_of(const ARMCPRegInfo *ri)
{
    return ri->resetvalue;
}

static struct vpmu_pe pe_now(CPUARMState *env)
{
    return (struct vpmu_pe) {
        .el = arm_current_el(env),
        .aarch32 = !is_a64(env),
        .el1_aarch32 = !arm_el_is_aa64(env, 1),
        .el2_enabled = arm_is_el2_enabled(env),
        .tge = arm_hcr_el2_eff(env) & HCR_TGE,
    };
}

static CPAccessResult check_access(CPUARMState *env, const ARMCPRegInfo *ri,
                                  bool isread)
{
    static const CPAccessResult results[] = {
        [VPMU_ACCESS_OK] = CP_ACCESS_OK,
        [VPMU_ACCESS_UNDEFINED] = CP_ACCESS_UNDEFINED,
        [VPMU_ACCESS_TRAP_EL1] = CP_ACCESS_TRAP_EL1,
        [VPMU_ACCESS_TRAP_EL2] = CP_ACCESS_TRAP_EL2,
        [VPMU_ACCESS_TRAP_EL3] = CP_ACCESS_TRAP_EL3,
    };
    struct vpmu_pe pe = pe_now(env);

    /* This must not change anything: accesses are checked without the BQL. */
    return results[vpmu_arm_reg_access(&env_archcpu(env)->vpmu->pmu,
                                       reg_of(ri), &pe, !isread)];
}

/*
 * Tells the library the context.  An access to any register of the PMU performs
 * overflows that are due, also if the library need not settle for it.
 */
static int begin_access(ARMCPU *cpu, const struct vpmu_now *now)
{
    struct vpmu_arm *pmu = &cpu->vpmu->pmu;
    int due = arm_vpmu_set_context(cpu, now);

    if (arm_vpmu_due(&cpu->env, pmu->count.ctx) ||
        vpmu_limits_time_due_at(&cpu->vpmu->limits, now->ns)) {
        arm_parts_leaving(cpu);
        due |= vpmu_arm_settle(pmu, now) | VPMU_DUE_REARM;
    }
    return due;
}

static uint64_t read_reg(CPUARMState *env, const ARMCPRegInfo *ri)
{
    ARMCPU *cpu = env_archcpu(env);
    struct vpmu_pe pe = pe_now(env);
    struct vpmu_now now = arm_vpmu_now(cpu);
    int due = begin_access(cpu, &now);
    uint64_t val;

    due |= vpmu_arm_reg_read(&cpu->vpmu->pmu, reg_of(ri), &pe, &val, &now);
    pmu_service(CPU(cpu), due | PMU_IN_INSN);
    return val;
}

static void write_reg(CPUARMState *env, const ARMCPRegInfo *ri,
                       uint64_t val)
{
    ARMCPU *cpu = env_archcpu(env);
    struct vpmu_pe pe = pe_now(env);
    struct vpmu_now now = arm_vpmu_now(cpu);
    int due = begin_access(cpu, &now);

    due |= vpmu_arm_reg_write(&cpu->vpmu->pmu, reg_of(ri), &pe, val, &now);
    pmu_service(CPU(cpu), due | PMU_IN_INSN);
}

/* gdb sees what the highest exception level sees, at any time. */
static uint64_t read_raw(CPUARMState *env, const ARMCPRegInfo *ri)
{
    struct vpmu_pe pe = {
        .el = 3,
        .aarch32 = ri->state == ARM_CP_STATE_AA32,
    };
    struct vpmu_arm *pmu = arm_vpmu_here(env);
    struct vpmu_now now;
    const struct vpmu_now *time =
        arm_vpmu_now_if(env_archcpu(env), vpmu_arm_needs_time(pmu), &now);
    uint64_t val = 0;

    pmu_service(env_cpu(env),
                vpmu_arm_reg_read(pmu, reg_of(ri), &pe, &val, time));
    return val;
}

/* Nothing calls this: migration does not use these, and gdb cannot write. */
static void write_raw(CPUARMState *env, const ARMCPRegInfo *ri,
                           uint64_t val)
{
}

static const FGTBit fgt_bits[VPMU_REG_COUNT] = {
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

static int rights_of(const struct vpmu_reg_info *info)
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
static char *name_of(const char *name, unsigned int n)
{
    const char *hole = strstr(name, "<n>");

    if (!hole) {
        return g_strdup(name);
    }
    return g_strdup_printf("%.*s%u%s", (int)(hole - name), name, n, hole + 3);
}

static void define_reg(ARMCPU *cpu, unsigned int reg, bool aarch32)
{
    const struct vpmu_reg_info *info = vpmu_arm_reg_info(reg);
    unsigned int first = reg >= VPMU_PMEVTYPER0 ? VPMU_PMEVTYPER0 :
                         reg >= VPMU_PMEVCNTR0 ? VPMU_PMEVCNTR0 : reg;
    uint16_t enc = (aarch32 ? info->enc32 : info->enc64) + (reg - first);
    g_autofree char *name = name_of(aarch32 ? info->name32 : info->name64,
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
        .access = rights_of(info),
        .accessfn = check_access,
        .fgt = fgt_bits[reg],
        .readfn = info->dir == VPMU_WO ? NULL : read_reg,
        .writefn = info->dir == VPMU_RO ? NULL : write_reg,
        .raw_readfn = read_raw,
        .raw_writefn = write_raw,
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
static bool is_half(const ARMCPRegInfo *ri)
{
    unsigned int reg = reg_of(ri);

    return ri->state == ARM_CP_STATE_AA32 &&
           (reg == VPMU_PMMIR || (reg >= VPMU_PMCEID0 && reg <= VPMU_PMCEID3));
}

int arm_vpmu_reg_of_id(ARMCPU *cpu, uint64_t kvm_id)
{
    const ARMCPRegInfo *ri = get_arm_cp_reginfo(cpu->cp_regs,
                                                kvm_to_cpreg_id(kvm_id));

    if (!cpu->vpmu || !ri || ri->raw_writefn != write_raw) {
        return -1;
    }
    return is_half(ri) ? VPMU_REG_COUNT : reg_of(ri);
}

void arm_vpmu_define_regs(ARMCPU *cpu)
{
    if (!cpu->vpmu) {
        return;
    }
    for (unsigned int reg = 0; reg < VPMU_REG_COUNT; reg++) {
        if (vpmu_arm_reg_exists(&cpu->vpmu->pmu, reg, false)) {
            define_reg(cpu, reg, false);
        }
        if (vpmu_arm_reg_exists(&cpu->vpmu->pmu, reg, true)) {
            define_reg(cpu, reg, true);
        }
    }
    arm_parts_define_regs(cpu);
}
