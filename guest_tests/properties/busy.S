/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * busy: 4 CPUs at EL1 execute the same round for ever, with two exceptions in each. Counter 0
 * counts instructions from the first round on. Its value follows from x19, x22, x2 and PC: see
 * "executed" in reading. PARAMETER, which -device loader sets, is the length of a round.
 *
 * x2 is the remaining iterations of the inner loop, x19 the rounds begun, x20 an address, x21 an
 * address that is not mapped, x22 the next exception, x26 this CPU's number, x27 the value of
 * PARAMETER.
 */
#define PARAMETER 0x47000000
#define UNMAPPED 0x1000
#define CPUS 4
#define PSCI_CPU_ON_64 0xc4000003
/* Pages of 4 KiB, 39 bits, cacheable tables, no TTBR1_EL1 (Arm ARM D24.2, TCR_EL1). */
#define TCR 0x803519
/* SCTLR_EL1.M, C and I. */
#define SCTLR_ON 0x1005
/* Arm ARM D24.2: EC of an SVC in AArch64 state. */
#define EC_SVC64 0x15

        .global _start
_start: mov     x26, #0
        adr     x23, others
next:   add     x24, x26, #1
        cmp     x24, #CPUS
        b.hs    first
        ldr     x0, =PSCI_CPU_ON_64
        mov     x1, x24
        mov     x2, x23
        mov     x3, x24
        mov     x26, x24
        hvc     #0
        b       next
first:  mov     x26, #0
        b       begin
others: mov     x26, x0

begin:  adr     x0, vectors
        msr     vbar_el1, x0
        mov     x0, #0xff               // attribute 0: cacheable
        msr     mair_el1, x0
        ldr     x0, =TCR
        msr     tcr_el1, x0
        adr     x0, table
        msr     ttbr0_el1, x0
        isb
        mrs     x0, sctlr_el1
        ldr     x1, =SCTLR_ON
        orr     x0, x0, x1
        msr     sctlr_el1, x0
        isb
        ldr     x20, =PARAMETER
        ldr     x27, [x20]
        add     x20, x20, #64
        add     x20, x20, x26, lsl #8
        mov     x21, #UNMAPPED
        mov     x19, #0
        mov     x0, #0x8                // INST_RETIRED
        msr     pmevtyper0_el0, x0
        msr     pmevcntr0_el0, xzr
        mov     x0, #0x21               // BR_RETIRED, 256 before its overflow
        mov     x1, #0xffffff00
        msr     pmevtyper1_el0, x0
        msr     pmevcntr1_el0, x1
        mov     x0, #1
        msr     pmcr_el0, x0
        mov     x0, #3
        isb
        msr     pmcntenset_el0, x0

        b       round                   // 1

        .balign 4096
round:  add     x19, x19, #1
        ldr     x1, [x20]
        str     x1, [x20]
        mov     x22, #0
        ldr     x1, [x21]               // faults, does not count, and is skipped
        add     x1, x1, #1
        mov     x22, #1
        svc     #0
        mov     x2, x27
1:      subs    x2, x2, #1
        b.hi    1b
        b       round

        .balign 4096
table:  .quad   0, 0x40000701           // 1 GiB each: nothing; memory, shared, attribute 0
        .skip   4080

        .balign 4096
vectors:
        .skip   0x200
handler:
        mrs     x3, esr_el1
        lsr     x3, x3, #26
        cmp     x3, #EC_SVC64
        b.eq    2f
        mrs     x3, elr_el1
        add     x3, x3, #4
        msr     elr_el1, x3
2:      eret
