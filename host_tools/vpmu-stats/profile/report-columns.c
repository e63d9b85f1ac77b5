/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of a report, by which samples are summed up. */
#include "profile/report-columns.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/format.h"
#include "perfdata/perfaccess.h"
#include "profile/branch.h"
#include "profile/callchain.h"
#include "symbols/demangle.h"

#define MAX_TEXT 512

/* The same mark as in perf. */
#define INLINED " (inlined)"

/* Texts of the file are not trusted. */
static int put_tame(struct sample_input *g, char *text, uint32_t *number, struct error *t)
{
    format_tame(text);
    return string_table_number(&g->profile->texts, text, number, t);
}

static int put_number(struct sample_input *g, uint32_t value, uint32_t *number, struct error *t)
{
    char text[16];

    snprintf(text, sizeof(text), "%" PRId32, (int32_t)value);
    return string_table_number(&g->profile->texts, text, number, t);
}

static int find_comm(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                     struct error *t)
{
    (void)g;
    (void)t;
    *number = s->comm;
    return 0;
}

static int find_pid(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                    struct error *t)
{
    return put_number(g, s->s->pid, number, t);
}

static int find_tid(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                    struct error *t)
{
    return put_number(g, s->s->tid, number, t);
}

static int find_cpu(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                    struct error *t)
{
    return put_number(g, s->s->cpu, number, t);
}

static int find_event(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                      struct error *t)
{
    return string_table_number(&g->profile->texts, g->profile->event[s->event].name, number, t);
}

static int find_address(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                        struct error *t)
{
    char text[32];

    snprintf(text, sizeof(text), "0x%016" PRIx64, s->s->ip);
    return string_table_number(&g->profile->texts, text, number, t);
}

/* As perf marks them. */
static char level(unsigned mode)
{
    static const char levels[] = {
        [PERF_RECORD_MISC_KERNEL] = 'k',     [PERF_RECORD_MISC_USER] = '.',
        [PERF_RECORD_MISC_HYPERVISOR] = 'H', [PERF_RECORD_MISC_GUEST_KERNEL] = 'g',
        [PERF_RECORD_MISC_GUEST_USER] = 'u',
    };

    return mode < sizeof(levels) && levels[mode] ? levels[mode] : 'H';
}

/* Returns perf's name of the file that is mapped at an address, with its directory. */
static const char *dso_of(const struct input_place *place, unsigned mode)
{
    return place->file                           ? place->file
           : mode == PERF_RECORD_MISC_HYPERVISOR ? "[hypervisor]"
                                                 : "[unknown]";
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash && slash[1] ? slash + 1 : path;
}

static int put_dso(struct sample_input *g, const struct input_place *place, unsigned mode,
                   uint32_t *number, struct error *t)
{
    char text[MAX_TEXT];

    snprintf(text, sizeof(text), "%s", base_name(dso_of(place, mode)));
    return put_tame(g, text, number, t);
}

static int find_dso(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                    struct error *t)
{
    struct input_place place = sample_input_place(g, s, s->mode, s->s->ip);

    return put_dso(g, &place, s->mode, number, t);
}

/*
 * Returns the name of the code. Code of which nothing is known belongs to one row for each file.
 * @back is as for place_name().
 */
static int put_symbol(struct sample_input *g, const struct input_place *place, unsigned mode,
                      uint64_t address, uint64_t back, uint32_t *number, struct error *t)
{
    const struct report *r = g->opaque;
    const char *dso = dso_of(place, mode);
    char buf[PLACE_NAME];
    const char *name = place->function || !r->addresses ? place_name(place, back, buf) : NULL;
    char text[MAX_TEXT];

    if (name) {
        snprintf(text, sizeof(text), "[%c] %s", level(mode), name);
    } else if (r->addresses) {
        snprintf(text, sizeof(text), "[%c] 0x%016" PRIx64, level(mode), address);
    } else if (r->has_dso || strcmp(dso, "[unknown]") == 0) {
        snprintf(text, sizeof(text), "[%c] [unknown]", level(mode));
    } else {
        snprintf(text, sizeof(text), "[%c] [unknown] in %s", level(mode), dso);
    }
    return put_tame(g, text, number, t);
}

/* Returns "file.c:12" as perf does, or the distance to the start of the function or of the file. */
static int put_line(struct sample_input *g, const struct input_place *place, unsigned mode,
                    const struct dwarf_line *line, uint32_t *number, struct error *t)
{
    char text[MAX_TEXT];

    if (line && *line->file) {
        snprintf(text, sizeof(text), "%s:%u", base_name(line->file), line->line);
    } else if (place->function) {
        snprintf(text, sizeof(text), "%s+%" PRIu64, demangle_name(place->function),
                 place->address - place->function->start);
    } else {
        snprintf(text, sizeof(text), "%s[%" PRIx64 "]", base_name(dso_of(place, mode)),
                 place->address);
    }
    return put_tame(g, text, number, t);
}

static int find_line(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                     struct error *t)
{
    struct input_place place = sample_input_place(g, s, s->mode, s->s->ip);
    struct dwarf_line line[DWARF_LINES_FRAMES];
    size_t n = sample_input_lines(g, &place, line);

    return put_line(g, &place, s->mode, n ? &line[0] : NULL, number, t);
}

static int find_symbol(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                       struct error *t)
{
    struct input_place place = sample_input_place(g, s, s->mode, s->s->ip);

    return put_symbol(g, &place, s->mode, s->s->ip, 0, number, t);
}

/*
 * Sides of branches
 */

static int put_side(struct sample_input *g, const struct input_sample *s, uint64_t address,
                    bool symbol, uint32_t *number, struct error *t)
{
    unsigned mode = branch_mode(s, address);
    struct input_place place = sample_input_place(g, s, mode, address);

    return symbol ? put_symbol(g, &place, mode, address, 0, number, t)
                  : put_dso(g, &place, mode, number, t);
}

static int find_symbol_from(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                            struct error *t)
{
    return put_side(g, s, s->branch->from, true, number, t);
}

static int find_symbol_to(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                          struct error *t)
{
    return put_side(g, s, s->branch->to, true, number, t);
}

static int find_dso_from(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                         struct error *t)
{
    return put_side(g, s, s->branch->from, false, number, t);
}

static int find_dso_to(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                       struct error *t)
{
    return put_side(g, s, s->branch->to, false, number, t);
}

static int put_side_line(struct sample_input *g, const struct input_sample *s, uint64_t address,
                         uint32_t *number, struct error *t)
{
    unsigned mode = branch_mode(s, address);
    struct input_place place = sample_input_place(g, s, mode, address);
    struct dwarf_line line[DWARF_LINES_FRAMES];
    size_t n = sample_input_lines(g, &place, line);

    return put_line(g, &place, mode, n ? &line[0] : NULL, number, t);
}

static int find_line_from(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                          struct error *t)
{
    return put_side_line(g, s, s->branch->from, number, t);
}

static int find_line_to(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                        struct error *t)
{
    return put_side_line(g, s, s->branch->to, number, t);
}

/* As perf shows it. */
static int find_mispredict(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                           struct error *t)
{
    const char *text = s->branch->mispredicted ? "Y" : s->branch->predicted ? "N" : "N/A";

    return string_table_number(&g->profile->texts, text, number, t);
}

/*
 * Accesses to memory
 */

static int find_op(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                   struct error *t)
{
    return string_table_number(&g->profile->texts, perfaccess_op(s->s->source), number, t);
}

static int find_mem(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                    struct error *t)
{
    return string_table_number(&g->profile->texts, perfaccess_level(s->s->source), number, t);
}

static int find_tlb(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                    struct error *t)
{
    return string_table_number(&g->profile->texts, perfaccess_tlb(s->s->source), number, t);
}

static int find_weight(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                       struct error *t)
{
    char text[FORMAT_SIZE];

    snprintf(text, sizeof(text), "%" PRIu64, s->s->weight);
    return string_table_number(&g->profile->texts, text, number, t);
}

static int find_data_symbol(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                            struct error *t)
{
    const struct report *r = g->opaque;
    unsigned mode;
    struct input_place place = sample_input_data(g, s, &mode);
    char text[32];

    if (place.function || r->addresses) {
        return put_symbol(g, &place, mode, s->s->address, 0, number, t);
    }
    snprintf(text, sizeof(text), "[%c] [unknown]", level(mode));
    return string_table_number(&g->profile->texts, text, number, t);
}

/* perf takes the size of the host's lines; the guest's models have 64 bytes unless it is set. */
#define LINE_SIZE 64u

static int find_data_line(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                          struct error *t)
{
    unsigned mode = branch_mode(s, s->s->address);
    char text[32];

    snprintf(text, sizeof(text), "[%c] 0x%016" PRIx64, level(mode),
             s->s->address & -(uint64_t)LINE_SIZE);
    return string_table_number(&g->profile->texts, text, number, t);
}

static const struct report_column columns[] = {
    {"comm", "Command", find_comm, REPORT_SAMPLES},
    {"dso", "Shared Object", find_dso, REPORT_SAMPLES},
    {"sym", "Symbol", find_symbol, REPORT_SAMPLES},
    {"cgroup", "Cgroup", sample_input_cgroup, REPORT_SAMPLES},
    {"cpu", "CPU", find_cpu, REPORT_SAMPLES},
    {"pid", "Pid", find_pid, REPORT_SAMPLES},
    {"tid", "Tid", find_tid, REPORT_SAMPLES},
    {"ip", "Address", find_address, REPORT_SAMPLES},
    {"event", "Event", find_event, REPORT_SAMPLES},
    {"srcline", "Source:Line", find_line, REPORT_SAMPLES},
    {"symbol_from", "Source Symbol", find_symbol_from, REPORT_BRANCHES},
    {"symbol_to", "Target Symbol", find_symbol_to, REPORT_BRANCHES},
    {"dso_from", "Source Shared Object", find_dso_from, REPORT_BRANCHES},
    {"dso_to", "Target Shared Object", find_dso_to, REPORT_BRANCHES},
    {"srcline_from", "From Source:Line", find_line_from, REPORT_BRANCHES},
    {"srcline_to", "To Source:Line", find_line_to, REPORT_BRANCHES},
    {"mispredict", "Branch Mispredicted", find_mispredict, REPORT_BRANCHES},
    {"op", "Memory Operation", find_op, REPORT_ACCESSES},
    {"mem", "Memory Access", find_mem, REPORT_ACCESSES},
    {"tlb", "TLB Access", find_tlb, REPORT_ACCESSES},
    {"local_weight", "Local Weight", find_weight, REPORT_ACCESSES},
    {"symbol_daddr", "Data Symbol", find_data_symbol, REPORT_ACCESSES},
    {"dcacheline", "Data Cacheline", find_data_line, REPORT_ACCESSES},
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static const struct report_column *find_column(const char *name, size_t len)
{
    if (len == 6 && strncmp(name, "symbol", len) == 0) {
        return find_column("sym", 3);
    }
    for (size_t i = 0; i < COLUMNS; i++) {
        if (strlen(columns[i].name) == len && strncmp(columns[i].name, name, len) == 0) {
            return &columns[i];
        }
    }
    return NULL;
}

int report_choose(struct report *r, const char *list, struct error *t)
{
    r->n = 0;
    r->has_dso = false;
    r->has_line = false;
    r->has_symbol = false;
    for (const char *p = list;; p++) {
        size_t len = strcspn(p, ",");
        const struct report_column *column = find_column(p, len);

        if (!column) {
            return error_set(t, ERROR_USAGE,
                             "cannot sort by '%.*s'; the keys are comm, dso, sym, cgroup, cpu, "
                             "pid, tid, ip, srcline, event; with -b symbol_from, symbol_to, "
                             "dso_from, dso_to, srcline_from, srcline_to, mispredict; with --mem "
                             "op, mem, tlb, local_weight, symbol_daddr, dcacheline",
                             (int)len, p);
        }
        if ((column->needs == REPORT_BRANCHES && !r->branches) ||
            (column->needs == REPORT_ACCESSES && !r->accesses)) {
            return error_set(t, ERROR_USAGE, "sorting by '%s' needs report %s", column->name,
                             column->needs == REPORT_BRANCHES ? "-b" : "--mem");
        }
        if (r->n == REPORT_MAX_COLUMNS) {
            return error_set(t, ERROR_USAGE, "at most %u sort keys are possible",
                             REPORT_MAX_COLUMNS);
        }
        r->column[r->n++] = column;
        r->has_dso |= column->find == find_dso || column->find == find_dso_from;
        r->has_line |= column->find == find_line;
        r->has_symbol |= column->find == find_symbol;
        p += len;
        if (!*p) {
            return 0;
        }
    }
}

int report_frame_part(const struct report *r, uint32_t i)
{
    return r->column[i]->find == find_symbol ? REPORT_FRAME_SYMBOL
           : r->column[i]->find == find_dso  ? REPORT_FRAME_DSO
           : r->column[i]->find == find_line ? REPORT_FRAME_LINE
                                             : -1;
}

bool report_is_inlined(const struct report *r, const struct profile *p,
                       const struct profile_entry *e, uint32_t i)
{
    const char *text = profile_text(p, e, r->n + i * REPORT_FRAME_PARTS + REPORT_FRAME_SYMBOL);
    size_t length = strlen(text);
    size_t end = sizeof(INLINED) - 1;

    return length > end && strcmp(text + length - end, INLINED) == 0;
}

bool report_is_symbol(const struct report *r, uint32_t i)
{
    return r->column[i]->find == find_symbol || r->column[i]->find == find_symbol_from ||
           r->column[i]->find == find_symbol_to || r->column[i]->find == find_data_symbol ||
           r->column[i]->find == find_data_line;
}

/*
 * Which samples
 */

static bool has(const char *list, const char *text)
{
    size_t len = strlen(text);

    for (const char *p = list; *p; p += strspn(p, ",")) {
        size_t part = strcspn(p, ",");

        if (part == len && strncmp(p, text, len) == 0) {
            return true;
        }
        p += part;
    }
    return false;
}

static bool has_number(const char *list, uint32_t number)
{
    char text[FORMAT_SIZE];

    snprintf(text, sizeof(text), "%" PRId32, (int32_t)number);
    return has(list, text);
}

bool report_filter_keeps(const struct sample_filter *f, struct sample_input *g,
                         const struct input_sample *s)
{
    struct input_place place;
    const char *dso;

    if ((f->comms && !has(f->comms, string_table_get(&g->profile->texts, s->comm))) ||
        (f->pids && !has_number(f->pids, s->s->pid)) ||
        (f->tids && !has_number(f->tids, s->s->tid)) || !ranges_have(&f->cpus, s->s->cpu)) {
        return false;
    }
    if (!f->dsos && !f->symbols) {
        return true;
    }
    place = sample_input_place(g, s, s->mode, s->s->ip);
    dso = dso_of(&place, s->mode);
    return (!f->dsos || has(f->dsos, dso) || has(f->dsos, base_name(dso))) &&
           (!f->symbols || (place.function && has(f->symbols, demangle_name(place.function))));
}

/*
 * Keys
 */

/* Add a frame. @inlined is the name of an inlined function; NULL for the function of the symbol. */
static int put_frame(struct sample_input *g, const struct input_place *place,
                     const struct callchain_frame *frame, const char *inlined,
                     const struct dwarf_line *line, uint32_t *key, struct error *t)
{
    const struct report *r = g->opaque;
    char text[MAX_TEXT];

    if (inlined) {
        snprintf(text, sizeof(text), "[%c] %s" INLINED, level(frame->mode), inlined);
    }
    if ((inlined ? put_tame(g, text, &key[REPORT_FRAME_SYMBOL], t)
                 : put_symbol(g, place, frame->mode, frame->address, frame->address - frame->lookup,
                              &key[REPORT_FRAME_SYMBOL], t)) ||
        put_dso(g, place, frame->mode, &key[REPORT_FRAME_DSO], t)) {
        return -1;
    }
    key[REPORT_FRAME_LINE] = key[REPORT_FRAME_DSO];
    return r->has_line ? put_line(g, place, frame->mode, line, &key[REPORT_FRAME_LINE], t) : 0;
}

/* Stops when the key is full. */
static int put_frames(struct sample_input *g, const struct input_sample *s, uint32_t *key,
                      uint32_t *n, struct error *t)
{
    struct callchain chain = callchain_of(g, s);
    struct callchain_frame frame;

    while (callchain_next(&chain, &frame)) {
        struct dwarf_line line[DWARF_LINES_FRAMES];
        size_t lines = sample_input_lines(g, &frame.place, line);

        for (size_t i = 0; i == 0 || i < lines; i++) {
            if (*n + REPORT_FRAME_PARTS > SAMPLE_INPUT_MAX_KEY) {
                return 0;
            }
            if (put_frame(g, &frame.place, &frame, i + 1 < lines ? line[i].function : NULL,
                          lines ? &line[i] : NULL, key + *n, t)) {
                return -1;
            }
            *n += REPORT_FRAME_PARTS;
        }
    }
    return 0;
}

/* Only functions that are local in their file can have the name of another one. */
static int put_source(struct sample_input *g, const struct input_sample *s, uint32_t *number,
                      struct error *t)
{
    struct input_place place = sample_input_place(g, s, s->mode, s->s->ip);
    struct dwarf_line line[DWARF_LINES_FRAMES];
    size_t n;

    if (!place.function || place.function->binding != FUNCTION_LOCAL) {
        return string_table_number(&g->profile->texts, "", number, t);
    }
    place.address = place.function->start;
    n = sample_input_lines(g, &place, line);
    return string_table_number(&g->profile->texts,
                               n && *line[n - 1].file ? line[n - 1].file : VALGRIND_UNKNOWN, number,
                               t);
}

int report_key(struct sample_input *g, const struct input_sample *s, uint32_t *key, uint32_t *n,
               struct error *t)
{
    const struct report *r = g->opaque;

    *n = 0;
    if (!report_filter_keeps(&r->filter, g, s)) {
        return 0;
    }
    for (; *n < r->n; ++*n) {
        if (r->column[*n]->find(g, s, &key[*n], t)) {
            return -1;
        }
    }
    if (r->sources && put_source(g, s, &key[(*n)++], t)) {
        return -1;
    }
    return report_has_chains(r) ? put_frames(g, s, key, n, t) : 0;
}

/* Returns what a column shows of a line; NULL if a line does not have that. */
static const char *text_of_line(const char *column, const struct valgrind_line *line, char *buf,
                                size_t size)
{
    const char *slash = strrchr(line->file, '/');

    if (strcmp(column, "dso") == 0) {
        return line->object;
    }
    if (strcmp(column, "sym") == 0) {
        snprintf(buf, size, "[.] %s", line->function);
        return buf;
    }
    if (strcmp(column, "srcline") == 0) {
        snprintf(buf, size, "%s:%u", slash ? slash + 1 : line->file, line->line);
        return buf;
    }
    if (strcmp(column, "comm") == 0) {
        snprintf(buf, size, "%.*s", (int)strcspn(line->command, " "), line->command);
        slash = strrchr(buf, '/');
        return slash ? slash + 1 : buf;
    }
    return NULL;
}

int report_line_key(struct sample_input *g, const struct valgrind_line *line, uint32_t *key,
                    uint32_t *n, struct error *t)
{
    const struct report *r = g->opaque;
    const struct sample_filter *f = &r->filter;
    char buf[4096];

    if (f->comms || f->pids || f->tids || f->dsos || f->symbols || report_has_chains(r)) {
        return error_set(t, ERROR_USAGE,
                         "%s has source lines and no samples: it cannot be "
                         "filtered, and has no call chains",
                         g->input);
    }
    for (*n = 0; *n < r->n; ++*n) {
        const char *text = text_of_line(r->column[*n]->name, line, buf, sizeof(buf));

        if (!text) {
            return error_set(t, ERROR_USAGE,
                             "%s has no %s: --sort takes comm, dso, sym and "
                             "srcline for it",
                             g->input, r->column[*n]->name);
        }
        if (string_table_number(&g->profile->texts, text, &key[*n], t)) {
            return -1;
        }
    }
    return r->sources ? string_table_number(&g->profile->texts, line->home, &key[(*n)++], t) : 0;
}

void report_members(const struct report *r, const struct profile *p, const struct profile_entry *e,
                    struct json_object *record)
{
    for (uint32_t i = 0; i < r->n; i++) {
        const char *text = profile_text(p, e, i);
        char mark[2] = {text[0] == '[' ? text[1] : '\0'};

        if (report_is_symbol(r, i)) {
            if (r->column[i]->needs == REPORT_SAMPLES) {
                record_string(record, "level", mark);
            }
            text += REPORT_LEVEL_SIZE;
        }
        record_string(record, r->column[i]->name, text);
    }
}
