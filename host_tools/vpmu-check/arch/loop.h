/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_CHECK_LOOP_H
#define VPMU_CHECK_LOOP_H

#include "../check.h"

/* Defines a function, and its text for --verbose. */
#define LOOP(name, text)                                                                           \
    __asm__(".text\n.balign 64\n.globl " #name "\n.type " #name ", %function\n" #name ":\n" text   \
            ".size " #name ", . - " #name "\n");                                                   \
    void name(unsigned long turns, void *memory);                                                  \
    static const char name##_text[] = text

#endif
