/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ATTR_H
#define VPMU_ATTR_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/errors.h"

/* Where the kernel that asks for an event runs. */
enum vpmu_host_mode {
    VPMU_HOST_VHE,   /* a host's kernel, at EL2 (HCR_EL2.E2H and TGE) */
    VPMU_HOST_NVHE,  /* a host's kernel, at EL1, with a hypervisor at EL2 */
    VPMU_HOST_GUEST, /* a guest's kernel, at EL1: it has no guests of its own */
};

/**
 * struct vpmu_attr - what is not to be counted; the fields of that name of Linux's perf_event_attr
 * @exclude_user: EL0.
 * @exclude_kernel: the kernel: EL1, and EL2 of a VHE host.
 * @exclude_hv: EL2 of an nVHE host; a VHE host ignores it, a guest never counts EL2.
 * @exclude_host: everything but guests.
 * @exclude_guest: guests.
 * @exclude_idle: there is no such filter: refused.
 */
struct vpmu_attr {
    bool exclude_user;
    bool exclude_kernel;
    bool exclude_hv;
    bool exclude_host;
    bool exclude_guest;
    bool exclude_idle;
};

/**
 * struct vpmu_plan - what an attribute comes down to
 * @filter: bits of PMEVTYPER<n>_EL0: P, U and NSH.
 * @host: the counter counts the host alone: it is one of struct vpmu_switch's host counters.
 * @guest: it counts guests alone: one of the guest counters.
 * @deferred: starting the event does not enable the counter; entering a guest does.
 *
 * Neither @host nor @guest: the switch leaves the counter alone.
 */
struct vpmu_plan {
    uint64_t filter;
    bool host;
    bool guest;
    bool deferred;
};

/**
 * vpmu_attr_plan() - compile an attribute
 * @mode: one of enum vpmu_host_mode.
 * @attr: what is to be excluded.
 * @plan: is filled in on success, and left alone otherwise.
 * @why: if not NULL and the attribute is refused, is set to a sentence that says why.
 *
 * Context: any; touches nothing else.
 * Return: 0, or -VPMU_ERR_ATTR.
 * Source: Linux, Documentation/arch/arm64/perf.rst, armv8pmu_set_event_filter() and
 * kvm_set_pmu_events().
 */
int vpmu_attr_plan(enum vpmu_host_mode mode, const struct vpmu_attr *attr, struct vpmu_plan *plan,
                   const char **why);

#endif
