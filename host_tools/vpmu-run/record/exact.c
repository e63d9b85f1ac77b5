/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The emulator knows no processes. It says which page of the machine's memory an instruction lies
 * in, and which bytes it has. All instructions of a page belong to the first file, in the order of
 * time, that a process of the program has mapped at this address and that has these bytes there.
 * What fits no file belongs to code without a file, such as that of a JIT compiler, if a process
 * has mapped such code there. The rest is that of other programs in the machine: init's.
 */
#include "record/exact.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "perfdata/costs.h"
#include "record/mapped.h"
#include "vpmu/record.h"

#define PAGE_SIZE 4096u
/* How many pages of memory with code at a call's target are looked at. */
#define CALLEES_MAX 64u

/** struct executed - an instruction, and how often it was executed; @map: the file that it is in */
struct executed {
    struct vpmu_record_code code;
    uint64_t pc, times;
    const struct mapped *map;
};

/**
 * struct called - a call instruction, or a jump, at @pc that has called a function @times, and what
 *     that cost of an event
 */
struct called {
    struct vpmu_record_call call;
    uint64_t pc, times;
    unsigned event;
};

/** struct cost - what the instruction at @pc costs of an event, beside itself */
struct cost {
    uint64_t page, pc, n;
    unsigned event;
};

struct exact {
    const struct exact_profile *of;
    const unsigned char *stream;
    size_t stream_size;
    struct executed *insn;
    size_t n, room;
    struct called *call;
    size_t calls, calls_room;
    struct cost *cost;
    size_t costs, costs_room;
    /* By event: the sum of all samples, and what the emulator has counted. */
    uint64_t sum[1 + COSTS_MAX], counted[1 + COSTS_MAX];
    struct mappings maps;
    bool ended, incomplete;
};

/* Reading the recording */

static int damaged(size_t at, struct failure *f)
{
    return failure_set(f, FAILURE_RUN, "the emulator's profile is damaged at byte %zu", at);
}

/* grow() - room for another element. Return: NULL if there is no memory. */
static void *grow(void *elements, size_t n, size_t *room, size_t size)
{
    void *more = elements;

    if (n == *room) {
        *room = *room ? 2 * *room : 4096;
        more = reallocarray(elements, *room, size);
    }
    return more;
}

static int add_insn(struct exact *x, const struct vpmu_record_code *code,
                    const struct vpmu_record_sample *sample, struct failure *f)
{
    struct executed *insn = grow(x->insn, x->n, &x->room, sizeof(*insn));

    if (!insn) {
        return failure_memory(f);
    }
    x->insn = insn;
    insn[x->n++] = (struct executed){*code, sample->pc, sample->weight, NULL};
    return 0;
}

static int add_call(struct exact *x, const struct vpmu_record_call *call,
                    const struct vpmu_record_sample *sample, struct failure *f)
{
    struct called *called = grow(x->call, x->calls, &x->calls_room, sizeof(*called));

    if (!called) {
        return failure_memory(f);
    }
    x->call = called;
    called[x->calls++] = (struct called){*call, sample->pc, sample->weight, sample->event};
    return 0;
}

static int add_cost(struct exact *x, const struct vpmu_record_code *code,
                    const struct vpmu_record_sample *sample, struct failure *f)
{
    struct cost *cost = grow(x->cost, x->costs, &x->costs_room, sizeof(*cost));

    if (!cost) {
        return failure_memory(f);
    }
    x->cost = cost;
    cost[x->costs++] = (struct cost){code->page, sample->pc, sample->weight, sample->event - 1};
    return 0;
}

/** struct before - the record before a sample, which says what it is about */
struct before {
    struct vpmu_record_code code;
    struct vpmu_record_call call;
    bool calls;
};

static int take_sample(struct exact *x, size_t at, const struct before *b, struct failure *f)
{
    struct vpmu_record_sample sample;

    memcpy(&sample, x->stream + at, sizeof(sample));
    if (b->code.size > VPMU_RECORD_INSN || sample.event > x->of->costs) {
        return damaged(at, f);
    }
    if (b->calls) {
        return add_call(x, &b->call, &sample, f);
    }
    x->sum[sample.event] += sample.weight;
    return sample.event ? add_cost(x, &b->code, &sample, f) : add_insn(x, &b->code, &sample, f);
}

static int take_count(struct exact *x, size_t at, struct failure *f)
{
    struct vpmu_record_count count;

    memcpy(&count, x->stream + at, sizeof(count));
    if (count.event > x->of->costs) {
        return damaged(at, f);
    }
    x->counted[count.event] += count.count;
    x->incomplete |= count.lost > 0;
    return 0;
}

/* take() - a record of the emulator */
static int take(struct exact *x, size_t at, const struct vpmu_record_head *head, struct before *b,
                struct failure *f)
{
    static const size_t sizes[] = {
        [VPMU_RECORD_CODE] = sizeof(struct vpmu_record_code),
        [VPMU_RECORD_CALL] = sizeof(struct vpmu_record_call),
        [VPMU_RECORD_JUMP] = sizeof(struct vpmu_record_call),
        [VPMU_RECORD_SAMPLE] = sizeof(struct vpmu_record_sample),
        [VPMU_RECORD_COUNT] = sizeof(struct vpmu_record_count),
    };

    if (head->type < sizeof(sizes) / sizeof(sizes[0]) && sizes[head->type] &&
        head->size != sizes[head->type]) {
        return damaged(at, f);
    }
    if (head->type == VPMU_RECORD_SAMPLE) {
        return take_sample(x, at, b, f);
    }
    if (head->type == VPMU_RECORD_COUNT) {
        return take_count(x, at, f);
    }
    if (head->type == VPMU_RECORD_CODE) {
        memcpy(&b->code, x->stream + at, sizeof(b->code));
        b->calls = false;
    } else if (head->type == VPMU_RECORD_CALL || head->type == VPMU_RECORD_JUMP) {
        memcpy(&b->call, x->stream + at, sizeof(b->call));
        b->calls = true;
    }
    x->ended = head->type == VPMU_RECORD_END;
    return 0;
}

/* check_sums() - with what the emulator has counted meanwhile, of all programs in the machine */
static int check_sums(const struct exact *x, struct failure *f)
{
    if (x->incomplete) {
        return failure_set(f, FAILURE_RUN,
                           "the profile is not complete: there is too much code, or there are too "
                           "many different calls (--no-calls)");
    }
    for (size_t i = 0; i <= x->of->costs; i++) {
        if (x->sum[i] != x->counted[i]) {
            return failure_set(f, FAILURE_RUN,
                               "the profile has %" PRIu64 " of %s, but the emulator has counted "
                               "%" PRIu64,
                               x->sum[i], i ? x->of->cost[i - 1] : "instructions", x->counted[i]);
        }
    }
    return 0;
}

static int read_stream(struct exact *x, struct failure *f)
{
    struct before before = {.calls = false};
    struct vpmu_record_head head;

    for (size_t at = 0; at < x->stream_size; at += head.size) {
        if (x->stream_size - at < sizeof(head)) {
            return damaged(at, f);
        }
        memcpy(&head, x->stream + at, sizeof(head));
        if (head.size < sizeof(head) || head.size > x->stream_size - at) {
            return damaged(at, f);
        }
        if (take(x, at, &head, &before, f) != 0) {
            return -1;
        }
    }
    return x->ended ? check_sums(x, f)
                    : failure_set(f, FAILURE_RUN, "the emulator ended before it wrote the profile");
}

static int map_stream(struct exact *x, int fd, struct failure *f)
{
    struct stat st;
    void *map = MAP_FAILED;

    if (fstat(fd, &st) == 0 && st.st_size > 0) {
        map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    }
    if (map == MAP_FAILED) {
        return failure_set(f, FAILURE_RUN, "the emulator wrote no profile");
    }
    x->stream = map;
    x->stream_size = (size_t)st.st_size;
    return 0;
}

/* Pages */

static int compare(const void *a, const void *b)
{
    const struct executed *x = a, *y = b;
    uint64_t of_x[] = {x->pc / PAGE_SIZE, x->code.page, x->pc};
    uint64_t of_y[] = {y->pc / PAGE_SIZE, y->code.page, y->pc};

    for (size_t i = 0; i < sizeof(of_x) / sizeof(of_x[0]); i++) {
        if (of_x[i] != of_y[i]) {
            return of_x[i] < of_y[i] ? -1 : 1;
        }
    }
    return 0;
}

static bool same_page(const struct executed *a, const struct executed *b)
{
    return a->pc / PAGE_SIZE == b->pc / PAGE_SIZE && a->code.page == b->code.page;
}

/* has_code() - does the file have this code there? */
static bool has_code(const struct mapped *m, const struct executed *insn, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t at = insn[i].pc - m->start + m->offset;

        if (!mapped_contains(m, insn[i].pc) || at >= m->size || m->size - at < insn[i].code.size ||
            memcmp(m->content + at, insn[i].code.bytes, insn[i].code.size) != 0) {
            return false;
        }
    }
    return true;
}

/* find_map() - the mapping that a page of code belongs to; NULL if it is not the program's */
static const struct mapped *find_map(const struct exact *x, const struct executed *insn, size_t n)
{
    const struct mapped *other = NULL;

    for (size_t i = 0; i < x->maps.places; i++) {
        const struct mapped *m = x->maps.place[i];

        if (m->content && has_code(m, insn, n)) {
            return m;
        }
        if (!m->content && mapped_contains(m, insn->pc) && !other) {
            other = m;
        }
    }
    return other;
}

/* Samples */

/* put() - Return: the record. */
static struct raw_record *put(struct raw *raw, const struct mapped *m, uint64_t pc, uint64_t times,
                              uint64_t id)
{
    struct raw_record *record = &raw->record[raw->n];

    *record = (struct raw_record){
        .type = PERF_RECORD_SAMPLE,
        .misc = PERF_RECORD_MISC_USER,
        .at = {.ip = pc, .pid = m->pid, .tid = m->tid, .time = m->time, .period = times, .id = id},
        .order = raw->n,
    };
    raw->n++;
    return record;
}

/* first_from() - the first instruction that is not before the one at @pc in @page */
static size_t first_from(const struct exact *x, uint64_t page, uint64_t pc)
{
    size_t low = 0, high = x->n;
    const struct executed wanted = {.code.page = page, .pc = pc};

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare(&x->insn[middle], &wanted) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* map_of() - the mapping of the program that an instruction is in */
static const struct mapped *map_of(const struct exact *x, uint64_t page, uint64_t pc)
{
    size_t i = first_from(x, page, pc);

    return i < x->n && x->insn[i].pc == pc && x->insn[i].code.page == page ? x->insn[i].map : NULL;
}

/* next_at() - the next page of memory, from @page on, that code at @pc was executed in */
static const struct executed *next_at(const struct exact *x, uint64_t page, uint64_t pc)
{
    for (;;) {
        size_t i = first_from(x, page, pc);

        if (i == x->n || x->insn[i].pc / PAGE_SIZE != pc / PAGE_SIZE) {
            return NULL;
        }
        if (x->insn[i].pc == pc) {
            return &x->insn[i];
        }
        page = x->insn[i].code.page > page ? x->insn[i].code.page : page + 1;
    }
}

static bool same_code(const struct mapped *a, const struct mapped *b)
{
    return a->file == b->file && a->start - a->offset == b->start - b->offset;
}

/*
 * find_callee() - a process that has both the caller and the function that it calls
 * @m: the caller's mapping.
 *
 * Processes that share the caller can have different functions at the same address. Then the
 * emulator does not say which of them was called.
 *
 * Return: a mapping of that process, at whose time it has both; NULL if it is not known.
 */
static const struct mapped *find_callee(const struct exact *x, const struct mapped *m,
                                        uint64_t site, uint64_t target)
{
    const struct executed *insn = NULL;
    const struct mapped *callee = NULL, *found = NULL;
    unsigned tries = 0;

    if (mapped_contains(m, target)) {
        return m;
    }
    while ((insn = next_at(x, insn ? insn->code.page + 1 : 0, target)) != NULL) {
        const struct mapped *both =
            insn->map ? mappings_both(&x->maps, m, site, insn->map, target) : NULL;

        if (both && same_code(m, insn->map)) {
            return both;
        }
        if (++tries > CALLEES_MAX || (both && found && !same_code(callee, insn->map))) {
            return NULL;
        }
        if (both) {
            found = both;
            callee = insn->map;
        }
    }
    return found;
}

/*
 * put_calls() - two samples of each: how often, and the instructions until they returned. Of a cost
 *     there is only the second one.
 * @chain: receives their chains; see PERFDATA_CALLS.
 *
 * A jump to itself, or to code that is not known, is no call.
 */
static void put_calls(struct exact *x, struct raw *raw, uint64_t (*chain)[2])
{
    for (size_t i = 0; i < x->calls; i++) {
        const struct called *c = &x->call[i];
        const struct mapped *m = map_of(x, c->call.page, c->pc);
        const struct mapped *both = m ? find_callee(x, m, c->pc, c->call.target) : NULL;
        const uint64_t period[] = {c->event ? 0 : c->times, c->call.spent};
        /* Those of costs follow the costs themselves. */
        uint64_t id = EXACT_OTHER + (c->event ? x->of->costs + c->event : 0);
        bool jumps = c->call.head.type == VPMU_RECORD_JUMP;

        chain[i][0] = chain[i][1] = c->pc;
        if (!m || (jumps && (!both || c->call.target == c->pc))) {
            continue;
        }
        for (size_t k = 0; k < 2; k++) {
            struct raw_record *record;

            if (period[k]) {
                record = put(raw, both ? both : m, both ? c->call.target : 0, period[k], id + k);
                record->at.chain = (const unsigned char *)chain[i];
                record->at.n_chain = jumps ? 2 : 1;
            }
        }
    }
}

static void put_costs(struct exact *x, struct raw *raw)
{
    uint64_t id = EXACT_OTHER + (x->of->calls ? 2 : 0);

    for (size_t i = 0; i < x->costs; i++) {
        const struct cost *c = &x->cost[i];
        const struct mapped *m = map_of(x, c->page, c->pc);

        if (m) {
            put(raw, m, c->pc, c->n, id + c->event);
        }
    }
}

/* put_rest() - what belongs to no mapping. More than was counted is an error. */
static int put_rest(struct raw *raw, uint64_t count, uint64_t sum, uint64_t id, struct failure *f)
{
    const struct mapped nowhere = {.time = raw->n ? raw->record[raw->n - 1].at.time : 0};

    if (sum > count) {
        return failure_set(f, FAILURE_RUN,
                           "the profile has %" PRIu64 " instructions, but the program has executed "
                           "%" PRIu64,
                           sum, count);
    }
    if (sum < count) {
        put(raw, &nowhere, 0, count - sum, id);
    }
    return 0;
}

static int put_all(struct exact *x, struct raw *raw, struct exact_calls *calls, struct failure *f)
{
    struct raw_record *record =
        reallocarray(raw->record, raw->n + x->n + 2 * x->calls + x->costs + 1, sizeof(*record));
    uint64_t sum = 0;

    calls->chain = reallocarray(NULL, x->calls + 1, sizeof(*calls->chain));
    raw->record = record ? record : raw->record;
    if (!record || !calls->chain) {
        return failure_memory(f);
    }
    qsort(x->insn, x->n, sizeof(*x->insn), compare);
    for (size_t i = 0, n; i < x->n; i += n) {
        const struct mapped *m;

        for (n = 1; i + n < x->n && same_page(&x->insn[i], &x->insn[i + n]); n++) {
        }
        m = find_map(x, &x->insn[i], n);
        for (size_t k = i; m && k < i + n; k++) {
            x->insn[k].map = m;
            put(raw, m, x->insn[k].pc, x->insn[k].times, x->of->id);
            sum += x->insn[k].times;
        }
    }
    if (put_rest(raw, x->of->count, sum, x->of->id, f) != 0) {
        return -1;
    }
    put_calls(x, raw, calls->chain);
    put_costs(x, raw);
    raw_sort(raw);
    return 0;
}

static void close_all(struct exact *x)
{
    if (x->stream) {
        munmap((void *)(uintptr_t)x->stream, x->stream_size);
    }
    mappings_free(&x->maps);
    free(x->insn);
    free(x->call);
    free(x->cost);
}

int exact_add(struct raw *raw, const struct exact_profile *p, struct exact_calls *calls,
              struct failure *f)
{
    struct exact x = {.of = p};
    int err = map_stream(&x, p->fd, f) != 0 || read_stream(&x, f) != 0 ||
              mappings_read(&x.maps, raw, p->job, f) != 0 || put_all(&x, raw, calls, f) != 0;

    close_all(&x);
    return err ? -1 : 0;
}
