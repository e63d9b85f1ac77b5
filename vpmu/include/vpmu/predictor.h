/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_PREDICTOR_H
#define VPMU_PREDICTOR_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What is known of the branches of one address space, laid out for generated code, which may do
 * what the functions here do instead of calling vpmu_model_branch(). None has another effect than
 * on the predictor; all have constant time but that of TAGE, once in 262,144 branches.
 */

#define VPMU_PREDICTOR_COUNTERS 8192u
#define VPMU_PREDICTOR_TARGETS 512u
#define VPMU_PREDICTOR_RETURNS 16u

/* A two-bit counter: taken is predicted from 2 on. */
#define VPMU_PREDICTOR_TAKEN 2u
#define VPMU_PREDICTOR_MAX 3u

/* T32 has branches between words; the numbers of these differ in this bit. */
#define VPMU_PREDICTOR_BETWEEN 0x100u

/* No instruction is there: an empty place of the return stack. */
#define VPMU_NO_RETURN UINT64_MAX

/**
 * struct vpmu_predictor_target - where an indirect branch went
 * @tag: address of the branch with bit 0 set; 0 if there is nothing here.
 * @target: address that it went to.
 */
struct vpmu_predictor_target {
    uint64_t tag;
    uint64_t target;
};

/**
 * struct vpmu_predictor - of one address space
 * @history: outcomes of conditional branches, the latest in bit 0: of TAGE and gshare; of the
 *     others none.
 * @returns_top: index of the place where the next return address goes.
 * @returns: a ring of return addresses.
 * @targets: of indirect branches, by vpmu_predictor_number().
 * @counters: 0 to VPMU_PREDICTOR_MAX; of gshare by number and history, otherwise by number.
 */
struct vpmu_predictor {
    uint64_t history;
    uint64_t returns_top;
    uint64_t returns[VPMU_PREDICTOR_RETURNS];
    struct vpmu_predictor_target targets[VPMU_PREDICTOR_TARGETS];
    uint8_t counters[VPMU_PREDICTOR_COUNTERS];
};

/* The number of the branch at @pc, whose low bits tables are looked up by. */
static inline uint64_t vpmu_predictor_number(uint64_t pc)
{
    return pc >> 2 ^ (pc & 2 ? VPMU_PREDICTOR_BETWEEN : 0);
}

/**
 * vpmu_predictor_count() - a two-bit counter predicts a direction and learns how it went
 * @p: the predictor.
 * @index: which counter, modulo VPMU_PREDICTOR_COUNTERS.
 * @taken: how it went.
 *
 * Return: what was predicted.
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

/* With gshare, the same for the branch at @pc. */
static inline bool vpmu_predictor_gshare(struct vpmu_predictor *p, uint64_t pc, bool taken)
{
    bool prediction = vpmu_predictor_count(p, vpmu_predictor_number(pc) ^ p->history, taken);

    p->history = p->history << 1 | taken;
    return prediction;
}

/**
 * vpmu_predictor_tage() - TAGE predicts a direction and learns how it went
 * @p: the predictor, one of a model's: it has more behind it.
 * @number: vpmu_predictor_number() of the branch.
 * @taken: how it went.
 *
 * Return: what was predicted.
 */
bool vpmu_predictor_tage(struct vpmu_predictor *p, uint64_t number, bool taken);

/* A call: it will return to @next. */
static inline void vpmu_predictor_call(struct vpmu_predictor *p, uint64_t next)
{
    p->returns[p->returns_top] = next;
    p->returns_top = (p->returns_top + 1) % VPMU_PREDICTOR_RETURNS;
}

/* A return goes behind the latest call that has not returned yet. Returns where that is. */
static inline uint64_t vpmu_predictor_return(struct vpmu_predictor *p)
{
    uint64_t next;

    p->returns_top = (p->returns_top - 1) % VPMU_PREDICTOR_RETURNS;
    next = p->returns[p->returns_top];
    p->returns[p->returns_top] = VPMU_NO_RETURN;
    return next;
}

/* An indirect branch goes where it went the last time. Returns whether it does. */
static inline bool vpmu_predictor_indirect(struct vpmu_predictor *p, uint64_t pc, uint64_t target)
{
    struct vpmu_predictor_target *e =
        &p->targets[vpmu_predictor_number(pc) % VPMU_PREDICTOR_TARGETS];
    bool known = e->tag == (pc | 1) && e->target == target;

    *e = (struct vpmu_predictor_target){.tag = pc | 1, .target = target};
    return known;
}

#endif
