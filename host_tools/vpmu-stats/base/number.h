/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_NUMBER_H
#define VPMU_STATS_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * number_parse() - parse a decimal integer
 * @text: the string. It must contain nothing behind the integer.
 * @min: the smallest valid value.
 * @max: the largest valid value.
 * @value: receives the integer.
 *
 * Return: true; or false if @text is not an integer from @min to @max. @value is then undefined.
 */
bool number_parse(const char *text, long min, long max, long *value);

/**
 * number_parse_percent() - parse a percentage
 * @text: the string. It must contain nothing behind the number, not even a percent sign.
 * @value: receives the number.
 *
 * Return: true; or false if @text is not a finite number of 0 or more. @value is then undefined.
 */
bool number_parse_percent(const char *text, double *value);

/**
 * number_is_large() - check whether JSON has an integer above 2^64 - 1
 * @json: the text, of which json-c would make UINT64_MAX for such an integer.
 * @n: its bytes.
 *
 * Digits in strings and behind a decimal point do not count.
 */
bool number_is_large(const char *json, size_t n);

/** number_growth() - by how much a figure has grown since an earlier reading; 0 if it has fallen */
uint64_t number_growth(uint64_t now, uint64_t before);

#endif
