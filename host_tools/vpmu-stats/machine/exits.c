/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the meter in KVM's exit path with query-stats, and adds up the values of the vCPUs. */
#include "machine/exits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

#define NAME_SIZE 64
/* The statistics of each reason, and of all exits together: numbers of exits, then the parts. */
enum {
    EXITS,
    MEASURED,
    KERNEL_MEASURED,
    VMM_MEASURED,
    PARTS,
    FIELDS = PARTS + KVM_GLUE_PARTS,
};
enum {
    SCALED,
    BLACKOUT,
    SINGLES,
};
#define MAX_NAMES (SINGLES + FIELDS * (1 + KVM_GLUE_REASONS))

/* The names of the statistics. From SINGLES on, @reason and @field say which value each one is. */
struct names {
    size_t n;
    const char *name[MAX_NAMES];
    char text[MAX_NAMES][NAME_SIZE];
    unsigned reason[MAX_NAMES];
    unsigned field[MAX_NAMES];
};

static const char *field_name(unsigned field)
{
    static const char *const numbers[PARTS] = {
        [EXITS] = "exits",
        [MEASURED] = "exits-measured",
        [KERNEL_MEASURED] = "kernel-measured",
        [VMM_MEASURED] = "vmm-measured",
    };

    return field < PARTS ? numbers[field] : kvm_glue_part_name(field - PARTS);
}

/*
 * Add the names of a row. A row without a name has no statistics. The row behind the last one is
 * for all exits.
 */
static void add_reason(struct names *names, unsigned row)
{
    const char *reason = kvm_glue_reason_name(row);

    if (!reason && row != KVM_GLUE_REASONS) {
        return;
    }
    for (unsigned field = 0; field < FIELDS; field++) {
        char *text = names->text[names->n];

        if (reason) {
            snprintf(text, NAME_SIZE, "reason-%s-%s", reason, field_name(field));
        } else {
            snprintf(text, NAME_SIZE, "%s", field_name(field));
        }
        names->reason[names->n] = row;
        names->field[names->n] = field;
        names->name[names->n++] = text;
    }
}

static void make_names(struct names *names)
{
    names->name[SCALED] = "exits-scaled";
    names->name[BLACKOUT] = "blackout-cycles-histogram";
    names->n = SINGLES;
    for (unsigned row = 0; row <= KVM_GLUE_REASONS; row++) {
        add_reason(names, row);
    }
}

struct reading {
    struct exits *e;
    bool per_vcpu;
    const struct names *names;
    size_t vcpus; /* how many have answered */
};

static uint64_t *field_of(struct reason *reason, unsigned field)
{
    switch (field) {
    case EXITS:
        return &reason->exits;
    case MEASURED:
        return &reason->measured;
    case KERNEL_MEASURED:
        return &reason->kernel_measured;
    case VMM_MEASURED:
        return &reason->vmm_measured;
    default:
        return &reason->part[field - PARTS];
    }
}

static uint64_t *place_of(struct reading *r, struct exits *e, size_t name)
{
    unsigned row;

    if (name == SCALED) {
        r->vcpus++;
        return &e->scaled;
    }
    row = r->names->reason[name];
    return field_of(row == KVM_GLUE_REASONS ? &e->all : &e->reason[row], r->names->field[name]);
}

static int take_value(void *opaque, size_t cpu, size_t name, struct response stat)
{
    struct reading *r = opaque;
    struct exits *e = &r->e[r->per_vcpu ? cpu : 0];
    uint64_t value;

    if (name == BLACKOUT) {
        return histogram_read(&e->blackout, stat);
    }
    if (response_u64(stat, "value", UINT64_MAX, &value)) {
        return -1;
    }
    *place_of(r, e, name) += value;
    return 0;
}

/* The meter is on or off for all vCPUs. */
static int check_vcpus(size_t answered, const struct pmus *pmus, struct error *t)
{
    if (answered == pmus->n) {
        return 0;
    }
    return error_set(t, ERROR_TALK, "query-stats: the meter's values are missing%s",
                     answered == 0 ? "; another client switched it off"
                                   : " for some vCPUs; a vCPU was removed");
}

int exits_read(struct exits *e, bool per_vcpu, struct qmp *q, const struct pmus *pmus,
               struct error *t)
{
    struct names *names = malloc(sizeof(*names));
    struct reading r = {.e = e, .per_vcpu = per_vcpu, .names = names};
    int err;

    if (!names) {
        return error_memory(t);
    }
    memset(e, 0, (per_vcpu ? pmus->n : 1) * sizeof(*e));
    make_names(names);
    err = machine_stats(q, pmus, names->name, names->n, take_value, &r, t);
    free(names);
    return err ? err : check_vcpus(r.vcpus, pmus, t);
}

static void subtract_reason(struct reason *reason, struct reason before)
{
    for (unsigned field = 0; field < FIELDS; field++) {
        uint64_t *figure = field_of(reason, field);

        *figure = number_growth(*figure, *field_of(&before, field));
    }
}

void exits_subtract(struct exits *e, const struct exits *before)
{
    e->scaled = number_growth(e->scaled, before->scaled);
    subtract_reason(&e->all, before->all);
    for (unsigned i = 0; i < KVM_GLUE_REASONS; i++) {
        subtract_reason(&e->reason[i], before->reason[i]);
    }
    histogram_subtract(&e->blackout, &before->blackout);
}
