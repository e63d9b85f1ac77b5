/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * TAGE, after Seznec and Michaud, "A case for (partially) TAgged GEometric history length branch
 * prediction", JILP 8, 2006. The table with the longest history that contains the branch predicts
 * it; if none contains it, a two-bit counter does.
 */
#include "model_internal.h"

/* Odd factors that hash a branch number and its history over 64 bits. */
#define SPREAD 0x9e3779b97f4a7c15ull
#define SPREAD_HISTORY 0xc2b2ae3d27d4eb4full

/* The positions of the index and the tag in the hash. */
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

/* The history that each table uses: the last 5, 14, 32 and 64 outcomes. */
static const uint64_t known[VPMU_TAGE_TABLES_] = {0x1f, 0x3fff, 0xffffffff, UINT64_MAX};

/* The lookup of one branch in the tables. */
struct lookup {
    uint64_t number; /* the branch number, hashed */
    uint64_t history;
    struct vpmu_tage_entry_ *provider; /* the entry with the longest history, or NULL */
    struct vpmu_tage_entry_ *other;    /* the entry with the next shorter history, or NULL */
};

/* The hash for a table: (number + outcomes * SPREAD_HISTORY) * SPREAD. */
static inline uint64_t spread_of(const struct lookup *l, unsigned t)
{
    return l->number + (l->history & known[t]) * (SPREAD_HISTORY * SPREAD);
}

static inline struct vpmu_tage_entry_ *entry_of(struct vpmu_tage_ *tage, unsigned t,
                                                uint64_t spread)
{
    return &tage->tables[t][spread >> INDEX_SHIFT];
}

static inline uint16_t tag_of(uint64_t spread)
{
    return (uint16_t)((spread >> TAG_SHIFT) % TAG_USED | TAG_USED);
}

static inline void look_up(struct vpmu_tage_ *tage, struct lookup *l)
{
#pragma GCC unroll 4
    for (unsigned t = 0; t < VPMU_TAGE_TABLES_; t++) {
        uint64_t spread = spread_of(l, t);
        struct vpmu_tage_entry_ *e = entry_of(tage, t, spread);
        bool knows = e->tag == tag_of(spread);

        l->other = knows ? l->provider : l->other;
        l->provider = knows ? e : l->provider;
    }
}

/* A weak counter that was never useful: the entry was probably allocated recently. */
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

/* Increments or decrements @n within 0 to @max. */
static uint8_t moved(uint8_t n, bool up, uint8_t max)
{
    if (up) {
        return (uint8_t)(n < max ? n + 1 : max);
    }
    return (uint8_t)(n > 0 ? n - 1 : 0);
}

/*
 * Predicts with the provider and updates it. @alternate is the prediction without it. Returns the
 * prediction.
 */
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

/*
 * After a misprediction, allocates the branch in a table with a longer history that has a free
 * entry.
 */
static __attribute__((noinline)) void allocate(struct vpmu_tage_ *tage, const struct lookup *l,
                                               bool taken)
{
    unsigned first = 0;

    for (unsigned t = 0; t < VPMU_TAGE_TABLES_; t++) {
        if (entry_of(tage, t, spread_of(l, t)) == l->provider) {
            first = t + 1;
        }
    }
    for (unsigned t = first; t < VPMU_TAGE_TABLES_; t++) {
        uint64_t spread = spread_of(l, t);
        struct vpmu_tage_entry_ *e = entry_of(tage, t, spread);

        if (e->useful == 0) {
            *e = (struct vpmu_tage_entry_){
                .tag = tag_of(spread),
                .counter = (int8_t)(taken ? 0 : -1),
            };
            return;
        }
    }
    for (unsigned t = first; t < VPMU_TAGE_TABLES_; t++) {
        entry_of(tage, t, spread_of(l, t))->useful--;
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

/* Predicts with the tables. Returns the prediction. */
static inline bool ask_tables(struct vpmu_predictor_ *p, const struct lookup *l, uint64_t number,
                              bool taken)
{
    uint8_t counter = p->front.counters[number % VPMU_PREDICTOR_COUNTERS];
    bool alternate = l->other ? l->other->counter >= 0 : counter >= VPMU_PREDICTOR_TAKEN;

    return consult(&p->tage, l->provider, alternate, taken);
}

bool vpmu_predictor_tage(struct vpmu_predictor *front, uint64_t number, bool taken)
{
    struct vpmu_predictor_ *p = vpmu_predictor_whole_(front);
    struct lookup l = {.number = number * SPREAD, .history = front->history};
    bool prediction;

    look_up(&p->tage, &l);
    prediction =
        l.provider ? ask_tables(p, &l, number, taken) : vpmu_predictor_count(front, number, taken);
    if (prediction != taken) {
        allocate(&p->tage, &l, taken);
    }
    if (++p->tage.age == HALVING_PERIOD) {
        grow_older(&p->tage);
    }
    front->history = front->history << 1 | taken;
    return prediction;
}
