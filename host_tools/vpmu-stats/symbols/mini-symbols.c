/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols that distributions leave in stripped files (MiniDebugInfo). libdwfl unpacks and merges
 * them.
 */
#include "symbols/mini-symbols.h"

#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/reader-process.h"

/* The longest name, with its NUL. Longer names are truncated. */
#define MAX_NAME 1024u
/* No file has as many functions. */
#define MAX_SYMBOLS (1u << 20)

/* A function as the process sends it. A head with a @name of 0 is the last one. */
struct head {
    uint64_t start;
    uint64_t size;
    uint32_t name;
};

/* The process has no other file. */
static int find_nothing(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
                        const char *file, const char *link, GElf_Word crc, char **found)
{
    (void)module, (void)user, (void)name, (void)base, (void)file, (void)link, (void)crc;
    (void)found;
    return -1;
}

static void send_symbol(Dwfl_Module *module, int i, GElf_Addr bias, FILE *to)
{
    GElf_Sym symbol;
    GElf_Addr address;
    GElf_Word section;
    const char *name = dwfl_module_getsym_info(module, i, &symbol, &address, &section, NULL, NULL);

    if (name && *name && section != SHN_UNDEF && GELF_ST_TYPE(symbol.st_info) == STT_FUNC) {
        struct head head = {.start = address - bias,
                            .size = symbol.st_size,
                            .name = (uint32_t)strnlen(name, MAX_NAME - 1)};

        fwrite(&head, sizeof(head), 1, to);
        fwrite(name, head.name, 1, to);
    }
}

static void serve(void)
{
    static const Dwfl_Callbacks callbacks = {.find_debuginfo = find_nothing,
                                             .section_address = dwfl_offline_section_address};
    const struct head end = {0};
    FILE *to = fdopen(READER_PROCESS_SOCKET, "w");
    Dwfl *dwfl = dwfl_begin(&callbacks);
    Dwfl_Module *module =
        dwfl ? dwfl_report_offline(dwfl, "file", "file", READER_PROCESS_FILE) : NULL;
    GElf_Addr bias = 0;
    int n;

    if (!to || !module || dwfl_report_end(dwfl, NULL, NULL) || !dwfl_module_getelf(module, &bias)) {
        _exit(1);
    }
    n = dwfl_module_getsymtab(module);
    for (int i = 0; i < n; i++) {
        send_symbol(module, i, bias, to);
    }
    fwrite(&end, sizeof(end), 1, to);
    fclose(to);
    _exit(0);
}

static int take(struct functions *functions, int socket, struct error *t)
{
    char name[MAX_NAME];
    struct head head;
    int err = 0;

    for (unsigned i = 0; i < MAX_SYMBOLS && !err; i++) {
        if (!reader_process_read(socket, &head, sizeof(head)) || !head.name ||
            head.name >= sizeof(name) || !reader_process_read(socket, name, head.name)) {
            return 0;
        }
        name[head.name] = '\0';
        err = functions_add(
            functions,
            &(struct function){.start = head.start, .end = head.start + head.size, .name = name},
            t);
    }
    return err;
}

int mini_symbols_add(struct functions *functions, int fd, struct error *t)
{
    int socket;
    pid_t child = reader_process_start(fd, &socket, serve);
    int err;

    if (child < 0) {
        return 0;
    }
    err = take(functions, socket, t);
    reader_process_end(child, socket);
    return err;
}
