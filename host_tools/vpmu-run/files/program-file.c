/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/program-file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct {
    unsigned machine, bits;
    const char *name;
} machines[] = {
    {EM_X86_64, 64, "x86-64"}, {EM_X86_64, 32, "x32"}, {EM_386, 32, "i386"},
    {EM_AARCH64, 64, "arm64"}, {EM_ARM, 32, "armhf"},  {EM_RISCV, 64, "riscv64"},
    {EM_PPC64, 64, "ppc64"},   {EM_S390, 64, "s390x"},
};

const char *program_machine_name(const struct program_file *p)
{
    for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
        if (machines[i].machine == p->machine && machines[i].bits == p->bits) {
            return machines[i].name;
        }
    }
    return "another architecture";
}

/* read_interpreter() - of a 64-bit ELF file: PT_INTERP */
static void read_interpreter(int fd, const Elf64_Ehdr *header, struct program_file *p)
{
    for (unsigned i = 0; i < header->e_phnum; i++) {
        Elf64_Phdr segment;
        off_t at = (off_t)(header->e_phoff + (uint64_t)i * header->e_phentsize);

        if (pread(fd, &segment, sizeof(segment), at) != (ssize_t)sizeof(segment)) {
            return;
        }
        if (segment.p_type == PT_INTERP && segment.p_filesz < sizeof(p->interpreter)) {
            if (pread(fd, p->interpreter, segment.p_filesz, (off_t)segment.p_offset) !=
                (ssize_t)segment.p_filesz) {
                p->interpreter[0] = '\0';
            }
            return;
        }
    }
}

static void inspect_elf(int fd, const unsigned char *start, ssize_t size, struct program_file *p)
{
    Elf64_Ehdr header;

    /* e_machine is at the same place in files of both sizes. */
    p->kind = PROGRAM_ELF;
    p->bits = start[EI_CLASS] == ELFCLASS64 ? 64 : 32;
    memcpy(&header, start, (size_t)size < sizeof(header) ? (size_t)size : sizeof(header));
    p->machine = header.e_machine;
    if (p->bits == 64 && (size_t)size >= sizeof(header)) {
        read_interpreter(fd, &header, p);
    }
}

/* inspect_script() - "#! /bin/sh -e": the kernel reads one line */
static void inspect_script(const char *start, struct program_file *p)
{
    const char *at = start + 2 + strspn(start + 2, " \t");
    size_t n = strcspn(at, " \t\n");

    p->kind = PROGRAM_SCRIPT;
    if (n < sizeof(p->interpreter)) {
        memcpy(p->interpreter, at, n);
    }
    at += n;
    at += strspn(at, " \t");
    n = strcspn(at, " \t\n");
    if (n < sizeof(p->argument)) {
        memcpy(p->argument, at, n);
    }
}

int program_inspect(const char *path, struct program_file *p)
{
    char start[256] = "";
    struct stat st;
    ssize_t n;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    memset(p, 0, sizeof(*p));
    if (fd < 0) {
        return -1;
    }
    n = read(fd, start, sizeof(start) - 1);
    if (n < 0 || fstat(fd, &st) != 0) {
        int error = errno;

        close(fd);
        errno = error;
        return -1;
    }
    p->special = (st.st_mode & (S_ISUID | S_ISGID)) != 0;
    p->executable = S_ISREG(st.st_mode) && (st.st_mode & 0111) != 0;
    if (n >= 20 && memcmp(start, ELFMAG, SELFMAG) == 0) {
        inspect_elf(fd, (const unsigned char *)start, n, p);
    } else if (n > 2 && start[0] == '#' && start[1] == '!') {
        inspect_script(start, p);
    }
    close(fd);
    return 0;
}
