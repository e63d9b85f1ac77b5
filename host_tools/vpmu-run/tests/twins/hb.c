/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The function helper() of this file is another one than that of the other file. */
unsigned long fb(unsigned long n);

static __attribute__((noinline)) unsigned long helper(unsigned long n)
{
    unsigned long x = 1;

    for (unsigned long i = 0; i < n; i++) {
        x = x * 6364136223846793005ul + i;
        __asm__ volatile("" : "+r"(x));
    }
    return x;
}

unsigned long fb(unsigned long n)
{
    return helper(n) + 1;
}
