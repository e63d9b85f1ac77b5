/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_STATE_CLOCK_H
#define VPMU_RUN_STATE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#include "failure.h"

/**
 * state_clock_settle() - makes the virtual clock in a saved state independent of the host
 * @state: what QEMU's migration has written, @size bytes.
 *
 * Under icount, the clock is the number of executed instructions and a bias: the time that the
 * machine was idle. QEMU has two threads when a machine stops itself. If the CPU's thread is first,
 * the main thread takes the stopped CPU for an idle one and adds the time until the next timer. So
 * the bias becomes the next whole second, as if the machine had been idle until then.
 *
 * Return: 0, or -1 if the state has no bias.
 */
int state_clock_settle(unsigned char *state, size_t size);

/** state_clock_settle_file() - does the same for a file in memory */
int state_clock_settle_file(int fd, struct failure *f);

#endif
