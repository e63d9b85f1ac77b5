/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The words of PEBS records that describe an access to memory. */
#include "vpmu/x86/pebs.h"

#include "x86_internal.h"

/* Data Source Encoding of loads (SDM 3B, Data Source Encoding for Load Latency Record). */
#define SOURCE_L1 0x01
#define SOURCE_L2 0x03
#define SOURCE_L3 0x04
#define SOURCE_L3_HIT 0x06         /* another core has the line */
#define SOURCE_L3_HITM 0x07        /* another core has modified it */
#define SOURCE_L3_HIT_NEHALEM 0x05 /* the same; 06H and 07H are HITM there */
#define SOURCE_L3_HITM_NEHALEM 0x06
#define SOURCE_LOCAL_MEMORY 0x0c
#define SOURCE_LOCAL_MEMORY_SKYLAKE 0x0a /* where 0CH is a remote cache: Linux's driver */
#define SOURCE_UNCACHEABLE 0x0f
/* Bits of stores (SDM 3B, Layout of Precise Store Information In PEBS Record). */
#define STORE_L1_HIT VPMU_BIT(0)
/* Bits of both. */
#define STLB_MISS VPMU_BIT(4)
#define LOCKED VPMU_BIT(5)

#define PRECISE_STORE 0x02cd
#define STORE_SAMPLE 0x02cd /* from Sapphire Rapids on */
/* Retired loads and stores, from Haswell on. D0H has bits in its unit mask for both. */
#define MEMORY_FIRST 0xd0
#define MEMORY_LAST 0xd3
#define MEMORY_LOADS 0x0100
#define MEMORY_STORES 0x0200

/* How a counter's records describe an access. */
enum kind {
    NOTHING,
    LOAD_LATENCY,
    STORE_DETAILS,
    STORE_LATENCY,
    LOAD_ADDRESS,
    STORE_ADDRESS,
    ANY_ADDRESS,
};

/* SDM 3B, PEBS Data Linear Address Profiling: retired loads and stores. */
static enum kind kind_of_number(uint64_t number)
{
    unsigned event = number & 0xff;

    if (event < MEMORY_FIRST || event > MEMORY_LAST) {
        return NOTHING;
    }
    if (event != MEMORY_FIRST || !(number & MEMORY_STORES)) {
        return LOAD_ADDRESS;
    }
    return number & MEMORY_LOADS ? ANY_ADDRESS : STORE_ADDRESS;
}

/* Sapphire Rapids and later: MEM_TRANS_RETIRED.STORE_SAMPLE, and two latencies in a word. */
static bool is_golden_cove(const struct vpmu_x86_config *config)
{
    return config->family == VPMU_X86_SAPPHIRERAPIDS || config->family == VPMU_X86_GRANITERAPIDS;
}

static bool has_load_latency(const struct vpmu_x86 *v, unsigned idx)
{
    return vpmu_x86_has_baseline_(&v->config) ||
           (v->regs.pebs & VPMU_BIT(VPMU_X86_PEBS_LL_EN + idx));
}

static enum kind kind_of(const struct vpmu_x86 *v, unsigned idx)
{
    uint64_t number = idx < VPMU_X86_FIXED ? v->regs.select[idx] & VPMU_X86_SEL_EVENT_INTEL : 0;
    vpmu_sources sources = vpmu_x86_event_sources(&v->config, number);

    if (sources == VPMU_SRC_BIT(VPMU_X86_SRC_LOAD_LATENCY)) {
        return has_load_latency(v, idx) ? LOAD_LATENCY : NOTHING;
    }
    if (number == STORE_SAMPLE && is_golden_cove(&v->config)) {
        return STORE_LATENCY;
    }
    if (number == PRECISE_STORE && vpmu_x86_has_precise_store_(&v->config)) {
        return v->regs.pebs & VPMU_X86_PEBS_PS_EN ? STORE_DETAILS : NOTHING;
    }
    return sources && v->config.pebs >= 2 ? kind_of_number(number) : NOTHING;
}

uint64_t vpmu_x86_pebs_with_data(const struct vpmu_x86 *v)
{
    uint64_t counters = 0;
    unsigned idx;

    VPMU_FOR_EACH_BIT (idx, vpmu_x86_recording_(&v->config, v->regs.pebs)) {
        counters |= kind_of(v, idx) != NOTHING ? VPMU_BIT(idx) : 0;
    }
    return counters;
}

uint64_t vpmu_x86_pebs_together(const struct vpmu_x86 *v, uint64_t due)
{
    uint64_t with_data = due & vpmu_x86_pebs_with_data(v), together = due & ~with_data;
    unsigned idx;

    if (v->config.pebs < 3) {
        return due & -due;
    }
    VPMU_FOR_EACH_BIT (idx, with_data) {
        if (kind_of(v, idx) == kind_of(v, vpmu_lowest_bit_(with_data))) {
            together |= VPMU_BIT(idx);
        }
    }
    return together;
}

/* Stores that are sampled have the encoding of loads, too. */
static uint64_t level_source(unsigned family, const struct vpmu_x86_data_access *access)
{
    static const uint8_t sources[VPMU_DATA_LEVEL_COUNT] = {
        [VPMU_DATA_L1] = SOURCE_L1,
        [VPMU_DATA_L2] = SOURCE_L2,
        [VPMU_DATA_LLC] = SOURCE_L3,
        [VPMU_DATA_SHARED] = SOURCE_L3_HIT,
        [VPMU_DATA_PEER] = SOURCE_L3_HITM,
        [VPMU_DATA_DRAM] = SOURCE_LOCAL_MEMORY,
        [VPMU_DATA_UNCACHED] = SOURCE_UNCACHEABLE,
    };

    if (access->level == VPMU_DATA_SHARED && family <= VPMU_X86_WESTMERE) {
        return SOURCE_L3_HIT_NEHALEM;
    }
    if (access->level == VPMU_DATA_PEER && family <= VPMU_X86_WESTMERE) {
        return SOURCE_L3_HITM_NEHALEM;
    }
    if (access->level == VPMU_DATA_DRAM && family >= VPMU_X86_SKYLAKE) {
        return SOURCE_LOCAL_MEMORY_SKYLAKE;
    }
    return sources[access->level];
}

static uint64_t store_source(const struct vpmu_x86_data_access *store)
{
    return store->level == VPMU_DATA_L1 ? STORE_L1_HIT : 0;
}

static uint64_t details(const struct vpmu_x86_data_access *access, bool locked)
{
    return (access->translated == VPMU_TLB_WALK ? STLB_MISS : 0) | (locked ? LOCKED : 0);
}

/* SDM 3B, Access Latency Field: one latency, or from Sapphire Rapids on two of 16 bits. */
static uint64_t latency_word(const struct vpmu_x86_config *config,
                             const struct vpmu_x86_data_access *access)
{
    uint64_t latency = vpmu_access_latency(access->level, access->translated);

    return is_golden_cove(config) ? latency | latency << 32 : latency;
}

static uint64_t latency_of(const struct vpmu_x86_data_access *access)
{
    return access->level == VPMU_DATA_UNKNOWN
               ? 0
               : vpmu_access_latency(access->level, access->translated);
}

/* The access that a record describes; of both, the slower one. */
static const struct vpmu_x86_data_access *described(enum kind kind,
                                                    const struct vpmu_x86_data_accesses *accesses)
{
    if (kind == ANY_ADDRESS) {
        bool is_load = latency_of(&accesses->load) >= latency_of(&accesses->store);

        return is_load ? &accesses->load : &accesses->store;
    }
    return kind == LOAD_LATENCY || kind == LOAD_ADDRESS ? &accesses->load : &accesses->store;
}

struct vpmu_x86_pebs_data vpmu_x86_pebs_data(const struct vpmu_x86 *v, uint64_t counters,
                                             const struct vpmu_x86_data_accesses *accesses)
{
    uint64_t with_data = counters & vpmu_x86_pebs_with_data(v);
    enum kind kind = with_data ? kind_of(v, vpmu_lowest_bit_(with_data)) : NOTHING;
    bool has_latency = kind == LOAD_LATENCY || kind == STORE_LATENCY;
    const struct vpmu_x86_data_access *access = described(kind, accesses);
    struct vpmu_x86_pebs_data data = {0};

    if (kind == NOTHING || access->level == VPMU_DATA_UNKNOWN) {
        return data;
    }
    data.address = access->address;
    if (has_latency) {
        data.source = level_source(v->config.family, access);
        data.latency = latency_word(&v->config, access);
    } else if (kind == STORE_DETAILS || kind == STORE_ADDRESS) {
        data.source = store_source(access);
    }
    /* Nehalem has no such bits. */
    if (kind == STORE_DETAILS || (has_latency && v->config.family >= VPMU_X86_SANDYBRIDGE)) {
        data.source |= details(access, accesses->locked);
    }
    return data;
}
