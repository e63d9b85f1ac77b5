/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loops for 32-bit Arm, A32 instructions. r0 is the number of turns, r1 the memory. Numbers in
 * brackets count the instructions of a turn.
 */
#include "../guest.h"
#include "loop.h"

__asm__(".arm\n");

LOOP(loop_add, "1:  add r2, r2, #1\n"
               "    add r2, r2, #1\n"
               "    add r2, r2, #1\n"
               "    add r2, r2, #1\n"
               "    add r2, r2, #1\n"
               "    add r2, r2, #1\n"
               "    add r2, r2, #1\n"
               "    add r2, r2, #1\n" /* [8] */
               "    subs r0, r0, #1\n"
               "    bne 1b\n" /* [10] */
               "    bx lr\n");

LOOP(loop_memory, "1:  ldr r2, [r1]\n"
                  "    ldr r3, [r1, #8]\n"
                  "    ldr r12, [r1, #16]\n"
                  "    str r2, [r1, #24]\n"
                  "    str r3, [r1, #32]\n" /* [5] */
                  "    subs r0, r0, #1\n"
                  "    bne 1b\n" /* [7] */
                  "    bx lr\n");

__asm__(".globl loop_calls_begin, loop_calls_end\n");

LOOP(loop_calls, "loop_calls_begin:\n"
                 "    mov r3, lr\n"
                 "    adr r2, 3f\n"
                 "loop_calls_first:\n"
                 "loop_calls_call:\n"
                 "    bl loop_calls_leaf\n" /* [1], and the leaf's BX LR [2] */
                 "loop_calls_back:\n"
                 "    cmp r0, #0\n" /* [3] */
                 "    beq 2f\n"     /* [4]: not taken */
                 "loop_calls_jump:\n"
                 "    b 2f\n" /* [5] */
                 "    nop\n"
                 "loop_calls_second:\n"
                 "2:  bx r2\n" /* [6] */
                 "    nop\n"
                 "loop_calls_third:\n"
                 "3:  subs r0, r0, #1\n" /* [7] */
                 "loop_calls_again:\n"
                 "    bne loop_calls_first\n" /* [8] */
                 "    bx r3\n"
                 "loop_calls_leaf:\n"
                 "    bx lr\n"
                 "loop_calls_end:\n");

LOOP(loop_chase, "1:  ldr r1, [r1]\n"
                 "    subs r0, r0, #1\n"
                 "    bne 1b\n" /* [3] */
                 "    bx lr\n");

LOOP(loop_store, "1:  str r0, [r1], #64\n"
                 "    subs r0, r0, #1\n"
                 "    bne 1b\n" /* [3] */
                 "    bx lr\n");

/* The highest bit of a linear congruential generator decides. */
LOOP(loop_random, "    ldr r2, =1664525\n"
                  "    ldr r3, =1013904223\n"
                  "    mov r12, r3\n"
                  "1:  mla r12, r12, r2, r3\n"
                  "    tst r12, #0x80000000\n"
                  "    bne 2f\n"
                  "    nop\n"
                  "2:  subs r0, r0, #1\n"
                  "    bne 1b\n"
                  "    bx lr\n"
                  "    .ltorg\n");

LOOP(loop_code, "    mov r3, lr\n"
                "1:  ldr r2, [r1], #4\n"
                "    blx r2\n" /* [2], and the function's BX LR [3] */
                "    subs r0, r0, #1\n"
                "    bne 1b\n" /* [5] */
                "    bx r3\n");

LOOP(loop_syscall, "    push {r4, r7}\n"
                   "    mov r4, r0\n"
                   "1:  mov r7, #64\n"
                   "    svc #0\n"
                   "    subs r4, r4, #1\n"
                   "    bne 1b\n" /* [4] */
                   "    pop {r4, r7}\n"
                   "    bx lr\n");

/*
 * calls: BL, BX LR, CMP, BEQ, B, BX, SUBS, BNE. code: LDR, BLX, BX LR, SUBS, BNE. Only LDR and STR
 * access memory: BL keeps the return address in a register.
 */
#define CALLS_INSTRUCTIONS 8
#define STORE_INSTRUCTIONS 3
#define WITH_CALLS(n) (n)
#include "table.h"

const unsigned char return_instruction[] = {0x1e, 0xff, 0x2f, 0xe1};
const size_t return_instruction_size = sizeof(return_instruction);

/* Linux offers no access from user mode here. */
uint64_t user_counter_read(unsigned index)
{
    (void)index;
    return 0;
}

const char interrupts_why[] = "Arm permits inaccuracy near exceptions";
const bool kernels_have_guests;
const uint64_t user_counter_config1;
const bool kernels_let_users_read;

uint64_t cpu_ticks(void)
{
    return 0;
}

void cpu_model(char text[24])
{
    text[0] = '\0';
}

void cpu_signature(char text[13])
{
    text[0] = '\0';
}

/* Since Linux 5.7 these kernels run no guests, so this is instead of guest.c. */
bool guest_make(struct guest *guest)
{
    (void)guest;
    return false;
}

bool guest_run(struct guest *guest, unsigned long turns)
{
    (void)guest;
    (void)turns;
    return false;
}

void guest_end(struct guest *guest)
{
    (void)guest;
}
