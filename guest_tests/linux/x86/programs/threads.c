/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * threads N: three threads add to a number N times each, under a lock. It prints the number, and
 * which thread was the last, which depends on how they were scheduled.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    THREADS = 3
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long number, rounds;
static long last;

static void *add(void *which)
{
    for (unsigned long i = 0; i < rounds; i++) {
        pthread_mutex_lock(&lock);
        number++;
        last = (long)which;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];

    rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    for (long i = 0; i < THREADS; i++) {
        if (pthread_create(&threads[i], NULL, add, (void *)i) != 0) {
            return 1;
        }
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    printf("%lu, the last by thread %ld\n", number, last);
    return number != THREADS * rounds;
}
