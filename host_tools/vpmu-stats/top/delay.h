/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TOP_DELAY_H
#define TOP_DELAY_H

#include <argp.h>
#include <stdbool.h>

/* The time between two updates of top, in milliseconds. */
#define DELAY_MIN_MS 100

/**
 * delay_parse() - read the argument of -d
 * @state: of the parser, for an error.
 * @text: a number of seconds, 0.1 to 86400.
 *
 * Return: milliseconds.
 */
int delay_parse(struct argp_state *state, const char *text);

/**
 * delay_choose() - choose between -d and -I, which exclude each other
 * @state: of the parser, for an error.
 * @delay: of -d, in milliseconds, or 0.
 * @interval: of -I, in milliseconds, or 0.
 *
 * Return: milliseconds, 2000 if both are 0.
 */
int delay_choose(struct argp_state *state, int delay, int interval);

/**
 * delay_change() - double or halve the time, within 0.1 seconds to an hour
 * @delay: milliseconds.
 * @slower: whether to double it.
 *
 * Return: milliseconds; @delay if the new time would be outside these limits.
 */
int delay_change(int delay, bool slower);

#endif
