/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A firmware that only exits: EXITS writes to a port that QEMU handles, then one to the port that
 * ends QEMU. It has 64 KiB and ends at the reset vector.
 */
    .code16
    .section .text
start:
    movl $EXITS, %ecx
    xorb %al, %al
    testl %ecx, %ecx
    jz 2f
1:  outb %al, $0x80
    decl %ecx
    jnz 1b
2:  outb %al, $0xf4
3:  hlt
    jmp 3b

    .org 0xfff0
    .byte 0xea
    .word start, 0xf000
    .org 0x10000
