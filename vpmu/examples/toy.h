/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_EXAMPLES_TOY_H
#define VPMU_EXAMPLES_TOY_H

/* The CPU of emulator.c, without the PMU. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct toy {
    uint64_t x[32]; /* x[31] is XZR */
    uint64_t memory;
    unsigned pc, elr; /* indices into program[] */
    unsigned el;      /* 0 or 1 */
    bool taken;       /* the last instruction was a taken branch */
};

static inline void toy_movz(struct toy *cpu, uint32_t insn)
{
    cpu->x[insn & 31] = (uint64_t)(insn >> 5 & 0xffff) << (insn >> 21 & 3) * 16;
}

static inline void toy_add_sub(struct toy *cpu, uint32_t insn)
{
    uint64_t imm = insn >> 10 & 0xfff;

    cpu->x[insn & 31] = cpu->x[insn >> 5 & 31] + (insn >> 30 & 1 ? -imm : imm);
}

static inline void toy_ldr(struct toy *cpu, uint32_t insn)
{
    cpu->x[insn & 31] = cpu->memory;
}

static inline void toy_str(struct toy *cpu, uint32_t insn)
{
    cpu->memory = cpu->x[insn & 31];
}

static inline void toy_cbnz(struct toy *cpu, uint32_t insn)
{
    cpu->taken = cpu->x[insn & 31] != 0;
    if (cpu->taken) {
        cpu->pc -= 1 + (0x80000 - (insn >> 5 & 0x7ffff)); /* backwards; pc is the next one */
    }
}

/* Returns false if the instruction is undefined. */
static inline bool toy_execute(struct toy *cpu, uint32_t insn)
{
    static const struct {
        uint32_t mask;
        uint32_t value;
        void (*execute)(struct toy *cpu, uint32_t insn);
    } rows[] = {
        {0xff800000, 0xd2800000, toy_movz}, {0xbf800000, 0x91000000, toy_add_sub},
        {0xffc00000, 0xf9400000, toy_ldr},  {0xffc00000, 0xf9000000, toy_str},
        {0xff000000, 0xb5000000, toy_cbnz},
    };

    cpu->taken = false;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if ((insn & rows[i].mask) == rows[i].value) {
            rows[i].execute(cpu, insn);
            cpu->x[31] = 0;
            return true;
        }
    }
    return false;
}

#endif
