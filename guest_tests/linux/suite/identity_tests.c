/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the machine says that it has: the PMU's directory in sysfs, and perf's lists. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "event.h"
#include "event_kinds.h"
#include "perf.h"
#include "suite.h"

enum {
    MAX_TEXT = 64,
    MAX_LINE = 256,
    PMMIR_VERSION = PMU_P4,
    THRESHOLD_SHIFT = 5,
    THRESHOLD_FIELD_MAX = 4095
};

/* A file in sysfs and its content. */
struct entry {
    const char *name;
    char text[MAX_TEXT];
};

static void expect_text(const char *what, const char *expected, const char *got)
{
    if (strcmp(expected, got) != 0) {
        test_fail("%s: expected %s got %s", what, expected, got);
    }
}

/* Without its newline; empty if it cannot be read. */
static void read_file(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "re");

    text[0] = '\0';
    if (file != NULL) {
        if (fgets(text, (int)size, file) != NULL) {
            text[strcspn(text, "\n")] = '\0';
        }
        fclose(file);
    }
}

static uint64_t count_files(const char *path)
{
    DIR *directory = opendir(path);
    uint64_t n = 0;

    for (struct dirent *entry = directory != NULL ? readdir(directory) : NULL; entry != NULL;
         entry = readdir(directory)) {
        n += entry->d_name[0] != '.';
    }
    if (directory != NULL) {
        closedir(directory);
    }
    return n;
}

/* A directory of the PMU has these files and no others. */
static void check_directory(const char *name, const struct entry *entries, size_t n)
{
    char path[MAX_LINE], text[MAX_TEXT];

    for (size_t i = 0; i < n; i++) {
        snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/%s/%s", pmu_name(), name,
                 entries[i].name);
        read_file(path, text, sizeof(text));
        expect_text(entries[i].name, entries[i].text, text);
    }
    snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/%s", pmu_name(), name);
    expect_eq(name, n, count_files(path));
}

static void test_format(const struct test *test)
{
    static const struct entry entries[] = {
        {"event", "config:0-15"},
        {"long", "config1:0"},
        {"rdpmc", "config1:1"},
        {"threshold_count", "config1:2"},
        {"threshold_compare", "config1:3-4"},
        {"threshold", "config1:5-16"},
    };

    (void)test;
    check_directory("format", entries, ARRAY_SIZE(entries));
}

static unsigned threshold_max(void)
{
    return (1u << machine.threshold) - 1;
}

/* From PMMIR: what it does not state reads 0, and without PMMIR everything does. */
static void test_caps(const struct test *test)
{
    struct entry entries[] = {
        {"slots", ""},
        {"bus_slots", "0x00000000"},
        {"bus_width", "0x00000000"},
        {"threshold_max", ""},
    };

    (void)test;
    snprintf(entries[0].text, MAX_TEXT, "0x%08x",
             machine.version < PMMIR_VERSION || machine.clock || machine.no_slots ? 0
             : machine.width                                                      ? machine.width
                                                                                  : 1);
    snprintf(entries[3].text, MAX_TEXT, "0x%08x", threshold_max());
    check_directory("caps", entries, ARRAY_SIZE(entries));
}

static void test_cpus(const struct test *test)
{
    char path[MAX_LINE], text[MAX_TEXT], expected[MAX_TEXT] = "0";

    (void)test;
    if (machine.cpus > 1) {
        snprintf(expected, sizeof(expected), "0-%u", machine.cpus - 1);
    }
    snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/cpus", pmu_name());
    read_file(path, text, sizeof(text));
    expect_text("cpus", expected, text);
}

static int open_threshold(uint64_t threshold)
{
    struct perf_event_attr attr = event_user(EVENT_INST_RETIRED);
    int fd;

    attr.config1 = threshold << THRESHOLD_SHIFT;
    fd = event_open(&attr, 0, -1, -1);
    if (fd < 0) {
        return errno;
    }
    close(fd);
    return 0;
}

/* Values up to threshold_max are accepted, and none above. */
static void test_threshold(const struct test *test)
{
    (void)test;
    expect_eq("error of threshold_max", 0, (uint64_t)open_threshold(threshold_max()));
    if (threshold_max() < THRESHOLD_FIELD_MAX) {
        expect_eq("error of threshold_max + 1", EINVAL,
                  (uint64_t)open_threshold(threshold_max() + 1));
        expect_eq("error of 4095", EINVAL, (uint64_t)open_threshold(THRESHOLD_FIELD_MAX));
    }
}

/* perf's own names as it lists them, and the events that the driver has for them. */
static const struct {
    const char *name;
    unsigned number;
} hardware_names[] = {
    {"branch-instructions", 0x21},
    {"branch-misses", 0x10},
    {"bus-cycles", 0x1d},
    {"cache-misses", 0x03},
    {"cache-references", 0x04},
    {"cpu-cycles", 0x11},
    {"instructions", 0x08},
    {"stalled-cycles-backend", 0x24},
    {"stalled-cycles-frontend", 0x23},
    {"L1-dcache-loads", 0x04},
    {"L1-dcache-load-misses", 0x03},
    {"L1-icache-loads", 0x14},
    {"L1-icache-load-misses", 0x01},
    {"LLC-loads", 0x36},
    {"LLC-load-misses", 0x37},
    {"dTLB-loads", 0x25},
    {"dTLB-load-misses", 0x05},
    {"iTLB-loads", 0x26},
    {"iTLB-load-misses", 0x02},
    {"branch-loads", 0x12},
    {"branch-load-misses", 0x10},
};

static bool has_hardware_name(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(hardware_names); i++) {
        if (strcmp(hardware_names[i].name, name) == 0) {
            return pmu_event_find(hardware_names[i].number) != NULL;
        }
    }
    return false;
}

/*
 * "  NAME OR NAME   [Hardware event]", "  NAME OR PMU/NAME/": all are the machine's, and none is
 * missing.
 */
static void test_list_hardware(const struct test *test)
{
    char line[MAX_LINE], name[MAX_TEXT];
    uint64_t expected = 0, found = 0;
    FILE *file;

    (void)test;
    for (size_t i = 0; i < ARRAY_SIZE(hardware_names); i++) {
        expected += pmu_event_find(hardware_names[i].number) != NULL;
    }
    if (!command_run("/tmp/list", 30, "perf list --no-desc hw cache")) {
        return;
    }
    file = fopen("/tmp/list", "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        if (line[0] != ' ' || sscanf(line, " %63s", name) != 1) {
            continue;
        }
        if (!has_hardware_name(name)) {
            test_fail("perf list: expected no %s got one", name);
        }
        found++;
    }
    if (file != NULL) {
        fclose(file);
    }
    expect_eq("names in perf list hw cache", expected, found);
}

/*
 * "Parsing of all PMU events from sysfs", "of given PMU events"; a third test does not apply here.
 */
static void test_perf_test(const struct test *test)
{
    (void)test;
    expect_perf_tests("sysfs", 2);
}

const struct test identity_tests[] = {
    {"identity/format", test_format, NULL, 0, 1, 0},
    {"identity/caps", test_caps, NULL, 0, 1, 0},
    {"identity/cpus", test_cpus, NULL, 0, 1, 0},
    {"identity/threshold", test_threshold, NULL, 0, 1, 1},
    {"identity/perf-test", test_perf_test, NULL, 0, 1, 1},
    {"identity/list-hardware", test_list_hardware, NULL, 0, 1, 1},
};
const size_t identity_tests_count = ARRAY_SIZE(identity_tests);
