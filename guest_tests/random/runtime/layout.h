/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RANDOM_LAYOUT_H
#define RANDOM_LAYOUT_H

/*
 * Numbers that C, assembly, the linker script and the generator share. The generator reads the
 * lines `#define NAME number` of this file, so each is one number.
 */
#define UART_BASE 0x09000000
#define GICD_BASE 0x08000000
#define GICC_BASE 0x08010000
#define SECURE_GPIO_BASE 0x090b0000

/* RAM, in blocks of 2 MB. Text can be executed and read at all levels; EL0 cannot access data. */
#define RAM_BASE 0x40000000
#define TEXT_BASE 0x40200000
#define DATA_BASE 0x40400000
/* Pages for the programs' data, a hole, and code before a hole. */
#define PLAYGROUND_BASE 0x40800000
/*
 * The programs, written by the generator. They can be read and executed at all levels, and written
 * at none.
 */
#define PROGRAMS_BASE 0x41000000
#define PROGRAMS_SIZE 0x03000000
#define RESULTS_BASE 0x44000000
#define RESULTS_SIZE 0x03000000
#define RAM_SIZE 0x08000000
/* All of RAM again, writable at all levels and not executable. Code is changed here. */
#define ALIAS_BASE 0x80000000

/* Pages of the playground, by their use; each is 4 KB. The others are not mapped. */
#define PAGE_DATA 1
#define PAGE_DATA_COUNT 2
#define PAGE_READ_ONLY 4
#define PAGE_CLIFF 6
#define PAGE_CLIFF32 8
#define PAGE_CLIFF16 10

/*
 * In the playground, the data of programs is around the border of its two pages, and before the
 * hole.
 */
#define DATA_OFFSET 0x1c00
#define DATA_BYTES 0x800
#define EDGE_OFFSET 0x3000
#define EDGE_BYTES 0x80

#define PROGRAM_SIZE 2048
#define RESULT_SIZE 8192

#define STACK_SIZE 16384

/* struct frame: x0 to x30, then these. */
#define FRAME_ELR 248
#define FRAME_SPSR 256
#define FRAME_ESR 264
#define FRAME_FAR 272
#define FRAME_SIZE 288

/*
 * Immediates of SVC: the end of a program. Immediates of HVC and SMC: a handler asks the highest
 * level.
 */
#define CALL_END 0xff
#define CALL_SERVICE 0xfe
#define CALL_FINISH 0xfd

/*
 * Registers of a program that are not random: where to continue after a jump to an invalid address.
 */
#define RESUME_REG 25
#define RESUME_REG32 7

#endif
