/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several events at once: groups, and more events than there are counters. */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "check.h"

enum {
    MANY = 40,
    /* Ten turns of 4 ms: with -icount each nanosecond costs an instruction. */
    MANY_NS = 40000000
};

static int open_one(uint64_t config, int group)
{
    struct perf_event_attr attr = counter_attr(PERF_TYPE_HARDWARE, config, 0);

    return counter_open(&attr, group);
}

/* Such an event, or the group that it leads, has its counter for all the time, or never. */
static int open_pinned(uint64_t config)
{
    struct perf_event_attr attr = counter_attr(PERF_TYPE_HARDWARE, config, 0);

    attr.pinned = 1;
    return counter_open(&attr, -1);
}

static void close_all(const int *fds, unsigned count)
{
    while (count > 0) {
        close(fds[--count]);
    }
}

/**
 * struct member - an event of a group
 * @quantity: what LOOP_ADD is known to do of it.
 */
static struct member {
    const char *name;
    uint64_t config;
    enum quantity quantity;
} members[] = {
    {"instructions", PERF_COUNT_HW_INSTRUCTIONS, Q_INSTRUCTIONS},
    {"branches", PERF_COUNT_HW_BRANCH_INSTRUCTIONS, Q_BRANCHES},
    {"instructions", PERF_COUNT_HW_INSTRUCTIONS, Q_INSTRUCTIONS},
};

enum {
    MEMBERS = ARRAY_SIZE(members)
};

/* A PMU that has no branches may still have counters for a group: of instructions alone. */
static void replace_absent_members(void)
{
    for (unsigned i = 1; i < MEMBERS; i++) {
        int fd = open_one(members[i].config, -1);

        if (fd == -ENOENT || fd == -EOPNOTSUPP) {
            members[i] = members[0];
        } else if (fd >= 0) {
            close(fd);
        }
    }
}

/* Opens events, in a group or each alone. Return: how many could be opened; -errno if none. */
static int open_members(int *fds, unsigned count, bool group)
{
    unsigned opened;

    for (opened = 0; opened < count; opened++) {
        uint64_t config = members[opened].config;

        fds[opened] = group && opened > 0 ? open_one(config, fds[0]) : open_pinned(config);
        if (fds[opened] < 0) {
            break;
        }
    }
    return opened == 0 ? fds[0] : (int)opened;
}

/*
 * How many of the events have a counter at the same time, each alone. Only this tells a group for
 * which there is no room from a PMU that counts no groups: Linux accepts one event too many,
 * because it forgets the first one, which is disabled.
 */
static int count_members_alone(const struct check *check)
{
    struct reading readings[MEMBERS];
    int fds[MEMBERS], alone = 0, opened = open_members(fds, MEMBERS, false);

    if (opened < 0) {
        return opened;
    }
    counter_loop_many(fds, (unsigned)opened, false, &loops[LOOP_ADD], check->turns,
                      check->arena.lines, readings);
    while (alone < opened && readings[alone].running != 0) {
        alone++;
    }
    close_all(fds, (unsigned)opened);
    return alone;
}

static void judge_group(struct finding *f, const struct check *check, const int *fds,
                        unsigned count)
{
    struct reading once[MEMBERS], twice[MEMBERS];

    counter_loop_many(fds, count, true, &loops[LOOP_ADD], check->turns, check->arena.lines, once);
    counter_loop_many(fds, count, true, &loops[LOOP_ADD], 2 * check->turns, check->arena.lines,
                      twice);
    for (unsigned i = 0; i < count; i++) {
        uint64_t got = twice[i].value - once[i].value;
        uint64_t known = (uint64_t)loops[LOOP_ADD].per_turn[members[i].quantity] * check->turns;

        finding_count(f, got, known);
        if (finding_is_busy(f, once[i]) || finding_is_busy(f, twice[i])) {
            return;
        }
        if (twice[i].value == 0) {
            finding_is(f, ZERO, "event %u of the group, though each alone has a counter", i + 1);
            return;
        }
        if (got != known) {
            finding_is(f, known_but_for_interrupts(got, known, twice[i].enabled) ? INTERRUPTS : OFF,
                       "event %u of the group", i + 1);
            return;
        }
    }
    finding_is(f, EXACT, "%s", "");
}

/* As many events as there are counters for, three at most. */
static void check_group(const struct check *check)
{
    struct finding *f = finding_add("groups", "a group");
    int fds[MEMBERS], alone, opened;

    replace_absent_members();
    alone = count_members_alone(check);
    if (alone < 0) {
        finding_refused(f, -alone);
        return;
    }
    if (alone < 2) {
        finding_is(f, BUSY, "a group needs two counters; there is %s", alone == 0 ? "none" : "one");
        return;
    }
    snprintf(f->name, sizeof(f->name), "{%s,%s%s%s}:u", members[0].name, members[1].name,
             alone > 2 ? "," : "", alone > 2 ? members[2].name : "");
    opened = open_members(fds, (unsigned)alone, true);
    if (opened == alone) {
        judge_group(f, check, fds, (unsigned)opened);
    } else {
        finding_is(f, OFF, "the kernel refuses it, though there are %d counters", alone);
    }
    close_all(fds, opened < 0 ? 0 : (unsigned)opened);
}

/* A group counts as a whole or not at all. One that has no room must be refused. */
static void check_too_large_group(const struct check *check)
{
    struct finding *f = finding_add("groups", "a group of 40 events");
    int fds[MANY];
    unsigned opened = 0;

    while (opened < MANY) {
        fds[opened] = open_one(PERF_COUNT_HW_INSTRUCTIONS, opened == 0 ? -1 : fds[0]);
        if (fds[opened] < 0) {
            break;
        }
        opened++;
    }
    if (opened == 0) {
        finding_refused(f, -fds[0]);
    } else if (opened < MANY) {
        finding_is(f, EXACT, "refused from event %u on", opened + 1);
    } else {
        struct reading r = counter_loop(fds[0], &loops[LOOP_ADD], check->turns, check->arena.lines);

        if (!finding_is_busy(f, r)) {
            finding_is(f, r.value > 0 ? COUNTS : ZERO,
                       r.value > 0 ? "it has room" : "accepted, and not counted");
        }
    }
    close_all(fds, opened);
}

/**
 * struct shares - what scaled counts look like
 * @running: the least share of the time that an event had a counter.
 * @error: the greatest distance from the known count, as a share of it.
 * @zero: a bit for each event that had a counter and counted nothing.
 */
struct shares {
    double running;
    double error;
    uint64_t zero;
};

static struct shares compare_scaled(const int *fds, unsigned count, double known)
{
    struct shares shares = {1, 0, 0};

    for (unsigned i = 0; i < count; i++) {
        struct reading r = counter_read(fds[i]);
        double share = r.enabled == 0 ? 0 : (double)r.running / (double)r.enabled, error;

        shares.zero |= (uint64_t)(r.value == 0 && r.running != 0) << i;
        shares.running = share < shares.running ? share : shares.running;
        error = share == 0 ? 1 : (double)r.value / share / known - 1;
        error = error < 0 ? -error : error;
        shares.error = error > shares.error ? error : shares.error;
    }
    return shares;
}

/* Runs a loop for some time. Return: how many instructions it had. */
static double run_for(const struct check *check, uint64_t ns)
{
    uint64_t begin = now_ns();
    double known = 0;

    do {
        loops[LOOP_ADD].run(check->turns, check->arena.lines);
        known += 10.0 * (double)check->turns;
    } while (now_ns() - begin < ns);
    return known;
}

/* Opens, counts and closes. Return: 0, or the errno of an event that could not be opened. */
static int count_many(const struct check *check, uint64_t ns, struct shares *shares)
{
    int fds[MANY];
    unsigned opened;
    double known;

    for (opened = 0; opened < MANY; opened++) {
        fds[opened] = open_one(PERF_COUNT_HW_INSTRUCTIONS, -1);
        if (fds[opened] < 0) {
            close_all(fds, opened);
            return -fds[opened];
        }
    }
    for (unsigned i = 0; i < MANY; i++) {
        counter_start(fds[i]);
    }
    known = run_for(check, ns);
    for (unsigned i = 0; i < MANY; i++) {
        counter_stop(fds[i]);
    }
    *shares = compare_scaled(fds, MANY, known);
    close_all(fds, MANY);
    return 0;
}

/*
 * The kernel gives the counters to the events in turns, and perf scales what it counted. That is an
 * estimate: it is good only if the program is as fast at all times. On a busy computer it takes
 * longer until it is, and an event may have its counter just while the host runs something else. So
 * an event is zero only if it is each time.
 */
static void check_many(const struct check *check)
{
    struct finding *f = finding_add("groups", "40 events at once");
    struct shares shares = {0, 1, 0};
    uint64_t zero = UINT64_MAX;

    for (uint64_t ns = MANY_NS; ns <= 16 * MANY_NS && shares.error > 0.2; ns *= 2) {
        int error = count_many(check, ns, &shares);

        if (error != 0) {
            finding_refused(f, error);
            return;
        }
        zero &= shares.zero;
    }
    if (zero != 0) {
        finding_is(f, ZERO, "an event had a counter, and counted nothing");
    } else {
        finding_is(f, shares.error < 0.2 ? IN_RANGE : COUNTS,
                   "a counter for at least %.0f %% of the time; scaled, off by at most %.1f %%",
                   100 * shares.running, 100 * shares.error);
    }
}

void check_groups(const struct check *check)
{
    check_group(check);
    check_too_large_group(check);
    check_many(check);
}
