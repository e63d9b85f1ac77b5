/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNTIME_MMU_H
#define RUNTIME_MMU_H

#include <stdint.h>

/*
 * An identity map for EL1&0 only; EL2 and EL3 run without translation. Code is executable and
 * read-only at both levels, everything else is writable at both. Memory below BLOCKS_BASE is mapped
 * in pages, that above it in blocks of 2 MB. Each page of the playground is mapped as a test needs
 * it.
 */
#define PAGE_SIZE 4096u

/* The translation table of this address is outside memory, so walks take external aborts. */
#define BROKEN_WALK_ADDRESS UINT64_C(0x80000000)

enum page_use {
    PAGE_UNMAPPED,
    PAGE_DATA,     /* EL0 and EL1 can write */
    PAGE_EL0_CODE, /* EL0 and EL1 can write, EL0 can execute */
    PAGE_EL1_CODE, /* EL1 can write and execute */
};

/* Fills the tables. The boot CPU calls this once. */
void mmu_init(void);

/* Enables translation on this CPU. The other bits of SCTLR_EL1 are as tests expect them. */
void mmu_enable(void);

/* Returns the address of a page of the playground, 0 to PLAYGROUND_PAGES - 1. */
uintptr_t page_address(unsigned n);

void page_map(unsigned n, enum page_use use);

/* For handlers in assembly: the descriptor's address, and the value for a use of the page. */
uint64_t *page_descriptor(unsigned n);
uint64_t page_descriptor_value(unsigned n, enum page_use use);

/* A stage 2 map of the same size for HCR_EL2.VM. It maps all RAM except the playground. */
void stage2_enable(void);
void stage2_map_playground(void);

#endif
