/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records: the branches before a sample must be branches of the loop that ran; the data addresses
 * of memory samples must lie in the memory that the loop read.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "pmus.h"
#include "ring.h"
#include "spe.h"

enum {
    PERIOD = 997,
    MAX_WORDS = 2 + 3 * 64
};

static bool is_in_loop(uint64_t address)
{
    return address >= (uintptr_t)loop_calls_begin && address < (uintptr_t)loop_calls_end;
}

static bool is_known(uint64_t from, uint64_t to)
{
    for (size_t i = 0; i < known_branch_count; i++) {
        if (from == (uintptr_t)known_branches[i].from && to == (uintptr_t)known_branches[i].to) {
            return true;
        }
    }
    return false;
}

/* A sample is the number of entries and FROM, TO and flags of each. */
static void count_branches(struct ring *ring, uint64_t *good, uint64_t *all)
{
    uint64_t words[MAX_WORDS];
    unsigned got;

    while ((got = ring_next_sample(ring, words, MAX_WORDS)) > 0) {
        for (unsigned i = 0; i < words[0] && 3 * i + 3 < got; i++) {
            uint64_t from = words[1 + 3 * i], to = words[2 + 3 * i];

            if (is_in_loop(from) && is_in_loop(to)) {
                ++*all;
                *good += is_known(from, to);
            }
        }
    }
}

static void check_branches(const struct check *check)
{
    struct finding *f = finding_add("records", "branch records");
    struct perf_event_attr attr =
        counter_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0);
    uint64_t good = 0, all = 0;
    struct reading r;
    struct ring ring;
    int error;

    attr.sample_period = PERIOD;
    attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
    attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
    error = ring_open(&ring, &attr);
    if (error < 0) {
        finding_refused(f, -error);
        return;
    }
    counter_start(ring.fd);
    loops[LOOP_CALLS].run(check->turns, check->arena.lines);
    counter_stop(ring.fd);
    count_branches(&ring, &good, &all);
    r = counter_read(ring.fd);
    ring_close(&ring);
    if (all == 0 && finding_is_busy(f, r)) {
        return;
    }
    finding_count(f, good, all);
    finding_is(f,
               all == 0      ? ZERO
               : good == all ? EXACT
                             : OFF,
               "records that are branches of the program");
}

static bool memory_event(struct perf_event_attr *attr)
{
    const struct pmu *pmu = pmus_current();
    uint64_t config = 0, config1 = 0;

    if (pmu == NULL || strncmp(pmu->name, "cpu", 3) != 0 ||
        !pmus_field(pmu->name, "event", 0xcd, &config, &config1) ||
        !pmus_field(pmu->name, "umask", 0x01, &config, &config1) ||
        !pmus_field(pmu->name, "ldlat", 3, &config, &config1)) {
        return false;
    }
    *attr = counter_attr(pmu->type, config, 0);
    attr->config1 = config1;
    attr->precise_ip = 2;
    attr->sample_period = 97;
    attr->sample_type = PERF_SAMPLE_ADDR;
    return true;
}

static void check_memory(const struct check *check)
{
    struct finding *f;
    uint64_t good = 0, all = 0, address, low = (uintptr_t)check->arena.large;
    struct perf_event_attr attr;
    struct reading r;
    struct ring ring;
    int error;

    if (check_spe(check)) {
        return;
    }
    f = finding_add("records", "memory samples");
    if (!memory_event(&attr)) {
        return;
    }
    error = ring_open(&ring, &attr);
    if (error < 0) {
        finding_refused(f, -error);
        return;
    }
    counter_start(ring.fd);
    loops[LOOP_CHASE].run(check->turns, check->arena.large);
    counter_stop(ring.fd);
    while (ring_next_sample(&ring, &address, 1) > 0) {
        all++;
        good += address >= low && address < low + check->arena.large_size;
    }
    r = counter_read(ring.fd);
    ring_close(&ring);
    if (all == 0 && finding_is_busy(f, r)) {
        return;
    }
    finding_count(f, good, all);
    finding_is(f,
               all == 0                 ? ZERO
               : good == all            ? EXACT
               : good + all / 50 >= all ? IN_RANGE
                                        : OFF,
               "samples with an address in the program's memory");
}

void check_records(const struct check *check)
{
    check_branches(check);
    check_memory(check);
}
