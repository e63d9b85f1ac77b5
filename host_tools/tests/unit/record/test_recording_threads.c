/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose samples they are: worlds of a machine, threads, and threads of its guests. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vpmu/arm/observer.h"

#include "fixtures/recordings.h"
#include "record/thread-filter.h"
#include "unit/tests.h"

/* What the file says about a sample and who ran. */
struct seen {
    struct perfsample sample;
    unsigned mode;
    char comm[64];
    char path[64];
};

static int see_sample(void *opaque, unsigned event, unsigned mode, const struct perfsample *s,
                      struct error *t)
{
    struct seen *told = opaque;

    (void)event, (void)t;
    told->sample = *s;
    told->mode = mode;
    return 0;
}

static int see_comm(void *opaque, uint32_t tid, uint64_t time, const char *name, struct error *t)
{
    struct seen *told = opaque;

    (void)time, (void)t;
    if (tid) {
        snprintf(told->comm, sizeof(told->comm), "%u %s", tid, name);
    }
    return 0;
}

static int see_cgroup(void *opaque, uint64_t number, const char *path, struct error *t)
{
    struct seen *told = opaque;

    (void)t;
    snprintf(told->path, sizeof(told->path), "%" PRIu64 " %s", number, path);
    return 0;
}

static void read_again(struct seen *told, const struct made_stream *m)
{
    static const struct perfreader_ops ops = {
        .sample = see_sample, .comm = see_comm, .cgroup = see_cgroup};

    *told = (struct seen){0};
    recordings_walk(m, NULL, &ops, told);
}

static void tell(struct seen *told, const struct vpmu_record_sample *sample, unsigned machine)
{
    struct made_stream m;

    streams_begin(&m, 1, 1, machine);
    streams_add(&m, sample, sizeof(*sample));
    streams_count(&m, &(struct vpmu_record_count){.count = 100, .weight = 100, .samples = 1});
    streams_end(&m);
    read_again(told, &m);
}

/*
 * perf has one kernel. What belongs neither to it nor to its processes is shown as a process of its
 * own.
 */
START_TEST(recording_worlds)
{
    static const struct {
        const char *row;
        unsigned world;
        unsigned el;
        unsigned mode;
        uint32_t tid; /* 0: the thread that has the name */
        const char *comm;
        const char *path;
        unsigned machine, flags;
    } rows[] = {
        {"process", VPMU_WORLD_NVHE, 0, PERF_RECORD_MISC_USER, 42, "", "1 /host", 0, 0},
        {"kernel at EL1", VPMU_WORLD_NVHE, 1, PERF_RECORD_MISC_KERNEL, 42, "", "1 /host", 0, 0},
        {"below it", VPMU_WORLD_NVHE, 2, PERF_RECORD_MISC_USER, 0, "EL2", "2 /host/EL2", 0, 0},
        {"firmware", VPMU_WORLD_NVHE, 3, PERF_RECORD_MISC_USER, 0, "EL3", "3 /host/EL3", 0, 0},
        {"VHE process", VPMU_WORLD_VHE, 0, PERF_RECORD_MISC_USER, 42, "", "1 /host", 0, 0},
        {"VHE kernel", VPMU_WORLD_VHE, 2, PERF_RECORD_MISC_KERNEL, 42, "", "1 /host", 0, 0},
        {"VHE firmware", VPMU_WORLD_VHE, 3, PERF_RECORD_MISC_USER, 0, "EL3", "3 /host/EL3", 0, 0},
        {"guest's process", VPMU_WORLD_GUEST, 0, PERF_RECORD_MISC_USER, 0, "guest-7",
         "65543 /guest/vmid-7", 0, 0},
        {"guest's kernel", VPMU_WORLD_GUEST, 1, PERF_RECORD_MISC_USER, 0, "guest-7",
         "65543 /guest/vmid-7", 0, 0},
        {"x86 process", VPMU_WORLD_NVHE, 0, PERF_RECORD_MISC_USER, 42, "", "1 /host",
         VPMU_RECORD_X86, 0},
        {"x86 kernel", VPMU_WORLD_NVHE, 1, PERF_RECORD_MISC_KERNEL, 42, "", "1 /host",
         VPMU_RECORD_X86, 0},
        {"x86 firmware", VPMU_WORLD_NVHE, 1, PERF_RECORD_MISC_USER, 0, "SMM", "4 /host/SMM",
         VPMU_RECORD_X86, VPMU_RECORD_SMM},
        {"x86 guest", VPMU_WORLD_GUEST, 1, PERF_RECORD_MISC_USER, 0, "guest", "5 /guest",
         VPMU_RECORD_X86, 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_record_sample sample = {
            .head = {.type = VPMU_RECORD_SAMPLE, .size = sizeof(sample)},
            .weight = STREAMS_PERIOD,
            .contextidr = 42,
            .vmid = 7,
            .el = (uint8_t)rows[i].el,
            .world = (uint8_t)rows[i].world,
            .flags = (uint8_t)rows[i].flags,
        };
        struct seen told;
        char comm[64] = "";

        tell(&told, &sample, rows[i].machine);
        if (!rows[i].tid) {
            snprintf(comm, sizeof(comm), "%u %s", told.sample.tid, rows[i].comm);
        }
        ck_assert_msg(told.mode == rows[i].mode, "%s: expected mode %u got %u", rows[i].row,
                      rows[i].mode, told.mode);
        ck_assert_msg(rows[i].tid ? told.sample.tid == rows[i].tid : told.sample.tid > 1u << 30,
                      "%s: got thread %u", rows[i].row, told.sample.tid);
        ck_assert_uint_eq(told.sample.pid, told.sample.tid);
        ck_assert_str_eq(told.comm, comm);
        ck_assert_str_eq(told.path, rows[i].path);
        ck_assert_uint_eq(told.sample.cgroup, strtoull(rows[i].path, NULL, 10));
    }
}
END_TEST

/* A sample belongs to the last thread record of the same vCPU. */
START_TEST(recording_threads)
{
    static const struct perfreader_ops ops = {.sample = recordings_sample, .comm = recordings_comm};
    struct lines lines = {.n = 0};
    struct made_stream m;

    streams_begin(&m, 2, 1, 0);
    streams_sample(&m, 0, 0, 0, 0);
    recordings_thread(&m, 0, 1, 7, 5, "worker");
    recordings_thread(&m, 1, 1, 5, 5, "main");
    recordings_thread(&m, 0, 1, 5, 5, "main");
    recordings_thread(&m, 0, 1, 0, 0, "swapper/0");
    recordings_thread(&m, 0, 1, 7, 5, "worker");
    recordings_thread(&m, 0, 1, 7, 5, "sixteen bytes---and more");
    recordings_thread(&m, 0, 1, 9, 8, "\033[31m");
    recordings_thread(&m, 0, 1, 7, 5, "sixteen bytes---and more");
    recordings_thread(&m, 0, 0, 0, 0, "");
    recordings_thread(&m, 0, 1, 1u << 30, 9, "no thread");
    recordings_thread(&m, 0, 1, 9, 1u << 30, "no process");
    streams_count(&m, &(struct vpmu_record_count){.count = 1100, .weight = 1100, .samples = 11});
    streams_count(
        &m, &(struct vpmu_record_count){.head.cpu = 1, .count = 100, .weight = 100, .samples = 1});
    streams_end(&m);
    recordings_walk(&m, NULL, &ops, &lines);
    ck_assert_str_eq(lines.text, "0: 42/42\n"
                                 "7 is worker at 500\n"
                                 "0: 5/7\n"
                                 "5 is main at 500\n"
                                 "1: 5/5\n"
                                 "5 is main at 500\n"
                                 "0: 5/5\n"
                                 "0: 0/0\n"
                                 "7 is worker at 500\n"
                                 "0: 5/7\n"
                                 "7 is sixteen bytes--- at 500\n"
                                 "0: 5/7\n"
                                 "9 is ?[31m at 500\n"
                                 "0: 8/9\n"
                                 "7 is sixteen bytes--- at 500\n"
                                 "0: 5/7\n"
                                 "0: 42/42\n"
                                 "0: 42/42\n"
                                 "0: 42/42\n");
}
END_TEST

/*
 * Threads of guests have numbers of their own: of the first guest from 1100000000 on, of the second
 * from 1110000000 on. The machine's threads stay known meanwhile. Each vCPU has its own thread of a
 * guest, and another guest begins without one, also with the VMID of a guest before.
 */
START_TEST(recording_guest_threads)
{
    static const struct perfreader_ops ops = {.sample = recordings_sample, .comm = recordings_comm};
    static const uint64_t first = 7ull << 48 | 0x1000, second = 8ull << 48 | 0x1000,
                          third = 7ull << 48 | 0x2000;
    struct lines lines = {.n = 0};
    struct made_stream m;

    streams_begin(&m, 2, 1, 0);
    recordings_thread(&m, 0, 1, 5, 5, "main");
    streams_guest_thread(&m, 0, 1, 5, 5, "before any guest");
    streams_guest(&m, 0, first);
    streams_guest_sample(&m, 0, 7);
    streams_guest_thread(&m, 0, 1, 6, 5, "worker");
    streams_guest_sample(&m, 0, 7);
    streams_guest(&m, 0, first | VPMU_RECORD_VTTBR_CNP);
    streams_guest_sample(&m, 0, 7);
    streams_guest_sample(&m, 0, 8);
    streams_sample(&m, 0, 0, 0, 0);
    streams_guest(&m, 1, second);
    streams_guest_sample(&m, 1, 8);
    streams_guest(&m, 0, second);
    streams_guest_sample(&m, 0, 8);
    streams_guest_thread(&m, 0, 1, 6, 5, "worker");
    streams_guest_sample(&m, 0, 8);
    streams_guest_thread(&m, 0, 1, 0, 0, "swapper/1");
    streams_guest_sample(&m, 0, 8);
    streams_guest_thread(&m, 0, 0, 0, 0, "");
    streams_guest_sample(&m, 0, 8);
    streams_guest(&m, 1, third);
    streams_guest_sample(&m, 1, 7);
    streams_guest_thread(&m, 1, 1, 6, 6, "other");
    streams_guest_sample(&m, 1, 7);
    streams_count(&m, &(struct vpmu_record_count){.count = 1000, .weight = 1000, .samples = 10});
    streams_count(
        &m, &(struct vpmu_record_count){.head.cpu = 1, .count = 300, .weight = 300, .samples = 3});
    streams_end(&m);
    recordings_walk(&m, NULL, &ops, &lines);
    ck_assert_str_eq(lines.text, "5 is main at 500\n"
                                 "0: 5/5\n"
                                 "1073807367 is guest-7 at 0\n"
                                 "0: 1073807367/1073807367\n"
                                 "1100000006 is worker at 500\n"
                                 "0: 1100000005/1100000006\n"
                                 "0: 1100000005/1100000006\n"
                                 "1073807368 is guest-8 at 0\n"
                                 "0: 1073807368/1073807368\n"
                                 "0: 5/5\n"
                                 "1: 1073807368/1073807368\n"
                                 "0: 1073807368/1073807368\n"
                                 "1110000006 is worker at 500\n"
                                 "0: 1110000005/1110000006\n"
                                 "1110000000 is swapper at 500\n"
                                 "0: 1110000000/1110000000\n"
                                 "0: 1073807368/1073807368\n"
                                 "1: 1073807367/1073807367\n"
                                 "1120000006 is other at 500\n"
                                 "1: 1120000006/1120000006\n");
}
END_TEST

/*
 * Guests of SVM have numbers in the order in which they are seen, and their threads as well. A
 * sample before the first record is of an unknown guest.
 */
START_TEST(recording_svm_guests)
{
    static const struct perfreader_ops ops = {.sample = recordings_sample, .comm = recordings_comm};
    struct lines lines = {.n = 0};
    struct made_stream m;

    streams_begin(&m, 2, 1, VPMU_RECORD_X86);
    streams_guest_sample(&m, 0, 0);
    streams_guest(&m, 0, 0x5000);
    streams_guest_sample(&m, 0, 0);
    streams_guest(&m, 1, 0x7000);
    streams_guest_sample(&m, 1, 0);
    streams_guest_thread(&m, 1, 1, 6, 5, "worker");
    streams_guest_sample(&m, 1, 0);
    streams_guest_sample(&m, 0, 0);
    streams_sample(&m, 0, 0, 0, 0);
    streams_guest(&m, 0, 0x7000);
    streams_guest_sample(&m, 0, 0);
    streams_guest(&m, 1, 0x5000);
    streams_guest_sample(&m, 1, 0);
    streams_count(&m, &(struct vpmu_record_count){.count = 500, .weight = 500, .samples = 5});
    streams_count(
        &m, &(struct vpmu_record_count){.head.cpu = 1, .count = 300, .weight = 300, .samples = 3});
    streams_end(&m);
    recordings_walk(&m, NULL, &ops, &lines);
    ck_assert_str_eq(lines.text, "1073741829 is guest at 0\n"
                                 "0: 1073741829/1073741829\n"
                                 "1073872897 is guest-1 at 0\n"
                                 "0: 1073872897/1073872897\n"
                                 "1073872898 is guest-2 at 0\n"
                                 "1: 1073872898/1073872898\n"
                                 "1110000006 is worker at 500\n"
                                 "1: 1110000005/1110000006\n"
                                 "0: 1073872897/1073872897\n"
                                 "0: 42/42\n"
                                 "0: 1073872898/1073872898\n"
                                 "1: 1073872897/1073872897\n");
}
END_TEST

/* VMID 0 is a guest as others are. */
START_TEST(recording_first_guest)
{
    static const struct thread_filter filter = {.vmid = {0}, .vmids = 1};
    static const struct perfreader_ops ops = {.sample = recordings_sample};
    struct lines lines = {.n = 0};
    struct made_stream m;

    streams_begin(&m, 1, 1, 0);
    streams_guest(&m, 0, 0x1000);
    streams_guest_sample(&m, 0, 0);
    streams_sample(&m, 0, 0, 0, 0);
    streams_count(&m, &(struct vpmu_record_count){.count = 200, .weight = 200, .samples = 2});
    streams_end(&m);
    recordings_walk(&m, &(const struct recording){.filter = &filter}, &ops, &lines);
    ck_assert_str_eq(lines.text, "0: 1073807360/1073807360\n");
}
END_TEST

/*
 * Samples of threads and guests that the user has not named are left out. Guests of SVM have
 * numbers in the order in which they are seen.
 */
START_TEST(recording_filtered)
{
    static const struct {
        const char *row;
        struct thread_filter filter;
        unsigned flags;
        const char *seen;
    } rows[] = {
        {"all", {.pids = 0}, 0, "0: 5/5\n0: 5/6\n0: 0/0\n0: 1073807367/1073807367\n"},
        {"process", {.pid = {5}, .pids = 1}, 0, "0: 5/5\n0: 5/6\n"},
        {"thread", {.tid = {6}, .tids = 1}, 0, "0: 5/6\n"},
        {"name", {.comm = {"main"}, .comms = 1}, 0, "0: 5/5\n"},
        {"idle", {.comm = {"swapper"}, .comms = 1}, 0, "0: 0/0\n"},
        {"guest", {.vmid = {7}, .vmids = 1}, 0, "0: 1073807367/1073807367\n"},
        {"another guest", {.vmid = {8}, .vmids = 1}, 0, ""},
        {"VMID 0", {.vmid = {0}, .vmids = 1}, 0, ""},
        {"guest of SVM",
         {.vmid = {THREAD_FILTER_SVM + 1}, .vmids = 1},
         VPMU_RECORD_X86,
         "0: 1073872897/1073872897\n"},
        {"another of SVM", {.vmid = {THREAD_FILTER_SVM - 1}, .vmids = 1}, VPMU_RECORD_X86, ""},
        {"VMID on SVM", {.vmid = {7}, .vmids = 1}, VPMU_RECORD_X86, ""},
    };
    static const struct perfreader_ops ops = {.sample = recordings_sample};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct recording with = {.filter = &rows[i].filter};
        struct lines lines = {.n = 0};
        struct made_stream m;

        streams_begin(&m, 1, 1, rows[i].flags);
        recordings_thread(&m, 0, 1, 5, 5, "main");
        recordings_thread(&m, 0, 1, 6, 5, "worker");
        recordings_thread(&m, 0, 1, 0, 0, "swapper/0");
        streams_guest(&m, 0, 7ull << 48 | 0x1000);
        streams_guest_sample(&m, 0, rows[i].flags ? 0 : 7);
        streams_count(&m, &(struct vpmu_record_count){.count = 400, .weight = 400, .samples = 4});
        streams_end(&m);
        recordings_walk(&m, &with, &ops, &lines);
        ck_assert_msg(strcmp(lines.text, rows[i].seen) == 0, "%s: expected '%s' got '%s'",
                      rows[i].row, rows[i].seen, lines.text);
    }
}
END_TEST

Suite *recording_threads_suite(void)
{
    const TTest *const tests[] = {recording_worlds,     recording_threads,  recording_guest_threads,
                                  recording_svm_guests, recording_filtered, recording_first_guest};

    return suite_of("recording_threads", tests, COUNT_OF(tests));
}
