/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How large the caches are, and how much memory there is to be larger. */
#include <inttypes.h>
#include <stdio.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "check.h"

enum {
    MAX_CACHES = 10
};

/* Reads "32768K" or "4096". Return: 0 if there is no number. */
static uint64_t read_size(const char *path)
{
    FILE *file = fopen(path, "re");
    uint64_t size = 0;
    char unit = ' ';

    if (file == NULL) {
        return 0;
    }
    if (fscanf(file, "%" SCNu64 "%c", &size, &unit) < 1) {
        size = 0;
    }
    fclose(file);
    return unit == 'K' ? size << 10 : unit == 'M' ? size << 20 : size;
}

/* Without the files, the C library asks the CPU, by CPUID. */
bool caches_largest(size_t *size)
{
    static const int names[] = {_SC_LEVEL2_CACHE_SIZE, _SC_LEVEL3_CACHE_SIZE,
                                _SC_LEVEL4_CACHE_SIZE};
    char path[80];

    *size = 0;
    for (unsigned i = 0; i < MAX_CACHES; i++) {
        uint64_t one;

        snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%u/size", i);
        one = read_size(path);
        *size = one > *size ? (size_t)one : *size;
    }
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        long one = sysconf(names[i]);

        *size = one > 0 && (size_t)one > *size ? (size_t)one : *size;
    }
    return *size != 0 && !machine_is_virtual();
}

uint64_t caches_limit(void)
{
    /* Those of a container: cgroups of version 2 and 1. */
    static const char *const files[] = {"/sys/fs/cgroup/memory.max",
                                        "/sys/fs/cgroup/memory/memory.limit_in_bytes"};
    struct sysinfo info;
    uint64_t limit = UINT64_MAX;

    if (sysinfo(&info) == 0) {
        limit = (uint64_t)info.freeram * info.mem_unit;
    }
    for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
        uint64_t one = read_size(files[i]);

        limit = one != 0 && one < limit ? one : limit;
    }
    return limit;
}
