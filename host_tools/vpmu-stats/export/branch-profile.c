/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The profile has an entry for each branch, and for each range of code that was executed from the
 * target of a branch to the next branch. The samples of an entry are how often it was executed. The
 * period of a branch is how often it was mispredicted, and that of a range, how often it began with
 * a branch from another function. Addresses are those of the ELF file.
 */
#include "export/branch-profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profile/branch.h"
#include "symbols/image.h"

/* The parts of a key. Addresses have a fixed width, so that sorting by text sorts them by value. */
enum {
    PART_IMAGE,
    PART_KIND,
    PART_FROM,
    PART_TO,
    PARTS,
};

#define BRANCH "B"
#define RANGE "F"
/* A branch between the program's code and other code of programs, such as that of a library. */
#define ENTRY "E"
#define LEAVING "L"
/* perf2bolt's type of a range that begins with a branch from another function. */
#define RANGE_FROM_OUTSIDE "f"

/* A range longer than this means that a branch was lost. create_llvm_prof has the same limit. */
#define MAX_RANGE (1u << 20)

static int put_address(struct sample_input *g, uint64_t address, uint32_t *number, struct error *t)
{
    char text[20];

    snprintf(text, sizeof(text), "%016" PRIx64, address);
    return string_table_number(&g->profile->texts, text, number, t);
}

static int add(struct sample_input *g, const char *image, const char *kind, uint64_t from,
               uint64_t to, bool period, struct error *t)
{
    uint32_t key[PARTS];
    unsigned event = 0;

    return string_table_number(&g->profile->texts, image, &key[PART_IMAGE], t) ||
                   string_table_number(&g->profile->texts, kind, &key[PART_KIND], t) ||
                   put_address(g, from, &key[PART_FROM], t) || put_address(g, to, &key[PART_TO], t)
               ? -1
               : profile_add(g->profile, event, period, key, PARTS, t);
}

/* Tells whether both places are in the same known ELF file. */
static bool same_image(const struct input_place *a, const struct input_place *b)
{
    return a->image && b->image && strcmp(a->image, b->image) == 0;
}

static bool is_user(const struct input_sample *s, uint64_t address)
{
    return branch_mode(s, address) == PERF_RECORD_MISC_USER;
}

/* Each file in which a branch begins or ends has an entry. perf2bolt omits kernel branches. */
static int add_branch(struct sample_input *g, const struct input_sample *s,
                      const struct input_branch *branch, const struct input_place *from,
                      const struct input_place *to, struct error *t)
{
    if (same_image(from, to)) {
        return add(g, from->image, BRANCH, from->address, to->address, branch->mispredicted, t);
    }
    if (!is_user(s, branch->from) || !is_user(s, branch->to)) {
        return 0;
    }
    return (to->image && add(g, to->image, ENTRY, 0, to->address, branch->mispredicted, t)) ||
                   (from->image &&
                    add(g, from->image, LEAVING, from->address, 0, branch->mispredicted, t))
               ? -1
               : 0;
}

/* @next is the source of the branch after the one to @to; it may have no image. */
static int add_range(struct sample_input *g, const struct input_place *from,
                     const struct input_place *to, const struct input_place *next, struct error *t)
{
    bool outside = !same_image(from, to) || from->function != to->function;

    return same_image(to, next) && next->address >= to->address &&
                   next->address - to->address <= MAX_RANGE
               ? add(g, to->image, RANGE, to->address, next->address, outside, t)
               : 0;
}

static bool is_wanted(const struct sample_input *g, const struct branch_profile *b, unsigned event)
{
    return b->event ? strcmp(g->profile->event[event].name, b->event) == 0 : event == 0;
}

int branch_profile_sample(struct sample_input *g, const struct input_sample *s, struct error *t)
{
    struct branch_profile *b = g->sink;
    struct input_place next = {.image = NULL};

    if (!is_wanted(g, b, s->event)) {
        return 0;
    }
    if (s->s->n_branches && !(g->profile->event[s->event].branches & PERF_SAMPLE_BRANCH_ANY)) {
        return error_set(t, ERROR_USAGE,
                         "only some kinds of branches are in the recording, so it is unknown what "
                         "was executed between them: record with -b or --branch-filter any,u");
    }
    for (uint64_t i = 0; i < s->s->n_branches; i++) {
        struct input_branch branch = branch_of(s, i);
        struct input_place from =
            sample_input_place(g, s, branch_mode(s, branch.from), branch.from);
        struct input_place to = sample_input_place(g, s, branch_mode(s, branch.to), branch.to);

        b->branches++;
        if (add_branch(g, s, &branch, &from, &to, t) || add_range(g, &from, &to, &next, t)) {
            return -1;
        }
        next = from;
    }
    return 0;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

int branch_profile_choose(struct branch_profile *b, struct profile *p, struct error *t)
{
    profile_sort_by_key(p);
    for (size_t i = 0; i < p->n; i++) {
        const char *image = profile_text(p, p->entry[i], PART_IMAGE);

        if (b->file && strcmp(base_name(image), b->file) != 0) {
            continue;
        }
        if (b->image && strcmp(image, b->image) != 0) {
            return error_set(t, ERROR_USAGE,
                             "branches of several files are known, of %s and %s: choose one with "
                             "--dso",
                             b->image, image);
        }
        b->image = image;
    }
    if (b->image) {
        return 0;
    }
    return b->branches ? error_set(t, ERROR_USAGE,
                                   "no branch is in %s: name the program's ELF file with --symfs, "
                                   "--map or --vmlinux",
                                   b->file ? b->file : "a file that is known")
                       : error_set(t, ERROR_USAGE,
                                   "there are no branches in the recording: record with -b");
}

static bool is_kind(const struct branch_profile *b, const struct profile *p, size_t i,
                    const char *kind)
{
    const struct profile_entry *e = p->entry[i];

    return strcmp(profile_text(p, e, PART_IMAGE), b->image) == 0 &&
           strcmp(profile_text(p, e, PART_KIND), kind) == 0;
}

/* Without leading zeroes. */
static uint64_t address_of(const struct profile *p, size_t i, uint32_t part)
{
    return strtoull(profile_text(p, p->entry[i], part), NULL, 16);
}

/* The ranges of an entry: those from the same function, and those from another. */
static void put_ranges(const struct profile *p, size_t i, FILE *file)
{
    const struct profile_entry *e = p->entry[i];
    const struct {
        const char *type;
        uint64_t count;
    } rows[] = {{RANGE, e->samples - e->period}, {RANGE_FROM_OUTSIDE, e->period}};

    for (size_t k = 0; k < sizeof(rows) / sizeof(rows[0]); k++) {
        if (rows[k].count) {
            fprintf(file, "%s %" PRIx64 " %" PRIx64 " %" PRIu64 "\n", rows[k].type,
                    address_of(p, i, PART_FROM), address_of(p, i, PART_TO), rows[k].count);
        }
    }
}

void branch_profile_bolt(const struct branch_profile *b, const struct profile *p, FILE *file)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct profile_entry *e = p->entry[i];

        if (is_kind(b, p, i, RANGE)) {
            put_ranges(p, i, file);
        } else if (is_kind(b, p, i, BRANCH) || is_kind(b, p, i, ENTRY) ||
                   is_kind(b, p, i, LEAVING)) {
            fprintf(file, BRANCH " %" PRIx64 " %" PRIx64 " %" PRIu64 " %" PRIu64 "\n",
                    address_of(p, i, PART_FROM), address_of(p, i, PART_TO), e->samples, e->period);
        }
    }
}

/* Finds the offset in the file. Code outside of all segments has none. */
static bool offset_of(const struct image *image, uint64_t address, uint64_t *offset)
{
    for (size_t i = 0; i < image->parts; i++) {
        const struct image_part *part = &image->part[i];

        if (address >= part->address && address - part->address < part->size) {
            *offset = address - part->address + part->offset;
            return true;
        }
    }
    return false;
}

/* Writes the number of lines, then the lines. */
static void put_section(const struct branch_profile *b, const struct profile *p,
                        const struct image *image, const char *kind, FILE *file)
{
    const char *arrow = *kind == *BRANCH ? "->" : "-";
    uint64_t n = 0;
    uint64_t from;
    uint64_t to;

    for (int print = 0; print < 2; print++) {
        for (size_t i = 0; i < p->n; i++) {
            if (!is_kind(b, p, i, kind) || !offset_of(image, address_of(p, i, PART_FROM), &from) ||
                !offset_of(image, address_of(p, i, PART_TO), &to)) {
                continue;
            }
            n += !print;
            if (print) {
                fprintf(file, "%" PRIx64 "%s%" PRIx64 ":%" PRIu64 "\n", from, arrow, to,
                        p->entry[i]->samples);
            }
        }
        if (!print) {
            fprintf(file, "%" PRIu64 "\n", n);
        }
    }
}

/* create_llvm_prof needs no counts of single addresses if it has ranges. */
int branch_profile_autofdo(const struct branch_profile *b, const struct profile *p, FILE *file,
                           struct error *t)
{
    struct image image;

    if (image_read(&image, NULL, b->image, t)) {
        return -1;
    }
    put_section(b, p, &image, RANGE, file);
    fprintf(file, "0\n");
    put_section(b, p, &image, BRANCH, file);
    return 0;
}
