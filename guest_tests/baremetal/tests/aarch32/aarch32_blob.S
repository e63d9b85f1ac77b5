/* SPDX-License-Identifier: GPL-2.0-or-later */

/* aarch32_code.S as assembled for AArch32. It lies with the code, so that EL0 may execute it. */
    .text
    .balign 8
    .globl aarch32_blob
aarch32_blob:
    .incbin "tests/aarch32/aarch32_code.bin"
