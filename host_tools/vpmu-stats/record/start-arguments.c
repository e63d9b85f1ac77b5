/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/start-arguments.h"

#include <json-c/json.h>
#include <string.h>

#include "machine/suggest.h"
#include "kernel/thread-places.h"

/* Makes an object with the places of fields in the guest's structures for threads. */
static struct json_object *make_places(const uint32_t *place, size_t n,
                                       const char *(*name_of_place)(size_t i))
{
    struct json_object *places = json_object_new_object();

    for (size_t i = 0; i < n; i++) {
        json_object_object_add(places, name_of_place(i), json_object_new_int64(place[i]));
    }
    return places;
}

/* Makes an object with the kernel's tables for call chains. */
static struct json_object *make_orc(const struct guest_names *names)
{
    struct json_object *orc = json_object_new_object();
    struct json_object *tables = json_object_new_array();

    for (size_t i = 0; i < names->orc.n; i++) {
        const struct orc_table *from = &names->orc.table[i];
        struct json_object *table = json_object_new_object();

        json_object_object_add(table, "addresses", json_object_new_uint64(from->addresses));
        json_object_object_add(table, "entries", json_object_new_uint64(from->entries));
        json_object_object_add(table, "number", json_object_new_int64(from->number));
        json_object_array_add(tables, table);
    }
    json_object_object_add(orc, "tables", tables);
    json_object_object_add(orc, "type-bits", json_object_new_int64(names->layout.orc_type_bits));
    return orc;
}

static struct json_object *make_maps(const struct task_layout *layout)
{
    struct json_object *maps = make_places(layout->maps, TASK_MAPS, task_map_name);

    for (size_t i = 0; layout->has_special && i < TASK_SPECIAL; i++) {
        json_object_object_add(maps, task_special_name(i),
                               json_object_new_int64(layout->special[i]));
    }
    return maps;
}

static struct json_object *make_entry(const struct task_layout *layout)
{
    struct json_object *entry = make_places(layout->entry, TASK_ENTRY, task_entry_name);

    if (layout->meta) {
        json_object_object_add(entry, "meta", json_object_new_int64(layout->meta));
    }
    return entry;
}

static struct json_object *make_threads(const struct guest_names *names)
{
    const struct task_layout *layout = &names->layout;
    struct json_object *threads = thread_places_make(&names->kernel, layout);

    if (layout->has_maps) {
        json_object_object_add(threads, "maps", make_maps(layout));
    }
    if (layout->has_entry) {
        json_object_object_add(threads, "entry", make_entry(layout));
    }
    if (names->orc.n) {
        json_object_object_add(threads, "orc", make_orc(names));
    }
    return threads;
}

/*
 * Returns the name of the property that says how often to sample an event, and its value. Returns
 * NULL if the event is only read with the samples of another one.
 */
static const char *make_when(const struct start_arguments *a, size_t event, uint64_t *value)
{
    if (event >= a->events->n - a->spans) {
        *value = 1;
        return "period";
    }
    *value = a->period ? a->period : a->frequency;
    return event > 0 && a->group ? NULL : a->period ? "period" : "frequency";
}

long start_arguments_buffer(const struct start_arguments *a)
{
    long most = START_MAX_BUFFER_KIB;

    /* The limit must be a power of two, because the machine rounds sizes up to one. */
    while (most * (long)a->cpus > START_MAX_BUFFERS_KIB) {
        most /= 2;
    }
    return a->buffer < most ? a->buffer : most;
}

static struct json_object *make_events(const struct start_arguments *a)
{
    struct json_object *events = json_object_new_array();

    for (size_t i = 0; i < a->events->n; i++) {
        struct json_object *event = json_object_new_object();
        uint64_t value;
        const char *when = make_when(a, i, &value);

        json_object_object_add(event, "event", json_object_new_string(a->events->event[i].text));
        if (a->exact) {
            json_object_object_add(event, "exact", json_object_new_boolean(true));
            if (a->calls && i == 0) {
                json_object_object_add(event, "calls", json_object_new_boolean(true));
            }
        } else if (when) {
            json_object_object_add(event, when, json_object_new_uint64(value));
        }
        json_object_array_add(events, event);
    }
    return events;
}

static struct json_object *make(const struct start_arguments *a)
{
    struct json_object *arguments = json_object_new_object();

    json_object_object_add(arguments, "events", make_events(a));
    json_object_object_add(arguments, "values", json_object_new_boolean(a->group));
    if (a->chains) {
        json_object_object_add(arguments, "frames", json_object_new_int64(a->frames));
    }
    if (a->stack) {
        json_object_object_add(arguments, "stack", json_object_new_int64(a->stack));
    }
    if (a->branches) {
        json_object_object_add(arguments, "branches", json_object_new_string(a->branches));
    }
    if (a->accesses) {
        json_object_object_add(arguments, "accesses", json_object_new_boolean(true));
    }
    if (a->names->has_threads) {
        json_object_object_add(arguments, "threads", make_threads(a->names));
    }
    if (a->buffer) {
        json_object_object_add(arguments, "buffer",
                               json_object_new_int64(start_arguments_buffer(a) << 10));
    }
    if (a->full) {
        json_object_object_add(arguments, "full", json_object_new_string(a->full));
    }
    if (a->percent) {
        json_object_object_add(arguments, "max-percent", json_object_new_int64(a->percent));
    }
    return arguments;
}

/* Returns whether the error says that an older QEMU does not know an argument. */
static bool is_unknown(const struct error *t, const char *argument)
{
    return strstr(t->text, argument) && strstr(t->text, "unexpected");
}

/*
 * Leaves out what an older QEMU does not know of threads: the newest parts, then "maps" and
 * "entry", and on x86-64 all of it. Returns false if nothing is left.
 */
static bool leave_out(struct guest_names *names, const struct error *t)
{
    bool has_newest = names->orc.n || names->layout.has_special || names->layout.meta;

    if (strstr(t->text, "cannot record names of threads")) {
        names->has_threads = false;
        return true;
    }
    if (!is_unknown(t, "threads.") ||
        !(has_newest || names->layout.has_maps || names->layout.has_entry)) {
        return false;
    }
    names->orc.n = 0;
    names->layout.has_special = false;
    names->layout.meta = 0;
    names->layout.has_maps &= has_newest;
    names->layout.has_entry &= has_newest;
    return true;
}

int start_arguments_begin(const struct start_arguments *a, struct sampling *s, struct error *t)
{
    struct guest_names *names = a->names;

    if (sampling_start(s, make(a), t) == 0) {
        return 0;
    }
    if (a->accesses && is_unknown(t, "'accesses'")) {
        return error_set(t, ERROR_USAGE,
                         "--mem: this QEMU records no accesses; a newer vpmu is needed in it");
    }
    if (a->exact && strstr(t->text, "cannot be exact")) {
        t->code = ERROR_USAGE;
        return -1;
    }
    if (a->exact && is_unknown(t, ".exact'")) {
        return error_set(t, ERROR_USAGE,
                         "--exact: this QEMU has no exact profiles; a newer vpmu is needed in it");
    }
    if (a->stack && is_unknown(t, "'stack'")) {
        return error_set(t, ERROR_USAGE,
                         "--call-graph dwarf: this QEMU records no stacks; a newer vpmu is needed "
                         "in it");
    }
    if (a->calls && is_unknown(t, ".calls'")) {
        return error_set(t, ERROR_USAGE,
                         "--calls: this QEMU counts no calls; a newer vpmu is needed in it");
    }
    if (a->branches && is_unknown(t, "'branches'")) {
        return error_set(t, ERROR_USAGE,
                         "-b: this QEMU records no branches; a newer vpmu is needed in it");
    }
    suggest_event(s->q, t);
    if (!names->has_threads || !leave_out(names, t)) {
        return -1;
    }
    *t = (struct error){0};
    return start_arguments_begin(a, s, t);
}
