/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Judges counts that are known. A loop is run with N turns and with 2 N; the difference is what N
 * turns did, without what starts and stops the counter.
 */
#include <stdlib.h>

#include "check.h"

/*
 * x86 hardware counts an instruction more for each interrupt (Weaver, Terpstra, Moore:
 * Non-Determinism and Overcount on Modern Hardware Performance Counter Implementations, 2013). A
 * timer of 1000 Hz, a device or two, and a hypervisor's exit are at most four in a millisecond.
 */
enum {
    REPEATS = 3,
    INTERRUPTS_A_MS = 4,
    /* One in ten turns: a loop's branch is rarely predicted wrongly. */
    SPECULATIVE_TURNS = 10
};

/* The loops whose quantities are compared, and what they work on. */
static const enum loop_number compared[] = {LOOP_ADD, LOOP_MEMORY, LOOP_CALLS, LOOP_CHASE,
                                            LOOP_STORE};

static void *memory_of(const struct check *check, enum loop_number loop)
{
    return loop == LOOP_CHASE   ? check->arena.small
           : loop == LOOP_STORE ? check->arena.stores
                                : check->arena.lines;
}

/**
 * struct worst - the loop furthest from what is known
 * @distance: of its best repetition; of its worst with --strict.
 * @bound: how much interrupts may have added.
 * @wrong: how many repetitions were not right, of the loop that has most.
 */
struct worst {
    bool any;
    bool constant;
    unsigned wrong;
    uint64_t counted;
    uint64_t known;
    uint64_t distance;
    uint64_t bound;
    uint64_t sum;
    const char *loop;
};

static uint64_t distance_of(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static uint64_t interrupts_in(uint64_t ns)
{
    return (ns / 1000000 + 1) * INTERRUPTS_A_MS;
}

bool known_but_for_interrupts(uint64_t counted, uint64_t known, uint64_t ns)
{
    return distance_of(counted, known) <= interrupts_in(ns);
}

/* A loop is run until it is right. With --strict it is run as often in any case, because a fault
 * may show only now and then. */
static void compare_loop(struct worst *worst, int fd, const struct check *check,
                         enum loop_number number, uint64_t known)
{
    const struct loop *loop = &loops[number];
    void *memory = memory_of(check, number);
    uint64_t kept = 0, counted = 0, bound = 0;
    unsigned wrong = 0;

    for (unsigned i = 0; i < REPEATS && (check->strict || i == wrong); i++) {
        struct reading once = counter_loop(fd, loop, check->turns, memory);
        struct reading twice = counter_loop(fd, loop, 2 * check->turns, memory);
        uint64_t got = twice.value - once.value, distance = distance_of(got, known);

        worst->sum += once.value + twice.value;
        worst->constant &= once.value == twice.value;
        wrong += distance != 0;
        if (i == 0 || (check->strict ? distance > kept : distance < kept)) {
            kept = distance;
            counted = got;
        }
        bound = interrupts_in(twice.enabled);
    }
    worst->wrong = wrong > worst->wrong ? wrong : worst->wrong;
    /* Of loops that are equally far off, the one that does most says most. */
    if (!worst->any || kept > worst->distance ||
        (kept == worst->distance && known > worst->known)) {
        worst->any = true;
        worst->distance = kept;
        worst->counted = counted;
        worst->known = known;
        worst->bound = bound;
        worst->loop = loop->name;
    }
}

static struct worst compare_loops(int fd, const struct check *check, enum quantity quantity)
{
    struct worst worst = {.constant = true};

    for (size_t i = 0; i < ARRAY_SIZE(compared); i++) {
        int per_turn = loops[compared[i]].per_turn[quantity];

        if (per_turn != NOT_KNOWN) {
            compare_loop(&worst, fd, check, compared[i], (uint64_t)per_turn * check->turns);
        }
    }
    return worst;
}

static void judge(struct finding *f, const struct worst *worst)
{
    finding_count(f, worst->counted, worst->known);
    if (worst->sum == 0) {
        finding_is(f, ZERO, "%s", "");
    } else if (worst->distance == 0 && worst->wrong > 0) {
        finding_is(f, EXACT, "in 1 of %u runs of a loop", worst->wrong + 1);
    } else if (worst->distance == 0) {
        finding_is(f, EXACT, "%s", "");
    } else if (worst->constant) {
        finding_is(f, CONSTANT, "the same for all loops");
    } else if (worst->distance <= worst->bound) {
        finding_is(f, INTERRUPTS, "loop %s; %s", worst->loop, interrupts_why);
    } else {
        finding_is(f, OFF, "loop %s, in %u of %u runs", worst->loop, worst->wrong, REPEATS);
    }
}

void check_known(struct finding *f, int fd, const struct check *check, enum quantity quantity,
                 enum quantity other)
{
    struct worst worst = compare_loops(fd, check, quantity);

    if (worst.distance != 0 && other != Q_NONE) {
        struct worst instead = compare_loops(fd, check, other);

        /* Speculation makes loads and stores differ, so the closer of the two is meant. */
        if (instead.distance == 0 || (other == Q_ACCESSES && instead.distance < worst.distance)) {
            judge(f, &instead);
            finding_is(f, f->verdict, "of %s",
                       other == Q_TAKEN ? "branches that are taken" : "loads and stores");
            return;
        }
    }
    judge(f, &worst);
}

void known_is_speculative(struct finding *f, const struct check *check)
{
    bool off = f->verdict == OFF || f->verdict == INTERRUPTS;

    if (!check->strict && off &&
        distance_of(f->counted, f->known) <= check->turns / SPECULATIVE_TURNS) {
        finding_is(f, IN_RANGE, "it counts accesses of instructions that the CPU drops, too");
    }
}
