/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNTIME_LAYOUT_H
#define RUNTIME_LAYOUT_H

/* Numbers that C, assembly and the linker script share. */

/* Each CPU's stack is aligned to its size. struct cpu lies at its lowest address. */
#define STACK_SHIFT 16
#define STACK_SIZE (1 << STACK_SHIFT)
#define MAX_CPUS 4

/* Each lower level uses the stack from one such step further down. */
#define LEVEL_STACK_STEP 8192

/* Offsets in struct cpu. */
#define CPU_HOME_SP 0
#define CPU_ABORT_SP 8

/* Offsets in struct frame: x0 to x30, then these. */
#define FRAME_SP 248
#define FRAME_ELR 256
#define FRAME_SPSR 264
#define FRAME_ESR 272
#define FRAME_FAR 280
#define FRAME_SIZE 288

/* The immediates of SVC, HVC and SMC with which a lower level answers the level that called it. */
#define CALL_RETURN 0x7e0
#define CALL_ABORT 0x7e1

/* The kinds of exception that the vectors pass to C. */
#define KIND_SYNC 0
#define KIND_IRQ 1
#define KIND_OTHER 2

/* Memory of the virt machine: its devices, and the RAM as the linker script divides it. */
#define UART_BASE 0x09000000
#define SECURE_GPIO_BASE 0x090b0000
#define NOTHING_BASE 0x0b000000
#define GICD_BASE 0x08000000
#define GICC_BASE 0x08010000
#define RAM_BASE 0x40000000
#define TEXT_BASE 0x40200000
#define DATA_BASE 0x40400000
/* 2 MB that are mapped in pages of 4 KB, so that tests can map, unmap and write code into them. */
#define PLAYGROUND_BASE 0x40800000
#define PLAYGROUND_PAGES 16
/* Neither loaded from the image nor unmapped, so its content survives a system reset. */
#define KEEP_BASE 0x40a00000
/* The tables of what is mapped in pages. */
#define PAGE_TABLES_BASE 0x40c00000
/* Memory that nothing else uses. Tests fill the caches from it. */
#define SCRATCH_BASE 0x41000000
/* The same, to the end of 128 MB, but mapped in blocks of 2 MB. All before it is mapped in pages.
 */
#define BLOCKS_BASE 0x46000000

#endif
