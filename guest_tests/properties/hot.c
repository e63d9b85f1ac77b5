/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hot: an endless loop with a function that is called 15 times of 16, and one that is called once.
 * The compiler does not know which: BOLT and AutoFDO learn it from branches.
 */
#define NOINLINE __attribute__((noinline))
#define STACK 4096

__attribute__((aligned(16), used)) char stack[STACK];
volatile unsigned sum;

/* BOLT wants the type and the size of each function. */
__asm__(".text\n"
        ".globl _start\n"
        ".type _start, %function\n"
        "_start: ldr x0, =stack + 4096\n"
        "mov sp, x0\n"
        "b work\n"
        ".ltorg\n"
        ".size _start, . - _start\n");

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

void work(void)
{
    for (unsigned n = 0;;) {
        n = step(n);
    }
}
