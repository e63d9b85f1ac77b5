/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cpu.h"

#define CYCLE_COUNTER (1u << 31)
#define PMCR_E 1u
/* PMCCFILTR_EL0: count at EL2 and in Secure state as well. */
#define FILTER_NSH (1u << 27)
#define HCR_RW (1ul << 31)
#define HCR_IMO (1ul << 4)
#define SCR_IRQ (1ul << 1)
#define ICC_SRE_SRE 1ul

#define read_reg(name)                                                                             \
    ({                                                                                             \
        uint64_t value_;                                                                           \
        __asm__ volatile("mrs %0, " #name : "=r"(value_)::"memory");                               \
        value_;                                                                                    \
    })
#define write_reg(name, value)                                                                     \
    __asm__ volatile("msr " #name ", %0\n\tisb" ::"r"((uint64_t)(value)) : "memory")

extern const char vectors[];

static unsigned current_el(void)
{
    return read_reg(CurrentEL) >> 2 & 3;
}

intptr_t semihost(intptr_t operation, void *argument)
{
    register intptr_t w0 __asm__("x0") = operation;
    register void *x1 __asm__("x1") = argument;

    __asm__ volatile("hlt #0xf000" : "+r"(w0) : "r"(x1) : "memory");
    return w0;
}

void take_interrupts(void)
{
    uintptr_t base;

    __asm__("adrp %0, vectors\n\tadd %0, %0, :lo12:vectors" : "=r"(base));
    switch (current_el()) {
    case 3:
        write_reg(vbar_el3, base);
        write_reg(scr_el3, read_reg(scr_el3) | SCR_IRQ);
        break;
    case 2:
        write_reg(vbar_el2, base);
        write_reg(hcr_el2, HCR_RW | HCR_IMO);
        break;
    default:
        write_reg(vbar_el1, base);
        break;
    }
    __asm__ volatile("msr daifclr, #2" ::: "memory");
}

void pmu_start(uint32_t cycles)
{
    write_reg(pmccfiltr_el0, FILTER_NSH);
    write_reg(pmccntr_el0, -(uint64_t)cycles);
    write_reg(pmovsclr_el0, CYCLE_COUNTER);
    write_reg(pmintenset_el1, CYCLE_COUNTER);
    write_reg(pmcntenset_el0, CYCLE_COUNTER);
    write_reg(pmcr_el0, PMCR_E);
}

int pmu_overflowed(void)
{
    return (read_reg(pmovsclr_el0) & CYCLE_COUNTER) != 0;
}

void pmu_stop(void)
{
    write_reg(pmcr_el0, 0);
    write_reg(pmovsclr_el0, CYCLE_COUNTER);
}

void gic3_enable(void)
{
    if (current_el() == 3) {
        write_reg(s3_6_c12_c12_5, read_reg(s3_6_c12_c12_5) | ICC_SRE_SRE);
    } else if (current_el() == 2) {
        write_reg(s3_4_c12_c9_5, read_reg(s3_4_c12_c9_5) | ICC_SRE_SRE);
    }
    write_reg(s3_0_c12_c12_5, read_reg(s3_0_c12_c12_5) | ICC_SRE_SRE);
    write_reg(s3_0_c4_c6_0, 0xff);
    write_reg(s3_0_c12_c12_7, 1);
}

uint32_t gic3_acknowledge(void)
{
    return (uint32_t)read_reg(s3_0_c12_c12_0);
}

void gic3_end(uint32_t intid)
{
    write_reg(s3_0_c12_c12_1, intid);
}
