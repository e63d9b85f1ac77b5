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

/*
 * Returns the binary logarithm of the size of the page from which the current
 * instruction, at @pc, is fetched; 0 if that page is not mapped any more.
 */
static inline unsigned int vpmu_fetched_page(CPUArchState *env, vaddr pc,
                                             int mmu_idx)
{
    CPUTLBEntryFull *full = vpmu_tlb_entry(env_cpu(env), pc, MMU_INST_FETCH,
                                           mmu_idx);
    void *host;

    if (unlikely(!full) &&
        probe_access_full_mmu(env, pc, 0, MMU_INST_FETCH, mmu_idx, &host,
                              &full) & TLB_INVALID_MASK) {
        return 0;
    }
    return full->lg_page_size;
}

#endif
