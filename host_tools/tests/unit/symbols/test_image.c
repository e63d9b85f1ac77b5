/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ELF files that a guest may have made: only a small part is read, whatever their headers say. */
#include "symbols/image.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/signals.h"
#include "symbols/elffile.h"
#include "unit/tests.h"

#define CODE 0x1000u
/* More than the headers of these files need. */
#define HEADERS 0x4000u

/* A synthetic file. The next bytes are written at offset @at. */
struct made {
    unsigned char data[0x40000];
    size_t at;
};

static struct made made;

static void put(const void *data, size_t n)
{
    ck_assert_uint_le(made.at + n, sizeof(made.data));
    memcpy(made.data + made.at, data, n);
    made.at += n;
}

/* Writes an ELF header. The segments and then the sections follow it. */
static void put_header(uint16_t segments, uint16_t sections)
{
    Elf64_Ehdr header = {
        .e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
        .e_type = ET_DYN,
        .e_machine = EM_AARCH64,
        .e_version = EV_CURRENT,
        .e_phoff = segments ? sizeof(header) : 0,
        .e_ehsize = sizeof(header),
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = segments,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = sections};

    header.e_shoff = sections ? sizeof(header) + segments * sizeof(Elf64_Phdr) : 0;
    memset(&made, 0, sizeof(made));
    put(&header, sizeof(header));
}

/* Writes a build ID of one byte after @before bytes of another note. */
static size_t put_build_id(unsigned char id, uint32_t before)
{
    Elf64_Nhdr note = {sizeof("GNU"), 1, NT_GNU_BUILD_ID};
    Elf64_Nhdr other = {0, before, 0};
    size_t start = made.at;

    if (before) {
        put(&other, sizeof(other));
        made.at += before;
    }
    put(&note, sizeof(note));
    put("GNU", sizeof("GNU"));
    put((unsigned char[4]){id}, 4);
    return made.at - start;
}

static void put_file(char path[sizeof(TEMPORARY_PATH)])
{
    make_temporary(path, made.data, made.at);
}

/* Files with a build ID in the last segment of notes, and maybe another one before it. */
START_TEST(image_build_id)
{
    static const struct {
        const char *row;
        uint16_t notes;
        uint32_t before;     /* bytes before the build ID in the last notes */
        unsigned char first; /* build ID in the first notes, or 0 */
        unsigned char want;  /* expected build ID, or 0 for none */
    } rows[] = {
        {"one", 1, 0, 0, 2},
        {"not the first note", 1, 64, 0, 2},
        {"the first of two counts", 2, 0, 1, 1},
        {"in the last notes that are looked at", 64, 0, 0, 2},
        {"too many notes", 65, 0, 0, 0},
        {"just not too large", 1, 0x10000 - 12 - 20, 0, 2},
        {"too large", 1, 0x10000 - 12 - 16, 0, 0},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        char path[sizeof(TEMPORARY_PATH)];
        Elf64_Phdr code = {.p_type = PT_LOAD, .p_flags = PF_X, .p_memsz = CODE};
        Elf64_Phdr notes = {.p_type = PT_NOTE, .p_offset = HEADERS, .p_align = 4};
        struct error t = {0};
        struct image image;

        put_header((uint16_t)(rows[i].notes + 1), 0);
        made.at = HEADERS;
        notes.p_filesz = rows[i].first ? put_build_id(rows[i].first, 0) : 0;
        made.at = sizeof(Elf64_Ehdr);
        for (unsigned n = 1; n < rows[i].notes; n++) {
            put(&notes, sizeof(notes));
        }
        made.at = notes.p_offset = HEADERS + 0x1000;
        notes.p_filesz = put_build_id(2, rows[i].before);
        memcpy(made.data + sizeof(Elf64_Ehdr) + (rows[i].notes - 1u) * sizeof(notes), &notes,
               sizeof(notes));
        memcpy(made.data + sizeof(Elf64_Ehdr) + rows[i].notes * sizeof(notes), &code, sizeof(code));
        put_file(path);
        ck_assert_msg(image_read(&image, NULL, path, &t) == 0, "%s: %s", rows[i].row, t.text);
        unlink(path);
        ck_assert_uint_eq(image.parts, 1);
        ck_assert_msg(image.build_id[0] == rows[i].want &&
                          image.build_id_size == (rows[i].want ? 1 : 0),
                      "%s: expected %u got %u", rows[i].row, rows[i].want, image.build_id[0]);
    }
}
END_TEST

/* Anything but a regular file is not even opened, because opening a device can have effects. */
START_TEST(image_open_looks_first)
{
    char path[sizeof(TEMPORARY_PATH)];
    int events = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    struct inotify_event event;
    struct error t = {0};
    struct functions functions = {0};
    struct image image;

    make_temporary(path, "", 0);
    unlink(path);
    ck_assert_int_eq(mkfifo(path, 0600), 0);
    ck_assert_int_ge(inotify_add_watch(events, path, IN_OPEN), 0);
    ck_assert_int_eq(image_read(&image, NULL, path, &t), -1);
    ck_assert(strstr(t.text, "is not a regular file"));
    ck_assert_int_eq(elffile_functions(&functions, NULL, path, &t), -1);
    ck_assert_int_eq(read(events, &event, sizeof(event)), -1);
    ck_assert_int_eq(errno, EAGAIN);
    close(events);
    unlink(path);
}
END_TEST

#define NAMES 3000u

/*
 * Writes the headers of a code section, a table of names, and two symbol tables with the same
 * contents. Then writes the names, which have @size bytes, and two symbols.
 */
static void put_symbols(const char *names, size_t size)
{
    const Elf64_Shdr code = {.sh_type = SHT_PROGBITS, .sh_flags = SHF_EXECINSTR};
    Elf64_Shdr strings = {.sh_type = SHT_STRTAB, .sh_offset = HEADERS, .sh_size = size};
    Elf64_Shdr symbols = {.sh_type = SHT_SYMTAB,
                          .sh_offset = HEADERS + 0x1000,
                          .sh_size = 2 * sizeof(Elf64_Sym),
                          .sh_link = 2,
                          .sh_entsize = sizeof(Elf64_Sym)};

    put_header(0, 5);
    put(&(Elf64_Shdr){0}, sizeof(strings));
    put(&code, sizeof(code));
    put(&strings, sizeof(strings));
    put(&symbols, sizeof(symbols));
    put(&symbols, sizeof(symbols));
    made.at = HEADERS;
    put(names, size);
    made.at = symbols.sh_offset;
    for (unsigned n = 0; n < 2; n++) {
        Elf64_Sym symbol = {.st_name = 1 + n,
                            .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                            .st_shndx = 1,
                            .st_value = CODE + n,
                            .st_size = 1};

        put(&symbol, sizeof(symbol));
    }
}

/* Two tables with the same symbols, whose names are long and share their text. */
START_TEST(elffile_is_read_once)
{
    char path[sizeof(TEMPORARY_PATH)];
    struct functions functions = {0};
    struct error t = {0};
    char names[NAMES];

    memset(names, 'n', sizeof(names));
    names[0] = names[sizeof(names) - 1] = '\0';
    put_symbols(names, sizeof(names));
    put_file(path);
    ck_assert_msg(elffile_functions(&functions, NULL, path, &t) == 0, "%s", t.text);
    unlink(path);
    ck_assert_uint_eq(functions.n, 2);
    ck_assert_uint_eq(functions.function[1].start, CODE + 1);
    ck_assert_uint_eq(strlen(functions.function[0].name), 1023);
    ck_assert_uint_eq(strlen(functions.function[1].name), 1023);
    functions_free(&functions);
}
END_TEST

/* Which symbols are code, and which are data, if they are asked for. The second one is a function.
 */
START_TEST(elffile_kinds)
{
    static const struct {
        unsigned type, section, size;
        bool code, data;
    } rows[] = {
        {STT_FUNC, 1, 1, true, true},
        {STT_FUNC, 1, 0, true, true},
        {STT_FUNC, SHN_UNDEF, 1, false, false},
        {STT_FUNC, SHN_LORESERVE, 1, false, false},
        {STT_FUNC, SHN_LORESERVE - 1, 1, true, true},
        {STT_GNU_IFUNC, 1, 1, true, true},
        {STT_NOTYPE, 1, 1, true, true},
        {STT_NOTYPE, 2, 1, false, false}, /* a section without code */
        {STT_NOTYPE, 40, 1, false, false},
        {STT_OBJECT, 2, 1, false, true},
        {STT_OBJECT, 1, 1, false, true},
        {STT_OBJECT, 2, 0, false, false},
        {STT_OBJECT, SHN_UNDEF, 1, false, false},
        {STT_OBJECT, SHN_LORESERVE, 1, false, false},
        {STT_OBJECT, SHN_LORESERVE - 1, 1, false, true},
        {STT_SECTION, 1, 1, false, false},
    };

    for (size_t i = 0; i < 2 * COUNT_OF(rows); i++) {
        size_t row = i / 2;
        char path[sizeof(TEMPORARY_PATH)];
        struct functions functions = {.data = i % 2};
        struct error t = {0};
        Elf64_Sym *symbol = (void *)(made.data + HEADERS + 0x1000);

        put_symbols("\0one", 5);
        symbol->st_info = (unsigned char)ELF64_ST_INFO(STB_GLOBAL, rows[row].type);
        symbol->st_shndx = (Elf64_Section)rows[row].section;
        symbol->st_size = rows[row].size;
        put_file(path);
        ck_assert_msg(elffile_functions(&functions, NULL, path, &t) == 0, "%s", t.text);
        unlink(path);
        ck_assert_msg(functions.n == 1u + (i % 2 ? rows[row].data : rows[row].code),
                      "row %zu, data %zu: %zu", row, i % 2, functions.n);
        functions_free(&functions);
    }
}
END_TEST

/* The longest name fits, though no NUL ends it. */
START_TEST(elffile_longest_name)
{
    char path[sizeof(TEMPORARY_PATH)];
    struct functions functions = {0};
    struct error t = {0};
    char names[1025];

    memset(names, 'n', sizeof(names));
    names[0] = '\0';
    put_symbols(names, sizeof(names));
    put_file(path);
    ck_assert_msg(elffile_functions(&functions, NULL, path, &t) == 0, "%s", t.text);
    unlink(path);
    ck_assert_uint_eq(functions.n, 2);
    ck_assert_uint_eq(strlen(functions.function[0].name), 1023);
    ck_assert_uint_eq(strlen(functions.function[1].name), 1023);
    functions_free(&functions);
}
END_TEST

/* A name that the end of the table cuts is used as far as it goes. */
START_TEST(elffile_names_end)
{
    char path[sizeof(TEMPORARY_PATH)];
    struct functions functions = {0};
    struct error t = {0};

    put_symbols("\0end", 4);
    put_file(path);
    ck_assert_msg(elffile_functions(&functions, NULL, path, &t) == 0, "%s", t.text);
    unlink(path);
    ck_assert_uint_eq(functions.n, 2);
    ck_assert_str_eq(functions.function[0].name, "end");
    ck_assert_str_eq(functions.function[1].name, "nd");
    functions_free(&functions);
}
END_TEST

/* Mapping symbols, whose names start with '$', and empty names are no functions. */
START_TEST(elffile_no_names)
{
    static const char *const names[] = {"\0$x", "\0\0x", "\0x\0"};

    for (size_t i = 0; i < COUNT_OF(names); i++) {
        char path[sizeof(TEMPORARY_PATH)];
        struct functions functions = {0};
        struct error t = {0};

        put_symbols(names[i], 4);
        put_file(path);
        ck_assert_msg(elffile_functions(&functions, NULL, path, &t) == 0, "%s", t.text);
        unlink(path);
        ck_assert_msg(functions.n == 1, "row %zu: %zu", i, functions.n);
        ck_assert_str_eq(functions.function[0].name, "x");
        functions_free(&functions);
    }
}
END_TEST

/* Four bytes show what a file is. Signals that are blocked stay so. */
START_TEST(elffile_magic)
{
    static const struct {
        const char *bytes;
        size_t n;
        int is;
    } rows[] = {
        {"\177ELF", 4, 1}, {"\177ELF\2", 5, 1}, {"\177EL", 3, 0},
        {"", 0, 0},        {"\177ELf", 4, 0},   {"ffff8000", 8, 0},
    };
    char path[sizeof(TEMPORARY_PATH)];
    sigset_t ending = signals_ending(), blocked;
    struct error t = {0};

    sigprocmask(SIG_BLOCK, &ending, NULL);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        make_temporary(path, rows[i].bytes, rows[i].n);
        ck_assert_msg(elffile_is(path, &t) == rows[i].is, "row %zu", i);
        unlink(path);
    }
    ck_assert_int_eq(elffile_is(path, &t), -1);
    ck_assert_int_eq(t.code, ERROR_USAGE);
    ck_assert_ptr_nonnull(strstr(t.text, "No such file or directory"));
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    ck_assert(sigismember(&blocked, SIGTERM));
}
END_TEST

/* Answers ENOSYS to openat2(), as Linux before 5.6 does. */
static void become_old(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = {COUNT_OF(code), code};

    ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
    ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter), 0);
}

/* Files below a directory, with and without the call of newer kernels. No descriptor is left. */
START_TEST(image_open_below)
{
    static const struct {
        const char *root;
        const char *path;
        bool found;
    } rows[] = {
        {"/proc/self", "/exe", false}, /* a link that leads out, in newer kernels */
        {"/proc", "/version", true},       {"", "/proc/version", true},
        {"/proc", "/no such file", false}, {"/no such root", "/version", false},
    };
    int lowest = dup(STDIN_FILENO);

    close(lowest);
    for (unsigned old = 0; old < 2; old++) {
        for (size_t i = old; i < COUNT_OF(rows); i++) {
            struct error t = {0};
            int fd = image_open(rows[i].root, rows[i].path, &t);

            ck_assert_msg((fd >= 0) == rows[i].found, "row %zu, old %u: %s", i, old, t.text);
            ck_assert(fd < 0 || close(fd) == 0);
            fd = dup(STDIN_FILENO);
            ck_assert_msg(fd == lowest, "row %zu, old %u: %d is open", i, old, lowest);
            close(fd);
        }
        become_old();
    }
}
END_TEST

/* The first pages of this program have its build ID, as readelf would say of the whole file. */
START_TEST(beginning)
{
    static const size_t sizes[] = {0x4000, 0x1000, 100, 4, 0};
    unsigned char bytes[0x4000];
    struct error t = {0};
    struct image whole, image;
    int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(image_take(&whole, fd, "this", &t), 0);
    ck_assert_uint_gt(whole.build_id_size, 0);
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        ck_assert_int_eq(pread(fd, bytes, sizes[i], 0), (ssize_t)sizes[i]);
        ck_assert_int_eq(image_take_beginning(&image, bytes, sizes[i]), i < 2 ? 0 : -1);
        ck_assert_uint_eq(image.build_id_size, i < 2 ? whole.build_id_size : 0);
        ck_assert_mem_eq(image.build_id, whole.build_id, image.build_id_size);
    }
    close(fd);
}
END_TEST

/*
 * Sections of an object file that are loaded get addresses behind each other, in their order.
 * Others have none, nor those of a program, whose symbols have addresses already.
 */
START_TEST(image_addresses)
{
    static const char make[] = "echo 'int a = 1; int b(void) { return a; } static char c[999]; "
                               "char *d = c;' | gcc -x c -fPIC %s -o %s -";

    for (unsigned program = 0; program < 2; program++) {
        char path[sizeof(TEMPORARY_PATH)], command[sizeof(make) + sizeof(path) + 32];
        uint64_t last = 0;
        Elf *elf;
        size_t sections = 0;
        int fd, found = 0;

        make_temporary(path, "", 0);
        snprintf(command, sizeof(command), make, program ? "-shared" : "-c", path);
        ck_assert_int_eq(system(command), 0);
        fd = open(path, O_RDONLY | O_CLOEXEC);
        unlink(path);
        elf_version(EV_CURRENT);
        elf = elf_begin(fd, ELF_C_READ, NULL);
        ck_assert_int_eq(elf_getshdrnum(elf, &sections), 0);
        for (size_t i = 0; i < sections + 2; i++) {
            Elf_Scn *section = elf_getscn(elf, i);
            GElf_Shdr header = {.sh_flags = 0};
            uint64_t at = image_address(elf, i);

            ck_assert(i >= sections || gelf_getshdr(section, &header));
            if (program || !(header.sh_flags & SHF_ALLOC)) {
                ck_assert_uint_eq(at, 0);
                continue;
            }
            ck_assert_uint_ge(at, last);
            ck_assert_uint_eq(at % header.sh_addralign, 0);
            ck_assert_uint_lt(at - last, header.sh_addralign);
            last = at + header.sh_size;
            found++;
        }
        ck_assert(program || found >= 4);
        elf_end(elf);
        close(fd);
    }
}
END_TEST

Suite *image_suite(void)
{
    const TTest *const tests[] = {image_build_id,    image_open_looks_first,
                                  image_open_below,  elffile_is_read_once,
                                  elffile_kinds,     elffile_longest_name,
                                  elffile_names_end, elffile_no_names,
                                  elffile_magic,     beginning,
                                  image_addresses};

    return suite_of("image", tests, COUNT_OF(tests));
}
