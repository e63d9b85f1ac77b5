/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PERFSAMPLE_H
#define VPMU_STATS_PERFSAMPLE_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "base/bytes.h"

/**
 * struct perfsample - a decoded sample
 * @id: id of the event on a CPU, or 0 if it is unknown.
 * @ip: address, or 0.
 * @pid, @tid, @cpu: UINT32_MAX if they are unknown.
 * @time: UINT64_MAX if it is unknown.
 * @period: number of events that the sample stands for.
 * @values: with PERF_SAMPLE_READ, the counts of events; use perfsample_word() to read them.
 * @n_values: number of counts in @values.
 * @stride: words for each count. The first word is the count.
 * @id_word: index of the word that holds the id of the count's event.
 * @chain: the call chain: addresses and context markers, the innermost first.
 * @n_chain: number of entries in @chain.
 * @branches: the branches that were taken last, the newest first: entries of three words, as struct
 *     perf_branch_entry has them.
 * @n_branches: number of entries in @branches.
 * @link: the link register; valid only if @has_link is set.
 * @registers: the program's registers, 8 bytes each, or NULL.
 * @stack: the top of its stack, @stack_size bytes.
 * @weight: the weight, or 0. In files of vpmu-stats record it is a duration in nanoseconds that
 *     ends at @time; if samples have accesses, the latency in cycles.
 * @address: the address of data, or 0.
 * @source: where the data was: union perf_mem_data_src; 0 if it is unknown.
 * @cgroup: number of the cgroup, or 0.
 *
 * The event's sample_type says which fields the sample has.
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
    const unsigned char *branches;
    uint64_t n_branches;
    uint64_t link;
    bool has_link;
    const unsigned char *registers;
    const unsigned char *stack;
    uint64_t stack_size;
    uint64_t weight;
    uint64_t address;
    uint64_t source;
    uint64_t cgroup;
};

/**
 * perfsample_decode() - decode a PERF_RECORD_SAMPLE
 * @body: the record after its header. It must stay valid as long as @s is used.
 *
 * Return: false if the record is shorter than the event's attributes require.
 */
bool perfsample_decode(const struct perf_event_attr *attr, struct bytes body, struct perfsample *s);

/**
 * perfsample_trailer() - decode the trailer of a record that is not a sample (sample_id_all)
 * @s: only id, pid, tid, cpu and time are set. The time is 0 if it is unknown.
 */
void perfsample_trailer(const struct perf_event_attr *attr, struct bytes body,
                        struct perfsample *s);

/** perfsample_word() - read the word at index @i of @values, @chain or @branches */
static inline uint64_t perfsample_word(const unsigned char *words, uint64_t i)
{
    uint64_t word;

    memcpy(&word, words + i * sizeof(word), sizeof(word));
    return word;
}

#endif
