/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The x86 PMU: what the manuals say, row by row. Random programs are in test_x86_random.c. */
#include <string.h>

#include "fixture.h"
#include "naive_x86.h"
#include "pc.h"
#include "vpmu/x86/cpuid.h"
#include "vpmu/x86/insn.h"
#include "vpmu/x86/pebs.h"
#include "vpmu/x86/view.h"

#define EN_OS_USR 0x430000ull
#define X86_SRC(source) VPMU_SRC_BIT(VPMU_X86_SRC_##source)
#define INT BIT(20)
#define GP VPMU_X86_GP
#define UNKNOWN VPMU_X86_UNKNOWN
#define FREEZE BIT(12)

static const struct vpmu_x86_config intel_v4 =
    CONFIG(VPMU_X86_INTEL, 4, 4, 3, 48, VPMU_X86_HAS_PDCM | VPMU_X86_HAS_FULL_WIDTH, 1,
           VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_SKYLAKEX);
static const struct vpmu_x86_config intel_v3 =
    CONFIG(VPMU_X86_INTEL, 3, 2, 3, 40, 0, 1, VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_GENERIC);
static const struct vpmu_x86_config intel_v2 =
    CONFIG(VPMU_X86_INTEL, 2, 2, 3, 40, 0, 1, VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_GENERIC);
static const struct vpmu_x86_config intel_v1 =
    CONFIG(VPMU_X86_INTEL, 1, 2, 0, 40, 0, 1, VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_GENERIC);
static const struct vpmu_x86_config intel_v5 = CONFIG(
    VPMU_X86_INTEL, 5, 8, 2, 48, 0, 1, VPMU_X86_SRC_ALL & ~SRC(CNT_CYCLES), 0, 0, VPMU_X86_GENERIC);
static const struct vpmu_x86_config icelake =
    CONFIG(VPMU_X86_INTEL, 5, 8, 4, 48, VPMU_X86_HAS_PDCM | VPMU_X86_HAS_METRICS, 4,
           VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_ICELAKEX);
static const struct vpmu_x86_config icelake_timed = CONFIG(
    VPMU_X86_INTEL, 5, 8, 3, 48, 0, 1, VPMU_X86_SRC_ALL & ~VPMU_X86_LOST, 0, 0, VPMU_X86_ICELAKEX);
static const struct vpmu_x86_config k7 =
    CONFIG(VPMU_X86_AMD, VPMU_X86_AMD_K7, 4, 0, 48, 0, 1, VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_GENERIC);
static const struct vpmu_x86_config zen =
    CONFIG(VPMU_X86_AMD, VPMU_X86_AMD_CORE, 6, 0, 48, VPMU_X86_HAS_SVM, 1, VPMU_X86_SRC_ALL, 0, 0,
           VPMU_X86_ZEN1);
static const struct vpmu_x86_config zen4 =
    CONFIG(VPMU_X86_AMD, VPMU_X86_AMD_V2, 6, 0, 48, VPMU_X86_HAS_SVM, 1, VPMU_X86_SRC_ALL, 0, 0,
           VPMU_X86_ZEN4);
/* Skylake and Nehalem have PEBS records of format 3 and 1. */
static const struct vpmu_x86_config pebs_v2 = CONFIG(VPMU_X86_INTEL, 2, 8, 3, 48, VPMU_X86_HAS_PDCM,
                                                     1, VPMU_X86_SRC_ALL, 0, 3, VPMU_X86_GENERIC);
static const struct vpmu_x86_config pebs_la57 = {.vendor = VPMU_X86_INTEL,
                                                 .version = 2,
                                                 .counters = 8,
                                                 .fixed = 3,
                                                 .width = 48,
                                                 .features = VPMU_X86_HAS_PDCM,
                                                 .cycle_units = 1,
                                                 .sources = VPMU_X86_SRC_ALL,
                                                 .pebs = 3,
                                                 .la57 = true};
static const struct vpmu_x86_config pebs_fmt1 = CONFIG(
    VPMU_X86_INTEL, 3, 2, 3, 48, VPMU_X86_HAS_PDCM, 1, VPMU_X86_SRC_ALL, 0, 1, VPMU_X86_GENERIC);
/* Ice Lake has format 4, here without and with PERF_METRICS. */
static const struct vpmu_x86_config pebs_fmt4 = CONFIG(
    VPMU_X86_INTEL, 5, 2, 3, 48, VPMU_X86_HAS_PDCM, 1, VPMU_X86_SRC_ALL, 0, 4, VPMU_X86_ICELAKEX);
static const struct vpmu_x86_config pebs_metrics =
    CONFIG(VPMU_X86_INTEL, 5, 2, 4, 48, VPMU_X86_HAS_PDCM | VPMU_X86_HAS_METRICS, 1,
           VPMU_X86_SRC_ALL, 0, 4, VPMU_X86_ICELAKEX);

static void wr(struct pc *pc, uint32_t msr, uint64_t val)
{
    expect("WRMSR", VPMU_X86_OK, pc_access(pc, vpmu_x86_wrmsr(&pc->v, msr, val, &pc->clock)));
}

static uint64_t rd(struct pc *pc, uint32_t msr)
{
    uint64_t val;

    expect("RDMSR", VPMU_X86_OK, pc_access(pc, vpmu_x86_rdmsr(&pc->v, msr, &val, &pc->clock)));
    return val;
}

static void go(struct pc *pc, enum vpmu_x86_source source, uint64_t n)
{
    pc->totals.n[pc->v.count.ctx][source] += n;
    pc_service(pc, vpmu_x86_settle(&pc->v, &pc->clock));
}

/* Executes an instruction, which takes a cycle. */
static void execute(struct pc *pc)
{
    pc->totals.n[pc->v.count.ctx][VPMU_X86_SRC_INST]++;
    pc->totals.n[pc->v.count.ctx][VPMU_X86_SRC_CYCLES]++;
    pc_service(pc, vpmu_x86_step(&pc->v, &pc->clock));
}

/* The value that is written and the value that is then read, or the exception. */
static const struct {
    const char *what;
    const struct vpmu_x86_config *config;
    uint32_t msr;
    unsigned access;
    uint64_t written;
    uint64_t read;
} writes_rows[] = {
    {"PMC: sign-extended to 48", &intel_v4, 0xc1, 0, 0x80000001, 0xffff80000001},
    {"PMC: EDX is of no account", &intel_v4, 0xc1, 0, 0x1234500000007, 7},
    {"PMC: 40 bits", &intel_v2, 0xc2, 0, 0xffffffff, 0xffffffffff},
    {"PMC beyond the last", &intel_v2, 0xc3, UNKNOWN, 0, 0},
    {"full width", &intel_v4, 0x4c1, 0, 0x800000000001, 0x800000000001},
    {"full width, a bit too many", &intel_v4, 0x4c1, GP, BIT(48), 0},
    {"full width without it", &intel_v2, 0x4c1, UNKNOWN, 0, 0},
    {"PERFEVTSEL: high bits", &intel_v4, 0x186, GP, BIT(32), 0},
    {"ANY in version 4", &intel_v4, 0x186, 0, BIT(21), BIT(21)},
    {"ANY in version 2", &intel_v2, 0x186, GP, BIT(21), 0},
    {"ANY in version 5", &intel_v5, 0x186, GP, BIT(21), 0},
    {"all of version 2", &intel_v2, 0x186, 0, 0xffdfffff, 0xffdfffff},
    {"fixed counter", &intel_v2, 0x309, 0, 0xffffffffff, 0xffffffffff},
    {"fixed counter, a bit too many", &intel_v2, 0x309, GP, BIT(40), 0},
    {"fixed counters are from version 2 on", &intel_v1, 0x309, UNKNOWN, 0, 0},
    {"fixed control", &intel_v2, 0x38d, 0, 0xbbb, 0xbbb},
    {"fixed control, ANY in version 2", &intel_v2, 0x38d, GP, 4, 0},
    {"fixed control, ANY in version 4", &intel_v4, 0x38d, 0, 0xfff, 0xfff},
    {"fixed control of a fourth", &intel_v4, 0x38d, GP, 0x1000, 0},
    {"global control", &intel_v4, 0x38f, 0, 0x70000000f, 0x70000000f},
    {"global control of a fifth", &intel_v4, 0x38f, GP, 0x10, 0xf},
    {"none in version 1", &intel_v1, 0x38f, UNKNOWN, 0, 0},
    {"status is read-only", &intel_v4, 0x38e, GP, 0, 0},
    {"reset of CTR_FRZ", &intel_v4, 0x390, 0, BIT(59), 0},
    {"not in version 2", &intel_v2, 0x390, GP, BIT(59), 0},
    {"status set is from version 4 on", &intel_v2, 0x391, UNKNOWN, 0, 0},
    {"CondChgd cannot be set", &intel_v4, 0x391, GP, BIT(63), 0},
    {"in use is read-only", &intel_v4, 0x392, GP, 0, 0},
    {"capabilities", &intel_v4, 0x345, GP, 0, 0x3000},
    {"no PDCM", &intel_v2, 0x345, UNKNOWN, 0, 0},
    {"PEBS_ENABLE: four counters, LL_EN", &pebs_v2, 0x3f1, 0, 0xf0000000f, 0xf0000000f},
    {"PEBS_ENABLE: a fifth counter", &pebs_v2, 0x3f1, GP, 0x10, 0},
    {"PEBS_ENABLE: a counter that is not there", &pebs_fmt1, 0x3f1, GP, 4, 0},
    {"PEBS_ENABLE: fixed counters are of later formats", &pebs_v2, 0x3f1, GP, BIT(36), 0},
    {"PEBS_ENABLE: PS_EN is of Sandy Bridge", &pebs_v2, 0x3f1, GP, BIT(63), 0},
    {"LD_LAT_THRESHOLD", &pebs_v2, 0x3f6, 0, 0xffff, 0xffff},
    {"LD_LAT_THRESHOLD: more bits", &pebs_v2, 0x3f6, GP, 0x10000, 0},
    {"no PEBS_ENABLE", &intel_v4, 0x3f1, UNKNOWN, 0, 0},
    {"DS_AREA", &pebs_v2, 0x600, 0, 0xfffffe0000001000, 0xfffffe0000001000},
    {"DS_AREA, the highest of 48 bits", &pebs_v2, 0x600, 0, 0x00007fffffffffff, 0x00007fffffffffff},
    {"DS_AREA that is not canonical", &pebs_v2, 0x600, GP, 0x0000800000000000, 0},
    {"nor at the other end", &pebs_v2, 0x600, GP, 0xffff7fffffffffff, 0},
    {"DS_AREA with LA57", &pebs_la57, 0x600, 0, 0x00ffffffffffffff, 0x00ffffffffffffff},
    {"LA57, not canonical", &pebs_la57, 0x600, GP, 0x0100000000000000, 0},
    {"LA57, at the other end", &pebs_la57, 0x600, GP, 0xfeffffffffffffff, 0},
    {"no DS_AREA", &intel_v4, 0x600, UNKNOWN, 0, 0},
    {"capabilities of format 3", &pebs_v2, 0x345, GP, 0, 0x13c0},
    {"capabilities of format 1", &pebs_fmt1, 0x345, GP, 0, 0x11c0},
    {"capabilities of format 4", &pebs_fmt4, 0x345, GP, 0, 0x54c0},
    {"format 4: all counters", &pebs_fmt4, 0x3f1, 0, 0x700000003, 0x700000003},
    {"format 4: a counter that is not there", &pebs_fmt4, 0x3f1, GP, 4, 0},
    {"format 4: nor a fixed one", &pebs_fmt4, 0x3f1, GP, BIT(35), 0},
    {"format 4: the counter of slots", &pebs_metrics, 0x3f1, 0, BIT(35), BIT(35)},
    {"format 4: not PERF_METRICS", &pebs_metrics, 0x3f1, GP, BIT(48), 0},
    {"format 4: no PS_EN", &pebs_fmt4, 0x3f1, GP, BIT(63), 0},
    {"format 4: LD_LAT_THRESHOLD", &pebs_fmt4, 0x3f6, 0, 0xffff, 0xffff},
    {"format 4: more bits", &pebs_fmt4, 0x3f6, GP, 0x10000, 0},
    {"PEBS_DATA_CFG", &pebs_fmt4, 0x3f2, 0, 0xff00000f, 0xff00000f},
    {"PEBS_DATA_CFG: no fifth group", &pebs_fmt4, 0x3f2, GP, 0x10, 0},
    {"PEBS_DATA_CFG: bits below the entries", &pebs_fmt4, 0x3f2, GP, BIT(23), 0},
    {"PEBS_DATA_CFG: bits above them", &pebs_fmt4, 0x3f2, GP, BIT(32), 0},
    {"no PEBS_DATA_CFG in format 3", &pebs_v2, 0x3f2, UNKNOWN, 0, 0},
    {"ADAPTIVE", &pebs_fmt4, 0x186, 0, 0x4ffdfffff, 0x4ffdfffff},
    {"ADAPTIVE: another bit of AMD's events", &pebs_fmt4, 0x186, GP, BIT(35), 0},
    {"ADAPTIVE: and another", &pebs_fmt4, 0x186, GP, BIT(33), 0},
    {"ADAPTIVE is of format 4", &pebs_v2, 0x186, GP, BIT(34), 0},
    {"ADAPTIVE of fixed counters", &pebs_fmt4, 0x38d, 0, 0x11100000bbb, 0x11100000bbb},
    {"ADAPTIVE: a counter that is not there", &pebs_fmt4, 0x38d, GP, BIT(44), 0},
    {"ADAPTIVE: bits beside it", &pebs_fmt4, 0x38d, GP, BIT(33), 0},
    {"ADAPTIVE of fixed counters is of format 4", &pebs_v2, 0x38d, GP, BIT(32), 0},
    {"AMD's are not Intel's", &intel_v4, 0xc0010000, UNKNOWN, 0, 0},
    {"K7: reserved bits are dropped", &k7, 0xc0010000, 0, UINT64_MAX, 0xfffd7ffff},
    {"Zen: HostOnly, GuestOnly", &zen, 0xc0010000, 0, UINT64_MAX, 0x30fffd7ffff},
    {"K7: 48 bits", &k7, 0xc0010007, 0, UINT64_MAX, 0xffffffffffff},
    {"K7 has no core counters", &k7, 0xc0010200, UNKNOWN, 0, 0},
    {"Zen: the sixth", &zen, 0xc001020b, 0, 5, 5},
    {"Zen: no seventh", &zen, 0xc001020c, UNKNOWN, 0, 0},
    {"Zen has no global control", &zen, 0xc0000301, UNKNOWN, 0, 0},
    {"Zen 4: global control", &zen4, 0xc0000301, 0, UINT64_MAX, 0x3f},
    {"Zen 4: a write of status is ignored", &zen4, 0xc0000300, 0, 0x3f, 0},
    {"Intel's are not AMD's", &zen4, 0xc1, UNKNOWN, 0, 0},
};

START_TEST(writes)
{
    for (size_t i = 0; i < COUNT_OF(writes_rows); i++) {
        struct pc pc;
        uint64_t val;

        start_pc(&pc, writes_rows[i].config);
        expect_in(writes_rows[i].what, "WRMSR", writes_rows[i].access,
                  pc_access(&pc, vpmu_x86_wrmsr(&pc.v, writes_rows[i].msr, writes_rows[i].written,
                                                &pc.clock)));
        expect_in(writes_rows[i].what, "RDMSR",
                  writes_rows[i].access == UNKNOWN ? UNKNOWN : VPMU_X86_OK,
                  pc_access(&pc, vpmu_x86_rdmsr(&pc.v, writes_rows[i].msr, &val, &pc.clock)));
        expect_in(writes_rows[i].what, "value", writes_rows[i].read, val);
    }
}
END_TEST

/* The legacy addresses are the first four core counters. */
START_TEST(amd_aliases)
{
    struct pc pc;

    start_pc(&pc, &zen);
    wr(&pc, 0xc0010003, EN_OS_USR | 0xc0);
    wr(&pc, 0xc0010007, 40);
    expect("PERF_CTL3", EN_OS_USR | 0xc0, rd(&pc, 0xc0010206));
    go(&pc, VPMU_X86_SRC_INST, 2);
    expect("PERF_CTR3", 42, rd(&pc, 0xc0010207));
}
END_TEST

START_TEST(cpuid)
{
    static const struct {
        const char *what;
        const struct vpmu_x86_config *config;
        uint32_t leaf;
        struct vpmu_x86_cpuid want;
    } rows[] = {
        {"version 4", &intel_v4, 0x0a, {0x07300404, 0, 0, 0x603}},
        {"version 2", &intel_v2, 0x0a, {0x07280202, 0, 0, 0x503}},
        {"version 1", &intel_v1, 0x0a, {0x07280201, 0, 0, 0}},
        {"version 5, no reference cycles", &intel_v5, 0x0a, {0x07300805, 4, 3, 0x8602}},
        {"Icelake has slots, too", &icelake, 0x0a, {0x08300805, 0, 0xf, 0x8604}},
        {"Icelake without stalls", &icelake_timed, 0x0a, {0x08300805, 0x80, 7, 0x8603}},
        {"AMD has no 0AH", &zen4, 0x0a, {0, 0, 0, 0}},
        {"Zen 4", &zen4, 0x80000022, {1, 6, 0, 0}},
        {"Zen", &zen, 0x80000022, {0, 0, 0, 0}},
        {"Intel has no 80000022H", &intel_v4, 0x80000022, {0, 0, 0, 0}},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_x86_cpuid got = vpmu_x86_cpuid(rows[i].config, rows[i].leaf);

        expect_in(rows[i].what, "EAX", rows[i].want.eax, got.eax);
        expect_in(rows[i].what, "EBX", rows[i].want.ebx, got.ebx);
        expect_in(rows[i].what, "ECX", rows[i].want.ecx, got.ecx);
        expect_in(rows[i].what, "EDX", rows[i].want.edx, got.edx);
    }
}
END_TEST

/* ECX of RDPMC. */
START_TEST(rdpmc)
{
    static const struct {
        const struct vpmu_x86_config *config;
        uint32_t ecx;
        bool allowed;
        unsigned access;
    } rows[] = {
        {&intel_v4, 3, true, 0},
        {&intel_v4, 4, true, GP},
        {&intel_v4, 0x40000002, true, 0},
        {&intel_v4, 0x40000003, true, GP},
        {&intel_v4, 0x80000000, true, GP},
        {&intel_v4, 0x20000000, true, GP},
        {&intel_v4, 0, false, GP},
        {&zen, 5, true, 0},
        {&zen, 6, true, GP},
        {&zen, 0x40000000, true, GP},
        {&zen, 0, false, GP},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct pc pc;
        uint64_t val = 1;

        start_pc(&pc, rows[i].config);
        expect_in(
            "RDPMC", "access", rows[i].access,
            pc_access(&pc, vpmu_x86_rdpmc(&pc.v, rows[i].ecx, rows[i].allowed, &val, &pc.clock)));
        expect_in("RDPMC", "value", 0, val);
    }
}
END_TEST

/* Counter 0 has overflowed by 5 counts. Then its record is written, or cannot be written. */
START_TEST(pebs)
{
    static const struct {
        const char *what;
        uint64_t enabled;
        bool reloads;
        bool full;
        uint64_t status;
        unsigned pmis;
        uint64_t value;
    } rows[] = {
        {"not enabled", 0, false, false, 1, 1, 5},
        {"another counter", 2, true, false, 1, 1, 5},
        {"lost", 1, false, false, 0, 0, 5},
        {"a record", 1, true, false, 0, 0, 0xfffffffffff6},
        {"the last one", 1, true, true, BIT(62), 1, 0xfffffffffff6},
        {"full, and lost", 1, false, true, BIT(62), 1, 5},
    };
    const uint64_t reload[4] = {(uint64_t)-10};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct pc pc;

        start_pc(&pc, &pebs_v2);
        wr(&pc, 0x3f1, rows[i].enabled);
        wr(&pc, 0x186, EN_OS_USR | INT | 0xc0);
        wr(&pc, 0xc1, 0xffffffff);
        expect_in(rows[i].what, "armed", rows[i].enabled, vpmu_x86_pebs_armed(&pc.v));
        expect_in(rows[i].what, "headroom", 1,
                  vpmu_x86_headroom(&pc.v, INST_SRC, VPMU_X86_CTX_KERNEL));
        go(&pc, VPMU_X86_SRC_INST, 6);
        expect_in(rows[i].what, "due", rows[i].enabled & 1, pc.v.regs.due);
        if (pc.v.regs.due) {
            pc_service(&pc, vpmu_x86_pebs_done(&pc.v, 1, rows[i].reloads ? reload : NULL,
                                               rows[i].full, &pc.clock));
        }
        expect_in(rows[i].what, "due then", 0, pc.v.regs.due);
        expect_in(rows[i].what, "status", rows[i].status, rd(&pc, 0x38e));
        expect_in(rows[i].what, "interrupts", rows[i].pmis, pc.pmis);
        expect_in(rows[i].what, "value", rows[i].value, rd(&pc, 0xc1));
    }
}
END_TEST

/*
 * A fixed counter records from format 4 on. Up to format 3 its bit is LL_EN of a general counter,
 * which changes nothing.
 */
START_TEST(pebs_fixed)
{
    static const struct {
        const char *what;
        const struct vpmu_x86_config *config;
        uint64_t due;
        uint64_t status;
        unsigned pmis;
        uint64_t value;
    } rows[] = {
        {"format 4", &pebs_fmt4, BIT(VPMU_X86_FIXED + 1), 0, 0, 0xfffffffffff6},
        {"format 3", &pebs_v2, 0, BIT(33), 1, 5},
    };
    const uint64_t reload[VPMU_X86_COUNTER_COUNT] = {[VPMU_X86_FIXED + 1] = (uint64_t)-10};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct pc pc;

        start_pc(&pc, rows[i].config);
        wr(&pc, 0x3f1, BIT(33));
        wr(&pc, 0x38f, BIT(33));
        wr(&pc, 0x38d, 0xb0);
        wr(&pc, 0x30a, BIT(48) - 1);
        expect_in(rows[i].what, "armed", rows[i].due, vpmu_x86_pebs_armed(&pc.v));
        expect_in(rows[i].what, "with data", 0, vpmu_x86_pebs_with_data(&pc.v));
        go(&pc, VPMU_X86_SRC_CYCLES, 6);
        expect_in(rows[i].what, "due", rows[i].due, pc.v.regs.due);
        if (pc.v.regs.due) {
            pc_service(&pc, vpmu_x86_pebs_done(&pc.v, pc.v.regs.due, reload, false, &pc.clock));
        }
        expect_in(rows[i].what, "due then", 0, pc.v.regs.due);
        expect_in(rows[i].what, "status", rows[i].status, rd(&pc, 0x38e));
        expect_in(rows[i].what, "interrupts", rows[i].pmis, pc.pmis);
        expect_in(rows[i].what, "value", rows[i].value, rd(&pc, 0x30a));
    }
}
END_TEST

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

/*
 * 1,000 cycles of the TSC, with 84 of them in a cycle of the bus or crystal clock. The families
 * whose lists of events name another clock than the TSC's are Core 2 to Ice Lake.
 */
START_TEST(bus_cycles)
{
    static const struct {
        const char *what;
        unsigned family;
        uint32_t select;
        unsigned want;
    } rows[] = {
        {"REF_P, 133 MHz", VPMU_X86_NEHALEM, 0x13c, 11},
        {"REF_XCLK, 100 MHz", VPMU_X86_BROADWELL, 0x13c, 11},
        {"its sibling for one thread", VPMU_X86_BROADWELL, 0x23c, 11},
        {"REF_XCLK, the crystal", VPMU_X86_SKYLAKEX, 0x13c, 11},
        {"REF_XCLK of Ice Lake", VPMU_X86_ICELAKEX, 0x13c, 11},
        {"REF_DISTRIBUTED", VPMU_X86_SAPPHIRERAPIDS, 0x83c, 11},
        {"REF_TSC_P", VPMU_X86_SAPPHIRERAPIDS, 0x13c, 1000},
        {"REF of Atom", VPMU_X86_GOLDMONT, 0x13c, 1000},
        {"the architectural event", VPMU_X86_GENERIC, 0x13c, 1000},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_x86_config config = intel_v2;
        struct pc pc;

        config.family = (uint8_t)rows[i].family;
        config.bus_ratio = 84;
        start_pc(&pc, &config);
        wr(&pc, 0x186, EN_OS_USR | rows[i].select);
        wr(&pc, 0x38d, 0x300);
        wr(&pc, 0x38f, BIT(34) | 1);
        go(&pc, VPMU_X86_SRC_REF_CYCLES, 500);
        go(&pc, VPMU_X86_SRC_REF_CYCLES, 500);
        expect_in(rows[i].what, "count", rows[i].want, rd(&pc, 0xc1));
        expect_in(rows[i].what, "fixed counter", 1000, rd(&pc, 0x30b));
    }
}
END_TEST

/* MSRs that raise #GP, because only other Intel PMUs or kinds of LBR have them (SDM 4). */
START_TEST(lacking)
{
    static const struct {
        uint32_t first, last;
    } rows[] = {
        {0x40, 0x47},   {0x60, 0x67},   {0x680, 0x69f}, {0x6c0, 0x6df}, {0x3f2, 0x3f2},
        {0x329, 0x329}, {0x1a6, 0x1a7}, {0x3f7, 0x3f7}, {0xc3, 0xc8},   {0x18a, 0x18d},
    };
    static const uint32_t others[] = {0x3f, 0x48, 0x1a0, 0x1d9, 0xc0, 0xc9, 0x400, 0x6e0};
    struct pc intel, amd;

    start_pc(&intel, &intel_v2);
    start_pc(&amd, &zen);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        for (uint32_t msr = rows[i].first; msr <= rows[i].last; msr++) {
            expect_in("Intel", "lacks", msr, vpmu_x86_lacks_msr(&intel.v, msr) ? msr : 0);
            expect_in("AMD", "lacks", 0, vpmu_x86_lacks_msr(&amd.v, msr));
        }
    }
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        expect_in("another MSR", "lacks", 0, vpmu_x86_lacks_msr(&intel.v, others[i]));
    }
}
END_TEST

/* A counter with HostOnly or GuestOnly depends on EFER.SVME while it is enabled. */
START_TEST(svme)
{
    static const struct {
        const char *what;
        uint64_t select;
        bool want;
    } rows[] = {
        {"HostOnly", EN_OS_USR | BIT(41) | 0xc0, true},
        {"GuestOnly", EN_OS_USR | BIT(40) | 0xc0, true},
        {"neither", EN_OS_USR | 0xc0, false},
        {"disabled", 0x30000 | BIT(41) | 0xc0, false},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct pc pc;

        start_pc(&pc, &zen);
        wr(&pc, 0xc001020a, rows[i].select);
        expect_in(rows[i].what, "follows", rows[i].want, vpmu_x86_follows_svme(&pc.v));
    }
}
END_TEST

/* Context number n executes 2^n instructions. */
START_TEST(contexts)
{
    enum {
        USER = 1,
        KERNEL = 2,
        GUEST_USER = 4,
        GUEST_KERNEL = 8,
        SMM = 16
    };
    static const struct {
        const char *what;
        uint64_t bits;
        bool svme;
        unsigned want;
    } rows[] = {
        {"neither", 0, true, 0},
        {"USR", BIT(16), true, USER | GUEST_USER},
        {"OS", BIT(17), true, KERNEL | GUEST_KERNEL | SMM},
        {"both", 3 << 16, false, 31},
        {"GuestOnly", 3 << 16 | BIT(40), true, GUEST_USER | GUEST_KERNEL},
        {"HostOnly", 3 << 16 | BIT(41), true, USER | KERNEL | SMM},
        {"HostOnly, USR", BIT(16) | BIT(41), true, USER},
        {"both sides", 3 << 16 | 3ull << 40, true, 31},
        {"HostOnly without SVME", 3 << 16 | BIT(41), false, 0},
        {"both sides without SVME", 3 << 16 | 3ull << 40, false, 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_x86_controls controls = {.svme = rows[i].svme};
        struct pc pc;

        start_pc(&pc, &zen);
        pc_service(&pc, vpmu_x86_set_controls(&pc.v, &controls, &pc.clock));
        wr(&pc, 0xc0010200, BIT(22) | 0xc0 | rows[i].bits);
        for (unsigned ctx = 0; ctx < VPMU_X86_CTX_COUNT; ctx++) {
            pc_service(&pc, vpmu_x86_set_context(&pc.v, ctx, &pc.clock));
            expect_sources(rows[i].what, rows[i].want >> ctx & 1 ? INST_SRC : 0,
                           vpmu_x86_armed(&pc.v, ctx));
            go(&pc, VPMU_X86_SRC_INST, BIT(ctx));
        }
        expect_in(rows[i].what, "count", rows[i].want, rd(&pc, 0xc0010201));
    }
}
END_TEST

/* Each event counts its sources, on each family: source number s happens s + 1 times. */
static void count_event(const struct vpmu_x86_event *event, unsigned family)
{
    bool intel = event->vendor == VPMU_X86_INTEL;
    struct vpmu_x86_config config = intel ? intel_v4 : k7;
    vpmu_sources sources = event->sources;
    uint64_t want = 0;
    struct pc pc;

    /* Each load exceeds a threshold of 0 cycles. */
    if (sources == VPMU_SRC_BIT(VPMU_X86_SRC_LOAD_LATENCY)) {
        sources = VPMU_SRC_BIT(VPMU_X86_SRC_LOAD);
    }
    config.family = (uint8_t)family;
    start_pc(&pc, &config);
    wr(&pc, intel ? 0x186 : 0xc0010000, EN_OS_USR | event->select);
    for (unsigned source = 0; source < VPMU_X86_SRC_COUNT; source++) {
        go(&pc, (enum vpmu_x86_source)source, source + 1);
        want += sources >> source & 1 ? source + 1 : 0;
    }
    expect_in(event->name, "count", want, rd(&pc, intel ? 0xc1 : 0xc0010004));
}

START_TEST(events)
{
    for (size_t i = 0; i < vpmu_x86_events_count; i++) {
        const struct vpmu_x86_event *event = &vpmu_x86_events[i];
        bool amd = event->vendor == VPMU_X86_AMD;

        for (unsigned family = 0; family < VPMU_X86_FAMILY_COUNT; family++) {
            if ((event->families >> family & 1) &&
                (family == VPMU_X86_GENERIC || (family >= VPMU_X86_ZEN1) == amd)) {
                count_event(event, family);
            }
        }
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

/* A counter overflows at the third instruction; two more follow. */
START_TEST(overflow)
{
    static const struct {
        const char *what;
        const struct vpmu_x86_config *config;
        uint64_t bits;
        uint64_t debugctl;
        unsigned pmis;
        uint64_t status;
        uint64_t control;
        uint64_t value;
    } rows[] = {
        {"no INT", &intel_v4, 0, FREEZE, 0, 1, 0xf, 2},
        {"INT", &intel_v4, INT, 0, 1, 1, 0xf, 2},
        {"INT, frozen in version 4", &intel_v4, INT, FREEZE, 1, BIT(59) | 1, 0xf, 0},
        {"INT, frozen in version 3", &intel_v3, INT, FREEZE, 1, 1, 0, 0},
        {"INT, frozen in version 2", &intel_v2, INT, FREEZE, 1, 1, 0, 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_x86_controls controls = {.debugctl = rows[i].debugctl};
        struct pc pc;

        start_pc(&pc, rows[i].config);
        pc_service(&pc, vpmu_x86_set_controls(&pc.v, &controls, &pc.clock));
        wr(&pc, 0x186, EN_OS_USR | 0xc0 | rows[i].bits);
        wr(&pc, 0xc1, 0xfffffffd);
        expect_in(rows[i].what, "room", rows[i].bits ? 3 : UINT64_MAX,
                  vpmu_x86_headroom(&pc.v, INST_SRC, VPMU_X86_CTX_KERNEL));
        for (unsigned n = 0; n < 5; n++) {
            go(&pc, VPMU_X86_SRC_INST, 1);
        }
        expect_in(rows[i].what, "interrupts", rows[i].pmis, pc.pmis);
        expect_in(rows[i].what, "status", rows[i].status, rd(&pc, 0x38e));
        expect_in(rows[i].what, "control", rows[i].control, rd(&pc, 0x38f));
        expect_in(rows[i].what, "value", rows[i].value, rd(&pc, 0xc1));
    }
}
END_TEST

START_TEST(configurations)
{
    static const struct {
        const char *why;
        struct vpmu_x86_config config;
    } rows[] = {
        {"no such vendor", CONFIG(2, 1, 4, 0, 48, 0, 1, VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_GENERIC)},
        {"no such family", CONFIG(0, 2, 4, 0, 48, 0, 1, VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_ZEN1)},
        {"no such family", CONFIG(1, 2, 6, 0, 48, 0, 1, VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_SKYLAKE)},
        {"no such family",
         CONFIG(1, 2, 6, 0, 48, 0, 1, VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_FAMILY_COUNT)},
        {"there are 1 to 5",
         CONFIG(0, 6, 4, 0, 48, 0, 1, VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_GENERIC)},
        {"there are 1 to 5",
         CONFIG(0, 0, 4, 0, 48, 0, 1, VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_GENERIC)},
        {"1 to 8", CONFIG(0, 2, 9, 0, 48, 0, 1, VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_GENERIC)},
        {"none in version 1",
         CONFIG(0, 1, 4, 1, 48, 0, 1, VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_GENERIC)},
        {"it can be 32 to 48",
         CONFIG(0, 2, 4, 3, 31, 0, 1, VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_GENERIC)},
        {"features that Intel",
         CONFIG(0, 2, 4, 3, 48, VPMU_X86_HAS_SVM, 1, VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_GENERIC)},
        {"need PDCM", CONFIG(0, 2, 4, 3, 48, VPMU_X86_HAS_FULL_WIDTH, 1, VPMU_X86_SRC_ALL, 0, 0,
                             VPMU_X86_GENERIC)},
        {"no such format of PEBS",
         CONFIG(0, 5, 4, 3, 48, VPMU_X86_HAS_PDCM, 1, VPMU_X86_SRC_ALL, 0, 5, VPMU_X86_GENERIC)},
        {"format 4 need version 5",
         CONFIG(0, 4, 4, 3, 48, VPMU_X86_HAS_PDCM, 1, VPMU_X86_SRC_ALL, 0, 4, VPMU_X86_GENERIC)},
        {"needs version 2",
         CONFIG(0, 1, 4, 0, 48, VPMU_X86_HAS_PDCM, 1, VPMU_X86_SRC_ALL, 0, 1, VPMU_X86_GENERIC)},
        {"and PDCM", CONFIG(0, 2, 4, 3, 48, 0, 1, VPMU_X86_SRC_ALL, 0, 1, VPMU_X86_GENERIC)},
        {"AMD has no PEBS", CONFIG(1, 2, 6, 0, 48, 0, 1, VPMU_X86_SRC_ALL, 0, 1, VPMU_X86_GENERIC)},
        {"no such version of AMD",
         CONFIG(1, 4, 6, 0, 48, 0, 1, VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_GENERIC)},
        {"K7 counters are always 4",
         CONFIG(1, 1, 6, 0, 48, 0, 1, VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_GENERIC)},
        {"core counters", CONFIG(1, 2, 7, 0, 48, 0, 1, VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_GENERIC)},
        {"no fixed counters",
         CONFIG(1, 2, 6, 1, 48, 0, 1, VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_GENERIC)},
        {"have 48 bits", CONFIG(1, 2, 6, 0, 40, 0, 1, VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_GENERIC)},
        {"features that AMD",
         CONFIG(1, 2, 6, 0, 48, VPMU_X86_HAS_PDCM, 1, VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_GENERIC)},
        {"unknown event sources", CONFIG(0, 2, 4, 3, 48, 0, 1, UINT64_MAX, 0, 0, VPMU_X86_GENERIC)},
        {"must supply them", CONFIG(0, 2, 4, 3, 48, 0, 1, INST_SRC, 0, 0, VPMU_X86_GENERIC)},
        {"only cycles can be timed",
         CONFIG(0, 2, 4, 3, 48, 0, 1, VPMU_X86_SRC_ALL, INST_SRC, 0, VPMU_X86_GENERIC)},
        {"out of range", CONFIG(0, 2, 4, 3, 48, 0, 9, VPMU_X86_SRC_ALL, 0, 0, VPMU_X86_GENERIC)},
        {"have one unit",
         CONFIG(0, 2, 4, 3, 48, 0, 2, VPMU_X86_SRC_ALL, CPU_SRC, 0, VPMU_X86_GENERIC)},
        {"counts its event",
         CONFIG(0, 2, 4, 3, 48, 0, 1, CPU_SRC | INST_SRC, 0, 0, VPMU_X86_GENERIC)},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *why = "accepted";

        vpmu_x86_config_check(&rows[i].config, &why);
        ck_assert_msg(strstr(why, rows[i].why) != NULL, "expected %s got %s", rows[i].why, why);
    }
}
END_TEST

/* After a reset nothing is counted, and the machine is told to tally nothing. */
START_TEST(reset)
{
    struct pc pc;

    start_pc(&pc, &intel_v4);
    wr(&pc, 0x186, EN_OS_USR | 0xc0);
    expect_sources("enabled", INST_SRC, vpmu_x86_armed(&pc.v, VPMU_X86_CTX_USER));
    pc.rearms = 0;
    pc_service(&pc, vpmu_x86_reset(&pc.v, &pc.clock));
    expect("VPMU_DUE_REARM", 1, pc.rearms);
    expect_sources("reset", 0, vpmu_x86_armed(&pc.v, VPMU_X86_CTX_USER));
    go(&pc, VPMU_X86_SRC_INST, 5);
    expect("IA32_PMC0", 0, rd(&pc, 0xc1));
}
END_TEST

/* The bytes of an instruction, and what it counts as besides an instruction. */
START_TEST(instructions)
{
    static const struct {
        const char *what;
        uint8_t insn[5];
        uint8_t len;
        bool long_mode;
        uint64_t want;
    } rows[] = {
        {"NOP", {0x90}, 1, true, 0},
        {"JE", {0x74, 0}, 2, true, X86_SRC(BR_COND)},
        {"LOOPNE", {0xe0, 0}, 2, true, X86_SRC(BR_COND)},
        {"JRCXZ", {0xe3, 0}, 2, true, X86_SRC(BR_COND)},
        {"IN, the byte after JRCXZ", {0xe4, 0}, 2, true, 0},
        {"JNE of 32 bits", {0x0f, 0x85}, 2, true, X86_SRC(BR_COND)},
        {"SETNE", {0x0f, 0x95, 0xc0}, 3, true, 0},
        {"CALL", {0xe8, 0}, 5, true, X86_SRC(BR_DIRECT) | X86_SRC(BR_CALL)},
        {"JMP of 32 bits", {0xe9, 0}, 5, true, X86_SRC(BR_DIRECT)},
        {"JMP", {0xeb, 0}, 2, true, X86_SRC(BR_DIRECT)},
        {"BND JMP", {0xf2, 0xe9}, 2, true, X86_SRC(BR_DIRECT)},
        {"CALL RAX", {0xff, 0xd0}, 2, true, X86_SRC(BR_INDIRECT) | X86_SRC(BR_CALL)},
        {"JMP R9", {0x41, 0xff, 0xe1}, 3, true, X86_SRC(BR_INDIRECT)},
        {"INC EAX", {0xff, 0xc0}, 2, true, 0},
        {"PUSH [RAX]", {0xff, 0x30}, 2, true, 0},
        {"far JMP [RAX]", {0xff, 0x28}, 2, true, X86_SRC(BR_FAR)},
        {"RET", {0xc3}, 1, true, X86_SRC(BR_RETURN)},
        {"REP RET", {0xf3, 0xc3}, 2, true, X86_SRC(BR_RETURN)},
        {"RET 8", {0xc2, 8, 0}, 3, true, X86_SRC(BR_RETURN)},
        {"LES or VEX", {0xc4}, 1, false, 0},
        {"far RET", {0xcb}, 1, true, X86_SRC(BR_FAR)},
        {"IRETQ", {0x48, 0xcf}, 2, true, X86_SRC(BR_FAR)},
        {"INT3", {0xcc}, 1, true, X86_SRC(BR_FAR)},
        {"INT 80H", {0xcd, 0x80}, 2, true, X86_SRC(BR_FAR)},
        {"SYSCALL", {0x0f, 5}, 2, true, X86_SRC(BR_FAR)},
        {"CLTS", {0x0f, 6}, 2, true, 0},
        {"SYSEXIT", {0x0f, 0x35}, 2, true, X86_SRC(BR_FAR)},
        {"INC EDX in 32-bit code", {0x42, 0xeb, 0}, 3, false, 0},
        {"REX JMP in 64-bit code", {0x42, 0xeb, 0}, 3, true, X86_SRC(BR_DIRECT)},
        {"cut off behind 0FH, before JNE", {0x0f, 0x85}, 1, true, 0},
        {"cut off behind FFH, before CALL RAX", {0xff, 0xd0}, 1, true, 0},
        {"prefixes alone", {0x66, 0xf0}, 2, true, 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        expect_sources(rows[i].what, rows[i].want | INST_SRC,
                       vpmu_insn_x86(rows[i].insn, rows[i].len, rows[i].long_mode));
    }
}
END_TEST

/* Bytes, and the cycles for which they stall what is behind them. */
START_TEST(stalls)
{
    static const struct {
        const char *what;
        uint8_t insn[6];
        uint8_t len;
        bool long_mode;
        unsigned want;
    } rows[] = {
        {"NOP", {0x90}, 1, true, 0},
        {"DIV ECX", {0xf7, 0xf1}, 2, true, 8},
        {"DIV CL", {0xf6, 0xf1}, 2, true, 8},
        {"DIV RCX", {0x48, 0xf7, 0xf1}, 3, true, 12},
        {"DIV R9D", {0x41, 0xf7, 0xf1}, 3, true, 8},
        {"DIV [CS:RCX]", {0x2e, 0xf7, 0x31}, 3, true, 8},
        {"DIV R9", {0x49, 0xf7, 0xf1}, 3, true, 12},
        {"DEC EAX; DIV ECX in 32-bit code", {0x48, 0xf7, 0xf1}, 3, false, 0},
        {"IDIV RCX", {0x48, 0xf7, 0xf9}, 3, true, 12},
        {"MUL ECX", {0xf7, 0xe1}, 2, true, 2},
        {"NEG ECX", {0xf7, 0xd9}, 2, true, 0},
        {"IMUL EAX, ECX", {0x0f, 0xaf, 0xc1}, 3, true, 2},
        {"IMUL EAX, ECX, 3", {0x6b, 0xc1, 3}, 3, true, 2},
        {"CRC32 EAX, ECX", {0xf2, 0x0f, 0x38, 0xf1, 0xc1}, 5, true, 2},
        {"MOVBE [RAX], ECX", {0x0f, 0x38, 0xf1, 0x08}, 4, true, 0},
        {"DIVSS", {0xf3, 0x0f, 0x5e, 0xc1}, 4, true, 10},
        {"DIVSD", {0xf2, 0x0f, 0x5e, 0xc1}, 4, true, 15},
        {"SQRTPS", {0x0f, 0x51, 0xc1}, 3, true, 12},
        {"SQRTPD", {0x66, 0x0f, 0x51, 0xc1}, 4, true, 20},
        {"ADDSD", {0xf2, 0x0f, 0x58, 0xc1}, 4, true, 3},
        {"UCOMISD", {0x66, 0x0f, 0x2e, 0xc1}, 4, true, 2},
        {"ANDPS", {0x0f, 0x54, 0xc1}, 3, true, 0},
        {"VDIVSD", {0xc5, 0xf3, 0x5e, 0xc1}, 4, true, 15},
        {"VDIVPS", {0xc5, 0xf0, 0x5e, 0xc1}, 4, true, 10},
        {"VFMADD231SD", {0xc4, 0xe2, 0xf1, 0xb9, 0xc2}, 5, true, 4},
        {"LES in 32-bit code", {0xc5, 0xf3}, 2, false, 0},
        {"FADD", {0xd8, 0xc1}, 2, true, 3},
        {"FDIVP", {0xde, 0xf9}, 2, true, 15},
        {"FCOM", {0xd8, 0xd1}, 2, true, 2},
        {"FSQRT", {0xd9, 0xfa}, 2, true, 20},
        {"FSIN", {0xd9, 0xfe}, 2, true, 40},
        {"FLD1", {0xd9, 0xe8}, 2, true, 0},
        {"FINCSTP", {0xd9, 0xf7}, 2, true, 0},
        {"cut off", {0x0f}, 1, true, 0},
        {"cut off behind VEX", {0xc4, 0xe2}, 2, true, 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        expect_in(rows[i].what, "cycles", rows[i].want,
                  vpmu_insn_x86_stall(rows[i].insn, rows[i].len, rows[i].long_mode));
    }
}
END_TEST

START_TEST(locks)
{
    static const struct {
        const char *what;
        uint8_t insn[6];
        uint8_t len;
        bool long_mode;
        bool want;
    } rows[] = {
        {"LOCK INC", {0xf0, 0xff, 0x00}, 3, true, true},
        {"LOCK behind others", {0x66, 0x41, 0xf0, 0xff, 0x00}, 5, true, true},
        {"INC", {0xff, 0x00}, 2, true, false},
        {"XCHG with memory", {0x48, 0x87, 0x03}, 3, true, true},
        {"of bytes", {0x86, 0x40, 0x01}, 3, false, true},
        {"of registers", {0x48, 0x87, 0xc3}, 3, true, false},
        {"an immediate of F0H", {0x04, 0xf0}, 2, true, false},
        {"DEC EAX in 32-bit code", {0x48, 0x87, 0x03}, 3, false, false},
        {"cut off", {0x87}, 1, true, false},
        {"only prefixes", {0x66, 0x66}, 2, true, false},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        expect_in(rows[i].what, "locked", rows[i].want,
                  vpmu_insn_x86_locked(rows[i].insn, rows[i].len, rows[i].long_mode));
    }
}
END_TEST

START_TEST(modifying)
{
    static const struct {
        const char *what;
        uint8_t insn[6];
        uint8_t len;
        bool want;
    } rows[] = {
        {"INC", {0xff, 0x00}, 2, true},
        {"INC of 64 bits", {0x48, 0xff, 0x00}, 3, true},
        {"DEC", {0xff, 0x08}, 2, true},
        {"ADD", {0x01, 0x03}, 2, true},
        {"LOCK XADD", {0xf0, 0x0f, 0xc1, 0x03}, 4, true},
        {"XCHG", {0x87, 0x03}, 2, true},
        {"SHL", {0xd1, 0x23}, 2, true},
        {"BTS", {0x0f, 0xab, 0x03}, 3, true},
        {"PUSH", {0xff, 0x30}, 2, false},
        {"CALL", {0xff, 0x10}, 2, false},
        {"POP", {0x8f, 0x00}, 2, false},
        {"MOVS", {0x48, 0xa5}, 2, false},
        {"REP MOVS", {0xf3, 0xa4}, 2, false},
        {"IRET", {0x48, 0xcf}, 2, false},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        expect_in(rows[i].what, "modifies", rows[i].want,
                  vpmu_insn_x86_modifies(rows[i].insn, rows[i].len, true));
    }
}
END_TEST

/*
 * SDM volume 2 for the encodings; perf's lists for what counts: "Applies to ... ADD SUB HADD HSUB
 * SUBADD MUL DIV MIN MAX SQRT RSQRT RCP DPP FM(N)ADD/SUB. DPP and FM(N)ADD/SUB instructions count
 * twice"; AMD's "Each MAC operation is counted as 2 FLOPS".
 */
static const struct {
    const char *what;
    uint8_t insn[8];
    uint8_t len;
    struct vpmu_x86_tally want[VPMU_X86_TALLIES];
} floating_rows[] = {
    {"ADD", {0x01, 0xc0}, 2, {{0, 0}}},
    {"FADD", {0xd8, 0xc0}, 2, {{VPMU_X86_SRC_X87, 1}}},
    {"PADDB of MMX", {0x0f, 0xfc, 0xc0}, 3, {{VPMU_X86_SRC_MMX, 1}}},
    {"EMMS", {0x0f, 0x77}, 2, {{VPMU_X86_SRC_MMX, 1}}},
    {"PADDB of SSE", {0x66, 0x0f, 0xfc, 0xc0}, 4, {{VPMU_X86_SRC_SSE, 1}}},
    {"MOVAPS", {0x0f, 0x28, 0xc1}, 3, {{VPMU_X86_SRC_SSE, 1}}},
    {"CVTSI2SD",
     {0xf2, 0x48, 0x0f, 0x2a, 0xc0},
     5,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_SCALAR_CVT, 1}}},
    {"POPCNT", {0xf3, 0x0f, 0xb8, 0xc0}, 4, {{0, 0}}},
    {"VZEROUPPER", {0xc5, 0xf8, 0x77}, 3, {{VPMU_X86_SRC_SSE, 1}}},
    {"ANDN of BMI", {0xc4, 0xe2, 0x78, 0xf2, 0xc0}, 5, {{0, 0}}},
    {"ADDSD",
     {0xf2, 0x0f, 0x58, 0xc1},
     4,
     {{VPMU_X86_SRC_FP_SCALAR_DOUBLE, 1},
      {VPMU_X86_SRC_FLOPS_ADD_DOUBLE, 1},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_SCALAR_ADD, 1}}},
    {"SUBSS with REX",
     {0xf3, 0x44, 0x0f, 0x5c, 0xc1},
     5,
     {{VPMU_X86_SRC_FP_SCALAR_SINGLE, 1},
      {VPMU_X86_SRC_FLOPS_ADD_SINGLE, 1},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_SCALAR_SUB, 1}}},
    {"MULPD",
     {0x66, 0x0f, 0x59, 0xc1},
     4,
     {{VPMU_X86_SRC_FP_128_DOUBLE, 1},
      {VPMU_X86_SRC_FLOPS_MUL_DOUBLE, 2},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_128_MUL, 1}}},
    {"DIVPS",
     {0x0f, 0x5e, 0xc1},
     3,
     {{VPMU_X86_SRC_FP_128_SINGLE, 1},
      {VPMU_X86_SRC_FLOPS_DIV_SINGLE, 4},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_128_DIV, 1}}},
    {"SQRTSD",
     {0xf2, 0x0f, 0x51, 0xc1},
     4,
     {{VPMU_X86_SRC_FP_SCALAR_DOUBLE, 1},
      {VPMU_X86_SRC_FLOPS_DIV_DOUBLE, 1},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_SCALAR_SQRT, 1}}},
    {"RCPPS",
     {0x0f, 0x53, 0xc1},
     3,
     {{VPMU_X86_SRC_FP_128_SINGLE, 1}, {VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_128_OTHER, 1}}},
    {"MAXSD",
     {0xf2, 0x0f, 0x5f, 0xc1},
     4,
     {{VPMU_X86_SRC_FP_SCALAR_DOUBLE, 1},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_SCALAR_OTHER, 1}}},
    {"HADDPS",
     {0xf2, 0x0f, 0x7c, 0xc1},
     4,
     {{VPMU_X86_SRC_FP_128_SINGLE, 1},
      {VPMU_X86_SRC_FLOPS_ADD_SINGLE, 4},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_128_SHUFFLE, 1}}},
    {"ADDSUBPD",
     {0x66, 0x0f, 0xd0, 0xc1},
     4,
     {{VPMU_X86_SRC_FP_128_DOUBLE, 1},
      {VPMU_X86_SRC_FLOPS_ADD_DOUBLE, 2},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_128_ADD, 1}}},
    {"UCOMISD",
     {0x66, 0x0f, 0x2e, 0xc1},
     4,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_SCALAR_CMP, 1}}},
    {"CMPPS", {0x0f, 0xc2, 0xc1, 0x00}, 4, {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_128_CMP, 1}}},
    {"VADDPS of 256 bits",
     {0xc5, 0xf4, 0x58, 0xc2},
     4,
     {{VPMU_X86_SRC_FP_256_SINGLE, 1},
      {VPMU_X86_SRC_FLOPS_ADD_SINGLE, 8},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_256_ADD, 1}}},
    {"VMULPD of 256 bits",
     {0xc5, 0xf5, 0x59, 0xc2},
     4,
     {{VPMU_X86_SRC_FP_256_DOUBLE, 1},
      {VPMU_X86_SRC_FLOPS_MUL_DOUBLE, 4},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_256_MUL, 1}}},
    {"VFMADD231PD of 256 bits",
     {0xc4, 0xe2, 0xf5, 0xb8, 0xc2},
     5,
     {{VPMU_X86_SRC_FP_256_DOUBLE, 2},
      {VPMU_X86_SRC_FLOPS_MAC_DOUBLE, 8},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_256_MAC, 1}}},
    {"VFMADD231PS of 256 bits",
     {0xc4, 0xe2, 0x75, 0xb8, 0xc2},
     5,
     {{VPMU_X86_SRC_FP_256_SINGLE, 2},
      {VPMU_X86_SRC_FLOPS_MAC_SINGLE, 16},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_256_MAC, 1}}},
    {"VFNMSUB213SS",
     {0xc4, 0xe2, 0x71, 0xaf, 0xc2},
     5,
     {{VPMU_X86_SRC_FP_SCALAR_SINGLE, 2},
      {VPMU_X86_SRC_FLOPS_MAC_SINGLE, 2},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_SCALAR_MAC, 1}}},
    {"VFMADDSUB132PD",
     {0xc4, 0xe2, 0xf1, 0x96, 0xc2},
     5,
     {{VPMU_X86_SRC_FP_128_DOUBLE, 2},
      {VPMU_X86_SRC_FLOPS_MAC_DOUBLE, 4},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_128_MAC, 1}}},
    {"VFMADD132SD",
     {0xc4, 0xe2, 0xf1, 0x99, 0xc2},
     5,
     {{VPMU_X86_SRC_FP_SCALAR_DOUBLE, 2},
      {VPMU_X86_SRC_FLOPS_MAC_DOUBLE, 2},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_SCALAR_MAC, 1}}},
    {"DPPS",
     {0x66, 0x0f, 0x3a, 0x40, 0xc1, 0xff},
     6,
     {{VPMU_X86_SRC_FP_128_SINGLE, 2},
      {VPMU_X86_SRC_FLOPS_MUL_SINGLE, 4},
      {VPMU_X86_SRC_FLOPS_ADD_SINGLE, 4},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_128_SHUFFLE, 1}}},
    {"XORPS", {0x0f, 0x57, 0xc1}, 3, {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_128_LOGICAL, 1}}},
    {"VANDPD of 256 bits",
     {0xc5, 0xf5, 0x54, 0xc2},
     4,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_256_LOGICAL, 1}}},
    {"CVTTSD2SI",
     {0xf2, 0x48, 0x0f, 0x2c, 0xc1},
     5,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_SCALAR_CVT, 1}}},
    {"CVTPS2PD", {0x0f, 0x5a, 0xc1}, 3, {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_128_CVT, 1}}},
    {"VCVTDQ2PS of 256 bits",
     {0xc5, 0xfc, 0x5b, 0xc1},
     4,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_256_CVT, 1}}},
    {"CVTSS2SD",
     {0xf3, 0x0f, 0x5a, 0xc1},
     4,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_SCALAR_CVT, 1}}},
    {"VCVTPD2DQ of 256 bits",
     {0xc5, 0xff, 0xe6, 0xc1},
     4,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_256_CVT, 1}}},
    {"VCVTPS2PH of 256 bits",
     {0xc4, 0xe3, 0x7d, 0x1d, 0xc1, 0x00},
     6,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_256_CVT, 1}}},
    {"COMISS", {0x0f, 0x2f, 0xc1}, 3, {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_SCALAR_CMP, 1}}},
    {"CMPSD",
     {0xf2, 0x0f, 0xc2, 0xc1, 0x00},
     5,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_SCALAR_CMP, 1}}},
    {"BLENDPS",
     {0x66, 0x0f, 0x3a, 0x0c, 0xc1, 0x01},
     6,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_128_BLEND, 1}}},
    {"VBLENDVPD of 256 bits",
     {0xc4, 0xe3, 0x75, 0x4b, 0xc2, 0x30},
     6,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_256_BLEND, 1}}},
    {"SHUFPS",
     {0x0f, 0xc6, 0xc1, 0x00},
     4,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_128_SHUFFLE, 1}}},
    {"MOVDDUP",
     {0xf2, 0x0f, 0x12, 0xc1},
     4,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_128_SHUFFLE, 1}}},
    {"VPERM2F128",
     {0xc4, 0xe3, 0x75, 0x06, 0xc2, 0x01},
     6,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_256_SHUFFLE, 1}}},
    {"ROUNDSD",
     {0x66, 0x0f, 0x3a, 0x0b, 0xc1, 0x00},
     6,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_SCALAR_OTHER, 1}}},
    {"ROUNDPS",
     {0x66, 0x0f, 0x3a, 0x08, 0xc1, 0x00},
     6,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_128_OTHER, 1}}},
    {"PREFETCHNTA", {0x0f, 0x18, 0x00}, 3, {{VPMU_X86_SRC_PREFETCH_NTA, 1}}},
    {"PREFETCHT0", {0x41, 0x0f, 0x18, 0x48, 0x40}, 5, {{VPMU_X86_SRC_PREFETCH_T0, 1}}},
    {"PREFETCHT1", {0x0f, 0x18, 0x10}, 3, {{VPMU_X86_SRC_PREFETCH_T1_T2, 1}}},
    {"PREFETCHT2", {0x0f, 0x18, 0x18}, 3, {{VPMU_X86_SRC_PREFETCH_T1_T2, 1}}},
    {"NOP, 0F18H /4", {0x0f, 0x18, 0x20}, 3, {{0, 0}}},
    {"NOP, 0F18H /0 with a register", {0x0f, 0x18, 0xc0}, 3, {{0, 0}}},
    {"PREFETCH", {0x0f, 0x0d, 0x00}, 3, {{VPMU_X86_SRC_PREFETCH_T0, 1}}},
    {"PREFETCHW", {0x0f, 0x0d, 0x08}, 3, {{VPMU_X86_SRC_PREFETCH_W, 1}}},
    {"NOP, 0F1FH", {0x0f, 0x1f, 0x00}, 3, {{0, 0}}},
    {"BLENDPD",
     {0x66, 0x0f, 0x3a, 0x0d, 0xc1, 0x00},
     6,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_128_BLEND, 1}}},
    {"only prefixes", {0xf2, 0x66}, 2, {{0, 0}}},
    {"cut off", {0xc4, 0xe2}, 2, {{0, 0}}},
};

START_TEST(floating_point)
{
    for (size_t i = 0; i < COUNT_OF(floating_rows); i++) {
        struct vpmu_x86_tally tally[VPMU_X86_TALLIES] = {{0, 0}};
        unsigned kind = vpmu_insn_x86_fp(floating_rows[i].insn, floating_rows[i].len, true);
        unsigned n = vpmu_insn_x86_fp_tally(kind, tally);

        expect_in(floating_rows[i].what, "a kind in its range", true, kind < VPMU_X86_FP_KINDS);
        for (unsigned t = 0; t < VPMU_X86_TALLIES; t++) {
            expect_in(floating_rows[i].what, "source", floating_rows[i].want[t].source,
                      tally[t].source);
            expect_in(floating_rows[i].what, "count", floating_rows[i].want[t].n, tally[t].n);
            expect_in(floating_rows[i].what, "is set", t<n, tally[t].n> 0);
        }
    }
}
END_TEST

/* An event number has another meaning before family 17h than from it on. */
START_TEST(older_events)
{
    struct pc pc;

    start_pc(&pc, &k7);
    wr(&pc, 0xc0010000, EN_OS_USR | 0xd1);
    go(&pc, VPMU_X86_SRC_BR_COND, 5);
    expect("00D1H", 0, rd(&pc, 0xc0010004));

    start_pc(&pc, &zen);
    wr(&pc, 0xc0010000, EN_OS_USR | 0x37d);
    go(&pc, VPMU_X86_SRC_L1D_MISS_RD, 5);
    expect("037DH", 0, rd(&pc, 0xc0010004));
}
END_TEST

/*
 * Cycles at 3 GHz, 10 before the overflow: 3.3 ns. A counter of a tallied source has no deadline.
 */
START_TEST(deadlines)
{
    static const struct vpmu_rate rates[VPMU_CLOCK_COUNT] = {{3, 1}, {1, 10}};
    struct vpmu_x86_config config = k7;
    struct pc pc;

    config.timed = CPU_SRC;
    start_pc(&pc, &config);
    wr(&pc, 0xc0010004, BIT(48) - 10);
    wr(&pc, 0xc0010000, EN_OS_USR | 0x76);
    expect("no interrupt", UINT64_MAX, vpmu_x86_deadline(&pc.v, rates));
    wr(&pc, 0xc0010000, EN_OS_USR | INT | 0x76);
    expect("deadline", 4, vpmu_x86_deadline(&pc.v, rates));
    wr(&pc, 0xc0010000, EN_OS_USR | INT | 0xc0);
    expect("instructions", UINT64_MAX, vpmu_x86_deadline(&pc.v, rates));
}
END_TEST

Suite *x86_suite(void)
{
    const TTest *const tests[] = {
        lost_slots,     conditional,      writes,       amd_aliases,  cpuid,       rdpmc,
        contexts,       events,           pebs,         pebs_fixed,   adaptive,    each_cycle,
        detector,       detector_goes_on, detector_low, cycle_masks,  wide_cycles, overflow,
        configurations, instructions,     stalls,       older_events, deadlines,   locks,
        reset,          bus_cycles,       lacking,      svme,         modifying,   floating_point,
    };

    return suite_of("x86", tests, COUNT_OF(tests));
}
