/* SPDX-License-Identifier: GPL-2.0-or-later */

/* Ways to take an exception. */
#include "tests/events/exceptions.h"

#include "registers/pmu.h"
#include "runtime/gic.h"
#include "runtime/mmu.h"
#include "runtime/pmu_setup.h"

#define CPACR_EL1_FPEN (UINT64_C(3) << 20)
#define CPTR_EL2_TFP BIT(10)

extern const struct event_case case_svc, case_hvc, case_smc, case_smc_trapped, case_udf, case_brk,
    case_mrs_id, case_load_mended, case_load_skipped, case_store_mended, case_ldadd_skipped,
    case_pair_mended, case_unaligned_mended, case_call, case_fadd_mended, case_vector_skipped,
    case_wfi, case_contextidr, case_ttbr, case_zva, case_mrs_trapped, case_interrupt, case_fiq;

unsigned taken;
const struct row *current;

static bool note(unsigned el)
{
    expect_eq("level", taken, current->to, el);
    taken++;
    return true;
}

static bool leave(struct frame *frame, unsigned el)
{
    (void)frame;
    return note(el);
}

static bool skip_one(struct frame *frame, unsigned el)
{
    frame->elr += 4;
    return note(el);
}

static bool return_early(struct frame *frame, unsigned el)
{
    frame->elr = frame->x[30];
    return note(el);
}

static bool map_page(struct frame *frame, unsigned el)
{
    (void)frame;
    page_map(PAGE_TRIED, PAGE_DATA);
    return note(el);
}

static bool map_stage2(struct frame *frame, unsigned el)
{
    (void)frame;
    stage2_map_playground();
    return note(el);
}

static bool allow_vectors(struct frame *frame, unsigned el)
{
    (void)frame;
    write_sysreg(cpacr_el1, CPACR_EL1_FPEN);
    isb();
    return note(el);
}

static bool end_interrupt(struct frame *frame, unsigned el)
{
    unsigned intid = gic_acknowledge();

    (void)frame;
    if (intid < INTID_SPURIOUS) {
        gic_end(intid);
    }
    return intid != SGI || note(el);
}

static void unmap(void)
{
    page_map(PAGE_BEFORE, PAGE_DATA);
    page_map(PAGE_TRIED, PAGE_UNMAPPED);
}

static void unmap_stage2(void)
{
    page_map(PAGE_BEFORE, PAGE_DATA);
    page_map(PAGE_TRIED, PAGE_DATA);
    stage2_enable();
}

static void unmap_stage2_code(void)
{
    unmap_stage2();
    page_map(PAGE_TRIED, PAGE_EL1_CODE);
}

static void disable_vectors(void)
{
    write_sysreg(cpacr_el1, 0);
    isb();
}

static void trap_vectors_el2(void)
{
    write_sysreg(cptr_el2, read_sysreg(cptr_el2) | CPTR_EL2_TFP);
    isb();
}

static void set_hcr(uint64_t bits)
{
    write_sysreg(hcr_el2, HCR_EL2_RW | bits);
    isb();
}

/* There is one function for each control bit of HCR_EL2. */
#define HCR(name, bits)                                                                            \
    static void name(void)                                                                         \
    {                                                                                              \
        set_hcr(bits);                                                                             \
    }

HCR(trap_wfi, HCR_EL2_TWI)
HCR(trap_virtual_memory, HCR_EL2_TVM)
HCR(trap_zva, HCR_EL2_TDZ)
HCR(trap_ids, HCR_EL2_TID3)
HCR(trap_smc, HCR_EL2_TSC)
HCR(route_all, HCR_EL2_TGE)

static void allow_interrupts(void)
{
    this_cpu()->on_irq = end_interrupt;
    gic_enable(SGI);
}

static void allow_fiqs(void)
{
    /* EL0 may unmask interrupts. */
    write_sysreg(sctlr_el1, read_sysreg(sctlr_el1) | SCTLR_EL1_UMA);
    this_cpu()->on_other = end_interrupt;
    gic_signal_fiq(true);
    gic_enable(SGI);
}

static void route_interrupts(void)
{
    set_hcr(HCR_EL2_IMO);
    allow_interrupts();
}

static void route_fiqs(void)
{
    set_hcr(HCR_EL2_FMO);
    allow_fiqs();
}

#define ALL (HOME_EL1 | HOME_EL2 | HOME_EL3)
#define BELOW_EL3 (HOME_EL1 | HOME_EL2)

const struct row local_rows[] = {
    {&case_svc, EL0, EL1, SVC, 100, NULL, leave, ALL},
    {&case_svc, EL1, EL1, SVC, 100, NULL, leave, ALL},
    {&case_udf, EL0, EL1, UNDEF, 100, NULL, skip_one, ALL},
    {&case_udf, EL1, EL1, UNDEF, 100, NULL, skip_one, ALL},
    {&case_brk, EL0, EL1, PABORT, 100, NULL, skip_one, ALL},
    {&case_mrs_id, EL0, EL1, UNDEF, 100, NULL, skip_one, ALL},
    {&case_load_mended, EL0, EL1, DABORT, 1, unmap, map_page, ALL},
    {&case_load_mended, EL1, EL1, DABORT, 1, unmap, map_page, ALL},
    {&case_load_skipped, EL0, EL1, DABORT, 100, unmap, skip_one, ALL},
    {&case_store_mended, EL0, EL1, DABORT, 1, unmap, map_page, ALL},
    {&case_ldadd_skipped, EL0, EL1, DABORT, 10, unmap, skip_one, ALL},
    {&case_pair_mended, EL0, EL1, DABORT, 1, unmap, map_page, ALL},
    {&case_unaligned_mended, EL0, EL1, DABORT, 1, unmap, map_page, ALL},
    {&case_call, EL0, EL1, PABORT, 100, unmap, return_early, ALL},
    {&case_call, EL1, EL1, PABORT, 100, unmap, return_early, ALL},
    {&case_fadd_mended, EL0, EL1, UNDEF, 1, disable_vectors, allow_vectors, ALL},
    {&case_vector_skipped, EL0, EL1, UNDEF, 10, disable_vectors, skip_one, ALL},
    {&case_interrupt, EL0, EL1, IRQ, 100, allow_interrupts, NULL, BELOW_EL3},
    {&case_interrupt, EL1, EL1, IRQ, 100, allow_interrupts, NULL, BELOW_EL3},
    {&case_fiq, EL0, EL1, FIQ, 100, allow_fiqs, NULL, BELOW_EL3},
    {&case_fiq, EL1, EL1, FIQ, 100, allow_fiqs, NULL, BELOW_EL3},
    {0},
};

const struct row el2_rows[] = {
    {&case_hvc, EL1, EL2, HVC, 100, NULL, leave, HOME_EL2 | HOME_EL3},
    {&case_hvc, EL2, EL2, HVC, 100, NULL, leave, HOME_EL2 | HOME_EL3},
    {&case_udf, EL2, EL2, UNDEF, 100, NULL, skip_one, HOME_EL2 | HOME_EL3},
    {&case_smc_trapped, EL1, EL2, TRAP_OTHER, 100, trap_smc, skip_one, HOME_EL2 | HOME_EL3},
    {&case_wfi, EL1, EL2, TRAP_OTHER, 100, trap_wfi, skip_one, HOME_EL2},
    {&case_wfi, EL0, EL2, TRAP_OTHER, 100, trap_wfi, skip_one, HOME_EL2},
    {&case_contextidr, EL1, EL2, TRAP_OTHER, 100, trap_virtual_memory, skip_one, HOME_EL2},
    {&case_ttbr, EL1, EL2, TRAP_OTHER, 100, trap_virtual_memory, skip_one, HOME_EL2},
    {&case_zva, EL0, EL2, TRAP_OTHER, 100, trap_zva, skip_one, HOME_EL2},
    {&case_zva, EL1, EL2, TRAP_OTHER, 100, trap_zva, skip_one, HOME_EL2},
    {&case_mrs_trapped, EL1, EL2, TRAP_OTHER, 100, trap_ids, skip_one, HOME_EL2},
    {&case_vector_skipped, EL1, EL2, TRAP_OTHER, 10, trap_vectors_el2, skip_one, HOME_EL2},
    {&case_load_mended, EL1, EL2, TRAP_DABORT, 1, unmap_stage2, map_stage2, HOME_EL2},
    {&case_load_mended, EL0, EL2, TRAP_DABORT, 1, unmap_stage2, map_stage2, HOME_EL2},
    {&case_store_mended, EL0, EL2, TRAP_DABORT, 1, unmap_stage2, map_stage2, HOME_EL2},
    {&case_call, EL1, EL2, TRAP_PABORT, 10, unmap_stage2_code, return_early, HOME_EL2},
    {&case_interrupt, EL0, EL2, TRAP_IRQ, 100, route_interrupts, NULL, HOME_EL2},
    {&case_interrupt, EL1, EL2, TRAP_IRQ, 100, route_interrupts, NULL, HOME_EL2},
    {&case_interrupt, EL2, EL2, IRQ, 100, route_interrupts, NULL, HOME_EL2},
    {&case_fiq, EL1, EL2, TRAP_FIQ, 100, route_fiqs, NULL, HOME_EL2},
    {&case_fiq, EL2, EL2, FIQ, 100, route_fiqs, NULL, HOME_EL2},
    /* With TGE and without E2H, EL2 is not local to EL0. */
    {&case_svc, EL0, EL2, TRAP_OTHER, 100, route_all, leave, HOME_EL2},
    {&case_udf, EL0, EL2, TRAP_OTHER, 100, route_all, skip_one, HOME_EL2},
    {0},
};

const struct row el3_rows[] = {
    {&case_smc, EL1, EL3, SMC, 100, NULL, leave, HOME_EL3},
    {&case_smc, EL2, EL3, SMC, 100, NULL, leave, HOME_EL3},
    {&case_smc, EL3, EL3, SMC, 100, NULL, leave, HOME_EL3},
    {&case_udf, EL3, EL3, UNDEF, 100, NULL, skip_one, HOME_EL3},
    {&case_svc, EL3, EL3, SVC, 100, NULL, leave, HOME_EL3},
    {0},
};
