/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads samples from the machine. Nothing is trusted: the stream may be truncated or invalid. */
#include "record/stream.h"

#include <string.h>

#include "base/format.h"

static int refuse(struct error *t, const char *why)
{
    return error_set(t, ERROR_TALK, "the machine sent an invalid record: %s", why);
}

static int take_start(struct stream *s, struct error *t)
{
    memcpy(&s->start, s->record.bytes, sizeof(s->start));
    if (s->start.magic != VPMU_RECORD_MAGIC) {
        return refuse(t, "the start has another magic or version than this vpmu-stats knows");
    }
    if (s->start.cpus < 1 || s->start.cpus > STREAM_MAX_CPUS) {
        return refuse(t, "the number of vCPUs is out of range");
    }
    if (s->start.events < 1 || s->start.events > VPMU_RECORD_EVENTS) {
        return refuse(t, "the number of events is out of range");
    }
    if (s->start.flags &
        ~(VPMU_RECORD_VALUES | VPMU_RECORD_X86 | VPMU_RECORD_BRANCHES | VPMU_RECORD_PREDICTIONS)) {
        return refuse(t, "the start has unknown flags: use a newer vpmu-stats");
    }
    s->started = true;
    return 0;
}

static int take_event(struct stream *s, struct error *t)
{
    struct vpmu_record_event *event = &s->event[s->events];

    if (s->events == s->start.events) {
        return refuse(t, "there are more events than the start announces");
    }
    memcpy(event, s->record.bytes, sizeof(*event));
    if (!memchr(event->name, '\0', sizeof(event->name)) || !event->name[0]) {
        return refuse(t, "an event has no name, or its name is not terminated");
    }
    if (event->period && event->frequency) {
        return refuse(t, "an event has both a period and a frequency");
    }
    format_tame(event->name);
    s->events++;
    return s->events == s->start.events ? s->ops->begin(s, t) : 0;
}

static bool branches_allowed(const struct stream *s, const struct vpmu_record_sample *sample)
{
    return sample->branches <= (s->start.flags & VPMU_RECORD_BRANCHES ? VPMU_BRANCH_RECORDS : 0);
}

/* Returns what is wrong with a sample, or NULL. */
static const char *fault_of(const struct stream *s, const struct vpmu_record_sample *sample)
{
    const struct vpmu_record_event *event = &s->event[sample->event % VPMU_RECORD_EVENTS];

    if (sample->event >= s->start.events || (!event->period && !event->frequency)) {
        return "a sample refers to an event that is not sampled";
    }
    if (sample->values != (s->start.flags & VPMU_RECORD_VALUES ? s->start.events : 0) ||
        sample->chain > VPMU_RECORD_CHAIN || !branches_allowed(s, sample) ||
        sample->head.size != sizeof(*sample) +
                                 (size_t)(sample->values + sample->chain) * sizeof(uint64_t) +
                                 sample->branches * sizeof(struct vpmu_branch)) {
        return "a sample has another number of values, frames or branches than it announces";
    }
    if (!sample->weight || (event->period && sample->weight % event->period)) {
        return "the weight of a sample is not a multiple of the period";
    }
    return NULL;
}

static int take_sample(struct stream *s, struct error *t)
{
    uint64_t more[VPMU_RECORD_EVENTS + VPMU_RECORD_CHAIN];
    struct vpmu_branch branches[VPMU_BRANCH_RECORDS];
    struct vpmu_record_sample sample;
    const char *fault;
    size_t words;

    memcpy(&sample, s->record.bytes, sizeof(sample));
    fault = fault_of(s, &sample);
    if (fault) {
        return refuse(t, fault);
    }
    words = (size_t)(sample.values + sample.chain) * sizeof(more[0]);
    memcpy(more, s->record.bytes + sizeof(sample), words);
    memcpy(branches, s->record.bytes + sizeof(sample) + words,
           sample.branches * sizeof(branches[0]));
    for (unsigned i = 0; i < sample.branches; i++) {
        if (!branches[i].flags || !vpmu_branch_consistent(&branches[i])) {
            return refuse(t, "a branch of a sample cannot exist");
        }
    }
    return s->ops->sample(s, &sample, more, more + sample.values, branches, t);
}

static int take_thread(struct stream *s, struct error *t)
{
    struct vpmu_record_thread thread;

    memcpy(&thread, s->record.bytes, sizeof(thread));
    return s->ops->thread(s, &thread, t);
}

static int take_map(struct stream *s, struct error *t)
{
    const char *path = (const char *)s->record.bytes + sizeof(struct vpmu_record_map);
    struct vpmu_record_map map;

    memcpy(&map, s->record.bytes, sizeof(map));
    if (map.path > VPMU_RECORD_PATH || map.head.size != sizeof(map) + map.path ||
        !memchr(path, '\0', map.path)) {
        return refuse(t, "a mapping has no path, or its path is not terminated");
    }
    if (map.start >= map.end || map.build_id_size > sizeof(map.build_id)) {
        return refuse(t, "a mapping has no size, or its build ID is too long");
    }
    return s->ops->map ? s->ops->map(s, &map, path, t) : 0;
}

static int take_guest(struct stream *s, struct error *t)
{
    struct vpmu_record_guest guest;

    memcpy(&guest, s->record.bytes, sizeof(guest));
    return s->ops->guest ? s->ops->guest(s, &guest, t) : 0;
}

static int take_guest_thread(struct stream *s, struct error *t)
{
    struct vpmu_record_thread thread;

    memcpy(&thread, s->record.bytes, sizeof(thread));
    return s->ops->guest_thread ? s->ops->guest_thread(s, &thread, t) : 0;
}

static int take_span(struct stream *s, struct error *t)
{
    struct vpmu_record_span span;

    memcpy(&span, s->record.bytes, sizeof(span));
    return s->ops->span(s, &span, t);
}

static int take_access(struct stream *s, struct error *t)
{
    struct vpmu_record_access access;

    memcpy(&access, s->record.bytes, sizeof(access));
    if (access.level >= VPMU_DATA_LEVEL_COUNT || access.translated >= VPMU_TRANSLATED_COUNT ||
        !(access.flags & (VPMU_RECORD_LOAD | VPMU_RECORD_STORE))) {
        return refuse(t, "an access has an unknown level, or is neither a load nor a store");
    }
    return s->ops->access ? s->ops->access(s, &access, t) : 0;
}

static int take_stack(struct stream *s, struct error *t)
{
    uint64_t all = s->start.flags & VPMU_RECORD_X86 ? VPMU_RECORD_REGS_X86 : VPMU_RECORD_REGS_ARM;
    struct vpmu_record_stack stack;

    memcpy(&stack, s->record.bytes, sizeof(stack));
    if (stack.registers != (unsigned)__builtin_popcountll(all) || stack.size % 8 ||
        stack.size > VPMU_RECORD_STACK_MAX ||
        stack.head.size != sizeof(stack) + stack.registers * sizeof(uint64_t) + stack.size) {
        return refuse(t, "a stack has another number of registers or bytes than it announces");
    }
    return s->ops->stack ? s->ops->stack(s, &stack, s->record.bytes + sizeof(stack), t) : 0;
}

static int take_call(struct stream *s, struct error *t)
{
    struct vpmu_record_call call;

    memcpy(&call, s->record.bytes, sizeof(call));
    return s->ops->call ? s->ops->call(s, &call, t) : 0;
}

static int take_lost(struct stream *s, struct error *t)
{
    struct vpmu_record_lost lost;

    memcpy(&lost, s->record.bytes, sizeof(lost));
    return lost.event < s->start.events ? s->ops->lost(s, &lost, t)
                                        : refuse(t, "lost samples refer to an unknown event");
}

static int take_host(struct stream *s, struct error *t)
{
    struct vpmu_record_host host;

    memcpy(&host, s->record.bytes, sizeof(host));
    return host.event < s->start.events
               ? s->ops->host(s, &host, t)
               : refuse(t, "a count of the host refers to an unknown event");
}

static int take_count(struct stream *s, struct error *t)
{
    struct vpmu_record_count count;

    memcpy(&count, s->record.bytes, sizeof(count));
    return count.event < s->start.events ? s->ops->count(s, &count, t)
                                         : refuse(t, "a count refers to an unknown event");
}

static int take_end(struct stream *s, struct error *t)
{
    (void)t;
    memcpy(&s->end, s->record.bytes, sizeof(s->end));
    s->ended = true;
    return 0;
}

/* Size without the data that follow a record. take_sample() and take_map() check the whole size. */
static const struct {
    int (*take)(struct stream *s, struct error *t);
    size_t size;
} records[] = {
    [VPMU_RECORD_START] = {take_start, sizeof(struct vpmu_record_start)},
    [VPMU_RECORD_EVENT] = {take_event, sizeof(struct vpmu_record_event)},
    [VPMU_RECORD_SAMPLE] = {take_sample, sizeof(struct vpmu_record_sample)},
    [VPMU_RECORD_LOST] = {take_lost, sizeof(struct vpmu_record_lost)},
    [VPMU_RECORD_HOST] = {take_host, sizeof(struct vpmu_record_host)},
    [VPMU_RECORD_COUNT] = {take_count, sizeof(struct vpmu_record_count)},
    [VPMU_RECORD_THREAD] = {take_thread, sizeof(struct vpmu_record_thread)},
    [VPMU_RECORD_MAP] = {take_map, sizeof(struct vpmu_record_map)},
    [VPMU_RECORD_GUEST] = {take_guest, sizeof(struct vpmu_record_guest)},
    [VPMU_RECORD_SPAN] = {take_span, sizeof(struct vpmu_record_span)},
    [VPMU_RECORD_ACCESS] = {take_access, sizeof(struct vpmu_record_access)},
    [VPMU_RECORD_GUEST_THREAD] = {take_guest_thread, sizeof(struct vpmu_record_thread)},
    [VPMU_RECORD_STACK] = {take_stack, sizeof(struct vpmu_record_stack)},
    [VPMU_RECORD_CALL] = {take_call, sizeof(struct vpmu_record_call)},
    [VPMU_RECORD_END] = {take_end, sizeof(struct vpmu_record_end)},
};

/* The start comes first, then the events, then all other records. Nothing follows the end. */
static bool is_its_turn(const struct stream *s, unsigned type)
{
    if (s->ended) {
        return false;
    }
    if (!s->started || type == VPMU_RECORD_START) {
        return !s->started && type == VPMU_RECORD_START;
    }
    return type == VPMU_RECORD_EVENT || s->events == s->start.events;
}

static int take_record(struct stream *s, struct error *t)
{
    const struct vpmu_record_head *head = &s->record.head;

    if (!is_its_turn(s, head->type)) {
        return refuse(t, "a record is out of order");
    }
    if (head->type >= sizeof(records) / sizeof(records[0]) || !records[head->type].take) {
        return 0;
    }
    if (head->size < records[head->type].size) {
        return refuse(t, "a record is shorter than its type requires");
    }
    if (s->started && head->cpu >= s->start.cpus) {
        return refuse(t, "a record refers to an unknown vCPU");
    }
    return records[head->type].take(s, t);
}

/* Returns how many bytes of the current record are needed before it can be processed further. */
static size_t wanted(const struct stream *s)
{
    return s->have < sizeof(s->record.head) ? sizeof(s->record.head) : s->record.head.size;
}

static int check_size(const struct stream *s, struct error *t)
{
    size_t size = s->record.head.size;

    return size < sizeof(s->record.head) || size % 8
               ? refuse(t, "the size of a record is too small or not a multiple of 8")
               : 0;
}

/* Processes the bytes that wanted() requested. */
static int take_wanted(struct stream *s, struct error *t)
{
    if (s->have == sizeof(s->record.head) && check_size(s, t)) {
        return -1;
    }
    if (s->have < s->record.head.size) {
        return 0;
    }
    s->have = 0;
    return take_record(s, t);
}

int stream_take(struct stream *s, const void *data, size_t n, struct error *t)
{
    const unsigned char *from = data;

    while (n > 0 && !s->broken) {
        size_t left = wanted(s) - s->have;
        size_t some = left < n ? left : n;

        memcpy(s->record.bytes + s->have, from, some);
        s->have += some;
        from += some;
        n -= some;
        s->broken = some == left && take_wanted(s, t);
    }
    if (!s->broken && s->ops->taken && s->events && s->events == s->start.events) {
        s->broken = s->ops->taken(s, t);
    }
    return s->broken ? -1 : 0;
}

int stream_close(struct stream *s, struct error *t)
{
    if (s->ended) {
        return 0;
    }
    if (!s->started || s->events < s->start.events) {
        return refuse(t, "the stream ends before its events");
    }
    return error_set(t, ERROR_ENDED, "the machine ended; its last samples may be missing");
}
