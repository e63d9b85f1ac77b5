/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The events and latencies of a sample, and PMSFCR_EL1's filters. */
#include "../bits.h"
#include "spe_internal.h"

#define MOST_CYCLES 4095u

/*
 * Events of accesses by where they found their data. From FEAT_SPEv1p4 on, those of L1D refills and
 * of L2D are L1D_CACHE_LMISS_RD, L2D_CACHE_RD and L2D_CACHE_LMISS_RD, which no store has.
 */
static uint64_t memory_events(const struct vpmu_spe *s, const struct vpmu_spe_sample *sample,
                              bool loads)
{
    bool two_levels = sample->flags & VPMU_SPE_LAST_LEVEL_L2;
    bool v1p4 = s->config.version >= VPMU_SPE_V1P4;
    uint64_t events = VPMU_SPE_EV_L1D_ACCESS;

    if (sample->memory == VPMU_DATA_UNKNOWN || sample->memory == VPMU_DATA_UNCACHED) {
        return 0;
    }
    if (sample->memory == VPMU_DATA_L1) {
        return events;
    }
    events |= loads || !v1p4 ? VPMU_SPE_EV_L1D_REFILL : 0;
    if (loads && v1p4) {
        events |= VPMU_SPE_EV_L2D_ACCESS;
        events |= sample->memory > VPMU_DATA_L2 ? VPMU_SPE_EV_L2D_MISS : 0;
    }
    if (two_levels || sample->memory > VPMU_DATA_L2) {
        events |= VPMU_SPE_EV_LLC_ACCESS;
        events |= sample->memory == VPMU_DATA_DRAM ? VPMU_SPE_EV_LLC_MISS : 0;
    }
    return events;
}

/* SVE_PRED_NOT_FULL_SPEC and SVE_PRED_EMPTY_SPEC. */
static uint64_t predicate_events(const struct vpmu_spe *s, const struct vpmu_spe_sample *sample)
{
    uint64_t events = 0;

    if (sample->flags & (VPMU_SPE_PARTIAL | VPMU_SPE_EMPTY)) {
        events |= VPMU_SPE_EV_PREDICATE_NOT_FULL;
    }
    if (sample->flags & VPMU_SPE_EMPTY) {
        events |= VPMU_SPE_EV_PREDICATE_EMPTY;
    }
    return s->config.version >= VPMU_SPE_V1P1 ? events : 0;
}

uint64_t vpmu_spe_events(const struct vpmu_spe *s, const struct vpmu_spe_sample *sample)
{
    struct vpmu_spe_op_ op = vpmu_spe_op_(s, sample);
    uint64_t events = VPMU_SPE_EV_RETIRED | memory_events(s, sample, op.types & VPMU_SPE_LOADS_);

    if (sample->translation != VPMU_TLB_UNKNOWN) {
        events |= VPMU_SPE_EV_TLB_ACCESS;
    }
    if (sample->translation == VPMU_TLB_WALK) {
        events |= VPMU_SPE_EV_TLB_WALK;
    }
    if (op.conditional && !(sample->flags & VPMU_SPE_TAKEN)) {
        events |= VPMU_SPE_EV_NOT_TAKEN;
    }
    if (sample->flags & VPMU_SPE_MISPREDICTED) {
        events |= VPMU_SPE_EV_MISPREDICTED;
    }
    if (sample->flags & VPMU_SPE_MISALIGNED && s->config.version >= VPMU_SPE_V1P1) {
        events |= VPMU_SPE_EV_MISALIGNED;
    }
    return events | predicate_events(s, sample);
}

struct vpmu_spe_latency vpmu_spe_latency_of(const struct vpmu_spe_sample *sample)
{
    struct vpmu_spe_latency latency = {.issue = VPMU_LATENCY_ISSUE};
    unsigned total = VPMU_LATENCY_ISSUE + sample->stall;

    if (sample->flags & VPMU_SPE_ACCESSED) {
        latency.translation = (uint16_t)vpmu_translation_latency(sample->translation);
        total += vpmu_data_latency(sample->memory) + latency.translation;
    }
    if (sample->flags & VPMU_SPE_MISPREDICTED) {
        total += VPMU_LATENCY_MISPREDICTED;
    }
    latency.total = (uint16_t)(total < MOST_CYCLES ? total : MOST_CYCLES);
    return latency;
}

uint64_t vpmu_spe_event_mask_(const struct vpmu_spe_config *config)
{
    /* The second line is IMPLEMENTATION DEFINED before FEAT_SPEv1p4. */
    uint64_t mask = VPMU_SPE_EV_RETIRED | VPMU_SPE_EV_L1D_REFILL | VPMU_SPE_EV_TLB_WALK |
                    VPMU_SPE_EV_MISPREDICTED | VPMU_SPE_EV_L1D_ACCESS | VPMU_SPE_EV_TLB_ACCESS |
                    VPMU_SPE_EV_LLC_ACCESS | VPMU_SPE_EV_LLC_MISS;

    if (config->version >= VPMU_SPE_V1P1) {
        mask |= VPMU_SPE_EV_MISALIGNED;
    }
    if (config->version >= VPMU_SPE_V1P1 && config->has_sve) {
        mask |= VPMU_SPE_EV_PREDICATE_NOT_FULL | VPMU_SPE_EV_PREDICATE_EMPTY;
    }
    if (config->version >= VPMU_SPE_V1P2) {
        mask |= VPMU_SPE_EV_NOT_TAKEN;
    }
    if (config->version >= VPMU_SPE_V1P4) {
        mask |= 1ull << 10 | 0x1full << 19;
    }
    return mask;
}

static bool passes_events(const struct vpmu_spe *s, uint64_t events)
{
    uint64_t fcr = s->reg[VPMU_PMSFCR];

    if (fcr & VPMU_PMSFCR_FE && ~events & s->reg[VPMU_PMSEVFR]) {
        return false;
    }
    return !(fcr & VPMU_PMSFCR_FNE) || !(events & s->reg[VPMU_PMSNEVFR]);
}

bool vpmu_spe_passes_(const struct vpmu_spe *s, const struct vpmu_spe_sample *sample,
                      const struct vpmu_spe_op_ *op)
{
    uint64_t fcr = s->reg[VPMU_PMSFCR];
    unsigned types = (fcr & VPMU_PMSFCR_B ? VPMU_SPE_BRANCHES_ : 0) |
                     (fcr & VPMU_PMSFCR_LD ? VPMU_SPE_LOADS_ : 0) |
                     (fcr & VPMU_PMSFCR_ST ? VPMU_SPE_STORES_ : 0);

    if (fcr & VPMU_PMSFCR_FT && types && !(op->types & types)) {
        return false;
    }
    if (fcr & VPMU_PMSFCR_FL && vpmu_spe_latency_of(sample).total < s->reg[VPMU_PMSLATFR]) {
        return false;
    }
    return passes_events(s, vpmu_spe_events(s, sample));
}
