/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_SCREEN_H
#define VPMU_STATS_SCREEN_H

#include <stdint.h>

#include "fleet/view.h"

struct screen;

/** enum screen_key - keys that are not characters */
enum screen_key {
    SCREEN_NONE = 0,
    SCREEN_UP = 0x1000,
    SCREEN_DOWN,
    SCREEN_PAGE_UP,
    SCREEN_PAGE_DOWN,
    SCREEN_HOME,
    SCREEN_END,
    SCREEN_LEFT,
    SCREEN_RESIZED,
};

#define SCREEN_NO_CURSOR SIZE_MAX

/**
 * struct screen_page - lines for a screen
 * @title, @head: the first two lines.
 * @n: number of rows below.
 * @write: writes row @i without a newline.
 * @cursor: the row to highlight, which is always visible; SCREEN_NO_CURSOR for none.
 * @note: the last line.
 */
struct screen_page {
    const char *title;
    const char *head;
    size_t n;
    void (*write)(const void *opaque, size_t i, FILE *to);
    const void *opaque;
    size_t cursor;
    const char *note;
};

/**
 * screen_check() - check that standard input and output are a terminal
 *
 * Return: 0, or -1 with ERROR_USAGE.
 */
int screen_check(struct error *t);

/**
 * screen_open() - switch the terminal of standard input and output to full-screen mode
 * @color: use colors if the terminal has them.
 *
 * Return: 0, or -1 with ERROR_USAGE. After success, call screen_close().
 */
int screen_open(struct screen **s, bool color, struct error *t);

/** screen_close() - restore the terminal; @s may be NULL */
void screen_close(struct screen *s);

/**
 * screen_draw() - draw a view
 * @first: the row to show at the top; reduced if the last row would not be at the bottom.
 * @note: text for the last line of the screen.
 */
void screen_draw(struct screen *s, const struct view *v, size_t *first, const char *note);

/**
 * screen_show() - draw a page
 * @first: the row to show at the top; changed if the cursor or the last row would not be visible.
 */
void screen_show(struct screen *s, const struct screen_page *page, size_t *first);

/** screen_width() - get the number of characters in a line of the screen */
int screen_width(const struct screen *s);

/** screen_rows() - get the number of rows of a view that fit on the screen */
size_t screen_rows(const struct screen *s);

/**
 * screen_wait() - wait for a key
 * @until: when to stop waiting, as a time of qmp_now().
 * @key: receives a character or an enum screen_key; SCREEN_NONE if no key was pressed.
 *
 * Return: 0, or -1 with ERROR_STOPPED, with ERROR_OUTPUT if the terminal was closed, or with
 * ERROR_TALK.
 */
int screen_wait(struct screen *s, int stop_fd, int64_t until, int *key, struct error *t);

#endif
