/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "registers/pmu.h"

/*
 * The register's number is part of the instruction, so each register of a family has a function. A
 * table selects it, rather than a switch, so that the path to each register is equally long.
 */
/* clang-format off */
#define FOR_EACH_COUNTER(M)                                                                        \
    M(0) M(1) M(2) M(3) M(4) M(5) M(6) M(7) M(8) M(9) M(10) M(11) M(12) M(13) M(14) M(15) M(16)    \
    M(17) M(18) M(19) M(20) M(21) M(22) M(23) M(24) M(25) M(26) M(27) M(28) M(29) M(30)
/* clang-format on */

#define DEFINE_ACCESSORS(n)                                                                        \
    static uint64_t read_cntr_##n(void)                                                            \
    {                                                                                              \
        return read_sysreg(pmevcntr##n##_el0);                                                     \
    }                                                                                              \
    static void write_cntr_##n(uint64_t value)                                                     \
    {                                                                                              \
        write_sysreg(pmevcntr##n##_el0, value);                                                    \
    }                                                                                              \
    static uint64_t read_typer_##n(void)                                                           \
    {                                                                                              \
        return read_sysreg(pmevtyper##n##_el0);                                                    \
    }                                                                                              \
    static void write_typer_##n(uint64_t value)                                                    \
    {                                                                                              \
        write_sysreg(pmevtyper##n##_el0, value);                                                   \
    }

FOR_EACH_COUNTER(DEFINE_ACCESSORS)

struct accessors {
    uint64_t (*read_cntr)(void);
    void (*write_cntr)(uint64_t value);
    uint64_t (*read_typer)(void);
    void (*write_typer)(uint64_t value);
};

#define ACCESSORS_ROW(n) {read_cntr_##n, write_cntr_##n, read_typer_##n, write_typer_##n},

static const struct accessors table[PMU_MAX_COUNTERS] = {FOR_EACH_COUNTER(ACCESSORS_ROW)};

uint64_t read_pmevcntr(unsigned n)
{
    return table[n].read_cntr();
}

void write_pmevcntr(unsigned n, uint64_t value)
{
    table[n].write_cntr(value);
}

uint64_t read_pmevtyper(unsigned n)
{
    return table[n].read_typer();
}

void write_pmevtyper(unsigned n, uint64_t value)
{
    table[n].write_typer(value);
}
