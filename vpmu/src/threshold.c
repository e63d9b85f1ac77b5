/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Thresholds, edges and links: counters that look at each cycle by itself. Which cycles there were
 * follows from how far cycles and stalls have moved: a cycle has as many slots as the machine has
 * units of it. What an event counts as in a cycle is VB, what the counter counts V (D13.8).
 */
#include "internal.h"

#define STALL_FRONTEND VPMU_SRC_BIT(VPMU_SRC_STALL_FRONTEND)
#define STALL_BACKEND VPMU_SRC_BIT(VPMU_SRC_STALL_BACKEND)
#define STALL_SLOT VPMU_SRC_BIT(VPMU_SRC_STALL_SLOT)
#define CPU_CYCLES VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES)

#define TC_COUNT 1u
#define TC_EDGES 3u
#define TC_EDGES_BOTH 2u
#define TLC_OTHERWISE 1u /* V[n-1] where the condition is false */
#define TLC_INSTEAD 2u   /* V[n-1] where it is true */

/* A counter's function, from its PMEVTYPER; bits that are not kept are 0 there. */
struct function {
    unsigned tc;
    unsigned tlc;
    bool te;
    uint64_t th;
};

static struct function function_of(uint64_t type)
{
    return (struct function){
        .tc = (unsigned)(type >> VPMU_TYPER_TC_SHIFT),
        .tlc = (unsigned)((type & VPMU_TYPER_TLC) >> VPMU_TYPER_TLC_SHIFT),
        .te = type & VPMU_TYPER_TE,
        .th = type >> VPMU_TYPER_TH_SHIFT & VPMU_TYPER_TH_MASK,
    };
}

/* ReservedPMUThreshold(): the function is then disabled. */
static bool is_reserved(const struct function *f)
{
    if (f->te) {
        return !(f->tc & TC_EDGES) || f->tlc == TLC_OTHERWISE || f->tlc == 3;
    }
    return f->tlc == 3 || (f->tlc == TLC_INSTEAD && (f->tc & TC_COUNT));
}

static bool is_enabled(const struct function *f)
{
    return (f->tc || f->th || f->te || f->tlc) && !is_reserved(f);
}

static bool is_linked(uint64_t type)
{
    struct function f = function_of(type);

    return f.tlc && is_enabled(&f);
}

bool vpmu_paces_(const struct vpmu_config *config, unsigned idx, uint64_t type, uint64_t above)
{
    struct function f = function_of(type);

    if (!config->threshold_width || idx >= config->counters) {
        return false;
    }
    return is_enabled(&f) || (idx % 2 == 0 && idx + 1 < config->counters && is_linked(above));
}

static bool holds(const struct function *f, uint64_t value)
{
    switch (f->tc >> 1) {
    case 0:
        return value != f->th;
    case 1:
        return value == f->th;
    case 2:
        return value >= f->th;
    default:
        return value < f->th;
    }
}

/* The condition was @before in the cycle before this. */
static bool is_edge(const struct function *f, bool before, bool now)
{
    return (f->tc & TC_EDGES) == TC_EDGES_BOTH ? before != now : !before && now;
}

/* PMUCountValue(): what the counter counts for this cycle. */
static uint64_t count_value(struct vpmu_pace *p, const struct function *f)
{
    bool before = p->met;
    uint64_t one = f->te || (f->tc & TC_COUNT) ? 1 : p->value;
    bool counts;

    if (!is_enabled(f)) {
        return p->value;
    }
    p->met = holds(f, p->value);
    counts = f->te ? is_edge(f, before, p->met) : p->met;
    if (f->tlc == TLC_INSTEAD) {
        one = p->link;
    }
    return counts ? one : f->tlc == TLC_OTHERWISE ? p->link : 0;
}

static void end_cycle(struct vpmu *v, unsigned idx)
{
    struct vpmu_pace *p = &v->pace[idx];
    struct function f = function_of(v->counter[idx].type);
    uint64_t counted = count_value(p, &f);

    p->value = 0;
    p->link = 0;
    if (idx % 2 == 0 && (v->paced & v->in_ctx[v->ctx] & VPMU_BIT(idx + 1))) {
        v->pace[idx + 1].link += counted;
    }
    if (counted) {
        vpmu_counter_add_(v, idx, counted);
    }
}

/* One slot of a cycle passes for a counter; @stall is what of a stall falls into it. */
static void pass_slot(struct vpmu *v, unsigned idx, uint64_t stall)
{
    struct vpmu_counter *c = &v->counter[idx];
    struct vpmu_pace *p = &v->pace[idx];

    p->value += p->lasting & stall & STALL_SLOT ? 1 : 0;
    p->value += p->lasting & stall & (STALL_FRONTEND | STALL_BACKEND) ? 1 : 0;
    c->remainder++;
    if (c->remainder == v->config.cycle_units) {
        c->remainder = 0;
        p->value += p->lasting & CPU_CYCLES ? 1 : 0;
        end_cycle(v, idx);
    }
}

/* What has passed since the last time: units of cycles, and how much of them was stalled. */
struct passed {
    uint64_t units;
    uint64_t frontend;
    uint64_t backend;
    uint64_t slots;
};

/* In the order of vpmu.passed. */
static const enum vpmu_source lasting[VPMU_LASTING_COUNT] = {
    VPMU_SRC_CPU_CYCLES,
    VPMU_SRC_STALL_FRONTEND,
    VPMU_SRC_STALL_BACKEND,
    VPMU_SRC_STALL_SLOT,
};

static uint64_t total_in(const struct vpmu *v, enum vpmu_source source, unsigned ctx)
{
    return ctx == VPMU_NOWHERE ? 0 : v->totals->n[source][ctx];
}

static uint64_t passed_of(struct vpmu *v, unsigned i)
{
    uint64_t delta = vpmu_take_(&v->passed[i], total_in(v, lasting[i], v->ctx));

    return v->config.sources & VPMU_SRC_BIT(lasting[i]) ? delta : 0;
}

static struct passed take_passed(struct vpmu *v)
{
    v->insns = v->totals->n[VPMU_SRC_INST_RETIRED][v->ctx];
    return (struct passed){
        .units = passed_of(v, 0),
        .frontend = passed_of(v, 1),
        .backend = passed_of(v, 2),
        .slots = passed_of(v, 3),
    };
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* An event that has just happened once or more: it falls into the cycle that goes on. */
static void happen(struct vpmu *v, uint64_t counters, uint64_t source, uint64_t n)
{
    unsigned idx;

    VPMU_FOR_EACH_BIT (idx, counters) {
        v->pace[idx].value += v->pace[idx].lasting & source ? n : 0;
    }
}

/*
 * First come the slots of instructions, then those of stalls: of the frontend, then of the backend.
 * A cycle of a stall is counted with the last of its slots. Stalls for which no units have passed
 * happen like any other event.
 */
static void pass(struct vpmu *v, uint64_t counters, struct passed now)
{
    unsigned width = v->config.cycle_units;
    uint64_t stalled = least(now.frontend, now.units / width);
    uint64_t frontend = stalled, ops, slot;
    unsigned idx;

    stalled += least(now.backend, now.units / width - stalled);
    ops = now.units - stalled * width;
    happen(v, counters, STALL_FRONTEND, now.frontend - frontend);
    happen(v, counters, STALL_BACKEND, now.backend - (stalled - frontend));
    happen(v, counters, STALL_SLOT, now.slots - least(now.slots, stalled * width));
    for (slot = 1; slot <= now.units; slot++) {
        uint64_t stall = 0;

        if (slot > ops) {
            uint64_t nth = slot - ops;

            stall |= nth <= now.slots ? STALL_SLOT : 0;
            if (nth % width == 0) {
                stall |= nth / width <= frontend ? STALL_FRONTEND : STALL_BACKEND;
            }
        }
        VPMU_FOR_EACH_BIT (idx, counters) {
            pass_slot(v, idx, stall);
        }
    }
}

void vpmu_pace_(struct vpmu *v)
{
    uint64_t here = v->paced & v->in_ctx[v->ctx];
    unsigned idx;

    VPMU_FOR_EACH_BIT (idx, v->paced) {
        v->pace[idx].value += vpmu_take_delta_(v, &v->counter[idx]);
    }
    if (here) {
        pass(v, here, take_passed(v));
    }
}

unsigned vpmu_paced_in_(const struct vpmu *v)
{
    return v->paced & v->in_ctx[v->ctx] ? v->ctx : VPMU_NOWHERE;
}

void vpmu_pace_begin_(struct vpmu *v, unsigned from)
{
    unsigned to = vpmu_paced_in_(v);

    if (!v->paced && from == VPMU_NOWHERE) {
        return;
    }
    v->insns = v->totals->n[VPMU_SRC_INST_RETIRED][v->ctx];
    for (unsigned i = 0; i < VPMU_LASTING_COUNT; i++) {
        vpmu_move_mark_(&v->passed[i], total_in(v, lasting[i], from), total_in(v, lasting[i], to));
    }
    for (unsigned idx = 0; idx < v->config.counters; idx++) {
        if (!(v->in_ctx[v->ctx] & VPMU_BIT(idx))) {
            v->pace[idx].met = false;
        }
    }
}

void vpmu_pace_restart_(struct vpmu *v, unsigned idx)
{
    if (idx < VPMU_CYCLE_COUNTER) {
        v->pace[idx] = (struct vpmu_pace){0};
    }
}

void vpmu_pace_plan_(struct vpmu *v, unsigned idx)
{
    struct vpmu_counter *c = &v->counter[idx];
    struct vpmu_pace *p = &v->pace[idx];
    bool cycles = c->sources & CPU_CYCLES;

    v->paced &= ~VPMU_BIT(idx);
    if (!vpmu_paces_(&v->config, idx, c->type, v->counter[idx + 1].type)) {
        vpmu_pace_restart_(v, idx);
        c->remainder = cycles ? c->remainder : 0;
        return;
    }
    p->lasting = c->sources & (VPMU_PACERS & ~VPMU_SRC_BIT(VPMU_SRC_INST_RETIRED));
    c->sources &= ~p->lasting;
    if (c->ctx_mask) {
        v->paced |= VPMU_BIT(idx);
    }
    if (!(c->ctx_mask >> v->ctx & 1)) {
        p->met = false;
    }
}
