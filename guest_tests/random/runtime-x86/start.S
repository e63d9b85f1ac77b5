/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "layout.h"

#define CR0_PG_WP_PE 0x80010033
#define CR4_OSFXSR_PAE 0x620
#define MSR_EFER 0xc0000080
/* NXE, LME and SCE. */
#define EFER_BITS 0x901

    .section .text.start, "ax"
    .code32
    .globl _start
_start:
    mov $0x10, %eax
    mov %eax, %ds
    mov %eax, %es
    mov %eax, %ss
    mov $boot_pml4, %eax
    mov %eax, %cr3
    mov $CR4_OSFXSR_PAE, %eax
    mov %eax, %cr4
    mov $MSR_EFER, %ecx
    mov $EFER_BITS, %eax
    xor %edx, %edx
    wrmsr
    mov $CR0_PG_WP_PE, %eax
    mov %eax, %cr0
    lgdt gdt_register
    ljmp $KERNEL_CS, $start64

    .code64
start64:
    mov $KERNEL_SS, %eax
    mov %eax, %ss
    mov $stack_boot_end, %esp
    call boot
    ud2

    .data
/* 1 GB, identity-mapped, until boot() has made better tables. */
    .balign 4096
boot_pml4:
    .quad boot_pdpt + 3
    .space 4088
boot_pdpt:
    .quad boot_pd + 3
    .space 4088
boot_pd:
    .set n, 0
    .rept 512
    .quad (n << 21) + 0x83
    .set n, n + 1
    .endr

    .bss
    .balign 16
    .space STACK_SIZE
stack_boot_end:
