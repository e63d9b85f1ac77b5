/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_DEMANGLE_H
#define VPMU_STATS_DEMANGLE_H

#include "symbols/functions.h"

/** demangle_off() - show all names as the files have them from now on */
void demangle_off(void);

/**
 * demangle_name() - get the name of a function in C++ or Rust as the source has it
 *
 * As in perf, there are no parameters: app::Table<long>::scan.
 *
 * Return: the name, which is valid as long as the function; its own name if it is not mangled, or
 * if there is no memory.
 */
const char *demangle_name(const struct function *f);

/**
 * demangle_signature() - get the name of a function in C++ with its parameters
 *
 * As in valgrind, two functions that differ in their parameters have two names. Names in Rust are
 * those of demangle_name().
 *
 * Return: as demangle_name().
 */
const char *demangle_signature(const struct function *f);

#endif
