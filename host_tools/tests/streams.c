/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "streams.h"

#include <stdlib.h>
#include <string.h>

#define HEAD(record, kind, of)                                                                     \
    {                                                                                              \
        .type = (kind), .size = sizeof(record), .cpu = (of)                                        \
    }

void streams_add(struct made_stream *m, const void *record, size_t size)
{
    if (size > sizeof(m->bytes) - m->size) {
        abort();
    }
    memcpy(m->bytes + m->size, record, size);
    m->size += size;
}

void streams_begin(struct made_stream *m, unsigned cpus, unsigned events, unsigned flags)
{
    const struct vpmu_record_start start = {
        .head = HEAD(start, VPMU_RECORD_START, 0),
        .magic = VPMU_RECORD_MAGIC,
        .cpus = cpus,
        .events = (uint16_t)events,
        .flags = (uint16_t)flags,
    };

    m->size = 0;
    streams_add(m, &start, sizeof(start));
    for (unsigned i = 0; i < events; i++) {
        struct vpmu_record_event event = {
            .head = HEAD(event, VPMU_RECORD_EVENT, 0),
            .period = STREAMS_PERIOD,
            .name = "event-a",
        };

        event.name[6] = (char)('a' + i);
        streams_add(m, &event, sizeof(event));
    }
}

void streams_sample(struct made_stream *m, unsigned cpu, unsigned event, unsigned values,
                    unsigned chain)
{
    struct {
        struct vpmu_record_sample sample;
        uint64_t more[VPMU_RECORD_EVENTS + VPMU_RECORD_CHAIN];
    } record = {
        .sample =
            {
                .head = {.type = VPMU_RECORD_SAMPLE, .cpu = cpu},
                .time = 1000,
                .pc = 0xffff800080001000,
                .weight = STREAMS_PERIOD,
                .contextidr = 42,
                .event = (uint8_t)event,
                .el = 1,
                .values = (uint16_t)values,
                .chain = (uint16_t)chain,
            },
    };
    size_t size = sizeof(record.sample) + (values + chain) * sizeof(record.more[0]);

    record.sample.head.size = (uint16_t)size;
    for (unsigned i = 0; i < values + chain; i++) {
        record.more[i] = i + 1;
    }
    streams_add(m, &record, size);
}

void streams_thread(struct made_stream *m, unsigned cpu, unsigned known, uint32_t tid, uint32_t pid,
                    const char *name)
{
    struct vpmu_record_thread thread = {
        .head = HEAD(thread, VPMU_RECORD_THREAD, cpu),
        .time = 500,
        .tid = tid,
        .pid = pid,
        .known = known,
    };

    memcpy(thread.comm, name, strnlen(name, sizeof(thread.comm)));
    streams_add(m, &thread, sizeof(thread));
}

void streams_map(struct made_stream *m, unsigned cpu, uint32_t pid, const char *path,
                 const char *build_id)
{
    struct {
        struct vpmu_record_map map;
        char path[VPMU_RECORD_PATH];
    } record = {
        .map =
            {
                .head = {.type = VPMU_RECORD_MAP, .cpu = cpu},
                .time = 700,
                .start = 0x1000,
                .end = 0x3000,
                .offset = 0x500,
                .space = 77,
                .file = 1,
                .pid = pid,
                .path = (uint16_t)((strlen(path) + 8) / 8 * 8),
                .build_id_size = (uint16_t)strlen(build_id),
            },
    };
    size_t size = sizeof(record.map) + record.map.path;

    record.map.head.size = (uint16_t)size;
    memcpy(record.map.build_id, build_id, strlen(build_id));
    strcpy(record.path, path);
    streams_add(m, &record, size);
}

void streams_span(struct made_stream *m, unsigned cpu, uint64_t ns)
{
    const struct vpmu_record_span span = {.head = HEAD(span, VPMU_RECORD_SPAN, cpu), .ns = ns};

    streams_add(m, &span, sizeof(span));
}

void streams_lost(struct made_stream *m, unsigned cpu, unsigned event, uint64_t samples)
{
    const struct vpmu_record_lost lost = {
        .head = HEAD(lost, VPMU_RECORD_LOST, cpu),
        .time = 2000,
        .samples = samples,
        .event = event,
    };

    streams_add(m, &lost, sizeof(lost));
}

void streams_host(struct made_stream *m, unsigned cpu, unsigned event)
{
    const struct vpmu_record_host host = {
        .head = HEAD(host, VPMU_RECORD_HOST, cpu),
        .enabled = 90,
        .running = 60,
        .elsewhere = 1,
        .throttled = 2,
        .event = event,
    };

    streams_add(m, &host, sizeof(host));
}

void streams_count(struct made_stream *m, const struct vpmu_record_count *count)
{
    struct vpmu_record_count record = *count;

    record.head.type = VPMU_RECORD_COUNT;
    record.period = record.period ? record.period : STREAMS_PERIOD;
    record.head.size = sizeof(record);
    streams_add(m, &record, sizeof(record));
}

void streams_end(struct made_stream *m)
{
    const struct vpmu_record_end end = {.head = HEAD(end, VPMU_RECORD_END, 0), .time = 3000};

    streams_add(m, &end, sizeof(end));
}

void streams_make(struct made_stream *m)
{
    streams_begin(m, 2, 2, 0);
    streams_sample(m, 0, 0, 0, 0);
    streams_sample(m, 1, 0, 0, 0);
    streams_sample(m, 0, 1, 0, 0);
    streams_lost(m, 1, 0, 1);
    streams_sample(m, 1, 0, 0, 0);
    streams_count(m, &(struct vpmu_record_count){.count = 199, .weight = 100, .samples = 1});
    streams_count(
        m, &(struct vpmu_record_count){.count = 100, .weight = 100, .samples = 1, .event = 1});
    streams_count(m, &(struct vpmu_record_count){
                         .head.cpu = 1, .count = 355, .weight = 300, .samples = 2, .lost = 1});
    streams_count(m, &(struct vpmu_record_count){.head.cpu = 1, .count = 99, .event = 1});
    streams_end(m);
}
