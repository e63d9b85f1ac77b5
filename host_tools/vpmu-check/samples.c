/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples: as many as periods have ended, none lost, and each at the instruction that ended its
 * period. A sample carries the counter's value at its interrupt (PERF_SAMPLE_READ), so what the
 * value is beyond the period's end was executed between the overflow and the interrupt: the skid.
 */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "ring.h"

enum {
    PERIOD = 20000,
    SAMPLE_WORDS = 4 /* IP, and value, enabled, running of PERF_SAMPLE_READ */
};

/**
 * struct sampled - what the samples of a run have in common
 * @elsewhere: how many are at another instruction than the one before. A period has whole turns.
 * @skid: instructions between the overflow and the interrupt, of the sample that has most.
 */
struct sampled {
    uint64_t count;
    uint64_t skid;
    uint64_t skid_sum;
    uint64_t lost;
    uint64_t elsewhere;
};

static struct sampled read_samples(struct ring *ring)
{
    struct sampled sampled = {0, 0, 0, 0, 0};
    uint64_t words[SAMPLE_WORDS], before = 0;
    unsigned got;

    while ((got = ring_next_sample(ring, words, SAMPLE_WORDS)) > 0) {
        uint64_t skid = got == SAMPLE_WORDS ? words[1] - (sampled.count + 1) * PERIOD : UINT64_MAX;

        /* Lost samples would look like skid. */
        skid %= PERIOD;
        sampled.elsewhere += sampled.count > 0 && words[0] != before;
        before = words[0];
        sampled.count++;
        sampled.skid_sum += skid;
        sampled.skid = skid > sampled.skid ? skid : sampled.skid;
    }
    sampled.lost = ring->lost;
    return sampled;
}

/*
 * @executed: instructions of the loop. The kernel stops a counter whose interrupts take too long
 * until the next tick; what is executed meanwhile has no samples, and is not counted.
 */
static void judge_count(const struct sampled *sampled, struct reading r, uint64_t executed)
{
    struct finding *f = finding_add("samples", "samples of instructions:u");
    uint64_t known = r.value / PERIOD;

    finding_count(f, sampled->count, known);
    if (finding_is_busy(f, r)) {
        return;
    }
    if (sampled->count == 0) {
        finding_is(f, ZERO, "no interrupt came");
    } else if (sampled->count == known && r.value < executed) {
        finding_is(f, IN_RANGE,
                   "of %llu of %llu instructions: the kernel throttled it, or it stops too early",
                   (unsigned long long)r.value, (unsigned long long)executed);
    } else if (sampled->count == known) {
        finding_is(f, EXACT, "%s", "");
    } else {
        finding_is(f, sampled->count + 1 >= known && sampled->count <= known ? INTERRUPTS : OFF,
                   "%llu lost; the kernel may throttle", (unsigned long long)sampled->lost);
    }
}

static void judge_skid(const struct sampled *sampled)
{
    struct finding *f = finding_add("samples", "skid of instructions:u");

    if (sampled->count == 0) {
        finding_is(f, ABSENT, "no samples");
    } else if (sampled->skid == 0 && sampled->elsewhere > 0) {
        finding_count(f, sampled->elsewhere, 0);
        finding_is(f, IN_RANGE, "samples at another instruction than the one before");
    } else if (sampled->skid == 0) {
        finding_count(f, 0, 0);
        finding_is(f, EXACT, "each sample at the instruction that overflowed");
    } else {
        finding_count(f, sampled->skid, 0);
        finding_is(f, IN_RANGE, "%.0f instructions on average, at most %llu",
                   (double)sampled->skid_sum / (double)sampled->count,
                   (unsigned long long)sampled->skid);
    }
}

void check_samples(const struct check *check)
{
    struct perf_event_attr attr = counter_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0);
    struct sampled sampled;
    struct ring ring;
    int error;

    attr.sample_period = PERIOD;
    attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_READ;
    error = ring_open(&ring, &attr);
    if (error < 0) {
        finding_refused(finding_add("samples", "samples of instructions:u"), -error);
        return;
    }
    counter_start(ring.fd);
    loops[LOOP_ADD].run(10 * check->turns, check->arena.lines);
    counter_stop(ring.fd);
    sampled = read_samples(&ring);
    judge_count(&sampled, counter_read(ring.fd),
                10 * (uint64_t)loops[LOOP_ADD].per_turn[Q_INSTRUCTIONS] * check->turns);
    judge_skid(&sampled);
    ring_close(&ring);
}
