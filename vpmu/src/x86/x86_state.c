/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The saved state: little-endian, no padding, every byte accounted for.
 *
 *   0  u32 magic "vX86"     4  u16 version      6  u16 size
 *   8  configuration: u8 vendor, version, counters, fixed, width, features, cycle_units,
 *      u64 sources, u64 timed, u8 pebs, family, detector
 *  34  15 times: u64 PERFEVTSEL
 * 154  u64 FIXED_CTR_CTRL, enabled, overflowed, flags, PEBS_ENABLE, DS_AREA, due; u32 slow
 * 214  19 times: u64 value
 * 366  19 times: u16 remainder
 * 404  15 times: u64 events of the current cycle
 * 524  u16 of which of these the condition was true in the cycle before
 * 526  u32 CRC-32 of all before it
 *
 * Version 4 is of a PMU with PERF_METRICS. It has before the checksum:
 *
 * 526  6 times: u64 value of fixed counter 3, then the slots by their use (x86_metrics.c)
 *
 * Version 5 is of a PMU whose MSR_PEBS_LD_LAT_THRESHOLD is not 0. It has before the checksum:
 *
 * 526  u64 MSR_PEBS_LD_LAT_THRESHOLD
 *
 * Version 6 is of a PMU with PEBS format 4. It has before the checksum the values of version 4,
 * which are 0 without PERF_METRICS, and:
 *
 * 574  u64 MSR_PEBS_LD_LAT_THRESHOLD, MSR_PEBS_DATA_CFG
 *
 * Version 2 had no family, no detector and no slow, and ended at 524. It is loaded, not written.
 */
#include "vpmu/x86/state.h"

#include "../count/saved.h"
#include "../saved_sources.h"
#include "x86_internal.h"

#define VERSION 3
#define VERSION_WITHOUT_FAMILY 2
#define VERSION_METRICS 4
#define VERSION_LOAD_LATENCY 5
#define VERSION_BASELINE 6
/* The counters of version 3. */
#define COUNTERS VPMU_X86_SLOTS
#define METRICS_COUNTERS (1 + VPMU_X86_METRIC_COUNT)
/* Positions in the configuration. */
#define VERSION_AT 1
#define SOURCES_AT 7
#define TIMED_AT 15
#define PEBS_AT 23

/* The numbers of the counters whose values follow those of version 3 are adjacent, too. */
_Static_assert(VPMU_X86_SLOTS + 1 == VPMU_X86_METRIC, "counters of version 4");

/* The contents of a saved state. */
struct saved {
    struct vpmu_saved_ all;
    struct vpmu_x86_regs regs;
    uint32_t slow;
    uint16_t met;
};

/* Earlier versions saved sources of x86 under the numbers of Arm sources. */
static const struct vpmu_saved_range_ ranges[] = {
    {VPMU_X86_SRC_BR_COND, 1, 6},
    {VPMU_X86_SRC_BR_DIRECT, 1, 15},
    {VPMU_X86_SRC_BR_INDIRECT, 1, 8},
    {VPMU_X86_SRC_BR_RETURN, 1, 7},
    {VPMU_X86_SRC_BR_FAR, 1, 14},
    {VPMU_X86_SRC_CYCLES, VPMU_SRC_STALL_SLOT_FRONTEND - VPMU_SRC_CPU_CYCLES, 30},
    {VPMU_SRC_STALL_SLOT_FRONTEND, VPMU_SRC_OWN - VPMU_SRC_STALL_SLOT_FRONTEND, VPMU_UNSAVED_},
    {VPMU_X86_SRC_DTLB_WALK_RD, 5, 17},
    {VPMU_X86_SRC_BR_CALL, 1, 3},
    {VPMU_X86_SRC_BR_TAKEN, 8, 22},
    {VPMU_X86_SRC_LL_LOAD_HIT, 1, 58},
    {VPMU_X86_SRC_RECOVERY, 3, 59},
    {VPMU_X86_SRC_SLOT_MEMORY, 5, VPMU_UNSAVED_},
    {VPMU_X86_SRC_DTLB_L2_HIT_RD, 8, VPMU_UNSAVED_},
};

static void pass_sources(struct vpmu_cursor_ *c, vpmu_sources sources)
{
    vpmu_pass_sources_(c, sources, ranges, sizeof(ranges) / sizeof(ranges[0]));
}

static bool has_metrics_values(uint16_t version)
{
    return version == VERSION_METRICS || version == VERSION_BASELINE;
}

/* A machine that wrote version 2, 3 or 5 had no PERF_METRICS. */
static void pass_config(struct vpmu_cursor_ *c, const struct vpmu_count *count, uint16_t version)
{
    struct vpmu_x86_config config = ((const struct vpmu_x86 *)count)->config;

    if (!has_metrics_values(version) && vpmu_x86_has_metrics_(&config)) {
        config.features &= (uint8_t)~VPMU_X86_HAS_METRICS;
        config.fixed = VPMU_X86_SLOTS - VPMU_X86_FIXED;
    }
    VPMU_PASS_(c, config.vendor);
    VPMU_PASS_(c, config.version);
    VPMU_PASS_(c, config.counters);
    VPMU_PASS_(c, config.fixed);
    VPMU_PASS_(c, config.width);
    VPMU_PASS_(c, config.features);
    VPMU_PASS_(c, config.cycle_units);
    pass_sources(c, config.sources);
    pass_sources(c, config.timed);
    VPMU_PASS_(c, config.pebs);
    if (version > VERSION_WITHOUT_FAMILY) {
        VPMU_PASS_(c, config.family);
        VPMU_PASS_(c, config.detector);
    }
}

static void pass(struct vpmu_cursor_ *c, struct vpmu_saved_ *all)
{
    struct saved *s = (struct saved *)all;

    VPMU_PASS_ALL_(c, s->regs.select, VPMU_X86_MAX_COUNTERS);
    VPMU_PASS_(c, s->regs.fixed);
    VPMU_PASS_(c, s->regs.enabled);
    VPMU_PASS_(c, s->regs.overflowed);
    VPMU_PASS_(c, s->regs.flags);
    VPMU_PASS_(c, s->regs.pebs);
    VPMU_PASS_(c, s->regs.ds_area);
    VPMU_PASS_(c, s->regs.due);
    if (all->version > VERSION_WITHOUT_FAMILY) {
        s->slow = (uint32_t)s->regs.slow;
        VPMU_PASS_(c, s->slow);
        s->regs.slow = s->slow;
    }
    VPMU_PASS_ALL_(c, all->value, COUNTERS);
    VPMU_PASS_ALL_(c, all->remainder, COUNTERS);
    VPMU_PASS_ALL_(c, all->cycle, VPMU_X86_MAX_COUNTERS);
    s->met = (uint16_t)all->met;
    VPMU_PASS_(c, s->met);
    all->met = s->met;
    if (has_metrics_values(all->version)) {
        VPMU_PASS_ALL_(c, all->value + COUNTERS, METRICS_COUNTERS);
    }
    if (all->version >= VERSION_LOAD_LATENCY) {
        VPMU_PASS_(c, s->regs.load_latency);
    }
    if (all->version == VERSION_BASELINE) {
        VPMU_PASS_(c, s->regs.data_cfg);
    }
}

size_t vpmu_x86_state_size(const struct vpmu_x86_config *config)
{
    if (vpmu_x86_has_baseline_(config)) {
        return VPMU_X86_STATE_SIZE_BASELINE;
    }
    if (vpmu_x86_has_metrics_(config)) {
        return VPMU_X86_STATE_SIZE_METRICS;
    }
    return config->pebs ? VPMU_X86_STATE_SIZE_LOAD_LATENCY : VPMU_X86_STATE_SIZE;
}

size_t vpmu_x86_state_saved_size(const void *buf)
{
    const uint8_t *bytes = buf;

    return bytes[6] | (size_t)bytes[7] << 8;
}

static uint64_t sources_at(const uint8_t *config, size_t at)
{
    struct vpmu_cursor_ c = {.bytes = config, .at = at};

    return vpmu_pass_(&c, 0, sizeof(uint64_t));
}

/*
 * A machine that wrote version 2 tallied fewer sources. If it has PEBS format 4 now, it had no PEBS
 * before version 6, and perhaps an earlier version of performance monitoring: all its registers
 * exist.
 */
static const char *find_fault_in_config(uint8_t *own, const uint8_t *saved, uint16_t version)
{
    if (sources_at(saved, TIMED_AT) != sources_at(own, TIMED_AT)) {
        return "the saved PMU state has cycles from another origin: use the pmu-cycles that it was "
               "saved with, which is clock if an older version saved it";
    }
    if (version < VERSION_BASELINE && own[PEBS_AT] >= VPMU_X86_PEBS_BASELINE) {
        own[PEBS_AT] = 0;
        own[VERSION_AT] = saved[VERSION_AT] < own[VERSION_AT] ? saved[VERSION_AT] : own[VERSION_AT];
    }
    if (version == VERSION_WITHOUT_FAMILY &&
        !(sources_at(saved, SOURCES_AT) & ~sources_at(own, SOURCES_AT))) {
        for (size_t i = SOURCES_AT; i < TIMED_AT; i++) {
            own[i] = saved[i];
        }
    }
    return NULL;
}

static const char *find_fault_in_regs(const struct vpmu_x86_config *config,
                                      const struct vpmu_x86_regs *regs)
{
    bool global = vpmu_x86_has_global_(config);
    bool can_set = vpmu_x86_is_intel_(config) && config->version >= 4;
    uint64_t flags = (can_set ? vpmu_x86_set_kept_(config) & VPMU_X86_FLAGS : 0) |
                     (config->pebs ? VPMU_X86_OVF_BUF : 0);
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
        !vpmu_x86_is_canonical_(regs->ds_area)) {
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
    }
    return !(s->value[idx] & ~kept) && vpmu_saved_parts_fit_(c, s, idx, &assignment);
}

/* A PMU without PEBS format 4 saves a threshold of 0 as version 3. */
static bool version_fits(const struct vpmu_x86_config *config, const struct saved *s)
{
    if (s->all.version == VERSION_BASELINE) {
        return vpmu_x86_has_baseline_(config);
    }
    return (s->all.version == VERSION_LOAD_LATENCY) == (s->regs.load_latency != 0);
}

/* Sums of slots by their use must not overflow, and are 0 without PERF_METRICS. */
static bool metrics_fit(const struct vpmu_x86_config *config, const struct vpmu_saved_ *s)
{
    uint64_t limit = vpmu_x86_has_metrics_(config) ? VPMU_BIT(60) : 1;
    bool fit = true;

    for (unsigned idx = VPMU_X86_METRIC; idx < COUNTERS + METRICS_COUNTERS; idx++) {
        fit &= s->value[idx] < limit;
    }
    return fit;
}

static const char *find_fault(const struct vpmu_count *c, const struct vpmu_saved_ *all)
{
    const struct vpmu_x86 *v = (const struct vpmu_x86 *)c;
    const struct saved *s = (const struct saved *)all;
    struct vpmu_x86_setup_ setup = {&v->config, &v->controls, &s->regs};
    const char *fault = find_fault_in_regs(&v->config, &s->regs);

    for (unsigned idx = 0; !fault && idx < VPMU_X86_COUNTER_COUNT; idx++) {
        fault = counter_fits(c, &setup, all, idx) ? NULL : vpmu_impossible_value_;
    }
    return fault || (metrics_fit(&v->config, all) && version_fits(&v->config, s))
               ? fault
               : vpmu_impossible_value_;
}

static void take(struct vpmu_count *c, const struct vpmu_saved_ *all)
{
    ((struct vpmu_x86 *)c)->regs = ((const struct saved *)all)->regs;
}

const struct vpmu_state_format_ vpmu_x86_state_ = {
    .magic = 0x36385876u,
    .oldest = VERSION_WITHOUT_FAMILY,
    .newest = VERSION_BASELINE,
    .size = {VPMU_X86_STATE_SIZE_2, VPMU_X86_STATE_SIZE, VPMU_X86_STATE_SIZE_METRICS,
             VPMU_X86_STATE_SIZE_LOAD_LATENCY, VPMU_X86_STATE_SIZE_BASELINE},
    .cycles = VPMU_X86_MAX_COUNTERS,
    .other_magic = "this is not a saved x86 PMU state: it does not begin with vX86",
    .other_version =
        "the saved PMU state is of another version; this library reads versions 2 to 6",
    .pass_config = pass_config,
    .find_fault_in_config = find_fault_in_config,
    .pass = pass,
    .find_fault = find_fault,
    .take = take,
};

static uint16_t version_of(const struct vpmu_x86 *v)
{
    if (vpmu_x86_has_baseline_(&v->config)) {
        return VERSION_BASELINE;
    }
    if (vpmu_x86_has_metrics_(&v->config)) {
        return VERSION_METRICS;
    }
    return v->regs.load_latency ? VERSION_LOAD_LATENCY : VERSION;
}

int vpmu_x86_state_save(struct vpmu_x86 *v, void *buf, size_t len, const struct vpmu_now *now)
{
    struct saved s = {.slow = 0};
    int due;

    if (len < vpmu_x86_state_size(&v->config)) {
        return -VPMU_ERR_SPACE;
    }
    due = vpmu_settle_(&v->count, now);
    s.all.version = version_of(v);
    s.regs = v->regs;
    vpmu_saved_write_(&v->count, &s.all, buf, len);
    return due;
}

int vpmu_x86_state_load(struct vpmu_x86 *v, const void *buf, size_t len, const struct vpmu_now *now,
                        const char **why)
{
    struct saved s = {.slow = 0};

    return vpmu_saved_read_(&v->count, &s.all, buf, len, now, why);
}
