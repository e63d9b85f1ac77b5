/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * TAGE, after Seznec and Michaud, "A case for (partially) TAgged GEometric history length branch
 * prediction", JILP 8, 2006: the table of the longest history that knows a branch predicts it; if
 * none does, a two-bit counter.
 */
#include "model_internal.h"

#define INDEX_BITS 10
#define TAG_BITS 9
#define TAG_TOO_BITS 8
#define TAG_USED (1u << TAG_BITS)
#define COUNTER_MIN (-4)
#define COUNTER_MAX 3
#define USEFUL_MAX 3
#define DISTRUST_MAX 15
#define DISTRUST_HIGH 8
#define HALVING_PERIOD (1u << 18)

_Static_assert(1u << INDEX_BITS == VPMU_TAGE_ENTRIES_, "the index reaches all entries");

/* Outcomes that each table knows of. */
static const uint8_t lengths[VPMU_TAGE_TABLES_] = {5, 14, 40, 112};

/* One branch in the tables. Table VPMU_TAGE_TABLES_ stands for none. */
struct lookup {
    struct vpmu_tage_entry_ *entry[VPMU_TAGE_TABLES_];
    uint16_t tag[VPMU_TAGE_TABLES_];
    unsigned provider;  /* of the longest history */
    unsigned alternate; /* the next after it */
};

/* The longest table below @limit that knows the branch. */
static unsigned longest_below(const struct lookup *l, unsigned limit)
{
    for (unsigned t = limit; t-- > 0;) {
        if (l->entry[t]->tag == l->tag[t]) {
            return t;
        }
    }
    return VPMU_TAGE_TABLES_;
}

static void look_up(struct vpmu_tage_ *tage, uint32_t hash, struct lookup *l)
{
    for (unsigned t = 0; t < VPMU_TAGE_TABLES_; t++) {
        const struct vpmu_tage_folds_ *f = &tage->folds[t];
        uint32_t index = hash ^ hash >> INDEX_BITS ^ f->index;
        uint32_t tag = hash ^ f->tag ^ f->tag_too << 1;

        l->entry[t] = &tage->tables[t][index % VPMU_TAGE_ENTRIES_];
        l->tag[t] = (uint16_t)(tag % TAG_USED | TAG_USED);
    }
    l->provider = longest_below(l, VPMU_TAGE_TABLES_);
    l->alternate =
        l->provider < VPMU_TAGE_TABLES_ ? longest_below(l, l->provider) : VPMU_TAGE_TABLES_;
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
static void allocate(struct lookup *l, bool taken)
{
    unsigned first = l->provider < VPMU_TAGE_TABLES_ ? l->provider + 1 : 0;

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

static void grow_older(struct vpmu_tage_ *tage)
{
    if (++tage->age < HALVING_PERIOD) {
        return;
    }
    tage->age = 0;
    for (unsigned t = 0; t < VPMU_TAGE_TABLES_; t++) {
        for (unsigned i = 0; i < VPMU_TAGE_ENTRIES_; i++) {
            tage->tables[t][i].useful >>= 1;
        }
    }
}

/* Adds the latest of @length outcomes and takes out the one before them: bit i of the history is
 * bit i % @width. */
static uint32_t fold(uint32_t folded, bool latest, bool last, unsigned length, unsigned width)
{
    folded = folded << 1 | latest;
    folded ^= (uint32_t)last << length % width;
    return (folded ^ folded >> width) & ((1u << width) - 1);
}

/* Adds an outcome to the history, and to what is folded of it. */
static void remember(struct vpmu_predictor_ *p, bool taken)
{
    uint64_t *history = p->front.history;

    for (unsigned t = 0; t < VPMU_TAGE_TABLES_; t++) {
        struct vpmu_tage_folds_ *f = &p->tage.folds[t];
        unsigned end = lengths[t] - 1u;
        bool last = history[end / 64] >> end % 64 & 1;

        f->index = fold(f->index, taken, last, lengths[t], INDEX_BITS);
        f->tag = fold(f->tag, taken, last, lengths[t], TAG_BITS);
        f->tag_too = fold(f->tag_too, taken, last, lengths[t], TAG_TOO_BITS);
    }
    history[1] = history[1] << 1 | history[0] >> 63;
    history[0] = history[0] << 1 | taken;
}

bool vpmu_tage_predict_(struct vpmu_predictor_ *p, uint32_t hash, bool taken)
{
    struct lookup l;
    bool prediction;

    look_up(&p->tage, hash, &l);
    if (l.provider == VPMU_TAGE_TABLES_) {
        prediction = vpmu_predictor_count(&p->front, hash, taken);
    } else {
        bool alternate =
            l.alternate < VPMU_TAGE_TABLES_
                ? l.entry[l.alternate]->counter >= 0
                : p->front.counters[hash % VPMU_PREDICTOR_COUNTERS] >= VPMU_PREDICTOR_TAKEN;

        prediction = consult(&p->tage, l.entry[l.provider], alternate, taken);
    }
    if (prediction != taken) {
        allocate(&l, taken);
    }
    grow_older(&p->tage);
    remember(p, taken);
    return prediction;
}
