/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/protobuf.h"

#include <stdlib.h>
#include <string.h>

/* Wire types. */
#define VARINT 0u
#define LEN 2u

static void add(struct protobuf *p, const void *data, size_t size)
{
    if (size > p->room - p->size) {
        size_t room = (p->size + size) * 2;
        unsigned char *bytes = realloc(p->data, room);

        if (!bytes) {
            p->failed = true;
            return;
        }
        p->data = bytes;
        p->room = room;
    }
    if (size) {
        memcpy(p->data + p->size, data, size);
        p->size += size;
    }
}

void protobuf_packed(struct protobuf *p, uint64_t value)
{
    unsigned char bytes[10];
    size_t n = 0;

    for (; value >= 0x80; value >>= 7) {
        bytes[n++] = (unsigned char)(value | 0x80);
    }
    bytes[n++] = (unsigned char)value;
    add(p, bytes, n);
}

void protobuf_varint(struct protobuf *p, unsigned field, uint64_t value)
{
    if (value) {
        protobuf_packed(p, field << 3 | VARINT);
        protobuf_packed(p, value);
    }
}

void protobuf_bytes(struct protobuf *p, unsigned field, const void *data, size_t size)
{
    protobuf_packed(p, field << 3 | LEN);
    protobuf_packed(p, size);
    add(p, data, size);
}

void protobuf_message(struct protobuf *p, unsigned field, struct protobuf *message)
{
    protobuf_bytes(p, field, message->data, message->size);
    p->failed |= message->failed;
    message->size = 0;
}

void protobuf_free(struct protobuf *p)
{
    free(p->data);
    *p = (struct protobuf){0};
}
