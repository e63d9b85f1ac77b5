/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads responses of an untrusted peer. The rest of the program gets values only from these
 * functions, which check their types.
 */
#include "qmp/response.h"

#include <inttypes.h>
#include <string.h>

#include "base/number.h"

/*
 * Check the number of values before parsing, because a short line can make json-c allocate large
 * tables. Characters in strings are counted too.
 */
static bool is_modest(const char *line, size_t len)
{
    size_t containers = 0;
    size_t values = 0;

    for (size_t i = 0; i < len; i++) {
        containers += line[i] == '{' || line[i] == '[';
        values += line[i] == ',';
    }
    return containers <= RESPONSE_MAX_CONTAINERS && values <= RESPONSE_MAX_VALUES;
}

static struct json_object *parse_line(const char *line, size_t len, const char **why)
{
    struct json_tokener *tok = json_tokener_new_ex(RESPONSE_MAX_DEPTH);
    struct json_object *o;

    *why = "out of memory";
    if (!tok) {
        return NULL;
    }
    /* json-c stops at a NUL. */
    if (memchr(line, '\0', len)) {
        json_tokener_free(tok);
        *why = "a NUL";
        return NULL;
    }
    json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    o = json_tokener_parse_ex(tok, line, (int)len);
    *why = json_tokener_get_error(tok) == json_tokener_continue
               ? (len ? "the line ends within a value" : "an empty line")
               : json_tokener_error_desc(json_tokener_get_error(tok));
    json_tokener_free(tok);
    return o;
}

int response_parse(const char *line, size_t len, struct json_object **result, struct error *t)
{
    struct json_object *o;
    const char *why;

    if (len > RESPONSE_MAX_BYTES) {
        return error_set(t, ERROR_TALK, "the peer sent a line of more than %u MiB",
                         RESPONSE_MAX_BYTES >> 20);
    }
    if (!is_modest(line, len)) {
        return error_set(t, ERROR_TALK, "the peer sent a line with too many values");
    }
    if (number_is_large(line, len)) {
        return error_set(t, ERROR_TALK, "the peer sent a number of more than 64 bits");
    }
    o = parse_line(line, len, &why);
    if (!json_object_is_type(o, json_type_object)) {
        json_object_put(o);
        return error_set(t, ERROR_TALK, "the peer does not speak QMP: %.*s%s (%s)",
                         (int)(len < 40 ? len : 40), line, len > 40 ? "..." : "",
                         o ? "not an object" : why);
    }
    *result = o;
    return 0;
}

bool response_has(struct response a, const char *name)
{
    return json_object_is_type(a.o, json_type_object) && json_object_object_get_ex(a.o, name, NULL);
}

static int wrong(struct response a, const char *name, const char *type)
{
    return error_set(a.t, ERROR_TALK, "%s: '%s' is not %s", a.what, name, type);
}

static int get_member(struct response a, const char *name, struct json_object **value)
{
    if (!json_object_is_type(a.o, json_type_object)) {
        return error_set(a.t, ERROR_TALK, "%s: expected an object with '%s'", a.what, name);
    }
    if (!json_object_object_get_ex(a.o, name, value)) {
        return error_set(a.t, ERROR_TALK, "%s: the response has no '%s'", a.what, name);
    }
    return 0;
}

/*
 * json-c keeps integers above INT64_MAX as unsigned. json_object_get_uint64() would turn a negative
 * integer into 0.
 */
static bool take_u64(struct json_object *o, uint64_t max, uint64_t *value)
{
    if (!json_object_is_type(o, json_type_int) || json_object_get_int64(o) < 0) {
        return false;
    }
    *value = json_object_get_uint64(o);
    return *value <= max;
}

int response_u64(struct response a, const char *name, uint64_t max, uint64_t *value)
{
    struct json_object *o;

    if (get_member(a, name, &o)) {
        return -1;
    }
    if (!take_u64(o, max, value)) {
        return error_set(a.t, ERROR_TALK, "%s: '%s' is not a number from 0 to %" PRIu64, a.what,
                         name, max);
    }
    return 0;
}

int response_bool(struct response a, const char *name, bool *value)
{
    struct json_object *o;

    if (get_member(a, name, &o)) {
        return -1;
    }
    if (!json_object_is_type(o, json_type_boolean)) {
        return wrong(a, name, "true or false");
    }
    *value = json_object_get_boolean(o);
    return 0;
}

int response_string(struct response a, const char *name, const char **value)
{
    struct json_object *o;

    if (get_member(a, name, &o)) {
        return -1;
    }
    if (!json_object_is_type(o, json_type_string)) {
        return wrong(a, name, "a string");
    }
    *value = json_object_get_string(o);
    return 0;
}

int response_list(struct response a, const char *name, struct response *list, size_t *n)
{
    *list = a;
    if (get_member(a, name, &list->o)) {
        return -1;
    }
    if (!json_object_is_type(list->o, json_type_array)) {
        return wrong(a, name, "a list");
    }
    *n = json_object_array_length(list->o);
    return 0;
}

int response_length(struct response a, size_t *n)
{
    if (!json_object_is_type(a.o, json_type_array)) {
        return error_set(a.t, ERROR_TALK, "%s: the response is not a list", a.what);
    }
    *n = json_object_array_length(a.o);
    return 0;
}

struct response response_item(struct response a, size_t i)
{
    a.o = json_object_array_get_idx(a.o, i);
    return a;
}

int response_item_u64(struct response a, size_t i, uint64_t *value)
{
    if (!take_u64(json_object_array_get_idx(a.o, i), UINT64_MAX, value)) {
        return error_set(a.t, ERROR_TALK, "%s: a list of numbers contains something else", a.what);
    }
    return 0;
}
