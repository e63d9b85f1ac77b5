/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_NAIVE_SPE_H
#define VPMU_TESTS_NAIVE_SPE_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/arm/spe.h"

/*
 * A second SPE, written from the Arm ARM's pseudocode and register descriptions: one call for each
 * instruction. It shares no code with the library, only numbers and the structs that describe a PE
 * and a sample.
 */
struct naive_spe {
    struct vpmu_spe_config config;
    struct vpmu_spe_pe pe;
    uint64_t reg[VPMU_SPE_REG_COUNT];
    uint32_t random;
};

/* What the packets of a record say. */
struct decoded {
    bool ended;
    bool bad;
    uint32_t seen; /* a mask of the values below, 1 << n */
    uint64_t value[32];
};

enum {
    D_CONTEXT1,
    D_CONTEXT2,
    D_TOTAL,
    D_ISSUE,
    D_TRANSLATION,
    D_PC,
    D_TARGET,
    D_DATA,
    D_PHYSICAL,
    D_SOURCE,
    D_CLASS,
    D_SUBCLASS,
    D_EVENTS,
    D_TIME,
};

void naive_spe_start(struct naive_spe *n, const struct vpmu_spe_config *config);
uint64_t naive_spe_read(const struct naive_spe *n, unsigned reg);
void naive_spe_write(struct naive_spe *n, unsigned reg, uint64_t val);
enum vpmu_access naive_spe_access(const struct naive_spe *n, unsigned reg, bool write);
bool naive_spe_enabled(const struct naive_spe *n, unsigned el);
bool naive_spe_buffer_enabled(const struct naive_spe *n);

/* SPEToCollectSample(): executes one instruction. */
bool naive_spe_step(struct naive_spe *n);

/* What vpmu_spe_start() says is collected, and the clock. */
unsigned naive_spe_collects(const struct naive_spe *n);
unsigned naive_spe_clock(const struct naive_spe *n);

/* SPECollectRecord(), with what a record says. */
bool naive_spe_keeps(const struct naive_spe *n, const struct decoded *d);

/* A record was written. */
void naive_spe_written(struct naive_spe *n);

/* Reads a record as perf's arm-spe-pkt-decoder.c does. */
void decode_record(const uint8_t *bytes, unsigned size, struct decoded *d);

#endif
