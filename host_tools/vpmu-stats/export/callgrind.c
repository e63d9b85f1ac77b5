/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes profiles in the formats of valgrind's callgrind and cachegrind. Callgrind's groups lines
 * by object and function; cachegrind's by source file and function.
 */
#include "export/callgrind.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/demangle.h"

/* The parts of a key. Lines have a fixed width, so that sorting by text sorts them by value. */
enum {
    KEY_OBJECT,
    KEY_HOME, /* the source file in which the function begins */
    KEY_FUNCTION,
    KEY_FILE,
    KEY_LINE,
    KEYS
};

/* What valgrind writes if a name is not known. */
#define UNKNOWN "???"

static int take_text(struct sample_input *g, const char *text, uint32_t *number, struct error *t)
{
    return string_table_number(&g->profile->texts, text && *text ? text : UNKNOWN, number, t);
}

/* Finds the source line of a place. Return: false if it is not known. */
static bool find_line(struct sample_input *g, const struct input_place *place,
                      struct dwarf_line *line)
{
    struct dwarf_line lines[DWARF_LINES_FRAMES];

    *line = (struct dwarf_line){0};
    if (sample_input_lines(g, place, lines) > 0) {
        *line = lines[0];
    }
    return line->line > 0;
}

/* The strings of a line are valid until the next one is found. */
static int take_line(struct sample_input *g, const struct input_place *place, uint32_t *key,
                     struct error *t)
{
    struct dwarf_line line;
    char number[12];
    bool known = find_line(g, place, &line);

    snprintf(number, sizeof(number), "%010u", known ? line.line : 0);
    return take_text(g, known ? line.file : NULL, &key[KEY_FILE], t) ||
           take_text(g, number, &key[KEY_LINE], t);
}

static int take_home(struct sample_input *g, const struct input_place *place, uint32_t *key,
                     struct error *t)
{
    struct input_place start = *place;
    struct dwarf_line line;

    if (place->function) {
        start.address = place->function->start;
    }
    return take_text(g, find_line(g, &start, &line) ? line.file : NULL, &key[KEY_HOME], t);
}

int callgrind_key(struct sample_input *g, const struct input_sample *s, uint32_t *key, uint32_t *n,
                  struct error *t)
{
    struct input_place place = sample_input_place(g, s, s->mode, s->s->ip);

    *n = KEYS;
    return take_text(g, place.file, &key[KEY_OBJECT], t) || take_home(g, &place, key, t) ||
                   take_text(g, place.function ? demangle_name(place.function) : NULL,
                             &key[KEY_FUNCTION], t) ||
                   take_line(g, &place, key, t)
               ? -1
               : 0;
}

/* Valgrind's name of an event: Ir for instructions, otherwise a word. */
static void print_event(const char *name, FILE *file)
{
    if (strncmp(name, "instructions", strlen("instructions")) == 0) {
        fputs("Ir", file);
        return;
    }
    for (; *name; name++) {
        fputc(isalnum((unsigned char)*name) ? *name : '_', file);
    }
}

/* The parts by which lines are grouped, and their keywords. */
struct group {
    unsigned part;
    const char *keyword;
};

static const struct group of_callgrind[] = {
    {KEY_OBJECT, "ob"}, {KEY_HOME, "fl"}, {KEY_FUNCTION, "fn"}, {KEY_FILE, NULL}};
static const struct group of_cachegrind[] = {{KEY_FILE, "fl"}, {KEY_FUNCTION, "fn"}};

#define GROUPS_MAX 4u

static const struct group *groups_of(const struct callgrind *c, size_t *n)
{
    *n = c->cachegrind ? sizeof(of_cachegrind) / sizeof(of_cachegrind[0])
                       : sizeof(of_callgrind) / sizeof(of_callgrind[0]);
    return c->cachegrind ? of_cachegrind : of_callgrind;
}

static int compare(const void *a, const void *b, void *opaque)
{
    const struct profile_entry *x = *(struct profile_entry *const *)a;
    const struct profile_entry *y = *(struct profile_entry *const *)b;
    const void *const *of = opaque;
    const struct profile *p = of[1];
    const struct group *group;
    size_t n;
    int order = 0;

    group = groups_of(of[0], &n);
    for (size_t i = 0; i < n && order == 0; i++) {
        order = strcmp(profile_text(p, x, group[i].part), profile_text(p, y, group[i].part));
    }
    return order ? order : strcmp(profile_text(p, x, KEY_LINE), profile_text(p, y, KEY_LINE));
}

/* Begins the groups that an entry is in. A file that is not that of the function is included. */
static void begin(const struct callgrind *c, const struct profile *p, const struct profile_entry *e,
                  const char **now, FILE *file)
{
    size_t n;
    const struct group *group = groups_of(c, &n);
    bool new = false;

    for (size_t i = 0; i < n; i++) {
        const char *text = profile_text(p, e, group[i].part);

        if (group[i].keyword && (new || !now[i] || strcmp(text, now[i]) != 0)) {
            fprintf(file, "%s=%s\n", group[i].keyword, text);
            new = true;
        } else if (!group[i].keyword) {
            const char *last = new ? profile_text(p, e, KEY_HOME) : now[i];

            if (strcmp(text, last) != 0) {
                bool own = strcmp(text, profile_text(p, e, KEY_HOME)) == 0;

                fprintf(file, "%s=%s\n", own ? "fe" : "fi", text);
            }
        }
        now[i] = text;
    }
}

/* Writes entries; those of the same group and line are one line. */
static uint64_t write_lines(const struct callgrind *c, const struct profile *p,
                            struct profile_entry *const *entry, size_t n, FILE *file)
{
    const void *of[] = {c, p};
    const char *now[GROUPS_MAX] = {NULL};
    uint64_t total = 0;

    for (size_t i = 0; i < n;) {
        uint64_t sum = 0;
        size_t first = i;

        do {
            sum += entry[i++]->period;
        } while (i < n && compare(&entry[first], &entry[i], of) == 0);
        begin(c, p, entry[first], now, file);
        fprintf(file, "%lu %" PRIu64 "\n",
                strtoul(profile_text(p, entry[first], KEY_LINE), NULL, 10), sum);
        total += sum;
    }
    return total;
}

static void write_head(const struct callgrind *c, const struct profile *p, unsigned event,
                       FILE *file)
{
    const char *command = c->command ? c->command : "unknown";

    if (c->cachegrind) {
        fprintf(file, "desc: vpmu\ncmd: %s\nevents: ", command);
    } else {
        fprintf(file,
                "# callgrind format\nversion: 1\ncreator: vpmu\ncmd: %s\npart: 1\n\n"
                "positions: line\nevents: ",
                command);
    }
    print_event(p->event[event].name, file);
    fputs("\n", file);
}

int callgrind_write(const struct callgrind *c, struct profile *p, unsigned event, FILE *file,
                    struct error *t)
{
    struct profile_entry **entry = reallocarray(NULL, p->n + 1, sizeof(*entry));
    const void *of[] = {c, p};
    uint64_t total;
    size_t n = 0;

    if (!entry) {
        return error_memory(t);
    }
    for (size_t i = 0; i < p->n; i++) {
        if (p->entry[i]->event == event) {
            entry[n++] = p->entry[i];
        }
    }
    qsort_r(entry, n, sizeof(*entry), compare, of);
    write_head(c, p, event, file);
    total = write_lines(c, p, entry, n, file);
    fprintf(file, "%s: %" PRIu64 "\n", c->cachegrind ? "summary" : "totals", total);
    free(entry);
    return 0;
}
