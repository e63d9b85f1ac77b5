/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_TARGET_H
#define VPMU_STATS_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "qmp/qmp.h"

#define TARGETS_MAX 256u

/**
 * struct target - a machine to inspect: the socket of a monitor, or a domain of libvirt
 * @name: the name for messages: the path of the socket, or the name of the domain.
 * @uri: the URI of the libvirt connection; NULL for a socket.
 * @uuid: the UUID of the domain; NULL for a socket.
 * @named: true if the user named the machine. If the program found it, it may have no virtual PMU.
 * @missing: the user named it, and neither a socket nor a running domain has been found.
 */
struct target {
    char *name;
    char *uri;
    char *uuid;
    bool named;
    bool missing;
};

/** target_set() - copy the texts of a target, whose other members stay. Return: 0 or -1. */
int target_set(struct target *target, const char *name, const char *uri, const char *uuid,
               struct error *t);

/** target_free() - free the texts of a target */
void target_free(struct target *target);

/**
 * struct targets - a list of machines without duplicates
 * @target: the machines.
 * @n: the number of machines.
 * @full: there are more machines than the list has room for.
 */
struct targets {
    struct target target[TARGETS_MAX];
    size_t n;
    bool full;
};

/**
 * targets_add() - add a machine to a list
 * @targets: the list.
 * @name: see struct target; it is copied.
 * @uri: see struct target; it is copied.
 * @uuid: see struct target; it is copied.
 * @named: see struct target.
 * @t: is set if there is not enough memory.
 *
 * If the machine is in the list already, nothing is added. If there is no room for it, the list
 * says so: targets_check().
 *
 * Return: 0 or -1.
 */
int targets_add(struct targets *targets, const char *name, const char *uri, const char *uuid,
                bool named, struct error *t);

/** targets_check() - set an error if a list had no room for a machine. Return: 0 or -1. */
int targets_check(const struct targets *targets, struct error *t);

void targets_free(struct targets *targets);

/**
 * target_same() - check for the same socket, the same domain of the same libvirt connection, or the
 *     same name that is missing
 */
bool target_same(const struct target *a, const struct target *b);

/**
 * target_open() - connect to the monitor of a machine
 * @target: the machine. The connection does not use it any more afterwards.
 * @stop_fd: see struct qmp.
 * @patience: see struct qmp.
 * @explain: see qmp_socket_open().
 * @q: receives the connection, which qmp_close() closes.
 *
 * Return: 0; or -1: ERROR_NO_MACHINE if the machine is not running, or another error.
 */
int target_open(const struct target *target, int stop_fd, int patience, bool explain,
                struct qmp **q, struct error *t);

#endif
