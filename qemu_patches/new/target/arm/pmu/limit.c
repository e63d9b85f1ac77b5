/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far an Arm CPU may execute before counters of its PMU must be settled
 *
 * An overflow must be detected at the event that causes it.
 *
 * - Instructions and cycles: the number that may pass before the next overflow
 *   is known, and blocks stop there.
 * - Other events are rarer than instructions.  While their counters are far
 *   from overflow, there is only a limit of instructions that cannot cause
 *   enough events, and a budget for events that models tally.  Close to an
 *   overflow, blocks end after each instruction that may cause an event, and
 *   check.
 * - Clocks have a deadline.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "compat.h"
#include "internals.h"
#include "system/tcg.h"
#include "parts.h"
#include "tally.h"
#include "vpmu/arm/deadline.h"
#include "vpmu/arm/insn.h"

/* The sources that blocks tally, besides instructions and cycles. */
#define OF_BLOCKS (OF_INSNS | DETAIL_OF_BLOCKS | \
                   VPMU_SRC_BIT(VPMU_SRC_L1I_CACHE) | \
                   VPMU_SRC_BIT(VPMU_SRC_L1D_CACHE_RD) | \
                   VPMU_SRC_BIT(VPMU_SRC_L1D_CACHE_WR))

/*
 * Blocks check a counter that is this close to overflow.  After a helper that
 * feeds the models, the rest of the block is still executed.  It has a bounded
 * number of accesses, of some lines each, but at most one branch.
 */
#define NEAR_BLOCKS   128
#define NEAR_MODELS   (ARM_PMU_MOST_ACCESSES * 32)
#define NEAR_BRANCHES 2
/* The most events of one counter per instruction, except those of models. */
#define MOST_EVENTS           4
#define MOST_EVENTS_IN_DETAIL VPMU_MAX_OPS
#define MOST_STALL  UINT8_MAX
/* A counter that is this far from overflow needs only a coarse limit. */
#define FAR (1 << 28)

QEMU_BUILD_BUG_ON(VPMU_PARTS < ARM_PMU_CONTEXTS);

static vpmu_sources untimed_sources(const struct vpmu_arm *pmu)
{
    return vpmu_tallied(pmu) & ~INSNS;
}

static int64_t next_deadline(CPUState *cs)
{
    struct vpmu_rate rate[VPMU_CLOCK_COUNT];

    arm_vpmu_rates(ARM_CPU(cs), rate);
    return MIN(vpmu_arm_deadline(&ARM_CPU(cs)->vpmu->pmu, rate), INT64_MAX);
}

/*
 * Generated code depends on @near, so the flags of blocks must follow.  If
 * blocks have one instruction, each may be the one that a recording samples.
 */
static void set_near(CPUARMState *env, bool near, bool steps)
{
    bool described = env_archcpu(env)->vpmu->accesses && (near || steps);

    arm_vpmu_set_sampled(env, ARM_PMU_SAMPLED_OUTSIDE, described);
    if (near != env->pmu.near) {
        env->pmu.near = near;
        if (tcg_enabled()) {
            arm_rebuild_hflags(env);
        }
    }
}

/* How far a context may execute. */
typedef struct VPMURoom {
    /* The context may use one of this many parts of the distance. */
    unsigned int parts;
    uint64_t insns;
    /* The limit needs only a new computation; no counter overflows there. */
    bool soft;
    uint64_t cycles;
    uint64_t budget;
    bool near;
} VPMURoom;

/* The limit must be computed again after @insns instructions. */
static void take_insns(VPMURoom *room, uint64_t insns)
{
    if (insns < room->insns) {
        room->insns = insns;
        room->soft = true;
    }
}

/* Limits events that models tally.  The last @near of them must be checked. */
static void take_budget(VPMURoom *room, uint64_t events, uint64_t near)
{
    if (events <= near + 1) {
        room->near = true;
    } else if (events != UINT64_MAX) {
        room->budget = MIN(room->budget, (events - near) / 2);
    }
}

/* Returns how many events of @sources may happen in this context. */
static uint64_t room_of(ARMCPU *cpu, const VPMURoom *room,
                        vpmu_sources sources, uint32_t events)
{
    const struct vpmu_arm *pmu = &cpu->vpmu->pmu;
    unsigned int ctx = pmu->count.ctx;

    if (!(cpu->env.pmu.events[ctx] & events)) {
        return UINT64_MAX;
    }
    return vpmu_part(vpmu_arm_headroom(pmu, sources & vpmu_tallied(pmu), ctx),
                     room->parts);
}

/*
 * The most cycles that the rest of a block can take: all misses for two lines
 * of each access, and for the lines that the block lies in.
 */
static uint64_t near_cycles(CPUARMState *env)
{
    return (2 * ARM_PMU_MOST_ACCESSES + 3) * (uint64_t)env->pmu.most_per_line;
}

/* Computes exact limits, for a counter that is not far from overflow. */
static void look_closer(ARMCPU *cpu, VPMURoom *room)
{
    CPUARMState *env = &cpu->env;
    const struct vpmu_arm *pmu = &cpu->vpmu->pmu;
    uint64_t blocks = room_of(cpu, room, OF_BLOCKS,
                              OF_INSNS | ARM_PMU_IN_DETAIL |
                              ARM_PMU_MEMORY);

    room->budget = vpmu_part(vpmu_arm_headroom(pmu, EXCEPTIONS, pmu->count.ctx),
                             room->parts);
    room->cycles = room_of(cpu, room, CYCLES, ARM_PMU_MODEL_CYCLES);
    take_budget(room, room_of(cpu, room, BRANCHES, ARM_PMU_BRANCHES),
                NEAR_BRANCHES);
    take_budget(room, room_of(cpu, room, MEMORY, ARM_PMU_MEMORY),
                NEAR_MODELS);
    if (cpu->pmu_config.model->cycles == VPMU_CYCLES_MODEL) {
        uint64_t near = near_cycles(env);

        take_budget(room, room->cycles, near);
        if (!room->near && room->cycles != UINT64_MAX) {
            /* Half of the distance is the budget of helpers. */
            room->cycles = (room->cycles - near) / 2;
        }
    }
    if (blocks <= NEAR_BLOCKS) {
        room->near = true;
    } else if (blocks != UINT64_MAX) {
        bool detail = env->pmu.events[pmu->count.ctx] & ARM_PMU_IN_DETAIL;

        /* Helpers tally accesses as well: half of the distance is theirs. */
        take_insns(room, (blocks - NEAR_BLOCKS / 2) / 2 /
                   (detail ? MOST_EVENTS_IN_DETAIL : MOST_EVENTS));
    }
}

/* Returns how far the current context may execute, with one of @parts parts. */
static VPMURoom new_room(ARMCPU *cpu, uint64_t insns, uint64_t others,
                         unsigned int parts)
{
    VPMURoom room = {
        .parts = parts,
        .soft = parts > 1,
        .cycles = UINT64_MAX,
        .budget = UINT64_MAX,
    };

    room.insns = vpmu_part(insns, parts);
    if (others < FAR) {
        look_closer(cpu, &room);
    } else if (others != UINT64_MAX) {
        room.budget = others / VPMU_PARTS;
        take_insns(&room, others / VPMU_PARTS /
                   (1 + MOST_STALL * cpu->env.pmu.width));
    }
    return room;
}

static void take_room(ARMCPU *cpu, unsigned int ctx)
{
    CPUARMState *env = &cpu->env;
    const ARMVPMURoom *room = &cpu->vpmu->room[ctx];

    env->pmu.limit = room->limit;
    env->pmu.cycles_limit = room->cycles_limit;
    env->pmu.budget = room->budget;
    cpu->vpmu->soft = room->soft;
}

static bool find_limit(CPUState *cs)
{
    ARMCPU *cpu = ARM_CPU(cs);
    CPUARMState *env = &cpu->env;
    const struct vpmu_arm *pmu = &cpu->vpmu->pmu;
    unsigned int ctx = pmu->count.ctx;
    /* With a threshold, all counters are settled after each instruction. */
    bool steps = vpmu_steps(pmu, ctx);
    uint64_t insns = vpmu_arm_headroom(pmu, INSNS, ctx);
    uint64_t others = steps ? UINT64_MAX
                            : vpmu_arm_headroom(pmu, untimed_sources(pmu), ctx);
    uint64_t sample = arm_parts_insns_left(cpu, ctx);
    bool shared = !steps && sample == UINT64_MAX &&
                  MIN(insns, others) >= VPMU_SHARED;
    VPMURoom room = new_room(cpu, MIN(insns, sample), others,
                             shared ? VPMU_PARTS : 1);

    if (shared && room.near) {
        shared = false;
        room = new_room(cpu, insns, others, 1);
    }
    set_near(env, room.near, steps);
    cpu->vpmu->room[ctx] = (ARMVPMURoom) {
        .limit = vpmu_limit(env->pmu.totals[ctx][ARM_PMU_INSNS], room.insns),
        .cycles_limit = vpmu_limit(env->pmu.totals[ctx][ARM_PMU_CYCLES],
                                   room.cycles),
        .budget = room.near ? 0 : room.budget,
        .soft = room.soft,
    };
    take_room(cpu, ctx);
    return shared;
}

/* Samples of SPE are counted in the context that the PMU knows. */
static void settle_cpu(CPUState *cs, bool moved)
{
    ARMCPU *cpu = ARM_CPU(cs);
    struct vpmu_arm *pmu = &cpu->vpmu->pmu;
    struct vpmu_now store;
    const struct vpmu_now *now;

    arm_parts_leaving(cpu);
    if (moved) {
        arm_vpmu_here(&cpu->env);
    }
    now = arm_vpmu_now_if(cpu, vpmu_arm_needs_time(pmu), &store);
    pmu_service(cs, vpmu_arm_settle(pmu, now));
}

const VPMULimitOps arm_vpmu_limit_ops = {
    .deadline = next_deadline,
    .find = find_limit,
    .settle = settle_cpu,
};

/* Saves the limit of a context that the CPU leaves. */
static void leave_limit(ARMCPU *cpu, unsigned int ctx)
{
    const CPUARMState *env = &cpu->env;

    cpu->vpmu->room[ctx] = (ARMVPMURoom) {
        .limit = env->pmu.limit,
        .cycles_limit = env->pmu.cycles_limit,
        .budget = env->pmu.budget,
        .soft = cpu->vpmu->soft,
    };
}

static void enter_limit(ARMCPU *cpu)
{
    if (!vpmu_limits_enter(&cpu->vpmu->limits)) {
        take_room(cpu, cpu->vpmu->pmu.count.ctx);
    }
}

static uint64_t insns_left(CPUARMState *env, unsigned int ctx)
{
    return vpmu_left(env->pmu.totals[ctx][ARM_PMU_INSNS], env->pmu.limit);
}

static uint64_t cycles_left(CPUARMState *env, unsigned int ctx)
{
    return vpmu_left(env->pmu.totals[ctx][ARM_PMU_CYCLES],
                     env->pmu.cycles_limit);
}

static bool at_limit(CPUARMState *env, unsigned int ctx)
{
    return !insns_left(env, ctx) || !cycles_left(env, ctx);
}

bool arm_vpmu_due(CPUARMState *env, unsigned int ctx)
{
    const struct vpmu_arm *pmu = &env_archcpu(env)->vpmu->pmu;

    if (at_limit(env, ctx)) {
        return true;
    }
    if (env->pmu.near) {
        return vpmu_arm_headroom(pmu, untimed_sources(pmu), ctx) == 0;
    }
    return env->pmu.budget == 0;
}

/* Performs an overflow that is due in context @ctx. */
static void settle_if_due(ARMCPU *cpu, unsigned int ctx)
{
    vpmu_limits_settle_if_due(&cpu->vpmu->limits,
                              arm_vpmu_due(&cpu->env, ctx),
                              vpmu_limits_time_due(&cpu->vpmu->limits));
}

/*
 * Is an exception being taken?  No time has passed then since
 * arm_vpmu_comes_first(), which has decided that no overflow comes before it.
 */
static bool is_time_decided(ARMCPU *cpu)
{
    const struct vpmu_arm *pmu = &cpu->vpmu->pmu;
    uint32_t exception = CPU(cpu)->exception_index;

    return exception < EXCP_INTERRUPT && pmu->count.counting &&
           arm_vpmu_counts_time(pmu);
}

void arm_vpmu_moved(CPUARMState *env)
{
    ARMCPU *cpu = env_archcpu(env);
    struct vpmu_arm *pmu;
    unsigned int from;
    bool decided;

    if (!cpu->vpmu) {
        return;
    }
    pmu = &cpu->vpmu->pmu;
    from = pmu->count.ctx;
    if (!pmu->count.counting && !pmu->watch && !env->pmu.brbe_enabled &&
        !env->pmu.spe_enabled) {
        return;
    }
    decided = is_time_decided(cpu);
    vpmu_limits_settle_if_due(&cpu->vpmu->limits, arm_vpmu_due(env, from),
                              !decided &&
                              vpmu_limits_time_due(&cpu->vpmu->limits));
    arm_parts_leaving(cpu);
    leave_limit(cpu, from);
    arm_vpmu_enter_context(cpu, decided);
    arm_parts_arrived(cpu);
    enter_limit(cpu);
    if (vpmu_arm_time_differs(pmu, from, pmu->count.ctx) ||
        vpmu_arm_watch_times(pmu)) {
        vpmu_limits_update_timer(&cpu->vpmu->limits);
    }
    if (env->pmu.model) {
        arm_vpmu_model_moved(env);
    }
}

void arm_vpmu_sync(CPUARMState *env)
{
    ARMCPU *cpu = env_archcpu(env);

    if (cpu->vpmu &&
        (vpmu_limits_time_due(&cpu->vpmu->limits) ||
         arm_vpmu_due(env, cpu->vpmu->pmu.count.ctx))) {
        BQL_LOCK_GUARD();
        settle_if_due(cpu, cpu->vpmu->pmu.count.ctx);
    }
}

void arm_vpmu_exec_enter(CPUState *cs)
{
    ARMCPU *cpu = ARM_CPU(cs);

    if (cpu->vpmu && at_limit(&cpu->env, cpu->vpmu->pmu.count.ctx)) {
        BQL_LOCK_GUARD();
        settle_if_due(cpu, cpu->vpmu->pmu.count.ctx);
    }
}

/* Called if a block would exceed the limit of cycles. */
static uint64_t cut_block(CPUARMState *env, unsigned int ctx,
                          uint64_t stalled)
{
    uint64_t left = vpmu_cut(insns_left(env, ctx),
                             cycles_left(env, ctx), stalled);

    env->pmu.limit = vpmu_limit(env->pmu.totals[ctx][ARM_PMU_INSNS], left);
    env->pmu.cycles_limit = UINT64_MAX;
    env_archcpu(env)->vpmu->soft = false;
    return left;
}

uint64_t arm_vpmu_insns_left(CPUARMState *env, unsigned int n,
                             unsigned int stalls)
{
    ARMCPU *cpu = env_archcpu(env);
    unsigned int ctx = arm_pmu_context(env);
    uint64_t stalled;

    if (unlikely(cpu->vpmu->pmu.count.ctx != ctx ||
                 EX_TBFLAG_ANY(env->hflags, PMU_TALLY) != ctx + 1)) {
        /*
         * The block tallies another context than the one that the limit is
         * for: a change of context was not announced.  Adopt it, because a
         * block must never be restarted forever.
         */
        BQL_LOCK_GUARD();
        arm_vpmu_moved(env);
        arm_rebuild_hflags(env);
    }
    if (at_limit(env, ctx)) {
        return 0;
    }
    if (cpu->vpmu->soft) {
        BQL_LOCK_GUARD();
        vpmu_limits_settle(&cpu->vpmu->limits, false);
    }
    stalled = (uint64_t)stalls * env->pmu.width;
    if (insns_left(env, ctx) >= n &&
        cycles_left(env, ctx) < n + stalled) {
        return cut_block(env, ctx, stalled);
    }
    return insns_left(env, ctx);
}

void arm_vpmu_step(CPUARMState *env)
{
    ARMCPU *cpu = env_archcpu(env);
    struct vpmu_arm *pmu = &cpu->vpmu->pmu;
    uint64_t total = env->pmu.totals[pmu->count.ctx][ARM_PMU_INSNS];
    struct vpmu_now now;
    bool timed = vpmu_arm_needs_time(pmu);
    int due = vpmu_arm_step(pmu, arm_vpmu_now_if(cpu, timed, &now));
    bool ended = due & VPMU_DUE_OVERFLOW;

    pmu_service(env_cpu(env), due);
    ended |= arm_parts_due(cpu, pmu->count.ctx);
    /* After an overflow, stop this block: an interrupt may be pending. */
    env->pmu.limit = total + !ended;
}

void arm_vpmu_request(CPUARMState *env)
{
    CPUState *cs = env_cpu(env);
    unsigned int ctx = env_archcpu(env)->vpmu->pmu.count.ctx;

    /*
     * The next block finds its limit used up and settles, unless that has been
     * done before.  The interrupt request below is not enough: a replay checks
     * for interrupts only where one was taken during the recording.
     */
    env->pmu.limit = env->pmu.totals[ctx][ARM_PMU_INSNS];
    BQL_LOCK_GUARD();
    qatomic_or(&cs->interrupt_request, CPU_INTERRUPT_PMU);
    qatomic_set(&cs->neg.icount_decr.u16.high, -1);
}

void arm_vpmu_stop_after(CPUARMState *env, uint64_t insns)
{
    unsigned int ctx = env_archcpu(env)->vpmu->pmu.count.ctx;

    if (insns < insns_left(env, ctx)) {
        env->pmu.limit = vpmu_limit(env->pmu.totals[ctx][ARM_PMU_INSNS], insns);
        env_archcpu(env)->vpmu->soft = false;
    }
}

bool arm_vpmu_overflows(CPUARMState *env)
{
    const struct vpmu_arm *pmu = &env_archcpu(env)->vpmu->pmu;

    return vpmu_arm_headroom(pmu, untimed_sources(pmu), pmu->count.ctx) == 0;
}

void arm_vpmu_near(CPUARMState *env)
{
    if (arm_vpmu_overflows(env)) {
        arm_vpmu_request(env);
    }
}

void arm_vpmu_overspent(CPUARMState *env)
{
    env->pmu.budget = 0;
    if (env->pmu.near) {
        arm_vpmu_near(env);
    } else {
        arm_vpmu_request(env);
    }
}

int arm_vpmu_interrupt(CPUState *cs)
{
    ARMCPU *cpu = ARM_CPU(cs);
    /* Interrupts that gdb keeps from being taken in a single step. */
    int masked = cs->singlestep_flags & SSTEP_NOIRQ
                 ? CPU_INTERRUPT_SSTEP_MASK : 0;

    cpu_reset_interrupt(cs, CPU_INTERRUPT_PMU);
    /* The flags of the next block may differ: look it up, do not chain. */
    qatomic_or(&cs->interrupt_request, CPU_INTERRUPT_EXITTB);
    settle_if_due(cpu, arm_vpmu_here(&cpu->env)->count.ctx);
    return qatomic_read(&cs->interrupt_request) & ~masked;
}
