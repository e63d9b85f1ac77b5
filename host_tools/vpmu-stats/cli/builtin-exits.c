/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats exits: shows how vCPUs that run with KVM spend their time. */
#include <stdlib.h>
#include <string.h>

#include "cli/builtin.h"
#include "machine/exits.h"
#include "machine/kvm-exits.h"
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
           "command switches the meter on and off.\n\n"
           "On an x86 host, and for a machine of a stock QEMU, the command shows the numbers of "
           "exits that the host's KVM keeps.",
    .instead =
        {
            [MEASURE_EVENT] = "exits are measured in cycles and time: use perf kvm stat on the "
                              "host for other events",
            [MEASURE_WHILE_COUNTER] =
                "exits do not depend on the guest's counters: use vpmu-stats guest to see those",
        },
    .min_interval = MEASURE_MIN_INTERVAL_MS,
};

/* A reading is a struct exits, or with -A one for each vCPU. */
static int read_all(struct measure *m, void *reading, struct error *t)
{
    return exits_read(reading, m->o->per_vcpu, m->s->q, &m->s->pmus, t);
}

static int begin_meter(struct measure *m, struct error *t)
{
    m->size = (m->o->per_vcpu ? m->s->pmus.n : 1) * sizeof(struct exits);
    return meter_begin(m->opaque, m->s, t);
}

static double mean_of(uint64_t sum, uint64_t n)
{
    return n ? (double)sum / (double)n : 0;
}

/* While a mediated PMU is in use, the meter counts the host only: cycles, but no complete exit. */
static bool is_host_only(const struct exits *e)
{
    return e->measured == 0 && e->all.part[KVM_GLUE_KERNEL_CYCLES] != 0;
}

static const char *mean_text(char text[FORMAT_SIZE], const struct reason *r,
                             enum kvm_glue_part part, bool missing)
{
    snprintf(text, FORMAT_SIZE, "%.1f", mean_of(r->part[part], r->exits));
    return missing ? "-" : text;
}

static void print_row(struct out *out, const char *name, const struct reason *r, double seconds,
                      bool host_only)
{
    char number[FORMAT_SIZE], guest[FORMAT_SIZE], blackout[FORMAT_SIZE];

    fprintf(out->text, "  %-16s %12s %10.1f %12s %10.1f %10.1f %9s %10.1f\n", name,
            format_grouped(number, r->exits), (double)r->exits / seconds,
            mean_text(guest, r, KVM_GLUE_GUEST_CYCLES, host_only),
            mean_of(r->part[KVM_GLUE_KERNEL_CYCLES], r->exits),
            mean_of(r->part[KVM_GLUE_VMM_CYCLES], r->exits),
            mean_text(blackout, r, KVM_GLUE_BLACKOUT_CYCLES, host_only),
            mean_of(r->part[KVM_GLUE_VMM_NS], r->exits));
}

/* Prints shares of all measured cycles. */
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

    if (is_host_only(e)) {
        fprintf(out->text,
                "\n  cycles of the guest and of the blackout are missing: perf on this host "
                "cannot count guests,\n  as while a machine with a mediated PMU exists\n");
        return;
    }
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
            print_row(out, kvm_glue_reason_name(i), &e->reason[i], seconds, is_host_only(e));
        }
    }
    print_row(out, "all", &e->all, seconds, is_host_only(e));
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

/* Machines without a vpmu */

static int read_kvm(struct measure *m, void *reading, struct error *t)
{
    return kvm_exits_read(m->opaque, reading, m->o->per_vcpu, m->s->q, &m->s->pmus, t);
}

static int begin_kvm(struct measure *m, struct error *t)
{
    struct kvm_exits *e = m->opaque;

    if (machine_vcpus(m->s->q, &m->s->pmus, t) || kvm_exits_find(e, m->s->q, t)) {
        return -1;
    }
    m->size = (m->o->per_vcpu ? m->s->pmus.n : 1) * e->n * sizeof(uint64_t);
    return 0;
}

struct kvm_row {
    const char *name;
    uint64_t exits;
};

/*
 * Sorts by falling number of exits, then by name. The row "all" is last, as in the table of
 * machines with a vpmu.
 */
static int compare_rows(const void *a, const void *b)
{
    const struct kvm_row *left = a;
    const struct kvm_row *right = b;

    if (strcmp(left->name, "all") == 0 || strcmp(right->name, "all") == 0) {
        return strcmp(left->name, "all") == 0 ? 1 : -1;
    }
    return left->exits != right->exits ? (left->exits > right->exits ? -1 : 1)
                                       : strcmp(left->name, right->name);
}

static size_t find_rows(const struct kvm_exits *e, const uint64_t *now, const uint64_t *last,
                        struct kvm_row *row)
{
    size_t n = 0;

    for (size_t i = 0; i < e->n; i++) {
        if (now[i] != last[i] || i == e->all) {
            row[n++] = (struct kvm_row){i == e->all ? "all" : e->name[i], now[i] - last[i]};
        }
    }
    qsort(row, n, sizeof(*row), compare_rows);
    return n;
}

static void print_kvm_text(struct measure *m, const struct kvm_row *row, size_t n,
                           const struct pmu *pmu)
{
    FILE *file = m->s->out.text;
    char number[FORMAT_SIZE];

    fprintf(file, "\n Exits of '%s'", m->s->name);
    if (pmu) {
        fprintf(file, ", CPU %u", pmu->cpu);
    }
    fprintf(file, ", %.3f to %.3f seconds:\n\n", measure_seconds_printed(m), measure_seconds(m));
    fprintf(file, "  %-24s %16s %12s\n", "reason", "exits", "exits/s");
    for (size_t i = 0; i < n; i++) {
        fprintf(file, "  %-24s %16s %12.1f\n", row[i].name, format_grouped(number, row[i].exits),
                (double)row[i].exits / measure_seconds_between(m));
    }
    fprintf(file, "\n  KVM counts these reasons only; all has exits for other reasons as well.\n"
                  "  Times by reason: perf kvm stat, on the host\n");
}

static void print_kvm_record(struct measure *m, const struct kvm_row *row, const struct pmu *pmu)
{
    struct json_object *record = measure_record(m, pmu);

    record_string(record, "reason", row->name);
    record_u64(record, "exits", row->exits);
    for (unsigned i = 0; i < KVM_GLUE_PARTS; i++) {
        record_null(record, kvm_glue_part_name(i));
    }
    record_null(record, "measured");
    record_null(record, "scaled");
    record_null(record, "histogram");
    out_record(&m->s->out, record);
}

static void report_kvm(struct measure *m)
{
    const struct kvm_exits *e = m->opaque;
    size_t parts = m->o->per_vcpu ? m->s->pmus.n : 1;
    struct kvm_row row[KVM_EXITS_MAX];

    for (size_t i = 0; i < parts; i++) {
        const struct pmu *pmu = m->o->per_vcpu ? &m->s->pmus.pmu[i] : NULL;
        size_t n = find_rows(e, (const uint64_t *)m->now + i * e->n,
                             (const uint64_t *)m->last + i * e->n, row);

        if (m->s->out.kind == OUT_TEXT) {
            print_kvm_text(m, row, n, pmu);
        } else {
            for (size_t k = 0; k < n; k++) {
                print_kvm_record(m, &row[k], pmu);
            }
        }
    }
}

static const struct measure_ops kvm_ops = {.read = read_kvm, .report = report_kvm};

/* Choosing between the two kinds of machines */

static void run_meter(struct measure *m, struct error *t)
{
    struct meter meter = {0};

    m->ops = &ops;
    m->opaque = &meter;
    if (begin_meter(m, t) == 0) {
        measure_run(m, t);
    }
    meter_end(&meter, m->s, t);
}

static void run_kvm(struct measure *m, struct error *t)
{
    struct kvm_exits e = {0};

    m->ops = &kvm_ops;
    m->opaque = &e;
    if (begin_kvm(m, t) == 0) {
        measure_run(m, t);
    }
    kvm_exits_free(&e);
}

static int check_kvm(const struct session *s, struct error *t)
{
    const char *accelerator;

    if (machine_accelerator(s->q, &accelerator, t)) {
        return -1;
    }
    return strcmp(accelerator, "kvm") == 0
               ? 0
               : error_set(t, ERROR_NO_VPMU,
                           "%s is emulated and has no KVM exits: use vpmu-stats blackout to see "
                           "what a hypervisor in an Arm machine loses",
                           s->name);
}

static void run(struct measure *m, struct error *t)
{
    struct error none = {0};

    if (check_kvm(m->s, t)) {
        return;
    }
    if (machine_pmus(m->s->q, &m->s->pmus, &none) == 0) {
        run_meter(m, t);
    } else if (none.code == ERROR_NO_VPMU) {
        run_kvm(m, t);
    } else {
        *t = none;
    }
}

static int connect_to(struct session *s, const struct options *common, int stop_fd, bool live,
                      struct error *t)
{
    struct targets targets;
    int err = options_target(common, stop_fd, &targets, t);

    if (!err) {
        err = session_reach(s, common, &targets.target[0], stop_fd, t);
    }
    targets_free(&targets);
    return err ? err : session_out(s, common, live, t);
}

int builtin_exits(int argc, char **argv, int stop_fd)
{
    struct options common = options_default;
    struct measure_options o = measure_options_default;
    struct session s = {0};
    struct measure m = {.o = &o, .s = &s};
    struct error t = {0};

    measure_parse(&command, argc, argv, 0, &common, &o, NULL);
    if (connect_to(&s, &common, stop_fd, o.interval > 0, &t) == 0) {
        run(&m, &t);
    }
    measure_options_free(&o);
    return session_close(&s, &t);
}
