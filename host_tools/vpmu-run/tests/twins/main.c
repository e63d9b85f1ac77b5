/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two functions of one name: the compiler's options A and B say how many turns each has. */
unsigned long fa(unsigned long n), fb(unsigned long n);

static volatile unsigned long result = 1;

int profiled(void);
int profiled(void)
{
    result += fa(A) + fb(B);
    return 0;
}
