/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests call trees, children and filters of reports, with a synthetic file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options/call-graph-option.h"
#include "fixtures/perffiles.h"
#include "profile/report.h"
#include "unit/tests.h"

static const char kallsyms[] = "1000 T _text\n"
                               "1000 T main\n"
                               "1100 T parse\n"
                               "1200 T copy\n"
                               "1300 T idle\n";

#define CHAIN(...)                                                                                 \
    .chain = (const uint64_t[]){PERF_CONTEXT_KERNEL, __VA_ARGS__},                                 \
    .n_chain = sizeof((const uint64_t[]){PERF_CONTEXT_KERNEL, __VA_ARGS__}) / sizeof(uint64_t)

#define SAMPLE .mode = 1, .id = 1, .time = 5

/*
 * 60 samples in copy, of which parse calls 40; 20 in main; 15 in parse, which calls itself; 5 idle.
 */
static void make_file(struct made_file *m)
{
    const struct made_sample samples[] = {
        {SAMPLE, .ip = 0x1204, .tid = 7, .period = 40, CHAIN(0x1204, 0x1108, 0x1008)},
        {SAMPLE, .ip = 0x1208, .tid = 7, .period = 20, CHAIN(0x1208, 0x1008)},
        {SAMPLE, .ip = 0x1010, .tid = 7, .period = 20, CHAIN(0x1010)},
        {SAMPLE, .ip = 0x1104, .tid = 7, .period = 15, CHAIN(0x1104, 0x1108, 0x1108, 0x1008)},
        {SAMPLE, .ip = 0x1300, .tid = 8, .period = 5},
    };

    perffiles_begin(m, false, PERFFILES_TYPE | PERF_SAMPLE_CALLCHAIN);
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        perffiles_sample(m, &samples[i]);
    }
    perffiles_comm(m, 7, 5, "prog");
    perffiles_end(m);
}

/* Returns the table of the first event, which the caller frees. */
static char *print(struct report *r, const char *sort, enum out_kind kind)
{
    static const struct programs none;
    char path[sizeof(TEMPORARY_PATH)];
    struct made_file m;
    struct profile p = {0};
    struct error t = {0};
    struct sample_input g = {
        .kallsyms = path, .programs = &none, .key = report_key, .opaque = r, .profile = &p};
    struct out out = {.kind = kind};
    char *text = NULL;
    size_t size;
    char *end;

    ck_assert_int_eq(report_choose(r, sort, &t), 0);
    make_temporary(path, kallsyms, strlen(kallsyms));
    make_file(&m);
    g.input = perffiles_save(&m);
    ck_assert_msg(sample_input_read(&g, -1, &t) == 0, "%s", t.text);
    unlink(path);
    out.text = open_memstream(&text, &size);
    ck_assert_int_eq(report_print(r, &p, 0, &out, &t), 0);
    fclose(out.text);
    profile_free(&p);
    end = strstr(text, "# Samples: 0 of event 'event-b'");
    if (end) {
        *end = '\0';
    }
    return text;
}

#define HEAD                                                                                       \
    "# Samples: 5 of event 'event-a'\n"                                                            \
    "# Event count: 100\n"                                                                         \
    "#\n"

static const struct {
    struct report r;
    const char *sort;
    const char *text;
} tables[] = {
    /* A recursive function has each sample once. */
    {{.children = true},
     "sym",
     HEAD "# Children      Self  Samples  Period  Symbol\n"
          "# ........  ........  .......  ......  .........\n"
          "#\n"
          "    95.00%    20.00%        1      20  [k] main\n"
          "    60.00%    60.00%        2      60  [k] copy\n"
          "    55.00%    15.00%        1      15  [k] parse\n"
          "     5.00%     5.00%        1       5  [k] idle\n"
          "\n"},
    /* The dso of a row is that of its function. */
    {{.children = true, .filter = {.symbols = "nothing,idle"}},
     "comm,dso,sym",
     HEAD "# Children      Self  Samples  Period  Command  Shared Object      Symbol\n"
          "# ........  ........  .......  ......  .......  .................  ........\n"
          "#\n"
          "     5.00%     5.00%        1       5  :8       [kernel.kallsyms]  [k] idle\n"
          "\n"},
    /* Filtered samples are still part of 100 %. */
    {{.filter = {.comms = "prog"}},
     "comm",
     HEAD "# Overhead  Samples  Period  Command\n"
          "# ........  .......  ......  .......\n"
          "#\n"
          "    95.00%        4      95  prog\n"
          "\n"},
    {{.filter = {.dsos = "[unknown]"}},
     "dso",
     HEAD "# Overhead  Samples  Period  Shared Object\n"
          "# ........  .......  ......  .............\n"
          "#\n"
          "\n"},
    {{.children = true, .percent_limit = 60},
     "sym",
     HEAD "# Children      Self  Samples  Period  Symbol\n"
          "# ........  ........  .......  ......  ........\n"
          "#\n"
          "    95.00%    20.00%        1      20  [k] main\n"
          "    60.00%    60.00%        2      60  [k] copy\n"
          "# and 2 more\n"
          "\n"},
    {{.percent_limit = 15.1},
     "sym",
     HEAD "# Overhead  Samples  Period  Symbol\n"
          "# ........  .......  ......  ........\n"
          "#\n"
          "    60.00%        2      60  [k] copy\n"
          "    20.00%        1      20  [k] main\n"
          "# and 2 more, 20.00%\n"
          "\n"},
    {{.graph = true, .threshold = 16},
     "sym",
     HEAD "# Overhead  Samples  Period  Symbol\n"
          "# ........  .......  ......  .........\n"
          "#\n"
          "    60.00%        2      60  [k] copy\n"
          "            |\n"
          "            ---copy\n"
          "               |\n"
          "               |--40.00%--parse\n"
          "               |          main\n"
          "               |\n"
          "                --20.00%--main\n"
          "\n"
          "    20.00%        1      20  [k] main\n"
          "            |\n"
          "            ---main\n"
          "\n"
          "    15.00%        1      15  [k] parse\n"
          "     5.00%        1       5  [k] idle\n"
          "\n"},
    {{.graph = true, .children = true, .caller = true, .fractal = true, .threshold = 57},
     "sym",
     HEAD "# Children      Self  Samples  Period  Symbol\n"
          "# ........  ........  .......  ......  .........\n"
          "#\n"
          "    95.00%    20.00%        1      20  [k] main\n"
          "            |\n"
          "            ---main\n"
          "               |\n"
          "                --57.89%--parse\n"
          "                          |\n"
          "                           --72.73%--copy\n"
          "\n"
          "    60.00%    60.00%        2      60  [k] copy\n"
          "            |\n"
          "            ---main\n"
          "               |\n"
          "                --66.67%--parse\n"
          "                          copy\n"
          "\n"
          "    55.00%    15.00%        1      15  [k] parse\n"
          "     5.00%     5.00%        1       5  [k] idle\n"
          "\n"},
};

START_TEST(report_tables)
{
    for (size_t i = 0; i < COUNT_OF(tables); i++) {
        struct report r = tables[i].r;
        char *text = print(&r, tables[i].sort, OUT_TEXT);

        ck_assert_str_eq(text, tables[i].text);
        free(text);
    }
}
END_TEST

/* As in perf, the file of a module's function is the name of the module in brackets. */
START_TEST(report_modules)
{
    static const char list[] = "1000 T _text\n"
                               "1100 T core\n"
                               "9000 t probe\t[virtio\x1b_net]\n";
    static const struct programs none;
    char path[sizeof(TEMPORARY_PATH)];
    struct made_file m;
    struct report r = {0};
    struct profile p = {0};
    struct error t = {0};
    struct sample_input g = {
        .kallsyms = path, .programs = &none, .key = report_key, .opaque = &r, .profile = &p};
    struct out out = {.kind = OUT_CSV, .separator = ";"};
    char *text = NULL;
    size_t size;

    ck_assert_int_eq(report_choose(&r, "dso,sym", &t), 0);
    make_temporary(path, list, strlen(list));
    perffiles_begin(&m, false, PERFFILES_TYPE);
    perffiles_sample(&m, &(struct made_sample){SAMPLE, .ip = 0x9004, .tid = 7, .period = 70});
    perffiles_sample(&m, &(struct made_sample){SAMPLE, .ip = 0x1104, .tid = 7, .period = 30});
    perffiles_end(&m);
    g.input = perffiles_save(&m);
    ck_assert_msg(sample_input_read(&g, -1, &t) == 0, "%s", t.text);
    unlink(path);
    out.text = open_memstream(&text, &size);
    ck_assert_int_eq(report_print(&r, &p, 0, &out, &t), 0);
    fclose(out.text);
    profile_free(&p);
    ck_assert_str_eq(text, "event-a;70.00;1;70;2;100;0;[virtio?_net];k;probe\n"
                           "event-a;30.00;1;30;2;100;0;[kernel.kallsyms];k;core\n");
    free(text);
}
END_TEST

START_TEST(report_children_records)
{
    struct report r = {.children = true, .filter = {.comms = "prog"}};
    char *text = print(&r, "sym", OUT_JSON);

    ck_assert_ptr_nonnull(strstr(text, "{\"event\":\"event-a\",\"overhead\":20.00,\"samples\":1,"
                                       "\"period\":20,\"event-samples\":5,\"event-period\":100,"
                                       "\"event-lost\":0,\"children\":95.00,\"children-period\":95,"
                                       "\"level\":\"k\",\"sym\":\"main\"}\n"));
    ck_assert_ptr_null(strstr(text, "idle"));
    free(text);
}
END_TEST

/* A profile in valgrind's format has lines of the source, not samples. */
START_TEST(report_lines)
{
    static const char file[] = "# callgrind format\nversion: 1\npositions: line\nevents: Ir Dr\n"
                               "ob=/bin/a\nfl=a.c\nfn=main\n3 1200 4\n5 300 0\n"
                               "fn=f\n9 500 1\ntotals: 2000 5\n";
    static const struct {
        enum out_kind kind;
        const char *text;
    } rows[] = {
        {OUT_TEXT, "# Lines: 3 of event 'Ir'\n# Event count: 2,000\n#\n"
                   "# Overhead  Lines     Ir  Symbol\n"
                   "# ........  .....  .....  ........\n#\n"
                   "    75.00%      2  1,500  [.] main\n"
                   "    25.00%      1    500  [.] f\n\n"},
        {OUT_JSON, "{\"event\":\"Ir\",\"overhead\":75.00,\"lines\":2,\"period\":1500,"
                   "\"event-lines\":3,\"event-period\":2000,"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char path[sizeof(TEMPORARY_PATH)];
        struct report r = {0};
        struct profile p = {0};
        struct error t = {0};
        struct sample_input g = {.input = path,
                                 .key = report_key,
                                 .line_key = report_line_key,
                                 .opaque = &r,
                                 .profile = &p};
        struct out out = {.kind = rows[i].kind};
        char *text = NULL;
        size_t size;

        ck_assert_int_eq(report_choose(&r, "sym", &t), 0);
        make_temporary(path, file, strlen(file));
        ck_assert_msg(sample_input_read(&g, -1, &t) == 0, "%s", t.text);
        unlink(path);
        out.text = open_memstream(&text, &size);
        ck_assert_int_eq(report_print(&r, &p, 0, &out, &t), 0);
        fclose(out.text);
        profile_free(&p);
        ck_assert_ptr_nonnull(strstr(text, rows[i].text));
        free(text);
    }
}
END_TEST

START_TEST(call_graph_option)
{
    static const struct {
        const char *text;
        bool graph;
        bool fractal;
        bool caller;
        double threshold;
        unsigned limit;
    } rows[] = {
        {NULL, true, false, false, 0.5, 0},
        {"graph,0.25,caller", true, false, true, 0.25, 0},
        {"fractal,1,10,caller,function,percent", true, true, true, 1, 10},
        {"caller,callee", true, false, false, 0.5, 0},
        {"none", false, false, false, 0.5, 0},
    };
    static const char *const refused[] = {"flat",       "caller,address",
                                          "1,2,3",      "-1",
                                          "graph,0.5x", "a-word-that-is-longer-than-any-of-them"};
    struct error t = {0};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct report r = {.threshold = 0.5};

        ck_assert_int_eq(call_graph_option_parse(&r, rows[i].text, &t), 0);
        ck_assert_int_eq(r.graph, rows[i].graph);
        ck_assert_int_eq(r.fractal, rows[i].fractal);
        ck_assert_int_eq(r.caller, rows[i].caller);
        ck_assert_double_eq(r.threshold, rows[i].threshold);
        ck_assert_uint_eq(r.limit, rows[i].limit);
    }
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        struct report r = {0};

        ck_assert_msg(call_graph_option_parse(&r, refused[i], &t) == -1, "%s", refused[i]);
        ck_assert_int_eq(t.code, ERROR_USAGE);
    }
}
END_TEST

Suite *report_suite(void)
{
    const TTest *const tests[] = {report_tables, report_modules, report_children_records,
                                  report_lines, call_graph_option};

    return suite_of("report", tests, COUNT_OF(tests));
}
