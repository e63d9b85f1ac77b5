/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/values.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/report.h"

static bool is_count(struct json_object *o)
{
    return json_object_is_type(o, json_type_int) && json_object_get_int64(o) >= 0;
}

/* A name is printed as it is, so it may not control a terminal or end a line. */
static bool is_name(struct json_object *o)
{
    const char *text = json_object_is_type(o, json_type_string) ? json_object_get_string(o) : "\n";

    while (*text && !iscntrl((unsigned char)*text)) {
        text++;
    }
    return !*text;
}

/* read_runs() - the range of the counts of all runs. Return: false if one is not a count. */
static bool read_runs(struct json_object *runs, struct value *v)
{
    for (size_t i = 0; runs && i < json_object_array_length(runs); i++) {
        struct json_object *o = json_object_array_get_idx(runs, i);
        uint64_t value;

        if (!is_count(o)) {
            return false;
        }
        value = json_object_get_uint64(o);
        v->low = value < v->low ? value : v->low;
        v->high = value > v->high ? value : v->high;
    }
    return true;
}

/* read_event() - Return: false if it is not an event */
static bool read_event(struct json_object *event, struct value *v)
{
    struct json_object *name = NULL, *value = NULL, *runs = NULL;

    if (!json_object_is_type(event, json_type_object) ||
        !json_object_object_get_ex(event, "event", &name) || !is_name(name) ||
        (json_object_object_get_ex(event, "values", &runs) &&
         !json_object_is_type(runs, json_type_array))) {
        return false;
    }
    v->name = json_object_get_string(name);
    v->part = json_object_object_get_ex(event, "region", NULL) || report_is_syscall(v->name);
    if (!json_object_object_get_ex(event, "value", &value) || !value) {
        return true;
    }
    if (!is_count(value)) {
        return false;
    }
    v->counted = true;
    v->value = v->low = v->high = json_object_get_uint64(value);
    return read_runs(runs, v);
}

bool values_is_event(struct json_object *event)
{
    struct value v = {0};

    return read_event(event, &v);
}

static int compare_names(const void *a, const void *b)
{
    const struct value *const *x = a, *const *y = b;

    return strcmp((*x)->name, (*y)->name);
}

/* sort() - Return: a name that two events have; NULL if there is none */
static const char *sort(struct values *v)
{
    for (size_t i = 0; i < v->n; i++) {
        v->by_name[i] = &v->value[i];
    }
    qsort(v->by_name, v->n, sizeof(*v->by_name), compare_names);
    for (size_t i = 1; i < v->n; i++) {
        if (compare_names(&v->by_name[i - 1], &v->by_name[i]) == 0) {
            return v->by_name[i]->name;
        }
    }
    return NULL;
}

int values_read(struct values *v, struct json_object *report, const char *path, struct failure *f)
{
    struct json_object *events = NULL;
    const char *twice;

    json_object_object_get_ex(report, "events", &events);
    v->n = json_object_array_length(events);
    v->value = calloc(v->n + 1, sizeof(*v->value));
    v->by_name = calloc(v->n + 1, sizeof(*v->by_name));
    v->syscalls = false;
    if (!v->value || !v->by_name) {
        return failure_memory(f);
    }
    for (size_t i = 0; i < v->n; i++) {
        if (!read_event(json_object_array_get_idx(events, i), &v->value[i])) {
            return failure_set(f, FAILURE_USAGE, "%s: the event at index %zu has no name or count",
                               path, i);
        }
        v->syscalls |= report_is_syscall(v->value[i].name);
    }
    twice = sort(v);
    return twice ? failure_set(f, FAILURE_USAGE, "%s has two events '%s'", path, twice) : 0;
}

void values_free(struct values *v)
{
    free(v->value);
    free(v->by_name);
    memset(v, 0, sizeof(*v));
}

const struct value *values_find(const struct values *v, const char *name, size_t length)
{
    size_t low = 0, high = v->n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct value *at = v->by_name[middle];
        int order = strncmp(at->name, name, length);

        order = order ? order : at->name[length] != '\0';
        if (order == 0) {
            return at;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return NULL;
}
