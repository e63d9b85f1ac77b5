/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Parses an event in perf's syntax into the numbers that Linux's perf has on all architectures. */
#include "vpmu/perf_event.h"

#include "../event_text.h"

/* Linux, include/uapi/linux/perf_event.h: enum perf_type_id. */
enum {
    TYPE_HARDWARE = 0,
    TYPE_HW_CACHE = 3,
    TYPE_RAW = 4,
};

/* enum perf_hw_cache_id, perf_hw_cache_op_id and perf_hw_cache_op_result_id. */
enum {
    L1D,
    L1I,
    LL,
    DTLB,
    ITLB,
};
enum {
    READ,
    WRITE,
};
enum {
    ACCESS,
    MISS,
};

#define HARDWARE(id)                                                                               \
    {                                                                                              \
        true, TYPE_HARDWARE, id                                                                    \
    }
#define CACHE(id, op, result)                                                                      \
    {                                                                                              \
        true, TYPE_HW_CACHE, (id) | (op) << 8 | (result) << 16                                     \
    }

/* Perf has no numbers of mem-loads and mem-stores. */
static const struct {
    bool is_generic;
    uint8_t type;
    uint32_t config;
} numbers[VPMU_GENERIC_COUNT_] = {
    [VPMU_GENERIC_CYCLES_] = HARDWARE(0),
    [VPMU_GENERIC_INSTRUCTIONS_] = HARDWARE(1),
    [VPMU_GENERIC_CACHE_REFERENCES_] = HARDWARE(2),
    [VPMU_GENERIC_CACHE_MISSES_] = HARDWARE(3),
    [VPMU_GENERIC_BRANCHES_] = HARDWARE(4),
    [VPMU_GENERIC_BRANCH_MISSES_] = HARDWARE(5),
    [VPMU_GENERIC_BUS_CYCLES_] = HARDWARE(6),
    [VPMU_GENERIC_STALLED_FRONTEND_] = HARDWARE(7),
    [VPMU_GENERIC_STALLED_BACKEND_] = HARDWARE(8),
    [VPMU_GENERIC_REF_CYCLES_] = HARDWARE(9),
    [VPMU_GENERIC_L1D_LOADS_] = CACHE(L1D, READ, ACCESS),
    [VPMU_GENERIC_L1D_LOAD_MISSES_] = CACHE(L1D, READ, MISS),
    [VPMU_GENERIC_L1D_STORES_] = CACHE(L1D, WRITE, ACCESS),
    [VPMU_GENERIC_L1I_LOADS_] = CACHE(L1I, READ, ACCESS),
    [VPMU_GENERIC_L1I_LOAD_MISSES_] = CACHE(L1I, READ, MISS),
    [VPMU_GENERIC_LL_LOADS_] = CACHE(LL, READ, ACCESS),
    [VPMU_GENERIC_LL_LOAD_MISSES_] = CACHE(LL, READ, MISS),
    [VPMU_GENERIC_DTLB_LOADS_] = CACHE(DTLB, READ, ACCESS),
    [VPMU_GENERIC_DTLB_LOAD_MISSES_] = CACHE(DTLB, READ, MISS),
    [VPMU_GENERIC_ITLB_LOADS_] = CACHE(ITLB, READ, ACCESS),
    [VPMU_GENERIC_ITLB_LOAD_MISSES_] = CACHE(ITLB, READ, MISS),
};

/* The type is in the upper half of the result, the number in the lower half. */
static vpmu_sources join(uint32_t type, uint64_t config)
{
    return (vpmu_sources)type << 64 | config;
}

static bool find(const void *config, enum vpmu_generic_ generic, const char *text, size_t len,
                 vpmu_sources *event)
{
    uint64_t raw;

    (void)config;
    if (generic != VPMU_GENERIC_COUNT_ && numbers[generic].is_generic) {
        *event = join(numbers[generic].type, numbers[generic].config);
        return true;
    }
    if (!vpmu_raw_number_(text, len, &raw)) {
        return false;
    }
    *event = join(TYPE_RAW, raw);
    return true;
}

static const struct vpmu_syntax_ syntax = {
    .expected = "an event is one of perf's generic names, such as instructions, or r and a "
                "hexadecimal number of the host's PMU, such as rc0",
    .find = find,
};

int vpmu_perf_event_parse(const char *text, uint32_t *type, uint64_t *config, unsigned *modifiers,
                          const char **why)
{
    vpmu_sources event;
    unsigned given;
    int err = vpmu_event_parse_(&syntax, NULL, text, &event, &given, why);

    if (!err) {
        *type = (uint32_t)(event >> 64);
        *config = (uint64_t)event;
        *modifiers = given;
    }
    return err;
}
