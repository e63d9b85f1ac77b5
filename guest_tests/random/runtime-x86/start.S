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

/* Back from a program: the content of the stacks is lost. */
    .globl run_next
run_next:
    mov $stack_boot_end, %esp
    call next_program
    ud2

/*
 * void drain(void): a return without an NMI re-enables NMIs. Then any pending interrupt is taken.
 */
    .globl drain
drain:
    mov %rsp, %rax
    push $KERNEL_SS
    push %rax
    pushf
    push $KERNEL_CS
    push $1f
    iretq
1:  sti
    nop
    nop
    cli
    ret

    .macro each_vector op
    .irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
    \op \n
    .endr
    .endm

    .macro load n
    movups 16 * \n(%rdi), %xmm\n
    .endm

    .macro store n
    movups %xmm\n, 16 * \n(%rdi)
    .endm

/* void vectors_load(const uint64_t v[32]), void vectors_store(uint64_t v[32]): XMM0 to XMM15 */
    .globl vectors_load
vectors_load:
    each_vector load
    fninit
    pushq $0x1f80
    ldmxcsr (%rsp)
    add $8, %rsp
    ret

    .globl vectors_store
vectors_store:
    each_vector store
    ret

    .data
    .balign 8
    .globl gdt
gdt:
    .quad 0
    .quad 0x00af9b000000ffff    /* KERNEL_CS */
    .quad 0x00cf93000000ffff    /* KERNEL_SS */
    .quad 0x00cffb000000ffff    /* USER_CS32 */
    .quad 0x00cff3000000ffff    /* USER_SS */
    .quad 0x00affb000000ffff    /* USER_CS */
    .quad 0x00cff3000000ffff    /* USER_SS_OF_SYSEXIT */
    .quad 0x00cf9b000000ffff    /* KERNEL_CS32 */
    .quad 0, 0                  /* TSS_SELECTOR */
gdt_register:
    .word gdt_register - gdt - 1
    .quad gdt

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
