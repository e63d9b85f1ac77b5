/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* directory_of() - the directory that @path is in */
static void directory_of(const char *path, char *directory)
{
    const char *slash = strrchr(path, '/');

    if (!slash) {
        snprintf(directory, PATH_MAX, ".");
    } else {
        snprintf(directory, PATH_MAX, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    }
}

/*
 * open_beside() - a new file in the directory of @path, with the permissions that open() gives
 * It has no name yet, so that nothing is left if this process is killed. Some file systems do not
 * know files without a name.
 */
static FILE *open_beside(struct output *o, const char *path)
{
    char directory[PATH_MAX];
    mode_t mask = umask(0);
    int fd;

    umask(mask);
    directory_of(path, directory);
    o->temporary[0] = '\0';
    fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
        snprintf(o->temporary, sizeof(o->temporary), "%s.XXXXXX", path);
        fd = mkstemp(o->temporary);
    }
    if (fd >= 0 && fchmod(fd, 0666 & ~mask) != 0) {
        close(fd);
        fd = -1;
    }
    return fd < 0 ? NULL : fdopen(fd, "w");
}

/* publish() - gives the file its name, which may be that of an older file */
static int publish(struct output *o)
{
    char self[32];

    if (!o->temporary[0]) {
        snprintf(self, sizeof(self), "/proc/self/fd/%d", fileno(o->file));
        if (linkat(AT_FDCWD, self, AT_FDCWD, o->path, AT_SYMLINK_FOLLOW) == 0) {
            return 0;
        }
        /* Only a file that has a name can replace another one. */
        snprintf(o->temporary, sizeof(o->temporary), "%s.%d", o->path, (int)getpid());
        if (errno != EEXIST ||
            linkat(AT_FDCWD, self, AT_FDCWD, o->temporary, AT_SYMLINK_FOLLOW) != 0) {
            o->temporary[0] = '\0';
            return -1;
        }
    }
    return rename(o->temporary, o->path);
}

int output_open(struct output *o, const char *path, FILE *standard, struct failure *f)
{
    struct stat st;

    o->path = path;
    /* Devices and pipes cannot be replaced, and links, such as /dev/stdout, must not be. */
    o->replaced = path && (lstat(path, &st) != 0 || S_ISREG(st.st_mode));
    o->file = !path ? standard : o->replaced ? open_beside(o, path) : fopen(path, "w");
    return o->file ? 0 : failure_set(f, FAILURE_RUN, "cannot write %s: %s", path, strerror(errno));
}

int output_close(struct output *o, bool keep, struct failure *f)
{
    bool bad = fflush(o->file) != 0 || ferror(o->file) != 0;
    int error = errno;

    if (!bad && keep && o->replaced && publish(o) != 0) {
        bad = true;
        error = errno;
    }
    if ((bad || !keep) && o->replaced && o->temporary[0]) {
        unlink(o->temporary);
    }
    if (o->path && fclose(o->file) != 0 && !bad) {
        bad = true;
        error = errno;
    }
    return bad ? failure_set(f, FAILURE_RUN, "cannot write %s: %s",
                             o->path ? o->path : "the report", strerror(error))
               : 0;
}
