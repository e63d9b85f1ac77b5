/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Caches: what Linux says of them, and what is counted. */
#define _GNU_SOURCE
#include "memory/caches.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "event.h"
#include "suite.h"

#define ROUNDS 100u
#define PAGE 4096u

void cache_text(unsigned index, const char *name, char *text, size_t size)
{
    char path[128];
    FILE *f;

    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%u/%s", index, name);
    f = fopen(path, "re");
    if (!f || !fgets(text, (int)size, f)) {
        text[0] = '\0';
    }
    text[strcspn(text, "\n")] = '\0';
    if (f) {
        fclose(f);
    }
}

uint64_t cache_number(unsigned index, const char *name)
{
    char text[32];

    cache_text(index, name, text, sizeof(text));
    return strtoull(text, NULL, 10);
}

/* Reads lines that are this far apart, in turns. */
static void read_lines(const volatile char *array, uint64_t lines, uint64_t stride)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (uint64_t i = 0; i < lines; i++) {
            (void)array[i * stride];
        }
    }
}

static uint64_t count(struct perf_event_attr *attr, const char *array, uint64_t lines,
                      uint64_t stride)
{
    int fd = event_must_open(attr, 0, -1, -1);
    uint64_t misses;

    if (fd < 0) {
        return UINT64_MAX;
    }
    read_lines(array, lines, stride);
    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
    read_lines(array, lines, stride);
    ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
    misses = event_read(fd);
    close(fd);
    return misses;
}

/* A few lines of the program itself may miss. */
void cache_expect(const struct cache *cache, uint32_t type, uint64_t config)
{
    const uint64_t stride = cache->sets * cache->line;
    struct perf_event_attr attr = {.type = type,
                                   .size = sizeof(attr),
                                   .config = config,
                                   .disabled = 1,
                                   .exclude_kernel = 1,
                                   .exclude_hv = 1};
    uint64_t size = stride * (2 * cache->ways + 1);
    char *array = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (array == MAP_FAILED) {
        test_fail("cannot allocate %llu bytes", (unsigned long long)size);
        return;
    }
    for (uint64_t i = 0; i < size; i += PAGE) {
        array[i] = 1;
    }
    for (uint64_t lines = cache->ways / 2; lines <= 2 * cache->ways; lines++) {
        /* In the first round there may be lines of the loop before. */
        uint64_t all = lines > cache->ways ? (ROUNDS - 1) * lines : 0;

        expect_between("misses", all, all + ROUNDS / 2,
                       count(&attr, array + stride / 2, lines, stride));
    }
    munmap(array, size);
}

void cache_stay(void)
{
    cpu_set_t first;

    CPU_ZERO(&first);
    CPU_SET(0, &first);
    sched_setaffinity(0, sizeof(first), &first);
}
