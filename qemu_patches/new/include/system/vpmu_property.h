/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Properties of CPUs that configure their PMUs, with and without the library
 */

#ifndef SYSTEM_VPMU_PROPERTY_H
#define SYSTEM_VPMU_PROPERTY_H

#include "hw/core/cpu.h"
#include "qapi/error.h"

/* A CPU that has been realized has its PMU: a property would do nothing. */
static inline bool vpmu_property_may_change(Object *cpu, const char *name,
                                            Error **errp)
{
    if (DEVICE(cpu)->realized) {
        error_setg(errp, "'%s' cannot be set any more: the CPU has been "
                   "created", name);
        return false;
    }
    return true;
}

#endif
