/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef STACKS_H
#define STACKS_H

#include <stdbool.h>
#include <stdint.h>

/* Instructions between two samples. */
#define STACKS_PERIOD 10007

/**
 * struct branch - one record of a sample
 * @from, @to: addresses.
 * @flag: M if it was mispredicted, P if it was predicted, - if that is unknown.
 * @cycles: cycles since the record before.
 * @type: COND, CALL, RET and so on.
 */
struct branch {
    uint64_t from;
    uint64_t to;
    char flag;
    unsigned cycles;
    char type[16];
};

/**
 * struct stacks - what all samples have together
 * @samples: all of them, also those that a context switch has left without branches.
 * @branches: their branches.
 * @in_sample: branches of the present sample, with this one.
 * @seen: what a check has found of them.
 * @emptied: samples after a context switch, at which Linux empties the records.
 * @switched: whether there was a switch since the last sample.
 */
struct stacks {
    unsigned samples;
    unsigned branches;
    unsigned in_sample;
    unsigned seen;
    unsigned emptied;
    bool switched;
};

/* Called for each branch, those of a sample from the newest to the oldest one. */
typedef void (*branch_check)(const struct branch *branch, struct stacks *stacks);

/**
 * stacks_record() - runs perf record on one of our programs
 * @options: of perf record, such as "-j cond,u".
 * @program, @n: the program and its argument.
 *
 * It takes a sample every STACKS_PERIOD user instructions.
 * Return: true if it succeeded; otherwise a failed test is reported.
 */
bool stacks_record(const char *options, const char *program, uint64_t n);

/**
 * stacks_read() - reads what stacks_record() recorded
 * @check: is called for each branch.
 * @stacks: is set.
 *
 * Return: true if the test has not failed.
 */
bool stacks_read(branch_check check, struct stacks *stacks);

/* stacks_expect_depth() - expects that the driver offers so many records */
void stacks_expect_depth(unsigned records);

/**
 * stacks_expect_filter() - expects that all records are the same branch, which fill each sample
 * @options: of perf record, which select it.
 * @type: its type.
 * @program, @n: the program and its argument.
 * @records: the least number of records.
 */
void stacks_expect_filter(const char *options, const char *type, const char *program, uint64_t n,
                          unsigned records);

/* stacks_expect_reports() - expects that perf report shows a function by branches */
void stacks_expect_reports(const char *function);

/* stacks_run() - prints what was recorded to a file, by a command of perf without its -i */
bool stacks_run(const char *path, const char *command, const char *options);

#endif
