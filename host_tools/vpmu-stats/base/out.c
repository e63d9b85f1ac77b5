/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes reports. A report is composed in memory and then written as a whole. A file gets its final
 * name only after fsync() has written all of it to the disk; a live one when it has its first
 * report.
 */
#include "base/out.h"

#include <errno.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/signals.h"

static int cannot_write(const struct out *o, struct error *t)
{
    if (errno == ECANCELED) {
        return error_set(t, ERROR_STOPPED, "stopped");
    }
    if (errno == EPIPE && !o->path) {
        return error_set(t, ERROR_PIPE, "the reader of the standard output closed it");
    }
    return error_set(t, ERROR_OUTPUT, "cannot write %s: %s",
                     !o->path   ? "the standard output"
                     : *o->path ? o->path
                                : "''",
                     strerror(errno));
}

static int open_file(struct out *o)
{
    o->to = (struct replacement){.fd = STDOUT_FILENO};
    return o->path ? replacement_open(&o->to, o->path, false) : 0;
}

bool out_wants_color(int fd, enum out_color color)
{
    const char *term = getenv("TERM");
    const char *no_color = getenv("NO_COLOR");

    return color == OUT_COLOR_ALWAYS || (color == OUT_COLOR_AUTO && isatty(fd) && term &&
                                         strcmp(term, "dumb") != 0 && !(no_color && *no_color));
}

int out_open(struct out *o, const char *path, bool live, enum out_color color, struct error *t)
{
    o->path = path;
    o->live = live;
    o->buf = NULL;
    o->text = NULL;
    if (open_file(o)) {
        return cannot_write(o, t);
    }
    o->color = out_wants_color(o->to.fd, color);
    o->unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
    o->text = open_memstream(&o->buf, &o->size);
    if (!o->text) {
        out_close(o, false, t);
        return error_memory(t);
    }
    return 0;
}

/* Quote a value as in RFC 4180 if it contains a separator, a quote or a line break. */
static void put_csv_text(struct out *o, const char *text)
{
    if (!strstr(text, o->separator) && !strpbrk(text, "\"\r\n")) {
        fputs(text, o->text);
        return;
    }
    fputc('"', o->text);
    for (; *text; text++) {
        fprintf(o->text, *text == '"' ? "\"\"" : "%c", *text);
    }
    fputc('"', o->text);
}

static void put_csv_value(struct out *o, struct json_object *value)
{
    size_t n = json_object_is_type(value, json_type_array) ? json_object_array_length(value) : 0;

    if (!json_object_is_type(value, json_type_array)) {
        put_csv_text(o, value ? json_object_get_string(value) : "");
        return;
    }
    for (size_t i = 0; i < n; i++) {
        fputs(i > 0 ? " " : "", o->text);
        put_csv_text(o, json_object_get_string(json_object_array_get_idx(value, i)));
    }
}

static void put_csv(struct out *o, struct json_object *record)
{
    const char *separator = "";

    if (!record) {
        return;
    }
    json_object_object_foreach(record, name, value)
    {
        (void)name;
        fputs(separator, o->text);
        put_csv_value(o, value);
        separator = o->separator;
    }
    fputc('\n', o->text);
}

void out_record(struct out *o, struct json_object *record)
{
    if (o->kind == OUT_CSV) {
        put_csv(o, record);
    } else {
        const char *line = json_object_to_json_string_ext(
            record, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);

        fprintf(o->text, "%s\n", line ? line : "null");
    }
    json_object_put(record);
}

static int write_all(const struct out *o, const char *buf, size_t size)
{
    while (size > 0) {
        ssize_t n = signals_write(o->to.fd, buf, size);

        if (n < 0 && errno != EINTR) {
            return -1;
        }
        if (n > 0) {
            buf += n;
            size -= (size_t)n;
        }
    }
    return 0;
}

int out_flush(struct out *o, struct error *t)
{
    if (fflush(o->text) || ferror(o->text)) {
        return error_memory(t);
    }
    if (write_all(o, o->buf, o->size) || (o->live && o->size > 0 && replacement_publish(&o->to))) {
        return cannot_write(o, t);
    }
    rewind(o->text);
    return 0;
}

/*
 * Some file systems report a full disk only at fsync(), which pipes and terminals do not support.
 */
static int finish_file(struct out *o, struct error *t)
{
    if (fsync(o->to.fd) && errno != EINVAL && errno != EROFS && errno != ENOTSUP) {
        return cannot_write(o, t);
    }
    return !o->live && replacement_publish(&o->to) ? cannot_write(o, t) : 0;
}

int out_close(struct out *o, bool keep, struct error *t)
{
    int err = o->text && keep ? out_flush(o, t) : 0;

    if (!err && o->path && keep) {
        err = finish_file(o, t);
    }
    replacement_discard(&o->to);
    if (o->path && close(o->to.fd) && !err && keep) {
        err = cannot_write(o, t);
    }
    if (o->text) {
        fclose(o->text);
    }
    free(o->buf);
    replacement_free(&o->to);
    return err;
}

int out_end(struct out *o, int err, struct error *t)
{
    struct error closing = {0};

    if (out_close(o, !err, &closing) && !err) {
        *t = closing;
        return -1;
    }
    return err;
}

void record_u64(struct json_object *record, const char *name, uint64_t value)
{
    json_object_object_add(record, name, json_object_new_uint64(value));
}

void record_double(struct json_object *record, const char *name, double value, int decimals)
{
    char text[400];

    snprintf(text, sizeof(text), "%.*f", decimals, value);
    json_object_object_add(record, name, json_object_new_double_s(value, text));
}

void record_string(struct json_object *record, const char *name, const char *value)
{
    json_object_object_add(record, name, value ? json_object_new_string(value) : NULL);
}

void record_bool(struct json_object *record, const char *name, bool value)
{
    json_object_object_add(record, name, json_object_new_boolean(value));
}

void record_null(struct json_object *record, const char *name)
{
    json_object_object_add(record, name, NULL);
}
