/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ERRORS_H
#define VPMU_ERRORS_H

/*
 * Errors. A function that can fail returns one of these codes, negated, and otherwise 0 or a mask.
 * A function that can also give the reason takes a `const char **why`. If @why is not NULL and the
 * call fails, *@why is set to a constant sentence.
 *
 * Calling context. The comment of a function says so if anything else applies:
 *
 * - Any thread may call the function, at any exception level or CPL, with interrupts enabled or
 *   not. It does not block, allocate memory or access hardware.
 * - The caller serialises calls on the same object (a struct vpmu_arm, a model, a switch). Calls on
 *   different objects need no lock. Calls whose pointers to the object are all const may run in
 *   parallel.
 * - Pointers must not be NULL.
 * - A function that takes a non-const PMU returns what the machine must do: a mask of enum vpmu_due
 *   (vpmu/count.h), which is not negative. The library never calls the machine.
 */
enum {
    /* The configuration describes a PMU that cannot exist. */
    VPMU_ERR_CONFIG = 1,
    /* The register does not exist in this configuration, or does not allow the access. */
    VPMU_ERR_REG,
    /* A saved state is damaged or truncated, or has another version or configuration. */
    VPMU_ERR_STATE,
    /* The caller's buffer is too small. */
    VPMU_ERR_SPACE,
    /* The attribute requests a filter that no PMU has. */
    VPMU_ERR_ATTR,
    /* A call of the switch is out of order, or names counters that cannot be switched. */
    VPMU_ERR_SWITCH,
    /* An observer's event cannot be parsed, or this PMU does not count it. */
    VPMU_ERR_EVENT,
    /* The PMU has no watch, which observers and the meter need; or already has the observer. */
    VPMU_ERR_WATCH,
};

#endif
