/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/contents.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "protocol.h"
#include "report/report.h"

/* A report lists no more files. The others have one hash. */
#define FILES_MAX 1000

static void set_hash(struct json_object *o, const char *path, uint64_t hash)
{
    char text[24];
    struct json_object *name = report_text(path);

    snprintf(text, sizeof(text), "%016" PRIx64, hash);
    json_object_object_add(o, name ? json_object_get_string(name) : path,
                           json_object_new_string(text));
    json_object_put(name);
}

/* name_of() - a path; one in the directory @cwd begins with "./", as another checkout has it */
static const char *name_of(const char *path, const char *cwd, char *name, size_t size)
{
    size_t n = strlen(cwd);

    if (n <= 1 || strncmp(path, cwd, n) != 0 || path[n] != '/') {
        return path;
    }
    snprintf(name, size, ".%s", path + n);
    return name;
}

struct json_object *contents_of(const struct archive *a, const char *cwd)
{
    struct json_object *o = json_object_new_object();
    uint64_t others = HASH_SEED;

    for (size_t i = 0; i < a->files; i++) {
        const struct archive_file *file = &a->file[i];
        char name[4200];

        if (strcmp(file->path, RUN_STDIN) == 0) {
            set_hash(o, "standard input", file->hash);
        } else if (i < FILES_MAX) {
            set_hash(o, name_of(file->path, cwd, name, sizeof(name)), file->hash);
        } else {
            others = hash_more(others, file->path, strlen(file->path));
            others = hash_more(others, &file->hash, sizeof(file->hash));
        }
    }
    if (a->files > FILES_MAX) {
        set_hash(o, "other files", others);
    }
    return o;
}

struct json_object *contents_environment(const struct archive *a)
{
    struct json_object *o = json_object_new_object();

    for (const char *at = a->environment; at && *at; at += strlen(at) + 1) {
        size_t n = strcspn(at, "=");
        const char *value = at + n + (at[n] == '=');
        char *name = strndup(at, n);

        if (name) {
            set_hash(o, name, hash_more(HASH_SEED, value, strlen(value)));
        }
        free(name);
    }
    return o;
}

struct comparing {
    const char *what;
    contents_row_fn *row;
    void *data;
    size_t rows;
};

static void differ(struct comparing *c, const char *name, struct json_object *before,
                   struct json_object *after)
{
    if (c->rows++ < CONTENTS_ROWS_MAX) {
        char text[4200];

        snprintf(text, sizeof(text), "%s: %s", c->what, name);
        c->row(c->data, text, before ? json_object_get_string(before) : CONTENTS_NONE,
               after ? json_object_get_string(after) : CONTENTS_NONE);
    }
}

void contents_compare(struct json_object *base, struct json_object *now, const char *what,
                      contents_row_fn *row, void *data)
{
    struct comparing c = {what, row, data, 0};

    if (!json_object_is_type(base, json_type_object) ||
        !json_object_is_type(now, json_type_object)) {
        return;
    }
    json_object_object_foreach(base, name, before)
    {
        struct json_object *after = NULL;

        json_object_object_get_ex(now, name, &after);
        if (!json_object_equal(before, after)) {
            differ(&c, name, before, after);
        }
    }
    json_object_object_foreach(now, other, added)
    {
        if (!json_object_object_get_ex(base, other, NULL)) {
            differ(&c, other, NULL, added);
        }
    }
    if (c.rows > CONTENTS_ROWS_MAX) {
        char text[64];

        snprintf(text, sizeof(text), "%s: %zu more", what, c.rows - CONTENTS_ROWS_MAX);
        row(data, text, "", "");
    }
}
