/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_MODELS_H
#define TESTS_MODELS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/level.h"

/* What code of models_asm.S gets; it counts from a write to PMCNTENSET_EL0 to one to PMCNTENCLR. */
struct model_arg {
    uint64_t address;
    uint64_t iterations;
    uint64_t mask;
    uint64_t stride;
};

/* One load, or store, of 8 bytes in each iteration. */
uint64_t model_load(uint64_t arg);
uint64_t model_store(uint64_t arg);
uint64_t model_add(uint64_t arg);

/* At EL1: loads from two pages, before and after a TLBI of the first one or of all. */
uint64_t model_tlbi_page(uint64_t arg);
uint64_t model_tlbi_all(uint64_t arg);

/* Lines of code, or pages of which each has one, that only branch to the next; see models_asm.S. */
uint64_t model_chain_long(uint64_t arg);
uint64_t model_chain_short(uint64_t arg);
uint64_t model_chain_pages(uint64_t arg);

#define CHAIN_LONG 1024
#define CHAIN_SHORT 256
#define CHAIN_PAGES 49

/* Branches, in each iteration; the loop's own is a conditional one backward. */
uint64_t model_backward(uint64_t arg);
uint64_t model_forward(uint64_t arg);
uint64_t model_not_taken(uint64_t arg);
uint64_t model_alternating(uint64_t arg);
uint64_t model_direct(uint64_t arg);
uint64_t model_indirect_same(uint64_t arg);
uint64_t model_indirect_two(uint64_t arg);
uint64_t model_calls(uint64_t arg);

/* As many calls in calls as there are iterations. */
uint64_t model_nested(uint64_t arg);

/* For skids: where an interrupt is taken. */
extern const char model_load_next[], model_store_next[], model_forward_next[];

/* Events are counted at EL0 only, where only the code above runs. */
#define MODEL_EVENTS 31u

/**
 * model_count() - prepares counters for events
 * @events: their numbers, for counters from 0 on; ended by 0.
 */
void model_count(const uint16_t *events);

/* Runs code at EL0; counters go on from where they are. */
void model_run(level_fn code, uint64_t address, uint64_t iterations, uint64_t stride);

/* What the counter of an event has, and 0 from then on. */
uint64_t model_take(uint16_t event);

/* Memory that no test has used yet. */
uint64_t model_fresh(uint64_t size);

/*
 * Has all data caches and TLBs hold only lines that are clean and that nobody needs: reads 4 MB,
 * which is twice the last-level cache, and as many pages as the L2 TLB holds.
 */
void model_flush(void);

/* Tests of the models image that are in models_branch.c. */
void test_static_branches(void);
void test_bimodal_branches(void);
void test_learning_branches(void);
void test_returns(void);
void test_indirect(void);

#endif
