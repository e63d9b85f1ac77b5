/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The few commands of QEMU's monitor (QMP) that saving a machine takes. */
#include "machine/monitor.h"

#include <json-c/json.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* How often the program reads the state of the machine, in milliseconds. */
#define LOOK 10

/* receive() - the next line, as an object that the caller puts; NULL at the end */
static struct json_object *receive(FILE *from)
{
    char *line = NULL;
    size_t size = 0;
    struct json_object *o = NULL;

    if (getline(&line, &size, from) > 0) {
        o = json_tokener_parse(line);
    }
    free(line);
    return o;
}

/* transmit() - sends a command. An emulator that has ended is an error and not a SIGPIPE. */
static bool transmit(FILE *monitor, const char *command)
{
    size_t n = strlen(command);

    return send(fileno(monitor), command, n, MSG_NOSIGNAL) == (ssize_t)n &&
           send(fileno(monitor), "\n", 1, MSG_NOSIGNAL) == 1;
}

/* answer_to() - waits for it. Return: the result, which the caller puts; NULL on an error. */
static struct json_object *answer_to(FILE *monitor, const char *command, struct failure *f)
{
    struct json_object *answer, *result = NULL;
    bool more = true;

    while (more) {
        answer = receive(monitor);
        if (!answer) {
            failure_set(f, FAILURE_RUN, "%s", "");
            return NULL;
        }
        if (json_object_object_get_ex(answer, "return", &result)) {
            json_object_get(result);
            more = false;
        } else if (json_object_object_get_ex(answer, "error", &result)) {
            failure_set(f, FAILURE_RUN, "the emulator refuses %s: %s", command,
                        json_object_to_json_string(result));
            result = NULL;
            more = false;
        }
        json_object_put(answer);
    }
    return result;
}

/* call() - executes a command. Return: what it returns, which the caller puts; NULL on an error. */
static struct json_object *call(FILE *monitor, const char *command, struct failure *f)
{
    if (!transmit(monitor, command)) {
        failure_set(f, FAILURE_RUN, "%s", "");
        return NULL;
    }
    return answer_to(monitor, command, f);
}

static int answered(FILE *monitor, const char *command, struct failure *f)
{
    struct json_object *result = answer_to(monitor, command, f);

    json_object_put(result);
    return result ? 0 : -1;
}

static int execute(FILE *monitor, const char *command, struct failure *f)
{
    struct json_object *result = call(monitor, command, f);

    json_object_put(result);
    return result ? 0 : -1;
}

/* await() - waits until "status" of what a command returns is @wanted or, unless that is NULL,
 * @other */
static int await(FILE *monitor, const char *command, const char *wanted, const char *other,
                 struct failure *f)
{
    const struct timespec look = {.tv_nsec = LOOK * 1000000};
    bool reached = false;

    while (!reached) {
        struct json_object *result = call(monitor, command, f), *status = NULL;

        if (!result) {
            return -1;
        }
        if (json_object_object_get_ex(result, "status", &status)) {
            const char *text = json_object_get_string(status);

            reached = strcmp(text, wanted) == 0 || (other && strcmp(text, other) == 0);
            if (strcmp(text, "failed") == 0) {
                json_object_put(result);
                return failure_set(f, FAILURE_RUN, "the emulator cannot save the machine");
            }
        }
        json_object_put(result);
        if (!reached) {
            nanosleep(&look, NULL);
        }
    }
    return 0;
}

int monitor_save(int fd, int state, struct failure *f)
{
    FILE *monitor = fdopen(fd, "r");
    char command[128];
    int err;

    if (!monitor) {
        close(fd);
        return failure_memory(f);
    }
    snprintf(command, sizeof(command),
             "{\"execute\":\"migrate\",\"arguments\":{\"uri\":\"file:/proc/self/fd/%d\"}}", state);
    json_object_put(receive(monitor));
    err = execute(monitor, "{\"execute\":\"qmp_capabilities\"}", f) != 0 ||
          await(monitor, "{\"execute\":\"query-status\"}", "shutdown", "guest-panicked", f) != 0 ||
          execute(monitor,
                  "{\"execute\":\"migrate-set-parameters\",\"arguments\":{\"max-bandwidth\":"
                  "100000000000}}",
                  f) != 0 ||
          execute(monitor, command, f) != 0 ||
          await(monitor, "{\"execute\":\"query-migrate\"}", "completed", NULL, f) != 0;
    fclose(monitor);
    return err ? -1 : 0;
}

/* pass_fd() - gives the emulator a descriptor, which it calls "profile" */
static int pass_fd(int fd, int passed, struct failure *f)
{
    static char command[] = "{\"execute\":\"getfd\",\"arguments\":{\"fdname\":\"profile\"}}\n";
    union {
        char space[CMSG_SPACE(sizeof(int))];
        struct cmsghdr head;
    } control = {{0}};
    struct iovec data = {command, sizeof(command) - 1};
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof(control)};
    struct cmsghdr *head = CMSG_FIRSTHDR(&message);

    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(passed));
    memcpy(CMSG_DATA(head), &passed, sizeof(passed));
    return sendmsg(fd, &message, MSG_NOSIGNAL) == (ssize_t)data.iov_len
               ? 0
               : failure_set(f, FAILURE_RUN, "cannot talk to the emulator");
}

/* make_start() - the command, to be freed; NULL if there is no memory */
static char *make_start(bool calls, const char *const *cost, size_t costs)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (!to) {
        return NULL;
    }
    fprintf(to,
            "{\"execute\":\"vpmu-record-start\",\"arguments\":{\"fd\":\"profile\",\"events\":"
            "[{\"event\":\"instructions:u\",\"exact\":true,\"calls\":%s}",
            calls ? "true" : "false");
    for (size_t i = 0; i < costs; i++) {
        fprintf(to, ",{\"event\":\"%s:u\",\"exact\":true}", cost[i]);
    }
    fprintf(to, "]}}");
    return fclose(to) == 0 ? text : NULL;
}

int monitor_profile(int fd, int profile, bool calls, const char *const *cost, size_t costs,
                    struct failure *f)
{
    int own = dup(fd);
    FILE *monitor = own < 0 ? NULL : fdopen(own, "r");
    char *start = make_start(calls, cost, costs);
    int err;

    if (!monitor || !start) {
        close(own);
        free(start);
        return failure_memory(f);
    }
    json_object_put(receive(monitor));
    err = execute(monitor, "{\"execute\":\"qmp_capabilities\"}", f) != 0 ||
          await(monitor, "{\"execute\":\"query-status\"}", "paused", NULL, f) != 0 ||
          pass_fd(fd, profile, f) != 0 || answered(monitor, "getfd", f) != 0 ||
          execute(monitor, start, f) != 0 || execute(monitor, "{\"execute\":\"cont\"}", f) != 0;
    free(start);
    fclose(monitor);
    return err ? -1 : 0;
}
