/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "../hash.h"
#include "runtime.h"

#define ENTRIES 512u
#define PAGE_BYTES 4096u
#define BLOCK_2M (UINT64_C(1) << 21)

/* Descriptors of stage 1 (Arm ARM D8.3). */
#define DESC_BLOCK UINT64_C(1)
#define DESC_TABLE UINT64_C(3)
#define DESC_PAGE UINT64_C(3)
#define DESC_DEVICE (UINT64_C(1) << 2)
#define DESC_EL0 BIT(6)
#define DESC_READ_ONLY BIT(7)
#define DESC_INNER_SHAREABLE (UINT64_C(3) << 8)
#define DESC_ACCESSED BIT(10)
#define DESC_PXN BIT(53)
#define DESC_UXN BIT(54)

#define DESC_RAM (DESC_INNER_SHAREABLE | DESC_ACCESSED)
#define DESC_NEVER (DESC_PXN | DESC_UXN)
#define DESC_PRIVATE (DESC_RAM | DESC_NEVER)
#define DESC_SHARED (DESC_RAM | DESC_EL0 | DESC_NEVER)
#define DESC_TEXT (DESC_RAM | DESC_EL0 | DESC_READ_ONLY)

/* Attribute 0 is write-back memory, 1 is Device-nGnRnE. */
#define MAIR_VALUE UINT64_C(0x00ff)

static uint64_t level1[ENTRIES] __attribute__((aligned(PAGE_BYTES)));
static uint64_t level2[ENTRIES] __attribute__((aligned(PAGE_BYTES)));
static uint64_t level3[ENTRIES] __attribute__((aligned(PAGE_BYTES)));

static uint64_t *page(unsigned n)
{
    return (uint64_t *)(PLAYGROUND_BASE + n * (uintptr_t)PAGE_BYTES);
}

static void map(unsigned n, uint64_t bits)
{
    level3[n] = DESC_PAGE | bits | (uintptr_t)page(n);
}

/*
 * Code that runs over the end of its page, after which nothing is mapped. Without translation, code
 * follows there that continues at the place for resuming.
 */
static void fill_cliff(unsigned n, uint32_t code, uint32_t back)
{
    uint32_t *words = (uint32_t *)page(n);

    for (unsigned i = 0; i < PAGE_BYTES / 4; i++) {
        words[i] = code;
        words[i + PAGE_BYTES / 4] = back;
    }
    map(n, DESC_TEXT);
}

#define ADD_A64 0x91000421u       /* add x1, x1, #1 */
#define ADD_A32 0xe2811001u       /* add r1, r1, #1 */
#define ADD_T32 0xf1010101u       /* add.w r1, r1, #1, its halves exchanged */
#define HALF_ADDS_T32 0x31010000u /* adds r1, #1: after it the next ones are not aligned */
#define BR_X25 0xd61f0320u
#define BX_R7 0xe12fff17u
#define BX_R7_T32 0x47384738u

void memory_init(void)
{
    uint16_t *half = (uint16_t *)page(PAGE_CLIFF16);

    level1[0] = DESC_BLOCK | DESC_DEVICE | DESC_ACCESSED | DESC_EL0 | DESC_NEVER;
    level1[1] = DESC_TABLE | (uintptr_t)level2;
    level1[ALIAS_BASE >> 30] = DESC_BLOCK | DESC_SHARED | RAM_BASE;
    for (unsigned i = 0; i < RAM_SIZE / BLOCK_2M; i++) {
        uint64_t address = RAM_BASE + i * BLOCK_2M;
        bool text = address == TEXT_BASE ||
                    (address >= PROGRAMS_BASE && address < PROGRAMS_BASE + PROGRAMS_SIZE);

        level2[i] = DESC_BLOCK | (text ? DESC_TEXT : DESC_PRIVATE) | address;
    }
    level2[(PLAYGROUND_BASE - RAM_BASE) / BLOCK_2M] = DESC_TABLE | (uintptr_t)level3;
    for (unsigned i = 0; i < PAGE_DATA_COUNT; i++) {
        map(PAGE_DATA + i, DESC_SHARED);
    }
    map(PAGE_READ_ONLY, DESC_SHARED | DESC_READ_ONLY);
    fill_cliff(PAGE_CLIFF, ADD_A64, BR_X25);
    fill_cliff(PAGE_CLIFF32, ADD_A32, BX_R7);
    fill_cliff(PAGE_CLIFF16, 0, BX_R7_T32);
    half[0] = (uint16_t)(HALF_ADDS_T32 >> 16);
    for (unsigned i = 1; i + 1 < PAGE_BYTES / 2; i += 2) {
        half[i] = (uint16_t)(ADD_T32 >> 16);
        half[i + 1] = (uint16_t)ADD_T32;
    }
    half[PAGE_BYTES / 2 - 1] = (uint16_t)(ADD_T32 >> 16);
    dsb();
}

/* Translation of EL1 and EL0. TCR_EL1 and SCTLR_EL1 are the program's. */
void memory_enable(void)
{
    write_sysreg(mair_el1, MAIR_VALUE);
    write_sysreg(ttbr0_el1, (uintptr_t)level1);
    write_sysreg(ttbr1_el1, (uintptr_t)level1);
    __asm__ volatile("dsb ishst\n\ttlbi alle1\n\tdsb ish\n\tisb" : : : "memory");
}

/*
 * The data that a program finds: around the border of two pages, and at their end. Without
 * translation that is no end.
 */
static uint64_t *const data = (uint64_t *)(PLAYGROUND_BASE + DATA_OFFSET);
static uint64_t *const edge = (uint64_t *)(PLAYGROUND_BASE + EDGE_OFFSET - EDGE_BYTES / 2);

void memory_fill(uint64_t seed)
{
    fill_words(edge, EDGE_BYTES / 8, fill_words(data, DATA_BYTES / 8, seed));
}

uint64_t memory_hash(void)
{
    return hash_words(data, DATA_BYTES / 8) ^ hash_words(edge, EDGE_BYTES / 8);
}
