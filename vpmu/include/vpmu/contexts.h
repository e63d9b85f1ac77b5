/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_CONTEXTS_H
#define VPMU_CONTEXTS_H

#include "vpmu/count.h"

/*
 * A context of an Arm PE is where an instruction runs: an exception level in a security state.
 * Totals are kept for each, so that a filter only selects which of them a counter sums. They are
 * numbered here, and nowhere else: those of another architecture, in its own header.
 */
enum vpmu_security {
    VPMU_SECURE,
    VPMU_NONSECURE,
    VPMU_REALM,
};

#define VPMU_CTX_EL3 9u

_Static_assert(VPMU_CTX_EL3 + 1 == VPMU_CTX_COUNT, "there is room for the contexts of Arm");

/* vpmu_ctx() as a constant. */
#define VPMU_CTX(el, security) ((el) == 3 ? VPMU_CTX_EL3 : (unsigned)(security)*3u + (el))

/* Masks of contexts: of an exception level in all states; of a state, without EL3; of all. */
#define VPMU_CTXS_AT(el)                                                                           \
    (1u << VPMU_CTX(el, VPMU_SECURE) | 1u << VPMU_CTX(el, VPMU_NONSECURE) |                        \
     1u << VPMU_CTX(el, VPMU_REALM))
#define VPMU_CTXS_OF(security) (7u << VPMU_CTX(0, security))
#define VPMU_CTXS_ALL ((1u << VPMU_CTX_COUNT) - 1)

/**
 * vpmu_ctx() - the number of a context
 * @el: exception level, 0 to 3.
 * @security: security state; of no account at EL3, which is Secure, or Root with FEAT_RME.
 */
static inline unsigned vpmu_ctx(unsigned el, enum vpmu_security security)
{
    return VPMU_CTX(el, security);
}

/**
 * vpmu_ctx_name() - a name for a context
 * @ctx: 0 to VPMU_CTX_COUNT - 1.
 *
 * Return: a constant: the exception level, "el0" to "el3", after "secure-" or "realm-" where it is
 * one of these; NULL if there is no such context.
 */
const char *vpmu_ctx_name(unsigned ctx);

#endif
