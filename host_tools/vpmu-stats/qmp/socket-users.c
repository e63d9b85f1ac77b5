/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qmp/socket-users.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* States of a socket in /proc/net/unix. The numbers are those of enum socket_state in linux/net.h.
 */
enum {
    STATE_LISTENING = 1,
    STATE_PENDING, /* connected, but the server has not accepted the connection */
    STATE_CONNECTED,
};

/* A path that the server gave as a relative one is listed as it is. */
static bool is_same_path(const char *listed, const char *path)
{
    size_t listed_size;
    size_t path_size;
    size_t size;

    listed += strncmp(listed, "./", 2) == 0 ? 2 : 0;
    path += strncmp(path, "./", 2) == 0 ? 2 : 0;
    listed_size = strlen(listed);
    path_size = strlen(path);
    size = listed_size < path_size ? listed_size : path_size;
    return size > 0 && strcmp(listed + listed_size - size, path + path_size - size) == 0 &&
           (listed_size == size || listed[listed_size - size - 1] == '/') &&
           (path_size == size || path[path_size - size - 1] == '/');
}

enum socket_users socket_users_take(FILE *list, const char *path)
{
    unsigned sockets[STATE_CONNECTED + 1] = {0};
    char line[512];

    while (fgets(line, sizeof(line), list)) {
        unsigned state = 0;
        int at = 0;

        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "%*x: %*x %*x %*x %*x %x %*u %n", &state, &at) == 1 && at > 0 &&
            state <= STATE_CONNECTED && is_same_path(line + at, path)) {
            sockets[state]++;
        }
    }
    if (!sockets[STATE_LISTENING]) {
        return SOCKET_USERS_UNKNOWN;
    }
    return sockets[STATE_PENDING] && sockets[STATE_CONNECTED] ? SOCKET_USERS_OTHER
                                                              : SOCKET_USERS_NONE;
}

enum socket_users socket_users(const char *path)
{
    FILE *list = fopen("/proc/net/unix", "re");
    enum socket_users users = list ? socket_users_take(list, path) : SOCKET_USERS_UNKNOWN;

    if (list) {
        fclose(list);
    }
    return users;
}
