/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_KERNELS_H
#define VPMU_STATS_KERNELS_H

#include <stdbool.h>

#include "memory.h"

/* Its RAM is this large and begins here; its kernel lies so much higher. */
#define KERNELS_SIZE 0x10000u
#define KERNELS_RAM 0x40000000ull
#define KERNELS_DISTANCE 0xffff800040000000ull
#define KERNELS_TEXT (KERNELS_RAM + KERNELS_DISTANCE)

/* Where in RAM things are. */
#define KERNELS_NUMBER 0xa00u
#define KERNELS_NAMES 0x1000u
#define KERNELS_TOKENS 0x2000u
#define KERNELS_INDEX 0x2800u
#define KERNELS_OFFSETS 0x2a00u
#define KERNELS_BASE 0x2c00u
#define KERNELS_VARIABLE 0x2d00u
#define KERNELS_TYPES 0x3000u
#define KERNELS_TABLES 0xc000u
/* Of an x86-64: the page tables of a process, and behind them those without the kernel. */
#define KERNELS_PROCESS 0xe000u

/* Pages for texts of VMCOREINFO, of which the second is the right one's. */
#define KERNELS_BEFORE 0x8000u
#define KERNELS_INFO 0xa000u

/**
 * struct made_kernel - the RAM of a machine with a Linux, made up
 * @table: what its CPU has for the page table.
 */
struct made_kernel {
    struct memory memory;
    unsigned char ram[KERNELS_SIZE];
    uint64_t table;
};

/**
 * kernels_make() - a kernel with the functions first, second and one with a long name, 0x100, 0x200
 * and 0x300 behind _text
 * @by_place: its symbols' offsets are to where they lie themselves, as of Linux 7.0.
 */
void kernels_make(struct made_kernel *k, bool by_place);

/** kernels_make_x86() - the same of an x86-64, where symbols are above the base */
void kernels_make_x86(struct made_kernel *k);

/** kernels_info() - writes a text of VMCOREINFO to a page, of a kernel that lies so much higher */
void kernels_info(struct made_kernel *k, unsigned page, uint64_t distance, bool by_place);

#endif
