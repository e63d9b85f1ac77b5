/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats list: lists machines with a virtual PMU. */
#include <string.h>

#include "cli/builtin.h"
#include "kvm_glue/design.h"
#include "machine/decode.h"
#include "base/format.h"
#include "session/measure-options.h"
#include "session/session.h"

#define ONCE "each machine is looked at once; vpmu-stats top does so again and again"

static const struct measure_command command = {
    .arguments = "[MACHINE...]",
    .doc = "Lists machines with a virtual PMU, one per line: the given ones, or that of VPMU_QMP, "
           "or all domains of libvirt and all sockets in $XDG_RUNTIME_DIR/vpmu.\v"
           "If a machine cannot be listed, the reason is printed on standard error. The exit "
           "status is that of the first such machine.",
    .instead =
        {
            [MEASURE_EVENT] = "list does not count events: use vpmu-stats stat -e",
            [MEASURE_INTERVAL] = ONCE,
            [MEASURE_COUNT] = ONCE,
            [MEASURE_TIMEOUT] = ONCE "; --patience limits the time of each response",
            [MEASURE_PER_VCPU] = "list prints one line per machine: use vpmu-stats guest or "
                                 "vpmu-stats top -A for vCPUs",
            [MEASURE_WHILE_COUNTER] =
                "list does not count events: use vpmu-stats stat --while-counter",
        },
};

/*
 * Returns the mode of the kernel, or NULL if it is unknown. It is known if there is a vCPU that is
 * observed and does not run a guest.
 */
static const char *host_mode(const struct pmus *pmus)
{
    static const struct {
        const char *runs;
        const char *mode;
    } modes[] = {{"host-el1", "nvhe"}, {"host-el2", "vhe"}};

    for (size_t i = 0; i < pmus->n; i++) {
        for (size_t m = 0; pmus->pmu[i].runs && m < 2; m++) {
            if (strcmp(pmus->pmu[i].runs, modes[m].runs) == 0) {
                return modes[m].mode;
            }
        }
    }
    return NULL;
}

static bool is_in(struct json_object *list, const char *text)
{
    for (size_t i = 0; i < json_object_array_length(list); i++) {
        if (strcmp(json_object_get_string(json_object_array_get_idx(list, i)), text) == 0) {
            return true;
        }
    }
    return false;
}

#define MAX_EVENTS 64

/* Lists the events of all enabled counters, each event once. */
static struct json_object *armed_events(const struct pmus *pmus)
{
    struct json_object *list = json_object_new_array();
    char buf[DECODE_SIZE];

    for (size_t i = 0; i < pmus->n; i++) {
        const struct pmu *p = &pmus->pmu[i];

        for (size_t n = 0; n < p->n; n++) {
            const char *event = decode_event(buf, &p->counters[n]);

            if (p->counters[n].enabled && json_object_array_length(list) < MAX_EVENTS &&
                !is_in(list, event)) {
                json_object_array_add(list, json_object_new_string(event));
            }
        }
    }
    return list;
}

/* How KVM gives the machine counters, or NULL if it has no KVM or may be on another host. */
static const char *kvm_pmu(const struct target *target, const char *accelerator)
{
    return target->uri || strcmp(accelerator, "kvm") != 0
               ? NULL
               : kvm_glue_design_name(kvm_glue_design(&kvm_glue_os_linux));
}

static struct json_object *make_record(const struct session *s, const struct target *target,
                                       const char *accelerator)
{
    const struct pmu *first = &s->pmus.pmu[0];
    struct json_object *record = json_object_new_object();
    char version[FORMAT_SIZE];

    snprintf(version, sizeof(version), "%s", first->version);
    format_tame(version);
    record_string(record, "name", s->name);
    record_u64(record, "vcpus", s->pmus.n);
    record_string(record, "accelerator", accelerator);
    record_string(record, "version", version);
    record_u64(record, "event-counters", first->event_counters);
    record_string(record, "mode", host_mode(&s->pmus));
    record_bool(record, "meter", first->meter);
    record_u64(record, "observers", first->observers);
    json_object_object_add(record, "events", armed_events(&s->pmus));
    record_string(record, "socket", target->uri ? NULL : target->name);
    record_string(record, "uri", target->uri);
    record_string(record, "kvm-pmu", kvm_pmu(target, accelerator));
    return record;
}

static const char *member(struct json_object *record, const char *name)
{
    const char *text = json_object_get_string(json_object_object_get(record, name));

    return text ? text : "-";
}

static void print_line(struct out *out, struct json_object *record)
{
    struct json_object *events = json_object_object_get(record, "events");

    fprintf(out->text, "%-20s %5s  %-5s %-3s %8s  %-4s ", member(record, "name"),
            member(record, "vcpus"), member(record, "accelerator"), member(record, "version"),
            member(record, "event-counters"), member(record, "mode"));
    for (size_t i = 0; i < json_object_array_length(events); i++) {
        fprintf(out->text, "%s%s", i > 0 ? "," : " ",
                json_object_get_string(json_object_array_get_idx(events, i)));
    }
    fprintf(out->text, "%s\n", json_object_array_length(events) ? "" : " -");
    json_object_put(record);
}

static void print_head(struct out *out)
{
    if (out->kind == OUT_TEXT) {
        fprintf(out->text, "%-20s %5s  %-5s %-3s %8s  %-4s  %s\n", "name", "vCPUs", "accel", "PMU",
                "counters", "host", "enabled events");
    }
}

static void list_one(struct out *out, const struct options *o, const struct target *target,
                     int stop_fd, struct error *t)
{
    struct session s = {0};
    const char *accelerator;
    struct json_object *record;

    if (session_connect(&s, o, target, stop_fd, t) == 0 &&
        machine_accelerator(s.q, &accelerator, t) == 0) {
        record = make_record(&s, target, accelerator);
        if (out->kind == OUT_TEXT) {
            print_line(out, record);
        } else {
            out_record(out, record);
        }
    } else if (t->code == ERROR_NO_VPMU && !target->named) {
        *t = (struct error){0};
    } else if (t->code != ERROR_STOPPED) {
        error_about(t, target->name);
    }
    session_close(&s, t);
}

/*
 * Lists all machines even after an error, unless the user stops the program. The first error
 * determines the exit code.
 */
static void list_all(struct out *out, const struct options *o, const struct targets *targets,
                     int stop_fd, struct error *first)
{
    struct error full;

    for (size_t i = 0; i < targets->n && first->code != ERROR_STOPPED; i++) {
        struct error t = {0};

        list_one(out, o, &targets->target[i], stop_fd, &t);
        if (first->code == ERROR_NONE || t.code == ERROR_STOPPED) {
            first->code = t.code;
        }
    }
    if (first->code != ERROR_STOPPED && targets_check(targets, &full)) {
        error_print(&full);
        first->code = first->code == ERROR_NONE ? full.code : first->code;
    }
}

int builtin_list(int argc, char **argv, int stop_fd)
{
    struct options o = options_default;
    struct measure_options unused = measure_options_default;
    struct session s = {0};
    struct targets targets;
    struct error t = {0};
    struct error listing = {0};

    measure_parse(&command, argc, argv, 0, &o, &unused, NULL);
    if (options_targets(&o, stop_fd, &targets, &t) == 0 && session_out(&s, &o, false, &t) == 0) {
        print_head(&s.out);
        list_all(&s.out, &o, &targets, stop_fd, &listing);
    }
    targets_free(&targets);
    session_close(&s, &t);
    return (int)(t.code != ERROR_NONE ? t.code : listing.code);
}
