/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which program the instructions of a profile belong to; what the emulator writes is checked. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/exact.h"
#include "tests/tests.h"
#include "vpmu/record.h"

#define START 0x401000u
#define EVENT 77u

/* Two programs that were mapped at the same address one after the other, and code without a file.
 */
#define PATH_SIZE 24u
static char paths[2][PATH_SIZE];
static const unsigned char contents[2][8] = {{0x90, 0x90, 0xc3}, {0x90, 0xcc, 0xc3}};

/* The chains of the last stream */
static struct exact_calls calls;

struct insn {
    uint64_t pc, page, times;
    unsigned char size;
    unsigned char bytes[4];
};

static void put_insn(FILE *to, const struct insn *insn)
{
    struct vpmu_record_code code = {.head = {.type = VPMU_RECORD_CODE, .size = sizeof(code)},
                                    .page = insn->page,
                                    .size = insn->size};
    struct vpmu_record_sample sample = {
        .head = {.type = VPMU_RECORD_SAMPLE, .size = sizeof(sample)},
        .pc = insn->pc,
        .weight = insn->times};

    memcpy(code.bytes, insn->bytes, sizeof(insn->bytes));
    fwrite(&code, sizeof(code), 1, to);
    fwrite(&sample, sizeof(sample), 1, to);
}

/* put_call() - a call instruction at @pc has called @target nine times */
static void put_call(FILE *to, uint64_t pc, uint64_t page, uint64_t target, uint64_t insns)
{
    const struct vpmu_record_call call = {.head = {.type = VPMU_RECORD_CALL, .size = sizeof(call)},
                                          .page = page,
                                          .target = target,
                                          .insns = insns};
    const struct vpmu_record_sample sample = {
        .head = {.type = VPMU_RECORD_SAMPLE, .size = sizeof(sample)}, .pc = pc, .weight = 9};

    fwrite(&call, sizeof(call), 1, to);
    fwrite(&sample, sizeof(sample), 1, to);
}

static void put_end(FILE *to)
{
    const struct vpmu_record_end end = {.head = {.type = VPMU_RECORD_END, .size = sizeof(end)}};

    fwrite(&end, sizeof(end), 1, to);
}

/* mapping_of() - the body of PERF_RECORD_MMAP2, to be freed */
static unsigned char *mapping_of(const char *path, uint64_t start, size_t *size)
{
    const uint64_t words[] = {0, start, 0x1000, 0};
    const uint32_t use[] = {PROT_READ | PROT_EXEC, 0};
    unsigned char *body = calloc(1, 64 + PATH_SIZE);

    memcpy(body, words, sizeof(words));
    memcpy(body + 56, use, sizeof(use));
    strcpy((char *)body + 64, path);
    *size = 64 + PATH_SIZE;
    return body;
}

/* make_raw() - what the kernel has recorded. The order is that of time. */
static void make_raw(struct raw *raw)
{
    const char *const path[] = {paths[0], paths[1], "//anon"};

    *raw = (struct raw){.record = calloc(3, sizeof(*raw->record)), .n = 3};
    for (size_t i = 0; i < raw->n; i++) {
        size_t size;
        unsigned char *body = mapping_of(path[i], i < 2 ? START : 0x700000, &size);

        raw->record[i] = (struct raw_record){.type = PERF_RECORD_MMAP2,
                                             .body = {.at = body, .left = size},
                                             .at = {.pid = 10 + (uint32_t)i, .time = 100 * (i + 1)},
                                             .order = i};
    }
}

static void free_raw(struct raw *raw)
{
    for (size_t i = 0; i < raw->n; i++) {
        free((void *)(uintptr_t)raw->record[i].body.at);
    }
    free(raw->record);
    free(calls.site);
    calls = (struct exact_calls){0};
}

static void make_files(void)
{
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        int fd;

        strcpy(paths[i], "/tmp/vpmu-exact-XXXXXX");
        fd = mkstemp(paths[i]);
        ck_assert_int_eq(write(fd, contents[i], sizeof(contents[i])), sizeof(contents[i]));
        close(fd);
    }
}

/* add() - exact_add() of a stream */
static int add(struct raw *raw, const char *text, size_t size, uint64_t count, struct failure *f)
{
    static const struct job job = {.root = ""};
    int fd = memfd_create("test", 0), err;

    ck_assert_int_eq(write(fd, text, size), (ssize_t)size);
    make_files();
    make_raw(raw);
    err = exact_add(raw, &job, fd, count, EVENT, &calls, f);
    close(fd);
    unlink(paths[0]);
    unlink(paths[1]);
    return err;
}

static const struct insn insns[] = {
    /* The first program, in one page of memory; its first instruction also fits the second. */
    {START, 0x8000, 3, 1, {0x90}},
    {START + 1, 0x8000, 4, 1, {0x90}},
    /* The second program, in another page of memory. */
    {START, 0x9000, 5, 1, {0x90}},
    {START + 1, 0x9000, 6, 1, {0xcc}},
    /* Init, which has other code there. */
    {START + 2, 0xa000, 1000, 1, {0xf4}},
    /* Code without a file. */
    {0x700010, 0xb000, 7, 1, {0x90}},
};

START_TEST(exact_places)
{
    /*
     * The rest, 2, comes last. Samples follow the mapping that they belong to. Calls
     * have no other sample if nothing was executed until they returned.
     */
    static const struct {
        uint32_t pid;
        uint64_t ip, period, id, site;
    } wanted[] = {{10, START, 3, EVENT, 0},
                  {10, START + 1, 4, EVENT, 0},
                  {10, 0x500, 9, EXACT_CALLS, START + 1},
                  {11, START, 5, EVENT, 0},
                  {11, START + 1, 6, EVENT, 0},
                  {11, START + 1, 9, EXACT_CALLS, START},
                  {11, START + 1, 40, EXACT_CALLED, START},
                  {12, 0x700010, 7, EVENT, 0},
                  {0, 0, 2, EVENT, 0}};
    struct failure f = {0};
    struct raw raw;
    char *text = NULL;
    size_t size, n = 0;
    FILE *to = open_memstream(&text, &size);

    for (size_t i = COUNT_OF(insns); i-- > 0;) {
        put_insn(to, &insns[i]);
    }
    put_call(to, START, 0x9000, START + 1, 40);
    put_call(to, START + 1, 0x8000, 0x500, 0);
    /* Init's call. */
    put_call(to, START + 2, 0xa000, START, 50);
    put_end(to);
    fclose(to);
    ck_assert_msg(add(&raw, text, size, 27, &f) == 0, "%s", f.text);
    for (size_t i = 0; i < raw.n; i++) {
        const struct raw_record *r = &raw.record[i];

        if (r->type == PERF_RECORD_SAMPLE) {
            ck_assert_uint_lt(n, COUNT_OF(wanted));
            ck_assert_uint_eq(r->at.pid, wanted[n].pid);
            ck_assert_uint_eq(r->at.ip, wanted[n].ip);
            ck_assert_uint_eq(r->at.period, wanted[n].period);
            ck_assert_uint_eq(r->at.id, wanted[n].id);
            ck_assert_uint_eq(r->at.n_chain, wanted[n].site != 0);
            ck_assert(!wanted[n].site || perfsample_word(r->at.chain, 0) == wanted[n].site);
            n++;
        }
    }
    ck_assert_uint_eq(n, COUNT_OF(wanted));
    free_raw(&raw);
    free(text);
}
END_TEST

START_TEST(exact_damaged)
{
    static const struct {
        size_t at; /* a byte of the stream that is changed */
        unsigned char to;
        size_t cut; /* bytes that are missing at the end */
        uint64_t count;
        const char *error;
    } rows[] = {
        {0, VPMU_RECORD_CODE, 0, 3, NULL},
        {0, VPMU_RECORD_CODE, 0, 2, "has 3 instructions, but the program has executed 2"},
        {2, 0, 0, 3, "damaged at byte 0"},
        {2, 48, 0, 3, "damaged at byte 0"},
        {3, 200, 0, 3, "damaged at byte 0"},
        {16, 17, 0, 3, "damaged at byte 40"},
        {42, 40, 0, 3, "damaged at byte 40"},
        {0, VPMU_RECORD_CODE, 1, 3, "damaged at byte 88"},
        {0, VPMU_RECORD_CODE, 24, 3, "ended before it wrote the profile"},
        {0, VPMU_RECORD_CODE, 112, 3, "wrote no profile"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct failure f = {0};
        struct raw raw;
        char *text = NULL;
        size_t size;
        FILE *to = open_memstream(&text, &size);
        int err;

        put_insn(to, &insns[0]);
        put_end(to);
        fclose(to);
        text[rows[i].at] = (char)rows[i].to;
        err = add(&raw, text, size - rows[i].cut, rows[i].count, &f);
        ck_assert_msg(err == (rows[i].error ? -1 : 0), "row %zu: %s", i, f.text);
        ck_assert_msg(!rows[i].error || strstr(f.text, rows[i].error), "row %zu: %s", i, f.text);
        free_raw(&raw);
        free(text);
    }
}
END_TEST

void add_exact_tests(Suite *suite)
{
    const TTest *const tests[] = {exact_places, exact_damaged};

    for (size_t i = 0; i < COUNT_OF(tests); i++) {
        TCase *c = tcase_create(tests[i]->name);

        tcase_add_test(c, tests[i]);
        suite_add_tcase(suite, c);
    }
}
