/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Serves one page over HTTP. libmicrohttpd runs in the caller's thread. */
#include "fleet/http.h"

#include <limits.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "qmp/qmp.h"

#define MAX_CLIENTS 16u
#define N_CLIENTS (MAX_CLIENTS + 1)
/*
 * How long a client may take for a request, and how long to receive the response if its place is
 * needed. A client that is silent makes room sooner, but has the time to send its request.
 */
#define CLIENT_NS INT64_C(10000000000)
#define CLIENT_NS_FULL INT64_C(1000000000)
#define CLIENT_NS_SILENT INT64_C(200000000)
/* Requests that follow each other sooner than this share the time of one. */
#define APART_NS INT64_C(100000000)
/* How often to look whether somebody waits for a place. */
#define LOOK_MS 100
#define CLIENT_BYTES 16384u

/* What a connection waits for. */
enum stage {
    STAGE_NONE,    /* there is no connection */
    STAGE_REQUEST, /* the client: it has not sent the request */
    STAGE_RECEIVE, /* the client: it has not received the response */
    STAGE_PAGE,    /* http_answer() */
    STAGE_ANSWER,  /* libmicrohttpd, which calls answer() again */
    STAGE_CUT,     /* libmicrohttpd, which closes it */
};

/**
 * struct client - a connection
 * @since: when it began, or when its last response was complete, unless another one had been
 * complete shortly before. The time for which its request waited for the page is added.
 * @completed: when its last response was complete.
 * @asked: when its request began to wait for the page.
 */
struct client {
    struct MHD_Connection *connection;
    enum stage stage;
    int64_t since;
    int64_t completed;
    int64_t asked;
};

/**
 * struct http - the server
 * @fd: the socket that it listens on.
 * @page: the last page, or NULL.
 * @client: one more than 16, so that a client that is quick finds a place.
 */
struct http {
    struct MHD_Daemon *daemon;
    int fd;
    const char *token;
    struct MHD_Response *page;
    struct client client[N_CLIENTS];
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

static struct client *client_of(struct MHD_Connection *c)
{
    return MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

/* Makes the request wait for the page, or sends the page that it has waited for. */
static enum MHD_Result say_page(const struct http *h, struct MHD_Connection *c)
{
    struct client *client = client_of(c);

    if (client->stage == STAGE_RECEIVE) {
        client->stage = STAGE_PAGE;
        client->asked = qmp_now();
        MHD_suspend_connection(c);
        return MHD_YES;
    }
    client->stage = STAGE_RECEIVE;
    return h->page ? MHD_queue_response(c, MHD_HTTP_OK, h->page)
                   : say(c, MHD_HTTP_SERVICE_UNAVAILABLE, "Try again later.\n", "Content-Type",
                         "text/plain");
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
    if (client_of(c)->stage == STAGE_REQUEST) {
        client_of(c)->stage = STAGE_RECEIVE;
    }
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0) {
        return say(c, MHD_HTTP_METHOD_NOT_ALLOWED, "Only GET and HEAD.\n", "Allow", "GET, HEAD");
    }
    /* To answer before the whole request is read would close the connection. */
    if (!*state || *upload_size) {
        *state = h;
        *upload_size = 0;
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

static void notify_connection(void *opaque, struct MHD_Connection *c, void **context,
                              enum MHD_ConnectionNotificationCode what)
{
    struct http *h = opaque;
    struct client *client = what == MHD_CONNECTION_NOTIFY_CLOSED ? *context : h->client;

    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        client->stage = STAGE_NONE;
        return;
    }
    while (client->stage != STAGE_NONE) {
        client++;
    }
    *client = (struct client){.connection = c, .stage = STAGE_REQUEST, .since = qmp_now()};
    *context = client;
}

static void notify_completed(void *opaque, struct MHD_Connection *c, void **state,
                             enum MHD_RequestTerminationCode how)
{
    struct client *client = client_of(c);
    int64_t now = qmp_now();

    (void)opaque;
    (void)state;
    (void)how;
    if (now - client->completed >= APART_NS) {
        client->since = now;
    }
    client->completed = now;
    if (client->stage == STAGE_RECEIVE) {
        client->stage = STAGE_REQUEST;
    }
}

/* Drops libmicrohttpd's messages: errors of clients are not reported here. */
static void ignore(void *opaque, const char *format, va_list ap)
{
    (void)opaque;
    (void)format;
    (void)ap;
}

int http_open(struct http **h, int fd, const char *token, struct error *t)
{
    struct http *new = calloc(1, sizeof(*new));

    if (!new) {
        return error_memory(t);
    }
    new->fd = fd;
    new->token = token;
    new->daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_USE_ERROR_LOG | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, answer, new,
        MHD_OPTION_EXTERNAL_LOGGER, ignore, NULL, MHD_OPTION_LISTEN_SOCKET, fd,
        MHD_OPTION_CONNECTION_LIMIT, N_CLIENTS, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
        (size_t)CLIENT_BYTES, MHD_OPTION_NOTIFY_CONNECTION, notify_connection, new,
        MHD_OPTION_NOTIFY_COMPLETED, notify_completed, new, MHD_OPTION_END);
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

static unsigned count(const struct http *h, enum stage stage)
{
    unsigned n = 0;

    for (unsigned i = 0; i < N_CLIENTS; i++) {
        n += h->client[i].stage == stage;
    }
    return n;
}

static int socket_of(const struct client *client)
{
    return MHD_get_connection_info(client->connection, MHD_CONNECTION_INFO_CONNECTION_FD)
        ->connect_fd;
}

static bool is_full(const struct http *h)
{
    return count(h, STAGE_NONE) + count(h, STAGE_CUT) == 0;
}

/* Checks whether a client waits that libmicrohttpd has not accepted. */
static bool is_awaited(const struct http *h)
{
    struct pollfd fd = {.fd = h->fd, .events = POLLIN};

    return poll(&fd, 1, 0) > 0;
}

/* Checks whether libmicrohttpd has read all that the client has sent so far. */
static bool is_silent(const struct client *client)
{
    int left = 0;

    return client->stage == STAGE_REQUEST && ioctl(socket_of(client), FIONREAD, &left) == 0 &&
           left == 0;
}

/*
 * Returns the client that is the first one to be disconnected, and at what time; NULL if there is
 * none. @room: others wait for a place.
 */
static struct client *slowest(struct http *h, bool room, int64_t *deadline)
{
    struct client *found = NULL;

    for (struct client *c = h->client; c < h->client + N_CLIENTS; c++) {
        if (c->stage == STAGE_REQUEST || c->stage == STAGE_RECEIVE) {
            int64_t at = c->since + (!room          ? CLIENT_NS
                                     : is_silent(c) ? CLIENT_NS_SILENT
                                                    : CLIENT_NS_FULL);

            if (!found || at < *deadline) {
                found = c;
                *deadline = at;
            }
        }
    }
    return found;
}

int http_timeout(struct http *h)
{
    bool full = is_full(h);
    int64_t deadline;
    int64_t left = slowest(h, full && is_awaited(h), &deadline)
                       ? (deadline - qmp_now()) / 1000000 + 1
                       : INT_MAX;
    MHD_UNSIGNED_LONG_LONG ms;

    /*
     * libmicrohttpd does not say that it has resumed connections to continue with, nor that it
     * accepts connections again.
     */
    if (count(h, STAGE_ANSWER) > 0 || (count(h, STAGE_NONE) > 0 && is_awaited(h))) {
        return 0;
    }
    if (MHD_get_timeout(h->daemon, &ms) == MHD_YES && (int64_t)ms < left) {
        left = (int64_t)ms;
    }
    /* libmicrohttpd does not say that a client waits for a place. */
    left = full && left > LOOK_MS ? LOOK_MS : left;
    return left < 0 ? 0 : left < INT_MAX ? (int)left : -1;
}

/* libmicrohttpd then finds the end of the connection, and closes it. */
static void cut(struct client *client)
{
    shutdown(socket_of(client), SHUT_RDWR);
    client->stage = STAGE_CUT;
}

bool http_run(struct http *h)
{
    struct client *client;
    int64_t deadline;

    MHD_run(h->daemon);
    while ((client = slowest(h, is_full(h) && is_awaited(h), &deadline)) && deadline <= qmp_now()) {
        cut(client);
    }
    return count(h, STAGE_PAGE) > 0;
}

void http_answer(struct http *h, char *text, size_t len)
{
    if (h->page) {
        MHD_destroy_response(h->page);
    }
    h->page = text ? MHD_create_response_from_buffer(len, text, MHD_RESPMEM_MUST_FREE) : NULL;
    if (h->page) {
        MHD_add_response_header(h->page, "Content-Type",
                                "text/plain; version=0.0.4; charset=utf-8");
    } else {
        free(text);
    }
    for (struct client *c = h->client; c < h->client + N_CLIENTS; c++) {
        if (c->stage == STAGE_PAGE) {
            c->stage = STAGE_ANSWER;
            c->since += qmp_now() - c->asked;
            MHD_resume_connection(c->connection);
        }
    }
}

void http_close(struct http *h)
{
    if (h) {
        /* libmicrohttpd must not be stopped while requests wait. */
        http_answer(h, NULL, 0);
        MHD_stop_daemon(h->daemon);
        free(h);
    }
}
