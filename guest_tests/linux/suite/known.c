/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite.h"

/* fixed + per_digit * digits(n) + per_round * n, derived in the program's source. */
static const struct {
    const char *program;
    unsigned fixed;
    unsigned per_digit;
    unsigned per_round;
} programs[] = {
    {"loop", 9, 5, 8},     {"syscalls", 8, 5, 4}, {"fault", 18, 5, 8},  {"migrate", 16, 5, 11},
    {"signal", 23, 5, 13}, {"segv", 26, 5, 22},   {"forks", 8, 5, 20},  {"threads", 56, 5, 12},
    {"jit", 21, 5, 19},    {"mix", 13, 5, 58},    {"trapped", 8, 5, 5},
};

static unsigned digits(uint64_t n)
{
    unsigned count = 1;

    for (; n >= 10; n /= 10) {
        count++;
    }
    return count;
}

uint64_t known_instructions(const char *program, uint64_t n)
{
    for (size_t i = 0; i < ARRAY_SIZE(programs); i++) {
        if (strcmp(programs[i].program, program) == 0) {
            return programs[i].fixed + programs[i].per_digit * digits(n) +
                   programs[i].per_round * n;
        }
    }
    fprintf(stderr, "suite: no known count for %s\n", program);
    exit(1);
}

uint64_t known_thread(uint64_t n, unsigned thread)
{
    return 3 + 2 * thread * n;
}
