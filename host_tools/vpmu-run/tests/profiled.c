/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program without a C library: valgrind and vpmu-run execute the same instructions of it.
 * profiled_linux.c starts and ends it as a program of Linux, profiled_machine.c as firmware.
 */

/* valgrind reads debug information only of files with data that can be written. */
static volatile unsigned long result = 1;

static __attribute__((noinline)) unsigned long step(unsigned long x)
{
    return x * 6364136223846793005ul + 1442695040888963407ul;
}

static inline __attribute__((always_inline)) unsigned long twice(unsigned long x)
{
    return (x << 1) ^ (x >> 3);
}

static __attribute__((noinline)) unsigned long turns(unsigned long n)
{
    unsigned long x = 1;

    for (unsigned long i = 0; i < n; i++) {
        x = step(x);
    }
    return twice(x);
}

static __attribute__((noinline)) unsigned long fibonacci(unsigned long n)
{
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static unsigned long (*const volatile functions[])(unsigned long) = {step, fibonacci};

/* Indirect branches: each of these calls is one. */
static __attribute__((noinline)) void through_pointers(unsigned long n)
{
    for (unsigned long i = 0; i < n; i++) {
        functions[i % 3 == 0](i % 2);
    }
}

int profiled(void);
int profiled(void)
{
    result += turns(10000) + fibonacci(15);
    through_pointers(900);
    return (int)(result & 63);
}
