/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/deadline.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define SECOND 1000000000ll

/*
 * on_deadline() - a handler, so that no read, write or wait anywhere can outlast the time
 * The message is dropped if standard error does not take it: nobody may be reading.
 */
static void on_deadline(int number)
{
    static const char text[] = "vpmu-run: the program has not ended before the --timeout\n";
    struct pollfd watch = {.fd = STDERR_FILENO, .events = POLLOUT};

    (void)number;
    if (poll(&watch, 1, 0) > 0 && write(STDERR_FILENO, text, sizeof(text) - 1) < 0) {
        _exit(FAILURE_TIMEOUT);
    }
    _exit(FAILURE_TIMEOUT);
}

/* since_start() - how long this process has run, in nanoseconds */
static long long since_start(void)
{
    struct timespec cpu;

    /* Options are read first, without waiting: the processor's time is that time. */
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    return cpu.tv_sec * SECOND + cpu.tv_nsec;
}

int deadline_set(long long nanoseconds, struct failure *f)
{
    struct sigaction action = {.sa_handler = on_deadline};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    long long left = nanoseconds - since_start();
    struct itimerspec end = {.it_value = {0, 1}};
    timer_t timer;

    if (left > 0) {
        end.it_value.tv_sec = (time_t)(left / SECOND);
        end.it_value.tv_nsec = (long)(left % SECOND);
    }
    sigaction(SIGRTMIN, &action, NULL);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
        timer_settime(timer, 0, &end, NULL) != 0) {
        return failure_set(f, FAILURE_RUN, "cannot set the --timeout: %s", strerror(errno));
    }
    return 0;
}
