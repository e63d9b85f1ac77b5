/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RANDOM_PROGRAM_H
#define RANDOM_PROGRAM_H

#include <stdint.h>

#include "layout.h"

/*
 * What the generator passes and gets back. It reads the lists below, PROGRAM_FIELDS and CONTROLS
 * and RESULT_FIELDS, from this file: one W(name), A(name, count) or X(name, register) a line, all
 * of 64 bits.
 */

/* Before the programs: their number, and the first to be run. */
struct header {
    uint64_t magic;
    uint64_t programs;
    uint64_t first;
};

#define HEADER_MAGIC 0x6d61726f72707276

#define PROGRAM_FIELDS(W, A)                                                                       \
    W(entry)                                                                                       \
    W(spsr)                                                                                        \
    A(regs, 31)                                                                                    \
    W(data_seed)                                                                                   \
    W(flags)                                                                                       \
    W(gicc_ctlr)                                                                                   \
    W(interrupts)                                                                                  \
    W(steps)                                                                                       \
    A(reload, 32)

/* FLAG_DIRECT: EL1 and EL2 answer interrupts themselves; otherwise the highest level does. */
#define FLAG_DIRECT 1
/* How an AArch32 handler returns: MOVS PC, LR, or RFE. */
#define FLAG_RFE 2
/* EL1 is in AArch32. */
#define FLAG_AARCH32 4

/* Registers that are set before a program starts; those of EL3 only if it exists. */
#define CONTROLS_EL3(X)                                                                            \
    X(scr_el3, S3_6_C1_C1_0)                                                                       \
    X(cptr_el3, S3_6_C1_C1_2)                                                                      \
    X(mdcr_el3, S3_6_C1_C3_1)                                                                      \
    X(zcr_el3, S3_6_C1_C2_0)

#define CONTROLS(X)                                                                                \
    X(hcr_el2, S3_4_C1_C1_0)                                                                       \
    X(fpexc32_el2, S3_4_C5_C3_0)                                                                   \
    X(cptr_el2, S3_4_C1_C1_2)                                                                      \
    X(mdcr_el2, S3_4_C1_C1_1)                                                                      \
    X(hstr_el2, S3_4_C1_C1_3)                                                                      \
    X(hcrx_el2, S3_4_C1_C2_2)                                                                      \
    X(hfgrtr_el2, S3_4_C1_C1_4)                                                                    \
    X(hfgwtr_el2, S3_4_C1_C1_5)                                                                    \
    X(hfgitr_el2, S3_4_C1_C1_6)                                                                    \
    X(hdfgrtr_el2, S3_4_C3_C1_4)                                                                   \
    X(hdfgwtr_el2, S3_4_C3_C1_5)                                                                   \
    X(sctlr_el1, S3_0_C1_C0_0)                                                                     \
    X(tcr_el1, S3_0_C2_C0_2)                                                                       \
    X(cpacr_el1, S3_0_C1_C0_2)                                                                     \
    X(zcr_el2, S3_4_C1_C2_0)                                                                       \
    X(zcr_el1, S3_0_C1_C2_0)                                                                       \
    X(mdscr_el1, S2_0_C0_C2_2)                                                                     \
    X(dbgbvr0_el1, S2_0_C0_C0_4)                                                                   \
    X(dbgbcr0_el1, S2_0_C0_C0_5)                                                                   \
    X(dbgbvr1_el1, S2_0_C0_C1_4)                                                                   \
    X(dbgbcr1_el1, S2_0_C0_C1_5)                                                                   \
    X(dbgwvr0_el1, S2_0_C0_C0_6)                                                                   \
    X(dbgwcr0_el1, S2_0_C0_C0_7)                                                                   \
    X(pmuserenr_el0, S3_3_C9_C14_0)                                                                \
    X(pmccfiltr_el0, S3_3_C14_C15_7)                                                               \
    X(pmcntenset_el0, S3_3_C9_C12_1)                                                               \
    X(pmintenset_el1, S3_0_C9_C14_1)                                                               \
    X(pmselr_el0, S3_3_C9_C12_5)                                                                   \
    X(pmcr_el0, S3_3_C9_C12_0)                                                                     \
    X(brbcr_el1, S2_1_C9_C0_0)                                                                     \
    X(brbcr_el2, S2_4_C9_C0_0)                                                                     \
    X(brbfcr_el1, S2_1_C9_C0_1)

/* Branch records, newest first: BRBINF<n>, BRBSRC<n> and BRBTGT<n>. */
#define BRANCH_RECORDS 64
#define BRANCH_WORDS 3

#define PROGRAM_COUNTERS 31

#define CONTROL_FIELD_(name, register) uint64_t name;
#define WORD_FIELD_(name) uint64_t name;
#define ARRAY_FIELD_(name, count) uint64_t name[count];

struct program {
    PROGRAM_FIELDS(WORD_FIELD_, ARRAY_FIELD_)
    uint64_t pmevtyper[PROGRAM_COUNTERS];
    uint64_t pmevcntr[PROGRAM_COUNTERS];
    CONTROLS_EL3(CONTROL_FIELD_)
    CONTROLS(CONTROL_FIELD_)
};

_Static_assert(sizeof(struct program) <= PROGRAM_SIZE, "a program's place");

/*
 * The results of a program. Each exception and each interrupt adds an entry to the log; the hash
 * covers all of them. The first LOG_FIRST entries and the last are kept.
 */
#define LOG_FIRST 60
#define LOG_ENTRIES 92
#define LOG_WORDS 4

#define RESULT_FIELDS(W, A)                                                                        \
    W(ended)                                                                                       \
    A(regs, 31)                                                                                    \
    W(elr)                                                                                         \
    W(spsr)                                                                                        \
    W(pmcr)                                                                                        \
    W(pmovs)                                                                                       \
    W(pmcnten)                                                                                     \
    W(pminten)                                                                                     \
    W(pmselr)                                                                                      \
    W(pmuserenr)                                                                                   \
    W(pmccntr)                                                                                     \
    A(pmevcntr, 31)                                                                                \
    A(pmevtyper, 31)                                                                               \
    W(data_hash)                                                                                   \
    W(vector_hash)                                                                                 \
    W(log_hash)                                                                                    \
    W(exceptions)                                                                                  \
    W(interrupts)                                                                                  \
    W(steps)                                                                                       \
    W(misplaced)                                                                                   \
    W(brbcr)                                                                                       \
    W(brbfcr)                                                                                      \
    A(branches, 192)

_Static_assert(BRANCH_RECORDS *BRANCH_WORDS == 192, "branches");

struct result {
    RESULT_FIELDS(WORD_FIELD_, ARRAY_FIELD_)
    uint64_t log[LOG_ENTRIES][LOG_WORDS];
};

_Static_assert(sizeof(struct result) <= RESULT_SIZE, "a result's place");

/* The first page of the results: how far the machine has come. */
struct progress {
    uint64_t started;
    uint64_t done;
    uint64_t broken;
};

/* Why a program ended. */
#define ENDED_ITSELF 1
#define ENDED_LIMIT 2

#endif
