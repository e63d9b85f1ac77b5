/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_COUNT_SAVED_H
#define VPMU_COUNT_SAVED_H

#include "../cursor.h"
#include "arch.h"

/*
 * Saved states. Each has this layout, little-endian and without padding:
 *
 *   0  u32 magic, u16 version, u16 size
 *   8  u64 sources, lower and upper half; u64 timed sources, the same
 *  40  the configuration, which must be that of the PMU that loads the state
 *   .  registers and counters, in the architecture's order
 *  -4  u32 CRC-32 of all before it
 *
 * The PMU that loads a state may have more sources than the one that saved it. A source keeps its
 * number.
 */
#define VPMU_SAVED_SOURCES_AT_ 8u
#define VPMU_SAVED_CONFIG_AT_ 40u
#define VPMU_SAVED_CONFIG_MAX_ 32u

/* What all architectures save. Those that save more have a struct that begins with this one. */
struct vpmu_saved_ {
    vpmu_sources sources;
    vpmu_sources timed;
    uint64_t value[VPMU_COUNTER_COUNT];
    uint16_t remainder[VPMU_COUNTER_COUNT];
    uint64_t cycle[VPMU_PACE_COUNT]; /* vpmu_pace.value */
    uint64_t link[VPMU_PACE_COUNT];
    uint32_t met;
};

/* How an architecture saves its PMUs. */
struct vpmu_state_format_ {
    uint32_t magic;
    uint16_t size;
    uint8_t cycles; /* counters from 0 up whose cycles are saved */
    const char *other_magic;
    /* Sets the sources of a PMU. */
    void (*sources)(const struct vpmu_count *c, struct vpmu_saved_ *s);
    /* Reads or writes the rest of the configuration of a PMU. */
    void (*pass_config)(struct vpmu_cursor_ *cursor, const struct vpmu_count *c);
    /* Reads or writes what follows, without the checksum. */
    void (*pass)(struct vpmu_cursor_ *cursor, struct vpmu_saved_ *s);
    /* Returns why a PMU with this configuration cannot have these registers and counters. */
    const char *(*find_fault)(const struct vpmu_count *c, const struct vpmu_saved_ *s);
    /* Replaces the registers of a PMU. */
    void (*take)(struct vpmu_count *c, const struct vpmu_saved_ *s);
};

/* The error for a value that fits into its field but not with the other values. */
extern const char vpmu_impossible_value_[];

/* Saves a PMU that is settled, with the registers in @s. See vpmu_arm_state_save(). */
int vpmu_saved_write_(const struct vpmu_count *c, struct vpmu_saved_ *s, void *buf, size_t len);

/* See vpmu_arm_state_load(). @s is zero. */
int vpmu_saved_read_(struct vpmu_count *c, struct vpmu_saved_ *s, const void *buf, size_t len,
                     const struct vpmu_now *now, const char **why);

/* Returns why these bytes are not a complete and undamaged state, or NULL. */
const char *vpmu_saved_fault_(const struct vpmu_state_format_ *format, const uint8_t *bytes,
                              size_t len);

/* Tells whether a counter with this assignment can have these parts of counts and of cycles. */
bool vpmu_saved_parts_fit_(const struct vpmu_count *c, const struct vpmu_saved_ *s, unsigned idx,
                           const struct vpmu_assignment_ *assignment);

#endif
