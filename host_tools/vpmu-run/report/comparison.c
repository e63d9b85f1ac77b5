/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/comparison.h"

#include <math.h>
#include <string.h>

#include "base/format.h"

/* A word before the remark of each severity. */
static const char *const severities[] = {
    [COMPARE_OK] = "",
    [COMPARE_NOTE] = "note: ",
    [COMPARE_WARNING] = "warning: ",
    [COMPARE_ERROR] = "error: ",
};

static const char *const marks[] = {
    [COMPARE_OK] = "",
    [COMPARE_NOTE] = "",
    [COMPARE_WARNING] = ":warning: ",
    [COMPARE_ERROR] = ":x: ",
};

static bool is_shown(const struct compare_row *row, bool quiet)
{
    return !quiet || row->severity >= COMPARE_WARNING;
}

/* count_shown() - how many rows are written; @bands: how many of them have a band */
static size_t count_shown(const struct comparison *c, bool quiet, size_t *bands)
{
    size_t shown = 0;

    *bands = 0;
    for (size_t i = 0; i < c->n; i++) {
        shown += is_shown(&c->row[i], quiet);
        *bands += is_shown(&c->row[i], quiet) && c->row[i].band[0];
    }
    return shown;
}

static const char *percent_of(const struct compare_row *row, char *text)
{
    if (!row->change[0]) {
        return "";
    }
    if (isinf(row->percent)) {
        return "new";
    }
    snprintf(text, COMPARE_TEXT_SIZE, "%+.3f %%", row->percent);
    return text;
}

static void write_text(const struct comparison *c, bool quiet, FILE *to)
{
    char percent[COMPARE_TEXT_SIZE], summary[1024];
    size_t bands, shown = count_shown(c, quiet, &bands);

    if (shown == 0) {
        return;
    }
    fprintf(to, "%-24s %20s %20s %20s %12s%s\n", "event", "base", "now", "change", "",
            bands ? "         band" : "");
    for (size_t i = 0; i < c->n; i++) {
        const struct compare_row *row = &c->row[i];

        if (is_shown(row, quiet)) {
            fprintf(to, "%-24s %20s %20s %20s %12s", row->name, row->before, row->after,
                    row->change, percent_of(row, percent));
            if (bands) {
                fprintf(to, " %12s", row->band);
            }
            fprintf(to, "%s%s%s\n", row->remark[0] ? "  " : "",
                    row->remark[0] ? severities[row->severity] : "", row->remark);
        }
    }
    compare_summary(c, COMPARE_NOTE, summary, sizeof(summary));
    fprintf(to, "%s\n", summary);
}

static void write_cell(const char *text, FILE *to)
{
    format_markdown(text, to);
    fputs(" | ", to);
}

static void write_markdown_row(const struct compare_row *row, bool bands, FILE *to)
{
    char percent[COMPARE_TEXT_SIZE];

    fputs("| ", to);
    write_cell(row->name, to);
    write_cell(row->before, to);
    write_cell(row->after, to);
    write_cell(row->change, to);
    write_cell(percent_of(row, percent), to);
    if (bands) {
        write_cell(row->band, to);
    }
    fprintf(to, "%s%s |\n", marks[row->severity], row->remark);
}

static void write_markdown(const struct comparison *c, bool quiet, FILE *to)
{
    size_t bands, shown = count_shown(c, quiet, &bands);
    char summary[1024];

    if (shown == 0) {
        return;
    }
    compare_summary(c, COMPARE_NOTE, summary, sizeof(summary));
    fprintf(to, "**vpmu-run**: %s\n\n", summary);
    fprintf(to, "| event | base | now | change | %% | %s\n", bands ? "band | |" : "|");
    fprintf(to, "| --- | ---: | ---: | ---: | ---: | %s\n", bands ? "---: | --- |" : "--- |");
    for (size_t i = 0; i < c->n; i++) {
        if (is_shown(&c->row[i], quiet)) {
            write_markdown_row(&c->row[i], bands > 0, to);
        }
    }
}

static const struct {
    const char *name;
    comparison_fn *write;
} formats[] = {
    {"text", write_text},
    {"markdown", write_markdown},
};

const char comparison_formats[] = "text, markdown";

comparison_fn *comparison_find(const char *name)
{
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (strcmp(name, formats[i].name) == 0) {
            return formats[i].write;
        }
    }
    return NULL;
}
