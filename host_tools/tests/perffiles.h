/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PERFFILES_H
#define VPMU_STATS_PERFFILES_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PERFFILES_MAX 4096u

/* What "vpmu-stats record" has in its samples. */
#define PERFFILES_TYPE                                                                             \
    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |                \
     PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CGROUP)

/* A file of perf's, made up: of the events "event-a" and "event-b", with ids 1 and 2. */
struct made_file {
    unsigned char bytes[PERFFILES_MAX];
    size_t size;
    size_t data;
    bool pipe;
    uint64_t type;
};

struct made_sample {
    unsigned mode;
    uint64_t id;
    uint64_t ip;
    uint32_t tid;
    uint64_t time;
    uint32_t cpu;
    uint64_t period;
    uint64_t cgroup;
    uint64_t values[2]; /* of both events, with PERF_SAMPLE_READ */
    const uint64_t *chain;
    size_t n_chain;
};

/* Adds bytes; the test fails if there is no room. */
void perffiles_add(struct made_file *m, const void *data, size_t size);

/* What it begins with: @type is of samples, of both events. */
void perffiles_begin(struct made_file *m, bool pipe, uint64_t type);
void perffiles_record(struct made_file *m, uint32_t type, unsigned misc, const void *body,
                      size_t size);
void perffiles_comm(struct made_file *m, uint32_t tid, uint64_t time, const char *name);
void perffiles_fork(struct made_file *m, uint32_t tid, uint64_t time, uint32_t parent);
void perffiles_world(struct made_file *m, uint64_t number, const char *path);
/* Where _text is. */
void perffiles_kernel(struct made_file *m, uint64_t text);
void perffiles_lost(struct made_file *m, uint64_t id, uint64_t n);
void perffiles_sample(struct made_file *m, const struct made_sample *s);
/* What it ends with: names of events. */
void perffiles_end(struct made_file *m);

/* Puts it in a file. Returns its path, which lives until the next call. */
const char *perffiles_save(const struct made_file *m);

#endif
