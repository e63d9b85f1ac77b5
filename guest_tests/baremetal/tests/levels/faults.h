/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_FAULTS_H
#define TESTS_FAULTS_H

#include <stdint.h>

#include "registers/sysreg.h"
#include "runtime/level.h"

/*
 * The arguments of a body: an address to use, and for fast_map the descriptor that makes it valid.
 */
struct fault_arg {
    uint64_t address;
    uint64_t *descriptor;
    uint64_t value;
};

/* A handler at EL1 in assembly, and its instructions from the vector to its ERET, both included. */
struct fast_handler {
    const char *code;
    unsigned instructions;
};

extern const char fast_vectors[];
extern const struct fast_handler fast_skip, fast_eret, fast_map, fast_unaligned, fast_fpen,
    fast_resume, fast_debug;

/* Directs the synchronous exceptions that EL1 takes to one of these, until levels_reset(). */
static inline void use_fast_handler(const struct fast_handler *handler)
{
    write_sysreg(tpidr_el1, (uintptr_t)handler->code);
    write_sysreg(vbar_el1, (uintptr_t)fast_vectors);
    isb();
}

/* Tests of this image that are in faults_debug.c. */
void test_breakpoint(void);
void test_watchpoint(void);
void test_single_step(void);

/*
 * Bodies, in faults_asm.S. The argument is a struct fault_arg. The result is the increase of
 * PMEVCNTR0_EL0, as for the loops in loops.h.
 */
uint64_t body_load(uint64_t arg);
uint64_t body_store(uint64_t arg);
uint64_t body_post_index(uint64_t arg);
uint64_t body_load_pair(uint64_t arg);
uint64_t body_store_pair(uint64_t arg);
uint64_t body_exclusive(uint64_t arg);
uint64_t body_zero(uint64_t arg);
uint64_t body_undefined(uint64_t arg);
uint64_t body_breakpoint(uint64_t arg);
uint64_t body_svc(uint64_t arg);
uint64_t body_hvc(uint64_t arg);
uint64_t body_smc(uint64_t arg);
uint64_t body_suspend(uint64_t arg);
uint64_t body_wfi(uint64_t arg);
uint64_t body_wfe(uint64_t arg);
uint64_t body_wfit(uint64_t arg);
uint64_t body_fp(uint64_t arg);
uint64_t body_translate(uint64_t arg);
uint64_t body_mrs_pmcr(uint64_t arg);
uint64_t body_msr_pmcr(uint64_t arg);
uint64_t body_mrs_id(uint64_t arg);
uint64_t body_call(uint64_t arg);
uint64_t body_jump(uint64_t arg);
uint64_t body_set(uint64_t arg);
uint64_t body_block(uint64_t arg);
extern const char body_block_middle[];

/*
 * Code that is copied: the function that body_call calls, and bodies that write to their own
 * location.
 */
extern const char callee_code[], callee_code_end[];
extern const char mixed_page_code[], mixed_page_code_end[];
extern const char self_modifying_code[], self_modifying_code_end[];

#endif
