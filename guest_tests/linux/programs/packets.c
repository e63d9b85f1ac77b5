/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * packets N [apart]: two threads, each on a CPU of its own, add 1 to a counter N times. Each
 * counter belongs to one thread, but both are in one cache line, so each thread takes the line from
 * the other one for each addition: false sharing. With "apart", each counter has a line of its own.
 *
 * It prints the address of the first line, and the counters.
 *
 * A loop has 6 instructions (7 on x86), which have no divisor in common with the periods of 1025
 * and 4097 instructions with which SPE samples: so it samples each of them.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* If the machine executes one CPU at a time, this ends the turn of this CPU. */
#ifdef __x86_64__
#define RELAX "pause"
#else
#define RELAX "yield"
#endif

enum {
    THREADS = 2,
    LINE = 64
};

struct counter {
    volatile unsigned long packets;
};

/* Room for two lines. */
static _Alignas(LINE) struct counter counters[THREADS * LINE / sizeof(struct counter)];
static struct counter *received = &counters[0], *sent = &counters[1];
static pthread_barrier_t start;
static unsigned long rounds;

static void *receive_packets(void *unused)
{
    struct counter *counter = received;
    unsigned long left = rounds;

    pthread_barrier_wait(&start);
    for (; left > 0; left--) {
        counter->packets++;
        __asm__ volatile(RELAX);
    }
    return unused;
}

static void *send_packets(void *unused)
{
    struct counter *counter = sent;
    unsigned long left = rounds;

    pthread_barrier_wait(&start);
    for (; left > 0; left--) {
        counter->packets++;
        __asm__ volatile(RELAX);
    }
    return unused;
}

static int start_on(unsigned cpu, pthread_t *thread, void *(*run)(void *))
{
    pthread_attr_t attr;
    cpu_set_t cpus;

    CPU_ZERO(&cpus);
    CPU_SET(cpu, &cpus);
    pthread_attr_init(&attr);
    return pthread_attr_setaffinity_np(&attr, sizeof(cpus), &cpus) != 0 ||
           pthread_create(thread, &attr, run, NULL) != 0;
}

int main(int argc, char **argv)
{
    pthread_t receiver, sender;

    rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    if (argc > 2 && strcmp(argv[2], "apart") == 0) {
        sent = &counters[LINE / sizeof(struct counter)];
    }
    pthread_barrier_init(&start, NULL, THREADS);
    if (start_on(0, &receiver, receive_packets) || start_on(1, &sender, send_packets)) {
        fprintf(stderr, "packets: needs two CPUs\n");
        return 1;
    }
    pthread_join(receiver, NULL);
    pthread_join(sender, NULL);
    printf("line %p, received %lu, sent %lu\n", (void *)counters, received->packets, sent->packets);
    return received->packets != rounds || sent->packets != rounds;
}
