/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The fields are those of proto/profile.proto in github.com/google/pprof. Each function has one
 * location with the same number, because samples are summed up by name.
 */
#include "export/pprof.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/protobuf.h"
#include "perfdata/costs.h"
#include "profile/stacks.h"

enum {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING_TABLE = 6,
    PROFILE_DEFAULT_SAMPLE_TYPE = 14,
    VALUE_TYPE_TYPE = 1,
    VALUE_TYPE_UNIT = 2,
    SAMPLE_LOCATION_ID = 1,
    SAMPLE_VALUE = 2,
    SAMPLE_LABEL = 3,
    LABEL_KEY = 1,
    LABEL_STR = 2,
    LOCATION_ID = 1,
    LOCATION_LINE = 4,
    LINE_FUNCTION_ID = 1,
    FUNCTION_ID = 1,
    FUNCTION_NAME = 2,
};

/* Texts that each profile has, at the start of the table. The first one must be empty. */
enum {
    TEXT_NONE,
    TEXT_SAMPLES,
    TEXT_COUNT,
    TEXT_COMM,
    TEXT_WORLD,
    TEXT_EVENT,
    TEXTS,
};

/**
 * struct pprof - a profile that is being written
 * @string: for each text of the profile, its index in the table of strings; 0 if it is not there
 *     yet.
 * @is_function: whether the text has been added as a function.
 * @has_samples: values are samples and the event. An exact profile counts every execution; its
 *     samples are instructions of the program, whose number means nothing.
 */
struct pprof {
    const struct profile *p;
    bool has_samples;
    struct protobuf message;
    struct protobuf part;
    struct protobuf inner;
    uint64_t *string;
    bool *is_function;
    uint64_t strings;
};

static void put_string(struct pprof *to, const char *text)
{
    protobuf_bytes(&to->message, PROFILE_STRING_TABLE, text, strlen(text));
    to->strings++;
}

static uint64_t string_of(struct pprof *to, uint32_t number)
{
    if (!to->string[number]) {
        to->string[number] = to->strings;
        put_string(to, string_table_get(&to->p->texts, number));
    }
    return to->string[number];
}

/* Names of functions. The caller into which a function was inlined is not part of its name. */
static uint64_t name_of(struct pprof *to, uint32_t number)
{
    const char *text = string_table_get(&to->p->texts, number);
    size_t end = sizeof(STACKS_INLINED) - 1;
    size_t length = strlen(text);

    if (length <= end || strcmp(text + length - end, STACKS_INLINED) != 0) {
        return string_of(to, number);
    }
    protobuf_bytes(&to->message, PROFILE_STRING_TABLE, text, length - end);
    return to->strings++;
}

/* Returns its number, which is not 0. */
static uint64_t function_of(struct pprof *to, uint32_t number)
{
    uint64_t id = number + 1ull;

    if (!to->is_function[number]) {
        to->is_function[number] = true;
        protobuf_varint(&to->part, FUNCTION_ID, id);
        protobuf_varint(&to->part, FUNCTION_NAME, name_of(to, number));
        protobuf_message(&to->message, PROFILE_FUNCTION, &to->part);
        protobuf_varint(&to->inner, LINE_FUNCTION_ID, id);
        protobuf_varint(&to->part, LOCATION_ID, id);
        protobuf_message(&to->part, LOCATION_LINE, &to->inner);
        protobuf_message(&to->message, PROFILE_LOCATION, &to->part);
    }
    return id;
}

static void put_label(struct pprof *to, uint64_t key, uint64_t text)
{
    protobuf_varint(&to->inner, LABEL_KEY, key);
    protobuf_varint(&to->inner, LABEL_STR, text);
    protobuf_message(&to->part, SAMPLE_LABEL, &to->inner);
}

static void put_sample(struct pprof *to, const struct profile_entry *e)
{
    uint64_t world = string_of(to, e->key[STACKS_WORLD]);
    uint64_t comm = string_of(to, e->key[STACKS_COMM]);

    for (uint32_t i = STACKS_FIRST; i < e->n; i++) {
        function_of(to, e->key[i]);
    }
    for (uint32_t i = e->n; i > STACKS_FIRST; i--) {
        protobuf_packed(&to->inner, function_of(to, e->key[i - 1]));
    }
    protobuf_message(&to->part, SAMPLE_LOCATION_ID, &to->inner);
    if (to->has_samples) {
        protobuf_packed(&to->inner, e->samples);
    }
    protobuf_packed(&to->inner, e->period);
    protobuf_message(&to->part, SAMPLE_VALUE, &to->inner);
    put_label(to, TEXT_COMM, comm);
    put_label(to, TEXT_WORLD, world);
    protobuf_message(&to->message, PROFILE_SAMPLE, &to->part);
}

static void put_type(struct pprof *to, uint64_t type)
{
    protobuf_varint(&to->part, VALUE_TYPE_TYPE, type);
    protobuf_varint(&to->part, VALUE_TYPE_UNIT, TEXT_COUNT);
    protobuf_message(&to->message, PROFILE_SAMPLE_TYPE, &to->part);
}

static void put_profile(struct pprof *to, unsigned event)
{
    static const char *const texts[TEXTS] = {
        [TEXT_NONE] = "",     [TEXT_SAMPLES] = "samples", [TEXT_COUNT] = "count",
        [TEXT_COMM] = "comm", [TEXT_WORLD] = "world",
    };

    for (unsigned i = 0; i < TEXTS; i++) {
        put_string(to, texts[i] ? texts[i] : to->p->event[event].name);
    }
    if (to->has_samples) {
        put_type(to, TEXT_SAMPLES);
    }
    put_type(to, TEXT_EVENT);
    protobuf_varint(&to->message, PROFILE_DEFAULT_SAMPLE_TYPE, TEXT_EVENT);
    for (size_t i = 0; i < to->p->n; i++) {
        if (to->p->entry[i]->event == event) {
            put_sample(to, to->p->entry[i]);
        }
    }
}

/* The header has neither a name nor a time, so the same input gives the same bytes. */
static int write_gzipped(const struct protobuf *message, FILE *file, struct error *t)
{
    unsigned char buf[1 << 14];
    z_stream z = {.next_in = message->data};
    size_t left = message->size;
    int err;

    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + 16, MAX_MEM_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        return error_memory(t);
    }
    do {
        if (z.avail_in == 0) {
            z.avail_in = left < 1u << 30 ? (uInt)left : 1u << 30;
            left -= z.avail_in;
        }
        z.next_out = buf;
        z.avail_out = sizeof(buf);
        err = deflate(&z, left ? Z_NO_FLUSH : Z_FINISH);
        fwrite(buf, 1, sizeof(buf) - z.avail_out, file);
    } while (err == Z_OK || err == Z_BUF_ERROR);
    deflateEnd(&z);
    return err == Z_STREAM_END ? 0 : error_memory(t);
}

/* Each window of --blackout is a sample, too, but their number is worth showing. */
static bool is_exact(const struct profile_event *e)
{
    return e->each && (costs_is_instructions(e->name) || costs_name(e->name));
}

int pprof_write(const struct profile *p, unsigned event, FILE *file, struct error *t)
{
    struct pprof to = {
        .p = p,
        .has_samples = !is_exact(&p->event[event]),
        .string = calloc(p->texts.n + 1ull, sizeof(*to.string)),
        .is_function = calloc(p->texts.n + 1ull, sizeof(*to.is_function)),
    };
    int err;

    if (to.string && to.is_function) {
        put_profile(&to, event);
    } else {
        to.message.failed = true;
    }
    err = to.message.failed || to.part.failed || to.inner.failed
              ? error_memory(t)
              : write_gzipped(&to.message, file, t);
    protobuf_free(&to.message);
    protobuf_free(&to.part);
    protobuf_free(&to.inner);
    free(to.string);
    free(to.is_function);
    return err;
}
