/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "fleet/prometheus.h"
#include "unit/tests.h"
#include "vpmu/version.h"

START_TEST(event_names)
{
    static const struct {
        const char *text;
        const char *name;
        const char *context;
    } rows[] = {
        {"instructions", "vpmu_instructions_total", "all"},
        {"instructions:u", "vpmu_instructions_total", "u"},
        {"L1-dcache-load-misses:kH", "vpmu_l1_dcache_load_misses_total", "kH"},
        {"r1B", "vpmu_r1b_total", "all"},
        {"a:", "vpmu_a_total", "all"},
        {"cycles:ku", "vpmu_cycles_total", "uk"},
        {"cycles:Hukku", "vpmu_cycles_total", "ukH"},
        {"cycles:hukG", "vpmu_cycles_total", "G"},
        {"cycles:GH", "vpmu_cycles_total", "all"},
        {"cycles:ukhHG", "vpmu_cycles_total", "all"},
        {"cycles:kxu", "vpmu_cycles_total", "kxu"},
        {"\xc3\xa4{}", "vpmu______total", "all"},
    };
    char name[PROMETHEUS_SIZE];
    char context[PROMETHEUS_SIZE];
    char longest[300];

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        prometheus_event(rows[i].text, name, context);
        ck_assert_str_eq(name, rows[i].name);
        ck_assert_str_eq(context, rows[i].context);
    }
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    longest[100] = ':';
    prometheus_event(longest, name, context);
    ck_assert_uint_eq(strlen(name), strlen("vpmu_") + 64 + strlen("_total"));
    ck_assert_uint_eq(strlen(context), 64);
}
END_TEST

START_TEST(same_events)
{
    static const struct {
        const char *list;
        int result;
    } rows[] = {
        {"cycles,cycles:u,instructions", 0},
        {"cycles,cycles", -1},
        {"LD_RETIRED:u,cycles,ld_retired:u", -1},
        {"cycles:uk,cycles:ku", -1},
        {"cycles:GH,cycles", -1},
        {"{cycles:k,instructions}:u,cycles:uk", -1},
        {"cycles:u,cycles:uH", 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct events events = {0};
        struct error t = {0};

        ck_assert_int_eq(events_add(&events, rows[i].list, &t), 0);
        ck_assert_int_eq(prometheus_check(&events, &t), rows[i].result);
        ck_assert_int_eq(t.code, rows[i].result ? ERROR_USAGE : ERROR_NONE);
        events_free(&events);
    }
}
END_TEST

struct scene {
    struct events events;
    unsigned cpu[2];
    uint64_t counts[6];
    struct member member[3];
    struct fleet fleet;
};

/*
 * Makes three machines: one with two vCPUs and a name that needs escapes, one that is down, and one
 * that is hidden.
 */
static void set_scene(struct scene *s, const char *events)
{
    static char name[] = "a\"b\\c\nd";
    static char path[] = "x.qmp";
    struct error t = {0};

    *s = (struct scene){.cpu = {0, 7}, .counts = {1, 2, 3, 4, UINT64_MAX, 6}};
    ck_assert_int_eq(events_add(&s->events, events, &t), 0);
    s->member[0] = (struct member){
        .target = {.name = path},
        .name = name,
        .up = true,
        .now = {.vcpus = 2, .cpu = s->cpu, .counts = s->counts, .version = "p5", .seconds = 0.25},
    };
    s->member[1] = (struct member){.target = {.name = path}, .name = path};
    s->member[2] = (struct member){.target = {.name = path}, .name = path, .hidden = true};
    s->fleet.plan.events = &s->events;
    s->fleet.n = 3;
    for (size_t i = 0; i < 3; i++) {
        s->fleet.member[i] = &s->member[i];
    }
}

static char *text_of(const struct fleet *f)
{
    char *text = NULL;
    size_t len;
    FILE *to = open_memstream(&text, &len);

    ck_assert_ptr_nonnull(to);
    prometheus_print(to, f);
    fclose(to);
    return text;
}

/*
 * The whole text, written by hand. All contexts of an event are printed together, even if another
 * event is between them on the command line.
 */
START_TEST(whole_text)
{
    static const char expected[] =
        "# HELP vpmu_exporter_info 1; the exporter's version.\n"
        "# TYPE vpmu_exporter_info gauge\n"
        "vpmu_exporter_info{version=\"" VPMU_VERSION "\"} 1\n"
        "# HELP vpmu_host_kvm_pmu Whether the KVM of the exporter's host gives counters to guests "
        "by this design.\n"
        "# TYPE vpmu_host_kvm_pmu gauge\n"
        "vpmu_host_kvm_pmu{design=\"events\"} 0\n"
        "vpmu_host_kvm_pmu{design=\"mediated\"} 1\n"
        "vpmu_host_kvm_pmu{design=\"partitioned\"} 0\n"
        "# HELP vpmu_up Whether the machine answered.\n"
        "# TYPE vpmu_up gauge\n"
        "vpmu_up{machine=\"a\\\"b\\\\c\\nd\"} 1\n"
        "vpmu_up{machine=\"x.qmp\"} 0\n"
        "# HELP vpmu_machine_info 1; the labels are the version of the PMU and the libvirt "
        "URI or socket.\n"
        "# TYPE vpmu_machine_info gauge\n"
        "vpmu_machine_info{machine=\"a\\\"b\\\\c\\nd\",version=\"p5\",source=\"x.qmp\"} 1\n"
        "# HELP vpmu_vcpus vCPUs with a virtual PMU.\n"
        "# TYPE vpmu_vcpus gauge\n"
        "vpmu_vcpus{machine=\"a\\\"b\\\\c\\nd\"} 2\n"
        "# HELP vpmu_read_seconds How long the machine took to answer.\n"
        "# TYPE vpmu_read_seconds gauge\n"
        "vpmu_read_seconds{machine=\"a\\\"b\\\\c\\nd\"} 0.250000\n"
        "# HELP vpmu_cycles_total Events on the vCPU since the exporter found the machine.\n"
        "# TYPE vpmu_cycles_total counter\n"
        "vpmu_cycles_total{machine=\"a\\\"b\\\\c\\nd\",vcpu=\"0\",context=\"u\"} 1\n"
        "vpmu_cycles_total{machine=\"a\\\"b\\\\c\\nd\",vcpu=\"7\",context=\"u\"} 4\n"
        "vpmu_cycles_total{machine=\"a\\\"b\\\\c\\nd\",vcpu=\"0\",context=\"k\"} 3\n"
        "vpmu_cycles_total{machine=\"a\\\"b\\\\c\\nd\",vcpu=\"7\",context=\"k\"} 6\n"
        "# HELP vpmu_branches_total Events on the vCPU since the exporter found the machine.\n"
        "# TYPE vpmu_branches_total counter\n"
        "vpmu_branches_total{machine=\"a\\\"b\\\\c\\nd\",vcpu=\"0\",context=\"all\"} 2\n"
        "vpmu_branches_total{machine=\"a\\\"b\\\\c\\nd\",vcpu=\"7\",context=\"all\"} "
        "18446744073709551615\n";
    struct scene s;
    char *text;

    set_scene(&s, "cycles:u,branches,cycles:k");
    s.fleet.design = KVM_GLUE_DESIGN_MEDIATED;
    text = text_of(&s.fleet);
    ck_assert_str_eq(text, expected);
    free(text);
    events_free(&s.events);
}
END_TEST

/*
 * Windows of 0, 1, 1, 16 to 31, and 2^40 instructions. Buckets are cumulative. The largest window
 * is only in +Inf. The total is the sum of the buckets, even if the machine reports another number.
 */
START_TEST(histogram)
{
    static const char *const lines[] = {
        "_bucket{machine=\"x\",span=\"exit\",le=\"0\"} 1\n",
        "_bucket{machine=\"x\",span=\"exit\",le=\"1\"} 3\n",
        "_bucket{machine=\"x\",span=\"exit\",le=\"15\"} 3\n",
        "_bucket{machine=\"x\",span=\"exit\",le=\"31\"} 4\n",
        "_bucket{machine=\"x\",span=\"exit\",le=\"16777215\"} 4\n",
        "_bucket{machine=\"x\",span=\"exit\",le=\"+Inf\"} 5\n",
        "_sum{machine=\"x\",span=\"exit\"} 1099511627802\n",
        "_count{machine=\"x\",span=\"exit\"} 5\n",
        "_bucket{machine=\"x\",span=\"entry\",le=\"+Inf\"} 0\n",
        "vpmu_blackout_cycles_total{machine=\"x\",span=\"exit\"} 77\n",
        "vpmu_blackout_seconds_total{machine=\"x\",span=\"exit\"} 3.000000004\n",
        "vpmu_blackout_exits_total{machine=\"x\",reason=\"hvc64\"} 9\n",
        "vpmu_blackout_exits_total{machine=\"x\",reason=\"other\"} 0\n",
    };
    static char name[] = "x";
    struct scene s;
    struct span *exits;
    char *text;

    set_scene(&s, "cycles");
    s.fleet.plan.meter = true;
    s.member[0].name = name;
    s.member[0].now.metered = true;
    exits = &s.member[0].now.blackout.span[VPMU_SPAN_EXIT];
    exits->w = (struct windows){.n = 4, .instructions = 1099511627802};
    exits->cycles = 77;
    exits->nanoseconds = 3000000004;
    exits->histogram.n[0] = 1;
    exits->histogram.n[1] = 2;
    exits->histogram.n[5] = 1;
    exits->histogram.n[41] = 1;
    for (unsigned i = 0; blackout_reason_name(i); i++) {
        if (strcmp(blackout_reason_name(i), "hvc64") == 0) {
            s.member[0].now.blackout.reason[i].n = 9;
        }
    }
    text = text_of(&s.fleet);
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        ck_assert_msg(strstr(text, lines[i]) != NULL, "no line %s", lines[i]);
    }
    free(text);
    events_free(&s.events);
}
END_TEST

/* The guest's use of its counters, for each vCPU. It is printed only if the plan includes it. */
START_TEST(guest)
{
    static const char *const lines[] = {
        "vpmu_guest_event_counters{machine=\"x\",vcpu=\"0\"} 6\n"
        "vpmu_guest_event_counters{machine=\"x\",vcpu=\"7\"} 31\n",
        "vpmu_guest_event_counters_enabled{machine=\"x\",vcpu=\"0\"} 5\n",
        "vpmu_guest_event_counters_uncounted{machine=\"x\",vcpu=\"0\"} 1\n",
        "# TYPE vpmu_guest_looks_total counter\n"
        "vpmu_guest_looks_total{machine=\"x\",vcpu=\"0\"} 18446744073709551615\n",
        "vpmu_guest_looks_changed_total{machine=\"x\",vcpu=\"0\"} 8\n"
        "vpmu_guest_looks_changed_total{machine=\"x\",vcpu=\"7\"} 0\n",
    };
    struct guest_use use[] = {
        {.counters = 6, .enabled = 5, .uncounted = 1, .looks = UINT64_MAX, .changed = 8},
        {.counters = 31},
    };
    static char name[] = "x";
    struct scene s;
    char *text;

    set_scene(&s, "cycles");
    s.member[0].name = name;
    s.member[0].now.guest = use;
    text = text_of(&s.fleet);
    ck_assert_ptr_null(strstr(text, "vpmu_guest"));
    free(text);
    s.fleet.plan.guest = true;
    text = text_of(&s.fleet);
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        ck_assert_msg(strstr(text, lines[i]) != NULL, "no line %s", lines[i]);
    }
    free(text);
    events_free(&s.events);
}
END_TEST

Suite *prometheus_suite(void)
{
    const TTest *const tests[] = {event_names, same_events, whole_text, histogram, guest};

    return suite_of("prometheus", tests, COUNT_OF(tests));
}
