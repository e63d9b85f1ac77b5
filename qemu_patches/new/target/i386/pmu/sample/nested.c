/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory of guests of SVM
 *
 * With nested paging, the guest's page table has addresses of the guest, which
 * the nested page table translates.  The debugger's translation takes them for
 * addresses of the machine.
 *
 * The guest and its hypervisor control both tables.  A walk reads at most five
 * entries of the guest, each through five nested ones, and five more for the
 * address that they lead to.  Only RAM is read, and no flag is set.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "nested.h"

/* The bits of an address that one level translates, and those in a page. */
#define LEVEL_BITS 9
#define PAGE_BITS 12
/* How many of the last levels can have pages: of 4 KiB, 2 MiB and 1 GiB. */
#define PAGE_LEVELS 3

typedef struct X86Tables {
    uint64_t root;
    unsigned int levels;
    /* What translates the addresses of tables; NULL: they are the machine's. */
    const struct X86Tables *below;
} X86Tables;

static unsigned int level_shift(unsigned int level)
{
    return PAGE_BITS + level * LEVEL_BITS;
}

/* Virtual addresses are sign-extended.  Those of a guest are not. */
static bool has_address(const X86Tables *t, uint64_t addr)
{
    unsigned int bits = level_shift(t->levels);

    return t->below ? (uint64_t)sextract64(addr, 0, bits) == addr
                    : !(addr >> bits);
}

static bool walk(CPUState *cs, const X86Tables *t, uint64_t addr, hwaddr *to);

static bool read_entry(CPUState *cs, const X86Tables *t, uint64_t at,
                       uint64_t *entry)
{
    if (t->below && !walk(cs, t->below, at, &at)) {
        return false;
    }
    if (!vpmu_read_physical(cs, at, entry, sizeof(*entry))) {
        return false;
    }
    *entry = le64_to_cpu(*entry);
    return *entry & PG_PRESENT_MASK;
}

/* Finds what the tables have for an address. */
static bool walk(CPUState *cs, const X86Tables *t, uint64_t addr, hwaddr *to)
{
    uint64_t entry = t->root;

    if (!has_address(t, addr)) {
        return false;
    }
    for (unsigned int level = t->levels; level-- > 0; ) {
        unsigned int shift = level_shift(level);
        uint64_t at = (entry & PG_ADDRESS_MASK) +
                      extract64(addr, shift, LEVEL_BITS) * sizeof(entry);

        if (!read_entry(cs, t, at, &entry)) {
            return false;
        }
        if (level == 0 || (entry & PG_PSE_MASK)) {
            *to = (entry & PG_ADDRESS_MASK & -(1ull << shift)) |
                  extract64(addr, 0, shift);
            return level < PAGE_LEVELS;
        }
    }
    return false;
}

static X86Tables nested_tables(const CPUX86State *env)
{
    return (X86Tables) {
        .root = env->nested_cr3,
        .levels = env->nested_pg_mode & PG_MODE_LA57 ? 5 : 4,
    };
}

bool x86_reads_guest(const CPUX86State *env)
{
    return !(env->hflags2 & HF2_NPT_MASK) ||
           ((env->hflags & HF_LMA_MASK) &&
            (env->nested_pg_mode & PG_MODE_LMA));
}

bool x86_translate(CPUState *cs, uint64_t page, TranslateForDebugResult *at)
{
    CPUX86State *env = cpu_env(cs);
    X86Tables nested = nested_tables(env);
    X86Tables own = {
        .root = env->cr[3],
        .levels = env->cr[4] & CR4_LA57_MASK ? 5 : 4,
        .below = &nested,
    };
    hwaddr physical;

    if (!(env->hflags2 & HF2_NPT_MASK)) {
        return cpu_translate_for_debug(cs, page, at);
    }
    *at = (TranslateForDebugResult) {};
    return x86_reads_guest(env) && walk(cs, &own, page, &physical) &&
           walk(cs, &nested, physical, &at->physaddr);
}

void x86_guest_describe(CPUState *cs, struct vpmu_record_guest *guest)
{
    CPUX86State *env = cpu_env(cs);
    uint64_t cr3;

    guest->ttbr1 = env->cr[3];
    if (!(env->hflags2 & HF2_NPT_MASK)) {
        guest->vttbr = env->vm_vmcb & PG_ADDRESS_MASK;
        return;
    }
    guest->vttbr = env->nested_cr3 & PG_ADDRESS_MASK;
    if (env->nested_pg_mode & PG_MODE_LMA) {
        guest->vtcr = VPMU_RECORD_NESTED_PAGING |
                      (env->nested_pg_mode & PG_MODE_LA57
                       ? VPMU_RECORD_FIVE_LEVELS : 0);
        if (x86_saved_cr3(cs, &cr3)) {
            guest->ttbr0 = cr3 & PG_ADDRESS_MASK;
        }
    }
}
