/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In a run that learns, the program waits in each system call that names a file until the file is
 * there: what the machine lacks is asked for, and vpmu-run answers with an archive of it.
 *
 * A file first comes hollow: with its name, size, owner and date, but without its content. The
 * content comes when the program opens the file.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "guest.h"
#include "lookups.h"

#define LINKS_MAX 40
/* Scripts whose interpreter is a script: the kernel's own limit is 5. */
#define DEPTH_MAX 5
#define PAGE 4096u

static const char *const own[] = {"/proc", "/sys", "/dev", RUN_DIRECTORY};

static int port = -1;
/* What was asked for once is never asked for again: the program may have removed it. */
static void *asked;

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

static bool was_asked(char kind, const char *path)
{
    char key[PATH_MAX + 8];

    snprintf(key, sizeof(key), "%c%s", kind, path);
    return tfind(key, &asked, compare) != NULL;
}

/* is_known() - is the file there, or was it there? A list of names must not bring it back. */
static bool is_known(const char *path)
{
    struct stat st;

    return lstat(path, &st) == 0 || was_asked(RUN_FRAME_LOOK, path);
}

/* note_asked() - Return: false if it was noted before */
static bool note_asked(char kind, const char *path)
{
    char *key;
    char **found;

    if (asprintf(&key, "%c%s", kind, path) < 0 || !(found = tsearch(key, &asked, compare))) {
        guest_die("no memory: raise --memory");
    }
    if (*found != key) {
        free(key);
        return false;
    }
    return true;
}

/* ask() - unpacks what vpmu-run has of a path */
static void ask(enum run_frame_type kind, const char *path)
{
    struct run_frame frame = {.type = (uint8_t)kind, .length = (uint16_t)strlen(path)};
    uint32_t size;
    char *archive;

    if (!note_asked((char)kind, path)) {
        return;
    }
    write_all(port, &frame, sizeof(frame));
    write_all(port, path, frame.length);
    if (!read_exactly(port, &size, sizeof(size))) {
        guest_die("vpmu-run does not answer");
    }
    archive = malloc(size + 1);
    if (!archive || !read_exactly(port, archive, size)) {
        guest_die("no memory for %s: raise --memory", path);
    }
    unpack_archive(archive, size, kind == RUN_FRAME_LIST ? is_known : NULL);
    free(archive);
}

static bool is_own(const char *path)
{
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
        size_t n = strlen(own[i]);

        if (strncmp(path, own[i], n) == 0 && (path[n] == '/' || path[n] == '\0')) {
            return true;
        }
    }
    return false;
}

static void pop(char *path)
{
    char *slash = strrchr(path, '/');

    if (slash) {
        *slash = '\0';
    }
}

/* there() - asks for what is not there */
static bool there(const char *path, struct stat *st)
{
    if (lstat(path, st) == 0) {
        return true;
    }
    if (errno != ENOENT) {
        return false;
    }
    ask(RUN_FRAME_LOOK, path);
    return lstat(path, st) == 0;
}

/* redirect() - @rest becomes the target of the link @done, and what follows it */
static bool redirect(char *done, char *rest)
{
    char target[PATH_MAX], whole[PATH_MAX];
    ssize_t n = readlink(done, target, sizeof(target) - 1);

    if (n <= 0) {
        return false;
    }
    target[n] = '\0';
    if (snprintf(whole, sizeof(whole), "%s/%s", target, rest) >= (int)sizeof(whole)) {
        return false;
    }
    strcpy(rest, whole);
    pop(done);
    if (target[0] == '/') {
        done[0] = '\0';
    }
    return true;
}

/*
 * walk() - goes to a file as the kernel does, and asks for what is missing on the way
 * @rest: an absolute path, of PATH_MAX bytes; used up.
 * @parent: only go to the directory that the file is in.
 * @follow: if it is a link, go to what it points to.
 * @done: where the file is, of PATH_MAX bytes.
 *
 * Return: whether it is there.
 */
static bool walk(char *rest, bool parent, bool follow, char *done, struct stat *st)
{
    unsigned links = 0;

    done[0] = '\0';
    for (;;) {
        size_t start = strspn(rest, "/"), n = strcspn(rest + start, "/"), used = strlen(done);
        bool last = rest[start + n + strspn(rest + start + n, "/")] == '\0';

        if (n == 0) {
            if (!done[0]) {
                strcpy(done, "/");
            }
            return stat(done, st) == 0;
        }
        /* What is not looked at below, "." and "..", is a directory. */
        st->st_mode = S_IFDIR;
        if (n == 2 && strncmp(rest + start, "..", 2) == 0) {
            pop(done);
        } else if (n != 1 || rest[start] != '.') {
            if (used + n + 2 > PATH_MAX) {
                return false;
            }
            snprintf(done + used, PATH_MAX - used, "/%.*s", (int)n, rest + start);
            if (is_own(done) || (last && parent)) {
                return false;
            }
            if (!there(done, st)) {
                return false;
            }
        }
        memmove(rest, rest + start + n, strlen(rest + start + n) + 1);
        used = strlen(done);
        if (used > 0 && S_ISLNK(st->st_mode) && (!last || follow)) {
            if (++links > LINKS_MAX || !redirect(done, rest)) {
                return false;
            }
        }
    }
}

static void execute(const char *path, int depth);

/* fill() - the program reads a file, or the names in a directory */
static void fill(const char *path, const struct stat *st)
{
    if (S_ISDIR(st->st_mode)) {
        ask(RUN_FRAME_LIST, path);
    } else if (S_ISREG(st->st_mode) && unpack_is_hollow(st)) {
        ask(RUN_FRAME_READ, path);
        unpack_filled(st);
    }
}

static void fill_path(const char *path, int depth)
{
    char rest[PATH_MAX], done[PATH_MAX];
    struct stat st;

    snprintf(rest, sizeof(rest), "%s", path);
    if (walk(rest, false, true, done, &st) && S_ISREG(st.st_mode)) {
        fill(done, &st);
        execute(done, depth);
    }
}

/* linker() - the dynamic linker that an ELF file names */
static bool linker(int fd, char *path, size_t size)
{
    Elf64_Ehdr header;
    Elf64_Phdr part;

    if (pread(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
        memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64) {
        return false;
    }
    for (unsigned i = 0; i < header.e_phnum; i++) {
        off_t at = (off_t)(header.e_phoff + i * sizeof(part));

        if (pread(fd, &part, sizeof(part), at) != (ssize_t)sizeof(part)) {
            return false;
        }
        if (part.p_type == PT_INTERP && part.p_filesz > 0 && part.p_filesz <= size) {
            ssize_t n = pread(fd, path, part.p_filesz, (off_t)part.p_offset);

            path[part.p_filesz - 1] = '\0';
            return n == (ssize_t)part.p_filesz;
        }
    }
    return false;
}

/* interpreter() - that of a script, or the dynamic linker */
static bool interpreter(const char *path, char *found, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    char line[256];
    ssize_t n = fd < 0 ? -1 : pread(fd, line, sizeof(line) - 1, 0);
    bool is = false;

    if (n > 2 && strncmp(line, "#!", 2) == 0) {
        const char *at = line + 2;

        line[n] = '\0';
        at += strspn(at, " \t");
        snprintf(found, size, "%.*s", (int)strcspn(at, " \t\n"), at);
        is = true;
    } else if (n > 2) {
        is = linker(fd, found, size);
    }
    if (fd >= 0) {
        close(fd);
    }
    return is && found[0] == '/';
}

/* execute() - the kernel itself opens the interpreter of a program */
static void execute(const char *path, int depth)
{
    char next[PATH_MAX];

    if (depth <= DEPTH_MAX && interpreter(path, next, sizeof(next))) {
        fill_path(next, depth + 1);
    }
}

/* read_text() - a string of the program. Return: false if it is not one. */
static bool read_text(pid_t pid, uint64_t from, char *text, size_t size)
{
    for (size_t n = 0; n < size;) {
        size_t part = PAGE - (from + n) % PAGE;
        struct iovec here = {text + n, part < size - n ? part : size - n};
        struct iovec remote = {(void *)(uintptr_t)(from + n), here.iov_len};
        ssize_t got = process_vm_readv(pid, &here, 1, &remote, 1, 0);

        if (got <= 0) {
            return false;
        }
        if (memchr(text + n, '\0', (size_t)got)) {
            return text[0] != '\0';
        }
        n += (size_t)got;
    }
    return false;
}

/* start_of() - the directory that a path of a thread begins at */
static bool start_of(pid_t pid, int directory, bool absolute, char *path)
{
    char link[64];
    ssize_t n;

    if (absolute) {
        snprintf(link, sizeof(link), "/proc/%d/root", (int)pid);
    } else if (directory == AT_FDCWD) {
        snprintf(link, sizeof(link), "/proc/%d/cwd", (int)pid);
    } else {
        snprintf(link, sizeof(link), "/proc/%d/fd/%d", (int)pid, directory);
    }
    n = readlink(link, path, PATH_MAX - 1);
    if (n <= 0 || path[0] != '/') {
        return false;
    }
    path[n] = '\0';
    return true;
}

/* kind_of() - what an open() needs depends on its flags */
static enum lookup_kind kind_of(const struct lookup *l, const uint64_t *args)
{
    uint64_t flags;

    if (l->kind != LOOKUP_OPEN) {
        return l->kind;
    }
    flags = args[l->flags];
    if (flags & O_PATH) {
        return LOOKUP_NAME;
    }
    if ((flags & O_CREAT) && (flags & O_EXCL)) {
        return LOOKUP_PARENT;
    }
    if (flags & O_TRUNC) {
        return flags & O_CREAT ? LOOKUP_REPLACED : LOOKUP_TRUNCATED;
    }
    return LOOKUP_READ;
}

static void look(pid_t pid, const struct lookup *l, const uint64_t *args)
{
    char text[PATH_MAX], rest[PATH_MAX], done[PATH_MAX];
    enum lookup_kind kind = kind_of(l, args);
    bool parent = kind == LOOKUP_PARENT || kind == LOOKUP_REPLACED;
    bool gone = kind == LOOKUP_REMOVED || kind == LOOKUP_MOVED, found;
    struct stat st;

    if (!read_text(pid, args[l->path], text, sizeof(text)) ||
        !start_of(pid, l->directory < 0 ? AT_FDCWD : (int)args[l->directory], text[0] == '/',
                  rest) ||
        strlen(rest) + strlen(text) + 2 > sizeof(rest)) {
        return;
    }
    strcat(rest, "/");
    strcat(rest, text);
    found = walk(rest, parent, !gone, done, &st) || (parent && lstat(done, &st) == 0);
    if (found && (kind == LOOKUP_REPLACED || kind == LOOKUP_TRUNCATED)) {
        unpack_filled(&st);
    } else if (found && (kind == LOOKUP_READ || kind == LOOKUP_MOVED || kind == LOOKUP_EXECUTE)) {
        fill(done, &st);
    }
    if (found && kind == LOOKUP_EXECUTE) {
        execute(done, 0);
    }
    if (gone && done[0]) {
        note_asked(RUN_FRAME_LOOK, done);
    }
}

static void serve(int listener) __attribute__((noreturn));
static void serve(int listener)
{
    struct seccomp_notif n;

    for (;;) {
        struct seccomp_notif_resp answer = {.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};

        memset(&n, 0, sizeof(n));
        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &n) != 0) {
            if (errno == EINTR || errno == ENOENT) {
                continue;
            }
            _exit(0);
        }
        for (size_t i = 0; i < lookups_n; i++) {
            if (lookups[i].number == (unsigned)n.data.nr) {
                look((pid_t)n.pid, &lookups[i], (const uint64_t *)n.data.args);
            }
        }
        answer.id = n.id;
        ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    }
}

void supply_start(const struct child *child)
{
    pid_t pid = fork();
    int listener;

    if (pid < 0) {
        guest_die("cannot fork: %s", strerror(errno));
    }
    if (pid > 0) {
        confine_leave();
        return;
    }
    child_leave(child);
    regions_leave();
    umask(0);
    port = guest_port(RUN_PORT_INPUT, O_RDWR);
    listener = confine_listener();
    if (listener < 0) {
        _exit(0);
    }
    serve(listener);
}
