/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * KVM translates a page of a guest after the guest has used it. A kernel that was not copied inside
 * of the guest has never used its own symbols. Their pages are found in the program that runs the
 * guest, such as QEMU, which has the guest's RAM at a constant distance. On x86-64 that is another
 * distance above 4 GiB, because devices are below. The distance is known from a page that the guest
 * uses: that of TTBR1_EL1 or CR3, and those that were read before. If it is wrong, what is read
 * there is no kernel, and kernel_find() says so.
 */
#include "kernel/stage2.h"

#include <inttypes.h>
#include <string.h>

static struct stage2_side *side_of(struct stage2 *s, uint64_t at)
{
    return &s->side[s->is_x86 && at >> 32];
}

/* Finds the distance between the guest's addresses and those of the program that runs it. */
static void find_distance(struct stage2 *s, struct stage2_side *side)
{
    uint64_t physical;
    uint64_t at;

    side->tried = true;
    side->known = page_walk_translate(&s->walk, side->near, &physical) &&
                  page_walk_find(&s->program, physical, &at);
    if (side->known) {
        side->distance = at - side->near;
    }
}

static bool read_program(struct stage2 *s, uint64_t at, void *to, size_t size)
{
    struct stage2_side *side = side_of(s, at);

    if (s->has_program && side->near && !side->tried) {
        find_distance(s, side);
    }
    return side->known && page_walk_read(&s->program, at + side->distance, to, size);
}

static int read_guest(struct memory *m, uint64_t at, void *to, size_t size, struct error *t)
{
    struct stage2 *s = (struct stage2 *)m;

    if (page_walk_read(&s->walk, at, to, size)) {
        side_of(s, at)->near = at & -s->walk.page;
        return 0;
    }
    return read_program(s, at, to, size)
               ? 0
               : error_set(t, ERROR_TALK, "the guest has no RAM at 0x%" PRIx64, at);
}

static int find_in_machine(struct memory *m, const char *text, uint64_t *found, size_t *n,
                           struct error *t)
{
    return m->found_in->find(m->found_in, text, found, n, t);
}

static int find_tables(struct memory *m, uint64_t *tables, size_t *n, struct error *t)
{
    (void)t;
    tables[0] = ((struct stage2 *)m)->ttbr1;
    *n = 1;
    return 0;
}

static bool init_walks(struct stage2 *s, struct memory *machine,
                       const struct vpmu_record_guest *guest)
{
    bool five_levels = guest->vtcr & VPMU_RECORD_FIVE_LEVELS;

    if (s->is_x86) {
        s->has_program = page_walk_init_x86(&s->program, machine, guest->ttbr0, five_levels, true);
        return (guest->vtcr & VPMU_RECORD_NESTED_PAGING) &&
               page_walk_init_x86(&s->walk, machine, guest->vttbr, five_levels, false);
    }
    s->has_program = page_walk_init_program(&s->program, machine, guest->ttbr0, guest->tcr);
    return page_walk_init_stage2(&s->walk, machine, guest->vttbr, guest->vtcr);
}

bool stage2_init(struct stage2 *s, struct memory *machine, const struct vpmu_record_guest *guest,
                 bool is_x86)
{
    s->memory = (struct memory){
        .read = read_guest, .find = find_in_machine, .tables = find_tables, .found_in = machine};
    s->is_x86 = is_x86;
    s->ttbr1 = guest->ttbr1;
    memset(s->side, 0, sizeof(s->side));
    side_of(s, s->ttbr1)->near = s->ttbr1 & -(uint64_t)0x1000;
    return init_walks(s, machine, guest);
}
