/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by the files that connect an Arm CPU to the vpmu library
 *
 * A file calls only files above it in this list.
 *
 * clock.c    the clocks
 * parts.c    calls of the parts beside the counters; see parts.h
 * context.c  the CPU's state that the PMU depends on
 * branch/    common.c  what records of branches have in common
 *            brbe.c  the branch record buffer of the CPU
 * sample/    samples, and the accesses of a recording; see sample/sample.h
 * spe/       samples of instructions, by SPE
 * limit.c    how far the CPU may execute before counters must be settled
 * model/     tlb.c  address spaces of the models, and TLB maintenance
 *            model.c  caches, TLBs, branch prediction and a pipeline
 *            accesses.c  the accesses of helpers
 *            geometry.c, guest-caches.c  what the CPU describes to the guest
 * tally.c    what blocks and exceptions count
 * branch/branches.c  branches: who records them, and those of a recording
 * view/      snapshot.c  a copy of the PMU, while the CPU executes
 *            stats.c, info.c  query-stats; "info vpmu" and query-vpmu
 *            watch.c  observers and the blackout meter
 * regs.c     system registers
 * target.c   what is due; the tables that QEMU calls
 * migration/ the state in a stream
 * missing-interrupt.c  CPUs whose PMU cannot interrupt
 * vpmu.c     creation and reset; what changes of exception level do
 */

#ifndef TARGET_ARM_VPMU_PRIVATE_H
#define TARGET_ARM_VPMU_PRIVATE_H

#include "qapi/qapi-builtin-types.h"
#include "qapi/qapi-types-vpmu.h"
#include "qemu/thread.h"
#include "qemu/timer.h"
#include "system/runstate.h"
#include "system/vpmu_limit.h"
#include "system/vpmu_recent_tally.h"
#include "system/vpmu_saved.h"
#include "system/vpmu_service.h"
#include "tcg/vpmu-taken.h"
#include "vpmu/arm/adopt.h"
#include "vpmu/arm/brbe.h"
#include "vpmu/latency.h"
#include "vpmu/model.h"
#include "vpmu/arm/spe.h"
#include "vpmu/arm/state.h"
#include "vpmu/arm/watch.h"
#include "vpmu/rate.h"

/* Requests of other CPUs' TLBI to remove entries from the models; see tlb.c. */
#define ARM_VPMU_INBOX_SIZE 16
typedef struct ARMVPMUInbox {
    QemuSpin lock;
    /* The models are fed: handle requests before the next instruction. */
    bool fed;
    unsigned int n;
    struct vpmu_flush flush[ARM_VPMU_INBOX_SIZE];
} ARMVPMUInbox;

/* How far a context may execute; see CPUARMPMUState. */
typedef struct ARMVPMURoom {
    uint64_t limit;
    uint64_t cycles_limit;
    uint64_t budget;
    /* The limit needs only a new computation; no counter overflows there. */
    bool soft;
} ARMVPMURoom;

typedef struct ARMPart ARMPart;

typedef struct ARMVPMU {
    /* Branches that are not yet records of the branch record buffer */
    VPMUStored stored;
    struct vpmu_arm pmu;
    /*
     * What it has beside counters, in the order in which each function is
     * called; see parts.h.  NULL ends the table.
     */
    const ARMPart *const *parts;
    /* Event counters that there are registers for; a stream may have fewer. */
    unsigned int counters;
    VPMULimits limits;
    /* Limits of contexts that the CPU has left. */
    ARMVPMURoom room[ARM_PMU_CONTEXTS];
    /* ARMVPMURoom.soft of the current limit. */
    bool soft;
    VPMURecentTally recent;
    /* VPMU_PEER_* of the sampled instruction: did other CPUs have its line? */
    unsigned int peers;
    ARMVPMUInbox inbox;
    VMChangeStateEntry *vm_state;
    /* The state in a stream */
    VPMUSaved saved;
    /* The registers in a stream of a QEMU without vpmu. */
    struct vpmu_register *stock;
    unsigned int stock_len;
    /* Allocated while there are observers, or the meter is on. */
    struct vpmu_watch *watch;
    struct vpmu_blackout *meter;
    GSList *observers;
    /* The active recording, or NULL. */
    struct VPMUObservedCPU *record;
    /* Allocated at the first query. */
    struct vpmu_arm_snapshot *snapshot;
    /* NULL unless the CPU has a branch record buffer. */
    struct ARMBRBE *brbe;
    /* NULL unless the CPU has SPE. */
    struct ARMSPE *spe;
    /* The branch records of the active recording, or NULL. */
    struct ARMBranches *branches;
    /* The sampled access, while a recording describes accesses, or NULL. */
    struct ARMAccesses *accesses;
} ARMVPMU;

/*
 * Everything except the totals changes only under the BQL and, unless the CPU
 * is stopped, only on the CPU's thread.  There are two exceptions:
 * arm_vpmu_step() runs too often for the BQL and has its own lock, and so has
 * the inbox, which other CPUs write.
 */

/* VPMUActs.spans */
void arm_vpmu_record_spans(CPUState *cs);

/* Prepares the PMU to be saved and loaded; see migration/. */
void arm_vpmu_saved_init(ARMCPU *cpu);

/*
 * Tells the library the state of a CPU that is being loaded.  What is due is
 * not done: the caller does it at the end.
 */
void arm_vpmu_arrive(ARMCPU *cpu, const struct vpmu_now *now);

/*
 * Tells the library the current context, and returns the PMU.  While the PMU is
 * idle, the library is not called at each change of context.
 */
struct vpmu_arm *arm_vpmu_here(CPUARMState *env);

/* The same at the time @now.  Returns what is due. */
int arm_vpmu_set_context(ARMCPU *cpu, const struct vpmu_now *now);

/*
 * The same as arm_vpmu_here() at a change of exception level.  If @decided, no
 * time has passed since the library was told it.
 */
void arm_vpmu_enter_context(ARMCPU *cpu, bool decided);

/* What is counted, or a limit, may have changed. */
void arm_vpmu_rearm(ARMCPU *cpu);

/* Finds what blocks must tally, and updates their flags. */
void arm_vpmu_arm(ARMCPU *cpu);

/* The state that vpmu_controls has may have changed.  Settles. */
void arm_vpmu_update_controls(ARMCPU *cpu);

/* Called when fewer events may have to be tallied; see vpmu_recent_tally.h. */
void arm_vpmu_forgotten(CPUState *cs);

/* Gets the rates of CPU_CYCLES and CNT_CYCLES. */
void arm_vpmu_rates(ARMCPU *cpu, struct vpmu_rate rate[VPMU_CLOCK_COUNT]);

/* Returns the cycles that have passed, by the clock. */
uint64_t arm_vpmu_cycles(ARMCPU *cpu);

/* Reads the clocks. */
struct vpmu_now arm_vpmu_now(ARMCPU *cpu);

/* Reads the clocks into @now if @needed.  Returns @now, or otherwise NULL. */
static inline const struct vpmu_now *
arm_vpmu_now_if(ARMCPU *cpu, bool needed, struct vpmu_now *now)
{
    if (needed) {
        *now = arm_vpmu_now(cpu);
    }
    return needed ? now : NULL;
}

extern const VPMULimitOps arm_vpmu_limit_ops;

/* Warns, when the machine is complete, of CPUs whose PMU has no interrupt. */
void arm_vpmu_check_interrupts(void);

/* Spends @events of the budget: models may have added so much to a counter. */
static inline void arm_vpmu_spend(CPUARMState *env, uint64_t events)
{
    if (likely(env->pmu.budget > events)) {
        env->pmu.budget -= events;
    } else {
        arm_vpmu_overspent(env);
    }
}

/*
 * Sets what the models of a CPU are like if no property says so.  To be called
 * when the CPU's ID registers have the values of its type.
 */
void arm_vpmu_model_default(ARMCPU *cpu, struct vpmu_model_config *model);

/* CLIDR_EL1.Ctype<n>, Arm ARM D24.2. */
enum {
    ARM_VPMU_CTYPE_DATA = 2,
    ARM_VPMU_CTYPE_SEPARATE = 3,
    ARM_VPMU_CTYPE_UNIFIED = 4,
};

/* Returns whether CCSIDR has the wide fields of FEAT_CCIDX. */
bool arm_vpmu_has_ccidx(ARMCPU *cpu);

/*
 * Lets CLIDR, CCSIDR and CTR describe the modelled caches.  Returns why they
 * cannot, or NULL.  To be called before these registers are defined.
 */
const char *arm_vpmu_describe_caches(ARMCPU *cpu);

/* Allocates the models if necessary, and tells them the address space. */
void arm_vpmu_model_start(ARMCPU *cpu);
void arm_vpmu_model_free(ARMCPU *cpu);

/* Sets whether the models are fed with accesses. */
void arm_vpmu_model_feed(ARMCPU *cpu, bool fed);

/* True once a CPU has had models.  Until then TLBI costs nothing. */
extern bool arm_vpmu_has_models;

/* Frees the models.  New ones are empty, and are allocated when needed. */
void arm_vpmu_model_forget(ARMCPU *cpu);

void arm_vpmu_watch_finalize(ARMCPU *cpu);

/* Returns who runs.  Needs a watch. */
enum vpmu_world arm_vpmu_world(ARMCPU *cpu);

/*
 * Create the watch, and free it if it is no longer needed.  Called on the
 * thread of the CPU, while it does not execute.
 */
void arm_vpmu_watch_begin(ARMCPU *cpu);
void arm_vpmu_watch_end(ARMCPU *cpu);

/* Observers, and the members of it that other files have; see vpmu_target.h. */
extern const struct VPMUCounting arm_vpmu_counting;
/*
 * Unless the CPU is stopped or halted, the copy may lack a part of the current
 * block.  A later copy never shows less.
 */
void *arm_vpmu_snapshot(CPUState *cs);
struct VPMUVisit;
void arm_vpmu_visit(CPUState *cs, void *seen, const struct VPMUVisit *visit);
void arm_vpmu_describe(CPUState *cs, VPMUInfo *info);
void arm_vpmu_print(CPUState *cs, GString *text);
VPMUEventList *arm_vpmu_events(CPUState *cs);

/* VPMUMeter.on, off */
void arm_vpmu_meter_on(CPUState *cs, run_on_cpu_data data);
void arm_vpmu_meter_off(CPUState *cs, run_on_cpu_data data);

/* Has a counter been programmed? */
bool arm_vpmu_counter_used(const struct vpmu_arm *pmu, unsigned int index);

/* Returns the number of a counter's event. */
uint16_t arm_vpmu_counter_event(const struct vpmu_arm *pmu, unsigned int index);

/* Returns what query-vpmu shows of a counter, without the event's name. */
VPMUCounter arm_vpmu_counter(const struct vpmu_arm *pmu, unsigned int index);

/* Names of the meter's windows in statistics. */
extern const char *const arm_vpmu_span_names[VPMU_SPAN_COUNT];

/*
 * The branch record buffer, if the CPU has one; see also parts.h.
 * arm_brbe_overflowed() is called when an overflow flag may have been set;
 * arm_brbe_observed() when a recording may begin or end to record branches.
 */
void arm_brbe_overflowed(ARMCPU *cpu);
void arm_brbe_observed(ARMCPU *cpu);
void arm_brbe_taken(ARMCPU *cpu, uint64_t from, uint64_t to, uint32_t desc);
/* The saved state: the library's, and the time. */
#define ARM_BRBE_SAVED_SIZE (VPMU_BRBE_STATE_SIZE + 8)
void arm_brbe_save(ARMCPU *cpu, uint8_t *buf);
bool arm_brbe_load(ARMCPU *cpu, const uint8_t *buf, Error **errp);

/* SPE, if the CPU has it; see also parts.h. */
void arm_spe_taken(ARMCPU *cpu, uint64_t to);
void arm_spe_save(ARMCPU *cpu, uint8_t *buf);
bool arm_spe_load(ARMCPU *cpu, const uint8_t *buf, Error **errp);

/* What translation tells of an access, for arm_vpmu_look_up() in model.c. */
typedef struct ARMVPMUAccess {
    uint64_t physical;
    ARMSecuritySpace space;
    uint8_t lg_page_size;
    bool cacheable;
} ARMVPMUAccess;

/* Returns false if the access is going to fault.  @desc is a PMUDATA. */
bool arm_vpmu_look_up(CPUARMState *env, uint64_t addr, uint32_t desc,
                      ARMVPMUAccess *access);

/* Binary logarithms of the sizes of an access's first and last page. */
typedef struct ARMVPMUPages {
    uint8_t first;
    uint8_t last;
} ARMVPMUPages;

/* Tallies a cacheable access, and feeds the models with it. */
void arm_vpmu_feed(CPUARMState *env, uint64_t addr, uint64_t size, bool write,
                   ARMVPMUPages pages);

/* The totals that tell what the models did with an instruction's access. */
typedef struct ARMVPMUResults {
    uint64_t l1d_refill;
    uint64_t l2d_refill;
    uint64_t from_memory;
    uint64_t l2_tlb_hit;
    uint64_t walk;
} ARMVPMUResults;

/* Returns these totals, of a row of totals. */
ARMVPMUResults arm_vpmu_results(const uint64_t *row);

/* Return where a cacheable access found its data, and its translation. */
enum vpmu_data_level arm_vpmu_data_level(ARMCPU *cpu,
                                         const ARMVPMUResults *before,
                                         const ARMVPMUResults *now);
enum vpmu_translated arm_vpmu_translated(const ARMVPMUResults *before,
                                         const ARMVPMUResults *now);

/* Sets whether @by, ARM_PMU_SAMPLED_*, samples the next instruction. */
void arm_vpmu_set_sampled(CPUARMState *env, uint8_t by, bool sampled);

/*
 * SPE's part of arm_vpmu_sampled() and arm_vpmu_sampled_access().  @access is
 * NULL if the access is going to fault.
 */
void arm_spe_sampled(CPUARMState *env, uint64_t pc, uint32_t insn);
void arm_spe_sampled_access(CPUARMState *env, uint64_t addr, uint32_t desc,
                            const ARMVPMUAccess *access);

/* Does SPE record the load of a copy, not the store? */
bool arm_spe_copy_loads(ARMCPU *cpu);

/*
 * Accesses that a recording describes.  arm_accesses_set() begins to describe
 * them in the contexts where @on samples events, and ends if @on is NULL.
 */
void arm_accesses_set(ARMCPU *cpu, const struct VPMUObservedCPU *on);
struct vpmu_record_access;
bool arm_accesses_describe(CPUState *cs, const struct vpmu_observer *counter,
                           struct vpmu_record_access *access);

/*
 * The same for the branch records of a recording.  arm_branches_set() begins to
 * record, and ends if @filter is NULL.
 */
struct vpmu_branch_filter;
void arm_branches_set(ARMCPU *cpu, const struct vpmu_branch_filter *filter);
struct vpmu_branch;
unsigned int arm_branches_copy(CPUState *cs, struct vpmu_branch *branch);

/*
 * What both kinds of records share: what blocks must tally, the issue slots
 * that were tallied so far, and the type of the exception that is taken.
 */
uint32_t arm_branch_events(ARMCPU *cpu, bool predictions, bool cycles);
uint64_t arm_branch_slots(ARMCPU *cpu);
enum vpmu_branch_type arm_branch_exception_type(ARMCPU *cpu,
                                                unsigned int from_el,
                                                unsigned int to_el, bool tge);

#endif
