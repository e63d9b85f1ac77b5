/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The table of events, and PMCEID, which follows from it. */
#include <stdio.h>
#include <string.h>

#include "fixture.h"

/* Numbers and names from Arm ARM D14.12. */
START_TEST(rows)
{
    static const struct {
        uint16_t number;
        const char *name;
        enum vpmu_source source;
    } want[] = {
        {0x0000, "SW_INCR", VPMU_SRC_NONE},
        {0x0008, "INST_RETIRED", VPMU_SRC_INST_RETIRED},
        {0x0011, "CPU_CYCLES", VPMU_SRC_CPU_CYCLES},
        {0x001e, "CHAIN", VPMU_SRC_NONE},
    };

    for (size_t i = 0; i < COUNT_OF(want); i++) {
        const struct vpmu_event *event = vpmu_event_find(want[i].number);

        ck_assert_msg(event != NULL, "expected event %#x got none", want[i].number);
        ck_assert_str_eq(event->name, want[i].name);
        expect_in(want[i].name, "source", want[i].source, event->source);
    }
}
END_TEST

/*
 * Each row can be found by its number, and says what it is and where that is defined; rows are
 * sorted, so none is twice.
 */
START_TEST(table)
{
    for (size_t i = 0; i < vpmu_events_count; i++) {
        const struct vpmu_event *event = &vpmu_events[i];
        char section[40];

        snprintf(section, sizeof(section), "Arm ARM D14.12, 0x%04X", event->number);
        ck_assert_str_eq(event->section, section);
        ck_assert_msg(vpmu_event_find(event->number) == event, "expected %s got another row",
                      event->name);
        ck_assert_msg(event->definition && strlen(event->definition) > 0,
                      "expected a definition of %s got none", event->name);
        ck_assert_msg(event->source <= VPMU_SRC_NONE, "expected a source of %s got %d", event->name,
                      event->source);
        ck_assert_msg(i == 0 || vpmu_events[i - 1].number < event->number,
                      "expected sorted rows got %s out of order", event->name);
    }
}
END_TEST

START_TEST(unknown)
{
    static const uint16_t numbers[] = {0x0001, 0x0007, 0x0009, 0x001f, 0x0040, 0x4000, 0xffff};

    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        ck_assert_msg(vpmu_event_find(numbers[i]) == NULL, "expected no event %#x got one",
                      numbers[i]);
    }
}
END_TEST

/*
 * PMCEID0 has a bit for each common event from 0 to 31: here 0, 8, 17 and 30, INST_RETIRED only if
 * the machine counts it. PMCEID1, events 32 to 63, has none.
 */
START_TEST(pmceid)
{
    static const struct {
        const char *name;
        enum vpmu_version version;
        uint32_t sources;
        uint64_t pmceid0;
    } config_rows[] = {
        {"v3, all", VPMU_V3, 3, 0x40020101},
        {"v3p9, all", VPMU_V3P9, 3, 0x40020101},
        {"no instructions", VPMU_V3P5, 1u << VPMU_SRC_CPU_CYCLES, 0x40020001},
    };

    for (size_t i = 0; i < COUNT_OF(config_rows); i++) {
        struct vpmu_config config = config_of(config_rows[i].version, 6, 0);
        struct machine m;

        config.sources = config_rows[i].sources;
        machine_start(&m, &config);
        expect_in(config_rows[i].name, "PMCEID0_EL0", config_rows[i].pmceid0,
                  get(&m, VPMU_PMCEID0));
        expect_in(config_rows[i].name, "PMCEID1_EL0", 0, get(&m, VPMU_PMCEID1));
        expect_in(config_rows[i].name, "PMCEID0", config_rows[i].pmceid0,
                  reg_get(&m, VPMU_PMCEID0, &at_el1_32));
    }
}
END_TEST

Suite *events_suite(void)
{
    const TTest *const tests[] = {rows, table, unknown, pmceid};

    return suite_of("events", tests, COUNT_OF(tests));
}
