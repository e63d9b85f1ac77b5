/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts and ends profiled.c as a program of Linux. */
int profiled(void);

static __attribute__((noinline, noreturn)) void leave(int status)
{
#ifdef __x86_64__
    __asm__ volatile("syscall" : : "a"(60), "D"(status));
#else
    register long number __asm__("x8") = 93;
    register long argument __asm__("x0") = status;

    __asm__ volatile("svc #0" : : "r"(number), "r"(argument));
#endif
    for (;;) {
    }
}

void _start(void);
void _start(void)
{
    leave(profiled());
}
