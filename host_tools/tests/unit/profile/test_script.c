/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests samples as text, with a synthetic file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixtures/perffiles.h"
#include "profile/script.h"
#include "unit/tests.h"

static const char kallsyms[] = "1000 T _text\n"
                               "1000 T main\n"
                               "1100 T parse\n";

/* Linux's PERF_CONTEXT_USER_DEFERRED and a cookie are at the end. */
static const uint64_t chain[] = {PERF_CONTEXT_KERNEL, 0x1104, 0x1100, PERF_CONTEXT_USER, 0x400,
                                 (uint64_t)-640,      0x1234};

/* The later sample is first in the file. Samples with the same time keep their order. */
static void make_file(struct made_file *m)
{
    const struct made_sample samples[] = {
        {.mode = 1,
         .id = 1,
         .ip = 0x1104,
         .tid = 7,
         .time = 2000000999,
         .cpu = 3,
         .period = 40,
         .cgroup = 1,
         .chain = chain,
         .n_chain = COUNT_OF(chain)},
        {.mode = 2, .id = 2, .ip = 0xabcdef, .tid = 8, .time = 1999999, .period = 2},
        {.mode = 1, .id = 1, .ip = 0x1000, .tid = 0, .time = 1999999, .period = 1},
    };

    perffiles_begin(m, false, PERFFILES_TYPE | PERF_SAMPLE_CALLCHAIN);
    perffiles_world(m, 1, "/host");
    for (size_t i = 0; i < COUNT_OF(samples); i++) {
        perffiles_sample(m, &samples[i]);
    }
    perffiles_comm(m, 7, 5, "a \x1bprog");
    perffiles_end(m);
}

static char *print_with(const char *symbols, const struct script_options *o, enum out_kind kind)
{
    static const struct programs none;
    char path[sizeof(TEMPORARY_PATH)];
    struct made_file m;
    struct profile p = {0};
    struct error t = {0};
    struct script c = {.o = o, .out = {.kind = kind}};
    struct sample_input g = {
        .kallsyms = path, .programs = &none, .each = script_sample, .sink = &c, .profile = &p};
    struct out to = {.kind = kind};
    char *unsorted = NULL;
    char *text = NULL;
    size_t size[2];

    make_temporary(path, symbols, strlen(symbols));
    make_file(&m);
    g.input = perffiles_save(&m);
    c.out.text = open_memstream(&unsorted, &size[0]);
    ck_assert_msg(sample_input_read(&g, -1, &t) == 0, "%s", t.text);
    fclose(c.out.text);
    unlink(path);
    to.text = open_memstream(&text, &size[1]);
    ck_assert_int_eq(script_write(&c, unsorted, &to, &t), 0);
    fclose(to.text);
    free(unsorted);
    script_free(&c);
    profile_free(&p);
    return text;
}

static char *print(const struct script_options *o, enum out_kind kind)
{
    return print_with(kallsyms, o, kind);
}

static const struct {
    const char *fields;
    struct script_options o;
    enum out_kind kind;
    const char *text;
} rows[] = {
    /* As perf has them. */
    {"comm,tid,cpu,time,period,event,ip,sym,symoff,dso",
     {.no_chains = true},
     OUT_TEXT,
     "              :8     8 [000]     0.001999:          2 event-b:            abcdef [unknown] "
     "([unknown])\n"
     "         swapper     0 [000]     0.001999:          1 event-a:              1000 main+0x0 "
     "([kernel.kallsyms])\n"
     "         a ?prog     7 [003]     2.000000:         40 event-a:              1104 parse+0x4 "
     "([kernel.kallsyms])\n"},
    {"+pid,-cpu,-time",
     {.filter = {.tids = "7"}},
     OUT_TEXT,
     "a ?prog     7/7             40 event-a: \n"
     "\t            1104 parse+0x4 ([kernel.kallsyms])\n"
     "\t            1100 main+0x100 ([kernel.kallsyms])\n"
     "\t             400 [unknown] ([unknown])\n\n"},
    {"ip,cgroup,time",
     {.filter = {.comms = "a ?prog"}, .max_stack = 1, .nanoseconds = true},
     OUT_TEXT,
     "    2.000000999: \n\t            1104\n /host\n"},
    {"time,cpu",
     {.filter = {.cpus = {.range = {{1, 2}, {3, 4}}, .n = 2}}},
     OUT_TEXT,
     "[003]     2.000000: \n"},
    {"time,comm,weight",
     {.filter = {.pids = "8"}},
     OUT_TEXT,
     "              :8     0.001999:                0\n"},
    {"comm,pid,cpu,time,event,ip,sym,symoff,dso,cgroup",
     {.filter = {.dsos = "[kernel.kallsyms]"}},
     OUT_JSON,
     "{\"comm\":\"swapper\",\"pid\":0,\"cpu\":0,\"time\":1999999,\"event\":\"event-a\",\"ip\":"
     "\"0x1000\",\"sym\":\"main\",\"symoff\":0,\"dso\":\"[kernel.kallsyms]\",\"cgroup\":\"N/A\","
     "\"callchain\":null}\n"
     "{\"comm\":\"a ?prog\",\"pid\":7,\"cpu\":3,\"time\":2000000999,\"event\":\"event-a\",\"ip\":"
     "\"0x1104\",\"sym\":\"parse\",\"symoff\":4,\"dso\":\"[kernel.kallsyms]\",\"cgroup\":\"/host\","
     "\"callchain\":[\"parse\",\"main\",\"0x400\"]}\n"},
    {"sym,dso",
     {.filter = {.tids = "0,8"}},
     OUT_JSON,
     "{\"sym\":null,\"dso\":null}\n{\"sym\":\"main\",\"dso\":\"[kernel.kallsyms]\"}\n"},
};

START_TEST(script_prints)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct script_options o = rows[i].o;
        struct error t = {0};
        char *text;

        ck_assert_msg(script_choose(&o.fields, rows[i].fields, &t) == 0, "%s", t.text);
        text = print(&o, rows[i].kind);
        ck_assert_str_eq(text, rows[i].text);
        free(text);
    }
}
END_TEST

START_TEST(script_fields)
{
    static const char *const refused[] = {"", "comm,", "nonsense", "addr", "comm:ip", "+", "-,ip"};
    struct error t = {0};
    unsigned fields;

    ck_assert_int_eq(script_choose(&fields, "ip,-ip,sym", &t), 0);
    ck_assert_uint_eq(fields, 1u << SCRIPT_SYM);
    ck_assert_int_eq(script_choose(&fields, "-ip", &t), 0);
    ck_assert_uint_eq(fields, SCRIPT_DEFAULT & ~(1u << SCRIPT_IP));
    for (size_t i = 0; i < COUNT_OF(refused); i++) {
        ck_assert_msg(script_choose(&fields, refused[i], &t) == -1, "%s", refused[i]);
        ck_assert_int_eq(t.code, ERROR_USAGE);
    }
}
END_TEST

/* Behind the function at 0x1104, the chain has 0x1100. Names from Linux's arch/{x86,arm64,arm}. */
static const struct {
    const char *function;
    const char *caller;
} entries[] = {
    {"asm_exc_page_fault", "asm_exc_page_fault+0x0"},
    {"asm_sysvec_apic_timer_interrupt", "asm_sysvec_apic_timer_interrupt+0x0"},
    {"asm_common_interrupt", "asm_common_interrupt+0x0"},
    {"asm_spurious_interrupt", "asm_spurious_interrupt+0x0"},
    {"el1h_64_irq", "el1h_64_irq+0x0"},
    {"el1_irq", "el1_irq+0x0"},
    {"__irq_svc", "__irq_svc+0x0"},
    {"__dabt_svc", "__dabt_svc+0x0"},
    {"__x86_indirect_thunk_rax", "__x86_indirect_thunk_rax+0x0"},
    {"asm_load_gs_index", "main+0x100"},
    {"el1h_64_irq_handler", "main+0x100"},
    {"do_irq", "main+0x100"},
};

START_TEST(script_entries)
{
    struct script_options o = {.filter = {.tids = "7"}};
    struct error t = {0};
    char symbols[160], want[80];

    ck_assert_int_eq(script_choose(&o.fields, "ip,sym,symoff", &t), 0);
    for (size_t i = 0; i < COUNT_OF(entries); i++) {
        char *text;

        snprintf(symbols, sizeof(symbols), "1000 T _text\n1000 T main\n1100 T %s\n",
                 entries[i].function);
        snprintf(want, sizeof(want), "\t            1100 %s\n", entries[i].caller);
        text = print_with(symbols, &o, OUT_TEXT);
        ck_assert_msg(strstr(text, want), "%s: %s", entries[i].function, text);
        free(text);
    }
}
END_TEST

Suite *script_suite(void)
{
    const TTest *const tests[] = {script_prints, script_fields, script_entries};

    return suite_of("script", tests, COUNT_OF(tests));
}
