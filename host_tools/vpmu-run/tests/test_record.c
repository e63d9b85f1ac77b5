/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a machine records is not trusted: each record is checked. */
#include <elf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "protocol.h"
#include "record/names.h"
#include "record/raw.h"
#include "tests/tests.h"

/* The size of a sample without a call chain, and of what other records end in. */
#define SAMPLE_SIZE (8 + 48)
#define TRAILER_SIZE 32

static void put(FILE *to, const void *data, size_t size)
{
    fwrite(data, 1, size, to);
}

static void put_head(FILE *to, uint32_t type, size_t size)
{
    const struct perf_event_header head = {.type = type, .size = (uint16_t)size};

    put(to, &head, sizeof(head));
}

/* put_sample() - of size @size, which may be wrong */
static void put_sample(FILE *to, uint64_t time, size_t size)
{
    const uint64_t words[] = {1 /* id */, 0x401000, 7 | 8ull << 32, time, 0 /* CPU */, 1000};

    put_head(to, PERF_RECORD_SAMPLE, size);
    put(to, words, size - 8 < sizeof(words) ? size - 8 : sizeof(words));
}

static void put_trailer(FILE *to, uint64_t time)
{
    const uint64_t words[] = {7 | 8ull << 32, time, 0, 1};

    put(to, words, sizeof(words));
}

static void put_text(FILE *to, const char *text)
{
    put_head(to, RUN_RECORD_SYMBOLS, 8 + strlen(text));
    put(to, text, strlen(text));
}

/* open_text() - reads records from a file with this content */
static int open_text(struct raw *raw, const char *text, size_t size, bool chains, struct failure *f)
{
    int fd = memfd_create("test", 0), err;

    ck_assert_int_eq(write(fd, text, size), (ssize_t)size);
    err = raw_open(raw, fd, &(struct raw_contents){.chains = chains}, f);
    close(fd);
    return err;
}

/* Records are in the order of time, and pieces of the symbols in their own. */
START_TEST(raw_order)
{
    struct failure f = {0};
    struct raw raw;
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    put_sample(to, 30, SAMPLE_SIZE);
    put_text(to, "ffffffff81000000 T _te");
    put_head(to, PERF_RECORD_COMM, 8 + 16 + TRAILER_SIZE);
    put(to, "\7\0\0\0\10\0\0\0program", 16);
    put_trailer(to, 10);
    put_sample(to, 20, SAMPLE_SIZE);
    put_text(to, "xt\n");
    fclose(to);
    ck_assert_msg(open_text(&raw, text, size, false, &f) == 0, "%s", f.text);
    ck_assert_uint_eq(raw.n, 3);
    ck_assert_uint_eq(raw.record[0].type, PERF_RECORD_COMM);
    ck_assert_uint_eq(raw.record[0].at.pid, 7);
    ck_assert_uint_eq(raw.record[1].at.time, 20);
    ck_assert_uint_eq(raw.record[2].at.time, 30);
    ck_assert_uint_eq(raw.record[2].at.period, 1000);
    ck_assert_uint_eq(raw.symbols_size, 25);
    ck_assert_int_eq(memcmp(raw.symbols, "ffffffff81000000 T _text\n", 25), 0);
    raw_close(&raw);
    free(text);
}
END_TEST

START_TEST(raw_damaged)
{
    static const struct {
        size_t size; /* of the sample, in its header */
        size_t cut;  /* bytes that are missing at the end */
        bool chains;
        const char *error;
    } rows[] = {
        {SAMPLE_SIZE, 0, false, NULL},
        {SAMPLE_SIZE, 1, false, "damaged at byte 56"},
        {SAMPLE_SIZE, 60, false, "damaged at byte 0"},
        {SAMPLE_SIZE - 8, 0, false, "too short"},
        {SAMPLE_SIZE, 0, true, "too short"},
        {8, 0, false, "too short"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct failure f = {0};
        struct raw raw;
        char *text = NULL;
        size_t size;
        FILE *to = open_memstream(&text, &size);
        int err;

        put_sample(to, 1, rows[i].size);
        put_text(to, "text");
        fclose(to);
        err = open_text(&raw, text, size - rows[i].cut, rows[i].chains, &f);
        ck_assert_int_eq(err, rows[i].error ? -1 : 0);
        ck_assert_msg(!rows[i].error || strstr(f.text, rows[i].error), "row %zu: %s", i, f.text);
        raw_close(&raw);
        free(text);
    }
}
END_TEST

/* A record without a size would be read again and again; no record is an error as well. */
START_TEST(raw_empty)
{
    static const struct perf_event_header none = {.type = PERF_RECORD_SAMPLE};
    struct failure f = {0};
    struct raw raw;

    ck_assert_int_eq(open_text(&raw, (const char *)&none, sizeof(none), false, &f), -1);
    ck_assert_msg(strstr(f.text, "damaged at byte 0") != NULL, "%s", f.text);
    raw_close(&raw);
    ck_assert_int_eq(open_text(&raw, "", 0, false, &f), -1);
    ck_assert_msg(strstr(f.text, "recorded nothing") != NULL, "%s", f.text);
    raw_close(&raw);
}
END_TEST

/* Mappings: with code, without, too short, with a path that does not end, with too long a build ID
 */
START_TEST(names_maps)
{
    static const struct job job = {.root = ""};
    static const struct {
        uint32_t use;
        size_t size;
        unsigned char build_id_size;
        bool is_code;
    } rows[] = {
        {PROT_READ | PROT_EXEC, 80, 20, true},
        {PROT_READ, 80, 20, false},
        {PROT_EXEC, 63, 20, false},
        {PROT_EXEC, 64, 20, true},
        {PROT_EXEC, 6000, 20, true},
        {PROT_EXEC, 80, 21, true},
    };
    static unsigned char body[8192];
    static struct names_map map;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct raw_record record = {.type = PERF_RECORD_MMAP2,
                                    .misc = 1u << 14,
                                    .body = {.at = body, .left = rows[i].size}};
        const uint64_t words[] = {7 | 7ull << 32, 0x400000, 0x1000, 0x2000};

        memset(body, 'x', sizeof(body));
        memcpy(body, words, sizeof(words));
        body[32] = rows[i].build_id_size;
        memcpy(body + 56, &rows[i].use, sizeof(rows[i].use));
        ck_assert_int_eq(names_map(&job, &record, &map), rows[i].is_code);
        if (rows[i].is_code) {
            ck_assert_uint_eq(map.start, 0x400000);
            ck_assert_uint_eq(map.offset, 0x2000);
            ck_assert_uint_eq(map.build_id_size, rows[i].build_id_size == 20 ? 20 : 0);
            ck_assert_uint_eq(strlen(map.path),
                              rows[i].size - 64 < PATH_MAX ? rows[i].size - 64 : PATH_MAX - 1);
        }
    }
}
END_TEST

/* put_note() - an ELF note; its name and content are padded to 4 bytes */
static void put_note(FILE *to, uint32_t type, const char *name, size_t size)
{
    const uint32_t head[] = {(uint32_t)strlen(name) + 1, (uint32_t)size, type};
    char content[32] = "abcdefghijklmnopqrstuvwxyz01234", padded[8] = "";

    put(to, head, sizeof(head));
    strcpy(padded, name);
    put(to, padded, (head[0] + 3) & ~3u);
    put(to, content, (size + 3) & ~(size_t)3);
}

/* The kernel's notes, as /sys/kernel/notes has them: the build ID is one of several. */
START_TEST(raw_notes)
{
    static const struct {
        uint32_t type;
        const char *name;
        size_t size, cut;
        bool found;
    } rows[] = {
        {NT_GNU_BUILD_ID, "GNU", 20, 0, true},   {NT_GNU_BUILD_ID, "GNU", 20, 1, false},
        {NT_GNU_BUILD_ID, "GNU", 16, 0, false},  {NT_GNU_BUILD_ID, "Xen", 20, 0, false},
        {NT_GNU_ABI_TAG, "GNU", 20, 0, false},   {NT_GNU_BUILD_ID, "Linux", 20, 0, false},
        {NT_GNU_BUILD_ID, "GNU", 20, 30, false},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct failure f = {0};
        struct raw raw;
        const unsigned char *id;
        char *notes = NULL, *text = NULL;
        size_t notes_size, size;
        FILE *to = open_memstream(&notes, &notes_size);

        put_note(to, 6, "Xen", 9);
        put_note(to, rows[i].type, rows[i].name, rows[i].size);
        fclose(to);
        to = open_memstream(&text, &size);
        put_head(to, RUN_RECORD_NOTES, 8 + notes_size - rows[i].cut);
        put(to, notes, notes_size - rows[i].cut);
        fclose(to);
        ck_assert_msg(open_text(&raw, text, size, false, &f) == 0, "%s", f.text);
        ck_assert_uint_eq(raw.n, 0);
        id = raw_build_id(&raw, 20);
        ck_assert_msg((id != NULL) == rows[i].found, "row %zu", i);
        ck_assert(!id || memcmp(id, "abcdefghijklmnopqrst", 20) == 0);
        raw_close(&raw);
        free(notes);
        free(text);
    }
}
END_TEST

void add_record_tests(Suite *suite)
{
    const TTest *const tests[] = {raw_order, raw_damaged, raw_empty, raw_notes, names_maps};

    for (size_t i = 0; i < COUNT_OF(tests); i++) {
        TCase *c = tcase_create(tests[i]->name);

        tcase_add_test(c, tests[i]);
        suite_add_tcase(suite, c);
    }
}
