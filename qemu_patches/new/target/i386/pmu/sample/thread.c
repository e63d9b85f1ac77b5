/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the memory of an x86-64 Linux kernel; see VPMUThreads in
 * system/vpmu_target.h
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "target/i386/pmu/compat.h"
#include "target/i386/pmu/private.h"
#include "system/vpmu_target.h"

/* With KPTI, the page table of programs is in the page behind the kernel's. */
#define CR3_PROGRAMS 0x1000ull
#define PAGE_BITS 12

/*
 * In the kernel, the base of GS is that of the CPU's variables.  SWAPGS
 * exchanges it with that of the program.  At an entry or a return, the kernel
 * runs some instructions with the program's, which is in the lower half.
 */
static uint64_t per_cpu(const CPUX86State *env)
{
#ifdef TARGET_X86_64
    uint64_t base = env->segs[R_GS].base;

    return (env->hflags & HF_CPL_MASK) || !(base >> 63) ? env->kernelgsbase
                                                        : base;
#else
    return 0;
#endif
}

static bool thread_kernel(CPUState *cs, const struct vpmu_record_sample *sample,
                          VPMUKernel *kernel)
{
    CPUX86State *env = cpu_env(cs);

    kernel->per_cpu = per_cpu(env);
    kernel->page_bits = PAGE_BITS;
    return (env->hflags & HF_LMA_MASK) && !(env->hflags & HF_SMM_MASK);
}

/* Reading memory ignores privilege levels. */
static bool thread_as_kernel(CPUState *cs,
                             const struct vpmu_record_sample *sample,
                             int64_t hidden,
                             bool (*look)(VPMUReader *reader, void *opaque),
                             void *opaque)
{
    CPUX86State *env = cpu_env(cs);
    VPMUReader reader = { .cpu = cs };
    uint64_t was = env->cr[3];
    bool seen;

    RCU_READ_LOCK_GUARD();
    seen = look(&reader, opaque);
    if (!seen && (was & CR3_PROGRAMS)) {
        /* Everything else that reads this register holds the BQL. */
        BQL_LOCK_GUARD();
        env->cr[3] = was & ~CR3_PROGRAMS;
        reader = (VPMUReader) { .cpu = cs };
        seen = look(&reader, opaque);
        env->cr[3] = was;
    }
    return seen;
}

static void thread_as_program(CPUState *cs,
                              void (*look)(CPUState *cs, void *opaque),
                              void *opaque)
{
    look(cs, opaque);
}

const VPMUThreads x86_threads = {
    .kernel = thread_kernel,
    .as_kernel = thread_as_kernel,
    .as_program = thread_as_program,
};
