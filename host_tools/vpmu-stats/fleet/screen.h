/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_SCREEN_H
#define VPMU_STATS_SCREEN_H

#include <stdint.h>

#include "fleet/view.h"

struct screen;

/** enum screen_key - what was pressed, if it is not a character */
enum screen_key {
    SCREEN_NONE = 0,
    SCREEN_UP = 0x1000,
    SCREEN_DOWN,
    SCREEN_PAGE_UP,
    SCREEN_PAGE_DOWN,
    SCREEN_HOME,
    SCREEN_RESIZED,
};

/** screen_check() - is there a terminal? Return: 0, or -1 with ERROR_USAGE. */
int screen_check(struct error *t);

/**
 * screen_open() - takes over the terminal of standard input and output
 * @color: colors may be used.
 *
 * Return: 0, after which screen_close() is needed; or -1 with ERROR_USAGE.
 */
int screen_open(struct screen **s, bool color, struct error *t);

/** screen_close() - gives the terminal back as it was. @s may be NULL. */
void screen_close(struct screen *s);

/**
 * screen_draw() - shows a view
 * @first: the number of the row at the top; replaced by what is possible.
 * @note: the last line of the screen.
 */
void screen_draw(struct screen *s, const struct view *v, size_t *first, const char *note);

/** screen_width() - how many characters a line of the screen has */
int screen_width(const struct screen *s);

/** screen_rows() - how many rows of a view fit on the screen */
size_t screen_rows(const struct screen *s);

/**
 * screen_wait() - waits for a key
 * @until: not longer than this, as qmp_now() has it.
 * @key: a character, or one of enum screen_key.
 *
 * Return: 0, or -1: ERROR_STOPPED, or ERROR_OUTPUT if the terminal is gone.
 */
int screen_wait(struct screen *s, int stop_fd, int64_t until, int *key, struct error *t);

#endif
