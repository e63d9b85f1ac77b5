/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The table of MSRs: which processors have them, their reserved bits, reading and writing them. */
#include "vpmu/x86/msr.h"

#include "x86_internal.h"

/* The number of MSRs in a row. */
enum family {
    ONE,
    GENERAL, /* one for each general counter */
    FIXED,
    LEGACY, /* AMD: the first four */
};

/*
 * A row. Other bits than @kept are reserved: setting them raises #GP on Intel, and is ignored on
 * AMD (as in hardware and in KVM). NULL for kept: all bits can be written. NULL for write: #GP.
 */
struct row {
    uint32_t first;
    uint8_t stride;
    uint8_t vendor;
    uint8_t version; /* the least that has it */
    uint8_t features;
    enum family family;
    uint64_t (*read)(const struct vpmu_x86 *v, unsigned idx);
    void (*write)(struct vpmu_x86 *v, unsigned idx, uint64_t val);
    uint64_t (*kept)(const struct vpmu_x86_config *config);
    const char *name;
    const char *manual;
};

static uint64_t counter_read(const struct vpmu_x86 *v, unsigned idx)
{
    return v->count.counter[idx].value;
}

static void counter_write(struct vpmu_x86 *v, unsigned idx, uint64_t val)
{
    vpmu_count_set_(&v->count, idx, val & vpmu_x86_value_kept_(&v->config));
}

static uint64_t extended(uint64_t val)
{
    return (uint64_t)(int64_t)(int32_t)(uint32_t)val;
}

static void counter_write_low(struct vpmu_x86 *v, unsigned idx, uint64_t val)
{
    counter_write(v, idx, extended(val));
}

static uint64_t select_read(const struct vpmu_x86 *v, unsigned idx)
{
    return v->regs.select[idx];
}

static void select_write(struct vpmu_x86 *v, unsigned idx, uint64_t val)
{
    uint64_t changed = v->regs.select[idx] ^ val;

    v->regs.select[idx] = val;
    if (changed & (vpmu_x86_event_mask_(&v->config) | VPMU_X86_SEL_CONDITION)) {
        vpmu_count_restart_(&v->count, idx);
    }
}

/* MSRs that are a field of the registers. */
#define PLAIN(field)                                                                               \
    static uint64_t field##_read(const struct vpmu_x86 *v, unsigned idx)                           \
    {                                                                                              \
        (void)idx;                                                                                 \
        return v->regs.field;                                                                      \
    }                                                                                              \
    static void field##_write(struct vpmu_x86 *v, unsigned idx, uint64_t val)                      \
    {                                                                                              \
        (void)idx;                                                                                 \
        v->regs.field = val;                                                                       \
    }

PLAIN(fixed)
PLAIN(pebs)
PLAIN(ds_area)
PLAIN(load_latency)
PLAIN(data_cfg)

static uint64_t status_read(const struct vpmu_x86 *v, unsigned idx)
{
    (void)idx;
    return vpmu_x86_to_global_(v->regs.overflowed) | v->regs.flags;
}

static uint64_t zero_read(const struct vpmu_x86 *v, unsigned idx)
{
    (void)v;
    (void)idx;
    return 0;
}

static void status_clear(struct vpmu_x86 *v, unsigned idx, uint64_t val)
{
    (void)idx;
    v->regs.overflowed &= ~vpmu_x86_from_global_(val);
    v->regs.flags &= ~val;
}

/* AMD: read-only, but a write is ignored (PPR; KVM does the same). */
static void write_ignored(struct vpmu_x86 *v, unsigned idx, uint64_t val)
{
    (void)v;
    (void)idx;
    (void)val;
}

/* Sets only the bits, without an interrupt. */
static void status_set(struct vpmu_x86 *v, unsigned idx, uint64_t val)
{
    (void)idx;
    v->regs.overflowed |= vpmu_x86_from_global_(val);
    v->regs.flags |= val & VPMU_X86_FLAGS;
}

static uint64_t control_read(const struct vpmu_x86 *v, unsigned idx)
{
    (void)idx;
    return vpmu_x86_to_global_(v->regs.enabled);
}

static void control_write(struct vpmu_x86 *v, unsigned idx, uint64_t val)
{
    (void)idx;
    v->regs.enabled = vpmu_x86_from_global_(val);
}

/*
 * SDM 3B, IA32_PERF_GLOBAL_INUSE: events that are not 0, enabled fixed counters; bit 63: a counter
 * interrupts or is in PEBS_ENABLE.
 */
static uint64_t in_use_read(const struct vpmu_x86 *v, unsigned unused)
{
    const struct vpmu_x86_setup_ setup = {&v->config, &v->controls, &v->regs, NULL};
    uint64_t counters = 0;
    uint64_t pmi = vpmu_x86_interrupting_(&setup) | vpmu_x86_recording_(&v->config, v->regs.pebs);
    unsigned idx;

    (void)unused;
    VPMU_FOR_EACH_BIT (idx, vpmu_x86_implemented_(&v->config)) {
        uint64_t used = idx < VPMU_X86_FIXED ? v->regs.select[idx] & 0xff
                                             : vpmu_x86_fixed_field_(&v->regs, idx) &
                                                   (VPMU_X86_FIXED_OS | VPMU_X86_FIXED_USR);

        counters |= used ? VPMU_BIT(idx) : 0;
    }
    return vpmu_x86_to_global_(counters) | (pmi ? VPMU_BIT(63) : 0);
}

static uint64_t metrics_read(const struct vpmu_x86 *v, unsigned idx)
{
    (void)idx;
    return vpmu_x86_metrics_read_(v);
}

static void metrics_write(struct vpmu_x86 *v, unsigned idx, uint64_t val)
{
    (void)idx;
    vpmu_x86_metrics_write_(v, val);
}

static uint64_t capabilities_read(const struct vpmu_x86 *v, unsigned idx)
{
    (void)idx;
    return vpmu_x86_capabilities_(&v->config);
}

#define INTEL VPMU_X86_INTEL
#define AMD VPMU_X86_AMD
#define V2 VPMU_X86_AMD_V2
#define PDCM VPMU_X86_HAS_PDCM
#define WIDE VPMU_X86_HAS_FULL_WIDTH
#define METRICS VPMU_X86_HAS_METRICS
/* Not among the configuration's features: they follow from the format. */
#define PEBS 0x80
#define BASELINE 0x40

static const struct row rows[] = {
    {0x0c1, 1, INTEL, 1, 0, GENERAL, counter_read, counter_write_low, NULL, "IA32_PMCn",
     "SDM 3B, Architectural PerfMon Version 1: writes are sign-extended from bit 31"},
    {0x186, 1, INTEL, 1, 0, GENERAL, select_read, select_write, vpmu_x86_select_kept_,
     "IA32_PERFEVTSELn", "SDM 3B, Architectural PerfMon Version 1"},
    {0x309, 1, INTEL, 2, 0, FIXED, counter_read, counter_write, vpmu_x86_value_kept_,
     "IA32_FIXED_CTRn", "SDM 3B, Version 2: bits beyond the width must be written as zeros"},
    {0x329, 1, INTEL, 2, METRICS, ONE, metrics_read, metrics_write, vpmu_x86_metrics_kept_,
     "PERF_METRICS", "SDM 3B, Performance Metrics"},
    {0x345, 1, INTEL, 1, PDCM, ONE, capabilities_read, NULL, NULL, "IA32_PERF_CAPABILITIES",
     "SDM 4, table 2-2"},
    {0x38d, 1, INTEL, 2, 0, ONE, fixed_read, fixed_write, vpmu_x86_fixed_kept_,
     "IA32_FIXED_CTR_CTRL", "SDM 3B, Versions 2 and 3"},
    {0x38e, 1, INTEL, 2, 0, ONE, status_read, NULL, NULL, "IA32_PERF_GLOBAL_STATUS",
     "SDM 3B, Versions 2 and 4"},
    {0x38f, 1, INTEL, 2, 0, ONE, control_read, control_write, vpmu_x86_global_kept_,
     "IA32_PERF_GLOBAL_CTRL", "SDM 3B, Version 2"},
    {0x390, 1, INTEL, 2, 0, ONE, zero_read, status_clear, vpmu_x86_clear_kept_,
     "IA32_PERF_GLOBAL_OVF_CTRL", "SDM 3B, Version 2; from 4 on IA32_PERF_GLOBAL_STATUS_RESET"},
    {0x391, 1, INTEL, 4, 0, ONE, zero_read, status_set, vpmu_x86_set_kept_,
     "IA32_PERF_GLOBAL_STATUS_SET", "SDM 3B, Version 4"},
    {0x392, 1, INTEL, 4, 0, ONE, in_use_read, NULL, NULL, "IA32_PERF_GLOBAL_INUSE",
     "SDM 3B, Version 4"},
    {0x3f1, 1, INTEL, 2, PEBS, ONE, pebs_read, pebs_write, vpmu_x86_pebs_kept_, "IA32_PEBS_ENABLE",
     "SDM 3B, Processor Event Based Sampling"},
    {0x3f2, 1, INTEL, 2, BASELINE, ONE, data_cfg_read, data_cfg_write, vpmu_x86_data_cfg_kept_,
     "MSR_PEBS_DATA_CFG", "SDM 3B, Adaptive PEBS"},
    {0x3f6, 1, INTEL, 2, PEBS, ONE, load_latency_read, load_latency_write,
     vpmu_x86_load_latency_kept_, "MSR_PEBS_LD_LAT_THRESHOLD",
     "SDM 3B, Load Latency Performance Monitoring Facility"},
    {0x600, 1, INTEL, 2, PEBS, ONE, ds_area_read, ds_area_write, NULL, "IA32_DS_AREA",
     "SDM 3B, Debug Store (DS) Mechanism: an address, which must be canonical"},
    {0x4c1, 1, INTEL, 1, PDCM | WIDE, GENERAL, counter_read, counter_write, vpmu_x86_value_kept_,
     "IA32_A_PMCn", "SDM 3B, Full-Width Writes to Performance Counter Registers"},
    {0xc0010000, 1, AMD, 1, 0, LEGACY, select_read, select_write, vpmu_x86_select_kept_,
     "PERF_LEGACY_CTLn", "APM 2, 13.2.1: the same registers as PERF_CTLn"},
    {0xc0010004, 1, AMD, 1, 0, LEGACY, counter_read, counter_write, vpmu_x86_value_kept_,
     "PERF_LEGACY_CTRn", "APM 2, 13.2.1: the same registers as PERF_CTRn"},
    {0xc0010200, 2, AMD, VPMU_X86_AMD_CORE, 0, GENERAL, select_read, select_write,
     vpmu_x86_select_kept_, "PERF_CTLn", "APM 2, 13.2.1"},
    {0xc0010201, 2, AMD, VPMU_X86_AMD_CORE, 0, GENERAL, counter_read, counter_write,
     vpmu_x86_value_kept_, "PERF_CTRn", "APM 2, 13.2.1"},
    {0xc0000300, 1, AMD, V2, 0, ONE, status_read, write_ignored, NULL, "PerfCntrGlobalStatus",
     "PPR of family 19h"},
    {0xc0000301, 1, AMD, V2, 0, ONE, control_read, control_write, vpmu_x86_global_kept_,
     "PerfCntrGlobalCtl", "PPR of family 19h"},
    {0xc0000302, 1, AMD, V2, 0, ONE, zero_read, status_clear, vpmu_x86_clear_kept_,
     "PerfCntrGlobalStatusClr", "PPR of family 19h"},
    {0xc0000303, 1, AMD, V2, 0, ONE, zero_read, status_set, vpmu_x86_set_kept_,
     "PerfCntrGlobalStatusSet", "PPR of family 19h, as KVM has it"},
};

static unsigned members(const struct vpmu_x86_config *config, const struct row *row)
{
    const unsigned count[] = {
        [ONE] = 1,
        [GENERAL] = config->counters,
        [FIXED] = config->fixed,
        [LEGACY] = 4,
    };

    unsigned features = config->features | (config->pebs ? PEBS : 0u) |
                        (vpmu_x86_has_baseline_(config) ? BASELINE : 0u);

    if (row->vendor != config->vendor || config->version < row->version ||
        (row->features & ~features)) {
        return 0;
    }
    return count[row->family];
}

/*
 * Finds the row of an MSR of this PMU, and the counter that the MSR belongs to; NULL if there is
 * none.
 */
static const struct row *find(const struct vpmu_x86_config *config, uint32_t msr, unsigned *idx)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        uint32_t nth = (msr - rows[i].first) / rows[i].stride;

        if (msr >= rows[i].first && (msr - rows[i].first) % rows[i].stride == 0 &&
            nth < members(config, &rows[i])) {
            *idx = rows[i].family == FIXED ? VPMU_X86_FIXED + nth : nth;
            return &rows[i];
        }
    }
    return NULL;
}

/* Negative numbers of 32 bits begin here. Software writes the first two to plain counters. */
#define LEAST_LOW 0xffffffff80000000ull

/* A counter will be written with @val, of which it keeps the lower bits. */
static void note_period(struct vpmu_x86 *v, unsigned idx, uint64_t val, bool low)
{
    bool slow = vpmu_x86_is_slow_(v, val) && !(low && val - LEAST_LOW < 2);

    v->regs.slow &= ~VPMU_BIT(idx);
    v->regs.slow |= slow ? VPMU_BIT(idx) : 0;
}

int vpmu_x86_rdmsr(struct vpmu_x86 *v, uint32_t msr, uint64_t *val, const struct vpmu_now *now)
{
    unsigned idx;
    const struct row *row = find(&v->config, msr, &idx);
    int due;

    *val = 0;
    if (!row) {
        return -VPMU_X86_UNKNOWN;
    }
    due = vpmu_settle_counters_(&v->count, now);
    *val = row->read(v, idx);
    return due;
}

int vpmu_x86_wrmsr(struct vpmu_x86 *v, uint32_t msr, uint64_t val, const struct vpmu_now *now)
{
    unsigned idx;
    const struct row *row = find(&v->config, msr, &idx);
    uint64_t kept;
    bool pmi;

    if (!row) {
        return -VPMU_X86_UNKNOWN;
    }
    kept = row->kept ? row->kept(&v->config) : UINT64_MAX;
    if (!row->write || (vpmu_x86_is_intel_(&v->config) && (val & ~kept)) ||
        (row->write == ds_area_write && !vpmu_x86_is_canonical_(&v->config, val))) {
        return -VPMU_X86_GP;
    }
    pmi = vpmu_begin_(&v->count, now);
    if (row->read == counter_read) {
        bool low = row->write == counter_write_low;

        note_period(v, idx, low ? extended(val) : val, low);
    }
    row->write(v, idx, val & kept);
    return vpmu_end_(&v->count, UINT64_MAX, pmi);
}

bool vpmu_x86_lacks_msr(const struct vpmu_x86 *v, uint32_t msr)
{
    static const struct {
        uint32_t first;
        uint32_t count;
    } others[] = {
        /* LBR of Core and Core 2; from Nehalem on, with its selection and its top */
        {0x040, 8},
        {0x060, 8},
        {0x1c8, 2},
        {0x680, 32},
        {0x6c0, 32},
        {0xdc0, 32},
        /* Architectural LBR */
        {0x14ce, 2},
        {0x1200, 64},
        {0x1500, 64},
        {0x1600, 64},
        /* Counters and their events */
        {0x0c1, 8},
        {0x186, 8},
        {0x309, 4},
        {0x4c1, 8},
        /* OFFCORE_RSP, PERF_METRICS */
        {0x1a6, 2},
        {0x329, 1},
        /* PEBS, and PEBS_FRONTEND */
        {0x3f1, 2},
        {0x3f6, 2},
        {0x600, 1},
    };

    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (msr - others[i].first < others[i].count) {
            return vpmu_x86_is_intel_(&v->config);
        }
    }
    return false;
}

/*
 * SDM 2B and APM 3, RDPMC: Intel's ECX[31:16] is the type, 4000H fixed counters, 2000H
 * PERF_METRICS.
 */
int vpmu_x86_rdpmc(struct vpmu_x86 *v, uint32_t ecx, bool allowed, uint64_t *val,
                   const struct vpmu_now *now)
{
    bool fixed = vpmu_x86_is_intel_(&v->config) && ecx >> 30 == 1;
    uint32_t nth = fixed ? ecx - (1u << 30) : ecx;
    bool metrics = ecx == 1u << 29 && vpmu_x86_has_metrics_(&v->config);
    int due;

    *val = 0;
    if (!allowed || (!metrics && nth >= (fixed ? v->config.fixed : v->config.counters))) {
        return -VPMU_X86_GP;
    }
    due = vpmu_settle_counters_(&v->count, now);
    *val =
        metrics ? vpmu_x86_metrics_read_(v) : counter_read(v, fixed ? VPMU_X86_FIXED + nth : nth);
    return due;
}
