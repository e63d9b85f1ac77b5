/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "qmp/qmp.h"
#include "unit/tests.h"

#define GREETING "{\"QMP\": {}}\r\n"
#define OK "{\"return\": {}}\n"
#define MAX_LINE (4u << 20)

/**
 * struct peer - a server that follows a script
 * @say: what it sends: the first text when a client connects, each other one after a line of the
 *     client. After the last one it closes the connection, or keeps it until the test ends.
 * @slowly: send one byte at a time.
 * @late_ms: wait before a line is read.
 * @descriptor: the last descriptor that came with a line, or -1; @descriptors: how many came.
 * @lines, @line: the number of lines from the client, and the length of the last one.
 */
struct peer {
    const char *say[8];
    bool slowly;
    bool keeps;
    int late_ms;
    int listening;
    int descriptor;
    unsigned descriptors, lines;
    size_t line;
    int done[2];
    pthread_t thread;
    char directory[32];
    char path[64];
};

static void say(const struct peer *p, int fd, const char *text)
{
    size_t len = strlen(text);

    for (size_t i = 0; i < len; i += p->slowly ? 1 : len) {
        if (send(fd, text + i, p->slowly ? 1 : len, MSG_NOSIGNAL) < 0) {
            return;
        }
    }
}

/* Reads a line. The client sends nothing after it. Keeps a descriptor that comes with it. */
static bool read_line(struct peer *p, int fd)
{
    static char text[1 << 16];
    ssize_t n;

    usleep((useconds_t)p->late_ms * 1000);
    p->line = 0;
    do {
        char control[CMSG_SPACE(sizeof(int))];
        struct iovec data = {text, sizeof(text)};
        struct msghdr m = {.msg_iov = &data,
                           .msg_iovlen = 1,
                           .msg_control = control,
                           .msg_controllen = sizeof(control)};
        const struct cmsghdr *head;

        n = recvmsg(fd, &m, 0);
        if (n <= 0) {
            return false;
        }
        head = CMSG_FIRSTHDR(&m);
        if (head && head->cmsg_type == SCM_RIGHTS) {
            memcpy(&p->descriptor, CMSG_DATA(head), sizeof(int));
            p->descriptors++;
        }
        p->line += (size_t)n;
    } while (text[n - 1] != '\n');
    p->lines++;
    return true;
}

static void *serve(void *opaque)
{
    struct peer *p = opaque;
    struct pollfd done = {.fd = p->done[0], .events = POLLIN};
    int fd = accept(p->listening, NULL, NULL);

    for (unsigned i = 0; fd >= 0 && p->say[i]; i++) {
        if (i > 0 && !read_line(p, fd)) {
            break;
        }
        say(p, fd, p->say[i]);
    }
    if (p->keeps) {
        poll(&done, 1, 60000);
    }
    close(fd);
    return NULL;
}

static void start(struct peer *p)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    p->descriptor = -1;
    strcpy(p->directory, "/tmp/vpmu-qmp-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(p->directory));
    snprintf(p->path, sizeof(p->path), "%s/s", p->directory);
    memcpy(address.sun_path, p->path, strlen(p->path));
    p->listening = socket(AF_UNIX, SOCK_STREAM, 0);
    ck_assert_int_eq(bind(p->listening, (struct sockaddr *)&address, sizeof(address)), 0);
    ck_assert_int_eq(listen(p->listening, 0), 0);
    ck_assert_int_eq(pipe(p->done), 0);
    ck_assert_int_eq(pthread_create(&p->thread, NULL, serve, p), 0);
}

static void stop(struct peer *p)
{
    close(p->done[1]);
    shutdown(p->listening, SHUT_RDWR);
    pthread_join(p->thread, NULL);
    close(p->done[0]);
    close(p->listening);
    unlink(p->path);
    rmdir(p->directory);
}

/*
 * What a peer sends after the greeting, after the first command and after query-name, and how the
 * command ends. "id" is 2 for query-name.
 */
START_TEST(qmp_answers)
{
    static const struct {
        const char *say[4];
        bool slowly;
        enum error_code code;
        const char *text; /* the name, or a part of the message */
    } rows[] = {
        {{GREETING, OK, "{\"return\": {\"name\": \"vm\"}}\n"}, false, ERROR_NONE, "vm"},
        {{GREETING, OK, "{\"return\": {\"name\": \"vm\"}, \"id\": 2}\r\n"}, true, ERROR_NONE, "vm"},
        {{"{\"event\": \"A\"}\n" GREETING "{\"event\": \"B\"}\n", "{\"event\": \"C\"}\n" OK,
          "{\"event\": \"D\"}\n{\"return\": {\"name\": \"x\"}}\n"},
         false,
         ERROR_NONE,
         "x"},
        {{GREETING, OK,
          "{\"return\": {\"name\": \"old\"}, \"id\": 1}\n{\"return\": {\"name\": \"new\"}}\n"},
         false,
         ERROR_NONE,
         "new"},
        {{GREETING, OK, ""}, false, ERROR_ENDED, "the machine ended"},
        {{GREETING, OK, "{\"return\""}, false, ERROR_ENDED, "the machine ended"},
        {{GREETING}, false, ERROR_ENDED, "the machine ended"},
        {{""}, false, ERROR_TALK, "closed the connection before QMP's greeting"},
        {{"{\"hello\": 1}\n"}, false, ERROR_TALK, "does not send QMP's greeting"},
        {{"hello\n"}, false, ERROR_TALK, "does not speak QMP: hello"},
        {{GREETING, "{\"error\": {\"class\": \"GenericError\", \"desc\": \"no\"}}\n"},
         false,
         ERROR_TALK,
         "qmp_capabilities: no"},
        {{GREETING, OK, "{\"error\": {\"class\": \"CommandNotFound\", \"desc\": \"no\"}}\n"},
         false,
         ERROR_NO_VPMU,
         "it has no command query-name"},
        {{GREETING, OK, "{\"error\": {}}\n"}, false, ERROR_TALK, "class"},
        {{GREETING, OK, "{\"result\": 1}\n"}, false, ERROR_TALK, "neither success nor error"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        unsigned before = count_descriptors();
        struct peer p = {.slowly = rows[i].slowly};
        struct error t = {0};
        struct json_object *o = NULL;
        struct qmp *q = NULL;
        const char *got;

        memcpy(p.say, rows[i].say, sizeof(rows[i].say));
        start(&p);
        if (qmp_socket_open(p.path, -1, 20000, false, &q, &t) == 0) {
            qmp_call(q, "query-name", NULL, &o, &t);
        }
        got = o ? json_object_get_string(json_object_object_get(o, "name")) : t.text;
        ck_assert_msg(t.code == rows[i].code && strstr(got, rows[i].text), "row %zu: got %d %s", i,
                      t.code, got);
        json_object_put(o);
        qmp_close(q);
        stop(&p);
        ck_assert_msg(count_descriptors() == before, "row %zu leaves a descriptor", i);
    }
}
END_TEST

/* A command and a response that fit into no buffer, to a peer that reads late. */
START_TEST(qmp_long)
{
    struct peer p = {.keeps = true, .late_ms = 100, .say = {GREETING, OK, NULL}};
    char *text = malloc(MAX_LINE + 64);
    struct json_object *arguments = json_object_new_object();
    struct json_object *o = NULL;
    struct error t = {0};
    struct qmp *q;
    size_t len = 1000003;
    int n;

    memset(text, 'x', MAX_LINE);
    text[len] = '\0';
    json_object_object_add(arguments, "name", json_object_new_string(text));
    n = sprintf(text, "{\"return\": \"");
    memset(text + n, 'y', len);
    strcpy(text + n + len, "\"}\n");
    p.say[2] = text;
    start(&p);
    ck_assert_int_eq(qmp_socket_open(p.path, -1, 20000, false, &q, &t), 0);
    ck_assert_int_eq(qmp_call(q, "do", arguments, &o, &t), 0);
    ck_assert_uint_eq((size_t)json_object_get_string_len(o), len);
    ck_assert_uint_ge(p.line, len + 30);
    ck_assert_uint_le(p.line, len + 60);
    json_object_put(o);
    qmp_close(q);
    stop(&p);
    free(text);
}
END_TEST

/* No peer makes us keep a line without bound. */
START_TEST(qmp_endless)
{
    struct peer p = {.say = {GREETING, OK, NULL}};
    size_t len = 40u << 20;
    char *text = malloc(len + 1);
    struct error t = {0};
    struct qmp *q;

    memset(text, ' ', len);
    text[len] = '\0';
    p.say[2] = text;
    start(&p);
    ck_assert_int_eq(qmp_socket_open(p.path, -1, 20000, false, &q, &t), 0);
    ck_assert_int_eq(qmp_call(q, "query-name", NULL, NULL, &t), -1);
    ck_assert_int_eq(t.code, ERROR_TALK);
    ck_assert_str_eq(t.text, "the peer sent a line of more than 16 MiB");
    qmp_close(q);
    stop(&p);
    free(text);
}
END_TEST

/* Who waits behind another client is told so on standard error, once, if the program asks for that.
 */
START_TEST(qmp_told)
{
    static const char notice[] = "another program is connected to it";

    for (int explain = 0; explain < 2; explain++) {
        struct peer p = {.keeps = true, .say = {GREETING, OK, NULL}};
        struct error t = {0};
        struct qmp *first, *second;
        char text[1024] = "";
        FILE *said = tmpfile();
        int was = dup(STDERR_FILENO);
        const char *at;

        start(&p);
        ck_assert_int_eq(qmp_socket_open(p.path, -1, 20000, false, &first, &t), 0);
        fflush(stderr);
        dup2(fileno(said), STDERR_FILENO);
        ck_assert_int_eq(qmp_socket_open(p.path, -1, 1500, explain, &second, &t), -1);
        fflush(stderr);
        dup2(was, STDERR_FILENO);
        close(was);
        ck_assert_int_eq(t.code, ERROR_TALK);
        rewind(said);
        ck_assert(fread(text, 1, sizeof(text) - 1, said) < sizeof(text) - 1);
        at = strstr(text, notice);
        ck_assert_msg((at != NULL) == explain, "%s", text);
        ck_assert(!at || !strstr(at + 1, notice));
        fclose(said);
        qmp_close(first);
        stop(&p);
    }
}
END_TEST

/* A peer that stops reading, and one that stops answering: the patience is that of one command. */
START_TEST(qmp_patience)
{
    struct peer p = {.keeps = true, .say = {GREETING, OK, "", NULL}};
    struct json_object *arguments = json_object_new_object();
    struct error t = {0};
    struct qmp *q;
    char *text = malloc(MAX_LINE);
    int64_t began;

    memset(text, 'x', MAX_LINE - 1);
    text[MAX_LINE - 1] = '\0';
    json_object_object_add(arguments, "name", json_object_new_string(text));
    start(&p);
    ck_assert_int_eq(qmp_socket_open(p.path, -1, 20000, false, &q, &t), 0);
    q->patience = 200;
    began = qmp_now();
    ck_assert_int_eq(qmp_call(q, "query-name", NULL, NULL, &t), -1);
    ck_assert_str_eq(t.text, "no response within 200 ms");
    ck_assert_int_ge(qmp_now() - began, 200000000);
    ck_assert_int_eq(qmp_call(q, "do", arguments, NULL, &t), -1);
    ck_assert_str_eq(t.text, "the peer does not read from the socket");
    ck_assert_int_ge(qmp_now() - began, 400000000);
    qmp_close(q);
    stop(&p);
    free(text);
}
END_TEST

/* A stream of our own has no greeting; it is closed with its machine. */
START_TEST(qmp_stream)
{
    static const char answer[] = "{\"return\": {\"name\": \"a\"}}\n";
    unsigned before = count_descriptors();
    struct json_object *o = NULL;
    struct error t = {0};
    struct qmp *q;
    char line[80] = "";
    int ends[2];

    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    ck_assert_int_eq(write(ends[1], answer, strlen(answer)), (int)strlen(answer));
    ck_assert_int_eq(qmp_stream_open(ends[0], -1, 20000, &q, &t), 0);
    ck_assert_int_eq(qmp_call(q, "query-name", NULL, &o, &t), 0);
    ck_assert_str_eq(json_object_get_string(json_object_object_get(o, "name")), "a");
    ck_assert_int_gt(read(ends[1], line, sizeof(line) - 1), 0);
    ck_assert_ptr_nonnull(strstr(line, "query-name"));
    json_object_put(o);
    qmp_close(q);
    close(ends[1]);
    ck_assert_uint_eq(count_descriptors(), before);
}
END_TEST

/* The descriptor comes with its own command only. */
START_TEST(qmp_descriptor)
{
    struct peer p = {.say = {GREETING, OK, OK, OK, NULL}};
    struct error t = {0};
    struct qmp *q;
    int ends[2];
    int first;
    char byte = 0;

    ck_assert_int_eq(pipe(ends), 0);
    start(&p);
    ck_assert_int_eq(qmp_socket_open(p.path, -1, 20000, false, &q, &t), 0);
    ck_assert_int_eq(qmp_give(q, ends[1], "fd", &t), 0);
    first = p.descriptor;
    ck_assert_int_ge(first, 0);
    ck_assert_int_eq(write(first, "z", 1), 1);
    ck_assert_int_eq(read(ends[0], &byte, 1), 1);
    ck_assert_int_eq(byte, 'z');
    p.descriptor = -1;
    ck_assert_int_eq(qmp_call(q, "query-name", NULL, NULL, &t), 0);
    ck_assert_int_eq(p.descriptor, -1);
    ck_assert_uint_eq(p.lines, 3);
    qmp_close(q);
    stop(&p);
    close(first);
    close(ends[0]);
    close(ends[1]);
}
END_TEST

/* It comes once with a command that is sent in pieces. */
START_TEST(qmp_descriptor_once)
{
    struct peer p = {.keeps = true, .late_ms = 100, .say = {GREETING, OK, OK, NULL}};
    char *name = malloc(1000000);
    struct error t = {0};
    struct qmp *q;

    memset(name, 'x', 999999);
    name[999999] = '\0';
    start(&p);
    ck_assert_int_eq(qmp_socket_open(p.path, -1, 20000, false, &q, &t), 0);
    ck_assert_int_eq(qmp_give(q, p.done[0], name, &t), 0);
    ck_assert_uint_ge(p.line, 999999);
    ck_assert_uint_eq(p.descriptors, 1);
    close(p.descriptor);
    qmp_close(q);
    stop(&p);
    free(name);
}
END_TEST

/* What ends a wait of 300 ms, and whether it ends early. */
START_TEST(qmp_waits)
{
    static const struct {
        const char *say;
        bool keeps;
        bool stops;
        bool early;
        enum error_code code;
    } rows[] = {
        {"", true, false, false, ERROR_NONE},
        {"{\"event\": \"STOP\"}\nno object\n", true, false, false, ERROR_NONE},
        {"{\"event\": 5}\n", true, false, false, ERROR_NONE},
        {"{\"event\": \"STOP\"}\n{\"event\": \"SHUTDOWN\"}\n", true, false, true, ERROR_NONE},
        {"", false, false, true, ERROR_ENDED},
        {"", true, true, true, ERROR_STOPPED},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct peer p = {.keeps = rows[i].keeps, .say = {GREETING, NULL}};
        struct error t = {0};
        struct qmp *q;
        char text[128];
        int64_t began;
        int ends[2];

        snprintf(text, sizeof(text), "%s%s", OK, rows[i].say);
        p.say[1] = text;
        ck_assert_int_eq(pipe(ends), 0);
        start(&p);
        ck_assert_int_eq(qmp_socket_open(p.path, ends[0], 20000, false, &q, &t), 0);
        ck_assert_int_eq(write(ends[1], "", rows[i].stops), rows[i].stops);
        began = qmp_now();
        ck_assert_int_eq(qmp_wait(q, qmp_after(300), &t), rows[i].code ? -1 : 0);
        ck_assert_int_eq(t.code, rows[i].code);
        ck_assert_msg((qmp_now() - began < 300000000) == rows[i].early || rows[i].early,
                      "row %zu ends early", i);
        qmp_close(q);
        stop(&p);
        close(ends[0]);
        close(ends[1]);
    }
}
END_TEST

/* Who can be served only later waits for the patience, and who waits is served. */
START_TEST(qmp_queue)
{
    struct peer p = {.keeps = true, .say = {GREETING, NULL}};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct error t = {0};
    struct qmp *q;
    int64_t began;
    int client[3];
    char path[200];

    start(&p);
    memcpy(address.sun_path, p.path, strlen(p.path));
    for (unsigned i = 0; i < COUNT_OF(client); i++) {
        client[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
        while (connect(client[i], (struct sockaddr *)&address, sizeof(address)) && i < 2) {
            usleep(1000);
        }
    }
    began = qmp_now();
    ck_assert_int_eq(qmp_socket_open(p.path, -1, 150, false, &q, &t), -1);
    ck_assert_int_ge(qmp_now() - began, 150000000);
    ck_assert_int_eq(t.code, ERROR_TALK);
    ck_assert_ptr_nonnull(strstr(t.text, "/s: too many clients are waiting"));
    for (unsigned i = 0; i < COUNT_OF(client); i++) {
        close(client[i]);
    }
    stop(&p);
    ck_assert_int_eq(qmp_socket_open(p.path, -1, 150, false, &q, &t), -1);
    ck_assert_int_eq(t.code, ERROR_NO_MACHINE);
    memset(path, 'x', sizeof(path));
    path[sizeof(path) - 1] = '\0';
    for (unsigned i = 0; i < 2; i++) {
        path[108 - i] = '\0';
        ck_assert_int_eq(qmp_socket_open(path, -1, 150, false, &q, &t), -1);
        ck_assert_int_eq(t.code, i ? ERROR_NO_MACHINE : ERROR_USAGE);
    }
}
END_TEST

/* A path that exists, but is not a socket. */
START_TEST(qmp_no_socket)
{
    static const struct {
        const char *path;
        const char *text;
    } rows[] = {
        {"/", "/ is a directory, not a socket"},
        {"/proc/self/exe", "/proc/self/exe is a file, not a socket"},
        {"/dev/null", "/dev/null is a device, not a socket"},
        {"/proc/self/fd/not", "/proc/self/fd/not: no machine listens"},
    };
    char directory[] = TEMPORARY_PATH;
    char path[sizeof(directory) + 8];
    struct error t = {0};
    struct qmp *q;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_int_eq(qmp_socket_open(rows[i].path, -1, 150, false, &q, &t), -1);
        ck_assert_int_eq(t.code, ERROR_NO_MACHINE);
        ck_assert_str_eq(t.text, rows[i].text);
    }
    ck_assert_ptr_nonnull(mkdtemp(directory));
    snprintf(path, sizeof(path), "%s/fifo", directory);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert_int_eq(qmp_socket_open(path, -1, 150, false, &q, &t), -1);
    ck_assert_ptr_nonnull(strstr(t.text, "/fifo is a FIFO, not a socket"));
    unlink(path);
    rmdir(directory);
}
END_TEST

Suite *qmp_socket_suite(void)
{
    const TTest *const tests[] = {
        qmp_answers, qmp_long,  qmp_patience, qmp_stream, qmp_descriptor, qmp_descriptor_once,
        qmp_waits,   qmp_queue, qmp_endless,  qmp_told,   qmp_no_socket};

    return suite_of("qmp_socket", tests, COUNT_OF(tests));
}
