/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Regions whose counts are known, for C and C++:
 *   empty    nothing
 *   loop     10,000 turns of 2 instructions, and one more: 20,001, of which 10,000 are branches
 *   twice    a loop in each of two entries, recursively: 40,002
 *   outer    a loop, all of "inner", which is another loop, and a loop: 60,003
 *   inner    20,001
 *   calls    20 getppid()
 *   threads  two threads with 50 getppid() each
 *   child    a child with 7 getuid(), which leaves the region by _exit()
 *   a_b_c    a name with characters that become "_"
 *   open     never ends
 */
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vpmu_run.h"

long syscall(long number, ...);

/* The same number of instructions on each architecture. */
#if defined(__x86_64__)
#define LOOP "movl $10000, %%ecx\n1: decl %%ecx\n\tjnz 1b"
#define LOOP_REGISTER "ecx"
#else
#define LOOP "mov w9, #10000\n1: subs w9, w9, #1\n\tb.ne 1b"
#define LOOP_REGISTER "w9"
#endif

static inline __attribute__((always_inline)) void loop(void)
{
    __asm__ volatile(LOOP ::: LOOP_REGISTER, "cc");
}

static void call(long number, unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        syscall(number);
    }
}

static void *ask(void *unused)
{
    call(SYS_getppid, 50);
    return unused;
}

static void nested(void)
{
    vpmu_run_begin("outer");
    loop();
    vpmu_run_begin("inner");
    loop();
    vpmu_run_end("inner");
    loop();
    vpmu_run_end("outer");
}

static void twice(void)
{
    for (unsigned i = 0; i < 2; i++) {
        vpmu_run_begin("twice");
        vpmu_run_begin("twice");
        loop();
        vpmu_run_end("twice");
        vpmu_run_end("twice");
    }
}

static void threads(void)
{
    pthread_t thread[2];

    vpmu_run_begin("threads");
    for (unsigned i = 0; i < 2; i++) {
        pthread_create(&thread[i], NULL, ask, NULL);
    }
    for (unsigned i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
    }
    vpmu_run_end("threads");
}

static void child(void)
{
    vpmu_run_begin("child");
    if (fork() == 0) {
        call(SYS_getuid, 7);
        _exit(0);
    }
    wait(NULL);
    vpmu_run_end("child");
}

int main(void)
{
    vpmu_run_end("never begun");
    vpmu_run_begin("empty");
    vpmu_run_end("empty");
    vpmu_run_begin("loop");
    loop();
    vpmu_run_end("loop");
    nested();
    twice();
    vpmu_run_begin("calls");
    call(SYS_getppid, 20);
    vpmu_run_end("calls");
    threads();
    child();
    vpmu_run_begin("a/b,c");
    vpmu_run_end("a/b,c");
    vpmu_run_begin("open");
    loop();
    return 0;
}
