/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which code the samples are in: mappings of programs, chains, functions of the kernel. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixtures/recordings.h"
#include "unit/tests.h"

/* A mapping is written once per process. A build ID stays known. */
START_TEST(recording_maps)
{
    static const struct perfreader_ops ops = {.code = recordings_code};
    struct lines lines = {.n = 0};
    struct made_stream m;

    streams_begin(&m, 2, 1, 0);
    streams_map(&m, 0, 7, "/bin/a", "");
    streams_map(&m, 1, 7, "/bin/a", "");
    streams_map(&m, 0, 8, "/bin/a", "ID");
    streams_map(&m, 0, 9, "/bin/a", "");
    streams_map(&m, 0, 9, "/bin/\033b", "");
    streams_map(&m, 0, 1u << 30, "/bin/a", "");
    streams_end(&m);
    recordings_walk(&m, NULL, &ops, &lines);
    ck_assert_str_eq(lines.text, "7 has /bin/a  at 1000 for 2000 from 500 on, at 700\n"
                                 "8 has /bin/a ID at 1000 for 2000 from 500 on, at 700\n"
                                 "9 has /bin/a ID at 1000 for 2000 from 500 on, at 700\n"
                                 "9 has /bin/?b  at 1000 for 2000 from 500 on, at 700\n");
}
END_TEST

/*
 * In a chain, the kernel's addresses are followed by those of the program that entered the kernel.
 */
START_TEST(recording_chain_of_entry)
{
    static const struct perfreader_ops ops = {.sample = recordings_chain};
    static const struct {
        uint64_t pc;
        uint64_t chain[3];
    } rows[] = {
        {0xffff800080001000, {0, 0xffff800080002000, 0xffff800080003000}},
        {0xffff800080001000, {0, 0xffff800080002000, 0x400100}},
        {0xffff800080001000, {0, 0x400100, 0x400200}},
        /* A kernel at the addresses of programs: the chain has no such part. */
        {0x40081000, {0, 0x40082000, 0x40083000}},
    };
    struct lines lines = {.n = 0};
    struct made_stream m;

    streams_begin(&m, 1, 1, 0);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        size_t at = m.size;

        streams_sample(&m, 0, 0, 0, 3);
        memcpy(m.bytes + at + offsetof(struct vpmu_record_sample, pc), &rows[i].pc, 8);
        memcpy(m.bytes + at + sizeof(struct vpmu_record_sample), rows[i].chain, 24);
    }
    streams_count(&m, &(struct vpmu_record_count){.count = 400, .weight = 400, .samples = 4});
    streams_end(&m);
    recordings_walk(&m, &(const struct recording){.file.chains = true}, &ops, &lines);
    ck_assert_str_eq(lines.text,
                     "ffffffffffffff80 ffff800080001000 ffff800080002000 ffff800080003000\n"
                     "ffffffffffffff80 ffff800080001000 ffff800080002000 fffffffffffffe00 400100\n"
                     "ffffffffffffff80 ffff800080001000 fffffffffffffe00 400100 400200\n"
                     "ffffffffffffff80 40081000 40082000 40083000\n");
}
END_TEST

/* The file contains the name of the kernel's function at a sample, though it has no chain. */
START_TEST(recording_names)
{
    static const struct {
        uint64_t pc;
        const char *name;
    } rows[] = {
        {0xffff800080001000, "first"},
        {0xffff800080001ffc, "first"},
        {0xffff800080002000, "second"},
        {0xffff800080000ffc, ""},
        {0x400100, ""},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct functions written = {0};
        struct perfreader reader = {.name = "FILE", .stop_fd = -1};
        struct recording r = {.file.host = "host", .file.file = tmpfile()};
        struct error t = {0};
        struct made_stream m;
        size_t at;

        streams_begin(&m, 1, 1, 0);
        at = m.size;
        streams_sample(&m, 0, 0, 0, 0);
        memcpy(m.bytes + at + offsetof(struct vpmu_record_sample, pc), &rows[i].pc, 8);
        streams_count(&m, &(struct vpmu_record_count){.count = 100, .weight = 100, .samples = 1});
        streams_end(&m);
        functions_add(&r.names.functions,
                      &(struct function){.start = 0xffff800080001000, .name = (char[]){"first"}},
                      &t);
        functions_add(&r.names.functions,
                      &(struct function){.start = 0xffff800080002000, .name = (char[]){"second"}},
                      &t);
        ck_assert_int_eq(functions_sort(&r.names.functions, &t), 0);
        ck_assert_int_eq(recording_take(&r, m.bytes, m.size, &t), 0);
        ck_assert_int_eq(recording_finish(&r, &t), 0);
        rewind(r.file.file);
        ck_assert_int_eq(perfreader_open(&reader, r.file.file, &t), 0);
        ck_assert_int_eq(perfreader_functions(&reader, &written, &t), 0);
        ck_assert_msg(written.n == (rows[i].name[0] != 0), "row %zu: %zu names", i, written.n);
        ck_assert_str_eq(written.n ? written.function[0].name : "", rows[i].name);
        functions_free(&written);
        perfreader_close(&reader);
        fclose(r.file.file);
        recording_free(&r);
    }
}
END_TEST

/*
 * perf finds the kernel by a mapping whose name ends in _text: the numbers before the name are its
 * address, its size and the address of _text.
 */
START_TEST(recording_kernel)
{
    static const char name[] = "[kernel.kallsyms]_text";
    static const uint64_t want[] = {0xffff800080010000, 0x1f0000, 0xffff800080010000};
    struct recording r = {.file.host = "host", .file.file = tmpfile()};
    struct error t = {0};
    struct made_stream m;
    char file[16384];
    const char *at;
    size_t n;

    streams_begin(&m, 1, 1, 0);
    streams_sample(&m, 0, 0, 0, 0);
    streams_end(&m);
    r.names.kernel = (struct symbols){.text = want[0], .end = want[0] + want[1]};
    ck_assert_int_eq(recording_take(&r, m.bytes, m.size, &t), 0);
    ck_assert_int_eq(recording_finish(&r, &t), 0);
    rewind(r.file.file);
    n = fread(file, 1, sizeof(file), r.file.file);
    at = memmem(file, n, name, sizeof(name));
    ck_assert(at);
    ck_assert_mem_eq(at - sizeof(want), want, sizeof(want));
    fclose(r.file.file);
    recording_free(&r);
}
END_TEST

/* Programs that the user has named replace the guest's own mappings. */
START_TEST(recording_programs)
{
    static const struct perfreader_ops ops = {.code = recordings_code, .comm = recordings_comm};
    struct lines lines = {.n = 0};
    struct program_maps *mapped = calloc(1, sizeof(*mapped));
    struct error t = {0};
    struct made_stream m;
    char want[8192];
    int n = 0;

    ck_assert(mapped);
    ck_assert_msg(program_maps_add(mapped, "worker=/proc/self/exe@7000000", &t) == 0, "%s", t.text);
    ck_assert_uint_gt(mapped->image[0].parts, 0);
    /* Another program's file, and a second one of this program. */
    ck_assert_int_eq(program_maps_add(mapped, "third=/proc/self/exe", &t), 0);
    ck_assert_int_eq(program_maps_add(mapped, "worker=/proc/self/exe@9000000", &t), 0);
    streams_begin(&m, 1, 1, 0);
    recordings_thread(&m, 0, 1, 7, 5, "worker");
    streams_map(&m, 0, 5, "/bin/a", "");
    recordings_thread(&m, 0, 1, 9, 9, "other");
    streams_map(&m, 0, 9, "/bin/b", "");
    streams_count(&m, &(struct vpmu_record_count){.count = 200, .weight = 200, .samples = 2});
    streams_end(&m);
    recordings_walk(&m, &(const struct recording){.mapped = mapped}, &ops, &lines);
    n += snprintf(want + n, sizeof(want) - (size_t)n, "7 is worker at 500\n");
    for (size_t i = 0; i < 2 * mapped->image[0].parts; i++) {
        const struct image_part *part = &mapped->image[0].part[i % mapped->image[0].parts];

        n += snprintf(want + n, sizeof(want) - (size_t)n,
                      "5 has %s %.*s at %" PRIx64 " for %" PRIx64 " from %" PRIx64 " on, at 500\n",
                      mapped->path[0], (int)mapped->image[0].build_id_size,
                      (const char *)mapped->image[0].build_id,
                      part->address + (i < mapped->image[0].parts ? 0x7000000 : 0x9000000),
                      part->size, part->offset);
    }
    snprintf(want + n, sizeof(want) - (size_t)n,
             "9 is other at 500\n9 has /bin/b  at 1000 for 2000 from 500 on, at 700\n");
    ck_assert_str_eq(lines.text, want);
    program_maps_free(mapped);
    free(mapped);
}
END_TEST

Suite *recording_maps_suite(void)
{
    const TTest *const tests[] = {recording_maps, recording_chain_of_entry, recording_names,
                                  recording_kernel, recording_programs};

    return suite_of("recording_maps", tests, COUNT_OF(tests));
}
