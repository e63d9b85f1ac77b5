/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the formats of callgrind and cachegrind. Source: valgrind's manual, "Callgrind Format
 * Specification".
 */
#include "lines/valgrind-lines.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"

/* The longest line of a file, and the largest number of a name. */
#define TEXT_MAX (1u << 20)
#define NAMES_MAX (1u << 22)

/** struct list - names that have numbers, such as "(7) main" */
struct list {
    char **name;
    size_t n;
};

enum {
    OBJECTS,
    FILES,
    FUNCTIONS,
    LISTS
};

/**
 * struct reader - @now: where the next line belongs; @skips: it is that of a jump
 * @grouped: functions are in the group of their source file, which cachegrind's format has for
 * lines.
 * @of_cachegrind: the file begins as those of cachegrind do.
 * @called: the object and the function that the next line calls, if @calls is set.
 * @line, @instruction: the position of the last line, which the next one can be relative to.
 * @ours: vpmu wrote the file; then it ends with the sums of its lines, and @ended is set.
 */
struct reader {
    const char *name;
    size_t at;
    char *text;
    struct list list[LISTS];
    char *now[LISTS], *called[LISTS];
    char *home, *command;
    char *event[VALGRIND_EVENTS_MAX];
    unsigned events, positions;
    unsigned long line, instruction;
    uint64_t sum[VALGRIND_EVENTS_MAX];
    bool grouped, of_cachegrind, skips, calls, ours, ended;
};

static int damaged(const struct reader *r, struct error *t)
{
    return error_set(t, ERROR_USAGE, "%s is damaged in line %zu", r->name, r->at);
}

static int replace(char **to, const char *text, struct error *t)
{
    char *copy = strdup(text);

    if (!copy) {
        return error_memory(t);
    }
    format_tame(copy);
    free(*to);
    *to = copy;
    return 0;
}

/* Makes room for the name with number @n. */
static int grow(struct list *list, size_t n, struct error *t)
{
    size_t size = n + 1 > 2 * list->n ? n + 1 : 2 * list->n;
    char **more;

    if (n < list->n) {
        return 0;
    }
    more = reallocarray(list->name, size, sizeof(*more));
    if (!more) {
        return error_memory(t);
    }
    memset(more + list->n, 0, (size - list->n) * sizeof(*more));
    list->name = more;
    list->n = size;
    return 0;
}

bool valgrind_numbered(const char *name)
{
    return name[0] == '(' && isdigit((unsigned char)name[1]);
}

/*
 * Finds a name that can be "(7) main", which defines number 7, or only "(7)". In cachegrind's
 * format, that is the whole name.
 */
static int find_name(struct reader *r, struct list *list, const char *text, const char **name,
                     struct error *t)
{
    unsigned long number;
    char *end;

    *name = text;
    if (r->of_cachegrind || !valgrind_numbered(text)) {
        return 0;
    }
    number = strtoul(text + 1, &end, 10);
    if (*end != ')' || number > NAMES_MAX) {
        return damaged(r, t);
    }
    end += 1 + strspn(end + 1, " ");
    if (*end && (grow(list, number, t) || replace(&list->name[number], end, t))) {
        return -1;
    }
    *name = number < list->n ? list->name[number] : NULL;
    return *name ? 0 : damaged(r, t);
}

static int take_events(struct reader *r, char *list, struct error *t)
{
    char *rest = NULL;

    for (char *word = strtok_r(list, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        for (unsigned i = 0; i < r->events; i++) {
            if (strcmp(r->event[i], word) == 0) {
                return damaged(r, t);
            }
        }
        if (r->events == VALGRIND_EVENTS_MAX || replace(&r->event[r->events], word, t)) {
            return t->code ? -1 : damaged(r, t);
        }
        r->events++;
    }
    return 0;
}

/* "positions: instr line": the line is the last. */
static int take_positions(struct reader *r, char *list, struct error *t)
{
    char *rest = NULL, *last = NULL;

    r->positions = 0;
    for (char *word = strtok_r(list, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest)) {
        last = word;
        r->positions++;
    }
    return last && strcmp(last, "line") == 0
               ? 0
               : error_set(t, ERROR_USAGE, "%s has no source lines, only instructions", r->name);
}

/* Reads a count. Return: false if it, or the sum of its column, needs more than 64 bits. */
static bool read_count(struct reader *r, char **at, unsigned column, uint64_t *value)
{
    char *end;

    errno = 0;
    *value = strtoull(*at, &end, 0);
    *at = **at == '.' ? *at + 1 : end;
    return errno != ERANGE && (r->calls || r->skips ||
                               !__builtin_add_overflow(r->sum[column], *value, &r->sum[column]));
}

/* Reads a position: a number, one relative to the last, or "*" for the same. */
static bool read_position(char **at, unsigned long *line)
{
    char sign = **at, *end;
    unsigned long n;

    if (sign == '*') {
        ++*at;
        return true;
    }
    *at += sign == '+' || sign == '-';
    if (!isdigit((unsigned char)**at)) {
        return false;
    }
    errno = 0;
    n = strtoul(*at, &end, 0);
    *at = end;
    if (errno == ERANGE || (sign == '-' && n > *line) || (sign == '+' && n > ULONG_MAX - *line)) {
        return false;
    }
    *line = sign == '+' ? *line + n : sign == '-' ? *line - n : n;
    return true;
}

static bool is_key(const char *key, size_t length, const char *name)
{
    return strlen(name) == length && strncmp(key, name, length) == 0;
}

/* How often a line calls, and the position of the function that it calls */
static bool is_count(const char *text, unsigned positions)
{
    unsigned long line = ULONG_MAX / 2; /* It can be relative. */
    char *at;

    if (!isdigit((unsigned char)*text)) {
        return false;
    }
    errno = 0;
    strtoull(text, &at, 0);
    for (unsigned i = 0; errno == 0 && i < positions; i++) {
        at += strspn(at, " \t");
        if (!read_position(&at, &line)) {
            return false;
        }
    }
    return errno == 0 && at[strspn(at, " \t")] == '\0';
}

/* Names of jumps and of files of calls are read because they can define numbers. */
static int take_name(struct reader *r, const char *key, size_t length, const char *text,
                     struct error *t)
{
    static const struct {
        const char *key;
        int list;
        bool calls;
    } keys[] = {{"ob", OBJECTS, false}, {"fl", FILES, false},     {"fi", FILES, false},
                {"fe", FILES, false},   {"fn", FUNCTIONS, false}, {"cob", OBJECTS, true},
                {"cfi", FILES, true},   {"cfl", FILES, true},     {"cfn", FUNCTIONS, true},
                {"jfi", FILES, true},   {"jfn", FUNCTIONS, true}};
    const char *name;

    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (!is_key(key, length, keys[i].key)) {
            continue;
        }
        if (find_name(r, &r->list[keys[i].list], text, &name, t)) {
            return -1;
        }
        if (keys[i].calls) {
            return key[0] == 'c' ? replace(&r->called[keys[i].list], name, t) : 0;
        }
        if (strcmp(keys[i].key, "fl") == 0 && replace(&r->home, name, t)) {
            return -1;
        }
        if (keys[i].list == FUNCTIONS && r->home && replace(&r->now[FILES], r->home, t)) {
            return -1;
        }
        return replace(&r->now[keys[i].list], name, t);
    }
    r->calls = is_key(key, length, "calls");
    r->skips = is_key(key, length, "jump") || is_key(key, length, "jcnd");
    return r->skips || (r->calls && is_count(text, r->positions)) ? 0 : damaged(r, t);
}

static const char *known(const char *name)
{
    return name ? name : VALGRIND_UNKNOWN;
}

/* The source file of a function, which only callgrind's format has */
static const char *home_of(const struct reader *r, const char *file)
{
    return known(r->grouped ? file : NULL);
}

/* The object and the source file of a call are those of the caller if there are no others. */
static int take_call(struct reader *r, const struct valgrind_sink *sink, const uint64_t *value,
                     struct error *t)
{
    const struct valgrind_call call = {
        .object = known(r->now[OBJECTS]),
        .home = home_of(r, r->home),
        .function = known(r->now[FUNCTIONS]),
        .called_home = home_of(r, r->called[FILES] ? r->called[FILES] : r->now[FILES]),
        .called_object = known(r->called[OBJECTS] ? r->called[OBJECTS] : r->now[OBJECTS]),
        .called = known(r->called[FUNCTIONS]),
        .value = value,
    };
    int err = sink->call ? sink->call(sink->opaque, &call, t) : 0;

    for (size_t i = 0; i < LISTS; i++) {
        free(r->called[i]);
        r->called[i] = NULL;
    }
    r->calls = false;
    return err;
}

static int take_line(struct reader *r, const struct valgrind_sink *sink, struct error *t)
{
    uint64_t value[VALGRIND_EVENTS_MAX] = {0};
    char *at = r->text;

    for (unsigned i = 0; i < r->positions; i++) {
        at += strspn(at, " \t");
        if (!read_position(&at, i + 1 < r->positions ? &r->instruction : &r->line)) {
            return damaged(r, t);
        }
    }
    if (r->line > UINT_MAX) {
        return damaged(r, t);
    }
    for (unsigned i = 0; *(at += strspn(at, " \t")); i++) {
        if (i == r->events || (!isdigit((unsigned char)*at) && *at != '.') ||
            !read_count(r, &at, i, &value[i])) {
            return damaged(r, t);
        }
    }
    if (r->skips) {
        r->skips = false;
        return 0;
    }
    if (r->calls) {
        return take_call(r, sink, value, t);
    }
    return sink->line(sink->opaque,
                      &(struct valgrind_line){
                          .command = r->command ? r->command : "",
                          .object = known(r->now[OBJECTS]),
                          .function = known(r->now[FUNCTIONS]),
                          .home = home_of(r, r->home),
                          .file = known(r->now[FILES]),
                          .line = (unsigned)r->line,
                          .value = value,
                      },
                      t);
}

/* Compares the sums at the end of a file with those of its lines. */
static int take_totals(struct reader *r, const char *text, struct error *t)
{
    for (unsigned i = 0; i < r->events; i++) {
        char *end;
        uint64_t total = strtoull(text, &end, 10);

        /* Zeros at the end may be missing. */
        if (total != r->sum[i]) {
            return error_set(t, ERROR_USAGE, "%s is damaged: its lines do not add up to line %zu",
                             r->name, r->at);
        }
        text = end;
    }
    r->ended = true;
    return 0;
}

/* "key: text". Keys that are not known do not matter. */
static int take_head(struct reader *r, const struct valgrind_sink *sink, struct error *t)
{
    char *text = strchr(r->text, ':');

    *text++ = '\0';
    text += strspn(text, " \t");
    if (strcmp(r->text, "cmd") == 0) {
        return replace(&r->command, text, t);
    }
    if (strcmp(r->text, "creator") == 0 || strcmp(r->text, "desc") == 0) {
        r->ours |= strcmp(text, "vpmu") == 0;
    }
    if (r->ours && (strcmp(r->text, "totals") == 0 || strcmp(r->text, "summary") == 0)) {
        return take_totals(r, text, t);
    }
    r->of_cachegrind |= r->at == 1 && strcmp(r->text, "desc") == 0;
    r->grouped |= strcmp(r->text, "version") == 0 || strcmp(r->text, "positions") == 0;
    if (strcmp(r->text, "positions") == 0) {
        return take_positions(r, text, t);
    }
    if (strcmp(r->text, "events") == 0 && r->events == 0) {
        return take_events(r, text, t) ||
                       sink->events(sink->opaque, (const char *const *)r->event, r->events, t)
                   ? -1
                   : 0;
    }
    return 0;
}

static int take(struct reader *r, const struct valgrind_sink *sink, struct error *t)
{
    size_t key = strspn(r->text, "abcdefghijklmnopqrstuvwxyz");

    if (!r->text[0] || r->text[0] == '#') {
        r->grouped |= strcmp(r->text, "# callgrind format") == 0;
        return 0;
    }
    if (key && r->text[key] == '=') {
        return take_name(r, r->text, key, r->text + key + 1, t);
    }
    if (key && strchr(r->text, ':')) {
        return take_head(r, sink, t);
    }
    if (r->events == 0) {
        return error_set(t, ERROR_USAGE, "%s does not name its events before line %zu", r->name,
                         r->at);
    }
    return take_line(r, sink, t);
}

static int read_all(struct reader *r, FILE *file, const struct valgrind_sink *sink, struct error *t)
{
    while (fgets(r->text, TEXT_MAX, file)) {
        size_t length = strcspn(r->text, "\r\n");

        r->at++;
        if (!r->text[length] && length + 1 == TEXT_MAX) {
            return damaged(r, t);
        }
        r->text[length] = '\0';
        if (take(r, sink, t)) {
            return -1;
        }
    }
    if (r->events == 0) {
        return error_set(t, ERROR_USAGE, "%s has no events", r->name);
    }
    return r->ours && !r->ended
               ? error_set(t, ERROR_USAGE, "%s is not complete: it ends before its totals", r->name)
               : 0;
}

bool valgrind_begins(const char *start, size_t n)
{
    static const char *const starts[] = {
        "# callgrind format", "version:", "creator:", "desc:", "positions:", "events:", "cmd:"};
    bool is = false;

    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        is |= n >= strlen(starts[i]) && strncmp(start, starts[i], strlen(starts[i])) == 0;
    }
    return is;
}

bool valgrind_is(FILE *file)
{
    char start[32];
    size_t n = fread(start, 1, sizeof(start), file);

    rewind(file);
    return valgrind_begins(start, n);
}

int valgrind_read(FILE *file, const char *name, const struct valgrind_sink *sink, struct error *t)
{
    struct reader r = {.name = name, .text = malloc(TEXT_MAX), .positions = 1};
    int err = r.text ? read_all(&r, file, sink, t) : error_memory(t);

    for (size_t i = 0; i < LISTS; i++) {
        for (size_t k = 0; k < r.list[i].n; k++) {
            free(r.list[i].name[k]);
        }
        free(r.list[i].name);
        free(r.now[i]);
        free(r.called[i]);
    }
    for (unsigned i = 0; i < r.events; i++) {
        free(r.event[i]);
    }
    free(r.home);
    free(r.command);
    free(r.text);
    return err;
}
