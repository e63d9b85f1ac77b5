/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_LISTEN_H
#define VPMU_STATS_LISTEN_H

#include <stdbool.h>
#include <sys/socket.h>

#include "base/error.h"

/* Room for a numeric address and port, with its end. */
#define LISTEN_NAME_SIZE 160

/**
 * struct listen_address - where to listen
 * @name: as the socket's user writes it, "127.0.0.1:9848", "[::1]:9848", "unix:/run/x.sock".
 * @is_local: only users of this computer can reach it.
 * @is_private: only this user can.
 */
struct listen_address {
    struct sockaddr_storage storage;
    socklen_t len;
    char name[LISTEN_NAME_SIZE];
    bool is_local;
    bool is_private;
};

/**
 * listen_parse() - reads "ADDRESS", "ADDRESS:PORT", ":PORT" or "unix:PATH"
 * @text: ADDRESS is numeric, of IPv6 in brackets; without it 127.0.0.1 is meant.
 * @port: if there is none. Port 0 is any that is free.
 *
 * Return: 0, or -1 with ERROR_USAGE.
 */
int listen_parse(struct listen_address *a, const char *text, unsigned port, struct error *t);

/**
 * listen_open() - listens there; only its owner may connect to a Unix socket
 * @a: a port that was 0 becomes the one chosen.
 *
 * Return: 0, or -1 with ERROR_LISTEN.
 */
int listen_open(struct listen_address *a, int *fd, struct error *t);

/** listen_close() - and removes what it put into the file system. @fd may be -1. */
void listen_close(const struct listen_address *a, int fd);

#endif
