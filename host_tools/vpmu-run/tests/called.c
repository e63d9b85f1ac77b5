/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that return, that are left by longjmp(), that recur, alone and in turns, and that a signal
 * or a thread makes.
 */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

static volatile unsigned long result;
static jmp_buf caught;

static __attribute__((noinline)) void leaf(unsigned n)
{
    result += n;
}

static __attribute__((noinline)) void middle(unsigned n)
{
    leaf(n);
    leaf(n + 1);
    result++;
}

static __attribute__((noinline)) unsigned long factorial(unsigned n)
{
    result++;
    return n ? n * factorial(n - 1) : 1;
}

static __attribute__((noinline)) unsigned fibonacci(unsigned n)
{
    leaf(n);
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static void odd(unsigned n);

static __attribute__((noinline)) void even(unsigned n)
{
    if (n) {
        odd(n - 1);
    }
    result++;
}

static __attribute__((noinline)) void odd(unsigned n)
{
    result++;
    even(n - 1);
    leaf(n);
}

static __attribute__((noinline)) void jumps(unsigned n)
{
    leaf(n);
    longjmp(caught, 1);
}

static __attribute__((noinline)) void catches(unsigned n)
{
    if (!setjmp(caught)) {
        jumps(n);
    }
    result++;
}

static __attribute__((noinline)) void through(void (*f)(unsigned), unsigned n)
{
    f(n);
    result++;
}

static __attribute__((noinline)) void turns(unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        leaf(i);
    }
    result++;
}

static void handler(int number)
{
    leaf((unsigned)number);
}

/* Two threads take turns. */
static void *in_thread(void *unused)
{
    for (unsigned i = 0; i < 100; i++) {
        turns(20);
        sched_yield();
        middle(i);
    }
    return unused;
}

int main(void)
{
    pthread_t thread[2];

    turns(10000);
    for (unsigned i = 0; i < 50; i++) {
        middle(i);
        catches(i);
        through(leaf, i);
    }
    factorial(10);
    fibonacci(20);
    even(50);
    signal(SIGUSR1, handler);
    for (unsigned i = 0; i < 5; i++) {
        kill(getpid(), SIGUSR1);
    }
    for (unsigned i = 0; i < 2; i++) {
        pthread_create(&thread[i], NULL, in_thread, NULL);
    }
    for (unsigned i = 0; i < 2; i++) {
        pthread_join(thread[i], NULL);
    }
    /* A thread can have the stack and the TLS of one that has ended. */
    for (unsigned i = 0; i < 5; i++) {
        pthread_create(&thread[0], NULL, in_thread, NULL);
        pthread_join(thread[0], NULL);
    }
    return 0;
}
