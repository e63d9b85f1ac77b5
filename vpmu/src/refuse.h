/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_REFUSE_H
#define VPMU_REFUSE_H

#include <stddef.h>

/*
 * What a function that can be refused returns: 0 if there is no fault, otherwise an error, and *why
 * is the fault if the caller wants to know.
 */
static inline int vpmu_refuse_(const char *fault, int error, const char **why)
{
    if (fault && why) {
        *why = fault;
    }
    return fault ? -error : 0;
}

#endif
