/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_STREAMS_H
#define VPMU_STATS_STREAMS_H

#include <stddef.h>
#include <stdint.h>

#include "vpmu/record.h"

#define STREAMS_MAX 4096u
#define STREAMS_PERIOD 100u

/* Samples as a machine sends them, made up. */
struct made_stream {
    unsigned char bytes[STREAMS_MAX];
    size_t size;
};

/* Adds a record; the test fails if there is no room. */
void streams_add(struct made_stream *m, const void *record, size_t size);

/* What it begins with: @events, each with STREAMS_PERIOD, on @cpus vCPUs; @flags of the machine. */
void streams_begin(struct made_stream *m, unsigned cpus, unsigned events, unsigned flags);

/* A sample of one period; its values count from 1 on. */
void streams_sample(struct made_stream *m, unsigned cpu, unsigned event, unsigned values,
                    unsigned chain);
/* A thread runs from time 500 on; of its name 16 bytes are taken. */
void streams_thread(struct made_stream *m, unsigned cpu, unsigned known, uint32_t tid, uint32_t pid,
                    const char *name);
/* A process of space 77 has a file's code from 0x1000 to 0x3000, that begins at 0x500 there. */
void streams_map(struct made_stream *m, unsigned cpu, uint32_t pid, const char *path,
                 const char *build_id);
/* The vCPU's next sample lasted so long. */
void streams_span(struct made_stream *m, unsigned cpu, uint64_t ns);
void streams_lost(struct made_stream *m, unsigned cpu, unsigned event, uint64_t samples);
/* The host's PMU has counted it, for 60 ns of 90. */
void streams_host(struct made_stream *m, unsigned cpu, unsigned event);
void streams_count(struct made_stream *m, const struct vpmu_record_count *count);
void streams_end(struct made_stream *m);

/* A whole one: two vCPUs and two events, five samples, one of them lost, and what was counted. */
void streams_make(struct made_stream *m);

#endif
