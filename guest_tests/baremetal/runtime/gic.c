/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime/gic.h"

#include "runtime/layout.h"
#include "runtime/mmio.h"

#define GICD_CTLR (GICD_BASE + 0x000)
#define GICD_ISENABLER0 (GICD_BASE + 0x100)
#define GICD_ICENABLER0 (GICD_BASE + 0x180)
#define GICD_ISPENDR0 (GICD_BASE + 0x200)
#define GICC_CTLR (GICC_BASE + 0x00)
#define GICC_PMR (GICC_BASE + 0x04)
#define GICC_IAR (GICC_BASE + 0x0c)
#define GICC_EOIR (GICC_BASE + 0x10)

#define GIC_ENABLE_GROUP0 1u
#define GICC_FIQ_ENABLE 8u
#define GICC_LOWEST_PRIORITY 0xffu
#define GICC_INTID_MASK 0x3ffu

void gic_init(void)
{
    mmio_write32(GICD_CTLR, GIC_ENABLE_GROUP0);
    mmio_write32(GICD_ICENABLER0, ~0u);
    mmio_write32(GICC_PMR, GICC_LOWEST_PRIORITY);
    mmio_write32(GICC_CTLR, GIC_ENABLE_GROUP0);
}

void gic_enable(unsigned intid)
{
    mmio_write32(GICD_ISENABLER0, 1u << intid);
}

void gic_disable(unsigned intid)
{
    mmio_write32(GICD_ICENABLER0, 1u << intid);
}

void gic_signal_fiq(bool fiq)
{
    mmio_write32(GICC_CTLR, GIC_ENABLE_GROUP0 | (fiq ? GICC_FIQ_ENABLE : 0));
}

bool gic_line(unsigned intid)
{
    return (mmio_read32(GICD_ISPENDR0) >> intid & 1u) != 0;
}

unsigned gic_acknowledge(void)
{
    return mmio_read32(GICC_IAR) & GICC_INTID_MASK;
}

void gic_end(unsigned intid)
{
    mmio_write32(GICC_EOIR, intid);
}
