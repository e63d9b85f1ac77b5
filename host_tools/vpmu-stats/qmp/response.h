/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_RESPONSE_H
#define VPMU_STATS_RESPONSE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The longest line, the deepest nesting, the most values, and the most objects and lists of them.
 */
#define RESPONSE_MAX_BYTES (16u << 20)
#define RESPONSE_MAX_DEPTH 16
#define RESPONSE_MAX_VALUES (1u << 20)
#define RESPONSE_MAX_CONTAINERS (1u << 18)

/**
 * response_parse() - reads one line of a peer that is not trusted
 * @line: @len bytes, without the newline; any bytes.
 * @result: a JSON object, which the caller puts. Unset on error.
 *
 * Return: 0, or -1 with @t ERROR_TALK: too long, too deep, too many values, not one JSON object.
 */
int response_parse(const char *line, size_t len, struct json_object **result, struct error *t);

/**
 * struct response - a part of what a peer said, for looking into
 * @o: any JSON value, NULL for null.
 * @what: the command that it answers.
 * @t: where errors go.
 */
struct response {
    struct json_object *o;
    const char *what;
    struct error *t;
};

/*
 * Members of an object. Each returns 0, or -1 with ERROR_TALK if @a is not an object, has no such
 * member, or has one of another type. Strings and lists live as long as @a does.
 */

/** response_u64() - an integer from 0 to @max */
int response_u64(struct response a, const char *name, uint64_t max, uint64_t *value);
int response_bool(struct response a, const char *name, bool *value);
int response_string(struct response a, const char *name, const char **value);
/** response_list() - @list is made the member, and @n its length */
int response_list(struct response a, const char *name, struct response *list, size_t *n);

/** response_has() - is it an object with such a member? */
bool response_has(struct response a, const char *name);

/** response_length() - the length of @a if that is a list */
int response_length(struct response a, size_t *n);

/** response_item() - an item of @a, which is a list, longer than @i */
struct response response_item(struct response a, size_t i);

/** response_item_u64() - an item of @a, which is a list, longer than @i: an integer */
int response_item_u64(struct response a, size_t i, uint64_t *value);

#endif
