/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_STATS_ANSWER_H
#define VPMU_STATS_ANSWER_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trouble.h"

/* The longest line, the deepest nesting, the most values, and the most objects and lists of them.
 */
#define ANSWER_MAX_BYTES (16u << 20)
#define ANSWER_MAX_DEPTH 16
#define ANSWER_MAX_VALUES (1u << 20)
#define ANSWER_MAX_CONTAINERS (1u << 18)

/**
 * answer_parse() - reads one line of a peer that is not trusted
 * @line: @len bytes, without the newline; any bytes.
 * @result: a JSON object, which the caller puts. Unset if there is trouble.
 *
 * Return: 0, or -1 with @t TROUBLE_TALK: too long, too deep, too many values, not one JSON object.
 */
int answer_parse(const char *line, size_t len, struct json_object **result, struct trouble *t);

/**
 * struct answer - a part of what a peer said, for looking into
 * @o: any JSON value, NULL for null.
 * @what: the command that it answers.
 * @t: where trouble goes.
 */
struct answer {
    struct json_object *o;
    const char *what;
    struct trouble *t;
};

/*
 * Members of an object. Each returns 0, or -1 with TROUBLE_TALK if @a is not an object, has no such
 * member, or has one of another type. Strings and lists live as long as @a does.
 */

/** answer_u64() - an integer from 0 to @max */
int answer_u64(struct answer a, const char *name, uint64_t max, uint64_t *value);
int answer_bool(struct answer a, const char *name, bool *value);
int answer_string(struct answer a, const char *name, const char **value);
/** answer_list() - @list is made the member, and @n its length */
int answer_list(struct answer a, const char *name, struct answer *list, size_t *n);

/** answer_has() - is it an object with such a member? */
bool answer_has(struct answer a, const char *name);

/** answer_length() - the length of @a if that is a list */
int answer_length(struct answer a, size_t *n);

/** answer_item() - an item of @a, which is a list, longer than @i */
struct answer answer_item(struct answer a, size_t i);

/** answer_item_u64() - an item of @a, which is a list, longer than @i: an integer */
int answer_item_u64(struct answer a, size_t i, uint64_t *value);

#endif
