/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_FILTER_RULE_H
#define TESTS_FILTER_RULE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/level.h"

enum security {
    NON_SECURE,
    SECURE,
    REALM
};

bool has_realm(void);

/*
 * Returns whether PMEVTYPER's filter bits let events of a level be counted (CountPMUEvents(),
 * J1.3.1).
 */
bool filter_counts(uint64_t type, enum level level, enum security security);

/* The filter bits that exist on this machine; the others are RES0. */
uint64_t filter_bits(void);

#endif
