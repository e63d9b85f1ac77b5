/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * What PEBS records say of accesses to memory: known words, and random ones that are decoded a
 * second time, as Linux's driver decodes them (arch/x86/events/intel/ds.c).
 */
#include <string.h>

#include "chooser.h"
#include "fixture.h"
#include "pc.h"
#include "naive_x86.h"
#include "vpmu/x86/pebs.h"

#define RUNS 3000
#define LL_EN(idx) BIT(32 + (idx))
#define PS_EN BIT(63)
#define TWICE (1 | BIT(32)) /* as the latency of the instruction and of the cache */

#define EN_OS_USR 0x430000ull
#define INT BIT(20)
/* Skylake and Nehalem have PEBS records of format 3 and 1. */
static const struct vpmu_x86_config pebs_v2 = CONFIG(VPMU_X86_INTEL, 2, 8, 3, 48, VPMU_X86_HAS_PDCM,
                                                     1, VPMU_X86_SRC_ALL, 0, 3, VPMU_X86_GENERIC);
/* Ice Lake has format 4, here without and with PERF_METRICS. */
static const struct vpmu_x86_config pebs_fmt4 = CONFIG(
    VPMU_X86_INTEL, 5, 2, 3, 48, VPMU_X86_HAS_PDCM, 1, VPMU_X86_SRC_ALL, 0, 4, VPMU_X86_ICELAKEX);

/* Families with PEBS, and their format. Linux has no constraints of events for the last one. */
static const struct {
    uint8_t family;
    uint8_t format;
} families[] = {
    {VPMU_X86_NEHALEM, 1},   {VPMU_X86_WESTMERE, 1},       {VPMU_X86_SANDYBRIDGE, 1},
    {VPMU_X86_IVYBRIDGE, 1}, {VPMU_X86_HASWELL, 2},        {VPMU_X86_BROADWELL, 2},
    {VPMU_X86_SKYLAKE, 3},   {VPMU_X86_SKYLAKEX, 3},       {VPMU_X86_CASCADELAKE, 3},
    {VPMU_X86_ICELAKEX, 4},  {VPMU_X86_SAPPHIRERAPIDS, 4}, {VPMU_X86_GRANITERAPIDS, 4},
    {VPMU_X86_TREMONT, 4},
};

static unsigned format_of(unsigned family)
{
    for (size_t i = 0; i < COUNT_OF(families); i++) {
        if (families[i].family == family) {
            return families[i].format;
        }
    }
    return 0;
}

static void start_family(struct pc *pc, unsigned family)
{
    struct vpmu_x86_config config = CONFIG(VPMU_X86_INTEL, 2, 4, 3, 48, VPMU_X86_HAS_PDCM, 1,
                                           VPMU_X86_SRC_ALL, 0, 0, (uint8_t)family);

    config.pebs = (uint8_t)format_of(family);
    config.version = config.pebs == 4 ? 5 : 2;
    start_pc(pc, &config);
}

/* A load at 0x1000 and a store at 0x2000; what counter 2 says of them. */
enum {
    L1 = VPMU_DATA_L1,
    L2,
    LLC,
    DRAM,
    UNCACHED,
    SHARED,
    PEER,
    T1 = VPMU_TLB_L1,
    T2,
    WALK
};

static const struct known {
    const char *what;
    unsigned family;
    uint64_t event;
    uint64_t enable; /* besides counter 2 */
    uint8_t load, load_by, store, store_by;
    bool locked;
    struct vpmu_x86_pebs_data want;
} known[] = {
    {"latency", VPMU_X86_SKYLAKE, 0x1cd, LL_EN(2), L1, T1, L1, T1, false, {0x1000, 1, 5}},
    {"of L2", VPMU_X86_SKYLAKE, 0x1cd, LL_EN(2), L2, T2, L1, T1, false, {0x1000, 3, 17}},
    {"of L3", VPMU_X86_HASWELL, 0x1cd, LL_EN(2), LLC, T1, 0, 0, false, {0x1000, 4, 41}},
    {"of L3 and others", VPMU_X86_SKYLAKE, 0x1cd, LL_EN(2), SHARED, T1, 0, 0, 0, {0x1000, 6, 41}},
    {"of another core", VPMU_X86_SKYLAKE, 0x1cd, LL_EN(2), PEER, T1, 0, 0, false, {0x1000, 7, 61}},
    {"of L3 there", VPMU_X86_NEHALEM, 0x100b, LL_EN(2), SHARED, T1, 0, 0, 0, {0x1000, 5, 41}},
    {"of a core there", VPMU_X86_WESTMERE, 0x100b, LL_EN(2), PEER, T1, 0, 0, 0, {0x1000, 6, 61}},
    {"of memory", VPMU_X86_IVYBRIDGE, 0x1cd, LL_EN(2), DRAM, WALK, 0, 0, 1, {0x1000, 0x3c, 181}},
    {"of memory, later", VPMU_X86_SKYLAKE, 0x1cd, LL_EN(2), DRAM, T1, 0, 0, 0, {0x1000, 10, 151}},
    {"of a device", VPMU_X86_SKYLAKE, 0x1cd, LL_EN(2), UNCACHED, 0, 0, 0, 0, {0x1000, 15, 151}},
    {"Nehalem", VPMU_X86_NEHALEM, 0x100b, LL_EN(2), DRAM, WALK, 0, 0, true, {0x1000, 12, 181}},
    {"its number later", VPMU_X86_SKYLAKE, 0x100b, LL_EN(2), L1, T1, L1, T1, 0, {0, 0, 0}},
    {"without LL_EN", VPMU_X86_SKYLAKE, 0x1cd, LL_EN(1), L1, T1, L1, T1, false, {0, 0, 0}},
    {"no load", VPMU_X86_SKYLAKE, 0x1cd, LL_EN(2), 0, 0, L1, T1, false, {0, 0, 0}},
    {"precise store", VPMU_X86_SANDYBRIDGE, 0x2cd, PS_EN, 0, 0, L1, T1, 0, {0x2000, 1, 0}},
    {"its miss", VPMU_X86_IVYBRIDGE, 0x2cd, PS_EN, L1, T1, L2, WALK, true, {0x2000, 0x30, 0}},
    {"without PS_EN", VPMU_X86_IVYBRIDGE, 0x2cd, 0, 0, 0, L1, T1, false, {0, 0, 0}},
    {"stores", VPMU_X86_BROADWELL, 0x82d0, 0, L1, T1, L1, WALK, true, {0x2000, 1, 0}},
    {"stores that miss", VPMU_X86_SKYLAKE, 0x82d0, 0, L1, T1, LLC, T1, false, {0x2000, 0, 0}},
    {"stores, format 1", VPMU_X86_IVYBRIDGE, 0x82d0, PS_EN, 0, 0, L1, T1, 0, {0, 0, 0}},
    {"stores and walks", VPMU_X86_SKYLAKE, 0x12d0, 0, 0, 0, L1, WALK, false, {0x2000, 1, 0}},
    {"loads", VPMU_X86_SKYLAKE, 0x81d0, 0, L2, T1, L1, T1, false, {0x1000, 0, 0}},
    {"loads that miss", VPMU_X86_SKYLAKE, 0x20d1, 0, DRAM, T1, L1, T1, false, {0x1000, 0, 0}},
    {"instructions", VPMU_X86_SKYLAKE, 0xc0, LL_EN(2), L1, T1, L1, T1, false, {0, 0, 0}},
    {"Ice Lake", VPMU_X86_ICELAKEX, 0x1cd, 0, DRAM, WALK, L1, T1, 1, {0x1000, 0x3a, 181}},
    {"its stores", VPMU_X86_ICELAKEX, 0x82d0, 0, L1, T1, L1, WALK, true, {0x2000, 1, 0}},
    {"its loads", VPMU_X86_ICELAKEX, 0x81d0, 0, L1, T1, L1, WALK, true, {0x1000, 0, 0}},
    {"it has no sampled stores", VPMU_X86_ICELAKEX, 0x2cd, 0, L1, T1, L1, WALK, 1, {0, 0, 0}},
    {"two latencies", VPMU_X86_SAPPHIRERAPIDS, 0x1cd, 0, L2, T2, 0, 0, 0, {0x1000, 3, 17 * TWICE}},
    {"of a store", VPMU_X86_SAPPHIRERAPIDS, 0x2cd, 0, 0, 0, L2, T1, 0, {0x2000, 3, 13 * TWICE}},
    {"locked", VPMU_X86_GRANITERAPIDS, 0x2cd, 0, L1, T1, PEER, WALK, 1, {0x2000, 55, 91 * TWICE}},
    {"no store", VPMU_X86_GRANITERAPIDS, 0x2cd, 0, L1, T1, 0, 0, 0, {0, 0, 0}},
    {"its stores", VPMU_X86_GRANITERAPIDS, 0x82d0, 0, L1, T1, LLC, T1, 0, {0x2000, 0, 0}},
    {"Tremont", VPMU_X86_TREMONT, 0x81d0, 0, L1, T1, L2, T1, 0, {0x1000, 0, 0}},
    {"its stores", VPMU_X86_TREMONT, 0x82d0, 0, L2, T1, L1, T1, 0, {0x2000, 1, 0}},
    {"both, a load", VPMU_X86_TREMONT, 0x83d0, 0, L1, T1, 0, 0, 0, {0x1000, 0, 0}},
    {"both, a store", VPMU_X86_TREMONT, 0x83d0, 0, 0, 0, L1, T1, 0, {0x2000, 0, 0}},
    {"both, a slower load", VPMU_X86_TREMONT, 0x83d0, 0, L2, T1, L1, T1, 0, {0x1000, 0, 0}},
    {"both, a slower store", VPMU_X86_TREMONT, 0x13d0, 0, L2, T1, L2, WALK, 0, {0x2000, 0, 0}},
    {"both, alike", VPMU_X86_TREMONT, 0x13d0, 0, L2, WALK, L2, WALK, 0, {0x1000, 0, 0}},
    {"both, nothing", VPMU_X86_TREMONT, 0x83d0, 0, 0, 0, 0, 0, 0, {0, 0, 0}},
};

START_TEST(known_words)
{
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        const struct vpmu_x86_data_accesses accesses = {
            {.address = 0x1000, .level = known[i].load, .translated = known[i].load_by},
            {.address = 0x2000, .level = known[i].store, .translated = known[i].store_by},
            known[i].locked};
        struct vpmu_x86_pebs_data got;
        struct pc pc;

        start_family(&pc, known[i].family);
        wr(&pc, 0x188, 0x410000 | known[i].event);
        wr(&pc, 0x3f1, BIT(2) | known[i].enable);
        got = vpmu_x86_pebs_data(&pc.v, 0xf, &accesses);
        expect_in(known[i].what, "address", known[i].want.address, got.address);
        expect_in(known[i].what, "source", known[i].want.source, got.source);
        expect_in(known[i].what, "latency", known[i].want.latency, got.latency);
        got = vpmu_x86_pebs_data(&pc.v, BIT(0), &accesses);
        expect_in(known[i].what, "of another counter", 0, got.address | got.source | got.latency);
    }
}
END_TEST

/* What Linux makes of a record. */
struct sample {
    uint64_t address;
    uint64_t weight;
    uint64_t weight_of_instruction;
    enum {
        NO_LEVEL,
        L1_HIT,
        L1_MISS,
        LFB,
        L2_HIT,
        L3_HIT,
        L3_SHARED,
        L3_HITM,
        RAM,
        SHARED_RAM,
        REMOTE,
        IO,
        NOT_CACHED
    } level;
    enum {
        TLB_NA,
        TLB_HIT,
        TLB_MISS
    } tlb;
    bool locked;
    bool is_store;
};

/* The flags that Linux's lists of constraints give to an event, which it programs itself. */
enum flag {
    NONE,
    PEBS_LDLAT,
    PEBS_ST,
    PEBS_STLAT,
    PEBS_ST_HSW,
    PEBS_LD_HSW
};

/* PMU_FL_INSTR_LATENCY. */
static bool has_two_latencies(unsigned family)
{
    return strstr(naive_family(family), "rapids") != NULL;
}

static enum flag flag_of(unsigned family, uint64_t event)
{
    bool old = family == VPMU_X86_NEHALEM || family == VPMU_X86_WESTMERE;
    bool middle = family == VPMU_X86_SANDYBRIDGE || family == VPMU_X86_IVYBRIDGE;

    if (event == (old ? 0x100b : 0x1cd)) {
        return PEBS_LDLAT;
    }
    if (middle && event == 0x2cd) {
        return PEBS_ST;
    }
    if (has_two_latencies(family) && event == 0x2cd) {
        return PEBS_STLAT;
    }
    if (old || middle) {
        return NONE;
    }
    switch (event) {
    case 0x12d0:
    case 0x82d0:
        return PEBS_ST_HSW;
    case 0x11d0:
    case 0x81d0:
    case 0x01d1:
    case 0x02d1:
    case 0x04d1:
    case 0x20d1:
        return PEBS_LD_HSW;
    default:
        return NONE;
    }
}

static struct sample decode(unsigned family, enum flag flag, const struct vpmu_x86_pebs_data *d)
{
    static const uint8_t pebs_data_source[16] = {
        [1] = L1_HIT,    [2] = LFB,     [3] = L2_HIT,      [4] = L3_HIT,
        [6] = L3_SHARED, [7] = L3_HITM, [10] = SHARED_RAM, [11] = REMOTE,
        [12] = RAM,      [13] = REMOTE, [14] = IO,         [15] = NOT_CACHED,
    };
    static const uint8_t pebs_data_source_skl[16] = {
        [1] = L1_HIT,  [2] = LFB,     [3] = L2_HIT, [4] = L3_HIT,      [6] = L3_SHARED,
        [7] = L3_HITM, [8] = REMOTE,  [9] = REMOTE, [10] = RAM,        [11] = REMOTE,
        [12] = REMOTE, [13] = REMOTE, [14] = IO,    [15] = NOT_CACHED,
    };
    static const uint8_t pebs_data_source_nhm[16] = {
        [1] = L1_HIT,  [2] = LFB,     [3] = L2_HIT,  [4] = L3_HIT, [5] = L3_SHARED,
        [6] = L3_HITM, [7] = L3_HITM, [8] = REMOTE,  [9] = REMOTE, [10] = SHARED_RAM,
        [11] = REMOTE, [12] = RAM,    [13] = REMOTE, [14] = IO,    [15] = NOT_CACHED,
    };
    struct sample s = {.address = d->address};
    bool no_tlb = family == VPMU_X86_NEHALEM || family == VPMU_X86_WESTMERE;
    bool has_two = has_two_latencies(family);
    bool is_late = has_two || strstr(naive_family(family), "lake");
    const uint8_t *levels = no_tlb    ? pebs_data_source_nhm
                            : is_late ? pebs_data_source_skl
                                      : pebs_data_source;

    s.weight = has_two ? d->latency >> 32 & 0xffff : d->latency;
    s.weight_of_instruction = has_two ? d->latency & 0xffff : 0;
    switch (flag) {
    case PEBS_STLAT:
    case PEBS_LDLAT:
        s.is_store = flag == PEBS_STLAT;
        s.level = levels[d->source & 15];
        s.tlb = no_tlb ? TLB_NA : d->source & 16 ? TLB_MISS : TLB_HIT;
        s.locked = !no_tlb && (d->source & 32);
        break;
    case PEBS_ST:
        s.is_store = true;
        s.level = d->source & 1 ? L1_HIT : L1_MISS;
        s.tlb = d->source & 16 ? TLB_MISS : TLB_HIT;
        s.locked = d->source & 32;
        break;
    case PEBS_ST_HSW:
        s.is_store = true;
        s.level = d->source & 1 ? L1_HIT : L1_MISS;
        break;
    default:
        break;
    }
    return s;
}

/* What happened must be what is decoded, as far as the event says it. */
static void expect_sample(unsigned family, enum flag flag, const struct vpmu_x86_data_accesses *a,
                          const struct sample *s)
{
    static const unsigned of_level[] = {0, 4, 12, 40, 150, 150, 40, 60}, of_tlb[] = {0, 0, 4, 30};
    static const uint8_t levels[] = {NO_LEVEL, L1_HIT,     L2_HIT,    L3_HIT,
                                     RAM,      NOT_CACHED, L3_SHARED, L3_HITM};
    const struct vpmu_x86_data_access *access = s->is_store ? &a->store : &a->load;
    bool has_latency = flag == PEBS_LDLAT || flag == PEBS_STLAT;
    bool has_details = flag == PEBS_ST || (has_latency && family > VPMU_X86_WESTMERE);
    unsigned latency = 1 + of_level[access->level] + of_tlb[access->translated];

    expect("address", access->address, s->address);
    expect("latency", has_latency ? latency : 0, s->weight);
    expect("latency of the instruction", has_latency && has_two_latencies(family) ? latency : 0,
           s->weight_of_instruction);
    if (s->is_store && !has_latency) {
        expect("store", access->level == VPMU_DATA_L1 ? L1_HIT : L1_MISS, s->level);
    } else {
        expect("load", has_latency ? levels[access->level] : NO_LEVEL, s->level);
    }
    expect("locked", has_details && a->locked, s->locked);
    expect("TLB", has_details ? access->translated == VPMU_TLB_WALK ? TLB_MISS : TLB_HIT : TLB_NA,
           s->tlb);
}

static struct vpmu_x86_data_access choose_access(struct chooser *c)
{
    return (struct vpmu_x86_data_access){
        .address = choose_bits(c),
        .level = (uint8_t)(1 + choose_below(c, VPMU_DATA_LEVEL_COUNT - 1)),
        .translated = (uint8_t)choose_below(c, VPMU_TRANSLATED_COUNT),
    };
}

/* Linux's driver programs two counters; one overflows. */
START_TEST(decoded_again)
{
    static const uint16_t events[] = {0x1cd,  0x100b, 0x2cd,  0x82d0, 0x81d0, 0x12d0, 0x11d0,
                                      0x01d1, 0x02d1, 0x04d1, 0x20d1, 0xc0,   0x3c,   0x24};
    struct chooser c = {.state = 37};

    for (unsigned run = 0; run < RUNS; run++) {
        unsigned family = families[choose_below(&c, COUNT_OF(families) - 1)].family;
        unsigned idx = (unsigned)choose_below(&c, 4);
        uint64_t event = events[choose_below(&c, COUNT_OF(events))];
        enum flag flag = flag_of(family, event);
        struct vpmu_x86_data_accesses accesses = {choose_access(&c), choose_access(&c),
                                                  choose_one_in(&c, 2)};
        struct vpmu_x86_pebs_data data;
        struct sample sample;
        struct pc pc;

        start_family(&pc, family);
        wr(&pc, 0x186 + idx, 0x410000 | event);
        wr(&pc, 0x186 + (idx + 1) % 4, 0x4100c0);
        wr(&pc, 0x3f1,
           BIT(idx) | BIT((idx + 1) % 4) |
               (flag == PEBS_LDLAT && pc.v.config.version < 5 ? LL_EN(idx) : 0) |
               (flag == PEBS_ST ? PS_EN : 0));
        data = vpmu_x86_pebs_data(&pc.v, 0xf, &accesses);
        expect("counters with data", flag == NONE ? 0 : BIT(idx), vpmu_x86_pebs_with_data(&pc.v));
        if (flag == NONE) {
            expect("nothing", 0, data.address | data.source | data.latency);
            continue;
        }
        sample = decode(family, flag, &data);
        expect_sample(family, flag, &accesses, &sample);
    }
}
END_TEST

START_TEST(formats)
{
    for (unsigned family = 0; family < VPMU_X86_FAMILY_COUNT + 2; family++) {
        expect("format", format_of(family), vpmu_x86_pebs_format((enum vpmu_x86_family)family));
    }
}
END_TEST

/*
 * Which counters share a record: 0 counts instructions, 1 and 2 loads above a latency, 3 stores,
 * and all have overflowed.
 */
START_TEST(together)
{
    static const struct {
        unsigned family;
        uint64_t records[4]; /* the counters of each */
    } rows[] = {
        {VPMU_X86_IVYBRIDGE, {1, 2, 4, 8}},
        {VPMU_X86_HASWELL, {1, 2, 4, 8}},
        {VPMU_X86_SKYLAKE, {7, 8}},
        {VPMU_X86_SAPPHIRERAPIDS, {7, 8}},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint64_t due = 0xf;
        struct pc pc;

        start_family(&pc, rows[i].family);
        wr(&pc, 0x186, 0x4100c0);
        wr(&pc, 0x187, 0x4101cd);
        wr(&pc, 0x188, 0x4101cd);
        wr(&pc, 0x189, 0x4182d0);
        wr(&pc, 0x3f1, 0xf | (pc.v.config.version < 5 ? LL_EN(1) | LL_EN(2) : 0));
        for (size_t k = 0; k < COUNT_OF(rows[i].records); k++) {
            uint64_t got = vpmu_x86_pebs_together(&pc.v, due);

            expect("counters of a record", rows[i].records[k], got);
            due &= ~got;
        }
        expect("none", 0, vpmu_x86_pebs_together(&pc.v, 0));
    }
}
END_TEST

/* Thresholds of loads from L2 (13 cycles); those below 5 count all loads. */
START_TEST(thresholds)
{
    static const struct {
        uint64_t threshold;
        bool counts;
        uint64_t loads; /* of 7 loads, of which the machine tallies 3 */
    } rows[] = {{0, true, 7},  {4, true, 7},   {5, true, 3},
                {12, true, 3}, {13, false, 3}, {0xffff, false, 3}};
    const struct vpmu_x86_data_access load = {.level = VPMU_DATA_L2, .translated = VPMU_TLB_L1};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        uint64_t count;
        struct pc pc;

        start_family(&pc, VPMU_X86_SKYLAKE);
        wr(&pc, 0x3f6, rows[i].threshold);
        wr(&pc, 0x38f, 1);
        wr(&pc, 0x186, 0x4301cd);
        pc.totals.n[VPMU_X86_CTX_KERNEL][VPMU_X86_SRC_LOAD] += 7;
        pc.totals.n[VPMU_X86_CTX_KERNEL][VPMU_X86_SRC_LOAD_LATENCY] += 3;
        expect("RDMSR", VPMU_X86_OK,
               pc_access(&pc, vpmu_x86_rdmsr(&pc.v, 0xc1, &count, &pc.clock)));
        expect("loads", rows[i].loads, count);
        expect("counts", rows[i].counts, vpmu_x86_load_counts(&pc.v, &load));
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

Suite *x86_pebs_suite(void)
{
    const TTest *const tests[] = {
        pebs, pebs_fixed, known_words, decoded_again, formats, together, thresholds,
    };

    return suite_of("x86_pebs", tests, COUNT_OF(tests));
}
