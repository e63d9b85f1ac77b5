/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "rig.h"

/* Biased to where carries, halves and widths are. */
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

/* PMEVTYPER: mostly an event that counts, with few filter bits. */
uint64_t choose_type_(struct chooser *c)
{
    static const uint16_t odd_events[] = {0x0001, 0x003f, 0x0400, 0x4000, 0x4008, 0xffff, 0x0411};
    uint64_t type = 0;

    switch (choose_below(c, 8)) {
    case 0:
        return choose_bits(c);
    case 1:
        type = odd_events[choose_below(c, 7)];
        break;
    case 2:
    case 3:
        type = VPMU_EVENT_CHAIN;
        break;
    default:
        type = vpmu_events[choose_below(c, vpmu_events_count)].number;
        break;
    }
    for (unsigned bits = (unsigned)choose_below(c, 4); bits > 0; bits--) {
        type |= 1ull << (20 + choose_below(c, 12));
    }
    return type;
}

bool rig_has_ctx_(const struct rig *rig, unsigned ctx)
{
    static const uint16_t needs[VPMU_CTX_COUNT] = {
        [0] = VPMU_HAS_EL3,   [1] = VPMU_HAS_EL3,   [2] = VPMU_HAS_SECURE_EL2, [5] = VPMU_HAS_EL2,
        [6] = VPMU_HAS_REALM, [7] = VPMU_HAS_REALM, [8] = VPMU_HAS_REALM,      [9] = VPMU_HAS_EL3,
    };

    return needs[ctx] == 0 || model_has(&rig->m, needs[ctx]);
}

unsigned choose_ctx_(const struct rig *rig, struct chooser *c)
{
    unsigned ctx = (unsigned)choose_below(c, VPMU_CTX_COUNT);

    return rig_has_ctx_(rig, ctx) ? ctx : vpmu_ctx((unsigned)choose_below(c, 2), VPMU_NONSECURE);
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

static void try_config(struct chooser *c, struct vpmu_config *config)
{
    static const uint8_t versions[] = {VPMU_V3,   VPMU_V3P1, VPMU_V3P4, VPMU_V3P5,
                                       VPMU_V3P7, VPMU_V3P8, VPMU_V3P9};
    static const uint8_t counters[] = {0, 1, 2, 3, 4, 5, 6, 6, 7, 8, 30, 31};

    *config = (struct vpmu_config){
        .version = versions[choose_below(c, sizeof(versions))],
        .counters = counters[choose_below(c, sizeof(counters))],
        .sources = (1u << VPMU_SRC_COUNT) - 1,
    };
    config->features = choose_features(c, config->version);
    if (choose_one_in(c, 4)) {
        config->sources = (uint32_t)choose_below(c, 1u << VPMU_SRC_COUNT);
    }
    if (config->version < VPMU_V3P7 && choose_one_in(c, 2)) {
        config->imp = (uint8_t)choose_bits(c);
        config->idcode = config->imp == 0 ? 0 : (uint8_t)choose_bits(c);
    }
    if (config->version >= VPMU_V3P4) {
        config->slots = (uint8_t)choose_below(c, 16);
    }
}

/* One that is likely to be wrong in one or two ways. */
void choose_wild_config_(struct chooser *c, struct vpmu_config *config)
{
    try_config(c, config);
    switch (choose_below(c, 8)) {
    case 0:
        config->version = (uint8_t)choose_below(c, 16);
        break;
    case 1:
        config->counters = (uint8_t)choose_bits(c);
        break;
    case 2:
    case 3:
        config->features = (uint16_t)choose_below(c, 1u << 9);
        break;
    case 4:
        config->sources = (uint32_t)choose_value_(c);
        break;
    case 5:
        config->slots = (uint8_t)choose_bits(c);
        config->version = VPMU_V3P1;
        break;
    case 6:
        config->threshold_width = (uint8_t)choose_below(c, 16);
        break;
    default:
        config->version = VPMU_V3P5;
        config->features |= choose_one_in(c, 2) ? VPMU_HAS_ICNTR : VPMU_HAS_SPE;
        break;
    }
}

void choose_config_(struct chooser *c, struct vpmu_config *config)
{
    for (unsigned tries = 0; tries < 16; tries++) {
        try_config(c, config);
        if (vpmu_config_check(config, NULL) == 0) {
            return;
        }
    }
    *config = (struct vpmu_config){
        .version = VPMU_V3P5,
        .counters = 6,
        .features = VPMU_HAS_EL2 | VPMU_HAS_EL3,
        .sources = (1u << VPMU_SRC_COUNT) - 1,
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

void choose_controls_(const struct rig *rig, struct chooser *c, struct vpmu_controls *controls)
{
    const uint64_t traps = VPMU_MDCR_EL2_TPM | VPMU_MDCR_EL2_TPMCR;
    uint64_t hpmn = rig->m.config.counters + choose_below(c, 3) - 1;

    *controls = (struct vpmu_controls){
        .mdcr_el2 = choose_control_bits(c, UINT64_MAX) & ~VPMU_MDCR_EL2_HPMN,
        .mdcr_el3 = choose_control_bits(c, UINT64_MAX),
        .secure_el0_allowed = choose_one_in(c, 4),
        .halted = choose_one_in(c, 16),
        .spe_stopped = choose_one_in(c, 4),
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

struct vpmu_pe choose_pe_(const struct rig *rig, struct chooser *c)
{
    const struct model *m = &rig->m;
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

unsigned choose_reg_(const struct rig *rig, struct chooser *c)
{
    unsigned counters = rig->m.config.counters == 0 ? 1u : rig->m.config.counters;
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

uint64_t choose_reg_value_(const struct rig *rig, struct chooser *c, unsigned reg)
{
    if (choose_one_in(c, 16)) {
        return choose_value_(c);
    }
    switch (reg) {
    case VPMU_PMCR:
        return choose_pmcr(c);
    case VPMU_PMSELR:
        return choose_one_in(c, 4) ? choose_bits(c) : choose_below(c, rig->m.config.counters + 1u);
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
