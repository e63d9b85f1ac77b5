/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_CHECK_CPUS_H
#define VPMU_CHECK_CPUS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

/* Linux refuses to say it in fewer bits than it has CPUs, and may have 8192. */
#define MAX_CPUS (1 << 16)

/**
 * struct cpus - a set of CPUs, for the CPU_*_S() macros
 */
struct cpus {
    cpu_set_t sets[MAX_CPUS / CPU_SETSIZE];
};

/** cpus_usable() - the CPUs that this thread may use. Return: false if it cannot be said. */
bool cpus_usable(struct cpus *cpus);
/** cpus_parse() - reads a list as in /sys, "0-3,8". Return: false if it is none. */
bool cpus_parse(const char *list, struct cpus *cpus);
/** cpus_use() - this thread runs on these CPUs only. Return: false if that is not permitted. */
bool cpus_use(const struct cpus *cpus);
size_t cpus_count(const struct cpus *cpus);
/** cpus_and() - leaves in @cpus those that are also in @others */
void cpus_and(struct cpus *cpus, const struct cpus *others);
/** cpus_first() - leaves only the first one. Return: its number; -1 if there is none. */
int cpus_first(struct cpus *cpus);

#endif
