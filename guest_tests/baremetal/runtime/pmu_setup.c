/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime/pmu_setup.h"

#include "registers/pmu.h"
#include "runtime/gic.h"

static struct pmu_irq irqs[MAX_CPUS];

uint64_t pmu_mask(void)
{
    return (BIT(pmu_counters()) - 1) | BIT(CYCLE_COUNTER);
}

uint64_t filter_everywhere(void)
{
    return has_el(EL2) ? PMEVTYPER_NSH : 0;
}

void pmu_reset(void)
{
    gic_disable(INTID_PMU);
    if (pmu_version() == 0) {
        return;
    }
    write_sysreg(pmcr_el0, 0);
    write_sysreg(pmcntenclr_el0, pmu_mask());
    write_sysreg(pmintenclr_el1, pmu_mask());
    write_sysreg(pmuserenr_el0, 0);
    write_sysreg(pmselr_el0, 0);
    write_sysreg(pmccfiltr_el0, 0);
    for (unsigned n = 0; n < pmu_counters(); n++) {
        write_pmevtyper(n, 0);
    }
    write_sysreg(pmcr_el0, PMCR_P | PMCR_C);
    write_sysreg(pmovsclr_el0, pmu_mask());
    isb();
}

void pmu_count(unsigned n, uint64_t type)
{
    write_pmevtyper(n, type);
    write_pmevcntr(n, 0);
    write_sysreg(pmcntenset_el0, BIT(n));
    write_sysreg(pmcr_el0, read_sysreg(pmcr_el0) | PMCR_E);
    isb();
}

void pmu_count_instructions(void)
{
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    pmu_count(0, EVENT_INST_RETIRED | filter_everywhere());
}

static bool pmu_irq_handler(struct frame *frame, unsigned el)
{
    struct pmu_irq *irq = &irqs[this_cpu()->index];
    unsigned intid = gic_acknowledge();

    if (intid >= INTID_SPURIOUS) {
        return true;
    }
    if (intid == INTID_PMU) {
        write_sysreg(pmcntenclr_el0, irq->stop_mask);
        if (irq->count++ == 0) {
            irq->elr = frame->elr;
            irq->el = el;
            irq->overflows = read_sysreg(pmovsset_el0);
        }
        write_sysreg(pmovsclr_el0, read_sysreg(pmovsset_el0));
        isb();
    }
    gic_end(intid);
    return intid == INTID_PMU;
}

struct pmu_irq *pmu_irq_watch(uint64_t stop_mask)
{
    struct cpu *cpu = this_cpu();
    struct pmu_irq *irq = &irqs[cpu->index];

    *irq = (struct pmu_irq){.stop_mask = stop_mask};
    cpu->on_irq = pmu_irq_handler;
    gic_enable(INTID_PMU);
    return irq;
}

bool pmu_irq_line(void)
{
    isb();
    return gic_line(INTID_PMU);
}
