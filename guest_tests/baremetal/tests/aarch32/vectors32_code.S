/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime/layout.h"
#include "tests/aarch32/functions32.inc"
#include "tests/aarch32/vectors32_code.h"

/*
 * Each function has one instruction, at EL0. r0 is the address, r1 the counters. Functions return
 * by SVC.
 */
    .syntax unified
    .arch armv8-a
    .fpu neon-fp-armv8
    .text
    .arm

    function_table V32_FUNCTIONS

    .macro counted number, instruction:vararg
    a32 \number
    mcr p15, 0, r1, c9, c12, 1
    \instruction
    mcr p15, 0, r1, c9, c12, 2
    svc #CALL_RETURN
    .endm

    counted V32_VLD1_FOUR, vld1.8 {d0-d3}, [r0]
    counted V32_VLD1_HALVES, vld1.16 {d0}, [r0]
    counted V32_VLD4, vld4.16 {d0-d3}, [r0]
    counted V32_VST2, vst2.32 {d0, d1}, [r0]
    counted V32_VST1_TWO, vst1.64 {d0, d1}, [r0]
    counted V32_VLD1_LANE, vld1.8 {d0[3]}, [r0]
    counted V32_VLD4_LANE, vld4.8 {d0[1], d1[1], d2[1], d3[1]}, [r0]
    counted V32_VST3_LANE, vst3.16 {d0[1], d1[1], d2[1]}, [r0]
    counted V32_VLD2_ALL, vld2.16 {d0[], d1[]}, [r0]
    counted V32_VLDM_D, vldmia r0, {d0-d15}
    counted V32_VLDM_S, vldmia r0, {s0-s15}
    counted V32_VSTM_D, vstmia r0, {d0-d3}
    counted V32_VSTMDB_S, vstmdb r0!, {s0-s7}
    counted V32_VLDR, vldr d0, [r0]
