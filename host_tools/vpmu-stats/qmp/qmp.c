/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Executes QMP commands on a connection of any kind. */
#include "qmp/qmp.h"

#include <string.h>
#include <time.h>

#include "qmp/response.h"

int64_t qmp_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t qmp_after(int64_t ms)
{
    return qmp_now() + ms * 1000000;
}

/* Set @t according to a response {"error": {"class": "...", "desc": "..."}}. */
static int explain_error(const char *name, struct json_object *error, struct error *t)
{
    struct response a = {.o = error, .what = name, .t = t};
    const char *class;
    const char *desc;

    if (response_string(a, "class", &class) || response_string(a, "desc", &desc)) {
        return -1;
    }
    if (strcmp(class, "CommandNotFound") == 0) {
        return error_set(t, ERROR_NO_VPMU, "this QEMU has no vpmu: it has no command %s", name);
    }
    return error_set(t, ERROR_TALK, "%s: %s", name, desc);
}

static int take_answer(const char *name, struct json_object *answer, struct json_object **result,
                       struct error *t)
{
    struct json_object *value;

    if (json_object_object_get_ex(answer, "error", &value)) {
        return explain_error(name, value, t);
    }
    if (!json_object_object_get_ex(answer, "return", &value)) {
        return error_set(t, ERROR_TALK, "%s: the response is neither success nor error", name);
    }
    if (result) {
        *result = json_object_get(value);
    }
    return 0;
}

static struct json_object *make_command(const char *name, struct json_object *arguments)
{
    struct json_object *command = json_object_new_object();

    if (!command) {
        json_object_put(arguments);
        return NULL;
    }
    json_object_object_add(command, "execute", json_object_new_string(name));
    if (arguments) {
        json_object_object_add(command, "arguments", arguments);
    }
    return command;
}

static int call(struct qmp *q, const char *name, struct json_object *arguments, int fd,
                struct json_object **result, struct error *t)
{
    struct json_object *command = make_command(name, arguments);
    struct json_object *answer = NULL;
    int err;

    if (!command) {
        return error_memory(t);
    }
    err = q->ops->ask(q, command, fd, &answer, t);
    json_object_put(command);
    if (!err) {
        err = take_answer(name, answer, result, t);
        json_object_put(answer);
    }
    return err;
}

int qmp_call(struct qmp *q, const char *name, struct json_object *arguments,
             struct json_object **result, struct error *t)
{
    return call(q, name, arguments, -1, result, t);
}

int qmp_give(struct qmp *q, int fd, const char *name, struct error *t)
{
    struct json_object *arguments = json_object_new_object();

    if (!arguments) {
        return error_memory(t);
    }
    json_object_object_add(arguments, "fdname", json_object_new_string(name));
    return call(q, "getfd", arguments, fd, NULL, t);
}

int qmp_wait(struct qmp *q, int64_t until, struct error *t)
{
    return q->ops->wait(q, until, t);
}

/* A machine that still runs is expected to respond within this time. */
#define PATIENCE_AT_END_MS 2000

void qmp_hurry(struct qmp *q)
{
    q->stop_fd = -1;
    q->patience = q->patience < PATIENCE_AT_END_MS ? q->patience : PATIENCE_AT_END_MS;
}

void qmp_close(struct qmp *q)
{
    if (q) {
        q->ops->close(q);
    }
}
