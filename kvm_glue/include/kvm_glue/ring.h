/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_RING_H
#define KVM_GLUE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The ring of a perf event, from which records are read while the kernel writes more. Nothing that
 * is in it is believed: what cannot be is refused, and nothing is read beyond it.
 */

/* Of a longer record only the beginning is seen. */
#define KVM_GLUE_RING_RECORD 1024u

struct perf_event_mmap_page;

/**
 * struct kvm_glue_ring - a ring that is read
 *
 * Private; the caller owns the memory, and the mapping.
 */
struct kvm_glue_ring {
    struct perf_event_mmap_page *page;
    const uint8_t *data;
    uint64_t size;
    uint64_t next; /* where the record behind the last one begins */
    bool broken;
    uint64_t record[KVM_GLUE_RING_RECORD / sizeof(uint64_t)];
};

/**
 * struct kvm_glue_record - a record of perf's
 * @type: PERF_RECORD_*.
 * @misc: PERF_RECORD_MISC_*.
 * @words: what follows its header, at least @n of uint64_t; valid until the next call.
 */
struct kvm_glue_record {
    uint32_t type;
    uint16_t misc;
    const uint64_t *words;
    size_t n;
};

/**
 * kvm_glue_ring_init() - begin to read
 * @ring: is filled in.
 * @page: the mapping: a page that describes it, and the ring behind.
 * @data: where the ring begins.
 * @size: its length in bytes, a power of two.
 */
void kvm_glue_ring_init(struct kvm_glue_ring *ring, struct perf_event_mmap_page *page,
                        const void *data, uint64_t size);

/**
 * kvm_glue_ring_next() - take the next record out of the ring
 * @ring: the ring. The kernel may use the record's room again once this has returned.
 * @record: is filled in if there is one.
 *
 * Called by one thread at a time; by any.
 *
 * Return: 1; 0 if there is none now; -EPROTO if what is there is no record, after which it is that
 * for good.
 */
int kvm_glue_ring_next(struct kvm_glue_ring *ring, struct kvm_glue_record *record);

#endif
