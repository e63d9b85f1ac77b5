/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_ERROR_H
#define VPMU_STATS_ERROR_H

/* Kinds of errors, which are also exit codes. */
enum error_code {
    ERROR_NONE = 0,
    ERROR_TALK = 1,       /* communication with QEMU or libvirt failed */
    ERROR_USAGE = 2,      /* invalid options, or a file that cannot be read */
    ERROR_NO_MACHINE = 3, /* no machine is running there */
    ERROR_NO_VPMU = 4,    /* this QEMU or this machine has no virtual PMU */
    ERROR_ENDED = 5,      /* the machine ended during the command */
    ERROR_OUTPUT = 6,     /* the output cannot be written */
    ERROR_DENIED = 7,     /* permission denied */
    ERROR_LISTEN = 8,     /* cannot listen on the address */
    ERROR_GREW = 9,       /* growth limit exceeded */
    ERROR_PIPE = 141,     /* the reader of the standard output is gone: nothing is printed */
    ERROR_STOPPED = 130,  /* the user interrupted */
};

/**
 * struct error - what went wrong, in one line
 * @code: ERROR_NONE if nothing did.
 * @text: without a newline, and with nothing in it that a terminal acts on.
 */
struct error {
    enum error_code code;
    char text[512];
};

/**
 * error_set() - remembers what went wrong
 * @t: what was there is replaced.
 * @code: not ERROR_NONE.
 * @format: as for printf(). Control characters in what it makes, the peer's for example, become
 *     question marks.
 *
 * Return: -1, for the caller to return.
 */
int error_set(struct error *t, enum error_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** error_memory() - there is no memory. Return: -1. */
int error_memory(struct error *t);

/** error_print() - one line on standard error, unless there was none or the user wanted it. */
void error_print(const struct error *t);

#endif
