/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registers and CPUID leaves of the PMU of an x86 CPU
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "tcg/helper-tcg.h"
#include "private.h"

uint32_t x86_vpmu_decode(const uint8_t *insn, unsigned int len, bool code64,
                         unsigned int *stall)
{
    *stall = vpmu_insn_x86_stall(insn, len, code64);
    return vpmu_insn_x86(insn, len, code64);
}

bool x86_vpmu_locks(const uint8_t *insn, unsigned int len, bool code64)
{
    return vpmu_insn_x86_locked(insn, len, code64);
}

bool x86_vpmu_cpuid(X86CPU *cpu, uint32_t index, uint32_t *eax, uint32_t *ebx,
                    uint32_t *ecx, uint32_t *edx)
{
    struct vpmu_x86_cpuid leaf;

    if (!cpu->vpmu) {
        return false;
    }
    leaf = vpmu_x86_cpuid(&cpu->vpmu->pmu.config, index);
    x86_lbr_cpuid(cpu, index, &leaf);
    *eax = leaf.eax;
    *ebx = leaf.ebx;
    *ecx = leaf.ecx;
    *edx = leaf.edx;
    return true;
}

/*
 * The library settles only if the access is allowed.  The instruction has been
 * tallied, and the tally is taken back if it raises #GP.
 */
static bool end_access(CPUX86State *env, enum vpmu_x86_access result,
                       uintptr_t ra)
{
    if (result == VPMU_X86_GP) {
        raise_exception_err_ra(env, EXCP0D_GPF, 0, ra);
    }
    return result == VPMU_X86_OK;
}

/* The same for an access to the PMU, which returns what is due. */
static bool end_pmu_access(CPUX86State *env, int due, uintptr_t ra)
{
    pmu_service(env_cpu(env), due);
    return end_access(env, due < 0 ? -due : VPMU_X86_OK, ra);
}

/*
 * RDMSR, WRMSR and RDPMC without prefixes have two bytes.  A record has the
 * registers before the instruction writes them, as it has not completed.
 */
static void vpmu_record_access(X86CPU *cpu)
{
    CPUX86State *env = &cpu->env;

    if (cpu->vpmu->pmu.regs.due) {
        x86_vpmu_record(cpu, env->segs[R_CS].base + env->eip + 2);
    }
}

/* Reads the clocks into @now if settling needs them.  Returns @now or NULL. */
static const struct vpmu_now *now_to_settle(X86CPU *cpu, struct vpmu_now *now)
{
    return x86_vpmu_now_if(cpu, vpmu_x86_needs_time(&cpu->vpmu->pmu), now);
}

/* Read-only bits of IA32_MISC_ENABLE: there is no BTS; there may be PEBS. */
#define BTS_UNAVAILABLE (1ull << 11)
#define PEBS_UNAVAILABLE (1ull << 12)

bool x86_vpmu_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val,
                    uintptr_t ra)
{
    X86CPU *cpu = env_archcpu(env);
    struct vpmu_x86 *pmu;
    struct vpmu_now now;
    int due;

    if (!cpu->vpmu) {
        return false;
    }
    if (cpu->vpmu->pmu.config.pebs &&
        msr == MSR_IA32_MISC_ENABLE) {
        *val = (env->msr_ia32_misc_enable | BTS_UNAVAILABLE) &
               ~PEBS_UNAVAILABLE;
        return true;
    }
    pmu = x86_vpmu_here(cpu);
    due = vpmu_x86_rdmsr(pmu, msr, val, now_to_settle(cpu, &now));
    if (end_pmu_access(env, due, ra)) {
        *val |= x86_lbr_read_bits(cpu, msr);
        vpmu_record_access(cpu);
        return true;
    }
    return end_access(env, x86_lbr_rdmsr(cpu, msr, val), ra);
}

bool x86_vpmu_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val,
                    uintptr_t ra)
{
    X86CPU *cpu = env_archcpu(env);
    struct vpmu_x86 *pmu;
    struct vpmu_now now;

    if (!cpu->vpmu) {
        return false;
    }
    pmu = x86_vpmu_here(cpu);
    now = x86_vpmu_now(cpu);
    if (end_pmu_access(env, vpmu_x86_wrmsr(pmu, msr, val, &now), ra)) {
        x86_lbr_wrote(cpu, msr, val);
        vpmu_record_access(cpu);
        return true;
    }
    if (!end_access(env, x86_lbr_wrmsr(cpu, msr, val), ra)) {
        return false;
    }
    /* A write of DEBUGCTL settles. */
    vpmu_record_access(cpu);
    return true;
}

bool x86_vpmu_rdpmc(CPUX86State *env, uint64_t *val, uintptr_t ra)
{
    X86CPU *cpu = env_archcpu(env);
    struct vpmu_x86 *pmu;
    struct vpmu_now now;

    if (!cpu->vpmu) {
        return false;
    }
    pmu = x86_vpmu_here(cpu);
    /* Whether it is allowed has been looked at. */
    if (!end_pmu_access(env, vpmu_x86_rdpmc(pmu, env->regs[R_ECX], true, val,
                                            now_to_settle(cpu, &now)), ra)) {
        return false;
    }
    vpmu_record_access(cpu);
    return true;
}
