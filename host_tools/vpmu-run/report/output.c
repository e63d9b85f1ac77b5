/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/output.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int cannot_write(const struct output *o, int error, struct failure *f)
{
    return failure_set(f, FAILURE_RUN, "cannot write %s: %s", o->path ? o->path : "the report",
                       strerror(error));
}

/* begin() - opens the stream for what replacement_open() has opened */
static int begin(struct output *o, struct failure *f)
{
    o->file = fdopen(o->to.fd, "w");
    if (!o->file) {
        cannot_write(o, errno, f);
        close(o->to.fd);
        replacement_discard(&o->to);
        replacement_free(&o->to);
        return -1;
    }
    return 0;
}

int output_open(struct output *o, const char *path, FILE *standard, struct failure *f)
{
    *o = (struct output){.path = path, .file = standard};
    if (!path) {
        return 0;
    }
    return replacement_open(&o->to, path, false) == 0 ? begin(o, f) : cannot_write(o, errno, f);
}

static bool is_file(const struct stat *file, const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && st.st_dev == file->st_dev && st.st_ino == file->st_ino;
}

/* is_input() - is it a word of the command, or the standard input? */
static bool is_input(const struct stat *file, char *const *command)
{
    for (size_t i = 0; command[i]; i++) {
        if (is_file(file, command[i])) {
            return true;
        }
    }
    return is_file(file, "/dev/stdin");
}

int output_check(const char *path, char *const *command, struct failure *f)
{
    const struct output o = {.path = path};
    const char *slash = strrchr(path, '/');
    char directory[PATH_MAX];
    struct stat st;

    if (!path[0]) {
        return failure_set(f, FAILURE_RUN, "-o needs the name of a file");
    }
    if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && is_input(&st, command)) {
        return failure_set(f, FAILURE_RUN,
                           "cannot write %s: the command reads it; give -o another name", path);
    }
    if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        return S_ISDIR(st.st_mode) ? cannot_write(&o, EISDIR, f) : 0;
    }
    snprintf(directory, sizeof(directory), "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    return access(directory, W_OK | X_OK) != 0 ? cannot_write(&o, errno, f) : 0;
}

int output_clear(const char *path, struct failure *f)
{
    const struct output o = {.path = path};
    struct stat st;

    return lstat(path, &st) == 0 && S_ISREG(st.st_mode) && unlink(path) != 0
               ? cannot_write(&o, errno, f)
               : 0;
}

int output_check_recording(const char *path, struct failure *f)
{
    return replacement_is_stream(path) || strcmp(path, "-") == 0
               ? failure_set(f, FAILURE_RUN, "cannot write %s: a recording needs a regular file",
                             path)
               : 0;
}

int output_open_recording(struct output *o, const char *path, struct failure *f)
{
    *o = (struct output){.path = path};
    if (output_check_recording(path, f) != 0) {
        return -1;
    }
    return replacement_open(&o->to, path, true) == 0 ? begin(o, f) : cannot_write(o, errno, f);
}

int output_close(struct output *o, bool keep, struct failure *f)
{
    bool bad = fflush(o->file) != 0 || ferror(o->file) != 0;
    int error = errno;

    if (o->path && fclose(o->file) != 0 && !bad) {
        bad = true;
        error = errno;
    }
    if (!bad && keep && replacement_publish(&o->to) != 0) {
        bad = true;
        error = errno;
    }
    if (bad || !keep) {
        replacement_discard(&o->to);
    }
    replacement_free(&o->to);
    return bad ? cannot_write(o, error, f) : 0;
}
