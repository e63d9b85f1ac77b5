/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of a library that are bound at their first call (-z lazy). One of them is called by a
 * jump.
 */
#include <stdlib.h>
#include <unistd.h>

#define FUNCTION static __attribute__((noipa))

static volatile unsigned long result;

FUNCTION int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

FUNCTION void sorts(void)
{
    int n[4] = {3, 1, 2, 0};

    qsort(n, sizeof(n) / sizeof(n[0]), sizeof(n[0]), compare);
    result += (unsigned long)n[0];
}

FUNCTION pid_t asks(void)
{
    result++;
    return getppid();
}

int main(void)
{
    for (unsigned i = 0; i < 10; i++) {
        sorts();
        asks();
    }
    return 0;
}
