/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * leaves N: calls functions that make no frame, from one that does, N times. "bare" moves no stack
 * pointer; "pushing" keeps a register on the stack; "asking" makes a system call.
 */
#include "program.inc"

function _start
    argument
    xor %ebp, %ebp

function again
    call framed
    dec %rbx
    jnz again

    finish 0

/* A sample of SYSCALL has the address after it. */
function finished
    ud2

function framed
    push %rbp
    mov %rsp, %rbp
    call bare
    call pushing
    call asking
    nop
    pop %rbp
    ret

function bare
    mov $3, %ecx
1:  dec %ecx
    jnz 1b
    ret

function asking
    system_call SYS_GETPID
    ret

function pushing
    push %rbx
    mov $3, %ebx
1:  dec %ebx
    jnz 1b
    pop %rbx
    ret
