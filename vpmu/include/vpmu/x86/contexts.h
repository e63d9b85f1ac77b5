/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_X86_CONTEXTS_H
#define VPMU_X86_CONTEXTS_H

#include "vpmu/count.h"

/*
 * Where an instruction runs: at CPL 0 or above, in the host or in a guest of SVM; or in System
 * Management Mode. It is the first index of struct vpmu_totals.
 */
enum vpmu_x86_ctx {
    VPMU_X86_CTX_USER,
    VPMU_X86_CTX_KERNEL,
    VPMU_X86_CTX_GUEST_USER,
    VPMU_X86_CTX_GUEST_KERNEL,
    VPMU_X86_CTX_SMM,
    VPMU_X86_CTX_COUNT,
};

/**
 * vpmu_x86_ctx_name() - the name of a context
 * @ctx: enum vpmu_x86_ctx, any value.
 *
 * Return: a constant in lower case, such as "guest-kernel"; NULL if there is no such context.
 */
const char *vpmu_x86_ctx_name(unsigned ctx);

#endif
