/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "rig.h"

#include <string.h>

#include "vpmu/arm/state.h"

/* If another source limits the room, the library may have to be asked before each event. */
#define FEW 20
/* The highest number of cycles that are evaluated one by one. */
#define MANY 50

#define LASTING_COUNT 4

/* In the order of struct model_passed. */
static const enum vpmu_source lasting[LASTING_COUNT] = {
    VPMU_SRC_CPU_CYCLES,
    VPMU_SRC_STALL_FRONTEND,
    VPMU_SRC_STALL_BACKEND,
    VPMU_SRC_STALL_SLOT,
};

static bool is_timed(const struct rig *rig, unsigned source)
{
    return (rig->m.config.timed >> source & 1) != 0;
}

static uint64_t ops_clock(void *opaque, enum vpmu_source source)
{
    struct rig *rig = opaque;

    if (!is_timed(rig, source)) {
        rig_fail_(rig, "vpmu_ops.clock asked for a source that is not timed", 0, source);
        return 0;
    }
    return rig->clock[source - VPMU_SRC_CPU_CYCLES];
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
    memcpy(rig->asked_clock, rig->clock, sizeof(rig->clock));
}

/* Ends an instruction or a part of one. vpmu_settle() and vpmu_step() must both work. */
static void end_instruction(struct rig *rig)
{
    if (rig->steps % 2) {
        vpmu_step(&rig->v);
    } else {
        rig_settle_(rig);
    }
    rig->stale = true;
}

/* Asks for the headroom of all armed sources. Returns false if vpmu_settle() is due. */
static bool ask_for_room(struct rig *rig)
{
    uint64_t armed = vpmu_armed(&rig->v, rig->ctx);
    bool due = false;

    rig->stale = false;
    rig->mixed = 0;
    if (vpmu_headroom(&rig->v, ~armed, rig->ctx) != UINT64_MAX) {
        rig_fail_(rig, "headroom of sources that are not armed", UINT64_MAX, ~armed);
    }
    for (unsigned source = 0; source < VPMU_SRC_COUNT; source++) {
        uint64_t sources = rig->together ? VPMU_SRC_ALL : VPMU_SRC_BIT(source);

        rig->room[source] = UINT64_MAX;
        if ((armed >> source & 1) != 0) {
            rig->room[source] = vpmu_headroom(&rig->v, sources, rig->ctx);
        }
        due = due || rig->room[source] == 0;
    }
    return !due;
}

/* Asks as a machine does after vpmu_ops.rearm and after a change of context. */
void rig_ask_(struct rig *rig)
{
    if (!rig->stale) {
        return;
    }
    if (memcmp(rig->asked_clock, rig->clock, sizeof(rig->clock)) != 0) {
        rig_settle_(rig);
    }
    if (!ask_for_room(rig)) {
        rig_settle_(rig);
        ask_for_room(rig);
    }
    for (unsigned ctx = 0; ctx < VPMU_CTX_COUNT; ctx++) {
        rig->armed[ctx] = vpmu_armed(&rig->v, ctx);
    }
}

static void take_room(struct rig *rig, unsigned source, uint64_t n)
{
    for (unsigned other = 0; other < VPMU_SRC_COUNT; other++) {
        if (rig->room[other] != UINT64_MAX) {
            rig->room[other] -= n < rig->room[other] ? n : rig->room[other];
        }
    }
    rig->mixed |= ~VPMU_SRC_BIT(source);
}

static void tally(struct rig *rig, unsigned source, uint64_t n)
{
    if (is_timed(rig, source)) {
        rig->clock[source - VPMU_SRC_CPU_CYCLES] += n;
    } else if (rig->tally_all || (rig->armed[rig->ctx] >> source & 1) != 0) {
        rig->totals.n[rig->ctx][source] += n;
    }
    take_room(rig, source, n);
}

static void advance(struct rig *rig, unsigned source, uint64_t n)
{
    bool paced = model_paced_here(&rig->m) != 0;

    tally(rig, source, n);
    model_events(&rig->m, source, n);
    if (paced) {
        end_instruction(rig);
    }
}

/* The room of a source is used up, possibly by other sources. */
static bool room_ends(struct rig *rig, unsigned source)
{
    bool exact = !rig->together && (rig->mixed >> source & 1) == 0;

    if (!exact) {
        rig->stale = true;
        rig_ask_(rig);
        return true;
    }
    rig_settle_(rig);
    return rig->stale || rig_fail_(rig, "no vpmu_ops.rearm after a headroom was used up", 1, 0);
}

/*
 * Lets @n events happen in the PE's context. Settles whenever the headroom that the library gave is
 * used up.
 */
static bool events_happen(struct rig *rig, unsigned source, uint64_t n)
{
    if ((rig->m.config.sources >> source & 1) == 0) {
        return true;
    }
    if (rig->together && n > FEW) {
        n = FEW;
    }
    if (model_paced_here(&rig->m) != 0 && n > MANY) {
        n = MANY;
    }
    rig_note_(rig, "events: how many, source", n, source);
    while (n > 0) {
        uint64_t now;

        rig_ask_(rig);
        now = n < rig->room[source] ? n : rig->room[source];
        if (now == 0 && (rig->mixed >> source & 1) == 0) {
            return rig_fail_(rig, "headroom is 0 just after settling", 1, 0);
        }
        advance(rig, source, now);
        n -= now;
        if (!rig->stale && rig->room[source] == 0 && !room_ends(rig, source)) {
            return false;
        }
    }
    return !rig->failed;
}

static uint64_t choose_burst(struct chooser *c)
{
    switch (choose_below(c, 8)) {
    case 0:
        return choose_below(c, 600);
    case 1:
        return choose_one_in(c, 4) ? choose_bits(c) >> (30 + choose_below(c, 8)) : 0;
    default:
        return 1 + choose_below(c, 12);
    }
}

static bool step_events(struct rig *rig, struct chooser *c)
{
    uint64_t n = choose_burst(c);

    return events_happen(rig, choose_source_(rig, c), n);
}

/* The least room of the lasting sources, and of instructions if no counter is paced. */
static uint64_t room_of_lasting(struct rig *rig)
{
    uint64_t least = UINT64_MAX;

    rig_ask_(rig);
    for (unsigned i = 0; i < LASTING_COUNT; i++) {
        least = rig->room[lasting[i]] < least ? rig->room[lasting[i]] : least;
    }
    return least;
}

static bool choose_passed(const struct rig *rig, struct chooser *c, struct model_passed *passed)
{
    uint64_t sources = rig->m.config.sources;
    bool consistent = choose_below(c, 8) != 0;

    *passed = (struct model_passed){
        .frontend = choose_one_in(c, 2) ? choose_below(c, 6) : 0,
        .backend = choose_one_in(c, 2) ? choose_below(c, 6) : 0,
    };
    passed->slots = (passed->frontend + passed->backend) * rig->m.config.cycle_units;
    passed->units = passed->slots + choose_below(c, 3);
    if (!consistent) {
        passed->units = choose_below(c, 40);
        passed->slots = choose_below(c, 40);
    }
    passed->frontend *= sources >> VPMU_SRC_STALL_FRONTEND & 1;
    passed->backend *= sources >> VPMU_SRC_STALL_BACKEND & 1;
    passed->slots *= sources >> VPMU_SRC_STALL_SLOT & 1;
    return passed->units + passed->frontend + passed->backend + passed->slots > 0;
}

/* Lets all of this happen at once, for paced and other counters. */
static void pass(struct rig *rig, uint64_t paced, const struct model_passed *passed)
{
    const uint64_t n[LASTING_COUNT] = {passed->units, passed->frontend, passed->backend,
                                       passed->slots};
    const uint64_t chained = model_chained(&rig->m);

    rig_note_(rig, "passed: units, frontend", passed->units, passed->frontend);
    rig_note_(rig, "passed: backend, slots", passed->backend, passed->slots);
    for (unsigned i = 0; i < LASTING_COUNT; i++) {
        tally(rig, lasting[i], n[i]);
        model_plain_events(&rig->m, lasting[i], n[i]);
    }
    model_pass(&rig->m, paced, chained, passed);
    model_look(&rig->m);
    end_instruction(rig);
}

/* Lets an instruction of a pipeline happen: its sources, then its slot and its stalls. */
static bool happen_instruction(struct rig *rig, struct chooser *c)
{
    struct model_passed passed;
    uint64_t paced;

    for (uint64_t i = choose_below(c, 4); i > 0; i--) {
        if (!events_happen(rig, choose_source_(rig, c), 1 + choose_below(c, 3))) {
            return false;
        }
    }
    paced = model_paced_here(&rig->m);
    if (paced == 0 || !choose_passed(rig, c, &passed) ||
        passed.units + passed.frontend + passed.backend + passed.slots >= room_of_lasting(rig)) {
        return true;
    }
    pass(rig, paced, &passed);
    return rig_check_counts_(rig);
}

static bool step_instructions(struct rig *rig, struct chooser *c)
{
    if (model_paced_here(&rig->m) == 0) {
        return step_events(rig, c);
    }
    for (uint64_t i = choose_below(c, 8); i > 0; i--) {
        if (!happen_instruction(rig, c)) {
            return false;
        }
    }
    return true;
}

static bool step_cycles(struct rig *rig, struct chooser *c)
{
    uint64_t n = choose_burst(c);

    return events_happen(rig, choose_one_in(c, 4) ? VPMU_SRC_CNT_CYCLES : VPMU_SRC_CPU_CYCLES, n);
}

/*
 * The machine may tally anything that is not armed, in any context, even sources that do not exist.
 */
static bool step_uncounted(struct rig *rig, struct chooser *c)
{
    unsigned ctx = (unsigned)choose_below(c, VPMU_CTX_COUNT);
    uint64_t n = choose_value_(c);
    uint64_t sources = ~(model_armed(&rig->m, ctx) | rig->m.config.timed);

    rig_note_(rig, "tallied, although nobody counts it: how many, context", n, ctx);
    for (unsigned source = 0; source < VPMU_SRC_COUNT; source++) {
        if ((sources >> source & 1) != 0) {
            rig->totals.n[ctx][source] += n;
        }
    }
    return true;
}

/*
 * Tallies a block of instructions and then leaves it midway. If the library has settled in between,
 * so that counters include events that did not happen, the next events replace these.
 */
static bool step_take_back(struct rig *rig, struct chooser *c)
{
    unsigned source = choose_source_(rig, c);
    uint64_t n = 1 + choose_below(c, 12);
    bool lasts = source == VPMU_SRC_STALL_FRONTEND || source == VPMU_SRC_STALL_BACKEND ||
                 source == VPMU_SRC_STALL_SLOT || source == VPMU_SRC_CPU_CYCLES;
    bool settled = choose_below(c, 4) != 0;

    if (is_timed(rig, source) || (lasts && model_paced_here(&rig->m) != 0) ||
        (model_armed(&rig->m, rig->ctx) >> source & 1) == 0) {
        return true;
    }
    rig_settle_(rig);
    if (settled) {
        if (!events_happen(rig, source, n)) {
            return false;
        }
        rig_settle_(rig);
        model_take_back(&rig->m, source, n);
    } else {
        rig->totals.n[rig->ctx][source] += n;
    }
    rig_note_(rig, settled ? "taken back" : "taken back unseen", n, source);
    rig->totals.n[rig->ctx][source] -= n;
    rig->stale = true;
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
    model_look(&rig->m);
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
    model_look(&rig->m);
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

/* Makes a new PMU with other totals and another clock, into which a state is loaded. */
static void forget(struct rig *rig, struct chooser *c)
{
    struct rig_note *note = rig_note_(rig, "a new PMU", 0, 0);
    struct chooser values = {.state = choose_bits(c)};

    for (unsigned source = 0; source < VPMU_SRC_COUNT; source++) {
        for (unsigned ctx = 0; ctx < VPMU_CTX_COUNT; ctx++) {
            rig->totals.n[ctx][source] = choose_value_(&values);
        }
    }
    for (unsigned i = 0; i < VPMU_CLOCK_COUNT; i++) {
        rig->clock[i] = choose_value_(&values);
        rig->asked_clock[i] = rig->clock[i];
    }
    rig->irq = false;
    rig->stale = true;
    note->a = (uint64_t)-vpmu_init(&rig->v, &rig->m.config, &rig->totals, &rig_ops_, rig, NULL);
}

static bool step_save_load(struct rig *rig, struct chooser *c)
{
    uint8_t state[VPMU_STATE_SIZE + 8];
    size_t len = VPMU_STATE_SIZE + choose_below(c, 2);
    bool load_first = choose_one_in(c, 2) && !model_has(&rig->m, VPMU_HAS_EDGE);
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
            memset(rig->m.owed, 0, sizeof(rig->m.owed));
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
    {44, step_events},       {44, step_cycles},   {64, step_write},  {24, step_read},
    {20, step_instructions}, {16, step_context},  {18, step_access}, {10, step_controls},
    {3, rig_compare_all},    {3, step_save_load}, {1, step_reset},   {1, step_uncounted},
    {8, step_take_back},
};

/* Checks headroom, mostly in the PE's context. */
static bool check_headroom(struct rig *rig, struct chooser *c)
{
    unsigned ctx = choose_one_in(c, 2) ? choose_ctx_(rig, c) : rig->ctx;

    if (!rig_check_headroom_(rig, choose_source_(rig, c), ctx)) {
        return false;
    }
    if (choose_one_in(c, 4)) {
        return rig_check_headroom_(rig, VPMU_SRC_CPU_CYCLES, ctx);
    }
    return !choose_one_in(c, 2) || rig_check_headroom_of_sources_(rig, choose_sources_(c), ctx);
}

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
    return (!choose_one_in(c, 8) || rig_check_armed_(rig)) &&
           (!choose_one_in(c, 8) || check_headroom(rig, c));
}

/*
 * Random register values mostly count nothing, so start with counters that count and are close to
 * overflow.
 */
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
    rig->together = choose_one_in(c, 4);
    if (choose_below(c, 4) != 0) {
        step_controls(rig, c);
    }
    if (choose_below(c, 8) != 0) {
        set_up_registers(rig, c);
    }
}
