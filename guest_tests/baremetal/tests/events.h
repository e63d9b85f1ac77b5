/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_EVENTS_H
#define TESTS_EVENTS_H

/*
 * What an instruction counts as, in columns. Cases are written in assembly, each with its own
 * numbers beside it: see events_case.inc.
 */
#define COLUMNS 19

/* Features that a case may need; 0 is none. */
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

/* Levels that a case can run at; accesses that Device memory does not allow: not at EL2 and EL3. */
#define AT_ANY 15
#define AT_EL0 1
#define AT_EL1 2
#define AT_EL2 4
#define AT_TRANSLATED 3
/* Of AArch32: at EL0, once, and with a Data Abort after which it is tried again. */
#define FAULTS 16

/* A column whose number depends on the machine and is not looked at. */
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
};

_Static_assert(L1D_WR + 1 == COLUMNS, "events_case.inc");

/**
 * struct event_case - a few instructions in a loop
 * @code: counts from a write to PMCNTENSET_EL0 to one to PMCNTENCLR_EL0, which still counts.
 * @counts: of one iteration, without the loop's own subs and b.ne.
 */
struct event_case {
    const char *name;
    const char *code;
    uint16_t needs;
    uint16_t levels;
    uint16_t counts[COLUMNS];
    uint16_t unused[3];
};

_Static_assert(sizeof(struct event_case) == 64, "events_case.inc");

/* Each ended by a row without a name. */
extern const struct event_case load_cases[], store_cases[], atomic_cases[], vector_memory_cases[],
    unaligned_cases[], branch_cases[], integer_cases[], vector_cases[], system_cases[];

/* What the code of a case gets. */
struct event_arg {
    void *buffer;
    uint64_t iterations;
    uint64_t mask;
};

/**
 * struct event - an event that instructions cause
 * @columns: mask of 1 << enum column; the event is their sum.
 */
struct event {
    uint16_t number;
    uint32_t columns;
};

extern const struct event instruction_events[];
extern const size_t instruction_events_count;

/**
 * event_count() - what a counter of an event has of a case
 * @iterations: of the loop.
 *
 * Return: false if the case cannot say, because a column is UNKNOWN.
 */
bool event_count(const struct event_case *c, const struct event *event, enum level level,
                 uint64_t iterations, uint64_t *count);

/* Memory for cases to use. */
extern uint8_t event_buffer[];

/* Whether PMCEID says so; of events from 0x40 on it says nothing, and this is true. */
bool event_exists(uint64_t number);

bool has_feature(unsigned needs);

/* No trap of floating point, SVE and MOPS at any level. */
void enable_features(void);

#endif
#endif
