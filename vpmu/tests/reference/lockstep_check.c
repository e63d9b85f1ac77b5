/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include <inttypes.h>
#include <stdio.h>

#include "lockstep.h"

/* The number of events that the model tries to find an effect: a count, if 64 * 8 make one. */
#define HEADROOM_BOUND 600

static void tell_pe(const struct vpmu_pe *pe)
{
    fprintf(stderr, " [EL%u%s%s%s%s%s%s%s]", pe->el, pe->aarch32 ? " aarch32" : "",
            pe->el1_aarch32 ? " el1_aarch32" : "", pe->el2_enabled ? " el2_enabled" : "",
            pe->tge ? " tge" : "", pe->el3_undef ? " el3_undef" : "",
            pe->f0_read_trapped ? " f0_read_trapped" : "",
            pe->f0_write_trapped ? " f0_write_trapped" : "");
}

static void tell_reg(int reg)
{
    const struct vpmu_reg_info *info = vpmu_arm_reg_info((unsigned)reg);
    int first = reg >= VPMU_PMEVTYPER0 ? VPMU_PMEVTYPER0 : VPMU_PMEVCNTR0;

    if (info != NULL) {
        fprintf(stderr, " %s", info->name64 != NULL ? info->name64 : info->name32);
    }
    if (reg >= VPMU_PMEVCNTR0) {
        fprintf(stderr, " (n = %d)", reg - first);
    }
}

static void tell_note(const struct lockstep_note *note)
{
    fprintf(stderr, "  %s", note->what);
    if (note->reg >= 0) {
        tell_reg(note->reg);
        tell_pe(&note->pe);
    }
    fprintf(stderr, " %#" PRIx64 " %#" PRIx64 "\n", note->a, note->b);
}

static void tell_state(const struct lockstep *pair)
{
    const struct model *m = &pair->m;

    fprintf(stderr,
            "config: version %u, %u counters, features %#x, imp %#x, slots %u, sources %#" PRIx64
            ", timed %#" PRIx64 ", %u cycle units, core %u\n"
            "controls: MDCR_EL2 %#" PRIx64 " MDCR_EL3 %#" PRIx64 "%s%s%s%s; context %u (EL%u, "
            "security %d)\n"
            "model: PMCR %#" PRIx64 " CNTEN %#" PRIx64 " INTEN %#" PRIx64 " OVS %#" PRIx64
            " USERENR %#" PRIx64 " UACR %#" PRIx64 " SELR %#" PRIx64 ", %u cycles held\n",
            m->config.version, m->config.counters, m->config.features, m->config.imp,
            m->config.slots, (uint64_t)m->config.sources, (uint64_t)m->config.timed,
            m->config.cycle_units, m->config.core, m->controls.mdcr_el2, m->controls.mdcr_el3,
            m->controls.secure_el0_allowed ? " secure_el0_allowed" : "",
            m->controls.secure_allowed ? " secure_allowed" : "",
            m->controls.halted ? " halted" : "", m->controls.spe_stopped ? " spe_stopped" : "",
            pair->ctx, m->el, (int)m->security, m->pmcr, m->cnten, m->inten, m->ovs, m->userenr,
            m->uacr, m->selr, m->cycles_held);
    for (unsigned idx = 0; idx < VPMU_COUNTER_COUNT; idx++) {
        if (model_has_counter(m, idx)) {
            fprintf(stderr, "  counter %2u: %#18" PRIx64 " type %#10" PRIx64 ", %u units held%s\n",
                    idx, m->count[idx], m->type[idx], m->units_held[idx],
                    model_counts(m, idx) ? " counts" : "");
        }
    }
}

bool lockstep_fail_(struct lockstep *pair, const char *what, uint64_t expected, uint64_t got)
{
    uint64_t first = pair->notes_count > LOCKSTEP_NOTES ? pair->notes_count - LOCKSTEP_NOTES : 0;

    pair->failed = true;
    fprintf(stderr, "disagreement: %s: model %#" PRIx64 ", library %#" PRIx64 "\n", what, expected,
            got);
    tell_state(pair);
    fprintf(stderr, "what was done, the last of it in the last line:\n");
    for (uint64_t i = first; i < pair->notes_count; i++) {
        tell_note(&pair->notes[i % LOCKSTEP_NOTES]);
    }
    return false;
}

struct lockstep_note *lockstep_note_(struct lockstep *pair, const char *what, uint64_t a,
                                     uint64_t b)
{
    struct lockstep_note *note = &pair->notes[pair->notes_count++ % LOCKSTEP_NOTES];

    *note = (struct lockstep_note){.what = what, .reg = -1, .a = a, .b = b};
    return note;
}

static void note_reg(struct lockstep *pair, const char *what, unsigned reg,
                     const struct vpmu_pe *pe)
{
    struct lockstep_note *note = lockstep_note_(pair, what, 0, 0);

    note->reg = (int)reg;
    note->pe = *pe;
}

bool lockstep_check_access_(struct lockstep *pair, unsigned reg, const struct vpmu_pe *pe,
                            bool write, bool *allowed)
{
    enum vpmu_access expected = model_access(&pair->m, reg, pe, write);
    enum vpmu_access got = vpmu_arm_reg_access(&pair->v, reg, pe, write);
    bool exists = model_exists(&pair->m, reg, pe->aarch32);

    *allowed = expected == VPMU_ACCESS_OK;
    if (expected != got) {
        note_reg(pair, write ? "access, write" : "access, read", reg, pe);
        return lockstep_fail_(pair, "vpmu_arm_reg_access", expected, got);
    }
    if (vpmu_arm_reg_exists(&pair->v, reg, pe->aarch32) != exists) {
        note_reg(pair, "exists", reg, pe);
        return lockstep_fail_(pair, "vpmu_arm_reg_exists", exists, !exists);
    }
    return true;
}

bool lockstep_check_impossible_(struct lockstep *pair, unsigned reg, const struct vpmu_pe *pe,
                                bool write)
{
    uint64_t val = 0x5555;
    int err;

    if (!model_is_impossible(&pair->m, reg, pe->aarch32, write)) {
        return true;
    }
    err = write ? lockstep_service_(pair, vpmu_arm_reg_write(&pair->v, reg, pe, val, &pair->clock))
                : lockstep_service_(
                      pair, vpmu_arm_reg_read(&pair->v, reg, pe, &val, lockstep_now_(pair)));
    if (err != -VPMU_ERR_REG || (!write && val != 0)) {
        note_reg(pair, write ? "impossible write" : "impossible read", reg, pe);
        return lockstep_fail_(pair, "error of an impossible access", VPMU_ERR_REG, (uint64_t)-err);
    }
    return true;
}

/* The register that an encoding selects, according to the model. */
static int find(uint16_t enc, bool aarch32)
{
    for (unsigned reg = 0; reg < VPMU_REG_COUNT && enc != VPMU_ENC_NONE; reg++) {
        if (model_encoding(reg, aarch32) == enc) {
            return (int)reg;
        }
    }
    return -VPMU_ERR_REG;
}

bool lockstep_compare_encodings(struct lockstep *pair)
{
    for (unsigned i = 0; i < 2 * 0x10000; i++) {
        bool aarch32 = i >= 0x10000;
        int expected = find((uint16_t)i, aarch32);
        int got = vpmu_arm_reg_find((uint16_t)i, aarch32);

        if (expected != got || vpmu_arm_reg_info(VPMU_REG_COUNT + i) != NULL) {
            lockstep_note_(pair, "encoding, aarch32", i & 0xffff, aarch32);
            return lockstep_fail_(pair, "vpmu_arm_reg_find", (uint64_t)expected, (uint64_t)got);
        }
    }
    return true;
}

bool lockstep_check_read_(struct lockstep *pair, unsigned reg, const struct vpmu_pe *pe)
{
    uint64_t expected, got = 0x5555;
    bool allowed;
    int err;

    if (!lockstep_check_access_(pair, reg, pe, false, &allowed)) {
        return false;
    }
    if (!allowed) {
        return true;
    }
    expected = model_read(&pair->m, reg, pe);
    err = lockstep_service_(pair, vpmu_arm_reg_read(&pair->v, reg, pe, &got, lockstep_now_(pair)));
    if (err != 0 || expected != got) {
        note_reg(pair, "read", reg, pe);
        return lockstep_fail_(pair, err != 0 ? "vpmu_arm_reg_read failed" : "value read", expected,
                              err != 0 ? (uint64_t)-err : got);
    }
    return true;
}

bool lockstep_compare_all(struct lockstep *pair, struct chooser *c)
{
    for (unsigned i = 0; i < 6; i++) {
        struct vpmu_pe pe = choose_pe_(pair, c);

        for (unsigned reg = 0; reg < VPMU_REG_COUNT; reg++) {
            if (!lockstep_check_read_(pair, reg, &pe)) {
                return false;
            }
        }
    }
    return true;
}

void lockstep_copy(struct lockstep *to, const struct lockstep *from)
{
    *to = *from;
    to->v.count.totals = vpmu_arm_table(&to->totals);
}

bool lockstep_compare_copy(const struct lockstep *pair)
{
    static struct lockstep copy;
    struct chooser c = {.state = pair->steps};

    lockstep_copy(&copy, pair);
    return lockstep_compare_all(&copy, &c);
}

bool lockstep_check_lines_(struct lockstep *pair)
{
    bool expected = model_irq(&pair->m);

    if (vpmu_arm_irq_level(&pair->v) != expected) {
        return lockstep_fail_(pair, "vpmu_arm_irq_level", expected, !expected);
    }
    if (pair->irq != expected) {
        return lockstep_fail_(pair, "level at the last VPMU_DUE_IRQ", expected, pair->irq);
    }
    return true;
}

/* Compares the values of the counters after settling, without reading registers. */
bool lockstep_check_counts_(struct lockstep *pair)
{
    for (unsigned idx = 0; idx < pair->m.config.counters; idx++) {
        if (pair->v.count.counter[idx].value != pair->m.count[idx]) {
            lockstep_note_(pair, "counter", idx, pair->m.type[idx]);
            return lockstep_fail_(pair, "count after cycles", pair->m.count[idx],
                                  pair->v.count.counter[idx].value);
        }
    }
    return true;
}

bool lockstep_check_armed_(struct lockstep *pair)
{
    lockstep_ask_(pair);
    for (unsigned ctx = 0; ctx < VPMU_CTX_COUNT; ctx++) {
        vpmu_sources expected = model_armed(&pair->m, ctx);

        if (lockstep_has_ctx_(pair, ctx) &&
            (pair->armed[ctx] != expected || vpmu_arm_armed(&pair->v, ctx) != expected)) {
            lockstep_note_(pair, "armed as of the last VPMU_DUE_REARM, by context", ctx,
                           (uint64_t)pair->armed[ctx]);
            return lockstep_fail_(pair, "vpmu_arm_armed, sources below 64", (uint64_t)expected,
                                  (uint64_t)vpmu_arm_armed(&pair->v, ctx));
        }
    }
    return true;
}

/* Tells whether one event made a counter overflow. */
static bool overflowed(const struct model *before, const struct model *after)
{
    for (unsigned idx = 0; idx < VPMU_COUNTER_COUNT; idx++) {
        uint64_t value = after->count[idx];

        if (value != before->count[idx] &&
            (model_overflow_width(before, idx) == 64 ? value == 0 : (uint32_t)value == 0)) {
            return true;
        }
    }
    return false;
}

/* Tells whether one event had an effect that is visible without reading the counter. */
static bool visible(const struct model *before, const struct model *after)
{
    if (!overflowed(before, after)) {
        return false;
    }
    if (model_irq(before) != model_irq(after) ||
        (after->ovs & ~before->ovs & before->controls.brbe_freezers) != 0) {
        return true;
    }
    for (unsigned idx = 0; idx < VPMU_COUNTER_COUNT; idx++) {
        bool chained = idx < VPMU_CYCLE_COUNTER && model_has_counter(before, idx) &&
                       (before->type[idx] & VPMU_TYPER_EVENT) == VPMU_EVENT_CHAIN;

        if ((chained && before->count[idx] != after->count[idx]) ||
            (model_has_counter(before, idx) &&
             model_counts(before, idx) != model_counts(after, idx))) {
            return true;
        }
    }
    return false;
}

/* The headroom from the library, after settling what is due. */
static uint64_t room_in(struct lockstep *pair, vpmu_sources sources, unsigned ctx)
{
    lockstep_settle_(pair);
    return vpmu_arm_headroom(&pair->v, sources, ctx);
}

/*
 * Checks the headroom of a mask of sources: the least headroom of the counters that count any of
 * them.
 */
bool lockstep_check_headroom_of_sources_(struct lockstep *pair, vpmu_sources sources, unsigned ctx)
{
    uint64_t room = room_in(pair, sources, ctx);
    uint64_t least = UINT64_MAX;

    for (unsigned source = 0; source < VPMU_SRC_COUNT; source++) {
        if ((sources >> source & 1) != 0) {
            uint64_t one = vpmu_arm_headroom(&pair->v, VPMU_SRC_BIT(source), ctx);

            least = one < least ? one : least;
        }
    }
    if (room != least) {
        lockstep_note_(pair, "headroom, sources below 64, context", (uint64_t)sources, ctx);
        return lockstep_fail_(pair, "headroom of several sources", least, room);
    }
    return true;
}

/*
 * Checks the headroom: it must not exceed the first event that changes anything visible, and must
 * end where a counter overflows.
 */
bool lockstep_check_headroom_(struct lockstep *pair, unsigned source, unsigned ctx)
{
    uint64_t room = room_in(pair, VPMU_SRC_BIT(source), ctx);
    struct model m = pair->m;
    struct model before;

    model_set_context(&m, ctx);
    if (model_paced_here(&m) != 0) {
        /*
         * While a counter is paced, the machine settles after each instruction, and other events
         * are checked then.
         */
        bool fits = source == VPMU_SRC_INST_RETIRED ? room == 1 : room > 0;

        return fits || lockstep_fail_(pair, "headroom where cycles are told apart", 1, room);
    }
    for (uint64_t n = 1; n <= HEADROOM_BOUND && n <= room; n++) {
        const char *what = NULL;

        before = m;
        model_event(&m, source);
        if (n < room && visible(&before, &m)) {
            what = "headroom goes too far";
        } else if (n == room && !overflowed(&before, &m)) {
            what = "headroom ends where nothing overflows";
        }
        if (what != NULL) {
            lockstep_note_(pair, "headroom, source, context", source, ctx);
            return lockstep_fail_(pair, what, n, room);
        }
    }
    return true;
}

static bool sources_are_impossible(const struct vpmu_arm_config *config)
{
    const uint64_t cpu = VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES);
    const uint64_t both = cpu | VPMU_SRC_BIT(VPMU_SRC_CNT_CYCLES);
    bool instructions = (config->sources >> VPMU_SRC_INST_RETIRED & 1) != 0;

    return (config->sources & cpu) == 0 ||
           (config->timed & config->sources & both) != config->timed || config->cycle_units == 0 ||
           config->cycle_units > 8 || (config->cycle_units != 1 && (config->timed & cpu) != 0) ||
           (!instructions && (config->features & VPMU_HAS_ICNTR) != 0);
}

static bool features_are_impossible(const struct vpmu_arm_config *config)
{
    const unsigned both = VPMU_HAS_EL2 | VPMU_HAS_EL3;
    const unsigned only64 =
        VPMU_HAS_SECURE_EL2 | VPMU_HAS_REALM | VPMU_HAS_ICNTR | VPMU_HAS_SPE | VPMU_HAS_NO_AARCH32;
    unsigned f = config->features;

    return (f & ~(unsigned)VPMU_HAS_ALL) != 0 ||
           ((f & (VPMU_HAS_SECURE_EL2 | VPMU_HAS_REALM)) != 0 && (f & both) != both) ||
           ((f & VPMU_HAS_NO_AARCH64) != 0 && (f & only64) != 0) ||
           ((f & VPMU_HAS_ICNTR) != 0 && config->version < VPMU_V3P9) ||
           ((f & VPMU_HAS_SPE) != 0 && config->version < VPMU_V3P7);
}

static bool thresholds_are_impossible(const struct vpmu_arm_config *config)
{
    const uint64_t cycles = VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES);
    bool edge = (config->features & VPMU_HAS_EDGE) != 0;
    bool th2 = (config->features & VPMU_HAS_TH2) != 0;

    if (config->threshold_width == 0) {
        return edge || th2;
    }
    return config->threshold_width > 12 || config->version < VPMU_V3P8 || (th2 && !edge) ||
           (config->timed & cycles) != 0 || (config->sources >> VPMU_SRC_INST_RETIRED & 1) == 0 ||
           (config->features & VPMU_HAS_NO_AARCH64) != 0;
}

/* Tells whether, according to config.h, such a PMU cannot exist. */
static bool is_impossible(const struct vpmu_arm_config *config)
{
    return config->version == 0 || config->version == 2 || config->version == 3 ||
           config->version > VPMU_V3P9 || config->counters > VPMU_MAX_EVENT_COUNTERS ||
           (config->imp != 0 && config->version >= VPMU_V3P7) ||
           (config->idcode != 0 && config->imp == 0) ||
           (config->slots != 0 && config->version < VPMU_V3P4) ||
           thresholds_are_impossible(config) || sources_are_impossible(config) ||
           features_are_impossible(config);
}

bool lockstep_check_config_(struct lockstep *pair, const struct vpmu_arm_config *config)
{
    const char *why = NULL;
    int err = vpmu_arm_config_check(config, &why);

    if (is_impossible(config) != (err != 0)) {
        pair->m.config = *config;
        return lockstep_fail_(pair, "vpmu_arm_config_check, of the configuration shown",
                              is_impossible(config) ? VPMU_ERR_CONFIG : 0, (uint64_t)-err);
    }
    if (err != 0 && (err != -VPMU_ERR_CONFIG || why == NULL)) {
        pair->m.config = *config;
        return lockstep_fail_(pair, "a refusal of vpmu_arm_config_check without a reason",
                              VPMU_ERR_CONFIG, (uint64_t)-err);
    }
    return true;
}
