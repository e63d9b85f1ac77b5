/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef TESTS_EXCEPTIONS_H
#define TESTS_EXCEPTIONS_H

#include "runtime/test.h"
#include "tests/events/events.h"

#define PAGE_BEFORE 2u
#define PAGE_TRIED 3u
#define SGI 0u

/* Arm ARM D14.12. */
enum kind {
    UNDEF = 0x81,
    SVC = 0x82,
    PABORT = 0x83,
    DABORT = 0x84,
    IRQ = 0x86,
    FIQ = 0x87,
    SMC = 0x88,
    HVC = 0x8a,
    TRAP_PABORT = 0x8b,
    TRAP_DABORT = 0x8c,
    TRAP_OTHER = 0x8d,
    TRAP_IRQ = 0x8e,
    TRAP_FIQ = 0x8f,
    TAKEN = 0x09,
};

/**
 * struct row - one way to take an exception
 * @from: where the code runs, and @to where the exception goes.
 * @iterations: 1 if the handler removes the cause.
 * @prepare: is called before each run.
 * @hook: what @to does. Interrupts are handled by on_irq and on_other.
 * @homes: the HOME_* for which the row is.
 */
struct row {
    const struct event_case *c;
    enum level from, to;
    enum kind kind;
    unsigned iterations;
    void (*prepare)(void);
    exception_hook hook;
    unsigned homes;
};

/* A row without a case ends the table. */
extern const struct row local_rows[], el2_rows[], el3_rows[];

/* The row that runs, with which hooks compare, and how many exceptions it has taken. */
extern const struct row *current;
extern unsigned taken;

#endif
