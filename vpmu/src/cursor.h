/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_CURSOR_H
#define VPMU_CURSOR_H

#include <stddef.h>
#include <stdint.h>

/*
 * Saved states are little-endian without padding. One function defines each layout. It visits the
 * fields in order, and writes them from variables or reads them into variables.
 */
struct vpmu_cursor_ {
    const uint8_t *bytes;
    uint8_t *out; /* equals bytes when writing; otherwise NULL */
    size_t at;
};

static inline uint64_t vpmu_pass_(struct vpmu_cursor_ *c, uint64_t val, size_t size)
{
    uint64_t found = 0;

    for (size_t i = 0; i < size; i++, c->at++) {
        if (c->out) {
            c->out[c->at] = (uint8_t)(val >> 8 * i);
        }
        found |= (uint64_t)c->bytes[c->at] << 8 * i;
    }
    return found;
}

/* A layout is a sequence of these. A field has the size of its variable. */
#define VPMU_PASS_(c, var) ((var) = (__typeof__(var))vpmu_pass_(c, var, sizeof(var)))

/* Elements of an array, from 0 up. */
#define VPMU_PASS_ALL_(c, array, count)                                                            \
    do {                                                                                           \
        for (unsigned at_ = 0; at_ < (count); at_++) {                                             \
            VPMU_PASS_(c, (array)[at_]);                                                           \
        }                                                                                          \
    } while (0)

static inline uint32_t vpmu_crc32_(const uint8_t *p, size_t len)
{
    const uint32_t polynomial = 0xedb88320u;
    uint32_t crc = UINT32_MAX;

    for (size_t i = 0; i < len; i++) {
        crc ^= p[i];
        for (unsigned bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
        }
    }
    return ~crc;
}

#endif
