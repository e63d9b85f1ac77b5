/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hot: an endless loop with a function that is called 15 times of 16, and one that is called once.
 * The compiler does not know which: BOLT and AutoFDO learn it from branches. hot_start.S and
 * hot_start_x86.S start it.
 */
#define NOINLINE __attribute__((noinline))

volatile unsigned sum;

NOINLINE unsigned rare(unsigned n)
{
    for (unsigned i = 0; i < n % 4; i++) {
        sum += n ^ i;
    }
    return n + 1;
}

NOINLINE unsigned common(unsigned n)
{
    if (n & 1) {
        sum += n;
    } else {
        sum ^= n;
    }
    return n + 1;
}

NOINLINE unsigned step(unsigned n)
{
    return n % 16 ? common(n) : rare(n);
}

void work(void);

void work(void)
{
    for (unsigned n = 0;;) {
        n = step(n);
    }
}
