/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples that come in, whole, cut, and damaged; what perf reads of them is in tests/record. */
#include "recording.h"

#include <stdlib.h>
#include <string.h>

#include "streams.h"
#include "tests.h"

/* Of streams_make(): what is recorded, before the first sample. */
#define HEAD_SIZE (sizeof(struct vpmu_record_start) + 2 * sizeof(struct vpmu_record_event))

/* Takes a stream in pieces, and finishes. */
static int take_all(struct recording *r, const struct made_stream *m, size_t piece,
                    struct trouble *t)
{
    int err = 0;

    *r = (struct recording){0};
    *t = (struct trouble){0};
    r->file.file = fopen("/dev/null", "we");
    r->file.host = "host";
    ck_assert(r->file.file);
    recording_init(r);
    for (size_t at = 0; !err && at < m->size; at += piece) {
        size_t left = m->size - at;

        err = recording_take(r, m->bytes + at, left < piece ? left : piece, t);
    }
    err = err ? err : recording_finish(r, t);
    fclose(r->file.file);
    return err;
}

static void expect_trouble(const char *row, const struct made_stream *m, enum trouble_code want,
                           const char *text)
{
    struct recording r;
    struct trouble t;

    take_all(&r, m, m->size, &t);
    ck_assert_msg(t.code == want && (!text || strstr(t.text, text)),
                  "%s: expected trouble %d with '%s' got %d: '%s'", row, (int)want,
                  text ? text : "", (int)t.code, t.text);
    recording_free(&r);
}

/* However it is cut, the same comes of it. */
START_TEST(recording_in_pieces)
{
    static const size_t pieces[] = {1, 7, 8, 48, 4096};
    struct made_stream m;
    struct recording r;
    struct trouble t;

    streams_make(&m);
    for (size_t i = 0; i < COUNT_OF(pieces); i++) {
        ck_assert_msg(take_all(&r, &m, pieces[i], &t) == 0, "expected success got %s", t.text);
        ck_assert_uint_eq(r.file.samples, 4);
        ck_assert_uint_eq(r.counts[0].count, 199);
        ck_assert_uint_eq(r.counts[2].count, 355);
        ck_assert_uint_eq(r.counts[2].lost, 1);
        ck_assert_uint_eq(r.counts[3].samples, 0);
        recording_free(&r);
    }
}
END_TEST

/* Cut anywhere: there is trouble, and nothing worse; the machine may have ended there. */
START_TEST(recording_cut)
{
    struct made_stream m;
    size_t whole;

    streams_make(&m);
    whole = m.size;
    for (m.size = 0; m.size < whole; m.size++) {
        struct recording r;
        struct trouble t;

        ck_assert_msg(take_all(&r, &m, whole, &t) != 0, "%zu bytes: expected trouble got none",
                      m.size);
        ck_assert_int_eq(t.code, m.size < HEAD_SIZE ? TROUBLE_TALK : TROUBLE_ENDED);
        recording_free(&r);
    }
}
END_TEST

/* A record of each kind, with one thing in it that cannot be. */
START_TEST(recording_refused)
{
    static const struct {
        const char *row;
        size_t at;
        unsigned char byte;
        const char *text;
    } rows[] = {
        {"another magic", 8, 'X', "begin"},
        {"another version", 15, 1, "version"},
        {"no vCPUs", 16, 0, "vCPUs"},
        {"too many", 18, 2, "vCPUs"},
        {"no events", 20, 0, "events"},
        {"too many events", 20, 33, "events"},
        {"perhaps values", 22, 2, "values"},
        {"the start's size", 2, 24, "shorter"},
        {"a size that is odd", 2, 33, "size"},
        {"no size", 2, 0, "size"},
        {"not the start first", 0, VPMU_RECORD_END, "when it cannot"},
        {"the start again", 32, VPMU_RECORD_START, "when it cannot"},
        {"a sample before the events", 32, VPMU_RECORD_SAMPLE, "when it cannot"},
        {"an event without a name", 56, 0, "no name"},
        {"an event with both", 48, 1, "a period and a frequency"},
        {"an event too many", 20, 1, "more events"},
        {"a sample of no vCPU", 212, 2, "no vCPU"},
        {"a sample of no event", 208 + 38, 2, "no event"},
        {"a sample of no weight", 208 + 24, 0, "periods"},
        {"of half a period", 208 + 24, 50, "periods"},
        {"with values", 208 + 42, 1, "other values"},
        {"with a call chain that is not there", 208 + 44, 1, "other values"},
        {"with one that cannot be", 208 + 44, 129, "other values"},
    };
    struct made_stream m;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        streams_make(&m);
        m.bytes[rows[i].at] = rows[i].byte;
        expect_trouble(rows[i].row, &m, TROUBLE_TALK, rows[i].text);
    }
}
END_TEST

/* What is of a kind that is not known is passed over; nothing is behind the end. */
START_TEST(recording_later_versions)
{
    const struct vpmu_record_head unknown = {.type = 77, .size = sizeof(unknown)};
    struct made_stream m;

    streams_begin(&m, 1, 1, 0);
    streams_add(&m, &unknown, sizeof(unknown));
    streams_end(&m);
    expect_trouble("unknown", &m, TROUBLE_NONE, NULL);
    streams_add(&m, &unknown, sizeof(unknown));
    expect_trouble("behind the end", &m, TROUBLE_TALK, "when it cannot");
}
END_TEST

/* What the machine says in the end has to agree with what came before. */
START_TEST(recording_identity)
{
    static const struct {
        const char *row;
        struct vpmu_record_count count;
        const char *text; /* NULL: it agrees */
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
        expect_trouble(rows[i].row, &m, rows[i].text ? TROUBLE_TALK : TROUBLE_NONE, rows[i].text);
        m.size -= sizeof(struct vpmu_record_end);
        streams_count(&m, &rows[i].count);
        streams_end(&m);
        expect_trouble("twice", &m, TROUBLE_TALK, rows[i].text ? rows[i].text : "two counts");
    }
}
END_TEST

/* A machine that ends in the middle: what came is kept, and it is said. */
START_TEST(recording_without_end)
{
    struct made_stream m;

    streams_begin(&m, 1, 2, 1);
    streams_sample(&m, 0, 1, 2, 5);
    expect_trouble("no end", &m, TROUBLE_ENDED, "the machine ended");
    m.size = 0;
    expect_trouble("nothing", &m, TROUBLE_TALK, "there is nothing");
}
END_TEST

Suite *recording_suite(void)
{
    const TTest *const tests[] = {
        recording_in_pieces,      recording_cut,      recording_refused,
        recording_later_versions, recording_identity, recording_without_end,
    };

    return suite_of("recording", tests, COUNT_OF(tests));
}
