/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime/level.h"

#include "registers/pmu.h"
#include "runtime/mmu.h"
#include "runtime/pmu_setup.h"

/* SPSR_ELx: all masks set; AArch64 uses the stack pointer of the level itself. */
#define SPSR_MASKED UINT64_C(0x3c0)
#define SPSR_IRQ_MASK UINT64_C(0x080)
#define SPSR_AARCH32_MASKED UINT64_C(0x1c0)
#define SPSR_T32 UINT64_C(0x20)
#define SPSR_SVC UINT64_C(0x13)
#define SPSR_USR UINT64_C(0x10)

#define CPTR_EL2_RES1 UINT64_C(0x33ff)
#define CPACR_EL1_FPEN (UINT64_C(3) << 20)

enum level home;

const char *const *level_vectors;

bool has_el(enum level level)
{
    return level <= EL1 || FIELD(read_sysreg(id_aa64pfr0_el1), level * 4u, 4) != 0;
}

bool has_aarch32(enum level level)
{
    return FIELD(read_sysreg(id_aa64pfr0_el1), level * 4u, 4) == 2;
}

static uint64_t spsr_aarch64(enum level level)
{
    return level == EL0 ? 0 : (uint64_t)level << 2 | 1;
}

/*
 * The call (SVC, HVC or SMC) that leads from a level towards home. EL1 passes on an SVC from EL0.
 */
static uint64_t way_back(enum level from)
{
    if (from == EL0) {
        return 0;
    }
    return from == EL1 && home == EL2 ? 1 : 2;
}

static uint64_t call_with_spsr(enum level level, level_fn fn, uint64_t arg, uint64_t masks)
{
    const uint64_t regs[4] = {arg};

    return level_enter(regs, (uintptr_t)level_trampoline, spsr_aarch64(level) | masks,
                       (uintptr_t)fn, way_back(level));
}

uint64_t call_at(enum level level, level_fn fn, uint64_t arg)
{
    return level == home ? fn(arg) : call_with_spsr(level, fn, arg, SPSR_MASKED);
}

uint64_t call_at_with_irqs(enum level level, level_fn fn, uint64_t arg)
{
    uint64_t result;

    if (level != home) {
        return call_with_spsr(level, fn, arg, SPSR_MASKED & ~SPSR_IRQ_MASK);
    }
    irq_enable();
    result = fn(arg);
    irq_disable();
    return result;
}

uint64_t call_aarch32(enum level level, uint32_t pc, const uint32_t regs[4])
{
    const uint64_t wide[4] = {regs[0], regs[1], regs[2], regs[3]};
    uint64_t spsr = SPSR_AARCH32_MASKED | (level == EL0 ? SPSR_USR : SPSR_SVC);

    if (pc & 1) {
        spsr |= SPSR_T32;
    }
    return level_enter(wide, pc & ~UINT32_C(1), spsr, 0, 0);
}

struct trap run_expecting_exception(enum level level, level_fn fn, uint64_t arg)
{
    struct cpu *cpu = this_cpu();

    cpu->trap = (struct trap){0};
    cpu->expecting = true;
    call_at(level, fn, arg);
    cpu->expecting = false;
    return cpu->trap;
}

static void reset_el3(void)
{
    write_sysreg(vbar_el3, (uintptr_t)level_vectors[EL3]);
    write_sysreg(scr_el3, SCR_EL3_RW | SCR_EL3_HCE | SCR_EL3_NS);
    write_sysreg(cptr_el3, 0);
    write_sysreg(mdcr_el3, MDCR_EL3_SPME | MDCR_EL3_ENPM2);
    isb();
}

static void reset_el2(void)
{
    write_sysreg(hcr_el2, HCR_EL2_RW);
    isb();
    write_sysreg(vbar_el2, (uintptr_t)level_vectors[EL2]);
    write_sysreg(cptr_el2, CPTR_EL2_RES1);
    write_sysreg(hstr_el2, 0);
    write_sysreg(cnthctl_el2, 3);
    write_sysreg(cntvoff_el2, 0);
    write_sysreg(vpidr_el2, read_sysreg(midr_el1));
    write_sysreg(vmpidr_el2, read_sysreg(mpidr_el1));
    write_sysreg(mdcr_el2, MDCR_EL2_HPMN(pmu_counters()));
    isb();
}

static void reset_el1(void)
{
    write_sysreg(vbar_el1, (uintptr_t)level_vectors[EL1]);
    write_sysreg(cpacr_el1, CPACR_EL1_FPEN);
    /* EL0 may use the virtual counter and no other register of the timers. */
    write_sysreg(cntkctl_el1, BIT(1));
    write_sysreg(cntv_ctl_el0, 0);
    write_sysreg(mdscr_el1, 0);
    mmu_enable();
    isb();
}

void levels_reset(void)
{
    struct cpu *cpu = this_cpu();

    cpu->expecting = false;
    cpu->on_sync = NULL;
    cpu->on_irq = NULL;
    cpu->on_other = NULL;
    if (home == EL3) {
        reset_el3();
    }
    if (home >= EL2 && has_el(EL2)) {
        reset_el2();
    }
    reset_el1();
}

void levels_init(void)
{
    home = (enum level)current_el();
    levels_reset();
}
