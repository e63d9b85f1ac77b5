/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_FORMAT_H
#define VPMU_STATS_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The size of the buffer of format_grouped() and format_bucket(), including the final NUL. */
#define FORMAT_SIZE 32

/**
 * format_tame() - make a string safe to print on a terminal and in a document
 *
 * Each byte of a control character or of invalid UTF-8 is replaced by a question mark. Characters
 * that change the direction of text are control characters, too.
 */
void format_tame(char *text);

/**
 * format_valid() - make a string valid UTF-8
 *
 * Each byte that belongs to no character is replaced by a question mark.
 */
void format_valid(char *text);

/**
 * format_fit() - truncate or pad a string to a number of terminal columns
 * @buf: a buffer of @size bytes.
 * @size: must be more than @columns. 4 bytes for each column and 1 for the NUL are usually enough;
 *     a string that needs more is truncated.
 * @text: a string that format_tame() has made safe. Characters that the locale cannot print are
 *     replaced by question marks.
 * @columns: the width of the result. Spaces are added at the end.
 *
 * Return: @buf.
 */
const char *format_fit(char *buf, size_t size, const char *text, int columns);

/**
 * format_grouped() - format an integer with thousands separators: 1234567 gives "1,234,567"
 * @buf: a buffer of FORMAT_SIZE bytes.
 * @n: the integer.
 *
 * Return: @buf.
 */
const char *format_grouped(char *buf, uint64_t n);

/**
 * format_scaled() - scale a number to thousands, millions or billions
 * @value: the number, not negative. It is divided by 1000 until it is below 1000, at most 3 times.
 *
 * Return: the unit prefix to print after the number: "", "K", "M" or "G".
 */
const char *format_scaled(double *value);

/**
 * format_bar() - draw a bar of a histogram, padded with spaces
 * @buf: a buffer of at least @width * 3 + 1 bytes.
 * @share: the length of the bar as a part of @width, 0 to 1. A value above 0 always draws
 *     something.
 * @width: the width in columns.
 * @unicode: true to draw with block characters in steps of 1/8 column; false to draw with '#'.
 *
 * Return: @buf.
 */
const char *format_bar(char *buf, double share, size_t width, bool unicode);

/**
 * format_bucket() - format the range of a histogram bucket: "0", "1", "64 - 127", "2^20 - 2^21 - 1"
 * @buf: a buffer of FORMAT_SIZE bytes.
 * @bucket: the number of the bucket, 0 to 64. Bucket 0 holds the value 0. Bucket n holds the values
 *     from 2^(n-1) to 2^n - 1.
 *
 * Return: @buf.
 */
const char *format_bucket(char *buf, unsigned bucket);

/** format_markdown() - write text that Markdown does not interpret */
void format_markdown(const char *text, FILE *to);

#endif
