/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu.h"

#define CYCLE_COUNTER (1u << 31)
#define PMCR_E 1u

#define read_cp15(op1, crn, crm, op2)                                                              \
    ({                                                                                             \
        uint32_t value_;                                                                           \
        __asm__ volatile("mrc p15, " #op1 ", %0, " #crn ", " #crm ", " #op2                        \
                         : "=r"(value_)                                                            \
                         :                                                                         \
                         : "memory");                                                              \
        value_;                                                                                    \
    })
#define write_cp15(op1, crn, crm, op2, value)                                                      \
    __asm__ volatile("mcr p15, " #op1 ", %0, " #crn ", " #crm ", " #op2 "\n\tisb"                  \
                     :                                                                             \
                     : "r"(value)                                                                  \
                     : "memory")

intptr_t semihost(intptr_t operation, void *argument)
{
    register intptr_t r0 __asm__("r0") = operation;
    register void *r1 __asm__("r1") = argument;

    __asm__ volatile("svc #0x123456" : "+r"(r0) : "r"(r1) : "memory", "lr");
    return r0;
}

void take_interrupts(void)
{
    uintptr_t base;

    __asm__("ldr %0, 2f\n"
            "1:\tadd %0, pc, %0\n\tb 3f\n"
            "2:\t.word vectors - (1b + 8)\n3:"
            : "=r"(base));
    write_cp15(0, c12, c0, 0, base); /* VBAR */
    __asm__ volatile("cpsie i" ::: "memory");
}

void pmu_start(uint32_t cycles)
{
    write_cp15(0, c9, c13, 0, -cycles);       /* PMCCNTR */
    write_cp15(0, c9, c12, 3, CYCLE_COUNTER); /* PMOVSR */
    write_cp15(0, c9, c14, 1, CYCLE_COUNTER); /* PMINTENSET */
    write_cp15(0, c9, c12, 1, CYCLE_COUNTER); /* PMCNTENSET */
    write_cp15(0, c9, c12, 0, PMCR_E);        /* PMCR */
}

int pmu_overflowed(void)
{
    return (read_cp15(0, c9, c12, 3) & CYCLE_COUNTER) != 0;
}

void pmu_stop(void)
{
    write_cp15(0, c9, c12, 0, 0);
    write_cp15(0, c9, c12, 3, CYCLE_COUNTER);
}

void gic3_enable(void)
{
    write_cp15(0, c4, c6, 0, 0xff); /* ICC_PMR */
    write_cp15(0, c12, c12, 7, 1);  /* ICC_IGRPEN1 */
}

uint32_t gic3_acknowledge(void)
{
    return read_cp15(0, c12, c12, 0);
}

void gic3_end(uint32_t intid)
{
    write_cp15(0, c12, c12, 1, intid);
}
