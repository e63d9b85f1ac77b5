/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads samples from the machine. Nothing is trusted: the stream may be truncated or invalid. */
#include "record/stream.h"

#include <string.h>

#include "base/format.h"

static int refuse(struct error *t, const char *why)
{
    return error_set(t, ERROR_TALK, "the machine sent an invalid record: %s", why);
}

static int check_start(struct stream *s, struct error *t)
{
    const struct vpmu_record_start *start = &s->record.start;

    if (start->magic != VPMU_RECORD_MAGIC) {
        return refuse(t, "the start has another magic or version than this vpmu-stats knows");
    }
    if (start->cpus < 1 || start->cpus > STREAM_MAX_CPUS) {
        return refuse(t, "the number of vCPUs is out of range");
    }
    if (start->events < 1 || start->events > VPMU_RECORD_EVENTS) {
        return refuse(t, "the number of events is out of range");
    }
    if (start->flags &
        ~(VPMU_RECORD_VALUES | VPMU_RECORD_X86 | VPMU_RECORD_BRANCHES | VPMU_RECORD_PREDICTIONS)) {
        return refuse(t, "the start has unknown flags: use a newer vpmu-stats");
    }
    s->start = *start;
    s->started = true;
    return 0;
}

static int check_event(struct stream *s, struct error *t)
{
    struct vpmu_record_event *event = &s->event[s->events];

    if (stream_began(s)) {
        return refuse(t, "there are more events than the start announces");
    }
    *event = s->record.event;
    if (!memchr(event->name, '\0', sizeof(event->name)) || !event->name[0]) {
        return refuse(t, "an event has no name, or its name is not terminated");
    }
    if (event->period && event->frequency) {
        return refuse(t, "an event has both a period and a frequency");
    }
    format_tame(event->name);
    s->events++;
    return 0;
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
    if ((!sample->weight && !s->is_call) || (event->period && sample->weight % event->period)) {
        return "the weight of a sample is not a multiple of the period";
    }
    return NULL;
}

static int check_sample(struct stream *s, struct error *t)
{
    const struct vpmu_branch *branches = stream_branches(&s->record);
    const char *fault = fault_of(s, &s->record.sample);

    s->is_call = false;
    if (fault) {
        return refuse(t, fault);
    }
    for (unsigned i = 0; i < s->record.sample.branches; i++) {
        if (!branches[i].flags || !vpmu_branch_consistent(&branches[i])) {
            return refuse(t, "a branch of a sample cannot exist");
        }
    }
    return 0;
}

static int check_map(struct stream *s, struct error *t)
{
    const struct vpmu_record_map *map = &s->record.map;

    if (map->path > VPMU_RECORD_PATH || map->head.size != sizeof(*map) + map->path ||
        !memchr(stream_path(&s->record), '\0', map->path)) {
        return refuse(t, "a mapping has no path, or its path is not terminated");
    }
    if (map->start >= map->end || map->build_id_size > sizeof(map->build_id)) {
        return refuse(t, "a mapping has no size, or its build ID is too long");
    }
    return 0;
}

static int check_access(struct stream *s, struct error *t)
{
    const struct vpmu_record_access *access = &s->record.access;

    return access->level >= VPMU_DATA_LEVEL_COUNT || access->translated >= VPMU_TRANSLATED_COUNT ||
                   !(access->flags & (VPMU_RECORD_LOAD | VPMU_RECORD_STORE))
               ? refuse(t, "an access has an unknown level, or is neither a load nor a store")
               : 0;
}

static int check_stack(struct stream *s, struct error *t)
{
    uint64_t all = s->start.flags & VPMU_RECORD_X86 ? VPMU_RECORD_REGS_X86 : VPMU_RECORD_REGS_ARM;
    const struct vpmu_record_stack *stack = &s->record.stack;

    return stack->registers != (unsigned)__builtin_popcountll(all) || stack->size % 8 ||
                   stack->size > VPMU_RECORD_STACK_MAX ||
                   stack->head.size !=
                       sizeof(*stack) + stack->registers * sizeof(uint64_t) + stack->size
               ? refuse(t, "a stack has another number of registers or bytes than it announces")
               : 0;
}

static int check_call(struct stream *s, struct error *t)
{
    (void)t;
    s->is_call = true;
    return 0;
}

static int check_lost(struct stream *s, struct error *t)
{
    return s->record.lost.event < s->start.events
               ? 0
               : refuse(t, "lost samples refer to an unknown event");
}

static int check_host(struct stream *s, struct error *t)
{
    return s->record.host.event < s->start.events
               ? 0
               : refuse(t, "a count of the host refers to an unknown event");
}

static int check_count(struct stream *s, struct error *t)
{
    return s->record.count.event < s->start.events
               ? 0
               : refuse(t, "a count refers to an unknown event");
}

static int check_end(struct stream *s, struct error *t)
{
    (void)t;
    s->end = s->record.end;
    s->ended = true;
    return 0;
}

/* Size without the data that follow a record; the checks compare the whole size. */
static const struct {
    size_t size;
    int (*check)(struct stream *s, struct error *t);
} records[] = {
    [VPMU_RECORD_START] = {sizeof(struct vpmu_record_start), check_start},
    [VPMU_RECORD_EVENT] = {sizeof(struct vpmu_record_event), check_event},
    [VPMU_RECORD_SAMPLE] = {sizeof(struct vpmu_record_sample), check_sample},
    [VPMU_RECORD_LOST] = {sizeof(struct vpmu_record_lost), check_lost},
    [VPMU_RECORD_HOST] = {sizeof(struct vpmu_record_host), check_host},
    [VPMU_RECORD_COUNT] = {sizeof(struct vpmu_record_count), check_count},
    [VPMU_RECORD_THREAD] = {sizeof(struct vpmu_record_thread)},
    [VPMU_RECORD_MAP] = {sizeof(struct vpmu_record_map), check_map},
    [VPMU_RECORD_GUEST] = {sizeof(struct vpmu_record_guest)},
    [VPMU_RECORD_SPAN] = {sizeof(struct vpmu_record_span)},
    [VPMU_RECORD_ACCESS] = {sizeof(struct vpmu_record_access), check_access},
    [VPMU_RECORD_GUEST_THREAD] = {sizeof(struct vpmu_record_thread)},
    [VPMU_RECORD_STACK] = {sizeof(struct vpmu_record_stack), check_stack},
    [VPMU_RECORD_CALL] = {sizeof(struct vpmu_record_call), check_call},
    [VPMU_RECORD_JUMP] = {sizeof(struct vpmu_record_call), check_call},
    [VPMU_RECORD_END] = {sizeof(struct vpmu_record_end), check_end},
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
    return type == VPMU_RECORD_EVENT || stream_began(s);
}

/* Returns 1 if the record is for the reader, 0 if it is not, or -1. */
static int check_record(struct stream *s, struct error *t)
{
    const struct vpmu_record_head *head = &s->record.head;

    if (!is_its_turn(s, head->type)) {
        return refuse(t, "a record is out of order");
    }
    if (head->type >= sizeof(records) / sizeof(records[0]) || !records[head->type].size) {
        return 0;
    }
    if (head->size < records[head->type].size) {
        return refuse(t, "a record is shorter than its type requires");
    }
    if (s->started && head->cpu >= s->start.cpus) {
        return refuse(t, "a record refers to an unknown vCPU");
    }
    if (records[head->type].check && records[head->type].check(s, t)) {
        return -1;
    }
    return stream_began(s);
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
    return check_record(s, t);
}

void stream_put(struct stream *s, const void *data, size_t n)
{
    s->input = data;
    s->left = n;
}

int stream_next(struct stream *s, struct error *t)
{
    int got = s->broken ? -1 : 0;

    while (s->left > 0 && !got) {
        size_t most = wanted(s) - s->have;
        size_t some = most < s->left ? most : s->left;

        memcpy(s->record.bytes + s->have, s->input, some);
        s->have += some;
        s->input += some;
        s->left -= some;
        got = some == most ? take_wanted(s, t) : 0;
    }
    s->broken = got < 0;
    return got;
}

int stream_close(struct stream *s, struct error *t)
{
    if (s->ended) {
        return 0;
    }
    if (!stream_began(s)) {
        return refuse(t, "the stream ends before its events");
    }
    return error_set(t, ERROR_ENDED, "the machine ended; its last samples may be missing");
}
