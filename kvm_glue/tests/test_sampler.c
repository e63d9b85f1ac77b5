/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples of a guest: the requests to the kernel, the records from its ring, and the sums. */
#define _GNU_SOURCE
#include <errno.h>
#include <time.h>

#include "fixture.h"
#include "kvm_glue/sampler.h"

#define RING 4096u
#define FIRST_FD 50
#define TYPE 8 /* of the host's PMU */
#define ID(event) (1000u + 7u * (event))
#define RATE "/proc/sys/kernel/perf_event_max_sample_rate"

/* A fake perf, as far as a sampler needs it. */
static struct {
    struct perf_event_attr attr[KVM_GLUE_SAMPLER_EVENTS];
    int group[KVM_GLUE_SAMPLER_EVENTS];
    int output[KVM_GLUE_SAMPLER_EVENTS];
    bool on[KVM_GLUE_SAMPLER_EVENTS];
    uint64_t value[KVM_GLUE_SAMPLER_EVENTS];
    uint64_t lost[KVM_GLUE_SAMPLER_EVENTS];
    unsigned opened;
    unsigned closed;
    bool mapped;
    bool full;       /* the ring has no space */
    bool before_6_0; /* the kernel does not support PERF_FORMAT_LOST */
    int fail_open;
    int fail_map;
    unsigned long fail_request;
    int fail_read;
    long cut_read; /* the number of bytes that are missing */
    struct perf_event_mmap_page page;
    uint64_t data[RING / sizeof(uint64_t)];
} k;

static int open_one(const struct perf_event_attr *attr, pid_t tid, int group)
{
    expect("the calling thread", 0, tid);
    if (k.fail_open) {
        return -k.fail_open;
    }
    if (k.before_6_0 && (attr->read_format & PERF_FORMAT_LOST)) {
        return -EINVAL;
    }
    k.attr[k.opened] = *attr;
    k.group[k.opened] = group;
    return FIRST_FD + (int)k.opened++;
}

static int control(int fd, unsigned long request, void *arg)
{
    unsigned event = (unsigned)(fd - FIRST_FD);
    bool all = arg == (void *)PERF_IOC_FLAG_GROUP;

    if (request == k.fail_request) {
        return -EIO;
    }
    if (request == PERF_EVENT_IOC_ID) {
        *(uint64_t *)arg = ID(event);
    } else if (request == PERF_EVENT_IOC_SET_OUTPUT) {
        k.output[event] = (int)(intptr_t)arg;
    } else {
        for (unsigned i = event; i < (all ? k.opened : event + 1); i++) {
            k.on[i] = request == PERF_EVENT_IOC_ENABLE;
        }
    }
    return 0;
}

static size_t add_words(uint64_t *to, size_t n, unsigned event, bool group)
{
    to[n++] = k.value[event];
    if (!group) {
        to[n++] = 90;
        to[n++] = 60;
    }
    to[n++] = ID(event);
    if (k.attr[event].read_format & PERF_FORMAT_LOST) {
        to[n++] = k.lost[event];
    }
    return n;
}

/*
 * Writes what read(2) returns, which a sample of a group also contains. Returns the number of
 * words.
 */
static size_t values_of(unsigned event, uint64_t *to)
{
    size_t n = 3;

    if (!(k.attr[event].read_format & PERF_FORMAT_GROUP)) {
        return add_words(to, 0, event, false);
    }
    to[0] = k.opened;
    to[1] = 90;
    to[2] = 60;
    for (unsigned i = 0; i < k.opened; i++) {
        n = add_words(to, n, i, true);
    }
    return n;
}

static ssize_t read_one(int fd, void *buf, size_t len)
{
    ssize_t got;

    if (k.fail_read) {
        return -k.fail_read;
    }
    got = (ssize_t)(values_of((unsigned)(fd - FIRST_FD), buf) * sizeof(uint64_t));
    ck_assert((size_t)got <= len);
    return got - k.cut_read;
}

static int close_one(int fd)
{
    if (fd < FIRST_FD || fd >= FIRST_FD + (int)KVM_GLUE_SAMPLER_EVENTS) {
        return fake_os.close(fd);
    }
    k.closed++;
    return 0;
}

static int map_one(int fd, size_t size, struct perf_event_mmap_page **page, const void **data)
{
    expect("the first event's", FIRST_FD, fd);
    expect("size", RING, (long long)size);
    if (k.fail_map) {
        return -k.fail_map;
    }
    k.mapped = true;
    *page = &k.page;
    *data = k.data;
    return 0;
}

static void unmap_one(struct perf_event_mmap_page *page, size_t size)
{
    ck_assert(page == &k.page && size == RING);
    k.mapped = false;
}

static struct kvm_glue_os perf_os;

static struct kvm_glue_sampler begin(bool values)
{
    const struct kvm_glue_sampler_options options = {values, RING};
    struct kvm_glue_sampler s;

    memset(&k, 0, sizeof(k));
    perf_os = fake_os;
    perf_os.perf_open = open_one;
    perf_os.ioctl = control;
    perf_os.read = read_one;
    perf_os.close = close_one;
    perf_os.map_ring = map_one;
    perf_os.unmap_ring = unmap_one;
    kvm_glue_sampler_init(&s, &perf_os, &options);
    return s;
}

/* Adds events with period 100, with period 1, and without a period, or with a frequency. */
static void add_three(struct kvm_glue_sampler *s, uint64_t frequency)
{
    const struct kvm_glue_sampled events[] = {
        {.type = TYPE, .config = 8, .period = 100},
        {.type = TYPE, .config = 0x11, .exclude_user = true, .period = 1},
        {.type = TYPE, .config = 3, .exclude_kernel = true, .frequency = frequency},
    };

    for (size_t i = 0; i < COUNT_OF(events); i++) {
        expect("add", 0, kvm_glue_sampler_add(s, &events[i], NULL));
    }
}

static void put(uint32_t type, uint16_t misc, const uint64_t *words, size_t n)
{
    struct perf_event_header head = {type, misc, (uint16_t)((n + 1) * sizeof(*words))};
    uint64_t word;

    memcpy(&word, &head, sizeof(word));
    for (size_t i = 0; i <= n; i++) {
        k.data[k.page.data_head / sizeof(word) % COUNT_OF(k.data)] = i ? words[i - 1] : word;
        k.page.data_head += sizeof(word);
    }
}

/* In a full ring, records of all types are lost (Linux, __perf_output_begin()). */
static void put_of(unsigned event, uint32_t type, uint16_t misc, const uint64_t *words, size_t n)
{
    if (k.full) {
        k.lost[event]++;
    } else {
        put(type, misc, words, n);
    }
}

static void put_throttle(unsigned event, uint32_t type)
{
    put_of(event, type, 0, (uint64_t[]){1, ID(event), ID(event)}, 3);
}

static void put_sample(unsigned event, uint16_t misc, uint64_t pc, uint64_t period)
{
    uint64_t words[4 + 3 + 3 * KVM_GLUE_SAMPLER_EVENTS] = {ID(event), pc, 10 * pc, period};
    bool values = k.attr[event].sample_type & PERF_SAMPLE_READ;

    put_of(event, PERF_RECORD_SAMPLE, misc, words, 4 + (values ? values_of(event, words + 4) : 0));
}

static struct kvm_glue_sample_taken expect_taken(struct kvm_glue_sampler *s, unsigned event)
{
    struct kvm_glue_sample_taken taken = {.event = 99};

    expect("something", 1, kvm_glue_sampler_next(s, &taken));
    expect("event", event, taken.event);
    return taken;
}

static void expect_nothing(struct kvm_glue_sampler *s)
{
    struct kvm_glue_sample_taken taken;

    expect("nothing", 0, kvm_glue_sampler_next(s, &taken));
}

static struct kvm_glue_sampler_count count_of(const struct kvm_glue_sampler *s, unsigned event)
{
    struct kvm_glue_sampler_count count;

    expect("read", 0, kvm_glue_sampler_read(s, event, &count));
    return count;
}

/* Each event counts on its own. All write to the ring of the first event. */
START_TEST(asked_for)
{
    struct kvm_glue_sampler s = begin(false);

    expect("none yet", -1, kvm_glue_sampler_fd(&s));
    expect_nothing(&s);
    add_three(&s, 4000);
    expect("to poll", FIRST_FD, kvm_glue_sampler_fd(&s));
    for (unsigned i = 0; i < 3; i++) {
        const struct perf_event_attr *attr = &k.attr[i];

        ck_assert(attr->type == TYPE && attr->disabled && attr->exclude_host &&
                  !attr->exclude_guest);
        ck_assert(!attr->inherit && !attr->pinned && attr->use_clockid);
        expect("clock", CLOCK_MONOTONIC, attr->clockid);
        expect("half full", RING / 2, attr->watermark ? attr->wakeup_watermark : 0);
        expect("no group", -1, k.group[i]);
        expect("output", i ? FIRST_FD : 0, k.output[i]);
        expect("user", i == 1, attr->exclude_user);
        expect("kernel", i == 2, attr->exclude_kernel);
    }
    ck_assert(!k.attr[0].freq && k.attr[0].sample_period == 100 && k.attr[0].config == 8);
    ck_assert(k.attr[2].freq && k.attr[2].sample_freq == 4000);
    expect("on", 0, kvm_glue_sampler_switch(&s, true));
    ck_assert(k.on[0] && k.on[1] && k.on[2]);
    expect("off", 0, kvm_glue_sampler_switch(&s, false));
    ck_assert(!k.on[0] && !k.on[1] && !k.on[2]);
    kvm_glue_sampler_close(&s);
    kvm_glue_sampler_close(&s);
    expect("closed", 3, k.closed);
    ck_assert(!k.mapped);
}
END_TEST

/* The weights of the samples plus the rest equal the count. */
START_TEST(sums)
{
    struct kvm_glue_sampler s = begin(false);
    struct kvm_glue_sample_taken taken;
    struct kvm_glue_sampler_count count;

    add_three(&s, 4000);
    put_sample(0, PERF_RECORD_MISC_GUEST_KERNEL, 0x4000, 100);
    put_throttle(0, PERF_RECORD_UNTHROTTLE);
    put_sample(2, PERF_RECORD_MISC_GUEST_USER, 0x5000, 17);
    put_sample(2, PERF_RECORD_MISC_GUEST_USER, 0x6000, 23);
    taken = expect_taken(&s, 0);
    ck_assert(!taken.lost && !taken.user && taken.pc == 0x4000 && taken.time == 0x28000);
    ck_assert(taken.weight == 100 && taken.value == NULL);
    taken = expect_taken(&s, 2);
    ck_assert(taken.user && taken.weight == 17);
    expect("weight", 23, (long long)expect_taken(&s, 2).weight);
    expect_nothing(&s);
    k.value[0] = 153;
    k.value[2] = 44;
    count = count_of(&s, 0);
    ck_assert(count.count == 153 && count.weight == 100 && count.samples == 1 && !count.lost);
    ck_assert(count.enabled == 90 && count.running == 60 && count.period == 100);
    count = count_of(&s, 1);
    ck_assert(!count.count && !count.weight && !count.samples && count.period == 1);
    count = count_of(&s, 2);
    ck_assert(count.count == 44 && count.weight == 40 && count.samples == 2 && count.period == 23);
    kvm_glue_sampler_close(&s);
}
END_TEST

/*
 * A group: one ioctl switches it, and each sample has the values in the order of
 * kvm_glue_sampler_add(), whatever the kernel's order.
 */
START_TEST(values)
{
    struct kvm_glue_sampler s = begin(true);
    struct kvm_glue_sample_taken taken;

    add_three(&s, 0);
    ck_assert(k.attr[0].disabled && !k.attr[1].disabled && !k.attr[2].disabled);
    ck_assert(k.group[0] == -1 && k.group[1] == FIRST_FD && k.group[2] == FIRST_FD);
    expect("on", 0, kvm_glue_sampler_switch(&s, true));
    ck_assert(k.on[0] && k.on[1] && k.on[2]);
    for (unsigned i = 0; i < 3; i++) {
        k.value[i] = 11 * (i + 1);
    }
    put_sample(0, PERF_RECORD_MISC_GUEST_KERNEL, 0x4000, 100);
    taken = expect_taken(&s, 0);
    ck_assert(taken.value[0] == 11 && taken.value[1] == 22 && taken.value[2] == 33);
    expect("read", 33, (long long)count_of(&s, 2).count);
    expect("not sampled", 0, (long long)count_of(&s, 2).period);
    kvm_glue_sampler_close(&s);
}
END_TEST

static void expect_lost(struct kvm_glue_sampler *s, unsigned event, uint64_t n, bool elsewhere)
{
    struct kvm_glue_sample_taken taken = expect_taken(s, event);

    expect("lost", (long long)n, (long long)taken.lost);
    expect("elsewhere", elsewhere, taken.elsewhere);
}

/* The kernel tells to which event the lost samples belong. */
START_TEST(lost)
{
    for (int group = 0; group < 2; group++) {
        struct kvm_glue_sampler s = begin(group);
        struct kvm_glue_sampler_count count;

        add_three(&s, 0);
        k.lost[0] = 3;
        k.lost[1] = 2;
        put(PERF_RECORD_LOST, 0, (uint64_t[]){ID(2), 5}, 2);
        put_sample(0, PERF_RECORD_MISC_GUEST_KERNEL, 1, 100);
        expect_lost(&s, 0, 3, false);
        expect_lost(&s, 1, 2, false);
        expect_lost(&s, 0, 0, false);
        k.lost[1] = 4;
        put(PERF_RECORD_LOST, 0, (uint64_t[]){ID(2), 2}, 2);
        expect_lost(&s, 1, 2, false);
        expect_nothing(&s);
        k.lost[0] = 4; /* no record reports the last one */
        k.value[0] = 512;
        count = count_of(&s, 0);
        ck_assert(count.lost == 4 && count.weight == 500 && count.samples == 1);
        expect("all", 4, (long long)count_of(&s, 1).lost);
        kvm_glue_sampler_close(&s);
    }
}
END_TEST

/* The kernel counts lost records of throttling as lost samples. They stand for no events. */
START_TEST(lost_throttle)
{
    for (int group = 0; group < 2; group++) {
        struct kvm_glue_sampler s = begin(group);
        struct kvm_glue_sampler_count count;

        add_three(&s, 0);
        put_sample(0, PERF_RECORD_MISC_GUEST_KERNEL, 1, 100);
        k.full = true;
        put_sample(0, PERF_RECORD_MISC_GUEST_KERNEL, 1, 100);
        put_throttle(0, PERF_RECORD_THROTTLE);
        k.value[0] = 212;
        expect_taken(&s, 0);
        count = count_of(&s, 0);
        ck_assert(count.lost == 2 && count.weight == 212 && count.samples == 1);
        kvm_glue_sampler_close(&s);
    }
}
END_TEST

/* Before Linux 6.0, lost samples are attributed to the event that writes the record. */
START_TEST(lost_before_6_0)
{
    struct kvm_glue_sampler s = begin(false);

    k.before_6_0 = true;
    add_three(&s, 0);
    ck_assert(!(k.attr[2].read_format & PERF_FORMAT_LOST));
    put(PERF_RECORD_LOST, 0, (uint64_t[]){ID(0), 5}, 2);
    put(PERF_RECORD_LOST, 0, (uint64_t[]){ID(1), 0}, 2);
    expect_lost(&s, 0, 5, false);
    expect_nothing(&s);
    k.value[0] = 512;
    expect("told", 5, (long long)count_of(&s, 0).lost);
    expect("weight", 500, (long long)count_of(&s, 0).weight);
    kvm_glue_sampler_close(&s);
}
END_TEST

/* Samples of the host, which do not tell where the guest was, and events that were throttled. */
START_TEST(elsewhere)
{
    static const uint16_t modes[] = {PERF_RECORD_MISC_CPUMODE_UNKNOWN, PERF_RECORD_MISC_KERNEL,
                                     PERF_RECORD_MISC_USER, PERF_RECORD_MISC_HYPERVISOR};
    struct kvm_glue_sampler s = begin(false);
    struct kvm_glue_sampler_count count;

    add_three(&s, 0);
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        put_sample(0, modes[i], 0xffff, 100);
        expect_lost(&s, 0, 1, true);
    }
    put_throttle(0, PERF_RECORD_THROTTLE);
    expect_nothing(&s);
    k.value[0] = 450;
    k.lost[0] = 0;
    count = count_of(&s, 0);
    ck_assert(count.samples == 0 && count.lost == 4 && count.elsewhere == 4);
    ck_assert(count.weight == 400 && count.throttled == 1);
    kvm_glue_sampler_close(&s);
}
END_TEST

/* An invalid record ends the ring. Earlier samples are kept. */
START_TEST(invalid_record)
{
#define VALUES 0, ID(0), 0, 0, ID(1), 0, 0, ID(2), 0
    static const struct {
        const char *name;
        bool values;
        uint32_t type;
        size_t n;
        uint64_t words[16];
    } rows[] = {
        {"a sample cut short", false, PERF_RECORD_SAMPLE, 3, {ID(0), 1, 1}},
        {"of no event", false, PERF_RECORD_SAMPLE, 4, {ID(3), 1, 1, 100}},
        {"that stands for nothing", false, PERF_RECORD_SAMPLE, 4, {ID(0), 1, 1, 0}},
        {"without its values", true, PERF_RECORD_SAMPLE, 4, {ID(0), 1, 1, 100}},
        {"with one too few", true, PERF_RECORD_SAMPLE, 16, {ID(0), 1, 1, 100, 2, 1, 1, VALUES}},
        {"one too many", true, PERF_RECORD_SAMPLE, 16, {ID(0), 1, 1, 100, 4, 1, 1, VALUES}},
        {"far too many", true, PERF_RECORD_SAMPLE, 16, {ID(0), 1, 1, 100, ~0ull, 1, 1, VALUES}},
        {"with values cut", true, PERF_RECORD_SAMPLE, 15, {ID(0), 1, 1, 100, 3, 1, 1, VALUES}},
        {"lost, cut", false, PERF_RECORD_LOST, 1, {ID(0)}},
        {"lost of no event", false, PERF_RECORD_LOST, 2, {1, 1}},
        {"stopped, cut", false, PERF_RECORD_THROTTLE, 1, {1}},
        {"stopped, no event", false, PERF_RECORD_THROTTLE, 3, {1, 1, 1}},
    };
    struct kvm_glue_sample_taken taken;

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct kvm_glue_sampler s = begin(rows[i].values);

        add_three(&s, 0);
        put_sample(0, PERF_RECORD_MISC_GUEST_KERNEL, 1, 100);
        put(rows[i].type, PERF_RECORD_MISC_GUEST_KERNEL, rows[i].words, rows[i].n);
        put_sample(0, PERF_RECORD_MISC_GUEST_KERNEL, 1, 100);
        expect_taken(&s, 0);
        expect(rows[i].name, -EPROTO, kvm_glue_sampler_next(&s, &taken));
        expect("for good", -EPROTO, kvm_glue_sampler_next(&s, &taken));
        expect("samples", 1, (long long)count_of(&s, 0).samples);
        kvm_glue_sampler_close(&s);
    }
}
END_TEST

/* Values of an unknown event. */
START_TEST(other_values)
{
    struct kvm_glue_sampler s = begin(true);
    struct kvm_glue_sample_taken taken;

    add_three(&s, 0);
    s.id[2]++;
    put_sample(0, PERF_RECORD_MISC_GUEST_KERNEL, 1, 100);
    expect("sample", -EPROTO, kvm_glue_sampler_next(&s, &taken));
    expect("read", -ENODEV, kvm_glue_sampler_read(&s, 2, &(struct kvm_glue_sampler_count){0}));
    kvm_glue_sampler_close(&s);
}
END_TEST

START_TEST(open_errors)
{
    static const struct {
        const char *why;
        int open;
        int map;
        unsigned long request;
        int error;
        uint64_t frequency;
    } rows[] = {
        {"the host has no PMU that counts this", ENOENT, 0, 0, ENOENT, 0},
        {"a machine with a mediated PMU exists and only the host can be counted", EOPNOTSUPP, 0, 0,
         EOPNOTSUPP, 0},
        {"kernel.perf_event_paranoid is 1", EACCES, 0, 0, EACCES, 0},
        {"too few counters for these events together", EINVAL, 0, 0, EINVAL, 0},
        {"too few counters for these events together", EINVAL, 0, 0, EINVAL, 5000},
        {"max_sample_rate allows 5000 samples a second", EINVAL, 0, 0, EINVAL, 5001},
        {"refuses a buffer of 4 KiB for samples: Operation not permitted", 0, EPERM, 0, EPERM, 0},
        {"larger kernel.perf_event_mlock_kb", 0, ENOMEM, 0, ENOMEM, 0},
        {"cannot be set up", 0, 0, PERF_EVENT_IOC_ID, EIO, 0},
    };

    fake_file(RATE, "5000\n");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct kvm_glue_sampler s = begin(false);
        struct kvm_glue_sampled event = {.type = TYPE, .config = 8, .frequency = rows[i].frequency};
        struct kvm_glue_error err;

        k.fail_open = rows[i].open;
        k.fail_map = rows[i].map;
        k.fail_request = rows[i].request;
        expect(rows[i].why, -rows[i].error, kvm_glue_sampler_add(&s, &event, &err));
        expect_text("why", rows[i].why, err.text);
        expect("nothing stays open", k.opened, k.closed);
        ck_assert(!k.mapped && kvm_glue_sampler_fd(&s) == -1);
        k.fail_open = k.fail_map = 0;
        k.opened = 0;
        k.fail_request = 0;
        expect("again", 0, kvm_glue_sampler_add(&s, &event, &err));
        ck_assert(s.tells_lost);
        kvm_glue_sampler_close(&s);
    }
}
END_TEST

/* The events that were added before are kept. */
START_TEST(one_too_many)
{
    const struct kvm_glue_sampled event = {.type = TYPE, .config = 8, .period = 1};
    struct kvm_glue_sampler s = begin(false);
    struct kvm_glue_error err;

    for (unsigned i = 0; i < KVM_GLUE_SAMPLER_EVENTS; i++) {
        expect("add", 0, kvm_glue_sampler_add(&s, &event, &err));
    }
    expect("too many", -E2BIG, kvm_glue_sampler_add(&s, &event, &err));
    expect_text("why", "can have 32 events", err.text);
    kvm_glue_sampler_close(&s);
    s = begin(false);
    expect("one", 0, kvm_glue_sampler_add(&s, &event, &err));
    k.fail_request = PERF_EVENT_IOC_SET_OUTPUT;
    expect("output", -EIO, kvm_glue_sampler_add(&s, &event, &err));
    ck_assert(k.mapped && k.opened == 2 && k.closed == 1);
    k.fail_request = PERF_EVENT_IOC_ENABLE;
    expect("on", -EIO, kvm_glue_sampler_switch(&s, true));
    kvm_glue_sampler_close(&s);
    expect("all", 2, k.closed);
}
END_TEST

START_TEST(read_errors)
{
    struct kvm_glue_sampler_count count;

    for (int group = 0; group < 2; group++) {
        struct kvm_glue_sampler s = begin(group);

        add_three(&s, 0);
        k.fail_read = EIO;
        expect("error", -EIO, kvm_glue_sampler_read(&s, 1, &count));
        k.fail_read = 0;
        k.cut_read = 8;
        expect("cut", -ENODEV, kvm_glue_sampler_read(&s, 1, &count));
        k.cut_read = 1;
        expect("cut", -ENODEV, kvm_glue_sampler_read(&s, 1, &count));
        expect("no such event", -EINVAL, kvm_glue_sampler_read(&s, 3, &count));
        kvm_glue_sampler_close(&s);
        expect("closed", -EINVAL, kvm_glue_sampler_read(&s, 0, &count));
    }
}
END_TEST

Suite *sampler_suite(void)
{
    const TTest *const tests[] = {
        asked_for, sums,           values,       lost,        lost_throttle, lost_before_6_0,
        elsewhere, invalid_record, other_values, open_errors, one_too_many,  read_errors};

    return suite_of("sampler", tests, COUNT_OF(tests));
}
