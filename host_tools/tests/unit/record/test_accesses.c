/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests accesses of samples: from the stream of a machine to the format of perf, and invalid ones.
 */
#include <stdio.h>
#include <string.h>

#include "fixtures/streams.h"
#include "perfdata/perfaccess.h"
#include "perfdata/perfreader.h"
#include "record/recording.h"
#include "unit/tests.h"

#define LOAD VPMU_RECORD_LOAD
#define STORE VPMU_RECORD_STORE
#define PHYSICAL VPMU_RECORD_PHYSICAL

static const struct vpmu_record_access plain = {.pc = 0x4000,
                                                .address = 0x12345678,
                                                .physical = 0x9000,
                                                .latency = 13,
                                                .level = VPMU_DATA_L2,
                                                .translated = VPMU_TLB_L1,
                                                .flags = LOAD | PHYSICAL};

static int take(struct recording *r, const struct made_stream *m, unsigned latency, struct error *t)
{
    *r = (struct recording){.file = {.host = "host", .accesses = true}, .latency = latency};
    r->file.file = tmpfile();
    ck_assert(r->file.file);
    return recording_take(r, m->bytes, m->size, t) || recording_finish(r, t) ? -1 : 0;
}

struct read {
    size_t n;
    struct perfsample sample[4];
};

static int see(void *opaque, unsigned event, unsigned mode, const struct perfsample *s,
               struct error *t)
{
    struct read *read = opaque;

    (void)event, (void)mode, (void)t;
    ck_assert_uint_lt(read->n, COUNT_OF(read->sample));
    read->sample[read->n++] = *s;
    return 0;
}

static void read_file(struct read *read, struct recording *r)
{
    static const struct perfreader_ops ops = {.sample = see};
    struct perfreader reader = {.name = "FILE", .stop_fd = -1};
    struct error t = {0};

    *read = (struct read){0};
    rewind(r->file.file);
    ck_assert_msg(perfreader_open(&reader, r->file.file, &t) == 0, "%s", t.text);
    ck_assert_msg(perfreader_walk(&reader, &ops, read, &t) == 0, "%s", t.text);
    perfreader_close(&reader);
}

/* Makes a file of samples of two vCPUs: one with this access, then two without. */
static void read_again(struct read *read, const struct vpmu_record_access *access, unsigned latency)
{
    struct made_stream m;
    struct recording r;
    struct error t = {0};

    streams_begin(&m, 2, 1, 0);
    streams_access(&m, 1, access);
    streams_sample(&m, 0, 0, 0, 0);
    streams_sample(&m, 1, 0, 0, 0);
    streams_sample(&m, 1, 0, 0, 0);
    streams_count(&m, &(struct vpmu_record_count){.count = 100, .weight = 100, .samples = 1});
    streams_count(
        &m, &(struct vpmu_record_count){.head.cpu = 1, .count = 200, .weight = 200, .samples = 2});
    streams_end(&m);
    ck_assert_msg(take(&r, &m, latency, &t) == 0, "%s", t.text);
    ck_assert_uint_eq(r.dropped, latency ? 2u + (access->latency < latency) : 0u);
    read_file(read, &r);
    fclose(r.file.file);
    recording_free(&r);
}

/* The access belongs to the next sample of its vCPU, whose address is that of the instruction. */
START_TEST(accesses_samples)
{
    struct read read;

    read_again(&read, &plain, 0);
    ck_assert_uint_eq(read.n, 3);
    ck_assert_uint_eq(read.sample[0].cpu, 0);
    ck_assert_uint_eq(read.sample[0].address, 0);
    ck_assert_uint_eq(read.sample[0].source, perfaccess_encode(NULL));
    ck_assert_uint_eq(read.sample[1].cpu, 1);
    ck_assert_uint_eq(read.sample[1].ip, plain.pc);
    ck_assert_uint_eq(read.sample[1].address, plain.address);
    ck_assert_uint_eq(read.sample[1].weight, 13);
    ck_assert_uint_eq(read.sample[1].source, perfaccess_encode(&plain));
    ck_assert_uint_eq(read.sample[1].cgroup, 1);
    ck_assert_uint_eq(read.sample[2].cpu, 1);
    ck_assert_uint_eq(read.sample[2].address, 0);
    ck_assert_uint_ne(read.sample[2].ip, plain.pc);
}
END_TEST

START_TEST(accesses_latency)
{
    struct read read;

    read_again(&read, &plain, 13);
    ck_assert_uint_eq(read.n, 1);
    ck_assert_uint_eq(read.sample[0].address, plain.address);
    read_again(&read, &plain, 14);
    ck_assert_uint_eq(read.n, 0);
}
END_TEST

/*
 * Bits of the words: operation 0 (N/A 1, load 2, store 4), older level 5 (N/A 1, hit 2, miss 4, L1
 * 8, L2 20H, L3 40H, RAM 80H, uncached 2000H), snoop 19, lock 24 (N/A 1, locked 2), TLB 26 (N/A 1,
 * hit 2, miss 4, L1 8, L2 10H, walker 20H), level 33, blocked 40. Snoop and blocked are N/A.
 */
#define WORD(op, old, lock, tlb, level)                                                            \
    ((op) | (uint64_t)(old) << 5 | 1ull << 19 | (uint64_t)(lock) << 24 | (uint64_t)(tlb) << 26 |   \
     (uint64_t)(level) << 33 | 1ull << 40)

/* WORD has SNOOP(1): not available. */
#define SNOOP(snoop) ((uint64_t)(snoop) << 19)

static const struct {
    const char *row;
    struct vpmu_record_access access;
    uint64_t word;
    const char *op;
    const char *level;
    const char *tlb;
} words[] = {
    {"L1",
     {.level = VPMU_DATA_L1, .translated = VPMU_TLB_L1, .flags = LOAD},
     WORD(2, 0x0a, 1, 0x0a, 1),
     "LOAD",
     "L1 hit",
     "L1 hit"},
    {"L2",
     {.level = VPMU_DATA_L2, .translated = VPMU_TLB_L2, .flags = LOAD},
     WORD(2, 0x22, 1, 0x12, 2),
     "LOAD",
     "L2 hit",
     "L2 hit"},
    {"L3",
     {.level = VPMU_DATA_LLC, .translated = VPMU_TLB_WALK, .flags = LOAD},
     WORD(2, 0x42, 1, 0x24, 3),
     "LOAD",
     "L3 hit",
     "Walker miss"},
    {"memory",
     {.level = VPMU_DATA_DRAM, .translated = VPMU_TLB_L1, .flags = LOAD},
     WORD(2, 0x82, 1, 0x0a, 13),
     "LOAD",
     "RAM hit",
     "L1 hit"},
    {"a line of another vCPU",
     {.level = VPMU_DATA_SHARED, .translated = VPMU_TLB_L1, .flags = LOAD},
     WORD(2, 0x42, 1, 0x0a, 3) ^ SNOOP(1) ^ SNOOP(4),
     "LOAD",
     "L3 hit",
     "L1 hit"},
    {"a line that another vCPU modified",
     {.level = VPMU_DATA_PEER, .translated = VPMU_TLB_L1, .flags = LOAD},
     WORD(2, 0x42, 1, 0x0a, 3) ^ SNOOP(1) ^ SNOOP(16),
     "LOAD",
     "L3 hit",
     "L1 hit"},
    {"a store to such a line",
     {.level = VPMU_DATA_PEER, .translated = VPMU_TLB_L1, .flags = STORE},
     WORD(4, 0x0c, 1, 0x0a, 1),
     "STORE",
     "L1 miss",
     "L1 hit"},
    {"a device",
     {.level = VPMU_DATA_UNCACHED, .flags = STORE},
     WORD(4, 0x2002, 1, 1, 15),
     "STORE",
     "Uncached hit",
     "N/A"},
    {"a store that hits",
     {.level = VPMU_DATA_L1, .translated = VPMU_TLB_L1, .flags = STORE},
     WORD(4, 0x0a, 1, 0x0a, 1),
     "STORE",
     "L1 hit",
     "L1 hit"},
    {"a store that misses",
     {.level = VPMU_DATA_LLC, .translated = VPMU_TLB_L1, .flags = STORE},
     WORD(4, 0x0c, 1, 0x0a, 1),
     "STORE",
     "L1 miss",
     "L1 hit"},
    {"an atomic",
     {.level = VPMU_DATA_L2, .translated = VPMU_TLB_L1, .flags = LOAD | STORE},
     WORD(6, 0x22, 1, 0x0a, 2),
     "LOAD,STORE",
     "L2 hit",
     "L1 hit"},
    {"a lock",
     {.level = VPMU_DATA_L1, .flags = LOAD | VPMU_RECORD_LOCKED},
     WORD(2, 0x0a, 2, 1, 1),
     "LOAD",
     "L1 hit",
     "N/A"},
    {"unknown", {.flags = LOAD}, WORD(2, 1, 1, 1, 15), "LOAD", "N/A", "N/A"},
};

START_TEST(accesses_words)
{
    ck_assert_uint_eq(perfaccess_encode(NULL), WORD(1, 1, 1, 1, 15));
    ck_assert_str_eq(perfaccess_op(perfaccess_encode(NULL)), "N/A");
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        uint64_t word = perfaccess_encode(&words[i].access);

        ck_assert_msg(word == words[i].word, "%s: expected %#lx got %#lx", words[i].row,
                      (unsigned long)words[i].word, (unsigned long)word);
        ck_assert_str_eq(perfaccess_op(word), words[i].op);
        ck_assert_str_eq(perfaccess_level(word), words[i].level);
        ck_assert_str_eq(perfaccess_tlb(word), words[i].tlb);
    }
}
END_TEST

START_TEST(accesses_refused)
{
    static const struct {
        const char *row;
        struct vpmu_record_access access;
    } rows[] = {
        {"no such level", {.level = VPMU_DATA_LEVEL_COUNT, .flags = LOAD}},
        {"no such translation", {.translated = VPMU_TRANSLATED_COUNT, .flags = LOAD}},
        {"neither a load nor a store", {.level = VPMU_DATA_L1, .flags = PHYSICAL}},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct made_stream m;
        struct recording r;
        struct error t = {0};

        streams_begin(&m, 1, 1, 0);
        streams_access(&m, 0, &rows[i].access);
        streams_end(&m);
        take(&r, &m, 0, &t);
        ck_assert_msg(t.code == ERROR_TALK && strstr(t.text, "an access has an unknown level"),
                      "%s: got %d: '%s'", rows[i].row, (int)t.code, t.text);
        fclose(r.file.file);
        recording_free(&r);
    }
}
END_TEST

Suite *accesses_suite(void)
{
    const TTest *const tests[] = {accesses_samples, accesses_latency, accesses_words,
                                  accesses_refused};

    return suite_of("accesses", tests, COUNT_OF(tests));
}
