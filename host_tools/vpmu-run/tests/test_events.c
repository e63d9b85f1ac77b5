/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "report/events.h"
#include "tests/tests.h"

/* Numbers from linux/perf_event.h: type, config, exclude as in protocol.h. */
START_TEST(event_texts)
{
    static const struct {
        const char *name, *key, *text;
    } rows[] = {
        {"instructions", "event", "0 1 0"},
        {"instructions:u", "event", "0 1 2"},
        {"cycles:k", "event", "0 0 1"},
        {"L1-dcache-load-misses", "event", "3 10000 0"},
        {"iTLB-load-misses:u", "event", "3 10004 2"},
        {"LLC-loads", "event", "3 2 0"},
        {"page-faults", "event", "1 2 0"},
        {"r1c4:u", "event", "4 1c4 2"},
        {"syscalls", "tracepoint", "raw_syscalls/sys_enter 0"},
        {"sched:sched_switch", "tracepoint", "sched/sched_switch 0"},
        {"sched:sched_switch:k", "tracepoint", "sched/sched_switch 1"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct events e = {.n = 0};
        struct failure f = {0};

        ck_assert_msg(events_add(&e, rows[i].name, &f) == 0, "%s", f.text);
        ck_assert_uint_eq(e.n, 1);
        ck_assert_str_eq(e.event[0].name, rows[i].name);
        ck_assert_str_eq(e.event[0].key, rows[i].key);
        ck_assert_str_eq(e.event[0].text, rows[i].text);
    }
}
END_TEST

START_TEST(event_lists)
{
    static const struct {
        const char *list;
        size_t n;
        const char *error;
    } rows[] = {
        {"cycles,instructions", 2, NULL},
        {events_default, 19, NULL},
        {"cycles,", 0, "not an event"},
        {"", 0, "not an event"},
        {"cyclez", 0, "no event 'cyclez'"},
        {"r", 0, "no event 'r'"},
        {"rxyz", 0, "no event 'rxyz'"},
        {"r1,r2,r3,r4,r5,r6,r7,r8,r9,ra,rb,rc,rd,re,rf", 15, NULL},
        {"r1,r2,r3,r4,r5,r6,r7,r8,r9,ra,rb,rc,rd,re,rf,page-faults", 16, NULL},
        {"r1,r2,r3,r4,r5,r6,r7,r8,r9,ra,rb,rc,rd,re,rf,r10", 0, "15 counters, 'r10'"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct events e = {.n = 0};
        struct failure f = {0};
        int err = events_add(&e, rows[i].list, &f);

        if (rows[i].error) {
            ck_assert_int_eq(err, -1);
            ck_assert_int_eq(f.status, FAILURE_USAGE);
            ck_assert_msg(strstr(f.text, rows[i].error) != NULL, "%s", f.text);
        } else {
            ck_assert_msg(err == 0, "%s", f.text);
            ck_assert_uint_eq(e.n, rows[i].n);
        }
    }
}
END_TEST

void add_events_tests(Suite *suite)
{
    const TTest *const tests[] = {event_texts, event_lists};

    for (size_t i = 0; i < COUNT_OF(tests); i++) {
        TCase *tcase = tcase_create(tests[i]->name);

        tcase_add_test(tcase, tests[i]);
        suite_add_tcase(suite, tcase);
    }
}
