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
/* Numbers in samples: of calls, and of the costs after them. */
#define CALLS EXACT_OTHER
#define CALLED (EXACT_OTHER + 1)
#define CONDITIONAL (EXACT_OTHER + 2)
#define MISSED (EXACT_OTHER + 3)
/* What calls cost of the second one */
#define CALLED_MISSED (EXACT_OTHER + 5)

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

/* put_insn() - @event: 0, or a cost of the instruction, which it has @times */
static void put_insn(FILE *to, const struct insn *insn, uint8_t event)
{
    struct vpmu_record_code code = {.head = {.type = VPMU_RECORD_CODE, .size = sizeof(code)},
                                    .page = insn->page,
                                    .size = insn->size};
    struct vpmu_record_sample sample = {
        .head = {.type = VPMU_RECORD_SAMPLE, .size = sizeof(sample)},
        .event = event,
        .pc = insn->pc,
        .weight = insn->times};

    memcpy(code.bytes, insn->bytes, sizeof(insn->bytes));
    fwrite(&code, sizeof(code), 1, to);
    fwrite(&sample, sizeof(sample), 1, to);
}

/*
 * put_spent() - an instruction at @pc has called @target @times, which cost @spent of @event;
 * @type: VPMU_RECORD_CALL or _JUMP
 */
static void put_spent(FILE *to, uint16_t type, uint64_t pc, uint64_t page, uint64_t target,
                      uint64_t times, uint64_t spent, uint8_t event)
{
    const struct vpmu_record_call call = {.head = {.type = type, .size = sizeof(call)},
                                          .page = page,
                                          .target = target,
                                          .spent = spent};
    const struct vpmu_record_sample sample = {
        .head = {.type = VPMU_RECORD_SAMPLE, .size = sizeof(sample)},
        .event = event,
        .pc = pc,
        .weight = times};

    fwrite(&call, sizeof(call), 1, to);
    fwrite(&sample, sizeof(sample), 1, to);
}

static void put(FILE *to, uint16_t type, uint64_t pc, uint64_t page, uint64_t target,
                uint64_t times, uint64_t insns)
{
    put_spent(to, type, pc, page, target, times, insns, 0);
}

static void put_call(FILE *to, uint64_t pc, uint64_t page, uint64_t target, uint64_t times,
                     uint64_t insns)
{
    put(to, VPMU_RECORD_CALL, pc, page, target, times, insns);
}

/* put_end() - @counts: what the emulator has counted of instructions, and of @costs */
static void put_end(FILE *to, const uint64_t *counts, size_t costs)
{
    const struct vpmu_record_end end = {.head = {.type = VPMU_RECORD_END, .size = sizeof(end)}};

    for (uint32_t i = 0; i <= costs; i++) {
        const struct vpmu_record_count count = {
            .head = {.type = VPMU_RECORD_COUNT, .size = sizeof(count)},
            .event = i,
            .count = counts[i]};

        fwrite(&count, sizeof(count), 1, to);
    }
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
    free(calls.chain);
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

/* add() - exact_add() of a stream, in which @count instructions are the program's */
static int add(struct raw *raw, const char *text, size_t size, uint64_t count, struct failure *f)
{
    static const struct job job = {.root = ""};
    static const char *const cost[] = {"Bc", "Bcm"};
    struct exact_profile p = {.job = &job,
                              .fd = memfd_create("test", 0),
                              .count = count,
                              .id = EVENT,
                              .calls = true,
                              .cost = cost,
                              .costs = COUNT_OF(cost)};
    int err;

    ck_assert_int_eq(write(p.fd, text, size), (ssize_t)size);
    make_files();
    make_raw(raw);
    err = exact_add(raw, &p, &calls, f);
    close(p.fd);
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

/*
 * The rest, 2, comes last. Samples follow the mapping that they belong to. Calls have no other
 * sample if nothing was executed until they returned. What they called has no address if no program
 * has executed it. Chains of jumps have their address twice.
 */
static const struct {
    uint32_t pid;
    uint64_t ip, period, id, site, chain;
} places[] = {{10, START, 3, EVENT, 0, 0},
              {10, START + 1, 4, EVENT, 0, 0},
              {10, 0, 9, CALLS, START + 1, 1},
              {10, START, 5, CALLS, START + 1, 2},
              {10, START, 20, CALLED, START + 1, 2},
              {10, START + 1, 4, CONDITIONAL, 0, 0},
              {10, START + 1, 2, MISSED, 0, 0},
              {11, START, 5, EVENT, 0, 0},
              {11, START + 1, 6, EVENT, 0, 0},
              {11, START + 1, 9, CALLS, START, 1},
              {11, START + 1, 40, CALLED, START, 1},
              {11, START + 1, 8, CALLED, START, 1},
              {11, START + 1, 6, CALLED_MISSED, START, 1},
              {12, 0x700010, 7, EVENT, 0, 0},
              {0, 0, 2, EVENT, 0, 0}};

START_TEST(exact_places)
{
    static const uint64_t counts[] = {1025, 4 + 500, 2};
    static const struct insn missed = {START + 1, 0x8000, 2, 0, {0}};
    /* Init's costs are in no sample. */
    static const struct insn of_init = {START + 2, 0xa000, 500, 0, {0}};
    struct failure f = {0};
    struct raw raw;
    char *text = NULL;
    size_t size, n = 0;
    FILE *to = open_memstream(&text, &size);

    for (size_t i = COUNT_OF(insns); i-- > 0;) {
        put_insn(to, &insns[i], 0);
    }
    put_insn(to, &insns[1], 1);
    put_insn(to, &of_init, 1);
    put_insn(to, &missed, 2);
    put_call(to, START, 0x9000, START + 1, 9, 40);
    /* They were made on another CPU. */
    put_call(to, START, 0x9000, START + 1, 0, 8);
    put_spent(to, VPMU_RECORD_CALL, START, 0x9000, START + 1, 0, 6, 2);
    put_call(to, START + 1, 0x8000, 0x500, 9, 0);
    /* Init's call. */
    put_call(to, START + 2, 0xa000, START, 9, 50);
    /* No call is a jump to itself, or to code that is not known. */
    put(to, VPMU_RECORD_JUMP, START + 1, 0x8000, START, 5, 20);
    put(to, VPMU_RECORD_JUMP, START, 0x8000, START, 5, 20);
    put(to, VPMU_RECORD_JUMP, START + 1, 0x8000, 0x500, 5, 20);
    put_end(to, counts, COUNT_OF(counts) - 1);
    fclose(to);
    ck_assert_msg(add(&raw, text, size, 27, &f) == 0, "%s", f.text);
    for (size_t i = 0; i < raw.n; i++) {
        const struct raw_record *r = &raw.record[i];

        if (r->type == PERF_RECORD_SAMPLE) {
            ck_assert_uint_lt(n, COUNT_OF(places));
            ck_assert_uint_eq(r->at.pid, places[n].pid);
            ck_assert_uint_eq(r->at.ip, places[n].ip);
            ck_assert_uint_eq(r->at.period, places[n].period);
            ck_assert_uint_eq(r->at.id, places[n].id);
            ck_assert_uint_eq(r->at.n_chain, places[n].chain);
            for (uint64_t k = 0; k < places[n].chain; k++) {
                ck_assert_uint_eq(perfsample_word(r->at.chain, k), places[n].site);
            }
            n++;
        }
    }
    ck_assert_uint_eq(n, COUNT_OF(places));
    free_raw(&raw);
    free(text);
}
END_TEST

/* The library, two programs at the same address, and what a child loads. */
enum {
    LIBRARY,
    FIRST,
    SECOND,
    LOADED,
    FILES
};
#define OF_LIBRARY 0x700000u
#define OF_LOADED 0x800000u

/*
 * Process 20 executes one program after the other, and then has a child, 21. Both programs use the
 * library. The file of a fork is FILES.
 */
static const struct {
    unsigned file;
    uint64_t start;
    uint32_t pid;
    uint64_t time;
} events[] = {{FIRST, START, 20, 10},  {LIBRARY, OF_LIBRARY, 20, 20},
              {SECOND, START, 20, 30}, {LIBRARY, OF_LIBRARY, 20, 40},
              {FILES, 0, 21, 60},      {LOADED, OF_LOADED, 21, 70}};

static void make_events(struct raw *raw, char path[FILES][PATH_SIZE])
{
    static const uint32_t fork[] = {21, 20, 21, 20};

    *raw = (struct raw){.record = calloc(COUNT_OF(events), sizeof(*raw->record)),
                        .n = COUNT_OF(events)};
    for (size_t i = 0; i < raw->n; i++) {
        bool is_fork = events[i].file == FILES;
        size_t size = sizeof(fork);
        unsigned char *body = is_fork ? memcpy(malloc(size), fork, size)
                                      : mapping_of(path[events[i].file], events[i].start, &size);

        raw->record[i] = (struct raw_record){.type = is_fork ? PERF_RECORD_FORK : PERF_RECORD_MMAP2,
                                             .body = {.at = body, .left = size},
                                             .at = {.pid = events[i].pid, .time = events[i].time},
                                             .order = i};
    }
}

/* executes() - all code of each file, in a page of its own. Return: the instructions. */
static uint64_t executes(FILE *to, char path[FILES][PATH_SIZE])
{
    static const struct {
        uint64_t start;
        unsigned char code[3];
    } files[FILES] = {{OF_LIBRARY, {0x90, 0x90, 0xc3}},
                      {START, {0x90, 0xcc}},
                      {START, {0xcc, 0, 0xc3}},
                      {OF_LOADED, {0x90, 0x90, 0x90}}};
    uint64_t n = 0;

    for (size_t i = 0; i < FILES; i++) {
        int fd;

        strcpy(path[i], "/tmp/vpmu-exact-XXXXXX");
        fd = mkstemp(path[i]);
        ck_assert_int_eq(write(fd, files[i].code, 3), 3);
        close(fd);
        for (size_t k = 0; k < 3; k++) {
            const struct insn insn = {
                files[i].start + k, 0x8000 + 0x1000 * i, 1, 1, {files[i].code[k]}};

            if (insn.bytes[0]) {
                put_insn(to, &insn, 0);
                n++;
            }
        }
    }
    return n;
}

/*
 * A call is shown in a process and at a time that has the caller and what it has called. If the
 * library calls an address where both programs have code, nobody knows which of them it was.
 */
static const struct {
    unsigned file; /* of the caller */
    uint64_t site, target;
    uint32_t pid;
    uint64_t time, ip;
} callees[] = {
    {LIBRARY, OF_LIBRARY, OF_LIBRARY + 1, 20, 20, OF_LIBRARY + 1},
    {LIBRARY, OF_LIBRARY, START + 1, 20, 20, START + 1},
    {LIBRARY, OF_LIBRARY, START + 2, 20, 30, START + 2},
    {LIBRARY, OF_LIBRARY, START, 20, 20, 0},
    {LIBRARY, OF_LIBRARY, OF_LOADED, 21, 70, OF_LOADED},
    {LOADED, OF_LOADED, OF_LIBRARY + 2, 21, 70, OF_LIBRARY + 2},
    {FIRST, START, START + 1, 20, 10, START + 1},
    {FIRST, START, OF_LIBRARY, 20, 20, OF_LIBRARY},
    /* The first program has ended by then. */
    {FIRST, START, OF_LOADED, 20, 10, 0},
    {SECOND, START, OF_LOADED, 21, 70, OF_LOADED},
};

START_TEST(exact_callees)
{
    static const struct job job = {.root = ""};
    char path[FILES][PATH_SIZE], *text = NULL;
    struct failure f = {0};
    struct raw raw;
    size_t size, n = 0;
    FILE *to = open_memstream(&text, &size);
    struct exact_profile p = {
        .job = &job, .fd = memfd_create("test", 0), .id = EVENT, .calls = true};

    p.count = executes(to, path);
    for (size_t i = 0; i < COUNT_OF(callees); i++) {
        put_call(to, callees[i].site, 0x8000 + 0x1000 * callees[i].file, callees[i].target, i + 1,
                 0);
    }
    put_end(to, &p.count, 0);
    fclose(to);
    make_events(&raw, path);
    ck_assert_int_eq(write(p.fd, text, size), (ssize_t)size);
    ck_assert_msg(exact_add(&raw, &p, &calls, &f) == 0, "%s", f.text);
    for (size_t i = 0; i < raw.n; i++) {
        const struct raw_record *r = &raw.record[i];

        if (r->type == PERF_RECORD_SAMPLE && r->at.id == CALLS) {
            size_t row = r->at.period - 1;

            ck_assert_msg(r->at.ip == callees[row].ip && r->at.pid == callees[row].pid &&
                              r->at.time == callees[row].time,
                          "row %zu: %llx, process %u, time %llu", row, (unsigned long long)r->at.ip,
                          r->at.pid, (unsigned long long)r->at.time);
            n++;
        }
    }
    ck_assert_uint_eq(n, COUNT_OF(callees));
    for (size_t i = 0; i < FILES; i++) {
        unlink(path[i]);
    }
    free_raw(&raw);
    free(text);
    close(p.fd);
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
        {0, VPMU_RECORD_CODE, 1, 3, "damaged at byte 144"},
        {0, VPMU_RECORD_CODE, 24, 3, "ended before it wrote the profile"},
        {0, VPMU_RECORD_CODE, 168, 3, "wrote no profile"},
        /* Events of the sample and of the count; the count. */
        {78, 3, 0, 3, "damaged at byte 40"},
        {136, 3, 0, 3, "damaged at byte 88"},
        /* Something was lost. */
        {120, 1, 0, 3, "the profile is not complete"},
        {96, 4, 0, 3, "the profile has 3 of instructions, but the emulator has counted 4"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const uint64_t counted = 3;
        struct failure f = {0};
        struct raw raw;
        char *text = NULL;
        size_t size;
        FILE *to = open_memstream(&text, &size);
        int err;

        put_insn(to, &insns[0], 0);
        put_end(to, &counted, 0);
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
    const TTest *const tests[] = {exact_places, exact_callees, exact_damaged};

    for (size_t i = 0; i < COUNT_OF(tests); i++) {
        TCase *c = tcase_create(tests[i]->name);

        tcase_add_test(c, tests[i]);
        suite_add_tcase(suite, c);
    }
}
