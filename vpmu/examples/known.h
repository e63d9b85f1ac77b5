/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_EXAMPLES_KNOWN_H
#define VPMU_EXAMPLES_KNOWN_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>

/* Prints a count beside the known one. Returns whether they differ. */
static inline bool differs(const char *what, uint64_t known, uint64_t counted)
{
    printf("%-32s counted %5" PRIu64 ", known %5" PRIu64 "%s\n", what, counted, known,
           counted == known ? "" : ": not so");
    return counted != known;
}

#endif
