/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_TROUBLE_H
#define VPMU_STATS_TROUBLE_H

/* What went wrong, which is also what the program exits with. */
enum trouble_code {
    TROUBLE_NONE = 0,
    TROUBLE_TALK = 1,       /* the socket, or what the other side says */
    TROUBLE_USAGE = 2,      /* options that make no sense */
    TROUBLE_NO_MACHINE = 3, /* nothing runs there */
    TROUBLE_NO_VPMU = 4,    /* this QEMU, or this machine, has none */
    TROUBLE_ENDED = 5,      /* the machine ended meanwhile */
    TROUBLE_OUTPUT = 6,     /* the output cannot be written */
    TROUBLE_DENIED = 7,     /* this user may not */
    TROUBLE_LISTEN = 8,     /* no server at this address */
    TROUBLE_GREW = 9,       /* more than the user allows */
    TROUBLE_STOPPED = 130,  /* the user wants to end */
};

/**
 * struct trouble - what went wrong, in one line
 * @code: TROUBLE_NONE if nothing did.
 * @text: without a newline, and with nothing in it that a terminal acts on.
 */
struct trouble {
    enum trouble_code code;
    char text[512];
};

/**
 * trouble_set() - remembers what went wrong
 * @t: what was there is replaced.
 * @code: not TROUBLE_NONE.
 * @format: as for printf(). Control characters in what it makes, the peer's for example, become
 *     question marks.
 *
 * Return: -1, for the caller to return.
 */
int trouble_set(struct trouble *t, enum trouble_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/** trouble_memory() - there is no memory. Return: -1. */
int trouble_memory(struct trouble *t);

/** trouble_tell() - one line on standard error, unless there was none or the user wanted it. */
void trouble_tell(const struct trouble *t);

#endif
