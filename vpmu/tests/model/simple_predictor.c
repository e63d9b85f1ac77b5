/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Branch prediction, implemented in the simplest way. */
#include "simple_model.h"

#include <string.h>

static const int lengths[SIMPLE_TABLES] = {5, 14, 32, 64};

void simple_branches_init(struct simple_branches *b)
{
    memset(b, 0, sizeof(*b));
    for (int i = 0; i < 8192; i++) {
        b->counters[i] = 1;
    }
}

/* Increments or decrements within a range. */
static int step(int n, bool up, int low, int high)
{
    n += up ? 1 : -1;
    return n < low ? low : n > high ? high : n;
}

static unsigned long number_of(uint64_t pc)
{
    unsigned long word = pc / 4;

    return pc % 4 >= 2 ? word ^ 256 : word;
}

/* The last @length outcomes, the latest in bit 0. */
static uint64_t last(const struct simple_branches *b, int length)
{
    uint64_t outcomes = 0;

    for (int i = 0; i < length; i++) {
        outcomes += (uint64_t)b->history[i] << i;
    }
    return outcomes;
}

static bool by_counter(struct simple_branches *b, unsigned long index, bool taken)
{
    int *counter = &b->counters[index % 8192];
    bool predicted = *counter >= 2;

    *counter = step(*counter, taken, 0, 3);
    return predicted;
}

static bool by_gshare(struct simple_branches *b, uint64_t pc, bool taken)
{
    return by_counter(b, number_of(pc) ^ last(b, 13), taken);
}

/* The entry of a branch in each table, and its tag. */
struct places {
    struct simple_tagged *entry[SIMPLE_TABLES];
    unsigned tag[SIMPLE_TABLES];
};

static void find_places(struct simple_branches *b, uint64_t pc, struct places *p)
{
    unsigned long n = number_of(pc);

    for (int t = 0; t < SIMPLE_TABLES; t++) {
        uint64_t spread = (n + last(b, lengths[t]) * 0xc2b2ae3d27d4eb4f) * 0x9e3779b97f4a7c15;

        p->entry[t] = &b->tagged[t][spread >> 54];
        p->tag[t] = (unsigned)((spread >> 32) % 512);
    }
}

/* The table below @limit with the longest history that has the branch; -1 if none. */
static int find_table(const struct places *p, int limit)
{
    for (int t = limit - 1; t >= 0; t--) {
        if (p->entry[t]->present && p->entry[t]->tag == p->tag[t]) {
            return t;
        }
    }
    return -1;
}

static void take_place(struct places *p, int after, bool taken)
{
    for (int t = after + 1; t < SIMPLE_TABLES; t++) {
        if (p->entry[t]->useful == 0) {
            *p->entry[t] = (struct simple_tagged){true, p->tag[t], taken ? 0 : -1, 0};
            return;
        }
    }
    for (int t = after + 1; t < SIMPLE_TABLES; t++) {
        p->entry[t]->useful--;
    }
}

/* Predicts with one table and updates it. @otherwise is the prediction of the others. */
static bool by_table(struct simple_branches *b, struct simple_tagged *e, bool otherwise, bool taken)
{
    bool predicted = e->counter >= 0;
    bool fresh = e->useful == 0 && e->counter >= -1 && e->counter <= 0;
    bool final = fresh && b->distrust >= 8 ? otherwise : predicted;

    if (fresh && predicted != otherwise) {
        b->distrust = step(b->distrust, otherwise == taken, 0, 15);
    }
    if (predicted != otherwise) {
        e->useful = step(e->useful, predicted == taken, 0, 3);
    }
    e->counter = step(e->counter, taken, -4, 3);
    return final;
}

static void halve_all(struct simple_branches *b)
{
    for (int t = 0; t < SIMPLE_TABLES; t++) {
        for (int i = 0; i < 1024; i++) {
            b->tagged[t][i].useful /= 2;
        }
    }
}

static bool by_tage(struct simple_branches *b, uint64_t pc, bool taken)
{
    struct places p;
    int table;
    bool predicted;

    find_places(b, pc, &p);
    table = find_table(&p, SIMPLE_TABLES);
    if (table < 0) {
        predicted = by_counter(b, number_of(pc), taken);
    } else {
        int next = find_table(&p, table);
        bool otherwise =
            next < 0 ? b->counters[number_of(pc) % 8192] >= 2 : p.entry[next]->counter >= 0;

        predicted = by_table(b, p.entry[table], otherwise, taken);
    }
    if (predicted != taken) {
        take_place(&p, table, taken);
    }
    if (++b->branches % (1ul << 18) == 0) {
        halve_all(b);
    }
    return predicted;
}

static bool direction(struct simple_branches *b, unsigned model, uint64_t pc, bool taken)
{
    bool predicted;

    if (model == VPMU_BRANCH_TAGE) {
        predicted = by_tage(b, pc, taken);
    } else if (model == VPMU_BRANCH_GSHARE) {
        predicted = by_gshare(b, pc, taken);
    } else {
        predicted = by_counter(b, number_of(pc), taken);
    }
    memmove(&b->history[1], &b->history[0], SIMPLE_HISTORY - 1);
    b->history[0] = taken;
    return predicted != taken;
}

static bool jump(struct simple_branches *b, uint64_t pc, uint64_t target)
{
    struct simple_jump *j = &b->jumps[number_of(pc) % 512];
    bool right = j->present && j->pc / 2 == pc / 2 && j->target == target;

    *j = (struct simple_jump){true, pc, target};
    return !right;
}

static void call(struct simple_branches *b, uint64_t next)
{
    if (b->returns_count == 16) {
        memmove(&b->returns[0], &b->returns[1], 15 * sizeof(b->returns[0]));
        b->returns_count--;
    }
    b->returns[b->returns_count++] = next;
}

bool simple_mispredicts(struct simple_branches *b, unsigned model, uint64_t pc, uint64_t target,
                        uint64_t next, enum vpmu_branch_kind kind, bool taken)
{
    bool missed = false;

    if (kind == VPMU_BRANCH_CONDITIONAL) {
        return direction(b, model, pc, taken);
    }
    if (!taken) {
        return false;
    }
    if (kind == VPMU_BRANCH_INDIRECT || kind == VPMU_BRANCH_INDIRECT_CALL) {
        missed = jump(b, pc, target);
    }
    if (kind == VPMU_BRANCH_RETURN) {
        missed = b->returns_count == 0 || b->returns[--b->returns_count] != target;
    }
    if (kind == VPMU_BRANCH_CALL || kind == VPMU_BRANCH_INDIRECT_CALL) {
        call(b, next);
    }
    return missed;
}
