/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/program-stacks.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* Addresses of a Linux kernel have this bit. */
#define KERNELS (1ull << 55)

int program_stacks_begin(struct program_stacks *p, size_t cpus, bool x86, struct guest_files *files,
                         struct error *t)
{
    p->files = files;
    p->unwinder = (struct unwinder){.x86 = x86, .files = files};
    p->stack = calloc(cpus, sizeof(*p->stack));
    p->cpus = p->stack ? cpus : 0;
    return p->stack ? 0 : error_memory(t);
}

int program_stacks_take(struct program_stacks *p, const struct vpmu_record_stack *record,
                        const unsigned char *bytes, struct error *t)
{
    struct program_stack *stack = &p->stack[record->head.cpu];
    size_t size = record->head.size - sizeof(*record);

    if (!stack->bytes) {
        stack->bytes = malloc(UINT16_MAX);
    }
    if (!stack->bytes) {
        return error_memory(t);
    }
    memcpy(stack->bytes, bytes, size);
    stack->record = *record;
    stack->valid = true;
    return 0;
}

/* struct places - what find_place() needs */
struct places {
    struct guest_files *files;
    const struct kept_maps *maps;
};

static bool find_place(void *opaque, uint64_t address, uint32_t *number, uint64_t *offset)
{
    const struct places *places = opaque;
    struct error ignored = {0};

    for (size_t i = 0; i < places->maps->n; i++) {
        const struct kept_map *map = &places->maps->map[i];

        if (address >= map->map.start && address < map->map.end) {
            *offset = address - map->map.start + map->map.offset;
            return guest_files_number(places->files, map->path, map->map.build_id,
                                      map->map.build_id_size, number, &ignored) == 0;
        }
    }
    return false;
}

/* Keeps the part of the chain that is in the kernel, and the address where it was entered. */
static size_t put_kernel(struct program_stacks *p, const struct vpmu_record_sample *from,
                         const uint64_t *chain, size_t depth, uint64_t pc)
{
    size_t n = 0;

    if (!from->el) {
        return 0;
    }
    while (n < depth && n < VPMU_RECORD_CHAIN - 1 && chain[n] & KERNELS) {
        p->chain[n] = chain[n];
        n++;
    }
    p->chain[n++] = pc;
    return n;
}

/* Return: the stack of a sample, or NULL. */
static const struct program_stack *stack_of(const struct program_stacks *p,
                                            const struct vpmu_record_sample *from)
{
    const struct program_stack *stack = from->head.cpu < p->cpus ? &p->stack[from->head.cpu] : NULL;

    return stack && stack->valid && stack->record.time == from->time ? stack : NULL;
}

bool program_stacks_top(const struct program_stacks *p, const struct vpmu_record_sample *from,
                        const unsigned char **registers, const unsigned char **stack, size_t *size)
{
    const struct program_stack *of = stack_of(p, from);

    if (of) {
        *registers = of->bytes;
        *stack = of->bytes + of->record.registers * sizeof(uint64_t);
        *size = of->record.size;
    }
    return of;
}

bool program_stacks_chain(struct program_stacks *p, const struct vpmu_record_sample *from,
                          const struct kept_maps *maps, const uint64_t **chain, size_t *depth,
                          size_t most)
{
    const struct program_stack *stack = stack_of(p, from);
    struct places places = {.files = p->files, .maps = maps};
    struct unwind_top top;
    size_t kernel;
    int n;

    if (!stack) {
        return false;
    }
    top = (struct unwind_top){.reg = stack->bytes,
                              .stack = stack->bytes + stack->record.registers * sizeof(uint64_t),
                              .size = stack->record.size,
                              .code_mask = stack->record.code_mask};
    kernel = put_kernel(p, from, *chain, *depth, unwind_pc(&p->unwinder, &top));
    if (kernel > most) {
        return false;
    }
    /* Behind a kernel's part, the first address of the program is where it was entered. */
    for (size_t i = 0; i < 2 && kernel + i < *depth; i++) {
        top.by_pointers[i] = (*chain)[kernel + i];
    }
    n = unwind_chain(&p->unwinder, &top, find_place, &places, p->chain + kernel, most - kernel);
    if (n < 0) {
        return false;
    }
    *chain = p->chain;
    *depth = kernel + (size_t)n;
    return true;
}

bool program_stacks_mapped(const struct kept_maps *maps, uint64_t address)
{
    for (size_t i = 0; i < maps->n; i++) {
        if (address >= maps->map[i].map.start && address < maps->map[i].map.end) {
            return true;
        }
    }
    return false;
}

size_t program_stacks_cut(const struct kept_maps *maps, bool kernel, const uint64_t *chain,
                          size_t depth)
{
    size_t n;

    for (n = 0; n < depth; n++) {
        bool of_kernel = chain[n] & KERNELS;

        /* A marker says of the next address only that it is no return address. */
        if (chain[n] >= (uint64_t)PERF_CONTEXT_MAX) {
            continue;
        }
        if (of_kernel ? !kernel : !program_stacks_mapped(maps, chain[n])) {
            break;
        }
        kernel = of_kernel;
    }
    return n;
}

void program_stacks_free(struct program_stacks *p)
{
    unwind_free(&p->unwinder);
    for (size_t i = 0; i < p->cpus; i++) {
        free(p->stack[i].bytes);
    }
    free(p->stack);
    *p = (struct program_stacks){0};
}
