/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact profiles: who calls whom, how often, and what is executed meanwhile
 *
 * Generated code reports calls, returns and jumps.  Each thread of the guest
 * has a stack of calls that have not returned.  A call has returned if the
 * stack pointer is above where it was, so exceptions, longjmp() and signals
 * need no rules of their own.  A thread is known by its address space and its
 * TLS pointer, or the pointer by which its kernel knows it; otherwise by the
 * memory that its stack pointer is in.
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

/* This call is one of a function that has been called before. */
#define FRAME_INNER UINT32_MAX

/*
 * A call that has not returned.  @high: the highest address of its stack.
 * @next: the one before it with the same hash of @target, plus 1, or
 * FRAME_INNER.  @jumps: it is a jump, and returns with the call before it.
 */
typedef struct Frame {
    uint64_t target;
    uint64_t sp;
    uint64_t high;
    uint64_t back;
    uint64_t begun;
    uint32_t site;
    uint32_t edge;
    uint32_t next;
    bool jumps;
} Frame;

/*
 * The calls of a thread.  @low and @high: where its stack pointer was.
 * It has executed @clock instructions before its CPU's count was @since.
 * @first: of each of @room hashes, the last call that is not FRAME_INNER, plus
 * 1.
 */
typedef struct Stack {
    VPMUCaller of;
    VPMUCalls *owner;
    uint64_t low;
    uint64_t high;
    uint64_t clock;
    uint64_t since;
    Frame *frame;
    uint32_t *first;
    unsigned int depth;
    unsigned int room;
} Stack;

/*
 * The calls that a CPU has made.  @now and @executed: by context, the stack
 * that was used last, and the instructions until then.
 */
struct VPMUCalls {
    uint32_t wanted;
    bool full;
    Stack *now[VPMU_CALLS_CONTEXTS];
    uint64_t executed[VPMU_CALLS_CONTEXTS];
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

/* Instructions that the thread has executed. */
static inline uint64_t clock_of(const Stack *s, uint64_t executed)
{
    /* A snapshot may have been loaded. */
    return s->clock + (executed > s->since ? executed - s->since : 0);
}

/* Another thread runs from now on. */
static void suspend(Stack *s, uint64_t executed)
{
    s->clock = clock_of(s, executed);
    s->since = executed;
}

static inline Frame *top_of(const Stack *s)
{
    return s->depth ? &s->frame[s->depth - 1] : NULL;
}

static inline uint32_t *first_of(const Stack *s, uint64_t target)
{
    return &s->first[(target * 0x9e3779b97f4a7c15ull >> 32) & (s->room - 1)];
}

/* Has a function been called that has not returned?  There is a frame. */
static inline bool is_active(const Stack *s, uint64_t target)
{
    uint32_t at = *first_of(s, target);

    while (at && s->frame[at - 1].target != target) {
        at = s->frame[at - 1].next;
    }
    return at;
}

/*
 * Only the outermost call of a function costs instructions: those of recursive
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

static inline void pop(VPMUCalls *c, Stack *s, uint64_t executed)
{
    const Frame *f = top_of(s);
    uint64_t now = clock_of(s, executed);

    if (unlink_top(s) && now > f->begun) {
        c->edges.edge[f->edge].insns += now - f->begun;
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
            (!oldest || s->since < oldest->since)) {
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
        s->clock = 0;
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

static void take(VPMUCalls *c, Stack *s, const VPMUCaller *who)
{
    if (s->owner && s->owner != c) {
        suspend(s, qatomic_read(&s->owner->executed[who->ctx]));
    }
    if (s->owner != c) {
        for (unsigned int i = 0; i < s->depth; i++) {
            Frame *f = &s->frame[i];

            f->edge = call_edge_of(&c->edges, f->site, f->target);
            c->edges.edge[f->edge].jumps = f->jumps;
        }
    }
    qatomic_set(&s->owner, c);
    s->since = who->executed;
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
        suspend(last, who->executed);
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
    qatomic_set(&c->executed[who->ctx], who->executed);
    if (s) {
        s->low = MIN(s->low, who->sp);
        s->high = MAX(s->high, who->sp);
    }
    return s;
}

/*
 * Calls and returns
 */

/*
 * Ends calls that were left.  Above @high a call has another stack, such as
 * that of interrupts.
 */
static inline bool pop_below(VPMUCalls *c, Stack *s, const VPMUCaller *who)
{
    unsigned int before = s->depth;
    Frame *top;

    while ((top = top_of(s)) && top->sp < who->sp && who->sp <= top->high) {
        pop(c, s, who->executed);
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
            pop(c, s, who->executed);
        }
    }
}

/* Ends the last call, and those by jumps from it. */
static void pop_top(VPMUCalls *c, Stack *s, const VPMUCaller *who)
{
    bool jumps = true;

    while (jumps && s->depth) {
        jumps = top_of(s)->jumps;
        pop(c, s, who->executed);
    }
}

/* Ends calls down to the one that returns to @target; false if none does. */
static bool __attribute__((noinline))
pop_to(VPMUCalls *c, Stack *s, const VPMUCaller *who, uint64_t target)
{
    unsigned int least = s->depth > SEARCH_MAX ? s->depth - SEARCH_MAX : 0;

    for (unsigned int i = s->depth; i > least; i--) {
        const Frame *f = &s->frame[i - 1];

        if (!f->jumps && f->back == target && f->sp <= who->sp &&
            who->sp - f->sp <= RETURN_SIZE) {
            while (s->depth >= i) {
                pop(c, s, who->executed);
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
    g_free(s->first);
    s->first = g_new0(uint32_t, s->room);
    for (unsigned int i = 0; i < s->depth; i++) {
        Frame *f = &s->frame[i];

        if (f->next != FRAME_INNER) {
            f->next = *first_of(s, f->target);
            *first_of(s, f->target) = i + 1;
        }
    }
    return true;
}

static inline void push(VPMUCalls *c, Stack *s, const Frame *f)
{
    if (s->depth < s->room || grow_stack(c, s)) {
        s->frame[s->depth++] = *f;
        link_top(s);
    }
}

/* Has a call led to an entry of a PLT that ends with this jump? */
static bool is_stub(const Frame *top, uint64_t now, uint64_t from, int how)
{
    uint64_t size = from - top->target;

    return how >= VPMU_JUMP_STUB && size <= (uint64_t)(how - VPMU_JUMP_STUB) &&
           now - top->begun == size / STUB_INSN + 1;
}

/* A call of an entry of a PLT is one of the function that it jumps to. */
static void move_call(VPMUCalls *c, Stack *s, uint64_t now, uint64_t target)
{
    Frame *top = top_of(s);
    uint32_t to;

    to = c->edges.edge[top->edge].further;
    if (!to || c->edges.edge[to].target != target) {
        to = call_edge_find(&c->edges, top->site, target);
        c->edges.edge[top->edge].further = to;
    }
    c->edges.edge[top->edge].count--;
    c->edges.edge[to].count++;
    c->edges.edge[to].jumps = top->jumps;
    unlink_top(s);
    top->edge = to;
    top->target = target;
    top->begun = now;
    link_top(s);
}

/*
 * Begins a call that returns with that of the top.  A function that has not
 * returned costs nothing more, so a loop that jumps adds no frames.
 */
static void call_by_jump(VPMUCalls *c, Stack *s, uint64_t now, uint32_t site,
                         uint64_t target)
{
    uint32_t edge = call_edge_of(&c->edges, site, target);
    Frame f = *top_of(s);

    c->edges.edge[edge].jumps = true;
    c->edges.edge[edge].count++;
    if (!is_active(s, target)) {
        f.target = target;
        f.begun = now;
        f.site = site;
        f.edge = edge;
        f.jumps = true;
        push(c, s, &f);
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
        f.begun = clock_of(s, who->executed);
        push(c, s, &f);
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

void vpmu_calls_jump(VPMUCalls *c, const VPMUCaller *who, uint32_t site,
                     uint64_t from, uint64_t target, int how)
{
    const Frame *top;
    uint64_t now;
    Stack *s;

    if (!extract32(c->wanted, who->ctx, 1) ||
        (how == VPMU_JUMP_DIRECT && is_local(c, who))) {
        return;
    }
    s = stack_of(c, who);
    if (!s) {
        return;
    }
    pop_below(c, s, who);
    if (how != VPMU_JUMP_DIRECT) {
        pop_left(c, s, who);
    }
    top = top_of(s);
    if (!top || top->sp != who->sp) {
        return;
    }
    now = clock_of(s, who->executed);
    if (is_stub(top, now, from, how)) {
        move_call(c, s, now, target);
    } else {
        call_by_jump(c, s, now, site, target);
    }
}

/*
 * What a thread of a program executes before its next call belongs to it, not
 * to the thread before it.  A kernel has several threads in a context, and its
 * stack pointer is not yet that of the thread: only calls tell them apart.
 */
void vpmu_calls_arrive(VPMUCalls *c, const VPMUCaller *who)
{
    if (who->space && extract32(c->wanted, who->ctx, 1)) {
        stack_of(c, who);
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
    g_free(s->first);
    g_free(s);
}

VPMUCalls *vpmu_calls_new(uint32_t wanted, bool first)
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
    call_edges_init(&c->edges);
    return c;
}

void vpmu_calls_end(VPMUCalls *c, const uint64_t *executed)
{
    QEMU_LOCK_GUARD(&lock);
    for (unsigned int i = 0; i < stacks->len; i++) {
        Stack *s = stacks->pdata[i];
        unsigned int ctx = s->of.ctx;

        if (s->owner == c) {
            if (c->now[ctx] != s) {
                s->since = UINT64_MAX;
            }
            while (s->depth) {
                pop(c, s, executed[ctx]);
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

bool vpmu_calls_is_full(const VPMUCalls *c)
{
    return c && (c->full || c->edges.full);
}
