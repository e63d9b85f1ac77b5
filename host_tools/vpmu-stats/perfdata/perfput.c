/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perfdata/perfput.h"

#include <stddef.h>
#include <string.h>

#include "perfdata/perffile.h"

/* Names are cut behind this, so that they fit in a record. */
#define MOST_TEXT 4000

#define SAMPLE_TYPE                                                                                \
    (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |                \
     PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

/* Fields of samples with accesses. */
#define ACCESS_TYPE                                                                                \
    (PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_PHYS_ADDR)

void put(struct perfdata *p, const void *data, size_t size)
{
    struct perfdata_record *r = &p->record;

    if (r->size == 0) {
        fwrite(data, 1, size, p->file);
    } else if (size > sizeof(r->byte) - r->size) {
        r->full = true;
    } else {
        memcpy(r->byte + r->size, data, size);
        r->size += size;
    }
}

void put_u32(struct perfdata *p, uint32_t value)
{
    put(p, &value, sizeof(value));
}

void put_u64(struct perfdata *p, uint64_t value)
{
    put(p, &value, sizeof(value));
}

void put_zeroes(struct perfdata *p, size_t size)
{
    static const unsigned char zeroes[PERFPUT_STRING_ALIGN];

    put(p, zeroes, size);
}

void put_text(struct perfdata *p, const char *text, size_t align)
{
    size_t len = strnlen(text, MOST_TEXT);

    put(p, text, len);
    put_zeroes(p, align - len % align);
}

void put_begin(struct perfdata *p, uint32_t type, unsigned misc)
{
    const struct perf_event_header head = {.type = type, .misc = (uint16_t)misc};

    p->record.full = false;
    p->record.size = sizeof(head);
    memcpy(p->record.byte, &head, sizeof(head));
}

void put_align(struct perfdata *p)
{
    put_zeroes(p, (8 - p->record.size % 8) % 8);
}

void put_end(struct perfdata *p)
{
    struct perfdata_record *r = &p->record;
    const uint16_t size = (uint16_t)r->size;
    bool fits = !r->full && r->size <= UINT16_MAX;

    r->size = 0;
    memcpy(r->byte + offsetof(struct perf_event_header, size), &size, sizeof(size));
    if (fits) {
        put(p, r->byte, size);
    }
}

uint64_t put_id_of(const struct perfdata *p, size_t event, uint32_t cpu)
{
    return 1 + event * p->cpus + cpu;
}

/* The raw event number is only an index. perf shows the event's name. */
static struct perf_event_attr make_attr(const struct perfdata *p, size_t event)
{
    const struct perfdata_event *of = &p->event[event];

    return (struct perf_event_attr){
        .type = PERF_TYPE_RAW,
        .size = PERFPUT_ATTR_SIZE,
        .config = event,
        .sample_period = of->frequency ? of->frequency : of->period,
        .sample_type = SAMPLE_TYPE | (p->group ? PERF_SAMPLE_READ : 0) |
                       (p->chains ? PERF_SAMPLE_CALLCHAIN : 0) |
                       (p->links ? PERF_SAMPLE_REGS_INTR : 0) |
                       (p->registers ? PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER : 0) |
                       (p->spans ? PERF_SAMPLE_WEIGHT : 0) | (p->accesses ? ACCESS_TYPE : 0) |
                       (p->branches ? PERF_SAMPLE_BRANCH_STACK : PERF_SAMPLE_CGROUP),
        .branch_sample_type = p->branches,
        .sample_regs_user = p->registers,
        .sample_stack_user = p->stack,
        .exclude_callchain_user = p->registers != 0,
        .sample_regs_intr = p->links ? PERFFILE_REGISTER_LINK : 0,
        .read_format = p->group ? PERF_FORMAT_ID | PERF_FORMAT_GROUP : 0,
        .mmap = 1,
        .mmap2 = 1,
        .comm = 1,
        .freq = of->frequency != 0,
        .sample_id_all = 1,
        .cgroup = !p->branches,
    };
}

void put_ids(struct perfdata *p, size_t event)
{
    for (uint32_t cpu = 0; cpu < p->cpus; cpu++) {
        put_u64(p, put_id_of(p, event, cpu));
    }
}

void put_attr(struct perfdata *p, size_t event)
{
    const struct perf_event_attr attr = make_attr(p, event);

    put(p, &attr, PERFPUT_ATTR_SIZE);
}
