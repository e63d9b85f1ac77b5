/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_CHECK_PMUS_H
#define VPMU_CHECK_PMUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/** pmus_each_event() - calls @visit for each of them that the format files describe */
void pmus_each_event(void (*visit)(const struct pmu_event *event, void *opaque), void *opaque);

/** pmus_first() - the name of the first PMU of the CPUs; NULL if there is none */
const char *pmus_first(void);

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
