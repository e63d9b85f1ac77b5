/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads records from the ring of a perf event, like Linux's tools/lib/perf/mmap.c. */
#include "kvm_glue/ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>

void kvm_glue_ring_init(struct kvm_glue_ring *ring, struct perf_event_mmap_page *page,
                        const void *data, uint64_t size)
{
    memset(ring, 0, sizeof(*ring));
    ring->page = page;
    ring->data = data;
    ring->size = size;
    ring->next = page->data_tail;
}

/* Copies from the ring. A record may continue at the start of the ring. */
static void copy(const struct kvm_glue_ring *ring, void *to, size_t len)
{
    uint64_t at = ring->next & (ring->size - 1);
    size_t first = len < ring->size - at ? len : (size_t)(ring->size - at);

    memcpy(to, ring->data + at, first);
    memcpy((uint8_t *)to + first, ring->data, len - first);
}

/*
 * Reads the header of a record. Returns false if @there bytes cannot contain the record. The kernel
 * only writes whole words.
 */
static bool read_head(const struct kvm_glue_ring *ring, uint64_t there,
                      struct perf_event_header *head)
{
    if (there > ring->size) {
        return false;
    }
    copy(ring, head, sizeof(*head));
    return head->size >= sizeof(*head) && head->size % sizeof(uint64_t) == 0 && head->size <= there;
}

int kvm_glue_ring_next(struct kvm_glue_ring *ring, struct kvm_glue_record *record)
{
    uint64_t there = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE) - ring->next;
    struct perf_event_header head;
    size_t len;

    if (there == 0 && !ring->broken) {
        return 0;
    }
    if (ring->broken || !read_head(ring, there, &head)) {
        ring->broken = true;
        return -EPROTO;
    }
    len = head.size < sizeof(ring->record) ? head.size : sizeof(ring->record);
    copy(ring, ring->record, len);
    ring->next += head.size;
    __atomic_store_n(&ring->page->data_tail, ring->next, __ATOMIC_RELEASE);
    *record = (struct kvm_glue_record){
        .type = head.type,
        .misc = head.misc,
        .words = ring->record + 1,
        .n = len / sizeof(uint64_t) - 1,
    };
    return 1;
}
