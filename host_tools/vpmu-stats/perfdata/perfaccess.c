/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses to memory as include/uapi/linux/perf_event.h has them. The levels are in two fields: the
 * older one for perf before 4.14, the newer one for those that follow it.
 */
#include "perfdata/perfaccess.h"

#include <linux/perf_event.h>
#include <stdbool.h>

#define OP(name) PERF_MEM_S(OP, name)
#define LVL(name) PERF_MEM_S(LVL, name)
#define LVLNUM(name) PERF_MEM_S(LVLNUM, name)
#define TLB(name) PERF_MEM_S(TLB, name)

/* Texts of perf for a part of the description: the first row with all bits of the part counts. */
struct meaning {
    uint64_t bits;
    const char *text;
};

static const uint64_t levels[VPMU_DATA_LEVEL_COUNT] = {
    [VPMU_DATA_UNKNOWN] = LVL(NA) | LVLNUM(NA),
    [VPMU_DATA_L1] = LVL(HIT) | LVL(L1) | LVLNUM(L1),
    [VPMU_DATA_L2] = LVL(HIT) | LVL(L2) | LVLNUM(L2),
    [VPMU_DATA_LLC] = LVL(HIT) | LVL(L3) | LVLNUM(L3),
    [VPMU_DATA_DRAM] = LVL(HIT) | LVL(LOC_RAM) | LVLNUM(RAM),
    [VPMU_DATA_UNCACHED] = LVL(HIT) | LVL(UNC) | LVLNUM(NA),
    [VPMU_DATA_SHARED] = LVL(HIT) | LVL(L3) | LVLNUM(L3),
    [VPMU_DATA_PEER] = LVL(HIT) | LVL(L3) | LVLNUM(L3),
};

static const uint64_t translations[VPMU_TRANSLATED_COUNT] = {
    [VPMU_TLB_UNKNOWN] = TLB(NA),
    [VPMU_TLB_L1] = TLB(HIT) | TLB(L1),
    [VPMU_TLB_L2] = TLB(HIT) | TLB(L2),
    [VPMU_TLB_WALK] = TLB(MISS) | TLB(WK),
};

/*
 * For stores, perf knows only whether they hit L1: perf c2c counts no others. The latency tells
 * where the line was.
 */
static uint64_t level_of(const struct vpmu_record_access *access)
{
    static const uint64_t missed = LVL(MISS) | LVL(L1) | LVLNUM(L1);
    bool is_load = access->flags & VPMU_RECORD_LOAD;

    return !is_load && access->level > VPMU_DATA_L1 && access->level != VPMU_DATA_UNCACHED
               ? missed
               : levels[access->level];
}

/* Did other vCPUs have the data of a load? perf c2c calls a line contended if it was modified.
 */
static uint64_t snoop_of(const struct vpmu_record_access *access)
{
    bool is_load = access->flags & VPMU_RECORD_LOAD;

    return is_load && access->level == VPMU_DATA_PEER     ? PERF_MEM_S(SNOOP, HITM)
           : is_load && access->level == VPMU_DATA_SHARED ? PERF_MEM_S(SNOOP, HIT)
                                                          : PERF_MEM_S(SNOOP, NA);
}

uint64_t perfaccess_encode(const struct vpmu_record_access *access)
{
    uint64_t rest = PERF_MEM_S(BLK, NA);

    if (!access) {
        return rest | PERF_MEM_S(SNOOP, NA) | OP(NA) | levels[VPMU_DATA_UNKNOWN] |
               translations[VPMU_TLB_UNKNOWN] | PERF_MEM_S(LOCK, NA);
    }
    return rest | snoop_of(access) | level_of(access) | translations[access->translated] |
           (access->flags & VPMU_RECORD_LOAD ? OP(LOAD) : 0) |
           (access->flags & VPMU_RECORD_STORE ? OP(STORE) : 0) |
           (access->flags & VPMU_RECORD_LOCKED ? PERF_MEM_S(LOCK, LOCKED) : PERF_MEM_S(LOCK, NA));
}

static const char *find(const struct meaning *row, uint64_t source)
{
    while (row->bits && (source & row->bits) != row->bits) {
        row++;
    }
    return row->text;
}

const char *perfaccess_level(uint64_t source)
{
    static const struct meaning rows[] = {
        {LVL(HIT) | LVL(L1), "L1 hit"},
        {LVL(HIT) | LVL(LFB), "LFB/MAB hit"},
        {LVL(HIT) | LVL(L2), "L2 hit"},
        {LVL(HIT) | LVL(L3), "L3 hit"},
        {LVL(HIT) | LVL(LOC_RAM), "RAM hit"},
        {LVL(HIT) | LVL(UNC), "Uncached hit"},
        {LVL(HIT) | LVL(IO), "I/O hit"},
        {LVL(MISS) | LVL(L1), "L1 miss"},
        {LVL(MISS) | LVL(L2), "L2 miss"},
        {LVL(MISS) | LVL(L3), "L3 miss"},
        {0, "N/A"},
    };

    return find(rows, source);
}

const char *perfaccess_tlb(uint64_t source)
{
    static const struct meaning rows[] = {
        {TLB(HIT) | TLB(L1) | TLB(L2), "L1 or L2 hit"},
        {TLB(HIT) | TLB(L1), "L1 hit"},
        {TLB(HIT) | TLB(L2), "L2 hit"},
        {TLB(HIT) | TLB(WK), "Walker hit"},
        {TLB(MISS) | TLB(WK), "Walker miss"},
        {TLB(MISS), "miss"},
        {0, "N/A"},
    };

    return find(rows, source);
}

const char *perfaccess_op(uint64_t source)
{
    static const struct meaning rows[] = {
        {OP(LOAD) | OP(STORE), "LOAD,STORE"},
        {OP(LOAD), "LOAD"},
        {OP(STORE), "STORE"},
        {0, "N/A"},
    };

    return find(rows, source);
}
