/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_HTTP_H
#define VPMU_STATS_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct http;

/**
 * http_open() - serve a page as /metrics
 * @fd: a listening socket. The caller keeps it and closes it.
 * @token: the bearer token that clients must send, or NULL if they need none. It must stay valid
 *     until http_close().
 *
 * A request for the page waits until http_answer(), so that all requests that come meanwhile get
 * the same page. A client has 10 seconds for a whole request, until it has received the response,
 * without the time that it waits for the page. If another client waits for a place, the one that
 * has been silent for the longest time before its request was complete is disconnected at once; if
 * all have sent theirs, the one that has been receiving for the longest time, after one second.
 *
 * Return: 0, or -1 with an error.
 */
int http_open(struct http **h, int fd, const char *token, struct error *t);

/** http_fd() - get a descriptor that becomes readable when http_run() must be called */
int http_fd(const struct http *h);

/**
 * http_timeout() - get the milliseconds after which to call http_run() in any case, or -1 for never
 */
int http_timeout(struct http *h);

/** http_run() - serve the clients. Return: true if a request waits for http_answer(). */
bool http_run(struct http *h);

/**
 * http_answer() - answer all requests that wait for the page
 * @text: the page, which is freed; NULL if it is not available. Clients then receive status 503.
 * @len: its length.
 */
void http_answer(struct http *h, char *text, size_t len);

/** http_close() - stop the server; @h may be NULL */
void http_close(struct http *h);

#endif
