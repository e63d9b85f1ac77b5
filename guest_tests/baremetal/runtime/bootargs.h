/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNTIME_BOOTARGS_H
#define RUNTIME_BOOTARGS_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Reads a number from QEMU's -append, which the device tree holds: name=number pairs, separated by
 * commas. Returns false if the name is not there.
 */
bool bootarg(const char *name, uint64_t *value);

#endif
