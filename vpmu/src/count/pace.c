/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Thresholds, edges and links: counters that are evaluated cycle by cycle. The cycles follow from
 * the totals of cycles and stalls: a cycle has cycle_units slots. In a stalled cycle all of them
 * are lost, so that STALL counts cycles in which no operation is sent (D14.3). Arm ARM D13.8 calls
 * what an event counts in a cycle VB, and what the counter counts V.
 */
#include "pace.h"

/* Instead of a context: no cycles are evaluated. */
#define NOWHERE VPMU_CTX_LIMIT

#define STALLS (VPMU_LASTS_FRONTEND_ | VPMU_LASTS_BACKEND_)
#define SLOTS (VPMU_LASTS_FRONTEND_SLOT_ | VPMU_LASTS_BACKEND_SLOT_)

/* Passes a whole cycle to a counter. @stall is its stall events: a mask of VPMU_LASTS_. */
static uint64_t pass_whole(struct vpmu_count *c, unsigned idx, unsigned stall)
{
    struct vpmu_pace *p = &c->pace[idx];
    unsigned lasting = p->lasting & (stall | VPMU_LASTS_CYCLES_);

    p->value += lasting & VPMU_LASTS_CYCLES_ ? 1 : 0;
    p->value += lasting & STALLS ? 1 : 0;
    p->value += lasting & SLOTS ? c->cycle_units : 0;
    return vpmu_end_cycle_(c, idx);
}

/* Passes the slot of an operation to a counter. */
static uint64_t pass_slot(struct vpmu_count *c, unsigned idx)
{
    struct vpmu_counter *ctr = &c->counter[idx];

    if (++ctr->remainder < c->cycle_units) {
        return 0;
    }
    ctr->remainder = 0;
    return pass_whole(c, idx, 0);
}

/*
 * Passes a whole cycle to some counters. Sets @repeats to whether the same cycle again counts
 * 1 for the counters in @counting, and nothing for the others. Returns as vpmu_advance_().
 */
static uint64_t pass_one(struct vpmu_count *c, uint64_t counters, unsigned stall, bool *repeats,
                         uint64_t *counting)
{
    uint64_t ended = 0;
    unsigned idx;

    *counting = 0;
    VPMU_FOR_EACH_BIT (idx, counters) {
        uint64_t value = c->counter[idx].value;
        bool met = c->pace[idx].met;

        ended |= pass_whole(c, idx, stall);
        value = c->counter[idx].value - value;
        *repeats = *repeats && c->pace[idx].met == met && value <= 1;
        *counting |= value ? VPMU_BIT(idx) : 0;
    }
    *repeats = *repeats && !ended;
    return ended;
}

/*
 * Passes @n whole cycles that are alike. The first may include other events. If the second
 * changes no condition, the others count the same.
 */
static uint64_t pass_alike(struct vpmu_count *c, uint64_t counters, uint64_t n, unsigned stall)
{
    uint64_t ended = 0, counting;
    bool first = true;

    while (n > 0) {
        bool repeats = !first;

        ended |= pass_one(c, counters, stall, &repeats, &counting);
        first = false;
        n--;
        if (repeats && vpmu_advance_all_(c, counting, n)) {
            break;
        }
    }
    return ended;
}

/* What has passed since the last call: units of cycles, and how many of them were stalled. */
struct passed {
    uint64_t units;
    uint64_t frontend;
    uint64_t backend;
    uint64_t backend_slots;
    uint64_t frontend_slots;
};

/* In the order of vpmu.passed. */
static const enum vpmu_source lasting[VPMU_LASTING_COUNT] = {
    VPMU_SRC_CPU_CYCLES,         VPMU_SRC_STALL_FRONTEND,      VPMU_SRC_STALL_BACKEND,
    VPMU_SRC_STALL_SLOT_BACKEND, VPMU_SRC_STALL_SLOT_FRONTEND,
};

static uint64_t total_in(const struct vpmu_count *c, enum vpmu_source source, unsigned ctx)
{
    return ctx == NOWHERE ? 0 : vpmu_row_(c, ctx)[source];
}

static uint64_t passed_of(struct vpmu_count *c, unsigned i)
{
    uint64_t delta = vpmu_take_(&c->passed[i], total_in(c, lasting[i], c->ctx));

    return c->sources & VPMU_SRC_BIT(lasting[i]) ? delta : 0;
}

static struct passed take_passed(struct vpmu_count *c)
{
    c->insns = vpmu_row_(c, c->ctx)[VPMU_SRC_INST_RETIRED];
    return (struct passed){
        .units = passed_of(c, 0),
        .frontend = passed_of(c, 1),
        .backend = passed_of(c, 2),
        .backend_slots = passed_of(c, 3),
        .frontend_slots = passed_of(c, 4),
    };
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Adds @n events that have just happened to the current cycle. */
static void happen(struct vpmu_count *c, uint64_t counters, unsigned source, uint64_t n)
{
    unsigned idx;

    VPMU_FOR_EACH_BIT (idx, counters) {
        c->pace[idx].value += c->pace[idx].lasting & source ? n : 0;
    }
}

/* Passes operations, which take a slot each. */
static uint64_t pass_operations(struct vpmu_count *c, uint64_t counters, uint64_t n)
{
    uint64_t ended = 0;
    unsigned idx;

    if (c->cycle_units == 1) {
        return pass_alike(c, counters, n, 0);
    }
    for (; n > 0; n--) {
        VPMU_FOR_EACH_BIT (idx, counters) {
            ended |= pass_slot(c, idx);
        }
    }
    return ended;
}

/* What has happened in a cycle that has begun. */
struct begun {
    uint64_t value;
    uint64_t link;
};

/* Puts aside the cycles that have begun. Returns a mask of the counters that have one. */
static uint64_t put_aside(struct vpmu_count *c, uint64_t counters, struct begun *begun)
{
    uint64_t aside = 0;
    unsigned idx;

    VPMU_FOR_EACH_BIT (idx, counters) {
        struct vpmu_pace *p = &c->pace[idx];

        if (c->counter[idx].remainder) {
            begun[idx] = (struct begun){p->value, p->link};
            p->value = p->link = 0;
            aside |= VPMU_BIT(idx);
        }
    }
    return aside;
}

/*
 * Passes stalled cycles, in which nothing else happens: a cycle that has begun goes on after them.
 * The slots of @stalls are the number of cycles in which slots are known to be lost.
 */
static uint64_t pass_stalls(struct vpmu_count *c, uint64_t counters, const struct passed *stalls)
{
    struct begun begun[VPMU_PACE_COUNT];
    uint64_t aside = put_aside(c, counters, begun), ended;
    unsigned idx;

    ended = pass_alike(c, counters, stalls->frontend_slots,
                       VPMU_LASTS_FRONTEND_ | VPMU_LASTS_FRONTEND_SLOT_);
    ended |=
        pass_alike(c, counters, stalls->frontend - stalls->frontend_slots, VPMU_LASTS_FRONTEND_);
    ended |= pass_alike(c, counters, stalls->backend_slots,
                        VPMU_LASTS_BACKEND_ | VPMU_LASTS_BACKEND_SLOT_);
    ended |= pass_alike(c, counters, stalls->backend - stalls->backend_slots, VPMU_LASTS_BACKEND_);
    VPMU_FOR_EACH_BIT (idx, aside) {
        c->pace[idx].value += begun[idx].value;
        c->pace[idx].link += begun[idx].link;
    }
    return ended;
}

/*
 * The slots of operations come first, then the stalled cycles of the frontend, then those of the
 * backend. What cannot be whole cycles, as stalls without units, is treated like any other event.
 */
static uint64_t pass(struct vpmu_count *c, uint64_t counters, struct passed now)
{
    unsigned width = c->cycle_units;
    struct passed stalls = {0};
    uint64_t ended;

    stalls.frontend = least(now.frontend, now.units / width);
    stalls.backend = least(now.backend, now.units / width - stalls.frontend);
    stalls.frontend_slots = least(now.frontend_slots / width, stalls.frontend);
    stalls.backend_slots = least(now.backend_slots / width, stalls.backend);
    happen(c, counters, VPMU_LASTS_FRONTEND_, now.frontend - stalls.frontend);
    happen(c, counters, VPMU_LASTS_BACKEND_, now.backend - stalls.backend);
    happen(c, counters, VPMU_LASTS_FRONTEND_SLOT_,
           now.frontend_slots - stalls.frontend_slots * width);
    happen(c, counters, VPMU_LASTS_BACKEND_SLOT_, now.backend_slots - stalls.backend_slots * width);
    ended = pass_operations(c, counters, now.units - (stalls.frontend + stalls.backend) * width);
    return stalls.frontend + stalls.backend ? ended | pass_stalls(c, counters, &stalls) : ended;
}

uint64_t vpmu_pace_go_on_(struct vpmu_count *c)
{
    return pass(c, c->paced & c->in_ctx[c->ctx], take_passed(c));
}

/* Stores the part of each counter's totals in other contexts, for vpmu_count_step_(). */
static void look_elsewhere(struct vpmu_count *c)
{
    unsigned idx;

    VPMU_FOR_EACH_BIT (idx, c->in_ctx[c->ctx]) {
        struct vpmu_counter *ctr = &c->counter[idx];

        ctr->elsewhere = vpmu_total_of_(c, ctr) - vpmu_total_here_(c, ctr);
    }
}

uint64_t vpmu_pace_settle_(struct vpmu_count *c)
{
    unsigned idx;

    c->cycle = VPMU_CYCLE_UNKNOWN_;
    VPMU_FOR_EACH_BIT (idx, c->paced) {
        c->pace[idx].value += vpmu_take_delta_(c, &c->counter[idx]);
    }
    look_elsewhere(c);
    return c->paced & c->in_ctx[c->ctx] ? vpmu_pace_go_on_(c) : 0;
}

void vpmu_pace_happen_(struct vpmu_count *c, uint64_t counters)
{
    unsigned idx;

    c->cycle = VPMU_CYCLE_UNKNOWN_;
    VPMU_FOR_EACH_BIT (idx, counters) {
        c->pace[idx].value++;
    }
}

void vpmu_pace_follow_(struct vpmu_count *c)
{
    unsigned from = c->paced_ctx;
    unsigned to = c->paced & c->in_ctx[c->ctx] ? c->ctx : NOWHERE;
    unsigned idx;

    c->cycle = VPMU_CYCLE_UNKNOWN_;
    c->paced_ctx = (uint8_t)to;
    c->insns = vpmu_row_(c, c->ctx)[VPMU_SRC_INST_RETIRED];
    look_elsewhere(c);
    for (unsigned i = 0; i < VPMU_LASTING_COUNT; i++) {
        vpmu_move_mark_(&c->passed[i], total_in(c, lasting[i], from), total_in(c, lasting[i], to));
    }
    VPMU_FOR_EACH_BIT (idx, vpmu_below_(VPMU_PACE_COUNT) & ~c->in_ctx[c->ctx]) {
        c->pace[idx].met = false;
    }
}

/* Removes the lasting sources from a mask. Returns them, as vpmu_pace.lasting has them. */
static uint8_t take_lasting(vpmu_sources *sources)
{
    uint8_t bits = 0;

    for (unsigned i = 0; i < VPMU_LASTING_COUNT; i++) {
        bits |= (uint8_t)(*sources & VPMU_SRC_BIT(lasting[i]) ? 1u << i : 0);
        *sources &= ~VPMU_SRC_BIT(lasting[i]);
    }
    return bits;
}

void vpmu_pace_assign_(struct vpmu_count *c, unsigned idx,
                       const struct vpmu_assignment_ *assignment)
{
    struct vpmu_counter *ctr = &c->counter[idx];
    struct vpmu_pace *p = &c->pace[idx];

    c->cycle = VPMU_CYCLE_UNKNOWN_;
    c->paced &= ~VPMU_BIT(idx);
    if (!assignment->paced) {
        *p = (struct vpmu_pace){0};
        return;
    }
    p->on = true;
    p->function = assignment->function;
    p->quiet = vpmu_is_quiet_(&p->function);
    p->lasting = take_lasting(&ctr->sources);
    if (ctr->ctx_mask) {
        c->paced |= VPMU_BIT(idx);
    }
    if (!(ctr->ctx_mask >> c->ctx & 1)) {
        p->met = false;
    }
}
