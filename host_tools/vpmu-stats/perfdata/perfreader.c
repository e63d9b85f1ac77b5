/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the records of perf's file, or of perf's output to a pipe. The file is not trusted: reading
 * it takes time and memory in proportion to its size, whatever it contains.
 */
#include "perfdata/perfreader.h"

#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "perfdata/filesymbols.h"
#include "perfdata/perffile.h"
#include "perfdata/perfheader.h"

#define KERNEL_MAP "[kernel.kallsyms]"

/* Check for an interrupt after this many records. */
#define LOOK_RECORDS 4096

/* A record: its misc field, its offset in the file, and its contents after the header. */
struct context {
    struct perfreader *r;
    const struct perfreader_ops *ops;
    void *opaque;
    unsigned misc;
    uint64_t at;
    struct bytes body;
};

static int wrong_record(const struct context *c, struct error *t, const char *what)
{
    return error_set(t, ERROR_USAGE, "cannot read %s: %s at byte %" PRIu64, c->r->name, what,
                     c->at);
}

int perfreader_open(struct perfreader *r, FILE *file, struct error *t)
{
    struct perfheader h = {0};
    int err = perfheader_read(&h, file, r->name, &r->events, t);

    r->file = file;
    r->pipe = h.pipe;
    r->data = h.data;
    r->end = h.end;
    r->symbols = h.symbols;
    r->symbols_size = h.symbols_size;
    return err;
}

int perfreader_functions(struct perfreader *r, struct functions *functions, struct error *t)
{
    r->functions = functions;
    return fseeko(r->file, (off_t)r->symbols, SEEK_SET)
               ? 0
               : filesymbols_read(functions, r->file, r->symbols_size, NULL, NULL, t);
}

int perfreader_programs(struct perfreader *r, filesymbols_program program, void *opaque,
                        struct error *t)
{
    return fseeko(r->file, (off_t)r->symbols, SEEK_SET)
               ? 0
               : filesymbols_read(NULL, r->file, r->symbols_size, program, opaque, t);
}

void perfreader_close(struct perfreader *r)
{
    perfevents_free(&r->events);
}

static const struct perfevent_id *find_id(const struct perfreader *r, uint64_t id)
{
    static const struct perfevent_id first;

    /* perf also assigns samples without an id to the first event. */
    return r->events.n == 1 || id == 0 ? &first : perfevents_find(&r->events, id);
}

/*
 * Finds the event of a sample before the sample can be decoded. With PERF_SAMPLE_IDENTIFIER the id
 * is the first word. Otherwise all events have it at the same place.
 */
static const struct perfevent_id *find_event(const struct context *c)
{
    static const uint64_t before =
        PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR;
    uint64_t type = c->r->events.event[0].attr.sample_type;
    struct bytes body = c->body;

    if (type & PERF_SAMPLE_IDENTIFIER) {
        return find_id(c->r, bytes_u64(&body));
    }
    bytes_skip(&body, (uint64_t)__builtin_popcountll(type & before) * sizeof(uint64_t));
    return find_id(c->r, type & PERF_SAMPLE_ID ? bytes_u64(&body) : 0);
}

/*
 * Passes on what each event of a group counted since it was last read. Events that counted nothing
 * are left out.
 */
static int take_values(const struct context *c, struct perfsample *s, struct error *t)
{
    for (uint64_t i = 0; i < s->n_values; i++) {
        const unsigned char *value = s->values + i * s->stride * sizeof(uint64_t);
        struct perfevent_id *id =
            perfevents_find(&c->r->events, perfsample_word(value, s->id_word));

        if (!id) {
            c->r->strangers++;
            continue;
        }
        s->period = perfsample_word(value, 0) - id->last;
        id->last += s->period;
        if (s->period &&
            c->ops->sample(c->opaque, id->event, c->misc & PERF_RECORD_MISC_CPUMODE_MASK, s, t)) {
            return -1;
        }
    }
    return 0;
}

static int take_sample(const struct context *c, struct error *t)
{
    const struct perfevent_id *id;
    struct perfsample s;

    if (!c->ops->sample) {
        return 0;
    }
    id = c->r->events.n ? find_event(c) : NULL;
    if (!id) {
        c->r->strangers++;
        return 0;
    }
    if (!perfsample_decode(&c->r->events.event[id->event].attr, c->body, &s)) {
        return wrong_record(c, t, "a sample is shorter than its event says");
    }
    if (s.n_values) {
        return take_values(c, &s, t);
    }
    return c->ops->sample(c->opaque, id->event, c->misc & PERF_RECORD_MISC_CPUMODE_MASK, &s, t);
}

/*
 * Decodes the trailer that all records except samples have. Returns the index of the event, or
 * UINT32_MAX if it is unknown.
 */
static unsigned take_trailer(const struct context *c, struct perfsample *s)
{
    const struct perfevents *events = &c->r->events;
    const struct perfevent_id *id;

    *s = (struct perfsample){0};
    if (events->n == 0) {
        return UINT32_MAX;
    }
    perfsample_trailer(&events->event[0].attr, c->body, s);
    id = s->id ? perfevents_find(events, s->id) : NULL;
    return id ? id->event : UINT32_MAX;
}

/* The text is always terminated, because next_record() adds zeroes after the record. */
static const char *take_text(struct bytes *b)
{
    return (const char *)b->at;
}

static int take_comm(const struct context *c, struct error *t)
{
    struct bytes b = c->body;
    struct perfsample s;
    uint32_t tid;

    take_trailer(c, &s);
    bytes_u32(&b);
    tid = bytes_u32(&b);
    return c->ops->comm ? c->ops->comm(c->opaque, tid, s.time, take_text(&b), t) : 0;
}

static int take_fork(const struct context *c, struct error *t)
{
    struct bytes b = c->body;
    uint32_t pid = bytes_u32(&b);
    uint32_t parent_pid = bytes_u32(&b);
    uint32_t tid = bytes_u32(&b);
    uint32_t parent = bytes_u32(&b);
    uint64_t time = bytes_u64(&b);

    if (c->ops->process && pid != parent_pid &&
        c->ops->process(c->opaque, pid, time, parent_pid, t)) {
        return -1;
    }
    return c->ops->fork ? c->ops->fork(c->opaque, tid, time, parent, t) : 0;
}

static int take_cgroup(const struct context *c, struct error *t)
{
    struct bytes b = c->body;
    uint64_t number = bytes_u64(&b);

    return c->ops->cgroup ? c->ops->cgroup(c->opaque, number, take_text(&b), t) : 0;
}

/*
 * Handles a mapping of the kernel. Its name ends with the name of a function, and the field for the
 * offset holds the function's address.
 */
static int take_kernel(const struct context *c, struct bytes b, uint64_t address, struct error *t)
{
    const char *name = take_text(&b);
    size_t size = sizeof(KERNEL_MAP) - 1;

    if (!c->ops->kernel || strncmp(name, KERNEL_MAP, size) != 0 || !name[size] ||
        (c->misc & PERF_RECORD_MISC_CPUMODE_MASK) != PERF_RECORD_MISC_KERNEL) {
        return 0;
    }
    return c->ops->kernel(c->opaque, name + size, address, t);
}

/* Reads a mapping of a program up to the offset. The path is not read. */
static struct perfreader_code start_code(const struct context *c, struct bytes *b)
{
    struct perfreader_code code = {0};
    struct perfsample s;

    take_trailer(c, &s);
    code.time = s.time;
    code.pid = bytes_u32(b);
    bytes_u32(b);
    code.start = bytes_u64(b);
    code.length = bytes_u64(b);
    code.offset = bytes_u64(b);
    return code;
}

static int take_code(const struct context *c, const struct perfreader_code *code, struct error *t)
{
    return c->ops->code && (c->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_USER
               ? c->ops->code(c->opaque, code, t)
               : 0;
}

static int take_map(const struct context *c, struct error *t)
{
    struct bytes b = c->body;
    struct perfreader_code code = start_code(c, &b);

    code.path = take_text(&b);
    return take_kernel(c, b, code.offset, t) ||
                   (!(c->misc & PERF_RECORD_MISC_MMAP_DATA) && take_code(c, &code, t))
               ? -1
               : 0;
}

/*
 * The record has either the file's device and inode numbers, or the size of a build ID and the ID.
 */
static int take_map2(const struct context *c, struct error *t)
{
    struct bytes b = c->body;
    struct perfreader_code code = start_code(c, &b);
    const unsigned char *file = bytes_skip(&b, 24);
    uint32_t use = bytes_u32(&b);

    bytes_u32(&b);
    code.path = take_text(&b);
    if (c->misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
        code.build_id = file + 4;
        code.build_id_size = file[0] <= 20 ? file[0] : 0;
    }
    return take_kernel(c, b, code.offset, t) || (use & PROT_EXEC && take_code(c, &code, t)) ? -1
                                                                                            : 0;
}

static int take_lost_samples(const struct context *c, struct error *t)
{
    struct bytes b = c->body;
    struct perfsample s;
    unsigned event = take_trailer(c, &s);

    return c->ops->lost ? c->ops->lost(c->opaque, event, bytes_u64(&b), t) : 0;
}

static int take_lost(const struct context *c, struct error *t)
{
    struct bytes b = c->body;
    const struct perfevent_id *id = perfevents_find(&c->r->events, bytes_u64(&b));

    return c->ops->lost ? c->ops->lost(c->opaque, id ? id->event : UINT32_MAX, bytes_u64(&b), t)
                        : 0;
}

static int take_attr(const struct context *c, struct error *t)
{
    struct perfreader *r = c->r;
    struct bytes b = c->body;
    struct perf_event_attr attr;
    const unsigned char *whole;
    size_t size;

    if (r->walked || !r->pipe) {
        return 0;
    }
    memcpy(&attr, b.at, PERF_ATTR_SIZE_VER0);
    size = attr.size ? attr.size : PERF_ATTR_SIZE_VER0;
    whole = bytes_skip(&b, size);
    if (!whole) {
        return wrong_record(c, t, "an event is shorter than it says");
    }
    if (perfevents_add(&r->events, whole, size, t)) {
        return perfheader_prefix(r->name, t);
    }
    while (b.left >= sizeof(uint64_t)) {
        if (perfevents_add_id(&r->events, (unsigned)r->events.n - 1, bytes_u64(&b), t)) {
            return perfheader_prefix(r->name, t);
        }
    }
    return 0;
}

static int take_update(const struct context *c, struct error *t)
{
    struct bytes b = c->body;
    uint64_t type = bytes_u64(&b);
    const struct perfevent_id *id = perfevents_find(&c->r->events, bytes_u64(&b));

    if (c->r->walked || type != PERFFILE_UPDATE_NAME || !id || !*take_text(&b)) {
        return 0;
    }
    return perfevents_rename(&c->r->events, id->event, take_text(&b), t);
}

static int take_feature(const struct context *c, struct error *t)
{
    struct bytes b = c->body;
    FILE *file;
    int err;

    if (c->r->walked || bytes_u64(&b) != PERFFILE_FEATURE_EVENT_DESC || b.left == 0) {
        return 0;
    }
    file = fmemopen((void *)(uintptr_t)b.at, b.left, "r");
    if (!file) {
        return error_memory(t);
    }
    err = perfheader_names(&c->r->events, file, t);
    fclose(file);
    return err;
}

/* Reads symbols, unless it is the obsolete record of perf that has the same type. */
static int take_symbols(const struct context *c, struct error *t)
{
    struct bytes b = c->body;
    const unsigned char *magic = bytes_skip(&b, sizeof(PERFFILE_SYMBOLS) - 1);
    FILE *file;
    int err;

    if (c->r->walked || !c->r->functions || !c->r->pipe || b.left == 0 ||
        memcmp(magic, PERFFILE_SYMBOLS, sizeof(PERFFILE_SYMBOLS) - 1) != 0) {
        return 0;
    }
    file = fmemopen((void *)(uintptr_t)b.at, b.left, "r");
    if (!file) {
        return error_memory(t);
    }
    err = filesymbols_read(c->r->functions, file, b.left, NULL, NULL, t);
    fclose(file);
    return err;
}

static int refuse_compressed(const struct context *c, struct error *t)
{
    return perfheader_wrong(c->r->name, t,
                            "its records are compressed; perf record without -z writes others");
}

static const struct {
    uint32_t type;
    size_t min; /* minimum size after the header, in bytes */
    int (*take)(const struct context *c, struct error *t);
} takers[] = {
    {PERF_RECORD_SAMPLE, 0, take_sample},
    {PERF_RECORD_MMAP, 32, take_map},
    {PERF_RECORD_LOST, 16, take_lost},
    {PERF_RECORD_COMM, 8, take_comm},
    {PERF_RECORD_FORK, 24, take_fork},
    {PERF_RECORD_MMAP2, 64, take_map2},
    {PERF_RECORD_LOST_SAMPLES, 8, take_lost_samples},
    {PERF_RECORD_CGROUP, 8, take_cgroup},
    {PERFFILE_RECORD_ATTR, PERF_ATTR_SIZE_VER0, take_attr},
    {PERFFILE_RECORD_EVENT_TYPE, 8, take_symbols},
    {PERFFILE_RECORD_EVENT_UPDATE, 16, take_update},
    {PERFFILE_RECORD_FEATURE, 8, take_feature},
    {PERFFILE_RECORD_COMPRESSED, 0, refuse_compressed},
    {PERFFILE_RECORD_COMPRESSED2, 0, refuse_compressed},
};

static int take_record(const struct context *c, uint32_t type, struct error *t)
{
    for (size_t i = 0; i < sizeof(takers) / sizeof(takers[0]); i++) {
        if (takers[i].type == type) {
            return c->body.left < takers[i].min ? wrong_record(c, t, "a record is too short")
                                                : takers[i].take(c, t);
        }
    }
    return 0;
}

/* Returns the number of bytes that follow a record but are not included in its size. */
static uint64_t bytes_behind(const struct context *c, uint32_t type)
{
    struct bytes b = c->body;

    return type == PERFFILE_RECORD_TRACING_DATA ? (bytes_u32(&b) + 7ull) & ~7ull
           : type == PERFFILE_RECORD_AUXTRACE   ? bytes_u64(&b)
                                                : 0;
}

/* Returns 1 if there is a record, 0 at the end of the data, even within a record, or -1. */
static int next_record(struct perfreader *r, struct context *c, struct error *t)
{
    struct perf_event_header *head = (struct perf_event_header *)r->record;
    unsigned char *bytes = (unsigned char *)r->record;
    size_t size;

    if (c->at == r->end) {
        return 0;
    }
    size = fread(head, 1, sizeof(*head), r->file);
    if (size < sizeof(*head) || head->size > r->end - c->at) {
        /* The recorder did not finish if the header does not give the size of the data. */
        r->cut = size > 0 || !r->pipe;
        return 0;
    }
    if (head->size < sizeof(*head)) {
        return wrong_record(c, t, "a record has size 0");
    }
    size = head->size - sizeof(*head);
    if (fread(head + 1, 1, size, r->file) != size) {
        r->cut = true;
        return 0;
    }
    memset(bytes + head->size, 0, sizeof(uint64_t));
    c->misc = head->misc;
    c->body = (struct bytes){.at = bytes + sizeof(*head), .left = size};
    return 1;
}

static bool is_stopped(const struct perfreader *r)
{
    struct pollfd fd = {.fd = r->stop_fd, .events = POLLIN};

    return poll(&fd, 1, 0) > 0;
}

/* Moves to the next record. */
static int go_on(struct perfreader *r, struct context *c, struct error *t)
{
    const struct perf_event_header *head = (const struct perf_event_header *)r->record;
    uint64_t behind = bytes_behind(c, head->type);

    if (behind > INT64_MAX || (behind && fseeko(r->file, (off_t)behind, SEEK_CUR))) {
        return wrong_record(c, t, "a record has size 0");
    }
    c->at += head->size + behind;
    return c->at <= r->end ? 0 : wrong_record(c, t, "a record is longer than the file");
}

int perfreader_walk(struct perfreader *r, const struct perfreader_ops *ops, void *opaque,
                    struct error *t)
{
    const struct perf_event_header *head = (const struct perf_event_header *)r->record;
    struct context c = {.r = r, .ops = ops, .opaque = opaque, .at = r->data};
    uint64_t n = 0;
    int got;

    if (fseeko(r->file, (off_t)r->data, SEEK_SET)) {
        return perfheader_wrong(r->name, t, "it ends before its data");
    }
    r->strangers = 0;
    while ((got = next_record(r, &c, t)) > 0) {
        if (take_record(&c, head->type, t) || go_on(r, &c, t)) {
            return -1;
        }
        if (++n % LOOK_RECORDS == 0) {
            progress_at(r->progress, c.at - r->data, r->end - r->data);
            if (is_stopped(r)) {
                return error_set(t, ERROR_STOPPED, "stopped");
            }
        }
    }
    r->walked = true;
    if (got == 0) {
        r->end = c.at;
    }
    return got;
}
