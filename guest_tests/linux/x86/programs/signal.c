/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signal N: waits for N signals of a timer, in a loop; says how far it had come at each, which
 * depends on where they came.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

static volatile sig_atomic_t signals;

static void count(int signal)
{
    (void)signal;
    signals++;
}

int main(int argc, char **argv)
{
    const struct itimerval often = {{0, 1000}, {0, 1000}};
    const struct sigaction action = {.sa_handler = count};
    int wanted = argc > 1 ? atoi(argv[1]) : 1, seen = 0;

    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    for (unsigned long round = 0; seen < wanted; round++) {
        if (signals != seen) {
            seen = signals;
            printf("%d at %lu\n", seen, round);
        }
    }
    return 0;
}
