/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The init of the machine as data. INIT is the file. */
    .section .rodata
    .globl init_image, init_image_size
    .balign 8
init_image:
    .incbin INIT
1:
    .balign 8
init_image_size:
    .quad 1b - init_image
    .section .note.GNU-stack, "", %progbits
