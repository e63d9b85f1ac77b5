/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * demo [color]: shows what perf says in this guest, beside what the programs are known to do. Each
 * line of perf that has a known count is marked. END says how many were wrong.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "event_kinds.h"
#include "suite.h"

#define STAT_OUTPUT "/tmp/demo.stat"
#define REPORT_OUTPUT "/tmp/demo.report"
#define RECORDING "/tmp/demo.data"

enum {
    MAX_KNOWN = 4,
    PERIOD = 100000,
    RECORDED_LOOP = 10000000
};

struct machine machine;

static bool color;
static unsigned exact, off;

/**
 * struct known - what perf must say about one event
 * @event: its name in perf's output.
 * @count: how often it happens.
 */
struct known {
    const char *event;
    uint64_t count;
};

/* Prints a row: what was counted, and whether it is the known count. */
static void show_row(const char *event, const char *program, uint64_t known, uint64_t got)
{
    const char *on = color ? (known == got ? "\033[32m" : "\033[31m") : "";

    printf("%-24s  %-20s %12" PRIu64 "  %s", event, program, got, on);
    if (known == got) {
        printf("exact");
        exact++;
    } else {
        printf("off by %+" PRId64, (int64_t)(got - known));
        off++;
    }
    printf("%s\n", color ? "\033[0m" : "");
}

/*
 * Reads a line of perf stat, "COUNT EVENT [# ...]", or another line. Returns whether the event has
 * its known count.
 */
static bool show_count(const char *line, const char *program, const struct known *known)
{
    char event[64], *rest;
    uint64_t got = strtoull(line, &rest, 10);

    /* Times have a decimal point after the digits; other lines have no digits. */
    if (rest == line || *rest != ' ' || sscanf(rest, " %63s", event) != 1 ||
        strcmp(known->event, event) != 0) {
        return false;
    }
    show_row(event, program, known->count, got);
    return true;
}

/* Finds what perf says about one event in its output. */
static void show_known(const char *program, const struct known *known)
{
    FILE *file = fopen(STAT_OUTPUT, "re");
    char line[256];
    bool found = false;

    while (file != NULL && !found && fgets(line, sizeof(line), file) != NULL) {
        found = show_count(line, program, known);
    }
    if (file != NULL) {
        fclose(file);
    }
    if (!found) {
        printf("%-24s  %-20s  not counted\n", known->event, program);
        off++;
    }
}

/* Runs perf, which finds our programs without their directory. */
static bool run_perf(const char *output, const char *command)
{
    char line[256], said[200];

    snprintf(line, sizeof(line), "perf %s", command);
    test_begin(command);
    if (!command_run(output, 60, line)) {
        last_line(COMMAND_ERRORS, said, sizeof(said));
        printf("perf failed: %s\n", said);
        off++;
        return false;
    }
    return true;
}

static void show_stat(const char *events, const char *program, const struct known known[MAX_KNOWN])
{
    char command[256];

    snprintf(command, sizeof(command), "stat -o " STAT_OUTPUT " -e %s %s", events, program);
    if (!run_perf(NULL, command)) {
        return;
    }
    for (unsigned i = 0; i < MAX_KNOWN && known[i].event != NULL; i++) {
        show_known(program, &known[i]);
    }
}

/* "SHARE% SAMPLES [.] SYMBOL" of perf report. */
static void show_report_line(const char *line, uint64_t known)
{
    char symbol[128];
    uint64_t samples;

    if (sscanf(line, " %*[0-9.]%% %" SCNu64 " [.] %127s", &samples, symbol) == 2) {
        show_row("samples, every 100000", symbol, known, samples);
    }
}

static void show_record(void)
{
    uint64_t known = known_instructions("loop", RECORDED_LOOP) / PERIOD;
    char command[256], line[256];
    FILE *file;

    snprintf(command, sizeof(command),
             "record -q -N -B --per-thread -T -o " RECORDING " -e instructions:u -c %d loop %d",
             PERIOD, RECORDED_LOOP);
    if (!run_perf(NULL, command) ||
        !run_perf(REPORT_OUTPUT, "report -i " RECORDING " --stdio -q -n -s sym")) {
        return;
    }
    file = fopen(REPORT_OUTPUT, "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        show_report_line(line, known);
    }
    if (file != NULL) {
        fclose(file);
    }
}

static uint64_t kinds_of(const char *program, uint64_t n, unsigned kinds)
{
    uint64_t count = 0;

    known_kinds(program, n, kinds, &count);
    return count;
}

/* Loops, page faults, signals, migrations, threads, samples; events other than instructions. */
static void show_all(void)
{
    show_stat("instructions:u", "loop 20000000",
              (struct known[MAX_KNOWN]){{"instructions:u", known_instructions("loop", 20000000)}});
    show_stat("instructions:u,page-faults:u", "fault 20000",
              (struct known[MAX_KNOWN]){{"instructions:u", known_instructions("fault", 20000)},
                                        {"page-faults:u", 20001}});
    show_stat("instructions:u", "signal 2000",
              (struct known[MAX_KNOWN]){{"instructions:u", known_instructions("signal", 2000)}});
    /* The CPU on which it begins matters for its migrations. */
    keep_to_first_cpu(true);
    show_stat("instructions:u,cpu-migrations", "migrate 1000",
              (struct known[MAX_KNOWN]){{"instructions:u", known_instructions("migrate", 1000)},
                                        {"cpu-migrations", 1000}});
    keep_to_first_cpu(false);
    show_stat(
        "instructions:u", "threads 5000000",
        (struct known[MAX_KNOWN]){{"instructions:u", known_instructions("threads", 5000000)}});
    show_stat("ld_retired:u,st_retired:u,branches:u,unaligned_ldst_retired:u", "kinds 50000",
              (struct known[MAX_KNOWN]){
                  {"ld_retired:u", kinds_of("kinds", 50000, LD)},
                  {"st_retired:u", kinds_of("kinds", 50000, ST)},
                  {"branches:u", kinds_of("kinds", 50000, BR_IMMED | BR_RETURN | BR_INDIRECT)},
                  {"unaligned_ldst_retired:u", kinds_of("kinds", 50000, UNALIGNED)}});
    /* The caches hold none of its lines at first. perf leaves the modifier out of these names. */
    show_stat("L1-dcache-loads:u,L1-dcache-load-misses:u", "stream",
              (struct known[MAX_KNOWN]){{"L1-dcache-loads", kinds_of("stream", 0, LD)},
                                        {"L1-dcache-load-misses", kinds_of("stream", 0, LD)}});
    show_record();
}

int main(int argc, char **argv)
{
    color = argc > 1 && strcmp(argv[1], "color") == 0;
    setenv("PATH", PROGRAMS ":/usr/bin", 1);
    printf("BEGIN\n%-24s  %-20s %12s\n", "what perf counts", "of this program", "count");
    show_all();
    printf("END passed=%u failed=%u skipped=0\n", exact, off);
    fflush(stdout);
    return off != 0;
}
