/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/objdump.h"

#include <ctype.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/format.h"

extern char **environ;

/* The child must not inherit this program's signal mask and its handling of SIGPIPE. */
static int spawn(struct objdump *o, char *const *argv, int output)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigset_t usual;
    int err = posix_spawn_file_actions_init(&actions);

    if (err) {
        return err;
    }
    err = posix_spawnattr_init(&attributes);
    if (err) {
        posix_spawn_file_actions_destroy(&actions);
        return err;
    }
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGXFSZ);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    err = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    err = err ? err : posix_spawnp(&o->pid, o->program, &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return err;
}

static int start(struct objdump *o, char *const *argv, struct error *t)
{
    int ends[2];
    int err;

    if (pipe2(ends, O_CLOEXEC)) {
        return error_set(t, ERROR_TALK, "cannot make a pipe: %s", strerror(errno));
    }
    err = spawn(o, argv, ends[1]);
    close(ends[1]);
    if (err) {
        close(ends[0]);
        return error_set(t, ERROR_USAGE, "cannot run %s: %s; install %s or use --objdump",
                         o->program, strerror(err),
                         strcmp(o->program, OBJDUMP_X86) == 0 ? "binutils-x86-64-linux-gnu"
                                                              : "binutils-aarch64-linux-gnu");
    }
    o->file = fdopen(ends[0], "r");
    return o->file ? 0 : error_memory(t);
}

/* The parts of a header that are at the same offset in all ELF files, in the order of bytes that
 * Arm and x86 have. They are 0 if the file cannot be read. */
struct head {
    unsigned type;
    unsigned machine;
};

static struct head head_of(const char *path)
{
    unsigned char head[20] = {0};
    FILE *file = fopen(path, "re");
    size_t n = file ? fread(head, 1, sizeof(head), file) : 0;

    if (file) {
        fclose(file);
    }
    return n == sizeof(head) ? (struct head){.type = head[16] | (unsigned)head[17] << 8,
                                             .machine = head[18] | (unsigned)head[19] << 8}
                             : (struct head){0};
}

int objdump_open(struct objdump *o, const char *program, const char *path, uint64_t start_at,
                 uint64_t end, bool source, struct error *t)
{
    char from[64];
    char to[64];

    const struct head head = head_of(path);

    program = program ? program : head.machine == EM_X86_64 ? OBJDUMP_X86 : OBJDUMP_ARM;
    /*
     * posix_spawnp() takes pointers to non-const strings for historical reasons. It does not write
     * to them.
     */
    char *argv[] = {(char *)program,
                    (char *)"--demangle",
                    (char *)"--no-show-raw-insn",
                    source ? (char *)"--source" : (char *)"--disassemble",
                    from,
                    to,
                    (char *)"--",
                    (char *)path,
                    NULL};

    snprintf(from, sizeof(from), "--start-address=0x%" PRIx64, start_at);
    snprintf(to, sizeof(to), "--stop-address=0x%" PRIx64, end);
    *o = (struct objdump){.program = program};
    /* Its sections all begin at address 0 there. */
    if (head.type == ET_REL) {
        return error_set(t, ERROR_USAGE, "cannot show the object file %s with --objdump", path);
    }
    return start(o, argv, t);
}

/* Find the instruction in a line such as "  40080000:\tmov\tx0, #0x1". */
static void find_code(struct objdump *o)
{
    const char *at = o->line + strspn(o->line, " ");
    char *end;

    o->is_code = false;
    if (!isxdigit((unsigned char)*at)) {
        return;
    }
    errno = 0;
    o->address = strtoull(at, &end, 16);
    if (errno || end[0] != ':' || end[1] != '\t') {
        return;
    }
    o->is_code = true;
    o->code = end + 2;
}

/*
 * Make a line safe to print on a terminal, but keep the tabs between an instruction and its
 * operands.
 */
static void tame(char *line)
{
    for (char *part = line; part; part = part ? part + 1 : NULL) {
        char *tab = strchr(part, '\t');

        if (tab) {
            *tab = '\0';
        }
        format_tame(part);
        if (tab) {
            *tab = '\t';
        }
        part = tab;
    }
}

/*
 * Check for a line to skip: one before the first section, the heading of a section, or an empty
 * line.
 */
static bool is_heading(struct objdump *o)
{
    bool section = strncmp(o->line, "Disassembly of section ", 23) == 0;

    o->begun |= section;
    return !o->begun || section || *o->line == '\0';
}

bool objdump_next(struct objdump *o)
{
    do {
        ssize_t n = getline(&o->line, &o->room, o->file);

        if (n < 0) {
            return false;
        }
        o->line[strcspn(o->line, "\n")] = '\0';
    } while (is_heading(o));
    tame(o->line);
    find_code(o);
    return true;
}

int objdump_close(struct objdump *o, struct error *t)
{
    int status;
    pid_t ended;

    fclose(o->file);
    free(o->line);
    do {
        ended = waitpid(o->pid, &status, 0);
    } while (ended < 0 && errno == EINTR);
    return ended == o->pid && WIFEXITED(status) && WEXITSTATUS(status) == 0
               ? 0
               : error_set(t, ERROR_USAGE, "the disassembler %s failed", o->program);
}
