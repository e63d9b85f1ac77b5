/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The models of caches, TLBs, branch prediction and a pipeline: a program has the same counts on
 * every run, whatever else the guest and the host do.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "event_kinds.h"
#include "perf.h"
#include "suite.h"

#define RANDOMIZE "/proc/sys/kernel/randomize_va_space"

/*
 * Write-backs are not included, nor what counts them at the next level: a line that another program
 * has modified is written back, and counted, when a line of this program replaces it. r50 is
 * L2D_CACHE_RD.
 */
#define EVENTS                                                                                     \
    "instructions:u,l1d_cache_refill:u,l1i_cache_refill:u,l1d_tlb_refill:u,l1i_tlb_refill:u,"      \
    "l1i_cache:u,br_mis_pred:u,r50:u,l2d_cache_refill:u,l2d_tlb_refill:u,dtlb_walk:u,"             \
    "itlb_walk:u,cycles:u"

enum {
    RUNS = 10
};

/* The layout of address spaces is always the same (0), or random (2). */
static void randomize(const char *value)
{
    int fd = open(RANDOMIZE, O_WRONLY | O_CLOEXEC);

    if (fd < 0 || write(fd, value, 1) != 1) {
        test_fail("cannot set " RANDOMIZE);
    }
    if (fd >= 0) {
        close(fd);
    }
}

/*
 * Another process that competes for the CPU and uses the same addresses, but gets only a third of
 * the time of a process of normal niceness.
 */
static bool start_spinner(struct command *spinner)
{
    return command_start(spinner, INPUT_NULL, NULL, PROGRAMS "spin 1000000") &&
           setpriority(PRIO_PROCESS, (id_t)spinner->pid, 5) == 0;
}

static void expect_same(const struct stat_result *first, const struct stat_result *result)
{
    expect_eq("rows", first->count, result->count);
    for (size_t i = 0; i < first->count && i < result->count; i++) {
        expect_row(result, i, first->rows[i].value);
    }
}

/*
 * The last row is cycles. If a cycle has more than one slot, a program that ends in the middle of a
 * cycle leaves that cycle to the next program. Task switches lose nothing.
 */
static void expect_same_cycles(struct stat_result *first, struct stat_result *result)
{
    uint64_t cycles, begun = machine.width > 1 ? 1 : 0;

    first->count--;
    result->count--;
    expect_same(first, result);
    cycles = first->rows[first->count].value;
    if (machine.width > 0) {
        expect_between("cycles:u", cycles - begun, cycles + begun,
                       result->rows[result->count].value);
    }
    first->count++;
}

static void run_often(const struct test *test)
{
    struct stat_result first, result;

    for (unsigned i = 0; i < RUNS && !test_failed(); i++) {
        if (perf_stat(&result, ROW_PLAIN, "-e " EVENTS " -- " PROGRAMS "%s %" PRIu64, test->program,
                      test->n)) {
            if (i == 0) {
                first = result;
            }
            expect_same_cycles(&first, &result);
        }
    }
}

/*
 * Each CPU has models of its own, so the program stays on one CPU. Its work must not depend on
 * where the kernel puts its stack.
 */
static void test_repeat(const struct test *test)
{
    struct command spinner;

    if (machine.no_l2) {
        test_skip("needs an L2 cache");
        return;
    }
    randomize("0");
    keep_to_first_cpu(true);
    if (start_spinner(&spinner)) {
        run_often(test);
    }
    command_kill(&spinner);
    keep_to_first_cpu(false);
    randomize("2");
}

/*
 * A cycle has as many slots as the pipeline is wide. Each instruction has one, and those of stalls
 * are empty. The first cycle may have begun before the program; no other fraction is lost or added,
 * however often the program has to wait.
 */
static void test_cycles(const struct test *test)
{
    struct stat_result result;
    uint64_t known;

    if (machine.width == 0) {
        test_skip("cycles are the clock's");
        return;
    }
    /* On another CPU a cycle begins anew. */
    keep_to_first_cpu(true);
    if (perf_stat(&result, ROW_PLAIN,
                  "-e {cycles:u,instructions:u,stall:u,stall_slot:u} -- " PROGRAMS "%s %" PRIu64,
                  test->program, test->n)) {
        expect_row(&result, 1, known_instructions(test->program, test->n));
        expect_eq("stall_slot:u", machine.width * result.rows[2].value, result.rows[3].value);
        known = result.rows[1].value / machine.width + result.rows[2].value;
        expect_between("cycles:u", known, known + 1, result.rows[0].value);
    }
    keep_to_first_cpu(false);
}

/* PMMIR.SLOTS: the largest increment of STALL_SLOT in a cycle. */
static void test_slots(const struct test *test)
{
    char path[128];
    unsigned slots = 0;
    FILE *file;

    (void)test;
    if (machine.width == 0) {
        test_skip("cycles are the clock's");
        return;
    }
    snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/caps/slots", pmu_name());
    file = fopen(path, "re");
    if (file == NULL || fscanf(file, "%x", &slots) != 1) {
        test_fail("%s: expected a number got none", path);
    }
    if (file != NULL) {
        fclose(file);
    }
    expect_eq("slots", machine.width, slots);
}

const struct test model_tests[] = {
    {"model/slots", test_slots, NULL, 0, 1, 0},
    {"model/repeat", test_repeat, "kinds", 5000, 1, 12},
    {"model/cycles-loop", test_cycles, "loop", 1000000, 1, 4},
    {"model/cycles-kinds", test_cycles, "kinds", 2000, 1, 4},
};
const size_t model_tests_count = ARRAY_SIZE(model_tests);
