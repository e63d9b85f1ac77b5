/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of functions, on a screen and in batch mode. */
#include "top/function-rows.h"

#include <inttypes.h>
#include <string.h>

#include "base/format.h"

#define MIN_DSO 13
#define MAX_DSO 255

/* Long names of files leave two thirds of a screen to the functions. */
struct function_rows function_rows_choose(const struct hot_functions *h, int width)
{
    struct function_rows r = {.width = width, .dso = MIN_DSO};
    int most = width ? width / 3 : MAX_DSO;

    for (size_t i = 0; i < h->n; i++) {
        int length = (int)strnlen(h->row[i].dso, MAX_DSO);

        r.dso = length > r.dso ? length : r.dso;
    }
    r.dso = r.dso > most && most > MIN_DSO ? most : r.dso;
    return r;
}

static double percent(uint64_t part, uint64_t all)
{
    return all ? 100.0 * (double)part / (double)all : 0;
}

void function_rows_title(const struct live *l, FILE *to)
{
    const struct hot_functions *h = &l->functions;
    double seconds = (double)l->interval / 1e9;
    char rate[FORMAT_SIZE];
    char lost[FORMAT_SIZE];

    fprintf(to, "%s: '%s', %s samples/s, kernel %.1f%%", l->session.name,
            l->o->measure.events.event[0].text,
            format_grouped(rate, seconds > 0 ? (uint64_t)((double)h->fresh / seconds) : 0),
            percent(h->kernel, h->period));
    if (h->lost) {
        fprintf(to, ", %s lost", format_grouped(lost, h->lost));
    }
}

void function_rows_head(const struct function_rows *r, FILE *to)
{
    fprintf(to, "%8s  %-*s  Symbol", "Overhead", r->dso, "Shared Object");
}

void function_rows_row(const struct function_rows *r, const struct hot_functions *h, size_t i,
                       FILE *to)
{
    const struct hot_function *row = &h->row[i];
    char dso[4 * MAX_DSO + 1];

    fprintf(to, "%7.2f%%  %s  %s", percent(row->period, h->period),
            format_fit(dso, sizeof(dso), row->dso, r->dso), row->symbol);
}

static void print_lines(const struct live *l, size_t n, FILE *to)
{
    struct function_rows r = function_rows_choose(&l->functions, 0);

    function_rows_title(l, to);
    fputc('\n', to);
    function_rows_head(&r, to);
    fputc('\n', to);
    for (size_t i = 0; i < n; i++) {
        function_rows_row(&r, &l->functions, i, to);
        fputc('\n', to);
    }
    fputc('\n', to);
}

static void print_record(const struct live *l, size_t i, struct out *out)
{
    const struct hot_function *row = &l->functions.row[i];
    struct json_object *record = json_object_new_object();
    const char level[2] = {row->symbol[1]};

    record_double(record, "interval", (double)(l->looked - l->began) / 1e9, 9);
    record_string(record, "machine", l->session.name);
    record_string(record, "event", l->o->measure.events.event[0].text);
    record_double(record, "percent", percent(row->period, l->functions.period), 2);
    record_double(record, "samples", row->samples, 1);
    record_u64(record, "period", row->period);
    record_string(record, "dso", row->dso);
    record_string(record, "level", level);
    record_string(record, "sym", row->symbol + REPORT_LEVEL_SIZE);
    out_record(out, record);
}

void function_rows_print(const struct live *l, size_t limit, struct out *out)
{
    size_t n = l->functions.n < limit ? l->functions.n : limit;

    if (out->kind == OUT_TEXT) {
        print_lines(l, n, out->text);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        print_record(l, i, out);
    }
}
