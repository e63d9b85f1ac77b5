/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far an x86 CPU may go before counters of its PMU must be settled
 *
 * An overflow must be noticed at the event that causes it.  No instruction is
 * two instructions or branches, so the limit is one of instructions.
 * Branches end their blocks: there it is enough to look at each block's start.
 * Accesses do not, and one of them can count as many events: half of the way to
 * an overflow is a limit of instructions, which reads and writes of theirs
 * cannot pass, the other half a budget of what is tallied while they are
 * executed.  Clocks have a deadline.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "exec/translation-block.h"
#include "tcg/tcg.h"
#include "compat.h"
#include "private.h"

/*
 * Cycles are those of the virtual clock, 1 GHz, and so are reference cycles,
 * whatever the rate of the TSC: that may be the host's.
 */
static const struct vpmu_rate vpmu_rates[VPMU_CLOCK_COUNT] = {
    { .ticks = 1, .ns = 1 }, { .ticks = 1, .ns = 1 },
};

static uint64_t vpmu_ip(CPUX86State *env)
{
    return env->segs[R_CS].base + env->eip;
}

uint64_t x86_vpmu_clock(void *opaque, enum vpmu_source source)
{
    X86VPMU *vpmu = X86_CPU(opaque)->vpmu;
    int64_t now = vpmu->pmu.controls.halted
        ? vpmu->halted_at : qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

    return vpmu_rate_ticks(&vpmu_rates[0], now - vpmu->halted_ns);
}

void x86_vpmu_update_timer(X86CPU *cpu)
{
    X86VPMU *vpmu = cpu->vpmu;
    /* What halts comes to none. */
    uint64_t left = vpmu->pmu.controls.halted
        ? UINT64_MAX : vpmu_x86_deadline(&vpmu->pmu, vpmu_rates);
    int64_t deadline = left < INT64_MAX - vpmu->halted_ns
        ? left + vpmu->halted_ns : INT64_MAX;

    vpmu->deadline = deadline;
    /* A deadline that goes, or moves on, may come back: the timer stays. */
    if (deadline != INT64_MAX &&
        (!timer_pending(vpmu->timer) ||
         timer_expire_time_ns(vpmu->timer) > deadline)) {
        timer_mod(vpmu->timer, deadline);
    }
}

static bool vpmu_time_due(X86CPU *cpu)
{
    return cpu->vpmu->deadline != INT64_MAX &&
           qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) >= cpu->vpmu->deadline;
}

/* Where the CPU is between two instructions: what overflows has its record. */
static void vpmu_settle(X86CPU *cpu)
{
    vpmu_x86_settle(&cpu->vpmu->pmu);
    if (cpu->vpmu->pmu.regs.due) {
        x86_vpmu_record(cpu, vpmu_ip(&cpu->env));
    }
}

static void vpmu_timer_work(CPUState *cs, run_on_cpu_data data)
{
    X86CPU *cpu = X86_CPU(cs);

    x86_vpmu_here(cpu);
    vpmu_settle(cpu);
    x86_vpmu_update_limit(cpu);
    x86_vpmu_update_timer(cpu);
}

void x86_vpmu_timer_cb(void *opaque)
{
    X86CPU *cpu = opaque;

    if (vpmu_time_due(cpu)) {
        /* Counters belong to the vCPU's thread, between translation blocks. */
        async_run_on_cpu(CPU(cpu), vpmu_timer_work, RUN_ON_CPU_NULL);
    } else if (cpu->vpmu->deadline != INT64_MAX) {
        timer_mod(cpu->vpmu->timer, cpu->vpmu->deadline);
    }
}

static uint64_t vpmu_insns(X86CPU *cpu)
{
    return cpu->env.pmu.totals[cpu->vpmu->pmu.count.ctx][X86_PMU_INSNS];
}

/* How many instructions may be executed until something must be looked at. */
static uint64_t vpmu_left(X86CPU *cpu)
{
    uint64_t total = vpmu_insns(cpu);
    uint64_t limit = cpu->env.pmu.limit;

    return limit > total ? limit - total : 0;
}

static void vpmu_set_left(X86CPU *cpu, uint64_t left)
{
    uint64_t total = vpmu_insns(cpu);

    cpu->env.pmu.limit = left > UINT64_MAX - total ? UINT64_MAX : total + left;
}

/* The next instruction is executed by itself, and before any interrupt. */
static void vpmu_note(X86CPU *cpu)
{
    cpu->vpmu->noted = vpmu_ip(&cpu->env);
    cpu->vpmu->noted_ctx = cpu->vpmu->pmu.count.ctx;
    cpu->vpmu->noted_insns = vpmu_insns(cpu);
    cpu->vpmu->alone = true;
}

/* The last one to be tallied there has left another context, or none at all. */
bool x86_vpmu_is_noted(CPUX86State *env)
{
    const X86VPMU *vpmu = env_archcpu(env)->vpmu;

    return env->pmu.totals[vpmu->noted_ctx][X86_PMU_INSNS] ==
           vpmu->noted_insns + 1;
}

/* A read and a write: so many of an event an instruction can be by itself. */
#define MOST_ACCESSES 2
/* PEBS: so near to an overflow each instruction is executed by itself. */
#define NEAR_EVENTS 8

/*
 * PEBS: a record says where the instruction is that overflows a counter.  So
 * stop before each that could be it, and have x86_vpmu_insns_left() note it.
 */
static void vpmu_stop_before(X86CPU *cpu, uint64_t left, uint64_t events)
{
    if (events != UINT64_MAX) {
        left = MIN(left, events > NEAR_EVENTS ? events : 1);
    }
    cpu->vpmu->soft = false;
    cpu->vpmu->hard = left - !!left;
    vpmu_set_left(cpu, cpu->vpmu->hard);
}

void x86_vpmu_update_limit(X86CPU *cpu)
{
    X86VPMU *vpmu = cpu->vpmu;
    unsigned int ctx = vpmu->pmu.count.ctx;
    uint32_t flags = cpu->env.pmu.flags_in[ctx];
    uint64_t insns = flags ? vpmu_x86_headroom(&vpmu->pmu, INSNS, ctx)
                           : UINT64_MAX;
    uint64_t branches = UINT64_MAX;
    uint64_t misses = UINT64_MAX;
    uint64_t events = UINT64_MAX;

    vpmu->alone = false;
    if (flags & HF_PMU_MEMORY_MASK) {
        events = vpmu_x86_headroom(&vpmu->pmu, ACCESSES | VPMU_X86_MODELLED,
                                   ctx);
    }
    if (flags & HF_PMU_EVENTS_MASK) {
        branches = vpmu_x86_headroom(&vpmu->pmu, VPMU_X86_BRANCHES, ctx);
    }
    if (flags & HF_PMU_PREDICT_MASK) {
        misses = vpmu_x86_headroom(&vpmu->pmu, MISSES, ctx);
    }
    cpu->env.pmu.budget = MIN(events / 2, INT64_MAX);
    if (events != UINT64_MAX) {
        events = MAX(events / 2 / MOST_ACCESSES, !!events);
    }
    vpmu->hard = MIN(insns, events);
    vpmu->soft = MIN(branches, events) < insns;
    cpu->env.pmu.misses = misses;
    if (flags && vpmu_x86_pebs_armed(&vpmu->pmu)) {
        vpmu_stop_before(cpu, MIN(MIN(insns, branches), misses), events);
    } else {
        vpmu_set_left(cpu, MIN(vpmu->hard, branches));
    }
}

static void vpmu_settle_if_due(X86CPU *cpu)
{
    bool time_due = vpmu_time_due(cpu);

    if (time_due || !vpmu_left(cpu)) {
        vpmu_settle(cpu);
        x86_vpmu_update_limit(cpu);
    }
    if (time_due) {
        x86_vpmu_update_timer(cpu);
    }
}

void x86_vpmu_settle_at_limit(X86CPU *cpu)
{
    if (!vpmu_left(cpu)) {
        vpmu_settle_if_due(cpu);
    }
}

void x86_vpmu_moved(CPUX86State *env)
{
    X86CPU *cpu = env_archcpu(env);

    /* What is due by the clock the timer finds, unless it is another's. */
    if (env->pmu.clocks_follow || !vpmu_left(cpu)) {
        vpmu_settle_if_due(cpu);
    }
    x86_vpmu_here(cpu);
    x86_vpmu_update_limit(cpu);
    if (env->pmu.clocks_follow) {
        x86_vpmu_update_timer(cpu);
    }
}

/* Is the interrupt of a counter, or another, taken now? */
static bool vpmu_interrupt_comes(X86CPU *cpu)
{
    CPUState *cs = CPU(cpu);
    int pending = qatomic_read(&cs->interrupt_request);

    return x86_cpu_pending_interrupt(cs, pending) &
           (CPU_INTERRUPT_NMI | CPU_INTERRUPT_HARD);
}

int x86_vpmu_sync(X86CPU *cpu, int interrupts)
{
    CPUState *cs = CPU(cpu);

    if (cpu->vpmu && cpu->vpmu->alone && vpmu_left(cpu)) {
        /* They come behind the instruction that is executed again. */
        return 0;
    }
    if (!cpu->vpmu || vpmu_left(cpu)) {
        if (cpu->vpmu && vpmu_x86_pebs_armed(&cpu->vpmu->pmu) &&
            vpmu_interrupt_comes(cpu)) {
            /* What was noted is not the next instruction. */
            x86_vpmu_update_limit(cpu);
        }
        return interrupts;
    }
    vpmu_settle_if_due(cpu);
    if (cs->singlestep_enabled & SSTEP_NOIRQ) {
        /* gdb does not want any to be taken in a single step. */
        return interrupts;
    }
    return interrupts | (cpu_test_interrupt(cs, CPU_INTERRUPT_NMI)
                         ? CPU_INTERRUPT_NMI : 0);
}

/* Exceptions that are raised instead of the instruction that causes them. */
#define FAULTS                                                          \
    ((1u << EXCP00_DIVZ) | (1u << EXCP05_BOUND) | (1u << EXCP06_ILLOP) | \
     (1u << EXCP07_PREX) | (1u << EXCP0A_TSS) | (1u << EXCP0B_NOSEG) |  \
     (1u << EXCP0C_STACK) | (1u << EXCP0D_GPF) | (1u << EXCP0E_PAGE) |  \
     (1u << EXCP10_COPR) | (1u << EXCP11_ALGN))

bool x86_vpmu_comes_first(X86CPU *cpu)
{
    CPUX86State *env = &cpu->env;
    int32_t exception = CPU(cpu)->exception_index;

    if (cpu->vpmu && cpu->vpmu->alone && vpmu_left(cpu)) {
        /*
         * What was noted has not been executed: stop before what is.  Its
         * fetch may have had a counter overflow all the same.
         */
        x86_vpmu_update_limit(cpu);
    }
    if (!cpu->vpmu || vpmu_left(cpu) || env->exception_is_int ||
        exception >= 32 || !(FAULTS & (1u << exception))) {
        return false;
    }
    vpmu_settle_if_due(cpu);
    if (!vpmu_interrupt_comes(cpu)) {
        return false;
    }
    /* The instruction has not been executed, and will raise it again. */
    env->old_exception = -1;
    return true;
}

uint64_t x86_vpmu_insns_left(CPUX86State *env, unsigned int n)
{
    X86CPU *cpu = env_archcpu(env);

    if (!vpmu_left(cpu) || cpu->vpmu->soft) {
        vpmu_settle(cpu);
        x86_vpmu_update_limit(cpu);
    }
    if (!vpmu_left(cpu) && vpmu_x86_pebs_armed(&cpu->vpmu->pmu)) {
        vpmu_note(cpu);
        vpmu_set_left(cpu, 1);
        cpu->vpmu->alone = !vpmu_interrupt_comes(cpu);
    }
    if (cpu->vpmu->soft && vpmu_left(cpu) < n) {
        /* Its branch, if it has one, is the last instruction. */
        vpmu_set_left(cpu, MIN(cpu->vpmu->hard, n));
    }
    return vpmu_left(cpu);
}

/*
 * Execute the present instruction again, by itself and before anything else,
 * and look at what is counted when it is done.
 */
static G_NORETURN void vpmu_execute_alone(X86CPU *cpu, uintptr_t ra)
{
    CPUState *cs = CPU(cpu);

    cpu_restore_state(cs, ra);
    vpmu_note(cpu);
    vpmu_set_left(cpu, 1);
    cpu->env.pmu.budget = 0;
    cpu_loop_exit_max_insns(cs, 1);
}

/*
 * The budget is spent.  What has been tallied includes what the rest of the
 * block reads and writes, so an overflow may not have happened yet, but none
 * has passed.
 */
static bool vpmu_is_due(X86CPU *cpu)
{
    const struct vpmu_x86 *pmu = &cpu->vpmu->pmu;
    uint64_t events = vpmu_x86_headroom(pmu, ACCESSES | VPMU_X86_MODELLED,
                                        pmu->count.ctx);

    cpu->env.pmu.budget = MIN(events, INT64_MAX);
    return events == 0;
}

void x86_vpmu_spend(X86CPU *cpu, unsigned int most, uintptr_t ra)
{
    cpu->env.pmu.budget -= most;
    if (likely(cpu->env.pmu.budget > 0) || !vpmu_is_due(cpu)) {
        return;
    }
    if (tcg_tb_lookup(ra)->icount > 1) {
        vpmu_execute_alone(cpu, ra);
    }
    /* The next block finds its limit used up. */
    cpu->env.pmu.limit = 0;
}

void x86_vpmu_spent(CPUX86State *env)
{
    X86CPU *cpu = env_archcpu(env);

    if (vpmu_is_due(cpu)) {
        env->pmu.limit = 0;
    }
}

static bool vpmu_predicted(struct vpmu_predictor *p, uint64_t from,
                           uint64_t to, uint32_t kind)
{
    /* Its tables are looked up by words; instructions here have bytes. */
    uint64_t pc = from << 2;

    switch (kind) {
    case X86_PMU_NOT_TAKEN:
    case X86_PMU_TAKEN:
        return vpmu_predictor_gshare(p, pc, kind & 1) == (kind & 1);
    case X86_PMU_CALL:
        vpmu_predictor_call(p, from);
        return true;
    case X86_PMU_INDIRECT_CALL:
        vpmu_predictor_call(p, from);
        return vpmu_predictor_indirect(p, pc, to);
    case X86_PMU_RETURN:
        return vpmu_predictor_return(p) == to;
    default:
        return vpmu_predictor_indirect(p, pc, to);
    }
}

void x86_vpmu_branch(CPUX86State *env, uint64_t from, uint64_t to,
                     uint32_t kind)
{
    X86CPU *cpu = env_archcpu(env);
    unsigned int ctx = cpu->vpmu->pmu.count.ctx;

    if (vpmu_predicted(&cpu->vpmu->predictor, from, to, kind)) {
        return;
    }
    env->pmu.totals[ctx][X86_PMU_BR_MISS]++;
    if (env->pmu.misses != UINT64_MAX && !--env->pmu.misses) {
        /* The next block finds its limit used up. */
        env->pmu.limit = env->pmu.totals[ctx][X86_PMU_INSNS];
    }
}
