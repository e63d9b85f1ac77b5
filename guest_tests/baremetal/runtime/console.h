/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNTIME_CONSOLE_H
#define RUNTIME_CONSOLE_H

#include <stdint.h>

void console_puts(const char *s);

/* Decimal up to 99999, where counts are read by people; hexadecimal above. */
void console_putnum(uint64_t n);
void console_puthex(uint64_t n);

/* UARTFR, for tests that want some register of a device to read: it has no side effects. */
uint32_t console_read_flags(void);

#endif
