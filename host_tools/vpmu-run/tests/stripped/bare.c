/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions of assembly code have no unwind tables, and lie behind one that has them: in a stripped
 * file, nothing but calls and jumps to them says that they are functions.
 */
#ifdef __x86_64__
#define JUMP "jmp"
#else
#define JUMP "b"
#endif

__asm__(".text\n"
        ".p2align 4\n"
        "bare:\n\tnop\n\tnop\n\tnop\n\tret\n"
        ".type bare, %function\n.size bare, . - bare\n"
        ".p2align 4\n"
        "tail:\n\tnop\n\tnop\n\t" JUMP " bare\n"
        ".type tail, %function\n.size tail, . - tail\n"
        ".section other, \"ax\", %progbits\n"
        "apart:\n\tnop\n\tret\n"
        ".type apart, %function\n.size apart, . - apart\n"
        ".text\n");

void bare(void) __attribute__((visibility("hidden")));
void tail(void) __attribute__((visibility("hidden")));
void apart(void) __attribute__((visibility("hidden")));

__attribute__((noinline, noclone)) static int small(int x)
{
    __asm__ volatile("" : "+r"(x));
    return x + 3;
}

int main(void)
{
    int sum = 0;

    for (int i = 0; i < 100; i++) {
        bare();
        tail();
        apart();
        sum += small(-3);
    }
    return sum;
}
