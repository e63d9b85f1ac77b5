/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_X86_CPUID_H
#define VPMU_X86_CPUID_H

#include <stdint.h>

#include "vpmu/decls.h"
#include "vpmu/x86/config.h"

VPMU_DECLS_BEGIN

/* The registers that a CPUID leaf returns. */
struct vpmu_x86_cpuid {
    uint32_t eax;
    uint32_t ebx;
    uint32_t ecx;
    uint32_t edx;
};

/**
 * vpmu_x86_cpuid() - the contents of a CPUID leaf for a configuration
 * @config: the configuration. vpmu_x86_config_check() accepts it.
 * @leaf: 0AH (Intel) or 8000_0022H (AMD).
 *
 * Return: the registers; all zero for any other leaf and for the other vendor's leaf.
 * Source: SDM volume 2A, CPUID; APM volume 3, appendix E.
 */
struct vpmu_x86_cpuid vpmu_x86_cpuid(const struct vpmu_x86_config *config, uint32_t leaf);

VPMU_DECLS_END

#endif
