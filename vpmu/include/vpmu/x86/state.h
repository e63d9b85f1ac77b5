/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_X86_STATE_H
#define VPMU_X86_STATE_H

#include <stddef.h>
#include <stdint.h>

#include "vpmu/decls.h"
#include "vpmu/x86/pmu.h"

VPMU_DECLS_BEGIN

/*
 * The size of a saved state in bytes. The layout is fixed, little-endian, and described in
 * src/x86/x86_state.c.
 */
#define VPMU_X86_STATE_SIZE 624

/**
 * vpmu_x86_state_save() - save the state of a PMU
 * @v: the PMU. It is settled first. A counter's surplus (see struct vpmu_table) is not saved.
 * @buf: memory for the state.
 * @len: the size of @buf in bytes, at least VPMU_X86_STATE_SIZE.
 * @now: what the clocks show; NULL unless vpmu_x86_needs_time().
 *
 * Return: a mask of enum vpmu_due, or -VPMU_ERR_SPACE with @v and @buf unchanged.
 */
int vpmu_x86_state_save(struct vpmu_x86 *v, void *buf, size_t len, const struct vpmu_now *now);

/**
 * vpmu_x86_state_load() - load a saved state
 * @v: a PMU with the configuration of the saved one, except that it may have more sources. Before
 *     this call, the caller calls vpmu_x86_set_controls() and vpmu_x86_set_context() for the
 *     processor's state: a counter that does not count in the current context forgets whether its
 *     condition was true in the previous cycle.
 * @buf: the saved state. It is not trusted.
 * @len: the size of @buf in bytes.
 * @now: as for vpmu_x86_reset().
 * @why: is set to the reason if the state is refused; may be NULL.
 *
 * Return: a mask of enum vpmu_due, or -VPMU_ERR_STATE with @v unchanged.
 */
int vpmu_x86_state_load(struct vpmu_x86 *v, const void *buf, size_t len, const struct vpmu_now *now,
                        const char **why);

VPMU_DECLS_END

#endif
