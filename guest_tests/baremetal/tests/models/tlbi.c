/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * TLB maintenance reaches the modelled TLBs of the CPUs it applies to. CPU 1 loads from two pages
 * at EL0. Then CPU 1 or CPU 0 executes a TLBI. The test checks for how many of the two pages CPU 1
 * walks again.
 */
#include "registers/pmu.h"
#include "runtime/layout.h"
#include "runtime/mmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/smp.h"
#include "runtime/test.h"
#include "tests/models/models.h"

#define PAGE UINT64_C(4096)
#define CODE_PAGE 1u
#define HCR_EL2_FB BIT(9)
/* SCTLR of AArch32: translation off, CP15 barriers enabled as usual. */
#define SCTLR_AARCH32 UINT64_C(0x30c50838)

enum {
    L1I_TLB_REFILL = 0x02,
    L1D_CACHE = 0x04,
    L1D_TLB_REFILL = 0x05,
    DTLB_WALK = 0x34,
    ITLB_WALK = 0x35,
};

static const uint16_t events[] = {L1D_TLB_REFILL, DTLB_WALK, L1I_TLB_REFILL, ITLB_WALK, 0};
/* Counts all the time if the models are to be fed while the TLBI is executed. */
#define FEEDER 4u

/* The register value of a TLBI. P is the first of the two pages. */
enum value {
    NOTHING,
    PAGE_P,
    PAGE_P_ASID_1,
    PAGE_BEHIND,
    ASID_1,
    RANGE_P,   /* two pages of 4 KB from P on */
    RANGE_P_1, /* from the second page on */
    RANGE_2M,  /* 2 MB that contain both pages */
    RANGE_FAR,
};

struct tlbi {
    const char *name;
    uint8_t op1, crm, op2, value;
    uint8_t own;   /* number of pages walked again if CPU 1 executes the TLBI */
    uint8_t other; /* and if CPU 0 executes it */
    uint8_t vmid;  /* of CPU 0 */
    uint64_t hcr;  /* bits set at CPU 0 */
};

static const struct tlbi el1_rows[] = {
    {"vmalle1", 0, 7, 0, NOTHING, 2, 0, 0, 0},
    {"vmalle1is", 0, 3, 0, NOTHING, 2, 2, 0, 0},
    {"vmalle1os", 0, 1, 0, NOTHING, 2, 2, 0, 0},
    {"vae1", 0, 7, 1, PAGE_P, 1, 0, 0, 0},
    {"vae1is", 0, 3, 1, PAGE_P, 1, 1, 0, 0},
    {"vae1os", 0, 1, 1, PAGE_P, 1, 1, 0, 0},
    {"vale1", 0, 7, 5, PAGE_P, 1, 0, 0, 0},
    {"vale1is", 0, 3, 5, PAGE_P, 1, 1, 0, 0},
    {"vae1is, another ASID", 0, 3, 1, PAGE_P_ASID_1, 0, 0, 0, 0},
    {"vae1is, another page", 0, 3, 1, PAGE_BEHIND, 0, 0, 0, 0},
    {"vaae1", 0, 7, 3, PAGE_P_ASID_1, 1, 0, 0, 0},
    {"vaae1is", 0, 3, 3, PAGE_P_ASID_1, 1, 1, 0, 0},
    {"vaale1os", 0, 1, 7, PAGE_P_ASID_1, 1, 1, 0, 0},
    {"aside1", 0, 7, 2, NOTHING, 2, 0, 0, 0},
    {"aside1is", 0, 3, 2, NOTHING, 2, 2, 0, 0},
    {"aside1is, another ASID", 0, 3, 2, ASID_1, 0, 0, 0, 0},
    {"rvae1", 0, 6, 1, RANGE_P, 2, 0, 0, 0},
    {"rvae1is", 0, 2, 1, RANGE_P, 2, 2, 0, 0},
    {"rvae1is, from the second on", 0, 2, 1, RANGE_P_1, 1, 1, 0, 0},
    {"rvae1os, 2 MB", 0, 5, 1, RANGE_2M, 2, 2, 0, 0},
    {"rvaae1is, elsewhere", 0, 2, 3, RANGE_FAR, 0, 0, 0, 0},
    {0},
};

static const struct tlbi el2_rows[] = {
    {"alle1", 4, 7, 4, NOTHING, 2, 0, 0, 0},      {"alle1is", 4, 3, 4, NOTHING, 2, 2, 0, 0},
    {"vmalls12e1", 4, 7, 6, NOTHING, 2, 0, 0, 0}, {"vmalls12e1is", 4, 3, 6, NOTHING, 2, 2, 0, 0},
    {"ipas2e1", 4, 4, 1, PAGE_P, 2, 0, 0, 0},     {"ipas2e1is", 4, 0, 1, PAGE_P, 2, 2, 0, 0},
    {"ipas2le1is", 4, 0, 5, PAGE_P, 2, 2, 0, 0},  {"alle2is", 4, 3, 0, NOTHING, 0, 0, 0, 0},
    {"vae2is", 4, 3, 1, PAGE_P, 0, 0, 0, 0},      {0},
};

/* As a hypervisor sets it for its guests. */
static const struct tlbi guest_rows[] = {
    {"vmalle1, forced", 0, 7, 0, NOTHING, 2, 2, 0, HCR_EL2_FB},
    {"vae1, forced", 0, 7, 1, PAGE_P, 1, 1, 0, HCR_EL2_FB},
    {"vmalle1is, another VMID", 0, 3, 0, NOTHING, 2, 0, 5, 0},
    {"vaae1is, another VMID", 0, 3, 3, PAGE_P, 1, 0, 5, 0},
    {0},
};

/* Only CPU 0 changes to AArch32. */
static const struct tlbi aarch32_rows[] = {
    {"TLBIALLIS", 0, 3, 0, NOTHING, 0, 2, 0, 0},
    {"TLBIMVAIS", 0, 3, 1, PAGE_P, 0, 1, 0, 0},
    {"TLBIMVAIS, another ASID", 0, 3, 1, PAGE_P_ASID_1, 0, 1, 0, 0},
    {"TLBIASIDIS", 0, 3, 2, NOTHING, 0, 2, 0, 0},
    {"TLBIASIDIS, another ASID", 0, 3, 2, ASID_1, 0, 0, 0, 0},
    {"TLBIMVAAIS", 0, 3, 3, PAGE_P, 0, 1, 0, 0},
    {"TLBIMVALIS", 0, 3, 5, PAGE_P, 0, 1, 0, 0},
    {"TLBIMVAALIS", 0, 3, 7, PAGE_P, 0, 1, 0, 0},
    {"TLBIMVAIS, another page", 0, 3, 1, PAGE_BEHIND, 0, 0, 0, 0},
    {"TLBIALL", 0, 7, 0, NOTHING, 0, 0, 0, 0},
    {"ITLBIALL", 0, 5, 0, NOTHING, 0, 0, 0, 0},
    {"DTLBIMVA", 0, 6, 1, PAGE_P, 0, 0, 0, 0},
    {0},
};

/* What all CPUs do next, and what CPU 1 found. */
static struct {
    const struct tlbi *row;
    enum level level;
    unsigned by;
    unsigned times;
    bool fed, aarch32, code;
    uint64_t address;
    uint64_t before[4], after[4];
} job;

static uint64_t value_of(const struct tlbi *row)
{
    uint64_t page = job.address / PAGE, asid_1 = job.aarch32 ? 1 : BIT(48);
    uint64_t range = BIT(46) | page;

    switch ((enum value)row->value) {
    case PAGE_P:
        return job.aarch32 ? job.address : page;
    case PAGE_P_ASID_1:
        return (job.aarch32 ? job.address : page) | asid_1;
    case PAGE_BEHIND:
        return job.aarch32 ? job.address + 2 * PAGE : page + 2;
    case ASID_1:
        return asid_1;
    case RANGE_P:
        return range;
    case RANGE_P_1:
        return range + 1;
    case RANGE_2M:
        /* NUM 3, SCALE 1: 4 times 64 pages before and after P. */
        return (range - 128) | UINT64_C(3) << 39 | BIT(44);
    case RANGE_FAR:
        return range + 2;
    case NOTHING:
        break;
    }
    return 0;
}

static uint32_t *code_page(void)
{
    return (uint32_t *)page_address(CODE_PAGE);
}

/* sys #op1, c8, crm, #op2, x0; dsb sy; isb; ret */
static void write_a64(const struct tlbi *row)
{
    volatile uint32_t *code = code_page();

    code[0] = 0xd5088000u | (uint32_t)row->op1 << 16 | (uint32_t)row->crm << 8 | row->op2 * 32u;
    code[1] = 0xd5033f9f;
    code[2] = 0xd5033fdf;
    code[3] = 0xd65f03c0;
}

/* mcr p15, op1, r0, c8, crm, op2; dsb; isb; hvc #CALL_RETURN */
static void write_a32(const struct tlbi *row)
{
    volatile uint32_t *code = code_page();

    code[0] = 0xee080f10u | (uint32_t)row->op1 << 21 | row->op2 * 32u | row->crm;
    code[1] = 0xf57ff04f;
    code[2] = 0xf57ff06f;
    code[3] = 0xe1400070u | (CALL_RETURN >> 4) << 8 | (CALL_RETURN & 15);
}

static void execute(void)
{
    const uint32_t regs[4] = {(uint32_t)value_of(job.row), 0, 0, 0};

    if (job.aarch32) {
        write_sysreg(sctlr_el1, SCTLR_AARCH32);
        write_sysreg(hcr_el2, 0);
        isb();
        call_aarch32(EL1, (uint32_t)page_address(CODE_PAGE), regs);
        levels_reset();
        return;
    }
    for (unsigned i = 0; i < job.times; i++) {
        call_at(job.level, (level_fn)page_address(CODE_PAGE), value_of(job.row));
    }
}

static void take(uint64_t found[4])
{
    for (unsigned i = 0; events[i]; i++) {
        found[i] = model_take(events[i]);
    }
}

static void load_both(void)
{
    model_run(model_load, job.address, 2, PAGE);
}

static void prepare(unsigned cpu)
{
    levels_reset();
    pmu_reset();
    if (has_el(EL2)) {
        write_sysreg(vttbr_el2, cpu == 0 ? (uint64_t)job.row->vmid << 48 : 0);
        write_sysreg(hcr_el2, read_sysreg(hcr_el2) | (cpu == 0 ? job.row->hcr : 0));
    }
    isb();
    if (cpu != 1) {
        return;
    }
    model_count(events);
    write_pmevtyper(FEEDER, L1D_CACHE | PMEVTYPER_P);
    write_sysreg(pmcntenset_el0, job.fed ? BIT(FEEDER) : 0);
    load_both();
    take(job.before);
    load_both();
    take(job.before);
}

static void run_row(unsigned cpu)
{
    prepare(cpu);
    smp_barrier();
    if (cpu == job.by) {
        execute();
    }
    smp_barrier();
    if (cpu == 1) {
        load_both();
        take(job.after);
        write_sysreg(pmcntenclr_el0, BIT(FEEDER));
    }
    smp_barrier();
}

static void check(const struct tlbi *row, uint64_t pages)
{
    /* With the model fed or not, and by which CPU the TLBI is executed. */
    uint64_t where = (uint64_t)job.fed << 8 | job.by;

    smp_run(run_row);
    expect_eq(row->name, where, 0, job.before[0]);
    expect_eq(row->name, BIT(16) | where, pages, job.after[0]);
    expect_eq(row->name, BIT(17) | where, pages, job.after[1]);
}

static void check_row(const struct tlbi *row)
{
    job.row = row;
    job.times = 1;
    if (job.aarch32) {
        write_a32(row);
    } else {
        write_a64(row);
    }
    for (unsigned fed = 0; fed < 2; fed++) {
        job.fed = fed;
        job.by = 0;
        check(row, row->other);
        if (!job.aarch32 && !row->hcr && !row->vmid) {
            job.by = 1;
            check(row, row->own);
        }
    }
}

static bool start(enum level level, bool aarch32)
{
    if (smp_count() == 1 && smp_start() < 2) {
        skip_test("one CPU");
        return false;
    }
    page_map(CODE_PAGE, PAGE_EL1_CODE);
    job.level = level;
    job.aarch32 = aarch32;
    job.address = model_fresh(2 * PAGE);
    return true;
}

static void check_rows(enum level level, bool aarch32, const struct tlbi *rows)
{
    if (start(level, aarch32)) {
        for (; rows->name; rows++) {
            check_row(rows);
        }
        levels_reset();
    }
}

static void test_el1(void)
{
    check_rows(EL1, false, el1_rows);
}

static void test_el2(void)
{
    check_rows(EL2, false, el2_rows);
}

static void test_guest(void)
{
    check_rows(EL1, false, guest_rows);
}

static void test_aarch32(void)
{
    if (!has_aarch32(EL1)) {
        skip_test("EL1 is AArch64 only");
        return;
    }
    check_rows(EL1, true, aarch32_rows);
}

/*
 * A CPU that does not count model events remembers a limited number of TLBIs. If there are more,
 * they have the effect of one that removes all.
 */
static void test_many(void)
{
    static const struct tlbi row = {"many", 0, 3, 1, PAGE_BEHIND, 0, 0, 0, 0};

    if (!start(EL1, false)) {
        return;
    }
    write_a64(&row);
    job.row = &row;
    job.by = 0;
    for (unsigned fed = 0; fed < 2; fed++) {
        job.fed = fed;
        job.times = 16;
        check(&row, 0);
    }
    job.fed = false;
    job.times = 17;
    check(&row, 2);
}

/* The page of the code, which the instruction TLB holds. */
static void test_fetches(void)
{
    static const struct tlbi row = {"fetches", 0, 3, 0, NOTHING, 2, 2, 0, 0};

    if (start(EL1, false)) {
        write_a64(&row);
        job.row = &row;
        job.by = 0;
        job.times = 1;
        job.fed = false;
        check(&row, 2);
        expect_eq("L1I_TLB_REFILL before", 0, 0, job.before[2]);
        expect_eq("L1I_TLB_REFILL", 0, 1, job.after[2]);
        expect_eq("ITLB_WALK", 0, 1, job.after[3]);
    }
}

#define TLBI_TEST(name, run, homes) TEST(name, run, .home = (homes), .counters = 5)

const struct test test_table[] = {
    TLBI_TEST("tlbi.el1", test_el1, HOME_EL1 | HOME_EL2),
    TLBI_TEST("tlbi.el2", test_el2, HOME_EL2),
    TLBI_TEST("tlbi.guest", test_guest, HOME_EL2),
    TLBI_TEST("tlbi.aarch32", test_aarch32, HOME_EL2),
    TLBI_TEST("tlbi.many", test_many, HOME_EL1 | HOME_EL2),
    TLBI_TEST("tlbi.fetches", test_fetches, HOME_EL1 | HOME_EL2),
    {0},
};
