/* SPDX-License-Identifier: GPL-2.0-or-later */

/* Entered at the beginning, in Supervisor or Hyp mode, wherever the board loads a kernel. */
	.arch armv7-a
	.arch_extension virt
	.section .text.start, "ax"
	.arm
	.globl _start
_start:
	mrs	r0, cpsr
	and	r1, r0, #0x1f
	cmp	r1, #0x1a			@ Hyp
	bne	1f
	mov	r1, #0xd3			@ Supervisor, all masked
	msr	spsr_cxsf, r1
	adr	r1, 1f
	msr	elr_hyp, r1
	eret
1:	cps	#0x12				@ IRQ
	ldr	r1, 4f
3:	add	sp, pc, r1
	cps	#0x13				@ Supervisor
	ldr	r1, 5f
6:	add	sp, pc, r1
	bl	run
2:	wfi
	b	2b
4:	.word	irq_stack_end - (3b + 8)
5:	.word	stack_end - (6b + 8)

	.globl vectors
	.balign 32
vectors:
	.rept 6
	b	.
	.endr
	b	interrupt
	b	.

interrupt:
	sub	lr, lr, #4
	push	{r0-r4, r12, lr}
	mov	r4, sp
	bic	sp, sp, #7
	bl	on_interrupt
	mov	sp, r4
	ldm	sp!, {r0-r4, r12, pc}^

	.bss
	.balign 16
	.skip	4096
irq_stack_end:
	.skip	8192
stack_end:
