/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf record -b, which needs last branch records. The branches of the programs are known. An
 * interrupt may end a sample's records early, or lie between them. Without a transfer of types, as
 * Linux does it on Intel before architectural LBR, it decodes the instruction of each record and
 * drops what is no branch of the right kind.
 */
#include <stdio.h>
#include <string.h>

#include "branch/stacks.h"
#include "suite.h"
#include "x86.h"

#define CHAINS "/tmp/chains"

enum {
    LOOP_BODY = 8,         /* instructions; all but the last have 3 bytes */
    LOOP_BYTES = 3 * 7,    /* from its start to its branch */
    LARGEST_STEP = 64,     /* bytes of straight-line code in the program "branches" */
    KINDS_PER_ROUND = 7,   /* branches that are taken in a round of it */
    LARGEST_FUNCTION = 20, /* bytes of a function of "frames" from its start to its last call */
    FRAMES = 3             /* functions of a chain that are checked */
};

static bool is_amd(void)
{
    return x86_is_model("EPYC");
}

static unsigned records(void)
{
    return is_amd() ? 16 : 32;
}

static void test_caps(const struct test *test)
{
    (void)test;
    stacks_expect_depth(records());
}

/* The branch back of loop_body, which is predicted and takes the cycles of an iteration. */
static void check_loop(const struct branch *branch, struct stacks *stacks)
{
    unsigned least = is_amd() ? 0 : LOOP_BODY / machine.width;

    expect_eq("target", branch->from - LOOP_BYTES, branch->to);
    expect_eq("flag", 'P', (uint64_t)branch->flag);
    if (strcmp(branch->type, "COND") != 0) {
        test_fail("expected type COND got %s", branch->type);
    }
    stacks->seen += branch->cycles == least || (!is_amd() && branch->cycles == least + 1);
}

static void test_loop(const struct test *test)
{
    uint64_t samples = known_instructions(test->program, test->n) / STACKS_PERIOD;
    struct stacks stacks;

    if (stacks_record("-j cond,u,save_type", test->program, test->n) &&
        stacks_read(check_loop, &stacks)) {
        expect_eq("samples", samples, stacks.samples);
        /* Linux drops all records at a context switch. */
        expect_between("branches", samples * records() * 3 / 4, samples * records(),
                       stacks.branches);
        /* Those that an interrupt was taken before have more cycles. */
        expect_between("branches with the cycles of an iteration", stacks.branches * 9 / 10,
                       stacks.branches, stacks.seen);
    }
}

/* After a branch to "to", the next branch that is taken lies a few instructions further. */
static void check_path(const struct branch *branch, struct stacks *stacks)
{
    static uint64_t newer;

    if (branch->to >> 63 || (stacks->in_sample > 1 && newer >> 63)) {
        test_fail("a branch to the kernel is recorded");
    } else if (stacks->in_sample > 1 && newer - branch->to > LARGEST_STEP) {
        test_fail("after a branch to %#llx there is one at %#llx", (unsigned long long)branch->to,
                  (unsigned long long)newer);
    }
    newer = branch->from;
    stacks->seen += strcmp(branch->type, "COND") == 0;
}

static void test_path(const struct test *test)
{
    struct stacks stacks;

    if (stacks_record("-j any,u,save_type", test->program, test->n) &&
        stacks_read(check_path, &stacks)) {
        expect_between("branches", stacks.samples * records() * 3 / 4, stacks.samples * records(),
                       stacks.branches);
        expect_between("conditional branches", stacks.branches / KINDS_PER_ROUND - stacks.samples,
                       stacks.branches / KINDS_PER_ROUND + stacks.samples, stacks.seen);
    }
}

static void test_filters(const struct test *test)
{
    static const struct {
        const char *options;
        const char *type;
    } filters[] = {
        {"-j call,u,save_type", "CALL"},
        {"-j ind_call,u,save_type", "IND_CALL"},
        {"-j ind_jmp,u,save_type", "IND"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(filters); i++) {
        stacks_expect_filter(filters[i].options, filters[i].type, test->program, test->n,
                             records());
    }
}

/* User and kernel: a sample has system calls, and addresses of both. */
static void check_kernel(const struct branch *branch, struct stacks *stacks)
{
    stacks->seen += branch->from >> 63 && branch->to >> 63;
}

static void test_kernel(const struct test *test)
{
    struct stacks stacks;

    if (stacks_record("-j any,u,k,save_type", test->program, test->n) &&
        stacks_read(check_kernel, &stacks)) {
        expect_between("branches of the kernel", stacks.branches / 2, stacks.branches - 1,
                       stacks.seen);
    }
}

/* Call-stack mode: the records of a sample are calls, and each is in the function before it. */
static void check_stack(const struct branch *branch, struct stacks *stacks)
{
    static uint64_t newer;

    if (strcmp(branch->type, "CALL") != 0 && strcmp(branch->type, "IND_CALL") != 0) {
        test_fail("expected type CALL or IND_CALL got %s", branch->type);
    }
    if (stacks->in_sample > 1 && newer - branch->to > LARGEST_FUNCTION) {
        test_fail("%#llx was called, and a call from %#llx followed",
                  (unsigned long long)branch->to, (unsigned long long)newer);
    }
    newer = branch->from;
    stacks->seen += stacks->in_sample == FRAMES;
}

static void test_stack(const struct test *test)
{
    struct stacks stacks;

    if (is_amd()) {
        test_skip("AMD's records have no call-stack mode");
        return;
    }
    if (stacks_record("-j stack,u,save_type", test->program, test->n) &&
        stacks_read(check_stack, &stacks)) {
        /* In 5 of the 27 instructions of a round there are three frames above the sample's. */
        expect_between("samples with three callers", stacks.samples / 10, stacks.samples / 3,
                       stacks.seen);
    }
}

/*
 * Counts the samples whose call chain begins in inner. The next lines are its callers. If a sample
 * has no caller, perf prints the address of the next sample instead, because it reads the first
 * record of an empty stack.
 */
static void test_callgraph(const struct test *test)
{
    static const char *const names[FRAMES] = {"inner", "outer", "again"};
    FILE *file = NULL;
    unsigned found = 0;
    unsigned complete = 0;
    unsigned frame = 0;
    char line[256];

    if (is_amd()) {
        test_skip("AMD's records have no call-stack mode");
        return;
    }
    if (!stacks_record("--call-graph lbr", test->program, test->n) ||
        !stacks_run(CHAINS, "perf script", "-F ip,sym")) {
        return;
    }
    file = fopen(CHAINS, "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        char symbol[64] = "";

        if (sscanf(line, " %*x %63s", symbol) != 1) {
            frame = 0;
        } else if (frame < FRAMES && strcmp(symbol, names[frame]) == 0) {
            found += frame == 0;
            complete += ++frame == FRAMES;
        } else {
            frame = FRAMES;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    expect_between("samples of inner with their callers", found / 2, found, complete);
    expect_between("samples of inner", 2, UINT32_MAX, found);
}

static void test_report(const struct test *test)
{
    if (stacks_record("-b", test->program, test->n)) {
        stacks_expect_reports("loop_body");
    }
}

const struct test branch_tests[] = {
    {"branch/caps", test_caps, NULL, 0, 1, 1},
    {"branch/loop", test_loop, "loop", 100000, 1, 1},
    {"branch/path", test_path, "branches", 20000, 1, 1},
    {"branch/filters", test_filters, "branches", 10000, 1, 1},
    {"branch/kernel", test_kernel, "syscalls", 20000, 1, 1},
    {"branch/stack", test_stack, "frames", 20000, 1, 1},
    {"branch/callgraph", test_callgraph, "frames", 20000, 1, 1},
    {"branch/report", test_report, "loop", 20000, 1, 1},
};
const size_t branch_tests_count = ARRAY_SIZE(branch_tests);
