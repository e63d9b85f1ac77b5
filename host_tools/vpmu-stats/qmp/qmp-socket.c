/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A connection to the Unix socket of a monitor. The peer sends lines with a JSON object each: first
 * a greeting, then responses and events. A response carries the ID of its command. The peer is not
 * trusted.
 */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "qmp/response.h"
#include "qmp/socket-users.h"
#include "qmp/qmp.h"

#define CHUNK 65536u

/* The time in milliseconds after which the program prints what it waits for. */
#define PROMPT_MS 500
/* How often to try to connect if too many clients are waiting already. */
#define RETRY_MS 20

/**
 * struct qmp_socket - a connection
 * @qmp: the connection that the caller uses.
 * @fd: the socket.
 * @greeted: the peer has sent the greeting.
 * @number: the ID of the last command.
 * @buf: a buffer for received bytes.
 * @size: the size of @buf.
 * @start: the index of the first byte in @buf that has not been consumed.
 * @scanned: there is no newline from @start to here.
 * @end: the index behind the last received byte.
 */
struct qmp_socket {
    struct qmp qmp;
    int fd;
    bool greeted;
    int64_t number;
    char *buf;
    size_t size;
    size_t start;
    size_t scanned;
    size_t end;
};

static struct qmp_socket *of(struct qmp *q)
{
    return (struct qmp_socket *)q;
}

static int say_ended(const struct qmp_socket *s, struct error *t)
{
    return s->greeted
               ? error_set(t, ERROR_ENDED, "the machine ended")
               : error_set(t, ERROR_TALK,
                           "the peer closed the connection before QMP's greeting; is it QEMU?");
}

/* Return: the time left until @until in milliseconds, rounded up, for poll(); at most a minute. */
static int left_ms(int64_t until)
{
    int64_t left = until - qmp_now();

    return left <= 0 ? 0 : left > 60000000000 ? 60000 : (int)((left + 999999) / 1000000);
}

/*
 * Wait until the socket is ready or the time @until has come. Return: 1 if it is ready, 0 if not,
 * -1 with an error. The user can stop the wait for input, but not the output of a command, because
 * half a command must not remain on the socket.
 */
static int wait_ready(struct qmp_socket *s, short events, int64_t until, struct error *t)
{
    struct pollfd fds[] = {{.fd = s->fd, .events = events},
                           {.fd = events == POLLIN ? s->qmp.stop_fd : -1, .events = POLLIN}};

    for (;;) {
        int n = poll(fds, 2, left_ms(until));

        if (n < 0 && errno != EINTR) {
            return error_set(t, ERROR_TALK, "cannot wait: %s", strerror(errno));
        }
        if (n > 0 && fds[1].revents) {
            return error_set(t, ERROR_STOPPED, "stopped");
        }
        if (n > 0) {
            return 1;
        }
        if (qmp_now() >= until) {
            return 0;
        }
    }
}

/* Make room in the buffer for more bytes of a line, which must not exceed RESPONSE_MAX_BYTES. */
static int make_room(struct qmp_socket *s, struct error *t)
{
    size_t size = s->size ? s->size * 2 : CHUNK;
    char *buf;

    if (s->start > 0) {
        memmove(s->buf, s->buf + s->start, s->end - s->start);
        s->end -= s->start;
        s->scanned -= s->start;
        s->start = 0;
    }
    if (s->end < s->size) {
        return 0;
    }
    if (s->end > RESPONSE_MAX_BYTES) {
        return error_set(t, ERROR_TALK, "the peer sent a line of more than %u MiB",
                         RESPONSE_MAX_BYTES >> 20);
    }
    buf = realloc(s->buf, size);
    if (!buf) {
        return error_memory(t);
    }
    s->buf = buf;
    s->size = size;
    return 0;
}

/* Receive the bytes that are available, without waiting. */
static int receive(struct qmp_socket *s, struct error *t)
{
    ssize_t n;

    if (make_room(s, t)) {
        return -1;
    }
    n = recv(s->fd, s->buf + s->end, s->size - s->end, MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno == ECONNRESET)) {
        return say_ended(s, t);
    }
    if (n < 0 && errno != EAGAIN && errno != EINTR) {
        return error_set(t, ERROR_TALK, "cannot read from the socket: %s", strerror(errno));
    }
    s->end += n > 0 ? (size_t)n : 0;
    return 0;
}

/*
 * Consume the next complete line in the buffer. Return: its length without the newline; -1 if there
 * is none.
 */
static ssize_t find_line(struct qmp_socket *s, const char **line)
{
    const char *end =
        s->end > s->scanned ? memchr(s->buf + s->scanned, '\n', s->end - s->scanned) : NULL;
    size_t len;

    if (!end) {
        s->scanned = s->end;
        return -1;
    }
    *line = s->buf + s->start;
    len = (size_t)(end - *line);
    s->start += len + 1;
    s->scanned = s->start;
    return (ssize_t)len;
}

/*
 * Read the next line, which is valid until the next call. Return: 1; 0 if the time @until has come;
 * -1 with an error.
 */
static int read_line(struct qmp_socket *s, int64_t until, const char **line, size_t *len,
                     struct error *t)
{
    ssize_t found;
    int ready;

    while ((found = find_line(s, line)) < 0) {
        ready = wait_ready(s, POLLIN, until, t);
        if (ready <= 0) {
            return ready;
        }
        if (receive(s, t)) {
            return -1;
        }
    }
    *len = (size_t)found;
    return 1;
}

/* Read the next object that is not an event. */
static int read_object(struct qmp_socket *s, int64_t until, struct json_object **o, struct error *t)
{
    const char *line;
    size_t len;

    for (;;) {
        int got = read_line(s, until, &line, &len, t);

        if (got == 0) {
            return error_set(t, ERROR_TALK, "no response within %d ms%s", s->qmp.patience,
                             s->greeted ? "" : "; QEMU serves one client at a time");
        }
        if (got != 1 || response_parse(line, len, o, t)) {
            return -1;
        }
        if (!json_object_object_get_ex(*o, "event", NULL)) {
            return 0;
        }
        json_object_put(*o);
        if (qmp_now() >= until) {
            return error_set(t, ERROR_TALK, "the peer sends events but no response");
        }
    }
}

/* Like send(), but also send the descriptor @fd with the first byte, unless it is -1. */
static ssize_t send_some(int socket, const char *text, size_t len, int fd)
{
    struct iovec data = {.iov_base = (void *)(uintptr_t)text, .iov_len = len};
    union {
        struct cmsghdr head;
        char space[CMSG_SPACE(sizeof(int))];
    } control = {.head = {.cmsg_level = SOL_SOCKET,
                          .cmsg_type = SCM_RIGHTS,
                          .cmsg_len = CMSG_LEN(sizeof(int))}};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};

    if (fd >= 0) {
        memcpy(CMSG_DATA(&control.head), &fd, sizeof(fd));
        message.msg_control = &control;
        message.msg_controllen = sizeof(control);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static int send_all(struct qmp_socket *s, const char *text, size_t len, int fd, int64_t until,
                    struct error *t)
{
    while (len > 0) {
        ssize_t n = send_some(s->fd, text, len, fd);

        if (n > 0) {
            fd = -1;
            text += n;
            len -= (size_t)n;
        } else if (errno == EPIPE || errno == ECONNRESET) {
            return say_ended(s, t);
        } else if (errno != EAGAIN && errno != EINTR) {
            return error_set(t, ERROR_TALK, "cannot write to the socket: %s", strerror(errno));
        } else {
            int ready = wait_ready(s, POLLOUT, until, t);

            if (ready <= 0) {
                return ready < 0
                           ? -1
                           : error_set(t, ERROR_TALK, "the peer does not read from the socket");
            }
        }
    }
    return 0;
}

static int send_command(struct qmp_socket *s, struct json_object *command, int fd, int64_t until,
                        struct error *t)
{
    const char *text;
    size_t len;

    json_object_object_add(command, "id", json_object_new_int64(++s->number));
    text = json_object_to_json_string_length(command, JSON_C_TO_STRING_PLAIN, &len);
    if (!text) {
        return error_memory(t);
    }
    return send_all(s, text, len, fd, until, t) || send_all(s, "\n", 1, -1, until, t) ? -1 : 0;
}

/* Check whether this is the response to an earlier command, after we stopped waiting for it. */
static bool is_late(const struct qmp_socket *s, struct json_object *answer)
{
    struct json_object *id;

    return json_object_object_get_ex(answer, "id", &id) && json_object_is_type(id, json_type_int) &&
           json_object_get_int64(id) < s->number;
}

static int socket_ask(struct qmp *q, struct json_object *command, int fd,
                      struct json_object **answer, struct error *t)
{
    struct qmp_socket *s = of(q);
    int64_t until = qmp_after(q->patience);

    if (send_command(s, command, fd, until, t)) {
        return -1;
    }
    for (;;) {
        if (read_object(s, until, answer, t)) {
            return -1;
        }
        if (!is_late(s, *answer)) {
            return 0;
        }
        json_object_put(*answer);
    }
}

/* Check for {"event": "SHUTDOWN", ...}. A line that is not an object is not an error here. */
static bool is_shutdown(const char *line, size_t len)
{
    struct error ignored = {0};
    struct json_object *o;
    struct json_object *event;
    bool shutdown;

    if (response_parse(line, len, &o, &ignored)) {
        return false;
    }
    shutdown = json_object_object_get_ex(o, "event", &event) &&
               json_object_is_type(event, json_type_string) &&
               strcmp(json_object_get_string(event), "SHUTDOWN") == 0;
    json_object_put(o);
    return shutdown;
}

/* Other events are received only because the peer would block if nobody read them. */
static int socket_wait(struct qmp *q, int64_t until, struct error *t)
{
    const char *line;
    size_t len;
    int got;

    do {
        got = read_line(of(q), until, &line, &len, t);
    } while (got > 0 && qmp_now() < until && !is_shutdown(line, len));
    return got < 0 ? -1 : 0;
}

static void socket_close(struct qmp *q)
{
    struct qmp_socket *s = of(q);

    if (s->fd >= 0) {
        close(s->fd);
    }
    free(s->buf);
    free(s);
}

static const struct qmp_ops socket_ops = {
    .ask = socket_ask,
    .wait = socket_wait,
    .close = socket_close,
};

/**
 * struct turn - the wait until the machine serves this client
 * @path: the path of the socket.
 * @until: when the patience ends.
 * @prompt: when to print what the program waits for; INT64_MAX for never.
 */
struct turn {
    const char *path;
    int64_t until;
    int64_t prompt;
};

/* The server sends the greeting when it accepts the connection, so another client comes first. */
static void explain_wait(struct turn *turn)
{
    enum socket_users users;
    struct error notice;

    if (qmp_now() < turn->prompt) {
        return;
    }
    turn->prompt = INT64_MAX;
    users = socket_users(turn->path);
    if (users != SOCKET_USERS_NONE) {
        error_set(&notice, ERROR_TALK,
                  "waiting for %s: %s; QEMU serves one client per socket at a time, so give each "
                  "program its own: -qmp unix:PATH,server=on,wait=off",
                  turn->path,
                  users == SOCKET_USERS_OTHER ? "another program is connected to it"
                                              : "another program may be connected to it");
        error_print(&notice);
    }
}

const char *qmp_socket_instead(const char *path)
{
    struct stat st;

    return stat(path, &st)        ? NULL
           : S_ISSOCK(st.st_mode) ? NULL
           : S_ISDIR(st.st_mode)  ? "a directory"
           : S_ISFIFO(st.st_mode) ? "a FIFO"
           : S_ISREG(st.st_mode)  ? "a file"
                                  : "a device";
}

static int explain_connect(const char *path, int error, struct error *t)
{
    const char *what = qmp_socket_instead(path);

    if (what) {
        return error_set(t, ERROR_NO_MACHINE, "%s is %s, not a socket", path, what);
    }
    switch (error) {
    case ENOENT:
    case ECONNREFUSED:
        return error_set(t, ERROR_NO_MACHINE, "%s: no machine listens", path);
    case EAGAIN:
        return error_set(t, ERROR_TALK, "%s: too many clients are waiting", path);
    case EACCES:
    case EPERM:
        return error_set(t, ERROR_DENIED, "%s: this user may not connect", path);
    default:
        return error_set(t, ERROR_TALK, "%s: cannot connect: %s", path, strerror(error));
    }
}

/* Waits a moment. Return: 0, or -1 with ERROR_STOPPED. */
static int wait_retry(const struct qmp_socket *s, struct error *t)
{
    struct pollfd fd = {.fd = s->qmp.stop_fd, .events = POLLIN};

    return poll(&fd, 1, RETRY_MS) > 0 ? error_set(t, ERROR_STOPPED, "stopped") : 0;
}

/* The kernel lets few clients wait for a server. Others have to try again. */
static int connect_to(struct qmp_socket *s, struct turn *turn, struct error *t)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    if (strlen(turn->path) >= sizeof(address.sun_path)) {
        return error_set(t, ERROR_USAGE, "%s: the path of a socket must be shorter than %zu bytes",
                         turn->path, sizeof(address.sun_path));
    }
    memcpy(address.sun_path, turn->path, strlen(turn->path));
    s->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->fd < 0) {
        return error_set(t, ERROR_TALK, "cannot make a socket: %s", strerror(errno));
    }
    while (connect(s->fd, (const struct sockaddr *)&address, sizeof(address))) {
        if (errno != EAGAIN || qmp_now() >= turn->until) {
            return explain_connect(turn->path, errno, t);
        }
        explain_wait(turn);
        if (wait_retry(s, t)) {
            return -1;
        }
    }
    return 0;
}

/* Wait for the greeting until a notice is due, and print that. */
static int wait_greeting(struct qmp_socket *s, struct turn *turn, struct error *t)
{
    int ready = turn->prompt < turn->until ? wait_ready(s, POLLIN, turn->prompt, t) : 1;

    if (ready == 0) {
        explain_wait(turn);
    }
    return ready < 0 ? -1 : 0;
}

static int negotiate(struct qmp_socket *s, int64_t until, struct error *t)
{
    struct json_object *greeting;
    bool is_qmp;

    if (read_object(s, until, &greeting, t)) {
        return -1;
    }
    is_qmp = json_object_object_get_ex(greeting, "QMP", NULL);
    json_object_put(greeting);
    if (!is_qmp) {
        return error_set(t, ERROR_TALK, "the peer does not send QMP's greeting");
    }
    s->greeted = true;
    return qmp_call(&s->qmp, "qmp_capabilities", NULL, NULL, t);
}

static struct qmp_socket *new_socket(int fd, int stop_fd, int patience)
{
    struct qmp_socket *s = calloc(1, sizeof(*s));

    if (s) {
        s->qmp = (struct qmp){.ops = &socket_ops, .stop_fd = stop_fd, .patience = patience};
        s->fd = fd;
    }
    return s;
}

int qmp_socket_open(const char *path, int stop_fd, int patience, bool explain, struct qmp **q,
                    struct error *t)
{
    struct qmp_socket *s = new_socket(-1, stop_fd, patience);
    struct turn turn = {.path = path,
                        .until = qmp_after(patience),
                        .prompt = explain ? qmp_after(PROMPT_MS) : INT64_MAX};

    if (!s) {
        return error_memory(t);
    }
    if (connect_to(s, &turn, t) || wait_greeting(s, &turn, t) || negotiate(s, turn.until, t)) {
        qmp_close(&s->qmp);
        return -1;
    }
    *q = &s->qmp;
    return 0;
}

int qmp_stream_open(int fd, int stop_fd, int patience, struct qmp **q, struct error *t)
{
    struct qmp_socket *s = new_socket(fd, stop_fd, patience);

    if (!s) {
        return error_memory(t);
    }
    s->greeted = true;
    *q = &s->qmp;
    return 0;
}
