/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime/mmu.h"

#include "registers/sysreg.h"
#include "runtime/layout.h"

#define ENTRIES 512u
#define BLOCK_1G (UINT64_C(1) << 30)
#define BLOCK_2M (UINT64_C(1) << 21)

/* Descriptors of stage 1 (Arm ARM D8.3). */
#define DESC_BLOCK UINT64_C(1)
#define DESC_TABLE UINT64_C(3)
#define DESC_PAGE UINT64_C(3)
#define DESC_NORMAL (UINT64_C(0) << 2)
#define DESC_DEVICE (UINT64_C(1) << 2)
#define DESC_EL0 BIT(6)
#define DESC_READ_ONLY BIT(7)
#define DESC_INNER_SHAREABLE (UINT64_C(3) << 8)
#define DESC_ACCESSED BIT(10)
#define DESC_PXN BIT(53)
#define DESC_UXN BIT(54)

#define DESC_RAM (DESC_NORMAL | DESC_INNER_SHAREABLE | DESC_ACCESSED)
#define DESC_DATA (DESC_RAM | DESC_EL0 | DESC_PXN | DESC_UXN)
#define DESC_TEXT (DESC_RAM | DESC_EL0 | DESC_READ_ONLY)

/* Stage 2: read and write, normal memory or device, executable. */
#define S2_ACCESS (UINT64_C(3) << 6 | DESC_INNER_SHAREABLE | DESC_ACCESSED)
#define S2_RAM (S2_ACCESS | UINT64_C(0xf) << 2)
#define S2_DEVICE S2_ACCESS

/* A granule of 4 KB, 39 bits of virtual and 36 of physical address; only TTBR0 is used. */
#define TCR_VALUE                                                                                  \
    (UINT64_C(25) | UINT64_C(1) << 8 | UINT64_C(1) << 10 | UINT64_C(3) << 12 | BIT(23) |           \
     UINT64_C(1) << 32)
#define VTCR_VALUE                                                                                 \
    (UINT64_C(25) | UINT64_C(1) << 6 | UINT64_C(1) << 8 | UINT64_C(1) << 10 | UINT64_C(3) << 12 |  \
     UINT64_C(1) << 16 | BIT(31))
/* Attribute 0 is write-back memory, 1 is Device-nGnRnE. */
#define MAIR_VALUE UINT64_C(0x00ff)

#define SCTLR_EL1_RES1 (BIT(11) | BIT(20) | BIT(22) | BIT(28) | BIT(29))
#define SCTLR_VALUE                                                                                \
    (SCTLR_EL1_RES1 | SCTLR_EL1_M | SCTLR_EL1_C | SCTLR_EL1_I | SCTLR_EL1_DZE | SCTLR_EL1_UCT |    \
     SCTLR_EL1_NTWI | SCTLR_EL1_NTWE | SCTLR_EL1_SPAN | SCTLR_EL1_UCI)

static uint64_t level1[ENTRIES] __attribute__((aligned(PAGE_SIZE)));
static uint64_t level2[ENTRIES] __attribute__((aligned(PAGE_SIZE)));
static uint64_t level3[ENTRIES] __attribute__((aligned(PAGE_SIZE)));
static uint64_t stage2_level1[ENTRIES] __attribute__((aligned(PAGE_SIZE)));
static uint64_t stage2_level2[ENTRIES] __attribute__((aligned(PAGE_SIZE)));

/* A physical address where the machine has nothing. */
#define NO_MEMORY UINT64_C(0xe00000000)

/* The attribute bits of a playground page, by its use. A page whose bits are zero is not mapped. */
static const uint64_t use_bits[] = {
    [PAGE_UNMAPPED] = 0,
    [PAGE_DATA] = DESC_PAGE | DESC_DATA,
    [PAGE_EL0_CODE] = DESC_PAGE | DESC_RAM | DESC_EL0 | DESC_PXN,
    [PAGE_EL1_CODE] = DESC_PAGE | DESC_RAM | DESC_UXN,
};

/* Maps block @i of RAM in pages. */
static void map_pages(unsigned i)
{
    uint64_t *table = (uint64_t *)(PAGE_TABLES_BASE + i * (uintptr_t)PAGE_SIZE);
    uint64_t address = RAM_BASE + i * BLOCK_2M;
    uint64_t bits = address == TEXT_BASE ? DESC_TEXT : DESC_DATA;

    for (unsigned n = 0; n < ENTRIES; n++) {
        table[n] = DESC_PAGE | bits | (address + n * (uint64_t)PAGE_SIZE);
    }
    level2[i] = DESC_TABLE | (uintptr_t)table;
}

void mmu_init(void)
{
    level1[0] = DESC_BLOCK | DESC_DEVICE | DESC_ACCESSED | DESC_EL0 | DESC_PXN | DESC_UXN;
    level1[1] = DESC_TABLE | (uintptr_t)level2;
    level1[BROKEN_WALK_ADDRESS / BLOCK_1G] = DESC_TABLE | NO_MEMORY;
    stage2_level1[0] = DESC_BLOCK | S2_DEVICE;
    stage2_level1[1] = DESC_TABLE | (uintptr_t)stage2_level2;
    for (unsigned i = 0; i < ENTRIES; i++) {
        uint64_t address = RAM_BASE + i * BLOCK_2M;

        level2[i] = DESC_BLOCK | DESC_DATA | address;
        stage2_level2[i] = DESC_BLOCK | S2_RAM | address;
    }
    for (unsigned i = 0; i < (BLOCKS_BASE - RAM_BASE) / BLOCK_2M; i++) {
        map_pages(i);
    }
    level2[(PLAYGROUND_BASE - RAM_BASE) / BLOCK_2M] = DESC_TABLE | (uintptr_t)level3;
    stage2_level2[(PLAYGROUND_BASE - RAM_BASE) / BLOCK_2M] = 0;
    dsb();
}

static void flush(void)
{
    __asm__ volatile("dsb ishst\n\ttlbi vmalle1\n\tdsb ish\n\tisb" : : : "memory");
}

void mmu_enable(void)
{
    write_sysreg(mair_el1, MAIR_VALUE);
    write_sysreg(tcr_el1, TCR_VALUE);
    write_sysreg(ttbr0_el1, (uintptr_t)level1);
    flush();
    write_sysreg(sctlr_el1, SCTLR_VALUE);
    isb();
}

uintptr_t page_address(unsigned n)
{
    return PLAYGROUND_BASE + n * (uintptr_t)PAGE_SIZE;
}

uint64_t *page_descriptor(unsigned n)
{
    return &level3[n];
}

uint64_t page_descriptor_value(unsigned n, enum page_use use)
{
    return use_bits[use] == 0 ? 0 : use_bits[use] | page_address(n);
}

void page_map(unsigned n, enum page_use use)
{
    *(volatile uint64_t *)page_descriptor(n) = page_descriptor_value(n, use);
    flush();
}

static void stage2_flush(void)
{
    __asm__ volatile("dsb ishst\n\ttlbi vmalls12e1\n\tdsb ish\n\tisb" : : : "memory");
}

void stage2_enable(void)
{
    stage2_level2[(PLAYGROUND_BASE - RAM_BASE) / BLOCK_2M] = 0;
    write_sysreg(vtcr_el2, VTCR_VALUE);
    write_sysreg(vttbr_el2, (uintptr_t)stage2_level1);
    write_sysreg(hcr_el2, read_sysreg(hcr_el2) | HCR_EL2_VM);
    stage2_flush();
}

void stage2_map_playground(void)
{
    stage2_level2[(PLAYGROUND_BASE - RAM_BASE) / BLOCK_2M] = DESC_BLOCK | S2_RAM | PLAYGROUND_BASE;
    stage2_flush();
}
