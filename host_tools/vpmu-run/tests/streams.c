/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * streams order N: writes the numbers 1 to N, the odd ones to standard output, the others to
 *     standard error.
 * streams flood MIB: writes so many MiB to standard output.
 * streams memory MIB: uses so much memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int order(long n)
{
    for (long i = 1; i <= n; i++) {
        char line[24];
        int length = snprintf(line, sizeof(line), "%ld\n", i);

        if (write(i % 2 ? STDOUT_FILENO : STDERR_FILENO, line, (size_t)length) != length) {
            return 1;
        }
    }
    return 0;
}

static int flood(long mib)
{
    static char block[1 << 16];

    memset(block, 'f', sizeof(block));
    for (long i = 0; i < mib * 16; i++) {
        for (size_t at = 0; at < sizeof(block);) {
            ssize_t n = write(STDOUT_FILENO, block + at, sizeof(block) - at);

            if (n <= 0) {
                return 1;
            }
            at += (size_t)n;
        }
    }
    return 0;
}

static int use_memory(long mib)
{
    for (long i = 0; i < mib; i++) {
        char *more = malloc(1 << 20);

        if (!more) {
            return 1;
        }
        memset(more, 1, 1 << 20);
    }
    return 0;
}

int main(int argc, char **argv)
{
    long n = argc == 3 ? atol(argv[2]) : 0;

    if (argc != 3) {
        return 2;
    }
    return argv[1][0] == 'o' ? order(n) : argv[1][0] == 'f' ? flood(n) : use_memory(n);
}
