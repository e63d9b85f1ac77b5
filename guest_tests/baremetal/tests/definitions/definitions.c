/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * Every event against its definition. Each row of the tables is executed ten times, for every event
 * of its group: events that the row does not name must not count.
 */
#include "registers/pmu.h"
#include "runtime/console.h"
#include "runtime/pmu_setup.h"
#include "runtime/test.h"
#include "tests/definitions/contexts.h"

/* Events of instructions, then of accesses to memory and of exceptions. */
static const uint16_t instruction_events[] = {LD_RETIRED,
                                              ST_RETIRED,
                                              INST_RETIRED,
                                              EXC_RETURN,
                                              CID_WRITE_RETIRED,
                                              PC_WRITE_RETIRED,
                                              BR_IMMED_RETIRED,
                                              BR_RETURN_RETIRED,
                                              UNALIGNED_LDST_RETIRED,
                                              INST_SPEC,
                                              TTBR_WRITE_RETIRED,
                                              BR_RETIRED,
                                              UNALIGNED_LD_SPEC,
                                              UNALIGNED_ST_SPEC,
                                              UNALIGNED_LDST_SPEC,
                                              LDREX_SPEC,
                                              STREX_PASS_SPEC,
                                              STREX_FAIL_SPEC,
                                              STREX_SPEC,
                                              LD_SPEC,
                                              ST_SPEC,
                                              LDST_SPEC,
                                              DP_SPEC,
                                              ASE_SPEC,
                                              VFP_SPEC,
                                              PC_WRITE_SPEC,
                                              CRYPTO_SPEC,
                                              BR_IMMED_SPEC,
                                              BR_RETURN_SPEC,
                                              BR_INDIRECT_SPEC,
                                              ISB_SPEC,
                                              DSB_SPEC,
                                              DMB_SPEC,
                                              RC_LD_SPEC,
                                              RC_ST_SPEC,
                                              SIMD_INST_RETIRED,
                                              SVE_INST_RETIRED,
                                              ASE_INST_SPEC,
                                              SVE_INST_SPEC,
                                              SVE_MATH_SPEC,
                                              FP_SPEC,
                                              FP_HP_SPEC,
                                              FP_SP_SPEC,
                                              FP_DP_SPEC,
                                              FP_FMA_SPEC,
                                              FP_RECPE_SPEC,
                                              FP_CVT_SPEC,
                                              ASE_SVE_INT_SPEC,
                                              SVE_PRED_SPEC,
                                              SVE_PRED_EMPTY_SPEC,
                                              SVE_PRED_FULL_SPEC,
                                              SVE_PRED_PARTIAL_SPEC,
                                              SVE_PRED_NOT_FULL_SPEC,
                                              SVE_MOVPRFX_SPEC,
                                              ASE_SVE_LD_SPEC,
                                              ASE_SVE_ST_SPEC,
                                              PRF_SPEC,
                                              BASE_LD_REG_SPEC,
                                              BASE_ST_REG_SPEC,
                                              SVE_LDR_REG_SPEC,
                                              SVE_STR_REG_SPEC,
                                              SVE_LDR_PREG_SPEC,
                                              SVE_STR_PREG_SPEC,
                                              SVE_PRF_CONTIG_SPEC,
                                              ASE_SVE_LD_MULTI_SPEC,
                                              ASE_SVE_ST_MULTI_SPEC,
                                              SVE_LD_GATHER_SPEC,
                                              SVE_ST_SCATTER_SPEC,
                                              SVE_PRF_GATHER_SPEC,
                                              SVE_LDFF_SPEC,
                                              SVE_LDFF_FAULT_SPEC,
                                              FP_SCALE_OPS_SPEC,
                                              FP_FIXED_OPS_SPEC,
                                              FP_HP_SCALE_OPS_SPEC,
                                              FP_HP_FIXED_OPS_SPEC,
                                              FP_SP_SCALE_OPS_SPEC,
                                              FP_SP_FIXED_OPS_SPEC,
                                              FP_DP_SCALE_OPS_SPEC,
                                              FP_DP_FIXED_OPS_SPEC,
                                              ASE_SVE_INT8_SPEC,
                                              ASE_SVE_INT16_SPEC,
                                              ASE_SVE_INT32_SPEC,
                                              ASE_SVE_INT64_SPEC,
                                              0};
/* Of these, the ones that the manual defines for AArch32. */
static const uint16_t aarch32_events[] = {LD_RETIRED,
                                          ST_RETIRED,
                                          INST_RETIRED,
                                          EXC_RETURN,
                                          CID_WRITE_RETIRED,
                                          PC_WRITE_RETIRED,
                                          BR_IMMED_RETIRED,
                                          BR_RETURN_RETIRED,
                                          UNALIGNED_LDST_RETIRED,
                                          INST_SPEC,
                                          TTBR_WRITE_RETIRED,
                                          BR_RETIRED,
                                          UNALIGNED_LD_SPEC,
                                          UNALIGNED_ST_SPEC,
                                          UNALIGNED_LDST_SPEC,
                                          LDREX_SPEC,
                                          STREX_PASS_SPEC,
                                          STREX_FAIL_SPEC,
                                          STREX_SPEC,
                                          LD_SPEC,
                                          ST_SPEC,
                                          LDST_SPEC,
                                          DP_SPEC,
                                          ASE_SPEC,
                                          VFP_SPEC,
                                          PC_WRITE_SPEC,
                                          CRYPTO_SPEC,
                                          BR_IMMED_SPEC,
                                          BR_RETURN_SPEC,
                                          BR_INDIRECT_SPEC,
                                          ISB_SPEC,
                                          DSB_SPEC,
                                          DMB_SPEC,
                                          RC_LD_SPEC,
                                          RC_ST_SPEC,
                                          ASE_INST_SPEC,
                                          0};
static const uint16_t access_events[] = {L1D_CACHE,     L1D_CACHE_RD,  L1D_CACHE_WR, MEM_ACCESS,
                                         MEM_ACCESS_RD, MEM_ACCESS_WR, L1D_TLB,      0};
static const uint16_t exception_events[] = {
    EXC_TAKEN,       EXC_UNDEF,      EXC_SVC,      EXC_PABORT,   EXC_DABORT,
    EXC_IRQ,         EXC_FIQ,        EXC_SMC,      EXC_HVC,      EXC_TRAP_PABORT,
    EXC_TRAP_DABORT, EXC_TRAP_OTHER, EXC_TRAP_IRQ, EXC_TRAP_FIQ, 0};

/* rows.inc passes these to CODE: x9 and x14. */
uint64_t definition_call(uint64_t arg);

struct call {
    const char *code;
    uint64_t mask;
    uint8_t *buffer;
};

static void run_aarch32(const struct call *call, enum level level)
{
    const uint32_t regs[4] = {0, (uint32_t)(uintptr_t)call->buffer, (uint32_t)call->mask};

    call_aarch32(level, (uint32_t)(uintptr_t)call->code, regs);
}

/* Runs a row's code with n counters. */
static void run_row(const struct definition *row, enum level level, unsigned n)
{
    struct call call = {row->code, (UINT64_C(1) << n) - 1, definition_buffer};

    for (unsigned i = 0; i < n; i++) {
        write_pmevcntr(i, 0);
    }
    isb();
    if (row->needs == HAS_AARCH32) {
        run_aarch32(&call, level);
    } else {
        run_expecting_exception(level, definition_call, (uintptr_t)&call);
    }
}

/* What the manual lets an event count in a row. Returns false if it does not say. */
static bool expected(const struct definition *row, uint16_t event, uint64_t *count)
{
    unsigned sum = 0;

    for (const struct definition_count *c = row->counts; c->event != 0; c++) {
        if (c->event != event) {
            continue;
        }
        if ((c->count & COUNT_ANY) != 0 ||
            ((c->count & COUNT_FROM_P8) != 0 && pmu_version() < PMUVER_V3P8) ||
            ((c->count & COUNT_FROM_P9) != 0 && pmu_version() < PMUVER_V3P9)) {
            return false;
        }
        sum += c->count & COUNT_NUMBER;
    }
    *count = sum * UINT64_C(REPETITIONS);
    return true;
}

static void check(const struct definition *row, uint16_t event, uint64_t got)
{
    uint64_t count;

    if (!expected(row, event, &count) || got == count) {
        return;
    }
    console_puts("definition: ");
    console_puts(row->name);
    console_puts(" at ");
    console_putnum(row->at);
    console_puts(": event ");
    console_puthex(event);
    console_puts(" expected ");
    console_putnum(count);
    console_puts(" got ");
    console_putnum(got);
    console_puts("\n");
    expect_eq(row->name, event, count, got);
}

static unsigned check_some(const struct definition *row, const struct definition *nothing,
                           enum level level, const uint16_t *events)
{
    uint64_t empty[PMU_MAX_COUNTERS];
    unsigned n = 0;

    for (; n < pmu_counters() && events[n]; n++) {
        write_pmevtyper(n, events[n] | filter_everywhere());
    }
    run_row(nothing, level, n);
    for (unsigned i = 0; i < n; i++) {
        empty[i] = read_pmevcntr(i);
    }
    run_row(row, level, n);
    for (unsigned i = 0; i < n; i++) {
        check(row, events[i], read_pmevcntr(i) - empty[i]);
    }
    return n;
}

/* @nothing: the row without CODE. */
static void check_row(const struct definition *row, const struct definition *nothing,
                      const uint16_t *events)
{
    if (!definition_has(row->needs) || !context_exists(row->at)) {
        return;
    }
    write_sysreg(pmcr_el0, PMCR_E);
    while (*events) {
        enum level level = context_enter(row->at);

        events += check_some(row, nothing, level, events);
        context_leave();
    }
}

static void check_table(const struct definition *rows, const uint16_t *events)
{
    for (; rows->name; rows++) {
        check_row(rows, &empty_rows[0], events);
    }
}

static void test_memory(void)
{
    check_table(memory_rows, instruction_events);
}

static void test_accesses(void)
{
    check_table(access_rows, access_events);
}

static void test_branches(void)
{
    check_table(branch_rows, instruction_events);
}

static void test_data(void)
{
    check_table(data_rows, instruction_events);
}

static void test_vectors(void)
{
    check_table(vector_rows, instruction_events);
}

static void test_sve(void)
{
    check_table(sve_rows, instruction_events);
}

static void test_exceptions(void)
{
    check_table(exception_rows, exception_events);
}

/* A row of the table at the start of rows32_code.S, which has offsets. A name of 0 ends the table.
 */
struct row32 {
    uint32_t name, code, counts, at;
};

extern const char rows32_blob[];

static struct definition row_of(const struct row32 *row)
{
    return (struct definition){
        .name = rows32_blob + row->name,
        .code = rows32_blob + row->code,
        .counts = (const struct definition_count *)(const void *)(rows32_blob + row->counts),
        .needs = HAS_AARCH32,
        .at = row->at,
    };
}

/* The first rows have no CODE: A32, T32. */
static void test_aarch32(void)
{
    const struct row32 *rows = (const struct row32 *)(const void *)rows32_blob;

    for (unsigned i = 2; rows[i].name; i++) {
        struct definition row = row_of(&rows[i]);
        struct definition nothing = row_of(&rows[rows[i].code & 1]);

        check_row(&row, &nothing, aarch32_events);
    }
}

const struct test test_table[] = {
    TEST("definitions.memory", test_memory, .counters = 6),
    TEST("definitions.accesses", test_accesses, .counters = 6),
    TEST("definitions.branches", test_branches, .counters = 6),
    TEST("definitions.data", test_data, .counters = 6),
    TEST("definitions.vectors", test_vectors, .counters = 6),
    TEST("definitions.sve", test_sve, .counters = 6),
    TEST("definitions.exceptions", test_exceptions, .counters = 6),
    TEST("definitions.aarch32", test_aarch32, .counters = 6),
    TEST(0, 0),
};
