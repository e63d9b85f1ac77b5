/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/reports.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "report/report.h"
#include "report/values.h"

/* No file of reports is larger, in bytes. */
#define FILE_MAX (256u << 20)

/* slurp() - the content of a file, to be freed; NULL with an error */
static char *slurp(const char *path, size_t *size, struct failure *f)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char *text = NULL;
    size_t room = 0;
    ssize_t n = fd < 0 ? -1 : 1;

    *size = 0;
    while (n > 0) {
        if (*size == room) {
            char *more = room < FILE_MAX ? realloc(text, room = room ? 2 * room : 1 << 16) : NULL;

            if (!more) {
                n = -1;
                errno = room < FILE_MAX ? ENOMEM : EFBIG;
                break;
            }
            text = more;
        }
        n = read(fd, text + *size, room - *size);
        *size += n > 0 ? (size_t)n : 0;
    }
    if (n < 0) {
        failure_set(f, FAILURE_USAGE, "cannot read %s: %s", path, strerror(errno));
        free(text);
        text = NULL;
    }
    if (fd >= 0) {
        close(fd);
    }
    return text;
}

static int check(struct json_object *report, const char *path, struct failure *f)
{
    static const char *const objects[] = {"environment", "contents"};
    struct json_object *schema = NULL, *version = NULL, *events = NULL;

    if (!json_object_is_type(report, json_type_object) ||
        !json_object_object_get_ex(report, "schema", &schema) ||
        !json_object_object_get_ex(report, "version", &version) ||
        !json_object_object_get_ex(report, "events", &events) ||
        !json_object_is_type(schema, json_type_string) ||
        !json_object_is_type(version, json_type_int) ||
        !json_object_is_type(events, json_type_array) ||
        strcmp(json_object_get_string(schema), REPORT_SCHEMA) != 0) {
        return failure_set(f, FAILURE_USAGE, "%s is not a report of vpmu-run -o", path);
    }
    if (json_object_get_int(version) != REPORT_VERSION) {
        return failure_set(f, FAILURE_USAGE, "%s has version %d of the format, known is %d", path,
                           json_object_get_int(version), REPORT_VERSION);
    }
    for (size_t i = 0; i < sizeof(objects) / sizeof(objects[0]); i++) {
        struct json_object *o;

        if (json_object_object_get_ex(report, objects[i], &o) &&
            !json_object_is_type(o, json_type_object)) {
            return failure_set(f, FAILURE_USAGE, "%s: '%s' is not an object", path, objects[i]);
        }
    }
    for (size_t i = 0; i < json_object_array_length(events); i++) {
        if (!values_is_event(json_object_array_get_idx(events, i))) {
            return failure_set(f, FAILURE_USAGE, "%s: the event at index %zu has no name or count",
                               path, i);
        }
    }
    return 0;
}

/* alike() - the reports of the same command, in their order; NULL if there are none */
static struct json_object *alike(const struct reports *r, struct json_object *report)
{
    struct json_object *command = NULL, *list = NULL;

    json_object_object_get_ex(report, "command", &command);
    json_object_object_get_ex(r->commands, json_object_to_json_string(command), &list);
    return list;
}

/* file() - puts the report behind the others of its command. Return: whether there was memory. */
static bool file(struct reports *r, struct json_object *report)
{
    struct json_object *list = alike(r, report), *command = NULL;

    if (!list) {
        list = json_object_new_array();
        json_object_object_get_ex(report, "command", &command);
        if (!list ||
            json_object_object_add(r->commands, json_object_to_json_string(command), list) != 0) {
            json_object_put(list);
            return false;
        }
    }
    r->turn[r->n] = json_object_array_length(list);
    if (json_object_array_add(list, json_object_get(report)) != 0) {
        json_object_put(report);
        return false;
    }
    return true;
}

/* grow() - makes room for one more. Return: whether there was memory. */
static bool grow(struct reports *r)
{
    struct json_object **report = realloc(r->report, (r->n + 1) * sizeof(struct json_object *));
    size_t *turn = realloc(r->turn, (r->n + 1) * sizeof(*turn));

    r->report = report ? report : r->report;
    r->turn = turn ? turn : r->turn;
    return report && turn;
}

static int add(struct reports *r, struct json_object *report, struct failure *f)
{
    if (check(report, r->path, f) != 0) {
        return -1;
    }
    if (!grow(r) || !file(r, report)) {
        return failure_memory(f);
    }
    r->report[r->n++] = report;
    return 0;
}

struct json_object *reports_same(const struct reports *r, const struct reports *like, size_t i)
{
    struct json_object *list = alike(r, like->report[i]);

    return list ? json_object_array_get_idx(list, like->turn[i]) : NULL;
}

/* add_value() - a report, or a list of them */
static int add_value(struct reports *r, struct json_object *value, struct failure *f)
{
    int err = 0;

    if (!json_object_is_type(value, json_type_array)) {
        return add(r, value, f);
    }
    for (size_t i = 0; i < json_object_array_length(value) && !err; i++) {
        err = add(r, json_object_array_get_idx(value, i), f);
    }
    return err;
}

static int parse(struct reports *r, const char *text, size_t size, struct json_tokener *t,
                 struct failure *f)
{
    size_t at = 0;
    int err = 0;

    while (!err) {
        struct json_object *value;

        at += strspn(text + at, " \t\r\n");
        if (at >= size) {
            break;
        }
        value = json_tokener_parse_ex(t, text + at, (int)(size - at));
        if (json_tokener_get_error(t) != json_tokener_success) {
            return failure_set(f, FAILURE_USAGE, "cannot read %s as JSON: byte %zu: %s", r->path,
                               at + json_tokener_get_parse_end(t),
                               json_tokener_get_error(t) == json_tokener_continue
                                   ? "the file ends too early"
                                   : json_tokener_error_desc(json_tokener_get_error(t)));
        }
        at += json_tokener_get_parse_end(t);
        err = add_value(r, value, f);
        json_object_put(value);
    }
    return err;
}

int reports_read(struct reports *r, const char *path, struct failure *f)
{
    struct json_tokener *t = json_tokener_new();
    char *text = NULL;
    size_t size;
    int err = -1;

    *r = (struct reports){.path = path, .commands = json_object_new_object()};
    text = slurp(path, &size, f);
    if (!t || !r->commands) {
        failure_memory(f);
    } else if (text) {
        char *more = realloc(text, size + 1);

        text = more ? more : text;
        err = more ? 0 : failure_memory(f);
    }
    if (!err) {
        text[size] = '\0';
        err = number_is_large(text, size)
                  ? failure_set(f, FAILURE_USAGE, "%s has a number of more than 64 bits", path)
                  : parse(r, text, size, t, f);
    }
    if (!err && r->n == 0) {
        err = failure_set(f, FAILURE_USAGE, "%s has no report", path);
    }
    free(text);
    if (t) {
        json_tokener_free(t);
    }
    return err;
}

void reports_free(struct reports *r)
{
    json_object_put(r->commands);
    free(r->report);
    free(r->turn);
    *r = (struct reports){.path = r->path};
}
