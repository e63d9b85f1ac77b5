/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "../hash.h"
#include "runtime.h"

#define ENTRIES 512u
#define BLOCK_2M (UINT64_C(1) << 21)

/* Entries of page tables (SDM 3A, 4-Level Paging). */
#define PRESENT BIT(0)
#define WRITABLE BIT(1)
#define USER BIT(2)
#define NOT_CACHED BIT(4)
#define LARGE BIT(7)
#define NEVER_EXECUTED BIT(63)

#define TABLE (PRESENT | WRITABLE | USER)
#define PRIVATE (PRESENT | WRITABLE)
#define SHARED (PRESENT | WRITABLE | USER)
#define DATA (SHARED | NEVER_EXECUTED)

/* Two identical ones, so that a program can change from one address space to the other. */
static uint64_t pml4[2][ENTRIES] __attribute__((aligned(2 * PAGE_BYTES)));
static uint64_t pdpt[ENTRIES] __attribute__((aligned(PAGE_BYTES)));
static uint64_t low[ENTRIES] __attribute__((aligned(PAGE_BYTES)));
static uint64_t high[ENTRIES] __attribute__((aligned(PAGE_BYTES)));
static uint64_t playground[ENTRIES] __attribute__((aligned(PAGE_BYTES)));

static uint64_t *page(unsigned n)
{
    return (uint64_t *)(PLAYGROUND_BASE + n * PAGE_BYTES);
}

static void map(unsigned n, uint64_t bits)
{
    playground[n] = bits | (uintptr_t)page(n);
}

/*
 * INC EAX all over a page: code that runs over its end, or begins in the middle of an instruction.
 */
static void fill_cliff(void)
{
    uint16_t *code = (uint16_t *)page(PAGE_CLIFF);

    for (unsigned i = 0; i < PAGE_BYTES / 2; i++) {
        code[i] = 0xc0ff;
    }
}

static void map_playground(void)
{
    for (unsigned i = 0; i < PAGE_DATA_COUNT; i++) {
        map(PAGE_DATA + i, DATA);
    }
    map(PAGE_READ_ONLY, PRESENT | USER | NEVER_EXECUTED);
    map(PAGE_CLIFF, SHARED);
    map(PAGE_STACK, DATA);
    map(PAGE_PRIVATE, PRIVATE | NEVER_EXECUTED);
    map(PAGE_DS, PRIVATE | NEVER_EXECUTED);
    map(PAGE_RECORDS, PRIVATE | NEVER_EXECUTED);
}

void memory_init(void)
{
    pml4[0][0] = pml4[1][0] = (uintptr_t)pdpt | TABLE;
    pdpt[0] = pdpt[ALIAS_BASE >> 30] = (uintptr_t)low | TABLE;
    pdpt[LAPIC_BASE >> 30] = (uintptr_t)high | TABLE;
    high[(LAPIC_BASE >> 21) % ENTRIES] = LAPIC_BASE | LARGE | NOT_CACHED | DATA;
    for (uint64_t address = TEXT_BASE; address < RAM_SIZE; address += BLOCK_2M) {
        bool programs = address >= PROGRAMS_BASE && address < PROGRAMS_BASE + PROGRAMS_SIZE;
        uint64_t bits = programs ? SHARED : PRIVATE;

        if (!programs && address != TEXT_BASE) {
            bits |= NEVER_EXECUTED;
        }
        low[address / BLOCK_2M] = address | LARGE | bits;
    }
    low[PLAYGROUND_BASE / BLOCK_2M] = (uintptr_t)playground | TABLE;
    map_playground();
    write_special(cr3, (uintptr_t)pml4[0]);
}

static bool is_lazy(unsigned n)
{
    return n >= PAGE_LAZY && n < PAGE_LAZY + PAGE_LAZY_COUNT;
}

/* Lazy pages are not mapped until they are touched. */
void memory_unmap(void)
{
    for (unsigned i = PAGE_LAZY; is_lazy(i); i++) {
        playground[i] = 0;
        __asm__ volatile("invlpg (%0)" : : "r"(page(i)) : "memory");
    }
}

bool memory_map(uint64_t address)
{
    unsigned n = (unsigned)((address - PLAYGROUND_BASE) / PAGE_BYTES);

    if (address < PLAYGROUND_BASE || address >= PLAYGROUND_BASE + BLOCK_2M || !is_lazy(n) ||
        playground[n] != 0) {
        return false;
    }
    map(n, DATA);
    return true;
}

/* What programs can write, except their own code. */
static const struct area {
    unsigned page;
    unsigned count;
} areas[] = {
    {PAGE_DATA, PAGE_DATA_COUNT + PAGE_LAZY_COUNT},
    {PAGE_STACK, 1},
    {PAGE_PRIVATE, 1},
};

#define AREAS (sizeof(areas) / sizeof(areas[0]))
#define WORDS (PAGE_BYTES / 8)

_Static_assert(PAGE_LAZY == PAGE_DATA + PAGE_DATA_COUNT, "they are one area");

static void map_lazy(void)
{
    for (unsigned i = PAGE_LAZY; is_lazy(i); i++) {
        map(i, DATA);
    }
}

void memory_fill(uint64_t seed)
{
    map_lazy();
    for (unsigned i = 0; i < AREAS; i++) {
        seed = fill_words(page(areas[i].page), areas[i].count * WORDS, seed);
    }
    *(uint64_t *)(PLAYGROUND_BASE + ROUNDS_OFFSET) = program->rounds;
    *(uint64_t *)(PLAYGROUND_BASE + RESUME_OFFSET) = program->entry;
    fill_cliff();
    memory_unmap();
}

uint64_t memory_hash(void)
{
    uint64_t hash = 0;

    map_lazy();
    for (unsigned i = 0; i < AREAS; i++) {
        hash = hash_mix(hash, hash_words(page(areas[i].page), areas[i].count * WORDS));
    }
    return hash;
}
