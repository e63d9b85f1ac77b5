/* SPDX-License-Identifier: GPL-2.0-or-later */

/* events32_code.S as assembled for AArch32. It lies with the code, so that EL0 may execute it. */
    .text
    .balign 64
    .globl events32_blob
events32_blob:
    .incbin "tests/aarch32/events32_code.bin"
