/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_FAILURE_H
#define VPMU_RUN_FAILURE_H

/* Exit statuses of vpmu-run itself, as timeout(1) and env(1) use them. */
enum failure_status {
    FAILURE_NONE = 0,
    FAILURE_USAGE = 2,      /* invalid options of a subcommand, or an invalid file */
    FAILURE_GREW = 9,       /* compare: growth limit exceeded */
    FAILURE_TIMEOUT = 124,  /* --timeout has passed */
    FAILURE_RUN = 125,      /* vpmu-run failed */
    FAILURE_EXECUTE = 126,  /* the program cannot be executed */
    FAILURE_NOT_FOUND = 127 /* there is no such program */
};

/**
 * struct failure - what went wrong, in one line
 * @status: the exit status; FAILURE_NONE if nothing went wrong.
 */
struct failure {
    int status;
    char text[1024];
};

/**
 * failure_set() - remembers what went wrong
 * The text is made safe with format_tame().
 *
 * Return: -1, for the caller to return.
 */
int failure_set(struct failure *f, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** failure_memory() - there is no memory. Return: -1. */
int failure_memory(struct failure *f);

/** failure_print() - prints the line on standard error. Return: the exit status. */
int failure_print(const struct failure *f);

#endif
