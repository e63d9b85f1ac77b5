/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_MODELS_H
#define TESTS_MODELS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/level.h"

/*
 * The argument of code in models_asm.S. It counts from a write to PMCNTENSET_EL0 to one to
 * PMCNTENCLR.
 */
struct model_arg {
    uint64_t address;
    uint64_t iterations;
    uint64_t mask;
    uint64_t stride;
    struct model_flags *flags;
};

/* By these, CPUs wait for each other. Each is in a line of its own. */
struct model_flags {
    uint32_t ready __attribute__((aligned(64)));
    uint32_t done __attribute__((aligned(64)));
};

/* Each iteration has one load, or store, of 8 bytes. */
uint64_t model_load(uint64_t arg);
uint64_t model_store(uint64_t arg);
uint64_t model_add(uint64_t arg);

/* Loads, sets flags.ready, and waits until flags.done is set. */
uint64_t model_load_and_wait(uint64_t arg);

/* At EL1: loads from two pages, before and after a TLBI of the first page or of all. */
uint64_t model_tlbi_page(uint64_t arg);
uint64_t model_tlbi_all(uint64_t arg);

/*
 * Each iteration stores, and maintains the line; or at EL1 empties a cache. Of the last ones each
 * maintains L1I.
 */
uint64_t model_dc_civac(uint64_t arg);
uint64_t model_dc_cvac(uint64_t arg);
uint64_t model_dc_cvau(uint64_t arg);
uint64_t model_dc_cvap(uint64_t arg);
uint64_t model_dc_ivac(uint64_t arg);
uint64_t model_dc_cisw(uint64_t arg);
uint64_t model_dc_isw(uint64_t arg);
uint64_t model_nop(uint64_t arg);
uint64_t model_ic_ivau(uint64_t arg);
uint64_t model_ic_iallu(uint64_t arg);

/* At EL1: the same loop in this address space and in another; the stride is its TTBR0_EL1. */
uint64_t model_two_spaces(uint64_t arg);

/*
 * Lines of code, or pages with one line of code each, that only branch to the next; see
 * models_asm.S.
 */
uint64_t model_chain_long(uint64_t arg);
uint64_t model_chain_short(uint64_t arg);
uint64_t model_chain_pages(uint64_t arg);

#define CHAIN_LONG 1024
#define CHAIN_SHORT 256
#define CHAIN_PAGES 49

/* Branches in each iteration. The loop's own branch is a conditional backward branch. */
uint64_t model_backward(uint64_t arg);
uint64_t model_forward(uint64_t arg);
uint64_t model_not_taken(uint64_t arg);
uint64_t model_alternating(uint64_t arg);
uint64_t model_direct(uint64_t arg);
uint64_t model_indirect_same(uint64_t arg);
uint64_t model_indirect_two(uint64_t arg);
uint64_t model_calls(uint64_t arg);

/* The number of nested calls equals the number of iterations. */
uint64_t model_nested(uint64_t arg);

/* Where the skid tests take an interrupt. */
extern const char model_load_next[], model_store_next[], model_forward_next[];

/* Counts events at EL0 only, where only the code above runs. */
#define MODEL_EVENTS 31u

/**
 * model_count() - prepares counters for events
 * @events: the event numbers for counters from 0 on; 0 ends the list.
 */
void model_count(const uint16_t *events);

/* Runs code at EL0. Counters continue from their present values. */
void model_run(level_fn code, uint64_t address, uint64_t iterations, uint64_t stride);

/* The same for model_load_and_wait(). */
void model_wait(level_fn code, uint64_t address, uint64_t iterations, uint64_t stride,
                struct model_flags *flags);

/* Returns the counter of an event and sets it to 0. */
uint64_t model_take(uint16_t event);

/* Returns memory that no test has used yet. */
uint64_t model_fresh(uint64_t size);

/*
 * Fills all data caches and TLBs with lines that are clean and that no test needs. It reads 4 MB,
 * twice the last-level cache, and as many pages as the L2 TLB holds.
 */
void model_flush(void);

/* Tests of the models image that are in models_maintain.c. */
void test_maintained(void);
void test_maintained_from_el1(void);
void test_emptied(void);
void test_maintained_fetches(void);

/* Tests of the models image that are in models_branch.c. */
void test_static_branches(void);
void test_bimodal_branches(void);
void test_learning_branches(void);
void test_returns(void);
void test_indirect(void);
void test_spaces_of_branches(void);

#endif
