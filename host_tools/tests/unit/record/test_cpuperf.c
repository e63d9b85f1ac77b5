/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events the categories select, and which categories exclude each other. */
#include "cpuperf/cpuperf.h"

#include <stdio.h>
#include <string.h>

#include "unit/tests.h"

#define CYCLES "cpu:fixed:cycle_counter"
#define INSTRUCTIONS "cpu:fixed:instructions_retired"
#define TIMEBASE "cpu:timebase:fixed:cycle_counter"

/* Adds each of the lists in @lists, which are separated by a blank. */
static int make(struct cpuperf *c, struct events *e, const char *lists, struct error *t)
{
    char line[512];
    int err = 0;

    *c = (struct cpuperf){0};
    *e = (struct events){0};
    *t = (struct error){0};
    snprintf(line, sizeof(line), "%s", lists);
    for (char *list = strtok(line, " "); !err && list; list = strtok(NULL, " ")) {
        err = cpuperf_add(c, list, t);
    }
    return err ? err : cpuperf_end(c, e, t);
}

/* Lists the names in the trace and their events: "cycle_counter=cpu_cycles:u ..." */
static const char *describe(const struct cpuperf *c, const struct events *e)
{
    static char text[1024];
    size_t at = 0;

    text[0] = '\0';
    ck_assert_uint_eq(c->n, e->n);
    for (size_t i = 0; i < c->n; i++) {
        at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s=%s", i ? " " : "",
                               c->event[i]->name, e->event[i].text);
    }
    return text;
}

START_TEST(cpuperf_sessions)
{
    static const struct {
        const char *lists;
        const char *events;
        uint64_t rate; /* 0 for a tally */
        bool timebase;
        bool pc;
    } rows[] = {
        {CYCLES ",cpu:sample:100", "cycle_counter=cpu_cycles", 100, false, false},
        {"cpu:sample:1 " CYCLES, "cycle_counter=cpu_cycles", 1, false, false},
        {CYCLES ",cpu:tally", "cycle_counter=cpu_cycles", 0, false, false},
        /* Without a rate it is a tally, as in cpuperf. */
        {CYCLES, "cycle_counter=cpu_cycles", 0, false, false},
        {CYCLES ",cpu:os,cpu:user", "cycle_counter=cpu_cycles", 0, false, false},
        {CYCLES ",cpu:os", "cycle_counter=cpu_cycles:kh", 0, false, false},
        {CYCLES ",cpu:user", "cycle_counter=cpu_cycles:u", 0, false, false},
        {CYCLES ",cpu:pc,cpu:sample:5000", "cycle_counter=cpu_cycles", 5000, false, true},
        /* Several fixed categories; naming something twice changes nothing. */
        {CYCLES "," INSTRUCTIONS " " CYCLES ",cpu:sample:9 cpu:sample:9",
         "cycle_counter=cpu_cycles instructions_retired=inst_retired", 9, false, false},
        /* The programmable category comes last, wherever it was named. */
        {"cpu:arch:llc,cpu:arch:llc " INSTRUCTIONS,
         "instructions_retired=inst_retired llc_references=ll_cache llc_misses=ll_cache_miss", 0,
         false, false},
        {"cpu:l2_lines", "l2_trans_l2_wb=l2d_cache_wb l2_lines_in_all=l2d_cache_refill", 0, false,
         false},
        {"cpu:skl:l2_lines", "l2_trans_l2_wb=l2d_cache_wb l2_lines_in_all=l2d_cache_refill", 0,
         false, false},
        /* The timebase comes first and only once. */
        {INSTRUCTIONS ",cpu:sample:7," TIMEBASE ",cpu:user",
         "cycle_counter=cpu_cycles:u instructions_retired=inst_retired:u", 7, true, false},
        {INSTRUCTIONS ",cpu:sample:7," TIMEBASE "," CYCLES "," TIMEBASE,
         "cycle_counter=cpu_cycles instructions_retired=inst_retired", 7, true, false},
        {"cpu:arch:exceptions,cpu:sample:7," TIMEBASE ",cpu:pc",
         "cycle_counter=cpu_cycles exc_taken=exc_taken exc_return=exc_return", 7, true, true},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct cpuperf c;
        struct events e;
        struct error t;

        ck_assert_msg(make(&c, &e, rows[i].lists, &t) == 0, "%s: %s", rows[i].lists, t.text);
        ck_assert_str_eq(describe(&c, &e), rows[i].events);
        ck_assert_uint_eq(c.rate, rows[i].rate);
        ck_assert_int_eq(c.tally, !rows[i].rate);
        ck_assert_int_eq(c.timebase != NULL, rows[i].timebase);
        ck_assert_int_eq(c.pc, rows[i].pc);
        events_free(&e);
    }
}
END_TEST

/* Each row breaks a rule. The message says what is wrong and what to do. */
START_TEST(cpuperf_refused)
{
    static const struct {
        const char *lists;
        const char *text;
        const char *way_out;
    } rows[] = {
        {"cpu:nothing", "'cpu:nothing' is not a category", "--category help"},
        {"gfx," CYCLES, "'gfx' is not a category of the PMU's", "begin with cpu:"},
        {CYCLES ",", "'' is not a category", "begin with cpu:"},
        {"cpu:", "'cpu:' is not a category", "--category help"},
        {"cpu:a-name-that-is-longer-than-any-category-could-ever-be-and-then-some",
         "is not a category", "--category help"},
        {"cpu:skl:dtlb_load", "'cpu:skl:dtlb_load' exists on Intel CPUs only", "--category help"},
        {"cpu:offcore_misc", "'cpu:offcore_misc' exists on Intel CPUs only", "--category help"},
        {"cpu:mem:bytes", "'cpu:mem:bytes' exists on Intel CPUs only", "--category help"},
        {"cpu:last_branch", "'cpu:last_branch' exists on Intel CPUs only", "--category help"},
        {"cpu:sample:0", "'cpu:sample:0' is not a rate", "for example cpu:sample:10000"},
        {"cpu:sample:", "'cpu:sample:' is not a rate", "for example cpu:sample:10000"},
        {"cpu:sample:10k", "'cpu:sample:10k' is not a rate", "for example cpu:sample:10000"},
        {"cpu:sample:-1", "'cpu:sample:-1' is not a rate", "for example cpu:sample:10000"},
        {CYCLES ",cpu:sample:100,cpu:sample:500", "cpu:sample:100 and cpu:sample:500 exclude",
         "leave one out"},
        {CYCLES ",cpu:sample:100 cpu:tally", "cpu:sample:100 and cpu:tally exclude",
         "leave one out"},
        {CYCLES ",cpu:tally,cpu:sample:100", "cpu:tally and cpu:sample:100 exclude",
         "leave one out"},
        {"cpu:arch:llc,cpu:arch:branch", "cpu:arch:llc and cpu:arch:branch exclude",
         "record the other in another one"},
        {"cpu:l2_lines,cpu:arch:l1_data", "cpu:skl:l2_lines and cpu:arch:l1_data exclude",
         "record the other in another one"},
        {TIMEBASE ",cpu:timebase:fixed:instructions_retired," CYCLES,
         "cpu:timebase:fixed:cycle_counter and cpu:timebase:fixed:instructions_retired exclude",
         "leave one out"},
        {"cpu:timebase:arch:llc", "'cpu:timebase:arch:llc' is not a timebase",
         "use a fixed category"},
        {"cpu:timebase:", "'cpu:timebase:' is not a timebase", "use a fixed category"},
        {CYCLES "," TIMEBASE ",cpu:tally", TIMEBASE " needs a rate", "cpu:sample:10000"},
        {CYCLES "," TIMEBASE, TIMEBASE " needs a rate", "cpu:sample:10000"},
        {CYCLES ",cpu:pc,cpu:tally", "cpu:pc needs a rate", "cpu:sample:10000"},
        {CYCLES ",cpu:pc", "cpu:pc needs a rate", "cpu:sample:10000"},
        {"cpu:tally", "has no event", "add one such as " INSTRUCTIONS},
        {"cpu:os,cpu:sample:100", "has no event", "add one such as " INSTRUCTIONS},
        {TIMEBASE ",cpu:sample:100", "has no event", "add one such as " INSTRUCTIONS},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct cpuperf c;
        struct events e;
        struct error t;

        ck_assert_msg(make(&c, &e, rows[i].lists, &t) != 0, "%s: expected an error got none",
                      rows[i].lists);
        ck_assert_int_eq(t.code, ERROR_USAGE);
        ck_assert_msg(strstr(t.text, rows[i].text) && strstr(t.text, rows[i].way_out),
                      "%s: expected '%s' and '%s' got '%s'", rows[i].lists, rows[i].text,
                      rows[i].way_out, t.text);
        events_free(&e);
    }
}
END_TEST

/*
 * Each category can be used alone and together with all fixed ones. The library knows all its
 * events.
 */
START_TEST(cpuperf_categories)
{
    const struct category *category;
    char fixed[256] = "";
    size_t most = 0;

    for (size_t i = 0; (category = categories_get(i)); i++) {
        size_t end = strlen(fixed);

        if (category->fixed) {
            snprintf(fixed + end, sizeof(fixed) - end, "cpu:%s,", category->name);
        }
    }
    for (size_t i = 0; (category = categories_get(i)); i++) {
        char list[512];
        struct cpuperf c;
        struct events e;
        struct error t;

        snprintf(list, sizeof(list), "%scpu:%s", fixed, category->name);
        ck_assert_msg(make(&c, &e, list, &t) == 0, "%s: %s", list, t.text);
        most = c.n > most ? c.n : most;
        for (size_t n = 0; n < e.n; n++) {
            ck_assert_msg(e.event[n].known, "%s: there is no event %s", list, e.event[n].text);
        }
        ck_assert(categories_find(category->name) == category);
        ck_assert(!categories_is_missing(category->name));
        events_free(&e);
    }
    ck_assert_uint_le(most, CPUPERF_EVENTS);
    ck_assert_uint_eq(most, 9);
}
END_TEST

Suite *cpuperf_suite(void)
{
    const TTest *const tests[] = {cpuperf_sessions, cpuperf_refused, cpuperf_categories};

    return suite_of("cpuperf", tests, COUNT_OF(tests));
}
