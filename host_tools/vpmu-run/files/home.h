/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What dynamically linked programs expect to find besides their own files. */
#ifndef VPMU_RUN_HOME_H
#define VPMU_RUN_HOME_H

#include <stdbool.h>

#include "files/tree.h"

/**
 * home_add() - adds the locale C.UTF-8, the time zone, and the user's entries of /etc/passwd and
 * /etc/group
 * A static program is not given them: its counts do not depend on the computer.
 * @other_locale: the user chooses the locale: also adds those that this computer has.
 */
int home_add(struct tree *t, bool other_locale, struct failure *f);

#endif
