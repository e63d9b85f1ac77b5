/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Linux takes from adaptive PEBS records: XMM registers and last branch records. It reads many
 * records at a time, so it cannot take these from the CPU.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "suite.h"
#include "x86.h"

#define DATA "/tmp/perf.data"
#define SCRIPT "/tmp/script"

enum {
    PERIOD = 131, /* Linux demands at least 128 on SapphireRapids */
    PEBS_TIMEOUT = 60,
    LATE = 3,              /* samples that task switches delay */
    LARGEST_FUNCTION = 20, /* bytes of a function of "frames" from its start to its last call */
    INSTRUCTIONS = 5,      /* of a round of "vectors" */
};

/* Checks a line of perf script; counts in @seen what it is looking for. */
typedef void (*line_check)(const char *line, uint64_t *seen);

static bool record(const char *event, const char *options, const struct test *test)
{
    char line[256];

    snprintf(line, sizeof(line),
             "perf record -q -N -B --per-thread -o " DATA " -e %s -c %d %s -- " PROGRAMS
             "%s %" PRIu64,
             event, PERIOD, options, test->program, test->n);
    return command_run(NULL, PEBS_TIMEOUT, line);
}

/* Checks all samples. A few are late, and not taken, because of task switches. */
static void check_samples(const char *fields, line_check check, const struct test *test)
{
    uint64_t known = known_instructions(test->program, test->n) / PERIOD;
    uint64_t samples = 0, seen = 0;
    char line[256], *text = NULL;
    size_t size = 0;
    FILE *file;

    snprintf(line, sizeof(line), "perf script -i " DATA " -F %s", fields);
    if (!command_run(SCRIPT, PEBS_TIMEOUT, line)) {
        return;
    }
    file = fopen(SCRIPT, "re");
    while (file != NULL && getline(&text, &size, file) > 0 && !test_failed()) {
        check(text, &seen);
        samples++;
    }
    if (file != NULL) {
        fclose(file);
    }
    free(text);
    expect_between("samples", known - LATE, known, samples);
    expect_between("samples that were checked", known * 3 / 4, known, seen);
}

/* The two halves of a register, which perf prints one after the other. */
static bool read_vector(const char *line, const char *name, uint64_t half[2])
{
    const char *at = strstr(line, name);

    for (unsigned i = 0; i < 2; i++) {
        if (at == NULL || sscanf(at + strlen(name), "%" SCNx64, &half[i]) != 1) {
            test_fail("there are no two halves of %s in: %s", name, line);
            return false;
        }
        at = strstr(at + 1, name);
    }
    return true;
}

/* The registers after the instruction of the loop at which a record is. */
static void check_vectors(const char *line, uint64_t *seen)
{
    static const unsigned offsets[INSTRUCTIONS] = {0, 5, 10, 16, 19};
    const char *place = strstr(line, "vector_body+"), *rbx = strstr(line, "BX:");
    uint64_t round, offset, xmm0[2], xmm15[2];
    unsigned insn = 0;

    if (place == NULL) {
        return;
    }
    if (sscanf(place, "vector_body+%" SCNx64, &offset) != 1 || rbx == NULL ||
        sscanf(rbx, "BX:%" SCNx64, &round) != 1) {
        test_fail("there is no place and no RBX in: %s", line);
        return;
    }
    while (insn < INSTRUCTIONS && offsets[insn] != offset) {
        insn++;
    }
    if (insn == INSTRUCTIONS) {
        test_fail("no instruction is at %#" PRIx64 ": %s", offset, line);
        return;
    }
    if (!read_vector(line, "XMM0:", xmm0) || !read_vector(line, "XMM15:", xmm15)) {
        return;
    }
    round += insn >= 3;
    expect_eq("XMM0", round, xmm0[0]);
    expect_eq("XMM0, high", 0, xmm0[1]);
    if (insn > 0) {
        expect_eq("XMM15", insn == 1 ? round : 0, xmm15[0]);
        expect_eq("XMM15, high", insn == 1 ? 0 : round, xmm15[1]);
    }
    ++*seen;
}

static void test_vectors(const struct test *test)
{
    if (record("instructions:uppp", "--intr-regs=bx,xmm0,xmm15", test)) {
        check_samples("ip,sym,symoff,iregs", check_vectors, test);
    }
}

/* Reads the address of a sample, and its newest branch. Returns false if it has none. */
static bool read_branch(const char *line, uint64_t *ip, uint64_t *from, uint64_t *to)
{
    const char *branch = strstr(line, " 0x");

    if (branch == NULL) {
        return false;
    }
    if (sscanf(line, "%" SCNx64, ip) != 1 ||
        sscanf(branch, " 0x%" SCNx64 "/0x%" SCNx64, from, to) != 2) {
        test_fail("there is no branch in: %s", line);
        return false;
    }
    return true;
}

/*
 * With architectural records, Linux 6.12 records no branches for fixed counter 0 (uppp).
 *
 * The instruction of a sample is the newest branch, or it follows shortly after its target. Linux
 * clears the records at a task switch.
 */
static void check_branches(const char *line, uint64_t *seen)
{
    uint64_t ip, from, to;

    if (!read_branch(line, &ip, &from, &to)) {
        return;
    }
    if (ip != from && ip - to > LARGEST_FUNCTION) {
        test_fail("a sample is at %#" PRIx64 ", and its newest branch is from %#" PRIx64
                  " to %#" PRIx64,
                  ip, from, to);
    }
    ++*seen;
}

static void test_branches(const struct test *test)
{
    if (record("instructions:upp", "-j any,u", test)) {
        check_samples("ip,brstack", check_branches, test);
    }
}

/*
 * Call-stack mode: the newest call of a sample is that of its function, or the instruction itself.
 * A return has no call any more: these are 3 of the 27 instructions of a round. So has "again",
 * which are 2.
 */
static void check_chain(const char *line, uint64_t *seen)
{
    uint64_t ip, from, to;

    *seen += read_branch(line, &ip, &from, &to) && (ip == from || ip - to <= LARGEST_FUNCTION);
}

static void test_chains(const struct test *test)
{
    if (record("instructions:upp", "-j stack,u", test)) {
        check_samples("ip,brstack", check_chain, test);
    }
}

/* perf's buffer must hold all samples of the branches: perf may not run before the program ends. */
const struct test pebs_tests[] = {
    {"pebs/vectors", test_vectors, "vectors", 20000, 1, 1},
    {"pebs/branches", test_branches, "frames", 1500, 1, 1},
    {"pebs/chains", test_chains, "frames", 1500, 1, 1},
};
const size_t pebs_tests_count = ARRAY_SIZE(pebs_tests);
