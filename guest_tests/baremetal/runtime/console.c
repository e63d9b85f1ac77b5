/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runtime/console.h"

#include "runtime/layout.h"
#include "runtime/mmio.h"

/* The PL011 can transmit from reset on, and QEMU's transmitter is never full for long. */
#define UARTDR 0x00u
#define UARTFR 0x18u
#define UARTFR_TXFF (1u << 5)

static void put_char(char c)
{
    while (mmio_read32(UART_BASE + UARTFR) & UARTFR_TXFF) {
    }
    mmio_write32(UART_BASE + UARTDR, (uint8_t)c);
}

void console_puts(const char *s)
{
    for (; *s; s++) {
        if (*s == '\n') {
            put_char('\r');
        }
        put_char(*s);
    }
}

static void put_number(uint64_t n, unsigned base)
{
    char digits[20];
    unsigned count = 0;

    do {
        digits[count++] = "0123456789abcdef"[n % base];
        n /= base;
    } while (n != 0);
    while (count > 0) {
        put_char(digits[--count]);
    }
}

void console_puthex(uint64_t n)
{
    console_puts("0x");
    put_number(n, 16);
}

void console_putnum(uint64_t n)
{
    if (n > 99999) {
        console_puthex(n);
    } else {
        put_number(n, 10);
    }
}

uint32_t console_read_flags(void)
{
    return mmio_read32(UART_BASE + UARTFR);
}
