/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats exits: where the time of vCPUs goes that run with KVM. */
#include <string.h>

#include "builtin.h"
#include "exits.h"
#include "format.h"
#include "meter.h"

struct exits_options {
    struct options common;
    struct meter_options meter;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct exits_options *o = state->input;

    (void)arg;
    if (key != ARGP_KEY_INIT) {
        return ARGP_ERR_UNKNOWN;
    }
    state->child_inputs[0] = &o->common;
    state->child_inputs[1] = &o->meter;
    return 0;
}

static const struct argp_child children[] = {{&options_argp, 0, 0, 0}, {&meter_argp, 0, 0, 0}, {0}};
static const struct argp argp = {
    0,
    parse,
    "[MACHINE]",
    "Measures, until Ctrl-C, where the time of vCPUs goes that run with KVM: by reason of exit, "
    "what the guest, the host's kernel and QEMU took before the next one.\v"
    "Cycles are those that the host's PMU counts: in the guest, in the kernel from KVM_RUN to its "
    "return, in QEMU from there to the next KVM_RUN, and in KVM_RUN for neither side, the "
    "blackout. Without a PMU there are numbers of exits and times by the clock. The meter is "
    "switched on if it is off, and then off again.",
    children,
    0,
    0,
};

/** struct measurement - of exits: what has been reported already */
struct measurement {
    struct meter meter;
    struct session *s;
    struct exits last;
};

static int begin(struct measurement *m, const struct exits_options *o, struct trouble *t)
{
    const char *accelerator;

    if (machine_accelerator(m->s->q, &accelerator, t)) {
        return -1;
    }
    if (strcmp(accelerator, "kvm") != 0) {
        return trouble_set(t, TROUBLE_NO_VPMU,
                           "%s is emulated: only vCPUs of KVM's have exits; "
                           "see vpmu-stats blackout",
                           m->s->name);
    }
    if (meter_begin(&m->meter, &o->meter, m->s, t)) {
        return -1;
    }
    return exits_read(&m->last, m->s->q, &m->s->pmus, t);
}

static double mean_of(uint64_t sum, uint64_t n)
{
    return n ? (double)sum / (double)n : 0;
}

static void print_row(struct out *out, const char *name, const struct reason *r, double seconds)
{
    char number[FORMAT_SIZE];

    fprintf(out->text, "  %-16s %12s %10.1f %12.1f %10.1f %10.1f %9.1f %10.1f\n", name,
            format_grouped(number, r->exits), (double)r->exits / seconds,
            mean_of(r->part[KVM_GLUE_GUEST_CYCLES], r->exits),
            mean_of(r->part[KVM_GLUE_KERNEL_CYCLES], r->exits),
            mean_of(r->part[KVM_GLUE_VMM_CYCLES], r->exits),
            mean_of(r->part[KVM_GLUE_BLACKOUT_CYCLES], r->exits),
            mean_of(r->part[KVM_GLUE_VMM_NS], r->exits));
}

/* Of all cycles that are known. */
static void print_shares(struct out *out, const struct exits *e)
{
    static const struct {
        const char *name;
        unsigned part;
    } shares[] = {
        {"guest", KVM_GLUE_GUEST_CYCLES},
        {"kernel", KVM_GLUE_KERNEL_CYCLES},
        {"QEMU", KVM_GLUE_VMM_CYCLES},
        {"blackout", KVM_GLUE_BLACKOUT_CYCLES},
    };
    uint64_t sum = 0;

    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
        sum += e->all.part[shares[i].part];
    }
    if (sum == 0) {
        fprintf(out->text, "\n  cycles are not counted: see what QEMU says about the host's PMU\n");
        return;
    }
    fprintf(out->text, "\n ");
    for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
        fprintf(out->text, " %s %.4f%%", shares[i].name,
                100.0 * mean_of(e->all.part[shares[i].part], sum));
    }
    fprintf(out->text, "\n");
    if (e->scaled) {
        fprintf(out->text, "  %.1f%% of the exits are scaled: the host has too few counters\n",
                100.0 * mean_of(e->scaled, e->measured));
    }
}

static void print_text(struct measurement *m, const struct exits *e, int64_t now)
{
    struct out *out = &m->s->out;
    double seconds = (double)(now - m->meter.printed) / 1e9;

    fprintf(out->text, "\n Exits of '%s', %.3f to %.3f seconds:\n\n", m->s->name,
            (double)(m->meter.printed - m->meter.began) / 1e9,
            (double)(now - m->meter.began) / 1e9);
    fprintf(out->text, "  %-16s %12s %10s %12s %10s %10s %9s %10s\n", "mean cycles", "exits",
            "exits/s", "guest", "kernel", "QEMU", "blackout", "QEMU ns");
    for (unsigned i = 0; i < KVM_GLUE_REASONS; i++) {
        if (e->reason[i].exits) {
            print_row(out, kvm_glue_reason_name(i), &e->reason[i], seconds);
        }
    }
    print_row(out, "all", &e->all, seconds);
    print_shares(out, e);
    if (e->all.part[KVM_GLUE_BLACKOUT_CYCLES]) {
        fprintf(out->text, "\n  cycles lost at an exit:\n");
        histogram_print(out, &e->blackout);
    }
}

static struct json_object *new_record(const struct measurement *m, int64_t now, const char *name,
                                      const struct reason *r)
{
    struct json_object *record = json_object_new_object();

    record_double(record, "interval", (double)(now - m->meter.began) / 1e9, 9);
    record_string(record, "reason", name);
    record_u64(record, "exits", r->exits);
    for (unsigned i = 0; i < KVM_GLUE_PARTS; i++) {
        record_u64(record, kvm_glue_part_name(i), r->part[i]);
    }
    return record;
}

static void print_records(struct measurement *m, const struct exits *e, int64_t now)
{
    struct json_object *record;

    for (unsigned i = 0; i < KVM_GLUE_REASONS; i++) {
        if (e->reason[i].exits) {
            record = new_record(m, now, kvm_glue_reason_name(i), &e->reason[i]);
            record_null(record, "measured");
            record_null(record, "scaled");
            record_null(record, "histogram");
            out_record(&m->s->out, record);
        }
    }
    record = new_record(m, now, "all", &e->all);
    record_u64(record, "measured", e->measured);
    record_u64(record, "scaled", e->scaled);
    json_object_object_add(record, "histogram", histogram_list(&e->blackout));
    out_record(&m->s->out, record);
}

/* Reads, and reports what has come since the last report. */
static int report(void *opaque, struct trouble *t)
{
    struct measurement *m = opaque;
    struct exits e;
    struct exits since;
    int64_t now;

    if (exits_read(&e, m->s->q, &m->s->pmus, t)) {
        return -1;
    }
    now = qmp_now();
    since = e;
    exits_subtract(&since, &m->last);
    if (m->s->out.kind == OUT_TEXT) {
        print_text(m, &since, now);
    } else {
        print_records(m, &since, now);
    }
    m->last = e;
    m->meter.printed = now;
    return out_flush(&m->s->out, t);
}

int builtin_exits(int argc, char **argv, int stop_fd)
{
    struct exits_options o = {.common = options_default};
    struct session s = {0};
    struct measurement m = {.s = &s};
    struct trouble t = {0};

    argp_parse(&argp, argc, argv, 0, NULL, &o);
    if (session_open(&s, &o.common, stop_fd, o.meter.interval > 0, &t) == 0) {
        if (begin(&m, &o, &t) == 0) {
            meter_run(&m.meter, report, &m, &t);
        }
        meter_end(&m.meter, &t);
    }
    return session_close(&s, &t);
}
