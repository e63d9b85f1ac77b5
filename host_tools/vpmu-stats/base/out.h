/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_OUT_H
#define VPMU_STATS_OUT_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

enum out_kind {
    OUT_TEXT,
    OUT_JSON, /* one object a line */
    OUT_CSV,  /* the same objects' values */
};

/**
 * struct out - where reports go
 * @kind: what they look like.
 * @separator: of OUT_CSV.
 * @color: escape sequences are welcome.
 * @unicode: so are bars made of blocks.
 * @text: for OUT_TEXT: what is printed here is part of the report.
 *
 * The rest is private.
 */
struct out {
    enum out_kind kind;
    const char *separator;
    bool color;
    bool unicode;
    FILE *text;
    char *buf;
    size_t size;
    int fd;
    const char *path;
    char *temporary;
};

/** enum out_color - when to use colors */
enum out_color {
    OUT_COLOR_AUTO,
    OUT_COLOR_ALWAYS,
    OUT_COLOR_NEVER,
};

/** out_wants_color() - are colors welcome there? NO_COLOR decides where nothing was said. */
bool out_wants_color(int fd, enum out_color color);

/** out_is_replaceable() - is @path a plain file, or not there yet? Others cannot be replaced. */
bool out_is_replaceable(const char *path);

/**
 * out_temporary() - opens a file that can be renamed to @path when it is complete
 * @secret: only this user may read it; otherwise the umask decides.
 * @temporary: its name, to be freed.
 *
 * Return: a descriptor, or -1 with errno.
 */
int out_temporary(const char *path, bool secret, char **temporary);

/**
 * out_open() - makes a place for reports
 * @path: of a file; NULL is standard output.
 * @live: others may read while reports are being added. Otherwise a file appears, or replaces what
 *     was there, as a whole in out_close().
 *
 * Return: 0, or -1 with ERROR_OUTPUT. out_close() is needed only after 0.
 */
int out_open(struct out *o, const char *path, bool live, enum out_color color, struct error *t);

/**
 * out_record() - adds a record to the report
 * @record: an object, which is put; NULL if there was no memory for it. Records of one command have
 *     the same members in the same order, null where there is nothing to say. A member can be a
 *     list of numbers or strings.
 */
void out_record(struct out *o, struct json_object *record);

/** out_flush() - writes the report so far. Return: 0, or -1 with ERROR_OUTPUT. */
int out_flush(struct out *o, struct error *t);

/**
 * out_close() - writes what is left and makes the file last
 * @keep: false if the reports are not worth keeping: a file that is not live is as it was before.
 *
 * Return: 0, or -1 with ERROR_OUTPUT.
 */
int out_close(struct out *o, bool keep, struct error *t);

/**
 * out_end() - out_close() after what may have failed: @err, of which @t is then
 * Return: @err; or -1 with ERROR_OUTPUT if that was 0 and closing failed.
 */
int out_end(struct out *o, int err, struct error *t);

/* Members of a record. A double is written with so many decimals. */
void record_u64(struct json_object *record, const char *name, uint64_t value);
void record_double(struct json_object *record, const char *name, double value, int decimals);
void record_string(struct json_object *record, const char *name, const char *value);
void record_bool(struct json_object *record, const char *name, bool value);
void record_null(struct json_object *record, const char *name);

#endif
