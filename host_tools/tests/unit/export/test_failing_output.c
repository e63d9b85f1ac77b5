/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each allocation of what reads samples and prints or converts them fails once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "export/callgrind.h"
#include "export/flamegraph.h"
#include "export/folded.h"
#include "export/html.h"
#include "export/pprof.h"
#include "export/timeline.h"
#include "fixtures/failing.h"
#include "fixtures/perffiles.h"
#include "profile/diff.h"
#include "profile/script.h"
#include "profile/stacks.h"
#include "unit/tests.h"

static const char kallsyms[] = "1000 T _text\n"
                               "1100 T idle\n"
                               "1200 T caller\n";

static const uint64_t chain[] = {PERF_CONTEXT_KERNEL, 0x101104, 0x101208, PERF_CONTEXT_USER, 0x400};
static const uint64_t branches[] = {0x101104, 0x101200, 1, 0x101208, 0x101100, 2};

/* A sample with all that a sample can have, and one of another event with little. */
static void make_file(struct made_file *m)
{
    struct made_sample s = {.mode = 1,
                            .id = 1,
                            .ip = 0x101104,
                            .tid = 7,
                            .time = 50,
                            .period = 100,
                            .cgroup = 1,
                            .chain = chain,
                            .n_chain = COUNT_OF(chain),
                            .branches = branches,
                            .n_branches = 2};

    perffiles_begin(m, false, PERFFILES_TYPE | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_BRANCH_STACK);
    perffiles_world(m, 1, "/host");
    perffiles_kernel(m, 0x101000);
    perffiles_comm(m, 6, 5, "prog");
    perffiles_fork(m, 7, 6, 6);
    perffiles_sample(m, &s);
    s = (struct made_sample){.mode = 2, .id = 2, .ip = 0x404, .tid = 7, .time = 60, .period = 3};
    perffiles_sample(m, &s);
    perffiles_end(m);
}

/* Reads the file into @g->profile. Its caller has set how. */
static int gather(struct sample_input *g, struct error *t)
{
    static const struct programs none;
    char path[sizeof(TEMPORARY_PATH)];
    struct made_file m;
    int err;

    make_temporary(path, kallsyms, strlen(kallsyms));
    make_file(&m);
    g->kallsyms = path;
    g->programs = &none;
    g->input = perffiles_save(&m);
    failing_begin();
    err = sample_input_read(g, -1, t);
    unlink(path);
    return err;
}

typedef int write_fn(struct profile *p, FILE *to, struct error *t);

/* Sums up by @key, and writes that to nowhere. */
static int convert(sample_input_key key, const void *opaque, bool edges, write_fn *write,
                   struct error *t)
{
    struct profile p = {0};
    struct sample_input g = {.key = key, .opaque = opaque, .branches = edges, .profile = &p};
    FILE *to = fopen("/dev/null", "we");
    int err;

    ck_assert_ptr_nonnull(to);
    err = gather(&g, t) || write(&p, to, t) ? -1 : 0;
    fclose(to);
    profile_free(&p);
    return err;
}

static int folded(struct profile *p, FILE *to, struct error *t)
{
    return folded_write(p, 0, false, to, t);
}

static int flame(struct profile *p, FILE *to, struct error *t)
{
    return flamegraph_write(p, 0, false, 0, to, t);
}

static int callgrind(struct profile *p, FILE *to, struct error *t)
{
    return callgrind_write(&(struct callgrind){.command = "c"}, p, 0, to, t);
}

static int pprof(struct profile *p, FILE *to, struct error *t)
{
    return pprof_write(p, 0, to, t);
}

static const struct stacks_options all = {.worlds = true, .addresses = true};

static int write_folded(struct error *t)
{
    return convert(stacks_key, &all, false, folded, t);
}

static int write_edges(struct error *t)
{
    return convert(stacks_edge_key, &all, true, folded, t);
}

static int write_flames(struct error *t)
{
    return convert(stacks_key, &all, false, flame, t);
}

static int write_callgrind(struct error *t)
{
    static const struct callgrind instructions = {.instructions = true};

    return convert(callgrind_key, &instructions, false, callgrind, t);
}

static int write_pprof(struct error *t)
{
    return convert(stacks_key, &all, false, pprof, t);
}

/* The report with call trees and children. */
static const struct report *trees(void)
{
    static struct report r;
    struct error t = {0};

    if (r.n == 0) {
        ck_assert_int_eq(report_choose(&r, "comm,sym,dso,srcline,cgroup", &t), 0);
        r.children = r.graph = true;
    }
    return &r;
}

static int report(struct profile *p, FILE *to, struct error *t)
{
    struct out out = {.text = to};

    return report_print(trees(), p, 0, &out, t);
}

static int print_report(struct error *t)
{
    return convert(report_key, trees(), false, report, t);
}

/* A row that only one side has. */
static int compare(struct profile *p, FILE *to, struct error *t)
{
    struct profile before = {0};
    struct diff d = {.before = &before, .after = p};
    struct out out = {.text = to};
    int err = profile_events(&before, 1, t);

    if (!err) {
        before.event[0].name = p->event[0].name;
        profile_sort_by_key(p);
        profile_sort_by_key(&before);
        err = diff_make(&d, t) < 0 ? -1 : 0;
    }
    if (!err) {
        diff_print(&d, trees(), &(struct diff_style){.markdown = true}, &out);
    }
    diff_free(&d);
    profile_free(&before);
    return err;
}

static int print_differences(struct error *t)
{
    static struct report r;
    struct error none = {0};

    r = (struct report){0};
    ck_assert_int_eq(report_choose(&r, "comm,sym", &none), 0);
    return convert(report_key, &r, false, compare, t);
}

static int print_script(struct error *t)
{
    static const struct script_options o = {.fields = SCRIPT_DEFAULT};
    struct profile p = {0};
    struct script c = {.o = &o};
    struct sample_input g = {.each = script_sample, .sink = &c, .profile = &p};
    struct out to = {.text = fopen("/dev/null", "we")};
    char *text = NULL;
    size_t size;
    int err;

    c.out.text = open_memstream(&text, &size);
    err = gather(&g, t);
    fclose(c.out.text);
    err = err || script_write(&c, text, &to, t) ? -1 : 0;
    fclose(to.text);
    free(text);
    script_free(&c);
    profile_free(&p);
    return err;
}

static int write_page(struct error *t)
{
    struct profile p = {0};
    struct html h = {.stacks = all};
    struct sample_input g = {.each = html_sample, .sink = &h, .opaque = &h.stacks, .profile = &p};
    FILE *to = fopen("/dev/null", "we");
    int err = gather(&g, t) || html_write(&h, &p, 0, to, t) ? -1 : 0;

    fclose(to);
    html_free(&h);
    profile_free(&p);
    return err;
}

static int write_timeline(struct error *t)
{
    struct profile p = {0};
    struct timeline l = {.fxt.file = fopen("/dev/null", "we"), .texts = &p.texts};
    struct sample_input g = {.each = timeline_sample, .sink = &l, .profile = &p};
    int err;

    timeline_begin(&l);
    err = gather(&g, t) || timeline_end(&l, t) ? -1 : 0;
    fclose(l.fxt.file);
    timeline_free(&l);
    profile_free(&p);
    return err;
}

START_TEST(each_fails)
{
    static const struct failing rows[] = {
        {"folded", write_folded, 10},
        {"edges", write_edges, 10},
        {"flame graph", write_flames, 10},
        {"callgrind", write_callgrind, 10},
        {"pprof", write_pprof, 10},
        {"report", print_report, 10},
        {"differences", print_differences, 10},
        {"script", print_script, 10},
        {"page", write_page, 10},
        {"timeline", write_timeline, 10},
    };

    failing_each(rows, COUNT_OF(rows));
}
END_TEST

Suite *failing_output_suite(void)
{
    const TTest *const tests[] = {each_fails};

    return suite_of("failing_output", tests, COUNT_OF(tests));
}
