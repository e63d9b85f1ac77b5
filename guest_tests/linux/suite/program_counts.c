/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event_kinds.h"
#include "suite.h"

/*
 * fixed + per_digit * digits(n) + per_round * n, derived in the program's source. What is not in
 * this table is not known.
 */
static const struct {
    const char *program;
    enum kind kind;
    unsigned fixed;
    unsigned per_digit;
    unsigned per_round;
} programs[] = {
    {"loop", INST, 9, 5, 8},
    {"syscalls", INST, 8, 5, 4},
    {"fault", INST, 18, 5, 8},
    {"migrate", INST, 16, 5, 11},
    {"signal", INST, 23, 5, 13},
    {"segv", INST, 26, 5, 22},
    {"forks", INST, 8, 5, 20},
    {"threads", INST, 56, 5, 12},
    {"jit", INST, 21, 5, 19},
    {"mix", INST, 13, 5, 58},
    {"trapped", INST, 8, 5, 5},
    {"kinds", INST, 16, 5, 66},
    {"self", INST, 89, 5, 4},
    {"loop32", INST, 11, 5, 8},
    {"stream", INST, 400016, 0, 0},
    {"stream", LD, 100000, 0, 0},
    {"stream", ST, 0, 0, 0},
    {"stream", DATA_ABORT, 1563, 0, 0},
    {"kinds", LD, 2, 1, 10},
    {"kinds", ST, 0, 0, 9},
    {"kinds", UNALIGNED, 0, 0, 2},
    {"kinds", UNALIGNED_LD, 0, 0, 1},
    {"kinds", UNALIGNED_ST, 0, 0, 1},
    {"kinds", EXCLUSIVE, 0, 0, 1},
    {"kinds", DP, 12, 2, 26},
    {"kinds", ASE, 0, 0, 2},
    {"kinds", VFP, 0, 0, 2},
    {"kinds", QUADWORD, 0, 0, 2},
    {"kinds", PREFETCH, 0, 0, 1},
    {"kinds", BR_IMMED, 1, 2, 8},
    {"kinds", BR_RETURN, 0, 0, 2},
    {"kinds", BR_INDIRECT, 0, 0, 2},
    {"kinds", PC_WRITE, 0, 1, 10},
    {"kinds", ISB, 0, 0, 1},
    {"kinds", DSB, 0, 0, 2},
    {"kinds", DMB, 0, 0, 3},
    {"kinds", SVC, 1, 0, 1},
    {"kinds", UNDEF, 0, 0, 0},
    {"kinds", FETCH_ABORT, 1, 0, 0}, /* its code is on one page */
    /* All of them: the argument's two, and ldrb and cbz for each digit and for the end. */
    {"loop", LD, 2, 1, 0},
    {"loop", ST, 0, 0, 0},
    {"loop", PREFETCH, 0, 0, 0},
    {"loop", BR_IMMED, 2, 2, 1},
    {"loop", BR_RETURN, 0, 0, 0},
    {"loop", BR_INDIRECT, 0, 0, 0},
    {"loop", PC_WRITE, 0, 1, 1},
    {"loop", SVC, 1, 0, 0},
    {"syscalls", SVC, 1, 0, 1},
    {"trapped", UNDEF, 0, 0, 1},
    {"trapped", SVC, 1, 0, 0},
    {"fault", LD, 2, 1, 0},
    {"fault", ST, 0, 0, 1},
    {"fault", PREFETCH, 0, 0, 0},
    {"fault", DATA_ABORT, 0, 0, 1},
    {"fault", FETCH_ABORT, 1, 0, 0},
    {"fault", UNALIGNED, 0, 0, 0},
    {"fault", SVC, 2, 0, 0},
    /* sigaction, getpid, exit; kill and sigreturn. */
    {"signal", SVC, 3, 0, 2},
    {"signal", LD, 3, 1, 1},
    {"signal", ST, 0, 0, 1},
    {"signal", BR_RETURN, 0, 0, 1},
    /* exit; clone, wait4 and the child's exit. */
    {"forks", SVC, 1, 0, 3},
    {"forks", LD, 2, 1, 0},
    /* cbz twice, of which the child's is taken and the parent's two are not; then b.ne. */
    {"forks", BR_IMMED, 1, 2, 4},
    {"forks", BR_RETURN, 0, 0, 0},
    {"forks", BR_INDIRECT, 0, 0, 0},
    {"forks", PC_WRITE, 0, 1, 2},
};

static unsigned digits(uint64_t n)
{
    unsigned count = 1;

    for (; n >= 10; n /= 10) {
        count++;
    }
    return count;
}

static bool known_kind(const char *program, uint64_t n, enum kind kind, uint64_t *count)
{
    *count = 0;
    if (kind == NEVER) {
        return true;
    }
    if (kind == PC_WRITE_SPEC) {
        return known_kinds(
            program, n, machine.version >= PMU_P8 ? BR_IMMED | BR_RETURN | BR_INDIRECT : PC_WRITE,
            count);
    }
    for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
        if (programs[i].kind == kind && strcmp(programs[i].program, program) == 0) {
            *count =
                programs[i].fixed + programs[i].per_digit * digits(n) + programs[i].per_round * n;
            return true;
        }
    }
    return false;
}

bool known_kinds(const char *program, uint64_t n, unsigned kinds, uint64_t *count)
{
    *count = 0;
    for (unsigned left = kinds; left != 0; left &= left - 1) {
        uint64_t one;

        if (!known_kind(program, n, (enum kind)(left & -left), &one)) {
            return false;
        }
        *count += one;
    }
    return kinds != UNKNOWN;
}

uint64_t known_instructions(const char *program, uint64_t n)
{
    uint64_t count;

    if (!known_kinds(program, n, INST, &count)) {
        fprintf(stderr, "suite: no known count for %s\n", program);
        exit(1);
    }
    return count;
}

uint64_t known_thread(uint64_t n, unsigned thread)
{
    return 3 + 2 * thread * n;
}
