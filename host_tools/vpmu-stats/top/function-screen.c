/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions in a terminal: a list with a cursor, or the instructions of one function. */
#include "top/function-screen.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fleet/screen.h"
#include "top/delay.h"
#include "top/function-rows.h"

#define ENTER '\r'
#define ESCAPE 27

/**
 * struct function_screen - what is shown
 * @o: the options, whose delay the user can change.
 * @row: the selected row.
 * @moved: the user has selected a function, which the cursor follows.
 * @dso, @symbol: the selected function.
 * @first: the row at the top.
 * @code: the lines of a function that is annotated; NULL for the list of functions.
 * @line: the lines of @code, without the newlines.
 * @lines: number of lines.
 * @code_first: the line at the top.
 * @help: show the keys.
 * @forget: the next frame forgets what was before.
 */
struct function_screen {
    struct live *l;
    struct function_options o;
    struct screen *screen;
    int stop_fd;
    size_t row;
    bool moved;
    char *dso;
    char *symbol;
    size_t first;
    char *code;
    char **line;
    size_t lines;
    size_t code_first;
    bool help;
    bool forget;
};

/* The instructions of a function */

static void leave_code(struct function_screen *s)
{
    free(s->code);
    free(s->line);
    s->code = NULL;
    s->line = NULL;
    s->lines = 0;
}

/* Tabs would be shown as question marks. */
static void replace_tabs(char *text)
{
    while ((text = strchr(text, '\t'))) {
        *text = ' ';
    }
}

static size_t split(char *text, char **line)
{
    size_t n = 0;

    for (char *at = text; *at; n++) {
        char *end = strchr(at, '\n');

        if (line) {
            line[n] = at;
        }
        if (!end) {
            return n + 1;
        }
        if (line) {
            *end = '\0';
        }
        at = end + 1;
    }
    return n;
}

/* Prints the selected function, or why this is not possible. */
static int make_code(struct function_screen *s, struct error *t)
{
    const struct hot_functions *h = &s->l->functions;
    size_t at = hot_functions_find(h, s->dso, s->symbol);
    struct error why = {0};
    size_t size;
    FILE *to;

    leave_code(s);
    to = open_memstream(&s->code, &size);
    if (!to) {
        return error_memory(t);
    }
    if (at == h->n) {
        fprintf(to, "%s: no samples left\n", s->symbol);
    } else if (hot_functions_annotate(h, at, to, &why)) {
        fprintf(to, "%s in %s cannot be shown:\n%s\n", s->symbol, s->dso, why.text);
    }
    if (fclose(to)) {
        return error_memory(t);
    }
    replace_tabs(s->code);
    s->lines = split(s->code, NULL);
    s->line = calloc(s->lines + 1, sizeof(*s->line));
    if (!s->line) {
        return error_memory(t);
    }
    split(s->code, s->line);
    return 0;
}

/* The cursor */

/* Remembers the function at the cursor. */
static int select_row(struct function_screen *s, struct error *t)
{
    const struct hot_functions *h = &s->l->functions;

    if (h->n == 0) {
        return 0;
    }
    s->row = s->row < h->n ? s->row : h->n - 1;
    free(s->dso);
    free(s->symbol);
    s->dso = strdup(h->row[s->row].dso);
    s->symbol = strdup(h->row[s->row].symbol);
    return s->dso && s->symbol ? 0 : error_memory(t);
}

/* Moves the cursor to where the selected function is now. */
static int follow(struct function_screen *s, struct error *t)
{
    const struct hot_functions *h = &s->l->functions;
    size_t at = s->moved && s->symbol ? hot_functions_find(h, s->dso, s->symbol) : h->n;

    if (s->code) {
        return make_code(s, t);
    }
    s->row = at < h->n ? at : s->row;
    return select_row(s, t);
}

static size_t move(size_t at, size_t n, size_t page, int key)
{
    size_t step = key == SCREEN_UP || key == SCREEN_DOWN ? 1 : page;

    switch (key) {
    case SCREEN_UP:
    case SCREEN_PAGE_UP:
        return step > at ? 0 : at - step;
    case SCREEN_DOWN:
    case SCREEN_PAGE_DOWN:
        return n == 0 ? 0 : at + step < n ? at + step : n - 1;
    case SCREEN_HOME:
        return 0;
    case SCREEN_END:
        return n ? n - 1 : 0;
    default:
        return at;
    }
}

/* Drawing */

static void write_row(const void *opaque, size_t i, FILE *to)
{
    const struct function_screen *s = opaque;
    struct function_rows r = function_rows_choose(&s->l->functions, screen_width(s->screen));

    function_rows_row(&r, &s->l->functions, i, to);
}

static void write_line(const void *opaque, size_t i, FILE *to)
{
    const struct function_screen *s = opaque;

    fputs(s->line[i], to);
}

static void write_note(const struct function_screen *s, char *note, size_t size)
{
    const struct hot_functions *h = &s->l->functions;

    if (s->help) {
        snprintf(note, size, "arrows; Enter instructions; z forget; + - delay; space now; q");
    } else if (s->code) {
        snprintf(note, size, "arrows to scroll, q to go back");
    } else if (h->period && h->unknown > h->period / 2) {
        snprintf(note, size, "most samples have no function: see --symfs, --map and --vmlinux");
    } else {
        snprintf(note, size, "every %.1f s, Enter for instructions, h for help, q to quit",
                 s->o.delay / 1e3);
    }
}

/* Returns the title or the heading; NULL if there is no memory. The caller frees it. */
static char *text_of(const struct function_screen *s, bool title)
{
    struct function_rows r = function_rows_choose(&s->l->functions, screen_width(s->screen));
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (!to) {
        return NULL;
    }
    if (title) {
        function_rows_title(s->l, to);
    } else if (s->code) {
        fprintf(to, "%s", s->symbol);
    } else {
        function_rows_head(&r, to);
    }
    fclose(to);
    return text;
}

static void draw(struct function_screen *s)
{
    char note[256];
    char *title = text_of(s, true);
    char *head = text_of(s, false);
    const struct screen_page page = {.title = title ? title : "",
                                     .head = head ? head : "",
                                     .n = s->code ? s->lines : s->l->functions.n,
                                     .write = s->code ? write_line : write_row,
                                     .opaque = s,
                                     .cursor = s->code ? SCREEN_NO_CURSOR : s->row,
                                     .note = note};

    write_note(s, note, sizeof(note));
    screen_show(s->screen, &page, s->code ? &s->code_first : &s->first);
    free(title);
    free(head);
}

/* Keys */

static int press_in_code(struct function_screen *s, int key)
{
    if (key == 'q' || key == ESCAPE || key == SCREEN_LEFT) {
        leave_code(s);
    } else {
        s->code_first = move(s->code_first, s->lines, screen_rows(s->screen), key);
    }
    return 0;
}

static int press_in_list(struct function_screen *s, int key, struct error *t)
{
    if (key == 'q') {
        return error_set(t, ERROR_STOPPED, "quit");
    }
    if (key == ENTER && s->symbol && s->l->functions.n) {
        s->moved = true;
        s->code_first = 0;
        return make_code(s, t);
    }
    if (key >= SCREEN_UP && key != SCREEN_RESIZED && key != SCREEN_LEFT) {
        s->moved = true;
        s->row = move(s->row, s->l->functions.n, screen_rows(s->screen), key);
        return select_row(s, t);
    }
    return 0;
}

static int press(struct function_screen *s, int key, struct error *t)
{
    switch (key) {
    case '+':
    case '-':
        s->o.delay = delay_change(s->o.delay, key == '+');
        return 0;
    case 'z':
        s->forget = true;
        return 0;
    case 'h':
    case '?':
        s->help = !s->help;
        return 0;
    default:
        return s->code ? press_in_code(s, key) : press_in_list(s, key, t);
    }
}

static int64_t end_of(const struct function_screen *s)
{
    int timeout = s->o.measure.timeout;

    return timeout ? s->l->began + (int64_t)timeout * 1000000 : INT64_MAX;
}

/* Receives samples and handles keys until the next frame is due or the user asks for it. */
static int use_keys(struct function_screen *s, struct error *t)
{
    int64_t now;

    for (;;) {
        int64_t next = s->l->looked + (int64_t)s->o.delay * 1000000;
        int key;

        now = qmp_now();
        next = next < end_of(s) ? next : end_of(s);
        if (now >= next) {
            return 0;
        }
        if (live_wait(s->l, next, STDIN_FILENO, t) ||
            screen_wait(s->screen, s->stop_fd, now, &key, t)) {
            return -1;
        }
        if (key == ' ') {
            return 0;
        }
        if (key != SCREEN_NONE) {
            if (press(s, key, t)) {
                return -1;
            }
            draw(s);
        }
    }
}

static void run(struct function_screen *s, struct error *t)
{
    for (long n = 0; !s->o.measure.count || n <= s->o.measure.count; n++) {
        draw(s);
        if (s->l->looked >= end_of(s) || use_keys(s, t) ||
            live_frame(s->l, s->o.zero || s->forget, t) || follow(s, t)) {
            return;
        }
        s->forget = false;
    }
}

void function_screen_run(struct live *l, const struct function_options *o, int stop_fd,
                         struct error *t)
{
    struct function_screen s = {.l = l, .o = *o, .stop_fd = stop_fd};

    if (screen_check(t) || live_open(l, o, stop_fd, t) ||
        screen_open(&s.screen, out_wants_color(1, o->common.color), t)) {
        return;
    }
    run(&s, t);
    screen_close(s.screen);
    leave_code(&s);
    free(s.dso);
    free(s.symbol);
    if (t->code == ERROR_STOPPED) {
        *t = (struct error){0};
    }
}
