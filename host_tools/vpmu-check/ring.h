/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_CHECK_RING_H
#define VPMU_CHECK_RING_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct ring - the records that the kernel writes for one event
 */
struct ring {
    struct perf_event_mmap_page *page;
    uint64_t lost;
    int fd;
};

/** ring_size() - bytes of a ring's mapping */
size_t ring_size(void);

/** ring_open() - Return: 0, or -errno. The event is stopped at first. */
int ring_open(struct ring *ring, struct perf_event_attr *attr);

/**
 * ring_next_sample() - copies the words of the next PERF_RECORD_SAMPLE
 *
 * Return: how many words there are, at most @max; 0 behind the last record.
 */
unsigned ring_next_sample(struct ring *ring, uint64_t *words, unsigned max);

void ring_close(struct ring *ring);

#endif
