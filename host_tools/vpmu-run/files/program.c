/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files/needed.h"
#include "files/program-file.h"
#include "files/root.h"
#include "machine/emulator.h"

/* Scripts whose interpreter is a script: the kernel's own limit is 5. */
#define DEPTH_MAX 5

/* absolute() - the working directory in another root is its top */
static int absolute(const char *root, const char *name, char *path, struct failure *f)
{
    char cwd[PATH_MAX];

    if (name[0] == '/' || root[0]) {
        snprintf(path, PATH_MAX, "%s%s", name[0] == '/' ? "" : "/", name);
        return 0;
    }
    if (!getcwd(cwd, sizeof(cwd))) {
        return failure_set(f, FAILURE_RUN,
                           "the working directory does not exist any more: change to another");
    }
    if ((size_t)snprintf(path, PATH_MAX, "%s/%s", cwd, name) >= PATH_MAX) {
        return failure_set(f, FAILURE_NOT_FOUND, "%s: %s", name, strerror(ENAMETOOLONG));
    }
    return 0;
}

static bool can_execute(const char *root, const char *path)
{
    char host[PATH_MAX];
    struct stat st;

    return root_resolve(root, path, host) == 0 && stat(host, &st) == 0 && S_ISREG(st.st_mode) &&
           access(host, X_OK) == 0;
}

static int find_in_path(const char *root, const char *name, char *path, struct failure *f)
{
    const char *at = root[0] ? NULL : getenv("PATH");
    char found[PATH_MAX];

    for (at = at ? at : "/usr/local/bin:/usr/bin:/bin"; at; at = strchr(at, ':')) {
        at += *at == ':';
        snprintf(found, sizeof(found), "%.*s/%s", (int)strcspn(at, ":"), at, name);
        if (can_execute(root, found)) {
            return absolute(root, found, path, f);
        }
    }
    return failure_set(f, FAILURE_NOT_FOUND,
                       "%s: command not found in PATH; give its path, or install it", name);
}

int program_find(const char *root, const char *name, char *path, struct failure *f)
{
    char host[PATH_MAX];
    struct stat st;

    if (!strchr(name, '/')) {
        return find_in_path(root, name, path, f);
    }
    if (root_resolve(root, name, host) != 0 || stat(host, &st) != 0) {
        return failure_set(f, FAILURE_NOT_FOUND, "%s: %s", name, strerror(errno));
    }
    if (!can_execute(root, name)) {
        return failure_set(f, FAILURE_EXECUTE, "%s cannot be executed: %s", name,
                           S_ISDIR(st.st_mode) ? "it is a directory"
                                               : "make it executable (chmod +x)");
    }
    return absolute(root, name, path, f);
}

/* What the caller's shell may have set for programs on this computer, and what is not for the
 * machine. */
static const char *const own_variables[] = {"LD_PRELOAD", "LD_AUDIT", "LD_DEBUG", "LD_VERBOSE",
                                            "LD_DEBUG_OUTPUT"};

/* Runs the dynamic linker, which prints the libraries that it would load, and does not start the
 * program. */
static FILE *list_libraries(const char *linker, const char *path, pid_t *pid)
{
    int fd[2];

    if (pipe2(fd, O_CLOEXEC) != 0) {
        return NULL;
    }
    *pid = fork();
    if (*pid == 0) {
        dup2(fd[1], STDOUT_FILENO);
        dup2(fd[1], STDERR_FILENO);
        for (size_t i = 0; i < sizeof(own_variables) / sizeof(own_variables[0]); i++) {
            unsetenv(own_variables[i]);
        }
        execl(linker, linker, "--list", path, (char *)NULL);
        _exit(127);
    }
    close(fd[1]);
    if (*pid < 0) {
        close(fd[0]);
        return NULL;
    }
    return fdopen(fd[0], "r");
}

/*
 * missing_of() - the library that a line reports as missing
 * glibc: "...: error while loading shared libraries: NAME: cannot open ...", or "NAME => not
 * found"; musl: "Error loading shared library NAME: ...".
 *
 * Return: its name, @length bytes of it; NULL if the line reports something else.
 */
static const char *missing_of(const char *line, size_t *length)
{
    static const char *const starts[] = {"shared libraries: ", "shared library "};
    const char *name = line + strspn(line, " \t");

    if (strstr(line, " => not found")) {
        *length = strcspn(name, " ");
        return name;
    }
    for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
        const char *at = strstr(line, starts[i]);

        if (at) {
            name = at + strlen(starts[i]);
            *length = strcspn(name, ":\n");
            return name;
        }
    }
    return NULL;
}

/*
 * library_of() - the path in a line of the list
 * The lines are "NAME => PATH (ADDRESS)", "PATH (ADDRESS)", or "NAME (ADDRESS)" of the vDSO.
 *
 * Return: 1 if there is one, 0 if there is none; -1 if the library is missing.
 */
static int library_of(char *line, const char *path, char **library, struct failure *f)
{
    char *arrow = strstr(line, " => "), *end;
    size_t length;
    const char *missing = missing_of(line, &length);

    if (missing) {
        return failure_set(f, FAILURE_EXECUTE,
                           "%s needs the library %.*s, which is missing: install it, or set "
                           "LD_LIBRARY_PATH",
                           path, (int)length, missing);
    }
    *library = arrow ? arrow + 4 : line + strspn(line, " \t");
    end = strstr(*library, " (");
    if (!end || (*library)[0] != '/') {
        return 0;
    }
    *end = '\0';
    return 1;
}

/* is_default() - does the dynamic linker find a library there without its cache? */
static bool is_default(const char *library)
{
    static const char *const directories[] = {"/lib", "/usr/lib", "/lib64", "/usr/lib64"};

    for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]); i++) {
        size_t n = strlen(directories[i]);
        const char *rest = library + n;

        if (strncmp(library, directories[i], n) == 0 && rest[0] == '/') {
            const char *slash = strchr(rest + 1, '/');

            return !slash || (strstr(rest, "-linux-") && !strchr(slash + 1, '/'));
        }
    }
    return false;
}

/*
 * add_library() - adds a library
 * The cache depends on everything that is installed here, and the time to search it is counted, so
 * it is added only if it is needed.
 */
static int add_library(struct tree *t, const char *library, struct failure *f)
{
    if (!is_default(library) && access("/etc/ld.so.cache", R_OK) == 0 &&
        tree_add(t, "/etc/ld.so.cache", f) != 0) {
        return -1;
    }
    return tree_add(t, library, f);
}

static int add_libraries(struct tree *t, const char *linker, const char *path, struct failure *f)
{
    char *line = NULL, *library = NULL;
    size_t size = 0;
    pid_t pid = -1;
    int err = 0, status = 0;
    FILE *list = list_libraries(linker, path, &pid);

    if (!list) {
        return failure_set(f, FAILURE_RUN, "cannot start %s: %s", linker, strerror(errno));
    }
    while (!err && getline(&line, &size, list) > 0) {
        err = library_of(line, path, &library, f);
        if (err > 0 && library) {
            err = add_library(t, library, f);
        }
    }
    free(line);
    fclose(list);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (!err && !(WIFEXITED(status) && WEXITSTATUS(status) == 0)) {
        return failure_set(f, FAILURE_EXECUTE, "the dynamic linker %s cannot load %s", linker,
                           path);
    }
    return err;
}

static int add_elf(struct tree *t, const char *path, const struct program_file *p, unsigned machine,
                   struct failure *f)
{
    if (p->machine != machine || p->bits != 64) {
        const struct program_file own = {.machine = machine, .bits = 64};

        return failure_set(
            f, FAILURE_EXECUTE, "%s is a program for %s, this machine executes %s: build it for %s",
            path, program_machine_name(p), program_machine_name(&own), program_machine_name(&own));
    }
    if (!p->interpreter[0]) {
        return 0;
    }
    if (!can_execute(t->root, p->interpreter)) {
        return failure_set(f, FAILURE_EXECUTE,
                           "%s needs the dynamic linker %s: install it%s, or link the program with "
                           "-static",
                           path, p->interpreter, t->root[0] ? " in --root" : "");
    }
    if (tree_add(t, p->interpreter, f) != 0) {
        return -1;
    }
    if (t->root[0] || machine != emulator_own) {
        return needed_add(t, path, machine, f);
    }
    return add_libraries(t, p->interpreter, path, f);
}

static int add(struct tree *t, const char *path, unsigned machine, int depth, struct failure *f);

/* add_interpreter() - of a script; "#!/usr/bin/env NAME" starts NAME, which is looked for in PATH
 */
static int add_interpreter(struct tree *t, const struct program_file *p, unsigned machine,
                           int depth, struct failure *f)
{
    const char *slash = strrchr(p->interpreter, '/');
    char path[PATH_MAX];

    if (slash && strcmp(slash, "/env") == 0 && p->argument[0] && p->argument[0] != '-' &&
        (program_find(t->root, p->argument, path, f) != 0 ||
         add(t, path, machine, depth, f) != 0)) {
        return -1;
    }
    return add(t, p->interpreter, machine, depth, f);
}

static int add(struct tree *t, const char *path, unsigned machine, int depth, struct failure *f)
{
    struct program_file p;
    char host[PATH_MAX];

    if (root_resolve(t->root, path, host) != 0 || program_inspect(host, &p) != 0) {
        return failure_set(f, FAILURE_EXECUTE, "cannot read %s: %s", path, strerror(errno));
    }
    if (p.special) {
        return failure_set(f, FAILURE_EXECUTE,
                           "%s is a setuid or setgid program: run it as the user that it becomes, "
                           "from a copy without these bits (chmod ug-s)",
                           path);
    }
    if (p.kind == PROGRAM_OTHER) {
        return failure_set(f, FAILURE_EXECUTE,
                           "%s is neither an ELF file nor a script with an interpreter: begin it "
                           "with a line such as #!/bin/sh",
                           path);
    }
    if (tree_add(t, path, f) != 0) {
        return -1;
    }
    if (p.kind == PROGRAM_ELF) {
        return add_elf(t, path, &p, machine, f);
    }
    if (depth > DEPTH_MAX || !can_execute(t->root, p.interpreter)) {
        return failure_set(f, FAILURE_EXECUTE,
                           "the interpreter %s of the script %s is missing: install it, or change "
                           "the script's first line",
                           p.interpreter, path);
    }
    return add_interpreter(t, &p, machine, depth + 1, f);
}

int program_add(struct tree *t, const char *path, unsigned machine, struct failure *f)
{
    return add(t, path, machine, 0, f);
}

unsigned program_machine(const char *root, const char *name)
{
    struct program_file p = {.kind = PROGRAM_SCRIPT};
    struct failure f;
    char path[PATH_MAX], host[PATH_MAX];

    if (program_find(root, name, path, &f) != 0) {
        return EM_NONE;
    }
    for (int depth = 0; p.kind == PROGRAM_SCRIPT && depth <= DEPTH_MAX; depth++) {
        if (root_resolve(root, path, host) != 0 || program_inspect(host, &p) != 0) {
            return EM_NONE;
        }
        if (p.kind == PROGRAM_SCRIPT) {
            snprintf(path, sizeof(path), "%s", p.interpreter);
        }
    }
    return p.kind == PROGRAM_ELF && p.bits == 64 ? p.machine : EM_NONE;
}
