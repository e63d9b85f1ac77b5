/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Reads and writes registers. The rules for writes change only the registers, and return in struct
 * write what else must be done.
 */
#include "arm_internal.h"

/* The fields of PMEVTYPER for thresholds. */
#define THRESHOLD                                                                                  \
    (VPMU_TYPER_TC | VPMU_TYPER_TE | VPMU_TYPER_TLC | VPMU_TYPER_TH_MASK << VPMU_TYPER_TH_SHIFT)

/* A write in progress. */
struct write {
    struct vpmu_setup_ setup;
    const struct vpmu_pe *pe;
    struct vpmu_arm_regs *regs; /* the registers in setup */
    uint64_t val;
    /* The results of a rule. */
    uint64_t set;     /* counters that are set to a value: */
    uint64_t bits;    /* these bits of the value */
    uint64_t forget;  /* counters whose event was changed */
    uint64_t changed; /* counters that may now count differently */
    bool undivided;   /* the cycle counter's prescaler restarts */
};

/* How a register is read and written. arg distinguishes registers that share the functions. */
struct accessor {
    uint64_t (*read)(struct vpmu_arm *v, const struct vpmu_pe *pe, unsigned arg);
    void (*write)(struct write *w, unsigned arg);
    enum {
        OF_COUNTERS, /* may change what all counters do */
        OF_COUNTER,  /* belongs to one counter; arg is its number */
        OF_SOFTWARE, /* does not affect counters */
    } kind;
};

static uint64_t pmcr_read(struct vpmu_arm *v, const struct vpmu_pe *pe, unsigned arg)
{
    struct vpmu_setup_ setup = vpmu_setup_of_(v);

    (void)arg;
    return v->regs.pmcr | (uint64_t)vpmu_accessible_(&setup, pe) << VPMU_PMCR_N_SHIFT |
           (uint64_t)v->config.idcode << VPMU_PMCR_IDCODE_SHIFT |
           (uint64_t)v->config.imp << VPMU_PMCR_IMP_SHIFT;
}

static void zero(struct write *w, uint64_t counters)
{
    w->set = counters & vpmu_write_mask_(&w->setup, w->pe);
    w->bits = UINT64_MAX;
    w->val = 0;
}

static void pmcr_write(struct write *w, unsigned arg)
{
    const struct vpmu_arm_config *config = w->setup.config;
    uint64_t old = w->regs->pmcr;
    uint64_t val = w->val;

    (void)arg;
    if (w->pe->aarch32) {
        val |= old & ~VPMU_LOW32;
    }
    zero(w, (val & VPMU_PMCR_P ? vpmu_below_(VPMU_MAX_EVENT_COUNTERS) : 0) |
                (val & VPMU_PMCR_C ? VPMU_BIT(VPMU_CYCLE_COUNTER) : 0));
    w->regs->pmcr = (val & vpmu_pmcr_kept_(config)) | vpmu_pmcr_fixed_(config);
    w->undivided = (old ^ w->regs->pmcr) & (VPMU_PMCR_D | VPMU_PMCR_LC);
    w->changed = old ^ w->regs->pmcr ? w->regs->cnten : 0;
}

/*
 * PMCNTEN*, PMINTEN* and PMOVS*: each is a bitmap with one register that sets bits and another that
 * clears them.
 */
enum bitmap_arg {
    CNTEN_SET,
    CNTEN_CLR,
    INTEN_SET,
    INTEN_CLR,
    OVS_SET,
    OVS_CLR,
};

static uint64_t *bitmap(struct vpmu_arm_regs *regs, unsigned arg)
{
    return arg <= CNTEN_CLR ? &regs->cnten : arg <= INTEN_CLR ? &regs->inten : &regs->ovs;
}

static uint64_t bitmap_read(struct vpmu_arm *v, const struct vpmu_pe *pe, unsigned arg)
{
    struct vpmu_setup_ setup = vpmu_setup_of_(v);

    return *bitmap(&v->regs, arg) & vpmu_read_mask_(&setup, pe);
}

static void bitmap_write(struct write *w, unsigned arg)
{
    uint64_t *bits = bitmap(w->regs, arg);
    uint64_t val = w->val & vpmu_write_mask_(&w->setup, w->pe);
    bool clears = arg % 2;

    *bits = clears ? *bits & ~val : *bits | val;
    w->changed = arg <= CNTEN_CLR ? val : 0;
}

/* PMSELR, PMUSERENR and PMUACR: reads return what was written, without bits that do not exist. */
enum plain_arg {
    SELR,
    USERENR,
    UACR,
};

static uint64_t *plain(struct vpmu_arm_regs *regs, unsigned arg)
{
    return arg == SELR ? &regs->selr : arg == USERENR ? &regs->userenr : &regs->uacr;
}

static uint64_t plain_bits(const struct vpmu_setup_ *s, const struct vpmu_pe *pe, unsigned arg)
{
    switch (arg) {
    case SELR:
        return VPMU_SELR_MASK;
    case USERENR:
        /* Bits 5:4 of AArch32's register are RES0 (G8.4.18). */
        return vpmu_userenr_kept_(s->config) &
               (pe->aarch32 ? ~(VPMU_USERENR_UEN | VPMU_USERENR_IR) : UINT64_MAX);
    default:
        return vpmu_implemented_(s->config) &
               ~(vpmu_below_(VPMU_MAX_EVENT_COUNTERS) & ~vpmu_below_(vpmu_accessible_(s, pe)));
    }
}

static uint64_t plain_read(struct vpmu_arm *v, const struct vpmu_pe *pe, unsigned arg)
{
    struct vpmu_setup_ setup = vpmu_setup_of_(v);

    return *plain(&v->regs, arg) & plain_bits(&setup, pe, arg);
}

static void assign(uint64_t *reg, uint64_t mask, uint64_t val)
{
    *reg = (*reg & ~mask) | (val & mask);
}

static void plain_write(struct write *w, unsigned arg)
{
    assign(plain(w->regs, arg), plain_bits(&w->setup, w->pe, arg), w->val);
}

static uint64_t pmceid_read(struct vpmu_arm *v, const struct vpmu_pe *pe, unsigned arg)
{
    (void)pe;
    return vpmu_pmceid_(&v->config, v->announced, arg);
}

static uint64_t pmceid_high_read(struct vpmu_arm *v, const struct vpmu_pe *pe, unsigned arg)
{
    return pmceid_read(v, pe, arg) >> 32;
}

static uint64_t pmmir_read(struct vpmu_arm *v, const struct vpmu_pe *pe, unsigned arg)
{
    (void)pe;
    (void)arg;
    return vpmu_pmmir_(&v->config, v->announced);
}

static void pmzr_write(struct write *w, unsigned arg)
{
    (void)arg;
    zero(w, w->val);
}

static uint64_t counter_read(struct vpmu_arm *v, const struct vpmu_pe *pe, unsigned idx)
{
    (void)pe;
    return v->count.counter[idx].value;
}

static void counter_write_wide(struct write *w, unsigned idx)
{
    w->set = VPMU_BIT(idx);
    w->bits = UINT64_MAX;
}

/* In a 32-bit view, a write does not change the upper half. */
static uint64_t bits_of(const struct vpmu_pe *pe)
{
    return pe->aarch32 ? VPMU_LOW32 : UINT64_MAX;
}

static void counter_write(struct write *w, unsigned idx)
{
    w->set = VPMU_BIT(idx);
    w->bits = bits_of(w->pe);
}

static uint64_t typer_read(struct vpmu_arm *v, const struct vpmu_pe *pe, unsigned idx)
{
    (void)pe;
    return v->regs.type[idx] | (idx == VPMU_INST_COUNTER ? VPMU_EVENT_INST_RETIRED : 0);
}

static void typer_write(struct write *w, unsigned idx)
{
    uint64_t *type = &w->regs->type[idx];
    uint64_t old = *type;

    assign(type, bits_of(w->pe), w->val & vpmu_typer_kept_(w->setup.config, idx));
    if ((old ^ *type) & (VPMU_TYPER_EVENT | THRESHOLD)) {
        w->forget = VPMU_BIT(idx);
    }
    w->changed = VPMU_BIT(idx);
    if (idx % 2 && idx < VPMU_CYCLE_COUNTER) {
        /* The counter's link to the counter below may have changed. */
        w->changed |= VPMU_BIT(idx - 1);
    }
}

static const struct {
    struct accessor accessor;
    unsigned arg;
} bank[] = {
    [VPMU_PMCR] = {{pmcr_read, pmcr_write, OF_COUNTERS}, 0},
    [VPMU_PMCNTENSET] = {{bitmap_read, bitmap_write, OF_COUNTERS}, CNTEN_SET},
    [VPMU_PMCNTENCLR] = {{bitmap_read, bitmap_write, OF_COUNTERS}, CNTEN_CLR},
    [VPMU_PMOVSCLR] = {{bitmap_read, bitmap_write, OF_COUNTERS}, OVS_CLR},
    [VPMU_PMOVSSET] = {{bitmap_read, bitmap_write, OF_COUNTERS}, OVS_SET},
    [VPMU_PMSELR] = {{plain_read, plain_write, OF_SOFTWARE}, SELR},
    [VPMU_PMCCNTR] = {{counter_read, counter_write, OF_COUNTER}, VPMU_CYCLE_COUNTER},
    [VPMU_PMCCNTR_WIDE] = {{counter_read, counter_write_wide, OF_COUNTER}, VPMU_CYCLE_COUNTER},
    [VPMU_PMCCFILTR] = {{typer_read, typer_write, OF_COUNTER}, VPMU_CYCLE_COUNTER},
    [VPMU_PMCEID0] = {{pmceid_read, NULL, OF_SOFTWARE}, 0},
    [VPMU_PMCEID1] = {{pmceid_read, NULL, OF_SOFTWARE}, 32},
    [VPMU_PMCEID2] = {{pmceid_high_read, NULL, OF_SOFTWARE}, 0},
    [VPMU_PMCEID3] = {{pmceid_high_read, NULL, OF_SOFTWARE}, 32},
    [VPMU_PMUSERENR] = {{plain_read, plain_write, OF_SOFTWARE}, USERENR},
    [VPMU_PMINTENSET] = {{bitmap_read, bitmap_write, OF_COUNTERS}, INTEN_SET},
    [VPMU_PMINTENCLR] = {{bitmap_read, bitmap_write, OF_COUNTERS}, INTEN_CLR},
    [VPMU_PMMIR] = {{pmmir_read, NULL, OF_SOFTWARE}, 0},
    [VPMU_PMUACR] = {{plain_read, plain_write, OF_SOFTWARE}, UACR},
    [VPMU_PMICNTR] = {{counter_read, counter_write, OF_COUNTER}, VPMU_INST_COUNTER},
    [VPMU_PMICFILTR] = {{typer_read, typer_write, OF_COUNTER}, VPMU_INST_COUNTER},
    [VPMU_PMZR] = {{NULL, pmzr_write, OF_COUNTERS}, 0},
};

static const struct accessor event_counter = {counter_read, counter_write, OF_COUNTER};
static const struct accessor event_typer = {typer_read, typer_write, OF_COUNTER};

/* Finds the accessor of a register and its argument; NULL if the PMU has no such register. */
static const struct accessor *find(const struct vpmu_arm *v, unsigned reg, const struct vpmu_pe *pe,
                                   unsigned *arg)
{
    reg = vpmu_selected_(&v->regs, reg);
    if (!vpmu_exists_(&v->config, reg, pe->aarch32)) {
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

static bool is_hidden(const struct vpmu_arm *v, const struct accessor *accessor,
                      const struct vpmu_pe *pe, unsigned arg, bool write)
{
    struct vpmu_setup_ setup = vpmu_setup_of_(v);

    return pe->el == 0 && accessor->kind == OF_COUNTER && !vpmu_may_touch_(&setup, pe, arg, write);
}

static bool is_wide(unsigned reg, const struct vpmu_pe *pe)
{
    return !pe->aarch32 || reg == VPMU_PMCCNTR_WIDE;
}

bool vpmu_arm_reg_exists(const struct vpmu_arm *v, unsigned reg, bool aarch32)
{
    return vpmu_exists_(&v->config, reg, aarch32);
}

enum vpmu_access vpmu_arm_reg_access(const struct vpmu_arm *v, unsigned reg,
                                     const struct vpmu_pe *pe, bool write)
{
    struct vpmu_setup_ setup = vpmu_setup_of_(v);

    return vpmu_access_(&setup, reg, pe, write);
}

/* Tells whether a register shows what has been counted: counters and overflow flags. */
static bool shows_counts(const struct accessor *accessor, unsigned arg)
{
    return accessor->read == counter_read || (accessor->read == bitmap_read && arg >= OVS_SET);
}

int vpmu_arm_reg_read(struct vpmu_arm *v, unsigned reg, const struct vpmu_pe *pe, uint64_t *val,
                      const struct vpmu_now *now)
{
    unsigned arg;
    const struct accessor *accessor = find(v, reg, pe, &arg);
    int due;

    *val = 0;
    if (!accessor || !accessor->read) {
        return -VPMU_ERR_REG;
    }
    if (is_hidden(v, accessor, pe, arg, false)) {
        return 0;
    }
    due = shows_counts(accessor, arg) ? vpmu_arm_settle(v, now) : 0;
    *val = accessor->read(v, pe, arg) & (is_wide(reg, pe) ? UINT64_MAX : VPMU_LOW32);
    return due;
}

/* Of some event counters, those that count an event in the PE's context. */
static uint64_t counting(const struct vpmu_arm *v, uint64_t mask, uint16_t event)
{
    uint64_t counters = 0;
    unsigned idx;

    VPMU_FOR_EACH_BIT (idx, mask & v->count.in_ctx[v->count.ctx]) {
        counters |= vpmu_event_of_(&v->regs, idx) == event ? VPMU_BIT(idx) : 0;
    }
    return counters;
}

/* The counters that count SW_INCR, among those written to PMSWINC. */
static uint64_t incremented(const struct vpmu_arm *v, const struct vpmu_pe *pe, uint64_t val)
{
    struct vpmu_setup_ setup = vpmu_setup_of_(v);

    return counting(v, val & vpmu_swinc_mask_(&setup, pe), VPMU_EVENT_SW_INCR);
}

static int increment(struct vpmu_arm *v, uint64_t counters, const struct vpmu_now *now)
{
    int due = vpmu_sample_(&v->count, now);

    /* The cycle of the write has not ended, so the event belongs to this cycle. */
    vpmu_pace_happen_(&v->count, counters & v->count.paced);
    vpmu_begin_(&v->count, now);
    vpmu_bump_(v, counters & ~v->count.paced);
    return due | vpmu_end_(&v->count, 0, false);
}

int vpmu_arm_sample_taken(struct vpmu_arm *v, bool passed, const struct vpmu_now *now)
{
    uint64_t all = v->config.samples ? vpmu_below_(v->config.counters) : 0;
    uint64_t counters = counting(v, all, VPMU_EVENT_SAMPLE_FEED);

    if (passed) {
        counters |= counting(v, all, VPMU_EVENT_SAMPLE_FILTRATE);
    }
    return counters ? increment(v, counters, now) : 0;
}

/* Does what a rule requested besides changing registers. */
static void apply(struct vpmu_arm *v, const struct write *w)
{
    unsigned idx;

    VPMU_FOR_EACH_BIT (idx, w->set & vpmu_implemented_(&v->config)) {
        uint64_t value = v->count.counter[idx].value;

        assign(&value, w->bits, w->val);
        vpmu_count_set_(&v->count, idx, value & vpmu_counter_kept_(&v->config, idx));
    }
    VPMU_FOR_EACH_BIT (idx, w->forget) {
        vpmu_count_restart_(&v->count, idx);
    }
    if (w->undivided) {
        vpmu_count_undivide_(&v->count, VPMU_CYCLE_COUNTER);
    }
}

static int write_reg(struct vpmu_arm *v, const struct accessor *accessor, const struct vpmu_pe *pe,
                     unsigned arg, uint64_t val, const struct vpmu_now *now)
{
    struct write w = {.setup = vpmu_setup_of_(v), .pe = pe, .regs = &v->regs, .val = val};
    int due;

    if (accessor->kind == OF_SOFTWARE) {
        accessor->write(&w, arg);
        return 0;
    }
    due = vpmu_sample_(&v->count, now);
    vpmu_begin_(&v->count, now);
    accessor->write(&w, arg);
    apply(v, &w);
    return due | vpmu_end_(&v->count, w.changed, false);
}

int vpmu_arm_reg_write(struct vpmu_arm *v, unsigned reg, const struct vpmu_pe *pe, uint64_t val,
                       const struct vpmu_now *now)
{
    unsigned arg;
    const struct accessor *accessor = find(v, reg, pe, &arg);
    int due = 0;

    if (!accessor || !(accessor->write || reg == VPMU_PMSWINC)) {
        return -VPMU_ERR_REG;
    }
    val &= is_wide(reg, pe) ? UINT64_MAX : VPMU_LOW32;
    if (reg == VPMU_PMSWINC) {
        due = increment(v, incremented(v, pe, val), now);
    } else if (!is_hidden(v, accessor, pe, arg, true)) {
        due = write_reg(v, accessor, pe, arg, val, now);
    }
    return v->watch ? due | vpmu_watch_written_(v, pe, reg, val, now) : due;
}
