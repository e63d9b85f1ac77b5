/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "layout.h"

/*
 * Every entry saves a struct frame and calls exception_entry(frame). What that returns, AFTER_*, says
 * what is next: the frame is restored, or the program has ended.
 */
    .macro save_registers
    .irp reg, r15, r14, r13, r12, r11, r10, r9, r8, rdi, rsi, rbp, rsp, rbx, rdx, rcx, rax
    push %\reg
    .endr
    cld
    mov %rsp, %rdi
    call exception_entry
    .endm

    .macro restore_registers
    .irp reg, rax, rcx, rdx, rbx, rdi, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
    pop %\reg
    .endr
    add $16, %rsp
    .endm

/* void enter(const struct frame *): returns when exception_entry() says that the program has ended. */
    .globl enter
    .text
enter:
    .irp reg, rbx, rbp, r12, r13, r14, r15
    push %\reg
    .endr
    mov %rsp, rsp_of_enter
    mov %rdi, %rsp
    jmp restore

leave:
    mov rsp_of_enter, %rsp
    .irp reg, r15, r14, r13, r12, rbp, rbx
    pop %\reg
    .endr
    ret

save:
    save_registers
    cmp $AFTER_END, %eax
    je leave
restore:
    restore_registers
    iretq

/* State that SYSCALL and SYSENTER do not save is set as if they came from CPL 3. */
    .macro system_call name, cs, vector
    .globl \name
\name:
    mov %rsp, rsp_of_call
    mov $stack_call_end, %esp
    push $USER_SS
    push rsp_of_call
    push %r11
    push $\cs
    push %rcx
    push $0
    push $\vector
    jmp save_call
    .endm

    system_call entry_syscall, USER_CS, ENTRY_SYSCALL
    system_call entry_syscall32, USER_CS32, ENTRY_SYSCALL32
    system_call entry_sysenter, USER_CS, ENTRY_SYSENTER

/* RCX and R11 of SYSRET are in the frame. */
save_call:
    save_registers
    cmp $AFTER_END, %eax
    je leave
    cmp $AFTER_SYSRET, %eax
    jne restore
    restore_registers
    mov 24(%rsp), %rsp
    sysretq

/* Exceptions for which the processor has pushed an error code. */
    .set with_error, 1 << 8 | 1 << 10 | 1 << 11 | 1 << 12 | 1 << 13 | 1 << 14 | 1 << 17

    .balign 16
    .globl vector_entries
vector_entries:
    .set n, 0
    .rept VECTORS
    .balign 16
    .if !(with_error & 1)
    pushq $0
    .endif
    pushq $n
    jmp save
    .set with_error, with_error >> 1
    .set n, n + 1
    .endr

    .bss
    .balign 16
rsp_of_call:
    .space 8
rsp_of_enter:
    .space 8
    .macro stack name
    .space STACK_SIZE
    .globl \name
\name:
    .endm
    stack stack_call_end
    stack stack_exception_end
    stack stack_nmi_end
    stack stack_debug_end
    stack stack_pmi_end
    stack stack_double_end
