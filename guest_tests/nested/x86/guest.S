/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest of a VMM on an x86 host: firmware that counts in its kernel and in its program, by turns
 * and for ever. It has no interrupts and no stack. The image is the last 64 KiB below 1 MiB.
 */

#define ROUNDS 50000
#define CODE 0x08 /* SYSENTER's and SYSEXIT's segments follow from this one */
#define DATA 0x10
#define SYSENTER_CS 0x174
#define SYSENTER_ESP 0x175
#define SYSENTER_EIP 0x176
#define CR0_PE 1
#define SEGMENT 0xf000
#define RESET 0xfff0

    .macro set_msr number, value
    mov $\number, %ecx
    mov $\value, %eax
    xor %edx, %edx
    wrmsr
    .endm

    .macro function name
    .type \name, @function
    .globl \name
\name:
    .endm

    .text
image:
    .code16
    .globl real_mode
real_mode:
    cli
    lgdtl %cs:gdtr - image
    mov %cr0, %eax
    or $CR0_PE, %eax
    mov %eax, %cr0
    ljmpl $CODE, $protected_mode

    .code32
protected_mode:
    mov $DATA, %eax
    mov %eax, %ds
    mov %eax, %es
    mov %eax, %ss
    set_msr SYSENTER_CS, CODE
    set_msr SYSENTER_ESP, 0
    set_msr SYSENTER_EIP, kernel

function kernel
    mov $ROUNDS, %ecx
1:  dec %ecx
    jnz 1b
    mov $program, %edx
    sysexit

function program
    mov $ROUNDS, %ecx
1:  dec %ecx
    jnz 1b
    sysenter
function end

    .balign 8
gdt:
    .quad 0
    .quad 0x00cf9b000000ffff /* CODE: flat, execute and read */
    .quad 0x00cf93000000ffff /* DATA: flat, read and write */
gdtr:
    .word gdtr - gdt - 1
    .long gdt

    .org RESET
    .code16
    ljmpw $SEGMENT, $real_mode - image
    .org 0x10000
