/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls the same tree of functions as different compilations have it. */
#define TREES(x) x(c0) x(c2) x(c0fp) x(c2fp) x(cc0) x(cc2) x(cc0fp) x(cc2fp)
#define DECLARE(tree) void top_##tree(unsigned long turns);
#define CALL(tree) top_##tree(100000);

TREES(DECLARE)

int main(void)
{
    TREES(CALL)
    return 0;
}
