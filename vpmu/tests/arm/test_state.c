/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* Saved states: their layout, loading them, and every kind of damage. */
#include "vpmu/arm/state.h"

#include <string.h>

#include "fixture.h"

/* The layout that the library's state.c describes. */
#define AT_VERSION 4
#define AT_SIZE 6
#define AT_SOURCES 8
#define AT_TIMED 24
#define AT_CONFIG 40
#define AT_UNITS 48
/* After the byte for enum vpmu_announced. */
#define AT_CONFIG_END 50
#define AT_PMCR 56
#define AT_PMCNTEN 64
#define AT_PMINTEN 72
#define AT_PMOVS 80
#define AT_PMUSERENR 88
#define AT_PMUACR 96
#define AT_PMSELR 104
#define AT_VALUE(idx) (112u + 16u * (idx))
#define AT_TYPE(idx) (120u + 16u * (idx))
#define AT_REMAINDER(idx) (640u + 2u * (idx))
#define AT_ZERO 706
#define AT_PACE(idx) (708u + 16u * (idx))
#define AT_MET 1204
#define AT_CRC 1208

struct saved {
    uint8_t bytes[VPMU_STATE_SIZE];
};

static uint64_t get_le(const uint8_t *p, unsigned count)
{
    uint64_t val = 0;

    while (count-- > 0) {
        val = val << 8 | p[count];
    }
    return val;
}

/* CRC-32 as in zlib, computed four bits at a time. */
static uint32_t crc_of(const uint8_t *p, size_t len)
{
    static const uint32_t nibbles[16] = {
        0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190, 0x6b6b51f4,
        0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
        0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c,
    };
    uint32_t crc = UINT32_MAX;

    for (; len > 0; len--, p++) {
        crc = crc >> 4 ^ nibbles[(crc ^ *p) & 15];
        crc = crc >> 4 ^ nibbles[(crc ^ (uint32_t)*p >> 4) & 15];
    }
    return ~crc;
}

static void seal(struct saved *s)
{
    uint32_t crc = crc_of(s->bytes, AT_CRC);

    for (unsigned i = 0; i < 4; i++) {
        s->bytes[AT_CRC + i] = (uint8_t)(crc >> 8 * i);
    }
}

static void save(struct machine *m, struct saved *s)
{
    memset(s, 0xee, sizeof(*s));
    expect("vpmu_arm_state_save()", 0, (uint64_t)machine_state_save(m, s, sizeof(*s)));
}

/* Sets a value in every register. N is 6. */
static void make_busy(struct machine *m)
{
    for (unsigned idx = 0; idx < 6; idx++) {
        counter_start(m, idx, idx % 2 ? VPMU_EVENT_CHAIN : VPMU_EVENT_INST_RETIRED, 100 * idx);
    }
    counter_start(m, VPMU_CYCLE_COUNTER, VPMU_TYPER_U, 0x123456789);
    set(m, VPMU_PMINTENSET, BIT(2) | CYCLES);
    set(m, VPMU_PMOVSSET, BIT(5));
    set(m, VPMU_PMUSERENR, 0xb);
    set(m, VPMU_PMSELR, 4);
    pmcr_enable(m);
}

static void start_busy(struct machine *m, enum vpmu_version version, unsigned features)
{
    machine_start_as(m, version, 6, features);
    make_busy(m);
}

START_TEST(checksum)
{
    /* The check value of CRC-32. */
    expect("123456789", 0xcbf43926, crc_of((const uint8_t *)"123456789", 9));
}
END_TEST

static const struct {
    const char *name;
    unsigned at;
    unsigned bytes;
    uint64_t val;
} layout_rows[] = {
    {"vPMU", 0, 4, 0x554d5076},
    {"version", AT_VERSION, 2, 1},
    {"size", AT_SIZE, 2, 1212},
    {"PMU version", AT_CONFIG, 1, VPMU_V3P5},
    {"counters", AT_CONFIG + 1, 1, 6},
    {"features", AT_CONFIG + 2, 2, VPMU_HAS_EL2},
    {"imp", AT_CONFIG + 4, 1, 0x41},
    {"idcode", AT_CONFIG + 5, 1, 0x5a},
    {"slots", AT_CONFIG + 6, 1, 9},
    {"threshold width", AT_CONFIG + 7, 1, 0},
    {"sources", AT_SOURCES, 8, UINT64_MAX},
    {"sources, upper half", AT_SOURCES + 8, 8, (uint64_t)(VPMU_SRC_ALL >> 64)},
    {"timed", AT_TIMED, 8, 1ull << VPMU_SRC_CNT_CYCLES},
    {"timed, upper half", AT_TIMED + 8, 8, 0},
    {"cycle units", AT_UNITS, 1, 5},
    {"announced", AT_CONFIG_END - 1, 1, 0},
    {"zero", AT_CONFIG_END, 6, 0},
    {"PMCR", AT_PMCR, 8, VPMU_PMCR_E | VPMU_PMCR_D},
    {"PMCNTEN", AT_PMCNTEN, 8, CYCLES | 0x3f},
    {"PMINTEN", AT_PMINTEN, 8, CYCLES | BIT(2)},
    {"PMOVS", AT_PMOVS, 8, BIT(5)},
    {"PMUSERENR", AT_PMUSERENR, 8, 0xb},
    {"PMUACR", AT_PMUACR, 8, 0},
    {"PMSELR", AT_PMSELR, 8, 4},
    {"PMEVCNTR0, settled", AT_VALUE(0), 8, 11},
    {"PMEVTYPER0", AT_TYPE(0), 8, VPMU_EVENT_INST_RETIRED},
    {"PMEVCNTR4", AT_VALUE(4), 8, 411},
    {"PMEVTYPER5", AT_TYPE(5), 8, VPMU_EVENT_CHAIN},
    {"counter 6 does not exist", AT_VALUE(6), 8, 0},
    {"PMCCNTR", AT_VALUE(31), 8, 0x12345678a},
    {"PMCCFILTR", AT_TYPE(31), 8, VPMU_TYPER_U},
    {"PMICNTR does not exist", AT_VALUE(32), 8, 0},
    /* 71 cycles of 5 units, and 3 units. With D, this is one count, 7 cycles and 3 units. */
    {"PMCCNTR's remainder", AT_REMAINDER(31), 2, 38},
    {"PMEVCNTR3's remainder", AT_REMAINDER(3), 2, 3},
    {"PMEVCNTR3: CPU_CYCLES", AT_VALUE(3), 8, 71},
    {"PMEVCNTR0's remainder", AT_REMAINDER(0), 2, 0},
    {"PMICNTR's remainder", AT_REMAINDER(32), 2, 0},
    {"zero", AT_ZERO, 2, 0},
};

START_TEST(layout)
{
    struct vpmu_arm_config config = config_units(VPMU_V3P5, 6, 5);
    struct machine m;
    struct saved s;

    config.features = VPMU_HAS_EL2;
    config.slots = 9;
    machine_start(&m, &config);
    make_busy(&m);
    counter_start(&m, 3, VPMU_EVENT_CPU_CYCLES, 0);
    set(&m, VPMU_PMCR, VPMU_PMCR_E | VPMU_PMCR_D);
    machine_instructions(&m, 11);
    machine_cycles(&m, 71 * 5 + 3);
    save(&m, &s);
    for (size_t i = 0; i < COUNT_OF(layout_rows); i++) {
        expect(layout_rows[i].name, layout_rows[i].val,
               get_le(s.bytes + layout_rows[i].at, layout_rows[i].bytes));
    }
    expect("checksum", crc_of(s.bytes, AT_CRC), get_le(s.bytes + AT_CRC, 4));
}
END_TEST

START_TEST(no_space)
{
    static const size_t sizes[] = {0, 1, 8, VPMU_STATE_SIZE - 1};

    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        struct machine m;
        struct saved s;

        start_busy(&m, VPMU_V3P5, 0);
        memset(&s, 0x77, sizeof(s));
        expect("error", VPMU_ERR_SPACE, (uint64_t)-machine_state_save(&m, &s, sizes[i]));
        for (size_t at = 0; at < sizeof(s); at++) {
            expect("untouched", 0x77, s.bytes[at]);
        }
    }
}
END_TEST

/* In each version, loading restores what was saved, and saving again gives the same bytes. */
START_TEST(round_trip)
{
    static const struct {
        const char *name;
        enum vpmu_version version;
        unsigned features;
    } rows[] = {
        {"v3", VPMU_V3, 0},
        {"v3p1", VPMU_V3P1, VPMU_HAS_EL2},
        {"v3p4", VPMU_V3P4, VPMU_HAS_EL2 | VPMU_HAS_EL3},
        {"v3p5", VPMU_V3P5, VPMU_HAS_NO_AARCH32},
        {"v3p7", VPMU_V3P7, VPMU_HAS_SPE},
        {"v3p8", VPMU_V3P8, ALL_LEVELS},
        {"v3p9", VPMU_V3P9, VPMU_HAS_ICNTR | VPMU_HAS_SPE},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct machine a;
        struct machine b;
        struct saved first;
        struct saved second;

        start_busy(&a, rows[i].version, rows[i].features);
        machine_instructions(&a, 33);
        save(&a, &first);
        machine_start_as(&b, rows[i].version, 6, rows[i].features);
        /* Another machine, with other totals and another clock. */
        machine_instructions(&b, 12345);
        machine_cycles(&b, 54321);
        expect_in(rows[i].name, "load", 0,
                  (uint64_t)machine_state_load(&b, &first, sizeof(first), NULL));
        ck_assert_msg(b.rearms > 0, "%s: expected VPMU_DUE_REARM got none", rows[i].name);
        save(&b, &second);
        ck_assert_msg(memcmp(&first, &second, sizeof(first)) == 0,
                      "%s: expected the same bytes again got others", rows[i].name);
        machine_instructions(&a, 7);
        machine_instructions(&b, 7);
        expect_in(rows[i].name, "counted on here", 40, get(&a, PMEVCNTR(0)));
        expect_in(rows[i].name, "counts on there", 40, get(&b, PMEVCNTR(0)));
    }
}
END_TEST

/* Partial counts of cycles with units are kept, with and without D. */
START_TEST(remainders)
{
    for (unsigned i = 0; i < 16; i++) {
        unsigned units = 1 + i % 8;
        uint64_t pmcr = VPMU_PMCR_E | (i < 8 ? 0 : VPMU_PMCR_D);
        uint64_t each = units * (i < 8 ? 1u : 64u);
        struct vpmu_arm_config config = config_units(VPMU_V3P5, 1, units);
        struct machine a;
        struct machine b;
        struct saved s;

        machine_start(&a, &config);
        counter_start(&a, 0, VPMU_EVENT_CPU_CYCLES, 0);
        counter_start(&a, VPMU_CYCLE_COUNTER, 0, 0);
        set(&a, VPMU_PMCR, pmcr);
        /* After each unit, the state is moved to another machine, which continues. */
        for (uint64_t k = 1; k <= 2 * each + 1; k++) {
            machine_cycles(&a, 1);
            save(&a, &s);
            machine_start(&b, &config);
            machine_cycles(&b, 12345);
            expect("load", 0, (uint64_t)machine_state_load(&b, &s, sizeof(s), NULL));
            expect("CPU_CYCLES", k / units, get(&b, PMEVCNTR(0)));
            expect("PMCCNTR", k / each, get(&b, VPMU_PMCCNTR));
            machine_cycles(&b, 2 * each);
            expect("CPU_CYCLES, counted on", (k + 2 * each) / units, get(&b, PMEVCNTR(0)));
            expect("PMCCNTR, counted on", k / each + 2, get(&b, VPMU_PMCCNTR));
            expect("back", 0, (uint64_t)machine_state_load(&a, &s, sizeof(s), NULL));
        }
    }
}
END_TEST

/* The interrupt line follows the state, with one edge if it differs and none otherwise. */
START_TEST(line)
{
    struct machine m;
    struct saved up;
    struct saved down;

    machine_start_as(&m, VPMU_V3P5, 1, 0);
    pmcr_enable(&m);
    save(&m, &down);
    set(&m, VPMU_PMINTENSET, BIT(0));
    set(&m, VPMU_PMOVSSET, BIT(0));
    save(&m, &up);
    expect("edges so far", 1, m.irq_edges);
    machine_state_load(&m, &up, sizeof(up), NULL);
    expect("up to up", 1, m.irq_edges);
    machine_state_load(&m, &down, sizeof(down), NULL);
    expect("up to down", 0, m.irq);
    expect("one edge", 2, m.irq_edges);
    machine_state_load(&m, &up, sizeof(up), NULL);
    expect("down to up", 1, m.irq);
}
END_TEST

/*
 * Fails the test unless the state is refused with a reason that contains @reason, the PMU is
 * unchanged and nothing was due.
 */
static void check_refused(struct machine *m, const void *bytes, size_t len, const char *reason)
{
    struct machine before = *m;
    const char *why = "no reason";

    expect_in(reason, "error", VPMU_ERR_STATE, (uint64_t)-machine_state_load(m, bytes, len, &why));
    ck_assert_msg(strstr(why, reason) != NULL, "expected a reason with '%s' got '%s'", reason, why);
    expect_in(reason, "without a place for the reason", VPMU_ERR_STATE,
              (uint64_t)-machine_state_load(m, bytes, len, NULL));
    before.clock_reads = m->clock_reads;
    ck_assert_msg(memcmp(&before, m, sizeof(before)) == 0,
                  "%s: expected the machine unchanged got changes", reason);
}

#define TRUNCATED "truncated"
#define NOT_A_STATE "does not begin with vPMU"
#define OTHER_VERSION "of another version"
#define WRONG_SIZE "wrong size"
#define BAD_CHECKSUM "checksum does not match"
#define OTHER_PMU "of a PMU with another version"
#define OTHER_CLOCK "cycles of another clock"
#define MORE_SOURCES "of a PMU that counts more kinds of events"
#define BAD_BITS "register bits that this PMU does not have"
#define BAD_FIXED "a PMCR bit that is always 1"
#define BAD_COUNTER "counters, or bits of them, that this PMU does not have"
#define BAD_VALUE "a value where none can be"

START_TEST(wrong_length)
{
    static const struct {
        size_t len;
        const char *reason;
    } rows[] = {
        {0, TRUNCATED},
        {1, TRUNCATED},
        {8, TRUNCATED},
        {VPMU_STATE_SIZE - 1, TRUNCATED},
        {VPMU_STATE_SIZE + 1, WRONG_SIZE},
        {2 * VPMU_STATE_SIZE, WRONG_SIZE},
    };
    uint8_t bytes[2 * VPMU_STATE_SIZE] = {0};
    struct machine m;

    start_busy(&m, VPMU_V3P5, 0);
    expect("save", 0, (uint64_t)machine_state_save(&m, bytes, sizeof(bytes)));
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        check_refused(&m, bytes, rows[i].len, rows[i].reason);
    }
}
END_TEST

/* A flipped bit anywhere, with the original checksum. */
START_TEST(flipped_bits)
{
    struct machine m;
    struct saved good;

    start_busy(&m, VPMU_V3P5, 0);
    save(&m, &good);
    for (unsigned at = 0; at < VPMU_STATE_SIZE; at++) {
        struct saved bad = good;
        const char *reason = at < 4            ? NOT_A_STATE
                             : at < AT_SIZE    ? OTHER_VERSION
                             : at < AT_SOURCES ? WRONG_SIZE
                                               : BAD_CHECKSUM;

        bad.bytes[at] ^= (uint8_t)(1u << at % 8);
        check_refused(&m, &bad, sizeof(bad), reason);
    }
}
END_TEST

/*
 * Damage with a correct checksum: bits are flipped at @at in a state of a PMUv3p4 with 6 counters
 * and no AArch32, which has neither PMICNTR nor 64-bit event counters.
 */
static const struct {
    const char *name;
    unsigned at;
    uint8_t flip;
    const char *reason;
} wrong_content_rows[] = {
    {"other PMU version", AT_CONFIG, 1, OTHER_PMU},
    {"other number of counters", AT_CONFIG + 1, 1, OTHER_PMU},
    {"other features", AT_CONFIG + 2, 1, OTHER_PMU},
    {"other features, upper byte", AT_CONFIG + 3, 1, OTHER_PMU},
    {"other IMP", AT_CONFIG + 4, 1, OTHER_PMU},
    {"other IDCODE", AT_CONFIG + 5, 1, OTHER_PMU},
    {"other SLOTS", AT_CONFIG + 6, 1, OTHER_PMU},
    {"other threshold width", AT_CONFIG + 7, 1, OTHER_PMU},
    {"CPU cycles not timed", AT_TIMED + 2, 1 << (VPMU_SRC_CPU_CYCLES - 16), OTHER_CLOCK},
    {"ticks not timed", AT_TIMED + 2, 1 << (VPMU_SRC_CNT_CYCLES - 16), OTHER_CLOCK},
    {"other timed sources, highest byte", AT_TIMED + 15, 0x80, OTHER_CLOCK},
    {"other cycle units", AT_UNITS, 2, OTHER_PMU},
    {"after the configuration", AT_CONFIG_END, 1, BAD_VALUE},
    {"before the registers", AT_PMCR - 1, 0x80, BAD_VALUE},
    {"PMCR.X", AT_PMCR, VPMU_PMCR_X, BAD_BITS},
    {"PMCR.LP before PMUv3p5", AT_PMCR, VPMU_PMCR_LP, BAD_BITS},
    {"PMCR.P is not state", AT_PMCR, VPMU_PMCR_P, BAD_BITS},
    {"PMCR bit 63", AT_PMCR + 7, 0x80, BAD_BITS},
    {"PMCR.LC without AArch32", AT_PMCR, VPMU_PMCR_LC, BAD_FIXED},
    {"PMCNTEN of counter 6", AT_PMCNTEN, 0x40, BAD_BITS},
    {"PMCNTEN.F0", AT_PMCNTEN + 4, 1, BAD_BITS},
    {"PMINTEN of counter 30", AT_PMINTEN + 3, 0x40, BAD_BITS},
    {"PMOVS of counter 8", AT_PMOVS + 1, 1, BAD_BITS},
    {"PMUSERENR.UEN before PMUv3p9", AT_PMUSERENR, VPMU_USERENR_UEN, BAD_BITS},
    {"PMUACR before PMUv3p9", AT_PMUACR, 1, BAD_BITS},
    {"PMSELR bit 5", AT_PMSELR, 0x20, BAD_BITS},
    {"upper half of PMEVCNTR0", AT_VALUE(0) + 4, 1, BAD_COUNTER},
    {"PMEVTYPER0.NSH without EL2", AT_TYPE(0) + 3, 0x08, BAD_COUNTER},
    {"PMEVTYPER0, upper half", AT_TYPE(0) + 4, 1, BAD_COUNTER},
    {"PMEVCNTR6", AT_VALUE(6), 1, BAD_COUNTER},
    {"PMEVTYPER30", AT_TYPE(30), 1, BAD_COUNTER},
    {"PMCCFILTR.evtCount", AT_TYPE(31), 1, BAD_COUNTER},
    {"PMICNTR", AT_VALUE(32), 1, BAD_COUNTER},
    {"PMICFILTR", AT_TYPE(32) + 3, 0x80, BAD_COUNTER},
    {"a remainder of PMCCNTR, not divided", AT_REMAINDER(31), 1, BAD_VALUE},
    {"a remainder of an event counter", AT_REMAINDER(0), 1, BAD_VALUE},
    {"a remainder of 256", AT_REMAINDER(0) + 1, 1, BAD_VALUE},
    {"a remainder of counter 6", AT_REMAINDER(6), 1, BAD_VALUE},
    {"a remainder of PMICNTR", AT_REMAINDER(32), 1, BAD_VALUE},
    {"after the remainders", AT_ZERO, 1, BAD_VALUE},
    {"a cycle of a counter without a threshold", AT_PACE(0), 1, BAD_VALUE},
    {"a link of one", AT_PACE(1) + 15, 0x80, BAD_VALUE},
    {"a cycle of counter 30", AT_PACE(30), 1, BAD_VALUE},
    {"a condition of counter 5", AT_MET, 0x20, BAD_VALUE},
    {"before the checksum", AT_CRC - 1, 0x80, BAD_VALUE},
};

START_TEST(wrong_content)
{
    struct machine m;
    struct saved good;

    ck_assert_uint_eq(AT_PACE(31), AT_MET);
    start_busy(&m, VPMU_V3P4, VPMU_HAS_NO_AARCH32);
    save(&m, &good);
    for (size_t i = 0; i < COUNT_OF(wrong_content_rows); i++) {
        struct saved bad = good;

        bad.bytes[wrong_content_rows[i].at] ^= wrong_content_rows[i].flip;
        seal(&bad);
        check_refused(&m, &bad, sizeof(bad), wrong_content_rows[i].reason);
    }
    expect("the good one", 0, (uint64_t)machine_state_load(&m, &good, sizeof(good), NULL));
}
END_TEST

/*
 * Remainders that are too large. A cycle has 3 units, counter 0 counts CPU_CYCLES, 1 INST_RETIRED,
 * 2 BUS_CYCLES, 3 SW_INCR; there is no counter 6.
 */
START_TEST(wrong_remainders)
{
    static const struct {
        const char *name;
        uint64_t pmcr;
        unsigned idx;
        unsigned least_wrong;
    } rows[] = {
        {"CPU_CYCLES", 0, 0, 3},
        {"CPU_CYCLES: D is not for it", VPMU_PMCR_D, 0, 3},
        {"INST_RETIRED", 0, 1, 1},
        {"BUS_CYCLES", 0, 2, 3},
        {"SW_INCR", 0, 3, 1},
        {"counter 6", 0, 6, 1},
        {"PMCCNTR", 0, 31, 3},
        {"PMCCNTR, D", VPMU_PMCR_D, 31, 192},
        {"PMCCNTR, D and LC", VPMU_PMCR_D | VPMU_PMCR_LC, 31, 3},
        {"PMICNTR", 0, 32, 1},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_arm_config config = config_units(VPMU_V3P9, 6, 3);
        uint8_t *at;
        struct machine m;
        struct saved s;

        config.features = VPMU_HAS_ICNTR;
        machine_start(&m, &config);
        set(&m, PMEVTYPER(0), VPMU_EVENT_CPU_CYCLES);
        set(&m, PMEVTYPER(1), VPMU_EVENT_INST_RETIRED);
        set(&m, PMEVTYPER(2), EVENT_BUS_CYCLES);
        set(&m, VPMU_PMCR, rows[i].pmcr);
        save(&m, &s);
        at = &s.bytes[AT_REMAINDER(rows[i].idx)];
        at[0] = (uint8_t)rows[i].least_wrong;
        seal(&s);
        check_refused(&m, &s, sizeof(s), BAD_VALUE);
        at[0] = (uint8_t)(rows[i].least_wrong - 1);
        seal(&s);
        expect_in(rows[i].name, "one less", 0,
                  (uint64_t)machine_state_load(&m, &s, sizeof(s), NULL));
        at[1] = 1;
        seal(&s);
        check_refused(&m, &s, sizeof(s), BAD_VALUE);
    }
}
END_TEST

/*
 * A state loads only into a PMU with the same configuration: the same timed sources, and the same
 * units.
 */
START_TEST(other_pmu)
{
    const struct vpmu_arm_config configs[] = {
        config_units(VPMU_V3P5, 6, 1), config_units(VPMU_V3P5, 6, 2), config_units(VPMU_V3P5, 6, 8),
        config_of(VPMU_V3P5, 6, 0),    config_of(VPMU_V3P4, 6, 0),    config_of(VPMU_V3P5, 5, 0),
    };

    for (size_t i = 0; i < COUNT_OF(configs); i++) {
        for (size_t j = 0; j < COUNT_OF(configs); j++) {
            struct machine a;
            struct machine b;
            struct saved s;

            machine_start(&a, &configs[i]);
            machine_start(&b, &configs[j]);
            save(&a, &s);
            if (i != j) {
                check_refused(&b, &s, sizeof(s),
                              configs[i].timed != configs[j].timed ? OTHER_CLOCK : OTHER_PMU);
            } else {
                expect("load", 0, (uint64_t)machine_state_load(&b, &s, sizeof(s), NULL));
            }
        }
    }
}
END_TEST

/* The largest PMU accepts all bits that wrong_content() has refused. */
START_TEST(everything_set)
{
    struct vpmu_arm_config config = config_full();
    struct machine m;
    struct machine other;
    struct saved s;

    machine_start(&m, &config);
    for (unsigned idx = 0; idx < VPMU_COUNTER_COUNT; idx++) {
        counter_start(&m, idx, ALL_ONES, ALL_ONES);
    }
    reg_set(&m, VPMU_PMINTENSET, &at_el3, ALL_ONES);
    reg_set(&m, VPMU_PMOVSSET, &at_el3, ALL_ONES);
    reg_set(&m, VPMU_PMUACR, &at_el3, ALL_ONES);
    reg_set(&m, VPMU_PMUSERENR, &at_el3, ALL_ONES);
    reg_set(&m, VPMU_PMSELR, &at_el3, ALL_ONES);
    reg_set(&m, VPMU_PMCR, &at_el3, ALL_ONES & ~(VPMU_PMCR_P | VPMU_PMCR_C));
    save(&m, &s);
    machine_start(&other, &config);
    expect("load", 0, (uint64_t)machine_state_load(&other, &s, sizeof(s), NULL));
    expect("PMCR", 0x10000fae9, reg_get(&other, VPMU_PMCR, &at_el3));
    expect("PMCNTENSET", 0x1ffffffff, reg_get(&other, VPMU_PMCNTENSET, &at_el3));
    expect("PMUACR", 0x1ffffffff, reg_get(&other, VPMU_PMUACR, &at_el3));
    expect("PMUSERENR", 0x7f, reg_get(&other, VPMU_PMUSERENR, &at_el3));
    expect("PMEVTYPER30", 0xfd70ffff, reg_get(&other, PMEVTYPER(30), &at_el3));
    expect("PMICNTR", ALL_ONES, reg_get(&other, VPMU_PMICNTR, &at_el3));
    expect("PMICFILTR", 0xfd700008, reg_get(&other, VPMU_PMICFILTR, &at_el3));
    expect("line", 1, other.irq);
}
END_TEST

/*
 * A state that an earlier version of the library saved can be loaded, and is saved to the same
 * bytes, except that there may be more sources now.
 */
START_TEST(golden)
{
    static const struct saved earlier = {{
#include "state_golden.inc"
    }};
    struct vpmu_arm_config config = config_full();
    struct machine m;
    struct saved now;

    config.features |= VPMU_HAS_EDGE | VPMU_HAS_TH2;
    config.threshold_width = 12;
    config.timed = CNT_SRC;
    config.cycle_units = 5;
    machine_start(&m, &config);
    machine_control(&m, VPMU_MDCR_EL2_HPME | 31, VPMU_MDCR_EL3_SPME | VPMU_MDCR_EL3_ENPM2);
    expect("load", 0, (uint64_t)machine_state_load(&m, &earlier, sizeof(earlier), NULL));
    save(&m, &now);
    for (unsigned at = AT_TIMED; at < AT_CRC; at++) {
        expect("byte", (uint64_t)at << 8 | earlier.bytes[at], (uint64_t)at << 8 | now.bytes[at]);
    }
}
END_TEST

/* A PMU with more sources loads the state of one with fewer, but not the other way round. */
START_TEST(more_sources)
{
    static const unsigned rows[] = {VPMU_SRC_LD_RETIRED, VPMU_SRC_EXC_SVC, VPMU_SRC_COUNT - 1};

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct vpmu_arm_config config = config_of(VPMU_V3, 4, 0);
        struct machine more;
        struct machine fewer;
        struct saved s;

        machine_start(&more, &config);
        config.sources &= ~VPMU_SRC_BIT(rows[i]);
        machine_start(&fewer, &config);
        save(&fewer, &s);
        expect_in(vpmu_arm_source_name(rows[i]), "load", 0,
                  (uint64_t)machine_state_load(&more, &s, sizeof(s), NULL));
        save(&more, &s);
        check_refused(&fewer, &s, sizeof(s), MORE_SOURCES);
    }
}
END_TEST

Suite *state_suite(void)
{
    const TTest *const tests[] = {
        checksum,         layout,         no_space, round_trip,   remainders,
        wrong_remainders, other_pmu,      line,     wrong_length, flipped_bits,
        wrong_content,    everything_set, golden,   more_sources,
    };

    return suite_of("state", tests, COUNT_OF(tests));
}
