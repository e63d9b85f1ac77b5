/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options of all commands, and the search for machines. */
#include "session/options.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "qmp/libvirt.h"
#include "base/number.h"

#define PATIENCE_MS 10000
#define DAY_MS 86400000

enum {
    KEY_CONNECT = 0x100,
    KEY_QMP,
    KEY_COLOR,
    KEY_PATIENCE,
};

const struct options options_default = {.separator = ",", .patience = PATIENCE_MS};

static const struct argp_option table[] = {
    {0, 0, 0, 0, "Which machine:", 10},
    {"connect", KEY_CONNECT, "URI", 0, "Find machines in this libvirt, as qemu:///system", 0},
    {"qmp", KEY_QMP, "SOCKET", 0, "Use the machine with this QMP socket", 0},
    {"patience", KEY_PATIENCE, "MS", 0,
     "Wait up to MS milliseconds for each response (10000; top 2000, exporter 5000)", 0},
    {0, 0, 0, 0, "Output:", 11},
    {"json", 'j', 0, 0, "Print one JSON object per line; vpmu-stats(1) lists the members", 0},
    {"json-output", 'j', 0, OPTION_ALIAS, 0, 0},
    {"field-separator", 'x', "SEP", 0, "Print only values, separated by SEP", 0},
    {"output", 'o', "FILE", 0, "Write the output to FILE", 0},
    {"color", KEY_COLOR, "WHEN", 0, "Colors: always, never, or auto (in a terminal)", 0},
    {0},
};

int options_ms(struct argp_state *state, const char *text, int min)
{
    long ms = min;

    if (!number_parse(text, min, DAY_MS, &ms)) {
        argp_error(state, "'%s' is not a number of milliseconds, %d to %d", text, min, DAY_MS);
    }
    return (int)ms;
}

static void add_argument(struct options *o, const char *text, bool is_socket,
                         struct argp_state *state)
{
    if (o->n == OPTIONS_MAX_ARGUMENTS) {
        argp_error(state, "at most %u machines can be given", OPTIONS_MAX_ARGUMENTS);
        return;
    }
    o->arguments[o->n].text = text;
    o->arguments[o->n].is_socket = is_socket;
    o->n++;
}

static enum out_color take_color(struct argp_state *state, const char *text)
{
    static const char *const names[] = {
        [OUT_COLOR_AUTO] = "auto",
        [OUT_COLOR_ALWAYS] = "always",
        [OUT_COLOR_NEVER] = "never",
    };

    for (int i = 0; i < 3; i++) {
        if (strcmp(text, names[i]) == 0) {
            return (enum out_color)i;
        }
    }
    argp_error(state, "--color: '%s' is not one of auto, always, never", text);
    return OUT_COLOR_AUTO;
}

error_t options_take_kind(int key, const char *arg, struct argp_state *state, enum out_kind *kind,
                          const char **separator)
{
    enum out_kind wanted = key == 'j' ? OUT_JSON : OUT_CSV;

    if (key != 'j' && key != 'x') {
        return ARGP_ERR_UNKNOWN;
    }
    if (*kind != OUT_TEXT && *kind != wanted) {
        argp_error(state, "-j and -x exclude each other");
    }
    *kind = wanted;
    if (key == 'x') {
        *separator = *arg ? arg : ",";
    }
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct options *o = state->input;

    switch (key) {
    case KEY_QMP:
    case ARGP_KEY_ARG:
        add_argument(o, arg, key == KEY_QMP, state);
        return 0;
    case KEY_CONNECT:
        o->uri = arg;
        return 0;
    case KEY_PATIENCE:
        o->patience = options_ms(state, arg, 1);
        return 0;
    case KEY_COLOR:
        o->color = take_color(state, arg);
        return 0;
    case 'o':
        o->output = arg;
        return 0;
    default:
        return options_take_kind(key, arg, state, &o->kind, &o->separator);
    }
}

const struct argp options_argp = {table, parse, 0, 0, 0, 0, 0};

static bool is_socket(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISSOCK(st.st_mode);
}

/* Without --connect, a libvirt that does not run is not an error. */
static int list_domains(const struct options *o, int stop_fd, struct domains *d, struct error *t)
{
    if (libvirt_list(o->uri, stop_fd, o->patience, d, t) == 0) {
        return 0;
    }
    if (!o->uri && t->code == ERROR_NO_MACHINE) {
        *t = (struct error){0};
        return 0;
    }
    return -1;
}

static int find_domain(struct target *target, const struct domains *d, struct error *t)
{
    const struct domain *domain = domains_find(d, target->name);
    const char *what = domain ? NULL : qmp_socket_instead(target->name);

    if (!*target->name) {
        return error_set(t, ERROR_USAGE, "the name of a machine is empty");
    }
    if (what) {
        return error_set(t, ERROR_NO_MACHINE, "%s is %s, not a socket", target->name, what);
    }
    if (!domain) {
        return d->uri ? error_set(t, ERROR_NO_MACHINE, "%s: neither a socket nor a domain of %s",
                                  target->name, d->uri)
                      : error_set(t, ERROR_NO_MACHINE,
                                  "%s: no such socket, and libvirt is not running", target->name);
    }
    if (domain->id < 0) {
        return error_set(t, ERROR_NO_MACHINE, "%s: the domain is not running", domain->name);
    }
    return target_set(target, domain->name, d->uri, domain->uuid, t);
}

/* Tests whether an argument must be the path of a socket. With --connect it is a domain. */
static bool is_path(const struct options *o, size_t i)
{
    const char *text = o->arguments[i].text;

    return o->arguments[i].is_socket || (!o->uri && (strchr(text, '/') || is_socket(text)));
}

int options_named(const struct options *o, struct targets *named, struct error *t)
{
    for (named->n = 0; named->n < o->n; named->n++) {
        struct target *target = &named->target[named->n];

        *target = (struct target){.named = true, .missing = true};
        if (target_set(target, o->arguments[named->n].text, NULL, NULL, t)) {
            return -1;
        }
    }
    return 0;
}

/* libvirt is asked once, so that all machines together take no longer than one. */
void options_find(const struct options *o, int stop_fd, struct targets *named, struct error *why)
{
    struct domains domains = {0};
    struct error listing = {0};
    bool listed = false;

    for (size_t i = 0; i < named->n; i++) {
        struct target *target = &named->target[i];

        why[i] = (struct error){0};
        if (!target->missing) {
            continue;
        }
        if (!is_path(o, i)) {
            if (!listed) {
                list_domains(o, stop_fd, &domains, &listing);
                listed = true;
            }
            why[i] = listing;
        }
        target->missing =
            why[i].code != ERROR_NONE || (!is_path(o, i) && find_domain(target, &domains, &why[i]));
    }
    domains_free(&domains);
}

static int add_given(struct targets *targets, const struct options *o, int stop_fd, struct error *t)
{
    struct error why[OPTIONS_MAX_ARGUMENTS];
    struct targets named;
    int err = options_named(o, &named, t);

    if (!err) {
        options_find(o, stop_fd, &named, why);
    }
    for (size_t i = 0; !err && i < named.n; i++) {
        const struct target *target = &named.target[i];

        if (target->missing) {
            *t = why[i];
            err = -1;
        } else {
            err = targets_add(targets, target->name, target->uri, target->uuid, true, t);
        }
    }
    targets_free(&named);
    return err;
}

/* Adds all domains that may have a virtual PMU; domains of x86 only with @x86. */
static int add_running(struct targets *targets, const struct options *o, int stop_fd, bool x86,
                       struct error *t)
{
    struct domains domains = {0};
    int err = list_domains(o, stop_fd, &domains, t);

    for (size_t i = 0; !err && i < domains.n; i++) {
        const struct domain *d = &domains.domain[i];

        if (d->id >= 0 && (d->arch == DOMAIN_ARM || (x86 && d->arch == DOMAIN_X86))) {
            err = targets_add(targets, d->name, domains.uri, d->uuid, false, t);
        }
    }
    domains_free(&domains);
    return err;
}

/* Adds @directory/@name if it is a socket. */
static int add_if_socket(struct targets *targets, const char *directory, const char *name,
                         struct error *t)
{
    char *path;
    int err = 0;

    if (asprintf(&path, "%s/%s", directory, name) < 0) {
        return error_memory(t);
    }
    if (is_socket(path)) {
        err = targets_add(targets, path, NULL, NULL, false, t);
    }
    free(path);
    return err;
}

static int add_directory(struct targets *targets, const char *directory, struct error *t)
{
    struct dirent **entries;
    int n = scandir(directory, &entries, NULL, alphasort);
    int err = 0;

    for (int i = 0; i < n; i++) {
        err = err ? err : add_if_socket(targets, directory, entries[i]->d_name, t);
        free(entries[i]);
    }
    if (n >= 0) {
        free(entries);
    }
    return err;
}

static int add_usual(struct targets *targets, struct error *t)
{
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    char *directory;
    int err;

    if (!runtime || !*runtime) {
        return 0;
    }
    if (asprintf(&directory, "%s/vpmu", runtime) < 0) {
        return error_memory(t);
    }
    err = add_directory(targets, directory, t);
    free(directory);
    return err;
}

static int say_none(const struct options *o, struct error *t)
{
    if (o->uri) {
        return error_set(t, ERROR_NO_MACHINE, "no machine is running at %s", o->uri);
    }
    return error_set(t, ERROR_NO_MACHINE,
                     "no machine found: none was given as an argument or in VPMU_QMP, libvirt runs "
                     "no domain, and $XDG_RUNTIME_DIR/vpmu has no socket");
}

static int find_targets(const struct options *o, int stop_fd, bool x86, struct targets *targets,
                        struct error *t)
{
    const char *given = o->uri ? NULL : getenv("VPMU_QMP");

    targets->n = 0;
    targets->full = false;
    if (o->n > 0) {
        return add_given(targets, o, stop_fd, t);
    }
    if (given && *given) {
        return targets_add(targets, given, NULL, NULL, true, t);
    }
    if (add_running(targets, o, stop_fd, x86, t) || (!o->uri && add_usual(targets, t))) {
        return -1;
    }
    return targets->n > 0 ? 0 : say_none(o, t);
}

int options_targets(const struct options *o, int stop_fd, struct targets *targets, struct error *t)
{
    return find_targets(o, stop_fd, true, targets, t);
}

/* Most x86 domains have no virtual PMU, so they are used only if nothing else is found. */
static int find_one(const struct options *o, int stop_fd, struct targets *targets, struct error *t)
{
    if (find_targets(o, stop_fd, false, targets, t) == 0) {
        return 0;
    }
    if (t->code != ERROR_NO_MACHINE || o->n > 0) {
        return -1;
    }
    targets_free(targets);
    *t = (struct error){0};
    return find_targets(o, stop_fd, true, targets, t);
}

int options_target(const struct options *o, int stop_fd, struct targets *targets, struct error *t)
{
    if (find_one(o, stop_fd, targets, t)) {
        return -1;
    }
    if (targets->n > 1) {
        return error_set(t, ERROR_USAGE, "this command takes one machine; found %s and %s%s",
                         targets->target[0].name, targets->target[1].name,
                         targets->n > 2 ? ", ..." : "");
    }
    return 0;
}
