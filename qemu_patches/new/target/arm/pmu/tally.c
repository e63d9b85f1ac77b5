/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What an Arm CPU tallies for its PMU, and how far it may go
 *
 * Generated code adds to the totals of a context what is armed there; see
 * target/arm/pmu/translate.c.  An overflow must be noticed at the event
 * that causes it.  Of instructions and cycles we know how many may pass
 * before; blocks stop there.  Other events are rarer than instructions: while
 * a counter of them is far from its end, nothing is checked but a number of
 * instructions that cannot take it there, and a budget of what models tally.
 * Close to the end, blocks end after each instruction that may cause an event,
 * and check.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "internals.h"
#include "system/tcg.h"
#include "private.h"
#include "vpmu/deadline.h"
#include "vpmu/insn.h"
#include "vpmu/pmu.h"

QEMU_BUILD_BUG_ON(sizeof(struct vpmu_totals) !=
                  sizeof_field(CPUARMState, pmu.totals));
QEMU_BUILD_BUG_ON(VPMU_CTX_COUNT != ARM_PMU_CONTEXTS);
QEMU_BUILD_BUG_ON(VPMU_SRC_COUNT != (int)ARM_PMU_SOURCES);
QEMU_BUILD_BUG_ON(VPMU_SRC_INST_RETIRED != (int)ARM_PMU_INSNS);
QEMU_BUILD_BUG_ON(VPMU_SRC_LD_RETIRED != (int)ARM_PMU_LD);
QEMU_BUILD_BUG_ON(VPMU_SRC_ST_RETIRED != (int)ARM_PMU_ST);
QEMU_BUILD_BUG_ON(VPMU_SRC_BR_IMMED != (int)ARM_PMU_BR_IMMED);
QEMU_BUILD_BUG_ON(VPMU_SRC_BR_INDIRECT != (int)ARM_PMU_BR_INDIRECT);
QEMU_BUILD_BUG_ON(VPMU_SRC_PC_WRITE != (int)ARM_PMU_PC_WRITE);
QEMU_BUILD_BUG_ON(VPMU_SRC_INSN_END != (int)ARM_PMU_INSN_SOURCES);
QEMU_BUILD_BUG_ON(VPMU_SRC_UNALIGNED != (int)ARM_PMU_UNALIGNED);
QEMU_BUILD_BUG_ON(VPMU_SRC_EXC_UNDEF != (int)ARM_PMU_EXC_UNDEF);
QEMU_BUILD_BUG_ON(VPMU_SRC_EXC_TRAP_FIQ != (int)ARM_PMU_EXC_TRAP_FIQ);
QEMU_BUILD_BUG_ON(VPMU_SRC_CPU_CYCLES != (int)ARM_PMU_CYCLES);
QEMU_BUILD_BUG_ON(VPMU_SRC_L1D_CACHE_RD != (int)ARM_PMU_L1D_RD);
QEMU_BUILD_BUG_ON(VPMU_SRC_L1D_CACHE_WR != (int)ARM_PMU_L1D_WR);
QEMU_BUILD_BUG_ON(VPMU_SRC_STALL_BACKEND != (int)ARM_PMU_STALL_BACKEND);
QEMU_BUILD_BUG_ON(VPMU_SRC_STALL_SLOT != (int)ARM_PMU_STALL_SLOT);

#define INSNS VPMU_SRC_BIT(VPMU_SRC_INST_RETIRED)
#define EXCEPTIONS MAKE_64BIT_MASK(VPMU_SRC_EXC_UNDEF, \
                                   VPMU_SRC_CPU_CYCLES - VPMU_SRC_EXC_UNDEF)
#define CYCLES (VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES) | \
                VPMU_SRC_BIT(VPMU_SRC_STALL_FRONTEND) | \
                VPMU_SRC_BIT(VPMU_SRC_STALL_BACKEND) | \
                VPMU_SRC_BIT(VPMU_SRC_STALL_SLOT))
#define MEMORY MAKE_64BIT_MASK(VPMU_SRC_L1I_CACHE, \
                               VPMU_SRC_BR_MIS_PRED - VPMU_SRC_L1I_CACHE)
#define MODELS (ARM_PMU_MEMORY | ARM_PMU_BRANCHES | ARM_PMU_MODEL_CYCLES)

/* What blocks tally, or an exception, or helpers that models are fed by. */
#define OF_BLOCKS (MAKE_64BIT_MASK(1, ARM_PMU_UNALIGNED) | \
                   VPMU_SRC_BIT(VPMU_SRC_L1D_CACHE_RD) | \
                   VPMU_SRC_BIT(VPMU_SRC_L1D_CACHE_WR))
#define OF_BRANCHES VPMU_SRC_BIT(VPMU_SRC_BR_MIS_PRED)

/*
 * A counter this close to its end has blocks check for it.  After a helper
 * that models are fed by the rest of the block is still executed: so many
 * accesses, of some lines each, but no more than one branch.
 */
#define NEAR_BLOCKS   128
#define NEAR_MODELS   (ARM_PMU_MOST_ACCESSES * 32)
#define NEAR_BRANCHES 2
/* What an instruction counts for at most, models left aside. */
#define MOST_EVENTS 4
#define MOST_STALL  UINT8_MAX
/* So far from its end a counter needs no closer look. */
#define FAR (1 << 28)

/* What is tallied: not clocks, nor stalls of a pipeline that is not there. */
static uint64_t vpmu_tallied(const struct vpmu *pmu)
{
    bool clock = pmu->config.timed & VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES);

    return VPMU_SRC_ALL & ~pmu->config.timed & ~(clock ? CYCLES : 0);
}

static uint64_t vpmu_untimed(const struct vpmu *pmu)
{
    return vpmu_tallied(pmu) & ~INSNS;
}

int64_t arm_vpmu_now(ARMCPU *cpu)
{
    return cpu->vpmu && cpu->vpmu->moment
           ? cpu->vpmu->moment : qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

/* Of CPU_CYCLES and CNT_CYCLES: a tick in so many nanoseconds. */
static void vpmu_rates(ARMCPU *cpu, struct vpmu_rate rate[VPMU_CLOCK_COUNT])
{
    rate[0] = (struct vpmu_rate) {
        .ticks = 1, .ns = NANOSECONDS_PER_SECOND / ARM_CPU_FREQ,
    };
    rate[1] = (struct vpmu_rate) {
        .ticks = 1, .ns = gt_cntfrq_period_ns(cpu),
    };
}

uint64_t arm_vpmu_clock(void *opaque, enum vpmu_source source)
{
    struct vpmu_rate rate[VPMU_CLOCK_COUNT];

    vpmu_rates(opaque, rate);
    return vpmu_rate_ticks(&rate[source - VPMU_SRC_CPU_CYCLES],
                           arm_vpmu_now(opaque));
}

void arm_vpmu_update_timer(ARMCPU *cpu)
{
    struct vpmu_rate rate[VPMU_CLOCK_COUNT];
    QEMUTimer *timer = cpu->vpmu->timer;
    int64_t deadline;

    vpmu_rates(cpu, rate);
    deadline = MIN(vpmu_deadline(&cpu->vpmu->pmu, rate), INT64_MAX);
    cpu->vpmu->deadline = deadline;
    /*
     * A deadline that goes, or moves on, does so at every change of exception
     * level where a counter counts one level only: the timer stays.
     */
    if (deadline != INT64_MAX &&
        (!timer_pending(timer) || timer_expire_time_ns(timer) > deadline)) {
        timer_mod(timer, deadline);
    }
}

bool arm_vpmu_time_due(ARMCPU *cpu)
{
    return cpu->vpmu->deadline != INT64_MAX &&
           arm_vpmu_now(cpu) >= cpu->vpmu->deadline;
}

/* Generated code depends on it. */
static void vpmu_set_near(CPUARMState *env, bool near)
{
    if (near != env->pmu.near) {
        env->pmu.near = near;
        if (tcg_enabled()) {
            arm_rebuild_hflags(env);
        }
    }
}

/* Does a counter with a threshold count here? */
static bool vpmu_steps(const struct vpmu *pmu, unsigned int ctx)
{
    return pmu->count.paced & pmu->count.in_ctx[ctx];
}

/* How far a context may go. */
typedef struct VPMURoom {
    uint64_t insns;
    /* No counter is due there. */
    bool soft;
    uint64_t cycles;
    uint64_t budget;
    bool near;
} VPMURoom;

/* Models tally them, so that the last @near of them need a closer look. */
static void vpmu_take_budget(VPMURoom *room, uint64_t events, uint64_t near)
{
    if (events <= near + 1) {
        room->near = true;
    } else if (events != UINT64_MAX) {
        room->budget = MIN(room->budget, (events - near) / 2);
    }
}

/* Some counter is not far from its end. */
static void vpmu_look_closer(ARMCPU *cpu, VPMURoom *room)
{
    const struct vpmu *pmu = &cpu->vpmu->pmu;
    unsigned int ctx = pmu->count.ctx;
    uint64_t tallied = vpmu_tallied(pmu);
    uint64_t blocks = vpmu_headroom(pmu, OF_BLOCKS & tallied, ctx);

    room->cycles = vpmu_headroom(pmu, CYCLES & tallied, ctx);
    room->budget = vpmu_headroom(pmu, EXCEPTIONS & tallied, ctx);
    vpmu_take_budget(room, vpmu_headroom(pmu, OF_BRANCHES & tallied, ctx),
                     NEAR_BRANCHES);
    vpmu_take_budget(room, vpmu_headroom(pmu, MEMORY & tallied, ctx),
                     NEAR_MODELS);
    if (cpu->pmu_config.model->cycles == VPMU_CYCLES_MODEL) {
        vpmu_take_budget(room, room->cycles, NEAR_MODELS);
        if (!room->near && room->cycles != UINT64_MAX) {
            /* The other half of the way is what helpers may take. */
            room->cycles = (room->cycles - NEAR_MODELS) / 2;
        }
    }
    if (blocks <= NEAR_BLOCKS) {
        room->near = true;
    } else if (blocks != UINT64_MAX) {
        /* Helpers tally accesses as well: half is for them. */
        blocks = (blocks - NEAR_BLOCKS / 2) / 2 / MOST_EVENTS;
        room->soft = blocks < room->insns;
        room->insns = MIN(room->insns, blocks);
    }
}

static uint64_t vpmu_limit(uint64_t total, uint64_t room)
{
    return room > UINT64_MAX - total ? UINT64_MAX : total + room;
}

void arm_vpmu_update_limit(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;
    const struct vpmu *pmu = &cpu->vpmu->pmu;
    unsigned int ctx = pmu->count.ctx;
    VPMURoom room = {
        .insns = vpmu_headroom(pmu, INSNS, ctx),
        .cycles = UINT64_MAX,
        .budget = UINT64_MAX,
    };
    uint64_t others = UINT64_MAX;

    /* With a threshold all counters are settled after each instruction. */
    if (!vpmu_steps(pmu, ctx)) {
        others = vpmu_headroom(pmu, vpmu_untimed(pmu), ctx);
    }
    if (others < FAR) {
        vpmu_look_closer(cpu, &room);
    } else if (others != UINT64_MAX) {
        room.budget = others / 2;
        others /= 2 * (1 + MOST_STALL * env->pmu.width);
        room.soft = others < room.insns;
        room.insns = MIN(room.insns, others);
    }
    vpmu_set_near(env, room.near);
    cpu->vpmu->soft = room.soft;
    env->pmu.budget = room.near ? 0 : room.budget;
    env->pmu.limit = vpmu_limit(env->pmu.totals[ARM_PMU_INSNS][ctx],
                                room.insns);
    env->pmu.cycles_limit = vpmu_limit(env->pmu.totals[ARM_PMU_CYCLES][ctx],
                                       room.cycles);
}

/* What blocks in a context are to count besides instructions. */
static uint32_t vpmu_block_events(ARMCPU *cpu, unsigned int ctx,
                                  uint64_t armed)
{
    const struct vpmu *pmu = &cpu->vpmu->pmu;
    uint32_t events = armed & MAKE_64BIT_MASK(1, ARM_PMU_UNALIGNED);

    if (armed & MEMORY) {
        events |= ARM_PMU_MEMORY;
    }
    if (armed & VPMU_SRC_BIT(VPMU_SRC_BR_MIS_PRED)) {
        events |= ARM_PMU_BRANCHES;
    }
    if (armed & CYCLES) {
        events |= cpu->pmu_config.model->cycles == VPMU_CYCLES_MODEL
                  ? MODELS : ARM_PMU_MODEL_CYCLES;
    }
    if (vpmu_steps(pmu, ctx)) {
        events |= ARM_PMU_STEP;
    }
    return events;
}

static bool vpmu_update_events(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;
    const struct vpmu *pmu = &cpu->vpmu->pmu;
    uint32_t contexts = 0;
    uint32_t models = 0;
    bool changed = false;

    for (unsigned int ctx = 0; ctx < VPMU_CTX_COUNT; ctx++) {
        uint64_t armed = vpmu_armed(pmu, ctx) & vpmu_tallied(pmu);
        uint32_t events = vpmu_block_events(cpu, ctx, armed);

        changed |= events != env->pmu.events[ctx];
        env->pmu.events[ctx] = events;
        if (armed & ~EXCEPTIONS) {
            contexts |= 1u << ctx;
        }
        models |= events & (ARM_PMU_MEMORY | ARM_PMU_BRANCHES);
    }
    if (models) {
        arm_vpmu_model_start(cpu);
    }
    arm_vpmu_model_feed(cpu, models & ARM_PMU_MEMORY);
    changed |= contexts != env->pmu.contexts;
    env->pmu.contexts = contexts;
    return changed;
}

void arm_vpmu_rearm(void *opaque)
{
    ARMCPU *cpu = opaque;

    if (vpmu_update_events(cpu) && tcg_enabled()) {
        arm_rebuild_hflags(&cpu->env);
    }
    arm_vpmu_update_limit(cpu);
    arm_vpmu_update_timer(cpu);
}

/* What is left of a source until its limit; UINT64_MAX if it has none. */
static uint64_t vpmu_left(CPUARMState *env, unsigned int source,
                          unsigned int ctx, uint64_t limit)
{
    uint64_t total = env->pmu.totals[source][ctx];

    return limit == UINT64_MAX ? limit : limit > total ? limit - total : 0;
}

static uint64_t vpmu_insns_left(CPUARMState *env, unsigned int ctx)
{
    return vpmu_left(env, ARM_PMU_INSNS, ctx, env->pmu.limit);
}

static uint64_t vpmu_cycles_left(CPUARMState *env, unsigned int ctx)
{
    return vpmu_left(env, ARM_PMU_CYCLES, ctx, env->pmu.cycles_limit);
}

static bool vpmu_at_limit(CPUARMState *env, unsigned int ctx)
{
    return !vpmu_insns_left(env, ctx) || !vpmu_cycles_left(env, ctx);
}

static bool vpmu_due(CPUARMState *env, const struct vpmu *pmu,
                     unsigned int ctx)
{
    if (vpmu_at_limit(env, ctx)) {
        return true;
    }
    return env->pmu.near ? vpmu_headroom(pmu, vpmu_untimed(pmu), ctx) == 0
                         : env->pmu.budget == 0;
}

void arm_vpmu_settle_if_due(ARMCPU *cpu, unsigned int ctx)
{
    bool time_due = arm_vpmu_time_due(cpu);

    if (time_due || vpmu_due(&cpu->env, &cpu->vpmu->pmu, ctx)) {
        vpmu_settle(&cpu->vpmu->pmu);
        arm_vpmu_update_limit(cpu);
    }
    if (time_due) {
        arm_vpmu_update_timer(cpu);
    }
}

void arm_vpmu_sync(CPUARMState *env)
{
    ARMCPU *cpu = env_archcpu(env);

    if (cpu->vpmu &&
        (arm_vpmu_time_due(cpu) ||
         vpmu_due(env, &cpu->vpmu->pmu, cpu->vpmu->pmu.count.ctx))) {
        BQL_LOCK_GUARD();
        arm_vpmu_settle_if_due(cpu, cpu->vpmu->pmu.count.ctx);
    }
}

void arm_vpmu_exec_enter(CPUState *cs)
{
    ARMCPU *cpu = ARM_CPU(cs);

    if (cpu->vpmu && vpmu_at_limit(&cpu->env, cpu->vpmu->pmu.count.ctx)) {
        BQL_LOCK_GUARD();
        arm_vpmu_settle_if_due(cpu, cpu->vpmu->pmu.count.ctx);
    }
}

uint64_t arm_vpmu_insns_left(CPUARMState *env, unsigned int n,
                             unsigned int stalls)
{
    ARMCPU *cpu = env_archcpu(env);
    unsigned int ctx = arm_pmu_context(env);
    uint64_t stalled = (uint64_t)stalls * env->pmu.width;
    uint64_t left, cycles;

    if (unlikely(cpu->vpmu->pmu.count.ctx != ctx ||
                 EX_TBFLAG_ANY(env->hflags, PMU_TALLY) != ctx + 1)) {
        /*
         * The limit is that of another context than the block was tallied
         * in: nobody said that the context has changed.  Whatever that was,
         * a block must not be restarted for ever.
         */
        BQL_LOCK_GUARD();
        arm_vpmu_moved(env);
        arm_rebuild_hflags(env);
    }
    left = vpmu_insns_left(env, ctx);
    cycles = vpmu_cycles_left(env, ctx);
    if (!left || !cycles) {
        return 0;
    }
    if (left < n && cpu->vpmu->soft) {
        BQL_LOCK_GUARD();
        vpmu_settle(&cpu->vpmu->pmu);
        arm_vpmu_update_limit(cpu);
        left = vpmu_insns_left(env, ctx);
    } else if (left >= n && cycles != UINT64_MAX) {
        /*
         * The block would take cycles past their limit.  Which of its
         * instructions stall is not known: so many as cannot get there, or
         * one, then all is settled.
         */
        left = MIN(left, cycles > stalled ? cycles - stalled : 1);
        env->pmu.limit = vpmu_limit(env->pmu.totals[ARM_PMU_INSNS][ctx], left);
        env->pmu.cycles_limit = UINT64_MAX;
        cpu->vpmu->soft = false;
    }
    return left;
}

void arm_vpmu_step(CPUARMState *env)
{
    ARMCPU *cpu = env_archcpu(env);
    ARMVPMU *vpmu = cpu->vpmu;
    struct vpmu *pmu = &vpmu->pmu;
    uint64_t total = env->pmu.totals[ARM_PMU_INSNS][pmu->count.ctx];
    bool ended;

    qemu_spin_lock(&vpmu->stepping_lock);
    vpmu->stepping = true;
    ended = vpmu_settle(pmu);
    vpmu->stepping = false;
    qemu_spin_unlock(&vpmu->stepping_lock);
    if (vpmu->samples_wait) {
        arm_vpmu_record_waiting(cpu);
    }
    if (vpmu->irq_waits) {
        vpmu->irq_waits = false;
        arm_vpmu_update_irq(cpu);
    }
    /* Past an overflow this block must not go on: an interrupt may be due. */
    env->pmu.limit = total + !ended;
}

/* Have this block, which we are in the middle of, be the last. */
static void vpmu_request(CPUARMState *env)
{
    CPUState *cs = env_cpu(env);
    unsigned int ctx = env_archcpu(env)->vpmu->pmu.count.ctx;

    /*
     * The next block finds its limit used up and settles, if nobody did before:
     * a replay looks at interrupts only where one was taken when it was
     * recorded.
     */
    env->pmu.limit = env->pmu.totals[ARM_PMU_INSNS][ctx];
    BQL_LOCK_GUARD();
    qatomic_or(&cs->interrupt_request, CPU_INTERRUPT_PMU);
    qatomic_set(&cs->neg.icount_decr.u16.high, -1);
}

void arm_vpmu_near(CPUARMState *env)
{
    const struct vpmu *pmu = &env_archcpu(env)->vpmu->pmu;

    if (vpmu_headroom(pmu, vpmu_untimed(pmu), pmu->count.ctx) == 0) {
        vpmu_request(env);
    }
}

void arm_vpmu_overspent(CPUARMState *env)
{
    env->pmu.budget = 0;
    if (env->pmu.near) {
        arm_vpmu_near(env);
    } else {
        vpmu_request(env);
    }
}

int arm_vpmu_interrupt(CPUState *cs)
{
    ARMCPU *cpu = ARM_CPU(cs);
    /* Which of them gdb does not want to be taken in a single step. */
    int masked = cs->singlestep_enabled & SSTEP_NOIRQ
                 ? CPU_INTERRUPT_SSTEP_MASK : 0;

    cpu_reset_interrupt(cs, CPU_INTERRUPT_PMU);
    /* The next block may have to count other things than the last one. */
    qatomic_or(&cs->interrupt_request, CPU_INTERRUPT_EXITTB);
    arm_vpmu_settle_if_due(cpu, arm_vpmu_here(&cpu->env)->count.ctx);
    return qatomic_read(&cs->interrupt_request) & ~masked;
}

/*
 * What an instruction counts as
 */

uint32_t arm_vpmu_decode(int isa, uint32_t insn, unsigned int *stall)
{
    uint64_t sources;

    switch (isa) {
    case ARM_PMU_ISA_A64:
        sources = vpmu_insn_a64(insn);
        *stall = vpmu_insn_a64_stall(insn);
        break;
    case ARM_PMU_ISA_A32:
        sources = vpmu_insn_a32(insn);
        *stall = vpmu_insn_a32_stall(insn);
        break;
    default:
        sources = vpmu_insn_t32(insn);
        *stall = vpmu_insn_t32_stall(insn);
        break;
    }
    return sources & ~INSNS;
}

/*
 * Exceptions
 */

/* By kind; the second is for those that are not taken locally. */
static const struct {
    uint8_t local;
    uint8_t trap;
} vpmu_exceptions[] = {
    [EXCP_SWI] = { VPMU_SRC_EXC_SVC, VPMU_SRC_EXC_TRAP_OTHER },
    [EXCP_PREFETCH_ABORT] = { VPMU_SRC_EXC_PABORT, VPMU_SRC_EXC_TRAP_PABORT },
    [EXCP_DATA_ABORT] = { VPMU_SRC_EXC_DABORT, VPMU_SRC_EXC_TRAP_DABORT },
    [EXCP_VSERR] = { VPMU_SRC_EXC_DABORT, VPMU_SRC_EXC_TRAP_DABORT },
    [EXCP_IRQ] = { VPMU_SRC_EXC_IRQ, VPMU_SRC_EXC_TRAP_IRQ },
    [EXCP_VIRQ] = { VPMU_SRC_EXC_IRQ, VPMU_SRC_EXC_TRAP_IRQ },
    [EXCP_NMI] = { VPMU_SRC_EXC_IRQ, VPMU_SRC_EXC_TRAP_IRQ },
    [EXCP_VINMI] = { VPMU_SRC_EXC_IRQ, VPMU_SRC_EXC_TRAP_IRQ },
    [EXCP_FIQ] = { VPMU_SRC_EXC_FIQ, VPMU_SRC_EXC_TRAP_FIQ },
    [EXCP_VFIQ] = { VPMU_SRC_EXC_FIQ, VPMU_SRC_EXC_TRAP_FIQ },
    [EXCP_VFNMI] = { VPMU_SRC_EXC_FIQ, VPMU_SRC_EXC_TRAP_FIQ },
    [EXCP_SMC] = { VPMU_SRC_EXC_SMC, VPMU_SRC_EXC_SMC },
    [EXCP_HVC] = { VPMU_SRC_EXC_HVC, VPMU_SRC_EXC_HVC },
};

/* From EL0 or EL1 to EL1; from EL2, or EL0 below it, to EL2; EL3 to EL3. */
static bool vpmu_is_local(CPUARMState *env)
{
    unsigned int from = arm_current_el(env);
    unsigned int to = env->exception.target_el;

    if (to == 2 && from == 0) {
        return arm_hcr_el2_eff(env) & HCR_TGE;
    }
    return to == MAX(from, 1);
}

/* SVC and its kin: the PC is past them, and they count as executed. */
static bool vpmu_is_call(unsigned int kind)
{
    return kind == EXCP_SWI || kind == EXCP_HVC || kind == EXCP_SMC;
}

/* Can the instruction that causes this exception be executed again instead? */
static bool vpmu_can_repeat(CPUARMState *env, unsigned int kind)
{
    switch (kind) {
    case EXCP_SWI:
    case EXCP_HVC:
    case EXCP_SMC:
        /* What IT or a step left of their state is gone. */
        return (is_a64(env) || !env->thumb) &&
               !EX_TBFLAG_ANY(env->hflags, SS_ACTIVE);
    case EXCP_UDEF:
    case EXCP_PREFETCH_ABORT:
    case EXCP_DATA_ABORT:
    case EXCP_HYP_TRAP:
    case EXCP_MON_TRAP:
    case EXCP_BKPT:
    case EXCP_GPC:
        return true;
    default:
        return false;
    }
}

/* Undo a call: it is going to be executed after the interrupt. */
static void vpmu_undo_call(CPUARMState *env)
{
    arm_pmu_uncount_insn(env);
    if (is_a64(env)) {
        env->pc -= 4;
    } else {
        env->regs[15] -= 4;
    }
}

bool arm_vpmu_comes_first(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;
    CPUState *cs = CPU(cpu);
    unsigned int kind = cs->exception_index;
    bool counted, timed;

    if (!cpu->vpmu) {
        return false;
    }
    /* A sample is of what goes on before the exception. */
    vpmu_sample(&cpu->vpmu->pmu);
    if (!cpu->vpmu->pmu.count.counting) {
        return false;
    }
    /* One moment decides whether an overflow came before or comes after. */
    cpu->vpmu->moment = arm_vpmu_now(cpu);
    if (!vpmu_can_repeat(env, kind)) {
        return false;
    }
    counted = vpmu_due(env, &cpu->vpmu->pmu, cpu->vpmu->pmu.count.ctx);
    timed = arm_vpmu_time_due(cpu);
    if (vpmu_is_call(kind) ? counted || !timed : !counted && !timed) {
        /* What a call itself makes overflow does so when it has been taken. */
        return false;
    }
    arm_vpmu_settle_if_due(cpu, cpu->vpmu->pmu.count.ctx);
    if (!tcg_enabled() || !cpu->vpmu->pmu.irq ||
        !arm_cpu_has_unmasked_interrupt(cs)) {
        return false;
    }
    if (vpmu_is_call(kind)) {
        vpmu_undo_call(env);
    }
    cpu->vpmu->moment = 0;
    return true;
}

void arm_vpmu_exception(ARMCPU *cpu)
{
    CPUARMState *env = &cpu->env;
    unsigned int kind = CPU(cpu)->exception_index;
    bool local = vpmu_is_local(env);
    unsigned int source = local ? VPMU_SRC_EXC_UNDEF
                                : VPMU_SRC_EXC_TRAP_OTHER;

    if (!cpu->vpmu ||
        (!cpu->vpmu->pmu.count.counting && !cpu->vpmu->pmu.watch)) {
        return;
    }
    if (kind != EXCP_SWI && kind != EXCP_SMC && kind != EXCP_HVC &&
        vpmu_steps(&cpu->vpmu->pmu, cpu->vpmu->pmu.count.ctx)) {
        /* The last instruction's cycles are over: it is not among them. */
        vpmu_settle(&cpu->vpmu->pmu);
    }
    if (kind < ARRAY_SIZE(vpmu_exceptions) && vpmu_exceptions[kind].local) {
        source = local ? vpmu_exceptions[kind].local
                       : vpmu_exceptions[kind].trap;
    }
    env->pmu.totals[source][arm_pmu_context(env)]++;
    if (env->pmu.budget && !--env->pmu.budget) {
        vpmu_request(env);
    }
}
