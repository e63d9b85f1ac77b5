/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signal N: sends itself N signals, and after every fiftieth waits in a loop for one of a timer. It
 * prints how far the loop had come, which depends on where that signal came. A replay has to find
 * the same place. rr steps up to 10,000 branches there on a Zen, so there are few of these.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

enum {
    SELDOM = 50
};

static volatile sig_atomic_t sent, alarms;

static void count(int signal)
{
    if (signal == SIGALRM) {
        alarms++;
    } else {
        sent++;
    }
}

static void wait_for_alarm(void)
{
    const struct itimerval once = {.it_value = {0, 5000}};
    int before = alarms;
    unsigned long round = 0;

    setitimer(ITIMER_REAL, &once, NULL);
    while (alarms == before) {
        round++;
    }
    printf("%d sent, alarm %d at %lu\n", sent, alarms, round);
}

int main(int argc, char **argv)
{
    const struct sigaction action = {.sa_handler = count};
    int wanted = argc > 1 ? atoi(argv[1]) : 1;

    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 1; i <= wanted; i++) {
        raise(SIGUSR1);
        if (i % SELDOM == 0) {
            wait_for_alarm();
        }
    }
    return sent != wanted;
}
