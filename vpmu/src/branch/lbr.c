/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Records branches in LBR: filters, call-stack mode and the freeze. */
#include "vpmu/errors.h"

#include "lbr_internal.h"

#define CALL_STACK_GROUPS (VPMU_BRGROUP_CALL | VPMU_BRGROUP_INDIRECT_CALL | VPMU_BRGROUP_RETURN)

static const struct {
    uint64_t suppress; /* of LBR_SELECT */
    uint64_t select;   /* of IA32_LBR_CTL */
    uint8_t group;
} groups[] = {
    {VPMU_LBR_SELECT_JCC, VPMU_LBR_CTL_JCC, VPMU_BRGROUP_CONDITIONAL},
    {VPMU_LBR_SELECT_REL_JMP, VPMU_LBR_CTL_REL_JMP, VPMU_BRGROUP_DIRECT},
    {VPMU_LBR_SELECT_IND_JMP, VPMU_LBR_CTL_IND_JMP, VPMU_BRGROUP_INDIRECT},
    {VPMU_LBR_SELECT_REL_CALL, VPMU_LBR_CTL_REL_CALL, VPMU_BRGROUP_CALL},
    {VPMU_LBR_SELECT_IND_CALL, VPMU_LBR_CTL_IND_CALL, VPMU_BRGROUP_INDIRECT_CALL},
    {VPMU_LBR_SELECT_RET, VPMU_LBR_CTL_RET, VPMU_BRGROUP_RETURN},
    {VPMU_LBR_SELECT_FAR, VPMU_LBR_CTL_OTHER, VPMU_BRGROUP_EXCEPTION},
};

static bool is_arch(const struct vpmu_lbr *l)
{
    return l->config.kind == VPMU_LBR_ARCH;
}

static bool in_call_stack_mode(const struct vpmu_lbr *l)
{
    return l->select & (is_arch(l) ? VPMU_LBR_CTL_CALL_STACK : VPMU_LBR_SELECT_CALL_STACK);
}

/* Tells whether the bit that switches recording on is set. */
static bool is_on(const struct vpmu_lbr *l)
{
    switch (l->config.kind) {
    case VPMU_LBR_LEGACY:
        return l->debugctl & VPMU_LBR_DEBUGCTL_LBR;
    case VPMU_LBR_ARCH:
        return l->select & VPMU_LBR_CTL_ENABLE;
    default:
        return l->extn & VPMU_LBR_EXTN_ENABLE;
    }
}

static bool level_selected(const struct vpmu_lbr *l, unsigned cpl)
{
    if (is_arch(l)) {
        return l->select & (cpl ? VPMU_LBR_CTL_USR : VPMU_LBR_CTL_OS);
    }
    return !(l->select & (cpl ? VPMU_LBR_SELECT_CPL_ABOVE_0 : VPMU_LBR_SELECT_CPL_0));
}

static unsigned selected_groups(const struct vpmu_lbr *l)
{
    unsigned selected = 0;

    for (unsigned i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
        bool recorded =
            is_arch(l) ? l->select & groups[i].select : !(l->select & groups[i].suppress);

        selected |= recorded ? groups[i].group : 0;
    }
    return in_call_stack_mode(l) ? selected & CALL_STACK_GROUPS : selected;
}

void vpmu_lbr_update_(struct vpmu_lbr *l)
{
    unsigned selected = selected_groups(l);

    for (unsigned cpl = 0; cpl < VPMU_BRANCH_LEVELS; cpl++) {
        l->ring.groups[cpl] = level_selected(l, cpl) ? (uint8_t)selected : 0;
    }
    l->ring.frozen = l->frozen || !is_on(l);
    if (l->ring.frozen) {
        vpmu_branch_interrupt(&l->ring);
    }
}

unsigned vpmu_lbr_index_(const struct vpmu_lbr *l, unsigned n)
{
    unsigned depth = l->ring.depth;

    return vpmu_lbr_is_legacy_(&l->config) ? (depth - n) % depth : (l->ring.newest + n) % depth;
}

unsigned vpmu_lbr_tos_(const struct vpmu_lbr *l)
{
    return (unsigned)(l->ring.depth - l->ring.newest) % l->ring.depth;
}

int vpmu_lbr_init(struct vpmu_lbr *l, const struct vpmu_lbr_config *config, const char **why)
{
    int error = vpmu_lbr_config_check(config, why);

    if (error) {
        return error;
    }
    *l = (struct vpmu_lbr){.config = *config};
    vpmu_lbr_reset(l);
    return 0;
}

void vpmu_lbr_reset(struct vpmu_lbr *l)
{
    *l = (struct vpmu_lbr){.config = l->config, .cpl = l->cpl, .ring.depth = l->config.depth};
    vpmu_lbr_update_(l);
}

void vpmu_lbr_move(struct vpmu_lbr *l, unsigned cpl)
{
    l->cpl = (uint8_t)cpl;
}

unsigned vpmu_lbr_recorded(const struct vpmu_lbr *l)
{
    return vpmu_branch_recorded(&l->ring, l->cpl);
}

bool vpmu_lbr_enabled(const struct vpmu_lbr *l)
{
    return !l->ring.frozen;
}

bool vpmu_lbr_counts_cycles(const struct vpmu_lbr *l)
{
    return !l->ring.frozen && vpmu_lbr_has_info_(&l->config);
}

static bool add(struct vpmu_lbr *l, enum vpmu_branch_type type, bool mispredicted, uint64_t from,
                uint64_t to, uint64_t now)
{
    struct vpmu_branch branch = {
        .from = vpmu_lbr_address_(&l->config, from),
        .to = vpmu_lbr_address_(&l->config, to),
        .type = (uint8_t)type,
        .level = l->cpl,
        .flags = VPMU_BRANCH_HAS_FROM | VPMU_BRANCH_HAS_TO,
        .tag = vpmu_lbr_tag_(&l->config, type),
    };

    branch.flags |= mispredicted ? VPMU_BRANCH_MISPREDICTED : 0;
    vpmu_branch_add(&l->ring, &branch, vpmu_lbr_counts_cycles(l) ? now : VPMU_BRANCH_NO_TIME);
    return true;
}

bool vpmu_lbr_branch(struct vpmu_lbr *l, enum vpmu_branch_type type, bool mispredicted,
                     uint64_t from, uint64_t to, uint64_t now)
{
    unsigned group = vpmu_branch_group(type);

    if (!(vpmu_lbr_recorded(l) & group)) {
        return false;
    }
    if (group == VPMU_BRGROUP_RETURN && in_call_stack_mode(l)) {
        vpmu_branch_remove(&l->ring);
        return true;
    }
    return add(l, type, mispredicted, from, to, now);
}

bool vpmu_lbr_far(struct vpmu_lbr *l, unsigned cpl, enum vpmu_branch_type type, uint64_t from,
                  uint64_t to, uint64_t now)
{
    /* Architectural LBR does not show an address of a level that it leaves out. */
    bool hidden = is_arch(l) && !level_selected(l, l->cpl);

    vpmu_lbr_move(l, cpl);
    return (vpmu_lbr_recorded(l) & VPMU_BRGROUP_EXCEPTION) &&
           add(l, type, false, hidden ? UINT64_MAX : from, to, now);
}

static void switch_off(struct vpmu_lbr *l)
{
    l->debugctl &= ~VPMU_LBR_DEBUGCTL_LBR;
    vpmu_lbr_update_(l);
}

void vpmu_lbr_debug(struct vpmu_lbr *l)
{
    if (vpmu_lbr_is_legacy_(&l->config)) {
        switch_off(l);
    }
}

bool vpmu_lbr_pmi(struct vpmu_lbr *l)
{
    bool recording = vpmu_lbr_enabled(l);

    if (!(l->debugctl & VPMU_LBR_DEBUGCTL_FREEZE)) {
        return false;
    }
    if (l->config.features & VPMU_LBR_STATUS) {
        vpmu_lbr_freeze(l);
    } else if (vpmu_lbr_is_legacy_(&l->config)) {
        switch_off(l);
    }
    return recording && !vpmu_lbr_enabled(l);
}

bool vpmu_lbr_frozen(const struct vpmu_lbr *l)
{
    return l->frozen;
}

void vpmu_lbr_freeze(struct vpmu_lbr *l)
{
    l->frozen = l->config.features & VPMU_LBR_STATUS;
    vpmu_lbr_update_(l);
}

void vpmu_lbr_thaw(struct vpmu_lbr *l)
{
    l->frozen = false;
    vpmu_lbr_update_(l);
}
