/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Streams of samples: whole, truncated, damaged and cut into pieces. The tests in tests/record
 * check what perf reads from the files.
 */
#include "record/recording.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "vpmu/arm/observer.h"

#include "perfdata/perffile.h"
#include "perfdata/perfreader.h"
#include "fixtures/streams.h"
#include "unit/tests.h"

/* Size of the records before the first sample, in a stream of streams_make(). */
#define HEAD_SIZE (sizeof(struct vpmu_record_start) + 2 * sizeof(struct vpmu_record_event))

/* Processes a stream in pieces of @piece bytes and finishes the file. */
static int take_all(struct recording *r, const struct made_stream *m, size_t piece, struct error *t)
{
    int err = 0;

    *r = (struct recording){0};
    *t = (struct error){0};
    r->file.file = fopen("/dev/null", "we");
    r->file.host = "host";
    ck_assert(r->file.file);
    for (size_t at = 0; !err && at < m->size; at += piece) {
        size_t left = m->size - at;

        err = recording_take(r, m->bytes + at, left < piece ? left : piece, t);
    }
    err = err ? err : recording_finish(r, t);
    fclose(r->file.file);
    return err;
}

static void expect_error(const char *row, const struct made_stream *m, enum error_code want,
                         const char *text)
{
    struct recording r;
    struct error t;

    take_all(&r, m, m->size, &t);
    ck_assert_msg(t.code == want && (!text || strstr(t.text, text)),
                  "%s: expected an error %d with '%s' got %d: '%s'", row, (int)want,
                  text ? text : "", (int)t.code, t.text);
    recording_free(&r);
}

/* The result does not depend on how the stream is cut into pieces. */
START_TEST(recording_in_pieces)
{
    static const size_t pieces[] = {1, 7, 8, 48, 4096};
    struct made_stream m;
    struct recording r;
    struct error t;

    streams_make(&m);
    for (size_t i = 0; i < COUNT_OF(pieces); i++) {
        ck_assert_msg(take_all(&r, &m, pieces[i], &t) == 0, "expected success got %s", t.text);
        ck_assert_uint_eq(r.file.samples, 4);
        ck_assert_uint_eq(r.totals.rows[0].count, 199);
        ck_assert_uint_eq(r.totals.rows[2].count, 355);
        ck_assert_uint_eq(r.totals.rows[2].lost, 1);
        ck_assert_uint_eq(r.totals.rows[3].samples, 0);
        recording_free(&r);
    }
}
END_TEST

/* Names of events are printed, and the machine may have sent anything. */
START_TEST(recording_tames_names)
{
    struct made_stream m;
    struct recording r;
    struct error t;
    char *name;

    streams_make(&m);
    name = memmem(m.bytes, m.size, "event-a", 8);
    ck_assert(name);
    memcpy(name, "a\x1b[2Jb", 7);
    ck_assert_int_eq(take_all(&r, &m, m.size, &t), 0);
    ck_assert_str_eq(r.stream.event[0].name, "a?[2Jb");
    recording_free(&r);
}
END_TEST

/* perf needs the size of copied stacks and the registers with them, to unwind them. */
START_TEST(recording_stacks)
{
    static const struct {
        unsigned flags;
        bool keeps;
        uint64_t registers;
    } rows[] = {
        {0, true, VPMU_RECORD_REGS_ARM},
        {VPMU_RECORD_X86, true, VPMU_RECORD_REGS_X86},
        {VPMU_RECORD_X86, false, 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct recording r = {.stack = 8192,
                              .keeps_stacks = rows[i].keeps,
                              .file = {.host = "host", .file = fopen("/dev/null", "we")}};
        struct error t = {0};
        struct made_stream m;

        ck_assert(r.file.file);
        streams_begin(&m, 1, 1, rows[i].flags);
        ck_assert_int_eq(recording_take(&r, m.bytes, m.size, &t), 0);
        ck_assert_uint_eq(r.file.stack, 8192);
        ck_assert_uint_eq(r.file.registers, rows[i].registers);
        fclose(r.file.file);
        recording_free(&r);
    }
}
END_TEST

/* The longest call chain is taken, and a longer one is not. */
START_TEST(recording_longest)
{
    for (unsigned more = 0; more < 2; more++) {
        struct made_stream m;
        struct recording r;
        struct error t;

        streams_begin(&m, 1, 1, 0);
        streams_sample(&m, 0, 0, 0, VPMU_RECORD_CHAIN + more);
        streams_end(&m);
        ck_assert_int_eq(take_all(&r, &m, m.size, &t), more ? -1 : 0);
        ck_assert(!more || strstr(t.text, "another number of values, frames or branches"));
        recording_free(&r);
    }
}
END_TEST

/*
 * A stream that is truncated at any byte gives an error, because the machine may have ended there.
 */
START_TEST(recording_cut)
{
    struct made_stream m;
    size_t whole;

    streams_make(&m);
    whole = m.size;
    for (m.size = 0; m.size < whole; m.size++) {
        struct recording r;
        struct error t;

        ck_assert_msg(take_all(&r, &m, whole, &t) != 0, "%zu bytes: expected an error got none",
                      m.size);
        ck_assert_int_eq(t.code, m.size < HEAD_SIZE ? ERROR_TALK : ERROR_ENDED);
        recording_free(&r);
    }
}
END_TEST

/* A record of each kind with one invalid value. */
START_TEST(recording_refused)
{
    static const struct {
        const char *row;
        size_t at;
        unsigned char byte;
        const char *text;
    } rows[] = {
        {"another magic", 8, 'X', "magic"},
        {"another version", 15, 1, "version"},
        {"no vCPUs", 16, 0, "vCPUs"},
        {"too many", 18, 2, "vCPUs"},
        {"no events", 20, 0, "events"},
        {"too many events", 20, 33, "events"},
        {"flags of a later version", 22, 16, "newer"},
        {"the start's size", 2, 24, "shorter"},
        {"a size that is odd", 2, 33, "size"},
        {"no size", 2, 0, "size"},
        {"not the start first", 0, VPMU_RECORD_END, "out of order"},
        {"the start again", 32, VPMU_RECORD_START, "out of order"},
        {"a sample before the events", 32, VPMU_RECORD_SAMPLE, "out of order"},
        {"an event without a name", 56, 0, "no name"},
        {"an event with both", 48, 1, "a period and a frequency"},
        {"an event too many", 20, 1, "more events"},
        {"a sample of no vCPU", 212, 2, "unknown vCPU"},
        {"a sample of no event", 208 + 38, 2, "not sampled"},
        {"a sample of no weight", 208 + 24, 0, "multiple"},
        {"of half a period", 208 + 24, 50, "multiple"},
        {"with values", 208 + 42, 1, "another number of values"},
        {"with a call chain that is not there", 208 + 44, 1, "another number of values"},
        {"with one that cannot be", 208 + 44, 129, "another number of values"},
    };
    struct made_stream m;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        streams_make(&m);
        m.bytes[rows[i].at] = rows[i].byte;
        expect_error(rows[i].row, &m, ERROR_TALK, rows[i].text);
    }
}
END_TEST

/* The same for mappings, which the streams of streams_make() do not have. */
START_TEST(recording_map_refused)
{
    static const struct {
        const char *row;
        size_t at;
        unsigned char byte;
        const char *text; /* NULL: it is valid */
    } rows[] = {
        {"right", 0, VPMU_RECORD_MAP, NULL},
        {"without an end of its path", sizeof(struct vpmu_record_map) + 7, 'x', "not terminated"},
        {"with a longer path", offsetof(struct vpmu_record_map, path), 16, "no path"},
        {"without a path", offsetof(struct vpmu_record_map, path), 0, "no path"},
        {"without a size", offsetof(struct vpmu_record_map, end) + 1, 0x10, "no size"},
        {"with a build ID that is too long", offsetof(struct vpmu_record_map, build_id_size), 21,
         "build ID is too long"},
    };
    struct made_stream m;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t at;

        streams_begin(&m, 1, 1, 0);
        at = m.size;
        streams_map(&m, 0, 7, "/a/bcde", "");
        m.bytes[at + rows[i].at] = rows[i].byte;
        streams_end(&m);
        expect_error(rows[i].row, &m, rows[i].text ? ERROR_TALK : ERROR_NONE, rows[i].text);
    }
}
END_TEST

/* Records of an unknown kind are skipped. Nothing may follow the end. */
START_TEST(recording_later_versions)
{
    const struct vpmu_record_head unknown = {.type = 77, .size = sizeof(unknown)};
    struct made_stream m;

    streams_begin(&m, 1, 1, 0);
    streams_add(&m, &unknown, sizeof(unknown));
    streams_end(&m);
    expect_error("unknown", &m, ERROR_NONE, NULL);
    streams_add(&m, &unknown, sizeof(unknown));
    expect_error("behind the end", &m, ERROR_TALK, "out of order");
}
END_TEST

/* The final counts must agree with the samples before. */
START_TEST(recording_identity)
{
    static const struct {
        const char *row;
        struct vpmu_record_count count;
        const char *text; /* NULL: they agree */
    } rows[] = {
        {"exact", {.count = 200, .weight = 200, .samples = 2}, NULL},
        {"a remainder", {.count = 299, .weight = 200, .samples = 2}, NULL},
        {"one more was due", {.count = 300, .weight = 200, .samples = 2}, "remainder"},
        {"less than was sampled", {.count = 199, .weight = 200, .samples = 2}, "remainder"},
        {"a sample did not come", {.count = 300, .weight = 300, .samples = 3}, "number"},
        {"one came that was not sent", {.count = 100, .weight = 100, .samples = 1}, "number"},
        {"another weight", {.count = 300, .weight = 300, .samples = 2}, "weight"},
        {"one was lost", {.count = 300, .weight = 300, .samples = 2, .lost = 1}, NULL},
    };
    struct made_stream m;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        streams_begin(&m, 1, 1, 0);
        streams_sample(&m, 0, 0, 0, 0);
        streams_sample(&m, 0, 0, 0, 0);
        streams_count(&m, &rows[i].count);
        streams_end(&m);
        expect_error(rows[i].row, &m, rows[i].text ? ERROR_TALK : ERROR_NONE, rows[i].text);
        m.size -= sizeof(struct vpmu_record_end);
        streams_count(&m, &rows[i].count);
        streams_end(&m);
        expect_error("twice", &m, ERROR_TALK, rows[i].text ? rows[i].text : "two counts");
    }
}
END_TEST

/*
 * The host's PMU may count more than a period after the last sample, but never less than the
 * samples stand for.
 */
START_TEST(recording_host)
{
    static const struct {
        const char *row;
        unsigned event; /* the event that the host counted; event 0 is checked */
        struct vpmu_record_count count;
        const char *text; /* NULL: they agree */
    } rows[] = {
        {"exact", 0, {.count = 100, .weight = 100, .samples = 1}, NULL},
        {"more than a period", 0, {.count = 345, .weight = 100, .samples = 1}, NULL},
        {"less than was sampled", 0, {.count = 99, .weight = 100, .samples = 1}, "remainder"},
        {"another weight", 0, {.count = 345, .weight = 200, .samples = 1}, "weight"},
        {"another event's", 1, {.count = 345, .weight = 100, .samples = 1}, "remainder"},
        {"no event's", 2, {.count = 100, .weight = 100, .samples = 1}, "count of the host"},
    };
    struct made_stream m;
    struct recording r;
    struct error t;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        streams_begin(&m, 1, 2, 0);
        streams_sample(&m, 0, 0, 0, 0);
        streams_host(&m, 0, rows[i].event);
        streams_count(&m, &rows[i].count);
        streams_end(&m);
        expect_error(rows[i].row, &m, rows[i].text ? ERROR_TALK : ERROR_NONE, rows[i].text);
    }
    streams_begin(&m, 1, 2, 0);
    streams_host(&m, 0, 1);
    streams_end(&m);
    ck_assert_int_eq(take_all(&r, &m, m.size, &t), 0);
    ck_assert(!r.totals.rows[0].hosts && r.totals.rows[1].hosts);
    ck_assert_uint_eq(r.totals.rows[1].enabled, 90);
    ck_assert_uint_eq(r.totals.rows[1].running, 60);
    ck_assert_uint_eq(r.totals.rows[1].elsewhere, 1);
    ck_assert_uint_eq(r.totals.rows[1].throttled, 2);
    recording_free(&r);
}
END_TEST

/* If the machine ends early, the samples so far are kept, and the error says so. */
START_TEST(recording_without_end)
{
    struct made_stream m;

    streams_begin(&m, 1, 2, 1);
    streams_sample(&m, 0, 1, 2, 5);
    expect_error("no end", &m, ERROR_ENDED, "the machine ended");
    m.size = 0;
    expect_error("nothing", &m, ERROR_TALK, "before its events");
}
END_TEST

/* What the file says about a sample and who ran. */
struct seen {
    struct perfsample sample;
    unsigned mode;
    char comm[64];
    char path[64];
};

static int see_sample(void *opaque, unsigned event, unsigned mode, const struct perfsample *s,
                      struct error *t)
{
    struct seen *told = opaque;

    (void)event, (void)t;
    told->sample = *s;
    told->mode = mode;
    return 0;
}

static int see_comm(void *opaque, uint32_t tid, uint64_t time, const char *name, struct error *t)
{
    struct seen *told = opaque;

    (void)time, (void)t;
    if (tid) {
        snprintf(told->comm, sizeof(told->comm), "%u %s", tid, name);
    }
    return 0;
}

static int see_cgroup(void *opaque, uint64_t number, const char *path, struct error *t)
{
    struct seen *told = opaque;

    (void)t;
    snprintf(told->path, sizeof(told->path), "%" PRIu64 " %s", number, path);
    return 0;
}

/* Programs that the user has named, or NULL. */
static const struct program_maps *the_mapped;
static bool with_chains;

/* A recording that is killed can be read: the header knows the records until then. */
static void check_so_far(FILE *file)
{
    struct perffile_header header;
    struct stat st;

    ck_assert_int_eq(fstat(fileno(file), &st), 0);
    ck_assert_int_eq(pread(fileno(file), &header, sizeof(header), 0), sizeof(header));
    ck_assert_uint_gt(header.data.offset, 0);
    ck_assert_uint_eq(header.data.offset + header.data.size, (uint64_t)st.st_size);
}

/* Makes a file from a stream and reads it. */
static void walk_again(const struct made_stream *m, const struct perfreader_ops *ops, void *opaque)
{
    struct perfreader reader = {.name = "FILE", .stop_fd = -1};
    struct recording r = {.mapped = the_mapped, .file.chains = with_chains};
    struct error t = {0};

    r.file.host = "host";
    r.file.file = tmpfile();
    ck_assert(r.file.file);
    ck_assert_int_eq(recording_take(&r, m->bytes, m->size, &t), 0);
    check_so_far(r.file.file);
    ck_assert_int_eq(recording_finish(&r, &t), 0);
    rewind(r.file.file);
    ck_assert_msg(perfreader_open(&reader, r.file.file, &t) == 0, "%s", t.text);
    ck_assert_int_eq(perfreader_walk(&reader, ops, opaque, &t), 0);
    perfreader_close(&reader);
    fclose(r.file.file);
    recording_free(&r);
}

static void read_again(struct seen *told, const struct made_stream *m)
{
    static const struct perfreader_ops ops = {
        .sample = see_sample, .comm = see_comm, .cgroup = see_cgroup};

    *told = (struct seen){0};
    walk_again(m, &ops, told);
}

static void tell(struct seen *told, const struct vpmu_record_sample *sample, unsigned machine)
{
    struct made_stream m;

    streams_begin(&m, 1, 1, machine);
    streams_add(&m, sample, sizeof(*sample));
    streams_count(&m, &(struct vpmu_record_count){.count = 100, .weight = 100, .samples = 1});
    streams_end(&m);
    read_again(told, &m);
}

/** struct seen_file - what a file says; a kind of record that it does not have is empty */
struct seen_file {
    struct seen seen;
    unsigned samples;
    char code[64];
};

static int see_file_sample(void *opaque, unsigned event, unsigned mode, const struct perfsample *s,
                           struct error *t)
{
    struct seen_file *told = opaque;

    told->samples++;
    return see_sample(&told->seen, event, mode, s, t);
}

static int see_file_comm(void *opaque, uint32_t tid, uint64_t time, const char *name,
                         struct error *t)
{
    return see_comm(&((struct seen_file *)opaque)->seen, tid, time, name, t);
}

static int see_code(void *opaque, const struct perfreader_code *code, struct error *t)
{
    struct seen_file *told = opaque;

    (void)t;
    snprintf(told->code, sizeof(told->code), "%u %#" PRIx64 " %s", code->pid, code->start,
             code->path);
    return 0;
}

static void read_file(struct seen_file *told, FILE *file)
{
    static const struct perfreader_ops ops = {
        .sample = see_file_sample, .comm = see_file_comm, .code = see_code};
    struct perfreader reader = {.name = "FILE", .stop_fd = -1};
    struct error t = {0};

    *told = (struct seen_file){0};
    rewind(file);
    ck_assert_msg(perfreader_open(&reader, file, &t) == 0, "%s", t.text);
    ck_assert_int_eq(perfreader_walk(&reader, &ops, told, &t), 0);
    perfreader_close(&reader);
    fclose(file);
}

/* Each file names the thread that runs and its mapping, though the machine says both once. */
START_TEST(recording_of_several_files)
{
    struct recording r = {.keeps_maps = true};
    struct error t = {0};
    struct made_stream m;
    struct seen_file told;
    FILE *files[3];

    r.file.host = "host";
    streams_begin(&m, 1, 1, 0);
    streams_thread(&m, 0, 1, 7, 7, "seven");
    streams_map(&m, 0, 7, "/a/bcde", "ID");
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        files[i] = tmpfile();
        ck_assert(files[i]);
        if (i == 0) {
            r.file.file = files[i];
        } else {
            recording_next(&r, files[i]);
        }
        streams_sample(&m, 0, 0, 0, 0);
        ck_assert_int_eq(recording_take(&r, m.bytes, m.size, &t), 0);
        m.size = 0;
    }
    streams_count(&m, &(struct vpmu_record_count){.count = 300, .weight = 300, .samples = 3});
    streams_end(&m);
    ck_assert_int_eq(recording_take(&r, m.bytes, m.size, &t), 0);
    ck_assert_int_eq(recording_finish(&r, &t), 0);
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        read_file(&told, files[i]);
        ck_assert_uint_eq(told.samples, 1);
        ck_assert_uint_eq(told.seen.sample.tid, 7);
        ck_assert_str_eq(told.seen.comm, "7 seven");
        ck_assert_str_eq(told.code, "7 0x1000 /a/bcde");
    }
    recording_free(&r);
}
END_TEST

/* A file without samples is complete, too. */
START_TEST(recording_of_nothing)
{
    struct made_stream m;
    struct seen told;

    streams_begin(&m, 1, 1, 0);
    streams_count(&m, &(struct vpmu_record_count){.count = 99});
    streams_end(&m);
    read_again(&told, &m);
    ck_assert_uint_eq(told.mode, 0);
}
END_TEST

/*
 * perf has one kernel. What belongs neither to it nor to its processes is shown as a process of its
 * own.
 */
START_TEST(recording_worlds)
{
    static const struct {
        const char *row;
        unsigned world;
        unsigned el;
        unsigned mode;
        uint32_t tid; /* 0: the thread that has the name */
        const char *comm;
        const char *path;
        unsigned machine, flags;
    } rows[] = {
        {"process", VPMU_WORLD_NVHE, 0, PERF_RECORD_MISC_USER, 42, "", "1 /host", 0, 0},
        {"kernel at EL1", VPMU_WORLD_NVHE, 1, PERF_RECORD_MISC_KERNEL, 42, "", "1 /host", 0, 0},
        {"below it", VPMU_WORLD_NVHE, 2, PERF_RECORD_MISC_USER, 0, "EL2", "2 /host/EL2", 0, 0},
        {"firmware", VPMU_WORLD_NVHE, 3, PERF_RECORD_MISC_USER, 0, "EL3", "3 /host/EL3", 0, 0},
        {"VHE process", VPMU_WORLD_VHE, 0, PERF_RECORD_MISC_USER, 42, "", "1 /host", 0, 0},
        {"VHE kernel", VPMU_WORLD_VHE, 2, PERF_RECORD_MISC_KERNEL, 42, "", "1 /host", 0, 0},
        {"VHE firmware", VPMU_WORLD_VHE, 3, PERF_RECORD_MISC_USER, 0, "EL3", "3 /host/EL3", 0, 0},
        {"guest's process", VPMU_WORLD_GUEST, 0, PERF_RECORD_MISC_USER, 0, "guest-7",
         "65543 /guest/vmid-7", 0, 0},
        {"guest's kernel", VPMU_WORLD_GUEST, 1, PERF_RECORD_MISC_USER, 0, "guest-7",
         "65543 /guest/vmid-7", 0, 0},
        {"x86 process", VPMU_WORLD_NVHE, 0, PERF_RECORD_MISC_USER, 42, "", "1 /host",
         VPMU_RECORD_X86, 0},
        {"x86 kernel", VPMU_WORLD_NVHE, 1, PERF_RECORD_MISC_KERNEL, 42, "", "1 /host",
         VPMU_RECORD_X86, 0},
        {"x86 firmware", VPMU_WORLD_NVHE, 1, PERF_RECORD_MISC_USER, 0, "SMM", "4 /host/SMM",
         VPMU_RECORD_X86, VPMU_RECORD_SMM},
        {"x86 guest", VPMU_WORLD_GUEST, 1, PERF_RECORD_MISC_USER, 0, "guest", "5 /guest",
         VPMU_RECORD_X86, 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_record_sample sample = {
            .head = {.type = VPMU_RECORD_SAMPLE, .size = sizeof(sample)},
            .weight = STREAMS_PERIOD,
            .contextidr = 42,
            .vmid = 7,
            .el = (uint8_t)rows[i].el,
            .world = (uint8_t)rows[i].world,
            .flags = (uint8_t)rows[i].flags,
        };
        struct seen told;
        char comm[64] = "";

        tell(&told, &sample, rows[i].machine);
        if (!rows[i].tid) {
            snprintf(comm, sizeof(comm), "%u %s", told.sample.tid, rows[i].comm);
        }
        ck_assert_msg(told.mode == rows[i].mode, "%s: expected mode %u got %u", rows[i].row,
                      rows[i].mode, told.mode);
        ck_assert_msg(rows[i].tid ? told.sample.tid == rows[i].tid : told.sample.tid > 1u << 30,
                      "%s: got thread %u", rows[i].row, told.sample.tid);
        ck_assert_uint_eq(told.sample.pid, told.sample.tid);
        ck_assert_str_eq(told.comm, comm);
        ck_assert_str_eq(told.path, rows[i].path);
        ck_assert_uint_eq(told.sample.cgroup, strtoull(rows[i].path, NULL, 10));
    }
}
END_TEST

/* All records of threads and samples in the file, one line each. */
struct lines {
    char text[2048];
    size_t n;
};

__attribute__((format(printf, 2, 3))) static void add_line(struct lines *l, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    l->n += (size_t)vsnprintf(l->text + l->n, sizeof(l->text) - l->n, format, arguments);
    va_end(arguments);
    ck_assert_uint_lt(l->n, sizeof(l->text));
}

static int line_of_sample(void *opaque, unsigned event, unsigned mode, const struct perfsample *s,
                          struct error *t)
{
    (void)event, (void)mode, (void)t;
    add_line(opaque, "%u: %u/%u\n", s->cpu, s->pid, s->tid);
    return 0;
}

static int line_of_comm(void *opaque, uint32_t tid, uint64_t time, const char *name,
                        struct error *t)
{
    (void)t;
    if (tid) {
        add_line(opaque, "%u is %s at %" PRIu64 "\n", tid, name, time);
    }
    return 0;
}

static void add_thread(struct made_stream *m, unsigned cpu, unsigned known, uint32_t tid,
                       uint32_t pid, const char *name)
{
    streams_thread(m, cpu, known, tid, pid, name);
    streams_sample(m, cpu, 0, 0, 0);
}

/* A sample belongs to the last thread record of the same vCPU. */
START_TEST(recording_threads)
{
    static const struct perfreader_ops ops = {.sample = line_of_sample, .comm = line_of_comm};
    struct lines lines = {.n = 0};
    struct made_stream m;

    streams_begin(&m, 2, 1, 0);
    streams_sample(&m, 0, 0, 0, 0);
    add_thread(&m, 0, 1, 7, 5, "worker");
    add_thread(&m, 1, 1, 5, 5, "main");
    add_thread(&m, 0, 1, 5, 5, "main");
    add_thread(&m, 0, 1, 0, 0, "swapper/0");
    add_thread(&m, 0, 1, 7, 5, "worker");
    add_thread(&m, 0, 1, 7, 5, "sixteen bytes---and more");
    add_thread(&m, 0, 1, 9, 8, "\033[31m");
    add_thread(&m, 0, 1, 7, 5, "sixteen bytes---and more");
    add_thread(&m, 0, 0, 0, 0, "");
    add_thread(&m, 0, 1, UINT32_MAX, 9, "no thread");
    add_thread(&m, 0, 1, 9, 1u << 30, "no process");
    streams_count(&m, &(struct vpmu_record_count){.count = 1100, .weight = 1100, .samples = 11});
    streams_count(
        &m, &(struct vpmu_record_count){.head.cpu = 1, .count = 100, .weight = 100, .samples = 1});
    streams_end(&m);
    walk_again(&m, &ops, &lines);
    ck_assert_str_eq(lines.text, "0: 42/42\n"
                                 "7 is worker at 500\n"
                                 "0: 5/7\n"
                                 "5 is main at 500\n"
                                 "1: 5/5\n"
                                 "5 is main at 500\n"
                                 "0: 5/5\n"
                                 "0: 0/0\n"
                                 "7 is worker at 500\n"
                                 "0: 5/7\n"
                                 "7 is sixteen bytes--- at 500\n"
                                 "0: 5/7\n"
                                 "9 is ?[31m at 500\n"
                                 "0: 8/9\n"
                                 "7 is sixteen bytes--- at 500\n"
                                 "0: 5/7\n"
                                 "0: 42/42\n"
                                 "0: 42/42\n"
                                 "0: 42/42\n");
}
END_TEST

/*
 * Threads of guests have numbers of their own: of the first guest from 1100000000 on, of the second
 * from 1110000000 on. The machine's threads stay known meanwhile. Each vCPU has its own thread of a
 * guest, and another guest begins without one, also with the VMID of a guest before.
 */
START_TEST(recording_guest_threads)
{
    static const struct perfreader_ops ops = {.sample = line_of_sample, .comm = line_of_comm};
    static const uint64_t first = 7ull << 48 | 0x1000, second = 8ull << 48 | 0x1000,
                          third = 7ull << 48 | 0x2000;
    struct lines lines = {.n = 0};
    struct made_stream m;

    streams_begin(&m, 2, 1, 0);
    add_thread(&m, 0, 1, 5, 5, "main");
    streams_guest_thread(&m, 0, 1, 5, 5, "before any guest");
    streams_guest(&m, 0, first);
    streams_guest_sample(&m, 0, 7);
    streams_guest_thread(&m, 0, 1, 6, 5, "worker");
    streams_guest_sample(&m, 0, 7);
    streams_guest(&m, 0, first | VPMU_RECORD_VTTBR_CNP);
    streams_guest_sample(&m, 0, 7);
    streams_guest_sample(&m, 0, 8);
    streams_sample(&m, 0, 0, 0, 0);
    streams_guest(&m, 1, second);
    streams_guest_sample(&m, 1, 8);
    streams_guest(&m, 0, second);
    streams_guest_sample(&m, 0, 8);
    streams_guest_thread(&m, 0, 1, 6, 5, "worker");
    streams_guest_sample(&m, 0, 8);
    streams_guest_thread(&m, 0, 1, 0, 0, "swapper/1");
    streams_guest_sample(&m, 0, 8);
    streams_guest_thread(&m, 0, 0, 0, 0, "");
    streams_guest_sample(&m, 0, 8);
    streams_guest(&m, 1, third);
    streams_guest_sample(&m, 1, 7);
    streams_guest_thread(&m, 1, 1, 6, 6, "other");
    streams_guest_sample(&m, 1, 7);
    streams_count(&m, &(struct vpmu_record_count){.count = 1000, .weight = 1000, .samples = 10});
    streams_count(
        &m, &(struct vpmu_record_count){.head.cpu = 1, .count = 300, .weight = 300, .samples = 3});
    streams_end(&m);
    walk_again(&m, &ops, &lines);
    ck_assert_str_eq(lines.text, "5 is main at 500\n"
                                 "0: 5/5\n"
                                 "1073807367 is guest-7 at 0\n"
                                 "0: 1073807367/1073807367\n"
                                 "1100000006 is worker at 500\n"
                                 "0: 1100000005/1100000006\n"
                                 "0: 1100000005/1100000006\n"
                                 "1073807368 is guest-8 at 0\n"
                                 "0: 1073807368/1073807368\n"
                                 "0: 5/5\n"
                                 "1: 1073807368/1073807368\n"
                                 "0: 1073807368/1073807368\n"
                                 "1110000006 is worker at 500\n"
                                 "0: 1110000005/1110000006\n"
                                 "1110000000 is swapper at 500\n"
                                 "0: 1110000000/1110000000\n"
                                 "0: 1073807368/1073807368\n"
                                 "1: 1073807367/1073807367\n"
                                 "1120000006 is other at 500\n"
                                 "1: 1120000006/1120000006\n");
}
END_TEST

/*
 * Guests of SVM have numbers in the order in which they are seen, and their threads as well. A
 * sample before the first record is of an unknown guest.
 */
START_TEST(recording_svm_guests)
{
    static const struct perfreader_ops ops = {.sample = line_of_sample, .comm = line_of_comm};
    struct lines lines = {.n = 0};
    struct made_stream m;

    streams_begin(&m, 2, 1, VPMU_RECORD_X86);
    streams_guest_sample(&m, 0, 0);
    streams_guest(&m, 0, 0x5000);
    streams_guest_sample(&m, 0, 0);
    streams_guest(&m, 1, 0x7000);
    streams_guest_sample(&m, 1, 0);
    streams_guest_thread(&m, 1, 1, 6, 5, "worker");
    streams_guest_sample(&m, 1, 0);
    streams_guest_sample(&m, 0, 0);
    streams_sample(&m, 0, 0, 0, 0);
    streams_guest(&m, 0, 0x7000);
    streams_guest_sample(&m, 0, 0);
    streams_guest(&m, 1, 0x5000);
    streams_guest_sample(&m, 1, 0);
    streams_count(&m, &(struct vpmu_record_count){.count = 500, .weight = 500, .samples = 5});
    streams_count(
        &m, &(struct vpmu_record_count){.head.cpu = 1, .count = 300, .weight = 300, .samples = 3});
    streams_end(&m);
    walk_again(&m, &ops, &lines);
    ck_assert_str_eq(lines.text, "1073741829 is guest at 0\n"
                                 "0: 1073741829/1073741829\n"
                                 "1073872897 is guest-1 at 0\n"
                                 "0: 1073872897/1073872897\n"
                                 "1073872898 is guest-2 at 0\n"
                                 "1: 1073872898/1073872898\n"
                                 "1110000006 is worker at 500\n"
                                 "1: 1110000005/1110000006\n"
                                 "0: 1073872897/1073872897\n"
                                 "0: 42/42\n"
                                 "0: 1073872898/1073872898\n"
                                 "1: 1073872897/1073872897\n");
}
END_TEST

static int line_of_code(void *opaque, const struct perfreader_code *code, struct error *t)
{
    (void)t;
    add_line(opaque,
             "%u has %s %.*s at %" PRIx64 " for %" PRIx64 " from %" PRIx64 " on, at %" PRIu64 "\n",
             code->pid, code->path, (int)code->build_id_size, (const char *)code->build_id,
             code->start, code->length, code->offset, code->time);
    return 0;
}

/* A mapping is written once per process. A build ID stays known. */
START_TEST(recording_maps)
{
    static const struct perfreader_ops ops = {.code = line_of_code};
    struct lines lines = {.n = 0};
    struct made_stream m;

    streams_begin(&m, 2, 1, 0);
    streams_map(&m, 0, 7, "/bin/a", "");
    streams_map(&m, 1, 7, "/bin/a", "");
    streams_map(&m, 0, 8, "/bin/a", "ID");
    streams_map(&m, 0, 9, "/bin/a", "");
    streams_map(&m, 0, 9, "/bin/\033b", "");
    streams_map(&m, 0, 1u << 30, "/bin/a", "");
    streams_end(&m);
    walk_again(&m, &ops, &lines);
    ck_assert_str_eq(lines.text, "7 has /bin/a  at 1000 for 2000 from 500 on, at 700\n"
                                 "8 has /bin/a ID at 1000 for 2000 from 500 on, at 700\n"
                                 "9 has /bin/a ID at 1000 for 2000 from 500 on, at 700\n"
                                 "9 has /bin/?b  at 1000 for 2000 from 500 on, at 700\n");
}
END_TEST

static int line_of_chain(void *opaque, unsigned event, unsigned mode, const struct perfsample *s,
                         struct error *t)
{
    (void)event, (void)mode, (void)t;
    for (uint64_t i = 0; i < s->n_chain; i++) {
        add_line(opaque, "%" PRIx64 "%s", perfsample_word(s->chain, i),
                 i + 1 < s->n_chain ? " " : "\n");
    }
    return 0;
}

/*
 * In a chain, the kernel's addresses are followed by those of the program that entered the kernel.
 */
START_TEST(recording_chain_of_entry)
{
    static const struct perfreader_ops ops = {.sample = line_of_chain};
    static const struct {
        uint64_t pc;
        uint64_t chain[3];
    } rows[] = {
        {0xffff800080001000, {0, 0xffff800080002000, 0xffff800080003000}},
        {0xffff800080001000, {0, 0xffff800080002000, 0x400100}},
        {0xffff800080001000, {0, 0x400100, 0x400200}},
        /* A kernel at the addresses of programs: the chain has no such part. */
        {0x40081000, {0, 0x40082000, 0x40083000}},
    };
    struct lines lines = {.n = 0};
    struct made_stream m;

    streams_begin(&m, 1, 1, 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t at = m.size;

        streams_sample(&m, 0, 0, 0, 3);
        memcpy(m.bytes + at + offsetof(struct vpmu_record_sample, pc), &rows[i].pc, 8);
        memcpy(m.bytes + at + sizeof(struct vpmu_record_sample), rows[i].chain, 24);
    }
    streams_count(&m, &(struct vpmu_record_count){.count = 400, .weight = 400, .samples = 4});
    streams_end(&m);
    with_chains = true;
    walk_again(&m, &ops, &lines);
    with_chains = false;
    ck_assert_str_eq(lines.text,
                     "ffffffffffffff80 ffff800080001000 ffff800080002000 ffff800080003000\n"
                     "ffffffffffffff80 ffff800080001000 ffff800080002000 fffffffffffffe00 400100\n"
                     "ffffffffffffff80 ffff800080001000 fffffffffffffe00 400100 400200\n"
                     "ffffffffffffff80 40081000 40082000 40083000\n");
}
END_TEST

/* The file contains the name of the kernel's function at a sample, though it has no chain. */
START_TEST(recording_names)
{
    static const struct {
        uint64_t pc;
        const char *name;
    } rows[] = {
        {0xffff800080001000, "first"},
        {0xffff800080001ffc, "first"},
        {0xffff800080002000, "second"},
        {0xffff800080000ffc, ""},
        {0x400100, ""},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct functions written = {0};
        struct perfreader reader = {.name = "FILE", .stop_fd = -1};
        struct recording r = {.file.host = "host", .file.file = tmpfile()};
        struct error t = {0};
        struct made_stream m;
        size_t at;

        streams_begin(&m, 1, 1, 0);
        at = m.size;
        streams_sample(&m, 0, 0, 0, 0);
        memcpy(m.bytes + at + offsetof(struct vpmu_record_sample, pc), &rows[i].pc, 8);
        streams_count(&m, &(struct vpmu_record_count){.count = 100, .weight = 100, .samples = 1});
        streams_end(&m);
        functions_add(&r.names.functions,
                      &(struct function){.start = 0xffff800080001000, .name = (char[]){"first"}},
                      &t);
        functions_add(&r.names.functions,
                      &(struct function){.start = 0xffff800080002000, .name = (char[]){"second"}},
                      &t);
        ck_assert_int_eq(functions_sort(&r.names.functions, &t), 0);
        ck_assert_int_eq(recording_take(&r, m.bytes, m.size, &t), 0);
        ck_assert_int_eq(recording_finish(&r, &t), 0);
        rewind(r.file.file);
        ck_assert_int_eq(perfreader_open(&reader, r.file.file, &t), 0);
        ck_assert_int_eq(perfreader_functions(&reader, &written, &t), 0);
        ck_assert_msg(written.n == (rows[i].name[0] != 0), "row %zu: %zu names", i, written.n);
        ck_assert_str_eq(written.n ? written.function[0].name : "", rows[i].name);
        functions_free(&written);
        perfreader_close(&reader);
        fclose(r.file.file);
        recording_free(&r);
    }
}
END_TEST

/*
 * perf finds the kernel by a mapping whose name ends in _text: the numbers before the name are its
 * address, its size and the address of _text.
 */
START_TEST(recording_kernel)
{
    static const char name[] = "[kernel.kallsyms]_text";
    static const uint64_t want[] = {0xffff800080010000, 0x1f0000, 0xffff800080010000};
    struct recording r = {.file.host = "host", .file.file = tmpfile()};
    struct error t = {0};
    struct made_stream m;
    char file[16384];
    const char *at;
    size_t n;

    streams_begin(&m, 1, 1, 0);
    streams_sample(&m, 0, 0, 0, 0);
    streams_end(&m);
    r.names.kernel = (struct symbols){.text = want[0], .end = want[0] + want[1]};
    ck_assert_int_eq(recording_take(&r, m.bytes, m.size, &t), 0);
    ck_assert_int_eq(recording_finish(&r, &t), 0);
    rewind(r.file.file);
    n = fread(file, 1, sizeof(file), r.file.file);
    at = memmem(file, n, name, sizeof(name));
    ck_assert(at);
    ck_assert_mem_eq(at - sizeof(want), want, sizeof(want));
    fclose(r.file.file);
    recording_free(&r);
}
END_TEST

/* Programs that the user has named replace the guest's own mappings. */
START_TEST(recording_programs)
{
    static const struct perfreader_ops ops = {.code = line_of_code, .comm = line_of_comm};
    struct lines lines = {.n = 0};
    struct program_maps *mapped = calloc(1, sizeof(*mapped));
    struct error t = {0};
    struct made_stream m;
    char want[8192];
    int n = 0;

    ck_assert(mapped);
    ck_assert_msg(program_maps_add(mapped, "worker=/proc/self/exe@7000000", &t) == 0, "%s", t.text);
    ck_assert_uint_gt(mapped->image[0].parts, 0);
    /* Another program's file, and a second one of this program. */
    ck_assert_int_eq(program_maps_add(mapped, "third=/proc/self/exe", &t), 0);
    ck_assert_int_eq(program_maps_add(mapped, "worker=/proc/self/exe@9000000", &t), 0);
    streams_begin(&m, 1, 1, 0);
    add_thread(&m, 0, 1, 7, 5, "worker");
    streams_map(&m, 0, 5, "/bin/a", "");
    add_thread(&m, 0, 1, 9, 9, "other");
    streams_map(&m, 0, 9, "/bin/b", "");
    streams_count(&m, &(struct vpmu_record_count){.count = 200, .weight = 200, .samples = 2});
    streams_end(&m);
    the_mapped = mapped;
    walk_again(&m, &ops, &lines);
    the_mapped = NULL;
    n += snprintf(want + n, sizeof(want) - (size_t)n, "7 is worker at 500\n");
    for (size_t i = 0; i < 2 * mapped->image[0].parts; i++) {
        const struct image_part *part = &mapped->image[0].part[i % mapped->image[0].parts];

        n += snprintf(want + n, sizeof(want) - (size_t)n,
                      "5 has %s %.*s at %" PRIx64 " for %" PRIx64 " from %" PRIx64 " on, at 500\n",
                      mapped->path[0], (int)mapped->image[0].build_id_size,
                      (const char *)mapped->image[0].build_id,
                      part->address + (i < mapped->image[0].parts ? 0x7000000 : 0x9000000),
                      part->size, part->offset);
    }
    snprintf(want + n, sizeof(want) - (size_t)n,
             "9 is other at 500\n9 has /bin/b  at 1000 for 2000 from 500 on, at 700\n");
    ck_assert_str_eq(lines.text, want);
    program_maps_free(mapped);
    free(mapped);
}
END_TEST

Suite *recording_suite(void)
{
    const TTest *const tests[] = {
        recording_in_pieces,      recording_cut,
        recording_tames_names,    recording_stacks,
        recording_longest,        recording_refused,
        recording_later_versions, recording_identity,
        recording_host,           recording_without_end,
        recording_worlds,         recording_of_nothing,
        recording_threads,        recording_guest_threads,
        recording_svm_guests,     recording_map_refused,
        recording_maps,           recording_chain_of_entry,
        recording_names,          recording_kernel,
        recording_programs,       recording_of_several_files,
    };

    return suite_of("recording", tests, COUNT_OF(tests));
}
