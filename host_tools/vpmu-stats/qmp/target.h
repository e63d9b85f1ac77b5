/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_TARGET_H
#define VPMU_STATS_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "qmp/qmp.h"

#define TARGETS_MAX 256u

/**
 * struct target - a machine that can be looked at: a socket, or a domain of libvirt's
 * @name: what it is called in messages: the socket's path, or the domain's name.
 * @uri: of the libvirt that runs the domain; NULL for a socket.
 * @uuid: of the domain; NULL for a socket.
 * @named: the user named it; otherwise it was found, and need not have a virtual PMU.
 */
struct target {
    char *name;
    char *uri;
    char *uuid;
    bool named;
};

/**
 * struct targets - machines
 * @target: @n of them, none twice.
 */
struct targets {
    struct target target[TARGETS_MAX];
    size_t n;
};

/**
 * targets_add() - adds a machine
 * @name, @uri, @uuid, @named: as in struct target; copied.
 *
 * One that is there already is not added again, nor is one for which there is no room.
 *
 * Return: 0 or -1.
 */
int targets_add(struct targets *targets, const char *name, const char *uri, const char *uuid,
                bool named, struct error *t);

void targets_free(struct targets *targets);

/** target_same() - is it the same socket, or the same domain of the same libvirt? */
bool target_same(const struct target *a, const struct target *b);

/**
 * target_open() - connects to a machine's monitor
 * @stop_fd, @patience: see struct qmp.
 * @q: the connection, to be closed with qmp_close(). It does not need @target any more.
 *
 * Return: 0, or -1 with ERROR_NO_MACHINE if it does not run, or another error.
 */
int target_open(const struct target *target, int stop_fd, int patience, struct qmp **q,
                struct error *t);

#endif
