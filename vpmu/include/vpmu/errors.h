/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ERRORS_H
#define VPMU_ERRORS_H

/*
 * Every function of the library that can fail returns 0 or one of these, negated. Functions that
 * can also say why take a `const char **why`, which may be NULL; the text is a constant.
 */
enum {
    /* The configuration describes a PMU that cannot exist. */
    VPMU_ERR_CONFIG = 1,
    /* No such register in this configuration, or not readable, or not writable. */
    VPMU_ERR_REG,
    /* A saved state is damaged, truncated, of another version or of another configuration. */
    VPMU_ERR_STATE,
    /* The caller's buffer is too small. */
    VPMU_ERR_SPACE,
    /* perf_event_attr asks for what no PMU can filter. */
    VPMU_ERR_ATTR,
    /* The switch between host and guest was called out of turn, or for counters it cannot have. */
    VPMU_ERR_SWITCH,
    /* What an observer is to count cannot be understood, or is not counted here. */
    VPMU_ERR_EVENT,
    /* The PMU has no watch, which observers and the meter need; or has the observer already. */
    VPMU_ERR_WATCH,
};

#endif
