/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each allocation of what reads and keeps fails once. */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixtures/failing.h"
#include "fixtures/perffiles.h"
#include "perfdata/file-ids.h"
#include "perfdata/perfreader.h"
#include "profile/code-maps.h"
#include "profile/threads.h"
#include "qmp/qmp.h"
#include "qmp/target.h"
#include "record/kept-maps.h"
#include "record/program-maps.h"
#include "symbols/elffile.h"
#include "symbols/guest-files.h"
#include "symbols/programs.h"
#include "symbols/symbols.h"
#include "unit/tests.h"
#include "unwind/program-stacks.h"

static int add_functions(struct error *t)
{
    struct functions f = {0};
    char a[] = "a", b[] = "b", m[] = "m";
    int err;

    failing_begin();
    err = functions_add(&f, &(struct function){.start = 2, .name = a, .module = m}, t) ||
                  functions_add(&f, &(struct function){.start = 1, .name = b}, t) ||
                  functions_sort(&f, t)
              ? -1
              : 0;

    functions_free(&f);
    return err;
}

static int read_list(struct error *t)
{
    static const char list[] = "ffff800080000000 T _text\nffff800080001000 T first\n"
                               "ffff800080009000 T _end\nffff800090000000 t f\t[mod]\n";
    struct functions f = {0};
    struct symbols s = {0};
    char path[sizeof(TEMPORARY_PATH)];
    int err;

    make_temporary(path, list, strlen(list));
    failing_begin();
    err = symbols_functions(&f, path, t) || symbols_read(&s, path, t) ? -1 : 0;
    unlink(path);
    functions_free(&f);
    symbols_free(&s);
    return err;
}

static int read_file(struct error *t)
{
    static const struct perfreader_ops none;
    static struct made_file m;
    struct perfreader r = {.name = "FILE", .stop_fd = -1};
    FILE *file;
    int err;

    perffiles_begin(&m, false, PERFFILES_TYPE);
    perffiles_comm(&m, 7, 10, "prog");
    perffiles_end(&m);
    file = fopen(perffiles_save(&m), "re");
    ck_assert_ptr_nonnull(file);
    failing_begin();
    err = perfreader_open(&r, file, t) || perfreader_walk(&r, &none, NULL, t) ? -1 : 0;
    perfreader_close(&r);
    fclose(file);
    return err;
}

static int add_targets(struct error *t)
{
    static struct targets targets;
    int err;

    failing_begin();
    err = targets_add(&targets, "name", "uri", "uuid", true, t) ||
                  targets_add(&targets, "name", NULL, NULL, true, t)
              ? -1
              : 0;

    targets_free(&targets);
    return err;
}

static int open_stream(struct error *t)
{
    struct qmp *q;
    int ends[2];
    int err;

    ck_assert_int_eq(pipe(ends), 0);
    failing_begin();
    err = qmp_stream_open(ends[0], -1, 100, &q, t);
    if (!err) {
        qmp_close(q);
    } else {
        close(ends[0]);
    }
    close(ends[1]);
    return err;
}

/* Build IDs are left out if there is no memory for them. */
static int add_ids(struct error *t)
{
    struct file_ids ids = {0};

    failing_begin();
    file_ids_add(&ids, "/a", (const unsigned char *)"x", 1);
    if (ids.n == 0) {
        error_set(t, ERROR_TALK, "out of memory");
    }
    file_ids_free(&ids);
    return t->code == ERROR_NONE ? 0 : -1;
}

static int add_guest_file(struct error *t)
{
    struct guest_files files = {0};
    uint32_t number;
    int err;

    failing_begin();
    err = guest_files_number(&files, "/file", NULL, 0, &number, t);
    guest_files_free(&files);
    return err;
}

static int add_maps(struct error *t)
{
    const struct code_map code = {.pid = 1, .time = 1, .start = 4096, .length = 8192, .file = 1};
    struct code_maps maps = {0};
    int err;

    failing_begin();
    err = code_maps_add(&maps, &code, t) || code_maps_fork(&maps, 2, 2, 1, t) ||
                  code_maps_settle(&maps, t)
              ? -1
              : 0;
    code_maps_free(&maps);
    return err;
}

static int add_threads(struct error *t)
{
    struct threads threads = {0};
    int err;

    failing_begin();
    err = threads_name(&threads, 1, 1, 0, t) || threads_fork(&threads, 2, 2, 1, t) ||
                  threads_settle(&threads, t)
              ? -1
              : 0;
    threads_free(&threads);
    return err;
}

/* A stripped program: functions of its dynamic symbols, its PLT and its unwind tables. */
static int read_elf(struct error *t)
{
    struct functions f = {0};
    int err;

    failing_begin();
    err = elffile_functions(&f, NULL, "/bin/true", t) || functions_sort(&f, t) ? -1 : 0;
    functions_free(&f);
    return err;
}

static int map_program(struct error *t)
{
    struct program_maps m = {0};
    int err;

    failing_begin();
    err = program_maps_add(&m, "*@0x10000=/bin/true", t);
    program_maps_free(&m);
    return err;
}

static int take_stack(struct error *t)
{
    static const unsigned char bytes[64];
    const struct vpmu_record_stack stack = {
        .head = {.cpu = 1, .size = sizeof(stack) + sizeof(bytes)}, .size = sizeof(bytes)};
    struct guest_files files = {0};
    struct program_stacks p = {0};
    int err;

    failing_begin();
    err = program_stacks_begin(&p, 2, false, &files, t) || program_stacks_take(&p, &stack, bytes, t)
              ? -1
              : 0;
    program_stacks_free(&p);
    return err;
}

START_TEST(each_fails)
{
    static const struct failing rows[] = {
        {"functions", add_functions, 6},   {"list", read_list, 7},      {"file", read_file, 4},
        {"targets", add_targets, 4},       {"stream", open_stream, 1},  {"ids", add_ids, 2},
        {"guest file", add_guest_file, 3}, {"maps", add_maps, 2},       {"threads", add_threads, 1},
        {"ELF file", read_elf, 9},         {"program", map_program, 3}, {"stack", take_stack, 2},
    };

    failing_each(rows, COUNT_OF(rows));
}
END_TEST

Suite *failing_memory_suite(void)
{
    const TTest *const tests[] = {each_fails};

    return suite_of("failing_memory", tests, COUNT_OF(tests));
}
