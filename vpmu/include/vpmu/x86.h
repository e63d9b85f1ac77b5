/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_X86_H
#define VPMU_X86_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vpmu/count.h"
#include "vpmu/errors.h"
#include "vpmu/rate.h"

/*
 * The PMU of an x86 processor. The same counters have either Intel's registers, architectural
 * performance monitoring (SDM volume 3, "Performance Monitoring"), or AMD's performance counters
 * (APM volume 2, chapter 13). The counting core is the one of the Arm PMU: vpmu/count.h. The
 * default calling context of the functions is in vpmu/errors.h.
 */
enum vpmu_x86_vendor {
    VPMU_X86_INTEL,
    VPMU_X86_AMD,
};

/* Versions of AMD's counters. Intel's versions are 1 to 5, as in CPUID.0AH:EAX[7:0]. */
enum vpmu_x86_amd {
    VPMU_X86_AMD_K7 = 1,   /* four counters, MSRs C001_0000 to C001_0007 */
    VPMU_X86_AMD_CORE = 2, /* PERFCTR_CORE: six, C001_0200 and on */
    VPMU_X86_AMD_V2 = 3,   /* PerfMonV2: global status and control */
};

enum vpmu_x86_feature {
    /* Intel: CPUID.01H:ECX[15]: IA32_PERF_CAPABILITIES and DEBUGCTL[14] exist. */
    VPMU_X86_HAS_PDCM = 1 << 0,
    /* Intel: PERF_CAPABILITIES[13]: counters can be written in full width at 4C1H. Needs PDCM. */
    VPMU_X86_HAS_FULL_WIDTH = 1 << 1,
    /* AMD: SVM exists, and with it the GuestOnly and HostOnly bits of PERF_CTL. */
    VPMU_X86_HAS_SVM = 1 << 2,
    VPMU_X86_HAS_ALL = (1 << 3) - 1,
};

/**
 * enum vpmu_x86_family - CPU models whose event numbers mean the same
 * @VPMU_X86_GENERIC: Intel: only the architectural events are counted. AMD: the events of K7 and
 *     its successors up to family 16h.
 *
 * The others have the names of perf's lists of events.
 */
enum vpmu_x86_family {
    VPMU_X86_GENERIC,
    VPMU_X86_CORE2,
    VPMU_X86_BONNELL,
    VPMU_X86_NEHALEM,
    VPMU_X86_WESTMERE,
    VPMU_X86_SANDYBRIDGE,
    VPMU_X86_IVYBRIDGE,
    VPMU_X86_HASWELL,
    VPMU_X86_BROADWELL,
    VPMU_X86_SKYLAKE,
    VPMU_X86_SKYLAKEX,
    VPMU_X86_CASCADELAKE, /* and Cooper Lake */
    VPMU_X86_ICELAKEX,
    VPMU_X86_SAPPHIRERAPIDS,
    VPMU_X86_GRANITERAPIDS,
    VPMU_X86_GOLDMONT,
    VPMU_X86_TREMONT, /* perf's snowridgex */
    VPMU_X86_SIERRAFOREST,
    VPMU_X86_CLEARWATERFOREST,
    VPMU_X86_KNIGHTS,
    VPMU_X86_ZEN1,
    VPMU_X86_ZEN2,
    VPMU_X86_ZEN3,
    VPMU_X86_ZEN4,
    VPMU_X86_ZEN5,
    VPMU_X86_FAMILY_COUNT,
};

#define VPMU_X86_FAMILY_BIT(family) (1u << (family))

/**
 * vpmu_x86_family() - the family that a processor is of
 * @vendor: enum vpmu_x86_vendor.
 * @family: the family, as CPUID.01H:EAX has it, with the extended family added.
 * @model: the model, as CPUID.01H:EAX has it, with the extended model above its four bits.
 * @stepping: the stepping, as CPUID.01H:EAX has it.
 *
 * Return: VPMU_X86_GENERIC if the processor is not known.
 * Source: tools/perf/pmu-events/arch/x86/mapfile.csv of Linux.
 */
enum vpmu_x86_family vpmu_x86_family(unsigned vendor, unsigned family, unsigned model,
                                     unsigned stepping);

/*
 * Where an instruction runs: at CPL 0 or above, in the host or in a guest of SVM; or in System
 * Management Mode. It is the first index of struct vpmu_totals.
 */
enum vpmu_x86_ctx {
    VPMU_X86_CTX_USER,
    VPMU_X86_CTX_KERNEL,
    VPMU_X86_CTX_GUEST_USER,
    VPMU_X86_CTX_GUEST_KERNEL,
    VPMU_X86_CTX_SMM,
    VPMU_X86_CTX_COUNT,
};

/*
 * What an x86 machine tallies: the second index of struct vpmu_totals. Sources that the counting
 * core or the models use have the same numbers as for Arm. The other x86 sources reuse the numbers
 * of Arm-only sources.
 */
enum vpmu_x86_source {
    VPMU_X86_SRC_INST = VPMU_SRC_INST_RETIRED, /* an instruction with REP counts once */
    VPMU_X86_SRC_LOAD = VPMU_SRC_LD_RETIRED,   /* an instruction that reads memory */
    VPMU_X86_SRC_STORE = VPMU_SRC_ST_RETIRED,  /* an instruction that writes memory */
    /* Branches: each branch instruction counts as exactly one of these. */
    VPMU_X86_SRC_BR_COND = VPMU_SRC_BR_IMMED,        /* Jcc, JCXZ, LOOP: taken or not */
    VPMU_X86_SRC_BR_DIRECT = VPMU_SRC_PC_WRITE,      /* other near JMP and CALL to an immediate */
    VPMU_X86_SRC_BR_INDIRECT = VPMU_SRC_BR_INDIRECT, /* near JMP and CALL to a register or memory */
    VPMU_X86_SRC_BR_RETURN = VPMU_SRC_BR_RETURN,     /* near RET */
    VPMU_X86_SRC_BR_FAR =
        VPMU_SRC_EXC_RETURN, /* far JMP, CALL, RET; IRET, INT n, SYSCALL, SYSRET */
    VPMU_X86_SRC_BR_MISS = VPMU_SRC_BR_MIS_PRED, /* a branch that the model mispredicts */
    VPMU_X86_SRC_CYCLES = VPMU_SRC_CPU_CYCLES,
    VPMU_X86_SRC_REF_CYCLES = VPMU_SRC_CNT_CYCLES, /* at the rate of the TSC */
    /* Results of the models of caches and TLBs: see vpmu/model.h. */
    VPMU_X86_SRC_L1I = VPMU_SRC_L1I_CACHE,
    VPMU_X86_SRC_L1I_MISS = VPMU_SRC_L1I_CACHE_REFILL,
    VPMU_X86_SRC_L1D_RD = VPMU_SRC_L1D_CACHE_RD,
    VPMU_X86_SRC_L1D_WR = VPMU_SRC_L1D_CACHE_WR,
    VPMU_X86_SRC_L1D_MISS_RD = VPMU_SRC_L1D_CACHE_REFILL_RD,
    VPMU_X86_SRC_L1D_MISS_WR = VPMU_SRC_L1D_CACHE_REFILL_WR,
    VPMU_X86_SRC_L1D_WB = VPMU_SRC_L1D_CACHE_WB,
    VPMU_X86_SRC_L2_RD = VPMU_SRC_L2D_CACHE_RD,
    VPMU_X86_SRC_L2_WR = VPMU_SRC_L2D_CACHE_WR,
    VPMU_X86_SRC_L2_MISS_RD = VPMU_SRC_L2D_CACHE_REFILL_RD,
    VPMU_X86_SRC_L2_MISS_WR = VPMU_SRC_L2D_CACHE_REFILL_WR,
    VPMU_X86_SRC_LL_RD = VPMU_SRC_LL_CACHE_RD,
    VPMU_X86_SRC_LL_WR = VPMU_SRC_LL_CACHE_WR,
    VPMU_X86_SRC_LL_MISS_RD = VPMU_SRC_LL_CACHE_MISS_RD,
    VPMU_X86_SRC_LL_MISS_WR = VPMU_SRC_LL_CACHE_MISS_WR,
    VPMU_X86_SRC_DTLB_MISS = VPMU_SRC_L1D_TLB_REFILL,
    VPMU_X86_SRC_ITLB_MISS = VPMU_SRC_L1I_TLB_REFILL,
    VPMU_X86_SRC_DTLB_WALK = VPMU_SRC_DTLB_WALK,
    VPMU_X86_SRC_ITLB_WALK = VPMU_SRC_ITLB_WALK,
    /* Subsets of the sources above, which the machine tallies in addition. */
    VPMU_X86_SRC_DTLB_WALK_RD = VPMU_SRC_EXC_UNDEF, /* walks for loads */
    VPMU_X86_SRC_DTLB_WALK_WR = VPMU_SRC_EXC_SVC,   /* walks for stores */
    VPMU_X86_SRC_ITLB_L2_HIT = VPMU_SRC_EXC_PABORT, /* misses without a walk */
    VPMU_X86_SRC_LL_LOAD = VPMU_SRC_EXC_DABORT,     /* reads for loads, not for fetches */
    VPMU_X86_SRC_LL_LOAD_MISS = VPMU_SRC_EXC_IRQ,
};

#define VPMU_X86_BRANCHES                                                                          \
    (VPMU_SRC_BIT(VPMU_X86_SRC_BR_COND) | VPMU_SRC_BIT(VPMU_X86_SRC_BR_DIRECT) |                   \
     VPMU_SRC_BIT(VPMU_X86_SRC_BR_INDIRECT) | VPMU_SRC_BIT(VPMU_X86_SRC_BR_RETURN) |               \
     VPMU_SRC_BIT(VPMU_X86_SRC_BR_FAR))
#define VPMU_X86_LL_REFERENCES (VPMU_SRC_BIT(VPMU_X86_SRC_LL_RD) | VPMU_SRC_BIT(VPMU_X86_SRC_LL_WR))
#define VPMU_X86_LL_MISSES                                                                         \
    (VPMU_SRC_BIT(VPMU_X86_SRC_LL_MISS_RD) | VPMU_SRC_BIT(VPMU_X86_SRC_LL_MISS_WR))
#define VPMU_X86_L2_REFERENCES (VPMU_SRC_BIT(VPMU_X86_SRC_L2_RD) | VPMU_SRC_BIT(VPMU_X86_SRC_L2_WR))
#define VPMU_X86_L2_MISSES                                                                         \
    (VPMU_SRC_BIT(VPMU_X86_SRC_L2_MISS_RD) | VPMU_SRC_BIT(VPMU_X86_SRC_L2_MISS_WR))
#define VPMU_X86_L1D_MISSES                                                                        \
    (VPMU_SRC_BIT(VPMU_X86_SRC_L1D_MISS_RD) | VPMU_SRC_BIT(VPMU_X86_SRC_L1D_MISS_WR))
/* Sources that only models tally. */
#define VPMU_X86_MODELLED                                                                          \
    (VPMU_SRC_BIT(VPMU_X86_SRC_L1I) | VPMU_SRC_BIT(VPMU_X86_SRC_L1I_MISS) |                        \
     VPMU_SRC_BIT(VPMU_X86_SRC_L1D_RD) | VPMU_SRC_BIT(VPMU_X86_SRC_L1D_WR) | VPMU_X86_L1D_MISSES | \
     VPMU_SRC_BIT(VPMU_X86_SRC_L1D_WB) | VPMU_X86_L2_REFERENCES | VPMU_X86_L2_MISSES |             \
     VPMU_X86_LL_REFERENCES | VPMU_X86_LL_MISSES | VPMU_SRC_BIT(VPMU_X86_SRC_DTLB_MISS) |          \
     VPMU_SRC_BIT(VPMU_X86_SRC_ITLB_MISS) | VPMU_SRC_BIT(VPMU_X86_SRC_DTLB_WALK) |                 \
     VPMU_SRC_BIT(VPMU_X86_SRC_ITLB_WALK) | VPMU_SRC_BIT(VPMU_X86_SRC_DTLB_WALK_RD) |              \
     VPMU_SRC_BIT(VPMU_X86_SRC_DTLB_WALK_WR) | VPMU_SRC_BIT(VPMU_X86_SRC_ITLB_L2_HIT) |            \
     VPMU_SRC_BIT(VPMU_X86_SRC_LL_LOAD) | VPMU_SRC_BIT(VPMU_X86_SRC_LL_LOAD_MISS))
/* All sources of x86. */
#define VPMU_X86_SRC_ALL                                                                           \
    (VPMU_SRC_BIT(VPMU_X86_SRC_INST) | VPMU_SRC_BIT(VPMU_X86_SRC_LOAD) |                           \
     VPMU_SRC_BIT(VPMU_X86_SRC_STORE) | VPMU_X86_BRANCHES | VPMU_SRC_BIT(VPMU_X86_SRC_BR_MISS) |   \
     VPMU_SRC_BIT(VPMU_X86_SRC_CYCLES) | VPMU_SRC_BIT(VPMU_X86_SRC_REF_CYCLES) |                   \
     VPMU_X86_MODELLED)

/* General counters are numbered from 0, Intel's fixed counters from VPMU_X86_FIXED. */
#define VPMU_X86_MAX_COUNTERS 15u
#define VPMU_X86_FIXED 16u
#define VPMU_X86_MAX_FIXED 3u
#define VPMU_X86_COUNTER_COUNT (VPMU_X86_FIXED + VPMU_X86_MAX_FIXED)

/**
 * struct vpmu_x86_config - what a PMU is built as; constant for the PMU's lifetime
 * @vendor: enum vpmu_x86_vendor.
 * @version: Intel: 1 to 5; AMD: enum vpmu_x86_amd.
 * @counters: the number of general counters. Intel: 1 to 8; AMD: 4 (VPMU_X86_AMD_K7), 6
 *     (VPMU_X86_AMD_CORE), or 6 to 15 (VPMU_X86_AMD_V2).
 * @fixed: Intel from version 2 on: the number of fixed counters, 0 to 3 (instructions, cycles,
 *     reference cycles); otherwise 0.
 * @width: the number of bits of a counter. Intel: 32 to 48; AMD: 48.
 * @features: a mask of enum vpmu_x86_feature.
 * @cycle_units: as in struct vpmu_config, for VPMU_X86_SRC_CYCLES.
 * @sources: as in struct vpmu_config: a mask of VPMU_SRC_BIT() of enum vpmu_x86_source.
 * @timed: as in struct vpmu_config. Allowed are VPMU_X86_SRC_CYCLES and VPMU_X86_SRC_REF_CYCLES.
 * @pebs: Intel with PDCM: the format of PEBS records, 1 to 3; 0: there is no PEBS.
 * @family: enum vpmu_x86_family, one of @vendor's: it decides what event numbers mean.
 */
struct vpmu_x86_config {
    uint8_t vendor;
    uint8_t version;
    uint8_t counters;
    uint8_t fixed;
    uint8_t width;
    uint8_t features;
    uint8_t cycle_units;
    uint64_t sources;
    uint64_t timed;
    uint8_t pebs;
    uint8_t family;
};

/**
 * vpmu_x86_config_check() - tell whether a PMU with this configuration can exist
 * @config: the configuration. Every field is checked.
 * @why: is set to the reason if the configuration is refused; may be NULL.
 *
 * Return: 0, or -VPMU_ERR_CONFIG.
 */
int vpmu_x86_config_check(const struct vpmu_x86_config *config, const char **why);

/**
 * struct vpmu_x86_event - one row of the table of events
 * @vendor: enum vpmu_x86_vendor.
 * @bit: Intel: the event's bit in CPUID.0AH:EBX, or -1.
 * @families: a mask of VPMU_X86_FAMILY_BIT(): the families on which the number is this event.
 * @select: as in the registers: the unit mask in bits [15:8], the event in [7:0], and AMD's
 *     event[11:8] in [35:32].
 * @sources: a mask of VPMU_SRC_BIT(): the event is their sum; 0: it is always 0 on these families.
 * @name: the manual's name.
 * @manual: the section of the manual that defines the event.
 */
struct vpmu_x86_event {
    uint8_t vendor;
    int8_t bit;
    uint32_t families;
    uint64_t select;
    uint64_t sources;
    const char *name;
    const char *manual;
};

/* All events that a PMU of this library can count. */
extern const struct vpmu_x86_event vpmu_x86_events[];
extern const size_t vpmu_x86_events_count;

/* The registers that a CPUID leaf returns. */
struct vpmu_x86_cpuid {
    uint32_t eax;
    uint32_t ebx;
    uint32_t ecx;
    uint32_t edx;
};

/**
 * vpmu_x86_cpuid() - the contents of a CPUID leaf for a configuration
 * @config: the configuration. vpmu_x86_config_check() accepts it.
 * @leaf: 0AH (Intel) or 8000_0022H (AMD).
 *
 * Return: the registers; all zero for any other leaf and for the other vendor's leaf.
 * Source: SDM volume 2A, CPUID; APM volume 3, appendix E.
 */
struct vpmu_x86_cpuid vpmu_x86_cpuid(const struct vpmu_x86_config *config, uint32_t leaf);

/**
 * struct vpmu_x86_controls - state outside the PMU that decides what is counted
 * @debugctl: IA32_DEBUGCTL. FREEZE_PERFMON_ON_PMI [12] and FREEZE_WHILE_SMM [14] are used.
 * @svme: EFER.SVME.
 * @halted: the processor is in HLT or waits for SIPI; nothing counts.
 */
struct vpmu_x86_controls {
    uint64_t debugctl;
    bool svme;
    bool halted;
};

/* What software wrote, and the overflow flags. Masks have a bit for each counter, by its number. */
struct vpmu_x86_regs {
    uint64_t select[VPMU_X86_MAX_COUNTERS]; /* PERFEVTSELn */
    uint64_t fixed;                         /* FIXED_CTR_CTRL */
    uint64_t enabled;                       /* GLOBAL_CTRL; all ones if it does not exist */
    uint64_t overflowed;                    /* GLOBAL_STATUS */
    uint64_t flags;                         /* GLOBAL_STATUS[63:58] */
    uint64_t pebs;                          /* PEBS_ENABLE */
    uint64_t ds_area;                       /* DS_AREA */
    uint64_t due;                           /* overflows that wait for their PEBS records */
};

/**
 * struct vpmu_x86 - the whole state of one logical processor's PMU
 *
 * As for struct vpmu: the caller owns the memory and may read the fields, which are as of the last
 * settling; only the library writes them.
 */
struct vpmu_x86 {
    struct vpmu_count count;
    struct vpmu_x86_config config;
    struct vpmu_x86_controls controls;
    struct vpmu_x86_regs regs;
    uint64_t pmis; /* the number of PMIs since vpmu_x86_init(); not saved */
};

_Static_assert(sizeof(struct vpmu_x86) <= 4096, "one PMU fits in a page");

/**
 * vpmu_x86_init() - make a PMU in its state after power-up
 * @v: memory for it, of any content.
 * @config: the configuration. It is checked and copied.
 * @totals: the machine's tallies. They must outlive @v.
 * @ops: the machine's callbacks. They must outlive @v.
 * @opaque: the first argument of each callback; may be NULL.
 * @why: is set to the reason if the PMU is refused; may be NULL.
 *
 * vpmu_ops.irq is called with true for each performance monitoring interrupt (PMI), which is an
 * edge. It is never called with false. The processor is assumed to be at CPL 0 of the host until
 * vpmu_x86_set_context() is called. Calls no @ops but clock.
 *
 * Return: 0, or -VPMU_ERR_CONFIG if the configuration is impossible, or @totals, @ops or one of the
 * callbacks is NULL. @v is unusable then.
 */
int vpmu_x86_init(struct vpmu_x86 *v, const struct vpmu_x86_config *config,
                  struct vpmu_totals *totals, const struct vpmu_ops *ops, void *opaque,
                  const char **why);

/**
 * vpmu_x86_reset() - perform a RESET of the processor
 * @v: the PMU.
 *
 * INIT does not change a PMU, so do not call this for INIT.
 *
 * Source: SDM volume 3A, "Processor State After Reset"; APM volume 2, 14.1.3.
 */
void vpmu_x86_reset(struct vpmu_x86 *v);

/**
 * vpmu_x86_set_controls() - the state outside the PMU has changed
 * @v: the PMU.
 * @controls: the complete new state. It is copied.
 *
 * The events until now are settled under the old state.
 */
void vpmu_x86_set_controls(struct vpmu_x86 *v, const struct vpmu_x86_controls *controls);

/**
 * vpmu_x86_set_context() - the processor now runs in another context
 * @v: the PMU.
 * @ctx: the new context.
 *
 * Has the same cost and effect as vpmu_set_context(). If an observer has a period, all counters and
 * observers are settled first.
 */
void vpmu_x86_set_context(struct vpmu_x86 *v, enum vpmu_x86_ctx ctx);

/**
 * vpmu_x86_armed() - the sources that the machine must tally
 * @v: the PMU.
 * @ctx: a context.
 *
 * Return: a mask of VPMU_SRC_BIT() of enum vpmu_x86_source: the sources that a counter or an
 * observer counts in @ctx now.
 */
uint64_t vpmu_x86_armed(const struct vpmu_x86 *v, enum vpmu_x86_ctx ctx);

/**
 * vpmu_x86_headroom() - by how much totals may increase before vpmu_x86_settle() must be called
 * @v: the PMU. If a source is timed and time has passed, call vpmu_x86_settle() first.
 * @sources: a mask of VPMU_SRC_BIT(). Counters that count any of these are considered.
 * @ctx: a context. Nothing must be counted in other contexts meanwhile.
 *
 * Considers the counters that cause a PMI or a PEBS record when they overflow, and the periods of
 * observers. Otherwise as vpmu_headroom().
 *
 * Return: as for vpmu_headroom().
 */
uint64_t vpmu_x86_headroom(const struct vpmu_x86 *v, uint64_t sources, enum vpmu_x86_ctx ctx);

/**
 * vpmu_x86_settle() - update counters, overflow flags and interrupts from the totals
 * @v: the PMU.
 *
 * The machine calls it when a headroom is used up. Samples of observers that are due are delivered.
 *
 * Return: true if a counter overflowed. Samples alone do not make it true.
 */
bool vpmu_x86_settle(struct vpmu_x86 *v);

/**
 * vpmu_x86_deadline() - when a counter of a timed source will overflow if the processor stays in
 *     its context
 * @v: the PMU. It need not be settled.
 * @rate: the rates of VPMU_X86_SRC_CYCLES and VPMU_X86_SRC_REF_CYCLES. The rate of a source that is
 *     not in vpmu_x86_config.timed is ignored.
 *
 * Call it again from vpmu_ops.rearm and after vpmu_x86_set_context(). At the deadline call
 * vpmu_x86_settle().
 *
 * Return: nanoseconds since the clock was 0, as for vpmu_deadline().
 */
uint64_t vpmu_x86_deadline(const struct vpmu_x86 *v, const struct vpmu_rate rate[VPMU_CLOCK_COUNT]);

/**
 * vpmu_x86_pebs_armed() - the counters that make a PEBS record when they overflow
 * @v: the PMU.
 *
 * The machine stops at such an overflow (vpmu_x86_headroom()). Overflows whose records have not
 * been written yet are in @v->regs.due.
 *
 * Return: a mask with a bit for each counter, by its number.
 * Source: SDM volume 3B, "Processor Event Based Sampling (PEBS)".
 */
uint64_t vpmu_x86_pebs_armed(const struct vpmu_x86 *v);

/**
 * vpmu_x86_pebs_done() - the machine has written PEBS records, or could not
 * @v: the PMU.
 * @counters: a mask of counters whose overflows were in @v->regs.due.
 * @reload: if not NULL, the new value of each counter, indexed by its number. Bits above the
 *     counter's width are dropped, and counts since the overflow are lost. If NULL, the counters
 *     continue.
 * @full: the buffer has reached its threshold. This sets OvfBuf and causes a PMI.
 *
 * Source: SDM volume 3B, "Processor Event Based Sampling (PEBS)".
 */
void vpmu_x86_pebs_done(struct vpmu_x86 *v, uint64_t counters, const uint64_t *reload, bool full);

/* The result of an access. */
enum vpmu_x86_access {
    VPMU_X86_OK,
    VPMU_X86_GP,      /* the access raises #GP(0); nothing has changed */
    VPMU_X86_UNKNOWN, /* the PMU has no such MSR */
};

/**
 * vpmu_x86_rdmsr() - execute RDMSR
 * @v: the PMU.
 * @msr: the number of the MSR, any value.
 * @val: is set to the MSR's value; to 0 unless the result is VPMU_X86_OK.
 *
 * Settles counters first, so it may call vpmu_ops. The caller has checked that CPL is 0.
 *
 * Return: VPMU_X86_OK, or VPMU_X86_UNKNOWN if this PMU has no such MSR.
 * Source: SDM volume 4, table 2-2; APM volume 2, 13.2.
 */
enum vpmu_x86_access vpmu_x86_rdmsr(struct vpmu_x86 *v, uint32_t msr, uint64_t *val);

/**
 * vpmu_x86_wrmsr() - execute WRMSR
 * @v: the PMU.
 * @msr: the number of the MSR, any value.
 * @val: the value.
 *
 * The caller has checked that CPL is 0.
 *
 * Return: VPMU_X86_OK; VPMU_X86_GP with the PMU unchanged if the MSR is read-only, Intel's reserved
 * bits are not 0, or IA32_DS_AREA would get an address that is not canonical; VPMU_X86_UNKNOWN if
 * this PMU has no such MSR. AMD's reserved bits are ignored.
 * Source: SDM volume 4, table 2-2; APM volume 2, 13.2.
 */
enum vpmu_x86_access vpmu_x86_wrmsr(struct vpmu_x86 *v, uint32_t msr, uint64_t val);

/**
 * vpmu_x86_rdpmc() - execute RDPMC
 * @v: the PMU.
 * @ecx: ECX, which selects the counter: any value. Intel's fixed counters are 4000_0000H and up.
 * @allowed: CPL is 0, or CR4.PCE is 1, or CR0.PE is 0.
 * @val: is set to the counter's value; to 0 unless the result is VPMU_X86_OK.
 *
 * Settles counters first, so it may call vpmu_ops.
 *
 * Return: VPMU_X86_OK, or VPMU_X86_GP if @allowed is false or there is no such counter.
 * Source: SDM volume 2B and APM volume 3, RDPMC.
 */
enum vpmu_x86_access vpmu_x86_rdpmc(struct vpmu_x86 *v, uint32_t ecx, bool allowed, uint64_t *val);

/**
 * vpmu_insn_x86() - the sources that an instruction counts as
 * @insn: the bytes of the instruction, with all prefixes.
 * @len: the number of bytes, 1 to 15.
 * @long_mode: the instruction is 64-bit code.
 *
 * Loads and stores depend on the operands and are not part of the result. A REP instruction that is
 * interrupted counts once, when it has finished; the machine must subtract the tally until then.
 * The function depends only on its arguments.
 *
 * Return: a mask of VPMU_SRC_BIT(): VPMU_X86_SRC_INST, and at most one of VPMU_X86_BRANCHES.
 * Source: SDM volume 2, appendix A.
 */
uint64_t vpmu_insn_x86(const uint8_t *insn, size_t len, bool long_mode);

/**
 * vpmu_x86_source_name() - the name of a source
 * @source: enum vpmu_x86_source, any value.
 *
 * Return: a constant in lower case, such as "br-cond"; NULL if x86 has no such source.
 */
const char *vpmu_x86_source_name(unsigned source);

/**
 * vpmu_x86_ctx_name() - the name of a context
 * @ctx: enum vpmu_x86_ctx, any value.
 *
 * Return: a constant in lower case, such as "guest-kernel"; NULL if there is no such context.
 */
const char *vpmu_x86_ctx_name(unsigned ctx);

/**
 * vpmu_x86_event_find() - look up the event that a PERFEVTSEL value selects
 * @config: the configuration of the PMU.
 * @select: the value; only the event and unit mask fields are used.
 *
 * Return: the event, or NULL if this PMU does not count it.
 */
const struct vpmu_x86_event *vpmu_x86_event_find(const struct vpmu_x86_config *config,
                                                 uint64_t select);

/**
 * vpmu_x86_observer_parse() - make an observer from an event in perf's syntax
 * @config: the configuration of the PMU that will have the observer.
 * @text: EVENT or EVENT:MODIFIERS. EVENT is one of perf's generic names ("instructions"), the name
 *     of one of this vendor's events in the manual, in upper or lower case, or r and the
 *     hexadecimal number of an event as in PERFEVTSEL ("r1c4"). MODIFIERS select levels: u CPL 1 to
 *     3, k CPL 0 and SMM, both if none is given; h alone selects nothing. G selects guests of SVM
 *     only, H the host only.
 * @o: is filled in on success, without a gate and without a period.
 * @why: is set to the reason if @text is refused; may be NULL.
 *
 * Return: 0, or -VPMU_ERR_EVENT.
 * Source: perf-list(1), "EVENT MODIFIERS".
 */
int vpmu_x86_observer_parse(const struct vpmu_x86_config *config, const char *text,
                            struct vpmu_observer *o, const char **why);

/**
 * vpmu_x86_observer_add() - start an observer from 0
 * @v: the PMU.
 * @o: the observer. It must stay at its address until vpmu_x86_observer_remove().
 *
 * Sources and contexts that the machine does not have count nothing. Calls vpmu_ops.rearm.
 *
 * Return: 0; -VPMU_ERR_WATCH if @v already has @o; -VPMU_ERR_EVENT if the period is above
 * VPMU_PERIOD_MAX or @o->sample is missing. Nothing changes on an error.
 */
int vpmu_x86_observer_add(struct vpmu_x86 *v, struct vpmu_observer *o);

/**
 * vpmu_x86_observer_remove() - stop an observer
 * @v: the PMU.
 * @o: the observer. It need not have been added.
 *
 * If the current period has ended, the sample is delivered first. Calls vpmu_ops.rearm.
 *
 * Return: the final count, which cannot be read later; 0 if @v does not have @o.
 */
uint64_t vpmu_x86_observer_remove(struct vpmu_x86 *v, struct vpmu_observer *o);

/**
 * vpmu_x86_observer_read() - the current count of an observer
 * @v: the PMU that the observer was added to.
 * @o: the observer.
 *
 * Calls no vpmu_ops but clock.
 *
 * Return: the number of events since vpmu_x86_observer_add().
 */
uint64_t vpmu_x86_observer_read(struct vpmu_x86 *v, const struct vpmu_observer *o);

/* A copy of a PMU at one moment, with the same rules as struct vpmu_snapshot. */
struct vpmu_x86_snapshot {
    struct vpmu_x86 pmu;
    struct vpmu_totals totals;
};

/**
 * vpmu_x86_snapshot_take() - update a snapshot from a PMU
 * @s: the snapshot. Use it for the same PMU each time.
 * @v: the PMU. It is not changed.
 * @ahead: for each source, the largest amount that may still be subtracted from its total in the
 *     processor's context; NULL if the processor does not execute and nothing can be.
 *
 * Context: as for vpmu_snapshot_take().
 */
void vpmu_x86_snapshot_take(struct vpmu_x86_snapshot *s, const struct vpmu_x86 *v,
                            const uint64_t ahead[VPMU_SRC_COUNT]);

/**
 * struct vpmu_x86_counter - the setting and the count of a counter
 * @event: the event that the counter counts; NULL if this PMU does not count what is selected.
 * @number: the number of the selected event, as in struct vpmu_x86_event.
 * @select: PERFEVTSEL; for a fixed counter, its field of FIXED_CTR_CTRL.
 * @value: the counter's value as of the last vpmu_x86_settle().
 * @overflows: the number of overflows since vpmu_x86_init().
 * @enabled: the counter is enabled by its own register and, if it exists, by GLOBAL_CTRL.
 * @counting: the counter counts in at least one context, all conditions considered.
 * @overflowed: the counter's bit of GLOBAL_STATUS is set.
 * @interrupts: an overflow of the counter causes a PMI.
 */
struct vpmu_x86_counter {
    const struct vpmu_x86_event *event;
    uint64_t number;
    uint64_t select;
    uint64_t value;
    uint64_t overflows;
    bool enabled;
    bool counting;
    bool overflowed;
    bool interrupts;
};

/**
 * vpmu_x86_view() - look at a counter without changing it
 * @v: the PMU. Call vpmu_x86_settle() first for current values.
 * @idx: the counter: 0 and up for general counters, VPMU_X86_FIXED and up for fixed ones. Any
 *     value.
 * @view: is filled in if the counter exists.
 *
 * Return: true if the counter exists and has been set up or has counted.
 */
bool vpmu_x86_view(const struct vpmu_x86 *v, unsigned idx, struct vpmu_x86_counter *view);

/*
 * The size of a saved state in bytes. The layout is fixed, little-endian, and described in
 * src/x86/x86_state.c.
 */
#define VPMU_X86_STATE_SIZE 524

/**
 * vpmu_x86_state_save() - save the state of a PMU
 * @v: the PMU. It is settled first. A counter's surplus (see struct vpmu_totals) is not saved.
 * @buf: memory for the state.
 * @len: the size of @buf in bytes, at least VPMU_X86_STATE_SIZE.
 *
 * Return: 0, or -VPMU_ERR_SPACE with @buf unchanged.
 */
int vpmu_x86_state_save(struct vpmu_x86 *v, void *buf, size_t len);

/**
 * vpmu_x86_state_load() - load a saved state
 * @v: a PMU with the configuration of the saved one. Before this call, the caller calls
 *     vpmu_x86_set_controls() and vpmu_x86_set_context() for the processor's state: a counter that
 *     does not count in the current context forgets whether its condition was true in the previous
 *     cycle.
 * @buf: the saved state. It is not trusted.
 * @len: the size of @buf in bytes.
 * @why: is set to the reason if the state is refused; may be NULL.
 *
 * Return: 0, or -VPMU_ERR_STATE with @v unchanged.
 */
int vpmu_x86_state_load(struct vpmu_x86 *v, const void *buf, size_t len, const char **why);

#endif
