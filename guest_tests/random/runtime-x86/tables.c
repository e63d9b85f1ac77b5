/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime.h"

/* The IDT, the TSS with its stacks, and the targets of SYSCALL and SYSENTER. */

#define MSR_SYSENTER_CS 0x174u
#define MSR_SYSENTER_ESP 0x175u
#define MSR_SYSENTER_EIP 0x176u
#define MSR_STAR 0xc0000081u
#define MSR_LSTAR 0xc0000082u
#define MSR_CSTAR 0xc0000083u
#define MSR_FMASK 0xc0000084u

#define VECTOR_BYTES 16u
#define GATE_PRESENT 0x8000u
#define GATE_INTERRUPT 0x0e00u
#define GATE_USER 0x6000u

#define TSS_AVAILABLE 0x89u

/* Stacks of the TSS, by the numbers in gates. */
enum ist {
    IST_EXCEPTION = 1,
    IST_NMI,
    IST_DEBUG,
    IST_PMI,
    IST_DOUBLE
};

struct gate {
    uint16_t low;
    uint16_t selector;
    uint16_t ist;
    uint16_t middle;
    uint32_t high;
    uint32_t reserved;
};

/* ist[0] is reserved; every entry has a stack. */
struct tss {
    uint32_t reserved0;
    uint64_t rsp[3];
    uint64_t ist[8];
    uint64_t reserved1;
    uint16_t reserved2;
    uint16_t io_map;
} __attribute__((packed));

struct table_register {
    uint16_t limit;
    uint64_t base;
} __attribute__((packed));

static struct gate idt[VECTORS];
static struct tss tss = {
    .rsp = {(uintptr_t)stack_exception_end, 0, 0},
    .ist =
        {
            [IST_EXCEPTION] = (uintptr_t)stack_exception_end,
            [IST_NMI] = (uintptr_t)stack_nmi_end,
            [IST_DEBUG] = (uintptr_t)stack_debug_end,
            [IST_PMI] = (uintptr_t)stack_pmi_end,
            [IST_DOUBLE] = (uintptr_t)stack_double_end,
        },
    .io_map = sizeof(struct tss),
};

static enum ist stack_of(unsigned vector)
{
    switch (vector) {
    case 1:
        return IST_DEBUG;
    case VECTOR_NMI:
        return IST_NMI;
    case 8:
        return IST_DOUBLE;
    case VECTOR_PMI:
        return IST_PMI;
    default:
        return IST_EXCEPTION;
    }
}

static bool is_for_user(unsigned vector)
{
    return vector == 3 || vector == 4 || vector >= VECTOR_SERVICE;
}

static void set_gate(unsigned vector)
{
    uintptr_t entry = (uintptr_t)vector_entries + vector * VECTOR_BYTES;
    unsigned bits = GATE_PRESENT | GATE_INTERRUPT | (is_for_user(vector) ? GATE_USER : 0);

    if (vector == VECTOR_ABSENT) {
        bits &= ~GATE_PRESENT;
    }
    idt[vector] = (struct gate){
        .low = (uint16_t)entry,
        .selector = KERNEL_CS,
        .ist = (uint16_t)(bits | stack_of(vector)),
        .middle = (uint16_t)(entry >> 16),
    };
}

static void set_tss(void)
{
    uint64_t base = (uintptr_t)&tss;

    gdt[TSS_SELECTOR / 8] = (sizeof(tss) - 1) | (base & 0xffffff) << 16 |
                            (uint64_t)TSS_AVAILABLE << 40 | (base >> 24 & 0xff) << 56;
    gdt[TSS_SELECTOR / 8 + 1] = base >> 32;
    __asm__ volatile("ltr %w0" : : "r"(TSS_SELECTOR));
}

void tables_init(void)
{
    struct table_register idtr = {sizeof(idt) - 1, (uintptr_t)idt};

    for (unsigned i = 0; i < VECTORS; i++) {
        set_gate(i);
    }
    __asm__ volatile("lidt %0" : : "m"(idtr));
    set_tss();
    write_msr(MSR_STAR, (uint64_t)USER_CS32 << 48 | (uint64_t)KERNEL_CS << 32);
    write_msr(MSR_LSTAR, (uintptr_t)entry_syscall);
    write_msr(MSR_CSTAR, (uintptr_t)entry_syscall32);
    write_msr(MSR_FMASK, RFLAGS_TF | RFLAGS_IF | BIT(10) | BIT(14) | BIT(18));
    write_msr(MSR_SYSENTER_CS, KERNEL_CS);
    write_msr(MSR_SYSENTER_ESP, (uintptr_t)stack_call_end);
    write_msr(MSR_SYSENTER_EIP, (uintptr_t)entry_sysenter);
}
