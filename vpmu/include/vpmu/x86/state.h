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
#define VPMU_X86_STATE_SIZE 530
/* The size of a state in which MSR_PEBS_LD_LAT_THRESHOLD is not 0. */
#define VPMU_X86_STATE_SIZE_LOAD_LATENCY 538
/* The size of the state of a PMU with VPMU_X86_HAS_METRICS. */
#define VPMU_X86_STATE_SIZE_METRICS 578
/* The size of the state of a PMU with PEBS format 4, and the largest. */
#define VPMU_X86_STATE_SIZE_BASELINE 594
#define VPMU_X86_STATE_SIZE_MAX VPMU_X86_STATE_SIZE_BASELINE
/* The size of a state of version 2, which is loaded, too. */
#define VPMU_X86_STATE_SIZE_2 524

/**
 * vpmu_x86_state_size() - the size of the largest state that a PMU saves
 * @config: the configuration of the PMU.
 *
 * Return: VPMU_X86_STATE_SIZE, VPMU_X86_STATE_SIZE_LOAD_LATENCY, VPMU_X86_STATE_SIZE_METRICS or
 *     VPMU_X86_STATE_SIZE_BASELINE. The size of a saved state is vpmu_x86_state_saved_size().
 */
size_t vpmu_x86_state_size(const struct vpmu_x86_config *config);

/**
 * vpmu_x86_state_saved_size() - the size that a saved state says it has
 * @buf: at least VPMU_X86_STATE_SIZE_2 bytes. They are not trusted.
 *
 * Return: any number up to UINT16_MAX. vpmu_x86_state_load() checks it.
 */
size_t vpmu_x86_state_saved_size(const void *buf);

/**
 * vpmu_x86_state_save() - save the state of a PMU
 * @v: the PMU. It is settled first. A counter's surplus (see struct vpmu_table) is not saved.
 * @buf: memory for the state.
 * @len: the size of @buf in bytes, at least vpmu_x86_state_size().
 * @now: what the clocks show; NULL unless vpmu_x86_needs_time().
 *
 * Return: a mask of enum vpmu_due, or -VPMU_ERR_SPACE with @v and @buf unchanged.
 */
int vpmu_x86_state_save(struct vpmu_x86 *v, void *buf, size_t len, const struct vpmu_now *now);

/**
 * vpmu_x86_state_load() - load a saved state
 * @v: a PMU with the configuration of the saved one. It may have VPMU_X86_HAS_METRICS in addition;
 *     and PEBS of format 4 if the saved one had no PEBS, which may have had an earlier version of
 *     Intel's performance monitoring then. If the version of the state is 2, family and detector
 *     may be any, and there may be more sources. Before this call, the caller calls
 *     vpmu_x86_set_controls() and vpmu_x86_set_context() for the processor's state: a counter that
 *     does not count in the current context forgets whether its condition was true in the previous
 *     cycle.
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
