/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

enum {
    LINE = 64,
    PAGE = 4096,
    LARGE_MIN = 8 << 20,
    LARGE_USUAL = 64 << 20,
    LARGE_MAX = 256 << 20,
    CODE_USUAL = 32 << 20,
};

/* The same places in each run. */
static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Lines for fifty times the turns, and twice a cache; a quarter of what is free at most, so that a
 * guest does not swap. */
static size_t large_size(unsigned long turns, size_t cache)
{
    uint64_t limit = caches_limit() / 4;
    size_t size = LARGE_MIN;

    while ((size < LARGE_USUAL && size < 50 * turns * LINE) ||
           (size < LARGE_MAX && size < 2 * cache)) {
        size *= 2;
    }
    while (size > LARGE_MIN && size > limit) {
        size /= 2;
    }
    return size;
}

/* 8192 pages, which is more than the largest second-level TLB has, or a quarter of what is free. */
static size_t code_size(void)
{
    size_t size = CODE_USUAL;

    while (size > LARGE_MIN && size > caches_limit() / 4) {
        size /= 2;
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
 * A list of functions that only return, each in a line of its own, in a random order. Each is
 * called once, so neither caches nor TLBs have it.
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
    for (unsigned long i = 0; i < calls; i++) {
        list[i] = code + (size_t)order[i % (size / LINE)] * LINE;
        memcpy(list[i], return_instruction, return_instruction_size);
    }
    __builtin___clear_cache(code, code + size);
    free(order);
    return list;
}

bool arena_make(struct arena *arena, unsigned long turns)
{
    size_t cache = 0;
    bool sure = caches_largest(&cache);

    arena->large_size = large_size(turns, cache);
    arena->may_fit = !sure || arena->large_size < 2 * cache;
    arena->lines = map(PAGE, 0);
    arena->small = make_chase(PAGE);
    arena->large = make_chase(arena->large_size);
    arena->code = make_code(code_size(), 2 * turns);
    arena->stores = map(2 * turns * LINE, 0);
    if (arena->lines == NULL || arena->small == NULL || arena->large == NULL ||
        arena->stores == NULL) {
        return false;
    }
    memset(arena->lines, 1, PAGE);
    memset(arena->stores, 1, 2 * turns * LINE);
    return true;
}
