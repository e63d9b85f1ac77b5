/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hypervisor/layout.h"

    .text
/*
 * The counting loop. x19 and x20 are the iterations at EL1 and EL0. x21 is where to continue after
 * EL0, at one of guest_exit_*. x22 is SPSR_EL0. The host changes them while the guest is out.
 *
 * EL1 has 13 instructions from one exit to the next, and 2 for each iteration: b, mov, adr, 2 msr,
 * mov, eret; b of the vectors, mrs, lsr, cmp, b.ne, br. A hvc is one more; an instruction that
 * traps has not been executed. EL0 has svc, and 2 for each iteration.
 */
    .globl guest_loop_entry, guest_exit_hvc, guest_exit_sysreg, guest_exit_wfi
guest_exit_hvc:
    hvc #0
guest_loop_entry:
    b guest_loop
guest_exit_sysreg:
    mrs x0, id_aa64pfr0_el1
    b guest_loop
guest_exit_wfi:
    wfi
    b guest_loop

guest_loop:
    mov x0, x19
1:  subs x0, x0, #1
    b.ne 1b
    adr x1, 2f
    msr elr_el1, x1
    msr spsr_el1, x22
    mov x0, x20
    eret
2:  subs x0, x0, #1
    b.ne 2b
    svc #0

    .globl guest_user_return
guest_user_return:
    mrs x1, esr_el1
    lsr x1, x1, #ESR_EC_SHIFT
    cmp x1, #EC_SVC
    b.ne 3f
    br x21
3:  b vectors_el1 + 0x400

/*
 * A guest with a PMU: x0 is its struct guest_job. It programs its counters and exits. Then it
 * enables them for the loop. The msr that enables them is not counted, and the one that disables
 * them is, because an access is counted before it takes effect.
 */
    .globl guest_program
guest_program:
    mov x24, x0
    bl job_set_up
    mov x23, x0
    hvc #0
    msr pmcntenset_el0, x23
    b guest_loop

    .globl guest_finish
guest_finish:
    msr pmcntenclr_el0, x23
    mov x0, x24
    bl job_read
    hvc #0
    b .

/* void guest_leave(void) */
    .globl guest_leave
guest_leave:
    hvc #0
    ret

/*
 * void guest_touch(void *): accesses the PMU for ever, 5 times at EL1 and then at EL0. All accesses
 * trap.
 */
    .globl guest_touch
guest_touch:
    mrs x0, pmcr_el0
    msr pmcntenset_el0, x0
    mrs x0, pmxevtyper_el0
    mrs x0, pmintenset_el1
    mrs x0, pmccntr_el0
    adr x1, 1f
    msr elr_el1, x1
    mov x1, #SPSR_EL0
    msr spsr_el1, x1
    eret
1:  mrs x0, pmcr_el0
    mrs x0, pmccntr_el0
    msr pmselr_el0, x0
    msr pmswinc_el0, x0
    mrs x0, pmxevcntr_el0
    b 1b
