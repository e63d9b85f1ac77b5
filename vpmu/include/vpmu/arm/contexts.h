/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ARM_CONTEXTS_H
#define VPMU_ARM_CONTEXTS_H

#include "vpmu/arm/sources.h"
#include "vpmu/count.h"
#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

/*
 * A context of an Arm PE is the exception level and security state in which an instruction runs.
 * The machine keeps a total for each context, so a filter only selects which totals a counter sums.
 * This header numbers the contexts of Arm. Those of another architecture are numbered in its own
 * header.
 */
enum vpmu_security {
    VPMU_SECURE,
    VPMU_NONSECURE,
    VPMU_REALM,
};

#define VPMU_CTX_EL3 9u

#define VPMU_CTX_COUNT 10u

VPMU_STATIC_ASSERT(VPMU_CTX_EL3 + 1 == VPMU_CTX_COUNT, "contexts of Arm");
VPMU_STATIC_ASSERT(VPMU_CTX_COUNT <= VPMU_CTX_LIMIT, "there is room for the contexts of Arm");

/*
 * The number of totals from one context to the next. It must not be 128, which is 1 KiB: guests
 * that count instructions then took 1.2 to 1.7 times as long (docs/notes/performance.md).
 */
#define VPMU_SRC_ROW 136u

VPMU_STATIC_ASSERT(VPMU_SRC_COUNT <= VPMU_SRC_ROW, "a row has all sources");

/* Totals of an Arm PE, with the rules of struct vpmu_table. */
struct vpmu_arm_totals {
    uint64_t n[VPMU_CTX_COUNT][VPMU_SRC_ROW];
};

/**
 * vpmu_arm_table() - the totals of an Arm PE, as vpmu/model.h and vpmu/count.h have them
 * @totals: the totals.
 *
 * Return: where they are, and how many.
 */
static inline struct vpmu_table vpmu_arm_table(struct vpmu_arm_totals *totals)
{
    struct vpmu_table table = {totals->n[0], VPMU_CTX_COUNT, VPMU_SRC_COUNT, VPMU_SRC_ROW};

    return table;
}

/* The value of vpmu_arm_ctx() as a constant expression. */
#define VPMU_CTX(el, security) ((el) == 3 ? VPMU_CTX_EL3 : (unsigned)(security)*3u + (el))

/*
 * Masks of contexts: an exception level in all security states; a security state without EL3; all.
 */
#define VPMU_CTXS_AT(el)                                                                           \
    (1u << VPMU_CTX(el, VPMU_SECURE) | 1u << VPMU_CTX(el, VPMU_NONSECURE) |                        \
     1u << VPMU_CTX(el, VPMU_REALM))
#define VPMU_CTXS_OF(security) (7u << VPMU_CTX(0, security))
#define VPMU_CTXS_ALL ((1u << VPMU_CTX_COUNT) - 1)

/**
 * vpmu_arm_ctx() - the number of a context
 * @el: the exception level, 0 to 3.
 * @security: the security state. Ignored at EL3, which is Secure, or Root with FEAT_RME.
 *
 * Return: 0 to VPMU_CTX_COUNT - 1.
 */
static inline unsigned vpmu_arm_ctx(unsigned el, enum vpmu_security security)
{
    return VPMU_CTX(el, security);
}

/**
 * vpmu_arm_ctx_name() - the name of a context
 * @ctx: 0 to VPMU_CTX_COUNT - 1.
 *
 * Return: a constant: the exception level, "el0" to "el3", with the prefix "secure-" or "realm-" in
 * these states; NULL if there is no such context.
 */
const char *vpmu_arm_ctx_name(unsigned ctx);

VPMU_DECLS_END

#endif
