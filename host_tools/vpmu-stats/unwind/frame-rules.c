/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the rules of a file in a process of its own: libdw is not made for files that somebody has
 * made to harm their reader. The process has limited memory and time. Its answers are not trusted.
 */
#include "unwind/frame-rules.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "symbols/reader-process.h"

/*
 * In the process
 */

/* struct tables - the tables of the file; NULL if it has none */
struct tables {
    Elf *elf;
    Dwarf *dwarf;
    Dwarf_CFI *eh_frame;
    Dwarf_CFI *debug_frame;
};

/* Appends an expression. Return: false if it is too long. */
static bool add_ops(struct frame_row *row, unsigned *used, const Dwarf_Op *ops, size_t n,
                    struct frame_rule *rule)
{
    if (n > FRAME_OPS - *used) {
        return false;
    }
    rule->first = (uint8_t)*used;
    rule->n = (uint8_t)n;
    for (size_t i = 0; i < n; i++) {
        row->op[*used + i] = (struct frame_op){
            .atom = ops[i].atom, .number = ops[i].number, .second = ops[i].number2};
    }
    *used += (unsigned)n;
    return true;
}

/* The location of a register is in another register, in memory, or it is a value. */
static struct frame_rule rule_of(struct frame_row *row, unsigned *used, Dwarf_Frame *frame, int reg)
{
    struct frame_rule rule = {.kind = FRAME_RULE_UNDEFINED};
    Dwarf_Op memory[3];
    Dwarf_Op *ops;
    size_t n;

    if (dwarf_frame_register(frame, reg, memory, &ops, &n)) {
        return rule;
    }
    if (n == 0) {
        rule.kind = ops ? FRAME_RULE_UNDEFINED : FRAME_RULE_SAME;
        return rule;
    }
    rule.kind = FRAME_RULE_MEMORY;
    if (ops[n - 1].atom == DW_OP_stack_value) {
        rule.kind = FRAME_RULE_VALUE;
        n--;
    } else if (n == 1 && ((ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31) ||
                          ops[0].atom == DW_OP_regx)) {
        rule.kind = FRAME_RULE_VALUE;
    }
    return add_ops(row, used, ops, n, &rule) ? rule
                                             : (struct frame_rule){.kind = FRAME_RULE_UNDEFINED};
}

static void take_frame(struct frame_row *row, Dwarf_Frame *frame)
{
    unsigned used = 0;
    Dwarf_Op *ops;
    size_t n;
    int ra = dwarf_frame_info(frame, NULL, NULL, &row->signal);

    row->cfa.kind = FRAME_RULE_UNDEFINED;
    if (ra < 0 || ra >= (int)FRAME_REGISTERS || dwarf_frame_cfa(frame, &ops, &n) || n == 0 ||
        !add_ops(row, &used, ops, n, &row->cfa)) {
        return;
    }
    row->cfa.kind = FRAME_RULE_VALUE;
    row->return_register = (uint8_t)ra;
    row->found = true;
    for (unsigned i = 0; i < FRAME_REGISTERS; i++) {
        row->reg[i] = rule_of(row, &used, frame, (int)i);
    }
}

static void look(const struct tables *tables, uint64_t address, struct frame_row *row)
{
    Dwarf_Frame *frame = NULL;

    if ((tables->eh_frame && dwarf_cfi_addrframe(tables->eh_frame, address, &frame) == 0) ||
        (tables->debug_frame && dwarf_cfi_addrframe(tables->debug_frame, address, &frame) == 0)) {
        take_frame(row, frame);
    }
    free(frame);
}

static void serve(void)
{
    struct tables tables = {0};
    uint64_t address;

    elf_version(EV_CURRENT);
    tables.elf = elf_begin(READER_PROCESS_FILE, ELF_C_READ_MMAP, NULL);
    if (tables.elf) {
        tables.eh_frame = dwarf_getcfi_elf(tables.elf);
        tables.dwarf = dwarf_begin_elf(tables.elf, DWARF_C_READ, NULL);
        tables.debug_frame = tables.dwarf ? dwarf_getcfi(tables.dwarf) : NULL;
    }
    while (read(READER_PROCESS_SOCKET, &address, sizeof(address)) == sizeof(address)) {
        struct frame_row row = {0};

        reader_process_limit_time();
        look(&tables, address, &row);
        if (write(READER_PROCESS_SOCKET, &row, sizeof(row)) != sizeof(row)) {
            break;
        }
    }
}

/*
 * In vpmu-stats
 */

bool frame_rules_open(struct frame_rules *r, int fd)
{
    pid_t pid = reader_process_start(fd, &r->socket, serve);

    r->pid = pid < 0 ? 0 : pid;
    return r->pid != 0;
}

static bool is_sane(const struct frame_rule *rule)
{
    return rule->kind <= FRAME_RULE_VALUE && rule->first + rule->n <= (int)FRAME_OPS;
}

/* Checks what the process has answered. */
static bool is_row(const struct frame_row *row)
{
    bool sane = is_sane(&row->cfa) && row->return_register < FRAME_REGISTERS;

    for (unsigned i = 0; i < FRAME_REGISTERS; i++) {
        sane &= is_sane(&row->reg[i]);
    }
    return sane;
}

void frame_rules_find(struct frame_rules *r, uint64_t address, struct frame_row *row)
{
    if (r->pid && (send(r->socket, &address, sizeof(address), MSG_NOSIGNAL) != sizeof(address) ||
                   !reader_process_read(r->socket, row, sizeof(*row)) || !is_row(row))) {
        frame_rules_close(r);
    }
    if (!r->pid) {
        *row = (struct frame_row){0};
    }
}

void frame_rules_close(struct frame_rules *r)
{
    if (r->pid) {
        reader_process_end(r->pid, r->socket);
    }
    r->pid = 0;
}
