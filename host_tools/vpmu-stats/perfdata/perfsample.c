/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decodes a sample as the comment at PERF_RECORD_SAMPLE in include/uapi/linux/perf_event.h
 * describes it. Fields after the cgroup are not needed.
 */
#include "perfdata/perfsample.h"

#include "perfdata/perffile.h"

/* Each value becomes a sample of its own, so this limits the work. perf has no larger groups. */
#define MAX_VALUES 256u

static const struct perfsample nothing = {
    .pid = UINT32_MAX, .tid = UINT32_MAX, .cpu = UINT32_MAX, .time = UINT64_MAX};

static void take_read(const struct perf_event_attr *attr, struct bytes *b, struct perfsample *s)
{
    uint64_t format = attr->read_format;
    bool group = format & PERF_FORMAT_GROUP;
    unsigned times = (unsigned)__builtin_popcountll(
        format & (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING));
    unsigned more = (unsigned)__builtin_popcountll(format & (PERF_FORMAT_ID | PERF_FORMAT_LOST));
    uint64_t n = group ? bytes_u64(b) : 1;

    if (n > MAX_VALUES) {
        b->ended = true;
        return;
    }
    if (group) {
        bytes_skip(b, times * sizeof(uint64_t));
    }
    s->stride = 1 + more + (group ? 0 : times);
    s->id_word = 1 + (group ? 0 : times);
    s->values = bytes_skip(b, n * s->stride * sizeof(uint64_t));
    s->n_values = s->values && (format & PERF_FORMAT_ID) ? n : 0;
}

static void take_chain(struct bytes *b, struct perfsample *s)
{
    s->n_chain = bytes_u64(b);
    s->chain = s->n_chain <= b->left / sizeof(uint64_t)
                   ? bytes_skip(b, s->n_chain * sizeof(uint64_t))
                   : NULL;
    b->ended |= !s->chain;
}

static void take_branches(const struct perf_event_attr *attr, struct bytes *b, struct perfsample *s)
{
    uint64_t n = bytes_u64(b);

    if (attr->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX) {
        bytes_u64(b);
    }
    s->branches = n <= b->left / sizeof(struct perf_branch_entry)
                      ? bytes_skip(b, n * sizeof(struct perf_branch_entry))
                      : NULL;
    s->n_branches = s->branches ? n : 0;
    b->ended |= !s->branches;
}

static void skip_registers(struct bytes *b, uint64_t mask)
{
    if (bytes_u64(b) != PERF_SAMPLE_REGS_ABI_NONE) {
        bytes_skip(b, (uint64_t)__builtin_popcountll(mask) * sizeof(uint64_t));
    }
}

/* vpmu-stats record writes an Arm CPU's link register here if it may be a return address. */
static void take_link(const struct perf_event_attr *attr, struct bytes *b, struct perfsample *s)
{
    if (attr->sample_regs_intr != PERFFILE_REGISTER_LINK) {
        skip_registers(b, attr->sample_regs_intr);
    } else if (bytes_u64(b) != PERF_SAMPLE_REGS_ABI_NONE) {
        s->link = bytes_u64(b);
        s->has_link = true;
    }
}

/* Registers of 32-bit programs are not needed. */
static void take_registers(const struct perf_event_attr *attr, struct bytes *b,
                           struct perfsample *s)
{
    uint64_t abi = bytes_u64(b);
    size_t n = (size_t)__builtin_popcountll(attr->sample_regs_user);
    const unsigned char *registers = NULL;

    if (abi != PERF_SAMPLE_REGS_ABI_NONE) {
        registers = bytes_skip(b, n * sizeof(uint64_t));
    }
    s->registers = abi == PERF_SAMPLE_REGS_ABI_64 ? registers : NULL;
}

/* The stack has a fixed size, of which a part is valid. */
static void take_stack(struct bytes *b, struct perfsample *s)
{
    uint64_t size = bytes_u64(b);
    uint64_t valid;

    if (size) {
        s->stack = bytes_skip(b, size);
        valid = bytes_u64(b);
        s->stack_size = !s->stack ? 0 : valid < size ? valid : size;
    }
}

/* Reads the fields between the call chain and the cgroup. */
static void take_more(const struct perf_event_attr *attr, struct bytes *b, struct perfsample *s)
{
    uint64_t type = attr->sample_type;

    if (type & PERF_SAMPLE_RAW) {
        bytes_skip(b, bytes_u32(b));
    }
    if (type & PERF_SAMPLE_BRANCH_STACK) {
        take_branches(attr, b, s);
    }
    if (type & PERF_SAMPLE_REGS_USER) {
        take_registers(attr, b, s);
    }
    if (type & PERF_SAMPLE_STACK_USER) {
        take_stack(b, s);
    }
    if (type & PERF_SAMPLE_WEIGHT_TYPE) {
        s->weight = bytes_u64(b);
    }
    s->source = type & PERF_SAMPLE_DATA_SRC ? bytes_u64(b) : 0;
    if (type & PERF_SAMPLE_TRANSACTION) {
        bytes_u64(b);
    }
    if (type & PERF_SAMPLE_REGS_INTR) {
        take_link(attr, b, s);
    }
    if (type & PERF_SAMPLE_PHYS_ADDR) {
        bytes_u64(b);
    }
}

static void take_tid(struct bytes *b, struct perfsample *s)
{
    s->pid = bytes_u32(b);
    s->tid = bytes_u32(b);
}

static void take_cpu(struct bytes *b, struct perfsample *s)
{
    s->cpu = bytes_u32(b);
    bytes_u32(b);
}

/* Reads the fields from the beginning to the period. All samples have them in this order. */
static void take_first(const struct perf_event_attr *attr, struct bytes *b, struct perfsample *s)
{
    uint64_t type = attr->sample_type;
    uint64_t identifier = type & PERF_SAMPLE_IDENTIFIER ? bytes_u64(b) : 0;

    s->ip = type & PERF_SAMPLE_IP ? bytes_u64(b) : 0;
    if (type & PERF_SAMPLE_TID) {
        take_tid(b, s);
    }
    if (type & PERF_SAMPLE_TIME) {
        s->time = bytes_u64(b);
    }
    s->address = type & PERF_SAMPLE_ADDR ? bytes_u64(b) : 0;
    s->id = type & PERF_SAMPLE_ID ? bytes_u64(b) : 0;
    s->id = type & PERF_SAMPLE_IDENTIFIER ? identifier : s->id;
    if (type & PERF_SAMPLE_STREAM_ID) {
        bytes_u64(b);
    }
    if (type & PERF_SAMPLE_CPU) {
        take_cpu(b, s);
    }
    s->period = type & PERF_SAMPLE_PERIOD ? bytes_u64(b) : attr->freq ? 1 : attr->sample_period;
}

bool perfsample_decode(const struct perf_event_attr *attr, struct bytes body, struct perfsample *s)
{
    *s = nothing;
    take_first(attr, &body, s);
    if (attr->sample_type & PERF_SAMPLE_READ) {
        take_read(attr, &body, s);
    }
    if (attr->sample_type & PERF_SAMPLE_CALLCHAIN) {
        take_chain(&body, s);
    }
    if (attr->sample_type & (PERF_SAMPLE_CGROUP | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_DATA_SRC |
                             PERF_SAMPLE_STACK_USER)) {
        take_more(attr, &body, s);
    }
    if (attr->sample_type & PERF_SAMPLE_CGROUP) {
        s->cgroup = bytes_u64(&body);
    }
    return !body.ended;
}

void perfsample_trailer(const struct perf_event_attr *attr, struct bytes body, struct perfsample *s)
{
    static const uint64_t parts = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID |
                                  PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER;
    uint64_t type = attr->sample_id_all ? attr->sample_type & parts : 0;
    size_t size = (size_t)__builtin_popcountll(type) * sizeof(uint64_t);

    *s = nothing;
    s->time = 0;
    if (size > body.left) {
        return;
    }
    bytes_skip(&body, body.left - size);
    if (type & PERF_SAMPLE_TID) {
        take_tid(&body, s);
    }
    s->time = type & PERF_SAMPLE_TIME ? bytes_u64(&body) : 0;
    s->id = type & PERF_SAMPLE_ID ? bytes_u64(&body) : 0;
    if (type & PERF_SAMPLE_STREAM_ID) {
        bytes_u64(&body);
    }
    if (type & PERF_SAMPLE_CPU) {
        take_cpu(&body, s);
    }
    s->id = type & PERF_SAMPLE_IDENTIFIER ? bytes_u64(&body) : s->id;
}
