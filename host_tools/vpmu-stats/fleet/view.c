/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The display of top, as lines of text and as records. */
#include "fleet/view.h"

#include <math.h>
#include <stdlib.h>

static bool is_wanted(const struct view *v, unsigned column)
{
    return v->columns->shown[column] && !(v->usual && !v->has_guests && columns_of_guests(column));
}

bool view_shows(const struct view *v, unsigned column)
{
    int end = COLUMNS_NAME_WIDTH + COLUMNS_CPU_WIDTH;

    for (unsigned i = 0; i <= column; i++) {
        end += is_wanted(v, i) ? COLUMNS_WIDTH : 0;
    }
    return is_wanted(v, column) && (!v->width || end <= v->width);
}

int view_update(struct view *v, struct error *t)
{
    long n;

    free(v->rows);
    v->rows = NULL;
    v->n = 0;
    n = columns_rows(v->columns, v->fleet, v->per_vcpu, &v->rows);
    if (n < 0) {
        return error_memory(t);
    }
    v->n = (size_t)n;
    for (size_t row = 0; row < v->n; row++) {
        for (unsigned i = 0; i < COLUMNS_MAX; i++) {
            v->has_guests |= columns_of_guests(i) && v->rows[row].value[i] > 0;
        }
    }
    columns_sort(v->rows, v->n, v->sort, v->reverse);
    return 0;
}

void view_free(struct view *v)
{
    free(v->rows);
    v->rows = NULL;
    v->n = 0;
}

static double seconds(const struct view *v)
{
    return (double)(v->looked - v->began) / 1e9;
}

void view_title(const struct view *v, FILE *to)
{
    size_t up = 0;
    size_t down = 0;
    size_t vcpus = 0;

    for (size_t i = 0; i < v->fleet->n; i++) {
        const struct member *m = v->fleet->member[i];

        up += m->up;
        down += !m->up && !m->hidden;
        vcpus += m->up ? m->now.vcpus : 0;
    }
    fprintf(to, "vpmu-stats top: %.1f s, %zu machine%s up, %zu down, %zu vCPU%s", seconds(v), up,
            up == 1 ? "" : "s", down, vcpus, vcpus == 1 ? "" : "s");
}

void view_head(const struct view *v, FILE *to)
{
    fprintf(to, "%-*s%*s", COLUMNS_NAME_WIDTH, "machine", COLUMNS_CPU_WIDTH,
            v->per_vcpu ? "vCPU" : "vCPUs");
    for (unsigned i = 0; i < COLUMNS_MAX; i++) {
        if (view_shows(v, i)) {
            fprintf(to, "%*s", COLUMNS_WIDTH, columns_head(i));
        }
    }
}

void view_row(const struct view *v, const struct row *r, FILE *to)
{
    char name[4 * COLUMNS_NAME_WIDTH + 1];
    char cell[FORMAT_SIZE];

    fputs(format_fit(name, sizeof(name), r->member->name, COLUMNS_NAME_WIDTH), to);
    if (!r->member->up) {
        fprintf(to, "%*s  %s", COLUMNS_CPU_WIDTH, "-", r->member->why.text);
        return;
    }
    fprintf(to, "%*ld", COLUMNS_CPU_WIDTH, r->cpu < 0 ? (long)r->member->now.vcpus : r->cpu);
    for (unsigned i = 0; i < COLUMNS_MAX; i++) {
        if (view_shows(v, i)) {
            fprintf(to, "%*s", COLUMNS_WIDTH, columns_cell(cell, i, r->value[i]));
        }
    }
}

int view_column(const struct view *v, unsigned column, int *width)
{
    int at = COLUMNS_NAME_WIDTH + COLUMNS_CPU_WIDTH;

    *width = COLUMNS_NAME_WIDTH;
    if (column >= COLUMNS_MAX) {
        return 0;
    }
    *width = COLUMNS_WIDTH;
    for (unsigned i = 0; i < column; i++) {
        at += view_shows(v, i) ? COLUMNS_WIDTH : 0;
    }
    return view_shows(v, column) ? at : -1;
}

static void print_record(const struct view *v, const struct row *r, struct out *out)
{
    struct json_object *record = json_object_new_object();

    record_double(record, "interval", seconds(v), 9);
    record_string(record, "machine", r->member->name);
    if (r->cpu >= 0) {
        record_u64(record, "cpu", (uint64_t)r->cpu);
    } else {
        record_null(record, "cpu");
    }
    record_bool(record, "up", r->member->up);
    for (unsigned i = 0; i < COLUMNS_MAX; i++) {
        if (isnan(r->value[i])) {
            record_null(record, columns_name(i));
        } else {
            record_double(record, columns_name(i), r->value[i], 4);
        }
    }
    out_record(out, record);
}

static void print_lines(const struct view *v, FILE *to)
{
    view_title(v, to);
    fputc('\n', to);
    view_head(v, to);
    fputc('\n', to);
    for (size_t i = 0; i < v->n; i++) {
        view_row(v, &v->rows[i], to);
        fputc('\n', to);
    }
    fputc('\n', to);
}

void view_print(const struct view *v, struct out *out)
{
    if (out->kind == OUT_TEXT) {
        print_lines(v, out->text);
        return;
    }
    for (size_t i = 0; i < v->n; i++) {
        print_record(v, &v->rows[i], out);
    }
}
