/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a synthetic file to the printed and converted results. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "export/flamegraph.h"
#include "export/folded.h"
#include "fixtures/perffiles.h"
#include "export/pprof.h"
#include "base/protobuf.h"
#include "profile/report.h"
#include "profile/stacks.h"
#include "unit/tests.h"

/* The kernel ran 0x100000 above these addresses. */
static const char kallsyms[] = "1000 T _text\n"
                               "1100 T idle\n"
                               "1200 T caller\n"
                               "1300 T a;<b>\n";

#define CHAIN(...)                                                                                 \
    .chain = (const uint64_t[]){__VA_ARGS__},                                                      \
    .n_chain = sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t)

/*
 * One thread with a name, two without, in two worlds. Names contain characters that must be
 * replaced.
 */
static void make_file(struct made_file *m)
{
    const struct made_sample samples[] = {
        {.mode = 1,
         .id = 1,
         .ip = 0x101104,
         .tid = 7,
         .time = 5,
         .period = 100,
         .cgroup = 1,
         CHAIN(PERF_CONTEXT_KERNEL, 0x101104, 0x101208, PERF_CONTEXT_USER, 0x400, 0x500)},
        {.mode = 1,
         .id = 1,
         .ip = 0x101108,
         .tid = 7,
         .time = 6,
         .period = 100,
         .cgroup = 2,
         CHAIN(PERF_CONTEXT_KERNEL, 0x101108, 0x101208, PERF_CONTEXT_USER, 0x404, 0x500)},
        /* The return address is where the next function begins. */
        {.mode = 1,
         .id = 1,
         .ip = 0x101304,
         .tid = 8,
         .time = 7,
         .cpu = 1,
         .period = 50,
         CHAIN(PERF_CONTEXT_KERNEL, 0x101304, 0x101300)},
        {.mode = 2, .id = 1, .ip = 0x404, .tid = 0, .time = 1, .cpu = 1, .period = 25},
        {.mode = 3, .id = 2, .ip = 0x99, .tid = 7, .time = 4, .period = 3},
    };

    perffiles_begin(m, false, PERFFILES_TYPE | PERF_SAMPLE_CALLCHAIN);
    perffiles_world(m, 1, "/host");
    perffiles_world(m, 2, "/guest;1");
    perffiles_kernel(m, 0x101000);
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        perffiles_sample(m, &samples[i]);
    }
    perffiles_comm(m, 7, 5, "my \x1bprog");
    perffiles_lost(m, 1, 1234);
    perffiles_end(m);
}

/* The results of reading a file. */
struct gathered {
    struct profile p;
    struct stacks_options stacks;
    struct report report;
    struct programs programs;
    struct error t;
};

static void sample_input_file(struct gathered *to, sample_input_key key, const void *opaque)
{
    char path[sizeof(TEMPORARY_PATH)];
    struct made_file m;
    struct sample_input g = {.kallsyms = path,
                             .programs = &to->programs,
                             .key = key,
                             .opaque = opaque,
                             .profile = &to->p};

    make_temporary(path, kallsyms, strlen(kallsyms));
    make_file(&m);
    g.input = perffiles_save(&m);
    ck_assert_msg(sample_input_read(&g, -1, &to->t) == 0, "%s", to->t.text);
    unlink(path);
}

static const struct {
    const char *sort;
    size_t limit;
    bool addresses;
    const char *text;
} reports[] = {
    {"comm,sym", 0, false,
     "# Samples: 4 of event 'event-a', and 1,234 lost\n"
     "# Event count: 275\n"
     "#\n"
     "# Overhead  Samples  Period  Command   Symbol\n"
     "# ........  .......  ......  ........  .............\n"
     "#\n"
     "    72.73%        2     200  my ?prog  [k] idle\n"
     "    18.18%        1      50  :8        [k] a;<b>\n"
     "     9.09%        1      25  swapper   [.] [unknown]\n"
     "# 9.09% is in programs without names: --symfs, --debug-dir or --map\n"
     "\n"
     "# Samples: 1 of event 'event-b'\n"
     "# Event count: 3\n"
     "#\n"
     "# Overhead  Samples  Period  Command  Symbol\n"
     "# ........  .......  ......  .......  .............................\n"
     "#\n"
     "   100.00%        1       3  :7       [H] [unknown] in [hypervisor]\n"
     "\n"},
    {"sym", 1, true,
     "# Samples: 4 of event 'event-a', and 1,234 lost\n"
     "# Event count: 275\n"
     "#\n"
     "# Overhead  Samples  Period  Symbol\n"
     "# ........  .......  ......  ........\n"
     "#\n"
     "    72.73%        2     200  [k] idle\n"
     "# and 2 more, 27.27%\n"
     "# 9.09% is in programs without names: --symfs, --debug-dir or --map\n"
     "\n"
     "# Samples: 1 of event 'event-b'\n"
     "# Event count: 3\n"
     "#\n"
     "# Overhead  Samples  Period  Symbol\n"
     "# ........  .......  ......  ......................\n"
     "#\n"
     "   100.00%        1       3  [H] 0x0000000000000099\n"
     "\n"},
    {"cpu,cgroup,tid,pid,event,ip", 1, false,
     "# Samples: 4 of event 'event-a', and 1,234 lost\n"
     "# Event count: 275\n"
     "#\n"
     "# Overhead  Samples  Period  CPU  Cgroup    Tid  Pid  Event    Address\n"
     "# ........  .......  ......  ...  ........  ...  ...  .......  ..................\n"
     "#\n"
     "    36.36%        1     100  0    /guest;1  7    7    event-a  0x0000000000101108\n"
     "# and 3 more, 63.64%\n"
     "\n"
     "# Samples: 1 of event 'event-b'\n"
     "# Event count: 3\n"
     "#\n"
     "# Overhead  Samples  Period  CPU  Cgroup  Tid  Pid  Event    Address\n"
     "# ........  .......  ......  ...  ......  ...  ...  .......  ..................\n"
     "#\n"
     "   100.00%        1       3  0    N/A     7    7    event-b  0x0000000000000099\n"
     "\n"},
};

START_TEST(profile_reports)
{
    for (size_t i = 0; i < COUNT_OF(reports); i++) {
        static struct gathered g;
        struct out out = {0};
        char *text = NULL;
        size_t size;

        g = (struct gathered){0};
        ck_assert_int_eq(report_choose(&g.report, reports[i].sort, &g.t), 0);
        g.report.addresses = reports[i].addresses;
        sample_input_file(&g, report_key, &g.report);
        out.text = open_memstream(&text, &size);
        ck_assert_int_eq(report_print(&g.report, &g.p, reports[i].limit, &out, &g.t), 0);
        fclose(out.text);
        ck_assert_str_eq(text, reports[i].text);
        free(text);
        profile_free(&g.p);
    }
}
END_TEST

START_TEST(profile_records)
{
    static struct gathered g;
    struct out out = {.kind = OUT_JSON};
    char *text = NULL;
    size_t size;

    ck_assert_int_eq(report_choose(&g.report, "symbol", &g.t), 0);
    sample_input_file(&g, report_key, &g.report);
    out.text = open_memstream(&text, &size);
    ck_assert_int_eq(report_print(&g.report, &g.p, 1, &out, &g.t), 0);
    fclose(out.text);
    ck_assert_str_eq(
        text,
        "{\"event\":\"event-a\",\"overhead\":72.73,\"samples\":2,\"period\":200,\"event-samples\":"
        "4,"
        "\"event-period\":275,\"event-lost\":1234,\"level\":\"k\",\"sym\":\"idle\"}\n"
        "{\"event\":\"event-b\",\"overhead\":100.00,\"samples\":1,\"period\":3,\"event-samples\":1,"
        "\"event-period\":3,\"event-lost\":0,\"level\":\"H\",\"sym\":\"[unknown] in "
        "[hypervisor]\"}\n");
    free(text);
    profile_free(&g.p);
}
END_TEST

START_TEST(columns_refused)
{
    static const char *const lists[] = {"",
                                        "comm,",
                                        ",comm",
                                        "nonsense",
                                        "comm;sym",
                                        "cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu,"
                                        "cpu,cpu,cpu,cpu,cpu,cpu"};

    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        struct report r = {0};
        struct error t = {0};

        ck_assert_msg(report_choose(&r, lists[i], &t) == -1, "'%s' was taken", lists[i]);
        ck_assert_int_eq(t.code, ERROR_USAGE);
    }
}
END_TEST

START_TEST(profile_folded)
{
    static const struct {
        struct stacks_options stacks;
        unsigned event;
        bool by_samples;
        const char *text;
    } rows[] = {
        {{0},
         0,
         false,
         ":8;caller;a:<b> 50\n"
         "my_?prog;[unknown];[unknown];caller;idle 200\n"
         "swapper;[unknown] 25\n"},
        {{.addresses = true},
         0,
         true,
         ":8;caller;a:<b> 1\n"
         "my_?prog;0x500;0x400;caller;idle 1\n"
         "my_?prog;0x500;0x404;caller;idle 1\n"
         "swapper;0x404 1\n"},
        {{.worlds = true},
         0,
         false,
         "/guest:1;my_?prog;[unknown];[unknown];caller;idle 100\n"
         "/host;my_?prog;[unknown];[unknown];caller;idle 100\n"
         "N/A;:8;caller;a:<b> 50\n"
         "N/A;swapper;[unknown] 25\n"},
        {{0}, 1, false, ":7;[unknown] 3\n"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        static struct gathered g;
        char *text = NULL;
        size_t size;
        FILE *file = open_memstream(&text, &size);

        g = (struct gathered){.stacks = rows[i].stacks};
        sample_input_file(&g, stacks_key, &g.stacks);
        ck_assert_int_eq(folded_write(&g.p, rows[i].event, rows[i].by_samples, file, &g.t), 0);
        fclose(file);
        ck_assert_str_eq(text, rows[i].text);
        free(text);
        profile_free(&g.p);
    }
}
END_TEST

/* Functions of a program that was loaded at 0x100. */
START_TEST(profile_programs)
{
    static const char *const wanted = ":8;caller;a:<b> 50\n"
                                      "my_?prog;main;enter;caller;idle 200\n"
                                      "swapper;[unknown] 25\n";
    static struct gathered g = {.programs = {.n = 1, .program[0].base = 0x100}};
    static const struct function functions[] = {{.start = 0x200, .end = 0x300, .name = "other"},
                                                {.start = 0x300, .end = 0x3f0, .name = "enter"},
                                                {.start = 0x3f0, .end = 0x400, .name = "main"}};
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    g.programs.program[0].comm = strdup("my ?prog");
    for (size_t i = 0; i < COUNT_OF(functions); i++) {
        functions_add(&g.programs.program[0].functions, &functions[i], &g.t);
    }
    ck_assert_int_eq(functions_sort(&g.programs.program[0].functions, &g.t), 0);
    sample_input_file(&g, stacks_key, &g.stacks);
    ck_assert_int_eq(folded_write(&g.p, 0, false, file, &g.t), 0);
    fclose(file);
    ck_assert_str_eq(text, wanted);
    free(text);
    profile_free(&g.p);
    programs_free(&g.programs);
}
END_TEST

/* How to name code of a kernel depends on whether other functions of it are known. */
START_TEST(report_hints)
{
    static const struct {
        bool has_kernel;
        const char *text;
    } rows[] = {
        {false, "# 100.00% is in a kernel or firmware without names: --kallsyms or --vmlinux\n"},
        {true, "# 100.00% is in kernel modules or generated code without names: --kallsyms with a "
               "copy of the guest's /proc/kallsyms\n"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct report r = {.has_kernel = rows[i].has_kernel};
        struct profile p = {0};
        struct error t = {0};
        struct out out = {0};
        char *text = NULL;
        uint32_t key;
        size_t size;

        ck_assert_int_eq(report_choose(&r, "sym", &t), 0);
        ck_assert_int_eq(profile_events(&p, 1, &t), 0);
        p.event[0].name = "cycles";
        string_table_number(&p.texts, "[k] [unknown]", &key, &t);
        ck_assert_int_eq(profile_add(&p, 0, 5, &key, 1, &t), 0);
        out.text = open_memstream(&text, &size);
        ck_assert_int_eq(report_print(&r, &p, 0, &out, &t), 0);
        fclose(out.text);
        ck_assert_msg(strstr(text, rows[i].text) != NULL, "%s", text);
        free(text);
        profile_free(&p);
    }
}
END_TEST

/* Whole lines are sorted, not their parts. */
START_TEST(folded_order)
{
    static const char *const stacks[][2] = {{"a", "x"}, {"a", "b"}, {"a-b", "c"}, {"aa", "a"}};
    struct profile p = {0};
    struct error t = {0};
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    ck_assert_int_eq(profile_events(&p, 1, &t), 0);
    for (size_t i = 0; i < COUNT_OF(stacks); i++) {
        uint32_t key[3];

        string_table_number(&p.texts, "", &key[0], &t);
        string_table_number(&p.texts, stacks[i][0], &key[1], &t);
        string_table_number(&p.texts, stacks[i][1], &key[2], &t);
        ck_assert_int_eq(profile_add(&p, 0, 1, key, 3, &t), 0);
        ck_assert_int_eq(profile_add(&p, 0, 1, key, 2, &t), 0);
    }
    ck_assert_int_eq(folded_write(&p, 0, false, file, &t), 0);
    fclose(file);
    ck_assert_str_eq(text, "a 2\na-b 1\na-b;c 1\na;b 1\na;x 1\naa 1\naa;a 1\n");
    free(text);
    profile_free(&p);
}
END_TEST

/* The frames, their sums and their positions. Special characters of XML are quoted. */
START_TEST(profile_flamegraph)
{
    static const char *const wanted[] = {
        "<title>all (4 samples, 275 event-a, 100.00%)</title><rect x=\"10.00\" y=\"156\" "
        "width=\"1200.00\"",
        "<title>my_?prog (2 samples, 200 event-a, 72.73%)</title><rect x=\"228.18\" y=\"140\" "
        "width=\"872.73\"",
        "<title>idle (2 samples, 200 event-a, 72.73%)</title><rect x=\"228.18\" y=\"76\"",
        "<title>a:&lt;b&gt; (1 samples, 50 event-a, 18.18%)</title>",
        ">a:&lt;b&gt;</text>",
        "</script>\n</svg>\n",
    };
    static struct gathered g;
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    sample_input_file(&g, stacks_key, &g.stacks);
    profile_sort_by_key(&g.p);
    ck_assert_int_eq(flamegraph_write(&g.p, 0, false, 0, file, &g.t), 0);
    fclose(file);
    for (size_t i = 0; i < COUNT_OF(wanted); i++) {
        ck_assert_msg(strstr(text, wanted[i]), "expected %s in %s", wanted[i], text);
    }
    ck_assert_ptr_null(strstr(text, "<b>"));
    free(text);
    profile_free(&g.p);
}
END_TEST

/* One frame has 18.18 %. */
START_TEST(flamegraph_percent_limit)
{
    static struct gathered g;

    sample_input_file(&g, stacks_key, &g.stacks);
    profile_sort_by_key(&g.p);
    for (int limit = 18; limit <= 19; limit++) {
        char *text = NULL;
        size_t size;
        FILE *file = open_memstream(&text, &size);

        ck_assert_int_eq(flamegraph_write(&g.p, 0, false, limit, file, &g.t), 0);
        fclose(file);
        ck_assert_int_eq(strstr(text, "<title>a:&lt;b&gt; ") != NULL, limit == 18);
        ck_assert_ptr_nonnull(strstr(text, "72.73%"));
        free(text);
    }
    profile_free(&g.p);
}
END_TEST

static size_t unzip(const char *from, size_t size, char *to, size_t room)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)from,
                  .avail_in = (uInt)size,
                  .next_out = (Bytef *)to,
                  .avail_out = (uInt)room};

    ck_assert_int_eq(inflateInit2(&z, MAX_WBITS + 16), Z_OK);
    ck_assert_int_eq(inflate(&z, Z_FINISH), Z_STREAM_END);
    inflateEnd(&z);
    return z.total_out;
}

/* The smallest profile, byte by byte. In tests/record another decoder reads larger ones. */
START_TEST(profile_pprof)
{
    static const char wanted[] = "\x32\x00\x32\x07samples\x32\x05"
                                 "count\x32\x04"
                                 "comm\x32\x05"
                                 "world\x32\x07"
                                 "event-b"
                                 "\x0a\x04\x08\x01\x10\x02" /* samples/count */
                                 "\x0a\x04\x08\x05\x10\x02" /* event-b/count */
                                 "\x70\x05"                 /* is shown */
                                 "\x32\x03N/A\x32\x02:7\x32\x09[unknown]";
    static const char sample[] = "\x0a\x01?"        /* one function; the program numbers it */
                                 "\x12\x02\x01\x03" /* samples, period */
                                 "\x1a\x04\x08\x03\x10\x07\x1a\x04\x08\x04\x10\x06";
    static struct gathered g = {.stacks.worlds = true};
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    char plain[512];
    char *from;

    sample_input_file(&g, stacks_key, &g.stacks);
    profile_sort_by_key(&g.p);
    ck_assert_int_eq(pprof_write(&g.p, 1, file, &g.t), 0);
    fclose(file);
    size = unzip(text, size, plain, sizeof(plain));
    ck_assert(memcmp(plain, wanted, sizeof(wanted) - 1) == 0);
    from = plain + size - (sizeof(sample) - 1);
    from[2] = '?';
    ck_assert(memcmp(from, sample, sizeof(sample) - 1) == 0);
    free(text);
    profile_free(&g.p);
}
END_TEST

/*
 * An exact profile has one value, and its program in the place of threads. Other events whose
 * samples stand for all of them have two, such as the windows of --blackout.
 */
START_TEST(profile_pprof_exact)
{
    static const struct {
        const char *event;
        const char *types;
        const char *value;
    } rows[] = {
        {"Bc", "\x0a\x04\x08\x05\x10\x02\x70\x05", "\x12\x01\x03"},
        {"instructions:u", "\x0a\x04\x08\x05\x10\x02\x70\x05", "\x12\x01\x03"},
        {"blackout-exit", "\x0a\x04\x08\x01\x10\x02\x0a\x04\x08\x05\x10\x02\x70\x05",
         "\x12\x02\x01\x03"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct gathered g = {.stacks = {.worlds = true, .program = "bench"}};
        char *text = NULL;
        size_t size;
        FILE *file = open_memstream(&text, &size);
        char plain[512], types[64];
        int n = snprintf(types, sizeof(types),
                         "%s%s\x32\x03N/A\x32\x05"
                         "bench\x32\x09[unknown]",
                         rows[i].event, rows[i].types);

        sample_input_file(&g, stacks_key, &g.stacks);
        g.p.event[1].each = true;
        g.p.event[1].name = rows[i].event;
        ck_assert_int_eq(pprof_write(&g.p, 1, file, &g.t), 0);
        fclose(file);
        size = unzip(text, size, plain, sizeof(plain));
        ck_assert_msg(memmem(plain, size, types, (size_t)n) != NULL, "%s", rows[i].event);
        ck_assert_msg(memmem(plain, size, rows[i].value, strlen(rows[i].value)) != NULL, "%s",
                      rows[i].event);
        free(text);
        profile_free(&g.p);
    }
}
END_TEST

START_TEST(protobuf_numbers)
{
    static const struct {
        uint64_t value;
        const char *bytes;
        size_t n;
    } rows[] = {
        {0, "", 0},
        {1, "\x18\x01", 2},
        {127, "\x18\x7f", 2},
        {128, "\x18\x80\x01", 3},
        {300, "\x18\xac\x02", 3},
        {UINT64_MAX, "\x18\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct protobuf p = {0};

        protobuf_varint(&p, 3, rows[i].value);
        ck_assert_uint_eq(p.size, rows[i].n);
        ck_assert(p.size == 0 || memcmp(p.data, rows[i].bytes, rows[i].n) == 0);
        protobuf_free(&p);
    }
}
END_TEST

Suite *profile_suite(void)
{
    const TTest *const tests[] = {profile_reports, profile_records,     columns_refused,
                                  profile_folded,  profile_programs,    folded_order,
                                  report_hints,    profile_flamegraph,  flamegraph_percent_limit,
                                  profile_pprof,   profile_pprof_exact, protobuf_numbers};

    return suite_of("profile", tests, COUNT_OF(tests));
}
