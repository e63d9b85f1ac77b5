/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Branch prediction: directions and targets. */
#include "model_internal.h"

#define COUNTER_START 1
#define BETWEEN_WORDS 0x100u

void vpmu_predictors_init_(struct vpmu_model *m)
{
    for (size_t i = 0; i < VPMU_BRANCH_SPACES; i++) {
        m->predictors[i] = (struct vpmu_predictor_){0};
    }
    m->predictor = &m->predictors[0];
    m->predictor_uses = 0;
}

static void start_cold(struct vpmu_predictor_ *p, uint64_t owner)
{
    *p = (struct vpmu_predictor_){.owner = owner};
    for (size_t i = 0; i < VPMU_COUNTERS_; i++) {
        p->counters[i] = COUNTER_START;
    }
}

/* The space's own predictor, or the one not used for the longest time, which starts anew. */
static struct vpmu_predictor_ *change_predictor(struct vpmu_model *m, uint64_t owner)
{
    struct vpmu_predictor_ *p = &m->predictors[0];

    for (size_t i = 0; i < VPMU_BRANCH_SPACES && p->owner != owner; i++) {
        struct vpmu_predictor_ *other = &m->predictors[i];

        p = other->owner == owner || other->used < p->used ? other : p;
    }
    if (p->owner != owner) {
        start_cold(p, owner);
    }
    p->used = ++m->predictor_uses;
    m->predictor = p;
    return p;
}

/* The predictor of the address space that a branch is in. */
static struct vpmu_predictor_ *predictor_of(struct vpmu_model *m, uint64_t pc)
{
    uint64_t owner = ((uint64_t)vpmu_space_(m, pc) << 1 | vpmu_half_(pc)) + 1;

    return m->predictor->owner == owner ? m->predictor : change_predictor(m, owner);
}

/* What tables are looked up by. T32 has instructions between words too; they go elsewhere. */
static uint32_t hash_of(uint64_t pc)
{
    return (uint32_t)(pc >> 2) ^ (pc & 2 ? BETWEEN_WORDS : 0);
}

static void remember(struct vpmu_predictor_ *p, bool taken)
{
    p->history[1] = p->history[1] << 1 | p->history[0] >> 63;
    p->history[0] = p->history[0] << 1 | taken;
}

/* Predicts the direction and learns how it went. True if it was mispredicted. */
static bool conditional(struct vpmu_predictor_ *p, unsigned branch_model, uint64_t pc,
                        uint64_t target, bool taken)
{
    uint32_t hash = hash_of(pc);
    bool prediction;

    switch (branch_model) {
    case VPMU_BRANCH_TAGE:
        prediction = vpmu_tage_predict_(p, hash, taken);
        break;
    case VPMU_BRANCH_GSHARE:
        prediction = vpmu_counter_predict_(p, hash ^ (uint32_t)p->history[0], taken);
        break;
    case VPMU_BRANCH_BIMODAL:
        prediction = vpmu_counter_predict_(p, hash, taken);
        break;
    default:
        prediction = target <= pc;
        break;
    }
    remember(p, taken);
    return prediction != taken;
}

/* An indirect branch goes where it went the last time. True if not. */
static bool indirect(struct vpmu_predictor_ *p, uint64_t pc, uint64_t target)
{
    struct vpmu_btb_entry_ *e = &p->btb[hash_of(pc) % VPMU_BTB_ENTRIES_];
    struct vpmu_btb_entry_ now = {.tag = pc | 1, .target = target};
    bool missed = e->tag != now.tag || e->target != target;

    *e = now;
    return missed;
}

static void push(struct vpmu_predictor_ *p, uint64_t next)
{
    p->returns[p->returns_top] = next;
    p->returns_top = (p->returns_top + 1) % VPMU_RETURNS_;
    if (p->returns_count < VPMU_RETURNS_) {
        p->returns_count++;
    }
}

/* A return goes behind the latest call that has not returned yet. True if not. */
static bool pop(struct vpmu_predictor_ *p, uint64_t target)
{
    if (!p->returns_count) {
        return true;
    }
    p->returns_count--;
    p->returns_top = (p->returns_top - 1) % VPMU_RETURNS_;
    return p->returns[p->returns_top] != target;
}

static bool mispredicts(struct vpmu_predictor_ *p, unsigned branch_model, uint64_t pc,
                        uint64_t target, enum vpmu_branch_kind kind, bool taken)
{
    switch (kind) {
    case VPMU_BRANCH_CONDITIONAL:
        return conditional(p, branch_model, pc, target, taken);
    case VPMU_BRANCH_INDIRECT_CALL:
    case VPMU_BRANCH_INDIRECT:
        return taken && indirect(p, pc, target);
    case VPMU_BRANCH_RETURN:
        return taken && pop(p, target);
    default:
        return false;
    }
}

bool vpmu_model_branch(struct vpmu_model *m, unsigned ctx, uint64_t pc, uint64_t target,
                       uint64_t next, enum vpmu_branch_kind kind, bool taken)
{
    bool is_call = kind == VPMU_BRANCH_CALL || kind == VPMU_BRANCH_INDIRECT_CALL;
    struct vpmu_predictor_ *p = predictor_of(m, pc);
    bool mispredicted = mispredicts(p, m->config.branch, pc, target, kind, taken);

    if (is_call && taken) {
        push(p, next);
    }
    if (mispredicted) {
        vpmu_tally_(m, VPMU_SRC_BR_MIS_PRED, ctx, 1);
        vpmu_stall_(m, VPMU_SRC_STALL_FRONTEND, ctx, m->config.penalty_branch);
    }
    return mispredicted;
}
