/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_EXAMPLES_POLLED_H
#define VPMU_EXAMPLES_POLLED_H

/* vpmu_ops for a machine without a clock that polls the interrupt line and the headroom. */
#include "vpmu/arm/pmu.h"

static uint64_t quiet_clock(void *opaque, enum vpmu_source source)
{
    (void)opaque;
    (void)source;
    return 0;
}

static void quiet_irq(void *opaque, bool level)
{
    (void)opaque;
    (void)level;
}

static void quiet_rearm(void *opaque)
{
    (void)opaque;
}

static const struct vpmu_ops quiet_ops = {quiet_clock, quiet_irq, quiet_rearm};

#endif
