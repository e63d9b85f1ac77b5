/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Streams of samples: whole, truncated, damaged and cut into pieces. The tests in tests/record
 * check what perf reads from the files.
 */
#include "record/recording.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vpmu/arm/observer.h"

#include "fixtures/recordings.h"
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
    int err = take_all(&r, m, m->size, &t);

    ck_assert_msg(t.code == want && err == (want == ERROR_NONE ? 0 : -1) &&
                      (!text || strstr(t.text, text)),
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

/* The same for records that precede a sample: its access, and the stack of its program. */
START_TEST(recording_parts_refused)
{
    static const struct {
        struct vpmu_record_access access;
        bool valid;
    } accesses[] = {
        {{.flags = VPMU_RECORD_LOAD}, true},
        {{.flags = VPMU_RECORD_STORE}, true},
        {{.flags = VPMU_RECORD_LOAD | VPMU_RECORD_STORE}, true},
        {{.flags = 0}, false},
        {{.flags = VPMU_RECORD_LOAD, .level = VPMU_DATA_LEVEL_COUNT - 1}, true},
        {{.flags = VPMU_RECORD_LOAD, .level = VPMU_DATA_LEVEL_COUNT}, false},
        {{.flags = VPMU_RECORD_LOAD, .translated = VPMU_TRANSLATED_COUNT - 1}, true},
        {{.flags = VPMU_RECORD_LOAD, .translated = VPMU_TRANSLATED_COUNT}, false},
    };
    static const struct {
        unsigned flags, registers, size, bytes; /* of the stack, as it is announced and as it is */
        bool valid;
    } stacks[] = {
        {0, 33, 64, 64, true},
        {0, 33, 0, 0, true},
        {0, 32, 64, 64, false},
        {0, 33, 64, 56, false},
        {0, 33, 64, 72, false},
        {0, 33, 60, 64, false},
        {0, 33, 60, 60, false},
        {VPMU_RECORD_X86, 33, 64, 64, false},
        {VPMU_RECORD_X86, 20, 64, 64, true},
    };
    static const unsigned char zeros[512];
    struct made_stream m;

    for (size_t i = 0; i < COUNT_OF(accesses); i++) {
        streams_begin(&m, 1, 1, 0);
        streams_access(&m, 0, &accesses[i].access);
        streams_end(&m);
        expect_error("access", &m, accesses[i].valid ? ERROR_NONE : ERROR_TALK,
                     accesses[i].valid ? NULL : "an access has an unknown level");
    }
    for (size_t i = 0; i < COUNT_OF(stacks); i++) {
        size_t words = stacks[i].registers * sizeof(uint64_t);
        const struct vpmu_record_stack stack = {
            .head = {.type = VPMU_RECORD_STACK,
                     .size = (uint16_t)(sizeof(stack) + words + stacks[i].bytes)},
            .registers = stacks[i].registers,
            .size = stacks[i].size};
        char row[16];

        snprintf(row, sizeof(row), "stack %zu", i);
        streams_begin(&m, 1, 1, stacks[i].flags);
        streams_add(&m, &stack, sizeof(stack));
        streams_add(&m, zeros, words + stacks[i].bytes);
        streams_end(&m);
        expect_error(row, &m, stacks[i].valid ? ERROR_NONE : ERROR_TALK,
                     stacks[i].valid       ? NULL
                     : stack.head.size % 8 ? "size"
                                           : "a stack has another number");
    }
}
END_TEST

/* What was lost, and what was counted, is of an event that was asked for. */
START_TEST(recording_events_refused)
{
    static const struct {
        size_t at; /* of the event's number */
        const char *text;
    } rows[] = {
        {offsetof(struct vpmu_record_lost, event), "lost samples refer to an unknown event"},
        {offsetof(struct vpmu_record_host, event), "a count of the host refers to"},
        {offsetof(struct vpmu_record_count, event), "a count refers to an unknown event"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct made_stream m;
        size_t at;

        streams_begin(&m, 1, 2, 0);
        at = m.size;
        if (i == 0) {
            streams_lost(&m, 0, 0, 1);
        } else if (i == 1) {
            streams_host(&m, 0, 0);
        } else {
            streams_count(&m, &(struct vpmu_record_count){.count = 5});
        }
        m.bytes[at + rows[i].at] = 2;
        streams_end(&m);
        expect_error(rows[i].text, &m, ERROR_TALK, rows[i].text);
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

/* The file has the build ID of the guest's kernel, if that is known. */
START_TEST(recording_build_id)
{
    static char file[1u << 16];
    struct made_stream m;

    streams_make(&m);
    for (unsigned known = 0; known < 2; known++) {
        struct recording r = {.file = {.file = tmpfile(), .host = "host"},
                              .names.has_build_id = known};
        unsigned char id[sizeof(r.names.build_id)];
        struct error t = {0};
        size_t n;

        memset(id, 0xb5, sizeof(id));
        memcpy(r.names.build_id, id, sizeof(id));
        ck_assert_int_eq(recording_take(&r, m.bytes, m.size, &t), 0);
        ck_assert_int_eq(recording_finish(&r, &t), 0);
        rewind(r.file.file);
        n = fread(file, 1, sizeof(file), r.file.file);
        ck_assert_int_eq(memmem(file, n, id, sizeof(id)) != NULL, known);
        fclose(r.file.file);
        recording_free(&r);
    }
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

/** struct seen_file - what a file says; a kind of record that it does not have is empty */
struct seen_file {
    unsigned samples;
    uint32_t tid;
    char comm[64];
    char code[64];
};

static int see_sample(void *opaque, unsigned event, unsigned mode, const struct perfsample *s,
                      struct error *t)
{
    struct seen_file *told = opaque;

    (void)event, (void)mode, (void)t;
    told->samples++;
    told->tid = s->tid;
    return 0;
}

static int see_comm(void *opaque, uint32_t tid, uint64_t time, const char *name, struct error *t)
{
    struct seen_file *told = opaque;

    (void)time, (void)t;
    if (tid) {
        snprintf(told->comm, sizeof(told->comm), "%u %s", tid, name);
    }
    return 0;
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
        .sample = see_sample, .comm = see_comm, .code = see_code};
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
        ck_assert_uint_eq(told.tid, 7);
        ck_assert_str_eq(told.comm, "7 seven");
        ck_assert_str_eq(told.code, "7 0x1000 /a/bcde");
    }
    recording_free(&r);
}
END_TEST

/* A file without samples is complete, too. */
START_TEST(recording_of_nothing)
{
    static const struct perfreader_ops ops = {.sample = recordings_sample};
    struct lines lines = {.n = 0};
    struct made_stream m;

    streams_begin(&m, 1, 1, 0);
    streams_count(&m, &(struct vpmu_record_count){.count = 99});
    streams_end(&m);
    recordings_walk(&m, NULL, &ops, &lines);
    ck_assert_str_eq(lines.text, "");
}
END_TEST
Suite *recording_suite(void)
{
    const TTest *const tests[] = {
        recording_in_pieces,      recording_cut,
        recording_tames_names,    recording_stacks,
        recording_longest,        recording_refused,
        recording_map_refused,    recording_parts_refused,
        recording_events_refused, recording_later_versions,
        recording_identity,       recording_build_id,
        recording_host,           recording_without_end,
        recording_of_nothing,     recording_of_several_files,
    };

    return suite_of("recording", tests, COUNT_OF(tests));
}
