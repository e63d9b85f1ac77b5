/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_EVENTS_H
#define TESTS_EVENTS_H

/*
 * What an instruction counts as, in columns. Cases are written in assembly, each with its numbers
 * beside it: see events_case.inc.
 */
#define COLUMNS 24

/* Features that a case may need; 0 means none. */
#define NEEDS_LSE 1
#define NEEDS_RCPC 2
#define NEEDS_RCPC2 3
#define NEEDS_LOR 4
#define NEEDS_FP16 5
#define NEEDS_AES 6
#define NEEDS_SVE 7
#define NEEDS_MTE 8
#define NEEDS_MOPS 9
#define NEEDS_SB 10
#define NEEDS_XS 11
#define NEEDS_VHE 12
#define NEEDS_HBC 13
#define NEEDS_PAUTH 14
#define NEEDS_JSCVT 15

/*
 * Levels at which a case can run. Accesses that Device memory does not allow cannot run at EL2 and
 * EL3.
 */
#define AT_ANY 15
#define AT_EL0 1
#define AT_EL1 2
#define AT_EL2 4
#define AT_TRANSLATED 3
/* AArch32 cases run at EL0: once, and once with a Data Abort after which the access is retried. */
#define FAULTS 16

/* A column whose number depends on the machine is not checked. */
#define UNKNOWN 0xffff

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/level.h"

enum column {
    INST,
    LD,
    ST,
    DP,
    ASE,
    VFP,
    BR_IMMED,
    BR_RETURN,
    BR_INDIRECT,
    ISB,
    DSB,
    DMB,
    CID,
    TTBR,
    EXC_RETURN,
    PC_WRITE,
    UNALIGNED,
    L1D_RD, /* lines of cacheable memory */
    L1D_WR,
    PREFETCH,
    UNALIGNED_ACCESS, /* as UNALIGNED; an atomic makes two */
    /* AArch32 instructions that are not executed because their conditions fail. */
    LD_SKIPPED,
    ST_SKIPPED,
    BR_RETURN_SKIPPED,
};

_Static_assert(BR_RETURN_SKIPPED + 1 == COLUMNS, "events_case.inc");

/**
 * struct event_case - a few instructions in a loop
 * @code: counts from a write to PMCNTENSET_EL0 to one to PMCNTENCLR_EL0, which still counts.
 * @counts: the counts of one iteration, without the loop's own subs and b.ne.
 */
struct event_case {
    const char *name;
    const char *code;
    uint16_t needs;
    uint16_t levels;
    uint16_t counts[COLUMNS];
    uint16_t unused;
};

_Static_assert(sizeof(struct event_case) == 72, "events_case.inc");

/* A row without a name ends each table. */
extern const struct event_case load_cases[], store_cases[], atomic_cases[], vector_memory_cases[],
    unaligned_cases[], branch_cases[], integer_cases[], vector_cases[], system_cases[];

/* The arguments of a case's code. */
struct event_arg {
    void *buffer;
    uint64_t iterations;
    uint64_t mask;
};

/**
 * struct event - an event that instructions cause
 * @columns: mask of 1 << enum column; the event is the sum of these columns.
 */
struct event {
    uint16_t number;
    uint32_t columns;
};

extern const struct event instruction_events[];
extern const size_t instruction_events_count;

/**
 * event_count() - what a counter of an event reads after a case
 * @iterations: the number of iterations of the loop.
 *
 * Return: false if the case cannot say, because a column is UNKNOWN.
 */
bool event_count(const struct event_case *c, const struct event *event, enum level level,
                 uint64_t iterations, uint64_t *count);

/* Memory that cases use. */
extern uint8_t event_buffer[];

/*
 * Returns whether PMCEID announces an event. For events from 0x40 on, which have no bit, it returns
 * true.
 */
bool event_exists(uint64_t number);

bool has_feature(unsigned needs);

/* Disables the traps of floating point, SVE and MOPS at all levels. */
void enable_features(void);

#endif
#endif
