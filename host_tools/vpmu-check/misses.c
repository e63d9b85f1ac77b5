/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Misses: few in loops that need none, more where each turn must have one. */
#include "check.h"
#include "judge.h"

static uint64_t count(int fd, const struct check *check, enum loop_number loop, void *memory)
{
    return counter_loop(fd, &loops[loop], check->turns, memory).value;
}

/* Few where none need be, and between @least and @most thousandths of @of where they must be. */
static void judge_range(struct finding *f, uint64_t few, uint64_t many, uint64_t of, double least,
                        double most)
{
    double low = per_mille(few, of), high = per_mille(many, of);

    if (few == 0 && many == 0) {
        finding_is(f, ZERO, "%s", "");
    } else if (few == many) {
        finding_is(f, CONSTANT, "%llu in both loops", (unsigned long long)few);
    } else if (low > 100 || high < least || high > most) {
        finding_count(f, many, of);
        finding_is(f, OFF, "%.3f a turn where none need be, %.3f where it must be more", low / 1000,
                   high / 1000);
    } else {
        finding_is(f, IN_RANGE, "%.3f a turn, %.3f where none need be", high / 1000, low / 1000);
    }
}

/* Counts loads of lines that the caches have. */
static uint64_t count_hits(int fd, const struct check *check)
{
    count(fd, check, LOOP_CHASE, check->arena.small);
    return count(fd, check, LOOP_CHASE, check->arena.small);
}

/* Counts loads of lines that were not loaded for long: each time those that follow in the cycle. */
static uint64_t count_misses(int fd, const struct check *check)
{
    static void *next;
    void *line = next != NULL ? next : check->arena.large;
    uint64_t counted = count(fd, check, LOOP_CHASE, line);

    for (unsigned long i = 0; i < check->turns; i++) {
        line = *(void **)line;
    }
    next = line;
    return counted;
}

/* Behind a cache that may hold the large memory, nothing need be counted. Emulators say how large
 * their caches are, so --strict has no such doubt. */
static void judge_far(struct finding *f, uint64_t few, uint64_t many, const struct check *check,
                      double most)
{
    double low = per_mille(few, check->turns), high = per_mille(many, check->turns);

    if (!check->strict && check->arena.may_fit && low <= 100 && high < 100) {
        f->never = few == 0 && many == 0;
        finding_is(f, COUNTS, "%.3f a turn; a cache may hold the %zu MiB that it reads",
                   high / 1000, check->arena.large_size >> 20);
    } else {
        judge_range(f, few, many, check->turns, 100, most);
    }
}

void judge_misses(struct finding *f, int fd, const struct check *check, bool far)
{
    uint64_t hits = count_hits(fd, check), misses = count_misses(fd, check);

    if (far) {
        judge_far(f, hits, misses, check, 4000);
    } else {
        judge_range(f, hits, misses, check->turns, 100, 4000);
    }
}

/* Arm's cache-references are those of L1D, so that every load is one. */
void judge_references(struct finding *f, int fd, const struct check *check)
{
    uint64_t hits = count_hits(fd, check), misses = count_misses(fd, check);

    if (hits >= check->turns && hits < 2 * check->turns && misses >= check->turns) {
        finding_is(f, IN_RANGE, "%.3f a load: all loads", per_mille(misses, check->turns) / 1000);
    } else {
        judge_far(f, hits, misses, check, 12000);
    }
}

void judge_mistakes(struct finding *f, int fd, const struct check *check)
{
    count(fd, check, LOOP_ADD, check->arena.lines);
    judge_range(f, count(fd, check, LOOP_ADD, check->arena.lines),
                count(fd, check, LOOP_RANDOM, check->arena.lines), check->turns, 250, 800);
}

void judge_code(struct finding *f, int fd, const struct check *check)
{
    if (check->arena.code == NULL) {
        finding_is(f, DENIED, "no memory may be both written and executed");
        return;
    }
    count(fd, check, LOOP_ADD, check->arena.lines);
    judge_range(f, count(fd, check, LOOP_ADD, check->arena.lines),
                count(fd, check, LOOP_CODE, check->arena.code), check->turns, 100, 4000);
}
