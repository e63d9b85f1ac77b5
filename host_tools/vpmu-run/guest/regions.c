/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counts regions that the program marks with vpmu_run.h.
 *
 * A process of its own waits for messages of the program. It has real-time priority: a message
 * wakes it at once, and the program continues when all counters have been read. Reading them
 * therefore takes none of the program's instructions but those that send the message and receive
 * the reply.
 *
 * Counting pauses ('s') while the program is in vpmu_run_begin() or vpmu_run_end(), and then goes
 * on
 * ('g'). What lies between two such messages is counted, and the cost of the messages themselves is
 * subtracted: it is what lies between two messages that follow each other directly ('m').
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

#define CLIENTS_MAX 256

/* The end of a pipe that init closes, the socket, and the program's processes. */
enum {
    WATCH_END,
    WATCH_SOCKET,
    WATCH_CLIENTS,
};

/*
 * A region is counted from its first begin to its last end. @since is what the counters would show
 * at its begin if they really paused.
 */
struct region {
    char name[RUN_REGION_NAME_MAX + 1];
    unsigned long long entries;
    unsigned depth;
    bool starts;
    struct reading since[GUEST_EVENTS_MAX], sum[GUEST_EVENTS_MAX];
};

/* A process of the program. @depth: its part of each region's. */
struct client {
    unsigned pauses;
    unsigned depth[RUN_REGIONS_MAX];
};

static const struct job *job;
static struct region regions[RUN_REGIONS_MAX];
static size_t n_regions;
static struct client clients[CLIENTS_MAX];
static struct pollfd watch[WATCH_CLIENTS + CLIENTS_MAX];
static nfds_t watched = WATCH_CLIENTS;
static unsigned pauses; /* begins and ends that have not returned */
/* What pauses have taken up to now; what the counters showed when this pause began, less that. */
static struct reading excluded[GUEST_EVENTS_MAX], paused[GUEST_EVENTS_MAX];
/* What a pair of messages costs. */
static struct reading cost[GUEST_EVENTS_MAX], measured[GUEST_EVENTS_MAX];
static bool have_cost, have_measured;

static pid_t server;
static int listener, end_pipe[2];
/* Has a process of the program asked for the server? Init and the server share it. */
static bool *asked_for;

/* An operation on the three numbers of each event. */
static void subtract(struct reading *to, const struct reading *from)
{
    for (size_t i = 0; i < job->events; i++) {
        to[i].value -= from[i].value;
        to[i].enabled -= from[i].enabled;
        to[i].running -= from[i].running;
    }
}

static void add(struct reading *to, const struct reading *from)
{
    for (size_t i = 0; i < job->events; i++) {
        to[i].value += from[i].value;
        to[i].enabled += from[i].enabled;
        to[i].running += from[i].running;
    }
}

static void take_smaller(uint64_t *to, uint64_t value)
{
    *to = value < *to ? value : *to;
}

/* measure() - learns what a pair costs. An interrupt may make one larger: the smallest counts. */
static void measure(void)
{
    static struct reading now[GUEST_EVENTS_MAX], pair[GUEST_EVENTS_MAX];

    count_read(job, now);
    memcpy(pair, now, sizeof(pair));
    subtract(pair, measured);
    if (have_measured && !have_cost) {
        memcpy(cost, pair, sizeof(cost));
        have_cost = true;
    }
    for (size_t i = 0; have_measured && i < job->events; i++) {
        take_smaller(&cost[i].value, pair[i].value);
        take_smaller(&cost[i].enabled, pair[i].enabled);
        take_smaller(&cost[i].running, pair[i].running);
    }
    memcpy(measured, now, sizeof(measured));
    have_measured = true;
}

static void pause_counting(void)
{
    have_measured = false;
    if (pauses++ == 0) {
        count_read(job, paused);
        subtract(paused, excluded);
    }
}

/*
 * continue_counting() - from here on, regions count; those that began in this pause start now
 * @asked: by the program, whose reply and next message cost something.
 */
static void continue_counting(bool asked)
{
    if (pauses == 0 || --pauses > 0) {
        return;
    }
    count_read(job, excluded);
    if (asked) {
        add(excluded, cost);
    }
    subtract(excluded, paused);
    for (size_t i = 0; i < n_regions; i++) {
        if (regions[i].starts) {
            memcpy(regions[i].since, paused, sizeof(paused));
            regions[i].starts = false;
        }
    }
}

/* find() - finds a region by its name; returns NULL if there is none */
static struct region *find(const char *name)
{
    for (size_t i = 0; i < n_regions; i++) {
        if (strcmp(regions[i].name, name) == 0) {
            return &regions[i];
        }
    }
    return NULL;
}

static struct region *find_or_add(const char *name)
{
    struct region *found = find(name);

    if (found) {
        return found;
    }
    if (n_regions == RUN_REGIONS_MAX) {
        guest_die("the program has more than %d regions", RUN_REGIONS_MAX);
    }
    strcpy(regions[n_regions].name, name);
    return &regions[n_regions++];
}

static void begin(struct client *c, const char *name)
{
    struct region *r = find_or_add(name);

    c->depth[r - regions]++;
    if (r->depth++ == 0) {
        r->entries++;
        r->starts = true;
    }
}

/* end() - counting is paused */
static void end(struct client *c, struct region *r)
{
    if (!r || c->depth[r - regions] == 0) {
        return;
    }
    c->depth[r - regions]--;
    if (--r->depth == 0 && !r->starts) {
        add(r->sum, paused);
        subtract(r->sum, r->since);
    }
    r->starts &= r->depth > 0;
}

/* close_client() - a process that ends leaves its regions */
static void close_client(struct client *c, struct pollfd *w)
{
    pause_counting();
    for (size_t i = 0; i < n_regions; i++) {
        while (c->depth[i] > 0) {
            end(c, &regions[i]);
        }
    }
    pauses -= c->pauses;
    continue_counting(false);
    close(w->fd);
    w->fd = -1;
}

/* clean_name() - @name has @n bytes */
static void clean_name(char *name, size_t n)
{
    static const char known[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.";

    for (size_t i = 0; i < n; i++) {
        name[i] = name[i] && strchr(known, name[i]) ? name[i] : '_';
    }
    name[n] = '\0';
}

static void take_message(struct client *c, struct pollfd *w)
{
    char message[1 + RUN_REGION_NAME_MAX + 1];
    ssize_t n = recv(w->fd, message, sizeof(message) - 1, 0);

    if (n <= 0) {
        close_client(c, w);
        return;
    }
    switch (message[0]) {
    case 's':
        c->pauses++;
        pause_counting();
        break;
    case 'g':
        c->pauses -= c->pauses > 0;
        continue_counting(true);
        break;
    case 'm':
        measure();
        break;
    default:
        clean_name(message + 1, (size_t)n - 1);
        if (message[0] == 'b') {
            begin(c, message + 1);
        } else {
            end(c, find(message + 1));
        }
        return;
    }
    send(w->fd, message, 1, MSG_NOSIGNAL);
}

static void take_client(void)
{
    nfds_t i = WATCH_CLIENTS;
    int fd = accept4(watch[WATCH_SOCKET].fd, NULL, NULL, SOCK_CLOEXEC);

    while (i < watched && watch[i].fd >= 0) {
        i++;
    }
    if (fd < 0) {
        return;
    }
    *asked_for = true;
    if (i == WATCH_CLIENTS + CLIENTS_MAX) {
        guest_die("more than %d processes mark regions at the same time", CLIENTS_MAX);
    }
    watch[i] = (struct pollfd){.fd = fd, .events = POLLIN};
    memset(&clients[i - WATCH_CLIENTS], 0, sizeof(clients[0]));
    watched = i < watched ? watched : i + 1;
}

static void report(void)
{
    for (nfds_t i = WATCH_CLIENTS; i < watched; i++) {
        if (watch[i].fd >= 0) {
            close_client(&clients[i - WATCH_CLIENTS], &watch[i]);
        }
    }
    for (size_t r = 0; r < n_regions; r++) {
        guest_result("region %zu %llu %s", r, regions[r].entries, regions[r].name);
        for (size_t i = 0; i < job->events; i++) {
            const struct reading *sum = &regions[r].sum[i];

            if (count_is_open(i)) {
                /* Costs of caches vary: the count of an empty region may be below 0. */
                guest_result("part %zu %zu %llu %llu %llu", r, i,
                             (int64_t)sum->value < 0 ? 0ull : (unsigned long long)sum->value,
                             (unsigned long long)sum->enabled, (unsigned long long)sum->running);
            }
        }
    }
}

static void serve(void) __attribute__((noreturn));
static void serve(void)
{
    const struct sched_param first = {.sched_priority = 1};

    sched_setscheduler(0, SCHED_FIFO, &first);
    for (;;) {
        if (poll(watch, watched, -1) < 0) {
            continue;
        }
        for (nfds_t i = WATCH_CLIENTS; i < watched; i++) {
            if (watch[i].fd >= 0 && watch[i].revents) {
                take_message(&clients[i - WATCH_CLIENTS], &watch[i]);
            }
        }
        if (watch[WATCH_SOCKET].revents) {
            take_client();
        }
        if (watch[WATCH_END].revents) {
            report();
            _exit(0);
        }
    }
}

void regions_prepare(void)
{
    const struct sockaddr_un at = {AF_UNIX, RUN_REGIONS};

    listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    asked_for =
        mmap(NULL, sizeof(*asked_for), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (asked_for == MAP_FAILED || listener < 0 ||
        bind(listener, (const struct sockaddr *)&at, sizeof(at)) != 0 ||
        chmod(RUN_REGIONS, 0666) != 0 || listen(listener, CLIENTS_MAX) != 0 ||
        pipe2(end_pipe, O_CLOEXEC) != 0) {
        guest_die("cannot make %s: %s", RUN_REGIONS, strerror(errno));
    }
}

void regions_leave(void)
{
    close(listener);
    close(end_pipe[0]);
    close(end_pipe[1]);
}

pid_t regions_start(const struct job *counted, const struct child *child)
{
    job = counted;
    watch[WATCH_END] = (struct pollfd){.fd = end_pipe[0], .events = POLLIN};
    watch[WATCH_SOCKET] = (struct pollfd){.fd = listener, .events = POLLIN};
    server = fork();
    if (server == 0) {
        child_leave(child);
        close(end_pipe[1]);
        serve();
    }
    close(end_pipe[0]);
    close(listener);
    if (server < 0) {
        guest_die("cannot fork: %s", strerror(errno));
    }
    return server;
}

void regions_report(void)
{
    /* The server takes a connection at once. Without one, it has nothing to report. */
    if (!*asked_for) {
        return;
    }
    close(end_pipe[1]);
    waitpid(server, NULL, 0);
}
