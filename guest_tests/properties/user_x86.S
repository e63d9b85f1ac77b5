/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * user_x86: a program for user-mode emulation, of x86-64 or i386. It exits with 0 if CPUID says
 * that there is no PMU: no architectural performance monitoring, no PerfMonV2, no counters of AMD's
 * core; else with 1. With an argument it executes RDPMC, which is not allowed.
 */
#define NR_EXIT_64 60
#define NR_EXIT_32 1
#define PERFMON 0xa
#define PERFMON_V2 0x80000022
#define EXTENDED 0x80000001
#define PERFCTR_CORE (1 << 23)

/* Leaf \leaf is 0, or beyond the last one of its range. */
.macro  nothing leaf
        mov     $(\leaf & 0x80000000), %eax
        cpuid
        cmp     $\leaf, %eax
        jb      1f
        mov     $\leaf, %eax
        xor     %ecx, %ecx
        cpuid
        or      %ebx, %eax
        or      %ecx, %eax
        or      %edx, %eax
        jnz     found
1:
.endm

        .global _start
_start:
#ifdef __x86_64__
        mov     (%rsp), %rax
#else
        mov     (%esp), %eax
#endif
        xor     %ecx, %ecx
        cmp     $1, %eax
        je      1f
        rdpmc
1:      nothing PERFMON
        nothing PERFMON_V2
        mov     $EXTENDED, %eax
        cpuid
        test    $PERFCTR_CORE, %ecx
        jnz     found
        xor     %edi, %edi
        jmp     end
found:  mov     $1, %edi
end:
#ifdef __x86_64__
        mov     $NR_EXIT_64, %eax
        syscall
#else
        mov     %edi, %ebx
        mov     $NR_EXIT_32, %eax
        int     $0x80
#endif
        .section .note.GNU-stack, "", %progbits
