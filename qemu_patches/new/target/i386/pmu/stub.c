/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An x86 CPU without a PMU: QEMU was built without the vpmu library, or for
 * user mode
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "system/tcg.h"

void x86_vpmu_moved(CPUX86State *env)
{
    g_assert_not_reached();
}

static bool stub_get_pmu(Object *obj, Error **errp)
{
    return X86_CPU(obj)->enable_pmu;
}

static void stub_set_pmu(Object *obj, bool value, Error **errp)
{
    X86_CPU(obj)->enable_pmu = value;
}

void x86_pmu_add_property(ObjectClass *oc)
{
    object_class_property_add_bool(oc, "pmu", stub_get_pmu, stub_set_pmu);
}

bool x86_vpmu_realize(X86CPU *cpu, Error **errp)
{
    if (tcg_enabled()) {
        cpu->env.features[FEAT_8000_0001_ECX] &=
            ~(CPUID_EXT3_PERFCORE | CPUID_EXT3_IBS);
        cpu->env.features[FEAT_8000_0022_EAX] &=
            ~CPUID_8000_0022_EAX_PERFMON_V2;
    }
    return true;
}

bool x86_vpmu_realize_model(X86CPU *cpu, Error **errp)
{
    return true;
}

void x86_vpmu_unrealize(X86CPU *cpu)
{
}

bool x86_vpmu_cpuid(X86CPU *cpu, uint32_t index, uint32_t *eax, uint32_t *ebx,
                    uint32_t *ecx, uint32_t *edx)
{
    return false;
}

bool x86_vpmu_rdmsr(CPUX86State *env, uint32_t msr, uint64_t *val,
                    uintptr_t ra)
{
    return false;
}

bool x86_vpmu_wrmsr(CPUX86State *env, uint32_t msr, uint64_t val,
                    uintptr_t ra)
{
    return false;
}

bool x86_vpmu_rdpmc(CPUX86State *env, uint64_t *val, uintptr_t ra)
{
    return false;
}

void x86_vpmu_exec_enter(X86CPU *cpu)
{
}

void x86_vpmu_exec_exit(X86CPU *cpu)
{
}

int x86_vpmu_sync(X86CPU *cpu, int interrupts)
{
    return interrupts;
}

bool x86_vpmu_comes_first(X86CPU *cpu)
{
    return false;
}

uint64_t x86_vpmu_insns_left(CPUX86State *env, unsigned int n,
                             unsigned int stalls, unsigned int accesses)
{
    g_assert_not_reached();
}

void x86_vpmu_step(CPUX86State *env)
{
    g_assert_not_reached();
}

void x86_vpmu_redirected(CPUX86State *env, uint64_t from, uint64_t to)
{
    g_assert_not_reached();
}

void x86_vpmu_taken(CPUX86State *env, uint64_t from, uint64_t to,
                    uint32_t desc)
{
    g_assert_not_reached();
}

void x86_vpmu_far(CPUX86State *env, uint64_t from, uint32_t desc)
{
    g_assert_not_reached();
}

void x86_vpmu_delivered(CPUX86State *env, int intno, bool is_hw, uint64_t from,
                        uint64_t next)
{
    g_assert_not_reached();
}

void x86_vpmu_data(CPUX86State *env, uint64_t addr, uint32_t desc,
                   uintptr_t ra)
{
    g_assert_not_reached();
}

void x86_vpmu_maintain(CPUX86State *env, uint64_t addr, uint32_t desc,
                       uintptr_t ra)
{
    g_assert_not_reached();
}

void x86_vpmu_fetch(CPUX86State *env, uint64_t pc, unsigned int ctx,
                    uintptr_t ra)
{
    g_assert_not_reached();
}

void x86_vpmu_spent(CPUX86State *env)
{
    g_assert_not_reached();
}

void x86_vpmu_new_space(CPUX86State *env)
{
    g_assert_not_reached();
}

void x86_vpmu_flush_page(CPUX86State *env, uint64_t page)
{
    g_assert_not_reached();
}

void x86_vpmu_flush_tlb(CPUX86State *env)
{
    g_assert_not_reached();
}

uint32_t x86_vpmu_decode(const uint8_t *insn, unsigned int len, bool code64,
                         unsigned int *stall)
{
    g_assert_not_reached();
}

bool x86_vpmu_modifies(const uint8_t *insn, unsigned int len, bool code64)
{
    return false;
}

unsigned int x86_vpmu_fp(const uint8_t *insn, unsigned int len, bool code64)
{
    return 0;
}

void x86_vpmu_fp_add(uint64_t *totals, unsigned int kind, int64_t times)
{
}

bool x86_vpmu_locks(const uint8_t *insn, unsigned int len, bool code64)
{
    g_assert_not_reached();
}

bool x86_vpmu_post_load(X86CPU *cpu)
{
    return true;
}
