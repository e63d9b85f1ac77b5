/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A program that needs a library of its own, and prints the first line of a file. */
#include <stdio.h>

int answer(void);

#ifdef LIBRARY
int answer(void)
{
    return 42;
}
#else
int main(int argc, char **argv)
{
    char line[64] = "";
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;

    if (!file || !fgets(line, sizeof(line), file)) {
        return 1;
    }
    printf("%d %s", answer(), line);
    return 0;
}
#endif
