/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The exit path: what is attributed to which exit, and the reports if this fails. */
#include <errno.h>
#include <linux/kvm.h>
#include <stdlib.h>

#include "fixture.h"
#include "kvm_glue/meter.h"

static struct {
    unsigned count;
    unsigned topics;
    char last[500];
} said;

static void say(void *opaque, enum kvm_glue_topic topic, const char *sentence)
{
    ck_assert(opaque == &said);
    said.count++;
    said.topics |= 1u << topic;
    strcpy(said.last, sentence);
}

static struct kvm_glue_reporter reporter;
static struct kvm_glue_meter meter;

static void make(enum kvm_glue_mode mode, bool software)
{
    const struct kvm_glue_meter_options options = {mode, PERF_TYPE_HARDWARE, 0, software,
                                                   &reporter};

    memset(&said, 0, sizeof(said));
    reporter = (struct kvm_glue_reporter){say, &said, 0};
    kvm_glue_meter_init(&meter, &fake_os, &options);
    kvm_glue_meter_switch(&meter, true);
}

/* An exit of a VHE host: 10 cycles in the VMM, 20 in the kernel, 100 in the guest. */
static void one_exit(uint32_t reason)
{
    fake_cycles(IN_HOST_USER, 10);
    kvm_glue_meter_enter(&meter);
    fake_cycles(IN_HOST_KERNEL, 20);
    fake_cycles(IN_GUEST, 100);
    kvm_glue_meter_exit(&meter, 0, reason);
}

/* An exit of an nVHE host: also 6 cycles at EL2 with the host's counters on and 9 with them off. */
static void one_nvhe_exit(uint32_t reason)
{
    fake_cycles(IN_HOST_USER, 10);
    kvm_glue_meter_enter(&meter);
    fake_cycles(IN_HOST_KERNEL, 20);
    fake_cycles(IN_EL2, 6);
    fake_cycles(IN_EL2_BLACKOUT, 9);
    fake_cycles(IN_GUEST, 100);
    kvm_glue_meter_exit(&meter, 0, reason);
}

static struct kvm_glue_exits figures(unsigned reason)
{
    struct kvm_glue_exits exits;

    expect("get", 0, kvm_glue_meter_get(&meter, reason, &exits));
    return exits;
}

static void expect_part(const char *what, const struct kvm_glue_exits *e, enum kvm_glue_part part,
                        uint64_t sum, uint64_t times)
{
    uint64_t in_buckets = 0;

    expect(what, (long long)sum, (long long)e->part[part].sum);
    for (unsigned i = 0; i < VPMU_LOG2_BUCKETS; i++) {
        in_buckets += e->part[part].log2[i];
    }
    expect(what, (long long)times, (long long)in_buckets);
}

START_TEST(off)
{
    make(KVM_GLUE_MODE_VHE, true);
    kvm_glue_meter_switch(&meter, false);
    ck_assert(!kvm_glue_meter_is_on(&meter));
    one_exit(KVM_EXIT_MMIO);
    expect("opened", 0, fake.opened);
    expect("exits", 0, (long long)figures(KVM_EXIT_MMIO).exits);
    kvm_glue_meter_end(&meter);
    expect("said", 0, said.count);
}
END_TEST

/* The VMM's part belongs to the previous exit and ends with the next KVM_RUN. */
START_TEST(vhe)
{
    struct kvm_glue_exits e;

    make(KVM_GLUE_MODE_VHE, false);
    ck_assert(kvm_glue_meter_is_on(&meter));
    one_exit(KVM_EXIT_MMIO);
    expect("three events", 3, fake_open_events());
    one_exit(KVM_EXIT_MMIO);
    one_exit(KVM_EXIT_IO);
    e = figures(KVM_EXIT_MMIO);
    expect("exits", 2, (long long)e.exits);
    expect("measured", 2, (long long)e.measured);
    expect("scaled", 0, (long long)e.scaled);
    expect("negative", 0, (long long)e.negative);
    expect_part("guest", &e, KVM_GLUE_GUEST_CYCLES, 200, 2);
    expect_part("kernel", &e, KVM_GLUE_KERNEL_CYCLES, 40, 2);
    expect_part("VMM", &e, KVM_GLUE_VMM_CYCLES, 20, 2);
    expect_part("blackout", &e, KVM_GLUE_BLACKOUT_CYCLES, 0, 2);
    expect_part("blackout without hv", &e, KVM_GLUE_BLACKOUT_NO_HV_CYCLES, 0, 0);
    expect_part("run", &e, KVM_GLUE_RUN_NS, 240, 2);
    expect_part("VMM ns", &e, KVM_GLUE_VMM_NS, 20, 2);
    expect("100 is in 64 to 127", 2, (long long)e.part[KVM_GLUE_GUEST_CYCLES].log2[7]);
    expect("least", 100, (long long)e.part[KVM_GLUE_GUEST_CYCLES].min);
    expect("most", 100, (long long)e.part[KVM_GLUE_GUEST_CYCLES].max);
    expect_part("the last exit is not dealt with yet", &(struct kvm_glue_exits){0}, 0, 0, 0);
    e = figures(KVM_EXIT_IO);
    expect_part("guest", &e, KVM_GLUE_GUEST_CYCLES, 100, 1);
    expect_part("VMM", &e, KVM_GLUE_VMM_CYCLES, 0, 0);
    expect("said", 0, said.count);
}
END_TEST

/*
 * The blackout is the 9 cycles that neither side counts. Events with exclude_hv also miss the other
 * 6.
 */
START_TEST(nvhe)
{
    for (enum kvm_glue_mode mode = KVM_GLUE_MODE_NVHE; mode <= KVM_GLUE_MODE_PROTECTED; mode++) {
        struct kvm_glue_exits e;

        fake_start();
        make(mode, false);
        one_nvhe_exit(KVM_EXIT_MMIO);
        one_nvhe_exit(KVM_EXIT_MMIO);
        expect("five events", 5, fake_open_events());
        e = figures(KVM_EXIT_MMIO);
        expect_part("guest", &e, KVM_GLUE_GUEST_CYCLES, 200, 2);
        expect_part("kernel, with EL2", &e, KVM_GLUE_KERNEL_CYCLES, 52, 2);
        expect_part("blackout", &e, KVM_GLUE_BLACKOUT_CYCLES, 18, 2);
        expect("9 is in 8 to 15", 2, (long long)e.part[KVM_GLUE_BLACKOUT_CYCLES].log2[4]);
        expect_part("blackout without hv", &e, KVM_GLUE_BLACKOUT_NO_HV_CYCLES, 0, 2);
        expect("sum", 18, e.blackout[0]);
        expect("sum", 0, e.blackout[1]);
        kvm_glue_meter_end(&meter);
        expect("closed", 0, fake_open_events());
    }
}
END_TEST

/* The mode is known after 16 exits. From the next exit on, the counters are those for the mode. */
START_TEST(mode_found)
{
    make(KVM_GLUE_MODE_UNKNOWN, false);
    for (unsigned i = 0; i < 16; i++) {
        one_nvhe_exit(KVM_EXIT_MMIO);
    }
    expect("mode", KVM_GLUE_MODE_NVHE, kvm_glue_meter_mode(&meter));
    expect("five events", 5, fake_open_events());
    expect("none without hv", 0,
           (long long)figures(KVM_EXIT_MMIO).part[KVM_GLUE_BLACKOUT_NO_HV_CYCLES].log2[0]);
    one_nvhe_exit(KVM_EXIT_MMIO);
    expect("one", 1,
           (long long)figures(KVM_EXIT_MMIO).part[KVM_GLUE_BLACKOUT_NO_HV_CYCLES].log2[0]);
    expect("blackout", 17 * 9, figures(KVM_EXIT_MMIO).blackout[0]);
    /*
     * The VMM's part after the 16th exit is not measured, because the counters change. The part
     * after the 17th has not ended.
     */
    expect("VMM", 15 * 10, (long long)figures(KVM_EXIT_MMIO).part[KVM_GLUE_VMM_CYCLES].sum);

    fake_start();
    make(KVM_GLUE_MODE_UNKNOWN, false);
    for (unsigned i = 0; i < 16; i++) {
        expect("not before", KVM_GLUE_MODE_UNKNOWN, kvm_glue_meter_mode(&meter));
        one_exit(KVM_EXIT_MMIO);
    }
    expect("mode", KVM_GLUE_MODE_VHE, kvm_glue_meter_mode(&meter));
    expect("three events", 3, fake_open_events());
    expect("said", 0, said.count);
}
END_TEST

/*
 * While a mediated PMU is in use, only the host's cycles are counted, in each mode. Switched on
 * again without it, the meter has all cycles.
 */
START_TEST(mediated)
{
    for (enum kvm_glue_mode mode = KVM_GLUE_MODE_UNKNOWN; mode <= KVM_GLUE_MODE_NVHE; mode++) {
        struct kvm_glue_exits e;

        fake_start();
        make(mode, false);
        fake.mediated = true;
        for (unsigned i = 0; i < 20; i++) {
            one_exit(KVM_EXIT_MMIO);
        }
        expect("one event", 1, fake_open_events());
        e = figures(KVM_EXIT_MMIO);
        expect("exits", 20, (long long)e.exits);
        expect("measured", 0, (long long)e.measured);
        expect_part("guest", &e, KVM_GLUE_GUEST_CYCLES, 0, 0);
        expect_part("kernel", &e, KVM_GLUE_KERNEL_CYCLES, 400, 20);
        expect_part("VMM", &e, KVM_GLUE_VMM_CYCLES, 190, 19);
        expect_part("blackout", &e, KVM_GLUE_BLACKOUT_CYCLES, 0, 0);
        expect_part("run", &e, KVM_GLUE_RUN_NS, 2400, 20);
        expect("said", 1u << KVM_GLUE_TOPIC_HOST_ONLY, said.topics);
        expect("once", 1, said.count);
        expect_text("missing", "cycles of the guest and of the blackout are missing: perf refuses",
                    said.last);
        kvm_glue_meter_switch(&meter, false);
        kvm_glue_meter_enter(&meter);
        expect("given up", 0, fake_open_events());
        fake.mediated = false;
        kvm_glue_meter_switch(&meter, true);
        one_exit(KVM_EXIT_IO);
        expect("all cycles again", 1, (long long)figures(KVM_EXIT_IO).measured);
    }
}
END_TEST

/*
 * The meter keeps machines with a mediated PMU from starting until it is switched off, or its vCPU
 * ends. Software events and those of the host do not.
 */
START_TEST(gives_up)
{
    for (enum kvm_glue_mode mode = KVM_GLUE_MODE_UNKNOWN; mode <= KVM_GLUE_MODE_NVHE; mode++) {
        for (int ends = 0; ends < 2; ends++) {
            fake_start();
            make(mode, true);
            one_exit(KVM_EXIT_MMIO);
            expect("refused", -EBUSY, fake_mediated_machine());
            if (ends) {
                kvm_glue_meter_end(&meter);
            } else {
                kvm_glue_meter_switch(&meter, false);
                kvm_glue_meter_enter(&meter);
            }
            expect("closed", 0, fake_open_events());
            expect("starts", 0, fake_mediated_machine());
            kvm_glue_meter_switch(&meter, true);
            one_exit(KVM_EXIT_MMIO);
            expect("starts beside a meter of the host", 0, fake_mediated_machine());
            fake.mediated = false;
            expect("starts after the last one", 0, fake_mediated_machine());
        }
    }
}
END_TEST

/* If the host cannot be counted either, the meter has exits and times. */
START_TEST(mediated_without_host)
{
    make(KVM_GLUE_MODE_VHE, false);
    fake.mediated = true;
    /* The first open requests reads from user space, the second one does not. */
    fake.fail_open_at = 2;
    fake.fail_open_error = EBUSY;
    one_exit(KVM_EXIT_MMIO);
    expect("no event", 0, fake_open_events());
    expect("exits", 1, (long long)figures(KVM_EXIT_MMIO).exits);
    expect("said", 1u << KVM_GLUE_TOPIC_NO_PMU, said.topics);
    expect_text("why", "or a machine with a mediated PMU exists and only the host can be counted",
                said.last);
}
END_TEST

START_TEST(mode_not_found)
{
    make(KVM_GLUE_MODE_UNKNOWN, false);
    fake.starved = true;
    for (unsigned i = 0; i < 17; i++) {
        one_exit(KVM_EXIT_MMIO);
    }
    expect("mode", KVM_GLUE_MODE_UNKNOWN, kvm_glue_meter_mode(&meter));
    expect("said", 1u << KVM_GLUE_TOPIC_MODE | 1u << KVM_GLUE_TOPIC_STARVED, said.topics);
    expect("each once", 2, said.count);

    fake_start();
    make(KVM_GLUE_MODE_UNKNOWN, false);
    fake.fail_open_at = 3;
    fake.fail_open_error = ENOSPC;
    one_exit(KVM_EXIT_MMIO);
    one_exit(KVM_EXIT_MMIO);
    expect("said", 1u << KVM_GLUE_TOPIC_MODE, said.topics);
    expect("goes on", 2, (long long)figures(KVM_EXIT_MMIO).measured);
}
END_TEST

START_TEST(rows)
{
    static const struct {
        int ret;
        uint32_t reason;
        unsigned row;
    } table[] = {
        {0, 0, 0},
        {0, KVM_EXIT_MMIO, KVM_EXIT_MMIO},
        {0, 40, 40},
        /* The kernel has no such reason yet, so it has no row. */
        {0, 41, KVM_GLUE_REASON_OTHER},
        {0, 45, KVM_GLUE_REASON_OTHER},
        {0, 46, KVM_GLUE_REASON_OTHER},
        {0, UINT32_MAX, KVM_GLUE_REASON_OTHER},
        {-EINTR, KVM_EXIT_MMIO, KVM_GLUE_REASON_INTERRUPTED},
        {-EAGAIN, KVM_EXIT_MMIO, KVM_GLUE_REASON_INTERRUPTED},
        {-EFAULT, KVM_EXIT_MMIO, KVM_GLUE_REASON_OTHER},
    };
    struct kvm_glue_exits e;

    for (size_t i = 0; i < COUNT_OF(table); i++) {
        expect("row", table[i].row, kvm_glue_meter_row(table[i].ret, table[i].reason));
    }
    make(KVM_GLUE_MODE_VHE, false);
    kvm_glue_meter_enter(&meter);
    kvm_glue_meter_exit(&meter, -EINTR, KVM_EXIT_MMIO);
    kvm_glue_meter_exit(&meter, -EINTR, KVM_EXIT_MMIO);
    expect("interrupted", 1, (long long)figures(KVM_GLUE_REASON_INTERRUPTED).exits);
    expect("no row", -EINVAL, kvm_glue_meter_get(&meter, KVM_GLUE_REASONS, &e));
}
END_TEST

/*
 * The events count for a quarter of the time. All cycles are scaled by four, and this is reported
 * once.
 */
START_TEST(multiplexed)
{
    struct kvm_glue_exits e;

    make(KVM_GLUE_MODE_VHE, false);
    for (unsigned i = 0; i < 3; i++) {
        kvm_glue_meter_enter(&meter);
        fake_cycles(IN_GUEST, 100);
        fake.starved = true;
        fake_cycles(IN_GUEST, 300);
        fake.starved = false;
        kvm_glue_meter_exit(&meter, 0, KVM_EXIT_MMIO);
    }
    e = figures(KVM_EXIT_MMIO);
    expect("scaled", 3, (long long)e.scaled);
    expect_part("guest", &e, KVM_GLUE_GUEST_CYCLES, 1200, 3);
    expect("said", 1u << KVM_GLUE_TOPIC_SCALED, said.topics);
    expect("once", 1, said.count);
    expect_text("said", "cycles are scaled: the host's PMU has too few counters", said.last);
}
END_TEST

/* Other users hold the counters. Exits and times are still measured. */
START_TEST(starved)
{
    struct kvm_glue_exits e;

    make(KVM_GLUE_MODE_VHE, false);
    fake.starved = true;
    one_exit(KVM_EXIT_MMIO);
    one_exit(KVM_EXIT_MMIO);
    e = figures(KVM_EXIT_MMIO);
    expect("exits", 2, (long long)e.exits);
    expect("measured", 0, (long long)e.measured);
    expect_part("run", &e, KVM_GLUE_RUN_NS, 240, 2);
    expect_part("guest", &e, KVM_GLUE_GUEST_CYCLES, 0, 0);
    expect("said", 1u << KVM_GLUE_TOPIC_STARVED, said.topics);
    expect("once", 1, said.count);
}
END_TEST

/*
 * The host's counter is read slightly later than the one of both sides, so the blackout is
 * negative.
 */
START_TEST(negative)
{
    struct kvm_glue_exits e;

    make(KVM_GLUE_MODE_VHE, false);
    kvm_glue_meter_enter(&meter);
    fake_cycles(IN_GUEST, 100);
    fake.event[2].value += 3;
    kvm_glue_meter_exit(&meter, 0, KVM_EXIT_MMIO);
    e = figures(KVM_EXIT_MMIO);
    expect("negative", 1, (long long)e.negative);
    expect("sum", -3, e.blackout[0]);
    expect_part("bucket 0", &e, KVM_GLUE_BLACKOUT_CYCLES, 0, 1);
}
END_TEST

static void no_pmu(void)
{
    fake.has_pmu = false;
}
static void paranoid(void)
{
    fake.paranoid = 2;
}
static void tiny_pmu(void)
{
    fake.pmu_counters = 2;
}

/* A failure to open the counters does not stop the guest, and two vCPUs report it once. */
START_TEST(no_cycles)
{
    static const struct {
        void (*state)(void);
        enum kvm_glue_topic topic;
        const char *why;
    } table[] = {
        {no_pmu, KVM_GLUE_TOPIC_NO_PMU,
         "no cycles of guest and host are counted: perf_event_open: "},
        {paranoid, KVM_GLUE_TOPIC_PERMISSION, "kernel.perf_event_paranoid is 1"},
        {tiny_pmu, KVM_GLUE_TOPIC_TOO_FEW, "too few counters"},
    };

    for (size_t i = 0; i < COUNT_OF(table); i++) {
        struct kvm_glue_exits e;

        fake_start();
        make(KVM_GLUE_MODE_UNKNOWN, false);
        table[i].state();
        one_exit(KVM_EXIT_MMIO);
        one_exit(KVM_EXIT_MMIO);
        e = figures(KVM_EXIT_MMIO);
        expect("exits", 2, (long long)e.exits);
        expect_part("run", &e, KVM_GLUE_RUN_NS, 240, 2);
        expect("said", 1u << table[i].topic, said.topics);
        expect_text("said", table[i].why, said.last);
        kvm_glue_meter_init(
            &meter, &fake_os,
            &(struct kvm_glue_meter_options){KVM_GLUE_MODE_VHE, 0, 0, false, &reporter});
        kvm_glue_meter_switch(&meter, true);
        one_exit(KVM_EXIT_MMIO);
        expect("once for all vCPUs", 1, said.count);
    }
}
END_TEST

/*
 * An nVHE host with four counters opens three of the five events. The reporter may have no
 * callback.
 */
START_TEST(three_of_five)
{
    make(KVM_GLUE_MODE_NVHE, false);
    fake.pmu_counters = 4;
    one_nvhe_exit(KVM_EXIT_MMIO);
    expect("three events", 3, fake_open_events());
    expect("blackout", 9, figures(KVM_EXIT_MMIO).blackout[0]);
    expect("said", 1u << KVM_GLUE_TOPIC_TOO_FEW, said.topics);
    expect_text("said", "the blackout without exclude_hv only", said.last);

    fake_start();
    make(KVM_GLUE_MODE_NVHE, false);
    reporter.report = NULL;
    fake.pmu_counters = 4;
    one_nvhe_exit(KVM_EXIT_MMIO);
    expect("three events", 3, fake_open_events());
}
END_TEST

START_TEST(breaks)
{
    struct kvm_glue_exits e;

    make(KVM_GLUE_MODE_VHE, true);
    one_exit(KVM_EXIT_MMIO);
    fake.fail_read = -1;
    one_exit(KVM_EXIT_MMIO);
    one_exit(KVM_EXIT_MMIO);
    e = figures(KVM_EXIT_MMIO);
    expect("exits", 3, (long long)e.exits);
    expect("measured", 1, (long long)e.measured);
    expect("said", 1u << KVM_GLUE_TOPIC_BROKEN, said.topics);
    expect("once", 1, said.count);
    expect("closed", 0, fake_open_events());
}
END_TEST

/* A context switch during KVM_RUN and a fault in the VMM both belong to that exit. */
START_TEST(software)
{
    struct kvm_glue_exits e;

    make(KVM_GLUE_MODE_VHE, true);
    fake.has_pmu = false;
    kvm_glue_meter_enter(&meter);
    fake_software(PERF_COUNT_SW_CONTEXT_SWITCHES, 2);
    kvm_glue_meter_exit(&meter, 0, KVM_EXIT_MMIO);
    fake_software(PERF_COUNT_SW_PAGE_FAULTS_MIN, 5);
    kvm_glue_meter_enter(&meter);
    e = figures(KVM_EXIT_MMIO);
    expect("switches", 2, (long long)e.software[KVM_GLUE_CONTEXT_SWITCHES]);
    expect("faults", 5, (long long)e.software[KVM_GLUE_FAULTS_MINOR]);
    expect("said", 1u << KVM_GLUE_TOPIC_NO_PMU, said.topics);
    kvm_glue_meter_end(&meter);
    expect("closed", 0, fake_open_events());

    fake_start();
    make(KVM_GLUE_MODE_VHE, true);
    fake.paranoid = 2;
    kvm_glue_meter_enter(&meter);
    fake_software(PERF_COUNT_SW_CONTEXT_SWITCHES, 2);
    kvm_glue_meter_exit(&meter, 0, KVM_EXIT_MMIO);
    expect("not known", 0, (long long)figures(KVM_EXIT_MMIO).software[KVM_GLUE_CONTEXT_SWITCHES]);
    expect("said", 1u << KVM_GLUE_TOPIC_SOFTWARE | 1u << KVM_GLUE_TOPIC_PERMISSION, said.topics);

    fake_start();
    make(KVM_GLUE_MODE_VHE, true);
    fake.fail_open_at = 3;
    fake.fail_open_error = EMFILE;
    one_exit(KVM_EXIT_MMIO);
    expect("said", 1u << KVM_GLUE_TOPIC_SOFTWARE, said.topics);
    expect_text("said", "no software events are counted: ", said.last);
}
END_TEST

/* The meter is switched on during KVM_RUN, off, and on again. */
START_TEST(switched)
{
    make(KVM_GLUE_MODE_VHE, false);
    kvm_glue_meter_switch(&meter, false);
    kvm_glue_meter_enter(&meter);
    kvm_glue_meter_switch(&meter, true);
    kvm_glue_meter_exit(&meter, 0, KVM_EXIT_MMIO);
    expect("not measured", 0, (long long)figures(KVM_EXIT_MMIO).exits);
    one_exit(KVM_EXIT_MMIO);
    kvm_glue_meter_switch(&meter, false);
    kvm_glue_meter_enter(&meter);
    expect("closed", 0, fake_open_events());
    kvm_glue_meter_exit(&meter, 0, KVM_EXIT_MMIO);
    fake_cycles(IN_HOST_USER, 1000000);
    kvm_glue_meter_switch(&meter, true);
    one_exit(KVM_EXIT_MMIO);
    expect("added to", 2, (long long)figures(KVM_EXIT_MMIO).exits);
    expect("the pause counts for no side", 0,
           (long long)figures(KVM_EXIT_MMIO).part[KVM_GLUE_VMM_NS].sum);
}
END_TEST

START_TEST(ends)
{
    make(KVM_GLUE_MODE_UNKNOWN, true);
    one_exit(KVM_EXIT_MMIO);
    kvm_glue_meter_end(&meter);
    expect("closed", 0, fake_open_events());
    expect("said", 1u << KVM_GLUE_TOPIC_GONE, said.topics);
    expect("kept", 1, (long long)figures(KVM_EXIT_MMIO).exits);
    kvm_glue_meter_end(&meter);
    expect("once", 1, said.count);
    ck_assert(!kvm_glue_meter_is_on(&meter));
}
END_TEST

/* A reader learns that figures are partly updated, and gets them. */
START_TEST(torn)
{
    struct kvm_glue_exits e = {0};

    make(KVM_GLUE_MODE_VHE, false);
    one_exit(KVM_EXIT_MMIO);
    meter.sequence++;
    expect("changing", -EAGAIN, kvm_glue_meter_get(&meter, KVM_EXIT_MMIO, &e));
    expect("exits", 1, (long long)e.exits);
    expect_part("guest", &e, KVM_GLUE_GUEST_CYCLES, 100, 1);
    meter.sequence++;
    expect("done", 0, kvm_glue_meter_get(&meter, KVM_EXIT_MMIO, &e));
}
END_TEST

Suite *meter_suite(void)
{
    const TTest *const tests[] = {mediated,
                                  gives_up,
                                  mediated_without_host,
                                  off,
                                  vhe,
                                  nvhe,
                                  mode_found,
                                  mode_not_found,
                                  rows,
                                  multiplexed,
                                  starved,
                                  negative,
                                  no_cycles,
                                  three_of_five,
                                  breaks,
                                  software,
                                  switched,
                                  ends,
                                  torn};

    return suite_of("meter", tests, COUNT_OF(tests));
}
