/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Declarations that the files of an x86 CPU's PMU share
 */

#ifndef TARGET_I386_PMU_PRIVATE_H
#define TARGET_I386_PMU_PRIVATE_H

#include "qemu/timer.h"
#include "taken.h"
#include "system/vpmu_limit.h"
#include "system/vpmu_recent_tally.h"
#include "system/vpmu_saved.h"
#include "system/vpmu_service.h"
#include "vpmu/branch_observer.h"
#include "vpmu/model.h"
#include "vpmu/predictor.h"
#include "vpmu/x86/cpuid.h"
#include "vpmu/x86/ibs.h"
#include "vpmu/x86/insn.h"
#include "vpmu/x86/lbr.h"
#include "vpmu/x86/msr.h"
#include "vpmu/x86/observer.h"
#include "vpmu/x86/pebs.h"
#include "vpmu/x86/pmu.h"
#include "vpmu/x86/snapshot.h"
#include "vpmu/x86/state.h"
#include "vpmu/x86/view.h"

#define INSNS VPMU_SRC_BIT(VPMU_X86_SRC_INST)
/* Mispredictions; and branches, also by their outcome. */
#define MISSES VPMU_X86_MISPREDICTED
#define BRANCHES (VPMU_X86_BRANCHES | VPMU_X86_OUTCOMES | \
                  VPMU_SRC_BIT(VPMU_X86_SRC_BR_CALL))
#define CYCLES VPMU_SRC_BIT(VPMU_X86_SRC_CYCLES)
#define REF_CYCLES VPMU_SRC_BIT(VPMU_X86_SRC_REF_CYCLES)
/* Cycles and stalls. */
#define PIPELINE (CYCLES | VPMU_X86_STALLS)
/* Instructions that read and write memory. */
#define ACCESSES (VPMU_SRC_BIT(VPMU_X86_SRC_LOAD) | \
                  VPMU_SRC_BIT(VPMU_X86_SRC_STORE))
#define SOURCES (INSNS | VPMU_X86_DETAIL | BRANCHES | MISSES | CYCLES | \
                 REF_CYCLES | ACCESSES | VPMU_X86_MODELLED)

/* The properties that the user has set; 0: the CPU model decides. */
typedef struct X86PMUConfig {
    struct vpmu_model_config model;
    /* The property that was set last, or NULL. */
    const char *by;
    /* All that were set: vpmu_model_property_bit() */
    uint32_t set;
    bool width_set;
    bool lbr;
    /* CPUID describes the modelled caches. */
    bool cache_told;
    CPUCacheInfo described[4];
    uint8_t counters;
} X86PMUConfig;

X86PMUConfig *x86_pmu_config(X86CPU *cpu);

/* Makes CPUID describe the modelled caches; returns why it cannot, or NULL. */
const char *x86_vpmu_describe_caches(X86CPU *cpu);

/* Returns whether misses and mispredictions add penalties to the cycles. */
static inline bool x86_vpmu_models_cycles(X86CPU *cpu)
{
    return x86_pmu_config(cpu)->model.cycles == VPMU_CYCLES_MODEL;
}

/* MPERF, APERF and retired instructions of AMD's CPUs */
#define X86_FREE_RUNNING 3

/* They start at 0 again when they are next read. */
void x86_vpmu_stop_free_running(X86CPU *cpu);

typedef struct X86LBR X86LBR;
typedef struct X86Branches X86Branches;
typedef struct X86IBS X86IBS;
typedef struct X86Part X86Part;

/* The accesses of one instruction, or of one element of a repeated one. */
typedef struct X86Accesses {
    /* Their slowest lines, for PEBS and recordings. */
    struct vpmu_x86_data_accesses all;
    /* The lines in which they begin, for IBS (APM volume 2, 13.3.4). */
    struct vpmu_x86_data_accesses first;
} X86Accesses;

struct X86VPMU {
    /* Branches that are not yet records */
    VPMUStored stored;
    struct vpmu_x86 pmu;
    /*
     * What it has beside counters, in the order in which each function is
     * called; see parts.h.  NULL ends the table.
     */
    const X86Part *const *parts;
    /* It has a place among the CPUs that share a last-level cache. */
    bool reserved;
    /* Last branch records, if the CPU has them */
    X86LBR *lbr;
    /* Instruction-based sampling, if the CPU has it */
    X86IBS *ibs;
    /* Branches for a recording, while it wants them */
    X86Branches *branches;
    VPMULimits limits;
    VPMURecentTally recent;
    VMChangeStateEntry *vm_state;
    /* Not every instruction moves the counter that set the limit. */
    bool soft;
    /* How many instructions may be executed, whatever they count. */
    uint64_t hard;
    /* The next instruction is executed alone, before any interrupt. */
    bool alone;
    /* No counter that blocks tally accesses for is close to an overflow. */
    bool only_helpers;
    /*
     * PEBS, and recordings of accesses: the instruction that was about to be
     * executed, and what had been tallied then, in which context.
     */
    uint64_t noted;
    uint64_t noted_insns;
    unsigned int noted_ctx;
    uint64_t noted_element;
    /*
     * It reports its accesses, since its record may describe one.  Those of a
     * repeated string instruction are those of its last element.
     */
    bool sampling;
    X86Accesses sampled;
    /* The accesses of the last instruction that helpers saw, if not noted. */
    X86Accesses pending;
    uint64_t pending_insns;
    uint64_t pending_element;
    uint32_t pending_place;
    /* The contexts where a recording describes accesses. */
    uint16_t accesses;
    /* The models are fed; they have missed a flush. */
    bool fed;
    bool stale;
    struct vpmu_predictor predictor;
    /* The predictor has been in use. */
    bool predicted;
    /* Clocks stop while the CPU halts: since when, and how long so far. */
    uint64_t halted_at[VPMU_CLOCK_COUNT];
    uint64_t halted_for[VPMU_CLOCK_COUNT];
    /* Observers; see monitor.c. */
    GSList *observers;
    /* AMD's counters that are only read; see msr.c. */
    struct vpmu_observer free_running[X86_FREE_RUNNING];
    struct vpmu_x86_snapshot *snapshot;
    /* The state in a stream */
    VPMUSaved saved;
};

/* Prepares the PMU to be saved and loaded; see saved.c. */
void x86_vpmu_saved_init(X86CPU *cpu);

/*
 * Tells the library the state of a CPU that is being loaded.  What is due is
 * not done: the caller does it at the end.
 */
void x86_vpmu_arrive(X86CPU *cpu);

/* Forgets the models.  Observers go on, and may feed new ones. */
void x86_vpmu_start_cold(X86CPU *cpu);

/* Tells the PMU the present context; returns the PMU. */
struct vpmu_x86 *x86_vpmu_here(X86CPU *cpu);

/* The CPU halts, which stops its clocks, or resumes. */
void x86_vpmu_set_halted(X86CPU *cpu, bool halted);

/* Armed sources or headrooms may have changed. */
void x86_vpmu_rearm(X86CPU *cpu);

/* Reads the clocks, which stand still while the CPU halts. */
struct vpmu_now x86_vpmu_now(X86CPU *cpu);

/* Reads the clocks into @now if @needed.  Returns @now, or otherwise NULL. */
static inline const struct vpmu_now *
x86_vpmu_now_if(X86CPU *cpu, bool needed, struct vpmu_now *now)
{
    if (needed) {
        *now = x86_vpmu_now(cpu);
    }
    return needed ? now : NULL;
}

/*
 * The clocks of timed cycles and of reference cycles, also while the CPU halts:
 * the virtual clock, and the TSC as it is without offsets of the guest.
 */
uint64_t x86_vpmu_clock_now(X86CPU *cpu, unsigned int clock);

/* Returns the rate of the TSC. */
uint64_t x86_vpmu_tsc_hz(void);

/* Sets the flags of blocks in the present context. */
void x86_vpmu_set_flags(X86CPU *cpu);

/* Starts or stops feeding the models; creates them if needed. */
void x86_vpmu_model_feed(X86CPU *cpu, bool fed);
/* Models start cold.  Call x86_vpmu_rearm() before the CPU runs. */
void x86_vpmu_model_forget(X86CPU *cpu);

/*
 * Called after the models have tallied at most @most events.  May leave the
 * block at @ra to execute the present instruction again and settle after it.
 */
void x86_vpmu_spend(X86CPU *cpu, unsigned int most, uintptr_t ra);

/* The same for the fetch of a line by the instruction at @pc. */
void x86_vpmu_spend_fetch(X86CPU *cpu, uint64_t pc, uintptr_t ra);

/*
 * Accesses that a recording describes.  x86_accesses_set() begins to describe
 * them in the contexts where @on samples events, and ends if @on is NULL.
 */
struct VPMUObservedCPU;
void x86_accesses_set(X86CPU *cpu, const struct VPMUObservedCPU *on);
struct vpmu_record_access;
bool x86_accesses_describe(CPUState *cs, const struct vpmu_observer *counter,
                           struct vpmu_record_access *access);

/*
 * Notes the next instruction.  It will be executed alone, and before any
 * interrupt.
 */
void x86_vpmu_note(X86CPU *cpu);

/* Returns whether the noted instruction was executed last. */
bool x86_vpmu_is_noted(CPUX86State *env);

/*
 * Returns the accesses of the noted instruction, or of its last element, after
 * it was executed; none if they are not known.
 */
const X86Accesses *x86_vpmu_sampled(CPUX86State *env);

/* Is it the present instruction, or this element of a repeated one. */
bool x86_vpmu_is_noted_element(CPUX86State *env);

/*
 * Writes the records of overflows that are due.  The CPU is between two
 * instructions, or in RDMSR, WRMSR or RDPMC.  Its state is in @cpu, and @ip is
 * the next instruction.
 */
void x86_vpmu_record(X86CPU *cpu, uint64_t ip);


extern const VPMULimitOps x86_vpmu_limit_ops;

/*
 * Settles if the limit is reached; called before the CPU starts executing and
 * when it stops.  The next block would do it too, but in a replay the interrupt
 * of the overflow may come before any block, and the CPU may be saved first.
 */
void x86_vpmu_settle_at_limit(X86CPU *cpu);

/* Tells the PMU what else of the CPU's state it depends on. */
void x86_vpmu_set_controls(X86CPU *cpu, bool halted);

/* Observers and counters, and samples; see vpmu_target.h. */
extern const struct VPMUCounting x86_vpmu_counting;
extern const struct VPMUSamples x86_samples;
extern const struct VPMUThreads x86_threads;

/* Returns the cycles that have been tallied, in issue slots. */
static inline uint64_t x86_branch_slots(X86CPU *cpu)
{
    const CPUX86State *env = &cpu->env;
    uint64_t slots = 0;

    for (unsigned int i = 0; i < X86_PMU_CONTEXTS; i++) {
        slots += env->pmu.totals[i][X86_PMU_CYCLES];
    }
    return slots;
}

/* What a near branch is, by its X86PMUTAKEN. */
static inline enum vpmu_branch_type x86_branch_type(uint32_t desc)
{
    static const uint8_t types[] = {
        [X86_PMU_TAKEN] = VPMU_BRTYPE_CONDITIONAL,
        [X86_PMU_CALL] = VPMU_BRTYPE_CALL,
        [X86_PMU_INDIRECT] = VPMU_BRTYPE_INDIRECT,
        [X86_PMU_INDIRECT_CALL] = VPMU_BRTYPE_INDIRECT_CALL,
        [X86_PMU_RETURN] = VPMU_BRTYPE_RETURN,
        [X86_PMU_DIRECT] = VPMU_BRTYPE_DIRECT,
    };

    return types[FIELD_EX32(desc, X86PMUTAKEN, KIND)];
}


/*
 * Branches for a recording; see also parts.h.  Without a recording of branches,
 * these do nothing and return 0.
 */

/* Starts to record; stops if @filter is NULL. */
void x86_branches_set(X86CPU *cpu, const struct vpmu_branch_filter *filter);
/* VPMUSamples.branches */
unsigned int x86_branches_copy(CPUState *cs, struct vpmu_branch *branch);

/*
 * Returns whether a SYSCALL of a program ended the period of the present
 * sample.  The sample then belongs to the program, at the instruction after the
 * SYSCALL.
 */
bool x86_vpmu_sampled_syscall(const X86CPU *cpu);

/*
 * Last branch records; see also parts.h.  If the CPU has none, these do nothing
 * and return 0 or false.
 */

/* Adapts the configuration of a PMU to the records that the CPU will have. */
void x86_lbr_config_pmu(X86CPU *cpu, struct vpmu_x86_config *config);
/*
 * Save and load the records of a CPU that has some.  x86_lbr_load() reports an
 * error and returns false.
 */
#define X86_LBR_SAVED_SIZE (VPMU_LBR_STATE_SIZE + 8)
void x86_lbr_save(X86CPU *cpu, uint8_t *buf);
bool x86_lbr_load(X86CPU *cpu, const uint8_t *buf);

/* Branches are recorded at some CPL. */
bool x86_lbr_enabled(X86CPU *cpu);
/* Records are enabled, and there was a branch; x86_vpmu_far() has more. */
void x86_lbr_taken(X86CPU *cpu, enum vpmu_branch_type type, bool mispredicted,
                   uint64_t from, uint64_t to);
void x86_lbr_far(X86CPU *cpu, uint64_t from);
/* A debug exception was delivered. */
void x86_lbr_debug(X86CPU *cpu);

enum vpmu_x86_access x86_lbr_rdmsr(X86CPU *cpu, uint32_t msr, uint64_t *val);
enum vpmu_x86_access x86_lbr_wrmsr(X86CPU *cpu, uint32_t msr, uint64_t val);
/* Bits that records add to an MSR of the PMU. */
uint64_t x86_lbr_read_bits(X86CPU *cpu, uint32_t msr);
/* An MSR of the PMU was written. */
void x86_lbr_wrote(X86CPU *cpu, uint32_t msr, uint64_t val);
/*
 * Copies @count records for PEBS, the latest first; 0 if there are fewer.
 * Without LBRs, @words keep their values.
 */
void x86_lbr_copy(X86CPU *cpu, uint64_t *words, unsigned int count);
/* Adds what a CPUID leaf says of records. */
void x86_lbr_cpuid(X86CPU *cpu, uint32_t index, struct vpmu_x86_cpuid *leaf);

/*
 * Instruction-based sampling; see also parts.h.  If the CPU has none, these do
 * nothing and return 0 or false.
 */

/* The next instruction is to be sampled. */
bool x86_ibs_tags(X86CPU *cpu);
/* An instruction has raised a fault, and is not executed. */
void x86_ibs_faulted(X86CPU *cpu);
/* Completes an access of the sampled instruction with its X86PMUDATA. */
void x86_ibs_access(CPUX86State *env, uint32_t desc,
                    struct vpmu_x86_data_access *access);
/* A line has been fetched. */
void x86_ibs_fetched(CPUX86State *env,
                     const struct vpmu_x86_data_access *fetch);
/* VPMUActs.sampled */
bool x86_ibs_sampled(CPUState *cs, const struct vpmu_sample *sample);

enum vpmu_x86_access x86_ibs_rdmsr(X86CPU *cpu, uint32_t msr, uint64_t *val);
enum vpmu_x86_access x86_ibs_wrmsr(X86CPU *cpu, uint32_t msr, uint64_t val);
/* Adds what a CPUID leaf says of it. */
void x86_ibs_cpuid(X86CPU *cpu, uint32_t index, struct vpmu_x86_cpuid *leaf);

/*
 * The view from outside: a snapshot, and what it has of a unit, as a counter,
 * or NULL if the unit was never used.
 */
#define X86_IBS_COUNTERS 32
void x86_ibs_snapshot(X86CPU *cpu);
struct VPMUCounter *x86_ibs_describe(X86CPU *cpu, unsigned int i);

/* For a CPU without a PMU: returns false, with @errp set, if it wants IBS. */
bool x86_ibs_refuse(X86CPU *cpu, Error **errp);
/*
 * Save and load the state of a CPU that has it.  x86_ibs_load() reports an
 * error and returns false.  x86_ibs_loaded() follows when the PMU has been
 * loaded.
 */
void x86_ibs_save(X86CPU *cpu, uint8_t *buf);
bool x86_ibs_load(X86CPU *cpu, const uint8_t *buf);
void x86_ibs_loaded(X86CPU *cpu);

#endif
