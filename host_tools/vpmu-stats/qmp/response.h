/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_RESPONSE_H
#define VPMU_STATS_RESPONSE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/*
 * Limits for a response: bytes in a line, levels of nesting, values, and objects and lists
 * together.
 */
#define RESPONSE_MAX_BYTES (16u << 20)
#define RESPONSE_MAX_DEPTH 16
#define RESPONSE_MAX_VALUES (1u << 20)
#define RESPONSE_MAX_CONTAINERS (1u << 18)

/**
 * response_parse() - parse a line of an untrusted peer
 * @line: the line without its newline; it can contain any bytes.
 * @len: the length of @line.
 * @result: receives a JSON object, which the caller releases. It is not set on error.
 *
 * Return: 0; or -1 with ERROR_TALK if @line exceeds a limit or is not a single JSON object.
 */
int response_parse(const char *line, size_t len, struct json_object **result, struct error *t);

/**
 * struct response - a JSON value in a response, and what error messages need
 * @o: the value; NULL for null.
 * @what: the command that the peer responds to.
 */
struct response {
    struct json_object *o;
    const char *what;
    struct error *t;
};

/*
 * The functions below get a member of the object @a. They return 0; or -1 with ERROR_TALK if @a is
 * not an object, has no such member, or has one of another type. Strings and lists live as long as
 * @a.
 */

/** response_u64() - get an integer from 0 to @max */
int response_u64(struct response a, const char *name, uint64_t max, uint64_t *value);
int response_bool(struct response a, const char *name, bool *value);
int response_string(struct response a, const char *name, const char **value);
/** response_list() - get a list and its length @n */
int response_list(struct response a, const char *name, struct response *list, size_t *n);

/** response_has() - check whether @a is an object with a member @name */
bool response_has(struct response a, const char *name);

/**
 * response_length() - get the length of the list @a. Return: 0; -1 with ERROR_TALK if it is no
 * list.
 */
int response_length(struct response a, size_t *n);

/** response_item() - get an item of the list @a, which must be longer than @i */
struct response response_item(struct response a, size_t i);

/**
 * response_item_u64() - get an integer from the list @a, which must be longer than @i
 *
 * Return: 0; or -1 with ERROR_TALK if the item is not an integer from 0 to UINT64_MAX.
 */
int response_item_u64(struct response a, size_t i, uint64_t *value);

#endif
