/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The init of each machine as data. INIT_AMD64 and INIT_ARM64 are the files. */
    .macro image name, file
    .globl \name, \name\()_size
    .balign 8
\name:
    .incbin "\file"
1:
    .balign 8
\name\()_size:
    .quad 1b - \name
    .endm

    .section .rodata
    image init_amd64, INIT_AMD64
    image init_arm64, INIT_ARM64
    .section .note.GNU-stack, "", %progbits
