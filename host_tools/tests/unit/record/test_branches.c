/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests branches of samples: from the stream of a machine to the format of perf, and invalid ones.
 */
#include <stdio.h>
#include <string.h>

#include "fixtures/streams.h"
#include "perfdata/perfbranch.h"
#include "perfdata/perfreader.h"
#include "record/recording.h"
#include "unit/tests.h"

#define BOTH (VPMU_BRANCH_HAS_FROM | VPMU_BRANCH_HAS_TO)
#define CYCLES VPMU_BRANCH_HAS_CYCLES
#define WRONG VPMU_BRANCH_MISPREDICTED

static int take(struct recording *r, const struct made_stream *m, uint64_t branches,
                struct error *t)
{
    *r = (struct recording){.file = {.host = "host", .branches = branches}};
    r->file.file = tmpfile();
    ck_assert(r->file.file);
    return recording_take(r, m->bytes, m->size, t) || recording_finish(r, t) ? -1 : 0;
}

struct read {
    uint64_t n;
    uint64_t words[3 * VPMU_BRANCH_RECORDS];
};

static int see(void *opaque, unsigned event, unsigned mode, const struct perfsample *s,
               struct error *t)
{
    struct read *read = opaque;

    (void)event, (void)mode, (void)t;
    read->n = s->n_branches;
    ck_assert_uint_eq(s->cgroup, 0);
    ck_assert_uint_eq(s->tid, 42);
    memcpy(read->words, s->branches, s->n_branches * PERFBRANCH_SIZE);
    return 0;
}

/* Makes a file of one sample with these branches, and reads it. */
static void read_again(struct read *read, unsigned flags, const struct vpmu_branch *branch,
                       unsigned n)
{
    static const struct perfreader_ops ops = {.sample = see};
    struct perfreader reader = {.name = "FILE", .stop_fd = -1};
    struct made_stream m;
    struct recording r;
    struct error t = {0};

    streams_begin(&m, 1, 1, VPMU_RECORD_BRANCHES | flags);
    streams_branches(&m, 0, branch, n);
    streams_count(&m, &(struct vpmu_record_count){.count = 100, .weight = 100, .samples = 1});
    streams_end(&m);
    ck_assert_msg(take(&r, &m, 0x1234, &t) == 0, "%s", t.text);
    *read = (struct read){0};
    rewind(r.file.file);
    ck_assert_msg(perfreader_open(&reader, r.file.file, &t) == 0, "%s", t.text);
    ck_assert_uint_eq(reader.events.event[0].attr.branch_sample_type, 0x1234);
    ck_assert_msg(perfreader_walk(&reader, &ops, read, &t) == 0, "%s", t.text);
    perfreader_close(&reader);
    fclose(r.file.file);
    recording_free(&r);
}

/* Bits of the third word: mispredicted 0, predicted 1, cycles 4 to 19, type 20 to 23, more 26. */
START_TEST(branches_entries)
{
    static const struct {
        const char *row;
        unsigned flags; /* of the stream */
        struct vpmu_branch branch;
        uint64_t word;
    } rows[] = {
        {"a branch", 0, {1, 2, 0, VPMU_BRTYPE_DIRECT, 0, BOTH, 0}, 2 << 20},
        {"conditional", 0, {1, 2, 0, VPMU_BRTYPE_CONDITIONAL, 0, BOTH, 0}, 1 << 20},
        {"indirect", 0, {1, 2, 0, VPMU_BRTYPE_INDIRECT, 0, BOTH, 0}, 3 << 20},
        {"a call", 0, {1, 2, 0, VPMU_BRTYPE_CALL, 0, BOTH, 0}, 4 << 20},
        {"an indirect call", 0, {1, 2, 0, VPMU_BRTYPE_INDIRECT_CALL, 0, BOTH, 0}, 5 << 20},
        {"a return", 0, {1, 2, 0, VPMU_BRTYPE_RETURN, 1, BOTH, 0}, 6 << 20},
        {"a system call", 0, {1, 2, 0, VPMU_BRTYPE_SYSTEM_CALL, 1, BOTH, 0}, 7 << 20},
        {"an exception return", 0, {1, 2, 0, VPMU_BRTYPE_EXCEPTION_RETURN, 1, BOTH, 0}, 11 << 20},
        {"an interrupt", 0, {1, 2, 0, VPMU_BRTYPE_IRQ, 1, BOTH, 0}, 12 << 20},
        {"an SError", 0, {1, 2, 0, VPMU_BRTYPE_SERROR, 1, BOTH, 0}, 13 << 20},
        {"a data fault", 0, {1, 2, 0, VPMU_BRTYPE_DATA_FAULT, 1, BOTH, 0}, 15 << 20 | 1 << 26},
        {"a trap", 0, {1, 2, 0, VPMU_BRTYPE_TRAP, 1, BOTH, 0}, 0},
        {"cycles", 0, {1, 2, 9, VPMU_BRTYPE_DIRECT, 0, BOTH | CYCLES, 0}, 9 << 4 | 2 << 20},
        {"too many cycles",
         0,
         {1, 2, 0x12345678, VPMU_BRTYPE_DIRECT, 0, BOTH | CYCLES, 0},
         0xffff << 4 | 2 << 20},
        {"not known to be wrong", 0, {1, 2, 0, VPMU_BRTYPE_DIRECT, 0, BOTH | WRONG, 0}, 2 << 20},
        {"wrong",
         VPMU_RECORD_PREDICTIONS,
         {1, 2, 0, VPMU_BRTYPE_DIRECT, 0, BOTH | WRONG, 0},
         1 | 2 << 20},
        {"right", VPMU_RECORD_PREDICTIONS, {1, 2, 0, VPMU_BRTYPE_DIRECT, 0, BOTH, 0}, 2 | 2 << 20},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct read read;

        read_again(&read, rows[i].flags, &rows[i].branch, 1);
        ck_assert_uint_eq(read.n, 1);
        ck_assert_uint_eq(read.words[0], 1);
        ck_assert_uint_eq(read.words[1], 2);
        ck_assert_msg(read.words[2] == rows[i].word, "%s: expected %#lx got %#lx", rows[i].row,
                      (unsigned long)rows[i].word, (unsigned long)read.words[2]);
    }
}
END_TEST

/*
 * Samples with any number of branches. create_llvm_prof does not know cgroups, which would follow.
 */
START_TEST(branches_numbers)
{
    struct vpmu_branch branch[VPMU_BRANCH_RECORDS];
    struct read read;

    for (unsigned i = 0; i < COUNT_OF(branch); i++) {
        branch[i] = (struct vpmu_branch){.from = i + 1, .to = i + 2, .flags = BOTH};
    }
    for (unsigned n = 0; n <= COUNT_OF(branch); n += 16) {
        read_again(&read, 0, branch, n);
        ck_assert_uint_eq(read.n, n);
        for (unsigned i = 0; i < n; i++) {
            ck_assert_uint_eq(read.words[3 * i], i + 1);
        }
    }
}
END_TEST

/* perf2bolt looks for the program among the build IDs of a file with branches: record 67. */
START_TEST(branches_build_ids)
{
    static const struct {
        uint32_t type;
        uint16_t misc, size;
        uint32_t pid;
        unsigned char id[20];
        uint8_t n, reserved[3];
        char path[64];
    } expected = {67, 2 | 1 << 15, 100, UINT32_MAX, "MADE", 4, {0}, "/bin/a"};
    static const struct vpmu_branch branch = {1, 2, 0, VPMU_BRTYPE_DIRECT, 0, BOTH, 0};

    _Static_assert(sizeof(expected) == 100, "struct perf_record_header_build_id");
    for (uint64_t branches = 0; branches < 2; branches++) {
        struct made_stream m;
        struct recording r;
        struct error t = {0};
        char file[16384];
        size_t n;

        streams_begin(&m, 1, 1, branches ? VPMU_RECORD_BRANCHES : 0);
        streams_map(&m, 0, 7, "/bin/a", "MADE");
        streams_branches(&m, 0, &branch, (unsigned)branches);
        streams_count(&m, &(struct vpmu_record_count){.count = 100, .weight = 100, .samples = 1});
        streams_end(&m);
        ck_assert_msg(take(&r, &m, branches, &t) == 0, "%s", t.text);
        rewind(r.file.file);
        n = fread(file, 1, sizeof(file), r.file.file);
        ck_assert_uint_lt(n, sizeof(file));
        ck_assert_int_eq(memmem(file, n, &expected, sizeof(expected)) != NULL, branches != 0);
        fclose(r.file.file);
        recording_free(&r);
    }
}
END_TEST

/* A file has no build IDs of programs that ran before it. */
START_TEST(branches_build_ids_of_the_next_file)
{
    static const struct vpmu_branch branch = {1, 2, 0, VPMU_BRTYPE_DIRECT, 0, BOTH, 0};
    struct recording r = {.keeps_maps = true, .file = {.host = "host", .branches = 1}};
    struct error t = {0};
    struct made_stream m;
    char file[16384];
    FILE *first = tmpfile(), *next = tmpfile();
    size_t n;

    ck_assert(first && next);
    r.file.file = first;
    streams_begin(&m, 1, 1, VPMU_RECORD_BRANCHES);
    streams_map(&m, 0, 7, "/bin/old", "OLDER");
    streams_map(&m, 0, 8, "/bin/a", "NEWER");
    streams_branches(&m, 0, &branch, 1);
    ck_assert_int_eq(recording_take(&r, m.bytes, m.size, &t), 0);
    recording_next(&r, next);
    m.size = 0;
    streams_count(&m, &(struct vpmu_record_count){.count = 100, .weight = 100, .samples = 1});
    streams_end(&m);
    ck_assert_int_eq(recording_take(&r, m.bytes, m.size, &t), 0);
    ck_assert_int_eq(recording_finish(&r, &t), 0);
    rewind(next);
    n = fread(file, 1, sizeof(file), next);
    ck_assert_uint_lt(n, sizeof(file));
    ck_assert_ptr_nonnull(memmem(file, n, "NEWER", 5));
    ck_assert_ptr_null(memmem(file, n, "OLDER", 5));
    rewind(first);
    n = fread(file, 1, sizeof(file), first);
    ck_assert_ptr_nonnull(memmem(file, n, "OLDER", 5));
    fclose(first);
    fclose(next);
    recording_free(&r);
}
END_TEST

/* The file has the names of the functions that branches lead from and to. */
START_TEST(branches_names)
{
    static const struct vpmu_branch branch[] = {
        {0x1000, 0x2000, 0, VPMU_BRTYPE_DIRECT, 0, BOTH, 0},
        {0x3000, 0x4008, 0, VPMU_BRTYPE_DIRECT, 0, BOTH, 0},
    };
    struct recording r = {.file = {.host = "host", .branches = 1, .file = tmpfile()}};
    struct error t = {0};
    struct made_stream m;

    ck_assert(r.file.file);
    for (uint64_t i = 1; i <= 5; i++) {
        const struct function f = {.start = i << 12, .end = (i << 12) + 16, .name = "f"};

        ck_assert_int_eq(functions_add(&r.names.functions, &f, &t), 0);
    }
    ck_assert_int_eq(functions_sort(&r.names.functions, &t), 0);
    streams_begin(&m, 1, 1, VPMU_RECORD_BRANCHES);
    streams_branches(&m, 0, branch, COUNT_OF(branch));
    ck_assert_int_eq(recording_take(&r, m.bytes, m.size, &t), 0);
    for (unsigned i = 0; i < 5; i++) {
        ck_assert_msg(r.used[i] == (i < 4), "function %u", i);
    }
    fclose(r.file.file);
    recording_free(&r);
}
END_TEST

START_TEST(branches_refused)
{
    static const struct vpmu_branch good = {1, 2, 0, VPMU_BRTYPE_DIRECT, 0, BOTH, 0};
    static const size_t of_sample =
        sizeof(struct vpmu_record_start) + sizeof(struct vpmu_record_event);
    static const size_t number = of_sample + offsetof(struct vpmu_record_sample, branches);
    static const size_t first = of_sample + sizeof(struct vpmu_record_sample);
    static const struct {
        const char *row;
        unsigned flags;
        size_t at;
        unsigned char byte;
        const char *text; /* NULL: it is valid */
    } rows[] = {
        {"right", VPMU_RECORD_BRANCHES, 0, 1, NULL},
        {"without the flag", 0, 0, 1, "frames or branches than it announces"},
        {"more than there are", VPMU_RECORD_BRANCHES, number, 3, "branches than it announces"},
        {"fewer", VPMU_RECORD_BRANCHES, number, 1, "branches than it announces"},
        {"none", VPMU_RECORD_BRANCHES, number, 0, "branches than it announces"},
        {"more than can be", VPMU_RECORD_BRANCHES, number, 65, "branches than it announces"},
        {"very many", VPMU_RECORD_BRANCHES, number + 1, 0xff, "branches than it announces"},
        {"no such type", VPMU_RECORD_BRANCHES, first + 20, 64, "cannot exist"},
        {"no such level", VPMU_RECORD_BRANCHES, first + 21, 4, "cannot exist"},
        {"no such flag", VPMU_RECORD_BRANCHES, first + 22, 0x13, "cannot exist"},
        {"no target", VPMU_RECORD_BRANCHES, first + 22, 1, "cannot exist"},
        {"cycles without the flag", VPMU_RECORD_BRANCHES, first + 24 + 16, 1, "cannot exist"},
        {"empty", VPMU_RECORD_BRANCHES, first + 24 + 22, 0, "cannot exist"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct vpmu_branch two[] = {good, good};
        struct made_stream m;
        struct recording r;
        struct error t = {0};

        streams_begin(&m, 1, 1, rows[i].flags);
        streams_branches(&m, 0, two, COUNT_OF(two));
        streams_end(&m);
        if (rows[i].at) {
            m.bytes[rows[i].at] = rows[i].byte;
        }
        take(&r, &m, 1, &t);
        ck_assert_msg(t.code == (rows[i].text ? ERROR_TALK : ERROR_NONE) &&
                          (!rows[i].text || strstr(t.text, rows[i].text)),
                      "%s: expected an error with '%s' got %d: '%s'", rows[i].row,
                      rows[i].text ? rows[i].text : "", (int)t.code, t.text);
        fclose(r.file.file);
        recording_free(&r);
    }
}
END_TEST

/* Bits: u 0, k 1, any 3, any_call 4, any_ret 5, ind_call 6, cond 10, ind_jmp 12, call 13; no_flags
 */
START_TEST(branches_filters)
{
    static const struct {
        const char *text;
        uint64_t type;
    } rows[] = {
        {"any", 1 << 3 | 3 | 7 << 14},
        {"u", 1 << 3 | 1 | 7 << 14},
        {"k", 1 << 3 | 2 | 7 << 14},
        {"any_call,u", 1 << 4 | 1 << 13 | 1 << 6 | 1 | 7 << 14},
        {"any_ret,u", 1 << 5 | 1 | 7 << 14},
        {"any_call,any_ret,u", 1 << 4 | 1 << 5 | 1 << 13 | 1 << 6 | 1 | 7 << 14},
        {"call,u", 1 << 13 | 1 | 7 << 14},
        {"call,k", 1 << 13 | 2 | 7 << 14},
        {"cond,k", 1 << 10 | 2 | 7 << 14},
        {"call,cond", 1 << 13 | 1 << 10 | 3 | 7 << 14},
        {"ind_call,u", 1 << 6 | 1 | 7 << 14},
        {"ind_jmp,u", 1 << 12 | 1 | 7 << 14},
        {"cond,u", 1 << 10 | 1 | 7 << 14},
        {"any,flags", 1 << 3 | 3 | 6 << 14},
        {"any,cycles", 1 << 3 | 3 | 5 << 14},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_branch_filter filter;

        ck_assert_int_eq(vpmu_branch_filter_parse(&filter, rows[i].text, NULL), 0);
        ck_assert_msg(perfbranch_filter(&filter) == rows[i].type, "%s: expected %#lx got %#lx",
                      rows[i].text, (unsigned long)rows[i].type,
                      (unsigned long)perfbranch_filter(&filter));
    }
}
END_TEST

Suite *branches_suite(void)
{
    const TTest *const tests[] = {
        branches_entries, branches_numbers, branches_build_ids, branches_build_ids_of_the_next_file,
        branches_names,   branches_refused, branches_filters};

    return suite_of("branches", tests, COUNT_OF(tests));
}
