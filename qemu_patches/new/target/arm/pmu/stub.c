/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stubs for a QEMU that emulates no PMU: user mode, or no vpmu library.  With
 * KVM the PMU is the kernel's.
 */

#include "qemu/osdep.h"
#include "cpu.h"
#include "internals.h"

void arm_vpmu_finalize(ARMCPU *cpu)
{
}

void arm_vpmu_moved(CPUARMState *env)
{
}

void arm_vpmu_emulate_firmware(CPUARMState *env)
{
}

void arm_vpmu_mdcr_el2_changed(CPUARMState *env, uint64_t old)
{
}

void arm_vpmu_mdcr_el3_changed(CPUARMState *env, uint64_t old)
{
}

void arm_vpmu_sync(CPUARMState *env)
{
}

void arm_vpmu_exec_enter(CPUState *cs)
{
}

uint64_t arm_vpmu_insns_left(CPUARMState *env, unsigned int n,
                             unsigned int stalls)
{
    return UINT64_MAX;
}

uint32_t arm_vpmu_decode(int isa, uint32_t insn, unsigned int *stall)
{
    return 0;
}

uint32_t arm_vpmu_cond_failed(uint32_t sources, uint64_t *detail)
{
    *detail = 0;
    return 0;
}

int arm_vpmu_interrupt(CPUState *cs)
{
    return qatomic_read(&cs->interrupt_request);
}

bool arm_vpmu_comes_first(ARMCPU *cpu)
{
    return false;
}

void arm_vpmu_exception(ARMCPU *cpu)
{
}

void arm_vpmu_taken(CPUARMState *env, uint64_t from, uint64_t to,
                    uint32_t desc)
{
}

void arm_vpmu_step(CPUARMState *env)
{
}

void arm_vpmu_near(CPUARMState *env)
{
}

void arm_vpmu_stop_after(CPUARMState *env, uint64_t insns)
{
}

void arm_vpmu_overspent(CPUARMState *env)
{
}

ARMPMUDetail arm_vpmu_detail(int isa, uint32_t insn)
{
    return (ARMPMUDetail) { };
}

void arm_vpmu_data(CPUARMState *env, uint64_t addr, uint32_t desc)
{
}

void arm_vpmu_fetch(CPUARMState *env, uint64_t pc, unsigned int ctx)
{
}

bool arm_vpmu_fetch_first(CPUARMState *env, uint64_t pc, unsigned int ctx)
{
    return false;
}

void arm_vpmu_branch(CPUARMState *env, uint64_t pc, uint64_t target,
                     uint32_t desc)
{
}

void arm_vpmu_mispredicted(CPUARMState *env, unsigned int ctx)
{
}

void arm_vpmu_maintain(CPUARMState *env, uint64_t addr, uint32_t desc)
{
}

void arm_vpmu_sampled(CPUARMState *env, uint64_t pc, uint32_t insn)
{
}

void arm_vpmu_sampled_access(CPUARMState *env, uint64_t addr, uint32_t desc)
{
}

void arm_vpmu_sampled_copy(CPUARMState *env, uint64_t to, uint64_t from,
                           int to_idx, int from_idx)
{
}

bool arm_vpmu_tage(void *predictor, uint64_t number, bool taken)
{
    return false;
}

void arm_vpmu_accessed(CPUARMState *env, uint64_t addr, unsigned int size,
                       bool write, int mmu_idx)
{
}

void arm_vpmu_lines(CPUARMState *env, uint64_t addr, uint64_t size,
                    bool write, int mmu_idx, ARMPMUPart part)
{
}

void arm_vpmu_model_moved(CPUARMState *env)
{
}

void arm_vpmu_tlbi(CPUARMState *env, uint32_t what, uint64_t value)
{
}
