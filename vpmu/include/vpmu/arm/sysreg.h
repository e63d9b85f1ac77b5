/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_ARM_SYSREG_H
#define VPMU_ARM_SYSREG_H

#include <stdint.h>

#include "vpmu/decls.h"

VPMU_DECLS_BEGIN

/*
 * Access to the registers of the PE that the library runs on: vpmu_mrs_NAME() reads and
 * vpmu_msr_NAME() writes. Only the switch (vpmu/arm/switch.h) uses them.
 *
 * On AArch64 they are the instructions. On other hosts, or if VPMU_SYSREG_SUPPLIED is defined, they
 * are only declared, and the program that links the switch defines them.
 *
 * The compiler does not reorder writes with the memory accesses around them. A write does not
 * synchronise the context; vpmu_isb() does.
 *
 * Context: EL2.
 * Source: Arm ARM D24.5, and D24.3 for MDCR_EL2.
 */

/*
 * X(name) for each register that is not a family. The functions made from it are
 *
 *   uint64_t vpmu_mrs_NAME(void): returns the register's value;
 *   void vpmu_msr_NAME(uint64_t value): writes @value, which may be any value.
 */
#define VPMU_SYSREGS_(X)                                                                           \
    X(pmcr_el0)                                                                                    \
    X(pmcntenset_el0)                                                                              \
    X(pmcntenclr_el0)                                                                              \
    X(pmintenset_el1)                                                                              \
    X(pmintenclr_el1)                                                                              \
    X(pmovsset_el0)                                                                                \
    X(pmovsclr_el0)                                                                                \
    X(pmselr_el0)                                                                                  \
    X(pmuserenr_el0)                                                                               \
    X(pmccntr_el0)                                                                                 \
    X(pmccfiltr_el0)                                                                               \
    X(mdcr_el2)

#if defined(__aarch64__) && !defined(VPMU_SYSREG_SUPPLIED)

#define VPMU_SYSREG_(name)                                                                         \
    static inline uint64_t vpmu_mrs_##name(void)                                                   \
    {                                                                                              \
        uint64_t value_;                                                                           \
                                                                                                   \
        __asm__ volatile("mrs %0, " #name : "=r"(value_)::"memory");                               \
        return value_;                                                                             \
    }                                                                                              \
    static inline void vpmu_msr_##name(uint64_t value)                                             \
    {                                                                                              \
        __asm__ volatile("msr " #name ", %x0" ::"rZ"(value) : "memory");                           \
    }

VPMU_SYSREGS_(VPMU_SYSREG_)

/* The number of an event counter is part of the instruction. */
/* clang-format off */
#define VPMU_EVENT_COUNTERS_(X, name)                                                              \
    X(name, 0) X(name, 1) X(name, 2) X(name, 3) X(name, 4) X(name, 5)                              \
    X(name, 6) X(name, 7) X(name, 8) X(name, 9) X(name, 10) X(name, 11)                            \
    X(name, 12) X(name, 13) X(name, 14) X(name, 15) X(name, 16) X(name, 17)                        \
    X(name, 18) X(name, 19) X(name, 20) X(name, 21) X(name, 22) X(name, 23)                        \
    X(name, 24) X(name, 25) X(name, 26) X(name, 27) X(name, 28) X(name, 29)                        \
    X(name, 30)
/* clang-format on */

#define VPMU_MRS_CASE_(name, n)                                                                    \
    case n:                                                                                        \
        __asm__ volatile("mrs %0, " #name #n "_el0" : "=r"(value_)::"memory");                     \
        break;

#define VPMU_MSR_CASE_(name, n)                                                                    \
    case n:                                                                                        \
        __asm__ volatile("msr " #name #n "_el0, %x0" ::"rZ"(value) : "memory");                    \
        break;

#define VPMU_SYSREG_FAMILY_(name)                                                                  \
    static inline uint64_t vpmu_mrs_##name(unsigned n)                                             \
    {                                                                                              \
        uint64_t value_ = 0;                                                                       \
                                                                                                   \
        switch (n) {                                                                               \
            VPMU_EVENT_COUNTERS_(VPMU_MRS_CASE_, name)                                             \
        }                                                                                          \
        return value_;                                                                             \
    }                                                                                              \
    static inline void vpmu_msr_##name(unsigned n, uint64_t value)                                 \
    {                                                                                              \
        switch (n) {                                                                               \
            VPMU_EVENT_COUNTERS_(VPMU_MSR_CASE_, name)                                             \
        }                                                                                          \
    }

/* PMEVCNTR<n>_EL0 and PMEVTYPER<n>_EL0; n is 0 to 30. */
VPMU_SYSREG_FAMILY_(pmevcntr)
VPMU_SYSREG_FAMILY_(pmevtyper)

/**
 * vpmu_isb() - synchronise the context: ISB
 *
 * Earlier register writes take effect before later instructions execute.
 *
 * Context: EL2.
 * Source: Arm ARM C6.2, ISB.
 */
static inline void vpmu_isb(void)
{
    __asm__ volatile("isb" ::: "memory");
}

#else

#define VPMU_SYSREG_(name)                                                                         \
    uint64_t vpmu_mrs_##name(void);                                                                \
    void vpmu_msr_##name(uint64_t value);

VPMU_SYSREGS_(VPMU_SYSREG_)

/**
 * vpmu_mrs_pmevcntr() - read PMEVCNTR<n>_EL0
 * @n: the event counter, 0 to 30. The CPU must implement it.
 *
 * Context: EL2.
 * Return: the counter's value.
 * Source: Arm ARM D24.5, PMEVCNTR<n>_EL0.
 */
uint64_t vpmu_mrs_pmevcntr(unsigned n);

/**
 * vpmu_msr_pmevcntr() - write PMEVCNTR<n>_EL0
 * @n: the event counter, 0 to 30. The CPU must implement it.
 * @value: any value.
 *
 * Context: EL2.
 * Source: Arm ARM D24.5, PMEVCNTR<n>_EL0.
 */
void vpmu_msr_pmevcntr(unsigned n, uint64_t value);

/**
 * vpmu_mrs_pmevtyper() - read PMEVTYPER<n>_EL0
 * @n: the event counter, 0 to 30. The CPU must implement it.
 *
 * Context: EL2.
 * Return: the register's value.
 * Source: Arm ARM D24.5, PMEVTYPER<n>_EL0.
 */
uint64_t vpmu_mrs_pmevtyper(unsigned n);

/**
 * vpmu_msr_pmevtyper() - write PMEVTYPER<n>_EL0
 * @n: the event counter, 0 to 30. The CPU must implement it.
 * @value: any value.
 *
 * Context: EL2.
 * Source: Arm ARM D24.5, PMEVTYPER<n>_EL0.
 */
void vpmu_msr_pmevtyper(unsigned n, uint64_t value);
void vpmu_isb(void);

#endif

VPMU_DECLS_END

#endif
