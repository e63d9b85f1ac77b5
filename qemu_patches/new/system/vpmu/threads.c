/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the thread that a Linux runs on a CPU
 *
 * Each CPU has a pointer to its current thread, a per-CPU variable.  Its
 * address is the sum of an address that the client passes, and of a register.
 * The thread's structure has its number, that of its process, and its name.
 * The client passes the offsets, too.  The contents belong to the guest and are
 * not trusted.
 */

#include "qemu/osdep.h"
#include "system/vpmu_target.h"

/* The arguments of a lookup, and its results. */
typedef struct VPMUThreadLook {
    const VPMURecordPlaces *where;
    const VPMURecordMaps *maps;
    VPMUKernel kernel;
    VPMUThread thread;
    VPMUSpace space;
} VPMUThreadLook;

static bool thread_current(VPMUReader *reader, const VPMUThreadLook *look,
                           uint64_t *current)
{
    return vpmu_read_number(reader, look->where->current + look->kernel.per_cpu,
                            8, current);
}

static bool thread_read(VPMUReader *reader, void *opaque)
{
    VPMUThreadLook *look = opaque;
    const VPMURecordPlaces *where = look->where;
    uint64_t current, tid, pid;

    if (!thread_current(reader, look, &current) ||
        !vpmu_read_number(reader, current + where->pid, 4, &tid) ||
        !vpmu_read_number(reader, current + where->tgid, 4, &pid) ||
        !vpmu_read_virtual(reader, current + where->comm, look->thread.name,
                           sizeof(look->thread.name))) {
        return false;
    }
    look->thread.tid = tid;
    look->thread.pid = pid;
    look->thread.known = true;
    return true;
}

bool vpmu_thread_find(CPUState *cs, const VPMURecordPlaces *where,
                      const struct vpmu_record_sample *sample,
                      VPMUThread *thread)
{
    const VPMUThreads *threads = vpmu_target->threads;
    VPMUThreadLook look = { .where = where };

    if (!threads->kernel(cs, sample, &look.kernel)) {
        return false;
    }
    *thread = threads->as_kernel(cs, sample, where->hidden, thread_read, &look)
              ? look.thread : (VPMUThread) {};
    return true;
}

static bool thread_read_space(VPMUReader *reader, void *opaque)
{
    VPMUThreadLook *look = opaque;
    const VPMURecordMaps *maps = look->maps;
    VPMUSpace *space = &look->space;
    uint64_t current;

    return thread_current(reader, look, &current) &&
           vpmu_read_number(reader, current + maps->mm, 8, &space->mm) &&
           space->mm &&
           vpmu_read_number(reader, space->mm + maps->code, 8, &space->code);
}

bool vpmu_thread_space(CPUState *cs, const VPMURecordThreads *where,
                       const struct vpmu_record_sample *sample,
                       VPMUSpace *space)
{
    const VPMUThreads *threads = vpmu_target->threads;
    VPMUThreadLook look = {
        .where = qapi_VPMURecordThreads_base(where), .maps = where->maps,
    };
    bool seen = threads->kernel(cs, sample, &look.kernel) &&
                threads->as_kernel(cs, sample, where->hidden,
                                   thread_read_space, &look);

    *space = look.space;
    return seen;
}
