/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PERFFILE_H
#define VPMU_STATS_PERFFILE_H

#include <linux/perf_event.h>

/*
 * Parts of perf's file format that are not in the kernel's headers. Source:
 * tools/perf/Documentation/perf.data-file-format.txt of Linux.
 */

#define PERFFILE_MAGIC "PERFILE2"
#define PERFFILE_PIPE_HEADER_SIZE 16

struct perffile_section {
    __u64 offset;
    __u64 size;
};

struct perffile_header {
    char magic[8];
    __u64 size;
    __u64 attr_size;
    struct perffile_section attrs;
    struct perffile_section data;
    struct perffile_section event_types;
    __u64 features[4];
};

_Static_assert(sizeof(struct perffile_header) == 104, "struct perf_file_header");

/* Records that perf itself defines. */
enum {
    PERFFILE_RECORD_ATTR = 64,
    PERFFILE_RECORD_EVENT_TYPE = 65, /* not written by perf since 2013; every reader ignores it */
    PERFFILE_RECORD_TRACING_DATA = 66,
    PERFFILE_RECORD_BUILD_ID = 67,
    PERFFILE_RECORD_FINISHED_ROUND = 68,
    PERFFILE_RECORD_AUXTRACE = 71,
    PERFFILE_RECORD_EVENT_UPDATE = 78,
    PERFFILE_RECORD_FEATURE = 80,
    PERFFILE_RECORD_COMPRESSED = 81,
    PERFFILE_RECORD_COMPRESSED2 = 83,
};

/*
 * Magic at the start of a PERFFILE_RECORD_EVENT_TYPE that vpmu-stats writes at the end of a pipe,
 * because perf has no record for symbols there. Functions of the kernel follow, as
 * filesymbols_read() expects.
 */
#define PERFFILE_SYMBOLS "vpmusyms"

/* Type of an EVENT_UPDATE record that changes the event's name. */
#define PERFFILE_UPDATE_NAME 2

enum {
    PERFFILE_FEATURE_BUILD_ID = 2,
    PERFFILE_FEATURE_HOSTNAME = 3,
    PERFFILE_FEATURE_OSRELEASE = 4,
    PERFFILE_FEATURE_VERSION = 5,
    PERFFILE_FEATURE_ARCH = 6,
    PERFFILE_FEATURE_NRCPUS = 7,
    PERFFILE_FEATURE_CPUDESC = 8,
    PERFFILE_FEATURE_CMDLINE = 11,
    PERFFILE_FEATURE_EVENT_DESC = 12,
    PERFFILE_FEATURE_NUMA_TOPOLOGY = 14,
    PERFFILE_FEATURE_BRANCH_STACK = 15,
    PERFFILE_FEATURE_GROUP_DESC = 17,
    PERFFILE_FEATURE_SAMPLE_TIME = 21,
};

/* Mask of PERF_REG_ARM64_LR. <asm/perf_regs.h> defines that register on Arm only. */
#define PERFFILE_REGISTER_LINK (1ull << 30)

#endif
