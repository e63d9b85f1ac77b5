/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_REFUSE_H
#define VPMU_REFUSE_H

#include <stddef.h>

/*
 * Returns 0 if @fault is NULL. Otherwise returns -@error, and sets *@why to the fault unless @why
 * is NULL.
 */
static inline int vpmu_refuse_(const char *fault, int error, const char **why)
{
    if (fault && why) {
        *why = fault;
    }
    return fault ? -error : 0;
}

#endif
