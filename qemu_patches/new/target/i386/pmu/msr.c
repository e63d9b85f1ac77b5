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

bool x86_vpmu_modifies(const uint8_t *insn, unsigned int len, bool code64)
{
    return vpmu_insn_x86_modifies(insn, len, code64);
}

unsigned int x86_vpmu_fp(const uint8_t *insn, unsigned int len, bool code64)
{
    return vpmu_insn_x86_fp(insn, len, code64);
}

void x86_vpmu_fp_add(uint64_t *totals, unsigned int kind, int64_t times)
{
    struct vpmu_x86_tally tally[VPMU_X86_TALLIES];
    unsigned int n = vpmu_insn_x86_fp_tally(kind, tally);

    for (unsigned int i = 0; i < n; i++) {
        totals[tally[i].source - X86_PMU_FP] += times * tally[i].n;
    }
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
    x86_ibs_cpuid(cpu, index, &leaf);
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
static void record_access(X86CPU *cpu)
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

/*
 * Read-only bits of IA32_MISC_ENABLE: there is a PMU, and no BTS; there may be
 * PEBS.
 */
#define PERFMON_AVAILABLE (1ull << 7)
#define BTS_UNAVAILABLE (1ull << 11)
#define PEBS_UNAVAILABLE (1ull << 12)

static uint64_t misc_enable(X86CPU *cpu)
{
    uint64_t val = cpu->env.msr_ia32_misc_enable | PERFMON_AVAILABLE |
                   BTS_UNAVAILABLE;

    return cpu->vpmu->pmu.config.pebs ? val & ~PEBS_UNAVAILABLE
                                      : val | PEBS_UNAVAILABLE;
}

/*
 * Counters of Zen CPUs that run freely: MperfReadOnly, AperfReadOnly and
 * IRPerfCount (PPR of family 17h).  To tally instructions all the time would
 * slow down all guests, so a counter starts when it is read for the first time.
 * The difference of two readings is what counts.
 */
#define MSR_AMD_FREE_RUNNING 0xc00000e7

static bool is_free_running(X86CPU *cpu, uint32_t msr)
{
    return cpu->vpmu && cpu->vpmu->pmu.config.family >= VPMU_X86_ZEN1 &&
           msr - MSR_AMD_FREE_RUNNING < X86_FREE_RUNNING;
}

static uint64_t read_free_running(X86CPU *cpu, uint32_t msr)
{
    static const vpmu_sources sources[X86_FREE_RUNNING] = {
        REF_CYCLES, CYCLES, INSNS
    };
    unsigned int i = msr - MSR_AMD_FREE_RUNNING;
    struct vpmu_observer *o = &cpu->vpmu->free_running[i];
    struct vpmu_x86 *pmu = x86_vpmu_here(cpu);
    struct vpmu_now now = x86_vpmu_now(cpu);

    if (!o->sources) {
        o->sources = sources[i];
        o->ctx_mask[0] = MAKE_64BIT_MASK(0, VPMU_X86_CTX_COUNT);
        pmu_service(CPU(cpu), vpmu_x86_observer_add(pmu, o, &now));
    }
    return vpmu_x86_observer_read(pmu, o, &now);
}

void x86_vpmu_stop_free_running(X86CPU *cpu)
{
    struct vpmu_now now = x86_vpmu_now(cpu);
    uint64_t count;

    for (unsigned int i = 0; i < X86_FREE_RUNNING; i++) {
        struct vpmu_observer *o = &cpu->vpmu->free_running[i];

        if (o->sources) {
            pmu_service(CPU(cpu), vpmu_x86_observer_remove(&cpu->vpmu->pmu, o,
                                                           &now, &count));
            *o = (struct vpmu_observer) { };
        }
    }
}

/* Other PMUs of Intel's have the MSR, this one does not. */
static void check_msr(X86CPU *cpu, uint32_t msr, uintptr_t ra)
{
    if (cpu->vpmu && vpmu_x86_lacks_msr(&cpu->vpmu->pmu, msr)) {
        raise_exception_err_ra(&cpu->env, EXCP0D_GPF, 0, ra);
    }
}

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
    if (IS_INTEL_CPU(env) && msr == MSR_IA32_MISC_ENABLE) {
        *val = misc_enable(cpu);
        return true;
    }
    if (is_free_running(cpu, msr)) {
        *val = read_free_running(cpu, msr);
        return true;
    }
    pmu = x86_vpmu_here(cpu);
    due = vpmu_x86_rdmsr(pmu, msr, val, now_to_settle(cpu, &now));
    if (end_pmu_access(env, due, ra)) {
        *val |= x86_lbr_read_bits(cpu, msr);
        record_access(cpu);
        return true;
    }
    if (!end_access(env, x86_lbr_rdmsr(cpu, msr, val), ra) &&
        !end_access(env, x86_ibs_rdmsr(cpu, msr, val), ra)) {
        check_msr(cpu, msr, ra);
        return false;
    }
    return true;
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
    if (is_free_running(cpu, msr)) {
        raise_exception_err_ra(env, EXCP0D_GPF, 0, ra);
    }
    pmu = x86_vpmu_here(cpu);
    now = x86_vpmu_now(cpu);
    if (end_pmu_access(env, vpmu_x86_wrmsr(pmu, msr, val, &now), ra)) {
        x86_lbr_wrote(cpu, msr, val);
        record_access(cpu);
        return true;
    }
    if (!end_access(env, x86_lbr_wrmsr(cpu, msr, val), ra) &&
        !end_access(env, x86_ibs_wrmsr(cpu, msr, val), ra)) {
        check_msr(cpu, msr, ra);
        return false;
    }
    /* A write of DEBUGCTL settles. */
    record_access(cpu);
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
    record_access(cpu);
    return true;
}
