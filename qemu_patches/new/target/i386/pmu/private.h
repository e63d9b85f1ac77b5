/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The PMU of an x86 CPU: what its files share
 */

#ifndef TARGET_I386_PMU_PRIVATE_H
#define TARGET_I386_PMU_PRIVATE_H

#include "qemu/timer.h"
#include "vpmu/predictor.h"
#include "vpmu/x86.h"

#define INSNS VPMU_SRC_BIT(VPMU_X86_SRC_INST)
#define MISSES VPMU_SRC_BIT(VPMU_X86_SRC_BR_MISS)
#define TIMED (VPMU_SRC_BIT(VPMU_X86_SRC_CYCLES) | \
               VPMU_SRC_BIT(VPMU_X86_SRC_REF_CYCLES))
#define SOURCES (INSNS | VPMU_X86_BRANCHES | MISSES | TIMED)

struct X86VPMU {
    struct vpmu_x86 pmu;
    QEMUTimer *timer;
    /* When to settle, by QEMU_CLOCK_VIRTUAL; INT64_MAX if never. */
    int64_t deadline;
    VMChangeStateEntry *vm_state;
    /* The limit is that of an event which not every instruction is. */
    bool soft;
    /* Contexts whose limits hold on, since no counter is near its end. */
    uint32_t far;
    uint64_t limit_in[VPMU_X86_CTX_COUNT];
    /* A state is being loaded: interrupts come with those of the APIC. */
    bool loading;
    struct vpmu_predictor predictor;
    /* Time stands still while the CPU halts: since when, and how long so far. */
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

void x86_vpmu_update_limit(X86CPU *cpu);
void x86_vpmu_update_timer(X86CPU *cpu);
void x86_vpmu_timer_cb(void *opaque);

#endif
