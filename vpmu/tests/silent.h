/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_SILENT_H
#define VPMU_TESTS_SILENT_H

#include "vpmu/count.h"

/* Callbacks of a machine whose clocks stand still and that nobody listens to. */

static inline uint64_t no_clock(void *opaque, enum vpmu_source source)
{
    (void)opaque;
    (void)source;
    return 0;
}

static inline void no_irq(void *opaque, bool level)
{
    (void)opaque;
    (void)level;
}

static inline void no_rearm(void *opaque)
{
    (void)opaque;
}

#endif
