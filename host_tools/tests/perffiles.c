/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perffiles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define EVENTS 2
#define FEATURE_EVENT_DESC 12

static const char *const names[EVENTS] = {"event-a", "event-b"};

/* Of the header of a file; as many bytes as its version has. */
struct head {
    char magic[8];
    uint64_t size;
    uint64_t attr_size;
    uint64_t attrs[2];
    uint64_t data[2];
    uint64_t event_types[2];
    uint64_t features[4];
};

void perffiles_add(struct made_file *m, const void *data, size_t size)
{
    if (size > sizeof(m->bytes) - m->size) {
        abort();
    }
    if (size) {
        memcpy(m->bytes + m->size, data, size);
    }
    m->size += size;
}

static void add_u32(struct made_file *m, uint32_t value)
{
    perffiles_add(m, &value, sizeof(value));
}

static void add_u64(struct made_file *m, uint64_t value)
{
    perffiles_add(m, &value, sizeof(value));
}

static struct perf_event_attr make_attr(const struct made_file *m, unsigned event)
{
    return (struct perf_event_attr){
        .type = PERF_TYPE_RAW,
        .size = PERF_ATTR_SIZE_VER7,
        .config = event,
        .sample_period = 100,
        .sample_type = m->type,
        .read_format = PERF_FORMAT_ID | PERF_FORMAT_GROUP,
        .sample_id_all = 1,
    };
}

void perffiles_record(struct made_file *m, uint32_t type, unsigned misc, const void *body,
                      size_t size)
{
    const struct perf_event_header head = {
        .type = type, .misc = (uint16_t)misc, .size = (uint16_t)(sizeof(head) + size)};

    perffiles_add(m, &head, sizeof(head));
    perffiles_add(m, body, size);
}

/* A record is added to a file of its own first: it begins with its size. */
static void add_record(struct made_file *m, uint32_t type, unsigned misc,
                       const struct made_file *body)
{
    perffiles_record(m, type, misc, body->bytes, body->size);
}

static void begin_pipe(struct made_file *m)
{
    static struct made_file body;

    perffiles_add(m, "PERFILE2", 8);
    add_u64(m, 16);
    for (unsigned i = 0; i < EVENTS; i++) {
        struct perf_event_attr attr = make_attr(m, i);

        body.size = 0;
        perffiles_add(&body, &attr, PERF_ATTR_SIZE_VER7);
        add_u64(&body, i + 1);
        add_record(m, 64, 0, &body);
        body.size = 0;
        add_u64(&body, 2);
        add_u64(&body, i + 1);
        perffiles_add(&body, names[i], 8);
        add_record(m, 78, 0, &body);
    }
}

void perffiles_begin(struct made_file *m, bool pipe, uint64_t type)
{
    struct head head = {.magic = "PERFILE2",
                        .size = sizeof(head),
                        .attr_size = PERF_ATTR_SIZE_VER7 + 16,
                        .attrs = {sizeof(head) + EVENTS * 8}};

    _Static_assert(sizeof(head) == 104, "struct perf_file_header");
    *m = (struct made_file){.pipe = pipe, .type = type};
    if (pipe) {
        begin_pipe(m);
        return;
    }
    head.attrs[1] = EVENTS * head.attr_size;
    head.data[0] = head.attrs[0] + head.attrs[1];
    perffiles_add(m, &head, sizeof(head));
    for (unsigned i = 0; i < EVENTS; i++) {
        add_u64(m, i + 1);
    }
    for (unsigned i = 0; i < EVENTS; i++) {
        struct perf_event_attr attr = make_attr(m, i);

        perffiles_add(m, &attr, PERF_ATTR_SIZE_VER7);
        add_u64(m, sizeof(head) + i * 8);
        add_u64(m, 8);
    }
    m->data = m->size;
}

static void add_trailer(struct made_file *m, uint64_t type, uint32_t tid, uint64_t time,
                        uint64_t id)
{
    if (type & PERF_SAMPLE_TID) {
        add_u32(m, tid);
        add_u32(m, tid);
    }
    if (type & PERF_SAMPLE_TIME) {
        add_u64(m, time);
    }
    if (type & PERF_SAMPLE_ID) {
        add_u64(m, id);
    }
    if (type & PERF_SAMPLE_STREAM_ID) {
        add_u64(m, 0);
    }
    if (type & PERF_SAMPLE_CPU) {
        add_u64(m, 0);
    }
    if (type & PERF_SAMPLE_IDENTIFIER) {
        add_u64(m, id);
    }
}

static void add_text(struct made_file *m, const char *text)
{
    static const char zeroes[8];
    size_t len = strlen(text);

    perffiles_add(m, text, len);
    perffiles_add(m, zeroes, 8 - len % 8);
}

void perffiles_comm(struct made_file *m, uint32_t tid, uint64_t time, const char *name)
{
    struct made_file body = {0};

    add_u32(&body, tid);
    add_u32(&body, tid);
    add_text(&body, name);
    add_trailer(&body, m->type, tid, time, 1);
    add_record(m, PERF_RECORD_COMM, 0, &body);
}

void perffiles_fork(struct made_file *m, uint32_t tid, uint64_t time, uint32_t parent)
{
    struct made_file body = {0};

    add_u32(&body, tid);
    add_u32(&body, parent);
    add_u32(&body, tid);
    add_u32(&body, parent);
    add_u64(&body, time);
    add_trailer(&body, m->type, tid, time, 1);
    add_record(m, PERF_RECORD_FORK, 0, &body);
}

void perffiles_world(struct made_file *m, uint64_t number, const char *path)
{
    struct made_file body = {0};

    add_u64(&body, number);
    add_text(&body, path);
    add_trailer(&body, m->type, 0, 0, 1);
    add_record(m, PERF_RECORD_CGROUP, 0, &body);
}

void perffiles_kernel(struct made_file *m, uint64_t text)
{
    struct made_file body = {0};

    add_u64(&body, UINT64_MAX);
    add_u64(&body, text);
    add_u64(&body, 0x10000);
    add_u64(&body, text);
    add_text(&body, "[kernel.kallsyms]_text");
    add_trailer(&body, m->type, 0, 0, 1);
    add_record(m, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL, &body);
}

void perffiles_lost(struct made_file *m, uint64_t id, uint64_t n)
{
    struct made_file body = {0};

    add_u64(&body, n);
    add_trailer(&body, m->type, 0, 0, id);
    add_record(m, PERF_RECORD_LOST_SAMPLES, 0, &body);
}

static void add_first(struct made_file *m, uint64_t type, const struct made_sample *s)
{
    static const struct {
        uint64_t bit;
        size_t at; /* in a struct made_sample; 0: any number will do */
    } words[] = {
        {PERF_SAMPLE_IDENTIFIER, offsetof(struct made_sample, id)},
        {PERF_SAMPLE_IP, offsetof(struct made_sample, ip)},
        {PERF_SAMPLE_TID, offsetof(struct made_sample, tid)},
        {PERF_SAMPLE_TIME, offsetof(struct made_sample, time)},
        {PERF_SAMPLE_ADDR, 0},
        {PERF_SAMPLE_ID, offsetof(struct made_sample, id)},
        {PERF_SAMPLE_STREAM_ID, 0},
        {PERF_SAMPLE_CPU, offsetof(struct made_sample, cpu)},
        {PERF_SAMPLE_PERIOD, offsetof(struct made_sample, period)},
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (!(type & words[i].bit)) {
            continue;
        }
        if (words[i].bit == PERF_SAMPLE_TID || words[i].bit == PERF_SAMPLE_CPU) {
            uint32_t half;

            memcpy(&half, (const char *)s + words[i].at, sizeof(half));
            add_u32(m, half);
            add_u32(m, half);
        } else {
            perffiles_add(m, (const char *)s + words[i].at, 8);
        }
    }
}

void perffiles_sample(struct made_file *m, const struct made_sample *s)
{
    static struct made_file body;

    body.size = 0;
    add_first(&body, m->type, s);
    if (m->type & PERF_SAMPLE_READ) {
        add_u64(&body, EVENTS);
        for (unsigned i = 0; i < EVENTS; i++) {
            add_u64(&body, s->values[i]);
            add_u64(&body, i + 1);
        }
    }
    if (m->type & PERF_SAMPLE_CALLCHAIN) {
        add_u64(&body, s->n_chain);
        perffiles_add(&body, s->chain, s->n_chain * sizeof(*s->chain));
    }
    if (m->type & PERF_SAMPLE_RAW) {
        add_u32(&body, 4);
        add_u32(&body, 0);
    }
    if (m->type & PERF_SAMPLE_BRANCH_STACK) {
        add_u64(&body, 1);
        perffiles_add(&body, "branch: from, to, and what it was", 24);
    }
    if (m->type & PERF_SAMPLE_CGROUP) {
        add_u64(&body, s->cgroup);
    }
    add_record(m, PERF_RECORD_SAMPLE, s->mode, &body);
}

void perffiles_end(struct made_file *m)
{
    struct head head;
    uint64_t end = m->size;

    if (m->pipe) {
        return;
    }
    memcpy(&head, m->bytes, sizeof(head));
    head.data[1] = end - m->data;
    head.features[0] = 1ull << FEATURE_EVENT_DESC;
    memcpy(m->bytes, &head, sizeof(head));
    add_u64(m, end + 16);
    add_u64(m, 0);
    add_u32(m, EVENTS);
    add_u32(m, PERF_ATTR_SIZE_VER7);
    for (unsigned i = 0; i < EVENTS; i++) {
        struct perf_event_attr attr = make_attr(m, i);

        perffiles_add(m, &attr, PERF_ATTR_SIZE_VER7);
        add_u32(m, 1);
        add_u32(m, 8);
        perffiles_add(m, names[i], 8);
        add_u64(m, i + 1);
    }
}

const char *perffiles_save(const struct made_file *m)
{
    static char path[64];
    static int fd = -1;

    fd = fd < 0 ? memfd_create("perf.data", MFD_CLOEXEC) : fd;
    if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, m->bytes, m->size, 0) != (ssize_t)m->size) {
        abort();
    }
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return path;
}
