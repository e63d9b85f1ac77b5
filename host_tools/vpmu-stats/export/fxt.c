/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A record consists of 64-bit words. The first one has the type and the size. */
#include "export/fxt.h"

#include <string.h>

enum {
    RECORD_INITIALIZATION = 1,
    RECORD_STRING = 2,
    RECORD_EVENT = 4,
    RECORD_KERNEL_OBJECT = 7,
};

enum {
    ARGUMENT_UNSIGNED = 4,
    ARGUMENT_DOUBLE = 5,
    ARGUMENT_STRING = 6,
    ARGUMENT_OBJECT = 8,
};

#define MAGIC 0x0016547846040010u
/* Strings have numbers from 1. When all numbers are used, further strings are written inline. */
#define MAX_STRING 0x7fffu
#define INLINE_STRING 0x8000u
/* Longer ones are cut. */
#define MAX_LENGTH 255u
#define STRING_WORDS ((MAX_LENGTH + 7) / 8)

/* Sizes: a place has five words and two strings, an argument has two words and two strings. */
struct record {
    uint64_t word[8 + 2 * STRING_WORDS + FXT_MAX_ARGUMENTS * (2 + 2 * STRING_WORDS)];
    size_t n;
};

static void write_record(struct fxt *f, struct record *r)
{
    r->word[0] |= (uint64_t)r->n << 4;
    fwrite(r->word, sizeof(r->word[0]), r->n, f->file);
}

static size_t length_of(const char *text)
{
    return strnlen(text, MAX_LENGTH);
}

static void put_text(struct record *r, const char *text)
{
    size_t words = (length_of(text) + 7) / 8;

    memset(r->word + r->n, 0, words * 8);
    memcpy(r->word + r->n, text, length_of(text));
    r->n += words;
}

static void define(struct fxt *f, uint32_t number, const char *text)
{
    struct record r = {.n = 1};

    r.word[0] = RECORD_STRING | (uint64_t)number << 16 | (uint64_t)length_of(text) << 32;
    put_text(&r, text);
    write_record(f, &r);
}

/* How a record refers to a text: by a number that a record before it has defined, or inline. */
static uint64_t refer(struct fxt *f, struct record *r, const char *text)
{
    uint32_t before = f->strings.n;
    uint32_t number;

    if (!*text) {
        return 0;
    }
    if (string_table_number(&f->strings, text, &number, &f->error) == 0 && number < MAX_STRING) {
        if (number == before) {
            define(f, number + 1, text);
        }
        return number + 1ull;
    }
    put_text(r, text);
    return INLINE_STRING | length_of(text);
}

static void put_argument(struct fxt *f, struct record *r, const struct fxt_argument *a)
{
    size_t at = r->n++;
    uint64_t head = refer(f, r, a->name) << 16;

    if (a->text) {
        head |= ARGUMENT_STRING | refer(f, r, a->text) << 32;
    } else if (a->is_real) {
        head |= ARGUMENT_DOUBLE;
        memcpy(&r->word[r->n++], &a->real, sizeof(a->real));
    } else {
        head |= ARGUMENT_UNSIGNED;
        r->word[r->n++] = a->number;
    }
    r->word[at] = head | (uint64_t)(r->n - at) << 4;
}

void fxt_begin(struct fxt *f, uint64_t ticks_per_second)
{
    const uint64_t word[] = {MAGIC, RECORD_INITIALIZATION | 2u << 4, ticks_per_second};

    fwrite(word, sizeof(word[0]), sizeof(word) / sizeof(word[0]), f->file);
}

void fxt_name(struct fxt *f, enum fxt_object type, uint64_t object, uint64_t process,
              const char *name)
{
    struct record r = {.n = 2};
    size_t at;

    r.word[1] = object;
    r.word[0] = RECORD_KERNEL_OBJECT | (uint64_t)type << 16 | refer(f, &r, name) << 24;
    if (type == FXT_THREAD) {
        r.word[0] |= 1ull << 40;
        at = r.n++;
        r.word[at] = ARGUMENT_OBJECT | refer(f, &r, "process") << 16;
        r.word[r.n++] = process;
        r.word[at] |= (uint64_t)(r.n - at) << 4;
    }
    write_record(f, &r);
}

void fxt_event(struct fxt *f, enum fxt_event type, const struct fxt_place *place,
               const struct fxt_argument *argument, unsigned n, uint64_t last)
{
    struct record r = {.n = 4};

    r.word[1] = place->time;
    r.word[2] = place->process;
    r.word[3] = place->thread;
    r.word[0] = RECORD_EVENT | (uint64_t)type << 16 | (uint64_t)n << 20;
    r.word[0] |= refer(f, &r, place->category) << 32;
    r.word[0] |= refer(f, &r, place->name) << 48;
    for (unsigned i = 0; i < n; i++) {
        put_argument(f, &r, &argument[i]);
    }
    if (type != FXT_INSTANT) {
        r.word[r.n++] = last;
    }
    write_record(f, &r);
}

void fxt_free(struct fxt *f)
{
    string_table_free(&f->strings);
}
