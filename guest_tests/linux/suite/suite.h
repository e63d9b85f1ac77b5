/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SUITE_H
#define SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROGRAMS "/vpmu/"
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Versions of the PMU in the order in which they came (the numbers of PMUv3pN; v3 is 0). */
enum pmu_version {
    PMU_V3 = 0,
    PMU_P1 = 1,
    PMU_P4 = 4,
    PMU_P5 = 5,
    PMU_P7 = 7,
    PMU_P8 = 8
};

/**
 * struct machine - what the machine under test was configured to be
 * @cpus: number of CPUs.
 * @counters: event counters of each PMU, without the cycle counter.
 * @version: PMUv3pN.
 * @width: issue slots of a cycle if cycles come from a modelled pipeline, which also has stalls;
 *     otherwise 0.
 * @clock: cycles are the clock's; otherwise, without such a model, those of issue slots.
 * @threshold: bits of a threshold, 0 if there are none.
 * @no_l2, @no_llc: there is no model of a second-level cache, of a last-level cache.
 * @shared: the CPUs share the last-level cache.
 * @metrics: how many metrics perf has a table of for this CPU; on x86 how many of them are right.
 * @list: x86: the name of perf's list of metrics for this CPU model, or NULL.
 * @no_slots: PMMIR reads 0, as in guests of KVM.
 * @icount: its time is counted in instructions, so the host's load does not matter.
 */
struct machine {
    unsigned cpus;
    unsigned counters;
    int version;
    unsigned width;
    bool clock;
    unsigned threshold;
    bool no_l2;
    bool no_llc;
    bool shared;
    unsigned metrics;
    const char *list;
    bool no_slots;
    bool icount;
};

extern struct machine machine;

/**
 * struct test - one row of a table of tests
 * @name: group and name, as in the report.
 * @run: runs the test; reports by expect_*() or test_fail().
 * @program: a program with a known count, for the tests that are one function for many programs.
 * @n: its argument, or a number that only @run understands.
 * @cpus, @counters: what the machine must have at least; otherwise the test is skipped.
 */
struct test {
    const char *name;
    void (*run)(const struct test *test);
    const char *program;
    uint64_t n;
    unsigned cpus;
    unsigned counters;
};

extern const struct test driver_tests[], stat_tests[], scope_tests[], group_tests[], record_tests[],
    software_tests[], self_tests[], migration_tests[], events_tests[], sample_tests[],
    model_tests[], user_tests[], identity_tests[], metric_tests[], arm_tests[], threshold_tests[],
    branch_tests[], memory_tests[], c2c_tests[], page_tests[], told_tests[], validate_tests[];
extern const size_t driver_tests_count, stat_tests_count, scope_tests_count, group_tests_count,
    record_tests_count, software_tests_count, self_tests_count, migration_tests_count,
    events_tests_count, sample_tests_count, model_tests_count, user_tests_count,
    identity_tests_count, metric_tests_count, arm_tests_count, threshold_tests_count,
    branch_tests_count, memory_tests_count, c2c_tests_count, page_tests_count, told_tests_count,
    validate_tests_count;

/* tables.c: the tables that a suite has, in the order of its report. */
struct test_table {
    const struct test *tests;
    const size_t *count;
};

extern const struct test_table test_tables[];
extern const size_t test_tables_count;

/* report.c: the first failed expectation of a test is the one that is reported. */
void test_begin(const char *name);
void test_end(void);
void test_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
/*
 * The test does not apply to this machine, which is not shown; or this kernel lacks what the test
 * needs.
 */
void test_skip(const char *format, ...) __attribute__((format(printf, 1, 2)));
void test_cannot(const char *format, ...) __attribute__((format(printf, 1, 2)));
bool test_failed(void);
bool expect_eq(const char *what, uint64_t expected, uint64_t got);
bool expect_between(const char *what, uint64_t low, uint64_t high, uint64_t got);
int report_end(void);

/* program_counts.c */

/**
 * known_instructions() - the user instructions of a whole run of one of our programs
 * @program: its name.
 * @n: its argument.
 *
 * Return: the number that the program's source derives.
 */
uint64_t known_instructions(const char *program, uint64_t n);

/* What "threads N" executes in thread 1, 2 or 3 after its read(). */
uint64_t known_thread(uint64_t n, unsigned thread);

/* What "on MASK" executes on the CPU that it moved to, and in all for a mask of one digit. */
#ifdef __x86_64__
#define KNOWN_ON 7u
#define KNOWN_ON_WHOLE 26u
#else
#define KNOWN_ON 6u
#define KNOWN_ON_WHOLE 23u
#endif

#endif
