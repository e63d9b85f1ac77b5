/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_DECODE_H
#define VPMU_STATS_DECODE_H

#include <stddef.h>
#include <stdint.h>

#include "machine/machine.h"

/* The size of the buffer of all functions below, including the final NUL. */
#define DECODE_SIZE 96

/**
 * decode_levels() - list the exception levels where an Arm counter counts, such as "EL0 EL1 S-EL0"
 * @buf: a buffer of DECODE_SIZE bytes.
 * @type: the value of PMEVTYPER, PMCCFILTR or PMICFILTR (Arm ARM D24.5.10).
 *
 * EL0 to EL2 are Non-secure levels, "S-" means Secure, "RL-" means Realm. Secure and Realm levels
 * are left out if they are the same as the Non-secure ones. If there is no level, the list is
 * "nowhere".
 *
 * Return: @buf.
 */
const char *decode_levels(char *buf, uint64_t type);

/**
 * decode_modifiers() - get the event modifiers of perf for an Arm counter: "", ":u", ":uk"
 * @buf: a buffer of DECODE_SIZE bytes.
 * @type: as for decode_levels().
 *
 * The letters u, k and h are the Non-secure levels EL0, EL1 and EL2, as for a kernel at EL1. The
 * result is "" if all or none of them count.
 *
 * Return: @buf.
 */
const char *decode_modifiers(char *buf, uint64_t type);

/**
 * decode_counter_levels() - list where a counter of any architecture counts
 * @buf: a buffer of DECODE_SIZE bytes.
 * @c: the counter.
 *
 * The list is that of decode_levels(). On x86 it is "user", "kernel", "user kernel" or "nowhere".
 *
 * Return: @buf.
 */
const char *decode_counter_levels(char *buf, const struct counter *c);

/** decode_counter_modifiers() - decode_modifiers() for a counter of any architecture */
const char *decode_counter_modifiers(char *buf, const struct counter *c);

/**
 * decode_event() - get the name of a counter's event, safe to print on a terminal
 * @buf: a buffer of DECODE_SIZE bytes.
 * @c: the counter.
 *
 * Return: @buf. It has the number, such as "0x1234", if neither the machine nor vpmu knows a name.
 */
const char *decode_event(char *buf, const struct counter *c);

#endif
