/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "model.h"

#define LOW_HALF 0xffffffffull

/* The kind of a 64-bit register, and its counter. */
enum kind {
    KIND_OTHER,
    KIND_COUNT,
    KIND_TYPE,
};

static enum kind kind_of(unsigned reg)
{
    if (reg >= VPMU_PMEVTYPER0 || reg == VPMU_PMXEVTYPER || reg == VPMU_PMCCFILTR ||
        reg == VPMU_PMICFILTR) {
        return KIND_TYPE;
    }
    if (reg >= VPMU_PMEVCNTR0 || reg == VPMU_PMXEVCNTR || reg == VPMU_PMCCNTR ||
        reg == VPMU_PMCCNTR_WIDE || reg == VPMU_PMICNTR) {
        return KIND_COUNT;
    }
    return KIND_OTHER;
}

static unsigned counter_of(const struct model *m, unsigned reg)
{
    int counter = model_event_counter(m, reg);

    if (reg == VPMU_PMICNTR || reg == VPMU_PMICFILTR) {
        return VPMU_INST_COUNTER;
    }
    return counter >= 0 ? (unsigned)counter : VPMU_CYCLE_COUNTER;
}

/* Tells whether an access has 64 bits. */
static bool is_wide(unsigned reg, const struct vpmu_pe *pe)
{
    return !pe->aarch32 || reg == VPMU_PMCCNTR_WIDE;
}

/* TC 63:61, TE 60, TLC 55:54 and TH from 32 on. */
static uint64_t threshold_bits(const struct model *m, unsigned idx)
{
    uint64_t bits = 0;

    if (m->config.threshold_width != 0) {
        bits = 0xe000000000000000;
        for (unsigned bit = 0; bit < m->config.threshold_width; bit++) {
            bits |= 0x100000000ull << bit;
        }
    }
    bits |= model_has(m, VPMU_HAS_EDGE) ? 0x1000000000000000 : 0;
    bits |= model_has(m, VPMU_HAS_TH2) && idx % 2 == 1 ? 0x00c0000000000000 : 0;
    return bits;
}

static uint64_t type_bits(const struct model *m, unsigned idx)
{
    uint64_t bits = VPMU_TYPER_P | VPMU_TYPER_U;

    if (model_has(m, VPMU_HAS_EL3)) {
        bits |= VPMU_TYPER_NSK | VPMU_TYPER_NSU;
        bits |= model_has(m, VPMU_HAS_NO_AARCH64) ? 0 : VPMU_TYPER_M;
    }
    if (model_has(m, VPMU_HAS_EL2)) {
        bits |= VPMU_TYPER_NSH;
    }
    if (model_has(m, VPMU_HAS_SECURE_EL2)) {
        bits |= VPMU_TYPER_SH;
    }
    if (model_has(m, VPMU_HAS_REALM)) {
        bits |= VPMU_TYPER_RLK | VPMU_TYPER_RLU | VPMU_TYPER_RLH;
    }
    if (idx < VPMU_CYCLE_COUNTER) {
        bits |= m->config.version >= VPMU_V3P1 ? VPMU_TYPER_EVENT : VPMU_TYPER_EVENT_V3;
        bits |= threshold_bits(m, idx);
    }
    return bits;
}

/*
 * Tells whether PMUACR or a read-only field makes an allowed access at EL0 read as zero or ignore a
 * write.
 */
static bool is_hidden(const struct model *m, unsigned idx, const struct vpmu_pe *pe, bool write)
{
    uint64_t read_only = VPMU_USERENR_ER;

    if (!model_uen(m, pe)) {
        return false;
    }
    if (idx == VPMU_CYCLE_COUNTER) {
        read_only = VPMU_USERENR_CR;
    } else if (idx == VPMU_INST_COUNTER) {
        read_only = VPMU_USERENR_IR;
    }
    return (m->uacr >> idx & 1) == 0 || (write && (m->userenr & read_only) != 0);
}

static uint64_t pmcr_kept_bits(const struct model *m)
{
    uint64_t bits = VPMU_PMCR_E;

    /* DP: "HaveEL(EL3) || (FEAT_PMUv3p1 && HaveEL(EL2)) || FEAT_PMUv3p7", else RES0 */
    if (model_has(m, VPMU_HAS_EL3) || m->config.version >= VPMU_V3P7) {
        bits |= VPMU_PMCR_DP;
    } else if (model_has(m, VPMU_HAS_EL2) && m->config.version != VPMU_V3) {
        bits |= VPMU_PMCR_DP;
    }
    if (!model_has(m, VPMU_HAS_NO_AARCH32)) {
        bits |= VPMU_PMCR_D | VPMU_PMCR_LC;
    }
    if (m->config.version >= VPMU_V3P5) {
        bits |= VPMU_PMCR_LP;
    }
    if (m->config.version >= VPMU_V3P7) {
        bits |= VPMU_PMCR_FZO;
        bits |= model_has(m, VPMU_HAS_SPE) ? VPMU_PMCR_FZS : 0;
    }
    return bits;
}

static uint64_t read_pmcr(const struct model *m, const struct vpmu_pe *pe)
{
    uint64_t n = pe->el < 2 && pe->el2_enabled ? model_hpmn(m) : m->config.counters;

    return m->pmcr | n << VPMU_PMCR_N_SHIFT | (uint64_t)m->config.idcode << VPMU_PMCR_IDCODE_SHIFT |
           (uint64_t)m->config.imp << VPMU_PMCR_IMP_SHIFT;
}

/* Drops the current cycle and the events in it. */
static void forget_cycle(struct model *m, unsigned idx)
{
    m->units_held[idx] = 0;
    if (idx < VPMU_MAX_EVENT_COUNTERS) {
        m->vb[idx] = 0;
        m->vm[idx] = 0;
    }
}

static void zero_counters(struct model *m, uint64_t counters)
{
    for (unsigned idx = 0; idx < VPMU_COUNTER_COUNT; idx++) {
        if ((counters >> idx & 1) != 0) {
            if (m->count[idx] != 0) {
                forget_cycle(m, idx);
            }
            m->count[idx] = 0;
            m->owed[idx] = 0;
        }
    }
    if ((counters >> VPMU_CYCLE_COUNTER & 1) != 0) {
        m->cycles_held = 0;
    }
}

static void write_pmcr(struct model *m, const struct vpmu_pe *pe, uint64_t val)
{
    uint64_t kept = pmcr_kept_bits(m);
    uint64_t old = m->pmcr;

    if (pe->aarch32) {
        kept &= LOW_HALF;
    }
    m->pmcr = (old & ~kept) | (val & kept);
    if (((old ^ m->pmcr) & (VPMU_PMCR_D | VPMU_PMCR_LC)) != 0) {
        m->cycles_held = 0;
    }
    if ((val & VPMU_PMCR_P) != 0) {
        zero_counters(m, model_write_mask(m, pe) & ((1ull << VPMU_CYCLE_COUNTER) - 1));
    }
    if ((val & VPMU_PMCR_C) != 0) {
        zero_counters(m, model_write_mask(m, pe) & 1ull << VPMU_CYCLE_COUNTER);
    }
}

/* PMCEID<half>: events 0x20 * half + n in bit n, and 0x4000 above them in bit 32 + n. */
static uint64_t read_pmceid(const struct model *m, unsigned half)
{
    uint64_t bits = 0;

    for (unsigned n = 0; n < 0x20; n++) {
        if (model_has_event(m, 0x20 * half + n)) {
            bits |= 1ull << n;
        }
        if (m->config.version >= VPMU_V3P1 && model_has_event(m, 0x4000 + 0x20 * half + n)) {
            bits |= 1ull << (32 + n);
        }
    }
    return bits;
}

static uint64_t userenr_bits(const struct model *m, const struct vpmu_pe *pe)
{
    uint64_t bits = VPMU_USERENR_EN | VPMU_USERENR_SW | VPMU_USERENR_CR | VPMU_USERENR_ER;

    if (m->config.version >= VPMU_V3P9) {
        bits |= VPMU_USERENR_TID;
    }
    if (!pe->aarch32 && m->config.version >= VPMU_V3P9) {
        bits |= VPMU_USERENR_UEN;
        bits |= model_has(m, VPMU_HAS_ICNTR) ? VPMU_USERENR_IR : 0;
    }
    return bits;
}

/* PMMIR.THWIDTH and EDGE, in both views: AArch32's PMMIR is bits 31:0 of PMMIR_EL1. */
static uint64_t read_thresholds(const struct model *m)
{
    uint64_t edge = model_has(m, VPMU_HAS_EDGE) ? 1 : 0;

    return (edge + (model_has(m, VPMU_HAS_TH2) ? 1 : 0)) << 24 | (uint64_t)m->config.threshold_width
                                                                     << 20;
}

static uint64_t read_other(const struct model *m, unsigned reg, const struct vpmu_pe *pe)
{
    switch (reg) {
    case VPMU_PMCR:
        return read_pmcr(m, pe);
    case VPMU_PMCNTENSET:
    case VPMU_PMCNTENCLR:
        return m->cnten & model_read_mask(m, pe);
    case VPMU_PMOVSSET:
    case VPMU_PMOVSCLR:
        return m->ovs & model_read_mask(m, pe);
    case VPMU_PMINTENSET:
    case VPMU_PMINTENCLR:
        return m->inten & model_read_mask(m, pe);
    case VPMU_PMSELR:
        return m->selr;
    case VPMU_PMCEID0:
    case VPMU_PMCEID1:
        return read_pmceid(m, reg - VPMU_PMCEID0);
    case VPMU_PMCEID2:
    case VPMU_PMCEID3:
        return read_pmceid(m, reg - VPMU_PMCEID2) >> 32;
    case VPMU_PMUSERENR:
        return m->userenr & userenr_bits(m, pe);
    case VPMU_PMMIR:
        return m->config.slots | read_thresholds(m);
    case VPMU_PMUACR:
        return m->uacr & model_access_mask(m, pe);
    default:
        return 0;
    }
}

uint64_t model_read(const struct model *m, unsigned reg, const struct vpmu_pe *pe)
{
    enum kind kind = kind_of(reg);
    unsigned idx = counter_of(m, reg);
    uint64_t val;

    if (kind == KIND_OTHER) {
        val = read_other(m, reg, pe);
    } else if (is_hidden(m, idx, pe, false)) {
        val = 0;
    } else if (kind == KIND_COUNT) {
        val = m->count[idx];
    } else {
        val = m->type[idx] | (idx == VPMU_INST_COUNTER ? VPMU_EVENT_INST_RETIRED : 0);
    }
    return is_wide(reg, pe) ? val : val & LOW_HALF;
}

static void set_masked(uint64_t *bits, uint64_t mask, uint64_t val)
{
    *bits = (*bits & ~mask) | (val & mask);
}

static void write_count(struct model *m, unsigned idx, bool wide, uint64_t val)
{
    bool is_short = idx < VPMU_CYCLE_COUNTER && m->config.version < VPMU_V3P5;
    uint64_t old = m->count[idx];

    set_masked(&m->count[idx], wide && !is_short ? UINT64_MAX : LOW_HALF, val);
    m->owed[idx] = 0;
    if (m->count[idx] != old) {
        forget_cycle(m, idx);
    }
    if (idx == VPMU_CYCLE_COUNTER) {
        m->cycles_held = 0;
    }
}

/* A counter that is no longer paced keeps a partial cycle only if it counts cycles. */
static void leave_pace(struct model *m, unsigned idx)
{
    unsigned held =
        (model_sources(m, idx) >> VPMU_SRC_CPU_CYCLES & 1) != 0 ? m->units_held[idx] : 0;

    forget_cycle(m, idx);
    m->units_held[idx] = held;
}

/*
 * A partial cycle is dropped if the event or the function changes. The link to the counter below
 * may also have changed.
 */
static void write_type(struct model *m, unsigned idx, bool wide, uint64_t val)
{
    uint64_t old = m->type[idx];

    set_masked(&m->type[idx], wide ? UINT64_MAX : LOW_HALF, val & type_bits(m, idx));
    if (((old ^ m->type[idx]) & (0xffff | threshold_bits(m, idx))) != 0) {
        forget_cycle(m, idx);
        m->owed[idx] = 0;
        if (idx < VPMU_MAX_EVENT_COUNTERS) {
            m->cp[idx] = false;
        }
    }
    for (unsigned i = idx & ~1u; i <= idx && idx < VPMU_MAX_EVENT_COUNTERS; i++) {
        if (!model_is_paced(m, i)) {
            leave_pace(m, i);
            m->cp[i] = false;
        }
    }
}

/* PMUSwIncrement */
static void write_pmswinc(struct model *m, const struct vpmu_pe *pe, uint64_t val)
{
    unsigned accessible = pe->el < 2 && pe->el2_enabled ? model_hpmn(m) : m->config.counters;
    uint64_t mask = (1ull << accessible) - 1;

    if (model_uen(m, pe) && (m->userenr & VPMU_USERENR_SW) == 0) {
        mask &= m->uacr;
    }
    model_software_increment(m, val & mask);
}

static void write_other(struct model *m, unsigned reg, const struct vpmu_pe *pe, uint64_t val)
{
    uint64_t mask = model_write_mask(m, pe);

    switch (reg) {
    case VPMU_PMCR:
        write_pmcr(m, pe, val);
        break;
    case VPMU_PMCNTENSET:
        m->cnten |= val & mask;
        break;
    case VPMU_PMCNTENCLR:
        m->cnten &= ~(val & mask);
        break;
    case VPMU_PMOVSSET:
        m->ovs |= val & mask;
        break;
    case VPMU_PMOVSCLR:
        m->ovs &= ~(val & mask);
        break;
    case VPMU_PMINTENSET:
        m->inten |= val & mask;
        break;
    case VPMU_PMINTENCLR:
        m->inten &= ~(val & mask);
        break;
    case VPMU_PMSWINC:
        write_pmswinc(m, pe, val);
        break;
    case VPMU_PMSELR:
        m->selr = val & VPMU_SELR_MASK;
        break;
    case VPMU_PMUSERENR:
        set_masked(&m->userenr, userenr_bits(m, pe), val);
        break;
    case VPMU_PMUACR:
        set_masked(&m->uacr, model_access_mask(m, pe), val);
        break;
    case VPMU_PMZR:
        zero_counters(m, val & mask);
        break;
    default:
        break;
    }
}

void model_write(struct model *m, unsigned reg, const struct vpmu_pe *pe, uint64_t val)
{
    enum kind kind = kind_of(reg);
    unsigned idx = counter_of(m, reg);
    bool wide = is_wide(reg, pe);

    if (!wide) {
        val &= LOW_HALF;
    }
    if (kind == KIND_OTHER) {
        write_other(m, reg, pe, val);
    } else if (is_hidden(m, idx, pe, true)) {
        return;
    } else if (kind == KIND_COUNT) {
        write_count(m, idx, wide, val);
    } else {
        write_type(m, idx, wide, val);
    }
    model_look(m);
}
