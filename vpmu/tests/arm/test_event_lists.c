/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * Each event that perf names for a CPU type is counted, or the manual lists it as not counted:
 * there is no third way.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"

#define LISTS "vpmu/tests/arm/perf_events.tsv"
#define PAGE "docs/arm-events.md"

#define MAX_PAGE 512

/* The CPU types of the list. */
static const struct {
    const char *name;
    enum vpmu_core core;
} types[] = {
    {"cortex-a35", VPMU_CORE_OTHER},      {"cortex-a53", VPMU_CORE_CORTEX_A53},
    {"cortex-a55", VPMU_CORE_CORTEX_A55}, {"cortex-a57", VPMU_CORE_CORTEX_A57},
    {"cortex-a72", VPMU_CORE_CORTEX_A72}, {"cortex-a76", VPMU_CORE_OTHER},
    {"cortex-a710", VPMU_CORE_OTHER},     {"a64fx", VPMU_CORE_A64FX},
    {"neoverse-n1", VPMU_CORE_OTHER},     {"neoverse-n2", VPMU_CORE_NEOVERSE_N2},
    {"neoverse-v1", VPMU_CORE_OTHER},
};

/* A row of the page: the CPU types as a mask. */
struct page_row {
    unsigned number;
    char name[48];
    uint32_t types;
};

static struct page_row page[MAX_PAGE];
static size_t page_count;

static FILE *open_file(const char *path)
{
    FILE *file = fopen(path, "r");

    ck_assert_msg(file != NULL, "expected to read %s got an error", path);
    return file;
}

/* Names between commas and blanks; exits if one is not a CPU type of the list. */
static uint32_t types_of(char *text)
{
    uint32_t mask = 0;

    for (char *name = strtok(text, ", \n"); name; name = strtok(NULL, ", \n")) {
        size_t i = 0;

        while (i < COUNT_OF(types) && strcmp(types[i].name, name) != 0) {
            i++;
        }
        ck_assert_msg(i < COUNT_OF(types), "expected a CPU type got %s", name);
        mask |= 1u << i;
    }
    return mask;
}

/* "| 0x1a | `MEMORY_ERROR` | cortex-a35, cortex-a55 | why |" */
static void read_page(void)
{
    FILE *file = open_file(PAGE);
    char line[512], list[256], why[256];

    page_count = 0;
    while (fgets(line, sizeof(line), file) && page_count < MAX_PAGE) {
        struct page_row *row = &page[page_count];

        if (sscanf(line, "| 0x%x | `%47[A-Z0-9_]` | %255[a-z0-9, -] | %255[^|]|", &row->number,
                   row->name, list, why) != 4) {
            ck_assert_msg(strncmp(line, "| 0x", 4) != 0, "expected a whole row got %s", line);
            continue;
        }
        ck_assert_msg(page_count == 0 || page[page_count - 1].number <= row->number,
                      "expected rows sorted by number got %s", line);
        row->types = types_of(list);
        page_count++;
    }
    fclose(file);
}

static uint32_t listed_as_not_counted(unsigned number, const char *name)
{
    for (size_t i = 0; i < page_count; i++) {
        if (page[i].number == number && strcmp(page[i].name, name) == 0) {
            return page[i].types;
        }
    }
    return 0;
}

/* The CPU types on which a number is counted, with the meaning that this name has. */
static uint32_t counted_on(unsigned number, const char *name)
{
    const struct vpmu_arm_event *event = vpmu_arm_event_find((uint16_t)number);
    struct vpmu_arm_config config = config_of(VPMU_V3P9, 6, 0);
    uint32_t mask = 0;

    config.samples = true;
    for (size_t i = 0; event && strcmp(event->name, name) == 0 && i < COUNT_OF(types); i++) {
        config.core = (uint8_t)types[i].core;
        mask |= vpmu_arm_event_counted(&config, event) ? 1u << i : 0;
    }
    return mask;
}

START_TEST(no_third_way)
{
    FILE *file;
    char line[512], name[48], list[256];
    unsigned number, rows = 0, missing = 0;

    read_page();
    file = open_file(LISTS);
    while (fgets(line, sizeof(line), file)) {
        uint32_t named, not_counted;

        if (sscanf(line, "%x\t%47s\t%255s", &number, name, list) != 3) {
            continue;
        }
        named = types_of(list);
        not_counted = listed_as_not_counted(number, name);
        expect_in(name, "CPU types that do not count it", named & ~counted_on(number, name),
                  not_counted);
        rows++;
        missing += not_counted != 0;
    }
    fclose(file);
    expect("rows of perf's tables", 358, rows);
    expect("rows of the page that are in perf's tables", page_count, missing);
}
END_TEST

Suite *event_lists_suite(void)
{
    const TTest *const tests[] = {no_third_way};

    return suite_of("event_lists", tests, COUNT_OF(tests));
}
