/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page table of an x86 CPU's kernel
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "system/hw_accel.h"
#include "system/vpmu_target.h"

/* CR3 of the kernel.  A program may have another one (KPTI). */
static void x86_tables(CPUState *cs, VPMUTables *tables)
{
    uint64List **tail = &tables->tables;

    cpu_synchronize_state(cs);
    QAPI_LIST_APPEND(tail, X86_CPU(cs)->env.cr[3]);
}

static void register_tables(void)
{
    vpmu_register_tables(x86_tables);
}

type_init(register_tables);
