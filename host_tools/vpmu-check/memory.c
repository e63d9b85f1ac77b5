/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "check.h"

enum {
    LINE = 64,
    PAGE = 4096,
    LARGE_MIN = 8 << 20,
    LARGE_MAX = 64 << 20,
};

/* The same places in each run. */
static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Lines for fifty times the turns; a quarter of what is free at most, so that a guest does not
 * swap. */
static size_t large_size(unsigned long turns)
{
    struct sysinfo info;
    size_t size = LARGE_MIN;

    while (size < LARGE_MAX && size < 50 * turns * LINE) {
        size *= 2;
    }

    if (sysinfo(&info) == 0) {
        uint64_t free_bytes = (uint64_t)info.freeram * info.mem_unit;

        while (size > LARGE_MIN && size > free_bytes / 4) {
            size /= 2;
        }
    }
    return size;
}

static void *map(size_t size, int more)
{
    void *memory =
        mmap(NULL, size, PROT_READ | PROT_WRITE | more, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (memory == MAP_FAILED) {
        return NULL;
    }
    /* Huge pages would spare the TLB misses that some events count. */
    madvise(memory, size, MADV_NOHUGEPAGE);
    return memory;
}

/* A random order of the numbers below @count; Sattolo's algorithm makes it one cycle. */
static uint32_t *random_cycle(uint32_t count)
{
    uint32_t *order = malloc(count * sizeof(*order)), state = 2463534242;

    for (uint32_t i = 0; order != NULL && i < count; i++) {
        order[i] = i;
    }
    for (uint32_t i = count - 1; order != NULL && i > 0; i--) {
        uint32_t j = next_random(&state) % i, kept = order[i];

        order[i] = order[j];
        order[j] = kept;
    }
    return order;
}

/* Each line holds the address of the next one in a random cycle through @size bytes. */
static void *make_chase(size_t size)
{
    char *memory = map(size, 0);
    uint32_t *order = random_cycle((uint32_t)(size / LINE));

    if (memory == NULL || order == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < size / LINE; i++) {
        *(void **)(memory + i * LINE) = memory + (size_t)order[i] * LINE;
    }
    free(order);
    return memory;
}

/*
 * A list of functions that only return, a random one in each of many lines. Each is called once, so
 * neither caches nor TLBs have it.
 */
static void *make_code(size_t size, unsigned long calls)
{
    uint32_t *order = random_cycle((uint32_t)(size / LINE));
    char *code = map(size, PROT_EXEC);
    void **list = map(calls * sizeof(*list), 0);

    if (order == NULL || code == NULL || list == NULL) {
        free(order);
        return NULL;
    }
    for (size_t i = 0; i < size / LINE; i++) {
        memcpy(code + i * LINE, return_instruction, return_instruction_size);
    }
    __builtin___clear_cache(code, code + size);
    for (unsigned long i = 0; i < calls; i++) {
        list[i] = code + (size_t)order[i % (size / LINE)] * LINE;
    }
    free(order);
    return list;
}

bool arena_make(struct arena *arena, unsigned long turns)
{
    arena->large_size = large_size(turns);
    arena->lines = map(PAGE, 0);
    arena->small = make_chase(PAGE);
    arena->large = make_chase(arena->large_size);
    /* More pages than a TLB holds, but not as many functions as the memory has lines. */
    arena->code =
        make_code(arena->large_size > 4 * LARGE_MIN ? arena->large_size / 4 : LARGE_MIN, 2 * turns);
    arena->stores = map(2 * turns * LINE, 0);
    if (arena->lines == NULL || arena->small == NULL || arena->large == NULL ||
        arena->stores == NULL) {
        return false;
    }
    memset(arena->lines, 1, PAGE);
    memset(arena->stores, 1, 2 * turns * LINE);
    return true;
}
