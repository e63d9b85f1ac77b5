/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples the program with the kernel's perf events. The kernel writes samples, and the names and
 * mappings of processes, to a ring for each CPU. A thread of init passes them on.
 *
 * The events of the program count in its processes only, so that what init does is not sampled.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest.h"

#define PAGE 4096u
/* The longest piece of a text in a record. */
#define PIECE_MAX 32768u
/* The name of such a list, see perf. */
#define RUN_LIST "/tmp/perf-%u.map"

static struct ring {
    struct perf_event_mmap_page *page;
    const char *data;
} ring[GUEST_CPUS_MAX];

/* The last one is a pipe whose other end is closed when the program has ended. */
static struct pollfd watch[GUEST_CPUS_MAX + 1];
static unsigned rings;
static int port = -1, end;
static pthread_t thread;

static void drain(struct ring *r)
{
    uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = r->page->data_tail;

    while (tail < head) {
        size_t at = tail % GUEST_RING_SIZE;
        size_t n =
            head - tail < GUEST_RING_SIZE - at ? (size_t)(head - tail) : GUEST_RING_SIZE - at;

        write_all(port, r->data + at, n);
        tail += n;
    }
    __atomic_store_n(&r->page->data_tail, tail, __ATOMIC_RELEASE);
}

static void *pass_on(void *unused)
{
    (void)unused;
    while (!watch[rings].revents) {
        if (poll(watch, rings + 1, -1) < 0) {
            continue;
        }
        for (unsigned i = 0; i < rings; i++) {
            if (watch[i].revents) {
                drain(&ring[i]);
            }
            /* The last process that has the event is gone. */
            if (watch[i].revents & POLLHUP) {
                watch[i].fd = -1;
            }
        }
    }
    return NULL;
}

/* open_ring() - all events of a CPU write to the ring of the first one */
static void open_ring(unsigned cpu, int fd)
{
    char *at = mmap(NULL, PAGE + GUEST_RING_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (at == MAP_FAILED) {
        guest_die("cannot record: %s",
                  errno == ENOMEM ? "no memory: raise --memory" : strerror(errno));
    }
    ring[cpu] = (struct ring){(struct perf_event_mmap_page *)(void *)at, at + PAGE};
    watch[cpu] = (struct pollfd){.fd = fd, .events = POLLIN};
}

static void open_rings(const struct job *job)
{
    for (size_t i = 0; i < job->events; i++) {
        const int *fds;
        unsigned n = count_fds(i, &fds);

        for (unsigned cpu = 0; cpu < n; cpu++) {
            unsigned long long id;

            if (!ring[cpu].page) {
                open_ring(cpu, fds[cpu]);
                rings = cpu + 1;
            } else if (ioctl(fds[cpu], PERF_EVENT_IOC_SET_OUTPUT, watch[cpu].fd) != 0) {
                guest_die("cannot record: %s", strerror(errno));
            }
            if (ioctl(fds[cpu], PERF_EVENT_IOC_ID, &id) == 0) {
                guest_result("sampled %zu %llu", i, id);
            }
        }
    }
}

/* start_thread() - it comes before all others, so that no ring becomes full */
static void start_thread(void)
{
    const struct sched_param first = {.sched_priority = 1};
    pthread_attr_t how;
    sigset_t all, old;

    /* Signals are for init's first thread, which waits for the program. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pthread_attr_init(&how);
    pthread_attr_setinheritsched(&how, PTHREAD_EXPLICIT_SCHED);
    pthread_attr_setschedpolicy(&how, SCHED_FIFO);
    pthread_attr_setschedparam(&how, &first);
    errno = pthread_create(&thread, &how, pass_on, NULL);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (errno) {
        guest_die("cannot record: %s", strerror(errno));
    }
    pthread_attr_destroy(&how);
}

int record_port(void)
{
    if (port < 0) {
        port = guest_port(RUN_PORT_RECORD, O_WRONLY);
    }
    return port;
}

void record_start(const struct job *job)
{
    int ends[2];

    record_port();
    open_rings(job);
    if (pipe2(ends, O_CLOEXEC) != 0) {
        guest_die("cannot make a pipe: %s", strerror(errno));
    }
    watch[rings] = (struct pollfd){.fd = ends[0], .events = POLLIN};
    end = ends[1];
    start_thread();
}

/* Whole lines for the host. */
static struct {
    struct perf_event_header head;
    char text[PIECE_MAX];
} piece;
static size_t filled;

static void flush_lines(void)
{
    piece.head.size = (uint16_t)(sizeof(piece.head) + filled);
    write_all(port, &piece, piece.head.size);
    filled = 0;
}

static void pass_line(const char *line)
{
    size_t length = strlen(line);

    if (filled + length > sizeof(piece.text)) {
        flush_lines();
    }
    memcpy(piece.text + filled, line, length);
    filled += length;
}

/* pass_symbols() - those of functions */
static void pass_symbols(void)
{
    FILE *from = fopen("/proc/kallsyms", "re");
    char line[512], type;

    piece.head.type = RUN_RECORD_SYMBOLS;
    while (from && fgets(line, sizeof(line), from)) {
        if (sscanf(line, "%*x %c", &type) == 1 && strchr("TtWw", type)) {
            pass_line(line);
        }
    }
    flush_lines();
    if (from) {
        fclose(from);
    }
}

/* pass_list() - the functions that the compiler of a process has made */
static void pass_list(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    FILE *from = fd >= 0 ? fdopen(fd, "r") : NULL;
    struct stat st;
    char line[512];
    unsigned pid;

    if (from && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && sscanf(path, RUN_LIST, &pid) == 1) {
        snprintf(line, sizeof(line), "#%u\n", pid);
        pass_line(line);
        while (fgets(line, sizeof(line), from)) {
            pass_line(line);
        }
        pass_line("\n");
    }
    if (from) {
        fclose(from);
    }
}

static void pass_lists(void)
{
    glob_t found = {0};

    piece.head.type = RUN_RECORD_LISTS;
    if (glob("/tmp/perf-*.map", 0, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            pass_list(found.gl_pathv[i]);
        }
        flush_lines();
    }
    globfree(&found);
}

/* samples_kernel() - can a sample lie in the kernel? */
static bool samples_kernel(const struct job *job)
{
    for (size_t i = 0; i < job->events; i++) {
        const char *exclude = strrchr(job->event[i].text, ' ');

        if (!exclude || atoi(exclude) != RUN_EXCLUDE_KERNEL) {
            return true;
        }
    }
    return false;
}

void record_finish(const struct job *job)
{
    close(end);
    pthread_join(thread, NULL);
    for (unsigned i = 0; i < rings; i++) {
        drain(&ring[i]);
    }
    /* It takes the machine longer than many programs. */
    if (samples_kernel(job)) {
        pass_symbols();
    }
    pass_lists();
}
