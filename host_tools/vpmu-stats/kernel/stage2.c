/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * KVM translates a page of a guest after the guest has used it. A kernel that was not copied inside
 * of the guest has never used its own symbols. Their pages are found in the program that runs the
 * guest, such as QEMU, which has the guest's RAM at a constant distance. That distance is known
 * from the page of TTBR1_EL1, which the guest uses. If it is wrong, what is read there is no
 * kernel, and kernel_find() says so.
 */
#include "kernel/stage2.h"

#include <inttypes.h>

static int read_guest(struct memory *m, uint64_t at, void *to, size_t size, struct error *t)
{
    struct stage2 *s = (struct stage2 *)m;

    return page_walk_read(&s->walk, at, to, size) ||
                   (s->has_program && page_walk_read(&s->program, at + s->distance, to, size))
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

/* Finds the distance between the guest's addresses and those of the program that runs it. */
static bool find_program(struct stage2 *s, struct memory *machine,
                         const struct vpmu_record_guest *guest)
{
    uint64_t physical;
    uint64_t at;

    if (!page_walk_init_program(&s->program, machine, guest->ttbr0, guest->tcr) ||
        !page_walk_translate(&s->walk, guest->ttbr1, &physical) ||
        !page_walk_find(&s->program, physical, &at)) {
        return false;
    }
    s->distance = at - guest->ttbr1;
    return true;
}

bool stage2_init(struct stage2 *s, struct memory *machine, const struct vpmu_record_guest *guest)
{
    s->memory = (struct memory){
        .read = read_guest, .find = find_in_machine, .tables = find_tables, .found_in = machine};
    s->ttbr1 = guest->ttbr1;
    if (!page_walk_init_stage2(&s->walk, machine, guest->vttbr, guest->vtcr)) {
        return false;
    }
    s->has_program = find_program(s, machine, guest);
    return true;
}
