/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "cpus.h"

bool cpus_usable(struct cpus *cpus)
{
    return sched_getaffinity(0, sizeof(*cpus), cpus->sets) == 0;
}

bool cpus_use(const struct cpus *cpus)
{
    return sched_setaffinity(0, sizeof(*cpus), cpus->sets) == 0;
}

size_t cpus_count(const struct cpus *cpus)
{
    return (size_t)CPU_COUNT_S(sizeof(*cpus), cpus->sets);
}

void cpus_and(struct cpus *cpus, const struct cpus *others)
{
    CPU_AND_S(sizeof(*cpus), cpus->sets, cpus->sets, others->sets);
}

int cpus_first(struct cpus *cpus)
{
    for (int cpu = 0; cpu < MAX_CPUS; cpu++) {
        if (CPU_ISSET_S((size_t)cpu, sizeof(*cpus), cpus->sets)) {
            CPU_ZERO_S(sizeof(*cpus), cpus->sets);
            CPU_SET_S((size_t)cpu, sizeof(*cpus), cpus->sets);
            return cpu;
        }
    }
    return -1;
}

bool cpus_parse(const char *list, struct cpus *cpus)
{
    memset(cpus, 0, sizeof(*cpus));
    while (*list >= '0' && *list <= '9') {
        char *end;
        unsigned long first = strtoul(list, &end, 10), last = first;

        if (*end == '-') {
            last = strtoul(end + 1, &end, 10);
        }
        for (unsigned long cpu = first; cpu <= last && cpu < MAX_CPUS; cpu++) {
            CPU_SET_S(cpu, sizeof(*cpus), cpus->sets);
        }
        list = end + (*end == ',');
    }
    return *list == '\0' || *list == '\n';
}
