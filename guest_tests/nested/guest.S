/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code of a vCPU of kvmloop: rounds of one kind of exit, each of which begins at EL0. The MMU
 * is off. kvmloop copies this to the beginning of the guest's memory and sets
 *     x19 the number of rounds, at least 1
 *     x20 an address where nothing is: a store there exits to kvmloop
 *     x21 another one, a store to which says that the rounds are over
 *     x22 the code of the kind of exit, at its address in the guest's memory
 *
 * The number in brackets at the right counts the instructions up to there. An instruction that is
 * trapped and that the host executes, such as a store to where nothing is, is not executed by the
 * guest; HVC and SVC are. So with N rounds there are
 *     at EL0: 3 * N - 1
 *     at EL1: 8 + (4 + the kind's own) * N
 * which kvmloop.c has as well.
 */
    .arch armv8-a

    .equ PSCI_VERSION, 0x84000000
    .equ CPACR_FPEN, 3 << 20
    .equ VECTOR_SYNC_EL0, 0x400
    .equ SPSR_EL1H_MASKED, 0x3c5

    .section .rodata
    .globl guest_begin, guest_end, guest_hvc, guest_mmio, guest_sysreg, guest_fp, guest_levels
    .balign 2048
guest_begin:
    adr x0, vectors
    msr vbar_el1, x0
    adr x0, user
    msr elr_el1, x0
    msr spsr_el1, xzr
    mov x0, #CPACR_FPEN
    msr cpacr_el1, x0
    isb
    eret                                /* [EL1: 9] */

user:
    add x2, x2, #1
    svc #0                              /* [EL0: 3 * round - 1] */
    b user

guest_hvc:                              /* 3 of its own */
    mov x0, #PSCI_VERSION
    hvc #0
    b next

guest_sysreg:                           /* 1 of its own: KVM answers reads of ID registers */
    mrs x0, id_aa64isar0_el1
    b next

/* The floating-point registers belong to the host again after each exit to user space. */
guest_fp:                               /* 1 of its own */
    fmov d0, xzr
guest_mmio:                             /* none of its own */
    str w0, [x20]
next:
    subs x19, x19, #1
    b.eq finish
    eret                                /* 4 with the vector's; 3 in the last round */
finish:
    str w0, [x21]

    .balign 2048
vectors:
    .skip VECTOR_SYNC_EL0
    br x22

/*
 * A hypervisor, at EL2 of KVM's nested virtualization, and its guest at EL1, which calls it in each
 * round. KVM executes the write of VBAR_EL2 and each ERET of EL2. With N rounds there are
 *     in the hypervisor: 9 + 2 * N
 *     in its guest: 3 * N - 1
 */
guest_levels:
    adr x0, levels_vectors
    msr vbar_el2, x0
    mov x0, #1 << 31                    /* HCR_EL2.RW */
    movk x0, #1 << 2, lsl #32           /* HCR_EL2.E2H */
    msr hcr_el2, x0
    adr x0, inner
    msr elr_el2, x0
    mov x0, #SPSR_EL1H_MASKED
    msr spsr_el2, x0
    isb                                 /* [9] */
    eret

inner:
    add x2, x2, #1
    hvc #0                              /* [3 * round - 1] */
    b inner

    .balign 2048
levels_vectors:
    .skip VECTOR_SYNC_EL0
    subs x19, x19, #1
    b.eq finish                         /* [9 + 2 * round] */
    eret
    .balign 2048
guest_end:
