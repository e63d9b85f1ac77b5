/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_NAIVE_X86_H
#define VPMU_TESTS_NAIVE_X86_H

#include <stddef.h>

#include "vpmu/x86/msr.h"
#include "vpmu/x86/pmu.h"

/* A configuration, its fields in the order that rows of tests have them in. */
#define CONFIG(vendor_, version_, counters_, fixed_, width_, features_, units_, sources_, timed_,  \
               pebs_, family_)                                                                     \
    {                                                                                              \
        .vendor = (vendor_), .version = (version_), .counters = (counters_), .fixed = (fixed_),    \
        .width = (width_), .features = (features_), .cycle_units = (units_),                       \
        .sources = (sources_), .timed = (timed_), .pebs = (pebs_), .family = (family_)             \
    }

/*
 * A second implementation of the x86 PMU, by MSR and event by event, from the manuals' text. It
 * shares only the interface's names with the library.
 */
struct naive {
    struct vpmu_x86_config config;
    struct vpmu_x86_controls controls;
    unsigned ctx;
    uint64_t select[16];
    uint64_t general[16];
    uint64_t fixed[4];
    uint64_t fixed_ctrl;
    uint64_t used[5]; /* slots by use: retiring, bad, frontend, backend, of these memory */
    uint64_t global_ctrl;
    uint64_t global_status;
    uint64_t pebs_enable;
    uint64_t ds_area;
    uint64_t load_latency;
    uint64_t data_cfg;
    uint64_t due;  /* overflows whose PEBS records are not written yet, fixed counters from 16 */
    uint64_t slow; /* counters, fixed ones from 32, written as a lockup detector writes them */
    const uint64_t *written;
    bool met[16]; /* the condition was true in the previous cycle */
    uint64_t pmis;
};

void naive_start(struct naive *n, const struct vpmu_x86_config *config);
void naive_reset(struct naive *n);

/* How often each source happens at one moment or in one cycle. */
void naive_happen(struct naive *n, const uint64_t did[VPMU_X86_SRC_COUNT]);

/*
 * Writes a PEBS record for some counters, which continue from RELOAD. If FULL, the record is the
 * last that fits. Fixed counters are 16 and up.
 */
void naive_recorded(struct naive *n, uint64_t counters, const uint64_t *reload, bool full);

/* Call this after the context or the controls have changed. */
void naive_moved(struct naive *n);

/* What can change the meaning of a number: CMASK, INV, EDGE and ANY. */
#define NAIVE_CONDITIONS 0xffa40000ull

/*
 * One line of perf's lists: what some families call a number. It includes NAIVE_CONDITIONS, and is
 * 0 if the event needs a second MSR.
 */
struct naive_listed {
    uint64_t select;
    uint32_t families;
    char name[96];
};

const struct naive_listed *naive_lists(size_t *n);

/* perf's name of a family of CPU models. */
const char *naive_family(unsigned family);

/* What an event number is the sum of; 0 if nothing of it is counted. */
vpmu_sources naive_event(const struct vpmu_x86_config *config, uint64_t select);

/* Tells whether the library's table has a number of perf's lists, and can judge its conditions. */
bool x86_is_counted(unsigned family, uint64_t number);

enum vpmu_x86_access naive_rdmsr(const struct naive *n, uint32_t msr, uint64_t *val);
enum vpmu_x86_access naive_wrmsr(struct naive *n, uint32_t msr, uint64_t val);
enum vpmu_x86_access naive_rdpmc(const struct naive *n, uint32_t ecx, uint64_t *val);

#endif
