/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target: the input is a perf file. The size of all output must be proportional to it, and the
 * output must be printable.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/flamegraph.h"
#include "export/folded.h"
#include "fuzz.h"
#include "fixtures/perffiles.h"
#include "export/pprof.h"
#include "profile/report.h"
#include "profile/stacks.h"
#include "export/timeline.h"

/*
 * Bytes of output per byte of input: a word of a call chain becomes a frame of a flame graph. Names
 * are cut at 255 bytes. In a timeline, a sample of 60 bytes or more has seven names.
 */
#define MOST_PER_BYTE 512u
#define MOST_ELSE (1u << 17)

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check_tame(const char *text)
{
    for (; *text; text++) {
        require(((unsigned char)*text >= ' ' && *text != 0x7f) || *text == '\n');
    }
}

enum writer {
    REPORT,
    RECORDS,
    FOLDED,
    FLAMEGRAPH,
    PPROF,
    WRITERS
};

static void write_it(enum writer writer, const struct report *r, struct profile *p, FILE *file)
{
    struct out out = {.kind = writer == RECORDS ? OUT_JSON : OUT_TEXT, .text = file};
    struct error t = {0};
    int err = 0;

    if (writer == REPORT || writer == RECORDS) {
        require(report_print(r, p, 0, &out, &t) == 0);
        return;
    }
    profile_sort_by_key(p);
    for (unsigned i = 0; i < p->events; i++) {
        err |= writer == FOLDED       ? folded_write(p, i, i % 2, file, &t)
               : writer == FLAMEGRAPH ? flamegraph_write(p, i, i % 2, i % 3, file, &t)
                                      : pprof_write(p, i, file, &t);
    }
    require(err == 0);
}

static void check(enum writer writer, const struct report *r, struct profile *p, size_t size)
{
    char *text = NULL;
    size_t written;
    FILE *file = open_memstream(&text, &written);

    write_it(writer, r, p, file);
    require(fclose(file) == 0);
    /* Each function of a chain has a tree with the complete chain. */
    require(r->graph || written <= size * MOST_PER_BYTE + (p->events + 1) * MOST_ELSE);
    if (writer != PPROF) {
        check_tame(text);
    }
    free(text);
}

/* Makes records whose sizes are right, with nothing after the last. */
static void check_records(const char *trace, size_t size)
{
    for (size_t at = 0; at < size;) {
        uint64_t head;

        require(size - at >= sizeof(head));
        memcpy(&head, trace + at, sizeof(head));
        require((head >> 4 & 0xfff) != 0);
        at += (head >> 4 & 0xfff) * sizeof(head);
        require(at <= size);
    }
}

static void check_timeline(struct sample_input *g, size_t size)
{
    struct timeline l = {.texts = &g->profile->texts};
    struct error t = {0};
    char *trace = NULL;
    size_t written;
    int err;

    l.fxt.file = open_memstream(&trace, &written);
    timeline_begin(&l);
    g->each = timeline_sample;
    g->sink = &l;
    err = sample_input_read(g, -1, &t) || timeline_end(&l, &t);
    require((err == 0) == (t.code == ERROR_NONE));
    check_tame(t.text);
    require(fclose(l.fxt.file) == 0);
    require(written <= size * MOST_PER_BYTE + MOST_ELSE);
    check_records(trace, written);
    free(trace);
    timeline_free(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct programs none;
    static const char *const sort[] = {"comm,sym", "cgroup,cpu,tid", "sym,ip,event,pid,comm"};
    struct made_file m = {.size = size < PERFFILES_MAX ? size : PERFFILES_MAX};
    struct stacks_options stacks = {.worlds = size & 1, .addresses = size & 2};
    struct report report = {0};
    struct error t = {0};
    enum writer writer = (enum writer)(size % WRITERS);
    bool is_report = writer == REPORT || writer == RECORDS;
    struct profile p = {0};
    struct sample_input g = {.programs = &none, .profile = &p};
    int err;

    memcpy(m.bytes, data, m.size);
    report_choose(&report, sort[size % 3], &t);
    report.addresses = size & 2;
    report.children = size & 4;
    report.graph = size & 8;
    report.caller = size & 16;
    g.input = perffiles_save(&m);
    if (size % 7 == 0) {
        check_timeline(&g, size);
        profile_free(&p);
        return 0;
    }
    g.key = is_report ? report_key : stacks_key;
    g.opaque = is_report ? (const void *)&report : &stacks;
    err = sample_input_read(&g, -1, &t);
    require((err == 0) == (t.code == ERROR_NONE));
    check_tame(t.text);
    if (!err) {
        check(writer, &report, &p, size);
    }
    profile_free(&p);
    return 0;
}

static void add_sample(struct chooser *c, struct made_file *m)
{
    static const uint64_t words[] = {
        PERF_CONTEXT_KERNEL, PERF_CONTEXT_USER, PERF_CONTEXT_HV, PERF_CONTEXT_GUEST, 0x1000, 0};
    uint64_t chain[6];
    struct made_sample s = {.mode = (unsigned)choose_below(c, 8),
                            .id = choose_below(c, 4),
                            .ip = choose_below(c, 100),
                            .tid = (uint32_t)choose_below(c, 5),
                            .time = choose_below(c, 100),
                            .cpu = (uint32_t)choose_below(c, 3),
                            .period = choose_one_in(c, 9) ? choose_bits(c) : 100,
                            .cgroup = choose_below(c, 3),
                            .values = {choose_below(c, 1000), choose_below(c, 1000)},
                            .chain = chain,
                            .n_chain = choose_below(c, 7)};

    for (size_t i = 0; i < s.n_chain; i++) {
        chain[i] = words[choose_below(c, 6)];
    }
    perffiles_sample(m, &s);
}

static void add_name(struct chooser *c, struct made_file *m)
{
    static const char *const names[] = {
        "", "prog", "a b;c", "\x1b[2J\n", "<\xff&\xef\xbf\xbe>", "/guest/vmid-1"};
    const char *name = names[choose_below(c, 6)];
    uint32_t tid = (uint32_t)choose_below(c, 5);
    uint64_t time = choose_below(c, 100);

    switch (choose_below(c, 5)) {
    case 0:
        perffiles_comm(m, tid, time, name);
        return;
    case 1:
        perffiles_fork(m, tid, time, (uint32_t)choose_below(c, 5));
        return;
    case 2:
        perffiles_world(m, tid, name);
        return;
    case 3:
        perffiles_kernel(m, choose_bits(c));
        return;
    default:
        perffiles_lost(m, tid, time);
    }
}

/* Makes a valid file, which the caller then changes. */
size_t fuzz_make_input(struct chooser *c, uint8_t *buf, size_t max)
{
    static const uint64_t more[] = {
        0,
        PERF_SAMPLE_CALLCHAIN,
        PERF_SAMPLE_READ,
        PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK,
    };
    static struct made_file m;

    perffiles_begin(&m, choose_one_in(c, 3), PERFFILES_TYPE | more[choose_below(c, 4)]);
    for (uint64_t n = choose_below(c, 12); n > 0; n--) {
        if (choose_one_in(c, 3)) {
            add_name(c, &m);
        } else {
            add_sample(c, &m);
        }
    }
    perffiles_end(&m);
    require(m.size <= max);
    memcpy(buf, m.bytes, m.size);
    return m.size;
}
