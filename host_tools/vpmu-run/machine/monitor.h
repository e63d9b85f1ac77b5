/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_MONITOR_H
#define VPMU_RUN_MONITOR_H

#include <stdbool.h>

#include <stddef.h>

#include "failure.h"

/** monitor_save() - waits until the machine has stopped itself, and saves its state
 * @fd: our end of the monitor's socket, which is closed.
 * @state: descriptor, of the emulator, that it writes the state to.
 *
 * Return: 0, or -1 with an error; no text if the emulator has ended.
 */
int monitor_save(int fd, int state, struct failure *f);

/**
 * monitor_profile() - waits for a machine that is stopped, and continues it with a profile
 * @fd: of the monitor; stays open.
 * @profile: a file for the profile of programs, complete when the emulator has ended.
 * @calls: with calls.
 * @cost: @costs names of costs that are counted, too; see costs_names().
 */
int monitor_profile(int fd, int profile, bool calls, const char *const *cost, size_t costs,
                    struct failure *f);

#endif
