/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/formats.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "report/output.h"
#include "report/report.h"

static void print_json(struct json_object *o, FILE *to)
{
    fprintf(to, "%s\n",
            json_object_to_json_string_ext(o, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |
                                                  JSON_C_TO_STRING_NOSLASHESCAPE));
}

static void write_json(struct json_object *const *reports, size_t n, FILE *to)
{
    for (size_t i = 0; i < n; i++) {
        print_json(reports[i], to);
    }
}

/* Misses beside what they are a part of. */
static const struct {
    const char *part, *whole, *text;
} shares[] = {
    {"branch-misses:u", "branches:u", "of branches:u"},
    {"branch-misses:k", "branches:k", "of branches:k"},
    {"branch-misses", "branches", "of branches"},
    {"L1-dcache-load-misses", "L1-dcache-loads", "of L1-dcache-loads"},
    {"L1-icache-load-misses", "L1-icache-loads", "of L1-icache-loads"},
    {"cache-misses", "cache-references", "of cache-references"},
};

/* find_whole() - the count that @name, of the same region as @like, is compared with */
static bool find_whole(struct json_object *report, const char *like, const char *name,
                       uint64_t *whole)
{
    const char *slash = strchr(like, '/');
    char full[REPORT_NAME_SIZE];

    snprintf(full, sizeof(full), "%.*s%s", slash ? (int)(slash + 1 - like) : 0, like, name);
    return report_find(report, full, whole) && *whole;
}

static void write_metric(struct json_object *report, const char *full, uint64_t value, FILE *to)
{
    const char *slash = strchr(full, '/'), *name = slash ? slash + 1 : full;
    char cycles[EVENT_NAME_SIZE] = "cycles";
    uint64_t whole;

    if (strncmp(name, "instructions", 12) == 0) {
        snprintf(cycles, sizeof(cycles), "cycles%s", name + 12);
        if (find_whole(report, full, cycles, &whole)) {
            fprintf(to, "  # %.2f insn per cycle", (double)value / (double)whole);
        }
        return;
    }
    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
        if (strcmp(name, shares[i].part) == 0 &&
            find_whole(report, full, shares[i].whole, &whole)) {
            fprintf(to, "  # %.2f %% %s", 100.0 * (double)value / (double)whole, shares[i].text);
            return;
        }
    }
}

/* write_spread() - how far the values of several runs are apart */
static void write_spread(struct json_object *event, FILE *to)
{
    struct json_object *values = NULL;
    uint64_t low = UINT64_MAX, high = 0;

    if (!json_object_object_get_ex(event, "values", &values)) {
        return;
    }
    for (size_t i = 0; i < json_object_array_length(values); i++) {
        uint64_t value = json_object_get_uint64(json_object_array_get_idx(values, i));

        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    if (low == high) {
        fprintf(to, "  ( the same in each run )");
    } else if (low < high) {
        fprintf(to, "  ( %" PRIu64 " to %" PRIu64 " )", low, high);
    }
}

/* region_of() - the region that an event is about; "" for the whole program */
static const char *region_of(struct json_object *event)
{
    struct json_object *region = NULL;

    json_object_object_get_ex(event, "region", &region);
    return region ? json_object_get_string(region) : "";
}

/* write_count() - numbers of events are below each other, and so are numbers with a unit */
static void write_count(FILE *to, const char *number, const char *name)
{
    const char *unit = report_unit(name);

    fprintf(to, "%*s%s%s  %-24s", 20 - (unit[0] ? 1 + (int)strlen(unit) : 0), number,
            unit[0] ? " " : "", unit, name);
}

/* write_includes() - what an event counts besides what its name says */
static void write_includes(struct json_object *event, FILE *to)
{
    struct json_object *includes = NULL;
    char *text;

    if (json_object_object_get_ex(event, "includes", &includes) &&
        json_object_is_type(includes, json_type_string) &&
        (text = strdup(json_object_get_string(includes)))) {
        format_tame(text);
        fprintf(to, "  # %s", text);
        free(text);
    }
}

static void write_one_text(struct json_object *report, FILE *to)
{
    char *command = report_command(report), buffer[FORMAT_SIZE];
    struct json_object *events = NULL;
    const char *region = "";

    if (command) {
        format_tame(command);
    }
    fprintf(to, "\n Counts of '%s':\n\n", command ? command : "");
    free(command);
    json_object_object_get_ex(report, "events", &events);
    for (size_t i = 0; i < report_events(report); i++) {
        struct json_object *event = json_object_array_get_idx(events, i);
        const char *name;
        uint64_t value;

        if (strcmp(region_of(event), region) != 0) {
            fputc('\n', to);
            region = region_of(event);
        }
        if (report_value(report, i, &name, &value)) {
            write_count(to, format_grouped(buffer, value), name);
            write_metric(report, name, value, to);
            write_includes(event, to);
            write_spread(event, to);
        } else {
            fprintf(to, "%20s  %-24s", "<not supported>", name);
        }
        fputc('\n', to);
    }
    fputc('\n', to);
}

static void write_text(struct json_object *const *reports, size_t n, FILE *to)
{
    for (size_t i = 0; i < n; i++) {
        write_one_text(reports[i], to);
    }
}

static void add_github(struct json_object *report, struct json_object *list)
{
    char *command = report_command(report);

    for (size_t i = 0; i < report_events(report); i++) {
        const char *name;
        uint64_t value;
        char *text;

        if (report_value(report, i, &name, &value) &&
            asprintf(&text, "%s: %s", command ? command : "", name) >= 0) {
            struct json_object *o = json_object_new_object();
            const char *unit = report_unit(name);

            json_object_object_add(o, "name", json_object_new_string(text));
            json_object_object_add(o, "unit", json_object_new_string(unit[0] ? unit : "events"));
            json_object_object_add(o, "value", json_object_new_uint64(value));
            json_object_array_add(list, o);
            free(text);
        }
    }
    free(command);
}

/* github-action-benchmark, tool customSmallerIsBetter */
static void write_github(struct json_object *const *reports, size_t n, FILE *to)
{
    struct json_object *list = json_object_new_array();

    for (size_t i = 0; i < n; i++) {
        add_github(reports[i], list);
    }
    print_json(list, to);
    json_object_put(list);
}

static void add_bencher(struct json_object *report, struct json_object *all)
{
    struct json_object *measures = json_object_new_object();
    char *command = report_command(report);

    for (size_t i = 0; i < report_events(report); i++) {
        const char *name;
        uint64_t value;
        char *slug;

        if (report_value(report, i, &name, &value) && (slug = strdup(name))) {
            struct json_object *o = json_object_new_object();

            for (char *at = slug; *at; at++) {
                *at = isalnum((unsigned char)*at) ? *at : '-';
            }
            json_object_object_add(o, "value", json_object_new_uint64(value));
            json_object_object_add(measures, slug, o);
            free(slug);
        }
    }
    json_object_object_add(all, command ? command : "", measures);
    free(command);
}

/* Bencher Metric Format. Measures are slugs: letters, digits and hyphens. */
static void write_bencher(struct json_object *const *reports, size_t n, FILE *to)
{
    struct json_object *all = json_object_new_object();

    for (size_t i = 0; i < n; i++) {
        add_bencher(reports[i], all);
    }
    print_json(all, to);
    json_object_put(all);
}

/* write_field() - a name of CSV, which may contain a comma: cpu/event=0x11,umask=1/ */
static void write_field(const char *text, FILE *to)
{
    bool quoted = strpbrk(text, ",\"\n") != NULL;

    fputs(quoted ? "\"" : "", to);
    for (; *text; text++) {
        fprintf(to, "%s%c", *text == '"' ? "\"" : "", *text);
    }
    fputs(quoted ? "\"," : ",", to);
}

static void write_csv(struct json_object *const *reports, size_t n, FILE *to)
{
    fprintf(to, "event,value\n");
    for (size_t i = 0; i < n; i++) {
        for (size_t event = 0; event < report_events(reports[i]); event++) {
            const char *name;
            uint64_t value;

            bool counted = report_value(reports[i], event, &name, &value);

            write_field(name, to);
            if (counted) {
                fprintf(to, "%" PRIu64, value);
            }
            fputc('\n', to);
        }
    }
}

/* write_label() - a label's value of Prometheus's text format */
static void write_label(const char *text, FILE *to)
{
    for (; *text; text++) {
        if (*text == '\n') {
            fputs("\\n", to);
        } else {
            fprintf(to, "%s%c", *text == '"' || *text == '\\' ? "\\" : "", *text);
        }
    }
}

static void add_prometheus(struct json_object *report, FILE *to)
{
    char *command = report_command(report);

    for (size_t i = 0; i < report_events(report); i++) {
        const char *name;
        uint64_t value;

        if (report_value(report, i, &name, &value)) {
            fprintf(to, "vpmu_run_events{command=\"");
            write_label(command ? command : "", to);
            fprintf(to, "\",event=\"");
            write_label(name, to);
            fprintf(to, "\"} %" PRIu64 "\n", value);
        }
    }
    free(command);
}

static void write_prometheus(struct json_object *const *reports, size_t n, FILE *to)
{
    fprintf(to, "# HELP vpmu_run_events Events of one run of a command.\n"
                "# TYPE vpmu_run_events gauge\n");
    for (size_t i = 0; i < n; i++) {
        add_prometheus(reports[i], to);
    }
}

static const struct {
    const char *name;
    format_fn *write;
} formats[] = {
    {"text", write_text},       {"json", write_json}, {"github", write_github},
    {"bencher", write_bencher}, {"csv", write_csv},   {"prometheus", write_prometheus},
};

const char formats_known[] = "text, json, github, bencher, csv, prometheus";

format_fn *format_find(const char *name)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (strcmp(name, formats[i].name) == 0) {
            return formats[i].write;
        }
    }
    return NULL;
}

int format_write(struct json_object *const *reports, size_t n, format_fn *format, const char *path,
                 FILE *standard, struct failure *f)
{
    struct output to;

    if (output_open(&to, path, standard, f) != 0) {
        return -1;
    }
    format(reports, n, to.file);
    return output_close(&to, true, f);
}
