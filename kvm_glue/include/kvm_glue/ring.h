/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KVM_GLUE_RING_H
#define KVM_GLUE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

/*
 * The ring of a perf event, from which records are read while the kernel writes more. Its contents
 * are not trusted: an impossible record is refused, and nothing outside the ring is read.
 */

/* The number of bytes of a record that are read; the rest of a longer record is skipped. */
enum {
    KVM_GLUE_RING_RECORD = 1024
};

struct perf_event_mmap_page;

/**
 * struct kvm_glue_ring - a ring that is being read
 *
 * All fields are private. The caller owns the memory and the mapping.
 */
struct kvm_glue_ring {
    struct perf_event_mmap_page *page;
    const uint8_t *data;
    uint64_t size;
    uint64_t next; /* the position after the last record */
    bool broken;
    uint64_t record[KVM_GLUE_RING_RECORD / sizeof(uint64_t)];
};

/**
 * struct kvm_glue_record - one perf record
 * @type: PERF_RECORD_*.
 * @misc: PERF_RECORD_MISC_*.
 * @words: what follows the record's header; valid until the next call.
 * @n: the number of elements of @words.
 */
struct kvm_glue_record {
    uint32_t type;
    uint16_t misc;
    const uint64_t *words;
    uint64_t n;
};

/**
 * kvm_glue_ring_init() - start to read a ring
 * @ring: is filled in.
 * @page: the first page of the mapping, which describes the ring.
 * @data: the start of the ring.
 * @size: the size of the ring in bytes, a power of two.
 */
void kvm_glue_ring_init(struct kvm_glue_ring *ring, struct perf_event_mmap_page *page,
                        const void *data, uint64_t size);

/**
 * kvm_glue_ring_next() - take the next record out of a ring
 * @ring: the ring. When the function returns, the kernel may reuse the record's space.
 * @record: is filled in if there is a record.
 *
 * Return: 1 if there is a record; 0 if there is none now; -EPROTO, from then on in each call, if
 * the ring contains something that is not a record.
 */
int kvm_glue_ring_next(struct kvm_glue_ring *ring, struct kvm_glue_record *record);

VPMU_DECLS_END

#endif
