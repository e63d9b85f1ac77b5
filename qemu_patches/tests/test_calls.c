/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of exact profiles, as a CPU reports them. Calls push a return address, as on x86. A call
 * costs the instructions from its beginning to its end, which the tests say how many they are.
 */
#include <check.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tcg/vpmu-calls.h"
#include "test_qemu.h"

#define STACK 0x7ffc00001000ull
#define PUSHED 8
/* Those that calls.c knows at a time. */
#define THREADS_MAX 4096
#define FRAMES_MAX (4 * 1024 * 1024)
#define CALLS_MAX 8192
#define HANDLERS_MAX 33

/* Functions, and instructions that call them */
enum {
    LEAF = 0x1000,
    OUTER = 0x2000,
    EVEN = 0x3000,
    ODD = 0x4000,
    FIRST = 0x5000,
    SECOND = 0x6000
};
enum {
    FROM_MAIN = 1,
    FROM_EVEN,
    FROM_ODD,
    FROM_FIRST,
    FROM_SECOND
};

static VPMUCalls *cpu;
static VPMUCaller who;
/* Instructions, and mispredictions or what else calls may cost */
enum {
    INSNS,
    MISSES,
    EVENTS
};
static uint64_t spent[EVENTS];

/* begin() - a CPU is profiled; it executes a thread that has called nothing yet */
static void begin(void)
{
    cpu = vpmu_calls_new(1, EVENTS, true);
    memset(spent, 0, sizeof(spent));
    who = (VPMUCaller){.space = 0x1000, .thread = 0x7000, .sp = STACK, .spent = spent};
}

static void execute(uint64_t insns)
{
    spent[INSNS] += insns;
}

static void miss(uint64_t n)
{
    spent[MISSES] += n;
}

static void call(uint32_t site, uint64_t target)
{
    vpmu_calls_enter(cpu, &who, site, target, site + 5, who.sp - PUSHED);
    who.sp -= PUSHED;
}

static void back_to(uint32_t site)
{
    who.sp += PUSHED;
    vpmu_calls_leave(cpu, &who, site + 5, VPMU_RETURN_ABOVE);
}

static void jump(uint32_t site, uint64_t from, uint64_t target, int how)
{
    if (vpmu_calls_may_jump(cpu, &who, how)) {
        vpmu_calls_jump(cpu, &who, site, from, target, how);
    }
}

/* end() - the profile ends, and with it all calls */
static void end(void)
{
    uint64_t all[VPMU_CALLS_CONTEXTS][VPMU_CALLS_EVENTS] = {{spent[INSNS], spent[MISSES]}};

    vpmu_calls_end(cpu, (const uint64_t(*)[VPMU_CALLS_EVENTS])all);
}

/** struct sum - of calls */
struct sum {
    uint64_t count, spent[EVENTS];
};

/* sum_of() - the sums of all calls of @target from @site, or from anywhere if it is 0 */
static struct sum sum_of(uint32_t site, uint64_t target)
{
    unsigned int n;
    const VPMUCall *all = vpmu_calls_read(cpu, &n);
    struct sum sum = {0};

    for (unsigned int i = 0; i < n; i++) {
        if (all[i].target == target && (all[i].site == site || !site)) {
            sum.count += all[i].count;
            sum.spent[INSNS] += vpmu_calls_spent(cpu, i)[INSNS];
            sum.spent[MISSES] += vpmu_calls_spent(cpu, i)[MISSES];
        }
    }
    return sum;
}

static void check_calls(uint32_t site, uint64_t target, uint64_t count, uint64_t insns)
{
    const struct sum sum = sum_of(site, target);

    ck_assert_msg(
        sum.count == count && sum.spent[INSNS] == insns,
        "calls of %#llx from %u: got %llu with %llu instructions, expected %llu with %llu",
        (unsigned long long)target, site, (unsigned long long)sum.count,
        (unsigned long long)sum.spent[INSNS], (unsigned long long)count, (unsigned long long)insns);
}

static void check_misses(uint32_t site, uint64_t target, uint64_t misses)
{
    ck_assert_uint_eq(sum_of(site, target).spent[MISSES], misses);
}

/* More threads end than are known at a time, in the middle of a call. All of it is in calls. */
START_TEST(threads)
{
    begin();
    for (unsigned i = 0; i < THREADS_MAX + 1000; i++) {
        who.thread = 0x7000 + 0x1000 * i;
        who.sp = STACK;
        vpmu_calls_arrive(cpu, &who);
        execute(1);
        call(FROM_MAIN, OUTER);
        execute(999);
    }
    end();
    check_calls(FROM_MAIN, OUTER, THREADS_MAX + 1000, 999 * (THREADS_MAX + 1000));
    ck_assert(!vpmu_calls_is_full(cpu));
    vpmu_calls_free(cpu);
}
END_TEST

/*
 * A process has the page table and the addresses of one that has ended in a call. It begins without
 * a TLS pointer. Its stack is lower, so no stack pointer shows that the call has ended.
 */
START_TEST(processes)
{
    const uint64_t thread = 0x7000;

    begin();
    call(FROM_MAIN, OUTER);
    execute(10);
    who = (VPMUCaller){.space = who.space, .sp = STACK - 0x1000, .spent = spent};
    vpmu_calls_arrive(cpu, &who);
    execute(100);
    who.thread = thread;
    call(FROM_MAIN, LEAF);
    execute(1000);
    back_to(FROM_MAIN);
    end();
    check_calls(FROM_MAIN, OUTER, 1, 10);
    check_calls(FROM_MAIN, LEAF, 1, 1000);
    vpmu_calls_free(cpu);
}
END_TEST

static void call_deeply(unsigned depth)
{
    for (unsigned i = 0; i < depth; i++) {
        call(FROM_EVEN, EVEN);
    }
}

/* All threads together have so many calls that have not returned. One more is not lost silently. */
START_TEST(depth)
{
    begin();
    call_deeply(FRAMES_MAX / 2);
    who.thread++;
    who.sp = STACK;
    call_deeply(FRAMES_MAX / 2);
    ck_assert(!vpmu_calls_is_full(cpu));
    who.thread++;
    call_deeply(1);
    ck_assert(vpmu_calls_is_full(cpu));
    end();
    check_calls(FROM_EVEN, EVEN, FRAMES_MAX + 1, 0);
    vpmu_calls_free(cpu);
    /* The next profile has room again. */
    begin();
    call_deeply(1);
    ck_assert(!vpmu_calls_is_full(cpu));
    end();
    vpmu_calls_free(cpu);
}
END_TEST

/* The CPU's count goes back when a snapshot is loaded, from before the call. */
START_TEST(snapshots)
{
    begin();
    vpmu_calls_arrive(cpu, &who);
    execute(1000);
    call(FROM_MAIN, LEAF);
    spent[INSNS] = 500;
    back_to(FROM_MAIN);
    end();
    check_calls(FROM_MAIN, LEAF, 1, 0);
    vpmu_calls_free(cpu);
}
END_TEST

/* fibonacci() - executes 5 instructions beside its calls, and 4 of leaf */
static uint64_t fibonacci(uint32_t site, unsigned n)
{
    uint64_t insns = 9;

    call(site, OUTER);
    execute(5);
    call(FROM_EVEN, LEAF);
    execute(4);
    back_to(FROM_EVEN);
    if (n > 1) {
        insns += fibonacci(FROM_FIRST, n - 1);
        insns += fibonacci(FROM_SECOND, n - 2);
    }
    back_to(site);
    return insns;
}

/* fibonacci(20) is called 21,891 times. Callgrind has the same sum for its call from main(). */
START_TEST(recursion)
{
    begin();
    ck_assert_uint_eq(fibonacci(FROM_MAIN, 20), 9 * 21891);
    end();
    check_calls(FROM_MAIN, OUTER, 1, 9 * 21891);
    check_calls(FROM_FIRST, OUTER, 10945, 0);
    check_calls(FROM_SECOND, OUTER, 10945, 0);
    check_calls(FROM_EVEN, LEAF, 21891, 4 * 21891);
    vpmu_calls_free(cpu);
}
END_TEST

/*
 * Two functions call each other, 100 times each, deeper than a new stack has room for. The first
 * call of each costs all that is executed until it returns. Then one of them is called alone.
 */
START_TEST(mutual)
{
    begin();
    call(FROM_MAIN, EVEN);
    for (unsigned i = 0; i < 100; i++) {
        execute(3);
        call(FROM_EVEN, ODD);
        execute(2);
        call(FROM_ODD, EVEN);
    }
    for (unsigned i = 0; i < 100; i++) {
        back_to(FROM_ODD);
        back_to(FROM_EVEN);
    }
    back_to(FROM_MAIN);
    check_calls(FROM_MAIN, EVEN, 1, 500);
    check_calls(FROM_EVEN, ODD, 100, 497);
    check_calls(FROM_ODD, EVEN, 100, 0);
    call(FROM_MAIN, ODD);
    execute(7);
    back_to(FROM_MAIN);
    check_calls(FROM_MAIN, ODD, 1, 7);
    end();
    vpmu_calls_free(cpu);
}
END_TEST

/*
 * Functions that are reached through an entry of a PLT recur as others. The entry is a call of its
 * own, which ends with the jump to the function.
 */
START_TEST(stubs)
{
    begin();
    for (unsigned i = 0; i < 10; i++) {
        call(i ? FROM_ODD : FROM_MAIN, LEAF);
        execute(1);
        jump(FROM_SECOND, LEAF, ODD, VPMU_JUMP_STUB + 4);
        execute(20);
    }
    for (unsigned i = 0; i < 10; i++) {
        back_to(i < 9 ? FROM_ODD : FROM_MAIN);
    }
    end();
    check_calls(FROM_MAIN, ODD, 1, 209);
    check_calls(FROM_ODD, ODD, 9, 0);
    check_calls(FROM_MAIN, LEAF, 1, 1);
    check_calls(FROM_ODD, LEAF, 9, 9);
    vpmu_calls_free(cpu);
}
END_TEST

/* A function jumps to another one with the stack pointer that it was called with. */
START_TEST(jumps)
{
    begin();
    call(FROM_MAIN, OUTER);
    execute(10);
    jump(FROM_FIRST, OUTER, LEAF, VPMU_JUMP_DIRECT);
    execute(5);
    jump(FROM_SECOND, OUTER, ODD, VPMU_JUMP_INDIRECT);
    execute(3);
    back_to(FROM_MAIN);
    execute(100);
    /* With something on the stack a jump stays in its function. */
    call(FROM_MAIN, OUTER);
    who.sp -= PUSHED;
    jump(FROM_FIRST, OUTER, LEAF, VPMU_JUMP_DIRECT);
    jump(FROM_SECOND, OUTER, ODD, VPMU_JUMP_INDIRECT);
    execute(1);
    who.sp += PUSHED;
    back_to(FROM_MAIN);
    end();
    check_calls(FROM_MAIN, OUTER, 2, 19);
    check_calls(FROM_FIRST, LEAF, 1, 8);
    check_calls(FROM_SECOND, ODD, 1, 3);
    for (unsigned i = 0, n; i < 3; i++) {
        ck_assert(vpmu_calls_read(cpu, &n)[i].jumps == (i > 0));
    }
    vpmu_calls_free(cpu);
}
END_TEST

/* Two functions jump to each other more often than there is room for calls. Then others follow. */
START_TEST(jumps_in_turns)
{
    begin();
    call(FROM_MAIN, EVEN);
    for (unsigned i = 0; i < FRAMES_MAX; i++) {
        execute(3);
        jump(FROM_EVEN, OUTER, ODD, VPMU_JUMP_DIRECT);
        execute(2);
        jump(FROM_ODD, OUTER, EVEN, VPMU_JUMP_DIRECT);
    }
    back_to(FROM_MAIN);
    call(FROM_MAIN, LEAF);
    execute(1);
    back_to(FROM_MAIN);
    end();
    check_calls(FROM_MAIN, EVEN, 1, 5ull * FRAMES_MAX);
    check_calls(FROM_EVEN, ODD, FRAMES_MAX, 5ull * FRAMES_MAX - 3);
    check_calls(FROM_ODD, EVEN, FRAMES_MAX, 0);
    check_calls(FROM_MAIN, LEAF, 1, 1);
    ck_assert(!vpmu_calls_is_full(cpu));
    vpmu_calls_free(cpu);
}
END_TEST

/* On Arm a call does not change the stack pointer. A return ends the call, and those by jumps. */
START_TEST(jumps_on_arm)
{
    static const uint64_t back = 0x100, elsewhere = 0x200;

    for (unsigned left = 0; left < 2; left++) {
        begin();
        vpmu_calls_enter(cpu, &who, FROM_MAIN, OUTER, back, who.sp);
        execute(10);
        jump(FROM_FIRST, OUTER, LEAF, VPMU_JUMP_DIRECT);
        execute(5);
        jump(FROM_SECOND, OUTER, ODD, VPMU_JUMP_DIRECT);
        execute(3);
        vpmu_calls_leave(cpu, &who, left ? elsewhere : back, VPMU_RETURN_EQUAL);
        execute(100);
        end();
        check_calls(FROM_MAIN, OUTER, 1, 18);
        check_calls(FROM_FIRST, LEAF, 1, 8);
        check_calls(FROM_SECOND, ODD, 1, 3);
        vpmu_calls_free(cpu);
    }
}
END_TEST

/* A jump to an entry of a PLT is one to the entry, and then one to the function. */
START_TEST(jumps_by_stubs)
{
    begin();
    call(FROM_MAIN, OUTER);
    execute(10);
    jump(FROM_FIRST, OUTER, LEAF, VPMU_JUMP_DIRECT);
    execute(1);
    jump(FROM_SECOND, LEAF, ODD, VPMU_JUMP_STUB + 4);
    execute(20);
    /* These are no stubs: one is too long, and another one has too many instructions. */
    jump(FROM_ODD, ODD + 8, EVEN, VPMU_JUMP_STUB + 4);
    execute(4);
    back_to(FROM_MAIN);
    call(FROM_MAIN, FIRST);
    execute(3);
    jump(FROM_EVEN, FIRST + 4, SECOND, VPMU_JUMP_STUB + 4);
    execute(2);
    back_to(FROM_MAIN);
    end();
    check_calls(FROM_MAIN, OUTER, 1, 35);
    check_calls(FROM_FIRST, LEAF, 1, 1);
    check_calls(FROM_FIRST, ODD, 1, 24);
    check_calls(FROM_ODD, EVEN, 1, 4);
    check_calls(FROM_MAIN, FIRST, 1, 5);
    check_calls(FROM_EVEN, SECOND, 1, 2);
    vpmu_calls_free(cpu);
}
END_TEST

/*
 * The first call of a function that is bound lazily. The entry of the PLT leads to the header,
 * which pushes two words and jumps to the resolver. This calls the loader, takes the words from the
 * stack and jumps to the function. Callgrind shows the same: the caller calls both.
 * @entries: the header belongs to a second entry, as with Intel's CET and on arm64.
 */
static void call_lazily(uint32_t site, bool calls, bool entries)
{
    uint64_t back = who.sp;

    if (calls) {
        call(site, LEAF);
        back = who.sp;
    } else {
        jump(site, OUTER, LEAF, VPMU_JUMP_DIRECT);
    }
    execute(1);
    jump(FROM_SECOND, LEAF, entries ? LEAF + 0x100 : LEAF + 6, VPMU_JUMP_STUB + 4);
    execute(4);
    who.sp -= 2 * PUSHED;
    jump(FROM_FIRST, LEAF + 0x200, SECOND, VPMU_JUMP_STUB + 4);
    execute(70);
    call(FROM_EVEN, EVEN);
    execute(500);
    back_to(FROM_EVEN);
    who.sp = back;
    execute(8);
    jump(FROM_ODD, SECOND + 0x40, ODD, VPMU_JUMP_INDIRECT);
    execute(9000);
}

START_TEST(lazy)
{
    for (unsigned entries = 0; entries < 2; entries++) {
        begin();
        call_lazily(FROM_MAIN, true, entries);
        back_to(FROM_MAIN);
        execute(100000);
        /* The function is bound. */
        call(FROM_MAIN, LEAF);
        execute(1);
        jump(FROM_SECOND, LEAF, ODD, VPMU_JUMP_STUB + 4);
        execute(9000);
        back_to(FROM_MAIN);
        end();
        check_calls(FROM_MAIN, LEAF, 2, entries ? 2 : 6);
        check_calls(FROM_MAIN, LEAF + 0x100, entries, entries ? 4 : 0);
        check_calls(FROM_MAIN, SECOND, 1, 578);
        check_calls(FROM_EVEN, EVEN, 1, 500);
        check_calls(FROM_MAIN, ODD, 2, 18000);
        check_calls(FROM_ODD, ODD, 0, 0);
        vpmu_calls_free(cpu);
    }
}
END_TEST

/* A function jumps to one that is bound lazily, which then returns to the caller of both. */
START_TEST(lazy_jumps)
{
    begin();
    call(FROM_MAIN, OUTER);
    execute(3);
    call_lazily(FROM_FIRST, false, false);
    back_to(FROM_MAIN);
    execute(100000);
    /* A function with two words on its stack jumps, but not at once. */
    call(FROM_MAIN, FIRST);
    execute(7);
    who.sp -= 2 * PUSHED;
    jump(FROM_SECOND, FIRST + 4, EVEN, VPMU_JUMP_STUB + 4);
    execute(20);
    who.sp += 2 * PUSHED;
    back_to(FROM_MAIN);
    end();
    check_calls(FROM_MAIN, OUTER, 1, 9586);
    check_calls(FROM_FIRST, LEAF, 1, 5);
    check_calls(FROM_FIRST, SECOND, 1, 578);
    check_calls(FROM_FIRST, ODD, 1, 9000);
    check_calls(FROM_MAIN, FIRST, 1, 27);
    check_calls(FROM_SECOND, EVEN, 0, 0);
    vpmu_calls_free(cpu);
}
END_TEST

/* Functions that jump to each other through a PLT add no calls to those that have not returned. */
START_TEST(stubs_in_turns)
{
    begin();
    call(FROM_MAIN, EVEN);
    for (unsigned i = 0; i < FRAMES_MAX; i++) {
        bool even = i % 2 == 0;

        execute(3);
        jump(even ? FROM_EVEN : FROM_ODD, OUTER, LEAF, VPMU_JUMP_DIRECT);
        execute(1);
        jump(FROM_SECOND, LEAF, even ? ODD : EVEN, VPMU_JUMP_STUB + 4);
    }
    back_to(FROM_MAIN);
    end();
    check_calls(FROM_MAIN, EVEN, 1, 4ull * FRAMES_MAX);
    check_calls(FROM_EVEN, ODD, FRAMES_MAX / 2, 4ull * FRAMES_MAX - 4);
    check_calls(FROM_ODD, EVEN, FRAMES_MAX / 2, 0);
    ck_assert(!vpmu_calls_is_full(cpu));
    vpmu_calls_free(cpu);
}
END_TEST

/*
 * On arm64 an exception is caught: the unwinder jumps into the function that has called OUTER, and
 * leaves another address in the link register. A function that jumps to another one does not.
 */
START_TEST(exceptions)
{
    static const uint64_t back = 0x100, elsewhere = 0x200;

    begin();
    for (unsigned i = 0; i < 2; i++) {
        vpmu_calls_enter(cpu, &who, i ? FROM_EVEN : FROM_MAIN, OUTER, back, who.sp);
        execute(10);
        who.link = elsewhere;
        jump(FROM_FIRST, OUTER, EVEN, VPMU_JUMP_INDIRECT);
        execute(100);
    }
    vpmu_calls_enter(cpu, &who, FROM_ODD, ODD, back, who.sp);
    execute(3);
    who.link = back;
    jump(FROM_SECOND, OUTER, LEAF, VPMU_JUMP_INDIRECT);
    execute(4);
    vpmu_calls_leave(cpu, &who, back, VPMU_RETURN_EQUAL);
    end();
    check_calls(FROM_MAIN, OUTER, 1, 10);
    check_calls(FROM_EVEN, OUTER, 1, 10);
    check_calls(FROM_ODD, ODD, 1, 7);
    check_calls(FROM_SECOND, LEAF, 1, 4);
    vpmu_calls_free(cpu);
}
END_TEST

/*
 * Calls cost events beside instructions. Those of recursive calls are a part of the outermost one,
 * a jump takes them to the function that it leads to, and another thread has its own.
 */
START_TEST(events)
{
    begin();
    miss(1);
    call(FROM_MAIN, OUTER);
    miss(10);
    call(FROM_FIRST, OUTER);
    miss(100);
    jump(FROM_SECOND, OUTER, LEAF, VPMU_JUMP_DIRECT);
    miss(1000);
    back_to(FROM_FIRST);
    who.thread++;
    who.sp -= 0x10000;
    vpmu_calls_arrive(cpu, &who);
    miss(20000);
    call(FROM_EVEN, EVEN);
    miss(300000);
    back_to(FROM_EVEN);
    who.thread--;
    who.sp += 0x10000;
    vpmu_calls_arrive(cpu, &who);
    miss(2);
    back_to(FROM_MAIN);
    miss(4000000);
    /* This one lasts until the end. */
    call(FROM_MAIN, ODD);
    miss(3);
    end();
    check_misses(FROM_MAIN, OUTER, 1112);
    check_misses(FROM_FIRST, OUTER, 0);
    check_misses(FROM_SECOND, LEAF, 1000);
    check_misses(FROM_EVEN, EVEN, 300000);
    check_misses(FROM_MAIN, ODD, 3);
    check_calls(FROM_MAIN, OUTER, 1, 0);
    vpmu_calls_free(cpu);
}
END_TEST

/* in_kernel() - the thread enters the kernel, and arrives at another place if there is a signal */
static void in_kernel(uint64_t sp)
{
    vpmu_calls_depart(cpu, 0, spent, &who.sp);
    who.sp = sp;
    vpmu_calls_arrive(cpu, &who);
}

/*
 * A handler calls what it has interrupted. Its costs are its own. It returns, or a call in it is
 * left by longjmp(). It may have a stack of its own.
 */
START_TEST(signals)
{
    static const uint64_t stacks[] = {0, 0x5000, STACK + 0x100000};

    for (unsigned i = 0; i < 2 * sizeof(stacks) / sizeof(stacks[0]); i++) {
        uint64_t stack = stacks[i / 2];
        bool returns = i & 1;
        uint64_t sp;

        begin();
        call(FROM_MAIN, OUTER);
        execute(10);
        call(FROM_FIRST, LEAF);
        execute(5);
        sp = who.sp;
        in_kernel(stack ? stack : sp - 0x400);
        execute(1000);
        call(FROM_SECOND, LEAF);
        execute(300);
        if (returns) {
            back_to(FROM_SECOND);
            /* Its return address leads to sigreturn(). */
            who.sp += PUSHED;
            vpmu_calls_leave(cpu, &who, EVEN, VPMU_RETURN_ABOVE);
            execute(2);
            in_kernel(sp);
            execute(7);
            back_to(FROM_FIRST);
        } else {
            who.sp = sp + PUSHED;
            call(FROM_EVEN, ODD);
            back_to(FROM_EVEN);
        }
        execute(20000);
        back_to(FROM_MAIN);
        end();
        check_calls(FROM_SECOND, LEAF, 1, 300);
        check_calls(FROM_FIRST, LEAF, 1, returns ? 12 : 5);
        check_calls(FROM_MAIN, OUTER, 1, returns ? 20022 : 20015);
        vpmu_calls_free(cpu);
    }
}
END_TEST

/*
 * Two signals are delivered at once: the first handler starts when the second one has returned. The
 * second one is interrupted itself, and this handler ends the program.
 */
START_TEST(signals_at_once)
{
    const uint64_t first = STACK - 0x1000, second = STACK - 0x2000, third = STACK - 0x3000;

    for (unsigned ends = 0; ends < 2; ends++) {
        begin();
        call(FROM_MAIN, OUTER);
        execute(1);
        in_kernel(second);
        execute(20);
        in_kernel(third);
        call(FROM_SECOND, LEAF);
        execute(300);
        if (!ends) {
            back_to(FROM_SECOND);
            in_kernel(second);
            execute(4000);
            in_kernel(first);
            execute(50000);
            in_kernel(STACK - PUSHED);
            execute(600000);
            back_to(FROM_MAIN);
        }
        end();
        check_calls(FROM_SECOND, LEAF, 1, 300);
        check_calls(FROM_MAIN, OUTER, 1, ends ? 1 : 600001);
        vpmu_calls_free(cpu);
    }
}
END_TEST

/*
 * Each handler calls a function and is interrupted there, and then all return. What a handler
 * executes is no part of the call that it interrupts, up to a number of handlers (docs/limits.md).
 */
START_TEST(signals_nested)
{
    for (unsigned handlers = HANDLERS_MAX - 1; handlers <= HANDLERS_MAX + 1; handlers++) {
        unsigned apart = handlers < HANDLERS_MAX ? handlers : HANDLERS_MAX;

        begin();
        call(FROM_MAIN, OUTER);
        execute(1);
        for (unsigned i = 1; i <= handlers; i++) {
            in_kernel(STACK - PUSHED - 0x400 * i);
            execute(1000);
            call(FROM_EVEN, i < handlers ? EVEN : ODD);
            execute(10);
        }
        for (unsigned i = handlers; i >= 1; i--) {
            back_to(FROM_EVEN);
            in_kernel(STACK - PUSHED - (i > 1 ? 0x400 * (i - 1) + PUSHED : 0));
        }
        back_to(FROM_MAIN);
        execute(100000);
        end();
        check_calls(FROM_MAIN, OUTER, 1, 1);
        check_calls(FROM_EVEN, ODD, 1, 10);
        check_calls(FROM_EVEN, EVEN, handlers - 1, 10 * (handlers - 1) + 1010 * (handlers - apart));
        vpmu_calls_free(cpu);
    }
}
END_TEST

/*
 * None of these is a signal: the stack pointer of a program that was left is not known; a new
 * thread has the TLS and the memory of one that has ended.
 */
START_TEST(no_signals)
{
    begin();
    call(FROM_MAIN, OUTER);
    execute(1);
    vpmu_calls_depart(cpu, 0, spent, NULL);
    who.sp += 0x100000;
    vpmu_calls_arrive(cpu, &who);
    execute(20);
    who.sp -= 0x100000;
    back_to(FROM_MAIN);
    call(FROM_MAIN, ODD);
    call(FROM_ODD, EVEN);
    in_kernel(STACK);
    execute(300);
    call(FROM_MAIN, LEAF);
    execute(4000);
    end();
    check_calls(FROM_MAIN, OUTER, 1, 21);
    check_calls(FROM_MAIN, ODD, 1, 300);
    check_calls(FROM_MAIN, LEAF, 1, 4000);
    vpmu_calls_free(cpu);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {threads,        processes,    depth,           snapshots,
                                  recursion,      mutual,       stubs,           jumps,
                                  jumps_in_turns, jumps_on_arm, jumps_by_stubs,  exceptions,
                                  events,         signals,      signals_at_once, no_signals,
                                  lazy,           lazy_jumps,   stubs_in_turns,  signals_nested};

    return run_suite("calls", tests, COUNT_OF(tests));
}
