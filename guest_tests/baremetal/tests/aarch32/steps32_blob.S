/* SPDX-License-Identifier: GPL-2.0-or-later */

/* steps32_code.S as assembled for AArch32. It lies with the code, so that EL0 may execute it. */
    .text
    .balign 64
    .globl steps32_blob
steps32_blob:
    .incbin "tests/aarch32/steps32_code.bin"
