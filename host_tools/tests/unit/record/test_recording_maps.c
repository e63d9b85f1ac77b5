/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which code the samples are in: mappings of programs, chains, functions of the kernel. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Returns whether a file has these bytes. */
static bool has(FILE *file, const void *bytes, size_t size)
{
    static char all[1u << 16];
    size_t n;

    rewind(file);
    n = fread(all, 1, sizeof(all), file);
    return memmem(all, n, bytes, size) != NULL;
}

/*
 * With copied stacks, all of a file that the user has a copy of is mapped: perf reads its unwind
 * tables there. PERF_RECORD_MMAP2 begins with the numbers of process and thread, address, size and
 * offset.
 */
START_TEST(recording_whole_files)
{
    static const struct {
        bool keeps, symfs, relative;
        bool whole;
    } rows[] = {{true, true, false, true},
                {false, true, false, false},
                {true, false, false, false},
                {true, true, true, false}};
    char path[sizeof(TEMPORARY_PATH)];

    make_temporary(path, "0123456789", 10);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const uint64_t whole[] = {7ull << 32 | 7, 0x1000 - 0x500, 10, 0};
        struct recording r = {.keeps_stacks = rows[i].keeps,
                              .stack = 64,
                              .symfs = rows[i].symfs ? "/" : NULL,
                              .file = {.host = "host", .file = tmpfile()}};
        struct error t = {0};
        struct made_stream m;

        streams_begin(&m, 1, 1, 0);
        streams_map(&m, 0, 7, rows[i].relative ? path + 1 : path, "");
        streams_end(&m);
        ck_assert_msg(recording_take(&r, m.bytes, m.size, &t) == 0, "%s", t.text);
        ck_assert_int_eq(recording_finish(&r, &t), 0);
        ck_assert_msg(has(r.file.file, whole, sizeof(whole)) == rows[i].whole, "row %zu", i);
        fclose(r.file.file);
        recording_free(&r);
    }
    unlink(path);
}
END_TEST

static int see_weight(void *opaque, unsigned event, unsigned mode, const struct perfsample *s,
                      struct error *t)
{
    char *seen = opaque;

    (void)event, (void)mode, (void)t;
    sprintf(seen + strlen(seen), "%u:%" PRIu64 " ", s->cpu, s->weight);
    return 0;
}

/* A duration belongs to the next sample of its vCPU. */
START_TEST(recording_spans)
{
    static const struct perfreader_ops ops = {.sample = see_weight};
    char seen[64] = "";
    struct made_stream m;

    streams_begin(&m, 2, 1, 0);
    streams_sample(&m, 0, 0, 0, 0);
    streams_span(&m, 1, 700);
    streams_sample(&m, 0, 0, 0, 0);
    streams_sample(&m, 1, 0, 0, 0);
    streams_sample(&m, 1, 0, 0, 0);
    streams_count(&m, &(struct vpmu_record_count){.count = 200, .weight = 200, .samples = 2});
    streams_count(
        &m, &(struct vpmu_record_count){.head.cpu = 1, .count = 200, .weight = 200, .samples = 2});
    streams_end(&m);
    recordings_walk(&m, &(const struct recording){.file.spans = true}, &ops, seen);
    ck_assert_str_eq(seen, "0:0 0:0 1:700 1:0 ");
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

/* Threads without names are those that perf names ":TID", and swapper. */
START_TEST(recording_nameless)
{
    static const struct perfreader_ops ops = {.code = recordings_code};
    static const struct {
        const char *map;
        uint32_t tid;
        bool named, mapped;
    } rows[] = {
        {":42=/proc/self/exe", 42, false, true}, {":41=/proc/self/exe", 42, false, false},
        {":42=/proc/self/exe", 42, true, false}, {"swapper=/proc/self/exe", 0, false, true},
        {":0=/proc/self/exe", 0, false, false},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct program_maps *mapped = calloc(1, sizeof(*mapped));
        struct lines lines = {.n = 0};
        struct error t = {0};
        struct made_stream m;
        size_t at;

        ck_assert_msg(program_maps_add(mapped, rows[i].map, &t) == 0, "%s", t.text);
        streams_begin(&m, 1, 1, 0);
        if (rows[i].named) {
            streams_thread(&m, 0, 1, rows[i].tid, rows[i].tid, "other");
        }
        at = m.size;
        streams_sample(&m, 0, 0, 0, 0);
        memcpy(m.bytes + at + offsetof(struct vpmu_record_sample, contextidr), &rows[i].tid,
               sizeof(rows[i].tid));
        streams_count(&m, &(struct vpmu_record_count){.count = 100, .weight = 100, .samples = 1});
        streams_end(&m);
        recordings_walk(&m, &(const struct recording){.mapped = mapped}, &ops, &lines);
        ck_assert_msg((lines.n > 0) == rows[i].mapped, "row %zu: %s", i, lines.text);
        program_maps_free(mapped);
        free(mapped);
    }
}
END_TEST

/* perf reads a program's file, so a list of functions is none. */
START_TEST(recording_programs_refused)
{
    static const struct {
        const char *map, *text;
    } rows[] = {
        {"worker=/none", "/none"},
        {"worker=/dev/null", "/dev/null"},
        {"worker", "worker"},
    };
    char path[sizeof(TEMPORARY_PATH)], list[sizeof(path) + 16];
    struct program_maps *mapped = calloc(1, sizeof(*mapped));
    struct error t = {0};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_int_eq(program_maps_add(mapped, rows[i].map, &t), -1);
        ck_assert_int_eq(t.code, ERROR_USAGE);
        ck_assert_msg(strstr(t.text, rows[i].text), "%s", t.text);
        program_maps_free(mapped);
    }
    make_temporary(path, "0000000000001000 T first\n", 25);
    snprintf(list, sizeof(list), "worker=%s", path);
    ck_assert_int_eq(program_maps_add(mapped, list, &t), -1);
    ck_assert_msg(strstr(t.text, "not a list") || strstr(t.text, "not an ELF"), "%s", t.text);
    unlink(path);
    program_maps_free(mapped);
    free(mapped);
}
END_TEST

Suite *recording_maps_suite(void)
{
    const TTest *const tests[] = {
        recording_maps,   recording_chain_of_entry, recording_names,
        recording_kernel, recording_programs,       recording_whole_files,
        recording_spans,  recording_nameless,       recording_programs_refused};

    return suite_of("recording_maps", tests, COUNT_OF(tests));
}
