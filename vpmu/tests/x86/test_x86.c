/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Registers of the x86 PMU, and what counts in which context: what the manuals say, row by row. */
#include "fixture.h"
#include "naive_x86.h"
#include "pc.h"
#include "vpmu/x86/cpuid.h"
#include "vpmu/x86/events.h"

#define EN_OS_USR 0x430000ull
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

Suite *x86_suite(void)
{
    const TTest *const tests[] = {writes, amd_aliases,  cpuid,     rdpmc,     lacking,
                                  svme,   contexts,     events,    overflow,  configurations,
                                  reset,  older_events, deadlines, bus_cycles};

    return suite_of("x86", tests, COUNT_OF(tests));
}
