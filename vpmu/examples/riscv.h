/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_EXAMPLES_RISCV_H
#define VPMU_EXAMPLES_RISCV_H

/*
 * A third architecture for the counting core: a RISC-V hart in U and S mode, with two event
 * counters and the Sscofpmf extension. docs/porting.md explains it.
 */
#include <stddef.h>

#include "vpmu/count.h"

/* Contexts. */
enum riscv_mode {
    RISCV_U,
    RISCV_S,
    RISCV_MODE_COUNT
};

/* Sources: the common ones keep their numbers, the architecture's own follow. */
enum riscv_source {
    RISCV_SRC_INSTRET = VPMU_SRC_INST_RETIRED,
    RISCV_SRC_CYCLES = VPMU_SRC_CPU_CYCLES,
    RISCV_SRC_TRAPS = VPMU_SRC_OWN,
    RISCV_SRC_COUNT,
};
#define RISCV_SRC_ALL                                                                              \
    (VPMU_SRC_BIT(RISCV_SRC_INSTRET) | VPMU_SRC_BIT(RISCV_SRC_CYCLES) |                            \
     VPMU_SRC_BIT(RISCV_SRC_TRAPS))

/* Events of this hart: values of mhpmevent. */
enum riscv_event {
    RISCV_EVENT_CYCLES = 1,
    RISCV_EVENT_INSTRUCTIONS,
    RISCV_EVENT_TRAPS
};

/* Fields of mhpmevent (Sscofpmf). */
#define RISCV_OF (1ull << 63)
#define RISCV_SINH (1ull << 61)
#define RISCV_UINH (1ull << 60)

/* CSRs. A counter's number is its distance from mcycle. */
#define RISCV_MCOUNTINHIBIT 0x320
#define RISCV_MHPMEVENT3 0x323
#define RISCV_MHPMEVENT4 0x324
#define RISCV_SIP 0x144
#define RISCV_MCYCLE 0xb00
#define RISCV_MINSTRET 0xb02
#define RISCV_MHPMCOUNTER3 0xb03
#define RISCV_MHPMCOUNTER4 0xb04
#define RISCV_SIP_LCOFIP (1ull << 13)
#define RISCV_COUNTERS 5u /* number 1 is the timer and does not exist here */

struct riscv_totals {
    uint64_t n[RISCV_MODE_COUNT][RISCV_SRC_COUNT];
};

struct riscv_regs {
    uint64_t inhibit;
    uint64_t event[RISCV_COUNTERS];
    uint64_t sip;
};

struct riscv_pmu {
    struct vpmu_count count; /* must be the first member */
    struct riscv_regs regs;
};

#define RISCV_STATE_SIZE 133u

/* These return a mask of enum vpmu_due, or a negative error. No source of this hart is timed. */
int riscv_init(struct riscv_pmu *v, struct riscv_totals *totals, const char **why);
int riscv_set_mode(struct riscv_pmu *v, enum riscv_mode mode);
int riscv_settle(struct riscv_pmu *v);

/* Return -VPMU_ERR_REG if there is no such CSR. */
int riscv_csr_read(struct riscv_pmu *v, unsigned csr, uint64_t *val);
int riscv_csr_write(struct riscv_pmu *v, unsigned csr, uint64_t val);

uint64_t riscv_headroom(const struct riscv_pmu *v, enum riscv_mode mode);

int riscv_save(struct riscv_pmu *v, void *buf, size_t len);
int riscv_load(struct riscv_pmu *v, const void *buf, size_t len, const char **why);

int riscv_observer_parse(const char *text, struct vpmu_observer *o, const char **why);
int riscv_observer_add(struct riscv_pmu *v, struct vpmu_observer *o);
int riscv_observer_remove(struct riscv_pmu *v, struct vpmu_observer *o, uint64_t *count);

#endif
