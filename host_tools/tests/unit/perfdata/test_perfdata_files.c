/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whole files, as tools/perf/Documentation/perf.data-file-format.txt describes them: a header, the
 * events, the records and the features; and pipes, in which all of these are records.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perfdata/perfdata.h"
#include "perfdata/perfreader.h"
#include "unit/tests.h"
#include "vpmu/version.h"

#define CPUS 3u
#define ATTR 128u
/* Two words for the header's fields of two 32-bit numbers. */
#define PAIR(first, second) ((first) | (uint64_t)(second) << 32)
/* Where things are in a file: the ids follow the header, the events follow the ids. */
#define IDS 104u
#define EVENTS (IDS + 2 * CPUS * 8)
#define DATA (EVENTS + 2 * (ATTR + 16))

struct bytes_made {
    unsigned char at[4096];
    size_t n;
};

static void add(struct bytes_made *b, const void *data, size_t n)
{
    ck_assert_uint_le(n, sizeof(b->at) - b->n);
    memcpy(b->at + b->n, data, n);
    b->n += n;
}

static void add_u32(struct bytes_made *b, uint32_t value)
{
    add(b, &value, sizeof(value));
}

static void add_u64(struct bytes_made *b, uint64_t value)
{
    add(b, &value, sizeof(value));
}

/* A string has its size before it, and is padded to 64 bytes. */
static void add_string(struct bytes_made *b, const char *text)
{
    char padded[128] = "";
    size_t size = (strlen(text) + 64) / 64 * 64;

    strcpy(padded, text);
    add_u32(b, (uint32_t)size);
    add(b, padded, size);
}

static const struct perfdata_event events[] = {{"cycles", 1000, 0}, {"instructions", 0, 99}};
static char *const command[] = {(char[]){"record"}, (char[]){"-F99"}};
static const unsigned char build_id[20] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

static struct perf_event_attr attr_of(unsigned event, const struct perfdata *p)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_RAW,
        .size = ATTR,
        .config = event,
        .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
                       PERF_SAMPLE_PERIOD | PERF_SAMPLE_IDENTIFIER,
        .mmap = 1,
        .mmap2 = 1,
        .comm = 1,
        .sample_id_all = 1,
        .cgroup = !p->branches,
    };

    attr.sample_period = event == 0 ? 1000 : 99;
    attr.freq = event == 1;
    attr.sample_type |= p->branches ? PERF_SAMPLE_BRANCH_STACK : PERF_SAMPLE_CGROUP;
    attr.branch_sample_type = p->branches;
    if (p->group) {
        attr.sample_type |= PERF_SAMPLE_READ;
        attr.read_format = PERF_FORMAT_ID | PERF_FORMAT_GROUP;
    }
    attr.sample_type |= p->chains ? PERF_SAMPLE_CALLCHAIN : 0;
    attr.sample_type |= p->links ? PERF_SAMPLE_REGS_INTR : 0;
    attr.sample_regs_intr = p->links ? 1ull << 30 : 0; /* PERF_REG_ARM64_LR */
    if (p->registers) {
        attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
        attr.sample_regs_user = p->registers;
        attr.sample_stack_user = p->stack;
        attr.exclude_callchain_user = 1;
    }
    attr.sample_type |= p->spans ? PERF_SAMPLE_WEIGHT : 0;
    if (p->accesses) {
        attr.sample_type |=
            PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_PHYS_ADDR;
    }
    return attr;
}

/* The ids of all CPUs of an event. */
static void add_ids(struct bytes_made *b, unsigned event)
{
    for (unsigned cpu = 0; cpu < CPUS; cpu++) {
        add_u64(b, 1 + event * CPUS + cpu);
    }
}

static void add_build_id(struct bytes_made *b)
{
    static const char path[64] = "/guest/[kernel.kallsyms]";

    add_u64(b, 67 | (uint64_t)(1 | 1 << 15) << 32 | (uint64_t)(8 + 4 + 24 + 64) << 48);
    add_u32(b, UINT32_MAX);
    add(b, build_id, sizeof(build_id));
    add_u32(b, sizeof(build_id));
    add(b, path, sizeof(path));
}

/* The number of events, and the size of each one's attributes; each event. */
static void add_events(struct bytes_made *b, const struct perfdata *p)
{
    add_u64(b, PAIR(2, ATTR));
    for (unsigned i = 0; i < 2; i++) {
        const struct perf_event_attr attr = attr_of(i, p);

        add(b, &attr, ATTR);
        add_u32(b, CPUS);
        add_string(b, events[i].name);
        add_ids(b, i);
    }
}

/* Returns what a feature contains; false if the file must not have it. */
static bool make_feature(unsigned feature, const struct perfdata *p, struct bytes_made *b)
{
    b->n = 0;
    switch (feature) {
    case 2: /* HEADER_BUILD_ID */
        add_build_id(b);
        return !p->pipe;
    case 3: /* HEADER_HOSTNAME */
        add_string(b, "box");
        return true;
    case 4: /* HEADER_OSRELEASE */
        add_string(b, "6.12");
        return true;
    case 5: /* HEADER_VERSION */
        add_string(b, "vpmu-stats " VPMU_VERSION);
        return true;
    case 6: /* HEADER_ARCH */
        add_string(b, "aarch64");
        return true;
    case 7: /* HEADER_NRCPUS: available, online */
        add_u64(b, PAIR(CPUS, CPUS));
        return true;
    case 8: /* HEADER_CPUDESC */
        add_string(b, "virtual CPU, sampled from outside");
        return true;
    case 11: /* HEADER_CMDLINE */
        add_u32(b, 2);
        add_string(b, "record");
        add_string(b, "-F99");
        return true;
    case 12: /* HEADER_EVENT_DESC */
        add_events(b, p);
        return true;
    case 14: /* HEADER_NUMA_TOPOLOGY: nodes; each number, total and free memory, CPUs */
        add_u64(b, PAIR(1, 0));
        add_u64(b, 0);
        add_u64(b, 0);
        add_string(b, "0-2");
        return p->accesses;
    case 15: /* HEADER_BRANCH_STACK */
        return p->branches && !p->pipe;
    case 17: /* HEADER_GROUP_DESC: groups; each name, leader, members */
        add_u32(b, 1);
        add_string(b, "{anon_group}");
        add_u64(b, PAIR(0, 2));
        return p->group;
    case 21: /* HEADER_SAMPLE_TIME: the first and the last sample */
        add_u64(b, 40);
        add_u64(b, 50);
        return !p->pipe;
    default:
        return false;
    }
}

/* What a recording can have beside the usual fields. */
static const struct perfdata kinds[] = {
    {0},
    {.group = true},
    {.chains = true},
    {.links = true},
    {.spans = true},
    {.branches = PERF_SAMPLE_BRANCH_ANY},
    {.accesses = true},
    {.chains = true, .registers = 0x1ff, .stack = 64},
};

static struct perfdata make(const struct perfdata *kind, bool pipe)
{
    struct perfdata p = *kind;

    p.file = tmpfile();
    p.pipe = pipe;
    p.event = events;
    p.events = 2;
    p.cpus = CPUS;
    p.arch = "aarch64";
    p.host = "box";
    p.release = "6.12";
    p.build_id = build_id;
    p.command = command;
    p.words = 2;
    return p;
}

static uint64_t word(const unsigned char *file, size_t at)
{
    uint64_t value;

    memcpy(&value, file + at, sizeof(value));
    return value;
}

static size_t read_all(struct perfdata *p, unsigned char *file, size_t room)
{
    size_t n;

    rewind(p->file);
    n = fread(file, 1, room, p->file);
    ck_assert_uint_lt(n, room);
    return n;
}

/* Writes two samples. */
static void write_samples(struct perfdata *p)
{
    static const uint64_t values[2];
    struct perfdata_sample s = {
        .mode = PERFDATA_USER, .time = 50, .values = values, .chain = values};

    perfdata_sample(p, &s);
    s.time = 40;
    perfdata_sample(p, &s);
}

/* The start of a file: header, ids, events. */
static void check_start(const unsigned char *file, const struct perfdata *p, size_t i)
{
    static const uint64_t head[] = {104, ATTR + 16, EVENTS, 2 * (ATTR + 16), DATA};

    ck_assert_mem_eq(file, "PERFILE2", 8);
    for (size_t n = 0; n < COUNT_OF(head); n++) {
        ck_assert_msg(word(file, 8 + 8 * n) == head[n], "kind %zu: word %zu", i, n);
    }
    for (unsigned n = 0; n < 2 * CPUS; n++) {
        ck_assert_uint_eq(word(file, IDS + 8 * n), 1 + n);
    }
    for (unsigned event = 0; event < 2; event++) {
        const struct perf_event_attr attr = attr_of(event, p);
        size_t at = EVENTS + event * (ATTR + 16);

        ck_assert_msg(memcmp(file + at, &attr, ATTR) == 0, "kind %zu: event %u", i, event);
        ck_assert_uint_eq(word(file, at + ATTR), IDS + event * CPUS * 8);
        ck_assert_uint_eq(word(file, at + ATTR + 8), CPUS * 8);
    }
}

/* Without a sample there is no time of a sample. */
START_TEST(perfdata_without_samples)
{
    static unsigned char file[1 << 16];
    struct perfdata p = make(&kinds[0], false);
    size_t at;

    p.first = p.last = 40;
    perfdata_begin(&p);
    perfdata_end(&p);
    read_all(&p, file, sizeof(file));
    at = DATA + word(file, 48);
    for (unsigned feature = 0; feature < 21; feature++) {
        at += word(file, 72) >> feature & 1 ? 16 : 0;
    }
    ck_assert_uint_eq(word(file, at + 8), 16);
    ck_assert_uint_eq(word(file, word(file, at)), 0);
    fclose(p.file);
}
END_TEST

START_TEST(perfdata_whole)
{
    static unsigned char file[1 << 16];

    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        struct perfdata p = make(&kinds[i], false);
        size_t records;
        size_t table;
        size_t n;

        perfdata_begin(&p);
        write_samples(&p);
        perfdata_so_far(&p);
        n = read_all(&p, file, sizeof(file));
        /* Complete records, and no features: the recording goes on. */
        records = n - DATA;
        ck_assert_uint_eq(word(file, 48), records);
        ck_assert(word(file, 72) == 0 && word(file, 80) == 0 && word(file, 88) == 0);
        fseek(p.file, 0, SEEK_END);
        perfdata_end(&p);
        n = read_all(&p, file, sizeof(file));
        check_start(file, &p, i);
        ck_assert_uint_eq(word(file, 48), records);
        ck_assert(word(file, 56) == 0 && word(file, 64) == 0);
        table = DATA + records;
        for (unsigned feature = 0; feature < 256; feature++) {
            static struct bytes_made expected;
            bool has = word(file, 72 + feature / 64 * 8) >> feature % 64 & 1;

            ck_assert_msg(has == make_feature(feature, &p, &expected), "kind %zu: feature %u", i,
                          feature);
            if (has) {
                ck_assert_msg(word(file, table + 8) == expected.n &&
                                  word(file, table) + expected.n <= n &&
                                  memcmp(file + word(file, table), expected.at, expected.n) == 0,
                              "kind %zu: contents of feature %u", i, feature);
                table += 16;
            }
        }
        fclose(p.file);
        perfdata_free(&p);
    }
}
END_TEST

static void check_name(const unsigned char *at, unsigned event)
{
    ck_assert_uint_eq(word(at, 0) & UINT32_MAX, 78);
    ck_assert_uint_eq(word(at, 8), 2);
    ck_assert_uint_eq(word(at, 16), 1 + event * CPUS);
    ck_assert_str_eq((const char *)at + 24, events[event].name);
}

START_TEST(perfdata_pipe)
{
    static unsigned char file[1 << 16];

    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        struct perfdata p = make(&kinds[i], true);
        static struct bytes_made expected;
        size_t at = 16;
        size_t n;

        perfdata_begin(&p);
        write_samples(&p);
        perfdata_so_far(&p);
        perfdata_end(&p);
        n = read_all(&p, file, sizeof(file));
        ck_assert(memcmp(file, "PERFILE2", 8) == 0 && word(file, 8) == 16);
        for (unsigned event = 0; event < 2; event++) {
            const struct perf_event_attr attr = attr_of(event, &p);

            ck_assert_uint_eq(word(file, at), 64 | (uint64_t)(8 + ATTR + CPUS * 8) << 48);
            ck_assert_mem_eq(file + at + 8, &attr, ATTR);
            ck_assert_uint_eq(word(file, at + 8 + ATTR), 1 + event * CPUS);
            at += word(file, at) >> 48;
            check_name(file + at, event);
            at += word(file, at) >> 48;
        }
        for (unsigned feature = 0; feature < 256; feature++) {
            if (make_feature(feature, &p, &expected)) {
                size_t size = (16 + expected.n + 7) / 8 * 8;

                ck_assert_msg(word(file, at) == (80 | (uint64_t)size << 48) &&
                                  word(file, at + 8) == feature &&
                                  memcmp(file + at + 16, expected.at, expected.n) == 0,
                              "kind %zu: feature %u", i, feature);
                at += size;
            }
        }
        expected.n = 0;
        add_build_id(&expected);
        ck_assert_mem_eq(file + at, expected.at, expected.n);
        at += expected.n;
        ck_assert_uint_eq(word(file, at) & UINT32_MAX, PERF_RECORD_SAMPLE);
        at += word(file, at) >> 48;
        at += word(file, at) >> 48;
        /* PERF_RECORD_FINISHED_ROUND, and nothing behind it. */
        ck_assert(word(file, at) == (68 | 8ull << 48) && n == at + 8);
        fclose(p.file);
        perfdata_free(&p);
    }
}
END_TEST

/*
 * Each record with functions in a pipe has some: it is larger than one with the kernel's path. perf
 * reads eight bytes at a time.
 */
static bool check_symbol_records(struct perfdata *p)
{
    static unsigned char file[1 << 18];
    size_t n = read_all(p, file, sizeof(file));
    size_t records = 0;

    for (size_t at = 16; at < n; at += word(file, at) >> 48) {
        if ((word(file, at) & UINT32_MAX) == 65) {
            ck_assert_uint_gt(word(file, at) >> 48, 64);
            ck_assert_uint_eq((word(file, at) >> 48) % 8, 0);
            records++;
        }
    }
    return records > 1;
}

/* Functions that were used are read again, from files and from pipes, also many of them. */
START_TEST(perfdata_functions)
{
    enum {
        MANY = 3000
    };
    static bool used[MANY];
    struct functions functions = {0};
    struct error t = {0};

    for (unsigned i = 0; i < MANY; i++) {
        char name[64];

        snprintf(name, sizeof(name), "function_with_a_rather_long_name_%u", i);
        used[i] = i % 3 != 1;
        ck_assert_int_eq(
            functions_add(
                &functions,
                &(struct function){.start = 0x1000 + 16 * i, .end = 0x1008 + 16 * i, .name = name},
                &t),
            0);
    }
    ck_assert_int_eq(functions_sort(&functions, &t), 0);
    for (unsigned pipe = 0; pipe < 2; pipe++) {
        static const struct perfreader_ops none;
        struct perfdata p = make(&kinds[0], pipe);
        struct perfreader r = {.name = "FILE", .stop_fd = -1};
        struct functions read = {0};

        p.functions = &functions;
        p.used = used;
        perfdata_begin(&p);
        write_samples(&p);
        perfdata_end(&p);
        ck_assert(!pipe || check_symbol_records(&p));
        rewind(p.file);
        ck_assert_int_eq(perfreader_open(&r, p.file, &t), 0);
        ck_assert_int_eq(perfreader_functions(&r, &read, &t), 0);
        ck_assert_int_eq(perfreader_walk(&r, &none, NULL, &t), 0);
        ck_assert_int_eq(functions_sort(&read, &t), 0);
        ck_assert_uint_eq(read.n, 2 * MANY / 3);
        for (unsigned i = 0; i < MANY; i++) {
            const struct function *f = functions_find(&read, 0x1007 + 16 * i);

            ck_assert_int_eq(used[i], f != NULL);
            ck_assert(!f || strcmp(f->name, functions.function[i].name) == 0);
            ck_assert_ptr_null(functions_find(&read, 0x1008 + 16 * i));
        }
        ck_assert_uint_eq(r.events.n, 2);
        ck_assert_str_eq(r.events.event[1].name, "instructions");
        ck_assert_uint_eq(r.events.event[1].attr.sample_period, 99);
        for (unsigned id = 0; id < 2 * CPUS; id++) {
            ck_assert_uint_eq(perfevents_find(&r.events, 1 + id)->event, id / CPUS);
        }
        functions_free(&read);
        perfreader_close(&r);
        fclose(p.file);
        perfdata_free(&p);
    }
    functions_free(&functions);
}
END_TEST

static int see_program(void *opaque, const struct filesymbols *from, struct error *t)
{
    char *seen = opaque;

    (void)t;
    ck_assert_uint_eq(from->functions->n, 1);
    sprintf(seen + strlen(seen), "%s %llx %llx %s, ", from->path, (unsigned long long)from->address,
            (unsigned long long)from->offset, from->functions->function[0].name);
    return 0;
}

/* Files of programs are written and read with and without functions of the kernel. */
START_TEST(perfdata_programs)
{
    struct function one[] = {{.start = 0x1000, .end = 0x1010, .name = (char[]){"one"}}};
    struct function two[] = {{.start = 0x2000, .end = 0x2010, .name = (char[]){"two"}}};
    const struct functions ones = {.function = one, .n = 1}, twos = {.function = two, .n = 1};
    static const bool used[] = {true};
    const struct filesymbols programs[] = {
        {.path = "p", .address = 0x1000, .functions = &ones, .used = used},
        {.path = "/two", .address = 0x2000, .offset = 0x800, .functions = &twos, .used = used},
        {.path = "/beyond", .address = 0x2000, .functions = &twos, .used = used},
    };
    static const char *const expected[] = {"", "p 1000 0 one, ",
                                           "p 1000 0 one, /two 2000 800 two, "};

    for (size_t i = 0; i < 2 * COUNT_OF(expected); i++) {
        struct perfdata p = make(&kinds[0], false);
        struct perfreader r = {.name = "FILE", .stop_fd = -1};
        struct functions read = {0};
        struct error t = {0};
        char seen[128] = "";

        p.functions = i % 2 ? &ones : NULL;
        p.used = used;
        p.programs = programs;
        p.n_programs = i / 2;
        perfdata_begin(&p);
        write_samples(&p);
        perfdata_end(&p);
        ck_assert_int_eq(perfreader_open(&r, p.file, &t), 0);
        ck_assert_int_eq(perfreader_programs(&r, see_program, seen, &t), 0);
        ck_assert_str_eq(seen, expected[i / 2]);
        ck_assert_int_eq(perfreader_functions(&r, &read, &t), 0);
        ck_assert_uint_eq(read.n, i % 2);
        functions_free(&read);
        perfreader_close(&r);
        fclose(p.file);
        perfdata_free(&p);
    }
}
END_TEST

/* Two recordings without a build ID have the same one if they are of the same run. */
START_TEST(perfdata_made_ids)
{
    char *const other[] = {(char[]){"record"}, (char[]){"-F98"}};
    static char a[] = "a", b[] = "b";
    static struct function named[] = {
        {.start = 1, .name = a}, {.start = 1, .name = b}, {.start = 2, .name = a}};
    static const struct functions functions[] = {{.function = &named[0], .n = 1},
                                                 {.function = &named[1], .n = 1},
                                                 {.function = &named[2], .n = 1},
                                                 {.function = &named[0], .n = 2}};
    static const bool used[2];
    unsigned char seen[13][20];
    size_t n = 0;

    for (size_t i = 0; i < COUNT_OF(seen); i++) {
        static unsigned char file[1 << 14];
        struct perfdata p = make(&kinds[0], true);
        char *const first[] = {(char[]){"other"}, p.command[1]};
        size_t at = 16;

        p.build_id = NULL;
        p.used = used;
        p.start = i == 1;
        p.arch = i == 2 ? "arm" : p.arch;
        p.host = i == 3 ? "other" : p.host;
        p.release = i == 4 ? NULL : i == 5 ? "6.13" : p.release;
        p.command = i == 6 ? other : i == 12 ? first : p.command;
        p.words = i == 7 ? 1 : p.words;
        p.functions = i >= 8 && i < 12 ? &functions[i - 8] : NULL;
        perfdata_begin(&p);
        read_all(&p, file, sizeof(file));
        while ((word(file, at) & UINT32_MAX) != 67) {
            at += word(file, at) >> 48;
        }
        memcpy(seen[i], file + at + 12, 20);
        for (size_t before = 0; before < i; before++) {
            n += memcmp(seen[before], seen[i], 20) == 0;
        }
        fclose(p.file);
        perfdata_free(&p);
    }
    ck_assert_uint_eq(n, 0);
}
END_TEST

/* The build ID of a recording of this command, which has none of its own */
static void made_id(char *const *words, uint64_t start, unsigned char id[20])
{
    static unsigned char file[1 << 14];
    struct perfdata p = make(&kinds[0], true);
    size_t at = 16;

    p.build_id = NULL;
    p.start = start;
    p.command = words;
    perfdata_begin(&p);
    read_all(&p, file, sizeof(file));
    while ((word(file, at) & UINT32_MAX) != 67) {
        at += word(file, at) >> 48;
    }
    memcpy(id, file + at + 12, 20);
    fclose(p.file);
    perfdata_free(&p);
}

/* The same run has the same ID. Each byte depends on the run, and so does the end of each word. */
START_TEST(perfdata_made_id_bytes)
{
    char *const one[] = {(char[]){"a"}, (char[]){"bc"}}, *const two[] = {(char[]){"ab"},
                                                                         one[1] + 1};
    unsigned char ids[8][20], again[20], other[20];
    bool differs[20] = {false};

    for (unsigned i = 0; i < COUNT_OF(ids); i++) {
        made_id(one, i, ids[i]);
        for (size_t byte = 0; byte < sizeof(again); byte++) {
            differs[byte] |= ids[i][byte] != ids[0][byte];
        }
    }
    for (size_t byte = 0; byte < sizeof(again); byte++) {
        ck_assert_msg(differs[byte], "byte %zu", byte);
    }
    made_id(one, 0, again);
    ck_assert_mem_eq(again, ids[0], sizeof(again));
    ck_assert_mem_ne(ids[0], ids[0] + 1, sizeof(again) - 1);
    made_id(two, 0, other);
    ck_assert_mem_ne(other, ids[0], sizeof(other));
}
END_TEST

Suite *perfdata_files_suite(void)
{
    const TTest *const tests[] = {perfdata_without_samples, perfdata_whole,    perfdata_pipe,
                                  perfdata_functions,       perfdata_programs, perfdata_made_ids,
                                  perfdata_made_id_bytes};

    return suite_of("perfdata_files", tests, COUNT_OF(tests));
}
