/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes counts of lines and functions in lcov's format. Source: geninfo(1), "FILES", of lcov 1.16.
 */
#include "export/lcov.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lines/line-list.h"

/* The parts of a key. The address is that in the ELF file. */
enum {
    KEY_IMAGE,
    KEY_FUNCTION,
    KEY_FILE,
    KEY_LINE,
    KEY_ADDRESS,
    KEYS
};

#define NUMBER_SIZE 24u

static void print_address(char text[NUMBER_SIZE], uint64_t address)
{
    snprintf(text, NUMBER_SIZE, "%" PRIx64, address);
}

int lcov_key(struct sample_input *g, const struct input_sample *s, uint32_t *key, uint32_t *n,
             struct error *t)
{
    struct input_place place = sample_input_place(g, s, s->mode, s->s->ip);
    struct dwarf_line lines[DWARF_LINES_FRAMES];
    struct string_table *texts = &g->profile->texts;
    char line[NUMBER_SIZE], address[NUMBER_SIZE];

    *n = 0;
    if (!place.image || sample_input_lines(g, &place, lines) == 0 || !lines[0].file ||
        !lines[0].line) {
        return 0;
    }
    *n = KEYS;
    snprintf(line, sizeof(line), "%u", lines[0].line);
    print_address(address, place.address);
    return string_table_number(texts, place.image, &key[KEY_IMAGE], t) ||
                   string_table_number(texts, place.function ? place.function->name : "",
                                       &key[KEY_FUNCTION], t) ||
                   string_table_number(texts, lines[0].file, &key[KEY_FILE], t) ||
                   string_table_number(texts, line, &key[KEY_LINE], t) ||
                   string_table_number(texts, address, &key[KEY_ADDRESS], t)
               ? -1
               : 0;
}

/**
 * struct covered - a line, or a function that begins there
 * @function: its name; NULL for a line.
 * @begins: @count is that of the first instruction; otherwise of all that are the line's, which
 *     some lines do not have, such as that of a function's brace.
 */
struct covered {
    const char *file;
    unsigned line;
    const char *function;
    bool begins;
    uint64_t count;
};

/** struct coverage - @entry: @entries of the event, by file, line, image and function */
struct coverage {
    struct profile *p;
    struct profile_entry **entry;
    size_t entries;
    struct covered *covered;
    size_t n, room;
    const char *image; /* that is being listed, and its number */
    uint32_t image_number;
};

static int compare_parts(const struct profile_entry *x, const struct profile_entry *y,
                         const unsigned *part, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (x->key[part[i]] != y->key[part[i]]) {
            return x->key[part[i]] < y->key[part[i]] ? -1 : 1;
        }
    }
    return 0;
}

static const unsigned by_copy[] = {KEY_FILE, KEY_LINE, KEY_IMAGE, KEY_FUNCTION};
static const unsigned by_address[] = {KEY_IMAGE, KEY_ADDRESS};

static int compare_copies(const void *a, const void *b)
{
    return compare_parts(*(struct profile_entry *const *)a, *(struct profile_entry *const *)b,
                         by_copy, sizeof(by_copy) / sizeof(by_copy[0]));
}

static int compare_addresses(const void *a, const void *b)
{
    return compare_parts(*(struct profile_entry *const *)a, *(struct profile_entry *const *)b,
                         by_address, sizeof(by_address) / sizeof(by_address[0]));
}

static int add(struct coverage *c, const struct covered *covered, struct error *t)
{
    if (c->n == c->room) {
        size_t room = c->room ? 2 * c->room : 1024;
        struct covered *all = reallocarray(c->covered, room, sizeof(*all));

        if (!all) {
            return error_memory(t);
        }
        c->covered = all;
        c->room = room;
    }
    c->covered[c->n++] = *covered;
    return 0;
}

/* Adds each copy of each line that was executed, with the count of its most frequent instruction.
 */
static int add_executed(struct coverage *c, struct error *t)
{
    qsort(c->entry, c->entries, sizeof(struct profile_entry *), compare_copies);
    for (size_t i = 0; i < c->entries;) {
        const struct profile_entry *first = c->entry[i];
        struct covered line = {
            .file = profile_text(c->p, first, KEY_FILE),
            .line = (unsigned)strtoul(profile_text(c->p, first, KEY_LINE), NULL, 10)};

        for (; i < c->entries && compare_copies(&first, &c->entry[i]) == 0; i++) {
            uint64_t count = c->entry[i]->period;

            line.count = count > line.count ? count : line.count;
        }
        if (add(c, &line, t)) {
            return -1;
        }
    }
    return 0;
}

/* Returns how often the instruction at an address of the present image was executed. */
static int count_at(struct coverage *c, uint64_t address, uint64_t *count, struct error *t)
{
    struct profile_entry *wanted = calloc(1, sizeof(*wanted) + KEYS * sizeof(wanted->key[0]));
    struct profile_entry **found;
    char text[NUMBER_SIZE];

    print_address(text, address);
    if (!wanted || string_table_number(&c->p->texts, text, &wanted->key[KEY_ADDRESS], t)) {
        free(wanted);
        return error_memory(t);
    }
    wanted->key[KEY_IMAGE] = c->image_number;
    found =
        bsearch(&wanted, c->entry, c->entries, sizeof(struct profile_entry *), compare_addresses);
    *count = found ? (*found)->period : 0;
    free(wanted);
    return 0;
}

static int take_listed(void *opaque, const struct listed_line *line, struct error *t)
{
    struct coverage *c = opaque;
    struct covered new = {.line = line->line, .begins = true};
    uint32_t file, function;

    if (string_table_number(&c->p->texts, line->file, &file, t) ||
        (line->function && string_table_number(&c->p->texts, line->function, &function, t)) ||
        count_at(c, line->address, &new.count, t)) {
        return -1;
    }
    new.file = string_table_get(&c->p->texts, file);
    new.function = line->function ? string_table_get(&c->p->texts, function) : NULL;
    return add(c, &new, t);
}

/* Adds the lines and functions of each image that was executed. */
static int add_listed(struct coverage *c, const char *debug_dir, struct error *t)
{
    const struct debug_dirs dirs = {.dir = debug_dir};

    qsort(c->entry, c->entries, sizeof(struct profile_entry *), compare_addresses);
    for (size_t i = 0; i < c->entries; i++) {
        int fd, err;

        if (i && c->entry[i]->key[KEY_IMAGE] == c->image_number) {
            continue;
        }
        c->image_number = c->entry[i]->key[KEY_IMAGE];
        c->image = profile_text(c->p, c->entry[i], KEY_IMAGE);
        fd = source_lines_open(&dirs, c->image);
        if (fd < 0) {
            return error_set(t, ERROR_USAGE, "cannot open %s again", c->image);
        }
        err = line_list_read(fd, c->image, take_listed, c, t);
        close(fd);
        if (err) {
            return -1;
        }
    }
    return 0;
}

/* By file; functions come before lines. */
static int compare(const void *a, const void *b)
{
    const struct covered *x = a, *y = b;
    int order = strcmp(x->file, y->file);

    order = order ? order : !x->function - !y->function;
    if (!order && x->line != y->line) {
        order = x->line < y->line ? -1 : 1;
    }
    return order || !x->function ? order : strcmp(x->function, y->function);
}

/** struct found - how many lines or functions there are, and how many were executed */
struct found {
    size_t all, hit;
};

/* Adds up what is the same. Return: how many of @covered were taken. */
static size_t sum_up(const struct covered *covered, size_t n, struct found *found, uint64_t *count)
{
    uint64_t most = 0;
    size_t i = 0;

    *count = 0;
    do {
        if (covered[i].begins && !covered[i].function) {
            most = covered[i].count > most ? covered[i].count : most;
        } else {
            *count += covered[i].count;
        }
    } while (++i < n && compare(&covered[i], covered) == 0);
    *count = most > *count ? most : *count;
    found->all++;
    found->hit += *count > 0;
    return i;
}

/*
 * lcov 1.16 ends a name at a comma, so it takes F[int,string] and F[int,bool] of Go for one
 * function.
 */
static void write_name(const char *name, FILE *file)
{
    for (; *name; name++) {
        fputc(*name == ',' ? ';' : *name, file);
    }
    fputc('\n', file);
}

/* Writes a file's functions, or its lines. Return: their number in @covered. */
static size_t write_some(const struct covered *covered, size_t n, bool functions, FILE *file)
{
    struct found found = {0};
    uint64_t count;
    size_t i = 0;

    while (i < n && strcmp(covered[i].file, covered->file) == 0 &&
           !covered[i].function != functions) {
        const struct covered *first = &covered[i];

        i += sum_up(first, n - i, &found, &count);
        if (functions) {
            fprintf(file, "FN:%u,", first->line);
            write_name(first->function, file);
            fprintf(file, "FNDA:%" PRIu64 ",", count);
            write_name(first->function, file);
        } else {
            fprintf(file, "DA:%u,%" PRIu64 "\n", first->line, count);
        }
    }
    fprintf(file, functions ? "FNF:%zu\nFNH:%zu\n" : "LF:%zu\nLH:%zu\n", found.all, found.hit);
    return i;
}

/* Return: the number of entries of @covered with the file of the first one. */
static size_t count_of_file(const struct covered *covered, size_t n)
{
    size_t i = 1;

    while (i < n && strcmp(covered[i].file, covered->file) == 0) {
        i++;
    }
    return i;
}

static void write_file(const struct covered *covered, size_t n, FILE *file)
{
    size_t functions;

    fprintf(file, "TN:\nSF:%s\n", covered->file);
    functions = write_some(covered, n, true, file);
    write_some(covered + functions, n - functions, false, file);
    fputs("end_of_record\n", file);
}

/*
 * Writes the files that genhtml can read: it refuses all if one is missing, and nobody has the
 * sources of the C library. If none can be read, they are elsewhere.
 */
static void write_all(struct coverage *c, FILE *file)
{
    size_t readable = 0, missing = 0, n;

    qsort(c->covered, c->n, sizeof(*c->covered), compare);
    for (size_t i = 0; i < c->n; i += count_of_file(c->covered + i, c->n - i)) {
        bool reads = access(c->covered[i].file, R_OK) == 0;

        readable += reads;
        missing += !reads;
    }
    for (size_t i = 0; i < c->n; i += n) {
        n = count_of_file(c->covered + i, c->n - i);
        if (!readable || access(c->covered[i].file, R_OK) == 0) {
            write_file(c->covered + i, n, file);
        }
    }
    if (readable && missing) {
        fprintf(stderr, "[ %zu source file%s left out: %s cannot be read here ]\n", missing,
                missing == 1 ? " is" : "s are", missing == 1 ? "it" : "they");
    }
}

int lcov_write(struct profile *p, unsigned event, const char *debug_dir, FILE *file,
               struct error *t)
{
    struct coverage c = {.p = p,
                         .entry = reallocarray(NULL, p->n + 1, sizeof(struct profile_entry *))};
    int err = -1;

    if (!c.entry) {
        return error_memory(t);
    }
    for (size_t i = 0; i < p->n; i++) {
        if (p->entry[i]->event == event && p->entry[i]->n == KEYS) {
            c.entry[c.entries++] = p->entry[i];
        }
    }
    if (c.entries == 0) {
        error_set(t, ERROR_USAGE, "no line is known: compile the program with -g");
    } else if (add_executed(&c, t) == 0 && add_listed(&c, debug_dir, t) == 0) {
        write_all(&c, file);
        err = 0;
    }
    free(c.covered);
    free(c.entry);
    return err;
}
