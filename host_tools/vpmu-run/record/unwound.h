/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_UNWOUND_H
#define VPMU_RUN_UNWOUND_H

#include "profile/code-maps.h"
#include "record/raw.h"
#include "symbols/guest-files.h"

/**
 * unwound_chains() - replaces the call chains of programs by those that their stacks contain
 * @maps: the mappings of all processes, settled.
 * @files: their files.
 * @machine: e_machine.
 *
 * Return: 0, or -1 if there is no memory.
 */
int unwound_chains(struct raw *raw, const struct code_maps *maps, struct guest_files *files,
                   unsigned machine);

#endif
