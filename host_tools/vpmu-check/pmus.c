/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "pmus.h"

/* Tests have others. */
#ifndef DEVICES
#define DEVICES "/sys/bus/event_source/devices"
#endif

/* How the PMUs of CPUs are called; others count for the whole computer. */
static const char *const prefixes[] = {"cpu",    "cpu_",       "armv6_", "armv7_",
                                       "armv8_", "arm_armv8_", "armv9_", "apple_"};

static bool is_of_cpus(const char *name)
{
    if (strcmp(name, "cpu") == 0) {
        return true;
    }
    for (size_t i = 1; i < ARRAY_SIZE(prefixes); i++) {
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* Reads the first line of a file, without its end. */
static bool read_line(const char *path, char *line, size_t size)
{
    FILE *file = fopen(path, "re");
    bool read = file != NULL && fgets(line, (int)size, file) != NULL;

    if (file != NULL) {
        fclose(file);
    }
    if (read) {
        line[strcspn(line, "\n")] = '\0';
    }
    return read;
}

bool pmus_number(const char *pmu, const char *file, uint64_t *value)
{
    char path[320], line[64];

    snprintf(path, sizeof(path), DEVICES "/%.64s/%.64s", pmu, file);
    if (!read_line(path, line, sizeof(line))) {
        return false;
    }
    *value = strtoull(line, NULL, 0);
    return true;
}

/* Puts the low bits of @value into the bits that one range, "0-7" or "4", names. */
static const char *put_range(const char *text, uint64_t *value, uint64_t *into)
{
    char *end;
    unsigned long first = strtoul(text, &end, 10), last = first;
    uint64_t mask;

    if (*end == '-') {
        last = strtoul(end + 1, &end, 10);
    }
    if (first > last || last > 63) {
        return NULL;
    }
    mask = last - first == 63 ? UINT64_MAX : (1ULL << (last - first + 1)) - 1;
    *into |= (*value & mask) << first;
    *value = last - first == 63 ? 0 : *value >> (last - first + 1);
    return *end == ',' ? end + 1 : NULL;
}

bool pmus_field(const char *pmu, const char *field, uint64_t value, uint64_t *config,
                uint64_t *config1)
{
    char path[320], line[64];
    const char *ranges;
    uint64_t *into;

    snprintf(path, sizeof(path), DEVICES "/%.64s/format/%.64s", pmu, field);
    if (!read_line(path, line, sizeof(line))) {
        return false;
    }
    into = strncmp(line, "config1:", 8) == 0  ? config1
           : strncmp(line, "config:", 7) == 0 ? config
                                              : NULL;
    ranges = strchr(line, ':');
    while (into != NULL && ranges != NULL) {
        ranges = put_range(ranges + (*ranges == ':'), &value, into);
    }
    return into != NULL;
}

/* "event=0x11,umask=0x2,edge" */
static bool parse_terms(struct pmu_event *event, char *terms)
{
    char *left = NULL;

    for (char *term = strtok_r(terms, ",", &left); term != NULL;
         term = strtok_r(NULL, ",", &left)) {
        char *equals = strchr(term, '=');
        uint64_t value = equals != NULL ? strtoull(equals + 1, NULL, 0) : 1;

        if (equals != NULL) {
            *equals = '\0';
        }
        if (strcmp(term, "config") == 0) {
            event->config |= value;
        } else if (strcmp(term, "config1") == 0) {
            event->config1 |= value;
        } else if (!pmus_field(event->pmu, term, value, &event->config, &event->config1)) {
            return false;
        }
    }
    return true;
}

static void visit_event(const char *pmu, uint32_t type, const char *name,
                        void (*visit)(const struct pmu_event *event, void *opaque), void *opaque)
{
    struct pmu_event event = {pmu, name, type, 0, 0};
    char path[400], terms[256];

    /* NAME.scale and NAME.unit describe another file. */
    if (name[0] == '.' || strchr(name, '.') != NULL) {
        return;
    }
    snprintf(path, sizeof(path), DEVICES "/%.64s/events/%.200s", pmu, name);
    if (read_line(path, terms, sizeof(terms)) && parse_terms(&event, terms)) {
        visit(&event, opaque);
    }
}

static void visit_events(const struct pmu *pmu,
                         void (*visit)(const struct pmu_event *event, void *opaque), void *opaque)
{
    char path[320];
    struct dirent **names;
    int count;

    snprintf(path, sizeof(path), DEVICES "/%.64s/events", pmu->name);
    count = scandir(path, &names, NULL, alphasort);
    if (count < 0) {
        return;
    }
    for (int i = 0; i < count; i++) {
        visit_event(pmu->name, pmu->type, names[i]->d_name, visit, opaque);
        free(names[i]);
    }
    free(names);
}

unsigned pmus_all(const struct pmu **pmus)
{
    static struct pmu all[MAX_PMUS];
    struct dirent **names;
    int count = scandir(DEVICES, &names, NULL, alphasort);
    unsigned found = 0;

    for (int i = 0; i < count; i++) {
        const char *name = names[i]->d_name;
        uint64_t type;

        if (found < MAX_PMUS && is_of_cpus(name) && pmus_number(name, "type", &type)) {
            snprintf(all[found].name, sizeof(all[found].name), "%.63s", name);
            all[found++].type = (uint32_t)type;
        }
        free(names[i]);
    }
    if (count >= 0) {
        free(names);
    }
    *pmus = all;
    return found;
}

bool pmus_cpus(const char *pmu, char *list, size_t size)
{
    static const char *const files[] = {"cpus", "cpumask"};
    char path[320];

    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        snprintf(path, sizeof(path), DEVICES "/%.64s/%s", pmu, files[i]);
        if (read_line(path, list, size)) {
            return true;
        }
    }
    return false;
}

bool pmus_counts_here(const char *pmu, struct cpus *here)
{
    struct cpus own;
    char list[1024];

    if (!cpus_usable(here)) {
        return true;
    }
    if (pmus_cpus(pmu, list, sizeof(list)) && cpus_parse(list, &own)) {
        cpus_and(here, &own);
    }
    return cpus_count(here) > 0;
}

static const struct pmu *current;
static struct cpus before;

const struct pmu *pmus_current(void)
{
    return current;
}

bool pmus_take(const struct pmu *pmu, bool only)
{
    struct cpus here;

    current = pmu;
    if (!cpus_usable(&before)) {
        return only;
    }
    if (!pmus_counts_here(pmu->name, &here)) {
        return false;
    }
    if (!only && counter_type_is_known(pmu->type)) {
        counter_aim(pmu->type, -1);
    } else if (!only) {
        counter_aim(0, cpus_first(&here));
    }
    return cpus_use(&here) || only;
}

void pmus_leave(void)
{
    current = NULL;
    counter_aim(0, -1);
    cpus_use(&before);
}

void pmus_each_event(void (*visit)(const struct pmu_event *event, void *opaque), void *opaque)
{
    if (current != NULL) {
        visit_events(current, visit, opaque);
    }
}
