/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_BASE64_H
#define VPMU_STATS_BASE64_H

#include <stdbool.h>
#include <stddef.h>

/**
 * base64_decode() - decode base64 text
 * @text: a string in the base64 alphabet of RFC 4648, with padding and without line breaks.
 * @to: receives @size bytes.
 * @size: the number of bytes that @text must decode to.
 *
 * Return: true; or false if @text is not valid base64 or decodes to another number of bytes. @to
 * may then be partly overwritten.
 */
bool base64_decode(const char *text, void *to, size_t size);

#endif
