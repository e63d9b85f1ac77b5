/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ends profiled.c as firmware, which hot_start.S and hot_start_x86.S start. */
int profiled(void);

/* A triple fault ends an x86-64 machine, SYSTEM_OFF of PSCI another one. */
static __attribute__((noinline, noreturn)) void leave(void)
{
#ifdef __x86_64__
    __asm__ volatile("ud2");
#else
    register unsigned long function __asm__("x0") = 0x84000008;

    __asm__ volatile("hvc #0" : : "r"(function));
#endif
    for (;;) {
    }
}

void work(void);
void work(void)
{
    profiled();
    leave();
}
