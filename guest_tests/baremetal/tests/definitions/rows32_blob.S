/* SPDX-License-Identifier: GPL-2.0-or-later */

/* rows32_code.S as assembled for AArch32. It lies with the code, so that EL0 may execute it. */
    .text
    .balign 64
    .globl rows32_blob
rows32_blob:
    .incbin "tests/definitions/rows32_code.bin"
