/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>

/* Makes what perf needs for memory samples ready. Reports a failed test if that is impossible. */
bool memory_prepare(void);

/* The samples are AMD's, of any instruction and also of the kernel. */
bool memory_by_ibs(void);

/* How perf c2c calls a load of a line that another CPU had modified. */
extern const char memory_taken[];

#endif
