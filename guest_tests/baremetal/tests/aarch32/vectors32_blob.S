/* SPDX-License-Identifier: GPL-2.0-or-later */

/* vectors32_code.S as assembled for AArch32. It lies with the code, so that EL0 may execute it. */
    .text
    .balign 64
    .globl vectors32_blob
vectors32_blob:
    .incbin "tests/aarch32/vectors32_code.bin"
