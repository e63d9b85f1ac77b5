/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "guest.h"

#include "fake_el2.h"
#include "known.h"
#include "vpmu/arm/regs.h"

#define PERIOD 1000u
#define ROUNDS 150u
#define INSTS_EL0 37u
#define INSTS_EL1 11u

#define PMCR VPMU_ENC64(3, 3, 9, 12, 0)
#define PMCNTENSET VPMU_ENC64(3, 3, 9, 12, 1)
#define PMOVSCLR VPMU_ENC64(3, 3, 9, 12, 3)
#define PMCCNTR VPMU_ENC64(3, 3, 9, 13, 0)
#define PMINTENSET VPMU_ENC64(3, 0, 9, 14, 1)
#define PMEVCNTR(n) VPMU_ENC64(3, 3, 14, 8, n)
#define PMEVTYPER(n) VPMU_ENC64(3, 3, 14, 12, n)

static unsigned samples, late;

void guest_irq(void)
{
    samples++;
    late += guest_executed() != samples * PERIOD;
    guest_msr(PMOVSCLR, 1);
    guest_msr(PMEVCNTR(0), 0 - (uint64_t)PERIOD);
}

/* Counter 0 samples EL0. Counter 1 and the cycle counter count EL0 and EL1. */
static void start_counting(void)
{
    samples = 0;
    late = 0;
    guest_msr(PMEVTYPER(0), VPMU_TYPER_P | VPMU_EVENT_INST_RETIRED);
    guest_msr(PMEVTYPER(1), VPMU_EVENT_INST_RETIRED);
    guest_msr(PMEVCNTR(0), 0 - (uint64_t)PERIOD);
    guest_msr(PMINTENSET, 1);
    guest_msr(PMCNTENSET, 1u << 31 | 3);
    guest_msr(PMCR, VPMU_PMCR_E | VPMU_PMCR_LC);
}

unsigned guest_main(void)
{
    const unsigned el0 = ROUNDS * INSTS_EL0, el1 = ROUNDS * INSTS_EL1;
    unsigned wrong = 0;

    start_counting();
    for (unsigned i = 0; i < ROUNDS; i++) {
        guest_run(0, INSTS_EL0);
        guest_run(1, INSTS_EL1);
    }
    wrong += differs("the guest's instructions", el0 + el1, guest_mrs(PMEVCNTR(1)));
    wrong += differs("its cycles, two for each", 2 * (el0 + el1), guest_mrs(PMCCNTR));
    wrong += differs("its overflow interrupts", el0 / PERIOD, samples);
    wrong += differs("of them at another instruction", 0, late);
    wrong += differs("instructions since the last", el0 % PERIOD,
                     (uint32_t)(guest_mrs(PMEVCNTR(0)) + PERIOD));
    return wrong;
}
