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
 * 404  15 times: u64 events of the cycle that goes on
 * 524  u16 of which of these the condition was true in the cycle before
 * 526  u32 CRC-32 of all before it
 *
 * Version 4 is of a PMU with PERF_METRICS. It has before the checksum:
 *
 * 526  6 times: u64 value of fixed counter 3, then the slots by their use (x86_metrics.c)
 *
 * Version 2 had no family, no detector and no slow, and ended at 524. It is loaded, not written.
 */
#include "vpmu/x86/state.h"

#include "../cursor.h"
#include "../refuse.h"
#include "../saved_sources.h"
#include "x86_internal.h"

#define MAGIC 0x36385876u
#define VERSION 3
#define VERSION_WITHOUT_FAMILY 2
#define VERSION_METRICS 4
/* The counters of version 3. */
#define COUNTERS VPMU_X86_SLOTS
#define METRICS_COUNTERS (1 + VPMU_X86_METRIC_COUNT)
#define CONFIG_AT 8
#define CONFIG_SIZE 26
#define SOURCES_AT 15
#define TIMED_AT 23

/* All that a saved state says. */
struct saved {
    uint32_t magic;
    uint16_t version;
    uint16_t size;
    struct vpmu_x86_config config;
    struct vpmu_x86_regs regs;
    uint32_t slow;
    uint64_t value[COUNTERS + METRICS_COUNTERS];
    uint16_t remainder[COUNTERS];
    uint64_t cycle[VPMU_X86_MAX_COUNTERS];
    uint16_t met;
    uint32_t crc;
    uint32_t crc_found;
};

/* What sources of x86 were called by once: numbers that Arm had. */
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
    {VPMU_X86_SRC_DTLB_L2_HIT_RD, 2, VPMU_UNSAVED_},
};

static void pass_sources(struct vpmu_cursor_ *c, vpmu_sources sources)
{
    vpmu_pass_sources_(c, sources, ranges, sizeof(ranges) / sizeof(ranges[0]));
}

static void pass_config(struct vpmu_cursor_ *c, struct vpmu_x86_config *config, bool old)
{
    VPMU_PASS_(c, config->vendor);
    VPMU_PASS_(c, config->version);
    VPMU_PASS_(c, config->counters);
    VPMU_PASS_(c, config->fixed);
    VPMU_PASS_(c, config->width);
    VPMU_PASS_(c, config->features);
    VPMU_PASS_(c, config->cycle_units);
    pass_sources(c, config->sources);
    pass_sources(c, config->timed);
    VPMU_PASS_(c, config->pebs);
    if (!old) {
        VPMU_PASS_(c, config->family);
        VPMU_PASS_(c, config->detector);
    }
}

/* The layout. */
static void pass_all(struct vpmu_cursor_ *c, struct saved *s)
{
    bool old;

    VPMU_PASS_(c, s->magic);
    VPMU_PASS_(c, s->version);
    VPMU_PASS_(c, s->size);
    old = s->version == VERSION_WITHOUT_FAMILY;
    pass_config(c, &s->config, old);
    for (unsigned idx = 0; idx < VPMU_X86_MAX_COUNTERS; idx++) {
        VPMU_PASS_(c, s->regs.select[idx]);
    }
    VPMU_PASS_(c, s->regs.fixed);
    VPMU_PASS_(c, s->regs.enabled);
    VPMU_PASS_(c, s->regs.overflowed);
    VPMU_PASS_(c, s->regs.flags);
    VPMU_PASS_(c, s->regs.pebs);
    VPMU_PASS_(c, s->regs.ds_area);
    VPMU_PASS_(c, s->regs.due);
    if (!old) {
        VPMU_PASS_(c, s->slow);
    }
    for (unsigned idx = 0; idx < COUNTERS; idx++) {
        VPMU_PASS_(c, s->value[idx]);
    }
    for (unsigned idx = 0; idx < COUNTERS; idx++) {
        VPMU_PASS_(c, s->remainder[idx]);
    }
    for (unsigned idx = 0; idx < VPMU_X86_MAX_COUNTERS; idx++) {
        VPMU_PASS_(c, s->cycle[idx]);
    }
    VPMU_PASS_(c, s->met);
    for (unsigned i = 0; s->version == VERSION_METRICS && i < METRICS_COUNTERS; i++) {
        VPMU_PASS_(c, s->value[COUNTERS + i]);
    }
    s->crc = vpmu_crc32_(c->bytes, c->at);
    s->crc_found = s->crc;
    VPMU_PASS_(c, s->crc_found);
}

size_t vpmu_x86_state_size(const struct vpmu_x86_config *config)
{
    return vpmu_x86_has_metrics_(config) ? VPMU_X86_STATE_SIZE_METRICS : VPMU_X86_STATE_SIZE;
}

size_t vpmu_x86_state_saved_size(const void *buf)
{
    const uint8_t *bytes = buf;

    return bytes[6] | (size_t)bytes[7] << 8;
}

/* The numbers of the counters whose values follow those of version 3 are adjacent, too. */
_Static_assert(VPMU_X86_SLOTS + 1 == VPMU_X86_METRIC, "counters of version 4");

int vpmu_x86_state_save(struct vpmu_x86 *v, void *buf, size_t len)
{
    struct vpmu_cursor_ c = {.bytes = buf, .out = buf};
    size_t size = vpmu_x86_state_size(&v->config);
    struct saved s = {.magic = MAGIC,
                      .version = vpmu_x86_has_metrics_(&v->config) ? VERSION_METRICS : VERSION,
                      .size = (uint16_t)size};

    if (len < size) {
        return -VPMU_ERR_SPACE;
    }
    vpmu_x86_settle(v);
    s.config = v->config;
    s.regs = v->regs;
    s.slow = (uint32_t)v->regs.slow;
    for (unsigned idx = 0; idx < COUNTERS + METRICS_COUNTERS; idx++) {
        s.value[idx] = v->count.counter[idx].value;
    }
    for (unsigned idx = 0; idx < COUNTERS; idx++) {
        s.remainder[idx] = v->count.counter[idx].remainder;
    }
    for (unsigned idx = 0; idx < VPMU_X86_MAX_COUNTERS; idx++) {
        s.cycle[idx] = v->count.pace[idx].value;
        s.met |= (uint16_t)(v->count.pace[idx].met << idx);
    }
    pass_all(&c, &s);
    return 0;
}

static uint64_t sources_at(const uint8_t *bytes, size_t at)
{
    struct vpmu_cursor_ c = {.bytes = bytes, .at = at};

    return vpmu_pass_(&c, 0, sizeof(uint64_t));
}

/*
 * Returns why the state cannot be loaded with this configuration. A machine that wrote version 2
 * tallied fewer sources. One that wrote version 2 or 3 had no PERF_METRICS.
 */
static const char *find_fault_in_config(const uint8_t *bytes, struct vpmu_x86_config config,
                                        uint16_t version)
{
    bool old = version == VERSION_WITHOUT_FAMILY;
    uint8_t own[CONFIG_AT + CONFIG_SIZE];
    struct vpmu_cursor_ c = {.bytes = own, .out = own, .at = CONFIG_AT};
    bool same = true;

    if (version != VERSION_METRICS && vpmu_x86_has_metrics_(&config)) {
        config.features &= (uint8_t)~VPMU_X86_HAS_METRICS;
        config.fixed = VPMU_X86_SLOTS - VPMU_X86_FIXED;
    }
    pass_config(&c, &config, old);
    if (sources_at(bytes, TIMED_AT) != sources_at(own, TIMED_AT)) {
        return "the saved PMU state has cycles from another origin: use the pmu-cycles that it was "
               "saved with, which is clock if an older version saved it";
    }
    for (size_t i = CONFIG_AT; i < c.at; i++) {
        same &= own[i] == bytes[i] || (old && i >= SOURCES_AT && i < TIMED_AT);
    }
    if (old) {
        same &= !(sources_at(bytes, SOURCES_AT) & ~sources_at(own, SOURCES_AT));
    }
    return same ? NULL
                : "the saved PMU state is of a PMU with another version, other counters or other "
                  "features";
}

static size_t size_of(uint16_t version)
{
    switch (version) {
    case VERSION_WITHOUT_FAMILY:
        return VPMU_X86_STATE_SIZE_2;
    case VERSION_METRICS:
        return VPMU_X86_STATE_SIZE_METRICS;
    default:
        return VPMU_X86_STATE_SIZE;
    }
}

static const char *find_fault_in_header(const struct vpmu_x86_config *config, const struct saved *s,
                                        const uint8_t *bytes, size_t len)
{
    if (s->magic != MAGIC) {
        return "this is not a saved x86 PMU state: it does not begin with vX86";
    }
    if (s->version < VERSION_WITHOUT_FAMILY || s->version > VERSION_METRICS) {
        return "the saved PMU state is of another version; this library reads versions 2 to 4";
    }
    if (s->size != len || len != size_of(s->version)) {
        return "the saved PMU state has the wrong size for its version";
    }
    if (s->crc_found != s->crc) {
        return "the saved PMU state is damaged: its checksum does not match";
    }
    return find_fault_in_config(bytes, *config, s->version);
}

static const char *find_fault_in_regs(const struct vpmu_x86_config *config,
                                      const struct vpmu_x86_regs *regs)
{
    bool global = vpmu_x86_has_global_(config);
    bool can_set = vpmu_x86_is_intel_(config) && config->version >= 4;
    uint64_t flags = (can_set ? vpmu_x86_set_kept_(config) & VPMU_X86_FLAGS : 0) |
                     (config->pebs ? VPMU_X86_OVF_BUF : 0);
    uint64_t pebs = config->pebs ? vpmu_x86_pebs_kept_(config) : 0;
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
        (regs->due & ~(pebs & counters)) || (regs->slow & ~slow) ||
        (!config->pebs && regs->ds_area) || !vpmu_x86_is_canonical_(regs->ds_area)) {
        return "the saved PMU state sets register bits that this PMU does not have";
    }
    return NULL;
}

/* Can a counter have this value, and these parts of counts and of cycles? */
static bool counter_fits(const struct vpmu_x86_setup_ *setup, const struct saved *s, unsigned idx)
{
    struct vpmu_assignment_ assignment;
    uint16_t remainder = idx < COUNTERS ? s->remainder[idx] : 0;
    bool has_cycle = idx < VPMU_X86_MAX_COUNTERS && (s->cycle[idx] || (s->met & VPMU_BIT(idx)));

    if (!(vpmu_x86_implemented_(setup->config) & VPMU_BIT(idx))) {
        return !s->value[idx] && !remainder && !has_cycle;
    }
    assignment = vpmu_x86_assignment_(setup, idx);
    if (s->value[idx] & ~vpmu_x86_value_kept_(setup->config)) {
        return false;
    }
    return assignment.paced ? remainder < setup->config->cycle_units
                            : remainder < assignment.unit && !has_cycle;
}

/* Sums of slots by their use must not overflow. */
static bool metrics_fit(const struct saved *s)
{
    bool fit = true;

    for (unsigned idx = VPMU_X86_METRIC; idx < COUNTERS + METRICS_COUNTERS; idx++) {
        fit &= s->value[idx] < VPMU_BIT(60);
    }
    return fit;
}

static const char *find_fault(const struct vpmu_x86 *v, struct saved *s, const uint8_t *bytes,
                              size_t len)
{
    struct vpmu_cursor_ c = {.bytes = bytes};
    struct vpmu_x86_setup_ setup = {&v->config, &v->controls, &s->regs};
    bool fits;
    const char *fault;

    if (len < VPMU_X86_STATE_SIZE_2 || len < size_of((uint16_t)(bytes[4] | bytes[5] << 8))) {
        return "the saved PMU state is truncated";
    }
    pass_all(&c, s);
    s->regs.slow = s->slow;
    fault = find_fault_in_header(&v->config, s, bytes, len);
    if (!fault) {
        fault = find_fault_in_regs(&v->config, &s->regs);
    }
    if (fault) {
        return fault;
    }
    fits = !(s->met >> VPMU_X86_MAX_COUNTERS) && metrics_fit(s);
    for (unsigned idx = 0; idx < VPMU_X86_COUNTER_COUNT; idx++) {
        fits = fits && counter_fits(&setup, s, idx);
    }
    return fits ? NULL : "the saved PMU state has a value where none can be";
}

static void take(struct vpmu_x86 *v, const struct saved *s)
{
    v->regs = s->regs;
    vpmu_count_clear_(&v->count);
    for (unsigned idx = 0; idx < COUNTERS + METRICS_COUNTERS; idx++) {
        v->count.counter[idx].value = s->value[idx];
    }
    for (unsigned idx = 0; idx < COUNTERS; idx++) {
        v->count.counter[idx].remainder = s->remainder[idx];
    }
    for (unsigned idx = 0; idx < VPMU_X86_MAX_COUNTERS; idx++) {
        v->count.pace[idx].value = s->cycle[idx];
    }
}

int vpmu_x86_state_load(struct vpmu_x86 *v, const void *buf, size_t len, const char **why)
{
    struct saved s = {0};
    const char *fault = find_fault(v, &s, buf, len);
    bool pmi;

    if (fault) {
        return vpmu_refuse_(fault, VPMU_ERR_STATE, why);
    }
    pmi = vpmu_begin_(&v->count);
    take(v, &s);
    vpmu_end_(&v->count, UINT64_MAX, pmi);
    /* This is done last, because a counter that does not count forgets its condition. */
    for (unsigned idx = 0; idx < VPMU_X86_MAX_COUNTERS; idx++) {
        v->count.pace[idx].met = s.met & VPMU_BIT(idx);
    }
    return 0;
}
