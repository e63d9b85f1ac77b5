/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that call each other, in a thread, in a child, and in both at the end. */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* It needs memory, so that it has a frame. */
__attribute__((noinline)) static void inner(unsigned long turns)
{
    volatile unsigned long left = turns;

    while (left) {
        left--;
    }
}

__attribute__((noinline)) static void outer(unsigned long turns)
{
    inner(turns);
    __asm__ volatile("");
}

__attribute__((noinline)) static void *in_thread(void *unused)
{
    outer(100000);
    return unused;
}

__attribute__((noinline)) static void in_child(void)
{
    outer(200000);
    __asm__ volatile("");
}

int main(void)
{
    pthread_t thread;
    pid_t child = fork();

    if (child == 0) {
        in_child();
        _exit(0);
    }
    if (child < 0 || pthread_create(&thread, NULL, in_thread, NULL) != 0) {
        return 1;
    }
    outer(300000);
    pthread_join(thread, NULL);
    waitpid(child, NULL, 0);
    puts("done");
    return 3;
}
