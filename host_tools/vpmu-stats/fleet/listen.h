/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_LISTEN_H
#define VPMU_STATS_LISTEN_H

#include <stdbool.h>
#include <sys/socket.h>

#include "base/error.h"

/* Size of an address as text, with the terminating zero. */
#define LISTEN_NAME_SIZE 160

/**
 * struct listen_address - an address to listen on
 * @name: the address as text: "127.0.0.1:9848", "[::1]:9848" or "unix:/run/x.sock".
 * @is_local: only users of this computer can connect.
 * @is_private: only this user can connect.
 */
struct listen_address {
    struct sockaddr_storage storage;
    socklen_t len;
    char name[LISTEN_NAME_SIZE];
    bool is_local;
    bool is_private;
};

/**
 * listen_parse() - parse "ADDRESS", "ADDRESS:PORT", ":PORT" or "unix:PATH"
 * @text: ADDRESS is numeric; an IPv6 address is in brackets. The default is 127.0.0.1.
 * @port: the port if @text has none. Port 0 selects any free port.
 *
 * Return: 0, or -1 with ERROR_USAGE.
 */
int listen_parse(struct listen_address *a, const char *text, unsigned port, struct error *t);

/**
 * listen_open() - create a socket that listens on an address
 * @a: if its port is 0, it is set to the port that the system selected.
 * @fd: receives the socket, or -1.
 *
 * Only the current user can connect to a Unix socket.
 *
 * Return: 0, or -1 with ERROR_LISTEN.
 */
int listen_open(struct listen_address *a, int *fd, struct error *t);

/** listen_close() - close the socket and remove the file of a Unix socket; @fd may be -1 */
void listen_close(const struct listen_address *a, int fd);

#endif
