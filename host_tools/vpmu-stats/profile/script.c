/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Prints samples as text, as perf script does. */
#include "profile/script.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "profile/callchain.h"

static const char *const field_names[SCRIPT_FIELDS] = {
    [SCRIPT_COMM] = "comm",     [SCRIPT_PID] = "pid",       [SCRIPT_TID] = "tid",
    [SCRIPT_CPU] = "cpu",       [SCRIPT_TIME] = "time",     [SCRIPT_PERIOD] = "period",
    [SCRIPT_EVENT] = "event",   [SCRIPT_WEIGHT] = "weight", [SCRIPT_IP] = "ip",
    [SCRIPT_SYM] = "sym",       [SCRIPT_DSO] = "dso",       [SCRIPT_SYMOFF] = "symoff",
    [SCRIPT_CGROUP] = "cgroup",
};

#define SECOND 1000000000u

/*
 * Fields
 */

/* A bit, or 0. */
static unsigned find_field(const char *name, size_t length)
{
    for (unsigned i = 0; i < SCRIPT_FIELDS; i++) {
        if (strlen(field_names[i]) == length && strncmp(field_names[i], name, length) == 0) {
            return 1u << i;
        }
    }
    return 0;
}

int script_choose(unsigned *fields, const char *list, struct error *t)
{
    *fields = *list == '+' || *list == '-' ? SCRIPT_DEFAULT : 0;
    for (const char *p = list;; p++) {
        char sign = *p == '+' || *p == '-' ? *p++ : '+';
        size_t length = strcspn(p, ",");
        unsigned field = find_field(p, length);

        if (!field) {
            return error_set(t, ERROR_USAGE,
                             "no field '%.*s'; the fields are comm, pid, tid, cpu, time, period, "
                             "event, weight, ip, sym, symoff, dso, cgroup",
                             (int)length, p);
        }
        *fields = sign == '+' ? *fields | field : *fields & ~field;
        p += length;
        if (!*p) {
            return 0;
        }
    }
}

static bool has(const struct script *c, enum script_field field)
{
    return c->o->fields & 1u << field;
}

/* Prints a text of the file, which is not trusted. */
static const char *tame(char *buf, size_t size, const char *text)
{
    snprintf(buf, size, "%s", text);
    format_tame(buf);
    return buf;
}

static const char *file_of(const struct input_place *place)
{
    return place->file ? place->file : "[unknown]";
}

static bool has_chain(const struct script *c, const struct input_sample *s)
{
    return s->s->n_chain > 0 && !c->o->no_chains && has(c, SCRIPT_IP);
}

/*
 * For people
 */

static void print_thread(const struct script *c, const struct sample_input *g,
                         const struct input_sample *s)
{
    FILE *file = c->out.text;

    if (has(c, SCRIPT_COMM)) {
        fprintf(file, has_chain(c, s) ? "%s " : "%16s ",
                string_table_get(&g->profile->texts, s->comm));
    }
    if (has(c, SCRIPT_PID) && has(c, SCRIPT_TID)) {
        fprintf(file, "%5" PRId32 "/%-5" PRId32 " ", (int32_t)s->s->pid, (int32_t)s->s->tid);
    } else if (has(c, SCRIPT_PID) || has(c, SCRIPT_TID)) {
        fprintf(file, "%5" PRId32 " ", (int32_t)(has(c, SCRIPT_PID) ? s->s->pid : s->s->tid));
    }
}

static void print_when(const struct script *c, const struct perfsample *s)
{
    char text[FORMAT_SIZE * 2];

    if (has(c, SCRIPT_CPU) && s->cpu != UINT32_MAX) {
        fprintf(c->out.text, "[%03" PRIu32 "] ", s->cpu);
    }
    if (!has(c, SCRIPT_TIME) || s->time == UINT64_MAX) {
        return;
    }
    if (c->o->nanoseconds) {
        fprintf(c->out.text, "%5" PRIu64 ".%09" PRIu64 ": ", s->time / SECOND, s->time % SECOND);
        return;
    }
    snprintf(text, sizeof(text), "%" PRIu64 ".%06" PRIu64, s->time / SECOND,
             s->time % SECOND / 1000);
    fprintf(c->out.text, "%12s: ", text);
}

/* The width of the longest name of an event. */
static void print_event(const struct script *c, const struct sample_input *g,
                        const struct input_sample *s)
{
    int width = 0;

    for (size_t i = 0; i < g->profile->events; i++) {
        int length = (int)strlen(g->profile->event[i].name);

        width = length > width ? length : width;
    }
    fprintf(c->out.text, "%*s: ", width, g->profile->event[s->event].name);
}

static void print_place(const struct script *c, const struct input_place *place, uint64_t address)
{
    char text[PLACE_NAME];
    const char *name = place_name(place, 0, text);

    if (has(c, SCRIPT_IP)) {
        fprintf(c->out.text, "%16" PRIx64, address);
    }
    if (has(c, SCRIPT_SYM)) {
        fprintf(c->out.text, " %s", name ? name : "[unknown]");
    }
    if (has(c, SCRIPT_SYM) && has(c, SCRIPT_SYMOFF) && place->function) {
        fprintf(c->out.text, "+0x%" PRIx64, place->address - place->function->start);
    }
    if (has(c, SCRIPT_DSO)) {
        fprintf(c->out.text, " (%s)", tame(text, sizeof(text), file_of(place)));
    }
}

/*
 * Prints the chain, innermost first, and a blank line. As in perf, addresses of programs are
 * offsets in their files.
 */
static void print_chain(const struct script *c, const struct sample_input *g,
                        const struct input_sample *s)
{
    struct callchain chain = callchain_of(g, s);
    struct callchain_frame frame;

    fputc('\n', c->out.text);
    for (unsigned i = 0;
         (!c->o->max_stack || i < c->o->max_stack) && callchain_next(&chain, &frame); i++) {
        struct input_place place = frame.place;
        uint64_t back = frame.address - frame.lookup;

        place.address += back;
        place.offset += back;
        fputc('\t', c->out.text);
        print_place(c, &place, place.mapped ? place.offset : frame.address);
        fputc('\n', c->out.text);
    }
}

static int print_text(const struct script *c, struct sample_input *g, const struct input_sample *s,
                      struct error *t)
{
    struct input_place place;
    uint32_t number;

    print_thread(c, g, s);
    print_when(c, s->s);
    if (has(c, SCRIPT_PERIOD)) {
        fprintf(c->out.text, "%10" PRIu64 " ", s->s->period);
    }
    if (has(c, SCRIPT_EVENT)) {
        print_event(c, g, s);
    }
    if (has(c, SCRIPT_WEIGHT)) {
        fprintf(c->out.text, "%16" PRIu64, s->s->weight);
    }
    if (has_chain(c, s)) {
        print_chain(c, g, s);
    } else if (has(c, SCRIPT_IP) || has(c, SCRIPT_SYM) || has(c, SCRIPT_DSO)) {
        fputc(' ', c->out.text);
        place = sample_input_place(g, s, s->mode, s->s->ip);
        print_place(c, &place, s->s->ip);
    }
    if (has(c, SCRIPT_CGROUP)) {
        if (sample_input_cgroup(g, s, &number, t)) {
            return -1;
        }
        fprintf(c->out.text, " %s", string_table_get(&g->profile->texts, number));
    }
    fputc('\n', c->out.text);
    return 0;
}

/*
 * For programs
 */

static void put_address(struct json_object *record, const char *name, uint64_t address)
{
    char text[FORMAT_SIZE];

    snprintf(text, sizeof(text), "0x%" PRIx64, address);
    record_string(record, name, text);
}

static void put_known(struct json_object *record, const char *name, uint64_t value, bool known)
{
    if (known) {
        record_u64(record, name, value);
    } else {
        record_null(record, name);
    }
}

/* Makes a list of functions, innermost first. Unknown functions are addresses. */
static struct json_object *chain_of(const struct script *c, const struct sample_input *g,
                                    const struct input_sample *s)
{
    struct json_object *list = json_object_new_array();
    struct callchain chain = callchain_of(g, s);
    struct callchain_frame frame;

    for (unsigned i = 0;
         (!c->o->max_stack || i < c->o->max_stack) && callchain_next(&chain, &frame); i++) {
        char buf[PLACE_NAME];
        const char *name = place_name(&frame.place, frame.address - frame.lookup, buf);
        char text[FORMAT_SIZE];

        snprintf(text, sizeof(text), "0x%" PRIx64, frame.address);
        json_object_array_add(list, json_object_new_string(name ? name : text));
    }
    return list;
}

static void put_place(const struct script *c, struct json_object *record,
                      const struct sample_input *g, const struct input_sample *s)
{
    struct input_place place = sample_input_place(g, s, s->mode, s->s->ip);
    char text[PLACE_NAME];

    if (has(c, SCRIPT_IP)) {
        put_address(record, "ip", s->s->ip);
    }
    if (has(c, SCRIPT_SYM)) {
        record_string(record, "sym", place_name(&place, 0, text));
    }
    if (has(c, SCRIPT_SYMOFF)) {
        put_known(record, "symoff", place.function ? place.address - place.function->start : 0,
                  place.function);
    }
    if (has(c, SCRIPT_DSO)) {
        record_string(record, "dso", place.file ? tame(text, sizeof(text), place.file) : NULL);
    }
}

static int print_record(struct script *c, struct sample_input *g, const struct input_sample *s,
                        struct error *t)
{
    struct json_object *record = json_object_new_object();
    const struct {
        enum script_field field;
        uint64_t value;
        bool known;
    } numbers[] = {{SCRIPT_PID, s->s->pid, s->s->pid != UINT32_MAX},
                   {SCRIPT_TID, s->s->tid, s->s->tid != UINT32_MAX},
                   {SCRIPT_CPU, s->s->cpu, s->s->cpu != UINT32_MAX},
                   {SCRIPT_TIME, s->s->time, s->s->time != UINT64_MAX},
                   {SCRIPT_PERIOD, s->s->period, true},
                   {SCRIPT_WEIGHT, s->s->weight, true}};
    uint32_t cgroup = 0;

    if (has(c, SCRIPT_CGROUP) && sample_input_cgroup(g, s, &cgroup, t)) {
        json_object_put(record);
        return -1;
    }
    if (has(c, SCRIPT_COMM)) {
        record_string(record, "comm", string_table_get(&g->profile->texts, s->comm));
    }
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (has(c, numbers[i].field)) {
            put_known(record, field_names[numbers[i].field], numbers[i].value, numbers[i].known);
        }
    }
    if (has(c, SCRIPT_EVENT)) {
        record_string(record, "event", g->profile->event[s->event].name);
    }
    put_place(c, record, g, s);
    if (has(c, SCRIPT_CGROUP)) {
        record_string(record, "cgroup", string_table_get(&g->profile->texts, cgroup));
    }
    if (!c->o->no_chains && has(c, SCRIPT_IP)) {
        json_object_object_add(record, "callchain", s->s->n_chain ? chain_of(c, g, s) : NULL);
    }
    out_record(&c->out, record);
    return 0;
}

/*
 * All of them
 */

static int make_room(struct script *c, struct error *t)
{
    size_t room = c->room ? c->room * 2 : 1024;
    struct script_line *line;

    if (c->n < c->room) {
        return 0;
    }
    line = reallocarray(c->line, room, sizeof(*line));
    if (!line) {
        return error_memory(t);
    }
    c->line = line;
    c->room = room;
    return 0;
}

int script_sample(struct sample_input *g, const struct input_sample *s, struct error *t)
{
    struct script *c = g->sink;
    long at = ftell(c->out.text);

    if (!report_filter_keeps(&c->o->filter, g, s)) {
        return 0;
    }
    if (make_room(c, t) ||
        (c->out.kind == OUT_TEXT ? print_text(c, g, s, t) : print_record(c, g, s, t))) {
        return -1;
    }
    if (at < 0 || ferror(c->out.text)) {
        return error_memory(t);
    }
    c->line[c->n++] = (struct script_line){
        .time = s->s->time, .at = (size_t)at, .size = (size_t)(ftell(c->out.text) - at)};
    return 0;
}

static int compare(const void *a, const void *b)
{
    const struct script_line *left = a;
    const struct script_line *right = b;

    if (left->time != right->time) {
        return left->time < right->time ? -1 : 1;
    }
    return left->at < right->at ? -1 : left->at > right->at;
}

/* How much is composed before it is written, in bytes. */
#define CHUNK (1u << 20)

int script_write(struct script *c, const char *text, struct out *to, struct error *t)
{
    size_t waiting = 0;

    if (c->n) {
        qsort(c->line, c->n, sizeof(*c->line), compare);
    }
    for (size_t i = 0; i < c->n; i++) {
        fwrite(text + c->line[i].at, 1, c->line[i].size, to->text);
        waiting += c->line[i].size;
        if (waiting >= CHUNK) {
            waiting = 0;
            if (out_flush(to, t)) {
                return -1;
            }
        }
    }
    return 0;
}

void script_free(struct script *c)
{
    free(c->line);
    c->line = NULL;
    c->n = c->room = 0;
}
