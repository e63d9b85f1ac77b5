/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples in a stream and the resulting trace: no event is lost, even if time does not advance. */
#include "cpuperf/cpuperf-trace.h"

#include <stdlib.h>
#include <string.h>

#include "fixtures/streams.h"
#include "unit/tests.h"

#define MAX_TEXT 4096
#define MAX_STRINGS 32
#define MAX_STRING 40

/* A trace that is being read. The numbers of its strings start at 1. */
struct trace {
    char string[MAX_STRINGS][MAX_STRING];
    size_t strings;
    char text[MAX_TEXT];
    size_t n;
};

static void add_text(struct trace *t, const char *format, double number, const char *name)
{
    t->n += (size_t)snprintf(t->text + t->n, sizeof(t->text) - t->n, format, number, name);
    ck_assert_uint_lt(t->n, sizeof(t->text));
}

/* Appends "since name id: argument value ...; " for a counter of category cpu:perf. */
static void read_counter(struct trace *t, const uint64_t *word)
{
    size_t n = word[0] >> 20 & 0xf;
    const uint64_t *at = word + 4;

    ck_assert_uint_eq(word[0] >> 16 & 0xf, FXT_COUNTER);
    ck_assert_str_eq(t->string[word[0] >> 32 & 0xffff], "cpu:perf");
    ck_assert_uint_eq(word[2], 1);
    add_text(t, "%.0f %s", (double)word[1], t->string[word[0] >> 48]);
    for (; n > 0; n--, at += 2) {
        double value = (double)at[1];

        if ((at[0] & 0xf) == 5) {
            memcpy(&value, &at[1], sizeof(value));
        }
        ck_assert_uint_eq(at[0] >> 4 & 0xfff, 2);
        add_text(t, " %2$s=%1$g", value, t->string[at[0] >> 16 & 0xffff]);
    }
    ck_assert_uint_eq(*at, word[3]);
    add_text(t, " on %.0f%s; ", (double)*at, "");
}

static void add_string(struct trace *t, const uint64_t *word)
{
    size_t length = word[0] >> 32 & 0x7fff;

    ck_assert_uint_lt(++t->strings, MAX_STRINGS);
    ck_assert_uint_lt(length, MAX_STRING);
    ck_assert_uint_eq(word[0] >> 16 & 0x7fff, t->strings);
    memcpy(t->string[t->strings], &word[1], length);
}

static void read_trace(struct trace *t, const char *data, size_t size)
{
    const uint64_t *word = (const uint64_t *)(const void *)data;
    const uint64_t *end = word + size / 8;

    *t = (struct trace){0};
    for (word++; word < end; word += word[0] >> 4 & 0xfff) {
        if ((word[0] & 0xf) == 2) {
            add_string(t, word);
        } else if ((word[0] & 0xf) == 4) {
            read_counter(t, word);
        }
    }
    ck_assert(word == end);
}

/* Processes a stream and reads the resulting trace. */
static int take(const char *categories, const struct made_stream *m, struct trace *read,
                struct error *t)
{
    struct cpuperf session = {0};
    struct cpuperf_trace c = {.session = &session};
    struct events events = {0};
    char *data = NULL;
    size_t size = 0;
    int err;

    *t = (struct error){0};
    ck_assert_int_eq(cpuperf_add(&session, categories, t), 0);
    ck_assert_int_eq(cpuperf_end(&session, &events, t), 0);
    events_free(&events);
    c.fxt.file = open_memstream(&data, &size);
    err = cpuperf_trace_take(&c, m->bytes, m->size, t);
    err = err ? err : cpuperf_trace_finish(&c, t);
    fclose(c.fxt.file);
    if (c.totals.rows) {
        read_trace(read, data, size);
    }
    cpuperf_trace_free(&c);
    free(data);
    return err;
}

/* Adds a sample of weight STREAMS_PERIOD, followed by values. */
static void add_sample(struct made_stream *m, uint64_t time, unsigned event, unsigned values)
{
    size_t at = m->size;

    streams_sample(m, 0, event, values, 0);
    memcpy(m->bytes + at + 8, &time, sizeof(time));
}

static void set_value(struct made_stream *m, unsigned from_end, uint64_t value)
{
    memcpy(m->bytes + m->size - 8 * from_end, &value, sizeof(value));
}

#define ONE "cpu:fixed:cycle_counter,cpu:sample:100"
#define TWO "cpu:fixed:cycle_counter,cpu:fixed:instructions_retired,cpu:sample:100"
#define BASE "cpu:fixed:instructions_retired,cpu:timebase:fixed:cycle_counter,cpu:sample:100"

/* Streams with one event, two samples, and further events until time 3000. */
static const struct {
    const char *row;
    const char *categories;
    uint64_t time[2];
    uint64_t count;
    const char *want;
} rates[] = {
    {"apart",
     ONE,
     {1000, 2000},
     250,
     "0 cycle_counter rate=1e+08 on 1; 1000 cycle_counter rate=1e+08 on 1; "
     "2000 cycle_counter rate=5e+07 on 1; 3000 cycle_counter rate=0 on 1; "},
    {"where",
     ONE ",cpu:pc",
     {1000, 2000},
     250,
     "0 cycle_counter rate=1e+08 aspace=42 pc=1.84466e+19 on 1; "
     "1000 cycle_counter rate=1e+08 aspace=42 pc=1.84466e+19 on 1; "
     "2000 cycle_counter rate=5e+07 on 1; 3000 cycle_counter rate=0 on 1; "},
    {"no remainder",
     ONE,
     {1000, 2000},
     200,
     "0 cycle_counter rate=1e+08 on 1; 1000 cycle_counter rate=1e+08 on 1; "
     "2000 cycle_counter rate=0 on 1; 3000 cycle_counter rate=0 on 1; "},
    {"at once",
     ONE,
     {1000, 1000},
     250,
     "0 cycle_counter rate=1e+08 on 1; 1000 cycle_counter rate=7.5e+07 on 1; "
     "3000 cycle_counter rate=0 on 1; "},
    {"at the start",
     ONE,
     {0, 1000},
     250,
     "0 cycle_counter rate=2e+08 on 1; 1000 cycle_counter rate=2.5e+07 on 1; "
     "3000 cycle_counter rate=0 on 1; "},
    {"back",
     ONE,
     {2000, 1000},
     250,
     "0 cycle_counter rate=5e+07 on 1; 1000 cycle_counter rate=7.5e+07 on 1; "
     "3000 cycle_counter rate=0 on 1; "},
    {"at the end",
     ONE,
     {1000, 3000},
     250,
     "0 cycle_counter rate=1e+08 on 1; 1000 cycle_counter rate=5e+07 on 1; "
     "3000 cycle_counter rate=5e+10 on 1; 3001 cycle_counter rate=0 on 1; "},
    {"at the very end",
     ONE,
     {1000, 3000},
     200,
     "0 cycle_counter rate=1e+08 on 1; 1000 cycle_counter rate=5e+07 on 1; "
     "3000 cycle_counter rate=0 on 1; "},
};

START_TEST(cpuperf_trace_rates)
{
    for (size_t i = 0; i < COUNT_OF(rates); i++) {
        struct made_stream m;
        struct trace read;
        struct error t;

        streams_begin(&m, 1, 1, 0);
        add_sample(&m, rates[i].time[0], 0, 0);
        add_sample(&m, rates[i].time[1], 0, 0);
        streams_count(
            &m, &(struct vpmu_record_count){.count = rates[i].count, .weight = 200, .samples = 2});
        streams_end(&m);
        ck_assert_msg(take(rates[i].categories, &m, &read, &t) == 0, "%s: %s", rates[i].row,
                      t.text);
        ck_assert_str_eq(read.text, rates[i].want);
    }
}
END_TEST

/* Lost samples are part of the last interval. Each vCPU has its own counters. */
START_TEST(cpuperf_trace_lost)
{
    struct made_stream m;
    struct trace read;
    struct error t;

    streams_make(&m);
    ck_assert_msg(take(TWO, &m, &read, &t) == 0, "%s", t.text);
    ck_assert_str_eq(
        read.text,
        "0 cycle_counter rate=1e+08 on 1; 0 cycle_counter rate=1e+08 on 2; "
        "0 instructions_retired rate=1e+08 on 1; "
        "1000 cycle_counter rate=4.95e+07 on 1; 3000 cycle_counter rate=0 on 1; "
        "1000 instructions_retired rate=0 on 1; 3000 instructions_retired rate=0 on 1; "
        "1000 cycle_counter rate=1.275e+08 on 2; 3000 cycle_counter rate=0 on 2; "
        "0 instructions_retired rate=3.3e+07 on 2; 3000 instructions_retired rate=0 on 2; ");
}
END_TEST

/*
 * The timebase counts its period at each sample. The other event counts the difference of its
 * values.
 */
START_TEST(cpuperf_trace_timebase)
{
    struct vpmu_record_event event;
    struct made_stream m;
    struct trace read;
    struct error t;

    streams_begin(&m, 1, 2, 1);
    memcpy(&event, m.bytes + m.size - sizeof(event), sizeof(event));
    event.period = 0;
    memcpy(m.bytes + m.size - sizeof(event), &event, sizeof(event));
    add_sample(&m, 1000, 0, 2);
    set_value(&m, 2, 103);
    set_value(&m, 1, 30);
    add_sample(&m, 2000, 0, 2);
    set_value(&m, 2, 201);
    set_value(&m, 1, 70);
    streams_count(&m, &(struct vpmu_record_count){.count = 201, .weight = 200, .samples = 2});
    streams_count(&m, &(struct vpmu_record_count){.count = 75, .event = 1});
    streams_end(&m);
    ck_assert_msg(take(BASE, &m, &read, &t) == 0, "%s", t.text);
    ck_assert_str_eq(read.text,
                     "0 cycle_counter rate=1e+08 on 1; 0 instructions_retired rate=3e+07 on 1; "
                     "1000 cycle_counter rate=1e+08 on 1; "
                     "1000 instructions_retired rate=4e+07 on 1; "
                     "2000 cycle_counter rate=1e+06 on 1; 3000 cycle_counter rate=0 on 1; "
                     "2000 instructions_retired rate=5e+06 on 1; "
                     "3000 instructions_retired rate=0 on 1; ");
}
END_TEST

START_TEST(cpuperf_trace_tally)
{
    struct made_stream m;
    struct trace read;
    struct error t;

    streams_begin(&m, 1, 1, 0);
    streams_count(&m, &(struct vpmu_record_count){.count = 99});
    streams_end(&m);
    ck_assert_msg(take("cpu:fixed:cycle_counter,cpu:tally", &m, &read, &t) == 0, "%s", t.text);
    ck_assert_str_eq(read.text, "0 cycle_counter count=0 on 1; 3000 cycle_counter count=99 on 1; ");
}
END_TEST

/* After an error the trace has what came before and nothing else. Impossible values are refused. */
START_TEST(cpuperf_trace_trouble)
{
    struct made_stream m;
    struct trace read;
    struct error t;

    streams_begin(&m, 1, 1, 0);
    add_sample(&m, 1000, 0, 0);
    ck_assert_int_eq(take(ONE, &m, &read, &t), -1);
    ck_assert_int_eq(t.code, ERROR_ENDED);
    ck_assert_str_eq(read.text, "0 cycle_counter rate=1e+08 on 1; ");
    streams_end(&m);
    ck_assert_int_eq(take(TWO, &m, &read, &t), -1);
    ck_assert_str_eq(t.text, "the machine records 1 events instead of 2");
    streams_begin(&m, 1, 2, 1);
    add_sample(&m, 1000, 0, 2);
    add_sample(&m, 2000, 0, 2);
    set_value(&m, 1, 1);
    ck_assert_int_eq(take(BASE, &m, &read, &t), -1);
    ck_assert_int_eq(t.code, ERROR_TALK);
    ck_assert_str_eq(t.text, "event-b on vCPU 0: the count decreases");
}
END_TEST

Suite *cpuperf_trace_suite(void)
{
    const TTest *const tests[] = {cpuperf_trace_rates, cpuperf_trace_lost, cpuperf_trace_timebase,
                                  cpuperf_trace_tally, cpuperf_trace_trouble};

    return suite_of("cpuperf_trace", tests, COUNT_OF(tests));
}
