/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts hot.c on x86-64, at 0x200000, where the firmware of random programs jumps to in protected
 * mode. The page table is at page 0x300, which is the number of the process in a recording. BOLT wants
 * the type and the size of each function of 64 bits.
 */
#define CR0_PG_PE 0x80000011
#define CR4_PAE 0x20
#define MSR_EFER 0xc0000080
#define EFER_LME 0x100
#define CODE64 8

        .section .entry, "ax"
        .code32
        .globl  _start
_start: mov     $pml4, %eax
        mov     %eax, %cr3
        mov     $CR4_PAE, %eax
        mov     %eax, %cr4
        mov     $MSR_EFER, %ecx
        mov     $EFER_LME, %eax
        xor     %edx, %edx
        wrmsr
        mov     $CR0_PG_PE, %eax
        mov     %eax, %cr0
        lgdt    gdt_register
        ljmp    $CODE64, $start64

        .text
        .code64
        .type   start64, %function
start64:
        mov     $stack_end, %esp
        jmp     work
        .size   start64, . - start64

/* The first 2 MB blocks, identity-mapped. */
        .data
pml4:   .quad   pdpt + 3
        .space  4088
pdpt:   .quad   directory + 3
        .space  4088
directory:
        .set    n, 0
        .rept   8
        .quad   (n << 21) + 0x83
        .set    n, n + 1
        .endr

gdt:    .quad   0
        .quad   0x00af9b000000ffff
gdt_register:
        .word   gdt_register - gdt - 1
        .long   gdt

        .bss
        .balign 16
        .space  4096
stack_end:
