/* SPDX-License-Identifier: GPL-2.0-or-later */
/* vpmu-stats exits: shows how vCPUs that run with KVM spend their time. */
#include <stdlib.h>
#include <string.h>

#include "cli/builtin.h"
#include "machine/exits.h"
#include "machine/kvm-exits.h"
#include "base/format.h"
#include "base/number.h"
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
           "On an x86 host, the command also shows the numbers of exits that the host's KVM keeps, "
           "most of which KVM handles without a return of KVM_RUN. For a machine of a stock QEMU, "
           "it shows only these.",
    .instead =
        {
            [MEASURE_EVENT] = "exits are measured in cycles and time: use perf kvm stat on the "
                              "host for other events",
            [MEASURE_WHILE_COUNTER] =
                "exits do not depend on the guest's counters: use vpmu-stats guest to see those",
        },
    .min_interval = MEASURE_MIN_INTERVAL_MS,
};

/**
 * struct sources - what is read
 * @metered: the meter is on. A reading begins with a struct exits, or with -A one for each vCPU.
 * @meter: the meter.
 * @kvm: numbers that the host's KVM keeps, if they are read. They follow in the reading.
 */
struct sources {
    bool metered;
    struct meter meter;
    struct kvm_exits kvm;
};

/* Returns how many parts of each kind a reading has. */
static size_t parts_of(const struct measure *m)
{
    return m->o->per_vcpu ? m->s->pmus.n : 1;
}

static const uint64_t *kvm_part(const struct measure *m, const void *reading, size_t part)
{
    const struct sources *s = m->opaque;
    size_t at = s->metered ? parts_of(m) * sizeof(struct exits) : 0;

    return (const uint64_t *)((const char *)reading + at) + part * s->kvm.n;
}

static int read_all(struct measure *m, void *reading, struct error *t)
{
    const struct sources *s = m->opaque;
    const struct pmus *pmus = &m->s->pmus;
    size_t at = s->metered ? parts_of(m) * sizeof(struct exits) : 0;

    if (s->metered && exits_read(reading, m->o->per_vcpu, m->s->q, pmus, t)) {
        return -1;
    }
    return s->kvm.n ? kvm_exits_read(&s->kvm, (uint64_t *)(void *)((char *)reading + at),
                                     m->o->per_vcpu, m->s->q, pmus, t)
                    : 0;
}

static double mean_of(uint64_t sum, uint64_t n)
{
    return n ? (double)sum / (double)n : 0;
}

/* While a mediated PMU is in use, the meter counts the host only: cycles, but no complete exit. */
static bool is_host_only(const struct exits *e)
{
    return e->all.measured == 0 && e->all.part[KVM_GLUE_KERNEL_CYCLES] != 0;
}

/* The cycles of @n exits are known. */
static const char *mean_text(char text[FORMAT_SIZE], const struct reason *r,
                             enum kvm_glue_part part, uint64_t n)
{
    snprintf(text, FORMAT_SIZE, "%.1f", mean_of(r->part[part], n));
    return n ? text : "-";
}

/* Prints how many exits have unknown cycles, unless the cycles of no exit of any row are known. */
static void print_unknown(struct out *out, const struct reason *r, bool any_measured)
{
    uint64_t unknown = number_growth(r->exits, r->measured);
    char number[FORMAT_SIZE];

    if (any_measured && unknown) {
        fprintf(out->text, "  %s unknown", format_grouped(number, unknown));
    }
    fprintf(out->text, "\n");
}

static void print_row(struct out *out, const char *name, const struct reason *r, double seconds,
                      bool any_measured)
{
    char number[FORMAT_SIZE], guest[FORMAT_SIZE], kernel[FORMAT_SIZE];
    char vmm[FORMAT_SIZE], blackout[FORMAT_SIZE];

    fprintf(out->text, "  %-16s %12s %10.1f %12s %10s %10s %9s %10.1f", name,
            format_grouped(number, r->exits), (double)r->exits / seconds,
            mean_text(guest, r, KVM_GLUE_GUEST_CYCLES, r->measured),
            mean_text(kernel, r, KVM_GLUE_KERNEL_CYCLES, r->kernel_measured),
            mean_text(vmm, r, KVM_GLUE_VMM_CYCLES, r->vmm_measured),
            mean_text(blackout, r, KVM_GLUE_BLACKOUT_CYCLES, r->measured),
            mean_of(r->part[KVM_GLUE_VMM_NS], r->exits));
    print_unknown(out, r, any_measured);
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
                100.0 * mean_of(e->scaled, e->all.measured));
    }
}

static void print_head(struct measure *m, const struct pmu *pmu)
{
    FILE *file = m->s->out.text;

    fprintf(file, "\n Exits of '%s'", m->s->name);
    if (pmu) {
        fprintf(file, ", CPU %u", pmu->cpu);
    }
    fprintf(file, ", %.3f to %.3f seconds:\n\n", measure_seconds_printed(m), measure_seconds(m));
}

static void print_text(struct measure *m, const struct exits *e, const struct pmu *pmu)
{
    struct out *out = &m->s->out;
    double seconds = measure_seconds_between(m);

    print_head(m, pmu);
    fprintf(out->text, "  %-16s %12s %10s %12s %10s %10s %9s %10s\n", "mean cycles", "exits",
            "exits/s", "guest", "kernel", "QEMU", "blackout", "QEMU ns");
    for (unsigned i = 0; i < KVM_GLUE_REASONS; i++) {
        if (e->reason[i].exits) {
            print_row(out, kvm_glue_reason_name(i), &e->reason[i], seconds, e->all.measured != 0);
        }
    }
    print_row(out, "all", &e->all, seconds, e->all.measured != 0);
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
    record_u64(record, "measured", r->measured);
    return record;
}

/* The last columns, behind those that @record already has. */
static void finish_record(struct measure *m, struct json_object *record, const struct reason *r)
{
    record_u64(record, "kernel-measured", r->kernel_measured);
    record_u64(record, "vmm-measured", r->vmm_measured);
    out_record(&m->s->out, record);
}

static void print_records(struct measure *m, const struct exits *e, const struct pmu *pmu)
{
    struct json_object *record;

    for (unsigned i = 0; i < KVM_GLUE_REASONS; i++) {
        if (e->reason[i].exits) {
            record = new_record(m, pmu, kvm_glue_reason_name(i), &e->reason[i]);
            record_null(record, "scaled");
            record_null(record, "histogram");
            finish_record(m, record, &e->reason[i]);
        }
    }
    record = new_record(m, pmu, "all", &e->all);
    record_u64(record, "scaled", e->scaled);
    json_object_object_add(record, "histogram", histogram_list(&e->blackout));
    finish_record(m, record, &e->all);
}

static void report_meter(struct measure *m, size_t part, const struct pmu *pmu)
{
    struct exits since = ((const struct exits *)m->now)[part];

    exits_subtract(&since, &((const struct exits *)m->last)[part]);
    if (m->s->out.kind == OUT_TEXT) {
        print_text(m, &since, pmu);
    } else {
        print_records(m, &since, pmu);
    }
}

/* Numbers that the host's KVM keeps */

struct kvm_row {
    const char *name;
    bool all;
    uint64_t exits;
};

/* Sorts by falling number of exits, then by name. The row of all exits is last, as the meter's. */
static int compare_rows(const void *a, const void *b)
{
    const struct kvm_row *left = a;
    const struct kvm_row *right = b;

    if (left->all || right->all) {
        return left->all ? 1 : -1;
    }
    return left->exits != right->exits ? (left->exits > right->exits ? -1 : 1)
                                       : strcmp(left->name, right->name);
}

/* The row of all exits is "all". Beside the meter's row with that name, it has KVM's own name. */
static size_t find_rows(const struct sources *s, const uint64_t *now, const uint64_t *last,
                        struct kvm_row *row)
{
    const struct kvm_exits *e = &s->kvm;
    size_t n = 0;

    for (size_t i = 0; i < e->n; i++) {
        /* The numbers of a vCPU that was removed are missing. */
        if (now[i] > last[i] || i == e->all) {
            row[n++] = (struct kvm_row){.name = i == e->all && !s->metered ? "all" : e->name[i],
                                        .all = i == e->all,
                                        .exits = number_growth(now[i], last[i])};
        }
    }
    qsort(row, n, sizeof(*row), compare_rows);
    return n;
}

static void print_kvm_text(struct measure *m, const struct kvm_row *row, size_t n,
                           const struct pmu *pmu)
{
    const struct sources *s = m->opaque;
    FILE *file = m->s->out.text;
    char number[FORMAT_SIZE];

    if (s->metered) {
        fprintf(file,
                "\n  exits that the host's KVM counts, most of which do not return to QEMU:\n\n");
    } else {
        print_head(m, pmu);
    }
    fprintf(file, "  %-24s %16s %12s\n", "reason", "exits", "exits/s");
    for (size_t i = 0; i < n; i++) {
        fprintf(file, "  %-24s %16s %12.1f\n", row[i].name, format_grouped(number, row[i].exits),
                (double)row[i].exits / measure_seconds_between(m));
    }
    fprintf(file,
            "\n  KVM counts these reasons only; %s has exits for other reasons as well.\n"
            "  Times by reason: perf kvm stat, on the host\n",
            s->metered ? "exits" : "all");
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
    record_null(record, "kernel-measured");
    record_null(record, "vmm-measured");
    out_record(&m->s->out, record);
}

static void report_kvm(struct measure *m, size_t part, const struct pmu *pmu)
{
    struct kvm_row row[KVM_EXITS_MAX];
    size_t n = find_rows(m->opaque, kvm_part(m, m->now, part), kvm_part(m, m->last, part), row);

    if (m->s->out.kind == OUT_TEXT) {
        print_kvm_text(m, row, n, pmu);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        print_kvm_record(m, &row[i], pmu);
    }
}

static void report(struct measure *m)
{
    const struct sources *s = m->opaque;

    for (size_t i = 0; i < parts_of(m); i++) {
        const struct pmu *pmu = m->o->per_vcpu ? &m->s->pmus.pmu[i] : NULL;

        if (s->metered) {
            report_meter(m, i, pmu);
        }
        if (s->kvm.n) {
            report_kvm(m, i, pmu);
        }
    }
}

static const struct measure_ops ops = {.read = read_all, .report = report};

/* Choosing what is read */

/* A machine without a list of PMUs does not say whether its meter is on. */
static bool is_meter_on(const struct session *s)
{
    struct exits *e = malloc(sizeof(*e));
    struct error off = {0};
    bool on = e && exits_read(e, false, s->q, &s->pmus, &off) == 0;

    free(e);
    return on;
}

static bool is_refusal(const struct error *t)
{
    return t->code == ERROR_NO_VPMU || t->code == ERROR_TALK;
}

/* An x86 machine has no list of PMUs. Its QEMU has the meter unless it is a stock QEMU. */
static int find_kvm_sources(struct session *session, struct sources *s, struct error *t)
{
    struct error why = {0};

    if (machine_vcpus(session->q, &session->pmus, t)) {
        return -1;
    }
    session->pmus.pmu[0].meter = is_meter_on(session);
    s->metered = meter_begin(&s->meter, session, &why) == 0;
    if (!s->metered) {
        s->meter = (struct meter){0};
        if (!is_refusal(&why)) {
            *t = why;
            return -1;
        }
    }
    why = (struct error){0};
    if (kvm_exits_find(&s->kvm, session->q, &why) == 0) {
        return 0;
    }
    kvm_exits_free(&s->kvm);
    if (s->metered && is_refusal(&why)) {
        return 0;
    }
    *t = why;
    return -1;
}

static int find_sources(struct session *session, struct sources *s, struct error *t)
{
    struct error why = {0};

    if (machine_pmus(session->q, &session->pmus, &why) == 0) {
        s->metered = true;
        return meter_begin(&s->meter, session, t);
    }
    if (why.code != ERROR_NO_VPMU) {
        *t = why;
        return -1;
    }
    return find_kvm_sources(session, s, t);
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
    struct sources s = {0};

    m->ops = &ops;
    m->opaque = &s;
    if (check_kvm(m->s, t) == 0 && find_sources(m->s, &s, t) == 0) {
        m->size =
            parts_of(m) * ((s.metered ? sizeof(struct exits) : 0) + s.kvm.n * sizeof(uint64_t));
        measure_run(m, t);
    }
    meter_end(&s.meter, m->s, t);
    kvm_exits_free(&s.kvm);
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
