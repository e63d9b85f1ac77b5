/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The saved state: little-endian, no padding, every byte accounted for. See ../count/saved.h.
 *
 *   0  u32 magic "vX86"     4  u16 version      6  u16 size
 *   8  u64 sources, lower and upper half; u64 timed, the same
 *  40  configuration: u8 vendor, version, counters, fixed, width, features, cycle_units, pebs,
 *      family, detector
 *  50  u8 zero[6]
 *  56  15 times: u64 PERFEVTSEL
 * 176  u64 FIXED_CTR_CTRL, enabled, overflowed, flags, PEBS_ENABLE, DS_AREA, due, slow,
 *      MSR_PEBS_LD_LAT_THRESHOLD, MSR_PEBS_DATA_CFG
 * 256  20 times: u64 value; 5 times: u64 slots by their use (x86_metrics.c)
 * 456  20 times: u16 remainder
 * 496  15 times: u64 events of the current cycle
 * 616  u16 in which of these the condition was true in the cycle before
 * 618  u16 zero
 * 620  u32 CRC-32 of all before it
 */
#include "vpmu/x86/state.h"

#include "../count/saved.h"
#include "x86_internal.h"

#define VALUES (VPMU_X86_METRIC + VPMU_X86_METRIC_COUNT)
#define REF_CYCLES VPMU_SRC_BIT(VPMU_X86_SRC_REF_CYCLES)

_Static_assert(VPMU_X86_METRIC == VPMU_X86_COUNTER_COUNT, "slots by their use follow the counters");

/* The contents of a saved state. */
struct saved {
    struct vpmu_saved_ all;
    struct vpmu_x86_regs regs;
    uint16_t met;
    uint8_t zero; /* all bytes that must be 0, combined with OR */
};

static void sources(const struct vpmu_count *c, struct vpmu_saved_ *all)
{
    const struct vpmu_x86_config *config = &((const struct vpmu_x86 *)c)->config;

    all->sources = config->sources;
    all->timed = config->timed;
}

static void pass_config(struct vpmu_cursor_ *c, const struct vpmu_count *count)
{
    struct vpmu_x86_config config = ((const struct vpmu_x86 *)count)->config;

    VPMU_PASS_(c, config.vendor);
    VPMU_PASS_(c, config.version);
    VPMU_PASS_(c, config.counters);
    VPMU_PASS_(c, config.fixed);
    VPMU_PASS_(c, config.width);
    VPMU_PASS_(c, config.features);
    VPMU_PASS_(c, config.cycle_units);
    VPMU_PASS_(c, config.pebs);
    VPMU_PASS_(c, config.family);
    VPMU_PASS_(c, config.detector);
}

static void pass_zero(struct vpmu_cursor_ *c, struct saved *s, size_t size)
{
    s->zero |= vpmu_pass_(c, 0, size) != 0;
}

static void pass_regs(struct vpmu_cursor_ *c, struct vpmu_x86_regs *regs)
{
    VPMU_PASS_ALL_(c, regs->select, VPMU_X86_MAX_COUNTERS);
    VPMU_PASS_(c, regs->fixed);
    VPMU_PASS_(c, regs->enabled);
    VPMU_PASS_(c, regs->overflowed);
    VPMU_PASS_(c, regs->flags);
    VPMU_PASS_(c, regs->pebs);
    VPMU_PASS_(c, regs->ds_area);
    VPMU_PASS_(c, regs->due);
    VPMU_PASS_(c, regs->slow);
    VPMU_PASS_(c, regs->load_latency);
    VPMU_PASS_(c, regs->data_cfg);
}

static void pass(struct vpmu_cursor_ *c, struct vpmu_saved_ *all)
{
    struct saved *s = (struct saved *)all;

    pass_zero(c, s, 6);
    pass_regs(c, &s->regs);
    VPMU_PASS_ALL_(c, all->value, VALUES);
    VPMU_PASS_ALL_(c, all->remainder, VPMU_X86_COUNTER_COUNT);
    VPMU_PASS_ALL_(c, all->cycle, VPMU_X86_MAX_COUNTERS);
    s->met = (uint16_t)all->met;
    VPMU_PASS_(c, s->met);
    all->met = s->met;
    pass_zero(c, s, 2);
}

static const char *find_fault_in_regs(const struct vpmu_x86_config *config,
                                      const struct vpmu_x86_regs *regs)
{
    bool global = vpmu_x86_has_global_(config);
    bool can_set = vpmu_x86_is_intel_(config) && config->version >= 4;
    bool freezes = !vpmu_x86_is_intel_(config) && config->version >= VPMU_X86_AMD_V2;
    uint64_t flags = (can_set ? vpmu_x86_set_kept_(config) & VPMU_X86_FLAGS : 0) |
                     (freezes ? VPMU_X86_CTR_FRZ : 0) | (config->pebs ? VPMU_X86_OVF_BUF : 0);
    uint64_t pebs = config->pebs ? vpmu_x86_pebs_kept_(config) : 0;
    uint64_t latency = config->pebs ? vpmu_x86_load_latency_kept_(config) : 0;
    uint64_t data = vpmu_x86_has_baseline_(config) ? vpmu_x86_data_cfg_kept_(config) : 0;
    uint64_t counters = global ? vpmu_x86_controlled_(config) : 0;
    uint64_t select = vpmu_x86_select_kept_(config);
    uint64_t slow = config->detector ? vpmu_x86_implemented_(config) : 0;

    for (unsigned idx = 0; idx < VPMU_X86_MAX_COUNTERS; idx++) {
        if (regs->select[idx] & ~(idx < config->counters ? select : 0)) {
            return "the saved PMU state sets bits of PERFEVTSEL that this PMU does not have";
        }
    }
    if ((regs->fixed & ~vpmu_x86_fixed_kept_(config)) || (regs->overflowed & ~counters) ||
        (regs->flags & ~flags) || (global && (regs->enabled & ~counters)) ||
        (!global && regs->enabled != vpmu_x86_general_(config)) || (regs->pebs & ~pebs) ||
        (regs->due & ~vpmu_x86_recording_(config, pebs)) || (regs->load_latency & ~latency) ||
        (regs->data_cfg & ~data) || (regs->slow & ~slow) || (!config->pebs && regs->ds_area) ||
        !vpmu_x86_is_canonical_(config, regs->ds_area)) {
        return "the saved PMU state sets register bits that this PMU does not have";
    }
    return NULL;
}

/* Tells whether a counter can have this value and these parts of counts and of cycles. */
static bool counter_fits(const struct vpmu_count *c, const struct vpmu_x86_setup_ *setup,
                         const struct vpmu_saved_ *s, unsigned idx)
{
    struct vpmu_assignment_ assignment = {.unit = 1};
    uint64_t kept = 0;

    if (vpmu_x86_implemented_(setup->config) & VPMU_BIT(idx)) {
        assignment = vpmu_x86_assignment_(setup, idx);
        kept = vpmu_x86_value_kept_(setup->config);
        if (assignment.sources == REF_CYCLES && assignment.unit > 1) {
            /* A part of a cycle of the bus clock, which may have had another ratio. */
            assignment.unit = UINT16_MAX;
        }
    }
    return !(s->value[idx] & ~kept) && vpmu_saved_parts_fit_(c, s, idx, &assignment);
}

/* Sums of slots by their use must not overflow, and are 0 without PERF_METRICS. */
static bool metrics_fit(const struct vpmu_x86_config *config, const struct vpmu_saved_ *s)
{
    uint64_t limit = vpmu_x86_has_metrics_(config) ? VPMU_BIT(60) : 1;
    bool fit = true;

    for (unsigned idx = VPMU_X86_METRIC; idx < VALUES; idx++) {
        fit &= s->value[idx] < limit;
    }
    return fit;
}

static const char *find_fault(const struct vpmu_count *c, const struct vpmu_saved_ *all)
{
    const struct vpmu_x86 *v = (const struct vpmu_x86 *)c;
    const struct saved *s = (const struct saved *)all;
    struct vpmu_x86_setup_ setup = {&v->config, &v->controls, &s->regs, NULL};
    const char *fault = find_fault_in_regs(&v->config, &s->regs);

    for (unsigned idx = 0; !fault && idx < VPMU_X86_COUNTER_COUNT; idx++) {
        fault = counter_fits(c, &setup, all, idx) ? NULL : vpmu_impossible_value_;
    }
    return fault || (metrics_fit(&v->config, all) && !s->zero) ? fault : vpmu_impossible_value_;
}

static void take(struct vpmu_count *c, const struct vpmu_saved_ *all)
{
    ((struct vpmu_x86 *)c)->regs = ((const struct saved *)all)->regs;
}

const struct vpmu_state_format_ vpmu_x86_state_ = {
    .magic = 0x36385876u,
    .size = VPMU_X86_STATE_SIZE,
    .cycles = VPMU_X86_MAX_COUNTERS,
    .other_magic = "this is not a saved x86 PMU state: it does not begin with vX86",
    .sources = sources,
    .pass_config = pass_config,
    .pass = pass,
    .find_fault = find_fault,
    .take = take,
};

int vpmu_x86_state_save(struct vpmu_x86 *v, void *buf, size_t len, const struct vpmu_now *now)
{
    struct saved s = {.met = 0};
    int due;

    if (len < VPMU_X86_STATE_SIZE) {
        return -VPMU_ERR_SPACE;
    }
    due = vpmu_settle_(&v->count, now);
    s.regs = v->regs;
    vpmu_saved_write_(&v->count, &s.all, buf, len);
    return due;
}

int vpmu_x86_state_load(struct vpmu_x86 *v, const void *buf, size_t len, const struct vpmu_now *now,
                        const char **why)
{
    struct saved s = {.met = 0};

    return vpmu_saved_read_(&v->count, &s.all, buf, len, now, why);
}
