/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_PATHS_H
#define VPMU_RUN_PATHS_H

#include <stdbool.h>

/** path_has_dots() - has the path a component "." or ".."? */
bool path_has_dots(const char *path);

/** path_clean() - removes repeated slashes, and the one at the end */
void path_clean(char *path);

#endif
