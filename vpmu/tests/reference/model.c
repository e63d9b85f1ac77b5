/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "model.h"

#include <string.h>

/* MDCR_EL2 and MDCR_EL3 as they take effect; HDCR and SDCR have 32 bits. */
static uint64_t control_bits(const struct model *m, unsigned feature, uint64_t value)
{
    if (!model_has(m, feature)) {
        return 0;
    }
    return model_has(m, VPMU_HAS_NO_AARCH64) ? (uint32_t)value : value;
}

static bool mdcr_el2(const struct model *m, uint64_t bit)
{
    return (control_bits(m, VPMU_HAS_EL2, m->controls.mdcr_el2) & bit) != 0;
}

static bool mdcr_el3(const struct model *m, uint64_t bit)
{
    return (control_bits(m, VPMU_HAS_EL3, m->controls.mdcr_el3) & bit) != 0;
}

static bool pmcr(const struct model *m, uint64_t bit)
{
    return (m->pmcr & bit) != 0;
}

void model_reset(struct model *m)
{
    m->pmcr = model_has(m, VPMU_HAS_NO_AARCH32) ? VPMU_PMCR_LC : 0;
    m->cnten = 0;
    m->inten = 0;
    m->ovs = 0;
    m->userenr = 0;
    m->uacr = 0;
    m->selr = 0;
    m->cycles_held = 0;
    for (unsigned idx = 0; idx < VPMU_COUNTER_COUNT; idx++) {
        m->count[idx] = 0;
        m->type[idx] = 0;
        m->units_held[idx] = 0;
        m->owed[idx] = 0;
    }
    for (unsigned idx = 0; idx < VPMU_MAX_EVENT_COUNTERS; idx++) {
        m->vb[idx] = 0;
        m->vm[idx] = 0;
        m->cp[idx] = false;
    }
}

void model_init(struct model *m, const struct vpmu_arm_config *config)
{
    m->config = *config;
    m->controls = (struct vpmu_arm_controls){.mdcr_el2 = config->counters};
    m->el = 1;
    m->security = VPMU_NONSECURE;
    model_reset(m);
}

void model_set_context(struct model *m, unsigned ctx)
{
    m->el = ctx == VPMU_CTX_EL3 ? 3 : ctx % 3;
    m->security = ctx == VPMU_CTX_EL3 ? VPMU_SECURE : (enum vpmu_security)(ctx / 3);
}

unsigned model_hpmn(const struct model *m)
{
    unsigned hpmn = (unsigned)(m->controls.mdcr_el2 & VPMU_MDCR_EL2_HPMN);

    if (!model_has(m, VPMU_HAS_EL2) || hpmn > m->config.counters) {
        return m->config.counters;
    }
    return hpmn;
}

bool model_has_counter(const struct model *m, unsigned idx)
{
    if (idx == VPMU_INST_COUNTER) {
        return model_has(m, VPMU_HAS_ICNTR);
    }
    return idx == VPMU_CYCLE_COUNTER || idx < m->config.counters;
}

/* GetPMUCounterRange: the first range, else the second. */
static bool in_first_range(const struct model *m, unsigned idx)
{
    return idx >= VPMU_CYCLE_COUNTER || idx < model_hpmn(m);
}

static bool is_enabled(const struct model *m, unsigned idx)
{
    bool global = in_first_range(m, idx) ? pmcr(m, VPMU_PMCR_E) : mdcr_el2(m, VPMU_MDCR_EL2_HPME);

    return global && (m->cnten >> idx & 1) != 0;
}

static bool in_secure_or_el3(const struct model *m)
{
    return model_has(m, VPMU_HAS_EL3) && (m->el == 3 || m->security == VPMU_SECURE);
}

/* The three rules of CountPMUEvents that prohibit event counting. */
static bool is_prohibited(const struct model *m, unsigned idx)
{
    bool el3_aarch64 = !model_has(m, VPMU_HAS_NO_AARCH64);
    bool mpmx = m->config.version >= VPMU_V3P7 && el3_aarch64 && mdcr_el3(m, VPMU_MDCR_EL3_MPMX);
    bool spme = mdcr_el3(m, VPMU_MDCR_EL3_SPME);

    if (in_secure_or_el3(m) && !spme && !mpmx) {
        bool by_suniden = m->el == 0 && m->controls.secure_el0_allowed;

        if (!by_suniden && !m->controls.secure_allowed) {
            return true;
        }
    }
    if (m->el == 3 && mpmx && (!spme || in_first_range(m, idx))) {
        return true;
    }
    return m->el == 2 && m->config.version >= VPMU_V3P1 && in_first_range(m, idx) &&
           mdcr_el2(m, VPMU_MDCR_EL2_HPMD);
}

/*
 * CheckPMUOverflowCondition for the reason "freeze", to which the cycle counter's flag does not
 * contribute.
 */
static bool range_overflowed(const struct model *m, bool first)
{
    for (unsigned idx = 0; idx < VPMU_COUNTER_COUNT; idx++) {
        if (idx != VPMU_CYCLE_COUNTER && model_has_counter(m, idx) &&
            in_first_range(m, idx) == first && (m->ovs >> idx & 1) != 0) {
            return true;
        }
    }
    return false;
}

static bool is_frozen(const struct model *m, unsigned idx)
{
    bool first = in_first_range(m, idx);
    bool fzo = first ? pmcr(m, VPMU_PMCR_FZO) : mdcr_el2(m, VPMU_MDCR_EL2_HPMFZO);
    bool fzs = first ? pmcr(m, VPMU_PMCR_FZS) : mdcr_el2(m, VPMU_MDCR_EL2_HPMFZS);

    if (m->config.version < VPMU_V3P7) {
        return false;
    }
    if (fzo && range_overflowed(m, first)) {
        return true;
    }
    return model_has(m, VPMU_HAS_SPE) && idx != VPMU_CYCLE_COUNTER && fzs &&
           m->controls.spe_stopped;
}

/* HCCD, SCCD and MCCD, which PMCR.DP does not override. */
static bool is_cycle_counting_prohibited(const struct model *m)
{
    if (m->config.version < VPMU_V3P5) {
        return false;
    }
    if (in_secure_or_el3(m) && mdcr_el3(m, VPMU_MDCR_EL3_SCCD)) {
        return true;
    }
    if (m->el == 2 && mdcr_el2(m, VPMU_MDCR_EL2_HCCD)) {
        return true;
    }
    return m->config.version >= VPMU_V3P7 && m->el == 3 && mdcr_el3(m, VPMU_MDCR_EL3_MCCD);
}

static bool is_filtered(const struct model *m, unsigned idx)
{
    uint64_t type = m->type[idx];
    bool p = (type & VPMU_TYPER_P) != 0;
    bool u = (type & VPMU_TYPER_U) != 0;
    bool el3 = model_has(m, VPMU_HAS_EL3);
    bool realm = model_has(m, VPMU_HAS_REALM);
    bool nsk = el3 && (type & VPMU_TYPER_NSK) != 0;
    bool nsu = el3 && (type & VPMU_TYPER_NSU) != 0;
    bool nsh = model_has(m, VPMU_HAS_EL2) && (type & VPMU_TYPER_NSH) != 0;
    bool mon = el3 && !model_has(m, VPMU_HAS_NO_AARCH64) && (type & VPMU_TYPER_M) != 0;
    bool sh = el3 && model_has(m, VPMU_HAS_SECURE_EL2) && (type & VPMU_TYPER_SH) != 0;
    bool rlk = realm && (type & VPMU_TYPER_RLK) != 0;
    bool rlu = realm && (type & VPMU_TYPER_RLU) != 0;
    bool rlh = realm && (type & VPMU_TYPER_RLH) != 0;
    /* Indexed by security state and exception level 0 to 2. */
    const bool filtered[3][3] = {
        [VPMU_SECURE] = {u, p, nsh == sh},
        [VPMU_NONSECURE] = {u != nsu, p != nsk, !nsh},
        [VPMU_REALM] = {u != rlu, p != rlk, nsh == rlh},
    };

    return m->el == 3 ? mon != p : filtered[m->security][m->el];
}

/* SAMPLE_POP counts only where SPE samples. */
static bool is_outside_population(const struct model *m, unsigned idx)
{
    unsigned ctx = m->el == 3 ? VPMU_CTX_EL3 : m->security * 3 + m->el;

    return idx < m->config.counters && m->config.samples &&
           (m->type[idx] & VPMU_TYPER_EVENT) == VPMU_EVENT_SAMPLE_POP &&
           (m->controls.spe_contexts >> ctx & 1) == 0;
}

bool model_counts(const struct model *m, unsigned idx)
{
    bool enabled = is_enabled(m, idx);
    bool prohibited = is_prohibited(m, idx);
    bool frozen = is_frozen(m, idx);

    if (idx == VPMU_CYCLE_COUNTER) {
        if ((prohibited || frozen) && pmcr(m, VPMU_PMCR_DP)) {
            enabled = false;
        }
        prohibited = is_cycle_counting_prohibited(m);
        frozen = false;
    }
    return !m->controls.halted && enabled && !prohibited && !frozen && !is_filtered(m, idx) &&
           !is_outside_population(m, idx);
}

bool model_has_event(const struct model *m, unsigned number)
{
    const struct model_sum *sum = model_sum_of(m->config.core, number);

    if (sum == NULL) {
        return false;
    }
    /* Events of long-latency misses exist from PMUv3p4 on. */
    if (strstr(sum->name, "_LMISS") && m->config.version < VPMU_V3P4) {
        return false;
    }
    if (sum->of_spe && !m->config.samples) {
        return false;
    }
    if ((sum->cache != 0 && (m->config.sources >> sum->cache & 1) == 0) ||
        (sum->cores != 0 && (sum->cores >> m->config.core & 1) == 0)) {
        return false;
    }
    for (size_t i = 0; i < sum->count; i++) {
        if ((m->config.sources >> sum->sources[i] & 1) == 0) {
            return false;
        }
    }
    return true;
}

vpmu_sources model_sources(const struct model *m, unsigned idx)
{
    unsigned number = (unsigned)(m->type[idx] & VPMU_TYPER_EVENT);

    if (idx == VPMU_CYCLE_COUNTER) {
        number = VPMU_EVENT_CPU_CYCLES;
    } else if (idx == VPMU_INST_COUNTER) {
        number = VPMU_EVENT_INST_RETIRED;
    }
    if (!model_has_event(m, number)) {
        return 0;
    }
    /* PC_WRITE_SPEC counts branches that are not taken, too. */
    if (number == 0x76 && m->config.version >= VPMU_V3P8) {
        return model_sum_mask(0x21);
    }
    /* SVE_INST_RETIRED leaves out what is not SIMD. */
    if (number == 0x8002 && m->config.version >= VPMU_V3P9) {
        return VPMU_SRC_BIT(VPMU_SRC_SVE_SIMD);
    }
    return model_sum_mask_of(m->config.core, number);
}

unsigned model_overflow_width(const struct model *m, unsigned idx)
{
    bool is_long;

    if (idx == VPMU_INST_COUNTER) {
        is_long = true;
    } else if (idx == VPMU_CYCLE_COUNTER) {
        is_long = pmcr(m, VPMU_PMCR_LC);
    } else if (m->config.version < VPMU_V3P5) {
        is_long = false;
    } else if (in_first_range(m, idx)) {
        is_long = pmcr(m, VPMU_PMCR_LP);
    } else {
        is_long = mdcr_el2(m, VPMU_MDCR_EL2_HLP);
    }
    return is_long ? 64 : 32;
}

/* Increments a counter. Returns true if it overflowed. */
static bool increment(struct model *m, unsigned idx)
{
    uint64_t value = m->count[idx] + 1;
    bool overflow = model_overflow_width(m, idx) == 64 ? value == 0 : (uint32_t)value == 0;

    if (idx < VPMU_CYCLE_COUNTER && m->config.version < VPMU_V3P5) {
        value = (uint32_t)value;
    }
    m->count[idx] = value;
    if (overflow) {
        m->ovs |= 1ull << idx;
    }
    return overflow;
}

/* The units per cycle; 1 if the counter does not count cycles. */
static unsigned units_of(const struct model *m, unsigned idx)
{
    return (model_sources(m, idx) >> VPMU_SRC_CPU_CYCLES & 1) != 0 ? m->config.cycle_units : 1;
}

/* Tells whether PMCR.D takes effect. */
static bool is_divided(const struct model *m, unsigned idx)
{
    return idx == VPMU_CYCLE_COUNTER && !pmcr(m, VPMU_PMCR_LC) && pmcr(m, VPMU_PMCR_D);
}

/*
 * Tells whether an event does not count yet, because it is a part of a cycle or one of the 64
 * cycles of PMCR.D.
 */
static bool hold_back(struct model *m, unsigned idx)
{
    m->units_held[idx]++;
    if (m->units_held[idx] < units_of(m, idx)) {
        return true;
    }
    m->units_held[idx] = 0;
    if (!is_divided(m, idx)) {
        return false;
    }
    m->cycles_held = (m->cycles_held + 1) % 64;
    return m->cycles_held != 0;
}

/*
 * The odd counters that would count a CHAIN event, evaluated before the event that overflows the
 * even counters. Whether CHAIN is affected by a freeze from that overflow is CONSTRAINED
 * UNPREDICTABLE (D13, Freezing event counters), and so is a pair of counters that HPMN separates.
 * The library counts both.
 */
uint64_t model_chained(const struct model *m)
{
    uint64_t chained = 0;

    for (unsigned odd = 1; odd < m->config.counters; odd += 2) {
        if (model_overflow_width(m, odd - 1) == 32 &&
            (m->type[odd] & VPMU_TYPER_EVENT) == VPMU_EVENT_CHAIN && model_counts(m, odd)) {
            chained |= 1ull << odd;
        }
    }
    return chained;
}

void model_count_once(struct model *m, uint64_t counters, uint64_t chained)
{
    uint64_t overflowed = 0;

    for (unsigned idx = 0; idx < VPMU_COUNTER_COUNT; idx++) {
        if ((counters >> idx & 1) != 0 && increment(m, idx)) {
            overflowed |= 1ull << idx;
        }
    }
    for (unsigned odd = 1; odd < m->config.counters; odd += 2) {
        if ((overflowed << 1 & chained & 1ull << odd) == 0) {
            continue;
        }
        if (model_is_paced(m, odd)) {
            m->vb[odd]++;
        } else {
            increment(m, odd);
        }
    }
}

/* The counters that count an event of this source now and here. */
static uint64_t counters_of(const struct model *m, unsigned source)
{
    uint64_t counters = 0;

    for (unsigned idx = 0; idx < VPMU_COUNTER_COUNT; idx++) {
        if (model_has_counter(m, idx) && (model_sources(m, idx) >> source & 1) != 0 &&
            model_counts(m, idx)) {
            counters |= 1ull << idx;
        }
    }
    return counters;
}

/* Tells whether an event only replaces one that was subtracted. */
static bool makes_up(struct model *m, unsigned idx)
{
    if (m->owed[idx] == 0) {
        return false;
    }
    m->owed[idx]--;
    return true;
}

void model_take_back(struct model *m, unsigned source, uint64_t n)
{
    uint64_t counters = counters_of(m, source);

    for (unsigned idx = 0; idx < VPMU_COUNTER_COUNT; idx++) {
        m->owed[idx] += (counters >> idx & 1) != 0 ? n : 0;
    }
}

/* Counts one event for each of these counters. */
static void happen_once(struct model *m, uint64_t counters)
{
    uint64_t counting = 0;

    for (unsigned idx = 0; idx < VPMU_COUNTER_COUNT; idx++) {
        if ((counters >> idx & 1) != 0 && !makes_up(m, idx) && !hold_back(m, idx)) {
            counting |= 1ull << idx;
        }
    }
    model_count_once(m, counting, model_chained(m));
}

/* Counts @n events of one source, or units of cycles, for paced counters. */
static void pace(struct model *m, uint64_t paced, uint64_t chained, unsigned source, uint64_t n)
{
    const struct model_passed passed = {.units = n};
    bool lasts = source == VPMU_SRC_STALL_FRONTEND || source == VPMU_SRC_STALL_BACKEND ||
                 source == VPMU_SRC_STALL_SLOT_FRONTEND || source == VPMU_SRC_STALL_SLOT_BACKEND;

    if (source == VPMU_SRC_CPU_CYCLES) {
        model_pass(m, paced, chained, &passed);
        return;
    }
    for (unsigned idx = 0; idx < m->config.counters; idx++) {
        if ((paced >> idx & 1) != 0 && (model_sources(m, idx) >> source & 1) != 0) {
            uint64_t owed = lasts ? 0 : m->owed[idx] < n ? m->owed[idx] : n;

            m->owed[idx] -= owed;
            m->vb[idx] += n - owed;
        }
    }
}

void model_event(struct model *m, unsigned source)
{
    uint64_t paced = model_paced_here(m), chained = model_chained(m);

    happen_once(m, counters_of(m, source) & ~paced);
    pace(m, paced, chained, source, 1);
    model_look(m);
}

/* The number of events per count. */
static unsigned events_per_count(const struct model *m, unsigned idx)
{
    return units_of(m, idx) * (is_divided(m, idx) ? 64 : 1);
}

static unsigned events_held(const struct model *m, unsigned idx)
{
    unsigned cycles = idx == VPMU_CYCLE_COUNTER ? m->cycles_held : 0;

    return cycles * units_of(m, idx) + m->units_held[idx];
}

/* The number of events before the one that overflows the counter. */
static uint64_t events_before_overflow(const struct model *m, unsigned idx)
{
    uint64_t left = ~m->count[idx];
    unsigned each = events_per_count(m, idx);

    if (model_overflow_width(m, idx) == 32) {
        left = (uint32_t)left;
    }
    return left >= UINT64_MAX / each ? UINT64_MAX / each
                                     : left * each + each - 1 - events_held(m, idx);
}

/* Counts @n events, which do not overflow the counter. */
static void count_many(struct model *m, unsigned idx, uint64_t n)
{
    unsigned units = units_of(m, idx);
    uint64_t all = n + m->units_held[idx];

    m->units_held[idx] = (unsigned)(all % units);
    n = all / units;
    if (is_divided(m, idx)) {
        uint64_t cycles = m->cycles_held + n;

        m->cycles_held = (unsigned)(cycles % 64);
        n = cycles / 64;
    }
    m->count[idx] += n;
}

/* The same, or all events replace subtracted ones. */
static void count_alike(struct model *m, unsigned idx, uint64_t n)
{
    if (m->owed[idx] != 0) {
        m->owed[idx] -= n;
    } else {
        count_many(m, idx, n);
    }
}

void model_events(struct model *m, unsigned source, uint64_t n)
{
    uint64_t paced = model_paced_here(m), chained = model_chained(m);

    model_plain_events(m, source, n);
    pace(m, paced, chained, source, n);
    model_look(m);
}

void model_plain_events(struct model *m, unsigned source, uint64_t n)
{
    while (n > 0) {
        uint64_t counters = counters_of(m, source) & ~model_paced_here(m);
        uint64_t quick = n;

        for (unsigned idx = 0; idx < VPMU_COUNTER_COUNT; idx++) {
            uint64_t alike = m->owed[idx] != 0 ? m->owed[idx] : events_before_overflow(m, idx);

            if ((counters >> idx & 1) != 0 && alike < quick) {
                quick = alike;
            }
        }
        for (unsigned idx = 0; idx < VPMU_COUNTER_COUNT; idx++) {
            if ((counters >> idx & 1) != 0) {
                count_alike(m, idx, quick);
            }
        }
        n -= quick;
        if (n > 0) {
            happen_once(m, counters);
            n--;
        }
    }
}

/* Something happens once that two events count. */
static void happen_as(struct model *m, uint64_t counters, unsigned event, unsigned other)
{
    uint64_t counting = 0;

    for (unsigned idx = 0; idx < m->config.counters; idx++) {
        unsigned number = (unsigned)(m->type[idx] & VPMU_TYPER_EVENT);

        if ((counters >> idx & 1) != 0 && (number == event || number == other) &&
            model_has_event(m, number) && model_counts(m, idx)) {
            if (model_is_paced(m, idx)) {
                m->vb[idx]++;
            } else {
                counting |= 1ull << idx;
            }
        }
    }
    model_count_once(m, counting, model_chained(m));
}

void model_software_increment(struct model *m, uint64_t counters)
{
    happen_as(m, counters, VPMU_EVENT_SW_INCR, VPMU_EVENT_SW_INCR);
}

void model_sample(struct model *m, bool passed)
{
    happen_as(m, UINT64_MAX, VPMU_EVENT_SAMPLE_FEED,
              passed ? VPMU_EVENT_SAMPLE_FILTRATE : VPMU_EVENT_SAMPLE_FEED);
}

bool model_irq(const struct model *m)
{
    for (unsigned idx = 0; idx < VPMU_COUNTER_COUNT; idx++) {
        bool enabled =
            in_first_range(m, idx) ? pmcr(m, VPMU_PMCR_E) : mdcr_el2(m, VPMU_MDCR_EL2_HPME);

        if (enabled && model_has_counter(m, idx) && (m->ovs & m->inten & 1ull << idx) != 0) {
            return true;
        }
    }
    return false;
}

vpmu_sources model_armed(const struct model *m, unsigned ctx)
{
    const uint64_t cycles =
        VPMU_SRC_BIT(VPMU_SRC_INST_RETIRED) | VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES) |
        VPMU_SRC_BIT(VPMU_SRC_STALL_FRONTEND) | VPMU_SRC_BIT(VPMU_SRC_STALL_BACKEND) |
        VPMU_SRC_BIT(VPMU_SRC_STALL_SLOT_FRONTEND) | VPMU_SRC_BIT(VPMU_SRC_STALL_SLOT_BACKEND);
    struct model there = *m;
    vpmu_sources armed = 0;

    model_set_context(&there, ctx);
    for (unsigned idx = 0; idx < VPMU_COUNTER_COUNT; idx++) {
        if (model_has_counter(m, idx) && model_counts(&there, idx)) {
            armed |= model_sources(m, idx);
            armed |= model_is_paced(m, idx) ? cycles & m->config.sources : 0;
        }
    }
    return armed;
}
