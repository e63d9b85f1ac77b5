/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/samplefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/out.h"

static int cannot_write(const struct samplefile *f, struct error *t)
{
    return error_set(t, ERROR_OUTPUT, "cannot write %s: %s",
                     f->path ? f->path : "the standard output",
                     strerror(f->error ? f->error : errno));
}

static int become(struct samplefile *f, int fd, struct error *t)
{
    f->file = fd < 0 ? NULL : fdopen(fd, "w");
    if (f->file) {
        return 0;
    }
    cannot_write(f, t);
    if (fd >= 0) {
        close(fd);
    }
    if (f->temporary) {
        unlink(f->temporary);
        free(f->temporary);
    }
    return -1;
}

static int open_pipe(struct samplefile *f, struct error *t)
{
    int fd =
        f->path ? open(f->path, O_WRONLY | O_CLOEXEC) : fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);

    if (fd >= 0 && isatty(fd)) {
        close(fd);
        return error_set(t, ERROR_USAGE,
                         "samples are not written to a terminal: use -o - with a pipe");
    }
    f->pipe = true;
    return become(f, fd, t);
}

int samplefile_open(struct samplefile *f, const char *path, struct error *t)
{
    *f = (struct samplefile){.path = strcmp(path, "-") == 0 ? NULL : path};
    return f->path && out_is_replaceable(path)
               ? become(f, out_temporary(path, true, &f->temporary), t)
               : open_pipe(f, t);
}

int samplefile_check(struct samplefile *f, struct error *t)
{
    if (!ferror(f->file)) {
        return 0;
    }
    f->error = f->error ? f->error : errno;
    return cannot_write(f, t);
}

/* Keeps the temporary file with the samples up to the error. Returns false if it is empty. */
static bool keep_part(const struct samplefile *f, struct error *t)
{
    struct stat st;

    if (!f->temporary || stat(f->temporary, &st) || st.st_size == 0) {
        return false;
    }
    error_set(t, ERROR_OUTPUT, "cannot write %s: %s; the samples until then are in %s", f->path,
              strerror(f->error), f->temporary);
    return true;
}

int samplefile_close(struct samplefile *f, bool keep, struct error *t)
{
    bool failed = ferror(f->file);
    bool is_part = false;
    int err = 0;

    if (fclose(f->file)) {
        failed = true;
        f->error = f->error ? f->error : errno;
    }
    if (failed && keep) {
        err = cannot_write(f, t);
        is_part = keep_part(f, t);
    }
    if (f->temporary && keep && !err && rename(f->temporary, f->path)) {
        err = cannot_write(f, t);
    }
    if (f->temporary && (!keep || err) && !is_part) {
        unlink(f->temporary);
    }
    free(f->temporary);
    return err;
}
