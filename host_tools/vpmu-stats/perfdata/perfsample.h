/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PERFSAMPLE_H
#define VPMU_STATS_PERFSAMPLE_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "base/bytes.h"

/**
 * struct perfsample - what a sample says, as far as its event's sample_type has it
 * @id: of the event on a CPU; 0 if it does not say it.
 * @pid, @tid, @cpu: UINT32_MAX if it does not.
 * @time: UINT64_MAX if it does not.
 * @period: how many events it stands for.
 * @values: with PERF_SAMPLE_READ: @n_values of them, each of @stride words, the count first, and
 * the id of its event at @id_word.
 * @chain: @n_chain addresses and markers of what these are, the innermost first.
 * @link: the link register, with @has_link.
 * @weight: 0 if it does not say it; of vpmu-stats record, nanoseconds up to @time.
 * @cgroup: its number, 0 if it does not say it.
 */
struct perfsample {
    uint64_t id;
    uint64_t ip;
    uint32_t pid;
    uint32_t tid;
    uint32_t cpu;
    uint64_t time;
    uint64_t period;
    const unsigned char *values;
    uint64_t n_values;
    unsigned stride;
    unsigned id_word;
    const unsigned char *chain;
    uint64_t n_chain;
    uint64_t link;
    bool has_link;
    uint64_t weight;
    uint64_t cgroup;
};

/**
 * perfsample_decode() - takes a PERF_RECORD_SAMPLE apart
 * @body: what is behind its head; it lives as long as @s is used.
 *
 * Return: false if it is shorter than its event says.
 */
bool perfsample_decode(const struct perf_event_attr *attr, struct bytes body, struct perfsample *s);

/**
 * perfsample_trailer() - whose and of when a record is that is no sample (sample_id_all)
 * @s: only id, pid, tid, cpu and time are set; time to 0 if it does not say it.
 */
void perfsample_trailer(const struct perf_event_attr *attr, struct bytes body,
                        struct perfsample *s);

/** perfsample_word() - the word at @i of @values or @chain */
static inline uint64_t perfsample_word(const unsigned char *words, uint64_t i)
{
    uint64_t word;

    memcpy(&word, words + i * sizeof(word), sizeof(word));
    return word;
}

#endif
