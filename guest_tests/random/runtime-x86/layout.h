/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RANDOM_X86_LAYOUT_H
#define RANDOM_X86_LAYOUT_H

/*
 * Numbers that C, assembly, the linker script and the generator share. The generator reads the
 * lines `#define NAME number` of this file, so each is one number.
 */
#define LAPIC_BASE 0xfee00000

/* RAM, in blocks of 2 MB. The runtime is for CPL 0 alone. */
#define RAM_BASE 0x0
#define TEXT_BASE 0x200000
#define DATA_BASE 0x400000
/* Pages for the programs' data, holes, and code before a hole. */
#define PLAYGROUND_BASE 0x800000
/*
 * The programs. The generator and the programs themselves write them. They can be read, written and
 * executed at all levels.
 */
#define PROGRAMS_BASE 0x1000000
#define PROGRAMS_SIZE 0x03000000
#define RESULTS_BASE 0x4000000
#define RESULTS_SIZE 0x03000000
#define RAM_SIZE 0x08000000
/* The first GB again, where code is changed through another address. */
#define ALIAS_BASE 0x40000000

/*
 * Pages of the playground, by their use; each is 4 KB. The others are not mapped. Lazy pages are
 * mapped when they are touched, until a program unmaps them.
 */
#define PAGE_DATA 1
#define PAGE_DATA_COUNT 2
#define PAGE_LAZY 3
#define PAGE_LAZY_COUNT 2
#define PAGE_READ_ONLY 6
#define PAGE_CLIFF 8
#define PAGE_STACK 11
#define PAGE_PRIVATE 13
#define PAGE_DS 15
#define PAGE_RECORDS 16

/*
 * In the playground, the data of programs is around the border of its two pages. Lazy pages follow
 * the edge; after the far edge nothing is mapped. The remaining rounds of a 32-bit program, and
 * where it continues after a jump to an invalid address, have places of their own.
 */
#define DATA_OFFSET 0x1c00
#define EDGE_OFFSET 0x3000
#define FAR_EDGE_OFFSET 0x5000
#define STACK_OFFSET 0xbf00
#define ROUNDS_OFFSET 0x1010
#define RESUME_OFFSET 0x1020

#define PROGRAM_SIZE 1024
#define RESULT_SIZE 8192

/* Each kind of entry has a stack of its own. */
#define STACK_SIZE 8192

/* Selectors, in the order that SYSCALL, SYSRET, SYSENTER and SYSEXIT need. */
#define KERNEL_CS 0x08
#define KERNEL_SS 0x10
#define USER_CS32 0x1b
#define USER_SS 0x23
#define USER_CS 0x2b
#define USER_SS_OF_SYSEXIT 0x33
#define KERNEL_CS32 0x38
#define TSS_SELECTOR 0x40

/*
 * Vectors. INT n reaches the services from all levels; from CPL 0 it also reaches the first ones
 * after the exceptions.
 */
#define VECTOR_NMI 2
#define VECTOR_KERNEL 0x20
#define VECTOR_ABSENT 0x30
#define VECTOR_PMI 0x40
#define VECTOR_SERVICE 0x80
#define VECTOR_CPL 0x81
#define VECTOR_UNMAP 0x82
#define VECTOR_INTERRUPTS 0x83
#define VECTOR_END 0x8f
#define VECTORS 0x90
/* Entries that are not in the IDT. */
#define ENTRY_SYSCALL 0x100
#define ENTRY_SYSCALL32 0x101
#define ENTRY_SYSENTER 0x102

/* What follows an exception: IRET, SYSRET, or the end of the program. */
#define AFTER_IRET 0
#define AFTER_SYSRET 1
#define AFTER_END 2

/* The registers of a 64-bit program that are not random; numbers as in ModRM. */
#define RESUME_REG 15

#endif
