/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_PROTOBUF_H
#define VPMU_STATS_PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct protobuf - a protocol buffers message that is being written; all 0 at first
 * @data: the encoded message.
 * @size: its size in bytes.
 * @room: the allocated size in bytes.
 * @failed: true if there was not enough memory; the message is then incomplete.
 *
 * Source: https://protobuf.dev/programming-guides/encoding/
 */
struct protobuf {
    unsigned char *data;
    size_t size;
    size_t room;
    bool failed;
};

/**
 * protobuf_varint() - add an integer field
 *
 * The value 0 is the default of a field and is not written.
 */
void protobuf_varint(struct protobuf *p, unsigned field, uint64_t value);

/** protobuf_bytes() - add a field of type string or bytes */
void protobuf_bytes(struct protobuf *p, unsigned field, const void *data, size_t size);

/** protobuf_packed() - add an integer to a message that contains only packed integers */
void protobuf_packed(struct protobuf *p, uint64_t value);

/**
 * protobuf_message() - add a field that is a message or packed integers
 * @p: the message to add to.
 * @field: the number of the field.
 * @message: the message to add. It is empty afterwards and can be used again.
 */
void protobuf_message(struct protobuf *p, unsigned field, struct protobuf *message);

void protobuf_free(struct protobuf *p);

#endif
