/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * on MASK PROGRAM ARGUMENT...: moves itself to the CPUs of MASK (one bit each, in decimal), then
 * becomes PROGRAM. It executes 7 user instructions on the CPU that it has moved to.
 */
#include "program.inc"

function _start
    argument
    push %rbx
    xor %edi, %edi
    mov $8, %esi
    mov %rsp, %rdx
    system_call SYS_SCHED_SETAFFINITY
    test %eax, %eax                     /* the new CPU's [1] */
    jnz fail
    mov 8 + 24(%rsp), %rdi              /* argv[2] */
    lea 8 + 24(%rsp), %rsi
    xor %edx, %edx                      /* [5]: no environment */
    system_call SYS_EXECVE              /* [7] */

fail:
    finish 127
