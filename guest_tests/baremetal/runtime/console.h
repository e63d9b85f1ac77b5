/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RUNTIME_CONSOLE_H
#define RUNTIME_CONSOLE_H

#include <stdint.h>

void console_puts(const char *s);

/* Prints decimal up to 99999, for counts that people read, and hexadecimal above. */
void console_putnum(uint64_t n);
void console_puthex(uint64_t n);

/* UARTFR, for tests that need to read a device register: reading it has no side effects. */
uint32_t console_read_flags(void);

#endif
