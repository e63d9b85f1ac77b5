/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples the program with the kernel's perf events. The kernel writes samples, and the names and
 * mappings of processes, to a ring for each CPU. A thread of init passes them on.
 *
 * The events of the program count in its processes only, so that what init does is not sampled.
 */
#include <elf.h>
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
#include <sys/auxv.h>
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

/* Records for the host, with the part of the stack that is valid. */
static struct {
    char data[1u << 18];
    size_t filled;
} batch;

static void flush_batch(void)
{
    write_all(port, batch.data, batch.filled);
    batch.filled = 0;
}

static uint64_t word_at(const char *at)
{
    uint64_t word;

    memcpy(&word, at, sizeof(word));
    return word;
}

/* find_stack() - the stack of a sample: its size, the bytes, and how many of them are valid */
static char *find_stack(char *record, const struct job *job)
{
    /* The header, and the six words of RUN_SAMPLE_TYPE. */
    char *at = record + sizeof(struct perf_event_header) + 6 * sizeof(uint64_t);

    at += (1 + (job->record.chains ? word_at(at) : 0)) * sizeof(uint64_t);
    if (job->record.branches) {
        at += sizeof(uint64_t) + word_at(at) * sizeof(struct perf_branch_entry);
    }
    if (word_at(at) != PERF_SAMPLE_REGS_ABI_NONE) {
        at += (size_t)__builtin_popcountll(job->record.registers) * sizeof(uint64_t);
    }
    return at + sizeof(uint64_t);
}

/*
 * trim() - removes the part of a sample's stack that is not valid, or without @keep all of it.
 * Return: the new size of the record.
 */
static size_t trim(char *record, const struct job *job, bool keep)
{
    struct perf_event_header head;
    char *at = find_stack(record, job);
    uint64_t size = word_at(at), valid;

    memcpy(&head, record, sizeof(head));
    if (size > 0) {
        valid = word_at(at + sizeof(size) + size);
        valid = keep ? (valid + 7) & ~7ull : 0;
        memcpy(at, &valid, sizeof(valid));
        memcpy(at + sizeof(size) + valid, &valid, valid ? sizeof(valid) : 0);
        head.size =
            (uint16_t)((size_t)(at - record) + sizeof(size) + valid + (valid ? sizeof(valid) : 0));
        memcpy(record, &head, sizeof(head));
    }
    return head.size;
}

/*
 * The most bytes of stacks. The host keeps all records in memory, and samples without a stack are
 * better than none.
 */
#define STACKS_MAX (640ull << 20)

/* pass_record() - Return: its size in the ring */
static size_t pass_record(const struct ring *r, uint64_t tail, const struct job *job)
{
    static unsigned long long passed;
    size_t at = tail % GUEST_RING_SIZE, left = GUEST_RING_SIZE - at, size;
    struct perf_event_header head;
    char *to;

    /* A header does not wrap: records are multiples of 8 bytes. */
    memcpy(&head, r->data + at, sizeof(head));
    if (sizeof(batch.data) - batch.filled < head.size) {
        flush_batch();
    }
    to = batch.data + batch.filled;
    memcpy(to, r->data + at, head.size < left ? head.size : left);
    if (head.size > left) {
        memcpy(to + left, r->data, head.size - left);
    }
    size = head.type == PERF_RECORD_SAMPLE ? trim(to, job, passed < STACKS_MAX) : head.size;
    batch.filled += size;
    passed += size;
    return head.size;
}

/* drain_stacks() - the same as drain(), record by record */
static void drain_stacks(struct ring *r, const struct job *job)
{
    uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = r->page->data_tail;

    while (tail < head) {
        tail += pass_record(r, tail, job);
    }
    flush_batch();
    __atomic_store_n(&r->page->data_tail, tail, __ATOMIC_RELEASE);
}

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

static void empty(struct ring *r, const struct job *job)
{
    if (job->record.stack) {
        drain_stacks(r, job);
    } else {
        drain(r);
    }
}

static void *pass_on(void *opaque)
{
    const struct job *job = opaque;

    while (!watch[rings].revents) {
        if (poll(watch, rings + 1, -1) < 0) {
            continue;
        }
        for (unsigned i = 0; i < rings; i++) {
            if (watch[i].revents) {
                empty(&ring[i], job);
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
static void start_thread(const struct job *job)
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
    errno = pthread_create(&thread, &how, pass_on, (void *)(uintptr_t)job);
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
    start_thread(job);
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

/* pass_vdso() - that of init is that of all programs; its table of sections comes last */
static void pass_vdso(void)
{
    const char *at = (const char *)getauxval(AT_SYSINFO_EHDR);
    size_t size, some;
    Elf64_Ehdr head;

    if (!at) {
        return;
    }
    memcpy(&head, at, sizeof(head));
    size = head.e_shoff + (size_t)head.e_shnum * head.e_shentsize;
    piece.head.type = RUN_RECORD_VDSO;
    for (size_t done = 0; done < size; done += some) {
        some = size - done < sizeof(piece.text) ? size - done : sizeof(piece.text);
        memcpy(piece.text, at + done, some);
        filled = some;
        flush_lines();
    }
}

/* pass_notes() - the kernel's build ID is one of them */
static void pass_notes(void)
{
    int fd = open("/sys/kernel/notes", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, piece.text, sizeof(piece.text)) : 0;

    if (n > 0) {
        piece.head.type = RUN_RECORD_NOTES;
        filled = (size_t)n;
        flush_lines();
    }
    if (fd >= 0) {
        close(fd);
    }
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
        empty(&ring[i], job);
    }
    /* It takes the machine longer than many programs. */
    if (samples_kernel(job)) {
        pass_symbols();
    }
    pass_lists();
    pass_vdso();
    pass_notes();
}
