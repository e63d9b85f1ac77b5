/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which thread runs, as a Linux at EL1 or, with VHE, at EL2 has it
 *
 * Each CPU has a pointer to the thread that it runs, at an address of its own:
 * that of a variable, and what the kernel keeps in TPIDR_ELx.  The thread has
 * its number, that of its process, and a name.  Where all that is the client
 * has found out; what is there is the guest's, and may be anything.
 */

#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "cpu.h"
#include "internals.h"
#include "private.h"
#include "sample.h"

/* What the CPU's registers are while the kernel's memory is looked at. */
typedef struct VPMUDisguise {
    uint32_t pstate;
    bool aarch64;
    uint64_t ttbr1;
} VPMUDisguise;

/*
 * A program's page tables do not map the kernel, or forbid it.  With the BQL,
 * which everybody else has who looks at these registers.
 */
static VPMUDisguise thread_be_kernel(CPUARMState *env, unsigned int el)
{
    VPMUDisguise was = { env->pstate, env->aarch64, env->cp15.ttbr1_el[el] };

    env->aarch64 = true;
    env->pstate = deposit32(env->pstate, 0, 4, el << 2 | 1);
    return was;
}

static void thread_be_itself(CPUARMState *env, unsigned int el,
                             const VPMUDisguise *was)
{
    env->pstate = was->pstate;
    env->aarch64 = was->aarch64;
    env->cp15.ttbr1_el[el] = was->ttbr1;
}

static bool thread_read(ARMCPU *cpu, const VPMURecordThreads *where,
                        uint64_t offset, VPMUThread *thread)
{
    VPMUPeek peek = { .cpu = CPU(cpu) };
    uint64_t current, tid, pid;

    RCU_READ_LOCK_GUARD();
    if (!arm_vpmu_peek_number(&peek, where->current + offset, 8, &current) ||
        !arm_vpmu_peek_number(&peek, current + where->pid, 4, &tid) ||
        !arm_vpmu_peek_number(&peek, current + where->tgid, 4, &pid) ||
        !vpmu_peek(&peek, current + where->comm, thread->name,
                       sizeof(thread->name))) {
        return false;
    }
    thread->tid = tid;
    thread->pid = pid;
    thread->known = true;
    return true;
}

VPMUThread arm_vpmu_thread(ARMCPU *cpu, const VPMURecordThreads *where,
                           unsigned int el)
{
    CPUARMState *env = &cpu->env;
    VPMUThread thread = {};
    VPMUDisguise was;
    bool known;

    if (!arm_el_is_aa64(env, el)) {
        return thread;
    }
    BQL_LOCK_GUARD();
    was = thread_be_kernel(env, el);
    known = thread_read(cpu, where, env->cp15.tpidr_el[el], &thread);
    if (!known && where->hidden) {
        env->cp15.ttbr1_el[el] += where->hidden;
        known = thread_read(cpu, where, env->cp15.tpidr_el[el], &thread);
    }
    thread_be_itself(env, el, &was);
    return known ? thread : (VPMUThread) {};
}
