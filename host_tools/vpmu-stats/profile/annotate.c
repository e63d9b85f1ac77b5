/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shows the instructions of functions, with the samples that each has. Addresses are those of the
 * file.
 */
#include "profile/annotate.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "symbols/listing.h"
#include "lines/source-lines.h"
#include "lines/source-text.h"
#include "symbols/demangle.h"

/* The parts of a key. Addresses have a fixed width, so that sorting by text sorts them by value. */
enum {
    KEY_IMAGE,
    KEY_FUNCTION,
    KEY_START,
    KEY_END,
    KEY_ADDRESS,
    KEYS
};

_Static_assert(KEYS == ANNOTATE_KEYS, "the size in annotate.h");

/** struct shown - a function of one event: @n entries of the profile, starting at @first */
struct shown {
    size_t first;
    size_t n;
    uint64_t period;
    uint64_t samples;
};

/*
 * Samples
 */

static int take_address(struct sample_input *g, uint64_t address, uint32_t *number, struct error *t)
{
    char text[FORMAT_SIZE];

    snprintf(text, sizeof(text), "%016" PRIx64, address);
    return string_table_number(&g->profile->texts, text, number, t);
}

int annotate_key(struct sample_input *g, const struct input_sample *s, uint32_t *key, uint32_t *n,
                 struct error *t)
{
    struct input_place place = sample_input_place(g, s, s->mode, s->s->ip);
    struct string_table *texts = &g->profile->texts;

    /* A sample at an unknown place has an empty key, because it is still part of the event. */
    *n = 0;
    if (!place.function || !place.image) {
        return 0;
    }
    *n = KEYS;
    return string_table_number(texts, place.image, &key[KEY_IMAGE], t) ||
                   string_table_number(texts, demangle_name(place.function), &key[KEY_FUNCTION],
                                       t) ||
                   take_address(g, place.function->start, &key[KEY_START], t) ||
                   take_address(g, place.function->end, &key[KEY_END], t) ||
                   take_address(g, place.address, &key[KEY_ADDRESS], t)
               ? -1
               : 0;
}

/*
 * Functions
 */

static uint64_t address_of(const struct profile *p, const struct profile_entry *e, uint32_t key)
{
    return strtoull(profile_text(p, e, key), NULL, 16);
}

static bool is_same_function(const struct profile_entry *a, const struct profile_entry *b)
{
    return a->event == b->event && a->n == b->n &&
           memcmp(a->key, b->key, KEY_ADDRESS * sizeof(a->key[0])) == 0;
}

/* Reads the function that begins at entry @first of a sorted profile. */
static struct shown find_function(const struct profile *p, size_t first)
{
    struct shown f = {.first = first};

    while (first + f.n < p->n && is_same_function(p->entry[first], p->entry[first + f.n])) {
        f.period += p->entry[first + f.n]->period;
        f.samples += p->entry[first + f.n]->samples;
        f.n++;
    }
    return f;
}

static int compare_shown(const void *a, const void *b)
{
    const struct shown *left = a;
    const struct shown *right = b;

    if (left->period != right->period) {
        return left->period > right->period ? -1 : 1;
    }
    return left->first < right->first ? -1 : left->first > right->first;
}

static bool is_wanted(const struct annotate *a, const struct profile *p, size_t entry)
{
    for (size_t i = 0; i < a->n; i++) {
        if (strcmp(a->symbols[i], profile_text(p, p->entry[entry], KEY_FUNCTION)) == 0) {
            return true;
        }
    }
    return a->n == 0;
}

/*
 * Collects the functions of an event, which begins at entry @first, and sorts them by falling
 * period. Returns where the next event begins.
 */
static size_t find_functions(const struct annotate *a, const struct profile *p, size_t first,
                             struct shown *to, size_t *n)
{
    unsigned event = p->entry[first]->event;
    size_t at = first;

    *n = 0;
    while (at < p->n && p->entry[at]->event == event) {
        if (p->entry[at]->n != KEYS) {
            at++;
            continue;
        }
        to[*n] = find_function(p, at);
        at += to[*n].n;
        *n += is_wanted(a, p, to[*n].first);
    }
    qsort(to, *n, sizeof(*to), compare_shown);
    return at;
}

/*
 * Instructions
 */

static double percent(uint64_t part, uint64_t all)
{
    return all ? 100.0 * (double)part / (double)all : 0;
}

/* @e is NULL if nothing was sampled here, @code is NULL if there is no instruction. */
static void print_record(const struct profile *p, const struct shown *f,
                         const struct profile_entry *e, uint64_t address, const char *code,
                         struct out *out)
{
    const struct profile_entry *any = p->entry[f->first];
    struct json_object *record = json_object_new_object();
    char text[FORMAT_SIZE];

    snprintf(text, sizeof(text), "0x%016" PRIx64, address);
    record_string(record, "event", p->event[any->event].name);
    record_string(record, "image", profile_text(p, any, KEY_IMAGE));
    record_string(record, "sym", profile_text(p, any, KEY_FUNCTION));
    record_string(record, "address", text);
    record_double(record, "percent", percent(e ? e->period : 0, f->period), 2);
    record_u64(record, "samples", e ? e->samples : 0);
    record_u64(record, "period", e ? e->period : 0);
    record_u64(record, "event-period", p->event[any->event].period);
    if (code) {
        record_string(record, "code", code);
    } else {
        record_null(record, "code");
    }
    out_record(out, record);
}

static void print_line(const struct shown *f, const struct profile_entry *e, const char *line,
                       FILE *file)
{
    char period[FORMAT_SIZE];

    if (e) {
        fprintf(file, "  %7.2f%%  %16s  %s\n", percent(e->period, f->period),
                format_grouped(period, e->period), line);
    } else {
        fprintf(file, "  %8s  %16s  %s\n", "", "", line);
    }
}

/**
 * struct source - source lines between instructions
 * @image: the path of the ELF file.
 * @last: the line that was printed last.
 */
struct source {
    const char *image;
    struct source_lines lines;
    struct source_text text;
    char last[512];
};

/* Print the source line of an instruction, unless it is the same as before. */
static void print_source(struct source *s, const struct shown *f, uint64_t address, FILE *file)
{
    struct dwarf_line line[DWARF_LINES_FRAMES];
    char text[SOURCE_TEXT_SIZE];
    char place[sizeof(s->last)];
    const char *name;

    if (!source_lines_find(&s->lines, s->image, address, line) || !line[0].line) {
        return;
    }
    name = strrchr(line[0].file, '/') ? strrchr(line[0].file, '/') + 1 : line[0].file;
    snprintf(place, sizeof(place), "%s:%u%s%s%s", name, line[0].line, line[0].function ? " " : "",
             line[0].function ? line[0].function : "", line[0].function ? " (inlined)" : "");
    if (strcmp(place, s->last) != 0) {
        char whole[sizeof(place) + sizeof(text) + 2];

        strcpy(s->last, place);
        source_text_line(&s->text, line[0].file, line[0].line, text);
        snprintf(whole, sizeof(whole), "%s%s%s", place, *text ? "  " : "", text);
        print_line(f, NULL, whole, file);
    }
}

/* Prints samples below @address that belong to no instruction. */
static size_t print_strays(const struct profile *p, const struct shown *f, size_t at,
                           uint64_t address, struct out *out)
{
    for (; at < f->n && address_of(p, p->entry[f->first + at], KEY_ADDRESS) < address; at++) {
        const struct profile_entry *e = p->entry[f->first + at];
        char line[64];

        if (out->kind != OUT_TEXT) {
            print_record(p, f, e, address_of(p, e, KEY_ADDRESS), NULL, out);
            continue;
        }
        snprintf(line, sizeof(line), "%8" PRIx64 ":\tno instruction",
                 address_of(p, e, KEY_ADDRESS));
        print_line(f, e, line, out->text);
    }
    return at;
}

/* Instructions and samples are both in the order of their addresses. */
static void print_lines(const struct profile *p, const struct shown *f, struct listing *o,
                        struct source *s, struct out *out)
{
    size_t at = 0;

    while (listing_next(o)) {
        const struct profile_entry *e = NULL;

        if (o->is_code) {
            at = print_strays(p, f, at, o->address, out);
            if (s && out->kind == OUT_TEXT) {
                print_source(s, f, o->address, out->text);
            }
            if (at < f->n && address_of(p, p->entry[f->first + at], KEY_ADDRESS) == o->address) {
                e = p->entry[f->first + at++];
            }
        }
        if (out->kind == OUT_TEXT) {
            print_line(f, e, o->line, out->text);
        } else if (o->is_code) {
            print_record(p, f, e, o->address, o->code, out);
        }
    }
    print_strays(p, f, at, UINT64_MAX, out);
}

static void print_head(const struct profile *p, const struct shown *f, FILE *file)
{
    const struct profile_entry *any = p->entry[f->first];
    const struct profile_event *event = &p->event[any->event];
    char samples[FORMAT_SIZE];
    char period[FORMAT_SIZE];

    fprintf(file, "# %s of %s, event '%s': %s in %s samples, %.2f%% of all\n#\n",
            profile_text(p, any, KEY_FUNCTION), profile_text(p, any, KEY_IMAGE), event->name,
            format_grouped(period, f->period), format_grouped(samples, f->samples),
            percent(f->period, event->period));
    fprintf(file, "# %8s  %16s  Code\n", "Percent", "Period");
}

static int print_function(const struct annotate *a, const struct profile *p, const struct shown *f,
                          struct out *out, struct error *t)
{
    const struct profile_entry *any = p->entry[f->first];
    struct source s = {.image = profile_text(p, any, KEY_IMAGE)};
    struct listing o;

    if (listing_open(&o, a->objdump, profile_text(p, any, KEY_IMAGE), address_of(p, any, KEY_START),
                     address_of(p, any, KEY_END), a->source, t)) {
        return -1;
    }
    if (out->kind == OUT_TEXT) {
        print_head(p, f, out->text);
    }
    print_lines(p, f, &o, a->source && !a->objdump ? &s : NULL, out);
    source_lines_free(&s.lines);
    source_text_free(&s.text);
    if (out->kind == OUT_TEXT) {
        fputc('\n', out->text);
    }
    return listing_close(&o, t);
}

static int print_event(const struct annotate *a, const struct profile *p, const struct shown *f,
                       size_t n, struct out *out, struct error *t)
{
    int err = 0;

    if (a->n == 0 && a->limit < n) {
        n = a->limit;
    }
    for (size_t i = 0; !err && i < n; i++) {
        err = print_function(a, p, &f[i], out, t);
    }
    return err;
}

/* Reports that there is no function at all, or none of the requested ones. */
static int explain(const struct annotate *a, const struct profile *p, struct error *t)
{
    for (size_t i = 0; i < p->n; i++) {
        if (p->entry[i]->n == KEYS) {
            return error_set(t, ERROR_USAGE, "no sample is in %s%s", a->symbols[0],
                             a->n > 1 ? " or the other functions" : "");
        }
    }
    return error_set(t, ERROR_USAGE,
                     "no sample is in a function whose file is known: use --vmlinux or --map");
}

int annotate_print(const struct annotate *a, struct profile *p, struct out *out, struct error *t)
{
    struct shown *functions = calloc(p->n + 1, sizeof(*functions));
    bool found = false;
    int err = functions ? 0 : error_memory(t);

    profile_sort_by_key(p);
    for (size_t first = 0; !err && first < p->n;) {
        size_t n;

        first = find_functions(a, p, first, functions, &n);
        found |= n > 0;
        err = print_event(a, p, functions, n, out, t);
    }
    free(functions);
    return err || found ? err : explain(a, p, t);
}
