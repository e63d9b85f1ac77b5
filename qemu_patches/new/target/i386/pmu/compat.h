/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU's files are the same for all supported versions of QEMU.  This file
 * includes headers that an older version has in another place.
 */

#ifndef TARGET_I386_PMU_COMPAT_H
#define TARGET_I386_PMU_COMPAT_H

#if QEMU_VERSION_MAJOR < 11
#define singlestep_flags singlestep_enabled
#else
#include "accel/tcg/cpu-loop.h"
#endif

#if QEMU_VERSION_MAJOR == 10 && QEMU_VERSION_MINOR == 0
#include "exec/exec-all.h"

static inline bool cpu_test_interrupt(CPUState *cpu, int mask)
{
    return qatomic_read(&cpu->interrupt_request) & mask;
}

static inline bool x86_cpu_is_max(X86CPU *cpu)
{
    return cpu->max_features;
}

static inline const CPUCaches *x86_guest_caches(const CPUX86State *env,
                                                bool amd)
{
    return amd ? &env->cache_info_amd : &env->cache_info_cpuid4;
}

static inline void x86_set_guest_caches(CPUX86State *env,
                                        const CPUCaches *caches)
{
    env->cache_info_cpuid2 = *caches;
    env->cache_info_cpuid4 = *caches;
    env->cache_info_amd = *caches;
}
#else
#include "accel/tcg/probe.h"
#include "exec/target_page.h"
#include "exec/tlb-flags.h"

static inline bool x86_cpu_is_max(X86CPU *cpu)
{
    return X86_CPU_GET_CLASS(cpu)->max_features;
}

static inline const CPUCaches *x86_guest_caches(const CPUX86State *env,
                                                bool amd)
{
    return &env->cache_info;
}

static inline void x86_set_guest_caches(CPUX86State *env,
                                        const CPUCaches *caches)
{
    env->cache_info = *caches;
    env->enable_legacy_cpuid2_cache = false;
    env->enable_legacy_vendor_cache = false;
}
#endif

#endif
