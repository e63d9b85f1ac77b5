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

#include "perfdata/costs.h"
#include "perfdata/perfdata.h"
#include "symbols/demangle.h"

/*
 * The parts of a key. Numbers have a fixed width, so that sorting by text sorts them by value.
 * Without instructions, addresses are empty.
 */
enum {
    KEY_OBJECT,
    KEY_HOME, /* the source file in which the function begins */
    KEY_FUNCTION,
    KEY_FILE,
    KEY_LINE,
    KEY_ADDRESS,
    KEYS,
    /* The function that was called, in the lines of a call. */
    KEY_CALLED_OBJECT = KEYS,
    KEY_CALLED_HOME,
    KEY_CALLED,
    KEY_CALLED_LINE,
    KEY_CALLED_ADDRESS,
    KEYS_OF_CALL
};

static int take_text(struct sample_input *g, const char *text, uint32_t *number, struct error *t)
{
    return string_table_number(&g->profile->texts, text && *text ? text : VALGRIND_UNKNOWN, number,
                               t);
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

static int take_address(struct sample_input *g, uint64_t address, uint32_t *number, struct error *t)
{
    const struct callgrind *c = g->opaque;
    char text[17] = "";

    if (c->instructions) {
        snprintf(text, sizeof(text), "%016" PRIx64, address);
    }
    return string_table_number(&g->profile->texts, text, number, t);
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
           take_text(g, number, &key[KEY_LINE], t) ||
           take_address(g, place->address, &key[KEY_ADDRESS], t);
}

/* Finds the source line in which the function at a place begins. */
static bool find_home(struct sample_input *g, const struct input_place *place,
                      struct dwarf_line *line)
{
    struct input_place start = *place;

    if (place->function) {
        start.address = place->function->start;
    }
    return find_line(g, &start, line);
}

static int take_home(struct sample_input *g, const struct input_place *place, uint32_t *key,
                     struct error *t)
{
    struct dwarf_line line;

    return take_text(g, find_home(g, place, &line) ? line.file : NULL, &key[KEY_HOME], t);
}

/* Is this a sample of a call, or of what calls cost? */
static bool is_call(const struct sample_input *g, const struct input_sample *s)
{
    return s->event < g->profile->events && s->s->n_chain &&
           (strcmp(g->profile->event[s->event].name, PERFDATA_CALLS) == 0 ||
            costs_of_called(g->profile->event[s->event].name));
}

/* Is this the call of a function, or a jump to its start? See PERFDATA_CALLS. */
static bool calls_function(struct sample_input *g, const struct input_sample *s)
{
    struct input_place place = sample_input_place(g, s, s->mode, s->s->ip);

    return !sample_input_jumps(s->s) || (place.function && place.address == place.function->start);
}

static int take_called(struct sample_input *g, const struct input_sample *s, uint32_t *key,
                       struct error *t)
{
    struct input_place place = sample_input_place(g, s, s->mode, s->s->ip);
    struct dwarf_line line;
    char number[12];
    bool known = find_home(g, &place, &line);

    snprintf(number, sizeof(number), "%010u", known ? line.line : 0);
    return take_text(g, known ? line.file : NULL, &key[KEY_CALLED_HOME], t) ||
                   take_text(g, number, &key[KEY_CALLED_LINE], t) ||
                   take_address(g, place.function ? place.function->start : place.address,
                                &key[KEY_CALLED_ADDRESS], t) ||
                   take_text(g, place.file, &key[KEY_CALLED_OBJECT], t) ||
                   take_text(g, place.function ? demangle_signature(place.function) : NULL,
                             &key[KEY_CALLED], t)
               ? -1
               : 0;
}

/* The call instruction is the last address of the chain. */
static uint64_t address_of(const struct input_sample *s, bool call)
{
    return call ? perfsample_word(s->s->chain, s->s->n_chain - 1) : s->s->ip;
}

int callgrind_key(struct sample_input *g, const struct input_sample *s, uint32_t *key, uint32_t *n,
                  struct error *t)
{
    bool call = is_call(g, s) && calls_function(g, s);
    struct input_place place = sample_input_place(g, s, s->mode, address_of(s, call));

    *n = call ? KEYS_OF_CALL : KEYS;
    if (call && take_called(g, s, key, t)) {
        return -1;
    }
    return take_text(g, place.file, &key[KEY_OBJECT], t) || take_home(g, &place, key, t) ||
                   take_text(g, place.function ? demangle_signature(place.function) : NULL,
                             &key[KEY_FUNCTION], t) ||
                   take_line(g, &place, key, t)
               ? -1
               : 0;
}

/** struct columns - the events of the file, by their numbers */
struct columns {
    unsigned event[1 + COSTS_MAX];
    size_t n;
};

/* The costs of instructions follow them. */
static struct columns columns_of(const struct profile *p, unsigned event)
{
    struct columns c = {{event}, 1};

    for (unsigned i = 0; costs_is_instructions(p->event[event].name) && i < p->events; i++) {
        if (costs_name(p->event[i].name) && c.n <= COSTS_MAX) {
            c.event[c.n++] = i;
        }
    }
    return c;
}

/* Return: the number of columns if the event has none. */
static size_t column_of(const struct columns *c, unsigned event)
{
    size_t i = 0;

    while (i < c->n && c->event[i] != event) {
        i++;
    }
    return i;
}

/* The column of what calls cost of an event, the first one for instructions */
static size_t column_of_called(const struct columns *c, const struct profile *p, const char *cost)
{
    size_t i = costs_is_instructions(cost) ? 0 : 1;

    while (i > 0 && i < c->n && strcmp(costs_name(p->event[c->event[i]].name), cost) != 0) {
        i++;
    }
    return i;
}

/* Valgrind's name of an event: Ir for instructions, that of a cost, otherwise a word. */
static void print_event(const char *name, FILE *file)
{
    const char *known = costs_is_instructions(name) ? "Ir" : costs_name(name);

    if (known) {
        fputs(known, file);
        return;
    }
    for (; *name; name++) {
        fputc(isalnum((unsigned char)*name) ? *name : '_', file);
    }
}

static void print_values(const struct columns *c, const uint64_t *value, FILE *file)
{
    for (size_t i = 0; i < c->n; i++) {
        fprintf(file, " %" PRIu64, value[i]);
    }
    fputc('\n', file);
}

/* The parts by which lines are grouped, and their keywords. */
struct group {
    unsigned part;
    const char *keyword;
};

static const struct group of_callgrind[] = {[KEY_OBJECT] = {KEY_OBJECT, "ob"},
                                            [KEY_HOME] = {KEY_HOME, "fl"},
                                            [KEY_FUNCTION] = {KEY_FUNCTION, "fn"},
                                            [KEY_FILE] = {KEY_FILE, NULL}};
static const struct group of_cachegrind[] = {{KEY_FILE, "fl"}, {KEY_FUNCTION, "fn"}};

static const struct group *groups_of(const struct callgrind *c, size_t *n)
{
    *n = c->cachegrind ? sizeof(of_cachegrind) / sizeof(of_cachegrind[0])
                       : sizeof(of_callgrind) / sizeof(of_callgrind[0]);
    return c->cachegrind ? of_cachegrind : of_callgrind;
}

static const uint32_t of_call[] = {KEY_CALLED_OBJECT, KEY_CALLED_HOME, KEY_CALLED, KEY_CALLED_LINE,
                                   KEY_CALLED_ADDRESS};

/* Instructions of a line come before its calls. */
static int compare_called(const struct profile *p, const struct profile_entry *x,
                          const struct profile_entry *y)
{
    int order = (x->n > KEYS) - (y->n > KEYS);

    for (size_t i = 0; x->n > KEYS && i < sizeof(of_call) / sizeof(of_call[0]) && !order; i++) {
        order = strcmp(profile_text(p, x, of_call[i]), profile_text(p, y, of_call[i]));
    }
    return order;
}

static int compare(const void *a, const void *b, void *opaque)
{
    const struct profile_entry *x = *(struct profile_entry *const *)a;
    const struct profile_entry *y = *(struct profile_entry *const *)b;
    const void *const *of = opaque;
    static const uint32_t positions[] = {KEY_ADDRESS, KEY_LINE};
    const struct profile *p = of[1];
    const struct group *group;
    size_t n;
    int order = 0;

    group = groups_of(of[0], &n);
    for (size_t i = 0; i < n && order == 0; i++) {
        order = strcmp(profile_text(p, x, group[i].part), profile_text(p, y, group[i].part));
    }
    for (size_t i = 0; i < sizeof(positions) / sizeof(positions[0]) && order == 0; i++) {
        order = strcmp(profile_text(p, x, positions[i]), profile_text(p, y, positions[i]));
    }
    return order ? order : compare_called(p, x, y);
}

/*
 * Prints a name. In callgrind's format, one that looks like a name with a number gets a number, so
 * that it is read as it is.
 */
static void print_name(const struct callgrind *c, const struct profile *p, const char *keyword,
                       const struct profile_entry *e, uint32_t part, FILE *file)
{
    const char *name = profile_text(p, e, part);

    fprintf(file, "%s=", keyword);
    if (!c->cachegrind && valgrind_numbered(name)) {
        fprintf(file, "(%" PRIu32 ") ", e->key[part]);
    }
    fprintf(file, "%s\n", name);
}

/*
 * Ends an included file before another function begins, as callgrind does: callgrind_annotate would
 * take it for the file of that function.
 */
static void end_included(const struct callgrind *c, const struct profile *p,
                         const struct profile_entry *last, FILE *file)
{
    if (last && !c->cachegrind &&
        strcmp(profile_text(p, last, KEY_FILE), profile_text(p, last, KEY_HOME)) != 0) {
        print_name(c, p, "fe", last, KEY_HOME, file);
    }
}

/*
 * Begins the groups that an entry is in, where they are not those of the last one. A file that is
 * not that of the function is included.
 */
static void begin(const struct callgrind *c, const struct profile *p, const struct profile_entry *e,
                  const struct profile_entry *last, FILE *file)
{
    size_t n;
    const struct group *group = groups_of(c, &n);
    bool new = !last;

    for (size_t i = 0; i < n; i++) {
        const char *text = profile_text(p, e, group[i].part);

        if (group[i].keyword && (new || strcmp(text, profile_text(p, last, group[i].part)) != 0)) {
            if (!new) {
                end_included(c, p, last, file);
            }
            print_name(c, p, group[i].keyword, e, group[i].part, file);
            new = true;
        } else if (!group[i].keyword) {
            const char *home = profile_text(p, e, KEY_HOME);

            if (strcmp(text, new ? home : profile_text(p, last, group[i].part)) != 0) {
                print_name(c, p, strcmp(text, home) == 0 ? "fe" : "fi", e, group[i].part, file);
            }
        }
    }
}

/* Prints where an entry is: its line, and its address before that. */
static void print_position(const struct profile *p, const struct profile_entry *e, uint32_t line,
                           uint32_t address, FILE *file)
{
    const char *text = profile_text(p, e, address);

    if (*text) {
        fprintf(file, "0x%llx ", strtoull(text, NULL, 16));
    }
    fprintf(file, "%lu", strtoul(profile_text(p, e, line), NULL, 10));
}

static bool calls_itself(const struct profile *p, const struct profile_entry *e)
{
    return strcmp(profile_text(p, e, KEY_OBJECT), profile_text(p, e, KEY_CALLED_OBJECT)) == 0 &&
           strcmp(profile_text(p, e, KEY_HOME), profile_text(p, e, KEY_CALLED_HOME)) == 0 &&
           strcmp(profile_text(p, e, KEY_FUNCTION), profile_text(p, e, KEY_CALLED)) == 0 &&
           strcmp(profile_text(p, e, KEY_FUNCTION), VALGRIND_UNKNOWN) != 0;
}

/*
 * The object and the file of the caller are left out; callgrind_annotate needs that. It takes the
 * instructions of no call for those of the line itself, so there must be a call. A call that a
 * function makes of itself costs nothing, also if nobody has called the function, or if it calls
 * another place than its start: it is a part of what the function executes.
 */
static void write_call(const struct callgrind *c, const struct columns *columns,
                       const struct profile *p, const struct profile_entry *e, uint64_t calls,
                       const uint64_t *called, FILE *file)
{
    static const uint64_t nothing[1 + COSTS_MAX];

    if (!calls) {
        return;
    }
    if (strcmp(profile_text(p, e, KEY_CALLED_OBJECT), profile_text(p, e, KEY_OBJECT)) != 0) {
        print_name(c, p, "cob", e, KEY_CALLED_OBJECT, file);
    }
    if (strcmp(profile_text(p, e, KEY_CALLED_HOME), profile_text(p, e, KEY_FILE)) != 0) {
        print_name(c, p, "cfi", e, KEY_CALLED_HOME, file);
    }
    print_name(c, p, "cfn", e, KEY_CALLED, file);
    fprintf(file, "calls=%" PRIu64 " ", calls);
    print_position(p, e, KEY_CALLED_LINE, KEY_CALLED_ADDRESS, file);
    fputc('\n', file);
    print_position(p, e, KEY_LINE, KEY_ADDRESS, file);
    print_values(columns, calls_itself(p, e) ? nothing : called, file);
}

/* Adds what calls cost; it is no part of the total. */
static void add_called(const struct columns *c, const struct profile *p,
                       const struct profile_entry *e, uint64_t *calls, uint64_t *sum)
{
    const char *cost = costs_of_called(p->event[e->event].name);
    size_t column = cost ? column_of_called(c, p, cost) : c->n;

    if (!cost) {
        *calls += e->period;
    } else if (column < c->n) {
        sum[column] += e->period;
    }
}

/*
 * Writes entries; those of the same group, line and called function are one line. Adds the values
 * of lines to @total.
 */
static void write_lines(const struct callgrind *c, const struct profile *p,
                        const struct columns *columns, struct profile_entry *const *entry, size_t n,
                        uint64_t *total, FILE *file)
{
    const void *of[] = {c, p};
    const struct profile_entry *last = NULL;

    for (size_t i = 0; i < n;) {
        const struct profile_entry *first = entry[i];
        uint64_t calls = 0, sum[1 + COSTS_MAX] = {0};

        do {
            size_t column = column_of(columns, entry[i]->event);

            if (column < columns->n) {
                sum[column] += entry[i]->period;
                total[column] += entry[i]->period;
            } else {
                add_called(columns, p, entry[i], &calls, sum);
            }
            i++;
        } while (i < n && compare(&first, &entry[i], of) == 0);
        begin(c, p, first, last, file);
        last = first;
        if (first->n > KEYS) {
            write_call(c, columns, p, first, calls, sum, file);
        } else {
            print_position(p, first, KEY_LINE, KEY_ADDRESS, file);
            print_values(columns, sum, file);
        }
    }
}

static void write_head(const struct callgrind *c, const struct profile *p,
                       const struct columns *columns, FILE *file)
{
    const char *command = c->command ? c->command : "unknown";

    if (c->cachegrind) {
        fprintf(file, "desc: vpmu\ncmd: %s\nevents:", command);
    } else {
        fprintf(file,
                "# callgrind format\nversion: 1\ncreator: vpmu\ncmd: %s\npart: 1\n\n"
                "positions: %sline\nevents:",
                command, c->instructions ? "instr " : "");
    }
    for (size_t i = 0; i < columns->n; i++) {
        fputc(' ', file);
        print_event(p->event[columns->event[i]].name, file);
    }
    fputc('\n', file);
}

int callgrind_write(const struct callgrind *c, struct profile *p, unsigned event, FILE *file,
                    struct error *t)
{
    struct profile_entry **entry = reallocarray(NULL, p->n + 1, sizeof(*entry));
    const void *of[] = {c, p};
    const struct columns columns = columns_of(p, event);
    uint64_t total[1 + COSTS_MAX] = {0};
    size_t n = 0;

    if (!entry) {
        return error_memory(t);
    }
    for (size_t i = 0; i < p->n; i++) {
        if (column_of(&columns, p->entry[i]->event) < columns.n ||
            (p->entry[i]->n == KEYS_OF_CALL && !c->cachegrind)) {
            entry[n++] = p->entry[i];
        }
    }
    qsort_r(entry, n, sizeof(*entry), compare, of);
    write_head(c, p, &columns, file);
    write_lines(c, p, &columns, entry, n, total, file);
    fprintf(file, "%s:", c->cachegrind ? "summary" : "totals");
    print_values(&columns, total, file);
    free(entry);
    return 0;
}
