/* SPDX-License-Identifier: GPL-2.0-or-later */

/* Data processing with general registers, scalar floating point, system instructions and hints. */
#include "tests/definitions/rows.inc"

    .arch armv8.8-a+fp16+memtag+bf16+rng
    table data_rows

    row "add x11, x10, x12"
    count DP_SPEC
    row "movz x11, #1"
    count DP_SPEC
    row "adrp x11, ."
    count DP_SPEC
    row "udiv x11, x10, x12"
    count DP_SPEC
    row "smulh x11, x10, x12"
    count DP_SPEC
    row "madd w11, w10, w12, w13"
    count DP_SPEC
    row "csel x11, x10, x12, ne"
    count DP_SPEC
    row "ccmp x11, x10, #4, al"
    count DP_SPEC
    row "extr x11, x10, x12, #3"
    count DP_SPEC
    row "crc32cx w11, w10, x12"
    count DP_SPEC
    row "rmif x11, #3, #15"
    count DP_SPEC
    row "cfinv"
    count DP_SPEC
    row "pacga x11, x10, x12", needs=HAS_PAUTH
    count DP_SPEC
    row "pacia x11, x10", needs=HAS_PAUTH
    count DP_SPEC
    row "xpaci x11", needs=HAS_PAUTH
    count DP_SPEC

    /* Hints. */
    row "nop"
    count DP_SPEC
    row "yield"
    count DP_SPEC
    row "sev"
    count DP_SPEC
    row "bti jc"
    count DP_SPEC
    row "pacibsp", needs=HAS_PAUTH
    count DP_SPEC
    row "hint #46"
    count DP_SPEC
    row "esb"
    any DP_SPEC

    /* System register instructions, and system instructions that write no memory. */
    row "mrs x11, tpidr_el0", at=AT_EL0
    count DP_SPEC
    row "msr tpidr_el0, x10", at=AT_EL0
    count DP_SPEC
    row "mrs x11, nzcv", at=AT_EL0
    count DP_SPEC
    row "mrs x11, cntvct_el0"
    count DP_SPEC
    row "mrs x11, midr_el1"
    count DP_SPEC
    row "msr daifset, #1"
    count DP_SPEC
    row "msr far_el1, x10"
    count DP_SPEC
    row "at s1e1r, x9"
    count DP_SPEC
    row "tlbi vae1, x9"
    count DP_SPEC
    row "ic iallu"
    count DP_SPEC

    /* CID_WRITE_RETIRED and TTBR_WRITE_RETIRED go by the name of the register. */
    row "msr contextidr_el1, x10"
    count CID_WRITE_RETIRED, DP_SPEC
    row "mrs x11, contextidr_el1"
    count DP_SPEC
    row "msr ttbr0_el1, x10", setup="mrs x10, ttbr0_el1"
    count TTBR_WRITE_RETIRED, DP_SPEC
    row "msr ttbr1_el1, x10", setup="mrs x10, ttbr1_el1"
    count TTBR_WRITE_RETIRED, DP_SPEC
    row "mrs x11, ttbr0_el1"
    count DP_SPEC
    row "msr contextidr_el1, x10", at=AT_EL2
    count CID_WRITE_RETIRED, DP_SPEC
    row "msr contextidr_el2, x10", needs=HAS_VHE, at=AT_EL2
    count DP_SPEC
    row "msr ttbr0_el1, x10", at=AT_EL2, setup="mrs x10, ttbr0_el1"
    count TTBR_WRITE_RETIRED, DP_SPEC
    row "msr ttbr0_el2, x10", at=AT_EL2, setup="mrs x10, ttbr0_el2"
    count DP_SPEC
    row "msr vttbr_el2, x10", at=AT_EL2, setup="mrs x10, vttbr_el2"
    count DP_SPEC
    row "msr ttbr1_el2, x10", needs=HAS_VHE, at=AT_EL2, setup="mrs x10, ttbr1_el2"
    count DP_SPEC
    row "msr contextidr_el1, x10", needs=HAS_VHE, at=AT_EL2_E2H
    count CID_WRITE_RETIRED, DP_SPEC
    row "msr s3_5_c13_c0_1, x10", needs=HAS_VHE, at=AT_EL2_E2H
    count DP_SPEC
    row "msr ttbr0_el1, x10", needs=HAS_VHE, at=AT_EL2_E2H, setup="mrs x10, ttbr0_el1"
    count TTBR_WRITE_RETIRED, DP_SPEC
    row "msr ttbr1_el12, x10", needs=HAS_VHE, at=AT_EL2_E2H, setup="mrs x10, ttbr1_el12"
    count DP_SPEC
    row "msr ttbr0_el12, x10", needs=HAS_VHE, at=AT_EL2_E2H, setup="mrs x10, ttbr0_el12"
    count DP_SPEC
    row "msr ttbr0_el3, x10", at=AT_EL3, setup="mrs x10, ttbr0_el3"
    count DP_SPEC
    row "msr ttbr0_el1, x10", at=AT_EL3, setup="mrs x10, ttbr0_el1"
    count TTBR_WRITE_RETIRED, DP_SPEC

    /* Scalar floating point. */
    row "fadd s0, s1, s2"
    count VFP_SPEC, FP_SP, SP_OPS
    row "fmul d0, d1, d2"
    count VFP_SPEC, FP_DP, DP_OPS
    row "fsub h0, h1, h2", needs=HAS_FP16
    count VFP_SPEC, FP_HP, HP_OPS
    row "fmadd d0, d1, d2, d3"
    count VFP_SPEC, FP_DP, FP_FMA_SPEC
    times 2, DP_OPS
    row "fnmsub s0, s1, s2, s3"
    count VFP_SPEC, FP_SP, FP_FMA_SPEC
    times 2, SP_OPS
    row "fdiv d0, d1, d2"
    count VFP_SPEC, FP_DP, DP_OPS
    row "fsqrt s0, s1"
    count VFP_SPEC, FP_SP, SP_OPS
    row "fmaxnm d0, d1, d2"
    count VFP_SPEC, FP_DP, DP_OPS
    row "fcmp d0, d1"
    count VFP_SPEC, FP_DP
    any ANY_FIXED_OPS
    row "fccmp s0, s1, #0, eq"
    count VFP_SPEC, FP_SP
    any ANY_FIXED_OPS
    /* FP_SPEC should have what FP_CVT_SPEC has. The larger type decides. */
    row "fcvt d0, s1"
    count VFP_SPEC, FP_CVT_SPEC, FP_DP
    any ANY_FIXED_OPS
    row "fcvt h0, s1"
    count VFP_SPEC, FP_CVT_SPEC, FP_SP
    any ANY_FIXED_OPS
    row "fcvtzs x11, d0"
    count VFP_SPEC, FP_CVT_SPEC
    any ANY_FP, ANY_FIXED_OPS
    row "ucvtf s0, w10"
    count VFP_SPEC, FP_CVT_SPEC
    any ANY_FP, ANY_FIXED_OPS
    row "scvtf d0, x10, #3"
    count VFP_SPEC, FP_CVT_SPEC
    any ANY_FP, ANY_FIXED_OPS
    row "fjcvtzs w11, d0", needs=HAS_JSCVT
    count VFP_SPEC, FP_CVT_SPEC
    any ANY_FP, ANY_FIXED_OPS
    row "bfcvt h0, s1", needs=HAS_BF16
    count VFP_SPEC, FP_CVT_SPEC
    any ANY_FP, ANY_FIXED_OPS
    row "fmov d0, d1"
    count VFP_SPEC
    any ANY_FP, ANY_FIXED_OPS
    row "fcsel d0, d1, d2, ne"
    count VFP_SPEC
    any ANY_FP, ANY_FIXED_OPS
    row "fabs s0, s1"
    count VFP_SPEC
    any ANY_FP, ANY_FIXED_OPS
    row "frinta d0, d1"
    count VFP_SPEC
    any ANY_FP, ANY_FIXED_OPS, FP_CVT_SPEC
    /* FMOV (general) is an integer instruction: DP_RETIRED lists it, and VFP_SPEC leaves those out. */
    row "fmov x11, d0"
    count DP_SPEC
    any ANY_FP, ANY_FIXED_OPS
    row "fmov d0, x10"
    count DP_SPEC
    any ANY_FP, ANY_FIXED_OPS
    end_table
