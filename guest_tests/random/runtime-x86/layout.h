/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RANDOM_X86_LAYOUT_H
#define RANDOM_X86_LAYOUT_H

/*
 * Numbers that C, assembly, the linker script and the generator share: the generator reads the
 * lines `#define NAME number` of this file, so each is one number.
 */
#define LAPIC_BASE 0xfee00000

/* RAM, in blocks of 2 MB. The runtime is for CPL 0 alone. */
#define RAM_BASE 0x0
#define TEXT_BASE 0x200000
#define DATA_BASE 0x400000
/* Pages for the programs' data, holes, code before a hole. */
#define PLAYGROUND_BASE 0x800000
/* The programs, written by the generator, and by themselves: read, written, executed everywhere. */
#define PROGRAMS_BASE 0x1000000
#define PROGRAMS_SIZE 0x03000000
#define RESULTS_BASE 0x4000000
#define RESULTS_SIZE 0x03000000
#define RAM_SIZE 0x08000000
/* The first GB again, where code is changed by another address. */
#define ALIAS_BASE 0x40000000

/*
 * Pages of the playground, by what they are for; each is 4 KB. The others are not mapped. Lazy ones
 * are mapped when they are touched, until a program has them unmapped.
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
 * In the playground: the data that programs use lies across its two pages. Behind the edge come
 * lazy pages, behind the far edge nothing. The rounds that are left of a program of 32 bits, and
 * where it goes on after a jump into nowhere, have places of their own.
 */
#define DATA_OFFSET 0x1c00
#define EDGE_OFFSET 0x3000
#define FAR_EDGE_OFFSET 0x5000
#define STACK_OFFSET 0xbf00
#define ROUNDS_OFFSET 0x1010
#define RESUME_OFFSET 0x1020

#define PROGRAM_SIZE 1024
#define RESULT_SIZE 4096

/* Each kind of entry has a stack of its own. */
#define STACK_SIZE 8192

/* Selectors, as SYSCALL, SYSRET, SYSENTER and SYSEXIT need them. */
#define KERNEL_CS 0x08
#define KERNEL_SS 0x10
#define USER_CS32 0x1b
#define USER_SS 0x23
#define USER_CS 0x2b
#define USER_SS_OF_SYSEXIT 0x33
#define KERNEL_CS32 0x38
#define TSS_SELECTOR 0x40

/* Vectors. INT n goes to the services from everywhere, to the first after the exceptions from CPL
 * 0. */
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
/* Entries that are none of the IDT's. */
#define ENTRY_SYSCALL 0x100
#define ENTRY_SYSCALL32 0x101
#define ENTRY_SYSENTER 0x102

/* Registers of a program of 64 bits that are not random; numbers as in ModRM. */
#define RESUME_REG 15

#endif
