/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Groups of perf events: opening, both kinds of reading, scaling. */
#include <errno.h>

#include "fixture.h"
#include "kvm_glue/group.h"

static const struct kvm_glue_event three[] = {
    {.type = PERF_TYPE_HARDWARE},
    {PERF_TYPE_HARDWARE, 0, {.exclude_host = true}},
    {PERF_TYPE_HARDWARE, 0, {.exclude_guest = true, .exclude_user = true, .exclude_hv = true}},
};

static struct kvm_glue_group open_three(pid_t tid)
{
    struct kvm_glue_group g;

    expect("open", 0, kvm_glue_group_open(&g, &fake_os, three, 3, tid, NULL));
    return g;
}

static void expect_reading(struct kvm_glue_group *g, uint64_t a, uint64_t b, uint64_t c,
                           bool by_user)
{
    struct kvm_glue_reading reading;

    expect("read", 0, kvm_glue_group_read(g, &reading));
    expect("both", (long long)a, (long long)reading.value[0]);
    expect("guest", (long long)b, (long long)reading.value[1]);
    expect("host's kernel", (long long)c, (long long)reading.value[2]);
    expect("by user", by_user, reading.by_user);
}

START_TEST(attributes)
{
    struct kvm_glue_group g = open_three(77);
    const struct fake_event *e = fake.event;

    ck_assert(e[0].attr.disabled && !e[1].attr.disabled && e[0].on && e[1].on && e[2].on);
    expect("thread", 77, e[2].tid);
    expect("leader", -1, e[0].group);
    expect("group", 100, e[2].group);
    ck_assert(!e[0].attr.exclude_host && e[1].attr.exclude_host && !e[1].attr.exclude_guest);
    ck_assert(e[2].attr.exclude_guest && e[2].attr.exclude_user && e[2].attr.exclude_hv);
    ck_assert(!e[2].attr.exclude_kernel && !e[0].attr.exclude_hv && !e[0].attr.exclude_user);
    expect("no user access to another thread", 0, (long long)e[0].attr.config1);
    kvm_glue_group_close(&g);
    expect("closed", 0, fake_open_events());
    kvm_glue_group_close(&g);
}
END_TEST

START_TEST(by_system_call)
{
    struct kvm_glue_group g = open_three(77);

    fake_cycles(IN_GUEST, 5);
    fake_cycles(IN_HOST_KERNEL, 7);
    fake_cycles(IN_HOST_USER, 1);
    expect_reading(&g, 13, 5, 7, false);
    expect("one call", 1, fake.reads);
    kvm_glue_group_close(&g);
}
END_TEST

/* Counters are 32 bits wide and overflow. An event that moves to another counter is read again. */
START_TEST(by_user)
{
    struct kvm_glue_group g;

    fake.user_access = true;
    g = open_three(0);
    fake_cycles(IN_GUEST, 0x7fffffff);
    expect_reading(&g, 0x7fffffff, 0x7fffffff, 0, true);
    fake_cycles(IN_GUEST, 0x200000000);
    expect_reading(&g, 0x27fffffff, 0x27fffffff, 0, true);
    fake_cycles(IN_GUEST, 0x10);
    expect_reading(&g, 0x28000000f, 0x28000000f, 0, true);
    fake.moves = 3;
    expect_reading(&g, 0x28000000f, 0x28000000f, 0, true);
    expect("no call", 0, fake.reads);
    expect("all moves seen", 0, fake.moves);
    fake.moves = 1000;
    expect_reading(&g, 0x28000000f, 0x28000000f, 0, false);
    expect("a counter that does not keep still", 1, fake.reads);
    kvm_glue_group_close(&g);
    ck_assert(fake.event[0].page == NULL && fake.event[2].page == NULL);
}
END_TEST

/*
 * A system call is used without permission, without pages, if the group has no counters, or after
 * it had none.
 */
START_TEST(not_by_user)
{
    struct kvm_glue_group g = open_three(0);

    expect("asked for it", 2, (long long)fake.event[0].attr.config1);
    expect_reading(&g, 0, 0, 0, false);
    kvm_glue_group_close(&g);

    fake.user_access = true;
    fake.no_pages = true;
    g = open_three(0);
    expect_reading(&g, 0, 0, 0, false);
    kvm_glue_group_close(&g);

    fake.no_pages = false;
    fake.no_index = true;
    g = open_three(0);
    expect_reading(&g, 0, 0, 0, false);
    kvm_glue_group_close(&g);

    fake.no_index = false;
    g = open_three(0);
    fake.starved = true;
    fake_cycles(IN_GUEST, 10);
    expect_reading(&g, 0, 0, 0, false);
    fake.starved = false;
    fake_cycles(IN_GUEST, 10);
    expect_reading(&g, 10, 10, 0, false);
    kvm_glue_group_close(&g);

    fake.user_config_refused = true;
    g = open_three(0);
    expect("asked without", 0, (long long)fake.event[0].attr.config1);
    kvm_glue_group_close(&g);
}
END_TEST

/* With 100 ns enabled and 25 ns running, the count is scaled by four. */
START_TEST(deltas)
{
    static const struct {
        const char *name;
        struct kvm_glue_reading from;
        struct kvm_glue_reading to;
        bool known;
        bool scaled;
        uint64_t delta;
    } rows[] = {
        {"all the time", {10, 10, false, {5}}, {20, 20, false, {105}}, true, false, 100},
        {"a quarter", {0, 0, false, {0}}, {100, 25, false, {10}}, true, true, 40},
        {"a quarter, before not at all",
         {50, 0, false, {5}},
         {150, 25, false, {15}},
         true,
         true,
         40},
        {"never", {0, 0, false, {0}}, {100, 0, false, {0}}, false, true, 0},
        {"two ways", {10, 10, true, {5}}, {20, 20, false, {105}}, false, false, 0},
        {"by user", {10, 10, true, {5}}, {10, 10, true, {105}}, true, false, 100},
        {"wraps", {0, 0, false, {UINT64_MAX}}, {1, 1, false, {4}}, true, false, 5},
        {"too large", {0, 0, false, {0}}, {100, 1, false, {UINT64_MAX}}, true, true, UINT64_MAX},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint64_t delta = 0;

        expect(rows[i].name, rows[i].known,
               kvm_glue_group_delta(&rows[i].from, &rows[i].to, 0, &delta));
        expect(rows[i].name, rows[i].scaled, kvm_glue_group_scaled(&rows[i].from, &rows[i].to));
        if (rows[i].known) {
            expect(rows[i].name, (long long)rows[i].delta, (long long)delta);
        }
    }
}
END_TEST

START_TEST(open_errors)
{
    static const struct {
        int error;
        enum kvm_glue_topic topic;
        const char *why;
    } rows[] = {
        {EACCES, KVM_GLUE_TOPIC_PERMISSION, "kernel.perf_event_paranoid is 1; counting"},
        {EPERM, KVM_GLUE_TOPIC_PERMISSION, "needs 1 or less, or CAP_PERFMON"},
        {ENOENT, KVM_GLUE_TOPIC_NO_PMU, "no PMU that counts this"},
        {EOPNOTSUPP, KVM_GLUE_TOPIC_NO_PMU, "cannot count this"},
        {ENODEV, KVM_GLUE_TOPIC_NO_PMU, "cannot count this"},
        {ENOSPC, KVM_GLUE_TOPIC_TOO_FEW, "too few counters"},
        {EINVAL, KVM_GLUE_TOPIC_TOO_FEW, "too few counters for these events together"},
        {EBUSY, KVM_GLUE_TOPIC_TOO_FEW, "another user holds"},
        {ESRCH, KVM_GLUE_TOPIC_GONE, "the thread has ended"},
        {EMFILE, KVM_GLUE_TOPIC_OTHER, "raise ulimit -n"},
        {ENFILE, KVM_GLUE_TOPIC_OTHER, "raise fs.file-max"},
        {ENOMEM, KVM_GLUE_TOPIC_OTHER, "the kernel is out of memory; free some"},
        {ENOSYS, KVM_GLUE_TOPIC_NO_PMU, "allow perf_event_open"},
        {E2BIG, KVM_GLUE_TOPIC_OTHER, "does not know a field of the event; use a later kernel"},
        {EIO, KVM_GLUE_TOPIC_OTHER, "Input/output error: unexpected"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (int at = 0; at < 3; at++) {
            struct kvm_glue_group g;
            struct kvm_glue_error err;

            fake_start();
            fake.fail_open_at = at;
            fake.fail_open_error = rows[i].error;
            expect(rows[i].why, -rows[i].error,
                   kvm_glue_group_open(&g, &fake_os, three, 3, 77, &err));
            expect_text("why", rows[i].why, err.text);
            expect("topic", rows[i].topic, kvm_glue_group_topic(-rows[i].error));
            expect("nothing stays open", 0, fake_open_events());
        }
    }
    fake_file_gone("/proc/sys/kernel/perf_event_paranoid");
    fake.paranoid = 2;
    expect("no /proc", -EACCES,
           kvm_glue_group_open(&(struct kvm_glue_group){0}, &fake_os, three, 3, 77,
                               &(struct kvm_glue_error){0}));
}
END_TEST

START_TEST(read_errors)
{
    struct kvm_glue_group g = open_three(77);
    struct kvm_glue_group closed = {0};
    struct kvm_glue_reading reading;

    fake.fail_read = EIO;
    expect("error", -EIO, kvm_glue_group_read(&g, &reading));
    fake.fail_read = -1;
    expect("end of file", -ENODEV, kvm_glue_group_read(&g, &reading));
    fake.fail_read = -2;
    expect("a value less", -ENODEV, kvm_glue_group_read(&g, &reading));
    kvm_glue_group_close(&g);
    expect("closed", -EBADF, kvm_glue_group_read(&g, &reading));
    expect("never open", -EBADF, kvm_glue_group_read(&closed, &reading));
}
END_TEST

/* No event, or more than the maximum. */
START_TEST(impossible_counts)
{
    static const struct kvm_glue_event many[KVM_GLUE_GROUP_MAX + 1];
    struct kvm_glue_group g;
    struct kvm_glue_error err;

    expect("none", -EINVAL, kvm_glue_group_open(&g, &fake_os, many, 0, 0, &err));
    expect_text("none", "has 0 events; there can be 1 to 6", err.text);
    expect("too many", -EINVAL,
           kvm_glue_group_open(&g, &fake_os, many, KVM_GLUE_GROUP_MAX + 1, 0, &err));
    expect_text("too many", "has 7 events", err.text);
    expect("none is open", 0, fake_open_events());
    expect("closed", 0, g.count);
    kvm_glue_group_close(&g);
}
END_TEST

Suite *group_suite(void)
{
    const TTest *const tests[] = {attributes, by_system_call, by_user,     not_by_user,
                                  deltas,     open_errors,    read_errors, impossible_counts};

    return suite_of("group", tests, COUNT_OF(tests));
}
