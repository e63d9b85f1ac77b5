/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Accesses domains of libvirt through a child process, which runs the code in builtin-libvirt.c. */
#include "qmp/libvirt.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/format.h"
#include "base/number.h"

/* The longest list of domains, in bytes. */
#define LIST_MAX (1u << 20)

/* Read what the child sends until it closes the socket, and append a NUL. */
static int read_all(const struct child *c, int stop_fd, int patience, char *buf, struct error *t)
{
    int64_t until = qmp_after(patience);
    size_t len = 0;

    for (;;) {
        struct pollfd fds[] = {{.fd = c->fd, .events = POLLIN}, {.fd = stop_fd, .events = POLLIN}};
        int64_t left = (until - qmp_now()) / 1000000;
        int ready = left > 0 ? poll(fds, 2, (int)left) : 0;
        ssize_t n;

        if (ready == 0) {
            return error_set(t, ERROR_TALK, "libvirt: no response within %d ms", patience);
        }
        /* A signal. */
        if (ready < 0) {
            continue;
        }
        if (fds[1].revents) {
            return error_set(t, ERROR_STOPPED, "stopped");
        }
        n = read(c->fd, buf + len, LIST_MAX - len);
        if (n <= 0) {
            buf[len] = '\0';
            return 0;
        }
        len += (size_t)n;
        if (len == LIST_MAX) {
            return error_set(t, ERROR_TALK, "libvirt has too many domains");
        }
    }
}

static int add_domain(struct domains *d, const char *line, struct error *t)
{
    struct domain *more = reallocarray(d->domain, d->n + 1, sizeof(*more));
    struct domain *new;
    unsigned arch = 0;
    int at = 0;

    if (!more) {
        return error_memory(t);
    }
    d->domain = more;
    new = &more[d->n];
    if (sscanf(line, "%d %u %36s %n", &new->id, &arch, new->uuid, &at) != 3 || at == 0) {
        return error_set(t, ERROR_TALK, "libvirt: not a domain description: %s", line);
    }
    new->arch = (enum domain_arch)arch;
    new->name = strdup(line + at);
    if (!new->name) {
        return error_memory(t);
    }
    d->n++;
    return 0;
}

/* Parse the list: a line with the URI, then a line for each domain. */
static int take_list(struct domains *d, char *text, struct error *t)
{
    char *rest;
    char *line = strtok_r(text, "\n", &rest);

    d->uri = strdup(line ? line : "");
    if (!d->uri) {
        return error_memory(t);
    }
    while ((line = strtok_r(NULL, "\n", &rest))) {
        if (add_domain(d, line, t)) {
            return -1;
        }
    }
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct domain *)a)->name, ((const struct domain *)b)->name);
}

int libvirt_list(const char *uri, int stop_fd, int patience, struct domains *domains,
                 struct error *t)
{
    const char *arguments[] = {"libvirt-list", uri, NULL};
    char *buf = malloc(LIST_MAX);
    struct child c;
    int err;

    *domains = (struct domains){0};
    if (!buf) {
        return error_memory(t);
    }
    err = child_start(&c, arguments, t);
    if (!err) {
        err = read_all(&c, stop_fd, patience, buf, t) || child_explain(&c, t) ||
                      take_list(domains, buf, t)
                  ? -1
                  : 0;
        child_end(&c);
    }
    free(buf);
    if (err) {
        domains_free(domains);
    } else if (domains->n > 0) {
        qsort(domains->domain, domains->n, sizeof(*domains->domain), by_name);
    }
    return err;
}

void domains_free(struct domains *domains)
{
    while (domains->n > 0) {
        free(domains->domain[--domains->n].name);
    }
    free(domains->domain);
    free(domains->uri);
    *domains = (struct domains){0};
}

const struct domain *domains_find(const struct domains *domains, const char *text)
{
    const struct domain *found[3] = {NULL};
    long id;

    if (!number_parse(text, 0, INT32_MAX, &id)) {
        id = -2;
    }
    for (size_t i = 0; i < domains->n; i++) {
        const struct domain *d = &domains->domain[i];

        found[0] = d->id == id ? d : found[0];
        found[1] = strcasecmp(d->uuid, text) == 0 ? d : found[1];
        found[2] = strcmp(d->name, text) == 0 ? d : found[2];
    }
    return found[0] ? found[0] : found[1] ? found[1] : found[2];
}

/**
 * struct qmp_libvirt - a connection to a monitor through libvirt
 * @qmp: the connection that the caller uses.
 * @stream: the connection to the child's socket.
 * @child: the process that talks to libvirt.
 */
struct qmp_libvirt {
    struct qmp qmp;
    struct qmp *stream;
    struct child child;
};

static struct qmp_libvirt *of(struct qmp *q)
{
    struct qmp_libvirt *l = (struct qmp_libvirt *)q;

    l->stream->stop_fd = q->stop_fd;
    l->stream->patience = q->patience;
    return l;
}

/* If the stream has ended, replace the error by the one that the child reports. */
static int explain(struct qmp_libvirt *l, int err, struct error *t)
{
    if (err && t->code == ERROR_ENDED && l->child.pid > 0) {
        child_explain(&l->child, t);
    }
    return err;
}

static int libvirt_ask(struct qmp *q, struct json_object *command, int fd,
                       struct json_object **answer, struct error *t)
{
    struct qmp_libvirt *l = of(q);

    return explain(l, l->stream->ops->ask(l->stream, command, fd, answer, t), t);
}

static int libvirt_wait(struct qmp *q, int64_t until, struct error *t)
{
    struct qmp_libvirt *l = of(q);

    return explain(l, qmp_wait(l->stream, until, t), t);
}

static void libvirt_close(struct qmp *q)
{
    struct qmp_libvirt *l = of(q);

    child_end(&l->child);
    qmp_close(l->stream);
    free(l);
}

static const struct qmp_ops libvirt_ops = {
    .ask = libvirt_ask,
    .wait = libvirt_wait,
    .close = libvirt_close,
};

int libvirt_open(const char *uri, const char *uuid, int stop_fd, int patience, struct qmp **q,
                 struct error *t)
{
    const char *arguments[] = {"libvirt-monitor", uri, uuid, NULL};
    struct qmp_libvirt *l = calloc(1, sizeof(*l));

    if (!l) {
        return error_memory(t);
    }
    l->qmp = (struct qmp){.ops = &libvirt_ops, .stop_fd = stop_fd, .patience = patience};
    if (child_start(&l->child, arguments, t)) {
        free(l);
        return -1;
    }
    if (qmp_stream_open(l->child.fd, stop_fd, patience, &l->stream, t)) {
        child_end(&l->child);
        free(l);
        return -1;
    }
    l->child.fd = -1;
    *q = &l->qmp;
    return 0;
}
