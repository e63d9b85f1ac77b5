/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Totals of events, which are compared with the counts at the end of a stream. */
#include "record/event-totals.h"

#include <string.h>

#include "unit/tests.h"

/* Two vCPUs with two events each; the second one is sampled. */
static const struct stream stream = {
    .start = {.cpus = 2, .events = 2},
    .event = {{.name = "cycles"}, {.name = "instructions", .period = 10}},
};

/* The second event on vCPU 1 has two samples, which stand for 40 events, and one that was lost. */
static struct event_totals totals_of(const struct vpmu_record_host *host)
{
    struct vpmu_record_sample sample = {.head.cpu = 1, .event = 1, .weight = 10};
    struct vpmu_record_lost lost = {.head.cpu = 1, .event = 1, .samples = 1};
    struct event_totals l = {0};
    struct error t = {0};

    ck_assert_int_eq(event_totals_begin(&l, &stream, &t), 0);
    ck_assert_uint_eq(event_totals_size(&l), 4);
    ck_assert_ptr_eq(event_totals_sample(&l, &sample), &l.rows[3]);
    sample.weight = 30;
    event_totals_sample(&l, &sample);
    event_totals_lost(&l, &lost);
    if (host) {
        event_totals_host(&l, host);
    }
    return l;
}

START_TEST(keeps_counts)
{
    const struct vpmu_record_count count = {.head.cpu = 1,
                                            .event = 1,
                                            .count = 57,
                                            .weight = 50,
                                            .samples = 2,
                                            .lost = 1,
                                            .limited = 3,
                                            .period = 10};
    const struct vpmu_record_host host = {
        .head.cpu = 1, .event = 1, .enabled = 4, .running = 5, .elsewhere = 6, .throttled = 7};
    const struct event_totals_row want = {.samples = 2,
                                          .weight = 40,
                                          .lost = 1,
                                          .reported = 1,
                                          .counted = true,
                                          .count = 57,
                                          .limited = 3};
    struct event_totals l = totals_of(NULL);
    struct error t = {0};

    ck_assert_msg(event_totals_count(&l, &count, &t) == 0, "%s", t.text);
    ck_assert_mem_eq(event_totals_row(&l, 1, 1), &want, sizeof(want));
    ck_assert_uint_eq(event_totals_row(&l, 1, 0)->samples + event_totals_row(&l, 0, 1)->samples, 0);
    ck_assert_int_eq(event_totals_count(&l, &count, &t), -1);
    ck_assert_msg(strstr(t.text, "two counts of instructions on vCPU 1") != NULL, "%s", t.text);
    event_totals_free(&l);
    ck_assert_ptr_null(l.rows);
    l = totals_of(&host);
    ck_assert(l.rows[3].hosts && !l.rows[2].hosts);
    ck_assert_uint_eq(l.rows[3].enabled, 4);
    ck_assert_uint_eq(l.rows[3].running, 5);
    ck_assert_uint_eq(l.rows[3].elsewhere, 6);
    ck_assert_uint_eq(l.rows[3].throttled, 7);
    event_totals_free(&l);
}
END_TEST

/* The remainder is less than a period, unless the host's PMU counts. */
START_TEST(compares)
{
    static const struct {
        struct vpmu_record_count count;
        bool hosts;
        const char *why;
    } rows[] = {
        {{.count = 59, .weight = 50, .samples = 2, .lost = 1}, false, NULL},
        {{.count = 60, .weight = 50, .samples = 2, .lost = 1}, false, "the remainder"},
        {{.count = 60, .weight = 50, .samples = 2, .lost = 1}, true, NULL},
        {{.count = 50, .weight = 50, .samples = 2, .lost = 1}, false, NULL},
        {{.count = 49, .weight = 50, .samples = 2, .lost = 1}, false, "the remainder"},
        {{.count = 49, .weight = 50, .samples = 2, .lost = 1}, true, "the remainder"},
        {{.count = 59, .weight = 50, .samples = 3, .lost = 1}, false, "the number of samples"},
        {{.count = 59, .weight = 50, .samples = 2, .lost = 0}, false, "the number of samples"},
        {{.count = 59, .weight = 50, .samples = 2, .lost = 2}, false, NULL},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct vpmu_record_host host = {.head.cpu = 1, .event = 1};
        struct event_totals l = totals_of(rows[i].hosts ? &host : NULL);
        struct vpmu_record_count count = rows[i].count;
        struct error t = {0};

        count.head.cpu = count.event = 1;
        count.period = 10;
        ck_assert_msg(event_totals_count(&l, &count, &t) == (rows[i].why ? -1 : 0), "row %zu", i);
        ck_assert_msg(strncmp(t.text, rows[i].why ? rows[i].why : "",
                              rows[i].why ? strlen(rows[i].why) : 1) == 0,
                      "row %zu: %s", i, t.text);
        ck_assert_int_eq(t.code, rows[i].why ? ERROR_TALK : ERROR_NONE);
        event_totals_free(&l);
    }
}
END_TEST

/* Without lost samples, all their weights are known. An event without a period has no remainder. */
START_TEST(compares_weights)
{
    const struct vpmu_record_sample sample = {.weight = 10};
    struct vpmu_record_count count = {.count = 1000, .weight = 10, .samples = 1};

    for (unsigned i = 0; i < 2; i++, count.weight++) {
        struct event_totals l = {0};
        struct error t = {0};

        ck_assert_int_eq(event_totals_begin(&l, &stream, &t), 0);
        event_totals_sample(&l, &sample);
        ck_assert_int_eq(event_totals_count(&l, &count, &t), i ? -1 : 0);
        ck_assert_msg(strstr(t.text, i ? "the weight of samples" : "") != NULL, "%s", t.text);
        event_totals_free(&l);
    }
}
END_TEST

Suite *event_totals_suite(void)
{
    const TTest *const tests[] = {keeps_counts, compares, compares_weights};

    return suite_of("event_totals", tests, COUNT_OF(tests));
}
