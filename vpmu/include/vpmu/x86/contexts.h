/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_X86_CONTEXTS_H
#define VPMU_X86_CONTEXTS_H

#include "vpmu/count.h"
#include "vpmu/decls.h"
#include "vpmu/x86/sources.h"

VPMU_DECLS_BEGIN

/*
 * Where an instruction runs: at CPL 0 or above, in the host or in a guest of SVM; or in System
 * Management Mode. It is the first index of struct vpmu_x86_totals.
 */
enum vpmu_x86_ctx {
    VPMU_X86_CTX_USER,
    VPMU_X86_CTX_KERNEL,
    VPMU_X86_CTX_GUEST_USER,
    VPMU_X86_CTX_GUEST_KERNEL,
    VPMU_X86_CTX_SMM,
    VPMU_X86_CTX_COUNT,
};

/* Totals of an x86 processor, with the rules of struct vpmu_table. */
struct vpmu_x86_totals {
    uint64_t n[VPMU_X86_CTX_COUNT][VPMU_X86_SRC_COUNT];
};

/**
 * vpmu_x86_table() - the totals of an x86 processor, as vpmu/model.h and vpmu/count.h have them
 * @totals: the totals.
 *
 * Return: where they are, and how many.
 */
static inline struct vpmu_table vpmu_x86_table(struct vpmu_x86_totals *totals)
{
    struct vpmu_table table = {totals->n[0], VPMU_X86_CTX_COUNT, VPMU_X86_SRC_COUNT,
                               VPMU_X86_SRC_COUNT};

    return table;
}

/**
 * vpmu_x86_ctx_name() - the name of a context
 * @ctx: enum vpmu_x86_ctx, any value.
 *
 * Return: a constant in lower case, such as "guest-kernel"; NULL if there is no such context.
 */
const char *vpmu_x86_ctx_name(unsigned ctx);

VPMU_DECLS_END

#endif
