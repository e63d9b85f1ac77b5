/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum {
    MAX_FINDINGS = 4096
};

static struct finding findings[MAX_FINDINGS];
static unsigned count, printed, left_out;
static const char *pmu;

/* The words of the table, and the colours: green, yellow, red. */
static const struct {
    const char *name;
    const char *color;
    const char *sum;
} verdicts[VERDICTS] = {
    [EXACT] = {"exact", "\033[32m", "exact"},
    [IN_RANGE] = {"in range", "\033[32m", "in range"},
    [INTERRUPTS] = {"off by", "\033[33m", "off by what interrupts may add"},
    [OFF] = {"off by", "\033[31m", "off"},
    [BY_TIME] = {"depends on time", "\033[33m", "depend on time"},
    [CONSTANT] = {"constant", "\033[31m", "constant"},
    [ZERO] = {"zero", "\033[31m", "zero"},
    [COUNTS] = {"counts", "", "count something unknown"},
    [BUSY] = {"busy", "\033[33m", "busy"},
    [ABSENT] = {"not there", "", "not there"},
    [DENIED] = {"not permitted", "", "not permitted"},
};

void findings_of(const char *name)
{
    pmu = name;
}

struct finding *finding_add(const char *part, const char *name)
{
    /* Rows for which there is no place are judged, but not shown. */
    static struct finding extra;
    struct finding *f = count < MAX_FINDINGS ? &findings[count++] : &extra;

    left_out += f == &extra;
    memset(f, 0, sizeof(*f));
    f->pmu = pmu;
    f->part = part;
    snprintf(f->name, sizeof(f->name), "%s", name);
    f->verdict = ABSENT;
    return f;
}

void finding_title(const struct finding *f, char *text, size_t size)
{
    bool says = f->pmu == NULL || strncmp(f->name, f->pmu, strlen(f->pmu)) == 0;

    snprintf(text, size, "%s%s%s", f->name, says ? "" : " of ", says ? "" : f->pmu);
}

void finding_is(struct finding *f, enum verdict verdict, const char *why, ...)
{
    va_list args;

    f->verdict = verdict;
    va_start(args, why);
    vsnprintf(f->why, sizeof(f->why), why, args);
    va_end(args);
}

void finding_count(struct finding *f, uint64_t counted, uint64_t known)
{
    f->has_count = true;
    f->counted = counted;
    f->known = known;
}

bool finding_is_busy(struct finding *f, struct reading r)
{
    if (r.running != 0 && r.running >= r.enabled) {
        return false;
    }
    f->has_count = false;
    f->never = false;
    f->clock_ghz = 0;
    /* If the kernel starts half of a group before it finds no counter for the rest, that is some
     * time. */
    finding_is(f, BUSY, "%s",
               r.running <= r.enabled / 100
                   ? "it never had a counter: there is none, or another program has it"
                   : "it did not always have a counter: a watchdog or another program has it");
    return true;
}

void finding_refused(struct finding *f, int error)
{
    f->error = error;
    if (error == EACCES || error == EPERM) {
        finding_is(f, DENIED, "sysctl kernel.perf_event_paranoid, or CAP_PERFMON");
    } else if (error == EBUSY || error == ENOSPC) {
        finding_is(f, BUSY, "%s", strerror(error));
    } else {
        finding_is(f, ABSENT, "%s", error == ENOENT || error == EOPNOTSUPP ? "" : strerror(error));
    }
}

unsigned finding_total(enum verdict verdict)
{
    unsigned total = 0;

    for (unsigned i = 0; i < count; i++) {
        total += findings[i].verdict == verdict;
    }
    return total;
}

bool finding_any_error(int error)
{
    for (unsigned i = 0; i < count; i++) {
        if (findings[i].error == error) {
            return true;
        }
    }
    return false;
}

unsigned findings_count(void)
{
    return count;
}

const struct finding *finding_at(unsigned index)
{
    return &findings[index];
}

static void describe_verdict(const struct finding *f, char *text, size_t size)
{
    int64_t off = (int64_t)(f->counted - f->known);

    if (f->verdict != OFF && f->verdict != INTERRUPTS) {
        snprintf(text, size, "%s", verdicts[f->verdict].name);
    } else if (f->known != 0) {
        snprintf(text, size, "off by %+" PRId64 " (%.3g %%)", off,
                 100.0 * (double)llabs(off) / (double)f->known);
    } else {
        snprintf(text, size, "off by %+" PRId64, off);
    }
}

/* Of skid only a known 0 is exact. */
static bool is_wrong(const struct finding *f, bool strict)
{
    switch (f->verdict) {
    case OFF:
    case CONSTANT:
    case ZERO:
        return true;
    case BY_TIME:
    case INTERRUPTS:
    case BUSY:
        return strict;
    case IN_RANGE:
        return strict && f->has_count && f->known == 0;
    default:
        return false;
    }
}

unsigned findings_count_wrong(bool strict)
{
    unsigned wrong = 0;

    for (unsigned i = 0; i < count; i++) {
        wrong += is_wrong(&findings[i], strict);
    }
    return wrong;
}

bool findings_count_nothing(void)
{
    unsigned rows[2] = {0, 0}, idle[2] = {0, 0};

    for (unsigned i = 0; i < count; i++) {
        bool own = strcmp(findings[i].part, "software") == 0;
        enum verdict verdict = findings[i].verdict;

        rows[own]++;
        idle[own] += verdict == ABSENT || verdict == DENIED || verdict == BUSY;
    }
    return rows[false] > 0 ? idle[false] == rows[false] : idle[true] == rows[true];
}

unsigned findings_left_out(void)
{
    return left_out;
}

void findings_name_wrong(bool strict)
{
    const char *between = "vpmu-check: wrong: ";

    for (unsigned i = 0; i < count; i++) {
        if (is_wrong(&findings[i], strict)) {
            char verdict[48], title[128];

            describe_verdict(&findings[i], verdict, sizeof(verdict));
            finding_title(&findings[i], title, sizeof(title));
            fprintf(stderr, "%s%s is %s", between, title, verdict);
            between = "; ";
        }
    }
    if (findings_count_wrong(strict) > 0) {
        fprintf(stderr, "\n");
    }
}

static void print_row(const struct finding *f, bool color)
{
    const char *on = color ? verdicts[f->verdict].color : "";
    char verdict[48];

    describe_verdict(f, verdict, sizeof(verdict));
    printf("%-39s ", f->name);
    if (f->has_count) {
        printf("%12" PRIu64 " %12" PRIu64 "  ", f->counted, f->known);
    } else {
        printf("%12s %12s  ", "", "");
    }
    printf("%s%s%s%s%s\n", on, verdict, *on != '\0' ? "\033[0m" : "", f->why[0] != '\0' ? ": " : "",
           f->why);
    fflush(stdout);
}

/* A heading above the rows of each PMU, if there are several. */
static void print_heading(const struct finding *f, bool color)
{
    static const char *above;

    if (f->pmu != above) {
        printf("\n%s%s%s\n", color ? "\033[1m" : "", f->pmu != NULL ? f->pmu : "whatever the PMU",
               color ? "\033[0m" : "");
        above = f->pmu;
    }
}

void findings_print_new(bool print, bool color)
{
    for (; printed < count; printed++) {
        if (print) {
            print_heading(&findings[printed], color);
            print_row(&findings[printed], color);
        }
    }
}

void findings_print_sum(bool color)
{
    const char *between = "";

    printf("\n");
    for (unsigned v = 0; v < VERDICTS; v++) {
        unsigned total = finding_total((enum verdict)v);

        if (total > 0) {
            printf("%s%s%u %s%s", between, color ? verdicts[v].color : "", total, verdicts[v].sum,
                   color && *verdicts[v].color != '\0' ? "\033[0m" : "");
            between = ", ";
        }
    }
    printf("\n");
}

/* Prints a string in quotes; what is not printable ASCII is left out. */
static void print_string(const char *text)
{
    putchar('"');
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            putchar('\\');
        }
        if (*text >= ' ' && *text < 0x7f) {
            putchar(*text);
        }
    }
    putchar('"');
}

static void print_json_row(const struct finding *f)
{
    printf("  {");
    if (f->pmu != NULL) {
        printf("\"pmu\": ");
        print_string(f->pmu);
        printf(", ");
    }
    printf("\"part\": \"%s\", \"name\": ", f->part);
    print_string(f->name);
    printf(", \"verdict\": \"%s\"", f->verdict == INTERRUPTS ? "interrupts"
                                    : f->verdict == OFF      ? "off"
                                                             : verdicts[f->verdict].name);
    if (f->has_count) {
        printf(", \"counted\": %" PRIu64 ", \"known\": %" PRIu64, f->counted, f->known);
    }
    if (f->why[0] != '\0') {
        printf(", \"note\": ");
        print_string(f->why);
    }
    printf("}");
}

void notes_print(bool color)
{
    static const struct {
        const char *kind;
        const char *title;
    } titles[] = {{"is", "It counts like"},
                  {"fake", "Do not use"},
                  {"zero", "Zero in all loops"},
                  {"unknown", "Cannot be known"},
                  {"do", "To do"}};
    const struct note *notes;
    unsigned n = notes_make(&notes);

    for (size_t t = 0; t < ARRAY_SIZE(titles); t++) {
        for (unsigned i = 0; i < n; i++) {
            if (strcmp(notes[i].kind, titles[t].kind) == 0) {
                printf("%s%s:%s %s\n", color ? "\033[1m" : "", titles[t].title,
                       color ? "\033[0m" : "", notes[i].text);
            }
        }
    }
}

static void print_json_notes(void)
{
    const struct note *notes;
    unsigned n = notes_make(&notes);

    for (unsigned i = 0; i < n; i++) {
        printf("%s\n  {\"kind\": \"%s\", \"text\": ", i > 0 ? "," : "", notes[i].kind);
        print_string(notes[i].text);
        printf("}");
    }
}

void findings_print_json(const char *machine)
{
    printf("{\"pmu\": ");
    print_string(machine);
    printf(", \"rows\": [\n");
    for (unsigned i = 0; i < count; i++) {
        print_json_row(&findings[i]);
        printf("%s\n", i + 1 < count ? "," : "");
    }
    printf("], \"notes\": [");
    print_json_notes();
    printf("\n]}\n");
}
