/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "ring.h"

/* An ordinary user may have 516 KiB (kernel.perf_event_mlock_kb), one page of 64 KiB included. */
enum {
    DATA_SIZE = 256 << 10
};

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

size_t ring_size(void)
{
    return page_size() + DATA_SIZE;
}

int ring_open(struct ring *ring, struct perf_event_attr *attr)
{
    ring->lost = 0;
    ring->fd = counter_open(attr, -1);
    if (ring->fd < 0) {
        return ring->fd;
    }
    ring->page = mmap(NULL, ring_size(), PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
    if (ring->page == MAP_FAILED) {
        int error = errno;

        close(ring->fd);
        return -error;
    }
    return 0;
}

/* Copies bytes of the ring, which may continue at its begin. */
static void copy_bytes(const struct ring *ring, uint64_t at, void *to, size_t size)
{
    const char *data = (const char *)ring->page + page_size();
    size_t all = DATA_SIZE, from = (size_t)(at % all);
    size_t first = size < all - from ? size : all - from;

    memcpy(to, data + from, first);
    memcpy((char *)to + first, data, size - first);
}

unsigned ring_next_sample(struct ring *ring, uint64_t *words, unsigned max)
{
    uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = ring->page->data_tail;
    unsigned found = 0;

    while (found == 0 && tail < head) {
        struct perf_event_header header;
        uint64_t lost[2];

        copy_bytes(ring, tail, &header, sizeof(header));
        if (header.type == PERF_RECORD_SAMPLE) {
            found = (unsigned)((header.size - sizeof(header)) / sizeof(*words));
            found = found < max ? found : max;
            copy_bytes(ring, tail + sizeof(header), words, found * sizeof(*words));
        } else if (header.type == PERF_RECORD_LOST) {
            copy_bytes(ring, tail + sizeof(header), lost, sizeof(lost));
            ring->lost += lost[1];
        }
        tail += header.size;
    }
    __atomic_store_n(&ring->page->data_tail, tail, __ATOMIC_RELEASE);
    return found;
}

void ring_close(struct ring *ring)
{
    munmap(ring->page, ring_size());
    close(ring->fd);
}
