/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of the x86-64 programs: fixed + per_digit * digits(n) + per_round * n. */
#include "x86.h"

#include <string.h>

#include "suite.h"

static const struct {
    const char *program;
    enum x86_kind kind;
    unsigned fixed;
    unsigned per_digit;
    unsigned per_round;
} programs[] = {
    {"loop", X86_INSTRUCTIONS, 11, 7, 8},
    {"syscalls", X86_INSTRUCTIONS, 9, 7, 4},
    {"fault", X86_INSTRUCTIONS, 18, 7, 4},
    {"repeat", X86_INSTRUCTIONS, 34, 7, 0},
    {"forks", X86_INSTRUCTIONS, 9, 7, 17},
    {"trapped", X86_INSTRUCTIONS, 15, 7, 6},
    {"jit", X86_INSTRUCTIONS, 23, 7, 7},
    {"branches", X86_INSTRUCTIONS, 11, 7, 10},
    {"refused", X86_INSTRUCTIONS, 15, 7, 14},
    {"fetch", X86_INSTRUCTIONS, 33, 7, 31},
    {"frames", X86_INSTRUCTIONS, 10, 7, 27},
    {"vectors", X86_INSTRUCTIONS, 9, 7, 5},
    /* Each element of a string takes a slot, the first one that of its instruction. */
    {"loop", X86_SLOTS, 11, 7, 8},
    {"repeat", X86_SLOTS, 34 - 3, 7, 3 * 4096},
    /* The argument takes 1 + 2 * digits, and the system call at the end one more. */
    {"loop", X86_BRANCHES, 3, 2, 1},
    {"syscalls", X86_BRANCHES, 2, 2, 2},
    {"fault", X86_BRANCHES, 3, 2, 1},
    {"repeat", X86_BRANCHES, 3, 2, 0},
    {"forks", X86_BRANCHES, 2, 2, 6},
    {"trapped", X86_BRANCHES, 3, 2, 3},
    {"jit", X86_BRANCHES, 3, 2, 3},
    {"branches", X86_BRANCHES, 2, 2, 8},
    {"refused", X86_BRANCHES, 3, 2, 5},
    {"fetch", X86_BRANCHES, 4, 2, 7},
    {"loop", X86_CONDITIONAL, 2, 1, 1},
    {"syscalls", X86_CONDITIONAL, 1, 1, 1},
    {"forks", X86_CONDITIONAL, 1, 1, 3},
    {"branches", X86_CONDITIONAL, 1, 1, 2},
    {"access", X86_READS, 2, 1, 24},
    {"access", X86_WRITES, 0, 0, 121},
    {"access", X86_LINES_READ, 2, 1, 24 + 9},
    {"access", X86_LINES_WRITTEN, 0, 0, 121 + 9},
    {"repeat", X86_READS, 2, 1, 2 * 4096},
    {"repeat", X86_WRITES, 0, 0, 4096},
    {"repeat", X86_LINES_READ, 2, 1, 2 * 4096},
    {"repeat", X86_LINES_WRITTEN, 0, 0, 4096},
    {"fault", X86_READS, 2, 1, 1},
    {"fault", X86_WRITES, 0, 0, 1},
    {"fault", X86_LINES_READ, 2, 1, 1},
    {"fault", X86_LINES_WRITTEN, 0, 0, 1},
    {"access", X86_MODIFIES, 0, 0, 4},
    {"repeat", X86_MODIFIES, 0, 0, 0},
    {"fault", X86_MODIFIES, 0, 0, 1},
    {"walk", X86_MODIFIES, 0, 0, 0},
    {"access", X86_BOTH, 0, 0, 17},
    {"repeat", X86_BOTH, 0, 0, 0},
    {"fault", X86_BOTH, 0, 0, 1},
    {"walk", X86_BOTH, 0, 0, 0},
    {"access", X86_PREFETCHES, 0, 0, 5},
    {"access", X86_PREFETCHES_NTA, 0, 0, 1},
    {"access", X86_PREFETCHES_W, 0, 0, 1},
    {"repeat", X86_PREFETCHES, 0, 0, 0},
    {"repeat", X86_PREFETCHES_NTA, 0, 0, 0},
    {"repeat", X86_PREFETCHES_W, 0, 0, 0},
    {"fault", X86_PREFETCHES, 0, 0, 0},
    {"fault", X86_PREFETCHES_NTA, 0, 0, 0},
    {"fault", X86_PREFETCHES_W, 0, 0, 0},
    {"walk", X86_PREFETCHES, 0, 0, 0},
    {"walk", X86_PREFETCHES_NTA, 0, 0, 0},
    {"walk", X86_PREFETCHES_W, 0, 0, 0},
    {"walk", X86_READS, 2, 1, 1024},
    {"walk", X86_WRITES, 0, 0, 0},
    {"walk", X86_LINES_READ, 2, 1, 1024},
    {"walk", X86_LINES_WRITTEN, 0, 0, 0},
};

static unsigned digits(uint64_t n)
{
    return n < 10 ? 1 : 1 + digits(n / 10);
}

uint64_t x86_known(const char *program, enum x86_kind kind, uint64_t n)
{
    for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
        if (programs[i].kind == kind && strcmp(programs[i].program, program) == 0) {
            return programs[i].fixed + programs[i].per_digit * digits(n) +
                   programs[i].per_round * n;
        }
    }
    test_fail("there are no known counts for %s", program);
    return 0;
}

uint64_t known_instructions(const char *program, uint64_t n)
{
    return x86_known(program, X86_INSTRUCTIONS, n);
}

/* There is no such program here, and no test that needs it. */
uint64_t known_thread(uint64_t n, unsigned thread)
{
    (void)n;
    (void)thread;
    test_fail("there is no program with threads");
    return 0;
}
