/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_ERROR_H
#define VPMU_STATS_ERROR_H

/* Kinds of errors. The values are also the exit codes of the program. */
enum error_code {
    ERROR_NONE = 0,
    ERROR_TALK = 1,       /* communication with QEMU or libvirt failed */
    ERROR_USAGE = 2,      /* invalid options, or a file that cannot be read */
    ERROR_NO_MACHINE = 3, /* the machine is not running */
    ERROR_NO_VPMU = 4,    /* this QEMU or this machine has no virtual PMU */
    ERROR_ENDED = 5,      /* the machine ended during the command */
    ERROR_OUTPUT = 6,     /* the output cannot be written */
    ERROR_DENIED = 7,     /* permission denied */
    ERROR_LISTEN = 8,     /* cannot listen on the address */
    ERROR_GREW = 9,       /* growth limit exceeded */
    ERROR_PIPE = 141,     /* the reader of standard output closed it; nothing is printed */
    ERROR_STOPPED = 130,  /* the user stopped the program; nothing is printed */
};

/**
 * struct error - an error with a message of one line
 * @code: the kind; ERROR_NONE if there is no error.
 * @text: the message. It contains no newline and no other control character.
 */
struct error {
    enum error_code code;
    char text[512];
};

/**
 * error_set() - set an error
 * @t: the error. A previous error is overwritten.
 * @code: the kind; not ERROR_NONE.
 * @format: a printf() format; its arguments follow. Control characters and invalid UTF-8 in the
 *     message are replaced by question marks, because the message can contain text of the peer.
 *
 * Return: -1, so that the caller can return the result.
 */
int error_set(struct error *t, enum error_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** error_about() - begin the message with "@name: ", unless it begins so already */
void error_about(struct error *t, const char *name);

/** error_memory() - set the error "out of memory", which is an ERROR_TALK. Return: -1. */
int error_memory(struct error *t);

/**
 * error_name() - set what error_print() prints before an error, instead of "vpmu-stats"
 * @name: the program that the user has called; is not copied.
 */
void error_name(const char *name);

/**
 * error_print() - print an error as one line on standard error
 *
 * ERROR_NONE, ERROR_STOPPED and ERROR_PIPE are not printed, nor is an error without text: what it
 * is about has been printed.
 */
void error_print(const struct error *t);

#endif
