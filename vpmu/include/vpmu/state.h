/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_STATE_H
#define VPMU_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "vpmu/pmu.h"

/* Bytes of a saved state. The layout is fixed, little-endian, and described in src/arm/state.c. */
#define VPMU_STATE_SIZE 1196

/**
 * vpmu_state_save() - write down the state of a PMU
 * @v: is settled first. What counters owe (struct vpmu_totals) is not part of the state.
 * @buf: at least VPMU_STATE_SIZE bytes.
 * @len: how many there are.
 *
 * Return: 0, or -VPMU_ERR_SPACE with @buf untouched.
 */
int vpmu_state_save(struct vpmu *v, void *buf, size_t len);

/**
 * vpmu_state_load() - take over a saved state
 * @v: a PMU of the same configuration as the saved one. vpmu_set_controls() and
 *     vpmu_set_context() must be called for the state of the PE that goes with it, before or after;
 *     before, if the PMU counts edges: a counter that does not count where the PE is taken to be
 *     forgets the cycle before.
 * @buf: the bytes, from whomever: nothing in them is trusted.
 * @len: how many there are.
 * @why: if not NULL and the state is refused, is set to a sentence that says why.
 *
 * Calls vpmu_ops.irq if the line differs, and vpmu_ops.rearm.
 *
 * Return: 0, or -VPMU_ERR_STATE with @v as it was.
 */
int vpmu_state_load(struct vpmu *v, const void *buf, size_t len, const char **why);

#endif
