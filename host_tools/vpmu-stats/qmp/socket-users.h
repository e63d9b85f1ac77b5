/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_SOCKET_USERS_H
#define VPMU_STATS_SOCKET_USERS_H

#include <stdio.h>

/** enum socket_users - who uses a Unix socket that this program waits for */
enum socket_users {
    SOCKET_USERS_NONE,    /* nobody else: the server itself is slow */
    SOCKET_USERS_OTHER,   /* the server has accepted a connection, and has not accepted ours */
    SOCKET_USERS_UNKNOWN, /* the server is not listed, for example because it is in a container */
};

/** socket_users() - look in /proc/net/unix for other users of the socket at @path */
enum socket_users socket_users(const char *path);

/** socket_users_take() - socket_users() for an open file */
enum socket_users socket_users_take(FILE *list, const char *path);

#endif
