/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Events in perf's syntax, as perf_event_open(2) of any host wants them. */
#include <linux/perf_event.h>
#include <string.h>

#include "fixture.h"
#include "vpmu/count.h"
#include "vpmu/errors.h"
#include "vpmu/perf_event.h"

#define HARDWARE(id) PERF_TYPE_HARDWARE, PERF_COUNT_HW_##id
#define CACHE(id, op, result)                                                                      \
    PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##id | PERF_COUNT_HW_CACHE_OP_##op << 8 |              \
                            PERF_COUNT_HW_CACHE_RESULT_##result << 16

START_TEST(numbers)
{
    static const struct {
        const char *text;
        uint32_t type;
        uint64_t config;
        unsigned modifiers;
    } rows[] = {
        {"cycles", HARDWARE(CPU_CYCLES), 0},
        {"cpu-cycles:u", HARDWARE(CPU_CYCLES), VPMU_MODIFIER_U},
        {"instructions", HARDWARE(INSTRUCTIONS), 0},
        {"cache-references", HARDWARE(CACHE_REFERENCES), 0},
        {"cache-misses", HARDWARE(CACHE_MISSES), 0},
        {"branches:k", HARDWARE(BRANCH_INSTRUCTIONS), VPMU_MODIFIER_K},
        {"branch-misses", HARDWARE(BRANCH_MISSES), 0},
        {"bus-cycles", HARDWARE(BUS_CYCLES), 0},
        {"stalled-cycles-frontend", HARDWARE(STALLED_CYCLES_FRONTEND), 0},
        {"stalled-cycles-backend", HARDWARE(STALLED_CYCLES_BACKEND), 0},
        {"ref-cycles", HARDWARE(REF_CPU_CYCLES), 0},
        {"L1-dcache-loads", CACHE(L1D, READ, ACCESS), 0},
        {"l1-dcache-load-misses", CACHE(L1D, READ, MISS), 0},
        {"L1-dcache-stores", CACHE(L1D, WRITE, ACCESS), 0},
        {"L1-icache-loads", CACHE(L1I, READ, ACCESS), 0},
        {"L1-icache-load-misses", CACHE(L1I, READ, MISS), 0},
        {"LLC-loads", CACHE(LL, READ, ACCESS), 0},
        {"LLC-load-misses", CACHE(LL, READ, MISS), 0},
        {"dTLB-loads", CACHE(DTLB, READ, ACCESS), 0},
        {"dTLB-load-misses", CACHE(DTLB, READ, MISS), 0},
        {"iTLB-loads", CACHE(ITLB, READ, ACCESS), 0},
        {"iTLB-load-misses", CACHE(ITLB, READ, MISS), 0},
        {"rc0:GH", PERF_TYPE_RAW, 0xc0, VPMU_MODIFIER_GUEST | VPMU_MODIFIER_HOST},
        {"rffffffffffffffff", PERF_TYPE_RAW, UINT64_MAX, 0},
    };
    uint32_t type;
    uint64_t config;
    unsigned modifiers;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_int_eq(vpmu_perf_event_parse(rows[i].text, &type, &config, &modifiers, NULL), 0);
        expect_in(rows[i].text, "type", rows[i].type, type);
        expect_in(rows[i].text, "config", rows[i].config, config);
        expect_in(rows[i].text, "modifiers", rows[i].modifiers, modifiers);
    }
}
END_TEST

START_TEST(refusals)
{
    static const struct {
        const char *text;
        const char *why;
    } rows[] = {
        {"", "generic names"},          {"nosuch", "generic names"},
        {"l1d_cache", "generic names"}, /* a name of Arm's */
        {"mem-loads", "generic names"}, /* perf takes its number from the host */
        {"r", "generic names"},         {"r10000000000000000", "generic names"},
        {"cycles:", "modifiers are"},   {"cycles:x", "modifiers are"},
    };
    uint32_t type = 1;
    uint64_t config = 2;
    unsigned modifiers = 3;
    const char *why;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        ck_assert_int_eq(vpmu_perf_event_parse(rows[i].text, &type, &config, &modifiers, &why),
                         -VPMU_ERR_EVENT);
        ck_assert_msg(strstr(why, rows[i].why), "%s: got '%s'", rows[i].text, why);
    }
    ck_assert_msg(type == 1 && config == 2 && modifiers == 3, "expected nothing to change");
}
END_TEST

Suite *perf_event_suite(void)
{
    const TTest *const tests[] = {numbers, refusals};

    return suite_of("perf_event", tests, COUNT_OF(tests));
}
