/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/thread-filter.h"

#include "unit/tests.h"

START_TEST(thread_filter_keeps_any)
{
    const struct thread_filter all = {.pids = 0};
    const struct thread_filter f = {
        .pid = {7, 8}, .pids = 2, .tid = {100}, .tids = 1, .comm = {"sh"}, .comms = 1};
    static const struct {
        uint32_t pid;
        uint32_t tid;
        const char *comm;
        bool kept;
    } rows[] = {
        {8, 9, "x", true},   {1, 100, NULL, true},  {1, 2, "sh", true},
        {1, 2, "s", false},  {100, 7, NULL, false}, {1, 2, "shh", false},
        {0, 0, NULL, false}, {7, 0, NULL, true},    {0, 0, "sh", true},
    };

    ck_assert(thread_filter_is_empty(&all) && !thread_filter_is_empty(&f));
    /* One of each kind is not nothing. */
    ck_assert(!thread_filter_is_empty(&(struct thread_filter){.pids = 1, .tids = 1}));
    ck_assert(!thread_filter_is_empty(&(struct thread_filter){.tids = 1, .comms = 1}));
    ck_assert(!thread_filter_is_empty(&(struct thread_filter){.comms = 1, .vmids = 1}));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ck_assert(thread_filter_keeps(&all, rows[i].pid, rows[i].tid, rows[i].comm));
        ck_assert_msg(thread_filter_keeps(&f, rows[i].pid, rows[i].tid, rows[i].comm) ==
                          rows[i].kept,
                      "row %zu", i);
    }
}
END_TEST

START_TEST(thread_filter_lists)
{
    static const struct {
        const char *list;
        size_t n; /* 0: it is refused */
    } rows[] = {{"1", 1},  {"0,4711", 2}, {"", 0},          {"1,", 0},
                {"-1", 0}, {"x", 0},      {"2147483648", 0}};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint32_t number[THREAD_FILTER_MAX];
        struct error t = {0};
        size_t n = 0;
        int err = thread_filter_numbers(number, &n, rows[i].list, &t);

        ck_assert_msg((err == 0) == (rows[i].n > 0), "'%s' gives %d", rows[i].list, err);
        ck_assert(err || n == rows[i].n);
    }
}
END_TEST

START_TEST(thread_filter_guest_lists)
{
    static const struct {
        const char *list;
        size_t n; /* 0: it is refused */
    } rows[] = {{"vmid-1", 1},
                {"vmid-0,vmid-65535", 2},
                {"", 0},
                {"vmid-1,", 0},
                {"1", 0},
                {"vmid-", 0},
                {"vmid--1", 0},
                {"vmid-65536", 0},
                {"guest-1", 0},
                {"svm-1", 1},
                {"svm-65535,vmid-1", 2},
                {"svm-0", 0},
                {"svm-65536", 0},
                {"svm-", 0}};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct thread_filter f = {.pids = 0};
        struct error t = {0};
        int err = thread_filter_guests(&f, rows[i].list, &t);

        ck_assert_msg((err == 0) == (rows[i].n > 0), "'%s' gives %d", rows[i].list, err);
        ck_assert(err || f.vmids == rows[i].n);
    }
}
END_TEST

/* A guest is no thread, and a thread no guest. */
START_TEST(thread_filter_keeps_guests)
{
    const struct thread_filter all = {.pids = 0};
    const struct thread_filter some = {.vmid = {3, 5}, .vmids = 2};
    const struct thread_filter threads = {.pid = {3}, .pids = 1};

    ck_assert(thread_filter_keeps_guest(&all, 4) && !thread_filter_is_empty(&some));
    ck_assert(thread_filter_keeps_guest(&some, 3) && thread_filter_keeps_guest(&some, 5));
    ck_assert(!thread_filter_keeps_guest(&some, 4) && !thread_filter_keeps_guest(&threads, 3));
    ck_assert(!thread_filter_keeps(&some, 3, 3, "x"));
    ck_assert(!thread_filter_keeps_guest(&some, 0));
}
END_TEST

/* A guest of SVM has no VMID. */
START_TEST(thread_filter_keeps_svm)
{
    struct thread_filter f = {.pids = 0};
    struct error t = {0};

    ck_assert_int_eq(thread_filter_guests(&f, "svm-3,vmid-5", &t), 0);
    ck_assert(thread_filter_keeps_guest(&f, THREAD_FILTER_SVM + 3));
    ck_assert(thread_filter_keeps_guest(&f, 5));
    ck_assert(!thread_filter_keeps_guest(&f, 3));
    ck_assert(!thread_filter_keeps_guest(&f, THREAD_FILTER_SVM + 5));
}
END_TEST

START_TEST(thread_filter_too_many_guests)
{
    struct thread_filter f = {.vmids = THREAD_FILTER_MAX - 1};
    struct error t = {0};

    ck_assert(thread_filter_guests(&f, "vmid-1,vmid-2", &t) == -1);
    ck_assert_str_eq(t.text, "at most 64 guests can be given");
    ck_assert_uint_eq(f.vmid[THREAD_FILTER_MAX - 1], 1);
}
END_TEST

START_TEST(thread_filter_too_many_numbers)
{
    uint32_t number[THREAD_FILTER_MAX] = {0};
    size_t n = THREAD_FILTER_MAX - 1;
    struct error t = {0};

    ck_assert_int_eq(thread_filter_numbers(number, &n, "7", &t), 0);
    ck_assert_uint_eq(number[THREAD_FILTER_MAX - 1], 7);
    ck_assert_int_eq(thread_filter_numbers(number, &n, "8", &t), -1);
    ck_assert_str_eq(t.text, "at most 64 IDs can be given");
    ck_assert_uint_eq(n, THREAD_FILTER_MAX);
}
END_TEST

START_TEST(thread_filter_too_many_names)
{
    struct thread_filter f = {.comms = THREAD_FILTER_MAX - 1};
    struct error t = {0};

    ck_assert_int_eq(thread_filter_comm(&f, "sh", &t), 0);
    ck_assert_str_eq(f.comm[THREAD_FILTER_MAX - 1], "sh");
    ck_assert_int_eq(thread_filter_comm(&f, "ls", &t), -1);
    ck_assert_str_eq(t.text, "--comm can be given at most 64 times");
}
END_TEST

Suite *thread_filter_suite(void)
{
    const TTest *const tests[] = {thread_filter_keeps_any,      thread_filter_lists,
                                  thread_filter_guest_lists,    thread_filter_keeps_guests,
                                  thread_filter_keeps_svm,      thread_filter_too_many_guests,
                                  thread_filter_too_many_names, thread_filter_too_many_numbers};

    return suite_of("thread-filter", tests, COUNT_OF(tests));
}
