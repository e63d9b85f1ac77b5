/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* What x86 instructions count as. Opcodes are those of the SDM's volume 2, appendix A. */
#include "vpmu/x86/insn.h"

#define INST VPMU_SRC_BIT(VPMU_X86_SRC_INST)
#define COND VPMU_SRC_BIT(VPMU_X86_SRC_BR_COND)
#define DIRECT VPMU_SRC_BIT(VPMU_X86_SRC_BR_DIRECT)
#define INDIRECT VPMU_SRC_BIT(VPMU_X86_SRC_BR_INDIRECT)
#define RETURN VPMU_SRC_BIT(VPMU_X86_SRC_BR_RETURN)
#define FAR VPMU_SRC_BIT(VPMU_X86_SRC_BR_FAR)

#define ESCAPE 0x0f
#define GROUP_5 0xff

/* Opcodes that are branches; the two halves are those of one byte, and of two after 0FH. */
struct range {
    uint8_t first;
    uint8_t last;
    uint64_t kind;
};

static const struct range one_byte[] = {
    {0x70, 0x7f, COND}, {0x9a, 0x9a, FAR},    {0xc2, 0xc3, RETURN},
    {0xca, 0xcf, FAR},  {0xe0, 0xe3, COND},   {0xe8, 0xe9, DIRECT},
    {0xea, 0xea, FAR},  {0xeb, 0xeb, DIRECT}, {0xf1, 0xf1, FAR},
};

static const struct range two_bytes[] = {
    {0x05, 0x05, FAR}, /* SYSCALL */
    {0x07, 0x07, FAR}, /* SYSRET */
    {0x34, 0x35, FAR}, /* SYSENTER, SYSEXIT */
    {0x80, 0x8f, COND},
};

/* By ModRM.reg: near CALL, far CALL, near JMP, far JMP. */
static const uint64_t group_5[8] = {[2] = INDIRECT, [3] = FAR, [4] = INDIRECT, [5] = FAR};

static uint64_t kind_of(const struct range *ranges, size_t n, uint8_t opcode)
{
    for (size_t i = 0; i < n; i++) {
        if (opcode >= ranges[i].first && opcode <= ranges[i].last) {
            return ranges[i].kind;
        }
    }
    return 0;
}

static bool is_prefix(uint8_t byte, bool long_mode)
{
    switch (byte) {
    case 0x26:
    case 0x2e:
    case 0x36:
    case 0x3e:
    case 0x64 ... 0x67:
    case 0xf0:
    case 0xf2:
    case 0xf3:
        return true;
    default:
        return long_mode && byte >> 4 == 4;
    }
}

uint64_t vpmu_insn_x86(const uint8_t *insn, size_t len, bool long_mode)
{
    size_t at = 0;

    while (at < len && is_prefix(insn[at], long_mode)) {
        at++;
    }
    if (at == len) {
        return INST;
    }
    if (insn[at] != ESCAPE && insn[at] != GROUP_5) {
        return INST | kind_of(one_byte, sizeof(one_byte) / sizeof(one_byte[0]), insn[at]);
    }
    if (at + 1 == len) {
        return INST;
    }
    return INST |
           (insn[at] == GROUP_5
                ? group_5[insn[at + 1] >> 3 & 7]
                : kind_of(two_bytes, sizeof(two_bytes) / sizeof(two_bytes[0]), insn[at + 1]));
}
