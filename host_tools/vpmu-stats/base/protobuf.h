/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PROTOBUF_H
#define VPMU_STATS_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct protobuf - a message of protocol buffers that is being written; 0 at first
 * @data: @size bytes of it.
 * @failed: there was no memory.
 *
 * Source: https://protobuf.dev/programming-guides/encoding/
 */
struct protobuf {
    unsigned char *data;
    size_t size;
    size_t room;
    bool failed;
};

/** protobuf_varint() - adds a field that is a number; 0, its default, is left out */
void protobuf_varint(struct protobuf *p, unsigned field, uint64_t value);

/** protobuf_bytes() - adds a field that is a text */
void protobuf_bytes(struct protobuf *p, unsigned field, const void *data, size_t size);

/** protobuf_packed() - adds a number to a message that is nothing but numbers: see [packed] */
void protobuf_packed(struct protobuf *p, uint64_t value);

/** protobuf_message() - adds a field that is a message, or packed numbers, and empties @message */
void protobuf_message(struct protobuf *p, unsigned field, struct protobuf *message);

void protobuf_free(struct protobuf *p);

#endif
