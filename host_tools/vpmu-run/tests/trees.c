/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls the same tree of functions as different compilations have it. With an argument, child
 * processes do that, which run for a short time each: without the trees of Clang, which has no
 * unwind rules for the end of a function on arm64.
 */
#include <sys/wait.h>
#include <unistd.h>

#define CHILDREN 100
#define C_TREES(x) x(c0) x(c2) x(c0fp) x(c2fp)
#define TREES(x) C_TREES(x) x(cc0) x(cc2) x(cc0fp) x(cc2fp)
#define DECLARE(tree) void top_##tree(unsigned long turns);
#define CALL(tree) top_##tree(turns);

TREES(DECLARE)

__attribute__((noipa)) static int run_children(unsigned long turns)
{
    for (int i = 0; i < CHILDREN; i++) {
        pid_t child = fork();

        if (child == 0) {
            C_TREES(CALL)
            _exit(0);
        }
        if (child < 0 || waitpid(child, NULL, 0) != child) {
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    unsigned long turns = 100000;

    (void)argv;
    if (argc > 1) {
        return run_children(3000);
    }
    TREES(CALL)
    return 0;
}
