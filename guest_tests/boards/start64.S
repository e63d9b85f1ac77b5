/* SPDX-License-Identifier: GPL-2.0-or-later */

/* Entered at the beginning, at EL1 or above, wherever the board loads a kernel. */
	.section .text.start, "ax"
	.globl _start
_start:
	adr	x0, stack_end
	mov	sp, x0
	bl	run
1:	wfi
	b	1b

	.globl vectors
	.balign 2048
vectors:
	.rept 16
	.balign 128
	b	interrupt
	.endr

/* Only interrupts are expected; anything else comes back here until the runner gives up. */
	.balign 4
interrupt:
	stp	x29, x30, [sp, #-16]!
	.irp reg, 0, 2, 4, 6, 8, 10, 12, 14, 16
	stp	x\reg, x18, [sp, #-16]!
	.endr
	.irp reg, 1, 3, 5, 7, 9, 11, 13, 15, 17
	stp	x\reg, x18, [sp, #-16]!
	.endr
	bl	on_interrupt
	.irp reg, 17, 15, 13, 11, 9, 7, 5, 3, 1
	ldp	x\reg, x18, [sp], #16
	.endr
	.irp reg, 16, 14, 12, 10, 8, 6, 4, 2, 0
	ldp	x\reg, x18, [sp], #16
	.endr
	ldp	x29, x30, [sp], #16
	eret

	.bss
	.balign 16
	.skip	8192
stack_end:
