/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "layout.h"

    .text
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
    .globl gdt_register
gdt_register:
    .word gdt_register - gdt - 1
    .quad gdt
