/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/program.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "files/needed.h"
#include "files/program-file.h"
#include "files/root.h"

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

    for (at = at ? at : tree_path; at; at = strchr(at, ':')) {
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
    t->dynamic = true;
    return needed_add(t, path, p->interpreter, machine, f);
}

static int add(struct tree *t, const char *path, unsigned machine, int depth, struct failure *f);

/* add_interpreter() - of a script; "#!/usr/bin/env NAME" starts NAME, which is looked for in PATH
 */
static int add_interpreter(struct tree *t, const struct program_file *p, unsigned machine,
                           int depth, struct failure *f)
{
    const char *slash = strrchr(p->interpreter, '/');
    char path[PATH_MAX];

    if (slash && strcmp(slash, "/env") == 0 && p->argument[0] && p->argument[0] != '-') {
        if (program_find(t->root, p->argument, path, f) != 0 ||
            add(t, path, machine, depth, f) != 0) {
            return -1;
        }
        tree_note_program(t, path);
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
