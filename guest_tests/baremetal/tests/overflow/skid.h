/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_SKID_H
#define TESTS_SKID_H

#include <stdint.h>

/*
 * A loop of SKID_LENGTH different instructions, SKID_ITERATIONS times. It writes its argument to
 * PMEVCNTR0_EL0 and continues at skid_first. Instruction p from there (1 is the first) therefore
 * overflows a counter of INST_RETIRED that was set to -p.
 */
#define SKID_LENGTH 16u
#define SKID_ITERATIONS 3u

uint64_t skid_loop(uint64_t start);
extern const char skid_first[];

/*
 * A loop with a system call: 4 instructions (nop, svc, subs, b.ne), SKID_ITERATIONS times, after a
 * write to PMEVCNTR0_EL0. x1 counts down.
 */
#define SKID_SVC_LENGTH 4u

uint64_t skid_svc(uint64_t start);
extern const char skid_svc_first[];

/* The loop of skid_loop after three values were written to PMEVCNTR0, 1 and 2, in this order. */
uint64_t skid_several(uint64_t values);

/* Where the interrupt that instruction p causes is taken: at the instruction executed after it. */
static inline uint64_t skid_return_address(unsigned p)
{
    unsigned next = p == SKID_LENGTH * SKID_ITERATIONS ? SKID_LENGTH : p % SKID_LENGTH;

    return (uintptr_t)skid_first + UINT64_C(4) * next;
}

#endif
