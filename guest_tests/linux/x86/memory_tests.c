/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory samples by PEBS: perf's events mem-loads and mem-stores, and perf mem. The program
 * "levels" says where the data of each of its loops is; RDX has the address.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "memory/memory.h"
#include "suite.h"
#include "x86.h"

#define DATA "/tmp/perf.data"
#define SCRIPT "/tmp/script"

enum {
    PERIOD = 97,
    MEMORY_TIMEOUT = 300,
    PAGE = 4096,
    LINE = 64,
    /* The loads or stores of a loop, or of a pass of it. */
    LARGE = (4 << 20) / LINE,
    MIDDLE = (1 << 20) / LINE,
    SMALL = (64 << 10) / LINE,
    WORDS = 1024,
    /* Latencies of the TLBs: docs/memory-samples.md. */
    SECOND_TLB = 4,
    WALK = 30,
    /* The program may be interrupted in a loop, which flushes TLBs. */
    FLUSHES = 4
};

const char memory_taken[] = "Load Local HITM";

/* Linux uses PEBS without further modules. */
bool memory_prepare(void)
{
    return true;
}

/* Linux cannot exclude the kernel from samples of IBS. */
bool memory_by_ibs(void)
{
    return x86_is_model("EPYC");
}

/* A loop of the program: what its samples say. */
struct place {
    const char *name;
    const char *level; /* as perf writes it */
    unsigned latency;  /* without that of a translation; 0: not known */
    uint64_t accesses; /* of a pass */
    bool once;         /* there is one pass, not N */
};

static const struct place loads[] = {
    {"cold", "RAM hit", 151, LARGE, true},   {"beyond_l3", "RAM hit", 151, LARGE, true},
    {"warm_l3", NULL, 0, MIDDLE, true},      {"beyond_l2", "L3 hit", 41, MIDDLE, false},
    {"warm_l2", NULL, 0, SMALL, true},       {"beyond_l1", "L2 hit", 13, SMALL, false},
    {"warm_l1", NULL, 0, 1, true},           {"hot", "L1 hit", 5, WORDS, false},
    {"lock_hot", "L1 hit", 5, WORDS, false},
};

static const struct place stores[] = {
    {"store_beyond_l1", "L1 miss", 0, SMALL, false},
    {"store_cold", NULL, 0, 1, true},
    {"store_hot", "L1 hit", 0, WORDS, false},
    {"lock_hot", "L1 hit", 0, WORDS, false},
};

/* SapphireRapids samples stores as it does loads. */
static const struct place sampled_stores[] = {
    {"store_beyond_l1", "L2 hit", 13, SMALL, false},
    {"store_cold", NULL, 0, 1, true},
    {"store_hot", "L1 hit", 5, WORDS, false},
    {"lock_hot", "L1 hit", 5, WORDS, false},
};

/* The sums over the samples of a place. */
struct sums {
    uint64_t samples;
    uint64_t other_level;
    uint64_t translated; /* with the latency of the second TLB or of a walk */
};

static const struct place *place_of(const struct place *places, size_t n, const char *line)
{
    for (size_t i = 0; i < n; i++) {
        char text[64];

        snprintf(text, sizeof(text), " %s+0x", places[i].name);
        if (strstr(line, text) != NULL) {
            return &places[i];
        }
    }
    return NULL;
}

/* The number behind a text in a line. */
static uint64_t number_behind(const char *line, const char *text)
{
    const char *at = strstr(line, text);
    uint64_t number = UINT64_MAX;

    if (at != NULL) {
        sscanf(at + strlen(text), "%" SCNx64, &number);
    }
    return number;
}

/* Checks a line of perf script: the data address, where it was, the latency, and registers. */
static void check_sample(const char *line, const struct place *place, struct sums *sums)
{
    bool locks = strcmp(place->name, "lock_hot") == 0;
    uint64_t address, more;
    const char *behind = strstr(line, "|BLK ");
    unsigned latency;

    if (sscanf(line, " %" SCNx64, &address) != 1 || behind == NULL ||
        sscanf(behind, "|BLK %*s %u", &latency) != 1) {
        test_fail("there is no address and latency in: %s", line);
        return;
    }
    if (address != number_behind(line, "DX:")) {
        test_fail("the data address is not RDX: %s", line);
    }
    if (locks != (strstr(line, "LCK Yes") != NULL) && strstr(line, "LCK N/A") == NULL) {
        test_fail("the lock is wrong: %s", line);
    }
    sums->samples++;
    if (place->level == NULL) {
        return;
    }
    sums->other_level += strstr(line, place->level) == NULL;
    more = latency - place->latency;
    if (place->latency == 0 || more == 0) {
        return;
    }
    sums->translated++;
    if (more != SECOND_TLB && more != WALK) {
        test_fail("the latency is %u, expected %u: %s", latency, place->latency, line);
    }
    if (address % PAGE != 0 && sums->translated > FLUSHES) {
        test_fail("a line that is not the first of its page needs a walk: %s", line);
    }
}

/* Reads the samples; places have as many as their accesses make, and no other place has any. */
static void check_samples(const struct place *places, size_t n, uint64_t passes, unsigned above)
{
    struct sums sums[ARRAY_SIZE(loads)] = {{0, 0, 0}};
    char line[512];
    FILE *file = fopen(SCRIPT, "re");

    while (file != NULL && fgets(line, sizeof(line), file) != NULL && !test_failed()) {
        const struct place *place = place_of(places, n, line);

        if (place != NULL) {
            check_sample(line, place, &sums[place - places]);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    for (size_t i = 0; i < n && !test_failed(); i++) {
        const struct place *p = &places[i];
        uint64_t known = p->accesses * (p->once ? 1 : passes) / PERIOD;
        uint64_t least = known > 1 ? known - 1 : 0;

        if (p->level != NULL && p->latency != 0 && p->latency <= above) {
            expect_between(p->name, 0, FLUSHES, sums[i].samples);
        } else if (p->level != NULL) {
            expect_between(p->name, least, known + 1, sums[i].samples);
            expect_between("of another level", 0, FLUSHES, sums[i].other_level);
        }
    }
}

static bool is_sapphire_rapids(void)
{
    return x86_is_model("SapphireRapids");
}

/* Linux refuses loads of SapphireRapids without an event before them, which never happens. */
static bool record(const char *event, const struct test *test)
{
    bool aux = is_sapphire_rapids() && strstr(event, "mem-loads") != NULL;
    char line[300];

    snprintf(line, sizeof(line),
             "perf record -q -N -B --per-thread -d -W --intr-regs=dx -o " DATA
             " -e %scpu/%s/uP%s -c %d -- " PROGRAMS "%s %" PRIu64,
             aux ? "{cpu/mem-loads-aux/u," : "", event, aux ? "}" : "", PERIOD, test->program,
             test->n);
    return command_run(NULL, MEMORY_TIMEOUT, line) &&
           command_run(SCRIPT, MEMORY_TIMEOUT,
                       "perf script -i " DATA " -F addr,weight,ip,sym,symoff,data_src,iregs");
}

/* All loads, and those above 30 cycles. */
static void test_loads(const struct test *test)
{
    if (record("mem-loads,ldlat=3", test)) {
        check_samples(loads, ARRAY_SIZE(loads), test->n, 3);
    }
    if (!test_failed() && record("mem-loads,ldlat=30", test)) {
        check_samples(loads, ARRAY_SIZE(loads), test->n, 30);
    }
}

static void test_stores(const struct test *test)
{
    if (record("mem-stores", test)) {
        check_samples(is_sapphire_rapids() ? sampled_stores : stores, ARRAY_SIZE(stores), test->n,
                      0);
    }
}

/*
 * perf mem: loads above 30 cycles, its default, and stores. Nehalem has no event of stores, so perf
 * refuses them. Ivy Bridge counts both with counter 3 only, so they take turns, and which has it
 * while a short loop runs is chance. On SapphireRapids, perf has the event before the loads as
 * precise as possible, for which Linux has counter 0 only, as for stores. The period is fixed: with
 * perf's default, a frequency, the host's clock decides whether such a loop has a sample. perf's
 * buffer must hold all samples: with one CPU perf may not run before the program ends.
 */
static void test_mem(const struct test *test)
{
    static const char *const rows[] = {"RAM hit", "L3 hit", "cold", "beyond_l2", "L1 hit"};
    bool only_loads = x86_is_model("Nehalem") || x86_is_model("Ivy Bridge") || is_sapphire_rapids();
    size_t n = ARRAY_SIZE(rows) - only_loads;
    char line[256];
    unsigned found[ARRAY_SIZE(rows)] = {0};
    FILE *file;

    snprintf(line, sizeof(line),
             "perf mem %s record -q -c %d -o " DATA " -- " PROGRAMS "%s %" PRIu64,
             only_loads ? "-t load" : "", 10 * PERIOD, test->program, test->n);
    if (!command_run(NULL, MEMORY_TIMEOUT, line) ||
        !command_run(SCRIPT, MEMORY_TIMEOUT,
                     "perf mem report -q -i " DATA " --stdio --sort=mem,symbol")) {
        return;
    }
    file = fopen(SCRIPT, "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        for (size_t i = 0; i < n; i++) {
            found[i] += strstr(line, rows[i]) != NULL;
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    for (size_t i = 0; i < n; i++) {
        expect_between(rows[i], 1, UINT32_MAX, found[i]);
    }
}

const struct test memory_tests[] = {
    {"memory/loads", test_loads, "levels", 8, 1, 1},
    {"memory/stores", test_stores, "levels", 8, 1, 1},
    {"memory/mem", test_mem, "levels", 8, 1, 1},
};
const size_t memory_tests_count = ARRAY_SIZE(memory_tests);
