/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/*
 * The page of the manual that lists perf's metrics that are not right is written from the table of
 * events and from perf's metrics, and compared with the one in docs.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "naive_x86.h"
#include "vpmu/x86/events.h"

#define LISTS "vpmu/tests/x86/x86_metrics.tsv"
#define PAGE "docs/x86-metrics.md"
#define WRITTEN "build/x86-metrics.md"
#define SHOWN 3

/* Numbers of Linux's driver for fixed counters and PERF_METRICS. */
#define REF_CYCLES 0x300u
#define SLOTS 0x400u
#define METRICS 0x8000u

static bool is_icelake_or_later(unsigned family)
{
    return family >= VPMU_X86_ICELAKEX && family <= VPMU_X86_GRANITERAPIDS;
}

static bool is_counted(unsigned family, uint64_t number)
{
    if (family < VPMU_X86_ZEN1 && number == REF_CYCLES) {
        return true;
    }
    if (is_icelake_or_later(family) && (number == SLOTS || (number & ~0x700ull) == METRICS)) {
        return number < METRICS + 0x400 || family > VPMU_X86_ICELAKEX;
    }
    return x86_is_counted(family, number);
}

static unsigned family_of(const char *name)
{
    unsigned family = 1;

    while (family < VPMU_X86_FAMILY_COUNT && strcmp(naive_family(family), name) != 0) {
        family++;
    }
    ck_assert_msg(family < VPMU_X86_FAMILY_COUNT, "expected a family got %s", name);
    return family;
}

/* Writes the events that a family lacks, up to SHOWN of them. Returns whether there is one. */
static bool find_missing(char *text, size_t size, unsigned family, const char *events)
{
    char copy[4096];
    char *rest = NULL;
    unsigned missing = 0;

    snprintf(copy, sizeof(copy), "%s", events);
    text[0] = '\0';
    for (char *event = strtok_r(copy, " \n", &rest); event; event = strtok_r(NULL, " \n", &rest)) {
        char *name = strchr(event, ':');
        size_t at = strlen(text);

        if (is_counted(family, strtoull(event, NULL, 16))) {
            continue;
        }
        if (missing++ < SHOWN) {
            snprintf(text + at, size - at, "%s`%s`", at ? ", " : "", name + 1);
        }
    }
    if (missing > SHOWN) {
        snprintf(text + strlen(text), size - strlen(text), " and %u more", missing - SHOWN);
    }
    return missing;
}

static unsigned right[VPMU_X86_FAMILY_COUNT], all[VPMU_X86_FAMILY_COUNT];

/* One metric: a row for all families that lack the same events. */
static void write_metric(FILE *page, const char *name, char *families, const char *events)
{
    char missing[1024], before[1024] = "";
    char *rest = NULL;

    for (char *word = strtok_r(families, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        unsigned family = family_of(word);
        bool lacks = find_missing(missing, sizeof(missing), family, events);

        all[family]++;
        right[family] += !lacks;
        if (strcmp(before, missing) != 0 && before[0]) {
            fprintf(page, " | %s |\n", before);
        }
        if (lacks) {
            fprintf(page, strcmp(before, missing) == 0 ? ", %s" : "| `%s` | %s",
                    strcmp(before, missing) == 0 ? word : name, word);
        }
        strcpy(before, missing);
    }
    if (before[0]) {
        fprintf(page, " | %s |\n", before);
    }
}

static void write_metrics(FILE *page)
{
    char line[8192];
    FILE *lists = fopen(LISTS, "r");

    ck_assert_ptr_nonnull(lists);
    while (fgets(line, sizeof(line), lists)) {
        char *families = strchr(line, '\t');
        char *events = families ? strchr(families + 1, '\t') : NULL;

        if (line[0] != '#' && events) {
            *families++ = *events++ = '\0';
            write_metric(page, line, families, events);
        }
    }
    fclose(lists);
}

static void write_page(FILE *page)
{
    fputs(
        "<!-- SPDX-License-Identifier: GPL-2.0-or-later -->\n"
        "# perf's metrics on x86\n\n"
        "`perf stat -M` computes metrics from events. A metric is right if vpmu counts all of "
        "its events.\n"
        "This page lists the metrics of perf 6.1, 6.12 and 7.3 that are not right. They need an "
        "event that\n"
        "vpmu does not count, an event of another PMU, an event that needs a second MSR, or "
        "latencies of\n"
        "PEBS (`:R`). Such an event is 0 or `<not supported>`. CPU models have the names of perf's "
        "lists;\n"
        "[x86.md](x86.md#what-is-counted) says which models of QEMU these are.\n\n"
        "`make check-unit` compares this page with the table of events.\n\n"
        "| metric | not right on | because of |\n| --- | --- | --- |\n",
        page);
    write_metrics(page);
    fputs("\n| model | right | of |\n| --- | --- | --- |\n", page);
    for (unsigned family = 1; family < VPMU_X86_FAMILY_COUNT; family++) {
        if (all[family]) {
            fprintf(page, "| %s | %u | %u |\n", naive_family(family), right[family], all[family]);
        }
    }
}

START_TEST(listed_in_docs)
{
    expect_page(PAGE, WRITTEN, write_page);
}
END_TEST

Suite *x86_lists_suite(void)
{
    const TTest *const tests[] = {listed_in_docs};

    return suite_of("x86_lists", tests, COUNT_OF(tests));
}
