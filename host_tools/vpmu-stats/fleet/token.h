/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_TOKEN_H
#define VPMU_STATS_TOKEN_H

#include "base/error.h"

/* Of the shortest and the longest token, without its end. */
#define TOKEN_MIN 16u
#define TOKEN_MAX 512u

/**
 * token_read() - reads what clients must know: the only line of a file that not everybody can read
 * @token: TOKEN_MAX + 1 bytes; characters of RFC 6750's b64token.
 *
 * Return: 0, or -1 with ERROR_USAGE.
 */
int token_read(const char *path, char *token, struct error *t);

#endif
