/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RANDOM_X86_PROGRAM_H
#define RANDOM_X86_PROGRAM_H

#include <stdint.h>

#include "layout.h"

/*
 * What the generator passes and gets back. It reads the lists below, PROGRAM_FIELDS and
 * RESULT_FIELDS, from this file: one W(name) or A(name, count) a line, all of 64 bits.
 */

/* Before the programs: their number, and the first to be run. */
struct header {
    uint64_t magic;
    uint64_t programs;
    uint64_t first;
};

#define HEADER_MAGIC 0x6d61726f72707276

#define PROGRAM_COUNTERS 6

/*
 * starts: the address of a bitmap of the code that says where instructions begin. reload: the
 * values from which counters start again, the fixed counter's last.
 */
#define PROGRAM_FIELDS(W, A)                                                                       \
    W(entry)                                                                                       \
    W(size)                                                                                        \
    W(starts)                                                                                      \
    W(cs)                                                                                          \
    W(rflags)                                                                                      \
    A(regs, 16)                                                                                    \
    W(data_seed)                                                                                   \
    W(rounds)                                                                                      \
    W(interrupts)                                                                                  \
    W(steps)                                                                                       \
    W(cr4)                                                                                         \
    A(dr, 4)                                                                                       \
    W(dr7)                                                                                         \
    W(lvtpc)                                                                                       \
    A(select, 6)                                                                                   \
    A(counter, 6)                                                                                  \
    W(fixed_control)                                                                               \
    W(fixed)                                                                                       \
    W(global_control)                                                                              \
    W(pebs_enable)                                                                                 \
    A(reload, 7)                                                                                   \
    W(debugctl)                                                                                    \
    W(lbr_select)                                                                                  \
    W(lbr_control)                                                                                 \
    W(load_latency)                                                                                \
    W(pebs_data_cfg)                                                                               \
    W(eilvt)                                                                                       \
    W(ibs_fetch)                                                                                   \
    W(ibs_op)

#define WORD_FIELD_(name) uint64_t name;
#define ARRAY_FIELD_(name, count) uint64_t name[count];

struct program {
    PROGRAM_FIELDS(WORD_FIELD_, ARRAY_FIELD_)
};

_Static_assert(sizeof(struct program) <= PROGRAM_SIZE, "a program's place");

/*
 * The results of a program. Each exception adds an entry to the log, each interrupt of the PMU one
 * to the samples; a hash covers all of them. The first LOG_FIRST entries and the last are kept.
 */
#define LOG_FIRST 30
#define LOG_ENTRIES 50
#define LOG_WORDS 4

#define RESULT_FIELDS(W, A)                                                                        \
    W(ended)                                                                                       \
    A(regs, 16)                                                                                    \
    W(rip)                                                                                         \
    W(cs)                                                                                          \
    W(rflags)                                                                                      \
    A(select, 6)                                                                                   \
    A(counter, 6)                                                                                  \
    A(fixed, 3)                                                                                    \
    W(fixed_control)                                                                               \
    W(global_control)                                                                              \
    W(global_status)                                                                               \
    W(pebs_enable)                                                                                 \
    W(load_latency)                                                                                \
    W(lvtpc)                                                                                       \
    W(data_hash)                                                                                   \
    W(vector_hash)                                                                                 \
    W(records)                                                                                     \
    W(records_hash)                                                                                \
    W(log_hash)                                                                                    \
    W(exceptions)                                                                                  \
    W(samples_hash)                                                                                \
    W(interrupts)                                                                                  \
    W(steps)                                                                                       \
    W(points)                                                                                      \
    W(misplaced)                                                                                   \
    A(branches, 96)                                                                                \
    W(ibs_hash)                                                                                    \
    W(ibs_ops)                                                                                     \
    A(ibs, 256)

/* Branch records of three words: FROM, TO, INFO. */
#define BRANCH_RECORDS 32
#define BRANCH_WORDS 3

_Static_assert(BRANCH_RECORDS *BRANCH_WORDS == 96, "branches");

/* Samples of IBS Op of four words: IbsOpRip, IbsOpData, IbsOpData3, IbsDcLinAd. */
#define IBS_SAMPLES 64
#define IBS_WORDS 4

_Static_assert(IBS_SAMPLES *IBS_WORDS == 256, "ibs");

struct result {
    RESULT_FIELDS(WORD_FIELD_, ARRAY_FIELD_)
    uint64_t log[LOG_ENTRIES][LOG_WORDS];
    uint64_t samples[LOG_ENTRIES][LOG_WORDS];
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
#define ENDED_BROKEN 3

#endif
