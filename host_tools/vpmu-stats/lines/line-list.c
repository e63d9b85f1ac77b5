/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A child process reads all lines and functions of debug information, with libdw. */
#include "lines/line-list.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/format.h"
#include "symbols/reader-process.h"

/* The longest name of a file or function, with the NUL. */
#define NAME_SIZE 4096u
/* The most lines and functions of a file; a kernel has fewer. */
#define LINES_MAX (1u << 24)

/**
 * struct head - begins what the child sends of a line
 * @file_size, @function_size: of the texts that follow, with a NUL; 0: the file is that of the line
 *     before; it is no function. If @line is 0, the list ends here.
 */
struct head {
    uint64_t address;
    uint32_t line;
    uint16_t file_size;
    uint16_t function_size;
};

/* The child */

/** struct sender - @file: what was sent last */
struct sender {
    FILE *to;
    char *file;
};

static uint16_t size_of(const char *text)
{
    return (uint16_t)(strnlen(text, NAME_SIZE - 1) + 1);
}

static void put_text(struct sender *s, const char *text, uint16_t size)
{
    if (size) {
        fwrite(text, 1, size - 1u, s->to);
        fputc('\0', s->to);
    }
}

static void put(struct sender *s, const char *file, int line, const char *function,
                uint64_t address)
{
    bool same = s->file && strcmp(s->file, file) == 0;
    struct head head = {.address = address,
                        .line = (uint32_t)line,
                        .file_size = same ? 0 : size_of(file),
                        .function_size = function ? size_of(function) : 0};

    fwrite(&head, sizeof(head), 1, s->to);
    put_text(s, file, head.file_size);
    put_text(s, function, head.function_size);
    if (!same) {
        free(s->file);
        s->file = strdup(file);
    }
}

static void put_row(struct sender *s, Dwarf_Line *row, const char *function, uint64_t address)
{
    const char *file = dwarf_linesrc(row, NULL, NULL);
    int line = 0;

    if (file && dwarf_lineno(row, &line) == 0 && line > 0) {
        put(s, file, line, function, address);
    }
}

static int put_function(Dwarf_Die *die, void *opaque)
{
    Dwarf_Attribute linkage;
    const char *name = dwarf_formstring(dwarf_attr_integrate(die, DW_AT_linkage_name, &linkage));
    Dwarf_Addr address;
    Dwarf_Line *row;
    Dwarf_Die unit;

    name = name ? name : dwarf_diename(die);
    if (name && dwarf_entrypc(die, &address) == 0 && address &&
        dwarf_diecu(die, &unit, NULL, NULL) && (row = dwarf_getsrc_die(&unit, address))) {
        put_row(opaque, row, name, address);
    }
    return DWARF_CB_OK;
}

/* Code that the linker has removed is at address 0. */
static void put_lines(struct sender *s, Dwarf_Die *unit)
{
    Dwarf_Lines *lines;
    size_t n;

    if (dwarf_getsrclines(unit, &lines, &n) != 0) {
        return;
    }
    for (size_t i = 0; i < n; i++) {
        Dwarf_Line *row = dwarf_onesrcline(lines, i);
        Dwarf_Addr address;
        bool statement = false, ends = false;

        if (dwarf_linebeginstatement(row, &statement) == 0 && statement &&
            dwarf_lineendsequence(row, &ends) == 0 && !ends && dwarf_lineaddr(row, &address) == 0 &&
            address) {
            put_row(s, row, NULL, address);
        }
    }
}

static void serve(void)
{
    Dwarf *dwarf = dwarf_begin(READER_PROCESS_FILE, DWARF_C_READ);
    struct sender s = {.to = fdopen(READER_PROCESS_SOCKET, "w")};
    const struct head end = {.line = 0};
    Dwarf_CU *cu = NULL;
    Dwarf_Die unit;
    uint8_t type;

    if (!s.to) {
        _exit(1);
    }
    while (dwarf && dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit, NULL) == 0) {
        if (type == DW_UT_compile) {
            put_lines(&s, &unit);
            dwarf_getfuncs(&unit, put_function, &s, 0);
        }
    }
    fwrite(&end, sizeof(end), 1, s.to);
    fflush(s.to);
    _exit(0);
}

/* The parent */

static bool get_text(FILE *from, char text[NAME_SIZE], uint16_t size)
{
    if (size > NAME_SIZE || fread(text, 1, size, from) != size) {
        return false;
    }
    if (size) {
        text[size - 1] = '\0';
        format_tame(text);
    }
    return true;
}

/* Return: 1 at the end, 0 before it, -1 with an error. */
static int take(FILE *from, const char *name, char file[NAME_SIZE], line_list_sink sink,
                void *opaque, struct error *t)
{
    char function[NAME_SIZE];
    struct head head;

    if (fread(&head, sizeof(head), 1, from) != 1 || !get_text(from, file, head.file_size) ||
        !get_text(from, function, head.function_size)) {
        return error_set(t, ERROR_USAGE, "the debug information of %s cannot be read", name);
    }
    if (!head.line) {
        return 1;
    }
    return sink(opaque,
                &(struct listed_line){.file = file,
                                      .line = head.line,
                                      .function = head.function_size ? function : NULL,
                                      .address = head.address},
                t);
}

int line_list_read(int fd, const char *name, line_list_sink sink, void *opaque, struct error *t)
{
    char file[NAME_SIZE] = "";
    int end, state = 0;
    pid_t child = reader_process_start(fd, &end, serve);
    FILE *from = child > 0 ? fdopen(end, "r") : NULL;

    if (!from) {
        return error_set(t, ERROR_TALK, "cannot start a process that reads %s", name);
    }
    for (size_t i = 0; i < LINES_MAX && state == 0; i++) {
        state = take(from, name, file, sink, opaque, t);
    }
    reader_process_end(child, dup(end));
    fclose(from);
    return state > 0    ? 0
           : state == 0 ? error_set(t, ERROR_USAGE, "%s has more than %u lines", name, LINES_MAX)
                        : -1;
}
