/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page tables of an x86 CPU's kernels
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "system/hw_accel.h"
#include "sample/nested.h"

bool x86_saved_cr3(CPUState *cs, uint64_t *cr3)
{
    CPUX86State *env = &X86_CPU(cs)->env;
    uint64_t saved = env->vm_hsave + offsetof(struct vmcb, save.cr3);

    RCU_READ_LOCK_GUARD();
    if (!(env->hflags & HF_GUEST_MASK) ||
        !vpmu_read_physical(cs, saved, cr3, sizeof(*cr3))) {
        return false;
    }
    *cr3 = le64_to_cpu(*cr3);
    return true;
}

/*
 * CR3 of the kernel.  A program may have another one (KPTI).  In a guest of
 * SVM, VMRUN has saved that of the machine's own kernel.
 */
static void x86_tables(CPUState *cs, VPMUTables *tables)
{
    uint64List **tail = &tables->tables;
    uint64_t cr3;

    cpu_synchronize_state(cs);
    QAPI_LIST_APPEND(tail, X86_CPU(cs)->env.cr[3]);
    if (x86_saved_cr3(cs, &cr3)) {
        QAPI_LIST_APPEND(tail, cr3);
    }
}

static void register_tables(void)
{
    vpmu_register_tables(x86_tables);
}

type_init(register_tables);
