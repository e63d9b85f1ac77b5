/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The sources that x86 instructions count as. The opcodes follow SDM volume 2, appendix A. */
#include "vpmu/x86/insn.h"

#define INST VPMU_SRC_BIT(VPMU_X86_SRC_INST)
#define COND VPMU_SRC_BIT(VPMU_X86_SRC_BR_COND)
#define DIRECT VPMU_SRC_BIT(VPMU_X86_SRC_BR_DIRECT)
#define INDIRECT VPMU_SRC_BIT(VPMU_X86_SRC_BR_INDIRECT)
#define RETURN VPMU_SRC_BIT(VPMU_X86_SRC_BR_RETURN)
#define FAR VPMU_SRC_BIT(VPMU_X86_SRC_BR_FAR)
#define CALL VPMU_SRC_BIT(VPMU_X86_SRC_BR_CALL)

#define ESCAPE 0x0f
#define GROUP_5 0xff

/* Opcodes of branches: one-byte opcodes first, then two-byte opcodes after 0FH. */
struct range {
    uint8_t first;
    uint8_t last;
    uint64_t kind;
};

static const struct range one_byte[] = {
    {0x70, 0x7f, COND},   {0x9a, 0x9a, FAR},           {0xc2, 0xc3, RETURN}, {0xca, 0xcf, FAR},
    {0xe0, 0xe3, COND},   {0xe8, 0xe8, DIRECT | CALL}, {0xe9, 0xe9, DIRECT}, {0xea, 0xea, FAR},
    {0xeb, 0xeb, DIRECT}, {0xf1, 0xf1, FAR},
};

static const struct range two_bytes[] = {
    {0x05, 0x05, FAR}, /* SYSCALL */
    {0x07, 0x07, FAR}, /* SYSRET */
    {0x34, 0x35, FAR}, /* SYSENTER, SYSEXIT */
    {0x80, 0x8f, COND},
};

/* Opcode FFH by ModRM.reg: near CALL, far CALL, near JMP, far JMP. */
static const uint64_t group_5[8] = {[2] = INDIRECT | CALL, [3] = FAR, [4] = INDIRECT, [5] = FAR};

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

vpmu_sources vpmu_insn_x86(const uint8_t *insn, size_t len, bool long_mode)
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

#define PREFIX_LOCK 0xf0
#define XCHG_FIRST 0x86
#define XCHG_LAST 0x87
#define MODRM_REGISTER 0xc0

bool vpmu_insn_x86_locked(const uint8_t *insn, size_t len, bool long_mode)
{
    size_t at = 0;

    for (; at < len && is_prefix(insn[at], long_mode); at++) {
        if (insn[at] == PREFIX_LOCK) {
            return true;
        }
    }
    return at + 1 < len && insn[at] >= XCHG_FIRST && insn[at] <= XCHG_LAST &&
           insn[at + 1] < MODRM_REGISTER;
}

/* Strings, the stack and far transfers read and write different operands. */
static const struct range two_operands[] = {
    {0x06, 0x07, 1}, {0x0e, 0x0e, 1}, {0x16, 0x17, 1}, {0x1e, 0x1f, 1},
    {0x60, 0x61, 1}, {0x6c, 0x6f, 1}, {0x8f, 0x8f, 1}, {0x9a, 0x9a, 1},
    {0xa4, 0xa7, 1}, {0xc8, 0xcf, 1}, {0xea, 0xea, 1},
};

bool vpmu_insn_x86_modifies(const uint8_t *insn, size_t len, bool long_mode)
{
    size_t at = 0;

    while (at < len && is_prefix(insn[at], long_mode)) {
        at++;
    }
    if (at + 1 >= len) {
        return false;
    }
    if (insn[at] == GROUP_5) {
        return (insn[at + 1] >> 3 & 7) < 2; /* INC and DEC, not CALL, JMP and PUSH */
    }
    return !kind_of(two_operands, sizeof(two_operands) / sizeof(two_operands[0]), insn[at]);
}

/*
 * Stalls: the cycles beyond its first for which an instruction delays the instructions after it. As
 * for Arm, they are those of a CPU of moderate size.
 */
enum {
    STALL_MULTIPLY = 2,
    STALL_DIVIDE = 8,
    STALL_DIVIDE_64 = 12,
    STALL_FP = 3,
    STALL_FP_COMPARE = 2,
    STALL_FP_FUSED = 4,
    STALL_FP_DIVIDE = 10,
    STALL_FP_DIVIDE_DOUBLE = 15,
    STALL_FP_ROOT = 12,
    STALL_FP_ROOT_DOUBLE = 20,
    STALL_X87_FUNCTION = 40,
};

#define REX_W 0x08
#define PREFIX_66 0x66
#define PREFIX_F2 0xf2
#define VEX_2 0xc5
#define VEX_3 0xc4
#define MAP_0F 1
#define MAP_0F38 2

/* An instruction taken apart as far as its stall depends on it. */
struct parts {
    uint8_t map; /* 0: one byte; 1: behind 0FH; 2: behind 0F38H; as VEX has it */
    uint8_t opcode;
    uint8_t modrm;
    bool wide;      /* REX.W or VEX.W */
    bool is_double; /* 66H or F2H: double precision where there is floating point */
};

/* Reads the fields of a VEX prefix. Returns the position of the opcode. */
static size_t take_vex(const uint8_t *insn, size_t len, size_t at, struct parts *p)
{
    size_t fields = insn[at] == VEX_2 ? at + 1 : at + 2;

    p->map = MAP_0F;
    if (fields < len) {
        p->is_double = insn[fields] & 1;
    }
    if (insn[at] == VEX_3 && fields < len) {
        p->map = insn[at + 1] & 0x1f;
        p->wide = insn[fields] & 0x80;
    }
    return fields + 1;
}

static size_t take_escape(const uint8_t *insn, size_t len, size_t at, struct parts *p)
{
    p->map = MAP_0F;
    at++;
    if (at < len && insn[at] == 0x38) {
        p->map = MAP_0F38;
        at++;
    }
    return at;
}

/* False if it is cut off. */
static bool take_apart(const uint8_t *insn, size_t len, bool long_mode, struct parts *p)
{
    size_t at = 0;

    *p = (struct parts){0};
    for (; at < len && is_prefix(insn[at], long_mode); at++) {
        p->wide |= long_mode && insn[at] >> 4 == 4 && (insn[at] & REX_W);
        p->is_double |= insn[at] == PREFIX_66 || insn[at] == PREFIX_F2;
    }
    if (at < len && long_mode && (insn[at] == VEX_2 || insn[at] == VEX_3)) {
        at = take_vex(insn, len, at, p);
    } else if (at < len && insn[at] == ESCAPE) {
        at = take_escape(insn, len, at, p);
    }
    if (at >= len) {
        return false;
    }
    p->opcode = insn[at];
    p->modrm = at + 1 < len ? insn[at + 1] : 0;
    return true;
}

static unsigned stall_of_x87(const struct parts *p)
{
    unsigned reg = p->modrm >> 3 & 7;

    switch (p->opcode) {
    case 0xd8:
    case 0xdc:
    case 0xde:
        return reg >= 6               ? STALL_FP_DIVIDE_DOUBLE
               : reg == 2 || reg == 3 ? STALL_FP_COMPARE
                                      : STALL_FP;
    case 0xd9:
        return p->modrm == 0xfa                                           ? STALL_FP_ROOT_DOUBLE
               : p->modrm >= 0xf0 && p->modrm != 0xf6 && p->modrm != 0xf7 ? STALL_X87_FUNCTION
                                                                          : 0;
    default:
        return 0;
    }
}

static unsigned stall_of_one_byte(const struct parts *p)
{
    unsigned reg = p->modrm >> 3 & 7;

    switch (p->opcode) {
    case 0x69:
    case 0x6b:
        return STALL_MULTIPLY;
    case 0xf6:
    case 0xf7:
        return reg >= 6   ? (p->wide ? STALL_DIVIDE_64 : STALL_DIVIDE)
               : reg >= 4 ? STALL_MULTIPLY
                          : 0;
    default:
        return stall_of_x87(p);
    }
}

static unsigned stall_of_0f(const struct parts *p)
{
    switch (p->opcode) {
    case 0xaf: /* IMUL */
        return STALL_MULTIPLY;
    case 0x2a: /* conversions from and to integers */
    case 0x2c:
    case 0x2d:
    case 0x58: /* ADD, MUL, conversions, SUB */
    case 0x59:
    case 0x5a:
    case 0x5b:
    case 0x5c:
    case 0xe6:
        return STALL_FP;
    case 0x2e: /* UCOMIS, COMIS */
    case 0x2f:
        return STALL_FP_COMPARE;
    case 0x51:
        return p->is_double ? STALL_FP_ROOT_DOUBLE : STALL_FP_ROOT;
    case 0x5e:
        return p->is_double ? STALL_FP_DIVIDE_DOUBLE : STALL_FP_DIVIDE;
    default:
        return 0;
    }
}

/* FMA has the opcodes x6H to xFH of 90H, A0H and B0H. */
static unsigned stall_of_0f38(const struct parts *p)
{
    bool fused = p->opcode >= 0x96 && p->opcode <= 0xbf && (p->opcode & 0xf) >= 6;

    return fused ? STALL_FP_FUSED : p->opcode == 0xf1 && p->is_double ? STALL_MULTIPLY : 0;
}

unsigned vpmu_insn_x86_stall(const uint8_t *insn, size_t len, bool long_mode)
{
    struct parts p;

    if (!take_apart(insn, len, long_mode, &p)) {
        return 0;
    }
    switch (p.map) {
    case 0:
        return stall_of_one_byte(&p);
    case MAP_0F:
        return stall_of_0f(&p);
    case MAP_0F38:
        return stall_of_0f38(&p);
    default:
        return 0;
    }
}
