/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* open_beside() - a new file in the directory of @path, with the permissions that open() gives */
static FILE *open_beside(const char *path, char *temporary)
{
    mode_t mask = umask(0);
    int fd;

    umask(mask);
    snprintf(temporary, PATH_MAX, "%s.XXXXXX", path);
    fd = mkstemp(temporary);
    if (fd >= 0 && fchmod(fd, 0666 & ~mask) != 0) {
        close(fd);
        unlink(temporary);
        fd = -1;
    }
    return fd < 0 ? NULL : fdopen(fd, "w");
}

int output_open(struct output *o, const char *path, FILE *standard, struct failure *f)
{
    struct stat st;

    o->path = path;
    /* Devices and pipes cannot be replaced. */
    o->replaced = path && (stat(path, &st) != 0 || S_ISREG(st.st_mode));
    o->file = !path ? standard : o->replaced ? open_beside(path, o->temporary) : fopen(path, "w");
    return o->file ? 0 : failure_set(f, FAILURE_RUN, "cannot write %s: %s", path, strerror(errno));
}

int output_close(struct output *o, bool keep, struct failure *f)
{
    bool bad = fflush(o->file) != 0 || ferror(o->file) != 0;

    if (o->path && fclose(o->file) != 0) {
        bad = true;
    }
    if (!bad && keep && o->replaced && rename(o->temporary, o->path) != 0) {
        bad = true;
    }
    if ((bad || !keep) && o->replaced) {
        int error = errno;

        unlink(o->temporary);
        errno = error;
    }
    return bad ? failure_set(f, FAILURE_RUN, "cannot write %s: %s",
                             o->path ? o->path : "the report", strerror(errno))
               : 0;
}
