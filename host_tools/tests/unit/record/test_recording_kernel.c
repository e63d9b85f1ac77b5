/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The mappings of a kernel and its modules, as PERF_RECORD_MMAP of Linux's perf_event.h has them.
 */
#include <linux/perf_event.h>
#include <string.h>

#include "record/recording-parts.h"
#include "unit/tests.h"

START_TEST(recording_kernel_maps)
{
    static const struct {
        uint64_t start, length, offset;
        const char *name;
    } rows[] = {
        {0xffffffff81000000, 0x600000, 0xffffffff81000000, "[kernel.kallsyms]_text"},
        {0xffffffffc0001000, 0x2000, 0, "[ext4]"},
        {0xffffffffc0004000, 0x3000, 0, "[virtio]"},
    };
    static struct symbols_module modules[] = {
        {"[ext4]", 0xffffffffc0001000, 0xffffffffc0003000},
        {"[virtio]", 0xffffffffc0004000, 0xffffffffc0007000},
    };
    static const struct perfdata_event event = {"a", 1, 0};
    static struct recording r;

    r.file = (struct perfdata){.file = tmpfile(), .event = &event, .events = 1, .cpus = 1};
    r.names.kernel = (struct symbols){.text = 0xffffffff81000000,
                                      .end = 0xffffffff81600000,
                                      .module = modules,
                                      .modules = COUNT_OF(modules)};
    recording_map_kernel(&r);
    rewind(r.file.file);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct perf_event_header head;
        uint64_t body[32] = {0};

        ck_assert_uint_eq(fread(&head, sizeof(head), 1, r.file.file), 1);
        ck_assert_uint_le(head.size, sizeof(head) + sizeof(body));
        ck_assert_uint_eq(fread(body, head.size - sizeof(head), 1, r.file.file), 1);
        ck_assert_uint_eq(head.type, PERF_RECORD_MMAP);
        ck_assert_uint_eq(head.misc, PERF_RECORD_MISC_KERNEL);
        /* PID and TID of a kernel are -1. */
        ck_assert_uint_eq(body[0], UINT64_MAX);
        ck_assert_uint_eq(body[1], rows[i].start);
        ck_assert_uint_eq(body[2], rows[i].length);
        ck_assert_uint_eq(body[3], rows[i].offset);
        ck_assert_str_eq((char *)&body[4], rows[i].name);
    }
    ck_assert_int_eq(fgetc(r.file.file), EOF);
    fclose(r.file.file);
}
END_TEST

Suite *recording_kernel_suite(void)
{
    const TTest *const tests[] = {recording_kernel_maps};

    return suite_of("recording_kernel", tests, COUNT_OF(tests));
}
