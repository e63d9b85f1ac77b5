/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_HTTP_H
#define VPMU_STATS_HTTP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct http;

/**
 * typedef http_page_fn - write a page to @to
 *
 * Return: 0, or -1 if the page is not available now. The client then receives status 503.
 */
typedef int http_page_fn(void *opaque, FILE *to);

/**
 * http_open() - serve a page as /metrics
 * @fd: a listening socket. The caller keeps it and closes it.
 * @token: the bearer token that clients must send, or NULL if they need none. It must stay valid
 *     until http_close().
 * @page: writes the page. It is called only from http_run().
 *
 * At most 16 clients are served at a time. A client that is idle for 10 seconds is disconnected.
 *
 * Return: 0, or -1 with an error.
 */
int http_open(struct http **h, int fd, const char *token, http_page_fn *page, void *opaque,
              struct error *t);

/** http_fd() - get a descriptor that becomes readable when http_run() must be called */
int http_fd(const struct http *h);

/**
 * http_timeout() - get the milliseconds after which to call http_run() in any case, or -1 for never
 */
int http_timeout(const struct http *h);

void http_run(struct http *h);

/** http_close() - stop the server; @h may be NULL */
void http_close(struct http *h);

#endif
