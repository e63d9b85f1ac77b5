/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact profiles: who calls whom, how often, and what is executed meanwhile
 *
 * Generated code reports calls, returns and jumps.  Each thread of the guest
 * has a stack of calls that have not returned.  A call has returned if the
 * stack pointer is above where it was, so exceptions and longjmp() need no
 * rules of their own.  A thread is known by its address space and its TLS
 * pointer, or the pointer by which its kernel knows it; otherwise by the memory
 * that its stack pointer is in.
 *
 * A jump to a function is a call that returns with its caller.  Only the reader
 * knows functions, so all jumps count that are made with the stack pointer that
 * the function had at its start.
 *
 * A stack belongs to the CPU that has used it last.  Only this CPU changes it,
 * except that another CPU takes it with the lock held.
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/lockable.h"
#include "qemu/thread.h"
#include "tcg/vpmu-calls.h"
#include "call-edges.h"
#include "call-stack.h"

#define STACKS_MAX 4096
/* Of all stacks together. */
#define FRAMES_MAX (4 * 1024 * 1024)
/* How far the next use of a stack may be from where it was used before. */
#define STACK_NEAR (8 * 1024)
/* How many calls are searched for the one that a return belongs to. */
#define SEARCH_MAX 256
/* A return may take its address off the stack. */
#define RETURN_SIZE 8
/* No address space. */
#define NOWHERE UINT64_MAX
/* The size of an instruction of a PLT's entry, but for the jump. */
#define STUB_INSN 4
/* The longest jump that ends an entry of a PLT. */
#define STUB_JUMP_SIZE 7
/*
 * The header of a PLT leaves two words on the stack, and executes so many
 * instructions at most, those of an entry included.
 */
#define HEADER_PUSHED 16
#define HEADER_INSNS 6
/* How far a handler may move the stack pointer of what it has interrupted. */
#define SIGNAL_NEAR 128
/* How many handlers that have not returned are known of a thread. */
#define SIGNALS_MAX 32

/*
 * The calls that a CPU has made.  @now and @spent: by context, the stack that
 * was used last, and what was spent until then.
 */
struct VPMUCalls {
    uint32_t wanted;
    bool full;
    Stack *now[VPMU_CALLS_CONTEXTS];
    uint64_t spent[VPMU_CALLS_CONTEXTS][VPMU_CALLS_EVENTS];
    CallEdges edges;
};

/* Protects the list of stacks, and who owns them. */
static QemuMutex lock;
static GPtrArray *stacks;
/* The room of all stacks together. */
static uint32_t frames;

/*
 * Stacks
 */

static inline bool is_near(const Stack *s, uint64_t sp)
{
    return sp + STACK_NEAR >= s->low && sp <= s->high + STACK_NEAR;
}

/* Is this the stack of a thread?  If it has no name, by its stack pointer. */
static inline bool is_of(const Stack *s, const VPMUCaller *who)
{
    return s->of.ctx == who->ctx && s->of.space == who->space &&
           s->of.thread == who->thread &&
           (who->thread || who->space || is_near(s, who->sp));
}

static inline void pop(VPMUCalls *c, Stack *s, const uint64_t *spent)
{
    const Frame *f = top_of(s);
    const uint64_t *begun;
    uint64_t *sum;

    if (f->signal) {
        pop_signal(s, spent);
        return;
    }
    if (unlink_top(s)) {
        begun = begun_of(s, s->depth - 1);
        sum = call_edge_spent(&c->edges, f->edge);
        for (unsigned int i = 0; i < s->events; i++) {
            int64_t n = clock_of(s, spent, i) - begun[i];

            sum[i] += MAX(n, 0);
        }
    }
    s->depth--;
}

static Stack *find_stack(const VPMUCaller *who)
{
    for (unsigned int i = 0; i < stacks->len; i++) {
        if (is_of(stacks->pdata[i], who)) {
            return stacks->pdata[i];
        }
    }
    return NULL;
}

/*
 * Ends the calls of the thread that has not run for the longest time, of those
 * that this CPU has executed last.  Most of many threads have ended.  Returns
 * its stack, or NULL.
 */
static Stack *end_oldest(VPMUCalls *c)
{
    Stack *oldest = NULL;

    for (unsigned int i = 0; i < stacks->len; i++) {
        Stack *s = stacks->pdata[i];

        if (s->owner == c && c->now[s->of.ctx] != s &&
            (!oldest || s->since[0] < oldest->since[0])) {
            oldest = s;
        }
    }
    while (oldest && oldest->depth) {
        /* Its clock stands still. */
        pop(c, oldest, oldest->since);
    }
    return oldest;
}

/* Returns a stack for a new thread; NULL: there are too many. */
static Stack *new_stack(VPMUCalls *c, const VPMUCaller *who)
{
    Stack *s = NULL;

    if (stacks->len < STACKS_MAX) {
        s = g_new0(Stack, 1);
        g_ptr_array_add(stacks, s);
    } else {
        s = end_oldest(c);
        c->full |= !s;
    }
    if (s) {
        s->of = *who;
        s->low = s->high = who->sp;
        s->events = c->edges.events;
        memset(s->clock, 0, sizeof(s->clock));
        s->left = false;
        s->owner = NULL;
    }
    return s;
}

/* A thread that had no TLS pointer has set it. */
static bool has_named_itself(const Stack *s, const VPMUCaller *who)
{
    return s && who->space && s->of.space == who->space && !s->of.thread &&
           who->thread;
}

/* What a CPU has spent when it used a stack last. */
static void note_spent(VPMUCalls *c, unsigned int ctx, const uint64_t *spent)
{
    for (unsigned int i = 0; i < c->edges.events; i++) {
        qatomic_set(&c->spent[ctx][i], spent[i]);
    }
}

/* Another CPU does not execute the thread any more. */
static void suspend_elsewhere(Stack *s, unsigned int ctx)
{
    uint64_t spent[VPMU_CALLS_EVENTS];

    for (unsigned int i = 0; i < s->events; i++) {
        spent[i] = qatomic_read(&s->owner->spent[ctx][i]);
    }
    suspend(s, spent);
}

static void take(VPMUCalls *c, Stack *s, const VPMUCaller *who)
{
    if (s->owner && s->owner != c) {
        suspend_elsewhere(s, who->ctx);
    }
    if (s->owner != c) {
        for (unsigned int i = 0; i < s->depth; i++) {
            Frame *f = &s->frame[i];

            if (!f->signal) {
                f->edge = call_edge_of(&c->edges, f->site, f->target);
                c->edges.edge[f->edge].jumps = f->jumps;
            }
        }
    }
    qatomic_set(&s->owner, c);
    memcpy(s->since, who->spent, s->events * sizeof(s->since[0]));
}

/*
 * A program begins without a TLS pointer.  Calls of the one that had this
 * address space before have ended.
 */
static void end_space(VPMUCalls *c, const VPMUCaller *who)
{
    for (unsigned int i = 0; i < stacks->len; i++) {
        Stack *s = stacks->pdata[i];

        if (s->of.ctx == who->ctx && s->of.space == who->space &&
            s->of.thread) {
            take(c, s, who);
            while (s->depth) {
                pop(c, s, s->since);
            }
            s->of.space = NOWHERE;
        }
    }
}

/* Another thread than before executes in this context. */
static Stack *__attribute__((noinline))
switch_stack(VPMUCalls *c, const VPMUCaller *who)
{
    Stack *last = c->now[who->ctx];
    Stack *s;

    QEMU_LOCK_GUARD(&lock);
    if (last && last->owner != c) {
        last = NULL;
    }
    s = find_stack(who);
    if (!s && has_named_itself(last, who)) {
        last->of.thread = who->thread;
        return last;
    }
    if (last) {
        suspend(last, who->spent);
    }
    if (!s && who->space && !who->thread) {
        end_space(c, who);
    }
    s = s ? s : new_stack(c, who);
    if (s) {
        take(c, s, who);
    }
    c->now[who->ctx] = s;
    return s;
}

/* Returns the stack of the thread that executes, if it is as before. */
static inline Stack *same_stack(const VPMUCalls *c, const VPMUCaller *who)
{
    Stack *s = c->now[who->ctx];

    return s && is_of(s, who) && qatomic_read(&s->owner) == c ? s : NULL;
}

/* Returns the stack of the thread that executes; NULL: there are too many. */
static inline Stack *stack_of(VPMUCalls *c, const VPMUCaller *who)
{
    Stack *s = same_stack(c, who);

    if (!s) {
        s = switch_stack(c, who);
    }
    if (!who->space) {
        /* vpmu_calls_depart() does it for threads of programs. */
        note_spent(c, who->ctx, who->spent);
    }
    if (s) {
        s->low = MIN(s->low, who->sp);
        s->high = MAX(s->high, who->sp);
    }
    return s;
}

/*
 * Calls and returns
 */

/* Above @high a call has another stack, such as that of interrupts. */
static inline bool is_left(const Frame *f, uint64_t sp)
{
    return f->sp < sp && sp <= f->high;
}

/* Ends handlers of signals that were left.  They may have other stacks. */
static void pop_handlers(VPMUCalls *c, Stack *s, const VPMUCaller *who)
{
    unsigned int left = s->depth + 1;

    for (unsigned int at = s->base; at; at = s->frame[at - 1].next) {
        left = is_left(&s->frame[at - 1], who->sp) ? at : left;
    }
    while (s->depth >= left) {
        pop(c, s, who->spent);
    }
}

/* Ends calls that were left. */
static inline bool pop_below(VPMUCalls *c, Stack *s, const VPMUCaller *who)
{
    unsigned int before = s->depth;

    if (s->base) {
        pop_handlers(c, s, who);
    }
    while (s->depth && is_left(top_of(s), who->sp)) {
        pop(c, s, who->spent);
    }
    return s->depth != before;
}

/*
 * Ends a call that is made again with the same stack pointer: it has not
 * returned.  The first call of a thread that uses the memory of an ended thread
 * is one, if calls do not change the stack pointer.
 */
static inline void pop_again(VPMUCalls *c, Stack *s, const VPMUCaller *who,
                             const Frame *f)
{
    unsigned int at = s->depth;

    while (at && s->frame[at - 1].sp == f->sp &&
           s->frame[at - 1].site != f->site) {
        at--;
    }
    if (at && s->frame[at - 1].sp == f->sp) {
        while (s->depth >= at) {
            pop(c, s, who->spent);
        }
    }
}

/* Ends the last call, and those by jumps from it. */
static void pop_top(VPMUCalls *c, Stack *s, const VPMUCaller *who)
{
    bool jumps = true;

    while (jumps && s->depth) {
        jumps = top_of(s)->jumps;
        pop(c, s, who->spent);
    }
}

/* Ends calls down to the one that returns to @target; false if none does. */
static bool __attribute__((noinline))
pop_to(VPMUCalls *c, Stack *s, const VPMUCaller *who, uint64_t target)
{
    unsigned int least = s->depth > SEARCH_MAX ? s->depth - SEARCH_MAX : 0;

    for (unsigned int i = s->depth; i > least; i--) {
        const Frame *f = &s->frame[i - 1];

        if (!f->jumps && !f->signal && f->back == target &&
            f->sp <= who->sp && who->sp - f->sp <= RETURN_SIZE) {
            while (s->depth >= i) {
                pop(c, s, who->spent);
            }
            return true;
        }
    }
    return false;
}

/*
 * A return with the stack pointer of a call ends that call.  If it goes to
 * another address than behind the call, it is that of longjmp() to the caller.
 */
static void pop_equal(VPMUCalls *c, Stack *s, const VPMUCaller *who,
                      uint64_t target)
{
    if (!pop_to(c, s, who, target) && s->depth && top_of(s)->sp == who->sp) {
        pop_top(c, s, who);
    }
}

/*
 * Ends a call that is left by an indirect jump, as __builtin_eh_return() does
 * on arm64 since GCC 14.  A jump to a function keeps the address to return to.
 */
static inline void pop_left(VPMUCalls *c, Stack *s, const VPMUCaller *who)
{
    const Frame *top = top_of(s);

    if (who->link && top && top->sp == who->sp && top->back != who->link) {
        pop_top(c, s, who);
    }
}

static bool grow_stack(VPMUCalls *c, Stack *s)
{
    unsigned int more = s->room ? s->room : 64;

    if (qatomic_fetch_add(&frames, more) > FRAMES_MAX - more) {
        qatomic_sub(&frames, more);
        c->full = true;
        return false;
    }
    s->room += more;
    s->frame = g_renew(Frame, s->frame, s->room);
    s->begun = g_renew(uint64_t, s->begun, (size_t)s->room * s->events);
    relink(s);
    return true;
}

/* A frame begins now; false: there is no room for it. */
static inline bool push(VPMUCalls *c, Stack *s, const VPMUCaller *who,
                        const Frame *f)
{
    if (s->depth == s->room && !grow_stack(c, s)) {
        return false;
    }
    read_clock(s, who->spent, begun_of(s, s->depth));
    s->frame[s->depth++] = *f;
    return true;
}

static inline void push_call(VPMUCalls *c, Stack *s, const VPMUCaller *who,
                             const Frame *f)
{
    if (push(c, s, who, f)) {
        link_top(s);
    }
}

/* What the last call has executed */
static uint64_t executed(const Stack *s, const VPMUCaller *who)
{
    return clock_of(s, who->spent, 0) - begun_of(s, s->depth - 1)[0];
}

/* Has a call led to an entry of a PLT that ends with this jump? */
static bool is_stub(const Stack *s, const VPMUCaller *who, uint64_t from,
                    int how)
{
    uint64_t size = from - top_of(s)->target;

    return how >= VPMU_JUMP_STUB && size <= (uint64_t)(how - VPMU_JUMP_STUB) &&
           executed(s, who) == size / STUB_INSN + 1;
}

/*
 * Has a call led to an entry of a PLT whose function is not bound yet?  The
 * PLT's header jumps to the loader's resolver, which finds the function, takes
 * from the stack what the header has left there, and jumps to the function.
 */
static bool is_header(const Stack *s, const VPMUCaller *who, int how)
{
    return how >= VPMU_JUMP_STUB && s->depth &&
           top_of(s)->sp - who->sp == HEADER_PUSHED &&
           executed(s, who) <= HEADER_INSNS;
}

/*
 * The last call ends with a jump, as if the caller had called what it jumps to
 * next.  So the caller of a function through a PLT has called the entry, the
 * resolver if it was needed, and the function.
 */
static void call_next(VPMUCalls *c, Stack *s, const VPMUCaller *who,
                      uint64_t target, bool resolves)
{
    Frame f = *top_of(s);
    uint32_t last = f.edge;

    f.edge = c->edges.edge[last].further;
    if (!f.edge || c->edges.edge[f.edge].target != target) {
        f.edge = call_edge_find(&c->edges, f.site, target);
        c->edges.edge[last].further = f.edge;
    }
    c->edges.edge[f.edge].count++;
    c->edges.edge[f.edge].jumps = f.jumps;
    f.target = target;
    f.resolves = resolves;
    pop(c, s, who->spent);
    if (!f.jumps || !is_active(s, target)) {
        push_call(c, s, who, &f);
    }
}

/*
 * Begins a call that returns with that of the top.  A function that has not
 * returned costs nothing more, so a loop that jumps adds no frames.
 */
static void call_by_jump(VPMUCalls *c, Stack *s, const VPMUCaller *who,
                         uint32_t site, uint64_t target)
{
    uint32_t edge = call_edge_of(&c->edges, site, target);
    Frame f = *top_of(s);

    c->edges.edge[edge].jumps = true;
    c->edges.edge[edge].count++;
    if (!is_active(s, target)) {
        f.target = target;
        f.site = site;
        f.edge = edge;
        f.jumps = true;
        push_call(c, s, who, &f);
    }
}

void vpmu_calls_enter(VPMUCalls *c, const VPMUCaller *who, uint32_t site,
                      uint64_t target, uint64_t back, uint64_t sp)
{
    Frame f = { .target = target, .site = site, .back = back, .sp = sp };
    Stack *s;

    if (!extract32(c->wanted, who->ctx, 1)) {
        return;
    }
    f.edge = call_edge_of(&c->edges, site, target);
    c->edges.edge[f.edge].count++;
    s = stack_of(c, who);
    if (s) {
        pop_below(c, s, who);
        pop_again(c, s, who, &f);
        f.high = MAX(s->depth ? top_of(s)->high : 0, who->sp);
        push_call(c, s, who, &f);
    }
}

void vpmu_calls_leave(VPMUCalls *c, const VPMUCaller *who, uint64_t target,
                      VPMUReturn how)
{
    Stack *s;
    bool popped;

    if (!extract32(c->wanted, who->ctx, 1)) {
        return;
    }
    s = stack_of(c, who);
    if (s) {
        popped = pop_below(c, s, who);
        if (how == VPMU_RETURN_EQUAL) {
            pop_equal(c, s, who, target);
        } else if (!popped) {
            pop_to(c, s, who, target);
        }
    }
}

/* A function that has something on its stack does not jump to another one. */
static bool is_local(const VPMUCalls *c, const VPMUCaller *who)
{
    const Stack *s = same_stack(c, who);

    return s && s->depth && who->sp < top_of(s)->sp;
}

bool vpmu_calls_may_jump(const VPMUCalls *c, const VPMUCaller *who, int how)
{
    return extract32(c->wanted, who->ctx, 1) &&
           (how != VPMU_JUMP_DIRECT || !is_local(c, who));
}

void vpmu_calls_jump(VPMUCalls *c, const VPMUCaller *who, uint32_t site,
                     uint64_t from, uint64_t target, int how)
{
    const Frame *top;
    Stack *s = stack_of(c, who);

    if (!s) {
        return;
    }
    pop_below(c, s, who);
    if (is_header(s, who, how)) {
        call_next(c, s, who, target, true);
        return;
    }
    if (how != VPMU_JUMP_DIRECT) {
        pop_left(c, s, who);
    }
    top = top_of(s);
    if (!top || top->sp != who->sp) {
        return;
    }
    if (top->resolves || is_stub(s, who, from, how)) {
        /* Before its function is bound, an entry of x86 jumps to its middle. */
        if (target - from > STUB_JUMP_SIZE) {
            call_next(c, s, who, target, false);
        }
    } else {
        call_by_jump(c, s, who, site, target);
    }
}

/*
 * Signals
 *
 * A kernel delivers a signal if a thread of a program arrives with another
 * stack pointer than it has left with.  The handler has returned if the thread
 * arrives with the one of before the delivery.  A handler may also be left by
 * longjmp(), as calls are.
 */

/* Is the handler's stack another one than that of the calls, or below them? */
static bool is_delivery(const Stack *s, const VPMUCaller *who)
{
    const Frame *top = top_of(s);

    /* A new thread has the memory and the TLS of one that has ended. */
    return top && (who->sp < s->left_sp || who->sp > top->high + STACK_NEAR) &&
           (!s->base || s->frame[s->base - 1].site < SIGNALS_MAX);
}

static void deliver_signal(VPMUCalls *c, Stack *s, const VPMUCaller *who)
{
    Frame f = {
        .sp = s->left_sp - 1,
        .high = top_of(s)->high,
        .site = s->base ? s->frame[s->base - 1].site + 1 : 0,
        .next = s->base,
        .signal = true,
    };

    if (push(c, s, who, &f)) {
        s->base = s->depth;
    }
}

/*
 * Has a handler returned?  It may have changed the stack pointer with which the
 * program goes on, as that of Go does.
 */
static bool return_from_signal(VPMUCalls *c, Stack *s, const VPMUCaller *who)
{
    for (unsigned int at = s->base; at; at = s->frame[at - 1].next) {
        if (who->sp - s->frame[at - 1].sp + SIGNAL_NEAR <= 2 * SIGNAL_NEAR) {
            while (s->depth >= at) {
                pop(c, s, who->spent);
            }
            return true;
        }
    }
    return false;
}

/*
 * What a thread of a program executes before its next call belongs to it, not
 * to the thread before it.  A kernel has several threads in a context, and its
 * stack pointer is not yet that of the thread: only calls tell them apart.
 */
void vpmu_calls_arrive(VPMUCalls *c, const VPMUCaller *who)
{
    Stack *s;

    if (!who->space || !extract32(c->wanted, who->ctx, 1)) {
        return;
    }
    s = stack_of(c, who);
    if (s && s->left && who->sp != s->left_sp &&
        !return_from_signal(c, s, who) && is_delivery(s, who)) {
        deliver_signal(c, s, who);
    }
    if (s) {
        s->left = false;
    }
}

void vpmu_calls_depart(VPMUCalls *c, unsigned int ctx, const uint64_t *spent,
                       const uint64_t *sp)
{
    Stack *s = c->now[ctx];

    if (s && qatomic_read(&s->owner) == c) {
        note_spent(c, ctx, spent);
        s->left = sp != NULL;
        s->left_sp = sp ? *sp : 0;
    }
}

/*
 * Recordings
 */

static void free_stack(gpointer opaque)
{
    Stack *s = opaque;

    qatomic_sub(&frames, s->room);
    g_free(s->frame);
    g_free(s->begun);
    g_free(s->first);
    g_free(s);
}

VPMUCalls *vpmu_calls_new(uint32_t wanted, unsigned int events, bool first)
{
    VPMUCalls *c = g_new0(VPMUCalls, 1);

    if (!stacks) {
        qemu_mutex_init(&lock);
        stacks = g_ptr_array_new_with_free_func(free_stack);
    }
    if (first) {
        g_ptr_array_set_size(stacks, 0);
    }
    c->wanted = wanted;
    call_edges_init(&c->edges, events);
    return c;
}

void vpmu_calls_end(VPMUCalls *c, const uint64_t (*spent)[VPMU_CALLS_EVENTS])
{
    QEMU_LOCK_GUARD(&lock);
    for (unsigned int i = 0; i < stacks->len; i++) {
        Stack *s = stacks->pdata[i];
        unsigned int ctx = s->of.ctx;

        if (s->owner == c) {
            if (c->now[ctx] == s) {
                suspend(s, spent[ctx]);
            }
            while (s->depth) {
                /* Its clock stands still. */
                pop(c, s, s->since);
            }
        }
    }
}

void vpmu_calls_free(VPMUCalls *c)
{
    if (c) {
        call_edges_free(&c->edges);
        g_free(c);
    }
}

const VPMUCall *vpmu_calls_read(const VPMUCalls *c, unsigned int *n)
{
    *n = c ? c->edges.n - 1 : 0;
    return c ? c->edges.edge + EDGE_FULL + 1 : NULL;
}

const uint64_t *vpmu_calls_spent(const VPMUCalls *c, unsigned int i)
{
    return call_edge_spent(&c->edges, EDGE_FULL + 1 + i);
}

bool vpmu_calls_is_full(const VPMUCalls *c)
{
    return c && (c->full || c->edges.full);
}
