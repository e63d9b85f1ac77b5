/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
/* The bytes of an x86 instruction, and what it counts as besides an instruction. */
#include "fixture.h"
#include "vpmu/x86/insn.h"

#define X86_SRC(source) VPMU_SRC_BIT(VPMU_X86_SRC_##source)
#define INT BIT(20)

/* The bytes of an instruction, and what it counts as besides an instruction. */
START_TEST(instructions)
{
    static const struct {
        const char *what;
        uint8_t insn[5];
        uint8_t len;
        bool long_mode;
        uint64_t want;
    } rows[] = {
        {"NOP", {0x90}, 1, true, 0},
        {"JE", {0x74, 0}, 2, true, X86_SRC(BR_COND)},
        {"LOOPNE", {0xe0, 0}, 2, true, X86_SRC(BR_COND)},
        {"JRCXZ", {0xe3, 0}, 2, true, X86_SRC(BR_COND)},
        {"IN, the byte after JRCXZ", {0xe4, 0}, 2, true, 0},
        {"JNE of 32 bits", {0x0f, 0x85}, 2, true, X86_SRC(BR_COND)},
        {"SETNE", {0x0f, 0x95, 0xc0}, 3, true, 0},
        {"CALL", {0xe8, 0}, 5, true, X86_SRC(BR_DIRECT) | X86_SRC(BR_CALL)},
        {"JMP of 32 bits", {0xe9, 0}, 5, true, X86_SRC(BR_DIRECT)},
        {"JMP", {0xeb, 0}, 2, true, X86_SRC(BR_DIRECT)},
        {"BND JMP", {0xf2, 0xe9}, 2, true, X86_SRC(BR_DIRECT)},
        {"CALL RAX", {0xff, 0xd0}, 2, true, X86_SRC(BR_INDIRECT) | X86_SRC(BR_CALL)},
        {"JMP R9", {0x41, 0xff, 0xe1}, 3, true, X86_SRC(BR_INDIRECT)},
        {"INC EAX", {0xff, 0xc0}, 2, true, 0},
        {"PUSH [RAX]", {0xff, 0x30}, 2, true, 0},
        {"far JMP [RAX]", {0xff, 0x28}, 2, true, X86_SRC(BR_FAR)},
        {"RET", {0xc3}, 1, true, X86_SRC(BR_RETURN)},
        {"REP RET", {0xf3, 0xc3}, 2, true, X86_SRC(BR_RETURN)},
        {"RET 8", {0xc2, 8, 0}, 3, true, X86_SRC(BR_RETURN)},
        {"LES or VEX", {0xc4}, 1, false, 0},
        {"far RET", {0xcb}, 1, true, X86_SRC(BR_FAR)},
        {"IRETQ", {0x48, 0xcf}, 2, true, X86_SRC(BR_FAR)},
        {"INT3", {0xcc}, 1, true, X86_SRC(BR_FAR)},
        {"INT 80H", {0xcd, 0x80}, 2, true, X86_SRC(BR_FAR)},
        {"SYSCALL", {0x0f, 5}, 2, true, X86_SRC(BR_FAR)},
        {"CLTS", {0x0f, 6}, 2, true, 0},
        {"SYSEXIT", {0x0f, 0x35}, 2, true, X86_SRC(BR_FAR)},
        {"INC EDX in 32-bit code", {0x42, 0xeb, 0}, 3, false, 0},
        {"REX JMP in 64-bit code", {0x42, 0xeb, 0}, 3, true, X86_SRC(BR_DIRECT)},
        {"cut off behind 0FH, before JNE", {0x0f, 0x85}, 1, true, 0},
        {"cut off behind FFH, before CALL RAX", {0xff, 0xd0}, 1, true, 0},
        {"prefixes alone", {0x66, 0xf0}, 2, true, 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        expect_sources(rows[i].what, rows[i].want | INST_SRC,
                       vpmu_insn_x86(rows[i].insn, rows[i].len, rows[i].long_mode));
    }
}
END_TEST

/* Bytes, and the cycles for which they stall what is behind them. */
START_TEST(stalls)
{
    static const struct {
        const char *what;
        uint8_t insn[6];
        uint8_t len;
        bool long_mode;
        unsigned want;
    } rows[] = {
        {"NOP", {0x90}, 1, true, 0},
        {"DIV ECX", {0xf7, 0xf1}, 2, true, 8},
        {"DIV CL", {0xf6, 0xf1}, 2, true, 8},
        {"DIV RCX", {0x48, 0xf7, 0xf1}, 3, true, 12},
        {"DIV R9D", {0x41, 0xf7, 0xf1}, 3, true, 8},
        {"DIV [CS:RCX]", {0x2e, 0xf7, 0x31}, 3, true, 8},
        {"DIV R9", {0x49, 0xf7, 0xf1}, 3, true, 12},
        {"DEC EAX; DIV ECX in 32-bit code", {0x48, 0xf7, 0xf1}, 3, false, 0},
        {"IDIV RCX", {0x48, 0xf7, 0xf9}, 3, true, 12},
        {"MUL ECX", {0xf7, 0xe1}, 2, true, 2},
        {"NEG ECX", {0xf7, 0xd9}, 2, true, 0},
        {"IMUL EAX, ECX", {0x0f, 0xaf, 0xc1}, 3, true, 2},
        {"IMUL EAX, ECX, 3", {0x6b, 0xc1, 3}, 3, true, 2},
        {"CRC32 EAX, ECX", {0xf2, 0x0f, 0x38, 0xf1, 0xc1}, 5, true, 2},
        {"MOVBE [RAX], ECX", {0x0f, 0x38, 0xf1, 0x08}, 4, true, 0},
        {"DIVSS", {0xf3, 0x0f, 0x5e, 0xc1}, 4, true, 10},
        {"DIVSD", {0xf2, 0x0f, 0x5e, 0xc1}, 4, true, 15},
        {"SQRTPS", {0x0f, 0x51, 0xc1}, 3, true, 12},
        {"SQRTPD", {0x66, 0x0f, 0x51, 0xc1}, 4, true, 20},
        {"ADDSD", {0xf2, 0x0f, 0x58, 0xc1}, 4, true, 3},
        {"UCOMISD", {0x66, 0x0f, 0x2e, 0xc1}, 4, true, 2},
        {"ANDPS", {0x0f, 0x54, 0xc1}, 3, true, 0},
        {"VDIVSD", {0xc5, 0xf3, 0x5e, 0xc1}, 4, true, 15},
        {"VDIVPS", {0xc5, 0xf0, 0x5e, 0xc1}, 4, true, 10},
        {"VFMADD231SD", {0xc4, 0xe2, 0xf1, 0xb9, 0xc2}, 5, true, 4},
        {"LES in 32-bit code", {0xc5, 0xf3}, 2, false, 0},
        {"FADD", {0xd8, 0xc1}, 2, true, 3},
        {"FDIVP", {0xde, 0xf9}, 2, true, 15},
        {"FCOM", {0xd8, 0xd1}, 2, true, 2},
        {"FSQRT", {0xd9, 0xfa}, 2, true, 20},
        {"FSIN", {0xd9, 0xfe}, 2, true, 40},
        {"FLD1", {0xd9, 0xe8}, 2, true, 0},
        {"FINCSTP", {0xd9, 0xf7}, 2, true, 0},
        {"cut off", {0x0f}, 1, true, 0},
        {"cut off behind VEX", {0xc4, 0xe2}, 2, true, 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        expect_in(rows[i].what, "cycles", rows[i].want,
                  vpmu_insn_x86_stall(rows[i].insn, rows[i].len, rows[i].long_mode));
    }
}
END_TEST

START_TEST(locks)
{
    static const struct {
        const char *what;
        uint8_t insn[6];
        uint8_t len;
        bool long_mode;
        bool want;
    } rows[] = {
        {"LOCK INC", {0xf0, 0xff, 0x00}, 3, true, true},
        {"LOCK behind others", {0x66, 0x41, 0xf0, 0xff, 0x00}, 5, true, true},
        {"INC", {0xff, 0x00}, 2, true, false},
        {"XCHG with memory", {0x48, 0x87, 0x03}, 3, true, true},
        {"of bytes", {0x86, 0x40, 0x01}, 3, false, true},
        {"of registers", {0x48, 0x87, 0xc3}, 3, true, false},
        {"an immediate of F0H", {0x04, 0xf0}, 2, true, false},
        {"DEC EAX in 32-bit code", {0x48, 0x87, 0x03}, 3, false, false},
        {"cut off", {0x87}, 1, true, false},
        {"only prefixes", {0x66, 0x66}, 2, true, false},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        expect_in(rows[i].what, "locked", rows[i].want,
                  vpmu_insn_x86_locked(rows[i].insn, rows[i].len, rows[i].long_mode));
    }
}
END_TEST

START_TEST(modifying)
{
    static const struct {
        const char *what;
        uint8_t insn[6];
        uint8_t len;
        bool want;
    } rows[] = {
        {"INC", {0xff, 0x00}, 2, true},
        {"INC of 64 bits", {0x48, 0xff, 0x00}, 3, true},
        {"DEC", {0xff, 0x08}, 2, true},
        {"ADD", {0x01, 0x03}, 2, true},
        {"LOCK XADD", {0xf0, 0x0f, 0xc1, 0x03}, 4, true},
        {"XCHG", {0x87, 0x03}, 2, true},
        {"SHL", {0xd1, 0x23}, 2, true},
        {"BTS", {0x0f, 0xab, 0x03}, 3, true},
        {"PUSH", {0xff, 0x30}, 2, false},
        {"CALL", {0xff, 0x10}, 2, false},
        {"POP", {0x8f, 0x00}, 2, false},
        {"MOVS", {0x48, 0xa5}, 2, false},
        {"REP MOVS", {0xf3, 0xa4}, 2, false},
        {"IRET", {0x48, 0xcf}, 2, false},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        expect_in(rows[i].what, "modifies", rows[i].want,
                  vpmu_insn_x86_modifies(rows[i].insn, rows[i].len, true));
    }
}
END_TEST

/*
 * SDM volume 2 for the encodings; perf's lists for what counts: "Applies to ... ADD SUB HADD HSUB
 * SUBADD MUL DIV MIN MAX SQRT RSQRT RCP DPP FM(N)ADD/SUB. DPP and FM(N)ADD/SUB instructions count
 * twice"; AMD's "Each MAC operation is counted as 2 FLOPS".
 */
static const struct {
    const char *what;
    uint8_t insn[8];
    uint8_t len;
    struct vpmu_x86_tally want[VPMU_X86_TALLIES];
} floating_rows[] = {
    {"ADD", {0x01, 0xc0}, 2, {{0, 0}}},
    {"FADD", {0xd8, 0xc0}, 2, {{VPMU_X86_SRC_X87, 1}}},
    {"PADDB of MMX", {0x0f, 0xfc, 0xc0}, 3, {{VPMU_X86_SRC_MMX, 1}}},
    {"EMMS", {0x0f, 0x77}, 2, {{VPMU_X86_SRC_MMX, 1}}},
    {"PADDB of SSE", {0x66, 0x0f, 0xfc, 0xc0}, 4, {{VPMU_X86_SRC_SSE, 1}}},
    {"MOVAPS", {0x0f, 0x28, 0xc1}, 3, {{VPMU_X86_SRC_SSE, 1}}},
    {"CVTSI2SD",
     {0xf2, 0x48, 0x0f, 0x2a, 0xc0},
     5,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_SCALAR_CVT, 1}}},
    {"POPCNT", {0xf3, 0x0f, 0xb8, 0xc0}, 4, {{0, 0}}},
    {"VZEROUPPER", {0xc5, 0xf8, 0x77}, 3, {{VPMU_X86_SRC_SSE, 1}}},
    {"ANDN of BMI", {0xc4, 0xe2, 0x78, 0xf2, 0xc0}, 5, {{0, 0}}},
    {"ADDSD",
     {0xf2, 0x0f, 0x58, 0xc1},
     4,
     {{VPMU_X86_SRC_FP_SCALAR_DOUBLE, 1},
      {VPMU_X86_SRC_FLOPS_ADD_DOUBLE, 1},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_SCALAR_ADD, 1}}},
    {"STMXCSR", {0x41, 0x0f, 0xae, 0x1c, 0x24}, 5, {{VPMU_X86_SRC_SSE, 1}}},
    {"VSTMXCSR", {0xc4, 0xc1, 0x78, 0xae, 0x1c, 0x24}, 6, {{VPMU_X86_SRC_SSE, 1}}},
    {"LFENCE", {0x0f, 0xae, 0xe8}, 3, {{0, 0}}},
    {"XSAVE", {0x0f, 0xae, 0x20}, 3, {{0, 0}}},
    {"MOVNTI", {0x49, 0x0f, 0xc3, 0x04, 0x24}, 5, {{VPMU_X86_SRC_SSE, 1}}},
    /* SDM 2, 2.2.1.1: REX is ignored if it does not immediately precede the opcode. */
    {"ADDSD with REX first",
     {0x48, 0xf2, 0x0f, 0x58, 0xc1},
     5,
     {{VPMU_X86_SRC_FP_SCALAR_DOUBLE, 1},
      {VPMU_X86_SRC_FLOPS_ADD_DOUBLE, 1},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_SCALAR_ADD, 1}}},
    {"SUBSS with REX",
     {0xf3, 0x44, 0x0f, 0x5c, 0xc1},
     5,
     {{VPMU_X86_SRC_FP_SCALAR_SINGLE, 1},
      {VPMU_X86_SRC_FLOPS_ADD_SINGLE, 1},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_SCALAR_SUB, 1}}},
    {"MULPD",
     {0x66, 0x0f, 0x59, 0xc1},
     4,
     {{VPMU_X86_SRC_FP_128_DOUBLE, 1},
      {VPMU_X86_SRC_FLOPS_MUL_DOUBLE, 2},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_128_MUL, 1}}},
    {"DIVPS",
     {0x0f, 0x5e, 0xc1},
     3,
     {{VPMU_X86_SRC_FP_128_SINGLE, 1},
      {VPMU_X86_SRC_FLOPS_DIV_SINGLE, 4},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_128_DIV, 1}}},
    {"SQRTSD",
     {0xf2, 0x0f, 0x51, 0xc1},
     4,
     {{VPMU_X86_SRC_FP_SCALAR_DOUBLE, 1},
      {VPMU_X86_SRC_FLOPS_DIV_DOUBLE, 1},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_SCALAR_SQRT, 1}}},
    {"RCPPS",
     {0x0f, 0x53, 0xc1},
     3,
     {{VPMU_X86_SRC_FP_128_SINGLE, 1}, {VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_128_OTHER, 1}}},
    {"MAXSD",
     {0xf2, 0x0f, 0x5f, 0xc1},
     4,
     {{VPMU_X86_SRC_FP_SCALAR_DOUBLE, 1},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_SCALAR_OTHER, 1}}},
    {"HADDPS",
     {0xf2, 0x0f, 0x7c, 0xc1},
     4,
     {{VPMU_X86_SRC_FP_128_SINGLE, 1},
      {VPMU_X86_SRC_FLOPS_ADD_SINGLE, 4},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_128_SHUFFLE, 1}}},
    {"ADDSUBPD",
     {0x66, 0x0f, 0xd0, 0xc1},
     4,
     {{VPMU_X86_SRC_FP_128_DOUBLE, 1},
      {VPMU_X86_SRC_FLOPS_ADD_DOUBLE, 2},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_128_ADD, 1}}},
    {"UCOMISD",
     {0x66, 0x0f, 0x2e, 0xc1},
     4,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_SCALAR_CMP, 1}}},
    {"CMPPS", {0x0f, 0xc2, 0xc1, 0x00}, 4, {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_128_CMP, 1}}},
    {"VADDPS of 256 bits",
     {0xc5, 0xf4, 0x58, 0xc2},
     4,
     {{VPMU_X86_SRC_FP_256_SINGLE, 1},
      {VPMU_X86_SRC_FLOPS_ADD_SINGLE, 8},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_256_ADD, 1}}},
    {"VMULPD of 256 bits",
     {0xc5, 0xf5, 0x59, 0xc2},
     4,
     {{VPMU_X86_SRC_FP_256_DOUBLE, 1},
      {VPMU_X86_SRC_FLOPS_MUL_DOUBLE, 4},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_256_MUL, 1}}},
    {"VFMADD231PD of 256 bits",
     {0xc4, 0xe2, 0xf5, 0xb8, 0xc2},
     5,
     {{VPMU_X86_SRC_FP_256_DOUBLE, 2},
      {VPMU_X86_SRC_FLOPS_MAC_DOUBLE, 8},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_256_MAC, 1}}},
    {"VFMADD231PS of 256 bits",
     {0xc4, 0xe2, 0x75, 0xb8, 0xc2},
     5,
     {{VPMU_X86_SRC_FP_256_SINGLE, 2},
      {VPMU_X86_SRC_FLOPS_MAC_SINGLE, 16},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_256_MAC, 1}}},
    {"VFNMSUB213SS",
     {0xc4, 0xe2, 0x71, 0xaf, 0xc2},
     5,
     {{VPMU_X86_SRC_FP_SCALAR_SINGLE, 2},
      {VPMU_X86_SRC_FLOPS_MAC_SINGLE, 2},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_SCALAR_MAC, 1}}},
    {"VFMADDSUB132PD",
     {0xc4, 0xe2, 0xf1, 0x96, 0xc2},
     5,
     {{VPMU_X86_SRC_FP_128_DOUBLE, 2},
      {VPMU_X86_SRC_FLOPS_MAC_DOUBLE, 4},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_128_MAC, 1}}},
    {"VFMADD132SD",
     {0xc4, 0xe2, 0xf1, 0x99, 0xc2},
     5,
     {{VPMU_X86_SRC_FP_SCALAR_DOUBLE, 2},
      {VPMU_X86_SRC_FLOPS_MAC_DOUBLE, 2},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_SCALAR_MAC, 1}}},
    {"DPPS",
     {0x66, 0x0f, 0x3a, 0x40, 0xc1, 0xff},
     6,
     {{VPMU_X86_SRC_FP_128_SINGLE, 2},
      {VPMU_X86_SRC_FLOPS_MUL_SINGLE, 4},
      {VPMU_X86_SRC_FLOPS_ADD_SINGLE, 4},
      {VPMU_X86_SRC_SSE, 1},
      {VPMU_X86_SRC_OPS_128_SHUFFLE, 1}}},
    {"XORPS", {0x0f, 0x57, 0xc1}, 3, {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_128_LOGICAL, 1}}},
    {"VANDPD of 256 bits",
     {0xc5, 0xf5, 0x54, 0xc2},
     4,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_256_LOGICAL, 1}}},
    {"CVTTSD2SI",
     {0xf2, 0x48, 0x0f, 0x2c, 0xc1},
     5,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_SCALAR_CVT, 1}}},
    {"CVTPS2PD", {0x0f, 0x5a, 0xc1}, 3, {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_128_CVT, 1}}},
    {"VCVTDQ2PS of 256 bits",
     {0xc5, 0xfc, 0x5b, 0xc1},
     4,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_256_CVT, 1}}},
    {"CVTSS2SD",
     {0xf3, 0x0f, 0x5a, 0xc1},
     4,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_SCALAR_CVT, 1}}},
    {"VCVTPD2DQ of 256 bits",
     {0xc5, 0xff, 0xe6, 0xc1},
     4,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_256_CVT, 1}}},
    {"VCVTPS2PH of 256 bits",
     {0xc4, 0xe3, 0x7d, 0x1d, 0xc1, 0x00},
     6,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_256_CVT, 1}}},
    {"COMISS", {0x0f, 0x2f, 0xc1}, 3, {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_SCALAR_CMP, 1}}},
    {"CMPSD",
     {0xf2, 0x0f, 0xc2, 0xc1, 0x00},
     5,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_SCALAR_CMP, 1}}},
    {"BLENDPS",
     {0x66, 0x0f, 0x3a, 0x0c, 0xc1, 0x01},
     6,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_128_BLEND, 1}}},
    {"VBLENDVPD of 256 bits",
     {0xc4, 0xe3, 0x75, 0x4b, 0xc2, 0x30},
     6,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_256_BLEND, 1}}},
    {"SHUFPS",
     {0x0f, 0xc6, 0xc1, 0x00},
     4,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_128_SHUFFLE, 1}}},
    {"MOVDDUP",
     {0xf2, 0x0f, 0x12, 0xc1},
     4,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_128_SHUFFLE, 1}}},
    {"VPERM2F128",
     {0xc4, 0xe3, 0x75, 0x06, 0xc2, 0x01},
     6,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_256_SHUFFLE, 1}}},
    {"ROUNDSD",
     {0x66, 0x0f, 0x3a, 0x0b, 0xc1, 0x00},
     6,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_SCALAR_OTHER, 1}}},
    {"ROUNDPS",
     {0x66, 0x0f, 0x3a, 0x08, 0xc1, 0x00},
     6,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_128_OTHER, 1}}},
    {"PREFETCHNTA", {0x0f, 0x18, 0x00}, 3, {{VPMU_X86_SRC_PREFETCH_NTA, 1}}},
    {"PREFETCHT0", {0x41, 0x0f, 0x18, 0x48, 0x40}, 5, {{VPMU_X86_SRC_PREFETCH_T0, 1}}},
    {"PREFETCHT1", {0x0f, 0x18, 0x10}, 3, {{VPMU_X86_SRC_PREFETCH_T1_T2, 1}}},
    {"PREFETCHT2", {0x0f, 0x18, 0x18}, 3, {{VPMU_X86_SRC_PREFETCH_T1_T2, 1}}},
    {"NOP, 0F18H /4", {0x0f, 0x18, 0x20}, 3, {{0, 0}}},
    {"NOP, 0F18H /0 with a register", {0x0f, 0x18, 0xc0}, 3, {{0, 0}}},
    {"PREFETCH", {0x0f, 0x0d, 0x00}, 3, {{VPMU_X86_SRC_PREFETCH_T0, 1}}},
    {"PREFETCHW", {0x0f, 0x0d, 0x08}, 3, {{VPMU_X86_SRC_PREFETCH_W, 1}}},
    {"NOP, 0F1FH", {0x0f, 0x1f, 0x00}, 3, {{0, 0}}},
    {"BLENDPD",
     {0x66, 0x0f, 0x3a, 0x0d, 0xc1, 0x00},
     6,
     {{VPMU_X86_SRC_SSE, 1}, {VPMU_X86_SRC_OPS_128_BLEND, 1}}},
    {"only prefixes", {0xf2, 0x66}, 2, {{0, 0}}},
    {"cut off", {0xc4, 0xe2}, 2, {{0, 0}}},
};

START_TEST(floating_point)
{
    for (size_t i = 0; i < COUNT_OF(floating_rows); i++) {
        struct vpmu_x86_tally tally[VPMU_X86_TALLIES] = {{0, 0}};
        unsigned kind = vpmu_insn_x86_fp(floating_rows[i].insn, floating_rows[i].len, true);
        unsigned n = vpmu_insn_x86_fp_tally(kind, tally);

        expect_in(floating_rows[i].what, "a kind in its range", true, kind < VPMU_X86_FP_KINDS);
        for (unsigned t = 0; t < VPMU_X86_TALLIES; t++) {
            expect_in(floating_rows[i].what, "source", floating_rows[i].want[t].source,
                      tally[t].source);
            expect_in(floating_rows[i].what, "count", floating_rows[i].want[t].n, tally[t].n);
            expect_in(floating_rows[i].what, "is set", t<n, tally[t].n> 0);
        }
    }
}
END_TEST

Suite *x86_insn_suite(void)
{
    const TTest *const tests[] = {instructions, stalls, locks, modifying, floating_point};

    return suite_of("x86_insn", tests, COUNT_OF(tests));
}
