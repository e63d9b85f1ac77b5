/* SPDX-License-Identifier: GPL-2.0-or-later OR BSD-2-Clause */
#ifndef VPMU_TESTS_LOCKSTEP_H
#define VPMU_TESTS_LOCKSTEP_H

#include "chooser.h"
#include "model.h"
#include "vpmu/arm/pmu.h"

/*
 * A machine with two PMUs, the library's and the reference model's, on which the same things
 * happen. It uses the library as a machine should: it tallies, asks for headroom only when it must,
 * and settles exactly when a headroom is used up.
 */

#define LOCKSTEP_NOTES 16

/* A step that was done, kept for the message if the PMUs disagree. */
struct lockstep_note {
    const char *what;
    int reg;
    uint64_t a;
    uint64_t b;
    struct vpmu_pe pe;
};

/**
 * struct lockstep - a machine with both PMUs
 * @clock: what the clocks show.
 * @room: the events of each source that may happen before vpmu_arm_settle(), as the library
 * returned last. A counter may count several sources, so an event of one uses up the room of all.
 * @together: for the room of one source, ask for the headroom of all of them.
 * @mixed: sources whose room another source may have used up.
 * @armed: the last results of vpmu_arm_armed(), by context.
 * @stale: @room and @armed must be asked for again.
 * @asked_clock: the value of @clock when the library last updated the cycles.
 * @tally_all: also tally what is not armed.
 * @irq: the level of the line at the last VPMU_DUE_IRQ.
 * @failed: a disagreement was reported.
 * @notes: the last steps, as a ring.
 * @notes_count: the number of steps noted.
 * @steps: the number of steps of the whole run, for the message.
 */
struct lockstep {
    struct vpmu_arm v;
    struct vpmu_arm_totals totals;
    struct model m;
    struct vpmu_now clock;
    uint64_t room[VPMU_SRC_COUNT];
    bool together;
    vpmu_sources mixed;
    vpmu_sources armed[VPMU_CTX_COUNT];
    bool stale;
    struct vpmu_now asked_clock;
    bool tally_all;
    bool irq;
    bool failed;
    unsigned ctx;
    struct lockstep_note notes[LOCKSTEP_NOTES];
    uint64_t notes_count;
    uint64_t steps;
};

/* Makes a machine with a random valid configuration and some counters set up. */
void lockstep_start(struct lockstep *pair, struct chooser *c);

/* Does one random step. Returns false if the PMUs disagree, after a message on stderr. */
bool lockstep_step(struct lockstep *pair, struct chooser *c);

/* Compares all registers from all exception levels. */
bool lockstep_compare_all(struct lockstep *pair, struct chooser *c);

/* Compares what each possible encoding names. */
bool lockstep_compare_encodings(struct lockstep *pair);

/* Copies a machine, so that the copy's PMU is connected to the copy. */
void lockstep_copy(struct lockstep *to, const struct lockstep *from);

/*
 * Compares on a copy of everything, because reading settles. This finds the step that causes a
 * disagreement, not the one that shows it. Slow.
 */
bool lockstep_compare_copy(const struct lockstep *pair);

/* Private: shared by lockstep.c, lockstep_check.c and lockstep_choose.c. */
/* lockstep_now_() returns the clocks if a call that settles needs them. */
const struct vpmu_now *lockstep_now_(const struct lockstep *pair);
/* Acts on what is due. Returns @due, or 0 if it is no error. */
int lockstep_service_(struct lockstep *pair, int due);
bool lockstep_fail_(struct lockstep *pair, const char *what, uint64_t expected, uint64_t got);
struct lockstep_note *lockstep_note_(struct lockstep *pair, const char *what, uint64_t a,
                                     uint64_t b);
void lockstep_ask_(struct lockstep *pair);
void lockstep_settle_(struct lockstep *pair);
bool lockstep_check_access_(struct lockstep *pair, unsigned reg, const struct vpmu_pe *pe,
                            bool write, bool *allowed);
bool lockstep_check_read_(struct lockstep *pair, unsigned reg, const struct vpmu_pe *pe);
bool lockstep_check_impossible_(struct lockstep *pair, unsigned reg, const struct vpmu_pe *pe,
                                bool write);
bool lockstep_check_lines_(struct lockstep *pair);
bool lockstep_check_counts_(struct lockstep *pair);
bool lockstep_check_armed_(struct lockstep *pair);
bool lockstep_check_headroom_(struct lockstep *pair, unsigned source, unsigned ctx);
bool lockstep_check_headroom_of_sources_(struct lockstep *pair, vpmu_sources sources, unsigned ctx);
bool lockstep_check_config_(struct lockstep *pair, const struct vpmu_arm_config *config);

uint64_t choose_value_(struct chooser *c);
unsigned choose_source_(const struct lockstep *pair, struct chooser *c);
vpmu_sources choose_sources_(struct chooser *c);
uint64_t choose_type_(struct chooser *c);
bool lockstep_has_ctx_(const struct lockstep *pair, unsigned ctx);
unsigned choose_ctx_(const struct lockstep *pair, struct chooser *c);
void choose_wild_config_(struct chooser *c, struct vpmu_arm_config *config);
void choose_config_(struct chooser *c, struct vpmu_arm_config *config);
void choose_controls_(const struct lockstep *pair, struct chooser *c,
                      struct vpmu_arm_controls *controls);
struct vpmu_pe choose_pe_(const struct lockstep *pair, struct chooser *c);
unsigned choose_reg_(const struct lockstep *pair, struct chooser *c);
uint64_t choose_reg_value_(const struct lockstep *pair, struct chooser *c, unsigned reg);

#endif
