/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef VPMU_RUN_BIND_H
#define VPMU_RUN_BIND_H

#include "files/tree.h"

/**
 * bind_parse() - reads the argument of --bind
 * @root: see struct tree.
 * @text: SOURCE:PATH. SOURCE exists. PATH is absolute. Links in it that this computer has are
 *        followed, but not those of another root.
 *
 * Return: 0, or -1 with an error. bind_free() is needed after 0.
 */
int bind_parse(struct tree_bind *b, const char *root, const char *text, struct failure *f);
void bind_free(struct tree_bind *b);

#endif
