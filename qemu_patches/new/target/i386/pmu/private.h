/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU of an x86 CPU: what its files share
 */

#ifndef TARGET_I386_PMU_PRIVATE_H
#define TARGET_I386_PMU_PRIVATE_H

#include "qemu/timer.h"
#include "system/vpmu_recent_tally.h"
#include "vpmu/model.h"
#include "vpmu/predictor.h"
#include "vpmu/x86/insn.h"
#include "vpmu/x86/observer.h"
#include "vpmu/x86/pebs.h"
#include "vpmu/x86/pmu.h"
#include "vpmu/x86/snapshot.h"
#include "vpmu/x86/state.h"
#include "vpmu/x86/view.h"

#define INSNS VPMU_SRC_BIT(VPMU_X86_SRC_INST)
#define MISSES VPMU_SRC_BIT(VPMU_X86_SRC_BR_MISS)
#define CYCLES VPMU_SRC_BIT(VPMU_X86_SRC_CYCLES)
#define REF_CYCLES VPMU_SRC_BIT(VPMU_X86_SRC_REF_CYCLES)
/* Cycles, and those that instructions wait for. */
#define PIPELINE (CYCLES | VPMU_X86_STALLS)
/* Instructions that read and write memory; what models say of caches. */
#define ACCESSES (VPMU_SRC_BIT(VPMU_X86_SRC_LOAD) | \
                  VPMU_SRC_BIT(VPMU_X86_SRC_STORE))
#define SOURCES (INSNS | VPMU_X86_BRANCHES | MISSES | CYCLES | REF_CYCLES | \
                 ACCESSES | VPMU_X86_MODELLED)

/* What the user wants; what is 0 is the CPU model's. */
typedef struct X86PMUConfig {
    struct vpmu_model_config model;
    bool width_set;
    uint8_t counters;
} X86PMUConfig;

X86PMUConfig *x86_pmu_config(X86CPU *cpu);

/* Do penalties of misses count as cycles? */
static inline bool x86_vpmu_models_cycles(X86CPU *cpu)
{
    return x86_pmu_config(cpu)->model.cycles == VPMU_CYCLES_MODEL;
}

struct X86VPMU {
    struct vpmu_x86 pmu;
    QEMUTimer *timer;
    /* When to settle, by QEMU_CLOCK_VIRTUAL; INT64_MAX if never. */
    int64_t deadline;
    VPMURecentTally recent;
    VMChangeStateEntry *vm_state;
    /* The limit is that of an event which not every instruction is. */
    bool soft;
    /* So many instructions may be executed, whatever they are. */
    uint64_t hard;
    /* Contexts whose limits hold: a mask; see limit.c. */
    uint32_t shared;
    /* An instruction is to be executed by itself, before any interrupt. */
    bool alone;
    /*
     * PEBS: the instruction that was about to be executed, and what had been
     * tallied then, in which context.
     */
    uint64_t noted;
    uint64_t noted_insns;
    unsigned int noted_ctx;
    /* Some counter minds what the models say; they have missed a flush. */
    bool fed;
    bool stale;
    /* A state is being loaded: interrupts come with those of the APIC. */
    bool loading;
    struct vpmu_predictor predictor;
    /* Time stands still while the CPU halts: since when; how long so far. */
    int64_t halted_at;
    int64_t halted_ns;
    /* Those that count for the user; see view.c. */
    GSList *observers;
    struct vpmu_x86_snapshot *view;
    uint8_t saved[VPMU_X86_STATE_SIZE];
};

/* The PMU, told where the CPU is. */
struct vpmu_x86 *x86_vpmu_here(X86CPU *cpu);

/* It halts, and time stands still for it; or it goes on. */
void x86_vpmu_set_halted(X86CPU *cpu, bool halted);

/* What is armed, or how far it may go, may have changed. */
void x86_vpmu_rearm(void *opaque);

/* vpmu_ops.clock */
uint64_t x86_vpmu_clock(void *opaque, enum vpmu_source source);

/* Models begin to be fed, or end; and are made when that is new. */
void x86_vpmu_model_feed(X86CPU *cpu, bool fed);
void x86_vpmu_model_forget(X86CPU *cpu);

/*
 * Models have tallied, no more than @most.  May leave the block at @ra, to
 * execute the present instruction again and look behind it.
 */
void x86_vpmu_spend(X86CPU *cpu, unsigned int most, uintptr_t ra);

/* PEBS: is what was noted the instruction that has been executed last? */
bool x86_vpmu_is_noted(CPUX86State *env);

/*
 * Overflows that are due have their records written.  The CPU is between two
 * instructions, its state is in @cpu; @ip is the next one.
 */
void x86_vpmu_record(X86CPU *cpu, uint64_t ip);

/* The format of the records of a CPU model; 0: it has no PEBS. */
uint8_t x86_vpmu_pebs_format(unsigned int family, unsigned int model);

void x86_vpmu_update_limit(X86CPU *cpu);

/*
 * The CPU is about to execute: if the limit is reached, let the overflow
 * happen.  The first block would do it; but in a replay there is none, when
 * the interrupt of the overflow is what comes next.
 */
void x86_vpmu_settle_at_limit(X86CPU *cpu);

void x86_vpmu_update_timer(X86CPU *cpu);
void x86_vpmu_timer_cb(void *opaque);

#endif
