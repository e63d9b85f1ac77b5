/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "files/program-file.h"
#include "report/syscalls.h"

static void set(struct json_object *o, const char *name, struct json_object *value)
{
    json_object_object_add(o, name, value);
}

static int compare_values(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* value_of() - the count; if counters were shared, what it would have been */
static uint64_t value_of(const struct count *c)
{
    if (c->running == 0 || c->running == c->enabled) {
        return c->value;
    }
    return (uint64_t)((double)c->value * (double)c->enabled / (double)c->running);
}

/* set_values() - the median of an event's values, and all values if there are more runs */
static void set_values(struct json_object *o, uint64_t *values, size_t counted, size_t runs)
{
    struct json_object *all = json_object_new_array();

    for (size_t i = 0; i < counted; i++) {
        json_object_array_add(all, json_object_new_uint64(values[i]));
    }
    if (counted > 0) {
        qsort(values, counted, sizeof(*values), compare_values);
        set(o, "value", json_object_new_uint64(values[(counted - 1) / 2]));
    }
    if (runs > 1) {
        set(o, "values", json_object_get(all));
    }
    json_object_put(all);
}

/* count_of() - the count of event @i in a run; @region: NULL for the whole program */
static const struct count *count_of(const struct result *r, const char *region, size_t i)
{
    static const struct count none = {.counted = true};
    const struct region *found = region ? result_region(r, region) : NULL;

    return !region ? &r->count[i] : found ? &found->count[i] : &none;
}

static struct json_object *event_object(const char *name, const struct result *results, size_t n,
                                        size_t i, const char *region)
{
    struct json_object *o = json_object_new_object();
    uint64_t *values = calloc(n, sizeof(*values));
    size_t counted = 0;

    set(o, "event", json_object_new_string(name));
    if (region) {
        set(o, "region", json_object_new_string(region));
    }
    for (size_t run = 0; values && run < n; run++) {
        const struct count *c = count_of(&results[run], region, i);

        if (c->counted) {
            values[counted++] = value_of(c);
        }
    }
    if (counted == 0) {
        set(o, "value", NULL);
        set(o, "reason", json_object_new_string(strerror(results[0].count[i].error)));
    }
    set_values(o, values, counted, n);
    free(values);
    return o;
}

/* add_region() - adds the events of one region */
static void add_region(struct json_object *list, const struct events *events, const char *region,
                       const struct result *results, size_t n)
{
    struct json_object *o = json_object_new_object();
    uint64_t *entries = calloc(n, sizeof(*entries));
    char name[REPORT_NAME_SIZE];

    for (size_t run = 0; entries && run < n; run++) {
        const struct region *found = result_region(&results[run], region);

        entries[run] = found ? found->entries : 0;
    }
    snprintf(name, sizeof(name), "%s/entries", region);
    set(o, "event", json_object_new_string(name));
    set(o, "region", json_object_new_string(region));
    set_values(o, entries, entries ? n : 0, n);
    json_object_array_add(list, o);
    free(entries);
    for (size_t i = 0; i < events->n; i++) {
        snprintf(name, sizeof(name), "%s/%s", region, events->event[i].name);
        json_object_array_add(list, event_object(name, results, n, i, region));
    }
}

/* add_regions() - adds each region that a run has, once */
static void add_regions(struct json_object *list, const struct events *events,
                        const struct result *results, size_t n)
{
    for (size_t run = 0; run < n; run++) {
        for (size_t i = 0; i < results[run].regions; i++) {
            const char *name = results[run].region[i].name;
            bool known = false;

            for (size_t before = 0; before < run; before++) {
                known |= result_region(&results[before], name) != NULL;
            }
            if (!known) {
                add_region(list, events, name, results, n);
            }
        }
    }
}

/* add_syscalls() - adds an event for each system call that the program made */
static void add_syscalls(struct json_object *events, unsigned machine, const struct result *results,
                         size_t n)
{
    uint64_t *values = calloc(n, sizeof(*values));

    for (unsigned number = 0; values && number < RESULT_SYSCALLS_MAX; number++) {
        struct json_object *o;
        char name[EVENT_NAME_SIZE];
        bool made = false;

        for (size_t run = 0; run < n; run++) {
            values[run] = results[run].syscall[number];
            made |= values[run] > 0;
        }
        if (made) {
            o = json_object_new_object();
            syscall_event_name(machine, number, name, sizeof(name));
            set(o, "event", json_object_new_string(name));
            set(o, "number", json_object_new_int((int)number));
            set_values(o, values, n, n);
            json_object_array_add(events, o);
        }
    }
    free(values);
}

static struct json_object *machine_object(const struct emulator *e, const struct result *result)
{
    const struct program_file own = {.machine = e->machine, .bits = 64};
    struct json_object *o = json_object_new_object();

    set(o, "architecture", json_object_new_string(program_machine_name(&own)));
    if (e->branches) {
        set(o, "cpu", json_object_new_string(emulator_branches_cpu(e)));
    }
    set(o, "kernel", json_object_new_string(result->kernel));
    set(o, "cpus", json_object_new_int64(e->cpus));
    set(o, "memory", json_object_new_int64(e->memory));
    set(o, "seed", json_object_new_uint64(e->seed));
    set(o, "layout", json_object_new_string(e->random ? "random" : "fixed"));
    set(o, "repeatable", json_object_new_boolean(!e->fast));
    return o;
}

struct json_object *report_new(char *const *argv, const struct emulator *e,
                               const struct events *events, const struct result *results, size_t n)
{
    struct json_object *o = json_object_new_object(), *list = json_object_new_array();
    struct json_object *command = json_object_new_array();
    const struct result *last = &results[n - 1];

    set(o, "schema", json_object_new_string(REPORT_SCHEMA));
    set(o, "version", json_object_new_int(REPORT_VERSION));
    for (char *const *arg = argv; *arg; arg++) {
        json_object_array_add(command, json_object_new_string(*arg));
    }
    set(o, "command", command);
    set(o, "runs", json_object_new_int64((int64_t)n));
    set(o, "exit-status", json_object_new_int(result_exit_status(last)));
    set(o, "signal",
        WIFSIGNALED(last->status) ? json_object_new_int(WTERMSIG(last->status)) : NULL);
    set(o, "machine", machine_object(e, last));
    for (size_t i = 0; i < events->n; i++) {
        json_object_array_add(list, event_object(events->event[i].name, results, n, i, NULL));
    }
    add_syscalls(list, e->machine, results, n);
    add_regions(list, events, results, n);
    set(o, "events", list);
    return o;
}

int report_read(const char *path, struct json_object **report, struct failure *f)
{
    struct json_object *schema = NULL, *version = NULL, *events = NULL;

    *report = json_object_from_file(path);
    if (!*report) {
        return failure_set(f, FAILURE_USAGE, "cannot read %s as JSON", path);
    }
    if (!json_object_object_get_ex(*report, "schema", &schema) ||
        !json_object_object_get_ex(*report, "version", &version) ||
        !json_object_object_get_ex(*report, "events", &events) ||
        !json_object_is_type(schema, json_type_string) ||
        !json_object_is_type(events, json_type_array) ||
        strcmp(json_object_get_string(schema), REPORT_SCHEMA) != 0) {
        json_object_put(*report);
        return failure_set(f, FAILURE_USAGE, "%s is not a report of vpmu-run -o", path);
    }
    if (json_object_get_int(version) != REPORT_VERSION) {
        int found = json_object_get_int(version);

        json_object_put(*report);
        return failure_set(f, FAILURE_USAGE, "%s has version %d of the format, known is %d", path,
                           found, REPORT_VERSION);
    }
    return 0;
}

static struct json_object *events_of(struct json_object *report)
{
    struct json_object *events = NULL;

    json_object_object_get_ex(report, "events", &events);
    return events;
}

size_t report_events(struct json_object *report)
{
    return json_object_array_length(events_of(report));
}

bool report_value(struct json_object *report, size_t i, const char **name, uint64_t *value)
{
    struct json_object *event = json_object_array_get_idx(events_of(report), i);
    struct json_object *o = NULL;

    *name = "";
    if (json_object_is_type(event, json_type_object) &&
        json_object_object_get_ex(event, "event", &o)) {
        *name = json_object_get_string(o);
    }
    o = NULL;
    if (!json_object_is_type(event, json_type_object) ||
        !json_object_object_get_ex(event, "value", &o) || !json_object_is_type(o, json_type_int)) {
        return false;
    }
    *value = json_object_get_uint64(o);
    return true;
}

bool report_find(struct json_object *report, const char *name, uint64_t *value)
{
    for (size_t i = 0; i < report_events(report); i++) {
        const char *found;

        if (report_value(report, i, &found, value) && strcmp(found, name) == 0) {
            return true;
        }
    }
    return false;
}

bool report_has_syscalls(struct json_object *report)
{
    for (size_t i = 0; i < report_events(report); i++) {
        uint64_t value;
        const char *name;

        if (report_value(report, i, &name, &value) && report_is_syscall(name)) {
            return true;
        }
    }
    return false;
}

bool report_is_syscall(const char *name)
{
    return strncmp(name, "syscall:", 8) == 0;
}
