/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "files/home.h"

#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files/root.h"

/* add_if() - adds what is there */
static int add_if(struct tree *t, const char *path, struct failure *f)
{
    char host[PATH_MAX];

    return root_resolve(t->root, path, host) == 0 && access(host, R_OK) == 0 ? tree_add(t, path, f)
                                                                             : 0;
}

/* add_text() - adds a file unless the user has named another one */
static int add_text(struct tree *t, const char *path, char *text, struct failure *f)
{
    int err = !text ? failure_memory(f) : tree_add_new(t, path, 0644, text, strlen(text), f);

    free(text);
    return err;
}

static char *passwd_text(void)
{
    const struct passwd *user = getpwuid(getuid());
    char *text;

    return asprintf(&text, "%s:x:%u:%u::/tmp:/bin/sh\n", user ? user->pw_name : "user", getuid(),
                    getgid()) < 0
               ? NULL
               : text;
}

static char *group_text(void)
{
    const struct group *group = getgrgid(getgid());
    char *text;

    return asprintf(&text, "%s:x:%u:\n", group ? group->gr_name : "user", getgid()) < 0 ? NULL
                                                                                        : text;
}

int home_add(struct tree *t, bool other_locale, struct failure *f)
{
    /* Debian 12 and Debian 11 */
    static const char *const locales[] = {"/usr/lib/locale/C.utf8", "/usr/lib/locale/C.UTF-8"};

    if (!t->dynamic) {
        return 0;
    }
    for (size_t i = 0; i < sizeof(locales) / sizeof(locales[0]); i++) {
        if (add_if(t, locales[i], f) != 0) {
            return -1;
        }
    }
    if (other_locale && add_if(t, "/usr/lib/locale/locale-archive", f) != 0) {
        return -1;
    }
    if (add_if(t, "/etc/localtime", f) != 0) {
        return -1;
    }
    return add_text(t, "/etc/passwd", passwd_text(), f) != 0 ||
                   add_text(t, "/etc/group", group_text(), f) != 0
               ? -1
               : 0;
}
