/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Thresholds, one cycle after the other: PMUCountValue() and ReservedPMUThreshold() (Arm ARM
 * J1.3.1) as written there, PMUCycle() (J1.1.1) slot by slot.
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

/* Passes a slot of the counter's cycle. Returns true if it was the last. */
static bool slot_ends_cycle(struct model *m, unsigned idx)
{
    m->units_held[idx] = (m->units_held[idx] + 1) % m->config.cycle_units;
    return m->units_held[idx] == 0;
}

static void end_slot(struct model *m, uint64_t counters, uint64_t chained)
{
    for (unsigned idx = 0; idx < m->config.counters; idx++) {
        uint64_t v, link;

        if ((counters >> idx & 1) == 0 || !slot_ends_cycle(m, idx)) {
            continue;
        }
        m->vb[idx] += has_source(m, idx, VPMU_SRC_CPU_CYCLES) ? 1 : 0;
        v = count_value(m, idx, m->vb[idx], m->vm[idx]);
        m->vb[idx] = 0;
        m->vm[idx] = 0;
        link = idx % 2 == 0 && (counters >> idx & 2) != 0 ? 1 : 0;
        for (uint64_t i = 0; i < v; i++) {
            model_count_once(m, 1ull << idx, chained);
        }
        if (link != 0) {
            m->vm[idx + 1] += v;
        }
    }
}

static void happen(struct model *m, uint64_t counters, unsigned source)
{
    for (unsigned idx = 0; idx < m->config.counters; idx++) {
        if ((counters >> idx & 1) != 0 && has_source(m, idx, source)) {
            m->vb[idx]++;
        }
    }
}

static void take_slot(struct model *m, uint64_t counters, unsigned source, uint64_t *left)
{
    if (*left > 0) {
        happen(m, counters, source);
        (*left)--;
    }
}

/*
 * The last slots are those of stalls: first the frontend's, then the backend's, whole cycles of
 * each.
 */
void model_pass(struct model *m, uint64_t counters, uint64_t chained,
                const struct model_passed *passed)
{
    const unsigned width = m->config.cycle_units;
    struct model_passed left = *passed;
    uint64_t stalls = passed->frontend + passed->backend;

    if (counters == 0) {
        return;
    }
    while (stalls * width > passed->units) {
        /*
         * There are more stalls than cycles. The remaining ones are counted like any other event.
         */
        unsigned source = left.backend > 0 ? VPMU_SRC_STALL_BACKEND : VPMU_SRC_STALL_FRONTEND;

        happen(m, counters, source);
        left.backend -= source == VPMU_SRC_STALL_BACKEND ? 1 : 0;
        left.frontend -= source == VPMU_SRC_STALL_FRONTEND ? 1 : 0;
        stalls--;
    }
    for (; left.frontend_slots > left.frontend * width; left.frontend_slots--) {
        happen(m, counters, VPMU_SRC_STALL_SLOT_FRONTEND);
    }
    for (; left.backend_slots > left.backend * width; left.backend_slots--) {
        happen(m, counters, VPMU_SRC_STALL_SLOT_BACKEND);
    }
    for (uint64_t i = 0; i < passed->units - stalls * width; i++) {
        end_slot(m, counters, chained);
    }
    for (uint64_t cycle = 0; cycle < stalls; cycle++) {
        for (unsigned slot = 0; slot < width; slot++) {
            if (cycle < left.frontend) {
                take_slot(m, counters, VPMU_SRC_STALL_SLOT_FRONTEND, &left.frontend_slots);
            } else {
                take_slot(m, counters, VPMU_SRC_STALL_SLOT_BACKEND, &left.backend_slots);
            }
            if (slot == width - 1) {
                happen(m, counters,
                       cycle < left.frontend ? VPMU_SRC_STALL_FRONTEND : VPMU_SRC_STALL_BACKEND);
            }
            end_slot(m, counters, chained);
        }
    }
}
