/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_BASE64_H
#define VPMU_STATS_BASE64_H

#include <stdbool.h>
#include <stddef.h>

/**
 * base64_decode() - what a text stands for, in base64 of RFC 4648 with its padding
 * @size: bytes that it must be.
 *
 * Return: false if it is something else; @to may have been written to.
 */
bool base64_decode(const char *text, void *to, size_t size);

#endif
