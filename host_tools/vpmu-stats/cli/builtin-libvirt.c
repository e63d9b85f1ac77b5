/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs in a child process of vpmu-stats: lists libvirt's domains, or passes commands to the monitor
 * of a domain. Only this file waits for libvirt.
 */
#include <errno.h>
#include <json-c/json.h>
#include <libvirt/libvirt-qemu.h>
#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>
#include <libxml/parser.h>
#include <libxml/xpath.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "qmp/response.h"
#include "cli/builtin.h"
#include "qmp/libvirt.h"

/* After this many seconds of silence, and this many times, libvirt counts as dead. */
#define KEEPALIVE_S 5
#define KEEPALIVE_COUNT 3

static enum error_code code_of(const virError *e)
{
    switch (e->code) {
    case VIR_ERR_AUTH_FAILED:
    case VIR_ERR_AUTH_CANCELLED:
    case VIR_ERR_AUTH_UNAVAILABLE:
    case VIR_ERR_ACCESS_DENIED:
    case VIR_ERR_OPERATION_DENIED:
        return ERROR_DENIED;
    case VIR_ERR_SYSTEM_ERROR:
        return e->int1 == EACCES || e->int1 == EPERM          ? ERROR_DENIED
               : e->int1 == ENOENT || e->int1 == ECONNREFUSED ? ERROR_NO_MACHINE
                                                              : ERROR_TALK;
    case VIR_ERR_NO_DOMAIN:
        return ERROR_NO_MACHINE;
    default:
        return ERROR_TALK;
    }
}

/* Reports libvirt's last error. */
static int take_error(struct error *t)
{
    const virError *e = virGetLastError();

    if (!e) {
        return error_set(t, ERROR_TALK, "libvirt gives no reason");
    }
    if (code_of(e) == ERROR_DENIED) {
        return error_set(t, ERROR_DENIED,
                         "libvirt denies access to this user: %s; root or a member of libvirt's "
                         "group may have access",
                         e->message);
    }
    return error_set(t, code_of(e), "libvirt: %s", e->message);
}

static void be_silent(void *opaque, virErrorPtr error)
{
    (void)opaque;
    (void)error;
}

/*
 * Opens a connection that allows monitor commands, which a read-only connection does not. With
 * @start, libvirt's session daemon is started if none runs.
 */
static int connect_to(const char *uri, bool start, virConnectPtr *conn, struct error *t)
{
    virSetErrorFunc(NULL, be_silent);
    if (!start) {
        setenv("LIBVIRT_AUTOSTART", "0", 1);
    }
    if (virInitialize() || virEventRegisterDefaultImpl()) {
        return take_error(t);
    }
    *conn = virConnectOpen(uri);
    return *conn ? 0 : take_error(t);
}

/* Reads the architecture from /domain/os/type/@arch in the description of a domain. */
static enum domain_arch arch_of(virDomainPtr domain)
{
    static const struct {
        const char *name;
        enum domain_arch arch;
    } names[] = {
        {"aarch64", DOMAIN_ARM},
        {"armv7l", DOMAIN_ARM},
        {"x86_64", DOMAIN_X86},
        {"i686", DOMAIN_X86},
    };
    char *text = virDomainGetXMLDesc(domain, 0);
    xmlDoc *xml = text ? xmlReadMemory(text, (int)strlen(text), "domain.xml", NULL,
                                       XML_PARSE_NONET | XML_PARSE_NOERROR)
                       : NULL;
    xmlXPathContext *context = xml ? xmlXPathNewContext(xml) : NULL;
    const xmlChar *path = (const xmlChar *)"string(/domain/os/type/@arch)";
    xmlXPathObject *found = context ? xmlXPathEvalExpression(path, context) : NULL;
    enum domain_arch arch = DOMAIN_OTHER;

    for (size_t i = 0; found && i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp((const char *)found->stringval, names[i].name) == 0) {
            arch = names[i].arch;
        }
    }
    xmlXPathFreeObject(found);
    xmlXPathFreeContext(context);
    xmlFreeDoc(xml);
    free(text);
    return arch;
}

static void print_domain(virDomainPtr domain)
{
    char uuid[VIR_UUID_STRING_BUFLEN];
    int id = (int)virDomainGetID(domain);

    if (virDomainGetUUIDString(domain, uuid) == 0) {
        printf("%d %d %s %s\n", id, id >= 0 ? (int)arch_of(domain) : 0, uuid,
               virDomainGetName(domain));
    }
}

/* Only this driver of libvirt has a QEMU monitor. */
static bool is_qemu(virConnectPtr conn)
{
    const char *type = virConnectGetType(conn);

    return type && strcmp(type, "QEMU") == 0;
}

static int print_domains(virConnectPtr conn, struct error *t)
{
    char *uri = virConnectGetURI(conn);
    virDomainPtr *domains = NULL;
    int n = is_qemu(conn) ? virConnectListAllDomains(conn, &domains, 0) : 0;

    if (!uri || n < 0) {
        free(uri);
        return take_error(t);
    }
    printf("%s\n", uri);
    for (int i = 0; i < n; i++) {
        print_domain(domains[i]);
        virDomainFree(domains[i]);
    }
    free(domains);
    free(uri);
    return 0;
}

/*
 * libvirt-list [URI]: prints the URI, then for each domain a line with its ID, its enum
 * domain_arch, its UUID and its name.
 */
int builtin_libvirt_list(int argc, char **argv, int stop_fd)
{
    const char *uri = argc > 1 ? argv[1] : NULL;
    struct error t = {0};
    virConnectPtr conn;

    (void)stop_fd;
    if (connect_to(uri, uri, &conn, &t) == 0) {
        if (uri && !is_qemu(conn)) {
            error_set(&t, ERROR_USAGE, "%s does not use QEMU", uri);
        } else {
            print_domains(conn, &t);
        }
        virConnectClose(conn);
    }
    error_print(&t);
    return (int)t.code;
}

/**
 * struct monitor - the monitor of a domain
 * @buf: commands that have been received, @len bytes. @size bytes are allocated.
 * @fd: a descriptor that arrived with the last data, for the command in them; or -1.
 * @done: an error occurred or there is nothing left to do.
 */
struct monitor {
    virConnectPtr conn;
    virDomainPtr domain;
    char *buf;
    size_t len;
    size_t size;
    int fd;
    bool done;
    struct error t;
};

/* Sets an error after a failed command. The usual reason is that QEMU has ended. */
static int explain_failure(struct monitor *m)
{
    take_error(&m->t);
    if (virConnectIsAlive(m->conn) == 1 && virDomainIsActive(m->domain) == 0) {
        error_set(&m->t, ERROR_ENDED, "the machine ended");
    }
    return -1;
}

static void drop_descriptor(struct monitor *m)
{
    if (m->fd >= 0) {
        close(m->fd);
        m->fd = -1;
    }
}

/*
 * A libvirt that cannot pass descriptors can still execute commands without one, so the function
 * for descriptors is used only when there is one.
 */
static int execute(struct monitor *m, const char *text, char **result)
{
    int err;

    if (m->fd < 0) {
        return virDomainQemuMonitorCommand(m->domain, text, result,
                                           VIR_DOMAIN_QEMU_MONITOR_COMMAND_DEFAULT);
    }
    err = virDomainQemuMonitorCommandWithFiles(m->domain, text, 1, &m->fd, NULL, NULL, result,
                                               VIR_DOMAIN_QEMU_MONITOR_COMMAND_DEFAULT);
    drop_descriptor(m);
    return err;
}

static int ask(struct monitor *m, struct json_object *command, struct json_object **answer)
{
    const char *text = json_object_to_json_string_ext(command, JSON_C_TO_STRING_PLAIN);
    char *result;
    int err;

    if (!text) {
        return error_memory(&m->t);
    }
    if (execute(m, text, &result)) {
        return explain_failure(m);
    }
    err = response_parse(result, strlen(result), answer, &m->t);
    free(result);
    return err;
}

static int print_answer(struct monitor *m, struct json_object *answer)
{
    const char *text = json_object_to_json_string_ext(answer, JSON_C_TO_STRING_PLAIN);

    if (!text) {
        return error_memory(&m->t);
    }
    return puts(text) < 0 || fflush(stdout) ? -1 : 0;
}

/*
 * Executes a command. libvirt uses command numbers of its own, so the parent's number is removed
 * here and added to the answer.
 */
static int hand_over(struct monitor *m, const char *line, size_t len)
{
    struct json_object *command;
    struct json_object *answer;
    struct json_object *number;
    int err;

    if (response_parse(line, len, &command, &m->t)) {
        return -1;
    }
    number = json_object_get(json_object_object_get(command, "id"));
    json_object_object_del(command, "id");
    err = ask(m, command, &answer);
    if (err) {
        json_object_put(number);
    } else {
        json_object_object_add(answer, "id", number);
        err = print_answer(m, answer);
        json_object_put(answer);
    }
    json_object_put(command);
    return err;
}

/* Executes all commands that have arrived completely. */
static int take_lines(struct monitor *m)
{
    const char *start = m->buf;
    const char *stop = m->buf + m->len;
    const char *end;

    while ((end = memchr(start, '\n', (size_t)(stop - start)))) {
        if (hand_over(m, start, (size_t)(end - start))) {
            return -1;
        }
        start = end + 1;
    }
    m->len = (size_t)(stop - start);
    memmove(m->buf, start, m->len);
    return 0;
}

/*
 * Reads like read(), and keeps a descriptor that comes with the data. The parent sends one command
 * at a time.
 */
static ssize_t receive(struct monitor *m, int fd, char *buf, size_t size)
{
    struct iovec data = {.iov_base = buf, .iov_len = size};
    union {
        struct cmsghdr head;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    struct msghdr message = {.msg_iov = &data,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof(control)};
    const struct cmsghdr *head;
    ssize_t n = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);

    if (n < 0 && errno == ENOTSOCK) {
        /* Standard input is not a socket if a person runs this command. */
        return read(fd, buf, size);
    }
    head = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
        drop_descriptor(m);
        memcpy(&m->fd, CMSG_DATA(head), sizeof(m->fd));
    }
    return n;
}

/* Returns 1 if data were received, 0 if the parent closed its end, or -1. */
static int read_some(struct monitor *m, int fd)
{
    char *more = m->len == m->size ? realloc(m->buf, 2 * m->size + 4096) : m->buf;
    ssize_t n;

    if (!more) {
        return error_memory(&m->t);
    }
    m->size = m->len == m->size ? 2 * m->size + 4096 : m->size;
    m->buf = more;
    n = receive(m, fd, m->buf + m->len, m->size - m->len);
    m->len += n > 0 ? (size_t)n : 0;
    return n > 0;
}

static void on_input(int watch, int fd, int events, void *opaque)
{
    struct monitor *m = opaque;

    (void)watch;
    (void)events;
    m->done = m->done || read_some(m, fd) <= 0 || take_lines(m);
}

static int on_lifecycle(virConnectPtr conn, virDomainPtr domain, int event, int detail,
                        void *opaque)
{
    struct monitor *m = opaque;

    (void)conn;
    (void)domain;
    (void)detail;
    if (event == VIR_DOMAIN_EVENT_STOPPED && !m->done) {
        error_set(&m->t, ERROR_ENDED, "the machine ended");
        m->done = true;
    }
    return 0;
}

static void on_close(virConnectPtr conn, int reason, void *opaque)
{
    struct monitor *m = opaque;

    (void)conn;
    (void)reason;
    if (!m->done) {
        error_set(&m->t, ERROR_TALK,
                  "libvirt closed the connection; the machine may still be running");
        m->done = true;
    }
}

static int watch(struct monitor *m)
{
    if (virConnectDomainEventRegisterAny(m->conn, m->domain, VIR_DOMAIN_EVENT_ID_LIFECYCLE,
                                         VIR_DOMAIN_EVENT_CALLBACK(on_lifecycle), m, NULL) < 0 ||
        virConnectRegisterCloseCallback(m->conn, on_close, m, NULL) ||
        virEventAddHandle(STDIN_FILENO, VIR_EVENT_HANDLE_READABLE | VIR_EVENT_HANDLE_HANGUP,
                          on_input, m, NULL) < 0) {
        return take_error(&m->t);
    }
    /* Ignore the error: not every kind of connection supports or needs keepalive messages. */
    virConnectSetKeepAlive(m->conn, KEEPALIVE_S, KEEPALIVE_COUNT);
    return 0;
}

static int serve(struct monitor *m, const char *uri, const char *uuid)
{
    if (connect_to(uri, false, &m->conn, &m->t)) {
        return -1;
    }
    m->domain = virDomainLookupByUUIDString(m->conn, uuid);
    if (!m->domain) {
        return take_error(&m->t);
    }
    /* Watch first, so that the end of the domain cannot be missed. */
    if (watch(m)) {
        return -1;
    }
    if (virDomainIsActive(m->domain) == 0) {
        return error_set(&m->t, ERROR_NO_MACHINE, "%s: the domain is not running",
                         virDomainGetName(m->domain));
    }
    while (!m->done) {
        if (virEventRunDefaultImpl()) {
            return take_error(&m->t);
        }
    }
    return 0;
}

/*
 * libvirt-monitor URI UUID: reads commands and prints answers, one JSON object per line, until the
 * parent closes its end or an error occurs.
 */
int builtin_libvirt_monitor(int argc, char **argv, int stop_fd)
{
    struct monitor m = {.fd = -1};

    (void)stop_fd;
    if (argc == 3) {
        serve(&m, argv[1], argv[2]);
    } else {
        error_set(&m.t, ERROR_USAGE, "libvirt-monitor takes a URI and a UUID");
    }
    drop_descriptor(&m);
    free(m.buf);
    if (m.domain) {
        virDomainFree(m.domain);
    }
    if (m.conn) {
        virConnectClose(m.conn);
    }
    error_print(&m.t);
    return (int)m.t.code;
}
