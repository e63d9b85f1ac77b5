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
 * The PMU of an x86 processor. One bank of counters has two faces: Intel's architectural
 * performance monitoring (SDM volume 3, "Performance Monitoring") and AMD's performance counters
 * (APM volume 2, chapter 13). It counts by the same machinery as the Arm PMU: vpmu/count.h.
 */
enum vpmu_x86_vendor {
    VPMU_X86_INTEL,
    VPMU_X86_AMD,
};

/* Versions of AMD's counters; those of Intel are 1 to 5, CPUID.0AH:EAX[7:0]. */
enum vpmu_x86_amd {
    VPMU_X86_AMD_K7 = 1,   /* four counters, MSRs C001_0000 to C001_0007 */
    VPMU_X86_AMD_CORE = 2, /* PERFCTR_CORE: six, C001_0200 and on */
    VPMU_X86_AMD_V2 = 3,   /* PerfMonV2: global status and control */
};

enum vpmu_x86_feature {
    /* Intel: CPUID.01H:ECX[15], there is IA32_PERF_CAPABILITIES; with it DEBUGCTL[14]. */
    VPMU_X86_HAS_PDCM = 1 << 0,
    /* Intel: PERF_CAPABILITIES[13], counters can be written in full at 4C1H; needs PDCM. */
    VPMU_X86_HAS_FULL_WIDTH = 1 << 1,
    /* AMD: GuestOnly and HostOnly. */
    VPMU_X86_HAS_SVM = 1 << 2,
    /* AMD: events are those of family 17h on; 00D1H, for one, was another before. */
    VPMU_X86_HAS_ZEN = 1 << 3,
    VPMU_X86_HAS_ALL = (1 << 4) - 1,
};

/*
 * Where an instruction runs, and a total's second index: at CPL 0 or above it, in the host or in a
 * guest of SVM; and System Management Mode.
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
 * What an x86 machine tallies, and a total's first index. Those that the machinery or the models
 * know have their numbers; what else x86 has is in rooms that only Arm uses otherwise.
 */
enum vpmu_x86_source {
    VPMU_X86_SRC_INST = VPMU_SRC_INST_RETIRED, /* REP is one instruction */
    VPMU_X86_SRC_LOAD = VPMU_SRC_LD_RETIRED,   /* an instruction that reads memory */
    VPMU_X86_SRC_STORE = VPMU_SRC_ST_RETIRED,  /* one that writes memory */
    /* Branches, each one of these. */
    VPMU_X86_SRC_BR_COND = VPMU_SRC_BR_IMMED,        /* Jcc, JCXZ, LOOP: taken or not */
    VPMU_X86_SRC_BR_DIRECT = VPMU_SRC_PC_WRITE,      /* other near JMP and CALL to an immediate */
    VPMU_X86_SRC_BR_INDIRECT = VPMU_SRC_BR_INDIRECT, /* near JMP and CALL to a register or memory */
    VPMU_X86_SRC_BR_RETURN = VPMU_SRC_BR_RETURN,     /* near RET */
    VPMU_X86_SRC_BR_FAR =
        VPMU_SRC_EXC_RETURN, /* far JMP, CALL, RET; IRET, INT n, SYSCALL, SYSRET */
    VPMU_X86_SRC_BR_MISS =
        VPMU_SRC_BR_MIS_PRED, /* a branch that the modelled predictor gets wrong */
    VPMU_X86_SRC_CYCLES = VPMU_SRC_CPU_CYCLES,
    VPMU_X86_SRC_REF_CYCLES = VPMU_SRC_CNT_CYCLES, /* at the rate of the TSC */
    /* What models of caches and TLBs say: vpmu/model.h. */
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
    /* Parts of these, which the machine tallies beside them. */
    VPMU_X86_SRC_DTLB_WALK_RD = VPMU_SRC_EXC_UNDEF, /* walks for loads */
    VPMU_X86_SRC_DTLB_WALK_WR = VPMU_SRC_EXC_SVC,   /* and for stores */
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
/* What only models say. */
#define VPMU_X86_MODELLED                                                                          \
    (VPMU_SRC_BIT(VPMU_X86_SRC_L1I) | VPMU_SRC_BIT(VPMU_X86_SRC_L1I_MISS) |                        \
     VPMU_SRC_BIT(VPMU_X86_SRC_L1D_RD) | VPMU_SRC_BIT(VPMU_X86_SRC_L1D_WR) | VPMU_X86_L1D_MISSES | \
     VPMU_SRC_BIT(VPMU_X86_SRC_L1D_WB) | VPMU_X86_L2_REFERENCES | VPMU_X86_L2_MISSES |             \
     VPMU_X86_LL_REFERENCES | VPMU_X86_LL_MISSES | VPMU_SRC_BIT(VPMU_X86_SRC_DTLB_MISS) |          \
     VPMU_SRC_BIT(VPMU_X86_SRC_ITLB_MISS) | VPMU_SRC_BIT(VPMU_X86_SRC_DTLB_WALK) |                 \
     VPMU_SRC_BIT(VPMU_X86_SRC_ITLB_WALK) | VPMU_SRC_BIT(VPMU_X86_SRC_DTLB_WALK_RD) |              \
     VPMU_SRC_BIT(VPMU_X86_SRC_DTLB_WALK_WR) | VPMU_SRC_BIT(VPMU_X86_SRC_ITLB_L2_HIT) |            \
     VPMU_SRC_BIT(VPMU_X86_SRC_LL_LOAD) | VPMU_SRC_BIT(VPMU_X86_SRC_LL_LOAD_MISS))
/* All sources that x86 events are sums of. */
#define VPMU_X86_SRC_ALL                                                                           \
    (VPMU_SRC_BIT(VPMU_X86_SRC_INST) | VPMU_SRC_BIT(VPMU_X86_SRC_LOAD) |                           \
     VPMU_SRC_BIT(VPMU_X86_SRC_STORE) | VPMU_X86_BRANCHES | VPMU_SRC_BIT(VPMU_X86_SRC_BR_MISS) |   \
     VPMU_SRC_BIT(VPMU_X86_SRC_CYCLES) | VPMU_SRC_BIT(VPMU_X86_SRC_REF_CYCLES) |                   \
     VPMU_X86_MODELLED)

/* General counters are numbered from 0, Intel's fixed ones from here. */
#define VPMU_X86_MAX_COUNTERS 15u
#define VPMU_X86_FIXED 16u
#define VPMU_X86_MAX_FIXED 3u
#define VPMU_X86_COUNTER_COUNT (VPMU_X86_FIXED + VPMU_X86_MAX_FIXED)

/**
 * struct vpmu_x86_config - what a PMU is built as; constant for its whole life
 * @vendor: enum vpmu_x86_vendor.
 * @version: Intel: 1 to 5; AMD: enum vpmu_x86_amd.
 * @counters: general counters. Intel: 1 to 8; AMD: 4, 6, or from 6 to 15 with PerfMonV2.
 * @fixed: Intel from version 2 on: 0 to 3 fixed counters (instructions, cycles, reference cycles);
 *     otherwise 0.
 * @width: bits of a counter. Intel: 32 to 48; AMD: 48.
 * @features: a mask of enum vpmu_x86_feature.
 * @cycle_units, @sources, @timed: as in struct vpmu_config, of enum vpmu_x86_source.
 * @pebs: Intel with PDCM: 1 to 3, the format of PEBS records; 0: there is no PEBS.
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
};

/**
 * vpmu_x86_config_check() - can there be such a PMU?
 * @why: if not NULL and there cannot, is set to one sentence that says what is wrong.
 *
 * Return: 0, or -VPMU_ERR_CONFIG.
 */
int vpmu_x86_config_check(const struct vpmu_x86_config *config, const char **why);

/**
 * struct vpmu_x86_event - one row of the table of events
 * @vendor: enum vpmu_x86_vendor.
 * @features: which enum vpmu_x86_feature a processor must have for it.
 * @lacks: and which it must not have.
 * @select: the unit mask in bits [15:8], the event in [7:0], and AMD's event[11:8] in [35:32], as
 *     the registers have them.
 * @bit: Intel: the event's bit in CPUID.0AH:EBX, or -1.
 * @sources: what it is the sum of.
 * @name: the manual's name.
 * @manual: where the manual defines it.
 */
struct vpmu_x86_event {
    uint8_t vendor;
    uint8_t features;
    uint8_t lacks;
    int8_t bit;
    uint64_t select;
    uint64_t sources;
    const char *name;
    const char *manual;
};

extern const struct vpmu_x86_event vpmu_x86_events[];
extern const size_t vpmu_x86_events_count;

/* What one CPUID leaf returns. */
struct vpmu_x86_cpuid {
    uint32_t eax;
    uint32_t ebx;
    uint32_t ecx;
    uint32_t edx;
};

/**
 * vpmu_x86_cpuid() - what the configuration makes of a CPUID leaf
 * @leaf: 0AH (Intel) or 8000_0022H (AMD).
 *
 * Return: all zero for any other leaf, or one of the other vendor.
 */
struct vpmu_x86_cpuid vpmu_x86_cpuid(const struct vpmu_x86_config *config, uint32_t leaf);

/**
 * struct vpmu_x86_controls - state outside the PMU that decides what is counted
 * @debugctl: IA32_DEBUGCTL; FREEZE_PERFMON_ON_PMI [12] and FREEZE_WHILE_SMM [14] are looked at.
 * @svme: EFER.SVME.
 * @halted: the processor is in HLT or waits for SIPI: nothing counts.
 */
struct vpmu_x86_controls {
    uint64_t debugctl;
    bool svme;
    bool halted;
};

/* What software wrote, and the overflow flags: all masks are by number of counter. */
struct vpmu_x86_regs {
    uint64_t select[VPMU_X86_MAX_COUNTERS]; /* PERFEVTSELn */
    uint64_t fixed;                         /* FIXED_CTR_CTRL */
    uint64_t enabled;                       /* GLOBAL_CTRL; always all where there is none */
    uint64_t overflowed;                    /* GLOBAL_STATUS */
    uint64_t flags;                         /* GLOBAL_STATUS[63:58] */
    uint64_t pebs;                          /* PEBS_ENABLE */
    uint64_t ds_area;                       /* DS_AREA */
    uint64_t due;                           /* overflows that wait for their PEBS records */
};

/**
 * struct vpmu_x86 - the whole state of one logical processor's PMU
 *
 * As struct vpmu: the caller owns it, one thread at a time calls, the library alone writes.
 */
struct vpmu_x86 {
    struct vpmu_count count;
    struct vpmu_x86_config config;
    struct vpmu_x86_controls controls;
    struct vpmu_x86_regs regs;
    uint64_t pmis; /* how many there were, since vpmu_x86_init(); not saved */
};

_Static_assert(sizeof(struct vpmu_x86) <= 4096, "one PMU fits in a page");

/**
 * vpmu_x86_init() - make a PMU, as it is after power-up
 * @totals, @ops, @opaque, @why: as for vpmu_init().
 *
 * vpmu_ops.irq is called with true for each performance monitoring interrupt, which is an edge; it
 * is never called with false. The processor is taken to be at CPL 0 of the host.
 *
 * Return: 0, or -VPMU_ERR_CONFIG.
 */
int vpmu_x86_init(struct vpmu_x86 *v, const struct vpmu_x86_config *config,
                  struct vpmu_totals *totals, const struct vpmu_ops *ops, void *opaque,
                  const char **why);

/**
 * vpmu_x86_reset() - a RESET of the processor; INIT changes nothing in a PMU
 */
void vpmu_x86_reset(struct vpmu_x86 *v);

/**
 * vpmu_x86_set_controls() - the outside state changed; what was counted is settled under the old
 * one
 */
void vpmu_x86_set_controls(struct vpmu_x86 *v, const struct vpmu_x86_controls *controls);

/**
 * vpmu_x86_set_context() - the processor runs in another context from now on
 *
 * As vpmu_set_context().
 */
void vpmu_x86_set_context(struct vpmu_x86 *v, enum vpmu_x86_ctx ctx);

/* As vpmu_armed(), vpmu_headroom() and vpmu_settle(). */
uint64_t vpmu_x86_armed(const struct vpmu_x86 *v, enum vpmu_x86_ctx ctx);
uint64_t vpmu_x86_headroom(const struct vpmu_x86 *v, uint64_t sources, enum vpmu_x86_ctx ctx);
bool vpmu_x86_settle(struct vpmu_x86 *v);

/**
 * vpmu_x86_deadline() - when a counter of a timed source overflows where the processor runs
 *
 * As vpmu_deadline(); @rate is of VPMU_X86_SRC_CYCLES, then of VPMU_X86_SRC_REF_CYCLES.
 */
uint64_t vpmu_x86_deadline(const struct vpmu_x86 *v, const struct vpmu_rate rate[VPMU_CLOCK_COUNT]);

/**
 * vpmu_x86_pebs_armed() - counters that make PEBS records when they overflow
 *
 * Return: a mask. Overflows that have happened, and wait for their records, are in v->regs.due; as
 * for one that makes an interrupt, the machine stops at them (vpmu_x86_headroom()).
 */
uint64_t vpmu_x86_pebs_armed(const struct vpmu_x86 *v);

/**
 * vpmu_x86_pebs_done() - records have been made, or could not be
 * @counters: a mask of those that were due.
 * @reload: if not NULL, what each counter, by its number, goes on from; bits beyond its width are
 *     dropped. Counts since the overflow are lost. NULL: they go on as they are.
 * @full: the buffer has reached its threshold: sets OvfBuf, and makes an interrupt.
 *
 * Source: SDM 3B, Processor Event Based Sampling (PEBS).
 */
void vpmu_x86_pebs_done(struct vpmu_x86 *v, uint64_t counters, const uint64_t *reload, bool full);

/* What becomes of an access. */
enum vpmu_x86_access {
    VPMU_X86_OK,
    VPMU_X86_GP,      /* raises #GP(0); nothing has changed */
    VPMU_X86_UNKNOWN, /* no MSR of this PMU */
};

/**
 * vpmu_x86_rdmsr() - RDMSR
 * @val: is set to what it reads, or to 0.
 */
enum vpmu_x86_access vpmu_x86_rdmsr(struct vpmu_x86 *v, uint32_t msr, uint64_t *val);

/**
 * vpmu_x86_wrmsr() - WRMSR
 */
enum vpmu_x86_access vpmu_x86_wrmsr(struct vpmu_x86 *v, uint32_t msr, uint64_t val);

/**
 * vpmu_x86_rdpmc() - RDPMC
 * @ecx: which counter.
 * @allowed: CPL is 0, or CR4.PCE is 1, or CR0.PE is 0.
 * @val: is set to what it reads, or to 0.
 */
enum vpmu_x86_access vpmu_x86_rdpmc(struct vpmu_x86 *v, uint32_t ecx, bool allowed, uint64_t *val);

/**
 * vpmu_insn_x86() - the sources that an instruction counts as
 * @insn: its bytes, with all prefixes.
 * @len: how many there are, 1 to 15.
 * @long_mode: it is 64-bit code.
 *
 * Which instructions read and write memory does not show without their operands: it is not said.
 * An interrupted REP is one instruction, and counts when it is done: take it back until then.
 *
 * Return: a mask of VPMU_SRC_BIT(): VPMU_X86_SRC_INST, and at most one of VPMU_X86_BRANCHES.
 * Source: SDM volume 2, appendix A.
 */
uint64_t vpmu_insn_x86(const uint8_t *insn, size_t len, bool long_mode);

/* For statistics: "br-cond", "guest-kernel"; NULL if there is no such source, or context. */
const char *vpmu_x86_source_name(unsigned source);
const char *vpmu_x86_ctx_name(unsigned ctx);

/* The event that PERFEVTSEL selects, if this PMU counts it; otherwise NULL. */
const struct vpmu_x86_event *vpmu_x86_event_find(const struct vpmu_x86_config *config,
                                                 uint64_t select);

/**
 * vpmu_x86_observer_parse() - make an observer from an event as perf writes it
 * @config: of the PMU that it is for.
 * @text: EVENT or EVENT:MODIFIERS. EVENT is one of perf's generic names ("instructions"), the
 *     manual's name of an event of this vendor, in any case, or r and the hexadecimal number of one
 *     ("r1c4"), as PERFEVTSEL has it. MODIFIERS: u CPL 1 to 3, k CPL 0 and SMM, all if none of
 *     these is given, and nothing if it is h alone; G guests of SVM only, H the host only.
 * @o: is filled in, ungated and without a period, on success.
 * @why: if not NULL and @text is refused, is set to a sentence that says why.
 *
 * Return: 0, or -VPMU_ERR_EVENT.
 * Source: perf-list(1), "EVENT MODIFIERS".
 */
int vpmu_x86_observer_parse(const struct vpmu_x86_config *config, const char *text,
                            struct vpmu_observer *o, const char **why);

/**
 * vpmu_x86_observer_add() - let it count, from 0
 * @o: must stay where it is until vpmu_x86_observer_remove().
 *
 * What @o names and the machine does not have counts nothing. Calls vpmu_ops.rearm.
 *
 * Return: 0, or -VPMU_ERR_WATCH if @v has @o already, or -VPMU_ERR_EVENT if its period is too long,
 * or nothing takes the samples; nothing is changed then.
 */
int vpmu_x86_observer_add(struct vpmu_x86 *v, struct vpmu_observer *o);

/* As vpmu_observer_remove() and vpmu_observer_read(). */
uint64_t vpmu_x86_observer_remove(struct vpmu_x86 *v, struct vpmu_observer *o);
uint64_t vpmu_x86_observer_read(struct vpmu_x86 *v, const struct vpmu_observer *o);

/* A PMU as it stood at some moment: as struct vpmu_snapshot. */
struct vpmu_x86_snapshot {
    struct vpmu_x86 pmu;
    struct vpmu_totals totals;
};

/* As vpmu_snapshot_take(). */
void vpmu_x86_snapshot_take(struct vpmu_x86_snapshot *s, const struct vpmu_x86 *v,
                            const uint64_t ahead[VPMU_SRC_COUNT]);

/**
 * struct vpmu_x86_counter - what a counter is set to, and what it has counted
 * @event: the event that it is set to; NULL if that is none that this PMU counts.
 * @number: that event's number, as in struct vpmu_x86_event.
 * @select: PERFEVTSEL; of a fixed counter its field of FIXED_CTR_CTRL.
 * @value: as of the last vpmu_x86_settle().
 * @overflows: how often it has passed its end, since vpmu_x86_init().
 * @enabled: by its own register and, where there is one, by GLOBAL_CTRL.
 * @counting: in some context, all else that can keep it from that considered.
 * @overflowed: GLOBAL_STATUS has it.
 * @interrupts: its overflow makes an interrupt.
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
 * vpmu_x86_view() - look at a counter
 * @idx: 0 and up is a general counter, VPMU_X86_FIXED and up a fixed one.
 * @view: is filled in, if there is such a counter.
 *
 * Return: there is, and it has been set to something, or has counted.
 */
bool vpmu_x86_view(const struct vpmu_x86 *v, unsigned idx, struct vpmu_x86_counter *view);

/* Bytes of a saved state. The layout is fixed, little-endian, and described in src/x86/x86_state.c.
 */
#define VPMU_X86_STATE_SIZE 524

/**
 * vpmu_x86_state_save() - write down the state of a PMU
 * @v: is settled first. What counters owe (struct vpmu_totals) is not part of the state.
 *
 * Return: 0, or -VPMU_ERR_SPACE with @buf untouched.
 */
int vpmu_x86_state_save(struct vpmu_x86 *v, void *buf, size_t len);

/**
 * vpmu_x86_state_load() - take over a saved state
 * @v: a PMU of the same configuration. Its controls and its context must be set for the state of
 *     the processor that goes with it before: a counter that does not count there forgets whether
 *     its condition was true in the cycle before.
 * @buf: the bytes, from whomever: nothing in them is trusted.
 * @why: if not NULL and the state is refused, is set to a sentence that says why.
 *
 * Return: 0, or -VPMU_ERR_STATE with @v as it was.
 */
int vpmu_x86_state_load(struct vpmu_x86 *v, const void *buf, size_t len, const char **why);

#endif
