/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/elffile.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <unistd.h>

#include "base/signals.h"
#include "symbols/frame-starts.h"
#include "symbols/image.h"
#include "symbols/mini-symbols.h"
#include "symbols/plt.h"

/*
 * Check whether a symbol is code. Labels in assembly code have no type, so their section decides.
 */
static bool is_code(Elf *elf, const GElf_Sym *symbol)
{
    Elf_Scn *section = elf_getscn(elf, symbol->st_shndx);
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    GElf_Shdr header;

    return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < SHN_LORESERVE &&
           (type == STT_FUNC || type == STT_GNU_IFUNC ||
            (type == STT_NOTYPE && section && gelf_getshdr(section, &header) &&
             header.sh_flags & SHF_EXECINSTR));
}

static bool is_data(const GElf_Sym *symbol)
{
    return symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < SHN_LORESERVE && symbol->st_size &&
           GELF_ST_TYPE(symbol->st_info) == STT_OBJECT;
}

/*
 * The longest name, with its NUL. Longer names are truncated. A guest may have made the file, where
 * each name can be the same string, as long as the file.
 */
#define MAX_NAME 1024u

/* Copy the string at the offset @at of the string table. */
static void copy_name(char name[MAX_NAME], const Elf_Data *names, size_t at)
{
    size_t room = names && names->d_buf && at < names->d_size ? names->d_size - at : 0;
    size_t n = 0;

    if (room) {
        n = strnlen((const char *)names->d_buf + at, room < MAX_NAME ? room : MAX_NAME - 1);
    }
    memcpy(name, n ? (const char *)names->d_buf + at : "", n);
    name[n] = '\0';
}

static enum function_binding binding_of(const GElf_Sym *symbol)
{
    unsigned binding = GELF_ST_BIND(symbol->st_info);

    return binding == STB_GLOBAL ? FUNCTION_GLOBAL
           : binding == STB_WEAK ? FUNCTION_WEAK
                                 : FUNCTION_LOCAL;
}

/* In files for 32-bit Arm, the lowest bit of a function's address says that it is T32 code. */
static bool is_thumb(Elf *elf, const GElf_Sym *symbol)
{
    GElf_Ehdr header;

    return symbol->st_value & 1 && GELF_ST_TYPE(symbol->st_info) == STT_FUNC &&
           gelf_getehdr(elf, &header) && header.e_machine == EM_ARM;
}

/*
 * Where the next section of code begins; 0: behind the last one. What follows a section can still
 * be of its last function: the system call that ends a program leads there. Sections are in the
 * order of their addresses. A guest may have made the file, with any number of them.
 */
static uint64_t next_code(Elf *elf, const GElf_Sym *symbol)
{
    Elf_Scn *section = elf_getscn(elf, symbol->st_shndx);
    GElf_Shdr header;

    for (unsigned i = 0; section && i < 64; i++) {
        section = elf_nextscn(elf, section);
        if (section && gelf_getshdr(section, &header) && header.sh_flags & SHF_EXECINSTR) {
            return header.sh_addr;
        }
    }
    return 0;
}

static int take_symbol(struct functions *functions, Elf *elf, const GElf_Sym *symbol,
                       const Elf_Data *names, struct error *t)
{
    bool thumb = is_thumb(elf, symbol);
    uint64_t start = image_address(elf, symbol->st_shndx) + symbol->st_value - thumb;
    char name[MAX_NAME];

    copy_name(name, names, symbol->st_name);
    /* Names that start with '$' are mapping symbols, which mark the start of code and data. */
    if (!*name || *name == '$' ||
        (!is_code(elf, symbol) && !(functions->data && is_data(symbol)))) {
        return 0;
    }
    return functions_add(
        functions,
        &(struct function){.start = start,
                           .end = start + symbol->st_size,
                           .limit = symbol->st_size ? 0 : next_code(elf, symbol),
                           .name = name,
                           .chooses = GELF_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC,
                           .thumb = thumb,
                           .binding = binding_of(symbol)},
        t);
}

static int take_symbols(struct functions *functions, Elf *elf, Elf_Data *data,
                        const Elf_Data *names, struct error *t)
{
    size_t n = data ? data->d_size / gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT) : 0;
    GElf_Sym symbol;
    int err = 0;

    for (size_t i = 0; !err && i < n && i <= INT32_MAX && gelf_getsym(data, (int)i, &symbol); i++) {
        err = take_symbol(functions, elf, &symbol, names, t);
    }
    return err;
}

static int take_section(struct functions *functions, Elf *elf, Elf_Scn *section,
                        const GElf_Shdr *header, struct error *t)
{
    return take_symbols(functions, elf, elf_getdata(section, NULL),
                        elf_getdata(elf_getscn(elf, header->sh_link), NULL), t);
}

/*
 * A valid file has one table of a type. Only the first is read, because a malicious file can have
 * many tables of the same bytes.
 */
static int take_table(struct functions *functions, Elf *elf, GElf_Word type, struct error *t)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ((section = elf_nextscn(elf, section))) {
        if (gelf_getshdr(section, &header) && header.sh_type == type) {
            return take_section(functions, elf, section, &header, t);
        }
    }
    return 0;
}

/*
 * Files without section headers
 *
 * The headers are at the end of a file, which no program needs, so a guest's memory often lacks
 * them. The dynamic linker finds its symbols by PT_DYNAMIC. Their number follows from the hash
 * table: see "GNU hash section format" of the gABI, and its DT_HASH.
 */

/* struct dynamic - the addresses of tables, 0 for a missing one; the size of names is in bytes */
struct dynamic {
    GElf_Addr symbols;
    GElf_Addr names;
    GElf_Xword names_size;
    GElf_Addr hash;
    GElf_Addr gnu_hash;
};

/* Reads at most @most bytes from an address on, within its segment. Return: NULL if it has none. */
static Elf_Data *data_at(Elf *elf, GElf_Addr at, uint64_t most, Elf_Type type)
{
    size_t unit = gelf_fsize(elf, type, 1, EV_CURRENT);
    GElf_Phdr part;
    uint64_t left;

    for (int i = 0; gelf_getphdr(elf, i, &part); i++) {
        if (part.p_type == PT_LOAD && at >= part.p_vaddr && at - part.p_vaddr < part.p_filesz) {
            left = part.p_filesz - (at - part.p_vaddr);
            left = (left < most ? left : most) / unit * unit;
            return elf_getdata_rawchunk(elf, (int64_t)(part.p_offset + (at - part.p_vaddr)), left,
                                        type);
        }
    }
    return NULL;
}

static void read_dynamic(Elf *elf, struct dynamic *d)
{
    Elf_Data *data = NULL;
    GElf_Phdr part;
    GElf_Dyn entry;

    for (int i = 0; !data && gelf_getphdr(elf, i, &part); i++) {
        if (part.p_type == PT_DYNAMIC) {
            data = data_at(elf, part.p_vaddr, part.p_filesz, ELF_T_DYN);
        }
    }
    for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
        switch (entry.d_tag) {
        case DT_SYMTAB:
            d->symbols = entry.d_un.d_ptr;
            break;
        case DT_STRTAB:
            d->names = entry.d_un.d_ptr;
            break;
        case DT_STRSZ:
            d->names_size = entry.d_un.d_val;
            break;
        case DT_HASH:
            d->hash = entry.d_un.d_ptr;
            break;
        case DT_GNU_HASH:
            d->gnu_hash = entry.d_un.d_ptr;
            break;
        default:
            break;
        }
    }
}

/* Returns the number of symbols by the words of a GNU hash table: the end of its last chain. */
static uint64_t count_hashed(Elf *elf, const uint32_t *word, size_t n)
{
    uint64_t buckets = 4 + (uint64_t)word[2] * (gelf_getclass(elf) == ELFCLASS64 ? 2 : 1);
    uint64_t chains = buckets + word[0];
    uint64_t last = 0;

    for (uint64_t i = buckets; i < chains && i < n; i++) {
        last = word[i] > last ? word[i] : last;
    }
    if (last < word[1]) {
        return 0;
    }
    while (chains + (last - word[1]) < n && !(word[chains + (last - word[1])] & 1)) {
        last++;
    }
    return last + 1;
}

static uint64_t count_dynamic(Elf *elf, const struct dynamic *d)
{
    bool gnu = d->gnu_hash;
    Elf_Data *hash = data_at(elf, gnu ? d->gnu_hash : d->hash, gnu ? UINT32_MAX : 8, ELF_T_WORD);
    const uint32_t *word = hash ? hash->d_buf : NULL;
    size_t n = word ? hash->d_size / sizeof(*word) : 0;

    if (!gnu) {
        return n >= 2 ? word[1] : 0;
    }
    return n > 4 ? count_hashed(elf, word, n) : 0;
}

static int take_dynamic(struct functions *functions, Elf *elf, struct error *t)
{
    struct dynamic d = {0};
    uint64_t n;

    read_dynamic(elf, &d);
    n = d.symbols && d.names && (d.hash || d.gnu_hash) ? count_dynamic(elf, &d) : 0;
    return take_symbols(
        functions, elf,
        data_at(elf, d.symbols, n * gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT), ELF_T_SYM),
        data_at(elf, d.names, d.names_size, ELF_T_BYTE), t);
}

/*
 * The whole file
 */

static bool has_section(Elf *elf, const char *wanted)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    size_t names;

    if (elf_getshdrstrndx(elf, &names)) {
        return false;
    }
    while ((section = elf_nextscn(elf, section))) {
        const char *name =
            gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;

        if (name && strcmp(name, wanted) == 0) {
            return true;
        }
    }
    return false;
}

/* Take the symbols that were stripped from the file and put into another one. */
static int take_debug_file(struct functions *functions, const struct debug_dirs *dirs, int fd,
                           const char *path, struct error *t)
{
    int debug_fd = debug_file_open(dirs, fd, path);
    Elf *elf = debug_fd >= 0 ? elf_begin(debug_fd, ELF_C_READ, NULL) : NULL;
    int err = elf ? take_table(functions, elf, SHT_SYMTAB, t) : 0;

    elf_end(elf);
    if (debug_fd >= 0) {
        close(debug_fd);
    }
    return err;
}

/* A stripped file has the symbols that other files need, and may have its own compressed. */
static int take_rest(struct functions *functions, Elf *elf, int fd, const char *path,
                     struct error *t)
{
    int err = has_section(elf, ".gnu_debugdata") ? mini_symbols_add(functions, fd, t) : 0;

    if (!err && functions->n == 0) {
        err = take_table(functions, elf, SHT_DYNSYM, t);
    }
    if (!err && functions->n == 0) {
        err = take_dynamic(functions, elf, t);
    }
    err = err ? err : plt_add(functions, elf, t);
    return err ? err : frame_starts_add(functions, elf, path, t);
}

static int refuse_stripped(const char *path, struct error *t)
{
    return error_set(t, ERROR_USAGE, "%s has no functions: it is stripped", path);
}

static int take_file(struct functions *functions, const struct debug_dirs *dirs, int fd,
                     const char *path, struct error *t)
{
    Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
    int err = 0;

    if (!elf || elf_kind(elf) != ELF_K_ELF) {
        err = error_set(t, ERROR_USAGE, "%s is not an ELF file", path);
    } else {
        err = take_table(functions, elf, SHT_SYMTAB, t);
        if (!err && functions->n == 0) {
            err = take_debug_file(functions, dirs, fd, path, t);
        }
        if (!err && functions->n > 0) {
            err = plt_add(functions, elf, t);
        } else if (!err) {
            err = take_rest(functions, elf, fd, path, t);
        }
        if (!err && functions->n == 0) {
            err = refuse_stripped(path, t);
        }
    }
    elf_end(elf);
    return err;
}

int elffile_is(const char *path, struct error *t)
{
    char magic[SELFMAG];
    /* A FIFO waits for its writer. */
    sigset_t blocked = signals_admit();
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, magic, sizeof(magic));
    int err = fd < 0 ? error_set(t, ERROR_USAGE, "cannot read %s: %s", path, strerror(errno)) : 0;

    sigprocmask(SIG_SETMASK, &blocked, NULL);
    if (err) {
        return err;
    }
    close(fd);
    return n == sizeof(magic) && memcmp(magic, ELFMAG, SELFMAG) == 0;
}

int elffile_take(struct functions *functions, const struct debug_dirs *dirs, int fd,
                 const char *path, struct error *t)
{
    elf_version(EV_CURRENT);
    return take_file(functions, dirs, fd, path, t);
}

int elffile_functions(struct functions *functions, const char *debug_dir, const char *path,
                      struct error *t)
{
    const struct debug_dirs dirs = {.dir = debug_dir};
    int fd = image_open(NULL, path, t);
    int err;

    if (fd < 0) {
        return -1;
    }
    err = elffile_take(functions, &dirs, fd, path, t);
    close(fd);
    /* The beginning alone is not what the user wants to know. */
    if (!err && functions->n == 1 && functions->function[0].called) {
        functions_cut(functions, 0);
        err = refuse_stripped(path, t);
    }
    return err;
}

/* The end of the code around an address: of its section, or else of its segment; 0: unknown. */
static uint64_t code_end(Elf *elf, uint64_t address)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    GElf_Phdr part;

    while ((section = elf_nextscn(elf, section))) {
        if (gelf_getshdr(section, &header) && header.sh_flags & SHF_EXECINSTR &&
            address >= header.sh_addr && address - header.sh_addr < header.sh_size) {
            return header.sh_addr + header.sh_size;
        }
    }
    for (int i = 0; gelf_getphdr(elf, i, &part); i++) {
        if (part.p_type == PT_LOAD && address >= part.p_vaddr &&
            address - part.p_vaddr < part.p_memsz) {
            return part.p_vaddr + part.p_memsz;
        }
    }
    return 0;
}

int elffile_add_called(struct functions *functions, const struct functions *called,
                       const char *path, struct error *t)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Elf *elf = fd >= 0 ? elf_begin(fd, ELF_C_READ, NULL) : NULL;
    int err = 0;

    for (size_t i = 0; !err && i < called->n; i++) {
        struct function f = called->function[i];

        f.limit = elf ? code_end(elf, f.start) : 0;
        err = functions_add(functions, &f, t);
    }
    elf_end(elf);
    if (fd >= 0) {
        close(fd);
    }
    return err;
}
