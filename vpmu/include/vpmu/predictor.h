/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_PREDICTOR_H
#define VPMU_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

/*
 * The branch predictor of one address space. Its layout is public so that generated code can do
 * what the functions here do instead of calling vpmu_model_branch(). The functions change only the
 * predictor. They take constant time, except vpmu_predictor_tage() once in 262,144 branches.
 */

#define VPMU_PREDICTOR_COUNTERS 8192u
#define VPMU_PREDICTOR_TARGETS 512u
#define VPMU_PREDICTOR_RETURNS 16u

/* Two-bit counters predict "taken" from 2 up. */
#define VPMU_PREDICTOR_TAKEN 2u
#define VPMU_PREDICTOR_MAX 3u

/* T32 branches can lie between words. Their numbers differ in this bit. */
#define VPMU_PREDICTOR_BETWEEN 0x100u

/* An empty slot of the return stack; no instruction has this address. */
#define VPMU_NO_RETURN UINT64_MAX

/**
 * struct vpmu_predictor_target - where an indirect branch went
 * @tag: the address of the branch with bit 0 set; 0 if the entry is empty.
 * @target: the address that it went to.
 */
struct vpmu_predictor_target {
    uint64_t tag;
    uint64_t target;
};

/**
 * struct vpmu_predictor - the predictor of one address space
 * @history: outcomes of conditional branches, the latest in bit 0. TAGE and gshare use it.
 * @returns_top: the index of the slot for the next return address.
 * @returns: a ring of return addresses.
 * @targets: targets of indirect branches, indexed by vpmu_predictor_number().
 * @counters: 0 to VPMU_PREDICTOR_MAX. gshare indexes them by number and history, the others by
 *     number.
 */
struct vpmu_predictor {
    uint64_t history;
    uint64_t returns_top;
    uint64_t returns[VPMU_PREDICTOR_RETURNS];
    struct vpmu_predictor_target targets[VPMU_PREDICTOR_TARGETS];
    uint8_t counters[VPMU_PREDICTOR_COUNTERS];
};

/**
 * vpmu_predictor_number() - the number of a branch, whose low bits index the tables
 * @pc: the address of the branch. Bit 0 is ignored.
 *
 * Return: the number, any value.
 */
static inline uint64_t vpmu_predictor_number(uint64_t pc)
{
    return pc >> 2 ^ (pc & 2 ? VPMU_PREDICTOR_BETWEEN : 0);
}

/**
 * vpmu_predictor_count() - predict a direction by a two-bit counter, and update the counter
 * @p: the predictor.
 * @index: the counter, modulo VPMU_PREDICTOR_COUNTERS.
 * @taken: the actual direction.
 *
 * Return: the predicted direction.
 */
static inline bool vpmu_predictor_count(struct vpmu_predictor *p, uint64_t index, bool taken)
{
    uint8_t *counter = &p->counters[index % VPMU_PREDICTOR_COUNTERS];
    uint8_t now = *counter;

    if (taken) {
        *counter = (uint8_t)(now < VPMU_PREDICTOR_MAX ? now + 1 : now);
    } else {
        *counter = (uint8_t)(now > 0 ? now - 1 : now);
    }
    return now >= VPMU_PREDICTOR_TAKEN;
}

/**
 * vpmu_predictor_gshare() - predict a direction with gshare, and update counter and history
 * @p: the predictor.
 * @pc: the address of the branch.
 * @taken: the actual direction.
 *
 * Return: the predicted direction.
 */
static inline bool vpmu_predictor_gshare(struct vpmu_predictor *p, uint64_t pc, bool taken)
{
    bool prediction = vpmu_predictor_count(p, vpmu_predictor_number(pc) ^ p->history, taken);

    p->history = p->history << 1 | taken;
    return prediction;
}

/**
 * vpmu_predictor_tage() - predict a direction with TAGE, and update the tables and the history
 * @p: the predictor. It must belong to a model, because the model has further tables behind it.
 * @number: vpmu_predictor_number() of the branch.
 * @taken: the actual direction.
 *
 * Return: the predicted direction.
 */
bool vpmu_predictor_tage(struct vpmu_predictor *p, uint64_t number, bool taken);

/**
 * vpmu_predictor_call() - a call was executed: push its return address
 * @p: the predictor.
 * @next: the address of the instruction after the call.
 *
 * If the return stack is full, the oldest address is lost.
 */
static inline void vpmu_predictor_call(struct vpmu_predictor *p, uint64_t next)
{
    p->returns[p->returns_top] = next;
    p->returns_top = (p->returns_top + 1) % VPMU_PREDICTOR_RETURNS;
}

/**
 * vpmu_predictor_return() - predict the target of a return: pop the latest return address
 * @p: the predictor.
 *
 * Return: the predicted target; VPMU_NO_RETURN if the stack is empty.
 */
static inline uint64_t vpmu_predictor_return(struct vpmu_predictor *p)
{
    uint64_t next;

    p->returns_top = (p->returns_top - 1) % VPMU_PREDICTOR_RETURNS;
    next = p->returns[p->returns_top];
    p->returns[p->returns_top] = VPMU_NO_RETURN;
    return next;
}

/**
 * vpmu_predictor_indirect() - predict that an indirect branch goes where it last went, and store
 *     where it goes
 * @p: the predictor.
 * @pc: the address of the branch. Bit 0 is ignored.
 * @target: the actual target.
 *
 * Return: true if the prediction was correct.
 */
static inline bool vpmu_predictor_indirect(struct vpmu_predictor *p, uint64_t pc, uint64_t target)
{
    struct vpmu_predictor_target *e =
        &p->targets[vpmu_predictor_number(pc) % VPMU_PREDICTOR_TARGETS];
    bool known = e->tag == (pc | 1) && e->target == target;

    e->tag = pc | 1;
    e->target = target;
    return known;
}

VPMU_DECLS_END

#endif
