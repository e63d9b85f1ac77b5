/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Draws on the terminal. This is the only file that uses ncurses. */
#include "fleet/screen.h"

#include <curses.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/format.h"

/* Lines that are not rows: title, heading and note. */
#define OTHER_LINES 3

#define PAIR_DOWN 1

struct screen {
    SCREEN *terminal;
    bool color;
};

int screen_check(struct error *t)
{
    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)
               ? 0
               : error_set(t, ERROR_USAGE, "the standard output is not a terminal: use -b");
}

int screen_open(struct screen **s, bool color, struct error *t)
{
    const char *term = getenv("TERM");
    struct screen *new = calloc(1, sizeof(*new));

    if (!new) {
        return error_memory(t);
    }
    new->terminal = newterm(NULL, stdout, stdin);
    if (!new->terminal) {
        free(new);
        return error_set(t, ERROR_USAGE, "unknown terminal '%s' (TERM): use -b", term ? term : "");
    }
    new->color = color &&has_colors();
    if (new->color) {
        start_color();
        use_default_colors();
        init_pair(PAIR_DOWN, COLOR_RED, -1);
    }
    cbreak();
    noecho();
    nonl();
    intrflush(stdscr, FALSE);
    keypad(stdscr, TRUE);
    set_escdelay(50);
    nodelay(stdscr, TRUE);
    curs_set(0);
    *s = new;
    return 0;
}

void screen_close(struct screen *s)
{
    if (s) {
        endwin();
        delscreen(s->terminal);
        free(s);
    }
}

size_t screen_rows(const struct screen *s)
{
    (void)s;
    return LINES > OTHER_LINES ? (size_t)(LINES - OTHER_LINES) : 0;
}

int screen_width(const struct screen *s)
{
    (void)s;
    return COLS;
}

/* Cuts the text, because addnstr() would continue it on the next line. */
static void put_line(int line, const char *text)
{
    size_t size = 4 * (size_t)COLS + 1;
    char *fit = malloc(size);

    move(line, 0);
    clrtoeol();
    if (fit) {
        addnstr(format_fit(fit, size, text, COLS), -1);
    }
    free(fit);
}

/*
 * Returns the text that @fn writes, or the text of row @r if it is not NULL. The caller frees it.
 * NULL if there is no memory.
 */
static char *text_of(const struct view *v, const struct row *r,
                     void (*fn)(const struct view *, FILE *))
{
    char *text = NULL;
    size_t len;
    FILE *to = open_memstream(&text, &len);

    if (!to) {
        return NULL;
    }
    if (r) {
        view_row(v, r, to);
    } else {
        fn(v, to);
    }
    fclose(to);
    return text;
}

static void draw_text(int line, char *text)
{
    put_line(line, text ? text : "");
    free(text);
}

static void draw_head(const struct view *v)
{
    int width;
    int at = view_column(v, v->sort, &width);

    draw_text(1, text_of(v, NULL, view_head));
    mvchgat(1, 0, -1, A_REVERSE, 0, NULL);
    if (at >= 0 && at < COLS) {
        mvchgat(1, at, width, A_REVERSE | A_BOLD | A_UNDERLINE, 0, NULL);
    }
}

static void draw_row(const struct screen *s, const struct view *v, int line, const struct row *r)
{
    draw_text(line, text_of(v, r, NULL));
    if (!r->member->up) {
        mvchgat(line, 0, -1, s->color ? A_NORMAL : A_DIM, s->color ? PAIR_DOWN : 0, NULL);
    }
}

void screen_draw(struct screen *s, const struct view *v, size_t *first, const char *note)
{
    size_t rows = screen_rows(s);
    size_t last = v->n > rows ? v->n - rows : 0;

    *first = *first < last ? *first : last;
    erase();
    draw_text(0, text_of(v, NULL, view_title));
    draw_head(v);
    for (size_t i = 0; i < rows && *first + i < v->n; i++) {
        draw_row(s, v, 2 + (int)i, &v->rows[*first + i]);
    }
    put_line(LINES - 1, note);
    refresh();
}

/* Draws row @i of a page. */
static void draw_page_row(const struct screen_page *page, int line, size_t i)
{
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (to) {
        page->write(page->opaque, i, to);
        fclose(to);
    }
    draw_text(line, text);
    if (i == page->cursor) {
        mvchgat(line, 0, -1, A_REVERSE, 0, NULL);
    }
}

void screen_show(struct screen *s, const struct screen_page *page, size_t *first)
{
    size_t rows = screen_rows(s);
    size_t last = page->n > rows ? page->n - rows : 0;

    if (page->cursor != SCREEN_NO_CURSOR) {
        *first = page->cursor < *first ? page->cursor : *first;
        *first = rows && page->cursor >= *first + rows ? page->cursor - rows + 1 : *first;
    }
    *first = *first < last ? *first : last;
    erase();
    put_line(0, page->title);
    put_line(1, page->head);
    mvchgat(1, 0, -1, A_BOLD | A_UNDERLINE, 0, NULL);
    for (size_t i = 0; i < rows && *first + i < page->n; i++) {
        draw_page_row(page, 2 + (int)i, *first + i);
    }
    put_line(LINES - 1, page->note);
    refresh();
}

static int take_key(void)
{
    static const struct {
        int curses;
        int key;
    } keys[] = {
        {KEY_UP, SCREEN_UP},           {KEY_DOWN, SCREEN_DOWN}, {KEY_PPAGE, SCREEN_PAGE_UP},
        {KEY_NPAGE, SCREEN_PAGE_DOWN}, {KEY_HOME, SCREEN_HOME}, {KEY_END, SCREEN_END},
        {KEY_LEFT, SCREEN_LEFT},       {KEY_ENTER, '\r'},       {KEY_RESIZE, SCREEN_RESIZED},
    };
    int c = getch();

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (c == keys[i].curses) {
            return keys[i].key;
        }
    }
    return c > 0 && c < 0x80 ? c : SCREEN_NONE;
}

int screen_wait(struct screen *s, int stop_fd, int64_t until, int *key, struct error *t)
{
    struct pollfd fds[] = {{.fd = STDIN_FILENO, .events = POLLIN},
                           {.fd = stop_fd, .events = POLLIN}};
    int64_t left = (until - qmp_now()) / 1000000 + 1;

    (void)s;
    /* ncurses reports a resized window as a key without any input. */
    *key = take_key();
    if (*key != SCREEN_NONE) {
        return 0;
    }
    if (poll(fds, 2, left < 0 ? 0 : (int)left) < 0 && errno != EINTR) {
        return error_set(t, ERROR_TALK, "cannot wait: %s", strerror(errno));
    }
    if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL)) {
        return error_set(t, ERROR_OUTPUT, "the terminal was closed");
    }
    if (fds[1].revents) {
        return error_set(t, ERROR_STOPPED, "stopped");
    }
    *key = take_key();
    return 0;
}
