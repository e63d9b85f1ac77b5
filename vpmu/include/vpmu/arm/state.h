/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ARM_STATE_H
#define VPMU_ARM_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "vpmu/arm/pmu.h"
#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

/*
 * The size of a saved state in bytes. The layout is fixed, little-endian, and described in
 * src/arm/state.c.
 */
#define VPMU_STATE_SIZE 1212

/**
 * vpmu_arm_state_save() - save the state of a PMU
 * @v: the PMU. It is settled first. A counter's surplus (see struct vpmu_table) is not saved.
 * @buf: memory for the state.
 * @len: the size of @buf in bytes, at least VPMU_STATE_SIZE.
 * @now: what the clocks show; NULL unless vpmu_arm_needs_time().
 *
 * Return: a mask of enum vpmu_due, or -VPMU_ERR_SPACE with @v and @buf unchanged.
 */
int vpmu_arm_state_save(struct vpmu_arm *v, void *buf, size_t len, const struct vpmu_now *now);

/**
 * vpmu_arm_state_load() - load a saved state
 * @v: a PMU with the configuration of the saved one, except that it may have more sources. Before
 *     or after this call, the caller also calls vpmu_arm_set_controls() and vpmu_arm_set_context()
 * for the PE's state. If the PMU counts edges, it must do so before: a counter that does not count
 * in the PE's current context forgets the previous cycle.
 * @buf: the saved state. It is not trusted.
 * @len: the size of @buf in bytes.
 * @now: as for vpmu_arm_reset().
 * @why: is set to the reason if the state is refused; may be NULL.
 *
 * Return: a mask of enum vpmu_due, or -VPMU_ERR_STATE with @v unchanged.
 */
int vpmu_arm_state_load(struct vpmu_arm *v, const void *buf, size_t len, const struct vpmu_now *now,
                        const char **why);

/**
 * vpmu_arm_state_counters() - how many event counters a saved state has
 * @buf: the saved state. It is not trusted.
 * @len: the size of @buf in bytes.
 *
 * The result is the argument of vpmu_arm_set_counters(). vpmu_arm_state_load() checks the rest of
 * the state.
 *
 * Return: 0 to VPMU_MAX_EVENT_COUNTERS, or -VPMU_ERR_STATE if this is no saved state.
 */
int vpmu_arm_state_counters(const void *buf, size_t len);

VPMU_DECLS_END

#endif
