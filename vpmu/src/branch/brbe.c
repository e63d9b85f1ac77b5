/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Records branches in BRBE: the rules of exception levels, filters, exceptions and the freeze. */
#include "../bits.h"
#include "../refuse.h"
#include "brbe_internal.h"
#include "vpmu/errors.h"

#define SBRBE_NONE 0u
#define SBRBE_NON_SECURE 1u

static const struct {
    uint64_t filter;
    uint8_t group;
} groups[] = {
    {VPMU_BRBFCR_DIRECT, VPMU_BRGROUP_DIRECT}, {VPMU_BRBFCR_INDIRECT, VPMU_BRGROUP_INDIRECT},
    {VPMU_BRBFCR_RTN, VPMU_BRGROUP_RETURN},    {VPMU_BRBFCR_INDCALL, VPMU_BRGROUP_INDIRECT_CALL},
    {VPMU_BRBFCR_DIRCALL, VPMU_BRGROUP_CALL},  {VPMU_BRBFCR_CONDDIR, VPMU_BRGROUP_CONDITIONAL},
};

static bool el3_allowed(const struct vpmu_brbe *b)
{
    bool cold = b->pe.mdcr_el3 & VPMU_MDCR_EL3_E3BREC;
    bool warm = b->pe.mdcr_el3 & VPMU_MDCR_EL3_E3BREW;

    return b->config.has_el3 && b->config.version >= VPMU_BRBE_V1P1 && cold != warm;
}

/* BranchRecordAllowed() without PAUSED. */
static bool allowed(const struct vpmu_brbe *b, unsigned el)
{
    uint64_t sbrbe = (b->pe.mdcr_el3 & VPMU_MDCR_EL3_SBRBE) >> VPMU_MDCR_EL3_SBRBE_SHIFT;

    if (b->pe.aarch32 & VPMU_BIT(el)) {
        return false;
    }
    if (el == 3) {
        return el3_allowed(b);
    }
    if (b->config.has_el3 && (sbrbe == SBRBE_NONE || (b->pe.secure && sbrbe == SBRBE_NON_SECURE))) {
        return false;
    }
    if (el == 0) {
        return b->cr[b->pe.el2_enabled && b->pe.tge] & VPMU_BRBCR_E0BRE;
    }
    return b->cr[el - 1] & VPMU_BRBCR_EXBRE;
}

static void set_filters(struct vpmu_brbe *b)
{
    bool inverted = b->fcr & VPMU_BRBFCR_ENI;
    unsigned filter = VPMU_BRGROUP_EXCEPTION;

    for (unsigned i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        bool set = b->fcr & groups[i].filter;

        filter |= set != inverted ? groups[i].group : 0;
    }
    for (unsigned el = 0; el < VPMU_BRANCH_LEVELS; el++) {
        b->ring.groups[el] = allowed(b, el) ? (uint8_t)filter : 0;
    }
    b->ring.frozen = b->fcr & VPMU_BRBFCR_PAUSED;
}

void vpmu_brbe_update_(struct vpmu_brbe *b)
{
    set_filters(b);
    if (!vpmu_branch_recorded(&b->ring, b->pe.el) || !vpmu_brbe_counts_cycles(b)) {
        vpmu_branch_interrupt(&b->ring);
    }
}

int vpmu_brbe_init(struct vpmu_brbe *b, const struct vpmu_brbe_config *config, const char **why)
{
    const char *fault = NULL;
    unsigned records = config->records;

    if (config->version != VPMU_BRBE_V1 && config->version != VPMU_BRBE_V1P1) {
        fault = "BRBE has version 1 (FEAT_BRBE) or 2 (FEAT_BRBEv1p1)";
    } else if (records != 8 && records != 16 && records != 32 && records != 64) {
        fault = "BRBE has 8, 16, 32 or 64 records";
    }
    if (!fault) {
        *b = (struct vpmu_brbe){.config = *config, .pe.el = 1};
        vpmu_brbe_reset(b);
    }
    return vpmu_refuse_(fault, VPMU_ERR_CONFIG, why);
}

void vpmu_brbe_reset(struct vpmu_brbe *b)
{
    struct vpmu_brbe_pe pe = b->pe;

    *b = (struct vpmu_brbe){.config = b->config, .pe = pe, .ring.depth = b->config.records};
    vpmu_brbe_update_(b);
}

void vpmu_brbe_move(struct vpmu_brbe *b, const struct vpmu_brbe_pe *pe)
{
    b->pe = *pe;
    vpmu_brbe_update_(b);
}

unsigned vpmu_brbe_recorded(const struct vpmu_brbe *b)
{
    return vpmu_branch_recorded(&b->ring, b->pe.el);
}

bool vpmu_brbe_enabled(const struct vpmu_brbe *b)
{
    bool below_el3 = (b->cr[0] | b->cr[1]) & (VPMU_BRBCR_E0BRE | VPMU_BRBCR_EXBRE);

    return !b->ring.frozen && (below_el3 || el3_allowed(b));
}

/* Tells whether a bit is set in BRBCR_EL1, and in BRBCR_EL2 if there is EL2. */
static bool both(const struct vpmu_brbe *b, uint64_t bit)
{
    return (b->cr[0] & bit) && (!b->config.has_el2 || (b->cr[1] & bit));
}

bool vpmu_brbe_counts_cycles(const struct vpmu_brbe *b)
{
    return both(b, VPMU_BRBCR_CC);
}

bool vpmu_brbe_predicts(const struct vpmu_brbe *b)
{
    return both(b, VPMU_BRBCR_MPRED);
}

unsigned vpmu_brbe_levels(const struct vpmu_brbe *b)
{
    unsigned levels = 0;

    for (unsigned el = 0; el < VPMU_BRANCH_LEVELS; el++) {
        levels |= vpmu_branch_recorded(&b->ring, el) ? 1u << el : 0;
    }
    return levels;
}

static void add(struct vpmu_brbe *b, const struct vpmu_branch *branch, uint64_t now)
{
    vpmu_branch_add(&b->ring, branch, vpmu_brbe_counts_cycles(b) ? now : VPMU_BRANCH_NO_TIME);
}

bool vpmu_brbe_branch(struct vpmu_brbe *b, enum vpmu_branch_type type, bool mispredicted,
                      uint64_t from, uint64_t to, uint64_t now)
{
    struct vpmu_branch branch = {from, to, 0, (uint8_t)type, b->pe.el, 0, 0};

    if (!(vpmu_brbe_recorded(b) & vpmu_branch_group(type))) {
        return false;
    }
    branch.flags = VPMU_BRANCH_HAS_FROM | VPMU_BRANCH_HAS_TO;
    if (mispredicted && vpmu_brbe_predicts(b)) {
        branch.flags |= VPMU_BRANCH_MISPREDICTED;
    }
    add(b, &branch, now);
    return true;
}

/* Tells whether exceptions to, or returns from, @el are recorded. */
static bool crossing_enabled(const struct vpmu_brbe *b, unsigned el, uint64_t bit)
{
    return el == 3 ? el3_allowed(b) : el == 0 || (b->cr[el - 1] & bit);
}

/* Records a change of exception level. The address of a level that is not recorded is 0. */
static bool cross(struct vpmu_brbe *b, struct vpmu_branch branch, unsigned source_el,
                  unsigned target_el, uint64_t now)
{
    if (vpmu_branch_recorded(&b->ring, source_el)) {
        branch.flags |= VPMU_BRANCH_HAS_FROM;
    } else {
        branch.from = 0;
    }
    if (vpmu_branch_recorded(&b->ring, target_el)) {
        branch.flags |= VPMU_BRANCH_HAS_TO;
        branch.level = (uint8_t)target_el;
    } else {
        branch.to = 0;
    }
    if (!branch.flags) {
        return false;
    }
    add(b, &branch, now);
    return true;
}

bool vpmu_brbe_exception(struct vpmu_brbe *b, const struct vpmu_brbe_pe *after,
                         enum vpmu_branch_type type, uint64_t from, uint64_t to, uint64_t now)
{
    struct vpmu_branch branch = {.from = from, .to = to, .type = (uint8_t)type};
    bool recorded = crossing_enabled(b, after->el, VPMU_BRBCR_EXCEPTION) &&
                    cross(b, branch, b->pe.el, after->el, now);

    vpmu_brbe_move(b, after);
    return recorded;
}

/* The state after the return decides, as for the architecture. */
bool vpmu_brbe_return(struct vpmu_brbe *b, const struct vpmu_brbe_pe *after, uint64_t from,
                      uint64_t to, uint64_t now)
{
    struct vpmu_branch branch = {.from = from, .to = to, .type = VPMU_BRTYPE_EXCEPTION_RETURN};
    unsigned source_el = b->pe.el;
    bool recorded;

    b->pe = *after;
    set_filters(b);
    recorded = crossing_enabled(b, source_el, VPMU_BRBCR_ERTN) &&
               cross(b, branch, source_el, after->el, now);
    vpmu_brbe_update_(b);
    return recorded;
}

uint64_t vpmu_brbe_freezers(const struct vpmu_brbe *b, unsigned hpmn)
{
    uint64_t counters = vpmu_below_(VPMU_MAX_EVENT_COUNTERS);
    uint64_t low = b->config.has_el2 ? vpmu_below_(hpmn) & counters : counters;
    uint64_t freezing = 0;

    if (!vpmu_brbe_enabled(b)) {
        return 0;
    }
    if (b->cr[0] & VPMU_BRBCR_FZP) {
        freezing |= low | VPMU_BIT(VPMU_INST_COUNTER);
    }
    if (b->config.has_el2 && (b->cr[1] & VPMU_BRBCR_FZP)) {
        freezing |= counters & ~low;
    }
    return freezing;
}

bool vpmu_brbe_overflow(const struct vpmu_brbe *b, uint64_t ovs, unsigned hpmn)
{
    return vpmu_branch_recorded(&b->ring, b->pe.el) && (ovs & vpmu_brbe_freezers(b, hpmn));
}

enum vpmu_brbe_clock vpmu_brbe_clock(const struct vpmu_brbe *b)
{
    static const uint8_t clocks[] = {VPMU_BRBE_VIRTUAL, VPMU_BRBE_VIRTUAL, VPMU_BRBE_GUEST_PHYSICAL,
                                     VPMU_BRBE_PHYSICAL};
    uint64_t ts = b->config.has_el2 ? b->cr[1] & VPMU_BRBCR_TS : 0;

    return clocks[(ts ? ts : b->cr[0] & VPMU_BRBCR_TS) >> VPMU_BRBCR_TS_SHIFT];
}

void vpmu_brbe_freeze(struct vpmu_brbe *b, uint64_t time)
{
    b->fcr |= VPMU_BRBFCR_PAUSED;
    b->ts = time;
    vpmu_brbe_update_(b);
}
