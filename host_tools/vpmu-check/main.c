/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "pmus.h"
#include "vpmu/version.h"

enum {
    OPTION_JSON = 256,
    OPTION_COLOR,
    OPTION_ONLY,
    OPTION_STRICT,
    TURNS = 20000,
    MIN_TURNS = 1000,
    MAX_TURNS = 10000000
};

const char *argp_program_version = "vpmu-check " VPMU_VERSION;

static const struct {
    const char *name;
    void (*run)(const struct check *check);
    bool of_kernel; /* whatever the PMU */
} parts[] = {
    {"events", check_events, false},    {"kernel", check_kernel, false},
    {"tasks", check_tasks, false},      {"scope", check_scope, false},
    {"groups", check_groups, false},    {"samples", check_samples, false},
    {"user", check_user_read, false},   {"records", check_records, false},
    {"software", check_software, true},
};

static const char doc[] =
    "Says which events of this computer's PMU can be trusted: hardware, a cloud's VM, a guest, an "
    "emulator. Counts loops whose counts are known, and prints a row for each event.\v"
    "Verdicts:\n"
    "  exact              each loop has its known count\n"
    "  in range           no exact count is known; it is where it must be\n"
    "  off by N (P %)     a wrong count. Up to a few for each interrupt are usual in hardware\n"
    "  depends on time    it counts time, or varies with it\n"
    "  constant, zero     it looks supported, and counts nothing\n"
    "  counts             what is right is not known\n"
    "  busy               its counter is in use, such as by a watchdog\n"
    "  not there          the kernel refuses it\n"
    "  not permitted      sysctl kernel.perf_event_paranoid or a capability prevents it\n"
    "\n"
    "Exit status: 0 if no row is wrong, 1 if one is off, constant or zero, 2 for a wrong option, 3 "
    "if nothing of a PMU can be counted, or the output cannot be written.";

static const struct argp_option options[] = {
    {"color", OPTION_COLOR, "auto|always|never", 0, "Colours; auto: if the output is a terminal",
     0},
    {"json", OPTION_JSON, NULL, 0, "Print JSON", 0},
    {"only", OPTION_ONLY, "PART,...", 0,
     "Check these parts: events, kernel, tasks, scope, groups, samples, user, records, software",
     0},
    {"strict", OPTION_STRICT, NULL, 0,
     "Also fail if a row depends on time, is busy or is off by what interrupts may add, or samples "
     "have skid; take the worst of three runs: for emulators",
     0},
    {"turns", 'n', "N", 0, "Turns of a loop; 20000 without it", 0},
    {"verbose", 'v', NULL, 0, "Print the loops and what they are known to do; not with --json", 0},
    {0},
};

static struct {
    bool json;
    bool strict;
    bool verbose;
    char color;
    const char *only;
    unsigned long turns;
} chosen = {.color = 'a', .turns = TURNS};

static bool is_part(const char *name, size_t length)
{
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        if (strlen(parts[i].name) == length && strncmp(parts[i].name, name, length) == 0) {
            return true;
        }
    }
    return false;
}

static void check_only(struct argp_state *state, const char *only)
{
    do {
        size_t length = strcspn(only, ",");

        if (!is_part(only, length)) {
            argp_error(state, "there is no part %.*s; see --only in --help", (int)length, only);
        }
        only += length;
    } while (*only++ == ',');
}

static void set_color(struct argp_state *state, const char *when)
{
    static const char *const words[] = {"auto", "yes", "always", "never", "no"};

    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        if (strcmp(when, words[i]) == 0) {
            chosen.color = "ayynn"[i];
            return;
        }
    }
    argp_error(state, "--color is %s; it can be auto, always or never", when);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    char *end;

    switch (key) {
    case OPTION_COLOR:
        set_color(state, arg);
        return 0;
    case OPTION_JSON:
        chosen.json = true;
        return 0;
    case OPTION_ONLY:
        check_only(state, arg);
        chosen.only = arg;
        return 0;
    case OPTION_STRICT:
        chosen.strict = true;
        return 0;
    case 'n':
        chosen.turns = strtoul(arg, &end, 10);
        if (*end != '\0' || chosen.turns < MIN_TURNS || chosen.turns > MAX_TURNS) {
            argp_error(state, "--turns is %s; it can be %d to %d", arg, MIN_TURNS, MAX_TURNS);
        }
        return 0;
    case 'v':
        chosen.verbose = true;
        return 0;
    case ARGP_KEY_END:
        if (chosen.verbose && chosen.json) {
            argp_error(state, "--verbose prints text, and --json is for programs: take one");
        }
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static bool wants(const char *part)
{
    const char *only = chosen.only;

    while (only != NULL) {
        size_t length = strcspn(only, ",");

        if (strlen(part) == length && strncmp(part, only, length) == 0) {
            return true;
        }
        only = only[length] == ',' ? only + length + 1 : NULL;
    }
    return chosen.only == NULL;
}

static void print_loops(void)
{
    static const char *const names[QUANTITIES] = {[Q_INSTRUCTIONS] = "instructions",
                                                  [Q_BRANCHES] = "branches",
                                                  [Q_TAKEN] = "taken",
                                                  [Q_DIRECT] = "direct",
                                                  [Q_RETURNS] = "returns",
                                                  [Q_LOADS] = "loads",
                                                  [Q_STORES] = "stores",
                                                  [Q_ACCESSES] = "accesses"};

    for (unsigned i = 0; i < LOOPS; i++) {
        printf("loop %s; a turn has", loops[i].name);
        for (unsigned q = 0; q < QUANTITIES; q++) {
            if (loops[i].per_turn[q] != NOT_KNOWN) {
                printf(" %d %s%s", loops[i].per_turn[q], names[q], q + 1 < QUANTITIES ? "," : "");
            }
        }
        printf("\n%s\n", loops[i].text);
    }
}

/* Also after --help, which ends the program in argp_parse(). */
static void check_written(void)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "vpmu-check: cannot write all of the standard output\n");
        _exit(3);
    }
}

static int exit_status(void)
{
    if (findings_left_out() > 0) {
        fprintf(stderr, "vpmu-check: %u rows are left out: too many events; try --only\n",
                findings_left_out());
        return 3;
    }
    if (findings_count_wrong(chosen.strict) != 0) {
        return 1;
    }
    return findings_count_nothing() ? 3 : 0;
}

static void run_parts(const struct check *check, bool of_kernel, bool color)
{
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        if (parts[i].of_kernel == of_kernel && wants(parts[i].name)) {
            parts[i].run(check);
            findings_print_new(!chosen.json, color);
        }
    }
}

static void run_on(const struct check *check, const struct pmu *pmu, bool only, bool color)
{
    if (pmus_take(pmu, only)) {
        run_parts(check, false, color);
    } else {
        char cpus[80] = "";

        pmus_cpus(pmu->name, cpus, sizeof(cpus));
        finding_is(finding_add("events", pmu->name), ABSENT, "this program may not use CPUs %s",
                   cpus);
    }
    pmus_leave();
}

static void run_all(const struct check *check, bool color)
{
    const struct pmu *pmus;
    unsigned count = pmus_all(&pmus);

    if (count == 0) {
        run_parts(check, false, color);
    }
    for (unsigned i = 0; i < count; i++) {
        findings_of(count > 1 ? pmus[i].name : NULL);
        run_on(check, &pmus[i], count == 1, color);
    }
    findings_of(NULL);
    run_parts(check, true, color);
}

int main(int argc, char **argv)
{
    static const struct argp argp = {options, parse, NULL, doc, NULL, NULL, NULL};
    struct check check = {.turns = 0};
    bool color;

    argp_err_exit_status = 2;
    atexit(check_written);
    argp_parse(&argp, argc, argv, 0, NULL, NULL);
    color = chosen.color == 'a' ? isatty(STDOUT_FILENO) != 0 : chosen.color == 'y';
    check.turns = chosen.turns;
    check.strict = chosen.strict;
    if (!arena_make(&check.arena, check.turns)) {
        fprintf(stderr, "vpmu-check: out of memory; try fewer --turns\n");
        return 3;
    }
    if (!chosen.json) {
        printf("%s\n\n%-39s %12s %12s\n", machine_describe(), "event", "counted", "known");
    }
    if (chosen.verbose) {
        print_loops();
    }
    run_all(&check, color);
    if (chosen.json) {
        findings_print_json(machine_describe());
    } else {
        findings_print_sum(color);
        notes_print(color);
    }
    findings_name_wrong(chosen.strict);
    return exit_status();
}
