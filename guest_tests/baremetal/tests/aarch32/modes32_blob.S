/* SPDX-License-Identifier: GPL-2.0-or-later */

/* modes32_code.S as assembled for AArch32. It lies with the code, so that EL0 may execute it. */
    .text
    .balign 64
    .globl modes32_blob
modes32_blob:
    .incbin "tests/aarch32/modes32_code.bin"
