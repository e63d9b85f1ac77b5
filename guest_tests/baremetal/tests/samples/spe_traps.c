/* SPDX-License-Identifier: GPL-2.0-or-later */

/* FEAT_SPE: what its registers say of themselves, and who may access them and the buffer. */
#include "tests/samples/spe.h"

#define E2PB_TRAP (UINT64_C(2) << 12)
#define NSPB_SECURE (UINT64_C(1) << 12)
#define ENPMSN BIT(36)
#define HDFGRTR_PMSIDR BIT(30)

static uint64_t get_pmbidr(uint64_t arg)
{
    (void)arg;
    return read_sysreg(PMBIDR_EL1);
}

static uint64_t get_pmsidr(uint64_t arg)
{
    (void)arg;
    return read_sysreg(PMSIDR_EL1);
}

static uint64_t get_pmsnevfr(uint64_t arg)
{
    (void)arg;
    return read_sysreg(PMSNEVFR_EL1);
}

static uint64_t get_pmbptr(uint64_t arg)
{
    (void)arg;
    return read_sysreg(PMBPTR_EL1);
}

void test_identity(void)
{
    spe_allow();
    expect_eq("PMSIDR", 0, 0x2605f, read_sysreg(PMSIDR_EL1));
    expect_eq("PMBIDR.P and Align", 0, 6, call_at(EL1, get_pmbidr, 0) & 0x1f);
    if (has_el(EL2)) {
        write_sysreg(mdcr_el2, read_sysreg(mdcr_el2) & ~E2PB_EL1);
        expect_eq("PMBIDR.P of EL2's buffer", 0, 0x16, call_at(EL1, get_pmbidr, 0) & 0x1f);
    }
    spe_stop();
}

static void expect_trap(level_fn fn, unsigned el)
{
    struct trap trap = run_expecting_exception(EL1, fn, 0);

    expect_eq("exceptions", el, el != 0, trap.count);
    if (el != 0) {
        expect_eq("class", el, EC_SYSREG, ESR_EC(trap.esr));
        expect_eq("level", el, el, trap.el);
    }
}

void test_el2_traps(void)
{
    spe_allow();
    expect_trap(get_pmsidr, 0);
    expect_trap(get_pmbptr, 0);
    write_sysreg(HDFGRTR_EL2, HDFGTR_NPMSNEVFR | HDFGRTR_PMSIDR);
    expect_trap(get_pmsidr, EL2);
    write_sysreg(HDFGRTR_EL2, HDFGTR_NPMSNEVFR);
    write_sysreg(mdcr_el2, read_sysreg(mdcr_el2) | TPMS);
    expect_trap(get_pmsidr, EL2);
    expect_trap(get_pmbptr, 0);
    write_sysreg(mdcr_el2, (read_sysreg(mdcr_el2) & ~(TPMS | E2PB_EL1)) | E2PB_TRAP);
    expect_trap(get_pmsidr, 0);
    expect_trap(get_pmbptr, EL2);
    spe_stop();
}

void test_el3_traps(void)
{
    spe_allow();
    expect_trap(get_pmsidr, 0);
    expect_trap(get_pmsnevfr, EL3);
    write_sysreg(mdcr_el3, read_sysreg(mdcr_el3) | ENPMSN);
    expect_trap(get_pmsnevfr, 0);
    write_sysreg(mdcr_el3, (read_sysreg(mdcr_el3) & ~NSPB_NON_SECURE) | NSPB_SECURE);
    expect_trap(get_pmsidr, EL3);
    expect_trap(get_pmbptr, EL3);
    expect_trap(get_pmbidr, 0);
    spe_stop();
}

void test_el0_undefined(void)
{
    struct trap trap = run_expecting_exception(EL0, get_pmsidr, 0);

    expect_eq("exceptions", 0, 1, trap.count);
    expect_eq("class", 0, EC_UNKNOWN, ESR_EC(trap.esr));
}
