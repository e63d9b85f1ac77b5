/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "fake_el2.h"

#include <stdlib.h>

#include "guest.h"
#include "vpmu/arm/sysreg.h"
#include "vpmu/arm/trap.h"

#define INSTS VPMU_SRC_BIT(VPMU_SRC_INST_RETIRED)
#define CYCLES VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES)
#define CYCLES_PER_INST 2
#define COUNTERS 8
/* Instructions for an exception to EL2 and for EL2 itself. No counter may count them. */
#define INSTS_OF_EL2 50

/* It polls the interrupt line and the headroom, so nothing is to be done when they change. */
static struct vpmu_arm hw;
static struct vpmu_arm_totals totals;
static struct vpmu_arm_controls controls;
static uint64_t executed;
static bool virq;

static const struct vpmu_pe at_el2 = {.el = 2, .el2_enabled = true};

static void must(bool condition)
{
    if (!condition) {
        abort();
    }
}

static unsigned context(unsigned el)
{
    return vpmu_arm_ctx(el, VPMU_NONSECURE);
}

void fake_start(void)
{
    static const struct vpmu_arm_config config = {
        .version = VPMU_V3P8,
        .counters = COUNTERS,
        .features = VPMU_HAS_EL2 | VPMU_HAS_NO_AARCH32,
        .sources = INSTS | CYCLES,
        .cycle_units = 1,
    };

    executed = 0;
    virq = false;
    must(vpmu_arm_init(&hw, &config, &totals, NULL, NULL) == 0);
    vpmu_arm_controls_reset(&controls, &config);
    vpmu_arm_set_context(&hw, context(2), NULL);
}

/* Runs up to @n instructions, until an interrupt is due, and returns to EL2. */
static unsigned run(unsigned el, unsigned n)
{
    uint64_t insts = vpmu_arm_headroom(&hw, INSTS, context(el));
    uint64_t cycles = vpmu_arm_headroom(&hw, CYCLES, context(el)) / CYCLES_PER_INST;

    n = insts < n ? (unsigned)insts : n;
    n = cycles < n ? (unsigned)(cycles ? cycles : 1) : n;
    vpmu_arm_set_context(&hw, context(el), NULL);
    totals.n[context(el)][VPMU_SRC_INST_RETIRED] += n;
    totals.n[context(el)][VPMU_SRC_CPU_CYCLES] += n * CYCLES_PER_INST;
    vpmu_arm_set_context(&hw, context(2), NULL);
    vpmu_arm_settle(&hw, NULL);
    return n;
}

void host_run(unsigned n)
{
    while (n > 0) {
        n -= run(1, n);
    }
}

static void run_el2(void)
{
    run(2, INSTS_OF_EL2);
}

static void take_virq(void)
{
    while (virq) {
        virq = false;
        guest_irq();
    }
}

void guest_run(unsigned el, unsigned n)
{
    while (n > 0) {
        unsigned done = run(el, n);

        n -= done;
        executed += el == 0 ? done : 0;
        if (vpmu_arm_irq_level(&hw)) {
            run_el2();
            el2_irq(el);
            run_el2();
        }
        take_virq();
    }
}

/* The guest's instruction uses X1. */
static uint64_t guest_access(uint16_t enc, bool write, uint64_t val)
{
    static const struct vpmu_pe at_el1 = {.el = 1, .el2_enabled = true};
    int reg = vpmu_arm_reg_find(enc, false);
    uint64_t x[VPMU_TRAP_XREGS] = {[1] = val};
    uint64_t esr = (uint64_t)VPMU_TRAP_MSR << 26 | (uint64_t)(enc >> 14) << 20 |
                   (uint64_t)(enc & 7) << 17 | (uint64_t)(enc >> 11 & 7) << 14 |
                   (uint64_t)(enc >> 7 & 15) << 10 | 1 << 5 | (uint64_t)(enc >> 3 & 15) << 1 |
                   !write;

    must(reg >= 0);
    switch (vpmu_arm_reg_access(&hw, (unsigned)reg, &at_el1, write)) {
    case VPMU_ACCESS_TRAP_EL2:
        run_el2();
        el2_sync(1, esr, x);
        run_el2();
        break;
    case VPMU_ACCESS_OK:
        if (write) {
            must(vpmu_arm_reg_write(&hw, (unsigned)reg, &at_el1, val, NULL) >= 0);
        } else {
            must(vpmu_arm_reg_read(&hw, (unsigned)reg, &at_el1, &x[1], NULL) >= 0);
        }
        break;
    default:
        must(false);
    }
    return x[1];
}

uint64_t guest_mrs(uint16_t enc)
{
    return guest_access(enc, false, 0);
}

void guest_msr(uint16_t enc, uint64_t val)
{
    guest_access(enc, true, val);
}

void el2_inject(bool pending)
{
    virq = pending;
}

uint64_t guest_executed(void)
{
    return executed;
}

/* The accessors that vpmu/arm/sysreg.h declares, as seen from EL2. */
static uint64_t mrs(unsigned reg)
{
    uint64_t val;

    must(vpmu_arm_reg_read(&hw, reg, &at_el2, &val, NULL) >= 0);
    return val;
}

static void msr(unsigned reg, uint64_t val)
{
    must(vpmu_arm_reg_write(&hw, reg, &at_el2, val, NULL) >= 0);
}

#define FAKE_SYSREG(name, reg)                                                                     \
    uint64_t vpmu_mrs_##name(void)                                                                 \
    {                                                                                              \
        return mrs(reg);                                                                           \
    }                                                                                              \
    void vpmu_msr_##name(uint64_t value)                                                           \
    {                                                                                              \
        msr(reg, value);                                                                           \
    }

FAKE_SYSREG(pmcr_el0, VPMU_PMCR)
FAKE_SYSREG(pmcntenset_el0, VPMU_PMCNTENSET)
FAKE_SYSREG(pmcntenclr_el0, VPMU_PMCNTENCLR)
FAKE_SYSREG(pmintenset_el1, VPMU_PMINTENSET)
FAKE_SYSREG(pmintenclr_el1, VPMU_PMINTENCLR)
FAKE_SYSREG(pmovsset_el0, VPMU_PMOVSSET)
FAKE_SYSREG(pmovsclr_el0, VPMU_PMOVSCLR)
FAKE_SYSREG(pmselr_el0, VPMU_PMSELR)
FAKE_SYSREG(pmuserenr_el0, VPMU_PMUSERENR)
FAKE_SYSREG(pmccntr_el0, VPMU_PMCCNTR)
FAKE_SYSREG(pmccfiltr_el0, VPMU_PMCCFILTR)

#define FAKE_SYSREG_FAMILY(name, first)                                                            \
    uint64_t vpmu_mrs_##name(unsigned n)                                                           \
    {                                                                                              \
        return mrs((first) + n);                                                                   \
    }                                                                                              \
    void vpmu_msr_##name(unsigned n, uint64_t value)                                               \
    {                                                                                              \
        msr((first) + n, value);                                                                   \
    }

FAKE_SYSREG_FAMILY(pmevcntr, VPMU_PMEVCNTR0)
FAKE_SYSREG_FAMILY(pmevtyper, VPMU_PMEVTYPER0)

uint64_t vpmu_mrs_mdcr_el2(void)
{
    return controls.mdcr_el2;
}

void vpmu_msr_mdcr_el2(uint64_t value)
{
    controls.mdcr_el2 = value;
    vpmu_arm_set_controls(&hw, &controls, NULL);
}

/* Writes take effect at once on this CPU. */
void vpmu_isb(void)
{
}
