/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a page for a browser. The samples are JSON data, from which html.js draws everything. */
#include "export/html.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/annotate.h"

/* html.js and html.css, one literal per line */
static const char html_script[] =
#include "html-script.inc"
    ;
static const char html_style[] =
#include "html-style.inc"
    ;

/* The timeline has this many bins of time; each is a bar. */
#define BINS 400u

/* The most functions whose instructions are shown. */
#define FUNCTIONS 8

/*
 * Samples
 */

static int add_tick(struct html *h, const struct input_sample *s, struct error *t)
{
    if (s->s->time == UINT64_MAX || s->s->cpu == UINT32_MAX) {
        return 0;
    }
    if (h->n == h->room) {
        size_t room = h->room ? h->room * 2 : 1024;
        struct html_tick *tick = reallocarray(h->tick, room, sizeof(*tick));

        if (!tick) {
            return error_memory(t);
        }
        h->tick = tick;
        h->room = room;
    }
    h->tick[h->n++] = (struct html_tick){
        .time = s->s->time, .events = s->s->period, .cpu = s->s->cpu, .comm = s->comm};
    return 0;
}

/* The keys of instructions use the texts of g->profile as well. */
static int add_code(struct html *h, struct sample_input *g, const struct input_sample *s,
                    uint32_t *key, struct error *t)
{
    struct profile_entry *entry;
    uint32_t n;

    if (annotate_key(g, s, key, &n, t)) {
        return -1;
    }
    entry = profile_entry(&h->code, s->event, key, n, t);
    if (!entry) {
        return -1;
    }
    entry->samples++;
    entry->period += s->s->period;
    return 0;
}

int html_sample(struct sample_input *g, const struct input_sample *s, struct error *t)
{
    static uint32_t key[SAMPLE_INPUT_MAX_KEY];
    struct html *h = g->sink;
    uint32_t n;

    if (h->event ? strcmp(g->profile->event[s->event].name, h->event) != 0 : s->event != 0) {
        return 0;
    }
    return stacks_key(g, s, key, &n, t) ||
                   profile_add(g->profile, s->event, s->s->period, key, n, t) ||
                   add_code(h, g, s, key, t) || add_tick(h, s, t)
               ? -1
               : 0;
}

/*
 * Data
 */

/* Texts are UTF-8 without control characters. They must not end the script. */
static void put_text(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') {
            fprintf(file, "\\%c", *text);
        } else if (*text == '<') {
            fputs("\\u003c", file);
        } else {
            fputc(*text, file);
        }
    }
    fputc('"', file);
}

static void put_texts(const struct profile *p, FILE *file)
{
    fputs(",\n\"texts\":[", file);
    for (uint32_t i = 0; i < p->texts.n; i++) {
        fputs(i ? "," : "", file);
        put_text(file, string_table_get(&p->texts, i));
    }
    fputs("]", file);
}

/* Writes samples, period and the frames, outermost first. */
static void put_stacks(const struct profile *p, unsigned event, FILE *file)
{
    const char *separator = "";

    fputs(",\n\"stacks\":[", file);
    for (size_t i = 0; i < p->n; i++) {
        const struct profile_entry *e = p->entry[i];
        uint32_t first = *profile_text(p, e, STACKS_WORLD) ? STACKS_WORLD : STACKS_COMM;

        if (e->event != event) {
            continue;
        }
        fprintf(file, "%s[%" PRIu64 ",%" PRIu64, separator, e->samples, e->period);
        for (uint32_t part = first; part < e->n; part++) {
            fprintf(file, ",%" PRIu32, e->key[part]);
        }
        fputs("]", file);
        separator = ",\n";
    }
    fputs("]", file);
}

static int compare_ticks(const void *a, const void *b)
{
    const struct html_tick *left = a;
    const struct html_tick *right = b;

    return left->cpu != right->cpu     ? (left->cpu < right->cpu ? -1 : 1)
           : left->time != right->time ? (left->time < right->time ? -1 : 1)
                                       : (left->comm > right->comm) - (left->comm < right->comm);
}

/* Replaces the time of each sample by the number of its bin, and sorts the samples. */
static void find_bins(struct html *h, uint64_t *first, uint64_t *last)
{
    *first = h->n ? UINT64_MAX : 0;
    *last = 0;
    for (size_t i = 0; i < h->n; i++) {
        *first = h->tick[i].time < *first ? h->tick[i].time : *first;
        *last = h->tick[i].time > *last ? h->tick[i].time : *last;
    }
    for (size_t i = 0; i < h->n; i++) {
        double share = (double)(h->tick[i].time - *first) / ((double)(*last - *first) + 1);

        h->tick[i].time = (uint64_t)(share * BINS);
    }
    if (h->n) {
        qsort(h->tick, h->n, sizeof(*h->tick), compare_ticks);
    }
}

/* Writes for each vCPU: the bin, the thread, the number of events. */
static void put_timeline(struct html *h, FILE *file)
{
    uint64_t first;
    uint64_t last;
    size_t end;

    find_bins(h, &first, &last);
    fprintf(file, ",\n\"first\":%" PRIu64 ",\"last\":%" PRIu64 ",\"bins\":%u,\n\"cpus\":[", first,
            last, BINS);
    for (size_t i = 0; i < h->n; i = end) {
        const struct html_tick *tick = &h->tick[i];
        uint64_t events = 0;

        if (i == 0 || tick[-1].cpu != tick->cpu) {
            fprintf(file, "%s{\"cpu\":%" PRIu32 ",\"bars\":[", i ? "]},\n" : "", tick->cpu);
        } else {
            fputs(",", file);
        }
        for (end = i; end < h->n && compare_ticks(tick, &h->tick[end]) == 0;) {
            events += h->tick[end++].events;
        }
        fprintf(file, "[%" PRIu64 ",%" PRIu32 ",%" PRIu64 "]", tick->time, tick->comm, events);
    }
    fputs(h->n ? "]}]" : "]", file);
}

/* Writes a record for each instruction, as annotate does, or the reason why it cannot. */
static int put_code(struct html *h, const struct profile *p, FILE *file, struct error *t)
{
    const struct annotate a = {.limit = FUNCTIONS};
    struct out lines = {.kind = OUT_JSON};
    struct error none = {0};
    char *text = NULL;
    size_t size;
    int err;

    h->code.texts = p->texts;
    h->code.event = p->event;
    h->code.events = p->events;
    lines.text = open_memstream(&text, &size);
    if (!lines.text) {
        return error_memory(t);
    }
    err = annotate_print(&a, &h->code, &lines, &none);
    fclose(lines.text);
    fputs(",\n\"code\":[", file);
    for (char *line = text; !err && *line;) {
        char *end = line + strcspn(line, "\n");

        /* Texts in a record can contain anything but a newline. */
        for (; line < end; line++) {
            fputs(*line == '<' ? "\\u003c" : (char[]){*line, '\0'}, file);
        }
        line += *line == '\n';
        fputs(*line ? ",\n" : "", file);
    }
    fputs("],\n\"why\":", file);
    put_text(file, err ? none.text : "");
    free(text);
    return 0;
}

static void put_head(const struct profile_event *event, FILE *file)
{
    fputs("<!doctype html>\n"
          "<html lang=\"en\">\n"
          "<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<title>vpmu-stats</title>\n"
          "<style>\n",
          file);
    fputs(html_style, file);
    fputs("</style>\n"
          "<body>\n"
          "<main id=\"page\"><noscript>This page needs JavaScript.</noscript></main>\n"
          "<script id=\"data\" type=\"application/json\">\n"
          "{\"event\":",
          file);
    put_text(file, event->name);
    fprintf(file, ",\"samples\":%" PRIu64 ",\"period\":%" PRIu64 ",\"lost\":%" PRIu64,
            event->samples, event->period, event->lost);
}

int html_write(struct html *h, struct profile *p, unsigned event, FILE *file, struct error *t)
{
    profile_sort_by_key(p);
    put_head(&p->event[event], file);
    fprintf(file, ",\"worlds\":%s", h->stacks.worlds ? "true" : "false");
    put_texts(p, file);
    put_stacks(p, event, file);
    put_timeline(h, file);
    if (put_code(h, p, file, t)) {
        return -1;
    }
    fprintf(file, "}\n</script>\n<script>\n%s</script>\n</body>\n</html>\n", html_script);
    return 0;
}

void html_free(struct html *h)
{
    profile_free_entries(&h->code);
    free(h->tick);
    h->tick = NULL;
}
