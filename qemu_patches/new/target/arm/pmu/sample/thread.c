/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the thread that a Linux runs, at EL1 or, with VHE, at EL2
 *
 * Each CPU has a pointer to its current thread.  The pointer's address is that
 * of a per-CPU variable plus the offset in TPIDR_ELx.  The thread's structure
 * has its number, that of its process, and its name.  The client passes the
 * address and the offsets.  The contents belong to the guest and are not
 * trusted.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "internals.h"
#include "target/arm/pmu/private.h"
#include "sample.h"

/* Registers that are changed while the kernel's memory is read. */
typedef struct VPMUSavedRegs {
    uint32_t pstate;
    bool aarch64;
    uint64_t ttbr1;
} VPMUSavedRegs;

/*
 * At EL0 the kernel's memory is not mapped or not accessible, so the CPU's
 * state is that of the kernel meanwhile.  Called with the BQL held, because
 * everything else that reads these registers holds it.
 */
static VPMUSavedRegs thread_enter_kernel(CPUARMState *env, unsigned int el)
{
    VPMUSavedRegs was = { env->pstate, env->aarch64, env->cp15.ttbr1_el[el] };

    env->aarch64 = true;
    env->pstate = deposit32(env->pstate, 0, 4, el << 2 | 1);
    return was;
}

static void thread_leave_kernel(CPUARMState *env, unsigned int el,
                                const VPMUSavedRegs *was)
{
    env->pstate = was->pstate;
    env->aarch64 = was->aarch64;
    env->cp15.ttbr1_el[el] = was->ttbr1;
}

bool arm_vpmu_as_kernel(ARMCPU *cpu, unsigned int el, int64_t hidden,
                        bool (*look)(VPMUReader *reader, void *opaque),
                        void *opaque)
{
    CPUARMState *env = &cpu->env;
    VPMUReader reader = { .cpu = CPU(cpu) };
    VPMUSavedRegs was;
    bool seen;

    if (!arm_el_is_aa64(env, el)) {
        return false;
    }
    BQL_LOCK_GUARD();
    RCU_READ_LOCK_GUARD();
    was = thread_enter_kernel(env, el);
    seen = look(&reader, opaque);
    if (!seen && hidden) {
        env->cp15.ttbr1_el[el] += hidden;
        reader = (VPMUReader) { .cpu = CPU(cpu) };
        seen = look(&reader, opaque);
    }
    thread_leave_kernel(env, el, &was);
    return seen;
}

/* The arguments of a lookup, and its results. */
typedef struct VPMUThreadLook {
    const VPMURecordPlaces *where;
    const VPMURecordMaps *maps;
    uint64_t offset;
    VPMUThread thread;
    VPMUSpace space;
} VPMUThreadLook;

static bool thread_find(VPMUReader *reader, const VPMUThreadLook *look,
                        uint64_t *current)
{
    return arm_vpmu_read_number(reader, look->where->current + look->offset, 8,
                                current);
}

static bool thread_read(VPMUReader *reader, void *opaque)
{
    VPMUThreadLook *look = opaque;
    const VPMURecordPlaces *where = look->where;
    uint64_t current, tid, pid;

    if (!thread_find(reader, look, &current) ||
        !arm_vpmu_read_number(reader, current + where->pid, 4, &tid) ||
        !arm_vpmu_read_number(reader, current + where->tgid, 4, &pid) ||
        !vpmu_read_virtual(reader, current + where->comm, look->thread.name,
                   sizeof(look->thread.name))) {
        return false;
    }
    look->thread.tid = tid;
    look->thread.pid = pid;
    look->thread.known = true;
    return true;
}

VPMUThread arm_vpmu_thread(ARMCPU *cpu, const VPMURecordPlaces *where,
                           unsigned int el)
{
    VPMUThreadLook look = {
        .where = where, .offset = cpu->env.cp15.tpidr_el[el],
    };

    return arm_vpmu_as_kernel(cpu, el, where->hidden, thread_read, &look)
           ? look.thread : (VPMUThread) {};
}

static bool thread_read_space(VPMUReader *reader, void *opaque)
{
    VPMUThreadLook *look = opaque;
    const VPMURecordMaps *maps = look->maps;
    VPMUSpace *space = &look->space;
    uint64_t current;

    return thread_find(reader, look, &current) &&
           arm_vpmu_read_number(reader, current + maps->mm, 8, &space->mm) &&
           space->mm &&
           arm_vpmu_read_number(reader, space->mm + maps->code, 8,
                                &space->code);
}

bool arm_vpmu_space(ARMCPU *cpu, const VPMURecordThreads *where,
                    unsigned int el, VPMUSpace *space)
{
    VPMUThreadLook look = {
        .where = qapi_VPMURecordThreads_base(where), .maps = where->maps,
        .offset = cpu->env.cp15.tpidr_el[el],
    };
    bool seen = arm_vpmu_as_kernel(cpu, el, where->hidden, thread_read_space,
                                   &look);

    *space = look.space;
    return seen;
}
