/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/unwind.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "symbols/image.h"
#include "unwind/frame-expression.h"
#include "vpmu/record.h"

/* The most processes that read files. A program has fewer. */
#define MAX_FILES 512u

/* Rows that are remembered: a table of hashes, where a new row replaces the one in its slot. */
#define SLOTS 8192u

struct unwind_known {
    bool used;
    uint32_t number;
    uint64_t address;
    struct frame_row row;
};

/* Numbers of registers in DWARF. */
#define X86_RIP 16u

struct machine {
    unsigned sp;
    unsigned fp;
    unsigned pc; /* in the order of perf */
};

static const struct machine arm = {.sp = 31, .fp = 29, .pc = 32};
static const struct machine x86 = {.sp = 7, .fp = 6, .pc = 8};

static const struct machine *machine_of(const struct unwinder *u)
{
    return u->x86 ? &x86 : &arm;
}

static uint64_t word_at(const unsigned char *words, size_t i)
{
    uint64_t word;

    memcpy(&word, words + i * sizeof(word), sizeof(word));
    return word;
}

uint64_t unwind_pc(const struct unwinder *u, const struct unwind_top *top)
{
    return word_at(top->reg, machine_of(u)->pc);
}

/* The numbers that perf gives to DWARF's first registers. */
static const uint8_t perf_of_x86[] = {0, 3, 2, 1, 4, 5, 6, 7, 12, 13, 14, 15, 16, 17, 18, 19};

static void begin(const struct unwinder *u, const struct unwind_top *top, struct frame *frame)
{
    unsigned n = u->x86 ? sizeof(perf_of_x86) : FRAME_REGISTERS;

    *frame = (struct frame){.stack = top->stack, .stack_size = top->size};
    for (unsigned i = 0; i < n; i++) {
        frame->reg[i] = word_at(top->reg, u->x86 ? perf_of_x86[i] : i);
        frame->known |= 1ull << i;
    }
    if (u->x86) {
        /* Expressions for entries of the procedure linkage table depend on it. */
        frame->reg[X86_RIP] = unwind_pc(u, top);
        frame->known |= 1ull << X86_RIP;
    }
    frame->stack_at = frame->reg[machine_of(u)->sp];
}

/*
 * Rows
 */

static bool make_room(struct unwinder *u)
{
    size_t n = u->files->n;
    struct frame_rules *more;

    if (!u->known) {
        u->known = calloc(SLOTS, sizeof(*u->known));
    }
    if (n > u->n_rules) {
        more = reallocarray(u->rules, n, sizeof(*more));
        if (!more) {
            return false;
        }
        memset(more + u->n_rules, 0, (n - u->n_rules) * sizeof(*more));
        u->rules = more;
        u->n_rules = n;
    }
    return u->known;
}

/* A file is read once. What cannot be read has no rules. */
static void read_file(struct unwinder *u, uint32_t number, const char *path)
{
    struct frame_rules *rules = &u->rules[number];
    struct error ignored = {0};
    int fd;

    if (rules->tried || u->started >= MAX_FILES) {
        return;
    }
    rules->tried = true;
    fd = image_open(NULL, path, &ignored);
    if (fd >= 0) {
        u->started += frame_rules_open(rules, fd);
        close(fd);
    }
}

/* Return: the rules at an offset in a file; NULL if there is no copy of the file. */
static const struct frame_row *find_row(struct unwinder *u, uint32_t number, uint64_t offset)
{
    const char *path = NULL;
    struct unwind_known *known;
    uint64_t address;

    guest_files_find(u->files, number, offset, &path, &address);
    if (!path || !make_room(u)) {
        return NULL;
    }
    known = &u->known[hash_slot(
        hash_more(hash_more(HASH_SEED, &number, sizeof(number)), &address, sizeof(address)),
        SLOTS)];
    if (!known->used || known->number != number || known->address != address) {
        *known = (struct unwind_known){.used = true, .number = number, .address = address};
        read_file(u, number, path);
        frame_rules_find(&u->rules[number], address, &known->row);
    }
    return known->row.found ? &known->row : NULL;
}

/*
 * Frames
 */

/*
 * Finds a register of the caller. @next has those that are not restored. At the end of a function,
 * tables of GCC still say that a register is in memory when it has been restored from there: then
 * the stack pointer is above that memory.
 */
static void restore(const struct frame *frame, const struct frame_row *row, unsigned number,
                    struct frame *next)
{
    const struct frame_rule *rule = &row->reg[number];
    uint64_t value = 0;
    bool known;

    if (rule->kind == FRAME_RULE_SAME) {
        return;
    }
    known = rule->kind != FRAME_RULE_UNDEFINED &&
            frame_expression(frame, row->op + rule->first, rule->n, &value);
    if (known && rule->kind == FRAME_RULE_MEMORY && value < frame->stack_at) {
        return;
    }
    if (known && rule->kind == FRAME_RULE_MEMORY) {
        known = frame_read(frame, value, &value);
    }
    next->reg[number] = value;
    next->known = (next->known & ~(1ull << number)) | (uint64_t)known << number;
}

/*
 * The stack pointer of the caller is above the return address in memory, wherever the frame ends by
 * its table: glibc's for lazy binding on arm64 leaves out the 16 bytes that an entry of the
 * procedure linkage table has pushed.
 */
static uint64_t stack_of_caller(const struct frame *frame, const struct frame_row *row)
{
    const struct frame_rule *rule = &row->reg[row->return_register];
    uint64_t at;

    return !row->signal && rule->kind == FRAME_RULE_MEMORY &&
                   frame_expression(frame, row->op + rule->first, rule->n, &at) && at >= frame->cfa
               ? at + sizeof(at)
               : frame->cfa;
}

/*
 * Goes to the caller. The stack of the caller is at higher addresses; that of the innermost
 * function of arm64 can be empty. Return: false at the outermost function, or if the caller is not
 * known.
 */
static bool follow_rules(const struct machine *m, struct frame *frame, const struct frame_row *row,
                         uint64_t *pc)
{
    uint64_t sp = frame->reg[m->sp];
    struct frame next;

    if (row->cfa.kind != FRAME_RULE_VALUE ||
        !frame_expression(frame, row->op + row->cfa.first, row->cfa.n, &frame->cfa) ||
        (frame->cfa < sp && !row->signal)) {
        return false;
    }
    next = *frame;
    next.reg[m->sp] = stack_of_caller(frame, row);
    next.known |= 1ull << m->sp;
    for (unsigned i = 0; i < FRAME_REGISTERS; i++) {
        restore(frame, row, i, &next);
    }
    if (!(next.known >> row->return_register & 1)) {
        return false;
    }
    *pc = next.reg[row->return_register];
    *frame = next;
    return true;
}

/* Code without a table may have a frame pointer: the address of the caller's, and a return address.
 */
static bool follow_pointer(const struct machine *m, struct frame *frame, uint64_t *pc)
{
    uint64_t fp = frame->reg[m->fp];
    uint64_t next;

    if (!(frame->known >> m->fp & 1) || fp < frame->reg[m->sp] || fp % 8 ||
        !frame_read(frame, fp, &next) || !frame_read(frame, fp + 8, pc)) {
        return false;
    }
    frame->reg[m->fp] = next;
    frame->reg[m->sp] = fp + 16;
    return true;
}

int unwind_chain(struct unwinder *u, const struct unwind_top *top, unwind_place_fn *place,
                 void *opaque, uint64_t *chain, size_t max)
{
    const struct machine *m = machine_of(u);
    uint64_t pc = unwind_pc(u, top);
    struct frame frame;
    uint32_t number;
    uint64_t offset;
    size_t n = 0;

    begin(u, top, &frame);
    if (!place(opaque, pc, &number, &offset) || !find_row(u, number, offset)) {
        return -1;
    }
    while (n < max) {
        const struct frame_row *row = find_row(u, number, offset);

        if (!(row ? follow_rules(m, &frame, row, &pc) : follow_pointer(m, &frame, &pc))) {
            break;
        }
        pc &= top->code_mask;
        /*
         * A signal can come after any instruction, not only after a call. An address that is not in
         * the program's code is not a return address.
         */
        if (!pc || !place(opaque, pc - !(row && row->signal), &number, &offset)) {
            break;
        }
        chain[n++] = pc;
    }
    return (int)n;
}

void unwind_free(struct unwinder *u)
{
    for (size_t i = 0; i < u->n_rules; i++) {
        frame_rules_close(&u->rules[i]);
    }
    free(u->rules);
    free(u->known);
    u->rules = NULL;
    u->known = NULL;
    u->n_rules = 0;
}
