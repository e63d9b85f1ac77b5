/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * Exceptions in the middle of a block. What was executed counts once, what was not executed does
 * not count.
 */
#include "tests/levels/faults.h"

#include "registers/pmu.h"
#include "runtime/layout.h"
#include "runtime/gic.h"
#include "runtime/mmu.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"

#define RUNS 1000u
#define AT_EL0 (1u << EL0)
#define AT_EL1 (1u << EL1)

/*
 * Pages of the playground: one that is always mapped, and the page after it, which each case maps
 * as it needs.
 */
#define PAGE_BEFORE 2u
#define PAGE_TRIED 3u

/* An 8-byte access there touches both pages. */
#define CROSSING (-4)
/* The first of two registers is accessed in one page, the second in the other. */
#define PAIR_CROSSING (-8)
/* The distance from the tested page to an address whose translation is aborted. */
#define TO_BROKEN_WALK                                                                             \
    ((int)(BROKEN_WALK_ADDRESS - PLAYGROUND_BASE - PAGE_TRIED * (uint64_t)PAGE_SIZE))

/**
 * struct fault - one case
 * @body: what runs, and @instructions how many of it are executed, without the last read.
 * @handler: what EL1 does, @exceptions times.
 * @prepare: sets up the cause before each run, for a level.
 * @offset: the offset of the address that the body gets, from the start of the tested page.
 * @levels: mask of AT_*.
 */
struct fault {
    level_fn body;
    unsigned instructions;
    const struct fast_handler *handler;
    unsigned exceptions;
    void (*prepare)(enum level level);
    int offset;
    unsigned levels;
};

static enum page_use page_use_of(const struct fault *fault, enum level level)
{
    if (fault->body != body_call) {
        return PAGE_DATA;
    }
    return level == EL0 ? PAGE_EL0_CODE : PAGE_EL1_CODE;
}

static void check_level(const struct fault *fault, const char *where, enum level level,
                        uint64_t filter)
{
    uint64_t handled = filter & PMEVTYPER_P ? 0 : fault->handler->instructions;
    uint64_t expected = fault->instructions + 1 + fault->exceptions * handled;
    struct fault_arg arg = {
        .address = page_address(PAGE_TRIED) + (uint64_t)(int64_t)fault->offset,
        .descriptor = page_descriptor(PAGE_TRIED),
        .value = page_descriptor_value(PAGE_TRIED, page_use_of(fault, level)),
    };

    pmu_count(0, EVENT_INST_RETIRED | filter);
    use_fast_handler(fault->handler);
    for (unsigned i = 0; i < RUNS; i++) {
        if (fault->prepare) {
            fault->prepare(level);
        }
        expect_eq(where, i, expected, call_at(level, fault->body, (uintptr_t)&arg));
    }
}

static void check(const struct fault *fault)
{
    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    if (fault->levels & AT_EL0) {
        check_level(fault, "EL0 alone", EL0, PMEVTYPER_P);
        check_level(fault, "EL0 and its handler", EL0, 0);
    }
    if (fault->levels & AT_EL1) {
        check_level(fault, "EL1 and its handler", EL1, 0);
    }
}

static void unmap_page(enum level level)
{
    (void)level;
    page_map(PAGE_BEFORE, PAGE_DATA);
    page_map(PAGE_TRIED, PAGE_UNMAPPED);
}

static void check_alignment(enum level level)
{
    (void)level;
    page_map(PAGE_TRIED, PAGE_DATA);
    write_sysreg(sctlr_el1, read_sysreg(sctlr_el1) | SCTLR_EL1_A);
    isb();
}

static void disable_fp(enum level level)
{
    (void)level;
    write_sysreg(cpacr_el1, 0);
    isb();
}

/* EL0 may read the counter, but not PMCR. */
static void allow_counter_reads_only(enum level level)
{
    (void)level;
    write_sysreg(pmuserenr_el0, PMUSERENR_ER);
}

static void trap_wfi(enum level level)
{
    (void)level;
    write_sysreg(sctlr_el1, read_sysreg(sctlr_el1) & ~SCTLR_EL1_NTWI);
    isb();
}

/* An interrupt that PSTATE masks ends a WFI. This one comes a little later. */
static void wake_soon(enum level level)
{
    (void)level;
    gic_enable(INTID_VIRTUAL_TIMER);
    write_sysreg(cntv_tval_el0, 20000);
    write_sysreg(cntv_ctl_el0, 1);
}

static void wake_at_once(enum level level)
{
    (void)level;
    gic_enable(INTID_VIRTUAL_TIMER);
    write_sysreg(cntv_tval_el0, 0);
    write_sysreg(cntv_ctl_el0, 1);
    while (!gic_line(INTID_VIRTUAL_TIMER)) {
    }
}

static void write_code(unsigned page, int offset, const char *code, const char *end)
{
    uint32_t *to = (uint32_t *)(page_address(page) + (uint64_t)(int64_t)offset);

    for (const uint32_t *p = (const uint32_t *)code; p < (const uint32_t *)end; p++) {
        *to++ = *p;
    }
    __asm__ volatile("dsb ish\n\tic iallu\n\tdsb ish\n\tisb" : : : "memory");
}

/*
 * The callee is in a page that is not mapped. With an offset, its beginning is in the page before.
 */
static void unmap_code(enum level level, int offset)
{
    enum page_use use = level == EL0 ? PAGE_EL0_CODE : PAGE_EL1_CODE;

    page_map(PAGE_BEFORE, PAGE_DATA);
    page_map(PAGE_TRIED, PAGE_DATA);
    write_code(PAGE_TRIED, offset, callee_code, callee_code_end);
    page_map(PAGE_BEFORE, use);
    page_map(PAGE_TRIED, PAGE_UNMAPPED);
}

static void unmap_callee(enum level level)
{
    unmap_code(level, 0);
}

static void unmap_end_of_callee(enum level level)
{
    unmap_code(level, PAIR_CROSSING);
}

/* There is one function for each case: body, instructions, handler, exceptions, preparation. */
#define CASE(id, ...)                                                                              \
    static void test_##id(void)                                                                    \
    {                                                                                              \
        static const struct fault fault = {__VA_ARGS__};                                           \
                                                                                                   \
        check(&fault);                                                                             \
    }

#define BOTH (AT_EL0 | AT_EL1)

CASE(load, body_load, 5, &fast_map, 1, unmap_page, 0, BOTH)
CASE(load_crossing, body_load, 5, &fast_map, 1, unmap_page, CROSSING, BOTH)
CASE(store, body_store, 5, &fast_map, 1, unmap_page, 0, BOTH)
CASE(store_crossing, body_store, 5, &fast_map, 1, unmap_page, CROSSING, BOTH)
CASE(post_index, body_post_index, 5, &fast_map, 1, unmap_page, 0, BOTH)
CASE(load_pair, body_load_pair, 5, &fast_map, 1, unmap_page, PAIR_CROSSING, BOTH)
CASE(store_pair, body_store_pair, 5, &fast_map, 1, unmap_page, PAIR_CROSSING, BOTH)
CASE(load_skipped, body_load, 4, &fast_skip, 1, unmap_page, 0, BOTH)
CASE(exclusive, body_exclusive, 8, &fast_map, 1, unmap_page, 0, BOTH)
CASE(zero, body_zero, 5, &fast_map, 1, unmap_page, 0, BOTH)
CASE(alignment, body_load, 5, &fast_unaligned, 1, check_alignment, 4, BOTH)
CASE(alignment_skipped, body_store, 4, &fast_skip, 1, check_alignment, 1, BOTH)
CASE(undefined, body_undefined, 4, &fast_skip, 1, NULL, 0, BOTH)
CASE(brk, body_breakpoint, 4, &fast_skip, 1, NULL, 0, BOTH)
CASE(svc, body_svc, 5, &fast_eret, 1, NULL, 0, BOTH)
CASE(fp, body_fp, 5, &fast_fpen, 1, disable_fp, 0, BOTH)
CASE(translate, body_translate, 5, &fast_map, 0, unmap_page, 0, AT_EL1)
CASE(translate_aborted, body_translate, 4, &fast_skip, 1, NULL, TO_BROKEN_WALK, AT_EL1)
CASE(mrs_trapped, body_mrs_pmcr, 4, &fast_skip, 1, allow_counter_reads_only, 0, AT_EL0)
CASE(msr_trapped, body_msr_pmcr, 4, &fast_skip, 1, allow_counter_reads_only, 0, AT_EL0)
CASE(mrs_of_el1, body_mrs_id, 4, &fast_skip, 1, NULL, 0, AT_EL0)
CASE(wfi_trapped, body_wfi, 4, &fast_skip, 1, trap_wfi, 0, AT_EL0)
CASE(wfi_asleep, body_wfi, 5, &fast_skip, 0, wake_soon, 0, BOTH)
CASE(wfi_awake, body_wfi, 5, &fast_skip, 0, wake_at_once, 0, BOTH)
CASE(wfe, body_wfe, 5, &fast_skip, 0, wake_at_once, 0, BOTH)
CASE(call, body_call, 3 + 4, &fast_map, 1, unmap_callee, 0, BOTH)
CASE(call_crossing, body_call, 3 + 4, &fast_map, 1, unmap_end_of_callee, PAIR_CROSSING, BOTH)
CASE(call_given_up, body_call, 3, &fast_resume, 1, unmap_callee, 0, BOTH)
CASE(misaligned_branch, body_jump, 3, &fast_resume, 1, unmap_page, 2, BOTH)

/* FEAT_WFxT: this is one instruction, however long it takes. */
static void test_wfit(void)
{
    static const struct fault fault = {body_wfit, 5, &fast_skip, 0, NULL, 0, BOTH};

    if (FIELD(read_sysreg(id_aa64isar2_el1), 0, 4) == 0) {
        skip_test("no FEAT_WFxT");
        return;
    }
    check(&fault);
}

/* The code writes to its own location, at either level. */
static void check_writing_code(const char *code, const char *end, unsigned instructions)
{
    pmu_count_instructions();
    for (unsigned level = EL0; level <= EL1; level++) {
        page_map(PAGE_TRIED, PAGE_DATA);
        write_code(PAGE_TRIED, 0, code, end);
        page_map(PAGE_TRIED, level == EL0 ? PAGE_EL0_CODE : PAGE_EL1_CODE);
        for (unsigned i = 0; i < RUNS; i++) {
            expect_eq(level == EL0 ? "EL0" : "EL1", i, instructions + 1,
                      call_at((enum level)level, (level_fn)page_address(PAGE_TRIED), 0));
        }
    }
}

/* The code changes an instruction that follows in the same block. */
static void test_self_modifying(void)
{
    check_writing_code(self_modifying_code, self_modifying_code_end, 13);
}

/* The code changes only data next to itself. */
static void test_mixed_page(void)
{
    check_writing_code(mixed_page_code, mixed_page_code_end, 1 + 10 * 6);
}

/* FEAT_MOPS: a set of several pages is interrupted in the middle, and counts as one set. */
static void test_memory_set(void)
{
    static const struct fault fault = {body_set, 4, &fast_map, 1, unmap_page, -3000, BOTH};

    if (FIELD(read_sysreg(id_aa64isar2_el1), 16, 4) == 0) {
        skip_test("no FEAT_MOPS");
        return;
    }
    if (home == EL2) {
        write_sysreg(HCRX_EL2, HCRX_EL2_MSCEN);
    }
    write_sysreg(sctlr_el1, read_sysreg(sctlr_el1) | SCTLR_EL1_MSCEN);
    isb();
    check(&fault);
}

/* What EL0 counts while it runs a body again and again, and skips it each time. */
static uint64_t count_skipped(level_fn body, uint64_t address, uint64_t event)
{
    /* An access across two cache lines is two. */
    _Alignas(64) struct fault_arg arg = {.address = address};

    pmu_count(0, event | PMEVTYPER_P);
    for (unsigned i = 0; i < RUNS; i++) {
        call_at(EL0, body, (uintptr_t)&arg);
    }
    return read_pmevcntr(0);
}

/*
 * An access to a device is not a cache access, and a device access that faults does not reduce that
 * count. Accesses where there is no device fault in every version of QEMU, unaligned ones from QEMU
 * 10.2 on.
 */
static void test_device(void)
{
    static const struct {
        level_fn body;
        uint64_t address;
        uint64_t event;
    } rows[] = {
        {body_load, UART_BASE + 1, EVENT_L1D_CACHE_RD},
        {body_load, NOTHING_BASE, EVENT_L1D_CACHE_RD},
        {body_load_pair, UART_BASE + 4, EVENT_L1D_CACHE_RD},
        {body_store, NOTHING_BASE, EVENT_L1D_CACHE},
    };

    write_sysreg(pmuserenr_el0, PMUSERENR_EN);
    page_map(PAGE_TRIED, PAGE_UNMAPPED);
    use_fast_handler(&fast_skip);
    for (unsigned row = 0; row < sizeof(rows) / sizeof(rows[0]); row++) {
        uint64_t unmapped =
            count_skipped(rows[row].body, page_address(PAGE_TRIED), rows[row].event);

        expect_eq("EL0", row, unmapped,
                  count_skipped(rows[row].body, rows[row].address, rows[row].event));
    }
}

#define FAULT_TEST(name, run) TEST(name, run, .home = HOME_EL1 | HOME_EL2, .counters = 1)

const struct test test_table[] = {
    FAULT_TEST("faults.load", test_load),
    FAULT_TEST("faults.load-crossing", test_load_crossing),
    FAULT_TEST("faults.store", test_store),
    FAULT_TEST("faults.store-crossing", test_store_crossing),
    FAULT_TEST("faults.post-index", test_post_index),
    FAULT_TEST("faults.load-pair", test_load_pair),
    FAULT_TEST("faults.store-pair", test_store_pair),
    FAULT_TEST("faults.load-skipped", test_load_skipped),
    FAULT_TEST("faults.exclusive", test_exclusive),
    FAULT_TEST("faults.zero", test_zero),
    FAULT_TEST("faults.alignment", test_alignment),
    FAULT_TEST("faults.alignment-skipped", test_alignment_skipped),
    FAULT_TEST("faults.undefined", test_undefined),
    FAULT_TEST("faults.brk", test_brk),
    FAULT_TEST("faults.svc", test_svc),
    FAULT_TEST("faults.fp", test_fp),
    FAULT_TEST("faults.translate", test_translate),
    FAULT_TEST("faults.translate-aborted", test_translate_aborted),
    FAULT_TEST("faults.mrs-trapped", test_mrs_trapped),
    FAULT_TEST("faults.msr-trapped", test_msr_trapped),
    FAULT_TEST("faults.mrs-of-el1", test_mrs_of_el1),
    FAULT_TEST("faults.wfi-trapped", test_wfi_trapped),
    FAULT_TEST("faults.wfi-asleep", test_wfi_asleep),
    FAULT_TEST("faults.wfi-awake", test_wfi_awake),
    FAULT_TEST("faults.wfe", test_wfe),
    FAULT_TEST("faults.wfit", test_wfit),
    FAULT_TEST("faults.call", test_call),
    FAULT_TEST("faults.call-crossing", test_call_crossing),
    FAULT_TEST("faults.call-given-up", test_call_given_up),
    FAULT_TEST("faults.misaligned-branch", test_misaligned_branch),
    FAULT_TEST("faults.self-modifying", test_self_modifying),
    FAULT_TEST("faults.mixed-page", test_mixed_page),
    FAULT_TEST("faults.memory-set", test_memory_set),
    FAULT_TEST("faults.device", test_device),
    FAULT_TEST("faults.breakpoint", test_breakpoint),
    FAULT_TEST("faults.watchpoint", test_watchpoint),
    FAULT_TEST("faults.single-step", test_single_step),
    {0},
};
