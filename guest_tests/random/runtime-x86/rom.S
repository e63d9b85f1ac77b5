/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The machine's firmware, the last 64 KB below 4 GB. It enters protected mode, and the runtime,
 * which is in RAM already. There is no other firmware, so nothing that it might have started
 * interrupts a program.
 */
#include "layout.h"

    .text
    .code16
start:
    cli
    lgdtl %cs:(gdt_register - start)
    mov %cr0, %eax
    or $1, %al
    mov %eax, %cr0
    ljmpl $8, $TEXT_BASE

    .balign 8
gdt:
    .quad 0
    .quad 0x00cf9b000000ffff
    .quad 0x00cf93000000ffff
gdt_register:
    .word gdt_register - gdt - 1
    .long 0xffff0000 + (gdt - start)

    .org 0xfff0
reset:
    jmp start
    .org 0x10000
