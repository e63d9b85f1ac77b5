/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_OUT_H
#define VPMU_STATS_OUT_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"
#include "base/replacement.h"

enum out_kind {
    OUT_TEXT,
    OUT_JSON, /* one JSON object per line */
    OUT_CSV,  /* the values of the same objects, one object per line */
};

/**
 * struct out - the destination of reports
 * @kind: the format, which the caller sets.
 * @separator: the separator of the values in OUT_CSV, which the caller sets.
 * @color: the report may contain escape sequences for colors.
 * @unicode: the report may contain Unicode block characters.
 * @text: the stream of the current report. A command with OUT_TEXT prints to it.
 *
 * The other members are private.
 */
struct out {
    enum out_kind kind;
    const char *separator;
    bool color;
    bool unicode;
    FILE *text;
    char *buf;
    size_t size;
    const char *path;
    bool live;
    struct replacement to;
};

/** enum out_color - when to print colors */
enum out_color {
    OUT_COLOR_AUTO,
    OUT_COLOR_ALWAYS,
    OUT_COLOR_NEVER,
};

/**
 * out_wants_color() - check whether to print colors
 * @fd: the output.
 * @color: the user's choice. OUT_COLOR_AUTO prints colors if @fd is a terminal, TERM is set and is
 *     not "dumb", and NO_COLOR is unset or empty.
 */
bool out_wants_color(int fd, enum out_color color);

/**
 * out_open() - open the destination of reports
 * @o: the destination.
 * @path: the name of a file; NULL for standard output. The string must live until out_close().
 * @live: true if others may read the file while reports are added. The first report creates or
 *     replaces it. If it is false, out_close() does so, when the file is complete.
 * @color: the user's choice.
 *
 * Return: 0, after which out_close() is needed; or -1 with ERROR_OUTPUT if the file cannot be
 * opened.
 */
int out_open(struct out *o, const char *path, bool live, enum out_color color, struct error *t);

/**
 * out_record() - add a record to the report, in JSON or CSV
 * @o: the destination.
 * @record: a JSON object, which this function releases; NULL if there was no memory for it.
 *
 * All records of a command must have the same members in the same order. A member without a value
 * is null. A member can be a list of numbers or strings; CSV separates its items by spaces.
 */
void out_record(struct out *o, struct json_object *record);

/**
 * out_flush() - write the report so far
 *
 * Return: 0; or -1: ERROR_PIPE if the reader of standard output closed it, ERROR_OUTPUT if writing
 * fails otherwise.
 */
int out_flush(struct out *o, struct error *t);

/**
 * out_close() - write the rest of the report, and close the destination
 * @o: the destination.
 * @keep: false to discard the reports. An older file then keeps its contents, unless out_flush()
 *     has replaced it by a live one.
 *
 * Return: 0, or -1 as out_flush().
 */
int out_close(struct out *o, bool keep, struct error *t);

/**
 * out_end() - call out_close() with the result of a command
 * @o: the destination.
 * @err: the result of the command. If it is not 0, the reports are discarded.
 * @t: the error of the command. It is replaced only if @err is 0 and out_close() fails.
 *
 * Return: @err; or -1 if out_close() fails.
 */
int out_end(struct out *o, int err, struct error *t);

/*
 * Functions that add a member to a record. record_double() writes @decimals digits after the
 * decimal point. record_string() writes null for a NULL pointer.
 */
void record_u64(struct json_object *record, const char *name, uint64_t value);
void record_double(struct json_object *record, const char *name, double value, int decimals);
void record_string(struct json_object *record, const char *name, const char *value);
void record_bool(struct json_object *record, const char *name, bool value);
void record_null(struct json_object *record, const char *name);

#endif
