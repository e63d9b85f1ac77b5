/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/library-paths.h"

#include <elf.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/root.h"

/* Files that include each other in a circle end here. */
#define INCLUDES_MAX 4

const char *library_triplet(unsigned machine)
{
    return machine == EM_AARCH64 ? "aarch64-linux-gnu" : "x86_64-linux-gnu";
}

void library_musl_file(unsigned machine, char *path)
{
    snprintf(path, PATH_MAX, "/etc/ld-musl-%s.path", machine == EM_AARCH64 ? "aarch64" : "x86_64");
}

static void read_file(const char *root, const char *host, int depth, FILE *to);

/* include() - of ld.so.conf: a pattern, relative to /etc */
static void include(const char *root, const char *pattern, int depth, FILE *to)
{
    char full[2 * PATH_MAX];
    glob_t files;

    snprintf(full, sizeof(full), "%s%s%s", root, pattern[0] == '/' ? "" : "/etc/", pattern);
    if (glob(full, 0, NULL, &files) == 0) {
        for (size_t i = 0; i < files.gl_pathc; i++) {
            read_file(root, files.gl_pathv[i], depth + 1, to);
        }
        globfree(&files);
    }
}

/* read_file() - lines with a directory, or "include PATTERN" */
static void read_file(const char *root, const char *host, int depth, FILE *to)
{
    FILE *from = depth < INCLUDES_MAX ? fopen(host, "re") : NULL;
    char line[PATH_MAX];

    while (from && fgets(line, sizeof(line), from)) {
        char *at = line + strspn(line, " \t"), *word, *saved;

        at[strcspn(at, "#\n")] = '\0';
        word = strtok_r(at, " \t", &saved);
        if (word && strcmp(word, "include") == 0) {
            while ((word = strtok_r(NULL, " \t", &saved))) {
                include(root, word, depth, to);
            }
        } else if (word && word[0] == '/') {
            fprintf(to, "%s:", word);
        }
    }
    if (from) {
        fclose(from);
    }
}

char *library_paths(const char *root, unsigned machine, bool musl)
{
    const char *here = library_triplet(machine);
    char *list = NULL, path[PATH_MAX] = "/etc/ld.so.conf", host[PATH_MAX];
    size_t size;
    FILE *to = open_memstream(&list, &size);

    if (!to) {
        return NULL;
    }
    if (musl) {
        library_musl_file(machine, path);
    }
    if (root_resolve(root, path, host) == 0) {
        read_file(root, host, 0, to);
    }
    fprintf(to,
            "/lib/%s:/usr/lib/%s:/lib64:/usr/lib64:/lib:/usr/lib:/usr/local/lib/%s:"
            "/usr/local/lib",
            here, here, here);
    return fclose(to) == 0 ? list : NULL;
}

bool library_is_default(const char *library)
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
