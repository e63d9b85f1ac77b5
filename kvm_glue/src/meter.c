/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The meter of a vCPU. Only the vCPU's thread uses it, except for the flags. Other threads read the
 * figures under a sequence count, which is odd while the figures change.
 */
#include "kvm_glue/meter.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "internal.h"

/* Flags. The thread that starts or stops the meter sets WANTED; the vCPU's thread sets OPEN. */
#define WANTED 1u
#define OPEN 2u

/* The number of exits after which the mode is known. EL2 runs at each. */
#define PROBE_EXITS 16
#define READ_TRIES 1000

/* The events of the group. The last two are used only if the kernel runs at EL1. */
enum {
    BOTH,
    GUEST,
    HOST,
    BOTH_NO_HV,
    HOST_NO_HV,
    EVENTS_NVHE,
    EVENTS_VHE = BOTH_NO_HV,
};

static const struct vpmu_attr excludes[EVENTS_NVHE] = {
    [GUEST] = {.exclude_host = true},
    [HOST] = {.exclude_guest = true},
    [BOTH_NO_HV] = {.exclude_hv = true},
    [HOST_NO_HV] = {.exclude_guest = true, .exclude_hv = true},
};

static void add(uint64_t *figure, uint64_t n)
{
    __atomic_store_n(figure, *figure + n, __ATOMIC_RELAXED);
}

static void spread_add(struct vpmu_spread *spread, uint64_t size)
{
    add(&spread->sum, size);
    add(&spread->log2[vpmu_log2_bucket(size)], 1);
    if (size < spread->min) {
        __atomic_store_n(&spread->min, size, __ATOMIC_RELAXED);
    }
    if (size > spread->max) {
        __atomic_store_n(&spread->max, size, __ATOMIC_RELAXED);
    }
}

void kvm_glue_meter_init(struct kvm_glue_meter *m, const struct kvm_glue_os *os,
                         const struct kvm_glue_meter_options *options)
{
    memset(m, 0, sizeof(*m));
    m->os = os;
    m->options = *options;
    m->mode = options->mode;
    for (unsigned reason = 0; reason < KVM_GLUE_REASONS; reason++) {
        kvm_glue_exits_clear(&m->exits[reason]);
    }
}

void kvm_glue_meter_switch(struct kvm_glue_meter *m, bool on)
{
    if (on) {
        __atomic_fetch_or(&m->flags, WANTED, __ATOMIC_RELAXED);
    } else {
        __atomic_fetch_and(&m->flags, ~WANTED, __ATOMIC_RELAXED);
    }
}

bool kvm_glue_meter_is_on(const struct kvm_glue_meter *m)
{
    return (__atomic_load_n(&m->flags, __ATOMIC_RELAXED) & WANTED) != 0;
}

enum kvm_glue_mode kvm_glue_meter_mode(const struct kvm_glue_meter *m)
{
    return __atomic_load_n(&m->mode, __ATOMIC_RELAXED);
}

unsigned kvm_glue_meter_row(int ret, uint32_t reason)
{
    if (ret == -EINTR || ret == -EAGAIN) {
        return KVM_GLUE_REASON_INTERRUPTED;
    }
    if (ret < 0 || reason >= KVM_GLUE_REASON_INTERRUPTED || kvm_glue_reason_name(reason) == NULL) {
        return KVM_GLUE_REASON_OTHER;
    }
    return reason;
}

/* Reports why something is not counted. The meter continues without it. */
static void report(struct kvm_glue_meter *m, enum kvm_glue_topic topic, const char *what,
                   const char *why)
{
    char sentence[sizeof(((struct kvm_glue_error *)NULL)->text) + 80];

    snprintf(sentence, sizeof(sentence), "%s: %s", what, why);
    kvm_glue_report_(m->options.reporter, topic, sentence);
}

static bool is_nvhe(const struct kvm_glue_meter *m)
{
    return m->mode == KVM_GLUE_MODE_NVHE || m->mode == KVM_GLUE_MODE_PROTECTED;
}

/* While a mediated PMU is in use, perf opens only events with exclude_guest. */
static int open_host_only(struct kvm_glue_meter *m)
{
    const struct kvm_glue_event event = {m->options.type, m->options.config, excludes[HOST]};
    int ret = kvm_glue_group_open(&m->hardware, m->os, &event, 1, 0, NULL);

    m->host_only = ret == 0;
    return ret;
}

static int open_hardware(struct kvm_glue_meter *m, unsigned count, struct kvm_glue_error *err)
{
    struct kvm_glue_event events[EVENTS_NVHE];

    for (unsigned i = 0; i < EVENTS_NVHE; i++) {
        events[i] = (struct kvm_glue_event){m->options.type, m->options.config, excludes[i]};
    }
    return kvm_glue_group_open(&m->hardware, m->os, events, count, 0, err);
}

/* Opens five counters; if that fails, three; if that fails too, none. */
static void start_hardware(struct kvm_glue_meter *m)
{
    struct kvm_glue_error err;
    int ret = -EINVAL;

    m->host_only = false;
    if (is_nvhe(m)) {
        ret = open_hardware(m, EVENTS_NVHE, &err);
        if (ret < 0 && kvm_glue_group_topic(ret) == KVM_GLUE_TOPIC_TOO_FEW) {
            report(m, KVM_GLUE_TOPIC_TOO_FEW, "the blackout without exclude_hv only", err.text);
        }
    }
    if (ret < 0) {
        ret = open_hardware(m, EVENTS_VHE, &err);
    }
    if (ret == -EOPNOTSUPP && open_host_only(m) == 0) {
        report(m, KVM_GLUE_TOPIC_HOST_ONLY, "cycles of the guest and of the blackout are missing",
               "perf refuses events that include guests, as it does while a machine with a "
               "mediated PMU exists");
        return;
    }
    if (ret < 0) {
        report(m, kvm_glue_group_topic(ret), "no cycles of guest and host are counted", err.text);
    }
}

static void start_probe(struct kvm_glue_meter *m)
{
    struct kvm_glue_error err;

    if (m->mode != KVM_GLUE_MODE_UNKNOWN || m->hardware.count == 0 || m->host_only) {
        return;
    }
    if (kvm_glue_mode_probe_open(&m->probe, m->os, m->options.type, m->options.config, 0, &err) <
        0) {
        report(m, KVM_GLUE_TOPIC_MODE, "the host mode, VHE or nVHE, is not known", err.text);
        return;
    }
    m->probe_left = PROBE_EXITS;
}

static void start_software(struct kvm_glue_meter *m)
{
    struct kvm_glue_error err;

    if (!m->options.software) {
        return;
    }
    if (kvm_glue_software_open(&m->software, m->os, 0, &err) < 0) {
        report(m, KVM_GLUE_TOPIC_SOFTWARE, "no software events are counted", err.text);
    } else if (m->software.from_proc) {
        report(m, KVM_GLUE_TOPIC_SOFTWARE,
               "context switches and migrations are not counted at exits",
               "kernel.perf_event_paranoid is above 1; lower it, or give CAP_PERFMON");
    }
}

static void start(struct kvm_glue_meter *m)
{
    start_hardware(m);
    start_probe(m);
    start_software(m);
    __atomic_fetch_or(&m->flags, OPEN, __ATOMIC_RELAXED);
}

static void stop(struct kvm_glue_meter *m)
{
    kvm_glue_group_close(&m->hardware);
    kvm_glue_group_close(&m->probe);
    kvm_glue_software_close(&m->software);
    m->probe_left = 0;
    m->entered = false;
    m->exited = false;
    __atomic_fetch_and(&m->flags, ~OPEN, __ATOMIC_RELAXED);
}

/* Closes a group that can no longer be read. The other measurements continue. */
static void sample_hardware(struct kvm_glue_meter *m, struct kvm_glue_sample *sample)
{
    int ret;

    sample->hardware_valid = false;
    if (m->hardware.count == 0) {
        return;
    }
    ret = kvm_glue_group_read(&m->hardware, &sample->hardware);
    if (ret < 0) {
        report(m, KVM_GLUE_TOPIC_BROKEN, "cycles are no longer counted", strerror(-ret));
        kvm_glue_group_close(&m->hardware);
        return;
    }
    sample->hardware_valid = true;
}

static void sample_software(struct kvm_glue_meter *m, struct kvm_glue_sample *sample)
{
    int ret;

    sample->software.valid = 0;
    if (m->software.group.count == 0) {
        return;
    }
    ret = kvm_glue_software_read(&m->software, &sample->software);
    if (ret < 0) {
        report(m, KVM_GLUE_TOPIC_BROKEN, "software events are no longer counted", strerror(-ret));
        kvm_glue_software_close(&m->software);
    }
}

static void take_sample(struct kvm_glue_meter *m, struct kvm_glue_sample *sample)
{
    sample->ns = m->os->clock();
    sample_hardware(m, sample);
    sample_software(m, sample);
}

/* Computes what each event of the group counted between two samples; false if that is not known. */
static bool deltas_of(struct kvm_glue_meter *m, const struct kvm_glue_sample *from,
                      const struct kvm_glue_sample *to, uint64_t delta[EVENTS_NVHE])
{
    if (!from->hardware_valid || !to->hardware_valid) {
        return false;
    }
    for (unsigned i = 0; i < m->hardware.count; i++) {
        if (!kvm_glue_group_delta(&from->hardware, &to->hardware, i, &delta[i])) {
            report(m, KVM_GLUE_TOPIC_STARVED, "cycles of some exits are not known",
                   "others hold the counters, a guest's own PMU among them; give it fewer");
            return false;
        }
    }
    if (m->host_only) {
        delta[HOST] = delta[0];
    }
    return true;
}

static void add_software(struct kvm_glue_exits *e, const struct kvm_glue_sample *from,
                         const struct kvm_glue_sample *to)
{
    unsigned valid = from->software.valid & to->software.valid;

    for (unsigned i = 0; i < KVM_GLUE_SOFTWARE_EVENTS; i++) {
        if (valid >> i & 1) {
            add(&e->software[i], to->software.value[i] - from->software.value[i]);
        }
    }
}

static void add_blackout(struct kvm_glue_exits *e, unsigned kind, uint64_t both, uint64_t guest,
                         uint64_t host)
{
    int64_t blackout = (int64_t)(both - guest - host);

    add((uint64_t *)&e->blackout[kind], (uint64_t)blackout);
    if (blackout < 0 && kind == 0) {
        add(&e->negative, 1);
    }
    spread_add(&e->part[KVM_GLUE_BLACKOUT_CYCLES + kind], blackout < 0 ? 0 : (uint64_t)blackout);
}

static void add_scaled(struct kvm_glue_meter *m, struct kvm_glue_exits *e)
{
    if (kvm_glue_group_scaled(&m->enter.hardware, &m->exit.hardware)) {
        add(&e->scaled, 1);
        report(m, KVM_GLUE_TOPIC_SCALED, "cycles are scaled",
               "the host's PMU has too few counters for all that is counted, so they take turns");
    }
}

/* Adds the time in KVM_RUN. */
static void add_run(struct kvm_glue_meter *m, struct kvm_glue_exits *e)
{
    uint64_t delta[EVENTS_NVHE];

    add(&e->exits, 1);
    spread_add(&e->part[KVM_GLUE_RUN_NS], m->exit.ns - m->enter.ns);
    add_software(e, &m->enter, &m->exit);
    if (!deltas_of(m, &m->enter, &m->exit, delta)) {
        return;
    }
    spread_add(&e->part[KVM_GLUE_KERNEL_CYCLES], delta[HOST]);
    if (m->host_only) {
        return;
    }
    add(&e->measured, 1);
    add_scaled(m, e);
    spread_add(&e->part[KVM_GLUE_GUEST_CYCLES], delta[GUEST]);
    add_blackout(e, 0, delta[BOTH], delta[GUEST], delta[HOST]);
    if (m->hardware.count == EVENTS_NVHE) {
        add_blackout(e, 1, delta[BOTH_NO_HV], delta[GUEST], delta[HOST_NO_HV]);
    }
}

/* Adds the time in the VMM, which belongs to the previous exit. */
static void add_vmm(struct kvm_glue_meter *m, struct kvm_glue_exits *e)
{
    uint64_t delta[EVENTS_NVHE];

    spread_add(&e->part[KVM_GLUE_VMM_NS], m->enter.ns - m->exit.ns);
    add_software(e, &m->exit, &m->enter);
    if (deltas_of(m, &m->exit, &m->enter, delta)) {
        spread_add(&e->part[KVM_GLUE_VMM_CYCLES], delta[HOST]);
    }
}

static void begin_change(struct kvm_glue_meter *m)
{
    __atomic_store_n(&m->sequence, m->sequence + 1, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_RELEASE);
}

static void end_change(struct kvm_glue_meter *m)
{
    __atomic_store_n(&m->sequence, m->sequence + 1, __ATOMIC_RELEASE);
}

/* Opens the counters for the mode when it is known. Measurements start again from there. */
static void end_probe(struct kvm_glue_meter *m)
{
    enum kvm_glue_mode mode = kvm_glue_mode_probe_result(&m->probe);

    kvm_glue_group_close(&m->probe);
    __atomic_store_n(&m->mode, mode, __ATOMIC_RELAXED);
    if (mode == KVM_GLUE_MODE_UNKNOWN) {
        report(m, KVM_GLUE_TOPIC_MODE, "the host mode, VHE or nVHE, is not known",
               "the probe had no counter; give the guest's PMU fewer");
    }
    if (is_nvhe(m)) {
        kvm_glue_group_close(&m->hardware);
        start_hardware(m);
        m->exited = false;
    }
}

/* For callers that cannot inline them, such as bindings of other languages. */
extern inline void kvm_glue_meter_enter(struct kvm_glue_meter *m);
extern inline void kvm_glue_meter_exit(struct kvm_glue_meter *m, int ret, uint32_t reason);

void kvm_glue_meter_enter_(struct kvm_glue_meter *m)
{
    uint32_t flags = __atomic_load_n(&m->flags, __ATOMIC_RELAXED);

    if (!(flags & WANTED)) {
        stop(m);
        return;
    }
    if (!(flags & OPEN)) {
        start(m);
    }
    take_sample(m, &m->enter);
    m->entered = true;
    if (m->exited) {
        begin_change(m);
        add_vmm(m, &m->exits[m->reason]);
        end_change(m);
    }
}

void kvm_glue_meter_exit_(struct kvm_glue_meter *m, unsigned row)
{
    /* The meter was switched on during KVM_RUN, so this exit is not measured. */
    if (!m->entered) {
        return;
    }
    take_sample(m, &m->exit);
    m->reason = row;
    m->entered = false;
    m->exited = true;
    begin_change(m);
    add_run(m, &m->exits[row]);
    end_change(m);
    if (m->probe_left != 0 && --m->probe_left == 0) {
        end_probe(m);
    }
}

void kvm_glue_meter_end(struct kvm_glue_meter *m)
{
    uint32_t flags = __atomic_fetch_and(&m->flags, ~WANTED, __ATOMIC_RELAXED);

    if (flags & OPEN) {
        stop(m);
        report(m, KVM_GLUE_TOPIC_GONE, "a vCPU has ended while it was measured",
               "its figures end at its last exit");
    }
}

static void copy_figures(const uint64_t *from, uint64_t *to)
{
    for (size_t i = 0; i < sizeof(struct kvm_glue_exits) / sizeof(uint64_t); i++) {
        to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
    }
}

int kvm_glue_meter_get(const struct kvm_glue_meter *m, unsigned reason,
                       struct kvm_glue_exits *exits)
{
    _Static_assert(sizeof(*exits) % sizeof(uint64_t) == 0, "words of 64 bits");

    if (reason >= KVM_GLUE_REASONS) {
        return -EINVAL;
    }
    for (unsigned i = 0; i < READ_TRIES; i++) {
        uint32_t before = __atomic_load_n(&m->sequence, __ATOMIC_ACQUIRE);

        copy_figures((const uint64_t *)&m->exits[reason], (uint64_t *)exits);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (!(before & 1) && __atomic_load_n(&m->sequence, __ATOMIC_RELAXED) == before) {
            return 0;
        }
    }
    return -EAGAIN;
}
