/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each allocation of some work fails once. The work must fail with "out of memory" and keep
 * nothing, which the address sanitizer checks, or do without what it could not allocate.
 *
 * The linker replaces the allocators of the program by those here; see sources.mk.
 */
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixtures/perffiles.h"
#include "perfdata/file-ids.h"
#include "perfdata/perfreader.h"
#include "qmp/qmp.h"
#include "qmp/target.h"
#include "record/kept-maps.h"
#include "symbols/guest-files.h"
#include "symbols/programs.h"
#include "symbols/symbols.h"
#include "unit/tests.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_reallocarray(void *old, size_t n, size_t size);
char *__real_strdup(const char *text);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_reallocarray(void *old, size_t n, size_t size);
char *__wrap_strdup(const char *text);

/* The allocation that fails, and the same counted down since begin(); none below 1. */
static long chosen;
static long until;

/* Begins to count: libcheck uses the same allocators. */
static void begin(void)
{
    until = chosen;
}

static bool fails(void)
{
    return until > 0 && --until == 0;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    return fails() ? NULL : __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

void *__wrap_reallocarray(void *old, size_t n, size_t size)
{
    return fails() ? NULL : __real_reallocarray(old, n, size);
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : __real_strdup(text);
}

static int add_functions(struct error *t)
{
    struct functions f = {0};
    char a[] = "a", b[] = "b", m[] = "m";
    int err;

    begin();
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
    begin();
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
    begin();
    err = perfreader_open(&r, file, t) || perfreader_walk(&r, &none, NULL, t) ? -1 : 0;
    perfreader_close(&r);
    fclose(file);
    return err;
}

static int add_targets(struct error *t)
{
    static struct targets targets;
    int err;

    begin();
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
    begin();
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

    begin();
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

    begin();
    err = guest_files_number(&files, "/file", NULL, 0, &number, t);
    guest_files_free(&files);
    return err;
}

START_TEST(each_fails)
{
    static const struct {
        const char *name;
        int (*work)(struct error *t);
        unsigned least; /* of its allocations are needed */
    } rows[] = {
        {"functions", add_functions, 6},   {"list", read_list, 7},     {"file", read_file, 4},
        {"targets", add_targets, 4},       {"stream", open_stream, 1}, {"ids", add_ids, 2},
        {"guest file", add_guest_file, 3},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        unsigned failures = 0;
        bool failed = true;

        for (long n = 1; failed; n++) {
            struct error t = {0};
            int err;

            chosen = n;
            err = rows[i].work(&t);
            failed = until == 0;
            until = 0;
            failures += err != 0;
            /* Names that cannot be demangled for want of memory are shown as they are. */
            ck_assert_msg(failed || !err, "%s: %s", rows[i].name, t.text);
            ck_assert_msg(!err || strstr(t.text, "out of memory"), "%s: %s", rows[i].name, t.text);
        }
        ck_assert_msg(failures >= rows[i].least, "%s: only %u failures", rows[i].name, failures);
    }
}
END_TEST

Suite *failing_memory_suite(void)
{
    const TTest *const tests[] = {each_fails};

    return suite_of("failing_memory", tests, COUNT_OF(tests));
}
