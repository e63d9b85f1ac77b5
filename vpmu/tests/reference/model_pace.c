/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Thresholds, one cycle after the other: PMUCountValue() and ReservedPMUThreshold() (Arm ARM
 * J1.3.1) as written there, PMUCycle() (J1.1.1) cycle by cycle.
 */
#include <stdlib.h>

#include "model.h"

static bool has_source(const struct model *m, unsigned idx, unsigned source)
{
    return (model_sources(m, idx) >> source & 1) != 0;
}

static unsigned field(const struct model *m, unsigned idx, unsigned first, unsigned bits)
{
    return (unsigned)(m->type[idx] >> first & ((1u << bits) - 1));
}

static bool reserved(unsigned tc, bool te, unsigned tlc)
{
    return (te && (tc & 3) == 0) || tlc == 3 || (te && tlc == 1) ||
           (!te && (tc & 1) == 1 && tlc == 2);
}

/* Tells whether the function of the counter's own PMEVTYPER is used. */
static bool has_function(const struct model *m, unsigned idx)
{
    unsigned tc = field(m, idx, 61, 3), th = field(m, idx, 32, 12), tlc = field(m, idx, 54, 2);
    bool te = field(m, idx, 60, 1) == 1;

    return !(tc == 0 && th == 0 && !te && tlc == 0) && !reserved(tc, te, tlc);
}

bool model_is_paced(const struct model *m, unsigned idx)
{
    if (m->config.threshold_width == 0 || idx >= m->config.counters) {
        return false;
    }
    if (idx % 2 == 0 && idx + 1 < m->config.counters && field(m, idx + 1, 54, 2) != 0 &&
        has_function(m, idx + 1)) {
        return true;
    }
    return has_function(m, idx);
}

uint64_t model_paced_here(const struct model *m)
{
    unsigned counters = m->config.threshold_width != 0 ? m->config.counters : 0;
    uint64_t paced = 0;

    for (unsigned idx = 0; idx < counters; idx++) {
        if (model_is_paced(m, idx) && model_counts(m, idx)) {
            paced |= 1ull << idx;
        }
    }
    return paced;
}

void model_look(struct model *m)
{
    for (unsigned idx = 0; idx < m->config.counters; idx++) {
        if (m->cp[idx] && !model_counts(m, idx)) {
            m->cp[idx] = false;
        }
    }
}

/* PMUCountValue() */
static uint64_t count_value(struct model *m, unsigned n, uint64_t vb, uint64_t vm)
{
    const unsigned tc = field(m, n, 61, 3), th = field(m, n, 32, 12), tlc = field(m, n, 54, 2);
    const bool te = field(m, n, 60, 1) == 1;
    const bool cp = m->cp[n];
    const bool conditions[] = {vb != th, vb == th, vb >= th, vb < th};
    const bool ct = conditions[tc >> 1];

    if (!has_function(m, n)) {
        return vb;
    }
    m->cp[n] = ct;
    if (te) {
        bool ce = (tc & 3) == 2 ? cp != ct : !cp && ct;

        return !ce ? 0 : tlc == 2 ? vm : 1;
    }
    switch ((tc & 1) << 2 | tlc) {
    case 0:
        return ct ? vb : 0;
    case 1:
        return ct ? vb : vm;
    case 2:
        return ct ? vm : 0;
    case 4:
        return ct ? 1 : 0;
    case 5:
        return ct ? 1 : vm;
    default:
        abort();
    }
}

/* Ends a cycle of the counters in @ending. */
static void end_cycle(struct model *m, uint64_t counters, uint64_t ending, uint64_t chained)
{
    for (unsigned idx = 0; idx < m->config.counters; idx++) {
        uint64_t v;

        if ((ending >> idx & 1) == 0) {
            continue;
        }
        m->vb[idx] += has_source(m, idx, VPMU_SRC_CPU_CYCLES) ? 1 : 0;
        v = count_value(m, idx, m->vb[idx], m->vm[idx]);
        m->vb[idx] = 0;
        m->vm[idx] = 0;
        for (uint64_t i = 0; i < v; i++) {
            model_count_once(m, 1ull << idx, chained);
        }
        if (idx % 2 == 0 && (counters >> idx & 2) != 0) {
            m->vm[idx + 1] += v;
        }
    }
}

/* An operation takes a slot. Each counter has its own first cycle. */
static void take_slot(struct model *m, uint64_t counters, uint64_t chained)
{
    uint64_t ending = 0;

    for (unsigned idx = 0; idx < m->config.counters; idx++) {
        if ((counters >> idx & 1) != 0) {
            m->units_held[idx] = (m->units_held[idx] + 1) % m->config.cycle_units;
            ending |= m->units_held[idx] == 0 ? 1ull << idx : 0;
        }
    }
    end_cycle(m, counters, ending, chained);
}

static void happen(struct model *m, uint64_t counters, unsigned source, uint64_t n)
{
    for (unsigned idx = 0; idx < m->config.counters; idx++) {
        if ((counters >> idx & 1) != 0 && has_source(m, idx, source)) {
            m->vb[idx] += n;
        }
    }
}

/*
 * A cycle in which nothing is sent. The cycle that a counter has begun with a slot of an operation
 * goes on after it: nothing of it belongs to this one.
 */
static void stall(struct model *m, uint64_t counters, uint64_t chained, const unsigned sources[2],
                  uint64_t slots)
{
    const struct model before = *m;

    for (unsigned idx = 0; idx < m->config.counters; idx++) {
        m->vb[idx] = before.units_held[idx] != 0 ? 0 : m->vb[idx];
        m->vm[idx] = before.units_held[idx] != 0 ? 0 : m->vm[idx];
    }
    happen(m, counters, sources[0], 1);
    happen(m, counters, sources[1], slots);
    end_cycle(m, counters, counters, chained);
    for (unsigned idx = 0; idx < m->config.counters; idx++) {
        if (before.units_held[idx] != 0) {
            m->vb[idx] += before.vb[idx];
            m->vm[idx] += before.vm[idx];
        }
    }
}

/* The stalled cycles of one end of the pipeline. */
static void stall_often(struct model *m, uint64_t counters, uint64_t chained,
                        const unsigned sources[2], uint64_t cycles, uint64_t slots)
{
    const unsigned width = m->config.cycle_units;

    for (; cycles > 0; cycles--) {
        stall(m, counters, chained, sources, slots >= width ? width : 0);
        slots -= slots >= width ? width : 0;
    }
}

/*
 * First operations, then whole cycles of stalls: the frontend's, then the backend's. What is more
 * than that, or only a part of a cycle, is counted like any other event.
 */
void model_pass(struct model *m, uint64_t counters, uint64_t chained,
                const struct model_passed *passed)
{
    static const unsigned frontend[] = {VPMU_SRC_STALL_FRONTEND, VPMU_SRC_STALL_SLOT_FRONTEND};
    static const unsigned backend[] = {VPMU_SRC_STALL_BACKEND, VPMU_SRC_STALL_SLOT_BACKEND};
    const unsigned width = m->config.cycle_units;
    struct model_passed left = *passed;

    if (counters == 0) {
        return;
    }
    for (; (left.frontend + left.backend) * width > left.units && left.backend > 0;
         left.backend--) {
        happen(m, counters, VPMU_SRC_STALL_BACKEND, 1);
    }
    for (; left.frontend * width > left.units; left.frontend--) {
        happen(m, counters, VPMU_SRC_STALL_FRONTEND, 1);
    }
    while (left.frontend_slots > left.frontend * width || left.frontend_slots % width != 0) {
        happen(m, counters, VPMU_SRC_STALL_SLOT_FRONTEND, 1);
        left.frontend_slots--;
    }
    while (left.backend_slots > left.backend * width || left.backend_slots % width != 0) {
        happen(m, counters, VPMU_SRC_STALL_SLOT_BACKEND, 1);
        left.backend_slots--;
    }
    for (; left.units > (left.frontend + left.backend) * width; left.units--) {
        take_slot(m, counters, chained);
    }
    stall_often(m, counters, chained, frontend, left.frontend, left.frontend_slots);
    stall_often(m, counters, chained, backend, left.backend, left.backend_slots);
}
