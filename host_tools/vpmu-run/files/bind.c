/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/bind.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/paths.h"

/* resolve() - follows links in the part of @path that exists. Return: to be freed; or NULL. */
static char *resolve(const char *path)
{
    char parent[PATH_MAX], real[PATH_MAX], *whole;

    snprintf(parent, sizeof(parent), "%s", path);
    for (char *slash; (slash = strrchr(parent, '/'));) {
        *slash = '\0';
        if (realpath(slash == parent ? "/" : parent, real)) {
            const char *above = strcmp(real, "/") == 0 ? "" : real;

            return asprintf(&whole, "%s%s", above, path + (slash - parent)) < 0 ? NULL : whole;
        }
    }
    return NULL;
}

int bind_parse(struct tree_bind *b, const char *root, const char *text, struct failure *f)
{
    char source[PATH_MAX], path[PATH_MAX];
    const char *colon = strrchr(text, ':');

    if (!colon || colon[1] != '/' || colon == text || strlen(text) >= sizeof(path)) {
        return failure_set(f, FAILURE_RUN,
                           "--bind takes SOURCE:PATH with an absolute PATH, not '%s'", text);
    }
    snprintf(source, sizeof(source), "%.*s", (int)(colon - text), text);
    snprintf(path, sizeof(path), "%s", colon + 1);
    path_clean(path);
    if (path[0] == '\0' || path_has_dots(path)) {
        return failure_set(f, FAILURE_RUN,
                           "--bind takes a PATH other than / and without . and .., not '%s'",
                           colon + 1);
    }
    b->source = realpath(source, NULL);
    if (!b->source) {
        return failure_set(f, FAILURE_RUN, "cannot copy %s: %s", source, strerror(errno));
    }
    b->path = root[0] ? strdup(path) : resolve(path);
    if (!b->path || tree_is_own(b->path)) {
        bool own = b->path;

        bind_free(b);
        return own ? failure_set(f, FAILURE_RUN,
                                 "--bind cannot change %s: the machine's kernel fills it", path)
                   : failure_memory(f);
    }
    return 0;
}

void bind_free(struct tree_bind *b)
{
    free(b->source);
    free(b->path);
}
