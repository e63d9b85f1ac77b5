/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* CMASK, INV and Edge of x86 events, also of those that a list itself defines so. */
#include "fixture.h"
#include "naive_x86.h"
#include "pc.h"
#include "vpmu/x86/view.h"

#define EN_OS_USR 0x430000ull
#define X86_SRC(source) VPMU_SRC_BIT(VPMU_X86_SRC_##source)
#define INT BIT(20)

static const struct vpmu_x86_config intel_v4 =
    CONFIG(VPMU_X86_INTEL, 4, 4, 3, 48, VPMU_X86_HAS_PDCM | VPMU_X86_HAS_FULL_WIDTH, 1,
           VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_SKYLAKEX);
static const struct vpmu_x86_config intel_v2 =
    CONFIG(VPMU_X86_INTEL, 2, 2, 3, 40, 0, 1, VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_GENERIC);
static const struct vpmu_x86_config zen =
    CONFIG(VPMU_X86_AMD, VPMU_X86_AMD_CORE, 6, 0, 48, VPMU_X86_HAS_SVM, 1, VPMU_X86_SRC_ALL, 0, 0,
           VPMU_X86_ZEN1);
/* Skylake and Nehalem have PEBS records of format 3 and 1. */
static const struct vpmu_x86_config pebs_v2 = CONFIG(VPMU_X86_INTEL, 2, 8, 3, 48, VPMU_X86_HAS_PDCM,
                                                     1, VPMU_X86_SRC_ALL, 0, 3, VPMU_X86_GENERIC);
/* Ice Lake has format 4, here without and with PERF_METRICS. */
static const struct vpmu_x86_config pebs_fmt4 = CONFIG(
    VPMU_X86_INTEL, 5, 2, 3, 48, VPMU_X86_HAS_PDCM, 1, VPMU_X86_SRC_ALL, 0, 4, VPMU_X86_ICELAKEX);

/* ADAPTIVE is no part of the event, and does not disturb a condition: one edge is counted. */
START_TEST(adaptive)
{
    struct vpmu_x86_counter view;
    struct pc pc;

    start_pc(&pc, &pebs_fmt4);
    wr(&pc, 0x186, EN_OS_USR | BIT(34) | BIT(18) | 0xc0);
    execute(&pc);
    wr(&pc, 0x186, EN_OS_USR | BIT(18) | 0xc0);
    execute(&pc);
    expect("edges", 1, rd(&pc, 0xc1));
    wr(&pc, 0x186, EN_OS_USR | BIT(34) | 0xc0);
    go(&pc, VPMU_X86_SRC_INST, 3);
    expect("instructions", 4, rd(&pc, 0xc1));
    ck_assert(vpmu_x86_view(&pc.v, 0, &view));
    expect("number", 0xc0, view.number);
    expect("found", true, view.event != NULL);
    expect("counts", true, view.counting);
}
END_TEST

/* Seven instructions, five cycles of a clock: fewer than 9 of them in each. */
START_TEST(each_cycle)
{
    static const struct {
        const char *what;
        uint64_t select;
        unsigned want;
    } rows[] = {
        {"as Linux writes cycles:p", 0xc0 | BIT(23) | 16 << 24, 5},
        {"cycles:ppp", 0x1c0 | BIT(23) | 16 << 24, 5},
        {"of uops", 0x1c2 | BIT(23) | 16 << 24, 5},
        {"of uops, alone", 0x1c2, 7},
        {"as perf's lists write total cycles", 0x1c0 | BIT(23) | 10 << 24, 5},
        {"of retirement slots", 0x2c2 | BIT(23) | 10 << 24, 5},
        {"9 cannot be retired", 0xc0 | BIT(23) | 9 << 24, 5},
        {"8 can", 0xc0 | BIT(23) | 8 << 24, 0},
        {"of uops that this family does not have", 0x10c2 | BIT(23) | 16 << 24, 0},
        {"16 cannot", 0xc0 | 16 << 24, 0},
        {"it is never new", 0xc0 | BIT(23) | BIT(18) | 16 << 24, 0},
        {"of branches", 0xc4 | BIT(23) | 16 << 24, 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_x86_config config = pebs_v2;
        struct pc pc;

        config.timed = CPU_SRC;
        config.family = VPMU_X86_HASWELL;
        start_pc(&pc, &config);
        wr(&pc, 0x186, EN_OS_USR | rows[i].select);
        pc.totals.n[VPMU_X86_CTX_KERNEL][VPMU_X86_SRC_CYCLES] += 5;
        go(&pc, VPMU_X86_SRC_INST, 7);
        expect_in(rows[i].what, "count", rows[i].want, rd(&pc, 0xc1));
    }
}
END_TEST

/*
 * Five cycles, seven reference cycles: a lockup detector's counter counts the latter. The TSC's
 * rate is 24 MHz, 1 GHz or 4 GHz. Linux, arch/x86/kernel/apic/hw_nmi.c: cpu_khz * 1000 * thresh;
 * x86_pmu clears the bits beyond the counter. Xen, arch/x86/nmi.c: cpu_khz * 1000 / nmi_hz, which
 * is 100 at boot, and then max(1, cpu_khz >> 20); it writes 0 - period.
 */
#define ALL (EN_OS_USR | INT | 0x76)
#define SLOWLY 24000000
#define G UINT64_C(1000000000)
static const struct {
    const char *what;
    uint64_t hz;
    uint64_t left;
    uint64_t select;
    unsigned want;
    bool negative;
    uint64_t left_before; /* of the value that was written before, if any */
} detectors[] = {
    {"1 s", G, G, ALL, 7, false, 0},
    {"60 s", G, 60 * G, ALL, 7, false, 0},
    {"1 s of 24 MHz", SLOWLY, SLOWLY, ALL, 7, false, 0},
    {"60 s of 4 GHz", 4 * G, 240 * G, ALL, 7, false, 0},
    {"half a second", 4 * G, 2 * G, ALL, 7, false, 0},
    {"less", 4 * G, 2 * G - 1, ALL, 5, false, 0},
    {"perf record -F 99", G, G / 99, ALL, 5, false, 0},
    {"perf record -c 100000000", G, G / 10, ALL, 5, false, 0},
    {"Xen's test", G, G / 100, ALL, 7, true, 0},
    {"Xen's test at 4 GHz", 4 * G, G / 25, ALL, 7, true, 0},
    {"Xen at 4 GHz", 4 * G, 4 * G / 3, ALL, 7, true, 0},
    {"5 ms", G, G / 200, ALL, 7, true, 0},
    {"a sampler that writes negative numbers", G, G / 200 - 1, ALL, 5, true, 0},
    {"100 s", G, 100 * G, ALL, 7, false, 0},
    {"longer", G, 100 * G + 1, ALL, 5, false, 0},
    {"perf stat", 4 * G, BIT(47) - 1, ALL, 5, false, 0},
    {"perf stat of another", 4 * G, BIT(47) - 1, ALL, 5, true, 0},
    {"1 s after a sample's period", G, G, ALL, 7, false, 1000000},
    {"a sample's after 1 s", G, 1000000, ALL, 5, false, G},
    {"at CPL 0 only", G, G, 0x420000 | INT | 0x76, 5, false, 0},
    {"without interrupts", G, G, EN_OS_USR | 0x76, 5, false, 0},
    {"of guests", G, G, ALL | BIT(40), 5, false, 0},
    {"of instructions", G, G, EN_OS_USR | INT | 0xc0, 0, false, 0},
};

START_TEST(detector)
{
    for (size_t i = 0; i < COUNT_OF(detectors); i++) {
        struct vpmu_x86_config config = zen;
        struct vpmu_x86_controls controls = {.svme = true};
        uint64_t val = (detectors[i].negative ? 0 : BIT(48)) - detectors[i].left;
        struct pc pc;

        config.detector = true;
        ck_assert_msg(vpmu_x86_config_check(&config, NULL) != 0, "expected a fault got none");
        config.tsc_hz = detectors[i].hz;
        start_pc(&pc, &config);
        pc_service(&pc, vpmu_x86_set_controls(&pc.v, &controls, &pc.clock));
        pc_service(&pc, vpmu_x86_set_context(&pc.v, VPMU_X86_CTX_GUEST_KERNEL, &pc.clock));
        if (detectors[i].left_before) {
            wr(&pc, 0xc0010004, BIT(48) - detectors[i].left_before);
        }
        wr(&pc, 0xc0010004, val);
        wr(&pc, 0xc0010005, 1);
        wr(&pc, 0xc0010000, detectors[i].select);
        pc.totals.n[VPMU_X86_CTX_GUEST_KERNEL][VPMU_X86_SRC_CYCLES] += 5;
        go(&pc, VPMU_X86_SRC_REF_CYCLES, 7);
        expect_in(detectors[i].what, "count", detectors[i].want,
                  rd(&pc, 0xc0010004) + detectors[i].left - BIT(48));
    }
}
END_TEST

/* 0C1H extends 32 bits: negative numbers, of which software writes the least to plain counters. */
START_TEST(detector_low)
{
    static const struct {
        const char *what;
        uint64_t val;
        unsigned want;
    } rows[] = {
        {"10 ms", 0xffffffff - 10000000 + 1, 7},
        {"Xen's longest at 2 GHz", 0xffffffff - 2000000000 + 1, 7},
        {"plain", 0x80000000, 5},
        {"Linux's without full-width writes", 0x80000001, 5},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_x86_config config = intel_v2;
        uint64_t before;
        struct pc pc;

        config.detector = true;
        config.tsc_hz = 1000000000;
        start_pc(&pc, &config);
        wr(&pc, 0x38f, 3);
        wr(&pc, 0xc1, rows[i].val);
        wr(&pc, 0x186, EN_OS_USR | INT | 0x3c);
        before = rd(&pc, 0xc1);
        pc.totals.n[VPMU_X86_CTX_KERNEL][VPMU_X86_SRC_CYCLES] += 5;
        go(&pc, VPMU_X86_SRC_REF_CYCLES, 7);
        expect_in(rows[i].what, "count", rows[i].want, rd(&pc, 0xc1) - before);
    }
}
END_TEST

/*
 * Linux stops the counter 0.1 s before its end, and goes on there or in another counter with the
 * value that it has read. Another value is not a detector's. Intel's C1H extends 32 bits.
 */
START_TEST(detector_goes_on)
{
    static const struct {
        const char *what;
        uint32_t msr;
        uint64_t other;
        unsigned want;
    } rows[] = {
        {"in the same counter", 0x4c1, 0, 7},     {"in another counter", 0x4c2, 0, 7},
        {"in the fixed counter", 0x30a, 0, 7},    {"another value", 0x4c1, 1, 5},
        {"another value elsewhere", 0x4c2, 1, 5},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_x86_config config = intel_v2;
        uint64_t val;
        struct pc pc;

        config.detector = true;
        config.tsc_hz = 1000000000;
        config.features = VPMU_X86_HAS_PDCM | VPMU_X86_HAS_FULL_WIDTH;
        config.width = 48;
        start_pc(&pc, &config);
        wr(&pc, 0x38f, 0x700000003);
        wr(&pc, 0x4c1, BIT(48) - 1000000000);
        wr(&pc, 0x186, EN_OS_USR | INT | 0x3c);
        go(&pc, VPMU_X86_SRC_REF_CYCLES, 900000000);
        wr(&pc, 0x186, 0);
        val = rd(&pc, 0xc1) + rows[i].other;
        wr(&pc, rows[i].msr, val);
        wr(&pc, 0x186, rows[i].msr == 0x4c1 ? EN_OS_USR | INT | 0x3c : 0);
        wr(&pc, 0x187, rows[i].msr == 0x4c2 ? EN_OS_USR | INT | 0x3c : 0);
        wr(&pc, 0x38d, rows[i].msr == 0x30a ? 0xb0 : 0);
        pc.totals.n[VPMU_X86_CTX_KERNEL][VPMU_X86_SRC_CYCLES] += 5;
        go(&pc, VPMU_X86_SRC_REF_CYCLES, 7);
        expect_in(rows[i].what, "count", rows[i].want,
                  rd(&pc, rows[i].msr == 0x30a ? 0x30a : rows[i].msr - 0x400) - val);
    }
}
END_TEST

/* Three instructions with 2, 0 and 3 loads, of a cycle each. */
START_TEST(cycle_masks)
{
    static const struct {
        const char *what;
        uint64_t bits;
        uint64_t timed;
        unsigned want;
    } rows[] = {
        {"none", 0, 0, 5},
        {"CMASK 1", 1 << 24, 0, 2},
        {"CMASK 3", 3 << 24, 0, 1},
        {"CMASK 1, INV", 1 << 24 | BIT(23), 0, 1},
        {"CMASK 3, INV", 3 << 24 | BIT(23), 0, 2},
        {"INV alone", BIT(23), 0, 5},
        {"E", BIT(18), 0, 2},
        {"E, CMASK 3", 3 << 24 | BIT(18), 0, 1},
        {"CMASK 1, cycles by a clock", 1 << 24, CPU_SRC, 0},
        {"none, cycles by a clock", 0, CPU_SRC, 5},
    };
    static const unsigned loads[] = {2, 0, 3};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_x86_config config = intel_v4;
        struct pc pc;

        config.timed = rows[i].timed;
        start_pc(&pc, &config);
        wr(&pc, 0x186, EN_OS_USR | 0x81d0 | rows[i].bits);
        for (size_t n = 0; n < COUNT_OF(loads); n++) {
            pc.totals.n[VPMU_X86_CTX_KERNEL][VPMU_X86_SRC_LOAD] += loads[n];
            pc.totals.n[VPMU_X86_CTX_KERNEL][VPMU_X86_SRC_CYCLES] += rows[i].timed ? 0 : 1;
            go(&pc, VPMU_X86_SRC_INST, 1);
        }
        expect_in(rows[i].what, "count", rows[i].want, rd(&pc, 0xc1));
    }
}
END_TEST

/*
 * A cycle has two slots. Of four instructions two share a cycle each; the fifth takes the first
 * slot of a cycle and stalls for three cycles, in which nothing is sent. Its own has not ended.
 */
START_TEST(wide_cycles)
{
    static const struct {
        const char *what;
        uint64_t select;
        unsigned want;
    } rows[] = {
        {"instructions", 0xc0, 5},
        {"cycles", 0x3c, 5},
        {"stalls of the back end", 0x1a2, 3},
        {"cycles with an instruction", 0xc0 | 1 << 24, 2},
        {"with two", 0xc0 | 2 << 24, 2},
        {"with three", 0xc0 | 3 << 24, 0},
        {"without", 0xc0 | 1 << 24 | BIT(23), 3},
        {"with fewer than two", 0xc0 | 2 << 24 | BIT(23), 3},
        {"with fewer than ten", 0xc0 | 10 << 24 | BIT(23), 5},
        {"the first of those with an instruction", 0xc0 | BIT(18), 1},
        {"of those with two", 0xc0 | 2 << 24 | BIT(18), 1},
        {"of those without", 0xc0 | 1 << 24 | BIT(23) | BIT(18), 1},
        {"cycles with a load", 0x81d0 | 1 << 24, 2},
        {"with two loads", 0x81d0 | 2 << 24, 1},
    };
    static const struct {
        unsigned slots, loads, stalls;
    } insns[] = {{1, 1, 0}, {1, 1, 0}, {1, 0, 0}, {1, 1, 0}, {7, 0, 3}};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_x86_config config = intel_v4;
        struct pc pc;

        config.cycle_units = 2;
        start_pc(&pc, &config);
        wr(&pc, 0x186, EN_OS_USR | rows[i].select);
        for (size_t n = 0; n < COUNT_OF(insns); n++) {
            uint64_t *totals = pc.totals.n[VPMU_X86_CTX_KERNEL];

            totals[VPMU_X86_SRC_LOAD] += insns[n].loads;
            totals[VPMU_X86_SRC_CYCLES] += insns[n].slots;
            totals[VPMU_X86_SRC_STALL_BACKEND] += insns[n].stalls;
            totals[VPMU_X86_SRC_SLOT_BACKEND] += 2 * insns[n].stalls;
            go(&pc, VPMU_X86_SRC_INST, 1);
        }
        expect_in(rows[i].what, "count", rows[i].want, rd(&pc, 0xc1));
    }
}
END_TEST

/* Slots by what they are lost to, and counts that a total which goes down is part of. */
START_TEST(lost_slots)
{
    static const struct vpmu_x86_config config =
        CONFIG(VPMU_X86_INTEL, 2, 4, 3, 48, VPMU_X86_HAS_PDCM, 4, VPMU_X86_SRC_ALL,
               X86_SRC(REF_CYCLES), 0, VPMU_X86_BROADWELL);
    static const struct {
        const char *what;
        uint64_t select;
        uint64_t want;
    } rows[] = {
        {"IDQ_UOPS_NOT_DELIVERED.CORE", 0x19c, 12},
        {"the same of a CMASK of 1: not known", 0x100019c, 0},
        {"INT_MISC.RECOVERY_CYCLES as perf has it", 0x100030d, 5},
        {"the same without the CMASK", 0x30d, 5},
        {"a CMASK that is never reached", 0x200030d, 0},
        {"with INV: not known", 0x180030d, 0},
        {"with Edge: not known", 0x104030d, 0},
        {"loads that hit L1D", 0x1d1, 7},
        {"near branches that are taken", 0x20c4, 3},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct pc pc;

        start_pc(&pc, &config);
        wr(&pc, 0x186, rows[i].select | 0x430000);
        wr(&pc, 0x38f, 1);
        go(&pc, VPMU_X86_SRC_SLOT_FETCH, 12);
        go(&pc, VPMU_X86_SRC_RECOVERY, 5);
        pc.totals.n[pc.v.count.ctx][VPMU_X86_SRC_L1D_RD] += 10;
        go(&pc, VPMU_X86_SRC_L1D_RD_LESS, (uint64_t)-3);
        go(&pc, VPMU_X86_SRC_BR_TAKEN, 2);
        go(&pc, VPMU_X86_SRC_BR_RETURN, 1);
        go(&pc, VPMU_X86_SRC_BR_FAR, 1);
        go(&pc, VPMU_X86_SRC_CYCLES, 40);
        expect_in(rows[i].what, "count", rows[i].want, rd(&pc, 0xc1));
    }
}
END_TEST

/* Events that perf's lists have with CMASK, INV or Edge, and conditions on those of UOPS_EXECUTED.
 */
START_TEST(conditional)
{
    static const struct {
        const char *what;
        uint8_t family;
        uint64_t select;
        uint64_t want;
    } rows[] = {
        {"CYCLE_ACTIVITY.STALLS_TOTAL", VPMU_X86_SKYLAKEX, 0x40004a3, 5},
        {"the same with another CMASK", VPMU_X86_SKYLAKEX, 0x50004a3, 0},
        {"CYCLE_ACTIVITY.CYCLES_NO_EXECUTE", VPMU_X86_HASWELL, 0x40004a3, 5},
        {"INT_MISC.ALL_RECOVERY_CYCLES", VPMU_X86_ICELAKEX, 0x100030d, 6},
        {"LSD.INACTIVE", VPMU_X86_NEHALEM, 0x18001a8, 40},
        {"LSD.ACTIVE", VPMU_X86_NEHALEM, 0x10001a8, 0},
        {"PAGE_WALKS.D_SIDE_WALKS", VPMU_X86_KNIGHTS, 0x40105, 7},
        {"PAGE_WALKS.I_SIDE_WALKS", VPMU_X86_KNIGHTS, 0x40205, 8},
        {"PAGE_WALKS.WALKS", VPMU_X86_KNIGHTS, 0x40305, 15},
        {"PAGE_WALKS.I_SIDE_CYCLES", VPMU_X86_KNIGHTS, 0x205, 0},
        {"iTLB-load-misses", VPMU_X86_SIERRAFOREST, 0x481, 8},
        {"UOPS_EXECUTED.CYCLES_GE_1_UOP_EXEC", VPMU_X86_HASWELL, 0x10001b1, 1},
        {"UOPS_EXECUTED.CYCLES_GE_2_UOPS_EXEC", VPMU_X86_HASWELL, 0x20001b1, 0},
        {"UOPS_EXECUTED.CORE_CYCLES_GE_1", VPMU_X86_ICELAKEX, 0x10002b1, 1},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct vpmu_x86_config config =
            CONFIG(VPMU_X86_INTEL, 2, 4, 3, 48, VPMU_X86_HAS_PDCM, 1, VPMU_X86_SRC_ALL,
                   X86_SRC(REF_CYCLES), 0, rows[i].family);
        struct pc pc;

        start_pc(&pc, &config);
        wr(&pc, 0x186, rows[i].select | 0x430000);
        wr(&pc, 0x38f, 1);
        go(&pc, VPMU_X86_SRC_STALL_FRONTEND, 2);
        go(&pc, VPMU_X86_SRC_STALL_BACKEND, 3);
        go(&pc, VPMU_X86_SRC_RECOVERY, 6);
        go(&pc, VPMU_X86_SRC_DTLB_WALK_RD, 3);
        go(&pc, VPMU_X86_SRC_DTLB_WALK_WR, 4);
        go(&pc, VPMU_X86_SRC_ITLB_WALK, 8);
        go(&pc, VPMU_X86_SRC_INST, 1);
        go(&pc, VPMU_X86_SRC_CYCLES, 40);
        expect_in(rows[i].what, "count", rows[i].want, rd(&pc, 0xc1));
    }
}
END_TEST

Suite *x86_conditions_suite(void)
{
    const TTest *const tests[] = {adaptive,     each_cycle,       detector,
                                  detector_low, detector_goes_on, cycle_masks,
                                  wide_cycles,  lost_slots,       conditional};

    return suite_of("x86_conditions", tests, COUNT_OF(tests));
}
