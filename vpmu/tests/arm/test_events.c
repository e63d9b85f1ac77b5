/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The table of events, compared with a second one (model_events.c), and PMCEID, which follows from
 * it.
 */
#include <string.h>

#include "fixture.h"
#include "model_events.h"

/* The events that this library must have, by ranges of their numbers. */
static const struct {
    uint16_t first;
    uint16_t last;
} ranges[] = {
    {0x00, 0x19},     {0x1b, 0x1e},     {0x20, 0x26},     {0x29, 0x2b},     {0x2d, 0x48},
    {0x4c, 0x53},     {0x56, 0x58},     {0x5c, 0x61},     {0x64, 0x64},     {0x66, 0x6a},
    {0x6c, 0x7a},     {0x7c, 0x7e},     {0x81, 0x84},     {0x86, 0x88},     {0x8a, 0x91},
    {0x9f, 0xa0},     {0xa2, 0xa2},     {0xc0, 0xc0},     {0xcd, 0xce},     {0x105, 0x105},
    {0x108, 0x108},   {0x112, 0x113},   {0x11a, 0x11a},   {0x121, 0x121},   {0x123, 0x124},
    {0x200, 0x200},   {0x300, 0x300},   {0x309, 0x309},   {0x316, 0x316},   {0x31e, 0x31e},
    {0x4000, 0x4004}, {0x4006, 0x4006}, {0x4009, 0x4009}, {0x400b, 0x400b}, {0x4020, 0x4022},
    {0x4024, 0x4026}, {0x8000, 0x8000}, {0x8002, 0x8002}, {0x8005, 0x8006}, {0x8008, 0x8008},
    {0x800e, 0x800e}, {0x8010, 0x8010}, {0x8014, 0x8014}, {0x8018, 0x8018}, {0x801c, 0x801c},
    {0x8028, 0x8028}, {0x8034, 0x8034}, {0x8038, 0x8038}, {0x8043, 0x8043}, {0x8074, 0x8077},
    {0x8079, 0x8079}, {0x807c, 0x807c}, {0x807f, 0x807f}, {0x8085, 0x8087}, {0x8089, 0x808a},
    {0x8091, 0x8092}, {0x8095, 0x8096}, {0x809f, 0x809f}, {0x80a5, 0x80a6}, {0x80ad, 0x80af},
    {0x80bc, 0x80bd}, {0x80c0, 0x80c7}, {0x80e3, 0x80e3}, {0x80e7, 0x80e7}, {0x80eb, 0x80eb},
    {0x80ef, 0x80ef},
};

static bool is_wanted(unsigned number)
{
    for (size_t i = 0; i < COUNT_OF(ranges); i++) {
        if (number >= ranges[i].first && number <= ranges[i].last) {
            return true;
        }
    }
    return false;
}

/* Exactly these numbers exist, with the names and sources of the second table. */
START_TEST(rows)
{
    unsigned count = 0;

    for (unsigned number = 0; number <= UINT16_MAX; number++) {
        const struct vpmu_arm_event *event = vpmu_arm_event_find((uint16_t)number);
        const struct model_sum *sum = model_sum(number);

        ck_assert_msg((event != NULL) == is_wanted(number), "expected event %#x to be %s", number,
                      event ? "none" : "one");
        ck_assert_msg((sum != NULL) == is_wanted(number), "the second table is wrong at %#x",
                      number);
        if (event) {
            ck_assert_str_eq(event->name, sum->name);
            expect("number", number, event->number);
            expect_sources(sum->name, model_sum_mask(number), event->sources);
            count++;
        }
    }
    expect("rows", count, vpmu_events_count);
}
END_TEST

/* Where counts come from; an event that is not counted says so. */
START_TEST(models)
{
    static const struct {
        uint16_t number;
        const char *model;
    } origins[] = {
        {0x00, NULL},       {VPMU_EVENT_INST_RETIRED, NULL},
        {0x09, NULL},       {0x10, "branch-prediction"},
        {0x11, "pipeline"}, {0x04, "caches"},
        {0x37, "caches"},   {0x05, "tlbs"},
        {0x34, "tlbs"},     {VPMU_EVENT_STALL, "pipeline"},
        {0x4004, "clock"},
    };
    const struct vpmu_arm_config config = {
        .version = VPMU_V3P5,
        .sources = VPMU_SRC_ALL & ~VPMU_SRC_BIT(VPMU_SRC_LL_CACHE_MISS_RD),
        .timed = VPMU_SRC_BIT(VPMU_SRC_CNT_CYCLES),
    };
    const struct vpmu_arm_config clock = {.timed = VPMU_SRC_BIT(VPMU_SRC_CPU_CYCLES)};

    for (size_t i = 0; i < COUNT_OF(origins); i++) {
        const struct vpmu_arm_event *event = vpmu_arm_event_find(origins[i].number);
        const char *model = vpmu_arm_event_model(&config, event);

        ck_assert_msg(model == origins[i].model || strcmp(model, origins[i].model) == 0,
                      "%s: expected %s got %s", event->name, origins[i].model, model);
        expect_in(event->name, "counted", origins[i].number != 0x37,
                  vpmu_arm_event_counted(&config, event));
    }
    ck_assert_str_eq(vpmu_arm_event_model(&clock, vpmu_arm_event_find(0x11)), "clock");
}
END_TEST

/* Some of the sums, spelled out. */
START_TEST(sums)
{
    static const struct {
        const char *name;
        uint16_t number;
        vpmu_sources sources;
    } want[] = {
        {"SW_INCR", VPMU_EVENT_SW_INCR, 0},
        {"INST_RETIRED", VPMU_EVENT_INST_RETIRED, INST_SRC},
        {"CPU_CYCLES", VPMU_EVENT_CPU_CYCLES, CPU_SRC},
        {"CHAIN", VPMU_EVENT_CHAIN, 0},
        {"MEM_ACCESS: an atomic reads and writes", 0x13, SRC(LD_RETIRED) | SRC(ST_RETIRED)},
        {"BR_PRED: no exception returns", 0x12, SRC(BR_IMMED) | SRC(BR_RETURN) | SRC(BR_INDIRECT)},
        {"BR_RETIRED: with exception returns", 0x21,
         SRC(BR_IMMED) | SRC(BR_RETURN) | SRC(BR_INDIRECT) | SRC(EXC_RETURN)},
        {"BR_INDIRECT_SPEC: with function and exception returns", 0x7a,
         SRC(BR_RETURN) | SRC(BR_INDIRECT) | SRC(EXC_RETURN)},
        {"ST_RETIRED: no store-exclusives that fail", 0x07, SRC(ST_RETIRED)},
        {"ST_SPEC: with store-exclusives that fail", 0x71,
         SRC(ST_RETIRED) | SRC(STREX_FAIL) | SRC(ST_SKIPPED)},
        /* EXC_UNDEF to EXC_TRAP_FIQ are 13 in a row. */
        {"EXC_TAKEN", 0x09, (BIT(13) - 1) << VPMU_SRC_EXC_UNDEF},
        {"STALL", 0x3c, SRC(STALL_FRONTEND) | SRC(STALL_BACKEND)},
    };

    expect("kinds of exceptions", 13, VPMU_SRC_EXC_TRAP_FIQ - VPMU_SRC_EXC_UNDEF + 1);
    for (size_t i = 0; i < COUNT_OF(want); i++) {
        expect_sources(want[i].name, want[i].sources, vpmu_arm_event_find(want[i].number)->sources);
    }
}
END_TEST

/*
 * Each row can be found by its number and has a definition. The rows are sorted, so none occurs
 * twice. Each source is used by an event, and no other sources are.
 */
START_TEST(table)
{
    vpmu_sources used = 0;

    for (size_t i = 0; i < vpmu_events_count; i++) {
        const struct vpmu_arm_event *event = &vpmu_events[i];

        ck_assert_msg(vpmu_arm_event_find(event->number) == event, "expected %s got another row",
                      event->name);
        ck_assert_msg(event->definition && strlen(event->definition) > 0,
                      "expected a definition of %s got none", event->name);
        ck_assert_msg(i == 0 || vpmu_events[i - 1].number < event->number,
                      "expected sorted rows got %s out of order", event->name);
        for (size_t j = 0; j < i; j++) {
            ck_assert_str_ne(vpmu_events[j].name, event->name);
        }
        used |= event->sources;
    }
    expect_sources("all", VPMU_SRC_ALL, used);
}
END_TEST

START_TEST(unknown)
{
    static const uint16_t numbers[] = {0x001a, 0x001f, 0x0027, 0x0028, 0x0054,
                                       0x0085, 0x0092, 0x4005, 0x400a, 0xffff};

    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        ck_assert_msg(vpmu_arm_event_find(numbers[i]) == NULL, "expected no event %#x got one",
                      numbers[i]);
    }
}
END_TEST

/* Starts counter 0 with an event. */
static void start_event(struct machine *m, unsigned number, vpmu_sources sources)
{
    struct vpmu_arm_config config = config_of(VPMU_V3P5, 1, 0);
    const struct model_sum *sum = model_sum(number);
    unsigned cores = sum ? sum->cores : 0;

    config.core = cores ? (uint8_t)__builtin_ctz(cores) : VPMU_CORE_OTHER;
    config.samples = sum && sum->of_spe;
    config.sources = sources;
    config.timed &= sources;
    machine_start(m, &config);
    m->controls.spe_contexts = UINT16_MAX;
    machine_control(m, 1, 0);
    counter_start(m, 0, number, 0);
    set(m, VPMU_PMCR, VPMU_PMCR_E | VPMU_PMCR_LP);
}

/* No total may move by 2^63 at once. */
#define AT_ONCE 62u

/* Sources from @first on happen once, twice, four times: the count is a mask of those counted. */
static uint64_t count_sources(struct machine *m, unsigned first)
{
    uint64_t before = get(m, PMEVCNTR(0));

    for (unsigned bit = 0; bit < AT_ONCE && first + bit < VPMU_SRC_COUNT; bit++) {
        machine_events(m, first + bit, BIT(bit));
    }
    return get(m, PMEVCNTR(0)) - before;
}

/* Returns which sources counter 0 counts. */
static vpmu_sources count_all_sources(struct machine *m)
{
    vpmu_sources sources = 0;

    for (unsigned first = 0; first < VPMU_SRC_COUNT; first += AT_ONCE) {
        sources |= (vpmu_sources)count_sources(m, first) << first;
    }
    return sources;
}

/* Each event counts its sources and no others. */
START_TEST(counts_its_sources)
{
    for (size_t i = 0; i < vpmu_events_count; i++) {
        unsigned number = vpmu_events[i].number;
        struct machine m;

        start_event(&m, number, VPMU_SRC_ALL);
        expect_sources(vpmu_events[i].name, model_sum_mask(number), vpmu_arm_armed(&m.v, NS_EL1));
        expect_sources(vpmu_events[i].name, model_sum_mask(number), count_all_sources(&m));
    }
}
END_TEST

/*
 * A machine that lacks any source of an event does not have the event. PMCEID does not announce it,
 * and it is neither counted nor armed. Events without that source exist.
 */
START_TEST(lacks_a_source)
{
    for (unsigned lacking = 0; lacking < VPMU_SRC_COUNT; lacking++) {
        if (lacking == VPMU_SRC_CPU_CYCLES) {
            continue;
        }
        for (size_t i = 0; i < vpmu_events_count; i++) {
            unsigned number = vpmu_events[i].number;
            vpmu_sources sources = model_sum_mask(number);
            unsigned cache = model_sum(number) ? model_sum(number)->cache : 0;
            bool has = !(sources & VPMU_SRC_BIT(lacking)) && (!cache || cache != lacking);
            vpmu_sources want = has ? sources : 0;
            struct machine m;

            start_event(&m, number, VPMU_SRC_ALL & ~VPMU_SRC_BIT(lacking));
            expect_sources(vpmu_events[i].name, want, vpmu_arm_armed(&m.v, NS_EL1));
            expect_sources(vpmu_events[i].name, want, count_all_sources(&m));
            if ((number & ~0x4000u) < 0x40) {
                unsigned bit = (number & 0x1f) + (number & 0x4000 ? 32 : 0);
                uint64_t pmceid = get(&m, number & 0x20 ? VPMU_PMCEID1 : VPMU_PMCEID0);

                expect_in(vpmu_events[i].name, "bit of PMCEID", has, pmceid >> bit & 1);
            }
        }
    }
}
END_TEST

/*
 * PMCEID0 has a bit for each common event from 0 to 31, PMCEID1 for those from 32 to 63. From
 * PMUv3p1 on, their upper halves have those from 0x4000. SW_INCR and CHAIN, bits 0 and 30, need no
 * source. Cycles always exist, bits 17 and 29.
 */
START_TEST(pmceid)
{
    static const struct {
        const char *name;
        enum vpmu_version version;
        vpmu_sources sources;
        uint64_t pmceid0;
        uint64_t pmceid1;
    } config_rows[] = {
        {"v3, all", VPMU_V3, VPMU_SRC_ALL, 0x7bffffff, 0xfcfeae7f},
        {"v3p1, all", VPMU_V3P1, VPMU_SRC_ALL, 0x107bffffff, 0x77fcfeae7f},
        {"v3p9, all", VPMU_V3P9, VPMU_SRC_ALL, 0xa507bffffff, 0x77fefeae7f},
        /* 0x31 never happens, which needs no source. */
        {"only cycles", VPMU_V3P5, CPU_SRC, 0x60020001, 0x20000},
        /* 0x08, 0x1b; 0x3a, 0x3b */
        {"and instructions", VPMU_V3P5, CPU_SRC | INST_SRC, 0x68020101, 0x0c020000},
        {"and ticks", VPMU_V3P5, CPU_SRC | CNT_SRC, 0x1060020001, 0x20000},
        {"and ticks, v3", VPMU_V3, CPU_SRC | CNT_SRC, 0x60020001, 0x20000},
        /* 0x06; 0x13 also needs 0x07 */
        {"and loads", VPMU_V3P5, CPU_SRC | SRC(LD_RETIRED), 0x60020041, 0x20000},
        {"and stores", VPMU_V3P5, CPU_SRC | SRC(ST_RETIRED), 0x60020081, 0x20000},
        {"and both", VPMU_V3P5, CPU_SRC | SRC(LD_RETIRED) | SRC(ST_RETIRED), 0x600a00c1, 0x20000},
        /* 0x09 is missing */
        {"all but one kind of exceptions", VPMU_V3P5, VPMU_SRC_ALL & ~SRC(EXC_TRAP_IRQ),
         0xa507bfffdff, 0x77fefeae7f},
    };

    for (size_t i = 0; i < COUNT_OF(config_rows); i++) {
        struct vpmu_arm_config config = config_of(config_rows[i].version, 6, 0);
        uint64_t pmceid0 = config_rows[i].pmceid0;
        struct machine m;

        config.sources = config_rows[i].sources;
        config.timed &= config.sources;
        machine_start(&m, &config);
        expect_in(config_rows[i].name, "PMCEID0_EL0", pmceid0, get(&m, VPMU_PMCEID0));
        expect_in(config_rows[i].name, "PMCEID1_EL0", config_rows[i].pmceid1,
                  get(&m, VPMU_PMCEID1));
        expect_in(config_rows[i].name, "PMCEID0", (uint32_t)pmceid0,
                  reg_get(&m, VPMU_PMCEID0, &at_el1_32));
        if (config_rows[i].version >= VPMU_V3P1) {
            expect_in(config_rows[i].name, "PMCEID2", pmceid0 >> 32,
                      reg_get(&m, VPMU_PMCEID2, &at_el1_32));
        }
    }
}
END_TEST

/* The part number alone does not make a core: it is the implementer's. */
START_TEST(cores)
{
    static const struct {
        uint64_t midr;
        enum vpmu_core core;
    } known[] = {
        {0x410fd034, VPMU_CORE_CORTEX_A53}, {0x412fd050, VPMU_CORE_CORTEX_A55},
        {0x411fd070, VPMU_CORE_CORTEX_A57}, {0x410fd083, VPMU_CORE_CORTEX_A72},
        {0x461f0010, VPMU_CORE_A64FX},      {0x410fd493, VPMU_CORE_NEOVERSE_N2},
        {0x410fc080, VPMU_CORE_CORTEX_A8},  {0x410fc090, VPMU_CORE_CORTEX_A9},
        {0x412fc0f1, VPMU_CORE_OTHER},      {0x410fc075, VPMU_CORE_OTHER},
        {0x414fd0c1, VPMU_CORE_OTHER},      {0x420fd034, VPMU_CORE_OTHER},
        {0x000f0510, VPMU_CORE_OTHER},
    };

    for (size_t i = 0; i < COUNT_OF(known); i++) {
        expect("core", known[i].core, vpmu_arm_core_find(known[i].midr));
    }
}
END_TEST

/* Numbers that some cores define. A core that does not has no such event. */
START_TEST(needs)
{
    static const struct {
        uint16_t number;
        enum vpmu_core core;
        bool counted;
    } known[] = {
        {0xc0, VPMU_CORE_CORTEX_A53, true},  {0xc0, VPMU_CORE_CORTEX_A55, false},
        {0xc0, VPMU_CORE_CORTEX_A57, false}, {0xc0, VPMU_CORE_OTHER, false},
        {0xcd, VPMU_CORE_CORTEX_A53, false}, {0xcd, VPMU_CORE_CORTEX_A55, true},
        {0x64, VPMU_CORE_CORTEX_A72, true},  {0x64, VPMU_CORE_A64FX, false},
        {0x31e, VPMU_CORE_A64FX, true},      {0x31e, VPMU_CORE_OTHER, false},
        {0x38, VPMU_CORE_CORTEX_A55, true},  {0x38, VPMU_CORE_OTHER, false},
        {0x60, VPMU_CORE_NEOVERSE_N2, true}, {0x31, VPMU_CORE_OTHER, true},
    };
    struct vpmu_arm_config config = config_of(VPMU_V3P5, 1, 0);

    for (size_t i = 0; i < COUNT_OF(known); i++) {
        const struct vpmu_arm_event *event = vpmu_arm_event_find(known[i].number);

        config.core = (uint8_t)known[i].core;
        expect_in(event->name, "counted", known[i].counted, vpmu_arm_event_counted(&config, event));
    }
}
END_TEST

/*
 * The numbers that Linux maps perf's generic events to: armv7_a8_perf_map, armv7_a9_perf_map and
 * armv7_a15_perf_map of arm_v7_pmu.c, and what it must not find under them.
 */
START_TEST(numbers_of_v7)
{
    static const struct {
        enum vpmu_core core;
        uint16_t number;
        vpmu_sources sources;
    } known[] = {
        {VPMU_CORE_CORTEX_A8, 0x08, SRC(INST_RETIRED)},
        {VPMU_CORE_CORTEX_A8, 0x04, SRC(L1D_CACHE_RD) | SRC(L1D_CACHE_WR)},
        {VPMU_CORE_CORTEX_A8, 0x0c, SRC(PC_WRITE)},
        {VPMU_CORE_CORTEX_A8, 0x43, VPMU_SRCS_L2D_READS | VPMU_SRCS_L2D_WRITES},
        {VPMU_CORE_CORTEX_A8, 0x44, SRC(L2D_CACHE_REFILL_RD) | SRC(L2D_CACHE_REFILL_WR)},
        {VPMU_CORE_CORTEX_A8, 0x50, SRC(L1I_CACHE)},
        {VPMU_CORE_CORTEX_A8, 0x56, SRC(STALL_FRONTEND)},
        {VPMU_CORE_CORTEX_A8, 0x13, 0},
        {VPMU_CORE_CORTEX_A8, 0x68, 0},
        {VPMU_CORE_CORTEX_A9, 0x68, SRC(INST_RETIRED)},
        {VPMU_CORE_CORTEX_A9, 0x60, SRC(STALL_FRONTEND)},
        {VPMU_CORE_CORTEX_A9, 0x66, SRC(STALL_FRONTEND) | SRC(STALL_BACKEND)},
        {VPMU_CORE_CORTEX_A9, 0x10, SRC(BR_MIS_PRED)},
        {VPMU_CORE_CORTEX_A9, 0x43, 0},
        {VPMU_CORE_CORTEX_A9, 0x50, 0},
        {VPMU_CORE_CORTEX_A9, 0x21, 0},
        {VPMU_CORE_CORTEX_A9, 0x105, 0},
        {VPMU_CORE_OTHER, 0x68, SRC(UNALIGNED_LD)},
        {VPMU_CORE_OTHER, 0x50, VPMU_SRCS_L2D_READS},
        {VPMU_CORE_OTHER, 0x76, SRC(PC_WRITE)},
    };

    for (size_t i = 0; i < COUNT_OF(known); i++) {
        struct vpmu_arm_config config = config_of(VPMU_V3, 1, 0);
        const struct vpmu_arm_event *event;
        struct machine m;
        char name[32];

        config.core = (uint8_t)known[i].core;
        machine_start(&m, &config);
        snprintf(name, sizeof(name), "core %d, 0x%x", (int)known[i].core, known[i].number);
        event = vpmu_arm_event_at(&config, known[i].number);
        expect_in(name, "counted", known[i].sources != 0,
                  event && vpmu_arm_event_counted(&config, event));
        counter_start(&m, 0, known[i].number, 0);
        pmcr_enable(&m);
        expect_sources(name, known[i].sources, vpmu_arm_armed(&m.v, NS_EL1));
    }
}
END_TEST

/* Without an L2 cache, a miss of L1 is no access to L2. */
START_TEST(accesses_of_no_cache)
{
    static const struct {
        enum vpmu_core core;
        uint16_t number;
        vpmu_sources cache;
    } levels[] = {
        {VPMU_CORE_CORTEX_A8, 0x43, VPMU_SRCS_L2D}, {VPMU_CORE_OTHER, 0x16, VPMU_SRCS_L2D},
        {VPMU_CORE_OTHER, 0x50, VPMU_SRCS_L2D},     {VPMU_CORE_OTHER, 0x51, VPMU_SRCS_L2D},
        {VPMU_CORE_OTHER, 0x2b, VPMU_SRCS_LL},      {VPMU_CORE_OTHER, 0x32, VPMU_SRCS_LL},
        {VPMU_CORE_OTHER, 0x36, VPMU_SRCS_LL},      {VPMU_CORE_OTHER, 0xa0, VPMU_SRCS_LL},
    };

    for (size_t i = 0; i < COUNT_OF(levels); i++) {
        struct vpmu_arm_config config = config_of(VPMU_V3, 1, 0);
        const struct vpmu_arm_event *event;

        config.core = (uint8_t)levels[i].core;
        event = vpmu_arm_event_at(&config, levels[i].number);
        expect_in(event->name, "counted", true, vpmu_arm_event_counted(&config, event));
        config.sources &= ~levels[i].cache;
        expect_in(event->name, "counted without the cache", false,
                  vpmu_arm_event_counted(&config, event));
    }
}
END_TEST

/*
 * Events of SPE. Each row: 10 instructions of EL1, three samples, of which two pass, then 7
 * instructions of EL0 and a sample that passes. Counters 0 to 3 count 0x4000 to 0x4003.
 */
START_TEST(of_spe)
{
    static const struct {
        const char *name;
        bool samples;
        unsigned contexts;
        uint64_t filter;
        uint64_t counts[4];
    } known[] = {
        {"everywhere", true, BIT(NS_EL1) | BIT(NS_EL0), 0, {17, 4, 3, 0}},
        {"at EL1", true, BIT(NS_EL1), 0, {10, 4, 3, 0}},
        {"at EL0", true, BIT(NS_EL0), 0, {7, 4, 3, 0}},
        {"not at EL1, by the counter's filter", true, UINT16_MAX, VPMU_TYPER_P, {7, 1, 1, 0}},
        {"without SPE", false, UINT16_MAX, 0, {0, 0, 0, 0}},
    };

    for (size_t i = 0; i < COUNT_OF(known); i++) {
        struct vpmu_arm_config config = config_of(VPMU_V3P5, 4, 0);
        struct machine m;

        config.samples = known[i].samples;
        machine_start(&m, &config);
        m.controls.spe_contexts = (uint16_t)known[i].contexts;
        machine_control(&m, 4, 0);
        for (unsigned idx = 0; idx < 4; idx++) {
            counter_start(&m, idx, (VPMU_EVENT_SAMPLE_POP + idx) | known[i].filter, 0);
        }
        pmcr_enable(&m);
        machine_instructions(&m, 10);
        machine_sample_taken(&m, true);
        machine_sample_taken(&m, false);
        machine_sample_taken(&m, true);
        machine_enter(&m, NS_EL0);
        machine_instructions(&m, 7);
        machine_sample_taken(&m, true);
        for (unsigned idx = 0; idx < 4; idx++) {
            expect_in(known[i].name,
                      vpmu_arm_event_find((uint16_t)(VPMU_EVENT_SAMPLE_POP + idx))->name,
                      known[i].counts[idx], get(&m, PMEVCNTR(idx)));
        }
        expect_in(known[i].name, "PMCEID0[35:32]", known[i].samples ? 0xf : 0,
                  get(&m, VPMU_PMCEID0) >> 32 & 0xf);
    }
}
END_TEST

/* Instructions outside of the population do not reach the end of the counter; samples overflow. */
START_TEST(of_spe_overflow)
{
    struct vpmu_arm_config config = config_of(VPMU_V3P5, 2, 0);
    struct machine m;

    config.samples = true;
    machine_start(&m, &config);
    m.controls.spe_contexts = BIT(NS_EL0);
    machine_control(&m, 2, 0);
    counter_start(&m, 0, VPMU_EVENT_SAMPLE_POP, UINT32_MAX - 4);
    counter_start(&m, 1, VPMU_EVENT_SAMPLE_FEED, UINT32_MAX);
    set(&m, VPMU_PMINTENSET, 3);
    pmcr_enable(&m);
    expect("instructions of EL1", UINT64_MAX, vpmu_arm_headroom(&m.v, INST_SRC, NS_EL1));
    expect("instructions of EL0", 5, vpmu_arm_headroom(&m.v, INST_SRC, NS_EL0));
    machine_sample_taken(&m, false);
    expect("the sample's overflow", 2, get(&m, VPMU_PMOVSSET));
    expect("interrupt", true, vpmu_arm_irq_level(&m.v));
}
END_TEST

/* Events that count other sources from a version on. */
START_TEST(by_version)
{
    static const struct {
        uint16_t number;
        unsigned version;
        vpmu_sources sources;
    } wanted[] = {
        {0x0076, VPMU_V3P7, SRC(PC_WRITE)},
        {0x0076, VPMU_V3P8, SRC(BR_IMMED) | SRC(BR_RETURN) | SRC(BR_INDIRECT) | SRC(EXC_RETURN)},
        {0x0076, VPMU_V3P9, SRC(BR_IMMED) | SRC(BR_RETURN) | SRC(BR_INDIRECT) | SRC(EXC_RETURN)},
        {0x8002, VPMU_V3P8, SRC(SVE_SIMD) | SRC(SVE_SCALAR)},
        {0x8002, VPMU_V3P9, SRC(SVE_SIMD)},
        {0x8006, VPMU_V3P9, SRC(SVE_SIMD) | SRC(SVE_SCALAR)},
    };

    for (size_t i = 0; i < COUNT_OF(wanted); i++) {
        struct vpmu_arm_config config = config_of(wanted[i].version, 1, 0);
        struct machine m;

        config.sources = VPMU_SRC_ALL;
        machine_start(&m, &config);
        machine_control(&m, 1, 0);
        counter_start(&m, 0, wanted[i].number, 0);
        set(&m, VPMU_PMCR, VPMU_PMCR_E);
        expect_sources(vpmu_arm_event_find(wanted[i].number)->name, wanted[i].sources,
                       vpmu_arm_armed(&m.v, NS_EL1));
    }
}
END_TEST

Suite *events_suite(void)
{
    const TTest *const tests[] = {
        rows,           models,          sums,       table, unknown,       counts_its_sources,
        lacks_a_source, pmceid,          cores,      needs, numbers_of_v7, accesses_of_no_cache,
        of_spe,         of_spe_overflow, by_version,
    };

    return suite_of("events", tests, COUNT_OF(tests));
}
