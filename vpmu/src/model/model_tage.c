/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * TAGE, after Seznec and Michaud, "A case for (partially) TAgged GEometric history length branch
 * prediction", JILP 8, 2006: the table of the longest history that knows a branch predicts it; if
 * none does, a two-bit counter.
 */
#include "model_internal.h"

/* Odd numbers that spread a branch and its history over all 64 bits. */
#define SPREAD 0x9e3779b97f4a7c15ull
#define SPREAD_HISTORY 0xc2b2ae3d27d4eb4full

/* Where in these bits the index lies, and the tag. */
#define INDEX_SHIFT (64 - 10)
#define TAG_SHIFT 32
#define TAG_BITS 9
#define TAG_USED (1u << TAG_BITS)
#define COUNTER_MIN (-4)
#define COUNTER_MAX 3
#define USEFUL_MAX 3
#define DISTRUST_MAX 15
#define DISTRUST_HIGH 8
#define HALVING_PERIOD (1u << 18)

_Static_assert(UINT64_MAX >> INDEX_SHIFT == VPMU_TAGE_ENTRIES_ - 1, "the index reaches all");

/* The outcomes that each table knows of: 5, 14, 32 and 64. */
static const uint64_t known[VPMU_TAGE_TABLES_] = {0x1f, 0x3fff, 0xffffffff, UINT64_MAX};

/* One branch in the tables. */
struct lookup {
    struct vpmu_tage_entry_ *entry[VPMU_TAGE_TABLES_];
    uint16_t tag[VPMU_TAGE_TABLES_];
    unsigned knowing; /* a mask of the tables that know it */
};

static inline void look_up(struct vpmu_tage_ *tage, uint64_t number, uint64_t history,
                           struct lookup *l)
{
    l->knowing = 0;
#pragma GCC unroll 4
    for (unsigned t = 0; t < VPMU_TAGE_TABLES_; t++) {
        uint64_t spread = (number + (history & known[t]) * SPREAD_HISTORY) * SPREAD;

        l->entry[t] = &tage->tables[t][spread >> INDEX_SHIFT];
        l->tag[t] = (uint16_t)((spread >> TAG_SHIFT) % TAG_USED | TAG_USED);
        l->knowing |= (unsigned)(l->entry[t]->tag == l->tag[t]) << t;
    }
}

/* The table of the longest history in a mask that is not empty. */
static inline unsigned longest(unsigned tables)
{
    return 31 - (unsigned)__builtin_clz(tables);
}

/* Neither sure of itself nor ever of use: probably made just now. */
static bool is_new(const struct vpmu_tage_entry_ *e)
{
    return e->useful == 0 && (e->counter == 0 || e->counter == -1);
}

static void train_entry(struct vpmu_tage_entry_ *e, bool taken)
{
    if (taken && e->counter < COUNTER_MAX) {
        e->counter++;
    } else if (!taken && e->counter > COUNTER_MIN) {
        e->counter--;
    }
}

/* @n one up or down, within 0 to @max. */
static uint8_t moved(uint8_t n, bool up, uint8_t max)
{
    if (up) {
        return (uint8_t)(n < max ? n + 1 : max);
    }
    return (uint8_t)(n > 0 ? n - 1 : 0);
}

/* The provider learns; @alternate is what would be predicted without it. Returns the prediction. */
static bool consult(struct vpmu_tage_ *tage, struct vpmu_tage_entry_ *e, bool alternate, bool taken)
{
    bool own = e->counter >= 0;
    bool distrusted = is_new(e) && tage->distrust >= DISTRUST_HIGH;

    if (own != alternate) {
        if (is_new(e)) {
            tage->distrust = moved(tage->distrust, alternate == taken, DISTRUST_MAX);
        }
        e->useful = moved(e->useful, own == taken, USEFUL_MAX);
    }
    train_entry(e, taken);
    return distrusted ? alternate : own;
}

/* After a misprediction: a table of longer history takes the branch, if one has room. */
static __attribute__((noinline)) void allocate(struct lookup *l, bool taken)
{
    unsigned first = l->knowing ? longest(l->knowing) + 1 : 0;

    for (unsigned t = first; t < VPMU_TAGE_TABLES_; t++) {
        if (l->entry[t]->useful == 0) {
            *l->entry[t] = (struct vpmu_tage_entry_){
                .tag = l->tag[t],
                .counter = (int8_t)(taken ? 0 : -1),
            };
            return;
        }
    }
    for (unsigned t = first; t < VPMU_TAGE_TABLES_; t++) {
        l->entry[t]->useful--;
    }
}

static __attribute__((noinline)) void grow_older(struct vpmu_tage_ *tage)
{
    tage->age = 0;
    for (unsigned t = 0; t < VPMU_TAGE_TABLES_; t++) {
        for (unsigned i = 0; i < VPMU_TAGE_ENTRIES_; i++) {
            tage->tables[t][i].useful >>= 1;
        }
    }
}

/* The table of the longest history predicts; returns what. */
static inline bool ask_tables(struct vpmu_predictor_ *p, const struct lookup *l, uint64_t number,
                              bool taken)
{
    unsigned provider = longest(l->knowing);
    unsigned others = l->knowing ^ 1u << provider;
    bool alternate;

    if (others) {
        alternate = l->entry[longest(others)]->counter >= 0;
    } else {
        alternate = p->front.counters[number % VPMU_PREDICTOR_COUNTERS] >= VPMU_PREDICTOR_TAKEN;
    }
    return consult(&p->tage, l->entry[provider], alternate, taken);
}

bool vpmu_tage_predict_(struct vpmu_predictor_ *p, uint64_t number, bool taken)
{
    struct lookup l;
    bool prediction;

    look_up(&p->tage, number, p->front.history, &l);
    prediction = l.knowing ? ask_tables(p, &l, number, taken)
                           : vpmu_predictor_count(&p->front, number, taken);
    if (prediction != taken) {
        allocate(&l, taken);
    }
    if (++p->tage.age == HALVING_PERIOD) {
        grow_older(&p->tage);
    }
    p->front.history = p->front.history << 1 | taken;
    return prediction;
}
