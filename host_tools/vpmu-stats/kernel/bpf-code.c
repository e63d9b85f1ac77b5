/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads where a kernel has compiled BPF programs (kernel/bpf/core.c of Linux). Programs,
 * trampolines and dispatchers are in a list of struct bpf_ksym. Programs of the classic language,
 * as seccomp has, are not in the list. Since Linux 5.18 on x86-64 and 6.9 on arm64, all programs
 * are in areas, struct bpf_prog_pack, so what an area has beside the programs of the list is
 * classic. The guest can write anything to this memory, so all of it is checked.
 */
#include "kernel/bpf-code.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/kallsyms.h"

/* The longest name, and the most bytes of a program. */
#define MAX_NAME 128u
#define MAX_SIZE (16u << 20)
#define PAGE 4096u

/* The addresses of a program. */
struct range {
    uint64_t start;
    uint64_t end;
};

struct reader {
    struct page_walk walk;
    const uint32_t *layout;
    struct functions *functions;
    size_t n;
    struct range program[BPF_CODE_PROGRAMS];
};

static bool read_u64(struct reader *r, uint64_t at, uint64_t *value)
{
    return page_walk_read(&r->walk, at, value, sizeof(*value));
}

static int add(struct reader *r, const struct range *range, const char *name, struct error *t)
{
    return functions_add(r->functions,
                         &(struct function){.start = range->start,
                                            .end = range->end,
                                            .name = (char *)(uintptr_t)name,
                                            .of_module = true,
                                            .module = (char *)(uintptr_t) "[bpf]"},
                         t);
}

/* Read the list's entry at @at, unless it is not one. Return: 0, or -1 without memory. */
static int take_program(struct reader *r, uint64_t at, struct error *t)
{
    struct range *range = &r->program[r->n];
    char name[MAX_NAME + 1] = "";

    at -= r->layout[KSYM_LIST];
    if (!read_u64(r, at + r->layout[KSYM_START], &range->start) ||
        !read_u64(r, at + r->layout[KSYM_END], &range->end) ||
        !page_walk_read(&r->walk, at + r->layout[KSYM_NAME], name, MAX_NAME) || !name[0] ||
        !(range->start >> 63) || range->end <= range->start ||
        range->end - range->start > MAX_SIZE) {
        return 0;
    }
    for (char *c = name; *c; c++) {
        *c = kallsyms_tame(*c);
    }
    r->n++;
    return add(r, range, name, t);
}

static int take_programs(struct reader *r, uint64_t head, struct error *t)
{
    uint64_t at = head;
    int err = 0;

    for (unsigned i = 0; !err && i < BPF_CODE_PROGRAMS && read_u64(r, at, &at) && at != head; i++) {
        err = take_program(r, at, t);
    }
    return err;
}

static int compare(const void *a, const void *b)
{
    uint64_t left = ((const struct range *)a)->start;
    uint64_t right = ((const struct range *)b)->start;

    return left < right ? -1 : left > right;
}

/* Name what an area has between the programs of the list. */
static int take_pack(struct reader *r, uint64_t start, struct error *t)
{
    struct range gap = {.start = start};
    int err = 0;

    for (size_t i = 0; !err && i < r->n && r->program[i].start < start + BPF_CODE_PACK; i++) {
        gap.end = r->program[i].start;
        err = gap.end > gap.start ? add(r, &gap, BPF_CODE_NAMELESS, t) : 0;
        gap.start = r->program[i].end > gap.start ? r->program[i].end : gap.start;
    }
    gap.end = start + BPF_CODE_PACK;
    return !err && gap.end > gap.start ? add(r, &gap, BPF_CODE_NAMELESS, t) : err;
}

static int take_packs(struct reader *r, uint64_t head, struct error *t)
{
    uint64_t at = head;
    uint64_t start;
    int err = 0;

    qsort(r->program, r->n, sizeof(r->program[0]), compare);
    for (unsigned i = 0; !err && i < BPF_CODE_PACKS && read_u64(r, at, &at) && at != head; i++) {
        if (read_u64(r, at - r->layout[PACK_LIST] + r->layout[PACK_START], &start) && start >> 63 &&
            start % PAGE == 0 && start < UINT64_MAX - BPF_CODE_PACK) {
            err = take_pack(r, start, t);
        }
    }
    return err;
}

int bpf_code_add(struct memory *m, const struct vmcoreinfo *v, const struct symbols *symbols,
                 const struct task_layout *layout, struct functions *functions, struct error *t)
{
    struct reader *r = calloc(1, sizeof(*r));
    int err = 0;

    if (!r) {
        return error_memory(t);
    }
    if (page_walk_init(&r->walk, m, v)) {
        r->layout = layout->bpf;
        r->functions = functions;
        err = (symbols->bpf_list && take_programs(r, symbols->bpf_list, t)) ||
                      (symbols->bpf_packs && take_packs(r, symbols->bpf_packs, t))
                  ? -1
                  : 0;
    }
    free(r);
    return err;
}
