/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_TOKEN_H
#define VPMU_STATS_TOKEN_H

#include "base/error.h"

/* Length of a token, without the terminating zero. */
#define TOKEN_MIN 16u
#define TOKEN_MAX 512u

/**
 * token_read() - read a bearer token from a file
 * @path: a file with one line, not accessible for other users.
 * @token: receives the token, TOKEN_MAX + 1 bytes. It has the characters of RFC 6750's b64token.
 *
 * Return: 0, or -1 with ERROR_USAGE.
 */
int token_read(const char *path, char *token, struct error *t);

#endif
