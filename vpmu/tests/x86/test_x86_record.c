/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * PEBS records as Linux's driver reads them (arch/x86/events/intel/ds.c): formats 1 to 3 as
 * structs, format 4 group by group, with any value in MSR_PEBS_DATA_CFG.
 */
#include <string.h>

#include "fixture.h"
#include "naive_x86.h"
#include "pc.h"
#include "vpmu/x86/pebs.h"

#define UNTOUCHED 0x5a5a5a5a5a5a5a5a
#define ADAPTIVE BIT(34)

/* What the words of struct vpmu_x86_pebs_cpu are here: register N is GPR + N, and so on. */
enum {
    GPR = 0x100,
    XMM = 0x200,
    LBR = 0x300,
    EFLAGS = 0x246,
    IP = 0x401005,
    EVENTING_IP = 0x401000,
    TSC = 0x123456,
    LOADED = 0x1000,
    STORED = 0x2000,
};

/* The driver's names of registers, and their numbers in instructions. */
enum {
    AX,
    CX,
    DX,
    BX,
    SP,
    BP,
    SI,
    DI
};

static struct vpmu_x86_pebs_cpu make_cpu(void)
{
    struct vpmu_x86_pebs_cpu cpu = {
        .eflags = EFLAGS,
        .ip = IP,
        .eventing_ip = EVENTING_IP,
        .tsc = TSC,
        .accesses = {{.address = LOADED, .level = VPMU_DATA_L2, .translated = VPMU_TLB_L1},
                     {.address = STORED, .level = VPMU_DATA_L1, .translated = VPMU_TLB_L1},
                     0},
    };

    for (unsigned i = 0; i < COUNT_OF(cpu.gprs); i++) {
        cpu.gprs[i] = GPR + i;
    }
    for (unsigned i = 0; i < COUNT_OF(cpu.xmm); i++) {
        cpu.xmm[i] = XMM + i;
    }
    for (unsigned i = 0; i < COUNT_OF(cpu.lbr); i++) {
        cpu.lbr[i] = LBR + i;
    }
    return cpu;
}

/* expect() tells the parent of each call, which is too slow for all words of all records. */
static void agree(const char *what, uint64_t want, uint64_t got)
{
    if (want != got) {
        expect(what, want, got);
    }
}

/* A PMU with PEBS of @format. Counter 1 samples loads by their latency and can record. */
static void start(struct pc *pc, uint8_t format, uint8_t family)
{
    struct vpmu_x86_config config =
        CONFIG(VPMU_X86_INTEL, format == 4 ? 5 : 2, 8, 3, 48, VPMU_X86_HAS_PDCM, 1,
               VPMU_X86_SRC_ALL, 0, format, family);

    if (format == 4) {
        config.features |= VPMU_X86_HAS_METRICS;
        config.fixed = 4;
    }
    start_pc(pc, &config);
    wr(pc, 0x187, family == VPMU_X86_NEHALEM ? 0x53100b : 0x5301cd);
    wr(pc, 0x3f1, format == 4 ? 0xf000000ff : 0x20000000f);
}

/* Makes a record. The words behind it must not change. */
static unsigned make(const struct pc *pc, uint64_t counters, uint64_t *words)
{
    const struct vpmu_x86_pebs_cpu cpu = make_cpu();
    unsigned count;

    for (unsigned i = 0; i < VPMU_X86_PEBS_RECORD_WORDS; i++) {
        words[i] = UNTOUCHED;
    }
    count = vpmu_x86_pebs_record(&pc->v, counters, &cpu, words);
    agree("size", vpmu_x86_pebs_size(&pc->v, counters), count);
    for (unsigned i = count; i < VPMU_X86_PEBS_RECORD_WORDS; i++) {
        agree("a word behind the record", UNTOUCHED, words[i]);
    }
    return count;
}

/* struct pebs_record_skl; formats 1 and 2 end before it does. */
struct pebs_record {
    uint64_t flags, ip;
    uint64_t ax, bx, cx, dx, si, di, bp, sp;
    uint64_t r8_to_r15[8];
    uint64_t status, dla, dse, lat;
    uint64_t real_ip, tsx_tuning;
    uint64_t tsc;
};

START_TEST(fixed_formats)
{
    static const struct {
        uint8_t format;
        uint8_t family;
        uint64_t counters;
        unsigned words;
    } rows[] = {
        {1, VPMU_X86_NEHALEM, 2, offsetof(struct pebs_record, real_ip) / 8},
        {1, VPMU_X86_SANDYBRIDGE, 1, offsetof(struct pebs_record, real_ip) / 8},
        {2, VPMU_X86_HASWELL, 2, offsetof(struct pebs_record, tsc) / 8},
        {3, VPMU_X86_SKYLAKEX, 6, sizeof(struct pebs_record) / 8},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint64_t words[VPMU_X86_PEBS_RECORD_WORDS];
        struct pebs_record got = {0};
        struct pebs_record want = {
            .flags = EFLAGS,
            .ip = IP,
            .ax = GPR + AX,
            .bx = GPR + BX,
            .cx = GPR + CX,
            .dx = GPR + DX,
            .si = GPR + SI,
            .di = GPR + DI,
            .bp = GPR + BP,
            .sp = GPR + SP,
            .status = rows[i].counters,
            .dla = rows[i].counters & 2 ? LOADED : 0,
            .dse = rows[i].counters & 2 ? 3 : 0,
            .lat = rows[i].counters & 2 ? 13 : 0,
            .real_ip = rows[i].format > 1 ? EVENTING_IP : 0,
            .tsc = rows[i].format > 2 ? TSC : 0,
        };
        struct pc pc;

        for (unsigned r = 0; r < 8; r++) {
            want.r8_to_r15[r] = GPR + 8 + r;
        }
        start(&pc, rows[i].format, rows[i].family);
        agree("groups", 0, vpmu_x86_pebs_groups(&pc.v, rows[i].counters));
        agree("words", rows[i].words, make(&pc, rows[i].counters, words));
        memcpy(&got, words, rows[i].words * sizeof(words[0]));
        for (size_t at = 0; at < sizeof(got) / 8; at++) {
            agree("word", at << 32 | ((const uint64_t *)&want)[at],
                  at << 32 | ((const uint64_t *)&got)[at]);
        }
    }
}
END_TEST

/* The structs of format 4. */
struct pebs_basic {
    uint64_t format_size;
    uint64_t ip;
    uint64_t applicable_counters;
    uint64_t tsc;
};

struct pebs_meminfo {
    uint64_t address;
    uint64_t aux;
    uint64_t latency;
    uint64_t tsx_tuning;
};

struct pebs_gprs {
    uint64_t flags, ip, ax, cx, dx, bx, sp, bp, si, di;
    uint64_t r8_to_r15[8];
};

static const uint64_t *read_meminfo(const uint64_t *next, uint8_t family, uint64_t counters)
{
    const struct pebs_meminfo *mem = (const struct pebs_meminfo *)next;
    bool has_data = counters & 2;

    agree("address", has_data ? LOADED : 0, mem->address);
    agree("auxiliary information", has_data ? 3 : 0, mem->aux);
    agree("latency",
          !has_data                     ? 0
          : family == VPMU_X86_ICELAKEX ? 13
                                        : 13 * (1 | BIT(32)),
          mem->latency);
    agree("TSX", 0, mem->tsx_tuning);
    return (const uint64_t *)(mem + 1);
}

static const uint64_t *read_gprs(const uint64_t *next)
{
    const struct pebs_gprs *gprs = (const struct pebs_gprs *)next;

    agree("EFLAGS", EFLAGS, gprs->flags);
    agree("IP", IP, gprs->ip);
    agree("AX", GPR + AX, gprs->ax);
    agree("CX", GPR + CX, gprs->cx);
    agree("DX", GPR + DX, gprs->dx);
    agree("BX", GPR + BX, gprs->bx);
    agree("SP", GPR + SP, gprs->sp);
    agree("BP", GPR + BP, gprs->bp);
    agree("SI", GPR + SI, gprs->si);
    agree("DI", GPR + DI, gprs->di);
    for (unsigned r = 0; r < 8; r++) {
        agree("R8 to R15", GPR + 8 + r, gprs->r8_to_r15[r]);
    }
    return (const uint64_t *)(gprs + 1);
}

static const uint64_t *read_words(const uint64_t *next, unsigned count, uint64_t first)
{
    for (unsigned i = 0; i < count; i++) {
        agree("word", first + i, next[i]);
    }
    return next + count;
}

/* Reads a record as setup_pebs_adaptive_sample_data() does. Returns its groups. */
static uint64_t read_record(const uint64_t *words, unsigned count, uint8_t family,
                            uint64_t counters)
{
    const struct pebs_basic *basic = (const struct pebs_basic *)words;
    const uint64_t *next = (const uint64_t *)(basic + 1);
    uint64_t groups = basic->format_size & 0xffffffff;

    agree("EventingIP", EVENTING_IP, basic->ip);
    agree("counters", (counters & 0xff) | counters >> 16 << 32, basic->applicable_counters);
    agree("TSC", TSC, basic->tsc);
    agree("latency of retiring", 0, basic->format_size >> 32 & 0xffff);
    if (groups & 1) {
        next = read_meminfo(next, family, counters);
    }
    if (groups & 2) {
        next = read_gprs(next);
    }
    if (groups & 4) {
        next = read_words(next, 32, XMM);
    }
    if (groups & 8) {
        next = read_words(next, 3 * (unsigned)((groups >> 24 & 0xff) + 1), LBR);
    }
    agree("size that the groups have", 8 * count,
          (uint64_t)((const char *)next - (const char *)words));
    agree("size in the record", 8 * count, basic->format_size >> 48);
    return groups;
}

/* All values of MSR_PEBS_DATA_CFG. There are no more than 32 entries of LBRs. */
START_TEST(all_groups)
{
    static const uint8_t families[] = {VPMU_X86_ICELAKEX, VPMU_X86_SAPPHIRERAPIDS};

    for (size_t i = 0; i < COUNT_OF(families); i++) {
        struct pc pc;

        start(&pc, 4, families[i]);
        wr(&pc, 0x187, ADAPTIVE | 0x5301cd);
        for (uint64_t entries = 0; entries < 256; entries++) {
            for (uint64_t groups = 0; groups < 16; groups++) {
                uint64_t words[VPMU_X86_PEBS_RECORD_WORDS];
                uint64_t want = groups | (entries < 32 ? entries : 31) << 24;
                unsigned count;

                wr(&pc, 0x3f2, groups | entries << 24);
                count = make(&pc, 2, words);
                agree("groups", want, vpmu_x86_pebs_groups(&pc.v, 2));
                agree("in the record", want, read_record(words, count, families[i], 2));
            }
        }
        expect("the most words", VPMU_X86_PEBS_RECORD_WORDS, vpmu_x86_pebs_size(&pc.v, 2));
    }
}
END_TEST

/* A record has the groups if one of its counters has ADAPTIVE. */
START_TEST(adaptive_counters)
{
    static const struct {
        const char *what;
        uint64_t general;  /* counters with ADAPTIVE, 0 to 7 */
        uint64_t fixed;    /* and fixed ones, 0 to 3 */
        uint64_t counters; /* of the record */
        bool groups;
    } rows[] = {
        {"none", 0, 0, 2, false},
        {"one", 2, 0, 2, true},
        {"another", 4, 0, 2, false},
        {"one of two", 4, 0, 6, true},
        {"the first", 1, 0, 1, true},
        {"the last", 0x80, 0, 0x80, true},
        {"not the last", 0x7f, 15, 0x80, false},
        {"fixed counter 0", 0, 1, BIT(16), true},
        {"fixed counter 3", 0, 8, BIT(19), true},
        {"not fixed counter 3", 0xff, 7, BIT(19), false},
        {"fixed counter 2, and 1 besides", 0, 4, BIT(17) | BIT(18), true},
        {"fixed counter 1, and a general one", 0, 2, BIT(17) | 2, true},
        {"a general one, and fixed counter 1", 2, 0, BIT(17) | 2, true},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint64_t words[VPMU_X86_PEBS_RECORD_WORDS], fixed = 0;
        unsigned count;
        struct pc pc;

        start(&pc, 4, VPMU_X86_ICELAKEX);
        for (unsigned idx = 0; idx < 8; idx++) {
            uint64_t select = idx == 1 ? 0x5301cd : 0x5300c0;

            wr(&pc, 0x186 + idx, select | (rows[i].general >> idx & 1 ? ADAPTIVE : 0));
            fixed |= rows[i].fixed >> idx & 1 ? BIT(32 + 4 * idx) : 0;
        }
        wr(&pc, 0x38d, fixed);
        wr(&pc, 0x3f2, 3);
        count = make(&pc, rows[i].counters, words);
        expect_in(rows[i].what, "groups", rows[i].groups ? 3 : 0,
                  read_record(words, count, VPMU_X86_ICELAKEX, rows[i].counters));
    }
}
END_TEST

Suite *x86_record_suite(void)
{
    const TTest *const tests[] = {
        fixed_formats,
        all_groups,
        adaptive_counters,
    };

    return suite_of("x86_record", tests, COUNT_OF(tests));
}
