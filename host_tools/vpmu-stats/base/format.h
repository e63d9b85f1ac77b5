/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_FORMAT_H
#define VPMU_STATS_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for any of these, with its end. */
#define FORMAT_SIZE 32

/** format_tame() - makes a text safe for a terminal: what is no character becomes question marks */
void format_tame(char *text);

/**
 * format_fit() - a text in so many columns of a terminal: its end is cut off, or blanks are added
 * @buf: of @size bytes; 4 for each column, and one, are enough.
 * @text: tame. What the locale cannot show becomes question marks.
 *
 * Return: @buf.
 */
const char *format_fit(char *buf, size_t size, const char *text, int columns);

/** format_grouped() - 1234567 as "1,234,567". @buf has FORMAT_SIZE bytes. Return: @buf. */
const char *format_grouped(char *buf, uint64_t n);

/**
 * format_scaled() - finds the letter that leaves a number with few digits
 * @value: not negative; replaced by the number to print before the letter.
 *
 * Return: "", "K", "M" or "G".
 */
const char *format_scaled(double *value);

/**
 * format_bar() - a bar of a histogram, padded with blanks
 * @buf: of @width * 3 + 1 bytes.
 * @share: 0 to 1; anything above 0 shows.
 * @width: in columns.
 * @unicode: in eighths of a column, otherwise of '#'.
 *
 * Return: @buf.
 */
const char *format_bar(char *buf, double share, size_t width, bool unicode);

/**
 * format_bucket() - the values of a bucket: "0", "1", "64 - 127"
 * @bucket: 0, or n for 2^(n-1) to 2^n - 1; up to 64.
 */
const char *format_bucket(char *buf, unsigned bucket);

#endif
