/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_NAIVE_LBR_H
#define VPMU_TESTS_NAIVE_LBR_H

#include <stdbool.h>
#include <stdint.h>

#include "vpmu/x86/lbr.h"

/*
 * A second LBR, written from the manuals' descriptions of the MSRs: records are the values of MSRs,
 * and architectural and AMD's records move when one is added. It shares no code with the library,
 * only the numbers of kinds and types.
 */
struct naive_lbr {
    struct vpmu_lbr_config config;
    unsigned cpl;
    unsigned depth;
    unsigned tos;
    uint64_t debugctl;
    uint64_t select;
    uint64_t extn;
    bool frozen;
    uint64_t from[64];
    uint64_t to[64];
    uint64_t info[64];
    bool last_known;
    uint64_t last_cycle;
};

void naive_lbr_start(struct naive_lbr *n, const struct vpmu_lbr_config *config);
bool naive_lbr_on(const struct naive_lbr *n);
/* Tells whether a branch of @type that ends at @cpl changes records. */
bool naive_lbr_records(const struct naive_lbr *n, unsigned type, unsigned cpl);
bool naive_lbr_branch(struct naive_lbr *n, unsigned type, bool mispredicted, uint64_t from,
                      uint64_t to, uint64_t now);
bool naive_lbr_far(struct naive_lbr *n, unsigned cpl, unsigned type, uint64_t from, uint64_t to,
                   uint64_t now);
void naive_lbr_debug(struct naive_lbr *n);
void naive_lbr_pmi(struct naive_lbr *n);
void naive_lbr_set_frozen(struct naive_lbr *n, bool frozen);
enum vpmu_x86_access naive_lbr_rdmsr(struct naive_lbr *n, uint32_t msr, uint64_t *val);
enum vpmu_x86_access naive_lbr_wrmsr(struct naive_lbr *n, uint32_t msr, uint64_t val);

#endif
