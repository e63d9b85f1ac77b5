/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>
#include <time.h>

#include "session/measure.h"
#include "unit/tests.h"

/* What the fake machine does while the program waits. */
enum happens {
    NOTHING,  /* time passes */
    SHUTDOWN, /* it announces a shutdown immediately */
    ENDS,
    STOP, /* the user stops the program */
    LIES,
};

/*
 * A machine whose count grows by 10 between two readings. @script says what happens in each wait.
 * The machine ends at reading @end unless that is 0. Reports are recorded as differences.
 */
struct fake {
    struct qmp q;
    enum happens script[8];
    unsigned waits;
    unsigned readings;
    unsigned end;
    unsigned begun;
    unsigned reports;
    uint64_t reported[8];
};

static void sleep_until(int64_t until)
{
    const struct timespec at = {until / 1000000000, until % 1000000000};

    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL);
}

static int fake_wait(struct qmp *q, int64_t until, struct error *t)
{
    struct fake *f = (struct fake *)q;

    switch (f->script[f->waits++]) {
    case ENDS:
        return error_set(t, ERROR_ENDED, "the machine ended");
    case STOP:
        return error_set(t, ERROR_STOPPED, "stopped");
    case LIES:
        return error_set(t, ERROR_TALK, "nonsense");
    case SHUTDOWN:
        return 0;
    default:
        sleep_until(until);
        return 0;
    }
}

static const struct qmp_ops fake_ops = {.wait = fake_wait};

static int fake_read(struct measure *m, void *reading, struct error *t)
{
    struct fake *f = m->opaque;
    uint64_t value = 10 * ++f->readings;

    /* A reading that fails halfway must not be used. */
    memset(reading, 0xff, sizeof(value));
    if (f->readings == f->end) {
        return error_set(t, ERROR_ENDED, "the machine ended");
    }
    memcpy(reading, &value, sizeof(value));
    return 0;
}

/* What is measured starts once, right after the first reading. */
static int fake_begun(struct measure *m, struct error *t)
{
    struct fake *f = m->opaque;

    (void)t;
    f->begun++;
    ck_assert_uint_eq(f->readings, 1);
    return 0;
}

static void fake_report(struct measure *m)
{
    struct fake *f = m->opaque;

    f->reported[f->reports++] = *(uint64_t *)m->now - *(uint64_t *)m->last;
}

/* The options, what happens, and the expected result. */
struct row {
    struct measure_options o;
    bool is_state;
    enum happens script[8];
    unsigned end;
    enum error_code code;
    const char *text;
    unsigned reports;
    uint64_t reported[8];
};

static void check_row(const struct row *row, int number)
{
    const struct measure_ops ops = {
        .read = fake_read,
        .begun = fake_begun,
        .report = fake_report,
        .is_state = row->is_state,
    };
    struct fake f = {.q = {.ops = &fake_ops, .patience = 1000}, .end = row->end};
    struct session s = {.q = &f.q};
    struct measure m = {.ops = &ops, .o = &row->o, .s = &s, .size = 8, .opaque = &f};
    struct error t = {0};

    memcpy(f.script, row->script, sizeof(f.script));
    ck_assert_int_eq(out_open(&s.out, "/dev/null", true, OUT_COLOR_NEVER, &t), 0);
    ck_assert_int_eq(measure_run(&m, &t), row->code == ERROR_NONE ? 0 : -1);
    ck_assert_msg(t.code == row->code, "row %d: expected an error %d got %d", number, row->code,
                  t.code);
    ck_assert_msg(!row->text || strstr(t.text, row->text), "row %d: expected '%s' got '%s'", number,
                  row->text, t.text);
    ck_assert_msg(f.reports == row->reports, "row %d: expected %u reports got %u", number,
                  row->reports, f.reports);
    ck_assert_msg(f.begun == (row->end != 1), "row %d: started %u times", number, f.begun);
    for (unsigned i = 0; i < row->reports; i++) {
        ck_assert_msg(f.reported[i] == row->reported[i],
                      "row %d: expected %lu in report %u got %lu", number,
                      (unsigned long)row->reported[i], i, (unsigned long)f.reported[i]);
    }
    out_close(&s.out, true, &t);
}

static void check_rows(const struct row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        check_row(&rows[i], (int)i);
    }
}

START_TEST(measure_ends_by_itself)
{
    static const struct row rows[] = {
        /* One report of everything: readings at 0 and at the end. */
        {.o = {.timeout = 20}, .reports = 1, .reported = {10}},
        {.o = {.interval = 10, .count = 3}, .reports = 3, .reported = {10, 10, 10}},
        /* A report at 300 ms, and one for the rest at 500 ms. */
        {.o = {.interval = 300, .timeout = 500}, .reports = 2, .reported = {10, 10}},
        /* The first limit that is reached ends the measurement. */
        {.o = {.interval = 10, .count = 1, .timeout = 1000}, .reports = 1, .reported = {10}},
        /* A state: one reading, which is 10; or with a time limit, the one at the end. */
        {.is_state = true, .reports = 1, .reported = {10}},
        {.is_state = true, .o = {.timeout = 20}, .reports = 1, .reported = {20}},
        {.is_state = true, .o = {.interval = 10, .count = 2}, .reports = 2, .reported = {20, 30}},
    };

    check_rows(rows, COUNT_OF(rows));
}
END_TEST

START_TEST(measure_machine_ends)
{
    static const struct row rows[] = {
        /*
         * The machine announces a shutdown and is read. After it has ended, that reading is
         * reported.
         */
        {.script = {SHUTDOWN, SHUTDOWN, ENDS},
         .code = ERROR_ENDED,
         .text = "the machine ended after",
         .reports = 1,
         .reported = {20}},
        /* The machine ends during the third reading. */
        {.script = {SHUTDOWN, SHUTDOWN},
         .end = 3,
         .code = ERROR_ENDED,
         .text = "ended after",
         .reports = 1,
         .reported = {10}},
        /*
         * With -I, the reading at the shutdown does not end an interval but is reported at the end.
         */
        {.o = {.interval = 10},
         .script = {NOTHING, SHUTDOWN, ENDS},
         .code = ERROR_ENDED,
         .text = "ended after",
         .reports = 2,
         .reported = {10, 10}},
        /* Everything has been reported already. */
        {.o = {.interval = 10},
         .script = {NOTHING, ENDS},
         .code = ERROR_ENDED,
         .text = "ended after",
         .reports = 1,
         .reported = {10}},
        /* One reading gives no difference. A state can be reported after one reading. */
        {.script = {ENDS}, .code = ERROR_ENDED, .text = "before anything was measured"},
        {.is_state = true,
         .o = {.timeout = 1000},
         .script = {ENDS},
         .code = ERROR_ENDED,
         .reports = 1,
         .reported = {10}},
        {.end = 1, .code = ERROR_ENDED, .text = "the machine ended"},
    };

    check_rows(rows, COUNT_OF(rows));
}
END_TEST

START_TEST(measure_user_ends)
{
    static const struct row rows[] = {
        /* The machine is read once more. */
        {.script = {STOP}, .reports = 1, .reported = {10}},
        {.script = {SHUTDOWN, STOP}, .reports = 1, .reported = {20}},
        {.o = {.interval = 10}, .script = {NOTHING, STOP}, .reports = 2, .reported = {10, 10}},
        /* The machine does not answer any more. */
        {.script = {SHUTDOWN, STOP}, .end = 3, .code = ERROR_ENDED, .reports = 1, .reported = {10}},
        /* If the machine's answer is invalid, its earlier readings are not reported either. */
        {.script = {SHUTDOWN, LIES}, .code = ERROR_TALK, .text = "nonsense"},
    };

    check_rows(rows, COUNT_OF(rows));
}
END_TEST

START_TEST(measure_records)
{
    static const struct measure_options plain = {0};
    static const struct measure_options interval = {.interval = 10};
    const struct pmu pmu = {.cpu = 3};
    struct measure m = {.o = &plain, .began = 1, .read = 1500000001};
    struct json_object *records[] = {measure_record(&m, NULL), measure_record(&m, &pmu), NULL};

    m.o = &interval;
    records[2] = measure_record(&m, &pmu);
    ck_assert_str_eq(json_object_to_json_string_ext(records[0], JSON_C_TO_STRING_PLAIN), "{}");
    ck_assert_str_eq(json_object_to_json_string_ext(records[1], JSON_C_TO_STRING_PLAIN),
                     "{\"cpu\":3}");
    ck_assert_str_eq(json_object_to_json_string_ext(records[2], JSON_C_TO_STRING_PLAIN),
                     "{\"interval\":1.500000000,\"cpu\":3}");
    for (size_t i = 0; i < COUNT_OF(records); i++) {
        json_object_put(records[i]);
    }
}
END_TEST

Suite *measure_suite(void)
{
    const TTest *const tests[] = {measure_ends_by_itself, measure_machine_ends, measure_user_ends,
                                  measure_records};

    return suite_of("measure", tests, COUNT_OF(tests));
}
