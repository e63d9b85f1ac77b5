/* SPDX-License-Identifier: GPL-2.0-or-later */
    .text
    .balign 4096
    .globl vectors32
vectors32:
    .incbin "vectors32_code.bin"
