/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "lockstep.h"

#include <string.h>

#include "vpmu/arm/state.h"

/* If another source limits the room, the library may have to be asked before each event. */
#define FEW 20
/* The highest number of cycles that are evaluated one by one. */
#define MANY 50

#define LASTING_COUNT 5

/* In the order of struct model_passed. */
static const enum vpmu_source lasting[LASTING_COUNT] = {
    VPMU_SRC_CPU_CYCLES,         VPMU_SRC_STALL_FRONTEND,      VPMU_SRC_STALL_BACKEND,
    VPMU_SRC_STALL_SLOT_BACKEND, VPMU_SRC_STALL_SLOT_FRONTEND,
};

static bool is_timed(const struct lockstep *pair, unsigned source)
{
    return (pair->m.config.timed >> source & 1) != 0;
}

const struct vpmu_now *lockstep_now_(const struct lockstep *pair)
{
    return vpmu_arm_needs_time(&pair->v) ? &pair->clock : NULL;
}

int lockstep_service_(struct lockstep *pair, int due)
{
    if (due < 0) {
        return due;
    }
    if (due & VPMU_DUE_IRQ) {
        if (pair->irq == vpmu_arm_irq_level(&pair->v)) {
            lockstep_fail_(pair, "VPMU_DUE_IRQ, level as before", pair->irq, pair->irq);
        }
        pair->irq = vpmu_arm_irq_level(&pair->v);
    }
    pair->stale = pair->stale || (due & VPMU_DUE_REARM);
    return 0;
}

void lockstep_settle_(struct lockstep *pair)
{
    lockstep_service_(pair, vpmu_arm_settle(&pair->v, lockstep_now_(pair)));
    pair->asked_clock = pair->clock;
}

/* Ends an instruction or a part of one. vpmu_arm_settle() and vpmu_arm_step() must both work. */
static void end_instruction(struct lockstep *pair)
{
    if (pair->steps % 2) {
        lockstep_service_(pair, vpmu_arm_step(&pair->v, lockstep_now_(pair)));
    } else {
        lockstep_settle_(pair);
    }
    pair->stale = true;
}

/* Asks for the headroom of all armed sources. Returns false if vpmu_arm_settle() is due. */
static bool ask_for_room(struct lockstep *pair)
{
    vpmu_sources armed = vpmu_arm_armed(&pair->v, pair->ctx);
    bool due = false;

    pair->stale = false;
    pair->mixed = 0;
    if (vpmu_arm_headroom(&pair->v, ~armed, pair->ctx) != UINT64_MAX) {
        lockstep_fail_(pair, "headroom of sources that are not armed", UINT64_MAX,
                       (uint64_t)~armed);
    }
    for (unsigned source = 0; source < VPMU_SRC_COUNT; source++) {
        vpmu_sources sources = pair->together ? VPMU_SRC_ALL : VPMU_SRC_BIT(source);

        pair->room[source] = UINT64_MAX;
        if ((armed >> source & 1) != 0) {
            pair->room[source] = vpmu_arm_headroom(&pair->v, sources, pair->ctx);
        }
        due = due || pair->room[source] == 0;
    }
    return !due;
}

/* Asks as a machine does after VPMU_DUE_REARM and after a change of context. */
void lockstep_ask_(struct lockstep *pair)
{
    if (!pair->stale) {
        return;
    }
    if (memcmp(&pair->asked_clock, &pair->clock, sizeof(pair->clock)) != 0) {
        lockstep_settle_(pair);
    }
    if (!ask_for_room(pair)) {
        lockstep_settle_(pair);
        ask_for_room(pair);
    }
    for (unsigned ctx = 0; ctx < VPMU_CTX_COUNT; ctx++) {
        pair->armed[ctx] = vpmu_arm_armed(&pair->v, ctx);
    }
}

static void take_room(struct lockstep *pair, unsigned source, uint64_t n)
{
    for (unsigned other = 0; other < VPMU_SRC_COUNT; other++) {
        if (pair->room[other] != UINT64_MAX) {
            pair->room[other] -= n < pair->room[other] ? n : pair->room[other];
        }
    }
    pair->mixed |= ~VPMU_SRC_BIT(source);
}

static void tally(struct lockstep *pair, unsigned source, uint64_t n)
{
    if (is_timed(pair, source)) {
        pair->clock.ticks[source - VPMU_SRC_CPU_CYCLES] += n;
    } else if (pair->tally_all || (pair->armed[pair->ctx] >> source & 1) != 0) {
        pair->totals.n[pair->ctx][source] += n;
    }
    take_room(pair, source, n);
}

static void advance(struct lockstep *pair, unsigned source, uint64_t n)
{
    bool paced = model_paced_here(&pair->m) != 0;

    tally(pair, source, n);
    model_events(&pair->m, source, n);
    if (paced) {
        end_instruction(pair);
    }
}

/* The room of a source is used up, possibly by other sources. */
static bool room_ends(struct lockstep *pair, unsigned source)
{
    bool exact = !pair->together && (pair->mixed >> source & 1) == 0;

    if (!exact) {
        pair->stale = true;
        lockstep_ask_(pair);
        return true;
    }
    lockstep_settle_(pair);
    return pair->stale ||
           lockstep_fail_(pair, "no VPMU_DUE_REARM after a headroom was used up", 1, 0);
}

/*
 * Lets @n events happen in the PE's context. Settles whenever the headroom that the library gave is
 * used up.
 */
static bool events_happen(struct lockstep *pair, unsigned source, uint64_t n)
{
    if ((pair->m.config.sources >> source & 1) == 0) {
        return true;
    }
    if (pair->together && n > FEW) {
        n = FEW;
    }
    if (model_paced_here(&pair->m) != 0 && n > MANY) {
        n = MANY;
    }
    lockstep_note_(pair, "events: how many, source", n, source);
    while (n > 0) {
        uint64_t now;

        lockstep_ask_(pair);
        now = n < pair->room[source] ? n : pair->room[source];
        if (now == 0 && (pair->mixed >> source & 1) == 0) {
            return lockstep_fail_(pair, "headroom is 0 just after settling", 1, 0);
        }
        advance(pair, source, now);
        n -= now;
        if (!pair->stale && pair->room[source] == 0 && !room_ends(pair, source)) {
            return false;
        }
    }
    return !pair->failed;
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

static bool step_events(struct lockstep *pair, struct chooser *c)
{
    uint64_t n = choose_burst(c);

    return events_happen(pair, choose_source_(pair, c), n);
}

/* The least room of the lasting sources, and of instructions if no counter is paced. */
static uint64_t room_of_lasting(struct lockstep *pair)
{
    uint64_t least = UINT64_MAX;

    lockstep_ask_(pair);
    for (unsigned i = 0; i < LASTING_COUNT; i++) {
        least = pair->room[lasting[i]] < least ? pair->room[lasting[i]] : least;
    }
    return least;
}

static uint64_t sum_of(const struct model_passed *passed)
{
    return passed->units + passed->frontend + passed->backend + passed->frontend_slots +
           passed->backend_slots;
}

static bool choose_passed(const struct lockstep *pair, struct chooser *c,
                          struct model_passed *passed)
{
    vpmu_sources sources = pair->m.config.sources;
    bool consistent = choose_below(c, 8) != 0;

    *passed = (struct model_passed){
        .frontend = choose_one_in(c, 2) ? choose_below(c, 6) : 0,
        .backend = choose_one_in(c, 2) ? choose_below(c, 6) : 0,
    };
    passed->frontend_slots = passed->frontend * pair->m.config.cycle_units;
    passed->backend_slots = passed->backend * pair->m.config.cycle_units;
    passed->units = passed->frontend_slots + passed->backend_slots + choose_below(c, 3);
    if (!consistent) {
        passed->units = choose_below(c, 40);
        passed->frontend_slots = choose_below(c, 40);
        passed->backend_slots = choose_below(c, 40);
    }
    passed->frontend *= sources >> VPMU_SRC_STALL_FRONTEND & 1;
    passed->backend *= sources >> VPMU_SRC_STALL_BACKEND & 1;
    passed->frontend_slots *= sources >> VPMU_SRC_STALL_SLOT_FRONTEND & 1;
    passed->backend_slots *= sources >> VPMU_SRC_STALL_SLOT_BACKEND & 1;
    return sum_of(passed) > 0;
}

/* Lets all of this happen at once, for paced and other counters. */
static void pass(struct lockstep *pair, uint64_t paced, const struct model_passed *passed)
{
    const uint64_t n[LASTING_COUNT] = {passed->units, passed->frontend, passed->backend,
                                       passed->backend_slots, passed->frontend_slots};
    const uint64_t chained = model_chained(&pair->m);

    lockstep_note_(pair, "passed: units, frontend", passed->units, passed->frontend);
    lockstep_note_(pair, "passed: backend, its slots", passed->backend, passed->backend_slots);
    lockstep_note_(pair, "passed: slots of the frontend", passed->frontend_slots, 0);
    for (unsigned i = 0; i < LASTING_COUNT; i++) {
        tally(pair, lasting[i], n[i]);
        model_plain_events(&pair->m, lasting[i], n[i]);
    }
    model_pass(&pair->m, paced, chained, passed);
    model_look(&pair->m);
    end_instruction(pair);
}

/* Lets an instruction of a pipeline happen: its sources, then its slot and its stalls. */
static bool happen_instruction(struct lockstep *pair, struct chooser *c)
{
    struct model_passed passed;
    uint64_t paced;

    for (uint64_t i = choose_below(c, 4); i > 0; i--) {
        if (!events_happen(pair, choose_source_(pair, c), 1 + choose_below(c, 3))) {
            return false;
        }
    }
    paced = model_paced_here(&pair->m);
    if (paced == 0 || !choose_passed(pair, c, &passed) ||
        sum_of(&passed) >= room_of_lasting(pair)) {
        return true;
    }
    pass(pair, paced, &passed);
    return lockstep_check_counts_(pair);
}

static bool step_instructions(struct lockstep *pair, struct chooser *c)
{
    if (model_paced_here(&pair->m) == 0) {
        return step_events(pair, c);
    }
    for (uint64_t i = choose_below(c, 8); i > 0; i--) {
        if (!happen_instruction(pair, c)) {
            return false;
        }
    }
    return true;
}

static bool step_cycles(struct lockstep *pair, struct chooser *c)
{
    uint64_t n = choose_burst(c);

    return events_happen(pair, choose_one_in(c, 4) ? VPMU_SRC_CNT_CYCLES : VPMU_SRC_CPU_CYCLES, n);
}

/*
 * The machine may tally anything that is not armed, in any context, even sources that do not exist.
 */
static bool step_uncounted(struct lockstep *pair, struct chooser *c)
{
    unsigned ctx = (unsigned)choose_below(c, VPMU_CTX_COUNT);
    uint64_t n = choose_value_(c);
    vpmu_sources sources = ~(model_armed(&pair->m, ctx) | pair->m.config.timed);

    lockstep_note_(pair, "tallied, although nobody counts it: how many, context", n, ctx);
    for (unsigned source = 0; source < VPMU_SRC_COUNT; source++) {
        if ((sources >> source & 1) != 0) {
            pair->totals.n[ctx][source] += n;
        }
    }
    return true;
}

/*
 * Tallies a block of instructions and then leaves it midway. If the library has settled in between,
 * so that counters include events that did not happen, the next events replace these.
 */
static bool step_take_back(struct lockstep *pair, struct chooser *c)
{
    unsigned source = choose_source_(pair, c);
    uint64_t n = 1 + choose_below(c, 12);
    bool lasts = source == VPMU_SRC_STALL_FRONTEND || source == VPMU_SRC_STALL_BACKEND ||
                 source == VPMU_SRC_STALL_SLOT_FRONTEND || source == VPMU_SRC_STALL_SLOT_BACKEND ||
                 source == VPMU_SRC_CPU_CYCLES;
    bool settled = choose_below(c, 4) != 0;

    if (is_timed(pair, source) || (lasts && model_paced_here(&pair->m) != 0) ||
        (model_armed(&pair->m, pair->ctx) >> source & 1) == 0) {
        return true;
    }
    lockstep_settle_(pair);
    if (settled) {
        if (!events_happen(pair, source, n)) {
            return false;
        }
        lockstep_settle_(pair);
        model_take_back(&pair->m, source, n);
    } else {
        pair->totals.n[pair->ctx][source] += n;
    }
    lockstep_note_(pair, settled ? "taken back" : "taken back unseen", n, source);
    pair->totals.n[pair->ctx][source] -= n;
    pair->stale = true;
    return true;
}

static bool step_write(struct lockstep *pair, struct chooser *c)
{
    unsigned reg = choose_reg_(pair, c);
    uint64_t val = choose_reg_value_(pair, c, reg);
    struct vpmu_pe pe = choose_pe_(pair, c);
    struct lockstep_note *note;
    bool allowed;
    int err;

    if (!lockstep_check_access_(pair, reg, &pe, true, &allowed)) {
        return false;
    }
    if (!allowed) {
        return true;
    }
    note = lockstep_note_(pair, "write", val, 0);
    note->reg = (int)reg;
    note->pe = pe;
    model_write(&pair->m, reg, &pe, val);
    err = lockstep_service_(pair, vpmu_arm_reg_write(&pair->v, reg, &pe, val, &pair->clock));
    if (err != 0) {
        return lockstep_fail_(pair, "vpmu_arm_reg_write failed", 0, (uint64_t)-err);
    }
    return true;
}

static bool step_read(struct lockstep *pair, struct chooser *c)
{
    unsigned reg = choose_reg_(pair, c);
    struct vpmu_pe pe = choose_pe_(pair, c);

    return lockstep_check_read_(pair, reg, &pe);
}

static bool step_access(struct lockstep *pair, struct chooser *c)
{
    unsigned reg = (unsigned)choose_below(c, VPMU_REG_COUNT + 1);
    struct vpmu_arm_config config;
    struct vpmu_pe pe = choose_pe_(pair, c);
    bool write = choose_one_in(c, 2);
    bool allowed;

    choose_wild_config_(c, &config);
    if (!lockstep_check_config_(pair, &config)) {
        return false;
    }
    if (choose_one_in(c, 8)) {
        pe.aarch32 = !pe.aarch32;
    }
    return lockstep_check_access_(pair, reg, &pe, write, &allowed) &&
           lockstep_check_impossible_(pair, reg, &pe, write);
}

static void set_context(struct lockstep *pair, unsigned ctx)
{
    pair->ctx = ctx;
    pair->stale = true;
    model_set_context(&pair->m, ctx);
    model_look(&pair->m);
    lockstep_service_(
        pair, vpmu_arm_set_context(
                  &pair->v, ctx, vpmu_arm_leaving_needs_time(&pair->v, ctx) ? &pair->clock : NULL));
}

static bool step_context(struct lockstep *pair, struct chooser *c)
{
    unsigned ctx = choose_ctx_(pair, c);

    lockstep_note_(pair, "context", ctx, 0);
    set_context(pair, ctx);
    return true;
}

static bool step_controls(struct lockstep *pair, struct chooser *c)
{
    struct vpmu_arm_controls controls;

    choose_controls_(pair, c, &controls);
    lockstep_note_(pair, "controls: MDCR_EL2, MDCR_EL3", controls.mdcr_el2, controls.mdcr_el3);
    pair->m.controls = controls;
    model_look(&pair->m);
    lockstep_service_(pair, vpmu_arm_set_controls(&pair->v, &controls, &pair->clock));
    return true;
}

static bool step_sample(struct lockstep *pair, struct chooser *c)
{
    bool passed = choose_one_in(c, 2);

    lockstep_note_(pair, "a sample of SPE", passed, 0);
    model_sample(&pair->m, passed);
    lockstep_service_(pair, vpmu_arm_sample_taken(&pair->v, passed, &pair->clock));
    return true;
}

static bool step_reset(struct lockstep *pair, struct chooser *c)
{
    if (choose_below(c, 4) == 0) {
        lockstep_note_(pair, "reset", 0, 0);
        model_reset(&pair->m);
        lockstep_service_(pair, vpmu_arm_reset(&pair->v, &pair->clock));
    }
    return true;
}

/* Makes a new PMU with other totals and another clock, into which a state is loaded. */
static void forget(struct lockstep *pair, struct chooser *c)
{
    struct lockstep_note *note = lockstep_note_(pair, "a new PMU", 0, 0);
    struct chooser values = {.state = choose_bits(c)};

    for (unsigned source = 0; source < VPMU_SRC_COUNT; source++) {
        for (unsigned ctx = 0; ctx < VPMU_CTX_COUNT; ctx++) {
            pair->totals.n[ctx][source] = choose_value_(&values);
        }
    }
    for (unsigned i = 0; i < VPMU_CLOCK_COUNT; i++) {
        pair->clock.ticks[i] = choose_value_(&values);
        pair->asked_clock.ticks[i] = pair->clock.ticks[i];
    }
    pair->irq = false;
    pair->stale = true;
    note->a =
        (uint64_t)-vpmu_arm_init(&pair->v, &pair->m.config, &pair->totals, &pair->clock, NULL);
}

static bool step_save_load(struct lockstep *pair, struct chooser *c)
{
    uint8_t state[VPMU_STATE_SIZE + 8];
    size_t len = VPMU_STATE_SIZE + choose_below(c, 2);
    bool load_first = choose_one_in(c, 2) && !model_has(&pair->m, VPMU_HAS_EDGE);
    const char *why = "";
    int err;

    memset(state, 0xa5, sizeof(state));
    lockstep_note_(pair, "save", 0, 0);
    if (lockstep_service_(pair, vpmu_arm_state_save(&pair->v, state, VPMU_STATE_SIZE - 1,
                                                    lockstep_now_(pair))) != -VPMU_ERR_SPACE ||
        state[0] != 0xa5 || state[VPMU_STATE_SIZE - 1] != 0xa5) {
        return lockstep_fail_(pair, "vpmu_arm_state_save with too small a buffer", 0, 0);
    }
    err = lockstep_service_(pair, vpmu_arm_state_save(&pair->v, state, len, lockstep_now_(pair)));
    if (err != 0 || state[VPMU_STATE_SIZE] != 0xa5) {
        return lockstep_fail_(pair, "vpmu_arm_state_save", 0, (uint64_t)-err);
    }
    if (choose_one_in(c, 2)) {
        forget(pair, c);
    } else {
        lockstep_note_(pair, "reset before the load", 0, 0);
        lockstep_service_(pair, vpmu_arm_reset(&pair->v, &pair->clock));
    }
    for (unsigned i = 0; i < 2; i++) {
        if ((i == 0) == load_first) {
            lockstep_note_(pair, "load", 0, 0);
            err = lockstep_service_(
                pair, vpmu_arm_state_load(&pair->v, state, VPMU_STATE_SIZE, &pair->clock, &why));
            memset(pair->m.owed, 0, sizeof(pair->m.owed));
        } else {
            lockstep_note_(pair, "controls and context as they were", 0, 0);
            lockstep_service_(pair,
                              vpmu_arm_set_controls(&pair->v, &pair->m.controls, &pair->clock));
            set_context(pair, pair->ctx);
        }
    }
    if (err != 0) {
        lockstep_note_(pair, why, 0, 0);
        return lockstep_fail_(pair, "vpmu_arm_state_load", 0, (uint64_t)-err);
    }
    return true;
}

struct kind_of_step {
    unsigned weight;
    bool (*step)(struct lockstep *pair, struct chooser *c);
};

/* The weights add up to 256. */
static const struct kind_of_step kinds[] = {
    {44, step_events},         {44, step_cycles},   {64, step_write},  {20, step_read},
    {20, step_instructions},   {16, step_context},  {18, step_access}, {10, step_controls},
    {3, lockstep_compare_all}, {3, step_save_load}, {1, step_reset},   {1, step_uncounted},
    {8, step_take_back},       {4, step_sample},
};

/* Checks headroom, mostly in the PE's context. */
static bool check_headroom(struct lockstep *pair, struct chooser *c)
{
    unsigned ctx = choose_one_in(c, 2) ? choose_ctx_(pair, c) : pair->ctx;

    if (!lockstep_check_headroom_(pair, choose_source_(pair, c), ctx)) {
        return false;
    }
    if (choose_one_in(c, 4)) {
        return lockstep_check_headroom_(pair, VPMU_SRC_CPU_CYCLES, ctx);
    }
    return !choose_one_in(c, 2) ||
           lockstep_check_headroom_of_sources_(pair, choose_sources_(c), ctx);
}

bool lockstep_step(struct lockstep *pair, struct chooser *c)
{
    unsigned which = (unsigned)choose_below(c, 256);
    const struct kind_of_step *kind = kinds;

    while (which >= kind->weight) {
        which -= kind->weight;
        kind++;
    }
    pair->steps++;
    if (!kind->step(pair, c) || pair->failed || !lockstep_check_lines_(pair)) {
        return false;
    }
    return (!choose_one_in(c, 8) || lockstep_check_armed_(pair)) &&
           (!choose_one_in(c, 8) || check_headroom(pair, c));
}

/*
 * Random register values mostly count nothing, so start with counters that count and are close to
 * overflow.
 */
static void set_up_registers(struct lockstep *pair, struct chooser *c)
{
    struct vpmu_pe pe = {.el = model_has(&pair->m, VPMU_HAS_EL3) ? 3 : 1};
    uint64_t inten = choose_bits(c);
    unsigned counters = pair->m.config.counters;

    pe.aarch32 = model_has(&pair->m, VPMU_HAS_NO_AARCH64);
    pe.el1_aarch32 = pe.aarch32;
    for (unsigned reg = 0; reg < VPMU_REG_COUNT; reg++) {
        uint64_t val = reg == VPMU_PMINTENSET ? inten : choose_reg_value_(pair, c, reg);

        if (reg == VPMU_PMCNTENSET || reg == VPMU_PMCR) {
            val |= reg == VPMU_PMCR ? VPMU_PMCR_E : UINT64_MAX;
        }
        if (reg == VPMU_PMOVSSET || (reg >= VPMU_PMEVCNTR0 + counters && reg < VPMU_PMEVTYPER0) ||
            reg >= VPMU_PMEVTYPER0 + counters ||
            model_access(&pair->m, reg, &pe, true) != VPMU_ACCESS_OK) {
            continue;
        }
        model_write(&pair->m, reg, &pe, val);
        lockstep_service_(pair, vpmu_arm_reg_write(&pair->v, reg, &pe, val, &pair->clock));
    }
}

void lockstep_start(struct lockstep *pair, struct chooser *c)
{
    struct vpmu_arm_config config;

    choose_config_(c, &config);
    model_init(&pair->m, &config);
    forget(pair, c);
    pair->failed = false;
    pair->ctx = vpmu_arm_ctx(1, VPMU_NONSECURE);
    pair->tally_all = choose_one_in(c, 2);
    pair->together = choose_one_in(c, 4);
    if (choose_below(c, 4) != 0) {
        step_controls(pair, c);
    }
    if (choose_below(c, 8) != 0) {
        set_up_registers(pair, c);
    }
}
