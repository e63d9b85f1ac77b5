/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The address that a server listens on, and who can reach it. */
#include "fleet/listen.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/number.h"

#define BACKLOG 128

static int parse_unix(struct listen_address *a, const char *path, struct error *t)
{
    struct sockaddr_un *address = (struct sockaddr_un *)&a->storage;

    if (!*path || strlen(path) >= sizeof(address->sun_path)) {
        return error_set(t, ERROR_USAGE, "the path of a socket must have 1 to %zu bytes: '%s'",
                         sizeof(address->sun_path) - 1, path);
    }
    address->sun_family = AF_UNIX;
    memcpy(address->sun_path, path, strlen(path) + 1);
    a->len = sizeof(*address);
    a->is_local = true;
    a->is_private = true;
    snprintf(a->name, sizeof(a->name), "unix:%s", path);
    return 0;
}

/*
 * Copies the host part, without brackets, to @host. Sets @port to the port, or NULL if there is
 * none.
 */
static bool split(const char *text, char *host, size_t size, const char **port)
{
    bool bracket = *text == '[';
    const char *begin = bracket ? text + 1 : text;
    const char *end = begin + strcspn(begin, bracket ? "]" : ":");
    const char *rest = end + (bracket && *end == ']');

    if ((bracket && *end != ']') || (*rest && *rest != ':') || (size_t)(end - begin) >= size) {
        return false;
    }
    memcpy(host, begin, (size_t)(end - begin));
    host[end - begin] = '\0';
    *port = *rest ? rest + 1 : NULL;
    return !bracket || *host;
}

/* Needed because getaddrinfo() reduces larger numbers modulo 65536. */
static bool is_port(const char *text)
{
    long port;

    return isdigit((unsigned char)*text) && number_parse(text, 0, UINT16_MAX, &port);
}

static bool is_loopback(const struct sockaddr_storage *s)
{
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)s;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)s;

    return s->ss_family == AF_INET ? ntohl(v4->sin_addr.s_addr) >> 24 == 127
                                   : IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
}

/* Sets the name from the socket's address. */
static void set_name(struct listen_address *a)
{
    char host[NI_MAXHOST] = "";
    char port[NI_MAXSERV] = "";

    getnameinfo((const struct sockaddr *)&a->storage, a->len, host, sizeof(host), port,
                sizeof(port), NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(a->name, sizeof(a->name),
             a->storage.ss_family == AF_INET6 ? "[%.90s]:%.9s" : "%.90s:%.9s", host, port);
}

int listen_parse(struct listen_address *a, const char *text, unsigned port, struct error *t)
{
    const struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
                                   .ai_socktype = SOCK_STREAM};
    struct addrinfo *info;
    char usual[16];
    char host[128];
    const char *given;

    *a = (struct listen_address){0};
    if (strncmp(text, "unix:", 5) == 0) {
        return parse_unix(a, text + 5, t);
    }
    snprintf(usual, sizeof(usual), "%u", port);
    if (!split(text, host, sizeof(host), &given) || (given && !is_port(given)) ||
        getaddrinfo(*host ? host : "127.0.0.1", given ? given : usual, &hints, &info)) {
        return error_set(
            t, ERROR_USAGE,
            "'%s' is neither ADDRESS:PORT (a numeric address, IPv6 in brackets) nor unix:PATH",
            text);
    }
    memcpy(&a->storage, info->ai_addr, info->ai_addrlen);
    a->len = info->ai_addrlen;
    freeaddrinfo(info);
    a->is_local = is_loopback(&a->storage);
    set_name(a);
    return 0;
}

/* Removes a socket that nobody listens on: a program that was killed leaves one. */
static void remove_stale(const struct listen_address *a)
{
    const struct sockaddr_un *address = (const struct sockaddr_un *)&a->storage;
    struct stat st;
    int fd;

    if (lstat(address->sun_path, &st) || !S_ISSOCK(st.st_mode)) {
        return;
    }
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return;
    }
    if (connect(fd, (const struct sockaddr *)address, a->len) && errno == ECONNREFUSED) {
        unlink(address->sun_path);
    }
    close(fd);
}

static int open_socket(struct listen_address *a, int fd)
{
    bool is_unix = a->storage.ss_family == AF_UNIX;
    int one = 1;
    mode_t mask;
    int err;

    if (is_unix) {
        remove_stale(a);
    } else {
        setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    }
    if (a->storage.ss_family == AF_INET6) {
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof(one));
    }
    mask = umask(is_unix ? 0177 : 0077);
    err = bind(fd, (const struct sockaddr *)&a->storage, a->len);
    umask(mask);
    return err ? err : listen(fd, BACKLOG);
}

int listen_open(struct listen_address *a, int *fd, struct error *t)
{
    *fd = socket(a->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (*fd < 0 || open_socket(a, *fd)) {
        error_set(t, ERROR_LISTEN, "cannot listen on %s: %s", a->name, strerror(errno));
        if (*fd >= 0) {
            close(*fd);
        }
        *fd = -1;
        return -1;
    }
    if (a->storage.ss_family != AF_UNIX) {
        getsockname(*fd, (struct sockaddr *)&a->storage, &a->len);
        set_name(a);
    }
    return 0;
}

void listen_close(const struct listen_address *a, int fd)
{
    if (fd >= 0) {
        close(fd);
        if (a->storage.ss_family == AF_UNIX) {
            unlink(((const struct sockaddr_un *)&a->storage)->sun_path);
        }
    }
}
