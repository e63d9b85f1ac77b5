/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far an x86 CPU may go before counters of its PMU must be settled
 *
 * An overflow must be noticed at the event that causes it.
 * - Instructions and cycles have limits, which blocks check when they are
 *   entered.
 * - A branch ends its block, so a check at the start of each block is enough.
 * - An access does not end its block and can count as many events.  Half of the
 *   events up to the overflow become a limit of instructions, which the tally
 *   of loads, stores and fetches cannot exceed.  The other half is a budget for
 *   what helpers tally while instructions are executed.
 * - A counter of misses has a budget only: a helper tallies each miss, and
 *   notices the overflow.  So a rare event does not slow down other code.
 * - A clock has a deadline.
 * Far from all overflows, a limit stays valid while the CPU is in another
 * context.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "exec/translation-block.h"
#include "tcg/tcg.h"
#include "exec/replay-core.h"
#include "compat.h"
#include "private.h"

/*
 * Timed cycles have the rate of the virtual clock, 1 GHz.  Reference cycles are
 * those of the TSC, whose rate is the host's, or 1 GHz with icount.
 */
static struct vpmu_rate rate_of(unsigned int clock)
{
    struct vpmu_rate rate = { .ticks = 1, .ns = 1 };

    if (clock) {
        rate.ticks = x86_vpmu_tsc_hz() / 1000;
        rate.ns = 1000 * 1000;
    }
    return rate;
}

static uint64_t linear_ip(CPUX86State *env)
{
    return env->segs[R_CS].base + env->eip;
}

/* Returns in how many nanoseconds a counter that follows a clock overflows. */
static uint64_t time_left(X86CPU *cpu, unsigned int clock)
{
    const struct vpmu_x86 *pmu = &cpu->vpmu->pmu;
    vpmu_sources source = VPMU_SRC_BIT(VPMU_X86_SRC_CYCLES + clock);
    struct vpmu_rate rate = rate_of(clock);
    uint64_t left = pmu->config.timed & source
        ? vpmu_x86_headroom(pmu, source, pmu->count.ctx) : UINT64_MAX;

    if (left == UINT64_MAX) {
        return left;
    }
    left -= MIN(left, x86_vpmu_now(cpu).ticks[clock] - pmu->count.clock[clock]);
    return vpmu_rate_ns(&rate, left);
}

/* A halted CPU reaches no deadline. */
static int64_t next_deadline(CPUState *cs)
{
    X86CPU *cpu = X86_CPU(cs);
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    uint64_t left = UINT64_MAX;

    for (unsigned int i = 0;
         i < VPMU_CLOCK_COUNT && !cpu->vpmu->pmu.controls.halted; i++) {
        left = MIN(left, time_left(cpu, i));
    }
    return left < INT64_MAX - now ? now + left : INT64_MAX;
}

/* Settles between two instructions and writes the PEBS records that are due. */
static void settle_cpu(CPUState *cs, bool moved)
{
    X86CPU *cpu = X86_CPU(cs);
    struct vpmu_x86 *pmu = &cpu->vpmu->pmu;
    struct vpmu_now now;

    if (moved) {
        x86_vpmu_here(cpu);
    }
    pmu_service(cs, vpmu_x86_settle(pmu,
                                    x86_vpmu_now_if(cpu,
                                                    vpmu_x86_needs_time(pmu),
                                                    &now)));
    if (cpu->vpmu->pmu.regs.due) {
        x86_vpmu_record(cpu, linear_ip(&cpu->env));
    }
}

static uint64_t total_of(X86CPU *cpu, unsigned int source)
{
    return cpu->env.pmu.totals[cpu->vpmu->pmu.count.ctx][source];
}

static uint64_t insns_total(X86CPU *cpu)
{
    return total_of(cpu, X86_PMU_INSNS);
}

/* Returns the limits of the present context. */
static X86PMURoom *room_of(X86CPU *cpu)
{
    return &cpu->env.pmu.room[cpu->vpmu->pmu.count.ctx];
}

/* Returns how many slots may pass. */
static uint64_t cycles_left(X86CPU *cpu)
{
    return vpmu_left(total_of(cpu, X86_PMU_CYCLES),
                     room_of(cpu)->cycles_limit);
}

/*
 * Returns how many instructions may be executed until counters must be settled.
 * Each instruction takes at least one slot.
 */
static uint64_t insns_left(X86CPU *cpu)
{
    return MIN(vpmu_left(insns_total(cpu), room_of(cpu)->limit),
               cycles_left(cpu));
}

static void set_left(X86CPU *cpu, uint64_t left)
{
    room_of(cpu)->limit = vpmu_limit(insns_total(cpu), left);
}

/* Is it important which instruction overflows a counter? */
static bool names_insn(X86CPU *cpu)
{
    return vpmu_x86_pebs_armed(&cpu->vpmu->pmu) || cpu->vpmu->accesses ||
           x86_ibs_tags(cpu);
}

/* The most an instruction counts of one event: a fetch, a read and a write. */
#define MOST_ACCESSES 3
/* The most floating-point operations of an instruction. */
#define MOST_OPERATIONS 16
/* The most cycles for which an instruction can stall. */
#define MOST_STALL 40
/* This close to an overflow, each instruction is executed alone. */
#define NEAR_EVENTS 8

/*
 * PEBS, IBS, and a recording of accesses: a record or sample holds the address
 * of the instruction that overflows a counter.  Stop before each instruction
 * that could be it; x86_vpmu_insns_left() then notes its address.  Blocks with
 * loads and stores stop by themselves, see may_describe().  Misses are noted by
 * the helper that tallies them, see execute_alone().
 */
static void stop_before(X86CPU *cpu, uint64_t left, uint64_t events)
{
    if (events != UINT64_MAX) {
        left = MIN(left, events > NEAR_EVENTS ? events : 1);
    }
    cpu->vpmu->soft = false;
    cpu->vpmu->hard = left - !!left;
    set_left(cpu, cpu->vpmu->hard);
}

QEMU_BUILD_BUG_ON(VPMU_PARTS < X86_PMU_CONTEXTS);

/* How many events of each kind may happen until a counter overflows. */
typedef struct VPMUHeadroom {
    uint64_t insns;
    uint64_t branches;
    uint64_t misses;
    /* Accesses that blocks tally. */
    uint64_t accesses;
    /* Accesses and misses, including those that only helpers tally. */
    uint64_t helpers;
    uint64_t fetches;
    /* Loads and stores, if one that overflows a counter must be noted. */
    uint64_t described;
    uint64_t cycles;
} VPMUHeadroom;

/* The sources of accesses that generated code tallies without a helper. */
#define BY_BLOCKS (ACCESSES | VPMU_SRC_BIT(VPMU_X86_SRC_L1I) |          \
                   VPMU_SRC_BIT(VPMU_X86_SRC_L1D_RD) |                  \
                   VPMU_SRC_BIT(VPMU_X86_SRC_L1D_WR))

/* Returns the sources that helpers tally while a block is executed. */
static vpmu_sources helper_sources(X86CPU *cpu)
{
    return ACCESSES | VPMU_X86_MODELLED |
           (x86_vpmu_models_cycles(cpu) ? PIPELINE : 0);
}

/* Returns how many of those one instruction can count. */
static unsigned int most_per_insn(X86CPU *cpu, uint64_t flags)
{
    bool cycles = (flags & X86_PMU_CYCLES_MASK) && x86_vpmu_models_cycles(cpu);

    return cycles ? 1 + MOST_STALL * cpu->env.pmu.width :
           flags & X86_PMU_DETAIL_MASK ? MOST_OPERATIONS : MOST_ACCESSES;
}

/* What blocks do not tally in the present context, no counter counts there. */
static VPMUHeadroom headroom(X86CPU *cpu)
{
    const struct vpmu_x86 *pmu = &cpu->vpmu->pmu;
    unsigned int ctx = pmu->count.ctx;
    uint64_t flags = cpu->env.pmu.flags_in[ctx];
    VPMUHeadroom all = {
        .cycles = UINT64_MAX,
        .insns = UINT64_MAX,
        .branches = UINT64_MAX,
        .misses = UINT64_MAX,
        .accesses = UINT64_MAX,
        .helpers = UINT64_MAX,
        .fetches = UINT64_MAX,
        .described = UINT64_MAX,
    };

    if (flags) {
        all.insns = vpmu_x86_headroom(pmu, INSNS, ctx);
    }
    if (flags & HF_PMU_EVENTS_MASK) {
        all.branches = vpmu_x86_headroom(pmu, BRANCHES, ctx);
    }
    if (flags & HF_PMU_PREDICT_MASK) {
        all.misses = vpmu_x86_headroom(pmu, MISSES, ctx);
    }
    if (flags & HF_PMU_MEMORY_MASK) {
        vpmu_sources by_blocks = BY_BLOCKS |
            (x86_vpmu_models_cycles(cpu) ? PIPELINE : 0);

        all.helpers = vpmu_x86_headroom(pmu, helper_sources(cpu), ctx);
        all.fetches = vpmu_x86_headroom(pmu, VPMU_SRC_BIT(VPMU_X86_SRC_L1I),
                                        ctx);
        if (flags & X86_PMU_DESCRIBED_MASK) {
            all.described = vpmu_x86_headroom(pmu, ACCESSES, ctx);
            by_blocks &= ~ACCESSES;
        }
        all.accesses = vpmu_x86_headroom(pmu, by_blocks, ctx);
    }
    if (flags & X86_PMU_DETAIL_MASK) {
        uint64_t left = vpmu_x86_headroom(pmu, VPMU_X86_DETAIL, ctx);

        all.accesses = MIN(all.accesses, left);
    }
    if (flags & X86_PMU_CYCLES_MASK) {
        all.cycles = vpmu_x86_headroom(pmu, PIPELINE, ctx);
    }
    if (flags & X86_PMU_STEP_MASK) {
        /* All counters are settled after each instruction. */
        all.cycles = UINT64_MAX;
        all.branches = UINT64_MAX;
        all.misses = UINT64_MAX;
    }
    return all;
}

/* Computes the limits of the context; returns whether they may be shared. */
static bool find_limit(CPUState *cs)
{
    X86CPU *cpu = X86_CPU(cs);
    X86VPMU *vpmu = cpu->vpmu;
    VPMUHeadroom all = headroom(cpu);
    uint64_t least = MIN(MIN(all.insns, all.branches), all.misses);
    uint64_t flags = cpu->env.pmu.flags_in[vpmu->pmu.count.ctx];
    unsigned int most = most_per_insn(cpu, flags);
    bool shared = !(flags & X86_PMU_STEP_MASK) &&
                  MIN(MIN(least, all.helpers), all.cycles) >= VPMU_SHARED;
    unsigned int parts = shared ? VPMU_PARTS : 1;
    uint64_t accesses = vpmu_part(all.accesses, 2 * parts);

    vpmu->only_helpers = all.accesses >= VPMU_SHARED;
    vpmu->alone = false;
    if (vpmu->sampling) {
        vpmu->sampling = false;
        x86_vpmu_set_flags(cpu);
    }
    room_of(cpu)->budget = MIN(MIN(accesses, vpmu_part(all.helpers, parts)),
                               INT64_MAX);
    /* No tally of a block overflows that has no more accesses than this. */
    room_of(cpu)->accesses =
        MIN(vpmu_part(all.described, parts), INT64_MAX) - 1;
    room_of(cpu)->fetches = MIN(vpmu_part(all.fetches, 2 * parts), INT64_MAX);
    room_of(cpu)->miss_limit = vpmu_limit(total_of(cpu, X86_PMU_BR_MISS),
                                          vpmu_part(all.misses, parts));
    room_of(cpu)->cycles_limit =
        vpmu_limit(total_of(cpu, X86_PMU_CYCLES),
                   vpmu_part(all.cycles, parts));
    if (accesses != UINT64_MAX) {
        accesses = MAX(accesses / most, !!all.accesses);
    }
    vpmu->hard = MIN(vpmu_part(all.insns, parts), accesses);
    vpmu->soft = shared || MIN(all.branches, accesses) < all.insns;
    if (!shared && names_insn(cpu)) {
        stop_before(cpu, MIN(least, all.cycles), accesses);
    } else {
        set_left(cpu, MIN(vpmu->hard, vpmu_part(all.branches, parts)));
    }
    return shared;
}

/*
 * While a limit is shared, no counter is close to its end and no instruction is
 * executed alone.
 */
const VPMULimitOps x86_vpmu_limit_ops = {
    .deadline = next_deadline,
    .find = find_limit,
    .settle = settle_cpu,
};

static void settle_if_due(X86CPU *cpu)
{
    vpmu_limits_settle_if_due(&cpu->vpmu->limits, !insns_left(cpu),
                              vpmu_limits_time_due(&cpu->vpmu->limits));
}

void x86_vpmu_settle_at_limit(X86CPU *cpu)
{
    if (!insns_left(cpu)) {
        settle_if_due(cpu);
    }
}

void x86_vpmu_moved(CPUX86State *env)
{
    X86CPU *cpu = env_archcpu(env);

    /* The timer finds overflows by the clock, unless the context matters. */
    if (env->pmu.clocks_follow || !insns_left(cpu)) {
        settle_if_due(cpu);
    }
    x86_vpmu_here(cpu);
    vpmu_limits_enter(&cpu->vpmu->limits);
    if (env->pmu.clocks_follow) {
        vpmu_limits_update_timer(&cpu->vpmu->limits);
    }
}

/*
 * Returns the interrupt that is taken now, of a counter or another one.  POLL
 * is not an interrupt and can wait.
 */
static int coming_interrupts(X86CPU *cpu)
{
    CPUState *cs = CPU(cpu);
    int pending = qatomic_read(&cs->interrupt_request) & ~CPU_INTERRUPT_POLL;

    return x86_cpu_pending_interrupt(cs, pending) &
           (CPU_INTERRUPT_NMI | CPU_INTERRUPT_HARD);
}

/* After POLL, an instruction would come before the NMI and might fault. */
static int nmi_before_poll(X86CPU *cpu, int interrupts)
{
    if (interrupts & CPU_INTERRUPT_POLL &&
        coming_interrupts(cpu) == CPU_INTERRUPT_NMI) {
        /* The CPU polls again after it has taken the NMI. */
        cpu_interrupt(CPU(cpu), CPU_INTERRUPT_POLL);
        interrupts &= ~CPU_INTERRUPT_POLL;
    }
    return interrupts;
}

int x86_vpmu_sync(X86CPU *cpu, int interrupts)
{
    CPUState *cs = CPU(cpu);

    if (!cpu->vpmu) {
        return interrupts;
    }
    if (cpu->vpmu->alone && insns_left(cpu)) {
        /* Interrupts come after the instruction that is executed again. */
        return 0;
    }
    if (!insns_left(cpu)) {
        settle_if_due(cpu);
        if (!(cs->singlestep_flags & SSTEP_NOIRQ)) {
            /* gdb does not want interrupts in a single step. */
            interrupts |= cs->interrupt_request & CPU_INTERRUPT_NMI;
        }
    } else if (names_insn(cpu) && coming_interrupts(cpu)) {
        /* An interrupt comes first: what was noted is not executed next. */
        vpmu_limits_update(&cpu->vpmu->limits);
    }
    return nmi_before_poll(cpu, interrupts);
}

/* Exceptions that prevent the instruction that raises them. */
#define FAULTS                                                          \
    ((1u << EXCP00_DIVZ) | (1u << EXCP05_BOUND) | (1u << EXCP06_ILLOP) | \
     (1u << EXCP07_PREX) | (1u << EXCP0A_TSS) | (1u << EXCP0B_NOSEG) |  \
     (1u << EXCP0C_STACK) | (1u << EXCP0D_GPF) | (1u << EXCP0E_PAGE) |  \
     (1u << EXCP10_COPR) | (1u << EXCP11_ALGN))

static bool is_fault(X86CPU *cpu)
{
    int32_t exception = CPU(cpu)->exception_index;

    return !cpu->env.exception_is_int && exception < 32 &&
           (FAULTS & (1u << exception));
}

/* Returns how many events of those that helpers tally may happen. */
static uint64_t events_left(X86CPU *cpu)
{
    const struct vpmu_x86 *pmu = &cpu->vpmu->pmu;

    return vpmu_x86_headroom(pmu, helper_sources(cpu), pmu->count.ctx);
}

static bool interrupt_comes_first(X86CPU *cpu)
{
    if (!insns_left(cpu)) {
        settle_if_due(cpu);
    } else if (replay_mode != REPLAY_MODE_PLAY || !replay_has_interrupt()) {
        /* A replay may have settled before and waits for this fault. */
        return false;
    }
    return coming_interrupts(cpu);
}

bool x86_vpmu_comes_first(X86CPU *cpu)
{
    if (cpu->vpmu && cpu->vpmu->alone && insns_left(cpu)) {
        /*
         * The noted instruction has not been executed: stop before the next
         * one.  Its fetch, or the load of one that then failed to store, may
         * nevertheless have overflowed a counter.
         */
        vpmu_limits_update(&cpu->vpmu->limits);
        if (!events_left(cpu)) {
            room_of(cpu)->limit = 0;
        }
    }
    if (!cpu->vpmu || !is_fault(cpu)) {
        return false;
    }
    if (!interrupt_comes_first(cpu)) {
        x86_ibs_faulted(cpu);
        return false;
    }
    /* The instruction has not been executed and will raise it again. */
    cpu->env.old_exception = -1;
    return true;
}

/* Allows less of a block of @n instructions that would exceed the cycles. */
static void cut_block(X86CPU *cpu, unsigned int n, uint64_t stalled)
{
    uint64_t cycles = cycles_left(cpu);
    uint64_t left = vpmu_left(insns_total(cpu), room_of(cpu)->limit);

    if (cycles < n + stalled) {
        set_left(cpu, vpmu_cut(left, cycles, stalled));
        room_of(cpu)->cycles_limit = UINT64_MAX;
        cpu->vpmu->limits.shared = 0;
    }
}

/* May one of the accesses of the block have to be noted? */
static bool may_describe(X86CPU *cpu, unsigned int accesses)
{
    return room_of(cpu)->accesses < (int64_t)accesses;
}

uint64_t x86_vpmu_insns_left(CPUX86State *env, unsigned int n,
                             unsigned int stalls, unsigned int accesses)
{
    X86CPU *cpu = env_archcpu(env);

    if (cpu->vpmu->alone && cpu->vpmu->noted == linear_ip(env) &&
        insns_left(cpu)) {
        /* It has been noted, but has not been executed yet. */
        return 1;
    }
    if (!insns_left(cpu) || cpu->vpmu->soft ||
        may_describe(cpu, accesses)) {
        vpmu_limits_settle(&cpu->vpmu->limits, false);
    }
    if (names_insn(cpu) &&
        (!insns_left(cpu) || may_describe(cpu, accesses))) {
        x86_vpmu_note(cpu);
        set_left(cpu, 1);
        cpu->vpmu->alone = !coming_interrupts(cpu);
    }
    if (cpu->vpmu->soft && insns_left(cpu) < n) {
        /* If the block has a branch, it is the last instruction. */
        set_left(cpu, MIN(cpu->vpmu->hard, n));
    }
    cut_block(cpu, n, (uint64_t)stalls * env->pmu.width);
    return insns_left(cpu);
}

/* Is the present instruction, or element, the noted one, not yet executed? */
static bool begins_again(X86CPU *cpu)
{
    const X86VPMU *vpmu = cpu->vpmu;

    return vpmu->alone && vpmu->noted == linear_ip(&cpu->env) &&
           vpmu->noted_insns == insns_total(cpu) &&
           vpmu->noted_element == cpu->env.pmu.elements;
}

void x86_vpmu_step(CPUX86State *env)
{
    X86CPU *cpu = env_archcpu(env);
    struct vpmu_x86 *pmu = &cpu->vpmu->pmu;
    uint64_t total = insns_total(cpu);
    bool sampling = cpu->vpmu->sampling;
    struct vpmu_now now;
    int due;
    bool stops;

    if (begins_again(cpu)) {
        /* Its events so far belong to the same cycle as those to come. */
        return;
    }
    due = vpmu_x86_step(pmu, x86_vpmu_now_if(cpu, vpmu_x86_needs_time(pmu),
                                             &now));
    /* After an overflow, stop this block: an interrupt may be pending. */
    stops = due & VPMU_DUE_OVERFLOW;
    pmu_service(CPU(cpu), due);
    /*
     * The noted instruction, or element, has been executed.  A block that
     * reports its accesses does not find out whether it has to be noted, too.
     */
    stops |= sampling;
    room_of(cpu)->limit = total + !(stops || pmu->regs.due);
}

/*
 * Executes the present instruction again, alone and before anything else, and
 * settles after it.  What its accesses missed is known already: they hit now.
 */
static G_NORETURN void execute_alone(X86CPU *cpu, uintptr_t ra)
{
    CPUState *cs = CPU(cpu);

    cpu_restore_state(cs, ra);
    x86_vpmu_note(cpu);
    cpu->vpmu->sampled = cpu->vpmu->pending;
    set_left(cpu, 1);
    room_of(cpu)->budget = 0;
    room_of(cpu)->cycles_limit = UINT64_MAX;
    cpu_loop_exit_max_insns(cs, 1);
}

/*
 * May an access of the next blocks have to be noted?  Helpers tally more
 * accesses than blocks know, so the blocks' limit has to be found again.
 */
static bool nears_access(X86CPU *cpu)
{
    const struct vpmu_x86 *pmu = &cpu->vpmu->pmu;
    unsigned int ctx = pmu->count.ctx;

    return cpu->env.pmu.flags_in[ctx] & X86_PMU_DESCRIBED_MASK &&
           vpmu_x86_headroom(pmu, ACCESSES, ctx) <= X86_PMU_NEAR_ACCESSES;
}

/*
 * Called when the budget is used up; returns whether a counter has overflowed.
 * The tally includes the loads and stores of the rest of the block, so an
 * overflow may not have happened yet, but none has been missed.  The block may
 * use the remaining events, and the next block finds its limit used up, unless
 * only helpers tally for the counter.  If no counter has overflowed, the limit
 * is not 0, so that an instruction which is executed again alone completes.
 */
static bool is_due(X86CPU *cpu)
{
    uint64_t events = events_left(cpu);

    room_of(cpu)->budget = MIN(events, INT64_MAX);
    if (!events || !cpu->vpmu->only_helpers || nears_access(cpu)) {
        room_of(cpu)->limit = events ? insns_total(cpu) : 0;
    }
    return events == 0;
}

/* Has the present instruction made an access that is split? */
static bool is_split(CPUX86State *env)
{
    unsigned int ctx = env_archcpu(env)->vpmu->pmu.count.ctx;

    return env->pmu.more_split &&
           env->pmu.more_insns == env->pmu.totals[ctx][X86_PMU_INSNS];
}

void x86_vpmu_spend(X86CPU *cpu, unsigned int most, uintptr_t ra)
{
    X86PMURoom *room = room_of(cpu);

    room->budget -= most;
    if (likely(room->budget > 0) || !is_due(cpu)) {
        return;
    }
    /*
     * A split access counts again when it is executed again, so this must not
     * happen a second time.  The atomic execution of a locked instruction finds
     * new limits after it has been noted.
     */
    if (tcg_tb_lookup(ra)->icount > 1 ||
        (names_insn(cpu) && !cpu->vpmu->alone &&
         !((cpu->vpmu->sampled.all.locked || is_split(&cpu->env)) &&
           x86_vpmu_is_noted_element(&cpu->env)))) {
        execute_alone(cpu, ra);
    }
}

void x86_vpmu_spend_fetch(X86CPU *cpu, uint64_t pc, uintptr_t ra)
{
    bool was_due = !room_of(cpu)->limit;

    cpu->vpmu->pending = (X86Accesses) { };
    x86_vpmu_spend(cpu, cpu->env.pmu.most_per_line, ra);
    if (!was_due && !room_of(cpu)->limit && pc != cpu->vpmu->noted) {
        /*
         * An instruction that is not counted, as INT, is not noted.  The noted
         * one before it did not overflow the counter.
         */
        cpu->vpmu->noted_insns = UINT64_MAX - 1;
    }
}

void x86_vpmu_spent(CPUX86State *env)
{
    is_due(env_archcpu(env));
}
