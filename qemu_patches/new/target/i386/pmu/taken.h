/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Near branches that generated code stores; see lbr.c
 */

#ifndef TARGET_I386_PMU_TAKEN_H
#define TARGET_I386_PMU_TAKEN_H

#include "tcg/vpmu-taken.h"

/* A flag of blocks beside those of state.h: they store near branches. */
#define X86_PMU_STORED_MASK (1ull << 39)

#endif
