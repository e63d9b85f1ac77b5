/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes of each record, as Linux's perf_event.h describes them: a header with type, misc and
 * size; the fields; and, unless it is a sample, sample_id_all: pid, tid, time, cpu, 0, identifier.
 */
#include "perfdata/perfdata.h"

#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "perfdata/costs.h"
#include "perfdata/perfput.h"
#include "unit/tests.h"

#define MAX_WORDS 40
/* type, misc, size */
#define HEAD(type, misc, size) ((type) | (uint64_t)(misc) << 32 | (uint64_t)(size) << 48)
/* Two 32-bit fields, as they are in the file. */
#define PAIR(first, second) ((first) | (uint64_t)(second) << 32)
/* The event with index 1 on CPU 2 of 4 has this identifier. */
#define ID(event, cpu) (1u + (event)*4u + (cpu))

/* Texts are padded with zeros to 8 bytes. */
static uint64_t text(const char *eight)
{
    uint64_t word = 0;

    memcpy(&word, eight, strnlen(eight, 8));
    return word;
}

static struct perfdata make(void)
{
    static const struct perfdata_event events[] = {{"a", 1, 0}, {"b", 1, 0}};

    return (struct perfdata){.file = tmpfile(), .event = events, .events = 2, .cpus = 4};
}

/* Compares the file with @n words, and closes it. */
static void expect(struct perfdata *p, const char *name, const uint64_t *words, size_t n)
{
    uint64_t got[MAX_WORDS + 1] = {0};
    size_t size;

    rewind(p->file);
    size = fread(got, 8, MAX_WORDS + 1, p->file);
    fclose(p->file);
    ck_assert_msg(size == n, "%s: expected %zu words got %zu", name, n, size);
    for (size_t i = 0; i < n; i++) {
        ck_assert_msg(got[i] == words[i], "%s: word %zu: expected 0x%llx got 0x%llx", name, i,
                      (unsigned long long)words[i], (unsigned long long)got[i]);
    }
}

#define EXPECT(p, name, ...)                                                                       \
    do {                                                                                           \
        const uint64_t words[] = {__VA_ARGS__};                                                    \
        expect(&(p), name, words, COUNT_OF(words));                                                \
    } while (0)

static const struct perfdata_thread thread = {.pid = 11, .tid = 12, .time = 99, .cpu = 2};
#define TRAILER PAIR(11, 12), 99, PAIR(2, 0), ID(0, 2)

START_TEST(perfdata_threads)
{
    struct perfdata p = make();

    perfdata_comm(&p, &thread, "sh");
    EXPECT(p, "comm", HEAD(PERF_RECORD_COMM, 0, 56), PAIR(11, 12), text("sh"), TRAILER);
    p = make();
    perfdata_comm(&p, &thread, "eight ch");
    EXPECT(p, "comm of 8", HEAD(PERF_RECORD_COMM, 0, 64), PAIR(11, 12), text("eight ch"), 0,
           TRAILER);
    p = make();
    perfdata_fork(&p, &thread, 5, 6);
    EXPECT(p, "fork", HEAD(PERF_RECORD_FORK, 0, 64), PAIR(11, 5), PAIR(12, 6), 99, TRAILER);
    p = make();
    perfdata_lost(&p, 3, 1, 77, 1000);
    EXPECT(p, "lost", HEAD(PERF_RECORD_LOST_SAMPLES, 0, 48), 1000, 0, 77, PAIR(3, 0), ID(1, 3));
    p = make();
    perfdata_group(&p, 9, "/guest");
    EXPECT(p, "group", HEAD(PERF_RECORD_CGROUP, 0, 56), 9, text("/guest"), 0, 0, 0, ID(0, 0));
    p = make();
    p.branches = 1;
    perfdata_group(&p, 9, "/guest");
    expect(&p, "group with branches", NULL, 0);
}
END_TEST

START_TEST(perfdata_maps)
{
    static const unsigned char build_id[20] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                               11, 12, 13, 14, 15, 16, 17, 18, 19, 20};
    struct perfdata p = make();
    struct perfdata_code code = {.start = 0x4000, .length = 0x1000, .offset = 0x200, .path = "/x"};

    perfdata_map(&p, PERFDATA_KERNEL, PERFDATA_ALL, 0x100, 0x200, 0x300, "k");
    EXPECT(p, "map", HEAD(PERF_RECORD_MMAP, 1, 80), PAIR(UINT32_MAX, UINT32_MAX), 0x100, 0x200,
           0x300, text("k"), PAIR(UINT32_MAX, UINT32_MAX), 0, 0, ID(0, 0));
    p = make();
    perfdata_code(&p, &thread, &code);
    EXPECT(p, "code", HEAD(PERF_RECORD_MMAP2, 2, 112), PAIR(11, 12), 0x4000, 0x1000, 0x200, 0, 0, 0,
           PAIR(5, 2), text("/x"), TRAILER);
    code.build_id = build_id;
    code.build_id_size = 20;
    p = make();
    perfdata_code(&p, &thread, &code);
    EXPECT(p, "code with a build ID", HEAD(PERF_RECORD_MMAP2, 2 | 1 << 14, 112), PAIR(11, 12),
           0x4000, 0x1000, 0x200, PAIR(20, 0x04030201), 0x0c0b0a0908070605, 0x14131211100f0e0d,
           PAIR(5, 2), text("/x"), TRAILER);
    code.build_id_size = 0;
    code.is_data = true;
    p = make();
    perfdata_code(&p, &thread, &code);
    EXPECT(p, "data of a file", HEAD(PERF_RECORD_MMAP2, 2 | 1 << 13, 112), PAIR(11, 12), 0x4000,
           0x1000, 0x200, 0, 0, 0, PAIR(1, 2), text("/x"), TRAILER);
    p = make();
    perfdata_data(&p, 11);
    EXPECT(p, "data", HEAD(PERF_RECORD_MMAP2, 2 | 1 << 13, 112), PAIR(11, 11), 0, 1ull << 55, 0, 0,
           0, 0, PAIR(3, 2), text("//anon"), PAIR(11, 11), 0, 0, ID(0, 0));
}
END_TEST

static const uint64_t kernel = 0xffff800000001000;
static const struct perfdata_sample kernel_sample = {.mode = PERFDATA_KERNEL,
                                                     .pid = 11,
                                                     .tid = 12,
                                                     .cpu = 2,
                                                     .event = 1,
                                                     .time = 99,
                                                     .ip = 0xffff800000001000,
                                                     .weight = 10007,
                                                     .group = 3,
                                                     .ns = 55};

/*
 * A sample's fields are in the order of the bits of sample_type: identifier, ip, tid, time, addr,
 * cpu, period, read, callchain, branch stack, weight, data_src, registers, physical address,
 * cgroup.
 */
START_TEST(perfdata_samples)
{
    static const uint64_t values[] = {70, 80};
    static const uint64_t chain[] = {0xffff800000002000, 0x500, 0xffff800000003000};
    static const uint64_t link = 0x1234;
    struct perfdata_sample s = kernel_sample;
    struct perfdata p = make();

    s.values = values;
    s.chain = chain;

#define FIRST ID(1, 2), kernel, PAIR(11, 12), 99
    perfdata_sample(&p, &s);
    ck_assert(p.samples == 1 && p.last == 99);
    EXPECT(p, "plain", HEAD(PERF_RECORD_SAMPLE, 1, 64), FIRST, PAIR(2, 0), 10007, 3);
    p = make();
    p.group = true;
    perfdata_sample(&p, &s);
    EXPECT(p, "group", HEAD(PERF_RECORD_SAMPLE, 1, 104), FIRST, PAIR(2, 0), 10007, 2, 70, ID(0, 2),
           80, ID(1, 2), 3);
    p = make();
    p.spans = true;
    perfdata_sample(&p, &s);
    EXPECT(p, "span", HEAD(PERF_RECORD_SAMPLE, 1, 72), FIRST, PAIR(2, 0), 10007, 55, 3);
    /* The chain of a kernel that a program has entered. */
    p = make();
    p.chains = true;
    s.depth = 3;
    perfdata_sample(&p, &s);
    EXPECT(p, "chain", HEAD(PERF_RECORD_SAMPLE, 1, 120), FIRST, PAIR(2, 0), 10007, 6,
           PERF_CONTEXT_KERNEL, kernel, chain[0], PERF_CONTEXT_USER, 0x500, chain[2], 3);
    p = make();
    p.chains = true;
    s.depth = 1;
    perfdata_sample(&p, &s);
    EXPECT(p, "chain of a kernel", HEAD(PERF_RECORD_SAMPLE, 1, 96), FIRST, PAIR(2, 0), 10007, 3,
           PERF_CONTEXT_KERNEL, kernel, chain[0], 3);
    /* What lies behind the chain is no part of it. */
    p = make();
    p.chains = true;
    s.chain = chain + 2;
    s.depth = 0;
    perfdata_sample(&p, &s);
    EXPECT(p, "no chain", HEAD(PERF_RECORD_SAMPLE, 1, 88), FIRST, PAIR(2, 0), 10007, 2,
           PERF_CONTEXT_KERNEL, kernel, 3);
    p = make();
    p.links = true;
    perfdata_sample(&p, &s);
    EXPECT(p, "no link", HEAD(PERF_RECORD_SAMPLE, 1, 72), FIRST, PAIR(2, 0), 10007, 0, 3);
    p = make();
    p.links = true;
    s.link = &link;
    s.mode = PERFDATA_USER;
    perfdata_sample(&p, &s);
    EXPECT(p, "link", HEAD(PERF_RECORD_SAMPLE, 2, 80), FIRST, PAIR(2, 0), 10007, 2, 0x1234, 3);
}
END_TEST

/* Branches of a kernel's own samples are copied: their number, then from, to and flags of each. */
START_TEST(perfdata_entries)
{
    static const uint64_t entries[] = {0x4010, 0x4020, 1, 0x4030, 0x4040, 2};
    struct perfdata_sample s = {.mode = PERFDATA_USER,
                                .pid = 11,
                                .tid = 12,
                                .cpu = 2,
                                .event = 1,
                                .time = 99,
                                .ip = 0x4050,
                                .weight = 10007,
                                .entries = (const unsigned char *)entries,
                                .branches = 2};
    struct perfdata p = make();

    p.branches = PERF_SAMPLE_BRANCH_ANY;
    perfdata_sample(&p, &s);
    EXPECT(p, "branches", HEAD(PERF_RECORD_SAMPLE, 2, 112), ID(1, 2), 0x4050, PAIR(11, 12), 99,
           PAIR(2, 0), 10007, 2, 0x4010, 0x4020, 1, 0x4030, 0x4040, 2);
    p = make();
    p.branches = PERF_SAMPLE_BRANCH_ANY;
    s.branches = 0;
    perfdata_sample(&p, &s);
    EXPECT(p, "no branches", HEAD(PERF_RECORD_SAMPLE, 2, 64), ID(1, 2), 0x4050, PAIR(11, 12), 99,
           PAIR(2, 0), 10007, 0);
}
END_TEST

/*
 * Registers and the stack follow the chain: ABI and registers; size, bytes and how many are valid.
 * The reader finds the program's part of the chain there.
 */
START_TEST(perfdata_stacks)
{
    static const uint64_t chain[] = {0xffff800000002000, 0x500};
    static const uint64_t registers[] = {61, 62};
    static const uint64_t stack[] = {71, 72, 73};
    const struct perfdata_event event = {"a", 1, 0};
    struct perfdata_sample s = {.mode = PERFDATA_KERNEL,
                                .ip = 0xffff800000001000,
                                .weight = 10007,
                                .chain = chain,
                                .depth = 2,
                                .registers = (const unsigned char *)registers,
                                .stack = (const unsigned char *)stack,
                                .stack_size = sizeof(stack)};
    struct perfdata p = make();

    p = (struct perfdata){.file = p.file,
                          .event = &event,
                          .events = 1,
                          .cpus = 1,
                          .chains = true,
                          .registers = 0x50,
                          .stack = 4096};
    perfdata_sample(&p, &s);
    EXPECT(p, "kernel", HEAD(PERF_RECORD_SAMPLE, 1, 160), 1, s.ip, 0, 0, 0, 10007, 3,
           PERF_CONTEXT_KERNEL, s.ip, chain[0], 2, 61, 62, 24, 71, 72, 73, 24, 0);
    p.file = tmpfile();
    s.mode = PERFDATA_USER;
    s.stack_size = 0;
    perfdata_sample(&p, &s);
    EXPECT(p, "program", HEAD(PERF_RECORD_SAMPLE, 2, 104), 1, s.ip, 0, 0, 0, 10007, 0, 2, 61, 62, 0,
           0);
    p.file = tmpfile();
    s.registers = NULL;
    s.depth = 1;
    perfdata_sample(&p, &s);
    EXPECT(p, "no registers", HEAD(PERF_RECORD_SAMPLE, 2, 112), 1, s.ip, 0, 0, 0, 10007, 3,
           PERF_CONTEXT_USER, s.ip, chain[0], 0, 0, 0);
}
END_TEST

/* A physical address is written only if it is known. Bits 0 to 4 of data_src are the operation. */
START_TEST(perfdata_accesses)
{
    static const struct vpmu_record_access known = {.address = 0xabc,
                                                    .latency = 44,
                                                    .physical = 0xdef,
                                                    .flags =
                                                        VPMU_RECORD_PHYSICAL | VPMU_RECORD_LOAD};
    static const struct vpmu_record_access unknown = {
        .address = 0xabc, .latency = 44, .physical = 0xdef, .flags = VPMU_RECORD_STORE};
    static const struct {
        const struct vpmu_record_access *access;
        uint64_t address, latency, operation, physical;
    } rows[] = {
        {&known, 0xabc, 44, PERF_MEM_OP_LOAD, 0xdef},
        {&unknown, 0xabc, 44, PERF_MEM_OP_STORE, 0},
        {NULL, 0, 0, PERF_MEM_OP_NA, 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct perfdata_sample s = {
            .mode = PERFDATA_USER, .access = rows[i].access, .time = 5, .group = 3};
        struct perfdata p = make();
        uint64_t got[MAX_WORDS];

        p.accesses = true;
        perfdata_sample(&p, &s);
        rewind(p.file);
        ck_assert_uint_eq(fread(got, 8, MAX_WORDS, p.file), 12);
        fclose(p.file);
        ck_assert_uint_eq(got[0], HEAD(PERF_RECORD_SAMPLE, 2, 96));
        ck_assert_uint_eq(got[5], rows[i].address);
        ck_assert_uint_eq(got[8], rows[i].latency);
        ck_assert_uint_eq(got[9] & 31, rows[i].operation);
        ck_assert_uint_eq(got[10], rows[i].physical);
        ck_assert_uint_eq(got[11], 3);
    }
}
END_TEST

/* perf2bolt looks for programs among the build IDs of a file with branches. */
START_TEST(perfdata_ids)
{
    static const unsigned char id[20] = {1};
    static const struct {
        uint64_t branches;
        size_t size, n;
    } rows[] = {{1, 20, 1}, {1, 0, 0}, {0, 20, 0}};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct perfdata_code code = {
            .length = 1, .path = "/x", .build_id = id, .build_id_size = rows[i].size};
        struct perfdata p = make();

        p.branches = rows[i].branches;
        perfdata_code(&p, &thread, &code);
        ck_assert_msg(p.ids.n == rows[i].n, "row %zu: %zu", i, p.ids.n);
        fclose(p.file);
        perfdata_free(&p);
    }
}
END_TEST

/*
 * If the disk is full, the header has the size of the records that were complete before, and no
 * features. A limit on the size of files has the same effect as a full disk.
 */
START_TEST(perfdata_full)
{
    struct perfdata p = make();
    struct rlimit old, low;
    uint64_t head[13], size;

    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
    p.arch = p.host = "a";
    perfdata_begin(&p);
    perfdata_comm(&p, &thread, "sh");
    perfdata_so_far(&p);
    size = (uint64_t)ftello(p.file) - p.data;
    low = (struct rlimit){.rlim_cur = p.data + size, .rlim_max = old.rlim_max};
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &low), 0);
    for (unsigned i = 0; i < 1000; i++) {
        perfdata_comm(&p, &thread, "sh");
    }
    ck_assert(ferror(p.file));
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &old), 0);
    perfdata_so_far(&p);
    perfdata_end(&p);
    ck_assert_int_eq(pread(fileno(p.file), head, sizeof(head), 0), sizeof(head));
    ck_assert_uint_eq(head[5], p.data);
    ck_assert_uint_eq(head[6], size);
    ck_assert(!(head[9] | head[10] | head[11] | head[12]));
    fclose(p.file);
    perfdata_free(&p);
}
END_TEST

/* The times of the first and the last sample, in any order. */
START_TEST(perfdata_times)
{
    static const uint64_t times[] = {50, 30, 70, 60};
    struct perfdata p = make();

    p.first = UINT64_MAX;
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        perfdata_sample(&p, &(struct perfdata_sample){.mode = PERFDATA_USER, .time = times[i]});
    }
    fclose(p.file);
    ck_assert(p.first == 30 && p.last == 70 && p.samples == 4);
}
END_TEST

/* A record of more bytes than its header can say is left out, and the next one is whole. */
START_TEST(perfdata_large)
{
    static const unsigned char data[1000];
    static const struct {
        size_t times, more;
        uint16_t size; /* 0: left out */
    } rows[] = {
        {0, 0, 8},    {1, 0, 1008}, {65, 520, 65528}, {65, 527, 65535}, {65, 528, 0},
        {65, 529, 0}, {66, 0, 0},   {70, 1, 0},       {3, 0, 3008},
    };
    struct perfdata p = {.file = tmpfile()};

    ck_assert(p.file);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct perf_event_header head = {.size = 0};
        long before = ftell(p.file);

        put_begin(&p, 99, 7);
        for (size_t n = 0; n < rows[i].times; n++) {
            put(&p, data, sizeof(data));
        }
        put(&p, data, rows[i].more);
        put_end(&p);
        ck_assert_msg(ftell(p.file) == before + rows[i].size, "row %zu: %ld bytes", i,
                      ftell(p.file) - before);
        fseek(p.file, before, SEEK_SET);
        ck_assert(!rows[i].size || fread(&head, sizeof(head), 1, p.file) == 1);
        ck_assert(!rows[i].size ||
                  (head.type == 99 && head.misc == 7 && head.size == rows[i].size));
        fseek(p.file, 0, SEEK_END);
    }
    fclose(p.file);
}
END_TEST

/* The names that valgrind gives to what it counts, and its options. */
START_TEST(perfdata_costs)
{
    static const struct {
        bool caches, branches;
        const char *names;
    } rows[] = {
        {false, false, ""},
        {true, false, "Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw "},
        {false, true, "Bc Bcm Bi Bim Br Brm "},
        {true, true, "Dr Dw I1mr D1mr D1mw ILmr DLmr DLmw Bc Bcm Bi Bim Br Brm "},
    };
    static const struct {
        const char *text;
        bool valid, choice;
    } choices[] = {
        {NULL, true, true}, {"yes", true, true},    {"no", true, false},
        {"", false, false}, {"yess", false, false}, {"1", false, false},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *names[COSTS_MAX];
        char text[128] = "";
        size_t n = costs_names(rows[i].caches, rows[i].branches, names);

        for (size_t name = 0; name < n; name++) {
            strcat(strcat(text, names[name]), " ");
        }
        ck_assert_str_eq(text, rows[i].names);
    }
    for (size_t i = 0; i < COUNT_OF(choices); i++) {
        bool choice = !choices[i].choice;

        ck_assert_int_eq(costs_parse_choice(choices[i].text, &choice), choices[i].valid);
        ck_assert_int_eq(choice, choices[i].choice);
    }
}
END_TEST

Suite *perfdata_suite(void)
{
    const TTest *const tests[] = {perfdata_threads, perfdata_maps,   perfdata_samples,
                                  perfdata_entries, perfdata_stacks, perfdata_accesses,
                                  perfdata_times,   perfdata_large,  perfdata_costs,
                                  perfdata_ids,     perfdata_full};

    return suite_of("perfdata", tests, COUNT_OF(tests));
}
