/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sends commands to a machine. Its responses are not trusted, so all of them are checked. */
#include "machine/machine.h"

#include <stdlib.h>
#include <string.h>

#include "base/format.h"
#include "machine/suggest.h"

#define MAX_CPUS 65536u
#define X86_WIDTH 48
/* The UUID of a machine that was started without one. */
#define NO_UUID "00000000-0000-0000-0000-000000000000"

static int read_flags(struct response a, struct counter *c)
{
    return response_bool(a, "enabled", &c->enabled) || response_bool(a, "counting", &c->counting) ||
                   response_bool(a, "overflow", &c->overflow) ||
                   response_bool(a, "interrupt", &c->interrupt)
               ? -1
               : 0;
}

static int read_counter(struct response a, struct counter *c)
{
    uint64_t index;

    if (response_u64(a, "index", MACHINE_MAX_COUNTERS - 1, &index) ||
        response_u64(a, "event", UINT64_MAX, &c->event) ||
        response_u64(a, "type", UINT64_MAX, &c->type) ||
        response_u64(a, "value", UINT64_MAX, &c->value) || read_flags(a, c)) {
        return -1;
    }
    c->index = (unsigned)index;
    return response_has(a, "name") ? response_string(a, "name", &c->name) : 0;
}

static int read_counters(struct response a, struct pmu *p)
{
    struct response list;
    size_t n;

    if (response_list(a, "counters", &list, &n)) {
        return -1;
    }
    if (n > MACHINE_MAX_COUNTERS) {
        return error_set(a.t, ERROR_TALK, "%s: a PMU with %zu counters; at most %u are possible",
                         a.what, n, MACHINE_MAX_COUNTERS);
    }
    for (p->n = 0; p->n < n; p->n++) {
        if (read_counter(response_item(list, p->n), &p->counters[p->n])) {
            return -1;
        }
    }
    return 0;
}

static bool is_x86(const struct pmu *p)
{
    return strncmp(p->version, "intel-", 6) == 0 || strncmp(p->version, "amd-", 4) == 0;
}

/* Arm's event counters have 64 bits from PMUv3p5 on. QEMU's x86 counters have 48. */
static unsigned width_of(const struct pmu *p, unsigned index)
{
    static const char *const narrow[] = {"v1", "v2", "v3", "p1", "p4"};

    if (is_x86(p)) {
        return X86_WIDTH;
    }
    for (size_t i = 0; index < MACHINE_CYCLE_COUNTER && i < sizeof(narrow) / sizeof(*narrow); i++) {
        if (strcmp(p->version, narrow[i]) == 0) {
            return 32;
        }
    }
    return 64;
}

static int read_pmu(struct response a, struct pmu *p)
{
    uint64_t cpu;
    uint64_t event_counters;

    if (response_u64(a, "cpu-index", MAX_CPUS - 1, &cpu) ||
        response_string(a, "qom-path", &p->path) || response_string(a, "version", &p->version) ||
        response_u64(a, "event-counters", MACHINE_CYCLE_COUNTER, &event_counters) ||
        response_bool(a, "meter", &p->meter) ||
        response_u64(a, "observers", UINT64_MAX, &p->observers) || read_counters(a, p)) {
        return -1;
    }
    p->cpu = (unsigned)cpu;
    p->event_counters = (unsigned)event_counters;
    for (size_t i = 0; i < p->n; i++) {
        p->counters[i].x86 = is_x86(p);
        p->counters[i].width = width_of(p, p->counters[i].index);
    }
    return response_has(a, "runs") ? response_string(a, "runs", &p->runs) : 0;
}

static int read_pmus(struct response a, struct pmus *pmus)
{
    size_t n;

    if (response_length(a, &n)) {
        return -1;
    }
    if (n == 0) {
        return error_set(a.t, ERROR_NO_VPMU, "the machine has no emulated PMU");
    }
    if (n > MAX_CPUS) {
        return error_set(a.t, ERROR_TALK, "%s: %zu vCPUs, but at most %d are supported", a.what, n,
                         (int)MAX_CPUS);
    }
    pmus->pmu = calloc(n, sizeof(*pmus->pmu));
    if (!pmus->pmu) {
        return error_memory(a.t);
    }
    for (pmus->n = 0; pmus->n < n; pmus->n++) {
        if (read_pmu(response_item(a, pmus->n), &pmus->pmu[pmus->n])) {
            return -1;
        }
    }
    return 0;
}

int machine_pmus(struct qmp *q, struct pmus *pmus, struct error *t)
{
    *pmus = (struct pmus){0};
    if (qmp_call(q, "query-vpmu", NULL, &pmus->answer, t)) {
        return -1;
    }
    if (read_pmus((struct response){pmus->answer, "query-vpmu", t}, pmus)) {
        pmus_free(pmus);
        return -1;
    }
    return 0;
}

static int read_vcpu(struct response a, struct pmu *p)
{
    uint64_t cpu;

    if (response_u64(a, "cpu-index", MAX_CPUS - 1, &cpu) ||
        response_string(a, "qom-path", &p->path)) {
        return -1;
    }
    p->cpu = (unsigned)cpu;
    return 0;
}

static int read_vcpus(struct response a, struct pmus *pmus)
{
    size_t n;

    if (response_length(a, &n)) {
        return -1;
    }
    if (n == 0 || n > MAX_CPUS) {
        return error_set(a.t, ERROR_TALK, "%s: %zu vCPUs", a.what, n);
    }
    pmus->pmu = calloc(n, sizeof(*pmus->pmu));
    if (!pmus->pmu) {
        return error_memory(a.t);
    }
    for (pmus->n = 0; pmus->n < n; pmus->n++) {
        if (read_vcpu(response_item(a, pmus->n), &pmus->pmu[pmus->n])) {
            return -1;
        }
    }
    return 0;
}

int machine_vcpus(struct qmp *q, struct pmus *pmus, struct error *t)
{
    *pmus = (struct pmus){0};
    if (qmp_call(q, "query-cpus-fast", NULL, &pmus->answer, t)) {
        return -1;
    }
    if (read_vcpus((struct response){pmus->answer, "query-cpus-fast", t}, pmus)) {
        pmus_free(pmus);
        return -1;
    }
    return 0;
}

bool pmus_of_x86(const struct pmus *pmus)
{
    return pmus->n > 0 && is_x86(&pmus->pmu[0]);
}

void pmus_free(struct pmus *pmus)
{
    free(pmus->pmu);
    json_object_put(pmus->answer);
    *pmus = (struct pmus){0};
}

/*
 * Execute a command, and copy the string @member of its result to *@value. If there is no such
 * member, or it is empty, *@value is NULL.
 */
static int ask_string(struct qmp *q, const char *command, const char *member, char **value,
                      struct error *t)
{
    struct json_object *result;
    struct response a = {.what = command, .t = t};
    const char *text = "";
    int err;

    *value = NULL;
    if (qmp_call(q, command, NULL, &result, t)) {
        return -1;
    }
    a.o = result;
    err = response_has(a, member) ? response_string(a, member, &text) : 0;
    if (!err && *text) {
        *value = strdup(text);
        err = *value ? 0 : error_memory(t);
    }
    json_object_put(result);
    return err;
}

/* Metrics and rows repeat the name, so a long one is cut, at a character's end. */
static void limit_name(char *name)
{
    size_t n = strnlen(name, MACHINE_NAME_MAX + 1);

    if (n > MACHINE_NAME_MAX) {
        n = MACHINE_NAME_MAX;
        while (n > 0 && ((unsigned char)name[n] & 0xc0) == 0x80) {
            n--;
        }
        name[n] = '\0';
    }
}

int machine_name(struct qmp *q, const char *path, char **name, struct error *t)
{
    const char *slash = strrchr(path, '/');

    if (ask_string(q, "query-name", "name", name, t)) {
        return -1;
    }
    if (!*name && ask_string(q, "query-uuid", "UUID", name, t)) {
        return -1;
    }
    if (*name && strcmp(*name, NO_UUID) == 0) {
        free(*name);
        *name = NULL;
    }
    if (*name) {
        limit_name(*name);
    } else {
        *name = strdup(slash ? slash + 1 : path);
    }
    if (!*name) {
        return error_memory(t);
    }
    format_tame(*name);
    return 0;
}

int machine_accelerator(struct qmp *q, const char **name, struct error *t)
{
    struct json_object *result;
    bool enabled = false;
    int err;

    if (qmp_call(q, "query-kvm", NULL, &result, t)) {
        return -1;
    }
    err = response_bool((struct response){result, "query-kvm", t}, "enabled", &enabled);
    json_object_put(result);
    *name = enabled ? "kvm" : "tcg";
    return err;
}

static int tell(struct qmp *q, const char *command, struct json_object *arguments, struct error *t)
{
    return arguments ? qmp_call(q, command, arguments, NULL, t) : error_memory(t);
}

int machine_meter(struct qmp *q, bool enable, struct error *t)
{
    struct json_object *arguments = json_object_new_object();

    json_object_object_add(arguments, "enable", json_object_new_boolean(enable));
    return tell(q, "vpmu-meter", arguments, t);
}

int machine_observe(struct qmp *q, const char *event, const char *name, int gate, struct error *t)
{
    struct json_object *arguments = json_object_new_object();

    json_object_object_add(arguments, "event", json_object_new_string(event));
    json_object_object_add(arguments, "name", json_object_new_string(name));
    if (gate != MACHINE_UNGATED) {
        json_object_object_add(arguments, "while-counter", json_object_new_int(gate));
    }
    if (tell(q, "vpmu-observe", arguments, t)) {
        t->code =
            t->code == ERROR_TALK && strstr(t->text, "cannot observe") ? ERROR_USAGE : t->code;
        suggest_event(q, t);
        return -1;
    }
    return 0;
}

int machine_unobserve(struct qmp *q, const char *name, struct error *t)
{
    struct json_object *arguments = json_object_new_object();

    json_object_object_add(arguments, "name", json_object_new_string(name));
    return tell(q, "vpmu-unobserve", arguments, t);
}

/* Make the arguments {"target": "vcpu", "providers": [{"provider": @from, "names": [...]}]}. */
static struct json_object *make_query(const char *from, const char *const *names, size_t n)
{
    struct json_object *query = json_object_new_object();
    struct json_object *providers = json_object_new_array();
    struct json_object *provider = json_object_new_object();
    struct json_object *list = json_object_new_array();

    for (size_t i = 0; i < n; i++) {
        json_object_array_add(list, json_object_new_string(names[i]));
    }
    json_object_object_add(provider, "provider", json_object_new_string(from));
    json_object_object_add(provider, "names", list);
    json_object_array_add(providers, provider);
    json_object_object_add(query, "target", json_object_new_string("vcpu"));
    json_object_object_add(query, "providers", providers);
    return query;
}

struct visit {
    const struct pmus *pmus;
    const char *const *names;
    size_t n;
    machine_stat_fn *fn;
    void *opaque;
};

/*
 * Find the index of a name; v->n if it is not there. The search starts at @guess: values mostly
 * come in the order of the names, so the index after the last one found is a good guess.
 */
static size_t find_name(const struct visit *v, const char *name, size_t guess)
{
    for (size_t i = 0; i < v->n; i++) {
        size_t at = (guess + i) % v->n;

        if (strcmp(v->names[at], name) == 0) {
            return at;
        }
    }
    return v->n;
}

static size_t find_cpu(const struct visit *v, const char *path, size_t guess)
{
    for (size_t i = 0; i < v->pmus->n; i++) {
        size_t at = (guess + i) % v->pmus->n;

        if (strcmp(v->pmus->pmu[at].path, path) == 0) {
            return at;
        }
    }
    return v->pmus->n;
}

static int visit_cpu(const struct visit *v, struct response result, size_t guess)
{
    struct response list;
    const char *path;
    size_t cpu;
    size_t name = 0;
    size_t n;

    if (response_string(result, "qom-path", &path) || response_list(result, "stats", &list, &n)) {
        return -1;
    }
    cpu = find_cpu(v, path, guess);
    for (size_t i = 0; cpu < v->pmus->n && i < n; i++) {
        struct response stat = response_item(list, i);
        const char *text;

        if (response_string(stat, "name", &text)) {
            return -1;
        }
        name = find_name(v, text, name);
        if (name < v->n && v->fn(v->opaque, cpu, name, stat)) {
            return -1;
        }
        name++;
    }
    return 0;
}

int machine_stats(struct qmp *q, const struct pmus *pmus, const char *const *names, size_t n,
                  machine_stat_fn *fn, void *opaque, struct error *t)
{
    return machine_stats_of(q, pmus, "vpmu", names, n, fn, opaque, t);
}

int machine_stats_of(struct qmp *q, const struct pmus *pmus, const char *provider,
                     const char *const *names, size_t n, machine_stat_fn *fn, void *opaque,
                     struct error *t)
{
    const struct visit v = {pmus, names, n, fn, opaque};
    struct response a = {.what = "query-stats", .t = t};
    struct json_object *result;
    size_t cpus;
    int err;

    if (qmp_call(q, "query-stats", make_query(provider, names, n), &result, t)) {
        return -1;
    }
    a.o = result;
    err = response_length(a, &cpus);
    for (size_t i = 0; !err && i < cpus; i++) {
        err = visit_cpu(&v, response_item(a, i), i);
    }
    json_object_put(result);
    return err;
}
