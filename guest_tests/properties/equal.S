/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * equal: counters 0 to 5 count instructions at EL1, all in the same way, for ever. The upper 32
 * bits of PARAMETER, which -device loader sets, are those of their PMEVTYPER<n>_EL0: the threshold.
 * A round has an SVC, so that the counters are settled at changes of exception level, too, and it
 * reads a PMU register.
 */
#define PARAMETER 0x47000000
#define UNITS 6
#define INST_RETIRED 0x8

        .global _start
_start: adr     x0, vectors
        msr     vbar_el1, x0
        ldr     x0, =PARAMETER
        ldr     x0, [x0]
        orr     x0, x0, #INST_RETIRED
        .set    n, 0
        .altmacro
        .macro  prepare index
        msr     pmevtyper\index\()_el0, x0
        msr     pmevcntr\index\()_el0, xzr
        .endm
        .rept   UNITS
        prepare %n
        .set    n, n + 1
        .endr
        mov     x0, #1
        msr     pmcr_el0, x0
        mov     x0, #(1 << UNITS) - 1
        isb
        msr     pmcntenset_el0, x0
        ldr     x1, =PARAMETER + 64

round:  mov     x2, #500
1:      ldr     x3, [x1]
        mul     x3, x3, x2
        str     x3, [x1]
        subs    x2, x2, #1
        b.ne    1b
        svc     #0
        mrs     x3, pmovsset_el0
        b       round

        .balign 2048
vectors:
        .skip   0x200
        eret
