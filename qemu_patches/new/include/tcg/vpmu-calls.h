/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact profiles: calls, which code of blocks with CF_VPMU_CALLS reports
 */

#ifndef TCG_VPMU_CALLS_H
#define TCG_VPMU_CALLS_H

#define VPMU_CALLS_CONTEXTS 16
/* The most events that calls cost. */
#define VPMU_CALLS_EVENTS 16

typedef struct VPMUCalls VPMUCalls;

/*
 * The thread that executes.  @space and @thread are 0 if they are not known.
 * @sp: the stack pointer, before a call or after a return.
 * @link: where the function returns to if it has called nothing, or 0.
 * @totals: the CPU's totals in context @ctx, by source.
 * @spent: what the CPU has spent in this context, by event: instructions, and
 * other events that the profile counts.  Callers of vpmu_calls_enter() and so
 * on set it.
 */
typedef struct VPMUCaller {
    unsigned int ctx;
    uint64_t space;
    uint64_t thread;
    uint64_t sp;
    uint64_t link;
    const uint64_t *totals;
    const uint64_t *spent;
} VPMUCaller;

/*
 * A return leaves the stack pointer as it was at the call, or above where it
 * was after the call.
 */
typedef enum VPMUReturn {
    VPMU_RETURN_EQUAL,
    VPMU_RETURN_ABOVE,
} VPMUReturn;

/*
 * A jump with a constant target; another one; VPMU_JUMP_STUB + N if an entry of
 * a PLT or a veneer can end with it.  Before it these have up to N bytes, in
 * instructions of four.
 */
typedef enum VPMUJump {
    VPMU_JUMP_DIRECT,
    VPMU_JUMP_INDIRECT,
    VPMU_JUMP_STUB,
} VPMUJump;

/*
 * Calls from @site to @target.
 * @further: what was called next when a PLT's entry at @target has ended last,
 * as the number of a call, or 0.
 * @jumps: @site is a jump, which is a call if @target is a function.
 */
typedef struct VPMUCall {
    uint64_t target;
    uint64_t count;
    uint32_t site;
    uint32_t further;
    bool jumps;
} VPMUCall;

/*
 * For a CPU, on its thread: there is a call, which will return to @back, and
 * until then has a stack pointer up to @sp; there is a return to @target; there
 * is a jump at @from, if vpmu_calls_may_jump(), which needs no who->spent; the
 * context has changed.
 */
void vpmu_calls_enter(VPMUCalls *c, const VPMUCaller *who, uint32_t site,
                      uint64_t target, uint64_t back, uint64_t sp);
void vpmu_calls_leave(VPMUCalls *c, const VPMUCaller *who, uint64_t target,
                      VPMUReturn how);
bool vpmu_calls_may_jump(const VPMUCalls *c, const VPMUCaller *who, int how);
void vpmu_calls_jump(VPMUCalls *c, const VPMUCaller *who, uint32_t site,
                     uint64_t from, uint64_t target, int how);
void vpmu_calls_arrive(VPMUCalls *c, const VPMUCaller *who);

/*
 * A context is left, in which @spent was spent.  @sp: the stack pointer there,
 * or NULL if it is not known.
 */
void vpmu_calls_depart(VPMUCalls *c, unsigned int ctx, const uint64_t *spent,
                       const uint64_t *sp);

/*
 * @wanted: a mask of contexts.  @events: how many events calls cost, at least
 * 1.  @first: of the CPUs of a recording.
 */
VPMUCalls *vpmu_calls_new(uint32_t wanted, unsigned int events, bool first);
/* All calls end.  @spent: by context. */
void vpmu_calls_end(VPMUCalls *c, const uint64_t (*spent)[VPMU_CALLS_EVENTS]);
/* NULL is allowed. */
void vpmu_calls_free(VPMUCalls *c);

/* After the end; @c may be NULL. */
const VPMUCall *vpmu_calls_read(const VPMUCalls *c, unsigned int *n);
/*
 * Returns what was spent, by event, until calls of the row @i of these
 * returned; but not in calls of a function that has not returned from a call
 * before, which are a part of that.
 */
const uint64_t *vpmu_calls_spent(const VPMUCalls *c, unsigned int i);
bool vpmu_calls_is_full(const VPMUCalls *c);

#endif
