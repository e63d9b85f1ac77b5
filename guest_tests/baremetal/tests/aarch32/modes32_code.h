/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_MODES32_CODE_H
#define TESTS_MODES32_CODE_H

/*
 * The contents of modes32_code.S, by their index in the table at its beginning: vectors for a
 * 32-bit EL1, which return by HVC, and functions that take their arguments in r0 and r1 and return
 * the result in r0.
 */
#define VECTORS32 0
#define COUNTDOWN32 1
/* These change from Supervisor to User mode. */
#define USER_BY_MSR 2
#define USER_BY_MSR_REG 3
#define USER_BY_MSR_T32 4
#define USER_BY_CPS 5
#define USER_BY_CPS_T32 6
#define USER_BY_MOVS 7
#define USER_BY_RFE 8
#define USER_LOOP 9
#define USER_LOOP_T32 10
/* EL2 traps an instruction in a block that continues. */
#define TRAP_MRC 11
#define TRAP_MCR 12
#define TRAP_MRRC 13
#define TRAP_IMPDEF 14
#define TRAP_ID 15
#define TRAP_FP 16
#define TRAP_FP_ID 17
#define TRAP_WFI 18
#define TRAP_SMC 19
#define TRAP_BKPT 20
#define TRAP_DEBUG 21
#define TRAP_MRC_T32 22
#define TRAP_MRC_EQ 23
#define TRAP_MRC_NE 24
#define TRAP_SUSPEND 25
#define MODES32_FUNCTIONS 26

/* What follows the trapped instruction, besides the read of the counter: half of it are loads. */
#define TRAP_TAIL 40

#endif
