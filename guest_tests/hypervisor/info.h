/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HYPERVISOR_INFO_H
#define HYPERVISOR_INFO_H

#include <stdint.h>

/*
 * Lines in addition to the results, for a script that compares them with what a meter outside has
 * measured:
 *     INFO <name>[.<name>...] <number> | INFO <name>[.<name>...] <key>=<number> ...
 *     MARK <name>
 */

/* Always in decimal. */
void info_number(uint64_t n);

/**
 * mark() - a moment at which a script may read the meter
 *
 * Prints its name, which has three parts. If the boot argument "marks" exists and is not 0, it
 * waits in a WFI for a byte from the console, so that nothing is executed while the script reads.
 * What is executed from there to the next mark's WFI is always the same.
 */
void mark(const char *mode, const char *name, const char *when);

#endif
