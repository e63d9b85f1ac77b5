/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNTIME_BOOTARGS_H
#define RUNTIME_BOOTARGS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * QEMU's -append, as it stands in the device tree: name=number pairs, separated by commas.
 * Returns false if there is no such name.
 */
bool bootarg(const char *name, uint64_t *value);

#endif
