/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_CHECK_PMUS_H
#define VPMU_CHECK_PMUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpus.h"

enum {
    MAX_PMUS = 16
};

/**
 * struct pmu - a PMU of CPUs; computers with CPUs of several kinds have one for each kind
 */
struct pmu {
    char name[64];
    uint32_t type;
};

/**
 * struct pmu_event - an event that a CPU's PMU lists in /sys/bus/event_source/devices
 */
struct pmu_event {
    const char *pmu;
    const char *name;
    uint32_t type;
    uint64_t config;
    uint64_t config1;
};

/** pmus_each_event() - calls @visit for each of the current PMU that the format files describe */
void pmus_each_event(void (*visit)(const struct pmu_event *event, void *opaque), void *opaque);

/** pmus_all() - the PMUs of CPUs, by name; static storage. Return: how many */
unsigned pmus_all(const struct pmu **pmus);

/** pmus_cpus() - the list of CPUs that a PMU counts on. Return: false if /sys does not say. */
bool pmus_cpus(const char *pmu, char *list, size_t size);

/** pmus_counts_here() - @here becomes those of the PMU's CPUs that this thread may use */
bool pmus_counts_here(const char *pmu, struct cpus *here);

/**
 * pmus_take() - runs on the CPUs of @pmu, and opens its generic events, until pmus_leave()
 * @only: there is no other PMU.
 *
 * Return: false if none of its CPUs can be used.
 */
bool pmus_take(const struct pmu *pmu, bool only);
void pmus_leave(void);

/** pmus_current() - the PMU that was taken; NULL if there is none */
const struct pmu *pmus_current(void);

/** pmus_number() - reads a number from a file of @pmu. Return: false if there is none. */
bool pmus_number(const char *pmu, const char *file, uint64_t *value);

/**
 * pmus_field() - puts @value where the file format/@field of @pmu says
 *
 * Return: false if there is no such field.
 */
bool pmus_field(const char *pmu, const char *field, uint64_t value, uint64_t *config,
                uint64_t *config1);

#endif
