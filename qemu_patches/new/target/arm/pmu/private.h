/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files that connect an Arm CPU to the vpmu library share
 *
 * vpmu.c    system registers, the state that decides what is counted,
 *           the interrupt, life and migration
 * tally.c   what is counted
 * limit.c   how far it may go
 * model.c   models of caches, TLBs, branch prediction and a pipeline
 * tlb.c     their address spaces, and TLB maintenance
 * watch.c   observer counters and the blackout meter
 * sample.c  samples of observers, for a reader outside; see sample.h
 * view.c    a look at it all while the CPU goes on
 * stats.c   what there is to see, for programs: query-stats
 * info.c    the same for people, and query-vpmu
 */

#ifndef TARGET_ARM_VPMU_PRIVATE_H
#define TARGET_ARM_VPMU_PRIVATE_H

#include "qapi/qapi-builtin-types.h"
#include "qapi/qapi-types-vpmu.h"
#include "qemu/thread.h"
#include "qemu/timer.h"
#include "system/runstate.h"
#include "system/vpmu_recent_tally.h"
#include "vpmu/adopt.h"
#include "vpmu/model.h"
#include "vpmu/state.h"
#include "vpmu/watch.h"

/* What TLBI of other CPUs remove from the models; see tlb.c. */
#define ARM_VPMU_INBOX_SIZE 16
typedef struct ARMVPMUInbox {
    QemuSpin lock;
    /* Models are fed, and must see it before the next instruction. */
    bool fed;
    unsigned int n;
    struct vpmu_flush flush[ARM_VPMU_INBOX_SIZE];
} ARMVPMUInbox;

/* How far a context may go; see CPUARMPMUState. */
typedef struct ARMVPMURoom {
    uint64_t limit;
    uint64_t cycles_limit;
    uint64_t budget;
    /* No counter is due at the limit: it is only to be looked at there. */
    bool soft;
} ARMVPMURoom;

typedef struct ARMVPMU {
    struct vpmu pmu;
    /*
     * Held while counters are settled after an instruction, without the BQL,
     * and while they are looked at.  An interrupt that moves meanwhile needs
     * the BQL: it waits until this lock is released.
     */
    QemuSpin stepping_lock;
    bool stepping;
    /* Of contexts that the CPU has left, and which of them still hold. */
    ARMVPMURoom room[ARM_PMU_CONTEXTS];
    uint16_t shared;
    /* Of the present context's limit. */
    bool soft;
    bool irq_waits;
    /*
     * When a counter of time is due to overflow, of QEMU_CLOCK_VIRTUAL, if
     * the CPU stays in this context; INT64_MAX if none is.  The timer fires
     * then at the latest; it may fire before, for a deadline that was.
     */
    int64_t deadline;
    QEMUTimer *timer;
    VPMURecentTally recent;
    /*
     * While an exception is taken or a register accessed, when that began:
     * all of it happens in this moment.  Otherwise 0.
     */
    int64_t moment;
    ARMVPMUInbox inbox;
    VMChangeStateEntry *vm_state;
    /* The state in a migration stream. */
    uint8_t saved[VPMU_STATE_SIZE];
    /* Or registers, in one of a QEMU whose PMU was not vpmu. */
    struct vpmu_register *stock;
    unsigned int stock_len;
    bool loading;
    /* Allocated while somebody watches from outside. */
    struct vpmu_watch *watch;
    struct vpmu_blackout *meter;
    GSList *observers;
    /* Of the recording that goes on. */
    struct VPMUObservedCPU *record;
    /* An access to a register settles: the PC is still the access's own. */
    bool accessing;
    /* Allocated when somebody looks. */
    struct ARMVPMUView *view;
} ARMVPMU;

/*
 * All of it but the totals changes only under the BQL, and, unless the CPU
 * is stopped, only on its own thread.  arm_vpmu_step() comes too often for
 * that: it has a lock of its own.  So has the inbox, which is for others.
 */

/* The level of the interrupt line; takes the BQL. */
void arm_vpmu_update_irq(ARMCPU *cpu);

/* The CPU is where it is; an idle PMU is not told of every change. */
struct vpmu *arm_vpmu_here(CPUARMState *env);

/* What the library calls when what it counts, or how far, may change. */
void arm_vpmu_rearm(void *opaque);

/* What was counted lately may not be any more; see vpmu_recent_tally.h. */
void arm_vpmu_forgotten(CPUState *cs);

/* How a timed source stands. */
uint64_t arm_vpmu_clock(void *opaque, enum vpmu_source source);

/* Find out anew how far the present context may go, and later the others. */
void arm_vpmu_update_limit(ARMCPU *cpu);

/* The context changes; nothing is due in the one that is left. */
void arm_vpmu_leave_limit(ARMCPU *cpu, unsigned int ctx);
void arm_vpmu_enter_limit(ARMCPU *cpu);
void arm_vpmu_update_timer(ARMCPU *cpu);

/* If some counter is due to overflow in context @ctx, let it. */
void arm_vpmu_settle_if_due(ARMCPU *cpu, unsigned int ctx);

/* Now, in nanoseconds of QEMU_CLOCK_VIRTUAL, as the PMU sees it. */
int64_t arm_vpmu_now(ARMCPU *cpu);

/* Is a counter of time due to overflow? */
bool arm_vpmu_time_due(ARMCPU *cpu);

/* The meter has been switched on: a recording may want what it finds. */
void arm_vpmu_record_meter(ARMCPU *cpu);

/* Models may have tallied up to @events of one counter. */
static inline void arm_vpmu_spend(CPUARMState *env, uint64_t events)
{
    if (likely(env->pmu.budget > events)) {
        env->pmu.budget -= events;
    } else {
        arm_vpmu_overspent(env);
    }
}

/* Make the models if they are not there yet, and tell them where we are. */
void arm_vpmu_model_start(ARMCPU *cpu);
void arm_vpmu_model_free(ARMCPU *cpu);

/* Is what they know of TLBs counted? */
void arm_vpmu_model_feed(ARMCPU *cpu, bool fed);

/* Some CPU has, or had, models: until then TLBI costs nothing. */
extern bool arm_vpmu_has_models;

/* Models begin anew, empty, when they are needed next. */
void arm_vpmu_model_forget(ARMCPU *cpu);

/* Somebody watches: the context may have changed, or who runs in it. */
void arm_vpmu_watch_moved(ARMCPU *cpu);
void arm_vpmu_watch_finalize(ARMCPU *cpu);

/* Who runs; with a watch. */
enum vpmu_world arm_vpmu_world(ARMCPU *cpu);

/*
 * There is a watch from now on; there need be none any more.  On the thread of
 * the CPU, which does not execute meanwhile.
 */
void arm_vpmu_watch_begin(ARMCPU *cpu);
void arm_vpmu_watch_end(ARMCPU *cpu);

/*
 * The PMU as it is now.  It may not have got as far as the present block
 * goes, unless the CPU is stopped or halted; a later look never shows less.
 * Valid until the next one.  With the BQL held.
 */
struct vpmu *arm_vpmu_look(ARMCPU *cpu);

/* Has a counter been set to anything? */
bool arm_vpmu_counter_used(const struct vpmu *pmu, unsigned int index);

/* The number of the event that it counts. */
uint16_t arm_vpmu_counter_event(const struct vpmu *pmu, unsigned int index);

/* What query-vpmu says of a counter, but for its event's name. */
VPMUCounter arm_vpmu_counter(const struct vpmu *pmu, unsigned int index);

/* Names of what the meter measures, as statistics have them. */
extern const char *const arm_vpmu_span_names[VPMU_SPAN_COUNT];

/* The first CPU with a vpmu, or the next one after @cpu; NULL at the end. */
ARMCPU *arm_vpmu_next_cpu(ARMCPU *cpu);

#endif
