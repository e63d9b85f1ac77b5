/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef HYPERVISOR_INFO_H
#define HYPERVISOR_INFO_H

#include <stdint.h>

/*
 * Lines beside the results, for a script that compares them with what a meter outside has measured:
 *   INFO <name>[.<name>...] <number> | INFO <name>[.<name>...] <key>=<number> ...
 *   MARK <name>
 */

/* In decimal, always. */
void info_number(uint64_t n);

/**
 * mark() - a moment at which the outside may look
 *
 * Prints its name, which is in three parts. If there is a boot argument "marks" that is not 0,
 * waits in a WFI for a byte from the console, so that nothing is executed while somebody looks;
 * what is executed from there to the next mark's WFI is always the same.
 */
void mark(const char *mode, const char *name, const char *when);

#endif
