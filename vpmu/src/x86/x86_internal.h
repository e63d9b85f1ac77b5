/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_X86_INTERNAL_H
#define VPMU_X86_INTERNAL_H

#include "../count/arch.h"
#include "vpmu/x86/events.h"
#include "vpmu/x86/pmu.h"

_Static_assert((int)VPMU_X86_CTX_COUNT <= (int)VPMU_CTX_LIMIT, "there is room for the contexts");
_Static_assert(VPMU_X86_MAX_COUNTERS <= VPMU_PACE_COUNT, "general counters can have a CMASK");

/* Slots as an event of general counters, TOPDOWN.SLOTS_P. */
#define VPMU_X86_SLOTS_P 0x01a4

/* PERFEVTSEL. The event includes the unit mask, and on AMD [35:32]. */
#define VPMU_X86_SEL_EVENT_INTEL 0xffffull
#define VPMU_X86_SEL_EVENT_AMD 0xf0000ffffull
#define VPMU_X86_SEL_USR VPMU_BIT(16)
#define VPMU_X86_SEL_OS VPMU_BIT(17)
#define VPMU_X86_SEL_EDGE VPMU_BIT(18)
#define VPMU_X86_SEL_PC VPMU_BIT(19)
#define VPMU_X86_SEL_INT VPMU_BIT(20)
#define VPMU_X86_SEL_ANY VPMU_BIT(21)
#define VPMU_X86_SEL_EN VPMU_BIT(22)
#define VPMU_X86_SEL_INV VPMU_BIT(23)
#define VPMU_X86_SEL_CMASK 0xff000000ull
#define VPMU_X86_SEL_CMASK_SHIFT 24
#define VPMU_X86_SEL_ADAPTIVE VPMU_BIT(34)
#define VPMU_X86_SEL_GUEST VPMU_BIT(40)
#define VPMU_X86_SEL_HOST VPMU_BIT(41)
/* The condition on cycles. */
#define VPMU_X86_SEL_CONDITION (VPMU_X86_SEL_EDGE | VPMU_X86_SEL_INV | VPMU_X86_SEL_CMASK)

/* FIXED_CTR_CTRL: four bits for each, and ADAPTIVE in the first of the same four above 32. */
#define VPMU_X86_FIXED_BITS 4
#define VPMU_X86_FIXED_OS VPMU_BIT(0)
#define VPMU_X86_FIXED_USR VPMU_BIT(1)
#define VPMU_X86_FIXED_ANY VPMU_BIT(2)
#define VPMU_X86_FIXED_PMI VPMU_BIT(3)
#define VPMU_X86_FIXED_ADAPTIVE VPMU_BIT(32)

/* GLOBAL_CTRL and _STATUS: general counters from bit 0, fixed ones from 32. */
#define VPMU_X86_GLOBAL_FIXED 32
#define VPMU_X86_GLOBAL_METRICS 48
#define VPMU_X86_LBR_FRZ VPMU_BIT(58)
#define VPMU_X86_CTR_FRZ VPMU_BIT(59)
#define VPMU_X86_ASCI VPMU_BIT(60)
#define VPMU_X86_OVF_UNCORE VPMU_BIT(61)
#define VPMU_X86_OVF_BUF VPMU_BIT(62)
#define VPMU_X86_COND_CHGD VPMU_BIT(63)
#define VPMU_X86_FLAGS                                                                             \
    (VPMU_X86_LBR_FRZ | VPMU_X86_CTR_FRZ | VPMU_X86_ASCI | VPMU_X86_OVF_UNCORE |                   \
     VPMU_X86_OVF_BUF | VPMU_X86_COND_CHGD)

/* PERF_METRICS in a mask of counters: its bit moves with those of fixed counters. */
#define VPMU_X86_METRICS_EN                                                                        \
    VPMU_BIT(VPMU_X86_GLOBAL_METRICS - VPMU_X86_GLOBAL_FIXED + VPMU_X86_FIXED)

/* Hidden counters of PERF_METRICS. */
#define VPMU_X86_METRIC VPMU_X86_COUNTER_COUNT
#define VPMU_X86_METRIC_COUNT 5u

/* PEBS_ENABLE: up to format 3 four counters; later all, as in the global registers. */
#define VPMU_X86_PEBS_COUNTERS 4
#define VPMU_X86_PEBS_LL_EN 32
#define VPMU_X86_PEBS_PS_EN VPMU_BIT(63)

#define VPMU_X86_DEBUGCTL_FREEZE VPMU_BIT(12)
#define VPMU_X86_DEBUGCTL_FREEZE_SMM VPMU_BIT(14)

static inline bool vpmu_x86_is_intel_(const struct vpmu_x86_config *config)
{
    return config->vendor == VPMU_X86_INTEL;
}

_Static_assert(VPMU_X86_METRIC + VPMU_X86_METRIC_COUNT <= VPMU_COUNTER_COUNT,
               "there is room for the counters");

static inline bool vpmu_x86_has_metrics_(const struct vpmu_x86_config *config)
{
    return config->features & VPMU_X86_HAS_METRICS;
}

/* Adaptive PEBS exists, in which all counters can record. */
static inline bool vpmu_x86_has_baseline_(const struct vpmu_x86_config *config)
{
    return config->pebs >= VPMU_X86_PEBS_BASELINE;
}

/* The bits of PERFEVTSEL that are the event. */
static inline uint64_t vpmu_x86_event_mask_(const struct vpmu_x86_config *config)
{
    return vpmu_x86_is_intel_(config) ? VPMU_X86_SEL_EVENT_INTEL : VPMU_X86_SEL_EVENT_AMD;
}

/* PEBS_ENABLE.PS_EN exists. */
static inline bool vpmu_x86_has_precise_store_(const struct vpmu_x86_config *config)
{
    return config->pebs &&
           (config->family == VPMU_X86_SANDYBRIDGE || config->family == VPMU_X86_IVYBRIDGE);
}

static inline bool vpmu_x86_has_global_(const struct vpmu_x86_config *config)
{
    return config->version >= (vpmu_x86_is_intel_(config) ? 2 : VPMU_X86_AMD_V2);
}

static inline uint64_t vpmu_x86_general_(const struct vpmu_x86_config *config)
{
    return vpmu_below_(config->counters);
}

static inline uint64_t vpmu_x86_implemented_(const struct vpmu_x86_config *config)
{
    return vpmu_x86_general_(config) | vpmu_below_(config->fixed) << VPMU_X86_FIXED;
}

/* A mask of counters, as the global registers have it; and back. */
static inline uint64_t vpmu_x86_to_global_(uint64_t counters)
{
    return (counters & vpmu_below_(VPMU_X86_FIXED)) | counters >> VPMU_X86_FIXED
                                                                      << VPMU_X86_GLOBAL_FIXED;
}

static inline uint64_t vpmu_x86_from_global_(uint64_t global)
{
    uint64_t fixed =
        vpmu_below_(VPMU_X86_MAX_FIXED) | VPMU_BIT(VPMU_X86_GLOBAL_METRICS - VPMU_X86_GLOBAL_FIXED);

    return (global & vpmu_below_(VPMU_X86_MAX_COUNTERS)) | (global >> VPMU_X86_GLOBAL_FIXED & fixed)
                                                               << VPMU_X86_FIXED;
}

/* All bits of the global registers that stand for counters and PERF_METRICS. */
static inline uint64_t vpmu_x86_controlled_(const struct vpmu_x86_config *config)
{
    return vpmu_x86_implemented_(config) |
           (vpmu_x86_has_metrics_(config) ? VPMU_X86_METRICS_EN : 0);
}

/* The field of FIXED_CTR_CTRL of a fixed counter. */
static inline uint64_t vpmu_x86_fixed_field_(const struct vpmu_x86_regs *regs, unsigned idx)
{
    return regs->fixed >> (idx - VPMU_X86_FIXED) * VPMU_X86_FIXED_BITS &
           vpmu_below_(VPMU_X86_FIXED_BITS);
}

/* An MSR takes what is canonical by the width that the processor supports, whatever CR4.LA57 is. */
static inline bool vpmu_x86_is_canonical_(const struct vpmu_x86_config *config, uint64_t address)
{
    unsigned shift = (config->la57 ? 57 : 48) - 1;
    uint64_t top = address >> shift;

    return top == 0 || top == UINT64_MAX >> shift;
}

static inline uint64_t vpmu_x86_value_kept_(const struct vpmu_x86_config *config)
{
    return vpmu_below_(config->width);
}

/* Everything that decides what counters do. */
struct vpmu_x86_setup_ {
    const struct vpmu_x86_config *config;
    const struct vpmu_x86_controls *controls;
    const struct vpmu_x86_regs *regs;
    struct vpmu_x86_choice *choices; /* of a PMU that runs; else NULL */
};

/* x86_detector.c: tells whether a counter of cycles is that of a lockup detector. */
bool vpmu_x86_is_detector_(const struct vpmu_x86_setup_ *s, unsigned idx);

/* The same file: tells whether @val, as software writes it to a counter, is a detector's period. */
bool vpmu_x86_is_slow_(const struct vpmu_x86 *v, uint64_t val);

/* x86_config.c: tells whether the machine knows which events fall into each cycle. */
bool vpmu_x86_cycle_by_cycle_(const struct vpmu_x86_config *config);

/* x86_fields.c: the bits that a register keeps; Intel's others are reserved and raise #GP. */
uint64_t vpmu_x86_select_kept_(const struct vpmu_x86_config *config);
uint64_t vpmu_x86_fixed_kept_(const struct vpmu_x86_config *config);
uint64_t vpmu_x86_pebs_kept_(const struct vpmu_x86_config *config);
uint64_t vpmu_x86_load_latency_kept_(const struct vpmu_x86_config *config);
uint64_t vpmu_x86_data_cfg_kept_(const struct vpmu_x86_config *config);
uint64_t vpmu_x86_global_kept_(const struct vpmu_x86_config *config);
uint64_t vpmu_x86_clear_kept_(const struct vpmu_x86_config *config);
uint64_t vpmu_x86_set_kept_(const struct vpmu_x86_config *config);
uint64_t vpmu_x86_capabilities_(const struct vpmu_x86_config *config);
struct vpmu_x86_regs vpmu_x86_regs_reset_(const struct vpmu_x86_config *config);

/* Returns the counters whose overflow makes a PEBS record. */
static inline uint64_t vpmu_x86_recording_(const struct vpmu_x86_config *config,
                                           uint64_t pebs_enable)
{
    return vpmu_x86_has_baseline_(config) ? vpmu_x86_from_global_(pebs_enable)
                                          : pebs_enable & vpmu_below_(VPMU_X86_PEBS_COUNTERS);
}

/*
 * x86_assignment.c: the counters whose overflow makes an interrupt; the number of a counter's
 * event; the event, or NULL if it is not counted; its assignment.
 */
uint64_t vpmu_x86_interrupting_(const struct vpmu_x86_setup_ *s);
uint64_t vpmu_x86_selected_(const struct vpmu_x86_setup_ *s, unsigned idx);
const struct vpmu_x86_event *vpmu_x86_counted_(const struct vpmu_x86_setup_ *s, unsigned idx);
struct vpmu_assignment_ vpmu_x86_assignment_(const struct vpmu_x86_setup_ *s, unsigned idx);

/*
 * x86_metrics.c: PERF_METRICS. The first is called when what counters do may have changed, the
 * others when counters are settled.
 */
void vpmu_x86_metrics_assign_(struct vpmu_x86 *v);
uint64_t vpmu_x86_metrics_read_(const struct vpmu_x86 *v);
void vpmu_x86_metrics_write_(struct vpmu_x86 *v, uint64_t val);
uint64_t vpmu_x86_metrics_kept_(const struct vpmu_x86_config *config);

/* x86_update.c and x86_state.c: x86, for the counting core. */
extern const struct vpmu_arch vpmu_x86_arch_;
extern const struct vpmu_state_format_ vpmu_x86_state_;

#endif
