/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_QMP_H
#define VPMU_STATS_QMP_H

#include <json-c/json.h>
#include <stdint.h>

#include "base/error.h"

struct qmp;

/**
 * struct qmp_ops - a way to a machine's monitor
 * @ask: sends a command, {"execute": ..., "arguments": ...}, and gets its answer, an object with
 *     "return" or "error", which the caller puts. The descriptor @fd goes with it, unless it is -1;
 *     it stays the caller's.
 * @wait: lets time pass until @until (see qmp_now()), or until the machine says that it shuts down:
 *     it may still answer then. ERROR_ENDED if the machine ends before, ERROR_STOPPED if
 *     qmp.stop_fd becomes readable.
 * @close: ends the connection and frees what belongs to it.
 *
 * All of them return 0 or -1 with @t set, ERROR_STOPPED and ERROR_ENDED included. After
 * ERROR_STOPPED a further command can be asked.
 */
struct qmp_ops {
    int (*ask)(struct qmp *q, struct json_object *command, int fd, struct json_object **answer,
               struct error *t);
    int (*wait)(struct qmp *q, int64_t until, struct error *t);
    void (*close)(struct qmp *q);
};

/**
 * struct qmp - a connection
 * @ops: of its kind.
 * @stop_fd: becomes readable when the user interrupts; -1: never.
 * @patience: how long an answer may take, in milliseconds.
 */
struct qmp {
    const struct qmp_ops *ops;
    int stop_fd;
    int patience;
};

/** qmp_now() - nanoseconds of a monotonic clock */
int64_t qmp_now(void);

/** qmp_after() - that clock's value @ms milliseconds from now */
int64_t qmp_after(int64_t ms);

/**
 * qmp_socket_open() - connects to a monitor's socket and negotiates
 * @path: of a Unix socket.
 * @stop_fd, @patience: see struct qmp.
 * @q: the connection, to be closed with qmp_close().
 *
 * Return: 0, or -1 with ERROR_NO_MACHINE if nothing listens there, or another error.
 */
int qmp_socket_open(const char *path, int stop_fd, int patience, struct qmp **q, struct error *t);

/**
 * qmp_stream_open() - talks over a stream on which everything has been negotiated already
 * @fd: a socket, which the connection closes.
 */
int qmp_stream_open(int fd, int stop_fd, int patience, struct qmp **q, struct error *t);

/**
 * qmp_call() - executes a command
 * @name: of the command.
 * @arguments: an object, which is put; or NULL.
 * @result: what it returns, which the caller puts; NULL if it is not needed.
 *
 * Return: 0, or -1: ERROR_NO_VPMU if there is no such command, ERROR_TALK if it fails.
 */
int qmp_call(struct qmp *q, const char *name, struct json_object *arguments,
             struct json_object **result, struct error *t);

/**
 * qmp_give() - gives a descriptor to the machine, where commands can name it
 * @fd: stays the caller's.
 * @name: for it.
 */
int qmp_give(struct qmp *q, int fd, const char *name, struct error *t);

/** qmp_wait() - see struct qmp_ops */
int qmp_wait(struct qmp *q, int64_t until, struct error *t);

/** qmp_hurry() - only what cannot be left out is asked from now on: nothing stops it, or waits long
 */
void qmp_hurry(struct qmp *q);

/** qmp_close() - @q may be NULL */
void qmp_close(struct qmp *q);

#endif
