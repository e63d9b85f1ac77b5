/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNTIME_MMU_H
#define RUNTIME_MMU_H

#include <stdint.h>

/*
 * EL1&0 only, an identity map: EL2 and EL3 run without translation. Code is executable and
 * read-only at both levels, all else writable at both. The playground is mapped in pages, each as
 * a test wants it.
 */
#define PAGE_SIZE 4096u

/* An address whose translation table lies where there is no memory: walks take external aborts. */
#define BROKEN_WALK_ADDRESS UINT64_C(0x80000000)

enum page_use {
    PAGE_UNMAPPED,
    PAGE_DATA,     /* EL0 and EL1 write */
    PAGE_EL0_CODE, /* EL0 and EL1 write, EL0 executes */
    PAGE_EL1_CODE, /* EL1 writes and executes */
};

/* Fills the tables; once. */
void mmu_init(void);

/* Turns translation on for this CPU, with SCTLR_EL1 otherwise as tests want it. */
void mmu_enable(void);

/* Address of a page of the playground, 0 to PLAYGROUND_PAGES - 1. */
uintptr_t page_address(unsigned n);

void page_map(unsigned n, enum page_use use);

/* For handlers in assembly: the descriptor's address, and the value for a use. */
uint64_t *page_descriptor(unsigned n);
uint64_t page_descriptor_value(unsigned n, enum page_use use);

/* A stage 2 map of the same extent, for HCR_EL2.VM; all RAM but the playground. */
void stage2_enable(void);
void stage2_map_playground(void);

#endif
