/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact profiles: who calls whom, how often, and what is executed meanwhile
 *
 * Generated code reports calls, returns and indirect jumps.  Each thread of the
 * guest has a stack of calls that have not returned.  A call has returned if
 * the stack pointer is above where it was, so exceptions, longjmp() and signals
 * need no rules of their own.  A thread is known by its address space and its
 * TLS pointer, or the pointer by which its kernel knows it; otherwise by the
 * memory that its stack pointer is in.
 *
 * A stack belongs to the CPU that has used it last.  Only this CPU changes it,
 * except that another CPU takes it with the lock held.
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/lockable.h"
#include "qemu/thread.h"
#include "tcg/vpmu-calls.h"

#define STACKS_MAX 4096
#define FRAMES_MAX (64 * 1024)
#define EDGES_MAX (4 * 1024 * 1024)
/* How far the next use of a stack may be from where it was used before. */
#define STACK_NEAR (8 * 1024)
/* How many calls are searched for the one that a return belongs to. */
#define SEARCH_MAX 256
/* A return may take its address off the stack. */
#define RETURN_SIZE 8

/* A call that has not returned.  @high: the highest address of its stack. */
typedef struct Frame {
    uint64_t target;
    uint64_t sp;
    uint64_t high;
    uint64_t back;
    uint64_t begun;
    uint32_t site;
    uint32_t edge;
} Frame;

/*
 * The calls of a thread.  @low and @high: where its stack pointer was.
 * It has executed @clock instructions before its CPU's count was @since.
 */
typedef struct Stack {
    VPMUCaller of;
    VPMUCalls *owner;
    uint64_t low;
    uint64_t high;
    uint64_t clock;
    uint64_t since;
    Frame *frame;
    unsigned int depth;
    unsigned int room;
} Stack;

/*
 * The calls that a CPU has made.  @slot: a hash table of numbers of edges plus
 * 1.  @now and @executed: by context, the stack that was used last, and the
 * instructions until then.
 */
struct VPMUCalls {
    uint32_t wanted;
    bool full;
    Stack *now[VPMU_CALLS_CONTEXTS];
    uint64_t executed[VPMU_CALLS_CONTEXTS];
    VPMUCall *edge;
    unsigned int edges;
    unsigned int edges_room;
    uint32_t *slot;
    unsigned int slots;
};

/* Protects the list of stacks, and who owns them. */
static QemuMutex lock;
static GPtrArray *stacks;

/*
 * Calls from one place to another
 */

static unsigned int hash_of(const VPMUCalls *c, uint32_t site, uint64_t target)
{
    uint64_t hash = (target ^ site * 0x9e3779b97f4a7c15ull) *
                    0xff51afd7ed558ccdull;

    return (hash >> 32) & (c->slots - 1);
}

/* Returns the slot of an edge, or the empty one where it belongs. */
static uint32_t *slot_of(const VPMUCalls *c, uint32_t site, uint64_t target)
{
    unsigned int at = hash_of(c, site, target);

    while (c->slot[at] && (c->edge[c->slot[at] - 1].site != site ||
                           c->edge[c->slot[at] - 1].target != target)) {
        at = (at + 1) & (c->slots - 1);
    }
    return &c->slot[at];
}

static void grow(VPMUCalls *c)
{
    c->slots = c->slots ? 2 * c->slots : 4096;
    g_free(c->slot);
    c->slot = g_new0(uint32_t, c->slots);
    c->edges_room = c->slots / 2;
    c->edge = g_renew(VPMUCall, c->edge, c->edges_room);
    for (unsigned int i = 0; i < c->edges; i++) {
        *slot_of(c, c->edge[i].site, c->edge[i].target) = i + 1;
    }
}

/* Returns the number of an edge.  The first one counts if there is no room. */
static uint32_t edge_of(VPMUCalls *c, uint32_t site, uint64_t target)
{
    uint32_t *slot;

    if (c->edges == c->edges_room && c->edges < EDGES_MAX) {
        grow(c);
    }
    slot = slot_of(c, site, target);
    if (*slot) {
        return *slot - 1;
    }
    if (c->edges == EDGES_MAX) {
        c->full = true;
        return 0;
    }
    c->edge[c->edges] = (VPMUCall) { .site = site, .target = target };
    *slot = ++c->edges;
    return c->edges - 1;
}

/*
 * Stacks
 */

static bool is_near(const Stack *s, uint64_t sp)
{
    return sp + STACK_NEAR >= s->low && sp <= s->high + STACK_NEAR;
}

/* Is this the stack of a thread?  If it has no name, by its stack pointer. */
static bool is_of(const Stack *s, const VPMUCaller *who)
{
    return s->of.ctx == who->ctx && s->of.space == who->space &&
           s->of.thread == who->thread &&
           (who->thread || who->space || is_near(s, who->sp));
}

/* Instructions that the thread has executed. */
static uint64_t clock_of(const Stack *s, uint64_t executed)
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
 * Returns a stack for a new thread.  If there are many, it is that of a thread
 * that is in no call, or NULL.
 */
static Stack *new_stack(const VPMUCaller *who)
{
    Stack *s = NULL;

    for (unsigned int i = 0; i < stacks->len && stacks->len == STACKS_MAX;
         i++) {
        Stack *other = stacks->pdata[i];

        if (!other->depth && other->owner->now[other->of.ctx] != other) {
            s = other;
            break;
        }
    }
    if (!s && stacks->len < STACKS_MAX) {
        s = g_new0(Stack, 1);
        g_ptr_array_add(stacks, s);
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
            s->frame[i].edge = edge_of(c, s->frame[i].site,
                                       s->frame[i].target);
        }
    }
    qatomic_set(&s->owner, c);
    s->since = who->executed;
}

/* Another thread than before executes in this context. */
static Stack *switch_stack(VPMUCalls *c, const VPMUCaller *who)
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
    s = s ? s : new_stack(who);
    if (s) {
        take(c, s, who);
    }
    c->now[who->ctx] = s;
    return s;
}

/* Returns the stack of the thread that executes; NULL: there are too many. */
static Stack *stack_of(VPMUCalls *c, const VPMUCaller *who)
{
    Stack *s = c->now[who->ctx];

    if (!s || !is_of(s, who) || qatomic_read(&s->owner) != c) {
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

static Frame *top_of(const Stack *s)
{
    return s->depth ? &s->frame[s->depth - 1] : NULL;
}

static void pop(VPMUCalls *c, Stack *s, uint64_t executed)
{
    const Frame *f = &s->frame[--s->depth];

    c->edge[f->edge].insns += clock_of(s, executed) - f->begun;
}

/*
 * Ends calls that were left.  Above @high a call has another stack, such as
 * that of interrupts.
 */
static bool pop_below(VPMUCalls *c, Stack *s, const VPMUCaller *who)
{
    unsigned int before = s->depth;
    Frame *top;

    while ((top = top_of(s)) && top->sp < who->sp && who->sp <= top->high) {
        pop(c, s, who->executed);
    }
    return s->depth != before;
}

/* Ends calls down to the one that returns to @target; false if none does. */
static bool pop_to(VPMUCalls *c, Stack *s, const VPMUCaller *who,
                   uint64_t target)
{
    unsigned int least = s->depth > SEARCH_MAX ? s->depth - SEARCH_MAX : 0;

    for (unsigned int i = s->depth; i > least; i--) {
        const Frame *f = &s->frame[i - 1];

        if (f->back == target && f->sp <= who->sp &&
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
        pop(c, s, who->executed);
    }
}

static void push(Stack *s, const Frame *f)
{
    if (s->depth == FRAMES_MAX) {
        return;
    }
    if (s->depth == s->room) {
        s->room = s->room ? 2 * s->room : 64;
        s->frame = g_renew(Frame, s->frame, s->room);
    }
    s->frame[s->depth++] = *f;
}

void vpmu_calls_enter(VPMUCalls *c, const VPMUCaller *who, uint32_t site,
                      uint64_t target, uint64_t back, uint64_t sp)
{
    Frame f = { .target = target, .site = site, .back = back, .sp = sp };
    Stack *s;

    if (!extract32(c->wanted, who->ctx, 1)) {
        return;
    }
    f.edge = edge_of(c, site, target);
    c->edge[f.edge].count++;
    s = stack_of(c, who);
    if (s) {
        pop_below(c, s, who);
        f.high = MAX(s->depth ? top_of(s)->high : 0, who->sp);
        f.begun = clock_of(s, who->executed);
        push(s, &f);
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
        } else if (how == VPMU_RETURN_ABOVE && !popped) {
            pop_to(c, s, who, target);
        }
    }
}

/*
 * Recordings
 */

static void free_stack(gpointer opaque)
{
    Stack *s = opaque;

    g_free(s->frame);
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
        g_free(c->edge);
        g_free(c->slot);
        g_free(c);
    }
}

const VPMUCall *vpmu_calls_read(const VPMUCalls *c, unsigned int *n)
{
    *n = c ? c->edges : 0;
    return c ? c->edge : NULL;
}

bool vpmu_calls_is_full(const VPMUCalls *c)
{
    return c && c->full;
}
