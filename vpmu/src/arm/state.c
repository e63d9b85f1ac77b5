/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The saved state: little-endian, no padding, every byte accounted for. See ../count/saved.h.
 *
 *   0  u32 magic "vPMU"     4  u16 version      6  u16 size
 *   8  u64 sources, lower and upper half; u64 timed, the same
 *  40  configuration: u8 version, u8 counters, u16 features, u8 imp, u8 idcode, u8 slots,
 *      u8 threshold_width, u8 cycle_units
 *  49  u8 announced, u8 zero[6]
 *  56  u64 PMCR, PMCNTEN, PMINTEN, PMOVS, PMUSERENR, PMUACR, PMSELR
 * 112  33 times: u64 value, u64 type
 * 640  33 times: u16 remainder
 * 706  u16 zero
 * 708  31 times: u64 value, u64 link of the current cycle
 *1204  u32 in which of these the condition was true in the cycle before
 *1208  u32 CRC-32 of all before it
 */
#include "vpmu/arm/state.h"

#include "../count/saved.h"
#include "arm_internal.h"

_Static_assert(VPMU_MAX_EVENT_COUNTERS <= 32, "conditions are saved as u32");

/* The contents of a saved state. */
struct saved {
    struct vpmu_saved_ all;
    struct vpmu_arm_regs regs;
    uint8_t announced;
    uint8_t zero; /* all bytes that must be 0, combined with OR */
};

static void pass_zero(struct vpmu_cursor_ *c, struct saved *s, size_t size)
{
    s->zero |= vpmu_pass_(c, 0, size) != 0;
}

static void sources(const struct vpmu_count *c, struct vpmu_saved_ *all)
{
    const struct vpmu_arm_config *config = &((const struct vpmu_arm *)c)->config;

    all->sources = config->sources;
    all->timed = config->timed;
}

static void pass_config(struct vpmu_cursor_ *c, const struct vpmu_count *count)
{
    struct vpmu_arm_config config = ((const struct vpmu_arm *)count)->config;

    VPMU_PASS_(c, config.version);
    VPMU_PASS_(c, config.counters);
    VPMU_PASS_(c, config.features);
    VPMU_PASS_(c, config.imp);
    VPMU_PASS_(c, config.idcode);
    VPMU_PASS_(c, config.slots);
    VPMU_PASS_(c, config.threshold_width);
    VPMU_PASS_(c, config.cycle_units);
}

static void pass_regs(struct vpmu_cursor_ *c, struct vpmu_arm_regs *regs)
{
    VPMU_PASS_(c, regs->pmcr);
    VPMU_PASS_(c, regs->cnten);
    VPMU_PASS_(c, regs->inten);
    VPMU_PASS_(c, regs->ovs);
    VPMU_PASS_(c, regs->userenr);
    VPMU_PASS_(c, regs->uacr);
    VPMU_PASS_(c, regs->selr);
}

static void pass(struct vpmu_cursor_ *c, struct vpmu_saved_ *all)
{
    struct saved *s = (struct saved *)all;

    VPMU_PASS_(c, s->announced);
    pass_zero(c, s, 6);
    pass_regs(c, &s->regs);
    for (unsigned idx = 0; idx < VPMU_COUNTER_COUNT; idx++) {
        VPMU_PASS_(c, all->value[idx]);
        VPMU_PASS_(c, s->regs.type[idx]);
    }
    VPMU_PASS_ALL_(c, all->remainder, VPMU_COUNTER_COUNT);
    pass_zero(c, s, 2);
    for (unsigned idx = 0; idx < VPMU_MAX_EVENT_COUNTERS; idx++) {
        VPMU_PASS_(c, all->cycle[idx]);
        VPMU_PASS_(c, all->link[idx]);
    }
    VPMU_PASS_(c, all->met);
}

static const char *find_fault_in_regs(const struct vpmu_arm_config *config,
                                      const struct vpmu_arm_regs *regs)
{
    uint64_t implemented = vpmu_implemented_(config);
    uint64_t uacr = config->version >= VPMU_V3P9 ? implemented : 0;
    uint64_t fixed = vpmu_pmcr_fixed_(config);

    if ((regs->pmcr & ~(vpmu_pmcr_kept_(config) | fixed)) || (regs->uacr & ~uacr) ||
        ((regs->cnten | regs->inten | regs->ovs) & ~implemented) ||
        (regs->userenr & ~vpmu_userenr_kept_(config)) || (regs->selr & ~VPMU_SELR_MASK)) {
        return "the saved PMU state sets register bits that this PMU does not have";
    }
    if ((regs->pmcr & fixed) != fixed) {
        return "the saved PMU state clears a PMCR bit that is always 1 in this PMU";
    }
    return NULL;
}

static const char *find_fault(const struct vpmu_count *c, const struct vpmu_saved_ *all)
{
    const struct vpmu_arm *v = (const struct vpmu_arm *)c;
    const struct saved *s = (const struct saved *)all;
    struct vpmu_setup_ setup = vpmu_setup_(&v->config, &v->controls, &s->regs);
    uint64_t implemented = vpmu_implemented_(&v->config);
    const char *fault = find_fault_in_regs(&v->config, &s->regs);
    bool fits = !s->zero && s->announced < VPMU_ANNOUNCED_COUNT;

    for (unsigned idx = 0; !fault && idx < VPMU_COUNTER_COUNT; idx++) {
        struct vpmu_assignment_ assignment = vpmu_assignment_(&setup, idx);
        bool exists = implemented & VPMU_BIT(idx);

        if ((all->value[idx] & ~(exists ? vpmu_counter_kept_(&v->config, idx) : 0)) ||
            (s->regs.type[idx] & ~(exists ? vpmu_typer_kept_(&v->config, idx) : 0))) {
            fault =
                "the saved PMU state has counters, or bits of them, that this PMU does not have";
        }
        fits &= vpmu_saved_parts_fit_(c, all, idx, &assignment);
    }
    return fault || fits ? fault : vpmu_impossible_value_;
}

static void take(struct vpmu_count *c, const struct vpmu_saved_ *all)
{
    struct vpmu_arm *v = (struct vpmu_arm *)c;
    const struct saved *s = (const struct saved *)all;

    v->announced = s->announced;
    v->regs = s->regs;
}

const struct vpmu_state_format_ vpmu_arm_state_ = {
    .magic = 0x554d5076u,
    .size = VPMU_STATE_SIZE,
    .cycles = VPMU_MAX_EVENT_COUNTERS,
    .other_magic = "this is not a saved PMU state: it does not begin with vPMU",
    .sources = sources,
    .pass_config = pass_config,
    .pass = pass,
    .find_fault = find_fault,
    .take = take,
};

int vpmu_arm_state_save(struct vpmu_arm *v, void *buf, size_t len, const struct vpmu_now *now)
{
    struct saved s = {.announced = v->announced};
    int due;

    if (len < VPMU_STATE_SIZE) {
        return -VPMU_ERR_SPACE;
    }
    due = vpmu_settle_(&v->count, now);
    s.regs = v->regs;
    vpmu_saved_write_(&v->count, &s.all, buf, len);
    return due;
}

int vpmu_arm_state_load(struct vpmu_arm *v, const void *buf, size_t len, const struct vpmu_now *now,
                        const char **why)
{
    struct saved s = {.announced = 0};
    int due = vpmu_saved_read_(&v->count, &s.all, buf, len, now, why);

    return due >= 0 && v->watch ? due | vpmu_watch_restart_(v, now) : due;
}

int vpmu_arm_state_counters(const void *buf, size_t len)
{
    const unsigned at = VPMU_SAVED_CONFIG_AT_ + 1;
    const uint8_t *bytes = buf;

    if (vpmu_saved_fault_(&vpmu_arm_state_, bytes, len) || bytes[at] > VPMU_MAX_EVENT_COUNTERS) {
        return -VPMU_ERR_STATE;
    }
    return bytes[at];
}
