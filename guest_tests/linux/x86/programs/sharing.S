/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sharing N: two threads, A on CPU 0 and B on CPU 1, access the same lines in turns (N is 0 or 1).
 * The sizes are for a last level of 2 MiB that CPUs share, and an L2 of 512 KiB (docs/models.md).
 *
 * turn        function        lines    other CPU      last level
 * 0 of A      store_new       64       -              -
 *             load_new        64       -              -
 * 1 of B      load_modified   64       modified       has them
 *             load_shared     64       not modified   has them
 * 2 of A      store_shared    64       not modified
 *             store_large     65536    -              -
 *             load_forwarded  64       not modified   had them before store_large
 * 3 of B      store_middle    16384    -              -
 *             load_alone      16384 N  -              has them
 *
 * The turn is in a line that the thread that waits loads until it changes. Each of the 3 changes is
 * a store that takes the line from the other CPU or from memory, and a load that gets the modified
 * line.
 *
 * The models keep lines of an earlier process that had the same page table. So the addresses of the
 * lines that are still in L2 at the end depend on the process.
 */
#include "program.inc"

    .equ SYS_CLONE, 56
    .equ SYS_EXIT_GROUP, 231
    .equ THREAD, 0x50f00                /* VM, FS, FILES, SIGHAND, THREAD, SYSVSEM */
    .equ LINE, 64
    .equ PAGE, 1 << PAGE_SHIFT

    .bss
    .balign PAGE
lines:
    .space 1024 * 3 * PAGE              /* by the process: turn, modified, shared */
stack:
    .space PAGE
middle:
    .space 1 << 20
large:
    .space 4 << 20
    .data
    .balign PAGE
masks:
    .quad 1, 2
    .balign PAGE
    .text

.macro stay_on cpu
    xor %edi, %edi
    mov $8, %esi
    lea masks + 8 * \cpu(%rip), %rdx
    system_call SYS_SCHED_SETAFFINITY
.endm

    .equ MODIFIED, PAGE
    .equ SHARED, 2 * PAGE

/* Accesses each line of an array. */
.macro each name, array, bytes, insn:vararg
    lea \array, %rdx
    mov $(\bytes) / LINE, %ecx
function \name
    \insn
    add $LINE, %rdx
    dec %ecx
    jnz \name
.endm

.macro wait number
1:  pause
    cmpl $\number, (%r12)
    jne 1b
.endm

.macro end_turn number
    movl $\number, (%r12)
.endm

function _start
    argument
    system_call SYS_GETPID
    and $1023, %eax
    imul $3 * PAGE, %rax, %rax
    lea lines(%rip), %r12
    add %rax, %r12
    stay_on 0
    mov $THREAD, %edi
    lea stack + PAGE(%rip), %rsi
    xor %edx, %edx
    xor %r10d, %r10d
    xor %r8d, %r8d
    system_call SYS_CLONE
    test %eax, %eax
    jz b

    each store_new, MODIFIED(%r12), PAGE, mov %ecx, (%rdx)
    each load_new, SHARED(%r12), PAGE, mov (%rdx), %esi
    end_turn 1
    wait 2
    each store_shared, MODIFIED(%r12), PAGE, mov %ecx, (%rdx)
    each store_large, large(%rip), 4 << 20, mov %ecx, (%rdx)
    each load_forwarded, SHARED(%r12), PAGE, mov (%rdx), %esi
    end_turn 3
2:  pause
    jmp 2b

b:  stay_on 1
    wait 1
    each load_modified, MODIFIED(%r12), PAGE, mov (%rdx), %esi
    each load_shared, SHARED(%r12), PAGE, mov (%rdx), %esi
    end_turn 2
    wait 3
    each store_middle, middle(%rip), 1 << 20, mov %ecx, (%rdx)
    test %ebx, %ebx
    jz 3f
    each load_alone, middle(%rip), 1 << 20, mov (%rdx), %esi
3:  xor %edi, %edi
    system_call SYS_EXIT_GROUP
