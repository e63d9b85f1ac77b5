/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Branches of an x86 CPU: where generated code reports them, and the records
 * that a recording takes with its samples
 *
 * Generated code calls x86_vpmu_taken() for each near branch that is taken, if
 * the flags of the block say that branches are recorded in its context, and
 * x86_vpmu_far() after each far branch while anything is recorded.  Interrupts
 * and exceptions are reported where they are delivered.
 *
 * There are two readers: the guest's last branch records (lbr.c), and a
 * recording, which has a ring and a filter of its own that the guest cannot
 * see.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "target/i386/pmu/compat.h"
#include "target/i386/pmu/parts.h"
#include "system/vpmu_sample.h"
#include "vpmu/branch_observer.h"

struct X86Branches {
    struct vpmu_branch_observer observer;
    /* The context that the last record leads to */
    unsigned int ctx;
    /* Records have only the addresses and the kind. */
    bool plain;
};

/*
 * The records of a recording
 */

/* Level 0 is user space; level 1 is the kernel, and firmware in SMM. */
static unsigned int branches_level(unsigned int ctx)
{
    return ctx != X86_PMU_USER && ctx != X86_PMU_GUEST_USER;
}

static unsigned int branches_near(const struct X86Branches *own,
                                  unsigned int ctx)
{
    return vpmu_branch_recorded(&own->observer.ring, branches_level(ctx)) &
           ~VPMU_BRGROUP_EXCEPTION;
}

static vpmu_sources branches_sources(X86CPU *cpu, unsigned int ctx)
{
    const struct X86Branches *own = cpu->vpmu->branches;

    if (!own || !branches_near(own, ctx)) {
        return 0;
    }
    return (own->observer.filter.mispredictions ? MISSES : 0) |
           (own->observer.filter.cycles ? CYCLES : 0);
}

/* Far branches are always reported, because they change the level. */
static uint64_t branches_flags(X86CPU *cpu, unsigned int ctx)
{
    const struct X86Branches *own = cpu->vpmu->branches;

    if (!own) {
        return 0;
    }
    return (branches_near(own, ctx) ? X86_PMU_NEAR_MASK : 0) |
           X86_PMU_FAR_MASK;
}

static uint64_t branches_now(X86CPU *cpu)
{
    if (!cpu->vpmu->branches->observer.filter.cycles) {
        return VPMU_BRANCH_NO_TIME;
    }
    return cpu->vpmu->pmu.config.timed & CYCLES
           ? x86_vpmu_now(cpu).ticks[0]
           : x86_branch_slots(cpu) / cpu->env.pmu.width;
}

static void branches_taken(X86CPU *cpu, enum vpmu_branch_type type,
                           bool mispredicted, uint64_t from, uint64_t to)
{
    struct X86Branches *own = cpu->vpmu->branches;
    struct vpmu_branch branch = {
        .from = from,
        .to = to,
        .type = type,
        .level = branches_level(own->ctx),
    };

    if (mispredicted && own->observer.filter.mispredictions) {
        branch.flags = VPMU_BRANCH_MISPREDICTED;
    }
    vpmu_branch_observer_taken(&own->observer, &branch, branches_now(cpu));
}

/*
 * Returns a number of the address space.  With page table isolation, Linux has
 * two tables in adjacent pages, one of which it uses while a program runs.
 */
static uint64_t branches_space(X86CPU *cpu)
{
    CPUX86State *env = &cpu->env;
    const struct X86Branches *own = cpu->vpmu->branches;
    uint64_t space = env->cr[3] >> TARGET_PAGE_BITS;

    if (env->hflags & HF_GUEST_MASK) {
        space ^= BIT_ULL(63) | env->vm_vmcb << TARGET_PAGE_BITS;
    }
    return branches_level(own->ctx) && (space ^ own->observer.space) == 1
           ? own->observer.space : space;
}

/*
 * Records a far branch, an interrupt or an exception.  @next is the address
 * behind the instruction, or the same as @from if that is to be executed again.
 */
static void branches_far(X86CPU *cpu, enum vpmu_branch_type type, uint64_t from,
                         uint64_t next)
{
    struct X86Branches *own = cpu->vpmu->branches;
    unsigned int source = branches_level(own->ctx);
    struct vpmu_branch branch = { .from = from, .to = x86_pmu_ip(&cpu->env) };

    own->ctx = x86_pmu_context(cpu->env.hflags);
    branch.level = branches_level(own->ctx);
    if (branch.level != source &&
        vpmu_branch_group(type) != VPMU_BRGROUP_EXCEPTION) {
        /* A call gate, and the return from it. */
        type = branch.level ? VPMU_BRTYPE_SYSTEM_CALL
                            : VPMU_BRTYPE_EXCEPTION_RETURN;
    }
    if (vpmu_branch_group(type) != VPMU_BRGROUP_EXCEPTION) {
        branches_taken(cpu, type, false, from, branch.to);
        return;
    }
    branch.type = type;
    if (type == VPMU_BRTYPE_EXCEPTION_RETURN) {
        vpmu_branch_observer_enter(&own->observer, branches_space(cpu));
    }
    vpmu_branch_observer_cross(&own->observer, &branch, source, next,
                               branches_now(cpu));
}

static void branches_restart(X86CPU *cpu)
{
    struct X86Branches *own = cpu->vpmu->branches;

    if (own) {
        own->ctx = x86_pmu_context(cpu->env.hflags);
        vpmu_branch_clear(&own->observer.ring);
    }
}

/* SMIs, VMRUN and the like are no branches: what was before is forgotten. */
static void branches_arrived(X86CPU *cpu)
{
    struct X86Branches *own = cpu->vpmu->branches;

    if (unlikely(own) && own->ctx != x86_pmu_context(cpu->env.hflags)) {
        branches_restart(cpu);
    }
}

void x86_branches_set(X86CPU *cpu, const struct vpmu_branch_filter *filter)
{
    g_clear_pointer(&cpu->vpmu->branches, g_free);
    x86_vpmu_here(cpu);
    if (filter) {
        struct X86Branches *own = g_new0(struct X86Branches, 1);

        /* One more: x86_branches_copy() may leave one out. */
        vpmu_branch_observer_init(&own->observer, filter,
                                  VPMU_BRANCH_DEPTH + 1);
        own->ctx = x86_pmu_context(cpu->env.hflags);
        own->plain = !filter->mispredictions && !filter->cycles;
        cpu->vpmu->branches = own;
        vpmu_branch_observer_enter(&own->observer, branches_space(cpu));
    }
    x86_vpmu_rearm(cpu);
}

/* If a sample belongs to the program before its SYSCALL, so do its branches. */
unsigned int x86_branches_copy(CPUState *cs, struct vpmu_branch *branch)
{
    X86CPU *cpu = X86_CPU(cs);
    struct X86Branches *own = cpu->vpmu->branches;
    unsigned int n;

    if (!own) {
        return 0;
    }
    vpmu_branch_observer_enter(&own->observer, branches_space(cpu));
    n = vpmu_branch_observer_copy(&own->observer, branch);
    if (n && branch[0].type == VPMU_BRTYPE_SYSTEM_CALL &&
        x86_vpmu_sampled_syscall(cpu)) {
        memmove(branch, branch + 1, --n * sizeof(*branch));
    }
    return MIN(n, VPMU_BRANCH_DEPTH);
}

/*
 * What both readers share
 */

/* Not inline, so that x86_vpmu_taken() need not save registers. */
static void __attribute__((noinline))
branch_taken(X86CPU *cpu, enum vpmu_branch_type type, bool mispredicted,
             uint64_t from, uint64_t to)
{
    if (x86_lbr_enabled(cpu)) {
        x86_lbr_taken(cpu, type, mispredicted, from, to);
    }
    if (cpu->vpmu->branches) {
        branches_taken(cpu, type, mispredicted, from, to);
    }
}

/* Called so often that the records of a plain recording are made right here. */
void x86_vpmu_taken(CPUX86State *env, uint64_t from, uint64_t to,
                    uint32_t desc)
{
    X86CPU *cpu = env_archcpu(env);
    struct X86Branches *own = cpu->vpmu->branches;
    enum vpmu_branch_type type = x86_branch_type(desc);

    if (own && own->plain && !cpu->vpmu->lbr) {
        struct vpmu_branch branch = {
            .from = from,
            .to = to,
            .type = type,
            .level = branches_level(own->ctx),
        };

        vpmu_branch_observer_taken(&own->observer, &branch,
                                   VPMU_BRANCH_NO_TIME);
    } else {
        branch_taken(cpu, type, FIELD_EX32(desc, X86PMUTAKEN, MISPREDICTED),
                     from, to);
    }
}

static void branch_far(X86CPU *cpu, enum vpmu_branch_type type, uint64_t from,
                       uint64_t next)
{
    if (x86_lbr_enabled(cpu)) {
        x86_lbr_far(cpu, from);
    }
    if (cpu->vpmu->branches) {
        branches_far(cpu, type, from, next);
    }
}

void x86_vpmu_far(CPUX86State *env, uint64_t from, uint32_t desc)
{
    static const uint8_t types[] = {
        [X86_PMU_FAR_JUMP] = VPMU_BRTYPE_INDIRECT,
        [X86_PMU_FAR_CALL] = VPMU_BRTYPE_INDIRECT_CALL,
        [X86_PMU_FAR_RETURN] = VPMU_BRTYPE_RETURN,
        [X86_PMU_SYSTEM_CALL] = VPMU_BRTYPE_SYSTEM_CALL,
        [X86_PMU_SYSTEM_RETURN] = VPMU_BRTYPE_EXCEPTION_RETURN,
    };

    branch_far(env_archcpu(env), types[FIELD_EX32(desc, X86PMUFAR, KIND)], from,
               from + FIELD_EX32(desc, X86PMUFAR, LENGTH));
}

/* Returns what an interrupt or exception is. */
static enum vpmu_branch_type delivered_type(CPUX86State *env, int intno,
                                            bool is_int, bool is_hw)
{
    if (is_hw) {
        return VPMU_BRTYPE_IRQ;
    }
    switch (intno) {
    case EXCP01_DB:
    case EXCP03_INT3:
        return VPMU_BRTYPE_INSN_DEBUG;
    case EXCP0E_PAGE:
        return env->error_code & PG_ERROR_I_D_MASK ? VPMU_BRTYPE_INSN_FAULT
                                                   : VPMU_BRTYPE_DATA_FAULT;
    case EXCP11_ALGN:
        return VPMU_BRTYPE_ALIGNMENT;
    default:
        return is_int ? VPMU_BRTYPE_SYSTEM_CALL : VPMU_BRTYPE_TRAP;
    }
}

void x86_vpmu_delivered(CPUX86State *env, int intno, bool is_hw, uint64_t from,
                        uint64_t next)
{
    X86CPU *cpu = env_archcpu(env);

    if (intno == EXCP01_DB) {
        x86_lbr_debug(cpu);
    }
    branch_far(cpu, delivered_type(env, intno, from != next, is_hw), from,
               next);
}

const X86Part x86_branches_part = {
    .reset = branches_restart,
    .loaded = branches_restart,
    .arrived = branches_arrived,
    .sources = branches_sources,
    .flags = branches_flags,
};
