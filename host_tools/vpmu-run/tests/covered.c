/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines that are executed, and lines that are not. gcov counts the same lines of an instrumented
 * copy. */
#include <stdlib.h>

static volatile unsigned result;

static void never(unsigned n)
{
    while (n--) {
        result += n;
    }
}

static unsigned kind(unsigned n)
{
    switch (n % 4) {
    case 0:
        return 7;
    case 1:
        n += 2;
        break;
    case 2:
        return n;
    default:
        n *= 3;
    }
    return n;
}

static unsigned power(unsigned base, unsigned n)
{
    if (n == 0) {
        return 1;
    }
    return base * power(base, n - 1);
}

static void turns(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        result += kind(i);
        if (i % 1000 == 999) {
            result ^= power(3, 10);
        } else if (i > n) {
            never(i);
        }
    }
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        never((unsigned)atoi(argv[1]));
        return 1;
    }
    turns(10000);
    do {
        result++;
    } while (result % 16);
    return 0;
}
