/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ARM_ATTR_H
#define VPMU_ARM_ATTR_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/decls.h"
#include "vpmu/errors.h"

VPMU_DECLS_BEGIN

/* Where the kernel that opens an event runs. */
enum vpmu_host_mode {
    VPMU_HOST_VHE,   /* the host's kernel runs at EL2 (HCR_EL2.E2H and TGE) */
    VPMU_HOST_NVHE,  /* the host's kernel runs at EL1, a hypervisor at EL2 */
    VPMU_HOST_GUEST, /* a guest's kernel runs at EL1 and has no guests of its own */
};

/**
 * struct vpmu_attr - what an event does not count; the fields of these names of perf_event_attr
 * @exclude_user: do not count EL0.
 * @exclude_kernel: do not count the kernel: EL1, and EL2 of a VHE host.
 * @exclude_hv: do not count EL2 of an nVHE host. A VHE host ignores it; a guest never counts EL2.
 * @exclude_host: count guests only.
 * @exclude_guest: do not count guests.
 * @exclude_idle: refused, because no PMU can filter by it.
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
 * struct vpmu_plan - how the hardware is set up for an attribute
 * @filter: bits of PMEVTYPER<n>_EL0: P, U and NSH.
 * @host: the counter counts the host only. It belongs to the host counters of struct vpmu_switch.
 * @guest: the counter counts guests only. It belongs to the guest counters of struct vpmu_switch.
 * @deferred: starting the event does not enable the counter; entering a guest does.
 *
 * If neither @host nor @guest is set, the switch does not touch the counter.
 */
struct vpmu_plan {
    uint64_t filter;
    bool host;
    bool guest;
    bool deferred;
};

/**
 * vpmu_arm_attr_plan() - compile an attribute into filter bits and switch masks
 * @mode: where the kernel runs.
 * @attr: what the event excludes.
 * @plan: is filled in on success; unchanged otherwise.
 * @why: is set to the reason if the attribute is refused; may be NULL.
 *
 * Return: 0, or -VPMU_ERR_ATTR.
 * Source: Linux, Documentation/arch/arm64/perf.rst, armv8pmu_set_event_filter() and
 * kvm_set_pmu_events().
 */
int vpmu_arm_attr_plan(enum vpmu_host_mode mode, const struct vpmu_attr *attr,
                       struct vpmu_plan *plan, const char **why);

VPMU_DECLS_END

#endif
