/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "export/flamegraph.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "profile/stacks.h"

/* flamegraph.js, one literal per line */
static const char flamegraph_script[] =
#include "flamegraph-script.inc"
    ;

/* In pixels. Frames that are not wider than NARROW are invisible. */
#define WIDTH 1200.0
#define NARROW 0.1
#define MARGIN 10
#define ROW 16
#define ABOVE 60
#define BELOW 40

/* A frame that is not complete: all recent stacks begin with it. The sums are those before it. */
struct frame {
    uint32_t text;
    uint64_t samples;
    uint64_t period;
};

/**
 * struct flames - a flame graph, which is drawn while stacks are read in their order
 * @open: the @depth frames of the last stack.
 * @samples, @period: sums of all stacks so far.
 */
struct flames {
    const struct profile *p;
    const struct profile_event *event;
    bool by_samples;
    double narrow; /* in pixels: narrower frames are not drawn */
    FILE *file;
    struct frame *open;
    uint32_t depth;
    uint32_t most;
    uint64_t samples;
    uint64_t period;
};

/* Texts are UTF-8 without control characters. XML does not allow two other code points. */
static void put_text(FILE *file, const char *text)
{
    for (; *text; text++) {
        const char *quoted = *text == '&'   ? "&amp;"
                             : *text == '<' ? "&lt;"
                             : *text == '>' ? "&gt;"
                             : *text == '"' ? "&quot;"
                                            : NULL;

        if (strncmp(text, "\xef\xbf\xbe", 3) == 0 || strncmp(text, "\xef\xbf\xbf", 3) == 0) {
            fputc('?', file);
            text += 2;
        } else if (quoted) {
            fputs(quoted, file);
        } else {
            fputc(*text, file);
        }
    }
}

/* A function has the same color, from yellow to red, in each graph. */
static void put_color(FILE *file, const char *text)
{
    uint32_t hash = 2166136261u;

    for (; *text; text++) {
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    }
    hash ^= hash >> 15;
    fprintf(file, "rgb(%u,%u,%u)", 205 + hash % 50, 60 + (hash >> 8) % 150, (hash >> 16) % 55);
}

static double total(const struct flames *f)
{
    return (double)(f->by_samples ? f->event->samples : f->event->period);
}

/* Cuts the name to the width. The script does that again when it zooms. */
static void put_name(FILE *file, const char *text, double width)
{
    char cut[256];
    size_t room = (size_t)(width / 7.2);
    size_t len = strlen(text);

    if (room < 3) {
        return;
    }
    if (len <= room) {
        put_text(file, text);
        return;
    }
    snprintf(cut, room - 1 < sizeof(cut) ? room - 1 : sizeof(cut), "%s", text);
    format_tame(cut);
    put_text(file, cut);
    fputs("..", file);
}

/* Draws a frame that is complete. @level 0 is the lowest. */
static void put_frame(const struct flames *f, uint32_t level, const char *text, uint64_t samples,
                      uint64_t period, double before)
{
    double weight = (double)(f->by_samples ? samples : period);
    double width = total(f) ? WIDTH * weight / total(f) : 0;
    double x = total(f) ? WIDTH * before / total(f) : 0;
    double y = ABOVE + (double)(f->most - level) * ROW;
    char number[2][FORMAT_SIZE];

    if (width < f->narrow) {
        return;
    }
    fputs("<g><title>", f->file);
    put_text(f->file, text);
    fprintf(f->file, " (%s samples, %s ", format_grouped(number[0], samples),
            format_grouped(number[1], period));
    put_text(f->file, f->event->name);
    fprintf(f->file,
            ", %.2f%%)</title><rect x=\"%.2f\" y=\"%.0f\" width=\"%.2f\" height=\"%d\" fill=\"",
            total(f) ? 100 * weight / total(f) : 0, MARGIN + x, y, width, ROW - 1);
    put_color(f->file, text);
    fprintf(f->file, "\"/><text x=\"%.2f\" y=\"%.0f\">", MARGIN + x + 3, y + 12);
    put_name(f->file, text, width);
    fputs("</text></g>\n", f->file);
}

/* Completes frames until only @depth are left. */
static void close_to(struct flames *f, uint32_t depth)
{
    while (f->depth > depth) {
        const struct frame *frame = &f->open[--f->depth];

        put_frame(f, f->depth + 1, string_table_get(&f->p->texts, frame->text),
                  f->samples - frame->samples, f->period - frame->period,
                  (double)(f->by_samples ? frame->samples : frame->period));
    }
}

static void put_stack(struct flames *f, const struct profile_entry *e)
{
    uint32_t first = *profile_text(f->p, e, STACKS_WORLD) ? STACKS_WORLD : STACKS_COMM;
    uint32_t n = e->n - first;
    uint32_t same = 0;

    while (same < f->depth && same < n && f->open[same].text == e->key[first + same]) {
        same++;
    }
    close_to(f, same);
    for (; f->depth < n; f->depth++) {
        f->open[f->depth] = (struct frame){
            .text = e->key[first + f->depth], .samples = f->samples, .period = f->period};
    }
    f->samples += e->samples;
    f->period += e->period;
}

static void put_head(const struct flames *f)
{
    unsigned height = ABOVE + BELOW + (f->most + 1) * ROW;
    unsigned width = (unsigned)WIDTH + 2 * MARGIN;

    fprintf(f->file,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<svg version=\"1.1\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" "
            "xmlns=\"http://www.w3.org/2000/svg\">\n",
            width, height, width, height);
    fputs("<style>text{font-family:monospace;font-size:12px;fill:#000}"
          "#frames g:hover{stroke:#000;stroke-width:.5;cursor:pointer}.button{cursor:pointer}"
          "#frames text{pointer-events:none}</style>\n",
          f->file);
    fprintf(f->file,
            "<rect width=\"100%%\" height=\"100%%\" fill=\"#f8f8f8\"/>\n"
            "<text x=\"%u\" y=\"24\" text-anchor=\"middle\" style=\"font-size:17px\">",
            width / 2);
    put_text(f->file, f->event->name);
    fprintf(f->file,
            "</text>\n"
            "<text id=\"reset\" class=\"button\" x=\"%d\" y=\"24\" visibility=\"hidden\">Reset zoom"
            "</text>\n"
            "<text id=\"search\" class=\"button\" x=\"%u\" y=\"24\" text-anchor=\"end\">Search"
            "</text>\n"
            "<text id=\"matched\" x=\"%u\" y=\"%u\" text-anchor=\"end\"></text>\n"
            "<text id=\"details\" x=\"%d\" y=\"%u\"></text>\n"
            "<g id=\"frames\">\n",
            MARGIN, width - MARGIN, width - MARGIN, height - 15, MARGIN, height - 15);
}

/* Returns the number of frames of the deepest stack. */
static uint32_t find_depth(const struct profile *p, unsigned event)
{
    uint32_t most = 0;

    for (size_t i = 0; i < p->n; i++) {
        most = p->entry[i]->event == event && p->entry[i]->n > most ? p->entry[i]->n : most;
    }
    return most;
}

int flamegraph_write(const struct profile *p, unsigned event, bool by_samples, double least,
                     FILE *file, struct error *t)
{
    struct flames f = {
        .p = p,
        .event = &p->event[event],
        .by_samples = by_samples,
        .narrow = least * WIDTH / 100 > NARROW ? least * WIDTH / 100 : NARROW,
        .file = file,
        .most = find_depth(p, event),
    };

    f.open = reallocarray(NULL, f.most + 1ull, sizeof(*f.open));
    if (!f.open) {
        return error_memory(t);
    }
    put_head(&f);
    for (size_t i = 0; i < p->n; i++) {
        if (p->entry[i]->event == event) {
            put_stack(&f, p->entry[i]);
        }
    }
    close_to(&f, 0);
    put_frame(&f, 0, "all", f.samples, f.period, 0);
    fprintf(file, "</g>\n<script><![CDATA[\n%s]]></script>\n</svg>\n", flamegraph_script);
    free(f.open);
    return 0;
}
