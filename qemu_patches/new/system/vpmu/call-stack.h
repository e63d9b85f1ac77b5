/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact profiles: the calls of a thread that have not returned, and the clock
 * that counts what the thread spends
 */

#ifndef SYSTEM_VPMU_CALL_STACK_H
#define SYSTEM_VPMU_CALL_STACK_H

#include "tcg/vpmu-calls.h"

/* This call is one of a function that has been called before. */
#define FRAME_INNER UINT32_MAX

/*
 * A call that has not returned.  @high: the highest address of its stack.
 * @next: the one before it with the same hash of @target, plus 1, or
 * FRAME_INNER.  @jumps: it is a jump, and returns with the call before it.
 * @resolves: it is one of the loader's resolver, which ends with a jump.
 *
 * @signal: it is no call, but the delivery of a signal.  It is left at the
 * stack pointer that was interrupted, which is @sp + 1.  @next: Stack.base
 * before.  @site: how many deliveries were not left then.
 */
typedef struct Frame {
    uint64_t target;
    uint64_t sp;
    uint64_t high;
    uint64_t back;
    uint32_t site;
    uint32_t edge;
    uint32_t next;
    bool jumps;
    bool resolves;
    bool signal;
} Frame;

/*
 * The calls of a thread.  @low and @high: where its stack pointer was.
 * It has spent @clock of each of @events events before its CPU's count was
 * @since.  @begun: its clock when each frame began.
 * @first: of each of @room hashes, the last call that is not FRAME_INNER, plus
 * 1.  @base: the number of frames up to the last delivery of a signal.
 * @left: its context was left with the stack pointer @left_sp.
 */
typedef struct Stack {
    VPMUCaller of;
    VPMUCalls *owner;
    uint64_t low;
    uint64_t high;
    uint64_t left_sp;
    bool left;
    unsigned int events;
    uint64_t clock[VPMU_CALLS_EVENTS];
    uint64_t since[VPMU_CALLS_EVENTS];
    Frame *frame;
    uint64_t *begun;
    uint32_t *first;
    unsigned int depth;
    unsigned int room;
    unsigned int base;
} Stack;

/*
 * The clock
 */

/*
 * What the thread has spent of an event.  It goes back if a snapshot is loaded.
 */
static inline uint64_t clock_of(const Stack *s, const uint64_t *spent,
                                unsigned int event)
{
    return s->clock[event] + spent[event] - s->since[event];
}

static inline void read_clock(const Stack *s, const uint64_t *spent,
                              uint64_t *now)
{
    for (unsigned int i = 0; i < s->events; i++) {
        now[i] = clock_of(s, spent, i);
    }
}

/* The clock shows @now where the count is @spent, which may be s->since. */
static inline void set_clock(Stack *s, const uint64_t *spent,
                             const uint64_t *now)
{
    for (unsigned int i = 0; i < s->events; i++) {
        s->clock[i] = now[i];
        s->since[i] = spent[i];
    }
}

/* Another thread runs from now on. */
static inline void suspend(Stack *s, const uint64_t *spent)
{
    uint64_t now[VPMU_CALLS_EVENTS];

    read_clock(s, spent, now);
    set_clock(s, spent, now);
}

/*
 * Frames
 */

static inline Frame *top_of(const Stack *s)
{
    return s->depth ? &s->frame[s->depth - 1] : NULL;
}

static inline uint64_t *begun_of(const Stack *s, unsigned int frame)
{
    return s->begun + (size_t)frame * s->events;
}

static inline uint32_t *first_of(const Stack *s, uint64_t target)
{
    return &s->first[(target * 0x9e3779b97f4a7c15ull >> 32) & (s->room - 1)];
}

/*
 * Has a function been called that has not returned?  There is a frame.  Calls
 * of what a signal has interrupted do not count.
 */
static inline bool is_active(const Stack *s, uint64_t target)
{
    uint32_t at = *first_of(s, target);

    while (at > s->base && s->frame[at - 1].target != target) {
        at = s->frame[at - 1].next;
    }
    return at > s->base;
}

/*
 * Only the outermost call of a function costs something: those of recursive
 * calls are a part of it.
 */
static inline void link_top(Stack *s)
{
    Frame *f = top_of(s);
    uint32_t *first = first_of(s, f->target);

    if (is_active(s, f->target)) {
        f->next = FRAME_INNER;
    } else {
        f->next = *first;
        *first = s->depth;
    }
}

static inline bool unlink_top(Stack *s)
{
    const Frame *f = top_of(s);

    if (f->next == FRAME_INNER) {
        return false;
    }
    *first_of(s, f->target) = f->next;
    return true;
}

/* There is room for more frames. */
static inline void relink(Stack *s)
{
    g_free(s->first);
    s->first = g_new0(uint32_t, s->room);
    for (unsigned int i = 0; i < s->depth; i++) {
        Frame *f = &s->frame[i];

        if (!f->signal && f->next != FRAME_INNER) {
            f->next = *first_of(s, f->target);
            *first_of(s, f->target) = i + 1;
        }
    }
}

/*
 * Ends the delivery of a signal.  What its handler has spent is not a part of
 * the calls that it has interrupted.
 */
static inline void pop_signal(Stack *s, const uint64_t *spent)
{
    s->depth--;
    s->base = s->frame[s->depth].next;
    set_clock(s, spent, begun_of(s, s->depth));
}

#endif
