/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals whose handlers return, are left by siglongjmp(), are interrupted themselves, or have a
 * stack of their own. What they interrupt and what they call are the same functions.
 */
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile unsigned long result;
static sigjmp_buf caught;
static char stack[65536];

static __attribute__((noinline)) void leaf(unsigned n)
{
    result += n;
}

static __attribute__((noinline)) void work(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        leaf(i);
    }
    result++;
}

static __attribute__((noinline)) void interrupts(int number)
{
    leaf(1);
    kill(getpid(), number);
    leaf(2);
}

static void returns(int number)
{
    (void)number;
    work(1000);
}

static void nests(int number)
{
    (void)number;
    work(10000);
    kill(getpid(), SIGUSR1);
    work(1);
}

static void jumps(int number)
{
    (void)number;
    work(100000);
    siglongjmp(caught, 1);
}

static __attribute__((noinline)) void catches(void)
{
    if (!sigsetjmp(caught, 1)) {
        interrupts(SIGALRM);
    }
    work(3);
}

/* Both signals are delivered at once. */
static __attribute__((noinline)) void unblocks(void)
{
    sigset_t both, before;

    sigemptyset(&both);
    sigaddset(&both, SIGUSR1);
    sigaddset(&both, SIGUSR2);
    sigprocmask(SIG_BLOCK, &both, &before);
    interrupts(SIGUSR1);
    interrupts(SIGUSR2);
    sigprocmask(SIG_SETMASK, &before, NULL);
    work(5);
}

/* An exception interrupts this one, not a system call. */
static __attribute__((noinline)) void faults(void)
{
    leaf(3);
    __builtin_trap();
}

static void leaves(int number)
{
    (void)number;
    work(7);
    siglongjmp(caught, 1);
}

static __attribute__((noinline)) void catches_fault(void)
{
    if (!sigsetjmp(caught, 1)) {
        faults();
    }
    work(9);
}

static __attribute__((noinline)) void handles(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

    sigaction(number, &action, NULL);
}

int main(void)
{
    const stack_t other = {.ss_sp = stack, .ss_size = sizeof(stack)};

    sigaltstack(&other, NULL);
    handles(SIGUSR1, returns, 0);
    handles(SIGUSR2, returns, SA_ONSTACK);
    handles(SIGHUP, nests, 0);
    handles(SIGALRM, jumps, 0);
    handles(SIGILL, leaves, 0);
    handles(SIGTRAP, leaves, 0);
    for (unsigned i = 0; i < 5; i++) {
        interrupts(SIGUSR1);
        interrupts(SIGUSR2);
        interrupts(SIGHUP);
        catches();
        unblocks();
        catches_fault();
    }
    handles(SIGALRM, jumps, SA_ONSTACK);
    catches();
    work(11);
    return 0;
}
