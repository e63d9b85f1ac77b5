/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Records: the packets of Arm ARM D17, in the order of SPEConstructRecord(). */
#include "spe_internal.h"

/* Headers. Bits [5:4] are log2 of the size of the payload. */
#define END 0x01
#define CONTEXT_EL1 0x64
#define CONTEXT_EL2 0x65
#define COUNTER_TOTAL 0x98
#define COUNTER_ISSUE 0x99
#define COUNTER_TRANSLATION 0x9a
#define ADDRESS_PC 0xb0
#define ADDRESS_TARGET 0xb1
#define ADDRESS_DATA 0xb2
#define ADDRESS_PHYSICAL 0xb3
#define DATA_SOURCE 0x43
#define OPERATION 0x48
#define EVENTS 0x62
#define TIMESTAMP 0x71

#define BRANCH_FLAGS ((unsigned)(VPMU_SPE_TAKEN | VPMU_SPE_MISPREDICTED))
#define ACCESS_FLAGS ((unsigned)(VPMU_SPE_MISALIGNED | VPMU_SPE_ACCESSED | VPMU_SPE_TRANSLATED))
#define ADDRESS_BITS 0x00ffffffffffffffull

/* Data sources, as the Neoverse cores encode them. */
enum {
    SOURCE_L1D = 0,
    SOURCE_L2 = 8,
    SOURCE_PEER_CORE = 9,
    SOURCE_SYSTEM_CACHE = 0xb,
    SOURCE_DRAM = 0xe,
};

static void add(struct vpmu_spe_record *r, unsigned header, uint64_t payload)
{
    unsigned size = 1u << (header >> 4 & 3);

    r->bytes[r->size++] = (uint8_t)header;
    for (unsigned i = 0; i < size; i++) {
        r->bytes[r->size++] = (uint8_t)(payload >> 8 * i);
    }
}

/* NS and NSE: bits 63 and 60 of an address. */
static uint64_t state_bits(unsigned state)
{
    uint64_t ns = state != VPMU_SPE_SECURE;
    uint64_t nse = state == VPMU_SPE_REALM;

    return ns << 63 | nse << 60;
}

static uint64_t code_address(const struct vpmu_spe_sample *sample, uint64_t address)
{
    return (address & ADDRESS_BITS) | state_bits(sample->state) | (uint64_t)sample->el << 61;
}

static void add_context(struct vpmu_spe_record *r, const struct vpmu_spe_sample *sample)
{
    if (sample->collects & VPMU_SPE_COLLECTS_CONTEXT1) {
        add(r, CONTEXT_EL1, sample->context[0]);
    }
    if (sample->collects & VPMU_SPE_COLLECTS_CONTEXT2) {
        add(r, CONTEXT_EL2, sample->context[1]);
    }
}

static void add_counters(struct vpmu_spe_record *r, const struct vpmu_spe_sample *sample)
{
    struct vpmu_spe_latency latency = vpmu_spe_latency_of(sample);

    add(r, COUNTER_TOTAL, latency.total);
    add(r, COUNTER_ISSUE, latency.issue);
    if (sample->flags & VPMU_SPE_ACCESSED) {
        add(r, COUNTER_TRANSLATION, latency.translation);
    }
}

static void add_addresses(struct vpmu_spe_record *r, const struct vpmu_spe_sample *sample)
{
    add(r, ADDRESS_PC, code_address(sample, sample->pc));
    if (sample->flags & VPMU_SPE_TAKEN) {
        add(r, ADDRESS_TARGET, code_address(sample, sample->target));
    }
    if (sample->flags & VPMU_SPE_ACCESSED) {
        add(r, ADDRESS_DATA, sample->address);
    }
    if (sample->flags & VPMU_SPE_TRANSLATED && sample->collects & VPMU_SPE_COLLECTS_PHYSICAL) {
        add(r, ADDRESS_PHYSICAL,
            (sample->physical & ADDRESS_BITS) | state_bits(sample->physical_state));
    }
}

static void add_source(struct vpmu_spe_record *r, unsigned memory)
{
    static const uint8_t sources[] = {
        [VPMU_DATA_L1] = SOURCE_L1D,           [VPMU_DATA_L2] = SOURCE_L2,
        [VPMU_DATA_LLC] = SOURCE_SYSTEM_CACHE, [VPMU_DATA_SHARED] = SOURCE_SYSTEM_CACHE,
        [VPMU_DATA_PEER] = SOURCE_PEER_CORE,   [VPMU_DATA_DRAM] = SOURCE_DRAM,
        [VPMU_DATA_UNCACHED] = SOURCE_DRAM,
    };

    if (memory != VPMU_DATA_UNKNOWN) {
        add(r, DATA_SOURCE, sources[memory]);
    }
}

static void construct(const struct vpmu_spe *s, const struct vpmu_spe_sample *sample,
                      const struct vpmu_spe_op_ *op, struct vpmu_spe_record *r)
{
    add_context(r, sample);
    add_counters(r, sample);
    add_addresses(r, sample);
    if (op->types & VPMU_SPE_LOADS_) {
        add_source(r, sample->memory);
    }
    add(r, OPERATION | op->class, op->subclass);
    add(r, EVENTS, vpmu_spe_events(s, sample));
    if (sample->clock != VPMU_SPE_NO_TIME) {
        add(r, TIMESTAMP, sample->time);
    } else {
        r->bytes[r->size++] = END;
    }
    /* The rest is padding: the alignment is the largest size. */
    r->size = VPMU_SPE_RECORD_SIZE;
}

bool vpmu_spe_collect(const struct vpmu_spe *s, const struct vpmu_spe_sample *sample,
                      struct vpmu_spe_record *record)
{
    struct vpmu_spe_op_ op = vpmu_spe_op_(s, sample);
    struct vpmu_spe_sample done = *sample;
    uint64_t limitr = s->reg[VPMU_PMBLIMITR];
    bool passes;

    /* No instruction both branches and has a data address, so that each record has room for all. */
    done.flags &= (uint8_t)(op.types & VPMU_SPE_BRANCHES_ ? ~ACCESS_FLAGS : ~BRANCH_FLAGS);
    done.flags &= (uint8_t)(op.types ? ~0u : ~ACCESS_FLAGS);
    passes = vpmu_spe_passes_(s, &done, &op);
    *record = (struct vpmu_spe_record){0};
    if (passes && limitr & VPMU_PMBLIMITR_E && !vpmu_spe_stopped(s) &&
        (limitr & VPMU_PMBLIMITR_FM) != VPMU_PMBLIMITR_FM_DISCARD) {
        construct(s, &done, &op, record);
    }
    return passes;
}
