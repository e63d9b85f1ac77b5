/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/format.h"
#include "base/hash.h"
#include "files/program-file.h"
#include "report/event-names.h"
#include "report/syscalls.h"
#include "vpmu/version.h"

struct json_object *report_text(const char *from)
{
    char *valid = strdup(from);
    struct json_object *o;

    if (!valid) {
        return NULL;
    }
    format_valid(valid);
    o = json_object_new_string(valid);
    free(valid);
    return o;
}

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

/* add_meaning() - what the name of an event does not say */
static void add_meaning(struct json_object *o, const struct emulator *e, const char *event)
{
    const char *includes = event_includes(event, e->machine, e->branches),
               *unit = report_unit(event);

    if (includes) {
        set(o, "includes", json_object_new_string(includes));
    }
    if (unit[0]) {
        set(o, "unit", json_object_new_string(unit));
    }
}

static struct json_object *event_object(const char *name, const struct result *results, size_t n,
                                        size_t i, const char *region)
{
    struct json_object *o = json_object_new_object();
    uint64_t *values = calloc(n, sizeof(*values));
    size_t counted = 0;

    set(o, "event", report_text(name));
    if (region) {
        set(o, "region", report_text(region));
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
static void add_region(struct json_object *list, const struct emulator *e,
                       const struct events *events, const char *region,
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
    set(o, "event", report_text(name));
    set(o, "region", report_text(region));
    set_values(o, entries, entries ? n : 0, n);
    json_object_array_add(list, o);
    free(entries);
    for (size_t i = 0; i < events->n; i++) {
        snprintf(name, sizeof(name), "%s/%s", region, events->event[i].name);
        o = event_object(name, results, n, i, region);
        add_meaning(o, e, events->event[i].name);
        json_object_array_add(list, o);
    }
}

/* add_regions() - adds each region that a run has, once */
static void add_regions(struct json_object *list, const struct emulator *e,
                        const struct events *events, const struct result *results, size_t n)
{
    for (size_t run = 0; run < n; run++) {
        for (size_t i = 0; i < results[run].regions; i++) {
            const char *name = results[run].region[i].name;
            bool known = false;

            for (size_t before = 0; before < run; before++) {
                known |= result_region(&results[before], name) != NULL;
            }
            if (!known) {
                add_region(list, e, events, name, results, n);
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
            set(o, "event", report_text(name));
            set(o, "number", json_object_new_int((int)number));
            set_values(o, values, n, n);
            json_object_array_add(events, o);
        }
    }
    free(values);
}

/* firmware() - which firmware the machine started with; NULL if it has none */
static struct json_object *firmware(const struct emulator *e)
{
    char bios[2 * PATH_MAX], buffer[1 << 14];
    uint64_t hash = HASH_SEED;
    ssize_t n;
    int fd;

    if (!e->firmware[0]) {
        return emulator_has_firmware(e) ? json_object_new_string("of the computer") : NULL;
    }
    snprintf(bios, sizeof(bios), "%s/%s", e->firmware, emulator_bios);
    fd = open(bios, O_RDONLY | O_CLOEXEC);
    while (fd >= 0 && (n = read(fd, buffer, sizeof(buffer))) > 0) {
        hash = hash_more(hash, buffer, (size_t)n);
    }
    if (fd >= 0) {
        close(fd);
    }
    snprintf(bios, sizeof(bios), "%016" PRIx64, hash);
    return json_object_new_string(bios);
}

static struct json_object *machine_object(const struct emulator *e, const struct input *in,
                                          const struct result *result)
{
    const struct program_file own = {.machine = e->machine, .bits = 64};
    struct json_object *o = json_object_new_object();

    set(o, "vpmu", json_object_new_string(VPMU_VERSION));
    set(o, "emulator", report_text(e->type));
    set(o, "firmware", firmware(e));
    set(o, "architecture", json_object_new_string(program_machine_name(&own)));
    if (e->branches) {
        set(o, "cpu", json_object_new_string(emulator_branches_cpu(e)));
    }
    set(o, "kernel", report_text(result->kernel));
    set(o, "cpus", json_object_new_int64(e->cpus));
    set(o, "memory", json_object_new_int64(e->memory));
    set(o, "seed", json_object_new_uint64(e->seed));
    set(o, "layout", json_object_new_string(e->random ? "random" : "fixed"));
    set(o, "user", json_object_new_int64(getuid()));
    set(o, "input", json_object_new_string(in->kind));
    if (e->fast) {
        set(o, "clock", json_object_new_string("of the computer"));
    }
    if (e->net) {
        set(o, "network", json_object_new_string("user"));
    }
    set(o, "repeatable", json_object_new_boolean(!e->fast && !e->net && !in->passed));
    return o;
}

struct json_object *report_new(char *const *argv, const struct emulator *e, const struct input *in,
                               const struct events *events, const struct result *results, size_t n)
{
    struct json_object *o = json_object_new_object(), *list = json_object_new_array();
    struct json_object *command = json_object_new_array();
    const struct result *run = result_worst(results, n);

    set(o, "schema", json_object_new_string(REPORT_SCHEMA));
    set(o, "version", json_object_new_int(REPORT_VERSION));
    for (char *const *arg = argv; *arg; arg++) {
        json_object_array_add(command, report_text(*arg));
    }
    set(o, "command", command);
    set(o, "runs", json_object_new_int64((int64_t)n));
    set(o, "exit-status", json_object_new_int(result_exit_status(run)));
    set(o, "signal", WIFSIGNALED(run->status) ? json_object_new_int(WTERMSIG(run->status)) : NULL);
    set(o, "machine", machine_object(e, in, run));
    for (size_t i = 0; i < events->n; i++) {
        struct json_object *event = event_object(events->event[i].name, results, n, i, NULL);

        add_meaning(event, e, events->event[i].name);
        json_object_array_add(list, event);
    }
    add_syscalls(list, e->machine, results, n);
    add_regions(list, e, events, results, n);
    set(o, "events", list);
    return o;
}

char *report_command(struct json_object *report)
{
    struct json_object *command = NULL;
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);

    if (!to) {
        return NULL;
    }
    json_object_object_get_ex(report, "command", &command);
    for (size_t i = 0;
         json_object_is_type(command, json_type_array) && i < json_object_array_length(command);
         i++) {
        struct json_object *word = json_object_array_get_idx(command, i);

        fprintf(to, "%s%s", i ? " " : "", word ? json_object_get_string(word) : "");
    }
    fclose(to);
    return text;
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

const char *report_unit(const char *name)
{
    const char *slash = strchr(name, '/'), *event = slash ? slash + 1 : name;

    return strncmp(event, "task-clock", 10) == 0 || strncmp(event, "cpu-clock", 9) == 0 ? "ns" : "";
}

bool report_is_syscall(const char *name)
{
    return strncmp(name, "syscall:", 8) == 0;
}
