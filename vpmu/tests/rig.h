/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_RIG_H
#define VPMU_TESTS_RIG_H

#include "chooser.h"
#include "model.h"
#include "vpmu/arm/pmu.h"

/*
 * A machine with two PMUs, the library's and the reference model's, on which the same things
 * happen. It uses the library as a machine should: it tallies, asks for headroom only when it must,
 * and settles exactly when a headroom is used up.
 */

#define RIG_NOTES 16

/* A step that was done, kept for the message if the PMUs disagree. */
struct rig_note {
    const char *what;
    int reg;
    uint64_t a;
    uint64_t b;
    struct vpmu_pe pe;
};

/**
 * struct rig - the machine
 * @clock: the values of the timed sources, VPMU_SRC_CPU_CYCLES and VPMU_SRC_CNT_CYCLES.
 * @room: the events of each source that may happen before vpmu_settle(), as the library returned
 *     last. A counter may count several sources, so an event of one uses up the room of all.
 * @together: for the room of one source, ask for the headroom of all of them.
 * @mixed: sources whose room another source may have used up.
 * @armed: the last results of vpmu_armed(), by context.
 * @stale: @room and @armed must be asked for again.
 * @asked_clock: the value of @clock when the library last updated the cycles.
 * @tally_all: also tally what is not armed.
 * @irq: the last value from the library's callback.
 * @failed: a disagreement was reported.
 * @notes: the last steps, as a ring.
 * @notes_count: the number of steps noted.
 * @steps: the number of steps of the whole run, for the message.
 */
struct rig {
    struct vpmu v;
    struct vpmu_totals totals;
    struct model m;
    uint64_t clock[VPMU_CLOCK_COUNT];
    uint64_t room[VPMU_SRC_COUNT];
    bool together;
    uint64_t mixed;
    uint64_t armed[VPMU_CTX_COUNT];
    bool stale;
    uint64_t asked_clock[VPMU_CLOCK_COUNT];
    bool tally_all;
    bool irq;
    bool failed;
    unsigned ctx;
    struct rig_note notes[RIG_NOTES];
    uint64_t notes_count;
    uint64_t steps;
};

/* Makes a machine with a random valid configuration and some counters set up. */
void rig_start(struct rig *rig, struct chooser *c);

/* Does one random step. Returns false if the PMUs disagree, after a message on stderr. */
bool rig_step(struct rig *rig, struct chooser *c);

/* Compares all registers from all exception levels. */
bool rig_compare_all(struct rig *rig, struct chooser *c);

/* Compares what each possible encoding names. */
bool rig_compare_encodings(struct rig *rig);

/* Copies a machine, so that the copy's PMU is connected to the copy. */
void rig_copy(struct rig *to, const struct rig *from);

/*
 * Compares on a copy of everything, because reading settles. This finds the step that causes a
 * disagreement, not the one that shows it. Slow.
 */
bool rig_compare_copy(const struct rig *rig);

/* Private: shared by rig.c, rig_check.c and rig_choose.c. */
extern const struct vpmu_ops rig_ops_;
bool rig_fail_(struct rig *rig, const char *what, uint64_t expected, uint64_t got);
struct rig_note *rig_note_(struct rig *rig, const char *what, uint64_t a, uint64_t b);
void rig_ask_(struct rig *rig);
void rig_settle_(struct rig *rig);
bool rig_check_access_(struct rig *rig, unsigned reg, const struct vpmu_pe *pe, bool write,
                       bool *allowed);
bool rig_check_read_(struct rig *rig, unsigned reg, const struct vpmu_pe *pe);
bool rig_check_impossible_(struct rig *rig, unsigned reg, const struct vpmu_pe *pe, bool write);
bool rig_check_lines_(struct rig *rig);
bool rig_check_counts_(struct rig *rig);
bool rig_check_armed_(struct rig *rig);
bool rig_check_headroom_(struct rig *rig, unsigned source, unsigned ctx);
bool rig_check_headroom_of_sources_(struct rig *rig, uint64_t sources, unsigned ctx);
bool rig_check_config_(struct rig *rig, const struct vpmu_config *config);

uint64_t choose_value_(struct chooser *c);
unsigned choose_source_(const struct rig *rig, struct chooser *c);
uint64_t choose_sources_(struct chooser *c);
uint64_t choose_type_(struct chooser *c);
bool rig_has_ctx_(const struct rig *rig, unsigned ctx);
unsigned choose_ctx_(const struct rig *rig, struct chooser *c);
void choose_wild_config_(struct chooser *c, struct vpmu_config *config);
void choose_config_(struct chooser *c, struct vpmu_config *config);
void choose_controls_(const struct rig *rig, struct chooser *c, struct vpmu_controls *controls);
struct vpmu_pe choose_pe_(const struct rig *rig, struct chooser *c);
unsigned choose_reg_(const struct rig *rig, struct chooser *c);
uint64_t choose_reg_value_(const struct rig *rig, struct chooser *c, unsigned reg);

#endif
