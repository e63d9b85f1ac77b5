/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#include "fake_pe.h"

#include <inttypes.h>
#include <string.h>

#include "vpmu/arm/sysreg.h"

/* Counters beyond those that a test requests only have numbers. */
#define MAX_WRITES 64
#define CYCLE_INDEX VPMU_CYCLE_COUNTER

struct machine pe;

static struct pe_write writes[MAX_WRITES];
static unsigned write_count;

static const char *name_of(unsigned reg)
{
    if (reg == PE_MDCR_EL2) {
        return "MDCR_EL2";
    }
    return reg == PE_ISB ? "ISB" : vpmu_arm_reg_info(reg)->name64;
}

/*
 * Writes since the last context synchronisation that affect counting. A PE may let each take effect
 * at any time before the next synchronisation, so after later writes or before earlier ones.
 */
static struct pe_write pending[MAX_WRITES];
static unsigned pending_count;
static struct machine synchronised;
/*
 * The state of the PE after the last write. Tests also write registers themselves, which
 * synchronises.
 */
static struct vpmu_arm left;

static bool says_what_counts(unsigned reg)
{
    return reg == PE_MDCR_EL2 || reg == VPMU_PMCR || reg == VPMU_PMCNTENSET ||
           reg == VPMU_PMCNTENCLR || reg == VPMU_PMCCFILTR ||
           (reg >= VPMU_PMEVTYPER0 && reg < VPMU_REG_COUNT);
}

static void take_effect(struct machine *m, const struct pe_write *write)
{
    if (write->reg == PE_MDCR_EL2) {
        machine_control(m, write->val, 0);
    } else {
        set(m, write->reg, write->val);
    }
}

/* EL2 can access the cycle counter even if it is not lent. Only traps stop guests. */
static bool is_cycle_counter_lent(void)
{
    uint64_t mdcr = synchronised.v.controls.mdcr_el2;

    for (unsigned i = 0; i < pending_count; i++) {
        mdcr |= pending[i].reg == PE_MDCR_EL2 ? pending[i].val : 0;
    }
    return mdcr & VPMU_MDCR_EL2_HCCD;
}

/* What counts at EL2 if the pending writes in a mask have taken effect. */
static uint64_t counting_with(uint64_t mask)
{
    struct machine m = synchronised;

    m.v.count.totals = vpmu_arm_table(&m.totals);
    m.v.watch = NULL;
    for (unsigned i = 0; i < pending_count; i++) {
        if (mask >> i & 1) {
            take_effect(&m, &pending[i]);
        }
    }
    return m.v.count.in_ctx[NS_EL2] & (is_cycle_counter_lent() ? ALL_ONES : ~CYCLES);
}

/*
 * Checks that no order of the pending writes lets a counter count EL2, or stop, that would not do
 * so in program order.
 */
static void check_order(uint64_t mask, uint64_t always, uint64_t ever, const char *how)
{
    uint64_t counting = counting_with(mask);

    ck_assert_msg(!(counting & ~ever) && !(always & ~counting),
                  "context not synchronised: if %s %s takes effect, expected %#" PRIx64
                  " to count at EL2, and no more than %#" PRIx64 ", got %#" PRIx64,
                  name_of(pending[pending_count - 1].reg), how, always, ever, counting);
}

static void check_orders(void)
{
    uint64_t last = BIT(pending_count - 1);
    uint64_t always = ALL_ONES;
    uint64_t ever = 0;

    for (unsigned i = 0; i <= pending_count; i++) {
        uint64_t counting = counting_with(BIT(i) - 1);

        always &= counting;
        ever |= counting;
    }
    for (unsigned i = 0; i + 1 < pending_count; i++) {
        check_order((BIT(i) - 1) | last, always, ever, "before earlier ones");
        check_order((2 * last - 1) & ~BIT(i), always, ever, "before an earlier one");
    }
}

static bool is_as_left(void)
{
    return pe.v.regs.pmcr == left.regs.pmcr && pe.v.regs.cnten == left.regs.cnten &&
           pe.v.controls.mdcr_el2 == left.controls.mdcr_el2;
}

/* Call this before the write. */
static void order_write(unsigned reg, uint64_t val)
{
    if (!says_what_counts(reg)) {
        return;
    }
    if (!pending_count || !is_as_left()) {
        synchronised = pe;
        pending_count = 0;
    }
    ck_assert_uint_lt(pending_count, MAX_WRITES - 1);
    pending[pending_count++] = (struct pe_write){reg, val};
    check_orders();
}

static void log_write(unsigned reg, uint64_t val)
{
    if (write_count < MAX_WRITES) {
        writes[write_count] = (struct pe_write){reg, val};
    }
    write_count++;
}

static void check_access(unsigned reg, bool write)
{
    enum vpmu_access access = vpmu_arm_reg_access(&pe.v, reg, &at_el2, write);

    ck_assert_msg(access == VPMU_ACCESS_OK, "expected access to register %u got refusal %d", reg,
                  (int)access);
}

static uint64_t mrs(unsigned reg)
{
    check_access(reg, false);
    return get(&pe, reg);
}

static void msr(unsigned reg, uint64_t val)
{
    check_access(reg, true);
    if (reg == VPMU_PMCR) {
        expect("commands in PMCR_EL0", 0, val & (VPMU_PMCR_P | VPMU_PMCR_C));
    }
    log_write(reg, val);
    order_write(reg, val);
    set(&pe, reg, val);
    left = pe.v;
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

uint64_t vpmu_mrs_pmevcntr(unsigned n)
{
    return mrs(PMEVCNTR(n));
}

void vpmu_msr_pmevcntr(unsigned n, uint64_t value)
{
    msr(PMEVCNTR(n), value);
}

uint64_t vpmu_mrs_pmevtyper(unsigned n)
{
    return mrs(PMEVTYPER(n));
}

void vpmu_msr_pmevtyper(unsigned n, uint64_t value)
{
    msr(PMEVTYPER(n), value);
}

uint64_t vpmu_mrs_mdcr_el2(void)
{
    return pe.controls.mdcr_el2;
}

/* HPMN out of range, or 0 without FEAT_HPMN0, is CONSTRAINED UNPREDICTABLE (Arm ARM D24.3). */
void vpmu_msr_mdcr_el2(uint64_t value)
{
    uint64_t hpmn = value & VPMU_MDCR_EL2_HPMN;

    ck_assert_msg(hpmn >= 1 && hpmn <= pe.v.config.counters,
                  "MDCR_EL2.HPMN: expected 1 to %u got %" PRIu64, pe.v.config.counters, hpmn);
    log_write(PE_MDCR_EL2, value);
    order_write(PE_MDCR_EL2, value);
    machine_control(&pe, value, 0);
    left = pe.v;
}

void vpmu_isb(void)
{
    log_write(PE_ISB, 0);
    pending_count = 0;
}

/* PMUv3p8 with SPE has every control that the switch uses. */
void pe_start(unsigned counters)
{
    machine_start_as(&pe, VPMU_V3P8, counters, VPMU_HAS_EL2 | VPMU_HAS_SPE);
    machine_enter(&pe, NS_EL2);
    pending_count = 0;
    pe_log();
}

void pe_run(unsigned ctx, uint64_t n)
{
    /* An exception and an exception return synchronise the context. Running at EL2 does not. */
    pending_count = ctx == NS_EL2 ? pending_count : 0;
    machine_enter(&pe, ctx);
    machine_instructions(&pe, n);
    machine_cycles(&pe, n);
    machine_enter(&pe, NS_EL2);
    machine_settle(&pe);
}

/* PMXEVTYPER and PMXEVCNTR stand for other registers or for none. */
static bool is_readable(unsigned reg)
{
    return vpmu_arm_reg_exists(&pe.v, reg, false) && vpmu_arm_reg_info(reg)->dir != VPMU_WO &&
           reg != VPMU_PMXEVTYPER && reg != VPMU_PMXEVCNTR;
}

struct pe_registers pe_registers(void)
{
    struct pe_registers now = {.mdcr = pe.controls.mdcr_el2};

    for (unsigned reg = 0; reg < VPMU_REG_COUNT; reg++) {
        now.reg[reg] = is_readable(reg) ? get(&pe, reg) : 0;
    }
    return now;
}

/* The counter whose value or type the register is, or a number that no counter has. */
static unsigned counter_of(unsigned reg)
{
    if (reg == VPMU_PMCCNTR || reg == VPMU_PMCCFILTR) {
        return CYCLE_INDEX;
    }
    return reg >= VPMU_PMEVCNTR0 ? (reg - VPMU_PMEVCNTR0) % VPMU_MAX_EVENT_COUNTERS : 63;
}

void pe_expect_same(const char *what, const struct pe_registers *was, uint64_t but)
{
    struct pe_registers now = pe_registers();

    expect_in(what, "MDCR_EL2", was->mdcr, now.mdcr);
    for (unsigned reg = 0; reg < VPMU_REG_COUNT; reg++) {
        if (!(but & BIT(counter_of(reg)))) {
            ck_assert_msg(was->reg[reg] == now.reg[reg],
                          "%s: register %u: expected %#" PRIx64 " got %#" PRIx64, what, reg,
                          was->reg[reg], now.reg[reg]);
        }
    }
}

void pe_log(void)
{
    write_count = 0;
}

void pe_expect_log(const char *what, const struct pe_write *want, size_t count)
{
    ck_assert_uint_le(count, MAX_WRITES);
    for (size_t i = 0; i < count && i < write_count; i++) {
        ck_assert_msg(want[i].reg == writes[i].reg && want[i].val == writes[i].val,
                      "%s: write %zu: expected %s = %#" PRIx64 " got %s = %#" PRIx64, what, i,
                      name_of(want[i].reg), want[i].val, name_of(writes[i].reg), writes[i].val);
    }
    expect_in(what, "registers written", count, write_count);
}
