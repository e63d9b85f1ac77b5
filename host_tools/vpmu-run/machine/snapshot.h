/* SPDX-License-Identifier: GPL-2.0-or-later */
/* States of machines that have started, in the cache. */
#ifndef VPMU_RUN_SNAPSHOT_H
#define VPMU_RUN_SNAPSHOT_H

#include "machine/emulator.h"

/**
 * snapshot_open() - opens the state of a started machine, and makes it first if there is none
 * The state depends on the emulator, the kernel and the machine only. Each run continues from it,
 * also the first one, so that all runs count the same.
 * @e: unpacked and type are set.
 *
 * Return: a descriptor that an emulator inherits, or -1 with an error.
 */
int snapshot_open(struct emulator *e, struct failure *f);

/** snapshot_discard() - removes the state that snapshot_open() has opened: it is damaged */
void snapshot_discard(const struct emulator *e);

#endif
