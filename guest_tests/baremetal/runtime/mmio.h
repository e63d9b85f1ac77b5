/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNTIME_MMIO_H
#define RUNTIME_MMIO_H

#include <stdint.h>

static inline uint32_t mmio_read32(uintptr_t address)
{
    return *(volatile uint32_t *)address;
}

static inline void mmio_write32(uintptr_t address, uint32_t value)
{
    *(volatile uint32_t *)address = value;
}

#endif
