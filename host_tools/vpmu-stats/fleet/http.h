/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_HTTP_H
#define VPMU_STATS_HTTP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

struct http;

/** typedef http_page_fn - writes a page. Return: 0 or -1: it cannot be made now. */
typedef int http_page_fn(void *opaque, FILE *to);

/**
 * http_open() - serves a page as /metrics to all who connect
 * @fd: of a socket that listens; stays the caller's.
 * @token: what a client must know; NULL if nothing.
 *
 * Nothing is served but in http_run(), which calls @page. Few clients are served at a time, and
 * none is waited for longer than seconds.
 *
 * Return: 0 or -1.
 */
int http_open(struct http **h, int fd, const char *token, http_page_fn *page, void *opaque,
              struct error *t);

/** http_fd() - a descriptor that is readable when http_run() has something to do */
int http_fd(const struct http *h);

/** http_timeout() - after how many milliseconds it has something to do anyway; -1 never */
int http_timeout(const struct http *h);

void http_run(struct http *h);

/** http_close() - @h may be NULL */
void http_close(struct http *h);

#endif
