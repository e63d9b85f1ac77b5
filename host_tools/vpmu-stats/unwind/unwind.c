/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "unwind/unwind.h"

#include <dwarf.h>
#include <linux/perf_event.h>
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

/*
 * In Linux's struct ucontext, r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp and rip; and x0 to
 * x30, sp and pc.
 */
static const uint8_t context_x86[] = {8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, 16};
static const uint8_t context_arm[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                      11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                      22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};

/**
 * struct machine - an architecture's registers and signal frames
 * @is_fp_top: frame pointers are at the upper end of frames.
 * @restorer: the function that signal handlers return to.
 * @context: the registers that it restores, by their numbers in DWARF; the last one is the PC.
 * @context_at: where they are, above the stack pointer.
 */
struct machine {
    unsigned sp;
    unsigned fp;
    unsigned pc; /* in the order of perf */
    bool is_fp_top;
    const char *restorer;
    const uint8_t *context;
    size_t n_context;
    unsigned context_at;
};

static const struct machine arm = {.sp = 31,
                                   .fp = 29,
                                   .pc = 32,
                                   .restorer = "__kernel_rt_sigreturn",
                                   .context = context_arm,
                                   .n_context = sizeof(context_arm),
                                   .context_at = 312};
static const struct machine x86 = {.sp = 7,
                                   .fp = 6,
                                   .pc = 8,
                                   .is_fp_top = true,
                                   .restorer = "__restore_rt",
                                   .context = context_x86,
                                   .n_context = sizeof(context_x86),
                                   .context_at = 40};

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
 * Return: false if the table has its own rule for the stack pointer. Where it has none, libdw adds
 * the usual one.
 */
static bool has_usual_stack(const struct frame_row *row, unsigned sp)
{
    const struct frame_rule *rule = &row->reg[sp];

    return rule->kind != FRAME_RULE_MEMORY &&
           (rule->kind != FRAME_RULE_VALUE ||
            (rule->n == 1 && row->op[rule->first].atom == DW_OP_call_frame_cfa));
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
    for (unsigned i = 0; i < FRAME_REGISTERS; i++) {
        restore(frame, row, i, &next);
    }
    if (has_usual_stack(row, m->sp)) {
        next.reg[m->sp] = stack_of_caller(frame, row);
        next.known |= 1ull << m->sp;
    }
    if (!(next.known >> row->return_register & 1)) {
        return false;
    }
    *pc = next.reg[row->return_register];
    *frame = next;
    return true;
}

/*
 * Do signal handlers return to this function? The functions of arm64's vDSO and of musl have no
 * table, so they are found by name. Go's has another name.
 * @row: its row in a table, or that of the function before it, or NULL.
 * @offset: that of the byte before its first instruction, to which the handler returns.
 */
static bool is_restorer(struct unwinder *u, const struct frame_row *row, uint32_t number,
                        uint64_t offset)
{
    const char *path;
    uint64_t address;
    const struct function *function;

    if (row && row->signal) {
        return true;
    }
    function = guest_files_find(u->files, number, offset + 1, &path, &address);
    return function && strcmp(function->name, machine_of(u)->restorer) == 0;
}

/* Goes from a restorer without a table to the function that the signal interrupted. */
static bool follow_signal(struct unwinder *u, struct frame *frame, uint64_t *pc)
{
    const struct machine *m = machine_of(u);
    uint64_t at = frame->reg[m->sp] + m->context_at;
    struct frame next = *frame;

    if (!(frame->known >> m->sp & 1)) {
        return false;
    }
    for (size_t i = 0; i < m->n_context; i++) {
        if (!frame_read(frame, at + 8 * i, i + 1 < m->n_context ? &next.reg[m->context[i]] : pc)) {
            return false;
        }
    }
    if (u->x86) {
        next.reg[X86_RIP] = *pc;
    }
    next.known = UINT64_MAX;
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
    if (!m->is_fp_top) {
        frame->known &= ~(1ull << m->sp);
    }
    return true;
}

/*
 * Goes to the caller, or to the interrupted function, by tables where there are some. If the stack
 * pointer is not known, frame pointers are the only way.
 */
static bool follow(struct unwinder *u, struct frame *frame, const struct frame_row *row,
                   bool restorer, uint64_t *pc, bool *interrupted)
{
    const struct machine *m = machine_of(u);
    bool has_rules = row && (row->signal || !restorer);

    *interrupted = restorer;
    if (has_rules ? follow_rules(m, frame, row, pc) : restorer && follow_signal(u, frame, pc)) {
        return true;
    }
    *interrupted = false;
    return !(has_rules && frame->known >> m->sp & 1) && follow_pointer(m, frame, pc);
}

/*
 * Code of compilers at run time has no table, but mostly frame pointers. Where there is no frame
 * yet, or no longer, the chain by frame pointers knows one caller more. Return: whether it does.
 */
static bool has_more(const struct unwind_top *top, uint64_t pc)
{
    return top->by_pointers[0] && top->by_pointers[0] != pc && top->by_pointers[1] == pc;
}

int unwind_chain(struct unwinder *u, const struct unwind_top *top, unwind_place_fn *place,
                 void *opaque, uint64_t *chain, size_t max)
{
    uint64_t pc = unwind_pc(u, top);
    bool interrupted = false, restorer, has_table;
    const struct frame_row *row;
    struct frame frame;
    uint32_t number;
    uint64_t offset;
    size_t n = 0;

    begin(u, top, &frame);
    if (!place(opaque, pc, &number, &offset)) {
        return -1;
    }
    row = find_row(u, number, offset);
    has_table = row;
    if (!has_table && !u->x86) {
        return -1;
    }
    restorer = is_restorer(u, row, number, offset);
    while (n < max && follow(u, &frame, row, restorer, &pc, &interrupted)) {
        pc &= top->code_mask;
        if (n == 0 && max > 1 && !has_table && has_more(top, pc)) {
            chain[n++] = top->by_pointers[0];
        }
        /*
         * A signal can come after any instruction, not only after a call. An address that is not in
         * the program's code is not a return address.
         */
        if (!pc || !place(opaque, pc - !interrupted, &number, &offset)) {
            break;
        }
        row = find_row(u, number, offset);
        restorer = is_restorer(u, row, number, offset);
        if (interrupted || restorer) {
            chain[n++] = (uint64_t)PERF_CONTEXT_USER;
        }
        if (n < max) {
            chain[n++] = pc;
        }
    }
    return n || has_table ? (int)n : -1;
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
