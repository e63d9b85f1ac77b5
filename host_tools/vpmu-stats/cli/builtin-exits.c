/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats exits: where the time of vCPUs goes that run with KVM. */
#include <string.h>

#include "cli/builtin.h"
#include "machine/exits.h"
#include "base/format.h"
#include "session/measure.h"
#include "session/meter.h"

static const struct measure_command command = {
    .arguments = "[MACHINE]",
    .doc = "Measures until Ctrl-C where KVM vCPUs spend their time: for each exit reason, the "
           "cycles in the guest, in the host's kernel and in QEMU.\v"
           "The host's PMU counts cycles in four places: in the guest; in the kernel, from KVM_RUN "
           "to its return; in QEMU, until the next KVM_RUN; and inside KVM_RUN while neither side "
           "counts (blackout). On a host without a PMU, only exits and times are measured. The "
           "command switches the meter on and off.",
    .instead =
        {
            [MEASURE_EVENT] = "exits are measured in cycles and time: use perf kvm stat on the "
                              "host for other events",
            [MEASURE_WHILE_COUNTER] =
                "exits do not depend on the guest's counters: use vpmu-stats guest to see those",
        },
    .min_interval = MEASURE_MIN_INTERVAL_MS,
};

/* A reading is a struct exits, with -A one for each vCPU. */
static int read_all(struct measure *m, void *reading, struct error *t)
{
    return exits_read(reading, m->o->per_vcpu, m->s->q, &m->s->pmus, t);
}

static int begin(struct measure *m, struct error *t)
{
    const char *accelerator;

    if (machine_accelerator(m->s->q, &accelerator, t)) {
        return -1;
    }
    if (strcmp(accelerator, "kvm") != 0) {
        return error_set(t, ERROR_NO_VPMU,
                         "%s is emulated and has no KVM exits: use vpmu-stats blackout",
                         m->s->name);
    }
    m->size = (m->o->per_vcpu ? m->s->pmus.n : 1) * sizeof(struct exits);
    return meter_begin(m->opaque, m->s, t);
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

static void print_text(struct measure *m, const struct exits *e, const struct pmu *pmu)
{
    struct out *out = &m->s->out;
    double seconds = measure_seconds_between(m);

    fprintf(out->text, "\n Exits of '%s'", m->s->name);
    if (pmu) {
        fprintf(out->text, ", CPU %u", pmu->cpu);
    }
    fprintf(out->text, ", %.3f to %.3f seconds:\n\n", measure_seconds_printed(m),
            measure_seconds(m));
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

static struct json_object *new_record(const struct measure *m, const struct pmu *pmu,
                                      const char *name, const struct reason *r)
{
    struct json_object *record = measure_record(m, pmu);

    record_string(record, "reason", name);
    record_u64(record, "exits", r->exits);
    for (unsigned i = 0; i < KVM_GLUE_PARTS; i++) {
        record_u64(record, kvm_glue_part_name(i), r->part[i]);
    }
    return record;
}

static void print_records(struct measure *m, const struct exits *e, const struct pmu *pmu)
{
    struct json_object *record;

    for (unsigned i = 0; i < KVM_GLUE_REASONS; i++) {
        if (e->reason[i].exits) {
            record = new_record(m, pmu, kvm_glue_reason_name(i), &e->reason[i]);
            record_null(record, "measured");
            record_null(record, "scaled");
            record_null(record, "histogram");
            out_record(&m->s->out, record);
        }
    }
    record = new_record(m, pmu, "all", &e->all);
    record_u64(record, "measured", e->measured);
    record_u64(record, "scaled", e->scaled);
    json_object_object_add(record, "histogram", histogram_list(&e->blackout));
    out_record(&m->s->out, record);
}

static void report(struct measure *m)
{
    const struct exits *now = m->now;
    const struct exits *last = m->last;
    size_t parts = m->o->per_vcpu ? m->s->pmus.n : 1;

    for (size_t i = 0; i < parts; i++) {
        const struct pmu *pmu = m->o->per_vcpu ? &m->s->pmus.pmu[i] : NULL;
        struct exits since = now[i];

        exits_subtract(&since, &last[i]);
        if (m->s->out.kind == OUT_TEXT) {
            print_text(m, &since, pmu);
        } else {
            print_records(m, &since, pmu);
        }
    }
}

static const struct measure_ops ops = {.read = read_all, .report = report};

int builtin_exits(int argc, char **argv, int stop_fd)
{
    struct options common = options_default;
    struct measure_options o = measure_options_default;
    struct session s = {0};
    struct meter meter = {0};
    struct measure m = {.ops = &ops, .o = &o, .s = &s, .opaque = &meter};
    struct error t = {0};

    measure_parse(&command, argc, argv, 0, &common, &o, NULL);
    if (session_open(&s, &common, stop_fd, o.interval > 0, &t) == 0) {
        if (begin(&m, &t) == 0) {
            measure_run(&m, &t);
        }
        meter_end(&meter, &s, &t);
    }
    measure_options_free(&o);
    return session_close(&s, &t);
}
