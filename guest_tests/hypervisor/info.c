/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hypervisor/info.h"

#include "runtime/bootargs.h"
#include "runtime/console.h"
#include "runtime/layout.h"
#include "runtime/mmio.h"

/* PL011. */
#define UARTDR (UART_BASE + 0x00)
#define UARTFR (UART_BASE + 0x18)
#define UARTFR_RXFE (1u << 4)
#define UARTIMSC (UART_BASE + 0x38)
#define UARTIMSC_RXIM (1u << 4)

/* Its interrupt in the GIC, a shared one: enabled, and routed to CPU 0. */
#define UART_INTID 33u
#define GICD_ISENABLER1 (GICD_BASE + 0x104)
#define GICD_ITARGETSR8 (GICD_BASE + 0x820)

void info_number(uint64_t n)
{
    char digits[21];
    char *p = &digits[20];

    *p = '\0';
    do {
        *--p = (char)('0' + n % 10);
        n /= 10;
    } while (n != 0);
    console_puts(p);
}

/* Interrupts are masked. The UART's interrupt wakes the CPU and is not taken. */
static void wait_for_byte(void)
{
    mmio_write32(GICD_ITARGETSR8, 1u << (UART_INTID % 4 * 8));
    mmio_write32(GICD_ISENABLER1, 1u << UART_INTID % 32);
    mmio_write32(UARTIMSC, UARTIMSC_RXIM);
    while (mmio_read32(UARTFR) & UARTFR_RXFE) {
        __asm__ volatile("wfi" : : : "memory");
    }
    mmio_read32(UARTDR);
    mmio_write32(UARTIMSC, 0);
}

void mark(const char *mode, const char *name, const char *when)
{
    uint64_t wanted;

    console_puts("MARK ");
    console_puts(mode);
    console_puts(name);
    console_puts(when);
    console_puts("\n");
    if (bootarg("marks", &wanted) && wanted != 0) {
        wait_for_byte();
    }
}
