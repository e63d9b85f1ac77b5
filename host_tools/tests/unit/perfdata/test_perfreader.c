/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Synthetic perf files: valid ones of each kind, truncated ones and damaged ones. The tests in
 * tests/record read files of perf itself.
 */
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "fixtures/perffiles.h"
#include "perfdata/perfreader.h"
#include "perfdata/perffile.h"
#include "perfdata/perfheader.h"
#include "perfdata/filesymbols.h"
#include "unit/tests.h"

/* The records that a walk found. */
struct seen {
    unsigned samples[2];
    uint64_t period[2];
    uint64_t lost[3]; /* the last one is for an unknown event */
    struct perfsample last;
    uint64_t chain;
    unsigned mode;
    uint64_t kernel;
    char text[256];
};

static int see_sample(void *opaque, unsigned event, unsigned mode, const struct perfsample *s,
                      struct error *t)
{
    struct seen *seen = opaque;

    (void)t;
    seen->samples[event]++;
    seen->period[event] += s->period;
    seen->last = *s;
    seen->mode = mode;
    seen->chain = 0;
    for (uint64_t i = 0; i < s->n_chain; i++) {
        seen->chain += perfsample_word(s->chain, i);
    }
    return 0;
}

static int see_comm(void *opaque, uint32_t tid, uint64_t time, const char *name, struct error *t)
{
    struct seen *seen = opaque;
    size_t len = strlen(seen->text);

    (void)t;
    snprintf(seen->text + len, sizeof(seen->text) - len, "%s is %u at %u, ", name, tid,
             (unsigned)time);
    return 0;
}

static int see_fork(void *opaque, uint32_t tid, uint64_t time, uint32_t parent, struct error *t)
{
    struct seen *seen = opaque;
    size_t len = strlen(seen->text);

    (void)t;
    snprintf(seen->text + len, sizeof(seen->text) - len, "%u is of %u at %u, ", tid, parent,
             (unsigned)time);
    return 0;
}

static int see_world(void *opaque, uint64_t number, const char *path, struct error *t)
{
    struct seen *seen = opaque;
    size_t len = strlen(seen->text);

    (void)t;
    snprintf(seen->text + len, sizeof(seen->text) - len, "%s is %u, ", path, (unsigned)number);
    return 0;
}

static int see_kernel(void *opaque, const char *name, uint64_t address, struct error *t)
{
    struct seen *seen = opaque;

    (void)t;
    ck_assert_str_eq(name, "_text");
    seen->kernel = address;
    return 0;
}

static int see_lost(void *opaque, unsigned event, uint64_t n, struct error *t)
{
    struct seen *seen = opaque;

    (void)t;
    seen->lost[event < 2 ? event : 2] += n;
    return 0;
}

static const struct perfreader_ops all = {.sample = see_sample,
                                          .comm = see_comm,
                                          .fork = see_fork,
                                          .cgroup = see_world,
                                          .kernel = see_kernel,
                                          .lost = see_lost};
static const struct perfreader_ops no_samples;

/* Walks twice, as callers do: the first time without a callback for samples. */
static int read_file(struct perfreader *r, const struct made_file *m, struct seen *seen,
                     struct error *t)
{
    FILE *file = fopen(perffiles_save(m), "re");
    int err;

    ck_assert(file);
    *r = (struct perfreader){.name = "FILE", .stop_fd = -1};
    *seen = (struct seen){0};
    *t = (struct error){0};
    err = perfreader_open(r, file, t) || perfreader_walk(r, &no_samples, NULL, t) ||
                  perfreader_walk(r, &all, seen, t)
              ? -1
              : 0;
    fclose(file);
    return err;
}

static const uint64_t chain[] = {PERF_CONTEXT_KERNEL, 0x1000, 0x2000};
static const struct made_sample sample = {.mode = PERF_RECORD_MISC_KERNEL,
                                          .id = 2,
                                          .ip = 0x1000,
                                          .tid = 7,
                                          .time = 20,
                                          .cpu = 3,
                                          .period = 100,
                                          .cgroup = 5,
                                          .values = {30, 40},
                                          .chain = chain,
                                          .n_chain = COUNT_OF(chain)};

static void make_file(struct made_file *m, bool pipe, uint64_t type)
{
    perffiles_begin(m, pipe, type);
    perffiles_kernel(m, 0x1000);
    perffiles_comm(m, 7, 10, "prog");
    perffiles_fork(m, 8, 11, 7);
    perffiles_world(m, 5, "/host");
    perffiles_sample(m, &sample);
    perffiles_lost(m, 2, 9);
    perffiles_sample(m, &sample);
    perffiles_end(m);
}

/* The decoder finds its fields whatever other fields the sample has, in files and in pipes. */
START_TEST(perf_files)
{
    static const uint64_t types[] = {
        PERFFILES_TYPE,
        PERFFILES_TYPE | PERF_SAMPLE_CALLCHAIN,
        PERFFILES_TYPE | PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID,
        PERFFILES_TYPE | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK,
        (PERFFILES_TYPE | PERF_SAMPLE_ID) & ~(uint64_t)PERF_SAMPLE_IDENTIFIER,
    };

    for (size_t i = 0; i < COUNT_OF(types) * 2; i++) {
        struct made_file m;
        struct perfreader r;
        struct seen seen;
        struct error t;

        make_file(&m, i % 2, types[i / 2]);
        ck_assert_msg(read_file(&r, &m, &seen, &t) == 0, "row %zu: expected success got %s", i,
                      t.text);
        ck_assert_uint_eq(r.events.n, 2);
        ck_assert_str_eq(r.events.event[1].name, "event-b");
        ck_assert_msg(seen.samples[1] == 2 && seen.period[1] == 200 && seen.samples[0] == 0,
                      "row %zu: expected 2 samples of 200 got %u", i, seen.samples[1]);
        ck_assert_uint_eq(seen.last.ip, 0x1000);
        ck_assert_uint_eq(seen.last.tid, 7);
        ck_assert_uint_eq(seen.last.time, 20);
        ck_assert_uint_eq(seen.last.cpu, 3);
        ck_assert_uint_eq(seen.last.cgroup, 5);
        ck_assert_uint_eq(seen.mode, PERF_RECORD_MISC_KERNEL);
        ck_assert_uint_eq(seen.chain,
                          types[i / 2] & PERF_SAMPLE_CALLCHAIN ? PERF_CONTEXT_KERNEL + 0x3000 : 0);
        ck_assert_uint_eq(seen.lost[1], 9);
        ck_assert_uint_eq(seen.kernel, 0x1000);
        ck_assert_str_eq(seen.text, "prog is 7 at 10, 8 is of 7 at 11, /host is 5, ");
        ck_assert(!r.cut && r.strangers == 0);
        perfreader_close(&r);
    }
}
END_TEST

/*
 * Events that are read with a sample get the difference from the last reading. No difference means
 * no sample.
 */
START_TEST(perf_values)
{
    struct made_sample moved = sample;
    struct made_file m;
    struct perfreader r;
    struct seen seen;
    struct error t;

    perffiles_begin(&m, false, PERFFILES_TYPE | PERF_SAMPLE_READ);
    moved.id = 1;
    perffiles_sample(&m, &moved);
    moved.values[0] = 37;
    perffiles_sample(&m, &moved);
    moved.values[0] = 39;
    perffiles_sample(&m, &moved);
    perffiles_end(&m);
    ck_assert_int_eq(read_file(&r, &m, &seen, &t), 0);
    ck_assert_uint_eq(seen.samples[0], 3);
    ck_assert_uint_eq(seen.period[0], 39);
    ck_assert_uint_eq(seen.samples[1], 1);
    ck_assert_uint_eq(seen.period[1], 40);
    ck_assert_uint_eq(seen.mode, PERF_RECORD_MISC_KERNEL);
    ck_assert_uint_eq(r.strangers, 0);
    perfreader_close(&r);
    /* The second event's id in the file's header is another one than that of its values. */
    m.bytes[104 + 8] = 99;
    ck_assert_int_eq(read_file(&r, &m, &seen, &t), 0);
    ck_assert_uint_eq(seen.samples[0], 3);
    ck_assert_uint_eq(seen.samples[1], 0);
    ck_assert_uint_eq(r.strangers, 3);
    perfreader_close(&r);
}
END_TEST

/* Does a record of a file end at this byte? */
static bool ends_record(const struct made_file *m, size_t at)
{
    struct perf_event_header head;
    size_t record = m->data;

    while (record < at) {
        memcpy(&head, m->bytes + record, sizeof(head));
        record += head.size;
    }
    return record == at;
}

/*
 * A file that is truncated at any byte gives the samples before that byte and is known to be
 * truncated, or gives an error. A pipe may end after any record.
 */
START_TEST(perf_cut)
{
    for (unsigned pipe = 0; pipe < 2; pipe++) {
        struct made_file m;
        unsigned before = 0;
        size_t whole;

        make_file(&m, pipe, PERFFILES_TYPE);
        whole = m.size;
        m.data = pipe ? 16 : m.data;
        for (m.size = 0; m.size < whole; m.size++) {
            struct perfreader r;
            struct seen seen;
            struct error t;
            int err = read_file(&r, &m, &seen, &t);

            ck_assert_msg(m.size < m.data ? err != 0 : pipe || err == 0,
                          "%zu bytes: unexpected %d: %s", m.size, err, t.text);
            ck_assert_uint_eq(t.code, err ? ERROR_USAGE : ERROR_NONE);
            ck_assert_uint_ge(seen.samples[1], before);
            ck_assert(err || seen.samples[1] == 2 || r.cut || pipe);
            ck_assert(err || !pipe || r.cut == !ends_record(&m, m.size));
            ck_assert(err || !pipe || (r.end <= m.size && ends_record(&m, r.end)));
            before = seen.samples[1];
            perfreader_close(&r);
        }
        ck_assert_uint_eq(before, pipe ? 1 : 2);
    }
}
END_TEST

/* If the recorder was killed, the file does not give the size of its data. */
START_TEST(perf_killed)
{
    struct made_file m;
    struct perfreader r;
    struct seen seen;
    struct error t;

    perffiles_begin(&m, false, PERFFILES_TYPE);
    perffiles_sample(&m, &sample);
    ck_assert_int_eq(read_file(&r, &m, &seen, &t), 0);
    ck_assert_uint_eq(seen.samples[1], 1);
    ck_assert(r.cut);
    ck_assert_uint_eq(r.end, m.size);
    ck_assert_str_eq(r.events.event[1].name, "raw 0x1");
    perfreader_close(&r);
}
END_TEST

/* A file is whole if it has a feature, also if later versions of perf add it. */
START_TEST(perf_later_features)
{
    enum {
        FEATURES = 72
    };
    struct made_file m;
    struct perfreader r;
    struct seen seen;
    struct error t;

    for (unsigned word = 1; word < 4; word++) {
        make_file(&m, false, PERFFILES_TYPE);
        memset(m.bytes + FEATURES, 0, 4 * sizeof(uint64_t));
        m.bytes[FEATURES + word * sizeof(uint64_t)] = 1;
        ck_assert_msg(read_file(&r, &m, &seen, &t) == 0, "%s", t.text);
        ck_assert(!r.cut);
        ck_assert_uint_lt(r.end, m.size);
        perfreader_close(&r);
    }
}
END_TEST

/* Each row puts one impossible value into a file. */
START_TEST(perf_refused)
{
    enum {
        DATA = 104 + 16 + 2 * 144
    };
    static const struct {
        const char *row;
        size_t at;
        unsigned char byte;
        const char *text;
    } rows[] = {
        {"another magic", 0, 'X', "does not begin with PERFILE2"},
        {"the other byte order", 0, '2', "byte order"},
        {"a short header", 8, 24, "header is too short"},
        {"a header without its last byte", 8, 103, "header is too short"},
        {"small events", 16, 8, "event descriptions are not"},
        {"events without a byte of 64 and a section", 16, 79, "event descriptions are not"},
        {"events of more than 1024 bytes", 17, 4, "event descriptions are not"},
        {"no events", 32, 0, "has no events"},
        {"events behind the end", 26, 1, "ends before its events"},
        {"events nowhere", 31, 0x80, "impossible offsets"},
        {"data nowhere", 47, 0x80, "impossible offsets"},
        {"more data than there can be", 55, 0x80, "impossible offsets"},
        {"ids behind the end", 120 + 128 + 2, 1, "before the ids"},
        {"a record of no size", DATA + 6, 0, "size 0 at byte 408"},
        {"a short kernel", DATA + 6, 32, "too short"},
        {"compressed", DATA, 81, "compressed"},
        {"an event that says more", 120 + 24, 0xff, "shorter than its event says"},
    };
    struct made_file m;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct perfreader r;
        struct seen seen;
        struct error t;

        make_file(&m, false, PERFFILES_TYPE);
        ck_assert_uint_eq(m.data, DATA);
        if (rows[i].byte == '2') {
            memcpy(m.bytes, "2ELIFREP", 8);
        }
        m.bytes[rows[i].at] = rows[i].byte;
        if (strcmp(rows[i].row, "no events") == 0) {
            m.bytes[33] = 0;
        } else if (strcmp(rows[i].row, "an event that says more") == 0) {
            m.bytes[120 + 144 + 24] = rows[i].byte;
        }
        ck_assert_msg(read_file(&r, &m, &seen, &t) != 0 && t.code == ERROR_USAGE &&
                          strstr(t.text, rows[i].text) && strstr(t.text, "FILE"),
                      "%s: expected an error with '%s' got %d: '%s'", rows[i].row, rows[i].text,
                      (int)t.code, t.text);
        perfreader_close(&r);
    }
}
END_TEST

/* Files that end in their header. */
START_TEST(perf_headers)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *text; /* "": it is valid */
    } rows[] = {
        {"", 0, "cannot read FILE: it is empty"},
        {"", 7, "begin with PERFILE2"},
        {"", 8, "its header is empty"},
        {"", 200, "its header is empty"},
        {"2ELIFREP", 7, "begin with PERFILE2"},
        {"2ELIFREP", 8, "the other byte order"},
        {"PERFILE2\x10", 8, "begin with PERFILE2"},
        {"PERFILE2\x10", 15, "begin with PERFILE2"},
        {"PERFILE2\x10", 16, ""},
        {"PERFILE3\x10", 16, "begin with PERFILE2"},
        {"PERFILE2\x68", 16, "its header is too short"},
        {"PERFILE2\x68", 103, "its header is too short"},
        {"PERFILE2\x68", 104, "its event descriptions"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct made_file m = {.size = rows[i].size};
        struct perfreader r;
        struct seen seen;
        struct error t;

        strcpy((char *)m.bytes, rows[i].bytes);
        ck_assert_int_eq(read_file(&r, &m, &seen, &t), rows[i].text[0] ? -1 : 0);
        ck_assert_msg(strstr(t.text, rows[i].text), "row %zu: expected '%s' got '%s'", i,
                      rows[i].text, t.text);
        perfreader_close(&r);
    }
}
END_TEST

/* An event has at least 64 bytes and a section of ids, and at most 1024 bytes with it. */
START_TEST(perf_event_sizes)
{
    static const uint64_t sizes[] = {80, 1024};
    static const char zeros[2000];

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        struct made_file m;
        struct perfreader r;
        struct seen seen;
        struct error t;

        perffiles_begin(&m, false, PERFFILES_TYPE);
        perffiles_record(&m, 99, 0, zeros, sizeof(zeros));
        perffiles_end(&m);
        memcpy(m.bytes + 16, &sizes[i], sizeof(sizes[i]));
        memcpy(m.bytes + 32, &sizes[i], sizeof(sizes[i]));
        ck_assert_msg(read_file(&r, &m, &seen, &t) == 0, "%s", t.text);
        ck_assert_uint_eq(r.events.n, 1);
        ck_assert_uint_eq(r.events.n_ids, 0);
        ck_assert_uint_eq(r.events.event[0].attr.sample_type, PERFFILES_TYPE);
        perfreader_close(&r);
    }
}
END_TEST

/* Offsets have 63 bits: the largest one is possible, but nothing is there. */
START_TEST(perf_largest_offsets)
{
    static const struct {
        size_t at;
        const char *text;
    } rows[] = {{24, "it ends before its events"}, {40, NULL}, {48, NULL}};
    const uint64_t largest = INT64_MAX;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct made_file m;
        struct perfreader r;
        struct seen seen;
        struct error t;
        int err;

        make_file(&m, false, PERFFILES_TYPE);
        memcpy(m.bytes + rows[i].at, &largest, sizeof(largest));
        err = read_file(&r, &m, &seen, &t);
        ck_assert_msg(!strstr(t.text, "impossible"), "row %zu: %s", i, t.text);
        ck_assert(rows[i].text ? err && strstr(t.text, rows[i].text) : err || r.cut);
        perfreader_close(&r);
    }
}
END_TEST

/* A name of which only the beginning is kept, an empty one, and the one behind them. */
START_TEST(perf_long_names)
{
    static const size_t sizes[] = {8, 254, 255, 256, 400};
    const struct perf_event_attr attr = {.size = sizeof(attr)};

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        const uint32_t head[] = {3, 0}, first[] = {2, (uint32_t)sizes[i]}, second[] = {1, 0};
        static const uint32_t third[] = {0, 8};
        static const uint64_t ids[2];
        size_t kept = sizes[i] < 255 ? sizes[i] : 255;
        struct perfevents events = {0};
        struct error t = {0};
        FILE *file = tmpfile();
        char name[400];

        memset(name, 'n', sizeof(name));
        fwrite(head, sizeof(head), 1, file);
        fwrite(first, sizeof(first), 1, file);
        fwrite(name, sizes[i], 1, file);
        fwrite(ids, sizeof(ids), 1, file);
        fwrite(second, sizeof(second), 1, file);
        fwrite(ids, sizeof(ids[0]), 1, file);
        fwrite(third, sizeof(third), 1, file);
        fwrite("third\0\0", 8, 1, file);
        rewind(file);
        for (unsigned n = 0; n < 3; n++) {
            ck_assert_int_eq(perfevents_add(&events, &attr, sizeof(attr), &t), 0);
        }
        ck_assert_int_eq(perfheader_names(&events, file, &t), 0);
        ck_assert_uint_eq(strlen(events.event[0].name), kept);
        ck_assert_str_eq(events.event[1].name, "cycles");
        ck_assert_str_eq(events.event[2].name, "third");
        perfevents_free(&events);
        fclose(file);
    }
}
END_TEST

/* Functions at an offset of 64 bits are none. The feature with functions has the number 132. */
START_TEST(perf_symbols_nowhere)
{
    struct perfreader r = {.name = "FILE", .stop_fd = -1};
    struct functions functions = {0};
    struct error t = {0};
    struct made_file m;
    uint64_t size;
    FILE *file;

    make_file(&m, false, PERFFILES_TYPE);
    memset(m.bytes + 72, 0, 4 * sizeof(uint64_t));
    m.bytes[72 + 132 / 8] = 1 << 132 % 8;
    memcpy(&size, m.bytes + 48, sizeof(size));
    memset(m.bytes + m.data + size, 0xff, 2 * sizeof(uint64_t));
    file = fopen(perffiles_save(&m), "re");
    ck_assert(file);
    ck_assert_int_eq(perfreader_open(&r, file, &t), 0);
    ck_assert_uint_eq(r.symbols, UINT64_MAX);
    ck_assert_int_eq(perfreader_functions(&r, &functions, &t), 0);
    ck_assert_int_eq(perfreader_programs(&r, NULL, NULL, &t), 0);
    ck_assert_uint_eq(functions.n, 0);
    perfreader_close(&r);
    fclose(file);
}
END_TEST

/* An event that comes through a pipe and is too short. */
START_TEST(perf_pipe_refused)
{
    enum {
        ATTR = 16 + 8
    };
    struct made_file m;
    struct perfreader r;
    struct seen seen;
    struct error t;

    make_file(&m, true, PERFFILES_TYPE);
    m.bytes[ATTR + 4] = 32;
    ck_assert_int_eq(read_file(&r, &m, &seen, &t), -1);
    ck_assert_str_eq(t.text, "cannot read FILE: an event's description has 32 bytes instead of 64");
    perfreader_close(&r);
    make_file(&m, true, PERFFILES_TYPE);
    m.bytes[ATTR + 5] = 1;
    ck_assert_int_eq(read_file(&r, &m, &seen, &t), -1);
    ck_assert_str_eq(t.text, "cannot read FILE: an event is shorter than it says at byte 16");
    perfreader_close(&r);
}
END_TEST

static int stop_sample(void *opaque, unsigned event, unsigned mode, const struct perfsample *s,
                       struct error *t)
{
    see_sample(opaque, event, mode, s, t);
    return error_set(t, ERROR_OUTPUT, "enough");
}

static int stop_comm(void *opaque, uint32_t tid, uint64_t time, const char *name, struct error *t)
{
    see_comm(opaque, tid, time, name, t);
    return error_set(t, ERROR_OUTPUT, "enough");
}

static int stop_fork(void *opaque, uint32_t tid, uint64_t time, uint32_t parent, struct error *t)
{
    see_fork(opaque, tid, time, parent, t);
    return error_set(t, ERROR_OUTPUT, "enough");
}

static int stop_world(void *opaque, uint64_t number, const char *path, struct error *t)
{
    see_world(opaque, number, path, t);
    return error_set(t, ERROR_OUTPUT, "enough");
}

static int stop_lost(void *opaque, unsigned event, uint64_t n, struct error *t)
{
    see_lost(opaque, event, n, t);
    return error_set(t, ERROR_OUTPUT, "enough");
}

/* The first error of a callback ends the walk. */
START_TEST(perf_stopped)
{
    static const struct {
        struct perfreader_ops ops;
        uint64_t type;
        unsigned samples;
        uint64_t lost;
        const char *text;
    } rows[] = {
        {{.sample = stop_sample}, PERFFILES_TYPE, 1, 0, ""},
        {{.sample = stop_sample}, PERFFILES_TYPE | PERF_SAMPLE_READ, 1, 0, ""},
        {{.sample = see_sample, .comm = stop_comm}, PERFFILES_TYPE, 0, 0, "prog is 7 at 10, "},
        {{.sample = see_sample, .fork = stop_fork}, PERFFILES_TYPE, 0, 0, "8 is of 7 at 11, "},
        {{.sample = see_sample, .cgroup = stop_world}, PERFFILES_TYPE, 0, 0, "/host is 5, "},
        {{.sample = see_sample, .lost = stop_lost}, PERFFILES_TYPE, 1, 9, ""},
    };

    for (size_t i = 0; i < COUNT_OF(rows) * 2; i++) {
        struct made_file m;
        struct perfreader r = {.name = "FILE", .stop_fd = -1};
        struct seen seen = {0};
        struct error t = {0};
        FILE *file;

        make_file(&m, i % 2, rows[i / 2].type);
        file = fopen(perffiles_save(&m), "re");
        ck_assert(file);
        ck_assert_int_eq(perfreader_open(&r, file, &t), 0);
        ck_assert_int_eq(perfreader_walk(&r, &no_samples, NULL, &t), 0);
        ck_assert_int_eq(perfreader_walk(&r, &rows[i / 2].ops, &seen, &t), -1);
        ck_assert_int_eq(t.code, ERROR_OUTPUT);
        ck_assert_msg(seen.samples[0] + seen.samples[1] == rows[i / 2].samples &&
                          seen.lost[1] == rows[i / 2].lost,
                      "row %zu: %u samples", i / 2, seen.samples[0] + seen.samples[1]);
        ck_assert_str_eq(seen.text, rows[i / 2].text);
        perfreader_close(&r);
        fclose(file);
    }
}
END_TEST

/*
 * A user who interrupts ends the walk of a large file: PERF_RECORD_FINISHED_ROUND of 8 bytes behind
 * a pipe's 11 other records. The first look is after 4,096 records.
 */
START_TEST(perf_interrupted)
{
    static const struct perf_event_header round = {.type = 68, .size = sizeof(round)};
    static const struct {
        bool interrupt;
        unsigned rounds;
        int err;
        enum error_code code;
    } rows[] = {{false, 5000, 0, 0},
                {true, 5000, -1, ERROR_STOPPED},
                {true, 4096 - 11, -1, ERROR_STOPPED},
                {true, 4095 - 11, 0, 0}};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct perfreader r = {.name = "FILE", .stop_fd = eventfd(rows[i].interrupt, EFD_CLOEXEC)};
        struct error t = {0};
        struct made_file m;
        FILE *file;

        make_file(&m, true, PERFFILES_TYPE);
        file = fopen(perffiles_save(&m), "r+e");
        ck_assert(file && fseek(file, 0, SEEK_END) == 0);
        for (unsigned n = 0; n < rows[i].rounds; n++) {
            fwrite(&round, sizeof(round), 1, file);
        }
        rewind(file);
        ck_assert_int_eq(perfreader_open(&r, file, &t), 0);
        ck_assert_int_eq(perfreader_walk(&r, &no_samples, NULL, &t), rows[i].err);
        ck_assert_int_eq(t.code, rows[i].code);
        perfreader_close(&r);
        fclose(file);
        close(r.stop_fd);
    }
}
END_TEST

/* perf writes the host's name and other features into a pipe, too: only events' names are read. */
START_TEST(perf_pipe_features)
{
    /* struct perf_record_header_feature: the feature HOSTNAME (3), a size and a string. */
    static const struct {
        uint64_t feature;
        uint32_t size;
        char name[68];
    } hostname = {3, 64, "host"};
    /* The feature EVENT_DESC (12): the number of events, then an attribute, a name and ids of each.
     */
    static const struct {
        uint64_t feature;
        uint32_t events, attr_size;
        unsigned char attr[PERF_ATTR_SIZE_VER7];
        uint32_t ids, size;
        char name[8];
        uint64_t id;
    } names = {12, 1, PERF_ATTR_SIZE_VER7, {0}, 1, 8, "renamed", 1};
    unsigned char other[sizeof(names)];
    struct perfreader r = {.name = "FILE", .stop_fd = -1};
    struct error t = {0};
    struct made_file m;
    FILE *file;

    perffiles_begin(&m, true, PERFFILES_TYPE);
    perffiles_record(&m, 80, 0, &names, sizeof(names));
    perffiles_record(&m, 80, 0, &hostname, sizeof(hostname));
    /* Another feature that looks like names, and an empty one. */
    memcpy(other, &names, sizeof(other));
    memcpy(other, &(uint64_t){13}, sizeof(uint64_t));
    memcpy(memmem(other, sizeof(other), "renamed", 7), "mistake", 7);
    perffiles_record(&m, 80, 0, other, sizeof(other));
    perffiles_record(&m, 80, 0, &names.feature, sizeof(names.feature));
    perffiles_sample(&m, &sample);
    perffiles_end(&m);
    file = fopen(perffiles_save(&m), "re");
    ck_assert(file);
    ck_assert_int_eq(perfreader_open(&r, file, &t), 0);
    ck_assert_msg(perfreader_walk(&r, &no_samples, NULL, &t) == 0, "%s", t.text);
    ck_assert_uint_eq(r.events.n, 2);
    ck_assert_str_eq(r.events.event[0].name, "renamed");
    ck_assert_str_eq(r.events.event[1].name, "event-b");
    perfreader_close(&r);
    fclose(file);
}
END_TEST

/* More names than events, as a damaged file may have: the first ones are taken. */
START_TEST(perf_more_names)
{
    struct one {
        unsigned char attr[PERF_ATTR_SIZE_VER7];
        uint32_t ids, size;
        char name[8];
    };
    static const struct {
        uint32_t events, attr_size;
        struct one one[4];
    } names = {
        4,
        PERF_ATTR_SIZE_VER7,
        {{{0}, 0, 8, "first"}, {{0}, 0, 8, "second"}, {{0}, 0, 8, "third"}, {{0}, 0, 8, "4"}}};
    const struct perf_event_attr attr = {.size = sizeof(attr)};
    struct perfevents events = {0};
    struct error t = {0};
    FILE *file = tmpfile();

    ck_assert(file && fwrite(&names, sizeof(names), 1, file) == 1);
    rewind(file);
    for (unsigned i = 0; i < 2; i++) {
        ck_assert_int_eq(perfevents_add(&events, &attr, sizeof(attr), &t), 0);
    }
    ck_assert_int_eq(perfheader_names(&events, file, &t), 0);
    ck_assert_uint_eq(events.n, 2);
    ck_assert_str_eq(events.event[0].name, "first");
    ck_assert_str_eq(events.event[1].name, "second");
    perfevents_free(&events);
    fclose(file);
}
END_TEST

/* PERF_RECORD_LOST names an event itself, and the trailer's does not count. */
START_TEST(perf_lost)
{
    static const struct {
        uint64_t id, n;
    } rows[] = {{1, 5}, {2, 7}, {99, 11}};
    struct made_file m;
    struct perfreader r;
    struct seen seen;
    struct error t;

    perffiles_begin(&m, false, PERFFILES_TYPE);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        perffiles_record(&m, PERF_RECORD_LOST, 0, &rows[i], sizeof(rows[i]));
    }
    perffiles_lost(&m, 77, 13);
    perffiles_end(&m);
    ck_assert_int_eq(read_file(&r, &m, &seen, &t), 0);
    ck_assert_uint_eq(seen.lost[0], 5);
    ck_assert_uint_eq(seen.lost[1], 7);
    ck_assert_uint_eq(seen.lost[2], 11 + 13);
    perfreader_close(&r);
}
END_TEST

/* No file makes us keep events or numbers without bound. */
START_TEST(perf_bounds)
{
    const struct perf_event_attr attr = {.size = sizeof(attr)};
    struct perfevents events = {0};
    struct error t = {0};
    unsigned n = 0;

    ck_assert_int_eq(perfevents_add(&events, &attr, PERF_ATTR_SIZE_VER0 - 1, &t), -1);
    ck_assert_str_eq(t.text, "an event's description has 63 bytes instead of 64");
    ck_assert_int_eq(perfevents_add(&events, &attr, PERF_ATTR_SIZE_VER0, &t), 0);
    n = 1;
    while (n < 100000 && perfevents_add(&events, &attr, sizeof(attr), &t) == 0) {
        n++;
    }
    ck_assert_uint_eq(n, 4096);
    ck_assert_str_eq(t.text, "it has more than 4096 events");
    for (n = 0; n < 10000000 && perfevents_add_id(&events, 0, n, &t) == 0; n++) {
    }
    ck_assert_uint_eq(n, 1u << 20);
    ck_assert_str_eq(t.text, "its events have more than 1048576 ids");
    perfevents_free(&events);
}
END_TEST

/* If two events have one number, a sample is of the first. */
START_TEST(perf_same_number)
{
    struct perfevents events = {0};
    struct error t = {0};

    for (unsigned i = 0; i < 3; i++) {
        ck_assert_int_eq(perfevents_add_id(&events, i, 7 + i / 2, &t), 0);
    }
    ck_assert_uint_eq(perfevents_find(&events, 7)->event, 0);
    ck_assert_uint_eq(perfevents_find(&events, 8)->event, 2);
    ck_assert_ptr_null(perfevents_find(&events, 9));
    perfevents_free(&events);
}
END_TEST

/* Samples that belong to no event are counted. */
START_TEST(perf_strangers)
{
    struct made_sample strange = sample;
    struct made_file m;
    struct perfreader r;
    struct seen seen;
    struct error t;

    strange.id = 99;
    perffiles_begin(&m, false, PERFFILES_TYPE);
    perffiles_sample(&m, &strange);
    strange.id = 0;
    perffiles_sample(&m, &strange);
    perffiles_end(&m);
    ck_assert_int_eq(read_file(&r, &m, &seen, &t), 0);
    ck_assert_uint_eq(r.strangers, 1);
    ck_assert_uint_eq(seen.samples[0], 1);
    perfreader_close(&r);
}
END_TEST

/* Without ids, and with one event, samples are of the first event, whatever its id is. */
START_TEST(perf_without_ids)
{
    struct made_file m;
    struct perfreader r;
    struct seen seen;
    struct error t;

    for (unsigned i = 0; i < 2; i++) {
        perffiles_begin(&m, false,
                        i ? PERFFILES_TYPE : PERFFILES_TYPE & ~(uint64_t)PERF_SAMPLE_IDENTIFIER);
        m.bytes[104] = 99;
        if (i) {
            /* The size of the section with the events, which is 288 with both. */
            memcpy(m.bytes + 32, &(uint64_t){144}, sizeof(uint64_t));
        }
        perffiles_sample(&m, &sample);
        perffiles_end(&m);
        ck_assert_msg(read_file(&r, &m, &seen, &t) == 0, "%s", t.text);
        ck_assert_uint_eq(r.events.n, 2 - i);
        ck_assert_uint_eq(seen.samples[0], 1);
        ck_assert_uint_eq(r.strangers, 0);
        perfreader_close(&r);
    }
}
END_TEST

/* A pipe without events: nobody knows what its samples and the trailers of records contain. */
START_TEST(perf_without_events)
{
    struct made_file m = {.pipe = true, .type = PERFFILES_TYPE};
    struct perfreader r;
    struct seen seen;
    struct error t;

    perffiles_add(&m, "PERFILE2\x10\0\0\0\0\0\0", 16);
    perffiles_comm(&m, 7, 10, "prog");
    perffiles_sample(&m, &sample);
    perffiles_lost(&m, 1, 5);
    ck_assert_msg(read_file(&r, &m, &seen, &t) == 0, "%s", t.text);
    ck_assert_str_eq(seen.text, "prog is 7 at 0, ");
    ck_assert_uint_eq(r.strangers, 1);
    ck_assert_uint_eq(seen.lost[2], 5);
    perfreader_close(&r);
}
END_TEST

/* PERF_RECORD_EVENT_UPDATE: 1 is a scale, 2 is a name; then the event's id. */
START_TEST(perf_updates)
{
    static const struct {
        uint64_t type, id;
        char name[8];
        const char *want;
    } rows[] = {
        {2, 2, "new", "new"},
        {1, 2, "new", "event-b"},
        {2, 99, "new", "event-b"},
        {2, 2, "", "event-b"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct perfreader r = {.name = "FILE", .stop_fd = -1};
        struct error t = {0};
        struct made_file m;
        FILE *file;

        perffiles_begin(&m, true, PERFFILES_TYPE);
        perffiles_record(&m, PERFFILE_RECORD_EVENT_UPDATE, 0, &rows[i].type,
                         offsetof(__typeof__(rows[0]), want));
        file = fopen(perffiles_save(&m), "re");
        ck_assert(file);
        ck_assert_int_eq(perfreader_open(&r, file, &t), 0);
        /* A second walk would take the first name again if it took names. */
        ck_assert_int_eq(perfreader_walk(&r, &no_samples, NULL, &t), 0);
        ck_assert_msg(strcmp(r.events.event[1].name, rows[i].want) == 0, "row %zu: got %s", i,
                      r.events.event[1].name);
        ck_assert_str_eq(r.events.event[0].name, "event-a");
        perfreader_close(&r);
        fclose(file);
    }
}
END_TEST

/* A file whose header says that the data end within a record. */
START_TEST(perf_cut_by_size)
{
    struct made_file m;
    struct perfreader r;
    struct seen seen;
    struct error t;
    uint64_t size;

    make_file(&m, false, PERFFILES_TYPE);
    memcpy(&size, m.bytes + 48, sizeof(size));
    size--;
    memcpy(m.bytes + 48, &size, sizeof(size));
    ck_assert_msg(read_file(&r, &m, &seen, &t) == 0, "%s", t.text);
    ck_assert(r.cut);
    ck_assert_uint_eq(seen.samples[1], 1);
    perfreader_close(&r);
}
END_TEST

/* A file has its events in its header. Those that come as records are for pipes. */
START_TEST(perf_attr_in_file)
{
    const struct perf_event_attr attr = {.size = PERF_ATTR_SIZE_VER0};
    struct made_file m;
    struct perfreader r;
    struct seen seen;
    struct error t;

    for (unsigned pipe = 0; pipe < 2; pipe++) {
        perffiles_begin(&m, pipe, PERFFILES_TYPE);
        perffiles_record(&m, PERFFILE_RECORD_ATTR, 0, &attr, PERF_ATTR_SIZE_VER0);
        perffiles_end(&m);
        ck_assert_int_eq(read_file(&r, &m, &seen, &t), 0);
        ck_assert_uint_eq(r.events.n, 2 + pipe);
        perfreader_close(&r);
    }
}
END_TEST

/* The first look is after 4,096 records. Here each has 8 bytes, and the size is that of 5,000. */
START_TEST(perf_progress)
{
    static const struct perf_event_header round = {.type = 68, .size = sizeof(round)};
    struct progress progress = {.what = "test"};
    struct perfreader r = {.name = "FILE", .stop_fd = -1, .progress = &progress};
    struct error t = {0};
    struct made_file m;
    FILE *file;

    perffiles_begin(&m, false, PERFFILES_TYPE);
    memcpy(m.bytes + 48, &(uint64_t){5000 * sizeof(round)}, sizeof(uint64_t));
    m.bytes[80] = 1; /* a later feature */
    file = fopen(perffiles_save(&m), "r+e");
    ck_assert(file && fseek(file, 0, SEEK_END) == 0);
    for (unsigned n = 0; n < 5000; n++) {
        fwrite(&round, sizeof(round), 1, file);
    }
    rewind(file);
    ck_assert_int_eq(perfreader_open(&r, file, &t), 0);
    ck_assert_int_eq(perfreader_walk(&r, &no_samples, NULL, &t), 0);
    ck_assert(!r.cut);
    ck_assert_uint_eq(atomic_load(&progress.percent), 100 * 4096 / 5000);
    perfreader_close(&r);
    fclose(file);
}
END_TEST

/* Writes a record with the name of one function. Another magic word is an old record of perf. */
static void add_symbols(struct made_file *m, const char *magic)
{
    const struct function function = {.start = 0x1000, .end = 0x2000, .name = "round"};
    const bool used = true;
    struct functions functions = {0};
    struct error t = {0};
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    ck_assert_int_eq(functions_add(&functions, &function, &t), 0);
    fwrite(magic, 1, 8, file);
    filesymbols_write(&functions, &used, file);
    /* Records have whole words. */
    while (ftell(file) % 8) {
        fputc(0, file);
    }
    fclose(file);
    perffiles_record(m, PERFFILE_RECORD_EVENT_TYPE, 0, text, size);
    functions_free(&functions);
    free(text);
}

/* Names of functions in a pipe are taken once, however often the file is read. */
START_TEST(perf_pipe_symbols)
{
    static const struct {
        bool pipe, wanted;
        const char *magic;
        size_t n;
    } rows[] = {
        {true, true, PERFFILE_SYMBOLS, 1},
        {true, false, PERFFILE_SYMBOLS, 0},
        {true, true, "notsyms", 0},
        {false, true, PERFFILE_SYMBOLS, 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct perfreader r = {.name = "FILE", .stop_fd = -1};
        struct functions functions = {0};
        struct error t = {0};
        struct made_file m;
        FILE *file;

        perffiles_begin(&m, rows[i].pipe, PERFFILES_TYPE);
        add_symbols(&m, rows[i].magic);
        perffiles_end(&m);
        file = fopen(perffiles_save(&m), "re");
        ck_assert(file);
        ck_assert_int_eq(perfreader_open(&r, file, &t), 0);
        ck_assert(!rows[i].wanted || perfreader_functions(&r, &functions, &t) == 0);
        for (unsigned n = 0; n < 2; n++) {
            ck_assert_msg(perfreader_walk(&r, &no_samples, NULL, &t) == 0, "%s", t.text);
            ck_assert_msg(functions.n == rows[i].n, "row %zu: %zu functions", i, functions.n);
        }
        ck_assert(!functions.n || strcmp(functions.function[0].name, "round") == 0);
        perfreader_close(&r);
        functions_free(&functions);
        fclose(file);
    }
}
END_TEST

/* Data that follow a record and are no part of its size are passed over. */
START_TEST(perf_behind)
{
    static const struct {
        uint32_t type;
        uint64_t size;
        size_t behind;
        const char *text;
    } rows[] = {
        {PERFFILE_RECORD_AUXTRACE, 24, 24, ""},
        {PERFFILE_RECORD_AUXTRACE, 0, 0, ""},
        {PERFFILE_RECORD_TRACING_DATA, 5, 8, ""},
        {PERFFILE_RECORD_TRACING_DATA, 8, 8, ""},
        {PERFFILE_RECORD_AUXTRACE, 1000, 0, "a record is longer than the file"},
        {PERFFILE_RECORD_AUXTRACE, (uint64_t)INT64_MAX + 1, 0, "a record has size 0"},
        {PERFFILE_RECORD_AUXTRACE, UINT64_MAX, 0, "a record has size 0"},
    };
    static const char data[24] = "nothing like a record";

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct made_file m;
        struct perfreader r;
        struct seen seen;
        struct error t;
        bool fails = rows[i].text[0];

        perffiles_begin(&m, false, PERFFILES_TYPE);
        perffiles_record(&m, rows[i].type, 0, &rows[i].size, sizeof(rows[i].size));
        perffiles_add(&m, data, rows[i].behind);
        perffiles_sample(&m, &sample);
        perffiles_end(&m);
        ck_assert_msg(read_file(&r, &m, &seen, &t) == (fails ? -1 : 0), "row %zu: %s", i, t.text);
        ck_assert_msg(strstr(t.text, rows[i].text), "row %zu: %s", i, t.text);
        ck_assert_uint_eq(seen.samples[0] + seen.samples[1], !fails);
        perfreader_close(&r);
    }
}
END_TEST

/* The names that perf shows for events whose file has none. */
START_TEST(perf_names)
{
    static const struct {
        uint32_t type;
        uint64_t config;
        const char *want;
    } rows[] = {
        {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "instructions"},
        {PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, "ref-cycles"},
        {PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES + 1, "event 2"},
        {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES, "cgroup-switches"},
        {PERF_TYPE_SOFTWARE, 1000, "event 4"},
        {PERF_TYPE_RAW, 0x11, "raw 0x11"},
        {8, 0x11, "event 6"},
    };
    struct perfevents e = {0};
    struct error t = {0};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct perf_event_attr attr = {.type = rows[i].type, .config = rows[i].config};

        ck_assert_int_eq(perfevents_add(&e, &attr, sizeof(attr), &t), 0);
        ck_assert_str_eq(e.event[i].name, rows[i].want);
    }
    ck_assert_int_eq(perfevents_rename(&e, 0, "a\x1b[2Jb", &t), 0);
    ck_assert_str_eq(e.event[0].name, "a?[2Jb");
    perfevents_free(&e);
}
END_TEST

/* A text may lack its end. What an earlier record had behind it is no part of it. */
START_TEST(perf_open_text)
{
    static const char wanted[] = ", xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx is ";
    char body[2 * sizeof(uint32_t) + 32];
    struct made_file m;
    struct perfreader r;
    struct seen seen;
    struct error t;

    memset(body, 'x', sizeof(body));
    perffiles_begin(&m, false, PERFFILES_TYPE);
    perffiles_comm(&m, 7, 10, "a name that is longer than that of the record behind it");
    perffiles_record(&m, PERF_RECORD_COMM, 0, body, sizeof(body));
    perffiles_end(&m);
    ck_assert_int_eq(read_file(&r, &m, &seen, &t), 0);
    ck_assert_msg(strstr(seen.text, wanted), "%s", seen.text);
    perfreader_close(&r);
}
END_TEST

Suite *perfreader_suite(void)
{
    const TTest *const tests[] = {perf_files,         perf_values,          perf_cut,
                                  perf_killed,        perf_refused,         perf_pipe_refused,
                                  perf_strangers,     perf_stopped,         perf_interrupted,
                                  perf_pipe_features, perf_names,           perf_behind,
                                  perf_pipe_symbols,  perf_more_names,      perf_same_number,
                                  perf_lost,          perf_bounds,          perf_later_features,
                                  perf_open_text,     perf_without_ids,     perf_without_events,
                                  perf_updates,       perf_cut_by_size,     perf_attr_in_file,
                                  perf_headers,       perf_event_sizes,     perf_largest_offsets,
                                  perf_long_names,    perf_symbols_nowhere, perf_progress};

    return suite_of("perfreader", tests, COUNT_OF(tests));
}
