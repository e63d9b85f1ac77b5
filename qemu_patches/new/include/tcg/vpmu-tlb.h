/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A look at QEMU's TLB that calls no function
 *
 * Include this file after cpu.h and the target's compat.h.
 */

#ifndef TCG_VPMU_TLB_H
#define TCG_VPMU_TLB_H

/*
 * Returns the entry for an access to RAM that generated code would do itself.
 * If the access needs more, returns NULL.  The caller must then probe.
 */
static inline CPUTLBEntryFull *vpmu_tlb_entry(CPUState *cs, vaddr addr,
                                              MMUAccessType type, int mmu_idx)
{
#if QEMU_VERSION_MAJOR == 10 && QEMU_VERSION_MINOR == 0
    const CPUTLBDescFast *fast = &cs->neg.tlb.f[mmu_idx];
#else
    const CPUTLBDescFast *fast = cpu_tlb_fast(cs, mmu_idx);
#endif
    uintptr_t index = (addr >> TARGET_PAGE_BITS) &
                      (fast->mask >> CPU_TLB_ENTRY_BITS);
    vaddr page = qatomic_read(&fast->table[index].addr_idx[type]);

    /* A flag in the entry stands for anything but plain RAM. */
    return (page & (TARGET_PAGE_MASK | TLB_FLAGS_MASK)) ==
           (addr & TARGET_PAGE_MASK)
           ? &cs->neg.tlb.d[mmu_idx].fulltlb[index] : NULL;
}

#endif
