/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sampler: a loop at EL1 that counter 0 samples, for the test onlookers. PARAMETER, which -device
 * loader sets, says what is counted and how often there is an interrupt: PMEVTYPER0, then the
 * period. At the end it switches the machine off.
 */
#define PARAMETER 0x47000000
#define GICD 0x08000000
#define GICC 0x08010000
#define INTID_PMU 23
#define ITERATIONS 200000
#define PSCI_SYSTEM_OFF 0x84000008

loop:   ldr     x1, [x21, #64]
        add     x1, x1, #1
        str     x1, [x21, #64]
        subs    x19, x19, #1
        b.ne    loop
        msr     daifset, #2
        ldr     x0, =PSCI_SYSTEM_OFF
        hvc     #0

/* The interrupt ends with its cause and need not be acknowledged. */
        .balign 4096
vectors:
        .skip   0x280
        mov     x3, #1
        msr     pmevcntr0_el0, x22
        msr     pmovsclr_el0, x3
        eret

/*
 * An access to a device that is not the last of its block is executed again in a block of its own,
 * of which plugins are told twice. Here it is the only instruction of a page.
 */
        .macro  to_device value, address:vararg
        b       1f
        .balign 4096
        .skip   4092
1:      str     \value, \address
        .endm

        .global _start
_start: adr     x0, vectors
        msr     vbar_el1, x0
        ldr     x0, =GICD
        ldr     x20, =GICC
        mov     w1, #(1 << INTID_PMU)
        mov     w2, #1
        mov     w3, #0xff
        to_device w1, [x0, #0x100]      // GICD_ISENABLER0
        to_device w2, [x0]              // GICD_CTLR
        to_device w3, [x20, #4]         // GICC_PMR
        to_device w2, [x20]             // GICC_CTLR
        ldr     x21, =PARAMETER
        ldr     w0, [x21]
        ldr     w22, [x21, #4]
        neg     w22, w22
        msr     pmevtyper0_el0, x0
        msr     pmevcntr0_el0, x22
        mov     x0, #1
        msr     pmintenset_el1, x0
        msr     pmcr_el0, x0
        ldr     x19, =ITERATIONS
        isb
        msr     pmcntenset_el0, x0
        isb
        msr     daifclr, #2
        b       loop
