/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzz target: the input is sent in place of samples. The file must stay bounded, and there is at
 * most an error of one line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpuperf/cpuperf-trace.h"
#include "fuzz.h"
#include "record/recording.h"
#include "fixtures/streams.h"

/* The most bytes of the file for each byte of a record. Features are added to that. */
#define MOST_PER_BYTE 8u
#define MOST_ELSE (4u << 20)

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* Checks the result of either writer: @err agrees with the error, and the file is bounded. */
static void check(int err, const struct error *t, const struct stream *s, size_t written,
                  size_t size)
{
    require((err == 0) == (t->code == ERROR_NONE));
    for (const char *p = t->text; *p; p++) {
        require((unsigned char)*p >= ' ' && *p != 0x7f);
    }
    require(written <= (size_t)s->start.cpus * (s->start.events + 1u) * 128 + size * MOST_PER_BYTE +
                           MOST_ELSE);
}

static void record(const uint8_t *data, size_t size)
{
    static struct recording r;
    struct error t = {0};
    char *buf = NULL;
    size_t written = 0;
    int err;

    r = (struct recording){.file = {.host = "host",
                                    .pipe = size % 2,
                                    .chains = size / 2 % 2,
                                    .spans = size / 4 % 2,
                                    .branches = size / 16 % 2},
                           .symfs = size / 8 % 2 ? "/nowhere" : NULL};
    r.file.file = open_memstream(&buf, &written);
    require(r.file.file);
    err = recording_take(&r, data, size, &t);
    require((err == 0) == (t.code == ERROR_NONE));
    err = err ? err : recording_finish(&r, &t);
    require(fclose(r.file.file) == 0);
    check(err, &t, &r.stream, written, size);
    recording_free(&r);
    free(buf);
}

/* Makes a session with the number of events that the stream states. */
static void trace(const uint8_t *data, size_t size)
{
    const struct category_event *event = categories_get(0)->event;
    static struct cpuperf_trace c;
    struct cpuperf session = {.n = size > 20 ? data[20] % (CPUPERF_EVENTS + 1) : 0,
                              .tally = size % 5 == 0,
                              .pc = size % 2};
    struct error t = {0};
    char *buf = NULL;
    size_t written = 0;
    int err;

    for (size_t i = 0; i < session.n; i++) {
        session.event[i] = event;
    }
    c = (struct cpuperf_trace){.session = &session};
    c.fxt.file = open_memstream(&buf, &written);
    require(c.fxt.file);
    err = cpuperf_trace_take(&c, data, size, &t);
    err = err ? err : cpuperf_trace_finish(&c, &t);
    require(fclose(c.fxt.file) == 0);
    check(err, &t, &c.stream, written, size);
    cpuperf_trace_free(&c);
    free(buf);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    record(data, size);
    trace(data, size);
    return 0;
}

static void make_branches(struct chooser *c, struct made_stream *m, unsigned cpu)
{
    struct vpmu_branch branch[8];
    unsigned n = (unsigned)choose_below(c, 9);

    for (unsigned i = 0; i < n; i++) {
        branch[i] = (struct vpmu_branch){.from = choose_below(c, UINT64_MAX),
                                         .to = choose_below(c, UINT64_MAX),
                                         .type = (uint8_t)choose_below(c, VPMU_BRTYPE_COUNT),
                                         .flags = VPMU_BRANCH_HAS_FROM | VPMU_BRANCH_HAS_TO};
    }
    streams_branches(m, cpu, branch, n);
}

/* Makes a guest, a thread of it, or a sample of it if samples have no values. */
static void make_guest(struct chooser *c, struct made_stream *m, unsigned cpu, bool values)
{
    unsigned vmid = (unsigned)choose_below(c, 3);

    if (choose_one_in(c, 2)) {
        streams_guest(m, cpu, (uint64_t)vmid << 48 | choose_below(c, 3) << 12);
    }
    if (choose_one_in(c, 2)) {
        streams_guest_thread(m, cpu, !choose_one_in(c, 5), (uint32_t)choose_below(c, 5),
                             (uint32_t)choose_below(c, choose_one_in(c, 5) ? UINT32_MAX : 5000),
                             "a guest's thread");
    }
    if (!values && choose_one_in(c, 2)) {
        streams_guest_sample(m, cpu, vmid);
    }
}

/* Makes a valid stream, which the caller then changes. Mostly it has few vCPUs, for speed. */
size_t fuzz_make_input(struct chooser *c, uint8_t *buf, size_t max)
{
    static struct made_stream m;
    unsigned cpus = 1 + (unsigned)choose_below(c, choose_one_in(c, 50) ? 1000 : 3);
    unsigned events = 1 + (unsigned)choose_below(c, 3);
    unsigned values = choose_one_in(c, 3) ? 1 : 0;
    bool branches = !values && choose_one_in(c, 2);

    streams_begin(&m, cpus, events, values | (branches ? VPMU_RECORD_BRANCHES : 0));
    for (uint64_t n = choose_below(c, 20); n > 0 && m.size < max / 2; n--) {
        unsigned cpu = (unsigned)choose_below(c, cpus);
        unsigned event = (unsigned)choose_below(c, events);

        if (choose_one_in(c, 5)) {
            streams_thread(&m, cpu, !choose_one_in(c, 5), (uint32_t)choose_below(c, 5000),
                           (uint32_t)choose_below(c, UINT32_MAX), "a thread's name");
        } else if (choose_one_in(c, 5)) {
            make_guest(c, &m, cpu, values);
        } else if (choose_one_in(c, 5)) {
            streams_map(&m, cpu, (uint32_t)choose_below(c, 5),
                        choose_one_in(c, 2) ? "/usr/bin/program" : "/a/../b",
                        choose_one_in(c, 2) ? "" : "build ID");
        } else if (choose_one_in(c, 5)) {
            streams_span(&m, cpu, choose_below(c, UINT32_MAX));
        } else if (choose_one_in(c, 5)) {
            streams_lost(&m, cpu, event, choose_below(c, 100));
        } else if (choose_one_in(c, 10)) {
            streams_host(&m, cpu, event);
        } else if (branches && choose_one_in(c, 2)) {
            make_branches(c, &m, cpu);
        } else {
            streams_sample(&m, cpu, event, values ? events : 0,
                           choose_one_in(c, 3) ? (unsigned)choose_below(c, 130) : 0);
        }
    }
    streams_end(&m);
    require(m.size <= max);
    memcpy(buf, m.bytes, m.size);
    return m.size;
}
