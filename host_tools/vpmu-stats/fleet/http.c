/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Serves one page over HTTP. libmicrohttpd runs in the caller's thread. */
#include "fleet/http.h"

#include <limits.h>
#include <microhttpd.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CLIENTS 16u
#define CLIENT_SECONDS 10u
#define CLIENT_BYTES 16384u

struct http {
    struct MHD_Daemon *daemon;
    const char *token;
    http_page_fn *page;
    void *opaque;
};

static const char landing[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><title>vpmu-stats</title></head>\n"
    "<body><h1>vpmu-stats exporter</h1><p><a href=\"/metrics\">Metrics</a></p></body></html>\n";

static enum MHD_Result queue(struct MHD_Connection *c, unsigned status, struct MHD_Response *r,
                             const char *header, const char *value)
{
    enum MHD_Result result = MHD_NO;

    if (r && MHD_add_response_header(r, header, value) == MHD_YES) {
        result = MHD_queue_response(c, status, r);
    }
    if (r) {
        MHD_destroy_response(r);
    }
    return result;
}

/* Sends a constant text. */
static enum MHD_Result say(struct MHD_Connection *c, unsigned status, const char *text,
                           const char *header, const char *value)
{
    /* libmicrohttpd does not write to the text, although the parameter is not const. */
    return queue(c, status,
                 MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text,
                                                 MHD_RESPMEM_PERSISTENT),
                 header, value);
}

static enum MHD_Result say_page(struct http *h, struct MHD_Connection *c)
{
    char *text = NULL;
    size_t len = 0;
    FILE *to = open_memstream(&text, &len);
    int err = to ? h->page(h->opaque, to) : -1;
    bool written = to && !ferror(to);

    if (to && fclose(to)) {
        written = false;
    }
    if (err || !written) {
        free(text);
        return say(c, MHD_HTTP_SERVICE_UNAVAILABLE, "Try again later.\n", "Content-Type",
                   "text/plain");
    }
    return queue(c, MHD_HTTP_OK, MHD_create_response_from_buffer(len, text, MHD_RESPMEM_MUST_FREE),
                 "Content-Type", "text/plain; version=0.0.4; charset=utf-8");
}

/* Compares in a time that does not depend on how many characters of the guess are right. */
static bool is_same(const char *token, const char *guess)
{
    size_t len = strlen(token);
    size_t guessed = strlen(guess);
    unsigned differ = len != guessed;

    for (size_t i = 0; i < len; i++) {
        differ |= (unsigned)token[i] ^ (unsigned)(guessed ? guess[i % guessed] : 0);
    }
    return !differ;
}

static bool is_allowed(const struct http *h, struct MHD_Connection *c)
{
    static const char scheme[] = "Bearer ";
    const char *given = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Authorization");

    return !h->token || (given && strncmp(given, scheme, strlen(scheme)) == 0 &&
                         is_same(h->token, given + strlen(scheme)));
}

static enum MHD_Result answer(void *opaque, struct MHD_Connection *c, const char *url,
                              const char *method, const char *version, const char *upload,
                              size_t *upload_size, void **state)
{
    struct http *h = opaque;

    (void)version;
    (void)upload;
    (void)upload_size;
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) {
        return say(c, MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET and HEAD.\n", "Allow", "GET, HEAD");
    }
    /* To answer before the whole request is read would close the connection. */
    if (!*state) {
        *state = h;
        return MHD_YES;
    }
    if (!is_allowed(h, c)) {
        return say(c, MHD_HTTP_UNAUTHORIZED, "A bearer token is required.\n", "WWW-Authenticate",
                   "Bearer");
    }
    if (strcmp(url, "/metrics") == 0) {
        return say_page(h, c);
    }
    if (strcmp(url, "/") == 0) {
        return say(c, MHD_HTTP_OK, landing, "Content-Type", "text/html; charset=utf-8");
    }
    return say(c, MHD_HTTP_NOT_FOUND, "Not found. The metrics are at /metrics.\n", "Content-Type",
               "text/plain");
}

/* Drops libmicrohttpd's messages: errors of clients are not reported here. */
static void ignore(void *opaque, const char *format, va_list ap)
{
    (void)opaque;
    (void)format;
    (void)ap;
}

int http_open(struct http **h, int fd, const char *token, http_page_fn *page, void *opaque,
              struct error *t)
{
    struct http *new = calloc(1, sizeof(*new));

    if (!new) {
        return error_memory(t);
    }
    *new = (struct http){.token = token, .page = page, .opaque = opaque};
    new->daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_ERROR_LOG, 0, NULL, NULL, answer, new, MHD_OPTION_EXTERNAL_LOGGER,
        ignore, NULL, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT, MAX_CLIENTS,
        MHD_OPTION_CONNECTION_TIMEOUT, CLIENT_SECONDS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)CLIENT_BYTES, MHD_OPTION_END);
    if (!new->daemon) {
        free(new);
        return error_set(t, ERROR_LISTEN, "cannot serve HTTP: libmicrohttpd does not start");
    }
    *h = new;
    return 0;
}

int http_fd(const struct http *h)
{
    return MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

int http_timeout(const struct http *h)
{
    MHD_UNSIGNED_LONG_LONG ms;

    return MHD_get_timeout(h->daemon, &ms) == MHD_YES ? (ms < INT_MAX ? (int)ms : INT_MAX) : -1;
}

void http_run(struct http *h)
{
    MHD_run(h->daemon);
}

void http_close(struct http *h)
{
    if (h) {
        MHD_stop_daemon(h->daemon);
        free(h);
    }
}
