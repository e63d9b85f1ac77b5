/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the memory of a Linux kernel at EL1 or, with VHE, at EL2; see
 * VPMUThreads in system/vpmu_target.h
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "internals.h"
#include "target/arm/pmu/private.h"
#include "system/vpmu_target.h"
#include "sample.h"

/* Registers that are changed while the kernel's memory is read. */
typedef struct VPMUSavedRegs {
    uint32_t pstate;
    bool aarch64;
    uint64_t ttbr1;
} VPMUSavedRegs;

/* Returns the exception level of the kernel whose program was sampled. */
static unsigned int kernel_el(const struct vpmu_record_sample *sample)
{
    return sample->world == VPMU_WORLD_VHE ? 2 : 1;
}

/*
 * At EL0 the kernel's memory is not mapped or not accessible, so the CPU's
 * state is that of the kernel meanwhile.  Called with the BQL held, because
 * everything else that reads these registers holds it.
 */
static VPMUSavedRegs thread_enter_kernel(CPUARMState *env, unsigned int el)
{
    VPMUSavedRegs was = { env->pstate, env->aarch64, env->cp15.ttbr1_el[el] };

    env->aarch64 = true;
    env->pstate = deposit32(env->pstate, 0, 4, el << 2 | 1);
    return was;
}

static void thread_leave_kernel(CPUARMState *env, unsigned int el,
                                const VPMUSavedRegs *was)
{
    env->pstate = was->pstate;
    env->aarch64 = was->aarch64;
    env->cp15.ttbr1_el[el] = was->ttbr1;
}

static bool thread_look(CPUState *cs,
                        bool (*look)(VPMUReader *reader, void *opaque),
                        void *opaque)
{
    VPMUReader reader = {
        .cpu = cs, .big_endian = arm_cpu_data_is_big_endian(cpu_env(cs)),
    };

    return look(&reader, opaque);
}

/* @hidden is the distance from tramp_pg_dir to swapper_pg_dir. */
static bool thread_as_kernel(CPUState *cs,
                             const struct vpmu_record_sample *sample,
                             int64_t hidden,
                             bool (*look)(VPMUReader *reader, void *opaque),
                             void *opaque)
{
    CPUARMState *env = cpu_env(cs);
    unsigned int el = kernel_el(sample);
    VPMUSavedRegs was;
    bool seen;

    if (!arm_el_is_aa64(env, el)) {
        return false;
    }
    BQL_LOCK_GUARD();
    RCU_READ_LOCK_GUARD();
    was = thread_enter_kernel(env, el);
    seen = thread_look(cs, look, opaque);
    if (!seen && hidden) {
        env->cp15.ttbr1_el[el] += hidden;
        seen = thread_look(cs, look, opaque);
    }
    thread_leave_kernel(env, el, &was);
    return seen;
}

/* The pages of programs have the size of TCR.TG0. */
static bool thread_kernel(CPUState *cs, const struct vpmu_record_sample *sample,
                          VPMUKernel *kernel)
{
    static const uint8_t bits[] = { 12, 16, 14, 12 };
    CPUARMState *env = cpu_env(cs);
    unsigned int el = kernel_el(sample);

    kernel->per_cpu = env->cp15.tpidr_el[el];
    kernel->page_bits = bits[extract64(env->cp15.tcr_el[el], 14, 2)];
    return sample->el <= el;
}

static void thread_as_program(CPUState *cs,
                              void (*look)(CPUState *cs, void *opaque),
                              void *opaque)
{
    CPUARMState *env = cpu_env(cs);
    uint32_t was = env->pstate;

    /* Everything else that reads this state holds the BQL. */
    BQL_LOCK_GUARD();
    if (is_a64(env)) {
        env->pstate = deposit32(was, 0, 4, 0);
    }
    look(cs, opaque);
    env->pstate = was;
}

const VPMUThreads arm_threads = {
    .kernel = thread_kernel,
    .as_kernel = thread_as_kernel,
    .as_program = thread_as_program,
};
