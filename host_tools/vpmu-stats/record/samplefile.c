/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/samplefile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/signals.h"

static int cannot_write(const struct samplefile *f, struct error *t)
{
    int error = f->error ? f->error : errno;

    if (error == ECANCELED) {
        return error_set(t, ERROR_STOPPED, "stopped");
    }
    if (error == EPIPE && !f->path) {
        return error_set(t, ERROR_PIPE, "the reader of the standard output closed it");
    }
    return error_set(t, ERROR_OUTPUT, "cannot write %s: %s",
                     !f->path   ? "the standard output"
                     : *f->path ? f->path
                                : "''",
                     strerror(error));
}

static int open_path(struct samplefile *f, const char *path)
{
    if (f->path) {
        return replacement_open(&f->to, path, true);
    }
    f->to.fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    return f->to.fd < 0 ? -1 : 0;
}

static ssize_t write_pipe(void *fd, const char *bytes, size_t size)
{
    size_t done = 0;

    while (done < size) {
        ssize_t n = signals_write((int)(intptr_t)fd, bytes + done, size - done);

        if (n < 0 && errno != EINTR) {
            break;
        }
        done += n > 0 ? (size_t)n : 0;
    }
    return (ssize_t)done; /* fewer are an error */
}

static int close_pipe(void *fd)
{
    return close((int)(intptr_t)fd);
}

static FILE *open_stream(const struct samplefile *f)
{
    static const cookie_io_functions_t pipe = {.write = write_pipe, .close = close_pipe};

    return f->pipe ? fopencookie((void *)(intptr_t)f->to.fd, "w", pipe) : fdopen(f->to.fd, "w");
}

static int refuse_terminal(struct samplefile *f, struct error *t)
{
    close(f->to.fd);
    return error_set(t, ERROR_USAGE, "samples are not written to a terminal: use -o - with a pipe");
}

int samplefile_open(struct samplefile *f, const char *path, struct error *t)
{
    *f = (struct samplefile){.path = strcmp(path, "-") == 0 ? NULL : path};
    if (open_path(f, path)) {
        return cannot_write(f, t);
    }
    f->pipe = !f->to.target;
    if (f->pipe && isatty(f->to.fd)) {
        return refuse_terminal(f, t);
    }
    f->file = open_stream(f);
    if (!f->file) {
        cannot_write(f, t);
        close(f->to.fd);
        replacement_discard(&f->to);
        samplefile_free(f);
        return -1;
    }
    f->where = f->path;
    return 0;
}

int samplefile_check(struct samplefile *f, struct error *t)
{
    if (!ferror(f->file)) {
        return 0;
    }
    f->error = f->error ? f->error : errno;
    return cannot_write(f, t);
}

/* Keeps the temporary file, whose name is added to the error. Returns false if it is empty. */
static bool keep_part(struct samplefile *f, struct error *t)
{
    const struct error why = *t;
    struct stat st;

    if (!f->to.temporary || stat(f->to.temporary, &st) || st.st_size == 0) {
        return false;
    }
    f->where = f->to.temporary;
    error_set(t, why.code, "%s; the samples until then are in %s", why.text, f->where);
    return true;
}

/* Gives the file its name. An incomplete file does not replace an older one. */
static int publish(struct samplefile *f, enum samplefile_end end, struct error *t)
{
    int err =
        end == SAMPLEFILE_WHOLE ? replacement_publish(&f->to) : replacement_publish_new(&f->to);

    if (err && end == SAMPLEFILE_WHOLE) {
        f->error = errno;
        cannot_write(f, t);
    }
    return err;
}

int samplefile_close(struct samplefile *f, enum samplefile_end end, struct error *t)
{
    bool failed = ferror(f->file);

    if (fclose(f->file)) {
        failed = true;
        f->error = f->error ? f->error : errno;
    }
    f->file = NULL;
    if (end == SAMPLEFILE_NOTHING) {
        replacement_discard(&f->to);
        return 0;
    }
    if (failed) {
        cannot_write(f, t);
    }
    if ((failed || publish(f, end, t)) && !keep_part(f, t)) {
        replacement_discard(&f->to);
    }
    return failed || t->code == ERROR_OUTPUT ? -1 : 0;
}

void samplefile_free(struct samplefile *f)
{
    replacement_free(&f->to);
}
