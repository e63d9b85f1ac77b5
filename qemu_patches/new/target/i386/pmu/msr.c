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
static bool vpmu_end_access(CPUX86State *env, enum vpmu_x86_access result,
                            uintptr_t ra)
{
    if (result == VPMU_X86_GP) {
        raise_exception_err_ra(env, EXCP0D_GPF, 0, ra);
    }
    return result == VPMU_X86_OK;
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

/* Read-only bits of IA32_MISC_ENABLE: there is no BTS; there may be PEBS. */
#define BTS_UNAVAILABLE (1ull << 11)
#define PEBS_UNAVAILABLE (1ull << 12)

bool x86_vpmu_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val,
                    uintptr_t ra)
{
    X86CPU *cpu = env_archcpu(env);
    bool is_ours;

    if (cpu->vpmu && cpu->vpmu->pmu.config.pebs &&
        msr == MSR_IA32_MISC_ENABLE) {
        *val = (env->msr_ia32_misc_enable | BTS_UNAVAILABLE) &
               ~PEBS_UNAVAILABLE;
        return true;
    }
    is_ours = cpu->vpmu &&
        vpmu_end_access(env, vpmu_x86_rdmsr(x86_vpmu_here(cpu), msr, val), ra);
    if (is_ours) {
        *val |= x86_lbr_read_bits(cpu, msr);
        vpmu_record_access(cpu);
        return true;
    }
    return cpu->vpmu && vpmu_end_access(env, x86_lbr_rdmsr(cpu, msr, val), ra);
}

bool x86_vpmu_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val,
                    uintptr_t ra)
{
    X86CPU *cpu = env_archcpu(env);

    bool is_ours = cpu->vpmu &&
        vpmu_end_access(env, vpmu_x86_wrmsr(x86_vpmu_here(cpu), msr, val), ra);

    if (is_ours) {
        x86_lbr_wrote(cpu, msr, val);
        vpmu_record_access(cpu);
        return true;
    }
    is_ours = cpu->vpmu &&
        vpmu_end_access(env, x86_lbr_wrmsr(cpu, msr, val), ra);
    if (is_ours) {
        /* A write of DEBUGCTL settles. */
        vpmu_record_access(cpu);
    }
    return is_ours;
}

bool x86_vpmu_rdpmc(CPUX86State *env, uint64_t *val, uintptr_t ra)
{
    X86CPU *cpu = env_archcpu(env);

    /* Whether it is allowed has been looked at. */
    bool is_ours = cpu->vpmu &&
        vpmu_end_access(env, vpmu_x86_rdpmc(x86_vpmu_here(cpu),
                                            env->regs[R_ECX], true, val), ra);

    if (is_ours) {
        vpmu_record_access(cpu);
    }
    return is_ours;
}
