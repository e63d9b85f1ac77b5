/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_DECODE_H
#define VPMU_STATS_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "machine/machine.h"

/* Room for any of these, with its end. */
#define DECODE_SIZE 96

/**
 * decode_levels() - where a counter counts: "EL0 EL1 S-EL0", or "nowhere"
 * @type: PMEVTYPER, PMCCFILTR or PMICFILTR (Arm ARM D24.5.10).
 *
 * EL0 to EL2 are Non-secure, S- is Secure, RL- is Realm. Secure and Realm levels are left out where
 * they are as the Non-secure ones. Return: @buf, which has DECODE_SIZE bytes.
 */
const char *decode_levels(char *buf, uint64_t type);

/**
 * decode_modifiers() - what perf writes behind an event that counts so: "", ":u", ":uk"
 *
 * In the words of a kernel at EL1; "" if all levels count, or none.
 */
const char *decode_modifiers(char *buf, uint64_t type);

/**
 * decode_counter_levels() - decode_levels() of a counter of any architecture
 *
 * On x86: "user", "kernel", "user kernel" or "nowhere". Return: @buf, which has DECODE_SIZE bytes.
 */
const char *decode_counter_levels(char *buf, const struct counter *c);

/** decode_counter_modifiers() - decode_modifiers() of a counter of any architecture */
const char *decode_counter_modifiers(char *buf, const struct counter *c);

/** decode_event() - an event's name, or "0x1234" if it has none that anybody knows; tame */
const char *decode_event(char *buf, const struct counter *c);

#endif
