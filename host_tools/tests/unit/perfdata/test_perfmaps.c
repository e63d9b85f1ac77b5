/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records of processes and of their mappings, as include/uapi/linux/perf_event.h describes them,
 * each one in a synthetic file.
 */
#include <stdio.h>
#include <string.h>

#include "fixtures/perffiles.h"
#include "perfdata/perfreader.h"
#include "unit/tests.h"

static int see_process(void *opaque, uint32_t pid, uint64_t time, uint32_t parent, struct error *t)
{
    (void)t;
    sprintf(opaque, "%u of %u at %u", pid, parent, (unsigned)time);
    return 0;
}

static int see_code(void *opaque, const struct perfreader_code *code, struct error *t)
{
    char *seen = opaque;

    (void)t;
    seen += sprintf(seen, "%u %llx %llx %llx %s %u ", code->pid, (unsigned long long)code->start,
                    (unsigned long long)code->length, (unsigned long long)code->offset, code->path,
                    (unsigned)code->time);
    for (size_t i = 0; i < code->build_id_size; i++) {
        seen += sprintf(seen, "%02x", code->build_id[i]);
    }
    return 0;
}

static int see_kernel_name(void *opaque, const char *name, uint64_t address, struct error *t)
{
    (void)t;
    sprintf(opaque, "kernel %s %llx", name, (unsigned long long)address);
    return 0;
}

/* Returns the result of a walk over one record. */
static int walk_record(const struct perfreader_ops *ops, void *opaque, uint32_t type, unsigned misc,
                       const void *body, size_t size, struct error *t)
{
    struct perfreader r = {.name = "FILE", .stop_fd = -1};
    struct made_file m;
    FILE *file;
    int err;

    perffiles_begin(&m, false, PERFFILES_TYPE);
    perffiles_record(&m, type, misc, body, size);
    perffiles_end(&m);
    file = fopen(perffiles_save(&m), "re");
    ck_assert(file);
    ck_assert_int_eq(perfreader_open(&r, file, t), 0);
    err = perfreader_walk(&r, ops, opaque, t);
    perfreader_close(&r);
    fclose(file);
    return err;
}

/* What a walk says about one record. */
static void expect_record(const char *row, uint32_t type, unsigned misc, const void *body,
                          size_t size, const char *expected)
{
    static const struct perfreader_ops ops = {
        .code = see_code, .process = see_process, .kernel = see_kernel_name};
    struct error t = {0};
    char seen[256] = "";

    ck_assert_msg(walk_record(&ops, seen, type, misc, body, size, &t) == 0, "%s: %s", row, t.text);
    ck_assert_msg(strcmp(seen, expected) == 0, "%s: expected '%s' got '%s'", row, expected, seen);
}

/* The trailer of records with PERFFILES_TYPE: thread, time, CPU, identifier. */
struct trailer {
    uint32_t pid, tid;
    uint64_t time, cpu, id;
};

START_TEST(perf_processes)
{
    struct {
        uint32_t pid, ppid, tid, ptid;
        uint64_t time;
        struct trailer trailer;
    } fork = {8, 7, 9, 7, 55, {8, 9, 66, 0, 1}};

    expect_record("process", PERF_RECORD_FORK, 0, &fork, sizeof(fork), "8 of 7 at 55");
    fork.ppid = 8;
    expect_record("thread", PERF_RECORD_FORK, 0, &fork, sizeof(fork), "");
}
END_TEST

START_TEST(perf_maps)
{
    struct {
        uint32_t pid, tid;
        uint64_t start, length, offset;
        char path[32];
        struct trailer trailer;
    } map = {7, 8, 0x1000, 0x2000, 0x300, "/bin/a", {7, 8, 55, 0, 1}};
    static const struct {
        const char *row;
        unsigned misc;
        const char *path, *expected;
    } rows[] = {
        {"program", PERF_RECORD_MISC_USER, "/bin/a", "7 1000 2000 300 /bin/a 55 "},
        {"data", PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_DATA, "/bin/a", ""},
        {"module", PERF_RECORD_MISC_KERNEL, "[mod]", ""},
        {"kernel", PERF_RECORD_MISC_KERNEL, "[kernel.kallsyms]_stext", "kernel _stext 300"},
        {"kernel without a name", PERF_RECORD_MISC_KERNEL, "[kernel.kallsyms]", ""},
        {"guest's kernel", PERF_RECORD_MISC_GUEST_KERNEL, "[kernel.kallsyms]_stext", ""},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        strcpy(map.path, rows[i].path);
        expect_record(rows[i].row, PERF_RECORD_MMAP, rows[i].misc, &map, sizeof(map),
                      rows[i].expected);
    }
}
END_TEST

/* A mapping with device and inode, or with a build ID of up to 20 bytes and its size. */
START_TEST(perf_maps2)
{
#define ID18 "0102030405060708090a0b0c0d0e0f101112"
    static const struct {
        const char *row;
        unsigned misc, size;
        uint32_t use;
        const char *expected;
    } rows[] = {
        {"program", 0, 20, 5, ""},
        {"data", 0, 20, 3, NULL},
        {"no ID", PERF_RECORD_MISC_MMAP_BUILD_ID, 0, 5, ""},
        {"19 bytes", PERF_RECORD_MISC_MMAP_BUILD_ID, 19, 5, ID18 "13"},
        {"20 bytes", PERF_RECORD_MISC_MMAP_BUILD_ID, 20, 5, ID18 "1314"},
        {"21 bytes", PERF_RECORD_MISC_MMAP_BUILD_ID, 21, 5, ""},
        {"255 bytes", PERF_RECORD_MISC_MMAP_BUILD_ID, 255, 5, ""},
    };
    struct {
        uint32_t pid, tid;
        uint64_t start, length, offset;
        uint8_t size, reserved[3], id[20];
        uint32_t prot, flags;
        char path[8];
        struct trailer trailer;
    } map = {7, 8, 0x1000, 0x2000, 0x300, 0, {9, 9, 9}, {0}, 0, 2, "/bin/a", {7, 8, 55, 0, 1}};

    for (unsigned i = 0; i < 20; i++) {
        map.id[i] = (uint8_t)(i + 1);
    }
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char expected[128] = "";

        map.size = (uint8_t)rows[i].size;
        map.prot = rows[i].use;
        if (rows[i].expected) {
            sprintf(expected, "7 1000 2000 300 /bin/a 55 %s", rows[i].expected);
        }
        expect_record(rows[i].row, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | rows[i].misc, &map,
                      sizeof(map), expected);
    }
}
END_TEST

static int fail_process(void *opaque, uint32_t pid, uint64_t time, uint32_t parent, struct error *t)
{
    (void)opaque, (void)pid, (void)time, (void)parent;
    return error_set(t, ERROR_OUTPUT, "enough");
}

static int fail_code(void *opaque, const struct perfreader_code *code, struct error *t)
{
    (void)opaque, (void)code;
    return error_set(t, ERROR_OUTPUT, "enough");
}

static int fail_kernel(void *opaque, const char *name, uint64_t address, struct error *t)
{
    (void)opaque, (void)name, (void)address;
    return error_set(t, ERROR_OUTPUT, "enough");
}

/* The error of a callback ends the walk. */
START_TEST(perf_maps_stopped)
{
    static const struct perfreader_ops ops = {
        .code = fail_code, .process = fail_process, .kernel = fail_kernel};
    static const struct {
        uint32_t type;
        unsigned misc;
        size_t path; /* where it is */
        const char *name;
    } rows[] = {
        {PERF_RECORD_FORK, 0, 0, "\1"},
        {PERF_RECORD_MMAP, PERF_RECORD_MISC_USER, 32, "/bin/a"},
        {PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL, 32, "[kernel.kallsyms]_text"},
        {PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, 64, "/bin/a"},
        {PERF_RECORD_MMAP2, PERF_RECORD_MISC_KERNEL, 64, "[kernel.kallsyms]_text"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        /* Bytes 56 to 59 of PERF_RECORD_MMAP2 are the protection; PROT_EXEC is 4. */
        char body[128] = {[56] = 4};
        struct error t = {0};

        strcpy(body + rows[i].path, rows[i].name);
        ck_assert_msg(walk_record(&ops, NULL, rows[i].type, rows[i].misc, body, sizeof(body), &t) ==
                          -1,
                      "row %zu", i);
        ck_assert_int_eq(t.code, ERROR_OUTPUT);
    }
}
END_TEST

Suite *perfmaps_suite(void)
{
    const TTest *const tests[] = {perf_processes, perf_maps, perf_maps2, perf_maps_stopped};

    return suite_of("perfmaps", tests, COUNT_OF(tests));
}
