/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies a loop into anonymous memory and runs it there, as a compiler at run time does. Lists it
 * in /tmp/perf-PID.map as perf's jit-interface.txt describes, between two functions that do not
 * run.
 */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* push %rbp; mov %rsp,%rbp; dec %rdi; jnz; pop %rbp; ret */
static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0xff,
                                     0xcf, 0x75, 0xfb, 0x5d, 0xc3};

int main(void)
{
    char *at =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void (*run)(long rounds);
    char path[64];
    FILE *list;

    snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
    list = fopen(path, "we");
    if (at == MAP_FAILED || !list) {
        return 1;
    }
    memcpy(at + 64, code, sizeof(code));
    memcpy(&run, &(void *){at + 64}, sizeof(run));
    fprintf(list, "%lx 40 before\n", (unsigned long)at);
    fprintf(list, "%lx %zx JS:*hot /app/x y.js:12\n", (unsigned long)at + 64, sizeof(code));
    fprintf(list, "%lx 100 after\n", (unsigned long)at + 128);
    fclose(list);
    run(1000000);
    return 0;
}
