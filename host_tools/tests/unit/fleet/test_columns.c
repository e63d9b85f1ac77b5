/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/columns.h"
#include "unit/tests.h"

START_TEST(choose)
{
    static const struct {
        const char *list;
        size_t events;
        bool meter;
    } rows[] = {
        {"ipc", 2, false},
        {"instructions,cycles,ipc", 2, false},
        {"exits", 1, true},
        {"lost", 2, true},
        {"l1d-misses", 3, false},
        /*
         * The default columns need instructions, cycles, branches, instructions:G and
         * instructions:H.
         */
        {NULL, 5, true},
        /* The other columns add branch-misses and four cache events. */
        {"all", 10, true},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct columns c;
        struct error t = {0};

        ck_assert_int_eq(columns_choose(&c, rows[i].list, &t), 0);
        ck_assert_uint_eq(c.events.n, rows[i].events);
        ck_assert_int_eq(c.meter, rows[i].meter);
        columns_free(&c);
    }
}
END_TEST

START_TEST(choose_wrong)
{
    static const char *const lists[] = {"", "ipc,", "ipc,nothing", "name", "IPC"};

    for (size_t i = 0; i < COUNT_OF(lists); i++) {
        struct columns c;
        struct error t = {0};

        ck_assert_int_eq(columns_choose(&c, lists[i], &t), -1);
        ck_assert_int_eq(t.code, ERROR_USAGE);
        columns_free(&c);
    }
}
END_TEST

START_TEST(column_names)
{
    ck_assert_int_eq(columns_find("name"), COLUMNS_NAME);
    ck_assert_int_eq(columns_find("nothing"), -1);
    for (unsigned i = 0; i < COLUMNS_MAX; i++) {
        ck_assert_int_eq(columns_find(columns_name(i)), (int)i);
        ck_assert_int_le((int)strlen(columns_head(i)), COLUMNS_WIDTH - 1);
        for (unsigned k = 0; k < i; k++) {
            ck_assert_int_ne(columns_key(i), columns_key(k));
        }
    }
    ck_assert_ptr_null(columns_name(COLUMNS_MAX));
}
END_TEST

/* A machine with two vCPUs over two seconds. The second vCPU's counts grow twice as fast. */
struct scene {
    unsigned cpu[2];
    uint64_t before[10];
    uint64_t now[10];
    struct member up;
    struct member down;
    struct fleet fleet;
    struct columns columns;
};

static void set_scene(struct scene *s)
{
    static char name[] = "up";
    struct error t = {0};

    *s = (struct scene){.cpu = {0, 1}};
    ck_assert_int_eq(columns_choose(&s->columns, "instructions,cycles,ipc,lost,exits", &t), 0);
    /* The observed events are instructions, cycles and instructions:H. */
    ck_assert_uint_eq(s->columns.events.n, 3);
    for (unsigned i = 0; i < 6; i++) {
        s->before[i] = 1000;
        s->now[i] = 1000 + (i / 3 + 1) * (i % 3 == 1 ? 400 : 100);
    }
    /* A count may wrap. */
    s->before[0] = UINT64_MAX - 49;
    s->now[0] = 50;
    s->up = (struct member){
        .name = name,
        .up = true,
        .now = {.when = 2000000001, .vcpus = 2, .cpu = s->cpu, .counts = s->now},
        .before = {.when = 1, .vcpus = 2, .cpu = s->cpu, .counts = s->before},
    };
    s->up.now.metered = true;
    s->up.now.blackout.span[VPMU_SPAN_EXIT].w.instructions = 30;
    s->up.now.blackout.reason[3].n = 8;
    s->down = (struct member){.name = name};
    s->fleet.member[0] = &s->down;
    s->fleet.member[1] = &s->up;
    s->fleet.n = 2;
    s->fleet.plan.events = &s->columns.events;
}

static double value(const struct row *row, const char *name)
{
    return row->value[columns_find(name)];
}

START_TEST(machine_rows)
{
    struct scene s;
    struct row *rows;

    set_scene(&s);
    ck_assert_int_eq(columns_rows(&s.columns, &s.fleet, false, &rows), 2);
    ck_assert(isnan(value(&rows[0], "instructions")));
    ck_assert_int_eq(rows[1].cpu, -1);
    ck_assert_double_eq(value(&rows[1], "instructions"), 150);
    ck_assert_double_eq(value(&rows[1], "cycles"), 600);
    ck_assert_double_eq(value(&rows[1], "ipc"), 0.25);
    ck_assert_double_eq(value(&rows[1], "lost"), 10);
    ck_assert_double_eq(value(&rows[1], "exits"), 4);
    ck_assert(isnan(value(&rows[1], "guest")));
    free(rows);
    ck_assert_int_eq(columns_rows(&s.columns, &s.fleet, true, &rows), 3);
    ck_assert_int_eq(rows[2].cpu, 1);
    ck_assert_double_eq(value(&rows[1], "instructions"), 50);
    ck_assert_double_eq(value(&rows[2], "instructions"), 100);
    ck_assert(isnan(value(&rows[2], "lost")));
    free(rows);
    /* There is no earlier sample to compare with. */
    s.up.before.when = 0;
    ck_assert_int_eq(columns_rows(&s.columns, &s.fleet, false, &rows), 2);
    ck_assert(isnan(value(&rows[1], "instructions")));
    free(rows);
    s.down.hidden = true;
    ck_assert_int_eq(columns_rows(&s.columns, &s.fleet, false, &rows), 1);
    free(rows);
    columns_free(&s.columns);
}
END_TEST

/* The machines a, b, c and d in the expected order. */
START_TEST(sort)
{
    static char names[4][2] = {"a", "b", "c", "d"};
    static const double values[4] = {5, (double)NAN, 7, 5};
    static const struct {
        unsigned column;
        bool reverse;
        const char *order;
    } rows[] = {
        {0, false, "cadb"},
        {0, true, "adcb"},
        {COLUMNS_NAME, false, "abcd"},
        {COLUMNS_NAME, true, "dcba"},
    };
    struct member members[4] = {
        {.name = names[0]}, {.name = names[1]}, {.name = names[2]}, {.name = names[3]}};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct row sorted[4];
        char order[5] = "";

        for (size_t k = 0; k < 4; k++) {
            /* Start from an order that no row of the table expects. */
            sorted[(k * 3 + 1) % 4] = (struct row){.member = &members[k], .cpu = -1};
            sorted[(k * 3 + 1) % 4].value[0] = values[k];
        }
        columns_sort(sorted, 4, rows[i].column, rows[i].reverse);
        for (size_t k = 0; k < 4; k++) {
            order[k] = sorted[k].member->name[0];
        }
        ck_assert_str_eq(order, rows[i].order);
    }
}
END_TEST

START_TEST(sort_vcpus)
{
    static char name[] = "a";
    struct member m = {.name = name};
    struct row rows[] = {{.member = &m, .cpu = 10}, {.member = &m, .cpu = 9}};

    columns_sort(rows, 2, COLUMNS_NAME, false);
    ck_assert_int_eq(rows[0].cpu, 9);
}
END_TEST

START_TEST(cells)
{
    static const struct {
        const char *column;
        double value;
        const char *text;
    } rows[] = {
        {"instructions", 0, "0"},    {"instructions", 999, "999"}, {"cycles", 1234567, "1.23M"},
        {"ipc", 0.456, "0.46"},      {"lost", 0.01, "0.0100"},     {"guest", 99.999, "100.00"},
        {"exits", (double)NAN, "-"},
    };
    char buf[FORMAT_SIZE];

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        unsigned column = (unsigned)columns_find(rows[i].column);

        ck_assert_str_eq(columns_cell(buf, column, rows[i].value), rows[i].text);
    }
}
END_TEST

Suite *columns_suite(void)
{
    const TTest *const tests[] = {choose, choose_wrong, column_names, machine_rows,
                                  sort,   sort_vcpus,   cells};

    return suite_of("columns", tests, COUNT_OF(tests));
}
