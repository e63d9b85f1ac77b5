/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Software events of threads: with permission, without, and on the running kernel. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "fixture.h"
#include "kvm_glue/software.h"

#define ALL_VALID 0x1fu

START_TEST(counted)
{
    struct kvm_glue_software s;
    struct kvm_glue_software_values values;

    expect("open", 0, kvm_glue_software_open(&s, &fake_os, 77, NULL));
    fake_software(PERF_COUNT_SW_TASK_CLOCK, 1000);
    fake_software(PERF_COUNT_SW_CONTEXT_SWITCHES, 3);
    fake_software(PERF_COUNT_SW_CPU_MIGRATIONS, 2);
    fake_software(PERF_COUNT_SW_PAGE_FAULTS_MIN, 5);
    fake_software(PERF_COUNT_SW_PAGE_FAULTS_MAJ, 1);
    expect("total", 0, kvm_glue_software_total(&s, &values));
    expect("valid", ALL_VALID, values.valid);
    expect("task clock", 1000, (long long)values.value[KVM_GLUE_TASK_CLOCK]);
    expect("switches", 3, (long long)values.value[KVM_GLUE_CONTEXT_SWITCHES]);
    expect("migrations", 2, (long long)values.value[KVM_GLUE_MIGRATIONS]);
    expect("minor", 5, (long long)values.value[KVM_GLUE_FAULTS_MINOR]);
    expect("major", 1, (long long)values.value[KVM_GLUE_FAULTS_MAJOR]);
    kvm_glue_software_close(&s);
    expect("closed", 0, fake_open_events());
    ck_assert_str_eq(kvm_glue_software_name(KVM_GLUE_MIGRATIONS), "cpu-migrations");
    ck_assert(kvm_glue_software_name(5) == NULL);
}
END_TEST

/*
 * With perf_event_paranoid 2, perf returns 0 for events in the kernel, but /proc has them: 7 + 2
 * switches.
 */
START_TEST(without_leave)
{
    static const unsigned in_perf =
        1u << KVM_GLUE_TASK_CLOCK | 1u << KVM_GLUE_FAULTS_MINOR | 1u << KVM_GLUE_FAULTS_MAJOR;
    struct kvm_glue_software s;
    struct kvm_glue_software_values values;

    fake.paranoid = 2;
    expect("open", 0, kvm_glue_software_open(&s, &fake_os, 77, NULL));
    ck_assert(fake.event[0].attr.exclude_kernel);
    expect("read", 0, kvm_glue_software_read(&s, &values));
    expect("valid", in_perf, values.valid);
    expect("no /proc", 0, kvm_glue_software_total(&s, &values));
    expect("valid", in_perf, values.valid);
    fake_file("/proc/self/task/77/status",
              "Name:\tx\nvoluntary_ctxt_switches:\t7\nnonvoluntary_ctxt_switches:\t2\n");
    fake_file("/proc/self/task/77/sched", "x (77)\nse.nr_migrations             :      4\n");
    expect("total", 0, kvm_glue_software_total(&s, &values));
    expect("valid", ALL_VALID, values.valid);
    expect("switches", 9, (long long)values.value[KVM_GLUE_CONTEXT_SWITCHES]);
    expect("migrations", 4, (long long)values.value[KVM_GLUE_MIGRATIONS]);
    fake_file("/proc/self/task/77/status", "Name:\tx\nvoluntary_ctxt_switches:\t7\n");
    expect("half", 0, kvm_glue_software_total(&s, &values));
    expect("valid", ALL_VALID & ~(1u << KVM_GLUE_CONTEXT_SWITCHES), values.valid);
    kvm_glue_software_close(&s);
}
END_TEST

START_TEST(refused)
{
    struct kvm_glue_software s;
    struct kvm_glue_software_values values;
    struct kvm_glue_error err;

    fake.dead = 77;
    expect("dead", -ESRCH, kvm_glue_software_open(&s, &fake_os, 77, &err));
    expect_text("dead", "the thread has ended", err.text);
    expect("not open", -EBADF, kvm_glue_software_total(&s, &values));
    kvm_glue_software_close(&s);
}
END_TEST

/* The state of a worker thread. */
struct worker {
    atomic_int tid;
    atomic_bool go;
};

static void *work(void *arg)
{
    struct worker *worker = arg;
    volatile char *memory;

    atomic_store(&worker->tid, (int)syscall(SYS_gettid));
    while (!atomic_load(&worker->go)) {
        sched_yield();
    }
    memory = mmap(NULL, 64 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise((void *)memory, 64 * 4096, MADV_NOHUGEPAGE);
    for (unsigned page = 0; page < 64; page++) {
        memory[page * 4096] = 1;
    }
    for (unsigned i = 0; i < 10; i++) {
        usleep(1000);
    }
    munmap((void *)memory, 64 * 4096);
    return NULL;
}

/*
 * Runs on this machine's kernel. A thread touches 64 new pages, with a fault each, and sleeps ten
 * times, with a switch each. Another thread reads the counts after it has ended.
 */
START_TEST(for_real)
{
    struct worker worker = {0};
    struct kvm_glue_software s;
    struct kvm_glue_software_values values;
    struct kvm_glue_error err;
    pthread_t thread;
    int opened;
    int dead;

    expect("thread", 0, pthread_create(&thread, NULL, work, &worker));
    while (atomic_load(&worker.tid) == 0) {
        sched_yield();
    }
    opened = kvm_glue_software_open(&s, &kvm_glue_os_linux, atomic_load(&worker.tid), &err);
    atomic_store(&worker.go, true);
    if (opened < 0) {
        pthread_join(thread, NULL);
        skip("software.for_real", err.text);
        return;
    }
    pthread_join(thread, NULL);
    expect("total", 0, kvm_glue_software_total(&s, &values));
    ck_assert_msg(values.value[KVM_GLUE_FAULTS_MINOR] >= 64, "expected 64 faults or more got %llu",
                  (unsigned long long)values.value[KVM_GLUE_FAULTS_MINOR]);
    ck_assert_msg(values.value[KVM_GLUE_TASK_CLOCK] > 0, "expected time got none");
    if (values.valid >> KVM_GLUE_CONTEXT_SWITCHES & 1) {
        ck_assert_msg(values.value[KVM_GLUE_CONTEXT_SWITCHES] >= 10,
                      "expected 10 switches or more got %llu",
                      (unsigned long long)values.value[KVM_GLUE_CONTEXT_SWITCHES]);
    }
    kvm_glue_software_close(&s);
    dead = kvm_glue_software_open(&s, &kvm_glue_os_linux, atomic_load(&worker.tid), &err);
    expect("a thread that has ended", -ESRCH, dead);
}
END_TEST

Suite *software_suite(void)
{
    const TTest *const tests[] = {counted, without_leave, refused, for_real};

    return suite_of("software", tests, COUNT_OF(tests));
}
