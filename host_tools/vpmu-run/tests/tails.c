/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that end with a jump to another one, which then returns to their caller. It is compiled
 * with -foptimize-sibling-calls. Some of them are called, too, and some have jumps of their own.
 */
#include <unistd.h>

#define FUNCTION static __attribute__((noipa))

static volatile unsigned long result;

FUNCTION void leaf(unsigned n)
{
    result += n;
}

/* Nothing is on the stack where this jumps from one line to another. */
FUNCTION void branches(unsigned n)
{
    result += n;
    while (result % 7 != 3) {
        if (n & 1) {
            result += 2;
        } else {
            result++;
        }
    }
}

FUNCTION void ends(unsigned n)
{
    branches(n);
    result++;
    leaf(n + 1);
}

FUNCTION void twice(unsigned n)
{
    result++;
    ends(n);
}

FUNCTION void through(void (*f)(unsigned), unsigned n)
{
    result++;
    f(n);
}

void (*pointer)(unsigned) = twice;

/* It jumps as an entry of a PLT does, but not at once. */
FUNCTION void guarded(unsigned n)
{
    if (n) {
        pointer(n);
    }
}

FUNCTION void odd(unsigned n);

FUNCTION void even(unsigned n)
{
    result++;
    if (n) {
        odd(n - 1);
    }
}

FUNCTION void odd(unsigned n)
{
    result += 2;
    even(n - 1);
}

/* It is called and jumped to. */
FUNCTION void both(unsigned n)
{
    result++;
    branches(n);
}

FUNCTION void jumps(unsigned n)
{
    leaf(n);
    both(n);
}

/* A function of a library. */
FUNCTION pid_t asks(void)
{
    result++;
    return getppid();
}

int main(void)
{
    for (unsigned i = 0; i < 100; i++) {
        twice(i);
        through(twice, i);
        through(leaf, i);
        both(i);
        jumps(i);
        guarded(i);
        asks();
    }
    even(50);
    return 0;
}
