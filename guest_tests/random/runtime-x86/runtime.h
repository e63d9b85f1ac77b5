/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RANDOM_X86_RUNTIME_H
#define RANDOM_X86_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>

#include "program.h"

#define BIT(n) (UINT64_C(1) << (n))
#define PAGE_BYTES UINT64_C(4096)

/* Numbers of registers, as in ModRM. */
#define RAX 0
#define RSP 4

#define RFLAGS_TF BIT(8)
#define RFLAGS_IF BIT(9)
#define RFLAGS_RF BIT(16)

/* What the vectors save of the code that was interrupted by an exception. */
struct frame {
    /* By their numbers, except RSP, which is below. */
    uint64_t regs[16];
    uint64_t vector;
    uint64_t error;
    uint64_t rip;
    uint64_t cs;
    uint64_t rflags;
    uint64_t rsp;
    uint64_t ss;
};

/* state.c: the program that runs, and the address for its result. */
extern const struct program *program;
extern struct result *result;

/* cpu.S, vectors.S */
extern uint64_t gdt[];
extern const char vector_entries[], entry_syscall[], entry_syscall32[], entry_sysenter[];
extern char stack_exception_end[], stack_nmi_end[], stack_debug_end[], stack_pmi_end[],
    stack_double_end[], stack_call_end[];
void enter(const struct frame *frame);
void drain(void);
void vectors_load(const uint64_t v[32]);
void vectors_store(uint64_t v[32]);

/* program.c */
_Noreturn void boot(void);

/* tables.c */
void tables_init(void);

/* memory.c */
void memory_init(void);
void memory_fill(uint64_t seed);
uint64_t memory_hash(void);
void memory_unmap(void);
bool memory_map(uint64_t address);

/* exception.c */
uint64_t exception_entry(struct frame *frame);

/* log.c */
void log_start(void);
bool log_exception(uint64_t a, uint64_t b, uint64_t c, uint64_t d);
void log_sample(uint64_t a, uint64_t b, uint64_t c, uint64_t d);
void log_end(void);

/* pmu.c */
#define FIXED_RELOAD PROGRAM_COUNTERS
void pmu_init(void);
void pmu_stop(void);
void pmu_set(void);
void pmu_record(void);
uint64_t pmu_answer(bool vectored);

/* lbr.c. Of the last word of a record: without MISPRED and cycles. Predictions are not migrated. */
#define LBR_INFO_TYPE (UINT64_C(0xf) << 56)
void lbr_init(bool intel);
void lbr_set(void);
void lbr_record(void);

/* ibs.c */
void ibs_init(void);
void ibs_stop(void);
void ibs_set(void);
void ibs_record(void);
void ibs_answer(bool again);

/* pebs.c */
void pebs_init(void);
void pebs_set(void);
void pebs_take(void);

static inline void cpuid(uint32_t leaf, uint32_t regs[4])
{
    __asm__ volatile("cpuid"
                     : "=a"(regs[0]), "=b"(regs[1]), "=c"(regs[2]), "=d"(regs[3])
                     : "a"(leaf), "c"(0));
}

static inline uint64_t read_msr(uint32_t msr)
{
    uint32_t low, high;

    __asm__ volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
    return low | (uint64_t)high << 32;
}

static inline void write_msr(uint32_t msr, uint64_t value)
{
    __asm__ volatile("wrmsr"
                     :
                     : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
                     : "memory");
}

#define read_special(name)                                                                         \
    ({                                                                                             \
        uint64_t value_;                                                                           \
        __asm__ volatile("mov %%" #name ", %0" : "=r"(value_));                                    \
        value_;                                                                                    \
    })

#define write_special(name, value)                                                                 \
    __asm__ volatile("mov %0, %%" #name : : "r"((uint64_t)(value)) : "memory")

static inline void write_port(uint16_t port, uint8_t value)
{
    __asm__ volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

#define LAPIC_EOI 0xb0u
#define LAPIC_SVR 0xf0u
#define LAPIC_LVTPC 0x340u
#define LAPIC_LINT0 0x350u
#define LAPIC_EILVT0 0x500u
#define LAPIC_MASKED BIT(16)

static inline uint32_t read_lapic(uint32_t offset)
{
    return *(volatile uint32_t *)(uintptr_t)(LAPIC_BASE + offset);
}

static inline void write_lapic(uint32_t offset, uint64_t value)
{
    *(volatile uint32_t *)(uintptr_t)(LAPIC_BASE + offset) = (uint32_t)value;
}

#endif
