/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_NAIVE_BRBE_H
#define VPMU_TESTS_NAIVE_BRBE_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/arm/brbe.h"

/*
 * A second BRBE, written from the Arm ARM's pseudocode and register descriptions: records are the
 * registers themselves, and all of them move when one is added. It shares no code with the library,
 * only the numbers of registers and the struct that describes a PE.
 */
struct naive_brbe {
    unsigned version;
    unsigned records;
    bool has_el2;
    bool has_el3;
    struct vpmu_brbe_pe pe;
    uint64_t brbcr_el1;
    uint64_t brbcr_el2;
    uint64_t brbfcr;
    uint64_t brbts;
    uint64_t inj_inf;
    uint64_t inj_src;
    uint64_t inj_tgt;
    uint64_t inf[64];
    uint64_t src[64];
    uint64_t tgt[64];
    bool last_known;
    uint64_t last_cycle;
};

void naive_brbe_start(struct naive_brbe *n, const struct vpmu_brbe_config *config);
void naive_brbe_move(struct naive_brbe *n, const struct vpmu_brbe_pe *pe);
bool naive_brbe_branch(struct naive_brbe *n, unsigned type, bool mispredicted, uint64_t from,
                       uint64_t to, uint64_t now);
bool naive_brbe_exception(struct naive_brbe *n, const struct vpmu_brbe_pe *after, unsigned type,
                          uint64_t from, uint64_t to, uint64_t now);
bool naive_brbe_return(struct naive_brbe *n, const struct vpmu_brbe_pe *after, uint64_t from,
                       uint64_t to, uint64_t now);
bool naive_brbe_overflow(const struct naive_brbe *n, uint64_t ovs, unsigned hpmn);
void naive_brbe_freeze(struct naive_brbe *n, uint64_t time);
uint64_t naive_brbe_read(const struct naive_brbe *n, unsigned reg);
void naive_brbe_write(struct naive_brbe *n, unsigned reg, uint64_t val);
enum vpmu_access naive_brbe_access(const struct naive_brbe *n, unsigned reg, bool write);

/*
 * Whether records show this side of an exception, whether a branch of this type would be recorded
 * now, and whether anything ever could be.
 */
bool naive_brbe_shows(const struct naive_brbe *n);
bool naive_brbe_records(const struct naive_brbe *n, unsigned type);
bool naive_brbe_enabled(const struct naive_brbe *n);

#endif
