/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "lockstep.h"

#define CPU_CYCLES VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES)
#define CNT_CYCLES VPMU_SRC_BIT(VPMU_SRC_CNT_CYCLES)

/* Chooses a value, often near carries, halves and widths. */
uint64_t choose_value_(struct chooser *c)
{
    uint64_t small = choose_below(c, 80);

    switch (choose_below(c, 10)) {
    case 0:
        return small;
    case 1:
        return UINT64_MAX - small;
    case 2:
        return UINT32_MAX - small;
    case 3:
        return (choose_bits(c) << 32 | UINT32_MAX) - small;
    case 4:
        return (1ull << 32) + small;
    case 5:
        return 1ull << small % 64;
    case 6:
        return 0;
    case 7:
        return UINT64_MAX;
    default:
        return choose_bits(c);
    }
}

/* Chooses a source, mostly one that is counted in this context. */
unsigned choose_source_(const struct lockstep *pair, struct chooser *c)
{
    vpmu_sources armed = model_armed(&pair->m, pair->ctx);
    uint64_t which;

    if (armed == 0 || choose_one_in(c, 8)) {
        return (unsigned)choose_below(c, VPMU_SRC_COUNT);
    }
    which = choose_below(c, (uint64_t)(__builtin_popcountll((uint64_t)armed) +
                                       __builtin_popcountll((uint64_t)(armed >> 64))));
    for (; which > 0; which--) {
        armed &= armed - 1;
    }
    return vpmu_source_take(&armed);
}

static vpmu_sources choose_mask(struct chooser *c)
{
    return (vpmu_sources)choose_bits(c) << 64 | choose_bits(c);
}

/* Chooses few sources, half of them or most. */
vpmu_sources choose_sources_(struct chooser *c)
{
    vpmu_sources sources = choose_mask(c);

    switch (choose_below(c, 3)) {
    case 0:
        sources &= choose_mask(c) & choose_mask(c);
        break;
    case 1:
        sources |= choose_mask(c) | choose_mask(c);
        break;
    default:
        break;
    }
    return sources & VPMU_SRC_ALL;
}

/* Chooses TC, TE, TLC and a mostly small TH, often for a lasting event. */
static uint64_t choose_threshold(struct chooser *c, uint64_t type)
{
    static const uint16_t lasting[] = {0x0011, 0x0023, 0x0024, 0x003c, 0x003f};
    uint64_t th = choose_below(c, 8) != 0 ? choose_below(c, 5) : choose_below(c, 0x1000);
    uint64_t rest = choose_bits(c) & (VPMU_TYPER_TC | VPMU_TYPER_TE | VPMU_TYPER_TLC);

    if (choose_one_in(c, 2)) {
        rest &= ~VPMU_TYPER_TE;
    }
    if (choose_one_in(c, 2)) {
        type &= ~VPMU_TYPER_EVENT;
        type |= lasting[choose_below(c, sizeof(lasting) / sizeof(lasting[0]))];
    }
    return type | th << VPMU_TYPER_TH_SHIFT | rest;
}

/* Chooses a PMEVTYPER value, mostly with an event that counts and few filter bits. */
uint64_t choose_type_(struct chooser *c)
{
    static const uint16_t odd_events[] = {0x0019, 0x003e, 0x0085, 0x0090, 0x0400, 0x0411,
                                          0x4000, 0x4005, 0x4011, 0xc004, 0xffff};
    static const uint16_t sums[] = {0x03, 0x04, 0x09, 0x12, 0x13, 0x21, 0x33, 0x3c, 0x72, 0x7a};
    static const uint16_t cycles[] = {VPMU_EVENT_CPU_CYCLES, 0x1d, 0x4004};
    static const uint16_t samples[] = {VPMU_EVENT_SAMPLE_POP, VPMU_EVENT_SAMPLE_FEED,
                                       VPMU_EVENT_SAMPLE_FILTRATE, VPMU_EVENT_SAMPLE_COLLISION};
    uint64_t type = 0;

    switch (choose_below(c, 13)) {
    case 0:
        return choose_bits(c);
    case 9:
        type = samples[choose_below(c, sizeof(samples) / sizeof(samples[0]))];
        break;
    case 1:
        type = odd_events[choose_below(c, sizeof(odd_events) / sizeof(odd_events[0]))];
        break;
    case 2:
    case 3:
        type = VPMU_EVENT_CHAIN;
        break;
    case 4:
        type = VPMU_EVENT_SW_INCR;
        break;
    case 5:
    case 6:
        type = cycles[choose_below(c, sizeof(cycles) / sizeof(cycles[0]))];
        break;
    case 7:
    case 8:
        type = sums[choose_below(c, sizeof(sums) / sizeof(sums[0]))];
        break;
    default:
        type = vpmu_events[choose_below(c, vpmu_events_count)].number;
        break;
    }
    for (unsigned bits = (unsigned)choose_below(c, 4); bits > 0; bits--) {
        type |= 1ull << (20 + choose_below(c, 12));
    }
    return choose_one_in(c, 2) ? type : choose_threshold(c, type);
}

bool lockstep_has_ctx_(const struct lockstep *pair, unsigned ctx)
{
    static const uint16_t needs[VPMU_CTX_COUNT] = {
        [0] = VPMU_HAS_EL3,   [1] = VPMU_HAS_EL3,   [2] = VPMU_HAS_SECURE_EL2, [5] = VPMU_HAS_EL2,
        [6] = VPMU_HAS_REALM, [7] = VPMU_HAS_REALM, [8] = VPMU_HAS_REALM,      [9] = VPMU_HAS_EL3,
    };

    return needs[ctx] == 0 || model_has(&pair->m, needs[ctx]);
}

unsigned choose_ctx_(const struct lockstep *pair, struct chooser *c)
{
    unsigned ctx = (unsigned)choose_below(c, VPMU_CTX_COUNT);

    return lockstep_has_ctx_(pair, ctx)
               ? ctx
               : vpmu_arm_ctx((unsigned)choose_below(c, 2), VPMU_NONSECURE);
}

static uint16_t choose_features(struct chooser *c, unsigned version)
{
    unsigned features = (unsigned)choose_below(c, VPMU_HAS_ALL + 1u);

    if (choose_one_in(c, 2)) {
        features |= VPMU_HAS_EL2 | VPMU_HAS_EL3;
    }
    if (choose_below(c, 8) != 0) {
        features &= ~(unsigned)VPMU_HAS_NO_AARCH64;
    }
    if ((features & VPMU_HAS_NO_AARCH64) != 0) {
        features &= VPMU_HAS_EL2 | VPMU_HAS_EL3 | VPMU_HAS_NO_AARCH64;
    }
    if ((features & VPMU_HAS_EL2) == 0 || (features & VPMU_HAS_EL3) == 0) {
        features &= ~(unsigned)(VPMU_HAS_SECURE_EL2 | VPMU_HAS_REALM);
    }
    if (version < VPMU_V3P9) {
        features &= ~(unsigned)VPMU_HAS_ICNTR;
    }
    if (version < VPMU_V3P7) {
        features &= ~(unsigned)VPMU_HAS_SPE;
    }
    return (uint16_t)features;
}

static void choose_threshold_width(struct chooser *c, struct vpmu_arm_config *config)
{
    bool possible = config->version >= VPMU_V3P8 && (config->timed & CPU_CYCLES) == 0 &&
                    (config->features & VPMU_HAS_NO_AARCH64) == 0;

    config->threshold_width = possible && !choose_one_in(c, 4) ? (uint8_t)choose_below(c, 13) : 0;
    if (config->threshold_width == 0) {
        config->features &= (uint16_t) ~(VPMU_HAS_EDGE | VPMU_HAS_TH2);
    } else if ((config->features & VPMU_HAS_EDGE) == 0) {
        config->features &= (uint16_t)~VPMU_HAS_TH2;
    }
}

static void try_config(struct chooser *c, struct vpmu_arm_config *config)
{
    static const uint8_t versions[] = {VPMU_V3,   VPMU_V3P1, VPMU_V3P4, VPMU_V3P5,
                                       VPMU_V3P7, VPMU_V3P8, VPMU_V3P9};
    static const uint8_t counters[] = {0, 1, 2, 3, 4, 5, 6, 6, 7, 8, 30, 31};
    bool paced = false;

    *config = (struct vpmu_arm_config){
        .version = versions[choose_below(c, sizeof(versions))],
        .counters = counters[choose_below(c, sizeof(counters))],
        .sources = VPMU_SRC_ALL,
        .cycle_units = 1,
    };
    if (choose_one_in(c, 3)) {
        config->version = choose_one_in(c, 2) ? VPMU_V3P8 : VPMU_V3P9;
        paced = true;
    }
    config->features = choose_features(c, config->version);
    if (paced && !choose_one_in(c, 4)) {
        config->features |= VPMU_HAS_EDGE | VPMU_HAS_TH2;
    }
    if (choose_one_in(c, 3)) {
        config->sources = choose_sources_(c) | CPU_CYCLES;
    }
    if ((config->sources >> VPMU_SRC_INST_RETIRED & 1) == 0) {
        config->features &= (uint16_t)~VPMU_HAS_ICNTR;
    }
    config->timed = choose_bits(c) & config->sources & (CPU_CYCLES | CNT_CYCLES);
    config->timed &= paced ? CNT_CYCLES : UINT64_MAX;
    if ((config->timed & CPU_CYCLES) == 0) {
        config->cycle_units = (uint8_t)(1 + choose_below(c, 8));
    }
    if (config->version < VPMU_V3P7 && choose_one_in(c, 2)) {
        config->imp = (uint8_t)choose_bits(c);
        config->idcode = config->imp == 0 ? 0 : (uint8_t)choose_bits(c);
    }
    if (config->version >= VPMU_V3P4) {
        config->slots = (uint8_t)choose_below(c, 16);
    }
    config->core = (uint8_t)choose_below(c, VPMU_CORE_COUNT);
    /* SPE's event numbers are above those of PMUv1. */
    config->samples = config->core != VPMU_CORE_CORTEX_A8 && config->core != VPMU_CORE_CORTEX_A9 &&
                      choose_one_in(c, 2);
    choose_threshold_width(c, config);
}

/* Chooses a configuration that often has one or two faults. */
void choose_wild_config_(struct chooser *c, struct vpmu_arm_config *config)
{
    try_config(c, config);
    switch (choose_below(c, 11)) {
    case 0:
        config->version = (uint8_t)choose_below(c, 16);
        break;
    case 1:
        config->counters = (uint8_t)choose_bits(c);
        break;
    case 2:
    case 3:
        config->features = (uint16_t)choose_below(c, 1u << 11);
        break;
    case 4:
        config->sources = choose_value_(c);
        break;
    case 5:
        config->slots = (uint8_t)choose_bits(c);
        config->version = VPMU_V3P1;
        break;
    case 6:
        config->threshold_width = (uint8_t)choose_below(c, 16);
        break;
    case 7:
        config->timed = choose_one_in(c, 2) ? choose_value_(c) : CPU_CYCLES | CNT_CYCLES;
        break;
    case 8:
        config->cycle_units = (uint8_t)choose_below(c, choose_one_in(c, 4) ? 256 : 10);
        break;
    case 9:
        config->imp = (uint8_t)choose_below(c, 2);
        config->idcode = (uint8_t)choose_below(c, 2);
        break;
    default:
        config->version = VPMU_V3P5;
        config->features |= choose_one_in(c, 2) ? VPMU_HAS_ICNTR : VPMU_HAS_SPE;
        break;
    }
}

void choose_config_(struct chooser *c, struct vpmu_arm_config *config)
{
    for (unsigned tries = 0; tries < 16; tries++) {
        try_config(c, config);
        if (vpmu_arm_config_check(config, NULL) == 0) {
            return;
        }
    }
    *config = (struct vpmu_arm_config){
        .version = VPMU_V3P5,
        .counters = 6,
        .features = VPMU_HAS_EL2 | VPMU_HAS_EL3,
        .sources = VPMU_SRC_ALL,
        .timed = CPU_CYCLES,
        .cycle_units = 1,
    };
}

static uint64_t choose_control_bits(struct chooser *c, uint64_t bits)
{
    switch (choose_below(c, 4)) {
    case 0:
        return 0;
    case 1:
        return choose_bits(c) & choose_bits(c) & bits;
    default:
        return choose_bits(c) & bits;
    }
}

void choose_controls_(const struct lockstep *pair, struct chooser *c,
                      struct vpmu_arm_controls *controls)
{
    const uint64_t traps = VPMU_MDCR_EL2_TPM | VPMU_MDCR_EL2_TPMCR;
    uint64_t hpmn = pair->m.config.counters + choose_below(c, 3) - 1;

    *controls = (struct vpmu_arm_controls){
        .mdcr_el2 = choose_control_bits(c, UINT64_MAX) & ~VPMU_MDCR_EL2_HPMN,
        .mdcr_el3 = choose_control_bits(c, UINT64_MAX),
        .secure_el0_allowed = choose_one_in(c, 4),
        .secure_allowed = choose_one_in(c, 4),
        .halted = choose_one_in(c, 16),
        .spe_stopped = choose_one_in(c, 4),
        .brbe_freezers = choose_one_in(c, 3) ? choose_bits(c) : 0,
        .spe_contexts = choose_one_in(c, 2) ? (uint16_t)choose_bits(c) : UINT16_MAX,
    };
    if (choose_one_in(c, 3)) {
        hpmn = choose_bits(c);
    }
    controls->mdcr_el2 |= hpmn & VPMU_MDCR_EL2_HPMN;
    if (choose_below(c, 4) != 0) {
        controls->mdcr_el2 &= ~traps;
        controls->mdcr_el2 |= VPMU_MDCR_EL2_HPME;
        controls->mdcr_el3 &= ~VPMU_MDCR_EL3_TPM;
        controls->mdcr_el3 |= VPMU_MDCR_EL3_ENPM2 | VPMU_MDCR_EL3_SPME;
    }
}

struct vpmu_pe choose_pe_(const struct lockstep *pair, struct chooser *c)
{
    const struct model *m = &pair->m;
    bool el2 = model_has(m, VPMU_HAS_EL2);
    bool el3 = model_has(m, VPMU_HAS_EL3);
    struct vpmu_pe pe = {.el = (uint8_t)choose_below(c, 4)};

    if ((pe.el == 2 && !el2) || (pe.el == 3 && !el3)) {
        pe.el = (uint8_t)choose_below(c, 2);
    }
    if (model_has(m, VPMU_HAS_NO_AARCH64)) {
        pe.el1_aarch32 = true;
        pe.aarch32 = true;
    } else if (!model_has(m, VPMU_HAS_NO_AARCH32)) {
        pe.el1_aarch32 = pe.el < 2 && (el2 || el3) && choose_one_in(c, 3);
        pe.aarch32 = pe.el1_aarch32 || (pe.el == 0 && choose_one_in(c, 3)) ||
                     (pe.el == 2 && el3 && choose_one_in(c, 3));
    }
    pe.el2_enabled = el2 && (pe.el == 2 || choose_one_in(c, 2));
    pe.tge = pe.el2_enabled && pe.el == 0 && choose_one_in(c, 4);
    pe.el3_undef = el3 && choose_one_in(c, 16);
    if (model_has(m, VPMU_HAS_ICNTR) && pe.el2_enabled && pe.el < 2) {
        pe.f0_read_trapped = choose_one_in(c, 4);
        pe.f0_write_trapped = choose_one_in(c, 4);
    }
    return pe;
}

unsigned choose_reg_(const struct lockstep *pair, struct chooser *c)
{
    unsigned counters = pair->m.config.counters == 0 ? 1u : pair->m.config.counters;
    unsigned counter = (unsigned)choose_below(c, counters);

    switch (choose_below(c, 8)) {
    case 0:
        return VPMU_PMEVCNTR0 + counter;
    case 1:
        return VPMU_PMEVTYPER0 + counter;
    case 2:
        return (unsigned)choose_below(c, VPMU_REG_COUNT);
    default:
        return (unsigned)choose_below(c, VPMU_PMEVCNTR0);
    }
}

static uint64_t choose_pmcr(struct chooser *c)
{
    uint64_t val = choose_bits(c);

    if (choose_below(c, 8) != 0) {
        val |= VPMU_PMCR_E;
        val &= ~(VPMU_PMCR_P | VPMU_PMCR_C);
    }
    return choose_one_in(c, 2) ? val & ~VPMU_PMCR_FZO : val;
}

uint64_t choose_reg_value_(const struct lockstep *pair, struct chooser *c, unsigned reg)
{
    if (choose_one_in(c, 16)) {
        return choose_value_(c);
    }
    switch (reg) {
    case VPMU_PMCR:
        return choose_pmcr(c);
    case VPMU_PMSELR:
        return choose_one_in(c, 4) ? choose_bits(c) : choose_below(c, pair->m.config.counters + 1u);
    case VPMU_PMXEVTYPER:
    case VPMU_PMCCFILTR:
    case VPMU_PMICFILTR:
        return choose_type_(c);
    case VPMU_PMCNTENCLR:
    case VPMU_PMZR:
        return choose_bits(c) & choose_bits(c) & choose_bits(c);
    case VPMU_PMOVSSET:
        return choose_bits(c) & choose_bits(c) & choose_bits(c) & choose_bits(c);
    case VPMU_PMCNTENSET:
    case VPMU_PMOVSCLR:
    case VPMU_PMSWINC:
        return choose_bits(c) | choose_bits(c);
    default:
        return reg >= VPMU_PMEVTYPER0 ? choose_type_(c) : choose_value_(c);
    }
}
