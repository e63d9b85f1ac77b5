/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the functions of top --symbols: sums, the weight of older samples, and the rows. */
#include "top/hot-functions.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/perffiles.h"
#include "top/function-rows.h"
#include "top/function-top.h"
#include "unit/tests.h"

/* The address at which this program is loaded. */
extern const Elf64_Ehdr __ehdr_start;

static const struct made_function {
    const char *dso;
    const char *symbol;
    uint64_t period;
} first[] = {
    {"[kernel]", "[k] idle", 40},
    {"libc.so.6", "[.] memcpy", 100},
    {"[kernel]", "[k] idle", 60},
    {"program", "[.] [unknown]", 200},
};

/* Makes the result of sample_input_read(), with functions whose files are not known. */
static void make_frame(struct profile *p, const struct made_function *function, size_t n)
{
    struct error t = {0};
    uint32_t key[2];

    *p = (struct profile){0};
    ck_assert_int_eq(profile_events(p, 1, &t), 0);
    p->event[0].name = "cycles";
    for (size_t i = 0; i < n; i++) {
        ck_assert_int_eq(string_table_number(&p->texts, function[i].dso, &key[0], &t), 0);
        ck_assert_int_eq(string_table_number(&p->texts, function[i].symbol, &key[1], &t), 0);
        ck_assert_int_eq(profile_add(p, 0, function[i].period, key, 2, &t), 0);
    }
}

/* Functions of the same name in two files are two functions. */
START_TEST(hot_functions_of_files)
{
    static const struct made_function functions[] = {
        {"one", "[.] main", 75}, {"two", "[.] main", 25}, {"one", "[.] main", 10}};
    struct hot_functions h;
    struct error t = {0};
    struct profile p;

    make_frame(&p, functions, COUNT_OF(functions));
    p.lost = 3;
    p.event[0].lost = 4;
    ck_assert_int_eq(hot_functions_init(&h, &t), 0);
    ck_assert_int_eq(hot_functions_take(&h, &p, false, &t), 0);
    ck_assert_uint_eq(h.n, 2);
    ck_assert_uint_eq(h.row[0].period, 85);
    ck_assert_uint_eq(h.row[1].period, 25);
    ck_assert_uint_eq(h.lost, 7);
    /* The head of the column is wider than these names. */
    ck_assert_int_eq(function_rows_choose(&h, 80).dso, (int)strlen("Shared Object"));
    hot_functions_free(&h);
}
END_TEST

static void take(struct hot_functions *h, const struct made_function *function, size_t n, bool zero)
{
    struct error t = {0};
    struct profile p;

    make_frame(&p, function, n);
    ck_assert_int_eq(hot_functions_take(h, &p, zero, &t), 0);
    ck_assert_uint_eq(p.n, 0);
}

static void begin(struct hot_functions *h)
{
    struct error t = {0};

    ck_assert_int_eq(hot_functions_init(h, &t), 0);
    take(h, first, COUNT_OF(first), false);
}

START_TEST(hot_functions_sum)
{
    struct hot_functions h;

    begin(&h);
    ck_assert_uint_eq(h.n, 3);
    ck_assert_str_eq(h.row[0].symbol, "[.] [unknown]");
    ck_assert_str_eq(h.row[1].symbol, "[k] idle");
    ck_assert_str_eq(h.row[2].symbol, "[.] memcpy");
    ck_assert_uint_eq(h.row[1].period, 100);
    ck_assert(h.row[1].samples == 2);
    ck_assert_uint_eq(h.period, 400);
    ck_assert_uint_eq(h.kernel, 100);
    ck_assert_uint_eq(h.unknown, 200);
    ck_assert_uint_eq(h.fresh, 4);
    ck_assert_uint_eq(hot_functions_find(&h, "libc.so.6", "[.] memcpy"), 2);
    ck_assert_uint_eq(hot_functions_find(&h, "libc.so.6", "[k] idle"), h.n);
    hot_functions_free(&h);
}
END_TEST

/* Each frame leaves 7/8 of what was before, as in perf top. */
START_TEST(hot_functions_fade)
{
    static const struct made_function next[] = {{"libc.so.6", "[.] memcpy", 1000}};
    struct hot_functions h;

    begin(&h);
    take(&h, next, COUNT_OF(next), false);
    ck_assert_uint_eq(h.n, 3);
    ck_assert_str_eq(h.row[0].symbol, "[.] memcpy");
    ck_assert_uint_eq(h.row[0].period, 1000 + 87);
    ck_assert_uint_eq(h.row[1].period, 175);
    ck_assert_uint_eq(h.fresh, 1);
    /* A single sample disappears after 20 frames, and not at once. */
    for (int i = 0; i < 18; i++) {
        take(&h, NULL, 0, false);
    }
    ck_assert_uint_ne(hot_functions_find(&h, "program", "[.] [unknown]"), h.n);
    for (int i = 0; i < 10; i++) {
        take(&h, NULL, 0, false);
    }
    ck_assert_uint_eq(h.n, 0);
    ck_assert_uint_eq(h.period, 0);
    hot_functions_free(&h);
}
END_TEST

START_TEST(hot_functions_zero)
{
    static const struct made_function next[] = {{"libc.so.6", "[.] memcpy", 1000}};
    struct hot_functions h;

    begin(&h);
    take(&h, next, COUNT_OF(next), true);
    ck_assert_uint_eq(h.n, 1);
    ck_assert_uint_eq(h.period, 1000);
    hot_functions_free(&h);
}
END_TEST

/* Without the function's file, the error says how to name it. */
START_TEST(hot_functions_without_file)
{
    struct hot_functions h;
    struct error t = {0};

    begin(&h);
    ck_assert_int_eq(hot_functions_annotate(&h, 1, stdout, &t), -1);
    ck_assert_int_eq(t.code, ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(t.text, "--vmlinux"));
    hot_functions_free(&h);
}
END_TEST

/* Adds samples in a function of this program, and one sample elsewhere. */
static void read_frame(struct hot_functions *h)
{
    static const struct programs none;
    const uint64_t here = (uintptr_t)read_frame - (uintptr_t)&__ehdr_start;
    struct profile p = {0};
    struct sample_input g = {.key = hot_functions_key,
                             .opaque = &h->columns,
                             .vmlinux = "/proc/self/exe",
                             .programs = &none,
                             .profile = &p};
    struct made_file m;
    struct error t = {0};

    perffiles_begin(&m, false, PERFFILES_TYPE);
    for (int i = 0; i < 5; i++) {
        perffiles_sample(&m, &(struct made_sample){.mode = 1,
                                                   .id = 1,
                                                   .time = 5,
                                                   .ip = i < 4 ? here : 1,
                                                   .tid = 7,
                                                   .period = i < 4 ? 15 : 40});
    }
    perffiles_end(&m);
    g.input = perffiles_save(&m);
    ck_assert_msg(sample_input_read(&g, -1, &t) == 0, "%s", t.text);
    ck_assert_int_eq(hot_functions_take(h, &p, false, &t), 0);
}

/* Shows the instructions of a function with their shares of all samples. */
START_TEST(hot_functions_annotated)
{
    static const char *const wanted[] = {
        "# read_frame of /proc/self/exe, event 'event-a': 60 in 4 samples, 60.00% of all\n",
        "   100.00%                60    ",
    };
    struct hot_functions h;
    struct error t = {0};
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    ck_assert_int_eq(hot_functions_init(&h, &t), 0);
    read_frame(&h);
    ck_assert_str_eq(h.row[0].symbol, "[k] read_frame");
    ck_assert_msg(hot_functions_annotate(&h, 0, to, &t) == 0, "%s", t.text);
    fclose(to);
    for (size_t i = 0; i < COUNT_OF(wanted); i++) {
        ck_assert_msg(strstr(text, wanted[i]), "expected %s in %.300s", wanted[i], text);
    }
    free(text);
    hot_functions_free(&h);
}
END_TEST

static char *row_text(const struct hot_functions *h, int width, size_t i)
{
    struct function_rows r = function_rows_choose(h, width);
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    function_rows_row(&r, h, i, to);
    fclose(to);
    return text;
}

/* A long name of a file leaves two thirds of the screen to the function. */
START_TEST(hot_functions_rows)
{
    static const struct made_function functions[] = {
        {"[kernel]", "[k] idle", 75},
        {"libsomething-with-a-very-long-name.so.6", "[.] f", 25},
    };
    static const struct {
        int width;
        size_t row;
        const char *text;
    } rows[] = {
        {0, 1, "  25.00%  libsomething-with-a-very-long-name.so.6  [.] f"},
        {200, 0, "  75.00%  [kernel]                                 [k] idle"},
        {80, 0, "  75.00%  [kernel]                    [k] idle"},
        {80, 1, "  25.00%  libsomething-with-a-very-l  [.] f"},
        {10, 0, "  75.00%  [kernel]                                 [k] idle"},
    };
    struct hot_functions h;
    struct error t = {0};

    ck_assert_int_eq(hot_functions_init(&h, &t), 0);
    take(&h, functions, COUNT_OF(functions), false);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char *text = row_text(&h, rows[i].width, rows[i].row);

        ck_assert_str_eq(text, rows[i].text);
        free(text);
    }
    hot_functions_free(&h);
}
END_TEST

START_TEST(hot_functions_option)
{
    static char *const rows[][4] = {
        {"top", "--symbols", "vm", NULL}, {"top", "vm", "--sym", NULL},
        {"top", "--sort", "ipc", NULL},   {"top", "--", "--symbols", NULL},
        {"top", "--s", "vm", NULL},
    };
    static const bool wanted[] = {true, true, false, false, false};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_int_eq(function_top_is_wanted(3, rows[i]), wanted[i]);
    }
}
END_TEST

Suite *hot_functions_suite(void)
{
    const TTest *const tests[] = {hot_functions_sum,       hot_functions_of_files,
                                  hot_functions_fade,      hot_functions_zero,
                                  hot_functions_annotated, hot_functions_without_file,
                                  hot_functions_rows,      hot_functions_option};

    return suite_of("hot functions", tests, COUNT_OF(tests));
}
