/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of a CPU's PMU in a stream: first what the PMU is like, in words,
 * then the states of its parts.  It is written and read as one block.
 *
 * The words are lines of "name=value".  They are compared when the block has
 * been read, before anything of the PMU is changed, so that a refusal can name
 * the property and both values.
 *
 * A property that is added later is described only if it is not at its default.
 * Then streams that were saved before still load.
 */

#ifndef SYSTEM_VPMU_SAVED_H
#define SYSTEM_VPMU_SAVED_H

#include "hw/core/cpu.h"
#include "migration/vmstate.h"

typedef struct VPMUSavedOps {
    /*
     * Returns what the PMU is like.  @saved is what the PMU of the stream was
     * like, or NULL: if the PMU can become like that one when the state is
     * loaded, it already says so.
     */
    GString *(*describe)(CPUState *cs, const char *saved);
    /* The size of the states of all parts. */
    size_t (*size)(CPUState *cs);
    /* Saves the states of all parts. */
    void (*save)(CPUState *cs, uint8_t *parts);
} VPMUSavedOps;

/* Zero, except for @cs and @ops, which the PMU sets when it is created. */
typedef struct VPMUSaved {
    CPUState *cs;
    const VPMUSavedOps *ops;
    /* The block, while it is written or until it has been loaded */
    uint32_t size;
    uint8_t *block;
    /* The states in the block, if it has been found good; otherwise NULL */
    const uint8_t *parts;
} VPMUSaved;

/* The field of a struct that has one. */
extern const VMStateDescription vmstate_vpmu_saved;

/* Drops the block. */
void vpmu_saved_drop(VPMUSaved *saved);

/*
 * For VMStateDescription.pre_load of a section with a PMU's state: returns
 * -EINVAL, after an error, if this CPU has no PMU.
 */
int vpmu_saved_expected(CPUState *cs, bool has_pmu);

/* Appends a property of @obj to a description. */
void vpmu_saved_add_property(GString *text, Object *obj, const char *name);

/* Appends something else. */
void vpmu_saved_add(GString *text, const char *name, const char *value);

/* Returns the number that a description has for @name, or -1. */
int64_t vpmu_saved_number(const char *text, const char *name);

#endif
