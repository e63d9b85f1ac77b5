/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "rig.h"

#include <string.h>

#include "vpmu/state.h"

#define INST VPMU_SRC_INST_RETIRED
#define CYCLES VPMU_SRC_CPU_CYCLES

static uint64_t ops_clock(void *opaque)
{
    const struct rig *rig = opaque;

    return rig->clock;
}

static void ops_irq(void *opaque, bool level)
{
    struct rig *rig = opaque;

    if (rig->irq == level) {
        rig_fail_(rig, "vpmu_ops.irq called, level as before", level, level);
    }
    rig->irq = level;
}

static void ops_rearm(void *opaque)
{
    struct rig *rig = opaque;

    rig->stale = true;
}

const struct vpmu_ops rig_ops_ = {
    .clock = ops_clock,
    .irq = ops_irq,
    .rearm = ops_rearm,
};

void rig_settle_(struct rig *rig)
{
    vpmu_settle(&rig->v);
    rig->asked_clock = rig->clock;
}

static bool ask_for_room(struct rig *rig)
{
    bool due = false;

    rig->stale = false;
    for (unsigned source = 0; source < VPMU_SRC_COUNT; source++) {
        rig->room[source] = vpmu_headroom(&rig->v, (enum vpmu_source)source, rig->ctx);
        due = due || rig->room[source] == 0;
    }
    return due;
}

/* As a machine does after vpmu_ops.rearm and after a change of context. */
void rig_ask_(struct rig *rig)
{
    if (!rig->stale) {
        return;
    }
    if (rig->asked_clock != rig->clock) {
        rig_settle_(rig);
    }
    if (ask_for_room(rig)) {
        rig_settle_(rig);
        ask_for_room(rig);
    }
    for (unsigned ctx = 0; ctx < VPMU_CTX_COUNT; ctx++) {
        rig->armed[ctx] = vpmu_armed(&rig->v, ctx);
    }
}

static void advance(struct rig *rig, enum vpmu_source source, uint64_t n)
{
    if (source == CYCLES) {
        rig->clock += n;
    } else if (rig->tally_all || (rig->armed[rig->ctx] >> source & 1) != 0) {
        rig->totals.n[source][rig->ctx] += n;
    }
    model_events(&rig->m, source, n);
}

/* @n events happen here. Settles whenever the headroom that the library gave is used up. */
static bool events_happen(struct rig *rig, enum vpmu_source source, uint64_t n)
{
    while (n > 0) {
        uint64_t now;

        rig_ask_(rig);
        now = n < rig->room[source] ? n : rig->room[source];
        if (now == 0) {
            return rig_fail_(rig, "headroom is 0 just after settling", 1, 0);
        }
        advance(rig, source, now);
        n -= now;
        if (rig->room[source] != UINT64_MAX) {
            rig->room[source] -= now;
        }
        if (rig->room[source] == 0) {
            rig_settle_(rig);
            if (!rig->stale) {
                return rig_fail_(rig, "no vpmu_ops.rearm after a headroom was used up", 1, 0);
            }
        }
    }
    return true;
}

static uint64_t choose_burst(struct chooser *c)
{
    switch (choose_below(c, 8)) {
    case 0:
        return choose_below(c, 200);
    case 1:
        return choose_one_in(c, 4) ? choose_bits(c) >> (30 + choose_below(c, 8)) : 0;
    default:
        return 1 + choose_below(c, 12);
    }
}

static bool step_events(struct rig *rig, struct chooser *c)
{
    uint64_t n = choose_burst(c);

    rig_note_(rig, "instructions", n, rig->ctx);
    return events_happen(rig, INST, n);
}

static bool step_cycles(struct rig *rig, struct chooser *c)
{
    uint64_t n = choose_burst(c);

    rig_note_(rig, "cycles", n, rig->ctx);
    return events_happen(rig, CYCLES, n);
}

/* What nobody counts may be tallied or not, here or elsewhere, as much as the machine likes. */
static bool step_uncounted(struct rig *rig, struct chooser *c)
{
    unsigned ctx = (unsigned)choose_below(c, VPMU_CTX_COUNT);
    uint64_t n = choose_value_(c);

    if ((model_armed(&rig->m, ctx) >> INST & 1) == 0) {
        rig_note_(rig, "instructions tallied that nobody counts", n, ctx);
        rig->totals.n[INST][ctx] += n;
    }
    return true;
}

static bool step_write(struct rig *rig, struct chooser *c)
{
    unsigned reg = choose_reg_(rig, c);
    uint64_t val = choose_reg_value_(rig, c, reg);
    struct vpmu_pe pe = choose_pe_(rig, c);
    struct rig_note *note;
    bool allowed;
    int err;

    if (!rig_check_access_(rig, reg, &pe, true, &allowed)) {
        return false;
    }
    if (!allowed) {
        return true;
    }
    note = rig_note_(rig, "write", val, 0);
    note->reg = (int)reg;
    note->pe = pe;
    model_write(&rig->m, reg, &pe, val);
    err = vpmu_reg_write(&rig->v, reg, &pe, val);
    if (err != 0) {
        return rig_fail_(rig, "vpmu_reg_write failed", 0, (uint64_t)-err);
    }
    return true;
}

static bool step_read(struct rig *rig, struct chooser *c)
{
    unsigned reg = choose_reg_(rig, c);
    struct vpmu_pe pe = choose_pe_(rig, c);

    return rig_check_read_(rig, reg, &pe);
}

static bool step_access(struct rig *rig, struct chooser *c)
{
    unsigned reg = (unsigned)choose_below(c, VPMU_REG_COUNT + 1);
    struct vpmu_config config;
    struct vpmu_pe pe = choose_pe_(rig, c);
    bool write = choose_one_in(c, 2);
    bool allowed;

    choose_wild_config_(c, &config);
    if (!rig_check_config_(rig, &config)) {
        return false;
    }
    if (choose_one_in(c, 8)) {
        pe.aarch32 = !pe.aarch32;
    }
    return rig_check_access_(rig, reg, &pe, write, &allowed) &&
           rig_check_impossible_(rig, reg, &pe, write);
}

static void set_context(struct rig *rig, unsigned ctx)
{
    rig->ctx = ctx;
    rig->stale = true;
    model_set_context(&rig->m, ctx);
    vpmu_set_context(&rig->v, ctx);
}

static bool step_context(struct rig *rig, struct chooser *c)
{
    unsigned ctx = choose_ctx_(rig, c);

    rig_note_(rig, "context", ctx, 0);
    set_context(rig, ctx);
    return true;
}

static bool step_controls(struct rig *rig, struct chooser *c)
{
    struct vpmu_controls controls;

    choose_controls_(rig, c, &controls);
    rig_note_(rig, "controls: MDCR_EL2, MDCR_EL3", controls.mdcr_el2, controls.mdcr_el3);
    rig->m.controls = controls;
    vpmu_set_controls(&rig->v, &controls);
    return true;
}

static bool step_reset(struct rig *rig, struct chooser *c)
{
    if (choose_below(c, 4) == 0) {
        rig_note_(rig, "reset", 0, 0);
        model_reset(&rig->m);
        vpmu_reset(&rig->v);
    }
    return true;
}

/* A PMU that knows nothing, with other totals and another clock: where a state is restored. */
static void forget(struct rig *rig, struct chooser *c)
{
    struct rig_note *note = rig_note_(rig, "a new PMU", 0, 0);

    for (unsigned ctx = 0; ctx < VPMU_CTX_COUNT; ctx++) {
        rig->totals.n[INST][ctx] = choose_value_(c);
        rig->totals.n[CYCLES][ctx] = choose_value_(c);
    }
    rig->clock = choose_value_(c);
    rig->asked_clock = rig->clock;
    rig->irq = false;
    rig->stale = true;
    note->a = (uint64_t)-vpmu_init(&rig->v, &rig->m.config, &rig->totals, &rig_ops_, rig, NULL);
}

static bool step_save_load(struct rig *rig, struct chooser *c)
{
    uint8_t state[VPMU_STATE_SIZE + 8];
    size_t len = VPMU_STATE_SIZE + choose_below(c, 2);
    bool load_first = choose_one_in(c, 2);
    const char *why = "";
    int err;

    memset(state, 0xa5, sizeof(state));
    rig_note_(rig, "save", 0, 0);
    if (vpmu_state_save(&rig->v, state, VPMU_STATE_SIZE - 1) != -VPMU_ERR_SPACE ||
        state[0] != 0xa5 || state[VPMU_STATE_SIZE - 1] != 0xa5) {
        return rig_fail_(rig, "vpmu_state_save with too small a buffer", 0, 0);
    }
    err = vpmu_state_save(&rig->v, state, len);
    if (err != 0 || state[VPMU_STATE_SIZE] != 0xa5) {
        return rig_fail_(rig, "vpmu_state_save", 0, (uint64_t)-err);
    }
    if (choose_one_in(c, 2)) {
        forget(rig, c);
    } else {
        rig_note_(rig, "reset before the load", 0, 0);
        vpmu_reset(&rig->v);
    }
    for (unsigned i = 0; i < 2; i++) {
        if ((i == 0) == load_first) {
            rig_note_(rig, "load", 0, 0);
            err = vpmu_state_load(&rig->v, state, VPMU_STATE_SIZE, &why);
        } else {
            rig_note_(rig, "controls and context as they were", 0, 0);
            vpmu_set_controls(&rig->v, &rig->m.controls);
            set_context(rig, rig->ctx);
        }
    }
    if (err != 0) {
        rig_note_(rig, why, 0, 0);
        return rig_fail_(rig, "vpmu_state_load", 0, (uint64_t)-err);
    }
    return true;
}

struct kind_of_step {
    unsigned weight;
    bool (*step)(struct rig *rig, struct chooser *c);
};

/* The weights add up to 256. */
static const struct kind_of_step kinds[] = {
    {62, step_events},   {54, step_cycles}, {64, step_write},    {24, step_read},
    {16, step_context},  {18, step_access}, {10, step_controls}, {3, rig_compare_all},
    {3, step_save_load}, {1, step_reset},   {1, step_uncounted},
};

bool rig_step(struct rig *rig, struct chooser *c)
{
    unsigned which = (unsigned)choose_below(c, 256);
    const struct kind_of_step *kind = kinds;

    while (which >= kind->weight) {
        which -= kind->weight;
        kind++;
    }
    rig->steps++;
    if (!kind->step(rig, c) || rig->failed || !rig_check_lines_(rig)) {
        return false;
    }
    if (choose_one_in(c, 8) && !rig_check_armed_(rig)) {
        return false;
    }
    if (choose_one_in(c, 16)) {
        unsigned ctx = choose_ctx_(rig, c);

        return rig_check_headroom_(rig, INST, ctx) && rig_check_headroom_(rig, CYCLES, ctx);
    }
    return !choose_one_in(c, 8) ||
           (rig_check_headroom_(rig, INST, rig->ctx) && rig_check_headroom_(rig, CYCLES, rig->ctx));
}

/* Most random registers count nothing: begin with ones that count, near where they overflow. */
static void set_up_registers(struct rig *rig, struct chooser *c)
{
    struct vpmu_pe pe = {.el = model_has(&rig->m, VPMU_HAS_EL3) ? 3 : 1};
    uint64_t inten = choose_bits(c);
    unsigned counters = rig->m.config.counters;

    pe.aarch32 = model_has(&rig->m, VPMU_HAS_NO_AARCH64);
    pe.el1_aarch32 = pe.aarch32;
    for (unsigned reg = 0; reg < VPMU_REG_COUNT; reg++) {
        uint64_t val = reg == VPMU_PMINTENSET ? inten : choose_reg_value_(rig, c, reg);

        if (reg == VPMU_PMCNTENSET || reg == VPMU_PMCR) {
            val |= reg == VPMU_PMCR ? VPMU_PMCR_E : UINT64_MAX;
        }
        if (reg == VPMU_PMOVSSET || (reg >= VPMU_PMEVCNTR0 + counters && reg < VPMU_PMEVTYPER0) ||
            reg >= VPMU_PMEVTYPER0 + counters ||
            model_access(&rig->m, reg, &pe, true) != VPMU_ACCESS_OK) {
            continue;
        }
        model_write(&rig->m, reg, &pe, val);
        vpmu_reg_write(&rig->v, reg, &pe, val);
    }
}

void rig_start(struct rig *rig, struct chooser *c)
{
    struct vpmu_config config;

    choose_config_(c, &config);
    model_init(&rig->m, &config);
    forget(rig, c);
    rig->failed = false;
    rig->ctx = vpmu_ctx(1, VPMU_NONSECURE);
    rig->tally_all = choose_one_in(c, 2);
    if (choose_below(c, 4) != 0) {
        step_controls(rig, c);
    }
    if (choose_below(c, 8) != 0) {
        set_up_registers(rig, c);
    }
}
