/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Reading and writing registers. The architecture's masks (GetPMUAccessMask and its kin, J1.3.1)
 * say which counters' bits an access sees and which it may change.
 */
#include "internal.h"

static uint64_t access_mask(const struct vpmu *v, const struct vpmu_pe *pe)
{
    uint64_t mask = vpmu_below_(vpmu_accessible_(v, pe)) | VPMU_BIT(VPMU_CYCLE_COUNTER);
    bool uen = vpmu_uen_(v, pe);

    if (vpmu_has_(v, VPMU_HAS_ICNTR) && !pe->aarch32 && (pe->el != 0 || uen)) {
        mask |= VPMU_BIT(VPMU_INST_COUNTER);
    }
    return uen ? mask & v->uacr : mask;
}

static uint64_t without_f0_if(uint64_t mask, bool condition)
{
    return condition ? mask & ~VPMU_BIT(VPMU_INST_COUNTER) : mask;
}

static bool enpm2_hides(const struct vpmu *v, const struct vpmu_pe *pe)
{
    return vpmu_has_(v, VPMU_HAS_EL3) && pe->el != 3 &&
           !(v->controls.mdcr_el3 & VPMU_MDCR_EL3_ENPM2);
}

static uint64_t read_mask(const struct vpmu *v, const struct vpmu_pe *pe)
{
    return without_f0_if(access_mask(v, pe), enpm2_hides(v, pe) || pe->f0_read_trapped);
}

static uint64_t write_mask(const struct vpmu *v, const struct vpmu_pe *pe)
{
    uint64_t mask = access_mask(v, pe);

    if (vpmu_uen_(v, pe)) {
        if (v->userenr & VPMU_USERENR_IR) {
            mask &= ~VPMU_BIT(VPMU_INST_COUNTER);
        }
        if (v->userenr & VPMU_USERENR_CR) {
            mask &= ~VPMU_BIT(VPMU_CYCLE_COUNTER);
        }
        if (v->userenr & VPMU_USERENR_ER) {
            mask &= ~vpmu_below_(VPMU_MAX_EVENT_COUNTERS);
        }
    }
    return without_f0_if(mask, enpm2_hides(v, pe) || pe->f0_write_trapped);
}

/* PMUACR alone, for the registers of one counter. */
static bool may_touch(const struct vpmu *v, const struct vpmu_pe *pe, unsigned idx, bool write)
{
    static const uint64_t read_only_by[] = {VPMU_USERENR_ER, VPMU_USERENR_CR, VPMU_USERENR_IR};

    if (!vpmu_uen_(v, pe)) {
        return true;
    }
    if (!(v->uacr & VPMU_BIT(idx))) {
        return false;
    }
    return !write || !(v->userenr & read_only_by[idx < VPMU_CYCLE_COUNTER ? 0 : idx - 30]);
}

/* How one register of the bank is read and written; arg tells apart registers that are alike. */
struct accessor {
    uint64_t (*read)(struct vpmu *v, const struct vpmu_pe *pe, unsigned arg);
    void (*write)(struct vpmu *v, const struct vpmu_pe *pe, unsigned arg, uint64_t val);
};

static uint64_t pmcr_read(struct vpmu *v, const struct vpmu_pe *pe, unsigned arg)
{
    (void)arg;
    return v->pmcr | (uint64_t)vpmu_accessible_(v, pe) << VPMU_PMCR_N_SHIFT |
           (uint64_t)v->config.idcode << VPMU_PMCR_IDCODE_SHIFT |
           (uint64_t)v->config.imp << VPMU_PMCR_IMP_SHIFT;
}

static void zero_counters(struct vpmu *v, uint64_t mask)
{
    unsigned idx;

    VPMU_FOR_EACH_BIT (idx, mask) {
        vpmu_counter_set_(v, idx, 0);
    }
}

static void pmcr_write(struct vpmu *v, const struct vpmu_pe *pe, unsigned arg, uint64_t val)
{
    uint64_t mask = write_mask(v, pe);
    uint64_t old = v->pmcr;

    (void)arg;
    vpmu_begin_(v);
    if (val & VPMU_PMCR_P) {
        zero_counters(v, mask & vpmu_below_(VPMU_MAX_EVENT_COUNTERS));
    }
    if (val & VPMU_PMCR_C) {
        zero_counters(v, mask & VPMU_BIT(VPMU_CYCLE_COUNTER));
    }
    v->pmcr = (val & vpmu_pmcr_kept_(v)) | vpmu_pmcr_fixed_(v);
    if ((old ^ v->pmcr) & (VPMU_PMCR_D | VPMU_PMCR_LC)) {
        v->counter[VPMU_CYCLE_COUNTER].remainder = 0;
    }
    vpmu_end_(v, old ^ v->pmcr ? v->cnten : 0);
}

/* PMCNTEN*, PMINTEN* and PMOVS*: a bitmap each, which one register sets and another clears. */
enum bitmap_arg {
    CNTEN_SET,
    CNTEN_CLR,
    INTEN_SET,
    INTEN_CLR,
    OVS_SET,
    OVS_CLR,
};

static uint64_t *bitmap(struct vpmu *v, unsigned arg)
{
    return arg <= CNTEN_CLR ? &v->cnten : arg <= INTEN_CLR ? &v->inten : &v->ovs;
}

static uint64_t bitmap_read(struct vpmu *v, const struct vpmu_pe *pe, unsigned arg)
{
    if (arg >= OVS_SET) {
        vpmu_settle(v);
    }
    return *bitmap(v, arg) & read_mask(v, pe);
}

static void bitmap_write(struct vpmu *v, const struct vpmu_pe *pe, unsigned arg, uint64_t val)
{
    uint64_t *bits = bitmap(v, arg);
    bool clears = arg % 2;

    val &= write_mask(v, pe);
    vpmu_begin_(v);
    *bits = clears ? *bits & ~val : *bits | val;
    vpmu_end_(v, arg <= CNTEN_CLR ? val : 0);
}

static void pmswinc_write(struct vpmu *v, const struct vpmu_pe *pe, unsigned arg, uint64_t val)
{
    uint64_t mask = vpmu_below_(vpmu_accessible_(v, pe));
    unsigned idx;

    (void)arg;
    if (vpmu_uen_(v, pe) && !(v->userenr & VPMU_USERENR_SW)) {
        mask &= v->uacr;
    }
    mask &= val & v->in_ctx[v->ctx];
    VPMU_FOR_EACH_BIT (idx, mask) {
        if (vpmu_event_of_(v, idx) != VPMU_EVENT_SW_INCR) {
            mask &= ~VPMU_BIT(idx);
        }
    }
    /* The write's own cycle has not ended yet: the event falls into it. */
    VPMU_FOR_EACH_BIT (idx, mask & v->paced) {
        v->pace[idx].value++;
    }
    vpmu_begin_(v);
    VPMU_FOR_EACH_BIT (idx, mask & ~v->paced) {
        vpmu_counter_add_(v, idx, 1);
    }
    vpmu_end_(v, 0);
}

static uint64_t pmselr_read(struct vpmu *v, const struct vpmu_pe *pe, unsigned arg)
{
    (void)pe;
    (void)arg;
    return v->selr;
}

static void pmselr_write(struct vpmu *v, const struct vpmu_pe *pe, unsigned arg, uint64_t val)
{
    (void)pe;
    (void)arg;
    v->selr = val & VPMU_SELR_MASK;
}

/* PMCEID may have to be what it was in another implementation. */
static bool is_announced(const struct vpmu *v, unsigned number)
{
    switch (number) {
    case VPMU_EVENT_SW_INCR:
    case VPMU_EVENT_CPU_CYCLES:
        return true;
    case VPMU_EVENT_STALL_FRONTEND:
    case VPMU_EVENT_STALL_BACKEND:
        return v->announced == VPMU_ANNOUNCED_ALL || v->config.version >= VPMU_V3P1;
    case VPMU_EVENT_STALL:
        return v->announced == VPMU_ANNOUNCED_ALL || v->config.version >= VPMU_V3P4;
    case VPMU_EVENT_INST_RETIRED:
        return v->announced != VPMU_ANNOUNCED_CYCLES;
    default:
        return v->announced == VPMU_ANNOUNCED_ALL;
    }
}

/* Bit i is common event first + i. */
static uint32_t events_from(const struct vpmu *v, unsigned first)
{
    uint32_t bits = 0;

    for (size_t i = 0; i < vpmu_events_count; i++) {
        const struct vpmu_event *event = &vpmu_events[i];

        if (event->number >= first && event->number < first + 32 && vpmu_counts_(v, event) &&
            is_announced(v, event->number)) {
            bits |= 1u << (event->number - first);
        }
    }
    return bits;
}

uint64_t vpmu_pmceid_(const struct vpmu *v, unsigned first)
{
    uint32_t low = events_from(v, first);
    uint32_t high = v->config.version >= VPMU_V3P1 ? events_from(v, 0x4000 + first) : 0;

    return (uint64_t)high << 32 | low;
}

static uint64_t pmceid_read(struct vpmu *v, const struct vpmu_pe *pe, unsigned arg)
{
    (void)pe;
    return vpmu_pmceid_(v, arg);
}

static uint64_t pmceid_high_read(struct vpmu *v, const struct vpmu_pe *pe, unsigned arg)
{
    return pmceid_read(v, pe, arg) >> 32;
}

static uint64_t pmuserenr_read(struct vpmu *v, const struct vpmu_pe *pe, unsigned arg)
{
    (void)arg;
    return pe->aarch32 ? v->userenr & 0xf : v->userenr;
}

static void pmuserenr_write(struct vpmu *v, const struct vpmu_pe *pe, unsigned arg, uint64_t val)
{
    uint64_t mask = vpmu_userenr_kept_(v) & (pe->aarch32 ? 0xf : UINT64_MAX);

    (void)arg;
    v->userenr = (v->userenr & ~mask) | (val & mask);
}

uint64_t vpmu_pmmir_(const struct vpmu *v)
{
    uint64_t edge = vpmu_has_(v, VPMU_HAS_TH2) ? 2 : vpmu_has_(v, VPMU_HAS_EDGE) ? 1 : 0;

    return (uint64_t)v->config.slots << VPMU_PMMIR_SLOTS_SHIFT |
           (uint64_t)v->config.threshold_width << VPMU_PMMIR_THWIDTH_SHIFT |
           edge << VPMU_PMMIR_EDGE_SHIFT;
}

static uint64_t pmmir_read(struct vpmu *v, const struct vpmu_pe *pe, unsigned arg)
{
    (void)arg;
    if (pe->aarch32) {
        /* PMEVTYPER.TC, TE, TLC and TH lie beyond its 32 bits: there are no thresholds to set. */
        return (uint64_t)v->config.slots << VPMU_PMMIR_SLOTS_SHIFT;
    }
    return vpmu_pmmir_(v);
}

/* The counters that PMUACR_EL1 has bits for here. */
static uint64_t uacr_mask(const struct vpmu *v, const struct vpmu_pe *pe)
{
    return vpmu_implemented_(v) &
           ~(vpmu_below_(VPMU_MAX_EVENT_COUNTERS) & ~vpmu_below_(vpmu_accessible_(v, pe)));
}

static uint64_t pmuacr_read(struct vpmu *v, const struct vpmu_pe *pe, unsigned arg)
{
    (void)arg;
    return v->uacr & uacr_mask(v, pe);
}

static void pmuacr_write(struct vpmu *v, const struct vpmu_pe *pe, unsigned arg, uint64_t val)
{
    uint64_t mask = uacr_mask(v, pe);

    (void)arg;
    v->uacr = (v->uacr & ~mask) | (val & mask);
}

static void pmzr_write(struct vpmu *v, const struct vpmu_pe *pe, unsigned arg, uint64_t val)
{
    (void)arg;
    vpmu_begin_(v);
    zero_counters(v, val & write_mask(v, pe));
    vpmu_end_(v, 0);
}

static uint64_t counter_read(struct vpmu *v, const struct vpmu_pe *pe, unsigned idx)
{
    if (!may_touch(v, pe, idx, false)) {
        return 0;
    }
    vpmu_settle(v);
    return v->counter[idx].value;
}

/* In a 32-bit view a write leaves the upper half alone. */
static uint64_t merged(const struct vpmu_pe *pe, uint64_t old, uint64_t val)
{
    return pe->aarch32 ? (old & ~VPMU_LOW32) | (val & VPMU_LOW32) : val;
}

static void counter_write_wide(struct vpmu *v, const struct vpmu_pe *pe, unsigned idx, uint64_t val)
{
    if (may_touch(v, pe, idx, true)) {
        vpmu_begin_(v);
        vpmu_counter_set_(v, idx, val);
        vpmu_end_(v, 0);
    }
}

static void counter_write(struct vpmu *v, const struct vpmu_pe *pe, unsigned idx, uint64_t val)
{
    vpmu_settle(v);
    counter_write_wide(v, pe, idx, merged(pe, v->counter[idx].value, val));
}

static uint64_t typer_read(struct vpmu *v, const struct vpmu_pe *pe, unsigned idx)
{
    uint64_t event = idx == VPMU_INST_COUNTER ? VPMU_EVENT_INST_RETIRED : 0;

    return may_touch(v, pe, idx, false) ? v->counter[idx].type | event : 0;
}

static void typer_write(struct vpmu *v, const struct vpmu_pe *pe, unsigned idx, uint64_t val)
{
    struct vpmu_counter *c = &v->counter[idx];
    uint64_t old = c->type;
    uint64_t counters = VPMU_BIT(idx);

    if (may_touch(v, pe, idx, true)) {
        vpmu_begin_(v);
        c->type = merged(pe, old, val & vpmu_typer_kept_(v, idx));
        if ((old ^ c->type) & (VPMU_TYPER_EVENT | vpmu_threshold_kept_(&v->config, idx))) {
            vpmu_counter_restart_(v, idx);
            vpmu_pace_restart_(v, idx);
        }
        if (idx % 2 && idx < VPMU_CYCLE_COUNTER) {
            /* It may be linked to the one below, or not any more. */
            counters |= VPMU_BIT(idx - 1);
        }
        vpmu_end_(v, counters);
    }
}

static const struct {
    struct accessor accessor;
    unsigned arg;
} bank[] = {
    [VPMU_PMCR] = {{pmcr_read, pmcr_write}, 0},
    [VPMU_PMCNTENSET] = {{bitmap_read, bitmap_write}, CNTEN_SET},
    [VPMU_PMCNTENCLR] = {{bitmap_read, bitmap_write}, CNTEN_CLR},
    [VPMU_PMOVSCLR] = {{bitmap_read, bitmap_write}, OVS_CLR},
    [VPMU_PMOVSSET] = {{bitmap_read, bitmap_write}, OVS_SET},
    [VPMU_PMSWINC] = {{NULL, pmswinc_write}, 0},
    [VPMU_PMSELR] = {{pmselr_read, pmselr_write}, 0},
    [VPMU_PMCCNTR] = {{counter_read, counter_write}, VPMU_CYCLE_COUNTER},
    [VPMU_PMCCNTR_WIDE] = {{counter_read, counter_write_wide}, VPMU_CYCLE_COUNTER},
    [VPMU_PMCCFILTR] = {{typer_read, typer_write}, VPMU_CYCLE_COUNTER},
    [VPMU_PMCEID0] = {{pmceid_read, NULL}, 0},
    [VPMU_PMCEID1] = {{pmceid_read, NULL}, 32},
    [VPMU_PMCEID2] = {{pmceid_high_read, NULL}, 0},
    [VPMU_PMCEID3] = {{pmceid_high_read, NULL}, 32},
    [VPMU_PMUSERENR] = {{pmuserenr_read, pmuserenr_write}, 0},
    [VPMU_PMINTENSET] = {{bitmap_read, bitmap_write}, INTEN_SET},
    [VPMU_PMINTENCLR] = {{bitmap_read, bitmap_write}, INTEN_CLR},
    [VPMU_PMMIR] = {{pmmir_read, NULL}, 0},
    [VPMU_PMUACR] = {{pmuacr_read, pmuacr_write}, 0},
    [VPMU_PMICNTR] = {{counter_read, counter_write}, VPMU_INST_COUNTER},
    [VPMU_PMICFILTR] = {{typer_read, typer_write}, VPMU_INST_COUNTER},
    [VPMU_PMZR] = {{NULL, pmzr_write}, 0},
};

static const struct accessor event_counter = {counter_read, counter_write};
static const struct accessor event_typer = {typer_read, typer_write};

/* The accessor of a register and its argument; NULL if the PMU has no such register. */
static const struct accessor *find(const struct vpmu *v, unsigned reg, const struct vpmu_pe *pe,
                                   unsigned *arg)
{
    reg = vpmu_selected_(v, reg);
    if (!vpmu_reg_exists(v, reg, pe->aarch32)) {
        return NULL;
    }
    if (reg >= VPMU_PMEVTYPER0) {
        *arg = reg - VPMU_PMEVTYPER0;
        return &event_typer;
    }
    if (reg >= VPMU_PMEVCNTR0) {
        *arg = reg - VPMU_PMEVCNTR0;
        return &event_counter;
    }
    *arg = bank[reg].arg;
    return &bank[reg].accessor;
}

int vpmu_reg_read(struct vpmu *v, unsigned reg, const struct vpmu_pe *pe, uint64_t *val)
{
    unsigned arg;
    const struct accessor *accessor = find(v, reg, pe, &arg);

    *val = 0;
    if (!accessor || !accessor->read) {
        return -VPMU_ERR_REG;
    }
    *val = accessor->read(v, pe, arg);
    if (pe->aarch32 && reg != VPMU_PMCCNTR_WIDE) {
        *val &= VPMU_LOW32;
    }
    return 0;
}

int vpmu_reg_write(struct vpmu *v, unsigned reg, const struct vpmu_pe *pe, uint64_t val)
{
    unsigned arg;
    const struct accessor *accessor = find(v, reg, pe, &arg);

    if (!accessor || !accessor->write) {
        return -VPMU_ERR_REG;
    }
    if (pe->aarch32 && reg != VPMU_PMCCNTR_WIDE) {
        val &= VPMU_LOW32;
        if (reg == VPMU_PMCR) {
            val |= v->pmcr & ~VPMU_LOW32;
        }
    }
    accessor->write(v, pe, arg, val);
    if (v->watch) {
        vpmu_watch_written_(v, pe, reg, val);
    }
    return 0;
}
