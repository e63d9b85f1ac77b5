/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_QMP_H
#define VPMU_STATS_QMP_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct qmp;

/**
 * struct qmp_ops - the functions of one kind of connection to a monitor
 * @ask: sends a command, {"execute": ..., "arguments": ...}, and receives the response, an object
 *     with "return" or "error", which the caller releases. If @fd is not -1, the descriptor is sent
 *     with the command. The caller still has to close it.
 * @wait: waits until the time @until of qmp_now(), or until the machine reports its shutdown. After
 *     such a report the machine can still respond. The error is ERROR_ENDED if the machine ends
 *     before that, ERROR_STOPPED if qmp.stop_fd becomes readable.
 * @close: closes the connection and frees its memory.
 *
 * @ask and @wait return 0, or -1 with @t set. After ERROR_STOPPED the caller can send further
 * commands.
 */
struct qmp_ops {
    int (*ask)(struct qmp *q, struct json_object *command, int fd, struct json_object **answer,
               struct error *t);
    int (*wait)(struct qmp *q, int64_t until, struct error *t);
    void (*close)(struct qmp *q);
};

/**
 * struct qmp - a connection to a monitor
 * @ops: the functions of this kind of connection.
 * @stop_fd: a descriptor that becomes readable when the user stops the program; -1 for none.
 * @patience: the longest time to wait for a response, in milliseconds.
 */
struct qmp {
    const struct qmp_ops *ops;
    int stop_fd;
    int patience;
};

/** qmp_now() - get the time of CLOCK_MONOTONIC in nanoseconds */
int64_t qmp_now(void);

/** qmp_after() - get the value that qmp_now() will have in @ms milliseconds */
int64_t qmp_after(int64_t ms);

/**
 * qmp_socket_instead() - find out what is at a path instead of a socket
 *
 * Return: a noun such as "a file"; NULL if there is a socket or nothing.
 */
const char *qmp_socket_instead(const char *path);

/**
 * qmp_socket_open() - connect to the Unix socket of a monitor and negotiate capabilities
 * @path: the path of the socket.
 * @stop_fd: see struct qmp.
 * @patience: see struct qmp.
 * @explain: if another client uses the socket, print on standard error that this one waits for it.
 * @q: receives the connection, which qmp_close() closes.
 *
 * Return: 0; or -1: ERROR_NO_MACHINE if nothing listens on the socket, or another error.
 */
int qmp_socket_open(const char *path, int stop_fd, int patience, bool explain, struct qmp **q,
                    struct error *t);

/**
 * qmp_stream_open() - open a connection on a socket where capabilities are negotiated already
 * @fd: the socket, which qmp_close() closes.
 * @stop_fd: see struct qmp.
 * @patience: see struct qmp.
 * @q: receives the connection, which qmp_close() closes.
 */
int qmp_stream_open(int fd, int stop_fd, int patience, struct qmp **q, struct error *t);

/**
 * qmp_call() - execute a command
 * @q: the connection.
 * @name: the name of the command.
 * @arguments: an object, which this function releases; or NULL.
 * @result: receives the value that the command returns, which the caller releases. NULL to ignore
 *     it.
 *
 * Return: 0; or -1: ERROR_NO_VPMU if QEMU does not have the command, ERROR_TALK if it fails.
 */
int qmp_call(struct qmp *q, const char *name, struct json_object *arguments,
             struct json_object **result, struct error *t);

/**
 * qmp_give() - send a descriptor to the machine
 * @q: the connection.
 * @fd: the descriptor. The caller still has to close it.
 * @name: the name by which later commands refer to the descriptor.
 */
int qmp_give(struct qmp *q, int fd, const char *name, struct error *t);

/** qmp_wait() - see struct qmp_ops */
int qmp_wait(struct qmp *q, int64_t until, struct error *t);

/**
 * qmp_hurry() - prepare a connection for the last commands before the program ends
 *
 * The user can no longer stop a command, and the wait for a response is at most 2 seconds.
 */
void qmp_hurry(struct qmp *q);

/** qmp_close() - close a connection. @q may be NULL. */
void qmp_close(struct qmp *q);

#endif
