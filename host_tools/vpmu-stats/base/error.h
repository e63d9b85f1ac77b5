/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_ERROR_H
#define VPMU_STATS_ERROR_H

/* What went wrong, which is also what the program exits with. */
enum error_code {
    ERROR_NONE = 0,
    ERROR_TALK = 1,       /* the socket, or what the other side says */
    ERROR_USAGE = 2,      /* options that make no sense */
    ERROR_NO_MACHINE = 3, /* nothing runs there */
    ERROR_NO_VPMU = 4,    /* this QEMU, or this machine, has none */
    ERROR_ENDED = 5,      /* the machine ended meanwhile */
    ERROR_OUTPUT = 6,     /* the output cannot be written */
    ERROR_DENIED = 7,     /* this user may not */
    ERROR_LISTEN = 8,     /* no server at this address */
    ERROR_GREW = 9,       /* more than the user allows */
    ERROR_PIPE = 141,     /* the reader of the standard output is gone: nothing is printed */
    ERROR_STOPPED = 130,  /* the user wants to end */
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
