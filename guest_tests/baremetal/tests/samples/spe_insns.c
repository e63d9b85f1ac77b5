/* SPDX-License-Identifier: GPL-2.0-or-later */

/* FEAT_SPE: instructions with a governing predicate, and calls that are executed once more. */
#include "runtime/gic.h"
#include "runtime/mmu.h"
#include "runtime/pmu_setup.h"
#include "tests/events/events.h"
#include "tests/samples/spe.h"

#define L1D_ACCESS BIT(2)
#define NOT_FULL BIT(17)
#define EMPTY BIT(18)

/* The instructions of spe_vectors(), with vectors of 128 bits. */
static const struct {
    unsigned operation;
    bool accesses;
    uint64_t events;
} vectors[] = {
    {0x12c, true, 0},        {0x12c, false, EMPTY | NOT_FULL}, {0x12d, false, EMPTY | NOT_FULL},
    {0x12c, true, NOT_FULL}, {0x02e, false, NOT_FULL},         {0x028, false, 0},
    {0x006, false, 0},
};

/* The address of the second access is not mapped, which does not matter. */
void test_vectors(void)
{
    if (!has_feature(NEEDS_SVE)) {
        skip_test("no SVE");
        return;
    }
    enable_features();
    page_map(3, PAGE_UNMAPPED);
    for (unsigned i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
        struct sample s;

        spe_allow();
        /* The first instruction is the ISB. */
        spe_run(spe_vectors, 2 + i, page_address(3));
        s = spe_get(0);
        expect_eq("records", i, 1, spe_records());
        expect_eq("PC", i, spe_code(spe_vectors_start, 4 * i), s.pc);
        expect_eq("operation", i, vectors[i].operation, s.operation);
        expect_eq("address", i, vectors[i].accesses, s.address != 0);
        expect_eq("events", i, vectors[i].events | (vectors[i].accesses ? L1D_ACCESS : 0),
                  s.events & (NOT_FULL | EMPTY | L1D_ACCESS));
    }
    spe_stop();
}

#define CNT_CYCLES 0x4004u
#define CALLS 8u
/* The trampoline's BLR, the calls and their NOPs, RET, CMP, two branches and the last SVC. */
#define COUNTED (1 + 2 * CALLS + 5)
/* The counter overflows at most this many nanoseconds after it is set. */
#define LATEST 4000u

static bool ignore(struct frame *frame, unsigned el)
{
    (void)frame;
    (void)el;
    return true;
}

/*
 * A counter of time that overflows during a call has overflowed before it: the interrupt comes
 * first, and the call is executed after it. SPE counts it once.
 */
void test_calls(void)
{
    struct pmu_irq *irq = pmu_irq_watch(BIT(0));
    unsigned interrupts = 0;

    this_cpu()->on_sync = ignore;
    spe_allow();
    write_sysreg(pmintenset_el1, BIT(0));
    for (unsigned k = 1; k <= LATEST; k++) {
        irq->count = 0;
        write_sysreg(PMSICR_EL1, BIT(20));
        write_sysreg(PMSCR_EL1, E0SPE);
        pmu_count(0, CNT_CYCLES | filter_everywhere());
        write_pmevcntr(0, BIT(32) - k);
        isb();
        call_at_with_irqs(EL0, spe_calls, 0);
        write_sysreg(PMSCR_EL1, 0);
        isb();
        expect_eq("instructions", k, COUNTED, BIT(20) - read_sysreg(PMSICR_EL1));
        interrupts += irq->count;
    }
    expect_eq("interrupts", 0, 1, interrupts > 0);
    pmu_reset();
    spe_stop();
}
