/* SPDX-License-Identifier: GPL-2.0-or-later */

/* FEAT_SPE: its identification registers, and traps of accesses to its registers and buffer. */
#include "runtime/mmu.h"
#include "tests/samples/spe.h"

#define E2PB_TRAP (UINT64_C(2) << 12)
#define NSPB_SECURE (UINT64_C(1) << 12)
#define ENPMSN BIT(36)
#define HDFGRTR_PMSIDR BIT(30)

#define PMSCR_EL12 S3_5_C9_C9_0

#define GPCCR_EL3 S3_6_C2_C1_6
#define GPTBR_EL3 S3_6_C2_C1_4
/* A table of 4 GB for granules of 4 KB, outer shareable, not cached; GPC. */
#define GPCCR_ON (UINT64_C(2) << 12 | BIT(16))
/* An entry of level 0: 1 GB with this GPI. */
#define GPT_BLOCK(gpi) (UINT64_C(1) | (uint64_t)(gpi) << 4)
#define GPI_ANY 15
#define GPI_NONE 0
#define BLOCK_1G (UINT64_C(1) << 30)

#define PMBSR_GRANULE (PMBSR_S | UINT64_C(0x1e) << 26)
#define GRANULE_FAULT 0x28

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

static uint64_t get_pmscr_el2(uint64_t arg)
{
    (void)arg;
    return read_sysreg(PMSCR_EL2);
}

static uint64_t get_pmscr_el12(uint64_t arg)
{
    (void)arg;
    return read_sysreg(PMSCR_EL12);
}

/* FEAT_NV: EL1 runs as if it were EL2, and its accesses to registers of EL2 trap. */
void test_nested(void)
{
    uint64_t hcr = read_sysreg(hcr_el2);

    if (FIELD(read_sysreg(id_aa64mmfr2_el1), 24, 4) == 0) {
        skip_test("no NV");
        return;
    }
    spe_allow();
    write_sysreg(hcr_el2, hcr | HCR_EL2_NV);
    isb();
    expect_trap(get_pmscr_el2, EL2);
    expect_trap(get_pmscr_el12, EL2);
    write_sysreg(hcr_el2, hcr);
    spe_stop();
}

static uint64_t granules[4] __attribute__((aligned(PAGE_SIZE)));

static void protect(uint64_t entry)
{
    granules[2] = entry;
    __asm__ volatile("dsb sy\n\tsys #6, c8, c7, #4\n\tdsb sy\n\tisb" : : : "memory");
}

/* A page of the third gigabyte, where there is no memory: its granules decide first. */
void test_granules(void)
{
    if (FIELD(read_sysreg(id_aa64pfr0_el1), 52, 4) == 0) {
        skip_test("no RME");
        return;
    }
    page_map(3, PAGE_UNMAPPED);
    *(volatile uint64_t *)page_descriptor(3) =
        page_descriptor_value(3, PAGE_DATA) - page_address(3) + 2 * BLOCK_1G;
    granules[0] = GPT_BLOCK(GPI_ANY);
    granules[1] = GPT_BLOCK(GPI_ANY);
    write_sysreg(GPTBR_EL3, (uintptr_t)granules >> 12);
    protect(GPT_BLOCK(GPI_NONE));
    write_sysreg(GPCCR_EL3, GPCCR_ON);
    isb();
    spe_expect_fault(page_address(3), PMBSR_STAGE1 | GRANULE_FAULT);
    protect(0);
    spe_expect_fault(page_address(3), PMBSR_GRANULE);
    write_sysreg(GPCCR_EL3, 0);
    page_map(3, PAGE_UNMAPPED);
    protect(0);
}
