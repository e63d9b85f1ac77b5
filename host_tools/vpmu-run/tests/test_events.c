/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <string.h>

#include "report/event-names.h"
#include "report/events.h"
#include "tests/tests.h"

struct text {
    const char *name, *key, *text;
};

static void check_texts(const struct text *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct events e = {.n = 0};
        struct failure f = {0};

        ck_assert_msg(events_add(&e, rows[i].name, &f) == 0, "%s", f.text);
        ck_assert_uint_eq(e.n, 1);
        ck_assert_str_eq(e.event[0].name, rows[i].name);
        ck_assert_str_eq(e.event[0].key, rows[i].key);
        ck_assert_str_eq(e.event[0].text, rows[i].text);
    }
}

/* Numbers from linux/perf_event.h: type, config, exclude as in protocol.h. */
START_TEST(event_texts)
{
    static const struct text rows[] = {
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
        {"syscalls:sys_enter_read", "tracepoint", "syscalls/sys_enter_read 0"},
        {"syscalls:u", "tracepoint", "raw_syscalls/sys_enter 2"},
    };

    check_texts(rows, COUNT_OF(rows));
}
END_TEST

/* Aliases and modifiers of perf-list(1). */
START_TEST(event_aliases)
{
    static const struct text rows[] = {
        {"cpu-cycles:u", "event", "0 0 2"},
        {"branch-instructions", "event", "0 4 0"},
        {"idle-cycles-backend", "event", "0 8 0"},
        {"faults", "event", "1 2 0"},
        {"cs", "event", "1 3 0"},
        {"migrations", "event", "1 4 0"},
        {"cpu-clock", "event", "1 0 0"},
        {"instructions:uk", "event", "0 1 0"},
        {"instructions:ku", "event", "0 1 0"},
        {"instructions:up", "event", "0 1 2"},
        {"instructions:pp", "event", "0 1 0"},
        {"instructions:uh", "event", "0 1 2"},
        /* config of PERF_TYPE_HW_CACHE: cache, op << 8, result << 16. */
        {"L1-dcache", "event", "3 0 0"},
        {"L1-dcache-stores", "event", "3 100 0"},
        {"L1-dcache-store-misses", "event", "3 10100 0"},
        {"L1-dcache-prefetches", "event", "3 200 0"},
        {"l1d-read-miss", "event", "3 10000 0"},
        {"L1-icache-prefetch-misses", "event", "3 10201 0"},
        {"LLC-store-misses:k", "event", "3 10102 1"},
        {"dTLB-stores", "event", "3 103 0"},
        {"iTLB-loads", "event", "3 4 0"},
        {"branch-loads", "event", "3 5 0"},
        {"branch-load-misses", "event", "3 10005 0"},
        {"branch-misses", "event", "0 5 0"},
        {"node-stores", "event", "3 106 0"},
        /* Formats of cpu and armv8_pmuv3_0 in sysfs. */
        {"cpu/event=0xc4,umask=0x20/", "event", "4 20c4 0"},
        {"cpu/event=0xc4,umask=0x20/u", "event", "4 20c4 2"},
        {"cpu/event=0x1c4/:k", "event", "4 1000000c4 1"},
        {"cpu/event=0x3c,cmask=1,inv,edge/", "event", "4 184003c 0"},
        {"cpu/config=0x3c/", "event", "4 3c 0"},
        {"cpu/branch-instructions/u", "event", "0 4 2"},
        {"armv8_pmuv3_0/event=0x8006/u", "event", "4 8006 2"},
    };

    check_texts(rows, COUNT_OF(rows));
}
END_TEST

struct list {
    const char *list;
    size_t n;
    const char *error;
};

static void check_lists(const struct list *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct events e = {.n = 0};
        struct failure f = {0};
        int err = events_add(&e, rows[i].list, &f);

        if (rows[i].error) {
            ck_assert_msg(err == -1, "%s", rows[i].list);
            ck_assert_int_eq(f.status, FAILURE_USAGE);
            ck_assert_msg(strstr(f.text, rows[i].error) != NULL, "%s", f.text);
        } else {
            ck_assert_msg(err == 0, "%s", f.text);
            ck_assert_uint_eq(e.n, rows[i].n);
        }
    }
}

START_TEST(event_lists)
{
    static const struct list rows[] = {
        {"cycles,instructions", 2, NULL},
        {events_default, 19, NULL},
        {"cycles,", 0, "not an event"},
        {"", 0, "not an event"},
        {"cyclez", 0, "no event 'cyclez': did you mean cycles?"},
    };

    check_lists(rows, COUNT_OF(rows));
}
END_TEST

START_TEST(event_errors)
{
    static const struct list rows[] = {
        {"instrutions:u", 0, "did you mean instructions?"},
        {"L1-dcache-load-mises", 0, "did you mean L1-dcache-load-misses?"},
        {"syscall", 0, "did you mean syscalls?"},
        {"zzz", 0, "no event 'zzz'; the man page"},
        {"instructions:x", 0, "no modifier 'x'"},
        {"instructions:uG", 0, "no modifier 'G'"},
        {"instructions:uu:k", 0, "no event 'instructions:uu:k'"},
        {"instructions:h", 0, "no hypervisor"},
        {"L1-icache-stores", 0, "no event 'L1-icache-stores'"},
        {"L1-dcache-load-misses-x", 0, "no event"},
        {"sched:", 0, "no event 'sched:'"},
        {"sched:*", 0, "'sched:*': patterns are not supported: name each event"},
        {"syscalls:sys_enter_*", 0, "patterns are not supported"},
        {"page-f?ults", 0, "patterns are not supported"},
        {"[cs]*", 0, "patterns are not supported"},
        {"cpu/event=0xc0,name=x/", 0, "leave name=x out"},
        {"sched:../x", 0, "no such PMU"},
        {"sched:sched_switch:q", 0, "no modifier 'q'"},
        {"cpu/event=0x11,umask=1/,cycles", 2, NULL},
        {"cpu/umask=0x100/", 0, "no term umask=0x100"},
        {"cpu/event=/", 0, "no term event="},
        {"cpu/event=-1/", 0, "no term event=-1"},
        {"cpu/foo=1/", 0, "no term foo=1"},
        {"cpu/foo/", 0, "no event 'cpu/foo/'"},
        {"uncore/event=1/", 0, "no such PMU"},
        {"{cycles,instructions}", 2, NULL},
        {"{cycles,instructions}:u,cs", 3, NULL},
        {"{cpu/event=1,umask=2/,cycles:u}:k", 2, NULL},
        {"{cycles", 0, "does not end in }"},
        {"{}", 0, "not an event"},
        {"cycles,cycles", 1, NULL},
        {"r", 0, "no event 'r'"},
        {"rxyz", 0, "no event 'rxyz'"},
        {"r1,r2,r3,r4,r5,r6,r7,r8,r9,ra,rb,rc,rd,re,rf", 15, NULL},
        {"r1,r2,r3,r4,r5,r6,r7,r8,r9,ra,rb,rc,rd,re,rf,page-faults", 16, NULL},
        {"r1,r2,r3,r4,r5,r6,r7,r8,r9,ra,rb,rc,rd,re,rf,r10", 0, "15 counters, 'r10'"},
    };

    check_lists(rows, COUNT_OF(rows));
}
END_TEST

/* The modifiers of a group are those of its events; a machine has the PMU of its architecture. */
START_TEST(event_groups)
{
    struct events e = {.n = 0};
    struct failure f = {0};

    ck_assert_msg(events_add(&e, "{cycles,sched:sched_switch,cpu/event=1/}:u", &f) == 0, "%s",
                  f.text);
    ck_assert_uint_eq(e.n, 3);
    ck_assert_str_eq(e.event[0].name, "cycles:u");
    ck_assert_str_eq(e.event[0].text, "0 0 2");
    ck_assert_str_eq(e.event[1].name, "sched:sched_switch:u");
    ck_assert_str_eq(e.event[1].text, "sched/sched_switch 2");
    ck_assert_str_eq(e.event[2].name, "cpu/event=1/u");
    ck_assert_str_eq(e.event[2].text, "4 1 2");
    ck_assert_int_eq(events_check(&e, EM_X86_64, &f), 0);
    ck_assert_int_eq(events_check(&e, EM_AARCH64, &f), -1);
    ck_assert_int_eq(f.status, FAILURE_RUN);
}
END_TEST

/*
 * What Linux's tables of events count for names of loads: amd_hw_cache_event_ids,
 * skl_hw_cache_event_ids and armv8_pmuv3_perf_cache_map. DTLB_LOAD_MISSES counts loads only.
 */
START_TEST(event_meanings)
{
    static const char both[] = "loads and stores", all[] = "loads, stores and fetches";
    static const struct {
        const char *name, *amd, *intel, *arm;
    } rows[] = {
        {"L1-dcache-loads", both, NULL, both},      {"L1-dcache", both, NULL, both},
        {"L1-dcache-loads:u", both, NULL, both},    {"L1-dcache-load-misses", both, both, both},
        {"l1d-read-miss:k", both, both, both},      {"dTLB-loads", both, NULL, both},
        {"dTLB-load-misses", both, NULL, both},     {"LLC-loads", all, NULL, NULL},
        {"LLC-load-misses", all, NULL, NULL},       {"L1-dcache-stores", NULL, NULL, NULL},
        {"L1-dcache-prefetches", NULL, NULL, NULL}, {"L1-icache-loads", NULL, NULL, NULL},
        {"iTLB-load-misses", NULL, NULL, NULL},     {"branch-loads", NULL, NULL, NULL},
        {"cache-misses", NULL, NULL, NULL},         {"r40", NULL, NULL, NULL},
        {"cpu/event=0x40/", NULL, NULL, NULL},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_pstr_eq(event_includes(rows[i].name, EM_X86_64, false), rows[i].amd);
        ck_assert_pstr_eq(event_includes(rows[i].name, EM_X86_64, true), rows[i].intel);
        ck_assert_pstr_eq(event_includes(rows[i].name, EM_AARCH64, false), rows[i].arm);
    }
}
END_TEST

void add_events_tests(Suite *suite)
{
    const TTest *const tests[] = {event_texts,  event_aliases, event_lists,
                                  event_errors, event_groups,  event_meanings};

    for (size_t i = 0; i < COUNT_OF(tests); i++) {
        TCase *tcase = tcase_create(tests[i]->name);

        tcase_add_test(tcase, tests[i]);
        suite_add_tcase(suite, tcase);
    }
}
