/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Branch prediction: directions and targets. */
#include "model_internal.h"

#define COUNTER_START 1

void vpmu_predictors_init_(struct vpmu_model *m)
{
    for (size_t i = 0; i < VPMU_BRANCH_SPACES; i++) {
        m->predictors[i] = (struct vpmu_predictor_){0};
    }
    m->head.predictor[0] = NULL;
    m->head.predictor[1] = NULL;
    m->spaces_left = 0;
}

static uint64_t owner_of(const struct vpmu_model *m, unsigned half)
{
    return ((uint64_t)m->space[half] << 1 | half) + 1;
}

void vpmu_predictors_move_(struct vpmu_model *m, unsigned half)
{
    uint64_t owner = owner_of(m, half);

    if (m->head.predictor[half]) {
        vpmu_predictor_whole_(m->head.predictor[half])->left = ++m->spaces_left;
    }
    m->head.predictor[half] = NULL;
    for (size_t i = 0; i < VPMU_BRANCH_SPACES; i++) {
        if (m->predictors[i].owner == owner) {
            m->head.predictor[half] = &m->predictors[i].front;
        }
    }
}

static void start_cold(struct vpmu_predictor_ *p, uint64_t owner)
{
    *p = (struct vpmu_predictor_){.owner = owner};
    for (size_t i = 0; i < VPMU_PREDICTOR_COUNTERS; i++) {
        p->front.counters[i] = COUNTER_START;
    }
    for (size_t i = 0; i < VPMU_PREDICTOR_RETURNS; i++) {
        p->front.returns[i] = VPMU_NO_RETURN;
    }
}

/*
 * A space that executes its first branch takes the predictor that has not been current for the
 * longest time.
 */
static struct vpmu_predictor *take_predictor(struct vpmu_model *m, unsigned half)
{
    struct vpmu_predictor *other = m->head.predictor[!half];
    struct vpmu_predictor_ *oldest = NULL;

    for (size_t i = 0; i < VPMU_BRANCH_SPACES; i++) {
        struct vpmu_predictor_ *p = &m->predictors[i];

        if (&p->front != other && (!oldest || p->left < oldest->left)) {
            oldest = p;
        }
    }
    start_cold(oldest, owner_of(m, half));
    m->head.predictor[half] = &oldest->front;
    return &oldest->front;
}

/* The predictor of the address space of a branch. */
static struct vpmu_predictor *predictor_of(struct vpmu_model *m, uint64_t pc)
{
    struct vpmu_predictor *p = m->head.predictor[vpmu_half_(pc)];

    return p ? p : take_predictor(m, vpmu_half_(pc));
}

/*
 * Predicts the direction of a conditional branch and updates the predictor. Returns true on a
 * misprediction.
 */
static bool conditional(struct vpmu_model *m, uint64_t pc, uint64_t target, bool taken)
{
    switch (m->config.branch) {
    case VPMU_BRANCH_TAGE:
        return vpmu_predictor_tage(predictor_of(m, pc), vpmu_predictor_number(pc), taken) != taken;
    case VPMU_BRANCH_GSHARE:
        return vpmu_predictor_gshare(predictor_of(m, pc), pc, taken) != taken;
    case VPMU_BRANCH_BIMODAL:
        return vpmu_predictor_count(predictor_of(m, pc), vpmu_predictor_number(pc), taken) != taken;
    default:
        return (target <= pc) != taken;
    }
}

/* Predicts the target of a branch that is always taken. Returns true on a misprediction. */
static bool elsewhere(struct vpmu_model *m, uint64_t pc, uint64_t target,
                      enum vpmu_branch_kind kind)
{
    switch (kind) {
    case VPMU_BRANCH_INDIRECT_CALL:
    case VPMU_BRANCH_INDIRECT:
        return !vpmu_predictor_indirect(predictor_of(m, pc), pc, target);
    case VPMU_BRANCH_RETURN:
        return vpmu_predictor_return(predictor_of(m, pc)) != target;
    default:
        return false;
    }
}

void vpmu_model_mispredicted(struct vpmu_model *m, unsigned ctx)
{
    unsigned cycles = m->config.penalty_branch;
    unsigned backend = m->config.branch_backend < cycles ? m->config.branch_backend : cycles;
    uint64_t *row = vpmu_row_(m, ctx);

    row[VPMU_SRC_BR_MIS_PRED]++;
    vpmu_stall_(m, row, VPMU_SRC_STALL_FRONTEND, cycles - backend);
    vpmu_stall_(m, row, VPMU_SRC_STALL_BACKEND, backend);
}

bool vpmu_model_branch(struct vpmu_model *m, unsigned ctx, uint64_t pc, uint64_t target,
                       uint64_t next, enum vpmu_branch_kind kind, bool taken)
{
    bool mispredicted;

    if (kind == VPMU_BRANCH_CONDITIONAL) {
        mispredicted = conditional(m, pc, target, taken);
    } else {
        mispredicted = taken && elsewhere(m, pc, target, kind);
    }
    if (taken && (kind == VPMU_BRANCH_CALL || kind == VPMU_BRANCH_INDIRECT_CALL)) {
        vpmu_predictor_call(predictor_of(m, pc), next);
    }
    if (mispredicted) {
        vpmu_model_mispredicted(m, ctx);
    }
    return mispredicted;
}
