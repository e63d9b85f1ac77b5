/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spin MILLISECONDS: uses that much CPU time. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

static uint64_t cpu_time_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

int main(int argc, char **argv)
{
    uint64_t ms = argc > 1 ? strtoull(argv[1], NULL, 10) : 100;
    uint64_t end = cpu_time_ns() + ms * 1000000u;

    while (cpu_time_ns() < end) {
    }
    return 0;
}
