/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/disassembly.h"

#include <capstone/capstone.h>
#include <gelf.h>
#include <inttypes.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/elffile.h"
#include "symbols/image.h"
#include "symbols/demangle.h"

/* The most bytes to disassemble, much more than a function has. A guest may have made the file. */
#define MAX_CODE (16u << 20)

/**
 * struct disassembly_state - the code, and the position in it
 * @functions: the functions of the file, which name the targets of branches. Empty if the file is
 *     stripped.
 * @handle: the state of libcapstone, if @is_open.
 * @is_open: @handle needs cs_close().
 * @insn: the last instruction.
 * @bytes: the code.
 * @at: the next instruction in @bytes.
 * @left: the number of bytes from @at to the end.
 * @address: the address of the next instruction.
 * @step: the number of bytes to skip if they are not a known instruction.
 */
struct disassembly_state {
    struct functions functions;
    csh handle;
    bool is_open;
    cs_insn *insn;
    uint8_t *bytes;
    const uint8_t *at;
    size_t left;
    uint64_t address;
    size_t step;
};

static int refuse(const char *path, const char *why, struct error *t)
{
    return error_set(t, ERROR_USAGE, "cannot disassemble %s: %s", path, why);
}

/*
 * Code
 */

static bool covers(uint64_t first, uint64_t size, uint64_t address)
{
    return address >= first && address - first < size;
}

/*
 * An object file, such as a kernel module, has no segments. In a debug file the sections of code
 * are empty.
 */
static bool find_in_sections(Elf *elf, uint64_t address, uint64_t *offset, uint64_t *left)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ((section = elf_nextscn(elf, section))) {
        uint64_t start = image_address(elf, elf_ndxscn(section));

        if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR)) {
            continue;
        }
        start += header.sh_addr;
        if (header.sh_type != SHT_NOBITS && covers(start, header.sh_size, address)) {
            *offset = header.sh_offset + (address - start);
            *left = header.sh_size - (address - start);
            return true;
        }
    }
    return false;
}

/* Segments are used only if the file has no sections at all. */
static bool find_in_segments(Elf *elf, uint64_t address, uint64_t *offset, uint64_t *left)
{
    GElf_Phdr header;
    size_t sections = 0;
    size_t n = 0;

    if (elf_getshdrnum(elf, &sections) || sections || elf_getphdrnum(elf, &n)) {
        return false;
    }
    for (size_t i = 0; i < n && i <= INT32_MAX && gelf_getphdr(elf, (int)i, &header); i++) {
        if (header.p_type == PT_LOAD && covers(header.p_vaddr, header.p_filesz, address)) {
            *offset = header.p_offset + (address - header.p_vaddr);
            *left = header.p_filesz - (address - header.p_vaddr);
            return true;
        }
    }
    return false;
}

static int take_code(struct disassembly_state *s, Elf *elf, int fd, const char *path,
                     uint64_t start, uint64_t end, struct error *t)
{
    uint64_t offset;
    uint64_t size;

    if (!find_in_sections(elf, start, &offset, &size) &&
        !find_in_segments(elf, start, &offset, &size)) {
        return refuse(path, "it has no code there; is it a file of debug information only?", t);
    }
    size = end - start < size ? end - start : size;
    size = size < MAX_CODE ? size : MAX_CODE;
    s->bytes = malloc(size + 1);
    if (!s->bytes) {
        return error_memory(t);
    }
    if (pread(fd, s->bytes, size, (off_t)offset) != (ssize_t)size) {
        return refuse(path, "it is truncated", t);
    }
    s->at = s->bytes;
    s->left = size;
    s->address = start;
    return 0;
}

/*
 * Machines
 */

/* Checks whether code is T32 code: there is such a function, or the address says so. */
static bool is_thumb(const struct functions *functions, Elf *elf, uint64_t start)
{
    const struct function *function = functions_find(functions, start);
    GElf_Ehdr header;

    return elf && gelf_getehdr(elf, &header) && header.e_machine == EM_ARM &&
           (start & 1 || (function && function->thumb));
}

/*
 * x86 code is printed in AT&T syntax, as objdump and perf do.
 */
static int choose_machine(struct disassembly_state *s, Elf *elf, const char *path, bool thumb,
                          struct error *t)
{
    static const struct {
        unsigned machine;
        cs_arch arch;
        cs_mode mode;
        size_t step;
    } machines[] = {
        {EM_AARCH64, CS_ARCH_ARM64, CS_MODE_ARM, 4},
        {EM_ARM, CS_ARCH_ARM, CS_MODE_ARM, 4},
        {EM_X86_64, CS_ARCH_X86, CS_MODE_64, 1},
        {EM_386, CS_ARCH_X86, CS_MODE_32, 1},
    };
    GElf_Ehdr header;

    if (!gelf_getehdr(elf, &header)) {
        return refuse(path, elf_errmsg(-1), t);
    }
    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        cs_mode mode = machines[i].machine == EM_ARM && thumb ? CS_MODE_THUMB : machines[i].mode;

        if (machines[i].machine != header.e_machine) {
            continue;
        }
        s->step = mode == CS_MODE_THUMB ? 2 : machines[i].step;
        if (cs_open(machines[i].arch, mode, &s->handle) != CS_ERR_OK) {
            return refuse(path, "libcapstone was built without this machine", t);
        }
        s->is_open = true;
        cs_option(s->handle, CS_OPT_DETAIL, CS_OPT_ON);
        cs_option(s->handle, CS_OPT_SYNTAX, CS_OPT_SYNTAX_ATT);
        s->insn = cs_malloc(s->handle);
        return s->insn ? 0 : error_memory(t);
    }
    return refuse(path, "it is for neither Arm nor x86 machines; use --objdump", t);
}

static int open_file(struct disassembly_state *s, int fd, const char *path, uint64_t start,
                     uint64_t end, struct error *t)
{
    Elf *elf = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ, NULL);
    bool thumb = is_thumb(&s->functions, elf, start);
    int err = 0;

    if (!elf || elf_kind(elf) != ELF_K_ELF) {
        err = error_set(t, ERROR_USAGE, "%s is not an ELF file", path);
    }
    err = err || choose_machine(s, elf, path, thumb, t) ||
                  take_code(s, elf, fd, path, start & ~(uint64_t)thumb, end, t)
              ? -1
              : 0;
    elf_end(elf);
    return err;
}

int disassembly_open(struct disassembly *d, const char *path, uint64_t start, uint64_t end,
                     struct error *t)
{
    struct error stripped = {0};
    int fd = image_open(NULL, path, t);
    int err;

    *d = (struct disassembly){.state = calloc(1, sizeof(*d->state))};
    if (fd < 0 || !d->state) {
        err = d->state ? -1 : error_memory(t);
    } else {
        if (elffile_take(&d->state->functions, &(struct debug_dirs){0}, fd, path, &stripped)) {
            functions_free(&d->state->functions);
        }
        err =
            functions_sort(&d->state->functions, t) || open_file(d->state, fd, path, start, end, t)
                ? -1
                : 0;
    }
    if (fd >= 0) {
        close(fd);
    }
    if (err) {
        disassembly_close(d);
    }
    return err;
}

void disassembly_close(struct disassembly *d)
{
    struct disassembly_state *s = d->state;

    d->state = NULL;
    if (!s) {
        return;
    }
    if (s->insn) {
        cs_free(s->insn, 1);
    }
    if (s->is_open) {
        cs_close(&s->handle);
    }
    functions_free(&s->functions);
    free(s->bytes);
    free(s);
}

/*
 * Printing
 */

static bool is_branch(const struct disassembly_state *s)
{
    return cs_insn_group(s->handle, s->insn, CS_GRP_JUMP) ||
           cs_insn_group(s->handle, s->insn, CS_GRP_CALL) ||
           cs_insn_group(s->handle, s->insn, CS_GRP_BRANCH_RELATIVE);
}

/* Find the target of a branch: its last operand, if that is an address. */
static bool find_target(const struct disassembly_state *s, uint64_t *target)
{
    const char *last = strrchr(s->insn->op_str, ' ');
    char *end;

    last = last ? last + 1 : s->insn->op_str;
    last += *last == '#';
    if (strncmp(last, "0x", 2) != 0 || !is_branch(s)) {
        return false;
    }
    *target = strtoull(last, &end, 16);
    return *end == '\0';
}

/* Name the target of a branch, such as " <outer+0x10>". @text is empty if there is no name. */
static void name_target(const struct disassembly_state *s, char *text, size_t size)
{
    const struct function *f = NULL;
    uint64_t target;

    *text = '\0';
    if (find_target(s, &target)) {
        f = functions_find(&s->functions, target);
    }
    if (f && target > f->start) {
        snprintf(text, size, " <%.100s+0x%" PRIx64 ">", demangle_name(f), target - f->start);
    } else if (f) {
        snprintf(text, size, " <%.100s>", demangle_name(f));
    }
}

/* Print bytes that are not an instruction, or an instruction that libcapstone does not know. */
static void put_data(struct disassembly *d, const uint8_t *at, size_t n)
{
    uint32_t value = 0;

    for (size_t i = n; i > 0; i--) {
        value = value << 8 | at[i - 1];
    }
    snprintf(d->line, sizeof(d->line), "%8" PRIx64 ":\t%s\t0x%0*" PRIx32, d->address,
             n == 1 ? ".byte" : ".inst", (int)(2 * n), value);
}

/*
 * libcapstone 4 (Debian 12) prints the number of these hints, which most functions of a kernel
 * have.
 */
static const char *hint_name(const cs_insn *insn)
{
    static const struct {
        const char *number;
        const char *name;
    } hints[] = {
        {"#0x7", "xpaclri"},  {"#0x18", "paciaz"}, {"#0x19", "paciasp"}, {"#0x1a", "pacibz"},
        {"#0x1b", "pacibsp"}, {"#0x1c", "autiaz"}, {"#0x1d", "autiasp"}, {"#0x1e", "autibz"},
        {"#0x1f", "autibsp"}, {"#0x20", "bti"},    {"#0x22", "bti\tc"},  {"#0x24", "bti\tj"},
        {"#0x26", "bti\tjc"}, {"#0x10", "esb"},    {"#0x14", "csdb"},
    };

    for (size_t i = 0; strcmp(insn->mnemonic, "hint") == 0 && i < sizeof(hints) / sizeof(hints[0]);
         i++) {
        if (strcmp(insn->op_str, hints[i].number) == 0) {
            return hints[i].name;
        }
    }
    return NULL;
}

static void put_instruction(struct disassembly *d)
{
    const cs_insn *insn = d->state->insn;
    const char *hint = hint_name(insn);
    char target[128];

    if (hint) {
        snprintf(d->line, sizeof(d->line), "%8" PRIx64 ":\t%s", d->address, hint);
        return;
    }
    name_target(d->state, target, sizeof(target));
    snprintf(d->line, sizeof(d->line), "%8" PRIx64 ":\t%s%s%.100s%s", d->address, insn->mnemonic,
             *insn->op_str ? "\t" : "", insn->op_str, target);
}

bool disassembly_next(struct disassembly *d)
{
    struct disassembly_state *s = d->state;
    const uint8_t *before = s->at;

    if (s->left == 0) {
        return false;
    }
    d->address = s->address;
    if (cs_disasm_iter(s->handle, &s->at, &s->left, &s->address, s->insn)) {
        put_instruction(d);
    } else {
        size_t n = s->step < s->left ? s->step : s->left;

        put_data(d, before, n);
        s->at = before + n;
        s->left -= n;
        s->address += n;
    }
    d->code = strchr(d->line, '\t') + 1;
    return true;
}
