/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instruction-based sampling of AMD's CPUs: samples of ops and of fetches by Linux's driver. The
 * program "levels" says where the data of each of its loops is; RDX has the address.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "command.h"
#include "suite.h"
#include "x86.h"

#define DATA "/tmp/perf.data"
#define SCRIPT "/tmp/script"

enum {
    IBS_TIMEOUT = 300,
    PERIOD = 4000, /* a multiple of 16, as Linux demands */
    /*
     * An interval begins with a random number, at most RANDOM, in Linux's handler. A TCG plugin
     * counted what follows, from the WRMSR that enables the counter to the handler's IRET.
     */
    RANDOM = 127,
    IN_LINUX_6 = 562,   /* 6.12 */
    IN_LINUX_7 = 675,   /* 7.3 */
    LEAST_PERCENT = 90, /* of the samples: other interrupts take some */
    LINE = 64,
    FLUSHES = 6, /* interrupts flush TLBs, and the kernel uses the caches */
};

/* The first instruction of each loop makes its access; the others follow at these offsets. */
#define OFFSETS 4

struct loop {
    const char *name;
    const char *level;  /* as perf writes it */
    unsigned latency;   /* of a miss of L1 by a load; otherwise 0 */
    uint64_t rounds;    /* of a pass */
    bool once;          /* there is one pass, not N */
    bool faults;        /* page faults, which are ops as well, decide how many samples it has */
    bool loads, stores; /* what perf writes of the operation */
    unsigned insns;
    uint8_t offsets[OFFSETS];
};

static const struct loop loops[] = {
    {"cold", "RAM hit", 150, (4 << 20) / LINE, true, true, true, false, 4, {0, 2, 6, 8}},
    {"beyond_l3", "RAM hit", 150, (4 << 20) / LINE, true, false, true, false, 4, {0, 2, 6, 8}},
    {"beyond_l2", "L3 hit", 40, (1 << 20) / LINE, false, false, true, false, 4, {0, 2, 6, 8}},
    {"beyond_l1", "L2 hit", 12, (64 << 10) / LINE, false, false, true, false, 4, {0, 2, 6, 8}},
    {"hot", "L1 hit", 0, 1024, false, false, true, false, 3, {0, 2, 5}},
    {"store_beyond_l1", "L2 hit", 0, (64 << 10) / LINE, false, false, false, true, 4, {0, 2, 6, 8}},
    {"store_hot", "L1 hit", 0, 1024, false, false, false, true, 3, {0, 2, 5}},
    {"lock_hot", "L1 hit", 0, 1024, false, false, true, true, 3, {0, 4, 7}},
};

struct sums {
    uint64_t samples;
    uint64_t accesses;
    uint64_t other_level;
};

/* The loop that a line of perf script is in, and the offset of its instruction. */
static const struct loop *loop_of(const char *line, unsigned *offset)
{
    for (size_t i = 0; i < ARRAY_SIZE(loops); i++) {
        char text[64];
        const char *at;

        snprintf(text, sizeof(text), " %s+0x", loops[i].name);
        at = strstr(line, text);
        if (at != NULL && sscanf(at + strlen(text), "%x", offset) == 1) {
            return &loops[i];
        }
    }
    return NULL;
}

static uint64_t register_in(const char *line, const char *name)
{
    const char *at = strstr(line, name);
    uint64_t value = UINT64_MAX;

    if (at != NULL) {
        sscanf(at + strlen(name), "%" SCNx64, &value);
    }
    return value;
}

/* The access of the first instruction of a loop: its address, level, latency and kind. */
static void check_access(const char *line, const struct loop *loop, struct sums *sums)
{
    const char *operation = loop->loads ? "|OP LOAD" : "|OP STORE";
    const char *behind = strstr(line, "|BLK ");
    uint64_t address = UINT64_MAX;
    unsigned latency = 0;

    sums->accesses++;
    if (sscanf(line, " %" SCNx64, &address) != 1 || address != register_in(line, "DX:")) {
        test_fail("the data address is not RDX: %s", line);
    }
    if (strstr(line, operation) == NULL ||
        (loop->loads && loop->stores) != (strstr(line, "LCK Yes") != NULL)) {
        test_fail("the operation is not what the instruction does: %s", line);
    }
    if (strstr(line, loop->level) == NULL) {
        sums->other_level++;
    } else if (behind == NULL || sscanf(behind, "|BLK %*s %u", &latency) != 1 ||
               latency != loop->latency) {
        test_fail("the latency is %u, expected %u: %s", latency, loop->latency, line);
    }
}

/* Each sample of a loop names one of its instructions; the first of them makes the access. */
static void check_sample(const char *line, const struct loop *loop, unsigned offset,
                         struct sums *sums)
{
    unsigned i = 0;

    sums->samples++;
    while (i < loop->insns && loop->offsets[i] != offset) {
        i++;
    }
    if (i == loop->insns) {
        test_fail("no instruction is at this address: %s", line);
    } else if (i == 0) {
        check_access(line, loop, sums);
    } else if (strstr(line, "|OP N/A") == NULL && strstr(line, "|OP ") != NULL) {
        test_fail("this instruction makes no access: %s", line);
    }
}

static uint64_t ops_of(const struct loop *loop, uint64_t passes)
{
    return loop->rounds * loop->insns * (loop->once ? 1 : passes);
}

/* The most ops of an interval that are not the program's, or that no op was counted for. */
static uint64_t lost_ops(void)
{
    struct utsname name;

    return RANDOM + (uname(&name) == 0 && atoi(name.release) >= 7 ? IN_LINUX_7 : IN_LINUX_6);
}

static void check_sums(const struct loop *loop, const struct sums *sums, uint64_t passes)
{
    uint64_t ops = ops_of(loop, passes);
    uint64_t known = ops / PERIOD;
    uint64_t few = known / loop->insns / 4;

    if (!loop->faults) {
        expect_between(loop->name, known * LEAST_PERCENT / 100, ops / (PERIOD - lost_ops()) + 1,
                       sums->samples);
    }
    expect_between("samples of the access", few, UINT32_MAX, sums->accesses);
    expect_between("of another level", 0, FLUSHES, sums->other_level);
}

static bool record(const char *event, const char *options, const struct test *test)
{
    char line[300];

    snprintf(line, sizeof(line),
             "perf record -q -N -B --per-thread %s -o " DATA " -e %s -c %d -- " PROGRAMS
             "%s %" PRIu64,
             options, event, PERIOD, test->program, test->n);
    return command_run(NULL, IBS_TIMEOUT, line);
}

/* Checks all samples of the loops of a recording with RDX. */
static void check_recording(struct sums sums[ARRAY_SIZE(loops)])
{
    char line[512];
    unsigned offset;
    FILE *file;

    if (!command_run(SCRIPT, IBS_TIMEOUT,
                     "perf script -i " DATA " -F addr,weight,ip,sym,symoff,data_src,iregs")) {
        return;
    }
    file = fopen(SCRIPT, "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL && !test_failed()) {
        const struct loop *loop = loop_of(line, &offset);

        /* Behind the loop, the next one is prepared. */
        if (loop != NULL && offset <= loop->offsets[loop->insns - 1]) {
            check_sample(line, loop, offset, &sums[loop - loops]);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
}

/* All ops of the loops, with what they access. */
static void test_ops(const struct test *test)
{
    struct sums sums[ARRAY_SIZE(loops)] = {{0, 0, 0}};

    if (record("ibs_op/cnt_ctl=1/", "-d -W --intr-regs=dx", test)) {
        check_recording(sums);
    }
    for (size_t i = 0; i < ARRAY_SIZE(loops) && !test_failed(); i++) {
        check_sums(&loops[i], &sums[i], test->n);
    }
}

/* A recording that is not finished yet, with fewer samples. */
#define HELD_PERIOD 40000
#define HELD_PASSES 1000

bool ibs_hold_start(struct command *command)
{
    char line[256];

    snprintf(line, sizeof(line),
             "perf record -q -N -B --per-thread -d -W --intr-regs=dx -o " DATA
             " -e ibs_op/cnt_ctl=1/ -c %d -- " PROGRAMS "levels %d",
             HELD_PERIOD, HELD_PASSES);
    return command_start(command, INPUT_NULL, NULL, line);
}

/*
 * Levels are not compared: caches are cold after a migration. How many samples a loop has depends
 * on what Linux does meanwhile, which depends on time.
 */
void ibs_hold_finish(struct command *command)
{
    struct sums sums[ARRAY_SIZE(loops)] = {{0, 0, 0}};

    if (command_wait(command, IBS_TIMEOUT)) {
        check_recording(sums);
    }
    for (size_t i = 0; i < ARRAY_SIZE(loops) && !test_failed(); i++) {
        uint64_t known = ops_of(&loops[i], HELD_PASSES) / HELD_PERIOD;

        if (!loops[i].faults) {
            expect_between(loops[i].name, known / 2, known * 2 + 8, sums[i].samples);
        }
    }
}

/* Each of @texts is in a line of what @command writes to @output: SCRIPT or COMMAND_ERRORS. */
static void expect_lines(const char *output, const char *command, const char *const texts[],
                         size_t n)
{
    bool errors = strcmp(output, COMMAND_ERRORS) == 0;
    unsigned found[8] = {0};
    char line[512];
    FILE *file;

    if (!command_run(errors ? NULL : output, IBS_TIMEOUT, command)) {
        return;
    }
    file = fopen(output, "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        for (size_t i = 0; i < n; i++) {
            found[i] += strstr(line, texts[i]) != NULL;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    for (size_t i = 0; i < n; i++) {
        expect_between(texts[i], 1, UINT32_MAX, found[i]);
    }
}

/* Fetches of lines, most of which are the kernel's; and those that miss L3. */
static void test_fetches(const struct test *test)
{
    static const char *const texts[] = {"MaxCnt    4000 ", "Val 1 Comp 1",  "IcMiss 0",
                                        "PhyAddrValid 1",  "IbsFetchLinAd", "IbsFetchPhysAd"};
    static const char *const misses[] = {"IcMiss 1"};
    char line[200];

    if (record("ibs_fetch/rand_en=1/", "-R", test)) {
        expect_lines(SCRIPT, "perf script -D -i " DATA, texts, ARRAY_SIZE(texts));
    }
    snprintf(line, sizeof(line),
             "perf record -q -N -B -R -o " DATA " -e ibs_fetch/l3missonly=1/ -c 16 -- " PROGRAMS
             "%s %" PRIu64,
             test->program, test->n);
    if (!test_failed() && command_run(NULL, IBS_TIMEOUT, line)) {
        expect_lines(SCRIPT, "perf script -D -i " DATA, misses, ARRAY_SIZE(misses));
    }
}

/* Linux samples precise cycles by IBS. perf's own test is of that, too. */
static void test_precise(const struct test *test)
{
    static const char *const texts[] = {"cold+0x", "beyond_l2+0x"};
    static const char *const ok[] = {": Ok"};

    if (record("cycles:p", "", test)) {
        expect_lines(SCRIPT, "perf script -i " DATA " -F ip,sym,symoff", texts, ARRAY_SIZE(texts));
        expect_lines(COMMAND_ERRORS, "perf test -v AMD", ok, ARRAY_SIZE(ok));
    }
}

static void test_mem(const struct test *test)
{
    static const char *const texts[] = {"RAM hit", "L3 hit", "L2 hit",
                                        "L1 hit",  "cold",   "beyond_l2"};
    char line[256];

    snprintf(line, sizeof(line), "perf mem record -q -c %d -o " DATA " -- " PROGRAMS "%s %" PRIu64,
             PERIOD / 10, test->program, test->n);
    if (command_run(NULL, IBS_TIMEOUT, line)) {
        expect_lines(SCRIPT, "perf mem report -q -i " DATA " --stdio --sort=mem,symbol", texts,
                     ARRAY_SIZE(texts));
    }
}

/* Branches, with the target of those that are taken; some are returns. */
static void test_branches(const struct test *test)
{
    static const char *const texts[] = {"OpReturn 1", "OpBrnTaken 1", "OpBrnTaken 0",
                                        "IbsBrTarget"};

    if (record("ibs_op/cnt_ctl=1/", "-R", test)) {
        expect_lines(SCRIPT, "perf script -D -i " DATA, texts, ARRAY_SIZE(texts));
    }
}

const struct test ibs_tests[] = {
    {"ibs/ops", test_ops, "levels", 64, 1, 1},
    {"ibs/mem", test_mem, "levels", 32, 1, 1},
    {"ibs/precise", test_precise, "levels", 32, 1, 1},
    {"ibs/fetches", test_fetches, "forks", 40, 1, 1},
    {"ibs/branches", test_branches, "branches", 20000, 1, 1},
};
const size_t ibs_tests_count = ARRAY_SIZE(ibs_tests);
